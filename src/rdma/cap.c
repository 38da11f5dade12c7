/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <string.h>

static doca_error_t get_limit(const struct doca_devinfo *devinfo, uint32_t limit, uint32_t *value,
                              const char *func, const char *argument)
{
    if (value == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, func, argument);
    if (core_devinfo_caps(devinfo, func) == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *value = limit;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_recv_queue_size)
{
    return get_limit(devinfo, RDMA_MAX_QUEUE, max_recv_queue_size, __func__, "max_recv_queue_size");
}

doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_send_queue_size)
{
    return get_limit(devinfo, RDMA_MAX_QUEUE, max_send_queue_size, __func__, "max_send_queue_size");
}

doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_send_buf_list_len)
{
    return get_limit(devinfo, RDMA_MAX_LIST, max_send_buf_list_len, __func__,
                     "max_send_buf_list_len");
}

doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
                                                uint32_t *max_message_size)
{
    return get_limit(devinfo, RDMA_MAX_MESSAGE, max_message_size, __func__, "max_message_size");
}

/* ------------------------------------------------------------------------------------------------
 * GIDs: those of the link, then those of IPv6 and IPv4 addresses; each twice, as the two versions
 * of RoCE have them, so that customary indices exist.
 */

#define VERSIONS 2u

uint32_t rdma_gid_table_size(const struct soft_device *device)
{
    return VERSIONS * (1u + device->has_ipv6 + device->has_ipv4);
}

static void link_local_gid(const struct soft_device *device, uint8_t raw[16])
{
    const uint8_t *mac = device->mac;
    const uint8_t gid[16] = {0xfe,       0x80,   0,      0,    0,    0,      0,      0,
                             mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};

    memcpy(raw, gid, sizeof(gid));
}

static void get_gid(const struct soft_device *device, uint32_t index, uint8_t raw[16])
{
    uint32_t place = index / VERSIONS;

    memset(raw, 0, 16);
    if (place == 0) {
        link_local_gid(device, raw);
    } else if (place == 1 && device->has_ipv6) {
        memcpy(raw, device->ipv6, 16);
    } else {
        raw[10] = 0xff;
        raw[11] = 0xff;
        memcpy(raw + 12, device->ipv4, 4);
    }
}

doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
                                              uint32_t *gid_table_size)
{
    if (gid_table_size == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "gid_table_size");
    if (core_devinfo_caps(devinfo, __func__) == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *gid_table_size = rdma_gid_table_size(devinfo->soft);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
                                   uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
    uint32_t size;

    if (gid_array == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "gid_array");
    if (core_devinfo_caps(devinfo, __func__) == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    size = rdma_gid_table_size(devinfo->soft);
    if (start_index >= size || num_entries == 0 || num_entries > size - start_index)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, devinfo->name,
                         "range of GIDs", "%u from %u on" CORE_LIMIT "a part of 0..%u", num_entries,
                         start_index, size - 1);
    for (uint32_t i = 0; i < num_entries; i++)
        get_gid(devinfo->soft, start_index + i, gid_array[i].raw);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Transports and tasks
 */

static doca_error_t check_transport(const struct doca_devinfo *devinfo,
                                    enum doca_rdma_transport_type type, const char *func)
{
    if (core_devinfo_caps(devinfo, func) == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (type == DOCA_RDMA_TRANSPORT_TYPE_RC)
        return DOCA_SUCCESS;
    if (type != DOCA_RDMA_TRANSPORT_TYPE_DC)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, func, devinfo->name,
                         "transport_type", "%d" CORE_LIMIT "%d..%d", (int)type,
                         (int)DOCA_RDMA_TRANSPORT_TYPE_RC, (int)DOCA_RDMA_TRANSPORT_TYPE_DC);
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_RDMA, func, devinfo->name,
                       "transport_type", "DC, not offered");
}

doca_error_t doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                                       enum doca_rdma_transport_type transport_type)
{
    return check_transport(devinfo, transport_type, __func__);
}

doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type,
                                                    uint32_t *max_buf_list_len)
{
    if (max_buf_list_len == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "max_buf_list_len");
    if (check_transport(devinfo, transport_type, __func__) != DOCA_SUCCESS)
        return DOCA_ERROR_INVALID_VALUE;
    *max_buf_list_len = RDMA_MAX_LIST;
    return DOCA_SUCCESS;
}

/* Every device of the table is a network card. */
static doca_error_t is_supported(const struct doca_devinfo *devinfo, const char *func)
{
    return core_devinfo_caps(devinfo, func) != NULL ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, __func__);
}

static doca_error_t events_are_supported(const struct doca_devinfo *devinfo, const char *func)
{
    const struct soft_caps *caps = core_devinfo_caps(devinfo, func);

    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (caps->sync_event && caps->sync_event_remote_net)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_RDMA, func, devinfo->name,
                       "sync events of other hosts", "not offered");
}

doca_error_t
doca_rdma_cap_task_remote_net_sync_event_get_is_supported(const struct doca_devinfo *devinfo)
{
    return events_are_supported(devinfo, __func__);
}

doca_error_t
doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(const struct doca_devinfo *devinfo)
{
    return events_are_supported(devinfo, __func__);
}

doca_error_t
doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(const struct doca_devinfo *devinfo)
{
    return events_are_supported(devinfo, __func__);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "comch/comch_priv.h"

/* Limits are asked of any device, also of one that carries neither side. */
static doca_error_t get_limit(const struct doca_devinfo *devinfo, size_t offset, uint32_t *value,
                              const char *func, const char *argument)
{
    const struct soft_caps *caps;

    if (value == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, argument);
    caps = core_devinfo_caps(devinfo, func);
    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *value = *(const uint32_t *)((const char *)caps + offset);
    return DOCA_SUCCESS;
}

#define LIMIT(member) offsetof(struct soft_caps, member)

doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                             uint32_t *max_name_len)
{
    return get_limit(devinfo, LIMIT(comch_max_name_len), max_name_len, __func__, "max_name_len");
}

doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
    return get_limit(devinfo, LIMIT(comch_max_msg_size), size, __func__, "size");
}

doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                    uint32_t *size)
{
    return get_limit(devinfo, LIMIT(comch_max_recv_queue), size, __func__, "size");
}

doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_tasks)
{
    return get_limit(devinfo, LIMIT(comch_max_send_tasks), max_send_tasks, __func__,
                     "max_send_tasks");
}

doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                            uint32_t *num_clients)
{
    return get_limit(devinfo, LIMIT(comch_max_clients), num_clients, __func__, "num_clients");
}

static doca_error_t is_supported(const struct doca_devinfo *devinfo, enum soft_role role,
                                 const char *what, const char *func)
{
    const struct soft_caps *caps = core_devinfo_caps(devinfo, func);

    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (comch_device_carries(devinfo->soft, role))
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_COMCH, func, devinfo->name, what,
                       "not offered by a %s device with%s Comch",
                       soft_role_name(devinfo->soft->role), caps->comch ? "" : "out");
}

doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, SOFT_ROLE_DPU, "server", __func__);
}

doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
    return is_supported(devinfo, SOFT_ROLE_HOST, "client", __func__);
}

/* ------------------------------------------------------------------------------------------------
 * Fast path
 */

/* Segments of one transfer: lists are not supported. */
#define MAX_LIST_LEN 1

static doca_error_t check_fast_path(const struct doca_devinfo *devinfo, const char *func)
{
    const struct soft_caps *caps = core_devinfo_caps(devinfo, func);

    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (caps->comch && caps->comch_fast_path)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_COMCH, func, devinfo->name, "fast path",
                       "not offered");
}

/* Limits that only a fast path has. */
static doca_error_t get_fast_limit(const struct doca_devinfo *devinfo, size_t offset,
                                   uint32_t *value, const char *func, const char *argument)
{
    doca_error_t result;

    if (value == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, argument);
    result = check_fast_path(devinfo, func);
    return result == DOCA_SUCCESS ? get_limit(devinfo, offset, value, func, argument) : result;
}

static doca_error_t get_list_len(const struct doca_devinfo *devinfo, uint32_t *value,
                                 const char *func)
{
    doca_error_t result;

    if (value == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "max_buf_list_len");
    result = check_fast_path(devinfo, func);
    if (result == DOCA_SUCCESS)
        *value = MAX_LIST_LEN;
    return result;
}

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return check_fast_path(devinfo, __func__);
}

doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks)
{
    return get_limit(devinfo, LIMIT(comch_max_fast_tasks), max_num_tasks, __func__,
                     "max_num_tasks");
}

doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size)
{
    return get_fast_limit(devinfo, LIMIT(comch_max_buf_size), max_buf_size, __func__,
                          "max_buf_size");
}

doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len)
{
    return get_list_len(devinfo, max_buf_list_len, __func__);
}

doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers)
{
    return get_limit(devinfo, LIMIT(comch_max_consumers), max_consumers, __func__, "max_consumers");
}

doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_imm_data_len)
{
    return get_limit(devinfo, LIMIT(comch_max_imm_len), max_imm_data_len, __func__,
                     "max_imm_data_len");
}

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return check_fast_path(devinfo, __func__);
}

doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks)
{
    return get_limit(devinfo, LIMIT(comch_max_fast_tasks), max_num_tasks, __func__,
                     "max_num_tasks");
}

doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size)
{
    return get_fast_limit(devinfo, LIMIT(comch_max_buf_size), max_buf_size, __func__,
                          "max_buf_size");
}

doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len)
{
    return get_list_len(devinfo, max_buf_list_len, __func__);
}

doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_producers)
{
    return get_limit(devinfo, LIMIT(comch_max_producers), max_producers, __func__, "max_producers");
}

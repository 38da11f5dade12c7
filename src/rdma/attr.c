/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <inttypes.h>

/* What the setters of numbers share: the instance is idle and the value in its range. */
static doca_error_t check_value(const struct doca_rdma *rdma, uint64_t value, uint64_t min,
                                uint64_t max, const char *what, const char *func)
{
    doca_error_t result = core_ctx_check_idle(&rdma->ctx, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (value < min || value > max)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, func, rdma->ctx.name, what,
                         "%" PRIu64 CORE_LIMIT "%" PRIu64 "..%" PRIu64, value, min, max);
    return DOCA_SUCCESS;
}

/* What peers may be allowed; programs give the local flag along. Relaxed ordering changes nothing.
 */
#define PERMISSIONS                                                                                \
    ((uint32_t)(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                   \
                DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC |                       \
                DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING))

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, send_queue_size, 1, RDMA_MAX_QUEUE, "send_queue_size", __func__);
    if (result == DOCA_SUCCESS)
        rdma->send_queue = send_queue_size;
    return result;
}

doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, recv_queue_size, 1, RDMA_MAX_QUEUE, "recv_queue_size", __func__);
    if (result == DOCA_SUCCESS)
        rdma->recv_queue = recv_queue_size;
    return result;
}

doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
                                                 uint32_t max_send_buf_list_len)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, max_send_buf_list_len, 1, RDMA_MAX_LIST, "max_send_buf_list_len",
                         __func__);
    if (result == DOCA_SUCCESS)
        rdma->max_send_list = max_send_buf_list_len;
    return result;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = core_ctx_check_idle(&rdma->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if ((permissions & ~PERMISSIONS) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, rdma->ctx.name,
                         "permissions", "%#x" CORE_LIMIT "bits of %#x", permissions, PERMISSIONS);
    rdma->permissions = permissions;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, grh_enabled, 0, 1, "grh_enabled", __func__);
    if (result == DOCA_SUCCESS)
        rdma->grh = grh_enabled;
    return result;
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, gid_index, 0, rdma_gid_table_size(rdma->ctx.dev->info.soft) - 1,
                         "gid_index", __func__);
    if (result == DOCA_SUCCESS)
        rdma->gid_index = gid_index;
    return result;
}

doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, sl, 0, 15, "sl", __func__);
    if (result == DOCA_SUCCESS)
        rdma->sl = sl;
    return result;
}

doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, timeout, 1, UINT16_MAX, "timeout", __func__);
    if (result == DOCA_SUCCESS)
        rdma->request_timeout = timeout;
    return result;
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma, uint16_t max_num_connections)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result =
        check_value(rdma, max_num_connections, 1, RDMA_MAX_CONNS, "max_num_connections", __func__);
    if (result == DOCA_SUCCESS)
        rdma->max_conns = max_num_connections;
    return result;
}

doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, rnr_retry_count, 0, RDMA_RNR_FOREVER, "rnr_retry_count", __func__);
    if (result == DOCA_SUCCESS)
        rdma->rnr_retry = rnr_retry_count;
    return result;
}

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (send_queue_size == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "send_queue_size");
    *send_queue_size = rdma->send_queue;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (recv_queue_size == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "recv_queue_size");
    *recv_queue_size = rdma->recv_queue;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
                                                 uint32_t *max_send_buf_list_len)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (max_send_buf_list_len == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "max_send_buf_list_len");
    *max_send_buf_list_len = rdma->max_send_list;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (permissions == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "permissions");
    *permissions = rdma->permissions;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (grh_enabled == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "grh_enabled");
    *grh_enabled = rdma->grh;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (gid_index == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "gid_index");
    *gid_index = rdma->gid_index;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (sl == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "sl");
    *sl = rdma->sl;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
                                                      uint16_t *timeout)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (timeout == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "timeout");
    *timeout = rdma->request_timeout;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t *max_num_connections)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (max_num_connections == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "max_num_connections");
    *max_num_connections = rdma->max_conns;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (rnr_retry_count == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "rnr_retry_count");
    *rnr_retry_count = rdma->rnr_retry;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
                                                         uint32_t buf_list_len)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, buf_list_len, 1, RDMA_MAX_LIST, "buf_list_len", __func__);
    if (result == DOCA_SUCCESS)
        rdma->max_recv_list = buf_list_len;
    return result;
}

doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
                                                         uint32_t *buf_list_len)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (buf_list_len == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "buf_list_len");
    *buf_list_len = rdma->max_recv_list;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, (uint32_t)transport_type, DOCA_RDMA_TRANSPORT_TYPE_RC,
                         DOCA_RDMA_TRANSPORT_TYPE_DC, "transport_type", __func__);
    if (result == DOCA_SUCCESS && transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC)
        return CORE_FAIL(
            DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_RDMA, __func__, rdma->ctx.name, "transport_type",
            "DC" CORE_LIMIT "RC" CORE_REMEDY "use reliable connections, one for each peer");
    return result;
}

doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type *transport_type)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (transport_type == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "transport_type");
    *transport_type = DOCA_RDMA_TRANSPORT_TYPE_RC;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    result = check_value(rdma, (uint32_t)mtu, DOCA_MTU_SIZE_256_BYTES, DOCA_MTU_SIZE_RAW_ETHERNET,
                         "mtu", __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (mtu == DOCA_MTU_SIZE_RAW_ETHERNET)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_RDMA, __func__, rdma->ctx.name, "mtu",
                         "raw Ethernet" CORE_LIMIT "256 to 4096 bytes");
    rdma->mtu = mtu;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (mtu == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "mtu");
    *mtu = rdma->mtu;
    return DOCA_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/rxq_priv.h"

#include <stdlib.h>

doca_error_t eth_rxq_check_idle(struct doca_eth_rxq *rxq, const char *func)
{
    if (!core_is_live(CORE_LIVE_ETH_RXQ, rxq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "eth_rxq", rxq);
    return core_ctx_check_idle(&rxq->ctx, func);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

doca_error_t doca_eth_rxq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 uint32_t max_packet_size, struct doca_eth_rxq **eth_rxq)
{
    struct doca_eth_rxq *rxq;
    doca_error_t result;

    if (eth_rxq == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "eth_rxq");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, __func__, NULL, "dev",
                         "%p" CORE_LIMIT "an open device" CORE_REMEDY
                         "open it with doca_dev_open()",
                         (void *)dev);
    result =
        eth_check_range(NULL, "max_burst_size", max_burst_size, 1, ETH_RXQ_BURST_MAX, __func__);
    if (result == DOCA_SUCCESS)
        result = eth_check_range(NULL, "max_packet_size", max_packet_size, 1, SOFT_NIC_FRAME_MAX,
                                 __func__);
    if (result != DOCA_SUCCESS)
        return result;
    rxq = calloc(1, sizeof(*rxq));
    if (rxq == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_ETH, __func__, dev->info.name, "instance",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*rxq));
    core_ctx_init(&rxq->ctx, &eth_rxq_ctx_ops, dev);
    core_task_pool_init(&rxq->tasks, &rxq->ctx, &eth_rxq_recv_ops,
                        sizeof(struct doca_eth_rxq_task_recv));
    rxq->type = DOCA_ETH_RXQ_TYPE_REGULAR;
    rxq->burst = max_burst_size;
    rxq->max_packet = max_packet_size;
    rxq->max_list = 1;
    core_live_add(CORE_LIVE_ETH_RXQ, rxq);
    *eth_rxq = rxq;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_rxq_destroy(struct doca_eth_rxq *eth_rxq)
{
    doca_error_t result = eth_rxq_check_idle(eth_rxq, __func__);

    if (result == DOCA_SUCCESS)
        result = core_ctx_fini(&eth_rxq->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    eth_rxq_gpu_destroyed(eth_rxq);
    free(eth_rxq);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_eth_rxq_as_doca_ctx(struct doca_eth_rxq *eth_rxq)
{
    return eth_rxq != NULL ? &eth_rxq->ctx : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Settings
 */

#define FIELD(member) offsetof(struct doca_eth_rxq, member)

/* All numbers are uint32_t, whatever the API calls them. */
static doca_error_t set_number(struct doca_eth_rxq *rxq, size_t field, const char *attribute,
                               uint32_t value, uint32_t min, uint32_t max, const char *func)
{
    doca_error_t result = eth_rxq_check_idle(rxq, func);

    if (result == DOCA_SUCCESS)
        result = eth_check_range(&rxq->ctx, attribute, value, min, max, func);
    if (result == DOCA_SUCCESS)
        *(uint32_t *)((char *)rxq + field) = value;
    return result;
}

doca_error_t doca_eth_rxq_set_max_burst_size(struct doca_eth_rxq *eth_rxq, uint32_t max_burst_size)
{
    return set_number(eth_rxq, FIELD(burst), "max_burst_size", max_burst_size, 1, ETH_RXQ_BURST_MAX,
                      __func__);
}

doca_error_t doca_eth_rxq_set_max_packet_size(struct doca_eth_rxq *eth_rxq,
                                              uint32_t max_packet_size)
{
    return set_number(eth_rxq, FIELD(max_packet), "max_packet_size", max_packet_size, 1,
                      SOFT_NIC_FRAME_MAX, __func__);
}

doca_error_t doca_eth_rxq_set_metadata_num(struct doca_eth_rxq *eth_rxq, uint8_t metadata_num)
{
    return set_number(eth_rxq, FIELD(metadata_num), "metadata_num", metadata_num, 0,
                      SOFT_NIC_METADATA, __func__);
}

doca_error_t doca_eth_rxq_set_flow_tag(struct doca_eth_rxq *eth_rxq, uint8_t enable_flow_tag)
{
    return set_number(eth_rxq, FIELD(has_flow_tag), "enable_flow_tag", enable_flow_tag, 0,
                      UINT8_MAX, __func__);
}

doca_error_t doca_eth_rxq_set_rx_hash(struct doca_eth_rxq *eth_rxq, uint8_t enable_rx_hash)
{
    return set_number(eth_rxq, FIELD(has_rx_hash), "enable_rx_hash", enable_rx_hash, 0, UINT8_MAX,
                      __func__);
}

doca_error_t doca_eth_rxq_set_timestamp(struct doca_eth_rxq *eth_rxq, uint8_t enable_timestamp)
{
    return set_number(eth_rxq, FIELD(has_timestamp), "enable_timestamp", enable_timestamp, 0,
                      UINT8_MAX, __func__);
}

doca_error_t doca_eth_rxq_set_packet_headroom(struct doca_eth_rxq *eth_rxq, uint16_t head_size)
{
    return set_number(eth_rxq, FIELD(headroom), "head_size", head_size, 0, ETH_RXQ_ROOM_MAX,
                      __func__);
}

doca_error_t doca_eth_rxq_set_packet_tailroom(struct doca_eth_rxq *eth_rxq, uint16_t tail_size)
{
    return set_number(eth_rxq, FIELD(tailroom), "tail_size", tail_size, 0, ETH_RXQ_ROOM_MAX,
                      __func__);
}

doca_error_t doca_eth_rxq_set_max_recv_buf_list_len(struct doca_eth_rxq *eth_rxq,
                                                    uint32_t max_recv_buf_list_len)
{
    return set_number(eth_rxq, FIELD(max_list), "max_recv_buf_list_len", max_recv_buf_list_len, 1,
                      ETH_RXQ_LIST_MAX, __func__);
}

static doca_error_t check_pkt_buf(const struct doca_eth_rxq *rxq, const struct doca_mmap *mmap,
                                  uint32_t offset, uint32_t len, const char *func)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "mmap", mmap);
    if (mmap->state != CORE_MMAP_STARTED || mmap->peer != NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, mmap->name, "state",
                         "%s" CORE_LIMIT "started, memory of this process" CORE_REMEDY
                         "call doca_mmap_start() first",
                         mmap->peer != NULL ? "imported" : "not started");
    if (!core_mmap_has_dev(mmap, rxq->ctx.dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, mmap->name, "devices",
                         "without %s" CORE_REMEDY
                         "add it with doca_mmap_add_dev() before starting the map",
                         rxq->ctx.dev->info.name);
    if (len == 0 || offset > mmap->len || len > mmap->len - offset)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, mmap->name, "range",
                         "%u bytes from %u on" CORE_LIMIT "%zu bytes of the map", len, offset,
                         mmap->len);
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_rxq_set_pkt_buf(struct doca_eth_rxq *eth_rxq, struct doca_mmap *mmap,
                                      uint32_t mmap_offset, uint32_t mmap_len)
{
    doca_error_t result = eth_rxq_check_idle(eth_rxq, __func__);

    if (result == DOCA_SUCCESS)
        result = check_pkt_buf(eth_rxq, mmap, mmap_offset, mmap_len, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    eth_rxq->mmap = mmap;
    eth_rxq->mem = mmap->addr + mmap_offset;
    eth_rxq->mem_len = mmap_len;
    soft_gpu_put(eth_rxq->gpu.packets);
    eth_rxq->gpu.packets = soft_gpu_find(eth_rxq->mem, mmap_len);
    eth_rxq->gpu.key = core_mmap_key(mmap, eth_rxq->ctx.dev);
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_rxq_set_type(struct doca_eth_rxq *eth_rxq, enum doca_eth_rxq_type type)
{
    doca_error_t result = eth_rxq_check_idle(eth_rxq, __func__);

    if (result == DOCA_SUCCESS)
        result = eth_check_range(&eth_rxq->ctx, "type", (uint32_t)type, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                 DOCA_ETH_RXQ_TYPE_REGULAR, __func__);
    if (result == DOCA_SUCCESS)
        eth_rxq->type = type;
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * While it runs
 */

static doca_error_t check_running(struct doca_eth_rxq *rxq, const char *func)
{
    if (!core_is_live(CORE_LIVE_ETH_RXQ, rxq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "eth_rxq", rxq);
    return eth_check_running(&rxq->ctx, func);
}

doca_error_t doca_eth_rxq_set_notification_moderation(struct doca_eth_rxq *eth_rxq,
                                                      uint16_t period_usec, uint16_t comp_count)
{
    doca_error_t result = check_running(eth_rxq, __func__);

    /* Queues of kernels have no events that somebody could sleep for. */
    if (result == DOCA_SUCCESS && eth_rxq->ctx.gpu == NULL)
        soft_nic_rxq_moderate(eth_rxq->queue, comp_count, period_usec * 1000ull);
    return result;
}

doca_error_t doca_eth_rxq_apply_queue_id(struct doca_eth_rxq *eth_rxq, uint16_t queue_id)
{
    doca_error_t result = check_running(eth_rxq, __func__);
    int err;

    if (result != DOCA_SUCCESS)
        return result;
    if (eth_rxq->id_is_applied)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_ETH, __func__, eth_rxq->ctx.name, "queue_id",
                         "%u, after %u" CORE_LIMIT "once" CORE_REMEDY
                         "stop and start the queue to choose again",
                         queue_id, soft_nic_rxq_id(eth_rxq->queue));
    err = soft_nic_rxq_set_id(eth_rxq->queue, queue_id);
    if (err != 0)
        return CORE_FAIL(DOCA_ERROR_ALREADY_EXIST, CORE_LOG_ETH, __func__, eth_rxq->ctx.name,
                         "queue_id", "%u" CORE_REMEDY "another queue of the device has it",
                         queue_id);
    eth_rxq->id_is_applied = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_rxq_get_hw_queue_num(struct doca_eth_rxq *eth_rxq, uint32_t *hw_queue_num)
{
    doca_error_t result;

    if (hw_queue_num == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "hw_queue_num");
    result = check_running(eth_rxq, __func__);
    if (result == DOCA_SUCCESS)
        *hw_queue_num = soft_nic_rxq_number(eth_rxq->queue);
    return result;
}

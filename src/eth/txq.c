/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/txq_priv.h"

#include <stdlib.h>

doca_error_t eth_txq_check_idle(struct doca_eth_txq *txq, const char *func)
{
    if (!core_is_live(CORE_LIVE_ETH_TXQ, txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "eth_txq", txq);
    return core_ctx_check_idle(&txq->ctx, func);
}

doca_error_t eth_txq_check_running(struct doca_eth_txq *txq, const char *func)
{
    if (!core_is_live(CORE_LIVE_ETH_TXQ, txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "eth_txq", txq);
    return eth_check_running(&txq->ctx, func);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

doca_error_t doca_eth_txq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 struct doca_eth_txq **eth_txq)
{
    struct doca_eth_txq *txq;
    doca_error_t result;

    if (eth_txq == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "eth_txq");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, __func__, NULL, "dev",
                         "%p" CORE_LIMIT "an open device" CORE_REMEDY
                         "open it with doca_dev_open()",
                         (void *)dev);
    result =
        eth_check_range(NULL, "max_burst_size", max_burst_size, 1, ETH_TXQ_BURST_MAX, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    txq = calloc(1, sizeof(*txq));
    if (txq == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_ETH, __func__, dev->info.name, "instance",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*txq));
    core_ctx_init(&txq->ctx, &eth_txq_ctx_ops, dev);
    core_task_pool_init(&txq->sends, &txq->ctx, &eth_txq_send_ops,
                        sizeof(struct doca_eth_txq_task_send));
    core_task_pool_init(&txq->lsos, &txq->ctx, &eth_txq_lso_ops,
                        sizeof(struct doca_eth_txq_task_lso_send));
    txq->burst = max_burst_size;
    txq->max_list = 1;
    txq->mss = 1500;
    txq->max_header = 74;
    txq->lso_batches.is_lso = true;
    core_live_add(CORE_LIVE_ETH_TXQ, txq);
    *eth_txq = txq;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_destroy(struct doca_eth_txq *eth_txq)
{
    doca_error_t result = eth_txq_check_idle(eth_txq, __func__);

    if (result == DOCA_SUCCESS)
        result = core_ctx_fini(&eth_txq->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    eth_txq_gpu_destroyed(eth_txq);
    free(eth_txq);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_eth_txq_as_doca_ctx(struct doca_eth_txq *eth_txq)
{
    return eth_txq != NULL ? &eth_txq->ctx : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Settings
 */

#define FIELD(member) offsetof(struct doca_eth_txq, member)

/* All numbers are uint32_t, whatever the API calls them. */
static doca_error_t set_number(struct doca_eth_txq *txq, size_t field, const char *attribute,
                               uint32_t value, uint32_t min, uint32_t max, const char *func)
{
    doca_error_t result = eth_txq_check_idle(txq, func);

    if (result == DOCA_SUCCESS)
        result = eth_check_range(&txq->ctx, attribute, value, min, max, func);
    if (result == DOCA_SUCCESS)
        *(uint32_t *)((char *)txq + field) = value;
    return result;
}

doca_error_t doca_eth_txq_set_max_burst_size(struct doca_eth_txq *eth_txq, uint32_t max_burst_size)
{
    return set_number(eth_txq, FIELD(burst), "max_burst_size", max_burst_size, 1, ETH_TXQ_BURST_MAX,
                      __func__);
}

doca_error_t doca_eth_txq_set_max_send_buf_list_len(struct doca_eth_txq *eth_txq,
                                                    uint32_t max_send_buf_list_len)
{
    return set_number(eth_txq, FIELD(max_list), "max_send_buf_list_len", max_send_buf_list_len, 1,
                      ETH_TXQ_LIST_MAX, __func__);
}

doca_error_t doca_eth_txq_set_metadata_num(struct doca_eth_txq *eth_txq, uint8_t metadata_num)
{
    return set_number(eth_txq, FIELD(metadata_num), "metadata_num", metadata_num, 0,
                      SOFT_NIC_METADATA, __func__);
}

doca_error_t doca_eth_txq_set_mss(struct doca_eth_txq *eth_txq, uint16_t mss)
{
    return set_number(eth_txq, FIELD(mss), "mss", mss, 1, UINT16_MAX, __func__);
}

doca_error_t doca_eth_txq_set_max_lso_header_size(struct doca_eth_txq *eth_txq,
                                                  uint16_t max_lso_header_size)
{
    return set_number(eth_txq, FIELD(max_header), "max_lso_header_size", max_lso_header_size,
                      ETH_TXQ_LSO_HEADER_MIN, ETH_TXQ_LSO_HEADER_MAX, __func__);
}

doca_error_t doca_eth_txq_set_type(struct doca_eth_txq *eth_txq, enum doca_eth_txq_type type)
{
    doca_error_t result = eth_txq_check_idle(eth_txq, __func__);

    if (result == DOCA_SUCCESS)
        result = eth_check_range(&eth_txq->ctx, "type", (uint32_t)type, DOCA_ETH_TXQ_TYPE_REGULAR,
                                 DOCA_ETH_TXQ_TYPE_REGULAR, __func__);
    return result;
}

static doca_error_t set_offload(struct doca_eth_txq *txq, uint16_t flag, bool on, const char *func)
{
    doca_error_t result = eth_txq_check_idle(txq, func);

    if (result == DOCA_SUCCESS)
        txq->ol_flags = (uint16_t)(on ? txq->ol_flags | flag : txq->ol_flags & ~flag);
    return result;
}

doca_error_t doca_eth_txq_set_l3_chksum_offload(struct doca_eth_txq *eth_txq,
                                                uint8_t enable_l3_chksum)
{
    return set_offload(eth_txq, DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM, enable_l3_chksum != 0, __func__);
}

doca_error_t doca_eth_txq_set_l4_chksum_offload(struct doca_eth_txq *eth_txq,
                                                uint8_t enable_l4_chksum)
{
    return set_offload(eth_txq, DOCA_ETH_TXQ_OL_FLAGS_L4_CSUM, enable_l4_chksum != 0, __func__);
}

/* ------------------------------------------------------------------------------------------------
 * While it runs
 */

doca_error_t doca_eth_txq_apply_queue_id(struct doca_eth_txq *eth_txq, uint16_t queue_id)
{
    doca_error_t result = eth_txq_check_running(eth_txq, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (eth_txq->id_is_applied)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_ETH, __func__, eth_txq->ctx.name, "queue_id",
                         "%u, after %u" CORE_LIMIT "once" CORE_REMEDY
                         "stop and start the queue to choose again",
                         queue_id, eth_txq->id);
    /* Nothing is steered by it: what is sent is never filtered. */
    eth_txq->id_is_applied = true;
    eth_txq->id = queue_id;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_get_hw_queue_num(struct doca_eth_txq *eth_txq, uint32_t *hw_queue_num)
{
    doca_error_t result;

    if (hw_queue_num == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "hw_queue_num");
    result = eth_txq_check_running(eth_txq, __func__);
    if (result == DOCA_SUCCESS)
        *hw_queue_num = eth_txq->gpu.queue != NULL ? soft_nic_ring_txq_number(eth_txq->gpu.queue)
                                                   : soft_nic_txq_number(eth_txq->queue);
    return result;
}

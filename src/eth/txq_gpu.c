/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/txq_priv.h"

static doca_error_t refuse_gpu(const struct doca_eth_txq *txq, const char *func)
{
    if (!core_is_live(CORE_LIVE_ETH_TXQ, txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "eth_txq", txq);
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, txq->ctx.name, "data path",
                     "on the CPU" CORE_LIMIT "on a GPU" CORE_REMEDY "send packets with tasks");
}

static doca_error_t refuse_time(const struct doca_eth_txq *txq, const char *func)
{
    if (!core_is_live(CORE_LIVE_ETH_TXQ, txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "eth_txq", txq);
    return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_ETH, func, txq->ctx.name, "wait on time",
                     "with the data path on the CPU" CORE_LIMIT "on a GPU");
}

/* There are no events of this kind yet, so every one that reaches these calls is not ours. */
static doca_error_t refuse_event(const void *event, const char *func)
{
    if (event == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, func, "event");
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, NULL, "event",
                     "%p" CORE_LIMIT "of a queue whose data path is on a GPU", event);
}

doca_error_t doca_eth_txq_set_wait_on_time_offload(struct doca_eth_txq *eth_txq)
{
    return refuse_time(eth_txq, __func__);
}

doca_error_t doca_eth_txq_calculate_timestamp(struct doca_eth_txq *eth_txq, uint64_t timestamp_ns,
                                              uint64_t *wait_on_time_value)
{
    (void)timestamp_ns;
    (void)wait_on_time_value;
    return refuse_time(eth_txq, __func__);
}

doca_error_t doca_eth_txq_get_gpu_handle(const struct doca_eth_txq *eth_txq,
                                         struct doca_gpu_eth_txq **eth_txq_ext)
{
    (void)eth_txq_ext;
    return refuse_gpu(eth_txq, __func__);
}

doca_error_t doca_eth_txq_gpu_event_error_send_packet_register(
    struct doca_eth_txq *eth_txq,
    doca_eth_txq_gpu_event_error_send_packet_cb_t event_error_send_packet_cb,
    union doca_data event_user_data)
{
    (void)event_error_send_packet_cb;
    (void)event_user_data;
    return refuse_gpu(eth_txq, __func__);
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_register(
    struct doca_eth_txq *eth_txq,
    doca_eth_txq_gpu_event_notify_send_packet_cb_t event_notify_send_packet_cb,
    union doca_data event_user_data)
{
    (void)event_notify_send_packet_cb;
    (void)event_user_data;
    return refuse_gpu(eth_txq, __func__);
}

doca_error_t doca_eth_txq_gpu_event_error_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_error_send_packet *event_error, uint16_t *packet_index)
{
    (void)packet_index;
    return refuse_event(event_error, __func__);
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event_notify, uint16_t *packet_index)
{
    (void)packet_index;
    return refuse_event(event_notify, __func__);
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event_notify,
    uint64_t *packet_timestamp)
{
    (void)packet_timestamp;
    return refuse_event(event_notify, __func__);
}

doca_error_t doca_eth_txq_gpu_set_completion_on_gpu(struct doca_eth_txq *eth_txq)
{
    return refuse_gpu(eth_txq, __func__);
}

doca_error_t doca_eth_txq_gpu_set_uar_on_cpu(struct doca_eth_txq *eth_txq)
{
    return refuse_gpu(eth_txq, __func__);
}

doca_error_t doca_eth_txq_gpu_set_sq_mem_type(struct doca_eth_txq *eth_txq,
                                              enum doca_gpu_mem_type sq_mem_type)
{
    (void)sq_mem_type;
    return refuse_gpu(eth_txq, __func__);
}

doca_error_t doca_eth_txq_gpu_cpu_proxy_progress(struct doca_eth_txq *txq)
{
    return refuse_gpu(txq, __func__);
}

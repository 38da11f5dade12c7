/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of send queues of kernels. The software NIC writes records for them as it would for a
 * kernel, into a ring twice as large as the queue: at most a queue's worth of them waits, so that
 * the one that is read here is never the next to be overwritten. Older ones are lost and counted.
 */

#include "eth/txq_priv.h"

#include <doca_gpunetio_eth_def.h>
#include <impl/opendoca_gpu_barrier.h>

struct doca_eth_txq_gpu_event_error_send_packet {
    uint16_t position;
};

struct doca_eth_txq_gpu_event_notify_send_packet {
    uint16_t position;
    uint64_t time;
};

doca_error_t doca_eth_txq_gpu_event_error_send_packet_register(
    struct doca_eth_txq *eth_txq,
    doca_eth_txq_gpu_event_error_send_packet_cb_t event_error_send_packet_cb,
    union doca_data event_user_data)
{
    doca_error_t result = eth_txq_check_idle(eth_txq, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (event_error_send_packet_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "event_error_send_packet_cb");
    eth_txq->gpu.error_cb = event_error_send_packet_cb;
    eth_txq->gpu.error_data = event_user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_register(
    struct doca_eth_txq *eth_txq,
    doca_eth_txq_gpu_event_notify_send_packet_cb_t event_notify_send_packet_cb,
    union doca_data event_user_data)
{
    doca_error_t result = eth_txq_check_idle(eth_txq, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (event_notify_send_packet_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "event_notify_send_packet_cb");
    eth_txq->gpu.notify_cb = event_notify_send_packet_cb;
    eth_txq->gpu.notify_data = event_user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_gpu_event_error_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_error_send_packet *event_error, uint16_t *packet_index)
{
    if (event_error == NULL || packet_index == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__,
                              event_error == NULL ? "event_error" : "packet_index");
    *packet_index = event_error->position;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event_notify, uint16_t *packet_index)
{
    if (event_notify == NULL || packet_index == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__,
                              event_notify == NULL ? "event_notify" : "packet_index");
    *packet_index = event_notify->position;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event_notify,
    uint64_t *packet_timestamp)
{
    if (event_notify == NULL || packet_timestamp == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__,
                              event_notify == NULL ? "event_notify" : "packet_timestamp");
    *packet_timestamp = event_notify->time;
    return DOCA_SUCCESS;
}

static uint64_t count_records(const struct doca_eth_txq *txq)
{
    return opendoca_gpu_observe(&((struct opendoca_gpu_tx_words *)txq->gpu.words->cpu)->completed);
}

bool eth_txq_event_is_due(const struct doca_eth_txq *txq)
{
    return !txq->gpu.completes_on_gpu && txq->gpu.queue != NULL &&
           count_records(txq) != txq->gpu.seen;
}

static bool deliver(struct doca_eth_txq *txq, uint64_t tail, uint64_t time_be)
{
    struct doca_eth_txq_gpu_event_error_send_packet error = {opendoca_gpu_cqe_counter(tail)};
    struct doca_eth_txq_gpu_event_notify_send_packet notify = {opendoca_gpu_cqe_counter(tail),
                                                               opendoca_gpu_time_from_be(time_be)};

    if (opendoca_gpu_cqe_opcode(tail) == OPENDOCA_GPU_CQE_TX_ERROR) {
        if (txq->gpu.error_cb == NULL)
            return false;
        txq->gpu.error_cb(&error, txq->gpu.error_data);
    } else {
        if (txq->gpu.notify_cb == NULL)
            return false;
        txq->gpu.notify_cb(&notify, txq->gpu.notify_data);
    }
    return true;
}

/* Forgets the oldest when more wait than the queue has slots. */
static void drop_oldest(struct doca_eth_txq *txq, uint64_t completed)
{
    uint64_t waiting = completed - txq->gpu.seen;

    if (od_likely(waiting <= txq->gpu.num))
        return;
    soft_nic_ring_txq_lost(txq->gpu.queue, waiting - txq->gpu.num);
    txq->gpu.seen = completed - txq->gpu.num;
}

bool eth_txq_event_step(struct doca_eth_txq *txq)
{
    while (eth_txq_event_is_due(txq)) {
        const struct opendoca_gpu_cqe *cqe;
        uint64_t tail, time_be;

        drop_oldest(txq, count_records(txq));
        cqe =
            (struct opendoca_gpu_cqe *)txq->gpu.cqes->cpu + (txq->gpu.seen & (txq->gpu.ncqes - 1));
        tail = opendoca_gpu_observe(&cqe->tail);
        time_be = opendoca_gpu_peek(&cqe->time_be);
        if (od_unlikely(count_records(txq) - txq->gpu.seen >= txq->gpu.ncqes))
            continue; /* overwritten meanwhile */
        txq->gpu.seen++;
        if (deliver(txq, tail, time_be))
            return true;
    }
    return false;
}

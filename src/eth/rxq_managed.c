/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool of a MANAGED_MEMPOOL queue: each buffer is free, with the port, or with the program. */

#include "eth/rxq_priv.h"

#include <errno.h>

#define FETCH_AHEAD 4u /* slots */

uint64_t eth_rxq_managed_stride(uint32_t headroom, uint32_t max_packet, uint32_t tailroom)
{
    return ETH_ALIGN64((uint64_t)headroom + max_packet + tailroom);
}

int eth_rxq_managed_open(struct doca_eth_rxq *rxq)
{
    /* As short as check_start() has it. */
    uint32_t stride =
        (uint32_t)eth_rxq_managed_stride(rxq->headroom, rxq->max_packet, rxq->tailroom);

    rxq->nbufs = (uint32_t)(rxq->mem_len / stride);
    rxq->bufs = core_pkt_bufs_create(rxq->mmap, rxq->mem, stride, stride, rxq->nbufs);
    if (rxq->bufs == NULL)
        return soft_fail(-ENOMEM, "no memory for %u buffers", rxq->nbufs);
    if (rxq->batch_cb == NULL || eth_rxq_batch_open(rxq) == 0)
        return 0;
    eth_rxq_managed_close(rxq);
    return soft_fail(-ENOMEM, "no memory for batches of %u buffers", rxq->nbufs);
}

void eth_rxq_managed_close(struct doca_eth_rxq *rxq)
{
    eth_rxq_batch_close(rxq);
    core_pkt_bufs_destroy(rxq->bufs);
    rxq->bufs = NULL;
}

void eth_rxq_managed_refill(struct doca_eth_rxq *rxq)
{
    struct soft_nic_post *post;
    struct doca_buf *buf;

    while ((post = soft_nic_rxq_next(rxq->queue)) != NULL &&
           (buf = core_pkt_buf_take(rxq->bufs)) != NULL) {
        if (rxq->owners != NULL)
            eth_rxq_batch_returned(rxq, buf);
        post->cookie = buf;
        post->place = (struct soft_nic_piece){buf->head + rxq->headroom, rxq->max_packet};
        soft_nic_rxq_post(rxq->queue);
    }
}

struct doca_buf *eth_rxq_managed_pkt(const struct doca_eth_rxq *rxq,
                                     const struct soft_nic_post *post)
{
    struct doca_buf *buf = post->cookie;

    buf->data = buf->head + rxq->headroom;
    buf->data_len = post->len;
    return buf;
}

/* Slots of a ring may have been written by another core. The program looks at this one when it has
 * dealt with those before. */
static void fetch_slot(const struct doca_eth_rxq *rxq)
{
    if (rxq->type == DOCA_ETH_RXQ_TYPE_CYCLIC && soft_nic_rxq_ready(rxq->queue) > FETCH_AHEAD)
        __builtin_prefetch(soft_nic_rxq_peek(rxq->queue, FETCH_AHEAD)->place.addr);
}

bool eth_rxq_managed_step(struct doca_eth_rxq *rxq)
{
    struct soft_nic_post *post = soft_nic_rxq_take(rxq->queue);
    struct doca_eth_rxq_event_managed_recv event;
    struct soft_nic_meta meta;
    struct doca_buf *buf;

    if (post == NULL)
        return false;
    fetch_slot(rxq);
    buf = eth_rxq_managed_pkt(rxq, post);
    meta = post->meta;
    soft_nic_rxq_done(rxq->queue);
    event.packet = (struct eth_packet){.rxq = rxq, .buf = buf, .meta = &meta};
    event.status = DOCA_SUCCESS;
    rxq->ctx.callback_depth++;
    rxq->event_cb(&event, buf, rxq->event_data);
    rxq->ctx.callback_depth--;
    return true;
}

void eth_rxq_managed_drop(struct doca_eth_rxq *rxq)
{
    struct soft_nic_post *post;

    while ((post = soft_nic_rxq_take(rxq->queue)) != NULL) {
        core_pkt_buf_put(post->cookie);
        soft_nic_rxq_done(rxq->queue);
    }
}

static doca_error_t check_register(struct doca_eth_rxq *rxq, const void *other, const char *func)
{
    doca_error_t result = eth_rxq_check_idle(rxq, func);

    if (result == DOCA_SUCCESS && other != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, rxq->ctx.name,
                         "registration",
                         "after another one" CORE_LIMIT "single packets or batches" CORE_REMEDY
                         "decide for one of them");
    return result;
}

doca_error_t doca_eth_rxq_event_managed_recv_register(
    struct doca_eth_rxq *eth_rxq, union doca_data user_data,
    doca_eth_rxq_event_managed_recv_handler_cb_t success_event_handler,
    doca_eth_rxq_event_managed_recv_handler_cb_t error_event_handler)
{
    doca_error_t result;

    if (success_event_handler == NULL || error_event_handler == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "handler");
    result = eth_rxq_check_idle(eth_rxq, __func__);
    if (result == DOCA_SUCCESS)
        result = check_register(eth_rxq, (const void *)eth_rxq->batch_cb, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    eth_rxq->event_cb = success_event_handler;
    eth_rxq->event_error_cb = error_event_handler;
    eth_rxq->event_data = user_data;
    return DOCA_SUCCESS;
}

static doca_error_t check_numbers(const struct doca_eth_rxq *rxq, unsigned int max,
                                  unsigned int min, const char *func)
{
    if (max <= DOCA_EVENT_BATCH_EVENTS_NUMBER_128 && min <= max)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, rxq->ctx.name, "events_number",
                     "at most %u, at least %u" CORE_LIMIT
                     "values of enum doca_event_batch_events_number, the least not above the most",
                     max, min);
}

doca_error_t doca_eth_rxq_event_batch_managed_recv_register(
    struct doca_eth_rxq *eth_rxq, enum doca_event_batch_events_number events_number_max,
    enum doca_event_batch_events_number events_number_min, union doca_data user_data,
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t success_event_batch_handler,
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t error_event_batch_handler)
{
    doca_error_t result;

    if (success_event_batch_handler == NULL || error_event_batch_handler == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "handler");
    result = eth_rxq_check_idle(eth_rxq, __func__);
    if (result == DOCA_SUCCESS)
        result = check_numbers(eth_rxq, events_number_max, events_number_min, __func__);
    if (result == DOCA_SUCCESS)
        result = check_register(eth_rxq, (const void *)eth_rxq->event_cb, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    eth_rxq->batch_cb = success_event_batch_handler;
    eth_rxq->batch_error_cb = error_event_batch_handler;
    eth_rxq->batch_max = 1u << events_number_max;
    eth_rxq->batch_min = 1u << events_number_min;
    eth_rxq->event_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_rxq_event_managed_recv_get_status(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv)
{
    if (event_managed_recv == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "event_managed_recv");
    return event_managed_recv->status;
}

struct doca_ctx *doca_eth_rxq_event_managed_recv_get_ctx(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv)
{
    return event_managed_recv != NULL
               ? (struct doca_ctx *)(uintptr_t)&event_managed_recv->packet.rxq->ctx
               : NULL;
}

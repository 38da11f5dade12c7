/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets in batches: the arrays that callbacks are given, and when they may be used again. */

#include "eth/rxq_priv.h"

#include <errno.h>
#include <stdlib.h>

static size_t array_size(const struct doca_eth_rxq *rxq)
{
    return ETH_ALIGN64(sizeof(struct eth_array) + rxq->batch_max * sizeof(struct doca_buf *));
}

int eth_rxq_batch_open(struct doca_eth_rxq *rxq)
{
    /* Each array that is out holds at least so many buffers. */
    uint32_t num = rxq->nbufs / rxq->batch_min + 1;

    rxq->array_memory = calloc(num, array_size(rxq));
    rxq->owners = calloc(rxq->nbufs, sizeof(struct eth_array *));
    rxq->batch = calloc(1, sizeof(*rxq->batch));
    if (rxq->array_memory == NULL || rxq->owners == NULL || rxq->batch == NULL)
        return -ENOMEM;
    for (uint32_t i = num; i-- > 0;) {
        struct eth_array *array = (void *)((char *)rxq->array_memory + i * array_size(rxq));

        array->rxq = rxq;
        array->next = rxq->free_arrays;
        rxq->free_arrays = array;
    }
    return 0;
}

void eth_rxq_batch_close(struct doca_eth_rxq *rxq)
{
    free(rxq->array_memory);
    free(rxq->owners);
    free(rxq->batch);
    rxq->array_memory = NULL;
    rxq->owners = NULL;
    rxq->batch = NULL;
    rxq->free_arrays = NULL;
}

void eth_rxq_batch_returned(struct doca_eth_rxq *rxq, struct doca_buf *buf)
{
    uint32_t index = core_pkt_buf_index(rxq->bufs, buf);
    struct eth_array *array = rxq->owners[index];

    rxq->owners[index] = NULL;
    if (array == NULL || --array->out > 0)
        return;
    array->next = rxq->free_arrays;
    rxq->free_arrays = array;
}

static struct eth_array *fill_array(struct doca_eth_rxq *rxq, uint32_t num)
{
    struct eth_array *array = rxq->free_arrays;

    rxq->free_arrays = array->next;
    array->num = num;
    array->out = num;
    for (uint32_t i = 0; i < num; i++) {
        struct doca_buf *buf = eth_rxq_managed_pkt(rxq, soft_nic_rxq_peek(rxq->queue, i));

        array->pkts[i] = buf;
        rxq->owners[core_pkt_buf_index(rxq->bufs, buf)] = array;
    }
    return array;
}

static void call(struct doca_eth_rxq *rxq, struct eth_array *array)
{
    rxq->batch->rxq = rxq;
    rxq->batch->num = array->num;
    rxq->batch->pkts = array->pkts;
    rxq->ctx.callback_depth++;
    rxq->batch_cb(rxq->batch, (uint16_t)array->num, rxq->event_data, DOCA_SUCCESS, array->pkts);
    rxq->ctx.callback_depth--;
}

bool eth_rxq_batch_step(struct doca_eth_rxq *rxq)
{
    uint32_t num = soft_nic_rxq_ready(rxq->queue);
    struct eth_array *array;

    if (num < rxq->batch_max) {
        soft_nic_rxq_drive(rxq->queue);
        num = soft_nic_rxq_ready(rxq->queue);
    }
    if (num < rxq->batch_min || rxq->free_arrays == NULL)
        return false;
    num = OD_MIN(num, rxq->batch_max);
    array = fill_array(rxq, num);
    /* The program may stop the context in the callback: then the queue must not have them any more.
     * What is known of them stays readable: places are filled again only after the next refill. */
    for (uint32_t i = 0; i < num; i++)
        rxq->batch->metas[i] = &soft_nic_rxq_peek(rxq->queue, i)->meta;
    for (uint32_t i = 0; i < num; i++)
        soft_nic_rxq_done(rxq->queue);
    call(rxq, array);
    return true;
}

void doca_eth_rxq_event_batch_managed_recv_pkt_array_free(struct doca_buf **pkt_array)
{
    struct eth_array *array;
    uint32_t num;

    if (pkt_array == NULL)
        return;
    array = OD_CONTAINER_OF(pkt_array, struct eth_array, pkts);
    num = array->num;
    for (uint32_t i = 0; i < num; i++) {
        if (pkt_array[i] != NULL && pkt_array[i]->refcount != 0)
            doca_buf_dec_refcount(pkt_array[i], NULL);
    }
}

struct doca_ctx *doca_eth_rxq_event_batch_managed_recv_get_ctx(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv)
{
    return event_batch_managed_recv != NULL ? &event_batch_managed_recv->rxq->ctx : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* CYCLIC on the CPU: the slots of the ring are used in turn, and again after all others, whether or
 * not the program still looks at them. A slot's buffer belongs to the queue. */

#include "eth/rxq_priv.h"

#include <errno.h>

uint32_t eth_rxq_cyclic_slots(const struct doca_eth_rxq *rxq)
{
    uint32_t slots = 1;

    while (slots < rxq->burst)
        slots *= 2;
    return slots;
}

int eth_rxq_cyclic_open(struct doca_eth_rxq *rxq)
{
    rxq->nbufs = eth_rxq_cyclic_slots(rxq);
    rxq->next_slot = 0;
    rxq->bufs =
        core_pkt_bufs_create(rxq->mmap, rxq->mem, rxq->max_packet, rxq->max_packet, rxq->nbufs);
    return rxq->bufs != NULL ? 0 : soft_fail(-ENOMEM, "no memory for %u slots", rxq->nbufs);
}

void eth_rxq_cyclic_refill(struct doca_eth_rxq *rxq)
{
    struct soft_nic_post *post;

    while ((post = soft_nic_rxq_next(rxq->queue)) != NULL) {
        struct doca_buf *buf = core_pkt_buf_at(rxq->bufs, rxq->next_slot);

        /* New ones, and those that the program gave back although it need not. */
        while (core_pkt_buf_take(rxq->bufs) != NULL)
            ;
        rxq->next_slot = (rxq->next_slot + 1) & (rxq->nbufs - 1);
        post->cookie = buf;
        post->place = (struct soft_nic_piece){buf->head, rxq->max_packet};
        soft_nic_rxq_post(rxq->queue);
    }
}

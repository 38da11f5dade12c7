/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive queues of kernels: packet n goes to slot n, as long as the kernel has granted it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <impl/opendoca_gpu_barrier.h>

#include "soft/nic/nic_priv.h"

int soft_nic_rxq_open_ring(struct soft_nic_port *port, const struct soft_nic_rx_ring *ring,
                           struct soft_nic_rxq **out)
{
    const struct soft_nic_rxq_conf conf = {.depth = 1};
    const struct soft_nic_area area = {ring->slots, ring->num, ring->stride};
    struct soft_nic_stage *stage = NULL;
    struct soft_nic_rxq *rxq;
    int err = soft_nic_engine_hold(port);

    if (err != 0)
        return err;
    err = soft_nic_rxq_open(port, &conf, &rxq);
    if (err != 0)
        goto err_release;
    if (ring->slots == NULL) {
        err = soft_nic_stage_open(ring, &stage);
        if (err != 0)
            goto err_close;
    }
    soft_nic_port_lock(port);
    rxq->ring = *ring;
    rxq->stage = stage;
    port->nstages += stage != NULL;
    /* Received right into slots, what is too long is lost before it is seen. */
    err = stage == NULL && !ring->tells_oversize ? soft_nic_place(rxq, &area) : 0;
    if (err != 0)
        rxq->ring.num = 0;
    soft_nic_port_unlock(port);
    if (err != 0)
        goto err_close;
    soft_nic_engine_receives(port, 1);
    *out = rxq;
    return 0;

err_close:
    soft_nic_rxq_close(rxq);
err_release:
    soft_nic_engine_release(port);
    return err;
}

uint32_t soft_nic_ring_room(const struct soft_nic_rxq *rxq)
{
    uint64_t filled = atomic_load_explicit(&rxq->filled, memory_order_relaxed);
    uint64_t room = opendoca_gpu_observe(&rxq->ring.words->posted) - filled;

    /* More than there are: the kernel wrote something else there. */
    if (od_unlikely(room > rxq->ring.num))
        return 0;
    if (rxq->stage != NULL)
        room = OD_MIN(room, (uint64_t)soft_nic_stage_room(rxq->stage));
    return (uint32_t)room;
}

static void write_record(const struct soft_nic_rxq *rxq, uint64_t n, uint32_t len,
                         const struct soft_nic_meta *meta)
{
    const struct soft_nic_rx_ring *ring = &rxq->ring;
    uint64_t *words = (uint64_t *)&ring->cqes[n & (ring->num - 1)];
    unsigned int owner = (n & ring->num) != 0 ? 1 : 0;
    bool fits = len <= ring->stride;

    opendoca_gpu_poke(&words[0], (uint64_t)opendoca_gpu_swap16((uint16_t)n) << 16 |
                                     (uint64_t)meta->hash << 32);
    opendoca_gpu_poke(&words[1], meta->mark);
    opendoca_gpu_poke(&words[4], rxq->number);
    opendoca_gpu_poke(&words[5], (uint64_t)opendoca_gpu_swap32(len) << 32);
    opendoca_gpu_poke(&words[6], od_likely(fits)
                                     ? opendoca_gpu_time_to_be(meta->time)
                                     : opendoca_gpu_syndromes(0, OPENDOCA_GPU_SYNDROME_LENGTH));
    opendoca_gpu_publish(
        &words[7],
        opendoca_gpu_cqe_tail(od_likely(fits) ? OPENDOCA_GPU_CQE_RX : OPENDOCA_GPU_CQE_RX_ERROR,
                              owner, (uint16_t)n));
}

void soft_nic_ring_tell(struct soft_nic_rxq *rxq, uint64_t n, uint32_t len,
                        const struct soft_nic_meta *meta)
{
    write_record(rxq, n, len, meta);
    opendoca_gpu_poke(&rxq->ring.words->stored, n + 1);
}

static bool is_broken(const struct soft_nic_rxq *rxq)
{
    const struct soft_nic_rx_ring *ring = &rxq->ring;

    if (od_likely(opendoca_gpu_peek32(ring->magic) == OPENDOCA_GPU_RXQ_MAGIC))
        return false;
    opendoca_gpu_poke(&ring->words->state, OPENDOCA_GPU_QUEUE_BROKEN);
    return true;
}

/* False: there is no room for it after all. */
static bool put(struct soft_nic_rxq *rxq, uint64_t n, const struct soft_nic_frame *frame,
                const struct soft_nic_meta *meta)
{
    const struct soft_nic_rx_ring *ring = &rxq->ring;
    char *slot = ring->slots + (n & (ring->num - 1)) * ring->stride;

    if (rxq->stage != NULL)
        return soft_nic_stage_put(rxq, frame, meta);
    if (frame->len <= ring->stride &&
        frame->data != (const uint8_t *)slot) /* or it was received there */
        memmove(slot, frame->data, frame->len);
    soft_nic_ring_tell(rxq, n, frame->len, meta);
    return true;
}

static void count_delivered(struct soft_nic_rxq *rxq, const struct soft_nic_frame *frame,
                            const struct soft_nic_meta *meta)
{
    if (soft_nic_is_tapped(rxq->port))
        soft_nic_tap_rx(rxq->port, frame, meta->time, rxq->id);
    soft_nic_rxq_count(rxq, SOFT_NIC_RX_DELIVERED, frame->len);
}

void soft_nic_ring_deliver(struct soft_nic_rxq *rxq, const struct soft_nic_frame *frame,
                           const struct soft_nic_meta *meta)
{
    const struct soft_nic_rx_ring *ring = &rxq->ring;
    uint64_t n = atomic_load_explicit(&rxq->filled, memory_order_relaxed);
    bool fits = frame->len <= ring->stride;

    if (od_unlikely(soft_nic_ring_room(rxq) == 0 || is_broken(rxq))) {
        soft_nic_rxq_count(rxq, SOFT_NIC_RX_NO_BUFFER, frame->len);
        opendoca_gpu_poke(&ring->words->dropped, opendoca_gpu_peek(&ring->words->dropped) + 1);
        return;
    }
    if (od_unlikely(!fits))
        soft_nic_rxq_count(rxq, SOFT_NIC_RX_OVERSIZE, frame->len);
    if (od_unlikely(!fits && !ring->tells_oversize))
        return;
    if (od_unlikely(!put(rxq, n, frame, meta))) {
        if (fits)
            soft_nic_rxq_count(rxq, SOFT_NIC_RX_NO_BUFFER, frame->len);
        return;
    }
    atomic_store_explicit(&rxq->filled, n + 1, memory_order_relaxed);
    if (od_likely(fits))
        count_delivered(rxq, frame, meta);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive queues: posted places on one side, the driver on the other. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/nic_priv.h"

#define DEPTH_MAX   (1u << 20)
#define FETCH_AHEAD 8u /* places */
/* Ids that are given without being asked for: out of the way of small ones that programs choose. */
#define AUTO_ID 0x8000u

/* ------------------------------------------------------------------------------------------------
 * Life
 */

/* Under the lock. */
static int enter(struct soft_nic_port *port, struct soft_nic_rxq *rxq)
{
    const struct soft_nic_ops *ops = port->backend->ops;
    uint32_t id = AUTO_ID;
    int err;

    if (port->nrxqs == SOFT_NIC_RXQS)
        return soft_fail(-ENOSPC, "the port has %u receive queues already", SOFT_NIC_RXQS);
    err = soft_nic_unplace(port);
    if (err != 0)
        return err;
    while (id <= UINT16_MAX && port->by_id[id] != NULL)
        id++;
    rxq->id = (uint16_t)id; /* there are fewer queues than ids */
    port->by_id[id] = rxq;
    port->rxqs[port->nrxqs++] = rxq;
    rxq->attached = true;
    if (ops->expect_looks != NULL)
        ops->expect_looks(port->backend);
    return 0;
}

/* Under the lock. */
static void leave(struct soft_nic_port *port, struct soft_nic_rxq *rxq)
{
    uint32_t i = 0;

    if (port->placed == rxq)
        (void)soft_nic_unplace(port); /* when it fails, the next queue tries again */

    while (port->rxqs[i] != rxq)
        i++;
    port->rxqs[i] = port->rxqs[--port->nrxqs];
    port->by_id[rxq->id] = NULL;
    port->nmoderated -= rxq->is_moderated;
    rxq->is_moderated = false;
    rxq->attached = false;
}

int soft_nic_rxq_open(struct soft_nic_port *port, const struct soft_nic_rxq_conf *conf,
                      struct soft_nic_rxq **out)
{
    struct soft_nic_rxq *rxq;
    uint32_t slots = 1;
    size_t size;
    int err;

    if (conf->depth == 0 || conf->depth > DEPTH_MAX)
        return soft_fail(-EINVAL, "a queue of %u places, allowed: 1 to %u", conf->depth, DEPTH_MAX);
    while (slots < conf->depth)
        slots *= 2;
    size = sizeof(*rxq) + slots * sizeof(rxq->posts[0]);
    rxq = aligned_alloc(OD_CACHE_LINE, (size + OD_CACHE_LINE - 1) / OD_CACHE_LINE * OD_CACHE_LINE);
    if (rxq == NULL)
        return soft_fail(-ENOMEM, "no memory for a queue of %u places", conf->depth);
    memset(rxq, 0, size);
    rxq->port = port;
    rxq->conf = *conf;
    rxq->mask = slots - 1;
    atomic_store(&rxq->slept, SOFT_NIC_AWAKE);
    rxq->number = atomic_fetch_add(&port->next_number, 1) + 1;
    soft_nic_port_lock(port);
    err = enter(port, rxq);
    if (err == 0) {
        err = soft_nic_place(rxq, &conf->area);
        if (err != 0)
            leave(port, rxq);
    }
    soft_nic_port_unlock(port);
    if (err != 0) {
        free(rxq);
        return err;
    }
    *out = rxq;
    return 0;
}

static void unwatch(struct soft_nic_rxq *rxq)
{
    if (!rxq->watched)
        return;
    rxq->watched = false;
    atomic_store(&rxq->slept, SOFT_NIC_AWAKE);
    atomic_fetch_sub(&rxq->port->sleepers, 1);
}

void soft_nic_rxq_detach(struct soft_nic_rxq *rxq)
{
    if (!rxq->attached)
        return;
    unwatch(rxq);
    if (rxq->ring.num != 0)
        soft_nic_engine_receives(rxq->port, -1);
    soft_nic_port_lock(rxq->port);
    leave(rxq->port, rxq);
    rxq->port->nstages -= rxq->stage != NULL;
    soft_nic_port_unlock(rxq->port);
    soft_nic_stage_close(rxq->stage);
    rxq->stage = NULL;
}

void soft_nic_rxq_close(struct soft_nic_rxq *rxq)
{
    if (rxq == NULL)
        return;
    soft_nic_rxq_detach(rxq);
    if (rxq->ring.num != 0)
        soft_nic_engine_release(rxq->port);
    free(rxq);
}

int soft_nic_rxq_set_id(struct soft_nic_rxq *rxq, uint16_t id)
{
    struct soft_nic_port *port = rxq->port;
    int err = 0;

    soft_nic_port_lock(port);
    if (port->by_id[id] != NULL && port->by_id[id] != rxq) {
        err = -EEXIST;
    } else {
        port->by_id[rxq->id] = NULL;
        port->by_id[id] = rxq;
        rxq->id = id;
    }
    soft_nic_port_unlock(port);
    return err == 0 ? 0 : soft_fail(err, "another queue of the port has id %u", id);
}

uint16_t soft_nic_rxq_id(const struct soft_nic_rxq *rxq)
{
    return rxq->id;
}

uint32_t soft_nic_rxq_number(const struct soft_nic_rxq *rxq)
{
    return rxq->number;
}

const struct soft_nic_counters *soft_nic_rxq_counters(const struct soft_nic_rxq *rxq)
{
    return &rxq->counters;
}

/* ------------------------------------------------------------------------------------------------
 * The owner
 */

struct soft_nic_post *soft_nic_rxq_next(struct soft_nic_rxq *rxq)
{
    uint64_t posted = atomic_load_explicit(&rxq->posted, memory_order_relaxed);

    if (posted - rxq->taken >= rxq->conf.depth)
        return NULL;
    return &rxq->posts[posted & rxq->mask];
}

void soft_nic_rxq_post(struct soft_nic_rxq *rxq)
{
    uint64_t posted = atomic_load_explicit(&rxq->posted, memory_order_relaxed);
    struct soft_nic_post *post = &rxq->posts[posted & rxq->mask];

    if (post->pieces == NULL) {
        post->npieces = 1;
        post->room = post->place.len;
    }
    atomic_store_explicit(&rxq->posted, posted + 1, memory_order_release);
}

uint32_t soft_nic_rxq_ready(const struct soft_nic_rxq *rxq)
{
    return (uint32_t)(atomic_load_explicit(&rxq->filled, memory_order_acquire) - rxq->taken);
}

/* Nobody fills any more: what is left is handed back empty. */
static struct soft_nic_post *take_back(struct soft_nic_rxq *rxq)
{
    struct soft_nic_post *post = &rxq->posts[rxq->taken & rxq->mask];

    if (rxq->taken == atomic_load_explicit(&rxq->posted, memory_order_relaxed))
        return NULL;
    post->status = -ECANCELED;
    post->len = 0;
    return post;
}

struct soft_nic_post *soft_nic_rxq_take(struct soft_nic_rxq *rxq)
{
    if (od_unlikely(rxq->watched))
        unwatch(rxq);
    if (soft_nic_rxq_ready(rxq) == 0) {
        if (od_unlikely(!rxq->attached))
            return take_back(rxq);
        if (soft_nic_port_drive(rxq->port) == 0 || soft_nic_rxq_ready(rxq) == 0)
            return NULL;
    }
    return &rxq->posts[rxq->taken & rxq->mask];
}

void soft_nic_rxq_done(struct soft_nic_rxq *rxq)
{
    rxq->taken++;
    /* Detached queues are emptied beyond what was filled. */
    if (od_unlikely(atomic_load_explicit(&rxq->filled, memory_order_relaxed) < rxq->taken))
        atomic_store_explicit(&rxq->filled, rxq->taken, memory_order_relaxed);
}

void soft_nic_rxq_drive(struct soft_nic_rxq *rxq)
{
    if (od_unlikely(rxq->watched))
        unwatch(rxq);
    if (od_likely(rxq->attached))
        soft_nic_port_drive(rxq->port);
}

struct soft_nic_post *soft_nic_rxq_peek(struct soft_nic_rxq *rxq, uint32_t place)
{
    return &rxq->posts[(rxq->taken + place) & rxq->mask];
}

bool soft_nic_rxq_sleep(struct soft_nic_rxq *rxq, uint32_t enough)
{
    if (rxq->is_moderated) {
        atomic_store(&rxq->enough, enough);
        enough = OD_MAX(enough, rxq->many);
    }
    if (soft_nic_rxq_ready(rxq) >= enough)
        return true;
    if (!rxq->attached)
        return take_back(rxq) != NULL;
    if (!rxq->watched) {
        rxq->watched = true;
        atomic_fetch_add(&rxq->port->sleepers, 1);
    }
    atomic_store(&rxq->slept, rxq->taken);
    od_waker_wake(&rxq->port->bell);
    return soft_nic_rxq_ready(rxq) >= enough;
}

/* ------------------------------------------------------------------------------------------------
 * The driver
 */

static void scatter(const struct soft_nic_post *post, const struct soft_nic_frame *frame)
{
    uint32_t done = 0;

    for (uint32_t i = 0; i < post->npieces && done < frame->len; i++) {
        uint32_t n = OD_MIN(post->pieces[i].len, frame->len - done);

        memcpy(post->pieces[i].addr, frame->data + done, n);
        done += n;
    }
}

/* Places were written long ago, or never: they are fetched while other frames are copied. */
static void fetch_place(const struct soft_nic_rxq *rxq, uint64_t number)
{
    __builtin_prefetch(rxq->posts[number & rxq->mask].place.addr, 1);
}

static void fill(struct soft_nic_post *post, const struct soft_nic_frame *frame,
                 const struct soft_nic_meta *meta)
{
    post->meta = *meta;
    post->len = frame->len;
    post->status = 0;
    if (od_unlikely(post->pieces != NULL))
        scatter(post, frame);
    else if (frame->data != post->place.addr) /* or it was received there */
        memmove(post->place.addr, frame->data, frame->len);
}

static void count_ends(struct soft_nic_rxq *rxq, enum soft_nic_counter end, uint64_t n,
                       uint64_t bytes)
{
    soft_nic_add(&rxq->counters, SOFT_NIC_RX_SEEN, n);
    soft_nic_add(&rxq->counters, SOFT_NIC_RX_BYTES, bytes);
    soft_nic_add(&rxq->counters, end, n);
    soft_nic_add(&rxq->port->page->counters, end, n);
}

void soft_nic_rxq_count(struct soft_nic_rxq *rxq, enum soft_nic_counter end, uint32_t len)
{
    count_ends(rxq, end, 1, len);
}

void soft_nic_rxq_end_batch(struct soft_nic_rxq *rxq)
{
    if (rxq->batch_frames > 0)
        count_ends(rxq, SOFT_NIC_RX_DELIVERED, rxq->batch_frames, rxq->batch_bytes);
    rxq->batch_frames = 0;
    rxq->batch_bytes = 0;
    rxq->touched = false;
    if (rxq->conf.waker != NULL && od_likely(!rxq->is_moderated))
        od_waker_wake(rxq->conf.waker);
}

void soft_nic_rxq_deliver(struct soft_nic_rxq *rxq, const struct soft_nic_frame *frame,
                          const struct soft_nic_meta *meta)
{
    uint64_t filled = atomic_load_explicit(&rxq->filled, memory_order_relaxed), posted;
    struct soft_nic_post *post;

    if (rxq->ring.num != 0) {
        soft_nic_ring_deliver(rxq, frame, meta);
        return;
    }
    posted = atomic_load_explicit(&rxq->posted, memory_order_acquire);
    post = &rxq->posts[filled & rxq->mask];
    if (od_unlikely(filled == posted)) {
        soft_nic_rxq_count(rxq, SOFT_NIC_RX_NO_BUFFER, frame->len);
        return;
    }
    /* Where the port receives right into places, they are the port's until a frame is there. */
    if (rxq->port->placed == NULL && od_likely(posted - filled > FETCH_AHEAD))
        fetch_place(rxq, filled + FETCH_AHEAD);
    if (od_unlikely(frame->len > post->room)) {
        soft_nic_rxq_count(rxq, SOFT_NIC_RX_OVERSIZE, frame->len);
        if (!rxq->conf.reports_oversize)
            return;
        post->len = frame->len;
        post->status = -EMSGSIZE;
    } else {
        fill(post, frame, meta);
        rxq->batch_frames++;
        rxq->batch_bytes += frame->len;
        if (soft_nic_is_tapped(rxq->port))
            soft_nic_tap_rx(rxq->port, frame, meta->time, rxq->id);
    }
    rxq->touched = true;
    atomic_store_explicit(&rxq->filled, filled + 1, memory_order_release);
}

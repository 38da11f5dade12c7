/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/local/ring.h"

#include <stdlib.h>

#include "util/barrier.h"

#define PAGE          4096u
#define HEAD          sizeof(struct soft_ring_slot)
#define SLOT_WISH     256u         /* longer messages lie in cells */
#define SLOTS_WISH    (128u << 10) /* bytes; deeper rings have smaller slots */
#define RING_LEN_MAX  (4ull << 30)
#define LOOK_INTERVAL 16u

_Static_assert(sizeof(struct soft_ring_slot) == 16, "48 bytes of message fit into the line");
_Static_assert(sizeof(struct soft_ring_control) == 4 * OD_CACHE_LINE, "frozen by the protocol");

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

bool soft_ring_shape(struct soft_ring_shape *shape, uint32_t depth, uint32_t max_msg)
{
    uint32_t nslots = 2;
    size_t slot, cell = 0;

    if (depth == 0 || depth > SOFT_RING_DEPTH_MAX || max_msg == 0 || max_msg > RING_LEN_MAX / 4)
        return false;
    while (nslots < depth + 1)
        nslots *= 2;
    slot = OD_MIN(round_up(HEAD + max_msg, OD_CACHE_LINE), SLOT_WISH);
    if (slot * nslots > SLOTS_WISH)
        slot = OD_MIN(slot, 2 * OD_CACHE_LINE);
    if (max_msg > slot - HEAD)
        cell = round_up(max_msg, OD_CACHE_LINE);
    if (slot * nslots + cell * depth > RING_LEN_MAX)
        return false;
    *shape = (struct soft_ring_shape){
        .depth = depth,
        .max_msg = max_msg,
        .nslots = nslots,
        .slot_size = (uint32_t)slot,
        .cell_size = cell,
        .slots_len = round_up(slot * nslots, PAGE),
        .cells_len = round_up(cell * depth, PAGE),
    };
    return true;
}

/* ---- Producer ---- */

int soft_ring_tx_open(struct soft_ring_tx *tx, const struct soft_ring_shape *shape,
                      const struct soft_ring_place *at)
{
    uint32_t ncells = shape->cell_size > 0 ? shape->depth : 0;

    *tx = (struct soft_ring_tx){.shape = *shape, .at = *at};
    tx->in_slot = OD_MIN(shape->slot_size - (uint32_t)HEAD, shape->max_msg);
    tx->look_at = OD_MIN(shape->depth, LOOK_INTERVAL);
    if (ncells == 0)
        return 0;
    tx->free_cells = malloc(ncells * sizeof(*tx->free_cells));
    tx->cell_of = malloc(shape->nslots * sizeof(*tx->cell_of));
    if (tx->free_cells == NULL || tx->cell_of == NULL) {
        soft_ring_tx_close(tx);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < ncells; i++)
        tx->free_cells[i] = ncells - 1 - i;
    tx->nfree = ncells;
    return 0;
}

void soft_ring_tx_close(struct soft_ring_tx *tx)
{
    free(tx->free_cells);
    free(tx->cell_of);
    tx->free_cells = NULL;
    tx->cell_of = NULL;
}

static void set_awaited(struct soft_ring_tx *tx, uint64_t seq)
{
    tx->awaited = seq;
    atomic_store_explicit(&tx->at.control->awaited, seq, memory_order_relaxed);
}

void soft_ring_tx_look(struct soft_ring_tx *tx)
{
    uint64_t taken = atomic_load_explicit(&tx->at.control->taken, memory_order_acquire);
    uint64_t flying, step;

    /* A count that cannot be is as good as none. */
    if (taken < tx->taken || taken > tx->sent)
        taken = tx->taken;
    if (tx->nfree < tx->shape.depth && tx->cell_of != NULL) {
        for (uint64_t n = tx->taken; n < taken; n++) {
            uint32_t cell = tx->cell_of[n & (tx->shape.nslots - 1)];

            if (cell != SOFT_RING_INLINE)
                tx->free_cells[tx->nfree++] = cell;
        }
    }
    tx->taken = taken;
    if (tx->awaited != 0 && taken >= tx->awaited)
        set_awaited(tx, 0);
    flying = tx->sent - taken;
    if (flying >= tx->shape.depth) {
        tx->look_at = tx->sent;
        return;
    }
    step = OD_MAX(flying / 2, LOOK_INTERVAL);
    tx->look_at = tx->sent + OD_MIN(step, tx->shape.depth - flying);
}

static void gather(char *to, const struct iovec *iov, unsigned int niov)
{
    for (unsigned int i = 0; i < niov; i++) {
        if (iov[i].iov_len > 0)
            memcpy(to, iov[i].iov_base, iov[i].iov_len);
        to += iov[i].iov_len;
    }
}

static struct soft_ring_slot *next_slot(const struct soft_ring_tx *tx)
{
    return (void *)soft_ring_tx_at(tx, tx->sent);
}

static void publish(struct soft_ring_tx *tx, struct soft_ring_slot *slot, uint32_t len,
                    uint32_t where)
{
    if (tx->cell_of != NULL)
        tx->cell_of[tx->sent & (tx->shape.nslots - 1)] =
            where < tx->shape.depth ? where : SOFT_RING_INLINE;
    tx->sent++;
    atomic_store_explicit(&slot->len, len, memory_order_relaxed);
    atomic_store_explicit(&slot->where, where, memory_order_relaxed);
    atomic_store_explicit(&slot->mark, (uint32_t)tx->sent, memory_order_release);
}

int soft_ring_send(struct soft_ring_tx *tx, const struct iovec *iov, unsigned int niov)
{
    struct soft_ring_slot *slot = next_slot(tx);
    uint32_t len = 0, cell;

    for (unsigned int i = 0; i < niov; i++) {
        if (iov[i].iov_len > tx->shape.max_msg - len)
            return -EMSGSIZE;
        len += (uint32_t)iov[i].iov_len;
    }
    if (tx->sent == tx->look_at) {
        soft_ring_tx_look(tx);
        if (tx->sent == tx->look_at)
            return -EAGAIN;
    }
    if (len <= tx->in_slot) {
        gather(slot->bytes, iov, niov);
        publish(tx, slot, len, SOFT_RING_INLINE);
        return 0;
    }
    cell = tx->free_cells[--tx->nfree];
    gather(tx->at.cells + cell * tx->shape.cell_size, iov, niov);
    publish(tx, slot, len, cell);
    return 0;
}

void soft_ring_end(struct soft_ring_tx *tx)
{
    if (tx->ended)
        return;
    tx->ended = true;
    publish(tx, next_slot(tx), 0, SOFT_RING_END);
    atomic_store_explicit(&tx->at.control->ended, 1, memory_order_relaxed);
    od_barrier_for_all();
}

void soft_ring_await(struct soft_ring_tx *tx, uint64_t seq)
{
    if (seq != tx->awaited) {
        set_awaited(tx, seq);
        if (seq != 0)
            od_barrier_for_all();
    }
    soft_ring_tx_look(tx);
}

/* ---- Consumer ---- */

void soft_ring_rx_open(struct soft_ring_rx *rx, const struct soft_ring_shape *shape,
                       const struct soft_ring_place *at)
{
    *rx = (struct soft_ring_rx){.shape = *shape, .at = *at};
    rx->in_slot = OD_MIN(shape->slot_size - (uint32_t)HEAD, shape->max_msg);
}

void soft_ring_take_end(struct soft_ring_rx *rx)
{
    static struct soft_ring_slot empty;

    if (rx->ended)
        return;
    soft_ring_take(rx);
    rx->ended = true;
    rx->at.slots = (char *)&empty;
    rx->shape.nslots = 1;
    /* No mark of the empty slot. */
    if ((uint32_t)(rx->next + 1) == 0)
        rx->next++;
}

bool soft_ring_has_end(const struct soft_ring_rx *rx)
{
    if (rx->ended)
        return true;
    for (uint64_t n = rx->next; n < rx->next + rx->shape.nslots; n++) {
        const struct soft_ring_slot *slot =
            (void *)(rx->at.slots + (n & (rx->shape.nslots - 1)) * rx->shape.slot_size);

        if (atomic_load_explicit(&slot->mark, memory_order_acquire) != (uint32_t)(n + 1))
            return false;
        if (atomic_load_explicit(&slot->where, memory_order_relaxed) == SOFT_RING_END)
            return true;
    }
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_LOCAL_RING_H_
#define OD_SOFT_LINK_LOCAL_RING_H_

/* A message ring between one producer and one consumer that do not trust each other.
 *
 * A ring has slots and cells. Message n lies in slot n modulo their number, in the slot itself if
 * it is short, else in a cell that the slot names. The slot's mark becomes n + 1 when the message
 * is complete: mark and a short message are one cache line, so that a message costs one transfer.
 * The mark is always at the same place of a slot, where never anything else is, so that no byte of
 * an old message can look like one.
 *
 * Slots are used in turn, cells last in first out: what is touched grows with the backlog, not with
 * the size of the ring.
 *
 * The shared memory holds nothing that a side needs to trust: sizes are computed on both sides from
 * depth and message size; of what the other side writes, a slot's head and the count of taken
 * messages are copied once and checked. */

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>

#include "soft/soft.h"

#define SOFT_RING_DEPTH_MAX 65536u
#define SOFT_RING_INLINE    UINT32_MAX       /* the message is in the slot */
#define SOFT_RING_END       (UINT32_MAX - 1) /* no message: the producer has ended */

struct soft_ring_slot {
    _Atomic uint32_t mark; /* low half of n + 1 */
    _Atomic uint32_t len;
    _Atomic uint32_t where; /* cell, or one of the above */
    uint32_t zero;
    char bytes[];
};

/* What one side tells the other lies on a line of its own, with a distance that keeps prefetchers
 * off. */
struct soft_ring_control {
    _Atomic uint64_t taken; /* consumer: messages, the end included */
    char pad[2 * OD_CACHE_LINE - sizeof(uint64_t)];
    _Atomic uint64_t awaited; /* producer: tell when so many were taken; 0: never mind */
    _Atomic uint32_t ended;   /* producer: not 0 */
    char more_pad[2 * OD_CACHE_LINE - sizeof(uint64_t) - sizeof(uint32_t)];
};

struct soft_ring_shape {
    uint32_t depth; /* messages */
    uint32_t max_msg;
    uint32_t nslots; /* a power of two that leaves room for the end */
    uint32_t slot_size;
    size_t cell_size; /* 0: all messages are short */
    size_t slots_len; /* bytes, whole pages */
    size_t cells_len;
};

/* False: out of range. */
SOFT_API bool soft_ring_shape(struct soft_ring_shape *shape, uint32_t depth, uint32_t max_msg);

/* Where a ring lies. */
struct soft_ring_place {
    struct soft_ring_control *control;
    char *slots;
    char *cells;
};

struct soft_ring_tx {
    struct soft_ring_shape shape;
    struct soft_ring_place at;
    uint64_t sent;    /* slots used, the end included */
    uint64_t taken;   /* as far as looked */
    uint64_t look_at; /* sent, when it is time to look again */
    uint64_t awaited;
    uint32_t in_slot; /* longest message that fits into a slot */
    bool ended;
    uint32_t nfree;
    uint32_t *free_cells; /* stack */
    uint32_t *cell_of;    /* by slot; SOFT_RING_INLINE: none */
};

struct soft_ring_rx {
    struct soft_ring_shape shape;
    struct soft_ring_place at;
    uint64_t next;
    uint32_t in_slot;
    bool ended;
};

/* -ENOMEM */
SOFT_API int soft_ring_tx_open(struct soft_ring_tx *tx, const struct soft_ring_shape *shape,
                               const struct soft_ring_place *at);
SOFT_API void soft_ring_tx_close(struct soft_ring_tx *tx);
SOFT_API void soft_ring_rx_open(struct soft_ring_rx *rx, const struct soft_ring_shape *shape,
                                const struct soft_ring_place *at);

/* Looks how many messages were taken, and frees their cells. */
SOFT_API void soft_ring_tx_look(struct soft_ring_tx *tx);

/* 0, -EAGAIN, -EMSGSIZE. */
SOFT_API int soft_ring_send(struct soft_ring_tx *tx, const struct iovec *iov, unsigned int niov);

/* Everything is sent. */
SOFT_API void soft_ring_end(struct soft_ring_tx *tx);

static inline char *soft_ring_tx_at(const struct soft_ring_tx *tx, uint64_t n)
{
    return tx->at.slots + (n & (tx->shape.nslots - 1)) * tx->shape.slot_size;
}

/* Fetches the line of the slot after the next one, which the consumer has had, for writing. The
 * next one it may look at already. */
static inline void soft_ring_claim(const struct soft_ring_tx *tx)
{
    const char *line = soft_ring_tx_at(tx, tx->sent + 2);

#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*line)); /* the compiler makes it a read */
#else
    __builtin_prefetch(line, 1);
#endif
}

/* Asks to be told once so many were taken; 0: never mind. */
void soft_ring_await(struct soft_ring_tx *tx, uint64_t seq);

static inline uint64_t soft_ring_messages(const struct soft_ring_tx *tx)
{
    return tx->sent - tx->ended;
}

/* 0, -EAGAIN (nothing there), -ESHUTDOWN (the end), -EBADMSG (nonsense). `*data` stays valid until
 * soft_ring_take(). */
static inline int soft_ring_peek(struct soft_ring_rx *rx, const void **data, uint32_t *len)
{
    struct soft_ring_slot *slot =
        (void *)(rx->at.slots + (rx->next & (rx->shape.nslots - 1)) * rx->shape.slot_size);
    uint32_t where, n;

    if (atomic_load_explicit(&slot->mark, memory_order_acquire) != (uint32_t)(rx->next + 1))
        return rx->ended ? -ESHUTDOWN : -EAGAIN;
    n = atomic_load_explicit(&slot->len, memory_order_relaxed);
    where = atomic_load_explicit(&slot->where, memory_order_relaxed);
    if (od_likely(where == SOFT_RING_INLINE && n <= rx->in_slot)) {
        *data = slot->bytes;
    } else if (where < rx->shape.depth && n <= rx->shape.max_msg && rx->shape.cell_size > 0) {
        *data = rx->at.cells + where * rx->shape.cell_size;
    } else if (where == SOFT_RING_END) {
        return -ESHUTDOWN;
    } else {
        return -EBADMSG;
    }
    *len = n;
    return 0;
}

static inline void soft_ring_take(struct soft_ring_rx *rx)
{
    rx->next++;
    atomic_store_explicit(&rx->at.control->taken, rx->next, memory_order_release);
}

/* Whether the producer waits for what was taken. A barrier is between taking and this. */
static inline bool soft_ring_is_awaited(const struct soft_ring_rx *rx)
{
    uint64_t awaited = atomic_load_explicit(&rx->at.control->awaited, memory_order_relaxed);

    return awaited != 0 && rx->next >= awaited;
}

static inline bool soft_ring_peer_ended(const struct soft_ring_rx *rx)
{
    return atomic_load_explicit(&rx->at.control->ended, memory_order_relaxed) != 0;
}

/* Takes the end. Whatever the producer writes from now on is not looked at. */
SOFT_API void soft_ring_take_end(struct soft_ring_rx *rx);

/* Whether the producer's end is among what lies in the ring, however much is before it. */
SOFT_API bool soft_ring_has_end(const struct soft_ring_rx *rx);

#endif /* OD_SOFT_LINK_LOCAL_RING_H_ */

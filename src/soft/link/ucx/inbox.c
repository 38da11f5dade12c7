/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/ucx/inbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t end_of(const struct soft_inbox *inbox)
{
    return atomic_load_explicit(&inbox->end, memory_order_relaxed);
}

static struct soft_inbox_slot *slot_of(const struct soft_inbox *inbox, uint64_t seq)
{
    return &inbox->slots[seq & inbox->mask];
}

int soft_inbox_open(struct soft_inbox *inbox, uint32_t depth, uint32_t max_msg)
{
    uint32_t nslots = 2;

    /* One more than messages, for the end. */
    while (nslots < depth + 1)
        nslots *= 2;
    memset(inbox, 0, sizeof(*inbox));
    inbox->depth = depth;
    inbox->max_msg = max_msg;
    inbox->mask = nslots - 1;
    inbox->slots = calloc(nslots, sizeof(*inbox->slots));
    return inbox->slots != NULL ? 0 : -ENOMEM;
}

void soft_inbox_close(struct soft_inbox *inbox)
{
    if (inbox->slots == NULL)
        return;
    for (uint32_t i = 0; i <= inbox->mask; i++)
        free(inbox->slots[i].bytes);
    free(inbox->slots);
    inbox->slots = NULL;
}

static bool is_allowed(const struct soft_inbox *inbox, uint64_t seq)
{
    uint64_t taken = atomic_load_explicit(&inbox->taken, memory_order_acquire);
    uint64_t ready = atomic_load_explicit(&inbox->ready, memory_order_relaxed);

    return seq > ready && seq - taken <= inbox->depth &&
           (end_of(inbox) == 0 || seq < end_of(inbox));
}

static int begin(struct soft_inbox_slot *slot, uint32_t total)
{
    if (slot->cap < total) {
        char *bytes = realloc(slot->bytes, total);

        if (bytes == NULL)
            return -ENOMEM;
        slot->bytes = bytes;
        slot->cap = total;
    }
    slot->begun = true;
    slot->total = total;
    slot->missing = total == 0 ? 1 : (total + SOFT_UCX_PIECE - 1) / SOFT_UCX_PIECE;
    memset(slot->have, 0, sizeof(slot->have));
    return 0;
}

static bool is_complete(const struct soft_inbox *inbox, uint64_t seq)
{
    const struct soft_inbox_slot *slot = slot_of(inbox, seq);

    return seq == end_of(inbox) || (slot->begun && slot->missing == 0);
}

static void advance(struct soft_inbox *inbox)
{
    uint64_t ready = atomic_load_explicit(&inbox->ready, memory_order_relaxed), before = ready;
    uint64_t taken = atomic_load_explicit(&inbox->taken, memory_order_acquire);

    while (ready - taken <= inbox->depth && is_complete(inbox, ready + 1)) {
        slot_of(inbox, ready + 1)->begun = false;
        ready++;
        if (ready == end_of(inbox))
            break;
    }
    if (ready != before)
        atomic_store_explicit(&inbox->ready, ready, memory_order_release);
}

int soft_inbox_put(struct soft_inbox *inbox, uint64_t seq, uint32_t offset, uint32_t total,
                   const void *bytes, uint32_t len)
{
    struct soft_inbox_slot *slot = slot_of(inbox, seq);
    uint32_t piece = offset / SOFT_UCX_PIECE;
    uint64_t bit = 1ull << (piece % 64);
    int rc;

    if (!is_allowed(inbox, seq) || total > inbox->max_msg || offset > total || len > total - offset)
        return -EBADMSG;
    if (!slot->begun) {
        rc = begin(slot, total);
        if (rc != 0)
            return rc;
    }
    if (slot->total != total || slot->missing == 0 || (slot->have[piece / 64] & bit) != 0)
        return -EBADMSG;
    if (len > 0)
        memcpy(slot->bytes + offset, bytes, len);
    slot->have[piece / 64] |= bit;
    slot->missing--;
    if (slot->missing == 0)
        advance(inbox);
    return 0;
}

int soft_inbox_put_end(struct soft_inbox *inbox, uint64_t seq)
{
    uint64_t taken = atomic_load_explicit(&inbox->taken, memory_order_acquire);
    uint64_t ready = atomic_load_explicit(&inbox->ready, memory_order_relaxed);

    if (end_of(inbox) != 0 || seq <= ready || seq - taken > inbox->depth + 1u)
        return -EBADMSG;
    /* What was numbered behind it can never be delivered. */
    for (uint64_t n = seq; n <= taken + inbox->depth; n++)
        if (slot_of(inbox, n)->begun)
            return -EBADMSG;
    atomic_store_explicit(&inbox->end, seq, memory_order_relaxed);
    advance(inbox);
    return 0;
}

int soft_inbox_peek(struct soft_inbox *inbox, const void **bytes, uint32_t *len)
{
    uint64_t next = atomic_load_explicit(&inbox->taken, memory_order_relaxed) + 1;
    const struct soft_inbox_slot *slot;

    if (inbox->ended)
        return -ESHUTDOWN;
    if (atomic_load_explicit(&inbox->ready, memory_order_acquire) < next)
        return -EAGAIN;
    if (next == end_of(inbox))
        return -ESHUTDOWN;
    slot = slot_of(inbox, next);
    *bytes = slot->bytes;
    *len = slot->total;
    return 0;
}

void soft_inbox_take(struct soft_inbox *inbox)
{
    uint64_t taken = atomic_load_explicit(&inbox->taken, memory_order_relaxed) + 1;

    if (inbox->ended)
        return;
    inbox->ended = taken == end_of(inbox);
    atomic_store_explicit(&inbox->taken, taken, memory_order_release);
}

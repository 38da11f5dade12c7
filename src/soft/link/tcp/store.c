/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/tcp/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int soft_tcp_store_open(struct soft_tcp_store *store, uint32_t depth)
{
    uint32_t nslots = 2;

    /* One more than messages, for the end. */
    while (nslots < depth + 1)
        nslots *= 2;
    memset(store, 0, sizeof(*store));
    store->depth = depth;
    store->mask = nslots - 1;
    store->slots = calloc(nslots, sizeof(*store->slots));
    store->spare = calloc(nslots, sizeof(*store->spare));
    if (store->slots != NULL && store->spare != NULL)
        return 0;
    soft_tcp_store_close(store);
    return -ENOMEM;
}

void soft_tcp_store_close(struct soft_tcp_store *store)
{
    for (uint32_t i = 0; store->slots != NULL && i <= store->mask; i++)
        free(store->slots[i].bytes);
    for (uint32_t i = 0; i < store->nspare; i++)
        free(store->spare[i].bytes);
    free(store->slots);
    free(store->spare);
    store->slots = store->spare = NULL;
    store->nspare = 0;
}

static struct soft_tcp_buffer *slot_of(const struct soft_tcp_store *store, uint64_t seq)
{
    return &store->slots[seq & store->mask];
}

static void reclaim(struct soft_tcp_store *store, uint64_t taken)
{
    while (store->reclaimed < taken) {
        struct soft_tcp_buffer *slot = slot_of(store, ++store->reclaimed);

        if (slot->bytes != NULL)
            store->spare[store->nspare++] = *slot;
        *slot = (struct soft_tcp_buffer){0};
    }
}

/* Fits the message; nothing of an old one needs to be kept. */
static int find_buffer(struct soft_tcp_store *store, uint32_t len, struct soft_tcp_buffer *buffer)
{
    *buffer = (struct soft_tcp_buffer){0};
    if (store->nspare > 0)
        *buffer = store->spare[--store->nspare];
    if (buffer->cap < len || buffer->bytes == NULL) {
        free(buffer->bytes);
        buffer->cap = OD_MAX(len, 64u);
        buffer->bytes = malloc(buffer->cap);
    }
    return buffer->bytes != NULL ? 0 : -ENOMEM;
}

int soft_tcp_store_room(struct soft_tcp_store *store, uint32_t len, char **bytes)
{
    uint64_t taken = atomic_load_explicit(&store->taken, memory_order_acquire);
    uint64_t seq = atomic_load_explicit(&store->ready, memory_order_relaxed) + 1;
    struct soft_tcp_buffer *slot = slot_of(store, seq);
    int rc;

    if (atomic_load_explicit(&store->end, memory_order_relaxed) != 0 || seq - taken > store->depth)
        return -EBADMSG;
    reclaim(store, taken);
    rc = find_buffer(store, len, slot);
    if (rc != 0)
        return rc;
    slot->len = len;
    *bytes = slot->bytes;
    return 0;
}

void soft_tcp_store_commit(struct soft_tcp_store *store)
{
    uint64_t ready = atomic_load_explicit(&store->ready, memory_order_relaxed);

    atomic_store_explicit(&store->ready, ready + 1, memory_order_release);
}

int soft_tcp_store_end(struct soft_tcp_store *store)
{
    uint64_t seq = atomic_load_explicit(&store->ready, memory_order_relaxed) + 1;

    if (atomic_load_explicit(&store->end, memory_order_relaxed) != 0)
        return -EBADMSG;
    reclaim(store, atomic_load_explicit(&store->taken, memory_order_acquire));
    atomic_store_explicit(&store->end, seq, memory_order_relaxed);
    atomic_store_explicit(&store->ready, seq, memory_order_release);
    return 0;
}

int soft_tcp_store_peek(struct soft_tcp_store *store, const void **bytes, uint32_t *len)
{
    uint64_t next = atomic_load_explicit(&store->taken, memory_order_relaxed) + 1;

    if (store->ended)
        return -ESHUTDOWN;
    if (atomic_load_explicit(&store->ready, memory_order_acquire) < next)
        return -EAGAIN;
    if (next == atomic_load_explicit(&store->end, memory_order_relaxed))
        return -ESHUTDOWN;
    *bytes = slot_of(store, next)->bytes;
    *len = slot_of(store, next)->len;
    return 0;
}

void soft_tcp_store_take(struct soft_tcp_store *store)
{
    uint64_t taken = atomic_load_explicit(&store->taken, memory_order_relaxed) + 1;

    if (store->ended)
        return;
    store->ended = taken == atomic_load_explicit(&store->end, memory_order_relaxed);
    atomic_store_explicit(&store->taken, taken, memory_order_release);
}

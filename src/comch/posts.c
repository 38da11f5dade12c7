/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/posts.h"

#include <errno.h>
#include <string.h>

/* Producers that find the count of claims changed look again so many times. */
#define CLAIM_TRIES 1000

static size_t slot_size(uint32_t imm_len)
{
    return (sizeof(struct comch_post_slot) + imm_len + OD_CACHE_LINE - 1) &
           ~(size_t)(OD_CACHE_LINE - 1);
}

size_t comch_posts_size(uint32_t nslots, uint32_t imm_len)
{
    return sizeof(struct comch_posts_head) + nslots * slot_size(imm_len);
}

void comch_posts_view(struct comch_posts *posts, void *memory, uint32_t nslots, uint32_t imm_len)
{
    *posts = (struct comch_posts){
        .head = memory,
        .slots = (char *)memory + sizeof(struct comch_posts_head),
        .slot_size = slot_size(imm_len),
        .nslots = nslots,
        .imm_len = imm_len,
    };
}

static struct comch_post_slot *slot_at(const struct comch_posts *posts, uint64_t index)
{
    return (void *)(posts->slots + (index & (posts->nslots - 1)) * posts->slot_size);
}

static uint64_t mark_of(uint64_t index, enum comch_post_state state)
{
    return index << 2 | (uint64_t)state;
}

/* ---- consumer ---- */

void comch_posts_post(struct comch_posts *posts, uint64_t index, uint64_t addr, uint64_t room)
{
    struct comch_post_slot *slot = slot_at(posts, index);

    atomic_store_explicit(&slot->addr, addr, memory_order_relaxed);
    atomic_store_explicit(&slot->room, room, memory_order_relaxed);
    atomic_store_explicit(&slot->mark, mark_of(index, COMCH_POST_OPEN), memory_order_release);
    atomic_store_explicit(&posts->head->posted, index + 1, memory_order_release);
}

int comch_posts_take(struct comch_posts *posts, uint64_t index, struct comch_arrival *arrival,
                     uint8_t *imm)
{
    struct comch_post_slot *slot = slot_at(posts, index);
    uint64_t mark = atomic_load_explicit(&slot->mark, memory_order_acquire);

    if (mark == mark_of(index, COMCH_POST_OPEN))
        return -EAGAIN;
    if (od_unlikely(mark != mark_of(index, COMCH_POST_DONE)))
        return -EBADMSG;
    *arrival = (struct comch_arrival){
        .len = *(volatile uint32_t *)&slot->len,
        .producer = *(volatile uint32_t *)&slot->producer,
        .imm_len = *(volatile uint32_t *)&slot->imm_len,
        .is_void = *(volatile uint32_t *)&slot->is_void != 0,
    };
    if (od_unlikely(arrival->imm_len > posts->imm_len))
        return -EBADMSG;
    if (arrival->imm_len > 0)
        memcpy(imm, slot->imm, arrival->imm_len);
    return 0;
}

void comch_posts_close(struct comch_posts *posts)
{
    atomic_fetch_or(&posts->head->claimed, COMCH_POSTS_CLOSED);
}

bool comch_posts_flush(struct comch_posts *posts, uint64_t index)
{
    uint64_t mark = mark_of(index, COMCH_POST_OPEN);

    /* Nonsense is flushed, too: only a proper arrival counts. */
    return atomic_compare_exchange_strong(&slot_at(posts, index)->mark, &mark,
                                          mark_of(index, COMCH_POST_FLUSHED)) ||
           mark != mark_of(index, COMCH_POST_DONE);
}

bool comch_posts_sleep(struct comch_posts *posts, uint64_t index)
{
    uint32_t asleep = atomic_load_explicit(&posts->head->asleep, memory_order_relaxed);

    /* Against the load in comch_posts_sleeps(): of an arrival and a sleep, one side sees one. */
    atomic_store(&posts->head->asleep, (asleep + 2) | 1);
    return atomic_load(&slot_at(posts, index)->mark) != mark_of(index, COMCH_POST_OPEN);
}

void comch_posts_wake(struct comch_posts *posts)
{
    uint32_t asleep = atomic_load_explicit(&posts->head->asleep, memory_order_relaxed);

    atomic_store_explicit(&posts->head->asleep, asleep & ~1u, memory_order_relaxed);
}

/* ---- producers ---- */

/* Whether the post with that number can be claimed; the same codes as comch_posts_claim(). */
static int look_at(const struct comch_posts *posts, uint64_t index, uint64_t len,
                   struct comch_claim *claim)
{
    const struct comch_post_slot *slot = slot_at(posts, index);
    uint64_t posted = atomic_load_explicit(&posts->head->posted, memory_order_acquire);

    if ((index & COMCH_POSTS_CLOSED) != 0)
        return -ESHUTDOWN;
    if (posted == index)
        return -EAGAIN;
    if (posted - index > posts->nslots ||
        atomic_load_explicit(&slot->mark, memory_order_acquire) != mark_of(index, COMCH_POST_OPEN))
        return -EBADMSG;
    claim->index = index;
    claim->addr = atomic_load_explicit(&slot->addr, memory_order_relaxed);
    return len <= atomic_load_explicit(&slot->room, memory_order_relaxed) ? 0 : -EMSGSIZE;
}

int comch_posts_claim(struct comch_posts *posts, uint64_t len, struct comch_claim *claim)
{
    uint64_t claimed = atomic_load_explicit(&posts->head->claimed, memory_order_acquire);

    for (int tries = 0; tries < CLAIM_TRIES; tries++) {
        uint64_t seen = claimed;
        int rc = look_at(posts, claimed, len, claim);

        if (rc == 0 && atomic_compare_exchange_strong(&posts->head->claimed, &claimed, seen + 1))
            return 0;
        /* What was seen counts only if nobody else claimed meanwhile. */
        if (rc != 0) {
            claimed = atomic_load_explicit(&posts->head->claimed, memory_order_acquire);
            if (claimed == seen)
                return rc;
        }
    }
    return -EAGAIN;
}

bool comch_posts_deliver(struct comch_posts *posts, const struct comch_claim *claim,
                         const struct comch_arrival *arrival, const uint8_t *imm)
{
    struct comch_post_slot *slot = slot_at(posts, claim->index);
    uint64_t mark = mark_of(claim->index, COMCH_POST_OPEN);

    slot->len = arrival->len;
    slot->producer = arrival->producer;
    slot->imm_len = arrival->imm_len;
    slot->is_void = arrival->is_void;
    if (arrival->imm_len > 0)
        memcpy(slot->imm, imm, arrival->imm_len);
    return atomic_compare_exchange_strong(&slot->mark, &mark,
                                          mark_of(claim->index, COMCH_POST_DONE));
}

uint32_t comch_posts_sleeps(struct comch_posts *posts)
{
    uint32_t asleep;

    atomic_thread_fence(memory_order_seq_cst);
    asleep = atomic_load_explicit(&posts->head->asleep, memory_order_relaxed);
    return (asleep & 1) != 0 ? asleep : 0;
}

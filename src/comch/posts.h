/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_COMCH_POSTS_H_
#define OD_COMCH_POSTS_H_

/* The page of a consumer: what it has posted, and what has arrived.
 *
 * Memory that the consumer and the peer's process share. Each post is one slot, in turn. A producer
 * of the peer claims the oldest unclaimed post, writes the data to where the post says (elsewhere),
 * then the arrival into the slot. All producers of a consumer are in one process, but may be in
 * several threads, so claims are counted by compare and swap. Nothing here takes a system call, and
 * neither side waits for the other.
 *
 * Neither side trusts the other: counters are checked, and what the other one may write is copied
 * before it is looked at. What was posted is in the consumer's own memory as well. */

#include <stdatomic.h>

#include "util/base.h"

#define COMCH_POSTS_SLOTS_MAX (1u << 21)
#define COMCH_POSTS_IMM_MAX   1024u

/* Top bit of the count of claims: the consumer takes no more. */
#define COMCH_POSTS_CLOSED (UINT64_C(1) << 63)

enum comch_post_state {
    COMCH_POST_NONE,
    COMCH_POST_OPEN, /* posted, perhaps claimed */
    COMCH_POST_DONE, /* by the producer that claimed it */
    COMCH_POST_FLUSHED,
};

/* The writer's parts lie apart, so that sides do not take lines from each other needlessly. */
struct comch_posts_head {
    _Atomic uint64_t posted; /* consumer */
    _Atomic uint32_t asleep; /* consumer: odd while it sleeps, another number each time */
    char consumer_pad[2 * OD_CACHE_LINE - sizeof(uint64_t) - sizeof(uint32_t)];
    _Atomic uint64_t claimed; /* producers; the consumer closes it */
    char producer_pad[2 * OD_CACHE_LINE - sizeof(uint64_t)];
};

struct comch_post_slot {
    _Atomic uint64_t mark; /* number of the post * 4 + comch_post_state */
    _Atomic uint64_t addr; /* consumer: where to land, and how much room is there */
    _Atomic uint64_t room;
    uint32_t len; /* producer: what arrived */
    uint32_t producer;
    uint32_t imm_len;
    uint32_t is_void; /* not 0: nothing did, the producer could not read its source */
    uint8_t imm[];
};
_Static_assert(sizeof(struct comch_post_slot) == 40, "frozen");

/* One side's view. */
struct comch_posts {
    struct comch_posts_head *head;
    char *slots;
    size_t slot_size;
    uint32_t nslots; /* a power of two */
    uint32_t imm_len;
};

struct comch_arrival {
    uint32_t len;
    uint32_t producer;
    uint32_t imm_len;
    bool is_void;
};

struct comch_claim {
    uint64_t index;
    uint64_t addr;
};

/* Bytes of a page. Slots: a power of two up to COMCH_POSTS_SLOTS_MAX. */
size_t comch_posts_size(uint32_t nslots, uint32_t imm_len);
void comch_posts_view(struct comch_posts *posts, void *memory, uint32_t nslots, uint32_t imm_len);

/* ---- consumer; `index` counts posts from 0 ---- */

void comch_posts_post(struct comch_posts *posts, uint64_t index, uint64_t addr, uint64_t room);
/* 0: it has arrived, and `imm` (imm_len bytes of room) is filled; -EAGAIN; -EBADMSG: nonsense. */
int comch_posts_take(struct comch_posts *posts, uint64_t index, struct comch_arrival *arrival,
                     uint8_t *imm);
/* No more claims from here on. */
void comch_posts_close(struct comch_posts *posts);
/* Takes a post back: its claimer, if there is one, will fail. False: it has arrived after all. */
bool comch_posts_flush(struct comch_posts *posts, uint64_t index);
/* True when something has arrived; else the producers know from here on that they must ring. */
bool comch_posts_sleep(struct comch_posts *posts, uint64_t index);
void comch_posts_wake(struct comch_posts *posts);

/* ---- producers ---- */

/* 0; -EAGAIN: nothing is posted; -EMSGSIZE: the oldest post has not enough room, and stays;
 * -ESHUTDOWN: closed; -EBADMSG: nonsense. */
int comch_posts_claim(struct comch_posts *posts, uint64_t len, struct comch_claim *claim);
/* False: the consumer has taken the post back. `imm` has arrival->imm_len bytes. */
bool comch_posts_deliver(struct comch_posts *posts, const struct comch_claim *claim,
                         const struct comch_arrival *arrival, const uint8_t *imm);
/* After a delivery: not 0 when the consumer sleeps, the number of that sleep. */
uint32_t comch_posts_sleeps(struct comch_posts *posts);

#endif /* OD_COMCH_POSTS_H_ */

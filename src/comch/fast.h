/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_COMCH_FAST_H_
#define OD_COMCH_FAST_H_

/* The fast path of one connection: what its producers and consumers, which may be on other threads,
 * share with the thread of the connection.
 *
 * It outlives the connection for as long as one of them refers to it. The lock guards the lists; it
 * is taken when ends and targets come and go, not on the way of data. */

#include <pthread.h>
#include <stdatomic.h>

#include "comch/posts.h"
#include "comch/wire.h"
#include "core/core_priv.h"

struct comch_side;

/* A producer or consumer of this process. */
struct comch_fast_end {
    struct comch_fast *fast;
    struct od_list link;
    struct od_waker *waker; /* while started; under the lock */
    uint32_t id;
    bool is_consumer;
    atomic_bool announced; /* consumer: its start is known to the peer's library */
};

/* A consumer of the peer. Those who send to it and the connection each hold a reference. */
struct comch_target {
    struct od_list link;
    _Atomic uint32_t refs;
    uint32_t id;
    atomic_bool expired;
    struct comch_posts posts;
    struct soft_peer_map *page;
    struct soft_peer_map *data;
    _Atomic uint32_t told; /* the sleep of the consumer that it was woken from */
};

/* A frame that another thread wants to have sent. */
struct comch_note {
    struct comch_note *next;
    struct comch_frame_head head;
    size_t len;
    uint8_t payload[];
};

struct comch_fast {
    pthread_mutex_t lock;
    _Atomic uint32_t refs;
    struct comch_side *side; /* lives as long as there are ends */
    bool is_offered;         /* by the peer's device; set before there are ends */
    atomic_bool over;        /* the connection is */
    _Atomic uint32_t nends;
    atomic_bool has_notes;
    /* under the lock */
    uint32_t nconsumers, nproducers;
    uint32_t last_id;
    struct od_list ends;
    struct od_list targets;
    struct comch_note *first_note, *last_note;
};

/* NULL: no memory. */
struct comch_fast *comch_fast_create(struct comch_side *side);
void comch_fast_put(struct comch_fast *fast);

/* The connection is over: whoever is on it learns of it. */
void comch_fast_finish(struct comch_fast *fast);

/* A producer or consumer begins to exist; logs. */
doca_error_t comch_fast_join(struct comch_fast *fast, struct comch_fast_end *end, bool is_consumer,
                             const char *func);
/* Whom to wake for news from the thread of the connection; NULL: nobody any more. */
void comch_fast_listen(struct comch_fast_end *end, struct od_waker *waker);
/* It exists no longer. */
void comch_fast_leave(struct comch_fast_end *end);

/* Has a frame sent by the thread of the connection, which sets `announced` for
 * COMCH_FRAME_CONSUMER. False: no memory. */
bool comch_fast_note(struct comch_fast_end *end, enum comch_frame_kind kind, const void *payload,
                     size_t len);
/* The thread of the connection: what is to be sent next stays the first until it was sent. */
struct comch_note *comch_fast_first_note(struct comch_fast *fast);
void comch_fast_note_sent(struct comch_fast *fast);

/* ---- target.c ---- */

/* A consumer that the peer has announced. Negative errno: -EBADMSG for a peer that breaks the
 * rules, else why this one cannot be reached, with a reason. */
int comch_target_add(struct comch_fast *fast, const struct comch_frame *frame);
/* It is no more; false: there is none with that id. */
bool comch_target_expire(struct comch_fast *fast, uint32_t id);
/* The id of some target, or 0. */
uint32_t comch_target_first(struct comch_fast *fast);
/* A reference, or NULL. Any thread. */
struct comch_target *comch_target_find(struct comch_fast *fast, uint32_t id);
void comch_target_put(struct comch_target *target);
/* After a delivery. */
void comch_target_ring(struct comch_target *target);

#endif /* OD_COMCH_FAST_H_ */

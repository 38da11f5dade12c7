/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_QUEUE_H_
#define OD_SOFT_LINK_QUEUE_H_

/* Connections to a listener that its owner has not taken yet: at first silent, then, once they
 * have greeted, waiting. Whoever guards the listener guards this; anybody may ask whether somebody
 * waits. */

#include <stdatomic.h>

#include "soft/soft.h"
#include "util/list.h"

struct soft_link_queue {
    struct od_list silent; /* oldest first, as `waiting` */
    struct od_list waiting;
    unsigned int nsilent;
    atomic_uint nwaiting;
};

/* Part of a connection. */
struct soft_link_guest {
    struct od_list link;
    struct soft_link_queue *queue; /* NULL: in none */
    bool greeted;
};

SOFT_API void soft_link_queue_init(struct soft_link_queue *queue);
/* A new connection. */
SOFT_API void soft_link_queue_enter(struct soft_link_queue *queue, struct soft_link_guest *guest);
/* It has greeted. */
SOFT_API void soft_link_queue_promote(struct soft_link_guest *guest);
/* Harmless for one that is in no queue. */
SOFT_API void soft_link_queue_leave(struct soft_link_guest *guest);
/* The first of its kind, or NULL. They stay in the queue. */
SOFT_API struct soft_link_guest *soft_link_queue_silent(const struct soft_link_queue *queue);
SOFT_API struct soft_link_guest *soft_link_queue_waiting(const struct soft_link_queue *queue);

static inline unsigned int soft_link_queue_length(const struct soft_link_queue *queue)
{
    return atomic_load_explicit(&queue->nwaiting, memory_order_relaxed);
}

#endif /* OD_SOFT_LINK_QUEUE_H_ */

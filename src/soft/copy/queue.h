/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_QUEUE_H_
#define OD_SOFT_COPY_QUEUE_H_

/* The jobs that a channel has, in the order of their submission, which is also the order in which
 * they are handed back: first those that are finished, then those that run or wait. Owner only. */

#include <errno.h>

#include "soft/copy/copy.h"

/* Positions count up and wrap; they mean ring[position & mask]. */
struct soft_copy_queue {
    uint32_t head;  /* next to hand back */
    uint32_t ready; /* first that is not finished */
    uint32_t tail;  /* next to be submitted */
    uint32_t depth;
    uint32_t mask;
    struct soft_copy_job **ring;
};

/* -ENOMEM or -EINVAL with a reason. */
int soft_copy_queue_init(struct soft_copy_queue *queue, uint32_t depth);
void soft_copy_queue_fini(struct soft_copy_queue *queue);

static inline struct soft_copy_job *soft_copy_queue_at(const struct soft_copy_queue *queue,
                                                       uint32_t position)
{
    return queue->ring[position & queue->mask];
}

static inline int soft_copy_queue_push(struct soft_copy_queue *queue, struct soft_copy_job *job)
{
    uint32_t tail = queue->tail;

    if (od_unlikely(tail - queue->head >= queue->depth))
        return -EAGAIN;
    queue->ring[tail & queue->mask] = job;
    queue->tail = tail + 1;
    return 0;
}

static inline bool soft_copy_queue_has_ready(const struct soft_copy_queue *queue)
{
    return queue->head != queue->ready;
}

/* Only while something is ready. */
static inline struct soft_copy_job *soft_copy_queue_pop(struct soft_copy_queue *queue)
{
    return queue->ring[queue->head++ & queue->mask];
}

/* Everything from `position` on ends with -ECANCELED; the number of these jobs. */
uint32_t soft_copy_queue_cancel(struct soft_copy_queue *queue, uint32_t position);

#endif /* OD_SOFT_COPY_QUEUE_H_ */

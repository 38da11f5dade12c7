/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/batch.h"

#include "soft/copy/loop.h"

/* A batch of local jobs has a budget, of which a job takes its bytes and a fixed part. */
#define PLAIN_BUDGET 8192
#define PLAIN_SHARE  512

#define FAR_JOBS  32u
#define FAR_BYTES (128u << 10)

/* One local segment on each side: the common case, without any walking. */
static inline __attribute__((always_inline)) SOFT_COPY_RAW bool
is_plain(const struct soft_copy_job *job)
{
    return job->nsrc == 1 && job->ndst == 1 && job->len <= SOFT_COPY_SMALL &&
           job->src->peer == NULL && job->dst->peer == NULL;
}

SOFT_COPY_RAW static void run_plain(void *arg)
{
    struct soft_copy_queue *queue = arg;
    struct soft_copy_guard *guard = &soft_copy_guard_self;
    struct soft_copy_job **ring = queue->ring;
    uint32_t position = queue->head, tail = queue->tail, mask = queue->mask;
    struct soft_copy_job *job = ring[position & mask];
    int64_t budget = PLAIN_BUDGET;

    do {
        soft_copy_guard_job(guard, job);
        soft_copy_short((void *)(uintptr_t)job->dst->addr, (const void *)(uintptr_t)job->src->addr,
                        job->len);
        budget -= PLAIN_SHARE + (int64_t)job->len;
        job->status = 0;
        position++;
        if (position == tail || budget <= 0)
            break;
        job = ring[position & mask];
    } while (is_plain(job));
    queue->ready = position;
}

static OD_COLD void end_at_fault(struct soft_copy_queue *queue)
{
    uint32_t position = queue->head;
    struct soft_copy_job *job = soft_copy_queue_at(queue, position);

    while (job != soft_copy_guard_self.job)
        job = soft_copy_queue_at(queue, ++position);
    job->status = -EFAULT;
    queue->ready = position + 1;
}

/* Small jobs of one far peer and direction, in one call. Nothing is ready afterwards when the first
 * is not such a job. */
static void run_far(struct soft_copy_lane *lane, struct soft_copy_queue *queue)
{
    uint32_t end = queue->head;
    uint64_t bytes = 0;
    int err;

    while (end != queue->tail && end - queue->head < FAR_JOBS && bytes < FAR_BYTES) {
        const struct soft_copy_job *job = soft_copy_queue_at(queue, end);

        if (!soft_copy_is_small(job) || !soft_copy_vector_add_job(&lane->vector, job))
            break;
        bytes += job->len;
        end++;
    }
    err = soft_copy_vector_flush(&lane->vector);
    for (; queue->ready != end; queue->ready++) {
        struct soft_copy_job *job = soft_copy_queue_at(queue, queue->ready);

        /* A failed call of several does not say whose fault it was. */
        job->status =
            err == 0 || end - queue->head == 1 ? err : soft_copy_range(lane, job, 0, job->len);
    }
}

static __attribute__((noinline)) void run_walked(struct soft_copy_lane *lane,
                                                 struct soft_copy_queue *queue)
{
    struct soft_copy_job *first = soft_copy_queue_at(queue, queue->head);

    run_far(lane, queue);
    if (soft_copy_queue_has_ready(queue))
        return;
    first->status = soft_copy_range(lane, first, 0, first->len);
    queue->ready++;
}

void soft_copy_batch(struct soft_copy_lane *lane, struct soft_copy_queue *queue)
{
    if (od_unlikely(!is_plain(soft_copy_queue_at(queue, queue->head))))
        run_walked(lane, queue);
    else if (od_unlikely(soft_copy_guard_call(soft_copy_guard_own(), run_plain, queue) != 0))
        end_at_fault(queue);
}

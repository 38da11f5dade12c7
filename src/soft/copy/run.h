/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_RUN_H_
#define OD_SOFT_COPY_RUN_H_

/* A run: one job that is executed in chunks, by one thread or by several at once.
 *
 * `ticket` carries both ends of the row of chunks that nobody has taken, in one word. The owner
 * takes from the front and workers from the back, so that a chunk of a buffer that is copied again
 * and again mostly stays with the core that has it in its cache. Who draws a valid chunk may use
 * the other fields until it has finished that chunk, because the run cannot be over before; who
 * draws too late touches nothing. So a run's memory may be used again for the next job while
 * threads that are behind still look at it. */

#include <stdatomic.h>

#include "soft/copy/range.h"
#include "util/waker.h"

#define SOFT_COPY_NO_CHUNK UINT32_MAX

/* Draws that come too late move the ends past each other, a little; they must not wrap. */
#define SOFT_COPY_FIRST (1u << 16)

struct soft_copy_run {
    _Atomic uint64_t ticket; /* back << 32 | front; chunk i is SOFT_COPY_FIRST + i */
    atomic_uint done;        /* chunks */
    uint32_t chunks;
    atomic_int status;   /* the first failure */
    atomic_uint lanes;   /* workers below this number may help */
    atomic_uint age;     /* older runs first; wraps */
    atomic_bool settled; /* nobody touches the run or its waker any more */
    struct soft_copy_job *job;
    uint64_t chunk; /* bytes */
    struct od_waker *waker;
} OD_ALIGNED(OD_CACHE_LINE);

#define SOFT_COPY_CHUNK (1u << 20) /* bytes; of a copy between local memory, at most */

/* Bytes of a chunk; the job goes over `lanes` threads (1: it is not shared). */
uint64_t soft_copy_chunk_size(const struct soft_copy_job *job, uint32_t lanes);

void soft_copy_run_begin(struct soft_copy_run *run, struct soft_copy_job *job, uint64_t chunk);

static inline uint32_t soft_copy_ticket_left(uint64_t ticket)
{
    uint32_t front = (uint32_t)ticket, back = (uint32_t)(ticket >> 32);

    return front < back ? back - front : 0;
}

static inline bool soft_copy_run_has_chunks(const struct soft_copy_run *run)
{
    return soft_copy_ticket_left(atomic_load_explicit(&run->ticket, memory_order_relaxed)) > 0;
}

/* Takes a chunk, SOFT_COPY_NO_CHUNK when all are taken. `last` tells the one who took the last. */
static inline uint32_t soft_copy_run_take_front(struct soft_copy_run *run, bool *last)
{
    uint64_t ticket;

    if (!soft_copy_run_has_chunks(run))
        return SOFT_COPY_NO_CHUNK;
    ticket = atomic_fetch_add_explicit(&run->ticket, 1, memory_order_acq_rel);
    *last = soft_copy_ticket_left(ticket) == 1;
    return soft_copy_ticket_left(ticket) > 0 ? (uint32_t)ticket - SOFT_COPY_FIRST
                                             : SOFT_COPY_NO_CHUNK;
}

static inline uint32_t soft_copy_run_take_back(struct soft_copy_run *run, bool *last)
{
    uint64_t ticket;

    if (!soft_copy_run_has_chunks(run))
        return SOFT_COPY_NO_CHUNK;
    ticket = atomic_fetch_sub_explicit(&run->ticket, (uint64_t)1 << 32, memory_order_acq_rel);
    *last = soft_copy_ticket_left(ticket) == 1;
    return soft_copy_ticket_left(ticket) > 0 ? (uint32_t)(ticket >> 32) - 1 - SOFT_COPY_FIRST
                                             : SOFT_COPY_NO_CHUNK;
}

/* Owner: all chunks are finished, job->status may be set. Sequentially consistent, because an owner
 * looks between arming its waker and going to sleep. */
static inline bool soft_copy_run_is_over(struct soft_copy_run *run)
{
    return atomic_load_explicit(&run->done, memory_order_seq_cst) == run->chunks;
}

/* Executes a chunk that was taken, or skips it when another has failed. True when that was the last
 * to finish; the run then belongs to the channel's owner again. */
bool soft_copy_run_chunk(struct soft_copy_run *run, uint32_t chunk, struct soft_copy_lane *lane);

/* Owner: nobody takes chunks any more; if any was left (told in `left`) the job ends with
 * -ECANCELED. True when that made the run over, false when it was or when others are still at their
 * chunks. */
bool soft_copy_run_cut(struct soft_copy_run *run, bool *left);

#endif /* OD_SOFT_COPY_RUN_H_ */

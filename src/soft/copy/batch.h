/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_BATCH_H_
#define OD_SOFT_COPY_BATCH_H_

/* Small jobs: executed by the polling thread, several at a time, so that the price of the fault
 * guard or of a call to a far peer is shared. */

#include "soft/copy/queue.h"
#include "soft/copy/range.h"

#define SOFT_COPY_SMALL (32u << 10) /* bytes; longer jobs are run in chunks */

static inline bool soft_copy_is_small(const struct soft_copy_job *job)
{
    return job->len <= SOFT_COPY_SMALL;
}

static inline bool soft_copy_any_abroad(const struct soft_seg *seg, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (od_unlikely(seg[i].peer != NULL) && soft_peer_is_far(seg[i].peer))
            return true;
    }
    return false;
}

/* Whether a side is on another host, whose answer may take seconds: nothing for a thread that must
 * not wait. */
static inline bool soft_copy_is_abroad(const struct soft_copy_job *job)
{
    return soft_copy_any_abroad(job->src, job->nsrc) || soft_copy_any_abroad(job->dst, job->ndst);
}

/* Executes the first job, which must be small, and some of the small ones behind it. Nothing may be
 * ready; afterwards at least one is. */
void soft_copy_batch(struct soft_copy_lane *lane, struct soft_copy_queue *queue);

#endif /* OD_SOFT_COPY_BATCH_H_ */

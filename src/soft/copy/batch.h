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

/* Executes the first job, which must be small, and some of the small ones behind it. Nothing may be
 * ready; afterwards at least one is. */
void soft_copy_batch(struct soft_copy_lane *lane, struct soft_copy_queue *queue);

#endif /* OD_SOFT_COPY_BATCH_H_ */

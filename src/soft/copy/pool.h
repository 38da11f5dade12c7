/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_POOL_H_
#define OD_SOFT_COPY_POOL_H_

/* The copy lanes of the process: worker threads that help with published runs.
 *
 * Lane 0 of a run is the owner of its channel, lane i is worker i. Workers exist while a channel
 * needs them. One that finds nothing to do spins for a moment, so that the next run costs no system
 * call, then sleeps until soft_copy_pool_wake(). After a fork the child has no workers; it may only
 * exec or exit. */

#include "soft/copy/run.h"

#define SOFT_COPY_LANES 64u /* most of a process, owner included */

/* Makes sure that lanes - 1 workers exist; a call that returned 0 needs one soft_copy_pool_leave().
 * -EAGAIN, -ENOMEM with a reason. */
int soft_copy_pool_enter(uint32_t lanes);
void soft_copy_pool_leave(void);

/* Offers the job to workers 1 to lanes - 1. Those that sleep go on sleeping. NULL: no slot is free.
 * The waker is woken when a worker finishes the run, and may be touched until the run is settled.
 */
struct soft_copy_run *soft_copy_pool_publish(struct soft_copy_job *job, uint64_t chunk,
                                             uint32_t lanes, struct od_waker *waker);

/* Wakes those of workers 1 to lanes - 1 that sleep. */
void soft_copy_pool_wake(uint32_t lanes);

/* Owner: executes one chunk of a published run. False when all are taken. */
bool soft_copy_pool_help(struct soft_copy_run *run, struct soft_copy_lane *lane);

/* Owner: see soft_copy_run_cut(). */
void soft_copy_pool_cut(struct soft_copy_run *run);

/* Owner: gives back a run that is over. False, and nothing happened, while a worker has not left.
 */
bool soft_copy_pool_retire(struct soft_copy_run *run);

#endif /* OD_SOFT_COPY_POOL_H_ */

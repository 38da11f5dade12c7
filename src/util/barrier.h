/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_BARRIER_H_
#define OD_UTIL_BARRIER_H_

/* A barrier with the whole cost on one side.
 *
 * Two threads that each write one thing and then read the other's need a full barrier between write
 * and read, both of them, or they may miss each other. A full barrier waits for the line of what
 * was written to arrive, which costs a hot path more than all the rest. Where one side is rare, it
 * can do the barrier for both: the kernel then interrupts the threads of all processes that take
 * part.
 *
 * The other side, the frequent one, is ordered for the compiler only, provided that its process has
 * registered and that the rare side can do this; else it needs its own barrier. */

#include <stdatomic.h>

#include "util/base.h"

/* Lets threads of this process be interrupted. True: they may go without barriers of their own. May
 * take some milliseconds the first time in a process with several threads. */
bool od_barrier_register(void);

/* Whether od_barrier_for_all() works here. */
bool od_barrier_is_supported(void);

/* A full barrier for this thread and for all that run in registered processes; where that is not
 * supported for this thread only. */
void od_barrier_for_all(void);

/* The frequent side, between its write and its read. */
static inline void od_barrier_light(bool full)
{
    if (full)
        atomic_thread_fence(memory_order_seq_cst);
    else
        atomic_signal_fence(memory_order_seq_cst);
}

#endif /* OD_UTIL_BARRIER_H_ */

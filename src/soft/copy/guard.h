/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_GUARD_H_
#define OD_SOFT_COPY_GUARD_H_

/* The fault guard: a copy that meets a bad page ends with -EFAULT, the process lives on.
 *
 * One handler for SIGSEGV and SIGBUS serves the process. It acts only when the faulting thread is
 * inside soft_copy_guard_call() and the address belongs to what that call said it copies; every
 * other fault goes to the handler that the application had installed, or ends in the default
 * action. There is no system call and no lock on the way of a copy. */

#include "soft/copy/copy.h"

/* What is being copied: one job between single local segments, or else one span of bytes. */
struct soft_copy_guard {
    void *sp; /* first, known to guard_jump.S; not NULL while armed */
    struct soft_copy_job *job;
    uintptr_t src;
    uintptr_t dst;
    size_t len;
    bool reachable; /* this thread does not block the two signals */
};

extern __thread struct soft_copy_guard soft_copy_guard_self __attribute__((visibility("hidden")));

/* Puts the handler in place, in front of what is there. Called at each channel open, so that a
 * handler which the application installed in between is behind ours again. 0 or a negative errno.
 */
int soft_copy_guard_install(void);

/* Out of line half of soft_copy_guard_own(): lets the two signals through in this thread. */
void soft_copy_guard_unblock(struct soft_copy_guard *guard) OD_COLD
    __attribute__((visibility("hidden")));

/* This thread's own guard. The kernel ends a process that faults while it blocks the signal, and
 * threads that block all signals are common: looked after once a thread, and at each install. */
static inline struct soft_copy_guard *soft_copy_guard_own(void)
{
    struct soft_copy_guard *guard = &soft_copy_guard_self;

    if (od_unlikely(!guard->reachable))
        soft_copy_guard_unblock(guard);
    return guard;
}

/* Runs fn(arg) armed: 0, or -EFAULT when fn touched a bad page of the span that it had announced;
 * fn was then left where it was, what it had in registers is lost. `guard` is this thread's own. */
int soft_copy_guard_call(struct soft_copy_guard *guard, void (*fn)(void *), void *arg)
    __attribute__((visibility("hidden")));

/* Announce what will be touched next, before or inside soft_copy_guard_call(). The handler must see
 * it, and all that was written before. */
static inline __attribute__((always_inline)) SOFT_COPY_RAW void
soft_copy_guard_span(struct soft_copy_guard *guard, void *dst, const void *src, size_t len)
{
    guard->job = NULL;
    guard->src = (uintptr_t)src;
    guard->dst = (uintptr_t)dst;
    guard->len = len;
    __asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) SOFT_COPY_RAW void
soft_copy_guard_job(struct soft_copy_guard *guard, struct soft_copy_job *job)
{
    guard->job = job;
    __asm__ volatile("" ::: "memory");
}

#endif /* OD_SOFT_COPY_GUARD_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_WAKER_H_
#define OD_UTIL_WAKER_H_

/* One sleeper, many wakers, no system call unless the sleeper said that it sleeps.
 *
 * The sleeper owns the waker: it arms, looks once more for work, then blocks on the fd. Whoever
 * publishes work calls od_waker_wake() afterwards. The two sequentially consistent accesses pair up
 * (publish work / read armed against set armed / read work), so one of the two sides always sees
 * the other: no wake-up is lost. */

#include <stdatomic.h>

#include "util/base.h"

struct od_waker {
    atomic_uint armed;
    int fd; /* eventfd, non-blocking; readable = something may have happened */
};

/* Returns 0 or a negative errno. */
int od_waker_open(struct od_waker *waker);
void od_waker_close(struct od_waker *waker);

/* Sleeper only. Work that was published before this call must be looked for after it. */
static inline void od_waker_arm(struct od_waker *waker)
{
    atomic_store_explicit(&waker->armed, 1, memory_order_seq_cst);
}

/* Out of line half of od_waker_wake(): makes the fd readable. */
void od_waker_fire(struct od_waker *waker);

/* Any thread. Call after the work is published. */
static inline void od_waker_wake(struct od_waker *waker)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (od_unlikely(atomic_load_explicit(&waker->armed, memory_order_relaxed) != 0))
        od_waker_fire(waker);
}

/* The same for work that the sleeper's own thread publishes: it cannot be asleep, only armed. */
static inline void od_waker_wake_self(struct od_waker *waker)
{
    if (od_unlikely(atomic_load_explicit(&waker->armed, memory_order_relaxed) != 0))
        od_waker_fire(waker);
}

/* Sleeper only: makes the fd unreadable again. Returns 0 or a negative errno. */
int od_waker_clear(struct od_waker *waker);

#endif /* OD_UTIL_WAKER_H_ */

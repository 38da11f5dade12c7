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
    /* For other processes, see od_waker_share(): odd while the sleeper sleeps. NULL: not shared. */
    _Atomic uint32_t *epoch;
    int epoch_fd;
};

/* Returns 0 or a negative errno. */
int od_waker_open(struct od_waker *waker);
void od_waker_close(struct od_waker *waker);

/* Out of line half of od_waker_arm(): shows it to other processes. */
void od_waker_show(struct od_waker *waker);

/* Sleeper only. Work that was published before this call must be looked for after it. */
static inline void od_waker_arm(struct od_waker *waker)
{
    atomic_store_explicit(&waker->armed, 1, memory_order_seq_cst);
    if (waker->epoch != NULL)
        od_waker_show(waker);
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

/* Sleeper only: armed, and not fired since. */
static inline bool od_waker_is_armed(const struct od_waker *waker)
{
    return atomic_load_explicit(&waker->armed, memory_order_relaxed) != 0;
}

/* The same for work that the sleeper's own thread publishes: it cannot be asleep, only armed. */
static inline void od_waker_wake_self(struct od_waker *waker)
{
    if (od_unlikely(od_waker_is_armed(waker)))
        od_waker_fire(waker);
}

/* Sleeper only: as od_waker_clear(), without the system call, when the fd was not readable. If it
 * is so by now the next sleep ends at once. */
void od_waker_disarm(struct od_waker *waker);

/* Sleeper only: makes the fd unreadable again. Returns 0 or a negative errno. */
int od_waker_clear(struct od_waker *waker);

/* ---- Wakers in other processes ----
 *
 * They cannot take the flag, because a hostile one could take it for itself, but they may look: the
 * sleeper shares a page that they can only read. They tell the sleeper's process by a message, once
 * for each time that it went to sleep, and somebody there calls od_waker_wake(). The sleeper does
 * the barrier for both sides, see barrier.h. */

/* Sleeper only. Returns a memory file to hand over, the waker's own; or a negative errno. */
int od_waker_share(struct od_waker *waker);

struct od_waker_view {
    const _Atomic uint32_t *epoch; /* NULL: nobody sleeps there */
    uint32_t told;
};

/* Maps what was handed over; the fd stays the caller's. -EBADMSG: not such a file. */
int od_waker_view_open(struct od_waker_view *view, int fd);
void od_waker_view_close(struct od_waker_view *view);

/* Call after the work is published, with od_barrier_light() in between: the sleeper has done the
 * other half. Not 0: the sleeper sleeps and must be told, with this number. */
static inline uint32_t od_waker_view_due(struct od_waker_view *view)
{
    uint32_t epoch;

    if (view->epoch == NULL)
        return 0;
    epoch = atomic_load_explicit(view->epoch, memory_order_relaxed);
    if (od_likely((epoch & 1) == 0 || epoch == view->told))
        return 0;
    view->told = epoch;
    return epoch;
}

#endif /* OD_UTIL_WAKER_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_SERVICE_H_
#define OD_SOFT_SERVICE_SERVICE_H_

/* The background thread of a process: it watches file descriptors and times for the rooms that
 * serve other processes, so that these need not wait for the application.
 *
 * There is one thread and one lock. The lock guards the watches and whatever a room shares between
 * its callers and the thread; it is held for microseconds, never across a wait.
 *
 * After a fork the child has no thread and none of the descriptors; rooms are told. */

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "soft/soft.h"
#include "util/list.h"

/* ---- The thread ---- */

struct soft_service_room {
    struct od_list link; /* the service's */
    /* The process exits, the thread has ended. Lock not held. */
    void (*at_exit)(void);
    /* In a forked child, lock held, nothing is watched any more: close what is the parent's. */
    void (*in_child)(void);
};

void soft_service_lock(void);
void soft_service_unlock(void);

/* Starts the thread when it does not run, and enters the room, which is static. Lock held. Negative
 * errno with a reason: -ESHUTDOWN once the process exits. */
int soft_service_start(struct soft_service_room *room);

/* This process takes part in barriers for all, see util/barrier.h. Comes true a moment after the
 * start. */
extern atomic_bool soft_service_registered;

/* Process id without a system call; valid once the service was started. */
pid_t soft_service_self(void);

/* ---- File descriptors ---- */

/* Events are matched by number, so that one that comes late finds nothing instead of a freed
 * object. */
struct soft_service_watch {
    uint64_t id;
    int fd; /* -1: not watched */
    /* On the background thread, lock held. May drop the lock if only this thread frees the object.
     */
    void (*ready)(struct soft_service_watch *watch, uint32_t events);
};

/* Lock held, all of them. The fd stays the caller's. Negative errno, no reason. */
int soft_service_watch_add(struct soft_service_watch *watch, int fd, uint32_t events,
                           void (*ready)(struct soft_service_watch *, uint32_t));
void soft_service_watch_events(struct soft_service_watch *watch, uint32_t events);
/* Harmless when not watched. */
void soft_service_watch_del(struct soft_service_watch *watch);

/* ---- Times ---- */

struct soft_service_timer {
    struct od_list link;
    uint64_t due; /* ms; 0: not set */
    /* On the background thread, lock held; the timer is no longer set. */
    void (*expired)(struct soft_service_timer *timer);
};

uint64_t soft_service_now_ms(void);

/* Lock held. Sets it anew when it is set already. */
void soft_service_timer_set(struct soft_service_timer *timer, uint64_t delay_ms,
                            void (*expired)(struct soft_service_timer *));
/* Lock held. Harmless when not set. */
void soft_service_timer_cancel(struct soft_service_timer *timer);

/* ---- Helpers ---- */

/* A thread with all signals blocked. Negative errno with a reason. */
int soft_service_thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

/* Random bytes from a pool. Lock held. Negative errno with a reason. */
int soft_service_random(void *bytes, size_t len);

/* fd that is readable once the process at the other end of the socket has ended; -1 when the kernel
 * cannot tell. It notices even when a forked child of that process still holds the socket. */
int soft_service_pidfd(int sock, pid_t pid);

#endif /* OD_SOFT_SERVICE_SERVICE_H_ */

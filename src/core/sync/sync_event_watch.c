/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sync/sync_event_priv.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

/* One thread a process that looks at the values of sleeping engines' events, because memory cannot
 * wake anybody: the value may be changed by another process or by a plain store. It exists from the
 * first time that an engine goes to sleep over a wait task, polls with growing pauses while there
 * is such an engine, and sleeps else. */

#define PAUSE_MIN_NS 100000 /* after something changed or somebody fell asleep */
#define PAUSE_MAX_NS                                                                               \
    5000000            /* 200 looks a second cost below 1 % of a core also on slow machines        \
                        */
#define PAUSE_GROWTH 8 /* by one eighth: about a ninth of the time that was slept already */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* `events`, `started` */
static struct od_list events = {&events, &events};
static bool started;
static struct od_waker waker;   /* the watcher sleeps here when nobody needs it */
static _Atomic uint64_t rounds; /* how often engines fell asleep */

/* Wakes the event's engine when its value changed. True while somebody sleeps over the event. */
static bool look_at(struct doca_sync_event *event)
{
    uint64_t round = atomic_load(&event->watched);
    struct od_waker *sleeper = core_ctx_waker(&event->ctx);
    uint64_t value;

    if (round == 0)
        return false;
    if (atomic_load_explicit(&sleeper->armed, memory_order_relaxed) != 0 &&
        core_sync_event_load(event, &value) == 0 &&
        value == atomic_load_explicit(&event->watch_value, memory_order_relaxed))
        return true;
    /* Changed, exporter gone, or awake already. Leaves a newer round alone, which has another value
     * to compare with. */
    if (!atomic_compare_exchange_strong(&event->watched, &round, 0))
        return true;
    od_waker_wake(sleeper);
    return false;
}

static bool look_at_all(void)
{
    bool needed = false;

    pthread_mutex_lock(&lock);
    OD_LIST_FOR_EACH(link, &events)
    {
        if (look_at(OD_LIST_ENTRY(link, struct doca_sync_event, watch_link)))
            needed = true;
    }
    pthread_mutex_unlock(&lock);
    return needed;
}

static void sleep_until_needed(void)
{
    struct pollfd fd = {.fd = waker.fd, .events = POLLIN};

    od_waker_arm(&waker);
    if (!look_at_all())
        poll(&fd, 1, -1);
    od_waker_clear(&waker);
}

static void *watch(void *arg)
{
    struct timespec pause = {.tv_nsec = PAUSE_MIN_NS};
    uint64_t seen = 0;

    for (;;) {
        uint64_t now = atomic_load_explicit(&rounds, memory_order_relaxed);

        if (now != seen)
            pause.tv_nsec = PAUSE_MIN_NS;
        else if (pause.tv_nsec < PAUSE_MAX_NS)
            pause.tv_nsec += pause.tv_nsec / PAUSE_GROWTH;
        seen = now;
        if (look_at_all())
            nanosleep(&pause, NULL);
        else
            sleep_until_needed();
    }
    return arg;
}

/* Signals of the application are not for this thread. */
static int start_thread(void)
{
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    int err;

    err = od_waker_open(&waker);
    if (err != 0)
        return -err;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err != 0) {
        od_waker_close(&waker);
        return err;
    }
    pthread_setname_np(thread, "opendoca-watch");
    pthread_detach(thread);
    return 0;
}

static bool enlist(struct doca_sync_event *event)
{
    int err = 0;

    pthread_mutex_lock(&lock);
    if (!started) {
        err = start_thread();
        started = err == 0;
    }
    if (err == 0)
        od_list_append(&events, &event->watch_link);
    pthread_mutex_unlock(&lock);
    event->is_enlisted = err == 0;
    if (err != 0)
        CORE_WARN(
            CORE_LOG_SYNC_EVENT,
            "%s: no thread to watch the value (error %d): the engine polls instead of sleeping",
            event->ctx.name, err);
    return event->is_enlisted;
}

bool core_sync_event_watch(struct doca_sync_event *event, uint64_t value)
{
    if (!event->is_enlisted && !enlist(event))
        return false;
    atomic_store_explicit(&event->watch_value, value, memory_order_relaxed);
    atomic_store_explicit(&event->watched, ++event->watch_round, memory_order_release);
    atomic_fetch_add_explicit(&rounds, 1, memory_order_relaxed);
    od_waker_wake(&waker);
    return true;
}

void core_sync_event_unwatch(struct doca_sync_event *event)
{
    if (!event->is_enlisted)
        return;
    pthread_mutex_lock(&lock);
    od_list_remove(&event->watch_link);
    pthread_mutex_unlock(&lock);
    event->is_enlisted = false;
    atomic_store_explicit(&event->watched, 0, memory_order_relaxed);
}

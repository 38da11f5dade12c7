/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/service.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/single_threaded.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/barrier.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define FIRST_SLOTS    16u
#define REGISTER_DELAY 100 /* ms */
#define EVENTS_MOST    64u /* in a row, before timers have their turn */

atomic_bool soft_service_registered;

/* A watch is found by the low half of its number; the high half tells late events from good ones.
 */
struct slot {
    struct soft_service_watch *watch; /* NULL: free */
    uint32_t generation;
    uint32_t next_free;
};

#define NO_SLOT UINT32_MAX

static struct service {
    pthread_mutex_t lock;
    enum {
        SERVICE_IDLE,
        SERVICE_RUNNING,
        SERVICE_ENDED, /* the process exits */
    } state;
    bool hooked; /* fork and exit handlers are installed; children inherit them */
    bool stop;
    bool sleeping; /* the thread waits, and does not know of changes to the timers */
    pid_t pid;
    pthread_t thread;
    int epoll;
    struct soft_service_watch bell; /* wakes the thread up to stop it, or to look at the timers */
    struct slot *slots;
    uint32_t nslots;
    uint32_t free_slot;
    struct od_list timers; /* by due time */
    struct od_list rooms;
    uint8_t pool[256]; /* getrandom gives so much at once without interruption */
    size_t pool_left;
    struct soft_service_timer registration;
} svc = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .epoll = -1,
    .bell = {.fd = -1},
    .free_slot = NO_SLOT,
    .timers = {&svc.timers, &svc.timers},
    .rooms = {&svc.rooms, &svc.rooms},
};

void soft_service_lock(void)
{
    pthread_mutex_lock(&svc.lock);
}

void soft_service_unlock(void)
{
    pthread_mutex_unlock(&svc.lock);
}

pid_t soft_service_self(void)
{
    return svc.pid;
}

uint64_t soft_service_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

int soft_service_random(void *bytes, size_t len)
{
    if (svc.pool_left < len) {
        if (getrandom(svc.pool, sizeof(svc.pool), 0) != (ssize_t)sizeof(svc.pool))
            return soft_fail(-EIO, "the kernel gives no random bytes: %s", strerror(errno));
        svc.pool_left = sizeof(svc.pool);
    }
    svc.pool_left -= len;
    memcpy(bytes, svc.pool + svc.pool_left, len);
    return 0;
}

int soft_service_pidfd(int sock, pid_t pid)
{
    socklen_t len = sizeof(int);
    int fd = -1;

    if (getsockopt(sock, SOL_SOCKET, SO_PEERPIDFD, &fd, &len) == 0)
        return fd;
    return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

/* ---- Watches ---- */

static int grow_slots(void)
{
    uint32_t n = svc.nslots == 0 ? FIRST_SLOTS : svc.nslots * 2;
    struct slot *slots = reallocarray(svc.slots, n, sizeof(*slots));

    if (slots == NULL)
        return -ENOMEM;
    for (uint32_t i = svc.nslots; i < n; i++)
        slots[i] = (struct slot){.next_free = i + 1 < n ? i + 1 : NO_SLOT};
    svc.free_slot = svc.nslots;
    svc.slots = slots;
    svc.nslots = n;
    return 0;
}

int soft_service_watch_add(struct soft_service_watch *watch, int fd, uint32_t events,
                           void (*ready)(struct soft_service_watch *, uint32_t))
{
    struct epoll_event ev = {.events = events};
    struct slot *slot;

    if (svc.free_slot == NO_SLOT && grow_slots() != 0)
        return -ENOMEM;
    slot = &svc.slots[svc.free_slot];
    ev.data.u64 = (uint64_t)slot->generation << 32 | svc.free_slot;
    if (epoll_ctl(svc.epoll, EPOLL_CTL_ADD, fd, &ev) != 0)
        return -errno;
    svc.free_slot = slot->next_free;
    slot->watch = watch;
    watch->id = ev.data.u64;
    watch->fd = fd;
    watch->ready = ready;
    return 0;
}

void soft_service_watch_events(struct soft_service_watch *watch, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.u64 = watch->id};

    if (watch->fd >= 0 && svc.epoll >= 0)
        epoll_ctl(svc.epoll, EPOLL_CTL_MOD, watch->fd, &ev);
}

void soft_service_watch_del(struct soft_service_watch *watch)
{
    uint32_t index = (uint32_t)watch->id;

    if (watch->fd < 0)
        return;
    if (svc.epoll >= 0)
        epoll_ctl(svc.epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    svc.slots[index].watch = NULL;
    svc.slots[index].generation++;
    svc.slots[index].next_free = svc.free_slot;
    svc.free_slot = index;
    watch->fd = -1;
}

static void dispatch(const struct epoll_event *ev)
{
    uint32_t index = (uint32_t)ev->data.u64;
    struct soft_service_watch *watch = svc.slots[index].watch;

    if (watch != NULL && watch->id == ev->data.u64)
        watch->ready(watch, ev->events);
}

/* ---- Timers ---- */

static void ring(void)
{
    uint64_t one = 1;

    while (write(svc.bell.fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

void soft_service_timer_set(struct soft_service_timer *timer, uint64_t delay_ms,
                            void (*expired)(struct soft_service_timer *))
{
    struct od_list *before;

    soft_service_timer_cancel(timer);
    timer->due = soft_service_now_ms() + delay_ms;
    timer->expired = expired;
    /* Mostly later than all the others. */
    before = svc.timers.prev;
    while (before != &svc.timers &&
           OD_LIST_ENTRY(before, struct soft_service_timer, link)->due > timer->due)
        before = before->prev;
    od_list_append(before->next, &timer->link);
    if (svc.sleeping && svc.timers.next == &timer->link) {
        svc.sleeping = false;
        ring();
    }
}

void soft_service_timer_cancel(struct soft_service_timer *timer)
{
    if (timer->due == 0)
        return;
    od_list_remove(&timer->link);
    timer->due = 0;
}

static void expire_timers(uint64_t now)
{
    while (!od_list_is_empty(&svc.timers)) {
        struct soft_service_timer *timer =
            OD_LIST_ENTRY(svc.timers.next, struct soft_service_timer, link);

        if (timer->due > now)
            return;
        soft_service_timer_cancel(timer);
        timer->expired(timer);
    }
}

/* ms for epoll_wait() */
static int time_left(uint64_t now)
{
    uint64_t due;

    if (od_list_is_empty(&svc.timers))
        return -1;
    due = OD_LIST_ENTRY(svc.timers.next, struct soft_service_timer, link)->due;
    return due <= now ? 0 : (int)OD_MIN(due - now, 60000u);
}

/* ---- The thread ---- */

static void bell_ready(struct soft_service_watch *watch, uint32_t events)
{
    uint64_t count;

    (void)events;
    while (read(watch->fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}

/* A program may close what is not its own ("all from 3 on"), and the numbers then are others'. The
 * epoll knows the bell by number and file, so that both are what they were when this works. */
static bool files_are_ours(void)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.u64 = svc.bell.id};

    return epoll_ctl(svc.epoll, EPOLL_CTL_MOD, svc.bell.fd, &ev) == 0;
}

/* A timer expires when it was due before a look that found no event: what came in time counts, also
 * when this thread stood still meanwhile. Events that do not end cannot keep it for ever. */
static void *run(void *arg)
{
    unsigned int in_a_row = 0;
    struct epoll_event ev;
    int timeout, n;
    uint64_t now;
    bool lost;

    (void)arg;
    soft_service_lock();
    while (!svc.stop) {
        now = soft_service_now_ms();
        timeout = time_left(now);
        svc.sleeping = true;
        soft_service_unlock();
        n = epoll_wait(svc.epoll, &ev, 1, timeout);
        lost = n < 0 && errno != EINTR;
        soft_service_lock();
        svc.sleeping = false;
        if (lost)
            break;
        if (n == 1 && !svc.stop)
            dispatch(&ev);
        in_a_row = n == 1 ? in_a_row + 1 : 0;
        if (!svc.stop && in_a_row % EVENTS_MOST == 0)
            expire_timers(now);
    }
    soft_service_unlock();
    return NULL;
}

int soft_service_thread_start(pthread_t *thread, const char *name, void *(*body)(void *), void *arg)
{
    sigset_t all, before;
    int rc;

    /* Signals of the application are for its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(thread, NULL, body, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        return soft_fail(-rc, "cannot start the thread %s: %s", name, strerror(rc));
    pthread_setname_np(*thread, name);
    return 0;
}

static void register_now(struct soft_service_timer *timer)
{
    (void)timer;
    atomic_store(&soft_service_registered, od_barrier_register());
}

static void close_service(void)
{
    int bell = svc.bell.fd;

    soft_service_watch_del(&svc.bell);
    if (bell >= 0)
        close(bell);
    if (svc.epoll >= 0)
        close(svc.epoll);
    svc.epoll = -1;
}

static void stop_at_exit(void)
{
    bool running;

    soft_service_lock();
    running = svc.state == SERVICE_RUNNING && svc.pid == getpid() && files_are_ours();
    svc.state = SERVICE_ENDED;
    svc.stop = true;
    soft_service_unlock();
    if (!running)
        return;
    ring();
    pthread_join(svc.thread, NULL);
    OD_LIST_FOR_EACH(link, &svc.rooms)
    {
        OD_LIST_ENTRY(link, struct soft_service_room, link)->at_exit();
    }
    soft_service_lock();
    close_service();
    soft_service_unlock();
}

/* A child has none of the threads, and its descriptors are the parent's: whoever waits for the
 * parent's end must not be held up by them. */
static void in_child(void)
{
    if (svc.state == SERVICE_RUNNING && !files_are_ours()) {
        svc.state = SERVICE_ENDED; /* nothing may be closed: the numbers are the program's */
        soft_service_unlock();
        return;
    }
    /* First of all: the epoll is shared with the parent, nothing may be taken out of it. */
    if (svc.epoll >= 0)
        close(svc.epoll);
    svc.epoll = -1;
    OD_LIST_FOR_EACH(link, &svc.rooms)
    {
        OD_LIST_ENTRY(link, struct soft_service_room, link)->in_child();
    }
    close_service();
    od_list_init(&svc.timers);
    svc.registration.due = 0;
    atomic_store(&soft_service_registered, false);
    svc.pool_left = 0;
    if (svc.state == SERVICE_RUNNING)
        svc.state = SERVICE_IDLE;
    soft_service_unlock();
}

static int install_hooks(void)
{
    if (svc.hooked)
        return 0;
    if (pthread_atfork(soft_service_lock, soft_service_unlock, in_child) != 0 ||
        atexit(stop_at_exit) != 0)
        return soft_fail(-ENOMEM, "cannot install the fork and exit handlers: out of memory");
    svc.hooked = true;
    return 0;
}

static int open_service(void)
{
    int bell, rc;

    svc.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (svc.epoll < 0)
        return soft_fail(-errno, "cannot create an epoll: %s", strerror(errno));
    bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (bell < 0) {
        rc = soft_fail(-errno, "cannot create an eventfd: %s", strerror(errno));
        goto err_close_epoll;
    }
    rc = soft_service_watch_add(&svc.bell, bell, EPOLLIN, bell_ready);
    if (rc != 0) {
        soft_fail(rc, "cannot watch an eventfd: %s", strerror(-rc));
        goto err_close_bell;
    }
    return 0;

err_close_bell:
    close(bell);
err_close_epoll:
    close(svc.epoll);
    svc.epoll = -1;
    return rc;
}

static int start_thread(void)
{
    int rc;

    if (svc.state == SERVICE_RUNNING && files_are_ours())
        return 0;
    if (svc.state != SERVICE_IDLE)
        return soft_fail(-ESHUTDOWN, "the process exits, or has closed file descriptors that are "
                                     "this library's; close only what the program has opened");
    rc = install_hooks();
    if (rc != 0)
        return rc;
    rc = open_service();
    if (rc != 0)
        return rc;
    svc.pid = getpid();
    svc.stop = false;
    /* With several threads it takes many milliseconds, which nobody is to wait for. */
    if (__libc_single_threaded)
        register_now(NULL);
    else
        soft_service_timer_set(&svc.registration, REGISTER_DELAY, register_now);
    rc = soft_service_thread_start(&svc.thread, "opendoca", run, NULL);
    if (rc != 0)
        goto err_close_service;
    svc.state = SERVICE_RUNNING;
    return 0;

err_close_service:
    close_service();
    return rc;
}

int soft_service_start(struct soft_service_room *room)
{
    int rc = start_thread();

    if (rc == 0 && room->link.next == NULL)
        od_list_append(&svc.rooms, &room->link);
    return rc;
}

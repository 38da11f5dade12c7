/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

#define PAUSE_MS 100

static struct service {
    pthread_mutex_t lock;
    enum {
        SERVICE_IDLE,
        SERVICE_RUNNING,
        SERVICE_ENDED, /* the process exits */
    } state;
    bool hooked; /* fork and exit handlers are installed; children inherit them */
    bool stop;
    pid_t pid;
    pthread_t thread;
    int epoll;
    struct soft_peer_watch bell; /* wakes the thread up to stop it */
    uint64_t last_id;
    struct od_list watches;
    struct soft_peer_watch *paused;
    uint32_t paused_events;
    uint8_t pool[256]; /* getrandom gives so much at once without interruption */
    size_t pool_left;
} svc = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .epoll = -1,
    .bell = {.fd = -1},
    .watches = {&svc.watches, &svc.watches},
};

void soft_peer_lock(void)
{
    pthread_mutex_lock(&svc.lock);
}

void soft_peer_unlock(void)
{
    pthread_mutex_unlock(&svc.lock);
}

pid_t soft_peer_self(void)
{
    return svc.pid;
}

uint64_t soft_peer_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

int soft_peer_random(void *bytes, size_t len)
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

int soft_peer_pidfd(int sock, pid_t pid)
{
    socklen_t len = sizeof(int);
    int fd = -1;

    if (getsockopt(sock, SOL_SOCKET, SO_PEERPIDFD, &fd, &len) == 0)
        return fd;
    return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

/* ---- Shared memory files ---- */

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int soft_peer_shared_create(const char *name, size_t size, void **addr, int *fd)
{
    const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int file = memfd_create(name, flags | MFD_NOEXEC_SEAL);
    void *p;
    int rc;

    if (file < 0 && errno == EINVAL)
        file = memfd_create(name, flags);
    if (file < 0)
        return -errno;
    if (ftruncate(file, (off_t)size) != 0 || fcntl(file, F_ADD_SEALS, SEALS) != 0) {
        rc = -errno;
        goto err_close;
    }
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (p == MAP_FAILED) {
        rc = -errno;
        goto err_close;
    }
    *addr = p;
    *fd = file;
    return 0;

err_close:
    close(file);
    return rc;
}

int soft_peer_shared_map(int fd, size_t size, void **addr)
{
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat st;
    void *p;

    /* Without the seal its owner could shrink it, and an access would raise SIGBUS. */
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &st) != 0 ||
        (uint64_t)st.st_size != size)
        return -EBADMSG;
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return -errno;
    *addr = p;
    return 0;
}

/* ---- Watches ---- */

int soft_peer_watch_add(struct soft_peer_watch *watch, int fd, uint32_t events,
                        void (*ready)(struct soft_peer_watch *, uint32_t))
{
    struct epoll_event ev = {.events = events, .data.u64 = svc.last_id + 1};

    if (epoll_ctl(svc.epoll, EPOLL_CTL_ADD, fd, &ev) != 0)
        return -errno;
    watch->id = ++svc.last_id;
    watch->fd = fd;
    watch->ready = ready;
    od_list_append(&svc.watches, &watch->link);
    return 0;
}

void soft_peer_watch_del(struct soft_peer_watch *watch)
{
    if (watch->fd < 0)
        return;
    if (svc.paused == watch)
        svc.paused = NULL;
    if (svc.epoll >= 0)
        epoll_ctl(svc.epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    od_list_remove(&watch->link);
    watch->fd = -1;
}

static void set_events(struct soft_peer_watch *watch, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.u64 = watch->id};

    epoll_ctl(svc.epoll, EPOLL_CTL_MOD, watch->fd, &ev);
}

void soft_peer_watch_pause(struct soft_peer_watch *watch, uint32_t events)
{
    svc.paused = watch;
    svc.paused_events = events;
    set_events(watch, 0);
}

static void resume_paused(void)
{
    struct soft_peer_watch *watch = svc.paused;

    svc.paused = NULL;
    if (watch != NULL)
        set_events(watch, svc.paused_events);
}

static void dispatch(const struct epoll_event *ev)
{
    OD_LIST_FOR_EACH(link, &svc.watches)
    {
        struct soft_peer_watch *watch = OD_LIST_ENTRY(link, struct soft_peer_watch, link);

        if (watch->id == ev->data.u64) {
            watch->ready(watch, ev->events);
            return;
        }
    }
}

/* ---- The thread ---- */

static void bell_ready(struct soft_peer_watch *watch, uint32_t events)
{
    /* Only rung to stop, which the loop sees by itself. */
    (void)watch;
    (void)events;
}

static void *run(void *arg)
{
    int timeout = -1;

    (void)arg;
    for (;;) {
        struct epoll_event ev;
        int n = epoll_wait(svc.epoll, &ev, 1, timeout);

        soft_peer_lock();
        if (svc.stop)
            break;
        if (n == 0)
            resume_paused();
        else if (n == 1)
            dispatch(&ev);
        timeout = svc.paused != NULL ? PAUSE_MS : -1;
        soft_peer_unlock();
    }
    soft_peer_unlock();
    return NULL;
}

int soft_peer_thread_start(pthread_t *thread, const char *name, void *(*body)(void *))
{
    sigset_t all, before;
    int rc;

    /* Signals of the application are for its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(thread, NULL, body, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        return soft_fail(-rc, "cannot start the thread %s: %s", name, strerror(rc));
    pthread_setname_np(*thread, name);
    return 0;
}

static void close_service(void)
{
    int bell = svc.bell.fd;

    soft_peer_watch_del(&svc.bell);
    if (bell >= 0)
        close(bell);
    if (svc.epoll >= 0)
        close(svc.epoll);
    svc.epoll = -1;
}

static void stop_at_exit(void)
{
    uint64_t one = 1;
    bool running;

    soft_peer_lock();
    running = svc.state == SERVICE_RUNNING && svc.pid == getpid();
    svc.state = SERVICE_ENDED;
    svc.stop = true;
    soft_peer_unlock();
    if (!running)
        return;
    while (write(svc.bell.fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
    pthread_join(svc.thread, NULL);
    soft_peer_lanes_stop();
    soft_peer_lock();
    soft_peer_server_stop(true);
    close_service();
    soft_peer_unlock();
}

/* A child has none of the threads, and its descriptors are the parent's: whoever waits for the
 * parent's end must not be held up by them. */
static void in_child(void)
{
    /* First of all: the epoll is shared with the parent, nothing may be taken out of it. */
    if (svc.epoll >= 0)
        close(svc.epoll);
    svc.epoll = -1;
    soft_peer_lanes_forget();
    soft_peer_server_stop(false);
    soft_peer_exports_forget();
    soft_peer_conns_forget();
    close_service();
    svc.pool_left = 0;
    if (svc.state == SERVICE_RUNNING)
        svc.state = SERVICE_IDLE;
    soft_peer_unlock();
}

static int install_hooks(void)
{
    if (svc.hooked)
        return 0;
    if (pthread_atfork(soft_peer_lock, soft_peer_unlock, in_child) != 0 ||
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
    rc = soft_peer_watch_add(&svc.bell, bell, EPOLLIN, bell_ready);
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

int soft_peer_service_start(void)
{
    int rc;

    if (svc.state == SERVICE_RUNNING)
        return 0;
    if (svc.state == SERVICE_ENDED)
        return soft_fail(-ESHUTDOWN, "the process exits; export and import before that");
    rc = install_hooks();
    if (rc != 0)
        return rc;
    rc = open_service();
    if (rc != 0)
        return rc;
    svc.pid = getpid();
    svc.stop = false;
    rc = soft_peer_thread_start(&svc.thread, "opendoca-peer", run);
    if (rc != 0)
        goto err_close_service;
    svc.state = SERVICE_RUNNING;
    return 0;

err_close_service:
    close_service();
    return rc;
}

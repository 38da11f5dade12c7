/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/daemon_priv.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(UROM::DAEMON::LOOP);

#define TICK_MS 1000
#define FAST_MS 20 /* while somebody waits for a deadline */

uint64_t daemon_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int daemon_watch_add(struct daemon *daemon, struct daemon_watch *watch, int fd,
                     void (*ready)(struct daemon *, struct daemon_watch *, uint32_t))
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = watch};

    if (epoll_ctl(daemon->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
        return -errno;
    watch->fd = fd;
    watch->ready = ready;
    return 0;
}

void daemon_watch_close(struct daemon *daemon, struct daemon_watch *watch)
{
    if (watch->fd < 0)
        return;
    epoll_ctl(daemon->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    close(watch->fd);
    watch->fd = -1;
    for (int i = 0; i < daemon->nevents; i++) {
        if (daemon->events[i].data.ptr == watch)
            daemon->events[i].data.ptr = NULL;
    }
}

static void end(struct daemon *daemon)
{
    if (daemon->stopping)
        return;
    DOCA_LOG_INFO("ending: no more clients, workers are told to stop");
    daemon->stopping = true;
    daemon_lock_tell(daemon, "ends");
    for (size_t i = 0; i < daemon->nlisteners; i++)
        soft_link_unlisten(daemon->listeners[i]);
    daemon->nlisteners = 0;
    OD_LIST_FOR_EACH_SAFE(link, &daemon->workers)
    daemon_worker_stop(daemon, OD_LIST_ENTRY(link, struct daemon_worker, entry));
}

static void on_signal(struct daemon *daemon, struct daemon_watch *watch, uint32_t events)
{
    struct signalfd_siginfo info;

    (void)events;
    while (read(watch->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGHUP) {
            DOCA_LOG_INFO("SIGHUP: looking for plugins, reading the token file again");
            daemon_identity_reload(daemon);
            daemon_plugins_scan(daemon);
        } else if (info.ssi_signo != SIGCHLD) {
            end(daemon);
        }
    }
}

static int watch_signals(struct daemon *daemon)
{
    sigset_t set;
    int fd, err;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    err = daemon_watch_add(daemon, &daemon->signals, fd, on_signal);
    if (err != 0)
        close(fd);
    return err;
}

/* The waker's fd is its own to close. */
static void on_wake(struct daemon *daemon, struct daemon_watch *watch, uint32_t events)
{
    (void)daemon;
    (void)watch;
    (void)events;
}

static bool has_deadlines(const struct daemon *daemon)
{
    if (!od_list_is_empty(&daemon->probes))
        return true;
    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        if (OD_LIST_ENTRY(link, struct daemon_worker, entry)->deadline != 0)
            return true;
    }
    return false;
}

static int timeout(const struct daemon *daemon)
{
    if (has_deadlines(daemon))
        return FAST_MS;
    return od_list_is_empty(&daemon->workers) ? -1 : TICK_MS;
}

/* Sleeps until something happens. */
static void wait_events(struct daemon *daemon)
{
    int limit = 0;

    od_waker_arm(&daemon->waker);
    if (!daemon_clients_pending(daemon))
        limit = timeout(daemon);
    daemon->nevents = epoll_wait(daemon->epoll, daemon->events, DAEMON_EVENTS, limit);
    od_waker_clear(&daemon->waker);
}

static void serve_events(struct daemon *daemon)
{
    for (int i = 0; i < daemon->nevents; i++) {
        struct daemon_watch *watch = daemon->events[i].data.ptr;

        /* An earlier event of this round may have closed it. */
        if (watch != NULL)
            watch->ready(daemon, watch, daemon->events[i].events);
    }
    daemon->nevents = 0;
}

void daemon_loop(struct daemon *daemon)
{
    daemon_watch_add(daemon, &daemon->waking, daemon->waker.fd, on_wake);
    if (watch_signals(daemon) != 0)
        DOCA_LOG_ERR("no signalfd: signals end this process at once");
    while (!daemon->stopping || !od_list_is_empty(&daemon->workers)) {
        uint64_t looked;

        if (!daemon->was_ready && !daemon_plugins_busy(daemon)) {
            daemon->was_ready = true;
            daemon_say_ready(daemon);
        }
        /* What came before a deadline is in time, also when this process stood still meanwhile. */
        looked = daemon_now_ms();
        wait_events(daemon);
        serve_events(daemon);
        daemon_clients_poll(daemon);
        daemon_probes_tick(daemon, looked);
        daemon_workers_tick(daemon, looked);
    }
}

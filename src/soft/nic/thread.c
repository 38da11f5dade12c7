/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread of a port: drives for owners that sleep, else it sleeps itself. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "soft/nic/nic_priv.h"
#include "util/clock.h"

/* Ports that cannot tell are looked at so often. */
#define LOOK_MS 1

/* Without frames, so often the counters are brought up to date and the link is looked at. */
#define TICK_MS 200
#define TICK_NS (TICK_MS * 1000000u)

static void tick(struct soft_nic_port *port, uint64_t *next)
{
    struct soft_nic_port_info info;
    uint64_t now = soft_nic_now();

    /* The clock may be set back. */
    if (now < *next && *next - now <= TICK_NS)
        return;
    *next = now + TICK_NS;
    soft_nic_port_info(port, &info); /* counts when the link went down */
    soft_nic_port_refresh(port);
    soft_nic_tell_news(port, &info);
    soft_nic_taps_look(port);
}

static bool is_idle(const struct soft_nic_port *port)
{
    return atomic_load(&port->sleepers) == 0 && !atomic_load(&port->over);
}

/* The rx side belongs to whoever has the lock, also for arming it. -2: somebody else drives. */
static int arm_port(struct soft_nic_port *port)
{
    int fd;

    soft_nic_port_lock(port);
    fd = port->backend->ops->sleep_fd(port->backend);
    soft_nic_port_unlock(port);
    return fd;
}

/* Wakes owners whose time has come. How long until the next one's, at most `longest`, in ns. */
static uint64_t tell_owners(struct soft_nic_port *port, uint64_t longest)
{
    uint64_t due = UINT64_MAX, now;

    soft_nic_port_lock(port);
    if (port->nmoderated > 0)
        due = soft_nic_port_tell(port);
    port->told = due;
    soft_nic_port_unlock(port);
    if (due == UINT64_MAX)
        return longest;
    now = od_now_ns();
    return due > now ? OD_MIN(due - now, longest) : 0;
}

static void wait_for_frames(struct soft_nic_port *port)
{
    struct pollfd fds[2] = {{.fd = port->bell.fd, .events = POLLIN},
                            {.fd = arm_port(port), .events = POLLIN}};
    struct timespec timeout = {0};

    od_waker_arm(&port->bell);
    if (atomic_load(&port->over) || soft_nic_port_drive(port) > 0)
        return;
    timeout.tv_nsec = (long)tell_owners(port, (fds[1].fd < 0 ? LOOK_MS : TICK_MS) * 1000000u);
    ppoll(fds, 2, &timeout, NULL);
    od_waker_clear(&port->bell);
    /* An interface that went down makes its socket readable for ever. */
    if ((fds[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
        poll(fds, 1, LOOK_MS);
}

static void wait_for_sleepers(struct soft_nic_port *port)
{
    struct pollfd bell = {.fd = port->bell.fd, .events = POLLIN};

    od_waker_arm(&port->bell);
    if (is_idle(port))
        poll(&bell, 1, TICK_MS);
    od_waker_clear(&port->bell);
}

static void *run(void *arg)
{
    struct soft_nic_port *port = arg;
    uint64_t next = 0;

    while (!atomic_load(&port->over)) {
        if (!is_idle(port) && soft_nic_port_drive(port) > 0)
            continue;
        tick(port, &next);
        if (is_idle(port))
            wait_for_sleepers(port);
        else
            wait_for_frames(port);
    }
    return NULL;
}

int soft_nic_thread_start(struct soft_nic_port *port)
{
    sigset_t all, old;
    int err = od_waker_open(&port->bell);

    if (err != 0)
        return soft_fail(err, "no wake-up for a port: %s", strerror(-err));
    /* Signals are for the program's threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = pthread_create(&port->thread, NULL, run, port);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err == 0)
        return 0;
    od_waker_close(&port->bell);
    return soft_fail(-err, "no thread for a port: %s", strerror(err));
}

void soft_nic_thread_stop(struct soft_nic_port *port)
{
    atomic_store(&port->over, true);
    od_waker_fire(&port->bell);
    pthread_join(port->thread, NULL);
    od_waker_close(&port->bell);
}

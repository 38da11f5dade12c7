/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop, and when it sleeps.
 *
 * After the last bit of work it spins for a short while, unless it shares a processor, then gives
 * its turn away for a millisecond, then sleeps. A processor that halts in a virtual machine costs
 * the other ones too when it is woken, up to a fifth of a millisecond of the host thread's
 * computation, so a worker between two commands of a busy program does not sleep. Commands wake it
 * at once. A plugin that cannot say what would wake it is asked for progress now and then, in steps
 * that become longer: up to a millisecond, and after a second without work up to eight, which keeps
 * an idle worker below a hundredth of a processor. */
#include "urom/worker/worker_priv.h"

#include <poll.h>
#include <sched.h>
#include <time.h>

#define SPIN_NS       20000
#define SPIN_ALONE_NS 2000 /* the same on the only processor, while nobody else wants it */
#define ALONE_NS      1000 /* a turn that is given away is back, when nobody does */
#define YIELD_NS      1000000
#define CLOCK_EVERY   4    /* turns that spin, between looks at the clock */
#define LOOKS         4    /* for commands in such a turn */
#define CONTROL_EVERY 4096 /* turns without sleep between looks at the control socket */
#define OTHERS_EVERY  64   /* turns with work between looks at who greets, and at domains */
#define NAP_MIN_NS    50000
#define NAP_MAX_NS    1000000
#define NAP_LONG_NS   8000000
#define NAPS_TO_LONG  1000

#define MAX_FDS (2 + UROM_WIRE_PLUGINS_MAX)

struct idle {
    uint64_t since;      /* ns; 0: not idle */
    uint64_t spin_until; /* ns */
    bool spins;
    bool alone;         /* on its one processor, when it gave that away last */
    unsigned int turns; /* that have spun */
    unsigned int naps;
    uint64_t nap_ns;
};

uint64_t worker_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool anything_pending(const struct worker *worker)
{
    for (size_t i = 0; i < worker->nplugins; i++) {
        if (worker->plugins[i].noffers > 0)
            return true;
    }
    return worker_channels_pending(worker) || worker_domains_pending(worker);
}

/* Asks the plugins what would wake them. False: not all can say. *again: one has work. */
static bool arm_plugins(const struct worker *worker, struct pollfd *fds, nfds_t *nfds, bool *again)
{
    bool all = true;

    for (size_t i = 0; i < worker->nplugins; i++) {
        struct worker_plugin *plugin = &worker->plugins[i];
        doca_error_t result;
        int fd = -1;

        if (plugin->ext_arm == NULL) {
            all = false;
            continue;
        }
        result = plugin->ext_arm(&plugin->ctx, &fd);
        if (result == DOCA_ERROR_AGAIN)
            *again = true;
        else if (fd >= 0)
            fds[(*nfds)++] = (struct pollfd){.fd = fd, .events = POLLIN};
        all = all && result != DOCA_ERROR_IN_PROGRESS;
    }
    return all;
}

static void nap(struct worker *worker, struct idle *idle)
{
    struct pollfd fds[MAX_FDS] = {{.fd = worker->waker.fd, .events = POLLIN},
                                  {.fd = worker->control, .events = POLLIN}};
    struct timespec limit = {.tv_nsec = (long)idle->nap_ns};
    nfds_t nfds = 2;
    bool again = false, all;

    od_waker_arm(&worker->waker);
    all = arm_plugins(worker, fds, &nfds, &again);
    if (!again && !anything_pending(worker)) {
        urom_page_add(&worker->page->naps, 1);
        if (all)
            limit = (struct timespec){.tv_sec = 1}; /* the watchdog wants to see us */
        ppoll(fds, nfds, &limit, NULL);
        idle->naps += idle->naps < NAPS_TO_LONG;
        idle->nap_ns = OD_MIN(2 * idle->nap_ns,
                              idle->naps < NAPS_TO_LONG ? NAP_MAX_NS : (uint64_t)NAP_LONG_NS);
    }
    od_waker_clear(&worker->waker);
    if (fds[1].revents != 0)
        worker_control_read(worker);
}

/* Who has one processor gives it away: two workers may have been given the same. While it comes
 * back at once there is nobody. */
static void give_turn(const struct worker *worker, struct idle *idle, uint64_t now)
{
    uint64_t after;

    sched_yield();
    if (worker->may_spin)
        return;
    after = worker_now_ns();
    idle->alone = after - now < ALONE_NS;
    idle->spins = idle->alone;
    idle->spin_until = after + SPIN_ALONE_NS;
}

static void rest(struct worker *worker, struct idle *idle)
{
    uint64_t now;

    if (worker->busy_poll) {
        sched_yield(); /* two workers may have been given one processor */
        return;
    }
    /* A clock takes longer than all else in a turn that finds nothing. */
    if (idle->spins && ++idle->turns % CLOCK_EVERY != 0)
        return;
    now = worker_now_ns();
    if (idle->since == 0) {
        idle->since = now;
        idle->spins = worker->may_spin || idle->alone;
        idle->spin_until = now + (worker->may_spin ? SPIN_NS : SPIN_ALONE_NS);
        return;
    }
    if (idle->spins && now < idle->spin_until)
        return;
    idle->spins = false;
    if (now - idle->since < YIELD_NS)
        give_turn(worker, idle, now);
    else
        nap(worker, idle);
}

static bool receive(struct worker *worker, const struct idle *idle)
{
    bool work = worker_channels_receive(worker);

    for (unsigned int i = 1; idle->spins && !work && i < LOOKS; i++)
        work = worker_channels_receive(worker);
    return work;
}

void worker_loop(struct worker *worker)
{
    struct idle idle = {.nap_ns = NAP_MIN_NS};
    unsigned int turns = 0;

    while (!worker->stopping) {
        bool work = receive(worker, &idle);

        work = worker_run_plugins(worker) || work;
        if (od_unlikely(turns++ % CONTROL_EVERY == 0))
            worker_control_read(worker);
        if (od_unlikely(!work || turns % OTHERS_EVERY == 0)) {
            work = worker_channels_accept(worker) || work;
            work = worker_domains_progress(worker) || work;
        }
        urom_page_add(&worker->page->loops, 1);
        if (od_likely(work))
            idle = (struct idle){.alone = idle.alone, .nap_ns = NAP_MIN_NS};
        else
            rest(worker, &idle);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread for queues of kernels: a kernel cannot call, so somebody has to look. It takes frames
 * in for receive queues, and looks at the doorbells of all send queues in turn. When there was
 * nothing for a while it sleeps some microseconds at a time. */

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "soft/nic/nic_priv.h"
#include "soft/nic/ring_priv.h"

#define LOOKS_AWAKE 64u    /* without a find, before it sleeps */
#define NAP_NS      20000u /* batches better than looking all the time */
#define LONG_NAP_NS 50000u
#define LOOKS_LONG  2000u
#define SPIN_NS     70000u /* before a time that a queue waits for */
#define NO_TIME     UINT64_MAX

struct soft_nic_engine {
    struct soft_nic_port *port;
    pthread_t thread;
    uint32_t holders; /* under the lock of all engines */
    _Atomic bool over;
    _Atomic uint32_t wanted; /* by those who change the queues: they go first */
    _Atomic int receivers;
    pthread_mutex_t lock;
    struct od_list txqs;
};

static pthread_mutex_t engines_lock = PTHREAD_MUTEX_INITIALIZER;

static void nap(uint64_t ns)
{
    struct timespec time = {.tv_nsec = (long)ns};

    nanosleep(&time, NULL);
}

static void rest(uint32_t looks, uint64_t wake_at)
{
    uint64_t ns = looks < LOOKS_LONG ? NAP_NS : LONG_NAP_NS, now;

    if (looks < LOOKS_AWAKE) {
        sched_yield();
        return;
    }
    if (wake_at != NO_TIME) {
        now = soft_nic_now();
        if (wake_at <= now + SPIN_NS)
            return;
        ns = OD_MIN(ns, wake_at - now - SPIN_NS + 1000);
    }
    nap(ns);
}

static uint32_t look(struct soft_nic_engine *engine, uint64_t *wake_at)
{
    uint32_t found = 0;

    if (atomic_load_explicit(&engine->receivers, memory_order_relaxed) > 0)
        found += soft_nic_port_drive(engine->port);
    pthread_mutex_lock(&engine->lock);
    OD_LIST_FOR_EACH(link, &engine->txqs)
    {
        found +=
            soft_nic_ring_txq_step(OD_LIST_ENTRY(link, struct soft_nic_ring_txq, link), wake_at);
    }
    pthread_mutex_unlock(&engine->lock);
    return found;
}

static void *run(void *arg)
{
    struct soft_nic_engine *engine = arg;
    uint32_t looks = 0;

    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    while (!atomic_load_explicit(&engine->over, memory_order_relaxed)) {
        uint64_t wake_at = NO_TIME;

        if (atomic_load_explicit(&engine->wanted, memory_order_relaxed) > 0) {
            sched_yield();
            continue;
        }
        looks = look(engine, &wake_at) > 0 ? 0 : looks + 1;
        if (looks > 0)
            rest(looks, wake_at);
    }
    return NULL;
}

/* Under the lock of all engines. */
static int start(struct soft_nic_port *port)
{
    struct soft_nic_engine *engine = calloc(1, sizeof(*engine));
    sigset_t all, old;
    int err;

    if (engine == NULL)
        return soft_fail(-ENOMEM, "no memory for the engine of a port");
    engine->port = port;
    pthread_mutex_init(&engine->lock, NULL);
    od_list_init(&engine->txqs);
    /* Signals are for the program's threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = pthread_create(&engine->thread, NULL, run, engine);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err != 0) {
        pthread_mutex_destroy(&engine->lock);
        free(engine);
        return soft_fail(-err, "no thread for the engine of a port: %s", strerror(err));
    }
    port->engine = engine;
    return 0;
}

int soft_nic_engine_hold(struct soft_nic_port *port)
{
    int err = 0;

    pthread_mutex_lock(&engines_lock);
    if (port->engine == NULL)
        err = start(port);
    if (err == 0)
        port->engine->holders++;
    pthread_mutex_unlock(&engines_lock);
    return err;
}

void soft_nic_engine_release(struct soft_nic_port *port)
{
    struct soft_nic_engine *engine;

    pthread_mutex_lock(&engines_lock);
    engine = port->engine;
    if (--engine->holders > 0)
        engine = NULL;
    else
        port->engine = NULL;
    pthread_mutex_unlock(&engines_lock);
    if (engine == NULL)
        return;
    atomic_store(&engine->over, true);
    pthread_join(engine->thread, NULL);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

static void lock(struct soft_nic_engine *engine)
{
    atomic_fetch_add(&engine->wanted, 1);
    pthread_mutex_lock(&engine->lock);
}

static void unlock(struct soft_nic_engine *engine)
{
    pthread_mutex_unlock(&engine->lock);
    atomic_fetch_sub(&engine->wanted, 1);
}

void soft_nic_engine_add(struct soft_nic_port *port, struct soft_nic_ring_txq *txq)
{
    lock(port->engine);
    od_list_append(&port->engine->txqs, &txq->link);
    unlock(port->engine);
}

void soft_nic_engine_remove(struct soft_nic_port *port, struct soft_nic_ring_txq *txq)
{
    lock(port->engine);
    od_list_remove(&txq->link);
    unlock(port->engine);
}

void soft_nic_engine_receives(struct soft_nic_port *port, int more)
{
    atomic_fetch_add(&port->engine->receivers, more);
}

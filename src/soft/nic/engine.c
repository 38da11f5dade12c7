/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads for queues of kernels: a kernel cannot call, so somebody has to look. The first one
 * takes frames in for receive queues. Doorbells of send queues are looked at in turn, by that one
 * too where it is the only one, else by the others, each of which has queues of its own: what a
 * queue sends, and what a flow receives, stays in order. */

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "soft/gpu/watch.h"
#include "soft/nic/nic_priv.h"
#include "soft/nic/ring_priv.h"

struct soft_nic_worker {
    struct soft_nic_engine *engine;
    struct soft_gpu_watch *watch;
    _Atomic uint32_t wanted; /* by those who change the queues: they go first */
    bool receives;
    pthread_mutex_t lock;
    struct od_list txqs;
    uint32_t ntxqs; /* under the lock of all engines */
};

struct soft_nic_engine {
    struct soft_nic_port *port;
    uint32_t holders; /* under the lock of all engines */
    _Atomic int receivers;
    uint32_t nworkers;
    struct soft_nic_worker workers[SOFT_ENGINE_THREADS];
};

static pthread_mutex_t engines_lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t look(void *arg, uint64_t *wake_at)
{
    struct soft_nic_worker *worker = arg;
    struct soft_nic_engine *engine = worker->engine;
    uint32_t found = 0;

    if (atomic_load_explicit(&worker->wanted, memory_order_relaxed) > 0) {
        sched_yield();
        return 1;
    }
    if (worker->receives && atomic_load_explicit(&engine->receivers, memory_order_relaxed) > 0)
        found += soft_nic_port_drive(engine->port);
    pthread_mutex_lock(&worker->lock);
    OD_LIST_FOR_EACH(link, &worker->txqs)
    {
        found +=
            soft_nic_ring_txq_step(OD_LIST_ENTRY(link, struct soft_nic_ring_txq, link), wake_at);
    }
    pthread_mutex_unlock(&worker->lock);
    return found;
}

static void stop(struct soft_nic_engine *engine)
{
    while (engine->nworkers > 0) {
        struct soft_nic_worker *worker = &engine->workers[--engine->nworkers];

        soft_gpu_watch_stop(worker->watch);
        pthread_mutex_destroy(&worker->lock);
    }
    free(engine);
}

/* One more thread. */
static int add_worker(struct soft_nic_engine *engine)
{
    struct soft_nic_worker *worker = &engine->workers[engine->nworkers];
    int err;

    worker->engine = engine;
    worker->receives = engine->nworkers == 0;
    pthread_mutex_init(&worker->lock, NULL);
    od_list_init(&worker->txqs);
    err = soft_gpu_watch_start("the engine of a port", &engine->port->device->engine,
                               engine->nworkers, look, worker, &worker->watch);
    if (err == 0)
        engine->nworkers++;
    else
        pthread_mutex_destroy(&worker->lock);
    return err;
}

/* Under the lock of all engines. */
static int start(struct soft_nic_port *port)
{
    struct soft_nic_engine *engine = calloc(1, sizeof(*engine));
    uint32_t wanted = OD_MAX(port->device->engine.threads, 1u);
    int err = 0;

    if (engine == NULL)
        return soft_fail(-ENOMEM, "no memory for the engine of a port");
    engine->port = port;
    while (err == 0 && engine->nworkers < wanted)
        err = add_worker(engine);
    if (err != 0) {
        stop(engine);
        return err;
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
    if (engine != NULL)
        stop(engine);
}

static void lock(struct soft_nic_worker *worker)
{
    atomic_fetch_add(&worker->wanted, 1);
    pthread_mutex_lock(&worker->lock);
}

static void unlock(struct soft_nic_worker *worker)
{
    pthread_mutex_unlock(&worker->lock);
    atomic_fetch_sub(&worker->wanted, 1);
}

/* That with the fewest queues, which gets another one; of several threads the first only receives.
 */
static struct soft_nic_worker *choose(struct soft_nic_engine *engine)
{
    uint32_t first = engine->nworkers > 1 ? 1 : 0, best = first;

    pthread_mutex_lock(&engines_lock);
    for (uint32_t i = first + 1; i < engine->nworkers; i++) {
        if (engine->workers[i].ntxqs < engine->workers[best].ntxqs)
            best = i;
    }
    engine->workers[best].ntxqs++;
    pthread_mutex_unlock(&engines_lock);
    return &engine->workers[best];
}

void soft_nic_engine_add(struct soft_nic_port *port, struct soft_nic_ring_txq *txq)
{
    txq->worker = choose(port->engine);
    lock(txq->worker);
    od_list_append(&txq->worker->txqs, &txq->link);
    unlock(txq->worker);
}

void soft_nic_engine_remove(struct soft_nic_ring_txq *txq)
{
    lock(txq->worker);
    od_list_remove(&txq->link);
    unlock(txq->worker);
    pthread_mutex_lock(&engines_lock);
    txq->worker->ntxqs--;
    pthread_mutex_unlock(&engines_lock);
}

void soft_nic_engine_receives(struct soft_nic_port *port, int more)
{
    atomic_fetch_add(&port->engine->receivers, more);
}

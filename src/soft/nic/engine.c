/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread for queues of kernels: a kernel cannot call, so somebody has to look. It takes frames
 * in for receive queues, and looks at the doorbells of all send queues in turn. */

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "soft/gpu/watch.h"
#include "soft/nic/nic_priv.h"
#include "soft/nic/ring_priv.h"

struct soft_nic_engine {
    struct soft_nic_port *port;
    struct soft_gpu_watch *watch;
    uint32_t holders;        /* under the lock of all engines */
    _Atomic uint32_t wanted; /* by those who change the queues: they go first */
    _Atomic int receivers;
    pthread_mutex_t lock;
    struct od_list txqs;
};

static pthread_mutex_t engines_lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t look(void *arg, uint64_t *wake_at)
{
    struct soft_nic_engine *engine = arg;
    uint32_t found = 0;

    if (atomic_load_explicit(&engine->wanted, memory_order_relaxed) > 0) {
        sched_yield();
        return 1;
    }
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

/* Under the lock of all engines. */
static int start(struct soft_nic_port *port)
{
    struct soft_nic_engine *engine = calloc(1, sizeof(*engine));
    int err;

    if (engine == NULL)
        return soft_fail(-ENOMEM, "no memory for the engine of a port");
    engine->port = port;
    pthread_mutex_init(&engine->lock, NULL);
    od_list_init(&engine->txqs);
    err = soft_gpu_watch_start("the engine of a port", look, engine, &engine->watch);
    if (err != 0) {
        pthread_mutex_destroy(&engine->lock);
        free(engine);
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
    if (engine == NULL)
        return;
    soft_gpu_watch_stop(engine->watch);
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

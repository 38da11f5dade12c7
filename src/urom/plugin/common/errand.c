/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/common/errand.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

/* Of the whole worker. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;  /* for threads */
    pthread_cond_t ended; /* for plugins that close */
    struct od_list ready; /* lines */
    pthread_t threads[ERRAND_THREADS];
    unsigned int count;
    unsigned int idle;
    unsigned int bases; /* that have had an errand, and are not closed */
    bool stop;
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .ended = PTHREAD_COND_INITIALIZER,
    .ready = {&pool.ready, &pool.ready},
};

int plugin_copy(struct soft_copy_chan *copy, struct soft_peer_map *to, uint64_t to_va,
                struct soft_peer_map *from, uint64_t from_va, uint64_t len)
{
    const struct soft_seg src = {from_va, len, from};
    const struct soft_seg dst = {to_va, len, to};
    struct soft_copy_job job = {.src = &src, .dst = &dst, .nsrc = 1, .ndst = 1, .len = len};

    if (copy == NULL || copy->ops->submit(copy, &job) != 0)
        return -EIO;
    while (copy->ops->poll(copy) == NULL)
        ;
    return job.status;
}

/* ------------------------------------------------------------------------------------------------
 * Threads
 */

/* Lock held. */
static void finish(struct plugin_errand *errand)
{
    struct plugin_base *base = errand->base;

    od_list_append(&base->finished, &errand->entry);
    atomic_store_explicit(&base->has_finished, true, memory_order_release);
    if (base->waker != NULL)
        od_waker_wake(base->waker);
    pthread_cond_broadcast(&pool.ended);
}

/* Lock held, but not while it runs. */
static void run_first(struct soft_copy_chan *copy)
{
    struct plugin_line *line = OD_LIST_ENTRY(pool.ready.next, struct plugin_line, ready);
    struct plugin_errand *errand = OD_LIST_ENTRY(line->queue.next, struct plugin_errand, entry);

    od_list_remove(&line->ready);
    od_list_remove(&errand->entry);
    line->running = true;
    pthread_mutex_unlock(&pool.lock);
    errand->run(errand, copy);
    pthread_mutex_lock(&pool.lock);
    line->running = false;
    if (!od_list_is_empty(&line->queue))
        od_list_append(&pool.ready, &line->ready);
    errand->line = NULL; /* it ran */
    finish(errand);
}

static void *serve(void *arg)
{
    const struct soft_copy_conf conf = {.engine = "inline"};
    struct soft_copy_chan *copy = NULL;
    struct od_waker waker = {.fd = -1};

    (void)arg;
    if (od_waker_open(&waker) == 0 && soft_copy_open(&conf, 1, &waker, &copy) != 0)
        copy = NULL;
    pthread_mutex_lock(&pool.lock);
    while (!pool.stop) {
        if (od_list_is_empty(&pool.ready)) {
            pool.idle++;
            pthread_cond_wait(&pool.work, &pool.lock);
            pool.idle--;
        } else {
            run_first(copy);
        }
    }
    pthread_mutex_unlock(&pool.lock);
    if (copy != NULL)
        copy->ops->close(copy);
    if (waker.fd >= 0)
        od_waker_close(&waker);
    return NULL;
}

/* Lock held. Signals are the worker's; the copy engine lets faults through by itself. */
static int add_thread(void)
{
    sigset_t all, before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&pool.threads[pool.count], NULL, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err == 0)
        pool.count++;
    return pool.count > 0 ? 0 : -err;
}

/* ------------------------------------------------------------------------------------------------
 * The plugin's side
 */

/* Lock held. */
static unsigned int ready_lines(void)
{
    unsigned int n = 0;

    OD_LIST_FOR_EACH(link, &pool.ready)
    {
        if (++n > ERRAND_THREADS)
            break;
    }
    return n;
}

int plugin_errand_start(struct plugin_base *base, struct plugin_line *line,
                        struct plugin_errand *errand)
{
    int err = 0;

    pthread_mutex_lock(&pool.lock);
    if (pool.count < ERRAND_THREADS && pool.idle <= ready_lines())
        err = add_thread();
    if (err == 0) {
        errand->base = base;
        errand->line = line;
        if (od_list_is_empty(&line->queue) && !line->running)
            od_list_append(&pool.ready, &line->ready);
        od_list_append(&line->queue, &errand->entry);
        pool.bases += !base->has_had;
        base->has_had = true;
        base->errands++;
        pthread_cond_signal(&pool.work);
    }
    pthread_mutex_unlock(&pool.lock);
    return err;
}

void plugin_errands_collect_all(struct plugin_base *base)
{
    struct od_list finished;

    od_list_init(&finished);
    pthread_mutex_lock(&pool.lock);
    while (!od_list_is_empty(&base->finished)) {
        struct od_list *first = base->finished.next;

        od_list_remove(first);
        od_list_append(&finished, first);
    }
    atomic_store_explicit(&base->has_finished, false, memory_order_relaxed);
    pthread_mutex_unlock(&pool.lock);
    while (!od_list_is_empty(&finished)) {
        struct plugin_errand *errand = OD_LIST_ENTRY(finished.next, struct plugin_errand, entry);

        od_list_remove(&errand->entry);
        base->errands--;
        errand->done(errand, errand->line == NULL);
    }
}

/* Lock held. Those of a base that wait in a line. */
static void take_back(const struct plugin_base *base, struct plugin_line *line)
{
    OD_LIST_FOR_EACH_SAFE(link, &line->queue)
    {
        struct plugin_errand *errand = OD_LIST_ENTRY(link, struct plugin_errand, entry);

        if (errand->base != base)
            continue;
        od_list_remove(&errand->entry);
        finish(errand);
    }
    if (od_list_is_empty(&line->queue))
        od_list_remove(&line->ready);
}

/* The last plugin takes the threads along. */
static void stop_threads(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.stop = true;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    for (unsigned int i = 0; i < pool.count; i++)
        pthread_join(pool.threads[i], NULL);
    pool.count = 0;
    pool.stop = false;
}

void plugin_errands_end(struct plugin_base *base)
{
    bool last;

    while (base->errands > 0) {
        pthread_mutex_lock(&pool.lock);
        OD_LIST_FOR_EACH_SAFE(link, &pool.ready)
        {
            take_back(base, OD_LIST_ENTRY(link, struct plugin_line, ready));
        }
        while (od_list_is_empty(&base->finished))
            pthread_cond_wait(&pool.ended, &pool.lock);
        pthread_mutex_unlock(&pool.lock);
        plugin_errands_collect_all(base);
    }
    if (!base->has_had)
        return;
    base->has_had = false;
    pthread_mutex_lock(&pool.lock);
    last = --pool.bases == 0;
    pthread_mutex_unlock(&pool.lock);
    if (last)
        stop_threads();
}

/* SPDX-License-Identifier: BSD-3-Clause */

/* Small jobs are executed by the polling thread in batches. Large ones become runs whose chunks are
 * taken by the workers of the pool and, when nothing is finished, by the polling thread. Those that
 * have to do with another host are the workers' alone, because the polling thread does not wait. */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "soft/copy/batch.h"
#include "soft/copy/copy_priv.h"
#include "soft/copy/pool.h"
#include "soft/copy/spread.h"

#define WINDOW      4u          /* runs at once */
#define SPLIT_ABOVE (64u << 10) /* bytes; default */

struct run_ref {
    struct soft_copy_run *run;
    struct soft_copy_spread spread;
    uint64_t began; /* ns */
};

struct threads_chan {
    struct soft_copy_chan base;
    struct soft_copy_queue queue;
    struct run_ref runs[WINDOW]; /* of the first jobs that are not ready */
    uint32_t nruns;
    uint32_t ncancelled; /* jobs behind the runs that were taken back */
    bool held;           /* the job behind the runs must wait until it is the first */
    struct soft_copy_spread held_spread;
    uint64_t finished; /* ns, when the last run was */
    uint32_t lanes;
    bool hired; /* a worker, for other hosts, where there is one lane else */
    uint64_t split_above;
    struct od_waker *waker;
    struct soft_copy_run *retired[WINDOW]; /* over, but a worker may still be at the waker */
    uint32_t nretired;
    struct soft_copy_run own; /* a run that is not published */
    struct soft_copy_lane lane;
};

static struct threads_chan *from_base(struct soft_copy_chan *chan)
{
    return OD_CONTAINER_OF(chan, struct threads_chan, base);
}

/* --- life --- */

static uint32_t lane_count(const struct soft_copy_conf *conf)
{
    cpu_set_t cpus;
    uint32_t n = conf->threads;

    if (n == 0 && sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
        n = (uint32_t)CPU_COUNT(&cpus);
    return OD_MIN(OD_MAX(n, 1u), SOFT_COPY_LANES);
}

static int threads_open(const struct soft_copy_conf *conf, uint32_t depth, struct od_waker *waker,
                        struct soft_copy_chan **chan)
{
    struct threads_chan *self = aligned_alloc(OD_CACHE_LINE, sizeof(*self));
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a copy channel");
    self->lanes = lane_count(conf);
    err = soft_copy_guard_install();
    if (err == 0)
        err = soft_copy_queue_init(&self->queue, depth);
    if (err != 0)
        goto err_free;
    err = soft_copy_lane_init(&self->lane);
    if (err != 0)
        goto err_queue;
    err = soft_copy_pool_enter(self->lanes);
    if (err != 0)
        goto err_lane;
    self->base.ops = &soft_copy_threads_ops;
    self->nruns = 0;
    self->ncancelled = 0;
    self->held = false;
    self->hired = false;
    self->finished = 0;
    self->split_above = conf->split_above != 0 ? conf->split_above : SPLIT_ABOVE;
    self->waker = waker;
    self->nretired = 0;
    *chan = &self->base;
    return 0;

err_lane:
    soft_copy_lane_fini(&self->lane);
err_queue:
    soft_copy_queue_fini(&self->queue);
err_free:
    free(self);
    return err;
}

/* Slots whose workers have left are free again. */
static void sweep_retired(struct threads_chan *self)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < self->nretired; i++) {
        if (!soft_copy_pool_retire(self->retired[i]))
            self->retired[kept++] = self->retired[i];
    }
    self->nretired = kept;
}

static void threads_close(struct soft_copy_chan *chan)
{
    struct threads_chan *self = chan != NULL ? from_base(chan) : NULL;

    if (self == NULL)
        return;
    for (sweep_retired(self); self->nretired > 0; sweep_retired(self))
        sched_yield(); /* a worker is between its last chunk and the end of its wake-up call */
    if (self->hired)
        soft_copy_pool_leave();
    soft_copy_pool_leave();
    soft_copy_lane_fini(&self->lane);
    soft_copy_queue_fini(&self->queue);
    free(self);
}

/* --- runs --- */

static bool is_splittable(const struct threads_chan *self, const struct soft_copy_job *job)
{
    return job->len > self->split_above;
}

static void append_run(struct threads_chan *self, struct soft_copy_run *run,
                       const struct soft_copy_spread *spread)
{
    struct run_ref *ref = &self->runs[self->nruns++];

    ref->run = run;
    ref->spread = *spread;
    ref->began = soft_copy_now();
}

/* For lanes 0 to `lanes` - 1, in chunks for `sharers` of them. */
static bool publish_for(struct threads_chan *self, struct soft_copy_job *job, uint32_t lanes,
                        uint32_t sharers, const struct soft_copy_spread *spread)
{
    struct soft_copy_run *run = NULL;

    sweep_retired(self);
    if (self->nruns + self->nretired < WINDOW)
        run = soft_copy_pool_publish(job, soft_copy_chunk_size(job, sharers), lanes, self->waker);
    if (run == NULL)
        return false;
    append_run(self, run, spread);
    soft_copy_pool_wake(lanes);
    return true;
}

static bool publish(struct threads_chan *self, struct soft_copy_job *job,
                    const struct soft_copy_spread *spread)
{
    return publish_for(self, job, self->lanes, is_splittable(self, job) ? self->lanes : 1, spread);
}

static bool publish_abroad(struct threads_chan *self, struct soft_copy_job *job)
{
    return publish_for(self, job, OD_MAX(self->lanes, 2u), 1, &soft_copy_spread_alone);
}

/* Whether there is a worker. */
static bool has_worker(struct threads_chan *self)
{
    if (self->lanes == 1 && !self->hired)
        self->hired = soft_copy_pool_enter(2) == 0;
    return self->lanes > 1 || self->hired;
}

static void run_alone(struct threads_chan *self, struct soft_copy_job *job,
                      const struct soft_copy_spread *spread)
{
    soft_copy_run_begin(&self->own, job, soft_copy_chunk_size(job, 1));
    append_run(self, &self->own, spread);
}

/* Goes to a worker, perhaps only later. */
static OD_COLD void begin_abroad(struct threads_chan *self, struct soft_copy_job *job)
{
    if (!has_worker(self))
        run_alone(self, job, &soft_copy_spread_alone);
    else
        (void)publish_abroad(self, job);
}

/* What is to be done with the job behind the runs; asked once for each job. */
static struct soft_copy_spread spread_of(struct threads_chan *self, const struct soft_copy_job *job)
{
    if (self->lanes == 1)
        return soft_copy_spread_alone;
    if (!self->held)
        return soft_copy_spread_choose(job->len);
    self->held = false;
    return self->held_spread;
}

static void begin_first(struct threads_chan *self, struct soft_copy_job *job)
{
    struct soft_copy_spread spread;

    if (od_unlikely(soft_copy_is_abroad(job))) {
        begin_abroad(self, job);
        return;
    }
    spread = spread_of(self, job);
    if (!soft_copy_spread_is_shared(&spread) || !is_splittable(self, job) ||
        !publish(self, job, &spread))
        run_alone(self, job, &spread);
}

/* Several requests may be on their way to other hosts. */
static OD_COLD void publish_followers_abroad(struct threads_chan *self)
{
    const struct soft_copy_queue *queue = &self->queue;

    while (self->ncancelled == 0 && queue->ready + self->nruns != queue->tail) {
        struct soft_copy_job *job = soft_copy_queue_at(queue, queue->ready + self->nruns);

        if (!soft_copy_is_abroad(job) || !publish_abroad(self, job))
            return;
    }
}

/* Offers what comes behind the runs, as long as that is large and sharing pays. */
static void publish_followers(struct threads_chan *self)
{
    const struct soft_copy_queue *queue = &self->queue;

    if (od_unlikely(soft_copy_is_abroad(self->runs[0].run->job))) {
        if (self->runs[0].run != &self->own)
            publish_followers_abroad(self);
        return;
    }

    while (!self->held && self->ncancelled == 0 && self->nruns < WINDOW &&
           queue->ready + self->nruns != queue->tail &&
           soft_copy_spread_is_shared(&self->runs[self->nruns - 1].spread)) {
        struct soft_copy_job *job = soft_copy_queue_at(queue, queue->ready + self->nruns);

        if (soft_copy_is_small(job) || soft_copy_is_abroad(job))
            return;
        self->held_spread = spread_of(self, job);
        self->held = !soft_copy_spread_is_shared(&self->held_spread) ||
                     !publish(self, job, &self->held_spread);
    }
}

static void help(struct threads_chan *self)
{
    bool last;

    if (self->runs[0].run == &self->own) {
        soft_copy_run_chunk(&self->own, soft_copy_run_take_front(&self->own, &last), &self->lane);
        return;
    }
    for (uint32_t i = 0; i < self->nruns; i++) {
        struct soft_copy_run *run = self->runs[i].run;

        if (!soft_copy_is_abroad(run->job) && soft_copy_pool_help(run, &self->lane))
            return;
    }
}

static void learn(struct threads_chan *self, const struct run_ref *ref)
{
    uint64_t now = soft_copy_now();

    soft_copy_spread_learn(&ref->spread, ref->run->job->len,
                           now - OD_MAX(ref->began, self->finished));
    self->finished = now;
}

/* The first run is over. */
static void finish_run(struct threads_chan *self)
{
    struct soft_copy_run *run = self->runs[0].run;

    run->job->status = atomic_load_explicit(&run->status, memory_order_relaxed);
    learn(self, &self->runs[0]);
    self->nruns--;
    for (uint32_t i = 0; i < self->nruns; i++)
        self->runs[i] = self->runs[i + 1];
    if (run != &self->own && !soft_copy_pool_retire(run))
        self->retired[self->nretired++] = run;
    self->queue.ready++;
    if (self->nruns == 0) {
        self->queue.ready += self->ncancelled;
        self->ncancelled = 0;
    }
}

/* Nothing to share: no other job waits, and this one is not split. */
static bool is_alone(const struct threads_chan *self, const struct soft_copy_job *job)
{
    return job->len <= SOFT_COPY_CHUNK && !soft_copy_is_abroad(job) &&
           (self->lanes == 1 ||
            (!is_splittable(self, job) && self->queue.head + 1 == self->queue.tail));
}

static OD_COLD void execute_runs(struct threads_chan *self, struct soft_copy_job *first)
{
    if (self->nruns == 0) {
        if (is_alone(self, first)) {
            self->held = false;
            first->status = soft_copy_range(&self->lane, first, 0, first->len);
            self->queue.ready++;
            return;
        }
        begin_first(self, first);
        if (self->nruns == 0)
            return;
    }
    publish_followers(self);
    if (!soft_copy_run_is_over(self->runs[0].run))
        help(self);
    if (soft_copy_run_is_over(self->runs[0].run))
        finish_run(self);
}

/* --- the owner's calls --- */

/* Who has armed its waker is about to sleep: the workers begin without a poll, so that the owner is
 * woken by the end of the copy and not for its begin. */
static OD_COLD void begin_for_sleeper(struct threads_chan *self, struct soft_copy_job *job)
{
    const struct soft_copy_queue *queue = &self->queue;

    if (self->nruns == 0 && queue->head == queue->ready && queue->head + 1 == queue->tail &&
        !is_alone(self, job))
        begin_first(self, job);
}

static bool is_for_batch(const struct soft_copy_job *job)
{
    return soft_copy_is_small(job) && !soft_copy_is_abroad(job);
}

static int threads_submit(struct soft_copy_chan *chan, struct soft_copy_job *job)
{
    struct threads_chan *self = from_base(chan);
    int err = soft_copy_queue_push(&self->queue, job);

    if (od_unlikely(od_waker_is_armed(self->waker)) && err == 0 && !is_for_batch(job))
        begin_for_sleeper(self, job);
    return err;
}

static struct soft_copy_job *threads_poll(struct soft_copy_chan *chan)
{
    struct threads_chan *self = from_base(chan);
    struct soft_copy_queue *queue = &self->queue;

    if (!soft_copy_queue_has_ready(queue)) {
        struct soft_copy_job *job = soft_copy_queue_at(queue, queue->head);

        if (queue->head == queue->tail)
            return NULL;
        if (od_likely(is_for_batch(job)))
            soft_copy_batch(&self->lane, queue);
        else
            execute_runs(self, job);
        if (!soft_copy_queue_has_ready(queue))
            return NULL;
    }
    return soft_copy_queue_pop(queue);
}

static bool threads_pending(const struct soft_copy_chan *chan)
{
    const struct threads_chan *self = OD_CONTAINER_OF(chan, const struct threads_chan, base);
    struct soft_copy_run *first = self->runs[0].run;

    if (soft_copy_queue_has_ready(&self->queue) || self->nruns == 0)
        return self->queue.head != self->queue.tail;
    return first == &self->own || soft_copy_run_is_over(first);
}

static void threads_cancel(struct soft_copy_chan *chan)
{
    struct threads_chan *self = from_base(chan);
    struct soft_copy_queue *queue = &self->queue;
    uint32_t n = soft_copy_queue_cancel(queue, queue->ready + self->nruns);
    bool left;

    self->held = false;
    if (self->nruns == 0)
        queue->ready += n;
    else
        self->ncancelled = n;
    for (uint32_t i = 0; i < self->nruns; i++) {
        if (self->runs[i].run == &self->own)
            soft_copy_run_cut(&self->own, &left);
        else
            soft_copy_pool_cut(self->runs[i].run);
    }
}

const struct soft_copy_ops soft_copy_threads_ops = {
    .name = "threads",
    .open = threads_open,
    .close = threads_close,
    .submit = threads_submit,
    .poll = threads_poll,
    .pending = threads_pending,
    .cancel = threads_cancel,
};

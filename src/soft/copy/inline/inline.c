/* SPDX-License-Identifier: BSD-3-Clause */

/* Everything is executed by the polling thread: small jobs in batches, large ones a chunk a poll.
 */

#include <errno.h>
#include <stdlib.h>

#include "soft/copy/batch.h"
#include "soft/copy/copy_priv.h"
#include "soft/copy/run.h"

struct inline_chan {
    struct soft_copy_chan base;
    struct soft_copy_queue queue;
    bool running; /* `run` is the first job */
    struct soft_copy_run run;
    struct soft_copy_lane lane;
};

static struct inline_chan *from_base(struct soft_copy_chan *chan)
{
    return OD_CONTAINER_OF(chan, struct inline_chan, base);
}

static void inline_close(struct soft_copy_chan *chan)
{
    struct inline_chan *self = chan != NULL ? from_base(chan) : NULL;

    if (self == NULL)
        return;
    soft_copy_lane_fini(&self->lane);
    soft_copy_queue_fini(&self->queue);
    free(self);
}

static int inline_open(const struct soft_copy_conf *conf, uint32_t depth, struct od_waker *waker,
                       struct soft_copy_chan **chan)
{
    struct inline_chan *self = aligned_alloc(OD_CACHE_LINE, sizeof(*self));
    int err;

    (void)conf;
    (void)waker; /* nothing happens while the owner sleeps */
    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a copy channel");
    err = soft_copy_guard_install();
    if (err == 0)
        err = soft_copy_queue_init(&self->queue, depth);
    if (err != 0)
        goto err_free;
    err = soft_copy_lane_init(&self->lane);
    if (err != 0)
        goto err_queue;
    self->base.ops = &soft_copy_inline_ops;
    self->running = false;
    *chan = &self->base;
    return 0;

err_queue:
    soft_copy_queue_fini(&self->queue);
err_free:
    free(self);
    return err;
}

static int inline_submit(struct soft_copy_chan *chan, struct soft_copy_job *job)
{
    return soft_copy_queue_push(&from_base(chan)->queue, job);
}

static void finish_run(struct inline_chan *self)
{
    self->run.job->status = atomic_load_explicit(&self->run.status, memory_order_relaxed);
    self->queue.ready++;
    self->running = false;
}

static OD_COLD void execute_run(struct inline_chan *self, struct soft_copy_job *job)
{
    bool last;

    if (job->len <= SOFT_COPY_CHUNK) {
        job->status = soft_copy_range(&self->lane, job, 0, job->len);
        self->queue.ready++;
        return;
    }
    if (!self->running)
        soft_copy_run_begin(&self->run, job, soft_copy_chunk_size(job, 1));
    self->running = true;
    if (soft_copy_run_chunk(&self->run, soft_copy_run_take_front(&self->run, &last), &self->lane))
        finish_run(self);
}

static struct soft_copy_job *inline_poll(struct soft_copy_chan *chan)
{
    struct inline_chan *self = from_base(chan);
    struct soft_copy_queue *queue = &self->queue;

    if (!soft_copy_queue_has_ready(queue)) {
        struct soft_copy_job *job = soft_copy_queue_at(queue, queue->head);

        if (queue->head == queue->tail)
            return NULL;
        if (od_likely(soft_copy_is_small(job)))
            soft_copy_batch(&self->lane, queue);
        else
            execute_run(self, job);
        if (!soft_copy_queue_has_ready(queue))
            return NULL;
    }
    return soft_copy_queue_pop(queue);
}

static bool inline_pending(const struct soft_copy_chan *chan)
{
    const struct inline_chan *self = OD_CONTAINER_OF(chan, const struct inline_chan, base);

    return self->queue.head != self->queue.tail;
}

static void inline_cancel(struct soft_copy_chan *chan)
{
    struct inline_chan *self = from_base(chan);
    bool left;

    if (self->running) {
        soft_copy_run_cut(&self->run, &left);
        finish_run(self);
    }
    self->queue.ready += soft_copy_queue_cancel(&self->queue, self->queue.ready);
}

const struct soft_copy_ops soft_copy_inline_ops = {
    .name = "inline",
    .open = inline_open,
    .close = inline_close,
    .submit = inline_submit,
    .poll = inline_poll,
    .pending = inline_pending,
    .cancel = inline_cancel,
};

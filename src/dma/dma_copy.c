/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct doca_dma *from_ctx(struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(ctx, struct doca_dma, ctx);
}

static struct doca_dma_task_memcpy *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_dma_task_memcpy, base);
}

static struct dma_segs *take_segs(struct doca_dma *dma)
{
    struct dma_segs *segs = dma->free_segs;

    if (segs != NULL) {
        dma->free_segs = segs->next;
        return segs;
    }
    return malloc(sizeof(*segs) + 2 * dma->max_list_len * sizeof(segs->seg[0]));
}

void dma_drop_job(struct doca_dma *dma, struct doca_dma_task_memcpy *task)
{
    if (od_likely(task->segs == NULL))
        return;
    task->segs->next = dma->free_segs;
    dma->free_segs = task->segs;
    dma_init_job(task);
}

void dma_free_segs(struct doca_dma *dma)
{
    while (dma->free_segs != NULL) {
        struct dma_segs *next = dma->free_segs->next;

        free(dma->free_segs);
        dma->free_segs = next;
    }
}

static inline void src_seg(struct soft_seg *seg, const struct doca_buf *buf)
{
    seg->addr = (uintptr_t)buf->data;
    seg->len = buf->data_len;
    seg->peer = buf->mmap->peer;
}

static inline void dst_seg(struct soft_seg *seg, const struct doca_buf *buf)
{
    seg->addr = (uintptr_t)(buf->data + buf->data_len);
    seg->len = (size_t)(buf->head + buf->len - (buf->data + buf->data_len));
    seg->peer = buf->mmap->peer;
}

static const char *build_lists(struct doca_dma *dma, struct doca_dma_task_memcpy *task)
{
    struct soft_seg *seg;
    uint32_t n = 0;

    task->segs = take_segs(dma);
    if (task->segs == NULL)
        return "no memory for the segment list";
    seg = task->segs->seg;
    task->job.src = seg;
    for (const struct doca_buf *b = task->src; b != NULL; b = b->next, n++)
        src_seg(&seg[n], b);
    task->job.nsrc = n;
    seg += n;
    task->job.dst = seg;
    n = 0;
    for (const struct doca_buf *b = task->dst; b != NULL; b = b->next, n++)
        dst_seg(&seg[n], b);
    task->job.ndst = n;
    return NULL;
}

const char *dma_build_job(struct doca_dma *dma, struct doca_dma_task_memcpy *task)
{
    struct dma_extent src, dst;

    if (od_likely(dma_build_single(dma, task)))
        return NULL;
    src = dma_src_extent(task->src);
    dst = dma_dst_extent(task->dst);
    task->job.len = src.bytes;
    task->dst_seg.len = dst.bytes; /* for the message, should it come to one */
    if (od_unlikely(!src.sane))
        return "data segment outside of the source buffer";
    if (od_unlikely(!dst.sane))
        return "data segment outside of the destination buffer";
    if (od_unlikely(src.bytes == 0))
        return "source of zero length";
    if (od_unlikely(src.bytes > dma->max_buf_size))
        return "source longer than the device's limit";
    if (od_unlikely(src.bytes > dst.bytes))
        return "destination too short";
    if (od_unlikely(src.elements > dma->max_list_len || dst.elements > dma->max_list_len))
        return "list longer than the device's limit";
    return build_lists(dma, task);
}

void dma_release_held(struct doca_dma *dma)
{
    struct soft_copy_job *job;

    while ((job = dma_job_queue_pop(&dma->held)) != NULL)
        dma_job_queue_push(&dma->released, job);
    while ((job = dma->released.head) != NULL) {
        struct soft_copy_job *next = job->next;

        if (dma->chan->ops->submit(dma->chan, job) != 0)
            return;
        dma->released.head = next;
    }
}

void dma_fail_later(struct doca_dma *dma, struct doca_dma_task_memcpy *task, size_t older)
{
    if (dma->ordered) {
        task->done = true;
        return;
    }
    task->turn = dma->handed_back + (uint32_t)older;
    core_task_queue_push(&dma->failed, &task->base);
}

/* A context that stops flushes, whoever is older. */
static bool failed_is_due(const struct doca_dma *dma)
{
    const struct doca_task *head = dma->failed.head;

    if (head == NULL)
        return false;
    return dma->ctx.state != DOCA_CTX_STATE_RUNNING ||
           (int32_t)(dma->handed_back -
                     OD_CONTAINER_OF(head, const struct doca_dma_task_memcpy, base)->turn) >= 0;
}

static const char *failure_text(int status)
{
    switch (status) {
    case -EFAULT:
        return "memory that is not mapped or not accessible";
    case -EPERM:
        return "the exporter stopped or destroyed its map";
    case -EACCES:
        return "the exporter's map does not grant this access";
    case -ENOTCONN:
        return "the exporting process is gone";
    default:
        return strerror(-status);
    }
}

/* Cold: says once a run why the first task failed; what follows is flushing. */
static OD_COLD doca_error_t explain(struct doca_dma *dma, const struct doca_dma_task_memcpy *task)
{
    int status = task->job.status;
    doca_error_t code = status == -EACCES ? DOCA_ERROR_NOT_PERMITTED : DOCA_ERROR_IO_FAILED;

    if (status == -ECANCELED) {
        CORE_DEBUG(CORE_LOG_DMA, "%s: task flushed", dma->ctx.name);
        return DOCA_ERROR_IO_FAILED;
    }
    if (dma->failure_logged) {
        CORE_DEBUG(CORE_LOG_DMA, "%s: task failed: %s", dma->ctx.name,
                   task->why != NULL ? task->why : failure_text(status));
        return code;
    }
    dma->failure_logged = true;
    if (task->why == NULL)
        return CORE_FAIL(code, CORE_LOG_DMA, "doca_pe_progress", dma->ctx.name, "memcpy task",
                         "failed, %" PRIu64 " bytes: %s" CORE_REMEDY
                         "the context stops now and flushes its other tasks",
                         task->job.len, failure_text(status));
    return CORE_FAIL(code, CORE_LOG_DMA, "doca_pe_progress", dma->ctx.name, "memcpy task",
                     "not executable: %s (source %" PRIu64 " bytes, room in the destination %zu "
                     "bytes)" CORE_LIMIT "1..%" PRIu64 " bytes, lists of %u" CORE_REMEDY
                     "the context stops now and flushes its other tasks; doca_task_try_submit() "
                     "tells beforehand",
                     task->why, task->job.len, task->dst_seg.len, dma->max_buf_size,
                     dma->max_list_len);
}

/* The destination grows by what was written. */
static inline void grow_destination(struct doca_dma_task_memcpy *task)
{
    struct doca_buf *buf = task->dst;
    uint64_t left = task->job.len;

    if (od_likely(task->segs == NULL)) {
        buf->data_len += left;
        return;
    }
    for (uint32_t i = 0; left > 0 && buf != NULL; i++, buf = buf->next) {
        size_t part = OD_MIN(left, (uint64_t)task->job.dst[i].len);

        buf->data_len += part;
        left -= part;
    }
}

/* Hands the task back with what job.status says. */
static OD_NOINLINE void finish(struct doca_dma *dma, struct doca_dma_task_memcpy *task)
{
    int status = task->job.status;
    doca_error_t code;

    if (od_likely(status == 0)) {
        grow_destination(task);
        dma_drop_job(dma, task);
        core_task_complete(&task->base, DOCA_SUCCESS);
        return;
    }
    code = explain(dma, task);
    dma_drop_job(dma, task);
    if (status == -ECANCELED)
        core_task_complete(&task->base, code);
    else
        core_task_complete_fatal(&task->base, code);
}

/* In-order delivery: what finished early waits until all older tasks are handed back. */
static bool deliver_ordered(struct doca_dma *dma)
{
    struct doca_dma_task_memcpy *task;

    if (dma->order.head == NULL || !from_task(dma->order.head)->done)
        return false;
    task = from_task(core_task_queue_pop(&dma->order));
    finish(dma, task);
    return true;
}

/* Looks for finished jobs until the oldest task is among them. */
static bool progress_ordered(struct doca_dma *dma)
{
    struct soft_copy_job *job;

    while (!deliver_ordered(dma)) {
        job = dma->chan->ops->poll(dma->chan);
        if (job == NULL)
            return false;
        dma_task_of_job(job)->done = true;
    }
    return true;
}

/* The instance may be gone when a task has been finished. */
static OD_COLD bool progress_failed(struct doca_dma *dma)
{
    struct doca_dma_task_memcpy *task;
    struct soft_copy_job *job;

    if (failed_is_due(dma)) {
        task = from_task(core_task_queue_pop(&dma->failed));
    } else {
        job = dma->chan->ops->poll(dma->chan);
        if (job == NULL)
            return false;
        task = dma_task_of_job(job);
    }
    dma->handed_back++;
    finish(dma, task);
    return true;
}

/* Something else than the engine may have a task to hand back. */
static OD_NOINLINE bool progress_any(struct doca_dma *dma)
{
    struct soft_copy_job *job;

    if (dma->released.head != NULL)
        dma_release_held(dma);
    if (dma->failed.head != NULL)
        return progress_failed(dma);
    if (dma->ordered)
        return progress_ordered(dma);
    job = dma->chan->ops->poll(dma->chan);
    if (job == NULL)
        return false;
    finish(dma, dma_task_of_job(job));
    return true;
}

bool dma_progress(struct doca_ctx *ctx)
{
    struct doca_dma *dma = from_ctx(ctx);
    struct doca_dma_task_memcpy *task;
    struct soft_copy_job *job;

    if (od_unlikely(((uintptr_t)dma->released.head | (uintptr_t)dma->failed.head | dma->ordered) !=
                    0))
        return progress_any(dma);
    job = dma->chan->ops->poll(dma->chan);
    if (job == NULL)
        return false;
    task = dma_task_of_job(job);
    if (od_unlikely((uintptr_t)task->segs != 0 || job->status != 0)) {
        finish(dma, task);
        return true;
    }
    task->dst->data_len += job->len;
    core_task_complete(&task->base, DOCA_SUCCESS);
    return true;
}

bool dma_pending(const struct doca_ctx *ctx)
{
    const struct doca_dma *dma = OD_CONTAINER_OF(ctx, const struct doca_dma, ctx);

    return failed_is_due(dma) || dma->released.head != NULL ||
           (dma->order.head != NULL && from_task(dma->order.head)->done) ||
           dma->chan->ops->pending(dma->chan);
}

/* What the engine has not been given can be flushed at once. */
static void flush_queue(struct doca_dma *dma, struct dma_job_queue *queue)
{
    for (struct soft_copy_job *job; (job = dma_job_queue_pop(queue)) != NULL;) {
        job->status = -ECANCELED;
        dma_fail_later(dma, dma_task_of_job(job), 0);
    }
}

void dma_stopping(struct doca_ctx *ctx)
{
    struct doca_dma *dma = from_ctx(ctx);

    dma->chan->ops->cancel(dma->chan);
    flush_queue(dma, &dma->released);
    flush_queue(dma, &dma->held);
}

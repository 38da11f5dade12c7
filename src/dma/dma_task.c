/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma_priv.h"

#include <errno.h>

static struct doca_dma_task_memcpy *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_dma_task_memcpy, base);
}

static struct doca_dma *dma_of(const struct doca_task *task)
{
    return OD_CONTAINER_OF(task->ctx, struct doca_dma, ctx);
}

/* Fields are the user's to set, so nothing about them may be assumed: offsets are compared, never
 * sums that could wrap. */
static inline bool data_is_inside(const struct doca_buf *buf)
{
    size_t offset = (size_t)(buf->data - buf->head);

    return offset <= buf->len && buf->data_len <= buf->len - offset;
}

struct dma_extent dma_src_extent(const struct doca_buf *buf)
{
    struct dma_extent extent = {.sane = true};

    for (; buf != NULL; buf = buf->next) {
        extent.bytes += buf->data_len;
        extent.elements++;
        extent.sane = extent.sane && data_is_inside(buf);
    }
    return extent;
}

struct dma_extent dma_dst_extent(const struct doca_buf *buf)
{
    struct dma_extent extent = {.sane = true};

    for (; buf != NULL; buf = buf->next) {
        extent.elements++;
        if (!data_is_inside(buf))
            extent.sane = false;
        else
            extent.bytes += buf->len - (size_t)(buf->data - buf->head) - buf->data_len;
    }
    return extent;
}

static OD_COLD doca_error_t refuse_dev(const struct doca_dma *dma, const struct doca_buf *buf,
                                       const char *side, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, func, dma->ctx.name, side,
                     "in %s, which does not have device %s" CORE_REMEDY
                     "add the device with doca_mmap_add_dev() before starting the map",
                     buf->mmap->name, dma->ctx.dev->info.name);
}

static OD_COLD doca_error_t refuse_access(const struct doca_dma *dma, const struct doca_buf *buf,
                                          const char *side, const char *flag, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_DMA, func, dma->ctx.name, side,
                     "in %s with access mask 0x%x" CORE_LIMIT "%s" CORE_REMEDY
                     "%s must give the flag with doca_mmap_set_permissions()",
                     buf->mmap->name, buf->mmap->access, flag,
                     buf->mmap->peer != NULL ? "the exporter" : "this process");
}

/* Both sides of a task: device and access of each element's map. */
static inline doca_error_t check_src(const struct doca_dma *dma, const struct doca_buf *buf,
                                     const char *func)
{
    const struct doca_mmap *seen = NULL;

    for (; buf != NULL; buf = buf->next) {
        if (buf->mmap == seen)
            continue;
        seen = buf->mmap;
        if (od_unlikely(!core_mmap_has_dev(seen, dma->ctx.dev)))
            return refuse_dev(dma, buf, "source", func);
        if (od_unlikely(!core_mmap_can_read(seen)))
            return refuse_access(dma, buf, "source", "PCI_READ_ONLY or PCI_READ_WRITE", func);
    }
    return DOCA_SUCCESS;
}

static inline doca_error_t check_dst(const struct doca_dma *dma, const struct doca_buf *buf,
                                     const char *func)
{
    const struct doca_mmap *seen = NULL;

    for (; buf != NULL; buf = buf->next) {
        if (buf->mmap == seen)
            continue;
        seen = buf->mmap;
        if (od_unlikely(!core_mmap_has_dev(seen, dma->ctx.dev)))
            return refuse_dev(dma, buf, "destination", func);
        if (od_unlikely(!core_mmap_can_write(seen)))
            return refuse_access(dma, buf, "destination",
                                 seen->peer != NULL ? "PCI_READ_WRITE" : "LOCAL_READ_WRITE", func);
    }
    return DOCA_SUCCESS;
}

/* A released buffer has no map to look at. */
static inline bool is_alive(const struct doca_buf *buf)
{
    return core_buf_exists(buf) && buf->refcount > 0;
}

static OD_COLD doca_error_t refuse_buf(const struct doca_dma *dma, const struct doca_buf *buf,
                                       const char *side, const char *func)
{
    if (!core_buf_exists(buf))
        return CORE_FAIL_DEAD(CORE_LOG_DMA, func, side, buf);
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, func, dma->ctx.name, side,
                     "%s" CORE_LIMIT "a live buffer that heads its list" CORE_REMEDY
                     "pass the first buffer of the list, before its last reference goes",
                     buf->is_head ? "a buffer that was released" : "an inner element of a list");
}

static inline doca_error_t check_access(const struct doca_dma *dma,
                                        const struct doca_dma_task_memcpy *task, const char *func)
{
    doca_error_t result;

    if (od_unlikely(!is_alive(task->src)))
        return refuse_buf(dma, task->src, "source", func);
    if (od_unlikely(!is_alive(task->dst)))
        return refuse_buf(dma, task->dst, "destination", func);
    result = check_src(dma, task->src, func);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    return check_dst(dma, task->dst, func);
}

static OD_COLD doca_error_t refuse_full(const struct doca_dma *dma)
{
    return CORE_FAIL(DOCA_ERROR_AGAIN, CORE_LOG_DMA, "doca_task_submit", dma->ctx.name,
                     "submission queue",
                     "full with %zu tasks" CORE_LIMIT "%u" CORE_REMEDY
                     "call doca_pe_progress() and submit again",
                     dma->ctx.inflight, dma->depth);
}

/* A map of this process and of this device, which is its first: nothing more to ask. */
static inline bool is_near(const struct doca_dma *dma, const struct doca_buf *buf)
{
    const struct doca_mmap *mmap = buf->mmap;

    return buf->refcount != 0 && mmap->peer == NULL && mmap->ndevs != 0 &&
           mmap->devs[0] == dma->ctx.dev;
}

/* What nearly every submit is: single buffers of this process, nothing in the way. The job is built
 * when this says so; all other cases, and all refusals, take the long way. */
static inline bool is_usual(const struct doca_dma *dma, struct doca_dma_task_memcpy *task)
{
    return core_buf_exists(task->src) && core_buf_exists(task->dst) &&
           ((uintptr_t)dma->held.head | (uintptr_t)dma->released.head | dma->ordered) == 0 &&
           dma->ctx.inflight < dma->depth && is_near(dma, task->src) && is_near(dma, task->dst) &&
           (task->dst->mmap->access & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) != 0 &&
           dma_build_single(dma, task);
}

static OD_NOINLINE doca_error_t submit_any(struct doca_dma *dma, struct doca_dma_task_memcpy *task,
                                           bool flush)
{
    struct doca_task *base = &task->base;
    doca_error_t result = check_access(dma, task, "doca_task_submit");

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(dma->ctx.inflight >= dma->depth))
        return refuse_full(dma);

    task->why = dma_build_job(dma, task);
    task->done = false;
    if (od_unlikely(task->why != NULL)) {
        task->job.status = -EIO;
        if (dma->ordered)
            core_task_queue_push(&dma->order, base);
        dma_fail_later(dma, task, dma->ctx.inflight);
        if (flush)
            dma_release_held(dma);
        return DOCA_SUCCESS;
    }

    if (od_unlikely(!flush || dma->held.head != NULL || dma->released.head != NULL)) {
        dma_job_queue_push(&dma->held, &task->job);
        if (flush)
            dma_release_held(dma);
    } else if (od_unlikely(dma->chan->ops->submit(dma->chan, &task->job) != 0)) {
        dma_drop_job(dma, task);
        return refuse_full(dma);
    }
    if (od_unlikely(dma->ordered))
        core_task_queue_push(&dma->order, base);
    return DOCA_SUCCESS;
}

static doca_error_t submit(struct doca_task *base, bool flush)
{
    struct doca_dma_task_memcpy *task = from_task(base);
    struct doca_dma *dma = dma_of(base);

    if (od_unlikely(!flush || !is_usual(dma, task)))
        return submit_any(dma, task, flush);
    task->why = NULL;
    if (od_likely(dma->chan->ops->submit(dma->chan, &task->job) == 0))
        return DOCA_SUCCESS;
    return refuse_full(dma);
}

static doca_error_t validate(struct doca_task *base)
{
    struct doca_dma_task_memcpy *task = from_task(base);
    struct doca_dma *dma = dma_of(base);
    doca_error_t result = check_access(dma, task, "doca_task_try_submit");
    const char *why;

    if (result != DOCA_SUCCESS)
        return result;
    if (!task->src->is_head)
        return refuse_buf(dma, task->src, "source", "doca_task_try_submit");
    if (!task->dst->is_head)
        return refuse_buf(dma, task->dst, "destination", "doca_task_try_submit");
    why = dma_build_job(dma, task);
    dma_drop_job(dma, task);
    if (why == NULL)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, "doca_task_try_submit", dma->ctx.name,
                     "memcpy task",
                     "%s (source %" PRIu64 " bytes, room in the destination %" PRIu64
                     " bytes)" CORE_LIMIT "1..%" PRIu64 " bytes, lists of %u" CORE_REMEDY
                     "change the buffers and submit again",
                     why, dma_src_extent(task->src).bytes, dma_dst_extent(task->dst).bytes,
                     dma->max_buf_size, dma->max_list_len);
}

static void deliver(struct doca_task *base)
{
    struct doca_dma *dma = dma_of(base);
    doca_dma_task_memcpy_completion_cb_t cb =
        od_likely(base->status == DOCA_SUCCESS) ? dma->success_cb : dma->error_cb;

    cb(from_task(base), base->user_data, dma->ctx.user_data);
}

const struct core_task_ops dma_memcpy_ops = {
    .submit = submit,
    .validate = validate,
    .deliver = deliver,
};

static doca_error_t check_alloc(const struct doca_dma *dma, const struct doca_buf *src,
                                const struct doca_buf *dst, const char *func)
{
    struct dma_extent from, to;

    if (!is_alive(src) || !src->is_head)
        return refuse_buf(dma, src, "src", func);
    if (!is_alive(dst) || !dst->is_head)
        return refuse_buf(dma, dst, "dst", func);
    from = dma_src_extent(src);
    to = dma_dst_extent(dst);
    if (from.bytes > dma->max_buf_size)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, func, dma->ctx.name,
                         "source length",
                         "%" PRIu64 " bytes" CORE_LIMIT "%" PRIu64 " bytes" CORE_REMEDY
                         "split the copy; see doca_dma_cap_task_memcpy_get_max_buf_size()",
                         from.bytes, dma->max_buf_size);
    if (from.elements > dma->max_list_len || to.elements > dma->max_list_len)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, func, dma->ctx.name, "list length",
                         "%u" CORE_LIMIT "%u elements" CORE_REMEDY
                         "split the list; see doca_dma_cap_task_memcpy_get_max_buf_list_len()",
                         OD_MAX(from.elements, to.elements), dma->max_list_len);
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
                                             struct doca_buf *dst, union doca_data user_data,
                                             struct doca_dma_task_memcpy **task)
{
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_DMA, dma))
        return CORE_FAIL_DEAD(CORE_LOG_DMA, __func__, "dma", dma);
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "task");
    if (dma->ctx.gpu != NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_DMA, __func__, dma->ctx.name, "data path",
                         "on a GPU" CORE_LIMIT "on the CPU" CORE_REMEDY
                         "kernels start copies by doca_gpu_dev_dma_memcpy()");
    if (dma->ctx.state == DOCA_CTX_STATE_RUNNING) {
        result = check_alloc(dma, src, dst, __func__);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = core_task_alloc(&dma->pool, user_data, __func__, &base);
    if (result != DOCA_SUCCESS)
        return result;
    *task = from_task(base);
    (*task)->src = src;
    (*task)->dst = dst;
    dma_init_job(*task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
    return task != NULL ? &task->base : NULL;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
    if (core_task_is_live(task, __func__))
        task->src = src;
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
    return core_task_is_live(task, __func__) ? task->src : NULL;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
    if (core_task_is_live(task, __func__))
        task->dst = dst;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
    return core_task_is_live(task, __func__) ? task->dst : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_mmap_advise.h>

#include "core/core_priv.h"

#include <stdlib.h>

/* The processor's caches are coherent with every software device, so dropping lines would only cost
 * time: a task does nothing but complete. */

#define MAX_TASKS 65535u /* of one context; the devices file has no limit of its own */

struct doca_mmap_advise_task_invalidate_cache {
    struct doca_task task; /* first */
    struct doca_buf *buf;
    doca_error_t outcome;
};

struct doca_mmap_advise {
    struct doca_ctx ctx; /* first */
    struct core_task_pool pool;
    doca_mmap_advise_task_invalidate_cache_completion_cb_t done_cb;
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb;
    struct core_task_queue held; /* submitted without FLUSH */
    struct core_task_queue done; /* to be reported */
};

static inline struct doca_mmap_advise *from_ctx(struct doca_ctx *ctx)
{
    return (struct doca_mmap_advise *)ctx;
}

static inline struct doca_mmap_advise_task_invalidate_cache *from_task(struct doca_task *task)
{
    return (struct doca_mmap_advise_task_invalidate_cache *)task;
}

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

/* Bytes that the task is about: the data of the buffer, and of those chained to it. UINT64_MAX when
 * data lies outside of its buffer. */
static uint64_t data_bytes(const struct doca_buf *buf)
{
    uint64_t total = 0;

    for (; buf != NULL; buf = buf->next) {
        if (buf->data < buf->head || buf->data_len > (size_t)(buf->head + buf->len - buf->data))
            return UINT64_MAX;
        total += buf->data_len;
    }
    return total;
}

static void release(struct doca_mmap_advise *advise, struct doca_task *task)
{
    const uint64_t limit = advise->ctx.dev->info.soft->caps.mmap_advise_max_buf_size;
    const bool fits = data_bytes(from_task(task)->buf) <= limit;

    from_task(task)->outcome = fits ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
    core_task_queue_push(&advise->done, task);
}

static void release_held(struct doca_ctx *ctx)
{
    struct doca_mmap_advise *advise = from_ctx(ctx);
    struct doca_task *task;

    while ((task = core_task_queue_pop(&advise->held)) != NULL)
        release(advise, task);
}

static doca_error_t submit(struct doca_task *task, bool flush)
{
    if (!core_buf_exists(from_task(task)->buf))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP_ADVISE, "doca_task_submit", "buf",
                              from_task(task)->buf);
    core_task_queue_push(&from_ctx(task->ctx)->held, task);
    if (flush)
        release_held(task->ctx);
    return DOCA_SUCCESS;
}

static doca_error_t validate(struct doca_task *task)
{
    const uint64_t limit = task->ctx->dev->info.soft->caps.mmap_advise_max_buf_size;
    uint64_t bytes;

    if (!core_buf_exists(from_task(task)->buf))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP_ADVISE, "doca_task_try_submit", "buf",
                              from_task(task)->buf);
    bytes = data_bytes(from_task(task)->buf);
    if (bytes <= limit)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP_ADVISE, "doca_task_try_submit",
                     task->ctx->name, "buffer size",
                     "%llu bytes" CORE_LIMIT "%llu bytes" CORE_REMEDY "use smaller buffers",
                     (unsigned long long)bytes, (unsigned long long)limit);
}

static void deliver(struct doca_task *task)
{
    const struct doca_mmap_advise *advise = from_ctx(task->ctx);

    (task->status == DOCA_SUCCESS ? advise->done_cb : advise->error_cb)(
        from_task(task), task->user_data, task->ctx->user_data);
}

static const struct core_task_ops task_ops = {submit, validate, deliver};

/* ------------------------------------------------------------------------------------------------
 * Context
 */

static doca_error_t require_cap(const struct doca_mmap_advise *advise, const char *func)
{
    if (advise->ctx.dev->info.soft->caps.mmap_advise_cache_invalidate)
        return DOCA_SUCCESS;
    return CORE_FAIL(
        DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_MMAP_ADVISE, func, advise->ctx.name, "device",
        "%s, lacks the capability mmap_advise_cache_invalidate" CORE_REMEDY "use another device",
        advise->ctx.dev->info.name);
}

static doca_error_t start(struct doca_ctx *ctx)
{
    static const char func[] = "doca_ctx_start";
    struct doca_mmap_advise *advise = from_ctx(ctx);
    doca_error_t result = require_cap(advise, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (advise->pool.num == 0)
        return CORE_FAIL(
            DOCA_ERROR_BAD_STATE, CORE_LOG_MMAP_ADVISE, func, ctx->name, "task configuration",
            "missing" CORE_REMEDY "call doca_mmap_advise_task_invalidate_cache_set_conf() first");
    if (core_task_pool_open(&advise->pool) != DOCA_SUCCESS)
        return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_MMAP_ADVISE, func, ctx->name,
                         "task pool", "%u tasks, no memory" CORE_REMEDY "configure fewer tasks",
                         advise->pool.num);
    return DOCA_SUCCESS;
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_task *task = core_task_queue_pop(&from_ctx(ctx)->done);

    if (task == NULL)
        return false;
    core_task_complete(task, from_task(task)->outcome);
    return true;
}

static bool pending(const struct doca_ctx *ctx)
{
    return ((const struct doca_mmap_advise *)ctx)->done.head != NULL;
}

/* What was released has finished; what was held back has not begun. */
static void stopping(struct doca_ctx *ctx)
{
    struct doca_mmap_advise *advise = from_ctx(ctx);

    for (struct doca_task *task = advise->held.head; task != NULL; task = task->next)
        from_task(task)->outcome = DOCA_ERROR_IO_FAILED;
    core_task_queue_splice(&advise->done, &advise->held);
}

static bool drained(const struct doca_ctx *ctx)
{
    return !pending(ctx);
}

static void stopped(struct doca_ctx *ctx)
{
    core_task_pool_close(&from_ctx(ctx)->pool);
}

static const struct core_ctx_ops ctx_ops = {
    .kind = "mmap_advise",
    .source = CORE_LOG_MMAP_ADVISE,
    .start = start,
    .progress = progress,
    .pending = pending,
    .flush = release_held,
    .stopping = stopping,
    .drained = drained,
    .stopped = stopped,
};

doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise)
{
    struct doca_mmap_advise *created;

    if (mmap_advise == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP_ADVISE, __func__, "mmap_advise");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP_ADVISE, __func__, NULL, "dev",
                         "%s" CORE_REMEDY "pass an open device", dev == NULL ? "NULL" : "not open");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_MMAP_ADVISE, __func__, dev->info.name,
                         "mmap_advise", "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    core_ctx_init(&created->ctx, &ctx_ops, dev);
    created->ctx.setters_not_permitted = true;
    core_task_pool_init(&created->pool, &created->ctx, &task_ops,
                        sizeof(struct doca_mmap_advise_task_invalidate_cache));
    core_live_add(CORE_LIVE_MMAP_ADVISE, created);
    *mmap_advise = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP_ADVISE, mmap_advise))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP_ADVISE, __func__, "mmap_advise", mmap_advise);
    result = core_ctx_fini(&mmap_advise->ctx, __func__);
    if (result == DOCA_SUCCESS)
        free(mmap_advise);
    return result;
}

struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise)
{
    return mmap_advise != NULL ? &mmap_advise->ctx : NULL;
}

doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo)
{
    const struct soft_caps *caps = core_devinfo_caps(devinfo, __func__);

    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (caps->mmap_advise_cache_invalidate)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_MMAP_ADVISE, __func__, devinfo->name,
                       "mmap_advise_cache_invalidate", "false");
}

doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size)
{
    const struct soft_caps *caps;

    if (buf_size == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP_ADVISE, __func__, "buf_size");
    caps = core_devinfo_caps(devinfo, __func__);
    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *buf_size = caps->mmap_advise_max_buf_size;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP_ADVISE, mmap_advise))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP_ADVISE, __func__, "mmap_advise", mmap_advise);
    if (completion_cb == NULL || error_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP_ADVISE, __func__,
                              completion_cb == NULL ? "completion_cb" : "error_cb");
    if (num_tasks == 0 || num_tasks > MAX_TASKS)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP_ADVISE, __func__,
                         mmap_advise->ctx.name, "num_tasks", "%u" CORE_LIMIT "1..%u", num_tasks,
                         MAX_TASKS);
    result = core_ctx_check_idle(&mmap_advise->ctx, __func__);
    if (result == DOCA_SUCCESS)
        result = require_cap(mmap_advise, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    mmap_advise->done_cb = completion_cb;
    mmap_advise->error_cb = error_cb;
    mmap_advise->pool.num = num_tasks;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
    struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
    struct doca_mmap_advise_task_invalidate_cache **task)
{
    struct doca_task *taken;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP_ADVISE, mmap_advise))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP_ADVISE, __func__, "mmap_advise", mmap_advise);
    if (!core_buf_exists(buf))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP_ADVISE, __func__, "buf", buf);
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP_ADVISE, __func__, "task");
    result = core_task_alloc(&mmap_advise->pool, user_data, __func__, &taken);
    if (result != DOCA_SUCCESS)
        return result;
    from_task(taken)->buf = buf;
    *task = from_task(taken);
    return DOCA_SUCCESS;
}

struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
    struct doca_mmap_advise_task_invalidate_cache *task)
{
    return task != NULL ? &task->task : NULL;
}

void doca_mmap_advise_task_invalidate_cache_set_buf(
    struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf)
{
    if (core_task_is_live(task, __func__))
        task->buf = buf;
}

struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
    const struct doca_mmap_advise_task_invalidate_cache *task)
{
    return core_task_is_live(task, __func__) ? task->buf : NULL;
}

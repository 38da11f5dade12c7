/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma_priv.h"

#include <stdlib.h>

static struct doca_dma *from_ctx(struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(ctx, struct doca_dma, ctx);
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_dma *dma = from_ctx(ctx);
    const struct soft_device *device = ctx->dev->info.soft;
    int err;

    if (!device->caps.dma_memcpy)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DMA, "doca_ctx_start", ctx->name,
                         "memcpy task",
                         "not offered by device %s (profile %s)" CORE_REMEDY
                         "choose a device with the capability, or a profile that has it",
                         ctx->dev->info.name, device->profile);
    if (ctx->gpu != NULL)
        return dma_gpu_start(dma, "doca_ctx_start");
    if (dma->pool.num == 0)
        return CORE_FAIL(
            DOCA_ERROR_BAD_STATE, CORE_LOG_DMA, "doca_ctx_start", ctx->name, "memcpy task",
            "not configured" CORE_REMEDY "call doca_dma_task_memcpy_set_conf() before the start");

    dma->depth = device->caps.dma_queue_depth != 0
                     ? OD_MIN(device->caps.dma_queue_depth, dma->pool.num)
                     : dma->pool.num;
    dma->max_buf_size = device->caps.dma_max_buf_size;
    dma->max_list_len = device->caps.dma_max_list_len;
    dma->failure_logged = false;

    err = soft_copy_open(&device->copy, dma->depth, core_ctx_waker(ctx), &dma->chan);
    if (err != 0)
        return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_DMA, "doca_ctx_start", ctx->name,
                         "copy engine", "not available: %s", soft_reason());
    if (core_task_pool_open(&dma->pool) != DOCA_SUCCESS)
        goto err_close_chan;
    return DOCA_SUCCESS;

err_close_chan:
    dma->chan->ops->close(dma->chan);
    dma->chan = NULL;
    return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_DMA, "doca_ctx_start", ctx->name,
                     "task pool", "%u tasks" CORE_REMEDY "reserve fewer tasks or free memory",
                     dma->pool.num);
}

/* Of kernels' copies the program sees nothing but memory. */
static bool progress(struct doca_ctx *ctx)
{
    return ctx->gpu == NULL && dma_progress(ctx);
}

static bool pending(const struct doca_ctx *ctx)
{
    return ctx->gpu == NULL && dma_pending(ctx);
}

static void flush(struct doca_ctx *ctx)
{
    if (ctx->gpu == NULL)
        dma_release_held(from_ctx(ctx));
}

static void stopping(struct doca_ctx *ctx)
{
    if (ctx->gpu == NULL)
        dma_stopping(ctx);
}

static bool drained(const struct doca_ctx *ctx)
{
    (void)ctx; /* nothing but tasks, and the core counts those */
    return true;
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_dma *dma = from_ctx(ctx);

    if (ctx->gpu != NULL) {
        dma_gpu_stopped(dma);
        return;
    }
    dma->chan->ops->close(dma->chan);
    dma->chan = NULL;
    dma_free_segs(dma);
    core_task_pool_close(&dma->pool);
}

static const struct core_ctx_ops dma_ctx_ops = {
    .kind = "dma",
    .source = CORE_LOG_DMA,
    .on_gpu = true,
    .start = start,
    .progress = progress,
    .pending = pending,
    .flush = flush,
    .stopping = stopping,
    .drained = drained,
    .stopped = stopped,
};

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
    struct doca_dma *created;

    if (dma == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "dma");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, __func__, NULL, "dev",
                         "%p" CORE_LIMIT "an open device" CORE_REMEDY
                         "open it with doca_dev_open()",
                         (void *)dev);
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_DMA, __func__, dev->info.name, "instance",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    core_ctx_init(&created->ctx, &dma_ctx_ops, dev);
    core_task_pool_init(&created->pool, &created->ctx, &dma_memcpy_ops,
                        sizeof(struct doca_dma_task_memcpy));
    core_live_add(CORE_LIVE_DMA, created);
    *dma = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_DMA, dma))
        return CORE_FAIL_DEAD(CORE_LOG_DMA, __func__, "dma", dma);
    result = core_ctx_fini(&dma->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    dma_gpu_destroyed(dma);
    free(dma);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
    return dma != NULL ? &dma->ctx : NULL;
}

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
                                           doca_dma_task_memcpy_completion_cb_t task_completion_cb,
                                           doca_dma_task_memcpy_completion_cb_t task_error_cb,
                                           uint32_t num_memcpy_tasks)
{
    const struct soft_caps *caps;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_DMA, dma))
        return CORE_FAIL_DEAD(CORE_LOG_DMA, __func__, "dma", dma);
    if (task_completion_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "task_completion_cb");
    if (task_error_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "task_error_cb");
    result = core_ctx_check_idle(&dma->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    caps = &dma->ctx.dev->info.soft->caps;
    if (!caps->dma_memcpy)
        return CORE_FAIL(
            DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DMA, __func__, dma->ctx.name, "memcpy task",
            "not offered by device %s" CORE_REMEDY "choose a device with the capability",
            dma->ctx.dev->info.name);
    if (num_memcpy_tasks == 0 || num_memcpy_tasks > caps->dma_max_tasks)
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, __func__, dma->ctx.name, "num_memcpy_tasks",
            "%u" CORE_LIMIT "1..%u" CORE_REMEDY "stay within doca_dma_cap_get_max_num_tasks()",
            num_memcpy_tasks, caps->dma_max_tasks);
    dma->success_cb = task_completion_cb;
    dma->error_cb = task_error_cb;
    dma->pool.num = num_memcpy_tasks;
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t ordered_completions)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_DMA, dma))
        return CORE_FAIL_DEAD(CORE_LOG_DMA, __func__, "dma", dma);
    result = core_ctx_check_idle(&dma->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    dma->ordered = ordered_completions != 0;
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *ordered_completions)
{
    if (!core_is_live(CORE_LIVE_DMA, dma))
        return CORE_FAIL_DEAD(CORE_LOG_DMA, __func__, "dma", dma);
    if (ordered_completions == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "ordered_completions");
    *ordered_completions = dma->ordered ? 1 : 0;
    return DOCA_SUCCESS;
}

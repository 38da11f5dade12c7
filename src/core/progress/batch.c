/* SPDX-License-Identifier: BSD-3-Clause */
/* Task batches: what the types of all libraries have in common. */

#include "core/progress/ctx_priv.h"

void core_batch_taken(struct doca_task_batch *batch, uint16_t tasks_num, union doca_data user_data)
{
    batch->user_data = user_data;
    batch->status = DOCA_SUCCESS;
    batch->state = CORE_TASK_OWNED;
    batch->tasks_num = tasks_num;
    batch->ctx->allocated++;
}

void core_batch_complete(struct doca_task_batch *batch, doca_error_t status)
{
    struct doca_ctx *ctx = batch->ctx;

    ctx->inflight -= batch->tasks_num;
    batch->status = status;
    batch->state = CORE_TASK_OWNED;
    /* As for single tasks: the depth keeps the context alive during the callback. */
    ctx->callback_depth++;
    batch->ops->deliver(batch);
    ctx->callback_depth--;
    (void)core_ctx_idle_step(ctx);
}

static doca_error_t submit(struct doca_task_batch *batch, const char *func)
{
    struct doca_ctx *ctx = batch->ctx;
    doca_error_t result;

    if (od_unlikely(ctx->state != DOCA_CTX_STATE_RUNNING))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_TASK, func, ctx->name, "state",
                         "not RUNNING" CORE_LIMIT "RUNNING" CORE_REMEDY
                         "the context was not started, or is stopping");
    if (od_unlikely(batch->state != CORE_TASK_OWNED))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_TASK, func, ctx->name, "task_batch",
                         "%s" CORE_LIMIT "owned by the caller" CORE_REMEDY
                         "wait for the batch's completion callback",
                         batch->state == CORE_TASK_SUBMITTED ? "submitted already" : "freed");
    batch->state = CORE_TASK_SUBMITTED;
    result = batch->ops->submit(batch);
    if (od_unlikely(result != DOCA_SUCCESS)) {
        batch->state = CORE_TASK_OWNED;
        return result;
    }
    ctx->inflight += batch->tasks_num;
    core_ctx_wake_self(ctx);
    return DOCA_SUCCESS;
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
    if (task_batch == NULL)
        return CORE_FAIL_NULL(CORE_LOG_TASK, __func__, "task_batch");
    return submit(task_batch, __func__);
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
    doca_error_t result;

    if (task_batch == NULL)
        return CORE_FAIL_NULL(CORE_LOG_TASK, __func__, "task_batch");
    result = task_batch->ops->validate(task_batch);
    return result != DOCA_SUCCESS ? result : submit(task_batch, __func__);
}

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
    struct doca_ctx *ctx;

    if (task_batch == NULL)
        return;
    ctx = task_batch->ctx;
    if (task_batch->state != CORE_TASK_OWNED) {
        CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_TASK, __func__, ctx->name, "task_batch",
                  "%s" CORE_LIMIT "owned by the caller" CORE_REMEDY
                  "free a batch once, and only after its completion callback began",
                  task_batch->state == CORE_TASK_SUBMITTED ? "still submitted" : "freed already");
        return;
    }
    task_batch->state = CORE_TASK_FREE;
    task_batch->ops->put(task_batch);
    ctx->allocated--;
    if (od_unlikely(ctx->state == DOCA_CTX_STATE_STOPPING) && ctx->allocated == 0)
        core_ctx_wake(ctx);
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
    if (task_batch == NULL)
        return CORE_FAIL_NULL(CORE_LOG_TASK, __func__, "task_batch");
    return task_batch->status;
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data)
{
    if (task_batch != NULL)
        task_batch->user_data = user_data;
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
    return task_batch != NULL ? task_batch->user_data : (union doca_data){.u64 = 0};
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
    return task_batch != NULL ? task_batch->ctx : NULL;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
    return task_batch != NULL ? task_batch->ctx->user_data : (union doca_data){.u64 = 0};
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
    return task_batch != NULL ? task_batch->tasks_num : 0;
}

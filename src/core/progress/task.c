/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/progress/ctx_priv.h"

#include <stdlib.h>

#define KNOWN_SUBMIT_FLAGS                                                                         \
    ((uint32_t)(DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS |             \
                DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED |                                  \
                DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_PROCESSED))

void core_task_pool_init(struct core_task_pool *pool, struct doca_ctx *ctx,
                         const struct core_task_ops *ops, size_t task_size)
{
    /* Whole cache lines, so that tasks that engine threads look at do not share any. */
    task_size = (task_size + OD_CACHE_LINE - 1) / OD_CACHE_LINE * OD_CACHE_LINE;
    *pool = (struct core_task_pool){.ops = ops, .ctx = ctx, .task_size = task_size};
}

doca_error_t core_task_pool_open(struct core_task_pool *pool)
{
    size_t bytes = pool->task_size * pool->num;
    char *memory;

    if (pool->num == 0)
        return DOCA_SUCCESS;
    memory = aligned_alloc(OD_CACHE_LINE, bytes);
    if (memory == NULL)
        return DOCA_ERROR_NO_MEMORY;
    /* Writes each task, so that the first allocations do not take page faults. */
    __builtin_memset(memory, 0, bytes);
    pool->memory = memory;
    pool->free = NULL;
    for (uint32_t i = pool->num; i > 0; i--) {
        struct doca_task *task = (struct doca_task *)(memory + (i - 1) * pool->task_size);

        task->ctx = pool->ctx;
        task->pool = pool;
        task->state = CORE_TASK_FREE;
        task->next = pool->free;
        pool->free = task;
        if (OD_CHECKED)
            core_live_add(CORE_LIVE_TASK, task);
    }
    return DOCA_SUCCESS;
}

static void forget_tasks(const struct core_task_pool *pool)
{
    for (uint32_t i = 0; i < pool->num; i++)
        core_live_remove((char *)pool->memory + i * pool->task_size);
}

void core_task_pool_close(struct core_task_pool *pool)
{
    if (OD_CHECKED && pool->memory != NULL)
        forget_tasks(pool);
    free(pool->memory);
    pool->memory = NULL;
    pool->free = NULL;
}

doca_error_t core_task_alloc(struct core_task_pool *pool, union doca_data user_data,
                             const char *func, struct doca_task **task)
{
    struct doca_ctx *ctx = pool->ctx;
    struct doca_task *taken = pool->free;

    if (od_unlikely(ctx->state != DOCA_CTX_STATE_RUNNING))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_TASK, func, ctx->name, "state",
                         "not RUNNING" CORE_LIMIT "RUNNING" CORE_REMEDY
                         "allocate tasks between start and stop");
    if (od_unlikely(taken == NULL))
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_TASK, func, ctx->name, "task pool",
                         "all %u tasks are out" CORE_LIMIT "%u" CORE_REMEDY
                         "free tasks or reserve more with set_conf",
                         pool->num, pool->num);
    pool->free = taken->next;
    taken->next = NULL;
    taken->user_data = user_data;
    taken->on_complete = NULL;
    taken->status = DOCA_SUCCESS;
    taken->state = CORE_TASK_OWNED;
    ctx->allocated++;
    *task = taken;
    return DOCA_SUCCESS;
}

void doca_task_free(struct doca_task *task)
{
    struct doca_ctx *ctx;

    if (!core_task_is_live(task, __func__))
        return;
    ctx = task->ctx;
    if (od_unlikely(task->state != CORE_TASK_OWNED)) {
        CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_TASK, __func__, ctx->name, "task",
                  "%s" CORE_LIMIT "owned by the caller" CORE_REMEDY
                  "free a task once, and only after its completion callback began",
                  task->state == CORE_TASK_SUBMITTED ? "still submitted" : "freed already");
        return;
    }
    task->state = CORE_TASK_FREE;
    task->next = task->pool->free;
    task->pool->free = task;
    ctx->allocated--;
    /* The last task of a stopping context makes the IDLE step possible. */
    if (od_unlikely(ctx->state == DOCA_CTX_STATE_STOPPING) && ctx->allocated == 0)
        core_ctx_wake(ctx);
}

static OD_COLD doca_error_t refuse_submit(const struct doca_task *task, const char *func)
{
    const char *name = task->ctx->name;

    if (task->ctx->state != DOCA_CTX_STATE_RUNNING)
        return CORE_FAIL(
            DOCA_ERROR_BAD_STATE, CORE_LOG_TASK, func, name, "state",
            "not RUNNING" CORE_LIMIT "RUNNING" CORE_REMEDY
            "the context was not started, or is stopping after a stop or a failed task");
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_TASK, func, name, "task",
                     "%s" CORE_LIMIT "owned by the caller" CORE_REMEDY
                     "wait for the task's completion callback",
                     task->state == CORE_TASK_SUBMITTED ? "submitted already" : "freed");
}

static inline doca_error_t submit(struct doca_task *task, uint32_t flags, const char *func)
{
    struct doca_ctx *ctx;
    doca_error_t result;

    if (od_unlikely(!core_is_live(CORE_LIVE_TASK, task)))
        return CORE_FAIL_DEAD(CORE_LOG_TASK, func, "task", task);
    ctx = task->ctx;
    if (od_unlikely(ctx->state != DOCA_CTX_STATE_RUNNING || task->state != CORE_TASK_OWNED))
        return refuse_submit(task, func);

    task->state = CORE_TASK_SUBMITTED;
    result = task->pool->ops->submit(task, (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) != 0);
    if (od_unlikely(result != DOCA_SUCCESS)) {
        task->state = CORE_TASK_OWNED;
        return result;
    }
    ctx->inflight++;
    CORE_TRACE(CORE_LOG_TASK, "%s: task %p submitted", ctx->name, (void *)task);
    core_ctx_wake_self(ctx);
    return DOCA_SUCCESS;
}

doca_error_t doca_task_submit(struct doca_task *task)
{
    return submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH, __func__);
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
    if (od_unlikely((flags & ~KNOWN_SUBMIT_FLAGS) != 0))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_TASK, __func__,
                         core_is_live(CORE_LIVE_TASK, task) ? task->ctx->name : NULL, "flags",
                         "0x%x" CORE_LIMIT "bits of 0x%x", flags, KNOWN_SUBMIT_FLAGS);
    return submit(task, flags, __func__);
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_TASK, task))
        return CORE_FAIL_DEAD(CORE_LOG_TASK, __func__, "task", task);
    if (task->ctx->state != DOCA_CTX_STATE_RUNNING || task->state != CORE_TASK_OWNED)
        return refuse_submit(task, __func__);
    result = task->pool->ops->validate(task);
    if (result != DOCA_SUCCESS)
        return result;
    return submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH, __func__);
}

static inline void hand_back(struct doca_task *task, doca_error_t status)
{
    struct doca_ctx *ctx = task->ctx;

    CORE_TRACE(CORE_LOG_TASK, "%s: task %p completed with %s", ctx->name, (void *)task,
               doca_error_get_name(status));
    ctx->inflight--;
    task->status = status;
    task->state = CORE_TASK_OWNED;
    /* The depth keeps the context alive: it cannot become IDLE inside of the callback. */
    ctx->callback_depth++;
    if (od_likely(task->on_complete == NULL))
        task->pool->ops->deliver(task);
    else
        task->on_complete(task, task->on_complete_arg);
    ctx->callback_depth--;
}

/* The step that the callback made possible belongs to this completion. */
static inline void idle_if_over(struct doca_ctx *ctx)
{
    if (od_unlikely(ctx->state == DOCA_CTX_STATE_STOPPING) && core_ctx_can_idle(ctx))
        core_ctx_enter_idle(ctx);
}

void core_task_complete(struct doca_task *task, doca_error_t status)
{
    struct doca_ctx *ctx = task->ctx;

    hand_back(task, status);
    idle_if_over(ctx);
}

void core_task_complete_fatal(struct doca_task *task, doca_error_t status)
{
    struct doca_ctx *ctx = task->ctx;

    hand_back(task, status);
    core_ctx_fail(ctx);
    idle_if_over(ctx);
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
    if (!core_is_live(CORE_LIVE_TASK, task))
        return CORE_FAIL_DEAD(CORE_LOG_TASK, __func__, "task", task);
    return task->status;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
    if (core_task_is_live(task, __func__))
        task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
    return core_task_is_live(task, __func__) ? task->user_data : (union doca_data){.u64 = 0};
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
    return core_task_is_live(task, __func__) ? task->ctx : NULL;
}

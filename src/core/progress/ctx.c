/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/progress/ctx_priv.h"

#include <stdatomic.h>
#include <stdio.h>

static const char *const state_names[] = {
    [DOCA_CTX_STATE_IDLE] = "IDLE",
    [DOCA_CTX_STATE_STARTING] = "STARTING",
    [DOCA_CTX_STATE_RUNNING] = "RUNNING",
    [DOCA_CTX_STATE_STOPPING] = "STOPPING",
};

uint32_t core_next_id(void)
{
    static atomic_uint last;

    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

void core_ctx_init(struct doca_ctx *ctx, const struct core_ctx_ops *ops, struct doca_dev *dev)
{
    *ctx = (struct doca_ctx){.ops = ops, .state = DOCA_CTX_STATE_IDLE, .dev = dev};
    od_list_init(&ctx->pe_link);
    if (dev != NULL)
        core_dev_hold(dev, CORE_DEV_USER_CTX);
    snprintf(ctx->name, sizeof(ctx->name), "%s#%u%s%s", ops->kind, core_next_id(),
             dev != NULL ? "@" : "", dev != NULL ? dev->info.name : "");
    core_live_add(CORE_LIVE_CTX, ctx);
}

doca_error_t core_ctx_fini(struct doca_ctx *ctx, const char *func)
{
    if (ctx->state != DOCA_CTX_STATE_IDLE || ctx->allocated > 0)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_CTX, func, ctx->name, "state",
                         "%s with %zu unfreed tasks, %zu of them in flight" CORE_LIMIT
                         "IDLE and no task" CORE_REMEDY
                         "free the tasks, call doca_ctx_stop() and progress until IDLE",
                         state_names[ctx->state], ctx->allocated, ctx->inflight);
    if (ctx->pe != NULL)
        core_pe_forget(ctx->pe, ctx);
    if (ctx->dev != NULL)
        core_dev_release(ctx->dev, CORE_DEV_USER_CTX);
    ctx->dev = NULL;
    core_gpu_release(ctx->gpu);
    ctx->gpu = NULL;
    core_live_remove(ctx);
    return DOCA_SUCCESS;
}

doca_error_t core_ctx_check_idle(const struct doca_ctx *ctx, const char *func)
{
    if (ctx->state == DOCA_CTX_STATE_IDLE)
        return DOCA_SUCCESS;
    return CORE_FAIL(ctx->setters_not_permitted ? DOCA_ERROR_NOT_PERMITTED : DOCA_ERROR_BAD_STATE,
                     CORE_LOG_CTX, func, ctx->name, "state",
                     "%s" CORE_LIMIT "IDLE" CORE_REMEDY "configure before doca_ctx_start()",
                     state_names[ctx->state]);
}

/* The one place where a state changes. The callback may do nearly everything, also destroy the
 * context when it is IDLE now: returns false when the caller must not touch the context any more.
 */
static bool change_state(struct doca_ctx *ctx, enum doca_ctx_states next)
{
    enum doca_ctx_states prev = ctx->state;
    bool idle = next == DOCA_CTX_STATE_IDLE;

    CORE_TRACE(CORE_LOG_CTX, "%s: %s -> %s", ctx->name, state_names[prev], state_names[next]);
    ctx->state = next;
    if (ctx->state_cb != NULL) {
        /* An IDLE context may be gone after its callback, so its depth is not kept. */
        ctx->callback_depth += idle ? 0 : 1;
        ctx->state_cb(ctx->user_data, ctx, prev, next);
        if (!idle)
            ctx->callback_depth--;
    }
    return !idle;
}

/* Nothing is left to wait for. */
static bool is_over(const struct doca_ctx *ctx)
{
    return ctx->allocated == 0 && ctx->callback_depth == 0 && ctx->ops->drained(ctx);
}

bool core_ctx_can_idle(const struct doca_ctx *ctx)
{
    return ctx->state == DOCA_CTX_STATE_STOPPING && is_over(ctx);
}

void core_ctx_enter_idle(struct doca_ctx *ctx)
{
    ctx->ops->stopped(ctx);
    change_state(ctx, DOCA_CTX_STATE_IDLE);
}

static void enter_stopping(struct doca_ctx *ctx)
{
    ctx->ops->stopping(ctx);
    change_state(ctx, DOCA_CTX_STATE_STOPPING);
}

bool core_ctx_idle_step(struct doca_ctx *ctx)
{
    if (!core_ctx_can_idle(ctx))
        return false;
    core_ctx_enter_idle(ctx);
    return true;
}

bool core_ctx_pending(const struct doca_ctx *ctx)
{
    if (ctx->state == DOCA_CTX_STATE_IDLE)
        return false;
    return core_ctx_can_idle(ctx) || ctx->ops->pending(ctx);
}

void core_ctx_established(struct doca_ctx *ctx, doca_error_t status)
{
    if (ctx->state != DOCA_CTX_STATE_STARTING)
        return;
    if (status == DOCA_SUCCESS) {
        change_state(ctx, DOCA_CTX_STATE_RUNNING);
        return;
    }
    /* STOPPING is for what takes time: without it programs see by the state before IDLE that the
     * start failed. */
    ctx->ops->stopping(ctx);
    if (is_over(ctx))
        core_ctx_enter_idle(ctx);
    else
        change_state(ctx, DOCA_CTX_STATE_STOPPING);
}

void core_ctx_fail(struct doca_ctx *ctx)
{
    if (ctx->state == DOCA_CTX_STATE_RUNNING || ctx->state == DOCA_CTX_STATE_STARTING)
        enter_stopping(ctx);
}

void core_ctx_wake(struct doca_ctx *ctx)
{
    if (ctx->pe != NULL)
        od_waker_wake(&ctx->pe->waker);
}

struct od_waker *core_ctx_waker(struct doca_ctx *ctx)
{
    return ctx->pe != NULL ? &ctx->pe->waker : NULL;
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    if (ctx->state != DOCA_CTX_STATE_IDLE)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_CTX, __func__, ctx->name, "state",
                         "%s" CORE_LIMIT "IDLE" CORE_REMEDY
                         "start once; after a stop wait for IDLE first",
                         state_names[ctx->state]);
    if (ctx->pe == NULL && ctx->gpu == NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_CONNECTED, CORE_LOG_CTX, __func__, ctx->name,
                         "progress engine",
                         "none" CORE_REMEDY "call doca_pe_connect_ctx() before doca_ctx_start()");

    result = ctx->ops->start(ctx);
    /* After a callback nothing may be read: it may have stopped and destroyed the context. */
    if (result == DOCA_SUCCESS)
        change_state(ctx, DOCA_CTX_STATE_RUNNING);
    else if (result == DOCA_ERROR_IN_PROGRESS)
        change_state(ctx, DOCA_CTX_STATE_STARTING);
    return result;
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    if (ctx->state == DOCA_CTX_STATE_IDLE)
        return DOCA_SUCCESS;
    if (ctx->state == DOCA_CTX_STATE_STOPPING)
        return DOCA_ERROR_IN_PROGRESS;
    result = ctx->ops->can_stop != NULL ? ctx->ops->can_stop(ctx) : DOCA_SUCCESS;
    if (result != DOCA_SUCCESS)
        return result;

    enter_stopping(ctx);
    if (core_ctx_can_idle(ctx)) {
        core_ctx_enter_idle(ctx);
        return DOCA_SUCCESS;
    }
    CORE_DEBUG(CORE_LOG_CTX,
               "doca_ctx_stop(%s): %zu tasks in flight, %zu unfreed; IDLE follows from progress",
               ctx->name, ctx->inflight, ctx->allocated);
    core_ctx_wake(ctx);
    return DOCA_ERROR_IN_PROGRESS;
}

doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks)
{
    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    if (num_inflight_tasks == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CTX, __func__, "num_inflight_tasks");
    *num_inflight_tasks = ctx->inflight;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    ctx->user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data)
{
    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    if (user_data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CTX, __func__, "user_data");
    *user_data = ctx->user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb)
{
    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    ctx->state_cb = cb;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    if (state == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CTX, __func__, "state");
    *state = ctx->state;
    return DOCA_SUCCESS;
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
    if (!core_is_live(CORE_LIVE_CTX, ctx)) {
        if (OD_CHECKED && ctx != NULL)
            CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
        return;
    }
    if (ctx->state == DOCA_CTX_STATE_IDLE)
        return;
    ctx->ops->flush(ctx);
    core_ctx_wake_self(ctx);
}

/* Few contexts run their data path elsewhere than on the CPU. */
static doca_error_t refuse_datapath(struct doca_ctx *ctx, const void *target, const char *func,
                                    const char *what)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, func, "ctx", ctx);
    result = core_ctx_check_idle(ctx, func);
    if (result != DOCA_SUCCESS)
        return DOCA_ERROR_BAD_STATE;
    if (target == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CTX, func, what);
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_CTX, func, ctx->name, "data path",
                     "on %s" CORE_LIMIT "CPU" CORE_REMEDY "keep the data path on the CPU", what);
}

doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_CTX, ctx) || gpu_dev == NULL || !ctx->ops->on_gpu)
        return refuse_datapath(ctx, gpu_dev, __func__, "gpu_dev");
    if (!core_is_live(CORE_LIVE_GPU, gpu_dev))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "gpu_dev", gpu_dev);
    result = core_ctx_check_idle(ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    core_gpu_hold(gpu_dev);
    core_gpu_release(ctx->gpu);
    ctx->gpu = gpu_dev;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev)
{
    return refuse_datapath(ctx, dpa_dev, __func__, "dpa_dev");
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector)
{
    uint32_t limit;

    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    if (ctx->state != DOCA_CTX_STATE_IDLE)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_CTX, __func__, ctx->name, "state",
                         "%s" CORE_LIMIT "IDLE" CORE_REMEDY "choose the vector before start",
                         state_names[ctx->state]);
    if (ctx->dev == NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_CTX, __func__, ctx->name,
                         "completion vector", "%u" CORE_REMEDY "this context has no device",
                         comp_vector);
    limit = ctx->dev->info.soft->caps.completion_vectors;
    if (comp_vector >= limit)
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_CTX, __func__, ctx->name, "completion vector",
            "%u" CORE_LIMIT "0..%u" CORE_REMEDY "see doca_ctx_cap_get_num_completion_vectors()",
            comp_vector, limit - 1);
    /* Every vector of a software device ends at the same place: the progress engine's fd. */
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors)
{
    const struct soft_caps *caps;

    if (num_comp_vectors == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CTX, __func__, "num_comp_vectors");
    caps = core_devinfo_caps(devinfo, __func__);
    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *num_comp_vectors = caps->completion_vectors;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_profiler_set_max_nranges(struct doca_ctx *ctx, uint8_t num_ranges)
{
    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_CTX, __func__, "ctx", ctx);
    if (ctx->state != DOCA_CTX_STATE_IDLE)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_CTX, __func__, ctx->name, "state",
                         "%s" CORE_LIMIT "IDLE" CORE_REMEDY "configure before start",
                         state_names[ctx->state]);
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_CTX, __func__, ctx->name, "profiler ranges",
                     "%u" CORE_LIMIT "0" CORE_REMEDY "range profiling does not exist here",
                     num_ranges);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORKERS_DEFAULT 32

static struct doca_urom_service *from_ctx(const struct doca_ctx *ctx)
{
    return (struct doca_urom_service *)((uintptr_t)ctx - offsetof(struct doca_urom_service, ctx));
}

/* ------------------------------------------------------------------------------------------------
 * Context
 */

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_urom_service *service = from_ctx(ctx);
    doca_error_t result;

    if (ctx->dev == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, "doca_ctx_start", ctx->name,
                         "device",
                         "none" CORE_REMEDY "call doca_urom_service_set_dev() before the start");
    pthread_mutex_lock(&service->lock);
    result = urom_service_open(service);
    service->running = result == DOCA_SUCCESS;
    if (result != DOCA_SUCCESS)
        urom_service_close(service);
    pthread_mutex_unlock(&service->lock);
    return result;
}

static doca_error_t can_stop(const struct doca_ctx *ctx)
{
    struct doca_urom_service *service = from_ctx(ctx);
    uint32_t active;

    pthread_mutex_lock(&service->lock);
    active = service->active;
    pthread_mutex_unlock(&service->lock);
    if (active == 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_UROM, "doca_ctx_stop", ctx->name, "workers",
                     "%u are not idle" CORE_LIMIT "0" CORE_REMEDY
                     "stop the workers and progress them to idle first",
                     active);
}

static bool progress(struct doca_ctx *ctx)
{
    /* The link is looked at only for somebody who waits for an answer: others need no lock. */
    return ctx->inflight > 0 && urom_query_progress(from_ctx(ctx));
}

static bool pending(const struct doca_ctx *ctx)
{
    struct doca_urom_service *service = from_ctx(ctx);
    bool found;

    if (ctx->inflight == 0)
        return false;
    if (ctx->state == DOCA_CTX_STATE_STOPPING)
        return true;
    pthread_mutex_lock(&service->lock);
    found = soft_link_pending(service->link);
    pthread_mutex_unlock(&service->lock);
    return found || urom_query_is_overdue(service);
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back */
}

static void stopping(struct doca_ctx *ctx)
{
    struct doca_urom_service *service = from_ctx(ctx);

    pthread_mutex_lock(&service->lock);
    service->running = false;
    pthread_mutex_unlock(&service->lock);
}

static bool drained(const struct doca_ctx *ctx)
{
    return !from_ctx(ctx)->delivering;
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_urom_service *service = from_ctx(ctx);

    pthread_mutex_lock(&service->lock);
    urom_service_close(service);
    pthread_mutex_unlock(&service->lock);
    urom_query_free_all(service);
}

static const struct core_ctx_ops service_ops = {
    .kind = "urom_service",
    .source = CORE_LOG_UROM,
    .start = start,
    .can_stop = can_stop,
    .progress = progress,
    .pending = pending,
    .flush = flush,
    .stopping = stopping,
    .drained = drained,
    .stopped = stopped,
};

/* ------------------------------------------------------------------------------------------------
 * Object
 */

doca_error_t doca_urom_service_create(struct doca_urom_service **service_ctx)
{
    struct doca_urom_service *service;

    if (service_ctx == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "service_ctx");
    service = calloc(1, sizeof(*service));
    if (service == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, __func__, NULL, "service",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*service));
    core_ctx_init(&service->ctx, &service_ops, NULL);
    core_live_add(CORE_LIVE_UROM_SERVICE, service);
    core_task_pool_init(&service->pool, &service->ctx, &urom_query_ops, 1);
    pthread_mutex_init(&service->lock, NULL);
    service->max_msg = UROM_WIRE_MSG_DEFAULT;
    service->max_workers = MAX_WORKERS_DEFAULT;
    *service_ctx = service;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_destroy(struct doca_urom_service *service_ctx)
{
    doca_error_t result;
    uint32_t refs;

    if (!core_is_live(CORE_LIVE_UROM_SERVICE, service_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "service_ctx", service_ctx);
    if (service_ctx->ctx.state != DOCA_CTX_STATE_IDLE)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, __func__, service_ctx->ctx.name,
                         "state", "not IDLE" CORE_LIMIT "IDLE" CORE_REMEDY "stop it first");
    pthread_mutex_lock(&service_ctx->lock);
    refs = service_ctx->refs;
    pthread_mutex_unlock(&service_ctx->lock);
    if (refs > 0)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_UROM, __func__, service_ctx->ctx.name,
                         "workers",
                         "%u refer to it" CORE_LIMIT "0" CORE_REMEDY
                         "destroy them, or give them another service",
                         refs);
    result = core_ctx_fini(&service_ctx->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    pthread_mutex_destroy(&service_ctx->lock);
    free(service_ctx);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_urom_service_as_ctx(struct doca_urom_service *service_ctx)
{
    return service_ctx != NULL ? &service_ctx->ctx : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Configuration
 */

static doca_error_t check_setter(const struct doca_urom_service *service, const char *func)
{
    if (!core_is_live(CORE_LIVE_UROM_SERVICE, service))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, func, "service_ctx", service);
    return core_ctx_check_idle(&service->ctx, func);
}

doca_error_t doca_urom_service_set_max_comm_msg_size(struct doca_urom_service *service_ctx,
                                                     size_t msg_size)
{
    doca_error_t result = check_setter(service_ctx, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (msg_size < UROM_WIRE_MSG_MIN || msg_size > UROM_WIRE_MSG_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, service_ctx->ctx.name,
                         "msg_size", "%zu" CORE_LIMIT "%u..%u", msg_size, UROM_WIRE_MSG_MIN,
                         UROM_WIRE_MSG_MAX);
    service_ctx->max_msg = (uint32_t)msg_size;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_set_max_workers(struct doca_urom_service *service_ctx,
                                               uint32_t max_workers)
{
    doca_error_t result = check_setter(service_ctx, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (max_workers == 0 || max_workers > UROM_WIRE_WORKERS_MAX ||
        (max_workers & (max_workers - 1)) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, service_ctx->ctx.name,
                         "max_workers", "%u" CORE_LIMIT "a power of two, 1..%u", max_workers,
                         UROM_WIRE_WORKERS_MAX);
    service_ctx->max_workers = max_workers;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_set_dev(struct doca_urom_service *service_ctx, struct doca_dev *dev)
{
    doca_error_t result = check_setter(service_ctx, __func__);
    struct doca_ctx *ctx;

    if (result != DOCA_SUCCESS)
        return result;
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, service_ctx->ctx.name, "dev",
            "%p" CORE_LIMIT "an open device" CORE_REMEDY "open it with doca_dev_open()",
            (void *)dev);
    ctx = &service_ctx->ctx;
    core_dev_hold(dev, CORE_DEV_USER_CTX);
    if (ctx->dev != NULL)
        core_dev_release(ctx->dev, CORE_DEV_USER_CTX);
    ctx->dev = dev;
    ctx->name[strcspn(ctx->name, "@")] = '\0';
    snprintf(ctx->name + strlen(ctx->name), sizeof(ctx->name) - strlen(ctx->name), "@%s",
             dev->info.name);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * What the service says
 */

static doca_error_t check_running(const struct doca_urom_service *service, const char *func)
{
    if (service->ctx.state == DOCA_CTX_STATE_RUNNING)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_UROM, func, service->ctx.name, "state",
                     "not RUNNING" CORE_LIMIT "RUNNING" CORE_REMEDY "start the context first");
}

doca_error_t
doca_urom_service_get_plugins_list(struct doca_urom_service *service_ctx,
                                   const struct doca_urom_service_plugin_info **plugins,
                                   size_t *plugins_count)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_UROM_SERVICE, service_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "service_ctx", service_ctx);
    if (plugins == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "plugins");
    if (plugins_count == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "plugins_count");
    result = check_running(service_ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (service_ctx->nplugins == 0)
        return CORE_FAIL(DOCA_ERROR_NOT_FOUND, CORE_LOG_UROM, __func__, service_ctx->ctx.name,
                         "number of plugins",
                         "0" CORE_REMEDY
                         "see the daemon's log; UROM_PLUGIN_PATH names where it looks");
    *plugins = service_ctx->plugins;
    *plugins_count = service_ctx->nplugins;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_get_cpuset(struct doca_urom_service *service_ctx,
                                          doca_cpu_set_t *cpuset)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_UROM_SERVICE, service_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "service_ctx", service_ctx);
    if (cpuset == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "cpuset");
    result = check_running(service_ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    memcpy(cpuset, &service_ctx->cpus, sizeof(*cpuset));
    return DOCA_SUCCESS;
}

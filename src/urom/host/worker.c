/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

#include <stdlib.h>
#include <string.h>

#define INFLIGHT_DEFAULT 32
#define NO_GID           UINT32_MAX
#define ENV_MAX          (UROM_WIRE_ATTACH_MAX / 2)

static struct doca_urom_worker *from_ctx(const struct doca_ctx *ctx)
{
    return (struct doca_urom_worker *)((uintptr_t)ctx - offsetof(struct doca_urom_worker, ctx));
}

/* ------------------------------------------------------------------------------------------------
 * Context
 */

static OD_COLD doca_error_t refuse_member(const struct doca_urom_worker *worker, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_UROM, func, worker->ctx.name, "domains",
                     "%u with this worker are not idle" CORE_LIMIT "0" CORE_REMEDY
                     "stop the domains first",
                     worker->domains);
}

static doca_error_t can_stop(const struct doca_ctx *ctx)
{
    const struct doca_urom_worker *worker = from_ctx(ctx);

    return worker->domains > 0 ? refuse_member(worker, "doca_ctx_stop") : DOCA_SUCCESS;
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_urom_worker *worker = from_ctx(ctx);

    if (od_likely(worker->step == UROM_WORKER_OPEN)) {
        if (urom_commands_progress(worker))
            return true;
        return od_unlikely(ctx->state == DOCA_CTX_STATE_STOPPING) &&
               urom_worker_detach_progress(worker);
    }
    if (ctx->state == DOCA_CTX_STATE_STARTING)
        return urom_worker_start_progress(worker);
    return urom_worker_detach_progress(worker);
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back: a command is published by its submit */
}

static bool drained(const struct doca_ctx *ctx)
{
    const struct doca_urom_worker *worker = from_ctx(ctx);

    return worker->step == UROM_WORKER_DETACHED && !worker->delivering;
}

static const struct core_ctx_ops worker_ops = {
    .kind = "urom_worker",
    .source = CORE_LOG_UROM,
    .start = urom_worker_start,
    .can_stop = can_stop,
    .progress = progress,
    .pending = urom_worker_pending,
    .flush = flush,
    .stopping = urom_worker_stopping,
    .drained = drained,
    .stopped = urom_worker_stopped,
};

/* ------------------------------------------------------------------------------------------------
 * Object
 */

doca_error_t doca_urom_worker_create(struct doca_urom_worker **worker_ctx)
{
    struct doca_urom_worker *worker;

    if (worker_ctx == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "worker_ctx");
    worker = calloc(1, sizeof(*worker));
    if (worker == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, __func__, NULL, "worker",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*worker));
    core_ctx_init(&worker->ctx, &worker_ops, NULL);
    core_live_add(CORE_LIVE_UROM_WORKER, worker);
    core_task_pool_init(&worker->pool, &worker->ctx, &urom_command_ops, 1);
    od_list_init(&worker->members);
    worker->wanted_id = DOCA_UROM_WORKER_ID_ANY;
    worker->id = DOCA_UROM_WORKER_ID_ANY;
    worker->wanted_gid = NO_GID;
    worker->gid = NO_GID;
    worker->max_inflight = INFLIGHT_DEFAULT;
    *worker_ctx = worker;
    return DOCA_SUCCESS;
}

static void let_go_of_service(struct doca_urom_worker *worker)
{
    if (worker->service == NULL)
        return;
    pthread_mutex_lock(&worker->service->lock);
    worker->service->refs--;
    pthread_mutex_unlock(&worker->service->lock);
    worker->service = NULL;
}

doca_error_t doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_UROM_WORKER, worker_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "worker_ctx", worker_ctx);
    if (worker_ctx->domains > 0)
        return refuse_member(worker_ctx, __func__);
    result = core_ctx_fini(&worker_ctx->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    /* Idle domains that list it cannot start any more. */
    OD_LIST_FOR_EACH_SAFE(link, &worker_ctx->members)
    {
        OD_LIST_ENTRY(link, struct urom_domain_member, link)->worker = NULL;
        od_list_remove(link);
    }
    let_go_of_service(worker_ctx);
    free(worker_ctx->env);
    free(worker_ctx);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_urom_worker_as_ctx(struct doca_urom_worker *worker_ctx)
{
    return worker_ctx != NULL ? &worker_ctx->ctx : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Configuration
 */

static doca_error_t check_setter(const struct doca_urom_worker *worker, const char *func)
{
    if (!core_is_live(CORE_LIVE_UROM_WORKER, worker))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, func, "worker_ctx", worker);
    return core_ctx_check_idle(&worker->ctx, func);
}

doca_error_t doca_urom_worker_set_service(struct doca_urom_worker *worker_ctx,
                                          struct doca_urom_service *service_ctx)
{
    doca_error_t result = check_setter(worker_ctx, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (!core_is_live(CORE_LIVE_UROM_SERVICE, service_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "service_ctx", service_ctx);
    if (service_ctx == worker_ctx->service)
        return DOCA_SUCCESS;
    pthread_mutex_lock(&service_ctx->lock);
    service_ctx->refs++;
    pthread_mutex_unlock(&service_ctx->lock);
    let_go_of_service(worker_ctx);
    worker_ctx->service = service_ctx;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_set_id(struct doca_urom_worker *worker_ctx, uint64_t worker_id)
{
    doca_error_t result = check_setter(worker_ctx, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    worker_ctx->wanted_id = worker_id;
    worker_ctx->id = worker_id;
    return DOCA_SUCCESS;
}

/* Whether the service, if it runs, lacks something that is wanted. */
static bool service_lacks_plugin(struct doca_urom_service *service, uint64_t plugins)
{
    bool lacks;

    if (service == NULL)
        return false;
    pthread_mutex_lock(&service->lock);
    lacks = service->running && (plugins & ~service->plugin_mask) != 0;
    pthread_mutex_unlock(&service->lock);
    return lacks;
}

static bool service_lacks_cpu(struct doca_urom_service *service, const struct urom_cpus *cpus)
{
    bool lacks;

    if (service == NULL)
        return false;
    pthread_mutex_lock(&service->lock);
    lacks = service->running && !urom_cpus_covers(&service->cpus, cpus);
    pthread_mutex_unlock(&service->lock);
    return lacks;
}

doca_error_t doca_urom_worker_set_plugins(struct doca_urom_worker *worker_ctx, uint64_t plugins)
{
    doca_error_t result = check_setter(worker_ctx, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (plugins == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, worker_ctx->ctx.name,
                         "plugins",
                         "0" CORE_LIMIT "at least one id" CORE_REMEDY
                         "take ids from doca_urom_service_get_plugins_list()");
    if (service_lacks_plugin(worker_ctx->service, plugins))
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_UROM, __func__, worker_ctx->ctx.name,
                         "plugins",
                         "0x%llx, some of which the service does not offer" CORE_REMEDY
                         "take ids from doca_urom_service_get_plugins_list()",
                         (unsigned long long)plugins);
    worker_ctx->plugins = plugins;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_set_cpuset(struct doca_urom_worker *worker_ctx, doca_cpu_set_t cpuset)
{
    doca_error_t result = check_setter(worker_ctx, __func__);
    struct urom_cpus cpus;

    if (result != DOCA_SUCCESS)
        return result;
    memcpy(&cpus, &cpuset, sizeof(cpus));
    if (urom_cpus_is_empty(&cpus))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, worker_ctx->ctx.name,
                         "cpuset", "empty" CORE_LIMIT "at least one CPU");
    if (service_lacks_cpu(worker_ctx->service, &cpus))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, worker_ctx->ctx.name,
                         "cpuset",
                         "has CPUs that the service does not give" CORE_REMEDY
                         "choose from doca_urom_service_get_cpuset()");
    worker_ctx->cpus = cpus;
    worker_ctx->has_cpus = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_set_gid(struct doca_urom_worker *worker_ctx, uint32_t gid)
{
    doca_error_t result = check_setter(worker_ctx, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    worker_ctx->wanted_gid = gid;
    worker_ctx->gid = gid;
    worker_ctx->has_gid = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_set_max_inflight_tasks(struct doca_urom_worker *worker_ctx,
                                                     uint32_t max_tasks)
{
    doca_error_t result = check_setter(worker_ctx, __func__);
    uint32_t rounded = 1;

    if (result != DOCA_SUCCESS)
        return result;
    if (max_tasks == 0 || max_tasks > UROM_WIRE_INFLIGHT_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, worker_ctx->ctx.name,
                         "max_tasks", "%u" CORE_LIMIT "1..%u", max_tasks, UROM_WIRE_INFLIGHT_MAX);
    while (rounded < max_tasks)
        rounded *= 2;
    worker_ctx->max_inflight = rounded;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Environment
 */

/* Bytes of the strings with their NULs; 0 when one is no variable, whose place is in *bad. */
static size_t measure_env(char *const env[], size_t count, size_t *bad)
{
    size_t len = 0;

    for (size_t i = 0; i < count; i++) {
        *bad = i;
        if (env[i] == NULL || env[i][0] == '=' || strchr(env[i], '=') == NULL)
            return 0;
        len += strlen(env[i]) + 1;
    }
    return len;
}

doca_error_t doca_urom_worker_set_env(struct doca_urom_worker *worker_ctx, char *const env[],
                                      size_t count)
{
    doca_error_t result = check_setter(worker_ctx, __func__);
    size_t len, bad = 0, at = 0;
    char *copy;

    if (result != DOCA_SUCCESS)
        return result;
    if (env == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "env");
    if (count == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, worker_ctx->ctx.name,
                         "count", "0" CORE_LIMIT "at least 1");
    len = measure_env(env, count, &bad);
    if (len == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, worker_ctx->ctx.name,
                         "env", "string %zu is \"%.64s\"" CORE_LIMIT "NAME=VALUE", bad,
                         env[bad] != NULL ? env[bad] : "(NULL)");
    if (len > ENV_MAX || count > ENV_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, worker_ctx->ctx.name,
                         "env", "%zu bytes" CORE_LIMIT "%u", len, ENV_MAX);
    copy = malloc(len);
    if (copy == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, __func__, worker_ctx->ctx.name, "env",
                         "%zu bytes" CORE_REMEDY "free memory", len);
    for (size_t i = 0; i < count; at += strlen(env[i]) + 1, i++)
        memcpy(copy + at, env[i], strlen(env[i]) + 1);
    free(worker_ctx->env);
    worker_ctx->env = copy;
    worker_ctx->env_len = len;
    worker_ctx->env_count = (uint32_t)count;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Queries
 */

doca_error_t doca_urom_worker_get_id(struct doca_urom_worker *worker_ctx, uint64_t *worker_id)
{
    if (!core_is_live(CORE_LIVE_UROM_WORKER, worker_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "worker_ctx", worker_ctx);
    if (worker_id == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "worker_id");
    *worker_id = worker_ctx->id;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_get_gid(struct doca_urom_worker *worker_ctx, uint32_t *worker_gid)
{
    if (!core_is_live(CORE_LIVE_UROM_WORKER, worker_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "worker_ctx", worker_ctx);
    if (worker_gid == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "worker_gid");
    *worker_gid = worker_ctx->gid;
    return DOCA_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload.h"

#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(OFFLOAD);

#define DEFAULT_IBDEV "mlx5_0"
#define PATIENCE      30.0 /* seconds */

static doca_error_t say(doca_error_t result, const char *what)
{
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("%s: %s", what, doca_error_get_descr(result));
    return result;
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    (void)doca_ctx_get_state(ctx, &state);
    return state;
}

doca_error_t offload_open_device(const char *ibdev, struct doca_dev **dev)
{
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    struct doca_devinfo **list;
    uint32_t count = 0;
    doca_error_t result = doca_devinfo_create_list(&list, &count), tmp;

    if (result != DOCA_SUCCESS)
        return say(result, "No list of devices");
    if (ibdev == NULL || ibdev[0] == '\0')
        ibdev = DEFAULT_IBDEV;
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; i++) {
        if (doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)) == DOCA_SUCCESS &&
            strcmp(name, ibdev) == 0)
            result = doca_dev_open(list[i], dev);
    }
    tmp = doca_devinfo_destroy_list(list);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return say(result, "Cannot open the device");
}

/* ---- Service ---- */

static doca_error_t run_service(struct doca_pe *pe, struct doca_dev *dev, uint32_t max_workers,
                                struct doca_urom_service *service)
{
    struct doca_ctx *ctx = doca_urom_service_as_ctx(service);
    doca_error_t result = doca_pe_connect_ctx(pe, ctx);

    if (result == DOCA_SUCCESS)
        result = doca_urom_service_set_max_workers(service, max_workers);
    if (result == DOCA_SUCCESS)
        result = doca_urom_service_set_dev(service, dev);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    if (result == DOCA_SUCCESS && state_of(ctx) != DOCA_CTX_STATE_RUNNING)
        result = DOCA_ERROR_BAD_STATE;
    return result;
}

doca_error_t offload_service(struct doca_pe *pe, struct doca_dev *dev, uint32_t max_workers,
                             struct doca_urom_service **service)
{
    doca_error_t result = doca_urom_service_create(service), tmp;

    if (result != DOCA_SUCCESS)
        return say(result, "No service object");
    result = run_service(pe, dev, max_workers, *service);
    if (result != DOCA_SUCCESS) {
        (void)say(result, "The service does not start");
        tmp = doca_urom_service_destroy(*service);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

doca_error_t offload_service_end(struct doca_urom_service *service)
{
    doca_error_t result = doca_ctx_stop(doca_urom_service_as_ctx(service)), tmp;

    (void)say(result, "The service does not stop");
    tmp = doca_urom_service_destroy(service);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return say(result, "The service is not ended");
}

doca_error_t offload_find_plugin(struct doca_urom_service *service, const char *name,
                                 uint64_t version, uint64_t *id)
{
    const struct doca_urom_service_plugin_info *plugins = NULL;
    size_t count = 0;
    doca_error_t result = doca_urom_service_get_plugins_list(service, &plugins, &count);

    if (result != DOCA_SUCCESS)
        return say(result, "No list of plugins");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(plugins[i].plugin_name, name) != 0)
            continue;
        if (plugins[i].version != version) {
            DOCA_LOG_ERR("%s has version %lu, %lu is wanted", name,
                         (unsigned long)plugins[i].version, (unsigned long)version);
            return DOCA_ERROR_UNSUPPORTED_VERSION;
        }
        *id = plugins[i].id;
        return DOCA_SUCCESS;
    }
    DOCA_LOG_ERR("The service has no plugin %s", name);
    return DOCA_ERROR_NOT_FOUND;
}

bool offload_has_cpus(struct doca_urom_service *service, int n)
{
    doca_cpu_set_t cpuset;

    if (doca_urom_service_get_cpuset(service, &cpuset) != DOCA_SUCCESS)
        return false;
    for (int i = 0; i < n; i++) {
        if (!doca_cpu_is_set(i, &cpuset))
            return false;
    }
    return true;
}

/* ---- Worker ---- */

static doca_error_t configure(struct doca_pe *pe, struct doca_urom_service *service,
                              const struct offload_worker_config *config,
                              struct doca_urom_worker *worker)
{
    doca_error_t result = doca_urom_worker_set_service(worker, service);
    doca_cpu_set_t cpuset;

    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(pe, doca_urom_worker_as_ctx(worker));
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_set_id(worker, config->id);
    if (result == DOCA_SUCCESS && config->gid != NULL)
        result = doca_urom_worker_set_gid(worker, *config->gid);
    if (result == DOCA_SUCCESS && config->env_count > 0)
        result = doca_urom_worker_set_env(worker, config->env, config->env_count);
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_set_max_inflight_tasks(worker, config->inflight);
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_set_plugins(worker, config->plugins);
    if (result != DOCA_SUCCESS || config->cpus == 0)
        return result;
    DOCA_CPU_ZERO(&cpuset);
    for (int i = 0; i < config->cpus; i++)
        DOCA_CPU_SET(i, &cpuset);
    return doca_urom_worker_set_cpuset(worker, cpuset);
}

doca_error_t offload_worker(struct doca_pe *pe, struct doca_urom_service *service,
                            const struct offload_worker_config *config,
                            struct doca_urom_worker **worker)
{
    doca_error_t result = doca_urom_worker_create(worker), tmp;
    struct doca_ctx *ctx;

    if (result != DOCA_SUCCESS)
        return say(result, "No worker object");
    ctx = doca_urom_worker_as_ctx(*worker);
    result = configure(pe, service, config, *worker);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    if (result == DOCA_ERROR_IN_PROGRESS && state_of(ctx) == DOCA_CTX_STATE_STARTING)
        return DOCA_SUCCESS;
    (void)say(result, "The worker does not start");
    tmp = doca_urom_worker_destroy(*worker);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result == DOCA_SUCCESS ? DOCA_ERROR_BAD_STATE : result;
}

/* Progresses while the context is in the state. */
static doca_error_t leave_state(struct doca_pe *pe, struct doca_ctx *ctx,
                                enum doca_ctx_states state, int *events)
{
    const double end = kit_seconds() + PATIENCE;

    *events = 0;
    while (state_of(ctx) == state) {
        *events += doca_pe_progress(pe);
        if (kit_seconds() > end)
            return DOCA_ERROR_TIME_OUT;
    }
    return DOCA_SUCCESS;
}

doca_error_t offload_worker_run(struct doca_pe *pe, struct doca_urom_worker *worker, int *events)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);
    doca_error_t result = leave_state(pe, ctx, DOCA_CTX_STATE_STARTING, events);

    if (result == DOCA_SUCCESS && state_of(ctx) != DOCA_CTX_STATE_RUNNING)
        result = DOCA_ERROR_BAD_STATE;
    return say(result, "The worker does not run");
}

doca_error_t offload_worker_end(struct doca_pe *pe, struct doca_urom_worker *worker, int *events)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);
    doca_error_t result = doca_ctx_stop(ctx), tmp;

    if (result != DOCA_ERROR_IN_PROGRESS)
        return say(result == DOCA_SUCCESS ? DOCA_ERROR_BAD_STATE : result,
                   "The worker does not begin to stop");
    result = leave_state(pe, ctx, DOCA_CTX_STATE_STOPPING, events);
    tmp = doca_urom_worker_destroy(worker);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return say(result, "The worker is not ended");
}

/* ---- Domain ---- */

static doca_error_t add_buffers(struct doca_urom_domain *domain,
                                const struct offload_buffer *buffers, size_t count)
{
    doca_error_t result = doca_urom_domain_set_buffers_count(domain, count);

    for (size_t i = 0; i < count && result == DOCA_SUCCESS; i++)
        result =
            doca_urom_domain_add_buffer(domain, buffers[i].addr, buffers[i].len, buffers[i].memh,
                                        buffers[i].memh_len, buffers[i].mkey, buffers[i].mkey_len);
    return result;
}

static doca_error_t run_domain(struct doca_pe *pe, struct doca_urom_domain_oob_coll *oob,
                               uint64_t id, struct doca_urom_worker *worker,
                               const struct offload_buffer *buffers, size_t count,
                               struct doca_urom_domain *domain)
{
    struct doca_ctx *ctx = doca_urom_domain_as_ctx(domain);
    doca_error_t result = doca_pe_connect_ctx(pe, ctx);
    int events;

    if (result == DOCA_SUCCESS)
        result = doca_urom_domain_set_oob(domain, oob);
    if (result == DOCA_SUCCESS)
        result = doca_urom_domain_set_workers(domain, &id, &worker, 1);
    if (result == DOCA_SUCCESS && count > 0)
        result = add_buffers(domain, buffers, count);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(ctx);
    if (result != DOCA_ERROR_IN_PROGRESS)
        return result == DOCA_SUCCESS ? DOCA_ERROR_BAD_STATE : result;
    result = leave_state(pe, ctx, DOCA_CTX_STATE_STARTING, &events);
    if (result == DOCA_SUCCESS && state_of(ctx) != DOCA_CTX_STATE_RUNNING)
        result = DOCA_ERROR_BAD_STATE;
    return result;
}

doca_error_t offload_domain(struct doca_pe *pe, struct doca_urom_domain_oob_coll *oob, uint64_t id,
                            struct doca_urom_worker *worker, const struct offload_buffer *buffers,
                            size_t count, struct doca_urom_domain **domain)
{
    doca_error_t result = doca_urom_domain_create(domain), tmp;

    if (result != DOCA_SUCCESS)
        return say(result, "No domain object");
    result = run_domain(pe, oob, id, worker, buffers, count, *domain);
    if (result != DOCA_SUCCESS) {
        (void)say(result, "The domain does not run");
        tmp = doca_urom_domain_destroy(*domain);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

doca_error_t offload_domain_end(struct doca_urom_domain *domain)
{
    doca_error_t result = doca_ctx_stop(doca_urom_domain_as_ctx(domain)), tmp;

    tmp = doca_urom_domain_destroy(domain);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return say(result, "The domain is not ended");
}

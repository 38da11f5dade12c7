/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_log.h>

static doca_error_t open_first_device(struct doca_dev **dev)
{
    struct doca_devinfo **list;
    doca_error_t result;
    uint32_t count;

    result = doca_devinfo_create_list(&list, &count);
    if (result != DOCA_SUCCESS)
        return result;
    result = count > 0 ? doca_dev_open(list[0], dev) : DOCA_ERROR_NOT_FOUND;
    doca_devinfo_destroy_list(list);
    return result;
}

static doca_error_t open_service(struct session *s)
{
    struct doca_ctx *ctx;
    doca_error_t result = doca_urom_service_create(&s->service);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_urom_service_as_ctx(s->service);
    result = doca_pe_connect_ctx(s->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_urom_service_set_dev(s->service, s->dev);
    return result == DOCA_SUCCESS ? doca_ctx_start(ctx) : result;
}

/* The ids of plugins by their names. */
static doca_error_t find_plugins(const struct session *s, const char *const *names, uint64_t *ids)
{
    const struct doca_urom_service_plugin_info *plugins;
    doca_error_t result;
    size_t count, i;

    *ids = 0;
    result = doca_urom_service_get_plugins_list(s->service, &plugins, &count);
    if (result != DOCA_SUCCESS)
        return result;
    for (; *names != NULL; names++) {
        for (i = 0; i < count && strcmp(plugins[i].plugin_name, *names) != 0; i++)
            ;
        if (i == count) {
            fprintf(stderr, "the service has no plugin %s\n", *names);
            return DOCA_ERROR_NOT_FOUND;
        }
        *ids |= plugins[i].id;
    }
    return DOCA_SUCCESS;
}

enum doca_ctx_states session_leave(struct session *s, struct doca_ctx *ctx,
                                   enum doca_ctx_states state)
{
    enum doca_ctx_states now = state;

    while (doca_ctx_get_state(ctx, &now) == DOCA_SUCCESS && now == state)
        doca_pe_progress(s->pe);
    return now;
}

static doca_error_t open_worker(struct session *s, uint64_t id, uint64_t plugins, char *variable)
{
    struct doca_ctx *ctx;
    doca_error_t result = doca_urom_worker_create(&s->worker);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_urom_worker_as_ctx(s->worker);
    result = doca_urom_worker_set_service(s->worker, s->service);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(s->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_set_id(s->worker, id);
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_set_plugins(s->worker, plugins);
    if (result == DOCA_SUCCESS && variable != NULL)
        result = doca_urom_worker_set_env(s->worker, &variable, 1);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    if (result != DOCA_ERROR_IN_PROGRESS)
        return result;
    if (session_leave(s, ctx, DOCA_CTX_STATE_STARTING) != DOCA_CTX_STATE_RUNNING)
        return DOCA_ERROR_INITIALIZATION;
    return doca_urom_ops_create(s->service, s->worker, plugins, &s->ops);
}

doca_error_t session_open_env(struct session *s, uint64_t worker_id, const char *const *plugins,
                              char *variable)
{
    struct doca_log_backend *sdk;
    doca_error_t result;
    uint64_t ids;

    *s = (struct session){.status = DOCA_SUCCESS};
    if (doca_log_backend_create_with_file_sdk(stderr, &sdk) == DOCA_SUCCESS)
        doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_ERROR);
    result = open_first_device(&s->dev);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&s->pe);
    if (result == DOCA_SUCCESS)
        result = open_service(s);
    if (result == DOCA_SUCCESS)
        result = find_plugins(s, plugins, &ids);
    return result == DOCA_SUCCESS ? open_worker(s, worker_id, ids, variable) : result;
}

doca_error_t session_open(struct session *s, uint64_t worker_id, const char *const *plugins)
{
    return session_open_env(s, worker_id, plugins, NULL);
}

doca_error_t session_join(struct session *s, struct doca_urom_domain_oob_coll *oob, uint64_t id)
{
    struct doca_ctx *ctx;
    doca_error_t result = doca_urom_domain_create(&s->domain);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_urom_domain_as_ctx(s->domain);
    result = doca_pe_connect_ctx(s->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_urom_domain_set_oob(s->domain, oob);
    if (result == DOCA_SUCCESS)
        result = doca_urom_domain_set_workers(s->domain, &id, &s->worker, 1);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    if (result != DOCA_ERROR_IN_PROGRESS)
        return result;
    return session_leave(s, ctx, DOCA_CTX_STATE_STARTING) == DOCA_CTX_STATE_RUNNING
               ? DOCA_SUCCESS
               : DOCA_ERROR_INITIALIZATION;
}

static void close_domain(struct session *s)
{
    struct doca_ctx *ctx = doca_urom_domain_as_ctx(s->domain);

    if (doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS)
        session_leave(s, ctx, DOCA_CTX_STATE_STOPPING);
    doca_urom_domain_destroy(s->domain);
}

static void close_worker(struct session *s)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(s->worker);

    if (doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS)
        session_leave(s, ctx, DOCA_CTX_STATE_STOPPING);
    doca_urom_worker_destroy(s->worker);
}

void session_close(struct session *s)
{
    if (s->ops != NULL)
        session_wait(s);
    if (s->domain != NULL)
        close_domain(s);
    if (s->ops != NULL)
        doca_urom_ops_destroy(s->ops); /* and the regions that are left */
    if (s->worker != NULL)
        close_worker(s);
    if (s->service != NULL) {
        doca_ctx_stop(doca_urom_service_as_ctx(s->service));
        doca_urom_service_destroy(s->service);
    }
    if (s->pe != NULL)
        doca_pe_destroy(s->pe);
    if (s->dev != NULL)
        doca_dev_close(s->dev);
}

/* ------------------------------------------------------------------------------------------------
 * Operations
 */

void session_done(struct doca_urom_ops *ops, doca_error_t status, void *session)
{
    struct session *s = session;

    (void)ops;
    s->pending--;
    if (s->status == DOCA_SUCCESS)
        s->status = status;
}

doca_error_t session_begun(struct session *s, doca_error_t begun)
{
    s->pending += begun == DOCA_SUCCESS;
    return begun;
}

doca_error_t session_wait(struct session *s)
{
    while (s->pending > 0)
        doca_pe_progress(s->pe);
    return s->status;
}

static void region_done(struct doca_urom_ops_region *region, doca_error_t status, void *session)
{
    (void)region;
    session_done(NULL, status, session);
}

/* A region that fails is gone. */
static doca_error_t await_region(struct session *s, doca_error_t begun,
                                 struct doca_urom_ops_region *const *created,
                                 struct doca_urom_ops_region **region)
{
    doca_error_t result = session_begun(s, begun) == DOCA_SUCCESS ? session_wait(s) : begun;

    if (result == DOCA_SUCCESS)
        *region = *created;
    return result;
}

doca_error_t session_region(struct session *s, void *addr, size_t len, uint32_t access,
                            struct doca_urom_ops_region **region)
{
    struct doca_urom_ops_region *created;
    doca_error_t result =
        doca_urom_ops_region_create(s->ops, addr, len, access, region_done, s, &created);

    return await_region(s, result, &created, region);
}

doca_error_t session_attach(struct session *s, const void *desc, size_t len,
                            struct doca_urom_ops_region **region)
{
    struct doca_urom_ops_region *created;
    doca_error_t result = doca_urom_ops_region_attach(s->ops, desc, len, region_done, s, &created);

    return await_region(s, result, &created, region);
}

doca_error_t session_release(struct session *s, struct doca_urom_ops_region *region)
{
    doca_error_t result;

    if (region == NULL)
        return DOCA_SUCCESS;
    result = session_begun(s, doca_urom_ops_region_destroy(region, session_done, s));
    return result == DOCA_SUCCESS ? session_wait(s) : result;
}

doca_error_t session_offer(struct session *s, void *addr, size_t len, uint32_t access,
                           struct doca_urom_ops_region **region, struct session_offer *offer)
{
    doca_error_t result = session_region(s, addr, len, access, region);
    const void *desc;
    size_t desc_len;

    if (result == DOCA_SUCCESS)
        result = doca_urom_ops_region_get_desc(*region, &desc, &desc_len);
    if (result != DOCA_SUCCESS)
        return result;
    *offer = (struct session_offer){.addr = (uintptr_t)addr, .len = len, .desc_len = desc_len};
    memcpy(offer->desc, desc, desc_len);
    return DOCA_SUCCESS;
}

doca_error_t session_accept(struct session *s, const struct session_offer *offer,
                            struct doca_urom_ops_region **region)
{
    if (offer->desc_len > sizeof(offer->desc))
        return DOCA_ERROR_INVALID_VALUE;
    return session_attach(s, offer->desc, offer->desc_len, region);
}

void *session_memory(size_t len)
{
    int fd = memfd_create("sample", MFD_CLOEXEC);
    void *memory = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, (off_t)len) == 0)
        memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return memory != MAP_FAILED ? memory : NULL;
}

int session_exit(doca_error_t result)
{
    if (result == DOCA_SUCCESS)
        return 0;
    fprintf(stderr, "failed: %s (%s)\n", doca_error_get_descr(result), doca_error_get_name(result));
    return 1;
}

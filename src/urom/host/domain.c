/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

#include <stdlib.h>
#include <string.h>

#include "urom/wire/domain.h"

static struct doca_urom_domain *from_ctx(const struct doca_ctx *ctx)
{
    return (struct doca_urom_domain *)((uintptr_t)ctx - offsetof(struct doca_urom_domain, ctx));
}

/* ------------------------------------------------------------------------------------------------
 * Context
 */

static doca_error_t check_members(const struct doca_urom_domain *domain)
{
    const char *name = domain->ctx.name;

    for (size_t i = 0; i < domain->nmembers; i++) {
        const struct doca_urom_worker *worker = domain->members[i].worker;

        if (worker == NULL || worker->ctx.state != DOCA_CTX_STATE_RUNNING)
            return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_UROM, "doca_ctx_start", name, "worker",
                             "%s is not running" CORE_REMEDY "start the workers first",
                             worker != NULL ? worker->ctx.name : "one that was destroyed");
        if (worker->ctx.pe != domain->ctx.pe)
            return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, "doca_ctx_start", name,
                             "worker",
                             "%s is on another progress engine" CORE_REMEDY
                             "connect the domain to the engine of its workers",
                             worker->ctx.name);
    }
    return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_urom_domain *domain = from_ctx(ctx);
    doca_error_t result;

    if (!domain->has_oob)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, "doca_ctx_start", ctx->name,
                         "out-of-band calls", "none" CORE_REMEDY "call doca_urom_domain_set_oob()");
    if (!domain->has_workers)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, "doca_ctx_start", ctx->name,
                         "workers", "not set" CORE_REMEDY "call doca_urom_domain_set_workers()");
    result = check_members(domain);
    if (result == DOCA_SUCCESS)
        result = urom_domain_begin(domain);
    return result == DOCA_SUCCESS ? DOCA_ERROR_IN_PROGRESS : result;
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_urom_domain *domain = from_ctx(ctx);

    if (od_likely(domain->step == UROM_DOMAIN_DONE) || !urom_domain_advance(domain))
        return false;
    domain->step = UROM_DOMAIN_DONE;
    if (ctx->state != DOCA_CTX_STATE_STARTING)
        return false; /* it was stopped meanwhile; becoming IDLE is the event */
    core_ctx_established(ctx, domain->status);
    return true;
}

/* The program's exchange has no way to wake anybody, so it has to be asked. */
static bool pending(const struct doca_ctx *ctx)
{
    return from_ctx(ctx)->step != UROM_DOMAIN_DONE;
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* a domain has no tasks */
}

/* From STARTING: the others wait for this process, so it goes on, and tells them. */
static void stopping(struct doca_ctx *ctx)
{
    struct doca_urom_domain *domain = from_ctx(ctx);

    if (domain->step != UROM_DOMAIN_DONE && domain->status == DOCA_SUCCESS)
        domain->status = DOCA_ERROR_CONNECTION_ABORTED;
}

static bool drained(const struct doca_ctx *ctx)
{
    return from_ctx(ctx)->step == UROM_DOMAIN_DONE;
}

static void stopped(struct doca_ctx *ctx)
{
    urom_domain_end(from_ctx(ctx));
}

static const struct core_ctx_ops domain_ops = {
    .kind = "urom_domain",
    .source = CORE_LOG_UROM,
    .start = start,
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

doca_error_t doca_urom_domain_create(struct doca_urom_domain **domain_ctx)
{
    struct doca_urom_domain *domain;

    if (domain_ctx == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "domain_ctx");
    domain = calloc(1, sizeof(*domain));
    if (domain == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, __func__, NULL, "domain",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*domain));
    core_ctx_init(&domain->ctx, &domain_ops, NULL);
    core_live_add(CORE_LIVE_UROM_DOMAIN, domain);
    *domain_ctx = domain;
    return DOCA_SUCCESS;
}

static void drop_members(struct urom_domain_member *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        od_list_remove(&members[i].link);
    free(members);
}

static void drop_bufs(struct doca_urom_domain *domain)
{
    for (size_t i = 0; i < domain->nbufs; i++) {
        free(domain->bufs[i].memh);
        free(domain->bufs[i].mkey);
    }
    free(domain->bufs);
    domain->bufs = NULL;
    domain->nbufs = 0;
    domain->max_bufs = 0;
}

doca_error_t doca_urom_domain_destroy(struct doca_urom_domain *domain_ctx)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_UROM_DOMAIN, domain_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "domain_ctx", domain_ctx);
    if (domain_ctx->ctx.state != DOCA_CTX_STATE_IDLE)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, __func__, domain_ctx->ctx.name,
                         "state", "not IDLE" CORE_LIMIT "IDLE" CORE_REMEDY "stop it first");
    result = core_ctx_fini(&domain_ctx->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    drop_members(domain_ctx->members, domain_ctx->nmembers);
    drop_bufs(domain_ctx);
    free(domain_ctx);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_urom_domain_as_ctx(struct doca_urom_domain *domain_ctx)
{
    return domain_ctx != NULL ? &domain_ctx->ctx : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Configuration
 */

static doca_error_t check_setter(const struct doca_urom_domain *domain, const char *func)
{
    if (!core_is_live(CORE_LIVE_UROM_DOMAIN, domain))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, func, "domain_ctx", domain);
    return core_ctx_check_idle(&domain->ctx, func);
}

static doca_error_t refuse_memory(const struct doca_urom_domain *domain, const char *func,
                                  const char *what, size_t count)
{
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, func, domain->ctx.name, what,
                     "%zu" CORE_REMEDY "free memory", count);
}

doca_error_t doca_urom_domain_set_oob(struct doca_urom_domain *domain_ctx,
                                      struct doca_urom_domain_oob_coll *oob)
{
    doca_error_t result = check_setter(domain_ctx, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (oob == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "oob");
    if (oob->allgather == NULL || oob->req_test == NULL || oob->req_free == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "allgather, req_test or req_free");
    if (oob->oob_index >= oob->n_oob_indexes)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, __func__, domain_ctx->ctx.name,
                         "oob_index", "%u" CORE_LIMIT "below the %u of n_oob_indexes",
                         oob->oob_index, oob->n_oob_indexes);
    domain_ctx->oob = *oob;
    domain_ctx->has_oob = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_domain_set_workers(struct doca_urom_domain *domain_ctx,
                                          uint64_t *domain_worker_ids,
                                          struct doca_urom_worker **workers, size_t workers_cnt)
{
    doca_error_t result = check_setter(domain_ctx, __func__);
    struct urom_domain_member *members = NULL;

    if (result != DOCA_SUCCESS)
        return result;
    if (workers_cnt > 0 && (domain_worker_ids == NULL || workers == NULL))
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__,
                              workers == NULL ? "workers" : "domain_worker_ids");
    for (size_t i = 0; i < workers_cnt; i++) {
        if (!core_is_live(CORE_LIVE_UROM_WORKER, workers[i]))
            return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "workers[i]", workers[i]);
    }
    if (workers_cnt > 0) {
        members = calloc(workers_cnt, sizeof(members[0]));
        if (members == NULL)
            return refuse_memory(domain_ctx, __func__, "workers", workers_cnt);
    }
    for (size_t i = 0; i < workers_cnt; i++) {
        members[i].worker = workers[i];
        members[i].id = domain_worker_ids[i];
        od_list_append(&workers[i]->members, &members[i].link);
    }
    drop_members(domain_ctx->members, domain_ctx->nmembers);
    domain_ctx->members = members;
    domain_ctx->nmembers = workers_cnt;
    domain_ctx->has_workers = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_domain_set_buffers_count(struct doca_urom_domain *domain_ctx,
                                                size_t buffers_cnt)
{
    doca_error_t result = check_setter(domain_ctx, __func__);
    struct urom_domain_buf *bufs = NULL;

    if (result != DOCA_SUCCESS)
        return result;
    if (buffers_cnt > 0) {
        bufs = calloc(buffers_cnt, sizeof(bufs[0]));
        if (bufs == NULL)
            return refuse_memory(domain_ctx, __func__, "buffers", buffers_cnt);
    }
    drop_bufs(domain_ctx);
    domain_ctx->bufs = bufs;
    domain_ctx->max_bufs = buffers_cnt;
    domain_ctx->has_count = true;
    return DOCA_SUCCESS;
}

/* A copy of `len` bytes; NULL also for none. */
static void *copy_of(const void *bytes, size_t len)
{
    void *copy = len > 0 ? malloc(len) : NULL;

    if (copy != NULL)
        memcpy(copy, bytes, len);
    return copy;
}

static doca_error_t check_buffer(const void *buffer, const void *memh, size_t memh_len,
                                 const void *mkey, size_t mkey_len, const char *func)
{
    if (buffer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, func, "buffer");
    if (memh == NULL && memh_len > 0)
        return CORE_FAIL_NULL(CORE_LOG_UROM, func, "memh");
    if (mkey == NULL && mkey_len > 0)
        return CORE_FAIL_NULL(CORE_LOG_UROM, func, "mkey");
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_domain_add_buffer(struct doca_urom_domain *domain_ctx, void *buffer,
                                         size_t buf_len, void *memh, size_t memh_len, void *mkey,
                                         size_t mkey_len)
{
    doca_error_t result = check_setter(domain_ctx, __func__);
    struct urom_domain_buf *added;

    if (result == DOCA_SUCCESS)
        result = check_buffer(buffer, memh, memh_len, mkey, mkey_len, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (!domain_ctx->has_count)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_UROM, __func__, domain_ctx->ctx.name,
                         "number of buffers",
                         "not set" CORE_REMEDY "call doca_urom_domain_set_buffers_count() first");
    if (domain_ctx->nbufs == domain_ctx->max_bufs)
        return CORE_FAIL(DOCA_ERROR_FULL, CORE_LOG_UROM, __func__, domain_ctx->ctx.name, "buffers",
                         "one more" CORE_LIMIT "%zu" CORE_REMEDY
                         "announce more with doca_urom_domain_set_buffers_count()",
                         domain_ctx->max_bufs);
    added = &domain_ctx->bufs[domain_ctx->nbufs];
    *added = (struct urom_domain_buf){.addr = buffer,
                                      .len = buf_len,
                                      .memh = copy_of(memh, memh_len),
                                      .memh_len = memh_len,
                                      .mkey = copy_of(mkey, mkey_len),
                                      .mkey_len = mkey_len};
    if ((memh_len > 0 && added->memh == NULL) || (mkey_len > 0 && added->mkey == NULL)) {
        free(added->memh);
        free(added->mkey);
        return refuse_memory(domain_ctx, __func__, "handle and key", memh_len + mkey_len);
    }
    domain_ctx->nbufs++;
    return DOCA_SUCCESS;
}

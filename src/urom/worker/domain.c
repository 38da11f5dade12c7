/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/worker_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/wire/control.h"

DOCA_LOG_REGISTER(UROM::WORKER::DOMAIN);

struct worker_domain {
    struct od_list entry;
    struct soft_link *link;
    struct urom_join join;
    struct urom_cut cut; /* addresses that are being sent */
    void *addrs;
    struct urom_table *table; /* published; NULL: not there yet */
};

/* ------------------------------------------------------------------------------------------------
 * Look-ups, from any thread
 */

static const struct urom_table_worker *find_worker(const struct urom_worker_ctx *ctx, uint64_t id)
{
    const struct worker_plugin *plugin = (const struct worker_plugin *)ctx;
    const struct worker_tables *tables =
        atomic_load_explicit(&plugin->worker->tables, memory_order_acquire);

    for (size_t i = 0; tables != NULL && i < tables->count; i++) {
        const struct urom_table_worker *found = urom_table_find(tables->tables[i], id);

        if (found != NULL)
            return found;
    }
    return NULL;
}

static doca_error_t look_up_addr(struct urom_worker_ctx *ctx, uint64_t domain_id, void **addr)
{
    const struct worker_plugin *plugin = (const struct worker_plugin *)ctx;
    const struct urom_table_worker *found;

    if (ctx == NULL || addr == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    found = find_worker(ctx, domain_id);
    for (uint32_t i = 0; found != NULL && i < found->naddrs; i++) {
        /* By name: ids differ between daemons. */
        if (strcmp(found->addrs[i].name, plugin->name) == 0) {
            *addr = (void *)found->addrs[i].addr;
            return DOCA_SUCCESS;
        }
    }
    return DOCA_ERROR_NOT_FOUND;
}

static doca_error_t look_up_seg(struct urom_worker_ctx *ctx, uint64_t domain_id, uint64_t va,
                                int *seg)
{
    const struct urom_table_worker *found;

    if (ctx == NULL || seg == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    found = find_worker(ctx, domain_id);
    for (uint32_t i = 0; found != NULL && i < found->nbuffers; i++) {
        if (va - found->buffers[i].va < found->buffers[i].len) {
            *seg = (int)i;
            return DOCA_SUCCESS;
        }
    }
    return DOCA_ERROR_NOT_FOUND;
}

static const struct urom_table_buffer *find_buffer(struct urom_worker_ctx *ctx, uint64_t domain_id,
                                                   int seg)
{
    const struct urom_table_worker *found = find_worker(ctx, domain_id);

    if (found == NULL || seg < 0 || (uint32_t)seg >= found->nbuffers)
        return NULL;
    return &found->buffers[seg];
}

static doca_error_t look_up_memh(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                 size_t *len, void **memh)
{
    const struct urom_table_buffer *found;

    if (ctx == NULL || len == NULL || memh == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    found = find_buffer(ctx, domain_id, seg);
    if (found == NULL || found->memh == NULL)
        return DOCA_ERROR_NOT_FOUND;
    *len = found->memh_len;
    *memh = (void *)found->memh;
    return DOCA_SUCCESS;
}

static doca_error_t look_up_mkey(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                 size_t *len, void **rkey)
{
    const struct urom_table_buffer *found;

    if (ctx == NULL || len == NULL || rkey == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    found = find_buffer(ctx, domain_id, seg);
    if (found == NULL || found->mkey == NULL)
        return DOCA_ERROR_NOT_FOUND;
    *len = found->mkey_len;
    *rkey = (void *)found->mkey;
    return DOCA_SUCCESS;
}

const struct urom_domain_lookups_iface worker_lookups = {
    .addr_lookup = look_up_addr,
    .seg_lookup = look_up_seg,
    .memh_lookup = look_up_memh,
    .mkey_lookup = look_up_mkey,
};

/* ------------------------------------------------------------------------------------------------
 * Tables
 */

static void retire(struct worker *worker, struct worker_tables *tables, struct urom_table *table)
{
    struct worker_retired *retired = malloc(sizeof(*retired));

    /* Without memory for the note they are never freed, which is what plugins need. */
    if (retired == NULL)
        return;
    *retired = (struct worker_retired){worker->retired, tables, table};
    worker->retired = retired;
}

/* Publishes the tables there are, without `without` and with `with` (either may be NULL). */
static bool publish(struct worker *worker, struct urom_table *with,
                    const struct urom_table *without)
{
    struct worker_tables *old = atomic_load_explicit(&worker->tables, memory_order_relaxed);
    const size_t count = old != NULL ? old->count : 0;
    struct worker_tables *tables = malloc(sizeof(*tables) + (count + 1) * sizeof(with));

    if (tables == NULL)
        return false;
    tables->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (old->tables[i] != without)
            tables->tables[tables->count++] = old->tables[i];
    }
    if (with != NULL)
        tables->tables[tables->count++] = with;
    atomic_store_explicit(&worker->tables, tables, memory_order_release);
    if (old != NULL)
        retire(worker, old, NULL);
    return true;
}

static bool is_same_worker(const struct urom_table_worker *a, const struct urom_table_worker *b)
{
    return a->worker_id == b->worker_id && a->uid == b->uid &&
           memcmp(a->instance, b->instance, UROM_WIRE_KEY_SIZE) == 0;
}

/* An id must not mean two workers, whatever the domain. */
static bool is_in_conflict(const struct worker *worker, const struct urom_table *table)
{
    const struct worker_tables *tables =
        atomic_load_explicit(&((struct worker *)worker)->tables, memory_order_relaxed);

    for (size_t i = 0; tables != NULL && i < tables->count; i++) {
        for (size_t k = 0; k < table->nworkers; k++) {
            const struct urom_table_worker *other =
                urom_table_find(tables->tables[i], table->workers[k].domain_id);

            if (other != NULL && !is_same_worker(other, &table->workers[k]))
                return true;
        }
    }
    return false;
}

static doca_error_t add_table(struct worker *worker, struct worker_domain *domain)
{
    struct urom_table *table;
    uint64_t id;
    int err = urom_table_parse(domain->join.body, domain->join.len, &table, &id);

    if (err != 0)
        return err == -ENOMEM   ? DOCA_ERROR_NO_MEMORY
               : err == -EEXIST ? DOCA_ERROR_ALREADY_EXIST
                                : DOCA_ERROR_INVALID_VALUE;
    domain->join.body = NULL; /* the table's now */
    domain->join.cap = 0;
    if (is_in_conflict(worker, table)) {
        urom_table_free(table);
        return DOCA_ERROR_ALREADY_EXIST;
    }
    if (!publish(worker, table, NULL)) {
        urom_table_free(table);
        return DOCA_ERROR_NO_MEMORY;
    }
    domain->table = table;
    DOCA_LOG_DBG("a domain with %zu workers", table->nworkers);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Links
 */

static size_t pack_addrs(const struct worker *worker, void *buf, size_t cap)
{
    struct urom_out out = {buf, cap, 0};

    for (size_t i = 0; i < worker->nplugins; i++) {
        const struct worker_plugin *plugin = &worker->plugins[i];

        urom_domain_put_addr(&out, plugin->name, plugin->version, plugin->addr, plugin->addr_len);
    }
    return out.len;
}

void worker_domain_accept(struct worker *worker, struct soft_link *link)
{
    struct worker_domain *domain = calloc(1, sizeof(*domain));
    const size_t len = pack_addrs(worker, NULL, 0);

    if (domain == NULL)
        goto err_close;
    domain->addrs = malloc(len);
    if (domain->addrs == NULL)
        goto err_free;
    pack_addrs(worker, domain->addrs, len);
    domain->link = link;
    domain->join.limit = UROM_WIRE_TABLE_MAX;
    domain->cut = (struct urom_cut){.body = domain->addrs,
                                    .len = len,
                                    .room = soft_link_max_msg(link),
                                    .type = UROM_TYPE_ADDRESSES};
    od_list_append(&worker->domains, &domain->entry);
    return;

err_free:
    free(domain);
err_close:
    soft_link_close(link);
    DOCA_LOG_ERR("no memory for a domain");
}

/* What plugins may have pointers to stays until they are closed. */
static void drop(struct worker *worker, struct worker_domain *domain)
{
    if (domain->table != NULL && publish(worker, NULL, domain->table))
        retire(worker, NULL, domain->table);
    od_list_remove(&domain->entry);
    soft_link_close(domain->link);
    urom_join_free(&domain->join);
    free(domain->addrs);
    free(domain);
}

/* 0: all sent. */
static int send_addrs(struct worker_domain *domain)
{
    struct urom_frame frame;
    const void *part;

    while (urom_cut_frame(&domain->cut, &frame, &part)) {
        const struct iovec iov[] = {{&frame, sizeof(frame)}, {(void *)part, frame.len}};
        int err = soft_link_send(domain->link, iov, OD_ARRAY_SIZE(iov));

        if (err != 0)
            return err;
        urom_cut_next(&domain->cut, &frame);
    }
    return 0;
}

static int answer_table(struct worker *worker, struct worker_domain *domain)
{
    struct urom_result result;
    struct urom_frame frame = {.len = sizeof(result), .type = UROM_TYPE_DOMAIN_ACK};
    const struct iovec iov[] = {{&frame, sizeof(frame)}, {&result, sizeof(result)}};
    doca_error_t error = DOCA_ERROR_BAD_STATE;

    if (domain->join.type != UROM_TYPE_DOMAIN_SET)
        return -EBADMSG;
    if (domain->table == NULL)
        error = add_table(worker, domain);
    urom_result_init(&result, error, doca_error_get_name(error));
    return soft_link_send(domain->link, iov, OD_ARRAY_SIZE(iov));
}

/* 1: something was done; 0: nothing; else the link is over. */
static int progress_domain(struct worker *worker, struct worker_domain *domain)
{
    struct soft_link_msg msg;
    int err = send_addrs(domain);

    if (err == 0)
        err = soft_link_recv(domain->link, &msg);
    if (err != 0)
        return err == -EAGAIN ? 0 : err;
    err = urom_join_frame(&domain->join, msg.data, msg.len);
    soft_link_release(domain->link);
    if (err == 1)
        err = answer_table(worker, domain);
    return err == 0 ? 1 : err;
}

bool worker_domains_progress(struct worker *worker)
{
    bool any = false;

    OD_LIST_FOR_EACH_SAFE(link, &worker->domains)
    {
        struct worker_domain *domain = OD_LIST_ENTRY(link, struct worker_domain, entry);
        int state = progress_domain(worker, domain);

        if (state < 0)
            drop(worker, domain);
        any = any || state != 0;
    }
    return any;
}

bool worker_domains_pending(const struct worker *worker)
{
    OD_LIST_FOR_EACH(link, &worker->domains)
    {
        const struct worker_domain *domain = OD_LIST_ENTRY(link, struct worker_domain, entry);

        if (soft_link_pending(domain->link))
            return true;
        if ((!domain->cut.begun || domain->cut.sent < domain->cut.len) &&
            soft_link_await(domain->link, soft_link_taken(domain->link) + 1))
            return true;
    }
    return false;
}

void worker_domains_free(struct worker *worker)
{
    OD_LIST_FOR_EACH_SAFE(link, &worker->domains)
    drop(worker, OD_LIST_ENTRY(link, struct worker_domain, entry));
    while (worker->retired != NULL) {
        struct worker_retired *retired = worker->retired;

        worker->retired = retired->next;
        free(retired->tables);
        urom_table_free(retired->table);
        free(retired);
    }
    free(atomic_load_explicit(&worker->tables, memory_order_relaxed));
}

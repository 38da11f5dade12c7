/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange between the processes of a domain.
 *
 * Each step is the same for all processes, whatever went wrong in one of them: it tells the others
 * in the next exchange that carries a status, and all give up together. Only when the exchange
 * itself fails, or its time is up, a process gives up alone. */
#include "urom/host/urom_priv.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "urom/wire/domain.h"

#define FRAME_DEPTH 4

/* ------------------------------------------------------------------------------------------------
 * Failing
 */

/* The first reason counts; the exchange goes on. */
static void note(struct doca_urom_domain *domain, doca_error_t status, const char *what,
                 const char *why)
{
    if (domain->status != DOCA_SUCCESS)
        return;
    domain->status = CORE_FAIL(status, CORE_LOG_UROM, "doca_pe_progress", domain->ctx.name, what,
                               "%s" CORE_REMEDY "the start of the domain fails everywhere", why);
}

/* ------------------------------------------------------------------------------------------------
 * Exchanges
 */

/* Room for an exchange of `len` bytes a process. */
static bool prepare(struct doca_urom_domain *domain, size_t len)
{
    free(domain->sent);
    free(domain->gathered);
    domain->sent = calloc(1, len);
    domain->gathered = calloc(domain->oob.n_oob_indexes, len);
    domain->exchange_len = len;
    return domain->sent != NULL && domain->gathered != NULL;
}

/* Memory of exchanges that were not waited for: the program may still write to it at any time. */
struct abandoned {
    struct abandoned *next;
    void *sent;
    void *gathered;
};

static struct abandoned *_Atomic all_abandoned;

static void abandon(struct doca_urom_domain *domain)
{
    struct abandoned *abandoned;

    if (!domain->posted)
        return;
    /* Without memory for the note it stays all the same; only nobody knows of it. */
    abandoned = malloc(sizeof(*abandoned));
    if (abandoned != NULL) {
        *abandoned =
            (struct abandoned){atomic_load(&all_abandoned), domain->sent, domain->gathered};
        while (!atomic_compare_exchange_weak(&all_abandoned, &abandoned->next, abandoned))
            ;
    }
    domain->sent = NULL;
    domain->gathered = NULL;
    domain->posted = false;
}

static bool oob_failed(struct doca_urom_domain *domain, doca_error_t result, const char *call)
{
    if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
        return false;
    note(domain, result, call, "failed");
    return true;
}

/* IN_PROGRESS, SUCCESS (`gathered` is filled in), or the failure of the program's calls. */
static doca_error_t exchange(struct doca_urom_domain *domain)
{
    const struct doca_urom_domain_oob_coll *oob = &domain->oob;
    doca_error_t result;

    if (!domain->posted) {
        result = oob->allgather(domain->sent, domain->gathered, domain->exchange_len,
                                oob->coll_info, &domain->request);
        if (oob_failed(domain, result, "allgather"))
            return result;
        domain->posted = true;
    }
    result = oob->req_test(domain->request);
    if (result == DOCA_ERROR_IN_PROGRESS)
        return result;
    domain->posted = false;
    oob->req_free(domain->request);
    oob_failed(domain, result, "req_test");
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * ADDRESSES: what the own workers say of their plugins
 */

static int begin_member(struct doca_urom_domain *domain, struct urom_domain_member *member)
{
    const struct doca_urom_worker *worker = member->worker;
    const struct soft_link_conf conf = {
        .max_msg = UROM_WIRE_FRAME_MAX,
        .depth = FRAME_DEPTH,
        .connect_timeout = worker->service->answer_timeout,
        .waker = core_ctx_waker(&domain->ctx),
    };
    struct urom_hello hello;

    urom_hello_init(&hello, UROM_KIND_DOMAIN);
    hello.pid = (uint32_t)getpid();
    memcpy(hello.key, worker->token, sizeof(hello.key));
    member->join.limit = UROM_WIRE_BLOB_MAX;
    return soft_link_connect(worker->addr, &conf, &hello, sizeof(hello), &member->channel);
}

/* 0, -EAGAIN, or why not. */
static int take_addresses(struct urom_domain_member *member)
{
    int err;

    switch (soft_link_poll(member->channel, NULL)) {
    case SOFT_LINK_CONNECTING:
        /* A worker that is busy answers later; one that is gone never will. */
        return soft_link_poll(member->worker->channel, NULL) == SOFT_LINK_UP ? -EAGAIN
                                                                             : -ECONNRESET;
    case SOFT_LINK_UP:
        break;
    default:
        return -ECONNRESET;
    }
    err = urom_frame_recv(member->channel, &member->join);
    if (err != 0)
        return err;
    if (member->join.type != UROM_TYPE_ADDRESSES ||
        urom_domain_check_addrs(member->join.body, member->join.len) != 0)
        return -EBADMSG;
    /* The body becomes the member's; the next message gets one of its own. */
    member->addrs = member->join.body;
    member->addrs_len = member->join.len;
    member->join = (struct urom_join){.limit = UROM_WIRE_FRAME_MAX};
    return 0;
}

/* Asks each member that has not answered; true when all did, or something is wrong. */
static bool ask_all(struct doca_urom_domain *domain, int (*ask)(struct urom_domain_member *),
                    const char *what)
{
    bool all = true;

    if (domain->status != DOCA_SUCCESS)
        return true;
    for (size_t i = 0; i < domain->nmembers; i++) {
        struct urom_domain_member *member = &domain->members[i];
        int err = member->answered ? 0 : ask(member);

        member->answered = err == 0;
        all = all && err == 0;
        if (err == -EEXIST)
            note(domain, DOCA_ERROR_ALREADY_EXIST, what,
                 "an id of this domain means another worker in another domain");
        else if (err != 0 && err != -EAGAIN)
            note(domain, DOCA_ERROR_IO_FAILED, what, "a worker of this process does not answer");
    }
    return all || domain->status != DOCA_SUCCESS;
}

static size_t pack_blob(const struct doca_urom_domain *domain, void *buf, size_t cap)
{
    struct urom_domain_blob head = {
        .size = sizeof(head),
        .workers = (uint32_t)domain->nmembers,
        .buffers = (uint32_t)domain->nbufs,
        .uid = getuid(),
    };
    struct urom_out out = {buf, cap, 0};

    if (domain->nmembers > 0)
        memcpy(head.instance, domain->members[0].worker->instance, sizeof(head.instance));
    urom_out_bytes(&out, &head, sizeof(head));
    for (size_t i = 0; i < domain->nmembers; i++)
        urom_domain_put_worker(&out, domain->members[i].id, domain->members[i].worker->id,
                               domain->members[i].addrs, domain->members[i].addrs_len);
    for (size_t i = 0; i < domain->nbufs; i++) {
        const struct urom_domain_buf *buf_in = &domain->bufs[i];
        const struct urom_domain_buffer buffer = {
            .size = sizeof(buffer),
            .memh_len = (uint32_t)buf_in->memh_len,
            .mkey_len = (uint32_t)buf_in->mkey_len,
            .va = (uintptr_t)buf_in->addr,
            .len = buf_in->len,
        };

        urom_domain_put_buffer(&out, &buffer, buf_in->memh, buf_in->mkey);
    }
    return out.len;
}

static void make_blob(struct doca_urom_domain *domain)
{
    size_t len = pack_blob(domain, NULL, 0);

    if (len > UROM_WIRE_BLOB_MAX) {
        note(domain, DOCA_ERROR_TOO_BIG, "handles, keys and addresses", "more than 1 MiB");
        return;
    }
    domain->blob = malloc(len);
    if (domain->blob == NULL) {
        note(domain, DOCA_ERROR_NO_MEMORY, "handles, keys and addresses", "no memory");
        return;
    }
    domain->blob_len = pack_blob(domain, domain->blob, len);
}

/* ------------------------------------------------------------------------------------------------
 * HEADS and BLOBS
 */

static void fill_head(struct doca_urom_domain *domain)
{
    const struct urom_oob_head head = {
        .magic = UROM_WIRE_MAGIC,
        .version = UROM_OOB_VERSION,
        .status = (uint32_t)domain->status,
        .workers = (uint32_t)domain->nmembers,
        .buffers = (uint32_t)domain->nbufs,
        .blob_len = domain->status == DOCA_SUCCESS ? domain->blob_len : 0,
    };

    memcpy(domain->sent, &head, sizeof(head));
}

/* All see the same heads, so all come to the same result. */
static bool judge_heads(struct doca_urom_domain *domain)
{
    domain->blob_max = 0;
    for (uint32_t i = 0; i < domain->oob.n_oob_indexes; i++) {
        struct urom_oob_head head;

        memcpy(&head, (uint8_t *)domain->gathered + i * sizeof(head), sizeof(head));
        if (head.magic != UROM_WIRE_MAGIC || head.version != UROM_OOB_VERSION ||
            head.blob_len > UROM_WIRE_BLOB_MAX)
            note(domain, DOCA_ERROR_UNSUPPORTED_VERSION, "exchange",
                 "a process of the domain uses another release");
        else if (head.status != DOCA_SUCCESS)
            note(domain, (doca_error_t)head.status, "exchange", "another process failed");
        domain->blob_max = OD_MAX(domain->blob_max, head.blob_len);
    }
    return domain->status == DOCA_SUCCESS;
}

/* Lengths are in the heads, which are gone: what stands in front of a blob tells its own. */
static bool prepare_blobs(struct doca_urom_domain *domain)
{
    const uint64_t len = domain->blob_len;

    if (!prepare(domain, domain->blob_max + sizeof(len)))
        return false;
    memcpy(domain->sent, &len, sizeof(len));
    memcpy((uint8_t *)domain->sent + sizeof(len), domain->blob, domain->blob_len);
    return true;
}

static size_t pack_table(const struct doca_urom_domain *domain, void *buf, size_t cap)
{
    const struct urom_domain_table head = {sizeof(head), domain->oob.n_oob_indexes};
    struct urom_out out = {buf, cap, 0};

    urom_out_bytes(&out, &head, sizeof(head));
    for (uint32_t i = 0; i < domain->oob.n_oob_indexes; i++) {
        const uint8_t *at = (const uint8_t *)domain->gathered + i * domain->exchange_len;
        uint64_t len;

        memcpy(&len, at, sizeof(len));
        urom_domain_put_process(&out, at + sizeof(len), OD_MIN(len, domain->blob_max));
    }
    return out.len;
}

/* What would make a worker refuse the table is found here first, with a better reason. */
static void check_table(struct doca_urom_domain *domain)
{
    struct urom_table *table;
    uint64_t id;
    void *copy = malloc(domain->table_len);
    int err;

    if (copy == NULL) {
        note(domain, DOCA_ERROR_NO_MEMORY, "table", "no memory");
        return;
    }
    memcpy(copy, domain->table, domain->table_len);
    err = urom_table_parse(copy, domain->table_len, &table, &id);
    if (err == 0) {
        urom_table_free(table);
        return;
    }
    free(copy);
    if (err == -EEXIST)
        note(domain, DOCA_ERROR_ALREADY_EXIST, "domain worker ids", "two workers have the same");
    else
        note(domain, err == -ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_UNEXPECTED, "table",
             "cannot be read");
}

static void make_table(struct doca_urom_domain *domain)
{
    size_t len = pack_table(domain, NULL, 0);

    domain->table = len <= UROM_WIRE_TABLE_MAX ? malloc(len) : NULL;
    if (domain->table == NULL) {
        note(domain, DOCA_ERROR_NO_MEMORY, "table", "no memory");
        return;
    }
    domain->table_len = pack_table(domain, domain->table, len);
    check_table(domain);
    for (size_t i = 0; i < domain->nmembers; i++) {
        struct urom_domain_member *member = &domain->members[i];

        member->answered = false;
        member->cut = (struct urom_cut){.body = domain->table,
                                        .len = domain->table_len,
                                        .room = soft_link_max_msg(member->channel),
                                        .type = UROM_TYPE_DOMAIN_SET};
    }
}

/* ------------------------------------------------------------------------------------------------
 * TABLES and VERDICT
 */

static int give_table(struct urom_domain_member *member)
{
    struct urom_result result;
    int err = urom_cut_send(member->channel, &member->cut);

    if (err == 0)
        err = urom_frame_recv(member->channel, &member->join);
    if (err != 0)
        return err;
    if (member->join.type != UROM_TYPE_DOMAIN_ACK ||
        urom_result_decode(member->join.body, member->join.len, &result) != 0)
        return -EBADMSG;
    if (result.error == DOCA_ERROR_ALREADY_EXIST)
        return -EEXIST;
    return result.error == DOCA_SUCCESS ? 0 : -EIO;
}

static void judge_verdicts(struct doca_urom_domain *domain)
{
    for (uint32_t i = 0; i < domain->oob.n_oob_indexes; i++) {
        uint64_t status;

        memcpy(&status, (uint8_t *)domain->gathered + i * sizeof(status), sizeof(status));
        if (status != DOCA_SUCCESS)
            note(domain, (doca_error_t)status, "exchange", "another process failed");
    }
}

/* ------------------------------------------------------------------------------------------------
 * The steps. Each returns true when the start is over.
 */

static bool step_addresses(struct doca_urom_domain *domain)
{
    if (!ask_all(domain, take_addresses, "addresses of plugins"))
        return false;
    if (domain->status == DOCA_SUCCESS)
        make_blob(domain);
    fill_head(domain);
    domain->step = UROM_DOMAIN_HEADS;
    return false;
}

static bool step_heads(struct doca_urom_domain *domain)
{
    doca_error_t result = exchange(domain);
    /* A stop that came after the heads were sent is for the verdict. */
    const doca_error_t stopped = domain->status;

    if (result == DOCA_ERROR_IN_PROGRESS)
        return false;
    if (result != DOCA_SUCCESS)
        return true;
    if (((struct urom_oob_head *)domain->sent)->status == DOCA_SUCCESS)
        domain->status = DOCA_SUCCESS;
    if (!judge_heads(domain))
        return true;
    domain->status = stopped;
    if (!prepare_blobs(domain)) {
        note(domain, DOCA_ERROR_NO_MEMORY, "exchange", "no memory for what the others bring");
        return true;
    }
    domain->step = UROM_DOMAIN_BLOBS;
    return false;
}

static bool step_blobs(struct doca_urom_domain *domain)
{
    doca_error_t result = exchange(domain);

    if (result == DOCA_ERROR_IN_PROGRESS)
        return false;
    if (result != DOCA_SUCCESS)
        return true;
    if (domain->status == DOCA_SUCCESS)
        make_table(domain);
    domain->step = UROM_DOMAIN_TABLES;
    return false;
}

static bool step_tables(struct doca_urom_domain *domain)
{
    uint64_t status;

    if (!ask_all(domain, give_table, "table of the domain"))
        return false;
    if (!prepare(domain, sizeof(status))) {
        note(domain, DOCA_ERROR_NO_MEMORY, "exchange", "no memory");
        return true;
    }
    status = domain->status;
    memcpy(domain->sent, &status, sizeof(status));
    domain->step = UROM_DOMAIN_VERDICT;
    return false;
}

static bool step_verdict(struct doca_urom_domain *domain)
{
    doca_error_t result = exchange(domain);

    if (result == DOCA_ERROR_IN_PROGRESS)
        return false;
    if (result == DOCA_SUCCESS)
        judge_verdicts(domain);
    return true;
}

bool urom_domain_advance(struct doca_urom_domain *domain)
{
    static bool (*const steps[])(struct doca_urom_domain *) = {
        [UROM_DOMAIN_ADDRESSES] = step_addresses, [UROM_DOMAIN_HEADS] = step_heads,
        [UROM_DOMAIN_BLOBS] = step_blobs,         [UROM_DOMAIN_TABLES] = step_tables,
        [UROM_DOMAIN_VERDICT] = step_verdict,
    };

    if (steps[domain->step](domain))
        return true;
    if (domain->deadline == 0 || urom_now_ms() < domain->deadline)
        return false;
    abandon(domain);
    note(domain, DOCA_ERROR_TIME_OUT, "exchange",
         "not over after DOCA_UROM_DOMAIN_TIMEOUT_MS; this process gives up alone");
    return true;
}

doca_error_t urom_domain_begin(struct doca_urom_domain *domain)
{
    struct urom_environment env;

    if (!prepare(domain, sizeof(struct urom_oob_head)))
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, "doca_ctx_start", domain->ctx.name,
                         "exchange", "%u processes" CORE_REMEDY "free memory",
                         domain->oob.n_oob_indexes);
    urom_environment_read(&env);
    domain->deadline = env.domain_timeout > 0 ? urom_now_ms() + env.domain_timeout : 0;
    domain->status = DOCA_SUCCESS;
    domain->step = UROM_DOMAIN_ADDRESSES;
    for (size_t i = 0; i < domain->nmembers; i++) {
        domain->members[i].worker->domains++;
        domain->members[i].answered = false;
        if (begin_member(domain, &domain->members[i]) != 0)
            note(domain, DOCA_ERROR_IO_FAILED, "worker", soft_reason());
    }
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * End
 */

void urom_domain_end(struct doca_urom_domain *domain)
{
    for (size_t i = 0; i < domain->nmembers; i++) {
        struct urom_domain_member *member = &domain->members[i];

        /* The end of the link lets the worker forget the domain. */
        soft_link_close(member->channel);
        member->channel = NULL;
        urom_join_free(&member->join);
        free(member->addrs);
        member->addrs = NULL;
        member->addrs_len = 0;
        member->worker->domains--;
    }
    abandon(domain);
    free(domain->sent);
    free(domain->gathered);
    free(domain->blob);
    free(domain->table);
    domain->sent = domain->gathered = domain->blob = domain->table = NULL;
    domain->blob_len = 0;
    domain->step = UROM_DOMAIN_UNUSED;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_QUEUE       1024u
#define DEFAULT_TIMEOUT     5000u /* ms */
#define DEFAULT_COPY_ENGINE "inline"

static const struct core_task_ops *const task_ops[RDMA_TASK_NUM] = {
    [RDMA_TASK_SEND] = &rdma_send_ops,           [RDMA_TASK_SEND_IMM] = &rdma_send_imm_ops,
    [RDMA_TASK_READ] = &rdma_read_ops,           [RDMA_TASK_WRITE] = &rdma_write_ops,
    [RDMA_TASK_WRITE_IMM] = &rdma_write_imm_ops, [RDMA_TASK_CMP_SWP] = &rdma_cmp_swp_ops,
    [RDMA_TASK_FETCH_ADD] = &rdma_fetch_add_ops, [RDMA_TASK_EVENT_GET] = &rdma_event_get_ops,
    [RDMA_TASK_EVENT_SET] = &rdma_event_set_ops, [RDMA_TASK_EVENT_ADD] = &rdma_event_add_ops,
};

static struct doca_rdma_connection *from_link(struct od_list *link)
{
    return OD_LIST_ENTRY(link, struct doca_rdma_connection, link_in_rdma);
}

/* ------------------------------------------------------------------------------------------------
 * Start and stop
 */

static void close_pools(struct doca_rdma *rdma)
{
    core_task_pool_close(&rdma->receives);
    for (int i = 0; i < RDMA_TASK_NUM; i++)
        core_task_pool_close(&rdma->pools[i]);
}

static bool open_pools(struct doca_rdma *rdma)
{
    bool is_open = core_task_pool_open(&rdma->receives) == DOCA_SUCCESS;

    for (int i = 0; i < RDMA_TASK_NUM && is_open; i++)
        is_open = core_task_pool_open(&rdma->pools[i]) == DOCA_SUCCESS;
    if (!is_open)
        close_pools(rdma);
    return is_open;
}

/* Copies are done in order and mostly small, so that other threads would not help. */
static int open_channel(struct doca_rdma *rdma)
{
    struct soft_copy_conf conf = rdma->ctx.dev->info.soft->copy;

    if (conf.engine[0] == '\0')
        memcpy(conf.engine, DEFAULT_COPY_ENGINE, sizeof(DEFAULT_COPY_ENGINE));
    return soft_copy_open(&conf, 2u * rdma->max_conns, core_ctx_waker(&rdma->ctx), &rdma->chan);
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_rdma *rdma = rdma_of(ctx);
    doca_error_t result = DOCA_ERROR_INITIALIZATION;

    if (open_channel(rdma) != 0)
        return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_RDMA, "doca_ctx_start", ctx->name,
                         "copy engine", "%s", soft_reason());
    if (soft_alarm_open(core_ctx_waker(ctx), &rdma->alarm) != 0) {
        CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_RDMA, "doca_ctx_start", ctx->name, "alarm",
                  "%s", soft_reason());
        goto err_close_chan;
    }
    if (!open_pools(rdma)) {
        CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_RDMA, "doca_ctx_start", ctx->name,
                  "task pools", "no memory" CORE_REMEDY "reserve fewer tasks or free memory");
        goto err_close_alarm;
    }
    rdma->alarm_at = 0;
    rdma->norphans = 0;
    if (ctx->gpu == NULL)
        return DOCA_SUCCESS;
    result = rdma_gpu_start(rdma);
    if (result == DOCA_SUCCESS)
        return DOCA_SUCCESS;
    close_pools(rdma);

err_close_alarm:
    soft_alarm_close(rdma->alarm);
err_close_chan:
    rdma->chan->ops->close(rdma->chan);
    return result;
}

static void stopping(struct doca_ctx *ctx)
{
    struct doca_rdma *rdma = rdma_of(ctx);

    rdma_gpu_stopping(rdma);
    rdma->chan->ops->cancel(rdma->chan);
    rdma_cm_close_ports(rdma);
    rdma_unlisten(rdma);
    OD_LIST_FOR_EACH_SAFE(link, &rdma->conns)
    rdma_conn_stop(from_link(link));
}

static bool drained(const struct doca_ctx *ctx)
{
    const struct doca_rdma *rdma = rdma_of(ctx);

    return od_list_is_empty(&rdma->conns) && rdma->posted.head == NULL;
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_rdma *rdma = rdma_of(ctx);

    close_pools(rdma);
    soft_alarm_close(rdma->alarm);
    rdma->chan->ops->close(rdma->chan);
    rdma->chan = NULL;
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back */
}

/* ------------------------------------------------------------------------------------------------
 * Progress
 */

/* Nobody will send what these were posted for. */
static bool flush_receives(struct doca_rdma *rdma)
{
    if (rdma->posted.head == NULL)
        return false;
    if (rdma->ctx.state == DOCA_CTX_STATE_STOPPING) {
        rdma_flush_receive(rdma, DOCA_ERROR_IO_FAILED);
        return true;
    }
    if (rdma->norphans == 0)
        return false;
    rdma->norphans--;
    rdma_flush_receive(rdma, DOCA_ERROR_CONNECTION_RESET);
    return true;
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_rdma *rdma = rdma_of(ctx);
    RDMA_AUTO_LEAVE struct doca_rdma *entered = rdma_enter(rdma);
    struct od_list *last;

    if (!od_list_is_empty(&rdma->ports))
        rdma_cm_take_requests(rdma);
    rdma_take_links(rdma);
    last = rdma->conns.prev;
    while (!od_list_is_empty(&rdma->conns)) {
        struct od_list *link = rdma->conns.next;
        bool was_last = link == last;

        /* Each call begins behind the connection that was served last. */
        od_list_remove(link);
        od_list_append(&rdma->conns, link);
        if (rdma_conn_step(from_link(link)))
            return true;
        if (was_last)
            break;
    }
    return flush_receives(rdma);
}

/* Something is due, or the alarm is set to when it will be. */
static bool look_at_time(struct doca_rdma *rdma)
{
    uint64_t first = 0, now;

    OD_LIST_FOR_EACH(link, &rdma->conns)
    {
        uint64_t due = rdma_conn_due(from_link(link));

        if (due != 0 && (first == 0 || due < first))
            first = due;
    }
    if (first == 0)
        return false;
    now = rdma_now_ms();
    if (now >= first)
        return true;
    if (rdma->alarm_at != first)
        soft_alarm_set(rdma->alarm, first - now + 1);
    rdma->alarm_at = first;
    return false;
}

static bool pending(const struct doca_ctx *ctx)
{
    struct doca_rdma *rdma = rdma_of(ctx);
    RDMA_AUTO_LEAVE struct doca_rdma *entered = rdma_enter(rdma);

    if (rdma_links_pending(rdma) || rdma_cm_pending(rdma) || look_at_time(rdma))
        return true;
    if (rdma->posted.head != NULL && (ctx->state == DOCA_CTX_STATE_STOPPING || rdma->norphans > 0))
        return true;
    OD_LIST_FOR_EACH(link, &rdma->conns)
    {
        if (rdma_conn_pending(from_link(link)))
            return true;
    }
    return false;
}

static const struct core_ctx_ops rdma_ctx_ops = {
    .kind = "rdma",
    .source = CORE_LOG_RDMA,
    .on_gpu = true,
    .start = start,
    .progress = progress,
    .pending = pending,
    .flush = flush,
    .stopping = stopping,
    .drained = drained,
    .stopped = stopped,
};

/* ------------------------------------------------------------------------------------------------
 * Public calls
 */

static void init(struct doca_rdma *rdma, struct doca_dev *dev)
{
    pthread_mutexattr_t recursive;

    core_ctx_init(&rdma->ctx, &rdma_ctx_ops, dev);
    for (int i = 0; i < RDMA_TASK_NUM; i++)
        core_task_pool_init(&rdma->pools[i], &rdma->ctx, task_ops[i], sizeof(struct rdma_task));
    core_task_pool_init(&rdma->receives, &rdma->ctx, &rdma_receive_ops,
                        sizeof(struct doca_rdma_task_receive));
    rdma->send_queue = DEFAULT_QUEUE;
    rdma->recv_queue = DEFAULT_QUEUE;
    rdma->max_send_list = 1;
    rdma->max_recv_list = 1;
    rdma->max_conns = 1;
    rdma->permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
    rdma->mtu = DOCA_MTU_SIZE_1K_BYTES;
    rdma->grh = 1;
    rdma->rnr_retry = RDMA_RNR_FOREVER;
    rdma->request_timeout = DEFAULT_TIMEOUT;
    pthread_mutex_init(&rdma->lock, NULL);
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&rdma->gpu_lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    od_list_init(&rdma->nets);
    od_list_init(&rdma->ports);
    od_list_init(&rdma->conns);
    od_list_init(&rdma->old_conns);
    od_list_init(&rdma->doors);
}

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
    struct doca_rdma *created;

    if (rdma == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "rdma");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, NULL, "dev",
                         "%p" CORE_LIMIT "an open device" CORE_REMEDY
                         "open it with doca_dev_open()",
                         (void *)dev);
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_RDMA, __func__, dev->info.name, "instance",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    init(created, dev);
    core_live_add(CORE_LIVE_RDMA, created);
    *rdma = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (core_ctx_fini(&rdma->ctx, __func__) != DOCA_SUCCESS)
        return DOCA_ERROR_BAD_STATE;
    rdma_conn_free_all(rdma);
    rdma_gpu_destroyed(rdma);
    pthread_mutex_destroy(&rdma->gpu_lock);
    pthread_mutex_destroy(&rdma->lock);
    free(rdma);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
    return rdma != NULL ? &rdma->ctx : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/consumer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct doca_comch_consumer *from_ctx(const struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(ctx, struct doca_comch_consumer, ctx);
}

static bool is_over(const struct doca_comch_consumer *consumer)
{
    return atomic_load_explicit(&consumer->end.fast->over, memory_order_acquire);
}

static uint32_t slot_of(const struct doca_comch_consumer *consumer, uint64_t index)
{
    return (uint32_t)(index & (consumer->posts.nslots - 1));
}

void comch_consumer_post(struct doca_comch_consumer *consumer,
                         struct doca_comch_consumer_task_post_recv *task)
{
    const struct doca_buf *buf = task->buf;
    uint64_t addr = 0;

    task->room = 0;
    if (buf != NULL) {
        addr = (uintptr_t)buf->data + buf->data_len;
        task->room = buf->len - (size_t)(buf->data - buf->head) - buf->data_len;
        /* What is counted has 32 bits. */
        if (task->room > UINT32_MAX)
            task->room = UINT32_MAX;
    }
    consumer->tasks[slot_of(consumer, consumer->posted)] = task;
    comch_posts_post(&consumer->posts, consumer->posted, addr, task->room);
    consumer->posted++;
}

/* ------------------------------------------------------------------------------------------------
 * Start
 */

static uint32_t count_slots(uint32_t num)
{
    uint32_t nslots = 1;

    while (nslots < num)
        nslots *= 2;
    return nslots;
}

static int export_page(struct doca_comch_consumer *consumer)
{
    const struct soft_peer_range range = {
        .addr = consumer->page.addr,
        .len = consumer->page.len,
        .kind = SOFT_PEER_KIND_QUEUE,
        .access = SOFT_PEER_READ | SOFT_PEER_WRITE | SOFT_PEER_ATOMIC,
        .card = consumer->ctx.dev->info.soft->card,
        .waker = core_ctx_waker(&consumer->ctx),
    };

    return soft_peer_export_create(&range, &consumer->page_export);
}

/* The peer writes into the map, and does not read. */
static int export_data(struct doca_comch_consumer *consumer)
{
    const struct soft_peer_range range = {
        .addr = consumer->mmap->addr,
        .len = consumer->mmap->len,
        .kind = SOFT_PEER_KIND_PCI,
        .access = SOFT_PEER_WRITE,
        .mask = consumer->mmap->access,
        .card = consumer->ctx.dev->info.soft->card,
    };

    return soft_peer_export_create(&range, &consumer->data_export);
}

static void close_page(struct doca_comch_consumer *consumer)
{
    comch_fast_listen(&consumer->end, NULL);
    soft_peer_export_destroy(consumer->data_export);
    soft_peer_export_destroy(consumer->page_export);
    consumer->data_export = NULL;
    consumer->page_export = NULL;
    soft_peer_queue_close(&consumer->page);
    free(consumer->tasks);
    consumer->tasks = NULL;
    core_task_pool_close(&consumer->pool);
}

/* 0 or a negative errno with a reason; what there is then is closed by close_page(). */
static int open_page(struct doca_comch_consumer *consumer)
{
    const uint32_t nslots = count_slots(consumer->pool.num);
    int err;

    consumer->posted = 0;
    consumer->next = 0;
    consumer->asleep = false;
    consumer->pool.task_size = (sizeof(struct doca_comch_consumer_task_post_recv) +
                                consumer->imm_len + OD_CACHE_LINE - 1) /
                               OD_CACHE_LINE * OD_CACHE_LINE;
    consumer->tasks = calloc(nslots, sizeof(struct doca_comch_consumer_task_post_recv *));
    if (consumer->tasks == NULL || core_task_pool_open(&consumer->pool) != DOCA_SUCCESS)
        return soft_fail(-ENOMEM, "no memory for %u tasks", consumer->pool.num);
    err = soft_peer_queue_open(comch_posts_size(nslots, consumer->imm_len), &consumer->page);
    if (err == 0)
        err = export_page(consumer);
    if (err == 0)
        err = export_data(consumer);
    if (err == 0)
        comch_posts_view(&consumer->posts, consumer->page.addr, nslots, consumer->imm_len);
    return err;
}

static bool announce(struct doca_comch_consumer *consumer)
{
    uint8_t payload[COMCH_CONSUMER_MAX];
    struct comch_consumer_info info = {
        .nslots = consumer->posts.nslots,
        .imm_len = consumer->imm_len,
    };

    info.page_desc = soft_peer_export_desc(consumer->page_export, &info.page_desc_len);
    info.data_desc = soft_peer_export_desc(consumer->data_export, &info.data_desc_len);
    atomic_store(&consumer->end.announced, false);
    comch_fast_listen(&consumer->end, core_ctx_waker(&consumer->ctx));
    return comch_fast_note(&consumer->end, COMCH_FRAME_CONSUMER, payload,
                           comch_wire_put_consumer(payload, &info));
}

static doca_error_t check_start(const struct doca_comch_consumer *consumer)
{
    if (is_over(consumer))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, "doca_ctx_start", consumer->ctx.name,
                         "connection", "over" CORE_LIMIT "established");
    if (consumer->pool.num == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, "doca_ctx_start", consumer->ctx.name,
                         "receive task",
                         "not configured" CORE_REMEDY
                         "call doca_comch_consumer_task_post_recv_set_conf() before the start");
    return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_comch_consumer *consumer = from_ctx(ctx);
    doca_error_t result = check_start(consumer);
    int err;

    if (result != DOCA_SUCCESS)
        return result;
    err = open_page(consumer);
    if (err == 0 && !announce(consumer))
        err = soft_fail(-ENOMEM, "no memory for the announcement");
    if (err == 0)
        return DOCA_ERROR_IN_PROGRESS;
    close_page(consumer);
    return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_COMCH, "doca_ctx_start", ctx->name,
                     "landing memory", "%s", soft_reason());
}

/* ------------------------------------------------------------------------------------------------
 * Progress
 */

static OD_COLD bool break_off(struct doca_comch_consumer *consumer)
{
    CORE_WARN(CORE_LOG_COMCH, "%s: the peer wrote nonsense into the consumer's page; it is stopped",
              consumer->ctx.name);
    core_ctx_fail(&consumer->ctx);
    return true;
}

static bool is_plausible(const struct doca_comch_consumer_task_post_recv *task,
                         const struct comch_arrival *arrival)
{
    return arrival->len <= task->room && arrival->producer != 0 &&
           arrival->producer <= COMCH_ID_MAX;
}

static bool complete(struct doca_comch_consumer *consumer,
                     struct doca_comch_consumer_task_post_recv *task,
                     const struct comch_arrival *arrival)
{
    if (od_unlikely(!is_plausible(task, arrival)))
        return break_off(consumer);
    consumer->next++;
    if (od_unlikely(arrival->is_void)) {
        if (consumer->ctx.state == DOCA_CTX_STATE_RUNNING) {
            comch_consumer_post(consumer, task);
            return false;
        }
        core_task_complete(&task->base, consumer->flush_status);
        return true;
    }
    task->producer_id = arrival->producer;
    task->imm_len = arrival->imm_len;
    if (task->buf != NULL)
        task->buf->data_len += arrival->len;
    core_task_complete(&task->base, DOCA_SUCCESS);
    return true;
}

static bool receive(struct doca_comch_consumer *consumer)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct comch_arrival arrival;
    int err;

    if (consumer->next == consumer->posted)
        return false;
    task = consumer->tasks[slot_of(consumer, consumer->next)];
    err = comch_posts_take(&consumer->posts, consumer->next, &arrival, task->imm);
    if (od_likely(err == 0))
        return complete(consumer, task, &arrival);
    return err == -EAGAIN ? false : break_off(consumer);
}

/* Nobody writes into the memory any more: what has not arrived does not arrive. */
static bool flush_one(struct doca_comch_consumer *consumer)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct comch_arrival arrival;
    uint64_t index = consumer->next;

    if (index == consumer->posted)
        return false;
    task = consumer->tasks[slot_of(consumer, index)];
    if (!comch_posts_flush(&consumer->posts, index) &&
        comch_posts_take(&consumer->posts, index, &arrival, task->imm) == 0 &&
        is_plausible(task, &arrival))
        return complete(consumer, task, &arrival);
    consumer->next++;
    core_task_complete(&task->base, consumer->flush_status);
    return true;
}

static bool establish(struct doca_comch_consumer *consumer)
{
    if (atomic_load_explicit(&consumer->end.announced, memory_order_acquire)) {
        core_ctx_established(&consumer->ctx, DOCA_SUCCESS);
        return true;
    }
    if (!is_over(consumer))
        return false;
    CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_COMCH, "doca_pe_progress", consumer->ctx.name,
              "connection", "over before the peer knew of the consumer");
    core_ctx_established(&consumer->ctx, DOCA_ERROR_CONNECTION_ABORTED);
    return true;
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_comch_consumer *consumer = from_ctx(ctx);

    if (od_unlikely(consumer->asleep)) {
        comch_posts_wake(&consumer->posts);
        consumer->asleep = false;
    }
    switch (ctx->state) {
    case DOCA_CTX_STATE_RUNNING:
        if (receive(consumer))
            return true;
        if (od_likely(!is_over(consumer)))
            return false;
        core_ctx_fail(ctx);
        return true;
    case DOCA_CTX_STATE_STARTING:
        return establish(consumer);
    default:
        return flush_one(consumer);
    }
}

static bool pending(const struct doca_ctx *ctx)
{
    struct doca_comch_consumer *consumer = from_ctx(ctx);

    if (ctx->state == DOCA_CTX_STATE_STARTING)
        return atomic_load(&consumer->end.announced) || is_over(consumer);
    if (ctx->state == DOCA_CTX_STATE_STOPPING)
        return consumer->next != consumer->posted;
    if (is_over(consumer))
        return true;
    if (consumer->next == consumer->posted)
        return false;
    consumer->asleep = true;
    return comch_posts_sleep(&consumer->posts, consumer->next);
}

/* ------------------------------------------------------------------------------------------------
 * Stop
 */

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back */
}

static void stopping(struct doca_ctx *ctx)
{
    struct doca_comch_consumer *consumer = from_ctx(ctx);
    bool over = is_over(consumer);

    consumer->flush_status = over ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_IO_FAILED;
    comch_posts_close(&consumer->posts);
    /* Ends what producers are about to write; they learn of it. */
    soft_peer_export_destroy(consumer->data_export);
    consumer->data_export = NULL;
    if (!over && !comch_fast_note(&consumer->end, COMCH_FRAME_EXPIRED, NULL, 0))
        CORE_WARN(CORE_LOG_COMCH, "%s: no memory to tell the peer of the end", ctx->name);
}

static bool drained(const struct doca_ctx *ctx)
{
    return from_ctx(ctx)->next == from_ctx(ctx)->posted;
}

static void stopped(struct doca_ctx *ctx)
{
    close_page(from_ctx(ctx));
}

static const struct core_ctx_ops consumer_ctx_ops = {
    .kind = "comch_consumer",
    .source = CORE_LOG_COMCH,
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

static doca_error_t check_map(const struct doca_dev *dev, const struct doca_mmap *mmap,
                              const char *func)
{
    const uint32_t writable = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, func, "buf_mmap", mmap);
    if (mmap->state != CORE_MMAP_STARTED)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, func, mmap->name, "state",
                         "not started" CORE_LIMIT "started" CORE_REMEDY
                         "call doca_mmap_start() first");
    if (!core_mmap_has_dev(mmap, dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, mmap->name, "devices",
                         "without %s" CORE_LIMIT "the connection's device" CORE_REMEDY
                         "add it with doca_mmap_add_dev() before starting the map",
                         dev->info.name);
    if (mmap->peer != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_COMCH, func, mmap->name, "origin",
                         "imported" CORE_LIMIT "memory of this process");
    if ((mmap->access & writable) == 0)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_COMCH, func, mmap->name, "access mask",
                         "0x%x" CORE_LIMIT "PCI_READ_WRITE or LOCAL_READ_WRITE" CORE_REMEDY
                         "give the flag with doca_mmap_set_permissions()",
                         mmap->access);
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer)
{
    struct doca_comch_consumer *created;
    struct doca_dev *dev;
    doca_error_t result;

    if (consumer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "consumer");
    result = comch_conn_check_fast(comch_connection, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    dev = comch_connection->side->ctx.dev;
    result = check_map(dev, buf_mmap, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMCH, __func__, dev->info.name, "instance",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    result = comch_fast_join(comch_connection->fast, &created->end, true, __func__);
    if (result != DOCA_SUCCESS) {
        free(created);
        return result;
    }
    core_ctx_init(&created->ctx, &consumer_ctx_ops, dev);
    core_live_add(CORE_LIVE_COMCH_CONSUMER, created);
    core_task_pool_init(&created->pool, &created->ctx, &comch_post_recv_ops,
                        sizeof(struct doca_comch_consumer_task_post_recv));
    created->mmap = buf_mmap;
    *consumer = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_COMCH_CONSUMER, consumer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "consumer", consumer);
    result = core_ctx_fini(&consumer->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    comch_fast_leave(&consumer->end);
    free(consumer);
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
    if (!core_is_live(CORE_LIVE_COMCH_CONSUMER, consumer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "consumer", consumer);
    if (id == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "id");
    *id = consumer->end.id;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len)
{
    if (!core_is_live(CORE_LIVE_COMCH_CONSUMER, consumer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "consumer", consumer);
    if (imm_data_len == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "imm_data_len");
    *imm_data_len = consumer->imm_len;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len)
{
    doca_error_t result;
    uint32_t max;

    if (!core_is_live(CORE_LIVE_COMCH_CONSUMER, consumer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "consumer", consumer);
    result = core_ctx_check_idle(&consumer->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    max = consumer->ctx.dev->info.soft->caps.comch_max_imm_len;
    if (imm_data_len > max)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, __func__, consumer->ctx.name,
                         "imm_data_len",
                         "%u" CORE_LIMIT "0..%u" CORE_REMEDY
                         "see doca_comch_consumer_cap_get_max_imm_data_len()",
                         imm_data_len, max);
    consumer->imm_len = imm_data_len;
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer)
{
    return consumer != NULL ? &consumer->ctx : NULL;
}

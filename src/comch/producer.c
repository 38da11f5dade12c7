/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/producer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static struct doca_comch_producer *from_ctx(const struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(ctx, struct doca_comch_producer, ctx);
}

static struct doca_comch_producer_task_send *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_comch_producer_task_send, base);
}

static bool is_over(const struct doca_comch_producer *producer)
{
    return atomic_load_explicit(&producer->end.fast->over, memory_order_acquire);
}

/* ------------------------------------------------------------------------------------------------
 * Consumers
 */

/* Others than the last one; those that expired are only kept for sends in flight. */
static struct comch_target *search(struct doca_comch_producer *producer, uint32_t id)
{
    for (uint32_t i = 0; i < producer->ntargets; i++) {
        struct comch_target *target = producer->targets[i];

        if (target->id == id && !atomic_load(&target->expired))
            return target;
    }
    return NULL;
}

static void forget_targets(struct doca_comch_producer *producer)
{
    for (uint32_t i = 0; i < producer->ntargets; i++)
        comch_target_put(producer->targets[i]);
    producer->ntargets = 0;
    producer->last = NULL;
}

static bool grow(struct doca_comch_producer *producer)
{
    uint32_t cap = producer->targets_cap == 0 ? 8 : 2 * producer->targets_cap;
    struct comch_target **targets;

    /* Consumers that came and went must not fill the memory. */
    if (producer->order.head == NULL)
        forget_targets(producer);
    if (producer->ntargets < producer->targets_cap)
        return true;
    targets = reallocarray(producer->targets, cap, sizeof(struct comch_target *));
    if (targets == NULL)
        return false;
    producer->targets = targets;
    producer->targets_cap = cap;
    return true;
}

static OD_COLD struct comch_target *look_up(struct doca_comch_producer *producer, uint32_t id)
{
    struct comch_target *target = search(producer, id);

    if (target != NULL)
        return target;
    if (producer->ntargets == producer->targets_cap && !grow(producer))
        return NULL;
    target = comch_target_find(producer->end.fast, id);
    if (target != NULL)
        producer->targets[producer->ntargets++] = target;
    return target;
}

struct comch_target *comch_producer_target(struct doca_comch_producer *producer, uint32_t id)
{
    struct comch_target *target = producer->last;

    if (od_likely(target != NULL && target->id == id &&
                  !atomic_load_explicit(&target->expired, memory_order_relaxed)))
        return target;
    target = look_up(producer, id);
    if (target != NULL)
        producer->last = target;
    return target;
}

/* ------------------------------------------------------------------------------------------------
 * Progress
 */

static OD_COLD doca_error_t explain(struct doca_comch_producer *producer,
                                    const struct doca_comch_producer_task_send *task, int status)
{
    doca_error_t fate = status == -EPERM || status == -ENOTCONN || status == -ECONNRESET
                            ? DOCA_ERROR_CONNECTION_RESET
                            : DOCA_ERROR_IO_FAILED;

    return CORE_FAIL(
        fate, CORE_LOG_COMCH, "doca_pe_progress", producer->ctx.name, "transfer",
        "of %" PRIu64 " bytes to consumer %u, which failed: %s", task->job.len, task->consumer_id,
        fate == DOCA_ERROR_CONNECTION_RESET ? "the consumer has stopped or its process has ended"
                                            : "source or destination cannot be accessed");
}

void comch_producer_conclude(struct doca_comch_producer *producer,
                             struct doca_comch_producer_task_send *task, int status)
{
    const struct comch_arrival arrival = {
        .len = (uint32_t)task->job.len,
        .producer = producer->end.id,
        .imm_len = task->imm_len,
        .is_void = status != 0,
    };

    if (od_unlikely(!comch_posts_deliver(&task->target->posts, &task->claim, &arrival, task->imm)))
        status = -ECONNRESET;
    comch_target_ring(task->target);
    task->finished = true;
    task->fate = od_likely(status == 0) ? DOCA_SUCCESS : explain(producer, task, status);
}

static bool report(struct doca_comch_producer *producer)
{
    struct doca_task *first = producer->order.head;

    if (first == NULL || !from_task(first)->finished)
        return false;
    core_task_queue_pop(&producer->order);
    core_task_complete(first, from_task(first)->fate);
    return true;
}

void comch_producer_copy(struct doca_comch_producer *producer)
{
    struct soft_copy_job *job = producer->chan->ops->poll(producer->chan);

    if (job != NULL)
        comch_producer_conclude(
            producer, OD_CONTAINER_OF(job, struct doca_comch_producer_task_send, job), job->status);
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_comch_producer *producer = from_ctx(ctx);

    if (report(producer))
        return true;
    comch_producer_copy(producer);
    if (report(producer))
        return true;
    if (od_likely(!is_over(producer)) || ctx->state != DOCA_CTX_STATE_RUNNING)
        return false;
    core_ctx_fail(ctx);
    return true;
}

static bool pending(const struct doca_ctx *ctx)
{
    const struct doca_comch_producer *producer = from_ctx(ctx);
    struct doca_task *first = producer->order.head;

    return (first != NULL && from_task(first)->finished) ||
           producer->chan->ops->pending(producer->chan) ||
           (ctx->state == DOCA_CTX_STATE_RUNNING && is_over(producer));
}

/* ------------------------------------------------------------------------------------------------
 * Start and stop
 */

static doca_error_t check_start(const struct doca_comch_producer *producer)
{
    const char *name = producer->ctx.name;

    if (is_over(producer))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, "doca_ctx_start", name, "connection",
                         "over" CORE_LIMIT "established");
    if (producer->pool.num == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, "doca_ctx_start", name, "send task",
                         "not configured" CORE_REMEDY
                         "call doca_comch_producer_task_send_set_conf() before the start");
    return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_comch_producer *producer = from_ctx(ctx);
    doca_error_t result = check_start(producer);
    int err;

    if (result != DOCA_SUCCESS)
        return result;
    err = soft_copy_open(&ctx->dev->info.soft->copy, producer->pool.num, core_ctx_waker(ctx),
                         &producer->chan);
    if (err != 0)
        return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_COMCH, "doca_ctx_start", ctx->name,
                         "copy engine", "%s", soft_reason());
    if (core_task_pool_open(&producer->pool) != DOCA_SUCCESS)
        goto err_close_chan;
    comch_fast_listen(&producer->end, core_ctx_waker(ctx));
    return DOCA_SUCCESS;

err_close_chan:
    producer->chan->ops->close(producer->chan);
    producer->chan = NULL;
    return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_COMCH, "doca_ctx_start", ctx->name,
                     "task pool", "%u tasks" CORE_REMEDY "reserve fewer tasks or free memory",
                     producer->pool.num);
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back */
}

/* What was submitted has a place at its consumer, and is transferred. */
static void stopping(struct doca_ctx *ctx)
{
    (void)ctx;
}

static bool drained(const struct doca_ctx *ctx)
{
    return from_ctx(ctx)->order.head == NULL;
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_comch_producer *producer = from_ctx(ctx);

    comch_fast_listen(&producer->end, NULL);
    forget_targets(producer);
    free(producer->targets);
    producer->targets = NULL;
    producer->targets_cap = 0;
    producer->chan->ops->close(producer->chan);
    producer->chan = NULL;
    core_task_pool_close(&producer->pool);
}

static const struct core_ctx_ops producer_ctx_ops = {
    .kind = "comch_producer",
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

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer)
{
    struct doca_comch_producer *created;
    struct doca_dev *dev;
    doca_error_t result;

    if (producer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "producer");
    result = comch_conn_check_fast(comch_connection, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    dev = comch_connection->side->ctx.dev;
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMCH, __func__, dev->info.name, "instance",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    result = comch_fast_join(comch_connection->fast, &created->end, false, __func__);
    if (result != DOCA_SUCCESS) {
        free(created);
        return result;
    }
    core_ctx_init(&created->ctx, &producer_ctx_ops, dev);
    core_live_add(CORE_LIVE_COMCH_PRODUCER, created);
    core_task_pool_init(&created->pool, &created->ctx, &comch_transfer_ops,
                        sizeof(struct doca_comch_producer_task_send) +
                            dev->info.soft->caps.comch_max_imm_len);
    *producer = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_COMCH_PRODUCER, producer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "producer", producer);
    result = core_ctx_fini(&producer->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    comch_fast_leave(&producer->end);
    free(producer);
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
    if (!core_is_live(CORE_LIVE_COMCH_PRODUCER, producer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "producer", producer);
    if (id == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "id");
    *id = producer->end.id;
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
    return producer != NULL ? &producer->ctx : NULL;
}

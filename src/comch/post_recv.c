/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/consumer.h"

static struct doca_comch_consumer_task_post_recv *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_comch_consumer_task_post_recv, base);
}

static struct doca_comch_consumer *consumer_of(const struct doca_task *task)
{
    return OD_CONTAINER_OF(task->ctx, struct doca_comch_consumer, ctx);
}

static OD_COLD doca_error_t refuse_buf(const struct doca_comch_consumer *consumer,
                                       const struct doca_buf *buf, const char *func)
{
    const char *what = buf == NULL                   ? "NULL, and no immediate data is accepted"
                       : !core_buf_exists(buf)       ? "no buffer of any inventory or pool"
                       : buf->refcount == 0          ? "a buffer that was released"
                       : buf->mmap != consumer->mmap ? "in another memory map"
                                                     : "a list, or its data lies outside of it";

    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, consumer->ctx.name, "buf",
                     "%s" CORE_LIMIT "a single buffer in the consumer's memory map" CORE_REMEDY
                     "take it from the map that doca_comch_consumer_create() was given",
                     what);
}

/* What can be landed in. */
static bool is_good(const struct doca_comch_consumer *consumer, const struct doca_buf *buf)
{
    size_t offset;

    if (od_unlikely(buf == NULL))
        return consumer->imm_len > 0;
    if (!core_buf_exists(buf))
        return false;
    offset = (size_t)(buf->data - buf->head);
    return buf->refcount > 0 && buf->mmap == consumer->mmap && buf->is_head && buf->next == NULL &&
           offset <= buf->len && buf->data_len <= buf->len - offset;
}

static doca_error_t submit(struct doca_task *base, bool flush)
{
    struct doca_comch_consumer_task_post_recv *task = from_task(base);
    struct doca_comch_consumer *consumer = consumer_of(base);

    (void)flush; /* a held back post would only keep producers waiting */
    if (od_unlikely(!is_good(consumer, task->buf)))
        return refuse_buf(consumer, task->buf, "doca_task_submit");
    task->producer_id = 0;
    task->imm_len = 0;
    comch_consumer_post(consumer, task);
    return DOCA_SUCCESS;
}

static doca_error_t validate(struct doca_task *base)
{
    const struct doca_comch_consumer *consumer = consumer_of(base);
    const struct doca_buf *buf = from_task(base)->buf;

    return is_good(consumer, buf) ? DOCA_SUCCESS
                                  : refuse_buf(consumer, buf, "doca_task_try_submit");
}

static void deliver(struct doca_task *base)
{
    struct doca_comch_consumer *consumer = consumer_of(base);
    doca_comch_consumer_task_post_recv_completion_cb_t cb =
        od_likely(base->status == DOCA_SUCCESS) ? consumer->done_cb : consumer->error_cb;

    cb(from_task(base), base->user_data, consumer->ctx.user_data);
}

const struct core_task_ops comch_post_recv_ops = {
    .submit = submit,
    .validate = validate,
    .deliver = deliver,
};

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
    doca_error_t result;
    uint32_t max;

    if (!core_is_live(CORE_LIVE_COMCH_CONSUMER, consumer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "consumer", consumer);
    if (task_completion_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "task_completion_cb");
    if (task_error_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "task_error_cb");
    result = core_ctx_check_idle(&consumer->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    max = consumer->ctx.dev->info.soft->caps.comch_max_fast_tasks;
    if (num_post_recv_tasks == 0 || num_post_recv_tasks > max)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, __func__, consumer->ctx.name,
                         "num_post_recv_tasks",
                         "%u" CORE_LIMIT "1..%u" CORE_REMEDY
                         "stay within doca_comch_consumer_cap_get_max_num_tasks()",
                         num_post_recv_tasks, max);
    consumer->done_cb = task_completion_cb;
    consumer->error_cb = task_error_cb;
    consumer->pool.num = num_post_recv_tasks;
    return DOCA_SUCCESS;
}

static doca_error_t check_alloc(const struct doca_comch_consumer *consumer,
                                const struct doca_buf *buf, const char *func)
{
    uint32_t max = consumer->ctx.dev->info.soft->caps.comch_max_buf_size;

    if (!is_good(consumer, buf))
        return refuse_buf(consumer, buf, func);
    if (buf != NULL && buf->len > max)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, consumer->ctx.name,
                         "buffer length",
                         "%zu bytes" CORE_LIMIT "%u bytes" CORE_REMEDY
                         "see doca_comch_consumer_cap_get_max_buf_size()",
                         buf->len, max);
    return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task)
{
    struct doca_comch_consumer_task_post_recv *created;
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_COMCH_CONSUMER, consumer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "consumer", consumer);
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "task");
    if (consumer->ctx.state == DOCA_CTX_STATE_RUNNING) {
        result = check_alloc(consumer, buf, __func__);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = core_task_alloc(&consumer->pool, (union doca_data){.u64 = 0}, __func__, &base);
    if (result != DOCA_SUCCESS)
        return result;
    created = from_task(base);
    created->buf = buf;
    created->producer_id = 0;
    created->imm_len = 0;
    *task = created;
    return DOCA_SUCCESS;
}

struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
    return core_task_is_live(task, __func__) ? task->buf : NULL;
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf)
{
    if (core_task_is_live(task, __func__))
        task->buf = buf;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task)
{
    return core_task_is_live(task, __func__) ? task->producer_id : 0;
}

const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task)
{
    return core_task_is_live(task, __func__) && task->imm_len > 0 ? task->imm : NULL;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task)
{
    return core_task_is_live(task, __func__) ? task->imm_len : 0;
}

struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
    return task != NULL ? &task->base : NULL;
}

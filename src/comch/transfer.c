/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/producer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* What takes a few microseconds is copied by the submit: the consumer gets it without progress of
 * the producer. */
#define EAGER_BYTES (64u << 10)

static struct doca_comch_producer_task_send *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_comch_producer_task_send, base);
}

static struct doca_comch_producer *producer_of(const struct doca_task *task)
{
    return OD_CONTAINER_OF(task->ctx, struct doca_comch_producer, ctx);
}

static const struct soft_caps *caps_of(const struct doca_comch_producer *producer)
{
    return &producer->ctx.dev->info.soft->caps;
}

/* ------------------------------------------------------------------------------------------------
 * Checks
 */

static OD_COLD doca_error_t refuse_buf(const struct doca_comch_producer *producer,
                                       const struct doca_buf *buf, const char *func)
{
    const char *what = !core_buf_exists(buf) ? "no buffer of any inventory or pool"
                       : buf->refcount == 0  ? "a buffer that was released"
                       : !buf->is_head || buf->next != NULL
                           ? "a list"
                           : "a buffer whose data lies outside of it, or of a map without the "
                             "connection's device";

    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, producer->ctx.name, "buf",
                     "%s" CORE_LIMIT "a single buffer of a map with device %s", what,
                     producer->ctx.dev->info.name);
}

static OD_COLD doca_error_t refuse_len(const struct doca_comch_producer *producer,
                                       const struct doca_buf *buf, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, producer->ctx.name,
                     "data length",
                     "%zu bytes" CORE_LIMIT "%u bytes" CORE_REMEDY
                     "split the data; see doca_comch_producer_cap_get_max_buf_size()",
                     buf->data_len, caps_of(producer)->comch_max_buf_size);
}

static doca_error_t check_buf(const struct doca_comch_producer *producer,
                              const struct doca_buf *buf, const char *func)
{
    size_t offset;

    if (!core_buf_exists(buf))
        return refuse_buf(producer, buf, func);
    offset = (size_t)(buf->data - buf->head);
    if (od_unlikely(buf->refcount == 0 || !buf->is_head || buf->next != NULL || offset > buf->len ||
                    buf->data_len > buf->len - offset ||
                    !core_mmap_has_dev(buf->mmap, producer->ctx.dev)))
        return refuse_buf(producer, buf, func);
    if (od_unlikely(buf->data_len > caps_of(producer)->comch_max_buf_size))
        return refuse_len(producer, buf, func);
    if (od_unlikely(!core_mmap_can_read(buf->mmap)))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_COMCH, func, producer->ctx.name, "buf",
                         "in %s with access mask 0x%x" CORE_LIMIT "PCI_READ_ONLY or PCI_READ_WRITE",
                         buf->mmap->name, buf->mmap->access);
    return DOCA_SUCCESS;
}

static OD_COLD doca_error_t refuse_imm(const struct doca_comch_producer *producer, uint32_t len,
                                       uint32_t max, const char *whose, const char *func)
{
    return CORE_FAIL(
        DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, producer->ctx.name, "imm_data_len",
        "%u" CORE_LIMIT "%u, of the %s" CORE_REMEDY "send less, or let the consumer accept more",
        len, max, whose);
}

static OD_COLD doca_error_t refuse_id(const struct doca_comch_producer *producer, uint32_t id)
{
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, "doca_task_submit",
                     producer->ctx.name, "consumer_id",
                     "%u, of no consumer of the peer" CORE_REMEDY
                     "use an id between its new and its expired event",
                     id);
}

/* ------------------------------------------------------------------------------------------------
 * Submission
 */

static OD_COLD doca_error_t refuse_claim(const struct doca_comch_producer *producer, uint32_t id,
                                         int err)
{
    if (err == -ESHUTDOWN)
        return refuse_id(producer, id);
    if (err == -EBADMSG)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, "doca_task_submit",
                         producer->ctx.name, "consumer",
                         "%u, whose page holds nonsense" CORE_REMEDY "close the connection", id);
    return CORE_FAIL(DOCA_ERROR_AGAIN, CORE_LOG_COMCH, "doca_task_submit", producer->ctx.name,
                     "posted buffers",
                     "none at consumer %u" CORE_REMEDY "submit again; this ends by itself", id);
}

/* The channel has room for all tasks, but may refuse for a moment: the post is given back. */
static OD_COLD doca_error_t give_back(struct doca_comch_producer *producer,
                                      struct doca_comch_producer_task_send *task)
{
    const struct comch_arrival nothing = {.producer = producer->end.id, .is_void = true};

    comch_posts_deliver(&task->target->posts, &task->claim, &nothing, NULL);
    comch_target_ring(task->target);
    return CORE_FAIL(DOCA_ERROR_AGAIN, CORE_LOG_COMCH, "doca_task_submit", producer->ctx.name,
                     "copy engine", "busy" CORE_REMEDY "call doca_pe_progress() and submit again");
}

static doca_error_t copy_data(struct doca_comch_producer *producer,
                              struct doca_comch_producer_task_send *task)
{
    const struct doca_buf *buf = task->buf;

    if (task->job.len == 0) {
        comch_producer_conclude(producer, task, 0);
        return DOCA_SUCCESS;
    }
    task->src = (struct soft_seg){(uintptr_t)buf->data, buf->data_len, buf->mmap->peer};
    task->dst = (struct soft_seg){task->claim.addr, buf->data_len, task->target->data};
    task->job.src = &task->src;
    task->job.dst = &task->dst;
    task->job.nsrc = 1;
    task->job.ndst = 1;
    if (od_unlikely(producer->chan->ops->submit(producer->chan, &task->job) != 0))
        return give_back(producer, task);
    if (task->job.len <= EAGER_BYTES)
        comch_producer_copy(producer);
    return DOCA_SUCCESS;
}

static OD_COLD void fail_too_long(struct doca_comch_producer *producer,
                                  struct doca_comch_producer_task_send *task)
{
    task->finished = true;
    task->fate = CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, "doca_task_submit",
                           producer->ctx.name, "data length",
                           "%" PRIu64 " bytes, above the room in the oldest buffer of consumer %u",
                           task->job.len, task->consumer_id);
}

static doca_error_t submit(struct doca_task *base, bool flush)
{
    struct doca_comch_producer_task_send *task = from_task(base);
    struct doca_comch_producer *producer = producer_of(base);
    struct comch_target *target = comch_producer_target(producer, task->consumer_id);
    doca_error_t result = DOCA_SUCCESS;
    int err;

    (void)flush; /* a held back transfer would only keep a posted buffer */
    if (od_likely(task->buf != NULL))
        result = check_buf(producer, task->buf, "doca_task_submit");
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(target == NULL))
        return refuse_id(producer, task->consumer_id);
    if (od_unlikely(task->imm_len > target->posts.imm_len ||
                    task->imm_len > caps_of(producer)->comch_max_imm_len))
        return refuse_imm(producer, task->imm_len,
                          OD_MIN(target->posts.imm_len, caps_of(producer)->comch_max_imm_len),
                          "consumer or the device", "doca_task_submit");

    task->job.len = task->buf != NULL ? task->buf->data_len : 0;
    task->target = target;
    task->finished = false;
    err = comch_posts_claim(&target->posts, task->job.len, &task->claim);
    if (od_likely(err == 0))
        result = copy_data(producer, task);
    else if (err == -EMSGSIZE)
        fail_too_long(producer, task);
    else
        result = refuse_claim(producer, task->consumer_id, err);
    if (od_likely(result == DOCA_SUCCESS))
        core_task_queue_push(&producer->order, base);
    return result;
}

static doca_error_t validate(struct doca_task *base)
{
    (void)base; /* all that can be known is checked by every submit */
    return DOCA_SUCCESS;
}

static void deliver(struct doca_task *base)
{
    struct doca_comch_producer *producer = producer_of(base);
    doca_comch_producer_task_send_completion_cb_t cb =
        od_likely(base->status == DOCA_SUCCESS) ? producer->done_cb : producer->error_cb;

    cb(from_task(base), base->user_data, producer->ctx.user_data);
}

const struct core_task_ops comch_transfer_ops = {
    .submit = submit,
    .validate = validate,
    .deliver = deliver,
};

/* ------------------------------------------------------------------------------------------------
 * Public calls
 */

doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    doca_error_t result;
    uint32_t max;

    if (!core_is_live(CORE_LIVE_COMCH_PRODUCER, producer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "producer", producer);
    if (task_completion_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "task_completion_cb");
    if (task_error_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "task_error_cb");
    result = core_ctx_check_idle(&producer->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    max = caps_of(producer)->comch_max_fast_tasks;
    if (num_send_tasks == 0 || num_send_tasks > max)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, __func__, producer->ctx.name,
                         "num_send_tasks",
                         "%u" CORE_LIMIT "1..%u" CORE_REMEDY
                         "stay within doca_comch_producer_cap_get_max_num_tasks()",
                         num_send_tasks, max);
    producer->done_cb = task_completion_cb;
    producer->error_cb = task_error_cb;
    producer->pool.num = num_send_tasks;
    return DOCA_SUCCESS;
}

/* Keeps a copy of as much as there is room for; what is longer is refused at submit. */
static void set_imm(struct doca_comch_producer_task_send *task, const uint8_t *imm, uint32_t len)
{
    uint32_t max = caps_of(producer_of(&task->base))->comch_max_imm_len;

    task->imm_len = len;
    if (imm != NULL && len > 0)
        memcpy(task->imm, imm, OD_MIN(len, max));
}

static doca_error_t check_alloc(const struct doca_comch_producer *producer,
                                const struct doca_buf *buf, const uint8_t *imm, uint32_t imm_len,
                                const char *func)
{
    uint32_t max = caps_of(producer)->comch_max_imm_len;

    if ((imm == NULL) != (imm_len == 0))
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, producer->ctx.name, "imm_data",
            "%s with a length of %u" CORE_LIMIT "bytes and their number, or NULL and 0",
            imm == NULL ? "NULL" : "bytes", imm_len);
    if (buf == NULL && imm == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, producer->ctx.name, "buf",
                         "NULL, and no immediate data" CORE_REMEDY "give at least one of them");
    if (imm_len > max)
        return refuse_imm(producer, imm_len, max, "device", func);
    return buf != NULL ? check_buf(producer, buf, func) : DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task)
{
    struct doca_comch_producer_task_send *created;
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_COMCH_PRODUCER, producer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "producer", producer);
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "task");
    if (producer->ctx.state == DOCA_CTX_STATE_RUNNING) {
        result = check_alloc(producer, buf, imm_data, imm_data_len, __func__);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = core_task_alloc(&producer->pool, (union doca_data){.u64 = 0}, __func__, &base);
    if (result != DOCA_SUCCESS)
        return result;
    created = from_task(base);
    created->buf = buf;
    created->consumer_id = consumer_id;
    set_imm(created, imm_data, imm_data_len);
    *task = created;
    return DOCA_SUCCESS;
}

const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
    return core_task_is_live(task, __func__) ? task->buf : NULL;
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf)
{
    if (core_task_is_live(task, __func__))
        task->buf = buf;
}

uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task)
{
    return core_task_is_live(task, __func__) ? task->consumer_id : 0;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
                                                   const uint32_t consumer_id)
{
    if (core_task_is_live(task, __func__))
        task->consumer_id = consumer_id;
}

uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task)
{
    return core_task_is_live(task, __func__) && task->imm_len > 0 ? (uint8_t *)task->imm : NULL;
}

uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
    return core_task_is_live(task, __func__) ? task->imm_len : 0;
}

void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
                                                uint8_t *imm_data, uint32_t imm_data_len)
{
    if (core_task_is_live(task, __func__))
        set_imm(task, imm_data, imm_data != NULL ? imm_data_len : 0);
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
    return task != NULL ? &task->base : NULL;
}

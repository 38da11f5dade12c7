/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/rxq_priv.h"

#include <errno.h>

static struct doca_eth_rxq_task_recv *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_eth_rxq_task_recv, base);
}

static struct doca_eth_rxq *rxq_of(const struct doca_task *task)
{
    return eth_rxq_of(task->ctx);
}

/* ------------------------------------------------------------------------------------------------
 * Submitting
 */

static OD_COLD doca_error_t refuse_pkt(const struct doca_eth_rxq *rxq, const struct doca_buf *pkt,
                                       const char *func)
{
    const char *what = pkt == NULL          ? "NULL"
                       : pkt->refcount == 0 ? "a buffer that was released"
                       : !pkt->is_head      ? "a later element of a list"
                       : pkt->mmap->peer != NULL || !core_mmap_has_dev(pkt->mmap, rxq->ctx.dev)
                           ? "in a memory map that the device does not reach"
                       : !core_mmap_can_write(pkt->mmap) ? "in a memory map without write access"
                                                         : "too long a list, or without room";

    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, rxq->ctx.name, "pkt",
                     "%s" CORE_LIMIT "a buffer, or a list of up to %u, in memory of the device",
                     what, rxq->max_list);
}

static uint32_t room_of(const struct doca_buf *buf)
{
    size_t offset = (size_t)(buf->data - buf->head);

    return offset > buf->len ? 0 : (uint32_t)OD_MIN(buf->len - offset, (size_t)UINT16_MAX);
}

static bool is_good(const struct doca_eth_rxq *rxq, const struct doca_buf *pkt)
{
    return od_likely(pkt != NULL) && pkt->refcount != 0 && pkt->is_head &&
           pkt->list_len <= rxq->max_list && pkt->mmap->peer == NULL &&
           core_mmap_has_dev(pkt->mmap, rxq->ctx.dev) && core_mmap_can_write(pkt->mmap) &&
           room_of(pkt) > 0;
}

static void describe(struct doca_eth_rxq_task_recv *task, struct soft_nic_post *post)
{
    post->cookie = task;
    post->pieces = NULL;
    post->place = (struct soft_nic_piece){task->pkt->data, room_of(task->pkt)};
    if (od_likely(task->pkt->next == NULL))
        return;
    post->pieces = task->pieces;
    post->npieces = 0;
    post->room = 0;
    for (struct doca_buf *buf = task->pkt; buf != NULL; buf = buf->next) {
        task->pieces[post->npieces] = (struct soft_nic_piece){buf->data, room_of(buf)};
        post->room += task->pieces[post->npieces++].len;
    }
}

static doca_error_t submit(struct doca_task *base, bool flush)
{
    struct doca_eth_rxq_task_recv *task = from_task(base);
    struct doca_eth_rxq *rxq = rxq_of(base);
    struct soft_nic_post *post;

    (void)flush; /* a place that is held back is of no use */
    if (od_unlikely(!is_good(rxq, task->pkt)))
        return refuse_pkt(rxq, task->pkt, "doca_task_submit");
    post = soft_nic_rxq_next(rxq->queue);
    if (od_unlikely(post == NULL))
        return CORE_ANSWER(DOCA_ERROR_AGAIN, CORE_LOG_ETH, "doca_task_submit", rxq->ctx.name,
                           "receive tasks in flight",
                           "%u" CORE_LIMIT "the burst size" CORE_REMEDY "progress, then submit",
                           rxq->burst);
    describe(task, post);
    soft_nic_rxq_post(rxq->queue);
    return DOCA_SUCCESS;
}

static doca_error_t validate(struct doca_task *base)
{
    struct doca_eth_rxq *rxq = rxq_of(base);
    const struct doca_buf *pkt = from_task(base)->pkt;

    return is_good(rxq, pkt) ? DOCA_SUCCESS : refuse_pkt(rxq, pkt, "doca_task_try_submit");
}

static void deliver(struct doca_task *base)
{
    struct doca_eth_rxq *rxq = rxq_of(base);
    doca_eth_rxq_task_recv_completion_cb_t cb =
        od_likely(base->status == DOCA_SUCCESS) ? rxq->recv_cb : rxq->recv_error_cb;

    cb(from_task(base), base->user_data, rxq->ctx.user_data);
}

const struct core_task_ops eth_rxq_recv_ops = {
    .submit = submit,
    .validate = validate,
    .deliver = deliver,
};

/* ------------------------------------------------------------------------------------------------
 * Completing
 */

static void set_data_len(struct doca_buf *pkt, uint32_t len)
{
    for (struct doca_buf *buf = pkt; buf != NULL; buf = buf->next) {
        buf->data_len = OD_MIN(len, room_of(buf));
        len -= (uint32_t)buf->data_len;
    }
}

static doca_error_t status_of(const struct doca_eth_rxq *rxq, const struct soft_nic_post *post)
{
    if (od_likely(post->status == 0))
        return DOCA_SUCCESS;
    if (post->status == -ECANCELED)
        return DOCA_ERROR_IO_FAILED;
    return CORE_FAIL(DOCA_ERROR_TOO_BIG, CORE_LOG_ETH, "doca_pe_progress", rxq->ctx.name, "packet",
                     "%u bytes" CORE_LIMIT "%u of the buffer" CORE_REMEDY
                     "submit larger buffers, or a list",
                     post->len, post->room);
}

bool eth_rxq_recv_step(struct doca_eth_rxq *rxq)
{
    struct soft_nic_post *post = soft_nic_rxq_take(rxq->queue);
    struct doca_eth_rxq_task_recv *task;
    doca_error_t status;

    if (post == NULL)
        return false;
    task = post->cookie;
    status = status_of(rxq, post);
    if (od_likely(status == DOCA_SUCCESS)) {
        task->meta = post->meta;
        set_data_len(task->pkt, post->len);
    }
    soft_nic_rxq_done(rxq->queue);
    core_task_complete(&task->base, status);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Public calls
 */

doca_error_t doca_eth_rxq_task_recv_set_conf(
    struct doca_eth_rxq *eth_rxq, doca_eth_rxq_task_recv_completion_cb_t task_completion_cb,
    doca_eth_rxq_task_recv_completion_cb_t task_error_cb, uint32_t task_recv_num)
{
    doca_error_t result = eth_rxq_check_idle(eth_rxq, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (task_completion_cb == NULL || task_error_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "callback");
    if (task_recv_num == 0 || task_recv_num > ETH_RXQ_BURST_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, __func__, eth_rxq->ctx.name,
                         "task_recv_num", "%u" CORE_LIMIT "1..%u", task_recv_num,
                         ETH_RXQ_BURST_MAX);
    eth_rxq->recv_cb = task_completion_cb;
    eth_rxq->recv_error_cb = task_error_cb;
    eth_rxq->tasks.num = task_recv_num;
    return DOCA_SUCCESS;
}

static doca_error_t check_alloc(const struct doca_eth_rxq *rxq, const struct doca_buf *pkt,
                                const char *func)
{
    if (rxq->tasks.num == 0)
        return CORE_FAIL(
            DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, rxq->ctx.name, "receive task",
            "not configured" CORE_REMEDY "call doca_eth_rxq_task_recv_set_conf() before the start");
    if (rxq->ctx.state == DOCA_CTX_STATE_RUNNING && rxq->type != DOCA_ETH_RXQ_TYPE_REGULAR)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, rxq->ctx.name, "type",
                         "not REGULAR" CORE_LIMIT "REGULAR" CORE_REMEDY "register for events");
    if (rxq->ctx.state == DOCA_CTX_STATE_RUNNING && !is_good(rxq, pkt))
        return refuse_pkt(rxq, pkt, func);
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_rxq_task_recv_allocate_init(struct doca_eth_rxq *eth_rxq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_rxq_task_recv **task_recv)
{
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_ETH_RXQ, eth_rxq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_rxq", eth_rxq);
    if (task_recv == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "task_recv");
    result = check_alloc(eth_rxq, pkt, __func__);
    if (result == DOCA_SUCCESS)
        result = core_task_alloc(&eth_rxq->tasks, user_data, __func__, &base);
    if (result != DOCA_SUCCESS)
        return result;
    *task_recv = from_task(base);
    (*task_recv)->pkt = pkt;
    (*task_recv)->meta = (struct soft_nic_meta){0};
    return DOCA_SUCCESS;
}

void doca_eth_rxq_task_recv_set_pkt(struct doca_eth_rxq_task_recv *task_recv, struct doca_buf *pkt)
{
    if (core_task_is_live(task_recv, __func__))
        task_recv->pkt = pkt;
}

doca_error_t doca_eth_rxq_task_recv_get_pkt(const struct doca_eth_rxq_task_recv *task_recv,
                                            struct doca_buf **pkt)
{
    if (!core_is_live(CORE_LIVE_TASK, task_recv))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "task_recv", task_recv);
    if (pkt == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "pkt");
    *pkt = task_recv->pkt;
    return DOCA_SUCCESS;
}

struct doca_task *doca_eth_rxq_task_recv_as_doca_task(struct doca_eth_rxq_task_recv *task_recv)
{
    return task_recv != NULL ? &task_recv->base : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/txq_priv.h"

#include <stdlib.h>

#define TASKS_MAX (1u << 20)

static struct doca_eth_txq *txq_of(const struct doca_task *task)
{
    return eth_txq_of(task->ctx);
}

static struct doca_eth_txq_task_send *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_eth_txq_task_send, base);
}

static struct doca_eth_txq_task_lso_send *lso_from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_eth_txq_task_lso_send, base);
}

/* ------------------------------------------------------------------------------------------------
 * Units of one task
 */

static void fail_single(struct eth_tx_unit *unit, uint32_t task, doca_error_t status)
{
    (void)task;
    if (unit->status == DOCA_SUCCESS)
        unit->status = status;
}

static void send_item(const struct eth_tx_unit *unit, uint32_t task, struct eth_tx_item *item)
{
    const struct doca_eth_txq_task_send *send =
        OD_CONTAINER_OF(unit, const struct doca_eth_txq_task_send, unit);

    (void)task;
    *item = (struct eth_tx_item){.pkt = send->pkt, .ol_flags = send->ol_flags};
}

static void send_complete(struct eth_tx_unit *unit)
{
    core_task_complete(&OD_CONTAINER_OF(unit, struct doca_eth_txq_task_send, unit)->base,
                       unit->status);
}

static void lso_item(const struct eth_tx_unit *unit, uint32_t task, struct eth_tx_item *item)
{
    struct doca_eth_txq_task_lso_send *lso =
        OD_CONTAINER_OF(unit, struct doca_eth_txq_task_lso_send, unit);

    (void)task;
    *item = (struct eth_tx_item){
        .pkt = lso->pkt, .headers = &lso->copied, .mss = lso->mss, .ol_flags = lso->ol_flags};
}

static void lso_complete(struct eth_tx_unit *unit)
{
    core_task_complete(&OD_CONTAINER_OF(unit, struct doca_eth_txq_task_lso_send, unit)->base,
                       unit->status);
}

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

static doca_error_t send_submit(struct doca_task *base, bool flush)
{
    struct doca_eth_txq *txq = txq_of(base);
    struct doca_eth_txq_task_send *task = from_task(base);
    doca_error_t result = eth_txq_check_pkt(txq, task->pkt, "doca_task_submit");

    (void)flush; /* frames are put together in progress anyway */
    return od_likely(result == DOCA_SUCCESS) ? eth_txq_submit(txq, &task->unit, "doca_task_submit")
                                             : result;
}

static doca_error_t send_validate(struct doca_task *base)
{
    return eth_txq_check_pkt(txq_of(base), from_task(base)->pkt, "doca_task_try_submit");
}

static void send_deliver(struct doca_task *base)
{
    struct doca_eth_txq *txq = txq_of(base);
    doca_eth_txq_task_send_completion_cb_t cb =
        od_likely(base->status == DOCA_SUCCESS) ? txq->send_cb : txq->send_error_cb;

    cb(from_task(base), base->user_data, txq->ctx.user_data);
}

const struct core_task_ops eth_txq_send_ops = {
    .submit = send_submit,
    .validate = send_validate,
    .deliver = send_deliver,
};

static doca_error_t check_lso(const struct doca_eth_txq *txq, const struct doca_buf *pkt,
                              const struct doca_gather_list *headers, const char *func)
{
    doca_error_t result = eth_txq_check_pkt(txq, pkt, func);

    return result == DOCA_SUCCESS ? eth_txq_check_headers(txq, headers, func) : result;
}

static doca_error_t lso_submit(struct doca_task *base, bool flush)
{
    struct doca_eth_txq *txq = txq_of(base);
    struct doca_eth_txq_task_lso_send *task = lso_from_task(base);
    doca_error_t result = check_lso(txq, task->pkt, task->headers, "doca_task_submit");

    (void)flush;
    if (result != DOCA_SUCCESS)
        return result;
    task->copied = (struct doca_gather_list){
        .addr = task->header, .len = eth_txq_copy_headers(task->headers, task->header)};
    return eth_txq_submit(txq, &task->unit, "doca_task_submit");
}

static doca_error_t lso_validate(struct doca_task *base)
{
    const struct doca_eth_txq_task_lso_send *task = lso_from_task(base);

    return check_lso(txq_of(base), task->pkt, task->headers, "doca_task_try_submit");
}

static void lso_deliver(struct doca_task *base)
{
    struct doca_eth_txq *txq = txq_of(base);
    doca_eth_txq_task_lso_send_completion_cb_t cb =
        od_likely(base->status == DOCA_SUCCESS) ? txq->lso_cb : txq->lso_error_cb;

    cb(lso_from_task(base), base->user_data, txq->ctx.user_data);
}

const struct core_task_ops eth_txq_lso_ops = {
    .submit = lso_submit,
    .validate = lso_validate,
    .deliver = lso_deliver,
};

/* ------------------------------------------------------------------------------------------------
 * Configuration
 */

static doca_error_t check_conf(struct doca_eth_txq *txq, bool has_callbacks, uint32_t num,
                               const char *func)
{
    doca_error_t result = eth_txq_check_idle(txq, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (!has_callbacks)
        return CORE_FAIL_NULL(CORE_LOG_ETH, func, "callback");
    if (num == 0 || num > TASKS_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, txq->ctx.name,
                         "number of tasks", "%u" CORE_LIMIT "1..%u", num, TASKS_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_task_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_send_completion_cb_t task_error_cb, uint32_t task_send_num)
{
    doca_error_t result = check_conf(eth_txq, task_completion_cb != NULL && task_error_cb != NULL,
                                     task_send_num, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    eth_txq->send_cb = task_completion_cb;
    eth_txq->send_error_cb = task_error_cb;
    eth_txq->sends.num = task_send_num;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_task_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_lso_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_lso_send_completion_cb_t task_error_cb, uint32_t task_lso_send_num)
{
    doca_error_t result = check_conf(eth_txq, task_completion_cb != NULL && task_error_cb != NULL,
                                     task_lso_send_num, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    eth_txq->lso_cb = task_completion_cb;
    eth_txq->lso_error_cb = task_error_cb;
    eth_txq->lsos.num = task_lso_send_num;
    return DOCA_SUCCESS;
}

/* More tasks have memory of their own, but are handed out by the pool that there was. */
static doca_error_t grow(struct core_task_pool *pool, struct eth_tx_growth **growths, uint32_t num)
{
    struct eth_tx_growth *growth = calloc(1, sizeof(*growth));

    if (growth == NULL)
        return DOCA_ERROR_NO_MEMORY;
    core_task_pool_init(&growth->pool, pool->ctx, pool->ops, pool->task_size);
    growth->pool.num = num;
    if (core_task_pool_open(&growth->pool) != DOCA_SUCCESS) {
        free(growth);
        return DOCA_ERROR_NO_MEMORY;
    }
    while (growth->pool.free != NULL) {
        struct doca_task *task = growth->pool.free;

        growth->pool.free = task->next;
        task->pool = pool;
        task->next = pool->free;
        pool->free = task;
    }
    growth->next = *growths;
    *growths = growth;
    return DOCA_SUCCESS;
}

static uint32_t total_of(const struct core_task_pool *pool, const struct eth_tx_growth *growth)
{
    uint32_t total = pool->num;

    for (; growth != NULL; growth = growth->next)
        total += growth->pool.num;
    return total;
}

static doca_error_t expand(struct doca_eth_txq *txq, struct core_task_pool *pool,
                           struct eth_tx_growth **growths, uint32_t num, const char *func)
{
    doca_error_t result = eth_txq_check_running(txq, func);
    uint32_t total;

    if (result != DOCA_SUCCESS)
        return result;
    if (pool->num == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, func, txq->ctx.name, "tasks",
                         "not configured" CORE_REMEDY "configure them before the start");
    if (num == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, txq->ctx.name, "tasks",
                         "0" CORE_LIMIT "at least 1");
    total = total_of(pool, *growths);
    if (num > TASKS_MAX - total)
        return CORE_FAIL(DOCA_ERROR_TOO_BIG, CORE_LOG_ETH, func, txq->ctx.name, "tasks",
                         "%u beside %u" CORE_LIMIT "%u together", num, total, TASKS_MAX);
    if (grow(pool, growths, num) != DOCA_SUCCESS)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_ETH, func, txq->ctx.name, "tasks",
                         "%u" CORE_REMEDY "ask for fewer", num);
    return DOCA_SUCCESS;
}

static void free_growths(struct eth_tx_growth **growths)
{
    while (*growths != NULL) {
        struct eth_tx_growth *growth = *growths;

        *growths = growth->next;
        core_task_pool_close(&growth->pool);
        free(growth);
    }
}

void eth_txq_free_growth(struct doca_eth_txq *txq)
{
    free_growths(&txq->more_sends);
    free_growths(&txq->more_lsos);
}

doca_error_t doca_eth_txq_task_send_num_expand(struct doca_eth_txq *eth_txq, uint32_t task_send_num)
{
    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    return expand(eth_txq, &eth_txq->sends, &eth_txq->more_sends, task_send_num, __func__);
}

doca_error_t doca_eth_txq_task_lso_send_num_expand(struct doca_eth_txq *eth_txq,
                                                   uint32_t task_lso_send_num)
{
    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    return expand(eth_txq, &eth_txq->lsos, &eth_txq->more_lsos, task_lso_send_num, __func__);
}

/* ------------------------------------------------------------------------------------------------
 * Allocation
 */

static doca_error_t check_pool(struct doca_eth_txq *txq, const struct core_task_pool *pool,
                               const char *func)
{
    if (pool->num > 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, txq->ctx.name, "tasks",
                     "not configured" CORE_REMEDY "configure them before the start");
}

doca_error_t doca_eth_txq_task_send_allocate_init(struct doca_eth_txq *eth_txq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_txq_task_send **task_send)
{
    struct doca_eth_txq_task_send *task;
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    if (task_send == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "task_send");
    result = check_pool(eth_txq, &eth_txq->sends, __func__);
    if (result == DOCA_SUCCESS)
        result = eth_txq_check_pkt(eth_txq, pkt, __func__);
    if (result == DOCA_SUCCESS)
        result = core_task_alloc(&eth_txq->sends, user_data, __func__, &base);
    if (result != DOCA_SUCCESS)
        return result;
    task = from_task(base);
    task->unit = (struct eth_tx_unit){
        .ntasks = 1, .item = send_item, .fail = fail_single, .complete = send_complete};
    task->pkt = pkt;
    task->ol_flags = eth_txq->ol_flags;
    *task_send = task;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_task_lso_send_allocate_init(
    struct doca_eth_txq *eth_txq, struct doca_buf *pkt_payload, struct doca_gather_list *headers,
    union doca_data user_data, struct doca_eth_txq_task_lso_send **task_lso_send)
{
    struct doca_eth_txq_task_lso_send *task;
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    if (task_lso_send == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "task_lso_send");
    result = check_pool(eth_txq, &eth_txq->lsos, __func__);
    if (result == DOCA_SUCCESS)
        result = check_lso(eth_txq, pkt_payload, headers, __func__);
    if (result == DOCA_SUCCESS)
        result = core_task_alloc(&eth_txq->lsos, user_data, __func__, &base);
    if (result != DOCA_SUCCESS)
        return result;
    task = lso_from_task(base);
    task->unit = (struct eth_tx_unit){.ntasks = 1,
                                      .is_lso = true,
                                      .item = lso_item,
                                      .fail = fail_single,
                                      .complete = lso_complete};
    task->pkt = pkt_payload;
    task->headers = headers;
    task->mss = (uint16_t)eth_txq->mss;
    task->ol_flags = eth_txq->ol_flags;
    *task_lso_send = task;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * What tasks carry
 */

static doca_error_t check_task(const void *task, const void *output, const char *func)
{
    if (!core_is_live(CORE_LIVE_TASK, task))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "task", task);
    return output != NULL ? DOCA_SUCCESS : CORE_FAIL_NULL(CORE_LOG_ETH, func, "output");
}

void doca_eth_txq_task_send_set_pkt(struct doca_eth_txq_task_send *task_send, struct doca_buf *pkt)
{
    if (core_task_is_live(task_send, __func__))
        task_send->pkt = pkt;
}

void doca_eth_txq_task_lso_send_set_pkt_payload(struct doca_eth_txq_task_lso_send *task_lso_send,
                                                struct doca_buf *pkt_payload)
{
    if (core_task_is_live(task_lso_send, __func__))
        task_lso_send->pkt = pkt_payload;
}

void doca_eth_txq_task_lso_send_set_headers(struct doca_eth_txq_task_lso_send *task_lso_send,
                                            struct doca_gather_list *headers)
{
    if (core_task_is_live(task_lso_send, __func__))
        task_lso_send->headers = headers;
}

doca_error_t doca_eth_txq_task_send_get_pkt(const struct doca_eth_txq_task_send *task_send,
                                            struct doca_buf **pkt)
{
    doca_error_t result = check_task(task_send, pkt, __func__);

    if (result == DOCA_SUCCESS)
        *pkt = task_send->pkt;
    return result;
}

doca_error_t
doca_eth_txq_task_lso_send_get_pkt_payload(const struct doca_eth_txq_task_lso_send *task_lso_send,
                                           struct doca_buf **pkt_payload)
{
    doca_error_t result = check_task(task_lso_send, pkt_payload, __func__);

    if (result == DOCA_SUCCESS)
        *pkt_payload = task_lso_send->pkt;
    return result;
}

doca_error_t
doca_eth_txq_task_lso_send_get_headers(const struct doca_eth_txq_task_lso_send *task_lso_send,
                                       struct doca_gather_list **headers)
{
    doca_error_t result = check_task(task_lso_send, headers, __func__);

    if (result == DOCA_SUCCESS)
        *headers = task_lso_send->headers;
    return result;
}

doca_error_t doca_eth_txq_task_send_get_metadata_array(struct doca_eth_txq_task_send *task_send,
                                                       uint32_t **metadata_array)
{
    doca_error_t result = check_task(task_send, metadata_array, __func__);

    if (result == DOCA_SUCCESS)
        *metadata_array = txq_of(&task_send->base)->metadata_num > 0 ? task_send->metadata : NULL;
    return result;
}

doca_error_t
doca_eth_txq_task_lso_send_get_metadata_array(struct doca_eth_txq_task_lso_send *task_lso_send,
                                              uint32_t **metadata_array)
{
    doca_error_t result = check_task(task_lso_send, metadata_array, __func__);

    if (result == DOCA_SUCCESS)
        *metadata_array =
            txq_of(&task_lso_send->base)->metadata_num > 0 ? task_lso_send->metadata : NULL;
    return result;
}

void doca_eth_txq_task_lso_send_set_mss(struct doca_eth_txq_task_lso_send *task_lso_send,
                                        uint16_t mss)
{
    if (core_task_is_live(task_lso_send, __func__))
        task_lso_send->mss = mss;
}

void doca_eth_txq_task_send_set_ol_flags(struct doca_eth_txq_task_send *task_send,
                                         uint16_t ol_flags)
{
    if (core_task_is_live(task_send, __func__))
        task_send->ol_flags = ol_flags & ETH_TXQ_OL_FLAGS;
}

void doca_eth_txq_task_lso_send_set_ol_flags(struct doca_eth_txq_task_lso_send *task_lso_send,
                                             uint16_t ol_flags)
{
    if (core_task_is_live(task_lso_send, __func__))
        task_lso_send->ol_flags = ol_flags & ETH_TXQ_OL_FLAGS;
}

struct doca_task *doca_eth_txq_task_send_as_doca_task(struct doca_eth_txq_task_send *task_send)
{
    return task_send != NULL ? &task_send->base : NULL;
}

struct doca_task *
doca_eth_txq_task_lso_send_as_doca_task(struct doca_eth_txq_task_lso_send *task_lso_send)
{
    return task_lso_send != NULL ? &task_lso_send->base : NULL;
}

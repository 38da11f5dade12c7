/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of sends and of large sends. One piece of memory each: the batch, then its arrays. */

#include "eth/txq_priv.h"

#include <stdlib.h>
#include <string.h>

#define BATCHES_MAX UINT16_MAX

struct eth_tx_batch {
    struct doca_task_batch base; /* first */
    struct eth_tx_unit unit;
    struct eth_tx_batches *of;
    struct eth_tx_batch *next;     /* free ones */
    struct eth_tx_batch *next_all; /* all of them */
    struct doca_buf **pkts;
    struct doca_gather_list **headers;
    union doca_data *user_data;
    doca_error_t *status;
    uint16_t *mss;
    uint16_t *ol_flags;
    uint32_t *metadata;
};

static struct eth_tx_batch *from_base(struct doca_task_batch *base)
{
    return OD_CONTAINER_OF(base, struct eth_tx_batch, base);
}

static struct doca_eth_txq *txq_of(const struct eth_tx_batch *batch)
{
    return eth_txq_of(batch->base.ctx);
}

/* ------------------------------------------------------------------------------------------------
 * As a unit
 */

static void item(const struct eth_tx_unit *unit, uint32_t task, struct eth_tx_item *out)
{
    const struct eth_tx_batch *batch = OD_CONTAINER_OF(unit, const struct eth_tx_batch, unit);

    *out = (struct eth_tx_item){.pkt = batch->pkts[task],
                                .headers = batch->headers[task],
                                .mss = batch->mss[task],
                                .ol_flags = batch->ol_flags[task] & ETH_TXQ_OL_FLAGS};
}

static void fail(struct eth_tx_unit *unit, uint32_t task, doca_error_t status)
{
    struct eth_tx_batch *batch = OD_CONTAINER_OF(unit, struct eth_tx_batch, unit);

    batch->status[task] = status;
    unit->status = status;
}

static void complete(struct eth_tx_unit *unit)
{
    core_batch_complete(&OD_CONTAINER_OF(unit, struct eth_tx_batch, unit)->base, unit->status);
}

/* ------------------------------------------------------------------------------------------------
 * As a batch
 */

static doca_error_t check(struct eth_tx_batch *batch, const char *func)
{
    const struct doca_eth_txq *txq = txq_of(batch);
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < batch->unit.ntasks && result == DOCA_SUCCESS; i++) {
        result = eth_txq_check_pkt(txq, batch->pkts[i], func);
        if (result == DOCA_SUCCESS && batch->unit.is_lso)
            result = eth_txq_check_headers(txq, batch->headers[i], func);
    }
    return result;
}

static doca_error_t submit(struct doca_task_batch *base)
{
    struct eth_tx_batch *batch = from_base(base);
    doca_error_t result = check(batch, "doca_task_batch_submit");

    if (result != DOCA_SUCCESS)
        return result;
    for (uint32_t i = 0; i < batch->unit.ntasks; i++)
        batch->status[i] = DOCA_SUCCESS;
    return eth_txq_submit(txq_of(batch), &batch->unit, "doca_task_batch_submit");
}

static doca_error_t validate(struct doca_task_batch *base)
{
    return check(from_base(base), "doca_task_batch_try_submit");
}

static void deliver(struct doca_task_batch *base)
{
    struct eth_tx_batch *batch = from_base(base);
    const struct eth_tx_batches *of = batch->of;
    bool good = base->status == DOCA_SUCCESS;

    if (of->is_lso)
        (good ? of->lso_cb : of->lso_error_cb)(base, base->tasks_num, base->ctx->user_data,
                                               base->user_data, batch->user_data, batch->pkts,
                                               batch->headers, batch->status);
    else
        (good ? of->send_cb : of->send_error_cb)(base, base->tasks_num, base->ctx->user_data,
                                                 base->user_data, batch->user_data, batch->pkts,
                                                 batch->status);
}

static void put(struct doca_task_batch *base)
{
    struct eth_tx_batch *batch = from_base(base);

    batch->next = batch->of->free;
    batch->of->free = batch;
}

static const struct core_batch_ops batch_ops = {
    .submit = submit,
    .validate = validate,
    .deliver = deliver,
    .put = put,
};

/* ------------------------------------------------------------------------------------------------
 * The stock
 */

static void *carve(char **memory, size_t size)
{
    char *part = *memory;

    *memory += ETH_ALIGN8(size);
    return part;
}

static size_t batch_size(uint32_t n)
{
    return ETH_ALIGN8(sizeof(struct eth_tx_batch)) + n * (3 * sizeof(void *)) +
           ETH_ALIGN8(n * sizeof(doca_error_t)) + 2 * ETH_ALIGN8(n * sizeof(uint16_t)) +
           n * SOFT_NIC_METADATA * sizeof(uint32_t);
}

static bool add(struct doca_eth_txq *txq, struct eth_tx_batches *batches)
{
    uint32_t n = batches->max_tasks;
    char *memory = calloc(1, batch_size(n));
    struct eth_tx_batch *batch;

    if (memory == NULL)
        return false;
    batch = carve(&memory, sizeof(*batch));
    batch->base.ops = &batch_ops;
    batch->base.ctx = &txq->ctx;
    batch->of = batches;
    batch->pkts = carve(&memory, n * sizeof(struct doca_buf *));
    batch->headers = carve(&memory, n * sizeof(struct doca_gather_list *));
    batch->user_data = carve(&memory, n * sizeof(union doca_data));
    batch->status = carve(&memory, n * sizeof(doca_error_t));
    batch->mss = carve(&memory, n * sizeof(uint16_t));
    batch->ol_flags = carve(&memory, n * sizeof(uint16_t));
    batch->metadata = carve(&memory, n * SOFT_NIC_METADATA * sizeof(uint32_t));
    batch->next_all = batches->all;
    batches->all = batch;
    put(&batch->base);
    return true;
}

doca_error_t eth_txq_batches_open(struct doca_eth_txq *txq, struct eth_tx_batches *batches)
{
    for (uint32_t i = 0; i < batches->num; i++) {
        if (!add(txq, batches))
            return DOCA_ERROR_NO_MEMORY;
    }
    return DOCA_SUCCESS;
}

void eth_txq_batches_close(struct eth_tx_batches *batches)
{
    while (batches->all != NULL) {
        struct eth_tx_batch *batch = batches->all;

        batches->all = batch->next_all;
        free(batch);
    }
    batches->free = NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Configuration
 */

static doca_error_t check_conf(struct doca_eth_txq *txq, unsigned int max_tasks, uint16_t num,
                               bool has_callbacks, const char *func)
{
    doca_error_t result = eth_txq_check_idle(txq, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (!has_callbacks)
        return CORE_FAIL_NULL(CORE_LOG_ETH, func, "callback");
    if (max_tasks > DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 || num == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, txq->ctx.name, "batches",
                         "%u of size %u" CORE_LIMIT
                         "at least 1, of enum doca_task_batch_max_tasks_number",
                         num, max_tasks);
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_task_batch_send_set_conf(
    struct doca_eth_txq *eth_txq, enum doca_task_batch_max_tasks_number max_tasks_number,
    uint16_t num_task_batches, doca_eth_txq_task_batch_send_completion_cb_t success_completion_cb,
    doca_eth_txq_task_batch_send_completion_cb_t error_completion_cb)
{
    doca_error_t result =
        check_conf(eth_txq, max_tasks_number, num_task_batches,
                   success_completion_cb != NULL && error_completion_cb != NULL, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    eth_txq->batches.max_tasks = 16u << max_tasks_number;
    eth_txq->batches.num = num_task_batches;
    eth_txq->batches.send_cb = success_completion_cb;
    eth_txq->batches.send_error_cb = error_completion_cb;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_task_batch_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, enum doca_task_batch_max_tasks_number max_tasks_number,
    uint16_t num_task_batches,
    doca_eth_txq_task_batch_lso_send_completion_cb_t success_completion_cb,
    doca_eth_txq_task_batch_lso_send_completion_cb_t error_completion_cb)
{
    doca_error_t result =
        check_conf(eth_txq, max_tasks_number, num_task_batches,
                   success_completion_cb != NULL && error_completion_cb != NULL, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    eth_txq->lso_batches.max_tasks = 16u << max_tasks_number;
    eth_txq->lso_batches.num = num_task_batches;
    eth_txq->lso_batches.lso_cb = success_completion_cb;
    eth_txq->lso_batches.lso_error_cb = error_completion_cb;
    return DOCA_SUCCESS;
}

static uint32_t count(const struct eth_tx_batches *batches)
{
    uint32_t n = 0;

    for (const struct eth_tx_batch *batch = batches->all; batch != NULL; batch = batch->next_all)
        n++;
    return n;
}

static doca_error_t expand(struct doca_eth_txq *txq, struct eth_tx_batches *batches, uint16_t num,
                           const char *func)
{
    doca_error_t result = eth_txq_check_running(txq, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (batches->num == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, func, txq->ctx.name, "batches",
                         "not configured" CORE_REMEDY "configure them before the start");
    if (num == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, txq->ctx.name, "batches",
                         "0" CORE_LIMIT "at least 1");
    if (count(batches) + num > BATCHES_MAX)
        return CORE_FAIL(DOCA_ERROR_TOO_BIG, CORE_LOG_ETH, func, txq->ctx.name, "batches",
                         "%u beside %u" CORE_LIMIT "%u together", num, count(batches), BATCHES_MAX);
    for (uint32_t i = 0; i < num; i++) {
        if (!add(txq, batches))
            return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_ETH, func, txq->ctx.name, "batches",
                             "%u, of which %u were added" CORE_REMEDY "ask for fewer", num, i);
    }
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_task_batch_send_num_expand(struct doca_eth_txq *eth_txq,
                                                     uint16_t task_batches_num)
{
    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    return expand(eth_txq, &eth_txq->batches, task_batches_num, __func__);
}

doca_error_t doca_eth_txq_task_batch_lso_send_num_expand(struct doca_eth_txq *eth_txq,
                                                         uint16_t task_batches_num)
{
    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    return expand(eth_txq, &eth_txq->lso_batches, task_batches_num, __func__);
}

/* ------------------------------------------------------------------------------------------------
 * Allocation
 */

static doca_error_t check_take(struct doca_eth_txq *txq, const struct eth_tx_batches *batches,
                               uint32_t num, const char *func)
{
    doca_error_t result = eth_txq_check_running(txq, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (batches->num == 0)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, txq->ctx.name, "batches",
                         "not configured" CORE_REMEDY "configure them before the start");
    if (num == 0 || num > batches->max_tasks)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, txq->ctx.name, "tasks_num",
                         "%u" CORE_LIMIT "1..%u", num, batches->max_tasks);
    if (batches->free == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_ETH, func, txq->ctx.name, "batches",
                         "all are out" CORE_LIMIT "%u" CORE_REMEDY
                         "free batches or add some with num_expand",
                         count(batches));
    return DOCA_SUCCESS;
}

static struct eth_tx_batch *take(struct doca_eth_txq *txq, struct eth_tx_batches *batches,
                                 uint16_t num, union doca_data user_data)
{
    struct eth_tx_batch *batch = batches->free;

    batches->free = batch->next;
    core_batch_taken(&batch->base, num, user_data);
    batch->unit = (struct eth_tx_unit){
        .ntasks = num, .is_lso = batches->is_lso, .item = item, .fail = fail, .complete = complete};
    memset(batch->pkts, 0, num * sizeof(struct doca_buf *));
    for (uint32_t i = 0; i < num; i++) {
        batch->mss[i] = (uint16_t)txq->mss;
        batch->ol_flags[i] = txq->ol_flags;
    }
    return batch;
}

doca_error_t doca_eth_txq_task_batch_send_allocate(struct doca_eth_txq *eth_txq, uint16_t tasks_num,
                                                   union doca_data task_batch_user_data,
                                                   struct doca_buf ***pkt_array,
                                                   union doca_data **task_user_data_array,
                                                   struct doca_task_batch **task_batch)
{
    struct eth_tx_batch *batch;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    if (pkt_array == NULL || task_user_data_array == NULL || task_batch == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "output");
    result = check_take(eth_txq, &eth_txq->batches, tasks_num, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    batch = take(eth_txq, &eth_txq->batches, tasks_num, task_batch_user_data);
    *pkt_array = batch->pkts;
    *task_user_data_array = batch->user_data;
    *task_batch = &batch->base;
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_task_batch_lso_send_allocate(
    struct doca_eth_txq *eth_txq, uint16_t tasks_num, union doca_data task_batch_user_data,
    struct doca_buf ***pkt_payload_array, struct doca_gather_list ***headers_array,
    union doca_data **task_user_data_array, struct doca_task_batch **task_batch)
{
    struct eth_tx_batch *batch;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    if (pkt_payload_array == NULL || headers_array == NULL || task_user_data_array == NULL ||
        task_batch == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "output");
    result = check_take(eth_txq, &eth_txq->lso_batches, tasks_num, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    batch = take(eth_txq, &eth_txq->lso_batches, tasks_num, task_batch_user_data);
    *pkt_payload_array = batch->pkts;
    *headers_array = batch->headers;
    *task_user_data_array = batch->user_data;
    *task_batch = &batch->base;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * What batches carry
 */

/* NULL, logged: not a batch of this kind. */
static struct eth_tx_batch *own(struct doca_task_batch *base, bool is_lso, const void *output,
                                const char *func)
{
    struct eth_tx_batch *batch = base != NULL ? from_base(base) : NULL;

    if (base == NULL || output == NULL) {
        CORE_FAIL_NULL(CORE_LOG_ETH, func, base == NULL ? "task_batch" : "output");
        return NULL;
    }
    if (base->ops == &batch_ops && batch->of->is_lso == is_lso)
        return batch;
    CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, base->ctx->name, "task_batch",
              "%p, of another kind", (void *)base);
    return NULL;
}

static doca_error_t get_metadata(struct doca_task_batch *base, bool is_lso, uint32_t **out,
                                 const char *func)
{
    struct eth_tx_batch *batch = own(base, is_lso, out, func);

    if (batch == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *out = txq_of(batch)->metadata_num > 0 ? batch->metadata : NULL;
    return DOCA_SUCCESS;
}

static doca_error_t get_ol_flags(struct doca_task_batch *base, bool is_lso, uint16_t **out,
                                 const char *func)
{
    struct eth_tx_batch *batch = own(base, is_lso, out, func);

    if (batch == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *out = batch->ol_flags;
    return DOCA_SUCCESS;
}

doca_error_t
doca_eth_txq_task_batch_send_get_metadata_array(struct doca_task_batch *task_batch_send,
                                                uint32_t **metadata_array)
{
    return get_metadata(task_batch_send, false, metadata_array, __func__);
}

doca_error_t
doca_eth_txq_task_batch_lso_send_get_metadata_array(struct doca_task_batch *task_batch_lso_send,
                                                    uint32_t **metadata_array)
{
    return get_metadata(task_batch_lso_send, true, metadata_array, __func__);
}

doca_error_t
doca_eth_txq_task_batch_lso_send_get_mss_array(struct doca_task_batch *task_batch_lso_send,
                                               uint16_t **mss_array)
{
    struct eth_tx_batch *batch = own(task_batch_lso_send, true, mss_array, __func__);

    if (batch == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *mss_array = batch->mss;
    return DOCA_SUCCESS;
}

doca_error_t
doca_eth_txq_task_batch_send_get_ol_flags_array(struct doca_task_batch *task_batch_send,
                                                uint16_t **ol_flags_array)
{
    return get_ol_flags(task_batch_send, false, ol_flags_array, __func__);
}

doca_error_t
doca_eth_txq_task_batch_lso_send_get_ol_flags_array(struct doca_task_batch *task_batch_lso_send,
                                                    uint16_t **ol_flags_array)
{
    return get_ol_flags(task_batch_lso_send, true, ol_flags_array, __func__);
}

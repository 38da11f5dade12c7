/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/txq_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char start_func[] = "doca_ctx_start";

/* ------------------------------------------------------------------------------------------------
 * Start
 */

static doca_error_t check_start(const struct doca_eth_txq *txq)
{
    if (txq->sends.num == 0 && txq->lsos.num == 0 && txq->batches.num == 0 &&
        txq->lso_batches.num == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, start_func, txq->ctx.name, "send task",
                         "not configured" CORE_REMEDY
                         "call doca_eth_txq_task_send_set_conf() or its like before the start");
    return DOCA_SUCCESS;
}

static void close_memory(struct doca_eth_txq *txq)
{
    eth_txq_batches_close(&txq->lso_batches);
    eth_txq_batches_close(&txq->batches);
    eth_txq_free_growth(txq);
    core_task_pool_close(&txq->lsos);
    core_task_pool_close(&txq->sends);
    free(txq->scratch);
    txq->scratch = NULL;
}

static int open_memory(struct doca_eth_txq *txq)
{
    txq->scratch_size = SOFT_NIC_FRAME_MAX;
    txq->scratch = malloc((size_t)ETH_TXQ_FRAMES * txq->scratch_size);
    if (txq->scratch == NULL || core_task_pool_open(&txq->sends) != DOCA_SUCCESS ||
        core_task_pool_open(&txq->lsos) != DOCA_SUCCESS ||
        eth_txq_batches_open(txq, &txq->batches) != DOCA_SUCCESS ||
        eth_txq_batches_open(txq, &txq->lso_batches) != DOCA_SUCCESS)
        return soft_fail(-ENOMEM, "no memory for the tasks");
    return 0;
}

static int open_queue(struct doca_eth_txq *txq)
{
    int err = soft_nic_port_hold(txq->ctx.dev->info.soft, &txq->port);

    if (err != 0)
        return err;
    err = soft_nic_txq_open(txq->port, &txq->queue);
    if (err == 0)
        return 0;
    soft_nic_port_release(txq->port);
    txq->port = NULL;
    return err;
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_eth_txq *txq = eth_txq_of(ctx);
    doca_error_t result;
    int err;

    if (ctx->gpu != NULL)
        return eth_txq_gpu_start(txq, start_func);
    result = check_start(txq);
    if (result != DOCA_SUCCESS)
        return result;
    err = open_memory(txq);
    if (err == 0)
        err = open_queue(txq);
    if (err != 0) {
        result = eth_fail_port(&txq->ctx, err, start_func);
        close_memory(txq);
        return result;
    }
    txq->id_is_applied = false;
    txq->inflight = 0;
    txq->first = txq->last = txq->making = NULL;
    txq->nmade = txq->nsent = 0;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Progress
 */

doca_error_t eth_txq_submit(struct doca_eth_txq *txq, struct eth_tx_unit *unit, const char *func)
{
    if (od_unlikely(unit->ntasks > txq->burst - txq->inflight))
        return CORE_ANSWER(DOCA_ERROR_AGAIN, CORE_LOG_ETH, func, txq->ctx.name, "packets in flight",
                           "%u and %u more" CORE_LIMIT "%u" CORE_REMEDY "progress, then submit",
                           txq->inflight, unit->ntasks, txq->burst);
    txq->inflight += unit->ntasks;
    unit->next = NULL;
    unit->task = 0;
    unit->offset = 0;
    unit->pending = 0;
    unit->status = DOCA_SUCCESS;
    if (txq->first == NULL)
        txq->first = unit;
    else
        txq->last->next = unit;
    txq->last = unit;
    if (txq->making == NULL)
        txq->making = unit;
    return DOCA_SUCCESS;
}

/* What became of the frames that are over. */
static void note(struct doca_eth_txq *txq, uint32_t num)
{
    for (uint32_t i = txq->nsent; i < txq->nsent + num; i++) {
        struct eth_tx_unit *unit = txq->made[i].unit;

        unit->pending--;
        if (od_unlikely(txq->frames[i].status != 0)) {
            CORE_WARN(CORE_LOG_ETH, "%s: a packet of %u bytes was not sent: %s", txq->ctx.name,
                      txq->frames[i].len, strerror(-txq->frames[i].status));
            unit->fail(unit, txq->made[i].task, DOCA_ERROR_IO_FAILED);
        }
    }
    txq->nsent += num;
}

static void send_some(struct doca_eth_txq *txq)
{
    if (txq->nsent == txq->nmade) {
        txq->nsent = txq->nmade = 0;
        eth_txq_make_frames(txq);
    }
    if (txq->nmade > txq->nsent)
        note(txq, soft_nic_txq_send(txq->queue, txq->frames + txq->nsent, txq->nmade - txq->nsent));
}

static bool is_over(const struct eth_tx_unit *unit)
{
    return unit->task == unit->ntasks && unit->pending == 0;
}

static bool report(struct doca_eth_txq *txq)
{
    struct eth_tx_unit *unit = txq->first;

    if (unit == NULL || !is_over(unit))
        return false;
    if (txq->making == unit)
        txq->making = unit->next;
    txq->first = unit->next;
    txq->inflight -= unit->ntasks;
    unit->complete(unit);
    return true;
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_eth_txq *txq = eth_txq_of(ctx);

    if (ctx->gpu != NULL)
        return eth_txq_event_step(txq);
    if (report(txq))
        return true;
    if (txq->first == NULL)
        return false;
    send_some(txq);
    return report(txq);
}

static bool pending(const struct doca_ctx *ctx)
{
    if (ctx->gpu != NULL)
        return eth_txq_event_is_due(eth_txq_of(ctx));
    /* A full port does not tell when it has room: it is asked. */
    return eth_txq_of(ctx)->first != NULL;
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back */
}

/* ------------------------------------------------------------------------------------------------
 * Stop
 */

/* What is not over ends here: its frames are forgotten. */
static void stopping(struct doca_ctx *ctx)
{
    struct doca_eth_txq *txq = eth_txq_of(ctx);

    for (struct eth_tx_unit *unit = txq->first; unit != NULL; unit = unit->next) {
        uint32_t task = unit->task;

        if (is_over(unit))
            continue;
        if (unit->pending > 0 || unit->offset > 0)
            task = 0; /* some frames of it are out, which ones is not told */
        for (; task < unit->ntasks; task++)
            unit->fail(unit, task, DOCA_ERROR_IO_FAILED);
        unit->task = unit->ntasks;
        unit->pending = 0;
    }
    txq->making = NULL;
    txq->nmade = txq->nsent = 0;
}

static bool drained(const struct doca_ctx *ctx)
{
    return eth_txq_of(ctx)->first == NULL;
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_eth_txq *txq = eth_txq_of(ctx);

    soft_nic_txq_close(txq->queue);
    txq->queue = NULL;
    if (ctx->gpu != NULL)
        eth_txq_gpu_stopped(txq);
    else
        close_memory(txq);
    soft_nic_port_release(txq->port);
    txq->port = NULL;
}

const struct core_ctx_ops eth_txq_ctx_ops = {
    .kind = "eth_txq",
    .source = CORE_LOG_ETH,
    .on_gpu = true,
    .start = start,
    .progress = progress,
    .pending = pending,
    .flush = flush,
    .stopping = stopping,
    .drained = drained,
    .stopped = stopped,
};

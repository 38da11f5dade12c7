/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/rxq_priv.h"

#include <errno.h>

static const char start_func[] = "doca_ctx_start";

static doca_error_t fail_rooms(const struct doca_eth_rxq *rxq, const char *type, const char *remedy)
{
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, start_func, rxq->ctx.name,
                     "headroom and tailroom",
                     "%u and %u" CORE_LIMIT "0 for type %s" CORE_REMEDY "%s", rxq->headroom,
                     rxq->tailroom, type, remedy);
}

static doca_error_t fail_no_memory(const struct doca_eth_rxq *rxq)
{
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, start_func, rxq->ctx.name, "packet memory",
                     "none" CORE_REMEDY "call doca_eth_rxq_set_pkt_buf() before the start");
}

static doca_error_t check_regular(const struct doca_eth_rxq *rxq)
{
    if (rxq->tasks.num == 0)
        return CORE_FAIL(
            DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, start_func, rxq->ctx.name, "receive task",
            "not configured" CORE_REMEDY "call doca_eth_rxq_task_recv_set_conf() before the start");
    if (rxq->headroom != 0 || rxq->tailroom != 0)
        return fail_rooms(rxq, "REGULAR", "leave the room in the buffers of the tasks");
    return DOCA_SUCCESS;
}

static doca_error_t check_managed(const struct doca_eth_rxq *rxq)
{
    uint64_t stride = eth_rxq_managed_stride(rxq->headroom, rxq->max_packet, rxq->tailroom);

    if (rxq->event_cb == NULL && rxq->batch_cb == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, start_func, rxq->ctx.name,
                         "receive event",
                         "not registered" CORE_REMEDY
                         "call doca_eth_rxq_event_managed_recv_register() before the start");
    if (rxq->mem == NULL)
        return fail_no_memory(rxq);
    if (stride > ETH_RXQ_STRIDE_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, start_func, rxq->ctx.name,
                         "headroom, packet and tailroom",
                         "%u, %u and %u bytes" CORE_LIMIT "%u together" CORE_REMEDY
                         "ask for less room or shorter packets",
                         rxq->headroom, rxq->max_packet, rxq->tailroom, ETH_RXQ_STRIDE_MAX);
    if (rxq->mem_len / stride < rxq->burst)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, start_func, rxq->ctx.name,
                         "packet memory",
                         "%zu bytes" CORE_LIMIT "%llu for a burst of %u" CORE_REMEDY
                         "see doca_eth_rxq_estimate_packet_buf_size()",
                         rxq->mem_len, (unsigned long long)(stride * rxq->burst), rxq->burst);
    return DOCA_SUCCESS;
}

static doca_error_t check_cyclic(const struct doca_eth_rxq *rxq)
{
    uint64_t needed = (uint64_t)eth_rxq_cyclic_slots(rxq) * rxq->max_packet;

    if (rxq->event_cb == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, start_func, rxq->ctx.name,
                         "receive event of single packets",
                         "not registered" CORE_REMEDY
                         "call doca_eth_rxq_event_managed_recv_register() before the start");
    if (rxq->mem == NULL)
        return fail_no_memory(rxq);
    if (rxq->headroom != 0 || rxq->tailroom != 0)
        return fail_rooms(rxq, "CYCLIC", "ask for longer packets");
    if (rxq->mem_len < needed)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, start_func, rxq->ctx.name,
                         "packet memory",
                         "%zu bytes" CORE_LIMIT "%llu for a burst of %u" CORE_REMEDY
                         "see doca_eth_rxq_estimate_packet_buf_size()",
                         rxq->mem_len, (unsigned long long)needed, rxq->burst);
    return DOCA_SUCCESS;
}

static doca_error_t check_start(const struct doca_eth_rxq *rxq)
{
    switch (rxq->type) {
    case DOCA_ETH_RXQ_TYPE_REGULAR:
        return check_regular(rxq);
    case DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL:
        return check_managed(rxq);
    default:
        return check_cyclic(rxq);
    }
}

static int open_queue(struct doca_eth_rxq *rxq)
{
    bool regular = rxq->type == DOCA_ETH_RXQ_TYPE_REGULAR;
    int err;
    struct soft_nic_rxq_conf conf = {.depth = regular ? rxq->burst : rxq->nbufs,
                                     .reports_oversize = regular,
                                     .waker = core_ctx_waker(&rxq->ctx)};

    if (rxq->type == DOCA_ETH_RXQ_TYPE_CYCLIC)
        conf.area = (struct soft_nic_area){rxq->mem, rxq->nbufs, rxq->max_packet};
    err = soft_nic_port_hold(rxq->ctx.dev->info.soft, &rxq->port);
    if (err != 0)
        return err;
    err = soft_nic_rxq_open(rxq->port, &conf, &rxq->queue);
    if (err == 0) {
        eth_warn_of_port(&rxq->ctx, rxq->port);
        return 0;
    }
    soft_nic_port_release(rxq->port);
    rxq->port = NULL;
    return err;
}

static int open_memory(struct doca_eth_rxq *rxq)
{
    if (rxq->type == DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL)
        return eth_rxq_managed_open(rxq);
    if (rxq->type == DOCA_ETH_RXQ_TYPE_CYCLIC)
        return eth_rxq_cyclic_open(rxq);
    rxq->tasks.task_size = ETH_ALIGN64(sizeof(struct doca_eth_rxq_task_recv) +
                                       rxq->max_list * sizeof(struct soft_nic_piece));
    if (core_task_pool_open(&rxq->tasks) != DOCA_SUCCESS)
        return soft_fail(-ENOMEM, "no memory for %u tasks", rxq->tasks.num);
    return 0;
}

static void close_memory(struct doca_eth_rxq *rxq)
{
    eth_rxq_managed_close(rxq);
    core_task_pool_close(&rxq->tasks);
}

static void refill(struct doca_eth_rxq *rxq)
{
    if (rxq->type == DOCA_ETH_RXQ_TYPE_CYCLIC)
        eth_rxq_cyclic_refill(rxq);
    else
        eth_rxq_managed_refill(rxq);
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_eth_rxq *rxq = eth_rxq_of(ctx);
    doca_error_t result;
    int err;

    if (ctx->gpu != NULL)
        return eth_rxq_gpu_start(rxq, start_func);
    result = check_start(rxq);
    if (result != DOCA_SUCCESS)
        return result;
    err = open_memory(rxq);
    if (err != 0)
        return eth_fail_port(&rxq->ctx, err, start_func);
    err = open_queue(rxq);
    if (err != 0) {
        result = eth_fail_port(&rxq->ctx, err, start_func);
        close_memory(rxq);
        return result;
    }
    rxq->id_is_applied = false;
    if (rxq->bufs != NULL)
        refill(rxq);
    return DOCA_SUCCESS;
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_eth_rxq *rxq = eth_rxq_of(ctx);

    if (ctx->gpu != NULL)
        return false; /* kernels do all */
    if (rxq->type == DOCA_ETH_RXQ_TYPE_REGULAR)
        return eth_rxq_recv_step(rxq);
    if (od_unlikely(ctx->state != DOCA_CTX_STATE_RUNNING))
        return false;
    refill(rxq);
    return rxq->batch_cb != NULL ? eth_rxq_batch_step(rxq) : eth_rxq_managed_step(rxq);
}

static bool pending(const struct doca_ctx *ctx)
{
    const struct doca_eth_rxq *rxq = eth_rxq_of(ctx);

    if (ctx->gpu != NULL)
        return false;
    if (ctx->state != DOCA_CTX_STATE_RUNNING)
        return soft_nic_rxq_ready(rxq->queue) != 0;
    return soft_nic_rxq_sleep(rxq->queue, rxq->batch_cb != NULL ? rxq->batch_min : 1);
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back */
}

static void stopping(struct doca_ctx *ctx)
{
    struct doca_eth_rxq *rxq = eth_rxq_of(ctx);

    soft_nic_rxq_detach(rxq->queue);
    if (rxq->bufs != NULL)
        eth_rxq_managed_drop(rxq);
}

static bool drained(const struct doca_ctx *ctx)
{
    const struct doca_eth_rxq *rxq = eth_rxq_of(ctx);

    /* Slots of a ring are never the program's to give back. */
    return rxq->type == DOCA_ETH_RXQ_TYPE_CYCLIC || rxq->bufs == NULL ||
           core_pkt_bufs_out(rxq->bufs) == 0;
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_eth_rxq *rxq = eth_rxq_of(ctx);

    soft_nic_rxq_close(rxq->queue);
    rxq->queue = NULL;
    soft_nic_port_release(rxq->port);
    rxq->port = NULL;
    if (ctx->gpu != NULL)
        eth_rxq_gpu_stopped(rxq);
    else
        close_memory(rxq);
}

const struct core_ctx_ops eth_rxq_ctx_ops = {
    .kind = "eth_rxq",
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* A send queue of kernels. The library sets up what kernels and the software NIC share, and carries
 * doorbells over where the CPU rings them. */

#include "eth/txq_priv.h"

#include <errno.h>

#include <doca_gpunetio_eth_def.h>
#include <impl/opendoca_gpu_barrier.h>

#define SLOTS_MIN 64u

/* ------------------------------------------------------------------------------------------------
 * Settings
 */

doca_error_t doca_eth_txq_set_wait_on_time_offload(struct doca_eth_txq *eth_txq)
{
    doca_error_t result = eth_txq_check_idle(eth_txq, __func__);

    if (result == DOCA_SUCCESS)
        eth_txq->gpu.waits = true;
    return result;
}

doca_error_t doca_eth_txq_gpu_set_completion_on_gpu(struct doca_eth_txq *eth_txq)
{
    doca_error_t result = eth_txq_check_idle(eth_txq, __func__);

    if (result == DOCA_SUCCESS)
        eth_txq->gpu.completes_on_gpu = true;
    return result;
}

doca_error_t doca_eth_txq_gpu_set_uar_on_cpu(struct doca_eth_txq *eth_txq)
{
    doca_error_t result = eth_txq_check_idle(eth_txq, __func__);

    if (result == DOCA_SUCCESS)
        eth_txq->gpu.uar_on_cpu = true;
    return result;
}

doca_error_t doca_eth_txq_gpu_set_sq_mem_type(struct doca_eth_txq *eth_txq,
                                              enum doca_gpu_mem_type sq_mem_type)
{
    doca_error_t result = eth_txq_check_idle(eth_txq, __func__);

    if (result == DOCA_SUCCESS)
        result = eth_check_range(&eth_txq->ctx, "sq_mem_type", (uint32_t)sq_mem_type,
                                 DOCA_GPU_MEM_TYPE_GPU, DOCA_GPU_MEM_TYPE_CPU_GPU, __func__);
    if (result == DOCA_SUCCESS)
        eth_txq->gpu.ring_type = sq_mem_type;
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * Start
 */

static doca_error_t check_start(const struct doca_eth_txq *txq, const char *func)
{
    if (txq->sends.num != 0 || txq->lsos.num != 0 || txq->batches.num != 0 ||
        txq->lso_batches.num != 0 || txq->metadata_num != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, txq->ctx.name,
                         "send task or metadata",
                         "configured" CORE_LIMIT "none with the data path on a GPU" CORE_REMEDY
                         "leave them out: kernels send by their own functions");
    if ((txq->gpu.notify_cb != NULL || txq->gpu.error_cb != NULL) && txq->ctx.pe == NULL)
        CORE_WARN(CORE_LOG_ETH,
                  "%s: events are registered, without a progress engine they are lost",
                  txq->ctx.name);
    return DOCA_SUCCESS;
}

static uint32_t count_slots(const struct doca_eth_txq *txq)
{
    uint32_t num = SLOTS_MIN;

    while (num < txq->burst)
        num *= 2;
    return num;
}

static void free_rings(struct eth_txq_gpu *gpu)
{
    soft_gpu_put(gpu->slots);
    soft_gpu_put(gpu->cqes);
    soft_gpu_put(gpu->words);
    soft_gpu_put(gpu->handle);
    gpu->slots = gpu->cqes = gpu->words = gpu->handle = NULL;
}

/* The software NIC reaches them at any time, so they lie on the CPU, whatever was asked for. */
static int alloc_rings(struct doca_eth_txq *txq)
{
    struct eth_txq_gpu *gpu = &txq->gpu;
    struct soft_gpu *soft = txq->ctx.gpu->soft;
    int err =
        soft_gpu_alloc(soft, sizeof(struct doca_gpu_eth_txq), 0, SOFT_GPU_ON_CPU, &gpu->handle);

    if (err == 0)
        err = soft_gpu_alloc(soft, sizeof(struct opendoca_gpu_tx_words), 0, SOFT_GPU_ON_CPU,
                             &gpu->words);
    if (err == 0)
        err = soft_gpu_alloc(soft, gpu->ncqes * sizeof(struct opendoca_gpu_cqe), 0, SOFT_GPU_ON_CPU,
                             &gpu->cqes);
    if (err == 0)
        err = soft_gpu_alloc(soft, gpu->num * sizeof(struct opendoca_gpu_slot), 0, SOFT_GPU_ON_CPU,
                             &gpu->slots);
    return err;
}

static void fill_handle(const struct doca_eth_txq *txq)
{
    const struct eth_txq_gpu *gpu = &txq->gpu;
    struct doca_gpu_eth_txq *handle = (struct doca_gpu_eth_txq *)gpu->handle->cpu;
    uintptr_t words = (uintptr_t)gpu->words->at;
    uintptr_t proxy = words + offsetof(struct opendoca_gpu_tx_words, proxy);

    *handle = (struct doca_gpu_eth_txq){
        .enable_l3_cs_offload = (txq->ol_flags & DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM) != 0,
        .enable_l4_cs_offload = (txq->ol_flags & DOCA_ETH_TXQ_OL_FLAGS_L4_CSUM) != 0,
        .wqe_addr = (uintptr_t)gpu->slots->at,
        .wqe_db_rec = words + offsetof(struct opendoca_gpu_tx_words, record),
        .wqe_db = gpu->uar_on_cpu ? proxy : words,
        .wqe_mask = (uint16_t)(gpu->num - 1),
        .cq_db_rec = words + offsetof(struct opendoca_gpu_tx_words, consumed),
        .nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB,
        .opendoca = {.magic = OPENDOCA_GPU_TXQ_MAGIC,
                     .version = OPENDOCA_GPU_VERSION,
                     .words = words,
                     .flags = (gpu->completes_on_gpu ? OPENDOCA_GPU_TXQ_COMPLETES : 0) |
                              (gpu->waits ? OPENDOCA_GPU_TXQ_WAITS : 0)},
    };
    if (gpu->uar_on_cpu) {
        handle->shared_mem_addr_cpu =
            (uintptr_t)gpu->words->cpu + offsetof(struct opendoca_gpu_tx_words, proxy);
        handle->shared_mem_addr_gpu = proxy;
        handle->nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY;
    }
    if (gpu->completes_on_gpu) {
        handle->cqe_addr = (uintptr_t)gpu->cqes->at;
        handle->cqe_num = gpu->ncqes;
        handle->cqe_mask = gpu->ncqes - 1;
    }
}

static void fill_rings(const struct doca_eth_txq *txq)
{
    struct opendoca_gpu_tx_words *words = (struct opendoca_gpu_tx_words *)txq->gpu.words->cpu;
    struct opendoca_gpu_cqe *cqes = (struct opendoca_gpu_cqe *)txq->gpu.cqes->cpu;

    words->state = OPENDOCA_GPU_QUEUE_RUNS;
    for (uint32_t i = 0; i < txq->gpu.ncqes; i++)
        cqes[i].tail = opendoca_gpu_cqe_tail(OPENDOCA_GPU_CQE_INVALID, 1, 0);
}

static int open_queue(struct doca_eth_txq *txq)
{
    struct eth_txq_gpu *gpu = &txq->gpu;
    const struct soft_nic_tx_ring ring = {
        .words = (struct opendoca_gpu_tx_words *)gpu->words->cpu,
        .cqes = (struct opendoca_gpu_cqe *)gpu->cqes->cpu,
        .slots = (struct opendoca_gpu_slot *)gpu->slots->cpu,
        .num = gpu->num,
        .ncqes = gpu->ncqes,
        .magic = &((struct doca_gpu_eth_txq *)gpu->handle->cpu)->opendoca.magic,
        .gpu = txq->ctx.gpu->soft,
        .waker = gpu->completes_on_gpu ? NULL : core_ctx_waker(&txq->ctx)};
    int err = soft_nic_port_hold(txq->ctx.dev->info.soft, &txq->port);

    if (err != 0)
        return err;
    err = soft_nic_ring_txq_open(txq->port, &ring, &gpu->queue);
    if (err == 0)
        return 0;
    soft_nic_port_release(txq->port);
    txq->port = NULL;
    return err;
}

doca_error_t eth_txq_gpu_start(struct doca_eth_txq *txq, const char *func)
{
    doca_error_t result = check_start(txq, func);
    int err;

    if (result != DOCA_SUCCESS)
        return result;
    txq->gpu.num = count_slots(txq);
    txq->gpu.ncqes = txq->gpu.completes_on_gpu ? txq->gpu.num : 2 * txq->gpu.num;
    txq->gpu.seen = 0;
    free_rings(&txq->gpu);
    err = alloc_rings(txq);
    if (err == 0) {
        fill_rings(txq);
        fill_handle(txq);
        err = open_queue(txq);
    }
    if (err != 0) {
        result = eth_fail_port(&txq->ctx, err, func);
        free_rings(&txq->gpu);
        return result;
    }
    txq->id_is_applied = false;
    return DOCA_SUCCESS;
}

/* Together, as most calls find nothing to ring. */
static void count_proxy_calls(struct eth_txq_gpu *gpu)
{
    uint64_t calls = atomic_exchange_explicit(&gpu->proxy_calls, 0, memory_order_relaxed);

    if (calls > 0)
        soft_nic_ring_txq_proxied(gpu->queue, calls);
}

/* A kernel that still looks at the queue sees that it is over: its memory stays until the queue
 * starts again or is destroyed. */
void eth_txq_gpu_stopped(struct doca_eth_txq *txq)
{
    struct doca_gpu_eth_txq *handle = (struct doca_gpu_eth_txq *)txq->gpu.handle->cpu;
    struct opendoca_gpu_tx_words *words = (struct opendoca_gpu_tx_words *)txq->gpu.words->cpu;

    count_proxy_calls(&txq->gpu);
    soft_nic_ring_txq_close(txq->gpu.queue);
    txq->gpu.queue = NULL;
    opendoca_gpu_publish(&words->state, OPENDOCA_GPU_QUEUE_STOPPED);
    opendoca_gpu_publish32(&handle->opendoca.magic, OPENDOCA_GPU_GONE_MAGIC);
}

void eth_txq_gpu_destroyed(struct doca_eth_txq *txq)
{
    free_rings(&txq->gpu);
}

/* ------------------------------------------------------------------------------------------------
 * While it runs
 */

doca_error_t doca_eth_txq_get_gpu_handle(const struct doca_eth_txq *eth_txq,
                                         struct doca_gpu_eth_txq **eth_txq_ext)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    if (eth_txq_ext == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "eth_txq_ext");
    if (eth_txq->ctx.gpu == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, __func__, eth_txq->ctx.name,
                         "data path",
                         "on the CPU" CORE_LIMIT "on a GPU" CORE_REMEDY
                         "call doca_ctx_set_datapath_on_gpu() before the start");
    result = eth_check_running(&eth_txq->ctx, __func__);
    if (result == DOCA_SUCCESS)
        *eth_txq_ext = (struct doca_gpu_eth_txq *)eth_txq->gpu.handle->at;
    return result;
}

doca_error_t doca_eth_txq_calculate_timestamp(struct doca_eth_txq *eth_txq, uint64_t timestamp_ns,
                                              uint64_t *wait_on_time_value)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_ETH_TXQ, eth_txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", eth_txq);
    if (wait_on_time_value == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "wait_on_time_value");
    if (eth_txq->ctx.gpu == NULL || !eth_txq->gpu.waits)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_ETH, __func__, eth_txq->ctx.name,
                         "wait on time",
                         "%s" CORE_LIMIT "enabled, with the data path on a GPU" CORE_REMEDY
                         "call doca_eth_txq_set_wait_on_time_offload() before the start",
                         eth_txq->ctx.gpu == NULL ? "with the data path on the CPU" : "off");
    result = eth_check_running(&eth_txq->ctx, __func__);
    if (result == DOCA_SUCCESS)
        *wait_on_time_value = opendoca_gpu_time_to_be(timestamp_ns);
    return result;
}

doca_error_t doca_eth_txq_gpu_cpu_proxy_progress(struct doca_eth_txq *txq)
{
    struct opendoca_gpu_tx_words *words;
    doca_error_t result;
    uint64_t rung;

    if (!core_is_live(CORE_LIVE_ETH_TXQ, txq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_txq", txq);
    if (txq->ctx.gpu == NULL || !txq->gpu.uar_on_cpu)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, __func__, txq->ctx.name,
                         "doorbells",
                         "on the GPU" CORE_LIMIT "on the CPU" CORE_REMEDY
                         "call doca_eth_txq_gpu_set_uar_on_cpu() before the start");
    result = eth_check_running(&txq->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    words = (struct opendoca_gpu_tx_words *)txq->gpu.words->cpu;
    atomic_fetch_add_explicit(&txq->gpu.proxy_calls, 1, memory_order_relaxed);
    rung = opendoca_gpu_observe(&words->proxy);
    if (opendoca_gpu_peek(&words->doorbell) != rung) {
        count_proxy_calls(&txq->gpu);
        opendoca_gpu_publish(&words->doorbell, rung);
    }
    return DOCA_SUCCESS;
}

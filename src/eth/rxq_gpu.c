/* SPDX-License-Identifier: BSD-3-Clause */
/* A receive queue of kernels. The library sets up what kernels and the software NIC share; packets
 * are between those two. */

#include "eth/rxq_priv.h"

#include <errno.h>
#include <string.h>

#include <doca_gpunetio_eth_def.h>
#include <impl/opendoca_gpu_barrier.h>

/* ------------------------------------------------------------------------------------------------
 * Settings
 */

doca_error_t doca_eth_rxq_gpu_set_uar_on_cpu(struct doca_eth_rxq *eth_rxq)
{
    doca_error_t result = eth_rxq_check_idle(eth_rxq, __func__);

    if (result == DOCA_SUCCESS)
        eth_rxq->gpu.uar_on_cpu = true;
    return result;
}

doca_error_t doca_eth_rxq_gpu_enable_mcst_qp(struct doca_eth_rxq *eth_rxq)
{
    doca_error_t result = eth_rxq_check_idle(eth_rxq, __func__);

    if (result == DOCA_SUCCESS)
        eth_rxq->gpu.has_mcst = true;
    return result;
}

doca_error_t doca_eth_rxq_gpu_set_rq_mem_type(struct doca_eth_rxq *eth_rxq,
                                              enum doca_gpu_mem_type rq_mem_type)
{
    doca_error_t result = eth_rxq_check_idle(eth_rxq, __func__);

    if (result == DOCA_SUCCESS)
        result = eth_check_range(&eth_rxq->ctx, "rq_mem_type", (uint32_t)rq_mem_type,
                                 DOCA_GPU_MEM_TYPE_GPU, DOCA_GPU_MEM_TYPE_CPU_GPU, __func__);
    if (result == DOCA_SUCCESS)
        eth_rxq->gpu.ring_type = rq_mem_type;
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * Start
 */

static doca_error_t check_cpu_settings(const struct doca_eth_rxq *rxq, const char *func)
{
    const char *what = rxq->metadata_num != 0                           ? "metadata_num"
                       : rxq->has_flow_tag                              ? "flow_tag"
                       : rxq->has_rx_hash                               ? "rx_hash"
                       : rxq->has_timestamp                             ? "timestamp"
                       : rxq->tasks.num != 0                            ? "receive task"
                       : rxq->event_cb != NULL || rxq->batch_cb != NULL ? "receive event"
                       : rxq->headroom != 0 || rxq->tailroom != 0       ? "headroom and tailroom"
                                                                        : NULL;

    if (what == NULL)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, rxq->ctx.name, what,
                     "set" CORE_LIMIT "not set with the data path on a GPU" CORE_REMEDY
                     "leave it out: kernels get what is known from their own functions");
}

static doca_error_t check_start(const struct doca_eth_rxq *rxq, const char *func)
{
    uint64_t needed = (uint64_t)eth_rxq_cyclic_slots(rxq) * rxq->max_packet;

    if (rxq->type != DOCA_ETH_RXQ_TYPE_CYCLIC)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, rxq->ctx.name, "type",
                         "%d" CORE_LIMIT "CYCLIC with the data path on a GPU" CORE_REMEDY
                         "call doca_eth_rxq_set_type()",
                         (int)rxq->type);
    if (rxq->mem == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, func, rxq->ctx.name, "packet memory",
                         "none" CORE_REMEDY "call doca_eth_rxq_set_pkt_buf() before the start");
    if (rxq->mem_len < needed)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, rxq->ctx.name,
                         "packet memory",
                         "%zu bytes" CORE_LIMIT "%llu for a burst of %u" CORE_REMEDY
                         "see doca_eth_rxq_estimate_packet_buf_size()",
                         rxq->mem_len, (unsigned long long)needed, rxq->burst);
    return check_cpu_settings(rxq, func);
}

static void free_rings(struct eth_rxq_gpu *gpu)
{
    soft_gpu_put(gpu->bufs);
    soft_gpu_put(gpu->cqes);
    soft_gpu_put(gpu->words);
    soft_gpu_put(gpu->handle);
    gpu->bufs = gpu->cqes = gpu->words = gpu->handle = NULL;
}

/* The software NIC reaches them at any time, so they lie on the CPU, whatever was asked for. */
static int alloc_rings(struct doca_eth_rxq *rxq, uint32_t num)
{
    struct eth_rxq_gpu *gpu = &rxq->gpu;
    struct soft_gpu *soft = rxq->ctx.gpu->soft;
    int err =
        soft_gpu_alloc(soft, sizeof(struct doca_gpu_eth_rxq), 0, SOFT_GPU_ON_CPU, &gpu->handle);

    if (err == 0)
        err = soft_gpu_alloc(soft, sizeof(struct opendoca_gpu_rx_words), 0, SOFT_GPU_ON_CPU,
                             &gpu->words);
    if (err == 0)
        err = soft_gpu_alloc(soft, num * sizeof(struct opendoca_gpu_cqe), 0, SOFT_GPU_ON_CPU,
                             &gpu->cqes);
    if (err == 0)
        err =
            soft_gpu_alloc(soft, num * sizeof(struct doca_gpu_buf), 0, SOFT_GPU_ON_CPU, &gpu->bufs);
    return err;
}

static void fill_rings(const struct doca_eth_rxq *rxq, uint32_t num, const char *packets)
{
    const struct eth_rxq_gpu *gpu = &rxq->gpu;
    struct opendoca_gpu_rx_words *words = (struct opendoca_gpu_rx_words *)gpu->words->cpu;
    struct opendoca_gpu_cqe *cqes = (struct opendoca_gpu_cqe *)gpu->cqes->cpu;
    struct doca_gpu_buf *bufs = (struct doca_gpu_buf *)gpu->bufs->cpu;

    words->posted = num;
    words->state = OPENDOCA_GPU_QUEUE_RUNS;
    for (uint32_t i = 0; i < num; i++) {
        cqes[i].tail = opendoca_gpu_cqe_tail(OPENDOCA_GPU_CQE_INVALID, 1, 0);
        bufs[i].addr = (uintptr_t)packets + (uint64_t)i * rxq->max_packet;
        bufs[i].key_be = opendoca_gpu_swap32(gpu->key);
        bufs[i].bytes = rxq->max_packet;
    }
}

static void fill_handle(const struct doca_eth_rxq *rxq, uint32_t num, const char *packets)
{
    const struct eth_rxq_gpu *gpu = &rxq->gpu;
    uintptr_t words = (uintptr_t)gpu->words->at;

    *(struct doca_gpu_eth_rxq *)gpu->handle->cpu = (struct doca_gpu_eth_rxq){
        .pkt_addr = (uintptr_t)packets,
        .pkt_mkey = opendoca_gpu_swap32(gpu->key),
        .pkt_num = num,
        .max_pkt_sz = rxq->max_packet,
        .need_mcst = gpu->has_mcst,
        .wqe_addr = (uintptr_t)gpu->bufs->at,
        .wqe_db_rec = words + offsetof(struct opendoca_gpu_rx_words, posted),
        .wqe_pi = num,
        .wqe_num = num,
        .wqe_mask = num - 1,
        .wqe_strides_num = 1,
        .cqe_num = num,
        .cqe_mask = num - 1,
        .cqe_addr = (uintptr_t)gpu->cqes->at,
        .cq_db_rec = words + offsetof(struct opendoca_gpu_rx_words, consumed),
        .mcst_qp = {.pkt_addr = (uintptr_t)packets,
                    .pkt_num = num,
                    .nic_handler = gpu->uar_on_cpu ? DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY
                                                   : DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB},
        .opendoca = {.magic = OPENDOCA_GPU_RXQ_MAGIC,
                     .version = OPENDOCA_GPU_VERSION,
                     .words = words,
                     .bufs = (uintptr_t)gpu->bufs->at},
    };
}

static int open_queue(struct doca_eth_rxq *rxq, uint32_t num, char *packets)
{
    const struct eth_rxq_gpu *gpu = &rxq->gpu;
    const struct soft_nic_rx_ring ring = {
        .words = (struct opendoca_gpu_rx_words *)gpu->words->cpu,
        .cqes = (struct opendoca_gpu_cqe *)gpu->cqes->cpu,
        .slots = packets,
        .packets = gpu->packets,
        .at = gpu->packets != NULL ? soft_gpu_at(gpu->packets, rxq->mem) : NULL,
        .num = num,
        .stride = rxq->max_packet,
        .tells_oversize = rxq->ctx.dev->info.soft->oversize == SOFT_OVERSIZE_ERROR,
        .magic = &((struct doca_gpu_eth_rxq *)gpu->handle->cpu)->opendoca.magic};
    int err = soft_nic_port_hold(rxq->ctx.dev->info.soft, &rxq->port);

    if (err != 0)
        return err;
    err = soft_nic_rxq_open_ring(rxq->port, &ring, &rxq->queue);
    if (err == 0) {
        eth_warn_of_port(&rxq->ctx, rxq->port);
        return 0;
    }
    soft_nic_port_release(rxq->port);
    rxq->port = NULL;
    return err;
}

doca_error_t eth_rxq_gpu_start(struct doca_eth_rxq *rxq, const char *func)
{
    doca_error_t result = check_start(rxq, func);
    uint32_t num = eth_rxq_cyclic_slots(rxq);
    const struct soft_gpu_memory *packets = rxq->gpu.packets;
    int err;

    if (result != DOCA_SUCCESS)
        return result;
    free_rings(&rxq->gpu);
    err = alloc_rings(rxq, num);
    if (err == 0) {
        const char *at = packets != NULL ? soft_gpu_at(packets, rxq->mem) : rxq->mem;

        fill_rings(rxq, num, at);
        fill_handle(rxq, num, at);
        err = open_queue(rxq, num, packets != NULL ? soft_gpu_cpu(packets, rxq->mem) : rxq->mem);
    }
    if (err != 0) {
        result = eth_fail_port(&rxq->ctx, err, func);
        free_rings(&rxq->gpu);
        return result;
    }
    rxq->id_is_applied = false;
    return DOCA_SUCCESS;
}

/* The software NIC has let go of the queue. A kernel that still looks at it sees that it is over:
 * its memory stays until the queue starts again or is destroyed. */
void eth_rxq_gpu_stopped(struct doca_eth_rxq *rxq)
{
    struct doca_gpu_eth_rxq *handle = (struct doca_gpu_eth_rxq *)rxq->gpu.handle->cpu;
    struct opendoca_gpu_rx_words *words = (struct opendoca_gpu_rx_words *)rxq->gpu.words->cpu;

    opendoca_gpu_publish(&words->state, OPENDOCA_GPU_QUEUE_STOPPED);
    opendoca_gpu_publish32(&handle->opendoca.magic, OPENDOCA_GPU_GONE_MAGIC);
}

void eth_rxq_gpu_destroyed(struct doca_eth_rxq *rxq)
{
    free_rings(&rxq->gpu);
    soft_gpu_put(rxq->gpu.packets);
}

/* ------------------------------------------------------------------------------------------------
 * While it runs
 */

static doca_error_t check_running(const struct doca_eth_rxq *rxq, const char *func)
{
    if (rxq->ctx.gpu == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, func, rxq->ctx.name, "data path",
                         "on the CPU" CORE_LIMIT "on a GPU" CORE_REMEDY
                         "call doca_ctx_set_datapath_on_gpu() before the start");
    return eth_check_running(&rxq->ctx, func);
}

doca_error_t doca_eth_rxq_get_gpu_handle(const struct doca_eth_rxq *eth_rxq,
                                         struct doca_gpu_eth_rxq **eth_rxq_ext)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_ETH_RXQ, eth_rxq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_rxq", eth_rxq);
    if (eth_rxq_ext == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "eth_rxq_ext");
    result = check_running(eth_rxq, __func__);
    if (result == DOCA_SUCCESS)
        *eth_rxq_ext = (struct doca_gpu_eth_rxq *)eth_rxq->gpu.handle->at;
    return result;
}

doca_error_t doca_eth_rxq_gpu_cpu_proxy_progress(struct doca_eth_rxq *rxq)
{
    if (!core_is_live(CORE_LIVE_ETH_RXQ, rxq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, __func__, "eth_rxq", rxq);
    if (rxq->ctx.gpu == NULL || !rxq->gpu.uar_on_cpu)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, __func__, rxq->ctx.name,
                         "doorbells",
                         "on the GPU" CORE_LIMIT "on the CPU" CORE_REMEDY
                         "call doca_eth_rxq_gpu_set_uar_on_cpu() before the start");
    /* Nothing that is received needs a doorbell. */
    return check_running(rxq, __func__);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels as users write them: receive in a scope, send from a queue that blocks share, from one of a
 * block's own, and in bursts at given times. */
#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>
#include <doca_log.h>

#include "wire.h"

DOCA_LOG_REGISTER(GPU_WIRE::KERNELS);

static cudaStream_t streams[2];

/* As the host program has made them: who sends to whom, a type, and one byte again and again. */
static __device__ bool is_as_made(const uint8_t *frame, uint32_t size)
{
    static const uint8_t header[14] = {0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x20,
                                       0x21, 0x22, 0x23, 0x24, 0x25, 8,    0};

    for (uint32_t i = 0; i < size; i++) {
        if (frame[i] != (i < 14 ? header[i] : frame[14]))
            return false;
    }
    return true;
}

template <enum doca_gpu_dev_eth_exec_scope scope>
__global__ void receive(struct doca_gpu_eth_rxq *rxq, struct wire_report *report, uint32_t size)
{
    __shared__ struct doca_gpu_dev_eth_rxq_attr attrs[WIRE_MAX_RX];
    __shared__ uint64_t first;
    __shared__ uint32_t num;
    uint64_t total = 0;
    doca_error_t ret;

    if (threadIdx.x == 0) {
        DOCA_GPUNETIO_VOLATILE(num) = 0;
        DOCA_GPUNETIO_VOLATILE(first) = 0;
    }
    __syncthreads();
    while (DOCA_GPUNETIO_VOLATILE(report->exit) == 0) {
        if (scope != DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD || threadIdx.x == 0) {
            ret = doca_gpu_dev_eth_rxq_recv<scope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                            DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                            DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(rxq, WIRE_MAX_RX, 500000, &first,
                                                                           &num, attrs);
            if (ret != DOCA_SUCCESS) {
                if (threadIdx.x == 0)
                    printf("receive: %d\n", ret);
                DOCA_GPUNETIO_VOLATILE(report->exit) = DOCA_GPUNETIO_VOLATILE(report->failed) = 1;
            }
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < num; i += blockDim.x) {
            const uint8_t *frame = (const uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);

            if (attrs[i].bytes != size || !is_as_made(frame, size) ||
                (i > 0 && attrs[i].timestamp_ns < attrs[i - 1].timestamp_ns))
                atomicAdd((unsigned long long *)&report->wrong, 1ull);
            if (total + i < WIRE_BURSTS * WIRE_BURST)
                report->arrived[total + i] = attrs[i].timestamp_ns;
        }
        total += num;
        __syncthreads();
        if (threadIdx.x == 0)
            DOCA_GPUNETIO_VOLATILE(report->received) = total;
    }
    __threadfence_system();
}

/* Two blocks on one queue; the first thread of each waits for as many completions as its block asked for. */
template <enum doca_gpu_dev_eth_exec_scope scope, enum doca_gpu_dev_eth_nic_handler handler>
__global__ void send_shared(struct doca_gpu_eth_txq *txq, struct wire_report *report, struct wire_frames f)
{
    const uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t notifies = scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD ? blockDim.x
                              : scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP
                                  ? blockDim.x / DOCA_GPUNETIO_ETH_WARP_SIZE
                                  : 1;
    enum doca_gpu_eth_send_flags flags = DOCA_GPUNETIO_ETH_SEND_FLAG_NONE;
    doca_gpu_dev_eth_ticket_t ticket;
    uint32_t done = 0;

    if (scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD ||
        (scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP &&
         doca_gpu_dev_eth_get_lane_id() == DOCA_GPUNETIO_ETH_WARP_SIZE - 1) ||
        threadIdx.x == blockDim.x - 1)
        flags = DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY;
    for (uint32_t round = 0; round < f.rounds && !DOCA_GPUNETIO_VOLATILE(report->exit); round++) {
        doca_gpu_dev_eth_txq_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
                                  DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU, handler, scope>(
            txq, f.addr + (uint64_t)number * f.size, f.mkey_be, f.size, flags, &ticket);
        __syncthreads();
        if (threadIdx.x == 0) {
            if (doca_gpu_dev_eth_txq_poll_completion<DOCA_GPUNETIO_ETH_CQ_POLL_LAST>(
                    txq, notifies, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &done) != DOCA_SUCCESS)
                DOCA_GPUNETIO_VOLATILE(report->failed) = 1;
            atomicAdd((unsigned long long *)&report->completions, (unsigned long long)done);
            atomicAdd((unsigned long long *)&report->sent, (unsigned long long)blockDim.x);
        }
        __syncthreads();
    }
}

/* One block that counts slots and completions itself, from 0 on; it does not run away from the receiver. */
__global__ void send_alone(struct doca_gpu_eth_txq *txq, struct wire_report *report, struct wire_frames f)
{
    uint64_t index = threadIdx.x;

    for (uint64_t round = 0; round < f.rounds && !DOCA_GPUNETIO_VOLATILE(report->exit); round++) {
        struct doca_gpu_dev_eth_txq_wqe *wqe = doca_gpu_dev_eth_txq_get_wqe_ptr(txq, (uint16_t)index);
        const bool last = threadIdx.x == blockDim.x - 1;

        doca_gpu_dev_eth_txq_wqe_prepare_send(txq, wqe, (uint16_t)index, f.addr + threadIdx.x * f.size,
                                              f.mkey_be, f.size,
                                              last ? DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY
                                                   : DOCA_GPUNETIO_ETH_SEND_FLAG_NONE);
        __syncthreads();
        if (last) {
            doca_gpu_dev_eth_txq_submit<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA,
                                        DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA>(txq, index + 1);
            if (doca_gpu_dev_eth_txq_poll_completion_at(txq, round, DOCA_GPUNETIO_ETH_WAIT_FLAG_B) !=
                DOCA_SUCCESS)
                DOCA_GPUNETIO_VOLATILE(report->failed) = 1;
            report->completions++;
            report->sent += blockDim.x;
            while (report->sent - DOCA_GPUNETIO_VOLATILE(report->received) > 4 * WIRE_MAX_RX &&
                   !DOCA_GPUNETIO_VOLATILE(report->exit))
                ;
        }
        index += blockDim.x;
        __syncthreads();
    }
}

__global__ void send_at_times(struct doca_gpu_eth_txq *txq, struct wire_report *report, struct wire_frames f,
                              const uint64_t *times)
{
    doca_gpu_dev_eth_ticket_t ticket;
    uint32_t done;

    for (uint32_t burst = 0; burst < WIRE_BURSTS; burst++) {
        doca_gpu_dev_eth_txq_wait_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA,
                                       DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA, DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                       DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(
            txq, times[burst], f.addr + threadIdx.x * f.size, f.mkey_be, f.size,
            threadIdx.x == blockDim.x - 1 ? DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY
                                          : DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
            &ticket);
        if (threadIdx.x == 0) {
            doca_gpu_dev_eth_txq_poll_completion<DOCA_GPUNETIO_ETH_CQ_POLL_LAST>(
                txq, 1, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &done);
            report->completions += done;
            report->sent += blockDim.x;
        }
        __syncthreads();
    }
}

static doca_error_t launched(void)
{
    const cudaError_t error = cudaGetLastError();

    if (error != cudaSuccess)
        DOCA_LOG_ERR("cuda: %s", cudaGetErrorString(error));
    return error == cudaSuccess ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

template <enum doca_gpu_dev_eth_exec_scope scope>
static void start_shared(struct doca_gpu_eth_txq *txq, struct wire_report *report,
                         enum doca_gpu_dev_eth_nic_handler handler, const struct wire_frames *frames)
{
    if (handler == DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY)
        send_shared<scope, DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY>
            <<<2, frames->threads / 2, 0, streams[0]>>>(txq, report, *frames);
    else
        send_shared<scope, DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB>
            <<<2, frames->threads / 2, 0, streams[0]>>>(txq, report, *frames);
}

extern "C" {

doca_error_t wire_start_receive(struct doca_gpu_eth_rxq *rxq, struct wire_report *report,
                                enum doca_gpu_dev_eth_exec_scope scope, uint32_t threads, uint32_t size)
{
    if (cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking) != cudaSuccess)
        return DOCA_ERROR_BAD_STATE;
    if (scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD)
        receive<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD><<<1, threads, 0, streams[1]>>>(rxq, report, size);
    else if (scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP)
        receive<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP><<<1, 32, 0, streams[1]>>>(rxq, report, size);
    else
        receive<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK><<<1, threads, 0, streams[1]>>>(rxq, report, size);
    return launched();
}

doca_error_t wire_start_send(struct doca_gpu_eth_txq *txq, struct wire_report *report, enum wire_mode mode,
                             enum doca_gpu_dev_eth_exec_scope scope,
                             enum doca_gpu_dev_eth_nic_handler handler,
                             const struct wire_frames *frames, const uint64_t *times)
{
    if (cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking) != cudaSuccess)
        return DOCA_ERROR_BAD_STATE;
    if (mode == WIRE_AT_TIMES)
        send_at_times<<<1, WIRE_BURST, 0, streams[0]>>>(txq, report, *frames, times);
    else if (mode == WIRE_ALONE)
        send_alone<<<1, frames->threads, 0, streams[0]>>>(txq, report, *frames);
    else if (scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD)
        start_shared<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>(txq, report, handler, frames);
    else if (scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP)
        start_shared<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(txq, report, handler, frames);
    else
        start_shared<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(txq, report, handler, frames);
    return launched();
}

doca_error_t wire_wait(int receive)
{
    const cudaError_t error = cudaStreamSynchronize(streams[receive]);

    cudaStreamDestroy(streams[receive]);
    return error == cudaSuccess ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

} /* extern C */

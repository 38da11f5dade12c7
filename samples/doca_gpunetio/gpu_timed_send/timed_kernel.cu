/* SPDX-License-Identifier: BSD-3-Clause */
/* Two kernels: one sends bursts at given times, the other one counts what arrives. */

#include <stdio.h>

#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>

#include "timed.h"

#define AT_ONCE     64
#define PATIENCE_NS 100000

static cudaStream_t sending, counting;

/* The device holds each burst until its time; the kernel waits for the completion of the last
 * frame. */
static __global__ void send(struct doca_gpu_eth_txq *txq, uint64_t frames, uint32_t key_be,
                            uint32_t bursts, struct timed_report *report)
{
    const uint64_t frame = frames + threadIdx.x * TIMED_LENGTH;
    const bool is_last = threadIdx.x == TIMED_BURST - 1;
    doca_gpu_dev_eth_ticket_t ticket;

    for (uint32_t burst = 0; burst < bursts; burst++) {
        doca_gpu_dev_eth_txq_wait_send<
            DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA,
            DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(
            txq, report->wait_for[burst], frame, key_be, TIMED_LENGTH,
            is_last ? DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY : DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
            &ticket);
        if (is_last) {
            const doca_error_t result =
                doca_gpu_dev_eth_txq_poll_completion_at(txq, burst, DOCA_GPUNETIO_ETH_WAIT_FLAG_B);

            if (result != DOCA_SUCCESS)
                report->result = result;
        }
        __syncthreads();
    }
}

static __global__ void count(struct doca_gpu_eth_rxq *rxq, struct timed_report *report)
{
    __shared__ struct doca_gpu_dev_eth_rxq_attr packets[AT_ONCE];
    doca_error_t result = DOCA_SUCCESS;
    uint64_t first = 0, total = 0;
    uint32_t num = 0;

    while (DOCA_GPUNETIO_VOLATILE(report->stop) == 0 && result == DOCA_SUCCESS) {
        result = doca_gpu_dev_eth_rxq_recv<
            DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP, DOCA_GPUNETIO_ETH_MCST_AUTO,
            DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, DOCA_GPUNETIO_ETH_RX_ATTR_TS>(
            rxq, AT_ONCE, PATIENCE_NS, &first, &num, packets);
        for (uint32_t i = threadIdx.x; i < num; i += warpSize) {
            if ((total + i) % TIMED_BURST == 0 && (total + i) / TIMED_BURST < TIMED_BURSTS_MAX)
                report->arrived[(total + i) / TIMED_BURST] = packets[i].timestamp_ns;
        }
        total += num;
        __syncwarp();
        if (threadIdx.x == 0)
            DOCA_GPUNETIO_VOLATILE(report->counted) = total;
    }
    if (threadIdx.x == 0 && result != DOCA_SUCCESS)
        report->result = result;
}

static doca_error_t check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return DOCA_SUCCESS;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    return DOCA_ERROR_DRIVER;
}

doca_error_t timed_start(struct doca_gpu_eth_txq *txq, void *frames, uint32_t key_be,
                         struct doca_gpu_eth_rxq *rxq, uint32_t bursts, struct timed_report *report)
{
    doca_error_t result =
        check(cudaStreamCreateWithFlags(&sending, cudaStreamNonBlocking), "no stream");

    if (result == DOCA_SUCCESS)
        result = check(cudaStreamCreateWithFlags(&counting, cudaStreamNonBlocking), "no stream");
    if (result != DOCA_SUCCESS)
        return result;
    if (rxq != NULL)
        count<<<1, 32, 0, counting>>>(rxq, report);
    send<<<1, TIMED_BURST, 0, sending>>>(txq, (uint64_t)frames, key_be, bursts, report);
    return check(cudaGetLastError(), "the kernels do not start");
}

doca_error_t timed_wait_sender(void)
{
    return check(cudaStreamSynchronize(sending), "the sending kernel");
}

doca_error_t timed_wait(void)
{
    return check(cudaDeviceSynchronize(), "the kernels");
}

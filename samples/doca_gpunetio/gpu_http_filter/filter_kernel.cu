/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel: one block receives, each thread looks at one packet, and who finds a request hands its
 * first line to the CPU by the next item of the semaphore. */

#include <stdio.h>

#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_sem.cuh>

#include "filter.h"

#define THREADS     64
#define PATIENCE_NS 50000

#define HEADERS      (14 + 20) /* Ethernet and IPv4, without options */
#define TYPE_IPV4_BE 0x0008
#define PROTO_TCP    6

/* Where the payload of a TCP segment begins; 0: it is none. */
static __device__ uint32_t payload_of(const uint8_t *frame, uint32_t bytes)
{
    uint32_t at;

    if (bytes < HEADERS + 20 || *(const uint16_t *)(frame + 12) != TYPE_IPV4_BE ||
        frame[14] != 0x45 || frame[23] != PROTO_TCP)
        return 0;
    at = HEADERS + (frame[HEADERS + 12] >> 4) * 4;
    return at < bytes ? at : 0;
}

static __device__ bool is_request(const uint8_t *text, uint32_t length)
{
    return length > 4 && ((text[0] == 'G' && text[1] == 'E' && text[2] == 'T' && text[3] == ' ') ||
                          (text[0] == 'P' && text[1] == 'O' && text[2] == 'S' && text[3] == 'T'));
}

/* The CPU frees items in their order; the kernel waits for it when it is late. */
static __device__ void hand_over(struct doca_gpu_semaphore_gpu *requests, uint32_t item,
                                 struct filter_report *report, const uint8_t *text, uint32_t length,
                                 uint64_t slot)
{
    enum doca_gpu_semaphore_status status = DOCA_GPU_SEMAPHORE_STATUS_READY;
    struct filter_request *request;
    uint32_t i = 0;

    while (status != DOCA_GPU_SEMAPHORE_STATUS_FREE) {
        if (DOCA_GPUNETIO_VOLATILE(report->stop) ||
            doca_gpu_dev_semaphore_get_status(requests, item, &status) != DOCA_SUCCESS)
            return;
    }
    doca_gpu_dev_semaphore_get_custom_info_addr(requests, item, (void **)&request);
    for (; i < length && i < sizeof(request->line) && text[i] != '\r' && text[i] != '\n'; i++)
        request->line[i] = (char)text[i];
    request->length = i;
    doca_gpu_dev_semaphore_set_packet_info(requests, item, DOCA_GPU_SEMAPHORE_STATUS_READY, 1, slot);
}

static __global__ void filter(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_semaphore_gpu *requests,
                              struct filter_report *report)
{
    __shared__ struct doca_gpu_dev_eth_rxq_attr packets[THREADS];
    __shared__ uint64_t first;
    __shared__ uint32_t num, found, stop;
    doca_error_t result;

    if (threadIdx.x == 0)
        found = 0;
    do {
        result = doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK,
                                           DOCA_GPUNETIO_ETH_MCST_AUTO,
                                           DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                           DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(
            rxq, THREADS, PATIENCE_NS, &first, &num, packets);
        if (threadIdx.x < num) {
            const uint64_t slot = first + threadIdx.x;
            const uint8_t *frame = (const uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, slot);
            const uint32_t bytes = packets[threadIdx.x].bytes, at = payload_of(frame, bytes);

            if (at && is_request(frame + at, bytes - at))
                hand_over(requests, atomicAdd(&found, 1u) % FILTER_ITEMS, report, frame + at,
                          bytes - at, slot);
        }
        if (threadIdx.x == 0) {
            stop = DOCA_GPUNETIO_VOLATILE(report->stop);
            DOCA_GPUNETIO_VOLATILE(report->frames) = report->frames + num;
        }
        __syncthreads();
    } while (!stop && result == DOCA_SUCCESS);
    if (threadIdx.x == 0)
        report->result = result;
}

doca_error_t filter_start(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_semaphore_gpu *requests,
                          struct filter_report *report)
{
    cudaError_t error;

    filter<<<1, THREADS>>>(rxq, requests, report);
    error = cudaGetLastError();
    if (error != cudaSuccess)
        fprintf(stderr, "the kernel does not start: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

doca_error_t filter_wait(void)
{
    const cudaError_t error = cudaDeviceSynchronize();

    if (error != cudaSuccess)
        fprintf(stderr, "the kernel ended with: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

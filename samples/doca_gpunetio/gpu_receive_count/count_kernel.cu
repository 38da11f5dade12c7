/* SPDX-License-Identifier: BSD-3-Clause */
/* One warp receives up to 64 packets at a time; each lane looks at some of them. */

#include <stdio.h>

#include <doca_gpunetio_dev_eth_rxq.cuh>

#include "count.h"

#define AT_ONCE     64
#define PATIENCE_NS 100000 /* what a call waits for AT_ONCE packets */

#define TYPE_AT   12 /* bytes before the type of a frame */
#define TYPE_IPV4 0x0800
#define TYPE_ARP  0x0806

static __device__ void add(uint64_t *counter, uint64_t n)
{
    atomicAdd((unsigned long long *)counter, (unsigned long long)n);
}

static __device__ void look_at(struct doca_gpu_eth_rxq *rxq, uint64_t index, uint32_t bytes,
                               struct count_report *report)
{
    const uint8_t *frame = (const uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, index);
    const uint32_t type = (uint32_t)frame[TYPE_AT] << 8 | frame[TYPE_AT + 1];

    add(type == TYPE_IPV4 ? &report->ipv4 : type == TYPE_ARP ? &report->arp : &report->others, 1);
    add(&report->bytes, bytes);
}

static __global__ void count(struct doca_gpu_eth_rxq *rxq, struct count_report *report)
{
    __shared__ struct doca_gpu_dev_eth_rxq_attr packets[AT_ONCE];
    doca_error_t result = DOCA_SUCCESS;
    uint64_t first = 0, total = 0;
    uint32_t num = 0;

    while (DOCA_GPUNETIO_VOLATILE(report->stop) == 0 && result == DOCA_SUCCESS) {
        result = doca_gpu_dev_eth_rxq_recv<
            DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP, DOCA_GPUNETIO_ETH_MCST_AUTO,
            DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(
            rxq, AT_ONCE, PATIENCE_NS, &first, &num, packets);
        for (uint32_t i = threadIdx.x; i < num; i += warpSize)
            look_at(rxq, first + i, packets[i].bytes, report);
        total += num;
        __threadfence_system();
        __syncwarp();
        /* What is told of frames is told of all that was added for them. */
        if (threadIdx.x == 0)
            DOCA_GPUNETIO_VOLATILE(report->frames) = total;
    }
    if (threadIdx.x == 0)
        report->result = result;
}

static doca_error_t check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return DOCA_SUCCESS;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    return DOCA_ERROR_DRIVER;
}

doca_error_t count_start(struct doca_gpu_eth_rxq *rxq, struct count_report *report)
{
    count<<<1, 32>>>(rxq, report);
    return check(cudaGetLastError(), "the kernel does not start");
}

doca_error_t count_wait(void)
{
    return check(cudaDeviceSynchronize(), "the kernel ended with");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel: one warp receives, looks at each packet, and sends echo requests back from the slots
 * in which they lie. */

#include <stdio.h>

#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>

#include "echo.h"

#define LANES       32
#define PATIENCE_NS 20000 /* a call waits for LANES packets, so this is what a single one waits */

#define ETHER_LEN    14
#define TYPE_IPV4_BE 0x0008
#define PROTO_ICMP   1
#define ECHO_REPLY   0
#define ECHO_REQUEST 8

struct header {
    uint8_t ether_dst[6], ether_src[6];
    uint16_t ether_type;
    uint8_t version_ihl, tos;
    uint16_t length, id, fragment;
    uint8_t ttl, proto;
    uint16_t ip_sum;
    uint8_t src[4], dst[4];
    uint8_t icmp_type, icmp_code; /* without IP options */
    uint16_t icmp_sum;
} __attribute__((packed));

static __device__ bool is_request(const struct header *header, uint32_t bytes)
{
    /* Fragments but the last: bit 5 of the first byte; the others have an offset. */
    return bytes >= sizeof(*header) && header->ether_type == TYPE_IPV4_BE &&
           header->version_ihl == 0x45 && header->proto == PROTO_ICMP &&
           (header->fragment & 0xff3f) == 0 && header->icmp_type == ECHO_REQUEST &&
           header->icmp_code == 0;
}

static __device__ void exchange(uint8_t *a, uint8_t *b, int len)
{
    for (int i = 0; i < len; i++) {
        const uint8_t byte = a[i];

        a[i] = b[i];
        b[i] = byte;
    }
}

static __device__ void make_reply(struct header *header)
{
    /* The type goes down by 8 in the high byte of its word, so the sum goes up by it. */
    const uint32_t sum = header->icmp_sum + (ECHO_REQUEST - ECHO_REPLY);

    exchange(header->ether_dst, header->ether_src, 6);
    exchange(header->src, header->dst, 4);
    header->icmp_type = ECHO_REPLY;
    header->icmp_sum = (uint16_t)(sum + (sum >> 16));
}

/* The slot is known before it is sent, so that the CPU finds the time when it hears of it. */
static __device__ void send_back(struct doca_gpu_eth_txq *txq, struct echo_report *report,
                                 uint64_t addr, uint32_t mkey,
                                 const struct doca_gpu_dev_eth_rxq_attr *packet)
{
    const uint64_t slot = doca_gpu_dev_eth_txq_reserve_wq_slots(txq, 1);

    report->arrived[slot % ECHO_SLOTS] = packet->timestamp_ns;
    doca_gpu_dev_eth_txq_wqe_prepare_send(txq, doca_gpu_dev_eth_txq_get_wqe_ptr(txq, slot), slot,
                                          addr, mkey, packet->bytes,
                                          DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY);
    doca_gpu_dev_eth_txq_mark_wqes_ready(txq, slot, slot);
    doca_gpu_dev_eth_txq_submit(txq, slot + 1);
}

static __device__ void handle(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_eth_txq *txq,
                              struct echo_report *report, uint64_t index,
                              const struct doca_gpu_dev_eth_rxq_attr *packet)
{
    const uint64_t addr = doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, index);
    struct header *header = (struct header *)addr;

    if (!is_request(header, packet->bytes)) {
        atomicAdd((unsigned long long *)&report->others, 1ULL);
        return;
    }
    make_reply(header);
    atomicAdd((unsigned long long *)&report->requests, 1ULL);
    send_back(txq, report, addr, doca_gpu_dev_eth_rxq_get_pkt_mkey(rxq), packet);
}

static __global__ void echo(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_eth_txq *txq,
                            struct echo_report *report)
{
    __shared__ struct doca_gpu_dev_eth_rxq_attr packets[LANES];
    doca_error_t result = DOCA_SUCCESS;
    uint64_t first = 0;
    uint32_t num = 0;

    while (DOCA_GPUNETIO_ETH_VOLATILE(report->stop) == 0 && result == DOCA_SUCCESS) {
        result = doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP,
                                           DOCA_GPUNETIO_ETH_MCST_DISABLED,
                                           DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                           DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(
            rxq, LANES, PATIENCE_NS, &first, &num, packets);
        if (threadIdx.x == 0)
            report->frames += num;
        if (threadIdx.x < num)
            handle(rxq, txq, report, first + threadIdx.x, &packets[threadIdx.x]);
        __syncwarp();
    }
    if (threadIdx.x == 0)
        report->result = result;
}

doca_error_t echo_start(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_eth_txq *txq,
                        struct echo_report *report)
{
    cudaError_t error;

    echo<<<1, LANES>>>(rxq, txq, report);
    error = cudaGetLastError();
    if (error != cudaSuccess)
        fprintf(stderr, "the kernel does not start: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

doca_error_t echo_wait(void)
{
    const cudaError_t error = cudaDeviceSynchronize();

    if (error != cudaSuccess)
        fprintf(stderr, "the kernel ended with: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

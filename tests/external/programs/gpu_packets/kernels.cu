/* SPDX-License-Identifier: BSD-3-Clause */
/* A block for each queue of a protocol receives and counts; requests for pages go to one more
 * kernel, a warp for each queue of TCP, which answers them. */
#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>
#include <doca_gpunetio_dev_sem.cuh>
#include <doca_log.h>

#include "kernels.h"

DOCA_LOG_REGISTER(GPU_PACKETS::KERNELS);

#define THREADS     512
#define MAX_PACKETS 4096
#define PATIENCE_NS 1000000
#define WARP        32

#define IP_AT    14
#define L4_AT    34
#define PORT_DNS 53

enum stream { STREAM_UDP, STREAM_TCP, STREAM_ICMP, STREAM_HTTP, STREAMS };

static cudaStream_t streams[STREAMS];

static __device__ uint32_t read16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static __device__ uint32_t read32(const uint8_t *at)
{
    return read16(at) << 16 | read16(at + 2);
}

static __device__ void write16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static __device__ void write32(uint8_t *at, uint32_t value)
{
    write16(at, value >> 16);
    write16(at + 2, value);
}

static __device__ void swap(uint8_t *a, uint8_t *b, int length)
{
    for (int i = 0; i < length; i++) {
        const uint8_t byte = a[i];

        a[i] = b[i];
        b[i] = byte;
    }
}

/* The ends of Ethernet, IPv4 and TCP. */
static __device__ void turn(uint8_t *frame)
{
    swap(frame, frame + 6, 6);
    swap(frame + IP_AT + 12, frame + IP_AT + 16, 4);
    swap(frame + L4_AT, frame + L4_AT + 2, 2);
}

static __device__ bool begins(const uint8_t *text, uint32_t length, const char *with)
{
    uint32_t i = 0;

    while (with[i] != 0 && i < length && text[i] == (uint8_t)with[i])
        i++;
    return with[i] == 0;
}

/* One thread hands over what its block has counted, unless the CPU is late; then it is for later.
 */
static __device__ void publish(struct doca_gpu_semaphore_gpu *sem, uint32_t *item,
                               struct counts *counts)
{
    enum doca_gpu_semaphore_status status;
    struct counts *info;
    uint32_t sum = 0;

    for (int i = 0; i < KINDS; i++)
        sum += counts->of[i];
    if (sum == 0 || doca_gpu_dev_semaphore_get_status(sem, *item, &status) != DOCA_SUCCESS ||
        status == DOCA_GPU_SEMAPHORE_STATUS_READY)
        return;
    doca_gpu_dev_semaphore_get_custom_info_addr(sem, *item, (void **)&info);
    for (int i = 0; i < KINDS; i++) {
        DOCA_GPUNETIO_VOLATILE(info->of[i]) = counts->of[i];
        counts->of[i] = 0;
    }
    __threadfence_system();
    doca_gpu_dev_semaphore_set_status(sem, *item, DOCA_GPU_SEMAPHORE_STATUS_READY);
    *item = (*item + 1) % ITEMS;
}

/* What a block does with its queue: `look` tells of a frame what it is. */
template <typename Look>
static __device__ void serve(const struct queues &queues, const char *name, uint32_t *ends,
                             Look look)
{
    struct doca_gpu_eth_rxq *rxq = queues.rxq[blockIdx.x];
    __shared__ struct counts counts;
    __shared__ uint64_t first;
    __shared__ uint32_t num, stop;
    uint32_t item = 0;
    doca_error_t result;

    for (uint32_t i = threadIdx.x; i < KINDS; i += blockDim.x)
        counts.of[i] = 0;
    do {
        result = doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK,
                                           DOCA_GPUNETIO_ETH_MCST_AUTO>(
            rxq, MAX_PACKETS, PATIENCE_NS, &first, &num, NULL);
        for (uint32_t i = threadIdx.x; i < num; i += blockDim.x) {
            const uint8_t *frame =
                (const uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);

            atomicAdd_block(&counts.of[look(frame)], 1u);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            publish(queues.counts[blockIdx.x], &item, &counts);
            stop = DOCA_GPUNETIO_VOLATILE(*ends);
        }
        __syncthreads();
    } while (stop == 0 && result == DOCA_SUCCESS);
    if (result != DOCA_SUCCESS && threadIdx.x == 0)
        printf("%s: %d\n", name, result);
}

static __device__ enum kind look_at_udp(const uint8_t *frame)
{
    return read16(frame + L4_AT) == PORT_DNS || read16(frame + L4_AT + 2) == PORT_DNS ? UDP_DNS
                                                                                      : UDP_OTHERS;
}

static __global__ void udp(struct queues queues, uint32_t *ends)
{
    serve(queues, "udp", ends, [](const uint8_t *frame) { return look_at_udp(frame); });
}

static __device__ enum kind look_at_tcp(const uint8_t *text, uint32_t length)
{
    if (length == 0)
        return TCP_ACK;
    if (begins(text, length, "GET /"))
        return TCP_GET;
    if (begins(text, length, "HEAD /"))
        return TCP_HEAD;
    return begins(text, length, "POST /") ? TCP_POST : TCP_OTHERS;
}

/* Waits while the answering kernel is behind by all items. */
static __device__ void ask_for_answer(struct doca_gpu_semaphore_gpu *sem, uint32_t item,
                                      const uint8_t *frame, uint32_t length, uint32_t page,
                                      uint32_t *ends)
{
    enum doca_gpu_semaphore_status status;
    struct request *request;

    do {
        if (DOCA_GPUNETIO_VOLATILE(*ends) != 0 ||
            doca_gpu_dev_semaphore_get_status(sem, item, &status) != DOCA_SUCCESS)
            return;
    } while (status == DOCA_GPU_SEMAPHORE_STATUS_READY);
    doca_gpu_dev_semaphore_get_custom_info_addr(sem, item, (void **)&request);
    for (int i = 0; i < HEADERS; i++)
        request->headers[i] = frame[i];
    request->length = length;
    request->page = page;
    __threadfence();
    doca_gpu_dev_semaphore_set_status(sem, item, DOCA_GPU_SEMAPHORE_STATUS_READY);
}

static __global__ void tcp(struct queues queues, struct answers answers, uint32_t *ends)
{
    __shared__ uint32_t asked;

    if (threadIdx.x == 0)
        asked = 0;
    __syncthreads();
    serve(queues, "tcp", ends, [&](const uint8_t *frame) {
        const uint32_t header = (frame[L4_AT + 12] >> 4) * 4u, all = read16(frame + IP_AT + 2);
        const uint32_t length = all > 20 + header ? all - 20 - header : 0;
        const uint8_t *text = frame + L4_AT + header;
        const enum kind kind = look_at_tcp(text, length);

        if (kind == TCP_GET || kind == TCP_HEAD || kind == TCP_POST)
            ask_for_answer(
                answers.requests[blockIdx.x], atomicAdd_block(&asked, 1u) % ITEMS, frame, length,
                begins(text, length, "GET /index.html ") ? PAGE_INDEX : PAGE_MISSING, ends);
        return kind;
    });
}

/* The sums are the engine's. */
static __device__ void make_answer(uint8_t *frame, const struct request *request, uint32_t length)
{
    const uint8_t *asked = request->headers + L4_AT;

    for (int i = 0; i < HEADERS; i++)
        frame[i] = request->headers[i];
    turn(frame);
    write16(frame + IP_AT + 2, HEADERS - IP_AT + length);
    write16(frame + IP_AT + 10, 0);
    write32(frame + L4_AT + 4, read32(asked + 8));
    write32(frame + L4_AT + 8, read32(asked + 4) + request->length);
    frame[L4_AT + 12] = 0x50;
    frame[L4_AT + 13] = 0x18; /* PSH, ACK */
    write16(frame + L4_AT + 14, 0xffff);
    write32(frame + L4_AT + 16, 0);
}

/* Lane n takes items n, n + 32, ... of the semaphore of its warp, in their order. */
static __global__ void http(struct answers answers, uint32_t *ends)
{
    const uint32_t queue = threadIdx.x / WARP, lane = doca_gpu_dev_eth_get_lane_id();
    struct doca_gpu_semaphore_gpu *sem = answers.requests[queue];
    enum doca_gpu_semaphore_status status;
    doca_gpu_dev_eth_ticket_t ticket;
    uint32_t item = lane, turn_of = 0;

    while (DOCA_GPUNETIO_VOLATILE(*ends) == 0) {
        struct request *request;
        struct doca_gpu_buf *buf;
        uintptr_t addr;
        uint32_t mkey, length;

        if (doca_gpu_dev_semaphore_get_status(sem, item, &status) != DOCA_SUCCESS)
            break;
        if (status != DOCA_GPU_SEMAPHORE_STATUS_READY)
            continue;
        doca_gpu_dev_semaphore_get_custom_info_addr(sem, item, (void **)&request);
        length = answers.length[request->page];
        doca_gpu_dev_buf_get_buf(answers.page[request->page],
                                 threadIdx.x * FRAMES_PER_LANE + turn_of++ % FRAMES_PER_LANE, &buf);
        doca_gpu_dev_buf_get_addr(buf, &addr);
        doca_gpu_dev_buf_get_mkey(buf, &mkey);
        make_answer((uint8_t *)addr, request, length);
        doca_gpu_dev_eth_txq_send<
            DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA,
            DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>(
            answers.txq[queue], addr, mkey, HEADERS + length, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
            &ticket);
        doca_gpu_dev_semaphore_set_status(sem, item, DOCA_GPU_SEMAPHORE_STATUS_DONE);
        item = (item + WARP) % ITEMS;
    }
}

static __device__ void answer_echo(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_eth_txq *txq,
                                   uint8_t *frame)
{
    doca_gpu_dev_eth_ticket_t ticket;
    uint32_t sum = read16(frame + L4_AT + 2) + 0x800; /* as the type goes down by 8 */

    swap(frame, frame + 6, 6);
    swap(frame + IP_AT + 12, frame + IP_AT + 16, 4);
    frame[L4_AT] = 0;
    write16(frame + L4_AT + 2, (sum & 0xffff) + (sum >> 16));
    doca_gpu_dev_eth_txq_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA,
                              DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA, DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                              DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>(
        txq, (uint64_t)frame, doca_gpu_dev_eth_rxq_get_pkt_mkey(rxq),
        IP_AT + read16(frame + IP_AT + 2), DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
}

static __global__ void icmp(struct queues queues, struct doca_gpu_eth_txq *txq, uint32_t *ends)
{
    __shared__ struct counts counts;
    __shared__ uint64_t first;
    __shared__ uint32_t num, stop;
    uint32_t item = 0;
    doca_error_t result;

    for (uint32_t i = threadIdx.x; i < KINDS; i += blockDim.x)
        counts.of[i] = 0;
    do {
        result = doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP,
                                           DOCA_GPUNETIO_ETH_MCST_AUTO>(
            queues.rxq[0], WARP, PATIENCE_NS, &first, &num, NULL);
        __syncwarp();
        if (threadIdx.x < num) {
            uint8_t *frame =
                (uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(queues.rxq[0], first + threadIdx.x);
            const bool request = frame[L4_AT] == 8;

            atomicAdd_block(&counts.of[request ? ICMP_ECHO : ICMP_OTHERS], 1u);
            if (request)
                answer_echo(queues.rxq[0], txq, frame);
        }
        __syncwarp();
        if (threadIdx.x == 0) {
            publish(queues.counts[0], &item, &counts);
            stop = DOCA_GPUNETIO_VOLATILE(*ends);
        }
        __syncwarp();
    } while (stop == 0 && result == DOCA_SUCCESS);
    if (result != DOCA_SUCCESS && threadIdx.x == 0)
        printf("icmp: %d\n", result);
}

static doca_error_t outcome(cudaError_t error)
{
    if (error != cudaSuccess)
        DOCA_LOG_ERR("cuda: %s", cudaGetErrorString(error));
    return error == cudaSuccess ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

extern "C" {

doca_error_t kernels_open(void)
{
    cudaError_t error = cudaSuccess;

    for (int i = 0; i < STREAMS && error == cudaSuccess; i++)
        error = cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    return outcome(error);
}

doca_error_t kernels_start(uint32_t num, const struct queues *udps, const struct queues *tcps,
                           const struct queues *icmps, struct doca_gpu_eth_txq *icmp_txq,
                           const struct answers *answers, uint32_t *ends)
{
    udp<<<num, THREADS, 0, streams[STREAM_UDP]>>>(*udps, ends);
    tcp<<<num, THREADS, 0, streams[STREAM_TCP]>>>(*tcps, *answers, ends);
    icmp<<<1, WARP, 0, streams[STREAM_ICMP]>>>(*icmps, icmp_txq, ends);
    http<<<1, num * WARP, 0, streams[STREAM_HTTP]>>>(*answers, ends);
    return outcome(cudaGetLastError());
}

doca_error_t kernels_wait(void)
{
    cudaError_t error = cudaSuccess;

    for (int i = 0; i < STREAMS && error == cudaSuccess; i++)
        error = cudaStreamSynchronize(streams[i]);
    return outcome(error);
}

doca_error_t kernels_close(void)
{
    cudaError_t error = cudaSuccess;

    for (int i = 0; i < STREAMS && error == cudaSuccess; i++)
        error = cudaStreamDestroy(streams[i]);
    return outcome(error);
}

} /* extern C */

/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots of 1 to 61 frames, by a kernel that advances the index itself, writes records of doorbells
 * that nobody should believe, and rings with the index: each frame arrives once, in order (GX-3).
 * Looking for a completion that is not there leaves the count as it is (GX-4). A kernel that sends
 * ends when it is told to, and after it what it used, memory before its queue, the port of Flow
 * before the map (GS-5). */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#include <doca_flow.h>

#define MOST   ((uint32_t)DOCA_GPUNETIO_ETH_EMPW_DSEG_MAX_NUM)
#define ROUNDS (2 * MOST)
#define FRAMES (MOST * (MOST + 1))
#define SLOTS  1024u
#define STRIDE 128u
#define LENGTH 64u

enum word { RECEIVED, WRONG, LOOKED, BEGUN, EXIT, WORDS };

__device__ static void wait_for_room(uint32_t n, uint64_t *words)
{
    while (n - DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) >= SLOTS / 2) {
    }
}

/* One slot, or several, with `segments` frames of which the first is number `first`. */
__device__ static void send_multi(doca_gpu_eth_txq *txq, char *frames, uint32_t key,
                                  uint32_t segments, uint32_t first, uint64_t *words)
{
    const uint64_t num = (segments + 2 + 3) / 4;
    const uint64_t at =
        doca_gpu_dev_eth_atomic_add<uint64_t, DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU>(
            &txq->wqe_pi, num);

    for (uint32_t i = 0; i < segments; i++) {
        doca_gpu_dev_eth_txq_wqe *wqe =
            doca_gpu_dev_eth_txq_get_wqe_ptr(txq, (uint16_t)(at + (i + 2) / 4));

        *(uint32_t *)(frames + i * STRIDE + 16) = first + i;
        if (doca_gpu_dev_eth_txq_wqe_prepare_send_empw(
                txq, wqe, (uint16_t)at, segments, i, (uint64_t)(frames + i * STRIDE), key, LENGTH,
                i == 0 ? DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY : DOCA_GPUNETIO_ETH_SEND_FLAG_NONE) !=
            DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
    }
    doca_gpu_dev_eth_txq_update_dbr(txq, first * 77);
    doca_gpu_dev_eth_txq_ring_db(txq, txq->wqe_pi);
}

__global__ void send_all(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t *words)
{
    uint32_t first = 0;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t segments = round % MOST + 1;

        wait_for_room(first, words);
        send_multi(txq, frames, key, segments, first, words);
        if (doca_gpu_dev_eth_txq_poll_completion_at(txq, round, DOCA_GPUNETIO_ETH_WAIT_FLAG_B) !=
            DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
        first += segments;
    }
}

__global__ void receive(doca_gpu_eth_rxq *rxq, uint64_t *words)
{
    uint32_t seen = 0;

    while (seen < FRAMES) {
        uint64_t first = 0;
        uint32_t num = 0;

        if (doca_gpu_dev_eth_rxq_recv(rxq, 32, 200000, &first, &num,
                                      (doca_gpu_dev_eth_rxq_attr *)nullptr) != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 3;
        for (uint32_t i = 0; i < num; i++) {
            const char *at = (const char *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);

            if (*(const uint32_t *)(at + 16) != seen + i)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 4;
        }
        seen += num;
        DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) = seen;
    }
    /* Nothing came twice. */
    uint64_t first;
    uint32_t num = 0;

    if (doca_gpu_dev_eth_rxq_recv(rxq, 32, 1000000, &first, &num,
                                  (doca_gpu_dev_eth_rxq_attr *)nullptr) != DOCA_SUCCESS ||
        num != 0)
        DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 5;
}

static void make_frames(memory &frames)
{
    for (uint32_t i = 0; i < MOST; i++)
        make_frame(frames.cpu + i * STRIDE, LENGTH, i);
}

static void many_frames_a_slot(ends &e)
{
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 64);
    memory frames(e, 0, MOST * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);
    streams s;

    make_frames(frames);
    receive<<<1, 1, 0, s.at[0]>>>(rx.handle, words.gpu);
    send_all<<<1, 1, 0, s.at[1]>>>(tx.handle, frames.gpu, frames.key_be, words.gpu);
    s.wait();
    printf("%llu received, wrong: %llu\n", (unsigned long long)words.cpu[RECEIVED],
           (unsigned long long)words.cpu[WRONG]);
    CHECK(words.cpu[RECEIVED] == FRAMES && words.cpu[WRONG] == 0);
}

/* Nothing is sent, and so nothing completed, before the CPU rings. */
__global__ void look(doca_gpu_eth_txq *txq, char *frame, uint32_t key, uint64_t *words)
{
    doca_gpu_dev_eth_ticket_t ticket;

    doca_gpu_dev_eth_txq_send(txq, (uint64_t)frame, key, LENGTH, DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY,
                              &ticket);
    do {
        if (doca_gpu_dev_eth_txq_poll_completion_at(txq, 0, DOCA_GPUNETIO_ETH_WAIT_FLAG_NB) !=
            DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
        if (DOCA_GPUNETIO_VOLATILE(words[LOOKED]) < 100 && txq->cqe_ci != 0)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
        DOCA_GPUNETIO_VOLATILE(words[LOOKED]) = words[LOOKED] + 1;
    } while (DOCA_GPUNETIO_VOLATILE(txq->cqe_ci) == 0);
}

static void looks_in_vain(ends &e)
{
    sender tx(e, 0, 64, true);
    memory frame(e, 0, 4096, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);

    make_frame(frame.cpu, LENGTH, 0);
    look<<<1, 1>>>(tx.handle, frame.gpu, frame.key_be, words.gpu);
    await([&] { return DOCA_GPUNETIO_VOLATILE(words.cpu[LOOKED]) >= 100; });
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    await([&] {
        OK(doca_eth_txq_gpu_cpu_proxy_progress(tx.txq));
        return cudaStreamQuery(0) == cudaSuccess;
    });
    CHECK(words.cpu[WRONG] == 0 && tx.handle->cqe_ci == 1);
}

__global__ void send_until_told(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t *words)
{
    /* All lanes go on, or none. */
    while (!__shfl_sync(0xffffffff, (uint64_t)DOCA_GPUNETIO_VOLATILE(words[EXIT]), 0)) {
        doca_gpu_dev_eth_ticket_t ticket;
        uint32_t done;

        if (threadIdx.x == 0)
            DOCA_GPUNETIO_VOLATILE(words[BEGUN]) = words[BEGUN] + 1;
        doca_gpu_dev_eth_txq_send<
            DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
            DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(
            txq, (uint64_t)(frames + threadIdx.x * STRIDE), key, LENGTH,
            threadIdx.x == 31 ? DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY
                              : DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
            &ticket);
        if (threadIdx.x == 0 &&
            doca_gpu_dev_eth_txq_poll_completion<DOCA_GPUNETIO_ETH_CQ_POLL_LAST>(
                txq, 1, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &done) != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
        __syncwarp();
    }
}

static struct doca_flow_port *start_port(struct doca_dev *dev)
{
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_cfg *cfg;
    struct doca_flow_port *port;

    OK(doca_flow_cfg_create(&cfg));
    OK(doca_flow_cfg_set_mode_args(cfg, "vnf,isolated"));
    OK(doca_flow_init(cfg));
    OK(doca_flow_cfg_destroy(cfg));
    OK(doca_flow_port_cfg_create(&port_cfg));
    OK(doca_flow_port_cfg_set_port_id(port_cfg, 0));
    OK(doca_flow_port_cfg_set_dev(port_cfg, dev));
    OK(doca_flow_port_start(port_cfg, &port));
    OK(doca_flow_port_cfg_destroy(port_cfg));
    return port;
}

static void ends_when_told(ends &e)
{
    struct doca_flow_port *port = start_port(e.dev[0]);
    shared_words<uint64_t> words(e, WORDS);
    memory *frames = new memory(e, 0, MOST * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    sender *tx = new sender(e, 0, 8192);
    uint64_t begun;

    make_frames(*frames);
    send_until_told<<<1, 32>>>(tx->handle, frames->gpu, frames->key_be, words.gpu);
    await([&] { return DOCA_GPUNETIO_VOLATILE(words.cpu[BEGUN]) >= 100; });
    DOCA_GPUNETIO_VOLATILE(words.cpu[EXIT]) = 1;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    begun = DOCA_GPUNETIO_VOLATILE(words.cpu[BEGUN]);
    CUDA(cudaDeviceSynchronize());
    /* One may have looked before it was told. */
    CHECK(words.cpu[BEGUN] <= begun + 1 && words.cpu[WRONG] == 0);
    OK(doca_ctx_stop(tx->ctx));
    OK(doca_gpu_mem_free(e.gpu, frames->gpu));
    OK(doca_eth_txq_destroy(tx->txq));
    OK(doca_flow_port_stop(port));
    OK(doca_mmap_destroy(frames->map));
    doca_flow_destroy();
    operator delete(tx); /* what they own is gone */
    operator delete(frames);
}

static void test()
{
    ends e;

    many_frames_a_slot(e);
    looks_in_vain(e);
    ends_when_told(e);
}

int main()
{
    return ends_on({"loop"}, test);
}

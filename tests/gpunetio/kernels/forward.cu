/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets are sent from the slots in which they lie: back to where they came from, with the key of
 * the ring (GP-4), and out of the other device, with a key of the same memory for that one (GX-7).
 * The ring is in memory of cudaMalloc, and of cudaMallocHost. No progress engine, no Flow, no queue
 * id (GX-8). */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#define FRAMES    600u
#define SLOTS     256u
#define STRIDE    512u
#define LENGTH    100u
#define SENT_BACK 0x80000000u /* of a frame's number */

enum word { RECEIVED, WRONG, EXIT, WORDS };

/* A ring whose memory is the program's own; both devices may send from it. */
struct own_ring {
    void *slots;
    struct doca_mmap *map;
    uint32_t key_be[2];
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    struct doca_gpu_eth_rxq *handle;
    bool is_pinned;

    own_ring(ends &e, int dev, bool is_pinned) : is_pinned(is_pinned)
    {
        CUDA(is_pinned ? cudaMallocHost(&slots, SLOTS * STRIDE)
                       : cudaMalloc(&slots, SLOTS * STRIDE));
        OK(doca_mmap_create(&map));
        OK(doca_mmap_add_dev(map, e.dev[0]));
        OK(doca_mmap_add_dev(map, e.dev[1]));
        OK(doca_mmap_set_memrange(map, slots, SLOTS * STRIDE));
        OK(doca_mmap_start(map));
        for (int i = 0; i < 2; i++) {
            OK(doca_mmap_get_mkey(map, e.dev[i], &key_be[i]));
            key_be[i] = __builtin_bswap32(key_be[i]);
        }
        OK(doca_eth_rxq_create(e.dev[dev], SLOTS, STRIDE, &rxq));
        OK(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
        OK(doca_eth_rxq_set_pkt_buf(rxq, map, 0, SLOTS * STRIDE));
        ctx = doca_eth_rxq_as_doca_ctx(rxq);
        OK(doca_ctx_set_datapath_on_gpu(ctx, e.gpu));
        OK(doca_ctx_start(ctx));
        OK(doca_eth_rxq_get_gpu_handle(rxq, &handle));
    }

    ~own_ring()
    {
        OK(doca_ctx_stop(ctx));
        OK(doca_eth_rxq_destroy(rxq));
        OK(doca_mmap_destroy(map));
        CUDA(is_pinned ? cudaFreeHost(slots) : cudaFree(slots));
    }
};

__global__ void send(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t *words)
{
    for (uint32_t n = 0; n < FRAMES; n++) {
        char *at = frames + n % SLOTS * STRIDE;
        doca_gpu_dev_eth_ticket_t ticket;

        while (n - DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) >= SLOTS / 4 &&
               !DOCA_GPUNETIO_VOLATILE(words[EXIT])) {
        }
        *(uint32_t *)(at + 16) = n;
        doca_gpu_dev_eth_txq_send(txq, (uint64_t)at, key, LENGTH, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
                                  &ticket);
    }
}

/* One warp; each lane sends its packet on unless it came for the second time. */
__global__ void send_on(doca_gpu_eth_rxq *rxq, doca_gpu_eth_txq *txq, uint32_t key, uint64_t *words)
{
    uint64_t first;
    uint32_t num;

    while (!DOCA_GPUNETIO_VOLATILE(words[EXIT])) {
        if (doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(
                rxq, 32, 200000, &first, &num, (doca_gpu_dev_eth_rxq_attr *)nullptr) !=
            DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
        if (threadIdx.x < num) {
            uint64_t addr = doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + threadIdx.x);
            uint32_t *number = (uint32_t *)(addr + 16);
            doca_gpu_dev_eth_ticket_t ticket;

            if (*number & SENT_BACK) {
                atomicAdd((unsigned long long *)&words[RECEIVED], 1ull);
            } else {
                *number |= SENT_BACK;
                doca_gpu_dev_eth_txq_send(txq, addr, key, LENGTH, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
                                          &ticket);
            }
        }
        __syncwarp();
    }
}

/* Frames that were sent back, in their order. */
__global__ void receive(doca_gpu_eth_rxq *rxq, uint64_t *words)
{
    uint32_t total = 0;

    while (total < FRAMES && !DOCA_GPUNETIO_VOLATILE(words[EXIT])) {
        uint64_t first;
        uint32_t num;

        if (doca_gpu_dev_eth_rxq_recv(rxq, 32, 200000, &first, &num,
                                      (doca_gpu_dev_eth_rxq_attr *)nullptr) != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
        for (uint32_t i = 0; i < num; i++) {
            const char *at = (const char *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);

            if (*(const uint32_t *)(at + 16) != ((total + i) | SENT_BACK))
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 3;
        }
        total += num;
        DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) = total;
    }
}

static void make_frames(memory &frames)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        make_frame(frames.cpu + i * STRIDE, LENGTH, i);
}

static void await_all(shared_words<uint64_t> &words, streams &s)
{
    await([&] { return DOCA_GPUNETIO_VOLATILE(words.cpu[RECEIVED]) >= FRAMES; });
    DOCA_GPUNETIO_VOLATILE(words.cpu[EXIT]) = 1;
    s.wait();
    printf("%llu came back, wrong: %llu\n", (unsigned long long)words.cpu[RECEIVED],
           (unsigned long long)words.cpu[WRONG]);
    CHECK(words.cpu[RECEIVED] == FRAMES && words.cpu[WRONG] == 0);
}

/* From A to B and back. */
static void echo(ends &e, bool is_pinned)
{
    own_ring ring(e, 1, is_pinned);
    receiver back(e, 0, SLOTS, STRIDE);
    sender there(e, 0, 64), here(e, 1, 64);
    memory frames(e, 0, SLOTS * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);
    streams s;

    make_frames(frames);
    CHECK(ring.handle->pkt_mkey == ring.key_be[1]);
    send_on<<<1, 32, 0, s.at[0]>>>(ring.handle, here.handle, ring.handle->pkt_mkey, words.gpu);
    receive<<<1, 1, 0, s.at[1]>>>(back.handle, words.gpu);
    send<<<1, 1, 0, s.at[2]>>>(there.handle, frames.gpu, frames.key_be, words.gpu);
    await_all(words, s);
}

/* From A to B, and from B's slots out of A once more. */
static void forward(ends &e, bool is_pinned)
{
    own_ring ring(e, 1, is_pinned);
    sender tx(e, 0, 64), other(e, 0, 64);
    memory frames(e, 0, SLOTS * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);
    streams s;

    make_frames(frames);
    CHECK(ring.key_be[0] != ring.key_be[1]);
    send_on<<<1, 32, 0, s.at[0]>>>(ring.handle, other.handle, ring.key_be[0], words.gpu);
    send<<<1, 1, 0, s.at[2]>>>(tx.handle, frames.gpu, frames.key_be, words.gpu);
    await_all(words, s);
}

static void test()
{
    ends e;

    for (bool is_pinned : {false, true}) {
        echo(e, is_pinned);
        forward(e, is_pinned);
    }
}

int main()
{
    return ends_on({"loop", "af_packet", "af_xdp"}, test);
}

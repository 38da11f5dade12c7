/* SPDX-License-Identifier: BSD-3-Clause */
/* Two blocks hand batches to each other by semaphores and meet at a counter; one thread of each
 * waits for its peer while 511 wait for it. On all processors, and on a single one. (GX-5) */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#include <sched.h>

#include <doca_gpunetio_dev_sem.cuh>

#define FRAMES  2000u
#define SLOTS   256u
#define STRIDE  256u
#define LENGTH  64u
#define THREADS 512u
#define ITEMS   3u

enum word { RECEIVED, CHECKED, MET, WRONG, WORDS };

struct batch {
    uint64_t first;
    uint32_t num;
};

__global__ void send(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t *words)
{
    for (uint32_t n = 0; n < FRAMES; n++) {
        char *at = frames + n % SLOTS * STRIDE;
        doca_gpu_dev_eth_ticket_t ticket;

        while (n - DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) >= SLOTS / 4) {
        }
        *(uint32_t *)(at + 16) = n;
        doca_gpu_dev_eth_txq_send(txq, (uint64_t)at, key, LENGTH, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
                                  &ticket);
    }
}

/* What the first block does for a batch: receive it, and hand it on when the place is free. */
__device__ static void hand_on(doca_gpu_eth_rxq *rxq, doca_gpu_semaphore_gpu *sem, uint32_t item,
                               batch *b, uint64_t *words)
{
    enum doca_gpu_semaphore_status status;

    do {
        if (doca_gpu_dev_eth_rxq_recv(rxq, 32, 200000, &b->first, &b->num,
                                      (doca_gpu_dev_eth_rxq_attr *)nullptr) != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
    } while (b->num == 0);
    do {
        doca_gpu_dev_semaphore_get_status(sem, item, &status);
    } while (status != DOCA_GPU_SEMAPHORE_STATUS_FREE);
    doca_gpu_dev_semaphore_set_packet_info(sem, item, DOCA_GPU_SEMAPHORE_STATUS_READY, b->num,
                                           b->first);
}

/* And the second one: take it. */
__device__ static void take(doca_gpu_semaphore_gpu *sem, uint32_t item, batch *b)
{
    while (doca_gpu_dev_semaphore_get_packet_info_status(sem, item, DOCA_GPU_SEMAPHORE_STATUS_READY,
                                                         &b->num, &b->first) != DOCA_SUCCESS) {
    }
}

/* All threads of both blocks are here. */
__device__ static void meet(uint32_t round, uint64_t *words)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd((unsigned long long *)&words[MET], 1ull);
        while (DOCA_GPUNETIO_VOLATILE(words[MET]) < 2 * (round + 1ull)) {
        }
    }
    __syncthreads();
}

__global__ void work(doca_gpu_eth_rxq *rxq, doca_gpu_semaphore_gpu *sem, uint64_t *words)
{
    __shared__ batch b;
    uint32_t total = 0;

    for (uint32_t round = 0; total < FRAMES; round++) {
        const uint32_t item = round % ITEMS;

        if (threadIdx.x == 0) {
            if (blockIdx.x == 0)
                hand_on(rxq, sem, item, &b, words);
            else
                take(sem, item, &b);
        }
        __syncthreads();
        if (blockIdx.x == 1 && threadIdx.x < b.num) {
            const char *at =
                (const char *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, b.first + threadIdx.x);

            if (*(const uint32_t *)(at + 16) != total + threadIdx.x)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
            atomicAdd((unsigned long long *)&words[CHECKED], 1ull);
        }
        total += b.num;
        meet(round, words);
        if (blockIdx.x == 1 && threadIdx.x == 0) {
            doca_gpu_dev_semaphore_set_status(sem, item, DOCA_GPU_SEMAPHORE_STATUS_FREE);
            DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) = total;
        }
    }
}

static void test()
{
    ends e;
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 64);
    memory frames(e, 0, SLOTS * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);
    struct doca_gpu_semaphore *sem;
    struct doca_gpu_semaphore_gpu *handle;
    streams s;

    OK(doca_gpu_semaphore_create(e.gpu, &sem));
    OK(doca_gpu_semaphore_set_memory_type(sem, DOCA_GPU_MEM_TYPE_GPU));
    OK(doca_gpu_semaphore_set_items_num(sem, ITEMS));
    OK(doca_gpu_semaphore_start(sem));
    OK(doca_gpu_semaphore_get_gpu_handle(sem, &handle));
    for (uint32_t i = 0; i < SLOTS; i++)
        make_frame(frames.cpu + i * STRIDE, LENGTH, i);
    work<<<2, THREADS, 0, s.at[0]>>>(rx.handle, handle, words.gpu);
    send<<<1, 1, 0, s.at[1]>>>(tx.handle, frames.gpu, frames.key_be, words.gpu);
    s.wait();
    printf("%llu checked in %llu meetings, wrong: %llu\n", (unsigned long long)words.cpu[CHECKED],
           (unsigned long long)words.cpu[MET] / 2, (unsigned long long)words.cpu[WRONG]);
    CHECK(words.cpu[CHECKED] == FRAMES && words.cpu[WRONG] == 0);
    OK(doca_gpu_semaphore_destroy(sem));
}

static void on_one_processor()
{
    cpu_set_t all, one;
    int cpu = 0;

    CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
    test();
}

int main()
{
    int rc = ends_on({"loop"}, test);

    return rc != 0 ? rc : ends_on({"loop"}, on_one_processor);
}

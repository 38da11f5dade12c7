/* SPDX-License-Identifier: BSD-3-Clause */
/* Doorbells by way of the CPU: nothing is sent before it looks; then a million numbers arrive one by
 * one, none lost and none twice, whatever number of sends is out at once. (GS-4) */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#include <atomic>
#include <thread>

#define SLOTS  1024u
#define STRIDE 128u
#define LENGTH 64u

/* All indexes wrap in either case. */
#define SENDS(depth) (!ENDS_SANITIZED ? 1000000u : (depth) == 64 ? 70000u : 10000u)

enum word { RECEIVED, WRONG, WORDS };

__global__ void send(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t total,
                     uint32_t depth, uint64_t *words)
{
    for (uint64_t n = 0; n < total; n++) {
        char *at = frames + n % depth * STRIDE;
        doca_gpu_dev_eth_ticket_t ticket;

        if (n >= depth && doca_gpu_dev_eth_txq_poll_completion_at(
                              txq, n - depth, DOCA_GPUNETIO_ETH_WAIT_FLAG_B) != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
        while (n - DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) >= SLOTS / 2) {
        }
        *(uint32_t *)(at + 16) = (uint32_t)n;
        doca_gpu_dev_eth_txq_send(txq, (uint64_t)at, key, LENGTH,
                                  DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
    }
}

__global__ void receive(doca_gpu_eth_rxq *rxq, uint64_t total, uint64_t *words)
{
    for (uint64_t seen = 0; seen < total;) {
        uint64_t first;
        uint32_t num;

        if (doca_gpu_dev_eth_rxq_recv(rxq, 32, 100000, &first, &num,
                                      (doca_gpu_dev_eth_rxq_attr *)nullptr) != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
        for (uint32_t i = 0; i < num; i++) {
            char *at = (char *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);

            if (*(uint32_t *)(at + 16) != (uint32_t)(seen + i))
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 3;
        }
        seen += num;
        DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) = seen;
    }
}

static void run(ends &e, uint64_t total, uint32_t depth)
{
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 128, true);
    memory frames(e, 0, 128 * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);
    std::atomic<bool> over{false};
    streams s;

    for (uint32_t i = 0; i < 128; i++)
        make_frame(frames.cpu + i * STRIDE, LENGTH, i);
    receive<<<1, 1, 0, s.at[0]>>>(rx.handle, total, words.gpu);
    send<<<1, 1, 0, s.at[1]>>>(tx.handle, frames.gpu, frames.key_be, total, depth, words.gpu);

    const uint64_t *rung = (const uint64_t *)tx.handle->shared_mem_addr_cpu;
    while (__atomic_load_n(rung, __ATOMIC_ACQUIRE) < depth)
        std::this_thread::yield();
    for (int i = 0; i < 100; i++)
        std::this_thread::yield();
    CHECK(__atomic_load_n(&words.cpu[RECEIVED], __ATOMIC_RELAXED) == 0);
    std::thread proxy([&] {
        while (!over) {
            OK(doca_eth_txq_gpu_cpu_proxy_progress(tx.txq));
            std::this_thread::yield();
        }
    });
    s.wait();
    over = true;
    proxy.join();
    printf("depth %u: %llu received, wrong: %llu\n", depth, (unsigned long long)words.cpu[RECEIVED],
           (unsigned long long)words.cpu[WRONG]);
    CHECK(words.cpu[RECEIVED] == total && words.cpu[WRONG] == 0);
}

static void test()
{
    ends e;

    for (uint32_t depth : {4u, 64u, 128u})
        run(e, SENDS(depth), depth);
}

int main()
{
    return ends_on({"loop"}, test);
}

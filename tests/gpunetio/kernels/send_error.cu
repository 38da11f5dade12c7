/* SPDX-License-Identifier: BSD-3-Clause */
/* The third of eight sends fails: the poll tells it, and the kernel ends. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#define LENGTH 100u

enum word { DONE, FAILED_AT, WORDS };

__global__ void send_eight(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t *words)
{
    for (uint32_t n = 0; n < 8; n++) {
        doca_gpu_dev_eth_ticket_t ticket;

        doca_gpu_dev_eth_txq_send(txq, (uint64_t)frames, key, LENGTH,
                                  DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
    }
    for (uint32_t n = 0; n < 8; n++) {
        uint32_t done;

        if (doca_gpu_dev_eth_txq_poll_completion(txq, 1, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &done) !=
            DOCA_SUCCESS) {
            DOCA_GPUNETIO_VOLATILE(words[FAILED_AT]) = n;
            return;
        }
        DOCA_GPUNETIO_VOLATILE(words[DONE]) = n + 1;
    }
}

static void test()
{
    ends e;
    sender tx(e, 0, 64);
    memory frames(e, 0, 4096, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);

    make_frame(frames.cpu, LENGTH, 1);
    send_eight<<<1, 1>>>(tx.handle, frames.gpu, frames.key_be, words.gpu);
    CUDA(cudaDeviceSynchronize());
    printf("%llu sent, failed at %llu\n", (unsigned long long)words.cpu[DONE],
           (unsigned long long)words.cpu[FAILED_AT]);
    CHECK(words.cpu[DONE] == 2 && words.cpu[FAILED_AT] == 2);
}

int main()
{
    return ends_on({"third_fails"}, test);
}

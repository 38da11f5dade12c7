/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that send: blocks that share a queue and its completions, also for ten seconds, and a
 * queue of one block that computes its places. (GS-2, GS-3) */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#define ROUNDS 100u
#define STRIDE 256u
#define LENGTH 100u

#define SECONDS (ENDS_SANITIZED ? 1u : 10u)

enum word { ASKED, DONE, WRONG, WORDS };

template <doca_gpu_dev_eth_exec_scope scope>
__global__ void send_shared(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t until,
                            uint64_t *words)
{
    char *at = frames + (blockIdx.x * blockDim.x + threadIdx.x) * STRIDE;
    __shared__ bool over;

    for (uint32_t round = 0;; round++) {
        doca_gpu_dev_eth_ticket_t ticket;
        uint32_t done = 0;

        doca_gpu_dev_eth_txq_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
                                  DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
                                  DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, scope>(
            txq, (uint64_t)at, key, LENGTH, DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
        __syncthreads();
        if (threadIdx.x == 0) {
            if (doca_gpu_dev_eth_txq_poll_completion<DOCA_GPUNETIO_ETH_CQ_POLL_LAST>(
                    txq, blockDim.x, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &done) != DOCA_SUCCESS ||
                done != blockDim.x)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
            atomicAdd((unsigned long long *)&words[DONE], done);
            atomicAdd((unsigned long long *)&words[ASKED], (unsigned long long)blockDim.x);
            over = round + 1 >= ROUNDS && doca_gpu_dev_eth_query_globaltimer() >= until;
        }
        __syncthreads();
        if (over)
            return;
    }
}

/* Places are computed, the last thread submits and waits for the one completion of its round. */
__global__ void send_alone(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t,
                           uint64_t *words)
{
    uint64_t index = threadIdx.x;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        doca_gpu_dev_eth_txq_wqe *wqe = doca_gpu_dev_eth_txq_get_wqe_ptr(txq, (uint16_t)index);
        bool is_last = threadIdx.x == blockDim.x - 1;

        doca_gpu_dev_eth_txq_wqe_prepare_send(
            txq, wqe, (uint16_t)index, (uint64_t)(frames + threadIdx.x * STRIDE), key, LENGTH,
            is_last ? DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY : DOCA_GPUNETIO_ETH_SEND_FLAG_NONE);
        __syncthreads();
        if (is_last) {
            doca_gpu_dev_eth_txq_submit<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE>(
                txq, index + 1);
            if (doca_gpu_dev_eth_txq_poll_completion_at<
                    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE>(
                    txq, round, DOCA_GPUNETIO_ETH_WAIT_FLAG_B) != DOCA_SUCCESS)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
            DOCA_GPUNETIO_VOLATILE(words[DONE]) = words[DONE] + 1;
            DOCA_GPUNETIO_VOLATILE(words[ASKED]) = words[ASKED] + 1;
        }
        __syncthreads();
        index += blockDim.x;
    }
}

template <typename Kernel>
static void run(ends &e, const char *name, Kernel kernel, int blocks, uint64_t least,
                uint64_t seconds = 0)
{
    sender tx(e, 0, 256);
    memory frames(e, 0, 128 * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);

    for (uint32_t i = 0; i < 128; i++)
        make_frame(frames.cpu + i * STRIDE, LENGTH, i);
    kernel<<<blocks, 64>>>(tx.handle, frames.gpu, frames.key_be, now_ns() + seconds * 1000000000,
                           words.gpu);
    CUDA(cudaDeviceSynchronize());
    printf("%s: %llu completions, wrong: %llu\n", name, (unsigned long long)words.cpu[DONE],
           (unsigned long long)words.cpu[WRONG]);
    CHECK(words.cpu[DONE] == words.cpu[ASKED] && words.cpu[DONE] >= least && words.cpu[WRONG] == 0);
}

static void test()
{
    ends e;

    run(e, "thread", send_shared<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>, 2, 2 * 64 * ROUNDS,
        SECONDS);
    run(e, "warp", send_shared<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>, 2, 2 * 64 * ROUNDS);
    run(e, "block", send_shared<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>, 2, 2 * 64 * ROUNDS);
    run(e, "alone", send_alone, 1, ROUNDS);
}

int main()
{
    return ends_on({"loop"}, test);
}

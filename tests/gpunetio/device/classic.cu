/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the API up to 3.0: an echo by strong and weak positions, and what they refuse. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "nic.h"

/* Sends back what came: strong or weak positions in turn, with a completion for the last packet. */
__global__ void echo(doca_gpu_eth_rxq *rxq, doca_gpu_eth_txq *txq, uint32_t total, int *wrong)
{
    uint32_t seen = 0;

    for (unsigned int round = 0; seen < total; round++) {
        uint32_t num = 77, position = 0, mask = 0, done = 0, bytes = 0;
        uint64_t first = 77, ns = 0;
        doca_gpu_buf *buf = NULL;
        doca_error_t code = doca_gpu_dev_eth_rxq_receive_block(rxq, blockDim.x, 1000000, &num, &first);

        CHECK_IN_KERNEL(code == DOCA_SUCCESS && num <= blockDim.x, wrong);
        if (!num)
            continue;
        CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_get_info(txq, &position, &mask) == DOCA_SUCCESS, wrong);
        CHECK_IN_KERNEL(mask == txq->wqe_mask && position == (seen & mask), wrong);
        __syncthreads();
        if (threadIdx.x < num) {
            uint32_t flags = threadIdx.x == num - 1 ? DOCA_GPU_SEND_FLAG_NOTIFY : DOCA_GPU_SEND_FLAG_NONE;

            CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_buf(rxq, first + threadIdx.x, &buf) == DOCA_SUCCESS, wrong);
            CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_buf_bytes(rxq, first + threadIdx.x, &bytes) ==
                                DOCA_SUCCESS && bytes == 64, wrong);
            CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_buf_timestamp(rxq, first + threadIdx.x, &ns) ==
                                DOCA_SUCCESS && ns == rx_end::time_of(seen + threadIdx.x), wrong);
            code = round % 2 ? doca_gpu_dev_eth_txq_send_enqueue_strong(txq, buf, bytes, flags)
                             : doca_gpu_dev_eth_txq_send_enqueue_weak(
                                   txq, buf, bytes, (position + threadIdx.x) & mask, flags);
            CHECK_IN_KERNEL(code == DOCA_SUCCESS, wrong);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            code = round % 2 ? doca_gpu_dev_eth_txq_commit_strong(txq)
                             : doca_gpu_dev_eth_txq_commit_weak(txq, num);
            CHECK_IN_KERNEL(code == DOCA_SUCCESS, wrong);
            CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_push(txq) == DOCA_SUCCESS, wrong);
            CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wait_completion(txq, 1, DOCA_GPU_ETH_TXQ_WAIT_FLAG_B, &done) ==
                                DOCA_SUCCESS && done == 1, wrong);
        }
        seen += num;
        __syncthreads();
    }
}

static void check_echo(int *wrong)
{
    rx_end in(128, 64);
    tx_end out(64);
    const uint32_t total = 3000;

    echo<<<1, 48>>>(in.q, out.q, total, wrong);
    while (cudaStreamQuery(0) == cudaErrorNotReady) {
        /* Not more than what one round can hold: weak positions do not look for room. */
        if (in.stored < total && in.stored < out.taken + 48)
            (void)in.store();
        out.take();
    }
    OK(cudaDeviceSynchronize());
    CHECK(out.frames.size() == total && in.words->posted == total + 128);
}

/* A full ring, waits, one that strong and weak share, and the end of the ring. */
__global__ void by_hand(doca_gpu_eth_rxq *rxq, doca_gpu_eth_txq *txq, int *wrong)
{
    doca_gpu_buf *buf;
    uint32_t num, position, mask;
    uint64_t first;
    const doca_error_t invalid = DOCA_ERROR_INVALID_VALUE;

    doca_gpu_dev_eth_rxq_get_buf(rxq, 3, &buf);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_send_enqueue_strong(txq, buf, 60, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wait_time_enqueue_weak(txq, 99, 1, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_send_enqueue_strong(txq, buf, 62, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_send_enqueue_weak(txq, buf, 63, 3, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_commit_weak(txq, 4) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_get_info(txq, &position, &mask) == DOCA_SUCCESS && position == 4, wrong);
    for (int i = 4; i < 64; i++)
        CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wait_time_enqueue_strong(txq, i, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_send_enqueue_strong(txq, buf, 60, 0) == DOCA_ERROR_AGAIN, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wait_time_enqueue_strong(txq, 1, 0) == DOCA_ERROR_AGAIN, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_commit_strong(txq) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_get_info(txq, &position, &mask) == DOCA_SUCCESS && position == 0, wrong);
    CHECK_IN_KERNEL(((opendoca_gpu_tx_words *)txq->opendoca.words)->doorbell == 0, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_push(txq) == DOCA_SUCCESS, wrong);

    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_receive_thread(rxq, 0, 1, &num, &first) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_receive_warp(rxq, 0, 1, &num, &first) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_receive_block(NULL, 1, 1, &num, &first) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_receive_block(rxq, 0, 1000, &num, &first) == DOCA_SUCCESS && !num, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_receive_warp(rxq, 1, 1000, &num, &first) == DOCA_SUCCESS && !num, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_receive_thread(rxq, 1, 1000, &num, &first) == DOCA_SUCCESS && !num, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_buf(rxq, 0, NULL) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_buf_bytes(NULL, 0, &num) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_buf_timestamp(rxq, 0, NULL) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_send_enqueue_strong(txq, NULL, 60, 0) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_send_enqueue_weak(NULL, buf, 60, 0, 0) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wait_time_enqueue_strong(NULL, 0, 0) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wait_time_enqueue_weak(NULL, 0, 0, 0) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_get_info(txq, NULL, &mask) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_commit_strong(NULL) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_commit_weak(NULL, 1) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_push(NULL) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wait_completion(NULL, 1, DOCA_GPU_ETH_TXQ_WAIT_FLAG_NB, &num) == invalid,
                    wrong);
}

static void check_by_hand(int *wrong)
{
    rx_end in(16, 64);
    tx_end out(64);

    by_hand<<<1, 1>>>(in.q, out.q, wrong);
    OK(cudaDeviceSynchronize());
    out.take();
    CHECK(out.taken == 64 && out.frames.size() == 64);
    for (unsigned int i = 0; i < 64; i++) {
        bool sends = i < 4 && i != 1;

        CHECK(out.frames[i].opcode == (sends ? OPENDOCA_GPU_SLOT_SEND : OPENDOCA_GPU_SLOT_WAIT));
        CHECK(sends ? out.frames[i].bytes == 60 + i : out.frames[i].time_be == (i == 1 ? 99 : i));
        CHECK(!sends || out.frames[i].addr == in.q->pkt_addr + 3 * 64);
    }
}

int main()
{
    int *wrong = gpu_array<int>(1);

    check_echo(wrong);
    check_by_hand(wrong);
    CHECK(*wrong == 0);
    OK(cudaFree(wrong));
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Completions: who gets which, with and without waiting, those of failures, and queues without any. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "nic.h"

#define ALL    DOCA_GPUNETIO_ETH_CQ_POLL_ALL
#define LAST   DOCA_GPUNETIO_ETH_CQ_POLL_LAST
#define GPU    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU
#define SYNC   DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU
#define AUTO   DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO
#define NB     DOCA_GPUNETIO_ETH_WAIT_FLAG_NB
#define B      DOCA_GPUNETIO_ETH_WAIT_FLAG_B
#define NOTIFY DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY

/* What is there already. */
template <enum doca_gpu_dev_eth_cq_poll_mode mode> __global__ void present(doca_gpu_eth_txq *q, int *wrong)
{
    uint32_t done = 77;

    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion<mode>(q, 3, NB, &done) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(done == 3 && q->cqe_ci == 3, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion<mode>(q, 2, B, &done) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(done == 2 && q->cqe_ci == 5, wrong);
    /* Two are left: of more, they are all; then none is. */
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion<mode>(q, 10, NB, &done) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(done == 2 && q->cqe_ci == 7, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion<mode>(q, 10, NB, &done) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(done == 0 && q->cqe_ci == 7, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion<mode>(q, 0, B, &done) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(done == 0 && q->cq_rsvd_index == 7, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion_at(q, 7, NB) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(q->cqe_ci == 7, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion_at(q, 2, B) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(q->cqe_ci == 7, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion(q, 0, NB, NULL) == DOCA_SUCCESS, wrong);
}

template <enum doca_gpu_dev_eth_cq_poll_mode mode> static void check_present(int *wrong)
{
    tx_end nic(16);

    for (int i = 0; i < 7; i++)
        nic.complete(OPENDOCA_GPU_CQE_TX_OK, i);
    present<mode><<<1, 1>>>(nic.q, wrong);
    OK(cudaDeviceSynchronize());
    CHECK(nic.words->consumed == 7);
}

/* Eight sends of which the third fails. */
__global__ void send_eight(doca_gpu_eth_txq *q, doca_error_t *code, uint32_t *done)
{
    doca_gpu_dev_eth_ticket_t ticket;

    doca_gpu_dev_eth_txq_send(q, 0, 0, 64, NOTIFY, &ticket);
    __syncthreads();
    if (threadIdx.x == 0)
        *code = doca_gpu_dev_eth_txq_poll_completion(q, 8, B, done);
}

static void check_failure()
{
    tx_end nic(64);
    doca_error_t *code = gpu_array<doca_error_t>(1);
    uint32_t *done = gpu_array<uint32_t>(1);

    nic.fail_at = 2;
    send_eight<<<1, 8>>>(nic.q, code, done);
    nic.serve();
    CHECK(*code == DOCA_ERROR_UNEXPECTED && *done == 2 && nic.q->cqe_ci == 3);
    OK(cudaFree(code));
    OK(cudaFree(done));
}

__global__ void one_poll(doca_gpu_eth_txq *q, bool at, enum doca_gpu_dev_eth_wait_flags wait,
                         doca_error_t *code)
{
    uint32_t done;

    *code = at ? doca_gpu_dev_eth_txq_poll_completion_at(q, 0, wait)
               : doca_gpu_dev_eth_txq_poll_completion<LAST>(q, 1, wait, &done);
}

static void check_refusals()
{
    doca_error_t *code = gpu_array<doca_error_t>(1);

    for (int at = 0; at < 2; at++) {
        tx_end events(64), fails(64), stopped(64);

        events.q->opendoca.flags = 0;
        one_poll<<<1, 1>>>(events.q, at, NB, code);
        OK(cudaDeviceSynchronize());
        CHECK(*code == DOCA_ERROR_NOT_SUPPORTED);
        fails.complete(OPENDOCA_GPU_CQE_TX_ERROR, 0);
        one_poll<<<1, 1>>>(fails.q, at, NB, code);
        OK(cudaDeviceSynchronize());
        CHECK(*code == DOCA_ERROR_UNEXPECTED);
        stopped.words->state = OPENDOCA_GPU_QUEUE_BROKEN;
        one_poll<<<1, 1>>>(stopped.q, at, B, code);
        OK(cudaDeviceSynchronize());
        CHECK(*code == DOCA_ERROR_BAD_STATE);
        one_poll<<<1, 1>>>(NULL, at, B, code);
        OK(cudaDeviceSynchronize());
        CHECK(*code == DOCA_ERROR_INVALID_VALUE);
    }
    OK(cudaFree(code));
}

/* Blocks that share a queue: each thread asks for a completion, the first one of each block waits for as
 * many as the block has threads, whose ever they are. Without LAST the ring of completions may be lapped. */
template <enum doca_gpu_dev_eth_cq_poll_mode mode>
__global__ void shares(doca_gpu_eth_txq *q, unsigned int rounds, uint64_t *total, int *wrong)
{
    for (unsigned int round = 0; round < rounds; round++) {
        doca_gpu_dev_eth_ticket_t ticket;
        uint32_t done = 0;

        doca_gpu_dev_eth_txq_send<GPU, SYNC, AUTO>(q, threadIdx.x, 0, 64, NOTIFY, &ticket);
        __syncthreads();
        if (threadIdx.x == 0) {
            CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion<mode>(q, blockDim.x, B, &done) ==
                                DOCA_SUCCESS, wrong);
            CHECK_IN_KERNEL(done == blockDim.x, wrong);
            atomicAdd((unsigned long long *)total, (unsigned long long)done);
        }
        __syncthreads();
    }
}

template <enum doca_gpu_dev_eth_cq_poll_mode mode> static void check_shared(int *wrong)
{
    tx_end nic(128);
    uint64_t *total = gpu_array<uint64_t>(1);

    shares<mode><<<4, 32>>>(nic.q, 50, total, wrong);
    nic.serve();
    CHECK(*total == 4 * 32 * 50 && nic.completed == *total && nic.q->cqe_ci == *total);
    CHECK(nic.frames.size() == *total);
    OK(cudaFree(total));
}

/* One thread by hand, as programs do that count completions themselves: record k is that of round k. */
__global__ void alone(doca_gpu_eth_txq *q, uint64_t rounds, int *wrong)
{
    for (uint64_t k = 0; k < rounds; k++) {
        doca_gpu_dev_eth_txq_wqe_prepare_send(q, doca_gpu_dev_eth_txq_get_wqe_ptr(q, (uint16_t)k),
                                              (uint16_t)k, 1, 2, 64, NOTIFY);
        doca_gpu_dev_eth_txq_submit<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE>(q, k + 1);
        if (k % 2) {
            CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion_at(q, k, B) == DOCA_SUCCESS, wrong);
        } else {
            do {
                CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion_at(q, k, NB) == DOCA_SUCCESS, wrong);
            } while (DOCA_GPUNETIO_ETH_VOLATILE(q->cqe_ci) == k);
        }
        CHECK_IN_KERNEL(q->cqe_ci == k + 1, wrong);
    }
}

int main()
{
    int *wrong = gpu_array<int>(1);

    check_present<ALL>(wrong);
    check_present<LAST>(wrong);
    check_failure();
    check_refusals();
    check_shared<ALL>(wrong);
    check_shared<LAST>(wrong);
    {
        tx_end nic(64);
        alone<<<1, 1>>>(nic.q, 1000, wrong);
        nic.serve();
        CHECK(nic.frames.size() == 1000);
    }
    CHECK(*wrong == 0);
    OK(cudaFree(wrong));
    return 0;
}

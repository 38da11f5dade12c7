/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles that this device code cannot use: told once for each, and refused every time. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
// SAYS: ^doca_gpu_dev_eth_rxq_recv\(\): the handle is of version 99, this kernel was compiled for version 1; compile it against the headers of the installed library\ndoca_gpu_dev_eth_txq_send\(\): the handle is of version 98, [^\n]*\ndoca_gpu_dev_eth_txq_poll_completion\(\): its context was stopped, the handle is not valid any more\ndoca_gpu_dev_eth_rxq_recv\(\): not a handle \(0x0 at its mark\)\nthat was all$
#include "nic.h"

__global__ void receives(doca_gpu_eth_rxq *q, int *wrong)
{
    uint64_t first;
    uint32_t num;

    for (int i = 0; i < 3; i++) {
        CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(q, 8, 0, &first, &num,
                                                                                    NULL) ==
                            DOCA_ERROR_NOT_SUPPORTED, wrong);
        CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(q, 8, 0, &first, &num,
                                                                                     NULL) ==
                            DOCA_ERROR_NOT_SUPPORTED, wrong);
    }
}

__global__ void sends(doca_gpu_eth_txq *q, int *wrong)
{
    doca_gpu_dev_eth_ticket_t ticket = 5;

    for (int i = 0; i < 3; i++) {
        doca_gpu_dev_eth_txq_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
                                  DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU, DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                  DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(
            q, 1, 2, 64, DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
        CHECK_IN_KERNEL(ticket == 0, wrong);
    }
}

__global__ void polls(doca_gpu_eth_txq *q, int *wrong)
{
    uint32_t done;

    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_poll_completion(q, 1, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &done) ==
                        DOCA_ERROR_NOT_SUPPORTED, wrong);
}

int main()
{
    int *wrong = gpu_array<int>(1);
    rx_end other(16, 64), nothing(16, 64);
    tx_end another(64), gone(64);

    other.q->opendoca.version = 99;
    receives<<<1, 64>>>(other.q, wrong);
    another.q->opendoca.version = 98;
    OK(cudaDeviceSynchronize());
    sends<<<1, 64>>>(another.q, wrong);
    OK(cudaDeviceSynchronize());
    CHECK(another.words->doorbell == 0 && another.q->sq_rsvd_index == 0);
    gone.q->opendoca.magic = OPENDOCA_GPU_GONE_MAGIC;
    polls<<<1, 64>>>(gone.q, wrong);
    OK(cudaDeviceSynchronize());
    nothing.q->opendoca.magic = 0;
    receives<<<1, 64>>>(nothing.q, wrong);
    OK(cudaDeviceSynchronize());
    CHECK(*wrong == 0);
    printf("that was all\n");
    OK(cudaFree(wrong));
    return 0;
}

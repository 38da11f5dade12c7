/* SPDX-License-Identifier: BSD-3-Clause */
/* A function that the whole block must call, and does not: the report names it, and the kernel. */
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
// SAYS: kernel forgets, block 0 of 1, 64 threads: deadlock
// SAYS: 32 threads \(0\.\.31\) wait at a barrier: doca_gpu_dev_eth_rxq_recv_block at .*eth_rxq__funcs\.cuh:\d+
// SAYS: 1 thread \(32\) wait for lanes of their warp: opendoca_dev_tx_warp at .*eth_txq__funcs\.cuh:\d+
// SAYS: 31 threads \(33\.\.63\) wait at a barrier: forgets at .*deadlock\.cu:25
#include <unistd.h>

#include "nic.h"

__global__ void forgets(doca_gpu_eth_rxq *rxq, doca_gpu_eth_txq *txq)
{
    doca_gpu_dev_eth_ticket_t ticket;
    uint64_t first;
    uint32_t num;

    if (threadIdx.x < 32)
        doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(rxq, 1, 0, &first, &num, NULL);
    else if (threadIdx.x == 32)
        doca_gpu_dev_eth_txq_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
                                  DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU, DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                  DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(
            txq, 0, 0, 64, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE, &ticket);
    __syncthreads();
    __syncthreads();
}

int main()
{
    rx_end in(16, 64);
    tx_end out(64);

    CHECK(in.store());
    forgets<<<1, 64>>>(in.q, out.q);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    _exit(0); /* nothing can be freed any more */
}

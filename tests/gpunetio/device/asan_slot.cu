/* SPDX-License-Identifier: BSD-3-Clause */
/* AddressSanitizer sees a kernel that writes behind the last packet's slot, with the line. */
// NEEDS: echo 'int main(){}' | clang++ -x c++ -fsanitize=address - -o /dev/null
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API -Xcompiler -fsanitize=address
// FAILS: heap-buffer-overflow.*answers.*asan_slot\.cu:16
#include "nic.h"

__global__ void answers(doca_gpu_eth_rxq *q, int more)
{
    uint64_t first;
    uint32_t num;

    doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(q, 16, 0, &first, &num, NULL);
    if (threadIdx.x < num)
        ((uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(q, first + threadIdx.x))[63 + more] = 1;
}

int main()
{
    rx_end nic(16, 64);

    for (int more = 0; more < 2; more++) {
        for (int i = 0; i < 16; i++)
            CHECK(nic.store());
        answers<<<1, 32>>>(nic.q, more);
        OK(cudaDeviceSynchronize());
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that writes behind the slot of a ring's last packet is told of, with the line. (GE-8) */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
// FAILS: up to the end.*AddressSanitizer: SEGV.*answer.*past_slot\.cu:23
#include "ends.h"

#define SLOTS  64u
#define STRIDE 256u
#define LENGTH 64u

__global__ void answer(doca_gpu_eth_rxq *rxq, doca_gpu_eth_txq *txq, char *frame, uint32_t key,
                       uint32_t behind)
{
    for (uint32_t n = 0; n < SLOTS; n++) {
        doca_gpu_dev_eth_ticket_t ticket;
        uint64_t first;
        uint32_t num;

        doca_gpu_dev_eth_txq_send(txq, (uint64_t)frame, key, LENGTH,
                                  DOCA_GPUNETIO_ETH_SEND_FLAG_NONE, &ticket);
        doca_gpu_dev_eth_rxq_recv(rxq, 1, 0, &first, &num, (doca_gpu_dev_eth_rxq_attr *)nullptr);
        ((char *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first))[STRIDE - 1 + behind] = 1;
    }
}

static void test()
{
    ends e;
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 64);
    memory frame(e, 0, 4096, DOCA_GPU_MEM_TYPE_CPU_GPU);

    make_frame(frame.cpu, LENGTH, 0);
    for (uint32_t behind = 0; behind < 2; behind++) {
        answer<<<1, 1>>>(rx.handle, tx.handle, frame.gpu, frame.key_be, behind);
        CUDA(cudaDeviceSynchronize());
        printf("up to the end\n");
        fflush(stdout);
    }
}

int main()
{
    return ends_on({"loop"}, test);
}

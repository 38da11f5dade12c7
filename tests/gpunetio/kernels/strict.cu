/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame that is longer than a slot, where the devices file wants to be told of it: the kernel gets
 * what came before, with an error, and then what came behind. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#define FRAMES 1200u /* around the ring */
#define SLOTS  512u  /* so large that it could be received in place */
#define STRIDE 512u
#define LENGTH 100u
#define EVERY  5u /* so many are fine, the next one is too long */

enum word { RECEIVED, ERRORS, WRONG, WORDS };

__global__ void send(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t *words)
{
    for (uint32_t n = 0; n < FRAMES; n++) {
        char *at = frames + n % SLOTS * 2 * STRIDE;
        doca_gpu_dev_eth_ticket_t ticket;

        while (n - DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) >= SLOTS / 2) {
        }
        *(uint32_t *)(at + 16) = n;
        doca_gpu_dev_eth_txq_send(txq, (uint64_t)at, key,
                                  n % (EVERY + 1) == EVERY ? STRIDE + 1 : LENGTH,
                                  DOCA_GPUNETIO_ETH_SEND_FLAG_NONE, &ticket);
    }
}

/* RECEIVED counts those that are too long as well. */
template <doca_gpu_dev_eth_exec_scope scope>
__global__ void receive(doca_gpu_eth_rxq *rxq, uint64_t *words)
{
    __shared__ doca_gpu_dev_eth_rxq_attr attrs[SLOTS];
    uint32_t seen = 0, errors = 0;

    while (seen < FRAMES) {
        uint64_t first = 0;
        uint32_t num = 0;
        doca_error_t result = doca_gpu_dev_eth_rxq_recv<
            scope, DOCA_GPUNETIO_ETH_MCST_AUTO, DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
            DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(rxq, 32, 200000, &first, &num, attrs);

        for (uint32_t i = threadIdx.x; i < num; i += blockDim.x) {
            const char *at = (const char *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);

            if (at != (const char *)rxq->pkt_addr + (seen + i) % SLOTS * STRIDE ||
                *(const uint32_t *)(at + 16) != seen + i || attrs[i].bytes != LENGTH)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
        }
        seen += num;
        if (result == DOCA_ERROR_DRIVER && seen % (EVERY + 1) == EVERY) {
            seen++;
            errors++;
        } else if (result != DOCA_SUCCESS) {
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            DOCA_GPUNETIO_VOLATILE(words[ERRORS]) = errors;
            DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) = seen;
        }
    }
}

template <doca_gpu_dev_eth_exec_scope scope> static void run(ends &e, uint32_t threads)
{
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 64);
    memory frames(e, 0, SLOTS * 2 * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);
    streams s;

    for (uint32_t i = 0; i < SLOTS; i++)
        make_frame(frames.cpu + i * 2 * STRIDE, 2 * STRIDE, i);
    receive<scope><<<1, threads, 0, s.at[0]>>>(rx.handle, words.gpu);
    send<<<1, 1, 0, s.at[1]>>>(tx.handle, frames.gpu, frames.key_be, words.gpu);
    s.wait();
    printf("%llu came, %llu of them too long, wrong: %llu\n",
           (unsigned long long)words.cpu[RECEIVED], (unsigned long long)words.cpu[ERRORS],
           (unsigned long long)words.cpu[WRONG]);
    CHECK(words.cpu[RECEIVED] == FRAMES && words.cpu[ERRORS] == FRAMES / (EVERY + 1) &&
          words.cpu[WRONG] == 0);
}

static void test()
{
    ends e;

    run<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>(e, 1);
    run<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(e, 32);
    run<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(e, 64);
}

int main()
{
    return ends_on({"loop_strict", "af_packet_strict", "af_xdp_strict"}, test);
}

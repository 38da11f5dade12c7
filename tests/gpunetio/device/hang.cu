/* SPDX-License-Identifier: BSD-3-Clause */
/* A wait for packets without any bound is told while the host waits for it; a stop of the queue ends it. */
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
// ENV: SIMT_HANG_SECONDS=1
// SAYS: kernel waits, block 0 of 1, 32 threads
// SAYS: 31 threads \(1\.\.31\) wait for lanes of their warp: doca_gpu_dev_eth_rxq_recv_warp at .*eth_rxq__funcs\.cuh
// SAYS: 1 thread \(0\) are running: .*recv.*eth_rxq__funcs\.cuh
#include <thread>
#include <unistd.h>

#include "nic.h"

__global__ void waits(doca_gpu_eth_rxq *q)
{
    uint64_t first;
    uint32_t num;

    doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(q, 0, 0, &first, &num, NULL);
}

/* Passes the report on, and ends the wait when it is complete. */
static void listen(int from, rx_end *nic)
{
    char text[8192];
    size_t n = 0;
    ssize_t got;

    while (n < sizeof(text) - 1 && (got = read(from, text + n, sizeof(text) - 1 - n)) > 0) {
        n += (size_t)got;
        text[n] = 0;
        if (strstr(text, "1 thread (0)") && strstr(text, "31 threads"))
            break;
    }
    printf("%s", text);
    opendoca_gpu_publish(&nic->words->state, OPENDOCA_GPU_QUEUE_STOPPED);
}

int main()
{
    rx_end nic(16, 64);
    int pipe_ends[2];

    CHECK(!pipe(pipe_ends) && dup2(pipe_ends[1], STDERR_FILENO) >= 0);
    waits<<<1, 32>>>(nic.q);
    std::thread listener(listen, pipe_ends[0], &nic);
    OK(cudaDeviceSynchronize());
    listener.join();
    return 0;
}

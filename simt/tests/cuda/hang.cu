/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that wait for nothing that will come are told while the host waits; the program goes on. */
// ENV: SIMT_HANG_SECONDS=1
// SAYS: no CUDA thread got on for 1 s
// SAYS: kernel waits, block 0 of 1, 2 threads
// SAYS: 1 thread \(0\) wait at a barrier: waits at .*hang\.cu:15
// SAYS: 1 thread \(1\) are running: (waits|look).* (at|hang)
#include <thread>

#include "check.h"

__global__ void waits(volatile int *flag)
{
    if (threadIdx.x == 0)
        __syncthreads();
    else
        while (!*flag)
            ;
}

int main()
{
    volatile int *flag;

    OK(cudaMallocManaged((int **)&flag, sizeof(*flag)));
    *flag = 0;
    waits<<<1, 2>>>(flag);
    std::thread later([=] {
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
        while (std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
        *flag = 1;
    });
    OK(cudaDeviceSynchronize());
    later.join();
    return 0;
}

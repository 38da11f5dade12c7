/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier that two callers think to be of different sizes. */
// FAILS: barrier 2 at .*named_barrier_mismatch\.cu:\d+ for 64 threads, while others wait there for 96
#include "check.h"

__global__ void differs()
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 2, 96;");
    else
        asm volatile("bar.sync 2, 64;");
}

int main()
{
    differs<<<1, 96>>>();
    OK(cudaDeviceSynchronize());
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a kernel prints is out when the host is told of its end, in order, lines in one piece. */
// SAYS: before\nblock 0 thread 0: zero\nblock 0 thread 1: one\nblock 0 thread 2: two\n
#include <unistd.h>

#include "check.h"

__device__ const char *const names[] = {"zero", "one", "two"};

__global__ void print()
{
    printf("block %d thread %d: %s\n", blockIdx.x, threadIdx.x, names[threadIdx.x]);
}

int main()
{
    printf("before\n");
    print<<<1, 3>>>();
    OK(cudaDeviceSynchronize());
    _exit(0); /* nothing is written on the way */
}

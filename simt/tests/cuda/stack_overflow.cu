/* SPDX-License-Identifier: BSD-3-Clause */
/* A stack that is too small is told by name. */
// FAILS: kernel deep: a thread's stack of 64 KiB overflows; raise SIMT_STACK
#include "check.h"

__device__ __noinline__ int down(int n, volatile char *before)
{
    volatile char here[512];

    here[0] = before[0];
    return n ? down(n - 1, here) + here[0] : 0;
}

__global__ void deep(int *out)
{
    volatile char first[1] = {1};

    *out = down(100000, first);
}

int main()
{
    int *out;

    OK(cudaMalloc(&out, sizeof(*out)));
    deep<<<1, 1>>>(out);
    (void)cudaDeviceSynchronize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A missing barrier that ascending order hides is found by a seed, and found again by the same seed. */
// ENV: SIMT_SEED=12345
// NOT WITH: thread a barrier is missing on purpose
#include <string.h>

#include "check.h"

__global__ void missing_barrier(int *out)
{
    __shared__ int part[64];

    part[threadIdx.x] = (int)threadIdx.x;
    /* __syncthreads() is missing here */
    out[threadIdx.x] = threadIdx.x ? part[threadIdx.x - 1] : 0;
}

__global__ void order(int *out, int *n)
{
    out[atomicAdd(n, 1)] = (int)threadIdx.x;
    __syncthreads();
    out[atomicAdd(n, 1)] = (int)threadIdx.x;
}

int main()
{
    int *out, *n, first[129];
    bool wrong = false, ascending = true;

    OK(cudaMallocManaged(&out, sizeof(first)));
    OK(cudaMallocManaged(&n, sizeof(*n)));
    missing_barrier<<<1, 64>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 1; i < 64; i++)
        wrong |= out[i] != i - 1;
    CHECK(wrong);
    for (int run = 0; run < 2; run++) {
        *n = 0;
        order<<<1, 64>>>(out, n);
        OK(cudaDeviceSynchronize());
        for (int i = 1; i < 64; i++)
            ascending &= out[i] > out[i - 1];
        if (run)
            CHECK(!memcmp(first, out, 128 * sizeof(int)));
        memcpy(first, out, 128 * sizeof(int));
    }
    CHECK(!ascending);
    return 0;
}

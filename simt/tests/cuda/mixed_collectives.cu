/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes that meet in different collectives. */
// SAYS: lane 16 calls __shfl_sync at .*mixed_collectives\.cu:11 .* while lane 0 waits in __ballot_sync at
#include "check.h"

__global__ void k(int *out)
{
    if (threadIdx.x < 16)
        *out = (int)__ballot_sync(0xffffffff, 1);
    else
        *out = __shfl_sync(0xffffffff, 1, 0);
}

int main()
{
    int *out;

    OK(cudaMalloc(&out, sizeof(*out)));
    k<<<1, 32>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return 0;
}

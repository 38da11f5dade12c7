/* SPDX-License-Identifier: BSD-3-Clause */
/* __trap() also ends blocks of the kernel that would spin for ever. */
// NOT WITH: thread flags are volatile, not atomic
// SAYS: trap\.cu:11: k: kernel k, block 3, thread \(0,0,0\): trap
#include "check.h"

__global__ void k(volatile int *flag)
{
    if (blockIdx.x == 3) {
        while (*flag != 3) ;
        __trap();
    }
    atomicAdd((int *)flag, 1);
    while (*flag < 100)
        ;
}

int main()
{
    int *flag;

    OK(cudaMallocManaged(&flag, sizeof(*flag)));
    *flag = 0;
    k<<<4, 1>>>(flag);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(cudaFree(flag) == cudaErrorLaunchFailure);
    OK(cudaDeviceReset());
    OK(cudaMallocManaged(&flag, sizeof(*flag)));
    *flag = 100;
    k<<<1, 1>>>(flag);
    OK(cudaDeviceSynchronize());
    CHECK(*flag == 101);
    return 0;
}

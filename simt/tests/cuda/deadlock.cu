/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier that some threads cannot reach is told, with the places where all of them wait. */
// SAYS: kernel stuck, block 0 of 1, 64 threads: deadlock
// SAYS: 32 threads \(0\.\.31\) wait at a barrier: stuck at .*deadlock\.cu:13
// SAYS: 31 threads \(32\.\.62\) wait for lanes of their warp: meet at .*deadlock\.cu:20
// SAYS: 1 thread \(63\) wait at a barrier: stuck at .*deadlock\.cu:17
#include "check.h"

static __device__ void meet();

__global__ void stuck()
{
    if (threadIdx.x < 32) __syncthreads();
    else if (threadIdx.x < 63)
        meet();
    else
        __syncthreads();
}

__device__ void meet() { __syncwarp(); }

__global__ void fine()
{
}

int main()
{
    stuck<<<1, 64>>>();
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    fine<<<1, 1>>>();
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    void *p;
    CHECK(cudaStreamQuery(0) == cudaErrorLaunchFailure);
    CHECK(cudaFree(0) == cudaErrorLaunchFailure);
    (void)p;
    return 0;
}

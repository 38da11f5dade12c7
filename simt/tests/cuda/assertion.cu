/* SPDX-License-Identifier: BSD-3-Clause */
/* A failed assertion in a kernel ends the kernel, not the program; the error stays. */
// SAYS: assertion\.cu:10: .*check: kernel k, block 1, thread \(2,1,0\): Assertion `x != 42' failed
#include <cassert>

#include "check.h"

__device__ void check(int x)
{
    assert(x != 42);
}

__global__ void k(int *out)
{
    int i = blockIdx.x * 32 + threadIdx.y * 8 + threadIdx.x;

    check(i);
    __syncthreads();
    atomicAdd(out, 1);
}

int main()
{
    int *out;

    OK(cudaMallocManaged(&out, sizeof(*out)));
    *out = 0;
    k<<<2, dim3(8, 4)>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
    CHECK(*out <= 32);
    k<<<1, 1>>>(out);
    CHECK(cudaGetLastError() == cudaErrorAssert);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults, killed kernels and reused stacks leave nothing that AddressSanitizer or UBSan dislikes. */
// NEEDS: echo 'int main(){}' | clang++ -x c++ -fsanitize=address,undefined - -o /dev/null
// WITH: setarch -R
// FLAGS: -Xcompiler -fsanitize=address,-fsanitize=undefined,-fno-sanitize-recover=all
// SAYS: deadlock
#include "check.h"

__device__ int fill(int n)
{
    volatile int part[64];

    for (int i = 0; i < 64; i++)
        part[i] = n + i;
    __syncthreads();
    return part[n % 64];
}

__global__ void work(int *out)
{
    out[threadIdx.x] = fill((int)threadIdx.x);
}

__global__ void stuck(int *out)
{
    volatile int part[64];

    part[threadIdx.x % 64] = 1;
    if (threadIdx.x)
        __syncthreads();
    else
        __syncwarp(3);
    out[0] = part[0];
}

int main()
{
    int *out;

    OK(cudaMalloc(&out, 1024 * sizeof(*out)));
    for (int i = 0; i < 10; i++)
        work<<<8, 512>>>(out);
    OK(cudaDeviceSynchronize());
    stuck<<<1, 512>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return 0;
}

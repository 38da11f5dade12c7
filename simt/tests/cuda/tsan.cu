/* SPDX-License-Identifier: BSD-3-Clause */
/* ThreadSanitizer knows barriers, collectives, launches and ends of kernels, and finds a missing barrier. */
// NEEDS: f=$(mktemp) && echo 'int main(){}' | clang++ -x c++ -fsanitize=thread - -o $f && (setarch -R $f || $f); r=$?; rm -f $f; exit $r
// WITH: setarch -R
// FLAGS: -Xcompiler -fsanitize=thread
// FAILS: so far so good.*data race.*racy
#include "check.h"

__global__ void clean(int *p)
{
    __shared__ int part[64];

    part[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    int v = part[63 - threadIdx.x] + __shfl_down_sync(0xffffffff, (int)threadIdx.x, 1);
    __syncthreads();
    part[threadIdx.x] = v;
    if (threadIdx.x < 32) {
        p[threadIdx.x] += 1;
        __syncwarp();
        p[31 - threadIdx.x] += 1;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        p[0] = part[5];
}

__global__ void racy(int *p)
{
    if (threadIdx.x == 0)
        p[1] = 2;
    else
        p[0] = p[1];
}

int main()
{
    int *p;

    OK(cudaMallocManaged(&p, 64 * sizeof(*p)));
    p[0] = 0;
    clean<<<1, 64>>>(p);
    clean<<<1, 64>>>(p);
    OK(cudaDeviceSynchronize());
    fprintf(stderr, "so far so good %d\n", p[0]);
    racy<<<1, 2>>>(p);
    OK(cudaDeviceSynchronize());
    return 0;
}

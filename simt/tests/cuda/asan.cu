/* SPDX-License-Identifier: BSD-3-Clause */
/* AddressSanitizer sees a kernel's write behind its memory, with the line, although threads have switched. */
// NEEDS: echo 'int main(){}' | clang++ -x c++ -fsanitize=address - -o /dev/null
// WITH: setarch -R
// FLAGS: -Xcompiler -fsanitize=address
// FAILS: heap-buffer-overflow.*asan\.cu:17
#include "check.h"

__global__ void fine(int *p)
{
    __syncthreads();
    atomicAdd(&p[threadIdx.x], __shfl_xor_sync(0xffffffff, (int)threadIdx.x, 1));
}

__global__ void writes_behind(int *p)
{
    __syncthreads(); p[threadIdx.x + 1] = 1;
}

int main()
{
    int *p;

    OK(cudaMalloc(&p, 256 * sizeof(*p)));
    for (int i = 0; i < 20; i++)
        fine<<<4, 256>>>(p);
    OK(cudaDeviceSynchronize());
    printf("so far so good\n");
    writes_behind<<<1, 256>>>(p);
    OK(cudaDeviceSynchronize());
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* An array larger than stack and guard does not reach into the next thread's stack. */
// FAILS: kernel large: a thread's stack of 64 KiB overflows; raise SIMT_STACK \(KiB\) \[simt-stack\]
#include "check.h"

__global__ void large(int *out)
{
    volatile int array[100 * 1024];

    int first = out[threadIdx.x]; /* 0 */

    array[first] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = array[first];
}

int main()
{
    int *out;

    OK(cudaMallocManaged(&out, 64 * sizeof(*out)));
    OK(cudaMemset(out, 0, 64 * sizeof(*out)));
    large<<<1, 64>>>(out);
    (void)cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        CHECK(out[i] == i);
    return 0;
}

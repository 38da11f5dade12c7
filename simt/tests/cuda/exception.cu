/* SPDX-License-Identifier: BSD-3-Clause */
/* What a kernel throws and does not catch ends it, with its text; what it catches is its own matter. */
// FAILS: kernel throws, block 2 of 4, 1 threads: an exception leaves the kernel: number 2 \[simt-exception\]
#include <stdexcept>
#include <string>

#include "check.h"

__global__ void catches(int *out)
{
    try {
        throw 5;
    } catch (int n) {
        out[threadIdx.x] = n;
    }
    __syncthreads();
}

__global__ void throws()
{
    if (blockIdx.x == 2)
        throw std::runtime_error("number " + std::to_string(blockIdx.x));
}

int main()
{
    int *out;

    OK(cudaMallocManaged(&out, 64 * sizeof(*out)));
    catches<<<1, 64>>>(out);
    OK(cudaDeviceSynchronize());
    CHECK(out[0] == 5 && out[63] == 5);
    throws<<<4, 1>>>();
    OK(cudaDeviceSynchronize());
    return 0;
}

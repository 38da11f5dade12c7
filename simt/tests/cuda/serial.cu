/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks run one after the other, in the thread that launches, which goes on after the last. */
// ENV: SIMT_SERIAL=1
#include <pthread.h>

#include "check.h"

static pthread_t launching;

__global__ void append(int *list, int *others)
{
    if (threadIdx.x == 0)
        list[++list[0]] = blockIdx.x;
    if (!pthread_equal(pthread_self(), launching))
        atomicAdd(others, 1);
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1)
        list[++list[0]] = blockIdx.x + 1000;
}

__global__ void shared_and_dynamic(int *out)
{
    extern __shared__ int part[];

    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[blockDim.x - 1];
}

int main()
{
    int *list;
    cudaStream_t stream;

    launching = pthread_self();
    OK(cudaMallocManaged(&list, 256 * sizeof(*list)));
    list[0] = list[255] = 0;
    append<<<50, 40>>>(list, list + 255);
    CHECK(list[0] == 100); /* nothing to wait for */
    for (int i = 0; i < 100; i++)
        CHECK(list[1 + i] == i / 2 + i % 2 * 1000);
    CHECK(list[255] == 0);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    shared_and_dynamic<<<3, 512, 512 * sizeof(int), stream>>>(list);
    CHECK(list[0] == 511 && list[1] == 511 && list[2] == 511);
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(stream));
    return 0;
}

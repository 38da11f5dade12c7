/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers of the block and shared memory, static and dynamic. */
#include "check.h"

__global__ void reverse(int *data)
{
    __shared__ int part[256];

    part[threadIdx.x] = data[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    data[blockIdx.x * 256 + threadIdx.x] = part[255 - threadIdx.x];
}

__global__ void sums(int *out, int n)
{
    extern __shared__ __align__(16) int part[];
    int i = threadIdx.x;

    part[i] = i;
    for (int step = n / 2; step; step /= 2) {
        __syncthreads();
        if (i < step)
            part[i] += part[i + step];
    }
    if (!i)
        *out = part[0];
}

template <int N> __device__ int twice_from_shared()
{
    __shared__ volatile int cell[N];

    if (threadIdx.x == 0)
        cell[N - 1] = N;
    __syncthreads();
    return 2 * cell[N - 1];
}

__global__ void templates(int *out)
{
    int a = twice_from_shared<3>(), b = twice_from_shared<5>();

    if (threadIdx.x == 33)
        *out = a * 100 + b;
}

__global__ void reducing_barriers(int *out)
{
    int i = threadIdx.x;

    if (i == 0) {
        out[0] = __syncthreads_count(i % 3 == 0);
        out[1] = __syncthreads_and(i < 99);
        out[2] = __syncthreads_or(i == 98);
    } else {
        __syncthreads_count(i % 3 == 0);
        __syncthreads_and(i < 99);
        __syncthreads_or(i == 98);
    }
}

/* Threads that return do not hold up the others. */
__global__ void early_return(int *out)
{
    if (threadIdx.x >= 50)
        return;
    __syncthreads();
    atomicAdd(out, 1);
    if (threadIdx.x >= 20)
        return;
    __syncthreads();
    atomicAdd(out, 100);
}

__global__ void three_dimensions(unsigned *out)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;

    out[block * threads + thread] = block * threads + thread;
}

int main()
{
    int *a;
    unsigned *b;

    OK(cudaMallocManaged(&a, 1024 * sizeof(*a)));
    OK(cudaMallocManaged(&b, 24 * 60 * sizeof(*b)));
    for (int i = 0; i < 1024; i++)
        a[i] = i;
    reverse<<<4, 256>>>(a);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 1024; i++)
        CHECK(a[i] == i / 256 * 256 + 255 - i % 256);

    sums<<<1, 512, 512 * sizeof(int)>>>(a, 512);
    OK(cudaDeviceSynchronize());
    CHECK(a[0] == 511 * 256);

    templates<<<1, 64>>>(a);
    OK(cudaDeviceSynchronize());
    CHECK(a[0] == 610);

    reducing_barriers<<<1, 99>>>(a);
    OK(cudaDeviceSynchronize());
    CHECK(a[0] == 33 && a[1] == 1 && a[2] == 1);

    a[0] = 0;
    early_return<<<1, 128>>>(a);
    OK(cudaDeviceSynchronize());
    CHECK(a[0] == 2050);

    three_dimensions<<<dim3(2, 3, 4), dim3(3, 4, 5)>>>(b);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 24 * 60; i++)
        CHECK(b[i] == i);
    OK(cudaFree(a));
    OK(cudaFree(b));
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Whoever spins lets the one run that it waits for: a lane, a warp, a block, a kernel, the host. */
// NOT WITH: thread flags are volatile, not atomic
#include <chrono>

#include "check.h"

__global__ void for_lane(volatile int *flag)
{
    if (threadIdx.x == 0) {
        while (!*flag)
            ;
    } else if (threadIdx.x == 31) {
        *flag = 1;
    }
}

__global__ void for_warp(volatile int *flag)
{
    if (threadIdx.x < 32) {
        while (*flag != 32)
            ;
    } else {
        atomicAdd((int *)flag, 1);
    }
}

/* Each block waits for all others: they must be resident together. */
__global__ void for_all_blocks(volatile int *arrived, volatile int *go)
{
    atomicAdd((int *)arrived, 1);
    while (*arrived != (int)gridDim.x)
        ;
    while (!*go)
        ;
}

__global__ void for_next_block(volatile int *turn)
{
    while (*turn != (int)(gridDim.x - blockIdx.x - 1))
        ;
    *turn = *turn + 1;
}

__global__ void locked(int *lock, int *count)
{
    for (int i = 0; i < 10; i++) {
        while (atomicCAS(lock, 0, 1))
            ;
        ++*count;
        __threadfence();
        atomicExch(lock, 0);
    }
}

__global__ void for_flag(volatile int *flag)
{
    while (!*flag)
        ;
}

__global__ void count_until_flag(volatile int *flag, volatile int *count)
{
    while (!*flag) {
        if (threadIdx.x == 0)
            *count = *count + 1;
    }
}

__global__ void set(volatile int *flag, int v)
{
    *flag = v;
}

static double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int main()
{
    volatile int *flag;
    cudaStream_t stream[10];

    OK(cudaMallocManaged((int **)&flag, 16 * sizeof(*flag)));
    for (auto &s : stream)
        OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));

    flag[0] = 0;
    for_lane<<<1, 32>>>(flag);
    OK(cudaDeviceSynchronize());
    flag[0] = 0;
    for_warp<<<1, 64>>>(flag);
    OK(cudaDeviceSynchronize());
    flag[0] = 0;
    for_next_block<<<20, 1>>>(flag);
    OK(cudaDeviceSynchronize());
    CHECK(flag[0] == 20);
    flag[0] = flag[1] = 0;
    locked<<<8, 32>>>((int *)flag, (int *)flag + 1);
    OK(cudaDeviceSynchronize());
    CHECK(flag[1] == 8 * 32 * 10);

    /* 128 blocks spin while a second kernel starts and ends; the host lets them go. */
    double start = seconds();
    flag[0] = flag[1] = flag[2] = 0;
    for_all_blocks<<<128, 1, 0, stream[0]>>>(flag, flag + 1);
    while (flag[0] != 128)
        ;
    double resident = seconds();
    set<<<1, 1, 0, stream[1]>>>(flag + 2, 1);
    OK(cudaStreamSynchronize(stream[1]));
    double second = seconds();
    CHECK(flag[2] == 1);
    CHECK(cudaStreamQuery(stream[0]) == cudaErrorNotReady);
    flag[1] = 1;
    OK(cudaStreamSynchronize(stream[0]));
    double end = seconds();
    printf("128 spinning blocks: resident after %.1f ms, second kernel %.1f ms, end %.1f ms, in all "
           "%.1f ms\n",
           1e3 * (resident - start), 1e3 * (second - resident), 1e3 * (end - second),
           1e3 * (end - start));
    CHECK(end - start < 30); /* below 1 s on two cores that are free */

    /* Nine kernels that stay, and a short one: all get on, beside each other. */
    for (int i = 0; i < 16; i++)
        flag[i] = 0;
    for (int i = 0; i < 9; i++)
        count_until_flag<<<1, 32, 0, stream[i]>>>(flag + 1, flag + 3 + i);
    set<<<1, 1, 0, stream[9]>>>(flag + 2, 5);
    OK(cudaStreamSynchronize(stream[9]));
    CHECK(flag[2] == 5);
    for (int i = 0; i < 9; i++) {
        for (int before = flag[3 + i]; flag[3 + i] < before + 1000;)
            ;
        CHECK(cudaStreamQuery(stream[i]) == cudaErrorNotReady);
    }
    flag[1] = 1;
    OK(cudaDeviceSynchronize());
    for (auto &s : stream)
        OK(cudaStreamDestroy(s));
    OK(cudaFree((void *)flag));
    return 0;
}

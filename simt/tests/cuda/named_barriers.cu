/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers with a number: warps that produce and warps that consume, barriers of half a block. */
#include "check.h"

enum { HALF = 64, ROUNDS = 50 };

__device__ inline void sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ inline void arrive(int id, int threads)
{
    asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Barrier 1: the buffer is full, barrier 2: it is empty. */
__global__ void pipeline(int *out)
{
    __shared__ int buffer[HALF];
    int i = threadIdx.x % HALF;

    if (threadIdx.x < HALF) {
        for (int round = 0; round < ROUNDS; round++) {
            if (round)
                sync(2, 2 * HALF);
            buffer[i] = round * HALF + i;
            arrive(1, 2 * HALF);
        }
    } else {
        int sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            sync(1, 2 * HALF);
            sum += buffer[HALF - 1 - i];
            if (round + 1 < ROUNDS)
                arrive(2, 2 * HALF);
        }
        out[blockIdx.x * HALF + i] = sum;
    }
}

/* The halves never wait for each other; the second one returns early. */
__global__ void halves(int *out)
{
    int half = threadIdx.x / HALF;

    if (half == 1) {
        asm volatile("barrier.sync 3, 64;" ::: "memory");
        out[threadIdx.x] = 1;
        return;
    }
    for (int n = 0; n < 10; n++)
        asm volatile("bar.sync 4, 64;" ::: "memory");
    asm volatile("bar.sync 5;" ::: "memory"); /* all that live */
    int odd = threadIdx.x & 1, count, any;
    asm volatile("{ .reg .pred p, q;\n\t"
                 "setp.ne.s32 p, %2, 0;\n\t"
                 "barrier.red.popc.u32 %0, 6, 64, p;\n\t"
                 "bar.red.and.pred q, 7, !p;\n\t"
                 "selp.s32 %1, 1, 0, q; }"
                 : "=r"(count), "=r"(any)
                 : "r"(odd));
    out[threadIdx.x] = count * 10 + any;
}

int main()
{
    int *out;

    OK(cudaMallocManaged(&out, 2 * HALF * sizeof(*out)));
    pipeline<<<2, 2 * HALF>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 2 * HALF; i++)
        CHECK(out[i] == ROUNDS * (ROUNDS - 1) / 2 * HALF + ROUNDS * (HALF - 1 - i % HALF));
    halves<<<1, 2 * HALF>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 2 * HALF; i++)
        CHECK(out[i] == (i < HALF ? 320 : 1));
    return 0;
}

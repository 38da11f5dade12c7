/* SPDX-License-Identifier: BSD-3-Clause */
/* Time goes on only while all wait: an hour passes at once, and everybody sees the same times. */
// ENV: SIMT_CLOCK=virtual
#include <chrono>

#include "check.h"

__device__ inline unsigned long long now()
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

enum { HOUR_S = 3600 };

/* Thread 0 of each block waits for a time, the others for thread 0. */
__global__ void waits(unsigned long long *out)
{
    unsigned long long start = now();

    if (threadIdx.x == 0) {
        while (now() - start < 1000000ull * (blockIdx.x + 1))
            ;
        out[blockIdx.x] = now() - start;
    }
    __syncthreads();
}

__global__ void computes_and_sleeps(unsigned long long *out)
{
    unsigned long long start = now();
    volatile unsigned x = 1;

    for (int i = 0; i < 10000000; i++)
        x = x * 3 + 1;
    out[0] = now() - start; /* it did not wait */
    for (int i = 0; i < HOUR_S; i++)
        __nanosleep(1000000000);
    out[1] = now() - start;
}

static double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int main()
{
    unsigned long long *out, first[3];

    OK(cudaMallocManaged(&out, 3 * sizeof(*out)));
    double start = seconds();
    computes_and_sleeps<<<1, 1>>>(out);
    OK(cudaDeviceSynchronize());
    CHECK(out[0] == 0);
    CHECK(out[1] == HOUR_S * 1000000000ull);
    CHECK(seconds() - start < HOUR_S / 10);
    for (int round = 0; round < 3; round++) {
        waits<<<1, 64>>>(out);
        OK(cudaDeviceSynchronize());
        if (round == 0)
            first[0] = out[0];
        CHECK(out[0] == first[0]); /* not at least, exactly */
    }
    waits<<<3, 64>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++)
        CHECK(out[i] >= 1000000ull * (i + 1) && out[i] < 1000000ull * (i + 2));
    return 0;
}

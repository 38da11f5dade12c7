/* SPDX-License-Identifier: BSD-3-Clause */
/* Order within a stream and between streams, events, host functions. */
// NOT WITH: thread flags are volatile, not atomic
#include <atomic>

#include "check.h"

static std::atomic<int> called;

__global__ void append(int *list, int v)
{
    list[++list[0]] = v;
}

__global__ void hold(volatile int *flag)
{
    while (!*flag)
        ;
}

static void count(void *)
{
    called++;
}

int main()
{
    int *list, copy[8] = {0};
    volatile int *flag;
    cudaStream_t a, b, n;
    cudaEvent_t e, f;
    float ms = -1;

    OK(cudaMallocManaged(&list, 64 * sizeof(*list)));
    OK(cudaMallocManaged((int **)&flag, sizeof(*flag)));
    OK(cudaMemset(list, 0, 64 * sizeof(*list)));
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreateWithFlags(&f, cudaEventDisableTiming));
    CHECK(cudaEventQuery(e) == cudaSuccess);

    /* Operations of one stream follow each other. */
    *flag = 0;
    list[0] = 0;
    OK(cudaEventRecord(e, n));
    hold<<<1, 1, 0, n>>>(flag);
    append<<<1, 1, 0, n>>>(list, 1);
    OK(cudaLaunchHostFunc(n, count, NULL));
    append<<<1, 1, 0, n>>>(list, 2);
    OK(cudaMemsetAsync(list + 10, 1, sizeof(int), n));
    OK(cudaMemcpyAsync(list + 11, list + 10, sizeof(int), cudaMemcpyDefault, n));
    OK(cudaEventRecord(f, n));
    CHECK(cudaStreamQuery(n) == cudaErrorNotReady);
    CHECK(cudaEventQuery(f) == cudaErrorNotReady);
    CHECK(list[0] == 0 && called == 0);

    /* A stream that does not wait for it goes on, the default stream too; one that does, waits. */
    OK(cudaStreamWaitEvent(b, f, 0));
    append<<<1, 1, 0, b>>>(list, 3);
    append<<<1, 1, 0, a>>>(list + 20, 5);
    OK(cudaStreamSynchronize(a));
    CHECK(list[21] == 5);
    CHECK(cudaStreamQuery(b) == cudaErrorNotReady);
    *flag = 1;
    OK(cudaEventSynchronize(f));
    CHECK(called == 1 && list[11] == 0x01010101);
    OK(cudaStreamSynchronize(b));
    CHECK(list[0] == 3 && list[1] == 1 && list[2] == 2 && list[3] == 3);

    /* The default stream waits for the blocking ones, and they for it. */
    *flag = 0;
    list[0] = 0;
    hold<<<1, 1, 0, a>>>(flag);
    append<<<1, 1, 0, a>>>(list, 1);
    append<<<1, 1>>>(list, 2);
    append<<<1, 1, 0, b>>>(list, 3);
    append<<<1, 1, 0, n>>>(list + 30, 9);
    OK(cudaStreamSynchronize(n));
    CHECK(list[0] == 0 && list[31] == 9);
    *flag = 1;
    OK(cudaMemcpy(copy, list, sizeof(copy), cudaMemcpyDeviceToHost));
    OK(cudaStreamSynchronize(b));
    CHECK(list[0] == 3 && list[1] == 1 && list[2] == 2 && list[3] == 3);
    CHECK(copy[1] == 1 && copy[2] == 2);

    /* Events have times; what is destroyed early still runs. */
    OK(cudaEventRecord(f, n));
    cudaEvent_t g;
    OK(cudaEventCreate(&g));
    CHECK(cudaEventElapsedTime(&ms, e, g) == cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(g, n));
    OK(cudaEventSynchronize(g));
    OK(cudaEventElapsedTime(&ms, e, g));
    CHECK(ms > 0);
    *flag = 0;
    hold<<<1, 1, 0, n>>>(flag);
    OK(cudaLaunchHostFunc(n, count, NULL));
    OK(cudaStreamDestroy(n));
    CHECK(cudaStreamSynchronize(n) == cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    *flag = 1;
    OK(cudaDeviceSynchronize());
    CHECK(called == 2);
    OK(cudaEventDestroy(e));
    OK(cudaEventDestroy(f));
    OK(cudaEventDestroy(g));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    return 0;
}

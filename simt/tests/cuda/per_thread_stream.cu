/* SPDX-License-Identifier: BSD-3-Clause */
/* Each host thread has a default stream of its own: launches, copies, events, waits. */
// FLAGS: -default-stream per-thread
// NOT WITH: thread flags are volatile, not atomic
#include <thread>

#include "check.h"

__global__ void hold(volatile int *flag)
{
    while (!*flag)
        ;
}

__global__ void set(int *p, int v)
{
    *p = v;
}

__device__ int symbol;

/* Gets through although the other thread's stream is held. */
static void other_thread(int *p)
{
    int here = 0;
    cudaEvent_t event;

    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    set<<<1, 1>>>(p, 5);
    OK(cudaMemcpy(&here, p, sizeof(here), cudaMemcpyDeviceToHost));
    CHECK(here == 5);
    OK(cudaMemset(p, 0, sizeof(*p)));
    OK(cudaMemcpyAsync(p, &here, sizeof(here), cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(symbol, &here, sizeof(here)));
    OK(cudaEventRecord(event));
    OK(cudaEventSynchronize(event));
    OK(cudaStreamSynchronize(0));
    CHECK(cudaStreamQuery(0) == cudaSuccess);
    CHECK(*p == 5 && symbol == 5);
    OK(cudaEventDestroy(event));
}

int main()
{
    volatile int *flag;
    int *p;

    OK(cudaMallocManaged((int **)&flag, sizeof(*flag)));
    OK(cudaMallocManaged(&p, 2 * sizeof(*p)));
    *flag = p[1] = 0;
    hold<<<1, 1>>>(flag);
    set<<<1, 1>>>(p + 1, 7); /* behind it */
    for (int i = 0; i < 3; i++) {
        std::thread t(other_thread, p);
        t.join();
    }
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady && p[1] == 0);
    CHECK(cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady);
    CHECK(cudaStreamQuery(cudaStreamLegacy) == cudaSuccess);
    *flag = 1;
    OK(cudaStreamSynchronize(0));
    CHECK(p[1] == 7);
    return 0;
}

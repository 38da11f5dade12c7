/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that stays serves requests of the host, with one thread that polls and 511 that wait. */
#include "check.h"

struct mailbox {
    unsigned request, answer, stop;
};

__device__ inline unsigned look(const unsigned *p)
{
    unsigned v;

    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__global__ void serve(mailbox *box)
{
    __shared__ unsigned now, sum;
    unsigned last = 0;

    for (;;) {
        if (threadIdx.x == 0) {
            sum = 0;
            do {
                now = look(&box->request);
            } while (now == last && !look(&box->stop));
        }
        __syncthreads();
        if (now == last)
            return;
        last = now;
        atomicAdd_block(&sum, now * threadIdx.x);
        __syncthreads();
        if (threadIdx.x == 0) {
            box->answer = sum;
            __threadfence_system();
            *(volatile unsigned *)&box->request = 0;
        }
        last = 0;
        __syncthreads();
    }
}

int main()
{
    mailbox *box;
    cudaStream_t stream;

    OK(cudaHostAlloc(&box, sizeof(*box), cudaHostAllocMapped));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    *box = {0, 0, 0};
    serve<<<1, 512, 0, stream>>>(box);
    for (unsigned i = 1; i <= 200; i++) {
        __atomic_store_n(&box->request, i, __ATOMIC_RELEASE);
        while (__atomic_load_n(&box->request, __ATOMIC_ACQUIRE))
            ;
        CHECK(box->answer == i * (511 * 256));
        CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    }
    __atomic_store_n(&box->stop, 1u, __ATOMIC_RELEASE);
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
    OK(cudaFreeHost(box));
    return 0;
}

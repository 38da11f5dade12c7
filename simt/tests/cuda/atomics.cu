/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic functions of all scopes and types, cuda::atomic_ref and cuda::atomic. */
#include <cuda/atomic>

#include "check.h"

__device__ cuda::atomic<int, cuda::thread_scope_device> counter;

__global__ void all(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; /* 0..511 */

    atomicAdd(&i[0], 1);
    atomicSub_block(&i[1], 2);
    atomicMin(&i[2], -t);
    atomicMax_system(&i[3], t);
    atomicExch(&i[4], 77);
    if (t == 100)
        atomicCAS(&i[5], 0, 9);
    atomicAdd_system(&u[0], 3);
    atomicInc(&u[1], 6);
    atomicDec(&u[2], 6);
    atomicOr(&u[3], 1u << t % 32);
    atomicAnd(&u[4], ~(1u << t % 16));
    atomicXor(&u[5], 1u << t % 32);
    atomicAdd(&l[0], 1ull << 33);
    atomicMax(&l[1], (unsigned long long)t << 40);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> r(u[6]);
    r.fetch_add(2, cuda::memory_order_relaxed);
    cuda::atomic_ref<int> m(i[6]);
    m.fetch_max(t, cuda::std::memory_order_release);
    counter.fetch_add(1, cuda::memory_order_acq_rel);
    counter++;
}

/* One writes and publishes, one waits and reads. */
__global__ void publish(int *data, int *flag, int *seen)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);

    if (blockIdx.x == 1) {
        *data = 42;
        f.store(1, cuda::memory_order_release);
    } else {
        while (f.load(cuda::memory_order_acquire) == 0)
            ;
        *seen = *data;
    }
}

int main()
{
    int *i;
    unsigned *u;
    unsigned long long *l;
    float *f;
    double *d;

    OK(cudaMallocManaged(&i, 64));
    OK(cudaMallocManaged(&u, 64));
    OK(cudaMallocManaged(&l, 64));
    OK(cudaMallocManaged(&f, 64));
    OK(cudaMallocManaged(&d, 64));
    for (int k = 0; k < 8; k++)
        i[k] = 0, u[k] = 0, l[k] = 0;
    u[4] = ~0u;
    *f = 0;
    *d = 0;
    all<<<4, 128>>>(i, u, l, f, d);
    OK(cudaDeviceSynchronize());
    CHECK(i[0] == 512 && i[1] == -1024 && i[2] == -511 && i[3] == 511 && i[4] == 77 && i[5] == 9);
    CHECK(u[0] == 1536 && u[1] == 512 % 7 && u[3] == ~0u && u[4] == 0xffff0000 && u[5] == 0);
    CHECK(u[2] == (7 - 512 % 7) % 7);
    CHECK(l[0] == 512ull << 33 && l[1] == 511ull << 40);
    CHECK(*f == 256 && *d == 128 && u[6] == 1024 && i[6] == 511);
    int count;
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    CHECK(count == 1024);
    i[0] = i[1] = i[2] = 0;
    publish<<<2, 1>>>(i, i + 1, i + 2);
    OK(cudaDeviceSynchronize());
    CHECK(i[2] == 42);
    return 0;
}

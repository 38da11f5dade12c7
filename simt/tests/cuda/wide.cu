/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of 16 bytes that several OS threads write: nobody sees halves of two; atomics lose nothing.
 */
// NEEDS: grep -q avx /proc/cpuinfo
// NOT WITH: thread vectors are no atomics of C++
#include <thread>

#include "check.h"

struct alignas(16) pair {
    unsigned long long a, b;
};

__device__ inline pair look(const pair *p)
{
    pair v;

    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(v.a), "=l"(v.b)
                 : "l"(p)
                 : "memory");
    return v;
}

__global__ void watch(const pair *p, volatile int *stop, unsigned long long *seen, int *torn)
{
    unsigned long long last = 0, changes = 0;

    while (!*stop) {
        pair v = look(p);
        if (v.b != v.a * 3)
            atomicAdd(torn, 1);
        changes += v.a != last;
        last = v.a;
    }
    seen[threadIdx.x] = changes;
}

__global__ void write_and_look(unsigned *p, unsigned *out)
{
    unsigned i = threadIdx.x;

    asm volatile("st.release.sys.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(p + 4 * i), "r"(i),
                 "r"(i + 1), "r"(i + 2), "r"(i + 3)
                 : "memory");
    asm volatile("ld.acquire.sys.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[4 * i]), "=r"(out[4 * i + 1]), "=r"(out[4 * i + 2]),
                   "=r"(out[4 * i + 3])
                 : "l"(p + 4 * i)
                 : "memory");
    /* Eight bytes at an odd place are two accesses, and right. */
    asm volatile("ld.global.v2.u32 {%0, _}, [%1+4];" : "=r"(out[4 * i]) : "l"(p + 4 * i));
}

__global__ void count(pair *p, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        pair old = *p, now;
        do {
            now = old;
            pair next = {old.a + 1, old.b + 3};
            old = atomicCAS(p, now, next);
        } while (old.a != now.a || old.b != now.b);
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        pair mine = {7, 21}, back = atomicExch_system(p + 1, mine);
        p[2] = back;
    }
}

int main()
{
    enum { BLOCKS = 4, THREADS = 64, ROUNDS = 100 };
    pair *p;
    int *flags;
    unsigned long long *seen;
    cudaStream_t stream;

    OK(cudaMallocManaged(&p, 128 * sizeof(*p)));
    OK(cudaMallocManaged(&flags, 2 * sizeof(*flags)));
    OK(cudaMallocManaged(&seen, 32 * sizeof(*seen)));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    p[0] = {0, 0};
    flags[0] = flags[1] = 0;
    watch<<<1, 32, 0, stream>>>(p, flags, seen, flags + 1);
    std::thread writer([=] {
        typedef unsigned long long two __attribute__((vector_size(16)));
        for (unsigned long long i = 0; i < 200000; i++) {
            two v = {i, i * 3};
            *(volatile two *)p = v;
        }
        *(volatile int *)flags = 1;
    });
    writer.join();
    OK(cudaStreamSynchronize(stream));
    CHECK(flags[1] == 0);

    p[0] = {0, 0};
    p[1] = {1, 2};
    count<<<BLOCKS, THREADS>>>(p, ROUNDS);
    OK(cudaDeviceSynchronize());
    CHECK(p[0].a == BLOCKS * THREADS * ROUNDS && p[0].b == 3 * p[0].a);
    CHECK(p[1].a == 7 && p[1].b == 21 && p[2].a == 1 && p[2].b == 2);

    unsigned *words = (unsigned *)p, *out = words + 128;
    write_and_look<<<1, 32>>>(words, out);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 32; i++) {
        CHECK(out[4 * i] == i + 1 && out[4 * i + 1] == i + 1 && out[4 * i + 3] == i + 3);
        CHECK(words[4 * i] == i && words[4 * i + 2] == i + 2);
    }
    return 0;
}

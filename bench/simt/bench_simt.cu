/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels on the CPU cost: changes between threads, scheduling points of loops, launches, and
 * the warp that waits for another OS thread, as a kernel that receives packets does. */
#include <stdio.h>

extern "C" {
#include "lib/bench.h"
}
#include "plain.h"

enum { MEETINGS = 5000, WARP = 32, BLOCK = 512, LAUNCHES = 200 };

static void done(const char *what)
{
    cudaError_t error = cudaDeviceSynchronize();

    if (error != cudaSuccess)
        bench_die(what, cudaGetErrorString(error));
}

__global__ void meet_in_warp()
{
    for (int i = 0; i < MEETINGS; i++)
        __syncwarp();
}

static double collective(void *)
{
    double start = bench_now();

    meet_in_warp<<<1, WARP>>>();
    done("__syncwarp");
    return (bench_now() - start) * 1e9 / MEETINGS / WARP;
}

__global__ void shuffle(unsigned *out)
{
    unsigned v = threadIdx.x;

    for (int i = 0; i < MEETINGS; i++)
        v = __shfl_sync(0xffffffff, v, i % 32) + 1;
    out[threadIdx.x] = v;
}

static double shuffles(void *out)
{
    double start = bench_now();

    shuffle<<<1, WARP>>>((unsigned *)out);
    done("__shfl_sync");
    return (bench_now() - start) * 1e9 / MEETINGS / WARP;
}

__global__ void meet_in_block()
{
    for (int i = 0; i < MEETINGS / 10; i++)
        __syncthreads();
}

static double barrier(void *)
{
    double start = bench_now();

    meet_in_block<<<1, BLOCK>>>();
    done("__syncthreads");
    return (bench_now() - start) * 1e9 / (MEETINGS / 10) / BLOCK;
}

static double launch(void *)
{
    double start = bench_now();

    for (int i = 0; i < LAUNCHES; i++) {
        meet_in_block<<<1, 1>>>();
        done("a launch");
    }
    return (bench_now() - start) * 1e9 / LAUNCHES;
}

__global__ void copy_words(uint64_t *to, const uint64_t *from, int n)
{
    for (size_t i = 0; i < COPY_WORDS; i++)
        to[i] = from[i] + (uint64_t)n;
}

static double copy(void *memory)
{
    uint64_t *from = (uint64_t *)memory;
    double start = bench_now();

    for (int n = 0; n < COPY_TIMES; n++)
        copy_words<<<1, 1>>>(from + COPY_WORDS, from, n);
    done("a copy");
    return (bench_now() - start) * 1e9 / COPY_TIMES / COPY_WORDS;
}

__global__ void spin_on(volatile uint64_t *word)
{
    for (int i = 0; i < SPINS; i++) {
        if (*word == 0)
            break;
    }
}

static double spin(void *memory)
{
    double start = bench_now();

    *(uint64_t *)memory = 1;
    spin_on<<<1, 1>>>((uint64_t *)memory);
    done("a loop");
    return (bench_now() - start) * 1e9 / SPINS;
}

/* Warp scope: lane 0 looks, tells the others, each adds its word, lane 0 answers. */
__global__ void serve(struct mailbox *box, uint64_t *sums)
{
    uint64_t sum = 0;

    for (uint64_t n = 1; n <= TRIPS; n++) {
        uint64_t seen = 0;
        if (threadIdx.x == 0) {
            while (seen != n)
                asm volatile("ld.acquire.sys.u64 %0, [%1];"
                             : "=l"(seen)
                             : "l"(&box->request)
                             : "memory");
        }
        seen = __shfl_sync(0xffffffff, seen, 0);
        if (threadIdx.x < 7)
            sum += box->payload[threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0)
            asm volatile("st.release.sys.u64 [%0], %1;" ::"l"(&box->answer), "l"(seen) : "memory");
    }
    sums[threadIdx.x] = sum;
}

static double round_trip(void *memory)
{
    struct mailbox *box = (struct mailbox *)memory;
    double start;

    box->request = box->answer = 0;
    serve<<<1, WARP>>>(box, (uint64_t *)memory + 64);
    start = bench_now();
    for (uint64_t n = 1; n <= TRIPS; n++) {
        box->payload[n % 7] = n;
        __atomic_store_n(&box->request, n, __ATOMIC_RELEASE);
        while (__atomic_load_n(&box->answer, __ATOMIC_ACQUIRE) != n)
            ;
    }
    start = bench_now() - start;
    done("a kernel that answers");
    return start * 1e9 / TRIPS;
}

static void compare(const char *name, double (*ours)(void *), void *memory, const char *peer,
                    double (*plain)(void *))
{
    struct bench_case c = {"simt", name, "ns", 0, 5};
    struct bench_side us = {"simt", ours, memory}, them = {peer, plain, NULL};

    bench_compare(&c, &us, &them, 1);
}

int main()
{
    void *memory;

    if (cudaMallocManaged(&memory, 2 * COPY_WORDS * sizeof(uint64_t)) != cudaSuccess)
        bench_die("memory", "there is none");
    compare("__syncwarp, a lane", collective, memory, "swapcontext", plain_switch);
    compare("__shfl_sync, a lane", shuffles, memory, "swapcontext", plain_switch);
    compare("__syncthreads of 512, a thread", barrier, memory, "swapcontext", plain_switch);
    compare("launch and wait", launch, memory, "pthread_create and join", plain_thread);
    compare("copy loop, a word", copy, memory, "the same in C", plain_copy);
    compare("empty loop, a turn", spin, memory, "the same in C", plain_spin);
    compare("a warp answers 64 bytes", round_trip, memory, "a thread that polls", plain_round_trip);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that waits by calls that end with nothing, and whose warp meets between them, takes a
 * small part of a processor; it hears who calls it, and what has nothing to do with it goes on as
 * ever. */
#include "check.h"

#include <simt/device_api.h>
#include <string.h>
#include <time.h>

enum { CALL_NS = 10000, CALLS = 50 };

struct words {
    unsigned stop, ask, answer;
};

__device__ static unsigned get(const unsigned *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

__device__ static void set(unsigned *word, unsigned value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What is asked is answered; a call waits for a while only. */
__device__ static void look(words *w)
{
    const uint64_t end = simt_globaltimer() + CALL_NS;

    do {
        if (get(&w->ask) != w->answer) {
            set(&w->answer, get(&w->ask));
            simt_step();
            return;
        }
        simt_poll(32);
    } while (simt_globaltimer() < end);
    simt_vain(1);
}

__global__ void serve(words *w)
{
    while (!get(&w->stop)) {
        if (threadIdx.x == 0)
            look(w);
        __syncwarp();
    }
}

/* One warp waits, the other one has something to do. */
__global__ void beside(words *w, unsigned rounds)
{
    if (threadIdx.x < 32) {
        while (!get(&w->stop)) {
            if (threadIdx.x == 0)
                look(w);
            __syncwarp();
        }
    } else {
        for (unsigned i = 0; i < rounds; i++)
            __syncwarp();
        if (threadIdx.x == 32)
            set(&w->stop, 1);
    }
}

static void wait_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

int main()
{
    words *w;

    OK(cudaMallocManaged(&w, sizeof(*w)));
    memset(w, 0, sizeof(*w));
    serve<<<1, 32>>>(w);
    wait_ms(200); /* mostly it sleeps by then */
    for (unsigned i = 1; i <= CALLS; i++) {
        set(&w->ask, i);
        simt_call();
        while (get(&w->answer) != i)
            wait_ms(1);
    }
    set(&w->stop, 1);
    OK(cudaDeviceSynchronize());

    /* Half a millisecond a meeting, were it to nap with the other one. */
    w->stop = 0;
    const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    beside<<<1, 64>>>(w, 100000);
    OK(cudaDeviceSynchronize());
    printf("100000 meetings beside one who waits: %.0f ms\n",
           (clock_ns(CLOCK_MONOTONIC) - begin) * 1e-6);
    CHECK(clock_ns(CLOCK_MONOTONIC) - begin < 25000000000u);
    return 0;
}

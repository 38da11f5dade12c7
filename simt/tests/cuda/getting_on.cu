/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that meet nobody, but do something now and then, are not told of as hanging; a lock that
 * is not to be had is nothing. */
// ENV: SIMT_HANG_SECONDS=1
// SAYS: told of by atomics: 0, by atomic_ref: 0, by steps: 0, of a lock: 1
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <thread>
#include <unistd.h>

#include <cuda/atomic>
#include <simt/device_api.h>

#include "check.h"

enum how { BY_ATOMICS, BY_REF, BY_STEPS, NOTHING };

/* For so long, or until it is enough; tells the longest time without a step, which is long where
 * others take the core. */
__global__ void work(enum how how, int *word, long ns, const int *enough, long *longest)
{
    const long start = clock64();

    for (long before = start, now = start;
         now - start < ns && !__atomic_load_n(enough, __ATOMIC_RELAXED); now = clock64()) {
        if (how == BY_ATOMICS)
            atomicAdd(word, 1);
        else if (how == BY_REF)
            cuda::atomic_ref<int>(*word).fetch_add(1);
        else if (how == BY_STEPS)
            simt_step();
        else
            atomicCAS(word, 0, 1);
        if (now - before > *longest)
            *longest = now - before;
        before = now;
    }
}

/* There is enough of the work when something is told. */
static void listen(int from, int *enough)
{
    struct pollfd fd = {from, POLLIN, 0};

    (void)poll(&fd, 1, -1);
    __atomic_store_n(enough, 1, __ATOMIC_RELAXED);
}

static double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/* Whether a hang was told of. */
static int told(int from)
{
    char text[4096];
    ssize_t got = read(from, text, sizeof(text) - 1);

    text[got < 0 ? 0 : got] = 0;
    fputs(text, stdout);
    return strstr(text, "[simt-hang]") != NULL;
}

int main()
{
    const long second = 1000000000;
    int ends[2], tells[4];
    std::thread listener;
    int *word, *enough;
    long *longest;

    CHECK(!pipe2(ends, O_NONBLOCK) && dup2(ends[1], STDERR_FILENO) >= 0);
    OK(cudaMallocManaged(&longest, sizeof(*longest)));
    OK(cudaMallocManaged(&word, sizeof(*word)));
    OK(cudaMallocManaged(&enough, sizeof(*enough)));
    *enough = 0;
    for (int how = BY_ATOMICS; how <= NOTHING; how++) {
        const double start = seconds();

        *longest = 0;
        *word = how == NOTHING;
        if (how == NOTHING)
            listener = std::thread(listen, ends[0], enough);
        work<<<1, 1>>>((enum how)how, word, how == NOTHING ? 60 * second : 3 * second / 2, enough,
                       longest);
        OK(cudaDeviceSynchronize());
        tells[how] = told(ends[0]);
        /* Those were true: the thread stood still at its work, or before it or after it. */
        if (how != NOTHING && (*longest > second / 2 || seconds() - start > 2))
            tells[how] = 0;
    }
    printf("told of by atomics: %d, by atomic_ref: %d, by steps: %d, of a lock: %d\n", tells[0],
           tells[1], tells[2], tells[3]);
    if (tells[NOTHING])
        listener.join();
    else
        listener.detach();
    return 0;
}

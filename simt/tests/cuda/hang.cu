/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that wait for nothing that will come are told while the host waits; the program goes on. */
// ENV: SIMT_HANG_SECONDS=1
// SAYS: no CUDA thread got on for 1 s
// SAYS: kernel waits, block 0 of 1, 2 threads
// SAYS: 1 thread \(0\) wait at a barrier: waits at .*hang\.cu:18
// SAYS: 1 thread \(1\) are running: .*(waits|hang)
// NOT WITH: thread flags are volatile, not atomic
#include <thread>
#include <string.h>
#include <unistd.h>

#include "check.h"

__global__ void waits(volatile int *flag)
{
    if (threadIdx.x == 0)
        __syncthreads();
    else
        for (flag[1] = 1; !*flag;)
            ;
}

/* Passes the report on, and ends the wait when it is complete. */
static void listen(int from, volatile int *flag)
{
    char text[4096];
    size_t n = 0;
    ssize_t got;

    while (n < sizeof(text) - 1 && (got = read(from, text + n, sizeof(text) - 1 - n)) > 0) {
        n += (size_t)got;
        text[n] = 0;
        if (strstr(text, "1 thread (1)"))
            break;
    }
    printf("%s", text);
    *flag = 1;
}

int main()
{
    volatile int *flag;
    int pipe_ends[2];

    CHECK(!pipe(pipe_ends) && dup2(pipe_ends[1], STDERR_FILENO) >= 0);
    OK(cudaMallocManaged((int **)&flag, 2 * sizeof(*flag)));
    flag[0] = flag[1] = 0;
    waits<<<1, 2>>>(flag);
    while (!flag[1])
        ;
    std::thread listener(listen, pipe_ends[0], flag);
    OK(cudaDeviceSynchronize());
    listener.join();
    return 0;
}

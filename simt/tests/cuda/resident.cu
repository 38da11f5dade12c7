/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that finds no room is told while the host waits for it, and runs when there is room again. */
// ENV: SIMT_RESIDENT=2
// SAYS: kernel third waits: all 2 blocks that may be resident are taken, one by kernel hold; raise SIMT_RESIDENT
// NOT WITH: thread flags are volatile, not atomic
#include <string.h>
#include <thread>
#include <unistd.h>

#include "check.h"

__global__ void hold(volatile int *flag)
{
    while (!*flag)
        ;
}

__global__ void third(volatile int *done)
{
    *done = 1;
}

/* Passes the warning on, then makes room. */
static void listen(int from, volatile int *flag)
{
    char text[1024];
    ssize_t got = read(from, text, sizeof(text) - 1);

    text[got > 0 ? got : 0] = 0;
    printf("%s", text);
    *flag = 1;
}

int main()
{
    volatile int *flag;
    cudaStream_t a, b;
    int pipe_ends[2];

    CHECK(!pipe(pipe_ends) && dup2(pipe_ends[1], STDERR_FILENO) >= 0);
    OK(cudaMallocManaged((int **)&flag, 2 * sizeof(*flag)));
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    flag[0] = flag[1] = 0;
    hold<<<2, 1, 0, a>>>(flag);
    third<<<1, 1, 0, b>>>(flag + 1);
    std::thread listener(listen, pipe_ends[0], flag);
    OK(cudaStreamSynchronize(b));
    CHECK(flag[0] == 1 && flag[1] == 1);
    OK(cudaDeviceSynchronize());
    listener.join();
    return 0;
}

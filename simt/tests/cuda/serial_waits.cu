/* SPDX-License-Identifier: BSD-3-Clause */
/* In serial mode a block that waits for another one is told. */
// ENV: SIMT_SERIAL=1 SIMT_HANG_SECONDS=1
// SAYS: kernel waits, block 0 of 2, 1 threads: no progress; SIMT_SERIAL=1 .*\[simt-serial\]
// NOT WITH: thread flags are volatile, not atomic
#include <thread>
#include <string.h>
#include <unistd.h>

#include "check.h"

__global__ void waits(volatile int *flag)
{
    unsigned v = 0;

    if (blockIdx.x == 1)
        flag[0] = 1;
    while (!v)
        asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory");
}

/* Passes the report on, and lets the kernel go. */
static void listen(int from, volatile int *flag)
{
    char text[4096];
    size_t n = 0;
    ssize_t got;

    while (n < sizeof(text) - 1 && (got = read(from, text + n, sizeof(text) - 1 - n)) > 0) {
        n += (size_t)got;
        text[n] = 0;
        if (strstr(text, "simt-serial"))
            break;
    }
    printf("%s\n", text);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

int main()
{
    volatile int *flag;
    int pipe_ends[2];

    CHECK(!pipe(pipe_ends) && dup2(pipe_ends[1], STDERR_FILENO) >= 0);
    OK(cudaMallocManaged((int **)&flag, sizeof(*flag)));
    *flag = 0;
    std::thread listener(listen, pipe_ends[0], flag);
    waits<<<2, 1>>>(flag);
    listener.join();
    OK(cudaDeviceSynchronize());
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/barrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static int membarrier(int command)
{
    return (int)syscall(SYS_membarrier, command, 0, 0);
}

bool od_barrier_register(void)
{
    return od_barrier_is_supported() && membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

bool od_barrier_is_supported(void)
{
    static atomic_int known; /* 0: not asked yet */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);

    if (answer == 0) {
        int commands = membarrier(MEMBARRIER_CMD_QUERY);

        answer = commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 ? 1 : -1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

void od_barrier_for_all(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (od_barrier_is_supported())
        membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

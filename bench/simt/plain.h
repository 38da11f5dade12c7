/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_SIMT_PLAIN_H_
#define BENCH_SIMT_PLAIN_H_

/* What stands beside kernels on the CPU: the same work as plain C. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Nanoseconds of one swapcontext(), the C library's way to change stacks. */
double plain_switch(void *ignored);
/* Nanoseconds of a thread that is created, does nothing and is joined. */
double plain_thread(void *ignored);
/* Nanoseconds a word of a copy, and of a turn of an empty loop. */
double plain_copy(void *ignored);
double plain_spin(void *ignored);
/* Nanoseconds there and back between two threads that poll, 64 bytes each way. */
double plain_round_trip(void *ignored);
#ifdef __cplusplus
}
#endif

/* Of kernels, too. */
enum { COPY_WORDS = 1 << 16, COPY_TIMES = 50, SPINS = 20000000, TRIPS = 20000 };

struct mailbox {
    uint64_t request __attribute__((aligned(64)));
    uint64_t payload[7];
    uint64_t answer __attribute__((aligned(64)));
};

#endif /* BENCH_SIMT_PLAIN_H_ */

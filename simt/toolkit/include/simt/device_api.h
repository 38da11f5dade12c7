/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What code compiled by simt's nvcc calls, and what libraries that bring device functions of their
 * own may call: simt_poll() in loops that wait, simt_on_retire() for work that a kernel leaves
 * behind.
 */
#ifndef SIMT_DEVICE_API_H
#define SIMT_DEVICE_API_H

#include <stddef.h>
#include <stdint.h>

#include "driver_types.h"
#include "vector_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel with its arguments; destroy() is called once, when the last block has returned. */
struct simt_kernel {
    void (*call)(void *arguments); /* runs the body as the present CUDA thread */
    void (*destroy)(void *arguments);
    void *arguments;
    const void *function; /* its address, for tools */
    const char *name;
};

/* Takes the arguments over, also when it fails. */
cudaError_t simt_launch(const struct simt_kernel *kernel, dim3 grid, dim3 block, size_t shared,
                        cudaStream_t stream);

enum simt_barrier_kind {
    SIMT_BARRIER_PLAIN,
    SIMT_BARRIER_COUNT,
    SIMT_BARRIER_AND,
    SIMT_BARRIER_OR,
    SIMT_BARRIER_ARRIVE /* counts, and goes on; of named barriers only */
};
enum { SIMT_NAMED_BARRIERS = 16 };

int simt_barrier(enum simt_barrier_kind kind, int predicate, const char *file, const char *function,
                 int line);

/*
 * One of the barriers 0 to 15 of the block, which opens when so many threads are there; 0 threads
 * are all that have not returned. Barrier 0 for all is that of simt_barrier().
 */
int simt_named_barrier(enum simt_barrier_kind kind, unsigned number, unsigned threads,
                       int predicate, const char *file, const char *function, int line);

enum simt_warp_operation {
    SIMT_WARP_SYNC,
    SIMT_WARP_SHFL,
    SIMT_WARP_SHFL_UP,
    SIMT_WARP_SHFL_DOWN,
    SIMT_WARP_SHFL_XOR,
    SIMT_WARP_BALLOT,
    SIMT_WARP_MATCH_ANY,
    SIMT_WARP_MATCH_ALL,
    SIMT_WARP_ADD,
    SIMT_WARP_MIN,
    SIMT_WARP_MAX,
    SIMT_WARP_MIN_SIGNED,
    SIMT_WARP_MAX_SIGNED,
    SIMT_WARP_AND,
    SIMT_WARP_OR,
    SIMT_WARP_XOR,
    SIMT_WARP_ACTIVE
};

/* Waits until all lanes of the mask that have not returned are here; `width` and `argument` are
 * those of the shuffles. */
uint64_t simt_warp(enum simt_warp_operation operation, unsigned mask, uint64_t value, int argument,
                   int width, const char *file, const char *function, int line);
unsigned simt_activemask(const char *file, const char *function, int line);

/* The memory of `extern __shared__`. */
void *simt_dynamic_shared(void);

/* True while a CUDA thread runs. */
int simt_in_kernel(void);
unsigned simt_linear_thread(void);

/* "I look at something that others change": lets others run once the quantum, of which `cost` basic
 * blocks are taken, is spent. A block that only polls gives its core away, and sleeps in the end.
 */
void simt_poll(int cost);

/*
 * "What I waited for is there, or I did what others wait for": a thread that says so now and then
 * is not told of as one that hangs. Ends of threads, barriers, collectives, and atomics that change
 * memory say it themselves.
 */
void simt_step(void);

/*
 * "What I looked for did not come": to be said now and then in waits for something from outside
 * (goes_on 0), and where such a wait ends without it, there instead of simt_step() (1). A block
 * that does nothing else naps between its looks: half a millisecond at last, or until somebody
 * calls.
 */
void simt_vain(int goes_on);

/* From any thread: "I wrote what a kernel may wait for". Costs nothing while no block naps. */
void simt_call(void);

/* At least so many nanoseconds pass, others run meanwhile. */
void simt_nanosleep(unsigned ns);
uint64_t simt_globaltimer(void);
int64_t simt_clock64(void);

/* Ends the kernel with an error that stays, as on a GPU. */
void simt_trap(const char *file, const char *function, int line) __attribute__((noreturn));
void simt_assert_fail(const char *expression, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));

/* Likewise, for what a kernel throws. */
void simt_uncaught(const char *what) __attribute__((noreturn));

/* Called whenever a kernel's last block has returned, before its stream goes on. One per process.
 */
void simt_on_retire(void (*hook)(void));

#ifdef __cplusplus
}
#endif
#endif

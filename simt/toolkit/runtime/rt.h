/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the runtime library. From small to large:
 *
 *   carrier   a stack with a saved context; runs one CUDA thread after the other
 *   thread    a CUDA thread; has a carrier from its first instruction to its last
 *   block     runs on one OS thread (a worker) until its last thread has returned
 *   grid      a launched kernel: arguments and blocks
 *   op        what a stream holds: a kernel, a copy, an event, ...
 *   device    workers, grids that still have blocks to start, streams
 *
 * Everything of a block belongs to its worker and takes no lock. Grids, ops and streams are guarded
 * by device_lock().
 */
#ifndef SIMT_RT_H
#define SIMT_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>

#include "cuda_runtime_api.h"
#include "simt/device_api.h"

#define SIMT_API    __attribute__((visibility("default")))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
    WARP = 32,
    MAX_THREADS = 1024,
    MAX_WARPS = MAX_THREADS / WARP,
    MAX_SHARED = 227 * 1024,
};

/* config.c: what the environment says, read once. */

enum clock_kind { CLOCK_REAL_TIME, CLOCK_MONOTONIC_TIME, CLOCK_VIRTUAL };

struct config {
    size_t stack;          /* bytes of a CUDA thread's stack */
    int quantum;           /* basic blocks until a thread lets others run */
    uint64_t seed;         /* of the scheduler; 0: threads in ascending order */
    int resident;          /* blocks that may run at once */
    int processors;        /* what cudaDeviceProp::multiProcessorCount says */
    int cpus;              /* workers that a grid starts with */
    int hang_seconds;      /* of no progress, until a waiting host thread reports; 0: never */
    bool abort_on_fault;   /* abort() instead of the sticky error */
    enum clock_kind clock; /* of %globaltimer */
    bool serial;           /* one block after the other, in the thread that launches */
    int major, minor;      /* compute capability */
    size_t memory;         /* what cudaMemGetInfo calls total */
    const char *pci_ids;   /* addresses that are this device; NULL: every one */
    const char *pci_deny;  /* addresses that are not */
};

const struct config *config(void);

/* sanitize.c: announcements to AddressSanitizer and ThreadSanitizer, nothing in a plain program. */

struct san_stack {
    void *fake;         /* AddressSanitizer's fake stack while the context is saved */
    const void *bottom; /* lowest address */
    size_t size;
};

bool san_address(void);
bool san_thread(void);
void san_leave(struct san_stack *from, const struct san_stack *to, bool dying);
void san_arrive(struct san_stack *self);
void *san_fiber_new(void);
void *san_fiber_here(void);
void san_fiber_switch(void *fiber);
void san_fiber_free(void *fiber);
void san_release(void *object); /* what happened before is seen by who acquires */
void san_acquire(void *object);
void san_find_stack(struct san_stack *stack);
void san_clean_stack(const void *bottom, size_t size);

/* carrier.c: stacks. */

struct carrier {
    void *context; /* saved; see context.h */
    struct carrier *next;
    struct san_stack san;
    char *memory; /* guard page, then the stack */
    size_t bytes;
};

struct carrier *carrier_get(void);
void carrier_put(struct carrier *carrier);
unsigned carrier_number(void); /* how many there are */
bool carrier_guards(const struct carrier *carrier, uintptr_t address);

/* block.c, barrier.c, warp.c: the threads of a block. */

enum thread_state { THREAD_RUNNABLE, THREAD_AT_BARRIER, THREAD_AT_COLLECTIVE, THREAD_DONE };

struct place {
    const char *file, *function;
    int line;
};

struct thread {
    struct carrier *carrier; /* NULL before the first instruction and after the last */
    uint3 index;
    uint16_t linear;
    uint8_t state;   /* enum thread_state */
    uint8_t barrier; /* which one it waits at */
    bool polled;     /* since it was resumed: looked at a clock, a fence, a flag */
    struct place place;
    const void *pc; /* where it was preempted; NULL: see place */
    /* collectives */
    uint32_t mask;
    int operation, argument, width;
    uint64_t value, result;
    void *fiber; /* of ThreadSanitizer */
};

struct rendezvous {
    uint32_t mask, arrived;
};

struct warp {
    uint32_t live;
    struct rendezvous at[WARP]; /* by the lowest lane of the mask */
};

struct barrier {
    int threads;                /* that it waits for; 0: all that live */
    int waiting, arrived;       /* arrived: without waiting */
    int sum;                    /* of the predicates of those that wait */
    int result_sum, result_and; /* of the time it opened last */
};

/* doze.c: whether a block only looks for what does not come. */

struct doze {
    unsigned vains;    /* calls of simt_vain() that ended a wait */
    unsigned openings; /* of the block, at the last call */
    unsigned news;     /* steps that were no such calls, until the last look */
    unsigned looks; /* in a row, all runnable threads having polled; when asleep: until it naps */
    int polls;      /* turns in a row that ended by polling */
    bool asleep;
    uint32_t nap_ns, call; /* how long the next nap is, unless somebody has called since */
    uint64_t since_ns;     /* the first look */
};

struct grid;

struct block {
    struct grid *grid;
    uint64_t number; /* linear index */
    int threads, live, warps;
    struct barrier barrier[SIMT_NAMED_BARRIERS];
    int turns;                    /* in this round */
    uint32_t runnable[MAX_WARPS]; /* a bit a thread */
    struct thread *current;
    bool abandoned; /* a fault, a deadlock or a killed grid: threads are left where they are */
    bool sanitized; /* a sanitizer wants to know of switches */
    int quantum;
    bool progress; /* since the last round: a thread ended, a barrier or collective opened */
    bool computed; /* since the last round: a thread ran out of quantum without polling */
    unsigned idle_rounds, busy_rounds;
    uint64_t random;
    uint64_t laps;     /* rounds in which somebody got on, read by reports */
    unsigned steps;    /* simt_steps at the end of the last round */
    unsigned openings; /* of barriers and collectives */
    struct doze doze;
    uint64_t clock_epoch;              /* of the virtual clock, when the block began to wait */
    uint64_t idle_since_ns, idle_laps; /* in serial mode */
    struct carrier *spare;
    struct carrier main; /* context of the worker itself */
    void *main_fiber;
    char *shared;
    struct block *next; /* in the device's list of running blocks */
    struct warp warp[MAX_WARPS];
    struct thread thread[MAX_THREADS];
};

extern __thread struct block *here_block;

void block_run(struct block *block);
void block_yield(struct block *block, bool poll, const void *pc);
void block_wait(struct block *block);
void block_pass(struct block *block); /* the lowest runnable thread goes on */
void block_wake(struct block *block, int linear);
void block_run_next(struct block *block, int linear);
void block_abandon(struct block *block) __attribute__((noreturn));
void warp_thread_done(struct block *block, struct thread *thread);
void barrier_thread_done(struct block *block);

void doze_begin(struct block *block);
void doze_end(struct block *block);  /* somebody computes, or the block is over */
bool doze_poll(struct block *block); /* at the end of a turn that polled: it may nap now */
void doze_nap(struct block *block);

/* clock.c: the virtual clock must know who waits. */

void clock_block_waits(struct block *block);
void clock_block_goes_on(struct block *block);

/* serial.c: grids in the thread that launches them. */

cudaError_t serial_run(cudaStream_t stream, struct grid *grid);
void serial_watch(struct block *block); /* one that waits */

/* device.c: workers and grids. */

struct grid {
    struct simt_kernel kernel; /* arguments are owned */
    dim3 size, block;
    size_t shared;
    uint64_t blocks, started, finished;
    int resident;
    _Atomic bool killed;
    bool warned;
    uint64_t born_ns, last_end_ns;
    struct op *op;
    struct grid *next;
};

struct job {
    void (*run)(void *argument);
    void *argument;
};

void device_lock(void);
void device_unlock(void);
void device_wait(void);                 /* for any change; wakes up now and then */
void device_changed(void);              /* wakes all who wait */
void device_start_grid(struct grid *g); /* locked; calls op_complete() at its end */
int device_start_job(struct job job);   /* locked; runs unlocked on a worker */
void device_idle(struct grid *grid, bool spinning);
int device_resident(void);
void device_block_begins(struct block *block); /* in serial mode; locked, as the next two */
void device_block_ends(struct block *block);
void device_retire(void);
struct block *device_blocks(void); /* locked */
void grid_free(struct grid *grid);
uint64_t now_ns(void);

/* fault.c */

void fault_report(struct block *block, const char *what);
void fault_stop(struct block *block, cudaError_t error, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void fault_set(cudaError_t error); /* sticky */
cudaError_t fault_get(void);
void fault_clear(void);
void fault_watch_stack(void); /* in each worker: overflow of a stack is told */
void fault_hang(void);        /* locked: what all running blocks wait for */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* stream.c */

enum op_kind { OP_KERNEL, OP_JOB, OP_EVENT, OP_CALLER };

struct op {
    enum op_kind kind;
    int refs;
    bool started, done;
    CUstream_st *stream;
    struct op *next; /* in its stream */
    struct op **needs;
    int needs_number;
    struct grid *grid;
    struct job job;
    struct CUevent_st *event;
    uint64_t done_ns;
};

void op_complete(struct op *op); /* locked */
cudaError_t stream_kernel(cudaStream_t stream, struct grid *grid);
cudaError_t stream_job(cudaStream_t stream, struct job job);
/* Waits for the stream's turn and calls run() in the calling thread. */
cudaError_t stream_caller(cudaStream_t stream, struct job job);
bool stream_is_idle(cudaStream_t stream);

/* error.c: last error of the calling thread. */

cudaError_t error_set(cudaError_t error);
cudaError_t error_check(void); /* the sticky error, if any */

#endif

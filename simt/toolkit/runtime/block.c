/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads of one block take turns on one worker. Who waits or has used up its quantum jumps
 * straight to the next runnable thread; the worker's own context is entered again when the block is
 * over. A thread that ends without ever having waited leaves its stack to the next new thread:
 * simple kernels touch one stack only.
 */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "context.h"
#include "rt.h"

__thread struct block *here_block;

SIMT_API __thread int simt_budget;
SIMT_API __thread unsigned simt_steps;
SIMT_API __thread uint3 threadIdx, blockIdx;
SIMT_API __thread dim3 blockDim, gridDim;

enum {
    QUANTA_PER_YIELD = 8,  /* of a block that computes, until the system may run another one */
    POLLS_PER_YIELD = 2,   /* rounds of a block that only polls, likewise */
    YIELDS_PER_SLEEP = 64, /* and until it sleeps */
    SLEEP_MOST_NS = 50000,
};

/* Where to go. */

static int pick_after(const struct block *b, int after)
{
    int words = b->warps;
    int start = after + 1 < b->threads ? after + 1 : 0;
    int word = start / WARP;
    uint32_t bits = b->runnable[word] & (~0u << start % WARP);

    for (int i = 0; i <= words; i++) {
        if (bits)
            return word * WARP + __builtin_ctz(bits);
        word = word + 1 < words ? word + 1 : 0;
        bits = b->runnable[word];
    }
    return -1;
}

static uint64_t draw(struct block *b)
{
    uint64_t x = b->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    b->random = x;
    return x;
}

/* The next runnable thread, -1 if there is none. */
static int pick(struct block *b, int after)
{
    if (b->random)
        after = (int)(draw(b) % (uint64_t)b->threads) - 1;
    return pick_after(b, after);
}

/* Going there. */

static void set_current(struct block *b, struct thread *t)
{
    b->current = t;
    threadIdx = t->index;
    simt_budget = b->quantum;
    if (UNLIKELY(b->sanitized))
        san_fiber_switch(t->fiber);
}

static void arrive(struct context_transfer transfer)
{
    *(void **)transfer.data = transfer.from;
}

static void jump(struct block *b, struct carrier *self, struct carrier *to, bool dying)
{
    if (LIKELY(!b->sanitized)) {
        arrive(context_jump(to->context, &self->context));
        return;
    }
    san_leave(&self->san, &to->san, dying);
    arrive(context_jump(to->context, &self->context));
    san_arrive(&self->san);
}

static void to_main(struct block *b, struct carrier *self)
{
    san_fiber_switch(b->main_fiber);
    jump(b, self, &b->main, true);
    __builtin_unreachable();
}

static void thread_ends(struct block *b)
{
    struct thread *t = b->current;

    san_release(&b->grid->finished);
    t->state = THREAD_DONE;
    t->carrier = NULL;
    b->runnable[t->linear / WARP] &= ~(1u << t->linear % WARP);
    b->live--;
    b->progress = true;
    warp_thread_done(b, t);
}

/* Runs threads that have not begun, until one that has is next. */
static void carrier_entry(struct context_transfer transfer)
{
    arrive(transfer);
    struct block *b = here_block;
    struct carrier *self = b->current->carrier;
    san_arrive(&self->san);

    for (;;) {
        san_acquire(&b->grid->kernel);
        b->grid->kernel.call(b->grid->kernel.arguments);
        struct thread *t = b->current;
        thread_ends(b);
        barrier_thread_done(b);
        if (!b->live || b->grid->killed) {
            b->abandoned = b->live > 0;
            self->next = b->spare;
            b->spare = self;
            to_main(b, self);
        }
        int next = pick(b, t->linear);
        if (next < 0) {
            t->carrier = self; /* the report and what follows need a stack */
            fault_stop(b, cudaErrorLaunchFailure,
                       "deadlock: no thread of the block can go on [simt-deadlock]");
        }
        struct thread *to = &b->thread[next];
        if (to->carrier) {
            self->next = b->spare;
            b->spare = self;
            set_current(b, to);
            jump(b, self, to->carrier, true);
            __builtin_unreachable();
        }
        to->carrier = self;
        set_current(b, to);
    }
}

static struct carrier *carrier_for(struct block *b)
{
    struct carrier *c = b->spare;

    if (c)
        b->spare = c->next;
    else
        c = carrier_get();
    if (!c)
        fault_stop(b, cudaErrorMemoryAllocation,
                   "no memory for the stack of a thread (%zu KiB each) [simt-memory]",
                   config()->stack / 1024);
    san_clean_stack(c->san.bottom, c->san.size);
    c->context = context_make((char *)c->san.bottom + c->san.size, c->san.size, carrier_entry);
    return c;
}

void block_run_next(struct block *b, int linear)
{
    struct thread *from = b->current, *to = &b->thread[linear];

    if (from == to) {
        simt_budget = b->quantum;
        return;
    }
    if (!to->carrier)
        to->carrier = carrier_for(b);
    set_current(b, to);
    jump(b, from->carrier, to->carrier, false);
}

void block_abandon(struct block *b)
{
    b->abandoned = true;
    to_main(b, b->current->carrier);
    __builtin_unreachable();
}

/* Rounds: everybody had a turn. */

static void sleep_ns(long ns)
{
    struct timespec time = {0, ns};

    nanosleep(&time, NULL);
}

static void count_lap(struct block *b)
{
    __atomic_store_n(&b->laps, b->laps + (b->progress || b->steps != simt_steps), __ATOMIC_RELAXED);
    b->steps = simt_steps;
}

static void round_ends(struct block *b)
{
    count_lap(b);
    if (b->progress) {
        b->idle_rounds = b->busy_rounds = 0;
        clock_block_goes_on(b);
    } else if (b->computed) {
        b->idle_rounds = 0;
        clock_block_goes_on(b);
        b->busy_rounds += (unsigned)b->live;
        if (b->busy_rounds >= QUANTA_PER_YIELD) {
            b->busy_rounds = 0;
            device_idle(b->grid, false);
            /* Whoever yields beside other programs waits for a slice of each of them. */
            if (device_resident() > config()->cpus)
                sched_yield();
        }
    } else if (++b->idle_rounds >= POLLS_PER_YIELD) {
        unsigned yields = b->idle_rounds - POLLS_PER_YIELD;
        device_idle(b->grid, true);
        clock_block_waits(b);
        serial_watch(b);
        if (config()->clock == CLOCK_VIRTUAL || yields < YIELDS_PER_SLEEP) {
            sched_yield();
        } else {
            unsigned shift = (yields - YIELDS_PER_SLEEP) / 4;
            long ns = shift < 6 ? 1000L << shift : SLEEP_MOST_NS;
            sleep_ns(ns < SLEEP_MOST_NS ? ns : SLEEP_MOST_NS);
        }
    }
    b->progress = b->computed = false;
}

static void take_turn(struct block *b)
{
    if (b->grid->killed)
        block_abandon(b);
    if (++b->turns >= b->live) {
        b->turns = 0;
        round_ends(b);
    }
}

/* Everybody who could run only looks, and for a while nothing came: a round of its own. */
static void nap(struct block *b)
{
    if (b->grid->killed)
        block_abandon(b);
    b->turns = 0;
    b->idle_rounds = 0;
    count_lap(b);
    b->progress = false;
    device_idle(b->grid, true);
    serial_watch(b);
    doze_nap(b);
}

void block_yield(struct block *b, bool poll, const void *pc)
{
    struct thread *t = b->current;
    const bool polled = poll || t->polled;

    t->pc = pc;
    t->polled = false;
    if (!polled) {
        b->computed = true;
        doze_end(b);
    }
    if (polled && doze_poll(b))
        nap(b);
    else
        take_turn(b);
    block_run_next(b, pick(b, t->linear));
}

void block_pass(struct block *b)
{
    take_turn(b);
    block_run_next(b, pick(b, -1));
}

void block_wait(struct block *b)
{
    struct thread *t = b->current;

    b->runnable[t->linear / WARP] &= ~(1u << t->linear % WARP);
    b->doze.polls = 0;
    take_turn(b);
    int next = pick(b, t->linear);
    if (next < 0)
        fault_stop(b, cudaErrorLaunchFailure,
                   "deadlock: no thread of the block can go on [simt-deadlock]");
    block_run_next(b, next);
}

void block_wake(struct block *b, int linear)
{
    b->thread[linear].state = THREAD_RUNNABLE;
    b->runnable[linear / WARP] |= 1u << linear % WARP;
}

/* A block from its first thread to its last. */

static void lay_out(struct block *b)
{
    dim3 size = b->grid->block;
    uint3 index = {0, 0, 0};

    for (int i = 0; i < b->threads; i++) {
        struct thread *t = &b->thread[i];
        memset(t, 0, sizeof(*t));
        t->index = index;
        t->linear = (uint16_t)i;
        /* Here, not on the thread's first turn: a fiber happens after all that its maker did
         * before. */
        t->fiber = san_fiber_new();
        if (++index.x == size.x) {
            index.x = 0;
            if (++index.y == size.y) {
                index.y = 0;
                index.z++;
            }
        }
    }
    for (int w = 0; w < b->warps; w++) {
        int lanes = b->threads - w * WARP;
        b->runnable[w] = lanes >= WARP ? ~0u : (1u << lanes) - 1;
        memset(&b->warp[w], 0, sizeof(b->warp[w]));
        b->warp[w].live = b->runnable[w];
    }
}

static void begin(struct block *b)
{
    const struct grid *g = b->grid;

    b->threads = b->live = (int)(g->block.x * g->block.y * g->block.z);
    b->warps = (b->threads + WARP - 1) / WARP;
    memset(b->barrier, 0, sizeof(b->barrier));
    b->turns = 0;
    b->abandoned = b->progress = b->computed = false;
    b->idle_rounds = b->busy_rounds = 0;
    b->steps = simt_steps;
    doze_begin(b);
    b->clock_epoch = b->idle_since_ns = 0;
    b->sanitized = san_address() || san_thread();
    b->quantum = config()->quantum;
    b->random = config()->seed ? (config()->seed ^ (b->number + 1) * 0x9e3779b97f4a7c15u) | 1 : 0;
    lay_out(b);
    blockDim = g->block;
    gridDim = g->size;
    blockIdx.x = (unsigned)(b->number % g->size.x);
    blockIdx.y = (unsigned)(b->number / g->size.x % g->size.y);
    blockIdx.z = (unsigned)(b->number / g->size.x / g->size.y);
}

static void collect(struct block *b)
{
    for (int i = 0; i < b->threads; i++) {
        struct thread *t = &b->thread[i];
        if (t->carrier) {
            t->carrier->next = b->spare;
            b->spare = t->carrier;
            t->carrier = NULL;
        }
        san_fiber_free(t->fiber);
        t->fiber = NULL;
    }
}

/* What abandoned threads did happened before the end of their grid, too. */
static void release_abandoned(struct block *b)
{
    for (int i = 0; i < b->threads; i++) {
        if (b->thread[i].state != THREAD_DONE && b->thread[i].fiber) {
            san_fiber_switch(b->thread[i].fiber);
            san_release(&b->grid->finished);
        }
    }
    san_fiber_switch(b->main_fiber);
}

void block_run(struct block *b)
{
    here_block = b;
    begin(b);
    b->main_fiber = san_fiber_here();
    struct thread *first = &b->thread[pick(b, -1)];
    first->carrier = carrier_for(b);
    san_release(&b->grid->kernel);
    set_current(b, first);
    jump(b, &b->main, first->carrier, false);
    if (UNLIKELY(b->abandoned))
        release_abandoned(b);
    san_acquire(&b->grid->finished);
    clock_block_goes_on(b);
    doze_end(b);
    collect(b);
    here_block = NULL;
    threadIdx = blockIdx = (uint3){0, 0, 0};
    blockDim = gridDim = (dim3){0, 0, 0};
}

/* What kernels call. */

void simt_budget_spent(const void *pc);

SIMT_API void simt_budget_spent(const void *pc)
{
    struct block *b = here_block;

    if (!b)
        simt_budget = INT32_MAX;
    else
        block_yield(b, false, pc);
}

SIMT_API void simt_poll(int cost)
{
    struct block *b = here_block;

    if (!b)
        return;
    b->current->polled = true;
    simt_budget -= cost;
    if (simt_budget < 0 || b->doze.asleep)
        block_yield(b, true, __builtin_return_address(0));
}

SIMT_API void simt_step(void)
{
    simt_steps++;
}

SIMT_API void *simt_dynamic_shared(void)
{
    return here_block ? here_block->shared : NULL;
}

SIMT_API int simt_in_kernel(void)
{
    return here_block != NULL;
}

SIMT_API unsigned simt_linear_thread(void)
{
    return here_block ? here_block->current->linear : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barriers of a block. Those without a number of threads count the ones that have not returned:
 * who leaves early holds up nobody.
 */
#include "rt.h"

static int wanted(const struct block *b, const struct barrier *r)
{
    return r->threads ? r->threads : b->live;
}

static bool complete(const struct block *b, const struct barrier *r)
{
    int here = r->waiting + r->arrived;

    return here && here >= wanted(b, r);
}

static void open_barrier(struct block *b, struct barrier *r)
{
    r->result_sum = r->sum;
    r->result_and = r->sum == r->waiting;
    r->sum = r->waiting = r->arrived = r->threads = 0;
    b->progress = true;
    b->openings++;
    for (int i = 0; i < b->threads; i++) {
        const struct thread *t = &b->thread[i];
        if (t->state == THREAD_AT_BARRIER && &b->barrier[t->barrier] == r)
            block_wake(b, i);
    }
}

void barrier_thread_done(struct block *b)
{
    for (int i = 0; i < SIMT_NAMED_BARRIERS; i++) {
        if (!b->barrier[i].threads && complete(b, &b->barrier[i]))
            open_barrier(b, &b->barrier[i]);
    }
}

static int result_of(const struct barrier *r, enum simt_barrier_kind kind)
{
    switch (kind) {
    case SIMT_BARRIER_COUNT:
        return r->result_sum;
    case SIMT_BARRIER_AND:
        return r->result_and;
    case SIMT_BARRIER_OR:
        return r->result_sum > 0;
    default:
        return 0;
    }
}

/* The present thread comes to the barrier, and waits there unless it only arrives. */
static int meet(struct block *b, unsigned number, enum simt_barrier_kind kind, int predicate)
{
    struct barrier *r = &b->barrier[number];
    struct thread *t = b->current;

    san_release(r);
    if (kind == SIMT_BARRIER_ARRIVE) {
        r->arrived++;
        if (complete(b, r))
            open_barrier(b, r);
        return 0;
    }
    r->sum += !!predicate;
    r->waiting++;
    t->barrier = (uint8_t)number;
    t->state = THREAD_AT_BARRIER;
    if (complete(b, r)) {
        open_barrier(b, r);
        block_pass(b);
    } else {
        block_wait(b);
    }
    san_acquire(r);
    return result_of(r, kind);
}

SIMT_API int simt_barrier(enum simt_barrier_kind kind, int predicate, const char *file,
                          const char *function, int line)
{
    struct block *b = here_block;

    if (!b)
        return predicate;
    b->current->place = (struct place){file, function, line};
    b->current->pc = NULL;
    return meet(b, 0, kind, predicate);
}

static void check_named(struct block *b, unsigned number, unsigned threads, const struct place *at)
{
    if (number >= SIMT_NAMED_BARRIERS)
        fault_stop(b, cudaErrorLaunchFailure,
                   "barrier %u at %s:%d: there are %d, from 0 [simt-barrier]", number, at->file,
                   at->line, SIMT_NAMED_BARRIERS);
    if (threads > MAX_THREADS || threads % WARP)
        fault_stop(b, cudaErrorLaunchFailure,
                   "barrier %u at %s:%d for %u threads: a multiple of %d up to %d is wanted "
                   "[simt-barrier]",
                   number, at->file, at->line, threads, WARP, MAX_THREADS);
    const struct barrier *r = &b->barrier[number];
    if ((r->waiting || r->arrived) && r->threads != (int)threads)
        fault_stop(
            b, cudaErrorLaunchFailure,
            "barrier %u at %s:%d for %u threads, while others wait there for %d [simt-barrier]",
            number, at->file, at->line, threads, r->threads);
}

SIMT_API int simt_named_barrier(enum simt_barrier_kind kind, unsigned number, unsigned threads,
                                int predicate, const char *file, const char *function, int line)
{
    struct block *b = here_block;

    if (!b)
        return predicate;
    b->current->place = (struct place){file, function, line};
    b->current->pc = NULL;
    check_named(b, number, threads, &b->current->place);
    b->barrier[number].threads = (int)threads;
    return meet(b, number, kind, predicate);
}

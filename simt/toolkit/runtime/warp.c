/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of a warp. Lanes run on their own; those that name each other in their mask meet
 * here. The last to arrive works out everybody's result, so that nobody has to wait for somebody to
 * read.
 */
#include <string.h>

#include "rt.h"

static const char *const operation_names[] = {
    [SIMT_WARP_SYNC] = "__syncwarp",
    [SIMT_WARP_SHFL] = "__shfl_sync",
    [SIMT_WARP_SHFL_UP] = "__shfl_up_sync",
    [SIMT_WARP_SHFL_DOWN] = "__shfl_down_sync",
    [SIMT_WARP_SHFL_XOR] = "__shfl_xor_sync",
    [SIMT_WARP_BALLOT] = "__ballot_sync",
    [SIMT_WARP_MATCH_ANY] = "__match_any_sync",
    [SIMT_WARP_MATCH_ALL] = "__match_all_sync",
    [SIMT_WARP_ADD] = "__reduce_add_sync",
    [SIMT_WARP_MIN] = "__reduce_min_sync",
    [SIMT_WARP_MAX] = "__reduce_max_sync",
    [SIMT_WARP_MIN_SIGNED] = "__reduce_min_sync",
    [SIMT_WARP_MAX_SIGNED] = "__reduce_max_sync",
    [SIMT_WARP_AND] = "__reduce_and_sync",
    [SIMT_WARP_OR] = "__reduce_or_sync",
    [SIMT_WARP_XOR] = "__reduce_xor_sync",
    [SIMT_WARP_ACTIVE] = "__activemask",
};

/* The lane whose value `lane` gets from a shuffle; its own where the rules say so. */
static int source_lane(const struct thread *t, int lane)
{
    int width = t->width, base = lane & ~(width - 1), from;

    switch (t->operation) {
    case SIMT_WARP_SHFL:
        return base + (t->argument & (width - 1));
    case SIMT_WARP_SHFL_UP:
        from = lane - t->argument;
        return from < base ? lane : from;
    case SIMT_WARP_SHFL_DOWN:
        from = lane + t->argument;
        return from >= base + width ? lane : from;
    default:
        from = lane ^ t->argument;
        return from >= base + width ? lane : from;
    }
}

static uint64_t combine(int operation, uint64_t a, uint64_t b)
{
    switch (operation) {
    case SIMT_WARP_ADD:
        return (uint32_t)(a + b);
    case SIMT_WARP_MIN:
        return a < b ? a : b;
    case SIMT_WARP_MAX:
        return a > b ? a : b;
    case SIMT_WARP_MIN_SIGNED:
        return (int32_t)a < (int32_t)b ? a : b;
    case SIMT_WARP_MAX_SIGNED:
        return (int32_t)a > (int32_t)b ? a : b;
    case SIMT_WARP_AND:
        return a & b;
    case SIMT_WARP_XOR:
        return a ^ b;
    default:
        return a | b;
    }
}

static uint64_t all_lanes(const struct thread *lanes, uint32_t mask, int operation)
{
    int first = __builtin_ctz(mask);
    uint64_t result = operation == SIMT_WARP_BALLOT ? 0 : lanes[first].value;

    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (operation == SIMT_WARP_BALLOT)
            result |= (uint64_t)(lanes[lane].value != 0) << lane;
        else if (lane != first)
            result = combine(operation, result, lanes[lane].value);
    }
    return result;
}

static uint32_t same_value(const struct thread *lanes, uint32_t mask, uint64_t value)
{
    uint32_t same = 0;

    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        if (lanes[lane].value == value)
            same |= 1u << lane;
    }
    return same;
}

static void work_out(struct thread *lanes, uint32_t mask)
{
    int operation = lanes[__builtin_ctz(mask)].operation;
    bool shuffle = operation >= SIMT_WARP_SHFL && operation <= SIMT_WARP_SHFL_XOR;
    uint64_t common = 0;

    if (operation == SIMT_WARP_SYNC)
        return;
    if (operation > SIMT_WARP_MATCH_ALL || operation == SIMT_WARP_BALLOT)
        common = all_lanes(lanes, mask, operation);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        struct thread *t = &lanes[lane];
        if (shuffle) {
            int from = source_lane(t, lane);
            t->result = mask >> from & 1 ? lanes[from].value : t->value;
        } else if (operation == SIMT_WARP_MATCH_ANY || operation == SIMT_WARP_MATCH_ALL) {
            t->result = same_value(lanes, mask, t->value);
            if (operation == SIMT_WARP_MATCH_ALL && t->result != mask)
                t->result = 0;
        } else {
            t->result = common;
        }
    }
}

static void release(struct block *b, int warp, uint32_t lanes)
{
    b->runnable[warp] |= lanes;
    b->progress = true;
    b->openings++;
    for (; lanes; lanes &= lanes - 1)
        b->thread[warp * WARP + __builtin_ctz(lanes)].state = THREAD_RUNNABLE;
}

/* Opens the rendezvous if all living lanes of its mask are there. */
static bool try_open(struct block *b, int warp, struct rendezvous *r)
{
    struct warp *w = &b->warp[warp];
    uint32_t wanted = r->mask & w->live;

    if (!r->arrived || r->arrived != wanted)
        return false;
    work_out(&b->thread[warp * WARP], r->arrived);
    release(b, warp, r->arrived);
    r->arrived = 0;
    return true;
}

void warp_thread_done(struct block *b, struct thread *thread)
{
    int warp = thread->linear / WARP;
    struct warp *w = &b->warp[warp];

    w->live &= ~(1u << thread->linear % WARP);
    if (w->live & ~b->runnable[warp]) {
        for (int i = 0; i < WARP; i++)
            (void)try_open(b, warp, &w->at[i]);
    }
}

static void check_arrival(struct block *b, const struct thread *t, const struct rendezvous *r)
{
    int lane = t->linear % WARP;

    if (!(t->mask >> lane & 1))
        fault_stop(b, cudaErrorLaunchFailure,
                   "lane %d calls %s at %s:%d with mask 0x%08x, which does not name it [simt-mask]",
                   lane, operation_names[t->operation], t->place.file, t->place.line, t->mask);
    if (!r->arrived)
        return;
    const struct thread *other = t - lane + __builtin_ctz(r->arrived);
    if (r->mask != t->mask || other->operation != t->operation)
        fault_stop(b, cudaErrorLaunchFailure,
                   "lane %d calls %s at %s:%d with mask 0x%08x while lane %d waits in %s at %s:%d "
                   "with mask 0x%08x [simt-collective]",
                   lane, operation_names[t->operation], t->place.file, t->place.line, t->mask,
                   other->linear % WARP, operation_names[other->operation], other->place.file,
                   other->place.line, r->mask);
}

SIMT_API uint64_t simt_warp(enum simt_warp_operation operation, unsigned mask, uint64_t value,
                            int argument, int width, const char *file, const char *function,
                            int line)
{
    struct block *b = here_block;

    if (!b)
        return value;
    struct thread *t = b->current;
    int warp = t->linear / WARP;
    struct rendezvous *r = &b->warp[warp].at[mask ? __builtin_ctz(mask) : 0];
    t->place = (struct place){file, function, line};
    t->pc = NULL;
    t->mask = mask;
    t->operation = (int)operation;
    t->argument = argument;
    t->width = width;
    t->value = value;
    check_arrival(b, t, r);
    san_release(&b->warp[warp]);
    t->state = THREAD_AT_COLLECTIVE;
    r->mask = mask;
    r->arrived |= 1u << t->linear % WARP;
    uint32_t lanes = r->arrived;
    if (try_open(b, warp, r))
        block_run_next(b, warp * WARP + __builtin_ctz(lanes));
    else
        block_wait(b);
    san_acquire(&b->warp[warp]);
    return t->result;
}

/*
 * Lanes are active together if they come to the same place within one round. Each registers and
 * lets the others of the block have a turn; the first that comes back closes the group.
 */
SIMT_API unsigned simt_activemask(const char *file, const char *function, int line)
{
    struct block *b = here_block;

    if (!b)
        return 1;
    struct thread *t = b->current, *lanes = &b->thread[t->linear & ~(WARP - 1)];
    t->place = (struct place){file, function, line};
    t->operation = SIMT_WARP_ACTIVE;
    t->mask = 0;
    block_yield(b, true, NULL);
    if (t->mask)
        return t->mask;
    uint32_t mask = 0;
    for (int i = 0; i < WARP; i++) {
        const struct thread *o = &lanes[i];
        if (b->warp[t->linear / WARP].live >> i & 1 && o->operation == SIMT_WARP_ACTIVE &&
            !o->mask && o->state == THREAD_RUNNABLE && o->place.line == line &&
            o->place.function == function)
            mask |= 1u << i;
    }
    for (int i = 0; i < WARP; i++) {
        if (mask >> i & 1)
            lanes[i].mask = mask;
    }
    t->operation = SIMT_WARP_SYNC;
    return mask;
}

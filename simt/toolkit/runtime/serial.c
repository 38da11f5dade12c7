/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIMT_SERIAL=1: a launch runs its blocks one after the other in the thread that launches, and
 * returns when the last one has ended. For debuggers, and to find out what a kernel needs others
 * for.
 */
#include <stdlib.h>

#include "rt.h"

enum { ROOM = 128 }; /* for dynamic shared memory that nobody asked for */

static void run_block(struct block *b, struct grid *g)
{
    b->grid = g;
    b->threads = b->live = 0;
    b->number = g->started++;
    device_lock();
    device_block_begins(b);
    device_unlock();
    block_run(b);
    device_lock();
    device_block_ends(b);
    device_unlock();
    g->finished++;
}

static void run_grid(void *argument)
{
    struct grid *g = argument;
    struct block *b = calloc(1, sizeof(*b));
    void *shared = NULL;

    if (!b || posix_memalign(&shared, ROOM, g->shared > ROOM ? g->shared : ROOM)) {
        fault_set(cudaErrorMemoryAllocation);
    } else {
        b->shared = shared;
        san_find_stack(&b->main.san);
        while (g->started < g->blocks && !g->killed)
            run_block(b, g);
        while (b->spare) {
            struct carrier *c = b->spare;
            b->spare = c->next;
            carrier_put(c);
        }
        device_lock();
        device_retire();
        device_unlock();
    }
    free(shared);
    free(b);
}

cudaError_t serial_run(cudaStream_t stream, struct grid *grid)
{
    static __thread bool watched;

    if (!watched)
        fault_watch_stack();
    watched = true;
    cudaError_t error = stream_caller(stream, (struct job){run_grid, grid});
    grid_free(grid);
    return error;
}

/* Nobody watches a launch from outside. */
void serial_watch(struct block *b)
{
    if (!config()->serial || !config()->hang_seconds)
        return;
    uint64_t now = now_ns();
    if (!b->idle_since_ns || b->laps != b->idle_laps) {
        b->idle_since_ns = now;
        b->idle_laps = b->laps;
    } else if (now - b->idle_since_ns > (uint64_t)config()->hang_seconds * 1000000000u) {
        fault_report(
            b, "no progress; SIMT_SERIAL=1 runs one block after the other, and the host waits "
               "for it [simt-serial]");
        b->idle_since_ns = 0;
    }
}

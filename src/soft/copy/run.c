/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/run.h"

#include <errno.h>

/* The kernel takes longer for several calls than for one. */
#define CHUNK_FAR   (4u << 20)
#define LANES_SHARE 4 /* a chunk is so much smaller when there are several lanes */
#define CHUNK_LEAST (64u << 10)
#define CHUNK_ALIGN ((uint64_t)4096)
#define CHUNKS_BITS 30 /* log2 of the most chunks of a run; a ticket has 32 bits for each end */

static bool has_peer(const struct soft_seg *seg, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (seg[i].peer != NULL && soft_peer_local(seg[i].peer, seg[i].addr) == NULL)
            return true;
    }
    return false;
}

/* Several lanes end together when the last chunks are small; one lane loses time at each chunk. */
uint64_t soft_copy_chunk_size(const struct soft_copy_job *job, uint32_t lanes)
{
    bool far = has_peer(job->src, job->nsrc) || has_peer(job->dst, job->ndst);
    uint64_t most = far ? CHUNK_FAR : SOFT_COPY_CHUNK, chunk;

    if (lanes <= 1)
        return OD_MAX(most, (job->len >> CHUNKS_BITS) + 1);
    chunk = (job->len / (2 * lanes) + CHUNK_ALIGN) & ~(CHUNK_ALIGN - 1);
    chunk = OD_MIN(OD_MAX(chunk, CHUNK_LEAST), most / LANES_SHARE);
    return OD_MAX(chunk, (job->len >> CHUNKS_BITS) + 1);
}

void soft_copy_run_begin(struct soft_copy_run *run, struct soft_copy_job *job, uint64_t chunk)
{
    run->job = job;
    run->chunk = chunk;
    run->chunks = (uint32_t)((job->len + chunk - 1) / chunk);
    atomic_store_explicit(&run->done, 0, memory_order_relaxed);
    atomic_store_explicit(&run->status, 0, memory_order_relaxed);
    atomic_store_explicit(&run->settled, false, memory_order_relaxed);
    atomic_store_explicit(&run->ticket,
                          (uint64_t)(SOFT_COPY_FIRST + run->chunks) << 32 | SOFT_COPY_FIRST,
                          memory_order_release);
}

static void fail(struct soft_copy_run *run, int err)
{
    int none = 0;

    atomic_compare_exchange_strong_explicit(&run->status, &none, err, memory_order_relaxed,
                                            memory_order_relaxed);
}

/* Chunks are counted when they are over; acquire and release pass on what they wrote. */
static bool count_done(struct soft_copy_run *run, uint32_t n)
{
    uint32_t chunks = run->chunks;

    return atomic_fetch_add_explicit(&run->done, n, memory_order_acq_rel) + n == chunks;
}

bool soft_copy_run_chunk(struct soft_copy_run *run, uint32_t chunk, struct soft_copy_lane *lane)
{
    uint64_t off = chunk * run->chunk;
    int err;

    if (atomic_load_explicit(&run->status, memory_order_relaxed) == 0) {
        err = soft_copy_range(lane, run->job, off, OD_MIN(run->chunk, run->job->len - off));
        if (err != 0)
            fail(run, err);
    }
    return count_done(run, 1);
}

bool soft_copy_run_cut(struct soft_copy_run *run, bool *left)
{
    uint64_t ticket = atomic_load_explicit(&run->ticket, memory_order_relaxed);
    uint64_t none = (uint64_t)SOFT_COPY_FIRST << 32 | SOFT_COPY_FIRST;

    do {
        *left = soft_copy_ticket_left(ticket) > 0;
        if (!*left)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&run->ticket, &ticket, none,
                                                    memory_order_acq_rel, memory_order_relaxed));
    fail(run, -ECANCELED);
    return count_done(run, soft_copy_ticket_left(ticket));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of an all-to-all hides behind a computation of the same length. Give the workers
 * processors of their own, for instance ranks on 0 and the service with --cpuset 1:
 *
 *   mpirun -n 2 --cpu-set 0 --bind-to core:overload-allowed ./urom_overlap [bytes a block]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <mpi.h>

#include "../../common/number.h"
#include "../../common/ranks.h"

#define ROUNDS    10
#define BYTES_MAX (1ul << 30)

struct exchange {
    struct ranks *r;
    struct doca_urom_coll_place from, to;
    size_t bytes;
    doca_error_t result; /* the same at all ranks */
};

static volatile double sink;

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void compute(long turns)
{
    double x = 1;

    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

/* The slowest rank's time since `begin`, the same at all of them. */
static double elapsed(double begin)
{
    double own = now() - begin, slowest;

    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* Begins an all-to-all, computes, waits. Seconds; once one has failed there is no other. */
static double run(struct exchange *x, long turns)
{
    doca_error_t result;
    double begin, seconds;

    if (x->result != DOCA_SUCCESS)
        return 0;
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    result = doca_urom_coll_alltoall(x->r->team, x->from, x->to, x->bytes, session_done, &x->r->s);
    if (session_begun(&x->r->s, result) == DOCA_SUCCESS) {
        compute(turns);
        result = ranks_wait(x->r);
    }
    seconds = elapsed(begin);
    x->result = ranks_agree(result);
    return seconds;
}

static double compute_alone(long turns)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    compute(turns);
    return elapsed(begin);
}

/* In percent of the shorter one of the two; nothing if x->result is a failure. */
static double measure(struct exchange *x)
{
    double wire = 0, work, both = 0;
    long turns = 1000;

    for (int i = 0; i < ROUNDS; i++)
        wire += run(x, 0) / ROUNDS;
    while (compute_alone(turns) < wire && turns < 1000000000)
        turns *= 2;
    work = compute_alone(turns);
    for (int i = 0; i < ROUNDS; i++)
        both += run(x, turns) / ROUNDS;
    if (x->result != DOCA_SUCCESS)
        return 0;
    if (x->r->rank == 0)
        printf("all-to-all %.0f us, computation %.0f us, both %.0f us\n", wire * 1e6, work * 1e6,
               both * 1e6);
    both = (wire + work - both) / (wire < work ? wire : work) * 100;
    return both < 0 ? 0 : both > 100 ? 100 : both;
}

static doca_error_t overlap(struct ranks *r, char *memory, size_t bytes)
{
    const size_t half = bytes * (size_t)r->size;
    struct doca_urom_ops_region *region;
    struct exchange x = {.r = r, .bytes = bytes};
    double percent;

    x.result = memory != NULL
                   ? session_region(&r->s, memory, 2 * half, DOCA_UROM_OPS_ACCESS_NONE, &region)
                   : DOCA_ERROR_NO_MEMORY;
    x.result = ranks_agree(x.result);
    if (x.result != DOCA_SUCCESS)
        return x.result;
    x.from = (struct doca_urom_coll_place){region, (uintptr_t)memory};
    x.to = (struct doca_urom_coll_place){region, (uintptr_t)memory + half};
    run(&x, 0);
    percent = measure(&x);
    if (x.result == DOCA_SUCCESS && r->rank == 0)
        printf("%d ranks, blocks of %zu bytes: %.0f %% overlap\n", r->size, bytes, percent);
    return x.result;
}

int main(int argc, char **argv)
{
    unsigned long bytes = 1 << 20;
    doca_error_t result;
    char *memory = NULL;
    struct ranks r;
    size_t len = 0;

    if (argc > 2 || (argc == 2 && !number_parse(argv[1], 1, BYTES_MAX, &bytes))) {
        fprintf(stderr, "usage: %s [BYTES A BLOCK], 1 to %lu\n", argv[0], BYTES_MAX);
        return EXIT_FAILURE;
    }
    MPI_Init(&argc, &argv);
    result = ranks_open(&r);
    if (result == DOCA_SUCCESS) {
        len = 2 * bytes * (size_t)r.size;
        memory = session_memory(len);
        result = overlap(&r, memory, bytes);
    }
    ranks_close(&r);
    MPI_Finalize();
    if (memory != NULL)
        munmap(memory, len);
    return session_exit(result);
}

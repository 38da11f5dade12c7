/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives executed by workers against Open MPI's own; run with mpirun.
 *
 * Layout: for ours all ranks are on core 0 and all workers on core 1, for MPI ranks are on both
 * cores by turns. With more processes than cores much of a latency is the scheduler's. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include <doca_ctx.h>
#include <doca_urom_coll.h>

#include "lib/bench.h"
#include "urom/rig.h"

#define ROUNDS 11
#define BLOCKS 21 /* of a series */
#define BLOCK  10 /* turns */
#define AREA   ((size_t)16 << 20)

static struct rig rig;
static struct doca_urom_domain *domain;
static struct doca_urom_coll_team *team;
static struct doca_urom_ops_region *region[2];
static char *area[2];
static int rank, size;

/* ------------------------------------------------------------------------------------------------
 * Domain and team
 */

static doca_error_t oob_begin(void *from, void *to, size_t len, void *info, void **req)
{
    MPI_Request *request = malloc(sizeof(*request));

    (void)info;
    if (request == NULL)
        return DOCA_ERROR_NO_MEMORY;
    MPI_Iallgather(from, (int)len, MPI_BYTE, to, (int)len, MPI_BYTE, MPI_COMM_WORLD, request);
    *req = request;
    return DOCA_SUCCESS;
}

static doca_error_t oob_test(void *req)
{
    int done = 0;

    MPI_Test(req, &done, MPI_STATUS_IGNORE);
    return done ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t oob_free(void *req)
{
    free(req);
    return DOCA_SUCCESS;
}

static void open_domain(void)
{
    struct doca_urom_domain_oob_coll oob = {.allgather = oob_begin,
                                            .req_test = oob_test,
                                            .req_free = oob_free,
                                            .n_oob_indexes = (uint32_t)size,
                                            .oob_index = (uint32_t)rank};
    uint64_t id = (uint64_t)rank;
    enum doca_ctx_states state;
    struct doca_ctx *ctx;

    rig_check(doca_urom_domain_create(&domain), "domain");
    ctx = doca_urom_domain_as_ctx(domain);
    rig_check(doca_pe_connect_ctx(rig.pe, ctx), "domain");
    rig_check(doca_urom_domain_set_oob(domain, &oob), "domain");
    rig_check(doca_urom_domain_set_workers(domain, &id, &rig.worker, 1), "domain");
    if (doca_ctx_start(ctx) != DOCA_ERROR_IN_PROGRESS)
        bench_die("domain", "does not begin to start");
    do {
        doca_pe_progress(rig.pe);
        doca_ctx_get_state(ctx, &state);
    } while (state == DOCA_CTX_STATE_STARTING);
    if (state != DOCA_CTX_STATE_RUNNING)
        bench_die("domain", "does not start");
}

static void team_done(struct doca_urom_coll_team *made, doca_error_t status, void *left)
{
    (void)made;
    rig_done(NULL, status, left);
}

/* Ranks share a core. */
static void wait_for(const unsigned int *left)
{
    while (*(const volatile unsigned int *)left > 0) {
        if (doca_pe_progress(rig.pe) == 0)
            sched_yield();
    }
}

static void open_team(void)
{
    uint64_t ids[64];
    unsigned int left = 1;

    for (int i = 0; i < size; i++)
        ids[i] = (uint64_t)i;
    rig_check(doca_urom_coll_team_create(rig.ops, 1, (uint64_t)rank, ids, (uint32_t)size, team_done,
                                         &left, &team),
              "team");
    wait_for(&left);
    for (int i = 0; i < 2; i++) {
        area[i] = rig_memory(AREA, 1);
        region[i] = rig_region(&rig, area[i], AREA);
    }
}

static void close_all(void)
{
    unsigned int left = 1;

    rig_check(doca_urom_coll_team_destroy(team, rig_done, &left), "team");
    wait_for(&left);
    rig_region_end(&rig, region[0]);
    rig_region_end(&rig, region[1]);
    rig_check(doca_ctx_stop(doca_urom_domain_as_ctx(domain)), "domain");
    rig_check(doca_urom_domain_destroy(domain), "domain");
    rig_close(&rig);
}

/* ------------------------------------------------------------------------------------------------
 * Operations
 */

static struct doca_urom_coll_place place(int i)
{
    return (struct doca_urom_coll_place){region[i], (uintptr_t)area[i]};
}

static void ours_allreduce(size_t bytes)
{
    unsigned int left = 1;

    rig_check(doca_urom_coll_allreduce(team, place(0), place(1), bytes / 8, DOCA_UROM_COLL_FLOAT64,
                                       DOCA_UROM_COLL_SUM, rig_done, &left),
              "allreduce");
    wait_for(&left);
}

static void mpi_allreduce(size_t bytes)
{
    MPI_Allreduce(area[0], area[1], (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void ours_alltoall(size_t bytes)
{
    unsigned int left = 1;

    rig_check(doca_urom_coll_alltoall(team, place(0), place(1), bytes, rig_done, &left),
              "alltoall");
    wait_for(&left);
}

static void mpi_alltoall(size_t bytes)
{
    MPI_Alltoall(area[0], (int)bytes, MPI_BYTE, area[1], (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* One word that all ranks see, zero at the beginning. */
static atomic_uint *shared_word(void)
{
    MPI_Aint len = rank == 0 ? sizeof(atomic_uint) : 0;
    atomic_uint *word;
    MPI_Win window;
    int unit;

    MPI_Win_allocate_shared(len, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &word, &window);
    MPI_Win_shared_query(window, 0, &len, &unit, &word);
    if (rank == 0)
        atomic_store(word, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    return word;
}

struct series {
    void (*operate)(size_t bytes);
    size_t bytes;
    int count;
    int ours;
};

/* Open MPI's own barrier spins: where ranks share a core it costs the other one a scheduler's
 * slice. */
static void meet(void)
{
    static unsigned int turn;
    static atomic_uint *come;

    if (come == NULL)
        come = shared_word();
    atomic_fetch_add(come, 1);
    turn++;
    while (atomic_load(come) < turn * (unsigned int)size)
        sched_yield();
}

/* Ours: all ranks on core 0. */
static void take_place(int ours)
{
    bench_pin(ours ? 0 : rank % 2);
    meet();
}

/* The slowest rank's time, the same at all of them. */
static double agreed(double seconds)
{
    double worst;

    meet();
    MPI_Allreduce(&seconds, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

static double series_us(void *arg)
{
    const struct series *s = arg;
    double begin;

    take_place(s->ours);
    for (int i = 0; i < 3; i++)
        s->operate(s->bytes);
    begin = bench_now();
    for (int i = 0; i < s->count; i++)
        s->operate(s->bytes);
    return agreed(bench_now() - begin) / s->count * 1e6;
}

/* At most `bar` times what Open MPI takes; 0: nothing was promised. */
static void compare(const char *name, void (*ours)(size_t), void (*theirs)(size_t), size_t bytes,
                    int count, double bar)
{
    char text[64];
    struct series a = {ours, bytes, count, 1}, b = {theirs, bytes, count, 0};
    const struct bench_case c = {"urom_mpi", text, "us", 0, ROUNDS};
    const struct bench_side side = {"workers", series_us, &a}, peer = {"Open MPI", series_us, &b};
    struct bench_result result;

    snprintf(text, sizeof(text), "%s_%zu_ranks_%d", name, bytes, size);
    result = bench_compare(&c, &side, &peer, 1);
    if (bar > 0)
        bench_at_most(&c, result.ours, bar * result.peer);
}

/* ------------------------------------------------------------------------------------------------
 * Overlap
 */

static volatile double sink;

static void compute(long turns)
{
    double x = 1;

    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

struct stretch {
    size_t bytes; /* of each message; 0: computes only */
    long turns;
    int ours;
};

/* Begins, computes, waits. An all-to-all that one of two has begun cannot travel yet: ranks that
 * share a core meet before they compute, or the first one would have computed when the other
 * begins. */
static void stretch_once(const struct stretch *s)
{
    unsigned int left = s->bytes > 0;
    MPI_Request request = MPI_REQUEST_NULL;

    if (s->bytes > 0 && s->ours)
        rig_check(doca_urom_coll_alltoall(team, place(0), place(1), s->bytes, rig_done, &left),
                  "alltoall");
    else if (s->bytes > 0)
        MPI_Ialltoall(area[0], (int)s->bytes, MPI_BYTE, area[1], (int)s->bytes, MPI_BYTE,
                      MPI_COMM_WORLD, &request);
    if (s->ours)
        meet();
    compute(s->turns);
    if (s->bytes > 0 && s->ours)
        wait_for(&left);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Of one turn in a series, at the slowest rank. Ranks that share a core do not get it in the same
 * order each time, so several turns are timed as one; the median leaves out those in which the core
 * was somebody else's. */
static double stretch_us(struct stretch s)
{
    double blocks[BLOCKS], middle, worst;

    for (int i = 0; i < BLOCK; i++) /* workers may sleep after the series before */
        stretch_once(&s);
    meet();
    for (int b = 0; b < BLOCKS; b++) {
        const double begin = bench_now();

        for (int i = 0; i < BLOCK; i++)
            stretch_once(&s);
        blocks[b] = (bench_now() - begin) / BLOCK * 1e6;
    }
    meet();
    middle = bench_median(blocks, BLOCKS);
    MPI_Allreduce(&middle, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

/* How much of the communication hides behind a computation, in percent. As in OSU's benchmark each
 * rank computes as long as the communication alone takes; on one core that is one rank after the
 * other. */
static double overlap(int ours, size_t bytes)
{
    const int sharing = ours ? size : 1;
    long turns = 1000;
    double wire, work, both;

    take_place(ours);
    stretch_us((struct stretch){bytes, 0, ours});
    wire = stretch_us((struct stretch){bytes, 0, ours});
    while ((work = stretch_us((struct stretch){0, turns, ours})) < wire && turns < 1000000000)
        turns *= 2;
    turns = (long)((double)turns * wire / work * sharing);
    work = stretch_us((struct stretch){0, turns, ours});
    both = stretch_us((struct stretch){bytes, turns, ours});
    wire = (wire + stretch_us((struct stretch){bytes, 0, ours})) / 2; /* it drifts */
    both = (wire + work - both) / wire * 100;
    return both < 0 ? 0 : both > 100 ? 100 : both;
}

static void compare_overlap(size_t bytes)
{
    double ours[ROUNDS], theirs[ROUNDS];
    char text[64];
    const struct bench_case c = {"urom_mpi", text, "%", 1, ROUNDS};

    snprintf(text, sizeof(text), "alltoall_overlap_%zu_ranks_%d", bytes, size);
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = overlap(1, bytes);
        theirs[i] = overlap(0, bytes);
    }
    bench_at_least(&c, bench_report(&c, "MPI_Ialltoall", ours, theirs).ours, 90);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"worker_coll", NULL};
    char dir[256] = "";
    pid_t daemon = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        daemon = rig_daemon_start("1");
        snprintf(dir, sizeof(dir), "%s", getenv("OPENDOCA_RUNTIME_DIR"));
    } else if (freopen("/dev/null", "w", stdout) == NULL) {
        bench_die("output", "cannot be closed");
    }
    MPI_Bcast(dir, sizeof(dir), MPI_BYTE, 0, MPI_COMM_WORLD);
    setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
    rig_open(&rig, (uint64_t)rank, names, 16);
    open_domain();
    open_team();
    compare("allreduce", ours_allreduce, mpi_allreduce, 8, 200, 0);
    compare("allreduce", ours_allreduce, mpi_allreduce, (size_t)1 << 20, 20, size == 2 ? 1.5 : 0);
    compare("alltoall", ours_alltoall, mpi_alltoall, 8, 200, 0);
    compare("alltoall", ours_alltoall, mpi_alltoall, (size_t)1 << 20, 20, 0);
    if (size == 2) {
        compare_overlap((size_t)64 << 10);
        compare_overlap((size_t)1 << 20);
    }
    close_all();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        rig_daemon_stop(daemon);
    MPI_Finalize();
    return 0;
}

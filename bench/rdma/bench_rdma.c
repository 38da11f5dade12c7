/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages, writes and reads of RDMA between two processes, beside ucx_perftest over shared memory
 * in turns: round trips and streams of 8 bytes to 1 MiB, in memory that can be shared, as its own
 * is.
 *
 *     bench_rdma [send|write|read]      one of them only
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "end.h"
#include "lib/bench.h"
#include "perftest.h"

#define ROUNDS    3u
#define NUM_SIZES 5u
#define WARM_UP   20u

static const size_t sizes[NUM_SIZES] = {8, 512, 8192, 65536, END_HALF};
static const char *const size_names[NUM_SIZES] = {"8 B", "512 B", "8 KiB", "64 KiB", "1 MiB"};

enum kind { SEND_TRIP, SEND_STREAM, WRITE_TRIP, WRITE_STREAM, READ_TRIP, READ_STREAM, NUM_KINDS };

static const struct {
    const char *name, *group;
    bool is_stream;
    const char *peers[2]; /* tests of ucx_perftest */
} kinds[NUM_KINDS] = {
    [SEND_TRIP] = {"send, round trip", "send", false, {"ucp_am_lat", "tag_lat"}},
    [SEND_STREAM] = {"send, stream", "send", true, {"ucp_am_bw", "tag_bw"}},
    [WRITE_TRIP] = {"write, round trip", "write", false, {"ucp_put_lat", NULL}},
    [WRITE_STREAM] = {"write, stream", "write", true, {"ucp_put_bw", NULL}},
    [READ_TRIP] = {"read", "read", false, {"ucp_get", NULL}},
    [READ_STREAM] = {"read, stream", "read", true, {"ucp_get", NULL}},
};

/* What the other process is to do. */
static struct shared {
    _Atomic unsigned long order; /* counts up; odd: the other process is done with it */
    enum kind kind;
    unsigned int size, count;
    bool over;
} * shared;

static unsigned int count_of(size_t size, bool is_stream)
{
    if (is_stream)
        return size >= 65536 ? 200 : 4000;
    return size >= 65536 ? 300 : 2000;
}

/* ---- what both sides do ---- */

static volatile char *last_byte(const struct end *end)
{
    return end->memory + END_HALF + end->size - 1;
}

static void await_write(struct end *end, char mark)
{
    while (*last_byte(end) != mark)
        doca_pe_progress(end->pe);
}

static void write_mark(struct end *end, char mark)
{
    end->memory[end->size - 1] = mark;
    end_write(end);
    end_wait(end, 0);
}

static void receive_until(struct end *end, unsigned long received)
{
    while (end->received < received)
        doca_pe_progress(end->pe);
}

static void prepare(struct end *end, enum kind kind, size_t size)
{
    end->received = 0;
    end->reposts = false;
    end_resize(end, size);
    *last_byte(end) = 0;
    if (kind == SEND_TRIP)
        end_receive(end);
}

/* ---- the other process ---- */

static void serve_once(struct end *end)
{
    enum kind kind = shared->kind;
    unsigned int count = shared->count;

    prepare(end, kind, shared->size);
    if (kind == SEND_STREAM) {
        /* As many as come, and no receive is left over. */
        for (unsigned int i = 0; i < END_WINDOW; i++)
            end_receive(end);
    }
    atomic_fetch_add(&shared->order, 1);
    for (unsigned int i = 1; kind == SEND_TRIP && i <= count; i++) {
        receive_until(end, i);
        if (i < count)
            end_receive(end);
        end_send(end);
        end_wait(end, 0);
    }
    for (unsigned int i = 1; kind == WRITE_TRIP && i <= count; i++) {
        await_write(end, (char)(i % 100 + 1));
        write_mark(end, (char)(i % 100 + 1));
    }
    for (unsigned int i = 1; kind == SEND_STREAM && i <= count; i++) {
        receive_until(end, i);
        if (i + END_WINDOW <= count)
            end_receive(end);
    }
}

static void serve(int peer)
{
    struct end end;
    unsigned long done = 0;

    bench_pin(1);
    end_open(&end, peer);
    for (;;) {
        while (atomic_load(&shared->order) == done)
            doca_pe_progress(end.pe);
        if (shared->over)
            break;
        done = atomic_load(&shared->order) + 1;
        serve_once(&end);
    }
    end_close(&end);
    exit(0);
}

/* ---- this process ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void one_trip(struct end *end, enum kind kind, unsigned int i, unsigned int count)
{
    switch (kind) {
    case SEND_TRIP:
        end_send(end);
        receive_until(end, i);
        end_wait(end, 0);
        if (i < count)
            end_receive(end);
        break;
    case WRITE_TRIP:
        write_mark(end, (char)(i % 100 + 1));
        await_write(end, (char)(i % 100 + 1));
        break;
    default:
        end_read(end);
        end_wait(end, 0);
    }
}

/* us, in the median */
static double trips(struct end *end, enum kind kind, unsigned int count)
{
    static double each[4096];

    for (unsigned int i = 1; i <= count; i++) {
        double begin = bench_now();

        one_trip(end, kind, i, count);
        each[i - 1] = (bench_now() - begin) * 1e6;
    }
    qsort(each + WARM_UP, count - WARM_UP, sizeof(each[0]), ascending);
    return each[WARM_UP + (count - WARM_UP) / 2];
}

/* MiB/s */
static double stream(struct end *end, enum kind kind, unsigned int count)
{
    double begin = bench_now();

    for (unsigned int i = 0; i < count; i++) {
        end_wait(end, END_WINDOW - 1);
        if (kind == SEND_STREAM)
            end_send(end);
        else if (kind == WRITE_STREAM)
            end_write(end);
        else
            end_read(end);
    }
    end_wait(end, 0);
    return (double)count * (double)end->size / (bench_now() - begin) / (1 << 20);
}

static double measure(struct end *end, enum kind kind, size_t size)
{
    unsigned int count = count_of(size, kinds[kind].is_stream);
    unsigned long order = atomic_load(&shared->order);
    double value;

    prepare(end, kind, size);
    shared->kind = kind;
    shared->size = (unsigned int)size;
    shared->count = count;
    atomic_store(&shared->order, order + 1);
    while (atomic_load(&shared->order) == order + 1)
        doca_pe_progress(end->pe);
    value = kinds[kind].is_stream ? stream(end, kind, count) : trips(end, kind, count);
    return value;
}

/* ---- the benchmark ---- */

struct row {
    enum kind kind;
    unsigned int size;
    double ours[ROUNDS], peer[2][ROUNDS];
};

static double value_of(const struct perftest *test, enum kind kind)
{
    if (kinds[kind].is_stream)
        return test->mib_per_s;
    return kind == READ_TRIP ? test->median_us : 2 * test->median_us;
}

static void measure_peers(struct row *row, unsigned int round)
{
    for (int p = 0; p < 2 && kinds[row->kind].peers[p] != NULL; p++) {
        size_t size = sizes[row->size];
        struct perftest test = {.test = kinds[row->kind].peers[p],
                                .size = size,
                                .count = count_of(size, kinds[row->kind].is_stream),
                                .warm_up = WARM_UP,
                                .window = row->kind == READ_TRIP ? 1 : 0};

        perftest_run(&test);
        row->peer[p][round] = value_of(&test, row->kind);
    }
}

static void report(const struct row *row)
{
    char name[64];
    const struct bench_case c = {.bench = "rdma",
                                 .name = name,
                                 .unit = kinds[row->kind].is_stream ? "MiB/s" : "us",
                                 .higher_is_better = kinds[row->kind].is_stream,
                                 .rounds = ROUNDS};

    snprintf(name, sizeof(name), "%s, %s", kinds[row->kind].name, size_names[row->size]);
    for (int p = 0; p < 2 && kinds[row->kind].peers[p] != NULL; p++)
        bench_report(&c, kinds[row->kind].peers[p], row->ours, row->peer[p]);
}

static void compare(struct end *end, const char *group)
{
    static struct row rows[NUM_KINDS * NUM_SIZES];
    unsigned int num = 0;

    for (enum kind kind = 0; kind < NUM_KINDS; kind++) {
        for (unsigned int i = 0; i < NUM_SIZES; i++) {
            if (group == NULL || strcmp(group, kinds[kind].group) == 0)
                rows[num++] = (struct row){.kind = kind, .size = i};
        }
    }
    for (unsigned int round = 0; round < ROUNDS; round++) {
        for (unsigned int i = 0; i < num; i++) {
            rows[i].ours[round] = measure(end, rows[i].kind, sizes[rows[i].size]);
            measure_peers(&rows[i], round);
        }
    }
    for (unsigned int i = 0; i < num; i++)
        report(&rows[i]);
}

int main(int argc, char **argv)
{
    int ends[2], status;
    struct end end;
    pid_t other;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        bench_die("start", "no memory or socket");
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    other = fork();
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(ends[1]);
    }
    bench_pin(0);
    end_open(&end, ends[0]);
    compare(&end, argc > 1 ? argv[1] : NULL);
    end_close(&end);
    shared->over = true;
    atomic_fetch_add(&shared->order, 1);
    if (waitpid(other, &status, 0) != other || status != 0)
        bench_die("the other process", "failed");
    return 0;
}

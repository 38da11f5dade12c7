/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

/* Accesses to memory of another host that nobody waits for. */

#define LEN  (3u << 20)
#define JOBS 40u

struct rig {
    struct actor exporter;
    struct answer exported;
    struct soft_peer_map *map;
    struct soft_peer_port port;
    struct od_waker waker;
    struct soft_peer_job jobs[JOBS];
    unsigned int out;    /* jobs that have come out */
    unsigned long empty; /* calls that found none */
};

static void open_rig(struct rig *rig, const struct setting *setting)
{
    memset(rig, 0, sizeof(*rig));
    actor_start(&rig->exporter, 0);
    rig->exported = actor_export(&rig->exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    rig->map = import(setting, &rig->exported);
    assert_true(soft_peer_is_far(rig->map));
    assert_int_equal(od_waker_open(&rig->waker), 0);
    soft_peer_port_open(&rig->port, &rig->waker);
}

static void close_rig(struct rig *rig)
{
    assert_null(soft_peer_port_poll(&rig->port));
    soft_peer_port_close(&rig->port);
    od_waker_close(&rig->waker);
    soft_peer_map_close(rig->map);
}

/* Job number `i`. */
static struct soft_peer_job *begin(struct rig *rig, unsigned int i, enum soft_peer_job_kind kind,
                                   uint64_t offset, void *bytes, size_t len)
{
    struct soft_peer_job *job = &rig->jobs[i];

    *job = (struct soft_peer_job){.kind = kind,
                                  .map = rig->map,
                                  .addr = rig->exported.value + offset,
                                  .len = len,
                                  .near_addr = (uintptr_t)bytes};
    assert_int_equal(soft_peer_job_begin(&rig->port, job), 0);
    return job;
}

static void add_one(struct rig *rig, unsigned int i)
{
    struct soft_peer_job *job = &rig->jobs[i];

    *job = (struct soft_peer_job){.kind = SOFT_PEER_JOB_ATOMIC, .map = rig->map};
    job->atomic = (struct soft_peer_atomic){
        .op = SOFT_PEER_OP_ADD, .width = 8, .addr = rig->exported.value, .value = 1};
    assert_int_equal(soft_peer_job_begin(&rig->port, job), 0);
}

/* Until all have come out, which they do in their order. The last status, which all have. */
static int collect_any(struct rig *rig, unsigned int n)
{
    const uint64_t limit = now_ms() + 60000;

    while (rig->out < n) {
        struct soft_peer_job *job = soft_peer_port_poll(&rig->port);

        assert_true(now_ms() < limit);
        if (job == NULL) {
            rig->empty++;
            continue;
        }
        assert_ptr_equal(job, &rig->jobs[rig->out]);
        assert_int_equal(job->status, rig->jobs[0].status);
        rig->out++;
    }
    return rig->jobs[0].status;
}

static void collect(struct rig *rig, unsigned int n, int status)
{
    assert_int_equal(collect_any(rig, n), status);
}

static void jobs_are_done_in_their_order(void **state)
{
    uint8_t *to = malloc(LEN), *from = malloc(LEN);
    struct rig rig;

    open_rig(&rig, *state);
    for (size_t i = 0; i < LEN; i++)
        to[i] = (uint8_t)(i * 7 + i / 4096);
    begin(&rig, 0, SOFT_PEER_JOB_WRITE, 0, to, LEN);
    begin(&rig, 1, SOFT_PEER_JOB_READ, 0, from, LEN);
    begin(&rig, 2, SOFT_PEER_JOB_READ, 0, from, 0);
    for (unsigned int i = 3; i < JOBS; i++)
        begin(&rig, i, SOFT_PEER_JOB_WRITE, LEN - i, to + LEN - 1, 1);
    collect(&rig, JOBS, 0);
    assert_memory_equal(to, from, LEN);
    assert_int_equal(actor_count_others(&rig.exporter, LEN - JOBS + 1, JOBS - 3, to[LEN - 1]), 0);
    close_rig(&rig);
    actor_finish(&rig.exporter);
    free(to);
    free(from);
}

static void atomic_jobs_tell_what_was_there(void **state)
{
    uint64_t zero = 0;
    struct rig rig;

    open_rig(&rig, *state);
    begin(&rig, 0, SOFT_PEER_JOB_WRITE, 0, &zero, sizeof(zero));
    for (unsigned int i = 1; i < JOBS; i++)
        add_one(&rig, i);
    collect(&rig, JOBS, 0);
    for (unsigned int i = 1; i < JOBS; i++)
        assert_int_equal(rig.jobs[i].before, i - 1);
    close_rig(&rig);
    actor_finish(&rig.exporter);
}

/* The other side of a copy may be memory of another process on this host. */
static void jobs_reach_memory_of_a_neighbour(void **state)
{
    const struct setting *setting = *state;
    struct answer exported;
    struct actor neighbour;
    struct rig rig;

    open_rig(&rig, setting);
    setenv("OPENDOCA_PEER_ENGINE", "", 1);
    actor_start(&neighbour, 0);
    exported = actor_export(&neighbour, setting->memory, LEN, 0x77, ALL_ACCESS);
    rig.jobs[0] = (struct soft_peer_job){.kind = SOFT_PEER_JOB_WRITE,
                                         .map = rig.map,
                                         .addr = rig.exported.value + 100,
                                         .len = LEN - 200,
                                         .near_addr = exported.value + 100};
    assert_int_equal(soft_peer_import(exported.desc, exported.desc_len, SOFT_PEER_KIND_PCI,
                                      ACTOR_CARD, &rig.jobs[0].near),
                     0);
    assert_false(soft_peer_is_far(rig.jobs[0].near));
    rig.jobs[1] = rig.jobs[0];
    rig.jobs[1].kind = SOFT_PEER_JOB_READ;
    rig.jobs[1].addr = rig.exported.value;
    rig.jobs[1].len = 50;
    rig.jobs[1].near_addr = exported.value;
    for (unsigned int i = 0; i < 2; i++)
        assert_int_equal(soft_peer_job_begin(&rig.port, &rig.jobs[i]), 0);
    collect(&rig, 2, 0);
    assert_int_equal(actor_count_others(&rig.exporter, 100, LEN - 200, 0x77), 0);
    assert_int_equal(actor_count_others(&neighbour, 0, 50, 0x11), 0);
    soft_peer_map_close(rig.jobs[0].near);
    close_rig(&rig);
    actor_finish(&rig.exporter);
    actor_finish(&neighbour);
}

static void jobs_are_checked_before(void **state)
{
    struct rig rig;

    open_rig(&rig, *state);
    rig.jobs[0] = (struct soft_peer_job){
        .kind = SOFT_PEER_JOB_READ, .map = rig.map, .addr = rig.exported.value + LEN - 1, .len = 2};
    assert_int_equal(soft_peer_job_begin(&rig.port, &rig.jobs[0]), -ERANGE);
    rig.jobs[0] = (struct soft_peer_job){.kind = SOFT_PEER_JOB_ATOMIC, .map = rig.map};
    assert_int_equal(soft_peer_job_begin(&rig.port, &rig.jobs[0]), -EINVAL);
    close_rig(&rig);
    actor_finish(&rig.exporter);
}

/* What has no answer within its time ends: given up, or with the link, which notices it too. */
static void a_stopped_exporter_holds_nobody_up(void **state)
{
    uint8_t byte = 0x22, back = 0;
    uint64_t before;
    struct rig rig;
    int status;

    open_rig(&rig, *state);
    actor_pause(&rig.exporter);
    before = now_ms();
    begin(&rig, 0, SOFT_PEER_JOB_WRITE, 0, &byte, 1);
    begin(&rig, 1, SOFT_PEER_JOB_READ, 0, &back, 1);
    before = now_ms() - before;
    status = collect_any(&rig, 2);
    assert_true(status == -EIO || status == -ENOTCONN);
    /* A call that waits finds what it has waited for, unless the time was over before the first. */
    assert_true(rig.empty > 0 || before >= 1000);
    assert_int_equal(back, 0);
    actor_resume(&rig.exporter);
    close_rig(&rig);
    actor_finish(&rig.exporter);
}

/* Until job number `i` has come out; how many naps ended early. The exporter goes on during the
 * first one. */
static unsigned int nap_through(struct rig *rig, unsigned int i)
{
    const uint64_t limit = now_ms() + 60000;
    struct pollfd pfd = {.events = POLLIN};
    unsigned int naps = 0, woken = 0;
    struct soft_peer_job *job;

    while ((job = soft_peer_port_poll(&rig->port)) == NULL) {
        bool news;

        assert_true(now_ms() < limit);
        od_waker_arm(&rig->waker);
        news = soft_peer_port_nap(&rig->port, &pfd.fd);
        if (naps++ == 0)
            actor_resume(&rig->exporter);
        if (!news)
            woken += poll(&pfd, 1, 50) > 0;
        od_waker_clear(&rig->waker);
    }
    assert_ptr_equal(job, &rig->jobs[i]);
    assert_int_equal(job->status, 0);
    return woken;
}

/* What comes ends a nap: the waker itself is not woken by the network. */
static void a_nap_ends_when_something_comes(void **state)
{
    struct pollfd pfd = {.events = POLLIN};
    unsigned int woken = 0;
    uint8_t back = 0;
    struct rig rig;

    open_rig(&rig, *state);
    assert_false(soft_peer_port_nap(&rig.port, &pfd.fd));
    assert_int_equal(pfd.fd, rig.waker.fd);
    for (unsigned int i = 0; i < JOBS; i++) {
        actor_pause(&rig.exporter);
        begin(&rig, i, SOFT_PEER_JOB_READ, i, &back, 1);
        woken += nap_through(&rig, i);
        assert_int_equal(back, 0x11);
    }
    assert_true(woken > 0);
    close_rig(&rig);
    actor_finish(&rig.exporter);
}

static atomic_ulong yields; /* of this process */

/* In place of the C library's. */
__attribute__((visibility("default"))) int sched_yield(void)
{
    atomic_fetch_add(&yields, 1);
    return (int)syscall(SYS_sched_yield);
}

/* Begins a read, and waits without a look until its answer is there. */
static void begin_and_wait(struct rig *rig, unsigned int i, void *back)
{
    struct pollfd pfd = {.events = POLLIN};
    bool news;

    begin(rig, i, SOFT_PEER_JOB_READ, i, back, 1);
    od_waker_arm(&rig->waker);
    news = soft_peer_port_nap(&rig->port, &pfd.fd);
    if (!news)
        (void)poll(&pfd, 1, 50);
    od_waker_clear(&rig->waker);
}

static void answers_that_are_there_are_taken_without_giving_the_turn_away(void **state)
{
    unsigned long before, given = 0;
    uint8_t back = 0;
    struct rig rig;

    open_rig(&rig, *state);
    for (unsigned int i = 0; i < JOBS; i++) {
        begin_and_wait(&rig, i, &back);
        before = atomic_load(&yields);
        collect(&rig, i + 1, 0);
        given += atomic_load(&yields) != before;
    }
    assert_true(given <= JOBS / 2);
    close_rig(&rig);
    actor_finish(&rig.exporter);
}

static void jobs_can_be_taken_back(void **state)
{
    uint8_t byte = 0x22, back = 0;
    struct rig rig;

    open_rig(&rig, *state);
    actor_pause(&rig.exporter);
    for (unsigned int i = 0; i < JOBS; i++)
        begin(&rig, i, SOFT_PEER_JOB_READ, i, &back, 1);
    soft_peer_port_cancel(&rig.port);
    collect(&rig, JOBS, -ECANCELED);
    actor_resume(&rig.exporter);
    rig.out = 0;
    begin(&rig, 0, SOFT_PEER_JOB_WRITE, 0, &byte, 1);
    begin(&rig, 1, SOFT_PEER_JOB_READ, 0, &back, 1);
    collect(&rig, 2, 0);
    assert_int_equal(back, byte);
    close_rig(&rig);
    actor_finish(&rig.exporter);
}

static void death_ends_all_jobs(void **state)
{
    uint8_t *bytes = calloc(1, LEN);
    struct rig rig;

    open_rig(&rig, *state);
    actor_pause(&rig.exporter);
    for (unsigned int i = 0; i < JOBS; i++)
        begin(&rig, i, i % 2 == 0 ? SOFT_PEER_JOB_WRITE : SOFT_PEER_JOB_READ, 0, bytes, LEN);
    actor_kill(&rig.exporter);
    collect(&rig, JOBS, -ENOTCONN);
    rig.out = 0;
    begin(&rig, 0, SOFT_PEER_JOB_READ, 0, bytes, 1);
    collect(&rig, 1, -ENOTCONN);
    close_rig(&rig);
    free(bytes);
}

const struct peer_case job_cases[] = {
    {"jobs are done in their order", jobs_are_done_in_their_order},
    {"atomic jobs tell what was there", atomic_jobs_tell_what_was_there},
    {"jobs reach memory of a neighbour", jobs_reach_memory_of_a_neighbour},
    {"jobs are checked before", jobs_are_checked_before},
    {"a stopped exporter holds nobody up", a_stopped_exporter_holds_nobody_up},
    {"a nap ends when something comes", a_nap_ends_when_something_comes},
    {"answers that are there are taken without giving the turn away",
     answers_that_are_there_are_taken_without_giving_the_turn_away},
    {"jobs can be taken back", jobs_can_be_taken_back},
    {"death ends all jobs", death_ends_all_jobs},
    {NULL, NULL},
};

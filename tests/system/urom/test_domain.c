/* SPDX-License-Identifier: BSD-3-Clause */
/* Domains: processes that meet over a channel of the test's own, and what their workers then find.
 */
#include "fixture.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/test_wire.h"

#define MAX_RANKS 4
#define ROUNDS    16
#define AREA      (256 << 10)

/* ------------------------------------------------------------------------------------------------
 * Out of band: shared memory
 */

struct round {
    atomic_uint arrived;
    char bytes[MAX_RANKS][AREA];
};

struct meeting {
    atomic_uint barriers[ROUNDS];
    struct round rounds[ROUNDS];
};

struct oob {
    struct meeting *meeting;
    unsigned int rank, size, round;
    unsigned int freed;
    void *last;    /* request */
    int fail_at;   /* round that fails here; -1: none */
    bool withhold; /* never says that a round is over */
};

struct request {
    struct oob *oob;
    unsigned int round;
    size_t len;
    char *to;
};

static doca_error_t allgather(void *from, void *to, size_t len, void *info, void **req)
{
    struct oob *oob = info;
    struct request *request = malloc(sizeof(*request));

    *request = (struct request){oob, oob->round++, len, to};
    if (request->round >= ROUNDS || len > AREA) {
        free(request);
        return DOCA_ERROR_TOO_BIG;
    }
    memcpy(oob->meeting->rounds[request->round].bytes[oob->rank], from, len);
    atomic_fetch_add(&oob->meeting->rounds[request->round].arrived, 1);
    *req = request;
    oob->last = request;
    return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t req_test(void *req)
{
    struct request *request = req;
    struct round *round = &request->oob->meeting->rounds[request->round];

    if ((int)request->round == request->oob->fail_at)
        return DOCA_ERROR_CONNECTION_RESET;
    if (request->oob->withhold || atomic_load(&round->arrived) < request->oob->size)
        return DOCA_ERROR_IN_PROGRESS;
    for (unsigned int i = 0; i < request->oob->size; i++)
        memcpy(request->to + i * request->len, round->bytes[i], request->len);
    return DOCA_SUCCESS;
}

static doca_error_t req_free(void *req)
{
    struct request *request = req;

    request->oob->freed++;
    free(request);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Ranks: processes that run one function
 */

struct rank {
    struct oob oob;
    struct fixture_host host;
    struct doca_urom_worker *worker;
    struct doca_urom_domain *domain;
    struct doca_ctx *ctx;
    uint64_t plugin;
    unsigned int number, size;
};

static struct fixture_daemon daemon_one;
static struct meeting *meeting;

/* All ranks are here; each place has a number of its own. */
static void barrier(struct rank *rank, unsigned int place)
{
    atomic_fetch_add(&meeting->barriers[place], 1);
    while (atomic_load(&meeting->barriers[place]) < rank->size)
        sched_yield();
}

static void open_rank(struct rank *rank, unsigned int number, unsigned int size)
{
    *rank = (struct rank){.number = number, .size = size};
    rank->oob = (struct oob){.meeting = meeting, .rank = number, .size = size, .fail_at = -1};
    fixture_host_open(&rank->host);
    rank->plugin = fixture_plugin(&rank->host, "worker_test");
    rank->worker = fixture_worker(&rank->host, 100 + number,
                                  rank->plugin | fixture_plugin(&rank->host, "worker_graph"));
    assert_int_equal(fixture_worker_start(&rank->host, rank->worker), DOCA_CTX_STATE_RUNNING);
    assert_ok(doca_urom_domain_create(&rank->domain));
    rank->ctx = doca_urom_domain_as_ctx(rank->domain);
    assert_ok(doca_pe_connect_ctx(rank->host.pe, rank->ctx));
}

static void configure(struct rank *rank, uint64_t domain_id)
{
    struct doca_urom_domain_oob_coll oob = {
        .allgather = allgather,
        .req_test = req_test,
        .req_free = req_free,
        .coll_info = &rank->oob,
        .n_oob_indexes = rank->size,
        .oob_index = rank->number,
    };
    uint64_t ids[] = {domain_id};
    struct doca_urom_worker *workers[] = {rank->worker};

    assert_ok(doca_urom_domain_set_oob(rank->domain, &oob));
    memset(&oob, 0xff, sizeof(oob)); /* was copied */
    assert_ok(doca_urom_domain_set_workers(rank->domain, ids, workers, 1));
}

static void close_rank(struct rank *rank)
{
    assert_ok(doca_urom_domain_destroy(rank->domain));
    fixture_worker_end(&rank->host, rank->worker);
    fixture_host_close(&rank->host);
}

/* Starts and progresses to what becomes of it, in one event. */
static enum doca_ctx_states start_domain(struct rank *rank)
{
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(rank->ctx));
    assert_int_equal(fixture_state(rank->ctx), DOCA_CTX_STATE_STARTING);
    fixture_event(rank->host.pe);
    assert_int_not_equal(fixture_state(rank->ctx), DOCA_CTX_STATE_STARTING);
    return fixture_state(rank->ctx);
}

/* A forked process must not have used the library before: ranks are children of the test. */
static void run_ranks(unsigned int size, void (*run)(unsigned int number, unsigned int size))
{
    pid_t pids[MAX_RANKS];
    int status;

    meeting =
        mmap(NULL, sizeof(*meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(meeting != MAP_FAILED);
    for (unsigned int i = 0; i < size; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            fixture_in_child();
            run(i, size);
            exit(0);
        }
    }
    for (unsigned int i = 0; i < size; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        if (status != 0)
            fail_msg("rank %u ends with %d", i, status);
    }
    munmap(meeting, sizeof(*meeting));
}

/* A look-up in the worker; the bytes that were found are in `result`. */
static doca_error_t look(struct rank *rank, uint64_t op, uint64_t domain_id, uint64_t number,
                         struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task = fixture_task(rank->worker, rank->plugin, result);
    struct {
        struct test_cmd cmd;
        uint64_t number;
    } payload = {{op, domain_id}, number};

    memset(result, 0, sizeof(*result));
    fixture_payload(task, &payload, sizeof(payload));
    assert_ok(fixture_submit(task));
    fixture_event(rank->host.pe);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    return result->status;
}

/* ------------------------------------------------------------------------------------------------
 * Cases
 */

static char memory[MAX_RANKS][2][4096];

static void look_at_all(struct rank *rank)
{
    struct fixture_result result;
    uint64_t seg;

    for (unsigned int i = 0; i < rank->size; i++) {
        char key[32];
        int len = snprintf(key, sizeof(key), "key of %u", i);

        assert_ok(look(rank, TEST_ADDR, 10 + i, 0, &result));
        assert_true(strncmp((char *)result.bytes, "address of process ", 19) == 0);
        assert_ok(look(rank, TEST_SEG, 10 + i, (uintptr_t)memory[i][1] + 4095, &result));
        memcpy(&seg, result.bytes, sizeof(seg));
        assert_true(seg == 1);
        assert_ok(look(rank, TEST_MKEY, 10 + i, 0, &result));
        assert_true(result.len == (size_t)len && memcmp(result.bytes, key, result.len) == 0);
        assert_ok(look(rank, TEST_MEMH, 10 + i, 1, &result));
        assert_true(result.len == 3 && memcmp(result.bytes, "mem", 3) == 0);
        assert_doca(DOCA_ERROR_NOT_FOUND, look(rank, TEST_MEMH, 10 + i, 0, &result));
        assert_doca(DOCA_ERROR_NOT_FOUND, look(rank, TEST_MKEY, 10 + i, 2, &result));
        assert_doca(DOCA_ERROR_NOT_FOUND, look(rank, TEST_SEG, 10 + i, 4096, &result));
    }
    assert_doca(DOCA_ERROR_NOT_FOUND, look(rank, TEST_ADDR, 10 + rank->size, 0, &result));
}

static void everybody_finds_everybody(unsigned int number, unsigned int size)
{
    struct fixture_result result;
    struct rank rank;
    char key[32], handle[] = "mem";
    int len = snprintf(key, sizeof(key), "key of %u", number);

    open_rank(&rank, number, size);
    configure(&rank, 10 + number);
    assert_ok(doca_urom_domain_set_buffers_count(rank.domain, 2));
    assert_ok(doca_urom_domain_add_buffer(rank.domain, memory[number][0], 4096, NULL, 0, key,
                                          (size_t)len));
    assert_ok(
        doca_urom_domain_add_buffer(rank.domain, memory[number][1], 4096, handle, 3, NULL, 0));
    memset(key, 0, sizeof(key)); /* was copied */
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING);
    assert_true(rank.oob.freed == rank.oob.round);
    look_at_all(&rank);
    assert_doca(DOCA_ERROR_IN_USE, doca_ctx_stop(doca_urom_worker_as_ctx(rank.worker)));
    assert_doca(DOCA_ERROR_IN_USE, doca_urom_worker_destroy(rank.worker));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_domain_destroy(rank.domain));
    barrier(&rank, 0);
    assert_ok(doca_ctx_stop(rank.ctx));
    assert_true(fixture_state(rank.ctx) == DOCA_CTX_STATE_IDLE);
    while (look(&rank, TEST_ADDR, 10, 0, &result) == DOCA_SUCCESS)
        ; /* the worker learns of the end by the link's end */
    assert_doca(DOCA_ERROR_NOT_FOUND, result.status);
    barrier(&rank, 1);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING); /* and once more */
    look_at_all(&rank);
    assert_ok(doca_ctx_stop(rank.ctx));
    close_rank(&rank);
}

static void one_process(void **state)
{
    (void)state;
    run_ranks(1, everybody_finds_everybody);
}

static void two_processes(void **state)
{
    (void)state;
    run_ranks(2, everybody_finds_everybody);
}

static void four_processes(void **state)
{
    (void)state;
    run_ranks(4, everybody_finds_everybody);
}

static void bring_nothing(unsigned int number, unsigned int size)
{
    struct doca_urom_domain_oob_coll oob;
    struct rank rank;

    open_rank(&rank, number, size);
    configure(&rank, 10 + number);
    oob =
        (struct doca_urom_domain_oob_coll){allgather, req_test, req_free, &rank.oob, size, number};
    assert_ok(doca_urom_domain_set_oob(rank.domain, &oob));
    if (number == 1)
        assert_ok(doca_urom_domain_set_workers(rank.domain, NULL, NULL, 0));
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING);
    assert_ok(doca_ctx_stop(rank.ctx));
    close_rank(&rank);
}

static void a_process_may_bring_nothing(void **state)
{
    (void)state;
    run_ranks(3, bring_nothing);
}

static void equal_ids(unsigned int number, unsigned int size)
{
    struct rank rank;

    open_rank(&rank, number, size);
    configure(&rank, 10 + (number > 0));
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_IDLE);
    fixture_no_event(rank.host.pe, 100);
    barrier(&rank, 0);
    configure(&rank, 10 + number);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING);
    assert_ok(doca_ctx_stop(rank.ctx));
    close_rank(&rank);
}

static void equal_ids_fail_everywhere(void **state)
{
    (void)state;
    run_ranks(3, equal_ids);
}

static pid_t pid_of(struct rank *rank)
{
    struct fixture_result result;
    struct test_who who;

    assert_ok(look(rank, TEST_WHO, 0, 0, &result));
    memcpy(&who, result.bytes, sizeof(who));
    return (pid_t)who.pid;
}

static void local_failure(unsigned int number, unsigned int size)
{
    struct rank rank;

    open_rank(&rank, number, size);
    configure(&rank, 10 + number);
    if (number == 1)
        kill(pid_of(&rank), SIGKILL);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_IDLE);
    assert_ok(doca_urom_domain_destroy(rank.domain));
    fixture_worker_end(&rank.host, rank.worker);
    fixture_host_close(&rank.host);
}

static void a_failure_of_one_process_fails_everywhere(void **state)
{
    (void)state;
    run_ranks(3, local_failure);
}

static void stop_early(unsigned int number, unsigned int size)
{
    struct rank rank;

    open_rank(&rank, number, size);
    configure(&rank, 10 + number);
    if (number != 0) {
        barrier(&rank, 0);
        assert_true(start_domain(&rank) == DOCA_CTX_STATE_IDLE);
        close_rank(&rank);
        return;
    }
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(rank.ctx));
    /* Its first exchange is under way, and the others do not come yet. */
    while (rank.oob.round == 0)
        assert_true(doca_pe_progress(rank.host.pe) == 0);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_domain_destroy(rank.domain));
    assert_doca(DOCA_ERROR_IN_USE, doca_urom_worker_destroy(rank.worker));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(rank.ctx));
    fixture_no_event(rank.host.pe, 100);
    assert_doca(DOCA_ERROR_IN_USE, doca_ctx_stop(doca_urom_worker_as_ctx(rank.worker)));
    barrier(&rank, 0);
    fixture_event(rank.host.pe);
    assert_true(fixture_state(rank.ctx) == DOCA_CTX_STATE_IDLE);
    close_rank(&rank);
}

static void a_stop_while_it_starts_fails_everywhere(void **state)
{
    (void)state;
    run_ranks(3, stop_early);
}

static void broken_oob(unsigned int number, unsigned int size)
{
    struct rank rank;

    for (int at = 0; at < 3; at++) {
        open_rank(&rank, number, size);
        configure(&rank, 10 + number);
        rank.oob.fail_at = at;
        assert_true(start_domain(&rank) == DOCA_CTX_STATE_IDLE);
        assert_true(rank.oob.freed == (unsigned int)at + 1);
        close_rank(&rank);
    }
}

static void an_exchange_that_fails_is_one_event(void **state)
{
    (void)state;
    run_ranks(1, broken_oob);
}

static void late(unsigned int number, unsigned int size)
{
    struct rank rank;

    open_rank(&rank, number, size);
    configure(&rank, 10 + number);
    rank.oob.withhold = true;
    setenv("DOCA_UROM_DOMAIN_TIMEOUT_MS", "300", 1);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_IDLE);
    assert_int_equal(rank.oob.freed, 0); /* it is not over */
    close_rank(&rank);
    free(rank.oob.last);
}

static void the_wait_can_be_bounded(void **state)
{
    (void)state;
    run_ranks(1, late);
}

/* As a collective layer does that never stops its worker, and does not mind what it is told. */
static void leave_all_behind(unsigned int number, unsigned int size)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *held;
    const struct test_cmd hold = {TEST_HOLD, 0};
    struct rank rank;

    open_rank(&rank, number, size);
    configure(&rank, 10 + number);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING);
    held = fixture_task(rank.worker, rank.plugin, &result);
    fixture_payload(held, &hold, sizeof(hold));
    assert_ok(fixture_submit(held));
    assert_ok(doca_ctx_stop(rank.ctx));
    assert_ok(doca_urom_domain_destroy(rank.domain));
    assert_doca(DOCA_ERROR_IN_USE, doca_ctx_stop(rank.host.service_ctx));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_service_destroy(rank.host.service));
    assert_doca(DOCA_ERROR_IN_USE, doca_urom_worker_destroy(rank.worker));
    assert_doca(DOCA_ERROR_IN_USE, doca_pe_destroy(rank.host.pe));
    assert_doca(DOCA_ERROR_IN_USE, doca_dev_close(rank.host.dev));
    barrier(&rank, 0);
}

static void what_a_process_leaves_behind_ends_with_it(void **state)
{
    (void)state;
    run_ranks(2, leave_all_behind);
    fixture_wait_workers(0);
}

static void two_domains(unsigned int number, unsigned int size)
{
    struct fixture_result result;
    struct doca_urom_domain *second;
    struct rank rank;

    open_rank(&rank, number, size);
    configure(&rank, 10);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING);
    second = rank.domain;
    assert_ok(doca_urom_domain_create(&rank.domain));
    rank.ctx = doca_urom_domain_as_ctx(rank.domain);
    assert_ok(doca_pe_connect_ctx(rank.host.pe, rank.ctx));
    configure(&rank, 11);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING);
    assert_ok(look(&rank, TEST_ADDR, 10, 0, &result));
    assert_ok(look(&rank, TEST_ADDR, 11, 0, &result));
    assert_ok(doca_ctx_stop(doca_urom_domain_as_ctx(second)));
    while (look(&rank, TEST_ADDR, 10, 0, &result) == DOCA_SUCCESS)
        ;
    assert_ok(look(&rank, TEST_ADDR, 11, 0, &result));
    assert_ok(doca_ctx_stop(rank.ctx));
    assert_ok(doca_urom_domain_destroy(second));
    close_rank(&rank);
}

static void a_worker_can_be_in_two_domains(void **state)
{
    (void)state;
    run_ranks(1, two_domains);
}

static void conflict(unsigned int number, unsigned int size)
{
    struct doca_urom_worker *other;
    struct doca_urom_domain *second;
    uint64_t ids[2] = {11, 10};
    struct doca_urom_worker *both[2];
    struct rank rank;

    open_rank(&rank, number, size);
    configure(&rank, 10);
    other = fixture_worker(&rank.host, 200, rank.plugin);
    assert_true(fixture_worker_start(&rank.host, other) == DOCA_CTX_STATE_RUNNING);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING);
    second = rank.domain;
    assert_ok(doca_urom_domain_create(&rank.domain));
    rank.ctx = doca_urom_domain_as_ctx(rank.domain);
    assert_ok(doca_pe_connect_ctx(rank.host.pe, rank.ctx));
    configure(&rank, 0);
    both[0] = rank.worker;
    both[1] = other;
    /* Id 10 is the first worker's, as that one knows from the first domain. */
    assert_ok(doca_urom_domain_set_workers(rank.domain, ids, both, 2));
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_IDLE);
    assert_ok(doca_ctx_stop(doca_urom_domain_as_ctx(second)));
    assert_ok(doca_urom_domain_destroy(second));
    fixture_worker_end(&rank.host, other);
    close_rank(&rank);
}

static void an_id_must_not_mean_two_workers_in_two_domains(void **state)
{
    (void)state;
    run_ranks(1, conflict);
}

static void setters(unsigned int number, unsigned int size)
{
    struct doca_urom_domain_oob_coll oob = {allgather, req_test, req_free, NULL, 1, 0};
    struct rank rank;
    uint64_t id = 1;
    char byte = 0;

    open_rank(&rank, number, size);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_domain_create(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_domain_destroy(NULL));
    assert_true(doca_urom_domain_as_ctx(NULL) == NULL);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(rank.ctx));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_domain_set_oob(rank.domain, NULL));
    oob.oob_index = 1;
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_domain_set_oob(rank.domain, &oob));
    oob.oob_index = 0;
    oob.req_free = NULL;
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_domain_set_oob(rank.domain, &oob));
    oob.req_free = req_free;
    assert_ok(doca_urom_domain_set_oob(rank.domain, &oob));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(rank.ctx));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_domain_set_workers(rank.domain, &id, NULL, 1));
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_urom_domain_add_buffer(rank.domain, &byte, 1, NULL, 0, NULL, 0));
    assert_ok(doca_urom_domain_set_buffers_count(rank.domain, 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_domain_add_buffer(rank.domain, NULL, 1, NULL, 0, NULL, 0));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_domain_add_buffer(rank.domain, &byte, 1, NULL, 1, NULL, 0));
    assert_ok(doca_urom_domain_add_buffer(rank.domain, &byte, 1, &byte, 1, NULL, 0));
    assert_doca(DOCA_ERROR_FULL,
                doca_urom_domain_add_buffer(rank.domain, &byte, 1, NULL, 0, NULL, 0));
    assert_ok(doca_urom_domain_set_buffers_count(rank.domain, 0));
    configure(&rank, 10);
    fixture_stop(rank.host.pe, doca_urom_worker_as_ctx(rank.worker));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(rank.ctx));
    assert_true(fixture_worker_start(&rank.host, rank.worker) == DOCA_CTX_STATE_RUNNING);
    assert_true(start_domain(&rank) == DOCA_CTX_STATE_RUNNING);
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_domain_set_oob(rank.domain, &oob));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_domain_set_buffers_count(rank.domain, 1));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_domain_set_workers(rank.domain, NULL, NULL, 0));
    assert_ok(doca_ctx_stop(rank.ctx));
    fixture_worker_end(&rank.host, rank.worker);
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(rank.ctx)); /* its worker is no more */
    assert_ok(doca_urom_domain_destroy(rank.domain));
    fixture_host_close(&rank.host);
}

static void setters_check_range_and_state(void **state)
{
    (void)state;
    run_ranks(1, setters);
}

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    fixture_daemon_start(&daemon_one, NULL);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process),
        cmocka_unit_test(two_processes),
        cmocka_unit_test(four_processes),
        cmocka_unit_test(a_process_may_bring_nothing),
        cmocka_unit_test(equal_ids_fail_everywhere),
        cmocka_unit_test(a_failure_of_one_process_fails_everywhere),
        cmocka_unit_test(a_stop_while_it_starts_fails_everywhere),
        cmocka_unit_test(an_exchange_that_fails_is_one_event),
        cmocka_unit_test(the_wait_can_be_bounded),
        cmocka_unit_test(what_a_process_leaves_behind_ends_with_it),
        cmocka_unit_test(a_worker_can_be_in_two_domains),
        cmocka_unit_test(an_id_must_not_mean_two_workers_in_two_domains),
        cmocka_unit_test(setters_check_range_and_state),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

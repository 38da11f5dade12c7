/* SPDX-License-Identifier: BSD-3-Clause */
/* A daemon that is there and does not move: what waits for it ends by time alone. */
#include "fixture.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

static struct fixture_daemon daemon_one;
static struct fixture_host host;

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    /* The daemon says its own bound of a start, which the client's is added to. */
    setenv("DOCA_UROM_SPAWN_TIMEOUT_MS", "200", 1);
    fixture_daemon_start(&daemon_one, NULL);
    unsetenv("DOCA_UROM_SPAWN_TIMEOUT_MS");
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

/* Running, when the daemon stops to move. */
static void open_and_freeze(void)
{
    setenv("DOCA_UROM_ANSWER_TIMEOUT_MS", "200", 1);
    fixture_host_open(&host);
    unsetenv("DOCA_UROM_ANSWER_TIMEOUT_MS");
    fixture_freeze(daemon_one.pid);
}

static void thaw_and_close(void)
{
    assert_int_equal(kill(daemon_one.pid, SIGCONT), 0);
    fixture_host_close(&host);
}

/* In far less than the usual bound, which is 30 s. */
static void sleep_for_event(void)
{
    const uint64_t begin = fixture_now_ms();
    struct pollfd fd = {.events = POLLIN};

    assert_ok(doca_pe_get_notification_handle(host.pe, &fd.fd));
    while (doca_pe_progress(host.pe) == 0) {
        assert_ok(doca_pe_request_notification(host.pe));
        assert_int_equal(poll(&fd, 1, PATIENCE), 1);
        assert_ok(doca_pe_clear_notification(host.pe, fd.fd));
    }
    assert_in_range(fixture_now_ms() - begin, 0, 25000);
}

struct answer {
    unsigned int count;
    doca_error_t status;
    uint32_t workers;
};

static void on_query(struct doca_urom_service_get_workers_by_gid_task *query,
                     union doca_data task_data, union doca_data ctx_data)
{
    struct answer *answer = task_data.ptr;

    (void)ctx_data;
    answer->count++;
    answer->status = doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(query));
    answer->workers = doca_urom_service_get_workers_by_gid_task_get_workers_count(query);
    assert_ok(doca_urom_service_get_workers_by_gid_task_release(query));
}

static doca_error_t ask(struct answer *answer)
{
    struct doca_urom_service_get_workers_by_gid_task *query;
    doca_error_t result;

    assert_ok(
        doca_urom_service_get_workers_by_gid_task_allocate_init(host.service, 0, on_query, &query));
    doca_task_set_user_data(doca_urom_service_get_workers_by_gid_task_as_task(query),
                            (union doca_data){.ptr = answer});
    result = doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(query));
    if (result != DOCA_SUCCESS)
        assert_ok(doca_urom_service_get_workers_by_gid_task_release(query));
    return result;
}

static void a_query_ends_without_an_answer(void **state)
{
    struct answer answer = {0};

    (void)state;
    open_and_freeze();
    assert_ok(ask(&answer));
    sleep_for_event();
    assert_int_equal(answer.count, 1);
    assert_doca(DOCA_ERROR_IO_FAILED, answer.status);
    assert_int_equal(answer.workers, 0);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, ask(&answer));
    thaw_and_close();
}

static void a_start_of_a_worker_ends_without_an_answer(void **state)
{
    struct doca_urom_worker *worker;
    struct doca_ctx *ctx;

    (void)state;
    open_and_freeze();
    worker = fixture_worker(&host, 1, fixture_plugin(&host, "worker_graph"));
    ctx = doca_urom_worker_as_ctx(worker);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STARTING);
    sleep_for_event();
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    fixture_no_event(host.pe, 100);
    assert_int_equal(kill(daemon_one.pid, SIGCONT), 0);
    assert_ok(doca_urom_worker_destroy(worker));
    thaw_and_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_ends_without_an_answer),
        cmocka_unit_test(a_start_of_a_worker_ends_without_an_answer),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

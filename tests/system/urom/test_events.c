/* SPDX-License-Identifier: BSD-3-Clause */
/* One event a progress call, none for work inside; sleeping until there is one. */
#include "fixture.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/test_wire.h"

static struct fixture_daemon daemon_one;
static struct fixture_host host;
static uint64_t plugin;

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    fixture_daemon_start(&daemon_one, NULL);
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    return 0;
}

static int teardown(void **state)
{
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

static struct doca_urom_worker_cmd_task *command(struct doca_urom_worker *worker, uint64_t op,
                                                 struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task = fixture_task(worker, plugin, result);
    const struct test_cmd cmd = {op, 0};

    fixture_payload(task, &cmd, sizeof(cmd));
    return task;
}

static void answers_that_are_there_at_once_come_one_a_call(void **state)
{
    struct doca_urom_worker_cmd_task *tasks[8];
    struct fixture_result results[8] = {{0}};
    struct doca_urom_worker *worker = fixture_worker(&host, 1, plugin);

    (void)state;
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    for (unsigned int i = 0; i < 8; i++) {
        tasks[i] = command(worker, TEST_ECHO, &results[i]);
        assert_ok(fixture_submit(tasks[i]));
    }
    fixture_wait_answers(1, 8);
    for (unsigned int i = 0; i < 8; i++) {
        assert_int_equal(results[i].count, 0);
        assert_int_equal(doca_pe_progress(host.pe), 1);
        assert_int_equal(results[i].count, 1);
    }
    fixture_no_event(host.pe, 1000);
    for (unsigned int i = 0; i < 8; i++)
        assert_ok(doca_urom_worker_cmd_task_release(tasks[i]));
    fixture_worker_end(&host, worker);
}

static void contexts_of_one_engine_take_turns(void **state)
{
    struct doca_urom_worker *workers[3];
    struct doca_urom_worker_cmd_task *tasks[3][4];
    struct fixture_result results[3] = {{0}};

    (void)state;
    for (unsigned int w = 0; w < 3; w++) {
        workers[w] = fixture_worker(&host, 10 + w, plugin);
        assert_int_equal(fixture_worker_start(&host, workers[w]), DOCA_CTX_STATE_RUNNING);
    }
    for (unsigned int w = 0; w < 3; w++) {
        for (unsigned int i = 0; i < 4; i++) {
            tasks[w][i] = command(workers[w], TEST_ECHO, &results[w]);
            assert_ok(fixture_submit(tasks[w][i]));
        }
    }
    for (unsigned int w = 0; w < 3; w++)
        fixture_wait_answers(10 + w, 4);
    /* All answers are there: nobody is served twice before the others are. */
    for (unsigned int round = 1; round <= 4; round++) {
        for (unsigned int i = 0; i < 3; i++)
            assert_int_equal(doca_pe_progress(host.pe), 1);
        for (unsigned int w = 0; w < 3; w++)
            assert_int_equal(results[w].count, round);
    }
    for (unsigned int w = 0; w < 3; w++) {
        for (unsigned int i = 0; i < 4; i++)
            assert_ok(doca_urom_worker_cmd_task_release(tasks[w][i]));
        fixture_worker_end(&host, workers[w]);
    }
}

static void a_stop_flushes_one_a_call_and_idle_is_one_more(void **state)
{
    struct doca_urom_worker_cmd_task *held[4], *echo;
    struct fixture_result results[4] = {{0}}, result = {0};
    struct doca_urom_worker *worker = fixture_worker(&host, 1, plugin);
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);

    (void)state;
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    for (unsigned int i = 0; i < 4; i++) {
        held[i] = command(worker, TEST_HOLD, &results[i]);
        assert_ok(fixture_submit(held[i]));
    }
    echo = command(worker, TEST_ECHO, &result);
    assert_ok(fixture_submit(echo));
    fixture_wait_answers(1, 1);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    assert_int_equal(result.count, 0); /* not inside of stop */
    fixture_event(host.pe);
    assert_int_equal(result.count, 1); /* what was produced keeps its status */
    assert_ok(result.status);
    for (unsigned int i = 0; i < 4; i++) {
        assert_int_equal(results[i].count, 0);
        assert_int_equal(doca_pe_progress(host.pe), 1);
        assert_int_equal(results[i].count, 1);
        assert_doca(DOCA_ERROR_IO_FAILED, results[i].status);
        assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STOPPING);
    }
    for (unsigned int i = 0; i < 4; i++)
        assert_ok(doca_urom_worker_cmd_task_release(held[i]));
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STOPPING);
    assert_ok(doca_urom_worker_cmd_task_release(echo));
    fixture_event(host.pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    assert_ok(doca_urom_worker_destroy(worker));
}

static void release_in_callback(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                                union doca_data ctx_data)
{
    (void)ctx_data;
    ++*(unsigned int *)task_data.ptr;
    assert_ok(doca_urom_worker_cmd_task_release(task));
}

static void the_last_completion_and_idle_are_two_events(void **state)
{
    struct doca_urom_worker *worker = fixture_worker(&host, 1, plugin);
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);
    struct doca_urom_worker_cmd_task *task;
    unsigned int count = 0;

    (void)state;
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    task = command(worker, TEST_HOLD, NULL);
    doca_urom_worker_cmd_task_set_cb(task, release_in_callback);
    doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
                            (union doca_data){.ptr = &count});
    assert_ok(fixture_submit(task));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    fixture_event(host.pe);
    assert_int_equal(count, 1);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STOPPING);
    fixture_event(host.pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    assert_ok(doca_urom_worker_destroy(worker));
}

static void stop_in_callback(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                             union doca_data ctx_data)
{
    (void)ctx_data;
    *(doca_error_t *)task_data.ptr =
        doca_ctx_stop(doca_task_get_ctx(doca_urom_worker_cmd_task_as_task(task)));
    assert_ok(doca_urom_worker_cmd_task_release(task));
}

static void a_callback_may_stop_its_context(void **state)
{
    struct doca_urom_worker *worker = fixture_worker(&host, 1, plugin);
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result = DOCA_SUCCESS;

    (void)state;
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    task = command(worker, TEST_ECHO, NULL);
    doca_urom_worker_cmd_task_set_cb(task, stop_in_callback);
    doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
                            (union doca_data){.ptr = &result});
    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    assert_doca(DOCA_ERROR_IN_PROGRESS, result);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STOPPING);
    fixture_event(host.pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    assert_ok(doca_urom_worker_destroy(worker));
}

/* ---- sleeping ---- */

/* Progress, and sleep when there is nothing, as the pattern of the engine has it. */
static void sleep_for_event(void)
{
    struct pollfd fd = {.events = POLLIN};
    const uint64_t end = fixture_now_ms() + PATIENCE;

    assert_ok(doca_pe_get_notification_handle(host.pe, &fd.fd));
    while (doca_pe_progress(host.pe) == 0) {
        assert_ok(doca_pe_request_notification(host.pe));
        assert_int_equal(poll(&fd, 1, PATIENCE), 1); /* no wake-up is lost */
        assert_ok(doca_pe_clear_notification(host.pe, fd.fd));
        assert_true(fixture_now_ms() < end);
    }
}

static void everything_wakes_a_sleeper(void **state)
{
    struct doca_urom_worker *worker = fixture_worker(&host, 1, plugin);
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);
    struct doca_urom_worker_cmd_task *task, *held;
    struct fixture_result result = {0}, flushed = {0};

    (void)state;
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
    sleep_for_event();
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_RUNNING);
    task = command(worker, TEST_ECHO, &result);
    for (unsigned int i = 1; i <= 500; i++) {
        assert_ok(fixture_submit(task));
        sleep_for_event();
        assert_int_equal(result.count, i);
        assert_ok(result.status);
    }
    held = command(worker, TEST_HOLD, &flushed);
    assert_ok(fixture_submit(held));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    sleep_for_event();
    assert_int_equal(flushed.count, 1);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    assert_ok(doca_urom_worker_cmd_task_release(held));
    sleep_for_event();
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    assert_ok(doca_urom_worker_destroy(worker));
}

static void a_death_wakes_a_sleeper(void **state)
{
    struct doca_urom_worker *worker = fixture_worker(&host, 1, plugin);
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result result = {0};

    (void)state;
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    task = command(worker, TEST_CRASH, &result);
    assert_ok(fixture_submit(task));
    sleep_for_event();
    assert_doca(DOCA_ERROR_IO_FAILED, result.status);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_worker_end(&host, worker);
}

static void on_query(struct doca_urom_service_get_workers_by_gid_task *task,
                     union doca_data task_data, union doca_data ctx_data)
{
    (void)ctx_data;
    ++*(unsigned int *)task_data.ptr;
    assert_ok(doca_urom_service_get_workers_by_gid_task_release(task));
}

static void a_query_wakes_a_sleeper(void **state)
{
    struct doca_urom_service_get_workers_by_gid_task *query;
    unsigned int count = 0;

    (void)state;
    for (unsigned int i = 1; i <= 50; i++) {
        assert_ok(doca_urom_service_get_workers_by_gid_task_allocate_init(host.service, 0, on_query,
                                                                          &query));
        doca_task_set_user_data(doca_urom_service_get_workers_by_gid_task_as_task(query),
                                (union doca_data){.ptr = &count});
        assert_ok(doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(query)));
        sleep_for_event();
        assert_int_equal(count, i);
    }
}

/* A program that has armed its engine and then starts a service must still be woken. */
static void a_start_between_arming_and_sleeping_loses_no_wake_up(void **state)
{
    struct doca_urom_worker *worker = fixture_worker(&host, 1, plugin);
    struct doca_urom_service *service;
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result result = {0};
    struct pollfd fd = {.events = POLLIN};

    (void)state;
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    assert_ok(doca_urom_service_create(&service));
    assert_ok(doca_urom_service_set_dev(service, host.dev));
    assert_ok(doca_pe_connect_ctx(host.pe, doca_urom_service_as_ctx(service)));
    assert_ok(doca_pe_get_notification_handle(host.pe, &fd.fd));
    task = command(worker, TEST_ECHO, &result);
    assert_ok(fixture_submit(task));
    assert_ok(doca_pe_request_notification(host.pe));
    assert_ok(doca_ctx_start(doca_urom_service_as_ctx(service)));
    assert_int_equal(poll(&fd, 1, PATIENCE), 1);
    assert_ok(doca_pe_clear_notification(host.pe, fd.fd));
    fixture_event(host.pe);
    assert_int_equal(result.count, 1);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    assert_ok(doca_ctx_stop(doca_urom_service_as_ctx(service)));
    assert_ok(doca_urom_service_destroy(service));
    fixture_worker_end(&host, worker);
}

/* Nothing but time ends these waits: no answer comes, and no end of a link. */
static void a_stop_does_not_wait_for_a_daemon_that_hangs(void **state)
{
    struct doca_urom_worker *worker = fixture_worker(&host, 1, plugin);
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);

    (void)state;
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_freeze(daemon_one.pid);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    sleep_for_event();
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    /* A start taken back is no different. */
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    sleep_for_event();
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    assert_int_equal(kill(daemon_one.pid, SIGCONT), 0);
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&host, worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_that_are_there_at_once_come_one_a_call),
        cmocka_unit_test(contexts_of_one_engine_take_turns),
        cmocka_unit_test(a_stop_flushes_one_a_call_and_idle_is_one_more),
        cmocka_unit_test(the_last_completion_and_idle_are_two_events),
        cmocka_unit_test(a_callback_may_stop_its_context),
        cmocka_unit_test(everything_wakes_a_sleeper),
        cmocka_unit_test(a_death_wakes_a_sleeper),
        cmocka_unit_test(a_query_wakes_a_sleeper),
        cmocka_unit_test(a_start_between_arming_and_sleeping_loses_no_wake_up),
        cmocka_unit_test(a_stop_does_not_wait_for_a_daemon_that_hangs),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

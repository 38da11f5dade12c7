/* SPDX-License-Identifier: BSD-3-Clause */
/* Command tasks: what submit refuses, what comes back, whatever the plugin does. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "plugins/test_wire.h"

/* A variable of the daemon, and not of this process. */
#define INHERITED "UROM_TEST_INHERITED"

static struct fixture_daemon daemon_one;
static struct fixture_host host;
static struct doca_urom_worker *worker;
static uint64_t plugin;

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    setenv(INHERITED, "as the daemon has it", 1);
    fixture_daemon_start(&daemon_one, NULL);
    unsetenv(INHERITED);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

static void open_worker(size_t msg_size, uint32_t inflight)
{
    fixture_host_prepare(&host);
    if (msg_size > 0)
        assert_ok(doca_urom_service_set_max_comm_msg_size(host.service, msg_size));
    assert_ok(doca_ctx_start(host.service_ctx));
    plugin = fixture_plugin(&host, "worker_test");
    worker = fixture_worker(&host, DOCA_UROM_WORKER_ID_ANY, plugin);
    assert_ok(doca_urom_worker_set_max_inflight_tasks(worker, inflight));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
}

static void close_worker(void)
{
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

/* A task with one of the plugin's commands. */
static struct doca_urom_worker_cmd_task *command(uint64_t op, uint64_t arg, const void *bytes,
                                                 size_t len, struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task = fixture_task(worker, plugin, result);
    const struct test_cmd cmd = {op, arg};
    uint8_t *packed = malloc(sizeof(cmd) + len);

    assert_non_null(packed);
    memcpy(packed, &cmd, sizeof(cmd));
    if (len > 0)
        memcpy(packed + sizeof(cmd), bytes, len);
    fixture_payload(task, packed, sizeof(cmd) + len);
    free(packed);
    return task;
}

/* Executes one command; the result is of its completion. */
static void execute(uint64_t op, uint64_t arg, const void *bytes, size_t len,
                    struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task;

    memset(result, 0, sizeof(*result));
    task = command(op, arg, bytes, len, result);
    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    assert_int_equal(result->count, 1);
    assert_ok(doca_urom_worker_cmd_task_release(task));
}

/* ---- what a task is ---- */

static void a_fresh_task_is_zero_and_its_payload_tells_the_room(void **state)
{
    static const uint8_t zeros[4096];
    struct doca_urom_worker_cmd_task *task;
    struct doca_buf *payload, *response;
    size_t len;
    void *data;

    (void)state;
    open_worker(0, 4);
    assert_ok(doca_urom_worker_cmd_task_allocate(worker, &task));
    payload = doca_urom_worker_cmd_task_get_payload(task);
    response = doca_urom_worker_cmd_task_get_response(task);
    assert_ok(doca_buf_get_data_len(payload, &len));
    assert_int_equal(len, 4096 - 24);
    assert_ok(doca_buf_get_data(payload, &data));
    assert_int_equal((uintptr_t)data % 16, 0);
    assert_memory_equal(data, zeros, len);
    assert_ok(doca_buf_get_data_len(response, &len));
    assert_int_equal(len, 0);
    assert_ok(doca_buf_get_len(response, &len));
    assert_int_equal(len, 4096 - 32);
    assert_ok(doca_buf_get_head(response, &data));
    assert_int_equal((uintptr_t)data % 16, 0);
    assert_memory_equal(data, zeros, len);
    data = doca_urom_worker_cmd_task_get_user_data(task);
    assert_int_equal((uintptr_t)data % 16, 0);
    assert_memory_equal(data, zeros, 32);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_buf_inc_refcount(payload, NULL));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_buf_chain_list(payload, response));
    /* doca_task_free() ends a task as well. */
    doca_task_free(doca_urom_worker_cmd_task_as_task(task));
    assert_null(doca_urom_worker_cmd_task_as_task(NULL));
    assert_null(doca_urom_worker_cmd_task_get_payload(NULL));
    assert_null(doca_urom_worker_cmd_task_get_response(NULL));
    assert_null(doca_urom_worker_cmd_task_get_user_data(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_cmd_task_release(NULL));
    close_worker();
}

static void short_messages_still_have_a_response_of_256_bytes(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    size_t len;

    (void)state;
    open_worker(128, 1);
    assert_ok(doca_urom_worker_cmd_task_allocate(worker, &task));
    assert_ok(doca_buf_get_len(doca_urom_worker_cmd_task_get_response(task), &len));
    assert_int_equal(len, 256);
    assert_ok(doca_buf_get_len(doca_urom_worker_cmd_task_get_payload(task), &len));
    assert_int_equal(len, 104);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    close_worker();
}

static void user_area_and_payload_survive_completion(void **state)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task;
    char *area;

    (void)state;
    open_worker(0, 4);
    task = command(TEST_ECHO, 0, "text", 5, &result);
    area = doca_urom_worker_cmd_task_get_user_data(task);
    strcpy(area, "my own");
    for (unsigned int i = 1; i <= 3; i++) {
        assert_ok(fixture_submit(task));
        fixture_event(host.pe);
        assert_int_equal(result.count, i);
        assert_int_equal(result.len, 5);
        assert_string_equal((char *)result.bytes, "text");
        assert_string_equal(area, "my own");
    }
    assert_ok(doca_urom_worker_cmd_task_release(task));
    close_worker();
}

/* ---- submit ---- */

static void submit_refuses_what_cannot_be_sent(void **state)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task;
    struct doca_buf *payload;
    char outside[8], *head;
    void *data;

    (void)state;
    open_worker(0, 4);
    task = command(TEST_ECHO, 0, NULL, 0, &result);
    payload = doca_urom_worker_cmd_task_get_payload(task);
    assert_ok(doca_buf_get_head(payload, &data));
    head = data;
    assert_ok(doca_buf_set_data(payload, outside, sizeof(outside)));
    assert_doca(DOCA_ERROR_INVALID_VALUE, fixture_submit(task));
    assert_ok(doca_buf_set_data(payload, head + 1, 4096 - 24));
    assert_doca(DOCA_ERROR_INVALID_VALUE, fixture_submit(task));
    assert_ok(doca_buf_set_data(payload, head - 1, 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE, fixture_submit(task));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_task_try_submit(doca_urom_worker_cmd_task_as_task(task)));
    assert_ok(doca_buf_set_data(payload, head, 16));
    doca_urom_worker_cmd_task_set_plugin(task, 0);
    assert_doca(DOCA_ERROR_INVALID_VALUE, fixture_submit(task));
    doca_urom_worker_cmd_task_set_plugin(task, plugin | 1ull << 40);
    assert_doca(DOCA_ERROR_INVALID_VALUE, fixture_submit(task));
    doca_urom_worker_cmd_task_set_plugin(task, 1ull << 40);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, fixture_submit(task));
    doca_urom_worker_cmd_task_set_plugin(task, plugin);
    doca_urom_worker_cmd_task_set_cb(task, NULL);
    assert_doca(DOCA_ERROR_INVALID_VALUE, fixture_submit(task));
    assert_int_equal(result.count, 0);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    close_worker();
}

static void a_task_in_flight_is_not_the_users(void **state)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *held, *release;

    (void)state;
    open_worker(0, 4);
    held = command(TEST_HOLD, 0, NULL, 0, &result);
    assert_ok(fixture_submit(held));
    assert_doca(DOCA_ERROR_BAD_STATE, fixture_submit(held));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_worker_cmd_task_release(held));
    doca_urom_worker_cmd_task_set_cb(held, NULL); /* ignored */
    doca_urom_worker_cmd_task_set_plugin(held, 0);
    release = command(TEST_RELEASE, 0, NULL, 0, &result);
    assert_ok(fixture_submit(release));
    fixture_event(host.pe);
    fixture_event(host.pe);
    assert_int_equal(result.count, 2);
    assert_ok(doca_urom_worker_cmd_task_release(held));
    assert_ok(doca_urom_worker_cmd_task_release(release));
    close_worker();
}

static void one_more_than_the_limit_is_refused_and_can_be_sent_later(void **state)
{
    struct doca_urom_worker_cmd_task *tasks[5];
    struct fixture_result result = {0};
    struct doca_urom_ext_stats stats;

    (void)state;
    open_worker(0, 4);
    for (unsigned int i = 0; i < 5; i++)
        tasks[i] = command(TEST_ECHO, 0, "x", 1, &result);
    for (unsigned int i = 0; i < 4; i++)
        assert_ok(fixture_submit(tasks[i]));
    assert_doca(DOCA_ERROR_AGAIN, fixture_submit(tasks[4]));
    fixture_event(host.pe);
    assert_ok(fixture_submit(tasks[4]));
    for (unsigned int i = 0; i < 4; i++)
        fixture_event(host.pe);
    assert_int_equal(result.count, 5);
    assert_ok(doca_urom_ext_worker_get_stats(worker, &stats));
    assert_int_equal(stats.submitted, 5);
    assert_int_equal(stats.completed, 5);
    assert_int_equal(stats.again, 1);
    assert_int_equal(stats.stale, 0);
    for (unsigned int i = 0; i < 5; i++)
        assert_ok(doca_urom_worker_cmd_task_release(tasks[i]));
    close_worker();
}

static void the_limit_is_rounded_up(void **state)
{
    struct doca_urom_worker_cmd_task *tasks[5];
    struct fixture_result result = {0};

    (void)state;
    open_worker(0, 3);
    for (unsigned int i = 0; i < 5; i++)
        tasks[i] = command(TEST_HOLD, 0, NULL, 0, &result);
    for (unsigned int i = 0; i < 4; i++)
        assert_ok(fixture_submit(tasks[i]));
    assert_doca(DOCA_ERROR_AGAIN, fixture_submit(tasks[4]));
    assert_ok(doca_urom_worker_cmd_task_release(tasks[4]));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(doca_urom_worker_as_ctx(worker)));
    for (unsigned int i = 0; i < 4; i++) {
        fixture_event(host.pe);
        assert_doca(DOCA_ERROR_IO_FAILED, result.status);
    }
    for (unsigned int i = 0; i < 4; i++)
        assert_ok(doca_urom_worker_cmd_task_release(tasks[i]));
    while (fixture_state(doca_urom_worker_as_ctx(worker)) != DOCA_CTX_STATE_IDLE)
        fixture_event(host.pe);
    assert_ok(doca_urom_worker_destroy(worker));
    fixture_host_close(&host);
}

static void resubmit(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    unsigned int *left = task_data.ptr;

    (void)ctx_data;
    if (*left > 0 && --*left > 0)
        assert_ok(fixture_submit(task));
}

static void a_callback_can_submit_at_the_limit(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    unsigned int left = 10;

    (void)state;
    open_worker(0, 1);
    task = command(TEST_ECHO, 0, NULL, 0, NULL);
    doca_urom_worker_cmd_task_set_cb(task, resubmit);
    doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
                            (union doca_data){.ptr = &left});
    assert_ok(fixture_submit(task));
    while (left > 0)
        fixture_event(host.pe);
    fixture_no_event(host.pe, 100);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    close_worker();
}

/* ---- sizes ---- */

static void payloads_go_up_to_the_room_and_not_beyond(void **state)
{
    static uint8_t bytes[4096];
    struct fixture_result result;
    struct doca_urom_worker_cmd_task *task;
    struct doca_buf *payload;
    void *head;

    (void)state;
    open_worker(0, 4);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 31);
    /* An answer has 8 bytes less room than a command. */
    execute(TEST_ECHO, 0, bytes, 4096 - 24 - 16, &result);
    assert_ok(result.status);
    assert_int_equal(result.len, 4096 - 24 - 16);
    task = command(TEST_ECHO, 0, NULL, 0, &result);
    payload = doca_urom_worker_cmd_task_get_payload(task);
    assert_ok(doca_buf_get_head(payload, &head));
    assert_ok(doca_buf_set_data(payload, head, 4096 - 24 + 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE, fixture_submit(task));
    assert_ok(doca_urom_worker_cmd_task_release(task));
    close_worker();
}

static void an_answer_beyond_the_message_is_too_big(void **state)
{
    struct fixture_result result;

    (void)state;
    open_worker(0, 4);
    execute(TEST_BIG, 4096 - 32, NULL, 0, &result);
    assert_ok(result.status);
    assert_int_equal(result.len, 4096 - 32);
    execute(TEST_BIG, 4096 - 32 + 1, NULL, 0, &result);
    assert_doca(DOCA_ERROR_TOO_BIG, result.status);
    assert_int_equal(result.len, 0);
    execute(TEST_BIG, 1 << 20, NULL, 0, &result);
    assert_doca(DOCA_ERROR_TOO_BIG, result.status);
    assert_int_equal(fixture_counter("oversize"), 2);
    close_worker();
}

static void a_command_without_bytes_is_legal(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result result = {0};

    (void)state;
    open_worker(0, 4);
    task = fixture_task(worker, plugin, &result);
    fixture_payload(task, NULL, 0);
    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    /* The plugin refuses it and leaves it in the list: the worker ends it. */
    assert_doca(DOCA_ERROR_INVALID_VALUE, result.status);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    close_worker();
}

/* ---- what plugins do ---- */

static void the_status_is_the_plugins_and_the_bytes_come_with_it(void **state)
{
    struct fixture_result result;

    (void)state;
    open_worker(0, 4);
    execute(TEST_STATUS, DOCA_ERROR_NOT_FOUND, "why", 4, &result);
    assert_doca(DOCA_ERROR_NOT_FOUND, result.status);
    assert_int_equal(result.len, 4);
    assert_string_equal((char *)result.bytes, "why");
    execute(TEST_STATUS, 4711, NULL, 0, &result);
    assert_doca(DOCA_ERROR_UNKNOWN, result.status);
    close_worker();
}

static void a_failing_worker_cmd_ends_its_command_once(void **state)
{
    struct fixture_result result;

    (void)state;
    open_worker(0, 4);
    execute(TEST_ERROR, DOCA_ERROR_DRIVER, NULL, 0, &result);
    assert_doca(DOCA_ERROR_DRIVER, result.status);
    execute(TEST_ERROR_SAID, DOCA_ERROR_IO_FAILED, NULL, 0, &result);
    assert_doca(DOCA_ERROR_DRIVER, result.status); /* what the notification says */
    execute(TEST_ERROR_REFUSED, DOCA_ERROR_FULL, NULL, 0, &result);
    assert_doca(DOCA_ERROR_FULL, result.status);
    execute(TEST_PACK_FAILS, DOCA_ERROR_BAD_STATE, NULL, 0, &result);
    assert_doca(DOCA_ERROR_BAD_STATE, result.status);
    execute(TEST_PACK_LIES, 0, NULL, 0, &result);
    assert_doca(DOCA_ERROR_UNEXPECTED, result.status);
    fixture_no_event(host.pe, 1000);
    execute(TEST_ECHO, 0, "still", 6, &result);
    assert_ok(result.status);
    assert_int_equal(fixture_counter("synthesised"), 4);
    close_worker();
}

static void commands_behind_a_failing_one_keep_their_order(void **state)
{
    struct doca_urom_worker_cmd_task *tasks[4];
    struct fixture_result results[4] = {{0}};

    (void)state;
    open_worker(0, 4);
    tasks[0] = command(TEST_COUNT, 0, NULL, 0, &results[0]);
    tasks[1] = command(TEST_ERROR, DOCA_ERROR_DRIVER, NULL, 0, &results[1]);
    tasks[2] = command(TEST_ERROR_REFUSED, DOCA_ERROR_FULL, NULL, 0, &results[2]);
    tasks[3] = command(TEST_COUNT, 0, NULL, 0, &results[3]);
    for (unsigned int i = 0; i < 4; i++)
        assert_ok(fixture_submit(tasks[i]));
    for (unsigned int i = 0; i < 4; i++)
        fixture_event(host.pe);
    for (unsigned int i = 0; i < 4; i++)
        assert_int_equal(results[i].count, 1);
    assert_ok(results[0].status);
    assert_doca(DOCA_ERROR_DRIVER, results[1].status);
    assert_doca(DOCA_ERROR_FULL, results[2].status);
    assert_ok(results[3].status);
    assert_int_equal(results[3].bytes[0], results[0].bytes[0] + 2);
    for (unsigned int i = 0; i < 4; i++)
        assert_ok(doca_urom_worker_cmd_task_release(tasks[i]));
    close_worker();
}

static void a_plugin_may_put_commands_off(void **state)
{
    struct fixture_result result;

    (void)state;
    open_worker(0, 4);
    execute(TEST_LATER, 50, "late", 5, &result);
    assert_ok(result.status);
    assert_string_equal((char *)result.bytes, "late");
    close_worker();
}

static void answers_that_nobody_waits_for_are_no_events(void **state)
{
    struct fixture_result result;

    (void)state;
    open_worker(0, 4);
    execute(TEST_TWICE, 0, NULL, 0, &result);
    assert_ok(result.status);
    fixture_no_event(host.pe, 1000);
    execute(TEST_STRANGER, 0, NULL, 0, &result);
    assert_ok(result.status);
    fixture_no_event(host.pe, 1000);
    execute(TEST_ECHO, 0, "still", 6, &result);
    assert_ok(result.status);
    assert_int_equal(fixture_counter("dropped"), 2);
    close_worker();
}

static void held_commands_end_in_the_plugins_order(void **state)
{
    struct doca_urom_worker_cmd_task *held, *echo, *release;
    struct fixture_result results[3] = {{0}};

    (void)state;
    open_worker(0, 4);
    held = command(TEST_HOLD, 0, NULL, 0, &results[0]);
    echo = command(TEST_ECHO, 0, NULL, 0, &results[1]);
    release = command(TEST_RELEASE, 0, NULL, 0, &results[2]);
    assert_ok(fixture_submit(held));
    assert_ok(fixture_submit(echo));
    fixture_event(host.pe);
    assert_int_equal(results[1].count, 1);
    fixture_no_event(host.pe, 1000);
    assert_ok(fixture_submit(release));
    fixture_event(host.pe);
    assert_int_equal(results[0].count, 1);
    assert_int_equal(results[2].count, 0);
    fixture_event(host.pe);
    assert_int_equal(results[2].count, 1);
    assert_ok(doca_urom_worker_cmd_task_release(held));
    assert_ok(doca_urom_worker_cmd_task_release(echo));
    assert_ok(doca_urom_worker_cmd_task_release(release));
    close_worker();
}

static void many_commands_of_two_plugins_do_not_mix(void **state)
{
    struct doca_urom_worker *both;
    uint64_t graph;

    (void)state;
    open_worker(0, 4);
    graph = fixture_plugin(&host, "worker_graph");
    both = fixture_worker(&host, 77, graph | plugin);
    assert_int_equal(fixture_worker_start(&host, both), DOCA_CTX_STATE_RUNNING);
    for (uint64_t i = 0; i < 200; i++) {
        struct doca_urom_worker *first = worker;
        struct fixture_result result;

        fixture_loopback(&host, both, graph, i);
        worker = both;
        execute(TEST_ECHO, 0, &i, sizeof(i), &result);
        worker = first;
        assert_memory_equal(result.bytes, &i, sizeof(i));
    }
    fixture_worker_end(&host, both);
    close_worker();
}

/* ---- environment ---- */

static void expect_env(const char *name, const char *value)
{
    struct fixture_result result;

    execute(TEST_ENV, 0, name, strlen(name) + 1, &result);
    if (value == NULL) {
        assert_doca(DOCA_ERROR_NOT_FOUND, result.status);
        return;
    }
    assert_ok(result.status);
    assert_int_equal(result.len, strlen(value));
    assert_memory_equal(result.bytes, value, result.len);
}

static void the_environment_is_the_daemons_and_the_clients(void **state)
{
    char first[] = "UROM_TEST_VALUE=one", second[] = "UROM_TEST_VALUE=two";
    char path[] = "UROM_TEST_EMPTY=", id[] = "UROM_TEST_OTHER=a=b";
    char *const env[] = {first, second, path, id};

    (void)state;
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    worker = fixture_worker(&host, 31, plugin);
    assert_ok(doca_urom_worker_set_gid(worker, 9));
    assert_ok(doca_urom_worker_set_env(worker, env, 4));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    expect_env("UROM_TEST_VALUE", "two");
    expect_env("UROM_TEST_EMPTY", "");
    expect_env("UROM_TEST_OTHER", "a=b");
    expect_env("UROM_WORKER_ID", "31");
    expect_env("UROM_WORKER_GID", "9");
    expect_env("UROM_PLUGIN_PATH", NULL);
    expect_env(INHERITED, "as the daemon has it");
    close_worker();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_task_is_zero_and_its_payload_tells_the_room),
        cmocka_unit_test(short_messages_still_have_a_response_of_256_bytes),
        cmocka_unit_test(user_area_and_payload_survive_completion),
        cmocka_unit_test(submit_refuses_what_cannot_be_sent),
        cmocka_unit_test(a_task_in_flight_is_not_the_users),
        cmocka_unit_test(one_more_than_the_limit_is_refused_and_can_be_sent_later),
        cmocka_unit_test(the_limit_is_rounded_up),
        cmocka_unit_test(a_callback_can_submit_at_the_limit),
        cmocka_unit_test(payloads_go_up_to_the_room_and_not_beyond),
        cmocka_unit_test(an_answer_beyond_the_message_is_too_big),
        cmocka_unit_test(a_command_without_bytes_is_legal),
        cmocka_unit_test(the_status_is_the_plugins_and_the_bytes_come_with_it),
        cmocka_unit_test(a_failing_worker_cmd_ends_its_command_once),
        cmocka_unit_test(commands_behind_a_failing_one_keep_their_order),
        cmocka_unit_test(a_plugin_may_put_commands_off),
        cmocka_unit_test(answers_that_nobody_waits_for_are_no_events),
        cmocka_unit_test(held_commands_end_in_the_plugins_order),
        cmocka_unit_test(many_commands_of_two_plugins_do_not_mix),
        cmocka_unit_test(the_environment_is_the_daemons_and_the_clients),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

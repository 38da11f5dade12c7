/* SPDX-License-Identifier: BSD-3-Clause */
/* What the daemon sees of its workers, and doca_urom_ctl shows. */
#include "fixture.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/test_wire.h"

static struct fixture_daemon daemon_one;
static struct fixture_host host;
static struct doca_urom_worker *worker;
static uint64_t plugin;

static void open_all(const char *const *args)
{
    fixture_daemon_start(&daemon_one, args);
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    worker = fixture_worker(&host, 1, plugin);
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
}

static void close_all(void)
{
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static struct doca_urom_worker_cmd_task *send_command(uint64_t op, uint64_t arg,
                                                      struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task = fixture_task(worker, plugin, result);
    const struct test_cmd cmd = {op, arg};

    fixture_payload(task, &cmd, sizeof(cmd));
    assert_ok(fixture_submit(task));
    return task;
}

/* The worker hangs until the file is removed. */
static struct doca_urom_worker_cmd_task *hang_on(const char *file, struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task = fixture_task(worker, plugin, result);
    struct {
        struct test_cmd cmd;
        char name[256];
    } payload = {.cmd = {TEST_HANG_FILE, 0}};
    FILE *made = fopen(file, "we");

    assert_non_null(made);
    fclose(made);
    snprintf(payload.name, sizeof(payload.name), "%s", file);
    fixture_payload(task, &payload, sizeof(payload));
    assert_ok(fixture_submit(task));
    return task;
}

/* Exit status of doca_urom_ctl; its output is in the file `out`. */
static int ctl(const char *arguments, char *out, size_t size)
{
    char command[1024];
    FILE *file;
    size_t n;

    snprintf(command, sizeof(command), "'%s' %s 2>&1", getenv("UROM_CTL"), arguments);
    file = popen(command, "r");
    assert_non_null(file);
    n = fread(out, 1, size - 1, file);
    out[n] = '\0';
    return WEXITSTATUS(pclose(file));
}

static bool is_in_state(void *arg)
{
    json_t *status = fixture_status();
    json_t *one = json_array_get(json_object_get(status, "workers"), 0);
    const char *state = json_string_value(json_object_get(one, "state"));
    const bool so = state != NULL && strcmp(state, arg) == 0;

    json_decref(status);
    return so;
}

static bool has_one_worker(void *arg)
{
    (void)arg;
    return fixture_workers() == 1;
}

static void a_worker_that_does_not_move_is_reported_and_recovers(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result result = {0};
    char out[65536], file[256];

    (void)state;
    open_all(NULL);
    assert_int_equal(ctl("status", out, sizeof(out)), 0);
    snprintf(file, sizeof(file), "%s/hang", fixture_dir());
    task = hang_on(file, &result);
    fixture_wait(is_in_state, (void *)"stuck");
    fixture_wait_log(&daemon_one, "is stuck in worker_cmd of plugin worker_test");
    assert_int_equal(ctl("status", out, sizeof(out)), 2);
    assert_non_null(strstr(out, "degraded"));
    assert_int_equal(unlink(file), 0);
    fixture_event(host.pe);
    assert_ok(result.status);
    fixture_wait(is_in_state, (void *)"running");
    assert_int_equal(fixture_log_count(&daemon_one, "moves again"), 1);
    assert_int_equal(ctl("status", out, sizeof(out)), 0);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    close_all();
}

static void a_worker_that_hangs_is_killed_when_that_is_wanted(void **state)
{
    /* As long as no worker has to wait for a processor. */
    static const char *const args[] = {"--hang-timeout", "10", NULL};
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result result = {0};
    uint64_t begin;

    (void)state;
    open_all(args);
    begin = fixture_now_ms();
    fixture_wait_turn(1);
    task = send_command(TEST_HANG, 60000, &result);
    fixture_event(host.pe);
    assert_doca(DOCA_ERROR_IO_FAILED, result.status);
    assert_in_range(fixture_now_ms() - begin, 9000, 2 * PATIENCE);
    fixture_wait_log(&daemon_one, "ended: watchdog 9");
    assert_int_equal(fixture_total("exits", "watchdog"), 1);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    close_all();
}

static bool has_handed_one(void *arg)
{
    (void)arg;
    json_t *status = fixture_status();
    json_t *one = json_array_get(json_object_get(status, "workers"), 0);
    json_t *calls = json_object_get(json_object_get(one, "counters"), "calls");
    const bool so =
        json_integer_value(json_object_get(json_object_get(calls, "worker_cmd"), "calls")) > 0;

    json_decref(status);
    return so;
}

static void a_worker_that_does_not_stop_is_killed(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result result = {0};
    uint64_t begin;

    (void)state;
    open_all(NULL);
    task = send_command(TEST_HANG, 60000, &result);
    fixture_wait(has_handed_one, NULL); /* else the stop would take it back */
    begin = fixture_now_ms();
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(doca_urom_worker_as_ctx(worker)));
    fixture_event(host.pe);
    assert_doca(DOCA_ERROR_IO_FAILED, result.status);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_event(host.pe);
    assert_int_equal(fixture_state(doca_urom_worker_as_ctx(worker)), DOCA_CTX_STATE_IDLE);
    /* The context does not wait for the process, which has five seconds. */
    assert_true(fixture_workers() == 1 || fixture_now_ms() - begin > 4000);
    /* The next one of the id waits until the old one is gone. */
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    assert_int_equal(fixture_total("exits", "shutdown"), 1);
    close_all();
}

/* As the pattern of the engine has it: nothing is asked of it in the meantime. */
static void sleep_for_event(struct doca_pe *pe)
{
    struct pollfd fd = {.events = POLLIN};

    assert_ok(doca_pe_get_notification_handle(pe, &fd.fd));
    while (doca_pe_progress(pe) == 0) {
        assert_ok(doca_pe_request_notification(pe));
        assert_int_equal(poll(&fd, 1, PATIENCE), 1);
        assert_ok(doca_pe_clear_notification(pe, fd.fd));
    }
}

static void nobody_waits_for_ever_to_join_a_worker_that_hangs(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result result = {0};
    struct doca_urom_worker *late;
    struct fixture_host other;
    char file[256];
    uint64_t begin;

    (void)state;
    open_all(NULL);
    snprintf(file, sizeof(file), "%s/hang", fixture_dir());
    task = hang_on(file, &result);
    fixture_wait(has_handed_one, NULL);
    setenv("DOCA_UROM_ANSWER_TIMEOUT_MS", "300", 1);
    fixture_host_open(&other);
    unsetenv("DOCA_UROM_ANSWER_TIMEOUT_MS");
    late = fixture_worker(&other, 1, plugin);
    begin = fixture_now_ms();
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_urom_worker_as_ctx(late)));
    sleep_for_event(other.pe);
    assert_int_equal(fixture_state(doca_urom_worker_as_ctx(late)), DOCA_CTX_STATE_IDLE);
    assert_in_range(fixture_now_ms() - begin, 300, 25000); /* the usual bound is 30 s */
    assert_non_null(strstr(doca_urom_ext_worker_last_error(late), "worker 1 cannot be reached"));
    assert_ok(doca_urom_worker_destroy(late));
    fixture_host_close(&other);
    assert_int_equal(unlink(file), 0);
    fixture_event(host.pe);
    assert_ok(result.status);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_host_open(&other);
    late = fixture_worker(&other, 1, plugin);
    assert_int_equal(fixture_worker_start(&other, late), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&other, late);
    fixture_host_close(&other);
    close_all();
}

static void everything_is_shown(void **state)
{
    static const char *const metrics[] = {
        "urom_service_info{",
        "urom_service_healthy 1",
        "urom_workers 1",
        "urom_worker_commands_ok_total{id=\"1\"",
        "urom_worker_commands_failed_total{id=\"1\"",
        "urom_worker_errors_total{id=\"1\"",
        "code=\"DOCA_ERROR_NOT_FOUND\"} 1",
        "urom_worker_plugin_calls_total{",
        "call=\"worker_cmd\"}",
        "urom_plugin_usable{name=\"worker_test\",version=\"7\"} 1",
        "urom_rejects_total{"};
    struct fixture_result result = {0};
    char out[65536], arguments[512];
    json_t *status, *one;

    (void)state;
    open_all(NULL);
    for (unsigned int i = 0; i < 3; i++) {
        struct doca_urom_worker_cmd_task *task =
            send_command(TEST_STATUS, i == 0 ? DOCA_ERROR_NOT_FOUND : 0, &result);

        fixture_event(host.pe);
        assert_ok(doca_urom_worker_cmd_task_release(task));
    }
    status = fixture_status();
    one = json_array_get(json_object_get(status, "workers"), 0);
    assert_string_equal(json_string_value(json_object_get(one, "id")), "1");
    assert_int_equal(json_integer_value(json_object_get(one, "channels")), 1);
    assert_int_equal(json_integer_value(json_object_get(one, "restarts")), 0);
    assert_int_equal(json_array_size(json_object_get(one, "plugins")), 1);
    one = json_array_get(json_object_get(status, "clients"), 0);
    assert_int_equal(json_integer_value(json_object_get(one, "pid")), getpid());
    assert_int_equal(json_integer_value(json_object_get(one, "worker_contexts")), 1);
    json_decref(status);
    assert_int_equal(ctl("metrics", out, sizeof(out)), 0);
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        if (strstr(out, metrics[i]) == NULL)
            fail_msg("no \"%s\" in:\n%s", metrics[i], out);
    }
    assert_int_equal(ctl("workers", out, sizeof(out)), 0);
    assert_non_null(strstr(out, "3 received, 3 handed, 2 ok, 1 failed"));
    assert_int_equal(ctl("plugins", out, sizeof(out)), 0);
    assert_non_null(strstr(out, "worker_graph"));
    assert_int_equal(ctl("--json workers", out, sizeof(out)), 0);
    assert_int_equal(out[0], '[');
    snprintf(arguments, sizeof(arguments), "--socket %s/link-urom-card0 status", fixture_dir());
    assert_int_equal(ctl(arguments, out, sizeof(out)), 0);
    assert_int_equal(ctl("--device b1:00.0 status", out, sizeof(out)), 0);
    close_all();
    assert_int_equal(ctl("status", out, sizeof(out)), 1);
    assert_int_equal(ctl("--socket /nowhere/x status", out, sizeof(out)), 1);
    assert_int_equal(ctl("nonsense", out, sizeof(out)), 3);
    assert_int_equal(ctl("--help", out, sizeof(out)), 0);
}

static void the_last_workers_that_ended_are_listed(void **state)
{
    char out[65536];

    (void)state;
    open_all(NULL);
    for (uint64_t id = 10; id < 19; id++) {
        struct doca_urom_worker *one = fixture_worker(&host, id, plugin);

        assert_int_equal(fixture_worker_start(&host, one), DOCA_CTX_STATE_RUNNING);
        fixture_worker_end(&host, one);
        fixture_wait(has_one_worker, NULL);
    }
    assert_int_equal(ctl("workers", out, sizeof(out)), 0);
    assert_non_null(strstr(out, "9 workers have ended, the last 8"));
    assert_null(strstr(out, "worker 10 of"));
    assert_non_null(strstr(out, "worker 11 of"));
    assert_non_null(strstr(out, "worker 18 of"));
    close_all();
}

static bool has_napped_since(void *arg)
{
    return fixture_counter("naps") > *(uint64_t *)arg;
}

static void an_idle_service_does_next_to_nothing(void **state)
{
    uint64_t naps = 0, loops, begin, ms;

    (void)state;
    open_all(NULL);
    fixture_wait(is_in_state, (void *)"running");
    /* It has stopped to turn round at full speed, as it does for a while after it was busy. */
    fixture_wait(has_napped_since, &naps);
    begin = fixture_now_ms();
    naps = fixture_counter("naps");
    loops = fixture_counter("loops");
    poll(NULL, 0, 1000);
    fixture_wait(has_napped_since, &naps);
    naps = fixture_counter("naps") - naps;
    loops = fixture_counter("loops") - loops;
    ms = fixture_now_ms() - begin;
    /* This plugin cannot say what would wake it, so it is asked every millisecond or less often. */
    assert_in_range(naps, 1, 300 + ms);
    assert_in_range(loops, 1, 1000 + 2 * ms);
    close_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_shown),
        cmocka_unit_test(the_last_workers_that_ended_are_listed),
        cmocka_unit_test(an_idle_service_does_next_to_nothing),
        cmocka_unit_test(a_worker_that_does_not_move_is_reported_and_recovers),
        cmocka_unit_test(a_worker_that_hangs_is_killed_when_that_is_wanted),
        cmocka_unit_test(a_worker_that_does_not_stop_is_killed),
        cmocka_unit_test(nobody_waits_for_ever_to_join_a_worker_that_hangs),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}

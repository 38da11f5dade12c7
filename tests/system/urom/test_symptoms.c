/* SPDX-License-Identifier: BSD-3-Clause */
/* What users see when something is wrong: each symptom has one code, and the line of the log names
 * the cause or what to look at. Symptoms that other tests of this folder provoke:
 *   - no completion, the plugin is stuck: test_watch.c
 *     (a_worker_that_does_not_move_is_reported_and_recovers)
 *   - completion with IO_FAILED from another host: test_hosts.c (cable_is_cut_on_2_hosts)
 *   - bad handle or bounds, access bit missing: test_rma.c
 *     (what_is_not_granted_or_not_there_is_refused)
 *   - another user is refused: test_users.c (who_is_not_admitted_is_refused_in_one_line)
 * That a device cannot be opened is no matter of UROM, and slowness no error. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_urom_ops.h>

#include "plugins/test_wire.h"

#define INFLIGHT 4

/* How far a row is set up before its symptom is provoked. */
enum setting { ABSENT, /* no daemon */ IDLE, /* a daemon, nothing runs */ SERVICE, WORKER };

static struct {
    struct fixture_daemon daemon;
    struct fixture_host host;
    struct doca_urom_worker *worker;
    uint64_t plugin;
    int log; /* what the library logs */
    struct doca_urom_worker_cmd_task *tasks[INFLIGHT + 1];
    unsigned int ntasks;
    unsigned int in_flight;
    struct fixture_result result;
} rig;

static struct doca_urom_worker_cmd_task *command(enum test_op op, uint64_t plugin)
{
    struct doca_urom_worker_cmd_task *task = fixture_task(rig.worker, plugin, &rig.result);
    const struct test_cmd cmd = {op, 0};

    fixture_payload(task, &cmd, sizeof(cmd));
    rig.tasks[rig.ntasks++] = task;
    return task;
}

/* ---- symptoms ---- */

static doca_error_t start_service(void)
{
    return doca_ctx_start(rig.host.service_ctx);
}

static doca_error_t start_with_mapping(const char *text)
{
    doca_error_t result;
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/services", fixture_dir());
    if (text != NULL) {
        file = fopen(path, "we");
        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    setenv("DOCA_UROM_SERVICE_FILE", path, 1);
    result = start_service();
    unsetenv("DOCA_UROM_SERVICE_FILE");
    unlink(path);
    return result;
}

static doca_error_t mapping_is_missing(void)
{
    return start_with_mapping(NULL);
}

static doca_error_t mapping_is_malformed(void)
{
    return start_with_mapping("localhost dpu\n");
}

static doca_error_t mapping_has_no_line(void)
{
    return start_with_mapping("somewhere dpu far 03:00.0 eth0\n");
}

static doca_error_t messages_are_too_large(void)
{
    assert_ok(doca_urom_service_set_max_comm_msg_size(rig.host.service, 8192));
    return start_service();
}

static doca_error_t worker_before_service(void)
{
    rig.worker = fixture_worker(&rig.host, 1, 1);
    return doca_ctx_start(doca_urom_worker_as_ctx(rig.worker));
}

static bool daemon_has_worker(void *arg)
{
    (void)arg;
    return fixture_log_count(&rig.daemon, "runs after") > 0;
}

/* Whatever the daemon has done: without progress the worker is not there. */
static doca_error_t nobody_progresses(void)
{
    struct doca_ctx *ctx;
    doca_error_t result;

    rig.worker = fixture_worker(&rig.host, 1, rig.plugin);
    ctx = doca_urom_worker_as_ctx(rig.worker);
    result = doca_ctx_start(ctx);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STARTING);
    fixture_event(rig.host.pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_RUNNING);
    fixture_wait(daemon_has_worker, NULL);
    return result;
}

/* What start answers; by then it has failed. */
static doca_error_t start_that_fails(uint64_t id, char *variable)
{
    char *const env[] = {variable};
    struct doca_urom_worker *worker = fixture_worker(&rig.host, id, rig.plugin);
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);
    doca_error_t result;

    assert_ok(doca_urom_worker_set_env(worker, env, 1));
    result = doca_ctx_start(ctx);
    fixture_event(rig.host.pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    assert_ok(doca_urom_worker_destroy(worker));
    return result;
}

static doca_error_t plugin_does_not_open(void)
{
    char variable[] = TEST_OPEN_ENV "=fail";

    return start_that_fails(2, variable);
}

static doca_error_t env_for_a_worker_that_is_there(void)
{
    char variable[] = "A=1";

    return start_that_fails(1, variable);
}

static doca_error_t daemon_died(void)
{
    struct doca_urom_worker_cmd_task *task = command(TEST_ECHO, rig.plugin);

    fixture_daemon_kill(&rig.daemon);
    return fixture_submit(task);
}

/* The next one serves others, and knows nothing of this client. */
static doca_error_t daemon_was_replaced(void)
{
    struct doca_urom_worker_cmd_task *task = command(TEST_ECHO, rig.plugin);

    fixture_daemon_kill(&rig.daemon);
    fixture_daemon_start(&rig.daemon, NULL);
    return fixture_submit(task);
}

static doca_error_t worker_died(void)
{
    assert_ok(fixture_submit(command(TEST_CRASH, rig.plugin)));
    fixture_event(rig.host.pe);
    assert_doca(DOCA_ERROR_IO_FAILED, rig.result.status);
    fixture_wait_log(&rig.daemon, "signal 11");
    return fixture_submit(command(TEST_ECHO, rig.plugin));
}

static doca_error_t family_is_not_offered(void)
{
    return doca_urom_worker_set_plugins(rig.worker, 1ull << 63);
}

static doca_error_t family_is_not_selected(void)
{
    return fixture_submit(command(TEST_ECHO, fixture_plugin(&rig.host, "worker_graph")));
}

static doca_error_t nobody_drains(void)
{
    for (; rig.in_flight < INFLIGHT; rig.in_flight++)
        assert_ok(fixture_submit(command(TEST_ECHO, rig.plugin)));
    return fixture_submit(command(TEST_ECHO, rig.plugin));
}

static doca_error_t set_while_it_runs(void)
{
    return doca_urom_worker_set_plugins(rig.worker, rig.plugin);
}

static doca_error_t list_before_start(void)
{
    const struct doca_urom_service_plugin_info *plugins;
    size_t count;

    return doca_urom_service_get_plugins_list(rig.host.service, &plugins, &count);
}

static doca_error_t service_stops_before_worker(void)
{
    return doca_ctx_stop(rig.host.service_ctx);
}

static doca_error_t service_is_destroyed_running(void)
{
    return doca_urom_service_destroy(rig.host.service);
}

static doca_error_t worker_is_destroyed_running(void)
{
    return doca_urom_worker_destroy(rig.worker);
}

/* ---- the table ---- */

static const struct symptom {
    const char *name;
    enum setting setting;
    doca_error_t (*provoke)(void);
    doca_error_t code;
    const char *cause; /* in the line of the log */
} symptoms[] = {
    {"service start fails", ABSENT, start_service, DOCA_ERROR_NOT_PERMITTED,
     "start doca_urom_daemon"},
    {"mapping file missing", IDLE, mapping_is_missing, DOCA_ERROR_BAD_CONFIG, "cannot be read"},
    {"mapping file malformed", IDLE, mapping_is_malformed, DOCA_ERROR_BAD_CONFIG, "line 1"},
    {"mapping file without line", IDLE, mapping_has_no_line, DOCA_ERROR_NOT_FOUND,
     "DOCA_UROM_SERVICE_FILE"},
    {"message size", IDLE, messages_are_too_large, DOCA_ERROR_INVALID_VALUE, "--max-msg-size"},
    {"worker stays STARTING", SERVICE, nobody_progresses, DOCA_ERROR_IN_PROGRESS, NULL},
    {"start falls back, open fails", SERVICE, plugin_does_not_open, DOCA_ERROR_IN_PROGRESS,
     "open of plugin worker_test"},
    {"start falls back, environment", WORKER, env_for_a_worker_that_is_there,
     DOCA_ERROR_IN_PROGRESS, "environment cannot be changed"},
    {"first submit refused", WORKER, daemon_died, DOCA_ERROR_NOT_PERMITTED, "lost"},
    {"first submit refused, a new daemon", WORKER, daemon_was_replaced, DOCA_ERROR_NOT_PERMITTED,
     "lost"},
    {"submit refused, daemon healthy", WORKER, worker_died, DOCA_ERROR_IO_FAILED,
     "doca_urom_ctl workers"},
    {"family not offered", SERVICE, family_is_not_offered, DOCA_ERROR_NOT_SUPPORTED,
     "the service does not offer"},
    {"family not selected", WORKER, family_is_not_selected, DOCA_ERROR_NOT_SUPPORTED,
     "doca_urom_worker_set_plugins()"},
    {"submit refused after N", WORKER, nobody_drains, DOCA_ERROR_AGAIN,
     "doca_urom_worker_set_max_inflight_tasks()"},
    {"too early, worker", IDLE, worker_before_service, DOCA_ERROR_BAD_STATE, "is not running"},
    {"too early, list", IDLE, list_before_start, DOCA_ERROR_BAD_STATE, "not RUNNING"},
    {"too late, setter", WORKER, set_while_it_runs, DOCA_ERROR_BAD_STATE, "IDLE"},
    {"stop refused", WORKER, service_stops_before_worker, DOCA_ERROR_IN_USE, "stop the workers"},
    {"destroy of the service refused", SERVICE, service_is_destroyed_running,
     DOCA_ERROR_NOT_PERMITTED, "stop it first"},
    {"destroy of the worker refused", WORKER, worker_is_destroyed_running, DOCA_ERROR_IN_USE,
     "IDLE"},
};

static void open_rig(const struct symptom *row)
{
    if (row->setting != ABSENT)
        fixture_daemon_start(&rig.daemon, NULL);
    if (row->setting < SERVICE) {
        fixture_host_prepare(&rig.host);
        return;
    }
    fixture_host_open(&rig.host);
    rig.plugin = fixture_plugin(&rig.host, "worker_test");
    if (row->provoke == family_is_not_offered)
        rig.worker = fixture_worker(&rig.host, 1, rig.plugin);
    if (row->setting != WORKER)
        return;
    rig.worker = fixture_worker(&rig.host, 1, rig.plugin);
    assert_ok(doca_urom_worker_set_max_inflight_tasks(rig.worker, INFLIGHT));
    assert_int_equal(fixture_worker_start(&rig.host, rig.worker), DOCA_CTX_STATE_RUNNING);
}

static void close_rig(const struct symptom *row)
{
    for (; rig.in_flight > 0; rig.in_flight--)
        fixture_event(rig.host.pe);
    while (rig.ntasks > 0)
        assert_ok(doca_urom_worker_cmd_task_release(rig.tasks[--rig.ntasks]));
    if (rig.worker != NULL &&
        fixture_state(doca_urom_worker_as_ctx(rig.worker)) == DOCA_CTX_STATE_RUNNING)
        fixture_worker_end(&rig.host, rig.worker);
    else if (rig.worker != NULL)
        assert_ok(doca_urom_worker_destroy(rig.worker));
    rig.worker = NULL;
    fixture_host_close(&rig.host);
    if (row->setting != ABSENT && row->provoke != daemon_died)
        assert_int_equal(fixture_daemon_stop(&rig.daemon), 0);
}

static void forget_log(void)
{
    assert_int_equal(ftruncate(rig.log, 0), 0);
    assert_int_equal(lseek(rig.log, 0, SEEK_SET), 0);
}

static void check_log(const struct symptom *row)
{
    char text[8192] = "";

    assert_true(pread(rig.log, text, sizeof(text) - 1, 0) >= 0);
    if (strstr(opendoca_last_error(), row->cause) == NULL || strstr(text, row->cause) == NULL)
        fail_msg("%s: no \"%s\" in \"%s\" or in the log:\n%s", row->name, row->cause,
                 opendoca_last_error(), text);
}

static void symptoms_have_a_code_and_a_line_that_names_the_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(symptoms) / sizeof(symptoms[0]); i++) {
        const struct symptom *row = &symptoms[i];
        doca_error_t result;

        open_rig(row);
        forget_log();
        result = row->provoke();
        if (result != row->code)
            fail_msg("%s: %s instead of %s", row->name, doca_error_get_name(result),
                     doca_error_get_name(row->code));
        if (row->cause != NULL)
            check_log(row);
        close_rig(row);
    }
}

/* A plugin of another version under the name of one of ours. */
static void halves_that_differ_are_named(void **state)
{
    char *old = strdup(getenv("UROM_PLUGIN_PATH"));
    char folder[256], name[300], target[4096];
    const char *tests = strchr(old, ';');
    struct doca_urom_ops *ops;

    (void)state;
    assert_non_null(tests);
    snprintf(folder, sizeof(folder), "%s/plugins", fixture_dir());
    snprintf(name, sizeof(name), "%s/worker_amo.so", folder);
    snprintf(target, sizeof(target), "%s/worker_test.so", tests + 1);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(symlink(target, name), 0);
    setenv("UROM_PLUGIN_PATH", folder, 1);
    fixture_daemon_start(&rig.daemon, NULL);
    setenv("UROM_PLUGIN_PATH", old, 1);
    free(old);
    fixture_host_open(&rig.host);
    rig.plugin = fixture_plugin(&rig.host, "worker_amo");
    rig.worker = fixture_worker(&rig.host, 1, rig.plugin);
    assert_int_equal(fixture_worker_start(&rig.host, rig.worker), DOCA_CTX_STATE_RUNNING);
    assert_doca(DOCA_ERROR_UNSUPPORTED_VERSION,
                doca_urom_ops_create(rig.host.service, rig.worker, rig.plugin, &ops));
    assert_non_null(strstr(opendoca_last_error(), "worker_amo"));
    assert_non_null(strstr(opendoca_last_error(), "one release"));
    fixture_worker_end(&rig.host, rig.worker);
    rig.worker = NULL;
    fixture_host_close(&rig.host);
    assert_int_equal(fixture_daemon_stop(&rig.daemon), 0);
}

static int setup(void **state)
{
    struct doca_log_backend *backend;

    rig.log = memfd_create("symptoms", MFD_CLOEXEC);
    if (rig.log < 0 || doca_log_backend_create_with_fd_sdk(rig.log, &backend) != DOCA_SUCCESS ||
        doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG) != DOCA_SUCCESS)
        return -1;
    return fixture_group_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symptoms_have_a_code_and_a_line_that_names_the_cause),
        cmocka_unit_test(halves_that_differ_are_named),
    };

    return cmocka_run_group_tests(tests, setup, fixture_group_teardown);
}

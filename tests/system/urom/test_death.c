/* SPDX-License-Identifier: BSD-3-Clause */
/* Who dies, who notices, what everybody else is told. */
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/test_wire.h"

static struct fixture_daemon daemon_one;
static struct fixture_host host;
static uint64_t plugin;

static void open_all(void)
{
    fixture_daemon_start(&daemon_one, NULL);
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
}

static void close_all(void)
{
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static struct doca_urom_worker *start_worker(uint64_t id)
{
    struct doca_urom_worker *worker = fixture_worker(&host, id, plugin);

    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    return worker;
}

static struct doca_urom_worker_cmd_task *command(struct doca_urom_worker *worker, uint64_t op,
                                                 uint64_t arg, struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task = fixture_task(worker, plugin, result);
    const struct test_cmd cmd = {op, arg};

    fixture_payload(task, &cmd, sizeof(cmd));
    return task;
}

static pid_t pid_of(struct doca_urom_worker *worker)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task = command(worker, TEST_WHO, 0, &result);
    struct test_who who;

    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    assert_ok(result.status);
    memcpy(&who, result.bytes, sizeof(who));
    assert_ok(doca_urom_worker_cmd_task_release(task));
    return (pid_t)who.pid;
}

static bool is_reaped(void *arg)
{
    return kill(*(pid_t *)arg, 0) != 0;
}

static void ping(struct doca_urom_worker *worker)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task = command(worker, TEST_ECHO, 0, &result);

    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    assert_ok(result.status);
    assert_ok(doca_urom_worker_cmd_task_release(task));
}

/* Completions in the order in which they come. */
static unsigned int order[64], norder;

static void note_order(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    (void)ctx_data;
    assert_doca(DOCA_ERROR_IO_FAILED,
                doca_task_get_status(doca_urom_worker_cmd_task_as_task(task)));
    order[norder++] = (unsigned int)task_data.u64;
}

/* ---- worker ---- */

static void commands_of_a_dead_worker_fail_in_the_order_of_their_submits(void **state)
{
    struct doca_urom_worker_cmd_task *tasks[16];
    struct doca_urom_worker *worker, *other;
    pid_t pid;

    (void)state;
    open_all();
    worker = start_worker(1);
    other = start_worker(2);
    pid = pid_of(worker);
    for (unsigned int i = 0; i < 16; i++) {
        tasks[i] = command(worker, TEST_HOLD, 0, NULL);
        doca_urom_worker_cmd_task_set_cb(tasks[i], note_order);
        doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(tasks[i]),
                                (union doca_data){.u64 = i});
        assert_ok(fixture_submit(tasks[i]));
    }
    ping(other);
    norder = 0;
    kill(pid, SIGKILL);
    for (unsigned int i = 0; i < 16; i++) {
        fixture_event(host.pe);
        assert_int_equal(norder, i + 1); /* one event each */
        assert_int_equal(order[i], i);
    }
    fixture_no_event(host.pe, 1000);
    assert_int_equal(fixture_state(doca_urom_worker_as_ctx(worker)), DOCA_CTX_STATE_RUNNING);
    assert_doca(DOCA_ERROR_IO_FAILED, fixture_submit(tasks[0]));
    assert_non_null(strstr(opendoca_last_error(), "which has gone"));
    ping(other); /* is not disturbed */
    for (unsigned int i = 0; i < 16; i++)
        assert_ok(doca_urom_worker_cmd_task_release(tasks[i]));
    fixture_wait_log(&daemon_one, "ended: signal 9");
    assert_int_equal(fixture_total("exits", "signal"), 1);
    fixture_stop(host.pe, doca_urom_worker_as_ctx(worker));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    ping(worker);
    fixture_worker_end(&host, worker);
    fixture_worker_end(&host, other);
    close_all();
}

static void a_submit_after_a_death_knows_of_it_without_progress(void **state)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    pid_t pid;

    (void)state;
    open_all();
    for (unsigned int i = 0; i < 10; i++) {
        worker = start_worker(1);
        task = command(worker, TEST_ECHO, 0, &result);
        pid = pid_of(worker);
        kill(pid, SIGKILL);
        /* By the daemon: the kernel may close the files of the dead a moment after their end. */
        fixture_wait(is_reaped, &pid);
        fixture_let_submits_look();
        assert_doca(DOCA_ERROR_IO_FAILED, fixture_submit(task));
        assert_int_equal(result.count, 0);
        assert_ok(doca_urom_worker_cmd_task_release(task));
        fixture_worker_end(&host, worker);
    }
    close_all();
}

static void a_plugin_that_crashes_takes_its_worker_only(void **state)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker, *other;

    (void)state;
    open_all();
    worker = start_worker(1);
    other = start_worker(2);
    task = command(worker, TEST_CRASH, 0, &result);
    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    assert_doca(DOCA_ERROR_IO_FAILED, result.status);
    assert_int_equal(result.len, 0);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    ping(other);
    fixture_wait_log(&daemon_one, "ended: signal 11");
    fixture_worker_end(&host, worker);
    worker = start_worker(1);
    task = command(worker, TEST_EXIT, 5, &result);
    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    assert_doca(DOCA_ERROR_IO_FAILED, result.status);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_wait_log(&daemon_one, "ended: error 5");
    fixture_worker_end(&host, worker);
    fixture_worker_end(&host, other);
    close_all();
}

/* Returns the number of a process that has the worker's files until `file` is gone. */
static pid_t heir_of(struct doca_urom_worker *worker, const char *file)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task = fixture_task(worker, plugin, &result);
    struct {
        struct test_cmd cmd;
        char file[128];
    } payload = {.cmd = {TEST_HEIR, 0}};
    uint64_t number = 0;

    snprintf(payload.file, sizeof(payload.file), "%s", file);
    fixture_payload(task, &payload, sizeof(payload));
    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    assert_ok(result.status);
    memcpy(&number, result.bytes, sizeof(number));
    assert_ok(doca_urom_worker_cmd_task_release(task));
    return (pid_t)number;
}

/* The daemon learns of the end of the process and of that of its files at once, in this order. */
static void a_worker_may_end_before_its_files_do(void **state)
{
    const char *perturb = getenv("MALLOC_PERTURB_");
    char before[32], file[128];
    struct doca_urom_worker *worker;
    pid_t pid, heir;
    int fd;

    (void)state;
    snprintf(before, sizeof(before), "%s", perturb != NULL ? perturb : "");
    setenv("MALLOC_PERTURB_", "85", 1); /* what the daemon frees is not to be used any more */
    open_all();
    setenv("MALLOC_PERTURB_", before, 1);
    worker = start_worker(1);
    snprintf(file, sizeof(file), "%s/heir", fixture_dir());
    fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    heir = heir_of(worker, file);
    pid = pid_of(worker);
    fixture_freeze(daemon_one.pid);
    kill(pid, SIGKILL);
    fixture_wait_dead(pid);
    unlink(file);
    fixture_wait_dead(heir);
    kill(daemon_one.pid, SIGCONT);
    fixture_wait_log(&daemon_one, "ended: signal 9");
    fixture_worker_end(&host, worker);
    worker = start_worker(1);
    ping(worker);
    fixture_worker_end(&host, worker);
    close_all();
}

/* The daemon hears of both at once. */
static void a_death_stays_one_when_the_client_leaves_at_the_same_time(void **state)
{
    struct doca_urom_worker *worker;
    struct doca_ctx *ctx;
    pid_t pid;

    (void)state;
    open_all();
    worker = start_worker(1);
    ctx = doca_urom_worker_as_ctx(worker);
    pid = pid_of(worker);
    fixture_freeze(daemon_one.pid);
    kill(pid, SIGKILL);
    fixture_wait_dead(pid);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    for (unsigned int i = 0; i < 10; i++)
        doca_pe_progress(host.pe); /* the detach is sent */
    kill(daemon_one.pid, SIGCONT);
    fixture_wait_log(&daemon_one, "ended: signal 9");
    assert_int_equal(fixture_total("exits", "signal"), 1);
    while (fixture_state(ctx) != DOCA_CTX_STATE_IDLE)
        fixture_event(host.pe);
    assert_ok(doca_urom_worker_destroy(worker));
    close_all();
}

static void a_failing_open_is_one_event_and_says_why(void **state)
{
    static const char *const how[] = {"fail", "crash"};
    struct doca_urom_worker *worker;
    struct doca_ctx *ctx;
    char text[64];
    char *const env[] = {text};

    (void)state;
    open_all();
    worker = fixture_worker(&host, 4, plugin);
    ctx = doca_urom_worker_as_ctx(worker);
    for (unsigned int i = 0; i < 2; i++) {
        snprintf(text, sizeof(text), TEST_OPEN_ENV "=%s", how[i]);
        assert_ok(doca_urom_worker_set_env(worker, env, 1));
        assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
        assert_string_equal(doca_urom_ext_worker_last_error(worker), "");
        fixture_event(host.pe);
        assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
        assert_true(strlen(doca_urom_ext_worker_last_error(worker)) > 10);
        fixture_no_event(host.pe, 100);
    }
    assert_non_null(strstr(doca_urom_ext_worker_last_error(worker), "signal 11"));
    snprintf(text, sizeof(text), "X=1");
    assert_ok(doca_urom_worker_set_env(worker, env, 1));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&host, worker);
    close_all();
}

static void an_open_that_hangs_is_ended_by_the_daemon(void **state)
{
    char text[] = TEST_OPEN_ENV "=hang";
    char *const env[] = {text};
    struct doca_urom_worker *worker;
    uint64_t begin;

    (void)state;
    setenv("DOCA_UROM_SPAWN_TIMEOUT_MS", "700", 1);
    open_all();
    setenv("DOCA_UROM_SPAWN_TIMEOUT_MS", "60000", 1);
    worker = fixture_worker(&host, 4, plugin);
    assert_ok(doca_urom_worker_set_env(worker, env, 1));
    begin = fixture_now_ms();
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_IDLE);
    assert_in_range(fixture_now_ms() - begin, 600, PATIENCE);
    assert_non_null(strstr(doca_urom_ext_worker_last_error(worker), "SPAWN_TIMEOUT"));
    assert_int_equal(fixture_total("spawn_failures", "timeout"), 1);
    assert_ok(doca_urom_worker_destroy(worker));
    close_all();
}

/* ---- daemon ---- */

static void on_query(struct doca_urom_service_get_workers_by_gid_task *task,
                     union doca_data task_data, union doca_data ctx_data)
{
    (void)task;
    (void)ctx_data;
    ++*(unsigned int *)task_data.ptr;
}

static void everything_says_so_when_the_daemon_is_dead(void **state)
{
    struct doca_urom_service_get_workers_by_gid_task *query;
    struct doca_urom_worker_cmd_task *held, *next;
    struct doca_urom_worker *worker, *idle;
    struct fixture_result result = {0};
    unsigned int queries = 0;
    pid_t pid;

    (void)state;
    open_all();
    worker = start_worker(1);
    idle = fixture_worker(&host, 2, plugin);
    pid = pid_of(worker);
    held = command(worker, TEST_HOLD, 0, &result);
    next = command(worker, TEST_ECHO, 0, &result);
    assert_ok(fixture_submit(held));
    assert_ok(
        doca_urom_service_get_workers_by_gid_task_allocate_init(host.service, 1, on_query, &query));
    doca_task_set_user_data(doca_urom_service_get_workers_by_gid_task_as_task(query),
                            (union doca_data){.ptr = &queries});
    fixture_daemon_kill(&daemon_one);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, fixture_submit(next));
    assert_doca(DOCA_ERROR_NOT_PERMITTED,
                doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(query)));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(doca_urom_worker_as_ctx(idle)));
    fixture_wait_dead(pid); /* with the daemon */
    fixture_event(host.pe);
    assert_int_equal(result.count, 1);
    assert_doca(DOCA_ERROR_IO_FAILED, result.status);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, fixture_submit(next));
    assert_ok(doca_urom_worker_cmd_task_release(held));
    assert_ok(doca_urom_worker_cmd_task_release(next));
    assert_ok(doca_urom_service_get_workers_by_gid_task_release(query));
    fixture_worker_end(&host, worker);
    assert_ok(doca_urom_worker_destroy(idle));
    assert_ok(doca_ctx_stop(host.service_ctx));
    /* Nothing has to be cleaned up before the next one. */
    fixture_daemon_start(&daemon_one, NULL);
    assert_ok(doca_ctx_start(host.service_ctx));
    worker = start_worker(1);
    ping(worker);
    fixture_worker_end(&host, worker);
    close_all();
}

static void note_query(struct doca_urom_service_get_workers_by_gid_task *task,
                       union doca_data task_data, union doca_data ctx_data)
{
    struct fixture_result *result = task_data.ptr;

    (void)ctx_data;
    result->count++;
    result->status = doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(task));
    result->len = doca_urom_service_get_workers_by_gid_task_get_workers_count(task);
}

/* It is stopped before, so that it cannot answer. */
static void a_query_that_the_daemon_does_not_survive_fails(void **state)
{
    struct doca_urom_service_get_workers_by_gid_task *query;
    struct fixture_result result = {0};
    struct doca_task *base;

    (void)state;
    open_all();
    assert_ok(doca_urom_service_get_workers_by_gid_task_allocate_init(host.service, 1, note_query,
                                                                      &query));
    base = doca_urom_service_get_workers_by_gid_task_as_task(query);
    doca_task_set_user_data(base, (union doca_data){.ptr = &result});
    fixture_freeze(daemon_one.pid);
    assert_ok(doca_task_submit(base));
    fixture_daemon_kill(&daemon_one);
    fixture_event(host.pe);
    assert_int_equal(result.count, 1);
    assert_doca(DOCA_ERROR_IO_FAILED, result.status);
    assert_int_equal(result.len, 0);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_task_submit(base));
    assert_ok(doca_urom_service_get_workers_by_gid_task_release(query));
    fixture_host_close(&host);
}

static void the_first_submit_after_the_daemons_death_is_not_permitted(void **state)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;

    (void)state;
    for (unsigned int i = 0; i < 5; i++) {
        open_all();
        worker = start_worker(1);
        task = command(worker, TEST_ECHO, 0, &result);
        fixture_daemon_kill(&daemon_one);
        assert_doca(DOCA_ERROR_NOT_PERMITTED, fixture_submit(task));
        assert_int_equal(result.count, 0);
        assert_ok(doca_urom_worker_cmd_task_release(task));
        fixture_worker_end(&host, worker);
        fixture_host_close(&host);
    }
}

static void a_start_without_service_fails_at_once_and_can_be_repeated(void **state)
{
    struct fixture_host absent;
    uint64_t begin = fixture_now_ms();

    (void)state;
    fixture_host_prepare(&absent);
    for (unsigned int i = 0; i < 3; i++) {
        assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(absent.service_ctx));
        assert_int_equal(fixture_state(absent.service_ctx), DOCA_CTX_STATE_IDLE);
    }
    /* Each is far from the limit of a service that does not answer. */
    assert_true(fixture_now_ms() - begin < PATIENCE);
    fixture_daemon_start(&daemon_one, NULL);
    assert_ok(doca_ctx_start(absent.service_ctx));
    fixture_host_close(&absent);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void an_orderly_end_of_the_daemon_ends_its_workers(void **state)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    pid_t pid;

    (void)state;
    open_all();
    worker = start_worker(1);
    task = command(worker, TEST_ECHO, 0, &result);
    pid = pid_of(worker);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    fixture_wait_dead(pid);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, fixture_submit(task));
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

/* ---- client ---- */

enum step { STEP_SERVICE, STEP_STARTING, STEP_RUNNING, STEP_COMMANDS, STEP_STOPPING, STEPS };

/* In a process of its own, which ends itself at a step. */
static void client(enum step step)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    struct fixture_result result;

    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    if (step == STEP_SERVICE)
        raise(SIGKILL);
    worker = fixture_worker(&host, 6, plugin);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_urom_worker_as_ctx(worker)));
    for (unsigned int i = 0; step == STEP_STARTING && i < 50; i++)
        doca_pe_progress(host.pe);
    if (step == STEP_STARTING)
        raise(SIGKILL);
    fixture_event(host.pe);
    if (step == STEP_RUNNING)
        raise(SIGKILL);
    for (unsigned int i = 0; i < 16; i++) {
        task = command(worker, TEST_HOLD, 0, &result);
        assert_ok(fixture_submit(task));
    }
    if (step == STEP_COMMANDS)
        raise(SIGKILL);
    doca_ctx_stop(doca_urom_worker_as_ctx(worker));
    doca_pe_progress(host.pe);
    raise(SIGKILL);
}

static bool no_workers(void *arg)
{
    (void)arg;
    return fixture_workers() == 0;
}

/* Workers are told at once and go by themselves, before the daemon loses patience, which takes it
 * longer than the second that is promised. A busy machine may let one or the other be late. */
static void some_ends_are_orderly(void)
{
    assert_true(fixture_total("exits", "clean") > 0);
}

/* In a child: this process must not have used the library when it forks again. */
static void id_can_be_had_again(void)
{
    struct doca_urom_worker *worker;

    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    worker = start_worker(6);
    ping(worker);
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

static void nothing_stays_of_a_client_that_is_killed_at_any_step(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    fixture_daemon_start(&daemon_one, NULL);
    for (unsigned int step = 0; step < STEPS; step++) {
        pid = fork();
        if (pid == 0) {
            fixture_in_child();
            client((enum step)step);
            _exit(1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        fixture_wait(no_workers, NULL);
    }
    some_ends_are_orderly();
    pid = fork();
    if (pid == 0) {
        fixture_in_child();
        id_can_be_had_again();
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

/* Has commands under way, tells who has them, and waits for its end. */
static void hold_commands(int out, unsigned int attempt)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    struct fixture_result result;
    pid_t pid;

    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    worker = start_worker(6 + attempt);
    pid = pid_of(worker);
    for (unsigned int i = 0; i < 16; i++) {
        task = command(worker, TEST_HOLD, 0, &result);
        assert_ok(fixture_submit(task));
    }
    assert_int_equal(write(out, &pid, sizeof(pid)), sizeof(pid));
    for (;;)
        pause();
}

static void what_a_killed_client_had_is_gone_within_a_second(void **state)
{
    (void)state;
    fixture_daemon_start(&daemon_one, NULL);
    fixture_gone_within(1000, hold_commands);
    fixture_wait(no_workers, NULL);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

/* Joins the worker of the parent when told, says so, and waits for its end. */
static void other_client(int go, int ready)
{
    struct doca_urom_worker *own;
    char byte;

    assert_int_equal(read(go, &byte, 1), 1);
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    own = start_worker(6);
    ping(own);
    assert_int_equal(write(ready, "x", 1), 1);
    for (;;)
        pause();
}

static void another_client_of_the_worker_is_not_disturbed(void **state)
{
    struct doca_urom_worker *worker;
    int status, go[2], ready[2];
    char byte;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        fixture_in_child();
        close(go[1]);
        close(ready[0]);
        other_client(go[0], ready[1]);
    }
    close(go[0]);
    close(ready[1]); /* a child that dies ends the read below */
    open_all();
    worker = start_worker(6);
    assert_int_equal(write(go[1], "x", 1), 1);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    ping(worker);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    for (unsigned int i = 0; i < 100; i++)
        ping(worker);
    assert_int_equal(fixture_workers(), 1);
    close(ready[0]);
    close(go[1]);
    fixture_worker_end(&host, worker);
    close_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: they fork, which must be before this process has used the library. */
        cmocka_unit_test(nothing_stays_of_a_client_that_is_killed_at_any_step),
        cmocka_unit_test(what_a_killed_client_had_is_gone_within_a_second),
        cmocka_unit_test(another_client_of_the_worker_is_not_disturbed),
        cmocka_unit_test(commands_of_a_dead_worker_fail_in_the_order_of_their_submits),
        cmocka_unit_test(a_submit_after_a_death_knows_of_it_without_progress),
        cmocka_unit_test(a_plugin_that_crashes_takes_its_worker_only),
        cmocka_unit_test(a_worker_may_end_before_its_files_do),
        cmocka_unit_test(a_death_stays_one_when_the_client_leaves_at_the_same_time),
        cmocka_unit_test(a_failing_open_is_one_event_and_says_why),
        cmocka_unit_test(an_open_that_hangs_is_ended_by_the_daemon),
        cmocka_unit_test(everything_says_so_when_the_daemon_is_dead),
        cmocka_unit_test(a_query_that_the_daemon_does_not_survive_fails),
        cmocka_unit_test(the_first_submit_after_the_daemons_death_is_not_permitted),
        cmocka_unit_test(a_start_without_service_fails_at_once_and_can_be_repeated),
        cmocka_unit_test(an_orderly_end_of_the_daemon_ends_its_workers),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}

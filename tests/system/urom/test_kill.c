/* SPDX-License-Identifier: BSD-3-Clause */
/* One scripted run, in which worker, daemon or client dies at each step in turn: what everybody is
 * told, in bounded time, and that the next run needs no cleanup. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/test_wire.h"

#define WORKER_ID 4
#define GROUP     9
#define HELD      4

enum victim { NOBODY, WORKER, DAEMON, CLIENT, VICTIMS };

enum step {
    SERVICE_UP,
    WORKER_STARTING,
    WORKER_UP,
    COMMANDS_HELD,
    COMMAND_DONE,
    QUERY_SENT,
    DOMAIN_STARTING,
    DOMAIN_UP,
    DOMAIN_DOWN,
    WORKER_STOPPING,
    WORKER_DOWN,
    SERVICE_DOWN,
    STEPS
};

static const char *const victims[] = {"nobody", "worker", "daemon", "client"};

static struct fixture_daemon daemon_one;

/* The scripted run; in a process of its own. */
static struct script {
    enum victim victim;
    enum step when;
    bool worker_dead, daemon_dead;
    pid_t daemon;
    pid_t worker_pid; /* 0: there is none */
    struct fixture_host host;
    uint64_t plugin;
    struct doca_urom_worker *worker;
    struct doca_ctx *ctx;
    struct doca_urom_worker_cmd_task *held[HELD];
    unsigned int flushed; /* held ones that are back, all with IO_FAILED and in order */
} run;

/* ------------------------------------------------------------------------------------------------
 * Killing
 */

static void end_process(pid_t pid)
{
    kill(pid, SIGKILL);
    fixture_wait_dead(pid);
}

/* What the daemon knows; it may not have seen the worker yet. */
static bool finds_worker(void *arg)
{
    json_t *status = fixture_status();
    json_t *one = json_array_get(json_object_get(status, "workers"), 0);

    *(pid_t *)arg = (pid_t)json_integer_value(json_object_get(one, "pid"));
    json_decref(status);
    return *(pid_t *)arg != 0;
}

/* A step is reached. */
static void at(enum step step)
{
    if (step != run.when)
        return;
    if (run.victim == CLIENT)
        raise(SIGKILL);
    /* Workers end with the daemon, a moment later. */
    if (step >= WORKER_STARTING && step <= WORKER_STOPPING && run.victim != NOBODY)
        fixture_wait(finds_worker, &run.worker_pid);
    if (run.victim == DAEMON) {
        end_process(run.daemon);
        run.daemon_dead = true;
    } else if (run.victim == WORKER && run.worker_pid != 0) {
        end_process(run.worker_pid);
    }
    if (run.victim == NOBODY || run.worker_pid == 0)
        return;
    fixture_wait_dead(run.worker_pid);
    run.worker_dead = true;
}

/* ------------------------------------------------------------------------------------------------
 * The script. Its steps know who is dead.
 */

static void until(bool (*is_so)(void))
{
    const uint64_t end = fixture_now_ms() + PATIENCE;

    while (!is_so()) {
        doca_pe_progress(run.host.pe);
        assert_true(fixture_now_ms() < end);
    }
}

static void on_flushed(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    (void)ctx_data;
    assert_true(task_data.u64 == run.flushed);
    assert_doca(DOCA_ERROR_IO_FAILED,
                doca_task_get_status(doca_urom_worker_cmd_task_as_task(task)));
    run.flushed++;
    assert_ok(doca_urom_worker_cmd_task_release(task));
}

static struct doca_urom_worker_cmd_task *command(uint64_t op, struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task = fixture_task(run.worker, run.plugin, result);
    const struct test_cmd cmd = {op, 0};

    fixture_payload(task, &cmd, sizeof(cmd));
    return task;
}

static bool has_started(void)
{
    return fixture_state(run.ctx) != DOCA_CTX_STATE_STARTING;
}

/* False: the script goes on without a worker. */
static bool start_worker(void)
{
    run.worker = fixture_worker(&run.host, WORKER_ID, run.plugin);
    run.ctx = doca_urom_worker_as_ctx(run.worker);
    assert_ok(doca_urom_worker_set_gid(run.worker, GROUP));
    if (run.daemon_dead) {
        assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(run.ctx));
        return false;
    }
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(run.ctx));
    /* Gets as far as the daemon, which makes the worker. */
    while (run.when == WORKER_STARTING && !finds_worker(&run.worker_pid))
        doca_pe_progress(run.host.pe);
    at(WORKER_STARTING);
    until(has_started);
    if (fixture_state(run.ctx) == DOCA_CTX_STATE_RUNNING)
        return true;
    assert_true(run.worker_dead);
    assert_true(strlen(doca_urom_ext_worker_last_error(run.worker)) > 0);
    return false;
}

static void hold_commands(void)
{
    for (uint64_t i = 0; i < HELD; i++) {
        run.held[i] = command(TEST_HOLD, NULL);
        doca_urom_worker_cmd_task_set_cb(run.held[i], on_flushed);
        doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(run.held[i]),
                                (union doca_data){.u64 = i});
        if (!run.worker_dead) {
            assert_ok(fixture_submit(run.held[i]));
            continue;
        }
        assert_string_equal(doca_error_get_name(fixture_submit(run.held[i])),
                            run.daemon_dead ? "DOCA_ERROR_NOT_PERMITTED" : "DOCA_ERROR_IO_FAILED");
        run.flushed++;
        assert_ok(doca_urom_worker_cmd_task_release(run.held[i]));
    }
}

static struct fixture_result echoed;

static bool has_echoed(void)
{
    return echoed.count > 0;
}

static void echo(void)
{
    struct doca_urom_worker_cmd_task *task = command(TEST_ECHO, &echoed);

    echoed.count = 0;
    if (run.worker_dead) {
        assert_string_equal(doca_error_get_name(fixture_submit(task)),
                            run.daemon_dead ? "DOCA_ERROR_NOT_PERMITTED" : "DOCA_ERROR_IO_FAILED");
    } else {
        assert_ok(fixture_submit(task));
        until(has_echoed);
        assert_ok(echoed.status);
    }
    assert_ok(doca_urom_worker_cmd_task_release(task));
}

static bool queried;
static doca_error_t query_status;

static bool has_queried(void)
{
    return queried;
}

static void on_query(struct doca_urom_service_get_workers_by_gid_task *task,
                     union doca_data task_data, union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    queried = true;
    query_status = doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(task));
    if (!run.worker_dead)
        assert_true(doca_urom_service_get_workers_by_gid_task_get_workers_count(task) == 1);
    assert_ok(doca_urom_service_get_workers_by_gid_task_release(task));
}

static void query(void)
{
    struct doca_urom_service_get_workers_by_gid_task *task;
    struct doca_task *base;

    assert_ok(doca_urom_service_get_workers_by_gid_task_allocate_init(run.host.service, GROUP,
                                                                      on_query, &task));
    base = doca_urom_service_get_workers_by_gid_task_as_task(task);
    if (run.daemon_dead) {
        assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_task_submit(base));
        assert_ok(doca_urom_service_get_workers_by_gid_task_release(task));
        return;
    }
    assert_ok(doca_task_submit(base));
    at(QUERY_SENT);
    until(has_queried);
    /* A daemon that has just died may have answered before. */
    if (!run.daemon_dead || query_status != DOCA_ERROR_IO_FAILED)
        assert_ok(query_status);
}

/* ---- a domain of this process alone ---- */

static doca_error_t allgather(void *from, void *to, size_t len, void *info, void **req)
{
    memcpy(to, from, len);
    *req = info;
    return DOCA_SUCCESS;
}

static doca_error_t req_nothing(void *req)
{
    (void)req;
    return DOCA_SUCCESS;
}

static struct doca_ctx *domain_ctx;

static bool has_domain(void)
{
    return fixture_state(domain_ctx) != DOCA_CTX_STATE_STARTING;
}

static void meet(void)
{
    struct doca_urom_domain_oob_coll oob = {allgather, req_nothing, req_nothing, &run, 1, 0};
    struct doca_urom_domain *domain;
    uint64_t ids[] = {1};

    assert_ok(doca_urom_domain_create(&domain));
    domain_ctx = doca_urom_domain_as_ctx(domain);
    assert_ok(doca_pe_connect_ctx(run.host.pe, domain_ctx));
    assert_ok(doca_urom_domain_set_oob(domain, &oob));
    assert_ok(doca_urom_domain_set_workers(domain, ids, &run.worker, 1));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(domain_ctx));
    at(DOMAIN_STARTING);
    until(has_domain);
    assert_int_equal(fixture_state(domain_ctx),
                     run.worker_dead ? DOCA_CTX_STATE_IDLE : DOCA_CTX_STATE_RUNNING);
    at(DOMAIN_UP);
    assert_ok(doca_ctx_stop(domain_ctx));
    assert_int_equal(fixture_state(domain_ctx), DOCA_CTX_STATE_IDLE);
    at(DOMAIN_DOWN);
    assert_ok(doca_urom_domain_destroy(domain));
}

/* ---- parting ---- */

static bool is_idle(void)
{
    return fixture_state(run.ctx) == DOCA_CTX_STATE_IDLE;
}

static void stop_worker(void)
{
    unsigned int events = 0;

    if (is_idle())
        return;
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(run.ctx));
    at(WORKER_STOPPING);
    while (!is_idle()) {
        fixture_event(run.host.pe);
        events++;
    }
    assert_true(events > 0);
    assert_true(run.flushed == HELD);
}

/* After its worker's death a context can be started again; after the daemon's it cannot. */
static void start_again(void)
{
    if (run.daemon_dead) {
        assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(run.ctx));
        return;
    }
    run.worker_dead = false;
    assert_int_equal(fixture_worker_start(&run.host, run.worker), DOCA_CTX_STATE_RUNNING);
    echo();
    fixture_stop(run.host.pe, run.ctx);
}

static void use_worker(void)
{
    at(WORKER_UP);
    hold_commands();
    at(COMMANDS_HELD);
    echo();
    at(COMMAND_DONE);
    query();
    meet();
    stop_worker();
    at(WORKER_DOWN);
}

static void play(void)
{
    fixture_host_open(&run.host);
    run.plugin = fixture_plugin(&run.host, "worker_test");
    at(SERVICE_UP);
    if (start_worker())
        use_worker();
    start_again();
    assert_ok(doca_urom_worker_destroy(run.worker));
    assert_ok(doca_ctx_stop(run.host.service_ctx));
    at(SERVICE_DOWN);
    assert_ok(doca_urom_service_destroy(run.host.service));
    assert_ok(doca_pe_destroy(run.host.pe));
    assert_ok(doca_dev_close(run.host.dev));
}

/* ------------------------------------------------------------------------------------------------
 * Cases
 */

/* Wait status of a run in a process of its own. */
static int play_in_child(enum victim victim, enum step when)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        fixture_in_child();
        run = (struct script){.victim = victim, .when = when, .daemon = daemon_one.pid};
        play();
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void expect_good_run(void)
{
    const int status = play_in_child(NOBODY, STEPS);

    if (status != 0)
        fail_msg("the run after it ends with wait status %d", status);
}

static bool no_workers(void *arg)
{
    (void)arg;
    return fixture_workers() == 0;
}

static void kill_at_each_step(enum victim victim)
{
    fixture_daemon_start(&daemon_one, NULL);
    for (unsigned int when = 0; when < STEPS; when++) {
        const int status = play_in_child(victim, (enum step)when);

        if (victim == CLIENT ? !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL : status != 0)
            fail_msg("with the death of the %s at step %u: wait status %d", victims[victim], when,
                     status);
        if (victim == DAEMON)
            fixture_daemon_start(&daemon_one, NULL);
        /* The next run, of the same id, needs no cleanup: it gets one step further. */
        fixture_wait(no_workers, NULL);
    }
    expect_good_run();
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void a_worker_dies_at_each_step(void **state)
{
    (void)state;
    kill_at_each_step(WORKER);
}

static void the_daemon_dies_at_each_step(void **state)
{
    (void)state;
    kill_at_each_step(DAEMON);
}

static void the_client_dies_at_each_step(void **state)
{
    (void)state;
    kill_at_each_step(CLIENT);
}

/* Sockets of the dead, that is. */
static void no_names_are_left(void **state)
{
    DIR *folder = opendir(fixture_dir());
    struct dirent *entry;
    unsigned int count = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, "link-uromw-", 11) != 0)
            continue;
        print_message("left: %s\n", entry->d_name);
        count++;
    }
    closedir(folder);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_dies_at_each_step),
        cmocka_unit_test(the_daemon_dies_at_each_step),
        cmocka_unit_test(the_client_dies_at_each_step),
        cmocka_unit_test(no_names_are_left),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A daemon of root and clients of other users: who is let in, as whom workers run, who sees what.
 * Needs root, to become others. */
#include "fixture.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/test_wire.h"

/* Numbers without names are users all the same. */
#define STRANGER 64077
#define GROUP    64078

#define NOT_POSSIBLE 77

static struct fixture_daemon daemon_one;
static char own_socket[256], folder[256];

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    snprintf(own_socket, sizeof(own_socket), "%s/public.sock", fixture_dir());
    snprintf(folder, sizeof(folder), "%s/stranger", fixture_dir());
    if (geteuid() != 0)
        return 0;
    return chmod(fixture_dir(), 0711) != 0 || mkdir(folder, 0700) != 0 ||
           chown(folder, STRANGER, GROUP) != 0;
}

static int teardown(void **state)
{
    return fixture_group_teardown(state);
}

static void start(const char *option, const char *value)
{
    const char *const args[] = {"--socket", own_socket, option, value, NULL};

    fixture_daemon_start(&daemon_one, args);
    setenv("DOCA_UROM_SOCKET", own_socket, 1);
}

static void stop(void)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    unsetenv("DOCA_UROM_SOCKET");
}

/* Runs it as the stranger, in a process of its own; skips the test where that cannot be. */
static void as_stranger(void (*act)(void))
{
    int status;
    pid_t pid;

    if (geteuid() != 0) {
        print_message("needs root, to become another user\n");
        skip();
    }
    pid = fork();
    if (pid == 0) {
        fixture_in_child();
        if (setgroups(0, NULL) != 0 || setresgid(GROUP, GROUP, GROUP) != 0 ||
            setresuid(STRANGER, STRANGER, STRANGER) != 0)
            _exit(1);
        setenv("OPENDOCA_RUNTIME_DIR", folder, 1);
        if (access(getenv("UROM_DAEMON"), X_OK) != 0 || access(own_socket, W_OK) != 0)
            _exit(errno == EACCES ? NOT_POSSIBLE : 1);
        act();
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_POSSIBLE) {
        stop();
        print_message("other users cannot get at the build folder\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void expect_refusal(void)
{
    struct fixture_host host;

    fixture_host_prepare(&host);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(host.service_ctx));
    assert_non_null(strstr(opendoca_last_error(), "identity"));
    assert_int_equal(fixture_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
    fixture_host_close(&host);
}

static void who_is_not_admitted_is_refused_in_one_line(void **state)
{
    (void)state;
    start(NULL, NULL);
    as_stranger(expect_refusal);
    assert_int_equal(fixture_log_count(&daemon_one, " is refused (identity): "), 1);
    assert_int_equal(fixture_log_count(&daemon_one, "of user 64077 is refused"), 1);
    assert_int_equal(fixture_total("rejects", "identity"), 1);
    assert_int_equal(fixture_workers(), 0);
    stop();
}

static void ask_who(struct fixture_host *host, struct doca_urom_worker *worker, uint64_t plugin,
                    struct test_who *who)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task = fixture_task(worker, plugin, &result);
    const struct test_cmd cmd = {TEST_WHO, 0};

    fixture_payload(task, &cmd, sizeof(cmd));
    assert_ok(fixture_submit(task));
    fixture_event(host->pe);
    assert_ok(result.status);
    memcpy(who, result.bytes, sizeof(*who));
    assert_ok(doca_urom_worker_cmd_task_release(task));
}

static void expect_own_worker(void)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    struct test_who who;
    uint64_t plugin;
    json_t *status;

    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    worker = fixture_worker(&host, 3, plugin);
    assert_true(fixture_worker_start(&host, worker) == DOCA_CTX_STATE_RUNNING);
    ask_who(&host, worker, plugin, &who);
    assert_true(who.uid == STRANGER && who.client_uid == STRANGER);
    assert_true(who.client_pid == (uint64_t)getpid());
    /* The daemon's folder of status texts is not this user's. */
    status = fixture_status_in(folder);
    assert_true(json_array_size(json_object_get(status, "workers")) == 1);
    assert_true(json_array_size(json_object_get(status, "clients")) == 1);
    json_decref(status);
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

static void a_user_is_admitted_and_its_workers_run_as_it(void **state)
{
    (void)state;
    start("--allow-uid", "64077");
    as_stranger(expect_own_worker);
    assert_int_equal(fixture_log_count(&daemon_one, "is refused"), 0);
    stop();
}

static void a_group_is_admitted(void **state)
{
    (void)state;
    start("--allow-gid", "4,64078");
    as_stranger(expect_own_worker);
    stop();
}

/* The parent's worker of the same id; in a process, as this one must not use the library. */
static pid_t start_own(int *ready, int *go)
{
    int to[2], from[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    pid = fork();
    if (pid == 0) {
        struct doca_urom_worker *worker;
        struct fixture_host host;
        struct test_who who;
        uint64_t plugin;

        fixture_in_child();
        close(to[1]);
        close(from[0]);
        fixture_host_open(&host);
        plugin = fixture_plugin(&host, "worker_test");
        worker = fixture_worker(&host, 3, plugin);
        assert_true(fixture_worker_start(&host, worker) == DOCA_CTX_STATE_RUNNING);
        assert_true(write(from[1], "x", 1) == 1);
        assert_true(read(to[0], &byte, 1) == 1);
        ask_who(&host, worker, plugin, &who);
        assert_true(who.uid == 0);
        fixture_worker_end(&host, worker);
        fixture_host_close(&host);
        exit(0);
    }
    close(to[0]);
    close(from[1]);
    *ready = from[0];
    *go = to[1];
    return pid;
}

static void two_users_with_one_id_have_two_processes_and_do_not_see_each_other(void **state)
{
    int ready, go, status;
    char byte;
    pid_t pid;

    (void)state;
    start("--allow-uid", "64077");
    pid = start_own(&ready, &go);
    assert_int_equal(read(ready, &byte, 1), 1);
    as_stranger(expect_own_worker);
    assert_int_equal(fixture_total("spawns", NULL), 2);
    assert_int_equal(write(go, "x", 1), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ready);
    close(go);
    stop();
}

/* As a client of the machine: it finds its own runtime folder without being told. */
static void forget_places(void)
{
    unsetenv("OPENDOCA_RUNTIME_DIR");
    unsetenv("DOCA_UROM_SOCKET");
    setenv("XDG_RUNTIME_DIR", folder, 1);
}

static void expect_own_daemon_after_refusal(void)
{
    struct fixture_daemon own = {.pid = 0};
    struct fixture_host host;
    char link[512];

    snprintf(link, sizeof(link), "%s/opendoca", folder);
    assert_int_equal(symlink(".", link), 0);
    forget_places();
    expect_refusal();
    fixture_move_to(folder);
    fixture_daemon_start(&own, NULL);
    forget_places();
    fixture_host_open(&host);
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&own), 0);
    expect_refusal();
}

static void who_is_not_admitted_is_served_by_its_own_daemon(void **state)
{
    (void)state;
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/run", "tmpfs", 0, "mode=755") != 0) {
        print_message("needs the right to have a /run of its own\n");
        skip();
    }
    assert_int_equal(mkdir("/run/doca_urom", 0755), 0);
    snprintf(own_socket, sizeof(own_socket), "/run/doca_urom/card0.sock");
    start(NULL, NULL);
    as_stranger(expect_own_daemon_after_refusal);
    assert_true(fixture_log_count(&daemon_one, "of user 64077 is refused") >= 2);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_not_admitted_is_refused_in_one_line),
        cmocka_unit_test(a_user_is_admitted_and_its_workers_run_as_it),
        cmocka_unit_test(a_group_is_admitted),
        cmocka_unit_test(two_users_with_one_id_have_two_processes_and_do_not_see_each_other),
        cmocka_unit_test(who_is_not_admitted_is_served_by_its_own_daemon),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

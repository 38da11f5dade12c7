/* SPDX-License-Identifier: BSD-3-Clause */
/* Which plugins a service offers, and what bad ones can do to it: nothing. */
#include "fixture.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[512], second[512];

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    snprintf(folder, sizeof(folder), "%s/plugins", fixture_dir());
    snprintf(second, sizeof(second), "%s/more", fixture_dir());
    return 0;
}

/* An empty folder of plugins. */
static int empty_folder(void **state)
{
    char command[2100];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s' '%s' && mkdir '%s' '%s'", folder, second,
             folder, second);
    return system(command);
}

/* Copies a file from the folders of the build, found by name, into a folder under a name. */
static void put(const char *to, const char *name, const char *as)
{
    char command[4096];
    const char *paths = getenv("UROM_PLUGIN_PATH"), *bad = getenv("UROM_BAD_PLUGIN_PATH");

    snprintf(command, sizeof(command),
             "IFS=';'; for d in $(echo '%s;%s'); do if [ -e \"$d/%s\" ]; then "
             "cp \"$d/%s\" '%s/.copy' && mv '%s/.copy' '%s/%s' && exit 0; fi; done; exit 1",
             paths, bad, name, name, to, to, to, as);
    assert_int_equal(system(command), 0);
}

static void take(const char *from, const char *name)
{
    char path[1024];

    snprintf(path, sizeof(path), "%s/%s", from, name);
    assert_int_equal(unlink(path), 0);
}

/* The daemon under test looks into the folders named. */
static void start(struct fixture_daemon *daemon, const char *path)
{
    char old[4096];

    snprintf(old, sizeof(old), "%s", getenv("UROM_PLUGIN_PATH"));
    setenv("UROM_PLUGIN_PATH", path, 1);
    fixture_daemon_start(daemon, NULL);
    setenv("UROM_PLUGIN_PATH", old, 1);
}

static void bad_plugins_are_named_and_left_out(void **state)
{
    static const char *const faults[] = {"crash",   "hang", "symbol",
                                         "version", "slot", "get_version"};
    struct doca_urom_worker *worker;
    struct fixture_daemon daemon = {0};
    struct fixture_host host;
    char name[64], line[80];
    uint64_t begin = fixture_now_ms();
    uint64_t plugin;

    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        snprintf(name, sizeof(name), "worker_bad_%s.so", faults[i]);
        put(folder, name, name);
    }
    put(folder, "worker_bad_no_version.so", "worker_bad_no_version.so");
    put(folder, "worker_graph.so", "worker_graph.so");
    setenv("DOCA_UROM_PROBE_TIMEOUT_MS", "15000", 1);
    start(&daemon, folder);
    assert_true(fixture_now_ms() - begin >= 15000); /* the one that hangs */
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        snprintf(line, sizeof(line), "worker_bad_%s.so cannot be used", faults[i]);
        assert_int_equal(fixture_log_count(&daemon, line), 1);
    }
    assert_int_equal(fixture_log_count(&daemon, "ends with signal 6"), 1);
    assert_int_equal(fixture_log_count(&daemon, "urom_plugin_get_iface"), 1);
    assert_int_equal(fixture_log_count(&daemon, "was built for DOCA 2"), 1);
    assert_int_equal(fixture_log_count(&daemon, "fills in no progress"), 1);
    assert_int_equal(fixture_log_count(&daemon, "takes longer than 15000 ms"), 1);
    fixture_host_open(&host);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        snprintf(name, sizeof(name), "worker_bad_%s", faults[i]);
        assert_false(fixture_has_plugin(&host, name));
    }
    /* One that does not tell its version is used, with a warning. */
    plugin = fixture_plugin(&host, "worker_bad_no_version") | fixture_plugin(&host, "worker_graph");
    worker = fixture_worker(&host, 1, plugin);
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_loopback(&host, worker, fixture_plugin(&host, "worker_graph"), 3);
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon), 0);
}

static void only_names_with_so_at_the_end_count(void **state)
{
    const struct doca_urom_service_plugin_info *plugins;
    struct fixture_daemon daemon = {0};
    struct fixture_host host;
    char path[1024];
    size_t count;

    (void)state;
    put(folder, "worker_graph.so", "worker_graph.so.1");
    put(folder, "worker_graph.so", "worker_b.la");
    put(folder, "worker_graph.so", "worker_c.a");
    put(folder, "worker_graph.so", ".so");
    put(folder, "worker_graph.so", "worker_of_forty_eight_letters_which_is_one_too_many.so");
    put(folder, "worker_graph.so", "worker_z.so");
    snprintf(path, sizeof(path), "%s/worker_folder.so", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/worker_link.so", folder);
    assert_int_equal(symlink("worker_graph.so.1", path), 0);
    start(&daemon, folder);
    fixture_host_open(&host);
    assert_ok(doca_urom_service_get_plugins_list(host.service, &plugins, &count));
    assert_int_equal(count, 2);
    assert_string_equal(plugins[0].plugin_name, "worker_link");
    assert_string_equal(plugins[1].plugin_name, "worker_z");
    assert_int_equal(plugins[0].version, 1);
    assert_int_equal(fixture_log_count(&daemon, "more than 47 letters"), 1);
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon), 0);
}

static void earlier_folders_win_and_both_separators_are_taken(void **state)
{
    struct fixture_daemon daemon = {0};
    struct fixture_host host;
    char path[2048];

    (void)state;
    put(folder, "worker_graph.so", "worker_a.so");
    put(second, "worker_test.so", "worker_a.so");
    put(second, "worker_test.so", "worker_b.so");
    snprintf(path, sizeof(path), ";/nowhere:%s;%s", folder, second);
    start(&daemon, path);
    fixture_host_open(&host);
    assert_true(fixture_has_plugin(&host, "worker_b"));
    assert_int_equal(fixture_plugin(&host, "worker_a"), 1);
    {
        const struct doca_urom_service_plugin_info *plugins;
        size_t count;

        assert_ok(doca_urom_service_get_plugins_list(host.service, &plugins, &count));
        assert_int_equal(count, 2);
        assert_int_equal(plugins[0].version, 1); /* of worker_graph */
        assert_int_equal(plugins[1].version, 7);
    }
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon), 0);
}

static void a_service_without_plugins_says_so(void **state)
{
    const struct doca_urom_service_plugin_info *plugins;
    struct fixture_daemon daemon = {0};
    struct fixture_host host;
    size_t count;

    (void)state;
    start(&daemon, folder);
    fixture_host_open(&host);
    assert_doca(DOCA_ERROR_NOT_FOUND,
                doca_urom_service_get_plugins_list(host.service, &plugins, &count));
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon), 0);
}

/* ---- while the daemon runs ---- */

static void a_family_that_is_taken_away_is_not_supported_and_comes_back_with_its_id(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    struct fixture_result result;
    struct fixture_daemon daemon = {0};
    struct fixture_host old, host;
    uint64_t graph, test;

    (void)state;
    put(folder, "worker_graph.so", "worker_graph.so");
    put(folder, "worker_test.so", "worker_test.so");
    start(&daemon, folder);
    fixture_host_open(&old);
    graph = fixture_plugin(&old, "worker_graph");
    test = fixture_plugin(&old, "worker_test");
    take(folder, "worker_test.so");
    fixture_host_open(&host); /* the daemon looks again */
    assert_false(fixture_has_plugin(&host, "worker_test"));
    assert_true(fixture_has_plugin(&old, "worker_test")); /* as of its greeting */
    assert_ok(doca_urom_worker_create(&worker));
    assert_ok(doca_urom_worker_set_service(worker, host.service));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_urom_worker_set_plugins(worker, test));
    assert_ok(doca_urom_worker_destroy(worker));
    worker = fixture_worker(&host, 1, graph);
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    task = fixture_task(worker, test, &result);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, fixture_submit(task));
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_loopback(&host, worker, graph, 1); /* the others pass */
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
    put(folder, "worker_graph.so", "worker_new.so");
    put(folder, "worker_test.so", "worker_test.so");
    fixture_host_open(&host);
    assert_int_equal(fixture_plugin(&host, "worker_test"), test);
    assert_int_equal(fixture_plugin(&host, "worker_new"), 4);
    fixture_host_close(&host);
    fixture_host_close(&old);
    assert_int_equal(fixture_daemon_stop(&daemon), 0);
}

static void sighup_looks_for_plugins(void **state)
{
    struct fixture_daemon daemon = {0};

    (void)state;
    start(&daemon, folder);
    put(folder, "worker_graph.so", "worker_graph.so");
    kill(daemon.pid, SIGHUP);
    fixture_wait_log(&daemon, "plugin worker_graph: id 0x1");
    assert_int_equal(fixture_daemon_stop(&daemon), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_names_with_so_at_the_end_count, empty_folder),
        cmocka_unit_test_setup(earlier_folders_win_and_both_separators_are_taken, empty_folder),
        cmocka_unit_test_setup(a_service_without_plugins_says_so, empty_folder),
        cmocka_unit_test_setup(
            a_family_that_is_taken_away_is_not_supported_and_comes_back_with_its_id, empty_folder),
        cmocka_unit_test_setup(sighup_looks_for_plugins, empty_folder),
        /* Last: it changes the time limit of a look. */
        cmocka_unit_test_setup(bad_plugins_are_named_and_left_out, empty_folder),
    };

    return cmocka_run_group_tests(tests, setup, fixture_group_teardown);
}

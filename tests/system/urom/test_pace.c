/* SPDX-License-Identifier: BSD-3-Clause */
/* What pace rests on, by counting: nobody sleeps in the path of a command, and a worker carries
 * nothing that it does not need. How fast that is, and beside what, is the benchmarks' matter.
 *
 * A busy machine may take the processor away from either side at any time, and the other one then
 * has reason to sleep; so each is tried until it was seen, once. Where something waits as a rule it
 * never is. */
#include "fixture.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define INFLIGHT 64
#define TRIPS    8
#define BURST    160 /* commands, 64 in flight: what sleeps as a rule does in these */
#define ATTEMPTS 500 /* are made at least, however long they take */

static struct fixture_daemon daemon_one;
static struct fixture_host host;
static struct doca_urom_worker *worker;
static uint64_t plugin;

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    fixture_daemon_start(&daemon_one, NULL);
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_graph");
    return 0;
}

static int teardown(void **state)
{
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

/* ---- the only worker's process ---- */

static pid_t worker_pid(void)
{
    json_t *status = fixture_status();
    json_t *one = json_array_get(json_object_get(status, "workers"), 0);
    const pid_t pid = (pid_t)json_integer_value(json_object_get(one, "pid"));

    json_decref(status);
    assert_true(pid > 0);
    return pid;
}

static FILE *open_of(pid_t pid, const char *what)
{
    char path[64];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
    file = fopen(path, "re");
    assert_non_null(file);
    return file;
}

/* How often its first thread has gone to sleep. */
static unsigned long sleeps_of(pid_t pid)
{
    FILE *file = open_of(pid, "status");
    unsigned long count = 0;
    bool found = false;
    char line[256];

    while (!found && fgets(line, sizeof(line), file) != NULL)
        found = sscanf(line, "voluntary_ctxt_switches: %lu", &count) == 1;
    fclose(file);
    assert_true(found);
    return count;
}

static unsigned long own_sleeps(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    return (unsigned long)usage.ru_nvcsw;
}

static bool has_loaded(pid_t pid, const char *library)
{
    FILE *file = open_of(pid, "maps");
    bool found = false;
    char line[512];

    while (!found && fgets(line, sizeof(line), file) != NULL)
        found = strstr(line, library) != NULL;
    fclose(file);
    return found;
}

/* ---- commands ---- */

static unsigned int ended;

static void count_end(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    (void)ctx_data;
    assert_ok(doca_task_get_status(doca_urom_worker_cmd_task_as_task(task)));
    ended++;
    *(bool *)task_data.ptr = true;
}

static struct doca_urom_worker_cmd_task *tasks[INFLIGHT];
static bool idle[INFLIGHT];

static void open_tasks(void)
{
    const uint64_t loopback[2] = {0, 1};

    worker = fixture_worker(&host, 1, plugin);
    assert_ok(doca_urom_worker_set_max_inflight_tasks(worker, INFLIGHT));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    for (unsigned int i = 0; i < INFLIGHT; i++) {
        tasks[i] = fixture_task(worker, plugin, NULL);
        fixture_payload(tasks[i], loopback, sizeof(loopback));
        doca_urom_worker_cmd_task_set_cb(tasks[i], count_end);
        doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(tasks[i]),
                                (union doca_data){.ptr = &idle[i]});
        idle[i] = true;
    }
}

static void close_tasks(void)
{
    for (unsigned int i = 0; i < INFLIGHT; i++)
        assert_ok(doca_urom_worker_cmd_task_release(tasks[i]));
    fixture_worker_end(&host, worker);
}

/* The worker may be on this processor. */
static void progress(void)
{
    if (doca_pe_progress(host.pe) == 0)
        sched_yield();
}

static void round_trips(void)
{
    for (unsigned int i = 0; i < TRIPS; i++) {
        ended = 0;
        assert_ok(fixture_submit(tasks[0]));
        while (ended == 0)
            progress();
    }
}

static void burst(void)
{
    unsigned int sent = 0, i;

    for (ended = 0; ended < BURST;) {
        for (i = 0; i < INFLIGHT && sent < BURST; i++) {
            if (!idle[i])
                continue;
            idle[i] = false;
            assert_ok(fixture_submit(tasks[i]));
            sent++;
        }
        progress();
        while (doca_pe_progress(host.pe) != 0)
            ;
    }
}

/* Until neither side has gone to sleep from the beginning of one to its end. */
static void expect_no_sleep(void (*attempt)(void))
{
    const uint64_t end = fixture_now_ms() + PATIENCE;
    unsigned long of_worker, own, count = 0;
    pid_t pid;

    open_tasks();
    pid = worker_pid();
    do {
        assert_true(count < ATTEMPTS || fixture_now_ms() < end);
        round_trips(); /* it may be asleep */
        of_worker = sleeps_of(pid);
        own = own_sleeps();
        attempt();
        own = own_sleeps() - own;
        of_worker = sleeps_of(pid) - of_worker;
        count++;
    } while (own + of_worker > 0);
    print_message("attempt %lu\n", count);
    close_tasks();
}

static void nobody_sleeps_in_a_round_trip(void **state)
{
    (void)state;
    expect_no_sleep(round_trips);
}

static void nobody_sleeps_between_many_commands(void **state)
{
    (void)state;
    expect_no_sleep(burst);
}

/* ---- starts ---- */

static bool a_worker_has_loaded(const char *name, const char *library)
{
    bool loaded;

    worker = fixture_worker(&host, 2, fixture_plugin(&host, name));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    loaded = has_loaded(worker_pid(), library);
    fixture_worker_end(&host, worker);
    return loaded;
}

/* What takes most of a start. */
static void a_worker_loads_ucx_only_for_plugins_that_use_it(void **state)
{
    static const char *const without[] = {"worker_graph", "worker_rma", "worker_amo", "worker_coll",
                                          "worker_am"};

    (void)state;
    for (unsigned int i = 0; i < sizeof(without) / sizeof(without[0]); i++)
        assert_false(a_worker_has_loaded(without[i], "/libuc"));
    if (fixture_has_plugin(&host, "worker_rdmo"))
        assert_true(a_worker_has_loaded("worker_rdmo", "/libucp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_sleeps_in_a_round_trip),
        cmocka_unit_test(nobody_sleeps_between_many_commands),
        cmocka_unit_test(a_worker_loads_ucx_only_for_plugins_that_use_it),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

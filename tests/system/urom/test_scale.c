/* SPDX-License-Identifier: BSD-3-Clause */
/* Many workers, many clients, and idle ones: nothing is left of them, and nothing is used by them.
 * UROM_TEST_LONG=1 asks for the full numbers, 256 workers and 1000 clients. */
#include "fixture.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MAX 256
#define AT_ONCE     10 /* clients */

/* What sanitizers keep is not what is measured here. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

static struct fixture_daemon daemon_one;

static bool is_long(void)
{
    return getenv("UROM_TEST_LONG") != NULL;
}

static void start(void)
{
    static const char *const args[] = {"--max-workers-per-uid", "256", NULL};

    fixture_daemon_start(&daemon_one, args);
}

/* ------------------------------------------------------------------------------------------------
 * What a process has
 */

static unsigned int count_entries(const char *what)
{
    char path[64];
    unsigned int count = 0;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)daemon_one.pid, what);
    folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static unsigned int count_fds(void)
{
    return count_entries("fd");
}

/* ns on a processor, of all threads */
static unsigned long long cpu_time(pid_t pid)
{
    unsigned long long sum = 0, ns;
    char path[600];
    struct dirent *entry;
    DIR *folder;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, entry->d_name);
        file = fopen(path, "re");
        if (file == NULL)
            continue;
        if (fscanf(file, "%llu", &ns) == 1)
            sum += ns;
        fclose(file);
    }
    closedir(folder);
    return sum;
}

static pid_t parent_of(const char *process)
{
    char path[600], text[512];
    const char *behind_name;
    int parent = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%s/stat", process);
    file = fopen(path, "re");
    if (file == NULL)
        return 0; /* gone meanwhile */
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    behind_name = strrchr(text, ')');
    return behind_name != NULL && sscanf(behind_name + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Those that nobody has waited for included. */
static bool has_children(void)
{
    struct dirent *entry;
    DIR *folder = opendir("/proc");
    bool any = false;

    assert_non_null(folder);
    while (!any && (entry = readdir(folder)) != NULL)
        any = atoi(entry->d_name) > 0 && parent_of(entry->d_name) == daemon_one.pid;
    closedir(folder);
    return any;
}

static bool is_alone(void *arg)
{
    return fixture_workers() == 0 && !has_children() && count_fds() == *(unsigned int *)arg;
}

/* ------------------------------------------------------------------------------------------------
 * Cases
 */

/* In a process of its own. */
static void have_workers(unsigned int count)
{
    struct doca_urom_worker *workers[WORKERS_MAX];
    struct rlimit limit;
    struct fixture_host host;
    uint64_t plugin;

    assert_true(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    assert_true(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    fixture_host_prepare(&host);
    assert_ok(doca_urom_service_set_max_workers(host.service, WORKERS_MAX));
    assert_ok(doca_ctx_start(host.service_ctx));
    plugin = fixture_plugin(&host, "worker_graph");
    for (unsigned int i = 0; i < count; i++) {
        workers[i] = fixture_worker(&host, i, plugin);
        assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_urom_worker_as_ctx(workers[i])));
    }
    for (unsigned int i = 0; i < count; i++)
        fixture_event(host.pe);
    assert_true(fixture_workers() == count);
    for (unsigned int i = 0; i < count; i++) {
        assert_true(fixture_state(doca_urom_worker_as_ctx(workers[i])) == DOCA_CTX_STATE_RUNNING);
        fixture_loopback(&host, workers[i], plugin, i);
    }
    for (unsigned int i = 0; i < count; i++)
        fixture_worker_end(&host, workers[i]);
    fixture_host_close(&host);
}

static void be_a_client(unsigned int number)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    uint64_t plugin;

    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_graph");
    worker = fixture_worker(&host, number % 4, plugin);
    assert_true(fixture_worker_start(&host, worker) == DOCA_CTX_STATE_RUNNING);
    fixture_loopback(&host, worker, plugin, number);
    if (number % 3 == 0)
        return; /* leaves all of it to the daemon */
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

static pid_t in_child(void (*act)(unsigned int), unsigned int number)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid != 0)
        return pid;
    fixture_in_child();
    act(number);
    _exit(0); /* at once, whatever it still has */
}

static void wait_good(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void have_clients(unsigned int count)
{
    pid_t pids[AT_ONCE];

    for (unsigned int done = 0; done < count; done += AT_ONCE) {
        for (unsigned int i = 0; i < AT_ONCE; i++)
            pids[i] = in_child(be_a_client, done + i);
        for (unsigned int i = 0; i < AT_ONCE; i++)
            wait_good(pids[i]);
    }
}

static void expect_growth_below_5_percent(struct fixture_memory before)
{
    const struct fixture_memory after = fixture_memory(daemon_one.pid);

    print_message("memory of the daemon: %lu KiB, its own %lu KiB, then %lu KiB\n", before.resident,
                  before.own, after.own);
    if (!SANITIZED)
        assert_true(after.own <= before.own + before.resident / 20);
}

static void nothing_stays_of_many_workers(void **state)
{
    const unsigned int count = is_long() ? WORKERS_MAX : 12;
    struct fixture_memory memory;
    unsigned int fds;

    (void)state;
    start();
    fds = count_fds();
    wait_good(in_child(have_workers, count)); /* what is needed once */
    fixture_wait(is_alone, &fds);
    memory = fixture_memory(daemon_one.pid);
    for (unsigned int i = 0; i < 3; i++) {
        wait_good(in_child(have_workers, count));
        fixture_wait(is_alone, &fds);
    }
    expect_growth_below_5_percent(memory);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void nothing_stays_of_many_clients(void **state)
{
    const unsigned int count = is_long() ? 1000 : 30;
    struct fixture_memory memory;
    unsigned int fds;

    (void)state;
    start();
    fds = count_fds();
    have_clients(2 * AT_ONCE);
    fixture_wait(is_alone, &fds);
    memory = fixture_memory(daemon_one.pid);
    have_clients(count);
    fixture_wait(is_alone, &fds);
    expect_growth_below_5_percent(memory);
    assert_int_equal(fixture_total("clients", NULL), 2 * AT_ONCE + count);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

/* Of the daemon and all workers. */
static unsigned long long all_cpu_time(void)
{
    json_t *status = fixture_status(), *one;
    unsigned long long sum = cpu_time(daemon_one.pid);
    size_t i;

    json_array_foreach(json_object_get(status, "workers"), i, one)
    {
        sum += cpu_time((pid_t)json_integer_value(json_object_get(one, "pid")));
    }
    json_decref(status);
    return sum;
}

/* Long enough without work. */
static bool has_rested(void *arg)
{
    (void)arg;
    return fixture_counter("naps") > 1100;
}

/* Of the daemon and all workers, of a processor, within a second. */
static double use_of_processor(void)
{
    const uint64_t begin = fixture_now_ms();
    const unsigned long long before = all_cpu_time();
    double percent;

    poll(NULL, 0, 1000);
    percent = (double)(all_cpu_time() - before) / 1e4 / (double)(fixture_now_ms() - begin);
    print_message("idle: %.2f %% of a processor\n", percent);
    return percent;
}

/* Of a service with a worker whose plugin cannot say what would wake it, and one that can. A busy
 * machine may count for them what it took; one that polls uses a processor in every second. */
static void who_is_idle_uses_next_to_no_processor(void **state)
{
    struct doca_urom_worker *workers[2];
    struct fixture_host host;
    unsigned int tries = 0;

    (void)state;
    start();
    fixture_host_open(&host);
    workers[0] = fixture_worker(&host, 1, fixture_plugin(&host, "worker_test"));
    workers[1] = fixture_worker(&host, 2, fixture_plugin(&host, "worker_graph"));
    for (unsigned int i = 0; i < 2; i++)
        assert_int_equal(fixture_worker_start(&host, workers[i]), DOCA_CTX_STATE_RUNNING);
    fixture_wait(has_rested, NULL);
    while (use_of_processor() >= 10 && !SANITIZED) /* 2 % on a machine of its own */
        assert_true(++tries < 20);
    for (unsigned int i = 0; i < 2; i++)
        fixture_worker_end(&host, workers[i]);
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* The last one does not fork, and must come behind those that do. */
        cmocka_unit_test(nothing_stays_of_many_workers),
        cmocka_unit_test(nothing_stays_of_many_clients),
        cmocka_unit_test(who_is_idle_uses_next_to_no_processor),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}

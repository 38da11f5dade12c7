/* SPDX-License-Identifier: BSD-3-Clause */
/* One worker for several contexts, many workers of one service, queries by group. */
#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/test_wire.h"

static struct fixture_daemon daemon_one;

static int setup(void **state)
{
    static const char *const args[] = {"--cpuset", "0-7", NULL};

    if (fixture_group_setup(state) != 0)
        return -1;
    fixture_daemon_start(&daemon_one, args);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
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

/* ---- one process, several channels ---- */

static void contexts_with_one_id_share_a_process_and_not_a_channel(void **state)
{
    struct doca_urom_worker *first, *second;
    struct fixture_host host, other;
    struct test_who a, b;
    uint64_t plugin;

    (void)state;
    fixture_host_open(&host);
    fixture_host_open(&other);
    plugin = fixture_plugin(&host, "worker_test");
    first = fixture_worker(&host, 7, plugin);
    second = fixture_worker(&other, 7, plugin);
    assert_int_equal(fixture_worker_start(&host, first), DOCA_CTX_STATE_RUNNING);
    assert_int_equal(fixture_worker_start(&other, second), DOCA_CTX_STATE_RUNNING);
    ask_who(&host, first, plugin, &a);
    ask_who(&other, second, plugin, &b);
    assert_int_equal(a.pid, b.pid);
    assert_int_not_equal(a.dest, b.dest);
    assert_int_equal(a.client_pid, getpid());
    assert_int_equal(a.client_uid, getuid());
    assert_int_equal(a.uid, getuid());
    fixture_wait_workers(1); /* those of an earlier test may still be ending */
    fixture_worker_end(&host, first);
    ask_who(&other, second, plugin, &a); /* stays as long as one has it */
    assert_int_equal(a.pid, b.pid);
    fixture_worker_end(&other, second);
    fixture_host_close(&other);
    fixture_host_close(&host);
}

static void channel_numbers_are_never_used_again(void **state)
{
    struct doca_urom_worker *stay, *come_and_go;
    struct fixture_host host;
    struct test_who who;
    const uint64_t end = fixture_now_ms() + 20000;
    uint64_t plugin, last;

    (void)state;
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    stay = fixture_worker(&host, 7, plugin);
    assert_int_equal(fixture_worker_start(&host, stay), DOCA_CTX_STATE_RUNNING);
    ask_who(&host, stay, plugin, &who);
    last = who.dest;
    come_and_go = fixture_worker(&host, 7, plugin);
    /* A thousand times, or for as long as a busy machine can be asked to. */
    for (unsigned int i = 0; i < 1000 && (i < 100 || fixture_now_ms() < end); i++) {
        assert_int_equal(fixture_worker_start(&host, come_and_go), DOCA_CTX_STATE_RUNNING);
        if (i % 50 == 0) {
            ask_who(&host, come_and_go, plugin, &who);
            assert_true(who.dest > last);
            last = who.dest;
        }
        fixture_stop(host.pe, doca_urom_worker_as_ctx(come_and_go));
    }
    assert_ok(doca_urom_worker_destroy(come_and_go));
    fixture_worker_end(&host, stay);
    fixture_host_close(&host);
}

static void joining_with_other_wishes_fails(void **state)
{
    struct doca_urom_worker *first, *second;
    struct fixture_host host;
    uint64_t plugin, graph;
    char text[] = "A=1";
    char *const env[] = {text};
    uint32_t gid;

    (void)state;
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    graph = fixture_plugin(&host, "worker_graph");
    first = fixture_worker(&host, 8, plugin);
    assert_ok(doca_urom_worker_set_gid(first, 5));
    assert_int_equal(fixture_worker_start(&host, first), DOCA_CTX_STATE_RUNNING);
    second = fixture_worker(&host, 8, plugin | graph);
    assert_int_equal(fixture_worker_start(&host, second), DOCA_CTX_STATE_IDLE);
    assert_non_null(strstr(doca_urom_ext_worker_last_error(second), "is there with plugins"));
    assert_ok(doca_urom_worker_set_plugins(second, plugin));
    assert_ok(doca_urom_worker_set_gid(second, 6)); /* ignored */
    assert_ok(doca_urom_worker_set_env(second, env, 1));
    assert_int_equal(fixture_worker_start(&host, second), DOCA_CTX_STATE_IDLE);
    assert_non_null(strstr(doca_urom_ext_worker_last_error(second), "environment"));
    assert_ok(doca_urom_worker_destroy(second));
    second = fixture_worker(&host, 8, plugin);
    assert_ok(doca_urom_worker_set_gid(second, 6));
    assert_int_equal(fixture_worker_start(&host, second), DOCA_CTX_STATE_RUNNING);
    assert_ok(doca_urom_worker_get_gid(second, &gid));
    assert_int_equal(gid, 5);
    fixture_worker_end(&host, second);
    fixture_worker_end(&host, first);
    fixture_host_close(&host);
}

static void the_plugin_is_told_when_a_channel_closes(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *stay, *gone;
    struct fixture_result result = {0};
    struct fixture_host host;
    const struct test_cmd cmd = {TEST_CLOSED, 0};
    uint64_t plugin, closed = 0;

    (void)state;
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    stay = fixture_worker(&host, 9, plugin);
    assert_int_equal(fixture_worker_start(&host, stay), DOCA_CTX_STATE_RUNNING);
    gone = fixture_worker(&host, 9, plugin);
    assert_int_equal(fixture_worker_start(&host, gone), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&host, gone);
    task = fixture_task(stay, plugin, &result);
    fixture_payload(task, &cmd, sizeof(cmd));
    while (closed == 0) {
        assert_ok(fixture_submit(task));
        fixture_event(host.pe);
        memcpy(&closed, result.bytes, sizeof(closed));
    }
    assert_int_equal(closed, 1);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_worker_end(&host, stay);
    fixture_host_close(&host);
}

/* ---- CPUs ---- */

/* CPUs that somebody has who asks for the first and the eighth: a container may have less of them
 * than the machine. */
static int real_cpus(void)
{
    cpu_set_t before, wanted, got;

    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&wanted);
    CPU_SET(0, &wanted);
    if (sysconf(_SC_NPROCESSORS_CONF) > 7)
        CPU_SET(7, &wanted);
    sched_setaffinity(0, sizeof(wanted), &wanted);
    assert_int_equal(sched_getaffinity(0, sizeof(got), &got), 0);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    return CPU_COUNT(&got);
}

static void a_worker_has_the_real_part_of_its_cpus(void **state)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    struct test_who who;
    doca_cpu_set_t cpus;
    uint64_t plugin;

    (void)state;
    fixture_host_open(&host);
    assert_ok(doca_urom_service_get_cpuset(host.service, &cpus));
    for (int cpu = 0; cpu < 8; cpu++)
        assert_int_equal(doca_cpu_is_set(cpu, &cpus), 1);
    assert_int_equal(doca_cpu_is_set(8, &cpus), 0);
    plugin = fixture_plugin(&host, "worker_test");
    worker = fixture_worker(&host, 1, plugin);
    DOCA_CPU_ZERO(&cpus);
    DOCA_CPU_SET(0, &cpus);
    DOCA_CPU_SET(7, &cpus);
    assert_ok(doca_urom_worker_set_cpuset(worker, cpus));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    ask_who(&host, worker, plugin, &who);
    assert_int_equal(who.cpus, real_cpus());
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

/* ---- four workers on four threads ---- */

struct boot {
    pthread_t thread;
    struct doca_urom_service *service;
    uint64_t id;
    uint64_t plugin;
    atomic_bool *stop;
    atomic_int *running;
    unsigned int started; /* sum of what progress returned during the start */
    unsigned int stopped;
};

static void note(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    (void)ctx_data;
    *(doca_error_t *)task_data.ptr = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    doca_urom_worker_cmd_task_release(task);
}

/* The checks of cmocka are for its own thread only. */
#define THREAD_CHECK(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void *boot(void *arg)
{
    struct boot *self = arg;
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    doca_error_t status = DOCA_ERROR_UNKNOWN;
    enum doca_ctx_states now;
    struct doca_ctx *ctx;
    struct doca_pe *pe;
    const uint64_t loopback[2] = {0, self->id};
    char debug[] = "UCX_LOG_LEVEL=debug";
    char *const env[] = {debug};

    THREAD_CHECK(doca_pe_create(&pe) == DOCA_SUCCESS);
    THREAD_CHECK(doca_urom_worker_create(&worker) == DOCA_SUCCESS);
    THREAD_CHECK(doca_urom_worker_set_service(worker, self->service) == DOCA_SUCCESS);
    ctx = doca_urom_worker_as_ctx(worker);
    THREAD_CHECK(doca_pe_connect_ctx(pe, ctx) == DOCA_SUCCESS);
    THREAD_CHECK(doca_urom_worker_set_id(worker, self->id) == DOCA_SUCCESS);
    THREAD_CHECK(doca_urom_worker_set_gid(worker, (uint32_t)self->id % 2) == DOCA_SUCCESS);
    THREAD_CHECK(doca_urom_worker_set_env(worker, env, 1) == DOCA_SUCCESS);
    THREAD_CHECK(doca_urom_worker_set_max_inflight_tasks(worker, 2) == DOCA_SUCCESS);
    THREAD_CHECK(doca_urom_worker_set_plugins(worker, self->plugin) == DOCA_SUCCESS);
    THREAD_CHECK(doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS);
    do {
        self->started += doca_pe_progress(pe);
        THREAD_CHECK(doca_ctx_get_state(ctx, &now) == DOCA_SUCCESS);
    } while (now == DOCA_CTX_STATE_STARTING);
    THREAD_CHECK(now == DOCA_CTX_STATE_RUNNING);
    for (unsigned int i = 0; i < 100; i++) {
        THREAD_CHECK(doca_urom_worker_cmd_task_allocate_init(worker, self->plugin, &task) ==
                     DOCA_SUCCESS);
        fixture_payload(task, loopback, sizeof(loopback));
        doca_urom_worker_cmd_task_set_cb(task, note);
        doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
                                (union doca_data){.ptr = &status});
        THREAD_CHECK(fixture_submit(task) == DOCA_SUCCESS);
        while (doca_pe_progress(pe) == 0)
            ;
        THREAD_CHECK(status == DOCA_SUCCESS);
        status = DOCA_ERROR_UNKNOWN;
    }
    atomic_fetch_add(self->running, 1);
    while (!atomic_load(self->stop))
        THREAD_CHECK(doca_pe_progress(pe) == 0);
    THREAD_CHECK(doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS);
    do {
        self->stopped += doca_pe_progress(pe);
        THREAD_CHECK(doca_ctx_get_state(ctx, &now) == DOCA_SUCCESS);
    } while (now != DOCA_CTX_STATE_IDLE);
    THREAD_CHECK(doca_urom_worker_destroy(worker) == DOCA_SUCCESS);
    THREAD_CHECK(doca_pe_destroy(pe) == DOCA_SUCCESS);
    return NULL;
}

struct answer {
    unsigned int count;
    doca_error_t status;
    size_t n;
    uint64_t ids[8];
};

static void on_answer(struct doca_urom_service_get_workers_by_gid_task *task,
                      union doca_data task_data, union doca_data ctx_data)
{
    struct answer *answer = task_data.ptr;
    const uint64_t *ids = doca_urom_service_get_workers_by_gid_task_get_worker_ids(task);

    (void)ctx_data;
    answer->count++;
    answer->status = doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(task));
    answer->n = doca_urom_service_get_workers_by_gid_task_get_workers_count(task);
    assert_true(answer->n <= 8 && (answer->n == 0) == (ids == NULL));
    if (answer->n > 0)
        memcpy(answer->ids, ids, answer->n * sizeof(ids[0]));
    assert_ok(doca_urom_service_get_workers_by_gid_task_release(task));
}

static void query(struct fixture_host *host, uint32_t gid, struct answer *answer)
{
    struct doca_urom_service_get_workers_by_gid_task *task;
    struct doca_task *base;

    memset(answer, 0, sizeof(*answer));
    assert_ok(doca_urom_service_get_workers_by_gid_task_allocate_init(host->service, gid, on_answer,
                                                                      &task));
    base = doca_urom_service_get_workers_by_gid_task_as_task(task);
    assert_int_equal(doca_urom_service_get_workers_by_gid_task_get_workers_count(task), 0);
    assert_null(doca_urom_service_get_workers_by_gid_task_get_worker_ids(task));
    doca_task_set_user_data(base, (union doca_data){.ptr = answer});
    assert_ok(doca_task_submit(base));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_service_get_workers_by_gid_task_release(task));
    fixture_event(host->pe);
    assert_int_equal(answer->count, 1);
    assert_ok(answer->status);
}

/* ---- several processes ---- */

static bool all_have_joined(void *arg)
{
    json_t *list = fixture_status();
    json_t *workers = json_object_get(list, "workers"), *one = json_array_get(workers, 0);
    const bool all = json_integer_value(json_object_get(one, "channels")) == 4;

    (void)arg;
    assert_true(json_array_size(workers) <= 1);
    json_decref(list);
    return all;
}

/* A client with a channel to the worker; the first one looks for it by its group. */
static void join_worker(unsigned int number, int said)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    struct answer answer;
    struct test_who who;
    uint64_t plugin;

    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    worker = fixture_worker(&host, 55, plugin);
    assert_ok(doca_urom_worker_set_gid(worker, 3));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    ask_who(&host, worker, plugin, &who);
    if (number == 0) {
        fixture_wait(all_have_joined, NULL);
        query(&host, 3, &answer);
        assert_int_equal(answer.n, 1); /* once, however many have it */
        assert_int_equal(answer.ids[0], 55);
    }
    assert_int_equal(write(said, &who, sizeof(who)), sizeof(who));
    for (;;)
        pause();
}

static void starts_for_one_new_id_from_several_processes_make_one_worker(void **state)
{
    struct test_who seen[4];
    pid_t clients[4];
    int said[2], status;

    (void)state;
    assert_int_equal(pipe(said), 0);
    for (unsigned int i = 0; i < 4; i++) {
        clients[i] = fork();
        if (clients[i] == 0) {
            fixture_in_child();
            close(said[0]);
            join_worker(i, said[1]);
        }
    }
    close(said[1]);
    for (unsigned int i = 0; i < 4; i++) {
        assert_int_equal(read(said[0], &seen[i], sizeof(seen[i])), sizeof(seen[i]));
        for (unsigned int k = 0; k < i; k++) {
            assert_int_equal(seen[k].pid, seen[i].pid);
            assert_int_not_equal(seen[k].dest, seen[i].dest);
        }
    }
    for (unsigned int i = 0; i < 4; i++) {
        kill(clients[i], SIGKILL);
        assert_int_equal(waitpid(clients[i], &status, 0), clients[i]);
    }
    close(said[0]);
}

static void four_workers_on_four_threads_are_found_by_group(void **state)
{
    static atomic_bool stop;
    static atomic_int running;
    struct boot boots[4];
    struct fixture_host host;
    struct answer answer;

    (void)state;
    fixture_host_prepare(&host);
    assert_ok(doca_urom_service_set_max_workers(host.service, 4));
    assert_ok(doca_ctx_start(host.service_ctx));
    for (unsigned int i = 0; i < 4; i++) {
        boots[i] = (struct boot){.service = host.service,
                                 .id = i,
                                 .plugin = fixture_plugin(&host, "worker_graph"),
                                 .stop = &stop,
                                 .running = &running};
        assert_int_equal(pthread_create(&boots[i].thread, NULL, boot, &boots[i]), 0);
    }
    while (atomic_load(&running) < 4)
        assert_int_equal(doca_pe_progress(host.pe), 0);
    query(&host, 1, &answer);
    assert_int_equal(answer.n, 2);
    assert_int_equal(answer.ids[0], 1);
    assert_int_equal(answer.ids[1], 3);
    query(&host, 0, &answer);
    assert_int_equal(answer.n, 2);
    assert_int_equal(answer.ids[0], 0);
    assert_int_equal(answer.ids[1], 2);
    query(&host, 17, &answer);
    assert_int_equal(answer.n, 0);
    atomic_store(&stop, true);
    for (unsigned int i = 0; i < 4; i++) {
        pthread_join(boots[i].thread, NULL);
        assert_int_equal(boots[i].started, 1);
        assert_int_equal(boots[i].stopped, 1);
    }
    fixture_host_close(&host);
}

/* ---- queries ---- */

static void queries_are_flushed_by_a_stop_one_event_each(void **state)
{
    struct doca_urom_service_get_workers_by_gid_task *tasks[3], *idle;
    struct fixture_host host;
    struct answer answers[3];

    (void)state;
    fixture_host_open(&host);
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_service_get_workers_by_gid_task_allocate(host.service, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_service_get_workers_by_gid_task_allocate(NULL, &idle));
    assert_ok(doca_urom_service_get_workers_by_gid_task_allocate(host.service, &idle));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(idle)));
    memset(answers, 0, sizeof(answers));
    for (unsigned int i = 0; i < 3; i++) {
        assert_ok(doca_urom_service_get_workers_by_gid_task_allocate(host.service, &tasks[i]));
        doca_urom_service_get_workers_by_gid_task_set_gid(tasks[i], i);
        doca_urom_service_get_workers_by_gid_task_set_cb(tasks[i], on_answer);
        doca_task_set_user_data(doca_urom_service_get_workers_by_gid_task_as_task(tasks[i]),
                                (union doca_data){.ptr = &answers[i]});
        assert_ok(doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(tasks[i])));
    }
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(host.service_ctx));
    doca_urom_service_get_workers_by_gid_task_set_cb(idle, on_answer);
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(idle)));
    for (unsigned int i = 0; i < 3; i++) {
        fixture_event(host.pe);
        assert_int_equal(answers[i].count, 1);
        assert_doca(DOCA_ERROR_IO_FAILED, answers[i].status);
        assert_int_equal(fixture_state(host.service_ctx), DOCA_CTX_STATE_STOPPING);
    }
    fixture_no_event(host.pe, 100);
    assert_ok(doca_urom_service_get_workers_by_gid_task_release(idle));
    fixture_event(host.pe);
    assert_int_equal(fixture_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_urom_service_get_workers_by_gid_task_allocate(host.service, &idle));
    fixture_host_close(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: it forks. */
        cmocka_unit_test(starts_for_one_new_id_from_several_processes_make_one_worker),
        cmocka_unit_test(contexts_with_one_id_share_a_process_and_not_a_channel),
        cmocka_unit_test(channel_numbers_are_never_used_again),
        cmocka_unit_test(joining_with_other_wishes_fails),
        cmocka_unit_test(the_plugin_is_told_when_a_channel_closes),
        cmocka_unit_test(a_worker_has_the_real_part_of_its_cpus),
        cmocka_unit_test(four_workers_on_four_threads_are_found_by_group),
        cmocka_unit_test(queries_are_flushed_by_a_stop_one_event_each),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

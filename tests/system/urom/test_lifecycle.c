/* SPDX-License-Identifier: BSD-3-Clause */
/* States, exact codes, the order of tear-down. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fixture_daemon daemon_one;

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    fixture_daemon_start(&daemon_one, NULL);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

/* What the state callback of a context saw. */
struct seen {
    unsigned int count;
    enum doca_ctx_states next[16];
};

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
                     enum doca_ctx_states next)
{
    struct seen *seen = data.ptr;

    (void)ctx;
    (void)prev;
    assert_true(seen->count < 16);
    seen->next[seen->count++] = next;
}

static void watch(struct doca_ctx *ctx, struct seen *seen)
{
    memset(seen, 0, sizeof(*seen));
    assert_ok(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = seen}));
    assert_ok(doca_ctx_set_state_changed_cb(ctx, on_state));
}

/* ---- service ---- */

static void a_service_starts_and_stops_at_once(void **state)
{
    struct fixture_host host;
    struct seen seen;

    (void)state;
    fixture_host_prepare(&host);
    watch(host.service_ctx, &seen);
    for (unsigned int i = 1; i <= 3; i++) {
        assert_ok(doca_ctx_start(host.service_ctx));
        assert_int_equal(fixture_state(host.service_ctx), DOCA_CTX_STATE_RUNNING);
        assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(host.service_ctx));
        assert_ok(doca_ctx_stop(host.service_ctx));
        assert_int_equal(fixture_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
        assert_ok(doca_ctx_stop(host.service_ctx));
        assert_int_equal(seen.count, 3 * i);
        assert_int_equal(seen.next[3 * i - 3], DOCA_CTX_STATE_RUNNING);
        assert_int_equal(seen.next[3 * i - 1], DOCA_CTX_STATE_IDLE);
    }
    fixture_no_event(host.pe, 100);
    fixture_host_close(&host);
}

static void a_service_needs_a_device_and_an_engine(void **state)
{
    struct doca_urom_service *service;
    struct doca_pe *pe;

    (void)state;
    assert_ok(doca_urom_service_create(&service));
    assert_doca(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_urom_service_as_ctx(service)));
    assert_ok(doca_pe_create(&pe));
    assert_ok(doca_pe_connect_ctx(pe, doca_urom_service_as_ctx(service)));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(doca_urom_service_as_ctx(service)));
    assert_ok(doca_urom_service_destroy(service));
    assert_ok(doca_pe_destroy(pe));
}

static void setters_of_a_service_check_range_and_state(void **state)
{
    struct fixture_host host;
    doca_cpu_set_t cpus;
    const struct doca_urom_service_plugin_info *plugins = (void *)1;
    size_t count = 77;

    (void)state;
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_create(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_destroy(NULL));
    assert_null(doca_urom_service_as_ctx(NULL));
    fixture_host_prepare(&host);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_set_max_workers(host.service, 0));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_set_max_workers(host.service, 3));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_set_max_workers(host.service, 8192));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_set_max_workers(NULL, 1));
    assert_ok(doca_urom_service_set_max_workers(host.service, 4096));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_service_set_max_comm_msg_size(host.service, 127));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_service_set_max_comm_msg_size(host.service, (1 << 20) + 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_set_max_comm_msg_size(NULL, 128));
    assert_ok(doca_urom_service_set_max_comm_msg_size(host.service, 128));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_set_dev(host.service, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_set_dev(NULL, host.dev));
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_urom_service_get_plugins_list(host.service, &plugins, &count));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_service_get_cpuset(host.service, &cpus));
    assert_int_equal(count, 77);
    assert_ok(doca_ctx_start(host.service_ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_service_set_max_workers(host.service, 1));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_service_set_max_comm_msg_size(host.service, 256));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_service_set_dev(host.service, host.dev));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_service_get_plugins_list(host.service, NULL, &count));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_service_get_plugins_list(host.service, &plugins, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_service_get_cpuset(host.service, NULL));
    assert_ok(doca_urom_service_get_cpuset(host.service, &cpus));
    fixture_host_close(&host);
}

static void the_list_of_plugins_stays_where_it_is(void **state)
{
    const struct doca_urom_service_plugin_info *first, *second;
    struct fixture_host host;
    size_t count, again;

    (void)state;
    fixture_host_open(&host);
    assert_ok(doca_urom_service_get_plugins_list(host.service, &first, &count));
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(first[i].id & (first[i].id - 1), 0);
        assert_true(first[i].id != 0);
        assert_true(i == 0 || first[i].id > first[i - 1].id);
    }
    assert_ok(doca_urom_service_get_plugins_list(host.service, &second, &again));
    assert_ptr_equal(first, second);
    assert_int_equal(count, again);
    fixture_host_close(&host);
}

static void messages_above_the_daemons_limit_are_an_invalid_value(void **state)
{
    struct fixture_host host;

    (void)state;
    fixture_host_prepare(&host);
    assert_ok(doca_urom_service_set_max_comm_msg_size(host.service, 4097));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(host.service_ctx));
    assert_non_null(strstr(opendoca_last_error(), "4097"));
    assert_non_null(strstr(opendoca_last_error(), "4096"));
    assert_int_equal(fixture_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
    assert_ok(doca_urom_service_set_max_comm_msg_size(host.service, 4096));
    assert_ok(doca_ctx_start(host.service_ctx));
    fixture_host_close(&host);
}

/* ---- worker ---- */

static void a_worker_starts_and_stops_through_progress(void **state)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    struct doca_ctx *ctx;
    struct seen seen;
    uint64_t id;

    (void)state;
    fixture_host_open(&host);
    worker = fixture_worker(&host, 3, fixture_plugin(&host, "worker_graph"));
    ctx = doca_urom_worker_as_ctx(worker);
    watch(ctx, &seen);
    for (unsigned int round = 0; round < 3; round++) {
        seen.count = 0;
        assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
        assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STARTING);
        assert_int_equal(seen.count, 1);
        assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(ctx));
        fixture_event(host.pe);
        assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_RUNNING);
        assert_int_equal(seen.count, 2);
        fixture_no_event(host.pe, 100);
        assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
        assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
        assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STOPPING);
        assert_int_equal(seen.count, 3);
        fixture_event(host.pe);
        assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
        assert_int_equal(seen.count, 4);
        assert_ok(doca_ctx_stop(ctx));
        assert_ok(doca_urom_worker_get_id(worker, &id));
        assert_int_equal(id, 3);
    }
    assert_ok(doca_urom_worker_destroy(worker));
    fixture_host_close(&host);
}

/* Where the kernel shares processors out to sessions, threads of two sessions cannot give their
 * turn to each other. Signals of the service's terminal are not for its workers all the same. */
static void a_worker_is_of_the_services_session_and_of_its_own_group(void **state)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    json_t *status;
    pid_t pid;

    (void)state;
    fixture_host_open(&host);
    worker = fixture_worker(&host, 3, fixture_plugin(&host, "worker_graph"));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_urom_worker_as_ctx(worker)));
    fixture_event(host.pe);
    status = fixture_status();
    pid = (pid_t)json_integer_value(
        json_object_get(json_array_get(json_object_get(status, "workers"), 0), "pid"));
    json_decref(status);
    assert_true(pid > 0);
    assert_int_equal(getsid(pid), getsid(daemon_one.pid));
    assert_int_equal(getpgid(pid), pid);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(doca_urom_worker_as_ctx(worker)));
    fixture_event(host.pe);
    assert_ok(doca_urom_worker_destroy(worker));
    fixture_host_close(&host);
}

static void a_start_can_be_taken_back(void **state)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    struct doca_ctx *ctx;

    (void)state;
    fixture_host_open(&host);
    worker = fixture_worker(&host, 3, fixture_plugin(&host, "worker_graph"));
    ctx = doca_urom_worker_as_ctx(worker);
    for (unsigned int calls = 0; calls < 20; calls++) {
        assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
        for (unsigned int i = 0; i < calls; i++)
            doca_pe_progress(host.pe);
        fixture_stop(host.pe, ctx);
    }
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

static void a_worker_checks_its_configuration_at_start(void **state)
{
    struct doca_urom_worker *worker;
    struct fixture_host host, other;
    struct doca_ctx *ctx;
    doca_cpu_set_t cpus;

    (void)state;
    fixture_host_open(&host);
    fixture_host_prepare(&other);
    assert_ok(doca_urom_worker_create(&worker));
    ctx = doca_urom_worker_as_ctx(worker);
    assert_doca(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(ctx));
    assert_ok(doca_pe_connect_ctx(host.pe, ctx));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(ctx));
    assert_ok(doca_urom_worker_set_service(worker, other.service));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(ctx));
    assert_ok(doca_urom_worker_set_plugins(worker, 1ull << 50)); /* cannot be known yet */
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(ctx));
    assert_ok(doca_urom_worker_set_service(worker, host.service));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(ctx));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_urom_worker_set_plugins(worker, 1ull << 50));
    assert_ok(doca_urom_worker_set_plugins(worker, fixture_plugin(&host, "worker_graph")));
    DOCA_CPU_ZERO(&cpus);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_cpuset(worker, cpus));
    DOCA_CPU_SET(1000, &cpus);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_cpuset(worker, cpus));
    assert_ok(doca_urom_worker_set_service(worker, other.service));
    assert_ok(doca_urom_worker_set_cpuset(worker, cpus)); /* cannot be known yet */
    assert_ok(doca_urom_worker_set_service(worker, host.service));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(ctx));
    assert_ok(doca_urom_service_get_cpuset(host.service, &cpus));
    assert_ok(doca_urom_worker_set_cpuset(worker, cpus));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&host, worker);
    fixture_host_close(&other);
    fixture_host_close(&host);
}

static void setters_of_a_worker_check_range_and_state(void **state)
{
    char good[] = "A=1", none[] = "A", unnamed[] = "=1";
    char *env[] = {good, none}, *bad[] = {unnamed}, *null[] = {NULL}, *one[] = {good};
    struct doca_urom_worker *worker;
    struct fixture_host host;
    uint64_t id = 1;
    uint32_t gid = 1;

    (void)state;
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_create(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_destroy(NULL));
    assert_null(doca_urom_worker_as_ctx(NULL));
    fixture_host_open(&host);
    worker = fixture_worker(&host, 12, fixture_plugin(&host, "worker_graph"));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_max_inflight_tasks(worker, 0));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_max_inflight_tasks(worker, 65537));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_plugins(worker, 0));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_service(worker, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_env(worker, NULL, 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_env(worker, env, 0));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_env(worker, env, 2));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_env(worker, bad, 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_set_env(worker, null, 1));
    assert_ok(doca_urom_worker_get_id(worker, &id));
    assert_int_equal(id, 12);
    assert_ok(doca_urom_worker_get_gid(worker, &gid));
    assert_int_equal(gid, UINT32_MAX);
    assert_ok(doca_urom_worker_set_gid(worker, 0));
    assert_ok(doca_urom_worker_get_gid(worker, &gid));
    assert_int_equal(gid, 0);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_get_id(worker, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_worker_get_gid(worker, NULL));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_worker_set_id(worker, 1));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_worker_set_gid(worker, 1));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_worker_set_plugins(worker, 1));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_worker_set_max_inflight_tasks(worker, 1));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_worker_set_env(worker, one, 1));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_worker_set_service(worker, host.service));
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

static void the_service_limits_its_workers(void **state)
{
    struct doca_urom_worker *workers[3];
    struct fixture_host host;
    uint64_t plugin;

    (void)state;
    fixture_host_prepare(&host);
    assert_ok(doca_urom_service_set_max_workers(host.service, 2));
    assert_ok(doca_ctx_start(host.service_ctx));
    plugin = fixture_plugin(&host, "worker_graph");
    for (unsigned int i = 0; i < 3; i++)
        workers[i] = fixture_worker(&host, i, plugin);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_urom_worker_as_ctx(workers[0])));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_urom_worker_as_ctx(workers[1])));
    assert_doca(DOCA_ERROR_FULL, doca_ctx_start(doca_urom_worker_as_ctx(workers[2])));
    fixture_worker_end(&host, workers[0]);
    while (fixture_state(doca_urom_worker_as_ctx(workers[1])) == DOCA_CTX_STATE_STARTING)
        fixture_event(host.pe);
    assert_int_equal(fixture_worker_start(&host, workers[2]), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&host, workers[1]);
    fixture_worker_end(&host, workers[2]);
    fixture_host_close(&host);
}

static void automatic_ids_are_new_ones(void **state)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    uint64_t ids[3];

    (void)state;
    fixture_host_open(&host);
    worker = fixture_worker(&host, DOCA_UROM_WORKER_ID_ANY, fixture_plugin(&host, "worker_graph"));
    for (unsigned int i = 0; i < 3; i++) {
        assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
        assert_ok(doca_urom_worker_get_id(worker, &ids[i]));
        assert_true(ids[i] >> 63 == 1 && ids[i] != DOCA_UROM_WORKER_ID_ANY);
        assert_true(i == 0 || ids[i] != ids[i - 1]);
        fixture_stop(host.pe, doca_urom_worker_as_ctx(worker));
    }
    assert_int_not_equal(ids[0], ids[2]);
    assert_ok(doca_urom_worker_destroy(worker));
    fixture_host_close(&host);
}

/* ---- tear-down ---- */

static void tear_down_in_the_wrong_order_is_refused(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    struct fixture_result result;
    struct fixture_host host;
    struct doca_ctx *ctx;
    uint64_t plugin;

    (void)state;
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_graph");
    worker = fixture_worker(&host, 1, plugin);
    ctx = doca_urom_worker_as_ctx(worker);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_service_destroy(host.service));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
    assert_doca(DOCA_ERROR_IN_USE, doca_urom_worker_destroy(worker)); /* STARTING */
    assert_doca(DOCA_ERROR_IN_USE, doca_ctx_stop(host.service_ctx));
    fixture_event(host.pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_RUNNING);
    assert_doca(DOCA_ERROR_IN_USE, doca_ctx_stop(host.service_ctx));
    assert_int_equal(fixture_state(host.service_ctx), DOCA_CTX_STATE_RUNNING);
    assert_doca(DOCA_ERROR_IN_USE, doca_urom_worker_destroy(worker));
    assert_doca(DOCA_ERROR_IN_USE, doca_pe_destroy(host.pe));
    assert_doca(DOCA_ERROR_IN_USE, doca_dev_close(host.dev));
    task = fixture_task(worker, plugin, &result);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, fixture_submit(task));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_worker_cmd_task_allocate(worker, &task));
    assert_doca(DOCA_ERROR_IN_USE, doca_urom_worker_destroy(worker)); /* STOPPING */
    assert_doca(DOCA_ERROR_IN_USE, doca_ctx_stop(host.service_ctx));
    fixture_no_event(host.pe, 1000); /* the task keeps it */
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STOPPING);
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_event(host.pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_IDLE);
    assert_ok(doca_ctx_stop(host.service_ctx));
    assert_doca(DOCA_ERROR_IN_USE, doca_urom_service_destroy(host.service));
    assert_ok(doca_urom_worker_destroy(worker));
    fixture_host_close(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_service_starts_and_stops_at_once),
        cmocka_unit_test(a_service_needs_a_device_and_an_engine),
        cmocka_unit_test(setters_of_a_service_check_range_and_state),
        cmocka_unit_test(the_list_of_plugins_stays_where_it_is),
        cmocka_unit_test(messages_above_the_daemons_limit_are_an_invalid_value),
        cmocka_unit_test(a_worker_starts_and_stops_through_progress),
        cmocka_unit_test(a_worker_is_of_the_services_session_and_of_its_own_group),
        cmocka_unit_test(a_start_can_be_taken_back),
        cmocka_unit_test(a_worker_checks_its_configuration_at_start),
        cmocka_unit_test(setters_of_a_worker_check_range_and_state),
        cmocka_unit_test(the_service_limits_its_workers),
        cmocka_unit_test(automatic_ids_are_new_ones),
        cmocka_unit_test(tear_down_in_the_wrong_order_is_refused),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

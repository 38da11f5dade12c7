/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked flavour: pointers to what was destroyed, or to something else, are refused. This test
 * is linked with that flavour. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_urom.h>
#include <doca_urom_ext.h>

/* The compiler may not reason about pointers whose object is gone. */
#define keep(pointer) __asm__ volatile("" : "+r"(pointer))

#define assert_ok(call)      assert_int_equal(call, DOCA_SUCCESS)
#define assert_refused(call) assert_int_equal(call, DOCA_ERROR_INVALID_VALUE)

static void service_is_gone(void **state)
{
    const struct doca_urom_service_plugin_info *plugins;
    struct doca_urom_service *service;
    struct doca_urom_worker *worker;
    struct doca_ctx *ctx;
    size_t num;

    (void)state;
    assert_ok(doca_urom_service_create(&service));
    ctx = doca_urom_service_as_ctx(service);
    assert_ok(doca_urom_service_destroy(service));
    keep(service);
    assert_refused(doca_urom_service_destroy(service));
    assert_refused(doca_urom_service_set_max_comm_msg_size(service, 4096));
    assert_refused(doca_urom_service_set_max_workers(service, 1));
    assert_refused(doca_urom_service_set_dev(service, NULL));
    assert_refused(doca_urom_service_get_plugins_list(service, &plugins, &num));
    assert_refused(doca_ctx_start(ctx));
    assert_ok(doca_urom_worker_create(&worker));
    assert_refused(doca_urom_worker_set_service(worker, service));
    /* A worker is no service. */
    assert_refused(doca_urom_worker_set_service(worker, (struct doca_urom_service *)worker));
    assert_refused(doca_urom_service_destroy((struct doca_urom_service *)worker));
    assert_ok(doca_urom_worker_destroy(worker));
}

static void worker_is_gone(void **state)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    struct doca_urom_domain *domain;
    uint64_t id = 7;

    (void)state;
    assert_ok(doca_urom_worker_create(&worker));
    assert_ok(doca_urom_worker_destroy(worker));
    keep(worker);
    assert_refused(doca_urom_worker_destroy(worker));
    assert_refused(doca_urom_worker_set_id(worker, 1));
    assert_refused(doca_urom_worker_set_plugins(worker, 1));
    assert_refused(doca_urom_worker_set_gid(worker, 1));
    assert_refused(doca_urom_worker_set_max_inflight_tasks(worker, 1));
    assert_refused(doca_urom_worker_get_id(worker, &id));
    assert_refused(doca_urom_worker_cmd_task_allocate(worker, &task));
    assert_ok(doca_urom_domain_create(&domain));
    assert_refused(doca_urom_domain_set_workers(domain, &id, &worker, 1));
    assert_ok(doca_urom_domain_destroy(domain));
}

static void domain_is_gone(void **state)
{
    struct doca_urom_domain *domain;

    (void)state;
    assert_ok(doca_urom_domain_create(&domain));
    assert_ok(doca_urom_domain_destroy(domain));
    keep(domain);
    assert_refused(doca_urom_domain_destroy(domain));
    assert_refused(doca_urom_domain_set_buffers_count(domain, 1));
    assert_refused(doca_urom_domain_set_oob(domain, NULL));
    assert_refused(doca_urom_domain_set_workers(domain, NULL, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(service_is_gone),
        cmocka_unit_test(worker_is_gone),
        cmocka_unit_test(domain_is_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

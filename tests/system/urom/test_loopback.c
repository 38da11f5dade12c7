/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands travel to a plugin and back, and are counted where they are executed. */
#include "fixture.h"

#include <string.h>

static void a_command_comes_back_and_the_worker_has_counted_it(void **state)
{
    struct fixture_daemon daemon = {0};
    struct fixture_host host;
    struct doca_urom_worker *worker;
    uint64_t plugin, id;

    (void)state;
    fixture_daemon_start(&daemon, NULL);
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_graph");
    worker = fixture_worker(&host, 5, plugin);
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    assert_ok(doca_urom_worker_get_id(worker, &id));
    assert_int_equal(id, 5);
    for (uint64_t i = 0; i < 100; i++)
        fixture_loopback(&host, worker, plugin, 1000 + i);
    assert_int_equal(fixture_counter("received"), 100);
    assert_int_equal(fixture_counter("handed"), 100);
    assert_int_equal(fixture_counter("ok"), 100);
    assert_int_equal(fixture_counter("failed"), 0);
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_comes_back_and_the_worker_has_counted_it),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}

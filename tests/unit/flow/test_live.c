/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked flavour: ports, pipes and entries that ended are refused. This test is linked with
 * that flavour. */
#include "lib/flow_fixture.h"

/* The compiler may not reason about pointers whose object is gone. */
#define keep(pointer) __asm__ volatile("" : "+r"(pointer))

#define assert_refused(call) assert_doca(DOCA_ERROR_INVALID_VALUE, call)

static void open_one(void)
{
    memset(&s, 0, sizeof(s));
    eth_fix_open(&s.fix, MEM);
    open_flow("vnf", 1, NULL);
}

static void close_one(void)
{
    doca_flow_destroy();
    eth_fix_close(&s.fix);
}

static void entries_that_ended_are_refused(void **state)
{
    struct doca_flow_resource_query query;
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_pipe *pipe;

    (void)state;
    open_one();
    pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &dropped, NULL);
    entry = add_basic(pipe, NULL);
    assert_ok(doca_flow_pipe_remove_entry(0, 0, entry));
    process();
    keep(entry);
    assert_refused(doca_flow_pipe_remove_entry(0, 0, entry));
    assert_refused(doca_flow_resource_query_entry(entry, &query));
    assert_refused(doca_flow_pipe_basic_update_entry(0, pipe, 0, NULL, NULL, NULL, 0, entry));
    assert_int_equal(doca_flow_pipe_entry_get_status(entry), DOCA_FLOW_ENTRY_STATUS_ERROR);
    entry = add_basic(pipe, NULL);
    doca_flow_pipe_destroy(pipe);
    keep(entry);
    keep(pipe);
    assert_refused(doca_flow_pipe_remove_entry(0, 0, entry));
    assert_refused(
        doca_flow_pipe_basic_add_entry(0, pipe, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL));
    doca_flow_pipe_destroy(pipe);
    close_one();
}

static void ports_and_their_pipes_end_together(void **state)
{
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_PIPE};
    struct doca_flow_resource_query query;
    struct doca_flow_pipe_cfg *cfg, *other;
    struct doca_flow_pipe *pipe;

    (void)state;
    open_one();
    fwd.next_pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, false, NULL, &dropped, NULL);
    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    assert_ok(doca_flow_port_stop(s.port));
    keep(s.port);
    keep(fwd.next_pipe);
    assert_refused(doca_flow_port_stop(s.port));
    assert_refused(doca_flow_entries_process(s.port, 0, 0, 0));
    assert_refused(doca_flow_pipe_cfg_create(&other, s.port));
    assert_refused(doca_flow_pipe_create(cfg, &dropped, NULL, &pipe));
    assert_refused(doca_flow_resource_query_pipe_miss(fwd.next_pipe, &query));
    doca_flow_pipe_destroy(fwd.next_pipe);
    doca_flow_port_pipes_flush(s.port);
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    s.port = start_port(0, s.fix.b);
    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    assert_refused(doca_flow_pipe_create(cfg, &fwd, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    close_one();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_that_ended_are_refused),
        cmocka_unit_test(ports_and_their_pipes_end_together),
    };
    int rc = eth_wire_up("loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow: calls that are refused, what callbacks may do, rules that overlap, changes under traffic.
 */
#include "lib/flow_fixture.h"
#include "lib/refusal.h"

#include <malloc.h>
#include <pthread.h>

/* ---- settings ---- */

static void settings_have_ranges(void **state)
{
    static const uint8_t key[41];
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_target *target;
    struct doca_flow_port *port;
    struct doca_flow_cfg *cfg;

    (void)state;
    memset(&s, 0, sizeof(s));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_create(NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_destroy(NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_init(NULL));
    refused(DOCA_ERROR_BAD_STATE, doca_flow_get_target(DOCA_FLOW_TARGET_KERNEL, &target));
    assert_ok(doca_flow_cfg_create(&cfg));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_init(cfg)); /* no mode */
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_pipe_queues(cfg, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_queue_depth(cfg, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_nr_counters(cfg, UINT32_MAX));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_cfg_set_nr_meters(cfg, 1));
    refused(DOCA_ERROR_NOT_SUPPORTED,
            doca_flow_cfg_set_nr_shared_resource(cfg, 1, DOCA_FLOW_SHARED_RESOURCE_METER));
    assert_ok(doca_flow_cfg_set_nr_shared_resource(cfg, 0, DOCA_FLOW_SHARED_RESOURCE_METER));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_mode_args(cfg, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_mode_args(cfg, ""));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_mode_args(cfg, "vnf,"));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_rss_key(cfg, NULL, 40));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_rss_key(cfg, key, 41));
    assert_ok(doca_flow_cfg_destroy(cfg));
    assert_ok(doca_flow_port_cfg_create(&port_cfg));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_port_cfg_create(NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_port_cfg_set_dev(port_cfg, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_port_cfg_set_port_id(NULL, 0));
    refused(DOCA_ERROR_BAD_STATE, doca_flow_port_start(port_cfg, &port));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_port_start(NULL, &port));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_port_stop(NULL));
    assert_ok(doca_flow_port_cfg_destroy(port_cfg));
    doca_flow_destroy();
}

static void pipes_have_rules(void **state)
{
    struct doca_flow_actions action = {.meta = {.pkt_meta = 1}}, *nine[9];
    const struct doca_flow_fwd open = {.type = DOCA_FLOW_FWD_CHANGEABLE};
    const struct doca_flow_fwd list = {.type = DOCA_FLOW_FWD_ORDERED_LIST_PIPE};
    const struct doca_flow_fwd hash = {.type = DOCA_FLOW_FWD_HASH_PIPE};
    const struct doca_flow_fwd nowhere = {.type = DOCA_FLOW_FWD_PIPE};
    const struct doca_flow_fwd far = {.type = DOCA_FLOW_FWD_PORT, .port_id = 99};
    const struct doca_flow_fwd target = {.type = DOCA_FLOW_FWD_TARGET};
    const struct doca_flow_monitor meter = {.meter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_match match = {.outer = {.l3_type = (enum doca_flow_l3_type)7}};
    struct doca_flow_fwd many = {.type = DOCA_FLOW_FWD_RSS};
    uint16_t ids[65] = {0};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;

    (void)state;
    open_all(1);
    for (uint32_t i = 0; i < 9; i++)
        nine[i] = &action;
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_cfg_create(&cfg, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_cfg_create(NULL, s.port));
    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_cfg_set_name(cfg, NULL));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_cfg_set_type(cfg, (enum doca_flow_pipe_type)99));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_cfg_set_domain(cfg, (enum doca_flow_pipe_domain)99));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_cfg_set_nr_entries(cfg, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_cfg_set_monitor(cfg, NULL));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_cfg_set_monitor(cfg, &meter));
    refused(DOCA_ERROR_TOO_BIG, doca_flow_pipe_cfg_set_actions(cfg, nine, NULL, NULL, 9));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_cfg_set_actions(cfg, NULL, NULL, NULL, 1));
    nine[1] = NULL;
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_cfg_set_actions(cfg, nine, NULL, NULL, 2));
    assert_ok(doca_flow_pipe_cfg_set_actions(cfg, NULL, NULL, NULL, 0));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_cfg_set_is_resizable(cfg, true));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(NULL, &dropped, NULL, &pipe));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(cfg, &dropped, NULL, NULL));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &dropped, &open, &pipe));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &dropped, &far, &pipe));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &list, NULL, &pipe));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &hash, NULL, &pipe));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(cfg, &nowhere, NULL, &pipe));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(cfg, &far, NULL, &pipe));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(cfg, &target, NULL, &pipe));
    many.rss = (struct doca_flow_resource_rss_cfg){.queues_array = ids, .nr_queues = 65};
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(cfg, &many, NULL, &pipe));
    many.rss.nr_queues = -1;
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(cfg, &many, NULL, &pipe));
    many.rss.nr_queues = 1;
    many.rss_type = DOCA_FLOW_RESOURCE_TYPE_SHARED;
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &many, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_set_match(cfg, &match, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(cfg, &dropped, NULL, &pipe));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_cfg_destroy(NULL));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    doca_flow_pipe_destroy(NULL);
    doca_flow_port_pipes_flush(NULL);
    close_all();
}

/* ---- entries ---- */

static void entries_have_rules(void **state)
{
    const struct doca_flow_match open = {.outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                   .udp = {.l4_port = {.dst_port = UINT16_MAX}}}};
    const struct doca_flow_match one = {.outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                  .udp = {.l4_port = {.dst_port = htons(1)}}}};
    struct doca_flow_resource_query query;
    struct doca_flow_pipe_entry *entry, *other;
    struct doca_flow_pipe *basic, *control;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    basic = make_pipe(DOCA_FLOW_PIPE_BASIC, true, &open, &fwd, NULL);
    control = make_pipe(DOCA_FLOW_PIPE_CONTROL, false, NULL, NULL, NULL);
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_basic_add_entry(0, NULL, &one, 0, NULL, NULL, NULL, 0, NULL, &entry));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_basic_add_entry(0, basic, NULL, 0, NULL, NULL, NULL, 0, NULL, &entry));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_basic_add_entry(1, basic, &one, 0, NULL, NULL, NULL, 0, NULL, &entry));
    refused(DOCA_ERROR_BAD_STATE,
            doca_flow_pipe_basic_add_entry(0, control, &one, 0, NULL, NULL, &fwd, 0, NULL, &entry));
    refused(DOCA_ERROR_BAD_STATE,
            doca_flow_pipe_control_add_entry(0, basic, &one, NULL, NULL, NULL, NULL, NULL, NULL, 0,
                                             &fwd, NULL, &entry));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_control_add_entry(0, control, &one, NULL, NULL, NULL, NULL, NULL, NULL,
                                             0, NULL, NULL, &entry));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_control_add_entry(0, control, &one, NULL, NULL, NULL, NULL, NULL, NULL,
                                             65536, &fwd, NULL, &entry));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_entries_process(NULL, 0, 0, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_entries_process(s.port, 1, 0, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_remove_entry(0, 0, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_resource_query_entry(NULL, &query));
    assert_int_equal(doca_flow_pipe_entry_get_status(NULL), DOCA_FLOW_ENTRY_STATUS_ERROR);

    entry = add_basic(basic, &one);
    other = add_control(control, NULL, NULL, 0, &fwd);
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_resource_query_entry(entry, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_remove_entry(1, 0, entry));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_basic_update_entry(0, basic, 0, NULL, NULL, NULL, 0, other));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_flow_pipe_basic_update_entry(0, basic, 0, NULL, NULL, NULL, 0, NULL));
    assert_ok(doca_flow_pipe_remove_entry(0, 0, entry));
    refused(DOCA_ERROR_BAD_STATE, doca_flow_pipe_remove_entry(0, 0, entry));
    refused(DOCA_ERROR_BAD_STATE,
            doca_flow_pipe_basic_update_entry(0, basic, 0, NULL, NULL, NULL, 0, entry));
    process();
    assert_int_equal(s.reported[DOCA_FLOW_ENTRY_OP_DEL], 1);
    assert_int_equal(s.reported[DOCA_FLOW_ENTRY_OP_UPD], 0);
    doca_flow_pipe_destroy(control);
    close_all();
}

static void counters_are_a_budget(void **state)
{
    const struct doca_flow_monitor counted = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_resource_query query;
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_pipe_cfg *pipe_cfg;
    struct doca_flow_pipe *pipe;
    struct doca_flow_cfg *cfg;

    (void)state;
    memset(&s, 0, sizeof(s));
    eth_fix_open(&s.fix, MEM);
    assert_ok(doca_flow_cfg_create(&cfg));
    assert_ok(doca_flow_cfg_set_mode_args(cfg, "vnf"));
    assert_ok(doca_flow_cfg_set_nr_counters(cfg, 1));
    assert_ok(doca_flow_init(cfg));
    assert_ok(doca_flow_cfg_destroy(cfg));
    s.port = start_port(0, s.fix.b);
    assert_ok(doca_flow_pipe_cfg_create(&pipe_cfg, s.port));
    assert_ok(doca_flow_pipe_cfg_set_type(pipe_cfg, DOCA_FLOW_PIPE_CONTROL));
    assert_ok(doca_flow_pipe_create(pipe_cfg, NULL, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(pipe_cfg));
    assert_ok(doca_flow_pipe_control_add_entry(0, pipe, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0,
                                               &dropped, NULL, &entry));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_resource_query_entry(entry, &query));
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_flow_resource_query_pipe_miss(pipe, &query));
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(doca_flow_pipe_control_add_entry(0, pipe, NULL, NULL, NULL, NULL, NULL, NULL,
                                                   &counted, 0, &dropped, NULL, &entry));
        refused(DOCA_ERROR_NO_MEMORY,
                doca_flow_pipe_control_add_entry(0, pipe, NULL, NULL, NULL, NULL, NULL, NULL,
                                                 &counted, 0, &dropped, NULL, NULL));
        assert_ok(doca_flow_pipe_remove_entry(0, 0, entry));
        process();
    }
    assert_ok(doca_flow_port_stop(s.port));
    doca_flow_destroy();
    eth_fix_close(&s.fix);
}

/* ---- callbacks ---- */

static struct {
    struct doca_flow_pipe *pipe;
    struct doca_flow_fwd fwd;
    uint32_t adds_left, reported, deleted;
    bool removes, destroys, processes, stops;
    doca_error_t answer;
} cb;

static void on_report(struct doca_flow_pipe_entry *entry, uint16_t queue,
                      enum doca_flow_entry_status status, enum doca_flow_entry_op op, void *ctx)
{
    (void)status;
    (void)ctx;
    cb.reported++;
    cb.deleted += op == DOCA_FLOW_ENTRY_OP_DEL ? 1 : 0;
    for (uint32_t i = 0; i < 3 && cb.adds_left > 0; i++, cb.adds_left--)
        assert_ok(doca_flow_pipe_control_add_entry(queue, cb.pipe, NULL, NULL, NULL, NULL, NULL,
                                                   NULL, NULL, 0, &dropped, NULL, NULL));
    if (cb.removes && op == DOCA_FLOW_ENTRY_OP_ADD)
        assert_ok(doca_flow_pipe_remove_entry(queue, 0, entry));
    if (cb.processes)
        cb.answer = doca_flow_entries_process(s.port, queue, 0, 0);
    if (cb.stops) {
        cb.answer = doca_flow_port_stop(s.port);
        doca_flow_destroy();
    }
    if (cb.destroys)
        doca_flow_pipe_destroy(cb.pipe);
}

static void open_reporting(uint32_t depth)
{
    struct doca_flow_cfg *cfg;

    memset(&s, 0, sizeof(s));
    memset(&cb, 0, sizeof(cb));
    eth_fix_open(&s.fix, MEM);
    assert_ok(doca_flow_cfg_create(&cfg));
    assert_ok(doca_flow_cfg_set_mode_args(cfg, "vnf"));
    assert_ok(doca_flow_cfg_set_queue_depth(cfg, depth));
    assert_ok(doca_flow_cfg_set_nr_counters(cfg, 1024));
    assert_ok(doca_flow_cfg_set_cb_entry_process(cfg, on_report));
    assert_ok(doca_flow_init(cfg));
    assert_ok(doca_flow_cfg_destroy(cfg));
    s.port = start_port(0, s.fix.b);
    cb.pipe = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
}

static void close_reporting(void)
{
    assert_ok(doca_flow_port_stop(s.port));
    doca_flow_destroy();
    eth_fix_close(&s.fix);
}

static struct doca_flow_pipe_entry *add_unreported(void)
{
    struct doca_flow_pipe_entry *entry;

    assert_ok(doca_flow_pipe_control_add_entry(0, cb.pipe, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                               0, &dropped, NULL, &entry));
    return entry;
}

/* More than the queue is deep, from inside its reports. */
static void callbacks_add_and_remove_entries(void **state)
{
    (void)state;
    open_reporting(4);
    for (uint32_t i = 0; i < 4; i++)
        add_unreported();
    assert_int_equal(cb.reported, 0);
    cb.adds_left = 50;
    cb.removes = true;
    for (uint32_t i = 0; i < 200 && cb.deleted < 54; i++)
        process();
    assert_int_equal(cb.deleted, 54);
    assert_int_equal(cb.reported, 108);
    close_reporting();
}

static void a_callback_cannot_process_its_queue_or_stop_its_port(void **state)
{
    (void)state;
    open_reporting(16);
    add_unreported();
    add_unreported();
    cb.processes = true;
    process();
    assert_int_equal(cb.answer, DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(cb.reported, 2);
    cb.processes = false;
    cb.stops = true;
    add_unreported();
    process();
    assert_int_equal(cb.answer, DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(cb.reported, 3);
    close_reporting();
}

/* With entries that wait for their report, the one that is being reported among them. */
static void a_callback_destroys_the_pipe(void **state)
{
    struct doca_flow_pipe_entry *entry;

    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        open_reporting(16);
        entry = add_unreported();
        add_unreported();
        add_unreported();
        if (round == 1)
            assert_ok(doca_flow_pipe_remove_entry(0, 0, entry));
        cb.destroys = true;
        process();
        assert_int_equal(cb.reported, 1);
        process();
        assert_int_equal(cb.reported, 1);
        close_reporting();
    }
}

/* ---- memory of pipes that ended ---- */

#define LARGE 65536u /* entries: half a megabyte */

static struct doca_flow_pipe *make_large_pipe(const struct doca_flow_fwd *miss)
{
    const struct doca_flow_match open = {.outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                   .udp = {.l4_port = {.dst_port = UINT16_MAX}}}};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;

    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    assert_ok(doca_flow_pipe_cfg_set_match(cfg, &open, NULL));
    assert_ok(doca_flow_pipe_cfg_set_nr_entries(cfg, LARGE));
    assert_ok(doca_flow_pipe_create(cfg, NULL, miss, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    return pipe;
}

static size_t bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2(); /* zeros with a sanitizer, which looks for leaks itself */

    return info.uordblks + info.hblkhd;
}

/* Two large pipes that lead to each other, and a rule of the root that leads to the first one. */
static void make_and_end_pipes(struct doca_flow_pipe *root, uint16_t *id)
{
    const struct doca_flow_match one = {.outer = {.udp = {.l4_port = {.dst_port = htons(1)}}}};
    struct doca_flow_fwd fwd = to_queue(id), on;
    struct doca_flow_pipe *first, *second;
    struct doca_flow_pipe_entry *entry;

    first = make_large_pipe(&dropped);
    on = to_pipe(first);
    second = make_large_pipe(&on);
    entry = add_control(root, NULL, NULL, 1, &on);
    on = to_pipe(second);
    assert_ok(doca_flow_pipe_update_miss(first, &on));
    assert_ok(doca_flow_pipe_basic_add_entry(0, second, &one, 0, NULL, NULL, &fwd, 0, NULL, NULL));
    send_udp(2); /* goes round */
    send_udp(1);
    expect_queue(0, s.q[0].seen + 1);
    doca_flow_pipe_destroy(second);
    send_udp(1);
    doca_flow_pipe_destroy(first);
    send_udp(1);
    send_udp(9); /* what came before is where it belongs */
    expect_queue(0, s.q[0].seen + 1);
    assert_ok(doca_flow_pipe_remove_entry(0, 0, entry));
    process();
}

static void pipes_that_ended_give_their_memory_back(void **state)
{
    const struct doca_flow_match nine = {.outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                   .udp = {.l4_port = {.dst_port = htons(9)}}}};
    struct doca_flow_pipe *root;
    struct doca_flow_fwd fwd;
    size_t before = 0;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    add_control(root, &nine, NULL, 0, &fwd);
    for (uint32_t round = 0; round < 20; round++) {
        make_and_end_pipes(root, &id);
        if (round == 0)
            before = bytes_in_use();
    }
    assert_true(bytes_in_use() < before + (1u << 20)); /* of twenty that were made */
    assert_int_equal(s.q[0].seen, 40);
    close_all();
}

/* ---- rules that overlap ---- */

static void of_equal_rules_the_older_one_decides(void **state)
{
    const struct doca_flow_match open = {.outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                   .udp = {.l4_port = {.dst_port = UINT16_MAX}}}};
    const struct doca_flow_match one = {.outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                  .udp = {.l4_port = {.dst_port = htons(1)}}}};
    struct doca_flow_pipe_entry *old[2];
    struct doca_flow_fwd fwd[4], on;
    struct doca_flow_pipe *basic, *control;
    uint16_t ids[] = {0, 1, 2, 3};

    (void)state;
    open_all(4);
    for (uint32_t i = 0; i < 4; i++)
        fwd[i] = to_queue(&ids[i]);
    basic = make_pipe(DOCA_FLOW_PIPE_BASIC, false, &open, NULL, NULL);
    control = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    on = to_pipe(basic);
    old[0] = add_control(control, &open, NULL, 5, &fwd[3]); /* the value 65535 */
    old[0] = add_control(control, NULL, NULL, 5, &fwd[2]);
    add_control(control, NULL, NULL, 5, &on);
    assert_ok(
        doca_flow_pipe_basic_add_entry(0, basic, &one, 0, NULL, NULL, &fwd[0], 0, NULL, &old[1]));
    assert_ok(
        doca_flow_pipe_basic_add_entry(0, basic, &one, 0, NULL, NULL, &fwd[1], 0, NULL, NULL));
    send_udp(UINT16_MAX);
    expect_queue(3, 1);
    send_udp(1);
    expect_queue(2, 1);
    assert_ok(doca_flow_pipe_remove_entry(0, 0, old[0]));
    send_udp(1);
    expect_queue(0, 1);
    assert_ok(doca_flow_pipe_remove_entry(0, 0, old[1]));
    send_udp(1);
    expect_queue(1, 1);
    close_all();
}

/* ---- changes under traffic ---- */

#define ROUNDS 32u

static struct {
    _Atomic bool ends;
    _Atomic uint32_t rounds;
    doca_error_t result;
} change;

/* No asserts outside of the test's thread. */
static void *change_entries(void *arg)
{
    struct doca_flow_pipe_entry *entries[64];
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_DROP};

    (void)arg;
    while (!change.ends && change.result == DOCA_SUCCESS) {
        for (uint32_t i = 0; i < 64 && change.result == DOCA_SUCCESS; i++) {
            struct doca_flow_match match = {
                .outer = {.udp = {.l4_port = {.dst_port = htons((uint16_t)i)}}}};

            change.result = doca_flow_pipe_basic_add_entry(0, cb.pipe, &match, 0, NULL, NULL, &fwd,
                                                           0, NULL, &entries[i]);
        }
        for (uint32_t i = 0; i < 64 && change.result == DOCA_SUCCESS; i++) {
            change.result = doca_flow_pipe_basic_update_entry(0, cb.pipe, 0, NULL, NULL, &cb.fwd, 0,
                                                              entries[i]);
            if (change.result == DOCA_SUCCESS)
                change.result = doca_flow_pipe_remove_entry(0, 0, entries[i]);
        }
        if (change.result == DOCA_SUCCESS)
            change.result = doca_flow_entries_process(s.port, 0, 0, 0);
        change.rounds++;
    }
    return NULL;
}

#define LAST 100 /* no entry that comes and goes is for it */

static void add_port(uint16_t dport, const struct doca_flow_fwd *fwd)
{
    const struct doca_flow_match match = {
        .outer = {.udp = {.l4_port = {.dst_port = htons(dport)}}}};

    assert_ok(
        doca_flow_pipe_basic_add_entry(0, cb.pipe, &match, 0, NULL, NULL, fwd, 0, NULL, NULL));
}

/* Thousands come and go while frames are on their way; none is left behind. */
static void thousands_of_entries_come_and_go_under_traffic(void **state)
{
    const struct doca_flow_match open = {.outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                   .udp = {.l4_port = {.dst_port = UINT16_MAX}}}};
    double end = eth_seconds() + 30;
    uint16_t ids[] = {0, 1};
    struct doca_flow_fwd other;
    pthread_t thread;

    (void)state;
    open_all_with(2, 1, NULL);
    memset(&change, 0, sizeof(change));
    cb.fwd = to_queue(&ids[0]);
    other = to_queue(&ids[1]);
    cb.pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, true, &open, NULL, &dropped);
    assert_int_equal(pthread_create(&thread, NULL, change_entries, NULL), 0);
    for (uint32_t i = 0, rounds = 0; rounds < ROUNDS && eth_seconds() < end; i++) {
        send_udp((uint16_t)(i % 64));
        if (change.rounds > rounds) { /* each one within its time */
            rounds = change.rounds;
            end = eth_seconds() + 30;
        }
    }
    change.ends = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(change.result, DOCA_SUCCESS);
    assert_true(change.rounds >= ROUNDS); /* of 64 entries each */
    add_port(LAST, &other);
    send_udp(LAST);
    expect_queue(1, 1); /* frames arrive in order: the others have reached queue 0 or their end */
    eth_settle(&s.fix);
    s.q[0].seen = 0;
    send_udp(1); /* no entry is left */
    add_port(2, &cb.fwd);
    send_udp(2);
    expect_queue(0, 1);
    close_all();
}

/* Its queue gets nothing meanwhile, and frames again when the rules are back. */
static void a_port_is_stopped_and_started_under_traffic(void **state)
{
    struct doca_flow_fwd fwd;
    uint16_t id = 0;
    uint32_t seen;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    for (uint32_t round = 0; round < 20; round++) {
        add_basic(make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &fwd, NULL), NULL);
        seen = s.q[0].seen;
        for (uint32_t i = 0; i < 20; i++)
            send_udp((uint16_t)i);
        eth_wait(&s.fix, &s.q[0].seen, seen + 20);
        for (uint32_t i = 0; i < 10; i++) /* some may be looked at after the stop */
            send_udp((uint16_t)i);
        assert_ok(doca_flow_port_stop(s.port));
        send_udp(7);
        s.port = start_port((uint16_t)round, s.fix.b);
    }
    close_all();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_have_ranges),
        cmocka_unit_test(pipes_have_rules),
        cmocka_unit_test(entries_have_rules),
        cmocka_unit_test(counters_are_a_budget),
        cmocka_unit_test(callbacks_add_and_remove_entries),
        cmocka_unit_test(a_callback_cannot_process_its_queue_or_stop_its_port),
        cmocka_unit_test(a_callback_destroys_the_pipe),
        cmocka_unit_test(pipes_that_ended_give_their_memory_back),
        cmocka_unit_test(of_equal_rules_the_older_one_decides),
        cmocka_unit_test(thousands_of_entries_come_and_go_under_traffic),
        cmocka_unit_test(a_port_is_stopped_and_started_under_traffic),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

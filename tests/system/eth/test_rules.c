/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules as whole programs have them: several pipes, several threads, both ports. */

#include "lib/flow_fixture.h"

#include <pthread.h>

#define CONNECTIONS 64u

/* ---- IPv4 and IPv6 side by side ---- */

static void send_udp6(void)
{
    static uint8_t frame[62] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd, 0x60};
    char *at = s.fix.mem + FRAMES + (s.sent % 512) * 128;

    frame[19] = 8; /* payload length */
    frame[20] = 17;
    frame[21] = 64;
    frame[22] = frame[38] = 0xfd;
    frame[53] = 2;
    frame[59] = 8;
    memcpy(at, frame, sizeof(frame));
    eth_send_buf(&s.sender, eth_buf(&s.fix, (size_t)(at - s.fix.mem), 62, 62));
    s.sent++;
    eth_wait(&s.fix, &s.sender.done, s.sent);
}

static void udp_of_both_kinds_of_ip_has_a_pipe_each(void **state)
{
    const struct doca_flow_match v4 = {.parser_meta = {.outer_l3_type = DOCA_FLOW_L3_META_IPV4,
                                                       .outer_l4_type = DOCA_FLOW_L4_META_UDP}};
    const struct doca_flow_match v6 = {.parser_meta = {.outer_l3_type = DOCA_FLOW_L3_META_IPV6,
                                                       .outer_l4_type = DOCA_FLOW_L4_META_UDP}};
    struct doca_flow_pipe *pipe[2], *root;
    struct doca_flow_fwd fwd;
    uint16_t ids[] = {0, 1};

    (void)state;
    open_all(2);
    for (uint32_t i = 0; i < 2; i++) {
        fwd = to_queue(&ids[i]); /* without flags: the first queue */
        pipe[i] = make_pipe(DOCA_FLOW_PIPE_BASIC, false, i == 0 ? &v4 : &v6, &fwd, &dropped);
        add_basic(pipe[i], NULL);
    }
    root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    fwd = to_pipe(pipe[0]);
    add_control(root, &v4, NULL, 0, &fwd);
    fwd = to_pipe(pipe[1]);
    add_control(root, &v6, NULL, 0, &fwd);
    send_udp(1);
    send_udp6();
    send_udp6();
    expect_queue(0, 1);
    expect_queue(1, 2);
    close_all();
}

/* ---- a chain of priorities, processed once at the end ---- */

static void consecutive_priorities_end_in_a_rule_for_everything(void **state)
{
    struct doca_flow_match match[4], mask;
    struct doca_flow_resource_query query;
    struct doca_flow_pipe_entry *entries[5];
    struct doca_flow_target *kernel;
    struct doca_flow_fwd fwd, to_kernel = {.type = DOCA_FLOW_FWD_TARGET};
    struct doca_flow_pipe *root;
    uint16_t ids[] = {0, 1};

    (void)state;
    open_all(2);
    assert_ok(doca_flow_get_target(DOCA_FLOW_TARGET_KERNEL, &kernel));
    to_kernel.target = kernel;
    root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    memset(match, 0, sizeof(match));
    memset(&mask, 0, sizeof(mask));
    match[0].outer.l3_type = DOCA_FLOW_L3_TYPE_IP4; /* by its length */
    match[0].outer.ip4.total_len = htons(46);
    match[0].outer.ip4.src_ip = htonl(0x0a0000ff);
    match[1].outer.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP; /* by its port */
    match[1].outer.udp.l4_port.dst_port = htons(99);
    match[2].outer.l3_type = DOCA_FLOW_L3_TYPE_IP4; /* by part of an address */
    match[2].outer.ip4.src_ip = htonl(0x0b000000);
    mask.outer.ip4.src_ip = htonl(0xff000000);
    memcpy(match[3].outer.eth.dst_mac, "\x02\0\0\0\0\x09", 6); /* by another address */
    for (uint32_t i = 0; i < 4; i++) {
        fwd = to_queue(&ids[i % 2]);
        assert_ok(doca_flow_pipe_control_add_entry(0, root, &match[i], i == 2 ? &mask : NULL, NULL,
                                                   NULL, NULL, NULL, NULL, i, &fwd, NULL,
                                                   &entries[i]));
    }
    assert_ok(doca_flow_pipe_control_add_entry(0, root, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 4,
                                               &to_kernel, NULL, &entries[4]));
    process();
    assert_int_equal(s.reported[DOCA_FLOW_ENTRY_OP_ADD], 5);

    send_flow((struct flow){.proto = 17, .src = 0x0a0000ff, .dst = 2, .sport = 1, .dport = 99});
    send_flow((struct flow){.proto = 17, .src = 0x0a0000fe, .dst = 2, .sport = 1, .dport = 99});
    send_flow((struct flow){.proto = 6, .src = 0x0b010203, .dst = 2, .sport = 1, .dport = 99});
    send_flow((struct flow){.proto = 6, .src = 0x0c010203, .dst = 2, .sport = 1, .dport = 99});
    send_flow((struct flow){.proto = 17, .src = 0x0b000001, .dst = 2, .sport = 1, .dport = 99});
    expect_queue(0, 2);
    expect_queue(1, 2);
    for (uint32_t i = 0; i < 5; i++) {
        static const uint32_t wanted[] = {1, 2, 1, 0, 1};

        assert_ok(doca_flow_resource_query_entry(entries[i], &query));
        assert_int_equal(query.counter.total_pkts, wanted[i]);
    }
    close_all();
}

/* ---- connections that other threads open and close ---- */

#define TCP_FLAGS_AT 47 /* in a frame */

static struct {
    struct doca_flow_pipe *pipe;
    struct doca_flow_pipe_entry *entries[2][CONNECTIONS];
} c;

static struct doca_flow_match connection(uint32_t thread, uint32_t i)
{
    struct doca_flow_match match;

    memset(&match, 0, sizeof(match)); /* also where the template is constant */
    match.outer.ip4.src_ip = htonl(0x0a000001);
    match.outer.ip4.dst_ip = htonl(0x0a000002);
    match.outer.tcp.l4_port.src_port = htons((uint16_t)(1000 + thread * CONNECTIONS + i));
    match.outer.tcp.l4_port.dst_port = htons(80);
    return match;
}

/* No asserts outside of the test's thread. */
static void *open_connections(void *arg)
{
    uint16_t queue = *(const uint16_t *)arg;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < CONNECTIONS && result == DOCA_SUCCESS; i++) {
            struct doca_flow_match match = connection(queue, i);

            result = doca_flow_pipe_basic_add_entry(queue, c.pipe, &match, 0, NULL, NULL, NULL, 0,
                                                    NULL, &c.entries[queue][i]);
        }
        for (uint32_t i = 0; i < CONNECTIONS && result == DOCA_SUCCESS && round < 19; i++)
            result = doca_flow_pipe_remove_entry(queue, 0, c.entries[queue][i]);
        if (result == DOCA_SUCCESS)
            result = doca_flow_entries_process(s.port, queue, 0, 0);
    }
    return (void *)(uintptr_t)result;
}

/* Frames arrive in order: one that differs comes behind all that were sent before. */
static void wait_for_all(void)
{
    struct patience patience = patience_of(20);

    send_tcp(TCP_ACK | TCP_PSH, 1000);
    while (s.q[0].last[TCP_FLAGS_AT] != (TCP_ACK | TCP_PSH) && patience_lasts(&patience))
        doca_pe_progress(s.fix.pe);
    assert_int_equal(s.q[0].last[TCP_FLAGS_AT], TCP_ACK | TCP_PSH);
}

static void threads_add_and_remove_on_queues_of_their_own(void **state)
{
    const struct doca_flow_match open = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                  .ip4 = {.src_ip = UINT32_MAX, .dst_ip = UINT32_MAX},
                  .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP,
                  .tcp = {.l4_port = {.src_port = UINT16_MAX, .dst_port = UINT16_MAX}}}};
    uint16_t ids[] = {0, 1}, id = 0;
    struct doca_flow_fwd fwd;
    pthread_t threads[2];
    void *result;

    (void)state;
    open_all_with(1, 2, NULL);
    fwd = to_queue(&id);
    c.pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, true, &open, &fwd, &dropped);
    send_tcp(TCP_ACK, 1000);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_connections, &ids[i]), 0);
    for (uint32_t i = 0; i < 200; i++) /* meanwhile frames are classified */
        send_tcp(TCP_ACK, (uint16_t)(1000 + i % (2 * CONNECTIONS)));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_int_equal((doca_error_t)(uintptr_t)result, DOCA_SUCCESS);
    }
    wait_for_all();
    s.seen = s.q[0].seen = 0;
    for (uint32_t i = 0; i < 2 * CONNECTIONS; i++)
        send_tcp(TCP_ACK, (uint16_t)(1000 + i));
    expect_queue(0, 2 * CONNECTIONS);
    assert_ok(doca_flow_pipe_remove_entry(0, 0, c.entries[0][0]));
    send_tcp(TCP_ACK, 1000); /* not any more */
    send_tcp(TCP_ACK, 1001);
    expect_queue(0, 2 * CONNECTIONS + 1);
    close_all();
}

/* ---- both ports of a pair ---- */

/* B sends back what it receives; A has rules of its own for that. */
static void a_pair_of_ports_with_rules_on_both(void **state)
{
    const struct doca_flow_fwd back = {.type = DOCA_FLOW_FWD_PORT, .port_id = 0};
    const struct doca_flow_match udp = {.parser_meta = {.outer_l4_type = DOCA_FLOW_L4_META_UDP}};
    struct doca_flow_port *b;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    memset(&s, 0, sizeof(s));
    eth_fix_open(&s.fix, MEM);
    s.nqueues = 1;
    open_queue(0, s.fix.a);
    eth_sender_open(&s.fix, &s.sender);
    open_flow("vnf,hws,isolated", 1, on_entry);
    s.port_a = start_port(1, s.fix.a);
    assert_ok(doca_flow_port_pair(s.port, s.port_a));
    add_basic(make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &back, NULL), NULL);
    b = s.port;
    s.port = s.port_a;
    fwd = to_queue(&id);
    add_basic(make_pipe(DOCA_FLOW_PIPE_BASIC, true, &udp, &fwd, &dropped), NULL);
    for (uint32_t i = 0; i < 30; i++) {
        send_tcp(TCP_ACK, (uint16_t)i);
        send_udp((uint16_t)i);
        expect_queue(0, i + 1);
        assert_int_equal(s.q[0].last[37], i);
    }
    s.port = b;
    assert_ok(doca_flow_port_stop(s.port_a));
    close_all();
}

/* Programs that only send start a port as well; it may be stopped after their queue. */
static void a_port_without_pipes_is_enough_to_send(void **state)
{
    (void)state;
    memset(&s, 0, sizeof(s));
    eth_fix_open(&s.fix, MEM);
    open_flow("vnf,hws", 1, NULL);
    s.port_a = start_port(7, s.fix.a);
    eth_sender_open(&s.fix, &s.sender);
    send_udp(1);
    assert_int_equal(s.sender.failed, 0);
    eth_sender_close(&s.fix, &s.sender);
    assert_ok(doca_flow_port_stop(s.port_a));
    assert_ok(doca_flow_port_stop(s.port));
    doca_flow_destroy();
    eth_fix_close(&s.fix);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(udp_of_both_kinds_of_ip_has_a_pipe_each),
        cmocka_unit_test(consecutive_priorities_end_in_a_rule_for_everything),
        cmocka_unit_test(threads_add_and_remove_on_queues_of_their_own),
        cmocka_unit_test(a_pair_of_ports_with_rules_on_both),
        cmocka_unit_test(a_port_without_pipes_is_enough_to_send),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

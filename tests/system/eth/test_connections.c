/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of programs that follow TCP connections: what opens and closes one goes to a queue of the
 * CPU, whose callback adds and removes the rule that lets the rest of it through. */
#include "lib/flow_fixture.h"

#include <doca_flow_net.h>

#define TCP_FIN 0x01

enum { UDP, TCP_A, TCP_B, CPU };

static const uint16_t ids[] = {0, 4, 5, 12}; /* of the queues */

static struct {
    struct doca_flow_pipe *tcp, *cpu, *root;
    struct doca_flow_pipe_entry *entries[256]; /* by source port */
    struct doca_ctx *ctx;
    uint32_t wrong;
} c;

static struct doca_flow_match connection_of(const uint8_t *frame)
{
    struct doca_flow_match match;

    memset(&match, 0, sizeof(match)); /* also where the template is constant */
    memcpy(&match.outer.ip4.src_ip, frame + 26, 4);
    memcpy(&match.outer.ip4.dst_ip, frame + 30, 4);
    memcpy(&match.outer.tcp.l4_port.src_port, frame + 34, 2);
    memcpy(&match.outer.tcp.l4_port.dst_port, frame + 36, 2);
    return match;
}

static void on_control_packet(const uint8_t *frame)
{
    const struct doca_flow_match match = connection_of(frame);
    uint8_t connection = frame[35], flags = frame[47];

    if ((flags & TCP_SYN) != 0 && c.entries[connection] == NULL)
        assert_ok(doca_flow_pipe_basic_add_entry(0, c.tcp, &match, 0, NULL, NULL, NULL,
                                                 DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, NULL,
                                                 &c.entries[connection]));
    if ((flags & (TCP_FIN | TCP_RST)) != 0 && c.entries[connection] != NULL) {
        assert_ok(
            doca_flow_pipe_remove_entry(0, DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, c.entries[connection]));
        c.entries[connection] = NULL;
    }
    assert_ok(doca_flow_entries_process(s.port, 0, 0, 0));
}

static void on_control(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t num,
                       union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    const uint8_t *l3_ok, *l4_ok;
    const uint32_t *tags;
    void *frame;

    (void)data;
    assert_ok(status);
    assert_ptr_equal(doca_eth_rxq_event_batch_managed_recv_get_ctx(event), c.ctx);
    assert_ok(doca_eth_rxq_event_batch_managed_recv_get_l3_ok_array(event, &l3_ok));
    assert_ok(doca_eth_rxq_event_batch_managed_recv_get_l4_ok_array(event, &l4_ok));
    assert_ok(doca_eth_rxq_event_batch_managed_recv_get_flow_tag_array(event, &tags));
    for (uint32_t i = 0; i < num; i++) {
        assert_ok(doca_buf_get_data(pkts[i], &frame));
        c.wrong += l3_ok[i] == 1 && l4_ok[i] == 1 && tags[i] == 0 ? 0 : 1;
        on_control_packet(frame);
        s.q[CPU].seen++;
    }
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free(pkts);
}

static void open_control_queue(void)
{
    assert_ok(doca_eth_rxq_create(s.fix.b, 128, 2048, &s.q[CPU].rxq));
    c.ctx = s.q[CPU].ctx = doca_eth_rxq_as_doca_ctx(s.q[CPU].rxq);
    assert_ok(doca_eth_rxq_set_type(s.q[CPU].rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
    assert_ok(doca_eth_rxq_set_pkt_buf(s.q[CPU].rxq, s.fix.map, CPU * AREA, AREA));
    assert_ok(doca_eth_rxq_set_flow_tag(s.q[CPU].rxq, 1));
    assert_ok(doca_eth_rxq_event_batch_managed_recv_register(
        s.q[CPU].rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_32, DOCA_EVENT_BATCH_EVENTS_NUMBER_1,
        (union doca_data){.u64 = 0}, on_control, on_control));
    assert_ok(doca_pe_connect_ctx(s.fix.pe, s.q[CPU].ctx));
    assert_ok(doca_ctx_start(s.q[CPU].ctx));
    assert_ok(doca_eth_rxq_apply_queue_id(s.q[CPU].rxq, ids[CPU]));
}

/* ---- the rules ---- */

static struct doca_flow_fwd to_queues(const uint16_t *queues, int num, uint32_t flags)
{
    return (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_RSS,
                                  .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                  .rss = {.queues_array = (uint16_t *)(uintptr_t)queues,
                                          .nr_queues = num,
                                          .outer_flags = flags}};
}

static void make_tcp_pipes(void)
{
    const struct doca_flow_match five = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                  .ip4 = {.src_ip = UINT32_MAX, .dst_ip = UINT32_MAX, .next_proto = 6},
                  .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP,
                  .tcp = {.l4_port = {.src_port = UINT16_MAX, .dst_port = UINT16_MAX}}}};
    const struct doca_flow_match tcp = {.parser_meta = {.outer_l3_type = DOCA_FLOW_L3_META_IPV4,
                                                        .outer_l4_type = DOCA_FLOW_L4_META_TCP}};
    struct doca_flow_fwd fwd = to_queues(&ids[TCP_A], 2, DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_TCP);

    c.tcp = make_pipe(DOCA_FLOW_PIPE_BASIC, false, &five, &fwd, &dropped);
    fwd = to_queues(&ids[CPU], 1, DOCA_FLOW_RSS_TCP);
    c.cpu = make_pipe(DOCA_FLOW_PIPE_BASIC, false, &tcp, &fwd, &dropped);
    add_basic(c.cpu, NULL);
}

static void make_root(void)
{
    static const uint8_t flags[] = {DOCA_FLOW_MATCH_TCP_FLAG_SYN, DOCA_FLOW_MATCH_TCP_FLAG_RST,
                                    DOCA_FLOW_MATCH_TCP_FLAG_FIN};
    struct doca_flow_match match = {.outer = {.eth = {.type = htons(DOCA_FLOW_ETHER_TYPE_IPV4)},
                                              .l3_type = DOCA_FLOW_L3_TYPE_IP4,
                                              .ip4 = {.next_proto = 17}}};
    struct doca_flow_match mask = {.outer = {.tcp = {.flags = 0}}};
    struct doca_flow_fwd fwd = to_queues(&ids[UDP], 1, DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP);

    c.root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    add_control(c.root, &match, NULL, 0, &fwd);
    match.outer.ip4.next_proto = 6;
    fwd = to_pipe(c.tcp);
    add_control(c.root, &match, NULL, 3, &fwd);
    fwd = to_pipe(c.cpu);
    for (uint32_t i = 0; i < 3; i++) {
        match = (struct doca_flow_match){
            .outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP, .tcp = {.flags = flags[i]}}};
        mask.outer.tcp.flags = flags[i];
        add_control(c.root, &match, &mask, 1, &fwd);
    }
}

static void open_program(void)
{
    memset(&s, 0, sizeof(s));
    memset(&c, 0, sizeof(c));
    eth_fix_open(&s.fix, MEM);
    s.nqueues = 4;
    for (uint32_t i = UDP; i <= TCP_B; i++)
        open_queue_as(i, s.fix.b, ids[i]);
    open_control_queue();
    eth_sender_create(&s.fix, &s.sender);
    assert_ok(doca_eth_txq_set_l3_chksum_offload(s.sender.txq, 1));
    assert_ok(doca_eth_txq_set_l4_chksum_offload(s.sender.txq, 1));
    assert_ok(doca_ctx_start(s.sender.ctx));
    open_flow("vnf,hws,isolated,use_doca_eth", 2, NULL);
    make_tcp_pipes();
    make_root();
}

static uint64_t misses(struct doca_flow_pipe *pipe)
{
    struct doca_flow_resource_query query;

    assert_ok(doca_flow_resource_query_pipe_miss(pipe, &query));
    return query.counter.total_pkts;
}

static uint32_t data_seen(void)
{
    return s.q[TCP_A].seen + s.q[TCP_B].seen;
}

static void await_data(uint32_t wanted)
{
    struct patience patience = patience_of(20);

    while (data_seen() < wanted && patience_lasts(&patience))
        doca_pe_progress(s.fix.pe);
    assert_int_equal(data_seen(), wanted);
}

/* A datagram behind it: what came before is where it belongs. */
static void fence(void)
{
    uint32_t before = s.q[UDP].seen;

    send_udp(53);
    expect_queue(UDP, before + 1);
}

static void connections_are_let_through_while_they_are_open(void **state)
{
    (void)state;
    open_program();
    send_tcp(TCP_ACK, 1); /* of none that is known */
    fence();
    assert_int_equal(misses(c.tcp), 1);
    assert_int_equal(data_seen(), 0);
    send_tcp(TCP_SYN, 1);
    expect_queue(CPU, 1);
    assert_non_null(c.entries[1]);
    send_tcp(TCP_ACK, 1);
    await_data(1);
    send_tcp(TCP_ACK, 2); /* another one */
    send_tcp(TCP_SYN | TCP_ACK, 2);
    expect_queue(CPU, 2);
    send_tcp(TCP_ACK, 2);
    await_data(2);
    send_tcp(TCP_FIN | TCP_ACK, 1);
    expect_queue(CPU, 3);
    send_tcp(TCP_ACK, 1);
    send_tcp(TCP_ACK, 2);
    await_data(3);
    send_tcp(TCP_RST, 2);
    expect_queue(CPU, 4);
    send_tcp(TCP_ACK, 2);
    fence();
    assert_int_equal(data_seen(), 3);
    assert_int_equal(misses(c.tcp), 4);
    assert_int_equal(c.wrong, 0);
    close_all(); /* with all of its pipes */
}

static void each_connection_keeps_to_its_queue(void **state)
{
    (void)state;
    open_program();
    for (uint16_t port = 1; port <= 64; port++) {
        send_tcp(TCP_SYN, port);
        expect_queue(CPU, port);
    }
    for (uint16_t port = 1; port <= 64; port++) {
        uint32_t before = s.q[TCP_A].seen, more;

        for (uint32_t i = 0; i < 4; i++)
            send_tcp(TCP_ACK, port);
        await_data(port * 4u);
        more = s.q[TCP_A].seen - before;
        assert_true(more == 0 || more == 4);
    }
    assert_in_range(s.q[TCP_A].seen, 64, 192);
    close_all();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_let_through_while_they_are_open),
        cmocka_unit_test(each_connection_keeps_to_its_queue),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules and actions, one kind a test. */

#include "lib/flow_fixture.h"

#include "lib/eth_count.h"

#include <doca_log.h>

/* A pipe for UDP over IPv4 behind a root with one entry; all else is the kernel's. */
static void udp_goes_to_its_queue_and_the_rest_to_the_kernel(void **state)
{
    const struct doca_flow_match udp = {.parser_meta = {.outer_l3_type = DOCA_FLOW_L3_META_IPV4,
                                                        .outer_l4_type = DOCA_FLOW_L4_META_UDP}};
    const struct doca_flow_match root_udp = {.outer = {.eth = {.type = htons(0x0800)},
                                                       .l3_type = DOCA_FLOW_L3_TYPE_IP4,
                                                       .ip4 = {.next_proto = DOCA_FLOW_PROTO_UDP}}};
    struct doca_flow_resource_query query;
    struct doca_flow_pipe *pipe, *root;
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, false, &udp, &fwd, &dropped);
    entry = add_basic(pipe, NULL);
    assert_int_equal(s.reported[DOCA_FLOW_ENTRY_OP_ADD], 1);
    assert_ptr_equal(s.last_ctx, &s);
    root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    fwd = to_pipe(pipe);
    add_control(root, &root_udp, NULL, 0, &fwd);

    send_flow((struct flow){.type = 0x0806});
    send_tcp(TCP_SYN, 1);
    send_udp(5000);
    expect_queue(0, 1);
    send_tcp(TCP_ACK, 2);
    send_udp(5001);
    expect_queue(0, 2);
    assert_ok(doca_flow_resource_query_entry(entry, &query));
    assert_int_equal(query.counter.total_pkts, 2);
    assert_int_equal(query.counter.total_bytes, 120);
    assert_ok(doca_flow_resource_query_pipe_miss(root, &query));
    assert_int_equal(query.counter.total_pkts, 3);
    close_all();
}

/* Strict matching is taken either way; a root whose match is a mask alone takes everything. */
static void a_mask_without_a_match_leaves_nothing_out(void **state)
{
    const struct doca_flow_match mask = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                  .ip4 = {.dst_ip = UINT32_MAX, .ttl = UINT8_MAX}}};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    for (uint32_t round = 0; round < 4; round++) {
        assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
        assert_ok(doca_flow_pipe_cfg_set_is_root(cfg, true));
        assert_ok(doca_flow_pipe_cfg_set_type(cfg, round < 2 ? DOCA_FLOW_PIPE_BASIC
                                                             : DOCA_FLOW_PIPE_CONTROL));
        assert_ok(doca_flow_pipe_cfg_set_enable_strict_matching(cfg, round % 2 == 0));
        assert_ok(doca_flow_pipe_cfg_set_match(cfg, NULL, &mask));
        assert_ok(doca_flow_pipe_create(cfg, &fwd, &dropped, &pipe));
        assert_ok(doca_flow_pipe_cfg_destroy(cfg));
        if (round < 2)
            add_basic(pipe, NULL);
        else
            add_control(pipe, NULL, NULL, 0, &fwd);
        send_flow((struct flow){.type = 0x0806});
        send_udp(1);
        expect_queue(0, 2 * (round + 1));
        doca_flow_pipe_destroy(pipe);
    }
    close_all();
}

static void metadata_is_delivered_in_host_order(void **state)
{
    struct doca_flow_actions actions = {.meta = {.pkt_meta = htonl(1234)}};
    struct doca_flow_actions *array[] = {&actions};
    struct doca_flow_match match = {0};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    assert_ok(doca_flow_pipe_cfg_set_name(cfg, "root"));
    assert_ok(doca_flow_pipe_cfg_set_is_root(cfg, true));
    assert_ok(doca_flow_pipe_cfg_set_match(cfg, &match, NULL));
    assert_ok(doca_flow_pipe_cfg_set_actions(cfg, array, NULL, NULL, 1));
    assert_ok(doca_flow_pipe_create(cfg, &fwd, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    add_basic(pipe, &match);
    send_udp(1);
    expect_queue(0, 1);
    assert_int_equal(s.q[0].metadata, 1234);
    send_flow((struct flow){.type = 0x88b5});
    expect_queue(0, 2);
    close_all();
}

/* SYN and RST by single bits of the flags before all of TCP: the smaller priority wins. */
static void priorities_and_single_flags(void **state)
{
    struct doca_flow_match tcp = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP}};
    struct doca_flow_match flag = tcp, mask = {0};
    struct doca_flow_fwd fwd[2];
    struct doca_flow_pipe *root;
    uint16_t ids[] = {0, 1};

    (void)state;
    open_all(2);
    fwd[0] = to_queue(&ids[0]);
    fwd[1] = to_queue(&ids[1]);
    root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    add_control(root, &tcp, NULL, 3, &fwd[0]);
    flag.outer.tcp.flags = DOCA_FLOW_MATCH_TCP_FLAG_SYN;
    mask.outer.tcp.flags = DOCA_FLOW_MATCH_TCP_FLAG_SYN;
    add_control(root, &flag, &mask, 1, &fwd[1]);
    flag.outer.tcp.flags = DOCA_FLOW_MATCH_TCP_FLAG_RST;
    mask.outer.tcp.flags = DOCA_FLOW_MATCH_TCP_FLAG_RST;
    add_control(root, &flag, &mask, 1, &fwd[1]);

    send_tcp(TCP_SYN, 1);
    expect_queue(1, 1);
    send_tcp(TCP_SYN | TCP_ACK, 1);
    expect_queue(1, 2);
    send_tcp(TCP_ACK, 1);
    expect_queue(0, 1);
    send_tcp(TCP_RST | TCP_ACK, 1);
    expect_queue(1, 3);
    assert_int_equal(s.seen, 4);
    close_all();
}

/* Connections are let in by the entry of each. */
static void entries_choose_open_fields(void **state)
{
    const struct doca_flow_match open = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                  .ip4 = {.src_ip = UINT32_MAX, .dst_ip = UINT32_MAX},
                  .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP,
                  .tcp = {.l4_port = {.src_port = UINT16_MAX, .dst_port = UINT16_MAX}}}};
    struct doca_flow_match one = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                  .ip4 = {.src_ip = htonl(0x0a000001), .dst_ip = htonl(0x0a000002)},
                  .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP,
                  .tcp = {.l4_port = {.src_port = htons(7), .dst_port = htons(80)}}}};
    struct doca_flow_pipe_entry *entry, *other;
    struct doca_flow_resource_query query;
    struct doca_flow_pipe *pipe;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, true, &open, &fwd, &dropped);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_basic_add_entry(
                                              0, pipe, NULL, 0, NULL, NULL, NULL, 0, NULL, &entry));
    one.outer.tcp.l4_port.src_port = htons(9);
    other = add_basic(pipe, &one);
    send_tcp(TCP_ACK, 7);
    send_tcp(TCP_ACK, 9);
    expect_queue(0, 1);
    one.outer.tcp.l4_port.src_port = htons(7);
    entry = add_basic(pipe, &one);
    send_tcp(TCP_ACK, 7);
    expect_queue(0, 2);
    assert_ok(doca_flow_pipe_remove_entry(0, DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, entry));
    send_tcp(TCP_ACK, 7);
    send_tcp(TCP_ACK, 9);
    expect_queue(0, 3);
    assert_int_equal(s.reported[DOCA_FLOW_ENTRY_OP_DEL], 0);
    process();
    assert_int_equal(s.reported[DOCA_FLOW_ENTRY_OP_DEL], 1);
    assert_ptr_equal(s.last_entry, entry);
    assert_ok(doca_flow_resource_query_entry(other, &query));
    assert_int_equal(query.counter.total_pkts, 2);
    assert_ok(doca_flow_resource_query_pipe_miss(pipe, &query));
    assert_int_equal(query.counter.total_pkts, 2);
    close_all();
}

static void rss_spreads_flows_and_keeps_each_on_its_queue(void **state)
{
    uint16_t ids[] = {0, 1, 2, 3};
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                .rss = {.queues_array = ids,
                                        .nr_queues = QUEUES,
                                        .outer_flags = DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP}};
    struct doca_flow_pipe *pipe;
    uint32_t first, queue = 0, hash;

    (void)state;
    open_all(QUEUES);
    pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &fwd, NULL);
    add_basic(pipe, NULL);
    for (uint32_t i = 0; i < 400; i++) {
        send_flow((struct flow){.proto = 17,
                                .src = 0x0a000000 + i * 7919,
                                .dst = 0x0a000002,
                                .sport = (uint16_t)(i * 31),
                                .dport = 53});
        eth_wait(&s.fix, &s.seen, i + 1);
    }
    for (uint32_t i = 0; i < QUEUES; i++)
        assert_in_range(s.q[i].seen, 60, 140);
    send_udp(53);
    eth_wait(&s.fix, &s.seen, 401);
    while (queue < QUEUES - 1 && s.q[queue].last[35] != 1)
        queue++;
    first = s.q[queue].seen;
    hash = s.q[queue].hash;
    assert_int_not_equal(hash, 0);
    for (uint32_t i = 0; i < 10; i++)
        send_udp(53);
    expect_queue(queue, first + 10);
    assert_int_equal(s.q[queue].hash, hash);
    close_all();
}

/* Also what has none of the headers that are asked for. */
static void without_flags_all_goes_to_the_first_queue(void **state)
{
    uint16_t ids[] = {2, 1, 0, 3};
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                .rss = {.queues_array = ids, .nr_queues = QUEUES}};
    struct doca_flow_pipe *pipe;

    (void)state;
    open_all(QUEUES);
    pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &fwd, NULL);
    add_basic(pipe, NULL);
    for (uint16_t i = 0; i < 50; i++)
        send_udp(i);
    expect_queue(2, 50);
    assert_int_equal(s.q[2].hash, 0);
    doca_flow_pipe_destroy(pipe);
    fwd.rss.outer_flags = DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP;
    add_basic(make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &fwd, NULL), NULL);
    for (uint32_t i = 0; i < 50; i++)
        send_flow((struct flow){.type = 0x0806, .src = i * 7919, .dst = i});
    expect_queue(2, 100);
    assert_int_equal(s.q[2].hash, 0);
    close_all();
}

/* Where the ports of others are. */
static void esp_is_spread_by_its_spi(void **state)
{
    uint16_t ids[] = {0, 1, 2, 3};
    struct doca_flow_fwd fwd = {
        .type = DOCA_FLOW_FWD_RSS,
        .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
        .rss = {.queues_array = ids, .nr_queues = QUEUES, .outer_flags = DOCA_FLOW_RSS_ESP}};
    uint32_t counts[QUEUES] = {0};

    (void)state;
    open_all(QUEUES);
    add_basic(make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &fwd, NULL), NULL);
    for (uint32_t i = 0; i < 400; i++) {
        send_flow((struct flow){.proto = 50,
                                .src = i,
                                .dst = 2,
                                .sport = (uint16_t)(i % 200),
                                .dport = (uint16_t)(i % 200 * 31)});
        eth_wait(&s.fix, &s.seen, i + 1);
        if (i == 199) {
            for (uint32_t k = 0; k < QUEUES; k++)
                counts[k] = s.q[k].seen;
        }
    }
    for (uint32_t k = 0; k < QUEUES; k++) {
        assert_in_range(counts[k], 25, 75);
        assert_int_equal(s.q[k].seen, 2 * counts[k]); /* each went where it had gone before */
    }
    close_all();
}

static uint32_t count_logged(FILE *log, const char *text)
{
    char bytes[4096], *at = bytes;
    uint32_t n = 0;
    size_t len;

    fflush(log);
    rewind(log);
    len = fread(bytes, 1, sizeof(bytes) - 1, log);
    bytes[len] = '\0';
    while ((at = strstr(at, text)) != NULL) {
        at++;
        n++;
    }
    return n;
}

/* Which queue it is is asked when the frame comes; the log says it once. */
static void a_queue_that_is_not_there_costs_its_frames(void **state)
{
    const struct doca_flow_match udp = {.parser_meta = {.outer_l4_type = DOCA_FLOW_L4_META_UDP}};
    struct doca_flow_pipe *root;
    struct doca_flow_fwd fwd;
    uint16_t ids[] = {0, 77};
    struct doca_log_backend *backend;
    FILE *log = tmpfile();

    (void)state;
    assert_ok(doca_log_backend_create_with_file_sdk(log, &backend));
    assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING));
    open_all(1);
    root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    fwd = to_queue(&ids[1]);
    add_control(root, &udp, NULL, 0, &fwd);
    fwd = to_queue(&ids[0]);
    add_control(root, NULL, NULL, 1, &fwd);
    for (uint16_t i = 0; i < 10; i++)
        send_udp(i);
    send_tcp(TCP_ACK, 1);
    expect_queue(0, 1);
    assert_int_equal(eth_count_of(SOFT_NIC_RX_NO_QUEUE), 10);
    assert_int_equal(count_logged(log, "10 frames to queues that do not exist"), 0);
    process();
    assert_int_equal(count_logged(log, "10 frames to queues that do not exist"), 1);
    process();
    open_queue_as(1, s.fix.b, ids[1]);
    s.nqueues = 2;
    send_udp(1);
    expect_queue(1, 1);
    assert_int_equal(eth_count_of(SOFT_NIC_RX_NO_QUEUE), 10);
    close_all();
    assert_int_equal(count_logged(log, "queues that do not exist"), 1);
    assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE));
}

/* Pipes of what is sent are taken; nothing that is sent passes them. */
static void egress_pipes_are_without_effect(void **state)
{
    static const enum doca_flow_pipe_domain domains[] = {DOCA_FLOW_PIPE_DOMAIN_EGRESS,
                                                         DOCA_FLOW_PIPE_DOMAIN_SECURE_EGRESS};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    add_basic(make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &fwd, NULL), NULL);
    s.port_a = start_port(1, s.fix.a);
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(doca_flow_pipe_cfg_create(&cfg, i < 2 ? s.port : s.port_a));
        assert_ok(doca_flow_pipe_cfg_set_domain(cfg, domains[i % 2]));
        assert_ok(doca_flow_pipe_cfg_set_is_root(cfg, true));
        assert_ok(doca_flow_pipe_create(cfg, &dropped, &dropped, &pipe));
        assert_ok(doca_flow_pipe_cfg_destroy(cfg));
        assert_ok(
            doca_flow_pipe_basic_add_entry(0, pipe, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL));
        process();
        send_udp(1);
        expect_queue(0, i + 1);
    }
    assert_ok(doca_flow_port_stop(s.port_a));
    close_all();
}

/* Misses lead on; a pipe that is destroyed drops what is led to it. */
static void pipes_lead_to_pipes(void **state)
{
    const struct doca_flow_match match = {.parser_meta = {.outer_l4_type = DOCA_FLOW_L4_META_UDP}};
    struct doca_flow_pipe *last, *first;
    struct doca_flow_fwd fwd[2], on;
    uint16_t ids[] = {0, 1};

    (void)state;
    open_all(2);
    fwd[0] = to_queue(&ids[0]);
    fwd[1] = to_queue(&ids[1]);
    last = make_pipe(DOCA_FLOW_PIPE_BASIC, false, NULL, &fwd[1], NULL);
    add_basic(last, NULL);
    on = to_pipe(last);
    first = make_pipe(DOCA_FLOW_PIPE_BASIC, true, &match, &fwd[0], &on);
    add_basic(first, NULL);
    send_udp(1);
    expect_queue(0, 1);
    send_tcp(TCP_ACK, 1);
    expect_queue(1, 1);
    doca_flow_pipe_destroy(last);
    send_tcp(TCP_ACK, 1);
    send_udp(1);
    expect_queue(0, 2);
    assert_int_equal(s.q[1].seen, 1);
    assert_ok(doca_flow_pipe_update_miss(first, &dropped));
    doca_flow_port_pipes_flush(s.port);
    close_all();
}

/* A pipe that leads to itself ends, and others are served. */
static void circles_end(void **state)
{
    struct doca_flow_match udp = {.parser_meta = {.outer_l4_type = DOCA_FLOW_L4_META_UDP}};
    struct doca_flow_pipe *root, *circle;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    circle = make_pipe(DOCA_FLOW_PIPE_CONTROL, false, NULL, NULL, NULL);
    fwd = to_pipe(circle);
    add_control(circle, NULL, NULL, 0, &fwd);
    add_control(root, NULL, NULL, 5, &fwd);
    fwd = to_queue(&id);
    add_control(root, &udp, NULL, 1, &fwd);
    send_tcp(TCP_ACK, 1);
    send_udp(1);
    expect_queue(0, 1);
    assert_int_equal(eth_count_of(SOFT_NIC_RX_FLOW_LOOP), 1);
    close_all();
}

/* What B gets goes out of B again, changed in nothing, and is received by A. */
static void a_rule_sends_out_of_a_port(void **state)
{
    const struct doca_flow_fwd back = {.type = DOCA_FLOW_FWD_PORT, .port_id = 0};
    struct doca_flow_pipe *pipe;

    (void)state;
    memset(&s, 0, sizeof(s));
    eth_fix_open(&s.fix, MEM);
    s.nqueues = 1;
    open_queue(0, s.fix.a); /* unmatched frames of A go to it */
    eth_sender_open(&s.fix, &s.sender);
    open_flow("vnf,hws,isolated", 1, on_entry);
    pipe = make_pipe(DOCA_FLOW_PIPE_BASIC, true, NULL, &back, NULL);
    add_basic(pipe, NULL);
    for (uint32_t i = 0; i < 50; i++) {
        struct patience patience = patience_of(20);

        send_udp((uint16_t)i);
        while (s.q[0].seen < i + 1 && patience_lasts(&patience))
            doca_pe_progress(s.fix.pe);
        assert_int_equal(s.q[0].seen, i + 1);
        assert_int_equal(s.q[0].last[37], i);
    }
    close_all();
}

/* ---- rules that change frames ---- */

static struct doca_flow_pipe *make_acting_pipe(bool is_root, struct doca_flow_actions *actions,
                                               struct doca_flow_actions *mask,
                                               const struct doca_flow_fwd *fwd)
{
    struct doca_flow_match match = {0};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;

    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    assert_ok(doca_flow_pipe_cfg_set_is_root(cfg, is_root));
    assert_ok(doca_flow_pipe_cfg_set_match(cfg, &match, NULL));
    assert_ok(doca_flow_pipe_cfg_set_actions(cfg, &actions, mask != NULL ? &mask : NULL, NULL, 1));
    assert_ok(doca_flow_pipe_create(cfg, fwd, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    return pipe;
}

static uint16_t got16(uint32_t queue, uint32_t at)
{
    return (uint16_t)(s.q[queue].last[at] << 8 | s.q[queue].last[at + 1]);
}

/* A constant of the pipe, values of the entry, zero by a mask. */
static void headers_are_rewritten(void **state)
{
    struct doca_flow_actions actions = {.outer = {.eth = {.dst_mac = {2, 9, 9, 9, 9, 9}},
                                                  .l3_type = DOCA_FLOW_L3_TYPE_IP4,
                                                  .ip4 = {.dst_ip = UINT32_MAX, .ttl = 0},
                                                  .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                  .udp = {.l4_port = {.dst_port = UINT16_MAX}}}};
    struct doca_flow_actions mask = {.outer = {.eth = {.dst_mac = {255, 255, 255, 255, 255, 255}},
                                               .ip4 = {.dst_ip = UINT32_MAX, .ttl = UINT8_MAX},
                                               .udp = {.l4_port = {.dst_port = UINT16_MAX}}}};
    struct doca_flow_actions entry = {.outer = {.ip4 = {.dst_ip = htonl(0xc0000209), .ttl = 9},
                                                .udp = {.l4_port = {.dst_port = htons(99)}}}};
    struct doca_flow_pipe *pipe;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    pipe = make_acting_pipe(true, &actions, &mask, &fwd);
    assert_ok(doca_flow_pipe_basic_add_entry(0, pipe, NULL, 0, &entry, NULL, NULL, 0, NULL, NULL));
    send_udp(1);
    expect_queue(0, 1);
    assert_memory_equal(s.q[0].last, "\2\11\11\11\11\11\2\0\0\0\0\1", 12);
    assert_memory_equal(s.q[0].last + 26, "\x0a\0\0\1\xc0\0\2\x09", 8);
    assert_int_equal(s.q[0].last[22], 0);
    assert_int_equal(got16(0, 36), 99);
    close_all();
}

/* One pipe puts a tag on, the next one matches and takes it off. */
static void tags_are_pushed_and_popped(void **state)
{
    struct doca_flow_actions push = {
        .has_push = true,
        .push = {.type = DOCA_FLOW_PUSH_ACTION_VLAN,
                 .vlan = {.eth_type = htons(0x8100), .vlan_hdr = {.tci = UINT16_MAX}}}};
    struct doca_flow_actions tci = {.push = {.vlan = {.vlan_hdr = {.tci = htons(77)}}}};
    struct doca_flow_actions pop = {.pop_vlan = true};
    const struct doca_flow_match tag = {
        .outer = {.l2_valid_headers = DOCA_FLOW_L2_VALID_HEADER_VLAN_0,
                  .eth_vlan = {{.tci = htons(77)}}}};
    struct doca_flow_pipe *pusher, *chooser, *popper;
    struct doca_flow_fwd fwd[2], on;
    uint16_t ids[] = {0, 1};

    (void)state;
    open_all(2);
    fwd[0] = to_queue(&ids[0]);
    fwd[1] = to_queue(&ids[1]);
    popper = make_acting_pipe(false, &pop, NULL, &fwd[1]);
    add_basic(popper, NULL);
    chooser = make_pipe(DOCA_FLOW_PIPE_CONTROL, false, NULL, NULL, &dropped);
    on = to_pipe(popper);
    add_control(chooser, &tag, NULL, 0, &on);
    on = to_pipe(chooser);
    pusher = make_acting_pipe(true, &push, NULL, &on);
    assert_ok(doca_flow_pipe_basic_add_entry(0, pusher, NULL, 0, &tci, NULL, NULL, 0, NULL, NULL));
    send_udp(5);
    expect_queue(1, 1);
    assert_int_equal(got16(1, 12), 0x0800);
    assert_int_equal(got16(1, 36), 5);
    doca_flow_pipe_destroy(pusher);
    pusher = make_acting_pipe(true, &push, NULL, &fwd[0]);
    assert_ok(doca_flow_pipe_basic_add_entry(0, pusher, NULL, 0, &tci, NULL, NULL, 0, NULL, NULL));
    for (uint32_t i = 0; i < 200; i++)
        send_udp((uint16_t)i);
    expect_queue(0, 200);
    assert_int_equal(got16(0, 12), 0x8100);
    assert_int_equal(got16(0, 14), 77);
    assert_int_equal(got16(0, 16), 0x0800);
    assert_int_equal(got16(0, 40), 199);
    close_all();
}

/* A miss is counted with the bytes that the frame has by then. */
static void what_is_pushed_counts_where_it_misses(void **state)
{
    struct doca_flow_actions push = {
        .has_push = true,
        .push = {.type = DOCA_FLOW_PUSH_ACTION_VLAN,
                 .vlan = {.eth_type = htons(0x8100), .vlan_hdr = {.tci = htons(7)}}}};
    const struct doca_flow_match nine = {.outer = {.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                   .udp = {.l4_port = {.dst_port = htons(9)}}}};
    struct doca_flow_resource_query query;
    struct doca_flow_pipe *chooser;
    struct doca_flow_fwd fwd, on;
    uint16_t id = 0;

    (void)state;
    open_all(1);
    fwd = to_queue(&id);
    chooser = make_pipe(DOCA_FLOW_PIPE_CONTROL, false, NULL, NULL, &dropped);
    add_control(chooser, &nine, NULL, 0, &fwd);
    on = to_pipe(chooser);
    add_basic(make_acting_pipe(true, &push, NULL, &on), NULL);
    send_udp(5);
    send_udp(9);
    expect_queue(0, 1);
    assert_ok(doca_flow_resource_query_pipe_miss(chooser, &query));
    assert_int_equal(query.counter.total_pkts, 1);
    assert_int_equal(query.counter.total_bytes, 60 + 4);
    close_all();
}

/* What the root pipe does not match is spread over the queues that are there. */
static void the_default_miss_can_be_rss(void **state)
{
    struct doca_flow_resource_query query;

    (void)state;
    open_all(QUEUES);
    make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
    assert_ok(doca_flow_port_update_default_miss(s.port, DOCA_FLOW_PORT_DEFAULT_MISS_RSS, true));
    for (uint32_t i = 0; i < 400; i++) {
        send_flow((struct flow){.proto = 17,
                                .src = 0x0a000000 + i * 7919,
                                .dst = 0x0a000002,
                                .sport = (uint16_t)(i * 31),
                                .dport = 53});
        eth_wait(&s.fix, &s.seen, i + 1);
    }
    for (uint32_t i = 0; i < QUEUES; i++)
        assert_in_range(s.q[i].seen, 60, 140);
    assert_ok(doca_flow_port_query_default_miss(s.port, &query));
    assert_int_equal(query.counter.total_pkts, 400);
    close_all();
}

static void actions_that_are_not_offered_are_refused(void **state)
{
    struct doca_flow_actions nat = {.nat64 = {.original_l3_type = DOCA_FLOW_L3_TYPE_IP4}};
    struct doca_flow_actions type = {.outer = {.eth = {.type = htons(0x1234)}}};
    struct doca_flow_actions encap = {.encap_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_actions *each[] = {&nat, &type, &encap};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;

    (void)state;
    open_all(1);
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
        assert_ok(doca_flow_pipe_cfg_set_actions(cfg, &each[i], NULL, NULL, 1));
        assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &dropped, NULL, &pipe));
        assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    }
    close_all();
}

static void what_is_not_offered_is_refused_by_name(void **state)
{
    struct doca_flow_match match = {.tun = {.type = DOCA_FLOW_TUN_VXLAN}};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_port *port;
    struct doca_flow_cfg *flow_cfg;
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS};

    (void)state;
    open_all(1);
    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    assert_ok(doca_flow_pipe_cfg_set_match(cfg, &match, NULL));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &dropped, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_set_match(cfg, NULL, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_create(cfg, &fwd, NULL, &pipe));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &dropped, &fwd, &pipe));
    assert_ok(doca_flow_pipe_cfg_set_type(cfg, DOCA_FLOW_PIPE_LPM));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_flow_pipe_create(cfg, &dropped, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_set_type(cfg, DOCA_FLOW_PIPE_BASIC));
    assert_ok(doca_flow_pipe_cfg_set_nr_entries(cfg, 1));
    assert_ok(doca_flow_pipe_cfg_set_is_root(cfg, true));
    assert_ok(doca_flow_pipe_create(cfg, NULL, NULL, &pipe));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_flow_pipe_basic_add_entry(
                                              0, pipe, NULL, 0, NULL, NULL, NULL, 0, NULL, &entry));
    assert_doca(
        DOCA_ERROR_INVALID_VALUE,
        doca_flow_pipe_basic_add_entry(1, pipe, NULL, 0, NULL, NULL, &dropped, 0, NULL, &entry));
    assert_ok(
        doca_flow_pipe_basic_add_entry(0, pipe, NULL, 0, NULL, NULL, &dropped, 0, NULL, &entry));
    assert_doca(DOCA_ERROR_FULL, doca_flow_pipe_basic_add_entry(0, pipe, NULL, 0, NULL, NULL,
                                                                &dropped, 0, NULL, &entry));
    assert_doca(DOCA_ERROR_ALREADY_EXIST, doca_flow_pipe_create(cfg, &dropped, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));

    assert_ok(doca_flow_port_cfg_create(&port_cfg));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_flow_port_start(port_cfg, &port));
    assert_ok(doca_flow_port_cfg_set_port_id(port_cfg, 0));
    assert_ok(doca_flow_port_cfg_set_dev(port_cfg, s.fix.a));
    assert_doca(DOCA_ERROR_ALREADY_EXIST, doca_flow_port_start(port_cfg, &port));
    assert_ok(doca_flow_port_cfg_destroy(port_cfg));

    assert_ok(doca_flow_cfg_create(&flow_cfg));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_mode_args(flow_cfg, "hws"));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_flow_cfg_set_mode_args(flow_cfg, "vnf,nonsense"));
    assert_ok(doca_flow_cfg_set_mode_args(flow_cfg, "switch,hws,hairpinq_num=4"));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_flow_init(flow_cfg));
    assert_ok(doca_flow_cfg_destroy(flow_cfg));
    close_all();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(udp_goes_to_its_queue_and_the_rest_to_the_kernel),
        cmocka_unit_test(a_mask_without_a_match_leaves_nothing_out),
        cmocka_unit_test(metadata_is_delivered_in_host_order),
        cmocka_unit_test(priorities_and_single_flags),
        cmocka_unit_test(entries_choose_open_fields),
        cmocka_unit_test(rss_spreads_flows_and_keeps_each_on_its_queue),
        cmocka_unit_test(without_flags_all_goes_to_the_first_queue),
        cmocka_unit_test(esp_is_spread_by_its_spi),
        cmocka_unit_test(a_queue_that_is_not_there_costs_its_frames),
        cmocka_unit_test(egress_pipes_are_without_effect),
        cmocka_unit_test(pipes_lead_to_pipes),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(a_rule_sends_out_of_a_port),
        cmocka_unit_test(headers_are_rewritten),
        cmocka_unit_test(tags_are_pushed_and_popped),
        cmocka_unit_test(what_is_pushed_counts_where_it_misses),
        cmocka_unit_test(the_default_miss_can_be_rss),
        cmocka_unit_test(actions_that_are_not_offered_are_refused),
        cmocka_unit_test(what_is_not_offered_is_refused_by_name),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

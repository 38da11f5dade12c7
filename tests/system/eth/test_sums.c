/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames with right, wrong and missing checksums: what receive queues tell of them, and what rules
 * match. */
#include "lib/flow_fixture.h"

#include "soft/nic/packet.h"

#define LEN 80u

enum { L3_HEADER = 1, IP4_SUM = 2, L4_HEADER = 4, L4_SUM = 8 }; /* what rules can match */

enum { UDP4 = 17, TCP4 = 6, ICMP4 = 1, SCTP4 = 132, UDP6 = 0x111, TCP6 = 0x106, ARP = 0x200 };

enum damage { NOTHING, IP_SUM, L4_SUM_WRONG, L4_SUM_ZERO, FRAGMENT, CUT };

/* What a queue tells: IPv4 needs its sum, layer 4 is TCP or UDP with its sum; UDP over IPv4 may do
 * without one. */
static const struct {
    int kind;
    enum damage damage;
    uint8_t l3_ok, l4_ok, matches;
} frames[] = {
    {UDP4, NOTHING, 1, 1, L3_HEADER | IP4_SUM | L4_HEADER | L4_SUM},
    {TCP4, NOTHING, 1, 1, L3_HEADER | IP4_SUM | L4_HEADER | L4_SUM},
    {UDP4, IP_SUM, 0, 1, L3_HEADER | L4_HEADER | L4_SUM},
    {TCP4, IP_SUM, 0, 1, L3_HEADER | L4_HEADER | L4_SUM},
    {UDP4, L4_SUM_WRONG, 1, 0, L3_HEADER | IP4_SUM | L4_HEADER},
    {TCP4, L4_SUM_WRONG, 1, 0, L3_HEADER | IP4_SUM | L4_HEADER},
    {UDP4, L4_SUM_ZERO, 1, 1, L3_HEADER | IP4_SUM | L4_HEADER | L4_SUM},
    {TCP4, L4_SUM_ZERO, 1, 0, L3_HEADER | IP4_SUM | L4_HEADER},
    {UDP4, FRAGMENT, 1, 0, L3_HEADER | IP4_SUM},
    {TCP4, CUT, 1, 0, L3_HEADER | IP4_SUM},
    {ICMP4, NOTHING, 1, 0, L3_HEADER | IP4_SUM | L4_HEADER},
    {SCTP4, NOTHING, 1, 0, L3_HEADER | IP4_SUM},
    {UDP6, NOTHING, 1, 1, L3_HEADER | L4_HEADER | L4_SUM},
    {TCP6, NOTHING, 1, 1, L3_HEADER | L4_HEADER | L4_SUM},
    {UDP6, L4_SUM_WRONG, 1, 0, L3_HEADER | L4_HEADER},
    {UDP6, L4_SUM_ZERO, 1, 0, L3_HEADER | L4_HEADER},
    {ARP, NOTHING, 0, 0, 0},
};

#define NFRAMES (sizeof(frames) / sizeof(frames[0]))

/* ---- frames ---- */

static uint32_t make_ip4(uint8_t *at, uint8_t proto, enum damage damage)
{
    uint32_t l4 = damage == CUT ? 10 : LEN - 34;

    soft_nic_put16(at + 12, 0x0800);
    at[14] = 0x45;
    soft_nic_put16(at + 16, (uint16_t)(20 + l4));
    soft_nic_put16(at + 20, damage == FRAGMENT ? 0x2000 : 0);
    at[22] = 64;
    at[23] = proto;
    memcpy(at + 26, "\x0a\0\0\1\x0a\0\0\2", 8);
    return 34;
}

static uint32_t make_ip6(uint8_t *at, uint8_t proto)
{
    soft_nic_put16(at + 12, 0x86dd);
    at[14] = 0x60;
    soft_nic_put16(at + 18, LEN - 54);
    at[20] = proto;
    at[21] = 64;
    at[22] = at[38] = 0xfd;
    at[53] = 2;
    return 54;
}

static void make_l4(uint8_t *at, uint8_t proto, uint32_t len)
{
    soft_nic_put16(at, 1000);
    soft_nic_put16(at + 2, 53);
    if (proto == 17)
        soft_nic_put16(at + 4, (uint16_t)len);
    else if (proto == 6)
        at[12] = 0x50;
    else
        memset(at, 8, 8);
}

/* Right sums first, then the damage. */
static void make_frame(uint8_t *at, int kind, enum damage damage)
{
    uint8_t proto = (uint8_t)kind;
    struct soft_nic_packet packet;
    uint32_t l4;

    memset(at, 0, LEN);
    eth_frame((char *)at, 14, 0);
    if (kind == ARP) {
        soft_nic_put16(at + 12, 0x0806);
        return;
    }
    l4 = kind >= 0x100 ? make_ip6(at, proto) : make_ip4(at, proto, damage);
    make_l4(at + l4, proto, LEN - l4);
    soft_nic_parse(at, LEN, &packet);
    soft_nic_l3_sum(at, &packet);
    soft_nic_l4_sum(at, &packet);
    l4 += proto == 17 ? 6 : 16;
    if (damage == IP_SUM)
        at[24] ^= 0x55;
    else if (damage == L4_SUM_WRONG)
        at[l4] ^= 0x55;
    else if (damage == L4_SUM_ZERO)
        at[l4] = at[l4 + 1] = 0;
}

static void send_frame(uint32_t i)
{
    size_t at = FRAMES + i * 128;

    make_frame((uint8_t *)s.fix.mem + at, frames[i].kind, frames[i].damage);
    eth_send_buf(&s.sender, eth_buf(&s.fix, at, LEN, LEN));
    s.sent++;
    eth_wait(&s.fix, &s.sender.done, s.sent);
}

/* ---- what queues tell ---- */

static struct {
    uint32_t seen;
    uint8_t l3_ok, l4_ok;
} told[3]; /* by tasks, events, batches */

static void on_task(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct doca_buf *pkt;

    (void)task_data;
    (void)ctx_data;
    assert_ok(doca_eth_rxq_task_recv_get_l3_ok(task, &told[0].l3_ok));
    assert_ok(doca_eth_rxq_task_recv_get_l4_ok(task, &told[0].l4_ok));
    assert_ok(doca_eth_rxq_task_recv_get_pkt(task, &pkt));
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(task));
    assert_ok(doca_buf_dec_refcount(pkt, NULL));
    told[0].seen++;
}

static void on_event(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                     union doca_data data)
{
    (void)data;
    assert_ok(doca_eth_rxq_event_managed_recv_get_l3_ok(event, &told[1].l3_ok));
    assert_ok(doca_eth_rxq_event_managed_recv_get_l4_ok(event, &told[1].l4_ok));
    assert_ok(doca_buf_dec_refcount(pkt, NULL));
    told[1].seen++;
}

static void on_batch(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t num,
                     union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    const uint8_t *l3_ok, *l4_ok;

    (void)data;
    assert_ok(status);
    assert_ok(doca_eth_rxq_event_batch_managed_recv_get_l3_ok_array(event, &l3_ok));
    assert_ok(doca_eth_rxq_event_batch_managed_recv_get_l4_ok_array(event, &l4_ok));
    told[2].l3_ok = l3_ok[num - 1];
    told[2].l4_ok = l4_ok[num - 1];
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free(pkts);
    told[2].seen += num;
}

static struct doca_eth_rxq *open_rxq(uint32_t how)
{
    struct doca_eth_rxq *rxq;

    assert_ok(doca_eth_rxq_create(s.fix.b, 64, 2048, &rxq));
    if (how == 0) {
        assert_ok(doca_eth_rxq_task_recv_set_conf(rxq, on_task, on_task, 64));
    } else {
        assert_ok(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
        assert_ok(doca_eth_rxq_set_pkt_buf(rxq, s.fix.map, 0, AREA));
    }
    if (how == 1)
        assert_ok(doca_eth_rxq_event_managed_recv_register(rxq, (union doca_data){.u64 = 0},
                                                           on_event, on_event));
    if (how == 2)
        assert_ok(doca_eth_rxq_event_batch_managed_recv_register(
            rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_16, DOCA_EVENT_BATCH_EVENTS_NUMBER_1,
            (union doca_data){.u64 = 0}, on_batch, on_batch));
    assert_ok(doca_pe_connect_ctx(s.fix.pe, doca_eth_rxq_as_doca_ctx(rxq)));
    assert_ok(doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq)));
    return rxq;
}

static void post(struct doca_eth_rxq *rxq)
{
    struct doca_eth_rxq_task_recv *task;

    assert_ok(doca_eth_rxq_task_recv_allocate_init(rxq, eth_buf(&s.fix, 0, 2048, 0),
                                                   (union doca_data){.u64 = 0}, &task));
    assert_ok(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task)));
}

static void queues_tell_whether_sums_are_right(void **state)
{
    (void)state;
    memset(told, 0, sizeof(told));
    for (uint32_t how = 0; how < 3; how++) {
        struct doca_eth_rxq *rxq;

        memset(&s, 0, sizeof(s));
        eth_fix_open(&s.fix, MEM);
        rxq = open_rxq(how);
        eth_sender_open(&s.fix, &s.sender);
        for (uint32_t i = 0; i < NFRAMES; i++) {
            if (how == 0)
                post(rxq);
            send_frame(i);
            eth_wait(&s.fix, &told[how].seen, i + 1);
            if (told[how].l3_ok != frames[i].l3_ok || told[how].l4_ok != frames[i].l4_ok)
                fail_msg("frame %u, queue %u: l3_ok %u, l4_ok %u", i, how, told[how].l3_ok,
                         told[how].l4_ok);
        }
        eth_sender_close(&s.fix, &s.sender);
        eth_stop(&s.fix, doca_eth_rxq_as_doca_ctx(rxq));
        assert_ok(doca_eth_rxq_destroy(rxq));
        eth_fix_close(&s.fix);
    }
}

/* ---- what rules match ---- */

static struct doca_flow_parser_meta bit(uint32_t number)
{
    struct doca_flow_parser_meta meta = {0};

    meta.outer_l3_ok = number == 0;
    meta.outer_ip4_checksum_ok = number == 1;
    meta.outer_l4_ok = number == 2;
    meta.outer_l4_checksum_ok = number == 3;
    return meta;
}

/* A bit that is set leads to one queue, one that is not (zero, with a mask) to the other one. */
static void rules_match_headers_and_sums(void **state)
{
    const struct doca_flow_match none = {0};
    struct doca_flow_fwd fwd[2];
    struct doca_flow_pipe *root;
    uint16_t ids[] = {0, 1};

    (void)state;
    open_all(2);
    fwd[0] = to_queue(&ids[0]);
    fwd[1] = to_queue(&ids[1]);
    for (uint32_t bits = 0; bits < 4; bits++) {
        const struct doca_flow_match set = {.parser_meta = bit(bits)};

        root = make_pipe(DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL);
        add_control(root, &set, NULL, 0, &fwd[0]);
        add_control(root, &none, &set, 1, &fwd[1]);
        for (uint32_t i = 0; i < NFRAMES; i++) {
            uint32_t queue = (frames[i].matches >> bits & 1) == 1 ? 0 : 1;
            uint32_t wanted = s.q[queue].seen + 1, seen = s.seen + 1;

            send_frame(i);
            eth_wait(&s.fix, &s.seen, seen);
            if (s.q[queue].seen != wanted)
                fail_msg("frame %u, bit %u: not in queue %u", i, bits, queue);
        }
        doca_flow_pipe_destroy(root);
    }
    close_all();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_tell_whether_sums_are_right),
        cmocka_unit_test(rules_match_headers_and_sums),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The XDP program of a port and the classifier read the same frames alike: a frame that a rule
 * wants is claimed, whatever it looks like, and of the others only those that the program may not
 * tell apart. Thousands of frames, good ones and broken ones, under rules over any fields. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <netinet/in.h>

#include "lib/eth_wire.h"
#include "soft/nic/af_xdp/module/af_xdp_priv.h"
#include "soft/nic/flow_priv.h"
#include "soft/nic/packet.h"

#define LONGEST 400u
#define RULES   6u
#define SETS    200u /* of rules */
#define FRAMES  100u /* for each */

#define CHECK_MAX 3000u /* instructions that the kernel goes through; 1547 with Linux 6.18 */

static struct {
    struct soft_device device;
    struct soft_nic_port *port;
    struct soft_nic_ops ops;
    struct af_xdp_program *program;
    struct soft_nic_table *table;
    uint64_t random;
    uint32_t wanted, passed, unclear;
} s;

/* ------------------------------------------------------------------------------------------------
 * Frames
 */

static uint32_t roll(uint32_t sides)
{
    s.random = s.random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s.random >> 33) % sides;
}

static uint32_t put_ethernet(uint8_t *at)
{
    static const uint16_t types[] = {ETH_P_IP, ETH_P_IP, ETH_P_IPV6, ETH_P_IPV6, ETH_P_ARP};
    uint32_t tags = roll(3) == 0 ? 1 + roll(3) : 0, len = 12;

    at[5] = (uint8_t)roll(3);
    for (uint32_t i = 0; i < tags; i++, len += 4) {
        soft_nic_put16(at + len, roll(2) == 0 ? ETH_P_8021Q : ETH_P_8021AD);
        soft_nic_put16(at + len + 2, (uint16_t)roll(4));
    }
    soft_nic_put16(at + len, types[roll(OD_ARRAY_SIZE(types))]);
    return len + 2;
}

static uint8_t roll_proto(void)
{
    static const uint8_t protos[] = {IPPROTO_TCP,     IPPROTO_TCP,     IPPROTO_UDP,
                                     IPPROTO_UDP,     IPPROTO_ICMP,    IPPROTO_ICMPV6,
                                     IPPROTO_ESP,     IPPROTO_HOPOPTS, IPPROTO_GRE,
                                     IPPROTO_ROUTING, IPPROTO_DSTOPTS, IPPROTO_FRAGMENT};

    return protos[roll(OD_ARRAY_SIZE(protos))];
}

static uint32_t put_ipv4(uint8_t *at, uint32_t payload)
{
    uint32_t header = roll(4) == 0 ? 20 + 4 * roll(11) : 20;

    at[0] = (uint8_t)(0x40 | header / 4);
    soft_nic_put16(at + 2, (uint16_t)(header + payload));
    at[6] = roll(6) == 0 ? 0x20 : (uint8_t)(roll(2) * 0x40);
    at[8] = (uint8_t)(1 + roll(3));
    at[9] = roll_proto();
    at[15] = (uint8_t)roll(3);
    at[19] = (uint8_t)roll(3);
    return header;
}

static uint32_t put_ipv6(uint8_t *at, uint32_t payload)
{
    at[0] = 0x60;
    soft_nic_put16(at + 4, (uint16_t)payload);
    at[6] = roll_proto();
    at[23] = (uint8_t)roll(3);
    at[39] = (uint8_t)roll(3);
    return 40;
}

/* Ports and the length of a TCP header; in an extension the next header and its length. */
static void put_payload(uint8_t *at)
{
    at[0] = roll(2) == 0 ? roll_proto() : 0;
    at[1] = (uint8_t)roll(3);
    at[3] = (uint8_t)roll(3);
    at[12] = (uint8_t)((roll(4) == 0 ? roll(16) : 5) << 4);
}

/* Mostly whole, then broken at random: cut off, or with wrong bytes in the headers. */
static uint32_t make_frame(uint8_t *frame)
{
    uint32_t payload = roll(3) == 0 ? roll(30) : 30 + roll(100), len;

    memset(frame, 0, LONGEST);
    len = put_ethernet(frame);
    if (soft_nic_get16(frame + len - 2) == ETH_P_IP)
        len += put_ipv4(frame + len, payload);
    else if (soft_nic_get16(frame + len - 2) == ETH_P_IPV6)
        len += put_ipv6(frame + len, payload);
    put_payload(frame + len);
    for (uint32_t n = roll(3) == 0 ? 1 + roll(4) : 0; n > 0; n--)
        frame[roll(len + 14)] = (uint8_t)roll(256);
    len += payload + (roll(3) == 0 ? roll(20) : 0);
    if (roll(4) == 0)
        len = roll(len + 1);
    return OD_MAX(len, (uint32_t)ETH_HLEN); /* the kernel runs no program over less */
}

/* ------------------------------------------------------------------------------------------------
 * Rules
 */

/* Fields that the program knows, those of some frame. */
static void make_rule(struct soft_nic_entry_conf *conf)
{
    uint8_t frame[LONGEST], *mask = (uint8_t *)&conf->mask, *value = (uint8_t *)&conf->value;
    struct {
        size_t at, len;
    } fields[] = {
#define FIELD(name) {offsetof(struct soft_nic_keys, name), sizeof(conf->mask.name)}
        FIELD(dst_mac), FIELD(ether_type), FIELD(is_fragment), FIELD(l3),       FIELD(l4),
        FIELD(proto),   FIELD(src_ip),     FIELD(dst_ip),      FIELD(src_port), FIELD(dst_port),
#undef FIELD
    };
    struct soft_nic_packet packet;
    struct soft_nic_keys keys;
    uint32_t len = make_frame(frame);

    soft_nic_parse(frame, len, &packet);
    soft_nic_keys_read(frame, &packet, &keys);
    *conf = (struct soft_nic_entry_conf){
        .priority = roll(3),
        .fwd = {.kind = roll(2) == 0 ? SOFT_NIC_FWD_DROP : SOFT_NIC_FWD_ALL_QUEUES}};
    for (uint32_t n = 1 + roll(3); n > 0; n--) {
        uint32_t i = roll(OD_ARRAY_SIZE(fields));

        memset(mask + fields[i].at, roll(4) == 0 ? (int)roll(256) : 0xff, fields[i].len);
    }
    for (size_t i = 0; i < sizeof(keys); i++)
        value[i] = ((const uint8_t *)&keys)[i] & mask[i];
}

static int claim(struct soft_nic_backend *backend, const struct soft_nic_claim *what, bool on)
{
    (void)backend;
    return af_xdp_program_claim(s.program, what, on);
}

/* ------------------------------------------------------------------------------------------------
 * Both of them
 */

/* What is claimed is too long for the program, and ends there. */
static bool program_claims(uint8_t *frame, uint32_t len)
{
    LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len, .repeat = 1);

    assert_int_equal(bpf_prog_test_run_opts(af_xdp_program_fd(s.program), &opts), 0);
    assert_true(opts.retval == XDP_DROP || opts.retval == XDP_PASS);
    return opts.retval == XDP_DROP;
}

static bool classifier_wants(uint8_t *bytes, uint32_t len)
{
    const struct soft_nic_counters *counters = soft_nic_port_counters(s.port);
    uint64_t before = soft_nic_count(counters, SOFT_NIC_RX_KERNEL);
    struct soft_nic_frame frame = {.data = bytes, .len = len, .time = 1};

    soft_nic_port_lock(s.port);
    soft_nic_steer(s.port, &frame, 1);
    soft_nic_port_unlock(s.port);
    return soft_nic_count(counters, SOFT_NIC_RX_KERNEL) == before;
}

static bool is_extension(uint8_t proto)
{
    return proto == IPPROTO_HOPOPTS || proto == IPPROTO_ROUTING || proto == IPPROTO_DSTOPTS ||
           proto == IPPROTO_FRAGMENT;
}

/* IP headers that promise what is not there, extension headers, TCP headers that are cut off. */
static bool may_be_unclear(const uint8_t *frame, uint32_t len)
{
    const uint8_t *ip;
    struct soft_nic_packet packet;

    soft_nic_parse(frame, len, &packet);
    ip = frame + packet.l2_len;
    if (packet.l3 == SOFT_NIC_L3_NONE)
        return (packet.ether_type == ETH_P_IP && len - packet.l2_len >= SOFT_NIC_IPV4_LEN &&
                ip[0] >> 4 == 4) ||
               (packet.ether_type == ETH_P_IPV6 && len - packet.l2_len >= SOFT_NIC_IPV6_LEN &&
                ip[0] >> 4 == 6);
    if (packet.l3 == SOFT_NIC_L3_IPV6 && is_extension(ip[6]))
        return true;
    return packet.proto == IPPROTO_TCP && packet.l4 == SOFT_NIC_L4_NONE && !packet.is_fragment;
}

static void print_frame(const uint8_t *frame, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        print_message("%02x", frame[i]);
    print_message("\n");
}

static void compare(uint8_t *frame, uint32_t len)
{
    const bool claimed = program_claims(frame, len), wanted = classifier_wants(frame, len);

    s.wanted += wanted;
    s.passed += !claimed;
    if (claimed == wanted)
        return;
    s.unclear++;
    if (claimed && may_be_unclear(frame, len))
        return;
    print_frame(frame, len);
    fail_msg("a rule %s this frame, the program %s it", wanted ? "wants" : "does not want",
             claimed ? "claims" : "leaves");
}

static void one_set(void)
{
    struct soft_nic_entry *entries[RULES];
    uint8_t frame[LONGEST];
    uint32_t n = 1 + roll(RULES);

    for (uint32_t i = 0; i < n; i++) {
        struct soft_nic_entry_conf conf;

        make_rule(&conf);
        assert_int_equal(soft_nic_entry_add(s.table, &conf, &entries[i]), 0);
    }
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint32_t len = make_frame(frame);

        compare(frame, len);
    }
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(soft_nic_entry_remove(entries[i]), 0);
        soft_nic_entry_free(entries[i]);
    }
}

static void both_read_all_frames_alike(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SETS; i++)
        one_set();
    print_message("%u wanted, %u left alone, %u not told apart\n", s.wanted, s.passed, s.unclear);
    /* Neither side says always the same. */
    assert_in_range(s.wanted, SETS * FRAMES / 20, SETS * FRAMES);
    assert_in_range(s.passed, SETS * FRAMES / 20, SETS * FRAMES);
    assert_in_range(s.unclear, 1, SETS * FRAMES / 5);
}

/* What rules claimed is given back with them. */
static void without_rules_nothing_is_claimed(void **state)
{
    uint8_t frame[LONGEST];

    (void)state;
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint32_t len = make_frame(frame);

        assert_false(program_claims(frame, len));
    }
}

static int open_both(void **state)
{
    const struct soft_nic_table_conf conf = {.kind = SOFT_NIC_TABLE_LIST, .max_entries = RULES};

    (void)state;
    s.random = 7;
    af_xdp_program_set_longest(s.program, 0);
    snprintf(s.device.port, sizeof(s.device.port), "loop");
    s.device.mtu = 1500;
    assert_int_equal(soft_nic_port_hold(&s.device, &s.port), 0);
    s.ops = *s.port->backend->ops;
    s.ops.claim = claim;
    soft_nic_thread_stop(s.port); /* it reads what is changed here */
    s.port->backend->ops = &s.ops;
    atomic_store(&s.port->over, false);
    assert_int_equal(soft_nic_thread_start(s.port), 0);
    assert_int_equal(soft_nic_table_create(s.port, &conf, &s.table), 0);
    soft_nic_port_set_root(s.port, s.table);
    return 0;
}

static int close_both(void **state)
{
    (void)state;
    soft_nic_port_clear(s.port);
    soft_nic_table_destroy(s.table);
    soft_nic_port_release(s.port);
    return 0;
}

/* A signal ends the kernel's check, which is then begun again: it has to be short. */
static void the_kernel_checks_the_program_quickly(void **state)
{
    struct bpf_prog_info info = {0};
    uint32_t len = sizeof(info);

    (void)state;
    assert_int_equal(bpf_obj_get_info_by_fd(af_xdp_program_fd(s.program), &info, &len), 0);
    assert_true(info.verified_insns < CHECK_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_read_all_frames_alike),
        cmocka_unit_test(without_rules_nothing_is_claimed),
        cmocka_unit_test(the_kernel_checks_the_program_quickly),
    };
    int rc = eth_check_xdp();

    if (rc != 0)
        return rc;
    rc = af_xdp_program_load(0, &s.program);
    if (rc == -EPERM)
        return eth_skip(soft_reason());
    if (rc != 0)
        fprintf(stderr, "%s\n", soft_reason());
    rc = rc != 0 ? 1 : cmocka_run_group_tests(tests, open_both, close_both);
    af_xdp_program_unload(s.program);
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define ROOM 16u

struct frame {
    uint8_t bytes[256];
    uint8_t *data;
    uint32_t len;
    struct soft_nic_packet packet;
    struct soft_nic_keys keys;
};

static void look(struct frame *frame)
{
    soft_nic_parse(frame->data, frame->len, &frame->packet);
    soft_nic_keys_read(frame->data, &frame->packet, &frame->keys);
}

static void begin(struct frame *frame, uint32_t tags, uint16_t type, uint32_t len)
{
    memset(frame, 0, sizeof(*frame));
    frame->data = frame->bytes + ROOM;
    memcpy(frame->data, "\x02\0\0\0\0\x02\x02\0\0\0\0\x01", 12);
    frame->len = 14 + 4 * tags + len;
    for (uint32_t i = 0; i < tags; i++) {
        soft_nic_put16(frame->data + 12 + 4 * i, 0x8100);
        soft_nic_put16(frame->data + 14 + 4 * i, (uint16_t)(100 + i));
    }
    soft_nic_put16(frame->data + 12 + 4 * tags, type);
}

/* A payload that is no pattern, correct sums. */
static void end(struct frame *frame, uint8_t *l4, uint8_t proto, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        l4[i] = (uint8_t)(i * 37 + 11);
    soft_nic_put16(l4, 1000);
    soft_nic_put16(l4 + 2, 2000);
    if (proto == 17)
        soft_nic_put16(l4 + 4, (uint16_t)len);
    if (proto == 6)
        l4[12] = 0x50;
    look(frame);
    soft_nic_l3_sum(frame->data, &frame->packet);
    soft_nic_l4_sum(frame->data, &frame->packet);
    look(frame);
}

static void make_ipv4(struct frame *frame, uint32_t tags, uint8_t proto, uint32_t len)
{
    uint8_t *ip;

    begin(frame, tags, 0x0800, 20 + len);
    ip = frame->data + 14 + 4 * tags;
    ip[0] = 0x45;
    soft_nic_put16(ip + 2, (uint16_t)(20 + len));
    ip[8] = 64;
    ip[9] = proto;
    memcpy(ip + 12, "\xc0\0\x02\x01\xc0\0\x02\x02", 8);
    end(frame, ip + 20, proto, len);
}

static void make_ipv6(struct frame *frame, uint8_t proto, uint32_t len)
{
    uint8_t *ip;

    begin(frame, 0, 0x86dd, 40 + len);
    ip = frame->data + 14;
    ip[0] = 0x60;
    soft_nic_put16(ip + 4, (uint16_t)len);
    ip[6] = proto;
    ip[7] = 64;
    memcpy(ip + 8,
           "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02",
           32);
    end(frame, ip + 40, proto, len);
}

static void assert_sums(const struct frame *frame)
{
    assert_true(soft_nic_l3_is_ok(frame->data, &frame->packet));
    assert_true(soft_nic_l4_is_ok(frame->data, &frame->packet));
}

static void apply(struct soft_nic_action *action, struct frame *frame)
{
    struct soft_nic_keys told;

    assert_true(soft_nic_action_seal(action));
    soft_nic_rewrite(action, &frame->data, &frame->len, &frame->packet, &frame->keys);
    told = frame->keys;
    look(frame);
    assert_memory_equal(&told, &frame->keys, offsetof(struct soft_nic_keys, pkt_meta));
}

static void set16(uint16_t *mask, uint16_t *value, uint16_t to)
{
    *mask = 0xffff;
    soft_nic_put16((uint8_t *)value, to);
}

static void checksums_follow_addresses_ports_and_ttl(void **state)
{
    static const struct {
        uint8_t l4, l4_mask, proto;
    } kinds[] = {{SOFT_NIC_L4_TCP, 0xff, 6},
                 {SOFT_NIC_L4_UDP, 0xff, 17},
                 {SOFT_NIC_L4_TRANSPORT, SOFT_NIC_L4_TRANSPORT, 17}};
    struct frame frame;

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct soft_nic_action action = {
            .l3 = SOFT_NIC_L3_IPV4, .l4 = kinds[i].l4, .l4_mask = kinds[i].l4_mask};

        make_ipv4(&frame, 0, kinds[i].proto, 41);
        memset(action.mask.src_ip, 0xff, 4);
        memcpy(action.value.src_ip, "\xcb\0\x71\x07", 4);
        action.mask.dst_ip[3] = 0xff; /* one byte of it */
        action.value.dst_ip[3] = 99;
        action.mask.ttl = 0xff;
        action.value.ttl = 7;
        action.mask.dscp_ecn = 0xfc;
        action.value.dscp_ecn = 0xb8;
        set16(&action.mask.src_port, &action.value.src_port, 4444);
        set16(&action.mask.dst_port, &action.value.dst_port, 80);
        memset(action.mask.dst_mac, 0xff, 6);
        memcpy(action.value.dst_mac, "\x02\xaa\xbb\xcc\xdd\xee", 6);
        apply(&action, &frame);
        assert_sums(&frame);
        assert_memory_equal(frame.data, "\x02\xaa\xbb\xcc\xdd\xee\x02\0\0\0\0\x01", 12);
        assert_memory_equal(frame.data + 26, "\xcb\0\x71\x07\xc0\0\x02\x63", 8);
        assert_int_equal(frame.data[22], 7);
        assert_int_equal(frame.data[15], 0xb8);
        assert_int_equal(soft_nic_get16(frame.data + 34), 4444);
        assert_int_equal(soft_nic_get16(frame.data + 36), 80);
    }
}

static void ipv6_and_icmpv6_follow_too(void **state)
{
    struct soft_nic_action action = {
        .l3 = SOFT_NIC_L3_IPV6, .l4 = SOFT_NIC_L4_TCP, .l4_mask = 0xff};
    struct frame frame;
    uint8_t before[2];

    (void)state;
    memset(action.mask.dst_ip, 0xff, 16);
    memcpy(action.value.dst_ip, "\x20\x01\x0d\xb8\0\x7f\0\0\0\0\0\0\0\0\0\x09", 16);
    action.mask.dscp_ecn = 0xff;
    action.value.dscp_ecn = 0xb8;
    action.mask.ttl = 0xff;
    action.value.ttl = 3;
    make_ipv6(&frame, 6, 33);
    apply(&action, &frame);
    assert_sums(&frame);
    assert_memory_equal(frame.data + 38, action.value.dst_ip, 16);
    assert_int_equal(soft_nic_get32(frame.data + 14), 0x6b800000);
    assert_int_equal(frame.data[21], 3);

    make_ipv6(&frame, 58, 33); /* its sum covers the addresses */
    memcpy(before, frame.data + 56, 2);
    apply(&action, &frame);
    assert_memory_not_equal(frame.data + 56, before, 2);
}

static void udp_without_a_checksum_stays_without(void **state)
{
    struct soft_nic_action action = {
        .l3 = SOFT_NIC_L3_IPV4, .l4 = SOFT_NIC_L4_UDP, .l4_mask = 0xff};
    struct frame frame;

    (void)state;
    set16(&action.mask.dst_port, &action.value.dst_port, 53);
    make_ipv4(&frame, 0, 17, 20);
    soft_nic_put16(frame.data + 40, 0);
    apply(&action, &frame);
    assert_int_equal(soft_nic_get16(frame.data + 40), 0);
    assert_int_equal(soft_nic_get16(frame.data + 36), 53);
}

/* Fields of headers that are not there: nothing is written. */
static void other_headers_are_left_alone(void **state)
{
    struct soft_nic_action action = {
        .l3 = SOFT_NIC_L3_IPV6, .l4 = SOFT_NIC_L4_TCP, .l4_mask = 0xff};
    struct frame frame, before;

    (void)state;
    memset(action.mask.src_ip, 0xff, 16);
    set16(&action.mask.dst_port, &action.value.dst_port, 53);
    set16(&action.mask.vlan[0], &action.value.vlan[0], 5);
    make_ipv4(&frame, 0, 17, 20);
    before = frame;
    apply(&action, &frame);
    assert_memory_equal(frame.bytes, before.bytes, sizeof(frame.bytes));
    for (uint32_t len = 0; len < 64; len++) { /* frames that are cut off */
        make_ipv4(&frame, 0, 6, 40);
        frame.len = len;
        look(&frame);
        apply(&action, &frame);
    }
}

static void tags_go_off_and_on(void **state)
{
    struct soft_nic_action pop = {.pops_vlan = true}, push = {.pushes_vlan = true}, both;
    struct frame frame;
    uint8_t inner[64];

    (void)state;
    soft_nic_put16((uint8_t *)&push.vlan_type, 0x88a8);
    soft_nic_put16((uint8_t *)&push.vlan_tci, 42);
    make_ipv4(&frame, 1, 17, 20);
    memcpy(inner, frame.data + 18, 40);
    apply(&pop, &frame);
    assert_int_equal(frame.len, 54);
    assert_int_equal(frame.packet.nvlans, 0);
    assert_memory_equal(frame.data, "\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0", 14);
    assert_memory_equal(frame.data + 14, inner, 40);
    apply(&pop, &frame); /* there is none */
    assert_int_equal(frame.len, 54);
    apply(&push, &frame);
    assert_int_equal(frame.len, 58);
    assert_memory_equal(frame.data, "\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x88\xa8\0\x2a\x08\0", 18);
    assert_memory_equal(frame.data + 18, inner, 40);
    assert_sums(&frame);

    both = push; /* the tag that is set is the one that remains, not the new one */
    both.pops_vlan = true;
    set16(&both.mask.vlan[0], &both.value.vlan[0], 7);
    make_ipv4(&frame, 2, 17, 20);
    apply(&both, &frame);
    assert_int_equal(frame.packet.nvlans, 2);
    assert_int_equal(soft_nic_get16(frame.data + 14), 42);
    assert_int_equal(soft_nic_get16(frame.data + 18), 7);
}

static void metadata_are_set_beside(void **state)
{
    struct soft_nic_action action = {.mask = {.pkt_meta = 0xff00, .scratch = {[2] = UINT32_MAX}},
                                     .value = {.pkt_meta = 0x1200, .scratch = {[2] = 5}}};
    struct soft_nic_action nothing = {.value = {.pkt_meta = 1}};
    struct frame frame;

    (void)state;
    assert_false(soft_nic_action_seal(&nothing));
    make_ipv4(&frame, 0, 17, 20);
    frame.keys.pkt_meta = 0xffff;
    assert_true(soft_nic_action_seal(&action));
    assert_false(soft_nic_action_changes_frames(&action));
    soft_nic_rewrite(&action, &frame.data, &frame.len, &frame.packet, &frame.keys);
    assert_int_equal(frame.keys.pkt_meta, 0x12ff);
    assert_int_equal(frame.keys.scratch[2], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_follow_addresses_ports_and_ttl),
        cmocka_unit_test(ipv6_and_icmpv6_follow_too),
        cmocka_unit_test(udp_without_a_checksum_stays_without),
        cmocka_unit_test(other_headers_are_left_alone),
        cmocka_unit_test(tags_go_off_and_on),
        cmocka_unit_test(metadata_are_set_beside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

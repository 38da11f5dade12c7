/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/nic/packet.h"

/* A UDP datagram of four bytes over IPv4, without a sum of its own. */
static const uint8_t udp4[] = {
    2,    0,    0,    0,    0,    2,    2,    0,    0,    0,    0,   1,   0x08, 0x00, 0x45, 0x00,
    0x00, 0x20, 0x00, 0x01, 0x00, 0x00, 0x40, 0x11, 0xf6, 0xc8, 192, 0,   2,    1,    192,  0,
    2,    2,    0x04, 0xd2, 0x16, 0x2e, 0x00, 0x0c, 0x00, 0x00, 'a', 'b', 'c',  'd'};

static void *copy(const uint8_t *from, size_t len)
{
    void *to = malloc(len > 0 ? len : 1); /* exactly so long: a read behind it is seen */

    assert_non_null(to);
    memcpy(to, from, len);
    return to;
}

static void headers_are_found(void **state)
{
    struct soft_nic_packet packet;

    (void)state;
    soft_nic_parse(udp4, sizeof(udp4), &packet);
    assert_int_equal(packet.ether_type, 0x0800);
    assert_int_equal(packet.l3, SOFT_NIC_L3_IPV4);
    assert_int_equal(packet.l3_off, 14);
    assert_int_equal(packet.l4, SOFT_NIC_L4_UDP);
    assert_int_equal(packet.l4_off, 34);
    assert_int_equal(packet.l4_len, 12);
    assert_false(packet.is_fragment);
}

static void checksums_hold_once_they_are_written(void **state)
{
    struct soft_nic_packet packet;
    uint8_t *frame = copy(udp4, sizeof(udp4));

    (void)state;
    soft_nic_parse(frame, sizeof(udp4), &packet);
    assert_true(soft_nic_l4_is_ok(frame, &packet)); /* none is good */
    frame[24] ^= 1;
    assert_false(soft_nic_l3_is_ok(frame, &packet));
    soft_nic_l3_sum(frame, &packet);
    assert_true(soft_nic_l3_is_ok(frame, &packet));
    assert_int_equal(soft_nic_get16(frame + 24), 0xf6c8);
    soft_nic_l4_sum(frame, &packet);
    assert_int_not_equal(soft_nic_get16(frame + 40), 0);
    assert_true(soft_nic_l4_is_ok(frame, &packet));
    for (size_t i = 34; i < sizeof(udp4); i++) {
        frame[i] ^= 0x10;
        assert_false(soft_nic_l4_is_ok(frame, &packet));
        frame[i] ^= 0x10;
    }
    free(frame);
}

/* As the stack leaves it to an interface: the sum of the addresses, the protocol and the length. */
static void a_sum_that_was_left_to_hardware_is_known(void **state)
{
    struct soft_nic_packet packet;
    uint8_t *frame = copy(udp4, sizeof(udp4));
    uint32_t sum = 17;

    (void)state;
    soft_nic_parse(frame, sizeof(udp4), &packet);
    assert_false(soft_nic_l4_is_open(frame, &packet)); /* none */
    for (size_t i = 26; i < 34; i += 2)
        sum += soft_nic_get16(frame + i);
    sum += packet.l4_len;
    soft_nic_put16(frame + 40, (uint16_t)((sum & 0xffff) + (sum >> 16)));
    assert_true(soft_nic_l4_is_open(frame, &packet));
    soft_nic_l4_sum(frame, &packet);
    assert_false(soft_nic_l4_is_open(frame, &packet));
    assert_true(soft_nic_l4_is_ok(frame, &packet));
    free(frame);
}

/* The sum of a UDP datagram comes out as 0, which would mean that there is none. */
static void a_udp_sum_of_zero_is_sent_as_all_ones(void **state)
{
    struct soft_nic_packet packet;
    uint8_t *frame = copy(udp4, sizeof(udp4));
    uint16_t sum;

    (void)state;
    soft_nic_parse(frame, sizeof(udp4), &packet);
    memset(frame + 42, 0, 4);
    soft_nic_l4_sum(frame, &packet);
    sum = soft_nic_get16(frame + 40);
    soft_nic_put16(frame + 42, sum); /* the data now completes the sum */
    soft_nic_l4_sum(frame, &packet);
    assert_int_equal(soft_nic_get16(frame + 40), 0xffff);
    assert_true(soft_nic_l4_is_ok(frame, &packet));
    free(frame);
}

static void fragments_and_tags_are_seen(void **state)
{
    struct soft_nic_packet packet;
    uint8_t tagged[sizeof(udp4) + 4];

    (void)state;
    memcpy(tagged, udp4, 12);
    memcpy(tagged + 12, "\x81\x00\x00\x05", 4);
    memcpy(tagged + 16, udp4 + 12, sizeof(udp4) - 12);
    soft_nic_parse(tagged, sizeof(tagged), &packet);
    assert_int_equal(packet.nvlans, 1);
    assert_int_equal(packet.ether_type, 0x0800);
    assert_int_equal(packet.l4_off, 38);
    tagged[24] = 0x20; /* more fragments */
    soft_nic_parse(tagged, sizeof(tagged), &packet);
    assert_true(packet.is_fragment);
    assert_int_equal(packet.l3, SOFT_NIC_L3_IPV4);
    assert_int_equal(packet.l4, SOFT_NIC_L4_NONE);
}

static void ipv6_extensions_are_stepped_over(void **state)
{
    uint8_t frame[14 + 40 + 8 + 8] = {[12] = 0x86, [13] = 0xdd, [14] = 0x60, [19] = 16, [20] = 0};
    struct soft_nic_packet packet;

    (void)state;
    frame[54] = 17; /* behind the hop-by-hop header */
    soft_nic_put16(frame + 62 + 4, 8);
    soft_nic_parse(frame, sizeof(frame), &packet);
    assert_int_equal(packet.l3, SOFT_NIC_L3_IPV6);
    assert_int_equal(packet.l4, SOFT_NIC_L4_UDP);
    assert_int_equal(packet.l4_off, 62);
    assert_true(soft_nic_l3_is_ok(frame, &packet));
    assert_false(soft_nic_l4_is_ok(frame, &packet)); /* IPv6 has no datagrams without a sum */
    soft_nic_l4_sum(frame, &packet);
    assert_true(soft_nic_l4_is_ok(frame, &packet));
    frame[20] = 44; /* a fragment header instead */
    soft_nic_parse(frame, sizeof(frame), &packet);
    assert_true(packet.is_fragment);
    assert_int_equal(packet.l4, SOFT_NIC_L4_NONE);
}

static void cut_frames_have_no_layer_that_is_cut(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof(udp4); len++) {
        uint8_t *frame = copy(udp4, len);
        struct soft_nic_packet packet;

        soft_nic_parse(frame, (uint32_t)len, &packet);
        assert_int_equal(packet.l4, SOFT_NIC_L4_NONE);
        assert_int_equal(packet.l3, SOFT_NIC_L3_NONE); /* its length is more than there is */
        free(frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_found),
        cmocka_unit_test(checksums_hold_once_they_are_written),
        cmocka_unit_test(a_sum_that_was_left_to_hardware_is_known),
        cmocka_unit_test(a_udp_sum_of_zero_is_sent_as_all_ones),
        cmocka_unit_test(fragments_and_tags_are_seen),
        cmocka_unit_test(ipv6_extensions_are_stepped_over),
        cmocka_unit_test(cut_frames_have_no_layer_that_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/nic/toeplitz.h"

static struct soft_nic_toeplitz toeplitz;

static struct soft_nic_keys flow4(const char *src, uint16_t sport, const char *dst, uint16_t dport)
{
    struct soft_nic_keys keys;

    memset(&keys, 0, sizeof(keys));
    keys.l3 = SOFT_NIC_L3_IPV4;
    keys.l4 = SOFT_NIC_L4_TCP;
    assert_int_equal(inet_pton(AF_INET, src, keys.src_ip), 1);
    assert_int_equal(inet_pton(AF_INET, dst, keys.dst_ip), 1);
    keys.src_port = htons(sport);
    keys.dst_port = htons(dport);
    return keys;
}

#define ADDRESSES (SOFT_NIC_RSS_IPV4_SRC | SOFT_NIC_RSS_IPV4_DST)
#define PORTS     (SOFT_NIC_RSS_TCP_SRC | SOFT_NIC_RSS_TCP_DST)

/* The vectors that are published with the key. */
static void known_flows_have_known_hashes(void **state)
{
    struct soft_nic_keys keys;

    (void)state;
    keys = flow4("66.9.149.187", 2794, "161.142.100.80", 1766);
    assert_int_equal(soft_nic_rss_hash(&toeplitz, &keys, ADDRESSES, false), 0x323e8fc2);
    assert_int_equal(soft_nic_rss_hash(&toeplitz, &keys, ADDRESSES | PORTS, false), 0x51ccc178);
    keys = flow4("199.92.111.2", 14230, "65.69.140.83", 4739);
    assert_int_equal(soft_nic_rss_hash(&toeplitz, &keys, ADDRESSES, false), 0xd718262a);
    assert_int_equal(soft_nic_rss_hash(&toeplitz, &keys, ADDRESSES | PORTS, false), 0xc626b0ea);
}

static void both_directions_are_one_when_symmetric(void **state)
{
    struct soft_nic_keys to = flow4("10.0.0.1", 1000, "10.0.0.2", 80);
    struct soft_nic_keys from = flow4("10.0.0.2", 80, "10.0.0.1", 1000);

    (void)state;
    assert_int_equal(soft_nic_rss_hash(&toeplitz, &to, ADDRESSES | PORTS, true),
                     soft_nic_rss_hash(&toeplitz, &from, ADDRESSES | PORTS, true));
    assert_int_not_equal(soft_nic_rss_hash(&toeplitz, &to, ADDRESSES | PORTS, false),
                         soft_nic_rss_hash(&toeplitz, &from, ADDRESSES | PORTS, false));
}

static void what_is_not_asked_for_is_not_hashed(void **state)
{
    struct soft_nic_keys keys = flow4("10.0.0.1", 1000, "10.0.0.2", 80);

    (void)state;
    assert_int_equal(soft_nic_rss_hash(&toeplitz, &keys, 0, false), 0);
    assert_int_equal(soft_nic_rss_hash(&toeplitz, &keys, SOFT_NIC_RSS_IPV6_SRC, false), 0);
    assert_int_equal(soft_nic_rss_hash(&toeplitz, &keys, ADDRESSES | SOFT_NIC_RSS_UDP_SRC, false),
                     soft_nic_rss_hash(&toeplitz, &keys, ADDRESSES, false));
}

/* As rules spread: by the remainder of 512 places that the queues share in turn. */
static void a_thousand_flows_spread_evenly(void **state)
{
    static const uint32_t queues[] = {2, 3, 4, 5, 64};
    struct soft_nic_keys keys = flow4("10.0.0.1", 1000, "10.0.0.2", 80);
    uint32_t seen[64], random = 1;

    (void)state;
    for (uint32_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
        uint32_t n = queues[i], flows = 250 * n;

        memset(seen, 0, sizeof(seen));
        for (uint32_t flow = 0; flow < flows; flow++) {
            random = random * 1664525 + 1013904223;
            memcpy(keys.src_ip, &random, 4);
            random = random * 1664525 + 1013904223;
            memcpy(&keys.src_port, (char *)&random + 2, 2);
            seen[soft_nic_rss_hash(&toeplitz, &keys, ADDRESSES | PORTS, false) % 512 % n]++;
        }
        for (uint32_t queue = 0; queue < n; queue++)
            assert_in_range(seen[queue], 250 - 63, 250 + 63); /* a quarter */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_flows_have_known_hashes),
        cmocka_unit_test(both_directions_are_one_when_symmetric),
        cmocka_unit_test(what_is_not_asked_for_is_not_hashed),
        cmocka_unit_test(a_thousand_flows_spread_evenly),
    };

    soft_nic_toeplitz_init(&toeplitz, soft_nic_rss_default_key);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

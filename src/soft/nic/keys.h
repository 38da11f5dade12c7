/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_KEYS_H_
#define OD_SOFT_NIC_KEYS_H_

/* What rules can ask of a frame, all in one struct, so that a rule is a mask and a value over it.
 * Header fields are as on the wire; fields of headers that are not there are 0. */

#include "soft/nic/packet.h"

#define SOFT_NIC_SCRATCH 10u

struct soft_nic_keys {
    uint8_t dst_mac[6];
    uint16_t ether_type; /* behind the VLAN tags */
    uint8_t src_mac[6];
    uint8_t vlans; /* bits: a first tag, a second one */
    uint8_t is_fragment;
    uint16_t vlan[2];
    uint8_t l3; /* enum soft_nic_l3 */
    uint8_t l4; /* enum soft_nic_l4 */
    uint8_t proto;
    uint8_t ttl;      /* or hop limit */
    uint8_t dscp_ecn; /* or traffic class */
    uint8_t version_ihl;
    uint16_t ip_len; /* total length of IPv4, payload length of IPv6 */
    uint16_t ident;
    uint16_t fragment;
    uint8_t src_ip[16]; /* IPv4 in the first four bytes */
    uint8_t dst_ip[16];
    uint16_t src_port;
    uint16_t dst_port;
    uint8_t tcp_flags;
    uint8_t tcp_offset;
    uint8_t icmp_type;
    uint8_t icmp_code;
    uint16_t icmp_ident;
    uint16_t port_id; /* host order */
    uint32_t flow_label;
    uint32_t seq; /* of TCP; of ESP its SPI */
    uint32_t ack;
    /* Filled in only for rules that ask, see soft_nic_keys_sums(). */
    uint8_t l3_ok;
    uint8_t ip4_sum_ok;
    uint8_t l4_ok;
    uint8_t l4_sum_ok;
    uint32_t pkt_meta; /* network order, as are the next ones */
    uint32_t scratch[SOFT_NIC_SCRATCH];
} __attribute__((aligned(8)));

#define SOFT_NIC_KEY_WORDS (sizeof(struct soft_nic_keys) / sizeof(uint64_t))
_Static_assert(sizeof(struct soft_nic_keys) % sizeof(uint64_t) == 0, "words");
_Static_assert(sizeof(struct soft_nic_keys) == 136, "no padding that would have to be cleared");

SOFT_API void soft_nic_keys_read(const uint8_t *data, const struct soft_nic_packet *packet,
                                 struct soft_nic_keys *keys);
SOFT_API void soft_nic_keys_sums(const uint8_t *data, const struct soft_nic_packet *packet,
                                 struct soft_nic_keys *keys);

static inline uint64_t soft_nic_key_word(const struct soft_nic_keys *keys, uint32_t word)
{
    uint64_t value;

    __builtin_memcpy(&value, (const char *)keys + word * sizeof(value), sizeof(value));
    return value;
}

#endif /* OD_SOFT_NIC_KEYS_H_ */

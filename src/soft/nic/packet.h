/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_PACKET_H_
#define OD_SOFT_NIC_PACKET_H_

/* What is in a frame: where its headers are, and whether its checksums hold. Frames come from
 * outside: nothing is read behind their end, whatever they claim. */

#include "soft/soft.h"

/* Bytes of headers, without options. */
#define SOFT_NIC_ETHER_LEN 14u
#define SOFT_NIC_VLAN_LEN  4u
#define SOFT_NIC_IPV4_LEN  20u
#define SOFT_NIC_IPV6_LEN  40u
#define SOFT_NIC_TCP_LEN   20u
#define SOFT_NIC_UDP_LEN   8u

enum soft_nic_l3 {
    SOFT_NIC_L3_NONE,
    SOFT_NIC_L3_IPV4,
    SOFT_NIC_L3_IPV6,
};

enum soft_nic_l4 {
    SOFT_NIC_L4_NONE, /* also of fragments */
    SOFT_NIC_L4_ICMP, /* and ICMPv6 */
    SOFT_NIC_L4_ESP,
    SOFT_NIC_L4_TCP = 4,
    SOFT_NIC_L4_UDP = 5,
};
#define SOFT_NIC_L4_TRANSPORT 4u /* the bit that TCP and UDP have in common */

/* Offsets are from the beginning of the frame; those of layers that are not there are 0. */
struct soft_nic_packet {
    uint16_t ether_type; /* behind the VLAN tags; host order */
    uint8_t nvlans;      /* 0 to 2 */
    uint8_t l3;          /* enum soft_nic_l3 */
    uint8_t l4;          /* enum soft_nic_l4 */
    uint8_t proto;       /* what the IP headers say is in them */
    bool is_fragment;
    uint16_t l2_len; /* with VLAN tags; 0: no Ethernet header */
    uint16_t l3_off;
    uint16_t l4_off;
    uint16_t l4_len; /* header and payload, as IP says; all of it is in the frame */
    uint16_t l4_header;
};

SOFT_API void soft_nic_parse(const uint8_t *data, uint32_t len, struct soft_nic_packet *packet);

/* An IPv4 header whose checksum holds, or an IPv6 header. */
SOFT_API bool soft_nic_l3_is_ok(const uint8_t *data, const struct soft_nic_packet *packet);
/* TCP or UDP whose checksum holds. UDP over IPv4 may have none. */
SOFT_API bool soft_nic_l4_is_ok(const uint8_t *data, const struct soft_nic_packet *packet);

/* TCP or UDP whose checksum is that of the addresses only: its sender left it to hardware. Or it
 * happens to be the same. */
SOFT_API bool soft_nic_l4_is_open(const uint8_t *data, const struct soft_nic_packet *packet);

/* Write the checksum of the IPv4 header, of TCP and UDP; frames without are left alone. */
SOFT_API void soft_nic_l3_sum(uint8_t *data, const struct soft_nic_packet *packet);
SOFT_API void soft_nic_l4_sum(uint8_t *data, const struct soft_nic_packet *packet);

static inline uint16_t soft_nic_get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline void soft_nic_put16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

static inline uint32_t soft_nic_get32(const uint8_t *p)
{
    return (uint32_t)soft_nic_get16(p) << 16 | soft_nic_get16(p + 2);
}

static inline void soft_nic_put32(uint8_t *p, uint32_t value)
{
    soft_nic_put16(p, (uint16_t)(value >> 16));
    soft_nic_put16(p + 2, (uint16_t)value);
}

#endif /* OD_SOFT_NIC_PACKET_H_ */

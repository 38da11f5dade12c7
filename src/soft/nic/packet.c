/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/packet.h"

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

#define ICMP_HEADER 8u
#define ESP_HEADER  8u
#define EXTENSIONS  8u /* headers behind that of IPv6 that are looked at */

static bool is_vlan(uint16_t type)
{
    return type == ETH_P_8021Q || type == ETH_P_8021AD;
}

/* ------------------------------------------------------------------------------------------------
 * Where the headers are
 */

static void parse_l4(const uint8_t *data, struct soft_nic_packet *packet, uint32_t off,
                     uint32_t end)
{
    const uint8_t *l4 = data + off;
    uint32_t len = end - off, need;
    uint8_t kind;

    switch (packet->proto) {
    case IPPROTO_TCP:
        kind = SOFT_NIC_L4_TCP;
        need = len >= SOFT_NIC_TCP_LEN ? OD_MAX((uint32_t)(l4[12] >> 4) * 4u, SOFT_NIC_TCP_LEN)
                                       : SOFT_NIC_TCP_LEN;
        break;
    case IPPROTO_UDP:
        kind = SOFT_NIC_L4_UDP;
        need = SOFT_NIC_UDP_LEN;
        break;
    case IPPROTO_ICMP:
    case IPPROTO_ICMPV6:
        kind = SOFT_NIC_L4_ICMP;
        need = ICMP_HEADER;
        break;
    case IPPROTO_ESP:
        kind = SOFT_NIC_L4_ESP;
        need = ESP_HEADER;
        break;
    default:
        return;
    }
    if (len < need)
        return;
    packet->l4 = kind;
    packet->l4_off = (uint16_t)off;
    packet->l4_len = (uint16_t)len;
    packet->l4_header = (uint16_t)need;
}

static void parse_ipv4(const uint8_t *data, struct soft_nic_packet *packet, uint32_t off,
                       uint32_t len)
{
    const uint8_t *ip = data + off;
    uint32_t header, total;

    if (len - off < SOFT_NIC_IPV4_LEN || ip[0] >> 4 != 4)
        return;
    header = (ip[0] & 15u) * 4u;
    total = soft_nic_get16(ip + 2);
    if (header < SOFT_NIC_IPV4_LEN || header > len - off || total < header || total > len - off)
        return;
    packet->l3 = SOFT_NIC_L3_IPV4;
    packet->l3_off = (uint16_t)off;
    packet->proto = ip[9];
    packet->is_fragment = (soft_nic_get16(ip + 6) & 0x3fff) != 0;
    if (!packet->is_fragment)
        parse_l4(data, packet, off + header, off + total);
}

/* Steps over what stands between the header of IPv6 and the payload. False: cut off. */
static bool skip_extensions(const uint8_t *data, struct soft_nic_packet *packet, uint32_t *off,
                            uint32_t end)
{
    for (uint32_t i = 0; i < EXTENSIONS; i++) {
        const uint8_t *header = data + *off;
        uint32_t len;

        if (packet->proto != IPPROTO_HOPOPTS && packet->proto != IPPROTO_ROUTING &&
            packet->proto != IPPROTO_DSTOPTS && packet->proto != IPPROTO_FRAGMENT)
            return true;
        if (end - *off < 8)
            return false;
        if (packet->proto == IPPROTO_FRAGMENT) {
            packet->is_fragment = true;
            packet->proto = header[0];
            return true;
        }
        len = (header[1] + 1u) * 8u;
        if (len > end - *off)
            return false;
        packet->proto = header[0];
        *off += len;
    }
    return false;
}

static void parse_ipv6(const uint8_t *data, struct soft_nic_packet *packet, uint32_t off,
                       uint32_t len)
{
    const uint8_t *ip = data + off;
    uint32_t end, payload;

    if (len - off < SOFT_NIC_IPV6_LEN || ip[0] >> 4 != 6)
        return;
    payload = soft_nic_get16(ip + 4);
    if (payload > len - off - SOFT_NIC_IPV6_LEN)
        return;
    end = off + SOFT_NIC_IPV6_LEN + payload;
    packet->l3 = SOFT_NIC_L3_IPV6;
    packet->l3_off = (uint16_t)off;
    packet->proto = ip[6];
    off += SOFT_NIC_IPV6_LEN;
    if (skip_extensions(data, packet, &off, end) && !packet->is_fragment)
        parse_l4(data, packet, off, end);
}

void soft_nic_parse(const uint8_t *data, uint32_t len, struct soft_nic_packet *packet)
{
    uint32_t off = SOFT_NIC_ETHER_LEN;

    *packet = (struct soft_nic_packet){0};
    if (len < SOFT_NIC_ETHER_LEN || len > UINT16_MAX)
        return;
    packet->ether_type = soft_nic_get16(data + 12);
    while (packet->nvlans < 2 && is_vlan(packet->ether_type) && len - off >= SOFT_NIC_VLAN_LEN) {
        packet->ether_type = soft_nic_get16(data + off + 2);
        packet->nvlans++;
        off += SOFT_NIC_VLAN_LEN;
    }
    packet->l2_len = (uint16_t)off;
    if (packet->ether_type == ETH_P_IP)
        parse_ipv4(data, packet, off, len);
    else if (packet->ether_type == ETH_P_IPV6)
        parse_ipv6(data, packet, off, len);
}

/* ------------------------------------------------------------------------------------------------
 * Checksums: sums of 16-bit words in ones' complement (RFC 1071), in the byte order of the machine
 */

static uint64_t add_bytes(uint64_t sum, const uint8_t *p, size_t len)
{
    for (; len >= 4; p += 4, len -= 4) {
        uint32_t word;

        memcpy(&word, p, sizeof(word));
        sum += word;
    }
    if (len > 0) {
        uint8_t rest[4] = {0};
        uint32_t word;

        memcpy(rest, p, len);
        memcpy(&word, rest, sizeof(word));
        sum += word;
    }
    return sum;
}

/* As it stands in memory. */
static uint16_t fold(uint64_t sum)
{
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static size_t ipv4_header(const uint8_t *data, const struct soft_nic_packet *packet)
{
    return (data[packet->l3_off] & 15u) * 4u;
}

/* Addresses, protocol, length: what TCP and UDP sum up beside themselves. */
static uint64_t pseudo_header(const uint8_t *data, const struct soft_nic_packet *packet)
{
    const uint8_t *ip = data + packet->l3_off;
    uint8_t tail[4] = {0, packet->proto, (uint8_t)(packet->l4_len >> 8), (uint8_t)packet->l4_len};
    uint64_t sum = add_bytes(0, tail, sizeof(tail));

    return packet->l3 == SOFT_NIC_L3_IPV4 ? add_bytes(sum, ip + 12, 8) : add_bytes(sum, ip + 8, 32);
}

static bool has_l4_sum(const struct soft_nic_packet *packet)
{
    return packet->l4 == SOFT_NIC_L4_TCP || packet->l4 == SOFT_NIC_L4_UDP;
}

static uint8_t *l4_sum_field(const uint8_t *data, const struct soft_nic_packet *packet)
{
    return (uint8_t *)(uintptr_t)data + packet->l4_off + (packet->l4 == SOFT_NIC_L4_TCP ? 16 : 6);
}

bool soft_nic_l3_is_ok(const uint8_t *data, const struct soft_nic_packet *packet)
{
    if (packet->l3 == SOFT_NIC_L3_IPV6)
        return true;
    return packet->l3 == SOFT_NIC_L3_IPV4 &&
           fold(add_bytes(0, data + packet->l3_off, ipv4_header(data, packet))) == 0xffff;
}

bool soft_nic_l4_is_ok(const uint8_t *data, const struct soft_nic_packet *packet)
{
    if (!has_l4_sum(packet))
        return false;
    if (packet->l4 == SOFT_NIC_L4_UDP && soft_nic_get16(l4_sum_field(data, packet)) == 0)
        return packet->l3 == SOFT_NIC_L3_IPV4;
    return fold(add_bytes(pseudo_header(data, packet), data + packet->l4_off, packet->l4_len)) ==
           0xffff;
}

bool soft_nic_l4_is_open(const uint8_t *data, const struct soft_nic_packet *packet)
{
    uint16_t sum;

    if (!has_l4_sum(packet))
        return false;
    memcpy(&sum, l4_sum_field(data, packet), sizeof(sum));
    return sum == fold(pseudo_header(data, packet));
}

void soft_nic_l3_sum(uint8_t *data, const struct soft_nic_packet *packet)
{
    uint8_t *ip = data + packet->l3_off;
    uint16_t sum;

    if (packet->l3 != SOFT_NIC_L3_IPV4)
        return;
    memset(ip + 10, 0, 2);
    sum = (uint16_t)~fold(add_bytes(0, ip, ipv4_header(data, packet)));
    memcpy(ip + 10, &sum, sizeof(sum));
}

void soft_nic_l4_sum(uint8_t *data, const struct soft_nic_packet *packet)
{
    uint8_t *field;
    uint16_t sum;

    if (!has_l4_sum(packet))
        return;
    field = l4_sum_field(data, packet);
    memset(field, 0, 2);
    sum = (uint16_t)~fold(
        add_bytes(pseudo_header(data, packet), data + packet->l4_off, packet->l4_len));
    if (sum == 0 && packet->l4 == SOFT_NIC_L4_UDP)
        sum = 0xffff; /* 0 says that there is none */
    memcpy(field, &sum, sizeof(sum));
}

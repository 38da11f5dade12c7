/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/segment.h"

#include <linux/if_ether.h>
#include <netinet/in.h>

#define TCP_FIN_PSH 0x09u

/* The headers alone are no packet, their lengths are still to be written: looked at with less
 * strictness than what is received. False: not TCP or UDP that ends where the headers end. */
static bool find_l4(struct soft_nic_packet *packet, const uint8_t *header, uint32_t off,
                    uint32_t len)
{
    uint32_t need = packet->proto == IPPROTO_UDP ? SOFT_NIC_UDP_LEN : SOFT_NIC_TCP_LEN;

    if ((packet->proto != IPPROTO_TCP && packet->proto != IPPROTO_UDP) || len < off ||
        len - off < need)
        return false;
    if (packet->proto == IPPROTO_TCP)
        need = (header[off + 12] >> 4) * 4u;
    if (need < SOFT_NIC_UDP_LEN || len - off != need)
        return false;
    packet->l4 = packet->proto == IPPROTO_TCP ? SOFT_NIC_L4_TCP : SOFT_NIC_L4_UDP;
    packet->l4_off = (uint16_t)off;
    packet->l4_header = (uint16_t)need;
    return true;
}

static bool find_headers(struct soft_nic_packet *packet, const uint8_t *header, uint32_t len)
{
    uint32_t off = SOFT_NIC_ETHER_LEN, l3;

    if (len < SOFT_NIC_ETHER_LEN)
        return false;
    packet->ether_type = soft_nic_get16(header + 12);
    if (packet->ether_type == ETH_P_8021Q && len >= off + SOFT_NIC_VLAN_LEN) {
        packet->ether_type = soft_nic_get16(header + 16);
        packet->nvlans = 1;
        off += SOFT_NIC_VLAN_LEN;
    }
    packet->l3_off = (uint16_t)off;
    if (packet->ether_type == ETH_P_IP && len >= off + SOFT_NIC_IPV4_LEN && header[off] >> 4 == 4) {
        l3 = (header[off] & 15u) * 4u;
        packet->proto = header[off + 9];
        packet->l3 = SOFT_NIC_L3_IPV4;
        return l3 >= SOFT_NIC_IPV4_LEN && find_l4(packet, header, off + l3, len);
    }
    if (packet->ether_type == ETH_P_IPV6 && len >= off + SOFT_NIC_IPV6_LEN &&
        header[off] >> 4 == 6) {
        packet->proto = header[off + 6];
        packet->l3 = SOFT_NIC_L3_IPV6;
        return find_l4(packet, header, off + SOFT_NIC_IPV6_LEN, len);
    }
    return false;
}

void soft_nic_segment_begin(struct soft_nic_segmenter *segmenter, const uint8_t *header,
                            uint32_t header_len, uint32_t total, uint32_t mss)
{
    *segmenter = (struct soft_nic_segmenter){.header_len = header_len, .total = total, .mss = mss};
    if (!find_headers(&segmenter->headers, header, header_len))
        segmenter->headers = (struct soft_nic_packet){0};
}

static void adapt_l3(const struct soft_nic_packet *headers, uint8_t *ip, uint32_t number,
                     uint32_t len)
{
    if (headers->l3 == SOFT_NIC_L3_IPV6) {
        soft_nic_put16(ip + 4, (uint16_t)(len - SOFT_NIC_IPV6_LEN));
        return;
    }
    soft_nic_put16(ip + 2, (uint16_t)len);
    soft_nic_put16(ip + 4, (uint16_t)(soft_nic_get16(ip + 4) + number));
}

void soft_nic_segment_adapt(const struct soft_nic_segmenter *segmenter, uint8_t *frame,
                            uint32_t offset, uint32_t len)
{
    const struct soft_nic_packet *headers = &segmenter->headers;
    uint8_t *l4 = frame + headers->l4_off;

    if (headers->l3 == SOFT_NIC_L3_NONE)
        return;
    adapt_l3(headers, frame + headers->l3_off, offset / segmenter->mss,
             segmenter->header_len - headers->l3_off + len);
    if (headers->l4 == SOFT_NIC_L4_UDP) {
        soft_nic_put16(l4 + 4, (uint16_t)(SOFT_NIC_UDP_LEN + len));
        return;
    }
    soft_nic_put32(l4 + 4, soft_nic_get32(l4 + 4) + offset);
    if (offset + len < segmenter->total)
        l4[13] &= (uint8_t)~TCP_FIN_PSH;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/keys.h"

#include <string.h>

static void read_l3(const uint8_t *ip, const struct soft_nic_packet *packet,
                    struct soft_nic_keys *keys)
{
    uint32_t first;

    keys->l3 = packet->l3;
    keys->proto = packet->proto;
    keys->is_fragment = packet->is_fragment ? 1 : 0;
    keys->version_ihl = ip[0];
    if (packet->l3 == SOFT_NIC_L3_IPV4) {
        keys->dscp_ecn = ip[1];
        memcpy(&keys->ip_len, ip + 2, 2);
        memcpy(&keys->ident, ip + 4, 2);
        memcpy(&keys->fragment, ip + 6, 2);
        keys->ttl = ip[8];
        memcpy(keys->src_ip, ip + 12, 4);
        memcpy(keys->dst_ip, ip + 16, 4);
        return;
    }
    first = soft_nic_get32(ip);
    keys->dscp_ecn = (uint8_t)(first >> 20);
    soft_nic_put32((uint8_t *)&keys->flow_label, first & 0xfffff);
    memcpy(&keys->ip_len, ip + 4, 2);
    keys->ttl = ip[7];
    memcpy(keys->src_ip, ip + 8, 16);
    memcpy(keys->dst_ip, ip + 24, 16);
}

static void read_l4(const uint8_t *l4, struct soft_nic_keys *keys)
{
    switch (keys->l4) {
    case SOFT_NIC_L4_TCP:
        memcpy(&keys->seq, l4 + 4, 4);
        memcpy(&keys->ack, l4 + 8, 4);
        keys->tcp_offset = l4[12];
        keys->tcp_flags = l4[13];
        /* fall through */
    case SOFT_NIC_L4_UDP:
        memcpy(&keys->src_port, l4, 2);
        memcpy(&keys->dst_port, l4 + 2, 2);
        break;
    case SOFT_NIC_L4_ICMP:
        keys->icmp_type = l4[0];
        keys->icmp_code = l4[1];
        memcpy(&keys->icmp_ident, l4 + 4, 2);
        break;
    case SOFT_NIC_L4_ESP:
        memcpy(&keys->seq, l4, 4);
        break;
    default:
        break;
    }
}

void soft_nic_keys_read(const uint8_t *data, const struct soft_nic_packet *packet,
                        struct soft_nic_keys *keys)
{
    memset(keys, 0, sizeof(*keys));
    if (packet->l2_len == 0)
        return;
    memcpy(keys->dst_mac, data, 6);
    memcpy(keys->src_mac, data + 6, 6);
    soft_nic_put16((uint8_t *)&keys->ether_type, packet->ether_type);
    keys->vlans = (uint8_t)((1u << packet->nvlans) - 1);
    for (uint32_t i = 0; i < packet->nvlans; i++)
        memcpy(&keys->vlan[i], data + SOFT_NIC_ETHER_LEN + 4 * i, 2);
    if (packet->l3 == SOFT_NIC_L3_NONE)
        return;
    read_l3(data + packet->l3_off, packet, keys);
    keys->l4 = packet->l4;
    if (packet->l4 != SOFT_NIC_L4_NONE)
        read_l4(data + packet->l4_off, keys);
}

void soft_nic_keys_sums(const uint8_t *data, const struct soft_nic_packet *packet,
                        struct soft_nic_keys *keys)
{
    keys->l3_ok = packet->l3 != SOFT_NIC_L3_NONE ? 1 : 0;
    keys->ip4_sum_ok = packet->l3 == SOFT_NIC_L3_IPV4 && soft_nic_l3_is_ok(data, packet) ? 1 : 0;
    keys->l4_ok = packet->l4 != SOFT_NIC_L4_NONE ? 1 : 0;
    keys->l4_sum_ok = soft_nic_l4_is_ok(data, packet) ? 1 : 0;
}

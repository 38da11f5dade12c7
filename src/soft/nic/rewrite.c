/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/rewrite.h"

#include <string.h>

#define ADDRESSES 12u /* both, of the Ethernet header */
#define FIELD_MAX 16u

#define ALL_6                                                                                      \
    {                                                                                              \
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff                                                         \
    }
#define ALL_16                                                                                     \
    {                                                                                              \
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  \
            0xff                                                                                   \
    }

const struct soft_nic_keys soft_nic_writable = {
    .dst_mac = ALL_6,
    .src_mac = ALL_6,
    .vlan = {0xffff, 0xffff},
    .ttl = 0xff,
    .dscp_ecn = 0xff,
    .src_ip = ALL_16,
    .dst_ip = ALL_16,
    .src_port = 0xffff,
    .dst_port = 0xffff,
    .pkt_meta = UINT32_MAX,
    .scratch = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                UINT32_MAX, UINT32_MAX, UINT32_MAX},
};

static bool any(const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;

    for (size_t i = 0; i < size; i++) {
        if (byte[i] != 0)
            return true;
    }
    return false;
}

bool soft_nic_action_seal(struct soft_nic_action *action)
{
    const size_t headers = offsetof(struct soft_nic_keys, pkt_meta);

    action->sets_headers = any(&action->mask, headers);
    return any(&action->mask, sizeof(action->mask)) || soft_nic_action_changes_frames(action);
}

/* ------------------------------------------------------------------------------------------------
 * Fields
 */

/* The checksums that change with a field; NULL: there is none. */
struct sums {
    uint8_t *l3, *l4;
    bool l4_may_be_none; /* UDP over IPv4: 0 stays 0 */
};

/* RFC 1624: what was in the sum goes out of it, what is new comes in. */
static void follow(uint8_t *sum, const uint8_t *before, const uint8_t *after, uint32_t len)
{
    uint32_t total;

    if (sum == NULL)
        return;
    total = (uint16_t)~soft_nic_get16(sum);
    for (uint32_t i = 0; i < len; i += 2)
        total += (uint16_t)~soft_nic_get16(before + i) + soft_nic_get16(after + i);
    total = (total & 0xffff) + (total >> 16);
    total = (total & 0xffff) + (total >> 16);
    soft_nic_put16(sum, (uint16_t)~total);
}

static void follow_l4(const struct sums *sums, const uint8_t *before, const uint8_t *after,
                      uint32_t len)
{
    if (sums->l4 == NULL || (sums->l4_may_be_none && soft_nic_get16(sums->l4) == 0))
        return;
    follow(sums->l4, before, after, len);
    if (sums->l4_may_be_none && soft_nic_get16(sums->l4) == 0)
        soft_nic_put16(sums->l4, 0xffff);
}

/* `at` and `len` are even, from the beginning of the header. */
static void set(uint8_t *at, uint32_t len, const void *mask, const void *value,
                const struct sums *sums)
{
    uint8_t before[FIELD_MAX];

    if (!any(mask, len))
        return;
    memcpy(before, at, len);
    for (uint32_t i = 0; i < len; i++)
        at[i] = (uint8_t)((at[i] & ~((const uint8_t *)mask)[i]) | ((const uint8_t *)value)[i]);
    follow(sums->l3, before, at, len);
    follow_l4(sums, before, at, len);
}

/* One byte, as part of the word that the checksum counts. */
static void set_byte(uint8_t *word, uint32_t place, uint8_t mask, uint8_t value,
                     const struct sums *sums)
{
    uint8_t masks[2] = {0}, values[2] = {0};

    masks[place] = mask;
    values[place] = value;
    set(word, 2, masks, values, sums);
}

/* Of fragments, which have no layer 4 here, the sum of the whole is left as it is. */
static uint8_t *find_l4_sum(uint8_t *data, const struct soft_nic_packet *packet)
{
    if (packet->l4 == SOFT_NIC_L4_TCP)
        return data + packet->l4_off + 16;
    if (packet->l4 == SOFT_NIC_L4_UDP)
        return data + packet->l4_off + 6;
    /* Addresses are part of it over IPv6 only. */
    if (packet->l3 == SOFT_NIC_L3_IPV6 && packet->l4 == SOFT_NIC_L4_ICMP)
        return data + packet->l4_off + 2;
    return NULL;
}

static void set_l3(const struct soft_nic_action *action, uint8_t *ip,
                   const struct soft_nic_packet *packet, struct sums *sums)
{
    const struct soft_nic_keys *mask = &action->mask, *value = &action->value;
    const struct sums own = {.l3 = sums->l3}, none = {0};
    uint8_t traffic[4] = {0}, bits[4] = {0};

    if (packet->l3 == SOFT_NIC_L3_IPV4) {
        set_byte(ip, 1, mask->dscp_ecn, value->dscp_ecn, &own);
        set_byte(ip + 8, 0, mask->ttl, value->ttl, &own);
        set(ip + 12, 4, mask->src_ip, value->src_ip, sums);
        set(ip + 16, 4, mask->dst_ip, value->dst_ip, sums);
        return;
    }
    soft_nic_put32(bits, (uint32_t)mask->dscp_ecn << 20);
    soft_nic_put32(traffic, (uint32_t)value->dscp_ecn << 20);
    set(ip, 4, bits, traffic, &none);
    set_byte(ip + 6, 1, mask->ttl, value->ttl, &none);
    set(ip + 8, 16, mask->src_ip, value->src_ip, sums);
    set(ip + 24, 16, mask->dst_ip, value->dst_ip, sums);
}

static bool has_ports(const struct soft_nic_action *action, const struct soft_nic_packet *packet)
{
    return (packet->l4 & SOFT_NIC_L4_TRANSPORT) != 0 &&
           (packet->l4 & action->l4_mask) == action->l4;
}

static void set_fields(const struct soft_nic_action *action, uint8_t *data,
                       const struct soft_nic_packet *packet)
{
    const struct soft_nic_keys *mask = &action->mask, *value = &action->value;
    const struct sums none = {0};
    struct sums sums = {.l4 = find_l4_sum(data, packet),
                        .l4_may_be_none = packet->l4 == SOFT_NIC_L4_UDP};

    if (packet->l2_len == 0)
        return;
    set(data, 6, mask->dst_mac, value->dst_mac, &none);
    set(data + 6, 6, mask->src_mac, value->src_mac, &none);
    for (uint32_t i = 0; i < packet->nvlans; i++)
        set(data + SOFT_NIC_ETHER_LEN + SOFT_NIC_VLAN_LEN * i, 2, &mask->vlan[i], &value->vlan[i],
            &none);
    if (packet->l3 != SOFT_NIC_L3_NONE && action->l3 == packet->l3) {
        if (packet->l3 == SOFT_NIC_L3_IPV4)
            sums.l3 = data + packet->l3_off + 10;
        set_l3(action, data + packet->l3_off, packet, &sums);
    }
    sums.l3 = NULL;
    if (has_ports(action, packet)) {
        set(data + packet->l4_off, 2, &mask->src_port, &value->src_port, &sums);
        set(data + packet->l4_off + 2, 2, &mask->dst_port, &value->dst_port, &sums);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Tags
 */

static void pop_vlan(uint8_t **data, uint32_t *len)
{
    memmove(*data + SOFT_NIC_VLAN_LEN, *data, ADDRESSES);
    *data += SOFT_NIC_VLAN_LEN;
    *len -= SOFT_NIC_VLAN_LEN;
}

static void push_vlan(const struct soft_nic_action *action, uint8_t **data, uint32_t *len)
{
    *data -= SOFT_NIC_VLAN_LEN;
    *len += SOFT_NIC_VLAN_LEN;
    memmove(*data, *data + SOFT_NIC_VLAN_LEN, ADDRESSES);
    memcpy(*data + ADDRESSES, &action->vlan_type, 2);
    memcpy(*data + ADDRESSES + 2, &action->vlan_tci, 2);
}

static void read_again(const uint8_t *data, uint32_t len, struct soft_nic_packet *packet,
                       struct soft_nic_keys *keys)
{
    struct soft_nic_keys now;

    soft_nic_parse(data, len, packet);
    soft_nic_keys_read(data, packet, &now);
    now.port_id = keys->port_id;
    now.l3_ok = keys->l3_ok;
    now.ip4_sum_ok = keys->ip4_sum_ok;
    now.l4_ok = keys->l4_ok;
    now.l4_sum_ok = keys->l4_sum_ok;
    now.pkt_meta = keys->pkt_meta;
    memcpy(now.scratch, keys->scratch, sizeof(now.scratch));
    *keys = now;
}

void soft_nic_rewrite(const struct soft_nic_action *action, uint8_t **data, uint32_t *len,
                      struct soft_nic_packet *packet, struct soft_nic_keys *keys)
{
    soft_nic_set_metadata(action, keys);
    if (!soft_nic_action_changes_frames(action))
        return;
    if (action->pops_vlan && packet->nvlans > 0) {
        pop_vlan(data, len);
        soft_nic_parse(*data, *len, packet);
    }
    if (action->sets_headers)
        set_fields(action, *data, packet);
    if (action->pushes_vlan && packet->l2_len > 0)
        push_vlan(action, data, len);
    read_again(*data, *len, packet, keys);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_priv.h"

#include <string.h>

/* Where a field is read from when its header is there. */
enum group { ALWAYS, IP4, IP6, TCP, UDP, ICMP, TRANSPORT };

/* Fields that have other numbers in the keys. */
enum coding { RAW, L2_META, L3_META, L4_META };

struct field {
    uint16_t from; /* in struct doca_flow_match */
    uint16_t size;
    uint16_t to; /* in struct soft_nic_keys */
    uint8_t group;
    uint8_t coding;
};

#define FIELD(group, member, key)                                                                  \
    {                                                                                              \
        offsetof(struct doca_flow_match, member), sizeof(((struct doca_flow_match *)0)->member),   \
            offsetof(struct soft_nic_keys, key), group, RAW                                        \
    }
#define META(member, key, coding)                                                                  \
    {                                                                                              \
        offsetof(struct doca_flow_match, parser_meta.member),                                      \
            sizeof(((struct doca_flow_match *)0)->parser_meta.member),                             \
            offsetof(struct soft_nic_keys, key), ALWAYS, coding                                    \
    }

static const struct field fields[] = {
    FIELD(ALWAYS, outer.eth.src_mac, src_mac),
    FIELD(ALWAYS, outer.eth.dst_mac, dst_mac),
    FIELD(ALWAYS, outer.eth.type, ether_type),
    FIELD(ALWAYS, outer.eth_vlan[0].tci, vlan[0]),
    FIELD(ALWAYS, outer.eth_vlan[1].tci, vlan[1]),
    FIELD(ALWAYS, meta.pkt_meta, pkt_meta),
    FIELD(ALWAYS, parser_meta.port_id, port_id),
    META(outer_l2_type, vlans, L2_META),
    META(outer_l3_type, l3, L3_META),
    META(outer_l4_type, l4, L4_META),
    META(outer_ip_fragmented, is_fragment, RAW),
    META(outer_l3_ok, l3_ok, RAW),
    META(outer_ip4_checksum_ok, ip4_sum_ok, RAW),
    META(outer_l4_ok, l4_ok, RAW),
    META(outer_l4_checksum_ok, l4_sum_ok, RAW),
    FIELD(IP4, outer.ip4.src_ip, src_ip),
    FIELD(IP4, outer.ip4.dst_ip, dst_ip),
    FIELD(IP4, outer.ip4.version_ihl, version_ihl),
    FIELD(IP4, outer.ip4.dscp_ecn, dscp_ecn),
    FIELD(IP4, outer.ip4.total_len, ip_len),
    FIELD(IP4, outer.ip4.identification, ident),
    FIELD(IP4, outer.ip4.flags_fragment_offset, fragment),
    FIELD(IP4, outer.ip4.next_proto, proto),
    FIELD(IP4, outer.ip4.ttl, ttl),
    FIELD(IP6, outer.ip6.src_ip, src_ip),
    FIELD(IP6, outer.ip6.dst_ip, dst_ip),
    FIELD(IP6, outer.ip6.traffic_class, dscp_ecn),
    FIELD(IP6, outer.ip6.flow_label, flow_label),
    FIELD(IP6, outer.ip6.payload_len, ip_len),
    FIELD(IP6, outer.ip6.next_proto, proto),
    FIELD(IP6, outer.ip6.hop_limit, ttl),
    FIELD(TCP, outer.tcp.l4_port.src_port, src_port),
    FIELD(TCP, outer.tcp.l4_port.dst_port, dst_port),
    FIELD(TCP, outer.tcp.data_offset, tcp_offset),
    FIELD(TCP, outer.tcp.flags, tcp_flags),
    FIELD(TCP, outer.tcp.seq_num, seq),
    FIELD(TCP, outer.tcp.ack_num, ack),
    FIELD(UDP, outer.udp.l4_port.src_port, src_port),
    FIELD(UDP, outer.udp.l4_port.dst_port, dst_port),
    FIELD(TRANSPORT, outer.transport.src_port, src_port),
    FIELD(TRANSPORT, outer.transport.dst_port, dst_port),
    FIELD(ICMP, outer.icmp.type, icmp_type),
    FIELD(ICMP, outer.icmp.code, icmp_code),
    FIELD(ICMP, outer.icmp.ident, icmp_ident),
    FIELD(ALWAYS, meta.u32, scratch),
};

/* ------------------------------------------------------------------------------------------------
 * Single fields
 */

static bool is_all(const uint8_t *bytes, size_t size, uint8_t wanted)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != wanted)
            return false;
    }
    return true;
}

static bool applies(const struct field *field, const struct flow_selectors *selectors)
{
    switch (field->group) {
    case IP4:
        return selectors->l3 == DOCA_FLOW_L3_TYPE_IP4;
    case IP6:
        return selectors->l3 == DOCA_FLOW_L3_TYPE_IP6;
    case TCP:
        return selectors->l4 == DOCA_FLOW_L4_TYPE_EXT_TCP;
    case UDP:
        return selectors->l4 == DOCA_FLOW_L4_TYPE_EXT_UDP;
    case TRANSPORT:
        return selectors->l4 == DOCA_FLOW_L4_TYPE_EXT_TRANSPORT;
    case ICMP:
        return selectors->l4 == DOCA_FLOW_L4_TYPE_EXT_ICMP ||
               selectors->l4 == DOCA_FLOW_L4_TYPE_EXT_ICMP6;
    default:
        return true;
    }
}

static uint8_t code(enum coding coding, uint32_t value)
{
    static const uint8_t l2[] = {0, 3, 1};
    static const uint8_t l3[] = {SOFT_NIC_L3_NONE, SOFT_NIC_L3_IPV4, SOFT_NIC_L3_IPV6};
    static const uint8_t l4[] = {SOFT_NIC_L4_NONE, SOFT_NIC_L4_TCP, SOFT_NIC_L4_UDP,
                                 SOFT_NIC_L4_ICMP, SOFT_NIC_L4_ESP};

    if (coding == L2_META)
        return value < OD_ARRAY_SIZE(l2) ? l2[value] : UINT8_MAX;
    if (coding == L3_META)
        return value < OD_ARRAY_SIZE(l3) ? l3[value] : UINT8_MAX;
    return value < OD_ARRAY_SIZE(l4) ? l4[value] : UINT8_MAX; /* UINT8_MAX: no frame has it */
}

/* Puts a value of the API where it belongs in the keys. */
static void put_value(const struct field *field, const uint8_t *from, struct soft_nic_keys *keys)
{
    uint8_t *to = (uint8_t *)keys + field->to;
    uint32_t number;

    if (field->coding == RAW) {
        memcpy(to, from, field->size);
        return;
    }
    memcpy(&number, from, sizeof(number));
    *to = code((enum coding)field->coding, number);
}

/* Bits of a mask; NULL: all of the field. Fields with other numbers are compared in full. */
static void put_bits(const struct field *field, const uint8_t *mask, struct soft_nic_keys *keys)
{
    uint8_t *to = (uint8_t *)keys + field->to;

    if (field->coding != RAW)
        *to = UINT8_MAX;
    else if (mask != NULL)
        memcpy(to, mask, field->size);
    else
        memset(to, UINT8_MAX, field->size);
}

static bool covers_all(const uint8_t *value, const uint8_t *mask, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((value[i] & mask[i]) != mask[i])
            return false;
    }
    return true;
}

/* Where the fields of a template go. */
struct split {
    struct soft_nic_keys *fixed, *values;
    struct soft_nic_keys *open; /* NULL: nothing is */
    bool opens_by_all_ones;     /* else all ones where the mask has ones are enough */
};

static bool is_open(const struct split *to, const uint8_t *value, const uint8_t *mask, size_t size)
{
    if (to->open == NULL)
        return false;
    return mask != NULL && !to->opens_by_all_ones ? covers_all(value, mask, size)
                                                  : is_all(value, size, UINT8_MAX);
}

/* The table of templates: without a mask zero is any and all ones is open; with one, its bits. */
static void put_field(const struct field *field, const uint8_t *value, const uint8_t *mask,
                      const struct split *to)
{
    if (is_all(mask != NULL ? mask : value, field->size, 0))
        return;
    if (is_open(to, value, mask, field->size)) {
        put_bits(field, mask, to->open);
        return;
    }
    put_bits(field, mask, to->fixed);
    put_value(field, value, to->values);
}

/* Each scratch word is a field of its own. */
static void put_fields(const struct field *field, const struct doca_flow_match *match,
                       const struct doca_flow_match *mask, const struct split *to)
{
    const uint8_t *value = (const uint8_t *)match + field->from;
    const uint8_t *bits = mask != NULL ? (const uint8_t *)mask + field->from : NULL;
    struct field word = *field;

    if (field->to != offsetof(struct soft_nic_keys, scratch)) {
        put_field(field, value, bits, to);
        return;
    }
    word.size = sizeof(uint32_t);
    for (uint32_t i = 0; i < SOFT_NIC_SCRATCH; i++) {
        put_field(&word, value + i * word.size, bits != NULL ? bits + i * word.size : NULL, to);
        word.to = (uint16_t)(word.to + word.size);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Headers
 */

static void need(struct soft_nic_keys *fixed, struct soft_nic_keys *values, size_t key,
                 uint8_t bits, uint8_t value)
{
    ((uint8_t *)fixed)[key] |= bits;
    ((uint8_t *)values)[key] = value;
}

uint8_t flow_soft_l3(const struct flow_selectors *selectors)
{
    static const uint8_t l3[] = {
        [DOCA_FLOW_L3_TYPE_NONE] = SOFT_NIC_L3_NONE,
        [DOCA_FLOW_L3_TYPE_IP4] = SOFT_NIC_L3_IPV4,
        [DOCA_FLOW_L3_TYPE_IP6] = SOFT_NIC_L3_IPV6,
    };

    return l3[selectors->l3];
}

uint8_t flow_soft_l4(const struct flow_selectors *selectors)
{
    static const uint8_t l4[] = {
        [DOCA_FLOW_L4_TYPE_EXT_NONE] = SOFT_NIC_L4_NONE,
        [DOCA_FLOW_L4_TYPE_EXT_TCP] = SOFT_NIC_L4_TCP,
        [DOCA_FLOW_L4_TYPE_EXT_UDP] = SOFT_NIC_L4_UDP,
        [DOCA_FLOW_L4_TYPE_EXT_ICMP] = SOFT_NIC_L4_ICMP,
        [DOCA_FLOW_L4_TYPE_EXT_ICMP6] = SOFT_NIC_L4_ICMP,
        [DOCA_FLOW_L4_TYPE_EXT_TRANSPORT] = SOFT_NIC_L4_TRANSPORT,
    };

    return l4[selectors->l4];
}

/* A header that a template speaks of must be there. */
static void need_headers(const struct doca_flow_match *match,
                         const struct flow_selectors *selectors, struct soft_nic_keys *fixed,
                         struct soft_nic_keys *values)
{
    uint8_t vlans = match->outer.l2_valid_headers & 3;

    if (selectors->l3 != DOCA_FLOW_L3_TYPE_NONE)
        need(fixed, values, offsetof(struct soft_nic_keys, l3), UINT8_MAX, flow_soft_l3(selectors));
    if (selectors->l4 == DOCA_FLOW_L4_TYPE_EXT_TRANSPORT)
        need(fixed, values, offsetof(struct soft_nic_keys, l4), SOFT_NIC_L4_TRANSPORT,
             SOFT_NIC_L4_TRANSPORT);
    else if (selectors->l4 != DOCA_FLOW_L4_TYPE_EXT_NONE)
        need(fixed, values, offsetof(struct soft_nic_keys, l4), UINT8_MAX, flow_soft_l4(selectors));
    if (vlans != 0)
        need(fixed, values, offsetof(struct soft_nic_keys, vlans), vlans, vlans);
}

static bool is_zero(const void *bytes, size_t size)
{
    return is_all(bytes, size, 0);
}

/* The name of something that is asked for and not offered. */
static const char *not_offered(const struct doca_flow_match *match)
{
    const struct doca_flow_parser_meta *meta = &match->parser_meta;

    if (!is_zero(&match->inner, sizeof(match->inner)))
        return "inner headers";
    if (!is_zero(&match->tun, sizeof(match->tun)))
        return "a tunnel header";
    if (match->outer.l4_type_ext == DOCA_FLOW_L4_TYPE_EXT_ROCE_V2)
        return "RoCE v2 headers";
    if (meta->random != 0 || meta->ipsec_syndrome != 0 || meta->ipsec_ar_syndrome != 0 ||
        meta->psp_syndrome != 0 || meta->meter_color != 0)
        return "random, syndromes or colors";
    if (meta->inner_l2_type != 0 || meta->inner_l3_type != 0 || meta->inner_l4_type != 0 ||
        meta->inner_ip_fragmented != 0 || meta->inner_l3_ok != 0 || meta->inner_l4_ok != 0 ||
        meta->inner_ip4_checksum_ok != 0 || meta->inner_l4_checksum_ok != 0)
        return "what the parser found of inner headers";
    return NULL;
}

static doca_error_t check(const struct doca_flow_match *match, const struct doca_flow_match *mask,
                          const char *func, const char *object)
{
    const char *what = not_offered(match);

    if (what == NULL && mask != NULL)
        what = not_offered(mask);
    if (what != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, object, "match",
                         "%s" CORE_LIMIT "Ethernet, VLAN, IP, TCP, UDP, ICMP, metadata", what);
    if ((unsigned int)match->outer.l3_type > DOCA_FLOW_L3_TYPE_IP6 ||
        (unsigned int)match->outer.l4_type_ext > DOCA_FLOW_L4_TYPE_EXT_ROCE_V2)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, object, "match",
                         "l3_type %d, l4_type_ext %d" CORE_LIMIT "values of their enums",
                         (int)match->outer.l3_type, (int)match->outer.l4_type_ext);
    return DOCA_SUCCESS;
}

struct flow_selectors flow_match_selectors(const struct doca_flow_match *match)
{
    return (struct flow_selectors){match->outer.l3_type, match->outer.l4_type_ext};
}

static void split_fields(const struct doca_flow_match *match, const struct doca_flow_match *mask,
                         const struct split *to)
{
    struct flow_selectors selectors = flow_match_selectors(match);

    memset(to->fixed, 0, sizeof(*to->fixed));
    memset(to->values, 0, sizeof(*to->values));
    if (to->open != NULL)
        memset(to->open, 0, sizeof(*to->open));
    for (size_t i = 0; i < OD_ARRAY_SIZE(fields); i++) {
        if (applies(&fields[i], &selectors))
            put_fields(&fields[i], match, mask, to);
    }
}

void flow_match_action(const struct doca_flow_match *actions, const struct doca_flow_match *mask,
                       struct soft_nic_keys *fixed, struct soft_nic_keys *value,
                       struct soft_nic_keys *open)
{
    const struct split to = {
        .fixed = fixed, .values = value, .open = open, .opens_by_all_ones = true};

    split_fields(actions, mask, &to);
}

doca_error_t flow_match_template(const struct doca_flow_match *match,
                                 const struct doca_flow_match *mask, const char *func,
                                 const char *object, struct soft_nic_keys *fixed,
                                 struct soft_nic_keys *value, struct soft_nic_keys *open)
{
    static const struct doca_flow_match none;
    const struct split to = {.fixed = fixed, .values = value, .open = open};
    struct flow_selectors selectors;
    doca_error_t result;

    if (match == NULL)
        match = &none;
    result = check(match, mask, func, object);
    if (result != DOCA_SUCCESS)
        return result;
    split_fields(match, mask, &to);
    selectors = flow_match_selectors(match);
    need_headers(match, &selectors, fixed, value);
    return DOCA_SUCCESS;
}

doca_error_t flow_match_exact(const struct doca_flow_match *match,
                              const struct doca_flow_match *mask, const char *func,
                              const char *object, struct soft_nic_keys *bits,
                              struct soft_nic_keys *value)
{
    return flow_match_template(match, mask, func, object, bits, value, NULL);
}

void flow_match_values(const struct doca_flow_match *match, const struct flow_selectors *selectors,
                       struct soft_nic_keys *value)
{
    memset(value, 0, sizeof(*value));
    for (size_t i = 0; match != NULL && i < OD_ARRAY_SIZE(fields); i++) {
        if (applies(&fields[i], selectors))
            put_value(&fields[i], (const uint8_t *)match + fields[i].from, value);
    }
}

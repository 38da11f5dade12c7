/* SPDX-License-Identifier: BSD-3-Clause */
/* Actions: what they set are the fields of a match, beside tags that are taken off and put on. */

#include "flow/flow_priv.h"

#include <string.h>

static bool is_zero(const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;

    for (size_t i = 0; i < size; i++) {
        if (byte[i] != 0)
            return false;
    }
    return true;
}

/* The name of something that is asked for and not offered. */
static const char *not_offered(const struct doca_flow_actions *actions)
{
    if (actions->decap_type != DOCA_FLOW_RESOURCE_TYPE_NONE ||
        actions->encap_type != DOCA_FLOW_RESOURCE_TYPE_NONE ||
        !is_zero(&actions->tun, sizeof(actions->tun)))
        return "tunnels";
    if (actions->nat64.original_l3_type != DOCA_FLOW_L3_TYPE_NONE)
        return "NAT64";
    if (actions->has_crypto_encap || !is_zero(&actions->crypto, sizeof(actions->crypto)))
        return "cryptography";
    if (!is_zero(&actions->parser_meta, sizeof(actions->parser_meta)))
        return "what the parser found";
    if (actions->has_push && actions->push.type != DOCA_FLOW_PUSH_ACTION_VLAN)
        return "other headers than VLAN tags to put on";
    if (actions->outer.l4_type_ext == DOCA_FLOW_L4_TYPE_EXT_ROCE_V2)
        return "RoCE v2 headers";
    return NULL;
}

static doca_error_t fail(const char *func, const char *object, const char *what)
{
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, object, "actions",
                     "%s" CORE_LIMIT
                     "addresses, ports, TTL, DSCP, VLAN tags, metadata; a tag off, a tag on",
                     what);
}

static doca_error_t check(const struct doca_flow_actions *actions, const char *func,
                          const char *object)
{
    const char *what = not_offered(actions);

    if (what != NULL)
        return fail(func, object, what);
    if ((unsigned int)actions->outer.l3_type > DOCA_FLOW_L3_TYPE_IP6 ||
        (unsigned int)actions->outer.l4_type_ext > DOCA_FLOW_L4_TYPE_EXT_ROCE_V2)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, object, "actions",
                         "l3_type %d, l4_type_ext %d" CORE_LIMIT "values of their enums",
                         (int)actions->outer.l3_type, (int)actions->outer.l4_type_ext);
    return DOCA_SUCCESS;
}

/* The part of actions that a match has as well. */
static struct doca_flow_match as_match(const struct doca_flow_actions *actions)
{
    struct doca_flow_match match;

    memset(&match, 0, sizeof(match));
    match.meta = actions->meta;
    match.outer = actions->outer;
    return match;
}

static bool is_writable(const struct soft_nic_keys *bits)
{
    for (uint32_t word = 0; word < SOFT_NIC_KEY_WORDS; word++) {
        if ((soft_nic_key_word(bits, word) & ~soft_nic_key_word(&soft_nic_writable, word)) != 0)
            return false;
    }
    return true;
}

static void read_tags(const struct doca_flow_actions *actions, struct flow_action_template *out)
{
    const struct doca_flow_push_vlan_action *vlan = &actions->push.vlan;

    out->fixed.pops_vlan = actions->pop_vlan;
    out->fixed.pushes_vlan = actions->has_push;
    if (!actions->has_push)
        return;
    out->opens_vlan_type = vlan->eth_type == UINT16_MAX;
    out->opens_vlan_tci = vlan->vlan_hdr.tci == UINT16_MAX;
    out->fixed.vlan_type = vlan->eth_type;
    out->fixed.vlan_tci = vlan->vlan_hdr.tci;
}

doca_error_t flow_actions_template(const struct doca_flow_actions *actions,
                                   const struct doca_flow_actions *mask, const char *func,
                                   const char *object, struct flow_action_template *out)
{
    doca_error_t result = check(actions, func, object);
    struct doca_flow_match fields, bits;

    if (result != DOCA_SUCCESS)
        return result;
    fields = as_match(actions);
    if (mask != NULL)
        bits = as_match(mask);
    memset(out, 0, sizeof(*out));
    out->selectors = flow_match_selectors(&fields);
    flow_match_action(&fields, mask != NULL ? &bits : NULL, &out->fixed.mask, &out->fixed.value,
                      &out->open);
    if (!is_writable(&out->fixed.mask) || !is_writable(&out->open))
        return fail(func, object, "header fields that cannot be set");
    out->fixed.l3 = flow_soft_l3(&out->selectors);
    out->fixed.l4 = flow_soft_l4(&out->selectors);
    out->fixed.l4_mask =
        out->selectors.l4 == DOCA_FLOW_L4_TYPE_EXT_TRANSPORT ? SOFT_NIC_L4_TRANSPORT : UINT8_MAX;
    read_tags(actions, out);
    return DOCA_SUCCESS;
}

/* to = from where bits are 1 */
static void merge(struct soft_nic_keys *to, const struct soft_nic_keys *from,
                  const struct soft_nic_keys *bits)
{
    uint8_t *out = (uint8_t *)to;

    for (size_t i = 0; i < sizeof(*to); i++)
        out[i] = (uint8_t)(out[i] | (((const uint8_t *)from)[i] & ((const uint8_t *)bits)[i]));
}

/* Values outside of their mask would be set, too. */
static void clip(struct soft_nic_action *action)
{
    uint8_t *value = (uint8_t *)&action->value;

    for (size_t i = 0; i < sizeof(action->value); i++)
        value[i] &= ((const uint8_t *)&action->mask)[i];
}

doca_error_t flow_actions_values(const struct flow_action_template *of,
                                 const struct doca_flow_actions *actions, const char *func,
                                 const char *object, struct soft_nic_action *out)
{
    struct doca_flow_match fields;
    struct soft_nic_keys values;
    doca_error_t result;

    *out = of->fixed;
    clip(out);
    if (actions == NULL)
        return DOCA_SUCCESS;
    result = check(actions, func, object);
    if (result != DOCA_SUCCESS)
        return result;
    fields = as_match(actions);
    flow_match_values(&fields, &of->selectors, &values);
    merge(&out->mask, &of->open, &of->open);
    merge(&out->value, &values, &of->open);
    if (of->opens_vlan_type)
        out->vlan_type = actions->push.vlan.eth_type;
    if (of->opens_vlan_tci)
        out->vlan_tci = actions->push.vlan.vlan_hdr.tci;
    return DOCA_SUCCESS;
}

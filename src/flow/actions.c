/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_priv.h"

#include <string.h>

/* What is left of actions when metadata is taken away must be nothing. */
static doca_error_t check(const struct doca_flow_actions *actions, const char *func,
                          const char *object)
{
    struct doca_flow_actions rest = *actions;
    const uint8_t *bytes = (const uint8_t *)&rest;

    memset(&rest.meta, 0, sizeof(rest.meta));
    for (size_t i = 0; i < sizeof(rest); i++) {
        if (bytes[i] != 0)
            return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, object, "actions",
                             "headers, tunnels or cryptography (byte %zu of the struct)" CORE_LIMIT
                             "metadata",
                             i);
    }
    return DOCA_SUCCESS;
}

static uint32_t word_of(const struct doca_flow_meta *meta, uint32_t i)
{
    return i == 0 ? meta->pkt_meta : meta->u32[i - 1];
}

doca_error_t flow_actions_template(const struct doca_flow_actions *actions,
                                   const struct doca_flow_actions *mask, const char *func,
                                   const char *object, struct flow_action_template *out)
{
    doca_error_t result = check(actions, func, object);

    if (result == DOCA_SUCCESS && mask != NULL)
        result = check(mask, func, object);
    if (result != DOCA_SUCCESS)
        return result;
    memset(out, 0, sizeof(*out));
    for (uint32_t i = 0; i < OD_ARRAY_SIZE(out->fixed.mask); i++) {
        uint32_t value = word_of(&actions->meta, i);
        uint32_t bits = mask != NULL ? word_of(&mask->meta, i) : value != 0 ? UINT32_MAX : 0;

        if (bits == 0)
            continue;
        if ((value & bits) == bits && value == UINT32_MAX) {
            out->open.mask[i] = bits;
        } else {
            out->fixed.mask[i] = bits;
            out->fixed.value[i] = value & bits;
        }
    }
    return DOCA_SUCCESS;
}

doca_error_t flow_actions_values(const struct flow_action_template *of,
                                 const struct doca_flow_actions *actions, const char *func,
                                 const char *object, struct soft_nic_action *out)
{
    *out = of->fixed;
    if (actions == NULL)
        return DOCA_SUCCESS;
    for (uint32_t i = 0; i < OD_ARRAY_SIZE(out->mask); i++) {
        out->mask[i] |= of->open.mask[i];
        out->value[i] |= word_of(&actions->meta, i) & of->open.mask[i];
    }
    return check(actions, func, object);
}

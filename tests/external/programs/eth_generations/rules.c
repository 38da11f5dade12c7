/* SPDX-License-Identifier: BSD-3-Clause */
/* As C, and through rules.cpp as C++. */
#include "rules.h"

#include <string.h>

#include <doca_bitfield.h>

static doca_error_t add_ports(struct rules *rules, const struct doca_flow_fwd *fwd)
{
    const enum doca_flow_flags_type flag = DOCA_FLOW_NO_WAIT;
    struct doca_flow_match match;
    struct doca_flow_fwd drop;
    doca_error_t result;

    memset(&match, 0, sizeof(match));
    match.outer.udp.l4_port.dst_port = DOCA_HTOBE16(1);
    result = doca_flow_pipe_add_entry(0, rules->basic, &match, NULL, NULL, fwd, flag, NULL,
                                      &rules->entries[BY_NINE]);
    if (result != DOCA_SUCCESS)
        return result;
    match.outer.udp.l4_port.dst_port = DOCA_HTOBE16(2);
    memset(&drop, 0, sizeof(drop));
    drop.type = DOCA_FLOW_FWD_DROP;
    result = doca_flow_pipe_add_entry(0, rules->basic, &match, 0, NULL, NULL, &drop,
                                      DOCA_FLOW_WAIT_FOR_BATCH, NULL, &rules->entries[BY_TEN]);
    return result == DOCA_SUCCESS ? doca_flow_pipe_update_entry(0, rules->basic, NULL, NULL, fwd,
                                                                flag, rules->entries[BY_TEN])
                                  : result;
}

doca_error_t add_rules(struct rules *rules, const struct doca_flow_fwd *fwd)
{
    const uint32_t first = 0;
    struct doca_flow_match match;
    struct doca_flow_fwd on;
    doca_error_t result = add_ports(rules, fwd);

    if (result != DOCA_SUCCESS)
        return result;
    memset(&match, 0, sizeof(match));
    memset(&on, 0, sizeof(on));
    match.parser_meta.outer_l4_type = DOCA_FLOW_L4_META_UDP;
    on.type = DOCA_FLOW_FWD_PIPE;
    on.next_pipe = rules->basic;
    result =
        doca_flow_pipe_control_add_entry(0, first, rules->control, &match, NULL, NULL, NULL, NULL,
                                         NULL, NULL, &on, NULL, &rules->entries[BY_PRIORITY_FIRST]);
    on.type = DOCA_FLOW_FWD_DROP;
    if (result == DOCA_SUCCESS)
        result =
            doca_flow_pipe_control_add_entry(0, rules->control, NULL, NULL, NULL, NULL, NULL, NULL,
                                             NULL, 1, &on, NULL, &rules->entries[BY_TODAY]);
    return result;
}

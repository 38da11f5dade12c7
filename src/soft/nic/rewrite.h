/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_REWRITE_H_
#define OD_SOFT_NIC_REWRITE_H_

/* Headers that rules change: fields are set, VLAN tags taken off and put on, checksums follow. */

#include "soft/nic/keys.h"

/* Of an action: bits of fields that are set, `value` where `mask` is 1. Fields of headers that a
 * frame does not have are left alone. */
struct soft_nic_action {
    struct soft_nic_keys mask, value;
    bool sets_headers;            /* set by soft_nic_action_seal() */
    bool pops_vlan;               /* the outer tag, before fields are set */
    bool pushes_vlan;             /* afterwards */
    uint8_t l3;                   /* enum soft_nic_l3: the header that fields are of */
    uint8_t l4, l4_mask;          /* ports are set where the layer 4 has this value in these bits */
    uint16_t vlan_type, vlan_tci; /* as on the wire */
};

#define SOFT_NIC_REWRITE_ROOM 4u /* bytes before a frame that a tag needs */

/* Fields that can be set, as bits; metadata beside them. */
SOFT_API extern const struct soft_nic_keys soft_nic_writable;

/* After it was filled in. False: it does nothing. */
SOFT_API bool soft_nic_action_seal(struct soft_nic_action *action);

/* The frame at *data is changed in place; with a tag more it begins SOFT_NIC_REWRITE_ROOM bytes
 * earlier, which must be there, with one less it begins later. `packet` and `keys` say afterwards
 * what is in it; metadata are set too. */
SOFT_API void soft_nic_rewrite(const struct soft_nic_action *action, uint8_t **data, uint32_t *len,
                               struct soft_nic_packet *packet, struct soft_nic_keys *keys);

static inline bool soft_nic_action_changes_frames(const struct soft_nic_action *action)
{
    return action->sets_headers || action->pops_vlan || action->pushes_vlan;
}

static inline void soft_nic_set_metadata(const struct soft_nic_action *action,
                                         struct soft_nic_keys *keys)
{
    keys->pkt_meta = (keys->pkt_meta & ~action->mask.pkt_meta) | action->value.pkt_meta;
    for (uint32_t i = 0; i < SOFT_NIC_SCRATCH; i++)
        keys->scratch[i] = (keys->scratch[i] & ~action->mask.scratch[i]) | action->value.scratch[i];
}

#endif /* OD_SOFT_NIC_REWRITE_H_ */

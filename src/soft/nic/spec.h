/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_SPEC_H_
#define OD_SOFT_NIC_SPEC_H_

/* How a port is written: KIND[:ITEM[,ITEM]...][;BASE], where an item is a word or KEY=VALUE. The
 * first word without '=' is where the port is: "af_packet:veth0", "loop:wire1",
 * "error:drop=3;af_packet:veth0". BASE is the port below, for kinds that wrap another. */

#include "soft/soft.h"

#define SOFT_NIC_SPEC_SIZE  512u
#define SOFT_NIC_SPEC_ITEMS 16u

struct soft_nic_spec {
    char text[SOFT_NIC_SPEC_SIZE]; /* what the pointers below point into */
    const char *kind;
    const char *where; /* "" when there is none */
    const char *base;  /* NULL when there is none */
    uint32_t nitems;
    struct {
        const char *key;
        const char *value;
    } items[SOFT_NIC_SPEC_ITEMS];
};

/* -EINVAL with a reason. The kind and the keys are not looked at. */
SOFT_API int soft_nic_spec_parse(const char *text, struct soft_nic_spec *spec);

/* NULL: not given. */
const char *soft_nic_spec_get(const struct soft_nic_spec *spec, const char *key);
/* The number of a key, `value` unchanged where it is not given. -EINVAL with a reason. */
int soft_nic_spec_number(const struct soft_nic_spec *spec, const char *key, uint64_t min,
                         uint64_t max, uint64_t *value);
/* -EINVAL, with a reason, for a key that is not in the list (NULL-terminated). */
int soft_nic_spec_check(const struct soft_nic_spec *spec, const char *const *keys);

#endif /* OD_SOFT_NIC_SPEC_H_ */

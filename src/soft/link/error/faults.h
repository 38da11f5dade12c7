/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_ERROR_FAULTS_H_
#define OD_SOFT_LINK_ERROR_FAULTS_H_

/* The fault list of links: what goes wrong, and when. Syntax: docs/faults.md. */

#include "soft/soft.h"
#include "util/when.h"

#define SOFT_LINK_FAULT_RULES 16u

enum soft_link_fault_kind {
    SOFT_LINK_DELAY,  /* a message is received later */
    SOFT_LINK_AGAIN,  /* a send is answered with -EAGAIN */
    SOFT_LINK_DROP,   /* a message is lost, and the link with it */
    SOFT_LINK_CUT,    /* the link ends instead of a send */
    SOFT_LINK_REFUSE, /* a connect finds nobody */
};

struct soft_link_fault_rule {
    enum soft_link_fault_kind kind;
    struct od_when when;
    uint64_t ns; /* DELAY */
};

struct soft_link_faults {
    uint32_t n;
    struct soft_link_fault_rule rules[SOFT_LINK_FAULT_RULES];
    uint64_t chance; /* state of a random generator */
};

/* -EINVAL with a reason that names the item. An empty list is fine. */
SOFT_API int soft_link_faults_parse(const char *text, struct soft_link_faults *faults);

/* The rule of this kind that meets the one of this ordinal, or NULL. */
SOFT_API const struct soft_link_fault_rule *soft_link_faults_find(struct soft_link_faults *faults,
                                                                  enum soft_link_fault_kind kind,
                                                                  uint64_t ordinal);

#endif /* OD_SOFT_LINK_ERROR_FAULTS_H_ */

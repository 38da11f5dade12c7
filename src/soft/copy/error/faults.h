/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_ERROR_FAULTS_H_
#define OD_SOFT_COPY_ERROR_FAULTS_H_

/* The fault list of the error engine: which copies go wrong, and how. Syntax: docs/faults.md. */

#include "soft/soft.h"

#define SOFT_FAULT_RULES 16u

enum soft_fault_kind {
    SOFT_FAULT_FAIL,  /* ends with a failure, nothing is copied */
    SOFT_FAULT_SHORT, /* only the beginning is copied, ends with -EIO */
    SOFT_FAULT_DELAY, /* is finished later */
    SOFT_FAULT_AGAIN, /* submit answers -EAGAIN */
};

struct soft_fault_rule {
    enum soft_fault_kind kind;
    uint64_t first; /* ordinals, from 1, both included */
    uint64_t last;
    uint64_t every;   /* of them each n-th: those that this divides */
    uint32_t percent; /* and of those so many, by chance */
    int status;       /* FAIL: negative errno */
    uint64_t amount;  /* SHORT: bytes, UINT64_MAX = half; DELAY: nanoseconds */
};

struct soft_fault_list {
    uint32_t n;
    struct soft_fault_rule rules[SOFT_FAULT_RULES];
    uint64_t seed;
};

/* -EINVAL with a reason that names the item. An empty list is fine. */
SOFT_API int soft_faults_parse(const char *text, struct soft_fault_list *list);

/* Does the rule apply to the one of this ordinal? `chance` is the state of a random generator. */
bool soft_fault_applies(const struct soft_fault_rule *rule, uint64_t ordinal, uint64_t *chance);

#endif /* OD_SOFT_COPY_ERROR_FAULTS_H_ */

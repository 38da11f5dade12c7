/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_ERROR_FAULTS_H_
#define OD_SOFT_COPY_ERROR_FAULTS_H_

/* The fault list of the error engine: which copies go wrong, and how. Syntax: docs/faults.md. */

#include "soft/soft.h"
#include "util/when.h"

#define SOFT_FAULT_RULES 16u

enum soft_fault_kind {
    SOFT_FAULT_FAIL,  /* ends with a failure, nothing is copied */
    SOFT_FAULT_SHORT, /* only the beginning is copied, ends with -EIO */
    SOFT_FAULT_DELAY, /* is finished later */
    SOFT_FAULT_AGAIN, /* submit answers -EAGAIN */
};

struct soft_fault_rule {
    enum soft_fault_kind kind;
    struct od_when when;
    int status;      /* FAIL: negative errno */
    uint64_t amount; /* SHORT: bytes, UINT64_MAX = half; DELAY: nanoseconds */
};

struct soft_fault_list {
    uint32_t n;
    struct soft_fault_rule rules[SOFT_FAULT_RULES];
    uint64_t seed;
};

/* -EINVAL with a reason that names the item. An empty list is fine. */
SOFT_API int soft_faults_parse(const char *text, struct soft_fault_list *list);

#endif /* OD_SOFT_COPY_ERROR_FAULTS_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_TAGS_H_
#define EXTERNAL_TAGS_H_

/* What the halves of a plugin say to each other whose workers talk over UCX. */

#include <stdint.h>

#define TAGS_VERSION 1

enum tags_op {
    TAGS_SEND,   /* bytes to the worker with domain id `peer` */
    TAGS_RECV,   /* the next bytes from anybody come back */
    TAGS_EXPORT, /* hands out memory; NOT_SUPPORTED where this UCX cannot */
};

struct tags_cmd {
    uint64_t op;
    uint64_t peer;
    uint64_t tag;
    /* bytes follow */
};

#endif /* EXTERNAL_TAGS_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_CUSTOM_H_
#define EXTERNAL_CUSTOM_H_

/* What the halves of a plugin of a user's own say to each other. */

#include <stdint.h>

#define CUSTOM_PLUGIN  "worker_custom"
#define CUSTOM_VERSION 3

enum custom_op {
    CUSTOM_REVERSE, /* the bytes come back, last one first */
    CUSTOM_WHERE,   /* the address of the worker with the domain id `arg` comes back */
    CUSTOM_NOTHING, /* is taken, and fails */
    CUSTOM_CRASH,
    CUSTOM_HANG,
};

struct custom_cmd {
    uint64_t op;
    uint64_t arg;
    /* bytes follow */
};

#endif /* EXTERNAL_CUSTOM_H_ */

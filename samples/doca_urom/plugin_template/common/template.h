/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEMPLATE_H_
#define TEMPLATE_H_

/* What the two halves of the plugin say to each other. They are built with the same headers; the
 * version changes whenever this file does. */

#include <stdint.h>

#define TEMPLATE_PLUGIN  "worker_template" /* name of the file, without .so */
#define TEMPLATE_VERSION 1

enum template_op {
    TEMPLATE_SUM = 0, /* adds up the numbers */
};

struct template_cmd {
    uint64_t op;
    uint64_t count;     /* of numbers */
    uint64_t numbers[]; /* follow */
};

struct template_notify {
    uint64_t op;
    uint64_t sum;
};

#endif /* TEMPLATE_H_ */

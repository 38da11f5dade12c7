/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_FORWARD_H_
#define EXTERNAL_FORWARD_H_

#include <stdbool.h>

#include <doca_error.h>

/* An application that forwards between two devices without copying: batches of received packets
 * become batches of sends. */

struct forward_options {
    char device[2][64]; /* ibdev names */
    bool one_sided;     /* only from the first to the second */
    int batches;        /* of sends, for each direction */
};

/* Set by a signal: ends forward_run(). */
extern volatile bool forward_is_over;

doca_error_t forward_run(const struct forward_options *options);

#endif /* EXTERNAL_FORWARD_H_ */

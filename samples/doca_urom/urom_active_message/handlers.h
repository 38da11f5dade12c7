/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HANDLERS_H_
#define HANDLERS_H_

/* What the program and its handlers, which run in a worker, agree on. */

#include <stddef.h>
#include <stdint.h>

#include <doca_urom_am_handler.h>

enum {
    HANDLER_REVERSE = UROM_AM_HANDLER_FIRST, /* answers with the bytes, last one first */
    HANDLER_TALLY,                           /* answers with struct tally */
};

/* What HANDLER_REVERSE has done so far. */
struct tally {
    uint64_t messages;
    uint64_t bytes;
};

static inline void reverse(unsigned char *to, const unsigned char *from, size_t len)
{
    for (size_t i = 0; i < len; i++)
        to[i] = from[len - 1 - i];
}

#endif /* HANDLERS_H_ */

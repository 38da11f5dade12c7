/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_WHEN_H_
#define OD_UTIL_WHEN_H_

/* Which of many: what fault lists say behind the name of a fault. */

#include "util/base.h"

struct od_when {
    uint64_t first; /* ordinals, from 1, both included */
    uint64_t last;
    uint64_t every;   /* of them each n-th: those that this divides */
    uint32_t percent; /* and of those so many, by chance */
};

/* "N", "N-M", "N+", "/N", "P%". Writes into `text`. */
bool od_when_parse(char *text, struct od_when *when);

/* Is it the one of this ordinal? `chance` is the state of a random generator, not 0. */
bool od_when_applies(const struct od_when *when, uint64_t ordinal, uint64_t *chance);

/* "500ns", "20us", "2ms", "1s". Writes into `text`. */
bool od_when_parse_time(char *text, uint64_t *ns);

/* Cuts `text` at the first `mark`; what comes behind it, or NULL. */
char *od_when_split(char *text, char mark);

#endif /* OD_UTIL_WHEN_H_ */

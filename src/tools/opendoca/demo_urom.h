/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_OPENDOCA_DEMO_UROM_H_
#define OD_TOOLS_OPENDOCA_DEMO_UROM_H_

/* The demo's part for UROM: a service of its own, and four programs, ranks, that let it put, get,
 * add and reduce. They meet over shared memory that is each one's standard input. */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define DEMO_RANKS   4
#define DEMO_ADDS    100
#define DEMO_NUMBERS 65536u
#define DEMO_BLOCK   (DEMO_NUMBERS * sizeof(int64_t))

#define DEMO_ROUNDS 16
#define DEMO_AREA   (32u << 10) /* bytes that a rank brings to a round */

struct demo_round {
    atomic_uint arrived;
    char bytes[DEMO_RANKS][DEMO_AREA];
};

struct demo_meeting {
    atomic_uint done; /* ranks that have all their results */
    atomic_uint go;   /* the service is gone: try once more */
    uint64_t memory[DEMO_RANKS];
    atomic_uint wrong[DEMO_RANKS]; /* results that were not as expected */
    uint64_t additions;            /* what they added up to */
    atomic_int last[DEMO_RANKS];   /* what an operation says without the service */
    struct demo_round rounds[DEMO_ROUNDS];
};

/* Runs the part, with files in the folder. Returns the exit status. */
int demo_urom(const char *folder);

#endif /* OD_TOOLS_OPENDOCA_DEMO_UROM_H_ */

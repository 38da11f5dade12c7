/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_CHOOSER_H_
#define OD_SOFT_COPY_CHOOSER_H_

/* Finds out which of a few options costs least, while the work goes on.
 *
 * The options take turns, of which the second half is timed (the first half puts caches and threads
 * into the state that this option leaves behind), then the best is used. That is repeated ever more
 * rarely, and at once when the best has become much slower or faster than it was. A turn is
 * measured in steps, whose unit is the caller's. All functions may be called from any thread; who
 * finds another at it goes on with the best that is known. */

#include <stdatomic.h>
#include <time.h>

#include "util/base.h"

#define SOFT_CHOOSER_OPTIONS 3u
#define SOFT_CHOOSER_SAMPLES 7u

struct soft_chooser_samples {
    uint32_t n;
    uint32_t cost[SOFT_CHOOSER_SAMPLES];
};

/* All zero is a good beginning: the first option is the best until all were tried. */
struct soft_chooser {
    atomic_flag busy; /* guards all but `best` */
    atomic_uchar best;
    bool mean;        /* of the plan */
    uint8_t turn;     /* whose turn it is; from the number of options on: the best is used */
    uint32_t picks;   /* of the best */
    uint32_t period;  /* turns for which the best is used; 0 in the beginning */
    uint32_t settled; /* cost of the best when it was chosen; 0 = not known */
    int64_t left;     /* steps of the turn */
    uint64_t began;   /* ns, when the round did */
    uint64_t rest;    /* ns, no round begins before */
    struct soft_chooser_samples tried[SOFT_CHOOSER_OPTIONS];
    struct soft_chooser_samples watched;
} OD_ALIGNED(OD_CACHE_LINE);

enum soft_chooser_timing {
    SOFT_CHOOSER_UNTIMED,
    SOFT_CHOOSER_TRIED,   /* one of the turns */
    SOFT_CHOOSER_WATCHED, /* the best: is it still as fast? */
};

struct soft_chooser_pick {
    uint8_t option;
    uint8_t timing; /* not UNTIMED: soft_chooser_learn() wants to know the cost */
};

struct soft_chooser_plan {
    uint32_t options;                       /* the first few of SOFT_CHOOSER_OPTIONS */
    uint64_t turn;                          /* steps */
    uint32_t longest[SOFT_CHOOSER_OPTIONS]; /* turns to the next round, at most, by the best */
    bool mean;                              /* rare large costs count; else the median does */
};

/* An option for `step` steps of work. */
struct soft_chooser_pick soft_chooser_pick(struct soft_chooser *chooser,
                                           const struct soft_chooser_plan *plan, uint64_t step);

/* What the pick has cost, in any unit that can be compared within the chooser. */
void soft_chooser_learn(struct soft_chooser *chooser, struct soft_chooser_pick pick, uint64_t cost);

/* A price for timing: nanoseconds for 64 KiB, in 1/16. */
static inline uint64_t soft_chooser_cost(uint64_t ns, uint64_t bytes)
{
    return ns * (65536u * 16u) / OD_MAX(bytes, 1u) + 1;
}

static inline uint64_t soft_copy_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif /* OD_SOFT_COPY_CHOOSER_H_ */

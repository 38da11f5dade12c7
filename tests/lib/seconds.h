/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_SECONDS_H_
#define TESTS_LIB_SECONDS_H_

/* Bounds of waits, by a clock that nobody sets meanwhile. */

#include <stdbool.h>
#include <time.h>

static inline time_t whole_seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* How long a loop goes on looking. Of what passes between two of its looks a tenth of a second
 * counts at most: whoever stood still has looks left, also when all came meanwhile and takes
 * several. */
struct patience {
    double left; /* s */
    double last;
};

static inline double patience_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline struct patience patience_of(double seconds)
{
    struct patience patience = {seconds, patience_clock()};

    return patience;
}

static inline bool patience_lasts(struct patience *patience)
{
    const double now = patience_clock(), passed = now - patience->last;

    patience->last = now;
    patience->left -= passed < 0.1 ? passed : 0.1;
    return patience->left > 0;
}

#endif /* TESTS_LIB_SECONDS_H_ */

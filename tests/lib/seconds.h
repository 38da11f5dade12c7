/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_SECONDS_H_
#define TESTS_LIB_SECONDS_H_

/* Bounds of waits, by a clock that nobody sets meanwhile. */

#include <time.h>

static inline time_t whole_seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

#endif /* TESTS_LIB_SECONDS_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_CLOCK_H_
#define OD_UTIL_CLOCK_H_

#include <stdint.h>
#include <time.h>

/* Nanoseconds of the monotonic clock. */
static inline uint64_t od_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif /* OD_UTIL_CLOCK_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_BASE_H_
#define OD_UTIL_BASE_H_

/* Small things that every file may use. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define od_likely(x)   __builtin_expect(!!(x), 1)
#define od_unlikely(x) __builtin_expect(!!(x), 0)

#define OD_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define OD_CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#define OD_MIN(a, b) ((a) < (b) ? (a) : (b))
#define OD_MAX(a, b) ((a) > (b) ? (a) : (b))

#define OD_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define OD_UNUSED            __attribute__((unused))
#define OD_COLD              __attribute__((cold, noinline))
#define OD_NOINLINE          __attribute__((noinline)) /* keeps a hot caller small */

#define OD_CACHE_LINE 64u
#define OD_ALIGNED(n) __attribute__((aligned(n)))

/* The checked ("-trace") flavour of the libraries turns on the argument checks that cost time. */
#ifndef OD_CHECKED
#define OD_CHECKED 0
#endif

#endif /* OD_UTIL_BASE_H_ */

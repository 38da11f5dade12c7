/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Branch hints. Each yields the truth value of its argument (0 or 1 under GNU C, the plain
 * expression elsewhere) and evaluates it once.
 */

#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#ifdef __GNUC__
/** The compiler lays the code out for a true x. */
#define doca_likely(x) __builtin_expect(!!(x), 1)
/** The compiler lays the code out for a false x. */
#define doca_unlikely(x) __builtin_expect(!!(x), 0)
#else
#define doca_likely(x)   (x)
#define doca_unlikely(x) (x)
#endif

#endif /* DOCA_COMMON_DEFINES_H_ */

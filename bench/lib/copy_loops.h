/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_LIB_COPY_LOOPS_H_
#define BENCH_LIB_COPY_LOOPS_H_

/* The raw copies that ours is measured against. */

#include <stddef.h>

typedef void bench_copy_loop(char *dst, const char *src, size_t len);

void bench_copy_memcpy(char *dst, const char *src, size_t len);
void bench_copy_movsb(char *dst, const char *src, size_t len);
void bench_copy_nt(char *dst, const char *src, size_t len);

#endif /* BENCH_LIB_COPY_LOOPS_H_ */

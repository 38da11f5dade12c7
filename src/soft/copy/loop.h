/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_LOOP_H_
#define OD_SOFT_COPY_LOOP_H_

/* The loops that move bytes, and the choice between them.
 *
 * Which loop is best for a large copy depends on the machine and on the size, so it is learned from
 * the engine's own chunks: of each size class the first ones try the loops in turn, then the best
 * is used, and now and then it is tried again. All functions may be called from any thread. */

#include "soft/copy/guard.h"

/* A machine has the first few. */
enum soft_copy_loop {
    SOFT_COPY_MEMCPY, /* the C library's */
    SOFT_COPY_NT,     /* stores around the cache */
    SOFT_COPY_MOVSB,  /* the processor's own string copy; x86 */
    SOFT_COPY_LOOPS
};

/* Copies exactly len bytes. Runs under the guard; the ranges may overlap, with any result. */
typedef void (*soft_copy_loop_fn)(void *dst, const void *src, size_t len);

uint32_t soft_copy_loop_count(void);
/* NULL when the machine does not have this loop. */
soft_copy_loop_fn soft_copy_loop_get(enum soft_copy_loop loop);
const char *soft_copy_loop_name(enum soft_copy_loop loop);

/* 16, 8, 4 bytes at any address, of any type. */
typedef long long soft_copy_vec __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t soft_copy_u64 __attribute__((aligned(1), may_alias));
typedef uint32_t soft_copy_u32 __attribute__((aligned(1), may_alias));

/* The C library's memcpy, or a loop of our own in sanitizer builds, whose memcpy must not be left
 * by a jump. */
void soft_copy_bytes(void *dst, const void *src, size_t len);

/* Any length; in line up to 128 bytes. All loads of a size step come before its stores. */
static inline __attribute__((always_inline)) SOFT_COPY_RAW void
soft_copy_short(void *dst, const void *src, size_t len)
{
    const char *s = src;
    char *d = dst;

    if (od_unlikely(len > 128)) {
        soft_copy_bytes(d, s, len);
    } else if (len > 64) {
        soft_copy_vec a = *(const soft_copy_vec *)s, b = *(const soft_copy_vec *)(s + 16);
        soft_copy_vec c = *(const soft_copy_vec *)(s + 32), e = *(const soft_copy_vec *)(s + 48);
        soft_copy_vec f = *(const soft_copy_vec *)(s + len - 64);
        soft_copy_vec g = *(const soft_copy_vec *)(s + len - 48);
        soft_copy_vec h = *(const soft_copy_vec *)(s + len - 32);
        soft_copy_vec i = *(const soft_copy_vec *)(s + len - 16);

        *(soft_copy_vec *)d = a;
        *(soft_copy_vec *)(d + 16) = b;
        *(soft_copy_vec *)(d + 32) = c;
        *(soft_copy_vec *)(d + 48) = e;
        *(soft_copy_vec *)(d + len - 64) = f;
        *(soft_copy_vec *)(d + len - 48) = g;
        *(soft_copy_vec *)(d + len - 32) = h;
        *(soft_copy_vec *)(d + len - 16) = i;
    } else if (len > 32) {
        soft_copy_vec a = *(const soft_copy_vec *)s, b = *(const soft_copy_vec *)(s + 16);
        soft_copy_vec c = *(const soft_copy_vec *)(s + len - 32);
        soft_copy_vec e = *(const soft_copy_vec *)(s + len - 16);

        *(soft_copy_vec *)d = a;
        *(soft_copy_vec *)(d + 16) = b;
        *(soft_copy_vec *)(d + len - 32) = c;
        *(soft_copy_vec *)(d + len - 16) = e;
    } else if (len >= 16) {
        soft_copy_vec a = *(const soft_copy_vec *)s;
        soft_copy_vec b = *(const soft_copy_vec *)(s + len - 16);

        *(soft_copy_vec *)d = a;
        *(soft_copy_vec *)(d + len - 16) = b;
    } else if (len >= 8) {
        soft_copy_u64 a = *(const soft_copy_u64 *)s;
        soft_copy_u64 b = *(const soft_copy_u64 *)(s + len - 8);

        *(soft_copy_u64 *)d = a;
        *(soft_copy_u64 *)(d + len - 8) = b;
    } else if (len >= 4) {
        soft_copy_u32 a = *(const soft_copy_u32 *)s;
        soft_copy_u32 b = *(const soft_copy_u32 *)(s + len - 4);

        *(soft_copy_u32 *)d = a;
        *(soft_copy_u32 *)(d + len - 4) = b;
    } else if (len > 0) {
        char a = s[0], b = s[len >> 1], c = s[len - 1];

        d[0] = a;
        d[len >> 1] = b;
        d[len - 1] = c;
    }
}

#endif /* OD_SOFT_COPY_LOOP_H_ */

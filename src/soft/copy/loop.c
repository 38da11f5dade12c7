/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/loop.h"

#include <string.h>

#include "soft/copy/stream.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__x86_64__)
SOFT_COPY_RAW static void copy_movsb(void *dst, const void *src, size_t len)
{
    __asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(len) : : "memory");
}
#endif

#if !defined(SANITIZED)
void soft_copy_bytes(void *dst, const void *src, size_t len)
{
    memcpy(dst, src, len);
}
#elif defined(__x86_64__)
SOFT_COPY_RAW void soft_copy_bytes(void *dst, const void *src, size_t len)
{
    copy_movsb(dst, src, len);
}
#else
SOFT_COPY_RAW void soft_copy_bytes(void *dst, const void *src, size_t len)
{
    const char *s = src;
    char *d = dst;

    for (; len > 16; len -= 16, s += 16, d += 16) {
        *(soft_copy_vec *)d = *(const soft_copy_vec *)s;
        __asm__ volatile("" ::: "memory"); /* else the compiler makes a call to memcpy of it */
    }
    for (; len > 0; len--) {
        *d++ = *s++;
        __asm__ volatile("" ::: "memory");
    }
}
#endif

static const struct {
    const char *name;
    soft_copy_loop_fn fn;
} loops[SOFT_COPY_LOOPS] = {
    [SOFT_COPY_MEMCPY] = {"memcpy", soft_copy_bytes},
#if defined(SOFT_COPY_HAS_STREAM)
    [SOFT_COPY_NT] = {"nt", soft_copy_stream},
#else
    [SOFT_COPY_NT] = {"nt", NULL},
#endif
#if defined(__x86_64__)
    [SOFT_COPY_MOVSB] = {"movsb", copy_movsb},
#else
    [SOFT_COPY_MOVSB] = {"movsb", NULL},
#endif
};

uint32_t soft_copy_loop_count(void)
{
    uint32_t n = 0;

    while (n < SOFT_COPY_LOOPS && loops[n].fn != NULL)
        n++;
    return n;
}

soft_copy_loop_fn soft_copy_loop_get(enum soft_copy_loop loop)
{
    return loops[loop].fn;
}

const char *soft_copy_loop_name(enum soft_copy_loop loop)
{
    return loops[loop].name;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/stream.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(SOFT_COPY_HAS_STREAM)

#define STEP  256u  /* bytes a turn */
#define AHEAD 2048u /* distance of the prefetch; it never faults */

/* Ordinary copy up to the next line of the destination; returns its length. */
static inline __attribute__((always_inline)) SOFT_COPY_RAW size_t align_dst(char *dst,
                                                                            const char *src,
                                                                            size_t len)
{
    size_t head = -(uintptr_t)dst & 63;

    head = OD_MIN(head, len);
    soft_copy_short(dst, src, head);
    return head;
}

static inline __attribute__((always_inline)) SOFT_COPY_RAW void prefetch_step(const char *src)
{
    __builtin_prefetch(src + AHEAD);
    __builtin_prefetch(src + AHEAD + 64);
    __builtin_prefetch(src + AHEAD + 128);
    __builtin_prefetch(src + AHEAD + 192);
}

#if defined(__x86_64__)

SOFT_COPY_RAW __attribute__((target("avx512f"))) static void
stream_avx512(void *dst, const void *src, size_t len)
{
    char *d = dst;
    const char *s = src;
    size_t head = align_dst(d, s, len);

    for (d += head, s += head, len -= head; len >= STEP; d += STEP, s += STEP, len -= STEP) {
        prefetch_step(s);
        __m512i a = _mm512_loadu_si512(s), b = _mm512_loadu_si512(s + 64);
        __m512i c = _mm512_loadu_si512(s + 128), e = _mm512_loadu_si512(s + 192);

        _mm512_stream_si512((void *)d, a);
        _mm512_stream_si512((void *)(d + 64), b);
        _mm512_stream_si512((void *)(d + 128), c);
        _mm512_stream_si512((void *)(d + 192), e);
    }
    _mm_sfence();
    _mm256_zeroupper();
    soft_copy_short(d, s, len);
}

SOFT_COPY_RAW __attribute__((target("avx"))) static void stream_avx(void *dst, const void *src,
                                                                    size_t len)
{
    char *d = dst;
    const char *s = src;
    size_t head = align_dst(d, s, len);

    for (d += head, s += head, len -= head; len >= STEP; d += STEP, s += STEP, len -= STEP) {
        prefetch_step(s);
        for (unsigned int i = 0; i < STEP; i += 64) {
            __m256i a = _mm256_loadu_si256((const void *)(s + i));
            __m256i b = _mm256_loadu_si256((const void *)(s + i + 32));

            _mm256_stream_si256((void *)(d + i), a);
            _mm256_stream_si256((void *)(d + i + 32), b);
        }
    }
    _mm_sfence();
    _mm256_zeroupper();
    soft_copy_short(d, s, len);
}

SOFT_COPY_RAW static void stream_sse2(void *dst, const void *src, size_t len)
{
    char *d = dst;
    const char *s = src;
    size_t head = align_dst(d, s, len);

    for (d += head, s += head, len -= head; len >= STEP; d += STEP, s += STEP, len -= STEP) {
        prefetch_step(s);
        for (unsigned int i = 0; i < STEP; i += 32) {
            __m128i a = _mm_loadu_si128((const void *)(s + i));
            __m128i b = _mm_loadu_si128((const void *)(s + i + 16));

            _mm_stream_si128((void *)(d + i), a);
            _mm_stream_si128((void *)(d + i + 16), b);
        }
    }
    _mm_sfence();
    soft_copy_short(d, s, len);
}

SOFT_COPY_RAW void soft_copy_stream(void *dst, const void *src, size_t len)
{
    if (__builtin_cpu_supports("avx512f"))
        stream_avx512(dst, src, len);
    else if (__builtin_cpu_supports("avx"))
        stream_avx(dst, src, len);
    else
        stream_sse2(dst, src, len);
}

#elif defined(__aarch64__)

SOFT_COPY_RAW void soft_copy_stream(void *dst, const void *src, size_t len)
{
    char *d = dst;
    const char *s = src;
    size_t head = align_dst(d, s, len);

    for (d += head, s += head, len -= head; len >= STEP; d += STEP, s += STEP, len -= STEP) {
        prefetch_step(s);
        for (unsigned int i = 0; i < STEP; i += 64)
            __asm__ volatile("ldp q0, q1, [%1]\n\t"
                             "ldp q2, q3, [%1, #32]\n\t"
                             "stnp q0, q1, [%0]\n\t"
                             "stnp q2, q3, [%0, #32]"
                             :
                             : "r"(d + i), "r"(s + i)
                             : "v0", "v1", "v2", "v3", "memory");
    }
    /* a plain store-release orders these too, there is no fence to add */
    soft_copy_short(d, s, len);
}

#endif

#endif /* SOFT_COPY_HAS_STREAM */

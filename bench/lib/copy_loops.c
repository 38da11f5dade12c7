/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/copy_loops.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

void bench_copy_memcpy(char *dst, const char *src, size_t len)
{
    memcpy(dst, src, len);
    /* keeps the compiler from dropping repeated copies */
    __asm__ volatile("" : : "r"(dst) : "memory");
}

void bench_copy_movsb(char *dst, const char *src, size_t len)
{
#ifdef __x86_64__
    __asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(len) : : "memory");
#else
    bench_copy_memcpy(dst, src, len);
#endif
}

void bench_copy_nt(char *dst, const char *src, size_t len)
{
#ifdef __x86_64__
    while (len > 0 && ((size_t)dst & 15) != 0) {
        *dst++ = *src++;
        len--;
    }
    for (; len >= 64; len -= 64, dst += 64, src += 64) {
        __m128i a = _mm_loadu_si128((const __m128i *)src);
        __m128i b = _mm_loadu_si128((const __m128i *)(src + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(src + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(src + 48));

        _mm_stream_si128((__m128i *)dst, a);
        _mm_stream_si128((__m128i *)(dst + 16), b);
        _mm_stream_si128((__m128i *)(dst + 32), c);
        _mm_stream_si128((__m128i *)(dst + 48), d);
    }
    _mm_sfence();
    memcpy(dst, src, len);
#else
    bench_copy_memcpy(dst, src, len);
#endif
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Integer and floating-point intrinsics, min() and max(). */
#ifndef SIMT_MATH_H
#define SIMT_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SIMT_FUNCTION static __inline__ __attribute__((always_inline, unused))

/* Bits */

SIMT_FUNCTION int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
SIMT_FUNCTION int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
SIMT_FUNCTION int __ffs(int x)
{
    return __builtin_ffs(x);
}
SIMT_FUNCTION int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
SIMT_FUNCTION int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
SIMT_FUNCTION int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
SIMT_FUNCTION unsigned long long __brevll(unsigned long long x)
{
    x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
    x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
    return __builtin_bswap64(x);
}
SIMT_FUNCTION unsigned __brev(unsigned x)
{
    return (unsigned)(__brevll(x) >> 32);
}
/* Each nibble of the selector names a byte of y:x; its top bit asks for that byte's sign. */
SIMT_FUNCTION unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned result = 0;

    for (int i = 0; i < 4; i++) {
        unsigned s = selector >> 4 * i;
        unsigned byte = (unsigned)(bytes >> 8 * (s & 7)) & 0xff;
        if (s & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}
SIMT_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}
SIMT_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
SIMT_FUNCTION unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
SIMT_FUNCTION unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

/* Products, sums */

SIMT_FUNCTION int __mul24(int x, int y)
{
    return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8));
}
SIMT_FUNCTION unsigned __umul24(unsigned x, unsigned y)
{
    return (x & 0xffffff) * (y & 0xffffff);
}
SIMT_FUNCTION int __mulhi(int x, int y)
{
    return (int)((int64_t)x * y >> 32);
}
SIMT_FUNCTION unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((uint64_t)x * y >> 32);
}
SIMT_FUNCTION long long __mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
SIMT_FUNCTION unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
SIMT_FUNCTION int __hadd(int x, int y)
{
    return (int)(((int64_t)x + y) >> 1);
}
SIMT_FUNCTION unsigned __uhadd(unsigned x, unsigned y)
{
    return (unsigned)(((uint64_t)x + y) >> 1);
}
SIMT_FUNCTION unsigned __sad(int x, int y, unsigned z)
{
    return z + (unsigned)(x > y ? (int64_t)x - y : (int64_t)y - x);
}
SIMT_FUNCTION unsigned __usad(unsigned x, unsigned y, unsigned z)
{
    return z + (x > y ? x - y : y - x);
}

/* Representation */

#define SIMT_AS(name, to, from)                                                                    \
    SIMT_FUNCTION to name(from x)                                                                  \
    {                                                                                              \
        to y;                                                                                      \
        memcpy(&y, &x, sizeof(y));                                                                 \
        return y;                                                                                  \
    }
SIMT_AS(__int_as_float, float, int)
SIMT_AS(__uint_as_float, float, unsigned)
SIMT_AS(__float_as_int, int, float)
SIMT_AS(__float_as_uint, unsigned, float)
SIMT_AS(__longlong_as_double, double, long long)
SIMT_AS(__double_as_longlong, long long, double)
#undef SIMT_AS
SIMT_FUNCTION int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
SIMT_FUNCTION int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
SIMT_FUNCTION double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((uint64_t)(unsigned)high << 32 | (unsigned)low));
}

/* Conversions in a given direction */

#define SIMT_ROUND(type, name, round)                                                              \
    SIMT_FUNCTION type __float2##name(float x)                                                     \
    {                                                                                              \
        return (type)round##f(x);                                                                  \
    }                                                                                              \
    SIMT_FUNCTION type __double2##name(double x)                                                   \
    {                                                                                              \
        return (type)round(x);                                                                     \
    }
SIMT_ROUND(int, int_rn, rint)
SIMT_ROUND(int, int_rz, trunc)
SIMT_ROUND(int, int_ru, ceil)
SIMT_ROUND(int, int_rd, floor)
SIMT_ROUND(unsigned, uint_rn, rint)
SIMT_ROUND(unsigned, uint_rz, trunc)
SIMT_ROUND(unsigned, uint_ru, ceil)
SIMT_ROUND(unsigned, uint_rd, floor)
SIMT_ROUND(long long, ll_rn, rint)
SIMT_ROUND(long long, ll_rz, trunc)
SIMT_ROUND(unsigned long long, ull_rn, rint)
SIMT_ROUND(unsigned long long, ull_rz, trunc)
#undef SIMT_ROUND
SIMT_FUNCTION float __int2float_rn(int x)
{
    return (float)x;
}
SIMT_FUNCTION float __uint2float_rn(unsigned x)
{
    return (float)x;
}
SIMT_FUNCTION float __ll2float_rn(long long x)
{
    return (float)x;
}
SIMT_FUNCTION float __ull2float_rn(unsigned long long x)
{
    return (float)x;
}
SIMT_FUNCTION double __ll2double_rn(long long x)
{
    return (double)x;
}
SIMT_FUNCTION double __ull2double_rn(unsigned long long x)
{
    return (double)x;
}
SIMT_FUNCTION float __double2float_rn(double x)
{
    return (float)x;
}

/* The fast forms are the exact ones; glibc declares functions of these names. */

#define __sinf(x)    sinf(x)
#define __cosf(x)    cosf(x)
#define __tanf(x)    tanf(x)
#define __expf(x)    expf(x)
#define __logf(x)    logf(x)
#define __log2f(x)   log2f(x)
#define __log10f(x)  log10f(x)
#define __powf(x, y) powf(x, y)
SIMT_FUNCTION float __fdividef(float x, float y)
{
    return x / y;
}
SIMT_FUNCTION float __saturatef(float x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}
SIMT_FUNCTION float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
SIMT_FUNCTION double rsqrt(double x)
{
    return 1 / sqrt(x);
}
SIMT_FUNCTION float __frsqrt_rn(float x)
{
    return 1 / sqrtf(x);
}
SIMT_FUNCTION float __fsqrt_rn(float x)
{
    return sqrtf(x);
}
SIMT_FUNCTION float __frcp_rn(float x)
{
    return 1 / x;
}
SIMT_FUNCTION float __fadd_rn(float x, float y)
{
    return x + y;
}
SIMT_FUNCTION float __fsub_rn(float x, float y)
{
    return x - y;
}
SIMT_FUNCTION float __fmul_rn(float x, float y)
{
    return x * y;
}
SIMT_FUNCTION float __fdiv_rn(float x, float y)
{
    return x / y;
}
SIMT_FUNCTION float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}
SIMT_FUNCTION double __dadd_rn(double x, double y)
{
    return x + y;
}
SIMT_FUNCTION double __dmul_rn(double x, double y)
{
    return x * y;
}
SIMT_FUNCTION double __fma_rn(double x, double y, double z)
{
    return fma(x, y, z);
}

/* min() and max(): exact types first, then the mixtures that device code uses */

#define SIMT_MIN_MAX(result, a, b)                                                                 \
    SIMT_FUNCTION result min(a x, b y)                                                             \
    {                                                                                              \
        return (result)x < (result)y ? (result)x : (result)y;                                      \
    }                                                                                              \
    SIMT_FUNCTION result max(a x, b y)                                                             \
    {                                                                                              \
        return (result)x > (result)y ? (result)x : (result)y;                                      \
    }
SIMT_MIN_MAX(int, int, int)
SIMT_MIN_MAX(unsigned, unsigned, unsigned)
SIMT_MIN_MAX(unsigned, int, unsigned)
SIMT_MIN_MAX(unsigned, unsigned, int)
SIMT_MIN_MAX(long, long, long)
SIMT_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIMT_MIN_MAX(unsigned long, long, unsigned long)
SIMT_MIN_MAX(unsigned long, unsigned long, long)
SIMT_MIN_MAX(long long, long long, long long)
SIMT_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIMT_MIN_MAX(unsigned long long, long long, unsigned long long)
SIMT_MIN_MAX(unsigned long long, unsigned long long, long long)
SIMT_MIN_MAX(float, float, float)
SIMT_MIN_MAX(double, double, double)
SIMT_MIN_MAX(double, float, double)
SIMT_MIN_MAX(double, double, float)
#undef SIMT_MIN_MAX

#endif

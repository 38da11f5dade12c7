/* SPDX-License-Identifier: BSD-3-Clause */
/* Half-precision numbers: stored in 16 bits, computed as float. */
#ifndef SIMT_CUDA_FP16_H
#define SIMT_CUDA_FP16_H

#include <string.h>

#include "cuda_runtime.h"

#ifdef __cplusplus
namespace simt
{
inline unsigned short half_bits(float f)
{
    unsigned x;
    memcpy(&x, &f, sizeof(x));
    unsigned sign = x >> 16 & 0x8000, magnitude = x & 0x7fffffff;

    if (magnitude >= 0x7f800000) /* infinity, not a number */
        return (unsigned short)(sign | 0x7c00 | (magnitude > 0x7f800000 ? 0x200 : 0));
    if (magnitude >= 0x47800000) /* too large */
        return (unsigned short)(sign | 0x7c00);
    if (magnitude < 0x33000000) /* rounds to zero */
        return (unsigned short)sign;
    unsigned mantissa, shift;
    if (magnitude < 0x38800000) { /* subnormal */
        shift = 126 - (magnitude >> 23);
        mantissa = (magnitude & 0x7fffff) | 0x800000;
    } else {
        shift = 13;
        mantissa = magnitude - 0x38000000;
    }
    unsigned result = mantissa >> shift, rest = mantissa & ((1u << shift) - 1);
    unsigned half = 1u << (shift - 1);
    if (rest > half || (rest == half && (result & 1)))
        result++; /* to the nearest, ties to even */
    return (unsigned short)(sign | result);
}

inline float half_float(unsigned short h)
{
    unsigned sign = (unsigned)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff, x;

    if (exponent == 31) {
        x = sign | 0x7f800000 | mantissa << 13;
    } else if (exponent) {
        x = sign | (exponent + 112) << 23 | mantissa << 13;
    } else {
        float f = (float)mantissa / 16777216.0f; /* 2^24 */
        return sign ? -f : f;
    }
    float f;
    memcpy(&f, &x, sizeof(f));
    return f;
}
} // namespace simt

struct __half_raw {
    unsigned short x;
};

struct __half {
    unsigned short bits;

    __half() = default;
    __half(__half_raw raw) : bits(raw.x)
    {
    }
    __half(float f) : bits(simt::half_bits(f))
    {
    }
    __half(double d) : bits(simt::half_bits((float)d))
    {
    }
    __half(int i) : bits(simt::half_bits((float)i))
    {
    }
    __half(unsigned i) : bits(simt::half_bits((float)i))
    {
    }
    operator float() const
    {
        return simt::half_float(bits);
    }
    operator __half_raw() const
    {
        return __half_raw{bits};
    }
    __half &operator+=(__half b)
    {
        return *this = __half((float)*this + (float)b);
    }
    __half &operator-=(__half b)
    {
        return *this = __half((float)*this - (float)b);
    }
    __half &operator*=(__half b)
    {
        return *this = __half((float)*this * (float)b);
    }
    __half &operator/=(__half b)
    {
        return *this = __half((float)*this / (float)b);
    }
};
typedef __half half;

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __half2(__half a, __half b) : x(a), y(b)
    {
    }
};
typedef __half2 half2;

#define SIMT_HALF static __inline__ __host__ __device__ __attribute__((unused))

#define SIMT_HALF_OPERATOR(sign, name)                                                             \
    SIMT_HALF __half operator sign(__half a, __half b)                                             \
    {                                                                                              \
        return __half((float)a sign(float) b);                                                     \
    }                                                                                              \
    SIMT_HALF __half __h##name(__half a, __half b)                                                 \
    {                                                                                              \
        return a sign b;                                                                           \
    }                                                                                              \
    SIMT_HALF __half2 __h##name##2(__half2 a, __half2 b)                                           \
    {                                                                                              \
        return __half2(a.x sign b.x, a.y sign b.y);                                                \
    }
SIMT_HALF_OPERATOR(+, add)
SIMT_HALF_OPERATOR(-, sub)
SIMT_HALF_OPERATOR(*, mul)
SIMT_HALF_OPERATOR(/, div)
#undef SIMT_HALF_OPERATOR

#define SIMT_HALF_COMPARE(sign, name)                                                              \
    SIMT_HALF bool operator sign(__half a, __half b)                                               \
    {                                                                                              \
        return (float)a sign(float) b;                                                             \
    }                                                                                              \
    SIMT_HALF bool __h##name(__half a, __half b)                                                   \
    {                                                                                              \
        return a sign b;                                                                           \
    }
SIMT_HALF_COMPARE(==, eq)
SIMT_HALF_COMPARE(!=, ne)
SIMT_HALF_COMPARE(<, lt)
SIMT_HALF_COMPARE(<=, le)
SIMT_HALF_COMPARE(>, gt)
SIMT_HALF_COMPARE(>=, ge)
#undef SIMT_HALF_COMPARE

SIMT_HALF __half __float2half(float f)
{
    return __half(f);
}
SIMT_HALF __half __float2half_rn(float f)
{
    return __half(f);
}
SIMT_HALF __half __double2half(double d)
{
    return __half(d);
}
SIMT_HALF float __half2float(__half h)
{
    return (float)h;
}
SIMT_HALF __half __int2half_rn(int i)
{
    return __half((float)i);
}
SIMT_HALF int __half2int_rn(__half h)
{
    return (int)rintf((float)h);
}
SIMT_HALF __half __hfma(__half a, __half b, __half c)
{
    return __half(fmaf((float)a, (float)b, (float)c));
}
SIMT_HALF __half __hneg(__half a)
{
    return __half(-(float)a);
}
SIMT_HALF __half __habs(__half a)
{
    return __half(fabsf((float)a));
}
SIMT_HALF bool __hisnan(__half a)
{
    return (float)a != (float)a;
}
SIMT_HALF __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
SIMT_HALF __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
SIMT_HALF __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__half(a), __half(b));
}
SIMT_HALF __half2 __float2half2_rn(float a)
{
    return __half2(__half(a), __half(a));
}
SIMT_HALF float2 __half22float2(__half2 a)
{
    return make_float2((float)a.x, (float)a.y);
}
SIMT_HALF __half __low2half(__half2 a)
{
    return a.x;
}
SIMT_HALF __half __high2half(__half2 a)
{
    return a.y;
}
SIMT_HALF unsigned short __half_as_ushort(__half a)
{
    return a.bits;
}
SIMT_HALF short __half_as_short(__half a)
{
    return (short)a.bits;
}
SIMT_HALF __half __ushort_as_half(unsigned short bits)
{
    return __half(__half_raw{bits});
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Small vectors, and dim3. */
#ifndef SIMT_VECTOR_TYPES_H
#define SIMT_VECTOR_TYPES_H

#define SIMT_VECTOR(type, name, align2, align4)                                                    \
    struct name##1                                                                                 \
    {                                                                                              \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(align2))) name##2                                                \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __attribute__((aligned(align4))) name##4                                                \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4

SIMT_VECTOR(signed char, char, 2, 4);
SIMT_VECTOR(unsigned char, uchar, 2, 4);
SIMT_VECTOR(short, short, 4, 8);
SIMT_VECTOR(unsigned short, ushort, 4, 8);
SIMT_VECTOR(int, int, 8, 16);
SIMT_VECTOR(unsigned int, uint, 8, 16);
SIMT_VECTOR(long, long, 16, 16);
SIMT_VECTOR(unsigned long, ulong, 16, 16);
SIMT_VECTOR(long long, longlong, 16, 16);
SIMT_VECTOR(unsigned long long, ulonglong, 16, 16);
SIMT_VECTOR(float, float, 8, 16);
SIMT_VECTOR(double, double, 16, 16);

#undef SIMT_VECTOR

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif

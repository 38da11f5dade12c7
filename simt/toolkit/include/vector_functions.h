/* SPDX-License-Identifier: BSD-3-Clause */
/* make_int2() and its sisters. */
#ifndef SIMT_VECTOR_FUNCTIONS_H
#define SIMT_VECTOR_FUNCTIONS_H

#include "host_defines.h"
#include "vector_types.h"

#define SIMT_MAKE(type, name)                                                                      \
    static __inline__ __host__ __device__ name##1 make_##name##1(type x)                           \
    {                                                                                              \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y)                   \
    {                                                                                              \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z)           \
    {                                                                                              \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)   \
    {                                                                                              \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }

SIMT_MAKE(signed char, char)
SIMT_MAKE(unsigned char, uchar)
SIMT_MAKE(short, short)
SIMT_MAKE(unsigned short, ushort)
SIMT_MAKE(int, int)
SIMT_MAKE(unsigned int, uint)
SIMT_MAKE(long, long)
SIMT_MAKE(unsigned long, ulong)
SIMT_MAKE(long long, longlong)
SIMT_MAKE(unsigned long long, ulonglong)
SIMT_MAKE(float, float)
SIMT_MAKE(double, double)

#undef SIMT_MAKE

#endif

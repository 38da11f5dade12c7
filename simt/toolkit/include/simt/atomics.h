/* SPDX-License-Identifier: BSD-3-Clause */
/* atomicAdd() and its sisters. All are sequentially consistent, whatever their scope. */
#ifndef SIMT_ATOMICS_H
#define SIMT_ATOMICS_H

#include <string.h>

#include "vector_types.h"

namespace simt
{
/* Replaces *p by change(*p); returns the old value. */
template <class T, class F> inline T exchange_with(T *p, F change)
{
    T old, wanted;

    __atomic_load(p, &old, __ATOMIC_SEQ_CST);
    do {
        wanted = change(old);
    } while (
        !__atomic_compare_exchange(p, &old, &wanted, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}
} // namespace simt

#define SIMT_ATOMIC static __inline__ __attribute__((always_inline, unused))

#define SIMT_ATOMIC_INTEGER(scope, T)                                                              \
    SIMT_ATOMIC T atomicAdd##scope(T *p, T v)                                                      \
    {                                                                                              \
        return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    SIMT_ATOMIC T atomicSub##scope(T *p, T v)                                                      \
    {                                                                                              \
        return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    SIMT_ATOMIC T atomicExch##scope(T *p, T v)                                                     \
    {                                                                                              \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    SIMT_ATOMIC T atomicAnd##scope(T *p, T v)                                                      \
    {                                                                                              \
        return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    SIMT_ATOMIC T atomicOr##scope(T *p, T v)                                                       \
    {                                                                                              \
        return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                          \
    }                                                                                              \
    SIMT_ATOMIC T atomicXor##scope(T *p, T v)                                                      \
    {                                                                                              \
        return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    SIMT_ATOMIC T atomicMin##scope(T *p, T v)                                                      \
    {                                                                                              \
        return simt::exchange_with(p, [=](T old) { return old < v ? old : v; });                   \
    }                                                                                              \
    SIMT_ATOMIC T atomicMax##scope(T *p, T v)                                                      \
    {                                                                                              \
        return simt::exchange_with(p, [=](T old) { return old > v ? old : v; });                   \
    }                                                                                              \
    SIMT_ATOMIC T atomicCAS##scope(T *p, T expected, T v)                                          \
    {                                                                                              \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
        return expected;                                                                           \
    }

#define SIMT_ATOMIC_WRAPPING(scope, T)                                                             \
    SIMT_ATOMIC T atomicInc##scope(T *p, T limit)                                                  \
    {                                                                                              \
        return simt::exchange_with(p, [=](T old) { return old >= limit ? 0 : old + 1; });          \
    }                                                                                              \
    SIMT_ATOMIC T atomicDec##scope(T *p, T limit)                                                  \
    {                                                                                              \
        return simt::exchange_with(                                                                \
            p, [=](T old) { return old == 0 || old > limit ? limit : old - 1; });                  \
    }

#define SIMT_ATOMIC_FLOATING(scope, T)                                                             \
    SIMT_ATOMIC T atomicAdd##scope(T *p, T v)                                                      \
    {                                                                                              \
        return simt::exchange_with(p, [=](T old) { return old + v; });                             \
    }                                                                                              \
    SIMT_ATOMIC T atomicExch##scope(T *p, T v)                                                     \
    {                                                                                              \
        T old;                                                                                     \
        __atomic_exchange(p, &v, &old, __ATOMIC_SEQ_CST);                                          \
        return old;                                                                                \
    }

#define SIMT_ATOMIC_SCOPE(scope)                                                                   \
    SIMT_ATOMIC_INTEGER(scope, int)                                                                \
    SIMT_ATOMIC_INTEGER(scope, unsigned int)                                                       \
    SIMT_ATOMIC_INTEGER(scope, long)                                                               \
    SIMT_ATOMIC_INTEGER(scope, unsigned long)                                                      \
    SIMT_ATOMIC_INTEGER(scope, long long)                                                          \
    SIMT_ATOMIC_INTEGER(scope, unsigned long long)                                                 \
    SIMT_ATOMIC_WRAPPING(scope, unsigned int)                                                      \
    SIMT_ATOMIC_FLOATING(scope, float)                                                             \
    SIMT_ATOMIC_FLOATING(scope, double)                                                            \
    SIMT_ATOMIC unsigned short atomicCAS##scope(unsigned short *p, unsigned short expected,        \
                                                unsigned short v)                                  \
    {                                                                                              \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
        return expected;                                                                           \
    }

SIMT_ATOMIC_SCOPE()
SIMT_ATOMIC_SCOPE(_block)
SIMT_ATOMIC_SCOPE(_system)

#undef SIMT_ATOMIC_SCOPE
#undef SIMT_ATOMIC_FLOATING
#undef SIMT_ATOMIC_WRAPPING
#undef SIMT_ATOMIC_INTEGER

#endif

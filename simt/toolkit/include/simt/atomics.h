/* SPDX-License-Identifier: BSD-3-Clause */
/* atomicAdd() and its sisters. All are sequentially consistent, whatever their scope. */
#ifndef SIMT_ATOMICS_H
#define SIMT_ATOMICS_H

#include <string.h>
#include <type_traits>

#include "vector_types.h"

extern "C" __thread unsigned simt_steps __attribute__((tls_model("initial-exec")));

namespace simt
{
/* Memory that an atomic changed is a step that reports of hangs look at; a lock that was not to be
 * had is none. Of the OS thread, not of the fiber that ThreadSanitizer sees. */
inline __attribute__((no_sanitize("thread"))) void step(bool changed)
{
    simt_steps += changed;
}
template <class T> inline T stepped(T old, bool changed)
{
    step(changed);
    return old;
}

/* Replaces *p by change(*p); returns the old value. */
template <class T, class F> inline T exchange_with(T *p, F change)
{
    T old, wanted;

    __atomic_load(p, &old, __ATOMIC_SEQ_CST);
    do {
        wanted = change(old);
    } while (
        !__atomic_compare_exchange(p, &old, &wanted, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return stepped(old, memcmp(&old, &wanted, sizeof(old)) != 0);
}
template <class T> inline T exchange(T *p, T wanted)
{
    T old;

    __atomic_exchange(p, &wanted, &old, __ATOMIC_SEQ_CST);
    return stepped(old, memcmp(&old, &wanted, sizeof(old)) != 0);
}
template <class T> inline T compare_and_swap(T *p, T expected, T wanted)
{
    step(__atomic_compare_exchange(p, &expected, &wanted, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST));
    return expected;
}

/* Words of 16 bytes. GCC and clang leave them to a library, which is not always there. */
typedef unsigned __int128 wide;

inline bool cas_wide(wide *p, wide *expected, wide wanted)
{
#ifdef __x86_64__
    unsigned long long low = (unsigned long long)*expected;
    unsigned long long high = (unsigned long long)(*expected >> 64);
    bool done;

    __asm__ volatile("lock cmpxchg16b %[word]"
                     : "=@ccz"(done), [word] "+m"(*p), "+a"(low), "+d"(high)
                     : "b"((unsigned long long)wanted), "c"((unsigned long long)(wanted >> 64))
                     : "memory");
    *expected = (wide)high << 64 | low;
    return done;
#else
    return __atomic_compare_exchange_n(p, expected, wanted, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
#endif
}

template <class T> inline wide to_wide(const T &value)
{
    static_assert(sizeof(T) == sizeof(wide) && alignof(T) >= sizeof(wide),
                  "16 bytes, aligned to 16");
    wide w;
    memcpy(&w, &value, sizeof(w));
    return w;
}
template <class T> inline T from_wide(wide w)
{
    T value;
    memcpy(&value, &w, sizeof(value));
    return value;
}
template <class T> inline T compare_and_swap_wide(T *p, T expected, T wanted)
{
    wide old = to_wide(expected);
    step(cas_wide((wide *)p, &old, to_wide(wanted)));
    return from_wide<T>(old);
}
template <class T> inline T exchange_wide(T *p, T wanted)
{
    wide old = 0, to = to_wide(wanted);
    while (!cas_wide((wide *)p, &old, to))
        ;
    step(old != to);
    return from_wide<T>(old);
}
template <class T> using if_wide = std::enable_if_t<sizeof(T) == 16, T>;
} // namespace simt

#define SIMT_ATOMIC static __inline__ __attribute__((always_inline, unused))

#define SIMT_ATOMIC_INTEGER(scope, T)                                                              \
    SIMT_ATOMIC T atomicAdd##scope(T *p, T v)                                                      \
    {                                                                                              \
        return simt::stepped(__atomic_fetch_add(p, v, __ATOMIC_SEQ_CST), v != 0);                  \
    }                                                                                              \
    SIMT_ATOMIC T atomicSub##scope(T *p, T v)                                                      \
    {                                                                                              \
        return simt::stepped(__atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST), v != 0);                  \
    }                                                                                              \
    SIMT_ATOMIC T atomicExch##scope(T *p, T v)                                                     \
    {                                                                                              \
        return simt::exchange(p, v);                                                               \
    }                                                                                              \
    SIMT_ATOMIC T atomicAnd##scope(T *p, T v)                                                      \
    {                                                                                              \
        T old = __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                        \
        return simt::stepped(old, (old & v) != old);                                               \
    }                                                                                              \
    SIMT_ATOMIC T atomicOr##scope(T *p, T v)                                                       \
    {                                                                                              \
        T old = __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                         \
        return simt::stepped(old, (old | v) != old);                                               \
    }                                                                                              \
    SIMT_ATOMIC T atomicXor##scope(T *p, T v)                                                      \
    {                                                                                              \
        return simt::stepped(__atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST), v != 0);                  \
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
        return simt::compare_and_swap(p, expected, v);                                             \
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
        return simt::exchange(p, v);                                                               \
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
    template <class T> SIMT_ATOMIC simt::if_wide<T> atomicCAS##scope(T *p, T expected, T v)        \
    {                                                                                              \
        return simt::compare_and_swap_wide(p, expected, v);                                        \
    }                                                                                              \
    template <class T> SIMT_ATOMIC simt::if_wide<T> atomicExch##scope(T *p, T v)                   \
    {                                                                                              \
        return simt::exchange_wide(p, v);                                                          \
    }                                                                                              \
    SIMT_ATOMIC unsigned short atomicCAS##scope(unsigned short *p, unsigned short expected,        \
                                                unsigned short v)                                  \
    {                                                                                              \
        return simt::compare_and_swap(p, expected, v);                                             \
    }

SIMT_ATOMIC_SCOPE()
SIMT_ATOMIC_SCOPE(_block)
SIMT_ATOMIC_SCOPE(_system)

#undef SIMT_ATOMIC_SCOPE
#undef SIMT_ATOMIC_FLOATING
#undef SIMT_ATOMIC_WRAPPING
#undef SIMT_ATOMIC_INTEGER

#endif

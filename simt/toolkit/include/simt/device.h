/* SPDX-License-Identifier: BSD-3-Clause */
/* What device code calls: barriers, collectives of a warp, fences, clocks, bits. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>

#include "device_api.h"

/* The caller's place, for reports. */
#define SIMT_PLACE                                                                                 \
    const char *file = __builtin_FILE(), const char *function = __builtin_FUNCTION(),              \
               int line = __builtin_LINE()
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define SIMT_THREAD_SANITIZER 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define SIMT_THREAD_SANITIZER 1
#endif
#ifndef SIMT_THREAD_SANITIZER
#define SIMT_THREAD_SANITIZER 0
#endif
#define SIMT_HERE          file, function, line
#define SIMT_DEVICE_INLINE static __inline__ __attribute__((always_inline, unused))

extern "C" __thread int simt_budget __attribute__((tls_model("initial-exec")));

/* Barriers of the block */

SIMT_DEVICE_INLINE void __syncthreads(SIMT_PLACE)
{
    (void)simt_barrier(SIMT_BARRIER_PLAIN, 0, SIMT_HERE);
}
SIMT_DEVICE_INLINE int __syncthreads_count(int predicate, SIMT_PLACE)
{
    return simt_barrier(SIMT_BARRIER_COUNT, predicate, SIMT_HERE);
}
SIMT_DEVICE_INLINE int __syncthreads_and(int predicate, SIMT_PLACE)
{
    return simt_barrier(SIMT_BARRIER_AND, predicate, SIMT_HERE);
}
SIMT_DEVICE_INLINE int __syncthreads_or(int predicate, SIMT_PLACE)
{
    return simt_barrier(SIMT_BARRIER_OR, predicate, SIMT_HERE);
}

SIMT_DEVICE_INLINE void __barrier_sync(unsigned number, SIMT_PLACE)
{
    (void)simt_named_barrier(SIMT_BARRIER_PLAIN, number, 0, 0, SIMT_HERE);
}
SIMT_DEVICE_INLINE void __barrier_sync_count(unsigned number, unsigned threads, SIMT_PLACE)
{
    (void)simt_named_barrier(SIMT_BARRIER_PLAIN, number, threads, 0, SIMT_HERE);
}

/* Collectives of a warp */

SIMT_DEVICE_INLINE void __syncwarp(unsigned mask = 0xffffffffu, SIMT_PLACE)
{
    (void)simt_warp(SIMT_WARP_SYNC, mask, 0, 0, 32, SIMT_HERE);
}
SIMT_DEVICE_INLINE unsigned __ballot_sync(unsigned mask, int predicate, SIMT_PLACE)
{
    return (unsigned)simt_warp(SIMT_WARP_BALLOT, mask, predicate != 0, 0, 32, SIMT_HERE);
}
SIMT_DEVICE_INLINE int __any_sync(unsigned mask, int predicate, SIMT_PLACE)
{
    return simt_warp(SIMT_WARP_OR, mask, predicate != 0, 0, 32, SIMT_HERE) != 0;
}
SIMT_DEVICE_INLINE int __all_sync(unsigned mask, int predicate, SIMT_PLACE)
{
    return simt_warp(SIMT_WARP_AND, mask, predicate != 0, 0, 32, SIMT_HERE) != 0;
}
SIMT_DEVICE_INLINE int __uni_sync(unsigned mask, int predicate, SIMT_PLACE)
{
    return simt_warp(SIMT_WARP_MATCH_ALL, mask, predicate != 0, 0, 32, SIMT_HERE) != 0;
}
SIMT_DEVICE_INLINE unsigned __activemask(SIMT_PLACE)
{
    return simt_activemask(SIMT_HERE);
}

namespace simt
{
template <class T> inline uint64_t to_bits(const T &value)
{
    static_assert(sizeof(T) <= 8, "a lane exchanges at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T> inline T from_bits(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
}
} // namespace simt

#define SIMT_SHUFFLE(name, operation, type)                                                        \
    template <class T>                                                                             \
    SIMT_DEVICE_INLINE T name(unsigned mask, T value, type argument, int width = 32, SIMT_PLACE)   \
    {                                                                                              \
        return simt::from_bits<T>(                                                                 \
            simt_warp(operation, mask, simt::to_bits(value), (int)argument, width, SIMT_HERE));    \
    }
SIMT_SHUFFLE(__shfl_sync, SIMT_WARP_SHFL, int)
SIMT_SHUFFLE(__shfl_up_sync, SIMT_WARP_SHFL_UP, unsigned)
SIMT_SHUFFLE(__shfl_down_sync, SIMT_WARP_SHFL_DOWN, unsigned)
SIMT_SHUFFLE(__shfl_xor_sync, SIMT_WARP_SHFL_XOR, int)
#undef SIMT_SHUFFLE

template <class T> SIMT_DEVICE_INLINE unsigned __match_any_sync(unsigned mask, T value, SIMT_PLACE)
{
    return (unsigned)simt_warp(SIMT_WARP_MATCH_ANY, mask, simt::to_bits(value), 0, 32, SIMT_HERE);
}
template <class T>
SIMT_DEVICE_INLINE unsigned __match_all_sync(unsigned mask, T value, int *predicate, SIMT_PLACE)
{
    unsigned all =
        (unsigned)simt_warp(SIMT_WARP_MATCH_ALL, mask, simt::to_bits(value), 0, 32, SIMT_HERE);
    *predicate = all != 0;
    return all;
}

#define SIMT_REDUCE(name, operation, type)                                                         \
    SIMT_DEVICE_INLINE type name(unsigned mask, type value, SIMT_PLACE)                            \
    {                                                                                              \
        return (type)simt_warp(operation, mask, (unsigned)value, 0, 32, SIMT_HERE);                \
    }
SIMT_REDUCE(__reduce_add_sync, SIMT_WARP_ADD, unsigned)
SIMT_REDUCE(__reduce_add_sync, SIMT_WARP_ADD, int)
SIMT_REDUCE(__reduce_min_sync, SIMT_WARP_MIN, unsigned)
SIMT_REDUCE(__reduce_min_sync, SIMT_WARP_MIN_SIGNED, int)
SIMT_REDUCE(__reduce_max_sync, SIMT_WARP_MAX, unsigned)
SIMT_REDUCE(__reduce_max_sync, SIMT_WARP_MAX_SIGNED, int)
SIMT_REDUCE(__reduce_and_sync, SIMT_WARP_AND, unsigned)
SIMT_REDUCE(__reduce_or_sync, SIMT_WARP_OR, unsigned)
SIMT_REDUCE(__reduce_xor_sync, SIMT_WARP_XOR, unsigned)
#undef SIMT_REDUCE

/* Fences: all are full ones. */

namespace simt
{
/* The budget is of the OS thread, not of the fiber that ThreadSanitizer sees. */
inline __attribute__((no_sanitize("thread"))) void fence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    simt_budget -= 16;
}
} // namespace simt

SIMT_DEVICE_INLINE void __threadfence()
{
    simt::fence();
}
SIMT_DEVICE_INLINE void __threadfence_block()
{
    simt::fence();
}
SIMT_DEVICE_INLINE void __threadfence_system()
{
    simt::fence();
}

/* Time */

SIMT_DEVICE_INLINE void __nanosleep(unsigned ns)
{
    simt_nanosleep(ns);
}
SIMT_DEVICE_INLINE long long clock64()
{
    return (long long)simt_clock64();
}
namespace simt
{
inline clock_t device_clock() /* clock() of device code; host code keeps the C library's */
{
    return (clock_t)simt_clock64();
}
} // namespace simt

/* Ends */

SIMT_DEVICE_INLINE void __trap(SIMT_PLACE)
{
    simt_trap(SIMT_HERE);
}
SIMT_DEVICE_INLINE void __brkpt()
{
#ifdef __clang__
    __builtin_debugtrap();
#else
    __builtin_trap();
#endif
}

/* Loads and stores with cache hints */

#define SIMT_LOAD(name)                                                                            \
    template <class T> SIMT_DEVICE_INLINE T name(const T *pointer)                                 \
    {                                                                                              \
        __atomic_signal_fence(__ATOMIC_SEQ_CST);                                                   \
        return *pointer;                                                                           \
    }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldcv)
SIMT_LOAD(__ldlu)
#undef SIMT_LOAD
#define SIMT_STORE(name)                                                                           \
    template <class T> SIMT_DEVICE_INLINE void name(T *pointer, T value)                           \
    {                                                                                              \
        *pointer = value;                                                                          \
        __atomic_signal_fence(__ATOMIC_SEQ_CST);                                                   \
    }
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwb)
SIMT_STORE(__stwt)
#undef SIMT_STORE

SIMT_DEVICE_INLINE bool __isGlobal(const void *pointer)
{
    return pointer != nullptr;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What inline PTX is translated to: registers are 64 bits wide, types belong to the instructions.
 */
#ifndef SIMT_PTX_H
#define SIMT_PTX_H

#include <stdint.h>
#include <string.h>
#include <type_traits>

#include "device.h"
#include "math.h"

namespace simt
{
/* The array of `extern __shared__` at namespace scope. */
template <class T> struct dynamic_array {
    operator T *() const
    {
        return (T *)simt_dynamic_shared();
    }
    template <class U> explicit operator U *() const
    {
        return (U *)simt_dynamic_shared();
    }
};

namespace ptx
{
/* Of loads and stores. */
enum order {
    plain = -1,
    relaxed = __ATOMIC_RELAXED,
    acquire = __ATOMIC_ACQUIRE,
    release = __ATOMIC_RELEASE
};

inline void compiler_barrier()
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Between registers and C++. */
template <class T> inline uint64_t bits(const T &value)
{
    uint64_t b = 0;
    if constexpr (std::is_integral<T>::value && std::is_signed<T>::value && sizeof(T) < 4)
        b = (uint32_t)(int32_t)value; /* registers of 32 bits hold it sign-extended */
    else
        memcpy(&b, const_cast<const std::remove_volatile_t<T> *>(&value), sizeof(T));
    return b;
}
template <class T> inline T as(uint64_t b)
{
    T value;
    memcpy(&value, &b, sizeof(T));
    return value;
}
template <class T> inline void put(T &target, uint64_t b)
{
    target = as<std::remove_cv_t<T>>(b);
}
template <class T, size_t N> inline uint64_t bits(const T (&array)[N])
{
    return (uint64_t)&array;
}

template <class T> inline uint64_t load(uint64_t address, order how)
{
    if constexpr (std::is_integral<T>::value) {
        if (how != plain) {
            simt_poll(8);
            return how == acquire ? bits(__atomic_load_n((T *)address, __ATOMIC_ACQUIRE))
                                  : bits(__atomic_load_n((T *)address, __ATOMIC_RELAXED));
        }
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return bits(*(T *)address);
}
template <class T> inline void store(uint64_t address, uint64_t value, order how)
{
    if constexpr (std::is_integral<T>::value) {
        if (how == release)
            __atomic_store_n((T *)address, as<T>(value), __ATOMIC_RELEASE);
        else
            __atomic_store_n((T *)address, as<T>(value), __ATOMIC_RELAXED);
    } else {
        *(T *)address = as<T>(value);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Vectors of 16 bytes that are aligned are one access: nobody sees half of it (with AVX).
 * ThreadSanitizer knows no such access. */
constexpr bool one_access = !SIMT_THREAD_SANITIZER;
typedef unsigned long long vector16 __attribute__((vector_size(16)));

template <class T, class... R> inline void load_vector(uint64_t address, order how, R &...registers)
{
    constexpr size_t n = sizeof...(R);
    T parts[n];

    if (how != plain)
        simt_poll(8);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (one_access && sizeof(parts) == 16 && address % 16 == 0) {
        vector16 v = *(volatile vector16 *)address;
        memcpy(parts, &v, 16);
    } else {
        for (size_t i = 0; i < n; i++)
            parts[i] = as<T>(load<T>(address + i * sizeof(T), how));
    }
    if (one_access && how == acquire)
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    size_t i = 0;
    ((registers = bits(parts[i++])), ...);
}
template <class T, class... V> inline void store_vector(uint64_t address, order how, V... values)
{
    constexpr size_t n = sizeof...(V);
    T parts[n] = {as<T>(values)...};

    if (one_access && how == release)
        __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (one_access && sizeof(parts) == 16 && address % 16 == 0) {
        vector16 v;
        memcpy(&v, parts, 16);
        *(volatile vector16 *)address = v;
    } else {
        for (size_t i = 0; i < n; i++)
            store<T>(address + i * sizeof(T), bits(parts[i]), how);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

template <class T, class F> inline uint64_t change(uint64_t address, F f)
{
    return bits(exchange_with((T *)address, [&](T old) { return (T)f(old); }));
}
template <class T> inline uint64_t cas(uint64_t address, uint64_t expected, uint64_t wanted)
{
    T e = as<T>(expected), w = as<T>(wanted);
    return bits(compare_and_swap((T *)address, e, w));
}

template <class T> inline T high_product(T a, T b)
{
    if constexpr (sizeof(T) == 8)
        return std::is_signed<T>::value
                   ? (T)__mul64hi((long long)a, (long long)b)
                   : (T)__umul64hi((unsigned long long)a, (unsigned long long)b);
    else
        return std::is_signed<T>::value ? (T)((int64_t)a * (int64_t)b >> 8 * sizeof(T))
                                        : (T)((uint64_t)a * (uint64_t)b >> 8 * sizeof(T));
}
template <class T> inline T shift_left(T a, uint32_t n)
{
    return n >= 8 * sizeof(T) ? (T)0 : (T)(a << n);
}
template <class T> inline T shift_right(T a, uint32_t n)
{
    if (n >= 8 * sizeof(T))
        return a < (T)0 ? (T)-1 : (T)0;
    return (T)(a >> n);
}
template <class T> inline T extract(T a, uint32_t position, uint32_t length)
{
    constexpr uint32_t width = 8 * sizeof(T);
    position &= 0xff;
    length &= 0xff;
    if (!length || position >= width)
        return length && std::is_signed<T>::value && a < (T)0 ? (T)-1 : (T)0;
    uint32_t left = length >= width - position ? 0 : width - position - length;
    using U = std::make_unsigned_t<T>;
    return (T)((T)((U)a << left) >> (left + position));
}
template <class T> inline T insert(T from, T into, uint32_t position, uint32_t length)
{
    constexpr uint32_t width = 8 * sizeof(T);
    position &= 0xff;
    length &= 0xff;
    T mask = shift_left<T>(length >= width ? (T) ~(T)0 : (T)(((T)1 << length) - 1), position);
    return (T)((into & ~mask) | (shift_left(from, position) & mask));
}

inline unsigned lane()
{
    return simt_linear_thread() % 32;
}

enum shuffle_kind { shuffle_up, shuffle_down, shuffle_bfly, shuffle_idx };
/* shfl.sync: `c` holds the clamp in bits 0 to 4, and in bits 8 to 12 the lane bits of a segment. */
inline uint32_t shuffle(shuffle_kind kind, uint32_t value, uint32_t b, uint32_t c, unsigned mask,
                        bool *in_range, const char *file, const char *function, int line)
{
    int me = (int)lane(), segment = c >> 8 & 31, clamp = c & 31;
    int step = (int)(b & 31), from = me;
    int most = (me & segment) | (clamp & ~segment);

    if (kind == shuffle_up)
        from = me - step;
    else if (kind == shuffle_down)
        from = me + step;
    else if (kind == shuffle_bfly)
        from = me ^ step;
    else
        from = (me & segment) | (step & ~segment);
    *in_range = kind == shuffle_up ? from >= most : from <= most;
    return (uint32_t)simt_warp(SIMT_WARP_SHFL, mask, value, *in_range ? from : me, 32, file,
                               function, line);
}
inline unsigned smid()
{
    return (unsigned)((blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) % 1024);
}
} // namespace ptx
} // namespace simt

#endif

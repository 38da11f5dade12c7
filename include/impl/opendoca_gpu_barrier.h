/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * How the CPU and kernels order what they write for each other, by use. One set of names for both
 * sides; scope is always the whole system. On a GPU the words are read and written with acquire and
 * release of the system scope, on a CPU (and in kernels that run there) with atomics.
 *
 *     writer: data, opendoca_gpu_publish*()        reader: opendoca_gpu_observe*(), data
 *
 * Where several threads wrote the data, or will read it, a barrier of the block or warp carries the
 * order among them, and every one of them also calls the fence that is named for it.
 */
#ifndef OPENDOCA_GPU_BARRIER_H_
#define OPENDOCA_GPU_BARRIER_H_

#include <impl/opendoca_gpu_ring.h>

#if defined(__CUDA_ARCH__) && !defined(__SIMT__)
#define OPENDOCA_GPU_ON_DEVICE 1
#else
#define OPENDOCA_GPU_ON_DEVICE 0
#endif

/* Makes a word known after all that this thread wrote before: doorbells, posted slots, the last
 * word of a record. */
OPENDOCA_GPU_FN void opendoca_gpu_publish(uint64_t *word, uint64_t value)
{
#if OPENDOCA_GPU_ON_DEVICE
    asm volatile("st.release.sys.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

/* The same for statuses of semaphores. */
OPENDOCA_GPU_FN void opendoca_gpu_publish32(uint32_t *word, uint32_t value)
{
#if OPENDOCA_GPU_ON_DEVICE
    asm volatile("st.release.sys.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

/* Reads a word so that what was written before it is seen after it. */
OPENDOCA_GPU_FN uint64_t opendoca_gpu_observe(const uint64_t *word)
{
#if OPENDOCA_GPU_ON_DEVICE
    uint64_t value;

    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

OPENDOCA_GPU_FN uint32_t opendoca_gpu_observe32(const uint32_t *word)
{
#if OPENDOCA_GPU_ON_DEVICE
    uint32_t value;

    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

/* Status of a semaphore from `from` to `to`; what was there before. */
OPENDOCA_GPU_FN uint32_t opendoca_gpu_exchange_if(uint32_t *word, uint32_t from, uint32_t to)
{
#if OPENDOCA_GPU_ON_DEVICE
    uint32_t old;

    asm volatile("atom.acq_rel.sys.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(word), "r"(from), "r"(to)
                 : "memory");
    return old;
#else
    uint32_t old = from;

    __atomic_compare_exchange_n(word, &old, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return old;
#endif
}

/* Parts of a record, and words without data behind them: whole, in no order. */
OPENDOCA_GPU_FN uint64_t opendoca_gpu_peek(const uint64_t *word)
{
#if OPENDOCA_GPU_ON_DEVICE
    uint64_t value;

    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

OPENDOCA_GPU_FN uint32_t opendoca_gpu_peek32(const uint32_t *word)
{
#if OPENDOCA_GPU_ON_DEVICE
    uint32_t value;

    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

OPENDOCA_GPU_FN void opendoca_gpu_poke(uint64_t *word, uint64_t value)
{
#if OPENDOCA_GPU_ON_DEVICE
    asm volatile("st.relaxed.sys.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

OPENDOCA_GPU_FN void opendoca_gpu_poke32(uint32_t *word, uint32_t value)
{
#if OPENDOCA_GPU_ON_DEVICE
    asm volatile("st.relaxed.sys.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/* Each thread that wrote slots or frames, before the barrier behind which another one rings. */
OPENDOCA_GPU_FN void opendoca_gpu_fence_before_doorbell(void)
{
#if OPENDOCA_GPU_ON_DEVICE
    asm volatile("fence.acq_rel.sys;" : : : "memory");
#else
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

/* Each thread that will read packets, behind the barrier by which it learnt of them: a line of the
 * ring's lap before may still be in its cache. */
OPENDOCA_GPU_FN void opendoca_gpu_fence_before_packets(void)
{
#if OPENDOCA_GPU_ON_DEVICE
    asm volatile("fence.acq_rel.sys;" : : : "memory");
#else
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

#endif /* OPENDOCA_GPU_BARRIER_H_ */

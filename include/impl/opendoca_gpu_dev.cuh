/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What device functions of all headers are made of. Names that begin with opendoca_dev_ are
 * private.
 *
 * Three compilers see this: nvcc for a GPU; the toolkit that runs kernels on the CPU (__SIMT__);
 * and compilers of host code that read the headers without calling anything, where the CPU's ways
 * do.
 */
#ifndef OPENDOCA_GPU_DEV_CUH_
#define OPENDOCA_GPU_DEV_CUH_

#include <stdint.h>
#include <stdio.h>
#include <doca_error.h>
#include <impl/opendoca_gpu_barrier.h>

#define OPENDOCA_DEV_WARP 32u

/* A note as in impl/opendoca_flavour.h, of type 2: NVIDIA's nvcc compiled kernels of this program,
 * so that a CPU does not run them. */
#if defined(__CUDACC__) && !defined(__SIMT__) && !defined(__CUDA_ARCH__) && defined(__ELF__)
__asm__(".pushsection .note.opendoca,\"a\",%note\n\t"
        ".p2align 2\n\t"
        ".long 2f - 1f\n\t"
        ".long 4\n\t"
        ".long 2\n"
        "1:\t.asciz \"opendoca\"\n"
        "2:\t.p2align 2\n\t"
        ".long 1\n\t"
        ".popsection");
#endif

/* Lanes of a warp that look for packets side by side. Fibers take turns: there one is fastest. */
#ifdef __SIMT__
#define OPENDOCA_DEV_LOOKERS 1u
#else
#define OPENDOCA_DEV_LOOKERS OPENDOCA_DEV_WARP
#endif

/* Rounds of waiting after which it is asked whether the queue still runs. */
#define OPENDOCA_DEV_ROUNDS 256u

/* ---- place and time ---- */

__device__ static inline unsigned int opendoca_dev_thread()
{
#ifdef __SIMT__
    return simt_linear_thread();
#else
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
#endif
}

__device__ static inline unsigned int opendoca_dev_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

/* How many lanes the thread's warp has: fewer than 32 in the last warp of some blocks. */
__device__ static inline unsigned int opendoca_dev_lanes()
{
    unsigned int rest =
        opendoca_dev_threads() - opendoca_dev_thread() / OPENDOCA_DEV_WARP * OPENDOCA_DEV_WARP;

    return rest < OPENDOCA_DEV_WARP ? rest : OPENDOCA_DEV_WARP;
}

__device__ static inline unsigned int opendoca_dev_mask(unsigned int lanes)
{
    return 0xffffffffu >> (OPENDOCA_DEV_WARP - lanes);
}

__device__ static inline uint64_t opendoca_dev_time()
{
#ifdef __SIMT__
    return simt_globaltimer();
#elif defined(__CUDA_ARCH__)
    uint64_t ns;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) : : "memory");
    return ns;
#else
    return 0;
#endif
}

/* In loops that wait for others: fibers run, and a block that only waits gives its core away. A GPU
 * lets lanes and warps get on anyway. */
__device__ static inline void opendoca_dev_pause()
{
#ifdef __SIMT__
    simt_poll(32);
#else
    asm volatile("" : : : "memory");
#endif
}

/* Something came, or was handed on: a kernel that does so now and then does not hang. */
__device__ static inline void opendoca_dev_step()
{
#ifdef __SIMT__
    simt_step();
#endif
}

/* What a call looks for has not come: it looks on, or its caller goes on without. A kernel that
 * does nothing else sleeps between its looks. */
__device__ static inline void opendoca_dev_vain(bool goes_on)
{
#ifdef __SIMT__
    simt_vain(goes_on);
#else
    (void)goes_on;
#endif
}

/* ---- memory ---- */

/* Scope 0 is the system, 1 the device, 2 the block. */
template <int scope> __device__ static inline void opendoca_dev_fence()
{
    if (scope == 2)
        __threadfence_block();
    else if (scope == 1)
        __threadfence();
    else
        __threadfence_system();
}

__device__ static inline void opendoca_dev_store_quarter(void *quarter, uint64_t low, uint64_t high)
{
#if defined(__CUDA_ARCH__) && !defined(__SIMT__)
    asm volatile("st.global.v2.u64 [%0], {%1, %2};"
                 :
                 : "l"(quarter), "l"(low), "l"(high)
                 : "memory");
#else
    ((uint64_t *)quarter)[0] = low;
    ((uint64_t *)quarter)[1] = high;
#endif
}

/* ---- atomics on words of 32 and 64 bits; `cta`: among the threads of the block ---- */

template <bool is64, bool is_signed> struct opendoca_dev_word {
    typedef unsigned int type;
};
template <> struct opendoca_dev_word<false, true> {
    typedef int type;
};
template <> struct opendoca_dev_word<true, false> {
    typedef unsigned long long type;
};
template <> struct opendoca_dev_word<true, true> {
    typedef long long type;
};

template <bool cta, typename T> __device__ static inline T opendoca_dev_add(T *word, T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics are for 32 and 64 bits");
    typedef typename opendoca_dev_word<sizeof(T) == 8, false>::type carrier;

    if (cta)
        return (T)atomicAdd_block((carrier *)word, (carrier)value);
    return (T)atomicAdd((carrier *)word, (carrier)value);
}

template <bool cta, typename T> __device__ static inline T opendoca_dev_max(T *word, T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics are for 32 and 64 bits");
    typedef typename opendoca_dev_word<sizeof(T) == 8, ((T)-1 < (T)0)>::type carrier;

    if (cta)
        return (T)atomicMax_block((carrier *)word, (carrier)value);
    return (T)atomicMax((carrier *)word, (carrier)value);
}

template <typename T> __device__ static inline T opendoca_dev_read(T *word)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics are for 32 and 64 bits");
    if (sizeof(T) == 8)
        return (T)opendoca_gpu_peek((const uint64_t *)word);
    return (T)opendoca_gpu_peek32((const uint32_t *)word);
}

__device__ static inline uint32_t opendoca_dev_cas(uint32_t *word, uint32_t from, uint32_t to)
{
    return atomicCAS(word, from, to);
}

__device__ static inline uint64_t opendoca_dev_cas(uint64_t *word, uint64_t from, uint64_t to)
{
    return atomicCAS((unsigned long long *)word, (unsigned long long)from, (unsigned long long)to);
}

/* ---- handles ---- */

/* Instead of the magic of a handle that was complained of. */
#define OPENDOCA_DEV_TOLD 0x4f44544cu

/* Why a handle cannot be used; the first who asks prints it. */
__device__ static inline doca_error_t opendoca_dev_refuse(uint32_t *magic, uint32_t version,
                                                          uint32_t wanted, const char *what)
{
    uint32_t found = opendoca_gpu_peek32(magic);

    if (found == OPENDOCA_DEV_TOLD || opendoca_dev_cas(magic, found, OPENDOCA_DEV_TOLD) != found)
        return DOCA_ERROR_NOT_SUPPORTED;
    if (found == wanted)
        printf("%s: the handle is of version %u, this kernel was compiled for version %u; "
               "compile it against the headers of the installed library\n",
               what, (unsigned int)version, OPENDOCA_GPU_VERSION);
    else if (found == OPENDOCA_GPU_GONE_MAGIC)
        printf("%s: its context was stopped, the handle is not valid any more\n", what);
    else
        printf("%s: not a handle (0x%x at its mark)\n", what, (unsigned int)found);
    return DOCA_ERROR_NOT_SUPPORTED;
}

/* SUCCESS for a handle with this magic and of this version. `handle`: with both as members. */
template <typename T>
__device__ static inline doca_error_t opendoca_dev_check(T *handle, uint32_t magic,
                                                         const char *what)
{
    if (opendoca_gpu_peek32(&handle->magic) == magic &&
        opendoca_gpu_peek32(&handle->version) == OPENDOCA_GPU_VERSION)
        return DOCA_SUCCESS;
    return opendoca_dev_refuse((uint32_t *)&handle->magic, handle->version, magic, what);
}

#endif

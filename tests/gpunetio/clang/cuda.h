/* SPDX-License-Identifier: BSD-3-Clause */
/* As much of CUDA's headers as the device headers need to be compiled by clang for a GPU, without a
 * toolkit. */
#ifndef CUDA_H
#define CUDA_H

#define CUDA_VERSION 12000
#define __CUDACC__

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define __device__   __attribute__((device))
#define __host__     __attribute__((host))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))

struct uint3 {
    unsigned int x, y, z;
};
struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1)
        : x(a), y(b), z(c)
    {
    }
};

#include <__clang_cuda_builtin_vars.h>

typedef struct CUstream_st *cudaStream_t;
typedef int cudaError_t;
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);

extern "C" __device__ int vprintf(const char *, __builtin_va_list);
extern "C" __device__ int printf(const char *, ...);

#define DEVICE __device__ static inline
DEVICE void __syncwarp(unsigned int mask = ~0u)
{
    __nvvm_bar_warp_sync(mask);
}
DEVICE void __threadfence()
{
    __nvvm_membar_gl();
}
DEVICE void __threadfence_block()
{
    __nvvm_membar_cta();
}
DEVICE void __threadfence_system()
{
    __nvvm_membar_sys();
}
DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
DEVICE int __any_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate);
}
DEVICE int __ffs(int word)
{
    return __builtin_ffs(word);
}
DEVICE unsigned long long __shfl_sync(unsigned int mask, unsigned long long value, int lane)
{
    unsigned int low = __nvvm_shfl_sync_idx_i32(mask, (int)value, lane, 0x1f);
    unsigned int high = __nvvm_shfl_sync_idx_i32(mask, (int)(value >> 32), lane, 0x1f);

    return (unsigned long long)high << 32 | low;
}

#define ATOMIC(suffix, scope)                                                                      \
    DEVICE unsigned int atomicAdd##suffix(unsigned int *p, unsigned int v)                         \
    {                                                                                              \
        return __nvvm_atom_##scope##add_gen_i((int *)p, v);                                        \
    }                                                                                              \
    DEVICE unsigned long long atomicAdd##suffix(unsigned long long *p, unsigned long long v)       \
    {                                                                                              \
        return __nvvm_atom_##scope##add_gen_ll((long long *)p, v);                                 \
    }                                                                                              \
    DEVICE int atomicMax##suffix(int *p, int v)                                                    \
    {                                                                                              \
        return __nvvm_atom_##scope##max_gen_i(p, v);                                               \
    }                                                                                              \
    DEVICE unsigned int atomicMax##suffix(unsigned int *p, unsigned int v)                         \
    {                                                                                              \
        return __nvvm_atom_##scope##max_gen_ui(p, v);                                              \
    }                                                                                              \
    DEVICE long long atomicMax##suffix(long long *p, long long v)                                  \
    {                                                                                              \
        return __nvvm_atom_##scope##max_gen_ll(p, v);                                              \
    }                                                                                              \
    DEVICE unsigned long long atomicMax##suffix(unsigned long long *p, unsigned long long v)       \
    {                                                                                              \
        return __nvvm_atom_##scope##max_gen_ull(p, v);                                             \
    }
ATOMIC(, )
ATOMIC(_block, cta_)
DEVICE unsigned int atomicCAS(unsigned int *p, unsigned int from, unsigned int to)
{
    return __nvvm_atom_cas_gen_i((int *)p, from, to);
}
DEVICE unsigned long long atomicCAS(unsigned long long *p, unsigned long long from,
                                    unsigned long long to)
{
    return __nvvm_atom_cas_gen_ll((long long *)p, from, to);
}
#undef ATOMIC
#undef DEVICE

#endif

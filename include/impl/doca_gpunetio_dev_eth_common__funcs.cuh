/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of doca_gpunetio_dev_eth_common.cuh, and what the device headers share beyond it. */
#ifndef DOCA_GPUNETIO_DEV_ETH_COMMON__FUNCS_CUH_
#define DOCA_GPUNETIO_DEV_ETH_COMMON__FUNCS_CUH_

#include <impl/opendoca_gpu_barrier.h>
#include <impl/opendoca_gpu_dev.cuh>

/* Programs of older releases use these without having defined them. */
#ifndef ACCESS_ONCE
#define ACCESS_ONCE(x) DOCA_GPUNETIO_ETH_VOLATILE(x)
#endif
#ifndef READ_ONCE
#define READ_ONCE(x) DOCA_GPUNETIO_ETH_VOLATILE(x)
#endif
#ifndef WRITE_ONCE
#define WRITE_ONCE(x, v) DOCA_GPUNETIO_ETH_WRITE_ONCE(x, v)
#endif

__device__ static inline uint64_t doca_gpu_dev_eth_query_globaltimer()
{
    return opendoca_dev_time();
}

__device__ static inline uint64_t doca_gpu_dev_eth_bswap64(uint64_t x)
{
    return opendoca_gpu_swap64(x);
}

__device__ static inline uint32_t doca_gpu_dev_eth_bswap32(uint32_t x)
{
    return opendoca_gpu_swap32(x);
}

__device__ static inline void doca_gpu_dev_eth_store_wqe_seg(uint64_t *ptr, uint64_t *val)
{
    opendoca_dev_store_quarter(ptr, val[0], val[1]);
}

__device__ static inline unsigned int doca_gpu_dev_eth_get_lane_id()
{
    return opendoca_dev_thread() % OPENDOCA_DEV_WARP;
}

__device__ static inline void doca_gpu_dev_eth_store_relaxed_mmio(uint64_t *ptr, uint64_t val)
{
#if defined(__SIMT__) || !defined(__CUDA_ARCH__)
    __atomic_store_n(ptr, val, __ATOMIC_RELAXED);
#elif defined(DOCA_GPUNETIO_ETH_HAS_STORE_RELAXED_MMIO)
    asm volatile("st.mmio.relaxed.sys.global.u64 [%0], %1;" : : "l"(ptr), "l"(val) : "memory");
#else
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(ptr), "l"(val) : "memory");
#endif
}

#if defined(__SIMT__) || !defined(__CUDA_ARCH__)
#define OPENDOCA_DEV_LOAD(type, suffix, letter, carrier)                                           \
    __device__ static inline type doca_gpu_dev_eth_load_relaxed_sys_global(type *ptr)              \
    {                                                                                              \
        opendoca_dev_pause();                                                                      \
        return __atomic_load_n(ptr, __ATOMIC_ACQUIRE); /* as strong as programs expect of GPUs */  \
    }
#else
#define OPENDOCA_DEV_LOAD(type, suffix, letter, carrier)                                           \
    __device__ static inline type doca_gpu_dev_eth_load_relaxed_sys_global(type *ptr)              \
    {                                                                                              \
        carrier value;                                                                             \
        asm volatile("ld.relaxed.sys.global." suffix " %0, [%1];"                                  \
                     : "=" letter(value)                                                           \
                     : "l"(ptr)                                                                    \
                     : "memory");                                                                  \
        return (type)value;                                                                        \
    }
#endif
OPENDOCA_DEV_LOAD(uint8_t, "u8", "h", unsigned short)
OPENDOCA_DEV_LOAD(uint16_t, "u16", "h", unsigned short)
OPENDOCA_DEV_LOAD(uint32_t, "u32", "r", unsigned int)
OPENDOCA_DEV_LOAD(uint64_t, "u64", "l", unsigned long long)
#undef OPENDOCA_DEV_LOAD

template <typename T, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          bool need_fence_acquire>
__device__ static inline T doca_gpu_dev_eth_atomic_max(T *ptr, T val)
{
    T old;

    if (resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE) {
        old = *ptr;
        if (old < val)
            *ptr = val;
    } else {
        old =
            opendoca_dev_max<resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA>(
                ptr, val);
    }
    if (need_fence_acquire) {
        if (resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA)
            doca_gpu_dev_eth_fence_acquire<DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA>();
        else
            doca_gpu_dev_eth_fence_acquire<DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>();
    }
    return old;
}

template <typename T, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline T doca_gpu_dev_eth_atomic_add(T *ptr, T val)
{
    if (resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE) {
        T old = *ptr;

        *ptr = old + val;
        return old;
    }
    return opendoca_dev_add<resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA>(
        ptr, val);
}

template <typename T, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline T doca_gpu_dev_eth_atomic_read(T *ptr)
{
    if (resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE)
        return *ptr;
    return opendoca_dev_read(ptr);
}

template <enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_fence_acquire()
{
#if defined(DOCA_GPUNETIO_ETH_HAS_FENCE_ACQUIRE_RELEASE_PTX) && !defined(__SIMT__)
    if (sync_scope == DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA)
        asm volatile("fence.acquire.cta;" ::: "memory");
    else if (sync_scope == DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU)
        asm volatile("fence.acquire.gpu;" ::: "memory");
    else
        asm volatile("fence.acquire.sys;" ::: "memory");
#else
    opendoca_dev_fence<(int)sync_scope>();
#endif
}

template <enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_fence_release()
{
#if defined(DOCA_GPUNETIO_ETH_HAS_FENCE_ACQUIRE_RELEASE_PTX) && !defined(__SIMT__)
    if (sync_scope == DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA)
        asm volatile("fence.release.cta;" ::: "memory");
    else if (sync_scope == DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU)
        asm volatile("fence.release.gpu;" ::: "memory");
    else
        asm volatile("fence.release.sys;" ::: "memory");
#else
    opendoca_dev_fence<(int)sync_scope>();
#endif
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline void doca_gpu_dev_eth_lock(int *lock)
{
    if (resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE) {
        *lock = 1;
    } else {
        while (opendoca_dev_cas((uint32_t *)lock, 0u, 1u) != 0)
            opendoca_dev_pause();
        if (resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA)
            doca_gpu_dev_eth_fence_acquire<DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA>();
        else
            doca_gpu_dev_eth_fence_acquire<DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>();
    }
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline void doca_gpu_dev_eth_unlock(int *lock)
{
    if (resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE)
        *lock = 0;
    else
        opendoca_gpu_publish32((uint32_t *)lock, 0);
}

__device__ static inline void doca_gpu_dev_eth_print_cqe_err(volatile struct mlx5_cqe64 *cqe64)
{
    const struct opendoca_gpu_cqe *cqe = (const struct opendoca_gpu_cqe *)cqe64;
    uint64_t reasons = opendoca_gpu_peek(&cqe->time_be);
    uint64_t tail = opendoca_gpu_peek(&cqe->tail);

    printf(
        "completion with an error: queue %u, counter %u, opcode %u, syndrome 0x%x, vendor 0x%x\n",
        (unsigned int)opendoca_gpu_peek32(&cqe->queue),
        (unsigned int)opendoca_gpu_cqe_counter(tail), opendoca_gpu_cqe_opcode(tail),
        (unsigned int)(reasons >> 56), (unsigned int)(reasons >> 48 & 0xff));
}

__device__ static inline __be32 doca_gpu_dev_eth_prepare_dbr(uint32_t prod_index)
{
    return opendoca_gpu_swap32(prod_index & DOCA_GPUNETIO_ETH_WQE_PI_MASK);
}

__device__ static inline __be32 doca_gpu_dev_eth_prepare_cq_dbr(uint32_t prod_index)
{
    return opendoca_gpu_swap32(prod_index & DOCA_GPUNETIO_ETH_CQE_CI_MASK);
}

#endif

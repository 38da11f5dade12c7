/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the device functions of receive and send queues have in common: time, byte order, atomics,
 * fences and locks by scope.
 *
 * For kernels only; any thread may call any function at any time. All work with nvcc and with the
 * toolkit that runs kernels on the CPU, where every scope is the whole system.
 */
#ifndef DOCA_GPUNETIO_DEV_ETH_COMMON_CUH_
#define DOCA_GPUNETIO_DEV_ETH_COMMON_CUH_

#include <cuda.h>
#include <cuda/atomic>
#include <doca_gpunetio_eth_def.h>

#if CUDA_VERSION >= 12020
/** st.mmio is known. */
#define DOCA_GPUNETIO_ETH_HAS_STORE_RELAXED_MMIO 1
#endif

#if CUDA_VERSION >= 12080 && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/** fence.acquire and fence.release are known. */
#define DOCA_GPUNETIO_ETH_HAS_FENCE_ACQUIRE_RELEASE_PTX 1
#endif

/** The variable x, read or written by the machine each time it is named. */
#define DOCA_GPUNETIO_ETH_VOLATILE(x) (*(volatile __typeof__(x) *)&(x))

/** Writes v to the variable x with one store. */
#define DOCA_GPUNETIO_ETH_WRITE_ONCE(x, v) (DOCA_GPUNETIO_ETH_VOLATILE(x) = (v))

/** Number of a work request; counts from 0 on without end. */
typedef uint64_t doca_gpu_dev_eth_ticket_t;

/** First quarter of a slot, under the names that programs know; the library fills it. */
struct doca_gpu_dev_eth_wqe_ctrl_seg {
    __be32 opmod_idx_opcode; /**< kind, segments, index */
    __be32 qpn_ds;           /**< flags */
    union {
        struct {
            uint8_t signature; /**< see the library */
            uint8_t rsvd[2];   /**< see the library */
            uint8_t fm_ce_se;  /**< see the library */
        };
        struct {
            __be32 flags; /**< see the library */
        };
    };
    __be32 imm; /**< see the library */
} __attribute__((__aligned__(8)));

/**
 * Tell the time in nanoseconds: the same clock for all blocks, and that of the receive time of
 * packets where kernels run on the CPU.
 */
__device__ static inline uint64_t doca_gpu_dev_eth_query_globaltimer();

/** Reverse the bytes of a 64-bit value. */
__device__ static inline uint64_t doca_gpu_dev_eth_bswap64(uint64_t x);

/** Reverse the bytes of a 32-bit value. */
__device__ static inline uint32_t doca_gpu_dev_eth_bswap32(uint32_t x);

/**
 * Copy a quarter of a slot: 16 bytes as two words of 64 bits.
 *
 * @ptr, val: aligned to 16 bytes
 */
__device__ static inline void doca_gpu_dev_eth_store_wqe_seg(uint64_t *ptr, uint64_t *val);

/** Tell the thread's place in its warp, 0 to 31, from its linear index in the block. */
__device__ static inline unsigned int doca_gpu_dev_eth_get_lane_id();

/** Write a doorbell, in no order with other memory. */
__device__ static inline void doca_gpu_dev_eth_store_relaxed_mmio(uint64_t *ptr, uint64_t val);

/**
 * Read a word that the CPU or a device changes, past all caches, in no order with other memory.
 * Others run meanwhile where kernels run on the CPU: made for loops that wait.
 */
__device__ static inline uint8_t doca_gpu_dev_eth_load_relaxed_sys_global(uint8_t *ptr);

/** The same for 16 bits. */
__device__ static inline uint16_t doca_gpu_dev_eth_load_relaxed_sys_global(uint16_t *ptr);

/** The same for 32 bits. */
__device__ static inline uint32_t doca_gpu_dev_eth_load_relaxed_sys_global(uint32_t *ptr);

/** The same for 64 bits. */
__device__ static inline uint64_t doca_gpu_dev_eth_load_relaxed_sys_global(uint64_t *ptr);

/**
 * Replace a value by the greater one of itself and val; returns what was there.
 *
 * T has 32 or 64 bits. Atomic among those who share as resource_sharing_mode says: a plain
 * read and write with EXCLUSIVE, in the block with CTA, on the device with GPU.
 * need_fence_acquire: what was written before the value that was found is seen afterwards.
 */
template <typename T, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          bool need_fence_acquire = false>
__device__ static inline T doca_gpu_dev_eth_atomic_max(T *ptr, T val);

/** Add val; returns what was there. T and sharing as doca_gpu_dev_eth_atomic_max(). */
template <typename T, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline T doca_gpu_dev_eth_atomic_add(T *ptr, T val);

/** Read a value that others change with the functions above. */
template <typename T, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline T doca_gpu_dev_eth_atomic_read(T *ptr);

/** What is read before stays before all memory accesses that follow, for the scope named. */
template <enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_fence_acquire();

/** All memory accesses before stay before what is written afterwards, for the scope named. */
template <enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_fence_release();

/**
 * Take a lock that starts as 0; waits for it unless EXCLUSIVE. A thread that holds it must not take
 * it again. Lanes of one warp may compete.
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline void doca_gpu_dev_eth_lock(int *lock);

/** Give a lock back; what was written before is visible to the next who takes it. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline void doca_gpu_dev_eth_unlock(int *lock);

/** Print one line about a completion record of a failure: number, counter, reason. */
__device__ static inline void doca_gpu_dev_eth_print_cqe_err(volatile struct mlx5_cqe64 *cqe64);

/** Encode a producer index for a doorbell record. */
__device__ static inline __be32 doca_gpu_dev_eth_prepare_dbr(uint32_t prod_index);

/** Encode a consumer index for a doorbell record of completions. */
__device__ static inline __be32 doca_gpu_dev_eth_prepare_cq_dbr(uint32_t prod_index);

#include <impl/doca_gpunetio_dev_eth_common__funcs.cuh>

#endif

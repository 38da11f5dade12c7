/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Semaphores in kernels: items that kernels and CPU share, each with a status, the place of some
 * packets, and information of the program's own. See doca_gpunetio.h for the CPU's side.
 *
 * Any thread may call any function at any time; who may write an item is settled by the program.
 * What was written before a status was set is visible to who gets that status, on GPU and CPU.
 * Where other threads of the block wrote it, they meet at a barrier before one of them sets the
 * status.
 *
 * All functions return DOCA_ERROR_INVALID_VALUE when a pointer is NULL or idx is no item.
 */
#ifndef DOCA_GPUNETIO_DEV_SEM_CUH_
#define DOCA_GPUNETIO_DEV_SEM_CUH_

#include <stdint.h>

#include <doca_error.h>
#include <doca_gpunetio.h>

/**
 * Set the status of an item.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: see above
 *   DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
__device__ doca_error_t
doca_gpu_dev_semaphore_set_status(struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
                                  enum doca_gpu_semaphore_status status);

/**
 * Set the status of an item if it is status_compare; one of several callers succeeds.
 *
 * Returns as doca_gpu_dev_semaphore_set_status(), and DOCA_ERROR_NOT_PERMITTED: it is another one
 */
__device__ doca_error_t doca_gpu_dev_semaphore_set_status_cas(
    struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
    enum doca_gpu_semaphore_status status_compare, enum doca_gpu_semaphore_status status_val);

/**
 * Write the place of packets, then set the status.
 *
 * @num_packets, doca_buf_idx_start: as a receive call told them
 *
 * Returns as doca_gpu_dev_semaphore_set_status().
 */
__device__ doca_error_t doca_gpu_dev_semaphore_set_packet_info(
    const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
    enum doca_gpu_semaphore_status status, uint32_t num_packets, uint64_t doca_buf_idx_start);

/** Get the status of an item. Returns as doca_gpu_dev_semaphore_set_status(). */
__device__ doca_error_t
doca_gpu_dev_semaphore_get_status(const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
                                  enum doca_gpu_semaphore_status *status);

/**
 * Get status and place of packets of an item, whatever the status.
 *
 * Returns as doca_gpu_dev_semaphore_set_status().
 */
__device__ doca_error_t doca_gpu_dev_semaphore_get_packet_info(
    const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
    enum doca_gpu_semaphore_status *status, uint32_t *num_packets, uint64_t *doca_buf_idx_start);

/**
 * Get the place of packets of an item that has a status; made to be called until it succeeds.
 *
 * Returns as doca_gpu_dev_semaphore_set_status(), and DOCA_ERROR_NOT_FOUND: it has another one
 */
__device__ doca_error_t doca_gpu_dev_semaphore_get_packet_info_status(
    const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
    enum doca_gpu_semaphore_status status, uint32_t *num_packets, uint64_t *doca_buf_idx_start);

/**
 * Get where the program's own information of an item is, for kernels.
 *
 * @custom_info: receives the address
 *
 * Returns as doca_gpu_dev_semaphore_set_status(); also DOCA_ERROR_INVALID_VALUE: the semaphore was
 * created without.
 */
__device__ doca_error_t doca_gpu_dev_semaphore_get_custom_info_addr(
    struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx, void **custom_info);

#include <impl/doca_gpunetio_dev_sem__funcs.cuh>

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers in kernels: elements of arrays that doca_buf_arr_get_gpu_handle() gave, and packets of
 * receive queues. Any thread may call any function at any time.
 */
#ifndef DOCA_GPUNETIO_DEV_BUF_CUH_
#define DOCA_GPUNETIO_DEV_BUF_CUH_

#include <stdint.h>

#include <doca_error.h>
#include <doca_gpunetio.h>

struct doca_gpu_buf;
struct doca_gpu_buf_arr;

/**
 * Get an element of an array.
 *
 * @doca_gpu_buf_idx: below the number of elements; where kernels run on the CPU, another one is
 *     reported and the last element taken
 * @buf: receives the element, valid as long as the array runs
 */
__device__ void doca_gpu_dev_buf_get_buf(const struct doca_gpu_buf_arr *buf_arr_gpu,
                                         const uint64_t doca_gpu_buf_idx,
                                         struct doca_gpu_buf **buf);

/** Get where a buffer begins, for kernels; of an exported array, for the peer's kernels. */
__device__ void doca_gpu_dev_buf_get_addr(const struct doca_gpu_buf *buf, uintptr_t *addr);

/** Get the key of a buffer's memory as the functions of all device headers take it. */
__device__ void doca_gpu_dev_buf_get_mkey(const struct doca_gpu_buf *buf, uint32_t *mkey);

/**
 * Make a buffer of an address and a key.
 *
 * @buf: receives it, valid until kernels of the same source file made 1024 others
 */
__device__ void doca_gpu_dev_buf_create(uintptr_t addr, uint32_t mkey, struct doca_gpu_buf **buf);

#include <impl/doca_gpunetio_dev_buf__funcs.cuh>

#endif

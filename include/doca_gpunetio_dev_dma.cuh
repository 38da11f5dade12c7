/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies that kernels start, by the handle of doca_dma_get_gpu_handle().
 *
 * Any threads queue copies; they meet at a barrier, then one of them commits. Copies begin with the
 * commit and are made in the order of their queueing. They are complete at the latest when the
 * kernel has ended, as the CPU sees it after cudaStreamSynchronize().
 */
#ifndef DOCA_GPUNETIO_DEV_DMA_CUH_
#define DOCA_GPUNETIO_DEV_DMA_CUH_

#include <stdint.h>

#include <doca_error.h>
#include <doca_gpunetio.h>

struct doca_gpu_buf;
struct doca_gpu_dma;

/**
 * Queue one copy. What the thread wrote to the source before is copied.
 *
 * @src_buf, dst_buf: of doca_gpu_dev_buf_get_buf(); both ranges lie inside of them and do not
 * overlap
 * @length: bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or a range is not in its buffer
 *   DOCA_ERROR_NO_MEMORY: the queue is full; commit, and try again
 *   DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
__device__ doca_error_t doca_gpu_dev_dma_memcpy(struct doca_gpu_dma *dma,
                                                struct doca_gpu_buf *src_buf, uint64_t src_offset,
                                                struct doca_gpu_buf *dst_buf, uint64_t dst_offset,
                                                size_t length);

/**
 * Start all copies that were queued. One thread, behind a barrier with those that queued them.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dma is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
__device__ doca_error_t doca_gpu_dev_dma_commit(struct doca_gpu_dma *dma);

#include <impl/doca_gpunetio_dev_dma__funcs.cuh>

#endif

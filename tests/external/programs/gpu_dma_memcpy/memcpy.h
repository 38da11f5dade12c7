/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPU_DMA_MEMCPY_H
#define GPU_DMA_MEMCPY_H

#include <doca_error.h>

#define MEMCPY_SIZE 64

struct doca_gpu_buf_arr;
struct doca_gpu_dma;

#ifdef __cplusplus
extern "C" {
#endif

doca_error_t memcpy_kernel(struct doca_gpu_dma *dma, char *text, struct doca_gpu_buf_arr *src,
                           struct doca_gpu_buf_arr *dst);

#ifdef __cplusplus
}
#endif

#endif

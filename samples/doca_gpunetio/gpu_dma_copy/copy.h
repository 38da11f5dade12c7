/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_GPU_DMA_COPY_COPY_H_
#define SAMPLES_GPU_DMA_COPY_COPY_H_

/* What the host program and the kernel share. */

#include <doca_error.h>

struct doca_gpu_buf_arr;
struct doca_gpu_dma;

#define COPY_PIECES 8  /* elements of the arrays, and threads of the kernel */
#define COPY_BYTES  64 /* of an element */

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the kernel: it prints the text at `text`, writes it in capitals, and has the elements of
 * `from` copied to those of `to`. All is there when this returns. */
doca_error_t copy_run(struct doca_gpu_dma *dma, char *text, struct doca_gpu_buf_arr *from,
                      struct doca_gpu_buf_arr *to);

#ifdef __cplusplus
}
#endif

#endif /* SAMPLES_GPU_DMA_COPY_COPY_H_ */

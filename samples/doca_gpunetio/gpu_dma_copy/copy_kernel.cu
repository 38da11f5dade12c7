/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that has the device copy memory. */

#include <stdio.h>

#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_dma.cuh>

#include "copy.h"

/* Each thread queues the copy of one piece, the first one starts them all. */
static __global__ void copy(struct doca_gpu_dma *dma, char *text, struct doca_gpu_buf_arr *from,
                            struct doca_gpu_buf_arr *to)
{
    struct doca_gpu_buf *src, *dst;
    char *piece = text + threadIdx.x * COPY_BYTES;

    if (threadIdx.x == 0)
        printf("the kernel got:  %s\n", text);
    __syncthreads();
    for (int i = 0; i < COPY_BYTES; i++) {
        if (piece[i] >= 'a' && piece[i] <= 'z')
            piece[i] = (char)(piece[i] - 'a' + 'A');
    }
    doca_gpu_dev_buf_get_buf(from, threadIdx.x, &src);
    doca_gpu_dev_buf_get_buf(to, threadIdx.x, &dst);
    if (doca_gpu_dev_dma_memcpy(dma, src, 0, dst, 0, COPY_BYTES) != DOCA_SUCCESS)
        printf("piece %u is not queued\n", threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0 && doca_gpu_dev_dma_commit(dma) != DOCA_SUCCESS)
        printf("the copies do not start\n");
}

doca_error_t copy_run(struct doca_gpu_dma *dma, char *text, struct doca_gpu_buf_arr *from,
                      struct doca_gpu_buf_arr *to)
{
    cudaError_t error;

    copy<<<1, COPY_PIECES>>>(dma, text, from, to);
    error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        return DOCA_SUCCESS;
    fprintf(stderr, "the kernel: %s\n", cudaGetErrorString(error));
    return DOCA_ERROR_DRIVER;
}

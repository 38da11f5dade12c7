/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what is in memory of the GPU, writes an answer there, has the device copy it to the CPU.
 */
#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_dma.cuh>
#include <doca_log.h>

#include "memcpy.h"

DOCA_LOG_REGISTER(GPU_DMA_MEMCPY::KERNEL);

__global__ void answer(struct doca_gpu_dma *dma, char *text, struct doca_gpu_buf_arr *src_arr,
                       struct doca_gpu_buf_arr *dst_arr)
{
    const char reply[] = "written by a kernel";
    struct doca_gpu_buf *src, *dst;

    doca_gpu_dev_buf_get_buf(src_arr, threadIdx.x, &src);
    doca_gpu_dev_buf_get_buf(dst_arr, threadIdx.x, &dst);
    printf("kernel sees: %s\n", text);
    for (uint32_t i = 0; i < sizeof(reply); i++)
        text[i] = reply[i];
    if (doca_gpu_dev_dma_memcpy(dma, src, 0, dst, 0, MEMCPY_SIZE) != DOCA_SUCCESS)
        printf("no copy\n");
    __syncthreads();
    if (threadIdx.x == 0)
        doca_gpu_dev_dma_commit(dma);
}

extern "C" {

doca_error_t memcpy_kernel(struct doca_gpu_dma *dma, char *text, struct doca_gpu_buf_arr *src,
                           struct doca_gpu_buf_arr *dst)
{
    cudaError_t error = cudaGetLastError();

    if (error != cudaSuccess)
        return DOCA_ERROR_BAD_STATE;
    answer<<<1, 1>>>(dma, text, src, dst);
    error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("Kernel: %s", cudaGetErrorString(error));
    return DOCA_ERROR_BAD_STATE;
}
}

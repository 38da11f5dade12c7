/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of doca_gpunetio_dev_dma.cuh. */
#ifndef DOCA_GPUNETIO_DEV_DMA__FUNCS_CUH_
#define DOCA_GPUNETIO_DEV_DMA__FUNCS_CUH_

#include <impl/opendoca_gpu_dev.cuh>

__device__ static inline bool opendoca_dev_in_buf(const struct doca_gpu_buf *buf, uint64_t offset,
                                                  uint64_t length)
{
    return offset <= buf->bytes && length <= buf->bytes - offset;
}

/* Takes the next place of the queue; false when it is full. */
__device__ static inline bool opendoca_dev_dma_next(struct doca_gpu_dma *dma, uint64_t *index)
{
    const struct opendoca_gpu_dma_words *words = (const struct opendoca_gpu_dma_words *)dma->words;

    do {
        *index = opendoca_gpu_observe(&dma->queued);
        if (*index - opendoca_gpu_observe(&words->done) >= dma->num) {
            opendoca_dev_pause();
            return false;
        }
    } while (opendoca_dev_cas(&dma->queued, *index, *index + 1) != *index);
    return true;
}

__device__ inline doca_error_t
doca_gpu_dev_dma_memcpy(struct doca_gpu_dma *dma, struct doca_gpu_buf *src_buf, uint64_t src_offset,
                        struct doca_gpu_buf *dst_buf, uint64_t dst_offset, size_t length)
{
    struct opendoca_gpu_dma_copy *copy;
    doca_error_t code;
    uint64_t index;

    if (!dma || !src_buf || !dst_buf || !opendoca_dev_in_buf(src_buf, src_offset, length) ||
        !opendoca_dev_in_buf(dst_buf, dst_offset, length))
        return DOCA_ERROR_INVALID_VALUE;
    code = opendoca_dev_check(dma, OPENDOCA_GPU_DMA_MAGIC, "doca_gpu_dev_dma_memcpy()");
    if (code != DOCA_SUCCESS)
        return code;
    if (!opendoca_dev_dma_next(dma, &index))
        return DOCA_ERROR_NO_MEMORY;
    copy = (struct opendoca_gpu_dma_copy *)dma->copies + (index & (dma->num - 1));
    copy->src = src_buf->addr + src_offset;
    copy->dst = dst_buf->addr + dst_offset;
    copy->bytes = length;
    copy->src_key_be = src_buf->key_be;
    copy->dst_key_be = dst_buf->key_be;
    opendoca_gpu_fence_before_doorbell();
    return DOCA_SUCCESS;
}

/* On the CPU the end of the kernel waits for its copies; nothing else can on a GPU. */
__device__ static inline void opendoca_dev_dma_await(const struct opendoca_gpu_dma_words *words,
                                                     uint64_t committed)
{
#if defined(__CUDA_ARCH__) && !defined(__SIMT__)
    while (opendoca_gpu_observe(&words->done) < committed &&
           opendoca_gpu_peek(&words->state) == OPENDOCA_GPU_QUEUE_RUNS)
        opendoca_dev_pause();
#else
    (void)words;
    (void)committed;
#endif
}

__device__ inline doca_error_t doca_gpu_dev_dma_commit(struct doca_gpu_dma *dma)
{
    struct opendoca_gpu_dma_words *words;
    doca_error_t code;
    uint64_t queued;

    if (!dma)
        return DOCA_ERROR_INVALID_VALUE;
    code = opendoca_dev_check(dma, OPENDOCA_GPU_DMA_MAGIC, "doca_gpu_dev_dma_commit()");
    if (code != DOCA_SUCCESS)
        return code;
    words = (struct opendoca_gpu_dma_words *)dma->words;
    queued = opendoca_gpu_observe(&dma->queued);
    opendoca_gpu_fence_before_doorbell();
    opendoca_gpu_publish(&words->committed, queued);
    opendoca_dev_step();
    opendoca_dev_dma_await(words, queued);
    return DOCA_SUCCESS;
}

#endif

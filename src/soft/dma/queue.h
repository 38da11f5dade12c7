/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_DMA_QUEUE_H_
#define OD_SOFT_DMA_QUEUE_H_

/* Copies that kernels start. What lies in memory is described in impl/opendoca_gpu_ring.h. A thread
 * of the queue takes copies in order. A copy that is not permitted, or that fails, is counted, and
 * the queue goes on. When kernels run on the CPU, what they have committed is done before their end
 * is reported; on a GPU the kernel itself waits for it. */

#include "soft/device/device.h"
#include "soft/gpu/gpu.h"

struct opendoca_gpu_dma_copy;
struct opendoca_gpu_dma_words;

struct soft_dma_ring {
    struct opendoca_gpu_dma_words *words;
    const struct opendoca_gpu_dma_copy *copies;
    uint32_t num;          /* a power of two */
    const uint32_t *magic; /* of the handle: when it changes, the queue is broken */
};

struct soft_dma_queue;

/* All memory must stay until the queue is closed. -ENOMEM, -EAGAIN, -EIO with a reason. */
SOFT_API int soft_dma_queue_open(struct soft_gpu *gpu, const struct soft_device *device,
                                 const struct soft_dma_ring *ring, struct soft_dma_queue **queue);
/* Copies that have not begun are forgotten. Returns how many have failed. */
SOFT_API uint64_t soft_dma_queue_close(struct soft_dma_queue *queue);

#endif /* OD_SOFT_DMA_QUEUE_H_ */

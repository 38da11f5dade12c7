/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_DMA_MOVER_H_
#define OD_SOFT_DMA_MOVER_H_

/* Moves bytes for kernels: between memory that keys name, be it of the process, of a GPU or of a
 * peer, and memory of the caller's. A call returns when the bytes are there. One thread. */

#include "soft/device/device.h"
#include "soft/gpu/gpu.h"

/* One side. Nothing is believed: the key has to be the device's and to cover the range. */
struct soft_dma_end {
    void *own;       /* memory of the caller's; then nothing else counts */
    uint32_t key;    /* of memory of the program, or of a peer */
    uint32_t access; /* not 0: it has to be memory of a peer, who has granted these bits; with 0 it
                        is what the key says of reading and writing */
    uint64_t addr;   /* by either address of GPU memory; a peer's own address */
};

struct soft_dma_mover;

/* -ENOMEM, -EIO, ... with a reason. */
SOFT_API int soft_dma_mover_open(struct soft_gpu *gpu, const struct soft_device *device,
                                 struct soft_dma_mover **mover);
/* NULL is fine. */
SOFT_API void soft_dma_mover_close(struct soft_dma_mover *mover);

/* 0; -EINVAL: a key does not cover its range; -EACCES: reading or writing is not permitted;
 * -EFAULT: the memory is not accessible; -ENOTSUP: memory that only another GPU reaches; -EPERM,
 * -ENOTCONN, -EIO: the peer. A failure may leave a part written. */
SOFT_API int soft_dma_move(struct soft_dma_mover *mover, const struct soft_dma_end *dst,
                           const struct soft_dma_end *src, uint64_t len);

#endif /* OD_SOFT_DMA_MOVER_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_GPU_RING_H_
#define SAMPLES_COMMON_GPU_RING_H_

/* What the samples with kernels share: memory of a GPU and receive queues in it. */

#include <stddef.h>
#include <stdint.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_eth_rxq.h>
#include <doca_gpunetio.h>
#include <doca_mmap.h>

#define GPU_RING_PAGE 65536u /* a page of a GPU */

/* Zero: not open. */
struct gpu_memory {
    struct doca_gpu *gpu;
    void *at;              /* as the GPU sees it */
    void *cpu;             /* as the CPU does; NULL when it does not */
    struct doca_mmap *map; /* NULL: without one */
};

/* `dev` NULL: without a map. Closed also after a failure. */
doca_error_t gpu_memory_open(struct doca_gpu *gpu, struct doca_dev *dev, size_t size,
                             enum doca_gpu_mem_type type, struct gpu_memory *memory);
void gpu_memory_close(struct gpu_memory *memory);

/* Zero: not open. */
struct gpu_ring {
    struct gpu_memory slots;
    struct doca_eth_rxq *rxq;
};

/* Starts an instance of which kernels are the users. */
doca_error_t gpu_ring_start(struct doca_ctx *ctx, struct doca_gpu *gpu);

/* So many slots of so many bytes; rules name the queue by its id. Closed also after a failure. */
doca_error_t gpu_ring_open(struct doca_gpu *gpu, struct doca_dev *dev, uint32_t slots,
                           uint32_t bytes, uint16_t id, struct gpu_ring *ring);
void gpu_ring_close(struct gpu_ring *ring);

#endif /* SAMPLES_COMMON_GPU_RING_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu_ring.h"

/* A started map of it. */
static doca_error_t map_memory(struct doca_dev *dev, void *addr, size_t size,
                               struct doca_mmap **map)
{
    doca_error_t result = doca_mmap_create(map);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(*map, dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(*map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(*map, addr, size);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(*map);
    return result;
}

doca_error_t gpu_memory_open(struct doca_gpu *gpu, struct doca_dev *dev, size_t size,
                             enum doca_gpu_mem_type type, struct gpu_memory *memory)
{
    doca_error_t result;

    memory->gpu = gpu;
    result = doca_gpu_mem_alloc(gpu, size, GPU_RING_PAGE, type, &memory->at, &memory->cpu);
    if (result == DOCA_SUCCESS && dev != NULL)
        result = map_memory(dev, memory->at, size, &memory->map);
    return result;
}

void gpu_memory_close(struct gpu_memory *memory)
{
    if (memory->map != NULL)
        doca_mmap_destroy(memory->map);
    if (memory->at != NULL)
        doca_gpu_mem_free(memory->gpu, memory->at);
}

doca_error_t gpu_ring_start(struct doca_ctx *ctx, struct doca_gpu *gpu)
{
    doca_error_t result = doca_ctx_set_datapath_on_gpu(ctx, gpu);

    return result == DOCA_SUCCESS ? doca_ctx_start(ctx) : result;
}

doca_error_t gpu_ring_open(struct doca_gpu *gpu, struct doca_dev *dev, uint32_t slots,
                           uint32_t bytes, uint16_t id, struct gpu_ring *ring)
{
    doca_error_t result =
        gpu_memory_open(gpu, dev, (size_t)slots * bytes, DOCA_GPU_MEM_TYPE_GPU, &ring->slots);

    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_create(dev, slots, bytes, &ring->rxq);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_set_type(ring->rxq, DOCA_ETH_RXQ_TYPE_CYCLIC);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_set_pkt_buf(ring->rxq, ring->slots.map, 0, slots * bytes);
    if (result == DOCA_SUCCESS)
        result = gpu_ring_start(doca_eth_rxq_as_doca_ctx(ring->rxq), gpu);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_apply_queue_id(ring->rxq, id);
    return result;
}

void gpu_ring_close(struct gpu_ring *ring)
{
    if (ring->rxq != NULL) {
        doca_ctx_stop(doca_eth_rxq_as_doca_ctx(ring->rxq));
        doca_eth_rxq_destroy(ring->rxq);
    }
    gpu_memory_close(&ring->slots);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of kernels. The library sets up what kernels and the software DMA share; copies are
 * between those two. */

#include "dma/dma_priv.h"

#include <errno.h>

#include <impl/opendoca_gpu_barrier.h>

#define DEFAULT_COPIES 1024u
#define COPIES_MIN     64u
#define COPIES_MAX     65536u

/* As many as tasks were asked for, which some programs do for kernels, too. */
static uint32_t count_copies(const struct doca_dma *dma)
{
    uint32_t wanted = dma->pool.num != 0 ? dma->pool.num : DEFAULT_COPIES, num = COPIES_MIN;

    while (num < wanted && num < COPIES_MAX)
        num *= 2;
    return num;
}

static void free_rings(struct dma_gpu *gpu)
{
    soft_gpu_put(gpu->copies);
    soft_gpu_put(gpu->words);
    soft_gpu_put(gpu->handle);
    gpu->copies = gpu->words = gpu->handle = NULL;
}

/* The software DMA reaches them at any time, so they lie on the CPU. */
static int alloc_rings(struct doca_dma *dma, uint32_t num)
{
    struct dma_gpu *gpu = &dma->gpu;
    struct soft_gpu *soft = dma->ctx.gpu->soft;
    int err = soft_gpu_alloc(soft, sizeof(struct doca_gpu_dma), 0, SOFT_GPU_ON_CPU, &gpu->handle);

    if (err == 0)
        err = soft_gpu_alloc(soft, sizeof(struct opendoca_gpu_dma_words), 0, SOFT_GPU_ON_CPU,
                             &gpu->words);
    if (err == 0)
        err = soft_gpu_alloc(soft, num * sizeof(struct opendoca_gpu_dma_copy), 0, SOFT_GPU_ON_CPU,
                             &gpu->copies);
    return err;
}

static int open_queue(struct doca_dma *dma, uint32_t num)
{
    struct dma_gpu *gpu = &dma->gpu;
    struct doca_gpu_dma *handle = (struct doca_gpu_dma *)gpu->handle->cpu;
    const struct soft_dma_ring ring = {
        .words = (struct opendoca_gpu_dma_words *)gpu->words->cpu,
        .copies = (struct opendoca_gpu_dma_copy *)gpu->copies->cpu,
        .num = num,
        .magic = &handle->magic,
    };

    ring.words->state = OPENDOCA_GPU_QUEUE_RUNS;
    *handle = (struct doca_gpu_dma){.magic = OPENDOCA_GPU_DMA_MAGIC,
                                    .version = OPENDOCA_GPU_VERSION,
                                    .words = (uintptr_t)gpu->words->at,
                                    .copies = (uintptr_t)gpu->copies->at,
                                    .num = num};
    return soft_dma_queue_open(dma->ctx.gpu->soft, dma->ctx.dev->info.soft, &ring, &gpu->queue);
}

doca_error_t dma_gpu_start(struct doca_dma *dma, const char *func)
{
    uint32_t num = count_copies(dma);
    doca_error_t result;
    int err;

    free_rings(&dma->gpu);
    err = alloc_rings(dma, num);
    if (err == 0)
        err = open_queue(dma, num);
    if (err == 0)
        return DOCA_SUCCESS;
    result = CORE_FAIL(err == -ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_DRIVER, CORE_LOG_DMA,
                       func, dma->ctx.name, "queue for kernels", "%s", soft_reason());
    free_rings(&dma->gpu);
    return result;
}

/* A kernel that still looks at the queue sees that it is over: its memory stays until the context
 * starts again or is destroyed. */
void dma_gpu_stopped(struct doca_dma *dma)
{
    struct dma_gpu *gpu = &dma->gpu;
    uint64_t failed = soft_dma_queue_close(gpu->queue);

    gpu->queue = NULL;
    opendoca_gpu_publish(&((struct opendoca_gpu_dma_words *)gpu->words->cpu)->state,
                         OPENDOCA_GPU_QUEUE_STOPPED);
    opendoca_gpu_publish32(&((struct doca_gpu_dma *)gpu->handle->cpu)->magic,
                           OPENDOCA_GPU_GONE_MAGIC);
    if (failed > 0)
        CORE_WARN(CORE_LOG_DMA,
                  "%s: %llu copies of kernels were not made: keys that do not cover or permit "
                  "their ranges, or memory that is not accessible",
                  dma->ctx.name, (unsigned long long)failed);
}

void dma_gpu_destroyed(struct doca_dma *dma)
{
    free_rings(&dma->gpu);
}

doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma)
{
    if (!core_is_live(CORE_LIVE_DMA, dma))
        return CORE_FAIL_DEAD(CORE_LOG_DMA, __func__, "dma", dma);
    if (gpu_dma == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "gpu_dma");
    if (dma->ctx.gpu == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_DMA, __func__, dma->ctx.name, "data path",
                         "on the CPU" CORE_LIMIT "on a GPU" CORE_REMEDY
                         "call doca_ctx_set_datapath_on_gpu() before the start");
    if (dma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_DMA, __func__, dma->ctx.name, "state",
                         "not running" CORE_REMEDY "call doca_ctx_start() first");
    *gpu_dma = (struct doca_gpu_dma *)dma->gpu.handle->at;
    return DOCA_SUCCESS;
}

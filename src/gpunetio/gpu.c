/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_gpunetio.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core_priv.h"

static doca_error_t check_gpu(const struct doca_gpu *gpu, const char *func)
{
    if (core_is_live(CORE_LIVE_GPU, gpu))
        return DOCA_SUCCESS;
    return CORE_FAIL_DEAD(CORE_LOG_GPUNETIO, func, "gpu_dev", gpu);
}

/* What a GPU's engine reports when it cannot be opened. */
static doca_error_t error_of_open(int err)
{
    switch (err) {
    case -ENOENT:
    case -ENOTSUP: /* no engine serves here: there is no GPU */
        return DOCA_ERROR_NOT_FOUND;
    case -EIO:
        return DOCA_ERROR_DRIVER;
    default:
        return core_error_from_errno(err);
    }
}

doca_error_t doca_gpu_create(const char *gpu_bus_id, struct doca_gpu **gpu_dev)
{
    struct doca_gpu *gpu;
    int err;

    if (gpu_bus_id == NULL || gpu_dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__,
                              gpu_bus_id == NULL ? "gpu_bus_id" : "gpu_dev");
    gpu = calloc(1, sizeof(*gpu));
    if (gpu == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_GPUNETIO, __func__, NULL, "object size",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*gpu));
    err = soft_gpu_open(gpu_bus_id, &gpu->soft);
    if (err != 0) {
        free(gpu);
        return CORE_FAIL(error_of_open(err), CORE_LOG_GPUNETIO, __func__, NULL, "gpu_bus_id", "%s",
                         soft_reason());
    }
    snprintf(gpu->name, sizeof(gpu->name), "gpu#%u@%s", core_next_id(), gpu->soft->id);
    core_live_add(CORE_LIVE_GPU, gpu);
    CORE_INFO(CORE_LOG_GPUNETIO, "%s: served by %s", gpu->name, gpu->soft->ops->name);
    *gpu_dev = gpu;
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_destroy(struct doca_gpu *gpu_dev)
{
    doca_error_t result = check_gpu(gpu_dev, __func__);
    uint32_t users, left;

    if (result != DOCA_SUCCESS)
        return result;
    users = atomic_load_explicit(&gpu_dev->users, memory_order_acquire);
    if (users > 0)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_GPUNETIO, __func__, gpu_dev->name, "users",
                         "%u" CORE_LIMIT "0" CORE_REMEDY
                         "destroy its queues, semaphores and buffer arrays first",
                         users);
    core_live_remove(gpu_dev);
    left = soft_gpu_close(gpu_dev->soft);
    if (left > 0)
        CORE_WARN(CORE_LOG_GPUNETIO, "%s: %u pieces of memory were not freed by the program",
                  gpu_dev->name, left);
    free(gpu_dev);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Memory
 */

static doca_error_t check_alloc(const struct doca_gpu *gpu, size_t size, size_t alignment,
                                enum doca_gpu_mem_type mtype, const char *func)
{
    if (size == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, func, gpu->name, "size",
                         "0" CORE_LIMIT "at least 1");
    if ((alignment & (alignment - 1)) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, func, gpu->name, "alignment",
                         "%zu" CORE_LIMIT "a power of two, or 0 for a page", alignment);
    if ((unsigned int)mtype > DOCA_GPU_MEM_TYPE_CPU_GPU)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, func, gpu->name, "mtype",
                         "%d" CORE_LIMIT "0..%d", (int)mtype, DOCA_GPU_MEM_TYPE_CPU_GPU);
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_mem_alloc(struct doca_gpu *gpu_dev, size_t size, size_t alignment,
                                enum doca_gpu_mem_type mtype, void **memptr_gpu, void **memptr_cpu)
{
    doca_error_t result = check_gpu(gpu_dev, __func__);
    struct soft_gpu_memory *memory;
    int err;

    if (result != DOCA_SUCCESS)
        return result;
    if (memptr_gpu == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__, "memptr_gpu");
    result = check_alloc(gpu_dev, size, alignment, mtype, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (memptr_cpu == NULL && mtype != DOCA_GPU_MEM_TYPE_GPU)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__, "memptr_cpu");
    err =
        soft_gpu_program_alloc(gpu_dev->soft, size, alignment, (enum soft_gpu_place)mtype, &memory);
    if (err != 0)
        return CORE_FAIL(err == -ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_DRIVER,
                         CORE_LOG_GPUNETIO, __func__, gpu_dev->name, "size", "%s", soft_reason());
    *memptr_gpu = memory->at;
    if (memptr_cpu != NULL)
        *memptr_cpu = mtype == DOCA_GPU_MEM_TYPE_GPU ? NULL : memory->cpu;
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_mem_free(struct doca_gpu *gpu, void *memptr_gpu)
{
    doca_error_t result = check_gpu(gpu, __func__);
    int err;

    if (result != DOCA_SUCCESS)
        return result;
    if (memptr_gpu == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__, "memptr_gpu");
    err = soft_gpu_program_free(gpu->soft, memptr_gpu);
    if (err != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, __func__, gpu->name,
                         "memptr_gpu",
                         "%p, %s" CORE_REMEDY "pass the address for the GPU of its allocation",
                         memptr_gpu, soft_reason());
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_dmabuf_fd(struct doca_gpu *gpu_dev, void *memptr_gpu, size_t size,
                                int *dmabuf_fd)
{
    doca_error_t result = check_gpu(gpu_dev, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (memptr_gpu == NULL || dmabuf_fd == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__,
                              memptr_gpu == NULL ? "memptr_gpu" : "dmabuf_fd");
    if (size == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, __func__, gpu_dev->name,
                         "size", "0" CORE_LIMIT "at least 1");
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_GPUNETIO, __func__, gpu_dev->name,
                       "dmabuf_fd",
                       "of %zu bytes at %p" CORE_LIMIT "memory is not exported" CORE_REMEDY
                       "pass its address to doca_mmap_set_memrange()",
                       size, memptr_gpu);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_gpunetio.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <impl/opendoca_gpu_barrier.h>

#include "core/core_priv.h"

#define ALIGN 8u /* of custom info */

struct doca_gpu_semaphore {
    struct doca_gpu *gpu; /* held */
    enum doca_gpu_mem_type type, custom_type;
    uint32_t num;
    uint32_t custom_stride; /* 0: none */
    bool is_started;
    struct soft_gpu_memory *handle, *items, *custom; /* these while started */
    char name[32];
};

static doca_error_t check_sem(const struct doca_gpu_semaphore *sem, const char *func)
{
    if (core_is_live(CORE_LIVE_GPU_SEMAPHORE, sem))
        return DOCA_SUCCESS;
    return CORE_FAIL_DEAD(CORE_LOG_GPUNETIO, func, "semaphore", sem);
}

static doca_error_t check_started(const struct doca_gpu_semaphore *sem, bool started,
                                  const char *func)
{
    doca_error_t result = check_sem(sem, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (sem->is_started == started)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GPUNETIO, func, sem->name, "state",
                     "%s" CORE_LIMIT "%s" CORE_REMEDY "%s", started ? "stopped" : "started",
                     started ? "started" : "stopped",
                     started ? "call doca_gpu_semaphore_start() first"
                             : "configure before doca_gpu_semaphore_start()");
}

static doca_error_t check_type(const struct doca_gpu_semaphore *sem, enum doca_gpu_mem_type mtype,
                               const char *func)
{
    if ((unsigned int)mtype <= DOCA_GPU_MEM_TYPE_CPU_GPU)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, func, sem->name, "mtype",
                     "%d" CORE_LIMIT "0..%d", (int)mtype, DOCA_GPU_MEM_TYPE_CPU_GPU);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

doca_error_t doca_gpu_semaphore_create(struct doca_gpu *gpu_dev,
                                       struct doca_gpu_semaphore **semaphore)
{
    struct doca_gpu_semaphore *sem;

    if (!core_is_live(CORE_LIVE_GPU, gpu_dev))
        return CORE_FAIL_DEAD(CORE_LOG_GPUNETIO, __func__, "gpu_dev", gpu_dev);
    if (semaphore == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__, "semaphore");
    sem = calloc(1, sizeof(*sem));
    if (sem == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_GPUNETIO, __func__, gpu_dev->name,
                         "object size", "%zu bytes", sizeof(*sem));
    sem->gpu = gpu_dev;
    core_gpu_hold(gpu_dev);
    snprintf(sem->name, sizeof(sem->name), "semaphore#%u", core_next_id());
    core_live_add(CORE_LIVE_GPU_SEMAPHORE, sem);
    *semaphore = sem;
    return DOCA_SUCCESS;
}

static void stop(struct doca_gpu_semaphore *sem)
{
    if (sem->handle != NULL)
        ((struct doca_gpu_semaphore_gpu *)sem->handle->cpu)->magic = OPENDOCA_GPU_GONE_MAGIC;
    soft_gpu_put(sem->custom);
    soft_gpu_put(sem->items);
    soft_gpu_put(sem->handle);
    sem->custom = sem->items = sem->handle = NULL;
    sem->is_started = false;
}

doca_error_t doca_gpu_semaphore_destroy(struct doca_gpu_semaphore *semaphore)
{
    doca_error_t result = check_sem(semaphore, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    stop(semaphore);
    core_gpu_release(semaphore->gpu);
    core_live_remove(semaphore);
    free(semaphore);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Settings
 */

doca_error_t doca_gpu_semaphore_set_memory_type(struct doca_gpu_semaphore *semaphore,
                                                enum doca_gpu_mem_type mtype)
{
    doca_error_t result = check_started(semaphore, false, __func__);

    if (result == DOCA_SUCCESS)
        result = check_type(semaphore, mtype, __func__);
    if (result == DOCA_SUCCESS)
        semaphore->type = mtype;
    return result;
}

doca_error_t doca_gpu_semaphore_set_items_num(struct doca_gpu_semaphore *semaphore,
                                              uint32_t num_items)
{
    doca_error_t result = check_started(semaphore, false, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (num_items == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, __func__, semaphore->name,
                         "num_items", "0" CORE_LIMIT "at least 1");
    semaphore->num = num_items;
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_semaphore_set_custom_info(struct doca_gpu_semaphore *semaphore,
                                                uint32_t nbytes, enum doca_gpu_mem_type mtype)
{
    doca_error_t result = check_started(semaphore, false, __func__);

    if (result == DOCA_SUCCESS)
        result = check_type(semaphore, mtype, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (nbytes == 0 || nbytes > UINT32_MAX - ALIGN)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, __func__, semaphore->name,
                         "nbytes", "%u" CORE_LIMIT "1..%u", nbytes, UINT32_MAX - ALIGN);
    semaphore->custom_stride = (nbytes + ALIGN - 1) / ALIGN * ALIGN;
    semaphore->custom_type = mtype;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Start, stop
 */

/* Items are reset by the CPU, so they lie where it reaches them also for type GPU, unless the GPU's
 * engine has its memory there anyway. */
static int alloc_items(struct doca_gpu_semaphore *sem)
{
    struct soft_gpu *gpu = sem->gpu->soft;
    int err = soft_gpu_alloc(gpu, sizeof(struct doca_gpu_semaphore_gpu), 0, SOFT_GPU_ON_CPU,
                             &sem->handle);

    if (err == 0)
        err = soft_gpu_alloc(gpu, (size_t)sem->num * sizeof(struct opendoca_gpu_sem_item), 0,
                             sem->type == DOCA_GPU_MEM_TYPE_GPU ? SOFT_GPU_ON_GPU_SHARED
                                                                : (enum soft_gpu_place)sem->type,
                             &sem->items);
    if (err == 0 && sem->custom_stride != 0)
        err = soft_gpu_alloc(gpu, (size_t)sem->num * sem->custom_stride, 0,
                             (enum soft_gpu_place)sem->custom_type, &sem->custom);
    return err;
}

doca_error_t doca_gpu_semaphore_start(struct doca_gpu_semaphore *semaphore)
{
    doca_error_t result = check_started(semaphore, false, __func__);
    int err;

    if (result != DOCA_SUCCESS)
        return result;
    if (semaphore->num == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, __func__, semaphore->name,
                         "number of items",
                         "not set" CORE_REMEDY "call doca_gpu_semaphore_set_items_num() first");
    err = alloc_items(semaphore);
    if (err != 0) {
        result =
            CORE_FAIL_SOFT(err, CORE_LOG_GPUNETIO, __func__, semaphore->name, "number of items");
        stop(semaphore);
        return result;
    }
    *(struct doca_gpu_semaphore_gpu *)semaphore->handle->cpu = (struct doca_gpu_semaphore_gpu){
        .magic = OPENDOCA_GPU_SEM_MAGIC,
        .version = OPENDOCA_GPU_VERSION,
        .num = semaphore->num,
        .custom_stride = semaphore->custom_stride,
        .items = (uintptr_t)semaphore->items->at,
        .custom = semaphore->custom != NULL ? (uintptr_t)semaphore->custom->at : 0,
    };
    semaphore->is_started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_semaphore_stop(struct doca_gpu_semaphore *semaphore)
{
    doca_error_t result = check_started(semaphore, true, __func__);

    if (result == DOCA_SUCCESS)
        stop(semaphore);
    return result;
}

doca_error_t doca_gpu_semaphore_get_gpu_handle(struct doca_gpu_semaphore *semaphore_cpu,
                                               struct doca_gpu_semaphore_gpu **semaphore_gpu)
{
    doca_error_t result = check_started(semaphore_cpu, true, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (semaphore_gpu == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__, "semaphore_gpu");
    *semaphore_gpu = (struct doca_gpu_semaphore_gpu *)semaphore_cpu->handle->at;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Items
 */

static doca_error_t check_item(const struct doca_gpu_semaphore *sem, uint32_t idx,
                               enum doca_gpu_mem_type type, const char *func)
{
    doca_error_t result = check_started(sem, true, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (idx >= sem->num)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, func, sem->name, "idx",
                         "%u" CORE_LIMIT "0..%u", idx, sem->num - 1);
    if (type == DOCA_GPU_MEM_TYPE_GPU)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, func, sem->name,
                         "memory type",
                         "GPU" CORE_LIMIT "GPU_CPU or CPU_GPU" CORE_REMEDY
                         "choose memory that the CPU reaches before the start");
    return DOCA_SUCCESS;
}

static uint32_t *status_of(const struct doca_gpu_semaphore *sem, uint32_t idx)
{
    return &((struct opendoca_gpu_sem_item *)sem->items->cpu)[idx].status;
}

doca_error_t doca_gpu_semaphore_set_status(struct doca_gpu_semaphore *semaphore_cpu, uint32_t idx,
                                           enum doca_gpu_semaphore_status status)
{
    doca_error_t result = check_sem(semaphore_cpu, __func__);

    if (result == DOCA_SUCCESS)
        result = check_item(semaphore_cpu, idx, semaphore_cpu->type, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if ((unsigned int)status > DOCA_GPU_SEMAPHORE_STATUS_EXIT)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, __func__, semaphore_cpu->name,
                         "status", "%d" CORE_LIMIT "0..%d", (int)status,
                         DOCA_GPU_SEMAPHORE_STATUS_EXIT);
    opendoca_gpu_publish32(status_of(semaphore_cpu, idx), (uint32_t)status);
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_semaphore_get_status(struct doca_gpu_semaphore *semaphore_cpu, uint32_t idx,
                                           enum doca_gpu_semaphore_status *status)
{
    doca_error_t result = check_sem(semaphore_cpu, __func__);

    if (result == DOCA_SUCCESS)
        result = check_item(semaphore_cpu, idx, semaphore_cpu->type, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (status == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__, "status");
    *status = (enum doca_gpu_semaphore_status)opendoca_gpu_observe32(status_of(semaphore_cpu, idx));
    return DOCA_SUCCESS;
}

doca_error_t doca_gpu_semaphore_get_custom_info_addr(struct doca_gpu_semaphore *semaphore_cpu,
                                                     uint32_t idx, void **custom_info)
{
    doca_error_t result = check_sem(semaphore_cpu, __func__);

    if (result == DOCA_SUCCESS)
        result = check_item(semaphore_cpu, idx, semaphore_cpu->custom_type, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (custom_info == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, __func__, "custom_info");
    if (semaphore_cpu->custom == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GPUNETIO, __func__, semaphore_cpu->name,
                         "custom info",
                         "none" CORE_REMEDY "call doca_gpu_semaphore_set_custom_info() first");
    *custom_info = semaphore_cpu->custom->cpu + (size_t)idx * semaphore_cpu->custom_stride;
    return DOCA_SUCCESS;
}

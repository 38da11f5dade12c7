/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffer arrays, CPU side: what a kernel sees is computed at start and lies in the GPU's memory. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/mem/mem_priv.h"

#include <doca_buf_array.h>

#include <impl/opendoca_gpu_ring.h>

struct doca_buf_arr {
    size_t num_elem;
    size_t elem_size; /* 0 = parameters not set */
    uint64_t start_offset;
    const struct doca_mmap *mmap;
    struct doca_gpu *gpu;             /* held; NULL: no target */
    struct soft_gpu_memory *started;  /* the handle and the buffers behind it; NULL: stopped */
    struct soft_gpu_memory *elements; /* the map's, held while started; may be NULL */
    char name[32];
};

static doca_error_t check_stopped(const struct doca_buf_arr *arr, const char *func)
{
    if (arr->started == NULL)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, func, arr->name, "state",
                     "started" CORE_LIMIT "stopped" CORE_REMEDY
                     "configure before doca_buf_arr_start()");
}

static void stop(struct doca_buf_arr *arr)
{
    if (arr->started == NULL)
        return;
    ((struct doca_gpu_buf_arr *)arr->started->cpu)->magic = OPENDOCA_GPU_GONE_MAGIC;
    soft_gpu_put(arr->started);
    soft_gpu_put(arr->elements);
    arr->started = arr->elements = NULL;
}

doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
{
    struct doca_buf_arr *arr;

    if (buf_arr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "buf_arr");
    if (num_elem == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, __func__, NULL, "num_elem",
                         "0" CORE_LIMIT "at least 1");
    arr = calloc(1, sizeof(*arr));
    if (arr == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_BUF, __func__, NULL, "object size",
                         "%zu bytes", sizeof(*arr));
    arr->num_elem = num_elem;
    snprintf(arr->name, sizeof(arr->name), "buf_arr#%u", core_next_id());
    core_live_add(CORE_LIVE_BUF_ARR, arr);
    *buf_arr = arr;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr)
{
    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    stop(buf_arr);
    core_gpu_release(buf_arr->gpu);
    core_live_remove(buf_arr);
    free(buf_arr);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "mmap", mmap);
    if (elem_size == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, __func__, buf_arr->name,
                         "elem_size", "0" CORE_LIMIT "at least 1");
    result = check_stopped(buf_arr, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    buf_arr->mmap = mmap;
    buf_arr->elem_size = elem_size;
    buf_arr->start_offset = start_offset;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    if (!core_is_live(CORE_LIVE_GPU, gpu_handler))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "gpu_handler", gpu_handler);
    result = check_stopped(buf_arr, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    core_gpu_hold(gpu_handler);
    core_gpu_release(buf_arr->gpu);
    buf_arr->gpu = gpu_handler;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler)
{
    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    if (dpa_handler == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "dpa_handler");
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_BUF, __func__, buf_arr->name, "target",
                     "DPA, there is no such processor" CORE_REMEDY
                     "use doca_buf_inventory or doca_buf_pool on the CPU");
}

static doca_error_t check_params(const struct doca_buf_arr *arr, const char *func)
{
    size_t needed;

    if (arr->mmap == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, func, arr->name, "parameters",
                         "not set" CORE_REMEDY "call doca_buf_arr_set_params() first");
    if (OD_CHECKED && !core_is_live(CORE_LIVE_MMAP, arr->mmap))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, func, "mmap", arr->mmap);
    if (arr->mmap->state != CORE_MMAP_STARTED)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, func, arr->name, "state of the map",
                         "not started (%s)" CORE_LIMIT "started" CORE_REMEDY
                         "call doca_mmap_start() first",
                         arr->mmap->name);
    if (__builtin_mul_overflow(arr->num_elem, arr->elem_size, &needed) ||
        __builtin_add_overflow(needed, arr->start_offset, &needed) || needed > arr->mmap->len)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, func, arr->name, "elements",
                         "%zu of %zu bytes from offset %" PRIu64 CORE_LIMIT "%zu bytes of %s",
                         arr->num_elem, arr->elem_size, arr->start_offset, arr->mmap->len,
                         arr->mmap->name);
    return DOCA_SUCCESS;
}

/* The handle, and a buffer for each element behind it. */
static void fill(const struct doca_buf_arr *arr)
{
    struct doca_gpu_buf_arr *handle = (struct doca_gpu_buf_arr *)arr->started->cpu;
    struct doca_gpu_buf *bufs = (struct doca_gpu_buf *)(handle + 1);
    const char *base = arr->mmap->addr + arr->start_offset;
    uint32_t key = opendoca_gpu_swap32(core_mmap_key(arr->mmap, arr->mmap->devs[0]));

    if (arr->elements != NULL)
        base = soft_gpu_at(arr->elements, base);
    *handle = (struct doca_gpu_buf_arr){.magic = OPENDOCA_GPU_BUFS_MAGIC,
                                        .version = OPENDOCA_GPU_VERSION,
                                        .num = arr->num_elem,
                                        .base = (uintptr_t)base,
                                        .stride = arr->elem_size,
                                        .key_be = key,
                                        .bufs = (uintptr_t)(arr->started->at + sizeof(*handle))};
    for (size_t i = 0; i < arr->num_elem; i++) {
        bufs[i].addr = (uintptr_t)base + i * arr->elem_size;
        bufs[i].key_be = key;
        bufs[i].bytes = (uint32_t)OD_MIN(arr->elem_size, (size_t)UINT32_MAX);
    }
}

static doca_error_t start_on_gpu(struct doca_buf_arr *arr, const char *func)
{
    size_t size;
    int err = -ENOMEM;

    if (__builtin_mul_overflow(arr->num_elem, sizeof(struct doca_gpu_buf), &size) ||
        __builtin_add_overflow(size, sizeof(struct doca_gpu_buf_arr), &size))
        soft_fail(err, "%zu elements are too many", arr->num_elem);
    else
        err = soft_gpu_alloc(arr->gpu->soft, size, 0, SOFT_GPU_ON_CPU, &arr->started);
    if (err != 0)
        return CORE_FAIL_SOFT(err, CORE_LOG_BUF, func, arr->name, "elements");
    arr->elements = core_mmap_gpu_memory(arr->mmap);
    fill(arr);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    result = check_stopped(buf_arr, __func__);
    if (result == DOCA_SUCCESS)
        result = check_params(buf_arr, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (buf_arr->gpu != NULL)
        return start_on_gpu(buf_arr, __func__);
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, __func__, buf_arr->name, "target",
                     "not set" CORE_LIMIT "GPU or DPA" CORE_REMEDY
                     "buffer arrays serve GPU and DPA code only");
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    stop(buf_arr);
    return DOCA_SUCCESS;
}

static doca_error_t fail_no_handle(const struct doca_buf_arr *arr, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, func, arr->name, "state",
                     "stopped" CORE_LIMIT "started" CORE_REMEDY "call doca_buf_arr_start() first");
}

doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_gpu_buf_arr **gpu_buf_arr)
{
    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    if (gpu_buf_arr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "gpu_buf_arr");
    if (buf_arr->started == NULL)
        return fail_no_handle(buf_arr, __func__);
    *gpu_buf_arr = (struct doca_gpu_buf_arr *)buf_arr->started->at;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr)
{
    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    if (dpa_buf_arr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "dpa_buf_arr");
    return fail_no_handle(buf_arr, __func__);
}

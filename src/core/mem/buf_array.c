/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffer arrays, CPU side. Targets refuse, so that an array never leaves the stopped state. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/mem/mem_priv.h"

#include <doca_buf_array.h>

struct doca_buf_arr {
    size_t num_elem;
    size_t elem_size; /* 0 = parameters not set */
    uint64_t start_offset;
    const struct doca_mmap *mmap;
    char name[32];
};

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
    core_live_remove(buf_arr);
    free(buf_arr);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset)
{
    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "mmap", mmap);
    if (elem_size == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, __func__, buf_arr->name,
                         "elem_size", "0" CORE_LIMIT "at least 1");
    buf_arr->mmap = mmap;
    buf_arr->elem_size = elem_size;
    buf_arr->start_offset = start_offset;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler)
{
    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    if (gpu_handler == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "gpu_handler");
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_BUF, __func__, buf_arr->name, "target",
                     "GPU, not part of this installation" CORE_REMEDY
                     "use doca_buf_inventory or doca_buf_pool on the CPU");
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

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
    result = check_params(buf_arr, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, __func__, buf_arr->name, "target",
                     "not set" CORE_LIMIT "GPU or DPA" CORE_REMEDY
                     "buffer arrays serve GPU and DPA code only");
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
    if (!core_is_live(CORE_LIVE_BUF_ARR, buf_arr))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_arr", buf_arr);
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
    return fail_no_handle(buf_arr, __func__);
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

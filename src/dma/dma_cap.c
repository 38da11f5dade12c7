/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma_priv.h"

/* The capabilities of a device that offers memcpy tasks; else NULL with `result` set. */
static const struct soft_caps *memcpy_caps(const struct doca_devinfo *devinfo, const char *func,
                                           doca_error_t *result)
{
    const struct soft_caps *caps = core_devinfo_caps(devinfo, func);

    if (caps == NULL) {
        *result = DOCA_ERROR_INVALID_VALUE;
        return NULL;
    }
    if (!caps->dma_memcpy) {
        *result = CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DMA, func, devinfo->name,
                              "memcpy task", "not offered");
        return NULL;
    }
    return caps;
}

doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
    doca_error_t result = DOCA_SUCCESS;

    memcpy_caps(devinfo, __func__, &result);
    return result;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                       uint64_t *buf_size)
{
    doca_error_t result = DOCA_SUCCESS;
    const struct soft_caps *caps;

    if (buf_size == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "buf_size");
    caps = memcpy_caps(devinfo, __func__, &result);
    if (caps != NULL)
        *buf_size = caps->dma_max_buf_size;
    return result;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                           uint32_t *max_buf_list_len)
{
    doca_error_t result = DOCA_SUCCESS;
    const struct soft_caps *caps;

    if (max_buf_list_len == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "max_buf_list_len");
    caps = memcpy_caps(devinfo, __func__, &result);
    if (caps != NULL)
        *max_buf_list_len = caps->dma_max_list_len;
    return result;
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks)
{
    if (!core_is_live(CORE_LIVE_DMA, dma))
        return CORE_FAIL_DEAD(CORE_LOG_DMA, __func__, "dma", dma);
    if (max_num_tasks == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DMA, __func__, "max_num_tasks");
    *max_num_tasks = dma->ctx.dev->info.soft->caps.dma_max_tasks;
    return DOCA_SUCCESS;
}

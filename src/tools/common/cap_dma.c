/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/capability.h"

#include <stddef.h>

#include <doca_dma.h>

static doca_error_t max_buf_size(struct doca_devinfo *devinfo, uint64_t *value)
{
    return doca_dma_cap_task_memcpy_get_max_buf_size(devinfo, value);
}

static doca_error_t max_buf_list_len(struct doca_devinfo *devinfo, uint64_t *value)
{
    uint32_t len;
    doca_error_t result = doca_dma_cap_task_memcpy_get_max_buf_list_len(devinfo, &len);

    if (result == DOCA_SUCCESS)
        *value = len;
    return result;
}

static doca_error_t max_num_tasks_of(struct doca_dev *dev, uint64_t *value)
{
    struct doca_dma *dma;
    doca_error_t result = doca_dma_create(dev, &dma);
    uint32_t num;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_dma_cap_get_max_num_tasks(dma, &num);
    if (result == DOCA_SUCCESS)
        *value = num;
    (void)doca_dma_destroy(dma);
    return result;
}

/* The API answers this one for a context only. */
static doca_error_t max_num_tasks(struct doca_devinfo *devinfo, uint64_t *value)
{
    doca_error_t result = doca_dma_cap_task_memcpy_is_supported(devinfo);
    struct doca_dev *dev;

    if (result == DOCA_SUCCESS)
        result = doca_dev_open(devinfo, &dev);
    if (result != DOCA_SUCCESS)
        return result;
    result = max_num_tasks_of(dev, value);
    (void)doca_dev_close(dev);
    return result;
}

const struct tool_cap tool_caps_dma[] = {
    {.name = "task_memcpy", .status = doca_dma_cap_task_memcpy_is_supported},
    {.name = "max_buf_size", .number = max_buf_size},
    {.name = "max_buf_list_len", .number = max_buf_list_len},
    {.name = "max_num_tasks", .number = max_num_tasks},
    {.name = NULL},
};

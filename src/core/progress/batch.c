/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/core_priv.h"

/* No library of this layer offers a batch type yet, so every batch that reaches these calls is not
 * ours: they refuse with the codes that the single-task calls have. */

static doca_error_t refuse_batch(const struct doca_task_batch *batch, const char *func)
{
    if (batch == NULL)
        return CORE_FAIL_NULL(CORE_LOG_TASK, func, "task_batch");
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_TASK, func, NULL, "task_batch",
                     "%p" CORE_REMEDY "submit tasks one by one", (const void *)batch);
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
    return refuse_batch(task_batch, __func__);
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
    return refuse_batch(task_batch, __func__);
}

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
    if (task_batch != NULL)
        refuse_batch(task_batch, __func__);
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
    return refuse_batch(task_batch, __func__);
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data)
{
    (void)user_data;
    if (task_batch != NULL)
        refuse_batch(task_batch, __func__);
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
    refuse_batch(task_batch, __func__);
    return (union doca_data){.u64 = 0};
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
    refuse_batch(task_batch, __func__);
    return NULL;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
    refuse_batch(task_batch, __func__);
    return (union doca_data){.u64 = 0};
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
    refuse_batch(task_batch, __func__);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sixteen copies, all submitted, then the engine is asked again and again. */

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(ENGINE_POLL);

#define TASKS 16

struct seen {
    struct doca_ctx *ctx;
    unsigned int good;
    unsigned int bad;
};

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct seen *seen = ctx_data.ptr;
    size_t inflight = TASKS;

    (void)doca_ctx_get_num_inflight_tasks(seen->ctx, &inflight);
    DOCA_LOG_INFO("Task %llu is done, %zu are left", (unsigned long long)task_data.u64, inflight);
    if (kit_compare(task) == DOCA_SUCCESS && inflight == TASKS - 1 - seen->good)
        seen->good++;
    else
        seen->bad++;
    kit_put(task);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct seen *seen = ctx_data.ptr;

    DOCA_LOG_ERR("Task %llu failed: %s", (unsigned long long)task_data.u64,
                 doca_error_get_descr(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
    seen->bad++;
    kit_put(task);
}

static bool is_incomplete(void *arg)
{
    const struct seen *seen = arg;

    return seen->good + seen->bad < TASKS;
}

static doca_error_t submit_all(struct kit *kit, struct doca_dma *dma)
{
    struct doca_dma_task_memcpy *tasks[TASKS];
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++)
        result = kit_task(kit, dma, i, &tasks[i]);
    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++)
        result = doca_task_submit(doca_dma_task_memcpy_as_task(tasks[i]));
    return result;
}

static doca_error_t run(struct kit *kit)
{
    struct seen seen = {0};
    struct doca_dma *dma;
    doca_error_t result = kit_dma(kit, on_success, on_error, TASKS, &seen, &dma), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    seen.ctx = doca_dma_as_ctx(dma);
    result = doca_ctx_start(seen.ctx);
    if (result == DOCA_SUCCESS)
        result = submit_all(kit, dma);
    if (result == DOCA_SUCCESS)
        result = kit_progress(kit->pe, is_incomplete, &seen);
    tmp = kit_stop(kit->pe, seen.ctx);
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_dma_destroy(dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    DOCA_LOG_INFO("%u of %d copies are right", seen.good, TASKS);
    return result == DOCA_SUCCESS && seen.bad != 0 ? DOCA_ERROR_UNKNOWN : result;
}

int main(void)
{
    struct kit kit;
    doca_error_t result = kit_log(), tmp;

    if (result != DOCA_SUCCESS)
        return 1;
    result = kit_create(&kit, TASKS, 1024);
    if (result == DOCA_SUCCESS)
        result = run(&kit);
    tmp = kit_destroy(&kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("engine_poll", result);
}

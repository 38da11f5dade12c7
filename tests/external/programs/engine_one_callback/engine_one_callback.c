/* SPDX-License-Identifier: BSD-3-Clause */
/* One function serves success and failure; the task's status tells which it was. A slow program,
 * too: the first progress that reports something is taken for the first copy. */

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(ENGINE_ONE_CALLBACK);

#define TASKS 16

struct sum {
    unsigned int good;
    unsigned int bad;
};

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct sum *sum = ctx_data.ptr;
    struct doca_task *base = doca_dma_task_memcpy_as_task(task);

    if (doca_task_get_status(base) == DOCA_SUCCESS && kit_compare(task) == DOCA_SUCCESS) {
        sum->good++;
    } else {
        DOCA_LOG_ERR("Task %llu: %s", (unsigned long long)task_data.u64,
                     doca_error_get_descr(doca_task_get_status(base)));
        sum->bad++;
    }
    kit_put(task);
}

/* One at a time: each progress that says 1 must have run the callback. */
static doca_error_t copy_one(struct kit *kit, struct doca_dma *dma, uint32_t i, struct sum *sum)
{
    struct doca_dma_task_memcpy *task;
    double end = kit_seconds() + 30;
    doca_error_t result = kit_task(kit, dma, i, &task);

    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS)
        return result;
    while (doca_pe_progress(kit->pe) == 0) {
        if (kit_seconds() > end)
            return DOCA_ERROR_TIME_OUT;
    }
    return sum->good + sum->bad == i + 1 ? DOCA_SUCCESS : DOCA_ERROR_UNKNOWN;
}

static doca_error_t run(struct kit *kit)
{
    struct sum sum = {0};
    struct doca_dma *dma;
    doca_error_t result = kit_dma(kit, on_end, on_end, TASKS, &sum, &dma), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(doca_dma_as_ctx(dma));
    if (result == DOCA_SUCCESS && doca_pe_progress(kit->pe) != 0)
        result = DOCA_ERROR_UNKNOWN; /* a synchronous start is nothing that happens in progress */
    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++)
        result = copy_one(kit, dma, i, &sum);
    tmp = kit_stop(kit->pe, doca_dma_as_ctx(dma));
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_dma_destroy(dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result == DOCA_SUCCESS && sum.bad != 0 ? DOCA_ERROR_UNKNOWN : result;
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
    return kit_exit("engine_one_callback", result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Four contexts on one engine, sixteen copies, whatever order they come in. */

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(ENGINE_MANY);

#define CONTEXTS   4
#define PER_CTX    4
#define ALL_COPIES (CONTEXTS * PER_CTX)

struct worker {
    struct doca_dma *dma;
    unsigned int done;
};

struct crew {
    struct worker workers[CONTEXTS];
    unsigned int failed;
};

static struct crew crew;

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct worker *worker = ctx_data.ptr;

    /* The number of the task says whose it is. */
    if (worker != &crew.workers[task_data.u64 / PER_CTX] || kit_compare(task) != DOCA_SUCCESS)
        crew.failed++;
    worker->done++;
    kit_put(task);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct worker *worker = ctx_data.ptr;

    DOCA_LOG_ERR("Task %llu failed: %s", (unsigned long long)task_data.u64,
                 doca_error_get_descr(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
    worker->done++;
    crew.failed++;
    kit_put(task);
}

static bool is_incomplete(void *arg)
{
    (void)arg;
    for (int i = 0; i < CONTEXTS; i++) {
        if (crew.workers[i].done < PER_CTX)
            return true;
    }
    return false;
}

static doca_error_t start(struct kit *kit)
{
    doca_error_t result = DOCA_SUCCESS;

    for (int i = 0; i < CONTEXTS && result == DOCA_SUCCESS; i++) {
        struct worker *worker = &crew.workers[i];

        result = kit_dma(kit, on_success, on_error, PER_CTX, worker, &worker->dma);
        if (result == DOCA_SUCCESS)
            result = doca_ctx_start(doca_dma_as_ctx(worker->dma));
    }
    return result;
}

static doca_error_t submit(struct kit *kit)
{
    struct doca_dma_task_memcpy *task;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < ALL_COPIES && result == DOCA_SUCCESS; i++) {
        result = kit_task(kit, crew.workers[i / PER_CTX].dma, i, &task);
        if (result == DOCA_SUCCESS)
            result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    }
    return result;
}

static doca_error_t stop(struct kit *kit)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    for (int i = 0; i < CONTEXTS; i++) {
        struct doca_dma *dma = crew.workers[i].dma;

        if (dma == NULL)
            continue;
        tmp = kit_stop(kit->pe, doca_dma_as_ctx(dma));
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_dma_destroy(dma);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

int main(void)
{
    struct kit kit;
    doca_error_t result = kit_log(), tmp;

    if (result != DOCA_SUCCESS)
        return 1;
    result = kit_create(&kit, ALL_COPIES, 1024);
    if (result == DOCA_SUCCESS)
        result = start(&kit);
    if (result == DOCA_SUCCESS)
        result = submit(&kit);
    if (result == DOCA_SUCCESS)
        result = kit_progress(kit.pe, is_incomplete, NULL);
    tmp = stop(&kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = kit_destroy(&kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    if (result == DOCA_SUCCESS && crew.failed != 0)
        result = DOCA_ERROR_UNKNOWN;
    return kit_exit("engine_many", result);
}

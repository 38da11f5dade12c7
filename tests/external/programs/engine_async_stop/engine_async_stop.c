/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops in the callback of the eighth of sixteen copies. The others come back one way or the other.
 */

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(ENGINE_ASYNC_STOP);

#define TASKS      16
#define STOP_AFTER 8

struct stop {
    struct doca_ctx *ctx;
    unsigned int arrived[TASKS];
    unsigned int good;
    unsigned int flushed;
    doca_error_t answer; /* to the stop */
    unsigned int times_stopping;
    unsigned int times_idle;
};

static void on_end(struct stop *stop, struct doca_dma_task_memcpy *task, uint64_t number)
{
    stop->arrived[number]++;
    kit_put(task);
    if (stop->good + stop->flushed == STOP_AFTER)
        stop->answer = doca_ctx_stop(stop->ctx);
}

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct stop *stop = ctx_data.ptr;

    if (kit_compare(task) == DOCA_SUCCESS)
        stop->good++;
    on_end(stop, task, task_data.u64);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct stop *stop = ctx_data.ptr;

    DOCA_LOG_INFO("Task %llu was flushed: %s", (unsigned long long)task_data.u64,
                  doca_error_get_descr(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
    stop->flushed++;
    on_end(stop, task, task_data.u64);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct stop *stop = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        stop->times_idle++;
        break;
    case DOCA_CTX_STATE_STOPPING:
        stop->times_stopping++;
        break;
    case DOCA_CTX_STATE_STARTING:
    case DOCA_CTX_STATE_RUNNING:
    default:
        break;
    }
}

static bool is_not_idle(void *arg)
{
    return ((struct stop *)arg)->times_idle == 0;
}

static doca_error_t submit_all(struct kit *kit, struct doca_dma *dma)
{
    struct doca_dma_task_memcpy *task;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++) {
        result = kit_task(kit, dma, i, &task);
        if (result == DOCA_SUCCESS)
            result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    }
    return result;
}

static doca_error_t judge(const struct stop *stop)
{
    for (int i = 0; i < TASKS; i++) {
        if (stop->arrived[i] != 1) {
            DOCA_LOG_ERR("Task %d came back %u times", i, stop->arrived[i]);
            return DOCA_ERROR_UNKNOWN;
        }
    }
    if (stop->answer != DOCA_ERROR_IN_PROGRESS || stop->times_stopping != 1 ||
        stop->times_idle != 1 || stop->good < STOP_AFTER) {
        DOCA_LOG_ERR("Stop said %s; stopping %u times, idle %u times, %u copies",
                     doca_error_get_name(stop->answer), stop->times_stopping, stop->times_idle,
                     stop->good);
        return DOCA_ERROR_UNKNOWN;
    }
    DOCA_LOG_INFO("%u copies, %u flushed", stop->good, stop->flushed);
    return DOCA_SUCCESS;
}

static doca_error_t run(struct kit *kit)
{
    struct stop stop = {.answer = DOCA_SUCCESS};
    struct doca_dma *dma;
    doca_error_t result = kit_dma(kit, on_success, on_error, TASKS, &stop, &dma), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    stop.ctx = doca_dma_as_ctx(dma);
    result = doca_ctx_set_state_changed_cb(stop.ctx, on_state);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(stop.ctx);
    if (result == DOCA_SUCCESS)
        result = submit_all(kit, dma);
    if (result == DOCA_SUCCESS)
        result = kit_progress(kit->pe, is_not_idle, &stop);
    tmp = doca_dma_destroy(dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result == DOCA_SUCCESS ? judge(&stop) : result;
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
    return kit_exit("engine_async_stop", result);
}

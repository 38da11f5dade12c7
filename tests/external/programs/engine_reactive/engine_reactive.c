/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything happens in callbacks. The context submits its tasks when it begins to run, is stopped
 * by the last of them, and is destroyed when it becomes idle; the main loop only drives the engine.
 */

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(ENGINE_REACTIVE);

#define TASKS 16

struct machine {
    struct kit kit;
    struct doca_dma *dma;
    unsigned int done;
    doca_error_t result;
    bool over;
};

static void note(struct machine *machine, doca_error_t result)
{
    DOCA_ERROR_PROPAGATE(machine->result, result);
}

static void count(struct machine *machine, struct doca_dma_task_memcpy *task)
{
    kit_put(task);
    if (++machine->done == TASKS)
        (void)doca_ctx_stop(doca_dma_as_ctx(machine->dma));
}

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct machine *machine = ctx_data.ptr;

    (void)task_data;
    note(machine, kit_compare(task));
    count(machine, task);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct machine *machine = ctx_data.ptr;

    (void)task_data;
    note(machine, doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
    count(machine, task);
}

static void submit_all(struct machine *machine)
{
    struct doca_dma_task_memcpy *task;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++) {
        result = kit_task(&machine->kit, machine->dma, i, &task);
        if (result == DOCA_SUCCESS)
            result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    }
    note(machine, result);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct machine *machine = user_data.ptr;
    union doca_data kept = {.ptr = NULL};

    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        if (prev_state != DOCA_CTX_STATE_STOPPING)
            note(machine, DOCA_ERROR_UNKNOWN);
        note(machine, doca_dma_destroy(machine->dma));
        machine->over = true;
        break;
    case DOCA_CTX_STATE_STARTING:
        note(machine, DOCA_ERROR_UNKNOWN);
        break;
    case DOCA_CTX_STATE_RUNNING:
        note(machine, doca_ctx_get_user_data(ctx, &kept));
        if (kept.ptr != machine)
            note(machine, DOCA_ERROR_UNKNOWN);
        submit_all(machine);
        break;
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO("Stopping after %u copies", machine->done);
        break;
    default:
        break;
    }
}

static bool is_going_on(void *arg)
{
    return !((struct machine *)arg)->over;
}

static doca_error_t run(struct machine *machine)
{
    struct doca_ctx *ctx;
    doca_error_t result =
        kit_dma(&machine->kit, on_success, on_error, TASKS, machine, &machine->dma);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_dma_as_ctx(machine->dma);
    result = doca_ctx_set_state_changed_cb(ctx, on_state);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    if (result != DOCA_SUCCESS) {
        (void)doca_dma_destroy(machine->dma);
        return result;
    }
    result = kit_progress(machine->kit.pe, is_going_on, machine);
    return result == DOCA_SUCCESS ? machine->result : result;
}

int main(void)
{
    struct machine machine = {.result = DOCA_SUCCESS};
    doca_error_t result = kit_log(), tmp;

    if (result != DOCA_SUCCESS)
        return 1;
    result = kit_create(&machine.kit, TASKS, 1024);
    if (result == DOCA_SUCCESS)
        result = run(&machine);
    tmp = kit_destroy(&machine.kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("engine_reactive", result);
}

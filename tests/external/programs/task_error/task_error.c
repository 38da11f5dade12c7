/* SPDX-License-Identifier: BSD-3-Clause */
/* 255 copies, the third of nothing. It fails, the context gives up by itself, and each of the
 * others comes back once. */

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(TASK_ERROR);

#define TASKS     255
#define BAD_INDEX 2

struct disaster {
    struct doca_ctx *ctx;
    unsigned int good;
    unsigned int failed;
    unsigned int times_stopping;
    unsigned int times_idle;
    bool bad_one_failed;
    size_t left; /* in flight when it became idle */
};

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct disaster *disaster = ctx_data.ptr;

    (void)task_data;
    disaster->good++;
    kit_put(task);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct disaster *disaster = ctx_data.ptr;
    doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));

    if (task_data.u64 == BAD_INDEX) {
        DOCA_LOG_INFO("The empty copy failed: %s", doca_error_get_descr(status));
        disaster->bad_one_failed = true;
    }
    disaster->failed++;
    kit_put(task);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct disaster *disaster = user_data.ptr;

    (void)prev_state;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        disaster->times_idle++;
        (void)doca_ctx_get_num_inflight_tasks(ctx, &disaster->left);
        break;
    case DOCA_CTX_STATE_STOPPING:
        disaster->times_stopping++;
        break;
    case DOCA_CTX_STATE_STARTING:
    case DOCA_CTX_STATE_RUNNING:
    default:
        break;
    }
}

static bool is_not_idle(void *arg)
{
    return ((struct disaster *)arg)->times_idle == 0;
}

static doca_error_t submit_all(struct kit *kit, struct doca_dma *dma)
{
    struct doca_dma_task_memcpy *tasks[TASKS];
    struct doca_buf *src;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++)
        result = kit_task(kit, dma, i, &tasks[i]);
    if (result == DOCA_SUCCESS) {
        src = (struct doca_buf *)doca_dma_task_memcpy_get_src(tasks[BAD_INDEX]);
        result = doca_buf_reset_data_len(src);
    }
    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++)
        result = doca_task_submit(doca_dma_task_memcpy_as_task(tasks[i]));
    return result;
}

static doca_error_t judge(const struct disaster *disaster)
{
    DOCA_LOG_INFO("%u copies, %u failures", disaster->good, disaster->failed);
    if (disaster->good + disaster->failed != TASKS || !disaster->bad_one_failed ||
        disaster->good < 1 || disaster->times_stopping != 1 || disaster->times_idle != 1 ||
        disaster->left != 0) {
        DOCA_LOG_ERR("Stopping %u times, idle %u times, %zu left", disaster->times_stopping,
                     disaster->times_idle, disaster->left);
        return DOCA_ERROR_UNKNOWN;
    }
    return DOCA_SUCCESS;
}

static doca_error_t run(struct kit *kit)
{
    struct disaster disaster = {.left = TASKS};
    struct doca_dma *dma;
    doca_error_t result = kit_dma(kit, on_success, on_error, TASKS, &disaster, &dma), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    disaster.ctx = doca_dma_as_ctx(dma);
    result = doca_ctx_set_state_changed_cb(disaster.ctx, on_state);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(disaster.ctx);
    if (result == DOCA_SUCCESS)
        result = submit_all(kit, dma);
    /* Nobody calls stop. */
    if (result == DOCA_SUCCESS)
        result = kit_progress(kit->pe, is_not_idle, &disaster);
    tmp = doca_dma_destroy(dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result == DOCA_SUCCESS ? judge(&disaster) : result;
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
    return kit_exit("task_error", result);
}

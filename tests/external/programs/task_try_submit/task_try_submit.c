/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy with too little room is refused at once by the checking submit. The task is still the
 * program's, gets a better destination, and goes through. */

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(TASK_TRY_SUBMIT);

struct attempt {
    unsigned int ended;
    doca_error_t status;
};

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct attempt *attempt = ctx_data.ptr;

    (void)task_data;
    attempt->ended++;
    attempt->status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    if (attempt->status == DOCA_SUCCESS)
        attempt->status = kit_compare(task);
    kit_put(task);
}

static bool is_incomplete(void *arg)
{
    return ((struct attempt *)arg)->ended == 0;
}

/* Refused, mended, accepted. The cramped buffer is the caller's. */
static doca_error_t try_twice(struct doca_dma_task_memcpy *task, struct doca_buf *cramped)
{
    struct doca_task *base = doca_dma_task_memcpy_as_task(task);
    struct doca_buf *roomy = doca_dma_task_memcpy_get_dst(task);
    doca_error_t result;

    doca_dma_task_memcpy_set_dst(task, cramped);
    result = doca_task_try_submit(base);
    doca_dma_task_memcpy_set_dst(task, roomy);
    if (result != DOCA_ERROR_INVALID_VALUE) {
        DOCA_LOG_ERR("Too little room is answered with %s", doca_error_get_name(result));
        return DOCA_ERROR_UNKNOWN;
    }
    return doca_task_try_submit(base);
}

static doca_error_t copy(struct kit *kit, struct doca_dma *dma, struct attempt *attempt)
{
    struct doca_dma_task_memcpy *task;
    struct doca_buf *cramped;
    doca_error_t result = doca_buf_inventory_buf_get_by_addr(kit->inventory, kit->dst_map, kit->dst,
                                                             kit->block - 1, &cramped),
                 tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = kit_task(kit, dma, 0, &task);
    if (result == DOCA_SUCCESS) {
        result = try_twice(task, cramped);
        if (result != DOCA_SUCCESS)
            kit_put(task);
    }
    tmp = doca_buf_dec_refcount(cramped, NULL);
    DOCA_ERROR_PROPAGATE(result, tmp);
    if (result == DOCA_SUCCESS)
        result = kit_progress(kit->pe, is_incomplete, attempt);
    return result == DOCA_SUCCESS ? attempt->status : result;
}

static doca_error_t run(struct kit *kit)
{
    struct attempt attempt = {.status = DOCA_ERROR_UNKNOWN};
    struct doca_dma *dma;
    doca_error_t result = kit_dma(kit, on_end, on_end, 1, &attempt, &dma), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(doca_dma_as_ctx(dma));
    if (result == DOCA_SUCCESS)
        result = copy(kit, dma, &attempt);
    tmp = kit_stop(kit->pe, doca_dma_as_ctx(dma));
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_dma_destroy(dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(void)
{
    struct kit kit;
    doca_error_t result = kit_log(), tmp;

    if (result != DOCA_SUCCESS)
        return 1;
    result = kit_create(&kit, 2, 1024);
    if (result == DOCA_SUCCESS)
        result = run(&kit);
    tmp = kit_destroy(&kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("task_try_submit", result);
}

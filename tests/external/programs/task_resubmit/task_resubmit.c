/* SPDX-License-Identifier: BSD-3-Clause */
/* Four tasks serve sixteen pairs of buffers: each is given the next pair in its callback. */

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(TASK_RESUBMIT);

#define TASKS 4
#define PAIRS 16

struct pairs {
    struct doca_buf *src[PAIRS];
    struct doca_buf *dst[PAIRS];
    uint32_t next; /* the first that nobody has taken */
    unsigned int done[PAIRS];
    unsigned int ended;
    doca_error_t result;
};

static void release(struct pairs *pairs, uint64_t i)
{
    doca_error_t result = doca_buf_dec_refcount(pairs->src[i], NULL);

    DOCA_ERROR_PROPAGATE(pairs->result, result);
    result = doca_buf_dec_refcount(pairs->dst[i], NULL);
    DOCA_ERROR_PROPAGATE(pairs->result, result);
}

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct pairs *pairs = ctx_data.ptr;
    struct doca_task *base = doca_dma_task_memcpy_as_task(task);
    union doca_data data = {.u64 = pairs->next};
    doca_error_t result = kit_compare(task);

    DOCA_ERROR_PROPAGATE(pairs->result, result);
    pairs->done[task_data.u64]++;
    pairs->ended++;
    release(pairs, task_data.u64);
    if (pairs->next == PAIRS) {
        doca_task_free(base);
        return;
    }
    doca_task_set_user_data(base, data);
    doca_dma_task_memcpy_set_src(task, pairs->src[pairs->next]);
    doca_dma_task_memcpy_set_dst(task, pairs->dst[pairs->next]);
    pairs->next++;
    result = doca_task_submit(base);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Cannot submit again: %s", doca_error_get_descr(result));
        DOCA_ERROR_PROPAGATE(pairs->result, result);
        doca_task_free(base);
    }
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct pairs *pairs = ctx_data.ptr;
    doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));

    DOCA_ERROR_PROPAGATE(pairs->result, status);
    pairs->ended++;
    release(pairs, task_data.u64);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static bool is_incomplete(void *arg)
{
    const struct pairs *pairs = arg;

    return pairs->result == DOCA_SUCCESS && pairs->ended < PAIRS;
}

static doca_error_t begin(struct kit *kit, struct doca_dma *dma, struct pairs *pairs)
{
    struct doca_dma_task_memcpy *tasks[TASKS];
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < PAIRS && result == DOCA_SUCCESS; i++)
        result = kit_bufs(kit, i, &pairs->src[i], &pairs->dst[i]);
    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++) {
        union doca_data data = {.u64 = i};

        result =
            doca_dma_task_memcpy_alloc_init(dma, pairs->src[i], pairs->dst[i], data, &tasks[i]);
    }
    pairs->next = TASKS;
    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++)
        result = doca_task_submit(doca_dma_task_memcpy_as_task(tasks[i]));
    return result;
}

static doca_error_t run(struct kit *kit)
{
    static struct pairs pairs;
    struct doca_dma *dma;
    doca_error_t result = kit_dma(kit, on_success, on_error, TASKS, &pairs, &dma), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(doca_dma_as_ctx(dma));
    if (result == DOCA_SUCCESS)
        result = begin(kit, dma, &pairs);
    if (result == DOCA_SUCCESS)
        result = kit_progress(kit->pe, is_incomplete, &pairs);
    tmp = kit_stop(kit->pe, doca_dma_as_ctx(dma));
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_dma_destroy(dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = pairs.result;
    DOCA_ERROR_PROPAGATE(result, tmp);
    for (int i = 0; i < PAIRS && result == DOCA_SUCCESS; i++)
        result = pairs.done[i] == 1 ? DOCA_SUCCESS : DOCA_ERROR_UNKNOWN;
    return result;
}

int main(void)
{
    struct kit kit;
    doca_error_t result = kit_log(), tmp;

    if (result != DOCA_SUCCESS)
        return 1;
    result = kit_create(&kit, PAIRS, 1024);
    if (result == DOCA_SUCCESS)
        result = run(&kit);
    tmp = kit_destroy(&kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("task_resubmit", result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy whose callback gives up the cache lines of its source, with a task of another context on
 * the same engine. */

#include <doca_log.h>
#include <doca_mmap_advise.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(CACHE_INVALIDATE);

struct work {
    struct kit kit;
    struct doca_dma *dma;
    struct doca_mmap_advise *advise;
    struct doca_mmap_advise_task_invalidate_cache *advice;
    bool going_on;
    doca_error_t result;
};

static void end(struct work *work, doca_error_t result)
{
    DOCA_ERROR_PROPAGATE(work->result, result);
    work->going_on = false;
}

static void on_advice(struct doca_mmap_advise_task_invalidate_cache *advice,
                      union doca_data task_data, union doca_data ctx_data)
{
    struct work *work = ctx_data.ptr;
    struct doca_task *base = doca_mmap_advise_task_invalidate_cache_as_doca_task(advice);

    (void)task_data;
    DOCA_LOG_INFO("The cache lines are gone");
    end(work, doca_task_get_status(base));
    doca_task_free(base);
}

static void on_copy(struct doca_dma_task_memcpy *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct work *work = ctx_data.ptr;
    doca_error_t result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));

    (void)task_data;
    if (result == DOCA_SUCCESS)
        result = kit_compare(task);
    if (result == DOCA_SUCCESS)
        result =
            doca_task_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(work->advice));
    /* The source is still in use by the advice. */
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS)
        end(work, result);
}

static doca_error_t create_advise(struct work *work)
{
    union doca_data data = {.ptr = work};
    struct doca_ctx *ctx;
    doca_error_t result = doca_mmap_advise_create(work->kit.dev, &work->advise);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_mmap_advise_as_ctx(work->advise);
    result = doca_mmap_advise_task_invalidate_cache_set_conf(work->advise, on_advice, on_advice, 1);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(ctx, data);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(work->kit.pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    return result;
}

static bool is_going_on(void *arg)
{
    return ((struct work *)arg)->going_on;
}

static doca_error_t copy(struct work *work)
{
    union doca_data none = {.u64 = 0};
    struct doca_buf *src = NULL, *dst = NULL;
    struct doca_dma_task_memcpy *task;
    doca_error_t result = kit_bufs(&work->kit, 0, &src, &dst), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result =
        doca_mmap_advise_task_invalidate_cache_alloc_init(work->advise, src, none, &work->advice);
    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_alloc_init(work->dma, src, dst, none, &task);
    if (result == DOCA_SUCCESS) {
        work->going_on = true;
        result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    }
    if (result == DOCA_SUCCESS)
        result = kit_progress(work->kit.pe, is_going_on, work);
    tmp = work->result;
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_buf_dec_refcount(src, NULL);
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_buf_dec_refcount(dst, NULL);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t run(struct work *work)
{
    doca_error_t result = kit_dma(&work->kit, on_copy, on_copy, 1, work, &work->dma), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(doca_dma_as_ctx(work->dma));
    if (result == DOCA_SUCCESS)
        result = create_advise(work);
    if (result == DOCA_SUCCESS)
        result = copy(work);
    if (work->advise != NULL) {
        tmp = kit_stop(work->kit.pe, doca_mmap_advise_as_ctx(work->advise));
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_mmap_advise_destroy(work->advise);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = kit_stop(work->kit.pe, doca_dma_as_ctx(work->dma));
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_dma_destroy(work->dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t does_both(const struct doca_devinfo *devinfo)
{
    doca_error_t result = doca_dma_cap_task_memcpy_is_supported(devinfo);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_advise_cap_task_cache_invalidate_is_supported(devinfo);
    return result;
}

int main(void)
{
    static struct work work;
    doca_error_t result = kit_log(), tmp;

    if (result != DOCA_SUCCESS)
        return 1;
    result = kit_create(&work.kit, 1, 4096);
    if (result == DOCA_SUCCESS)
        result = does_both(doca_dev_as_devinfo(work.kit.dev));
    if (result == DOCA_SUCCESS)
        result = run(&work);
    tmp = kit_destroy(&work.kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("cache_invalidate", result);
}

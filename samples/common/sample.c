/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(SAMPLE);

static bool has_memcpy(const struct doca_devinfo *info)
{
    return doca_dma_cap_task_memcpy_is_supported(info) == DOCA_SUCCESS;
}

doca_error_t sample_open_device(const char *name, struct doca_dev **dev)
{
    return device_open(name, has_memcpy, "DMA", dev);
}

doca_error_t sample_map(struct doca_dev *dev, void *addr, size_t len, uint32_t access,
                        struct doca_mmap **map)
{
    struct doca_mmap *created;
    doca_error_t result = doca_mmap_create(&created);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_mmap_add_dev(created, dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(created, addr, len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(created, access);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(created);
    if (result != DOCA_SUCCESS) {
        doca_mmap_destroy(created);
        return result;
    }
    *map = created;
    return DOCA_SUCCESS;
}

void sample_task_done(struct doca_dma_task_memcpy *task)
{
    doca_buf_dec_refcount((struct doca_buf *)doca_dma_task_memcpy_get_src(task), NULL);
    doca_buf_dec_refcount(doca_dma_task_memcpy_get_dst(task), NULL);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct sample_dma *s = ctx_data.ptr;

    (void)task_data;
    s->completed++;
    if (s->on_success != NULL)
        s->on_success(s, task);
    else
        sample_task_done(task);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct sample_dma *s = ctx_data.ptr;

    (void)task_data;
    s->completed++;
    s->failed++;
    DOCA_LOG_ERR("A copy failed: %s",
                 doca_error_get_descr(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
    sample_task_done(task);
}

static doca_error_t start_ctx(struct sample_dma *s, uint32_t num_tasks)
{
    struct doca_ctx *ctx = doca_dma_as_ctx(s->dma);
    union doca_data self = {.ptr = s};
    doca_error_t result = doca_ctx_set_user_data(ctx, self);

    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_set_conf(s->dma, on_success, on_error, num_tasks);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(s->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    return result;
}

doca_error_t sample_dma_start(struct sample_dma *s, struct doca_dev *dev, uint32_t num_tasks,
                              size_t num_bufs)
{
    doca_error_t result;

    memset(s, 0, sizeof(*s));
    s->dev = dev;
    result = doca_pe_create(&s->pe);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_dma_create(dev, &s->dma);
    if (result != DOCA_SUCCESS)
        goto err_pe;
    result = doca_buf_inventory_create(num_bufs, &s->inventory);
    if (result != DOCA_SUCCESS)
        goto err_dma;
    result = doca_buf_inventory_start(s->inventory);
    if (result == DOCA_SUCCESS)
        result = start_ctx(s, num_tasks);
    if (result != DOCA_SUCCESS)
        goto err_inventory;
    return DOCA_SUCCESS;

err_inventory:
    doca_buf_inventory_destroy(s->inventory);
err_dma:
    doca_dma_destroy(s->dma);
err_pe:
    doca_pe_destroy(s->pe);
    return result;
}

void sample_dma_stop(struct sample_dma *s)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    struct doca_ctx *ctx = doca_dma_as_ctx(s->dma);

    doca_ctx_stop(ctx);
    do {
        doca_pe_progress(s->pe);
        doca_ctx_get_state(ctx, &state);
    } while (state != DOCA_CTX_STATE_IDLE);
    doca_dma_destroy(s->dma);
    doca_pe_destroy(s->pe);
    doca_buf_inventory_destroy(s->inventory);
}

doca_error_t sample_dma_wait(struct sample_dma *s, unsigned int count)
{
    while (s->completed < count)
        doca_pe_progress(s->pe);
    return s->failed == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

doca_error_t sample_dma_copy(struct sample_dma *s, struct doca_mmap *dst_map, void *dst,
                             struct doca_mmap *src_map, void *src, size_t len)
{
    struct doca_dma_task_memcpy *task;
    struct doca_buf *from, *to;
    union doca_data none = {.u64 = 0};
    doca_error_t result;

    result = doca_buf_inventory_buf_get_by_data(s->inventory, src_map, src, len, &from);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_buf_inventory_buf_get_by_addr(s->inventory, dst_map, dst, len, &to);
    if (result != DOCA_SUCCESS)
        goto err_from;
    result = doca_dma_task_memcpy_alloc_init(s->dma, from, to, none, &task);
    if (result != DOCA_SUCCESS)
        goto err_to;
    result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS)
        goto err_task;
    return DOCA_SUCCESS;

err_task:
    doca_task_free(doca_dma_task_memcpy_as_task(task));
err_to:
    doca_buf_dec_refcount(to, NULL);
err_from:
    doca_buf_dec_refcount(from, NULL);
    return result;
}

doca_error_t sample_register_param(const char *short_name, const char *long_name,
                                   const char *description, int type,
                                   doca_error_t (*callback)(void *value, void *config))
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);

    if (result != DOCA_SUCCESS)
        return result;
    if (short_name != NULL)
        doca_argp_param_set_short_name(param, short_name);
    doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_description(param, description);
    doca_argp_param_set_type(param, (enum doca_argp_type)type);
    doca_argp_param_set_callback(param, callback);
    return doca_argp_register_param(param);
}

doca_error_t sample_takes_no_arguments(int argc, char **argv)
{
    if (argc <= 1)
        return DOCA_SUCCESS;
    fprintf(stderr, "usage: %s (without arguments)\n", argv[0]);
    return DOCA_ERROR_INVALID_VALUE;
}

int sample_exit(doca_error_t result)
{
    if (result == DOCA_SUCCESS)
        return EXIT_SUCCESS;
    fprintf(stderr, "failed: %s (%s)\n", doca_error_get_descr(result), doca_error_get_name(result));
    return EXIT_FAILURE;
}

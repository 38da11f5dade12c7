/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"

#ifdef DOCA_ARCH_DPU

#include <stdlib.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(APP_COPY::DPU);

struct side {
    struct doca_dev *dev;
    struct doca_mmap *map;
    struct doca_mmap *spare; /* created by everyone, used by the other kind of program */
    struct doca_mmap *remote;
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_dma *dma;
    uint64_t max_size;
    char *memory;
    size_t size;
    struct app_message descriptor;
};

struct outcome {
    unsigned int ended;
    doca_error_t status;
};

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct outcome *outcome = task_data.ptr;

    (void)task;
    (void)ctx_data;
    DOCA_LOG_INFO("The copy is done");
    outcome->ended++;
    outcome->status = DOCA_SUCCESS;
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct outcome *outcome = task_data.ptr;

    (void)ctx_data;
    outcome->ended++;
    outcome->status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    DOCA_LOG_ERR("The copy failed: %s", doca_error_get_descr(outcome->status));
}

static doca_error_t create_map(struct side *side, struct doca_mmap **map)
{
    doca_error_t result = doca_mmap_create(map);

    return result == DOCA_SUCCESS ? doca_mmap_add_dev(*map, side->dev) : result;
}

static doca_error_t create_ctx(struct side *side)
{
    union doca_data data = {.ptr = side};
    struct doca_ctx *ctx;
    doca_error_t result = doca_dma_create(side->dev, &side->dma);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_dma_as_ctx(side->dma);
    result = doca_dma_task_memcpy_set_conf(side->dma, on_success, on_error, 1);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(ctx, data);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(side->pe, ctx);
    return result == DOCA_SUCCESS ? doca_ctx_start(ctx) : result;
}

static doca_error_t create(struct side *side)
{
    doca_error_t result = kit_open_capable(doca_dma_cap_task_memcpy_is_supported, &side->dev);

    if (result == DOCA_SUCCESS)
        result = doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(side->dev),
                                                           &side->max_size);
    if (result == DOCA_SUCCESS)
        result = create_map(side, &side->map);
    if (result == DOCA_SUCCESS)
        result = create_map(side, &side->spare);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(2, &side->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(side->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&side->pe);
    return result == DOCA_SUCCESS ? create_ctx(side) : result;
}

/* Exactly one side has the file, and it fits. */
static doca_error_t agree(struct side *side, struct app *app, const struct app_message *message)
{
    const struct app_options *options = app->options;
    const struct app_message answer = {
        .kind = APP_DIRECTION, .first = options->has_file, .second = options->file_size};

    if ((message->first == 1) == options->has_file) {
        DOCA_LOG_ERR("The file must be on one side, and is on both or none");
        return DOCA_ERROR_INVALID_VALUE;
    }
    side->size = options->has_file ? options->file_size : message->second;
    if (side->size > side->max_size) {
        DOCA_LOG_ERR("%zu bytes are more than the device copies at once", side->size);
        return DOCA_ERROR_INVALID_VALUE;
    }
    return app_send(app, &answer);
}

doca_error_t app_handle(struct app *app, const struct app_message *message)
{
    struct side *side = app->side;

    switch (message->kind) {
    case APP_DIRECTION:
        return agree(side, app, message);
    case APP_DESCRIPTOR:
        /* The bytes are gone after the callback. */
        side->descriptor = *message;
        app->phase = APP_AGREED;
        return DOCA_SUCCESS;
    default:
        return DOCA_ERROR_BAD_STATE;
    }
}

static doca_error_t prepare_memory(struct side *side, const struct app_options *options)
{
    size_t len;
    doca_error_t result;

    side->memory = malloc(side->size + 1);
    if (side->memory == NULL)
        return DOCA_ERROR_NO_MEMORY;
    if (options->has_file) {
        result = kit_read_file(options->path, side->memory, side->size + 1, &len);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = doca_mmap_set_memrange(side->map, side->memory, side->size);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(side->map, options->has_file
                                                          ? DOCA_ACCESS_FLAG_LOCAL_READ_ONLY
                                                          : DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    return result == DOCA_SUCCESS ? doca_mmap_start(side->map) : result;
}

static bool is_unfinished(void *arg)
{
    return ((struct outcome *)arg)->ended == 0;
}

/* The task is freed out here, not in its callback. */
static doca_error_t copy_bufs(struct side *side, struct doca_buf *src, struct doca_buf *dst)
{
    struct outcome outcome = {.status = DOCA_ERROR_UNKNOWN};
    union doca_data data = {.ptr = &outcome};
    struct doca_dma_task_memcpy *task;
    void *begin;
    doca_error_t result = doca_buf_get_data(src, &begin);

    if (result == DOCA_SUCCESS)
        result = doca_buf_set_data(src, begin, side->size);
    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_alloc_init(side->dma, src, dst, data, &task);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    if (result == DOCA_SUCCESS)
        result = kit_progress(side->pe, is_unfinished, &outcome);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    return result == DOCA_SUCCESS ? outcome.status : result;
}

static doca_error_t copy(struct side *side, const struct app_options *options,
                         const struct app_message *descriptor)
{
    struct doca_buf *here, *there;
    void *remote_addr = (void *)(uintptr_t)descriptor->first;
    doca_error_t result = doca_mmap_create_from_export(
        NULL, descriptor->descriptor, descriptor->second, side->dev, &side->remote);

    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(side->inventory, side->remote, remote_addr,
                                                    side->size, &there);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_buf_inventory_buf_get_by_addr(side->inventory, side->map, side->memory,
                                                side->size, &here);
    if (result == DOCA_SUCCESS) {
        result = options->has_file ? copy_bufs(side, here, there) : copy_bufs(side, there, here);
        (void)doca_buf_dec_refcount(here, NULL);
    }
    (void)doca_buf_dec_refcount(there, NULL);
    return result;
}

static doca_error_t move_file(struct side *side, struct app *app)
{
    const struct app_options *options = app->options;
    doca_error_t result = prepare_memory(side, options);

    if (result == DOCA_SUCCESS)
        result = copy(side, options, &side->descriptor);
    if (result == DOCA_SUCCESS && !options->has_file)
        result = kit_write_file(options->path, side->memory, side->size);
    app_send_status(app, result);
    return result;
}

static doca_error_t talk(struct side *side, const struct app_options *options)
{
    struct app app;
    doca_error_t result = app_open(&app, options, side), tmp;

    if (result == DOCA_SUCCESS) {
        DOCA_LOG_INFO("Waiting for the host");
        result = app_await(&app, APP_AGREED);
    }
    /* The copy has an engine of its own, which alone is progressed meanwhile. */
    if (result == DOCA_SUCCESS)
        result = move_file(side, &app);
    if (result == DOCA_SUCCESS)
        result = app_await_leave(&app);
    tmp = app_close(&app);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static void destroy_map(struct doca_mmap *map, doca_error_t *result)
{
    doca_error_t tmp;

    if (map == NULL)
        return;
    tmp = doca_mmap_destroy(map);
    DOCA_ERROR_PROPAGATE(*result, tmp);
}

static doca_error_t destroy(struct side *side)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    free(side->memory);
    destroy_map(side->remote, &result);
    if (side->dma != NULL) {
        tmp = kit_stop(side->pe, doca_dma_as_ctx(side->dma));
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_dma_destroy(side->dma);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (side->pe != NULL) {
        tmp = doca_pe_destroy(side->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (side->inventory != NULL) {
        tmp = doca_buf_inventory_destroy(side->inventory);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    destroy_map(side->spare, &result);
    destroy_map(side->map, &result);
    tmp = kit_close_device(&side->dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

doca_error_t app_run_side(const struct app_options *options)
{
    struct side side = {0};
    doca_error_t result = create(&side), tmp;

    if (result == DOCA_SUCCESS)
        result = talk(&side, options);
    tmp = destroy(&side);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

#endif /* DOCA_ARCH_DPU */

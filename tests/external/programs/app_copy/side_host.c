/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"

#ifdef DOCA_ARCH_HOST

#include <stdlib.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(APP_COPY::HOST);

struct side {
    struct doca_dev *dev;
    struct doca_mmap *map;
    char *memory;
    size_t size;
};

static doca_error_t load(struct side *side, const struct app_options *options)
{
    size_t len;

    side->size = options->file_size;
    side->memory = malloc(side->size + 1);
    if (side->memory == NULL)
        return DOCA_ERROR_NO_MEMORY;
    return kit_read_file(options->path, side->memory, side->size + 1, &len);
}

/* In answer to the DPU's word on the direction: memory if the file comes from there, and the
 * export. */
static doca_error_t answer(struct side *side, const struct app_options *options,
                           const struct app_message *word, struct app_message *descriptor)
{
    const void *bytes;
    size_t len;
    doca_error_t result;

    if (options->has_file == (word->first == 1))
        return DOCA_ERROR_BAD_STATE;
    if (!options->has_file) {
        side->size = word->second;
        side->memory = calloc(1, side->size + 1);
        if (side->memory == NULL)
            return DOCA_ERROR_NO_MEMORY;
    }
    result = doca_mmap_set_memrange(side->map, side->memory, side->size);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(side->map, options->has_file
                                                          ? DOCA_ACCESS_FLAG_PCI_READ_ONLY
                                                          : DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(side->map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_export_pci(side->map, side->dev, &bytes, &len);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Cannot export %zu bytes: %s", side->size, doca_error_get_descr(result));
        return result;
    }
    descriptor->kind = APP_DESCRIPTOR;
    descriptor->first = (uint64_t)(uintptr_t)side->memory;
    descriptor->second = len;
    for (size_t i = 0; i < len && i < APP_MAX_DESCRIPTOR; i++)
        descriptor->descriptor[i] = ((const uint8_t *)bytes)[i];
    return DOCA_SUCCESS;
}

doca_error_t app_handle(struct app *app, const struct app_message *message)
{
    struct app_message descriptor;
    doca_error_t result;

    if (message->kind == APP_STATUS) {
        app->phase = APP_DONE;
        return DOCA_SUCCESS;
    }
    if (message->kind != APP_DIRECTION)
        return DOCA_ERROR_BAD_STATE;
    result = answer(app->side, app->options, message, &descriptor);
    return result == DOCA_SUCCESS ? app_send(app, &descriptor) : result;
}

static doca_error_t talk(struct side *side, const struct app_options *options)
{
    struct app app;
    doca_error_t result = app_open(&app, options, side), tmp;

    if (result == DOCA_SUCCESS)
        result = app_await(&app, APP_DONE);
    if (result == DOCA_SUCCESS && !options->has_file)
        result = kit_write_file(options->path, side->memory, side->size);
    tmp = app_close(&app);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t create_map(struct side *side)
{
    doca_error_t result = doca_mmap_create(&side->map);

    return result == DOCA_SUCCESS ? doca_mmap_add_dev(side->map, side->dev) : result;
}

doca_error_t app_run_side(const struct app_options *options)
{
    struct side side = {0};
    doca_error_t result = kit_open_capable(doca_dma_cap_task_memcpy_is_supported, &side.dev), tmp;

    if (result == DOCA_SUCCESS)
        result = create_map(&side);
    if (result == DOCA_SUCCESS && options->has_file)
        result = load(&side, options);
    if (result == DOCA_SUCCESS)
        result = talk(&side, options);
    free(side.memory); /* before the map that describes it */
    if (side.map != NULL) {
        tmp = doca_mmap_destroy(side.map);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = kit_close_device(&side.dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

#endif /* DOCA_ARCH_HOST */

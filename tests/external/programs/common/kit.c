/* SPDX-License-Identifier: BSD-3-Clause */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_argp.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(KIT);

#define PATIENCE 30.0 /* seconds; no step of these programs takes longer */

doca_error_t kit_log(void)
{
    struct doca_log_backend *sdk = NULL;
    doca_error_t result = doca_log_backend_create_standard();

    if (result == DOCA_SUCCESS)
        result = doca_log_backend_create_with_file_sdk(stderr, &sdk);
    if (result == DOCA_SUCCESS)
        result = doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING);
    return result;
}

doca_error_t kit_map(struct doca_dev *dev, void *addr, size_t len, uint32_t access,
                     struct doca_mmap **map)
{
    struct doca_mmap *created;
    doca_error_t result = doca_mmap_create(&created), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_mmap_add_dev(created, dev);
    if (result == DOCA_SUCCESS && access != 0)
        result = doca_mmap_set_permissions(created, access);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(created, addr, len);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Cannot describe %zu bytes: %s", len, doca_error_get_descr(result));
        tmp = doca_mmap_destroy(created);
        DOCA_ERROR_PROPAGATE(result, tmp);
        return result;
    }
    *map = created;
    return DOCA_SUCCESS;
}

static doca_error_t create_memory(struct kit *kit)
{
    size_t size = kit->blocks * kit->block;
    doca_error_t result;

    kit->src = (char *)malloc(size);
    kit->dst = (char *)malloc(size);
    if (kit->src == NULL || kit->dst == NULL)
        return DOCA_ERROR_NO_MEMORY;
    for (size_t i = 0; i < size; i++)
        kit->src[i] = (char)('a' + (i + i / kit->block) % 26);
    memset(kit->dst, 0, size);
    result = kit_map(kit->dev, kit->src, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &kit->src_map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(kit->src_map);
    if (result == DOCA_SUCCESS)
        result =
            kit_map(kit->dev, kit->dst, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &kit->dst_map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(kit->dst_map);
    return result;
}

doca_error_t kit_create(struct kit *kit, uint32_t blocks, size_t block)
{
    doca_error_t result;

    memset(kit, 0, sizeof(*kit));
    kit->blocks = blocks;
    kit->block = block;
    result = kit_open_capable(doca_dma_cap_task_memcpy_is_supported, &kit->dev);
    if (result == DOCA_SUCCESS)
        result = create_memory(kit);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(2 * (size_t)blocks, &kit->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(kit->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&kit->pe);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Cannot set up: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t destroy_map(struct doca_mmap *map)
{
    doca_error_t result = doca_mmap_stop(map), tmp;

    tmp = doca_mmap_destroy(map);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

doca_error_t kit_destroy(struct kit *kit)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    if (kit->pe != NULL) {
        tmp = doca_pe_destroy(kit->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (kit->inventory != NULL) {
        tmp = doca_buf_inventory_stop(kit->inventory);
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_buf_inventory_destroy(kit->inventory);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (kit->dst_map != NULL) {
        tmp = destroy_map(kit->dst_map);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (kit->src_map != NULL) {
        tmp = destroy_map(kit->src_map);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = kit_close_device(&kit->dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    free(kit->src);
    free(kit->dst);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Cannot tear down: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t kit_bufs(struct kit *kit, uint32_t i, struct doca_buf **src, struct doca_buf **dst)
{
    struct doca_buf *from;
    size_t at = i * kit->block;
    doca_error_t result = doca_buf_inventory_buf_get_by_data(kit->inventory, kit->src_map,
                                                             kit->src + at, kit->block, &from);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_buf_inventory_buf_get_by_addr(kit->inventory, kit->dst_map, kit->dst + at,
                                                kit->block, dst);
    if (result != DOCA_SUCCESS) {
        (void)doca_buf_dec_refcount(from, NULL);
        return result;
    }
    *src = from;
    return DOCA_SUCCESS;
}

void kit_put(struct doca_dma_task_memcpy *task)
{
    struct doca_buf *src = (struct doca_buf *)doca_dma_task_memcpy_get_src(task);
    struct doca_buf *dst = doca_dma_task_memcpy_get_dst(task);

    (void)doca_buf_dec_refcount(src, NULL);
    (void)doca_buf_dec_refcount(dst, NULL);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

doca_error_t kit_compare(const struct doca_dma_task_memcpy *task)
{
    const struct doca_buf *src = doca_dma_task_memcpy_get_src(task);
    const struct doca_buf *dst = doca_dma_task_memcpy_get_dst(task);
    void *from = NULL, *to = NULL;
    size_t len = 0, space = 0, arrived = 0;

    (void)doca_buf_get_data(src, &from);
    (void)doca_buf_get_data_len(src, &len);
    (void)doca_buf_get_data(dst, &to);
    (void)doca_buf_get_len(dst, &space);
    (void)doca_buf_get_data_len(dst, &arrived);
    if (arrived != len || space < len || memcmp(from, to, len) != 0) {
        DOCA_LOG_ERR("%zu bytes were sent and %zu came, in a buffer of %zu, or they differ", len,
                     arrived, space);
        return DOCA_ERROR_INVALID_VALUE;
    }
    return DOCA_SUCCESS;
}

doca_error_t kit_dma(struct kit *kit, doca_dma_task_memcpy_completion_cb_t done,
                     doca_dma_task_memcpy_completion_cb_t failed, uint32_t tasks, void *user,
                     struct doca_dma **dma)
{
    union doca_data data;
    struct doca_ctx *ctx;
    doca_error_t result = doca_dma_create(kit->dev, dma);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_dma_as_ctx(*dma);
    data.ptr = user;
    result = doca_dma_task_memcpy_set_conf(*dma, done, failed, tasks);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(ctx, data);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(kit->pe, ctx);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Cannot prepare a context: %s", doca_error_get_descr(result));
        (void)doca_dma_destroy(*dma);
        *dma = NULL;
    }
    return result;
}

doca_error_t kit_task(struct kit *kit, struct doca_dma *dma, uint32_t i,
                      struct doca_dma_task_memcpy **task)
{
    union doca_data data;
    struct doca_buf *src, *dst;
    doca_error_t result = kit_bufs(kit, i, &src, &dst);

    if (result != DOCA_SUCCESS)
        return result;
    data.u64 = i;
    result = doca_dma_task_memcpy_alloc_init(dma, src, dst, data, task);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("No task: %s", doca_error_get_descr(result));
        (void)doca_buf_dec_refcount(src, NULL);
        (void)doca_buf_dec_refcount(dst, NULL);
    }
    return result;
}

double kit_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

doca_error_t kit_progress(struct doca_pe *pe, bool (*more)(void *arg), void *arg)
{
    double end = kit_seconds() + PATIENCE;

    while (more(arg)) {
        if (doca_pe_progress(pe) == 0 && kit_seconds() > end) {
            DOCA_LOG_ERR("Nothing happens any more");
            return DOCA_ERROR_TIME_OUT;
        }
    }
    return DOCA_SUCCESS;
}

static bool is_not_idle(void *arg)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    (void)doca_ctx_get_state((struct doca_ctx *)arg, &state);
    return state != DOCA_CTX_STATE_IDLE;
}

doca_error_t kit_stop(struct doca_pe *pe, struct doca_ctx *ctx)
{
    doca_error_t result = doca_ctx_stop(ctx);

    if (result == DOCA_ERROR_IN_PROGRESS)
        result = kit_progress(pe, is_not_idle, ctx);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("The context does not stop: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t kit_param(const char *short_name, const char *long_name, const char *description,
                       int type, bool mandatory, doca_error_t (*callback)(void *, void *))
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("No parameter: %s", doca_error_get_descr(result));
        return result;
    }
    if (short_name != NULL)
        doca_argp_param_set_short_name(param, short_name);
    if (long_name != NULL)
        doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_description(param, description);
    doca_argp_param_set_type(param, (enum doca_argp_type)type);
    doca_argp_param_set_callback(param, callback);
    if (mandatory)
        doca_argp_param_set_mandatory(param);
    return doca_argp_register_param(param);
}

doca_error_t kit_store(char *field, size_t size, const char *text)
{
    size_t len = strnlen(text, size);

    if (len == size) {
        DOCA_LOG_ERR("\"%s\" is longer than %zu characters", text, size - 1);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(field, text, len + 1);
    return DOCA_SUCCESS;
}

doca_error_t kit_read_file(const char *path, void *data, size_t size, size_t *len)
{
    FILE *file = fopen(path, "rb");
    bool more;

    if (file == NULL) {
        DOCA_LOG_ERR("Cannot open %s", path);
        return DOCA_ERROR_IO_FAILED;
    }
    *len = fread(data, 1, size, file);
    more = *len == size && fgetc(file) != EOF;
    if (ferror(file) != 0 || fclose(file) != 0)
        return DOCA_ERROR_IO_FAILED;
    return more ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t kit_write_file(const char *path, const void *data, size_t len)
{
    char scratch[1024];
    FILE *file;
    bool written;

    if (snprintf(scratch, sizeof(scratch), "%s.part", path) >= (int)sizeof(scratch))
        return DOCA_ERROR_INVALID_VALUE;
    file = fopen(scratch, "wb");
    if (file == NULL) {
        DOCA_LOG_ERR("Cannot write %s", scratch);
        return DOCA_ERROR_IO_FAILED;
    }
    written = fwrite(data, 1, len, file) == len;
    if (fclose(file) != 0 || !written || rename(scratch, path) != 0)
        return DOCA_ERROR_IO_FAILED;
    return DOCA_SUCCESS;
}

int kit_exit(const char *program, doca_error_t result)
{
    if (result == DOCA_SUCCESS) {
        DOCA_LOG_INFO("%s finished successfully", program);
        return EXIT_SUCCESS;
    }
    DOCA_LOG_ERR("%s finished with errors: %s (%s)", program, doca_error_get_descr(result),
                 doca_error_get_name(result));
    return EXIT_FAILURE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "single.h"

#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(SINGLE);

static void on_end(struct doca_dma_task_memcpy *task, struct single *single)
{
    single->outcome = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    /* The state callback tells when it is over. */
    (void)doca_ctx_stop(single->ctx);
}

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    (void)ctx_data;
    DOCA_LOG_INFO("The copy is done");
    on_end(task, (struct single *)task_data.ptr);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    (void)ctx_data;
    DOCA_LOG_ERR("The copy failed: %s",
                 doca_error_get_descr(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
    on_end(task, (struct single *)task_data.ptr);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct single *single = (struct single *)user_data.ptr;

    (void)ctx;
    (void)prev_state;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("The context is idle");
        single->waiting = false;
        break;
    case DOCA_CTX_STATE_STARTING:
        DOCA_LOG_ERR("The context is starting, though this kind starts at once");
        single->outcome = DOCA_ERROR_UNKNOWN;
        break;
    case DOCA_CTX_STATE_RUNNING:
        DOCA_LOG_INFO("The context runs");
        break;
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO("The context stops");
        break;
    default:
        single->outcome = DOCA_ERROR_UNKNOWN;
        break;
    }
}

static doca_error_t create_ctx(struct single *single)
{
    union doca_data data = {.ptr = single};
    doca_error_t result = doca_dma_create(single->dev, &single->dma);

    if (result != DOCA_SUCCESS)
        return result;
    single->ctx = doca_dma_as_ctx(single->dma);
    result = doca_ctx_set_state_changed_cb(single->ctx, on_state);
    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_set_conf(single->dma, on_success, on_error, 1);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(single->ctx, data);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(single->pe, single->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(single->ctx);
    return result;
}

static doca_error_t create_map(struct doca_dev *dev, struct doca_mmap **map)
{
    doca_error_t result = doca_mmap_create(map);

    return result == DOCA_SUCCESS ? doca_mmap_add_dev(*map, dev) : result;
}

doca_error_t single_create(struct single *single, const char *pci_addr, uint32_t bufs)
{
    doca_error_t result;

    memset(single, 0, sizeof(*single));
    result = kit_open_by_address(pci_addr, doca_dma_cap_task_memcpy_is_supported, &single->dev);
    if (result == DOCA_SUCCESS)
        result = create_map(single->dev, &single->src_map);
    if (result == DOCA_SUCCESS)
        result = create_map(single->dev, &single->dst_map);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(bufs, &single->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(single->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&single->pe);
    if (result == DOCA_SUCCESS)
        result = create_ctx(single);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Cannot set up: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t single_list(struct single *single, struct doca_mmap *map, char *addr, size_t len,
                         int pieces, bool is_data, struct doca_buf **head)
{
    size_t piece = len / (size_t)pieces + len % (size_t)pieces;
    struct doca_buf *first = NULL, *buf;
    doca_error_t result = DOCA_SUCCESS;

    /* The first piece has the rest of the division too; there may be less bytes than pieces. */
    for (int i = 0; i < pieces && piece > 0; i++) {
        result = doca_buf_inventory_buf_get_by_addr(single->inventory, map, addr, piece, &buf);
        if (result != DOCA_SUCCESS)
            break;
        if (is_data)
            result = doca_buf_set_data(buf, addr, piece);
        if (result == DOCA_SUCCESS && first != NULL)
            result = doca_buf_chain_list(first, buf);
        if (result != DOCA_SUCCESS) {
            (void)doca_buf_dec_refcount(buf, NULL);
            break;
        }
        if (first == NULL)
            first = buf;
        addr += piece;
        piece = len / (size_t)pieces;
    }
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Cannot build a list: %s", doca_error_get_descr(result));
        if (first != NULL)
            (void)doca_buf_dec_refcount(first, NULL);
        return result;
    }
    *head = first;
    return DOCA_SUCCESS;
}

static bool is_waiting(void *arg)
{
    return ((struct single *)arg)->waiting;
}

doca_error_t single_copy(struct single *single, struct doca_buf *src, struct doca_buf *dst)
{
    union doca_data data = {.ptr = single};
    struct doca_dma_task_memcpy *task;
    doca_error_t result = doca_dma_task_memcpy_alloc_init(single->dma, src, dst, data, &task), tmp;

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("No task: %s", doca_error_get_descr(result));
        return result;
    }
    single->waiting = true;
    single->outcome = DOCA_ERROR_UNKNOWN;
    result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("The task is refused: %s", doca_error_get_descr(result));
        doca_task_free(doca_dma_task_memcpy_as_task(task));
        return result;
    }
    result = kit_progress(single->pe, is_waiting, single);
    tmp = single->outcome;
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t destroy_ctx(struct single *single)
{
    /* Once more, though it may be idle already, or never have been created. */
    doca_error_t result = doca_ctx_stop(single->ctx), tmp;

    if (single->dma == NULL)
        return DOCA_SUCCESS;
    tmp = doca_dma_destroy(single->dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

doca_error_t single_destroy(struct single *single)
{
    doca_error_t result = destroy_ctx(single), tmp;

    if (single->pe != NULL) {
        tmp = doca_pe_destroy(single->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (single->inventory != NULL) {
        tmp = doca_buf_inventory_destroy(single->inventory);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (single->dst_map != NULL) {
        tmp = doca_mmap_destroy(single->dst_map);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (single->src_map != NULL) {
        tmp = doca_mmap_destroy(single->src_map);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = kit_close_device(&single->dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    /* Now it is NULL, and closing that succeeds as well. */
    tmp = kit_close_device(&single->dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

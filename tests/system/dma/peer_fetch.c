/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer_fetch.h"

#include <stdlib.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

struct fetch {
    struct doca_dev *dev;
    struct doca_mmap *remote;
    struct doca_mmap *local;
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_dma *dma;
    char *memory;
    size_t len;
    bool is_ended;
    doca_error_t status;
};

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct fetch *fetch = ctx_data.ptr;

    (void)task_data;
    fetch->is_ended = true;
    fetch->status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static doca_error_t prepare(struct fetch *fetch, const struct peer_command *command)
{
    doca_error_t result = doca_mmap_create_from_export(NULL, command->desc, command->desc_len,
                                                       fetch->dev, &fetch->remote);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_create(&fetch->local);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(fetch->local, fetch->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(fetch->local, fetch->memory, fetch->len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(fetch->local);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(2, &fetch->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(fetch->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&fetch->pe);
    if (result == DOCA_SUCCESS)
        result = doca_dma_create(fetch->dev, &fetch->dma);
    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_set_conf(fetch->dma, on_end, on_end, 1);
    if (result == DOCA_SUCCESS)
        result =
            doca_ctx_set_user_data(doca_dma_as_ctx(fetch->dma), (union doca_data){.ptr = fetch});
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(fetch->pe, doca_dma_as_ctx(fetch->dma));
    return result == DOCA_SUCCESS ? doca_ctx_start(doca_dma_as_ctx(fetch->dma)) : result;
}

static doca_error_t copy(struct fetch *fetch)
{
    struct doca_dma_task_memcpy *task;
    struct doca_buf *src, *dst;
    void *addr;
    size_t len;
    doca_error_t result = doca_mmap_get_memrange(fetch->remote, &addr, &len);

    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_data(fetch->inventory, fetch->remote, addr,
                                                    fetch->len, &src);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_buf_inventory_buf_get_by_addr(fetch->inventory, fetch->local, fetch->memory,
                                                fetch->len, &dst);
    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_alloc_init(fetch->dma, src, dst, (union doca_data){0}, &task);
    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    while (result == DOCA_SUCCESS && !fetch->is_ended)
        doca_pe_progress(fetch->pe);
    doca_buf_dec_refcount(dst, NULL);
    doca_buf_dec_refcount(src, NULL);
    return result == DOCA_SUCCESS ? fetch->status : result;
}

static void put_away(struct fetch *fetch)
{
    struct doca_ctx *ctx = doca_dma_as_ctx(fetch->dma);
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    doca_ctx_stop(ctx);
    while (ctx != NULL && doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS &&
           state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(fetch->pe);
    doca_dma_destroy(fetch->dma);
    doca_pe_destroy(fetch->pe);
    doca_buf_inventory_destroy(fetch->inventory);
    doca_mmap_destroy(fetch->local);
    doca_mmap_destroy(fetch->remote);
    free(fetch->memory);
}

doca_error_t peer_fetch(struct doca_dev *dev, const struct peer_command *command,
                        struct peer_answer *answer)
{
    struct fetch fetch = {.dev = dev, .len = command->len};
    doca_error_t result;

    fetch.memory = calloc(1, fetch.len);
    if (fetch.memory == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = prepare(&fetch, command);
    if (result == DOCA_SUCCESS)
        result = copy(&fetch);
    answer->value = peer_match_pattern(fetch.memory, fetch.len, command->seed);
    put_away(&fetch);
    return result;
}

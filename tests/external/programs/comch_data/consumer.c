/* SPDX-License-Identifier: BSD-3-Clause */
#include "data.h"

#include <stdlib.h>

#include <doca_comch_consumer.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(COMCH_DATA::CONSUMER);

struct intake {
    struct data *data;
    struct doca_pe *pe;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_comch_consumer *consumer;
    char *memory;
    bool is_over;
    doca_error_t outcome;
};

static void on_text(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct intake *intake = ctx_data.ptr;
    struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
    void *text = NULL;
    size_t len = 0;

    (void)task_data;
    (void)doca_buf_get_data(buf, &text);
    (void)doca_buf_get_data_len(buf, &len);
    DOCA_LOG_INFO("Data received: %.*s", (int)len, (char *)text);
    intake->outcome = DOCA_SUCCESS;
    (void)doca_buf_dec_refcount(buf, NULL);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
    (void)doca_ctx_stop(doca_comch_consumer_as_ctx(intake->consumer));
}

static void on_flush(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct intake *intake = ctx_data.ptr;

    (void)task_data;
    intake->outcome = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
    DOCA_LOG_ERR("No data: %s", doca_error_get_descr(intake->outcome));
    (void)doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
    (void)doca_ctx_stop(doca_comch_consumer_as_ctx(intake->consumer));
}

static doca_error_t post(struct intake *intake)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct doca_buf *buf;
    void *room;
    size_t size;
    doca_error_t result = doca_mmap_get_memrange(intake->map, &room, &size);

    if (result == DOCA_SUCCESS)
        result =
            doca_buf_inventory_buf_get_by_addr(intake->inventory, intake->map, room, size, &buf);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_comch_consumer_task_post_recv_alloc_init(intake->consumer, buf, &task);
    if (result != DOCA_SUCCESS) {
        (void)doca_buf_dec_refcount(buf, NULL);
        return result;
    }
    result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
    if (result != DOCA_SUCCESS) {
        doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
        (void)doca_buf_dec_refcount(buf, NULL);
    }
    return result;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct intake *intake = user_data.ptr;

    switch (next_state) {
    case DOCA_CTX_STATE_RUNNING:
        DOCA_LOG_INFO("The consumer runs");
        intake->outcome = post(intake);
        if (intake->outcome != DOCA_SUCCESS)
            (void)doca_ctx_stop(ctx);
        else
            intake->outcome = DOCA_ERROR_UNEXPECTED;
        break;
    case DOCA_CTX_STATE_IDLE:
        if (prev_state == DOCA_CTX_STATE_STARTING)
            intake->outcome = DOCA_ERROR_INITIALIZATION;
        intake->is_over = true;
        break;
    default:
        break;
    }
}

static doca_error_t create(struct intake *intake)
{
    const doca_comch_consumer_task_post_recv_completion_cb_t done = on_text, failed = on_flush;
    union doca_data data = {.ptr = intake};
    struct doca_ctx *ctx;
    doca_error_t result;

    intake->memory = calloc(1, DATA_ROOM); /* valgrind does not see other processes write */
    if (intake->memory == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = kit_map(intake->data->channel.dev, intake->memory, DATA_ROOM,
                     DOCA_ACCESS_FLAG_PCI_READ_WRITE, &intake->map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(intake->map);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(1, &intake->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(intake->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&intake->pe);
    if (result == DOCA_SUCCESS)
        result =
            doca_comch_consumer_create(intake->data->connection, intake->map, &intake->consumer);
    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_comch_consumer_as_ctx(intake->consumer);
    result = doca_ctx_set_user_data(ctx, data);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(ctx, on_state);
    if (result == DOCA_SUCCESS)
        result = doca_comch_consumer_task_post_recv_set_conf(intake->consumer, done, failed, 1);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(intake->pe, ctx);
    return result;
}

/* The memory goes before its map. */
static doca_error_t destroy(struct intake *intake)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    if (intake->consumer != NULL)
        result = doca_comch_consumer_destroy(intake->consumer);
    if (intake->pe != NULL) {
        tmp = doca_pe_destroy(intake->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    free(intake->memory);
    if (intake->map != NULL) {
        tmp = doca_mmap_destroy(intake->map);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (intake->inventory != NULL) {
        tmp = doca_buf_inventory_destroy(intake->inventory);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

doca_error_t data_consume(struct data *data)
{
    struct intake intake = {.data = data, .outcome = DOCA_ERROR_UNEXPECTED};
    doca_error_t result = create(&intake), tmp;

    if (result == DOCA_SUCCESS) {
        result = doca_ctx_start(doca_comch_consumer_as_ctx(intake.consumer));
        result = result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
    }
    while (result == DOCA_SUCCESS && !intake.is_over) {
        (void)doca_pe_progress(intake.pe);
        (void)doca_pe_progress(data->channel.pe);
    }
    if (result == DOCA_SUCCESS)
        result = intake.outcome;
    tmp = destroy(&intake);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

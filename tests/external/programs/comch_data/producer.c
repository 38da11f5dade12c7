/* SPDX-License-Identifier: BSD-3-Clause */
#include "data.h"

#include <poll.h>
#include <string.h>

#include <doca_comch_producer.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(COMCH_DATA::PRODUCER);

struct output {
    struct data *data;
    struct doca_pe *pe;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_comch_producer *producer;
    bool is_over;
    doca_error_t outcome;
};

static void finish(struct output *output, struct doca_comch_producer_task_send *task)
{
    const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);

    output->outcome = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
    (void)doca_buf_dec_refcount((struct doca_buf *)buf, NULL);
    doca_task_free(doca_comch_producer_task_send_as_task(task));
    (void)doca_ctx_stop(doca_comch_producer_as_ctx(output->producer));
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    DOCA_LOG_INFO("The data were sent");
    finish(ctx_data.ptr, task);
}

static void on_failed(struct doca_comch_producer_task_send *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    (void)task_data;
    finish(ctx_data.ptr, task);
    DOCA_LOG_ERR("The data were not sent: %s",
                 doca_error_get_descr(((struct output *)ctx_data.ptr)->outcome));
}

/* Tries until the other side has posted a buffer, and progresses nothing here meanwhile. */
static doca_error_t submit(struct doca_task *task)
{
    doca_error_t result = doca_task_submit(task);

    while (result == DOCA_ERROR_AGAIN) {
        (void)ppoll(NULL, 0, &(struct timespec){.tv_nsec = 10000}, NULL);
        result = doca_task_submit(task);
    }
    return result;
}

static doca_error_t send_text(struct output *output)
{
    struct doca_comch_producer_task_send *task;
    struct doca_buf *buf;
    doca_error_t result = doca_buf_inventory_buf_get_by_data(
        output->inventory, output->map, output->data->text, strlen(output->data->text), &buf);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_comch_producer_task_send_alloc_init(output->producer, buf, NULL, 0,
                                                      output->data->consumer_id, &task);
    if (result == DOCA_SUCCESS) {
        result = submit(doca_comch_producer_task_send_as_task(task));
        if (result == DOCA_SUCCESS)
            return DOCA_SUCCESS;
        doca_task_free(doca_comch_producer_task_send_as_task(task));
    }
    (void)doca_buf_dec_refcount(buf, NULL);
    return result;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct output *output = user_data.ptr;

    (void)prev_state;
    switch (next_state) {
    case DOCA_CTX_STATE_RUNNING:
        DOCA_LOG_INFO("The producer runs");
        output->outcome = send_text(output);
        if (output->outcome != DOCA_SUCCESS)
            (void)doca_ctx_stop(ctx);
        break;
    case DOCA_CTX_STATE_IDLE:
        output->is_over = true;
        break;
    default:
        break;
    }
}

static doca_error_t create(struct output *output)
{
    const doca_comch_producer_task_send_completion_cb_t done = on_sent, failed = on_failed;
    struct data *data = output->data;
    union doca_data user = {.ptr = output};
    struct doca_ctx *ctx;
    doca_error_t result = kit_map(data->channel.dev, data->text, strlen(data->text),
                                  DOCA_ACCESS_FLAG_PCI_READ_WRITE, &output->map);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(output->map);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(1, &output->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(output->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&output->pe);
    if (result == DOCA_SUCCESS)
        result = doca_comch_producer_create(data->connection, &output->producer);
    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_comch_producer_as_ctx(output->producer);
    result = doca_ctx_set_user_data(ctx, user);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(ctx, on_state);
    if (result == DOCA_SUCCESS)
        result = doca_comch_producer_task_send_set_conf(output->producer, done, failed, 1);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(output->pe, ctx);
    return result;
}

static doca_error_t destroy(struct output *output)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    if (output->producer != NULL)
        result = doca_comch_producer_destroy(output->producer);
    if (output->pe != NULL) {
        tmp = doca_pe_destroy(output->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (output->map != NULL) {
        tmp = doca_mmap_destroy(output->map);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (output->inventory != NULL) {
        tmp = doca_buf_inventory_destroy(output->inventory);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

static bool is_not_over(void *arg)
{
    return !((struct output *)arg)->is_over;
}

doca_error_t data_produce(struct data *data)
{
    struct output output = {.data = data, .outcome = DOCA_ERROR_UNEXPECTED};
    doca_error_t result = create(&output), tmp;

    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(doca_comch_producer_as_ctx(output.producer));
    if (result == DOCA_SUCCESS)
        result = kit_progress(output.pe, is_not_over, &output);
    if (result == DOCA_SUCCESS)
        result = output.outcome;
    tmp = destroy(&output);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"

#include <endian.h>
#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(APP_COPY::TALK);

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_send_failed(struct doca_comch_task_send *task, union doca_data task_data,
                           union doca_data ctx_data)
{
    struct app *app = ctx_data.ptr;

    (void)task_data;
    DOCA_LOG_ERR("Cannot send: %s",
                 doca_error_get_descr(doca_task_get_status(doca_comch_task_send_as_task(task))));
    doca_task_free(doca_comch_task_send_as_task(task));
    app->phase = APP_FAILED;
}

static doca_error_t decode(const uint8_t *packet, uint32_t len, struct app_message *message)
{
    uint64_t numbers[3];
    size_t extra;

    if (len < sizeof(numbers) || len > APP_MAX_MESSAGE)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(numbers, packet, sizeof(numbers));
    message->kind = (enum app_kind)be64toh(numbers[0]);
    message->first = be64toh(numbers[1]);
    message->second = be64toh(numbers[2]);
    extra = len - sizeof(numbers);
    if (message->kind == APP_DESCRIPTOR && message->second != extra)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(message->descriptor, packet + sizeof(numbers), extra);
    return DOCA_SUCCESS;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *packet, uint32_t len,
                       struct doca_comch_connection *connection)
{
    struct app *app = channel_user(connection);
    struct app_message message;
    doca_error_t result = decode(packet, len, &message);

    (void)event;
    if (result == DOCA_SUCCESS && message.kind == APP_STATUS && message.first != 1) {
        DOCA_LOG_ERR("The other side gives up");
        app->phase = APP_FAILED;
        return;
    }
    if (result == DOCA_SUCCESS)
        result = app_handle(app, &message);
    if (result != DOCA_SUCCESS) {
        app_send_status(app, result);
        app->phase = APP_FAILED;
    }
}

/* Serves one host: the next is sent away at once. */
static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *connection, uint8_t successful)
{
    struct app *app = channel_user(connection);

    (void)event;
    if (!successful)
        return;
    if (app->connection != NULL)
        (void)doca_comch_server_disconnect(app->channel.server, connection);
    else
        app->connection = connection;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *connection, uint8_t successful)
{
    struct app *app = channel_user(connection);

    (void)event;
    (void)successful;
    app->connection = NULL;
    if (app->phase == APP_NEGOTIATING)
        app->phase = APP_FAILED;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct app *app = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    app->is_idle = next_state == DOCA_CTX_STATE_IDLE;
#ifdef DOCA_ARCH_HOST
    if (next_state == DOCA_CTX_STATE_RUNNING) {
        const struct app_message message = {.kind = APP_DIRECTION,
                                            .first = app->options->has_file,
                                            .second = app->options->file_size};

        if (doca_comch_client_get_connection(app->channel.client, &app->connection) !=
                DOCA_SUCCESS ||
            doca_comch_connection_set_user_data(app->connection, user_data) != DOCA_SUCCESS ||
            app_send(app, &message) != DOCA_SUCCESS)
            app->phase = APP_FAILED;
    }
#endif
}

doca_error_t app_open(struct app *app, const struct app_options *options, void *side)
{
    const struct channel_config config = {
        .name = "external copy server",
        .send_tasks = APP_PACKETS,
        .on_sent = on_sent,
        .on_send_failed = on_send_failed,
        .on_message = on_message,
        .on_connect = on_connect,
        .on_disconnect = on_disconnect,
        .on_state = on_state,
        .user = app,
    };

    memset(app, 0, sizeof(*app));
    app->options = options;
    app->side = side;
    return channel_open(&app->channel, &config, options->pci_addr, options->rep_pci_addr);
}

doca_error_t app_close(struct app *app)
{
    return channel_close(&app->channel);
}

doca_error_t app_send(struct app *app, const struct app_message *message)
{
    size_t extra = message->kind == APP_DESCRIPTOR ? message->second : 0;
    uint64_t numbers[3] = {htobe64(message->kind), htobe64(message->first),
                           htobe64(message->second)};
    uint8_t *packet;

    if (extra > APP_MAX_DESCRIPTOR || app->npackets == APP_PACKETS || app->connection == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    packet = app->packets[app->npackets++];
    memcpy(packet, numbers, sizeof(numbers));
    memcpy(packet + sizeof(numbers), message->descriptor, extra);
    return channel_send(&app->channel, app->connection, packet, sizeof(numbers) + extra);
}

void app_send_status(struct app *app, doca_error_t result)
{
    struct app_message message = {.kind = APP_STATUS, .first = result == DOCA_SUCCESS};

    (void)app_send(app, &message);
}

doca_error_t app_await(struct app *app, enum app_phase phase)
{
    while (app->phase != phase && app->phase != APP_FAILED && !app->is_idle) {
        (void)doca_pe_progress(app->channel.pe);
#ifdef DOCA_ARCH_HOST
        /* The connection answers as long as the client exists, whoever has left. */
        if (app->connection != NULL &&
            doca_comch_connection_get_user_data(app->connection).ptr != app)
            return DOCA_ERROR_UNEXPECTED;
#endif
    }
    return app->phase == phase ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t app_await_leave(struct app *app)
{
    while (app->connection != NULL && app->phase != APP_FAILED)
        (void)doca_pe_progress(app->channel.pe);
    return app->phase != APP_FAILED ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

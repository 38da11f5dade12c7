/* SPDX-License-Identifier: BSD-3-Clause */
#include "channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(CHANNEL);

#define SEND_TASKS   64
#define WAIT_SECONDS 60

static struct sample_channel *channel_of(struct doca_comch_connection *connection)
{
    union doca_data self = {.ptr = NULL};

#ifdef DOCA_ARCH_DPU
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);

    doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &self);
#else
    struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);

    doca_ctx_get_user_data(doca_comch_client_as_ctx(client), &self);
#endif
    return self.ptr;
}

/* ---- what happens ---- */

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                       struct doca_comch_connection *connection)
{
    struct sample_channel *channel = channel_of(connection);

    (void)event;
    channel->received++;
    if (channel->on_message != NULL)
        channel->on_message(channel, bytes, len);
}

static void on_new_consumer(struct doca_comch_event_consumer *event,
                            struct doca_comch_connection *connection, uint32_t id)
{
    (void)event;
    channel_of(connection)->consumer = id;
}

static void on_expired_consumer(struct doca_comch_event_consumer *event,
                                struct doca_comch_connection *connection, uint32_t id)
{
    struct sample_channel *channel = channel_of(connection);

    (void)event;
    if (channel->consumer == id)
        channel->consumer = 0;
}

static void sent(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct sample_channel *channel = ctx_data.ptr;

    channel->unsent--;
    free(task_data.ptr);
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void not_sent(struct doca_comch_task_send *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct sample_channel *channel = ctx_data.ptr;
    doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));

    DOCA_LOG_ERR("A message was not sent: %s", doca_error_get_descr(status));
    channel->failed++;
    sent(task, task_data, ctx_data);
}

/* ---- the two roles ---- */

#ifdef DOCA_ARCH_DPU

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *connection, uint8_t successful)
{
    struct sample_channel *channel = channel_of(connection);

    (void)event;
    if (!successful)
        return;
    if (channel->connection == NULL)
        channel->connection = connection;
    else /* these samples have one client */
        doca_comch_server_disconnect(channel->server, connection);
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *connection, uint8_t successful)
{
    struct sample_channel *channel = channel_of(connection);

    (void)event;
    (void)successful;
    if (channel->connection == connection)
        channel->connection = NULL;
}

static doca_error_t open_rep(struct sample_channel *channel)
{
    doca_error_t result = DOCA_ERROR_NOT_FOUND;
    struct doca_devinfo_rep **list;
    uint32_t count;
    doca_error_t listed =
        doca_devinfo_rep_create_list(channel->dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count);

    if (listed != DOCA_SUCCESS)
        return listed;
    if (count > 0)
        result = doca_dev_rep_open(list[0], &channel->rep);
    else
        DOCA_LOG_ERR("The device has no representor");
    doca_devinfo_rep_destroy_list(list);
    return result;
}

static doca_error_t create(struct sample_channel *channel, const char *service)
{
    doca_error_t result = open_rep(channel);

    if (result == DOCA_SUCCESS)
        result = doca_comch_server_create(channel->dev, channel->rep, service, &channel->server);
    if (result != DOCA_SUCCESS)
        return result;
    channel->ctx = doca_comch_server_as_ctx(channel->server);
    result = doca_comch_server_task_send_set_conf(channel->server, sent, not_sent, SEND_TASKS);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_msg_recv_register(channel->server, on_message);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_connection_status_changed_register(
            channel->server, on_connect, on_disconnect);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_consumer_register(channel->server, on_new_consumer,
                                                           on_expired_consumer);
    return result;
}

static void destroy(struct sample_channel *channel)
{
    if (channel->server != NULL)
        doca_comch_server_destroy(channel->server);
    if (channel->rep != NULL)
        doca_dev_rep_close(channel->rep);
}

static doca_error_t alloc_send(struct sample_channel *channel, void *bytes, uint32_t len,
                               struct doca_comch_task_send **task)
{
    return doca_comch_server_task_send_alloc_init(channel->server, channel->connection, bytes, len,
                                                  task);
}

#else

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct sample_channel *channel = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    if (next_state == DOCA_CTX_STATE_RUNNING)
        doca_comch_client_get_connection(channel->client, &channel->connection);
    else
        channel->connection = NULL;
}

static doca_error_t create(struct sample_channel *channel, const char *service)
{
    doca_error_t result = doca_comch_client_create(channel->dev, service, &channel->client);

    if (result != DOCA_SUCCESS)
        return result;
    channel->ctx = doca_comch_client_as_ctx(channel->client);
    result = doca_ctx_set_state_changed_cb(channel->ctx, on_state);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_task_send_set_conf(channel->client, sent, not_sent, SEND_TASKS);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_event_msg_recv_register(channel->client, on_message);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_event_consumer_register(channel->client, on_new_consumer,
                                                           on_expired_consumer);
    return result;
}

static void destroy(struct sample_channel *channel)
{
    if (channel->client != NULL)
        doca_comch_client_destroy(channel->client);
}

static doca_error_t alloc_send(struct sample_channel *channel, void *bytes, uint32_t len,
                               struct doca_comch_task_send **task)
{
    return doca_comch_client_task_send_alloc_init(channel->client, channel->connection, bytes, len,
                                                  task);
}

#endif

/* ---- the channel ---- */

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    doca_ctx_get_state(ctx, &state);
    return state;
}

static void progress(struct sample_channel *channel)
{
    const struct timespec moment = {.tv_nsec = 10000};

    if (doca_pe_progress(channel->pe) == 0)
        nanosleep(&moment, NULL);
}

/* Nobody sets this clock meanwhile. */
static time_t seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static doca_error_t await_connection(struct sample_channel *channel)
{
    const time_t end = seconds_now() + WAIT_SECONDS;

    printf("waiting for the other side\n");
    fflush(stdout);
    /* A client that finds no server becomes idle by itself. */
    while (channel->connection == NULL) {
        if (seconds_now() >= end || state_of(channel->ctx) == DOCA_CTX_STATE_IDLE) {
            DOCA_LOG_ERR("The other side does not come");
            return DOCA_ERROR_TIME_OUT;
        }
        progress(channel);
    }
    return DOCA_SUCCESS;
}

static doca_error_t start(struct sample_channel *channel, const char *service)
{
    union doca_data self = {.ptr = channel};
    doca_error_t result = create(channel, service);

    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(channel->ctx, self);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(channel->pe, channel->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(channel->ctx);
    return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

doca_error_t sample_channel_open(struct sample_channel *channel, const char *service)
{
    doca_error_t result = sample_open_device(SAMPLE_PCI_ADDR, &channel->dev);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_pe_create(&channel->pe);
    if (result == DOCA_SUCCESS)
        result = start(channel, service);
    if (result == DOCA_SUCCESS)
        result = await_connection(channel);
    if (result != DOCA_SUCCESS)
        sample_channel_close(channel);
    return result;
}

void sample_stop_ctx(struct doca_ctx *ctx, struct doca_pe *pe, struct sample_channel *channel)
{
    doca_ctx_stop(ctx);
    while (state_of(ctx) != DOCA_CTX_STATE_IDLE) {
        doca_pe_progress(pe);
        progress(channel);
    }
}

void sample_channel_close(struct sample_channel *channel)
{
    if (channel->ctx != NULL)
        sample_stop_ctx(channel->ctx, channel->pe, channel);
    destroy(channel);
    if (channel->pe != NULL)
        doca_pe_destroy(channel->pe);
    doca_dev_close(channel->dev);
}

doca_error_t sample_channel_step(struct sample_channel *channel)
{
    progress(channel);
    return channel->connection != NULL ? DOCA_SUCCESS : DOCA_ERROR_NOT_CONNECTED;
}

doca_error_t sample_channel_send(struct sample_channel *channel, const void *bytes, uint32_t len)
{
    struct doca_comch_task_send *task;
    union doca_data copy = {.ptr = malloc(len)};
    doca_error_t result = DOCA_ERROR_NO_MEMORY;

    if (copy.ptr == NULL)
        return result;
    /* The bytes must stay as they are until the send has completed. */
    memcpy(copy.ptr, bytes, len);
    result = alloc_send(channel, copy.ptr, len, &task);
    if (result != DOCA_SUCCESS)
        goto err_copy;
    doca_task_set_user_data(doca_comch_task_send_as_task(task), copy);
    channel->unsent++;
    result = doca_task_submit(doca_comch_task_send_as_task(task));
    if (result != DOCA_SUCCESS)
        goto err_task;
    return DOCA_SUCCESS;

err_task:
    channel->unsent--;
    doca_task_free(doca_comch_task_send_as_task(task));
err_copy:
    free(copy.ptr);
    return result;
}

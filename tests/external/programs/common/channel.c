/* SPDX-License-Identifier: BSD-3-Clause */
#include "channel.h"

#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(CHANNEL);

#ifdef DOCA_ARCH_DPU

static doca_error_t open_devices(struct channel *channel, const char *pci_addr,
                                 const char *rep_pci_addr)
{
    doca_error_t result =
        kit_open_by_address(pci_addr, doca_comch_cap_server_is_supported, &channel->dev);

    if (result == DOCA_SUCCESS)
        result =
            kit_open_rep(channel->dev, DOCA_DEVINFO_REP_FILTER_NET, rep_pci_addr, &channel->rep);
    return result;
}

static doca_error_t set_sizes(struct channel *channel, const struct channel_config *config)
{
    doca_error_t result = doca_comch_server_set_max_msg_size(channel->server, channel->max_msg);

    if (result == DOCA_SUCCESS)
        result = doca_comch_server_task_send_set_conf(channel->server, config->on_sent,
                                                      config->on_send_failed, config->send_tasks);
    if (result == DOCA_SUCCESS && config->recv_queue > 0)
        result = doca_comch_server_set_recv_queue_size(channel->server, config->recv_queue);
    return result;
}

static doca_error_t set_events(struct channel *channel, const struct channel_config *config)
{
    doca_error_t result =
        doca_comch_server_event_msg_recv_register(channel->server, config->on_message);

    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_connection_status_changed_register(
            channel->server, config->on_connect, config->on_disconnect);
    if (result == DOCA_SUCCESS && config->on_consumer != NULL)
        result = doca_comch_server_event_consumer_register(channel->server, config->on_consumer,
                                                           config->on_consumer_gone);
    return result;
}

static doca_error_t create(struct channel *channel, const struct channel_config *config)
{
    doca_error_t result =
        doca_comch_server_create(channel->dev, channel->rep, config->name, &channel->server);

    if (result == DOCA_SUCCESS)
        channel->ctx = doca_comch_server_as_ctx(channel->server);
    return result;
}

static doca_error_t alloc(struct channel *channel, struct doca_comch_connection *connection,
                          const void *message, uint32_t len, struct doca_comch_task_send **task)
{
    return doca_comch_server_task_send_alloc_init(channel->server, connection, message, len, task);
}

static doca_error_t destroy(struct channel *channel)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    if (channel->server != NULL)
        result = doca_comch_server_destroy(channel->server);
    if (channel->rep != NULL) {
        tmp = doca_dev_rep_close(channel->rep);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

void *channel_user(const struct doca_comch_connection *connection)
{
    union doca_data data = {.ptr = NULL};
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);

    (void)doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &data);
    return data.ptr;
}

#define STARTED DOCA_SUCCESS

#else

static doca_error_t open_devices(struct channel *channel, const char *pci_addr,
                                 const char *rep_pci_addr)
{
    (void)rep_pci_addr;
    return kit_open_by_address(pci_addr, doca_comch_cap_client_is_supported, &channel->dev);
}

static doca_error_t set_sizes(struct channel *channel, const struct channel_config *config)
{
    doca_error_t result = doca_comch_client_set_max_msg_size(channel->client, channel->max_msg);

    if (result == DOCA_SUCCESS)
        result = doca_comch_client_task_send_set_conf(channel->client, config->on_sent,
                                                      config->on_send_failed, config->send_tasks);
    if (result == DOCA_SUCCESS && config->recv_queue > 0)
        result = doca_comch_client_set_recv_queue_size(channel->client, config->recv_queue);
    return result;
}

static doca_error_t set_events(struct channel *channel, const struct channel_config *config)
{
    doca_error_t result =
        doca_comch_client_event_msg_recv_register(channel->client, config->on_message);

    if (result == DOCA_SUCCESS && config->on_consumer != NULL)
        result = doca_comch_client_event_consumer_register(channel->client, config->on_consumer,
                                                           config->on_consumer_gone);
    return result;
}

static doca_error_t create(struct channel *channel, const struct channel_config *config)
{
    doca_error_t result = doca_comch_client_create(channel->dev, config->name, &channel->client);

    if (result == DOCA_SUCCESS)
        channel->ctx = doca_comch_client_as_ctx(channel->client);
    return result;
}

static doca_error_t alloc(struct channel *channel, struct doca_comch_connection *connection,
                          const void *message, uint32_t len, struct doca_comch_task_send **task)
{
    return doca_comch_client_task_send_alloc_init(channel->client, connection, message, len, task);
}

static doca_error_t destroy(struct channel *channel)
{
    return channel->client != NULL ? doca_comch_client_destroy(channel->client) : DOCA_SUCCESS;
}

void *channel_user(const struct doca_comch_connection *connection)
{
    union doca_data data = {.ptr = NULL};
    struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);

    (void)doca_ctx_get_user_data(doca_comch_client_as_ctx(client), &data);
    return data.ptr;
}

#define STARTED DOCA_ERROR_IN_PROGRESS

#endif

static doca_error_t configure(struct channel *channel, const struct channel_config *config)
{
    union doca_data data = {.ptr = config->user};
    doca_error_t result = doca_ctx_set_user_data(channel->ctx, data);

    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(channel->ctx, config->on_state);
    if (result == DOCA_SUCCESS)
        result = set_sizes(channel, config);
    if (result == DOCA_SUCCESS)
        result = set_events(channel, config);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(channel->pe, channel->ctx);
    return result;
}

doca_error_t channel_open(struct channel *channel, const struct channel_config *config,
                          const char *pci_addr, const char *rep_pci_addr)
{
    doca_error_t result;

    memset(channel, 0, sizeof(*channel));
    result = open_devices(channel, pci_addr, rep_pci_addr);
    if (result == DOCA_SUCCESS)
        result =
            doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(channel->dev), &channel->max_msg);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&channel->pe);
    if (result == DOCA_SUCCESS)
        result = create(channel, config);
    if (config->max_msg > 0)
        channel->max_msg = config->max_msg;
    if (result == DOCA_SUCCESS)
        result = configure(channel, config);
    if (result == DOCA_SUCCESS) {
        result = doca_ctx_start(channel->ctx);
        if (result == STARTED)
            return DOCA_SUCCESS;
        if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
            result = DOCA_ERROR_UNEXPECTED;
    }
    DOCA_LOG_ERR("No channel: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t channel_close(struct channel *channel)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    if (channel->ctx != NULL)
        result = kit_stop(channel->pe, channel->ctx);
    tmp = destroy(channel);
    DOCA_ERROR_PROPAGATE(result, tmp);
    if (channel->dev != NULL) {
        tmp = doca_dev_close(channel->dev);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (channel->pe != NULL) {
        tmp = doca_pe_destroy(channel->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

doca_error_t channel_send(struct channel *channel, struct doca_comch_connection *connection,
                          const void *message, size_t len)
{
    struct doca_comch_task_send *task;
    doca_error_t result = alloc(channel, connection, message, (uint32_t)len, &task);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_task_submit(doca_comch_task_send_as_task(task));
    if (result != DOCA_SUCCESS)
        doca_task_free(doca_comch_task_send_as_task(task));
    return result;
}

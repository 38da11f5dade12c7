/* SPDX-License-Identifier: BSD-3-Clause */
/*     comch_data -p PCI_ADDRESS [-r HOST_PCI_ADDRESS] -t TEXT [--fail]
 */
#include "data.h"

#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(COMCH_DATA);

static const char start_text[] = "start", stop_text[] = "stop";

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct data *data = config;

    return kit_store(data->pci_addr, sizeof(data->pci_addr), value);
}

static doca_error_t set_rep_pci_addr(void *value, void *config)
{
    struct data *data = config;

    return kit_store(data->rep_pci_addr, sizeof(data->rep_pci_addr), value);
}

static doca_error_t set_text(void *value, void *config)
{
    struct data *data = config;

    return kit_store(data->text, sizeof(data->text), value);
}

static doca_error_t set_fails(void *value, void *config)
{
    ((struct data *)config)->fails = *(bool *)value;
    return DOCA_SUCCESS;
}

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
    struct data *data = ctx_data.ptr;

    (void)task_data;
    data->outcome = doca_task_get_status(doca_comch_task_send_as_task(task));
    doca_task_free(doca_comch_task_send_as_task(task));
    (void)doca_ctx_stop(data->channel.ctx);
}

static bool is_text(const uint8_t *message, uint32_t len, const char *text)
{
    return len == strlen(text) && memcmp(message, text, len) == 0;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
                       struct doca_comch_connection *connection)
{
    struct data *data = channel_user(connection);

    (void)event;
    data->is_started = data->is_started || is_text(message, len, start_text);
    data->is_stopped = data->is_stopped || is_text(message, len, stop_text);
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *connection, uint8_t successful)
{
    struct data *data = channel_user(connection);

    (void)event;
    if (successful)
        data->connection = connection;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *connection, uint8_t successful)
{
    struct data *data = channel_user(connection);

    (void)event;
    (void)successful;
    data->connection = NULL;
    (void)doca_ctx_stop(data->channel.ctx);
}

static void on_consumer(struct doca_comch_event_consumer *event,
                        struct doca_comch_connection *connection, uint32_t id)
{
    struct data *data = channel_user(connection);

    (void)event;
    data->consumer_id = id;
}

static void on_consumer_gone(struct doca_comch_event_consumer *event,
                             struct doca_comch_connection *connection, uint32_t id)
{
    struct data *data = channel_user(connection);

    (void)event;
    if (data->consumer_id == id)
        data->consumer_id = DATA_NO_CONSUMER;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct data *data = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    if (next_state == DOCA_CTX_STATE_IDLE)
        data->is_over = true;
#ifndef DOCA_ARCH_DPU
    if (next_state == DOCA_CTX_STATE_RUNNING)
        (void)doca_comch_client_get_connection(data->channel.client, &data->connection);
#endif
}

/* BAD_STATE when the channel ends before the condition holds. */
#define WAIT_FOR(data, condition)                                                                  \
    __extension__({                                                                                \
        while (!(condition) && !(data)->is_over)                                                   \
            (void)doca_pe_progress((data)->channel.pe);                                            \
        (condition) ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;                                         \
    })

static doca_error_t say(struct data *data, const char *text)
{
    return channel_send(&data->channel, data->connection, text, strlen(text));
}

#ifdef DOCA_ARCH_DPU

static doca_error_t transfer(struct data *data)
{
    doca_error_t result = WAIT_FOR(data, data->is_started);

    if (result == DOCA_SUCCESS)
        result = data_consume(data);
    if (result == DOCA_SUCCESS && data->fails)
        result = DOCA_ERROR_UNEXPECTED;
    if (result == DOCA_SUCCESS)
        result = WAIT_FOR(data, data->consumer_id != DATA_NO_CONSUMER);
    if (result == DOCA_SUCCESS)
        result = data_produce(data);
    /* In any case the host must learn that it is over; then it ends at once. */
    if (data->connection != NULL && say(data, stop_text) != DOCA_SUCCESS)
        DOCA_LOG_ERR("The host does not learn of the end");
    return result;
}

#else

static doca_error_t transfer(struct data *data)
{
    doca_error_t result = WAIT_FOR(data, data->connection != NULL);

    if (result == DOCA_SUCCESS)
        result = say(data, start_text);
    if (result == DOCA_SUCCESS)
        result = WAIT_FOR(data, data->consumer_id != DATA_NO_CONSUMER);
    if (result == DOCA_SUCCESS)
        result = data_produce(data);
    if (result == DOCA_SUCCESS && !data->fails)
        result = data_consume(data);
    if (result == DOCA_SUCCESS)
        result = WAIT_FOR(data, data->is_stopped);
    return result;
}

#endif

static doca_error_t run(struct data *data)
{
    const struct channel_config config = {
        .name = "external data",
        .recv_queue = 10,
        .send_tasks = 1024,
        .on_sent = on_sent,
        .on_send_failed = on_send_failed,
        .on_message = on_message,
        .on_connect = on_connect,
        .on_disconnect = on_disconnect,
        .on_consumer = on_consumer,
        .on_consumer_gone = on_consumer_gone,
        .on_state = on_state,
        .user = data,
    };
    doca_error_t result = channel_open(&data->channel, &config, data->pci_addr, data->rep_pci_addr);
    doca_error_t tmp;

    if (result == DOCA_SUCCESS)
        result = transfer(data);
    tmp = channel_close(&data->channel);
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = data->outcome;
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(int argc, char **argv)
{
    static struct data data = {.pci_addr = KIT_PCI_ADDR,
                               .rep_pci_addr = "b1:00.0",
                               .text = "some data",
                               .consumer_id = DATA_NO_CONSUMER};
    doca_error_t result = kit_log();

    if (result == DOCA_SUCCESS)
        result = doca_argp_init(NULL, &data);
    if (result == DOCA_SUCCESS)
        result = kit_param("p", "pci-addr", "PCI address of the device", DOCA_ARGP_TYPE_STRING,
                           false, set_pci_addr);
    if (result == DOCA_SUCCESS)
        result = kit_param("r", "rep-pci", "PCI address of the host function, on the DPU",
                           DOCA_ARGP_TYPE_STRING, false, set_rep_pci_addr);
    if (result == DOCA_SUCCESS)
        result = kit_param("t", "text", "What to send", DOCA_ARGP_TYPE_STRING, false, set_text);
    if (result == DOCA_SUCCESS)
        result = kit_param(NULL, "fail", "The DPU gives up half way", DOCA_ARGP_TYPE_BOOLEAN, false,
                           set_fails);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = run(&data);
    (void)doca_argp_destroy();
    return kit_exit("comch_data", result);
}

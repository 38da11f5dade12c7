/* SPDX-License-Identifier: BSD-3-Clause */
/* One message each way. The host begins and ends; the DPU answers once and is done when its answer
 * was sent.
 *
 *     comch_talk -p PCI_ADDRESS [-r HOST_PCI_ADDRESS] -t TEXT
 */
#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../common/channel.h"

DOCA_LOG_REGISTER(COMCH_TALK);

#define TEXT_SIZE 4081

struct talk {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    char text[TEXT_SIZE];
    struct channel channel;
    struct doca_comch_connection *connection;
    bool is_over;         /* idle again */
    doca_error_t outcome; /* of the send */
};

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct talk *talk = config;

    return kit_store(talk->pci_addr, sizeof(talk->pci_addr), value);
}

static doca_error_t set_rep_pci_addr(void *value, void *config)
{
    struct talk *talk = config;

    return kit_store(talk->rep_pci_addr, sizeof(talk->rep_pci_addr), value);
}

static doca_error_t set_text(void *value, void *config)
{
    struct talk *talk = config;

    return kit_store(talk->text, sizeof(talk->text), value);
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct talk *talk = ctx_data.ptr;

    (void)task_data;
    talk->outcome = DOCA_SUCCESS;
    doca_task_free(doca_comch_task_send_as_task(task));
#ifdef DOCA_ARCH_DPU
    /* The answer is on its way: nothing more to do. */
    (void)doca_ctx_stop(talk->channel.ctx);
#endif
}

static void on_send_failed(struct doca_comch_task_send *task, union doca_data task_data,
                           union doca_data ctx_data)
{
    struct talk *talk = ctx_data.ptr;

    (void)task_data;
    talk->outcome = doca_task_get_status(doca_comch_task_send_as_task(task));
    DOCA_LOG_ERR("The message was not sent: %s", doca_error_get_name(talk->outcome));
    doca_task_free(doca_comch_task_send_as_task(task));
    (void)doca_ctx_stop(talk->channel.ctx);
}

static void say(struct talk *talk)
{
    doca_error_t result =
        channel_send(&talk->channel, talk->connection, talk->text, strlen(talk->text));

    if (result != DOCA_SUCCESS) {
        talk->outcome = result;
        (void)doca_ctx_stop(talk->channel.ctx);
    }
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
                       struct doca_comch_connection *connection)
{
    struct talk *talk = channel_user(connection);

    (void)event;
    DOCA_LOG_INFO("Message received: %.*s", (int)len, (char *)message);
#ifdef DOCA_ARCH_DPU
    talk->connection = connection;
    say(talk);
#else
    (void)doca_ctx_stop(talk->channel.ctx);
#endif
}

static void on_connection(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *connection, uint8_t successful)
{
    (void)event;
    (void)connection;
    DOCA_LOG_INFO("A client comes or goes (%u)", successful);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct talk *talk = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("Idle");
        talk->is_over = true;
        break;
    case DOCA_CTX_STATE_STARTING:
        DOCA_LOG_INFO("Waiting for the other side");
        break;
    case DOCA_CTX_STATE_RUNNING:
        DOCA_LOG_INFO("Running");
#ifndef DOCA_ARCH_DPU
        if (doca_comch_client_get_connection(talk->channel.client, &talk->connection) ==
            DOCA_SUCCESS) {
            (void)doca_comch_connection_set_user_data(talk->connection, user_data);
            say(talk);
        }
#endif
        break;
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO("Stopping");
        break;
    default:
        break;
    }
}

static doca_error_t run(struct talk *talk)
{
    const struct channel_config config = {
        .name = "external talk",
        .recv_queue = 10,
        .send_tasks = 1024,
        .on_sent = on_sent,
        .on_send_failed = on_send_failed,
        .on_message = on_message,
        .on_connect = on_connection,
        .on_disconnect = on_connection,
        .on_state = on_state,
        .user = talk,
    };
    doca_error_t result, tmp;

    talk->outcome = DOCA_ERROR_NOT_CONNECTED;
    result = channel_open(&talk->channel, &config, talk->pci_addr, talk->rep_pci_addr);
    /* Nothing ends this but the state callback. */
    while (result == DOCA_SUCCESS && !talk->is_over)
        (void)doca_pe_progress(talk->channel.pe);
    if (result == DOCA_SUCCESS)
        result = talk->outcome;
    tmp = channel_close(&talk->channel);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(int argc, char **argv)
{
    static struct talk talk = {
        .pci_addr = KIT_PCI_ADDR, .rep_pci_addr = "b1:00.0", .text = "a word"};
    doca_error_t result = kit_log();

    if (result == DOCA_SUCCESS)
        result = doca_argp_init(NULL, &talk);
    if (result == DOCA_SUCCESS)
        result = kit_param("p", "pci-addr", "PCI address of the device", DOCA_ARGP_TYPE_STRING,
                           false, set_pci_addr);
    if (result == DOCA_SUCCESS)
        result = kit_param("r", "rep-pci", "PCI address of the host function, on the DPU",
                           DOCA_ARGP_TYPE_STRING, false, set_rep_pci_addr);
    if (result == DOCA_SUCCESS)
        result = kit_param("t", "text", "What to say", DOCA_ARGP_TYPE_STRING, false, set_text);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = run(&talk);
    (void)doca_argp_destroy();
    return kit_exit("comch_talk", result);
}

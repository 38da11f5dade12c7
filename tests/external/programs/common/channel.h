/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_CHANNEL_H_
#define EXTERNAL_CHANNEL_H_

/* The side of Comch that the program is compiled for: server on the DPU, client on the host. */

#include <doca_comch.h>

#include "kit.h"

struct channel_config {
    const char *name;
    uint32_t max_msg; /* 0: the device's limit */
    uint32_t recv_queue;
    uint32_t send_tasks;
    doca_comch_task_send_completion_cb_t on_sent;
    doca_comch_task_send_completion_cb_t on_send_failed;
    doca_comch_event_msg_recv_cb_t on_message;
    doca_comch_event_connection_status_changed_cb_t on_connect; /* servers */
    doca_comch_event_connection_status_changed_cb_t on_disconnect;
    doca_comch_event_consumer_cb_t on_consumer; /* NULL: no fast path */
    doca_comch_event_consumer_cb_t on_consumer_gone;
    doca_ctx_state_changed_callback_t on_state;
    void *user;
};

struct channel {
    struct doca_dev *dev;
    struct doca_dev_rep *rep; /* servers */
    struct doca_pe *pe;
    struct doca_comch_server *server; /* one of the two */
    struct doca_comch_client *client;
    struct doca_ctx *ctx;
    uint32_t max_msg;
};

/* Opens devices, creates the side and starts it; channel_close() takes what there is, also after a
 * failure. */
doca_error_t channel_open(struct channel *channel, const struct channel_config *config,
                          const char *pci_addr, const char *rep_pci_addr);
/* Stops what runs and progresses until it is idle. */
doca_error_t channel_close(struct channel *channel);
/* The message must stay as it is until its callback. */
doca_error_t channel_send(struct channel *channel, struct doca_comch_connection *connection,
                          const void *message, size_t len);
/* What config.user was, from a connection of either role. */
void *channel_user(const struct doca_comch_connection *connection);

#endif /* EXTERNAL_CHANNEL_H_ */

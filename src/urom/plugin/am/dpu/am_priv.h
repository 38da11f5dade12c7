/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_AM_DPU_AM_PRIV_H_
#define OD_UROM_PLUGIN_AM_DPU_AM_PRIV_H_

/* What the files of the plugin share.
 *
 *   worker_am.c  its functions, commands
 *   peer.c       messages and acknowledgements on their way
 *   inbox.c      posted receives, messages that wait for one
 *   handlers.c   who runs for a message */

#include <doca_urom_am_handler.h>

#include "urom/plugin/am/common/am_wire.h"
#include "urom/plugin/common/net.h"
#include "urom/plugin/common/plugin.h"

#define AM_MESSAGE_MAX (1u << 20) /* as long as a channel's messages can be */

struct am {
    struct plugin_base base;
    struct urom_worker_ctx *ctx;
    struct plugin_net *net;
    ucs_list_link_t peers;
    /* inbox */
    ucs_list_link_t posted; /* struct urom_worker_cmd_desc */
    ucs_list_link_t queue;
    size_t queued;
    size_t queued_len;
    /* handlers */
    uint64_t counted;
    const struct urom_am_handler_table *more;
    void *library;
    uint8_t *reply; /* of the handler that runs, AM_MESSAGE_MAX bytes */
};

/* A command is checked once, then read where it lies: the block is the plugin's. */
static inline const union am_cmd *am_cmd_of(const struct urom_worker_cmd_desc *command)
{
    return (const void *)command->worker_cmd.plugin_cmd;
}

/* ---- peer.c ---- */

/* *keeps: the command is on its way. DOCA_SUCCESS, or an error for worker_cmd. */
doca_error_t am_send(struct am *am, struct urom_worker_cmd_desc *command, bool *keeps);
void am_send_waiting(struct am *am);
/* Of the network: arg is struct am. */
int am_on_message(void *arg, struct plugin_net_conn *conn, const void *bytes, uint32_t len);
void am_on_ended(void *arg, struct plugin_net_conn *conn, int reason);
/* When the network is closed. */
void am_peers_free(struct am *am);

/* ---- inbox.c ---- */

void am_inbox_init(struct am *am);
void am_inbox_free(struct am *am);
/* A message that its handler passes on. DOCA_SUCCESS; AGAIN: too many wait; NO_MEMORY. */
doca_error_t am_deliver(struct am *am, uint32_t handler, uint64_t source, const void *bytes,
                        size_t len);
/* *keeps: it is posted. */
doca_error_t am_recv(struct am *am, struct urom_worker_cmd_desc *command, bool *keeps);
doca_error_t am_cancel(struct am *am, const struct urom_worker_cmd_desc *command);
/* A channel has ended. */
void am_inbox_forget(struct am *am, uint64_t dest);

/* ---- handlers.c ---- */

/* False: what UROM_AM_HANDLERS names cannot be had. */
bool am_handlers_load(struct am *am);
void am_handlers_unload(struct am *am);
/* Runs a handler; what it answers is at am->reply, *reply_len bytes. NOT_FOUND: there is none. */
doca_error_t am_handle(struct am *am, uint32_t handler, uint64_t source, const void *bytes,
                       size_t len, size_t *reply_len);

#endif /* OD_UROM_PLUGIN_AM_DPU_AM_PRIV_H_ */

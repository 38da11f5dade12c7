/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin worker_am: active messages between the workers of a domain. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>
#include <doca_version.h>

#include "soft/soft.h"
#include "urom/plugin/am/dpu/am_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::AM);

#define DEPTH 64

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

/* *keeps: the command is somewhere else now. */
static doca_error_t execute(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *command,
                            bool *keeps)
{
    struct am *am = ctx->plugin_ctx;
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    union am_cmd checked;
    const uint8_t *data;
    int err = am_cmd_read(cmd->plugin_cmd, cmd->len, &checked, &data);

    if (err != 0)
        return plugin_answer(&am->base, command,
                             err == -ENOTSUP ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE,
                             NULL, 0);
    switch (checked.head.op) {
    case AM_SEND:
        return am_send(am, command, keeps);
    case AM_RECV:
        return am_recv(am, command, keeps);
    default:
        return am_cancel(am, command);
    }
}

static doca_error_t am_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    return plugin_commands(ctx, cmd_list, execute);
}

static doca_error_t am_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct am *am = ctx->plugin_ctx;

    plugin_net_progress(am->net);
    am_send_waiting(am);
    return plugin_hand_over(&am->base, notif_list);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static bool open_all(struct am *am)
{
    const struct plugin_net_conf conf = {
        .max_msg = AM_MESSAGE_MAX,
        .depth = DEPTH,
        .message = am_on_message,
        .ended = am_on_ended,
        .arg = am,
    };

    am->reply = malloc(AM_MESSAGE_MAX);
    if (am->reply == NULL || !am_handlers_load(am))
        return false;
    if (plugin_net_open(&conf, &am->net) == 0)
        return true;
    DOCA_LOG_ERR("no end for messages: %s", soft_reason());
    return false;
}

static void close_all(struct am *am)
{
    plugin_net_close(am->net);
    am_peers_free(am);
    am_inbox_free(am);
    am_handlers_unload(am);
    free(am->reply);
    plugin_fini(&am->base);
    free(am);
}

static doca_error_t am_open(struct urom_worker_ctx *ctx)
{
    struct am *am = calloc(1, sizeof(*am));

    if (am == NULL)
        return DOCA_ERROR_NO_MEMORY;
    am->ctx = ctx;
    plugin_init(&am->base, NULL);
    ucs_list_head_init(&am->peers);
    am_inbox_init(am);
    if (!open_all(am)) {
        close_all(am);
        return DOCA_ERROR_INITIALIZATION;
    }
    ctx->plugin_ctx = am;
    return DOCA_SUCCESS;
}

static void am_close(struct urom_worker_ctx *ctx)
{
    close_all(ctx->plugin_ctx);
    ctx->plugin_ctx = NULL;
}

static doca_error_t am_addr(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len)
{
    const struct am *am = ctx->plugin_ctx;
    const size_t room = *addr_len;
    const void *own = plugin_net_addr(am->net, addr_len);

    if (room < *addr_len)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(addr, own, *addr_len);
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START, .open = am_open,         .close = am_close, .addr = am_addr,
        .worker_cmd = am_worker_cmd, .progress = am_progress,
    };
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (version == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *version = OPS_VERSION;
    return DOCA_SUCCESS;
}

/* A client left: nobody waits for its receives. */
void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id)
{
    am_inbox_forget(ctx->plugin_ctx, dest_id);
}

doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd)
{
    struct am *am = ctx->plugin_ctx;

    return ucs_list_is_empty(&am->base.done) && plugin_net_arm(am->net, fd) ? DOCA_SUCCESS
                                                                            : DOCA_ERROR_AGAIN;
}

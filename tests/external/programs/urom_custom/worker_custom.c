/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker half, which the service loads from its folder of plugins. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_error.h>
#include <doca_log.h>
#include <doca_urom_plugin.h>
#include <doca_version.h>

#include "custom.h"

DOCA_LOG_REGISTER(CUSTOM::WORKER);

#define ADDR_LEN 32

struct custom_worker {
    ucs_list_link_t completed;
    char addr[ADDR_LEN];
};

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
doca_error_t urom_plugin_get_version(uint64_t *version);

static doca_error_t custom_open(struct urom_worker_ctx *ctx)
{
    struct custom_worker *self;

    if (ctx == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    self = calloc(1, sizeof(*self));
    if (self == NULL)
        return DOCA_ERROR_NO_MEMORY;
    ucs_list_head_init(&self->completed);
    snprintf(self->addr, sizeof(self->addr), "process %d", (int)getpid());
    ctx->plugin_ctx = self;
    return DOCA_SUCCESS;
}

static void custom_close(struct urom_worker_ctx *ctx)
{
    struct custom_worker *self = ctx->plugin_ctx;

    while (!ucs_list_is_empty(&self->completed))
        free(ucs_list_extract_head(&self->completed, struct urom_worker_notif_desc, entry));
    free(self);
}

static doca_error_t custom_addr(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len)
{
    struct custom_worker *self = ctx->plugin_ctx;

    if (*addr_len < ADDR_LEN) {
        *addr_len = ADDR_LEN;
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(addr, self->addr, ADDR_LEN);
    *addr_len = ADDR_LEN;
    return DOCA_SUCCESS;
}

/* A notification of the command, with room for its bytes. */
static struct urom_worker_notif_desc *
reply_to(struct custom_worker *self, const struct urom_worker_cmd_desc *cmd_desc, size_t len)
{
    struct urom_worker_notif_desc *notif_desc = calloc(1, sizeof(*notif_desc) + len);
    struct urom_worker_notify *notif;

    if (notif_desc == NULL)
        return NULL;
    notif = &notif_desc->worker_notif;
    notif_desc->dest_id = cmd_desc->dest_id;
    notif->type = cmd_desc->worker_cmd.type;
    notif->urom_context = cmd_desc->worker_cmd.urom_context;
    notif->len = len;
    notif->status = DOCA_SUCCESS;
    ucs_list_add_tail(&self->completed, &notif_desc->entry);
    return notif_desc;
}

static doca_error_t reverse(struct custom_worker *self, const struct urom_worker_cmd_desc *cmd_desc)
{
    const struct urom_worker_cmd *cmd = &cmd_desc->worker_cmd;
    const size_t len = cmd->len - sizeof(struct custom_cmd);
    struct urom_worker_notif_desc *reply = reply_to(self, cmd_desc, len);

    if (reply == NULL)
        return DOCA_ERROR_NO_MEMORY;
    for (size_t i = 0; i < len; i++)
        reply->worker_notif.plugin_notif[i] = cmd->plugin_cmd[cmd->len - 1 - i];
    return DOCA_SUCCESS;
}

static doca_error_t where(struct urom_worker_ctx *ctx, const struct urom_worker_cmd_desc *cmd_desc,
                          uint64_t domain_id)
{
    struct custom_worker *self = ctx->plugin_ctx;
    struct urom_worker_notif_desc *reply = reply_to(self, cmd_desc, ADDR_LEN);
    doca_error_t result;
    void *addr;

    if (reply == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = doca_urom_worker_domain_addr_lookup(ctx, domain_id, &addr);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_DBG("Nobody is %lu in the domain", (unsigned long)domain_id);
        reply->worker_notif.status = DOCA_ERROR_NOT_FOUND;
        reply->worker_notif.len = 0;
        return DOCA_SUCCESS;
    }
    memcpy(reply->worker_notif.plugin_notif, addr, ADDR_LEN);
    return DOCA_SUCCESS;
}

static doca_error_t execute(struct urom_worker_ctx *ctx,
                            const struct urom_worker_cmd_desc *cmd_desc)
{
    struct custom_cmd cmd;

    if (cmd_desc->worker_cmd.len < sizeof(cmd))
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(&cmd, cmd_desc->worker_cmd.plugin_cmd, sizeof(cmd));
    switch (cmd.op) {
    case CUSTOM_REVERSE:
        return reverse(ctx->plugin_ctx, cmd_desc);
    case CUSTOM_WHERE:
        return where(ctx, cmd_desc, cmd.arg);
    case CUSTOM_CRASH:
        abort();
    case CUSTOM_HANG:
        for (;;)
            poll(NULL, 0, 1000);
    default:
        return DOCA_ERROR_NOT_SUPPORTED;
    }
}

static doca_error_t custom_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    doca_error_t result = DOCA_SUCCESS;

    while (!ucs_list_is_empty(cmd_list) && result == DOCA_SUCCESS) {
        struct urom_worker_cmd_desc *cmd_desc =
            ucs_list_extract_head(cmd_list, struct urom_worker_cmd_desc, entry);

        result = execute(ctx, cmd_desc);
        free(cmd_desc);
    }
    return result;
}

static doca_error_t custom_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct custom_worker *self = ctx->plugin_ctx;

    if (ucs_list_is_empty(&self->completed))
        return DOCA_ERROR_EMPTY;
    while (!ucs_list_is_empty(&self->completed)) {
        struct urom_worker_notif_desc *notif_desc =
            ucs_list_extract_head(&self->completed, struct urom_worker_notif_desc, entry);

        ucs_list_add_tail(notif_list, &notif_desc->entry);
    }
    return DOCA_SUCCESS;
}

static doca_error_t custom_notif_pack(struct urom_worker_notify *notif, size_t *packed_notif_len,
                                      void *packed_notif)
{
    const size_t len = sizeof(*notif) + notif->len;

    if (len > *packed_notif_len)
        return DOCA_ERROR_INITIALIZATION;
    memcpy(packed_notif, notif, len);
    *packed_notif_len = len;
    return DOCA_SUCCESS;
}

static struct urom_plugin_iface custom_iface = {
    .open = custom_open,
    .close = custom_close,
    .addr = custom_addr,
    .worker_cmd = custom_worker_cmd,
    .progress = custom_progress,
    .notif_pack = custom_notif_pack,
};

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    DOCA_STRUCT_CTOR(custom_iface);
    *iface = custom_iface;
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (version == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *version = CUSTOM_VERSION;
    return DOCA_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin worker_graph: sends back what it got. */
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>
#include <doca_urom_ext.h>
#include <doca_urom_plugin.h>
#include <doca_version.h>

#include "urom/plugin/graph/common/graph_wire.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::GRAPH);

#define EXPORT __attribute__((visibility("default")))

EXPORT doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
EXPORT doca_error_t urom_plugin_get_version(uint64_t *version);
EXPORT doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd);

struct graph {
    ucs_list_link_t done; /* notifications that progress hands over */
};

static doca_error_t graph_open(struct urom_worker_ctx *ctx)
{
    struct graph *graph = malloc(sizeof(*graph));

    if (graph == NULL)
        return DOCA_ERROR_NO_MEMORY;
    ucs_list_head_init(&graph->done);
    ctx->plugin_ctx = graph;
    return DOCA_SUCCESS;
}

static void graph_close(struct urom_worker_ctx *ctx)
{
    struct graph *graph = ctx->plugin_ctx;

    while (!ucs_list_is_empty(&graph->done))
        free(ucs_list_extract_head(&graph->done, struct urom_worker_notif_desc, entry));
    free(graph);
    ctx->plugin_ctx = NULL;
}

/* The answer to one command; a command that is not understood gets one without bytes. */
static doca_error_t answer(struct graph *graph, const struct urom_worker_cmd_desc *command)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    /* No calloc(), which takes the allocator's lock. */
    struct urom_worker_notif_desc *notif = malloc(sizeof(*notif) + sizeof(struct graph_notify));
    struct graph_notify reply = {.type = GRAPH_LOOPBACK};
    struct graph_cmd graph_cmd;

    if (notif == NULL)
        return DOCA_ERROR_NO_MEMORY;
    notif->dest_id = command->dest_id;
    notif->worker_notif =
        (struct urom_worker_notify){.type = cmd->type, .urom_context = cmd->urom_context};
    if (cmd->len != sizeof(graph_cmd)) {
        notif->worker_notif.status = DOCA_ERROR_INVALID_VALUE;
    } else {
        memcpy(&graph_cmd, cmd->plugin_cmd, sizeof(graph_cmd));
        if (graph_cmd.type != GRAPH_LOOPBACK) {
            notif->worker_notif.status = DOCA_ERROR_NOT_SUPPORTED;
        } else {
            reply.data = graph_cmd.data;
            notif->worker_notif.len = sizeof(reply);
            memcpy(notif->worker_notif.plugin_notif, &reply, sizeof(reply));
        }
    }
    ucs_list_add_tail(&graph->done, &notif->entry);
    return DOCA_SUCCESS;
}

static doca_error_t graph_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    while (!ucs_list_is_empty(cmd_list)) {
        struct urom_worker_cmd_desc *command =
            ucs_list_extract_head(cmd_list, struct urom_worker_cmd_desc, entry);
        doca_error_t result = answer(ctx->plugin_ctx, command);

        free(command);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

static doca_error_t graph_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct graph *graph = ctx->plugin_ctx;

    if (ucs_list_is_empty(&graph->done))
        return DOCA_ERROR_EMPTY;
    ucs_list_splice_tail(notif_list, &graph->done);
    ucs_list_head_init(&graph->done);
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,    .open = graph_open,         .close = graph_close,
        .worker_cmd = graph_worker_cmd, .progress = graph_progress,
    };
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (version == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *version = GRAPH_VERSION;
    return DOCA_SUCCESS;
}

/* Nothing but commands gives it work. */
doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd)
{
    struct graph *graph = ctx->plugin_ctx;

    *fd = -1;
    return ucs_list_is_empty(&graph->done) ? DOCA_SUCCESS : DOCA_ERROR_AGAIN;
}

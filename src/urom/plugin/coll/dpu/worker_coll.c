/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin worker_coll: collective operations of teams of workers. */
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>
#include <doca_version.h>

#include "urom/plugin/coll/dpu/coll_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::COLL);

#define DEPTH 32 /* messages to a member that it has not taken */

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

static doca_error_t destroy(struct coll *coll, struct urom_worker_cmd_desc *command, bool *taken)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    struct coll_destroy destroy;
    struct coll_team *team;

    if (coll_destroy_read(cmd->plugin_cmd, cmd->len, &destroy) != 0)
        return plugin_answer(&coll->base, command, DOCA_ERROR_INVALID_VALUE, NULL, 0);
    team = coll_team_find(coll, command->dest_id, destroy.team);
    if (team == NULL)
        return plugin_answer(&coll->base, command, DOCA_ERROR_INVALID_VALUE, &destroy.head,
                             sizeof(destroy.head));
    *taken = true;
    coll_team_destroy(team, command);
    return DOCA_SUCCESS;
}

static doca_error_t operate(struct coll *coll, struct urom_worker_cmd_desc *command, bool *taken)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    struct coll_team *team = NULL;
    struct coll_cmd coll_cmd;

    if (cmd->len >= sizeof(coll_cmd)) {
        memcpy(&coll_cmd, cmd->plugin_cmd, sizeof(coll_cmd));
        team = coll_team_find(coll, command->dest_id, coll_cmd.team);
    }
    if (team == NULL || team->creating != NULL)
        return plugin_answer(&coll->base, command, DOCA_ERROR_INVALID_VALUE, NULL, 0);
    return coll_op_post(team, command, taken);
}

/* *taken: the command is kept. */
static doca_error_t take(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *command,
                         bool *taken)
{
    struct coll *coll = ctx->plugin_ctx;
    struct ops_head head;

    if (ops_head_read(command->worker_cmd.plugin_cmd, command->worker_cmd.len, &head) != 0)
        return plugin_answer(&coll->base, command, DOCA_ERROR_INVALID_VALUE, NULL, 0);
    if (plugin_region_is_command(head.op))
        return plugin_region_command(&coll->base, coll->ctx, command, head.op, taken);
    if (head.op == COLL_TEAM_CREATE)
        return coll_team_create(coll, command, taken);
    if (head.op == COLL_TEAM_DESTROY)
        return destroy(coll, command, taken);
    if (head.op < COLL_CODES)
        return operate(coll, command, taken);
    return plugin_answer(&coll->base, command, DOCA_ERROR_NOT_SUPPORTED, &head, sizeof(head));
}

static doca_error_t coll_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    return plugin_commands(ctx, cmd_list, take);
}

static doca_error_t coll_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct coll *coll = ctx->plugin_ctx;

    coll->busy = false;
    plugin_errands_collect(&coll->base);
    plugin_net_progress(coll->net);
    OD_LIST_FOR_EACH_SAFE(link, &coll->teams)
    {
        coll_team_progress(OD_LIST_ENTRY(link, struct coll_team, entry));
    }
    return plugin_hand_over(&coll->base, notif_list);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static void coll_free(struct coll *coll)
{
    plugin_net_close(coll->net);
    if (coll->hand.copy != NULL)
        coll->hand.copy->ops->close(coll->hand.copy);
    coll_buffers_free(coll);
    coll_strangers_free(coll);
    plugin_fini(&coll->base);
    od_waker_close(&coll->waker);
    free(coll->hand.scratch);
    free(coll);
}

static bool open_parts(struct coll *coll)
{
    const struct soft_copy_conf copy_conf = {.engine = "inline"};
    const struct plugin_net_conf net_conf = {
        .max_msg = COLL_MSG_MAX,
        .depth = DEPTH,
        .message = coll_message,
        .ended = coll_ended,
        .arg = coll,
    };

    coll->hand = (struct coll_hand){
        .scratch = aligned_alloc(OD_CACHE_LINE, (size_t)2 * COLL_PIECE),
        .piece = COLL_PIECE,
        .chunk = COLL_CHUNK,
    };
    if (coll->hand.scratch == NULL)
        return false;
    if (soft_copy_open(&copy_conf, 1, &coll->waker, &coll->hand.copy) != 0 ||
        plugin_net_open(&net_conf, &coll->net) != 0) {
        DOCA_LOG_ERR("worker_coll cannot begin: %s", soft_reason());
        return false;
    }
    return true;
}

static doca_error_t coll_open(struct urom_worker_ctx *ctx)
{
    struct coll *coll = calloc(1, sizeof(*coll));

    if (coll == NULL)
        return DOCA_ERROR_NO_MEMORY;
    plugin_init(&coll->base, NULL);
    od_list_init(&coll->teams);
    od_list_init(&coll->strangers);
    coll->ctx = ctx;
    if (od_waker_open(&coll->waker) != 0) {
        free(coll);
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
    if (!open_parts(coll)) {
        coll_free(coll);
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
    coll->base.waker = plugin_net_waker(coll->net);
    ctx->plugin_ctx = coll;
    return DOCA_SUCCESS;
}

static void destroy_teams(struct coll *coll, uint64_t dest)
{
    OD_LIST_FOR_EACH_SAFE(link, &coll->teams)
    {
        struct coll_team *team = OD_LIST_ENTRY(link, struct coll_team, entry);

        if (dest == 0 || team->dest == dest)
            coll_team_destroy(team, NULL);
    }
}

static void coll_close(struct urom_worker_ctx *ctx)
{
    struct coll *coll = ctx->plugin_ctx;

    destroy_teams(coll, 0);
    plugin_errands_end(&coll->base);
    OD_LIST_FOR_EACH_SAFE(link, &coll->teams)
    {
        coll_team_free(OD_LIST_ENTRY(link, struct coll_team, entry));
    }
    plugin_regions_abandon(&coll->base);
    coll_free(coll);
    ctx->plugin_ctx = NULL;
}

static doca_error_t coll_addr(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len)
{
    const struct coll *coll = ctx->plugin_ctx;
    size_t len;
    const void *own = plugin_net_addr(coll->net, &len);

    if (*addr_len < len) {
        *addr_len = len;
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(addr, own, len);
    *addr_len = len;
    return DOCA_SUCCESS;
}

void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id)
{
    destroy_teams(ctx->plugin_ctx, dest_id);
    plugin_regions_forget(dest_id);
}

doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd)
{
    struct coll *coll = ctx->plugin_ctx;

    if (coll->busy || !ucs_list_is_empty(&coll->base.done) || !plugin_net_arm(coll->net, fd))
        return DOCA_ERROR_AGAIN;
    return plugin_errands_pending(&coll->base) ? DOCA_ERROR_AGAIN : DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,   .open = coll_open,
        .close = coll_close,           .addr = coll_addr,
        .worker_cmd = coll_worker_cmd, .progress = coll_progress,
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

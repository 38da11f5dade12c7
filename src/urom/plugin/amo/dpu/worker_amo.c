/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin worker_amo: atomic operations on memory of its clients and of their peers.
 *
 * Memory that is mapped is worked on by the CPU here. For other memory a thread of its owner does
 * it, which this worker waits for; either way the owner's own atomic operations see it as one of
 * theirs. */
#include <errno.h>
#include <stdlib.h>

#include <doca_version.h>

#include "urom/plugin/amo/common/amo_wire.h"
#include "urom/plugin/common/plugin.h"
#include "urom/plugin/common/region.h"

static doca_error_t amo_open(struct urom_worker_ctx *ctx)
{
    struct plugin_base *base = malloc(sizeof(*base));

    if (base == NULL)
        return DOCA_ERROR_NO_MEMORY;
    plugin_init(base);
    ctx->plugin_ctx = base;
    return DOCA_SUCCESS;
}

static void amo_close(struct urom_worker_ctx *ctx)
{
    plugin_regions_abandon(ctx->plugin_ctx);
    plugin_fini(ctx->plugin_ctx);
    free(ctx->plugin_ctx);
    ctx->plugin_ctx = NULL;
}

static doca_error_t execute(uint64_t dest, const struct amo_cmd *cmd, uint64_t *before)
{
    static const enum soft_peer_atomic_op ops[AMO_CODES] = {
        [AMO_FADD] = SOFT_PEER_OP_ADD,  [AMO_CSWAP] = SOFT_PEER_OP_CSWAP,
        [AMO_SWAP] = SOFT_PEER_OP_SWAP, [AMO_ADD] = SOFT_PEER_OP_ADD,
        [AMO_FAND] = SOFT_PEER_OP_AND,  [AMO_FOR] = SOFT_PEER_OP_OR,
        [AMO_FXOR] = SOFT_PEER_OP_XOR,
    };
    const struct soft_peer_atomic atomic = {.op = ops[cmd->head.op],
                                            .width = cmd->size,
                                            .addr = cmd->va,
                                            .value = cmd->operand,
                                            .compare = cmd->compare};
    struct plugin_region *region = plugin_region_get(dest, cmd->remote);
    int err;

    if (od_unlikely(region == NULL))
        return DOCA_ERROR_INVALID_VALUE;
    err = soft_peer_atomic(region->map, &atomic, before);
    plugin_region_put(region);
    return plugin_region_error(err);
}

static doca_error_t take(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *command,
                         bool *keeps)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    struct plugin_base *base = ctx->plugin_ctx;
    struct amo_answer answer;
    struct amo_cmd amo_cmd;
    doca_error_t result;
    int err = amo_cmd_read(cmd->plugin_cmd, cmd->len, &amo_cmd);

    (void)keeps; /* all is over when it is answered */
    if (err == -ENOTSUP && plugin_region_is_command(amo_cmd.head.op))
        return plugin_region_command(base, ctx, command, amo_cmd.head.op);
    answer = (struct amo_answer){.head = amo_cmd.head};
    result = err == 0          ? execute(command->dest_id, &amo_cmd, &answer.before)
             : err == -ENOTSUP ? DOCA_ERROR_NOT_SUPPORTED
                               : DOCA_ERROR_INVALID_VALUE;
    if (amo_cmd.head.op == AMO_ADD)
        answer.before = 0;
    return plugin_answer(base, command, result, &answer, sizeof(answer));
}

static doca_error_t amo_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    return plugin_commands(ctx, cmd_list, take);
}

static doca_error_t amo_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    return plugin_hand_over(ctx->plugin_ctx, notif_list);
}

void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id)
{
    (void)ctx;
    plugin_regions_forget(dest_id);
}

/* Nothing but commands gives it work. */
doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd)
{
    struct plugin_base *base = ctx->plugin_ctx;

    *fd = -1;
    return ucs_list_is_empty(&base->done) ? DOCA_SUCCESS : DOCA_ERROR_AGAIN;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,  .open = amo_open,         .close = amo_close,
        .worker_cmd = amo_worker_cmd, .progress = amo_progress,
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

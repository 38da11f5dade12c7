/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin worker_amo: atomic operations on memory of its clients and of their peers.
 *
 * Memory that is mapped is worked on by the CPU here, at once. For other memory a thread of its
 * owner does it, which is waited for in an errand, or without one when it is on another host; in
 * any way the owner's own atomic operations see it as one of theirs. Behind a fence that has to
 * wait, all operations of its channel wait. */
#include <errno.h>
#include <stdlib.h>

#include <doca_version.h>

#include "urom/plugin/amo/common/amo_wire.h"
#include "urom/plugin/common/plugin.h"
#include "urom/plugin/common/region.h"

struct amo {
    struct plugin_base base;
    struct od_waker waker;
    struct soft_peer_port port;
    struct od_list running; /* by others */
    struct od_list waiting; /* behind a fence, in their order */
};

/* One that does not end at once. */
struct amo_op {
    struct od_list entry;
    struct plugin_errand errand;
    struct soft_peer_job far;
    struct amo *amo;
    struct urom_worker_cmd_desc *command;
    struct amo_cmd cmd;
    struct plugin_region *region; /* held, once it runs */
    uint64_t before;
    int err;
};

/* ------------------------------------------------------------------------------------------------
 * Operations
 */

static struct soft_peer_atomic wish_of(const struct amo_cmd *cmd)
{
    static const enum soft_peer_atomic_op ops[AMO_CODES] = {
        [AMO_FADD] = SOFT_PEER_OP_ADD,  [AMO_CSWAP] = SOFT_PEER_OP_CSWAP,
        [AMO_SWAP] = SOFT_PEER_OP_SWAP, [AMO_ADD] = SOFT_PEER_OP_ADD,
        [AMO_FAND] = SOFT_PEER_OP_AND,  [AMO_FOR] = SOFT_PEER_OP_OR,
        [AMO_FXOR] = SOFT_PEER_OP_XOR,
    };

    return (struct soft_peer_atomic){.op = ops[cmd->head.op],
                                     .width = cmd->size,
                                     .addr = cmd->va,
                                     .value = cmd->operand,
                                     .compare = cmd->compare};
}

static int execute(const struct plugin_region *region, const struct amo_cmd *cmd, uint64_t *before)
{
    const struct soft_peer_atomic atomic = wish_of(cmd);

    return soft_peer_atomic(region->map, &atomic, before);
}

static doca_error_t answer(struct amo *amo, const struct urom_worker_cmd_desc *command,
                           const struct amo_cmd *cmd, doca_error_t status, uint64_t before)
{
    const struct amo_answer text = {.head = cmd->head,
                                    .before = cmd->head.op == AMO_ADD ? 0 : before};

    return plugin_answer(&amo->base, command, status, &text, sizeof(text));
}

/* Without memory for an answer the client's stop ends it. */
static void end_op(struct amo_op *op, doca_error_t status)
{
    (void)answer(op->amo, op->command, &op->cmd, status, op->before);
    if (op->region != NULL)
        plugin_region_put(op->region);
    od_list_remove(&op->entry);
    free(op->command);
    free(op);
}

static void run_errand(struct plugin_errand *errand, struct soft_copy_chan *copy)
{
    struct amo_op *op = OD_CONTAINER_OF(errand, struct amo_op, errand);

    (void)copy;
    op->err = execute(op->region, &op->cmd, &op->before);
}

static void end_errand(struct plugin_errand *errand, bool ran)
{
    struct amo_op *op = OD_CONTAINER_OF(errand, struct amo_op, errand);

    end_op(op, ran ? plugin_region_error(op->err) : DOCA_ERROR_IO_FAILED);
}

/* By the owner, on another host. */
static void start_far(struct amo_op *op)
{
    int err;

    op->far = (struct soft_peer_job){
        .kind = SOFT_PEER_JOB_ATOMIC, .map = op->region->map, .atomic = wish_of(&op->cmd)};
    err = soft_peer_job_begin(&op->amo->port, &op->far);
    if (err != 0)
        end_op(op, plugin_region_error(err));
}

static void collect_far(struct amo *amo)
{
    struct soft_peer_job *job;

    while ((job = soft_peer_port_poll(&amo->port)) != NULL) {
        struct amo_op *op = OD_CONTAINER_OF(job, struct amo_op, far);

        op->before = job->before;
        end_op(op, plugin_region_error(job->status));
    }
}

/* An operation that has been kept: at once, or by its owner. */
static void start_op(struct amo_op *op)
{
    op->region = plugin_region_get(op->command->dest_id, op->cmd.remote);
    if (op->region == NULL) {
        end_op(op, DOCA_ERROR_INVALID_VALUE);
        return;
    }
    if (op->region->mapped) {
        op->err = execute(op->region, &op->cmd, &op->before);
        end_op(op, plugin_region_error(op->err));
        return;
    }
    od_list_remove(&op->entry);
    od_list_append(&op->amo->running, &op->entry);
    if (soft_peer_is_far(op->region->map)) {
        start_far(op);
        return;
    }
    op->errand.run = run_errand;
    op->errand.done = end_errand;
    if (plugin_errand_start(&op->amo->base, &op->region->line, &op->errand) != 0)
        end_op(op, DOCA_ERROR_NO_MEMORY);
}

/* ------------------------------------------------------------------------------------------------
 * Fences
 */

static bool has_dest(const struct od_list *list, uint64_t dest)
{
    OD_LIST_FOR_EACH(link, list)
    {
        if (OD_LIST_ENTRY(link, struct amo_op, entry)->command->dest_id == dest)
            return true;
    }
    return false;
}

static bool is_fenced(const struct amo_cmd *cmd)
{
    return (cmd->head.flags & OPS_FENCE) != 0;
}

/* What waited for what has ended since. */
static void start_waiting(struct amo *amo)
{
    OD_LIST_FOR_EACH_SAFE(link, &amo->waiting)
    {
        struct amo_op *op = OD_LIST_ENTRY(link, struct amo_op, entry);
        const uint64_t dest = op->command->dest_id;
        struct amo_op *first = NULL;

        OD_LIST_FOR_EACH(other, &amo->waiting)
        {
            first = OD_LIST_ENTRY(other, struct amo_op, entry);
            if (first->command->dest_id == dest)
                break;
        }
        if (first == op && (!is_fenced(&op->cmd) || !has_dest(&amo->running, dest)))
            start_op(op);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

static doca_error_t keep(struct amo *amo, struct urom_worker_cmd_desc *command,
                         const struct amo_cmd *cmd, bool waits, bool *keeps)
{
    struct amo_op *op = calloc(1, sizeof(*op));

    if (op == NULL)
        return DOCA_ERROR_NO_MEMORY;
    op->amo = amo;
    op->command = command;
    op->cmd = *cmd;
    od_list_append(&amo->waiting, &op->entry);
    *keeps = true;
    if (!waits)
        start_op(op);
    return DOCA_SUCCESS;
}

static doca_error_t operate(struct amo *amo, struct urom_worker_cmd_desc *command,
                            const struct amo_cmd *cmd, bool *keeps)
{
    const uint64_t dest = command->dest_id;
    const bool waits =
        od_unlikely(!od_list_is_empty(&amo->waiting) || !od_list_is_empty(&amo->running)) &&
        (has_dest(&amo->waiting, dest) || (is_fenced(cmd) && has_dest(&amo->running, dest)));
    struct plugin_region *region;
    uint64_t before = 0;
    int err;

    if (od_unlikely(waits))
        return keep(amo, command, cmd, true, keeps);
    region = plugin_region_get(dest, cmd->remote);
    if (od_unlikely(region == NULL))
        return answer(amo, command, cmd, DOCA_ERROR_INVALID_VALUE, 0);
    if (!region->mapped) {
        plugin_region_put(region);
        return keep(amo, command, cmd, false, keeps);
    }
    err = execute(region, cmd, &before);
    plugin_region_put(region);
    return answer(amo, command, cmd, plugin_region_error(err), before);
}

static doca_error_t take(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *command,
                         bool *keeps)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    struct amo *amo = ctx->plugin_ctx;
    struct amo_cmd amo_cmd;
    int err = amo_cmd_read(cmd->plugin_cmd, cmd->len, &amo_cmd);

    if (od_likely(err == 0))
        return operate(amo, command, &amo_cmd, keeps);
    if (err == -ENOTSUP && plugin_region_is_command(amo_cmd.head.op))
        return plugin_region_command(&amo->base, ctx, command, amo_cmd.head.op, keeps);
    return answer(amo, command, &amo_cmd,
                  err == -ENOTSUP ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE, 0);
}

static doca_error_t amo_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    return plugin_commands(ctx, cmd_list, take);
}

static doca_error_t amo_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct amo *amo = ctx->plugin_ctx;

    plugin_errands_collect(&amo->base);
    collect_far(amo);
    if (od_unlikely(!od_list_is_empty(&amo->waiting)))
        start_waiting(amo);
    return plugin_hand_over(&amo->base, notif_list);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static doca_error_t amo_open(struct urom_worker_ctx *ctx)
{
    struct amo *amo = calloc(1, sizeof(*amo));

    if (amo == NULL)
        return DOCA_ERROR_NO_MEMORY;
    if (od_waker_open(&amo->waker) != 0) {
        free(amo);
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
    plugin_init(&amo->base, &amo->waker);
    soft_peer_port_open(&amo->port, &amo->waker);
    od_list_init(&amo->running);
    od_list_init(&amo->waiting);
    ctx->plugin_ctx = amo;
    return DOCA_SUCCESS;
}

/* What has not begun never will; 0: of all channels. */
static void drop_waiting(struct amo *amo, uint64_t dest)
{
    OD_LIST_FOR_EACH_SAFE(link, &amo->waiting)
    {
        struct amo_op *op = OD_LIST_ENTRY(link, struct amo_op, entry);

        if (dest == 0 || op->command->dest_id == dest)
            end_op(op, DOCA_ERROR_IO_FAILED);
    }
}

static void amo_close(struct urom_worker_ctx *ctx)
{
    struct amo *amo = ctx->plugin_ctx;

    drop_waiting(amo, 0);
    plugin_errands_end(&amo->base);
    soft_peer_port_cancel(&amo->port);
    collect_far(amo);
    plugin_regions_abandon(&amo->base);
    plugin_fini(&amo->base);
    soft_peer_port_close(&amo->port);
    od_waker_close(&amo->waker);
    free(amo);
    ctx->plugin_ctx = NULL;
}

void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id)
{
    drop_waiting(ctx->plugin_ctx, dest_id);
    plugin_regions_forget(dest_id);
}

doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd)
{
    struct amo *amo = ctx->plugin_ctx;

    od_waker_clear(&amo->waker);
    od_waker_arm(&amo->waker);
    if (soft_peer_port_nap(&amo->port, fd) || !ucs_list_is_empty(&amo->base.done) ||
        plugin_errands_pending(&amo->base))
        return DOCA_ERROR_AGAIN;
    return amo->port.under_way > 0 ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
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

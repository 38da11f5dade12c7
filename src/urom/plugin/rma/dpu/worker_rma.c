/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin worker_rma: copies between memory of its clients and of their peers.
 *
 * Each channel has a lane: its operations begin in order, and those that only copy run as the copy
 * engine likes. A flush and a fence wait until the lane is empty. Copies from and to another host
 * are jobs of its memory; those that another process has a part in are errands, so that nobody else
 * waits for it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>
#include <doca_version.h>

#include "soft/copy/copy.h"
#include "urom/plugin/common/plugin.h"
#include "urom/plugin/common/region.h"
#include "urom/plugin/rma/common/rma_wire.h"
#include "util/list.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::RMA);

#define DEPTH 1024u /* jobs of a lane that the copy engine has at once */
#define TURN  64u   /* calls of the engine for a lane in one progress */

struct rma_lane;

/* Lies behind the notification that it ends with. */
struct rma_op {
    struct soft_copy_job job;
    struct soft_peer_job far;    /* of a copy from or to another host */
    struct plugin_errand errand; /* of a copy that waits for another process */
    struct rma_lane *lane;
    int err; /* of that */
    struct soft_seg src;
    struct soft_seg dst;
    struct plugin_region *local; /* held; NULL: inline */
    struct plugin_region *remote;
    struct urom_worker_notif_desc *note;
    struct urom_worker_cmd_desc *command; /* kept for its bytes */
    struct rma_op *next;                  /* that waits */
    bool fence;
};

struct rma_lane {
    struct od_list entry;
    uint64_t dest; /* 0: the client left */
    struct soft_copy_chan *chan;
    struct rma_op *first; /* that wait */
    struct rma_op *last;
    uint32_t running; /* with the engine */
};

struct rma {
    struct plugin_base base;
    struct urom_worker_ctx *ctx;
    struct od_waker waker; /* of copy engines that work while nobody polls */
    struct soft_peer_port port;
    struct od_list lanes;
    struct rma_lane *recent;
};

/* ------------------------------------------------------------------------------------------------
 * Operations
 */

static void free_op(struct rma_op *op)
{
    if (op->local != NULL)
        plugin_region_put(op->local);
    if (op->remote != NULL)
        plugin_region_put(op->remote);
    free(op->command);
}

/* The end of an operation. The memory that it lies in goes with its notification. */
static inline void finish(struct rma *rma, struct rma_op *op, doca_error_t status)
{
    struct urom_worker_notif_desc *note = op->note;

    if (od_unlikely(status != DOCA_SUCCESS))
        note->worker_notif.len = sizeof(struct ops_head);
    free_op(op);
    plugin_finish(&rma->base, note, status);
}

/* Holds the regions and fills in what is copied. */
static doca_error_t aim(struct rma_op *op, const struct rma_cmd *cmd, const void *inlined,
                        void *answer)
{
    const bool put = cmd->head.op == RMA_PUT;
    struct soft_seg *remote = put ? &op->dst : &op->src;
    struct soft_seg *local = put ? &op->src : &op->dst;
    doca_error_t result;

    op->remote = plugin_region_get(op->command->dest_id, cmd->remote);
    if (od_unlikely(op->remote == NULL))
        return DOCA_ERROR_INVALID_VALUE;
    result = plugin_region_check(op->remote, cmd->remote_va, cmd->len,
                                 put ? SOFT_PEER_WRITE : SOFT_PEER_READ);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    *remote = (struct soft_seg){cmd->remote_va, cmd->len, op->remote->map};
    if (cmd->local == 0) {
        *local = (struct soft_seg){(uintptr_t)(put ? inlined : answer), cmd->len, NULL};
    } else {
        op->local = plugin_region_get(op->command->dest_id, cmd->local);
        if (od_unlikely(op->local == NULL))
            return DOCA_ERROR_INVALID_VALUE;
        result = plugin_region_check(op->local, cmd->local_va, cmd->len,
                                     put ? SOFT_PEER_READ : SOFT_PEER_WRITE);
        if (od_unlikely(result != DOCA_SUCCESS))
            return result;
        *local = (struct soft_seg){cmd->local_va, cmd->len, op->local->map};
    }
    op->job = (struct soft_copy_job){
        .src = &op->src, .dst = &op->dst, .nsrc = 1, .ndst = 1, .len = cmd->len};
    return DOCA_SUCCESS;
}

/* Takes the command over. NULL: no memory. */
static struct rma_op *new_op(struct urom_worker_cmd_desc *command, const struct ops_head *head,
                             size_t more)
{
    const size_t len = sizeof(*head) + more;
    struct urom_worker_notif_desc *note = plugin_note(command, len, sizeof(struct rma_op));
    struct rma_op *op;

    if (od_unlikely(note == NULL))
        return NULL;
    memcpy(note->worker_notif.plugin_notif, head, sizeof(*head));
    op = plugin_note_extra(note, len);
    memset(op, 0, sizeof(*op));
    op->note = note;
    op->command = command;
    op->fence = (head->flags & OPS_FENCE) != 0;
    return op;
}

/* ------------------------------------------------------------------------------------------------
 * Lanes
 */

static struct rma_lane *lane_of(struct rma *rma, uint64_t dest)
{
    const struct soft_copy_conf conf = {.engine = "inline"};
    struct rma_lane *lane;

    if (od_likely(rma->recent != NULL && rma->recent->dest == dest))
        return rma->recent;
    OD_LIST_FOR_EACH(link, &rma->lanes)
    {
        lane = OD_LIST_ENTRY(link, struct rma_lane, entry);
        if (lane->dest == dest)
            return rma->recent = lane;
    }
    lane = calloc(1, sizeof(*lane));
    if (lane == NULL)
        return NULL;
    if (soft_copy_open(&conf, DEPTH, &rma->waker, &lane->chan) != 0) {
        DOCA_LOG_ERR("no copy engine for a channel: %s", soft_reason());
        free(lane);
        return NULL;
    }
    lane->dest = dest;
    od_list_append(&rma->lanes, &lane->entry);
    return rma->recent = lane;
}

static void free_lane(struct rma *rma, struct rma_lane *lane)
{
    if (rma->recent == lane)
        rma->recent = NULL;
    od_list_remove(&lane->entry);
    lane->chan->ops->close(lane->chan);
    free(lane);
}

static void run_errand(struct plugin_errand *errand, struct soft_copy_chan *copy)
{
    struct rma_op *op = OD_CONTAINER_OF(errand, struct rma_op, errand);

    op->err =
        plugin_copy(copy, op->dst.peer, op->dst.addr, op->src.peer, op->src.addr, op->job.len);
}

static void end_errand(struct plugin_errand *errand, bool ran)
{
    struct rma_op *op = OD_CONTAINER_OF(errand, struct rma_op, errand);
    struct rma *rma = OD_CONTAINER_OF(errand->base, struct rma, base);

    op->lane->running--;
    finish(rma, op, ran ? plugin_region_error(op->err) : DOCA_ERROR_IO_FAILED);
}

/* What one side of which is another host's, and the other side at hand. False: not now. */
static bool start_far(struct rma *rma, struct rma_lane *lane, struct rma_op *op)
{
    const bool put = op->dst.peer != NULL && soft_peer_is_far(op->dst.peer);
    const struct soft_seg *there = put ? &op->dst : &op->src, *here = put ? &op->src : &op->dst;

    op->lane = lane;
    op->far = (struct soft_peer_job){
        .kind = put ? SOFT_PEER_JOB_WRITE : SOFT_PEER_JOB_READ,
        .map = there->peer,
        .addr = there->addr,
        .len = op->job.len,
        .near = here->peer,
        .near_addr = here->addr,
    };
    return soft_peer_job_begin(&rma->port, &op->far) == 0; /* it was checked before */
}

static OD_COLD bool start_errand(struct rma *rma, struct rma_lane *lane, struct rma_op *op,
                                 struct plugin_region *far)
{
    op->lane = lane;
    op->errand.run = run_errand;
    op->errand.done = end_errand;
    return plugin_errand_start(&rma->base, &far->line, &op->errand) == 0;
}

/* False: not now. */
static inline bool start_copy(struct rma *rma, struct rma_lane *lane, struct rma_op *op)
{
    const bool waits = op->remote->far || (op->local != NULL && op->local->far);

    if (od_likely(!waits))
        return lane->chan->ops->submit(lane->chan, &op->job) == 0;
    if (plugin_regions_are_job(op->remote, op->local))
        return start_far(rma, lane, op);
    return start_errand(rma, lane, op, op->remote->far ? op->remote : op->local);
}

/* Begins what may begin. */
static inline void start_ops(struct rma *rma, struct rma_lane *lane)
{
    while (lane->first != NULL) {
        struct rma_op *op = lane->first;
        struct rma_op *next = op->next;
        const bool moves = op->job.len > 0;

        if ((op->fence || !moves) && lane->running > 0)
            return;
        if (!moves) {
            finish(rma, op, DOCA_SUCCESS);
        } else if (!start_copy(rma, lane, op)) {
            return;
        } else {
            lane->running++;
        }
        lane->first = next;
    }
}

static inline void push(struct rma_lane *lane, struct rma_op *op)
{
    if (lane->first == NULL)
        lane->first = op;
    else
        lane->last->next = op;
    lane->last = op;
}

/* Copies from and to other hosts that have ended. */
static inline void poll_far(struct rma *rma)
{
    struct soft_peer_job *job;

    while ((job = soft_peer_port_poll(&rma->port)) != NULL) {
        struct rma_op *op = OD_CONTAINER_OF(job, struct rma_op, far);

        op->lane->running--;
        finish(rma, op, plugin_region_error(job->status));
    }
}

/* What the engine has done. True: it may have more to do at once. */
static inline bool poll_lane(struct rma *rma, struct rma_lane *lane)
{
    for (unsigned int i = 0; lane->running > 0 && i < TURN; i++) {
        struct soft_copy_job *job = lane->chan->ops->poll(lane->chan);

        if (job == NULL) {
            if (!lane->chan->ops->pending(lane->chan))
                return false;
            continue;
        }
        lane->running--;
        finish(rma, OD_CONTAINER_OF(job, struct rma_op, job), plugin_region_error(job->status));
    }
    return lane->running > 0;
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

/* *taken: the operation took the command over. */
static doca_error_t take(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *command,
                         bool *taken)
{
    struct rma *rma = ctx->plugin_ctx;
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    struct rma_lane *lane = lane_of(rma, command->dest_id);
    struct rma_cmd rma_cmd;
    const void *inlined = NULL;
    struct rma_op *op;
    doca_error_t result = DOCA_SUCCESS;
    size_t more;
    int err;

    if (od_unlikely(lane == NULL))
        return DOCA_ERROR_NO_MEMORY;
    err = rma_cmd_read(cmd->plugin_cmd, cmd->len, &rma_cmd, &inlined);
    if (od_unlikely(err == -EINVAL))
        return plugin_answer(&rma->base, command, DOCA_ERROR_INVALID_VALUE, NULL, 0);
    if (od_unlikely(err != 0 && plugin_region_is_command(rma_cmd.head.op)))
        return plugin_region_command(&rma->base, rma->ctx, command, rma_cmd.head.op, taken);
    if (od_unlikely(err != 0))
        return plugin_answer(&rma->base, command, DOCA_ERROR_NOT_SUPPORTED, &rma_cmd.head,
                             sizeof(rma_cmd.head));
    more = rma_cmd.head.op == RMA_GET && rma_cmd.local == 0 ? rma_cmd.len : 0;
    op = new_op(command, &rma_cmd.head, more);
    if (od_unlikely(op == NULL))
        return DOCA_ERROR_NO_MEMORY;
    *taken = true;
    if (rma_cmd.head.op != RMA_FLUSH)
        result = aim(op, &rma_cmd, inlined,
                     op->note->worker_notif.plugin_notif + sizeof(struct ops_head));
    if (od_unlikely(result != DOCA_SUCCESS)) {
        finish(rma, op, result);
        return DOCA_SUCCESS;
    }
    push(lane, op);
    start_ops(rma, lane);
    return DOCA_SUCCESS;
}

static doca_error_t rma_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    return plugin_commands(ctx, cmd_list, take);
}

static doca_error_t rma_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct rma *rma = ctx->plugin_ctx;

    plugin_errands_collect(&rma->base);
    poll_far(rma);
    OD_LIST_FOR_EACH_SAFE(link, &rma->lanes)
    {
        struct rma_lane *lane = OD_LIST_ENTRY(link, struct rma_lane, entry);

        if (lane->running > 0)
            poll_lane(rma, lane);
        if (lane->first != NULL)
            start_ops(rma, lane);
        if (od_unlikely(lane->dest == 0 && lane->running == 0))
            free_lane(rma, lane);
    }
    return plugin_hand_over(&rma->base, notif_list);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static doca_error_t rma_open(struct urom_worker_ctx *ctx)
{
    struct rma *rma = calloc(1, sizeof(*rma));

    if (rma == NULL)
        return DOCA_ERROR_NO_MEMORY;
    if (od_waker_open(&rma->waker) != 0) {
        free(rma);
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
    plugin_init(&rma->base, &rma->waker);
    soft_peer_port_open(&rma->port, &rma->waker);
    od_list_init(&rma->lanes);
    rma->ctx = ctx;
    ctx->plugin_ctx = rma;
    return DOCA_SUCCESS;
}

/* The client left: what has not begun never will, what runs is for nobody. */
static void leave(struct rma *rma, struct rma_lane *lane)
{
    lane->dest = 0;
    if (rma->recent == lane)
        rma->recent = NULL;
    while (lane->first != NULL) {
        struct rma_op *op = lane->first;

        lane->first = op->next;
        finish(rma, op, DOCA_ERROR_IO_FAILED);
    }
    lane->chan->ops->cancel(lane->chan);
}

static void rma_close(struct urom_worker_ctx *ctx)
{
    struct rma *rma = ctx->plugin_ctx;

    OD_LIST_FOR_EACH_SAFE(link, &rma->lanes)
    {
        struct rma_lane *lane = OD_LIST_ENTRY(link, struct rma_lane, entry);

        leave(rma, lane);
    }
    plugin_errands_end(&rma->base);
    soft_peer_port_cancel(&rma->port);
    poll_far(rma);
    OD_LIST_FOR_EACH_SAFE(link, &rma->lanes)
    {
        struct rma_lane *lane = OD_LIST_ENTRY(link, struct rma_lane, entry);

        while (lane->running > 0)
            poll_lane(rma, lane);
        free_lane(rma, lane);
    }
    plugin_regions_abandon(&rma->base);
    plugin_fini(&rma->base);
    soft_peer_port_close(&rma->port);
    od_waker_close(&rma->waker);
    free(rma);
    ctx->plugin_ctx = NULL;
}

void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id)
{
    struct rma *rma = ctx->plugin_ctx;

    OD_LIST_FOR_EACH_SAFE(link, &rma->lanes)
    {
        struct rma_lane *lane = OD_LIST_ENTRY(link, struct rma_lane, entry);

        if (lane->dest == dest_id)
            leave(rma, lane);
    }
    plugin_regions_forget(dest_id);
}

doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd)
{
    struct rma *rma = ctx->plugin_ctx;
    bool busy;

    od_waker_clear(&rma->waker);
    od_waker_arm(&rma->waker);
    busy = !ucs_list_is_empty(&rma->base.done) || plugin_errands_pending(&rma->base);
    OD_LIST_FOR_EACH(link, &rma->lanes)
    {
        const struct rma_lane *lane = OD_LIST_ENTRY(link, struct rma_lane, entry);

        busy = busy || lane->dest == 0 || (lane->running == 0 && lane->first != NULL) ||
               lane->chan->ops->pending(lane->chan);
    }
    if (soft_peer_port_nap(&rma->port, fd) || busy)
        return DOCA_ERROR_AGAIN;
    return rma->port.under_way > 0 ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,  .open = rma_open,         .close = rma_close,
        .worker_cmd = rma_worker_cmd, .progress = rma_progress,
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/plugin/coll/dpu/coll_priv.h"
#include "urom/plugin/coll/dpu/reduce.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::COLL::OP);

/* ------------------------------------------------------------------------------------------------
 * Slots
 */

void coll_slot_clear(struct coll_team *team, struct coll_slot *slot)
{
    for (uint32_t i = 0; i < team->size; i++) {
        struct coll_from *from = &slot->from[i];

        if (from->data != from->small)
            coll_buffer_give(team->coll, from->data);
        coll_buffer_give(team->coll, from->memory);
        memset(from, 0, offsetof(struct coll_from, small));
    }
    slot->op = NULL;
    slot->failed = 0;
}

static struct coll_slot *slot_of(struct coll_team *team, uint64_t seq)
{
    return &team->slots[seq % COLL_SLOTS];
}

/* Slots behind the lowest operation that has not ended are for later ones. */
static void move_base(struct coll_team *team)
{
    const uint64_t lowest = od_list_is_empty(&team->ops)
                                ? team->next
                                : OD_LIST_ENTRY(team->ops.next, struct coll_op, entry)->seq;

    for (; team->base < lowest; team->base++) {
        struct coll_slot *slot = slot_of(team, team->base);

        coll_slot_clear(team, slot);
        slot->seq = team->base + COLL_SLOTS;
    }
}

/* ------------------------------------------------------------------------------------------------
 * The end
 */

static void put_regions(struct coll_op *op)
{
    if (op->src != NULL)
        plugin_region_put(op->src);
    if (op->dst != NULL)
        plugin_region_put(op->dst);
}

/* The memory that it lies in goes with its notification. */
void coll_op_end(struct coll_op *op)
{
    struct coll_team *team = op->team;
    struct urom_worker_notif_desc *note = op->note;
    const doca_error_t status = op->status;

    if (op->away) {
        op->ended = true;
        return;
    }
    if (status != DOCA_SUCCESS)
        note->worker_notif.len = sizeof(struct ops_head);
    put_regions(op);
    coll_op_release_maps(op);
    if (op->slot != NULL)
        op->slot->op = NULL;
    od_list_remove(&op->entry);
    free(op->command);
    free(op->scratch);
    plugin_finish(&team->coll->base, note, status);
    move_base(team);
}

void coll_op_fail(struct coll_op *op, doca_error_t status)
{
    if (op->status == DOCA_SUCCESS)
        op->status = status;
}

void coll_ops_fail(struct coll_team *team, doca_error_t status)
{
    OD_LIST_FOR_EACH_SAFE(link, &team->ops)
    {
        struct coll_op *op = OD_LIST_ENTRY(link, struct coll_op, entry);

        coll_op_fail(op, status);
        coll_op_end(op);
    }
}

/* Tells all others that this member cannot go on. What could not be reached may be attached anew.
 */
static void spread_failure(struct coll_op *op, doca_error_t status)
{
    coll_op_fail(op, status);
    for (uint32_t i = 0; i < op->team->size; i++) {
        coll_maps_close(&op->team->members[i]);
        if (i != op->team->rank)
            op->slot->from[i].owe |= COLL_OWE_FAIL;
    }
    op->state = COLL_ENDING;
}

/* Whether the operation only waits to be told of. */
static bool has_failed(const struct coll_op *op)
{
    return op->state == COLL_ENDING && op->status != DOCA_SUCCESS;
}

/* Whether more has to come from a member. */
static bool needs(const struct coll_op *op, const struct coll_from *from)
{
    if ((from->got & COLL_GOT_OPEN) == 0)
        return true;
    if (op->eager || op->state <= COLL_OPENING)
        return false;
    return (op->peers_read && (from->got & COLL_GOT_DONE) == 0) ||
           (op->cmd.head.op == COLL_ALLREDUCE && (from->got & COLL_GOT_SLICE) == 0);
}

/* Whether more has to come from one of whom nothing does. */
static bool misses_member(const struct coll_op *op)
{
    for (uint32_t i = 0; i < op->team->size; i++) {
        if (op->team->members[i].end <= op->seq && needs(op, &op->slot->from[i]))
            return true;
    }
    return false;
}

void coll_ops_lose(struct coll_team *team)
{
    OD_LIST_FOR_EACH_SAFE(link, &team->ops)
    {
        struct coll_op *op = OD_LIST_ENTRY(link, struct coll_op, entry);

        if (op->slot == NULL) {
            coll_op_fail(op, DOCA_ERROR_IO_FAILED);
            coll_op_end(op);
        } else if (!has_failed(op) && misses_member(op)) {
            spread_failure(op, DOCA_ERROR_IO_FAILED);
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Beginning
 */

static uint64_t blocks_of(const struct coll_op *op, bool source)
{
    switch (op->cmd.head.op) {
    case COLL_BARRIER:
        return 0;
    case COLL_ALLTOALL:
        return op->team->size;
    case COLL_ALLGATHER:
        return source ? 1 : op->team->size;
    case COLL_BCAST:
        return source == (op->team->rank == op->cmd.root) ? 1 : 0;
    default:
        return 1;
    }
}

/* Holds a region that `blocks` blocks lie in. */
static doca_error_t hold(const struct coll_op *op, uint64_t handle, uint64_t va, uint64_t blocks,
                         unsigned int access, struct plugin_region **region)
{
    if (blocks == 0 || op->bytes == 0)
        return DOCA_SUCCESS;
    *region = plugin_region_get(op->command->dest_id, handle);
    if (*region == NULL || op->bytes > UINT64_MAX / blocks)
        return DOCA_ERROR_INVALID_VALUE;
    return plugin_region_check(*region, va, op->bytes * blocks, access);
}

/* What this member reads from and writes to. */
static doca_error_t aim(struct coll_op *op)
{
    const bool inlined = op->cmd.src == 0;
    doca_error_t result;

    op->own_len = op->bytes * blocks_of(op, true);
    if (inlined) {
        if (op->bytes > COLL_EAGER_MAX || op->inlined_len != op->own_len)
            return DOCA_ERROR_INVALID_VALUE;
        op->result_len = op->bytes * blocks_of(op, false);
        return DOCA_SUCCESS;
    }
    if (op->cmd.head.op == COLL_BCAST) {
        op->cmd.dst = op->cmd.src;
        op->cmd.dst_va = op->cmd.src_va;
    }
    result = hold(op, op->cmd.src, op->cmd.src_va, blocks_of(op, true), SOFT_PEER_READ, &op->src);
    if (result != DOCA_SUCCESS)
        return result;
    return hold(op, op->cmd.dst, op->cmd.dst_va, blocks_of(op, false), SOFT_PEER_WRITE, &op->dst);
}

/* What goes with the messages, out of memory. */
static doca_error_t gather(struct coll_op *op, const struct coll_hand *hand)
{
    doca_error_t result = DOCA_SUCCESS;

    for (uint64_t at = 0; at < op->own_len && result == DOCA_SUCCESS; at += hand->chunk)
        result = coll_copy(hand, NULL, (uintptr_t)op->own + at, op->src->map, op->cmd.src_va + at,
                           OD_MIN((uint64_t)hand->chunk, op->own_len - at));
    return result;
}

/* Bytes of a block, from what the command says. */
static doca_error_t measure(struct coll_op *op)
{
    const uint64_t unit = op->cmd.head.op == COLL_ALLREDUCE ? coll_dtype_size(op->cmd.dtype) : 1;

    if (op->cmd.head.op == COLL_BARRIER) {
        op->eager = true;
        return op->cmd.len == 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    }
    if (op->cmd.len > (UINT64_MAX / COLL_TEAM_MAX) / unit || op->cmd.root >= op->team->size)
        return DOCA_ERROR_INVALID_VALUE;
    op->bytes = op->cmd.len * unit;
    op->eager = op->bytes <= COLL_EAGER_MAX;
    return DOCA_SUCCESS;
}

static bool reads_others(const struct coll_op *op)
{
    return op->cmd.head.op != COLL_BCAST || op->team->rank != op->cmd.root;
}

static void begin(struct coll_op *op)
{
    struct coll_team *team = op->team;

    op->slot = slot_of(team, op->seq);
    op->slot->op = op;
    team->begun = op->seq + 1;
    op->peers_read = !op->eager && (op->cmd.head.op != COLL_BCAST || team->rank == op->cmd.root);
    op->slot->from[team->rank].got = COLL_GOT_OPEN | COLL_GOT_SLICE | COLL_GOT_DONE;
    for (uint32_t i = 0; i < team->size; i++)
        op->slot->from[i].read = i == team->rank || !reads_others(op);
    if (op->status == DOCA_SUCCESS && op->eager && op->own_len > 0 && op->src != NULL)
        coll_op_work(op, coll_line_of(op->src), gather);
}

/* What goes with the messages is there. */
static void open_op(struct coll_op *op)
{
    op->state = COLL_OPENING;
    for (uint32_t i = 0; i < op->team->size; i++) {
        if (i != op->team->rank)
            op->slot->from[i].owe |= COLL_OWE_OPEN;
    }
}

/* Takes the command over. NULL: no memory. */
static struct coll_op *new_op(struct coll_op *plan)
{
    const size_t len = sizeof(struct ops_head) + plan->result_len;
    const size_t copied = plan->eager && plan->src != NULL ? plan->own_len : 0;
    struct coll_op *op;

    plan->note = plugin_note(plan->command, len, sizeof(*op) + copied);
    if (plan->note == NULL)
        return NULL;
    memcpy(plan->note->worker_notif.plugin_notif, &plan->cmd.head, sizeof(plan->cmd.head));
    op = plugin_note_extra(plan->note, len);
    *op = *plan;
    if (op->result_len > 0)
        op->result = op->note->worker_notif.plugin_notif + sizeof(struct ops_head);
    if (op->eager && op->own_len > 0)
        op->own = op->src != NULL ? (uint8_t *)(op + 1) : op->inlined;
    op->seq = op->team->next++;
    od_list_append(&op->team->ops, &op->entry);
    return op;
}

doca_error_t coll_op_post(struct coll_team *team, struct urom_worker_cmd_desc *command, bool *taken)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    struct coll_op plan = {.team = team, .command = command};
    struct coll_op *op;

    if (coll_cmd_read(cmd->plugin_cmd, cmd->len, &plan.cmd, &plan.inlined, &plan.inlined_len) != 0)
        return plugin_answer(&team->coll->base, command, DOCA_ERROR_INVALID_VALUE, NULL, 0);
    /* A member that cannot do it says so to the others, in its turn. */
    plan.status = measure(&plan);
    if (plan.status == DOCA_SUCCESS)
        plan.status = aim(&plan);
    op = new_op(&plan);
    if (op == NULL) {
        put_regions(&plan);
        return DOCA_ERROR_NO_MEMORY;
    }
    *taken = true;
    team->coll->busy = true;
    if (team->broken) {
        op->status = DOCA_ERROR_IO_FAILED;
        coll_op_end(op);
    }
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Messages
 */

/* A copy, or NULL. */
static void *keep(struct coll_team *team, struct coll_from *from, const void *bytes, size_t len)
{
    void *copy = len <= sizeof(from->small) ? from->small : coll_buffer_take(team->coll);

    if (copy != NULL)
        memcpy(copy, bytes, len);
    else
        from->status = DOCA_ERROR_NO_MEMORY;
    return copy;
}

static void take_open(struct coll_team *team, struct coll_slot *slot, const struct coll_open *open,
                      const void *data, const void *memory)
{
    struct coll_from *from = &slot->from[open->msg.src];

    if ((from->got & COLL_GOT_OPEN) != 0)
        return;
    from->got |= COLL_GOT_OPEN;
    from->code = open->code;
    from->dtype = open->dtype;
    from->reduction = open->reduction;
    from->root = open->root;
    from->len = open->len;
    from->status = open->msg.status;
    from->data_len = open->data_len;
    if (open->data_len > 0)
        from->data = keep(team, from, data, open->data_len);
    if (memory != NULL)
        from->memory = keep(team, from, memory, 2 * sizeof(*from->memory));
}

void coll_op_message(struct coll_team *team, const struct coll_open *open, const void *data,
                     const void *memory)
{
    struct coll_slot *slot = slot_of(team, open->msg.seq);

    /* What has ended here may still be talked about. */
    if (open->msg.seq != slot->seq || open->msg.src == team->rank)
        return;
    switch (open->msg.type) {
    case COLL_OPEN:
        take_open(team, slot, open, data, memory);
        break;
    case COLL_SLICE:
        slot->from[open->msg.src].got |= COLL_GOT_SLICE;
        break;
    case COLL_DONE:
        slot->from[open->msg.src].got |= COLL_GOT_DONE;
        break;
    default:
        slot->failed = open->msg.status != 0 ? open->msg.status : (uint32_t)DOCA_ERROR_IO_FAILED;
        break;
    }
}

static void describe(const struct plugin_region *region, uint64_t va, struct coll_memory *memory)
{
    memset(memory, 0, sizeof(*memory));
    if (region == NULL)
        return;
    memory->handle = region->handle;
    memory->va = va;
    memory->desc_len = region->desc_len;
    memcpy(memory->desc, region->desc, region->desc_len);
}

/* The part of the own data that a member gets. NULL: it has none. */
static const uint8_t *own_data(const struct coll_op *op, uint32_t to)
{
    return op->own != NULL && op->cmd.head.op == COLL_ALLTOALL ? op->own + to * op->bytes : op->own;
}

static bool send_open(struct coll_op *op, uint32_t to)
{
    static const uint8_t padding[8];
    const uint8_t *data = op->status == DOCA_SUCCESS ? own_data(op, to) : NULL;
    struct coll_memory memory[2];
    struct coll_open open = {
        .msg = coll_msg(op->team, COLL_OPEN, to, op->seq),
        .code = op->cmd.head.op,
        .dtype = op->cmd.dtype,
        .reduction = op->cmd.reduction,
        .root = op->cmd.root,
        .len = op->cmd.len,
        .data_len = data != NULL ? (uint32_t)op->bytes : 0,
        .has_memory = !op->eager,
    };
    const struct iovec iov[] = {
        {&open, sizeof(open)},
        {(void *)data, open.data_len},
        {(void *)padding, (8 - open.data_len % 8) % 8},
        {memory, open.has_memory != 0 ? sizeof(memory) : 0},
    };

    open.msg.status = (uint32_t)op->status;
    if (open.has_memory != 0) {
        describe(op->src, op->cmd.src_va, &memory[0]);
        describe(op->dst, op->cmd.dst_va, &memory[1]);
    }
    return coll_send(op->team, to, iov, OD_ARRAY_SIZE(iov));
}

static bool send_plain(struct coll_op *op, enum coll_msg_type type, uint32_t to)
{
    struct coll_msg msg = coll_msg(op->team, type, to, op->seq);
    const struct iovec iov = {&msg, sizeof(msg)};

    msg.status = (uint32_t)op->status;
    return coll_send(op->team, to, &iov, 1);
}

/* True when nothing is owed any more. */
static bool pay(struct coll_op *op)
{
    static const struct {
        enum coll_owe owe;
        enum coll_msg_type type;
    } rows[] = {{COLL_OWE_OPEN, COLL_OPEN},
                {COLL_OWE_SLICE, COLL_SLICE},
                {COLL_OWE_DONE, COLL_DONE},
                {COLL_OWE_FAIL, COLL_FAIL}};
    bool all = true;

    for (uint32_t i = 0; i < op->team->size; i++) {
        struct coll_from *from = &op->slot->from[i];

        if (from->owe != 0 && op->team->members[i].gone)
            from->owe = 0;
        for (unsigned int k = 0; from->owe != 0 && k < OD_ARRAY_SIZE(rows); k++) {
            if ((from->owe & rows[k].owe) == 0)
                continue;
            if (!(rows[k].type == COLL_OPEN ? send_open(op, i) : send_plain(op, rows[k].type, i)))
                break; /* in order */
            from->owe &= (uint8_t)~rows[k].owe;
        }
        all = all && from->owe == 0;
    }
    return all;
}

/* ------------------------------------------------------------------------------------------------
 * Data that came with the messages
 */

/* Into the result, wherever it goes. */
static doca_error_t put(struct coll_op *op, const struct coll_hand *hand, uint64_t at,
                        const uint8_t *bytes, uint64_t len)
{
    if (len == 0)
        return DOCA_SUCCESS;
    if (op->dst != NULL)
        return coll_copy(hand, op->dst->map, op->cmd.dst_va + at, NULL, (uintptr_t)bytes, len);
    if (op->result != NULL)
        memcpy(op->result + at, bytes, len);
    return DOCA_SUCCESS;
}

/* Whatever the status says: it may change while an errand is at work. */
static const uint8_t *data_of(const struct coll_op *op, uint32_t rank)
{
    return rank == op->team->rank ? own_data(op, rank) : op->slot->from[rank].data;
}

/* In the order of ranks at each member, so that all have the same bits. */
static doca_error_t reduce_all(struct coll_op *op, const struct coll_hand *hand)
{
    uint8_t *into = hand->scratch;
    uint8_t *from = into + hand->piece;

    memcpy(into, data_of(op, 0), op->bytes);
    for (uint32_t i = 1; i < op->team->size; i++) {
        memcpy(from, data_of(op, i), op->bytes);                                      /* aligned */
        (void)coll_reduce(op->cmd.dtype, op->cmd.reduction, into, from, op->cmd.len); /* own */
    }
    return put(op, hand, 0, into, op->bytes);
}

static doca_error_t finish_eager(struct coll_op *op, const struct coll_hand *hand)
{
    doca_error_t result = DOCA_SUCCESS;

    if (op->bytes == 0)
        return DOCA_SUCCESS;
    if (op->cmd.head.op == COLL_ALLREDUCE)
        return reduce_all(op, hand);
    if (op->cmd.head.op == COLL_BCAST)
        return op->team->rank == op->cmd.root
                   ? DOCA_SUCCESS
                   : put(op, hand, 0, data_of(op, op->cmd.root), op->bytes);
    for (uint32_t i = 0; i < op->team->size && result == DOCA_SUCCESS; i++)
        result = put(op, hand, i * op->bytes, data_of(op, i), op->bytes);
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * Progress
 */

static bool all_got(const struct coll_op *op, enum coll_got what)
{
    for (uint32_t i = 0; i < op->team->size; i++) {
        if ((op->slot->from[i].got & (uint8_t)what) == 0)
            return false;
    }
    return true;
}

/* Whether a member means the same operation, and sent what belongs to it. */
static bool agrees(const struct coll_op *op, uint32_t rank)
{
    const struct coll_from *from = &op->slot->from[rank];
    const bool gives = op->cmd.head.op != COLL_BCAST || rank == op->cmd.root;

    return from->code == op->cmd.head.op && from->dtype == op->cmd.dtype &&
           from->reduction == op->cmd.reduction && from->root == op->cmd.root &&
           from->len == op->cmd.len && (from->memory != NULL) == !op->eager &&
           from->data_len == (op->eager && gives ? op->bytes : 0);
}

/* All have begun: what they think of it. */
static doca_error_t verdict(const struct coll_op *op)
{
    if (op->status != DOCA_SUCCESS)
        return op->status;
    for (uint32_t i = 0; i < op->team->size; i++) {
        if (i != op->team->rank && op->slot->from[i].status != 0)
            return (doca_error_t)op->slot->from[i].status;
    }
    for (uint32_t i = 0; i < op->team->size; i++) {
        if (i != op->team->rank && !agrees(op, i))
            return DOCA_ERROR_INVALID_VALUE;
    }
    return DOCA_SUCCESS;
}

static void open_all(struct coll_op *op)
{
    if (!all_got(op, COLL_GOT_OPEN))
        return;
    op->status = verdict(op);
    op->state = COLL_ENDING;
    if (op->status != DOCA_SUCCESS)
        return;
    if (op->eager) {
        coll_op_work(op, coll_line_of(op->dst), finish_eager);
        return;
    }
    op->state = op->cmd.head.op == COLL_ALLREDUCE ? COLL_REDUCING : COLL_MOVING;
    if (misses_member(op)) /* it has left right behind its beginning */
        spread_failure(op, DOCA_ERROR_IO_FAILED);
}

static void progress_op(struct coll_op *op)
{
    if (op->slot->failed != 0 && !has_failed(op))
        spread_failure(op, (doca_error_t)op->slot->failed);
    if (op->state == COLL_GATHERING && !op->away)
        open_op(op);
    pay(op);
    if (op->state == COLL_OPENING)
        open_all(op);
    if ((op->state == COLL_REDUCING || op->state == COLL_MOVING) && !op->away) {
        coll_op_move(op);
        if (op->status != DOCA_SUCCESS)
            spread_failure(op, op->status);
    }
    if (op->state != COLL_ENDING || !pay(op) || op->away)
        return;
    /* Others read this member's memory until they say that they do not. */
    if (op->status == DOCA_SUCCESS && op->peers_read && !all_got(op, COLL_GOT_DONE))
        return;
    coll_op_end(op);
}

void coll_ops_progress(struct coll_team *team)
{
    OD_LIST_FOR_EACH_SAFE(link, &team->ops)
    {
        struct coll_op *op = OD_LIST_ENTRY(link, struct coll_op, entry);

        if (op->seq >= team->base + COLL_WINDOW)
            return;
        if (op->slot == NULL)
            begin(op);
        progress_op(op);
    }
}

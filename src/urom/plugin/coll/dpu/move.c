/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include <doca_log.h>

#include "urom/plugin/coll/dpu/coll_priv.h"
#include "urom/plugin/coll/dpu/reduce.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::COLL::MOVE);

#define TURN 4 /* chunks in one progress */

doca_error_t coll_copy(struct coll *coll, struct soft_peer_map *to, uint64_t to_va,
                       struct soft_peer_map *from, uint64_t from_va, uint64_t len)
{
    const struct soft_seg src = {from_va, len, from};
    const struct soft_seg dst = {to_va, len, to};
    struct soft_copy_job job = {.src = &src, .dst = &dst, .nsrc = 1, .ndst = 1, .len = len};

    if (coll->copy->ops->submit(coll->copy, &job) != 0)
        return DOCA_ERROR_IO_FAILED;
    while (coll->copy->ops->poll(coll->copy) == NULL)
        ;
    return plugin_region_error(job.status);
}

/* ------------------------------------------------------------------------------------------------
 * Memory of other members
 */

void coll_maps_close(struct coll_member *member)
{
    for (unsigned int i = 0; i < COLL_MAPS; i++) {
        soft_peer_map_close(member->maps[i].map);
        member->maps[i] = (struct coll_map){0};
    }
}

static doca_error_t attach(struct coll_member *member, const struct coll_memory *memory,
                           struct coll_map **found)
{
    struct coll_map *map = &member->maps[member->next_map];
    struct soft_peer_info info;
    int err;

    soft_peer_map_close(map->map);
    *map = (struct coll_map){0};
    err =
        soft_peer_import(memory->desc, memory->desc_len, SOFT_PEER_KIND_RDMA, OPS_CARD, &map->map);
    if (err != 0) {
        DOCA_LOG_WARN("memory of a member cannot be attached: %s", soft_reason());
        map->map = NULL;
        return err == -ENOMEM || err == -EMFILE ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_IO_FAILED;
    }
    soft_peer_map_info(map->map, &info);
    map->handle = memory->handle;
    map->base = (uintptr_t)info.addr;
    map->len = info.len;
    map->access = info.access;
    member->next_map = (member->next_map + 1) % COLL_MAPS;
    *found = map;
    return DOCA_SUCCESS;
}

/* A member's memory, attached, with `len` bytes from `offset` on inside of it, to be read. */
static doca_error_t reach(struct coll_op *op, uint32_t rank, bool source, uint64_t offset,
                          uint64_t len, struct soft_peer_map **map, uint64_t *va)
{
    const struct coll_memory *memory = &op->slot->from[rank].memory[source ? 0 : 1];
    struct coll_member *member = &op->team->members[rank];
    struct coll_map *found = NULL;
    doca_error_t result;

    for (unsigned int i = 0; i < COLL_MAPS; i++) {
        if (member->maps[i].map != NULL && member->maps[i].handle == memory->handle)
            found = &member->maps[i];
    }
    if (found == NULL) {
        result = attach(member, memory, &found);
        if (result != DOCA_SUCCESS)
            return result;
    }
    *va = memory->va + offset;
    if (memory->va < found->base || offset > found->len || len > found->len - offset ||
        memory->va - found->base > found->len - offset - len)
        return DOCA_ERROR_INVALID_VALUE;
    if ((found->access & SOFT_PEER_READ) == 0)
        return DOCA_ERROR_NOT_PERMITTED;
    *map = found->map;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * What is read, and where it goes
 */

/* A member's part of the vector, in bytes. */
static uint64_t slice_begin(const struct coll_op *op, uint32_t rank)
{
    const uint64_t each = op->cmd.len / op->team->size, rest = op->cmd.len % op->team->size;

    return (each * rank + OD_MIN((uint64_t)rank, rest)) * coll_dtype_size(op->cmd.dtype);
}

struct piece {
    bool source; /* of the member's source, else its destination */
    uint64_t from;
    uint64_t to;
    uint64_t len;
};

static struct piece piece_of(const struct coll_op *op, uint32_t rank)
{
    const uint64_t own = op->team->rank * op->bytes, other = rank * op->bytes;
    uint64_t begin;

    switch (op->cmd.head.op) {
    case COLL_BCAST:
        return (struct piece){true, 0, 0, rank == op->cmd.root ? op->bytes : 0};
    case COLL_ALLGATHER:
        return (struct piece){true, 0, other, op->bytes};
    case COLL_ALLTOALL:
        return (struct piece){true, own, other, op->bytes};
    default:
        begin = slice_begin(op, rank);
        return (struct piece){false, begin, begin, slice_begin(op, rank + 1) - begin};
    }
}

/* Of this member's own memory; true when there is nothing to copy, or it is done. */
static bool move_own(struct coll_op *op)
{
    const struct piece piece = piece_of(op, op->team->rank);
    const uint64_t from = op->cmd.src_va + piece.from, to = op->cmd.dst_va + piece.to;
    const uint64_t len = OD_MIN((uint64_t)COLL_CHUNK, piece.len - op->done);

    if (!piece.source || op->cmd.head.op == COLL_BCAST || from == to || len == 0)
        return true;
    op->status =
        coll_copy(op->team->coll, op->dst->map, to + op->done, op->src->map, from + op->done, len);
    op->done += len;
    return op->done == piece.len;
}

/* One chunk of another member's; true when it is all there. */
static bool move_other(struct coll_op *op, uint32_t rank)
{
    const struct piece piece = piece_of(op, rank);
    const uint64_t len = OD_MIN((uint64_t)COLL_CHUNK, piece.len - op->done);
    struct soft_peer_map *map;
    uint64_t va;

    if (len == 0)
        return true;
    op->status = reach(op, rank, piece.source, piece.from + op->done, len, &map, &va);
    if (op->status == DOCA_SUCCESS)
        op->status = coll_copy(op->team->coll, op->dst->map, op->cmd.dst_va + piece.to + op->done,
                               map, va, len);
    op->done += len;
    return op->done == piece.len;
}

/* The next member to read from, counted from this one on: all begin with another one. False: none
 * is ready. */
static bool next_member(struct coll_op *op, uint32_t *rank)
{
    const bool wait = op->cmd.head.op == COLL_ALLREDUCE;

    for (uint32_t i = 0; i < op->team->size; i++) {
        const uint32_t at = (op->team->rank + op->at + i) % op->team->size;
        const struct coll_from *from = &op->slot->from[at];

        if (from->read || (wait && (from->got & COLL_GOT_SLICE) == 0))
            continue;
        if (op->done > 0 && i > 0)
            return false; /* never: who was begun with is ready */
        op->at = (op->at + i) % op->team->size;
        *rank = at;
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * All-reduce
 */

/* Where the bytes of a map can be computed with; NULL: they have to be copied first. */
static void *direct(const struct coll_op *op, struct soft_peer_map *map, uint64_t va)
{
    return va % coll_dtype_size(op->cmd.dtype) == 0 ? soft_peer_local(map, va) : NULL;
}

/* A bracket around what is reduced; maps may be NULL. */
static int open_bracket(struct soft_peer_map *a, struct soft_peer_map *b)
{
    int err = a != NULL ? soft_peer_begin(a) : 0;

    if (err != 0 || b == NULL)
        return err;
    err = soft_peer_begin(b);
    if (err != 0 && a != NULL)
        soft_peer_end(a);
    return err;
}

static void close_bracket(struct soft_peer_map *a, struct soft_peer_map *b)
{
    if (b != NULL)
        soft_peer_end(b);
    if (a != NULL)
        soft_peer_end(a);
}

/* Reduces another member's `len` bytes at `at` into `into`, which is `held`'s memory, or ours. */
static doca_error_t reduce_from(struct coll_op *op, uint32_t rank, uint64_t at, uint64_t len,
                                void *into, struct soft_peer_map *held)
{
    struct coll *coll = op->team->coll;
    struct soft_peer_map *map;
    doca_error_t result;
    const void *from;
    uint64_t va;
    int err;

    result = reach(op, rank, true, at, len, &map, &va);
    if (result != DOCA_SUCCESS)
        return result;
    from = direct(op, map, va);
    if (from == NULL) {
        from = coll->scratch + COLL_PIECE;
        result = coll_copy(coll, NULL, (uintptr_t)from, map, va, len);
        if (result != DOCA_SUCCESS)
            return result;
        map = NULL;
    }
    err = open_bracket(held, map);
    if (err == 0) {
        err = coll_reduce(op->cmd.dtype, op->cmd.reduction, into, from,
                          len / coll_dtype_size(op->cmd.dtype));
        close_bracket(held, map);
    }
    return plugin_region_error(err);
}

/* One piece of this member's part, from all members, into the result: straight there where it is
 * mapped, so that the piece stays in the cache and nothing is copied twice. True: the part is done.
 */
static bool reduce_piece(struct coll_op *op)
{
    struct coll *coll = op->team->coll;
    const uint64_t begin = slice_begin(op, op->team->rank);
    const uint64_t end = slice_begin(op, op->team->rank + 1);
    const uint64_t at = begin + op->done, len = OD_MIN((uint64_t)COLL_PIECE, end - at);
    const uint64_t dst_va = op->cmd.dst_va + at;
    struct soft_peer_map *held = op->dst->map;
    void *into;

    if (len == 0)
        return true;
    into = direct(op, held, dst_va);
    if (into == NULL) {
        into = coll->scratch;
        held = NULL;
    }
    op->status = coll_copy(coll, held, held != NULL ? dst_va : (uintptr_t)into, op->src->map,
                           op->cmd.src_va + at, len);
    for (uint32_t i = 0; i < op->team->size && op->status == DOCA_SUCCESS; i++) {
        if (i != op->team->rank)
            op->status = reduce_from(op, i, at, len, into, held);
    }
    if (op->status == DOCA_SUCCESS && held == NULL)
        op->status = coll_copy(coll, op->dst->map, dst_va, NULL, (uintptr_t)into, len);
    op->done += len;
    return at + len == end;
}

static void owe_all(struct coll_op *op, enum coll_owe owe)
{
    for (uint32_t i = 0; i < op->team->size; i++) {
        if (i != op->team->rank)
            op->slot->from[i].owe |= (uint8_t)owe;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Steps
 */

static void step(struct coll_op *op, bool *wait)
{
    uint32_t rank;

    if (op->state == COLL_REDUCING) {
        if (!reduce_piece(op))
            return;
        op->state = COLL_MOVING;
        op->done = 0;
        owe_all(op, COLL_OWE_SLICE);
        *wait = true; /* the others are to know first */
        op->team->coll->busy = true;
    } else if (!op->own_moved) {
        op->own_moved = move_own(op);
        op->done = op->own_moved ? 0 : op->done;
    } else if (!next_member(op, &rank)) {
        *wait = true;
    } else if (move_other(op, rank)) {
        op->slot->from[rank].read = true;
        op->done = 0;
        op->at++;
        /* Who is read from waits for it: in a broadcast only the root. */
        if (op->cmd.head.op != COLL_BCAST || rank == op->cmd.root)
            op->slot->from[rank].owe |= COLL_OWE_DONE;
    }
}

static bool all_read(const struct coll_op *op)
{
    for (uint32_t i = 0; i < op->team->size; i++) {
        if (!op->slot->from[i].read)
            return false;
    }
    return op->own_moved;
}

void coll_op_move(struct coll_op *op)
{
    bool wait = false;

    for (unsigned int i = 0; i < TURN && !wait && op->status == DOCA_SUCCESS; i++) {
        step(op, &wait);
        if (op->state == COLL_MOVING && all_read(op)) {
            op->state = COLL_ENDING;
            return;
        }
    }
    if (!wait)
        op->team->coll->busy = true;
}

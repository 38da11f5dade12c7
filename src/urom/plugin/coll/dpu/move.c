/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include <doca_log.h>

#include "urom/plugin/coll/dpu/coll_priv.h"
#include "urom/plugin/coll/dpu/reduce.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::COLL::MOVE);

#define TURN 8 /* steps in one progress: the copy of a chunk, or going on from it */

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

/* `len` bytes of a member's memory, from `offset` of what it named on. */
static doca_error_t check(const struct coll_op *op, uint32_t rank, bool source, uint64_t offset,
                          uint64_t len, uint64_t *va)
{
    const struct coll_map *map = op->maps[2 * rank + (source ? 0 : 1)];
    const uint64_t begin = op->slot->from[rank].memory[source ? 0 : 1].va;

    if (begin < map->base || offset > map->len || len > map->len - offset ||
        begin - map->base > map->len - offset - len)
        return DOCA_ERROR_INVALID_VALUE;
    *va = begin + offset;
    return (map->access & SOFT_PEER_READ) != 0 ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED;
}

/* One chunk of this member's own memory. */
static doca_error_t copy_own(struct coll_op *op, const struct coll_hand *hand)
{
    const struct piece piece = piece_of(op, op->team->rank);
    const uint64_t len = OD_MIN((uint64_t)hand->chunk, piece.len - op->done);
    const uint64_t at = op->done;

    op->done += len;
    return coll_copy(hand, op->dst->map, op->cmd.dst_va + piece.to + at, op->src->map,
                     op->cmd.src_va + piece.from + at, len);
}

/* The next step of that. */
static void move_own(struct coll_op *op)
{
    const struct piece piece = piece_of(op, op->team->rank);
    struct plugin_line *line = coll_line_of(op->src);

    if (!piece.source || op->cmd.head.op == COLL_BCAST ||
        op->cmd.src_va + piece.from == op->cmd.dst_va + piece.to || op->done == piece.len) {
        op->own_moved = true;
        op->done = 0;
        return;
    }
    coll_op_work(op, line != NULL ? line : coll_line_of(op->dst), copy_own);
}

/* One chunk of another member's. */
static doca_error_t copy_other(struct coll_op *op, const struct coll_hand *hand)
{
    const struct piece piece = piece_of(op, op->rank);
    const uint64_t len = OD_MIN((uint64_t)hand->chunk, piece.len - op->done);
    const uint64_t at = op->done;
    doca_error_t result;
    uint64_t va;

    op->done += len;
    result = check(op, op->rank, piece.source, piece.from + at, len, &va);
    if (result != DOCA_SUCCESS)
        return result;
    return coll_copy(hand, op->dst->map, op->cmd.dst_va + piece.to + at,
                     op->maps[2 * op->rank + (piece.source ? 0 : 1)]->map, va, len);
}

/* The next step of that. */
static void move_other(struct coll_op *op, uint32_t rank)
{
    const struct piece piece = piece_of(op, rank);
    const struct coll_map *map;

    if (op->done == piece.len) {
        op->slot->from[rank].read = true;
        op->done = 0;
        op->at++;
        /* Who is read from waits for it: in a broadcast only the root. */
        if (op->cmd.head.op != COLL_BCAST || rank == op->cmd.root)
            op->slot->from[rank].owe |= COLL_OWE_DONE;
        return;
    }
    map = coll_op_reach(op, rank, piece.source);
    if (map == NULL)
        return;
    op->rank = rank;
    coll_op_work(op, map->far ? &op->team->members[rank].line : coll_line_of(op->dst), copy_other);
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
static doca_error_t reduce_from(struct coll_op *op, const struct coll_hand *hand, uint32_t rank,
                                uint64_t at, uint64_t len, void *into, struct soft_peer_map *held)
{
    struct soft_peer_map *map = op->maps[2 * rank]->map;
    doca_error_t result;
    const void *from;
    uint64_t va;
    int err;

    result = check(op, rank, true, at, len, &va);
    if (result != DOCA_SUCCESS)
        return result;
    from = direct(op, map, va);
    if (from == NULL) {
        from = hand->scratch + hand->piece;
        result = coll_copy(hand, NULL, (uintptr_t)from, map, va, len);
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
    return coll_error(err);
}

static uint64_t slice_len(const struct coll_op *op)
{
    return slice_begin(op, op->team->rank + 1) - slice_begin(op, op->team->rank);
}

/* One piece of this member's part, from all members, into the result: straight there where it is
 * mapped, so that the piece stays in the cache and nothing is copied twice. */
static doca_error_t reduce_piece(struct coll_op *op, const struct coll_hand *hand)
{
    const uint64_t at = slice_begin(op, op->team->rank) + op->done;
    const uint64_t len = OD_MIN((uint64_t)hand->piece, slice_len(op) - op->done);
    const uint64_t dst_va = op->cmd.dst_va + at;
    struct soft_peer_map *held = op->dst->map;
    void *into = direct(op, held, dst_va);
    doca_error_t result;

    if (into == NULL) {
        into = hand->scratch;
        held = NULL;
    }
    result = coll_copy(hand, held, held != NULL ? dst_va : (uintptr_t)into, op->src->map,
                       op->cmd.src_va + at, len);
    for (uint32_t i = 0; i < op->team->size && result == DOCA_SUCCESS; i++) {
        if (i != op->team->rank)
            result = reduce_from(op, hand, i, at, len, into, held);
    }
    if (result == DOCA_SUCCESS && held == NULL)
        result = coll_copy(hand, op->dst->map, dst_va, NULL, (uintptr_t)into, len);
    op->done += len;
    return result;
}

/* The next step of that: one piece, when all memory is at hand. */
static void reduce(struct coll_op *op)
{
    struct plugin_line *line = coll_line_of(op->src);

    if (line == NULL)
        line = coll_line_of(op->dst);
    for (uint32_t i = 0; i < op->team->size; i++) {
        const struct coll_map *map;

        if (i == op->team->rank)
            continue;
        map = coll_op_reach(op, i, true);
        if (map == NULL)
            return;
        if (map->far && line == NULL)
            line = &op->team->members[i].line;
    }
    coll_op_work(op, line, reduce_piece);
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

    if (op->state == COLL_REDUCING && op->done < slice_len(op)) {
        reduce(op);
    } else if (op->state == COLL_REDUCING) {
        op->state = COLL_MOVING;
        op->done = 0;
        owe_all(op, COLL_OWE_SLICE);
        *wait = true; /* the others are to know first */
        op->team->coll->busy = true;
    } else if (!op->own_moved) {
        move_own(op);
    } else if (!next_member(op, &rank)) {
        *wait = true;
    } else {
        move_other(op, rank);
    }
    *wait = *wait || op->away;
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

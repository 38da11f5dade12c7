/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include <doca_log.h>

#include "urom/plugin/coll/dpu/coll_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::COLL::REACH);

/* ------------------------------------------------------------------------------------------------
 * Work
 */

static void install(struct coll_op *op);

/* On a thread of the pool. */
static void run(struct plugin_errand *errand, struct soft_copy_chan *copy)
{
    struct coll_op *op = OD_CONTAINER_OF(errand, struct coll_op, errand);
    struct coll_hand hand = {.copy = copy, .piece = COLL_FAR_PIECE, .chunk = COLL_FAR_CHUNK};

    if (op->scratch == NULL)
        op->scratch = aligned_alloc(OD_CACHE_LINE, (size_t)2 * COLL_FAR_PIECE);
    hand.scratch = op->scratch;
    op->outcome = hand.scratch != NULL ? op->work(op, &hand) : DOCA_ERROR_NO_MEMORY;
}

static void done(struct plugin_errand *errand, bool ran)
{
    struct coll_op *op = OD_CONTAINER_OF(errand, struct coll_op, errand);
    const doca_error_t outcome = ran ? op->outcome : DOCA_ERROR_IO_FAILED;

    op->away = false;
    op->team->coll->busy = true;
    if (outcome != DOCA_SUCCESS)
        coll_op_fail(op, outcome);
    if (op->imported != NULL)
        install(op);
    if (op->ended)
        coll_op_end(op);
}

void coll_op_work(struct coll_op *op, struct plugin_line *line, coll_work *work)
{
    if (line == NULL) {
        op->status = work(op, &op->team->coll->hand);
        return;
    }
    op->work = work;
    op->errand.run = run;
    op->errand.done = done;
    op->away = plugin_errand_start(&op->team->coll->base, line, &op->errand) == 0;
    if (!op->away)
        op->status = DOCA_ERROR_NO_MEMORY;
}

/* ------------------------------------------------------------------------------------------------
 * Memory of other members
 */

static void put_map(struct coll_map *map)
{
    if (map == NULL || --map->refs > 0)
        return;
    soft_peer_map_close(map->map);
    free(map);
}

void coll_maps_close(struct coll_member *member)
{
    for (unsigned int i = 0; i < COLL_MAPS; i++) {
        put_map(member->maps[i]);
        member->maps[i] = NULL;
    }
}

void coll_op_release_maps(struct coll_op *op)
{
    for (uint32_t i = 0; op->maps != NULL && i < 2 * op->team->size; i++)
        put_map(op->maps[i]);
    free(op->maps);
    op->maps = NULL;
}

static const struct coll_memory *memory_of(const struct coll_op *op, uint32_t rank, bool source)
{
    return &op->slot->from[rank].memory[source ? 0 : 1];
}

static struct coll_map **place_of(const struct coll_op *op, uint32_t rank, bool source)
{
    return &op->maps[2 * rank + (source ? 0 : 1)];
}

/* The owner is asked, which may take a while. */
static doca_error_t import(struct coll_op *op, const struct coll_hand *hand)
{
    const struct coll_memory *memory = memory_of(op, op->rank, op->source);
    int err;

    (void)hand;
    err = soft_peer_import(memory->desc, memory->desc_len, SOFT_PEER_KIND_RDMA, OPS_CARD,
                           &op->imported);
    if (err == 0)
        return DOCA_SUCCESS;
    op->imported = NULL;
    DOCA_LOG_WARN("memory of member %u of team %llu cannot be attached: %s", op->rank,
                  (unsigned long long)op->team->id, soft_reason());
    return err == -ENOMEM || err == -EMFILE ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_IO_FAILED;
}

/* Into the member's list, where another operation finds it, and for this one. */
static void install(struct coll_op *op)
{
    struct coll_member *member = &op->team->members[op->rank];
    struct coll_map *map = calloc(1, sizeof(*map));
    struct soft_peer_info info;

    if (map == NULL) {
        soft_peer_map_close(op->imported);
        op->imported = NULL;
        coll_op_fail(op, DOCA_ERROR_NO_MEMORY);
        return;
    }
    soft_peer_map_info(op->imported, &info);
    *map = (struct coll_map){
        .refs = 2,
        .handle = memory_of(op, op->rank, op->source)->handle,
        .map = op->imported,
        .base = (uintptr_t)info.addr,
        .len = info.len,
        .access = info.access,
        .far = plugin_region_waits(&info),
    };
    op->imported = NULL;
    put_map(member->maps[member->next_map]);
    member->maps[member->next_map] = map;
    member->next_map = (member->next_map + 1) % COLL_MAPS;
    *place_of(op, op->rank, op->source) = map;
}

static struct coll_map *find_map(const struct coll_member *member, uint64_t handle)
{
    for (unsigned int i = 0; i < COLL_MAPS; i++) {
        if (member->maps[i] != NULL && member->maps[i]->handle == handle)
            return member->maps[i];
    }
    return NULL;
}

struct coll_map *coll_op_reach(struct coll_op *op, uint32_t rank, bool source)
{
    struct coll_member *member = &op->team->members[rank];
    struct coll_map **place;

    if (op->maps == NULL)
        op->maps = calloc((size_t)2 * op->team->size, sizeof(op->maps[0]));
    if (op->maps == NULL) {
        op->status = DOCA_ERROR_NO_MEMORY;
        return NULL;
    }
    place = place_of(op, rank, source);
    if (*place != NULL)
        return *place;
    *place = find_map(member, memory_of(op, rank, source)->handle);
    if (*place != NULL) {
        (*place)->refs++;
        return *place;
    }
    op->rank = rank;
    op->source = source;
    coll_op_work(op, &member->line, import);
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

/* In the order of preference. */
static const struct soft_peer_engine *const engines[] = {
    &soft_peer_engine_mapped,
    &soft_peer_engine_vm,
    &soft_peer_engine_served,
    &soft_peer_engine_remote,
};

/* NULL: no restriction. */
static int wanted_engine(enum soft_peer_kind kind, const struct soft_peer_engine **wanted)
{
    const char *name = getenv("OPENDOCA_PEER_ENGINE");

    *wanted = kind == SOFT_PEER_KIND_QUEUE ? &soft_peer_engine_mapped : NULL;
    if (*wanted != NULL)
        return 0;
    if (name == NULL || name[0] == '\0')
        return 0;
    for (size_t i = 0; i < OD_ARRAY_SIZE(engines); i++)
        if (strcmp(engines[i]->name, name) == 0) {
            *wanted = engines[i];
            return 0;
        }
    return soft_fail(-EINVAL, "OPENDOCA_PEER_ENGINE=%s is not one of mapped, vm, served, remote",
                     name);
}

static int explain_refusal(int err, const struct soft_peer_desc *desc)
{
    switch (err) {
    case -EPERM:
        return soft_fail(-EPERM,
                         "the exporter (process %u) has stopped or destroyed this export; export "
                         "again and pass the new descriptor",
                         desc->pid);
    case -EBADMSG:
        return soft_fail(-EBADMSG,
                         "the exporter (process %u) did not issue this descriptor; pass the bytes "
                         "that the export call gave, unchanged",
                         desc->pid);
    case -EXDEV:
        return soft_fail(-EXDEV,
                         "the exporter's device is on card %s, not on that of the "
                         "importing device",
                         desc->card);
    case -ENOSPC:
        return soft_fail(-ENOMEM, "this process holds %u maps of process %u, which is the limit",
                         PEER_BOARD_CELLS, desc->pid);
    case -ENOMEM:
    case -EMFILE:
    case -ENFILE:
        return soft_fail(err, "the exporter (process %u) has no resources: %s", desc->pid,
                         strerror(-err));
    case -ETIMEDOUT:
        return soft_fail(-ECONNREFUSED,
                         "the exporter (process %u) does not answer for %d ms; it "
                         "is stopped or the machine is overloaded",
                         desc->pid, PEER_ANSWER_MS);
    default:
        return soft_fail(-ECONNREFUSED, "the exporter (process %u) ended during the import: %s",
                         desc->pid, strerror(-err));
    }
}

static int check_desc(const struct soft_peer_desc *desc, enum soft_peer_kind kind, const char *card)
{
    static const char *const names[] = {
        [SOFT_PEER_KIND_PCI] = "PCI",
        [SOFT_PEER_KIND_RDMA] = "RDMA",
        [SOFT_PEER_KIND_SYNC] = "sync event",
        [SOFT_PEER_KIND_QUEUE] = "queue",
    };

    if (desc->kind != kind)
        return soft_fail(-EBADMSG, "this is a %s export descriptor, a %s one is needed",
                         names[desc->kind], names[kind]);
    if (card == NULL || strcmp(desc->card, card) != 0)
        return soft_fail(-EXDEV,
                         "the exporter's device is on card %s, the importing device on card %s; "
                         "only devices of one card reach each other",
                         desc->card, card == NULL ? "(none)" : card);
    return 0;
}

/* Asks the exporter for the range. *memory: the file behind it, or -1. */
static int request_map(struct soft_peer_map *map, const struct soft_peer_desc *desc,
                       bool want_memory, int *memory, uint64_t *offset)
{
    struct soft_peer_conn *conn = map->conn;
    union soft_peer_msg msg = {0};
    int rc;

    msg.import.want_memory = want_memory;
    memcpy(msg.import.card, desc->card, sizeof(msg.import.card));
    msg.import.desc = *desc;
    rc = soft_peer_conn_call(conn, &msg, PEER_MSG_IMPORT, PEER_MSG_IMPORTED, memory, 1);
    if (rc != 0)
        return explain_refusal(rc, desc);
    if (msg.imported.cell >= PEER_BOARD_CELLS || msg.imported.kind != desc->kind) {
        soft_peer_conn_kill(conn);
        return explain_refusal(-EPROTO, desc);
    }
    map->base = msg.imported.base;
    map->len = msg.imported.len;
    map->access = msg.imported.access;
    map->mask = msg.imported.mask;
    map->kind = msg.imported.kind;
    map->index = msg.imported.cell;
    *offset = msg.imported.memory_offset;
    return 0;
}

/* From here on the death of the exporter reaches the map. */
static void enlist(struct soft_peer_map *map)
{
    struct soft_peer_conn *conn = map->conn;

    soft_service_lock();
    map->cell = conn->remote != NULL ? &map->own_cell : &conn->board[map->index];
    od_list_append(&conn->maps, &map->link);
    if (conn->state == PEER_CONN_DEAD) {
        map->cell = &map->own_cell;
        atomic_store(&map->own_cell.state, PEER_CELL_DEAD);
    }
    soft_service_unlock();
}

static void close_map(struct soft_peer_map *map)
{
    union soft_peer_msg msg = {.close = {.cell = map->index}};

    soft_peer_conn_send(map->conn, &msg, PEER_MSG_CLOSE);
}

static int choose_engine(struct soft_peer_map *map, const struct soft_peer_engine *wanted,
                         int memory, uint64_t offset)
{
    const bool abroad = map->conn->remote != NULL;
    int rc = -ENOTSUP;

    if (abroad && wanted != NULL && wanted != &soft_peer_engine_remote)
        return soft_fail(-ENOTSUP,
                         "the exporter is on another host, which engine %s does not reach",
                         wanted->name);
    for (size_t i = 0; rc != 0 && i < OD_ARRAY_SIZE(engines); i++) {
        if ((wanted != NULL && engines[i] != wanted) ||
            (engines[i] == &soft_peer_engine_remote) != abroad)
            continue;
        rc = engines[i]->attach(map, memory, offset);
        if (rc == 0)
            map->engine = engines[i];
    }
    return rc;
}

static int build_map(struct soft_peer_map *map, const struct soft_peer_desc *desc,
                     const struct soft_peer_engine *wanted)
{
    bool want_memory = wanted == NULL || wanted == &soft_peer_engine_mapped;
    OD_AUTO_FD int memory = -1;
    uint64_t offset = 0;
    int rc;

    rc = request_map(map, desc, want_memory, &memory, &offset);
    if (rc != 0)
        return rc;
    rc = choose_engine(map, wanted, memory, offset);
    if (rc != 0)
        goto err_close_map;
    enlist(map);
    return 0;

err_close_map:
    close_map(map);
    return rc;
}

int soft_peer_import(const void *bytes, size_t len, enum soft_peer_kind kind, const char *card,
                     struct soft_peer_map **out)
{
    const struct soft_peer_engine *wanted;
    struct soft_peer_desc desc;
    struct soft_peer_map *map;
    int rc;

    rc = soft_peer_desc_parse(bytes, len, &desc);
    if (rc == 0)
        rc = check_desc(&desc, kind, card);
    if (rc == 0)
        rc = wanted_engine(kind, &wanted);
    if (rc != 0)
        return rc;
    map = aligned_alloc(OD_CACHE_LINE, (sizeof(*map) + OD_CACHE_LINE - 1) & ~(OD_CACHE_LINE - 1));
    if (map == NULL)
        return soft_fail(-ENOMEM, "out of memory for a map");
    memset(map, 0, sizeof(*map));
    rc = soft_peer_conn_get(&desc, wanted == &soft_peer_engine_remote, &map->conn);
    if (rc != 0)
        goto err_free;
    rc = build_map(map, &desc, wanted);
    if (rc != 0)
        goto err_put_conn;
    *out = map;
    return 0;

err_put_conn:
    soft_peer_conn_put(map->conn);
err_free:
    free(map);
    return rc;
}

void soft_peer_map_info(const struct soft_peer_map *map, struct soft_peer_info *info)
{
    *info = (struct soft_peer_info){
        .addr = (void *)(uintptr_t)map->base,
        .len = map->len,
        .kind = (enum soft_peer_kind)map->kind,
        .access = map->access,
        .mask = map->mask,
        .engine = map->engine->name,
    };
}

void soft_peer_map_close(struct soft_peer_map *map)
{
    if (map == NULL)
        return;
    soft_service_lock();
    od_list_remove(&map->link);
    soft_service_unlock();
    map->engine->detach(map);
    close_map(map);
    soft_peer_conn_put(map->conn);
    free(map);
}

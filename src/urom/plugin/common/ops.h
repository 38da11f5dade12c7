/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COMMON_OPS_H_
#define OD_UROM_PLUGIN_COMMON_OPS_H_

/* What the host halves share: tasks with a typed end.
 *
 *   ops_take()     a task, and where its payload goes
 *   ops_submit()   sends it; the end runs `done` */

#include <doca_urom_ops.h>

#include "core/core_priv.h"
#include "soft/peer/peer.h"
#include "urom/plugin/common/ops_wire.h"
#include "util/list.h"

enum ops_family {
    OPS_RMA,
    OPS_AMO,
    OPS_COLL,
    OPS_AM,
    OPS_FAMILIES,
};

struct doca_urom_ops {
    struct doca_urom_worker *worker;
    struct doca_ctx *ctx;
    uint64_t plugins[OPS_FAMILIES]; /* id; 0: the worker has not loaded it */
    uint64_t any;                   /* one of them, for regions */
    struct doca_urom_worker_cmd_task **free_tasks;
    size_t nfree;
    size_t ntasks;
    size_t room;     /* bytes of a payload */
    char listen[64]; /* HOST:0 where workers of other hosts reach this process; "": they do not */
    struct od_list regions;
    struct od_list held; /* struct ops_held: what else ends with the object */
};

/* First member of an object that is one block of memory. */
struct ops_held {
    struct od_list link;
};

struct ops_end;
typedef void (*ops_done_t)(struct doca_urom_ops *ops, doca_error_t status,
                           const struct doca_buf *response, const struct ops_end *end);
typedef void (*ops_any_cb_t)(void);

/* Fills the user area of a task. */
struct ops_end {
    struct doca_urom_ops *ops;
    ops_done_t done;
    ops_any_cb_t cb; /* the user's, of the type that `done` knows */
    void *user_data;
};

_Static_assert(sizeof(struct ops_end) == 32, "as large as the user area of a task");

/* NOT_SUPPORTED, logged: the worker lacks the plugin of the public call `func`. */
doca_error_t ops_not_loaded(const struct doca_urom_ops *ops, const char *func);
/* A free task and its payload, whose head is filled in. `func` is the public call. */
doca_error_t ops_take(struct doca_urom_ops *ops, uint64_t plugin, const char *func,
                      struct doca_urom_worker_cmd_task **task, void **payload);
/* Sends `len` bytes of payload. On failure the task is free again. */
doca_error_t ops_submit(struct doca_urom_ops *ops, struct doca_urom_worker_cmd_task *task,
                        size_t len, ops_done_t done, ops_any_cb_t cb, void *user_data);

/* For operations whose callback is a doca_urom_ops_cb_t. */
void ops_done_plain(struct doca_urom_ops *ops, doca_error_t status, const struct doca_buf *response,
                    const struct ops_end *end);

/* Copies `size` bytes of an answer; false when it is shorter. */
bool ops_response(const struct doca_buf *response, void *answer, size_t size);

/* ---- regions ---- */

enum ops_region_state {
    OPS_REGION_ATTACHING,
    OPS_REGION_READY,
    OPS_REGION_DETACHING,
};

struct doca_urom_ops_region {
    struct doca_urom_ops *ops;
    struct od_list link;
    enum ops_region_state state;
    struct soft_peer_export *own;    /* for the worker; NULL: a peer's memory */
    struct soft_peer_export *shared; /* for peers; NULL: they have no access */
    uint64_t handle;
    uint64_t addr;
    uint64_t len;
    uint32_t access;
    char engine[12];
    doca_urom_ops_region_cb_t cb;
    void *user_data;
};

void ops_region_free(struct doca_urom_ops_region *region);

#define OPS_LOG CORE_LOG_UROM

static inline uint32_t ops_wire_flags(uint32_t flags)
{
    return (flags & DOCA_UROM_OPS_FENCE) != 0 ? OPS_FENCE : 0;
}

#endif /* OD_UROM_PLUGIN_COMMON_OPS_H_ */

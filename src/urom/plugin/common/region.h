/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COMMON_REGION_H_
#define OD_UROM_PLUGIN_COMMON_REGION_H_

/* Memory of processes that this worker reaches: one table for all plugins of the worker.
 *
 * A region is attached by a client's channel, and only that channel can name it. Whoever uses a
 * region holds it; what is detached meanwhile lives until it is put. One thread. */

#include "soft/peer/peer.h"
#include "urom/plugin/common/errand.h"

struct plugin_region {
    struct soft_peer_map *map;
    struct soft_peer_info info;
    bool far;                /* an access waits for another process: copies are errands */
    bool mapped;             /* atomics of the CPU work; else they wait for another process */
    struct plugin_line line; /* of its errands */
    uint64_t dest;
    uint64_t handle;
    uint32_t refs;              /* users; plus one while it is attached */
    bool dying;                 /* no new users */
    struct plugin_base *waiter; /* who answers that it is gone; NULL: nobody asked */
    struct urom_worker_notif_desc *note;
    uint32_t next_free;
    uint32_t desc_len;
    uint8_t desc[SOFT_PEER_DESC_MAX];
};

/* Holds it; NULL: this channel has no such region. */
PLUGIN_API struct plugin_region *plugin_region_get(uint64_t dest, uint64_t handle);
PLUGIN_API void plugin_region_put(struct plugin_region *region);
/* A channel has ended. */
PLUGIN_API void plugin_regions_forget(uint64_t dest);
/* A plugin closes: it answers nothing more. */
PLUGIN_API void plugin_regions_abandon(const struct plugin_base *base);

static inline bool plugin_region_is_command(uint32_t op)
{
    return op == OPS_ATTACH || op == OPS_DETACH;
}

/* Takes a command that attaches or detaches; the former is answered when the owner has, the latter
 * when the region has no users any more. *keeps: the command is kept. The result is for worker_cmd
 * to return. */
PLUGIN_API doca_error_t plugin_region_command(struct plugin_base *base, struct urom_worker_ctx *ctx,
                                              struct urom_worker_cmd_desc *command, uint32_t op,
                                              bool *keeps);

/* Whether a copy between the two, either of which may be NULL (memory of the worker), can be a job
 * of the one that is another host's. */
static inline bool plugin_regions_are_job(const struct plugin_region *a,
                                          const struct plugin_region *b)
{
    const struct plugin_region *far = a != NULL && a->far ? a : b;
    const struct plugin_region *near = far == a ? b : a;

    return far != NULL && soft_peer_is_far(far->map) && (near == NULL || !near->far);
}

/* Whether an access waits for another process. */
PLUGIN_API bool plugin_region_waits(const struct soft_peer_info *info);

/* What an access through a region's map says: 0 or a negative errno. */
PLUGIN_API doca_error_t plugin_region_error(int err);

/* DOCA_SUCCESS; INVALID_VALUE: outside; NOT_PERMITTED: not granted. */
static inline doca_error_t plugin_region_check(const struct plugin_region *region, uint64_t va,
                                               uint64_t len, unsigned int access)
{
    const uint64_t offset = va - (uintptr_t)region->info.addr;

    if (od_unlikely(va < (uintptr_t)region->info.addr || len > region->info.len ||
                    offset > region->info.len - len))
        return DOCA_ERROR_INVALID_VALUE;
    return od_likely((region->info.access & access) == access) ? DOCA_SUCCESS
                                                               : DOCA_ERROR_NOT_PERMITTED;
}

#endif /* OD_UROM_PLUGIN_COMMON_REGION_H_ */

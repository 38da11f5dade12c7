/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames to send that lie in memory of a GPU which the CPU does not reach. All of a batch are
 * copied into pinned memory at once, beside the kernel, neighbours as one. */

#include <errno.h>
#include <stdlib.h>

#include "soft/gpu/gpu.h"
#include "soft/nic/nic_priv.h"
#include "soft/nic/ring_priv.h"

enum {
    GAP = 2048, /* between two frames: copied along, as that costs less than one copy more */
    PLACE_ALIGN = 64
};

/* Neighbours, not yet begun. */
struct run {
    const struct soft_gpu_memory *memory; /* NULL: none */
    char *at;
    size_t len;
    size_t place; /* in the room */
};

struct soft_nic_fetch {
    struct soft_gpu *gpu;
    struct soft_gpu_copier *copier;
    struct soft_gpu_memory *room;
    size_t used; /* of it, by this batch */
    struct run run;
    int failed; /* the first failure: copies may be under way for ever */
};

int soft_nic_fetch_open(struct soft_gpu *gpu, uint32_t max_len, struct soft_nic_fetch **out)
{
    const size_t room = (size_t)SOFT_NIC_BATCH * (max_len + GAP);
    struct soft_nic_fetch *fetch;
    int err;

    *out = NULL;
    if (gpu == NULL || gpu->ops->copier_open == NULL)
        return 0;
    fetch = calloc(1, sizeof(*fetch));
    if (fetch == NULL)
        return soft_fail(-ENOMEM, "no memory for frames on their way from a GPU");
    fetch->gpu = gpu;
    err = soft_gpu_alloc(gpu, room, 0, SOFT_GPU_ON_CPU, &fetch->room);
    if (err != 0)
        goto err_free;
    err = gpu->ops->copier_open(gpu, &fetch->copier);
    if (err != 0)
        goto err_room;
    *out = fetch;
    return 0;

err_room:
    soft_gpu_put(fetch->room);
err_free:
    free(fetch);
    return err;
}

void soft_nic_fetch_close(struct soft_nic_fetch *fetch)
{
    if (fetch == NULL)
        return;
    fetch->gpu->ops->copier_close(fetch->copier);
    soft_gpu_put(fetch->room);
    free(fetch);
}

static void begin_run(struct soft_nic_fetch *fetch)
{
    const struct run run = fetch->run;

    fetch->run.memory = NULL;
    if (run.memory != NULL && fetch->failed == 0)
        fetch->failed =
            fetch->gpu->ops->copy_out(fetch->copier, fetch->room->cpu + run.place, run.at, run.len);
}

/* False: it is no neighbour, or there is no room. */
static bool extend_run(struct soft_nic_fetch *fetch, const struct soft_gpu_memory *memory,
                       const char *at, uint32_t len)
{
    struct run *run = &fetch->run;
    size_t end;

    if (run->memory != memory || at < run->at || at > run->at + run->len + GAP)
        return false;
    end = (size_t)(at - run->at) + len;
    if (end <= run->len)
        return true;
    if (run->place + end > fetch->room->len)
        return false;
    run->len = end;
    fetch->used = run->place + end;
    return true;
}

const char *soft_nic_fetch_add(struct soft_nic_fetch *fetch, const struct soft_gpu_memory *memory,
                               char *at, uint32_t len)
{
    struct run *run = &fetch->run;

    if (run->memory == NULL || !extend_run(fetch, memory, at, len)) {
        size_t place = (fetch->used + PLACE_ALIGN - 1) / PLACE_ALIGN * PLACE_ALIGN;

        if (place + len > fetch->room->len)
            return NULL;
        begin_run(fetch);
        *run = (struct run){.memory = memory, .at = at, .len = len, .place = place};
        fetch->used = place + len;
    }
    return fetch->room->cpu + run->place + (at - run->at);
}

int soft_nic_fetch_finish(struct soft_nic_fetch *fetch)
{
    if (fetch->used == 0)
        return 0;
    begin_run(fetch);
    fetch->used = 0;
    if (fetch->failed == 0)
        fetch->failed = soft_gpu_await_copies(fetch->gpu, fetch->copier);
    return fetch->failed;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings whose slots lie in memory of a GPU that the CPU does not reach. Frames wait in pinned
 * memory, travel in batches beside the kernel, and the kernel is told when they are there. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <impl/opendoca_gpu_barrier.h>

#include "soft/gpu/gpu.h"
#include "soft/nic/nic_priv.h"

enum {
    STAGED = 1024,       /* frames under way, a power of two */
    WHOLE_STRIDE = 2048, /* up to it, slots are copied whole: neighbours travel as one then */
};

struct staged {
    struct soft_nic_meta meta;
    uint64_t mark;
    uint32_t len;
};

struct soft_nic_stage {
    const struct soft_gpu_ops *ops;
    struct soft_gpu_copier *copier;
    struct soft_gpu_memory *room; /* `slots` of the ring's stride */
    uint32_t slots;
    uint64_t put, marked,
        told; /* frames that came, that a mark stands behind, that the kernel has */
    struct staged frames[STAGED];
};

int soft_nic_stage_open(const struct soft_nic_rx_ring *ring, struct soft_nic_stage **out)
{
    struct soft_gpu *gpu = ring->packets->gpu;
    struct soft_nic_stage *stage;
    int err;

    if (gpu->ops->copier_open == NULL)
        return soft_fail(-ENOTSUP, "the engine '%s' cannot copy into memory of a GPU",
                         gpu->ops->name);
    stage = calloc(1, sizeof(*stage));
    if (stage == NULL)
        return soft_fail(-ENOMEM, "no memory for frames on their way to a GPU");
    stage->ops = gpu->ops;
    stage->slots = OD_MIN((uint32_t)STAGED, ring->num);
    err =
        soft_gpu_alloc(gpu, (size_t)stage->slots * ring->stride, 0, SOFT_GPU_ON_CPU, &stage->room);
    if (err != 0)
        goto err_free;
    err = gpu->ops->copier_open(gpu, &stage->copier);
    if (err != 0)
        goto err_room;
    *out = stage;
    return 0;

err_room:
    soft_gpu_put(stage->room);
err_free:
    free(stage);
    return err;
}

void soft_nic_stage_close(struct soft_nic_stage *stage)
{
    if (stage == NULL)
        return;
    stage->ops->copier_close(stage->copier);
    soft_gpu_put(stage->room);
    free(stage);
}

uint32_t soft_nic_stage_room(const struct soft_nic_stage *stage)
{
    return stage->slots - (uint32_t)(stage->put - stage->told);
}

static uint32_t fail(struct soft_nic_rxq *rxq)
{
    opendoca_gpu_poke(&rxq->ring.words->state, OPENDOCA_GPU_QUEUE_BROKEN);
    return 0;
}

bool soft_nic_stage_put(struct soft_nic_rxq *rxq, const struct soft_nic_frame *frame,
                        const struct soft_nic_meta *meta)
{
    const struct soft_nic_rx_ring *ring = &rxq->ring;
    struct soft_nic_stage *stage = rxq->stage;
    uint32_t place = (uint32_t)(stage->put & (stage->slots - 1));
    char *room = stage->room->cpu + (size_t)place * ring->stride;
    char *at = ring->at + (stage->put & (ring->num - 1)) * ring->stride;

    if (soft_nic_stage_room(stage) == 0)
        return false;
    if (od_likely(frame->len <= ring->stride))
        memcpy(room, frame->data, frame->len);
    if (od_likely(frame->len <= ring->stride) &&
        stage->ops->copy_in(stage->copier, at, room,
                            ring->stride <= WHOLE_STRIDE ? ring->stride : frame->len) != 0) {
        (void)fail(rxq);
        return false;
    }
    stage->frames[place] = (struct staged){.meta = *meta, .len = frame->len};
    stage->put++;
    return true;
}

static int mark(struct soft_nic_stage *stage)
{
    uint64_t number;
    int err;

    if (stage->marked == stage->put)
        return 0;
    err = stage->ops->mark(stage->copier, &number);
    if (err != 0)
        return err;
    for (; stage->marked < stage->put; stage->marked++)
        stage->frames[stage->marked & (stage->slots - 1)].mark = number;
    return 0;
}

uint32_t soft_nic_stage_step(struct soft_nic_rxq *rxq)
{
    struct soft_nic_stage *stage = rxq->stage;
    int done = 1;

    if (stage->told == stage->put)
        return 0;
    if (mark(stage) != 0)
        return fail(rxq);
    while (stage->told < stage->marked) {
        const struct staged *frame = &stage->frames[stage->told & (stage->slots - 1)];

        done = stage->ops->is_done(stage->copier, frame->mark);
        if (done != 1)
            break;
        soft_nic_ring_tell(rxq, stage->told, frame->len, &frame->meta);
        stage->told++;
    }
    /* What is under way keeps the thread awake. */
    return done < 0 ? fail(rxq) : 1;
}

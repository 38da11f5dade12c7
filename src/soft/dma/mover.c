/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/dma/mover.h"

#include <errno.h>
#include <stdlib.h>

#include "soft/copy/guard.h"
#include "soft/copy/range.h"
#include "soft/nic/mkey.h"

/* Keys are held for a chunk, so that a map that ends does not wait for the whole of a large copy.
 */
#define CHUNK (1u << 20)
#define STAGE (256u << 10) /* of copies from and to memory that the CPU does not reach */

struct soft_dma_mover {
    const struct soft_device *device;
    struct soft_gpu *gpu;
    struct soft_copy_lane lane;
    struct soft_gpu_copier *copier; /* NULL: all memory is reached */
    struct soft_gpu_memory *stage;
};

static int open_stage(struct soft_dma_mover *mover)
{
    int err;

    if (mover->gpu->ops->copier_open == NULL)
        return 0;
    err = soft_gpu_alloc(mover->gpu, STAGE, 0, SOFT_GPU_ON_CPU, &mover->stage);
    if (err != 0)
        return err;
    err = mover->gpu->ops->copier_open(mover->gpu, &mover->copier);
    if (err != 0)
        soft_gpu_put(mover->stage);
    return err;
}

int soft_dma_mover_open(struct soft_gpu *gpu, const struct soft_device *device,
                        struct soft_dma_mover **out)
{
    struct soft_dma_mover *mover = calloc(1, sizeof(*mover));
    int err;

    if (mover == NULL)
        return soft_fail(-ENOMEM, "no memory for copies of kernels");
    mover->device = device;
    mover->gpu = gpu;
    err = soft_copy_guard_install();
    if (err != 0) {
        soft_fail(err, "no handler for bad pages");
        goto err_free;
    }
    err = soft_copy_lane_init(&mover->lane);
    if (err != 0)
        goto err_free;
    err = open_stage(mover);
    if (err != 0)
        goto err_fini_lane;
    *out = mover;
    return 0;

err_fini_lane:
    soft_copy_lane_fini(&mover->lane);
err_free:
    free(mover);
    return err;
}

void soft_dma_mover_close(struct soft_dma_mover *mover)
{
    if (mover == NULL)
        return;
    if (mover->copier != NULL)
        mover->gpu->ops->copier_close(mover->copier);
    soft_gpu_put(mover->stage);
    soft_copy_lane_fini(&mover->lane);
    free(mover);
}

/* ------------------------------------------------------------------------------------------------
 * Sides
 */

/* Where a side is, while the keys are held. */
struct side {
    struct soft_seg seg;
    char *at; /* for the GPU only; else NULL */
};

static int check_access(const struct soft_nic_mkey *what, const struct soft_dma_end *end,
                        bool write)
{
    if (end->access != 0)
        return what->peer != NULL && (what->access & end->access) == end->access ? 0 : -EACCES;
    return (write ? what->can_write : what->can_read) ? 0 : -EACCES;
}

static int find_side(const struct soft_dma_mover *mover, const struct soft_dma_end *end,
                     uint64_t offset, uint64_t len, bool write, struct side *side)
{
    const struct soft_nic_mkey *what;
    const char *addr = (const char *)(uintptr_t)(end->addr + offset);
    int err;

    *side = (struct side){.seg = {.len = len}};
    if (end->own != NULL) {
        side->seg.addr = (uintptr_t)end->own + offset;
        return 0;
    }
    what = soft_nic_mkey_find(end->key, mover->device, end->addr + offset, len);
    if (what == NULL)
        return -EINVAL;
    err = check_access(what, end, write);
    if (err != 0)
        return err;
    side->seg.peer = what->peer;
    if (what->memory == NULL) {
        side->seg.addr = (uintptr_t)addr;
        return 0;
    }
    side->seg.addr = (uintptr_t)soft_gpu_cpu(what->memory, addr);
    if (side->seg.addr != 0)
        return 0;
    side->at = soft_gpu_at(what->memory, addr);
    return what->memory->gpu == mover->gpu && mover->copier != NULL ? 0 : -ENOTSUP;
}

/* ------------------------------------------------------------------------------------------------
 * Copies
 */

static int finish_staged(struct soft_dma_mover *mover, int err)
{
    return err == 0 && soft_gpu_await_copies(mover->gpu, mover->copier) == 0 ? 0 : -EIO;
}

static int move_chunk(struct soft_dma_mover *mover, struct side *dst, struct side *src,
                      uint64_t len)
{
    const struct soft_copy_job job = {
        .src = &src->seg, .dst = &dst->seg, .nsrc = 1, .ndst = 1, .len = len};
    char *stage = mover->stage != NULL ? mover->stage->cpu : NULL;
    const struct soft_gpu_ops *ops = mover->gpu->ops;
    int err = 0;

    if (src->at != NULL) {
        err = finish_staged(mover, ops->copy_out(mover->copier, stage, src->at, len));
        src->seg.addr = (uintptr_t)stage;
    }
    if (dst->at != NULL && src->at == NULL)
        dst->seg.addr = (uintptr_t)stage;
    if (err == 0 && (dst->at == NULL || src->at == NULL))
        err = soft_copy_range(&mover->lane, &job, 0, len);
    if (err == 0 && dst->at != NULL)
        err = finish_staged(mover, ops->copy_in(mover->copier, dst->at, stage, len));
    return err;
}

int soft_dma_move(struct soft_dma_mover *mover, const struct soft_dma_end *dst,
                  const struct soft_dma_end *src, uint64_t len)
{
    const uint64_t chunk = mover->copier != NULL ? STAGE : CHUNK;
    int err = 0;

    for (uint64_t done = 0; done < len && err == 0;) {
        const uint64_t part = OD_MIN(len - done, chunk);
        struct side from, to;

        soft_nic_mkeys_enter();
        err = find_side(mover, src, done, done == 0 ? len : part, false, &from);
        if (err == 0)
            err = find_side(mover, dst, done, done == 0 ? len : part, true, &to);
        if (err == 0)
            err = move_chunk(mover, &to, &from, part);
        soft_nic_mkeys_leave();
        done += part;
    }
    return err;
}

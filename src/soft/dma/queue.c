/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/dma/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <impl/opendoca_gpu_barrier.h>

#include "soft/dma/mover.h"
#include "soft/gpu/watch.h"

#define AT_ONCE   64u /* copies between two looks at the doorbell */
#define DRAIN_NS  20000
#define DRAIN_MAX 500000u /* looks: ten seconds and more */

struct soft_dma_queue {
    struct od_list link; /* of all queues */
    struct soft_dma_ring ring;
    struct soft_dma_mover *mover;
    struct soft_gpu_watch *watch;
    uint64_t done, failed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct od_list queues = {&queues, &queues};

/* ------------------------------------------------------------------------------------------------
 * Copies
 */

/* Read once; kernels may write it again at any time. */
static int copy(struct soft_dma_queue *q, uint64_t number)
{
    const uint64_t *words = (const uint64_t *)&q->ring.copies[number & (q->ring.num - 1)];
    uint64_t keys = opendoca_gpu_peek(&words[3]);
    const struct soft_dma_end src = {.addr = opendoca_gpu_peek(&words[0]),
                                     .key = opendoca_gpu_swap32((uint32_t)keys)};
    const struct soft_dma_end dst = {.addr = opendoca_gpu_peek(&words[1]),
                                     .key = opendoca_gpu_swap32((uint32_t)(keys >> 32))};

    return soft_dma_move(q->mover, &dst, &src, opendoca_gpu_peek(&words[2]));
}

static bool is_broken(struct soft_dma_queue *q, uint64_t committed)
{
    if (od_likely(opendoca_gpu_peek32(q->ring.magic) == OPENDOCA_GPU_DMA_MAGIC &&
                  committed - q->done <= q->ring.num))
        return false;
    opendoca_gpu_publish(&q->ring.words->state, OPENDOCA_GPU_QUEUE_BROKEN);
    return true;
}

static uint32_t look(void *arg, uint64_t *wake_at)
{
    struct soft_dma_queue *q = arg;
    uint64_t committed = opendoca_gpu_observe(&q->ring.words->committed);
    uint32_t n = 0;

    (void)wake_at;
    if (committed == q->done || is_broken(q, committed))
        return 0;
    for (; n < AT_ONCE && q->done != committed; n++) {
        if (od_unlikely(copy(q, q->done) != 0))
            opendoca_gpu_poke(&q->ring.words->failed, ++q->failed);
        opendoca_gpu_publish(&q->ring.words->done, ++q->done);
    }
    return n;
}

/* ------------------------------------------------------------------------------------------------
 * Ends of kernels
 */

static bool is_behind(const struct opendoca_gpu_dma_words *words)
{
    return opendoca_gpu_observe(&words->state) == OPENDOCA_GPU_QUEUE_RUNS &&
           opendoca_gpu_observe(&words->done) != opendoca_gpu_observe(&words->committed);
}

static void drain_all(void)
{
    const struct timespec pause = {.tv_nsec = DRAIN_NS};

    pthread_mutex_lock(&lock);
    OD_LIST_FOR_EACH(link, &queues)
    {
        const struct soft_dma_queue *q = OD_LIST_ENTRY(link, struct soft_dma_queue, link);

        for (uint32_t i = 0; i < DRAIN_MAX && is_behind(q->ring.words); i++)
            nanosleep(&pause, NULL);
    }
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

int soft_dma_queue_open(struct soft_gpu *gpu, const struct soft_device *device,
                        const struct soft_dma_ring *ring, struct soft_dma_queue **out)
{
    struct soft_dma_queue *q = calloc(1, sizeof(*q));
    int err;

    if (q == NULL)
        return soft_fail(-ENOMEM, "no memory for copies of kernels");
    q->ring = *ring;
    err = soft_dma_mover_open(gpu, device, &q->mover);
    if (err != 0)
        goto err_free;
    err = soft_gpu_watch_start("copies of kernels", &device->engine, SOFT_GPU_WATCH_ANY, look, q,
                               &q->watch);
    if (err != 0)
        goto err_close_mover;
    pthread_mutex_lock(&lock);
    od_list_append(&queues, &q->link);
    pthread_mutex_unlock(&lock);
    soft_gpu_on_retire(drain_all);
    *out = q;
    return 0;

err_close_mover:
    soft_dma_mover_close(q->mover);
err_free:
    free(q);
    return err;
}

uint64_t soft_dma_queue_close(struct soft_dma_queue *q)
{
    uint64_t failed;

    if (q == NULL)
        return 0;
    pthread_mutex_lock(&lock);
    od_list_remove(&q->link);
    pthread_mutex_unlock(&lock);
    soft_gpu_watch_stop(q->watch);
    soft_dma_mover_close(q->mover);
    failed = q->failed;
    free(q);
    return failed;
}

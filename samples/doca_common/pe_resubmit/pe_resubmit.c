/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring of four tasks that serves sixteen copies: each completion callback gives its task new
 * buffers and submits it again. Nothing is allocated on the way.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "../../common/sample.h"

DOCA_LOG_REGISTER(RESUBMIT);

#define TASKS  4u
#define COPIES 16u
#define PIECE  1024u

struct ring {
    struct doca_buf *src[COPIES], *dst[COPIES];
    unsigned int next; /* first copy that no task has taken */
};

static void again(struct sample_dma *dma, struct doca_dma_task_memcpy *task)
{
    struct ring *ring = dma->user;
    struct doca_task *base = doca_dma_task_memcpy_as_task(task);

    if (ring->next == COPIES) {
        doca_task_free(base);
        return;
    }
    doca_dma_task_memcpy_set_src(task, ring->src[ring->next]);
    doca_dma_task_memcpy_set_dst(task, ring->dst[ring->next]);
    ring->next++;
    if (doca_task_submit(base) != DOCA_SUCCESS)
        doca_task_free(base);
}

static doca_error_t get_buffers(struct sample_dma *dma, struct ring *ring,
                                struct doca_mmap *src_map, char *src, struct doca_mmap *dst_map,
                                char *dst)
{
    for (unsigned int i = 0; i < COPIES; i++) {
        doca_error_t result = doca_buf_inventory_buf_get_by_data(
            dma->inventory, src_map, src + i * PIECE, PIECE, &ring->src[i]);

        if (result == DOCA_SUCCESS)
            result = doca_buf_inventory_buf_get_by_addr(dma->inventory, dst_map, dst + i * PIECE,
                                                        PIECE, &ring->dst[i]);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

static void put_buffers(struct ring *ring)
{
    for (unsigned int i = 0; i < COPIES; i++) {
        if (ring->src[i] != NULL)
            doca_buf_dec_refcount(ring->src[i], NULL);
        if (ring->dst[i] != NULL)
            doca_buf_dec_refcount(ring->dst[i], NULL);
    }
}

static doca_error_t run(struct sample_dma *dma, struct ring *ring)
{
    doca_error_t result = DOCA_SUCCESS;

    dma->user = ring;
    dma->on_success = again;
    while (result == DOCA_SUCCESS && ring->next < TASKS) {
        union doca_data none = {.u64 = 0};
        struct doca_dma_task_memcpy *task;

        result = doca_dma_task_memcpy_alloc_init(dma->dma, ring->src[ring->next],
                                                 ring->dst[ring->next], none, &task);
        if (result == DOCA_SUCCESS) {
            ring->next++;
            result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
        }
    }
    if (result == DOCA_SUCCESS)
        result = sample_dma_wait(dma, COPIES);
    if (result == DOCA_SUCCESS)
        printf("%u tasks served %u copies\n", TASKS, dma->completed);
    return result;
}

int main(int argc, char **argv)
{
    static char src[COPIES * PIECE], dst[COPIES * PIECE];
    struct doca_mmap *src_map = NULL, *dst_map = NULL;
    struct doca_dev *dev = NULL;
    struct ring ring = {.next = 0};
    struct sample_dma dma;
    doca_error_t result;

    device_open_log();
    if (sample_takes_no_arguments(argc, argv) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    memset(src, 'r', sizeof(src));
    result = sample_open_device(SAMPLE_PCI_ADDR, &dev);
    if (result == DOCA_SUCCESS)
        result = sample_map(dev, src, sizeof(src), DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &src_map);
    if (result == DOCA_SUCCESS)
        result = sample_map(dev, dst, sizeof(dst), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &dst_map);
    if (result == DOCA_SUCCESS)
        result = sample_dma_start(&dma, dev, TASKS, 2 * COPIES);
    if (result == DOCA_SUCCESS) {
        result = get_buffers(&dma, &ring, src_map, src, dst_map, dst);
        if (result == DOCA_SUCCESS)
            result = run(&dma, &ring);
        put_buffers(&ring);
        sample_dma_stop(&dma);
    }
    if (result == DOCA_SUCCESS && memcmp(src, dst, sizeof(src)) != 0)
        result = DOCA_ERROR_UNEXPECTED;
    if (dst_map != NULL)
        doca_mmap_destroy(dst_map);
    if (src_map != NULL)
        doca_mmap_destroy(src_map);
    doca_dev_close(dev);
    return sample_exit(result);
}

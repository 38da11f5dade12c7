/* SPDX-License-Identifier: BSD-3-Clause */
/* Scatter-gather: a source in several pieces goes to a destination in several other pieces, with
 * one task. The boundaries of the two sides have nothing to do with each other.
 *
 *     dma_list_copy [-ns PIECES] [-nd PIECES]
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../../common/sample.h"

DOCA_LOG_REGISTER(LIST_COPY);

#define TOTAL 100000u

struct config {
    int src_pieces;
    int dst_pieces;
};

static doca_error_t set_pieces(int *pieces, int value)
{
    if (value < 1) {
        DOCA_LOG_ERR("A side has 1 piece at least, not %d", value);
        return DOCA_ERROR_INVALID_VALUE;
    }
    *pieces = value;
    return DOCA_SUCCESS;
}

static doca_error_t set_src_pieces(void *value, void *config)
{
    return set_pieces(&((struct config *)config)->src_pieces, *(int *)value);
}

static doca_error_t set_dst_pieces(void *value, void *config)
{
    return set_pieces(&((struct config *)config)->dst_pieces, *(int *)value);
}

/* A list of `pieces` buffers over `memory`: the source's hold data, the destination's are empty. */
static doca_error_t make_list(struct sample_dma *dma, struct doca_mmap *map, char *memory,
                              unsigned int pieces, bool is_source, struct doca_buf **head)
{
    size_t piece = TOTAL / pieces, offset = 0;

    *head = NULL;
    for (unsigned int i = 0; i < pieces; i++) {
        size_t len = i == 0 ? TOTAL - (pieces - 1) * piece : piece;
        struct doca_buf *buf;
        doca_error_t result = is_source
                                  ? doca_buf_inventory_buf_get_by_data(dma->inventory, map,
                                                                       memory + offset, len, &buf)
                                  : doca_buf_inventory_buf_get_by_addr(dma->inventory, map,
                                                                       memory + offset, len, &buf);

        if (result == DOCA_SUCCESS && *head != NULL)
            result = doca_buf_chain_list(*head, buf);
        if (result != DOCA_SUCCESS)
            return result;
        if (*head == NULL)
            *head = buf;
        offset += len;
    }
    return DOCA_SUCCESS;
}

static void show(const char *what, struct doca_buf *list)
{
    unsigned int pieces = 0;
    size_t total = 0;

    for (struct doca_buf *buf = list; buf != NULL; pieces++) {
        size_t len = 0;

        doca_buf_get_data_len(buf, &len);
        total += len;
        doca_buf_get_next_in_list(buf, &buf);
    }
    printf("%s: %zu bytes in %u pieces\n", what, total, pieces);
}

static void keep(struct sample_dma *dma, struct doca_dma_task_memcpy *task)
{
    (void)dma;
    show("source", (struct doca_buf *)doca_dma_task_memcpy_get_src(task));
    show("destination", doca_dma_task_memcpy_get_dst(task));
    sample_task_done(task);
}

static doca_error_t copy_lists(struct sample_dma *dma, struct doca_mmap *dst_map, char *dst,
                               struct doca_mmap *src_map, char *src, const struct config *config)
{
    union doca_data none = {.u64 = 0};
    struct doca_dma_task_memcpy *task;
    struct doca_buf *from, *to;
    doca_error_t result =
        make_list(dma, src_map, src, (unsigned int)config->src_pieces, true, &from);

    if (result != DOCA_SUCCESS)
        return result;
    result = make_list(dma, dst_map, dst, (unsigned int)config->dst_pieces, false, &to);
    if (result != DOCA_SUCCESS)
        return result;
    dma->on_success = keep;
    result = doca_dma_task_memcpy_alloc_init(dma->dma, from, to, none, &task);
    if (result != DOCA_SUCCESS)
        return result;
    /* try_submit checks what submit would leave to the completion */
    result = doca_task_try_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS)
        return result;
    return sample_dma_wait(dma, 1);
}

static doca_error_t run(struct doca_dev *dev, const struct config *config)
{
    static char src[TOTAL], dst[TOTAL];
    struct doca_mmap *src_map = NULL, *dst_map = NULL;
    struct sample_dma dma;
    uint32_t max_list = 0;
    doca_error_t result =
        doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(dev), &max_list);

    if (result != DOCA_SUCCESS)
        return result;
    if ((uint32_t)config->src_pieces > max_list || (uint32_t)config->dst_pieces > max_list) {
        DOCA_LOG_ERR("The device takes at most %u pieces a side", max_list);
        return DOCA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < TOTAL; i++)
        src[i] = (char)(i * 31);
    result = sample_map(dev, src, TOTAL, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &src_map);
    if (result == DOCA_SUCCESS)
        result = sample_map(dev, dst, TOTAL, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &dst_map);
    if (result == DOCA_SUCCESS)
        result =
            sample_dma_start(&dma, dev, 1, (size_t)config->src_pieces + (size_t)config->dst_pieces);
    if (result == DOCA_SUCCESS) {
        result = copy_lists(&dma, dst_map, dst, src_map, src, config);
        sample_dma_stop(&dma);
    }
    if (result == DOCA_SUCCESS && memcmp(src, dst, TOTAL) != 0)
        result = DOCA_ERROR_UNEXPECTED;
    if (dst_map != NULL)
        doca_mmap_destroy(dst_map);
    if (src_map != NULL)
        doca_mmap_destroy(src_map);
    return result;
}

int main(int argc, char **argv)
{
    struct config config = {.src_pieces = 3, .dst_pieces = 5};
    struct doca_dev *dev = NULL;
    doca_error_t result;

    device_open_log();
    result = doca_argp_init(NULL, &config);
    if (result == DOCA_SUCCESS)
        result = sample_register_param("ns", "num-src-buf", "Pieces of the source",
                                       DOCA_ARGP_TYPE_INT, set_src_pieces);
    if (result == DOCA_SUCCESS)
        result = sample_register_param("nd", "num-dst-buf", "Pieces of the destination",
                                       DOCA_ARGP_TYPE_INT, set_dst_pieces);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = sample_open_device(SAMPLE_PCI_ADDR, &dev);
    if (result == DOCA_SUCCESS)
        result = run(dev, &config);
    doca_dev_close(dev);
    doca_argp_destroy();
    return sample_exit(result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A graph: two copies of one source run side by side, and when both are done a function compares
 * the results. The engine keeps the order; the program submits one thing and waits for one
 * callback.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_graph.h>
#include <doca_log.h>

#include "../../common/sample.h"

DOCA_LOG_REGISTER(GRAPH);

#define PIECE 1024u

struct fan_in {
    char src[PIECE], left[PIECE], right[PIECE];
    struct doca_mmap *map;
    struct doca_graph *graph;
    struct doca_graph_node *copy_left, *copy_right, *compare;
    struct doca_graph_instance *instance;
    struct doca_dma_task_memcpy *task_left, *task_right;
    bool done, failed;
};

static doca_error_t compare(void *cookie)
{
    struct fan_in *f = cookie;

    printf("both copies are there, comparing\n");
    return memcmp(f->left, f->right, PIECE) == 0 ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

static void graph_done(struct doca_graph_instance *instance, union doca_data instance_data,
                       union doca_data graph_data)
{
    (void)instance;
    (void)instance_data;
    ((struct fan_in *)graph_data.ptr)->done = true;
}

static void graph_failed(struct doca_graph_instance *instance, union doca_data instance_data,
                         union doca_data graph_data)
{
    graph_done(instance, instance_data, graph_data);
    ((struct fan_in *)graph_data.ptr)->failed = true;
}

static doca_error_t build(struct sample_dma *dma, struct fan_in *f)
{
    struct doca_ctx *ctx = doca_dma_as_ctx(dma->dma);
    union doca_data self = {.ptr = f};
    doca_error_t result = doca_graph_create(dma->pe, &f->graph);

    if (result == DOCA_SUCCESS)
        result = doca_graph_set_conf(f->graph, graph_done, graph_failed, 1);
    if (result == DOCA_SUCCESS)
        result = doca_graph_set_user_data(f->graph, self);
    if (result == DOCA_SUCCESS)
        result = doca_graph_node_create_from_ctx(f->graph, ctx, &f->copy_left);
    if (result == DOCA_SUCCESS)
        result = doca_graph_node_create_from_ctx(f->graph, ctx, &f->copy_right);
    if (result == DOCA_SUCCESS)
        result = doca_graph_node_create_from_user(f->graph, compare, &f->compare);
    if (result == DOCA_SUCCESS)
        result = doca_graph_add_dependency(f->graph, f->copy_left, f->compare);
    if (result == DOCA_SUCCESS)
        result = doca_graph_add_dependency(f->graph, f->copy_right, f->compare);
    if (result == DOCA_SUCCESS)
        result = doca_graph_start(f->graph);
    return result;
}

static doca_error_t make_task(struct sample_dma *dma, struct fan_in *f, char *dst,
                              struct doca_dma_task_memcpy **task)
{
    union doca_data none = {.u64 = 0};
    struct doca_buf *from, *to;
    doca_error_t result =
        doca_buf_inventory_buf_get_by_data(dma->inventory, f->map, f->src, PIECE, &from);

    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(dma->inventory, f->map, dst, PIECE, &to);
    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_alloc_init(dma->dma, from, to, none, task);
    return result;
}

static doca_error_t run(struct sample_dma *dma, struct fan_in *f)
{
    doca_error_t result = make_task(dma, f, f->left, &f->task_left);

    if (result == DOCA_SUCCESS)
        result = make_task(dma, f, f->right, &f->task_right);
    if (result == DOCA_SUCCESS)
        result = doca_graph_instance_create(f->graph, &f->instance);
    if (result == DOCA_SUCCESS)
        result = doca_graph_instance_set_ctx_node_data(f->instance, f->copy_left,
                                                       doca_dma_task_memcpy_as_task(f->task_left));
    if (result == DOCA_SUCCESS)
        result = doca_graph_instance_set_ctx_node_data(f->instance, f->copy_right,
                                                       doca_dma_task_memcpy_as_task(f->task_right));
    if (result == DOCA_SUCCESS)
        result = doca_graph_instance_set_user_node_data(f->instance, f->compare, f);
    if (result == DOCA_SUCCESS)
        result = doca_graph_instance_submit(f->instance);
    while (result == DOCA_SUCCESS && !f->done)
        doca_pe_progress(dma->pe);
    if (result == DOCA_SUCCESS && (f->failed || memcmp(f->src, f->left, PIECE) != 0))
        result = DOCA_ERROR_UNEXPECTED;
    return result;
}

/* Instances go first, then tasks, then the graph. */
static void tear_down(struct fan_in *f)
{
    if (f->instance != NULL)
        doca_graph_instance_destroy(f->instance);
    if (f->task_left != NULL)
        sample_task_done(f->task_left);
    if (f->task_right != NULL)
        sample_task_done(f->task_right);
    if (f->graph != NULL) {
        doca_graph_stop(f->graph);
        doca_graph_destroy(f->graph);
    }
}

int main(int argc, char **argv)
{
    static struct fan_in f;
    struct doca_dev *dev = NULL;
    struct sample_dma dma;
    doca_error_t result;

    device_open_log();
    if (sample_takes_no_arguments(argc, argv) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    memset(f.src, 'g', PIECE);
    result = sample_open_device(SAMPLE_PCI_ADDR, &dev);
    if (result == DOCA_SUCCESS)
        result = sample_map(dev, &f, sizeof(f), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &f.map);
    if (result == DOCA_SUCCESS)
        result = sample_dma_start(&dma, dev, 2, 4);
    if (result == DOCA_SUCCESS) {
        result = build(&dma, &f);
        if (result == DOCA_SUCCESS)
            result = run(&dma, &f);
        tear_down(&f);
        sample_dma_stop(&dma);
    }
    if (f.map != NULL)
        doca_mmap_destroy(f.map);
    doca_dev_close(dev);
    return sample_exit(result);
}

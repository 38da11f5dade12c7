/* SPDX-License-Identifier: BSD-3-Clause */
/* A graph of two copies from one source and a function that runs after both, ten instances of it.
 */

#include <string.h>

#include <doca_graph.h>
#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(GRAPH_JOIN);

#define INSTANCES 10
#define COPIES    2
#define BLOCK     1024

struct run {
    struct doca_graph_instance *instance;
    struct doca_dma_task_memcpy *tasks[COPIES];
    struct doca_buf *dst[COPIES];
    const char *source;
    unsigned int joined; /* times that the function ran */
    unsigned int done;
    unsigned int failed;
};

struct work {
    struct kit kit;
    struct doca_dma *dma;
    struct doca_graph *graph;
    struct doca_graph_node *copies[COPIES];
    struct doca_graph_node *join;
    struct doca_buf *source;
    struct run runs[INSTANCES];
    unsigned int ended;
    unsigned int stray; /* callbacks of tasks, which must not come */
};

static void on_task(struct doca_dma_task_memcpy *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    ((struct work *)ctx_data.ptr)->stray++;
}

/* After both copies: what they wrote must be there. */
static doca_error_t join(void *cookie)
{
    struct run *run = cookie;

    run->joined++;
    for (int i = 0; i < COPIES; i++) {
        size_t len = 0;
        void *data = NULL;

        (void)doca_buf_get_data_len(run->dst[i], &len);
        (void)doca_buf_get_data(run->dst[i], &data);
        if (len != BLOCK || memcmp(data, run->source, BLOCK) != 0)
            return DOCA_ERROR_BAD_STATE;
    }
    return DOCA_SUCCESS;
}

static void on_success(struct doca_graph_instance *instance, union doca_data instance_data,
                       union doca_data graph_data)
{
    struct run *run = instance_data.ptr;

    (void)instance;
    run->done++;
    ((struct work *)graph_data.ptr)->ended++;
}

static void on_error(struct doca_graph_instance *instance, union doca_data instance_data,
                     union doca_data graph_data)
{
    struct run *run = instance_data.ptr;

    (void)instance;
    DOCA_LOG_ERR("An instance failed");
    run->failed++;
    ((struct work *)graph_data.ptr)->ended++;
}

static doca_error_t create_graph(struct work *work)
{
    union doca_data data = {.ptr = work};
    doca_error_t result = doca_graph_create(work->kit.pe, &work->graph);

    if (result == DOCA_SUCCESS)
        result = doca_graph_set_conf(work->graph, on_success, on_error, INSTANCES);
    if (result == DOCA_SUCCESS)
        result = doca_graph_set_user_data(work->graph, data);
    if (result == DOCA_SUCCESS)
        result = doca_graph_node_create_from_user(work->graph, join, &work->join);
    for (int i = 0; i < COPIES && result == DOCA_SUCCESS; i++) {
        result = doca_graph_node_create_from_ctx(work->graph, doca_dma_as_ctx(work->dma),
                                                 &work->copies[i]);
        if (result == DOCA_SUCCESS)
            result = doca_graph_add_dependency(work->graph, work->copies[i], work->join);
    }
    return result == DOCA_SUCCESS ? doca_graph_start(work->graph) : result;
}

static doca_error_t create_task(struct work *work, struct run *run, int i, char *dst)
{
    union doca_data none = {.u64 = 0};
    struct kit *kit = &work->kit;
    doca_error_t result =
        doca_buf_inventory_buf_get_by_addr(kit->inventory, kit->dst_map, dst, BLOCK, &run->dst[i]);

    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_alloc_init(work->dma, work->source, run->dst[i], none,
                                                 &run->tasks[i]);
    if (result == DOCA_SUCCESS)
        result = doca_graph_instance_set_ctx_node_data(run->instance, work->copies[i],
                                                       doca_dma_task_memcpy_as_task(run->tasks[i]));
    return result;
}

static doca_error_t create_instance(struct work *work, int number)
{
    struct run *run = &work->runs[number];
    union doca_data data = {.ptr = run};
    doca_error_t result = doca_graph_instance_create(work->graph, &run->instance);

    run->source = work->kit.src;
    if (result == DOCA_SUCCESS)
        result = doca_graph_instance_set_user_data(run->instance, data);
    if (result == DOCA_SUCCESS)
        result = doca_graph_instance_set_user_node_data(run->instance, work->join, run);
    for (int i = 0; i < COPIES && result == DOCA_SUCCESS; i++)
        result = create_task(work, run, i, work->kit.dst + (size_t)(number * COPIES + i) * BLOCK);
    return result;
}

static void destroy_instance(struct run *run, doca_error_t *result)
{
    doca_error_t tmp;

    if (run->instance != NULL) {
        tmp = doca_graph_instance_destroy(run->instance);
        DOCA_ERROR_PROPAGATE(*result, tmp);
    }
    for (int i = 0; i < COPIES; i++) {
        if (run->tasks[i] != NULL)
            doca_task_free(doca_dma_task_memcpy_as_task(run->tasks[i]));
        if (run->dst[i] != NULL) {
            tmp = doca_buf_dec_refcount(run->dst[i], NULL);
            DOCA_ERROR_PROPAGATE(*result, tmp);
        }
    }
}

static bool is_incomplete(void *arg)
{
    return ((struct work *)arg)->ended < INSTANCES;
}

static doca_error_t judge(const struct work *work)
{
    for (int i = 0; i < INSTANCES; i++) {
        const struct run *run = &work->runs[i];

        if (run->joined != 1 || run->done != 1 || run->failed != 0)
            return DOCA_ERROR_UNKNOWN;
    }
    return work->stray == 0 ? DOCA_SUCCESS : DOCA_ERROR_UNKNOWN;
}

static doca_error_t copy(struct work *work)
{
    struct kit *kit = &work->kit;
    doca_error_t result = doca_buf_inventory_buf_get_by_data(kit->inventory, kit->src_map, kit->src,
                                                             BLOCK, &work->source);

    if (result == DOCA_SUCCESS)
        result = create_graph(work);
    for (int i = 0; i < INSTANCES && result == DOCA_SUCCESS; i++)
        result = create_instance(work, i);
    for (int i = 0; i < INSTANCES && result == DOCA_SUCCESS; i++)
        result = doca_graph_instance_submit(work->runs[i].instance);
    if (result == DOCA_SUCCESS)
        result = kit_progress(kit->pe, is_incomplete, work);
    return result == DOCA_SUCCESS ? judge(work) : result;
}

static doca_error_t tear_down(struct work *work)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    for (int i = 0; i < INSTANCES; i++)
        destroy_instance(&work->runs[i], &result);
    if (work->source != NULL) {
        tmp = doca_buf_dec_refcount(work->source, NULL);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (work->graph != NULL) {
        tmp = doca_graph_stop(work->graph);
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_graph_destroy(work->graph);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = kit_stop(work->kit.pe, doca_dma_as_ctx(work->dma));
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_dma_destroy(work->dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t run(struct work *work)
{
    doca_error_t result =
        kit_dma(&work->kit, on_task, on_task, INSTANCES * COPIES, work, &work->dma);
    doca_error_t tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(doca_dma_as_ctx(work->dma));
    if (result == DOCA_SUCCESS)
        result = copy(work);
    tmp = tear_down(work);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(void)
{
    static struct work work;
    doca_error_t result = kit_log(), tmp;

    if (result != DOCA_SUCCESS)
        return 1;
    result = kit_create(&work.kit, INSTANCES * COPIES, BLOCK);
    if (result == DOCA_SUCCESS)
        result = run(&work);
    tmp = kit_destroy(&work.kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("graph_join", result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/progress/graph_priv.h"

#include <stdio.h>
#include <stdlib.h>

static doca_error_t fail_memory(const char *func, const char *object, const char *what)
{
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_GRAPH, func, object, what,
                     "not allocated" CORE_REMEDY "free memory or ask for less");
}

static doca_error_t check_stopped(const struct doca_graph *graph, const char *func)
{
    if (!graph->started)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GRAPH, func, graph->name, "state",
                     "started" CORE_LIMIT "stopped" CORE_REMEDY "call doca_graph_stop() first");
}

doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph)
{
    struct doca_graph *created;

    if (!core_is_live(CORE_LIVE_PE, pe))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "pe", pe);
    if (graph == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "graph");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return fail_memory(__func__, NULL, "graph");
    created->pe = pe;
    od_list_init(&created->referrers);
    snprintf(created->name, sizeof(created->name), "graph#%u", core_next_id());
    core_pe_hold(pe);
    core_live_add(CORE_LIVE_GRAPH, created);
    *graph = created;
    return DOCA_SUCCESS;
}

static void free_node(struct doca_graph_node *node)
{
    if (node->kind == GRAPH_NODE_SUB)
        od_list_remove(&node->referrer);
    core_live_remove(node);
    free(node->succs);
    free(node);
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    result = check_stopped(graph, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    OD_LIST_FOR_EACH_SAFE(link, &graph->referrers)
    {
        OD_LIST_ENTRY(link, struct doca_graph_node, referrer)->sub = NULL;
        od_list_remove(link);
    }
    for (uint32_t i = 0; i < graph->nnodes; i++)
        free_node(graph->nodes[i]);
    free(graph->nodes);
    core_pe_release(graph->pe);
    core_live_remove(graph);
    free(graph);
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_conf(struct doca_graph *graph,
                                 doca_graph_completion_cb_t graph_completion_cb,
                                 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (graph_completion_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "graph_completion_cb");
    if (graph_error_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "graph_error_cb");
    if (num_instances == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GRAPH, __func__, graph->name,
                         "num_instances", "0" CORE_LIMIT "at least 1");
    result = check_stopped(graph, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    graph->done_cb = graph_completion_cb;
    graph->error_cb = graph_error_cb;
    graph->max_instances = num_instances;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    result = check_stopped(graph, __func__);
    if (result == DOCA_SUCCESS)
        graph->user_data = user_data;
    return result;
}

doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data)
{
    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (user_data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "user_data");
    *user_data = graph->user_data;
    return DOCA_SUCCESS;
}

/* What the three ways to create a node share. The node is the graph's when this succeeds. */
static doca_error_t add_node(struct doca_graph *graph, enum graph_node_kind kind, const char *func,
                             struct doca_graph_node **node)
{
    struct doca_graph_node **nodes;
    struct doca_graph_node *added;
    doca_error_t result = check_stopped(graph, func);

    if (result != DOCA_SUCCESS)
        return result;
    nodes = realloc(graph->nodes, (graph->nnodes + (size_t)1) * sizeof(*nodes));
    if (nodes == NULL)
        return fail_memory(func, graph->name, "node");
    graph->nodes = nodes;
    added = calloc(1, sizeof(*added));
    if (added == NULL)
        return fail_memory(func, graph->name, "node");
    added->graph = graph;
    added->kind = kind;
    added->index = graph->nnodes;
    od_list_init(&added->referrer);
    nodes[graph->nnodes++] = added;
    core_live_add(CORE_LIVE_GRAPH_NODE, added);
    *node = added;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
                                             struct doca_graph_node **node)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "ctx", ctx);
    if (node == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "node");
    result = add_node(graph, GRAPH_NODE_CTX, __func__, node);
    if (result == DOCA_SUCCESS)
        (*node)->ctx = ctx;
    return result;
}

doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
                                              doca_graph_user_node_cb_t cb,
                                              struct doca_graph_node **node)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "cb");
    if (node == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "node");
    result = add_node(graph, GRAPH_NODE_USER, __func__, node);
    if (result == DOCA_SUCCESS)
        (*node)->user = cb;
    return result;
}

/* Is `wanted` the graph `top` or anywhere below it? A work list instead of recursion: a graph that
 * is reached on many ways is looked at once. */
static bool contains_graph(struct doca_graph *top, const struct doca_graph *wanted)
{
    struct doca_graph *last = top;
    bool found = top == wanted;

    top->seen = true;
    top->next_seen = NULL;
    for (struct doca_graph *graph = top; graph != NULL && !found; graph = graph->next_seen) {
        for (uint32_t i = 0; i < graph->nnodes; i++) {
            const struct doca_graph_node *node = graph->nodes[i];

            if (node->kind != GRAPH_NODE_SUB || node->sub == NULL || node->sub->seen)
                continue;
            found = found || node->sub == wanted;
            node->sub->seen = true;
            node->sub->next_seen = NULL;
            last->next_seen = node->sub;
            last = node->sub;
        }
    }
    for (struct doca_graph *graph = top; graph != NULL; graph = graph->next_seen)
        graph->seen = false;
    return found;
}

doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
                                               struct doca_graph *sub_graph,
                                               struct doca_graph_node **node)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (!core_is_live(CORE_LIVE_GRAPH, sub_graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "sub_graph", sub_graph);
    if (node == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "node");
    result = check_stopped(graph, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (sub_graph->pe != graph->pe)
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_GRAPH, __func__, graph->name, "sub_graph",
            "%s of another progress engine" CORE_REMEDY "create both graphs on one engine",
            sub_graph->name);
    if (contains_graph(sub_graph, graph))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_GRAPH, __func__, graph->name,
                         "sub_graph",
                         "%s, which is or contains the graph" CORE_LIMIT "no cycle" CORE_REMEDY
                         "break the cycle",
                         sub_graph->name);
    result = add_node(graph, GRAPH_NODE_SUB, __func__, node);
    if (result != DOCA_SUCCESS)
        return result;
    (*node)->sub = sub_graph;
    od_list_append(&sub_graph->referrers, &(*node)->referrer);
    return DOCA_SUCCESS;
}

/* Does a way lead from `top` to `wanted`? */
static bool leads_to(struct doca_graph_node *top, const struct doca_graph_node *wanted)
{
    struct doca_graph_node *last = top;
    bool found = top == wanted;

    top->seen = true;
    top->next_seen = NULL;
    for (struct doca_graph_node *node = top; node != NULL && !found; node = node->next_seen) {
        for (uint32_t i = 0; i < node->nsuccs; i++) {
            struct doca_graph_node *succ = node->succs[i];

            if (succ->seen)
                continue;
            found = found || succ == wanted;
            succ->seen = true;
            succ->next_seen = NULL;
            last->next_seen = succ;
            last = succ;
        }
    }
    for (struct doca_graph_node *node = top; node != NULL; node = node->next_seen)
        node->seen = false;
    return found;
}

doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to)
{
    struct doca_graph_node **succs;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (!core_is_live(CORE_LIVE_GRAPH_NODE, from))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "from", from);
    if (!core_is_live(CORE_LIVE_GRAPH_NODE, to))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "to", to);
    if (from->graph != graph || to->graph != graph)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GRAPH, __func__, graph->name,
                         from->graph != graph ? "from" : "to",
                         "a node of %s" CORE_REMEDY "connect nodes of one graph",
                         from->graph != graph ? from->graph->name : to->graph->name);
    result = check_stopped(graph, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (leads_to(to, from))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_GRAPH, __func__, graph->name,
                         "dependency",
                         "node %u after node %u, which waits for it" CORE_LIMIT
                         "no cycle" CORE_REMEDY "break the cycle",
                         to->index, from->index);
    succs = realloc(from->succs, (from->nsuccs + (size_t)1) * sizeof(*succs));
    if (succs == NULL)
        return fail_memory(__func__, graph->name, "dependency");
    succs[from->nsuccs++] = to;
    from->succs = succs;
    to->npreds++;
    return DOCA_SUCCESS;
}

static doca_error_t check_node(const struct doca_graph *graph, const struct doca_graph_node *node)
{
    static const char func[] = "doca_graph_start";

    switch (node->kind) {
    case GRAPH_NODE_CTX:
        if (OD_CHECKED && !core_is_live(CORE_LIVE_CTX, node->ctx))
            return CORE_FAIL_DEAD(CORE_LOG_GRAPH, func, "context of a node", node->ctx);
        if (node->ctx->state == DOCA_CTX_STATE_RUNNING && node->ctx->pe == graph->pe)
            return DOCA_SUCCESS;
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GRAPH, func, graph->name, "context",
                         "%s of node %u, %s" CORE_LIMIT "RUNNING on the graph's engine" CORE_REMEDY
                         "connect and start the contexts before the graph",
                         node->ctx->name, node->index,
                         node->ctx->pe != graph->pe ? "on another engine" : "not RUNNING");
    case GRAPH_NODE_SUB:
        if (node->sub != NULL && node->sub->started)
            return DOCA_SUCCESS;
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GRAPH, func, graph->name, "sub-graph",
                         "%s of node %u, %s" CORE_LIMIT "started" CORE_REMEDY
                         "start sub-graphs first",
                         node->sub != NULL ? node->sub->name : "that", node->index,
                         node->sub != NULL ? "not started" : "destroyed");
    case GRAPH_NODE_USER:
        break;
    }
    return DOCA_SUCCESS;
}

static doca_error_t check_plan(const struct doca_graph *graph)
{
    static const char func[] = "doca_graph_start";
    uint32_t nctxs = 0;

    if (graph->max_instances == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GRAPH, func, graph->name, "configuration",
                         "missing" CORE_REMEDY "call doca_graph_set_conf() first");
    for (uint32_t i = 0; i < graph->nnodes; i++) {
        doca_error_t result = check_node(graph, graph->nodes[i]);

        if (result != DOCA_SUCCESS)
            return result;
        nctxs += graph->nodes[i]->kind == GRAPH_NODE_CTX ? 1 : 0;
    }
    if (nctxs == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GRAPH, func, graph->name, "context nodes",
                         "0 of %u nodes" CORE_LIMIT "at least 1" CORE_REMEDY
                         "call doca_graph_node_create_from_ctx()",
                         graph->nnodes);
    return DOCA_SUCCESS;
}

static size_t instance_size(const struct doca_graph *graph)
{
    return sizeof(struct doca_graph_instance) + graph->nnodes * sizeof(struct graph_run);
}

/* Everything that submitting needs later: an instance for each one that may be alive, with a run
 * for each node. Pages come with the first use of an instance. */
static doca_error_t alloc_instances(struct doca_graph *graph)
{
    graph->instances = calloc(graph->max_instances, instance_size(graph));
    if (graph->instances == NULL)
        return fail_memory("doca_graph_start", graph->name, "instances");
    graph->free = NULL;
    graph->nused = 0;
    return DOCA_SUCCESS;
}

struct doca_graph_instance *core_graph_take_instance(struct doca_graph *graph)
{
    struct doca_graph_instance *instance = graph->free;

    if (instance != NULL) {
        graph->free = instance->next_free;
    } else {
        if (graph->nused == graph->max_instances)
            return NULL;
        instance = (struct doca_graph_instance *)(graph->instances +
                                                  graph->nused++ * instance_size(graph));
        instance->graph = graph;
    }
    graph->ninstances++;
    return instance;
}

/* A started graph keeps its sub-graphs from being stopped. */
static void count_as_parent(struct doca_graph *graph, uint32_t change)
{
    for (uint32_t i = 0; i < graph->nnodes; i++) {
        if (graph->nodes[i]->kind == GRAPH_NODE_SUB)
            graph->nodes[i]->sub->nparents += change;
    }
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (graph->started)
        return DOCA_SUCCESS;
    result = check_plan(graph);
    if (result != DOCA_SUCCESS)
        return result;
    result = alloc_instances(graph);
    if (result != DOCA_SUCCESS)
        return result;
    count_as_parent(graph, 1);
    graph->started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (!graph->started)
        return DOCA_SUCCESS;
    if (graph->ninstances > 0 || graph->nparents > 0)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_GRAPH, __func__, graph->name, "dependents",
                         "%u instances and %u nodes of started graphs" CORE_LIMIT "none" CORE_REMEDY
                         "destroy the instances and stop the graphs that contain this one",
                         graph->ninstances, graph->nparents);
    count_as_parent(graph, UINT32_MAX);
    free(graph->instances);
    graph->instances = NULL;
    graph->free = NULL;
    graph->started = false;
    return DOCA_SUCCESS;
}

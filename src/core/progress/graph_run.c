/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/progress/graph_priv.h"

/* How an instance runs.
 *
 * `running` counts the nodes that were started and have not ended, and one more while a loop over
 * nodes needs the instance to stay. What brings it to 0 ends the run: the user's callback comes
 * last, for it may destroy the instance and the graph. A failed run starts nothing more and ends as
 * soon as what runs has ended. Nodes of sub-graphs look at the instances above them too. */

static bool node_end(struct graph_run *run, doca_error_t status);

static bool has_failed(const struct doca_graph_instance *instance)
{
    while (instance->status == DOCA_SUCCESS) {
        if (instance->parent == NULL)
            return false;
        instance = instance->parent->instance;
    }
    return true;
}

/* Gives the instance and those of its sub-graph nodes back to the user. */
static void unclaim(struct doca_graph_instance *instance)
{
    instance->submitted = false;
    for (uint32_t i = 0; i < instance->graph->nnodes; i++) {
        struct graph_run *run = &instance->runs[i];

        if (run->node->kind != GRAPH_NODE_SUB || !run->has_data || run->sub->parent != run)
            continue;
        run->sub->parent = NULL;
        unclaim(run->sub);
    }
}

/* The run is over. True when the user saw it; then the instance may be gone. */
static bool finish(struct doca_graph_instance *instance)
{
    const struct doca_graph *graph = instance->graph;
    doca_error_t status = instance->status;

    if (instance->parent != NULL) {
        /* Cut short by a failure above: not a success either. */
        if (status == DOCA_SUCCESS && instance->done < graph->nnodes)
            status = DOCA_ERROR_IO_FAILED;
        return node_end(instance->parent, status);
    }
    unclaim(instance);
    if (status == DOCA_SUCCESS)
        graph->done_cb(instance, instance->user_data, graph->user_data);
    else
        graph->error_cb(instance, instance->user_data, graph->user_data);
    return true;
}

static bool drop_running(struct doca_graph_instance *instance)
{
    return --instance->running == 0 && finish(instance);
}

static void task_completed(struct doca_task *task, void *arg)
{
    task->on_complete = NULL;
    node_end(arg, task->status);
}

static doca_error_t submit_task(struct graph_run *run)
{
    struct doca_task *task = run->task;
    doca_error_t result;

    /* A task that is in flight keeps its hook; submitting refuses it below. */
    if (task->state != CORE_TASK_OWNED)
        return doca_task_submit(task);
    task->on_complete = task_completed;
    task->on_complete_arg = run;
    result = doca_task_submit(task);
    if (result != DOCA_SUCCESS)
        task->on_complete = NULL;
    return result;
}

static void start_roots(struct doca_graph_instance *instance);

/* The node is counted in `running` already. */
static void node_start(struct graph_run *run)
{
    doca_error_t status;

    switch (run->node->kind) {
    case GRAPH_NODE_CTX:
        status = submit_task(run);
        if (status == DOCA_ERROR_AGAIN)
            core_pe_defer(run->instance->graph->pe, &run->work);
        else if (status != DOCA_SUCCESS)
            node_end(run, status);
        break;
    case GRAPH_NODE_USER:
        core_pe_defer(run->instance->graph->pe, &run->work);
        break;
    case GRAPH_NODE_SUB:
        run->sub->running = 1;
        start_roots(run->sub);
        drop_running(run->sub);
        break;
    }
}

static void start_if_alive(struct graph_run *run)
{
    if (has_failed(run->instance))
        return;
    run->instance->running++;
    node_start(run);
}

/* User nodes come last: they cannot be refused, so that a task that is refused at once finds
 * nothing started that would have to end first. */
static void start_roots(struct doca_graph_instance *instance)
{
    for (uint32_t i = 0; i < instance->graph->nnodes; i++) {
        struct graph_run *run = &instance->runs[i];

        if (run->node->npreds == 0 && run->node->kind != GRAPH_NODE_USER)
            start_if_alive(run);
    }
    for (uint32_t i = 0; i < instance->graph->nnodes; i++) {
        struct graph_run *run = &instance->runs[i];

        if (run->node->npreds == 0 && run->node->kind == GRAPH_NODE_USER)
            start_if_alive(run);
    }
}

/* True when the user saw the end of the run; then the instance may be gone. */
static bool node_end(struct graph_run *run, doca_error_t status)
{
    struct doca_graph_instance *instance = run->instance;
    const struct doca_graph_node *node = run->node;

    if (od_unlikely(status != DOCA_SUCCESS)) {
        CORE_DEBUG(CORE_LOG_GRAPH, "%s: node %u failed with %s", instance->graph->name, node->index,
                   doca_error_get_name(status));
        if (instance->status == DOCA_SUCCESS)
            instance->status = status;
        return drop_running(instance);
    }
    instance->done++;
    for (uint32_t i = 0; i < node->nsuccs; i++) {
        struct graph_run *succ = &instance->runs[node->succs[i]->index];

        if (--succ->waiting == 0)
            start_if_alive(succ);
    }
    return drop_running(instance);
}

/* What was deferred: a user node, or a task that found its queue full. */
static bool run_deferred_node(struct core_work *work)
{
    struct graph_run *run = OD_CONTAINER_OF(work, struct graph_run, work);
    doca_error_t status;

    if (has_failed(run->instance))
        return drop_running(run->instance);
    if (run->node->kind == GRAPH_NODE_USER) {
        node_end(run, run->node->user(run->cookie));
        return true;
    }
    status = submit_task(run);
    if (status == DOCA_SUCCESS)
        return false;
    if (status != DOCA_ERROR_AGAIN)
        return node_end(run, status);
    core_pe_defer(run->instance->graph->pe, work);
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Instances
 */

doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance)
{
    struct doca_graph_instance *instance;

    if (!core_is_live(CORE_LIVE_GRAPH, graph))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "graph", graph);
    if (graph_instance == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "graph_instance");
    if (!graph->started)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GRAPH, __func__, graph->name, "state",
                         "stopped" CORE_LIMIT "started" CORE_REMEDY
                         "call doca_graph_start() first");
    instance = core_graph_take_instance((struct doca_graph *)graph);
    if (instance == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_GRAPH, __func__, graph->name, "instances",
                         "all %u are alive" CORE_LIMIT "%u" CORE_REMEDY
                         "destroy one or reserve more with doca_graph_set_conf()",
                         graph->ninstances, graph->max_instances);
    instance->life++;
    instance->user_data.u64 = 0;
    for (uint32_t i = 0; i < graph->nnodes; i++)
        instance->runs[i] = (struct graph_run){
            .work = {.run = run_deferred_node}, .instance = instance, .node = graph->nodes[i]};
    core_live_add(CORE_LIVE_GRAPH_INSTANCE, instance);
    *graph_instance = instance;
    return DOCA_SUCCESS;
}

static doca_error_t check_alive(const struct doca_graph_instance *instance, const char *func)
{
    if (!core_is_live(CORE_LIVE_GRAPH_INSTANCE, instance))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, func, "graph_instance", instance);
    if (core_graph_instance_is_alive(instance))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GRAPH, func, instance->graph->name,
                     "graph_instance",
                     "destroyed" CORE_REMEDY "call doca_graph_instance_create() again");
}

/* The instance exists and is the user's. `code` is what the call answers when it is submitted. */
static doca_error_t check_idle(const struct doca_graph_instance *instance, doca_error_t code,
                               const char *func)
{
    doca_error_t result = check_alive(instance, func);

    if (result != DOCA_SUCCESS || !instance->submitted)
        return result;
    return CORE_FAIL(code, CORE_LOG_GRAPH, func, instance->graph->name, "instance",
                     "submitted, %u nodes running" CORE_LIMIT "not submitted" CORE_REMEDY
                     "wait for the callback of the run",
                     instance->running);
}

doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
    struct doca_graph *graph;
    doca_error_t result = check_idle(graph_instance, DOCA_ERROR_IN_USE, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    graph = graph_instance->graph;
    core_live_remove(graph_instance);
    graph_instance->life++;
    graph_instance->next_free = graph->free;
    graph->free = graph_instance;
    graph->ninstances--;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
                                               union doca_data user_data)
{
    doca_error_t result = check_idle(graph_instance, DOCA_ERROR_IN_USE, __func__);

    if (result == DOCA_SUCCESS)
        graph_instance->user_data = user_data;
    return result;
}

doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
                                               union doca_data *user_data)
{
    doca_error_t result = check_alive(graph_instance, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (user_data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GRAPH, __func__, "user_data");
    *user_data = graph_instance->user_data;
    return DOCA_SUCCESS;
}

/* What the three setters of node data share: finds the run that the data is for. */
static doca_error_t find_run(struct doca_graph_instance *instance,
                             const struct doca_graph_node *node, enum graph_node_kind kind,
                             const char *func, struct graph_run **run)
{
    static const char *const kind_names[] = {
        [GRAPH_NODE_CTX] = "context", [GRAPH_NODE_USER] = "user", [GRAPH_NODE_SUB] = "sub-graph"};
    doca_error_t result = check_idle(instance, DOCA_ERROR_BAD_STATE, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (!core_is_live(CORE_LIVE_GRAPH_NODE, node))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, func, "node", node);
    if (node->graph != instance->graph)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_GRAPH, func, instance->graph->name,
                         "node", "of %s" CORE_REMEDY "use a node of the instance's graph",
                         node->graph->name);
    if (node->kind != kind)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_GRAPH, func, instance->graph->name,
                         "node", "%u is a %s node" CORE_LIMIT "a %s node", node->index,
                         kind_names[node->kind], kind_names[kind]);
    *run = &instance->runs[node->index];
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_task *task)
{
    struct graph_run *run;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_TASK, task))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, __func__, "task", task);
    result = find_run(graph_instance, node, GRAPH_NODE_CTX, __func__, &run);
    if (result != DOCA_SUCCESS)
        return result;
    if (task->ctx != node->ctx)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_GRAPH, __func__,
                         graph_instance->graph->name, "task",
                         "of %s" CORE_LIMIT "%s of node %u" CORE_REMEDY
                         "allocate the task from the node's context",
                         task->ctx->name, node->ctx->name, node->index);
    run->task = task;
    run->has_data = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie)
{
    struct graph_run *run;
    doca_error_t result = find_run(graph_instance, node, GRAPH_NODE_USER, __func__, &run);

    if (result != DOCA_SUCCESS)
        return result;
    run->cookie = cookie;
    run->has_data = true;
    return DOCA_SUCCESS;
}

doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
                                            struct doca_graph_node *node,
                                            struct doca_graph_instance *sub_graph_instance)
{
    struct graph_run *run;
    doca_error_t result;

    result = find_run(graph_instance, node, GRAPH_NODE_SUB, __func__, &run);
    if (result != DOCA_SUCCESS)
        return result;
    result = check_idle(sub_graph_instance, DOCA_ERROR_BAD_STATE, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (sub_graph_instance->graph != node->sub)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_GRAPH, __func__,
                         graph_instance->graph->name, "sub_graph_instance",
                         "of %s" CORE_LIMIT "%s of node %u" CORE_REMEDY
                         "create the instance from the node's graph",
                         sub_graph_instance->graph->name, node->sub->name, node->index);
    run->sub = sub_graph_instance;
    run->sub_life = sub_graph_instance->life;
    run->has_data = true;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Submitting
 */

static doca_error_t check_run(const struct graph_run *run)
{
    static const char func[] = "doca_graph_instance_submit";
    const struct doca_graph_node *node = run->node;

    if (!run->has_data || (node->kind == GRAPH_NODE_SUB && run->sub->life != run->sub_life))
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_GRAPH, func, node->graph->name, "node data",
            "%s for node %u" CORE_REMEDY "set the data of every node before submitting",
            run->has_data ? "a destroyed instance" : "missing", node->index);
    /* Tasks end with their context's run, so look at the context first. */
    if (node->kind != GRAPH_NODE_CTX)
        return DOCA_SUCCESS;
    if (OD_CHECKED && !core_is_live(CORE_LIVE_CTX, node->ctx))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, func, "context of a node", node->ctx);
    if (OD_CHECKED && !core_is_live(CORE_LIVE_TASK, run->task))
        return CORE_FAIL_DEAD(CORE_LOG_GRAPH, func, "task of a node", run->task);
    if (node->ctx->state != DOCA_CTX_STATE_RUNNING)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GRAPH, func, node->graph->name, "context",
                         "%s of node %u, not RUNNING" CORE_LIMIT "RUNNING" CORE_REMEDY
                         "keep the contexts running while the graph is used",
                         node->ctx->name, node->index);
    if (node->npreds == 0 && run->task->state != CORE_TASK_OWNED)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_GRAPH, func, node->graph->name, "task",
                         "of node %u, %s" CORE_LIMIT "owned by the caller" CORE_REMEDY
                         "give each instance tasks of its own",
                         node->index,
                         run->task->state == CORE_TASK_SUBMITTED ? "in flight" : "freed");
    return DOCA_SUCCESS;
}

/* Takes the instance and those of its sub-graph nodes over from the user, or nothing. */
static doca_error_t claim(struct doca_graph_instance *instance)
{
    doca_error_t result = check_idle(instance, DOCA_ERROR_IN_USE, "doca_graph_instance_submit");

    if (result != DOCA_SUCCESS)
        return result;
    instance->submitted = true;
    instance->status = DOCA_SUCCESS;
    instance->running = 0;
    instance->done = 0;
    for (uint32_t i = 0; i < instance->graph->nnodes && result == DOCA_SUCCESS; i++) {
        struct graph_run *run = &instance->runs[i];

        run->waiting = run->node->npreds;
        result = check_run(run);
        if (result != DOCA_SUCCESS || run->node->kind != GRAPH_NODE_SUB)
            continue;
        result = claim(run->sub);
        if (result == DOCA_SUCCESS)
            run->sub->parent = run;
    }
    if (result != DOCA_SUCCESS)
        unclaim(instance);
    return result;
}

/* Starts the roots of a claimed instance. Failing leaves nothing running and the claim as it was.
 */
static doca_error_t launch(struct doca_graph_instance *instance)
{
    instance->running = 1;
    start_roots(instance);
    if (instance->running > 1) {
        instance->running--;
        return DOCA_SUCCESS;
    }
    return instance->status;
}

doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance)
{
    doca_error_t result = claim(graph_instance);

    if (result != DOCA_SUCCESS)
        return result;
    result = launch(graph_instance);
    if (result != DOCA_SUCCESS)
        unclaim(graph_instance);
    return result;
}

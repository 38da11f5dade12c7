/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graph: a fixed set of tasks and functions with an order between them, run as one unit.
 *
 * A node is a task of a context, a function of the user, or a whole other graph. A dependency says
 * that one node starts only after another succeeded. A graph is a plan; an instance carries the
 * data (tasks, cookies, sub-graph instances) of one run at a time and may be submitted again and
 * again.
 *
 * Legal order: doca_graph_create, doca_graph_set_conf, create nodes, add dependencies,
 * doca_graph_start, doca_graph_instance_create, set the data of every node,
 * doca_graph_instance_submit, doca_pe_progress until the callback. Teardown: destroy the instances,
 * free the tasks, doca_graph_stop, doca_graph_destroy, and only then the contexts.
 *
 * The callbacks of tasks that an instance runs are not called; the graph has one callback for
 * success and one for failure. A submitted instance can be neither aborted nor flushed.
 *
 * Threads: a graph, its nodes and its instances belong to the thread that drives the progress
 * engine of the graph.
 */
#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#include <stdint.h>
#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task;
struct doca_graph;
struct doca_graph_node;
struct doca_graph_instance;

/**
 * Report of the end of one run; runs inside doca_pe_progress().
 *
 * The instance belongs to the callee from here on and may be submitted again at once.
 *
 * @instance: the instance that ended
 * @instance_user_data: value of doca_graph_instance_set_user_data()
 * @graph_user_data: value of doca_graph_set_user_data()
 */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
                                           union doca_data instance_user_data,
                                           union doca_data graph_user_data);

/**
 * Create a graph, stopped and without nodes.
 *
 * @pe: engine that runs the graph and that the contexts of its nodes must be connected to
 * @graph: receives the graph; the caller ends it with doca_graph_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe or graph is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph);

/**
 * Destroy a stopped graph and its nodes.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph is NULL
 *   DOCA_ERROR_BAD_STATE: the graph is not stopped
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/**
 * Configure a stopped graph; mandatory before the first start, the last call wins.
 *
 * @graph_completion_cb: runs once for a run in which every node succeeded
 * @graph_error_cb: runs once for a run in which a node failed, after all nodes that were already
 *   running have ended; no further node is started meanwhile
 * @num_instances: most instances alive at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or num_instances is 0
 *   DOCA_ERROR_BAD_STATE: the graph is not stopped
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_conf(struct doca_graph *graph,
                                 doca_graph_completion_cb_t graph_completion_cb,
                                 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances);

/**
 * Set the value that the callbacks of the graph receive as its user data.
 *
 * @user_data: stored as it is, never looked into or freed; zero until first set
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph is NULL
 *   DOCA_ERROR_BAD_STATE: the graph is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data);

/**
 * Get the user data of a graph, started or stopped.
 *
 * @user_data: receives the value of the last doca_graph_set_user_data()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph or user_data is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data);

/**
 * Add a node that submits one task of a context.
 *
 * @ctx: must be running when the graph is started, and outlive the graph
 * @node: receives the node, owned by the graph
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the graph is started
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
                                             struct doca_graph_node **node);

/**
 * Work of a user node; runs inside doca_pe_progress() once its predecessors have succeeded.
 *
 * @cookie: value that doca_graph_instance_set_user_node_data() stored for this node and instance
 *
 * Returns DOCA_SUCCESS, or any error to make the run fail.
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * Add a node that calls a function of the user.
 *
 * @cb: the function, the same for every instance
 * @node: receives the node, owned by the graph
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the graph is started
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
                                              doca_graph_user_node_cb_t cb,
                                              struct doca_graph_node **node);

/**
 * Add a node that runs an instance of another graph.
 *
 * @sub_graph: must be started when graph is, and stay so until graph is stopped
 * @node: receives the node, owned by graph
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or sub_graph belongs to another engine
 *   DOCA_ERROR_BAD_STATE: graph is started
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_PERMITTED: sub_graph is graph itself or contains it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
                                               struct doca_graph *sub_graph,
                                               struct doca_graph_node **node);

/**
 * Let one node start only after another one succeeded.
 *
 * @from: the node that must succeed first
 * @to: the node that waits; it waits for all nodes that it depends on
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a node belongs to another graph
 *   DOCA_ERROR_BAD_STATE: the graph is started
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_PERMITTED: the dependency would close a cycle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to);

/**
 * Freeze the plan and open it for instances. Starting a started graph is a success.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph is NULL
 *   DOCA_ERROR_BAD_STATE: it has no configuration or no context node, a context is not running or
 *     not connected to the engine of the graph, or a sub-graph is not started
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_start(struct doca_graph *graph);

/**
 * Stop a graph, which opens it for configuration again. Stopping a stopped graph is a success.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph is NULL
 *   DOCA_ERROR_IN_USE: instances are alive, or a started graph contains this one
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_stop(struct doca_graph *graph);

/**
 * Create an instance of a started graph, without any node data.
 *
 * @graph_instance: receives the instance; the caller ends it with doca_graph_instance_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph or graph_instance is NULL
 *   DOCA_ERROR_BAD_STATE: the graph is not started
 *   DOCA_ERROR_NO_MEMORY: the configured number of instances is alive, or memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance);

/**
 * Destroy an instance. Its tasks and buffers stay the caller's.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph_instance is NULL
 *   DOCA_ERROR_IN_USE: the instance is submitted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/**
 * Set the value that the callbacks of the graph receive as user data of this instance.
 *
 * @user_data: stored as it is, never looked into or freed; zero until first set
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph_instance is NULL
 *   DOCA_ERROR_IN_USE: the instance is submitted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
                                               union doca_data user_data);

/**
 * Get the user data of an instance, submitted or not.
 *
 * @user_data: receives the value of the last doca_graph_instance_set_user_data()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph_instance or user_data is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
                                               union doca_data *user_data);

/**
 * Set the task that a context node submits in the next runs of an instance.
 *
 * @task: belongs to the caller, except while the instance is submitted; buffers may be shared with
 *   other nodes that only read them
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the node belongs to another graph
 *   DOCA_ERROR_BAD_STATE: the instance is submitted
 *   DOCA_ERROR_NOT_PERMITTED: not a context node, or task belongs to another context
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_task *task);

/**
 * Set the value that a user node's function receives in the next runs of an instance.
 *
 * @cookie: passed on as it is, never looked into or freed; may be NULL, but must have been set
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph_instance or node is NULL, or the node belongs to another graph
 *   DOCA_ERROR_BAD_STATE: the instance is submitted
 *   DOCA_ERROR_NOT_PERMITTED: not a user node
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie);

/**
 * Set the instance that a sub-graph node runs in the next runs of an instance.
 *
 * @sub_graph_instance: belongs to the caller, who must not submit or destroy it while
 *   graph_instance is submitted; its own callbacks are not called
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the node belongs to another graph
 *   DOCA_ERROR_BAD_STATE: one of the two instances is submitted
 *   DOCA_ERROR_NOT_PERMITTED: not a sub-graph node, or the instance belongs to another graph than
 *     that of the node
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
                                            struct doca_graph_node *node,
                                            struct doca_graph_instance *sub_graph_instance);

/**
 * Run an instance once. Nodes without predecessors start inside this call.
 *
 * A full submission queue delays a node and never fails it. On failure the instance stays with the
 * caller and no callback runs. Where a task is refused after another node has started, the call
 * succeeds and the run fails: the error callback follows once what runs has ended.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: graph_instance is NULL, or a node has no data
 *   DOCA_ERROR_IN_USE: the instance, or that of a sub-graph node, is already submitted
 *   DOCA_ERROR_BAD_STATE: the context of a node is not running, or the task of a node without
 *     predecessors is in flight or freed
 *   or the code with which a task of a node without predecessors was refused
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GRAPH_H_ */

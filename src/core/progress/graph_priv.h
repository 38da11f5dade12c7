/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_CORE_PROGRESS_GRAPH_PRIV_H_
#define OD_CORE_PROGRESS_GRAPH_PRIV_H_

/* Graphs: graph.c makes the plan, graph_run.c runs instances of it. */

#include <doca_graph.h>

#include "core/core_priv.h"

enum graph_node_kind {
    GRAPH_NODE_CTX,
    GRAPH_NODE_USER,
    GRAPH_NODE_SUB,
};

struct doca_graph_node {
    struct doca_graph *graph;
    enum graph_node_kind kind;
    uint32_t index; /* position in the graph: also that of its run in an instance */
    union {
        const struct doca_ctx *ctx;
        doca_graph_user_node_cb_t user;
        struct doca_graph *sub; /* NULL once that graph was destroyed */
    };
    struct od_list referrer; /* sub-graph nodes: in the sub-graph's list */
    uint32_t npreds;
    uint32_t nsuccs;
    struct doca_graph_node **succs;
    struct doca_graph_node *next_seen; /* of the search that runs */
    bool seen;
};

struct doca_graph {
    struct doca_pe *pe;
    bool started;
    doca_graph_completion_cb_t done_cb;
    doca_graph_completion_cb_t error_cb;
    union doca_data user_data;
    uint32_t nnodes;
    struct doca_graph_node **nodes;
    struct od_list referrers; /* nodes of other graphs that run this one */
    uint32_t nparents;        /* started graphs among those */
    uint32_t max_instances;   /* 0 = not configured */
    uint32_t ninstances;      /* alive */
    uint32_t nused;           /* instances that were ever taken from the memory */
    char *instances;          /* while started: memory of max_instances */
    struct doca_graph_instance *free;
    struct doca_graph *next_seen; /* of the search that runs */
    bool seen;
    char name[24];
};

/* One node of one instance. */
struct graph_run {
    struct core_work work; /* user nodes, and tasks that wait for room in a queue */
    struct doca_graph_instance *instance;
    const struct doca_graph_node *node;
    union {
        struct doca_task *task;
        void *cookie;
        struct doca_graph_instance *sub;
    };
    uint32_t sub_life; /* `life` of `sub` when it was set: tells a successor in the same memory */
    uint32_t waiting;  /* predecessors that have not succeeded yet */
    bool has_data;
};

struct doca_graph_instance {
    struct doca_graph *graph;
    union doca_data user_data;
    struct doca_graph_instance *next_free;
    struct graph_run *parent; /* the node that runs this instance as its sub-graph */
    uint32_t life;            /* odd while alive */
    uint32_t running;    /* nodes started and not ended, also those that only wait in a queue */
    uint32_t done;       /* nodes that succeeded */
    doca_error_t status; /* of the first node that failed */
    bool submitted;      /* alone or as part of another instance */
    struct graph_run runs[];
};

static inline bool core_graph_instance_is_alive(const struct doca_graph_instance *instance)
{
    return (instance->life & 1) != 0;
}

/* An instance that is not alive, or NULL when all are. */
struct doca_graph_instance *core_graph_take_instance(struct doca_graph *graph);

#endif /* OD_CORE_PROGRESS_GRAPH_PRIV_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_CORE_PROGRESS_GRAPH_FIXTURE_H_
#define TESTS_UNIT_CORE_PROGRESS_GRAPH_FIXTURE_H_

/* What the tests of graphs share: a context that does as it is told, an engine, a graph. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <doca_graph.h>

#include "core/core_priv.h"

/* ---- A context whose tasks end when the test says so ---- */

struct toy_task {
    struct doca_task task;
    doca_error_t outcome;
    bool blocked; /* progress passes over it */
};

struct toy {
    struct doca_ctx ctx;
    struct core_task_pool pool;
    struct doca_task *queue[64];
    unsigned int queued;
    unsigned int depth;   /* more than that at once: AGAIN */
    doca_error_t refusal; /* submit answers this */
    unsigned int callbacks;
    unsigned int completions;
};

static inline doca_error_t toy_submit(struct doca_task *task, bool flush)
{
    struct toy *toy = (struct toy *)task->ctx;

    (void)flush;
    if (toy->refusal != DOCA_SUCCESS)
        return toy->refusal;
    if (toy->queued >= toy->depth)
        return DOCA_ERROR_AGAIN;
    toy->queue[toy->queued++] = task;
    return DOCA_SUCCESS;
}

static inline doca_error_t toy_validate(struct doca_task *task)
{
    (void)task;
    return DOCA_SUCCESS;
}

static inline void toy_deliver(struct doca_task *task)
{
    ((struct toy *)task->ctx)->callbacks++;
}

static const struct core_task_ops toy_task_ops = {toy_submit, toy_validate, toy_deliver};

static inline doca_error_t toy_start(struct doca_ctx *ctx)
{
    return core_task_pool_open(&((struct toy *)ctx)->pool);
}

static inline bool toy_progress(struct doca_ctx *ctx)
{
    struct toy *toy = (struct toy *)ctx;

    for (unsigned int i = 0; i < toy->queued; i++) {
        struct toy_task *task = (struct toy_task *)toy->queue[i];

        if (task->blocked && ctx->state == DOCA_CTX_STATE_RUNNING)
            continue;
        memmove(&toy->queue[i], &toy->queue[i + 1], (toy->queued - i - 1) * sizeof(void *));
        toy->queued--;
        toy->completions++;
        core_task_complete(&task->task, ctx->state == DOCA_CTX_STATE_RUNNING
                                            ? task->outcome
                                            : DOCA_ERROR_IO_FAILED);
        return true;
    }
    return false;
}

static inline bool toy_pending(const struct doca_ctx *ctx)
{
    const struct toy *toy = (const struct toy *)ctx;

    for (unsigned int i = 0; i < toy->queued; i++) {
        if (!((struct toy_task *)toy->queue[i])->blocked)
            return true;
    }
    return false;
}

static inline void toy_nothing(struct doca_ctx *ctx)
{
    (void)ctx;
}

static inline bool toy_drained(const struct doca_ctx *ctx)
{
    return ((const struct toy *)ctx)->queued == 0;
}

static inline void toy_stopped(struct doca_ctx *ctx)
{
    core_task_pool_close(&((struct toy *)ctx)->pool);
}

static const struct core_ctx_ops toy_ops = {
    .kind = "toy",
    .source = CORE_LOG_CTX,
    .start = toy_start,
    .progress = toy_progress,
    .pending = toy_pending,
    .flush = toy_nothing,
    .stopping = toy_nothing,
    .drained = toy_drained,
    .stopped = toy_stopped,
};

/* ---- The stage: an engine, a running context, a graph ---- */

#define NTASKS 32

static struct doca_pe *pe;
static struct toy toy;
static struct doca_graph *graph;
static struct toy_task *tasks[NTASKS];

static unsigned int done_calls;
static unsigned int error_calls;
static struct doca_graph_instance *last_ended;
static void (*on_end)(struct doca_graph_instance *instance);

static inline void graph_done(struct doca_graph_instance *instance, union doca_data instance_data,
                              union doca_data graph_data)
{
    (void)instance_data;
    (void)graph_data;
    done_calls++;
    last_ended = instance;
    if (on_end != NULL)
        on_end(instance);
}

static inline void graph_failed(struct doca_graph_instance *instance, union doca_data instance_data,
                                union doca_data graph_data)
{
    (void)instance_data;
    (void)graph_data;
    error_calls++;
    last_ended = instance;
    if (on_end != NULL)
        on_end(instance);
}

static unsigned int user_calls;

static inline doca_error_t count_call(void *cookie)
{
    user_calls++;
    if (cookie != NULL)
        ++*(int *)cookie;
    return DOCA_SUCCESS;
}

static inline doca_error_t fail_call(void *cookie)
{
    (void)cookie;
    user_calls++;
    return DOCA_ERROR_UNEXPECTED;
}

static inline void toy_open(struct toy *t, struct doca_pe *engine)
{
    memset(t, 0, sizeof(*t));
    core_ctx_init(&t->ctx, &toy_ops, NULL);
    core_task_pool_init(&t->pool, &t->ctx, &toy_task_ops, sizeof(struct toy_task));
    t->pool.num = NTASKS;
    t->depth = OD_ARRAY_SIZE(t->queue);
    assert_int_equal(doca_pe_connect_ctx(engine, &t->ctx), DOCA_SUCCESS);
    assert_int_equal(doca_ctx_start(&t->ctx), DOCA_SUCCESS);
}

static inline struct toy_task *toy_alloc(struct toy *t)
{
    struct doca_task *task;

    assert_int_equal(core_task_alloc(&t->pool, (union doca_data){.u64 = 0}, __func__, &task),
                     DOCA_SUCCESS);
    ((struct toy_task *)task)->outcome = DOCA_SUCCESS;
    ((struct toy_task *)task)->blocked = false;
    return (struct toy_task *)task;
}

static inline int set_up(void **state)
{
    (void)state;
    done_calls = error_calls = user_calls = 0;
    last_ended = NULL;
    on_end = NULL;
    assert_int_equal(doca_pe_create(&pe), DOCA_SUCCESS);
    toy_open(&toy, pe);
    for (unsigned int i = 0; i < NTASKS; i++)
        tasks[i] = toy_alloc(&toy);
    assert_int_equal(doca_graph_create(pe, &graph), DOCA_SUCCESS);
    assert_int_equal(doca_graph_set_conf(graph, graph_done, graph_failed, 10), DOCA_SUCCESS);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    if (graph != NULL) {
        assert_int_equal(doca_graph_stop(graph), DOCA_SUCCESS);
        assert_int_equal(doca_graph_destroy(graph), DOCA_SUCCESS);
    }
    for (unsigned int i = 0; i < NTASKS; i++)
        doca_task_free(&tasks[i]->task);
    doca_ctx_stop(&toy.ctx);
    while (doca_pe_progress(pe) == 1)
        ;
    assert_int_equal(core_ctx_fini(&toy.ctx, __func__), DOCA_SUCCESS);
    assert_int_equal(doca_pe_destroy(pe), DOCA_SUCCESS);
    return 0;
}

static inline void drain(void)
{
    for (int i = 0; i < 1000 && doca_pe_progress(pe) == 1; i++)
        ;
}

static inline struct doca_graph_node *ctx_node(struct doca_graph *g)
{
    struct doca_graph_node *node;

    assert_int_equal(doca_graph_node_create_from_ctx(g, &toy.ctx, &node), DOCA_SUCCESS);
    return node;
}

static inline struct doca_graph_node *user_node(struct doca_graph *g, doca_graph_user_node_cb_t cb)
{
    struct doca_graph_node *node;

    assert_int_equal(doca_graph_node_create_from_user(g, cb, &node), DOCA_SUCCESS);
    return node;
}

static inline struct doca_graph_node *sub_node(struct doca_graph *g, struct doca_graph *sub)
{
    struct doca_graph_node *node;

    assert_int_equal(doca_graph_node_create_from_graph(g, sub, &node), DOCA_SUCCESS);
    return node;
}

static inline void depend(struct doca_graph_node *from, struct doca_graph_node *to,
                          struct doca_graph *g)
{
    assert_int_equal(doca_graph_add_dependency(g, from, to), DOCA_SUCCESS);
}

static inline void start(struct doca_graph *g)
{
    assert_int_equal(doca_graph_start(g), DOCA_SUCCESS);
}

static inline struct doca_graph_instance *instance_of(struct doca_graph *g)
{
    struct doca_graph_instance *instance;

    assert_int_equal(doca_graph_instance_create(g, &instance), DOCA_SUCCESS);
    return instance;
}

static inline void give_task(struct doca_graph_instance *instance, struct doca_graph_node *node,
                             unsigned int task)
{
    assert_int_equal(doca_graph_instance_set_ctx_node_data(instance, node, &tasks[task]->task),
                     DOCA_SUCCESS);
}

static inline void give_cookie(struct doca_graph_instance *instance, struct doca_graph_node *node,
                               void *cookie)
{
    assert_int_equal(doca_graph_instance_set_user_node_data(instance, node, cookie), DOCA_SUCCESS);
}

static inline void give_sub(struct doca_graph_instance *instance, struct doca_graph_node *node,
                            struct doca_graph_instance *sub)
{
    assert_int_equal(doca_graph_instance_set_sub_graph_node_data(instance, node, sub),
                     DOCA_SUCCESS);
}

static inline void submit(struct doca_graph_instance *instance)
{
    assert_int_equal(doca_graph_instance_submit(instance), DOCA_SUCCESS);
}

static inline void destroy(struct doca_graph_instance *instance)
{
    assert_int_equal(doca_graph_instance_destroy(instance), DOCA_SUCCESS);
}

static inline void never(struct doca_graph_instance *instance, union doca_data instance_data,
                         union doca_data graph_data)
{
    (void)instance;
    (void)instance_data;
    (void)graph_data;
    fail_msg("the callback of a sub-graph ran");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif /* TESTS_UNIT_CORE_PROGRESS_GRAPH_FIXTURE_H_ */

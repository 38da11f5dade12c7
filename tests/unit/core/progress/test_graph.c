/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph_fixture.h"

static void cycles(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *b = ctx_node(graph);
    struct doca_graph_node *c = ctx_node(graph);
    struct doca_graph_instance *instance;

    (void)state;
    assert_int_equal(doca_graph_add_dependency(graph, a, a), DOCA_ERROR_NOT_PERMITTED);
    depend(a, b, graph);
    depend(a, b, graph); /* said twice is meant once */
    depend(b, c, graph);
    depend(a, c, graph);
    assert_int_equal(doca_graph_add_dependency(graph, c, a), DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_graph_add_dependency(graph, b, a), DOCA_ERROR_NOT_PERMITTED);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_task(instance, b, 1);
    give_task(instance, c, 2);
    submit(instance);
    drain();
    assert_int_equal(done_calls, 1);
    assert_int_equal(toy.completions, 3);
    destroy(instance);
}

static void null_arguments(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_instance *instance;
    struct doca_graph_node *node;
    union doca_data data = {.u64 = 0};

    (void)state;
    assert_int_equal(doca_graph_create(NULL, &graph), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_create(pe, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_set_conf(NULL, never, never, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_set_conf(graph, NULL, never, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_set_conf(graph, never, NULL, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_set_conf(graph, never, never, 0), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_set_user_data(NULL, data), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_get_user_data(NULL, &data), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_get_user_data(graph, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_ctx(NULL, &toy.ctx, &node),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_ctx(graph, NULL, &node), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_ctx(graph, &toy.ctx, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_user(NULL, count_call, &node),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_user(graph, NULL, &node),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_user(graph, count_call, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_graph(NULL, graph, &node),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_graph(graph, NULL, &node),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_node_create_from_graph(graph, graph, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_add_dependency(NULL, a, a), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_add_dependency(graph, NULL, a), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_add_dependency(graph, a, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_start(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_stop(NULL), DOCA_ERROR_INVALID_VALUE);
    start(graph);
    instance = instance_of(graph);
    assert_int_equal(doca_graph_instance_create(NULL, &instance), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_create(graph, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_user_data(NULL, data), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_get_user_data(NULL, &data), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_get_user_data(instance, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_ctx_node_data(NULL, a, &tasks[0]->task),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_ctx_node_data(instance, NULL, &tasks[0]->task),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_ctx_node_data(instance, a, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_user_node_data(NULL, a, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_user_node_data(instance, NULL, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_sub_graph_node_data(NULL, a, instance),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_sub_graph_node_data(instance, NULL, instance),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_submit(NULL), DOCA_ERROR_INVALID_VALUE);
    destroy(instance);
    assert_int_equal(doca_graph_instance_destroy(instance), DOCA_ERROR_INVALID_VALUE);
}

static void start_needs_a_whole_plan(void **state)
{
    struct doca_graph *other;
    struct doca_graph_node *node;
    struct toy idle;
    struct doca_pe *pe2;

    (void)state;
    assert_int_equal(doca_graph_create(pe, &other), DOCA_SUCCESS);
    ctx_node(other);
    assert_int_equal(doca_graph_start(other), DOCA_ERROR_BAD_STATE); /* no configuration */
    user_node(graph, count_call);
    assert_int_equal(doca_graph_start(graph), DOCA_ERROR_BAD_STATE); /* no context node */
    sub_node(graph, other);
    ctx_node(graph);
    assert_int_equal(doca_graph_start(graph), DOCA_ERROR_BAD_STATE); /* sub-graph not started */
    assert_int_equal(doca_graph_set_conf(other, never, never, UINT32_MAX), DOCA_SUCCESS);
    assert_int_equal(doca_graph_set_conf(other, never, never, 1), DOCA_SUCCESS);
    start(other);
    start(graph);
    start(graph); /* again: fine */
    assert_int_equal(doca_graph_stop(graph), DOCA_SUCCESS);
    assert_int_equal(doca_graph_stop(graph), DOCA_SUCCESS);
    assert_int_equal(doca_graph_stop(other), DOCA_SUCCESS);
    assert_int_equal(doca_graph_destroy(other), DOCA_SUCCESS);

    assert_int_equal(doca_pe_create(&pe2), DOCA_SUCCESS);
    toy_open(&idle, pe2);
    assert_int_equal(doca_graph_create(pe, &other), DOCA_SUCCESS);
    assert_int_equal(doca_graph_set_conf(other, never, never, 1), DOCA_SUCCESS);
    assert_int_equal(doca_graph_node_create_from_ctx(other, &idle.ctx, &node), DOCA_SUCCESS);
    assert_int_equal(doca_graph_start(other), DOCA_ERROR_BAD_STATE); /* another engine */
    assert_int_equal(doca_graph_destroy(other), DOCA_SUCCESS);
    assert_int_equal(doca_ctx_stop(&idle.ctx), DOCA_SUCCESS);
    assert_int_equal(doca_graph_create(pe2, &other), DOCA_SUCCESS);
    assert_int_equal(doca_graph_set_conf(other, never, never, 1), DOCA_SUCCESS);
    assert_int_equal(doca_graph_node_create_from_ctx(other, &idle.ctx, &node), DOCA_SUCCESS);
    assert_int_equal(doca_graph_start(other), DOCA_ERROR_BAD_STATE); /* context not running */
    assert_int_equal(doca_graph_node_create_from_graph(graph, other, &node),
                     DOCA_ERROR_INVALID_VALUE); /* another engine */
    assert_int_equal(doca_graph_destroy(other), DOCA_SUCCESS);
    assert_int_equal(core_ctx_fini(&idle.ctx, __func__), DOCA_SUCCESS);
    assert_int_equal(doca_pe_destroy(pe2), DOCA_SUCCESS);
}

static void a_started_graph_is_frozen(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *b = ctx_node(graph);
    struct doca_graph_node *node;
    struct doca_graph *other;

    (void)state;
    assert_int_equal(doca_graph_create(pe, &other), DOCA_SUCCESS);
    start(graph);
    assert_int_equal(doca_graph_set_conf(graph, never, never, 1), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_graph_set_user_data(graph, (union doca_data){.u64 = 1}),
                     DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_graph_node_create_from_ctx(graph, &toy.ctx, &node), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_graph_node_create_from_user(graph, count_call, &node),
                     DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_graph_node_create_from_graph(graph, other, &node), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_graph_add_dependency(graph, a, b), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_graph_destroy(graph), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_graph_destroy(other), DOCA_SUCCESS);
    assert_int_equal(doca_graph_stop(graph), DOCA_SUCCESS);
    depend(a, b, graph); /* open again */
}

static void instances_are_counted(void **state)
{
    struct doca_graph_instance *one;
    struct doca_graph_instance *two;
    struct doca_graph_instance *three;

    (void)state;
    ctx_node(graph);
    assert_int_equal(doca_graph_set_conf(graph, graph_done, graph_failed, 2), DOCA_SUCCESS);
    assert_int_equal(doca_graph_instance_create(graph, &one), DOCA_ERROR_BAD_STATE);
    start(graph);
    one = instance_of(graph);
    two = instance_of(graph);
    assert_int_equal(doca_graph_instance_create(graph, &three), DOCA_ERROR_NO_MEMORY);
    assert_int_equal(doca_graph_stop(graph), DOCA_ERROR_IN_USE);
    destroy(one);
    three = instance_of(graph);
    destroy(two);
    destroy(three);
    assert_int_equal(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
}

static void node_data_is_checked(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *user = user_node(graph, count_call);
    struct doca_graph_node *foreign;
    struct doca_graph_instance *instance;
    struct doca_graph *other;
    struct toy_task *task;
    struct toy toy2;

    (void)state;
    assert_int_equal(doca_graph_create(pe, &other), DOCA_SUCCESS);
    foreign = ctx_node(other);
    assert_int_equal(doca_graph_add_dependency(graph, a, foreign), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_add_dependency(graph, foreign, a), DOCA_ERROR_INVALID_VALUE);
    toy_open(&toy2, pe);
    task = toy_alloc(&toy2);
    start(graph);
    instance = instance_of(graph);
    assert_int_equal(doca_graph_instance_set_ctx_node_data(instance, foreign, &tasks[0]->task),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_graph_instance_set_ctx_node_data(instance, user, &tasks[0]->task),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_graph_instance_set_ctx_node_data(instance, a, &task->task),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_graph_instance_set_user_node_data(instance, a, NULL),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_graph_instance_set_sub_graph_node_data(instance, a, instance),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_graph_instance_submit(instance), DOCA_ERROR_INVALID_VALUE);
    give_task(instance, a, 0);
    assert_int_equal(doca_graph_instance_submit(instance), DOCA_ERROR_INVALID_VALUE);
    give_cookie(instance, user, NULL);
    submit(instance);
    assert_int_equal(doca_graph_instance_submit(instance), DOCA_ERROR_IN_USE);
    assert_int_equal(doca_graph_instance_destroy(instance), DOCA_ERROR_IN_USE);
    assert_int_equal(doca_graph_instance_set_user_data(instance, (union doca_data){.u64 = 1}),
                     DOCA_ERROR_IN_USE);
    assert_int_equal(doca_graph_instance_set_ctx_node_data(instance, a, &tasks[0]->task),
                     DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_graph_instance_set_user_node_data(instance, user, NULL),
                     DOCA_ERROR_BAD_STATE);
    drain();
    assert_int_equal(done_calls, 1);
    destroy(instance);
    doca_task_free(&task->task);
    assert_int_equal(doca_ctx_stop(&toy2.ctx), DOCA_SUCCESS);
    assert_int_equal(core_ctx_fini(&toy2.ctx, __func__), DOCA_SUCCESS);
    assert_int_equal(doca_graph_destroy(other), DOCA_SUCCESS);
}

static void cycles_through_sub_graphs(void **state)
{
    struct doca_graph *b;
    struct doca_graph *c;
    struct doca_graph_node *node;

    (void)state;
    assert_int_equal(doca_graph_create(pe, &b), DOCA_SUCCESS);
    assert_int_equal(doca_graph_create(pe, &c), DOCA_SUCCESS);
    assert_int_equal(doca_graph_node_create_from_graph(graph, graph, &node),
                     DOCA_ERROR_NOT_PERMITTED);
    sub_node(graph, b);
    sub_node(graph, b); /* reached on two ways: no cycle */
    sub_node(b, c);
    assert_int_equal(doca_graph_node_create_from_graph(c, graph, &node), DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_graph_node_create_from_graph(b, graph, &node), DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_graph_node_create_from_graph(c, b, &node), DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_graph_destroy(b), DOCA_SUCCESS);
    sub_node(c, graph); /* the way led through the graph that is gone */
    assert_int_equal(doca_graph_destroy(c), DOCA_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(cycles_through_sub_graphs),
        CASE(cycles),
        CASE(null_arguments),
        CASE(start_needs_a_whole_plan),
        CASE(a_started_graph_is_frozen),
        CASE(instances_are_counted),
        CASE(node_data_is_checked),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}

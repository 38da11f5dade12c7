/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph_fixture.h"

#include <malloc.h>
#include <poll.h>

/* ---- Runs ---- */

static void two_tasks_then_a_function(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *b = ctx_node(graph);
    struct doca_graph_node *user = user_node(graph, count_call);
    struct doca_graph_instance *instances[10];
    int cookies[10] = {0};

    (void)state;
    depend(a, user, graph);
    depend(b, user, graph);
    start(graph);
    for (unsigned int i = 0; i < 10; i++) {
        instances[i] = instance_of(graph);
        give_task(instances[i], a, 2 * i);
        give_task(instances[i], b, 2 * i + 1);
        give_cookie(instances[i], user, &cookies[i]);
        tasks[2 * i + 1]->blocked = true;
        submit(instances[i]);
    }
    drain();
    assert_int_equal(user_calls, 0); /* the second predecessor is missing */
    for (unsigned int i = 0; i < 10; i++)
        tasks[2 * i + 1]->blocked = false;
    drain();
    assert_int_equal(done_calls, 10);
    assert_int_equal(error_calls, 0);
    assert_int_equal(toy.completions, 20);
    assert_int_equal(toy.callbacks, 0);
    for (unsigned int i = 0; i < 10; i++) {
        assert_int_equal(cookies[i], 1);
        destroy(instances[i]);
    }
}

static int order[3];
static int norder;

static doca_error_t note_order(void *cookie)
{
    order[norder++] = (int)(intptr_t)cookie;
    return DOCA_SUCCESS;
}

static void functions_run_in_progress_and_in_order(void **state)
{
    struct doca_graph_node *first = ctx_node(graph);
    struct doca_graph_node *nodes[3];
    struct doca_graph_instance *instance;

    (void)state;
    norder = 0;
    for (int i = 0; i < 3; i++)
        nodes[i] = user_node(graph, note_order);
    depend(nodes[2], nodes[0], graph);
    depend(nodes[0], nodes[1], graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, first, 0);
    for (int i = 0; i < 3; i++)
        give_cookie(instance, nodes[i], (void *)(intptr_t)i);
    submit(instance);
    assert_int_equal(norder, 0);
    drain();
    assert_int_equal(norder, 3);
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 0);
    assert_int_equal(order[2], 1);
    assert_int_equal(done_calls, 1);
    destroy(instance);
}

static void seen_user_data(struct doca_graph_instance *instance, union doca_data instance_data,
                           union doca_data graph_data)
{
    (void)instance;
    assert_int_equal(instance_data.u64, 7);
    assert_int_equal(graph_data.u64, 8);
    done_calls++;
}

static void callbacks_get_the_user_data(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_instance *instance;
    union doca_data data;

    (void)state;
    assert_int_equal(doca_graph_set_conf(graph, seen_user_data, graph_failed, 1), DOCA_SUCCESS);
    assert_int_equal(doca_graph_set_user_data(graph, (union doca_data){.u64 = 8}), DOCA_SUCCESS);
    assert_int_equal(doca_graph_get_user_data(graph, &data), DOCA_SUCCESS);
    assert_int_equal(data.u64, 8);
    start(graph);
    instance = instance_of(graph);
    assert_int_equal(doca_graph_instance_get_user_data(instance, &data), DOCA_SUCCESS);
    assert_int_equal(data.u64, 0);
    assert_int_equal(doca_graph_instance_set_user_data(instance, (union doca_data){.u64 = 7}),
                     DOCA_SUCCESS);
    give_task(instance, a, 0);
    submit(instance);
    drain();
    assert_int_equal(done_calls, 1);
    destroy(instance);
}

static void a_full_queue_delays(void **state)
{
    struct doca_graph_node *nodes[3] = {ctx_node(graph), ctx_node(graph), ctx_node(graph)};
    struct doca_graph_instance *instance;

    (void)state;
    toy.depth = 1;
    start(graph);
    instance = instance_of(graph);
    for (unsigned int i = 0; i < 3; i++)
        give_task(instance, nodes[i], i);
    submit(instance);
    assert_int_equal(toy.queued, 1);
    drain();
    assert_int_equal(done_calls, 1);
    assert_int_equal(toy.completions, 3);

    toy.depth = 0; /* not even the first one finds room */
    submit(instance);
    assert_int_equal(doca_pe_progress(pe), 0);
    assert_int_equal(doca_pe_progress(pe), 0);
    toy.depth = 8;
    for (int i = 0; i < 10; i++)
        doca_pe_progress(pe);
    assert_int_equal(done_calls, 2);
    assert_int_equal(error_calls, 0);
    destroy(instance);
}

static void failure_waits_for_what_runs(void **state)
{
    struct doca_graph_node *bad = ctx_node(graph);
    struct doca_graph_node *slow = ctx_node(graph);
    struct doca_graph_node *after_bad = user_node(graph, count_call);
    struct doca_graph_node *after_slow = ctx_node(graph);
    struct doca_graph_instance *instance;

    (void)state;
    depend(bad, after_bad, graph);
    depend(slow, after_slow, graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, bad, 0);
    give_task(instance, slow, 1);
    give_task(instance, after_slow, 2);
    give_cookie(instance, after_bad, NULL);
    tasks[0]->outcome = DOCA_ERROR_IO_FAILED;
    tasks[1]->blocked = true;
    submit(instance);
    drain();
    assert_int_equal(error_calls, 0);
    assert_int_equal(doca_graph_instance_submit(instance), DOCA_ERROR_IN_USE);
    tasks[1]->blocked = false;
    drain();
    assert_int_equal(error_calls, 1);
    assert_int_equal(done_calls, 0);
    assert_int_equal(user_calls, 0);
    assert_int_equal(toy.completions, 2);
    assert_int_equal(toy.callbacks, 0);
    assert_int_equal(doca_task_get_status(&tasks[0]->task), DOCA_ERROR_IO_FAILED);

    tasks[0]->outcome = DOCA_SUCCESS; /* the same instance can do better */
    submit(instance);
    drain();
    assert_int_equal(error_calls, 1);
    assert_int_equal(done_calls, 1);
    destroy(instance);
}

static void a_failing_function_fails_the_run(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *bad = user_node(graph, fail_call);
    struct doca_graph_node *other = user_node(graph, count_call);
    struct doca_graph_node *never = user_node(graph, count_call);
    struct doca_graph_instance *instance;

    (void)state;
    depend(a, bad, graph);
    depend(a, other, graph); /* queued behind `bad`, not started when that fails */
    depend(bad, never, graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_cookie(instance, bad, NULL);
    give_cookie(instance, other, NULL);
    give_cookie(instance, never, NULL);
    submit(instance);
    drain();
    assert_int_equal(user_calls, 1);
    assert_int_equal(error_calls, 1);
    assert_int_equal(done_calls, 0);
    destroy(instance);
}

static void a_refused_root_is_returned(void **state)
{
    struct doca_graph_node *user = user_node(graph, count_call);
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_instance *instance;

    (void)state;
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_cookie(instance, user, NULL);
    toy.refusal = DOCA_ERROR_INVALID_VALUE;
    assert_int_equal(doca_graph_instance_submit(instance), DOCA_ERROR_INVALID_VALUE);
    drain();
    assert_int_equal(user_calls + done_calls + error_calls, 0);

    toy.refusal = DOCA_SUCCESS;
    submit(instance);
    drain();
    assert_int_equal(done_calls, 1);
    destroy(instance);
}

static void a_refused_later_task_fails_the_run(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *b = ctx_node(graph);
    struct doca_graph_instance *instance;

    (void)state;
    depend(a, b, graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_task(instance, b, 1);
    submit(instance);
    toy.refusal = DOCA_ERROR_NOT_PERMITTED;
    drain();
    assert_int_equal(error_calls, 1);

    toy.refusal = DOCA_SUCCESS; /* the refused task belongs to the user again, hook removed */
    assert_int_equal(doca_task_submit(&tasks[1]->task), DOCA_SUCCESS);
    drain();
    assert_int_equal(toy.callbacks, 1);
    destroy(instance);
}

static void a_busy_task_is_refused(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_instance *instance;

    (void)state;
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    assert_int_equal(doca_task_submit(&tasks[0]->task), DOCA_SUCCESS);
    assert_int_equal(doca_graph_instance_submit(instance), DOCA_ERROR_BAD_STATE);
    drain();
    assert_int_equal(toy.callbacks, 1);
    assert_int_equal(error_calls, 0);
    destroy(instance);
}

static void one_task_may_serve_two_nodes_in_a_row(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *b = ctx_node(graph);
    struct doca_graph_instance *instance;

    (void)state;
    depend(a, b, graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_task(instance, b, 0);
    submit(instance);
    drain();
    assert_int_equal(done_calls, 1);
    assert_int_equal(toy.completions, 2);
    destroy(instance);
}

static void stopping_the_context_ends_the_run(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *b = ctx_node(graph);
    struct doca_graph_instance *instance;

    (void)state;
    depend(a, b, graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_task(instance, b, 1);
    tasks[0]->blocked = true;
    submit(instance);
    assert_int_equal(doca_ctx_stop(&toy.ctx), DOCA_ERROR_IN_PROGRESS);
    drain();
    assert_int_equal(error_calls, 1);
    assert_int_equal(toy.callbacks, 0);
    assert_int_equal(doca_graph_instance_submit(instance), DOCA_ERROR_BAD_STATE);
    destroy(instance);
}

static int rounds_left;

static void run_again(struct doca_graph_instance *instance)
{
    if (rounds_left-- > 0)
        submit(instance);
}

static void resubmission_from_the_callback(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *user = user_node(graph, count_call);
    struct doca_graph_instance *instance;

    (void)state;
    depend(a, user, graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_cookie(instance, user, NULL);
    rounds_left = 99;
    on_end = run_again;
    submit(instance);
    drain();
    assert_int_equal(done_calls, 100);
    assert_int_equal(user_calls, 100);
    destroy(instance);
}

static void destroy_everything(struct doca_graph_instance *instance)
{
    destroy(instance);
    assert_int_equal(doca_graph_stop(graph), DOCA_SUCCESS);
    assert_int_equal(doca_graph_destroy(graph), DOCA_SUCCESS);
    graph = NULL;
}

static void teardown_in_the_callback(void **state)
{
    const bool ends_with_task = *state != NULL;
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *user = user_node(graph, count_call);
    struct doca_graph_instance *instance;

    if (ends_with_task)
        depend(user, a, graph);
    else
        depend(a, user, graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_cookie(instance, user, NULL);
    on_end = destroy_everything;
    submit(instance);
    drain();
    assert_int_equal(done_calls, 1);
    assert_null(graph);
}

static void teardown_in_the_callback_of_a_task(void **state)
{
    void *ends_with_task = state;

    teardown_in_the_callback(&ends_with_task);
}

static void submitting_does_not_allocate(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *user = user_node(graph, count_call);
    struct doca_graph_instance *instance;
    size_t before;

    (void)state;
    depend(a, user, graph);
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_cookie(instance, user, NULL);
    before = mallinfo2().uordblks;
    submit(instance);
    assert_int_equal(mallinfo2().uordblks, before);
    drain();
    assert_int_equal(mallinfo2().uordblks, before);
    assert_int_equal(done_calls, 1);
    destroy(instance);
}

static void arming_sees_a_waiting_function(void **state)
{
    struct doca_graph_node *a = ctx_node(graph);
    struct doca_graph_node *user = user_node(graph, count_call);
    struct doca_graph_instance *instance;
    struct pollfd fd = {.events = POLLIN};

    (void)state;
    start(graph);
    instance = instance_of(graph);
    give_task(instance, a, 0);
    give_cookie(instance, user, NULL);
    tasks[0]->blocked = true;
    assert_int_equal(doca_pe_get_notification_handle(pe, &fd.fd), DOCA_SUCCESS);
    submit(instance);
    assert_int_equal(doca_pe_request_notification(pe), DOCA_SUCCESS);
    assert_int_equal(poll(&fd, 1, 0), 1);
    assert_int_equal(doca_pe_clear_notification(pe, 0), DOCA_SUCCESS);
    drain();
    assert_int_equal(user_calls, 1);
    assert_int_equal(doca_pe_request_notification(pe), DOCA_SUCCESS);
    assert_int_equal(poll(&fd, 1, 0), 0);
    tasks[0]->blocked = false;
    drain();
    destroy(instance);
}

/* ---- Sub-graphs ---- */

struct family {
    struct doca_graph *sub;
    struct doca_graph_node *sub_task, *sub_user; /* one after the other */
    struct doca_graph_node *first, *mid, *last;  /* task, sub-graph, function */
    struct doca_graph_instance *sub_instance, *instance;
};

static void make_family(struct family *f, doca_graph_user_node_cb_t sub_cb)
{
    assert_int_equal(doca_graph_create(pe, &f->sub), DOCA_SUCCESS);
    assert_int_equal(doca_graph_set_conf(f->sub, never, never, 4), DOCA_SUCCESS);
    f->sub_task = ctx_node(f->sub);
    f->sub_user = user_node(f->sub, sub_cb);
    depend(f->sub_task, f->sub_user, f->sub);
    start(f->sub);
    f->first = ctx_node(graph);
    f->mid = sub_node(graph, f->sub);
    f->last = user_node(graph, count_call);
    depend(f->first, f->mid, graph);
    depend(f->mid, f->last, graph);
    start(graph);
    f->sub_instance = instance_of(f->sub);
    f->instance = instance_of(graph);
    give_task(f->sub_instance, f->sub_task, 1);
    give_cookie(f->sub_instance, f->sub_user, NULL);
    give_task(f->instance, f->first, 0);
    give_sub(f->instance, f->mid, f->sub_instance);
    give_cookie(f->instance, f->last, NULL);
}

static void free_family(struct family *f)
{
    destroy(f->instance);
    destroy(f->sub_instance);
    assert_int_equal(doca_graph_stop(f->sub), DOCA_ERROR_IN_USE); /* its parent is started */
    assert_int_equal(doca_graph_stop(graph), DOCA_SUCCESS);
    assert_int_equal(doca_graph_stop(f->sub), DOCA_SUCCESS);
    assert_int_equal(doca_graph_destroy(f->sub), DOCA_SUCCESS);
    assert_int_equal(doca_graph_start(graph), DOCA_ERROR_BAD_STATE); /* its sub-graph is gone */
}

static void a_sub_graph_runs_as_a_node(void **state)
{
    struct family f;

    (void)state;
    make_family(&f, count_call);
    for (unsigned int round = 1; round <= 3; round++) {
        submit(f.instance);
        assert_int_equal(doca_graph_instance_submit(f.sub_instance), DOCA_ERROR_IN_USE);
        assert_int_equal(doca_graph_instance_destroy(f.sub_instance), DOCA_ERROR_IN_USE);
        drain();
        assert_int_equal(done_calls, round);
        assert_int_equal(user_calls, 2 * round);
        assert_ptr_equal(last_ended, f.instance);
    }
    assert_int_equal(toy.callbacks, 0);
    free_family(&f);
}

static void a_failing_sub_graph_fails_its_parent(void **state)
{
    struct family f;

    (void)state;
    make_family(&f, fail_call);
    submit(f.instance);
    drain();
    assert_int_equal(error_calls, 1);
    assert_int_equal(done_calls, 0);
    assert_int_equal(user_calls, 1);
    free_family(&f);
}

static void a_failure_above_stops_a_sub_graph(void **state)
{
    struct doca_graph_node *bad;
    struct family f;

    (void)state;
    bad = ctx_node(graph);
    make_family(&f, count_call);
    give_task(f.instance, bad, 2);
    tasks[2]->outcome = DOCA_ERROR_IO_FAILED;
    tasks[2]->blocked = true;
    tasks[1]->blocked = true; /* of the sub-graph */
    submit(f.instance);
    drain();
    tasks[2]->blocked = false;
    drain();
    assert_int_equal(error_calls, 0);
    tasks[1]->blocked = false;
    drain();
    assert_int_equal(error_calls, 1);
    assert_int_equal(user_calls, 0);
    free_family(&f);
}

static void sub_instances_are_checked(void **state)
{
    struct doca_graph_instance *second;
    struct family f;

    (void)state;
    make_family(&f, count_call);
    destroy(f.sub_instance);
    assert_int_equal(doca_graph_instance_submit(f.instance), DOCA_ERROR_INVALID_VALUE);
    f.sub_instance = instance_of(f.sub); /* the same memory, another life, without data */
    assert_int_equal(doca_graph_instance_submit(f.instance), DOCA_ERROR_INVALID_VALUE);
    give_sub(f.instance, f.mid, f.sub_instance);
    assert_int_equal(doca_graph_instance_submit(f.instance), DOCA_ERROR_INVALID_VALUE);
    give_task(f.sub_instance, f.sub_task, 1);
    give_cookie(f.sub_instance, f.sub_user, NULL);

    second = instance_of(graph);
    give_task(second, f.first, 3);
    give_sub(second, f.mid, f.sub_instance);
    give_cookie(second, f.last, NULL);
    submit(f.instance);
    assert_int_equal(doca_graph_instance_submit(second), DOCA_ERROR_IN_USE);
    assert_int_equal(doca_graph_instance_set_sub_graph_node_data(second, f.mid, f.sub_instance),
                     DOCA_ERROR_BAD_STATE);
    drain();
    assert_int_equal(done_calls, 1);
    submit(second);
    drain();
    assert_int_equal(done_calls, 2);

    assert_int_equal(doca_graph_instance_set_sub_graph_node_data(second, f.mid, f.instance),
                     DOCA_ERROR_NOT_PERMITTED);
    destroy(second);
    free_family(&f);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(two_tasks_then_a_function),
        CASE(functions_run_in_progress_and_in_order),
        CASE(callbacks_get_the_user_data),
        CASE(a_full_queue_delays),
        CASE(failure_waits_for_what_runs),
        CASE(a_failing_function_fails_the_run),
        CASE(a_refused_root_is_returned),
        CASE(a_refused_later_task_fails_the_run),
        CASE(a_busy_task_is_refused),
        CASE(one_task_may_serve_two_nodes_in_a_row),
        CASE(stopping_the_context_ends_the_run),
        CASE(resubmission_from_the_callback),
        CASE(teardown_in_the_callback),
        CASE(teardown_in_the_callback_of_a_task),
        CASE(submitting_does_not_allocate),
        CASE(arming_sees_a_waiting_function),
        CASE(a_sub_graph_runs_as_a_node),
        CASE(a_failing_sub_graph_fails_its_parent),
        CASE(a_failure_above_stops_a_sub_graph),
        CASE(sub_instances_are_checked),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/dma_fixture.h"

#include <doca_graph.h>

/* Graphs whose nodes are copies. */

#define NINSTANCES 10
#define SIZE       1024

static unsigned int runs_done;
static unsigned int runs_failed;

static void run_done(struct doca_graph_instance *instance, union doca_data instance_data,
                     union doca_data graph_data)
{
    (void)instance;
    (void)instance_data;
    (void)graph_data;
    runs_done++;
}

static void run_failed(struct doca_graph_instance *instance, union doca_data instance_data,
                       union doca_data graph_data)
{
    (void)instance;
    (void)instance_data;
    (void)graph_data;
    runs_failed++;
}

/* One run: two copies of the same source, then a function that finds both. */
struct run {
    struct doca_graph_instance *instance;
    struct doca_buf *dst[2];
    struct doca_dma_task_memcpy *task[2];
    unsigned int checks;
    char *src;
    char *copies;
};

static doca_error_t check_copies(void *cookie)
{
    struct run *run = cookie;

    run->checks++;
    for (int i = 0; i < 2; i++) {
        if (buf_data_len(run->dst[i]) != SIZE ||
            memcmp(run->copies + i * SIZE, run->src, SIZE) != 0)
            return DOCA_ERROR_UNEXPECTED;
    }
    return DOCA_SUCCESS;
}

static void end_runs(struct dma_fixture *fix, unsigned int count)
{
    for (uint64_t spins = 0; runs_done + runs_failed < count; spins++) {
        assert_true(spins < UINT64_C(2000000000));
        doca_pe_progress(fix->pe);
    }
}

static void copies_share_a_source(void **state)
{
    struct doca_graph_node *copy[2];
    struct doca_graph_node *check;
    struct run runs[NINSTANCES];
    struct doca_graph *graph;
    struct dma_fixture fix;
    struct doca_buf *src;

    (void)state;
    runs_done = runs_failed = 0;
    dma_fix_start(&fix, 2 * NINSTANCES, 2 * NINSTANCES * SIZE);
    src = src_buf(&fix, 0, SIZE);
    assert_ok(doca_graph_create(fix.pe, &graph));
    assert_ok(doca_graph_set_conf(graph, run_done, run_failed, NINSTANCES));
    assert_ok(doca_graph_node_create_from_user(graph, check_copies, &check));
    for (int i = 0; i < 2; i++) {
        assert_ok(doca_graph_node_create_from_ctx(graph, fix.ctx, &copy[i]));
        assert_ok(doca_graph_add_dependency(graph, copy[i], check));
    }
    assert_ok(doca_graph_start(graph));
    for (unsigned int n = 0; n < NINSTANCES; n++) {
        struct run *run = &runs[n];

        run->checks = 0;
        run->src = fix.src;
        run->copies = fix.dst + (size_t)n * 2 * SIZE;
        assert_ok(doca_graph_instance_create(graph, &run->instance));
        for (int i = 0; i < 2; i++) {
            run->dst[i] = dst_buf(&fix, (n * 2 + (size_t)i) * SIZE, SIZE);
            run->task[i] = new_task(&fix, src, run->dst[i], 0);
            assert_ok(doca_graph_instance_set_ctx_node_data(
                run->instance, copy[i], doca_dma_task_memcpy_as_task(run->task[i])));
        }
        assert_ok(doca_graph_instance_set_user_node_data(run->instance, check, run));
        assert_ok(doca_graph_instance_submit(run->instance));
    }
    end_runs(&fix, NINSTANCES);
    assert_int_equal(runs_done, NINSTANCES);
    assert_int_equal(fix.ok + fix.failed, 0); /* no callback of a task */

    for (unsigned int n = 0; n < NINSTANCES; n++) {
        assert_int_equal(runs[n].checks, 1);
        assert_ok(doca_graph_instance_destroy(runs[n].instance));
        for (int i = 0; i < 2; i++) {
            assert_int_equal(buf_data_len(runs[n].dst[i]), SIZE);
            doca_task_free(doca_dma_task_memcpy_as_task(runs[n].task[i]));
            put_buf(runs[n].dst[i]);
        }
    }
    put_buf(src);
    assert_ok(doca_graph_stop(graph));
    assert_ok(doca_graph_destroy(graph));
    dma_fix_close(&fix);
}

static void a_failed_copy_fails_the_run(void **state)
{
    struct doca_dma_task_memcpy *task[2];
    struct doca_graph_instance *instance;
    struct doca_graph_node *node[2];
    struct doca_graph *graph;
    struct dma_fixture fix;
    struct doca_buf *src;
    struct doca_buf *dst[2];

    (void)state;
    runs_done = runs_failed = 0;
    dma_fix_start(&fix, 2, 2 * SIZE);
    src = src_buf(&fix, 0, SIZE);
    dst[0] = dst_buf(&fix, 0, SIZE / 2); /* too small */
    dst[1] = dst_buf(&fix, SIZE, SIZE);
    assert_ok(doca_graph_create(fix.pe, &graph));
    assert_ok(doca_graph_set_conf(graph, run_done, run_failed, 1));
    for (int i = 0; i < 2; i++)
        assert_ok(doca_graph_node_create_from_ctx(graph, fix.ctx, &node[i]));
    assert_ok(doca_graph_add_dependency(graph, node[0], node[1]));
    assert_ok(doca_graph_start(graph));
    assert_ok(doca_graph_instance_create(graph, &instance));
    for (int i = 0; i < 2; i++) {
        task[i] = new_task(&fix, src, dst[i], 0);
        assert_ok(doca_graph_instance_set_ctx_node_data(instance, node[i],
                                                        doca_dma_task_memcpy_as_task(task[i])));
    }
    assert_ok(doca_graph_instance_submit(instance));
    end_runs(&fix, 1);
    assert_int_equal(runs_failed, 1);
    assert_int_equal(fix.ok + fix.failed, 0);
    assert_int_equal(buf_data_len(dst[1]), 0); /* not started */
    /* The context stops after a failed copy, here as everywhere. */
    assert_doca(DOCA_ERROR_BAD_STATE, doca_graph_instance_submit(instance));
    assert_ok(doca_graph_instance_destroy(instance));
    for (int i = 0; i < 2; i++) {
        doca_task_free(doca_dma_task_memcpy_as_task(task[i]));
        put_buf(dst[i]);
    }
    put_buf(src);
    assert_ok(doca_graph_stop(graph));
    assert_ok(doca_graph_destroy(graph));
    dma_fix_close(&fix);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(copies_share_a_source),
        cmocka_unit_test(a_failed_copy_fails_the_run),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked flavour: pointers to what was destroyed, or to something else, are refused with one
 * line of the log. This test is linked with that flavour. */

#include "lib/dma_fixture.h"

#include <doca_buf_array.h>
#include <doca_buf_pool.h>
#include <doca_clock.h>
#include <doca_graph.h>
#include <doca_log.h>
#include <doca_mmap_advise.h>
#include <doca_sync_event.h>

#define SIZE 4096

static char record[1024];
static unsigned int nrecords;

static void count_record(char *text)
{
    (void)text;
    nrecords++;
}

/* Refused, with one line that has the function's name. */
#define assert_refused(func, ...)                                                                  \
    do {                                                                                           \
        nrecords = 0;                                                                              \
        assert_doca(DOCA_ERROR_INVALID_VALUE, func(__VA_ARGS__));                                  \
        assert_int_equal(nrecords, 1);                                                             \
        assert_non_null(strstr(record, #func));                                                    \
        assert_non_null(strstr(record, "it was destroyed, or it is something else"));              \
    } while (0)

/* For functions without a result. */
#define assert_told(func, ...)                                                                     \
    do {                                                                                           \
        nrecords = 0;                                                                              \
        (void)func(__VA_ARGS__);                                                                   \
        assert_int_equal(nrecords, 1);                                                             \
        assert_non_null(strstr(record, #func));                                                    \
    } while (0)

/* The compiler may not reason about pointers whose object is gone. */
#define keep(pointer) __asm__ volatile("" : "+r"(pointer))

static const union doca_data no_data = {.u64 = 0};

static void engine_is_gone(void **state)
{
    doca_notification_handle_t handle;
    struct doca_graph *graph;
    struct doca_pe *pe;
    size_t n;

    (void)state;
    assert_ok(doca_pe_create(&pe));
    assert_ok(doca_pe_destroy(pe));
    keep(pe);
    assert_refused(doca_pe_destroy, pe);
    assert_told(doca_pe_progress, pe);
    assert_refused(doca_pe_get_notification_handle, pe, &handle);
    assert_refused(doca_pe_request_notification, pe);
    assert_refused(doca_pe_clear_notification, pe, 0);
    assert_refused(doca_pe_get_num_inflight_tasks, pe, &n);
    assert_refused(doca_pe_set_event_mode, pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL);
    assert_refused(doca_graph_create, pe, &graph);
}

static void instance_is_gone(void **state)
{
    struct doca_dma_task_memcpy *task;
    enum doca_ctx_states ctx_state;
    struct dma_fixture fix;
    struct doca_ctx *ctx;
    struct doca_dma *dma;
    uint8_t ordered;
    size_t n;

    (void)state;
    dma_fix_open(&fix, 4, SIZE);
    dma = fix.dma;
    ctx = fix.ctx;
    assert_ok(doca_dma_destroy(dma));
    fix.dma = NULL;
    fix.ctx = NULL;
    keep(dma);
    keep(ctx);
    assert_refused(doca_dma_destroy, dma);
    assert_refused(doca_dma_task_memcpy_set_conf, dma, dma_fix_ok, dma_fix_failed, 4);
    assert_refused(doca_dma_task_memcpy_alloc_init, dma, NULL, NULL, no_data, &task);
    assert_refused(doca_dma_set_ordered_completions, dma, 1);
    assert_refused(doca_dma_get_ordered_completions, dma, &ordered);
    assert_refused(doca_ctx_start, ctx);
    assert_refused(doca_ctx_stop, ctx);
    assert_refused(doca_ctx_get_state, ctx, &ctx_state);
    assert_refused(doca_ctx_set_user_data, ctx, no_data);
    assert_refused(doca_ctx_set_state_changed_cb, ctx, dma_fix_state);
    assert_refused(doca_ctx_get_num_inflight_tasks, ctx, &n);
    assert_refused(doca_pe_connect_ctx, fix.pe, ctx);
    assert_told(doca_ctx_flush_tasks, ctx);
    dma_fix_close(&fix);
}

static void task_is_gone(void **state)
{
    struct doca_dma_task_memcpy *memcpy_task;
    struct doca_buf *src, *dst;
    struct dma_fixture fix;
    struct doca_task *task;

    (void)state;
    dma_fix_start(&fix, 4, SIZE);
    src = src_buf(&fix, 0, 64);
    dst = dst_buf(&fix, 0, 64);
    memcpy_task = new_task(&fix, src, dst, 0);
    task = doca_dma_task_memcpy_as_task(memcpy_task);
    assert_ok(doca_task_get_status(task));
    doca_task_free(task);
    put_buf(src);
    put_buf(dst);
    assert_ok(doca_ctx_stop(fix.ctx));
    assert_ok(doca_dma_destroy(fix.dma));
    fix.dma = NULL;
    fix.ctx = NULL;
    keep(task);
    keep(memcpy_task);
    assert_refused(doca_task_submit, task);
    assert_refused(doca_task_try_submit, task);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_FLUSH));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_submit_ex(task, UINT32_MAX));
    assert_refused(doca_task_get_status, task);
    assert_told(doca_task_set_user_data, task, no_data);
    assert_told(doca_task_get_user_data, task);
    assert_told(doca_task_get_ctx, task);
    assert_told(doca_task_free, task);
    assert_told(doca_dma_task_memcpy_get_src, memcpy_task);
    assert_told(doca_dma_task_memcpy_set_dst, memcpy_task, dst);
    dma_fix_close(&fix);
}

static void memory_is_gone(void **state)
{
    static char memory[SIZE];
    struct doca_dev *dev = open_first_device();
    struct doca_mmap *map = make_map(dev, memory, SIZE, -1);
    struct doca_buf_inventory *inventory;
    struct doca_buf_pool *pool;
    struct doca_buf_arr *arr;
    struct doca_buf *buf;
    size_t len;
    void *addr;
    uint32_t n;

    (void)state;
    assert_ok(doca_buf_inventory_create(4, &inventory));
    assert_ok(doca_buf_inventory_start(inventory));
    assert_ok(doca_buf_pool_create(4, 64, map, &pool));
    assert_ok(doca_buf_arr_create(4, &arr));
    assert_ok(doca_buf_arr_set_params(arr, map, 64, 0));
    assert_ok(doca_mmap_destroy(map));
    keep(map);
    assert_refused(doca_mmap_destroy, map);
    assert_refused(doca_mmap_start, map);
    assert_refused(doca_mmap_stop, map);
    assert_refused(doca_mmap_add_dev, map, dev);
    assert_refused(doca_mmap_set_memrange, map, memory, SIZE);
    assert_refused(doca_mmap_get_memrange, map, &addr, &len);
    assert_refused(doca_mmap_get_num_bufs, map, &n);
    assert_refused(doca_mmap_export_pci, map, dev, (const void **)&addr, &len);
    assert_refused(doca_buf_inventory_buf_get_by_args, inventory, map, memory, 64, memory, 0, &buf);
    /* what remembers the map */
    assert_refused(doca_buf_pool_start, pool);
    assert_refused(doca_buf_arr_start, arr);

    assert_ok(doca_buf_inventory_destroy(inventory));
    assert_ok(doca_buf_pool_destroy(pool));
    assert_ok(doca_buf_arr_destroy(arr));
    keep(inventory);
    keep(pool);
    keep(arr);
    assert_refused(doca_buf_inventory_destroy, inventory);
    assert_refused(doca_buf_inventory_start, inventory);
    assert_refused(doca_buf_inventory_get_num_elements, inventory, &n);
    assert_refused(doca_buf_pool_destroy, pool);
    assert_refused(doca_buf_pool_buf_alloc, pool, &buf);
    assert_refused(doca_buf_pool_stop, pool);
    assert_refused(doca_buf_arr_destroy, arr);
    assert_refused(doca_buf_arr_stop, arr);
    assert_ok(doca_dev_close(dev));
}

static void buffer_is_gone(void **state)
{
    struct doca_mmap_advise_task_invalidate_cache *advice;
    struct doca_dma_task_memcpy *task;
    struct doca_buf_inventory *inventory;
    struct doca_mmap_advise *advise;
    struct doca_sync_event *event;
    struct doca_buf *src, *dst, *gone;
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 4, SIZE);
    assert_ok(doca_buf_inventory_create(1, &inventory));
    assert_ok(doca_buf_inventory_start(inventory));
    assert_ok(doca_buf_inventory_buf_get_by_data(inventory, fix.src_map, fix.src, 64, &gone));
    put_buf(gone);
    assert_ok(doca_buf_inventory_destroy(inventory));
    keep(gone);
    src = src_buf(&fix, 0, 64);
    dst = dst_buf(&fix, 0, 64);
    assert_refused(doca_dma_task_memcpy_alloc_init, fix.dma, gone, dst, no_data, &task);
    assert_refused(doca_dma_task_memcpy_alloc_init, fix.dma, src, gone, no_data, &task);
    task = new_task(&fix, src, dst, 0);
    doca_dma_task_memcpy_set_src(task, gone);
    assert_refused(doca_task_submit, doca_dma_task_memcpy_as_task(task));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(doca_dma_task_memcpy_as_task(task)));
    doca_dma_task_memcpy_set_src(task, src);
    submit(task);
    dma_fix_run(&fix, 1);
    assert_int_equal(fix.ok, 1);

    assert_ok(doca_mmap_advise_create(fix.dev, &advise));
    assert_refused(doca_mmap_advise_task_invalidate_cache_alloc_init, advise, gone, no_data,
                   &advice);
    assert_ok(doca_mmap_advise_destroy(advise));
    assert_ok(doca_sync_event_create(&event));
    assert_refused(doca_sync_event_set_doca_buf, event, gone);
    assert_ok(doca_sync_event_destroy(event));
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

static void event_is_gone(void **state)
{
    struct doca_sync_event_task_get *task;
    struct doca_sync_event *event;
    uint64_t value;

    (void)state;
    assert_ok(doca_sync_event_create(&event));
    assert_ok(doca_sync_event_destroy(event));
    keep(event);
    assert_refused(doca_sync_event_destroy, event);
    assert_refused(doca_sync_event_start, event);
    assert_refused(doca_sync_event_stop, event);
    assert_refused(doca_sync_event_get, event, &value);
    assert_refused(doca_sync_event_update_set, event, 1);
    assert_refused(doca_sync_event_wait_gt, event, 0, UINT64_MAX);
    assert_refused(doca_sync_event_set_addr, event, &value);
    assert_refused(doca_sync_event_task_get_alloc_init, event, &value, no_data, &task);
}

static void advice_and_clock_are_gone(void **state)
{
    struct doca_mmap_advise_task_invalidate_cache *task;
    struct doca_dev *dev = open_first_device();
    union doca_clock_timespec_t now;
    struct doca_mmap_advise *advise;
    struct doca_clock *clock;

    (void)state;
    assert_ok(doca_mmap_advise_create(dev, &advise));
    assert_ok(doca_mmap_advise_destroy(advise));
    keep(advise);
    assert_refused(doca_mmap_advise_destroy, advise);
    assert_refused(doca_mmap_advise_task_invalidate_cache_alloc_init, advise, NULL, no_data, &task);

    assert_ok(doca_clock_create(dev, &clock));
    assert_ok(doca_clock_destroy(clock));
    keep(clock);
    assert_refused(doca_clock_destroy, clock);
    assert_refused(doca_clock_get_timestamp, clock, DOCA_CLOCK_HOST_MONOTONIC, &now);
    assert_ok(doca_dev_close(dev));
}

static void run_ended(struct doca_graph_instance *instance, union doca_data instance_data,
                      union doca_data graph_data)
{
    (void)instance;
    (void)instance_data;
    (void)graph_data;
}

static void graph_is_gone(void **state)
{
    struct doca_graph_instance *instance;
    struct doca_graph_node *node;
    struct dma_fixture fix;
    struct doca_graph *graph;
    union doca_data data;

    (void)state;
    dma_fix_start(&fix, 4, SIZE);
    assert_ok(doca_graph_create(fix.pe, &graph));
    assert_ok(doca_graph_node_create_from_ctx(graph, fix.ctx, &node));
    assert_ok(doca_graph_set_conf(graph, run_ended, run_ended, 1));
    assert_ok(doca_graph_start(graph));
    assert_ok(doca_graph_instance_create(graph, &instance));
    assert_ok(doca_graph_instance_destroy(instance));
    assert_ok(doca_graph_stop(graph));
    keep(instance);
    assert_refused(doca_graph_instance_destroy, instance);
    assert_refused(doca_graph_instance_submit, instance);
    assert_refused(doca_graph_instance_get_user_data, instance, &data);

    /* a graph remembers its contexts */
    assert_ok(doca_ctx_stop(fix.ctx));
    assert_ok(doca_dma_destroy(fix.dma));
    fix.dma = NULL;
    fix.ctx = NULL;
    assert_refused(doca_graph_start, graph);

    assert_ok(doca_graph_destroy(graph));
    keep(graph);
    keep(node);
    assert_refused(doca_graph_destroy, graph);
    assert_refused(doca_graph_start, graph);
    assert_refused(doca_graph_get_user_data, graph, &data);
    assert_refused(doca_graph_instance_create, graph, &instance);
    assert_ok(doca_graph_create(fix.pe, &graph));
    assert_refused(doca_graph_add_dependency, graph, node, node);
    assert_ok(doca_graph_destroy(graph));
    dma_fix_close(&fix);
}

/* Alive, but of another type. */
static void types_are_told_apart(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_open(&fix, 4, SIZE);
    assert_refused(doca_ctx_start, (struct doca_ctx *)fix.pe);
    assert_refused(doca_pe_connect_ctx, (struct doca_pe *)fix.ctx, fix.ctx);
    assert_refused(doca_dma_destroy, (struct doca_dma *)fix.pe);
    assert_refused(doca_sync_event_destroy, (struct doca_sync_event *)fix.dma);
    assert_refused(doca_mmap_destroy, (struct doca_mmap *)fix.inventory);
    assert_refused(doca_buf_inventory_destroy, (struct doca_buf_inventory *)fix.src_map);
    assert_refused(doca_task_submit, (struct doca_task *)fix.ctx);
    assert_refused(doca_clock_destroy, (struct doca_clock *)fix.dev);
    dma_fix_close(&fix);
}

static void garbage_is_refused(void **state)
{
    char garbage[512];
    void *wild = garbage;

    (void)state;
    memset(garbage, 0xa5, sizeof(garbage));
    for (int i = 0; i < 2; i++, wild = (void *)8) {
        keep(wild);
        assert_refused(doca_pe_destroy, wild);
        assert_refused(doca_ctx_start, wild);
        assert_refused(doca_task_submit, wild);
        assert_refused(doca_dma_destroy, wild);
        assert_refused(doca_mmap_destroy, wild);
        assert_refused(doca_buf_inventory_destroy, wild);
        assert_refused(doca_buf_pool_destroy, wild);
        assert_refused(doca_buf_arr_destroy, wild);
        assert_refused(doca_sync_event_destroy, wild);
        assert_refused(doca_sync_event_remote_net_destroy, wild);
        assert_refused(doca_mmap_advise_destroy, wild);
        assert_refused(doca_clock_destroy, wild);
        assert_refused(doca_graph_destroy, wild);
        assert_refused(doca_graph_instance_submit, wild);
    }
}

/* NULL keeps its own words. */
static void null_is_called_null(void **state)
{
    (void)state;
    nrecords = 0;
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_destroy(NULL));
    assert_int_equal(nrecords, 1);
    assert_non_null(strstr(record, "NULL"));
    nrecords = 0;
    doca_task_free(NULL);
    assert_int_equal(doca_pe_progress(NULL), 0);
    assert_int_equal(nrecords, 0);
}

/* The table grows and shrinks without losing anybody. */
static void many_objects_are_known(void **state)
{
    enum { COUNT = 3000 };
    static struct doca_buf_arr *arrs[COUNT];

    (void)state;
    for (int i = 0; i < COUNT; i++)
        assert_ok(doca_buf_arr_create(1, &arrs[i]));
    for (int i = 0; i < COUNT; i += 2) {
        assert_ok(doca_buf_arr_destroy(arrs[i]));
        for (int j = 1; i % 500 == 0 && j < COUNT; j += 2)
            assert_ok(doca_buf_arr_stop(arrs[j]));
    }
    for (int i = 1; i < COUNT; i += 2)
        assert_ok(doca_buf_arr_destroy(arrs[i]));
}

static int listen_to_log(void **state)
{
    struct doca_log_backend *backend;

    (void)state;
    assert_ok(doca_log_backend_create_with_buf_sdk(record, sizeof(record), count_record, &backend));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_is_gone),
        cmocka_unit_test(instance_is_gone),
        cmocka_unit_test(task_is_gone),
        cmocka_unit_test(memory_is_gone),
        cmocka_unit_test(buffer_is_gone),
        cmocka_unit_test(event_is_gone),
        cmocka_unit_test(advice_and_clock_are_gone),
        cmocka_unit_test(graph_is_gone),
        cmocka_unit_test(types_are_told_apart),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(null_is_called_null),
        cmocka_unit_test(many_objects_are_known),
    };

    return cmocka_run_group_tests(tests, listen_to_log, NULL);
}

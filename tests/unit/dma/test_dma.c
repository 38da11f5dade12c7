/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/dma_fixture.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- life cycle ---- */

static void start_is_synchronous(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 4, 4096);
    assert_int_equal(fix.nstates, 1);
    assert_int_equal(fix.states[0], DOCA_CTX_STATE_RUNNING);
    assert_ok(doca_ctx_stop(fix.ctx));
    assert_int_equal(fix.nstates, 3);
    assert_int_equal(fix.states[1], DOCA_CTX_STATE_STOPPING);
    assert_int_equal(fix.states[2], DOCA_CTX_STATE_IDLE);
    assert_ok(doca_ctx_stop(fix.ctx)); /* stop of an idle context: success, no callback */
    assert_int_equal(fix.nstates, 3);
    assert_ok(doca_ctx_start(fix.ctx)); /* and it starts again */
    dma_fix_close(&fix);
}

static void start_needs_engine_and_configuration(void **state)
{
    struct dma_fixture fix;
    struct doca_dma *dma;
    enum doca_ctx_states ctx_state;

    (void)state;
    dma_fix_open(&fix, 4, 4096);
    assert_ok(doca_dma_create(fix.dev, &dma));
    assert_doca(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_dma_as_ctx(dma)));
    assert_ok(doca_pe_connect_ctx(fix.pe, doca_dma_as_ctx(dma)));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_dma_as_ctx(dma)));
    assert_ok(doca_ctx_get_state(doca_dma_as_ctx(dma), &ctx_state));
    assert_int_equal(ctx_state, DOCA_CTX_STATE_IDLE);
    assert_doca(DOCA_ERROR_IN_USE, doca_pe_destroy(fix.pe));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_pe_connect_ctx(fix.pe, doca_dma_as_ctx(dma)));
    assert_ok(doca_dma_destroy(dma));
    assert_ok(doca_ctx_start(fix.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(fix.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_pe_connect_ctx(fix.pe, fix.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_dma_task_memcpy_set_conf(fix.dma, dma_fix_ok, dma_fix_failed, 1));
    assert_doca(DOCA_ERROR_IN_USE, doca_dma_destroy(fix.dma));
    dma_fix_close(&fix);
}

static void configuration_is_checked(void **state)
{
    struct dma_fixture fix;
    uint32_t max;

    (void)state;
    dma_fix_open(&fix, 4, 4096);
    assert_ok(doca_dma_cap_get_max_num_tasks(fix.dma, &max));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_set_conf(fix.dma, NULL, dma_fix_failed, 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_set_conf(fix.dma, dma_fix_ok, NULL, 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_set_conf(fix.dma, dma_fix_ok, dma_fix_failed, 0));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_set_conf(fix.dma, dma_fix_ok, dma_fix_failed, max + 1));
    assert_ok(doca_dma_task_memcpy_set_conf(fix.dma, dma_fix_ok, dma_fix_failed, max));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_dma_create(NULL, &fix.dma));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_dma_create(fix.dev, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_dma_destroy(NULL));
    assert_null(doca_dma_as_ctx(NULL));
    dma_fix_close(&fix);
}

static void pool_holds_exactly_what_was_reserved(void **state)
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *tasks[3], *extra = NULL;
    struct doca_buf *src, *dst;

    (void)state;
    dma_fix_start(&fix, 3, 4096);
    src = src_buf(&fix, 0, 64);
    dst = dst_buf(&fix, 0, 64);
    for (int i = 0; i < 3; i++)
        tasks[i] = new_task(&fix, src, dst, 0);
    assert_doca(DOCA_ERROR_NO_MEMORY,
                doca_dma_task_memcpy_alloc_init(fix.dma, src, dst, (union doca_data){0}, &extra));
    assert_null(extra);
    doca_task_free(doca_dma_task_memcpy_as_task(tasks[1]));
    tasks[1] = new_task(&fix, src, dst, 0);
    for (int i = 0; i < 3; i++)
        doca_task_free(doca_dma_task_memcpy_as_task(tasks[i]));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_alloc_init(fix.dma, NULL, dst, (union doca_data){0}, &extra));
    assert_ok(doca_ctx_stop(fix.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_dma_task_memcpy_alloc_init(fix.dma, src, dst, (union doca_data){0}, &extra));
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

static void submit_some(struct dma_fixture *fix)
{
    for (size_t i = 0; i < 8; i++)
        submit(new_task(fix, src_buf(fix, i * 64, 64), dst_buf(fix, i * 64, 64), i));
}

static void put_task_bufs(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    (void)fix;
    put_buf((struct doca_buf *)doca_dma_task_memcpy_get_src(task));
    put_buf(doca_dma_task_memcpy_get_dst(task));
}

static void tasks_of_the_running_callback_complete(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_open(&fix, 8, 4096);
    fix.on_running = submit_some;
    fix.on_done = put_task_bufs;
    fix.stop_after = 8;
    fix.destroy_in_idle = 1;
    assert_ok(doca_ctx_start(fix.ctx));
    dma_fix_drain(&fix);
    assert_int_equal(fix.ok, 8);
    assert_doca(DOCA_ERROR_IN_PROGRESS, fix.stop_result);
    assert_null(fix.dma);
    assert_memory_equal(fix.src, fix.dst, 512);
    dma_fix_close(&fix);
}

static void expect_flush(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    if (fix->failed > 0)
        assert_doca(DOCA_ERROR_IO_FAILED, fix->last_status);
    put_task_bufs(fix, task);
}

static void stop_in_a_callback_flushes_the_rest(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_open(&fix, 16, 4096);
    fix.on_done = expect_flush;
    fix.stop_after = 8;
    assert_ok(doca_ctx_start(fix.ctx));
    submit_some(&fix);
    submit_some(&fix);
    dma_fix_drain(&fix);
    assert_doca(DOCA_ERROR_IN_PROGRESS, fix.stop_result);
    assert_int_equal(fix.ok + fix.failed, 16);
    assert_true(fix.ok >= 8);
    assert_int_equal(fix.nstates, 3);
    assert_int_equal(fix.states[1], DOCA_CTX_STATE_STOPPING);
    assert_int_equal(fix.states[2], DOCA_CTX_STATE_IDLE);
    dma_fix_close(&fix);
}

static void unsubmitted_tasks_keep_the_context_stopping(void **state)
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *tasks[4];
    struct doca_buf *src, *dst;

    (void)state;
    dma_fix_start(&fix, 4, 4096);
    src = src_buf(&fix, 0, 64);
    dst = dst_buf(&fix, 0, 64);
    for (int i = 0; i < 4; i++)
        tasks[i] = new_task(&fix, src, dst, 0);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(fix.ctx));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(fix.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_task_submit(doca_dma_task_memcpy_as_task(tasks[0])));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(doca_pe_progress(fix.pe), 0);
        assert_int_equal(fix.nstates, 2);
        doca_task_free(doca_dma_task_memcpy_as_task(tasks[i]));
    }
    assert_int_equal(doca_pe_progress(fix.pe), 1);
    assert_int_equal(doca_pe_progress(fix.pe), 0);
    assert_int_equal(fix.nstates, 3);
    assert_int_equal(fix.states[2], DOCA_CTX_STATE_IDLE);
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

/* ---- copy ---- */

static void copy_of_any_size_leaves_the_rest_alone(void **state)
{
    static const size_t sizes[] = {1, 7, 64, 4095, 4096, 65537, 1 << 20, 2 << 20};
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 1, (2 << 20) + 64);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t n = sizes[i], len;
        struct doca_buf *src = src_buf(&fix, 3, n), *dst = dst_buf(&fix, 5, n + 16);
        void *p;

        memset(fix.dst, 0x5a, fix.size);
        submit(new_task(&fix, src, dst, n));
        dma_fix_run(&fix, (unsigned int)i + 1);
        assert_int_equal(fix.failed, 0);
        assert_int_equal(fix.last_user_data, n);
        assert_doca(DOCA_SUCCESS, fix.last_status);
        assert_int_equal(fix.inflight_seen, 0);
        assert_int_equal(buf_data_len(dst), n);
        assert_ok(doca_buf_get_head(dst, &p));
        assert_ptr_equal(p, fix.dst + 5);
        assert_ok(doca_buf_get_len(dst, &len));
        assert_int_equal(len, n + 16);
        assert_ok(doca_buf_get_data(dst, &p));
        assert_ptr_equal(p, fix.dst + 5);
        assert_int_equal(buf_data_len(src), n);
        assert_memory_equal(fix.dst + 5, fix.src + 3, n);
        for (size_t k = 0; k < 5; k++)
            assert_int_equal(fix.dst[k], 0x5a);
        for (size_t k = n + 5; k < n + 40; k++)
            assert_int_equal(fix.dst[k], 0x5a);
        put_buf(src);
        put_buf(dst);
    }
    dma_fix_close(&fix);
}

static struct doca_buf *chain(struct dma_fixture *fix, int is_src, size_t total, size_t parts)
{
    struct doca_buf *head = NULL;
    size_t offset = 0;

    for (size_t i = 0; i < parts; i++) {
        /* unequal parts: the first takes most of the remainder */
        size_t len = i == 0 ? total - (parts - 1) * (total / (parts + 1)) : total / (parts + 1);
        struct doca_buf *buf = is_src ? src_buf(fix, offset, len) : dst_buf(fix, offset, len);

        if (head == NULL)
            head = buf;
        else
            assert_ok(doca_buf_chain_list(head, buf));
        offset += len;
    }
    assert_int_equal(offset, total);
    return head;
}

static void lists_are_copied_in_order(void **state)
{
    struct dma_fixture fix;
    uint32_t cap;
    unsigned int done = 0;

    (void)state;
    dma_fix_start(&fix, 4, 65536);
    assert_ok(doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(fix.dev), &cap));
    for (size_t ns = 1; ns <= cap; ns += ns < 4 ? 1 : 15) {
        for (size_t nd = 1; nd <= cap; nd += nd < 4 ? 1 : 19) {
            struct doca_buf *src = chain(&fix, 1, 40000, ns), *dst = chain(&fix, 0, 40000, nd);
            size_t sum = 0;

            memset(fix.dst, 0x5a, fix.size);
            submit(new_task(&fix, src, dst, 0));
            dma_fix_run(&fix, ++done);
            assert_int_equal(fix.failed, 0);
            assert_memory_equal(fix.dst, fix.src, 40000);
            assert_int_equal(fix.dst[40000], 0x5a);
            for (struct doca_buf *b = dst; b != NULL; doca_buf_get_next_in_list(b, &b)) {
                size_t len;

                assert_ok(doca_buf_get_len(b, &len));
                assert_int_equal(len, buf_data_len(b));
                sum += len;
            }
            assert_int_equal(sum, 40000);
            put_buf(src);
            put_buf(dst);
        }
    }
    dma_fix_close(&fix);
}

static void second_copy_appends(void **state)
{
    struct dma_fixture fix;
    struct doca_buf *src, *dst;

    (void)state;
    dma_fix_start(&fix, 1, 4096);
    src = src_buf(&fix, 0, 100);
    dst = dst_buf(&fix, 0, 250);
    submit(new_task(&fix, src, dst, 0));
    dma_fix_run(&fix, 1);
    submit(new_task(&fix, src, dst, 0));
    dma_fix_run(&fix, 2);
    assert_int_equal(buf_data_len(dst), 200);
    assert_memory_equal(fix.dst + 100, fix.src, 100);
    assert_ok(doca_buf_reset_data_len(dst));
    assert_ok(doca_buf_set_data(src, fix.src + 50, 50));
    submit(new_task(&fix, src, dst, 0));
    dma_fix_run(&fix, 3);
    assert_int_equal(buf_data_len(dst), 50);
    assert_memory_equal(fix.dst, fix.src + 50, 50);
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

/* ---- what fails, and how ---- */

static void expect_failing_task(struct doca_buf *(*make_src)(struct dma_fixture *),
                                struct doca_buf *(*make_dst)(struct dma_fixture *))
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *task;
    struct doca_buf *src, *dst;
    size_t before;

    dma_fix_start(&fix, 4, 4096);
    src = make_src(&fix);
    dst = make_dst(&fix);
    before = buf_data_len(dst);
    task = new_task(&fix, src, dst, 9);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(doca_dma_task_memcpy_as_task(task)));
    submit(task); /* untouched by the refusal */
    dma_fix_run(&fix, 1);
    assert_int_equal(fix.failed, 1);
    assert_doca(DOCA_ERROR_IO_FAILED, fix.last_status);
    assert_int_equal(buf_data_len(dst), before);
    dma_fix_drain(&fix); /* stops by itself */
    assert_int_equal(fix.nstates, 3);
    for (size_t i = 0; i < fix.size; i++)
        assert_int_equal(fix.dst[i], 0x5a);
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

static struct doca_buf *good_src(struct dma_fixture *fix)
{
    return src_buf(fix, 0, 64);
}

static struct doca_buf *good_dst(struct dma_fixture *fix)
{
    return dst_buf(fix, 0, 64);
}

static struct doca_buf *empty_src(struct dma_fixture *fix)
{
    struct doca_buf *buf = src_buf(fix, 0, 64);

    assert_ok(doca_buf_reset_data_len(buf));
    return buf;
}

static struct doca_buf *full_dst(struct dma_fixture *fix)
{
    struct doca_buf *buf;

    assert_ok(doca_buf_inventory_buf_get_by_data(fix->inventory, fix->dst_map, fix->dst, 64, &buf));
    return buf;
}

static struct doca_buf *wild_src(struct dma_fixture *fix)
{
    struct doca_buf *buf = src_buf(fix, 64, 64);

    assert_ok(doca_buf_set_data(buf, fix->src, 64));
    return buf;
}

static struct doca_buf *wild_dst(struct dma_fixture *fix)
{
    struct doca_buf *buf = dst_buf(fix, 0, 128);

    assert_ok(doca_buf_set_data(buf, fix->dst + 64, SIZE_MAX - 8));
    return buf;
}

static void unexecutable_tasks_fail_in_progress(void **state)
{
    (void)state;
    expect_failing_task(empty_src, good_dst);
    expect_failing_task(good_src, full_dst);
    expect_failing_task(wild_src, good_dst);
    expect_failing_task(good_src, wild_dst);
}

static void one_empty_task_of_255_stops_the_context(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 255, 65536);
    fix.on_done = put_task_bufs;
    for (size_t i = 0; i < 255; i++) {
        struct doca_buf *src = src_buf(&fix, i * 64, 64);

        if (i == 2)
            assert_ok(doca_buf_reset_data_len(src));
        submit(new_task(&fix, src, dst_buf(&fix, i * 64, 64), i));
    }
    dma_fix_drain(&fix);
    assert_int_equal(fix.ok + fix.failed, 255);
    assert_true(fix.failed >= 1);
    assert_true(fix.ok >= 2); /* not before the two that came first */
    assert_int_equal(fix.nstates, 3);
    dma_fix_close(&fix);
}

static void a_failing_task_waits_for_older_ones(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 4, 8 << 20);
    fix.on_done = put_task_bufs;
    submit(new_task(&fix, src_buf(&fix, 0, 2 << 20), dst_buf(&fix, 0, 2 << 20), 0));
    submit(new_task(&fix, empty_src(&fix), good_dst(&fix), 1));
    submit(new_task(&fix, empty_src(&fix), good_dst(&fix), 2));
    dma_fix_run(&fix, 1);
    assert_int_equal(fix.ok, 1);
    assert_int_equal(fix.last_user_data, 0);
    dma_fix_drain(&fix);
    assert_int_equal(fix.failed, 2);
    assert_int_equal(fix.nstates, 3);
    dma_fix_close(&fix);
}

static void a_failing_task_does_not_wait_when_its_context_stops(void **state)
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *held;

    (void)state;
    dma_fix_start(&fix, 4, 4096);
    fix.on_done = put_task_bufs;
    held = new_task(&fix, src_buf(&fix, 0, 64), dst_buf(&fix, 0, 64), 0);
    assert_ok(doca_task_submit_ex(doca_dma_task_memcpy_as_task(held), 0));
    held = new_task(&fix, empty_src(&fix), good_dst(&fix), 1);
    assert_ok(doca_task_submit_ex(doca_dma_task_memcpy_as_task(held), 0));
    assert_int_equal(doca_pe_progress(fix.pe), 0); /* nothing is flushed yet */
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(fix.ctx));
    dma_fix_drain(&fix);
    assert_int_equal(fix.failed, 2);
    dma_fix_close(&fix);
}

static void limits_are_told_at_alloc(void **state)
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *task;
    struct doca_buf *src, *dst;
    uint64_t max;
    uint32_t cap;

    (void)state;
    dma_fix_start(&fix, 2, (2 << 20) + 1);
    assert_ok(doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(fix.dev), &max));
    assert_int_equal(max, 2 << 20);
    src = src_buf(&fix, 0, max + 1);
    dst = dst_buf(&fix, 0, max + 1);
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_alloc_init(fix.dma, src, dst, (union doca_data){0}, &task));
    assert_ok(doca_buf_set_data_len(src, max));
    task = new_task(&fix, src, dst, 0);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    put_buf(src);

    assert_ok(doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(fix.dev), &cap));
    src = chain(&fix, 1, 40000, cap + 1);
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_alloc_init(fix.dma, src, dst, (union doca_data){0}, &task));
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

static void read_only_destination_is_refused_at_submit(void **state)
{
    struct dma_fixture fix;
    struct doca_mmap *map;
    struct doca_buf *src, *dst, *good;
    struct doca_dma_task_memcpy *task;
    char page[64] = {0};

    (void)state;
    dma_fix_start(&fix, 2, 4096);
    map = make_map(fix.dev, page, sizeof(page), DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    src = src_buf(&fix, 0, 64);
    assert_ok(doca_buf_inventory_buf_get_by_addr(fix.inventory, map, page, 64, &dst));
    good = dst_buf(&fix, 0, 64);
    task = new_task(&fix, src, dst, 0);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_task_try_submit(doca_dma_task_memcpy_as_task(task)));
    doca_dma_task_memcpy_set_dst(task, good);
    submit(task); /* still ours, context still runs */
    dma_fix_run(&fix, 1);
    assert_int_equal(fix.ok, 1);
    for (size_t i = 0; i < sizeof(page); i++)
        assert_int_equal(page[i], 0);
    put_buf(src);
    put_buf(dst);
    put_buf(good);
    assert_ok(doca_mmap_destroy(map));
    dma_fix_close(&fix);
}

static void bad_page_is_an_error_completion(void **state)
{
    long page = sysconf(_SC_PAGESIZE);
    struct dma_fixture fix;
    struct doca_mmap *map;
    struct doca_buf *src, *dst;
    char *area;

    (void)state;
    area =
        mmap(NULL, 16 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(area != MAP_FAILED);
    memset(area, 1, 16 * (size_t)page);
    assert_int_equal(mprotect(area + 8 * page, (size_t)page, PROT_NONE), 0);
    for (int side = 0; side < 2; side++) {
        dma_fix_start(&fix, 4, 16 * (size_t)page);
        map = make_map(fix.dev, area, 16 * (size_t)page, -1);
        if (side == 0) {
            assert_ok(doca_buf_inventory_buf_get_by_data(fix.inventory, map, area,
                                                         16 * (size_t)page, &src));
            dst = dst_buf(&fix, 0, 16 * (size_t)page);
        } else {
            src = src_buf(&fix, 0, 16 * (size_t)page);
            assert_ok(doca_buf_inventory_buf_get_by_addr(fix.inventory, map, area,
                                                         16 * (size_t)page, &dst));
        }
        submit(new_task(&fix, src, dst, 0));
        dma_fix_run(&fix, 1);
        assert_int_equal(fix.failed, 1);
        assert_doca(DOCA_ERROR_IO_FAILED, fix.last_status);
        dma_fix_drain(&fix);
        put_buf(src);
        put_buf(dst);
        assert_ok(doca_mmap_destroy(map));
        dma_fix_close(&fix);
    }
    munmap(area, 16 * (size_t)page);
}

/* ---- submission modes ---- */

static void held_tasks_run_after_a_flush(void **state)
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *task;

    (void)state;
    dma_fix_start(&fix, 8, 4096);
    fix.on_done = put_task_bufs;
    for (size_t i = 0; i < 4; i++) {
        task = new_task(&fix, src_buf(&fix, i * 64, 64), dst_buf(&fix, i * 64, 64), i);
        assert_ok(doca_task_submit_ex(doca_dma_task_memcpy_as_task(task),
                                      i % 2 ? DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS
                                            : DOCA_TASK_SUBMIT_FLAG_NONE));
    }
    doca_ctx_flush_tasks(fix.ctx);
    dma_fix_run(&fix, 4);
    for (size_t i = 0; i < 4; i++) {
        task = new_task(&fix, src_buf(&fix, i * 64, 64), dst_buf(&fix, i * 64, 64), i);
        assert_ok(doca_task_submit_ex(doca_dma_task_memcpy_as_task(task),
                                      i < 3 ? DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS
                                            : DOCA_TASK_SUBMIT_FLAG_FLUSH));
    }
    dma_fix_run(&fix, 8);
    task = new_task(&fix, src_buf(&fix, 0, 64), dst_buf(&fix, 0, 64), 0);
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_task_submit_ex(doca_dma_task_memcpy_as_task(task), 1u << 30));
    assert_ok(doca_task_submit_ex(doca_dma_task_memcpy_as_task(task), DOCA_TASK_SUBMIT_FLAG_NONE));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(fix.ctx)); /* flushes the held one */
    dma_fix_drain(&fix);
    assert_int_equal(fix.ok, 8);
    assert_int_equal(fix.failed, 1);
    dma_fix_close(&fix);
}

static void resubmit(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    unsigned int next = fix->ok + 3; /* four were submitted before the first completion */
    struct doca_task *base = doca_dma_task_memcpy_as_task(task);

    put_task_bufs(fix, task);
    fix->free_tasks = next >= 16;
    if (next >= 16)
        return;
    doca_dma_task_memcpy_set_src(task, src_buf(fix, next * 64, 64));
    doca_dma_task_memcpy_set_dst(task, dst_buf(fix, next * 64, 64));
    doca_task_set_user_data(base, (union doca_data){.u64 = next});
    assert_ok(doca_task_submit(base));
}

static void four_tasks_serve_sixteen_copies(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 4, 4096);
    fix.on_done = resubmit;
    for (size_t i = 0; i < 4; i++)
        submit(new_task(&fix, src_buf(&fix, i * 64, 64), dst_buf(&fix, i * 64, 64), i));
    dma_fix_run(&fix, 16);
    assert_int_equal(fix.ok, 16);
    assert_int_equal(fix.last_user_data, 15);
    assert_memory_equal(fix.dst, fix.src, 16 * 64);
    dma_fix_close(&fix);
}

static uint64_t expected_next;

static void expect_order(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    assert_int_equal(fix->last_user_data, expected_next++);
    put_task_bufs(fix, task);
}

static void ordered_completions_keep_the_order(void **state)
{
    struct dma_fixture fix;
    uint8_t ordered = 0;

    (void)state;
    dma_fix_open(&fix, 32, 8 << 20);
    assert_ok(doca_dma_set_ordered_completions(fix.dma, 1));
    assert_ok(doca_dma_get_ordered_completions(fix.dma, &ordered));
    assert_int_equal(ordered, 1);
    assert_ok(doca_ctx_start(fix.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_dma_set_ordered_completions(fix.dma, 0));
    fix.on_done = expect_order;
    expected_next = 0;
    for (size_t i = 0; i < 32; i++) {
        size_t len = i % 5 == 0 ? 1 << 20 : 64; /* large ones would be overtaken */

        submit(new_task(&fix, src_buf(&fix, i * 4096, len), dst_buf(&fix, i * 4096, len), i));
    }
    dma_fix_run(&fix, 32);
    assert_int_equal(fix.ok, 32);
    dma_fix_close(&fix);
}

/* ---- events ---- */

static void event_loop_never_sleeps_over_work(void **state)
{
    struct dma_fixture fix;
    struct epoll_event event = {.events = EPOLLIN};
    int handle, ep = epoll_create1(0);
    struct doca_pe *pe_before_ctx;

    (void)state;
    dma_fix_open(&fix, 4, 4 << 20);
    pe_before_ctx = fix.pe;
    assert_ok(doca_pe_get_notification_handle(pe_before_ctx, &handle));
    assert_int_equal(epoll_ctl(ep, EPOLL_CTL_ADD, handle, &event), 0);
    assert_ok(doca_ctx_start(fix.ctx));
    fix.on_done = put_task_bufs;
    for (unsigned int i = 0; i < 10000; i++) {
        size_t len = i % 500 == 0 ? 2 << 20 : 64;

        submit(new_task(&fix, src_buf(&fix, 0, len), dst_buf(&fix, 0, len), i));
        for (;;) {
            while (doca_pe_progress(fix.pe) != 0)
                ;
            if (fix.ok == i + 1)
                break;
            assert_ok(doca_pe_request_notification(fix.pe));
            assert_int_equal(await_event(ep, 20000), 1);
            assert_ok(doca_pe_clear_notification(fix.pe, 0));
        }
    }
    /* nothing to do: armed, but not readable */
    assert_ok(doca_pe_request_notification(fix.pe));
    assert_int_equal(await_event(ep, 0), 0);
    /* a submit while armed fires */
    submit(new_task(&fix, src_buf(&fix, 0, 64), dst_buf(&fix, 0, 64), 0));
    assert_int_equal(await_event(ep, 20000), 1);
    dma_fix_run(&fix, 10001);
    close(ep);
    dma_fix_close(&fix);
}

static void progress_in_callback(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    assert_int_equal(doca_pe_progress(fix->pe), 0);
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_pe_set_event_mode(fix->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
    put_task_bufs(fix, task);
}

static void a_callback_may_not_progress_its_engine(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 8, 4096);
    fix.on_done = progress_in_callback;
    submit_some(&fix);
    dma_fix_run(&fix, 8);
    dma_fix_close(&fix);
}

/* ---- several contexts and threads ---- */

struct worker {
    struct doca_dev *dev;
    struct doca_mmap *map;
    char *memory;
    unsigned int index;
};

static void *copy_in_thread(void *arg)
{
    struct worker *worker = arg;
    struct dma_fixture fix = {.dev = worker->dev, .free_tasks = 1, .on_done = put_task_bufs};
    char *mine = worker->memory + worker->index * 65536;

    assert_ok(doca_pe_create(&fix.pe));
    assert_ok(doca_buf_inventory_create(64, &fix.inventory));
    assert_ok(doca_buf_inventory_start(fix.inventory));
    fix.src_map = fix.dst_map = worker->map;
    fix.src = mine;
    fix.dst = mine + 32768;
    dma_fix_create_ctx(&fix, 16);
    assert_ok(doca_ctx_start(fix.ctx));
    for (unsigned int i = 0; i < 2000; i++) {
        submit(new_task(&fix, src_buf(&fix, 0, 256), dst_buf(&fix, 0, 256), i));
        dma_fix_run(&fix, i + 1);
    }
    assert_int_equal(fix.failed, 0);
    assert_ok(doca_ctx_stop(fix.ctx));
    assert_ok(doca_dma_destroy(fix.dma));
    assert_ok(doca_pe_destroy(fix.pe));
    assert_ok(doca_buf_inventory_destroy(fix.inventory));
    return NULL;
}

static void two_engines_share_device_and_map(void **state)
{
    struct doca_dev *dev = open_first_device();
    char *memory = calloc(2, 65536);
    struct doca_mmap *map = make_map(dev, memory, 2 * 65536, -1);
    struct worker workers[2];
    pthread_t threads[2];

    (void)state;
    for (unsigned int i = 0; i < 2; i++) {
        workers[i] = (struct worker){dev, map, memory, i};
        assert_int_equal(pthread_create(&threads[i], NULL, copy_in_thread, &workers[i]), 0);
    }
    for (unsigned int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_ok(doca_mmap_destroy(map));
    assert_ok(doca_dev_close(dev));
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_is_synchronous),
        cmocka_unit_test(start_needs_engine_and_configuration),
        cmocka_unit_test(configuration_is_checked),
        cmocka_unit_test(pool_holds_exactly_what_was_reserved),
        cmocka_unit_test(tasks_of_the_running_callback_complete),
        cmocka_unit_test(stop_in_a_callback_flushes_the_rest),
        cmocka_unit_test(unsubmitted_tasks_keep_the_context_stopping),
        cmocka_unit_test(copy_of_any_size_leaves_the_rest_alone),
        cmocka_unit_test(lists_are_copied_in_order),
        cmocka_unit_test(second_copy_appends),
        cmocka_unit_test(unexecutable_tasks_fail_in_progress),
        cmocka_unit_test(one_empty_task_of_255_stops_the_context),
        cmocka_unit_test(a_failing_task_waits_for_older_ones),
        cmocka_unit_test(a_failing_task_does_not_wait_when_its_context_stops),
        cmocka_unit_test(limits_are_told_at_alloc),
        cmocka_unit_test(read_only_destination_is_refused_at_submit),
        cmocka_unit_test(bad_page_is_an_error_completion),
        cmocka_unit_test(held_tasks_run_after_a_flush),
        cmocka_unit_test(four_tasks_serve_sixteen_copies),
        cmocka_unit_test(ordered_completions_keep_the_order),
        cmocka_unit_test(event_loop_never_sleeps_over_work),
        cmocka_unit_test(a_callback_may_not_progress_its_engine),
        cmocka_unit_test(two_engines_share_device_and_map),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

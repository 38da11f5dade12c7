/* SPDX-License-Identifier: BSD-3-Clause */
/* What a task may hold when it is submitted, and what is left of it afterwards. */

#include "lib/dma_fixture.h"

#include <malloc.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_log.h>
#include <opendoca.h>

#define MAX_BYTES (2u << 20)
#define MAX_LIST  64u

static struct doca_task *as_task(struct doca_dma_task_memcpy *task)
{
    return doca_dma_task_memcpy_as_task(task);
}

static void put_task_bufs(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    (void)fix;
    put_buf((struct doca_buf *)doca_dma_task_memcpy_get_src(task));
    put_buf(doca_dma_task_memcpy_get_dst(task));
}

/* n buffers of `len` bytes each, joined. */
static struct doca_buf *list_of(struct dma_fixture *fix, bool is_src, uint32_t n, size_t len)
{
    struct doca_buf *head = is_src ? src_buf(fix, 0, len) : dst_buf(fix, 0, len);

    for (uint32_t i = 1; i < n; i++)
        assert_ok(doca_buf_chain_list(head, is_src ? src_buf(fix, i * len, len)
                                                   : dst_buf(fix, i * len, len)));
    return head;
}

/* ---- a task that became invalid after it was allocated ---- */

/* A good task, and what it may get instead of its buffers. */
struct broken {
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *task;
    struct doca_buf *src, *dst; /* of 64 bytes, good */
    struct doca_buf *other_src, *other_dst;
    struct doca_mmap *foreign_map;
    struct doca_buf *foreign;
};

static void source_of_no_length(struct broken *b)
{
    assert_ok(doca_buf_reset_data_len(b->src));
}

static void source_that_grew(struct broken *b)
{
    b->other_src = src_buf(&b->fix, 0, MAX_BYTES + 1);
    b->other_dst = dst_buf(&b->fix, 0, MAX_BYTES + 1);
    doca_dma_task_memcpy_set_src(b->task, b->other_src);
    doca_dma_task_memcpy_set_dst(b->task, b->other_dst);
}

static void source_list_that_grew(struct broken *b)
{
    b->other_src = list_of(&b->fix, true, MAX_LIST + 1, 1);
    b->other_dst = dst_buf(&b->fix, 0, 4096);
    doca_dma_task_memcpy_set_src(b->task, b->other_src);
    doca_dma_task_memcpy_set_dst(b->task, b->other_dst);
}

static void destination_list_that_grew(struct broken *b)
{
    b->other_dst = list_of(&b->fix, false, MAX_LIST + 1, 64);
    doca_dma_task_memcpy_set_dst(b->task, b->other_dst);
}

static void destination_without_room(struct broken *b)
{
    assert_ok(doca_buf_set_data_len(b->dst, 1));
}

static void source_data_before_its_slice(struct broken *b)
{
    assert_ok(doca_buf_set_data(b->src, b->fix.src, 64));
}

static void source_data_behind_its_slice(struct broken *b)
{
    assert_ok(doca_buf_set_data_len(b->src, 65));
}

static void destination_data_outside_of_its_slice(struct broken *b)
{
    assert_ok(doca_buf_set_data(b->dst, b->fix.dst + 4096, 0));
}

static void no_source(struct broken *b)
{
    doca_dma_task_memcpy_set_src(b->task, NULL);
}

static void no_destination(struct broken *b)
{
    doca_dma_task_memcpy_set_dst(b->task, NULL);
}

static void inner_element_as_source(struct broken *b)
{
    struct doca_buf *inner;

    b->other_src = list_of(&b->fix, true, 2, 16);
    assert_ok(doca_buf_get_next_in_list(b->other_src, &inner));
    doca_dma_task_memcpy_set_src(b->task, inner);
}

static void inner_element_as_destination(struct broken *b)
{
    struct doca_buf *inner;

    b->other_dst = list_of(&b->fix, false, 2, 64);
    assert_ok(doca_buf_get_next_in_list(b->other_dst, &inner));
    doca_dma_task_memcpy_set_dst(b->task, inner);
}

static void source_in_a_map_of_another_device(struct broken *b)
{
    doca_dma_task_memcpy_set_src(b->task, b->foreign);
}

static void destination_in_a_map_of_another_device(struct broken *b)
{
    doca_dma_task_memcpy_set_dst(b->task, b->foreign);
}

/* What a plain submit makes of it. */
enum outcome { REFUSED, FAILS, WORKS };

static const struct row {
    const char *name;
    void (*break_it)(struct broken *b);
    enum outcome submit;
} rows[] = {
    {"source of no length", source_of_no_length, FAILS},
    {"source that grew", source_that_grew, FAILS},
    {"source list that grew", source_list_that_grew, FAILS},
    {"destination list that grew", destination_list_that_grew, FAILS},
    {"destination without room", destination_without_room, FAILS},
    {"source data before its slice", source_data_before_its_slice, FAILS},
    {"source data behind its slice", source_data_behind_its_slice, FAILS},
    {"destination data outside", destination_data_outside_of_its_slice, FAILS},
    {"no source", no_source, REFUSED},
    {"no destination", no_destination, REFUSED},
    {"inner element as source", inner_element_as_source, WORKS},
    {"inner element as destination", inner_element_as_destination, WORKS},
    {"source of another device", source_in_a_map_of_another_device, REFUSED},
    {"destination of another device", destination_in_a_map_of_another_device, REFUSED},
};

static struct doca_dev *open_last_device(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t n;

    assert_ok(doca_devinfo_create_list(&list, &n));
    assert_true(n > 1);
    assert_ok(doca_dev_open(list[n - 1], &dev));
    assert_ok(doca_devinfo_destroy_list(list));
    return dev;
}

static void open_broken(struct broken *b, struct doca_dev *foreign_dev)
{
    memset(b, 0, sizeof(*b));
    dma_fix_start(&b->fix, 2, MAX_BYTES + 4096);
    b->src = src_buf(&b->fix, 128, 64);
    b->dst = dst_buf(&b->fix, 128, 64);
    b->task = new_task(&b->fix, b->src, b->dst, 5);
    b->foreign_map = make_map(foreign_dev, b->fix.src, 4096, -1);
    assert_ok(doca_buf_inventory_buf_get_by_data(b->fix.inventory, b->foreign_map, b->fix.src, 64,
                                                 &b->foreign));
}

static void close_broken(struct broken *b)
{
    put_buf(b->src);
    put_buf(b->dst);
    put_buf(b->foreign);
    if (b->other_src != NULL)
        put_buf(b->other_src);
    if (b->other_dst != NULL)
        put_buf(b->other_dst);
    assert_ok(doca_mmap_destroy(b->foreign_map));
    dma_fix_close(&b->fix);
}

static void mend(struct broken *b)
{
    assert_ok(doca_buf_set_data(b->src, b->fix.src + 128, 64));
    assert_ok(doca_buf_set_data(b->dst, b->fix.dst + 128, 0));
    doca_dma_task_memcpy_set_src(b->task, b->src);
    doca_dma_task_memcpy_set_dst(b->task, b->dst);
}

static void try_submit_finds_each_fault_and_leaves_the_task(void **state)
{
    struct doca_dev *foreign = open_last_device();

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct broken b;

        print_message("%s\n", rows[i].name);
        open_broken(&b, foreign);
        rows[i].break_it(&b);
        assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(as_task(b.task)));
        assert_int_equal(doca_pe_progress(b.fix.pe), 0);
        mend(&b);
        assert_ok(doca_task_try_submit(as_task(b.task)));
        dma_fix_run(&b.fix, 1);
        assert_int_equal(b.fix.ok, 1);
        assert_int_equal(b.fix.last_user_data, 5);
        assert_memory_equal(b.fix.dst + 128, b.fix.src + 128, 64);
        close_broken(&b);
    }
    assert_ok(doca_dev_close(foreign));
}

struct geometry {
    void *head, *data;
    size_t len, data_len;
};

static struct geometry geometry_of(struct doca_buf *buf)
{
    struct geometry g;

    memset(&g, 0, sizeof(g));
    assert_ok(doca_buf_get_head(buf, &g.head));
    assert_ok(doca_buf_get_len(buf, &g.len));
    assert_ok(doca_buf_get_data(buf, &g.data));
    assert_ok(doca_buf_get_data_len(buf, &g.data_len));
    return g;
}

static void assert_same(struct doca_buf *buf, const struct geometry *before)
{
    struct geometry now = geometry_of(buf);

    assert_memory_equal(&now, before, sizeof(now));
}

static bool is_untouched(const char *at, size_t len)
{
    while (len > 0 && at[len - 1] == 0x5a)
        len--;
    return len == 0;
}

/* Neither the buffers nor anything outside of them changes when a task is not executed. */
static void submit_takes_each_fault_as_the_contract_says(void **state)
{
    struct doca_dev *foreign = open_last_device();

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct geometry src, dst;
        struct broken b;

        print_message("%s\n", rows[i].name);
        open_broken(&b, foreign);
        rows[i].break_it(&b);
        src = geometry_of(b.src);
        dst = geometry_of(b.dst);
        if (rows[i].submit == REFUSED) {
            assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_submit(as_task(b.task)));
            doca_task_free(as_task(b.task));
            close_broken(&b);
            continue;
        }
        submit(b.task);
        dma_fix_run(&b.fix, 1);
        assert_int_equal(b.fix.failed, rows[i].submit == FAILS);
        if (rows[i].submit == FAILS) {
            assert_doca(DOCA_ERROR_IO_FAILED, b.fix.last_status);
            dma_fix_drain(&b.fix);
            assert_int_equal(b.fix.nstates, 3);
            assert_same(b.src, &src);
            assert_same(b.dst, &dst);
            assert_true(is_untouched(b.fix.dst, b.fix.size));
        }
        close_broken(&b);
    }
    assert_ok(doca_dev_close(foreign));
}

static void alloc_takes_heads_only(void **state)
{
    struct doca_dma_task_memcpy *task = NULL;
    struct doca_buf *src, *dst, *inner;
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 2, 4096);
    src = list_of(&fix, true, 2, 16);
    dst = list_of(&fix, false, 2, 16);
    assert_ok(doca_buf_get_next_in_list(src, &inner));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_alloc_init(fix.dma, inner, dst, (union doca_data){0}, &task));
    assert_ok(doca_buf_get_next_in_list(dst, &inner));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_alloc_init(fix.dma, src, inner, (union doca_data){0}, &task));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_alloc_init(fix.dma, src, NULL, (union doca_data){0}, &task));
    assert_null(task);
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

/* ---- what a copy changes ---- */

static struct doca_buf *nth(struct doca_buf *buf, unsigned int n)
{
    while (n-- > 0)
        assert_ok(doca_buf_get_next_in_list(buf, &buf));
    return buf;
}

static void only_the_elements_that_got_bytes_grow(void **state)
{
    struct doca_buf *src, *dst;
    struct geometry sources[3], untouched;
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 1, 4096);
    src = list_of(&fix, true, 3, 64); /* 64 + 0 + 36 bytes */
    assert_ok(doca_buf_reset_data_len(nth(src, 1)));
    assert_ok(doca_buf_set_data_len(nth(src, 2), 36));
    dst = list_of(&fix, false, 4, 64); /* room for 54 + 64 + 64 + 64 */
    assert_ok(doca_buf_set_data(dst, fix.dst + 4, 6));
    for (unsigned int i = 0; i < 3; i++)
        sources[i] = geometry_of(nth(src, i));
    untouched = geometry_of(nth(dst, 2));
    submit(new_task(&fix, src, dst, 0));
    dma_fix_run(&fix, 1);
    assert_int_equal(fix.ok, 1);
    assert_int_equal(buf_data_len(dst), 6 + 54);
    assert_int_equal(buf_data_len(nth(dst, 1)), 46);
    assert_same(nth(dst, 2), &untouched);
    assert_int_equal(buf_data_len(nth(dst, 3)), 0);
    for (unsigned int i = 0; i < 3; i++)
        assert_same(nth(src, i), &sources[i]);
    assert_int_equal(fix.dst[9], 0x5a);
    assert_memory_equal(fix.dst + 10, fix.src, 64);
    assert_memory_equal(fix.dst + 74, fix.src + 128, 36);
    assert_true(is_untouched(fix.dst + 110, 300));
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

static void sides_may_overlap_and_be_shared(void **state)
{
    struct doca_buf *src, *dst, *overlapping;
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 4, 4096);
    src = dst_buf(&fix, 0, 2048);
    assert_ok(doca_buf_set_data_len(src, 1024));
    overlapping = dst_buf(&fix, 512, 1024);
    dst = dst_buf(&fix, 3000, 1024);
    submit(new_task(&fix, src, overlapping, 0));
    submit(new_task(&fix, src, dst, 0));
    dma_fix_run(&fix, 2);
    submit(new_task(&fix, src, src, 0));
    dma_fix_run(&fix, 3);
    assert_int_equal(fix.ok, 3);
    assert_int_equal(buf_data_len(src), 2048);
    put_buf(src);
    put_buf(dst);
    put_buf(overlapping);
    dma_fix_close(&fix);
}

/* ---- life ---- */

static void start_another(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    put_task_bufs(fix, task);
    doca_task_free(as_task(task));
    if (fix->ok < 10)
        submit(
            new_task(fix, src_buf(fix, fix->ok * 64, 64), dst_buf(fix, fix->ok * 64, 64), fix->ok));
}

static void a_freed_task_is_there_at_once(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 1, 4096);
    fix.free_tasks = 0;
    fix.on_done = start_another;
    submit(new_task(&fix, src_buf(&fix, 0, 64), dst_buf(&fix, 0, 64), 0));
    dma_fix_run(&fix, 10);
    assert_int_equal(fix.ok, 10);
    assert_memory_equal(fix.dst, fix.src, 640);
    dma_fix_close(&fix);
}

static void it_works_again_after_idle(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 4, 4096);
    fix.on_done = put_task_bufs;
    for (unsigned int round = 0; round < 3; round++) {
        fix.nstates = 0;
        fix.stop_after = (int)(round * 2 + 2);
        submit(new_task(&fix, src_buf(&fix, 0, 64), dst_buf(&fix, 0, 64), 0));
        submit(new_task(&fix, src_buf(&fix, 64, 64), dst_buf(&fix, 64, 64), 0));
        dma_fix_run(&fix, round * 2 + 2);
        /* The step that the last callback made possible is taken by the same progress call. */
        assert_doca(DOCA_ERROR_IN_PROGRESS, fix.stop_result);
        assert_int_equal(fix.nstates, 2);
        assert_int_equal(fix.states[1], DOCA_CTX_STATE_IDLE);
        assert_int_equal(doca_pe_progress(fix.pe), 0);
        assert_ok(doca_ctx_start(fix.ctx));
    }
    assert_int_equal(fix.failed, 0);
    dma_fix_close(&fix);
}

static void several_contexts_share_an_engine(void **state)
{
    struct dma_fixture first, others[2];

    (void)state;
    dma_fix_start(&first, 8, 4096);
    first.on_done = put_task_bufs;
    for (unsigned int i = 0; i < 2; i++) {
        others[i] = first;
        dma_fix_create_ctx(&others[i], 8);
        assert_ok(doca_ctx_start(others[i].ctx));
    }
    for (size_t k = 0; k < 8; k++) {
        submit(new_task(&first, src_buf(&first, k * 64, 64), dst_buf(&first, k * 64, 64), k));
        for (unsigned int i = 0; i < 2; i++)
            submit(new_task(&others[i], src_buf(&first, k * 64, 64),
                            dst_buf(&first, (i + 1) * 512 + k * 64, 64), k));
    }
    dma_fix_run(&first, 8);
    for (unsigned int i = 0; i < 2; i++) {
        dma_fix_run(&others[i], 8);
        assert_int_equal(others[i].ok, 8);
        assert_memory_equal(first.dst + (i + 1) * 512, first.src, 512);
    }
    assert_doca(DOCA_ERROR_IN_USE, doca_pe_destroy(first.pe));
    assert_non_null(strstr(opendoca_last_error(), "3 contexts"));
    for (unsigned int i = 0; i < 2; i++) {
        assert_ok(doca_ctx_stop(others[i].ctx));
        assert_ok(doca_dma_destroy(others[i].dma));
    }
    dma_fix_close(&first);
}

static void survivors_are_counted(void **state)
{
    struct doca_dma_task_memcpy *tasks[2];
    struct dma_fixture fix;
    struct doca_buf *src, *dst;

    (void)state;
    dma_fix_start(&fix, 4, 4096);
    src = src_buf(&fix, 0, 64);
    dst = dst_buf(&fix, 0, 64);
    tasks[0] = new_task(&fix, src, dst, 0);
    tasks[1] = new_task(&fix, src, dst, 0);
    assert_ok(doca_task_submit_ex(as_task(tasks[0]), 0));
    assert_doca(DOCA_ERROR_IN_USE, doca_dma_destroy(fix.dma));
    assert_non_null(strstr(opendoca_last_error(), "RUNNING with 2 unfreed tasks, 1 of them"));
    assert_doca(DOCA_ERROR_IN_USE, doca_pe_destroy(fix.pe));
    assert_non_null(strstr(opendoca_last_error(), "1 contexts"));
    assert_doca(DOCA_ERROR_IN_USE, doca_dev_close(fix.dev));
    assert_non_null(strstr(opendoca_last_error(), "memory maps: 2"));
    assert_non_null(strstr(opendoca_last_error(), "contexts: 1"));
    assert_doca(DOCA_ERROR_IN_USE, doca_buf_inventory_destroy(fix.inventory));
    assert_non_null(strstr(opendoca_last_error(), "held buffers is 2"));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(fix.src_map));
    assert_non_null(strstr(opendoca_last_error(), "held buffers is 1"));
    doca_ctx_flush_tasks(fix.ctx);
    dma_fix_run(&fix, 1);
    doca_task_free(as_task(tasks[1]));
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

/* Whatever stands in the caller's variables and in fresh memory. */
static void garbage_in_memory_changes_nothing(void **state)
{
    struct doca_dma_task_memcpy *task;
    struct dma_fixture fix;
    struct doca_buf *src;

    (void)state;
    mallopt(M_PERTURB, 0x5a); /* fresh memory is 0xa5 */
    memset(&fix, 0xa5, sizeof(fix));
    memset(&task, 0xa5, sizeof(task));
    memset(&src, 0xa5, sizeof(src));
    dma_fix_start(&fix, 4, 4096);
    fix.on_done = put_task_bufs;
    assert_ok(doca_buf_inventory_buf_get_by_data(fix.inventory, fix.src_map, fix.src, 64, &src));
    assert_ok(doca_dma_task_memcpy_alloc_init(fix.dma, src, dst_buf(&fix, 0, 64),
                                              (union doca_data){.u64 = 3}, &task));
    submit(task);
    dma_fix_run(&fix, 1);
    assert_int_equal(fix.ok, 1);
    assert_int_equal(fix.last_user_data, 3);
    assert_memory_equal(fix.dst, fix.src, 64);
    dma_fix_close(&fix);
    mallopt(M_PERTURB, 0);
}

/* ---- events ---- */

static void a_wake_up_costs_two_empty_polls_at_most(void **state)
{
    struct epoll_event event = {.events = EPOLLIN};
    unsigned int empty = 0, wakes = 0;
    int handle, ep = epoll_create1(0);
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, 32, 4096);
    fix.on_done = put_task_bufs;
    assert_ok(doca_pe_get_notification_handle(fix.pe, &handle));
    assert_int_equal(epoll_ctl(ep, EPOLL_CTL_ADD, handle, &event), 0);
    for (size_t i = 0; i < 32; i++)
        submit(new_task(&fix, src_buf(&fix, i * 64, 64), dst_buf(&fix, i * 64, 64), i));
    while (fix.ok < 32) {
        assert_ok(doca_pe_request_notification(fix.pe));
        assert_int_equal(await_event(ep, 20000), 1);
        assert_ok(doca_pe_clear_notification(fix.pe, 0));
        wakes++;
        while (doca_pe_progress(fix.pe) != 0)
            ;
        empty++;
    }
    assert_true(empty <= 2 * wakes);
    assert_true(wakes <= 32);
    close(ep);
    dma_fix_close(&fix);
}

static char record[1024];
static unsigned int diagnostics;

static void count_diagnostic(char *buffer)
{
    diagnostics += strstr(buffer, "a callback of the same engine") != NULL;
}

static void progress_in_the_callback(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(doca_pe_progress(fix->pe), 0);
    put_task_bufs(fix, task);
}

static void a_callback_that_progresses_is_told_once(void **state)
{
    struct doca_log_backend *backend;
    struct dma_fixture fix;

    (void)state;
    assert_ok(
        doca_log_backend_create_with_buf_sdk(record, sizeof(record), count_diagnostic, &backend));
    dma_fix_start(&fix, 8, 4096);
    fix.on_done = progress_in_the_callback;
    submit(new_task(&fix, src_buf(&fix, 0, 64), dst_buf(&fix, 0, 64), 0));
    dma_fix_run(&fix, 1);
    assert_int_equal(fix.ok, 1);
    assert_int_equal(diagnostics, 1);
    assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE));
    dma_fix_close(&fix);
}

static void use_two_devices(void)
{
    static const char text[] = "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"0000:03:00.0\"},"
                               "{\"role\": \"dpu\", \"pci\": \"0000:04:00.0\"}]}";
    int fd = memfd_create("devices.json", 0);
    char path[64];

    if (fd < 0 || write(fd, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    setenv("OPENDOCA_CONFIG", path, 1);
    setenv("OPENDOCA_ROLE", "dpu", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(try_submit_finds_each_fault_and_leaves_the_task),
        cmocka_unit_test(submit_takes_each_fault_as_the_contract_says),
        cmocka_unit_test(alloc_takes_heads_only),
        cmocka_unit_test(only_the_elements_that_got_bytes_grow),
        cmocka_unit_test(sides_may_overlap_and_be_shared),
        cmocka_unit_test(a_freed_task_is_there_at_once),
        cmocka_unit_test(it_works_again_after_idle),
        cmocka_unit_test(several_contexts_share_an_engine),
        cmocka_unit_test(survivors_are_counted),
        cmocka_unit_test(garbage_in_memory_changes_nothing),
        cmocka_unit_test(a_wake_up_costs_two_empty_polls_at_most),
        cmocka_unit_test(a_callback_that_progresses_is_told_once),
    };

    use_two_devices();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits of a device, from limits.json: 2 MiB a task, lists of 4, 8 tasks, a queue of 2. */

#include "importer.h"

#include <opendoca.h>

#define MAX_SIZE 2097152u
#define MAX_LIST 4u

static void the_largest_copy_works_and_one_byte_more_does_not(void **state)
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *task = NULL;
    struct doca_buf *src, *dst;

    (void)state;
    dma_fix_start(&fix, 2, MAX_SIZE + 1);
    assert_ok(copy_once(&fix, fix.dst_map, fix.dst, fix.src_map, fix.src, MAX_SIZE));
    assert_memory_equal(fix.src, fix.dst, MAX_SIZE);
    assert_int_equal(fix.dst[MAX_SIZE], 0x5a);
    src = src_buf(&fix, 0, MAX_SIZE + 1);
    dst = dst_buf(&fix, 0, MAX_SIZE + 1);
    opendoca_clear_error();
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_alloc_init(fix.dma, src, dst, (union doca_data){0}, &task));
    assert_null(task);
    assert_non_null(strstr(opendoca_last_error(), "2097153"));
    assert_non_null(strstr(opendoca_last_error(), "2097152"));
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

static struct doca_buf *list_of(struct dma_fixture *fix, uint32_t pieces, bool is_source)
{
    struct doca_buf *head = NULL;

    for (uint32_t i = 0; i < pieces; i++) {
        struct doca_buf *buf = is_source ? src_buf(fix, i * 100, 100) : dst_buf(fix, i * 100, 100);

        if (head == NULL)
            head = buf;
        else
            assert_ok(doca_buf_chain_list(head, buf));
    }
    return head;
}

static void the_longest_list_works_and_one_more_does_not(void **state)
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *task = NULL;
    struct doca_buf *src, *dst, *longer_src, *longer_dst;

    (void)state;
    dma_fix_start(&fix, 2, 4096);
    src = list_of(&fix, MAX_LIST, true);
    dst = list_of(&fix, MAX_LIST, false);
    longer_src = list_of(&fix, MAX_LIST + 1, true);
    longer_dst = list_of(&fix, MAX_LIST + 1, false);
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_dma_task_memcpy_alloc_init(fix.dma, longer_src, longer_dst,
                                                (union doca_data){0}, &task));
    assert_doca(
        DOCA_ERROR_INVALID_VALUE,
        doca_dma_task_memcpy_alloc_init(fix.dma, src, longer_dst, (union doca_data){0}, &task));
    submit(new_task(&fix, src, dst, 0));
    dma_fix_run(&fix, 1);
    assert_int_equal(fix.ok, 1);
    assert_memory_equal(fix.src, fix.dst, MAX_LIST * 100);
    put_buf(src);
    put_buf(dst);
    put_buf(longer_src);
    put_buf(longer_dst);
    dma_fix_close(&fix);
}

static void a_full_queue_says_again(void **state)
{
    struct dma_fixture fix;
    struct doca_dma_task_memcpy *third;
    struct doca_buf *src, *dst;
    uint32_t max = 0;

    (void)state;
    dma_fix_open(&fix, 8, 4096);
    assert_ok(doca_dma_cap_get_max_num_tasks(fix.dma, &max));
    assert_int_equal(max, 8);
    assert_ok(doca_ctx_start(fix.ctx));
    src = src_buf(&fix, 0, 100);
    dst = dst_buf(&fix, 0, 4096);
    submit(new_task(&fix, src, dst, 0));
    submit(new_task(&fix, src, dst, 1));
    third = new_task(&fix, src, dst, 2);
    assert_doca(DOCA_ERROR_AGAIN, doca_task_submit(doca_dma_task_memcpy_as_task(third)));
    dma_fix_run(&fix, 1);
    submit(third); /* still ours, and there is room now */
    dma_fix_run(&fix, 3);
    assert_int_equal(fix.ok, 3);
    put_buf(src);
    put_buf(dst);
    dma_fix_close(&fix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_copy_works_and_one_byte_more_does_not),
        cmocka_unit_test(the_longest_list_works_and_one_more_does_not),
        cmocka_unit_test(a_full_queue_says_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

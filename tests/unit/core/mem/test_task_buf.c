/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/core_priv.h"

#include "mem_test.h"

static void a_buffer_of_a_task_has_geometry_but_no_references(void **state)
{
    struct core_buf_source *source = core_task_bufs_create();
    char memory[64];
    struct doca_buf *buf, *other;
    size_t len;
    void *data;
    uint16_t refs;

    (void)state;
    assert_non_null(source);
    buf = core_task_buf_take(source, memory, sizeof(memory));
    other = core_task_buf_take(source, memory, 8);
    assert_non_null(buf);
    assert_non_null(other);
    ok(doca_buf_get_data_len(buf, &len));
    assert_int_equal(len, 64);
    ok(doca_buf_set_data(buf, memory + 8, 16));
    ok(doca_buf_get_data(buf, &data));
    assert_ptr_equal(data, memory + 8);
    ok(doca_buf_get_len(buf, &len));
    assert_int_equal(len, 64);
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_buf_inc_refcount(buf, &refs));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_buf_dec_refcount(buf, NULL));
    said("lives and ends with its task");
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_buf_chain_list(buf, other));
    core_task_buf_put(other);
    core_task_buf_put(buf);
    core_task_buf_put(NULL);
    core_task_bufs_destroy(source);
    core_task_bufs_destroy(NULL);
}

static void a_stock_grows_and_is_used_again(void **state)
{
    struct core_buf_source *source = core_task_bufs_create();
    struct doca_buf *bufs[100];
    char memory[1];

    (void)state;
    assert_non_null(source);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 100; i++) {
            bufs[i] = core_task_buf_take(source, memory, 1);
            assert_non_null(bufs[i]);
            assert_ptr_equal(bufs[i]->head, memory);
        }
        for (size_t i = 0; i < 100; i++)
            core_task_buf_put(bufs[i]);
    }
    core_task_bufs_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_of_a_task_has_geometry_but_no_references),
        cmocka_unit_test(a_stock_grows_and_is_used_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

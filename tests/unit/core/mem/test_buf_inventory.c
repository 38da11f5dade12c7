/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem_test.h"

static char memory[4096];
static struct doca_mmap *map;

static int setup(void **state)
{
    (void)state;
    map = started_map(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return doca_mmap_destroy(map) != DOCA_SUCCESS;
}

static void assert_geometry(struct doca_buf *buf, char *head, size_t len, char *data,
                            size_t data_len)
{
    void *addr = NULL;
    size_t size = 77;

    ok(doca_buf_get_head(buf, &addr));
    assert_ptr_equal(addr, head);
    ok(doca_buf_get_len(buf, &size));
    assert_int_equal(size, len);
    ok(doca_buf_get_data(buf, &addr));
    assert_ptr_equal(addr, data);
    ok(doca_buf_get_data_len(buf, &size));
    assert_int_equal(size, data_len);
}

static void null_is_refused_everywhere(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(1);
    union doca_data data = {.u64 = 1};
    struct doca_buf *buf;
    uint32_t num;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(1, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_destroy(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_start(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_stop(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_expand(NULL, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_set_user_data(NULL, data));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_user_data(NULL, &data));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_user_data(inv, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_num_elements(NULL, &num));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_num_elements(inv, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_num_free_elements(NULL, &num));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_num_free_elements(inv, NULL));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_addr(NULL, map, memory, 1, &buf));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_addr(inv, NULL, memory, 1, &buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_get_by_addr(inv, map, NULL, 1, &buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, NULL));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_args(inv, map, memory, 1, NULL, 0, &buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_reuse_by_addr(NULL, memory, 1));
    ok(doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, &buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_reuse_by_addr(buf, NULL, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_reuse_by_args(buf, memory, 1, NULL, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_dup(NULL, buf, &buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_dup(inv, NULL, &buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_dup(inv, buf, NULL));
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_buf_inventory_destroy(inv));
}

static void number_of_elements_is_checked(void **state)
{
    struct doca_buf_inventory *inv = GARBAGE;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(0, &inv));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(SIZE_MAX, &inv));
    assert_ptr_equal(inv, GARBAGE);
    inv = started_inventory(1);
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_expand(inv, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_expand(inv, UINT32_MAX));
    ok(doca_buf_inventory_destroy(inv));
}

static void start_and_stop_repeat_harmlessly(void **state)
{
    struct doca_buf_inventory *inv;
    struct doca_buf *buf = GARBAGE;

    (void)state;
    ok(doca_buf_inventory_create(1, &inv));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, &buf));
    assert_ptr_equal(buf, GARBAGE);
    ok(doca_buf_inventory_stop(inv));
    ok(doca_buf_inventory_start(inv));
    ok(doca_buf_inventory_start(inv));
    ok(doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, &buf));
    ok(doca_buf_inventory_stop(inv));
    ok(doca_buf_inventory_stop(inv));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, &buf));
    ok(doca_buf_dec_refcount(buf, NULL)); /* held ones stay valid */
    ok(doca_buf_inventory_destroy(inv));
}

static void buffers_have_the_geometry_of_the_call(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(3);
    struct doca_buf *bufs[3];

    (void)state;
    ok(doca_buf_inventory_buf_get_by_addr(inv, map, memory, sizeof(memory), &bufs[0]));
    assert_geometry(bufs[0], memory, sizeof(memory), memory, 0);
    ok(doca_buf_inventory_buf_get_by_data(inv, map, memory + 4095, 1, &bufs[1]));
    assert_geometry(bufs[1], memory + 4095, 1, memory + 4095, 1);
    ok(doca_buf_inventory_buf_get_by_args(inv, map, memory + 1, 10, memory + 3, 8, &bufs[2]));
    assert_geometry(bufs[2], memory + 1, 10, memory + 3, 8);
    for (int i = 0; i < 3; i++)
        ok(doca_buf_dec_refcount(bufs[i], NULL));
    ok(doca_buf_inventory_destroy(inv));
}

static void slices_outside_of_the_map_are_refused(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(1);
    struct doca_buf *buf = GARBAGE;
    uint32_t num = 77;
    const struct {
        intptr_t offset; /* from the start of the map */
        size_t len;
    } bad[] = {
        {-1, 1},
        {-1, 2},
        {4096, 1},
        {4095, 2},
        {0, 4097},
        {0, SIZE_MAX},
        {1, SIZE_MAX},
        {0, 0},
        {INTPTR_MAX, 2},
        {INTPTR_MIN, 1},
        {INTPTR_MIN, SIZE_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *addr = (char *)((uintptr_t)memory + (uintptr_t)bad[i].offset);

        expect(DOCA_ERROR_INVALID_VALUE,
               doca_buf_inventory_buf_get_by_addr(inv, map, addr, bad[i].len, &buf));
        expect(DOCA_ERROR_INVALID_VALUE,
               doca_buf_inventory_buf_get_by_data(inv, map, addr, bad[i].len, &buf));
    }
    assert_ptr_equal(buf, GARBAGE);
    ok(doca_buf_inventory_get_num_free_elements(inv, &num));
    assert_int_equal(num, 1);
    ok(doca_buf_inventory_destroy(inv));
}

static void data_outside_of_the_slice_is_refused(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(1);
    struct doca_buf *buf;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_args(inv, map, memory + 8, 8, memory + 7, 1, &buf));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_args(inv, map, memory + 8, 8, memory + 8, 9, &buf));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_args(inv, map, memory + 8, 8, memory + 17, 0, &buf));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_args(inv, map, memory + 8, 8, memory + 9, SIZE_MAX, &buf));
    ok(doca_buf_inventory_buf_get_by_args(inv, map, memory + 8, 8, memory + 16, 0, &buf));
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_buf_inventory_destroy(inv));
}

static void map_must_be_started(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(2);
    struct doca_mmap *other = new_map(memory, 64, 0);
    struct doca_buf *buf;

    (void)state;
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_get_by_addr(inv, other, memory, 1, &buf));
    ok(doca_mmap_start(other));
    ok(doca_buf_inventory_buf_get_by_addr(inv, other, memory, 64, &buf));
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_mmap_stop(other));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_get_by_addr(inv, other, memory, 1, &buf));
    ok(doca_mmap_destroy(other));
    ok(doca_buf_inventory_destroy(inv));
}

static void exactly_as_many_as_asked_for(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(3);
    struct doca_buf *bufs[5];
    uint32_t num = 77;

    (void)state;
    for (int i = 0; i < 3; i++)
        ok(doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, &bufs[i]));
    expect(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, &bufs[3]));
    said("0 of 3");
    ok(doca_buf_inventory_expand(inv, 2));
    ok(doca_buf_inventory_get_num_elements(inv, &num));
    assert_int_equal(num, 5);
    ok(doca_buf_inventory_get_num_free_elements(inv, &num));
    assert_int_equal(num, 2);
    for (int i = 3; i < 5; i++)
        ok(doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, &bufs[i]));
    expect(DOCA_ERROR_IN_USE, doca_buf_inventory_destroy(inv));
    said("held buffers is 5");
    for (int i = 0; i < 5; i++)
        ok(doca_buf_dec_refcount(bufs[i], NULL));
    ok(doca_buf_inventory_stop(inv));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_expand(inv, 1));
    ok(doca_buf_inventory_destroy(inv));
}

static void user_data_needs_a_started_inventory(void **state)
{
    struct doca_buf_inventory *inv;
    union doca_data data = {.ptr = GARBAGE};

    (void)state;
    ok(doca_buf_inventory_create(1, &inv));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_set_user_data(inv, data));
    ok(doca_buf_inventory_get_user_data(inv, &data));
    assert_true(data.u64 == 0);
    ok(doca_buf_inventory_start(inv));
    data.u64 = 5;
    ok(doca_buf_inventory_set_user_data(inv, data));
    ok(doca_buf_inventory_stop(inv));
    data.u64 = 6;
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_set_user_data(inv, data));
    ok(doca_buf_inventory_get_user_data(inv, &data));
    assert_true(data.u64 == 5);
    ok(doca_buf_inventory_destroy(inv));
}

static void reuse_moves_a_held_buffer(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(2);
    struct doca_buf *buf, *second;
    uint32_t num = 77;

    (void)state;
    ok(doca_buf_inventory_buf_get_by_addr(inv, map, memory, 8, &buf));
    ok(doca_buf_inventory_buf_get_by_addr(inv, map, memory, 8, &second));
    ok(doca_buf_chain_list(buf, second));
    ok(doca_buf_inventory_buf_reuse_by_data(second, memory + 64, 32));
    assert_geometry(second, memory + 64, 32, memory + 64, 32);
    ok(doca_buf_get_list_len(buf, &num));
    assert_int_equal(num, 2);
    ok(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 1, 4095));
    assert_geometry(buf, memory + 1, 4095, memory + 1, 0);
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_reuse_by_addr(buf, memory + 1, 4096));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_reuse_by_addr(buf, memory, 0));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_reuse_by_args(buf, memory, 8, memory, 9));
    assert_geometry(buf, memory + 1, 4095, memory + 1, 0);
    ok(doca_buf_dec_refcount(buf, NULL));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1));
    ok(doca_buf_inventory_destroy(inv));
}

static void dup_copies_a_whole_list(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(3), *other = started_inventory(2);
    struct doca_buf *bufs[2], *copy = GARBAGE, *next;
    uint32_t num = 77;

    (void)state;
    ok(doca_buf_inventory_buf_get_by_args(inv, map, memory, 100, memory + 5, 6, &bufs[0]));
    ok(doca_buf_inventory_buf_get_by_args(inv, map, memory + 7, 8, memory + 9, 1, &bufs[1]));
    ok(doca_buf_chain_list(bufs[0], bufs[1]));
    expect(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_buf_dup(inv, bufs[0], &copy));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_buf_dup(other, bufs[1], &copy));
    ok(doca_buf_inventory_stop(other));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_dup(other, bufs[0], &copy));
    assert_ptr_equal(copy, GARBAGE);
    ok(doca_buf_inventory_start(other));
    ok(doca_buf_inventory_buf_dup(other, bufs[0], &copy));
    ok(doca_buf_get_list_len(copy, &num));
    assert_int_equal(num, 2);
    assert_geometry(copy, memory, 100, memory + 5, 6);
    ok(doca_buf_get_next_in_list(copy, &next));
    assert_geometry(next, memory + 7, 8, memory + 9, 1);
    ok(doca_mmap_get_num_bufs(map, &num));
    assert_int_equal(num, 4);
    ok(doca_buf_dec_refcount(bufs[0], NULL)); /* the copy lives on */
    assert_geometry(copy, memory, 100, memory + 5, 6);
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_dup(inv, bufs[0], &bufs[0]));
    ok(doca_buf_dec_refcount(copy, NULL));
    ok(doca_buf_inventory_destroy(inv));
    ok(doca_buf_inventory_destroy(other));
}

static void dup_needs_started_maps(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(2);
    struct doca_mmap *other = new_map(memory, 64, 0);
    struct doca_buf *buf, *copy;

    (void)state;
    ok(doca_mmap_enable_thread_safety(other)); /* so that it can be stopped */
    ok(doca_mmap_start(other));
    ok(doca_buf_inventory_buf_get_by_addr(inv, other, memory, 1, &buf));
    ok(doca_mmap_stop(other));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_dup(inv, buf, &copy));
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_mmap_destroy(other));
    ok(doca_buf_inventory_destroy(inv));
}

static void taking_and_returning_allocates_nothing(void **state)
{
    struct doca_buf_inventory *inv = started_inventory(64);
    struct doca_buf *bufs[64], *copy;
    size_t before;

    (void)state;
    before = mallinfo2().uordblks;
    for (int i = 0; i < 32; i++) {
        ok(doca_buf_inventory_buf_get_by_addr(inv, map, memory, 1, &bufs[i]));
        if (i > 0)
            ok(doca_buf_chain_list(bufs[0], bufs[i]));
    }
    ok(doca_buf_inventory_buf_dup(inv, bufs[0], &copy));
    assert_int_equal(mallinfo2().uordblks, before);
    ok(doca_buf_dec_refcount(bufs[0], NULL));
    ok(doca_buf_dec_refcount(copy, NULL));
    assert_int_equal(mallinfo2().uordblks, before);
    ok(doca_buf_inventory_destroy(inv));
}

#define inventory_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        inventory_test(null_is_refused_everywhere),
        inventory_test(number_of_elements_is_checked),
        inventory_test(start_and_stop_repeat_harmlessly),
        inventory_test(buffers_have_the_geometry_of_the_call),
        inventory_test(slices_outside_of_the_map_are_refused),
        inventory_test(data_outside_of_the_slice_is_refused),
        inventory_test(map_must_be_started),
        inventory_test(exactly_as_many_as_asked_for),
        inventory_test(user_data_needs_a_started_inventory),
        inventory_test(reuse_moves_a_held_buffer),
        inventory_test(dup_copies_a_whole_list),
        inventory_test(dup_needs_started_maps),
        inventory_test(taking_and_returning_allocates_nothing),
    };

    use_test_devices();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}

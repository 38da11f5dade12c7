/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem_test.h"

#include <doca_buf_pool.h>

static char memory[4096] __attribute__((aligned(4096)));
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

static struct doca_buf_pool *new_pool(size_t num, size_t size)
{
    struct doca_buf_pool *pool = GARBAGE;

    ok(doca_buf_pool_create(num, size, map, &pool));
    return pool;
}

static void null_is_refused_everywhere(void **state)
{
    struct doca_buf_pool *pool = new_pool(1, 1);
    union doca_data data = {.u64 = 1};
    struct doca_buf *buf;
    uint32_t num;
    size_t size;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(1, 1, NULL, &pool));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(1, 1, map, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(0, 1, map, &pool));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(SIZE_MAX, 1, map, &pool));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(1, 0, map, &pool));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_destroy(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_start(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_stop(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_buf_alloc(NULL, &buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_buf_alloc(pool, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_user_data(NULL, data));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_user_data(NULL, &data));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_user_data(pool, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(NULL, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_element_alignment(NULL, &size));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_element_alignment(pool, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_num_elements(NULL, &num));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_num_elements(pool, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_num_free_elements(NULL, &num));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_num_free_elements(pool, NULL));
    ok(doca_buf_pool_destroy(pool));
}

static void alignment_is_a_power_of_two(void **state)
{
    struct doca_buf_pool *pool = new_pool(1, 1);
    size_t alignment = 77;

    (void)state;
    ok(doca_buf_pool_get_element_alignment(pool, &alignment));
    assert_int_equal(alignment, 1);
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, 3));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, SIZE_MAX));
    ok(doca_buf_pool_set_element_alignment(pool, 64));
    ok(doca_buf_pool_get_element_alignment(pool, &alignment));
    assert_int_equal(alignment, 64);
    ok(doca_buf_pool_destroy(pool));
}

static void nothing_is_configured_while_started(void **state)
{
    struct doca_buf_pool *pool = new_pool(1, 1);
    union doca_data data = {.u64 = 5};

    (void)state;
    ok(doca_buf_pool_set_user_data(pool, data));
    ok(doca_buf_pool_start(pool));
    ok(doca_buf_pool_start(pool));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_set_user_data(pool, data));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_set_element_alignment(pool, 1));
    data.u64 = 0;
    ok(doca_buf_pool_get_user_data(pool, &data));
    assert_true(data.u64 == 5);
    ok(doca_buf_pool_stop(pool));
    ok(doca_buf_pool_stop(pool));
    ok(doca_buf_pool_set_element_alignment(pool, 2));
    ok(doca_buf_pool_destroy(pool));
}

static void map_must_be_started(void **state)
{
    struct doca_mmap *other = new_map(memory, 64, 0);
    struct doca_buf_pool *pool;
    struct doca_buf *buf;

    (void)state;
    ok(doca_buf_pool_create(1, 1, other, &pool));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &buf));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_start(pool));
    ok(doca_mmap_start(other));
    ok(doca_buf_pool_start(pool));
    ok(doca_mmap_stop(other));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &buf));
    ok(doca_mmap_destroy(other));
    ok(doca_buf_pool_destroy(pool)); /* looks at no map */
}

static void assert_starts(size_t num, size_t size, size_t alignment, bool fits)
{
    struct doca_buf_pool *pool = new_pool(num, size);

    ok(doca_buf_pool_set_element_alignment(pool, alignment));
    expect(fits ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION, doca_buf_pool_start(pool));
    ok(doca_buf_pool_destroy(pool));
}

static void range_must_hold_all_elements(void **state)
{
    (void)state;
    assert_starts(4096, 1, 1, true);
    assert_starts(4097, 1, 1, false);
    assert_starts(1, 4096, 4096, true);
    assert_starts(1, 4097, 1, false);
    assert_starts(2, 2048, 64, true);
    assert_starts(2, 2049, 1, false);
    assert_starts(64, 33, 64, true); /* the last one needs no padding */
    assert_starts(65, 1, 64, false);
    assert_starts(2, 1, 4096, false);
    assert_starts(3, SIZE_MAX, 1, false);
    assert_starts(2, SIZE_MAX / 2 + 1, 1, false);
    assert_starts(2, SIZE_MAX, 4096, false);
    assert_starts(1, 1, SIZE_MAX / 2 + 1, false);
}

static void elements_are_aligned_and_apart(void **state)
{
    struct doca_mmap *odd = started_map(memory + 3, 300, 0);
    struct doca_buf_pool *pool;
    struct doca_buf *bufs[4], *none = GARBAGE;
    uint32_t num = 77;

    (void)state;
    ok(doca_buf_pool_create(4, 40, odd, &pool));
    ok(doca_buf_pool_set_element_alignment(pool, 64));
    ok(doca_buf_pool_start(pool));
    for (int i = 0; i < 4; i++) {
        void *head = NULL, *data = NULL;
        size_t len = 77;

        ok(doca_buf_pool_buf_alloc(pool, &bufs[i]));
        ok(doca_buf_get_head(bufs[i], &head));
        assert_ptr_equal(head, memory + (size_t)64 * (i + 1));
        ok(doca_buf_get_data(bufs[i], &data));
        assert_ptr_equal(data, head);
        ok(doca_buf_get_len(bufs[i], &len));
        assert_int_equal(len, 40);
        ok(doca_buf_get_data_len(bufs[i], &len));
        assert_int_equal(len, 0);
    }
    expect(DOCA_ERROR_EMPTY, doca_buf_pool_buf_alloc(pool, &none));
    assert_ptr_equal(none, GARBAGE);
    ok(doca_buf_pool_get_num_elements(pool, &num));
    assert_int_equal(num, 4);
    ok(doca_buf_pool_get_num_free_elements(pool, &num));
    assert_int_equal(num, 0);
    ok(doca_mmap_get_num_bufs(odd, &num));
    assert_int_equal(num, 4);
    expect(DOCA_ERROR_IN_USE, doca_buf_pool_stop(pool));
    expect(DOCA_ERROR_IN_USE, doca_buf_pool_destroy(pool));
    said("held buffers is 4");
    expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_buf_reuse_by_addr(bufs[0], memory + 3, 1));
    for (int i = 0; i < 4; i++)
        ok(doca_buf_dec_refcount(bufs[i], NULL));
    ok(doca_buf_pool_destroy(pool));
    ok(doca_mmap_destroy(odd));
}

static void returned_element_is_fresh_again(void **state)
{
    struct doca_buf_pool *pool = new_pool(1, 64);
    struct doca_buf *buf, *again;
    void *data = NULL;
    size_t len = 77;

    (void)state;
    ok(doca_buf_pool_start(pool));
    ok(doca_buf_pool_buf_alloc(pool, &buf));
    ok(doca_buf_set_data(buf, memory + 9, 9));
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_buf_pool_buf_alloc(pool, &again));
    assert_ptr_equal(again, buf);
    ok(doca_buf_get_data(again, &data));
    assert_ptr_equal(data, memory);
    ok(doca_buf_get_data_len(again, &len));
    assert_int_equal(len, 0);
    ok(doca_buf_dec_refcount(again, NULL));
    ok(doca_buf_pool_destroy(pool));
}

static void pool_and_inventory_mix_in_one_list(void **state)
{
    struct doca_buf_inventory *inventory = started_inventory(2);
    struct doca_buf_pool *pool = new_pool(1, 64);
    struct doca_buf *buf, *element, *copy;
    uint32_t num = 77;

    (void)state;
    ok(doca_buf_pool_start(pool));
    ok(doca_buf_pool_buf_alloc(pool, &element));
    ok(doca_buf_inventory_buf_dup(inventory, element, &copy));
    ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 1, &buf));
    ok(doca_buf_chain_list(buf, element));
    ok(doca_buf_chain_list(buf, copy));
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_buf_pool_get_num_free_elements(pool, &num));
    assert_int_equal(num, 1);
    ok(doca_buf_inventory_get_num_free_elements(inventory, &num));
    assert_int_equal(num, 2);
    ok(doca_buf_pool_destroy(pool));
    ok(doca_buf_inventory_destroy(inventory));
}

#define pool_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(null_is_refused_everywhere),
        pool_test(alignment_is_a_power_of_two),
        pool_test(nothing_is_configured_while_started),
        pool_test(map_must_be_started),
        pool_test(range_must_hold_all_elements),
        pool_test(elements_are_aligned_and_apart),
        pool_test(returned_element_is_fresh_again),
        pool_test(pool_and_inventory_mix_in_one_list),
    };

    use_test_devices();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem_test.h"

#include "core/core_priv.h"

static char memory[4096];
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;

#define NUM_BUFS 16u

static int setup(void **state)
{
    (void)state;
    map = started_map(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    inventory = started_inventory(NUM_BUFS);
    return 0;
}

/* Every buffer must have come back. */
static int teardown(void **state)
{
    (void)state;
    return doca_buf_inventory_destroy(inventory) != DOCA_SUCCESS ||
           doca_mmap_destroy(map) != DOCA_SUCCESS;
}

static struct doca_buf *get(void)
{
    struct doca_buf *buf = GARBAGE;

    ok(doca_buf_inventory_buf_get_by_data(inventory, map, memory, 16, &buf));
    return buf;
}

static uint32_t num_free(void)
{
    uint32_t num = 77;

    ok(doca_buf_inventory_get_num_free_elements(inventory, &num));
    return num;
}

static uint32_t list_len(struct doca_buf *buf)
{
    uint32_t len = 77;

    ok(doca_buf_get_list_len(buf, &len));
    return len;
}

static void null_is_refused_everywhere(void **state)
{
    struct doca_buf *buf = get(), *other;
    size_t size;
    void *addr;
    uint32_t number;
    uint16_t count;
    uint8_t flag;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_inc_refcount(NULL, &count));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_dec_refcount(NULL, &count));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_refcount(NULL, &count));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_refcount(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_len(NULL, &size));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_len(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_head(NULL, &addr));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_head(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_data(NULL, &addr));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_data(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_data_len(NULL, &size));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_data_len(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_set_data(NULL, memory, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_set_data(buf, NULL, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_set_data_len(NULL, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_reset_data_len(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_next_in_list(NULL, &other));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_next_in_list(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_last_in_list(NULL, &other));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_last_in_list(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_is_last_in_list(NULL, &flag));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_is_last_in_list(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_is_first_in_list(NULL, &flag));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_is_first_in_list(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_is_in_list(NULL, &flag));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_is_in_list(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_list_len(NULL, &number));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_list_len(buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list(NULL, buf));
    said("list1 is NULL");
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list(buf, NULL));
    said("list2 is NULL");
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list_tail(NULL, buf, buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list_tail(buf, NULL, buf));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list_tail(buf, buf, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(NULL, buf));
    said("list1 is NULL");
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(buf, NULL));
    said("list2 is NULL");
    ok(doca_buf_dec_refcount(buf, NULL));
}

static void geometry_is_set_and_read(void **state)
{
    struct doca_buf *buf = get();
    size_t len = 77;
    void *addr = NULL;

    (void)state;
    ok(doca_buf_set_data(buf, memory + 4, 8));
    ok(doca_buf_get_data(buf, &addr));
    assert_ptr_equal(addr, memory + 4);
    ok(doca_buf_get_data_len(buf, &len));
    assert_int_equal(len, 8);
    ok(doca_buf_set_data_len(buf, 3));
    ok(doca_buf_get_data_len(buf, &len));
    assert_int_equal(len, 3);
    ok(doca_buf_reset_data_len(buf));
    ok(doca_buf_get_data_len(buf, &len));
    assert_int_equal(len, 0);
    ok(doca_buf_get_data(buf, &addr));
    assert_ptr_equal(addr, memory + 4);
    ok(doca_buf_get_head(buf, &addr));
    assert_ptr_equal(addr, memory);
    ok(doca_buf_get_len(buf, &len));
    assert_int_equal(len, 16);
    ok(doca_buf_dec_refcount(buf, NULL));
}

static void data_outside_of_the_slice_is_not_checked_here(void **state)
{
    struct doca_buf *buf = get();

    (void)state;
    ok(doca_buf_set_data(buf, (void *)1, SIZE_MAX));
    ok(doca_buf_set_data_len(buf, SIZE_MAX));
    ok(doca_buf_dec_refcount(buf, NULL));
}

static void references_are_counted(void **state)
{
    struct doca_buf *buf = get();
    uint16_t count = 77;

    (void)state;
    ok(doca_buf_get_refcount(buf, &count));
    assert_int_equal(count, 1);
    ok(doca_buf_inc_refcount(buf, &count));
    assert_int_equal(count, 1); /* before the call */
    ok(doca_buf_inc_refcount(buf, NULL));
    ok(doca_buf_get_refcount(buf, &count));
    assert_int_equal(count, 3);
    ok(doca_buf_dec_refcount(buf, &count));
    assert_int_equal(count, 3);
    ok(doca_buf_dec_refcount(buf, NULL));
    assert_int_equal(num_free(), NUM_BUFS - 1);
    ok(doca_buf_dec_refcount(buf, &count));
    assert_int_equal(count, 1);
    assert_int_equal(num_free(), NUM_BUFS);
}

static void reference_count_has_a_maximum(void **state)
{
    struct doca_buf *buf = get();

    (void)state;
    for (uint32_t i = 1; i < UINT16_MAX; i++)
        ok(doca_buf_inc_refcount(buf, NULL));
    expect(DOCA_ERROR_TOO_BIG, doca_buf_inc_refcount(buf, NULL));
    for (uint32_t i = 0; i < UINT16_MAX; i++)
        ok(doca_buf_dec_refcount(buf, NULL));
}

static void released_buffer_is_recognised(void **state)
{
    struct doca_buf *buf = get(), *other = get();
    uint16_t count = 77;

    (void)state;
    ok(doca_buf_dec_refcount(buf, NULL));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_dec_refcount(buf, &count));
    said("inventory#");
    assert_int_equal(count, 77);
    expect(DOCA_ERROR_BAD_STATE, doca_buf_inc_refcount(buf, NULL));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_chain_list(buf, other));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(other, buf));
    ok(doca_buf_get_refcount(buf, &count));
    assert_int_equal(count, 0);
    assert_int_equal(num_free(), NUM_BUFS - 1);
    ok(doca_buf_dec_refcount(other, NULL));
}

static void single_buffer_is_first_and_last(void **state)
{
    struct doca_buf *buf = get(), *other = GARBAGE;
    uint8_t flag = 77;

    (void)state;
    ok(doca_buf_is_first_in_list(buf, &flag));
    assert_int_equal(flag, 1);
    ok(doca_buf_is_last_in_list(buf, &flag));
    assert_int_equal(flag, 1);
    ok(doca_buf_is_in_list(buf, &flag));
    assert_int_equal(flag, 0);
    assert_int_equal(list_len(buf), 1);
    ok(doca_buf_get_next_in_list(buf, &other));
    assert_null(other);
    ok(doca_buf_get_last_in_list(buf, &other));
    assert_ptr_equal(other, buf);
    ok(doca_buf_dec_refcount(buf, NULL));
}

/* Checks a whole list, seen from each of its elements. */
static void assert_list(struct doca_buf *const *bufs, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        struct doca_buf *other = GARBAGE;
        uint8_t flag = 77;

        ok(doca_buf_is_first_in_list(bufs[i], &flag));
        assert_int_equal(flag, i == 0);
        ok(doca_buf_is_last_in_list(bufs[i], &flag));
        assert_int_equal(flag, i == num - 1);
        ok(doca_buf_is_in_list(bufs[i], &flag));
        assert_int_equal(flag, num > 1);
        ok(doca_buf_get_next_in_list(bufs[i], &other));
        assert_ptr_equal(other, i == num - 1 ? NULL : bufs[i + 1]);
        ok(doca_buf_get_last_in_list(bufs[i], &other));
        assert_ptr_equal(other, bufs[num - 1]);
    }
    assert_int_equal(list_len(bufs[0]), num);
}

static void get_list(struct doca_buf **bufs, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        bufs[i] = get();
        if (i > 0)
            ok(doca_buf_chain_list(bufs[0], bufs[i]));
    }
}

static void lists_are_joined_and_released_as_one(void **state)
{
    struct doca_buf *bufs[5];
    uint32_t num = 77;

    (void)state;
    get_list(bufs, 2);
    get_list(bufs + 2, 3);
    ok(doca_buf_chain_list(bufs[0], bufs[2]));
    assert_list(bufs, 5);
    ok(doca_mmap_get_num_bufs(map, &num));
    assert_int_equal(num, 5);
    assert_int_equal(num_free(), NUM_BUFS - 5);
    ok(doca_buf_dec_refcount(bufs[0], NULL));
    assert_int_equal(num_free(), NUM_BUFS);
    ok(doca_mmap_get_num_bufs(map, &num));
    assert_int_equal(num, 0);
    for (int i = 0; i < 5; i++)
        expect(DOCA_ERROR_BAD_STATE, doca_buf_dec_refcount(bufs[i], NULL));
}

static void appending_behind_a_known_tail(void **state)
{
    struct doca_buf *bufs[4];

    (void)state;
    get_list(bufs, 2);
    get_list(bufs + 2, 2);
    expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(bufs[0], bufs[0], bufs[2]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(bufs[0], bufs[3], bufs[2]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(bufs[1], bufs[1], bufs[2]));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list_tail(bufs[0], bufs[1], bufs[0]));
    ok(doca_buf_chain_list_tail(bufs[0], bufs[1], bufs[2]));
    assert_list(bufs, 4);
    ok(doca_buf_dec_refcount(bufs[0], NULL));
}

static void later_elements_have_no_life_of_their_own(void **state)
{
    struct doca_buf *bufs[3], *single = get();
    uint32_t num = 77;
    uint16_t count = 77;

    (void)state;
    get_list(bufs, 3);
    for (int i = 1; i < 3; i++) {
        expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_inc_refcount(bufs[i], &count));
        expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_dec_refcount(bufs[i], &count));
        expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_get_list_len(bufs[i], &num));
        expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(bufs[i], single));
        expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(single, bufs[i]));
    }
    assert_int_equal(count, 77);
    assert_int_equal(num, 77);
    ok(doca_buf_dec_refcount(bufs[0], NULL));
    ok(doca_buf_dec_refcount(single, NULL));
}

static void appended_list_must_be_another_with_one_reference(void **state)
{
    struct doca_buf *bufs[2], *shared = get();

    (void)state;
    get_list(bufs, 2);
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list(bufs[0], bufs[0]));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list(bufs[0], bufs[1]));
    ok(doca_buf_inc_refcount(shared, NULL));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(bufs[0], shared));
    ok(doca_buf_chain_list(shared, bufs[0])); /* the first list may be shared */
    ok(doca_buf_dec_refcount(shared, NULL));
    assert_int_equal(num_free(), NUM_BUFS - 3);
    ok(doca_buf_dec_refcount(shared, NULL));
    assert_int_equal(num_free(), NUM_BUFS);
}

static void list_is_cut_at_any_place(void **state)
{
    (void)state;
    for (uint32_t cut = 1; cut < 5; cut++) {
        struct doca_buf *bufs[5];
        uint16_t count = 77;

        get_list(bufs, 5);
        ok(doca_buf_unchain_list(bufs[0], bufs[cut]));
        assert_list(bufs, cut);
        assert_list(bufs + cut, 5 - cut);
        ok(doca_buf_get_refcount(bufs[cut], &count));
        assert_int_equal(count, 1);
        ok(doca_buf_chain_list(bufs[0], bufs[cut]));
        assert_list(bufs, 5);
        ok(doca_buf_unchain_list(bufs[0], bufs[cut]));
        ok(doca_buf_dec_refcount(bufs[0], NULL));
        assert_int_equal(num_free(), NUM_BUFS - (5 - cut));
        ok(doca_buf_dec_refcount(bufs[cut], NULL));
    }
}

static void cut_needs_a_later_element(void **state)
{
    struct doca_buf *bufs[3], *single = get();

    (void)state;
    get_list(bufs, 3);
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(bufs[0], bufs[0]));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(bufs[0], single));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(single, bufs[1]));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(bufs[1], bufs[2]));
    assert_list(bufs, 3);
    ok(doca_buf_dec_refcount(bufs[0], NULL));
    ok(doca_buf_dec_refcount(single, NULL));
}

static void list_spans_inventories_and_maps(void **state)
{
    static char other_memory[64];
    struct doca_mmap *other_map = started_map(other_memory, sizeof(other_memory), 0);
    struct doca_buf_inventory *other = started_inventory(1);
    struct doca_buf *buf = get(), *foreign;
    uint32_t num = 77;

    (void)state;
    ok(doca_buf_inventory_buf_get_by_addr(other, other_map, other_memory, 64, &foreign));
    ok(doca_buf_chain_list(buf, foreign));
    ok(doca_mmap_get_num_bufs(other_map, &num));
    assert_int_equal(num, 1);
    expect(DOCA_ERROR_IN_USE, doca_buf_inventory_destroy(other));
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_buf_inventory_get_num_free_elements(other, &num));
    assert_int_equal(num, 1);
    assert_int_equal(num_free(), NUM_BUFS);
    ok(doca_buf_inventory_destroy(other));
    ok(doca_mmap_destroy(other_map));
}

static void buffer_object_stays_small(void **state)
{
    (void)state;
    assert_true(sizeof(struct doca_buf) <= 96);
}

#define buf_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        buf_test(null_is_refused_everywhere),
        buf_test(geometry_is_set_and_read),
        buf_test(data_outside_of_the_slice_is_not_checked_here),
        buf_test(references_are_counted),
        buf_test(reference_count_has_a_maximum),
        buf_test(released_buffer_is_recognised),
        buf_test(single_buffer_is_first_and_last),
        buf_test(lists_are_joined_and_released_as_one),
        buf_test(appending_behind_a_known_tail),
        buf_test(later_elements_have_no_life_of_their_own),
        buf_test(appended_list_must_be_another_with_one_reference),
        buf_test(list_is_cut_at_any_place),
        buf_test(cut_needs_a_later_element),
        buf_test(list_spans_inventories_and_maps),
        cmocka_unit_test(buffer_object_stays_small),
    };

    use_test_devices();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}

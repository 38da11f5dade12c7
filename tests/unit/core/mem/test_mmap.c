/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem_test.h"

#include <pthread.h>

static char memory[4096];

struct freed {
    int calls;
    void *addr;
    size_t len;
};

static void note_freed(void *addr, size_t len, void *cookie)
{
    struct freed *freed = cookie;

    freed->calls++;
    freed->addr = addr;
    freed->len = len;
}

static void created_map_has_defaults(void **state)
{
    struct doca_mmap *map = GARBAGE;
    union doca_data data = {.ptr = GARBAGE};
    uint32_t num = 77;
    uint8_t flag = 77;
    size_t len;
    void *addr;

    (void)state;
    ok(doca_mmap_create(&map));
    ok(doca_mmap_get_user_data(map, &data));
    assert_true(data.u64 == 0);
    ok(doca_mmap_get_num_bufs(map, &num));
    assert_int_equal(num, 0);
    ok(doca_mmap_get_max_num_devices(map, &num));
    assert_true(num >= 1);
    ok(doca_mmap_get_exported(map, &flag));
    assert_int_equal(flag, 0);
    ok(doca_mmap_get_from_export(map, &flag));
    assert_int_equal(flag, 0);
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_get_memrange(map, &addr, &len));
    ok(doca_mmap_destroy(map));
}

static void null_is_refused_everywhere(void **state)
{
    struct doca_mmap *map = new_map(memory, 16, 0);
    const union doca_data data = {.u64 = 1};
    const uint8_t token[1] = {1};
    uint32_t number;
    size_t size;
    void *addr;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_create(NULL));
    said("doca_mmap_create");
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_destroy(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_stop(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_add_dev(NULL, devs[0]));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_add_dev(map, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_rm_dev(NULL, devs[0]));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_rm_dev(map, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_memrange(NULL, &addr, &size));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_memrange(map, NULL, &size));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_memrange(map, &addr, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_free_cb(NULL, NULL, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_free_cb(map, NULL, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_user_data(NULL, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_user_data(map, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_user_data(NULL, data));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_max_num_devices(NULL, &number));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_max_num_devices(map, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(NULL, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(map, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_mkey(NULL, devs[0], &number));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_mkey(map, NULL, &number));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_mkey(map, devs[0], NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_get_dpa_handle(NULL, devs[0], &number));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_get_dpa_handle(map, NULL, &number));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_get_dpa_handle(map, devs[0], NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_num_bufs(NULL, &number));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_num_bufs(map, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_exported(NULL, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_exported(map, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_from_export(NULL, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_from_export(map, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_permissions(NULL, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_export_access_token(NULL, devs[0], token, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_export_access_token(map, NULL, token, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_export_access_token(map, devs[0], NULL, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_enable_thread_safety(NULL));
    ok(doca_mmap_destroy(map));
}

static void start_needs_a_range_and_a_device(void **state)
{
    struct doca_mmap *map;

    (void)state;
    ok(doca_mmap_create(&map));
    ok(doca_mmap_add_dev(map, devs[0]));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(map));
    said("memory range");
    ok(doca_mmap_rm_dev(map, devs[0]));
    ok(doca_mmap_set_memrange(map, memory, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(map));
    said("number of devices");
    ok(doca_mmap_add_dev(map, devs[0]));
    ok(doca_mmap_start(map));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_start(map));
    ok(doca_mmap_destroy(map));
}

static void never_started_map_with_a_device_is_destroyed(void **state)
{
    struct doca_mmap *map;

    (void)state;
    ok(doca_mmap_create(&map));
    ok(doca_mmap_add_dev(map, devs[0]));
    ok(doca_mmap_destroy(map));
}

static void map_restarts_after_stop_with_new_settings(void **state)
{
    struct doca_mmap *map = started_map(memory, sizeof(memory), 0);

    (void)state;
    ok(doca_mmap_stop(map));
    ok(doca_mmap_stop(map));
    ok(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    ok(doca_mmap_add_dev(map, devs[DEV_SECOND]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(map, 9));
    ok(doca_mmap_start(map));
    ok(doca_mmap_destroy(map));
}

static void nothing_is_configured_while_started(void **state)
{
    struct doca_mmap *map = started_map(memory, sizeof(memory), 0);
    const union doca_data data = {.u64 = 1};
    const uint8_t token[1] = {1};

    (void)state;
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(map, 1));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_user_data(map, data));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_free_cb(map, note_freed, NULL));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_memrange(map, memory, 1));
    expect(DOCA_ERROR_BAD_STATE,
           doca_mmap_set_dpa_memrange(map, (struct doca_dpa *)memory, 64, 64));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_dmabuf_memrange(map, 0, memory, 0, 1));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_export_access_token(map, devs[0], token, 1));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(map, devs[DEV_SECOND]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(map, devs[DEV_MAIN]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(map, 9));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(map));
    ok(doca_mmap_destroy(map));
}

static void devices_are_added_once_up_to_the_maximum(void **state)
{
    struct doca_mmap *map;

    (void)state;
    ok(doca_mmap_create(&map));
    ok(doca_mmap_set_max_num_devices(map, 2));
    ok(doca_mmap_add_dev(map, devs[0]));
    expect(DOCA_ERROR_ALREADY_EXIST, doca_mmap_add_dev(map, devs[0]));
    ok(doca_mmap_add_dev(map, devs[1]));
    expect(DOCA_ERROR_NO_MEMORY, doca_mmap_add_dev(map, devs[2]));
    said("limit 2");
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(map, 1));
    ok(doca_mmap_set_max_num_devices(map, UINT32_MAX));
    ok(doca_mmap_add_dev(map, devs[2]));
    ok(doca_mmap_rm_dev(map, devs[0]));
    expect(DOCA_ERROR_NOT_FOUND, doca_mmap_rm_dev(map, devs[0]));
    ok(doca_mmap_add_dev(map, devs[0]));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_add_dev(map, (struct doca_dev *)memory));
    ok(doca_mmap_destroy(map));
}

static void devices_are_held_until_the_map_is_gone(void **state)
{
    struct doca_mmap *map = new_map(memory, 16, 0);

    (void)state;
    expect(DOCA_ERROR_IN_USE, doca_dev_close(devs[DEV_MAIN]));
    ok(doca_mmap_rm_dev(map, devs[DEV_MAIN]));
    ok(doca_mmap_add_dev(map, devs[DEV_MAIN]));
    ok(doca_mmap_destroy(map));
    /* close_devices() fails if a hold is left */
}

static void mkeys_are_stable_and_distinct(void **state)
{
    struct doca_mmap *map = new_map(memory, 16, 0);
    struct doca_mmap *other = started_map(memory, 16, 0);
    uint32_t key = 0, again = 0, second = 0, foreign = 0;

    (void)state;
    ok(doca_mmap_add_dev(map, devs[DEV_SECOND]));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_get_mkey(map, devs[DEV_MAIN], &key));
    ok(doca_mmap_start(map));
    ok(doca_mmap_get_mkey(map, devs[DEV_MAIN], &key));
    ok(doca_mmap_get_mkey(map, devs[DEV_MAIN], &again));
    ok(doca_mmap_get_mkey(map, devs[DEV_SECOND], &second));
    ok(doca_mmap_get_mkey(other, devs[DEV_MAIN], &foreign));
    assert_true(key != 0 && key == again && key != second && key != foreign);
    expect(DOCA_ERROR_NOT_FOUND, doca_mmap_get_mkey(map, devs[DEV_OTHER_CARD], &key));
    ok(doca_mmap_destroy(map));
    ok(doca_mmap_destroy(other));
}

static void dpa_handles_do_not_exist(void **state)
{
    struct doca_mmap *map = new_map(memory, 16, 0);
    doca_dpa_dev_mmap_t handle;

    (void)state;
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_get_dpa_handle(map, devs[0], &handle));
    ok(doca_mmap_start(map));
    expect(DOCA_ERROR_NOT_FOUND, doca_mmap_dev_get_dpa_handle(map, devs[1], &handle));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_dev_get_dpa_handle(map, devs[0], &handle));
    ok(doca_mmap_destroy(map));
}

static void access_masks_are_checked(void **state)
{
    struct doca_mmap *map = new_map(memory, 16, 0);

    (void)state;
    for (uint32_t mask = 0; mask < 128; mask++) {
        bool both = (mask & 0x30) == 0x30;

        expect(both ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS,
               doca_mmap_set_permissions(map, mask));
    }
    for (uint32_t bit = 7; bit < 32; bit++)
        expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_permissions(map, 1u << bit));
    ok(doca_mmap_destroy(map));
}

static void user_data_is_kept(void **state)
{
    struct doca_mmap *map = new_map(memory, 16, 0);
    union doca_data data = {.u64 = 0x1234};

    (void)state;
    ok(doca_mmap_set_user_data(map, data));
    ok(doca_mmap_start(map));
    data.u64 = 0;
    ok(doca_mmap_get_user_data(map, &data));
    assert_true(data.u64 == 0x1234);
    ok(doca_mmap_destroy(map));
}

static void free_callback_runs_once_at_destroy(void **state)
{
    struct freed freed = {0};
    struct doca_mmap *map = new_map(memory, 100, 0);

    (void)state;
    ok(doca_mmap_set_free_cb(map, note_freed, &freed));
    ok(doca_mmap_start(map));
    ok(doca_mmap_stop(map));
    assert_int_equal(freed.calls, 0);
    ok(doca_mmap_destroy(map));
    assert_int_equal(freed.calls, 1);
    assert_ptr_equal(freed.addr, memory);
    assert_int_equal(freed.len, 100);
}

static void free_callback_needs_a_start_since_it_was_set(void **state)
{
    struct freed freed = {0};
    struct doca_mmap *map = new_map(memory, 100, 0);

    (void)state;
    ok(doca_mmap_set_free_cb(map, note_freed, &freed));
    ok(doca_mmap_destroy(map));
    assert_int_equal(freed.calls, 0);
    map = new_map(memory, 100, 0);
    ok(doca_mmap_start(map));
    ok(doca_mmap_stop(map));
    ok(doca_mmap_set_free_cb(map, note_freed, &freed));
    ok(doca_mmap_destroy(map));
    assert_int_equal(freed.calls, 0);
}

static void held_buffers_keep_the_map(void **state)
{
    struct doca_mmap *map = started_map(memory, sizeof(memory), 0);
    struct doca_buf_inventory *inventory = started_inventory(2);
    struct doca_buf *bufs[2];
    uint32_t num = 77;

    (void)state;
    for (int i = 0; i < 2; i++)
        ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 1, &bufs[i]));
    ok(doca_mmap_get_num_bufs(map, &num));
    assert_int_equal(num, 2);
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(map));
    said("held buffers is 2");
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(map));
    ok(doca_buf_dec_refcount(bufs[0], NULL));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(map));
    ok(doca_buf_dec_refcount(bufs[1], NULL));
    ok(doca_mmap_stop(map));
    ok(doca_mmap_destroy(map));
    ok(doca_buf_inventory_destroy(inventory));
}

static void thread_safe_map_does_not_count(void **state)
{
    struct doca_mmap *map = new_map(memory, sizeof(memory), 0);
    struct doca_buf_inventory *inventory = started_inventory(1);
    struct doca_buf *buf;
    uint32_t num = 77;

    (void)state;
    ok(doca_mmap_enable_thread_safety(map));
    ok(doca_mmap_start(map));
    ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 1, &buf));
    ok(doca_mmap_get_num_bufs(map, &num));
    assert_int_equal(num, 0);
    ok(doca_mmap_stop(map));
    ok(doca_mmap_destroy(map));
    ok(doca_buf_dec_refcount(buf, NULL)); /* must not touch the map */
    ok(doca_buf_inventory_destroy(inventory));
}

static void *take_and_return(void *arg)
{
    struct doca_buf_inventory *inventory = started_inventory(8);
    struct doca_mmap *map = arg;
    struct doca_buf *bufs[8];

    for (int round = 0; round < 10000; round++) {
        for (int i = 0; i < 8; i++)
            ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory + i, 1, &bufs[i]));
        for (int i = 0; i < 8; i++)
            ok(doca_buf_dec_refcount(bufs[i], NULL));
    }
    ok(doca_buf_inventory_destroy(inventory));
    return NULL;
}

static void threads_share_a_map(void **state)
{
    for (int safe = 0; safe < 2; safe++) {
        struct doca_mmap *map = new_map(memory, sizeof(memory), 0);
        pthread_t threads[2];
        uint32_t num = 77;

        (void)state;
        if (safe)
            ok(doca_mmap_enable_thread_safety(map));
        ok(doca_mmap_start(map));
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, take_and_return, map), 0);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        ok(doca_mmap_get_num_bufs(map, &num));
        assert_int_equal(num, 0);
        ok(doca_mmap_destroy(map));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(created_map_has_defaults),
        cmocka_unit_test(null_is_refused_everywhere),
        cmocka_unit_test(start_needs_a_range_and_a_device),
        cmocka_unit_test(never_started_map_with_a_device_is_destroyed),
        cmocka_unit_test(map_restarts_after_stop_with_new_settings),
        cmocka_unit_test(nothing_is_configured_while_started),
        cmocka_unit_test(devices_are_added_once_up_to_the_maximum),
        cmocka_unit_test(devices_are_held_until_the_map_is_gone),
        cmocka_unit_test(mkeys_are_stable_and_distinct),
        cmocka_unit_test(dpa_handles_do_not_exist),
        cmocka_unit_test(access_masks_are_checked),
        cmocka_unit_test(user_data_is_kept),
        cmocka_unit_test(free_callback_runs_once_at_destroy),
        cmocka_unit_test(free_callback_needs_a_start_since_it_was_set),
        cmocka_unit_test(held_buffers_keep_the_map),
        cmocka_unit_test(thread_safe_map_does_not_count),
        cmocka_unit_test(threads_share_a_map),
    };

    use_test_devices();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked flavour of buffers: its sources are compiled into the test and stand before those of
 * the library. */
#define OD_CHECKED 1

#include "mem_test.h"

#include <doca_buf_pool.h>

#include "core/mem/buf.c"
#include "core/mem/buf_source.c"
#include "core/mem/buf_pool.c"
#include "core/mem/buf_inventory.c"

static char memory[4096];

static void foreign_pointers_are_recognised(void **state)
{
    struct doca_mmap *map = started_map(memory, sizeof(memory), 0);
    struct doca_buf_inventory *inventory = started_inventory(4);
    struct doca_buf *volatile wild = (struct doca_buf *)1;
    struct doca_buf *buf, *inside;
    size_t len = 77;

    (void)state;
    ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 8, &buf));
    inside = (struct doca_buf *)((char *)buf + 8);
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_dec_refcount((struct doca_buf *)memory, NULL));
    said("not a buffer of any inventory or pool");
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_dec_refcount(wild, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_dec_refcount(inside, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_get_len(wild, &len));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list(buf, wild));
    ok(doca_buf_get_len(buf, &len));
    assert_int_equal(len, 8);
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_buf_inventory_destroy(inventory));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_dec_refcount(buf, NULL)); /* freed by now */
    ok(doca_mmap_destroy(map));
}

static void use_after_release_is_recognised(void **state)
{
    struct doca_mmap *map = started_map(memory, sizeof(memory), 0);
    struct doca_buf_inventory *inventory = started_inventory(1);
    struct doca_buf *buf;
    size_t len = 77;

    (void)state;
    ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 8, &buf));
    ok(doca_buf_dec_refcount(buf, NULL));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_dec_refcount(buf, NULL));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_get_len(buf, &len));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_set_data(buf, memory, 1));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_reset_data_len(buf));
    ok(doca_buf_inventory_destroy(inventory));
    ok(doca_mmap_destroy(map));
}

static void grown_inventories_and_pools_are_known(void **state)
{
    struct doca_mmap *map = started_map(memory, sizeof(memory), 0);
    struct doca_buf_inventory *inventory = started_inventory(1);
    struct doca_buf *bufs[3];
    struct doca_buf_pool *pool;

    (void)state;
    ok(doca_buf_pool_create(1, 64, map, &pool));
    ok(doca_buf_pool_start(pool));
    ok(doca_buf_inventory_expand(inventory, 1));
    ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 8, &bufs[0]));
    ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 8, &bufs[1]));
    ok(doca_buf_pool_buf_alloc(pool, &bufs[2]));
    for (int i = 0; i < 3; i++)
        ok(doca_buf_dec_refcount(bufs[i], NULL));
    ok(doca_buf_pool_destroy(pool));
    ok(doca_buf_inventory_destroy(inventory));
    ok(doca_mmap_destroy(map));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_pointers_are_recognised),
        cmocka_unit_test(use_after_release_is_recognised),
        cmocka_unit_test(grown_inventories_and_pools_are_known),
    };

    use_test_devices();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}

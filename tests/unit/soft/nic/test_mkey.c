/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/nic/mkey.h"

#define SIZE 1000u

static char room[SIZE + 200];
static char *const memory = room + 100;
static const struct soft_device device, other_device;

static uint32_t new_key(void)
{
    const struct soft_nic_mkey what = {
        .device = &device, .addr = memory, .len = SIZE, .can_read = true};
    uint32_t key;

    assert_int_equal(soft_nic_mkey_new(&key), 0);
    soft_nic_mkey_set(key, &what);
    return key;
}

static const char *reach(uint32_t key, const struct soft_device *dev, const void *addr,
                         uint32_t len)
{
    const char *at;

    soft_nic_mkeys_enter();
    at = soft_nic_mkey_reach(key, dev, (uintptr_t)addr, len);
    soft_nic_mkeys_leave();
    return at;
}

static void keys_reach_their_range_and_no_more(void **state)
{
    uint32_t key = new_key();

    (void)state;
    assert_ptr_equal(reach(key, &device, memory, 1000), memory);
    assert_ptr_equal(reach(key, &device, memory + 999, 1), memory + 999);
    assert_null(reach(key, &device, memory + 999, 2));
    assert_null(reach(key, &device, memory - 1, 2));
    assert_null(reach(key, &device, memory + 1, UINT32_MAX));
    assert_null(reach(key, &device, NULL, 1));
    assert_null(reach(key, &device, (void *)UINTPTR_MAX, 1));
    assert_null(reach(key, &other_device, memory, 1));
    soft_nic_mkey_free(key);
}

static void other_numbers_reach_nothing(void **state)
{
    uint32_t key = new_key();

    (void)state;
    assert_null(reach(0, &device, memory, 1));
    assert_null(reach(UINT32_MAX, &device, memory, 1));
    assert_null(reach(key + 1, &device, memory, 1));
    assert_null(reach(key + 256, &device, memory, 1));
    assert_null(reach(key ^ 0x80000000u, &device, memory, 1));
    soft_nic_mkey_free(key);
}

static void a_key_ends_and_its_number_does_not_come_back_soon(void **state)
{
    uint32_t key = new_key(), next;

    (void)state;
    soft_nic_mkey_clear(key);
    assert_null(reach(key, &device, memory, 1));
    soft_nic_mkey_free(key);
    soft_nic_mkey_free(key); /* not its any more */
    for (int i = 0; i < 100; i++) {
        next = new_key();
        assert_int_not_equal(next, key);
        assert_null(reach(key, &device, memory, 1));
        soft_nic_mkey_free(next);
    }
}

static void there_may_be_many(void **state)
{
    static uint32_t keys[5000];

    (void)state;
    for (int i = 0; i < 5000; i++) {
        keys[i] = new_key();
        assert_int_not_equal(keys[i], 0);
    }
    for (int i = 0; i < 5000; i++)
        assert_ptr_equal(reach(keys[i], &device, memory, 1), memory);
    for (int i = 0; i < 5000; i++)
        soft_nic_mkey_free(keys[i]);
}

static void either_address_of_gpu_memory_is_reached(void **state)
{
    struct soft_nic_mkey what = {.device = &device, .len = 500, .can_read = true};
    struct soft_gpu_memory *twins;
    struct soft_gpu *gpu;
    uint32_t key;

    (void)state;
    setenv("OPENDOCA_GPU", "simt", 1);
    setenv("OPENDOCA_GPU_STRICT", "1", 1);
    assert_int_equal(soft_gpu_open("41:00.0", &gpu), 0);
    assert_int_equal(soft_gpu_alloc(gpu, 4096, 0, SOFT_GPU_ON_CPU, &twins), 0);
    what.memory = twins;
    what.addr = twins->cpu + 100;
    assert_int_equal(soft_nic_mkey_new(&key), 0);
    soft_nic_mkey_set(key, &what);
    assert_ptr_equal(reach(key, &device, twins->cpu + 100, 500), twins->cpu + 100);
    assert_ptr_equal(reach(key, &device, twins->at + 100, 500), twins->cpu + 100);
    assert_null(reach(key, &device, twins->at + 99, 1));
    assert_null(reach(key, &device, twins->at + 100, 501));
    soft_nic_mkey_free(key);
    soft_gpu_put(twins);
    soft_gpu_close(gpu);
}

static bool finds(uint32_t key, const void *addr, uint64_t len)
{
    bool found;

    soft_nic_mkeys_enter();
    found = soft_nic_mkey_find(key, &device, (uintptr_t)addr, len) != NULL;
    soft_nic_mkeys_leave();
    return found;
}

/* There is no second address then, also none from 0 on. */
static void memory_of_the_gpu_alone_has_one_address(void **state)
{
    struct soft_gpu_memory alone = {.at = room, .len = sizeof(room)};
    const struct soft_nic_mkey what = {
        .device = &device, .addr = memory, .len = SIZE, .can_read = true, .memory = &alone};
    uint32_t key;

    (void)state;
    assert_int_equal(soft_nic_mkey_new(&key), 0);
    soft_nic_mkey_set(key, &what);
    assert_true(finds(key, memory, SIZE));
    assert_false(finds(key, memory - 1, 1));
    assert_false(finds(key, memory + 1, SIZE));
    assert_false(finds(key, NULL, 1));
    assert_false(finds(key, (void *)(uintptr_t)(SIZE - 1), 1));
    assert_null(reach(key, &device, memory, 1)); /* by copies only */
    soft_nic_mkey_free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_reach_their_range_and_no_more),
        cmocka_unit_test(other_numbers_reach_nothing),
        cmocka_unit_test(a_key_ends_and_its_number_does_not_come_back_soon),
        cmocka_unit_test(there_may_be_many),
        cmocka_unit_test(either_address_of_gpu_memory_is_reached),
        cmocka_unit_test(memory_of_the_gpu_alone_has_one_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

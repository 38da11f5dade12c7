/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem_test.h"

#include <doca_buf_array.h>

#include <impl/opendoca_gpu_ring.h>

#include "core/core_priv.h"

static char memory[4096];

static void array_refuses_to_start(void **state)
{
    struct doca_mmap *map = new_map(memory, sizeof(memory), 0);
    struct doca_gpu_buf_arr *gpu_handle = GARBAGE;
    struct doca_buf_arr *arr = GARBAGE;
    doca_dpa_dev_buf_arr_t dpa_handle = 7;

    (void)state;
    ok(doca_buf_arr_create(16, &arr));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(arr));
    ok(doca_buf_arr_set_params(arr, map, 256, 0));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(arr));
    ok(doca_mmap_start(map));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(arr));
    said("target");
    expect(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_gpu_handle(arr, &gpu_handle));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_dpa_handle(arr, &dpa_handle));
    assert_ptr_equal(gpu_handle, GARBAGE);
    assert_int_equal(dpa_handle, 7);
    ok(doca_buf_arr_stop(arr));
    ok(doca_mmap_destroy(map));
    ok(doca_buf_arr_destroy(arr)); /* after the map */
}

static void dpa_targets_are_not_supported(void **state)
{
    struct doca_buf_arr *arr;

    (void)state;
    ok(doca_buf_arr_create(1, &arr));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_dpa(arr, (struct doca_dpa *)memory));
    ok(doca_buf_arr_destroy(arr));
}

/* A kernel finds addresses and the map's key, also when the map and its memory are gone. */
static void gpu_arrays_describe_their_elements(void **state)
{
    struct doca_mmap *map = started_map(memory, sizeof(memory), 0);
    struct doca_gpu_buf_arr *handle, *again;
    const struct doca_gpu_buf *bufs;
    struct doca_gpu gpu = {.name = "gpu"};
    struct doca_buf_arr *arr;
    uint32_t key;

    (void)state;
    setenv("OPENDOCA_GPU", "simt", 1);
    assert_int_equal(soft_gpu_open("0000:41:00.0", &gpu.soft), 0);
    core_live_add(CORE_LIVE_GPU, &gpu); /* as doca_gpu_create() does */
    ok(doca_mmap_get_mkey(map, map->devs[0], &key));
    ok(doca_buf_arr_create(3, &arr));
    ok(doca_buf_arr_set_target_gpu(arr, &gpu));
    assert_int_equal(gpu.users, 1);
    ok(doca_buf_arr_set_params(arr, map, 1000, 96));
    ok(doca_buf_arr_start(arr));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(arr));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_arr_set_params(arr, map, 1, 0));
    expect(DOCA_ERROR_BAD_STATE, doca_buf_arr_set_target_gpu(arr, &gpu));
    ok(doca_buf_arr_get_gpu_handle(arr, &handle));
    ok(doca_mmap_destroy(map));
    assert_int_equal(handle->magic, OPENDOCA_GPU_BUFS_MAGIC);
    assert_int_equal(handle->num, 3);
    bufs = (const struct doca_gpu_buf *)(uintptr_t)handle->bufs;
    for (uint32_t i = 0; i < 3; i++) {
        assert_ptr_equal(bufs[i].addr, memory + 96 + i * 1000);
        assert_int_equal(bufs[i].key_be, opendoca_gpu_swap32(key));
        assert_int_equal(bufs[i].bytes, 1000);
    }
    ok(doca_buf_arr_get_gpu_handle(arr, &again));
    assert_ptr_equal(handle, again);
    ok(doca_buf_arr_destroy(arr)); /* started */
    assert_int_equal(gpu.users, 0);
    core_live_remove(&gpu);
    assert_int_equal(soft_gpu_close(gpu.soft), 0);
}

static void elements_must_fit(void **state)
{
    struct doca_mmap *map = started_map(memory, sizeof(memory), 0);
    struct doca_buf_arr *arr;

    (void)state;
    ok(doca_buf_arr_create(16, &arr));
    ok(doca_buf_arr_set_params(arr, map, 256, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_start(arr));
    ok(doca_buf_arr_set_params(arr, map, SIZE_MAX, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_start(arr));
    ok(doca_buf_arr_set_params(arr, map, 1, UINT64_MAX));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_start(arr));
    ok(doca_buf_arr_destroy(arr));
    ok(doca_mmap_destroy(map));
}

static void arguments_are_checked(void **state)
{
    struct doca_mmap *map = new_map(memory, sizeof(memory), 0);
    struct doca_gpu_buf_arr *gpu_handle;
    doca_dpa_dev_buf_arr_t dpa_handle;
    struct doca_buf_arr *arr;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(0, &arr));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(1, NULL));
    ok(doca_buf_arr_create(1, &arr));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(NULL, map, 1, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(arr, NULL, 1, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(arr, map, 0, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_gpu(NULL, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_gpu(arr, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_dpa(NULL, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_dpa(arr, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_start(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_stop(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_destroy(NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_gpu_handle(NULL, &gpu_handle));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_gpu_handle(arr, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_dpa_handle(NULL, &dpa_handle));
    expect(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_dpa_handle(arr, NULL));
    ok(doca_buf_arr_destroy(arr));
    ok(doca_mmap_destroy(map));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_refuses_to_start),
        cmocka_unit_test(dpa_targets_are_not_supported),
        cmocka_unit_test(gpu_arrays_describe_their_elements),
        cmocka_unit_test(elements_must_fit),
        cmocka_unit_test(arguments_are_checked),
    };

    use_test_devices();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <doca_error.h>
#include <doca_gpunetio.h>

#include <impl/opendoca_gpu_barrier.h>

#define expect(wanted, call) assert_string_equal(doca_error_get_name(call), #wanted)
#define ok(call)             expect(DOCA_SUCCESS, call)

static struct doca_gpu *gpu;

static int setup(void **state)
{
    (void)state;
    setenv("OPENDOCA_GPU", "simt", 1);
    return doca_gpu_create("0000:41:00.0", &gpu) == DOCA_SUCCESS ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return doca_gpu_destroy(gpu) == DOCA_SUCCESS ? 0 : -1;
}

static struct doca_gpu_semaphore *new_sem(uint32_t num, enum doca_gpu_mem_type type)
{
    struct doca_gpu_semaphore *sem;

    ok(doca_gpu_semaphore_create(gpu, &sem));
    ok(doca_gpu_semaphore_set_memory_type(sem, type));
    ok(doca_gpu_semaphore_set_items_num(sem, num));
    return sem;
}

/* What a kernel sets the CPU sees, and the reverse. */
static void statuses_go_both_ways(void **state)
{
    struct doca_gpu_semaphore *sem = new_sem(1000, DOCA_GPU_MEM_TYPE_CPU_GPU);
    enum doca_gpu_semaphore_status status;
    struct doca_gpu_semaphore_gpu *handle;
    struct opendoca_gpu_sem_item *items;

    (void)state;
    ok(doca_gpu_semaphore_start(sem));
    ok(doca_gpu_semaphore_get_gpu_handle(sem, &handle));
    assert_int_equal(handle->magic, OPENDOCA_GPU_SEM_MAGIC);
    assert_int_equal(handle->num, 1000);
    assert_int_equal(handle->custom, 0);
    items = (struct opendoca_gpu_sem_item *)(uintptr_t)handle->items;
    ok(doca_gpu_semaphore_get_status(sem, 999, &status));
    assert_int_equal(status, DOCA_GPU_SEMAPHORE_STATUS_FREE);
    opendoca_gpu_publish32(&items[999].status, DOCA_GPU_SEMAPHORE_STATUS_READY);
    ok(doca_gpu_semaphore_get_status(sem, 999, &status));
    assert_int_equal(status, DOCA_GPU_SEMAPHORE_STATUS_READY);
    ok(doca_gpu_semaphore_set_status(sem, 7, DOCA_GPU_SEMAPHORE_STATUS_EXIT));
    assert_int_equal(opendoca_gpu_observe32(&items[7].status), DOCA_GPU_SEMAPHORE_STATUS_EXIT);
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_get_status(sem, 1000, &status));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_get_status(sem, 0, NULL));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_semaphore_set_status(sem, 0, (enum doca_gpu_semaphore_status)6));
    ok(doca_gpu_semaphore_stop(sem));
    expect(DOCA_ERROR_BAD_STATE, doca_gpu_semaphore_get_status(sem, 0, &status));
    ok(doca_gpu_semaphore_start(sem)); /* all FREE again */
    ok(doca_gpu_semaphore_get_status(sem, 7, &status));
    assert_int_equal(status, DOCA_GPU_SEMAPHORE_STATUS_FREE);
    ok(doca_gpu_semaphore_destroy(sem)); /* started */
}

static void custom_info_has_memory_of_its_own(void **state)
{
    struct doca_gpu_semaphore *sem = new_sem(5, DOCA_GPU_MEM_TYPE_GPU);
    struct doca_gpu_semaphore_gpu *handle;
    enum doca_gpu_semaphore_status status;
    void *first, *last;

    (void)state;
    ok(doca_gpu_semaphore_set_custom_info(sem, 13, DOCA_GPU_MEM_TYPE_GPU_CPU));
    ok(doca_gpu_semaphore_start(sem));
    ok(doca_gpu_semaphore_get_gpu_handle(sem, &handle));
    assert_int_equal(handle->custom_stride, 16);
    ok(doca_gpu_semaphore_get_custom_info_addr(sem, 0, &first));
    ok(doca_gpu_semaphore_get_custom_info_addr(sem, 4, &last));
    assert_int_equal((char *)last - (char *)first, 4 * 16);
    assert_ptr_equal(first, handle->custom);
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_get_custom_info_addr(sem, 5, &last));
    /* The items themselves are the GPU's alone. */
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_get_status(sem, 0, &status));
    ok(doca_gpu_semaphore_stop(sem));
    ok(doca_gpu_semaphore_destroy(sem));
}

static void states_and_arguments_are_checked(void **state)
{
    struct doca_gpu_semaphore_gpu *handle;
    struct doca_gpu_semaphore *sem;
    void *info;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_create(NULL, &sem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_create(gpu, NULL));
    ok(doca_gpu_semaphore_create(gpu, &sem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_start(sem)); /* no number */
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_set_items_num(sem, 0));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_semaphore_set_memory_type(sem, (enum doca_gpu_mem_type)3));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_semaphore_set_custom_info(sem, 0, DOCA_GPU_MEM_TYPE_GPU));
    ok(doca_gpu_semaphore_set_items_num(sem, 3));
    expect(DOCA_ERROR_BAD_STATE, doca_gpu_semaphore_get_gpu_handle(sem, &handle));
    expect(DOCA_ERROR_BAD_STATE, doca_gpu_semaphore_stop(sem));
    ok(doca_gpu_semaphore_set_memory_type(sem, DOCA_GPU_MEM_TYPE_CPU_GPU));
    ok(doca_gpu_semaphore_start(sem));
    expect(DOCA_ERROR_BAD_STATE, doca_gpu_semaphore_start(sem));
    expect(DOCA_ERROR_BAD_STATE, doca_gpu_semaphore_set_items_num(sem, 4));
    expect(DOCA_ERROR_BAD_STATE,
           doca_gpu_semaphore_set_memory_type(sem, DOCA_GPU_MEM_TYPE_CPU_GPU));
    expect(DOCA_ERROR_BAD_STATE,
           doca_gpu_semaphore_set_custom_info(sem, 8, DOCA_GPU_MEM_TYPE_CPU_GPU));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_get_gpu_handle(sem, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_get_custom_info_addr(sem, 0, &info));
    ok(doca_gpu_semaphore_destroy(sem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_semaphore_destroy(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_go_both_ways),
        cmocka_unit_test(custom_info_has_memory_of_its_own),
        cmocka_unit_test(states_and_arguments_are_checked),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

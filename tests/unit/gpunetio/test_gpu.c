/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <doca_buf_array.h>
#include <doca_error.h>
#include <doca_gpunetio.h>

#define expect(wanted, call) assert_string_equal(doca_error_get_name(call), #wanted)
#define ok(call)             expect(DOCA_SUCCESS, call)

static struct doca_gpu *new_gpu(void)
{
    struct doca_gpu *gpu;

    ok(doca_gpu_create("0000:41:00.0", &gpu));
    return gpu;
}

static void gpus_are_created_by_address(void **state)
{
    struct doca_gpu *gpu, *again;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_create(NULL, &gpu));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_create("41:00.0", NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_create("a GPU", &gpu));
    setenv("SIMT_PCI_DENY", "41:00.0", 1);
    expect(DOCA_ERROR_NOT_FOUND, doca_gpu_create("41:00.0", &gpu));
    unsetenv("SIMT_PCI_DENY");
    ok(doca_gpu_create("41:00.0", &gpu));
    ok(doca_gpu_create("41:00.0", &again));
    assert_ptr_not_equal(gpu, again);
    ok(doca_gpu_destroy(gpu));
    ok(doca_gpu_destroy(again));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_destroy(NULL));
}

static void memory_of_each_type_has_its_addresses(void **state)
{
    struct doca_gpu *gpu = new_gpu();
    char *at, *cpu = (char *)1;

    (void)state;
    ok(doca_gpu_mem_alloc(gpu, 100, 0, DOCA_GPU_MEM_TYPE_GPU, (void **)&at, (void **)&cpu));
    assert_null(cpu);
    ok(doca_gpu_mem_free(gpu, at));
    ok(doca_gpu_mem_alloc(gpu, 4, 4096, DOCA_GPU_MEM_TYPE_GPU, (void **)&at, NULL));
    ok(doca_gpu_mem_free(gpu, at));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_mem_free(gpu, at));
    setenv("OPENDOCA_GPU_STRICT", "1", 1);
    for (int type = DOCA_GPU_MEM_TYPE_GPU_CPU; type <= DOCA_GPU_MEM_TYPE_CPU_GPU; type++) {
        ok(doca_gpu_mem_alloc(gpu, 100, 65536, type, (void **)&at, (void **)&cpu));
        assert_ptr_not_equal(at, cpu);
        cpu[99] = 9;
        assert_int_equal(at[99], 9);
        expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_mem_free(gpu, cpu));
        ok(doca_gpu_mem_free(gpu, at));
        expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_mem_free(gpu, cpu));
    }
    unsetenv("OPENDOCA_GPU_STRICT");
    ok(doca_gpu_destroy(gpu));
}

/* GX-9: by the pointer of the CPU, which without OPENDOCA_GPU_STRICT is the same. */
static void memory_is_freed_once_by_the_gpus_address(void **state)
{
    struct doca_gpu *gpu = new_gpu();
    char *at, *cpu;

    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        setenv("OPENDOCA_GPU_STRICT", strict ? "1" : "0", 1);
        for (int type = DOCA_GPU_MEM_TYPE_GPU_CPU; type <= DOCA_GPU_MEM_TYPE_CPU_GPU; type++) {
            ok(doca_gpu_mem_alloc(gpu, 100, 0, type, (void **)&at, (void **)&cpu));
            assert_int_equal(at != cpu, strict);
            ok(doca_gpu_mem_free(gpu, at));
            expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_mem_free(gpu, cpu));
            expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_mem_free(gpu, at));
        }
    }
    unsetenv("OPENDOCA_GPU_STRICT");
    ok(doca_gpu_destroy(gpu));
}

static void arguments_of_memory_are_checked(void **state)
{
    struct doca_gpu *gpu = new_gpu();
    void *at, *cpu;
    int fd;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_mem_alloc(NULL, 1, 0, DOCA_GPU_MEM_TYPE_GPU, &at, &cpu));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_mem_alloc(gpu, 0, 0, DOCA_GPU_MEM_TYPE_GPU, &at, &cpu));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_mem_alloc(gpu, 1, 3, DOCA_GPU_MEM_TYPE_GPU, &at, &cpu));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_mem_alloc(gpu, 1, 0, DOCA_GPU_MEM_TYPE_GPU, NULL, &cpu));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_mem_alloc(gpu, 1, 0, DOCA_GPU_MEM_TYPE_CPU_GPU, &at, NULL));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_gpu_mem_alloc(gpu, 1, 0, (enum doca_gpu_mem_type)3, &at, &cpu));
    expect(DOCA_ERROR_NO_MEMORY,
           doca_gpu_mem_alloc(gpu, SIZE_MAX / 2, 0, DOCA_GPU_MEM_TYPE_GPU, &at, &cpu));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_mem_free(gpu, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_mem_free(gpu, &fd));
    ok(doca_gpu_mem_alloc(gpu, 1, 0, DOCA_GPU_MEM_TYPE_GPU, &at, &cpu));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_dmabuf_fd(gpu, NULL, 1, &fd));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_dmabuf_fd(gpu, at, 0, &fd));
    expect(DOCA_ERROR_INVALID_VALUE, doca_gpu_dmabuf_fd(gpu, at, 1, NULL));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_gpu_dmabuf_fd(gpu, at, 1, &fd));
    ok(doca_gpu_destroy(gpu)); /* with memory left */
}

static void a_gpu_in_use_stays(void **state)
{
    struct doca_gpu *gpu = new_gpu();
    struct doca_gpu_semaphore *sem;
    struct doca_buf_arr *arr;

    (void)state;
    ok(doca_gpu_semaphore_create(gpu, &sem));
    expect(DOCA_ERROR_IN_USE, doca_gpu_destroy(gpu));
    ok(doca_gpu_semaphore_destroy(sem));
    ok(doca_buf_arr_create(1, &arr));
    ok(doca_buf_arr_set_target_gpu(arr, gpu));
    expect(DOCA_ERROR_IN_USE, doca_gpu_destroy(gpu));
    ok(doca_buf_arr_destroy(arr));
    ok(doca_gpu_destroy(gpu));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_are_created_by_address),
        cmocka_unit_test(memory_of_each_type_has_its_addresses),
        cmocka_unit_test(memory_is_freed_once_by_the_gpus_address),
        cmocka_unit_test(arguments_of_memory_are_checked),
        cmocka_unit_test(a_gpu_in_use_stays),
    };

    setenv("OPENDOCA_GPU", "simt", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/gpu/gpu.h"

#define SIZE (1u << 20)

static struct soft_gpu *open_gpu(void)
{
    struct soft_gpu *gpu;

    assert_int_equal(soft_gpu_open("0000:41:00.0", &gpu), 0);
    return gpu;
}

static void all_spellings_of_an_address_are_one(void **state)
{
    static const char *const good[] = {"0000:3b:00.0", "3b:00.0", "3B:00.0", "00000000:3b:00.0"};
    struct soft_gpu *gpu;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(soft_gpu_open(good[i], &gpu), 0);
        assert_string_equal(gpu->id, "0000:3b:00.0");
        assert_int_equal(soft_gpu_close(gpu), 0);
    }
}

static void malformed_addresses_are_refused(void **state)
{
    static const char *const bad[] = {
        "",        "gpu0",    "3b:00",       "3b:00.0 ", "0000:3b:00.0.1",
        "3b:00.8", "3b:20.0", "0000:3b:00.", ":::",      "0000:0000:3b:00.0"};
    struct soft_gpu *gpu;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(soft_gpu_open(bad[i], &gpu), -EINVAL);
}

static void lists_say_which_gpus_there_are(void **state)
{
    struct soft_gpu *gpu;

    (void)state;
    setenv("SIMT_PCI_DENY", "3b:00.0,0000:aa:00.0", 1);
    assert_int_equal(soft_gpu_open("0000:3b:00.0", &gpu), -ENOENT);
    assert_int_equal(soft_gpu_open("AA:00.0", &gpu), -ENOENT);
    assert_int_equal(soft_gpu_open("0000:3b:00.1", &gpu), 0);
    soft_gpu_close(gpu);
    unsetenv("SIMT_PCI_DENY");
    setenv("SIMT_PCI_IDS", "00000000:3b:00.0", 1);
    assert_int_equal(soft_gpu_open("3b:00.1", &gpu), -ENOENT);
    assert_int_equal(soft_gpu_open("3b:00.0", &gpu), 0);
    soft_gpu_close(gpu);
    unsetenv("SIMT_PCI_IDS");
}

static void engines_are_chosen_by_name(void **state)
{
    struct soft_gpu *gpu;

    (void)state;
    setenv("OPENDOCA_GPU", "abacus", 1);
    assert_int_equal(soft_gpu_open("3b:00.0", &gpu), -ENOTSUP);
    assert_int_equal(soft_gpu_probe(), -ENOTSUP);
    setenv("OPENDOCA_GPU", "simt", 1);
    assert_int_equal(soft_gpu_probe(), 0);
}

static void memory_is_aligned_and_empty(void **state)
{
    static const size_t aligns[] = {0, 1, 64, 4096, 65536, 1u << 21};
    struct soft_gpu *gpu = open_gpu();

    (void)state;
    for (size_t i = 0; i < sizeof(aligns) / sizeof(aligns[0]); i++) {
        for (int place = 0; place < SOFT_GPU_PLACES; place++) {
            struct soft_gpu_memory *memory;

            assert_int_equal(soft_gpu_alloc(gpu, SIZE + i, aligns[i], place, &memory), 0);
            assert_int_equal((uintptr_t)memory->at % (aligns[i] > 0 ? aligns[i] : 4096), 0);
            assert_int_equal(memory->cpu[0], 0);
            assert_int_equal(memory->cpu[SIZE + i - 1], 0);
            memory->cpu[SIZE + i - 1] = 1;
            soft_gpu_put(memory);
        }
    }
    assert_int_equal(soft_gpu_close(gpu), 0);
}

static void too_much_is_no_memory(void **state)
{
    struct soft_gpu *gpu = open_gpu();
    struct soft_gpu_memory *memory;

    (void)state;
    assert_int_equal(soft_gpu_alloc(gpu, SIZE_MAX, 0, SOFT_GPU_ON_GPU, &memory), -ENOMEM);
    assert_int_equal(soft_gpu_alloc(gpu, SIZE_MAX / 2, 0, SOFT_GPU_ON_CPU, &memory), -ENOMEM);
    soft_gpu_close(gpu);
}

/* GX-9, and the references of queues and maps. */
static void held_memory_outlives_its_free_and_its_gpu(void **state)
{
    struct soft_gpu *gpu = open_gpu();
    struct soft_gpu_memory *memory, *held;
    char *at;

    (void)state;
    assert_int_equal(soft_gpu_program_alloc(gpu, SIZE, 0, SOFT_GPU_ON_GPU, &memory), 0);
    at = memory->at;
    held = soft_gpu_find(at + 100, SIZE - 100);
    assert_ptr_equal(held, memory);
    assert_null(soft_gpu_find(at + 100, SIZE));
    assert_null(soft_gpu_find(at - 1, 1));
    assert_int_equal(soft_gpu_program_free(gpu, at + 1), -EINVAL);
    assert_int_equal(soft_gpu_program_free(gpu, at), 0);
    assert_int_equal(soft_gpu_program_free(gpu, at), -EINVAL);
    assert_int_equal(soft_gpu_close(gpu), 0);
    held->cpu[SIZE - 1] = 7;
    soft_gpu_put(held);
    assert_null(soft_gpu_find(at, 1));
}

static void what_is_left_goes_with_the_gpu(void **state)
{
    struct soft_gpu *gpu = open_gpu(), *other = open_gpu();
    struct soft_gpu_memory *memory, *others;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(soft_gpu_program_alloc(gpu, SIZE, 0, SOFT_GPU_ON_GPU, &memory), 0);
    assert_int_equal(soft_gpu_program_alloc(other, SIZE, 0, SOFT_GPU_ON_GPU, &others), 0);
    assert_int_equal(soft_gpu_program_free(gpu, others->at), -EINVAL);
    assert_int_equal(soft_gpu_close(gpu), 3);
    assert_int_equal(soft_gpu_close(other), 1);
}

static void strict_addresses_are_two_of_one_memory(void **state)
{
    struct soft_gpu *gpu = open_gpu();
    struct soft_gpu_memory *memory, *found;

    (void)state;
    setenv("OPENDOCA_GPU_STRICT", "1", 1);
    assert_int_equal(soft_gpu_alloc(gpu, SIZE, 65536, SOFT_GPU_ON_CPU, &memory), 0);
    unsetenv("OPENDOCA_GPU_STRICT");
    assert_ptr_not_equal(memory->at, memory->cpu);
    memory->cpu[77] = 7;
    assert_int_equal(memory->at[77], 7);
    assert_ptr_equal(soft_gpu_at(memory, memory->cpu + 5), memory->at + 5);
    assert_ptr_equal(soft_gpu_at(memory, memory->at + 5), memory->at + 5);
    assert_ptr_equal(soft_gpu_cpu(memory, memory->at + 5), memory->cpu + 5);
    found = soft_gpu_find(memory->cpu + 1, 1);
    assert_ptr_equal(found, memory);
    soft_gpu_put(found);
    soft_gpu_put(memory);
    soft_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_spellings_of_an_address_are_one),
        cmocka_unit_test(malformed_addresses_are_refused),
        cmocka_unit_test(lists_say_which_gpus_there_are),
        cmocka_unit_test(engines_are_chosen_by_name),
        cmocka_unit_test(memory_is_aligned_and_empty),
        cmocka_unit_test(too_much_is_no_memory),
        cmocka_unit_test(held_memory_outlives_its_free_and_its_gpu),
        cmocka_unit_test(what_is_left_goes_with_the_gpu),
        cmocka_unit_test(strict_addresses_are_two_of_one_memory),
    };

    setenv("OPENDOCA_GPU", "simt", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

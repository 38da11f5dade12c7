/* SPDX-License-Identifier: BSD-3-Clause */
/* This program says that NVIDIA's nvcc built its kernels, by the note that device headers leave
 * then. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/gpu/gpu.h"
#include "util/note.h"

__asm__(".pushsection .note.opendoca,\"a\",%note\n\t"
        ".p2align 2\n\t"
        ".long 2f - 1f\n\t"
        ".long 4\n\t"
        ".long 2\n"
        "1:\t.asciz \"opendoca\"\n"
        "2:\t.p2align 2\n\t"
        ".long 1\n\t"
        ".popsection");

static void a_note_is_found_by_its_type(void **state)
{
    (void)state;
    assert_int_equal(od_program_note(OD_NOTE_NVCC), 1);
    assert_int_equal(od_program_note(OD_NOTE_ROLE), 0);
}

static void without_a_gpu_nothing_runs_them(void **state)
{
    struct soft_gpu *gpu;

    (void)state;
    assert_int_equal(soft_gpu_open("3b:00.0", &gpu), -ENOTSUP);
    assert_non_null(strstr(soft_reason(), "nvcc of simt"));
    assert_int_equal(soft_gpu_probe(), -ENOTSUP);
}

static void nor_does_the_cpu_when_it_is_asked_to(void **state)
{
    struct soft_gpu *gpu;

    (void)state;
    setenv("OPENDOCA_GPU", "simt", 1);
    assert_int_equal(soft_gpu_open("3b:00.0", &gpu), -ENOTSUP);
    assert_non_null(strstr(soft_reason(), "OPENDOCA_GPU is simt"));
    assert_non_null(strstr(soft_reason(), "nvcc of simt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_is_found_by_its_type),
        cmocka_unit_test(without_a_gpu_nothing_runs_them),
        cmocka_unit_test(nor_does_the_cpu_when_it_is_asked_to),
    };

    unsetenv("OPENDOCA_GPU");
    setenv("OPENDOCA_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dma/dma_priv.h"

/* What an application pays a task and a buffer: structures of a hot path do not grow unnoticed. */

static void a_dma_task_stays_below_256_bytes(void **state)
{
    (void)state;
    assert_in_range(sizeof(struct doca_dma_task_memcpy), 1, 256);
}

static void a_buffer_stays_within_96_bytes(void **state)
{
    (void)state;
    assert_in_range(sizeof(struct doca_buf), 1, 96);
}

static void the_common_part_of_a_task_is_one_cache_line(void **state)
{
    (void)state;
    assert_in_range(sizeof(struct doca_task), 1, 64);
    assert_int_equal(offsetof(struct doca_dma_task_memcpy, base), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dma_task_stays_below_256_bytes),
        cmocka_unit_test(a_buffer_stays_within_96_bytes),
        cmocka_unit_test(the_common_part_of_a_task_is_one_cache_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

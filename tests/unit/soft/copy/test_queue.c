/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/copy/queue.h"

static void the_depth_is_exact_also_when_it_is_no_power_of_two(void **state)
{
    struct soft_copy_queue queue;
    struct soft_copy_job job[6];

    (void)state;
    assert_int_equal(soft_copy_queue_init(&queue, 5), 0);
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(soft_copy_queue_push(&queue, &job[i]), 0);
        assert_int_equal(soft_copy_queue_push(&queue, &job[5]), -EAGAIN);
        assert_false(soft_copy_queue_has_ready(&queue));
        queue.ready += 5;
        for (uint32_t i = 0; i < 5; i++) {
            assert_true(soft_copy_queue_has_ready(&queue));
            assert_ptr_equal(soft_copy_queue_pop(&queue), &job[i]);
        }
    }
    soft_copy_queue_fini(&queue);
}

static void positions_may_wrap(void **state)
{
    struct soft_copy_queue queue;
    struct soft_copy_job job[4];

    (void)state;
    assert_int_equal(soft_copy_queue_init(&queue, 4), 0);
    queue.head = queue.ready = queue.tail = UINT32_MAX - 1;
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(soft_copy_queue_push(&queue, &job[i]), 0);
    assert_int_equal(soft_copy_queue_push(&queue, &job[0]), -EAGAIN);
    queue.ready += 1 + soft_copy_queue_cancel(&queue, queue.ready + 1);
    for (uint32_t i = 0; i < 4; i++)
        assert_ptr_equal(soft_copy_queue_pop(&queue), &job[i]);
    assert_int_equal(job[1].status, -ECANCELED);
    assert_int_equal(job[3].status, -ECANCELED);
    assert_false(soft_copy_queue_has_ready(&queue));
    soft_copy_queue_fini(&queue);
}

static void senseless_depths_are_refused(void **state)
{
    struct soft_copy_queue queue;

    (void)state;
    assert_int_equal(soft_copy_queue_init(&queue, 0), -EINVAL);
    assert_int_equal(soft_copy_queue_init(&queue, UINT32_MAX), -EINVAL);
    assert_non_null(strstr(soft_reason(), "4294967295"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_depth_is_exact_also_when_it_is_no_power_of_two),
        cmocka_unit_test(positions_may_wrap),
        cmocka_unit_test(senseless_depths_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

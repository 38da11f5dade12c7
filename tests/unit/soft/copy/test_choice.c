/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/copy/choice.h"

static void a_forced_loop_is_always_picked(void **state)
{
    (void)state;
    for (int i = 0; i < SOFT_COPY_LOOPS; i++) {
        const char *name = soft_copy_loop_name((enum soft_copy_loop)i);

        if (soft_copy_loop_get((enum soft_copy_loop)i) == NULL) {
            assert_int_equal(soft_copy_choice_force(name), -ENOTSUP);
            continue;
        }
        assert_int_equal(soft_copy_choice_force(name), 0);
        for (int k = 0; k < 100; k++) {
            struct soft_copy_choice choice = soft_copy_choose(1u << 20, 1u << 18);

            assert_int_equal(choice.pick.option, i);
            assert_int_equal(choice.pick.timing, SOFT_CHOOSER_UNTIMED);
            assert_ptr_equal(choice.fn, soft_copy_loop_get((enum soft_copy_loop)i));
        }
    }
    assert_int_equal(soft_copy_choice_force("fast"), -EINVAL);
    assert_non_null(strstr(soft_reason(), "'fast'"));
    assert_int_equal(soft_copy_choice_force("auto"), 0);
    assert_int_equal(soft_copy_choice_force(NULL), 0);
}

/* Picks and reports `total` bytes in `picks` chunks as if `fastest` took 1, the others 1.4 times
 * `cost`. The share of picks that were `fastest`, in percent. */
static unsigned int learn(uint64_t total, unsigned int fastest, unsigned int cost,
                          unsigned int picks)
{
    unsigned int hits = 0;

    for (unsigned int i = 0; i < picks; i++) {
        struct soft_copy_choice choice = soft_copy_choose(total, 65536);

        hits += choice.pick.option == fastest;
        if (choice.pick.timing != SOFT_CHOOSER_UNTIMED)
            soft_chooser_learn(choice.chooser, choice.pick,
                               choice.pick.option == fastest ? cost + i % 9 : cost * 14 / 10);
    }
    return hits * 100 / picks;
}

/* Whether it comes to nearly all picks being `fastest`; the time it takes depends on the load of
 * the machine, since a round that was slow is followed by a long rest. */
static bool settles(uint64_t total, unsigned int fastest, unsigned int cost)
{
    time_t deadline = whole_seconds_now() + 60;

    while (learn(total, fastest, cost, 20000) < 95) {
        if (whole_seconds_now() > deadline)
            return false;
    }
    return true;
}

static void the_fastest_loop_is_found(void **state)
{
    (void)state;
    if (soft_copy_loop_count() < 2)
        skip();
    assert_true(settles(64u << 10, SOFT_COPY_NT, 1000));
    assert_true(settles(1u << 20, SOFT_COPY_MEMCPY, 1000));
    assert_true(settles(1u << 30, SOFT_COPY_NT, 1000));
}

static void a_change_is_noticed(void **state)
{
    (void)state;
    if (soft_copy_loop_count() < 2)
        skip();
    assert_true(settles(4u << 20, SOFT_COPY_MEMCPY, 1000));
    assert_true(settles(4u << 20, SOFT_COPY_NT, 3000));
    assert_true(settles(4u << 20, SOFT_COPY_MEMCPY, 1000));
    assert_true(settles(4u << 20, SOFT_COPY_NT, 1000)); /* nothing but the order has changed */
}

static void sizes_are_learned_apart(void **state)
{
    (void)state;
    assert_int_not_equal(soft_copy_size_class(64u << 10), soft_copy_size_class(64u << 20));
    assert_int_equal(soft_copy_size_class(0), soft_copy_size_class(4096));
    assert_int_equal(soft_copy_size_class(UINT64_MAX), soft_copy_size_class((uint64_t)1 << 40));
    for (uint64_t bytes = 1; bytes != 0; bytes *= 2)
        assert_true(soft_copy_size_class(bytes) < SOFT_COPY_CLASSES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forced_loop_is_always_picked),
        cmocka_unit_test(the_fastest_loop_is_found),
        cmocka_unit_test(a_change_is_noticed),
        cmocka_unit_test(sizes_are_learned_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

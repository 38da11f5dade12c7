/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "soft/service/spin.h"

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void it_ends_soon(void **state)
{
    const uint64_t limit = now_ns() + 60000000000u;
    struct soft_service_spin spin = {0};

    (void)state;
    assert_true(soft_service_spin(&spin));
    while (soft_service_spin(&spin))
        assert_true(now_ns() < limit);
}

static void who_does_not_get_his_turn_sleeps(void **state)
{
    struct soft_service_spin spin = {.crowded = now_ns() + 60000000000u};

    (void)state;
    assert_false(soft_service_spin(&spin));
    soft_service_spin_reset(&spin);
    assert_false(soft_service_spin(&spin));
}

static void after_work_it_begins_anew(void **state)
{
    struct soft_service_spin spin = {.idle_since = 1};

    (void)state;
    assert_false(soft_service_spin(&spin));
    spin.idle_since = 1;
    soft_service_spin_reset(&spin);
    assert_true(soft_service_spin(&spin));
}

static void a_pause_grows_while_no_try_does_better(void **state)
{
    struct soft_service_spin spin = {0};
    uint64_t now = 1000000000u, first, last;

    (void)state;
    soft_service_spin_late(&spin, now, now + 200000u);
    first = spin.pause;
    assert_int_equal(spin.crowded, now + 200000u + first);
    now = spin.crowded;
    soft_service_spin_late(&spin, now, now + 200000u);
    assert_int_equal(spin.pause, 2 * first);
    for (unsigned int i = 0; i < 64; i++) {
        last = spin.pause;
        now = spin.crowded;
        soft_service_spin_late(&spin, now, now + 200000u);
        assert_true(spin.pause >= last);
    }
    assert_true(spin.pause < 1000000000u);
    assert_int_equal(spin.pause, last);
    /* A time without trouble that was longer than the pause. */
    now = spin.crowded + 2 * spin.pause;
    soft_service_spin_late(&spin, now, now + 200000u);
    assert_int_equal(spin.pause, first);
}

static void find(struct soft_service_spin *spin, uint64_t turn)
{
    spin->turn = turn;
    soft_service_spin_found(spin);
}

static void who_gets_work_from_its_own_processor_sleeps_at_once(void **state)
{
    struct soft_service_spin spin = {0};
    unsigned int n = 0;

    (void)state;
    for (unsigned int i = 0; i < 100; i++) { /* now and then somebody else's turn is no sign */
        find(&spin, 5000);
        find(&spin, 5000);
        find(&spin, 300);
        assert_true(soft_service_spin(&spin));
        spin.crowded = 0; /* others may really have had the processor */
    }
    for (unsigned int i = 0; i < 4; i++)
        find(&spin, 5000);
    assert_false(soft_service_spin(&spin));
    /* It is tried again. */
    for (spin.turn = 0; !soft_service_spin(&spin); n++) {
        soft_service_spin_found(&spin);
        assert_true(n < 100000);
    }
    assert_true(n > 100);
}

static void in_the_midst_of_work_nobody_sleeps_at_once(void **state)
{
    struct soft_service_spin spin = {0};

    (void)state;
    for (unsigned int i = 0; i < 4; i++)
        find(&spin, 5000);
    assert_false(soft_service_spin(&spin));
    soft_service_spin_part(&spin);
    assert_true(soft_service_spin(&spin));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_soon),
        cmocka_unit_test(who_does_not_get_his_turn_sleeps),
        cmocka_unit_test(after_work_it_begins_anew),
        cmocka_unit_test(a_pause_grows_while_no_try_does_better),
        cmocka_unit_test(who_gets_work_from_its_own_processor_sleeps_at_once),
        cmocka_unit_test(in_the_midst_of_work_nobody_sleeps_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

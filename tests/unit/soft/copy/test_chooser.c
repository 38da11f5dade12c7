/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/copy/chooser.h"

/* One round of two options; the costs of what is timed repeat. Returns the best. */
static unsigned int after_a_round(bool mean, const unsigned int costs[2][3])
{
    const struct soft_chooser_plan plan = {
        .options = 2, .longest = {4, 4, 4}, .turn = 6, .mean = mean};
    struct soft_chooser chooser = {0};
    unsigned int timed[2] = {0};
    struct soft_chooser_pick pick;

    for (;;) {
        pick = soft_chooser_pick(&chooser, &plan, 1);
        if (pick.timing == SOFT_CHOOSER_WATCHED)
            return pick.option;
        if (pick.timing == SOFT_CHOOSER_TRIED)
            soft_chooser_learn(&chooser, pick, costs[pick.option][timed[pick.option]++ % 3]);
    }
}

static void turns_have_the_length_of_the_plan_and_the_second_half_is_timed(void **state)
{
    const struct soft_chooser_plan plan = {.options = 3, .longest = {4, 4, 4}, .turn = 4};
    struct soft_chooser chooser = {0};

    (void)state;
    for (unsigned int i = 0; i < 12; i++) {
        struct soft_chooser_pick pick = soft_chooser_pick(&chooser, &plan, 1);

        assert_int_equal(pick.option, i / 4);
        assert_int_equal(pick.timing, i % 4 < 2 ? SOFT_CHOOSER_UNTIMED : SOFT_CHOOSER_TRIED);
    }
}

static void rare_large_costs_count_only_for_the_mean(void **state)
{
    static const unsigned int costs[2][3] = {{100, 100, 9000}, {200, 200, 200}};

    (void)state;
    assert_int_equal(after_a_round(false, costs), 0);
    assert_int_equal(after_a_round(true, costs), 1);
}

static void an_option_without_samples_is_not_chosen(void **state)
{
    const struct soft_chooser_plan plan = {.options = 2, .longest = {4, 4, 4}, .turn = 4};
    struct soft_chooser chooser = {0};
    struct soft_chooser_pick pick;

    (void)state;
    do {
        pick = soft_chooser_pick(&chooser, &plan, 1);
        if (pick.option == 1 && pick.timing == SOFT_CHOOSER_TRIED)
            soft_chooser_learn(&chooser, pick, 1000000);
    } while (pick.timing != SOFT_CHOOSER_WATCHED);
    assert_int_equal(pick.option, 1);
}

/* Steps that are larger than a turn end it. */
static void large_steps_are_no_accident(void **state)
{
    const struct soft_chooser_plan plan = {.options = 3, .longest = {4, 4, 4}, .turn = 1000};
    struct soft_chooser chooser = {0};

    (void)state;
    for (unsigned int i = 0; i < 10000; i++) {
        struct soft_chooser_pick pick = soft_chooser_pick(&chooser, &plan, 1u << 30);

        assert_true(pick.option < 3);
        if (pick.timing != SOFT_CHOOSER_UNTIMED)
            soft_chooser_learn(&chooser, pick, UINT64_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_have_the_length_of_the_plan_and_the_second_half_is_timed),
        cmocka_unit_test(rare_large_costs_count_only_for_the_mean),
        cmocka_unit_test(an_option_without_samples_is_not_chosen),
        cmocka_unit_test(large_steps_are_no_accident),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

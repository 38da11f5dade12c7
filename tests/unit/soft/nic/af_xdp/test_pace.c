/* SPDX-License-Identifier: BSD-3-Clause */
/* When empty rings are looked at again, by a clock that the test sets. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/nic/af_xdp/module/pace.h"

#define STEP 100u /* ns between two looks */

static struct af_xdp_pace pace;
static uint64_t now;
static uint64_t looks, taken, came, longest;

static int begin(void **state)
{
    (void)state;
    memset(&pace, 0, sizeof(pace));
    now = 1000000;
    taken = 0;
    return 0;
}

/* As the port does: `at(t)` frames have come by t. */
static void look_for(uint64_t ns, uint64_t (*at)(uint64_t))
{
    const uint64_t end = now + ns;
    uint64_t last = now;

    if (taken == 0)
        taken = at(now);
    looks = came = longest = 0;
    for (; now < end; now += STEP) {
        uint64_t n = at(now) - taken;

        if (pace.until != 0) {
            if (af_xdp_pace_asks(&pace, now))
                af_xdp_pace_tell(&pace, now, (uint32_t)n);
            if (af_xdp_pace_waits(&pace, now))
                continue;
        }
        looks++;
        longest = now - last > longest ? now - last : longest;
        last = now;
        pace.frames += (uint32_t)n;
        came += n;
        taken += n;
        if (n == 0)
            af_xdp_pace_empty(&pace, now);
    }
}

static uint64_t every_3_us(uint64_t t)
{
    return t / 3000;
}

static uint64_t every_7_us(uint64_t t)
{
    return t / 7000;
}

/* Eight at once, which come when the ones before were seen. */
static uint64_t answered, asked;

static uint64_t after_answers(uint64_t t)
{
    if (taken != answered) { /* they were seen: the next ones take 5 us */
        answered = taken;
        asked = t + 5000;
    }
    return taken + (t >= asked ? 8 : 0);
}

static void frames_that_come_closely_are_waited_for(void **state)
{
    (void)state;
    look_for(100000, every_3_us);
    look_for(2000000, every_3_us);
    /* A look for the batch and an empty one, every window. */
    assert_in_range(looks, 150, 250);
    assert_in_range(came, 650, 670);
    assert_in_range(longest, 19000, 21000);
}

static void frames_that_come_now_and_then_are_seen_at_once(void **state)
{
    (void)state;
    look_for(2000000, every_7_us);
    assert_int_equal(looks, 2000000 / STEP);
    assert_int_equal(longest, STEP);
}

static void who_waits_for_answers_is_not_held_up(void **state)
{
    (void)state;
    answered = asked = 0;
    look_for(10000000, after_answers);
    /* Without waiting 8 in 5.1 us, with a wait for each 8 in 20 us. */
    assert_true(came > 8u * 10000000 / 5100 * 8 / 10);
}

static void a_sleeper_begins_anew(void **state)
{
    (void)state;
    look_for(100000, every_3_us);
    pace.until = 0; /* as before sleeping */
    now += 5000000;
    look_for(STEP, every_3_us);
    assert_int_equal(looks, 1);
    look_for(60000, every_7_us);
    assert_int_equal(longest, STEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(frames_that_come_closely_are_waited_for, begin),
        cmocka_unit_test_setup(frames_that_come_now_and_then_are_seen_at_once, begin),
        cmocka_unit_test_setup(who_waits_for_answers_is_not_held_up, begin),
        cmocka_unit_test_setup(a_sleeper_begins_anew, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/when.h"

static bool parse(const char *text, struct od_when *when)
{
    char copy[64];

    strcpy(copy, text);
    return od_when_parse(copy, when);
}

static unsigned int count(const char *text, uint64_t up_to)
{
    struct od_when when;
    uint64_t chance = 1;
    unsigned int n = 0;

    assert_true(parse(text, &when));
    for (uint64_t i = 1; i <= up_to; i++)
        n += od_when_applies(&when, i, &chance);
    return n;
}

static void each_form_names_its_ordinals(void **state)
{
    (void)state;
    assert_int_equal(count("3", 10), 1);
    assert_int_equal(count("3-5", 10), 3);
    assert_int_equal(count("3+", 10), 8);
    assert_int_equal(count("/4", 10), 2);
    assert_int_equal(count("0%", 1000), 0);
    assert_int_equal(count("100%", 1000), 1000);
    assert_in_range(count("25%", 10000), 2000, 3000);
}

static void nonsense_is_refused(void **state)
{
    static const char *const wrong[] = {"",   "0",    "x", "-3", "3-", "5-3", "/0",
                                        "/x", "101%", "%", "+",  "0+", "3 ",  "1-2-3"};
    struct od_when when;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(wrong); i++)
        assert_false(parse(wrong[i], &when));
}

static void times_have_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"7ns", 7}, {"20us", 20000}, {"2ms", 2000000}, {"1s", 1000000000}};
    static const char *const wrong[] = {"", "5", "s", "1h", "-1s", "18446744073s"};
    char copy[64];
    uint64_t ns;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(good); i++) {
        strcpy(copy, good[i].text);
        assert_true(od_when_parse_time(copy, &ns));
        assert_int_equal(ns, good[i].ns);
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(wrong); i++) {
        strcpy(copy, wrong[i]);
        assert_false(od_when_parse_time(copy, &ns));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_names_its_ordinals),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(times_have_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

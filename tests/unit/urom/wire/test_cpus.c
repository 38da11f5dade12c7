/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/wire/cpus.h"

static void a_list_is_read_and_written_back(void **state)
{
    static const char *const lists[] = {"0", "0-7", "1,3,5-9,1023", "1022-1023"};
    struct urom_cpus cpus;
    char text[64];

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(lists); i++) {
        assert_int_equal(urom_cpus_parse(lists[i], &cpus), 0);
        urom_cpus_format(&cpus, text, sizeof(text));
        assert_string_equal(text, lists[i]);
    }
    assert_int_equal(urom_cpus_parse("3,1,2", &cpus), 0);
    urom_cpus_format(&cpus, text, sizeof(text));
    assert_string_equal(text, "1-3");
}

static void what_is_no_list_is_refused_and_writes_nothing(void **state)
{
    static const char *const bad[] = {"", ",", "1,", "-3", "3-1", "1-", "a", "1 ", "00001", "1--2"};
    struct urom_cpus cpus, before;

    (void)state;
    memset(&cpus, 0x5a, sizeof(cpus));
    before = cpus;
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++)
        assert_int_equal(urom_cpus_parse(bad[i], &cpus), -EINVAL);
    assert_int_equal(urom_cpus_parse("1024", &cpus), -ERANGE);
    assert_int_equal(urom_cpus_parse("0-1024", &cpus), -ERANGE);
    assert_memory_equal(&cpus, &before, sizeof(cpus));
}

static void sets_are_compared(void **state)
{
    struct urom_cpus whole, part, none = {{0}};

    (void)state;
    assert_int_equal(urom_cpus_parse("0-7", &whole), 0);
    assert_int_equal(urom_cpus_parse("2,7", &part), 0);
    assert_true(urom_cpus_covers(&whole, &part));
    assert_false(urom_cpus_covers(&part, &whole));
    assert_true(urom_cpus_covers(&whole, &none));
    assert_true(urom_cpus_is_empty(&none));
    assert_false(urom_cpus_is_empty(&part));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read_and_written_back),
        cmocka_unit_test(what_is_no_list_is_refused_and_writes_nothing),
        cmocka_unit_test(sets_are_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp_fixture.h"

#include <locale.h>

/* One flag -x of the type, given this value. */
static doca_error_t convert(enum doca_argp_type type, const char *text)
{
    doca_error_t err;

    assert_int_equal(init_parser(NULL), 0);
    add_param("x", NULL, type, 0);
    err = START("-x", text);
    assert_int_equal(destroy_parser(NULL), 0);
    return err;
}

static void accept(enum doca_argp_type type, const char *text, const char *expected)
{
    assert_int_equal(convert(type, text), DOCA_SUCCESS);
    assert_string_equal(journal.text, expected);
}

static void refuse(enum doca_argp_type type, const char *text)
{
    assert_int_equal(convert(type, text), DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "");
}

static void integers_are_decimal_and_of_32_bits(void **state)
{
    static const char *const bad[] = {"0x40",
                                      "12abc",
                                      "",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "-",
                                      "+",
                                      "2147483648",
                                      "x",
                                      "-2147483649",
                                      "--1",
                                      "99999999999999999999"};

    (void)state;
    accept(DOCA_ARGP_TYPE_INT, "0", "int 0; ");
    accept(DOCA_ARGP_TYPE_INT, "+7", "int 7; ");
    accept(DOCA_ARGP_TYPE_INT, "-7", "int -7; ");
    accept(DOCA_ARGP_TYPE_INT, "010", "int 10; ");
    accept(DOCA_ARGP_TYPE_INT, "2147483647", "int 2147483647; ");
    accept(DOCA_ARGP_TYPE_INT, "-2147483648", "int -2147483648; ");
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++)
        refuse(DOCA_ARGP_TYPE_INT, bad[i]);
}

static void doubles_are_decimal_and_finite(void **state)
{
    static const char *const bad[] = {"",   "x",   "0x1p3", "nan", "inf", "1e999",
                                      " 1", "1,5", "1.5x",  "-",   "e5",  "1.5.2"};

    (void)state;
    accept(DOCA_ARGP_TYPE_DOUBLE, "2.5", "double 2.5; ");
    accept(DOCA_ARGP_TYPE_DOUBLE, "-1e-3", "double -0.001; ");
    accept(DOCA_ARGP_TYPE_DOUBLE, "+3", "double 3; ");
    accept(DOCA_ARGP_TYPE_DOUBLE, ".5", "double 0.5; ");
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++)
        refuse(DOCA_ARGP_TYPE_DOUBLE, bad[i]);
}

static doca_error_t on_half(void *value, void *config)
{
    (void)config;
    assert_true(*(double *)value == 0.5);
    return DOCA_SUCCESS;
}

static void doubles_ignore_the_programs_locale(void **state)
{
    struct doca_argp_param *param;

    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        skip();
    assert_int_equal(init_parser(NULL), 0);
    param = make_param("x", NULL, DOCA_ARGP_TYPE_DOUBLE, 0);
    doca_argp_param_set_callback(param, on_half);
    assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
    assert_int_equal(START("-x", "0.5"), DOCA_SUCCESS);
    assert_int_equal(destroy_parser(NULL), 0);
    setlocale(LC_NUMERIC, "C");
}

static void strings_are_verbatim(void **state)
{
    (void)state;
    accept(DOCA_ARGP_TYPE_STRING, "", "string ; ");
    accept(DOCA_ARGP_TYPE_STRING, " a \"b\" ", "string  a \"b\" ; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_decimal_and_of_32_bits),
        cmocka_unit_test(doubles_are_decimal_and_finite),
        cmocka_unit_test(doubles_ignore_the_programs_locale),
        cmocka_unit_test(strings_are_verbatim),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

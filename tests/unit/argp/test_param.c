/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp_fixture.h"

enum field {
    FIELD_NAME,
    FIELD_DESCRIPTION,
    FIELD_CALLBACK,
    FIELD_TYPE,
    FIELD_NONE,
};

static struct doca_argp_param *param_without(enum field missing)
{
    struct doca_argp_param *param;

    assert_int_equal(doca_argp_param_create(&param), DOCA_SUCCESS);
    if (missing != FIELD_NAME)
        doca_argp_param_set_long_name(param, "text");
    if (missing != FIELD_DESCRIPTION)
        doca_argp_param_set_description(param, "a text");
    if (missing != FIELD_CALLBACK)
        doca_argp_param_set_callback(param, on_string);
    if (missing != FIELD_TYPE)
        doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
    return param;
}

static void each_needed_field_is_needed(void **state)
{
    (void)state;
    for (int missing = FIELD_NAME; missing < FIELD_NONE; missing++)
        assert_int_equal(doca_argp_register_param(param_without((enum field)missing)),
                         DOCA_ERROR_INITIALIZATION);
    assert_int_equal(doca_argp_register_param(param_without(FIELD_NONE)), DOCA_SUCCESS);
}

static void null_is_refused(void **state)
{
    (void)state;
    assert_int_equal(doca_argp_param_create(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_register_param(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_param_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    doca_argp_param_set_long_name(NULL, "text");
}

static void names_are_unique_and_not_reserved(void **state)
{
    static const char *const reserved[][2] = {
        {"h", NULL},    {"v", NULL},       {"l", NULL},         {"j", NULL},
        {NULL, "help"}, {NULL, "version"}, {NULL, "log-level"}, {NULL, "sdk-log-level"},
        {NULL, "json"},
    };

    (void)state;
    add_param("p", "pci-addr", DOCA_ARGP_TYPE_STRING, 0);
    assert_int_equal(doca_argp_register_param(make_param("p", "other", DOCA_ARGP_TYPE_STRING, 0)),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(
        doca_argp_register_param(make_param("o", "pci-addr", DOCA_ARGP_TYPE_STRING, 0)),
        DOCA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < OD_ARRAY_SIZE(reserved); i++)
        assert_int_equal(doca_argp_register_param(
                             make_param(reserved[i][0], reserved[i][1], DOCA_ARGP_TYPE_STRING, 0)),
                         DOCA_ERROR_INVALID_VALUE);
    /* Free for programs. */
    add_param("d", "device", DOCA_ARGP_TYPE_STRING, 0);
    add_param("r", "representor", DOCA_ARGP_TYPE_STRING, 0);
    add_param(NULL, "rep-list", DOCA_ARGP_TYPE_STRING, 0);
}

static void malformed_names_and_types_are_refused(void **state)
{
    static const char *const names[][2] = {
        {"", NULL}, {"-s", NULL}, {NULL, ""}, {NULL, "--long"}, {NULL, "a=b"},
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(names); i++)
        assert_int_equal(doca_argp_register_param(
                             make_param(names[i][0], names[i][1], DOCA_ARGP_TYPE_STRING, 0)),
                         DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_register_param(make_param("s", NULL, (enum doca_argp_type)7, 0)),
                     DOCA_ERROR_INVALID_VALUE);
}

static void registered_params_are_the_parsers(void **state)
{
    struct doca_argp_param *param = make_param("t", "text", DOCA_ARGP_TYPE_STRING, 0);

    (void)state;
    assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
    doca_argp_param_set_long_name(param, "renamed");
    assert_int_equal(START("--text", "x"), DOCA_SUCCESS);
}

static void refused_params_are_the_parsers_too(void **state)
{
    struct doca_argp_param *param = param_without(FIELD_TYPE);

    (void)state;
    assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
    assert_int_equal(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
}

static void params_that_were_never_registered_are_the_programs(void **state)
{
    struct doca_argp_param *kept, *destroyed;

    (void)state;
    assert_int_equal(init_parser(NULL), 0);
    kept = make_param("k", NULL, DOCA_ARGP_TYPE_INT, 0);
    destroyed = make_param("d", NULL, DOCA_ARGP_TYPE_INT, 0);
    assert_int_equal(doca_argp_param_destroy(destroyed), DOCA_SUCCESS);
    assert_int_equal(destroy_parser(NULL), 0);
    assert_int_equal(doca_argp_param_destroy(kept), DOCA_SUCCESS);
}

static void registering_without_a_parser_takes_the_param_over(void **state)
{
    struct doca_argp_param *param;

    (void)state;
    assert_int_equal(init_parser(NULL), 0);
    param = make_param("k", NULL, DOCA_ARGP_TYPE_INT, 0);
    assert_int_equal(destroy_parser(NULL), 0);
    assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
    /* Freed with the next parser. */
    assert_int_equal(init_parser(NULL), 0);
    assert_int_equal(destroy_parser(NULL), 0);
}

static void setters_copy(void **state)
{
    char name[] = "text";
    struct doca_argp_param *param = make_param(NULL, "other", DOCA_ARGP_TYPE_STRING, 0);

    (void)state;
    doca_argp_param_set_long_name(param, name);
    name[0] = 'n';
    assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
    assert_int_equal(START("--text", "x"), DOCA_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_needed_field_is_needed, init_parser, destroy_parser),
        cmocka_unit_test_setup_teardown(null_is_refused, init_parser, destroy_parser),
        cmocka_unit_test_setup_teardown(names_are_unique_and_not_reserved, init_parser,
                                        destroy_parser),
        cmocka_unit_test_setup_teardown(malformed_names_and_types_are_refused, init_parser,
                                        destroy_parser),
        cmocka_unit_test_setup_teardown(registered_params_are_the_parsers, init_parser,
                                        destroy_parser),
        cmocka_unit_test_setup_teardown(refused_params_are_the_parsers_too, init_parser,
                                        destroy_parser),
        cmocka_unit_test(params_that_were_never_registered_are_the_programs),
        cmocka_unit_test(registering_without_a_parser_takes_the_param_over),
        cmocka_unit_test_setup_teardown(setters_copy, init_parser, destroy_parser),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line, and the checks that see all of it. */
#include "argp_fixture.h"

/* The flags of the DMA samples, and one of each other kind. */
static void register_flags(void)
{
    add_param("p", "pci-addr", DOCA_ARGP_TYPE_STRING, 0);
    add_param("ns", "num-src-buf", DOCA_ARGP_TYPE_INT, 0);
    add_param("nd", "num-dst-buf", DOCA_ARGP_TYPE_INT, 0);
    add_param("n", NULL, DOCA_ARGP_TYPE_INT, MULTIPLE);
    add_param(NULL, "async", DOCA_ARGP_TYPE_BOOLEAN, 0);
    add_param("pf_dev", NULL, DOCA_ARGP_TYPE_STRING, 0);
    add_param("o", "only", DOCA_ARGP_TYPE_BOOLEAN, SINGULAR);
    add_param(NULL, "secret", DOCA_ARGP_TYPE_INT, HIDDEN);
}

static int init_flags(void **state)
{
    int err = init_parser(state);

    if (err == 0)
        register_flags();
    return err;
}

static void callbacks_run_in_order_of_appearance(void **state)
{
    (void)state;
    assert_int_equal(START("--async", "-nd", "2", "-p", "03:00.0", "-ns", "3"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "bool true; int 2; string 03:00.0; int 3; ");
}

static void long_flags_take_both_forms(void **state)
{
    (void)state;
    assert_int_equal(START("--num-src-buf", "3", "--num-dst-buf=4", "--pci-addr=a=b"),
                     DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 3; int 4; string a=b; ");
}

static void short_names_are_matched_whole(void **state)
{
    (void)state;
    assert_int_equal(START("-n", "1", "-ns", "2", "-pf_dev", "x"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 1; int 2; string x; ");
}

static void short_flags_do_not_cluster(void **state)
{
    (void)state;
    assert_int_equal(START("-n1"), DOCA_ERROR_NOT_SUPPORTED);
}

static void short_names_are_not_long_names(void **state)
{
    (void)state;
    assert_int_equal(START("--p", "x"), DOCA_ERROR_NOT_SUPPORTED);
}

static void long_names_are_not_abbreviated(void **state)
{
    (void)state;
    assert_int_equal(START("--pci", "x"), DOCA_ERROR_NOT_SUPPORTED);
}

static void values_may_begin_with_a_dash(void **state)
{
    (void)state;
    assert_int_equal(START("-p", "-ns", "-ns", "-3"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "string -ns; int -3; ");
}

static void values_are_taken_verbatim(void **state)
{
    (void)state;
    assert_int_equal(START("-p", "", "-pf_dev", "--"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "string ; string --; ");
}

static void a_value_may_look_like_help(void **state)
{
    (void)state;
    assert_int_equal(START("-p", "-h"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "string -h; ");
}

static void hidden_flags_work(void **state)
{
    (void)state;
    assert_int_equal(START("--secret", "5"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 5; ");
}

static void missing_values_are_invalid(void **state)
{
    (void)state;
    assert_int_equal(START("-nd", "4", "-ns"), DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "int 4; ");
}

static void booleans_take_no_value(void **state)
{
    (void)state;
    assert_int_equal(START("--async=true"), DOCA_ERROR_INVALID_VALUE);
}

static void repeating_needs_multiplicity(void **state)
{
    (void)state;
    assert_int_equal(START("-n", "1", "-n", "2", "-ns", "3", "--num-src-buf", "4"),
                     DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "int 1; int 2; int 3; ");
}

static void built_in_flags_are_not_repeated(void **state)
{
    (void)state;
    assert_int_equal(START("-l", "50", "-l", "50"), DOCA_ERROR_INVALID_VALUE);
}

static void parsing_stops_at_the_first_error(void **state)
{
    (void)state;
    assert_int_equal(START("-nd", "1", "--nope", "-ns", "2"), DOCA_ERROR_NOT_SUPPORTED);
    assert_string_equal(journal.text, "int 1; ");
}

static void failures_of_callbacks_are_returned_unchanged(void **state)
{
    (void)state;
    journal.answer = DOCA_ERROR_CONNECTION_RESET;
    assert_int_equal(START("-nd", "1", "-ns", "2"), DOCA_ERROR_CONNECTION_RESET);
    assert_string_equal(journal.text, "int 1; ");
}

static void positional_words_are_not_supported(void **state)
{
    (void)state;
    assert_int_equal(START("-nd", "1", "word"), DOCA_ERROR_NOT_SUPPORTED);
}

static void a_lone_dash_is_a_word(void **state)
{
    (void)state;
    assert_int_equal(START("-"), DOCA_ERROR_NOT_SUPPORTED);
}

static void two_dashes_end_the_flags(void **state)
{
    (void)state;
    assert_int_equal(START("-nd", "1", "--"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 1; ");
}

static void no_flag_is_known_behind_two_dashes(void **state)
{
    (void)state;
    assert_int_equal(START("--", "-nd", "1"), DOCA_ERROR_NOT_SUPPORTED);
}

static void mandatory_params_must_appear(void **state)
{
    (void)state;
    add_param("f", "file", DOCA_ARGP_TYPE_STRING, MANDATORY);
    assert_int_equal(START("-nd", "1"), DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "int 1; ");
}

static void a_singular_flag_stands_alone(void **state)
{
    (void)state;
    assert_int_equal(START("-o", "-l", "50", "--sdk-log-level", "40"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "bool true; ");
}

static void a_singular_flag_suffers_none_before(void **state)
{
    (void)state;
    assert_int_equal(START("-nd", "1", "-o"), DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "int 1; ");
}

static void a_singular_flag_suffers_none_behind(void **state)
{
    (void)state;
    assert_int_equal(START("-o", "-nd", "1"), DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "bool true; ");
}

static void a_singular_flag_excuses_mandatory_ones(void **state)
{
    (void)state;
    add_param("f", "file", DOCA_ARGP_TYPE_STRING, MANDATORY);
    assert_int_equal(START("--only"), DOCA_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------
 * What the user reads
 */

static void expect_error(doca_error_t code, const char *const *args, const char *text)
{
    struct outcome outcome = run_child(register_flags, args);

    assert_int_equal(outcome.status, RETURNED + (int)code);
    assert_string_equal(outcome.out, "");
    assert_contains(outcome.err, text);
    assert_contains(outcome.err, "Usage: prog");
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void errors_name_the_flag_and_show_the_usage(void **state)
{
    (void)state;
    expect_error(DOCA_ERROR_NOT_SUPPORTED, ARGS("--nope"), "prog: --nope is an unknown flag\n");
    expect_error(DOCA_ERROR_INVALID_VALUE, ARGS("-ns", "x"),
                 "prog: -ns, --num-src-buf is \"x\"; expected a decimal integer");
    expect_error(DOCA_ERROR_INVALID_VALUE, ARGS("-ns", "0x3"), "-ns, --num-src-buf is \"0x3\"");
    expect_error(DOCA_ERROR_INVALID_VALUE, ARGS("-ns"), "-ns is without its value");
    expect_error(DOCA_ERROR_INVALID_VALUE, ARGS("-ns", "1", "-ns", "2"),
                 "-ns, --num-src-buf is repeated");
    expect_error(DOCA_ERROR_INVALID_VALUE, ARGS("--async=1"),
                 "--async=1 is a flag without a value");
    expect_error(DOCA_ERROR_INVALID_VALUE, ARGS("-o", "-ns", "2"),
                 "-ns, --num-src-buf is not allowed together with \"only\"");
    expect_error(DOCA_ERROR_NOT_SUPPORTED, ARGS("word"), "word is an unknown command");
}

static void with_mandatory(void)
{
    register_flags();
    add_param("f", "file", DOCA_ARGP_TYPE_STRING, MANDATORY);
}

static void a_missing_mandatory_flag_is_named(void **state)
{
    struct outcome outcome = RUN(with_mandatory, "-ns", "1");

    (void)state;
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_INVALID_VALUE);
    assert_contains(outcome.err, "-f, --file is mandatory but missing");
}

static doca_error_t refuse(void *value, void *config)
{
    (void)value;
    (void)config;
    return DOCA_ERROR_NOT_FOUND;
}

static void with_refusing_callback(void)
{
    struct doca_argp_param *param = make_param("x", NULL, DOCA_ARGP_TYPE_STRING, 0);

    doca_argp_param_set_callback(param, refuse);
    assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
}

static void failing_callbacks_speak_for_themselves(void **state)
{
    struct outcome outcome = RUN(with_refusing_callback, "-x", "1");

    (void)state;
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_NOT_FOUND);
    assert_string_equal(outcome.err, "");
}

static void overlong_values_do_not_hide_what_was_expected(void **state)
{
    char value[5000];
    struct outcome outcome;

    (void)state;
    memset(value, 'x', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    outcome = RUN(register_flags, "-ns", value);
    assert_contains(outcome.err, "; expected a decimal integer");
}

#define FLAGS_TEST(name) cmocka_unit_test_setup_teardown(name, init_flags, destroy_parser)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLAGS_TEST(callbacks_run_in_order_of_appearance),
        FLAGS_TEST(long_flags_take_both_forms),
        FLAGS_TEST(short_names_are_matched_whole),
        FLAGS_TEST(short_flags_do_not_cluster),
        FLAGS_TEST(short_names_are_not_long_names),
        FLAGS_TEST(long_names_are_not_abbreviated),
        FLAGS_TEST(values_may_begin_with_a_dash),
        FLAGS_TEST(values_are_taken_verbatim),
        FLAGS_TEST(a_value_may_look_like_help),
        FLAGS_TEST(hidden_flags_work),
        FLAGS_TEST(missing_values_are_invalid),
        FLAGS_TEST(booleans_take_no_value),
        FLAGS_TEST(repeating_needs_multiplicity),
        FLAGS_TEST(built_in_flags_are_not_repeated),
        FLAGS_TEST(parsing_stops_at_the_first_error),
        FLAGS_TEST(failures_of_callbacks_are_returned_unchanged),
        FLAGS_TEST(positional_words_are_not_supported),
        FLAGS_TEST(a_lone_dash_is_a_word),
        FLAGS_TEST(two_dashes_end_the_flags),
        FLAGS_TEST(no_flag_is_known_behind_two_dashes),
        FLAGS_TEST(mandatory_params_must_appear),
        FLAGS_TEST(a_singular_flag_stands_alone),
        FLAGS_TEST(a_singular_flag_suffers_none_before),
        FLAGS_TEST(a_singular_flag_suffers_none_behind),
        FLAGS_TEST(a_singular_flag_excuses_mandatory_ones),
        cmocka_unit_test(errors_name_the_flag_and_show_the_usage),
        cmocka_unit_test(a_missing_mandatory_flag_is_named),
        cmocka_unit_test(failing_callbacks_speak_for_themselves),
        cmocka_unit_test(overlong_values_do_not_hide_what_was_expected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

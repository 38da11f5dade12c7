/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp_fixture.h"

static doca_error_t on_dpdk(int argc, char **argv)
{
    assert_null(argv[argc]);
    for (int i = 0; i < argc; i++)
        note(&journal, "[%s]", argv[i]);
    return journal.answer;
}

static int init_dpdk(void **state)
{
    int err = init_parser(state);

    doca_argp_set_dpdk_program(on_dpdk);
    doca_argp_set_dpdk_program(NULL);
    add_param("l2", "num", DOCA_ARGP_TYPE_INT, 0);
    return err;
}

static void what_precedes_the_dashes_is_for_dpdk(void **state)
{
    (void)state;
    assert_int_equal(START("-a", "03:00.0", "-l", "0-3", "--", "-l2", "5"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 5; [/usr/bin/prog][-a][03:00.0][-l][0-3]");
}

static void only_the_name_with_nothing_before_the_dashes(void **state)
{
    (void)state;
    assert_int_equal(START("--", "-l2", "5"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 5; [/usr/bin/prog]");
}

static void without_dashes_all_is_the_programs(void **state)
{
    (void)state;
    assert_int_equal(START("-l2", "5"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 5; ");
}

static void dpdk_waits_for_a_successful_parsing(void **state)
{
    (void)state;
    assert_int_equal(START("-a", "03:00.0", "--", "--nope"), DOCA_ERROR_NOT_SUPPORTED);
    assert_string_equal(journal.text, "");
}

static void failure_of_dpdk_is_returned(void **state)
{
    (void)state;
    journal.answer = DOCA_ERROR_DRIVER;
    assert_int_equal(START("-a", "03:00.0", "--"), DOCA_ERROR_DRIVER);
}

static void the_json_section_comes_first(void **state)
{
    char *path = make_file("{\"doca_dpdk_flags\": {\"a\": [\"03:00.0\", \"03:00.1\"],"
                           " \"in-memory\": true, \"no-huge\": false, \"file-prefix\": \"x\","
                           " \"n\": 4}, \"doca_program_flags\": {\"num\": 5}}");

    (void)state;
    assert_int_equal(START("-l", "0", "--", "-j", path), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 5; [/usr/bin/prog][-a][03:00.0][-a][03:00.1]"
                                      "[--in-memory][--file-prefix=x][-n][4][-l][0]");
    remove_file(path);
}

static void the_json_section_needs_no_dashes(void **state)
{
    char *path = make_file("{\"doca_dpdk_flags\": {\"a\": \"03:00.0\"}}");

    (void)state;
    assert_int_equal(START("-j", path), DOCA_SUCCESS);
    assert_string_equal(journal.text, "[/usr/bin/prog][-a][03:00.0]");
    remove_file(path);
}

static void the_json_section_is_checked(void **state)
{
    char *path = make_file("{\"doca_dpdk_flags\": {\"a\": \"03:00.0\", \"b\": [[]]}}");

    (void)state;
    assert_int_equal(START("-j", path), DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "");
    remove_file(path);
}

static void as_dpdk_program(void)
{
    doca_argp_set_dpdk_program(on_dpdk);
}

static void help_shows_the_dashes(void **state)
{
    struct outcome outcome = RUN(as_dpdk_program, "-h");

    (void)state;
    assert_int_equal(outcome.status, 0);
    assert_contains(outcome.out, "Usage: prog [DPDK Flags] -- [DOCA Flags] [Program Flags]");
}

#define DPDK_TEST(name) cmocka_unit_test_setup_teardown(name, init_dpdk, destroy_parser)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DPDK_TEST(what_precedes_the_dashes_is_for_dpdk),
        DPDK_TEST(only_the_name_with_nothing_before_the_dashes),
        DPDK_TEST(without_dashes_all_is_the_programs),
        DPDK_TEST(dpdk_waits_for_a_successful_parsing),
        DPDK_TEST(failure_of_dpdk_is_returned),
        DPDK_TEST(the_json_section_comes_first),
        DPDK_TEST(the_json_section_needs_no_dashes),
        DPDK_TEST(the_json_section_is_checked),
        cmocka_unit_test(help_shows_the_dashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp_fixture.h"

#include <sys/stat.h>

static void register_flags(void)
{
    add_param("t", "text", DOCA_ARGP_TYPE_STRING, 0);
    add_param("n", "num", DOCA_ARGP_TYPE_INT, 0);
    add_param("b", "flag", DOCA_ARGP_TYPE_BOOLEAN, 0);
    add_param("d", "ratio", DOCA_ARGP_TYPE_DOUBLE, 0);
    add_param("m", "many", DOCA_ARGP_TYPE_INT, MULTIPLE);
    add_param("c", "cli", DOCA_ARGP_TYPE_INT, CLI_ONLY);
    add_param("s", NULL, DOCA_ARGP_TYPE_INT, 0);
    add_param("o", "only", DOCA_ARGP_TYPE_BOOLEAN, SINGULAR);
}

/* Starts a parser with the flags above on a file of this text, with further arguments behind. */
static doca_error_t start_json(const char *text, const char *const *args)
{
    char *path = make_file(text);
    const char *all[MAX_ARGS] = {"-j", path};
    doca_error_t err;

    assert_int_equal(init_parser(NULL), 0);
    register_flags();
    for (size_t i = 0; args[i] != NULL && i < MAX_ARGS - 3; i++)
        all[i + 2] = args[i];
    err = start_args(all);
    assert_int_equal(destroy_parser(NULL), 0);
    remove_file(path);
    return err;
}

#define JSON(text) start_json(text, (const char *const[]){NULL})

static void accept(const char *text, const char *expected)
{
    assert_int_equal(JSON(text), DOCA_SUCCESS);
    assert_string_equal(journal.text, expected);
}

static void refuse(const char *text, doca_error_t code)
{
    assert_int_equal(JSON(text), code);
    assert_string_equal(journal.text, "");
}

static void sections_and_flat_objects(void **state)
{
    int level = 0;

    (void)state;
    accept("{\"doca_program_flags\": {\"text\": \"x\", \"num\": 3}}", "string x; int 3; ");
    accept("{\"doca_program_flags\": {}, \"doca_general_flags\": {\"log-level\": 60}}", "");
    accept("{\"num\": 3, \"text\": \"x\", \"log-level\": 50, \"sdk-log-level\": \"warning\"}",
           "int 3; string x; ");
    accept("{}", "");
    assert_int_equal(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    assert_int_equal(level, DOCA_LOG_LEVEL_INFO);
    assert_int_equal(doca_argp_get_sdk_log_level(&level), DOCA_SUCCESS);
    assert_int_equal(level, DOCA_LOG_LEVEL_WARNING);
}

static void each_type(void **state)
{
    (void)state;
    accept("{\"flag\": true}", "bool true; ");
    accept("{\"flag\": false}", "bool false; ");
    accept("{\"ratio\": 0.5}", "double 0.5; ");
    accept("{\"ratio\": 2}", "double 2; ");
    accept("{\"num\": -2147483648}", "int -2147483648; ");
    accept("{\"text\": \"\"}", "string ; ");
    accept("{\"many\": [1, 2, 3]}", "int 1; int 2; int 3; ");
    accept("{\"many\": 1}", "int 1; ");
    accept("{\"many\": []}", "");
}

static void comments_are_tolerated(void **state)
{
    (void)state;
    accept("// head\n{ /* a\n b */ \"text\": \"// x /* y */\", // tail\n \"num\": 3 }\n/* end */",
           "string // x /* y */; int 3; ");
}

static void wrong_types_are_invalid(void **state)
{
    static const char *const texts[] = {
        "{\"num\": \"3\"}",
        "{\"num\": 3.0}",
        "{\"num\": true}",
        "{\"num\": null}",
        "{\"num\": [3]}",
        "{\"num\": {}}",
        "{\"text\": 3}",
        "{\"text\": [\"x\"]}",
        "{\"flag\": 1}",
        "{\"flag\": \"true\"}",
        "{\"ratio\": \"2\"}",
        "{\"many\": [\"1\"]}",
        "{\"num\": 2147483648}",
        "{\"num\": 99999999999999999999}",
        "{\"log-level\": 55}",
        "{\"log-level\": true}",
        "{\"log-level\": \"loud\"}",
        "{\"doca_program_flags\": 3}",
        "{\"doca_general_flags\": []}",
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(texts); i++)
        refuse(texts[i], DOCA_ERROR_INVALID_VALUE);
}

static void unknown_keys_and_sections_are_not_supported(void **state)
{
    static const char *const texts[] = {
        "{\"nope\": 1}",
        "{\"n\": 1}",   /* a short name */
        "{\"cli\": 1}", /* for the command line only */
        "{\"s\": 1}",
        "{\"help\": true}",
        "{\"version\": true}",
        "{\"json\": \"x\"}",
        "{\"doca_program_flags\": {\"nope\": 1}}",
        "{\"doca_program_flags\": {\"log-level\": 50}}",
        "{\"doca_general_flags\": {\"num\": 1}}",
        "{\"doca_general_flags\": {\"json\": \"x\"}}",
        "{\"doca_other_flags\": {}}",
        "{\"doca_other_flags\": {}, \"doca_program_flags\": {}}",
        "{\"doca_dpdk_flags\": {}}", /* no DPDK program */
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(texts); i++)
        refuse(texts[i], DOCA_ERROR_NOT_SUPPORTED);
}

static void lenient(void)
{
    register_flags();
    assert_int_equal(doca_argp_disable_pedantic_config_parsing(), DOCA_SUCCESS);
}

static void unknown_keys_may_be_passed_over(void **state)
{
    char *path = make_file("{\"doca_dpdk_flags\": {\"a\": 1}, \"x\": 1,"
                           " \"doca_program_flags\": {\"nope\": 1, \"num\": 3}}");

    (void)state;
    assert_int_equal(init_parser(NULL), 0);
    lenient();
    assert_int_equal(START("-j", path), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 3; ");
    assert_int_equal(destroy_parser(NULL), 0);
    remove_file(path);
}

static void what_is_no_json_object_fails_io(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "3",
        "\"x\"",
        "{\"num\": 1} x",
        "{\"num\": 1,}",
        "{num: 1}",
        "/* {}",
        "//",
        "null",
        "{\"text\": \"\\u0000\"}",
        "{\"text\": \"\xff\"}",
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(texts); i++)
        refuse(texts[i], DOCA_ERROR_IO_FAILED);
}

static void repeated_keys_are_invalid(void **state)
{
    (void)state;
    refuse("{\"num\": 1, \"num\": 2}", DOCA_ERROR_INVALID_VALUE);
}

static void deep_nesting_is_refused(void **state)
{
    size_t depth = 100000;
    char *text = malloc(depth + 16);

    (void)state;
    memcpy(text, "{\"num\": ", 8);
    memset(text + 8, '[', depth);
    text[8 + depth] = '\0';
    refuse(text, DOCA_ERROR_IO_FAILED);
    free(text);
}

static doca_error_t start_path(const char *path)
{
    doca_error_t err;

    assert_int_equal(init_parser(NULL), 0);
    register_flags();
    err = START("--json", path);
    assert_int_equal(destroy_parser(NULL), 0);
    return err;
}

static void unreadable_files_fail_io(void **state)
{
    char *fifo = make_file("");

    (void)state;
    assert_int_equal(start_path("/nonexistent/params.json"), DOCA_ERROR_IO_FAILED);
    assert_int_equal(start_path(""), DOCA_ERROR_IO_FAILED);
    assert_int_equal(start_path("/tmp"), DOCA_ERROR_IO_FAILED);
    assert_int_equal(start_path("/dev/zero"), DOCA_ERROR_IO_FAILED);
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(start_path(fifo), DOCA_ERROR_IO_FAILED);
    remove_file(fifo);
}

static void oversized_files_fail_io(void **state)
{
    char *path = make_file("{}");

    (void)state;
    assert_int_equal(truncate(path, 1ll << 40), 0);
    assert_int_equal(start_path(path), DOCA_ERROR_IO_FAILED);
    remove_file(path);
}

static void the_command_line_comes_second(void **state)
{
    (void)state;
    assert_int_equal(
        start_json("{\"num\": 3, \"text\": \"x\"}", (const char *const[]){"-n", "4", NULL}),
        DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 3; string x; int 4; ");
}

static void the_file_is_read_before_flags_in_front_of_it(void **state)
{
    char *path = make_file("{\"num\": 3}");

    (void)state;
    assert_int_equal(init_parser(NULL), 0);
    register_flags();
    assert_int_equal(START("-t", "x", "-j", path), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 3; string x; ");
    assert_int_equal(destroy_parser(NULL), 0);
    remove_file(path);
}

static void a_flag_for_the_log_wins_over_the_file(void **state)
{
    char *path = make_file("{\"log-level\": 60}");
    int level = 0;

    (void)state;
    assert_int_equal(init_parser(NULL), 0);
    assert_int_equal(START("-l", "40", "-j", path), DOCA_SUCCESS);
    assert_int_equal(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    assert_int_equal(level, 40);
    assert_int_equal(destroy_parser(NULL), 0);
    remove_file(path);
}

static void the_file_is_named_once(void **state)
{
    (void)state;
    assert_int_equal(start_json("{}", (const char *const[]){"-j", "/dev/null", NULL}),
                     DOCA_ERROR_INVALID_VALUE);
}

static void mandatory_params_may_come_from_the_file(void **state)
{
    char *path = make_file("{\"must\": 1}");

    (void)state;
    assert_int_equal(init_parser(NULL), 0);
    add_param(NULL, "must", DOCA_ARGP_TYPE_INT, MANDATORY);
    assert_int_equal(START("-j", path), DOCA_SUCCESS);
    assert_int_equal(destroy_parser(NULL), 0);
    remove_file(path);
}

static void singular_holds_for_the_file_too(void **state)
{
    (void)state;
    accept("{\"only\": true, \"log-level\": 50}", "bool true; ");
    assert_int_equal(JSON("{\"only\": true, \"num\": 1}"), DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "bool true; ");
    assert_int_equal(start_json("{\"num\": 1}", (const char *const[]){"-o", NULL}),
                     DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "int 1; ");
}

static void failures_of_callbacks_stop_the_file(void **state)
{
    char *path = make_file("{\"num\": 1, \"text\": \"x\"}");

    (void)state;
    assert_int_equal(init_parser(NULL), 0);
    register_flags();
    journal.answer = DOCA_ERROR_TIME_OUT;
    assert_int_equal(START("-j", path, "-n", "2"), DOCA_ERROR_TIME_OUT);
    assert_string_equal(journal.text, "int 1; ");
    assert_int_equal(destroy_parser(NULL), 0);
    remove_file(path);
}

static void errors_name_the_key_the_file_and_the_line(void **state)
{
    char *wrong_type = make_file("{\"num\": \"3\"}");
    char *syntax = make_file("{ // one\n /* two\n three */ \"num\": }");
    struct outcome outcome;

    (void)state;
    outcome = RUN(register_flags, "-j", wrong_type);
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_INVALID_VALUE);
    assert_contains(outcome.err, "key \"num\" of /tmp/argp-test-");
    assert_contains(outcome.err, " is a string; expected an integer");
    outcome = RUN(register_flags, "-j", syntax);
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_IO_FAILED);
    assert_contains(outcome.err, syntax);
    assert_contains(outcome.err, "line 3");
    assert_lacks(outcome.err, "Usage:");
    outcome = RUN(register_flags, "-j", "/nonexistent/params.json");
    assert_contains(outcome.err,
                    "/nonexistent/params.json is not readable (No such file or directory)");
    remove_file(wrong_type);
    remove_file(syntax);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_and_flat_objects),
        cmocka_unit_test(each_type),
        cmocka_unit_test(comments_are_tolerated),
        cmocka_unit_test(wrong_types_are_invalid),
        cmocka_unit_test(unknown_keys_and_sections_are_not_supported),
        cmocka_unit_test(unknown_keys_may_be_passed_over),
        cmocka_unit_test(what_is_no_json_object_fails_io),
        cmocka_unit_test(repeated_keys_are_invalid),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(unreadable_files_fail_io),
        cmocka_unit_test(oversized_files_fail_io),
        cmocka_unit_test(the_command_line_comes_second),
        cmocka_unit_test(the_file_is_read_before_flags_in_front_of_it),
        cmocka_unit_test(a_flag_for_the_log_wins_over_the_file),
        cmocka_unit_test(the_file_is_named_once),
        cmocka_unit_test(mandatory_params_may_come_from_the_file),
        cmocka_unit_test(singular_holds_for_the_file_too),
        cmocka_unit_test(failures_of_callbacks_stop_the_file),
        cmocka_unit_test(errors_name_the_key_the_file_and_the_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

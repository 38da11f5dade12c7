/* SPDX-License-Identifier: BSD-3-Clause */
/* Life cycle, callbacks of the program, queries. */
#include "argp_fixture.h"

static void everything_but_init_needs_a_parser(void **state)
{
    struct doca_argp_param *param = NULL;
    struct doca_argp_cmd *cmd = NULL;

    (void)state;
    assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
    assert_int_equal(START_BARE, DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_param_create(&param), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_ERROR_BAD_STATE);
    assert_null(param);
    assert_null(cmd);
    assert_int_equal(doca_argp_register_version_callback(on_string), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_register_validation_callback(on_validation), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_disable_pedantic_config_parsing(), DOCA_ERROR_BAD_STATE);
    doca_argp_usage();
}

static void init_is_for_once_and_again_after_destroy(void **state)
{
    (void)state;
    assert_int_equal(doca_argp_init("", NULL), DOCA_ERROR_INVALID_VALUE);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(doca_argp_init("prog", NULL), DOCA_SUCCESS);
        assert_int_equal(doca_argp_init("prog", NULL), DOCA_ERROR_BAD_STATE);
        assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
        assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
    }
}

static doca_error_t expect_null_config(void *value, void *config)
{
    (void)value;
    assert_null(config);
    return DOCA_SUCCESS;
}

static void null_config_is_handed_on(void **state)
{
    struct doca_argp_param *param;

    (void)state;
    assert_int_equal(doca_argp_init(NULL, NULL), DOCA_SUCCESS);
    param = make_param("t", "text", DOCA_ARGP_TYPE_STRING, 0);
    doca_argp_param_set_callback(param, expect_null_config);
    assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
    assert_int_equal(START("-t", "x"), DOCA_SUCCESS);
    assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
}

static void start_is_for_once_and_ends_configuration(void **state)
{
    struct doca_argp_param *late;

    (void)state;
    late = make_param("l8", "late", DOCA_ARGP_TYPE_STRING, 0);
    assert_int_equal(START_BARE, DOCA_SUCCESS);
    assert_int_equal(START_BARE, DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_register_param(late), DOCA_ERROR_BAD_STATE);
    /* It is the parser's nevertheless. */
    assert_int_equal(doca_argp_param_destroy(late), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_register_validation_callback(on_validation), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_disable_pedantic_config_parsing(), DOCA_ERROR_BAD_STATE);
}

static void start_is_for_once_after_a_failure_too(void **state)
{
    (void)state;
    assert_int_equal(START("--nope"), DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(START_BARE, DOCA_ERROR_BAD_STATE);
}

static void bad_arguments_do_not_use_the_start_up(void **state)
{
    char *argv[] = {(char[]){"prog"}, NULL};

    (void)state;
    assert_int_equal(doca_argp_start(0, argv), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_start(1, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_start(2, argv), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_start(1, argv), DOCA_SUCCESS);
}

static void validation_runs_once_at_the_end(void **state)
{
    (void)state;
    assert_int_equal(doca_argp_register_validation_callback(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_register_validation_callback(on_validation), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_validation_callback(on_validation), DOCA_ERROR_BAD_STATE);
    add_param("n", NULL, DOCA_ARGP_TYPE_INT, 0);
    assert_int_equal(START("-n", "7"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 7; validation; ");
}

static doca_error_t refuse(void *config)
{
    (void)config;
    return DOCA_ERROR_TOO_BIG;
}

static void failure_of_validation_is_returned(void **state)
{
    (void)state;
    assert_int_equal(doca_argp_register_validation_callback(refuse), DOCA_SUCCESS);
    assert_int_equal(START_BARE, DOCA_ERROR_TOO_BIG);
}

static void validation_does_not_run_after_an_error(void **state)
{
    (void)state;
    assert_int_equal(doca_argp_register_validation_callback(on_validation), DOCA_SUCCESS);
    add_param("n", NULL, DOCA_ARGP_TYPE_INT, MANDATORY);
    assert_int_equal(START_BARE, DOCA_ERROR_INVALID_VALUE);
    assert_string_equal(journal.text, "");
}

static doca_error_t destroy_and_return(void *value, void *config)
{
    (void)config;
    assert_string_equal(value, "x");
    assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
    assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
    return DOCA_SUCCESS;
}

static void destroy_in_a_callback_ends_the_parsing(void **state)
{
    struct doca_argp_param *param;

    (void)state;
    assert_int_equal(doca_argp_init("prog", &journal), DOCA_SUCCESS);
    param = make_param("t", "text", DOCA_ARGP_TYPE_STRING, MULTIPLE);
    doca_argp_param_set_callback(param, destroy_and_return);
    assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
    assert_int_equal(START("-t", "x", "-t", "y"), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
}

static doca_error_t destroy_and_exit(void *value, void *config)
{
    (void)value;
    (void)config;
    printf("version of the program\n");
    assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
    exit(0);
}

static void register_exiting_version(void)
{
    add_param("n", "num", DOCA_ARGP_TYPE_INT, MANDATORY);
    assert_int_equal(doca_argp_register_version_callback(destroy_and_exit), DOCA_SUCCESS);
}

static void version_callback_may_destroy_and_exit(void **state)
{
    struct outcome outcome = RUN(register_exiting_version, "-v");

    (void)state;
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.out, "version of the program\n");
    assert_string_equal(outcome.err, "");
}

static doca_error_t stay_or_fail(void *value, void *config)
{
    (void)value;
    (void)config;
    return getenv("ARGP_TEST_FAIL") != NULL ? DOCA_ERROR_DRIVER : DOCA_SUCCESS;
}

static void register_staying_version(void)
{
    assert_int_equal(doca_argp_register_version_callback(stay_or_fail), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_version_callback(stay_or_fail), DOCA_ERROR_BAD_STATE);
}

static void version_callback_that_stays_is_followed_by_exit(void **state)
{
    struct outcome outcome;

    (void)state;
    outcome = RUN(register_staying_version, "--version");
    assert_int_equal(outcome.status, 0);
    setenv("ARGP_TEST_FAIL", "1", 1);
    outcome = RUN(register_staying_version, "--version");
    unsetenv("ARGP_TEST_FAIL");
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_DRIVER);
}

static char heard[2048];

static doca_error_t listen(enum doca_log_level level, const char *format, va_list args)
{
    size_t len = strlen(heard);

    assert_int_equal(level, DOCA_LOG_LEVEL_ERROR);
    vsnprintf(heard + len, sizeof(heard) - len, format, args);
    return DOCA_SUCCESS;
}

static void logger_callback_hears_what_stderr_would(void **state)
{
    (void)state;
    heard[0] = '\0';
    assert_int_equal(doca_argp_register_logger_callback(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_register_logger_callback(listen), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_logger_callback(listen), DOCA_ERROR_ALREADY_EXIST);
    assert_int_equal(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
    assert_int_equal(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_register_logger_callback(listen), DOCA_SUCCESS);
    assert_int_equal(START("--nope"), DOCA_ERROR_NOT_SUPPORTED);
    assert_contains(heard, "--nope is an unknown flag");
    assert_contains(heard, "Usage: prog");
    assert_true(heard[strlen(heard) - 1] != '\n');
}

static void with_logger(void)
{
    heard[0] = '\0';
    assert_int_equal(doca_argp_register_logger_callback(listen), DOCA_SUCCESS);
}

static void logger_callback_keeps_stderr_empty(void **state)
{
    struct outcome outcome = RUN(with_logger, "--nope");

    (void)state;
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_NOT_SUPPORTED);
    assert_string_equal(outcome.err, "");
    assert_string_equal(outcome.out, "");
}

static void hundred_params_twice_without_a_leak(void **state)
{
    char name[32], flag[40];

    (void)state;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(init_parser(NULL), 0);
        for (int i = 0; i < 100; i++) {
            snprintf(name, sizeof(name), "param-%d", i);
            add_param(NULL, name, DOCA_ARGP_TYPE_INT, 0);
        }
        snprintf(flag, sizeof(flag), "--%s", name);
        assert_int_equal(START(flag, "5"), DOCA_SUCCESS);
        assert_string_equal(journal.text, "int 5; ");
        assert_int_equal(destroy_parser(NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_but_init_needs_a_parser),
        cmocka_unit_test(init_is_for_once_and_again_after_destroy),
        cmocka_unit_test(null_config_is_handed_on),
        cmocka_unit_test_setup_teardown(start_is_for_once_and_ends_configuration, init_parser,
                                        destroy_parser),
        cmocka_unit_test_setup_teardown(start_is_for_once_after_a_failure_too, init_parser,
                                        destroy_parser),
        cmocka_unit_test_setup_teardown(bad_arguments_do_not_use_the_start_up, init_parser,
                                        destroy_parser),
        cmocka_unit_test_setup_teardown(validation_runs_once_at_the_end, init_parser,
                                        destroy_parser),
        cmocka_unit_test_setup_teardown(failure_of_validation_is_returned, init_parser,
                                        destroy_parser),
        cmocka_unit_test_setup_teardown(validation_does_not_run_after_an_error, init_parser,
                                        destroy_parser),
        cmocka_unit_test(destroy_in_a_callback_ends_the_parsing),
        cmocka_unit_test(version_callback_may_destroy_and_exit),
        cmocka_unit_test(version_callback_that_stays_is_followed_by_exit),
        cmocka_unit_test_setup_teardown(logger_callback_hears_what_stderr_would, init_parser,
                                        destroy_parser),
        cmocka_unit_test(logger_callback_keeps_stderr_empty),
        cmocka_unit_test(hundred_params_twice_without_a_leak),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in flags: version and log levels. */
#include "argp_fixture.h"

#include <doca_version.h>

DOCA_LOG_REGISTER(ARGP::TEST);

static void nothing(void)
{
}

static void version_prints_and_exits(void **state)
{
    struct outcome outcome;

    (void)state;
    outcome = RUN(nothing, "-v");
    assert_int_equal(outcome.status, 0);
    assert_contains(outcome.out, doca_version());
    assert_contains(outcome.out, "compile");
    assert_contains(outcome.out, "run");
    outcome = RUN(nothing, "--version");
    assert_int_equal(outcome.status, 0);
}

static doca_error_t start_level(const char *flag, const char *level)
{
    doca_error_t err;

    assert_int_equal(init_parser(NULL), 0);
    err = START(flag, level);
    assert_int_equal(destroy_parser(NULL), 0);
    return err;
}

static void levels_are_numbers_or_names(void **state)
{
    static const char *const good[] = {"10", "20",  "30",   "40",      "50",   "60",
                                       "70", "err", "CRIT", "Warning", "info", "trace"};
    static const char *const bad[] = {"0", "55", "80", "", "loud", "-10", "0x32"};

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(good); i++) {
        assert_int_equal(start_level("-l", good[i]), DOCA_SUCCESS);
        assert_int_equal(start_level("--sdk-log-level", good[i]), DOCA_SUCCESS);
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++) {
        assert_int_equal(start_level("--log-level", bad[i]), DOCA_ERROR_INVALID_VALUE);
        assert_int_equal(start_level("--sdk-log-level", bad[i]), DOCA_ERROR_INVALID_VALUE);
    }
}

static void levels_can_be_asked_for(void **state)
{
    int level = 0, sdk_level = 0;

    (void)state;
    assert_int_equal(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_WARNING), DOCA_SUCCESS);
    assert_int_equal(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
    assert_int_equal(doca_argp_get_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_get_sdk_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    assert_int_equal(doca_argp_get_sdk_log_level(&sdk_level), DOCA_SUCCESS);
    assert_int_equal(level, DOCA_LOG_LEVEL_WARNING);
    assert_int_equal(sdk_level, DOCA_LOG_LEVEL_ERROR);
    assert_int_equal(START("-l", "60", "--sdk-log-level", "20"), DOCA_SUCCESS);
    assert_int_equal(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    assert_int_equal(doca_argp_get_sdk_log_level(&sdk_level), DOCA_SUCCESS);
    assert_int_equal(level, DOCA_LOG_LEVEL_DEBUG);
    assert_int_equal(sdk_level, DOCA_LOG_LEVEL_CRIT);
    assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DEBUG);
    assert_int_equal(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_CRIT);
}

/* ------------------------------------------------------------------------------------------------
 * What the levels do, as in the samples: backends first, then the flags
 */

static doca_error_t speak(void *config)
{
    (void)config;
    DOCA_LOG_DBG("application debug");
    DOCA_LOG_INFO("application info");
    DOCA_LOG_WARN("application warning");
    return DOCA_SUCCESS;
}

static void like_a_sample(void)
{
    struct doca_log_backend *sdk;

    assert_int_equal(doca_log_backend_create_standard(), DOCA_SUCCESS);
    assert_int_equal(doca_log_backend_create_with_file_sdk(stderr, &sdk), DOCA_SUCCESS);
    assert_int_equal(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_validation_callback(speak), DOCA_SUCCESS);
    add_param("p", "pci-addr", DOCA_ARGP_TYPE_STRING, 0);
}

static void standard_streams_by_default(void **state)
{
    struct outcome outcome = RUN(like_a_sample, "-p", "03:00.0");

    (void)state;
    assert_int_equal(outcome.status, RETURNED);
    assert_contains(outcome.out, "application info");
    assert_lacks(outcome.out, "application debug");
    assert_lacks(outcome.out, "application warning");
    assert_contains(outcome.err, "application warning");
    assert_lacks(outcome.err, "application info");
    assert_lacks(outcome.err, "pci-addr");
}

static void log_level_is_about_the_application(void **state)
{
    struct outcome outcome;

    (void)state;
    outcome = RUN(like_a_sample, "-l", "60", "-p", "03:00.0");
    assert_contains(outcome.out, "application debug");
    assert_lacks(outcome.err, "pci-addr");
    outcome = RUN(like_a_sample, "-l", "10");
    assert_string_equal(outcome.out, "");
    assert_string_equal(outcome.err, "");
}

static void sdk_log_level_shows_each_parameter(void **state)
{
    struct outcome outcome = RUN(like_a_sample, "--sdk-log-level", "70", "-p", "03:00.0");

    (void)state;
    assert_contains(outcome.err, "-p, --pci-addr = 03:00.0");
    assert_lacks(outcome.out, "application debug");
}

static void sdk_log_level_shows_the_reading_of_json(void **state)
{
    char *path = make_file("{\"sdk-log-level\": 70, \"pci-addr\": \"03:00.0\"}");
    struct outcome outcome = RUN(like_a_sample, "-j", path);

    (void)state;
    assert_contains(outcome.err, "key \"pci-addr\" of /tmp/argp-test-");
    remove_file(path);
}

/* The environment is read once a process, so this one takes a fresh one. */
static void the_environment_does_it_without_flags(void **state)
{
    int err = memfd_create("stderr", 0), status = 0;
    char text[8192];
    pid_t pid = fork();

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("DOCA_LOG_LEVEL", "trace", 1);
        dup2(err, STDERR_FILENO);
        dup2(err, STDOUT_FILENO);
        execl("/proc/self/exe", "prog", "sample", (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    read_back(err, text, sizeof(text));
    assert_contains(text, "-p, --pci-addr = 03:00.0");
    assert_contains(text, "application debug");
}

static int be_a_sample(void)
{
    if (init_parser(NULL) != 0)
        return 1;
    like_a_sample();
    return START("-p", "03:00.0") == DOCA_SUCCESS && destroy_parser(NULL) == 0 ? 0 : 1;
}

static void failures_leave_a_log_line(void **state)
{
    struct outcome outcome = RUN(like_a_sample, "--nope");

    (void)state;
    assert_contains(outcome.err, "doca_argp_start(prog)");
    assert_contains(outcome.err, "DOCA_ERROR_NOT_SUPPORTED");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_prints_and_exits),
        cmocka_unit_test(standard_streams_by_default),
        cmocka_unit_test(log_level_is_about_the_application),
        cmocka_unit_test(sdk_log_level_shows_each_parameter),
        cmocka_unit_test(sdk_log_level_shows_the_reading_of_json),
        cmocka_unit_test(the_environment_does_it_without_flags),
        cmocka_unit_test(failures_leave_a_log_line),
        cmocka_unit_test(levels_are_numbers_or_names),
        cmocka_unit_test_setup_teardown(levels_can_be_asked_for, init_parser, destroy_parser),
    };

    if (argc == 2 && strcmp(argv[1], "sample") == 0)
        return be_a_sample();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

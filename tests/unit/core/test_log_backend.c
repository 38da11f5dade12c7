/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <opendoca.h>

#include "core/core_priv.h"
#include "lib/scenario.h"

DOCA_LOG_REGISTER(TEST::BACKEND);

/* ------------------------------------------------------------------------------------------------
 * A backend that remembers which levels it printed
 */

#define NUM_LEVELS 6

struct probe {
    char buf[256];
    struct doca_log_backend *backend;
};

static char printed[NUM_LEVELS + 1];
static size_t num_printed;

/* Takes the level's first letter out of "...[DOCA][INF]...". */
static void remember(char *buf)
{
    const char *tag = strstr(buf, "[DOCA][");

    CHECK(tag != NULL && num_printed < NUM_LEVELS);
    printed[num_printed++] = tag[7];
}

static void make_probe(struct probe *probe)
{
    CHECK(doca_log_backend_create_with_buf(probe->buf, sizeof(probe->buf), remember,
                                           &probe->backend) == DOCA_SUCCESS);
}

static void make_sdk_probe(struct probe *probe)
{
    CHECK(doca_log_backend_create_with_buf_sdk(probe->buf, sizeof(probe->buf), remember,
                                               &probe->backend) == DOCA_SUCCESS);
}

/* The letters of the application levels that are printed now: "CEWI", ... */
static const char *app_prints(void)
{
    num_printed = 0;
    for (uint32_t level = DOCA_LOG_LEVEL_CRIT; level <= DOCA_LOG_LEVEL_TRACE; level += 10)
        CHECK(DOCA_LOG(level, "text") == DOCA_SUCCESS);
    printed[num_printed] = '\0';
    return printed;
}

static const char *sdk_prints(void)
{
    num_printed = 0;
    for (int level = DOCA_LOG_LEVEL_CRIT; level <= DOCA_LOG_LEVEL_TRACE; level += 10)
        CORE_LOG((enum doca_log_level)level, CORE_LOG_PE, "text");
    printed[num_printed] = '\0';
    return printed;
}

#define CHECK_PRINTS(tier, letters) CHECK(strcmp(tier##_prints(), letters) == 0)

static void run_scenario(const char *name)
{
    const struct scenario_result *result = scenario_run(name, NULL);

    if (result->status == SCENARIO_SKIP)
        skip();
    assert_int_equal(result->status, 0);
}

/* ------------------------------------------------------------------------------------------------
 * Limits
 */

static void app_limits(void)
{
    struct probe probe;

    CHECK(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_INFO);
    CHECK(doca_log_level_get_global_upper_limit() == DOCA_LOG_LEVEL_CRIT);
    make_probe(&probe);
    CHECK_PRINTS(app, "CEWI");
    CHECK(doca_log_backend_set_level_lower_limit(probe.backend, 70) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "CEWIDT");
    CHECK(doca_log_backend_set_level_upper_limit(probe.backend, 40) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "WIDT");
    CHECK(doca_log_backend_set_level_lower_limit(probe.backend, 40) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "W");
    CHECK(doca_log_backend_set_level_lower_limit(probe.backend, 30) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "");
    CHECK(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_INFO);
}

static void application_records_pass_between_two_limits(void **state)
{
    (void)state;
    run_scenario("app_limits");
}

static void app_global_limits(void)
{
    struct probe first, second;

    make_probe(&first);
    CHECK(doca_log_level_set_global_lower_limit(60) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "CEWID");
    CHECK(doca_log_level_set_global_upper_limit(30) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "EWID");
    CHECK(doca_log_level_get_global_lower_limit() == 60);
    CHECK(doca_log_level_get_global_upper_limit() == 30);
    CHECK(doca_log_level_set_global_lower_limit(10) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "");
    CHECK(doca_log_level_set_global_lower_limit(30) == DOCA_SUCCESS);
    make_probe(&second);
    CHECK_PRINTS(app, "EE");
}

static void global_limits_reach_old_and_new_backends(void **state)
{
    (void)state;
    run_scenario("app_global_limits");
}

static void strict_lower_limit(void)
{
    struct probe probe;

    make_probe(&probe);
    CHECK(doca_log_backend_set_level_lower_limit(probe.backend, 40) == DOCA_SUCCESS);
    CHECK(doca_log_backend_set_level_lower_limit_strict(probe.backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_set_level_lower_limit(probe.backend, 60) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "CEW");
    CHECK(doca_log_level_set_global_lower_limit(70) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "CEW");
    CHECK(doca_log_level_get_global_lower_limit() == 70);
    /* Less is always possible. */
    CHECK(doca_log_level_set_global_lower_limit(30) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "CE");
    CHECK(doca_log_backend_set_level_lower_limit(probe.backend, 40) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "CE");
}

static void strict_upper_limit(void)
{
    struct probe probe;

    make_probe(&probe);
    CHECK(doca_log_backend_set_level_upper_limit(probe.backend, 40) == DOCA_SUCCESS);
    CHECK(doca_log_backend_set_level_upper_limit_strict(probe.backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_set_level_upper_limit(probe.backend, 20) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "WI");
    CHECK(doca_log_level_set_global_upper_limit(30) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "WI");
    CHECK(doca_log_level_set_global_upper_limit(50) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "I");
}

static void strict_limits_do_not_give_way(void **state)
{
    (void)state;
    run_scenario("strict_lower_limit");
    run_scenario("strict_upper_limit");
}

static void sdk_limits(void)
{
    struct probe first, second;

    CHECK(doca_log_level_get_global_sdk_limit() == DOCA_LOG_LEVEL_INFO);
    CHECK_PRINTS(sdk, "");
    make_sdk_probe(&first);
    CHECK_PRINTS(sdk, "CEWI");
    CHECK(doca_log_backend_set_sdk_level(first.backend, 40) == DOCA_SUCCESS);
    CHECK_PRINTS(sdk, "CEW");
    CHECK(atomic_load(&core_log_threshold) == 40);
    CHECK(doca_log_level_set_global_sdk_limit(70) == DOCA_SUCCESS);
    CHECK(doca_log_level_get_global_sdk_limit() == 70);
    CHECK(atomic_load(&core_log_threshold) == 70);
    CHECK_PRINTS(sdk, "CEWIDT");
    CHECK(doca_log_level_set_global_sdk_limit(20) == DOCA_SUCCESS);
    make_sdk_probe(&second);
    CHECK_PRINTS(sdk, "CC");
    CHECK(doca_log_level_set_global_sdk_limit(10) == DOCA_SUCCESS);
    CHECK_PRINTS(sdk, "");
}

static void sdk_backends_have_one_limit(void **state)
{
    (void)state;
    run_scenario("sdk_limits");
}

static void separate_tiers(void)
{
    struct probe app, sdk;

    make_probe(&app);
    CHECK_PRINTS(sdk, "");
    CHECK_PRINTS(app, "CEWI");
    make_sdk_probe(&sdk);
    CHECK(doca_log_level_set_global_lower_limit(20) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "C");
    CHECK_PRINTS(sdk, "CEWI");
    CHECK(doca_log_level_set_global_sdk_limit(30) == DOCA_SUCCESS);
    CHECK_PRINTS(app, "C");
    CHECK_PRINTS(sdk, "CE");

    CHECK(doca_log_level_set_global_sdk_limit(10) == DOCA_SUCCESS);
    CHECK(doca_log_backend_set_sdk_level(app.backend, 30) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_log_backend_set_level_lower_limit(sdk.backend, 30) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_log_backend_set_level_upper_limit(sdk.backend, 30) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_log_backend_set_level_lower_limit_strict(sdk.backend) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_log_backend_set_level_upper_limit_strict(sdk.backend) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(strstr(opendoca_last_error(), "backend is of the SDK tier") != NULL);
}

static void tiers_do_not_mix(void **state)
{
    (void)state;
    run_scenario("separate_tiers");
}

/* ------------------------------------------------------------------------------------------------
 * Misuse
 */

static void check_bad_level(uint32_t level, struct doca_log_backend *app,
                            struct doca_log_backend *sdk)
{
    CHECK(doca_log_level_set_global_lower_limit(level) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_level_set_global_upper_limit(level) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_level_set_global_sdk_limit(level) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_set_level_lower_limit(app, level) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_set_level_upper_limit(app, level) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_set_sdk_level(sdk, level) == DOCA_ERROR_INVALID_VALUE);
}

static void bad_levels(void)
{
    static const uint32_t bad[] = {0, 9, 11, 15, 71, 80, 100, UINT32_MAX};
    struct probe app, sdk;

    make_probe(&app);
    make_sdk_probe(&sdk);
    CHECK(doca_log_level_set_global_sdk_limit(10) == DOCA_SUCCESS);
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++)
        check_bad_level(bad[i], app.backend, sdk.backend);
    CHECK_PRINTS(app, "CEWI");
    CHECK(doca_log_level_get_global_lower_limit() == 50);
    CHECK(doca_log_level_get_global_upper_limit() == 20);
    CHECK(doca_log_level_get_global_sdk_limit() == 10);
}

static void only_the_seven_levels_exist(void **state)
{
    (void)state;
    run_scenario("bad_levels");
}

static void check_no_backend(struct doca_log_backend *backend)
{
    CHECK(doca_log_backend_set_level_lower_limit(backend, 30) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_set_level_upper_limit(backend, 30) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_set_level_lower_limit_strict(backend) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_set_level_upper_limit_strict(backend) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_set_sdk_level(backend, 30) == DOCA_ERROR_INVALID_VALUE);
}

static void bad_backends(void)
{
    struct probe probe;
    char here;

    make_probe(&probe);
    check_no_backend(NULL);
    check_no_backend((struct doca_log_backend *)&here);
    check_no_backend((struct doca_log_backend *)((char *)probe.backend + 1));
}

static void other_pointers_are_refused(void **state)
{
    (void)state;
    run_scenario("bad_backends");
}

static void bad_sinks(void)
{
    struct doca_log_backend *b = (struct doca_log_backend *)&b;
    char buf[16];

    CHECK(doca_log_backend_create_with_file(NULL, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_file(stderr, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_file_sdk(NULL, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_file_sdk(stderr, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_fd(-1, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_fd(2, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_fd_sdk(-1, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_fd_sdk(2, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_buf(NULL, 16, remember, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_buf(buf, 0, remember, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_buf(buf, 16, NULL, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_buf(buf, 16, remember, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_buf_sdk(NULL, 16, remember, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_buf_sdk(buf, 0, remember, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_buf_sdk(buf, 16, NULL, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_buf_sdk(buf, 16, remember, NULL) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_syslog(NULL, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_syslog("x", NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_syslog_sdk(NULL, &b) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log_backend_create_with_syslog_sdk("x", NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(b == (struct doca_log_backend *)&b);
}

static void bad_sinks_are_refused(void **state)
{
    (void)state;
    run_scenario("bad_sinks");
}

static void fill_up(void)
{
    struct doca_log_backend *b = NULL, *last;

    for (uint32_t i = 0; i < doca_log_get_max_num_backends(); i++)
        CHECK(doca_log_backend_create_with_fd(2, &b) == DOCA_SUCCESS);
    last = b;
    CHECK(doca_log_backend_create_with_fd(2, &b) == DOCA_ERROR_NO_MEMORY);
    CHECK(b == last);
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    for (uint32_t i = 0; i < doca_log_get_max_num_backends_sdk(); i++)
        CHECK(doca_log_backend_create_with_fd_sdk(2, &b) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_fd_sdk(2, &b) == DOCA_ERROR_NO_MEMORY);
    CHECK(strstr(opendoca_last_error(), "limit 64") != NULL);
}

static void the_number_of_backends_is_limited(void **state)
{
    (void)state;
    assert_true(doca_log_get_max_num_backends() > 0);
    assert_true(doca_log_get_max_num_backends_sdk() > 0);
    run_scenario("fill_up");
}

/* ------------------------------------------------------------------------------------------------
 * Standard backends; test_log.c looks at where the lines go
 */

static void standard_limits(void)
{
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    CHECK(doca_log_level_set_global_lower_limit(70) == DOCA_SUCCESS);
    CHECK(doca_log_level_set_global_upper_limit(30) == DOCA_SUCCESS);
    app_prints();
    CHECK(doca_log_level_set_global_lower_limit(30) == DOCA_SUCCESS);
    app_prints();
    CHECK(doca_log_level_set_global_lower_limit(10) == DOCA_SUCCESS);
    app_prints();
}

static void standard_backends_follow_the_limits(void **state)
{
    const struct scenario_result *result = scenario_run("standard_limits", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_int_equal(scenario_count(result->out, "\n"), 3);
    assert_int_equal(scenario_count(result->err, "\n"), 3);
    assert_int_equal(scenario_count(result->err, "[ERR]"), 2);
    assert_int_equal(scenario_count(result->err, "[WRN]"), 1);
}

int main(int argc, char **argv)
{
    static const struct scenario scenarios[] = {
        SCENARIO(app_limits),         SCENARIO(app_global_limits),
        SCENARIO(strict_lower_limit), SCENARIO(strict_upper_limit),
        SCENARIO(sdk_limits),         SCENARIO(separate_tiers),
        SCENARIO(bad_levels),         SCENARIO(bad_backends),
        SCENARIO(bad_sinks),          SCENARIO(fill_up),
        SCENARIO(standard_limits),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(application_records_pass_between_two_limits),
        cmocka_unit_test(global_limits_reach_old_and_new_backends),
        cmocka_unit_test(strict_limits_do_not_give_way),
        cmocka_unit_test(sdk_backends_have_one_limit),
        cmocka_unit_test(tiers_do_not_mix),
        cmocka_unit_test(only_the_seven_levels_exist),
        cmocka_unit_test(other_pointers_are_refused),
        cmocka_unit_test(bad_sinks_are_refused),
        cmocka_unit_test(the_number_of_backends_is_limited),
        cmocka_unit_test(standard_backends_follow_the_limits),
    };

    scenario_main(argc, argv, scenarios, OD_ARRAY_SIZE(scenarios));
    return cmocka_run_group_tests(tests, NULL, NULL);
}

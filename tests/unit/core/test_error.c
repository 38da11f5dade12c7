/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <opendoca.h>

#include "core/core_priv.h"
#include "lib/scenario.h"

#define UNRECOGNIZED "unrecognized error code"

/* Fails as a library call would; a site of its own for each call of the macro. */
#define FAIL(code, ...) CORE_FAIL(code, CORE_LOG_DMA, "doca_dma_test", "dma#1", __VA_ARGS__)

/* ------------------------------------------------------------------------------------------------
 * Codes
 */

static void every_code_has_its_own_name_and_text(void **state)
{
    (void)state;
    for (int i = DOCA_SUCCESS; i <= DOCA_ERROR_DEVICE_FATAL_ERROR; i++) {
        const char *name = doca_error_get_name((doca_error_t)i);

        assert_non_null(name);
        assert_int_equal(strncmp(name, i == 0 ? "DOCA_SUCCESS" : "DOCA_ERROR_", i == 0 ? 12 : 11),
                         0);
        assert_true(strlen(doca_error_get_descr((doca_error_t)i)) > 0);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(name, doca_error_get_name((doca_error_t)j));
            assert_string_not_equal(doca_error_get_descr((doca_error_t)i),
                                    doca_error_get_descr((doca_error_t)j));
        }
    }
    assert_string_equal(doca_error_get_name(DOCA_ERROR_IN_PROGRESS), "DOCA_ERROR_IN_PROGRESS");
    assert_string_equal(doca_error_get_name((doca_error_t)31), "DOCA_ERROR_DEVICE_FATAL_ERROR");
}

static void other_numbers_have_a_fixed_text(void **state)
{
    static const int numbers[] = {32, 1000, -1, INT32_MAX, INT32_MIN};

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(numbers); i++) {
        assert_string_equal(doca_error_get_name((doca_error_t)numbers[i]), UNRECOGNIZED);
        assert_string_equal(doca_error_get_descr((doca_error_t)numbers[i]), UNRECOGNIZED);
    }
}

static void errno_maps_to_codes(void **state)
{
    static const struct {
        int err;
        doca_error_t code;
    } map[] = {
        {EINVAL, DOCA_ERROR_INVALID_VALUE},
        {EBADMSG, DOCA_ERROR_INVALID_VALUE},
        {ERANGE, DOCA_ERROR_INVALID_VALUE},
        {EPROTO, DOCA_ERROR_UNSUPPORTED_VERSION},
        {ENOMEM, DOCA_ERROR_NO_MEMORY},
        {EMFILE, DOCA_ERROR_NO_MEMORY},
        {ENFILE, DOCA_ERROR_NO_MEMORY},
        {EPERM, DOCA_ERROR_NOT_PERMITTED},
        {EACCES, DOCA_ERROR_NOT_PERMITTED},
        {EXDEV, DOCA_ERROR_NOT_PERMITTED},
        {ENOTSUP, DOCA_ERROR_NOT_SUPPORTED},
        {EAGAIN, DOCA_ERROR_AGAIN},
        {EFAULT, DOCA_ERROR_IO_FAILED},
        {EIO, DOCA_ERROR_IO_FAILED},
        {ENOENT, DOCA_ERROR_NOT_FOUND},
        {ECONNREFUSED, DOCA_ERROR_DRIVER},
        {ENOTCONN, DOCA_ERROR_DRIVER},
        {EHOSTUNREACH, DOCA_ERROR_DRIVER},
        {ESRCH, DOCA_ERROR_DRIVER},
        {ETIMEDOUT, DOCA_ERROR_TIME_OUT},
        {EBUSY, DOCA_ERROR_IN_USE},
        {EEXIST, DOCA_ERROR_ALREADY_EXIST},
        {ENOSPC, DOCA_ERROR_FULL},
        {ECANCELED, DOCA_ERROR_IO_FAILED},
        {EPIPE, DOCA_ERROR_OPERATING_SYSTEM},
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(map); i++)
        assert_int_equal(core_error_from_errno(-map[i].err), map[i].code);
}

/* ------------------------------------------------------------------------------------------------
 * The last failure
 */

static void a_failure_leaves_its_parts(void **state)
{
    (void)state;
    opendoca_clear_error();
    assert_string_equal(opendoca_last_error(), "");
    assert_string_equal(opendoca_last_error_json(), "{}");

    assert_int_equal(
        FAIL(DOCA_ERROR_TOO_BIG, "num", "%d" CORE_LIMIT "1..%d" CORE_REMEDY "ask less", 7, 5),
        DOCA_ERROR_TOO_BIG);
    assert_string_equal(opendoca_last_error(), "doca_dma_test(dma#1): num is 7, limit 1..5: "
                                               "DOCA_ERROR_TOO_BIG; ask less");
    FAIL(DOCA_ERROR_BAD_STATE, "state", "idle" CORE_REMEDY "start it");
    assert_string_equal(opendoca_last_error(),
                        "doca_dma_test(dma#1): state is idle: DOCA_ERROR_BAD_STATE; start it");
    FAIL(DOCA_ERROR_BAD_STATE, NULL, "not now");
    assert_string_equal(opendoca_last_error(),
                        "doca_dma_test(dma#1): not now: DOCA_ERROR_BAD_STATE");
    CORE_FAIL_NULL(CORE_LOG_DMA, "doca_dma_test", "dev");
    assert_string_equal(opendoca_last_error(), "doca_dma_test(): dev is NULL: "
                                               "DOCA_ERROR_INVALID_VALUE; pass a valid pointer");
}

static void only_failures_and_clearing_change_it(void **state)
{
    (void)state;
    FAIL(DOCA_ERROR_BAD_STATE, NULL, "first");
    assert_int_equal(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO), DOCA_SUCCESS);
    assert_non_null(strstr(opendoca_last_error(), "first"));
    assert_int_equal(doca_log_level_set_global_sdk_limit(55), DOCA_ERROR_INVALID_VALUE);
    assert_null(strstr(opendoca_last_error(), "first"));
    assert_non_null(strstr(opendoca_last_error(), "doca_log_level_set_global_sdk_limit"));
    assert_non_null(strstr(opendoca_last_error(), "55"));
    opendoca_clear_error();
    assert_string_equal(opendoca_last_error(), "");
    assert_string_equal(opendoca_last_error_json(), "{}");
}

/* What it copied may be gone when somebody asks. */
static void it_outlives_the_object(void **state)
{
    char object[] = "dma#7";
    char value[] = "seven";

    (void)state;
    CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_DMA, "doca_dma_test", object, "x", "%s", value);
    memset(object, '!', strlen(object));
    memset(value, '!', strlen(value));
    assert_string_equal(opendoca_last_error(),
                        "doca_dma_test(dma#7): x is seven: DOCA_ERROR_BAD_STATE");
}

static const char *json_member(json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));

    assert_non_null(value);
    return value;
}

/* Parses what opendoca_last_error_json() says; the caller owns the result. */
static json_t *parse_last_error(void)
{
    json_error_t error;
    json_t *json = json_loads(opendoca_last_error_json(), JSON_REJECT_DUPLICATES, &error);

    if (json == NULL)
        fail_msg("%s at %d in %s", error.text, error.position, opendoca_last_error_json());
    assert_int_equal(json_object_size(json), 8);
    return json;
}

static void json_has_the_parts(void **state)
{
    json_t *json;

    (void)state;
    FAIL(DOCA_ERROR_TOO_BIG, "num", "7" CORE_LIMIT "1..5" CORE_REMEDY "ask less");
    json = parse_last_error();
    assert_string_equal(json_member(json, "code"), "DOCA_ERROR_TOO_BIG");
    assert_string_equal(json_member(json, "function"), "doca_dma_test");
    assert_string_equal(json_member(json, "object"), "dma#1");
    assert_string_equal(json_member(json, "attribute"), "num");
    assert_string_equal(json_member(json, "value"), "7");
    assert_string_equal(json_member(json, "limit"), "1..5");
    assert_string_equal(json_member(json, "remedy"), "ask less");
    assert_string_equal(json_member(json, "text"), opendoca_last_error());
    json_decref(json);

    CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_DMA, "doca_dma_test", NULL, NULL, "no");
    json = parse_last_error();
    assert_string_equal(json_member(json, "object"), "");
    assert_string_equal(json_member(json, "attribute"), "");
    assert_string_equal(json_member(json, "limit"), "");
    assert_string_equal(json_member(json, "remedy"), "");
    json_decref(json);
}

static void json_stands_any_text(void **state)
{
    char long_text[4000];
    json_t *json;

    (void)state;
    FAIL(DOCA_ERROR_INVALID_VALUE, "pa\"th", "%s" CORE_REMEDY "%s", "a\\b\"c\n\t\x01", "\"\"");
    json = parse_last_error();
    assert_string_equal(json_member(json, "attribute"), "pa\"th");
    assert_string_equal(json_member(json, "value"), "a\\b\"c   ");
    json_decref(json);
    assert_null(strchr(opendoca_last_error(), '\n'));

    FAIL(DOCA_ERROR_INVALID_VALUE, "path", "%s",
         "\xc3\xa4|\xe0\x80\x80|\xed\xa0\x80|\xf4\x90\x80\x80|");
    json = parse_last_error();
    assert_string_equal(json_member(json, "value"), "\xc3\xa4|???|???|????|");
    json_decref(json);

    memset(long_text, '"', sizeof(long_text));
    long_text[sizeof(long_text) - 1] = '\0';
    CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, long_text, long_text, long_text,
              "%.300s" CORE_LIMIT "%.300s" CORE_REMEDY "%s", long_text, long_text, long_text);
    json_decref(parse_last_error());
    memset(long_text, 0x7f, sizeof(long_text) - 1);
    FAIL(DOCA_ERROR_INVALID_VALUE, long_text, "%s", long_text);
    json_decref(parse_last_error());
}

static void *fail_elsewhere(void *arg)
{
    if (strcmp(opendoca_last_error(), "") != 0)
        return arg;
    FAIL(DOCA_ERROR_BAD_STATE, NULL, "elsewhere");
    return strstr(opendoca_last_error(), "elsewhere") != NULL ? NULL : arg;
}

static void each_thread_has_its_own(void **state)
{
    pthread_t threads[4];
    void *complaint;

    FAIL(DOCA_ERROR_BAD_STATE, NULL, "here");
    for (size_t i = 0; i < OD_ARRAY_SIZE(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fail_elsewhere, state), 0);
    for (size_t i = 0; i < OD_ARRAY_SIZE(threads); i++) {
        assert_int_equal(pthread_join(threads[i], &complaint), 0);
        assert_null(complaint);
    }
    assert_non_null(strstr(opendoca_last_error(), "here"));
}

/* ------------------------------------------------------------------------------------------------
 * The log line
 */

static void log_failures(void)
{
    struct doca_log_backend *backend;

    CHECK(doca_log_backend_create_with_file_sdk(stderr, &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG) == DOCA_SUCCESS);
    FAIL(DOCA_ERROR_BAD_STATE, "state", "idle\n[forged]" CORE_REMEDY "start it");
    FAIL(DOCA_ERROR_AGAIN, "queue", "full");
    FAIL(DOCA_ERROR_IN_PROGRESS, "state", "stopping");
    CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DMA, "doca_dma_cap_test", NULL, NULL, "no");
}

static void failures_are_one_line_each(void **state)
{
    const struct scenario_result *result = scenario_run("log_failures", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_int_equal(scenario_count(result->err, "\n"), 4);
    assert_int_equal(scenario_count(result->err, "[DOCA][ERR][test_error.c:"), 1);
    assert_int_equal(scenario_count(result->err, "[DOCA][DBG][test_error.c:"), 3);
    assert_non_null(strstr(result->err, "] doca_dma_test(dma#1): state is idle [forged]: "
                                        "DOCA_ERROR_BAD_STATE; start it\n"));
}

static void fail_silently(void)
{
    FAIL(DOCA_ERROR_BAD_STATE, "state", "idle");
    CHECK(strstr(opendoca_last_error(), "state is idle") != NULL);
    CHECK(atomic_load(&core_log_threshold) == DOCA_LOG_LEVEL_DISABLE);
}

static void without_a_backend_only_the_text_is_left(void **state)
{
    const struct scenario_result *result = scenario_run("fail_silently", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_string_equal(result->err, "");
    assert_string_equal(result->out, "");
}

/* ------------------------------------------------------------------------------------------------
 * Rate limit
 */

#define BURST 32

static struct core_fail_site busy_site = {__FILE__, __LINE__, CORE_LOG_DMA, false, 0};

static void fail_often(uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        core_fail(&busy_site, DOCA_ERROR_BAD_STATE, "doca_dma_busy", NULL, "n", "%u", i);
}

static void log_one_site_often(void)
{
    struct doca_log_backend *backend;

    CHECK(doca_log_backend_create_with_file_sdk(stderr, &backend) == DOCA_SUCCESS);
    fail_often(1000);
    CHECK(strstr(opendoca_last_error(), "n is 999") != NULL);
    FAIL(DOCA_ERROR_BAD_STATE, NULL, "another site");
    /* As if the failures had been an hour ago. */
    atomic_fetch_sub(&busy_site.window, (uint64_t)3600 << 32);
    fail_often(2);
}

static void a_site_that_repeats_itself_is_limited(void **state)
{
    const struct scenario_result *result = scenario_run("log_one_site_often", NULL);
    size_t lines;

    (void)state;
    assert_int_equal(result->status, 0);
    /* The clock may begin a new second at any time, which starts the count again. */
    lines = scenario_count(result->err, "doca_dma_busy");
    assert_true(lines >= BURST + 2 && lines <= 3 * BURST + 2);
    assert_true(scenario_count(result->err, "not printed for the rest of this second") >= 1);
    assert_true(scenario_count(result->err, " more were not printed)") >= 1);
    assert_int_equal(scenario_count(result->err, "another site"), 1);
}

static void *fail_in_a_thread(void *arg)
{
    (void)arg;
    fail_often(500);
    return NULL;
}

static void log_one_site_from_threads(void)
{
    struct doca_log_backend *backend;
    pthread_t threads[4];

    CHECK(doca_log_backend_create_with_file_sdk(stderr, &backend) == DOCA_SUCCESS);
    for (size_t i = 0; i < OD_ARRAY_SIZE(threads); i++)
        CHECK(pthread_create(&threads[i], NULL, fail_in_a_thread, NULL) == 0);
    for (size_t i = 0; i < OD_ARRAY_SIZE(threads); i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void threads_share_the_limit(void **state)
{
    const struct scenario_result *result = scenario_run("log_one_site_from_threads", NULL);
    size_t lines = scenario_count(result->err, "\n");

    (void)state;
    assert_int_equal(result->status, 0);
    assert_true(lines >= BURST && lines <= 5 * BURST);
}

int main(int argc, char **argv)
{
    static const struct scenario scenarios[] = {
        SCENARIO(log_failures),
        SCENARIO(fail_silently),
        SCENARIO(log_one_site_often),
        SCENARIO(log_one_site_from_threads),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_own_name_and_text),
        cmocka_unit_test(other_numbers_have_a_fixed_text),
        cmocka_unit_test(errno_maps_to_codes),
        cmocka_unit_test(a_failure_leaves_its_parts),
        cmocka_unit_test(only_failures_and_clearing_change_it),
        cmocka_unit_test(it_outlives_the_object),
        cmocka_unit_test(json_has_the_parts),
        cmocka_unit_test(json_stands_any_text),
        cmocka_unit_test(each_thread_has_its_own),
        cmocka_unit_test(failures_are_one_line_each),
        cmocka_unit_test(without_a_backend_only_the_text_is_left),
        cmocka_unit_test(a_site_that_repeats_itself_is_limited),
        cmocka_unit_test(threads_share_the_limit),
    };

    scenario_main(argc, argv, scenarios, OD_ARRAY_SIZE(scenarios));
    return cmocka_run_group_tests(tests, NULL, NULL);
}

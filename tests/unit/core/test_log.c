/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define DOCA_LOGGING_ALLOW_TRACE
#include <opendoca.h>

#include "core/core_priv.h"
#include "lib/scenario.h"

DOCA_LOG_REGISTER(TEST::LOG);

/* ------------------------------------------------------------------------------------------------
 * Lines
 */

#define LINE_HEAD "\\[[0-9]{2}:[0-9]{2}:[0-9]{2}:[0-9]{6}\\]\\[[0-9]+\\]\\[DOCA\\]"

static void assert_matches(const char *text, const char *pattern)
{
    regex_t regex;

    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    if (regexec(&regex, text, 0, NULL, 0) != 0)
        fail_msg("\"%s\" does not match %s", text, pattern);
    regfree(&regex);
}

static struct doca_log_backend *make_sdk_backend(FILE *file, enum doca_log_level level)
{
    struct doca_log_backend *backend;

    CHECK(doca_log_backend_create_with_file_sdk(file, &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_set_sdk_level(backend, level) == DOCA_SUCCESS);
    return backend;
}

static void log_every_level(void)
{
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    CHECK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE) == DOCA_SUCCESS);
    DOCA_LOG_CRIT("is %s", "crit");
    DOCA_LOG_ERR("is err");
    DOCA_LOG_WARN("is warn");
    DOCA_LOG_INFO("is info");
    DOCA_LOG_DBG("is dbg");
    DOCA_LOG_TRC("is trc");
}

static void application_lines_have_their_shape(void **state)
{
#define APP_LINE(tag, text)                                                                        \
    LINE_HEAD "\\[" tag "\\]\\[test_log.c:[0-9]+\\]\\[log_every_level\\] " text "\n"
    const struct scenario_result *result = scenario_run("log_every_level", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_matches(result->out, "^" APP_LINE("INF", "is info") APP_LINE("DBG", "is dbg")
                                    APP_LINE("TRC", "is trc") "$");
    assert_matches(result->err, "^" APP_LINE("CRT", "is crit") APP_LINE("ERR", "is err")
                                    APP_LINE("WRN", "is warn") "$");
#undef APP_LINE
}

static void log_sdk_records(void)
{
    make_sdk_backend(stdout, DOCA_LOG_LEVEL_TRACE);
    core_log_print(DOCA_LOG_LEVEL_CRIT, CORE_LOG_PE, "../src/core/pe.c", 7, "is crit");
    CORE_WARN(CORE_LOG_PE, "is warn");
    CORE_TRACE(CORE_LOG_PE, "is %d", 3);
}

static void sdk_lines_have_no_function(void **state)
{
#define SDK_LINE(tag, place, text) LINE_HEAD "\\[" tag "\\]\\[" place "\\] " text "\n"
    const struct scenario_result *result = scenario_run("log_sdk_records", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_matches(result->out, "^" SDK_LINE("CRT", "pe.c:7", "is crit")
                                    SDK_LINE("WRN", "test_log.c:[0-9]+", "is warn")
                                        SDK_LINE("TRC", "test_log.c:[0-9]+", "is 3") "$");
    assert_string_equal(result->err, "");
#undef SDK_LINE
}

static void log_awkward_texts(void)
{
    char text[20000];

    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    DOCA_LOG_INFO("newline\n");
    DOCA_LOG_INFO("newlines\n\n");
    CHECK(doca_log(DOCA_LOG_LEVEL_INFO, log_source, NULL, 5, NULL, "nowhere") == DOCA_SUCCESS);
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    DOCA_LOG_INFO("%s", text);
    DOCA_LOG_INFO("after");
}

static void awkward_texts_are_one_line_too(void **state)
{
    const struct scenario_result *result = scenario_run("log_awkward_texts", NULL);
    const char *cut;

    (void)state;
    assert_int_equal(result->status, 0);
    assert_int_equal(scenario_count(result->out, "\n"), 5);
    assert_non_null(strstr(result->out, "[DOCA][INF][-:5][-] nowhere\n"));
    cut = strstr(result->out, "xxx...\n");
    assert_non_null(cut);
    assert_matches(cut, "^xxx...\n" LINE_HEAD ".* after\n$");
    assert_in_range(strlen(result->out), 8000, 9000);
}

static void keep_errno(void)
{
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    make_sdk_backend(fopen("/dev/full", "w"), DOCA_LOG_LEVEL_INFO);
    errno = ENOTTY;
    DOCA_LOG_INFO("to stdout");
    CORE_INFO(CORE_LOG_PE, "to a full device");
    CHECK(errno == ENOTTY);
}

static void emission_keeps_errno(void **state)
{
    (void)state;
    assert_int_equal(scenario_run("keep_errno", NULL)->status, 0);
}

/* ------------------------------------------------------------------------------------------------
 * Refusals
 */

static void refuse_records(void)
{
    int gone;

    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    make_sdk_backend(stderr, DOCA_LOG_LEVEL_INFO);
    CHECK(doca_log_register_source("GONE", &gone) == DOCA_SUCCESS);
    CHECK(doca_log_unregister_source(gone) == DOCA_SUCCESS);
    CHECK(doca_log(DOCA_LOG_LEVEL_ERROR, -1, "f", 1, "f", "x") == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log(DOCA_LOG_LEVEL_ERROR, gone, "f", 1, "f", "x") == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log(DOCA_LOG_LEVEL_ERROR, 1 << 30, "f", 1, "f", "x") == DOCA_ERROR_INVALID_VALUE);
    CHECK(strstr(opendoca_last_error(), "doca_log(): source is 1073741824") != NULL);
    CHECK(doca_log(DOCA_LOG_LEVEL_DISABLE, log_source, "f", 1, "f", "x") ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log(35, log_source, "f", 1, "f", "x") == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_log(80, log_source, "f", 1, "f", "x") == DOCA_ERROR_INVALID_VALUE);
    CHECK(strstr(opendoca_last_error(), "doca_log(): level is 80") != NULL);
}

static void refused_records_print_nothing(void **state)
{
    const struct scenario_result *result = scenario_run("refuse_records", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_string_equal(result->out, "");
    assert_string_equal(result->err, "");
}

static void filter_without_backends(void)
{
    DOCA_LOG_ERR("nowhere");
    CHECK(doca_log(DOCA_LOG_LEVEL_ERROR, log_source, "f", 1, "f", "x") == DOCA_SUCCESS);
    CHECK(atomic_load(&core_log_threshold) == DOCA_LOG_LEVEL_DISABLE);
    CORE_WARN(CORE_LOG_PE, "nowhere");
    make_sdk_backend(stderr, DOCA_LOG_LEVEL_ERROR);
    CHECK(atomic_load(&core_log_threshold) == DOCA_LOG_LEVEL_ERROR);
    CORE_WARN(CORE_LOG_PE, "filtered");
}

static void without_a_backend_nothing_is_printed(void **state)
{
    const struct scenario_result *result = scenario_run("filter_without_backends", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_string_equal(result->out, "");
    assert_string_equal(result->err, "");
}

/* ------------------------------------------------------------------------------------------------
 * The environment
 */

static const struct scenario_result *run_with(const char *scenario, const char *level,
                                              const char *sdk_level)
{
    const char *env[5] = {NULL};
    size_t num = 0;

    if (level != NULL) {
        env[num++] = "DOCA_LOG_LEVEL";
        env[num++] = level;
    }
    if (sdk_level != NULL) {
        env[num++] = "DOCA_LOG_LEVEL_SDK";
        env[num++] = sdk_level;
    }
    return scenario_run(scenario, env);
}

/* One record of each level and tier, told apart by "app 10" ... "sdk 70". */
static void log_all(void)
{
    static const enum doca_log_level levels[] = {DOCA_LOG_LEVEL_CRIT,    DOCA_LOG_LEVEL_ERROR,
                                                 DOCA_LOG_LEVEL_WARNING, DOCA_LOG_LEVEL_INFO,
                                                 DOCA_LOG_LEVEL_DEBUG,   DOCA_LOG_LEVEL_TRACE};

    for (size_t i = 0; i < OD_ARRAY_SIZE(levels); i++) {
        DOCA_LOG(levels[i], "app %d", (int)levels[i]);
        CORE_LOG(levels[i], CORE_LOG_PE, "sdk %d", (int)levels[i]);
    }
}

/* Does the tier print exactly the levels up to `last`, each once? */
static bool prints_up_to(const struct scenario_result *result, const char *tier, int last)
{
    char record[32];

    for (int level = DOCA_LOG_LEVEL_CRIT; level <= DOCA_LOG_LEVEL_TRACE; level += 10) {
        snprintf(record, sizeof(record), "] %s %d\n", tier, level);
        if (scenario_count(result->out, record) + scenario_count(result->err, record) !=
            (level <= last ? 1u : 0u))
            return false;
    }
    return result->status == 0;
}

/* A program without an SDK backend. */
static void log_plainly(void)
{
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    log_all();
}

/* What the official samples do. */
static void log_as_samples_do(void)
{
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    make_sdk_backend(stderr, DOCA_LOG_LEVEL_WARNING);
    log_all();
}

/* A program that sets every limit that there is. */
static void log_with_limits_set(void)
{
    struct doca_log_backend *app;

    CHECK(doca_log_backend_create_with_file(stdout, &app) == DOCA_SUCCESS);
    make_sdk_backend(stderr, DOCA_LOG_LEVEL_TRACE);
    CHECK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_ERROR) == DOCA_SUCCESS);
    CHECK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_ERROR) == DOCA_SUCCESS);
    CHECK(doca_log_backend_set_level_lower_limit(app, DOCA_LOG_LEVEL_WARNING) == DOCA_SUCCESS);
    log_all();
}

/* A program whose command line has -l 30 --sdk-log-level 40. */
static void log_with_flags(void)
{
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    make_sdk_backend(stderr, DOCA_LOG_LEVEL_INFO);
    core_log_set_level_by_flag(CORE_LOG_TIER_APP, DOCA_LOG_LEVEL_ERROR);
    core_log_set_level_by_flag(CORE_LOG_TIER_SDK, DOCA_LOG_LEVEL_WARNING);
    CHECK(doca_log_level_get_global_lower_limit() == DOCA_LOG_LEVEL_ERROR);
    CHECK(doca_log_level_get_global_sdk_limit() == DOCA_LOG_LEVEL_WARNING);
    log_all();
}

static void without_the_variables_the_program_rules(void **state)
{
    const struct scenario_result *result = scenario_run("log_plainly", NULL);

    (void)state;
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_INFO));
    assert_true(prints_up_to(result, "sdk", 0));
    result = scenario_run("log_as_samples_do", NULL);
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_INFO));
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_WARNING));
    result = scenario_run("log_with_limits_set", NULL);
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_WARNING));
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_ERROR));
}

static void the_environment_replaces_the_defaults(void **state)
{
    const struct scenario_result *result = run_with("log_plainly", "error", NULL);

    (void)state;
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_ERROR));
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_ERROR));
    result = run_with("log_plainly", "disable", NULL);
    assert_true(prints_up_to(result, "app", 0));
    assert_true(prints_up_to(result, "sdk", 0));
}

static void the_environment_makes_sdk_records_visible(void **state)
{
    const struct scenario_result *result = run_with("log_plainly", "trace", NULL);

    (void)state;
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_TRACE));
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_TRACE));
    assert_null(strstr(result->out, "sdk"));
    result = run_with("log_plainly", NULL, "debug");
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_INFO));
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_DEBUG));
}

static void the_environment_is_a_floor_of_verbosity(void **state)
{
    const struct scenario_result *result = run_with("log_as_samples_do", "trace", NULL);

    (void)state;
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_TRACE));
    result = run_with("log_as_samples_do", "error", NULL);
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_WARNING));
    result = run_with("log_with_limits_set", "debug", NULL);
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_DEBUG));
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_DEBUG));
}

static void the_sdk_variable_goes_before_the_other(void **state)
{
    const struct scenario_result *result = run_with("log_plainly", "trace", "warning");

    (void)state;
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_TRACE));
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_WARNING));
    result = run_with("log_plainly", "error", "trace");
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_ERROR));
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_TRACE));
}

static void flags_go_before_the_environment(void **state)
{
    static const char *const levels[] = {NULL, "trace", "crit"};

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(levels); i++) {
        const struct scenario_result *result = run_with("log_with_flags", levels[i], levels[i]);

        assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_ERROR));
        assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_WARNING));
    }
}

static void say_limits(void)
{
    printf("%u %u\n", doca_log_level_get_global_lower_limit(),
           doca_log_level_get_global_sdk_limit());
    CHECK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_WARNING) == DOCA_SUCCESS);
    CHECK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING) == DOCA_SUCCESS);
    printf("%u %u\n", doca_log_level_get_global_lower_limit(),
           doca_log_level_get_global_sdk_limit());
}

static void getters_tell_what_is_in_force(void **state)
{
    (void)state;
    assert_string_equal(run_with("say_limits", NULL, NULL)->out, "50 50\n40 40\n");
    assert_string_equal(run_with("say_limits", "60", "70")->out, "60 70\n60 70\n");
    assert_string_equal(run_with("say_limits", "20", NULL)->out, "20 20\n40 40\n");
}

static void levels_have_names_and_numbers(void **state)
{
    static const struct {
        const char *text;
        int level;
    } cases[] = {
        {"10", 10},      {"20", 20},    {"30", 30},      {"40", 40},   {"50", 50},
        {"60", 60},      {"70", 70},    {"disable", 10}, {"crit", 20}, {"critical", 20},
        {"err", 30},     {"error", 30}, {"warn", 40},    {"info", 50}, {"debug", 60},
        {"warning", 40}, {"trace", 70}, {"TRACE", 70},   {"Warn", 40},
    };
    static const char *const bad[] = {"",           "0",      "15",  "80", "-10",
                                      "4294967346", "tracer", "50 ", "x"};
    enum doca_log_level level = DOCA_LOG_LEVEL_CRIT;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(cases); i++) {
        char expected[32];

        assert_int_equal(core_log_parse_level(cases[i].text, &level), 0);
        assert_int_equal(level, cases[i].level);
        snprintf(expected, sizeof(expected), "%d %d\n", cases[i].level, cases[i].level);
        assert_int_equal(
            strncmp(run_with("say_limits", cases[i].text, NULL)->out, expected, strlen(expected)),
            0);
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++)
        assert_int_equal(core_log_parse_level(bad[i], &level), -EINVAL);
    assert_int_equal(core_log_parse_level(NULL, &level), -EINVAL);
    assert_int_equal(level, 40);
}

static void bad_values_are_ignored_with_one_warning(void **state)
{
    static const char *const bad[] = {"55", "loud", "-1"};
    const struct scenario_result *result;
    char warning[64];

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++) {
        result = run_with("log_as_samples_do", bad[i], NULL);
        assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_INFO));
        assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_WARNING));
        snprintf(warning, sizeof(warning), "DOCA_LOG_LEVEL=\"%s\"", bad[i]);
        assert_int_equal(scenario_count(result->err, warning), 1);
    }
    /* The other variable still holds. */
    result = run_with("log_plainly", "debug", "loud");
    assert_true(prints_up_to(result, "sdk", DOCA_LOG_LEVEL_DEBUG));
    assert_int_equal(scenario_count(result->err, "DOCA_LOG_LEVEL_SDK=\"loud\""), 1);
    result = run_with("log_plainly", "", "");
    assert_true(prints_up_to(result, "app", DOCA_LOG_LEVEL_INFO));
    assert_int_equal(scenario_count(result->err, "DOCA_LOG_LEVEL"), 0);
}

/* The stderr backend of the environment makes room for that of the program. */
static void log_before_and_after_a_backend(void)
{
    CORE_INFO(CORE_LOG_PE, "before");
    make_sdk_backend(stdout, DOCA_LOG_LEVEL_WARNING);
    CORE_INFO(CORE_LOG_PE, "after");
}

static void the_program_takes_over_from_the_environment(void **state)
{
    const struct scenario_result *result = run_with("log_before_and_after_a_backend", "info", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_int_equal(scenario_count(result->err, "before\n"), 1);
    assert_int_equal(scenario_count(result->err, "\n"), 1);
    assert_int_equal(scenario_count(result->out, "after\n"), 1);
    assert_int_equal(scenario_count(result->out, "\n"), 1);
}

/* ------------------------------------------------------------------------------------------------
 * Early, concurrent, without the heap
 */

/* Runs right behind the registration above, before any other initialisation. */
static void __attribute__((constructor(102))) log_before_main(void)
{
    if (getenv("TEST_LOG_EARLY") == NULL)
        return;
    doca_log_backend_create_standard();
    DOCA_LOG_INFO("early application");
    CORE_INFO(CORE_LOG_PE, "early SDK");
}

static void do_nothing(void)
{
}

static void constructors_may_log(void **state)
{
    const char *const env[] = {"TEST_LOG_EARLY", "1", "DOCA_LOG_LEVEL_SDK", "info", NULL};
    const struct scenario_result *result = scenario_run("do_nothing", env);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_int_equal(scenario_count(result->out, "early application\n"), 1);
    assert_int_equal(scenario_count(result->err, "early SDK\n"), 1);
}

#define NUM_THREADS 4
#define NUM_RECORDS 300

static _Atomic uint32_t handled;

static void count_handled(char *buf)
{
    /* The lock of the backend guards the buffer, not this. */
    if (buf[strlen(buf) - 1] == '\n')
        atomic_fetch_add(&handled, 1);
}

static void *log_in_a_thread(void *arg)
{
    for (int i = 0; i < NUM_RECORDS; i++) {
        DOCA_LOG_INFO("app %s %d end", (const char *)arg, i);
        CORE_INFO(CORE_LOG_PE, "sdk %s %d end", (const char *)arg, i);
        CORE_DEBUG(CORE_LOG_PE, "now and then");
    }
    return NULL;
}

/* Changes what the records pass through, but keeps INFO printing. */
static void change_limits(struct doca_log_backend *quiet)
{
    for (int i = 0; i < 50; i++) {
        int source;

        CHECK(doca_log_level_set_global_lower_limit(i % 2 ? DOCA_LOG_LEVEL_DEBUG
                                                          : DOCA_LOG_LEVEL_INFO) == DOCA_SUCCESS);
        CHECK(doca_log_backend_set_sdk_level(quiet, i % 2 ? DOCA_LOG_LEVEL_ERROR
                                                          : DOCA_LOG_LEVEL_CRIT) == DOCA_SUCCESS);
        CHECK(doca_log_register_source("TEST::COMES.AND.GOES", &source) == DOCA_SUCCESS);
        CHECK(doca_log_unregister_source(source) == DOCA_SUCCESS);
    }
}

static void log_from_threads(void)
{
    static char names[NUM_THREADS][2] = {"a", "b", "c", "d"};
    static char buf[4096];
    struct doca_log_backend *backend, *quiet = make_sdk_backend(stderr, DOCA_LOG_LEVEL_CRIT);
    pthread_t threads[NUM_THREADS];

    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_buf(buf, sizeof(buf), count_handled, &backend) ==
          DOCA_SUCCESS);
    for (size_t i = 0; i < NUM_THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, log_in_a_thread, names[i]) == 0);
    change_limits(quiet);
    for (size_t i = 0; i < NUM_THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(atomic_load(&handled) == NUM_THREADS * NUM_RECORDS);
}

/* Every line is whole, and none is missing. */
static void assert_lines_are_whole(const char *text, const char *tier)
{
    char record[64];

    assert_int_equal(scenario_count(text, "\n"), NUM_THREADS * NUM_RECORDS);
    assert_int_equal(scenario_count(text, " end\n"), NUM_THREADS * NUM_RECORDS);
    assert_int_equal(scenario_count(text, "][DOCA][INF]["), NUM_THREADS * NUM_RECORDS);
    for (char thread = 'a'; thread < 'a' + NUM_THREADS; thread++) {
        const char *at = text;

        for (int i = 0; i < NUM_RECORDS; i++) {
            snprintf(record, sizeof(record), "] %s %c %d end\n", tier, thread, i);
            at = strstr(at, record);
            assert_non_null(at);
        }
    }
}

static void concurrent_lines_are_whole(void **state)
{
    const struct scenario_result *result = scenario_run("log_from_threads", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_lines_are_whole(result->out, "app");
    assert_lines_are_whole(result->err, "sdk");
}

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
#define CAN_COUNT_MALLOC 0
#else
#define CAN_COUNT_MALLOC 1

extern void *__libc_malloc(size_t size);
static _Atomic uint32_t mallocs;

/* Stands in front of the one that the libraries use. */
__attribute__((visibility("default"))) void *malloc(size_t size)
{
    atomic_fetch_add(&mallocs, 1);
    return __libc_malloc(size);
}
#endif

static void ignore_buffer(char *buf)
{
    (void)buf;
}

static void log_without_the_heap(void)
{
#if CAN_COUNT_MALLOC
    static char buf[256];
    struct doca_log_backend *backend;
    char *volatile copy;
    uint32_t before;

    CHECK(doca_log_backend_create_with_fd(STDOUT_FILENO, &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_file(stderr, &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_syslog("test", &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_buf_sdk(buf, sizeof(buf), ignore_buffer, &backend) ==
          DOCA_SUCCESS);
    before = atomic_load(&mallocs);
    copy = strdup("counted");
    free(copy);
    CHECK(atomic_load(&mallocs) == before + 1);
    before++;
    DOCA_LOG_INFO("first %d %s", 1, "record");
    CORE_INFO(CORE_LOG_PE, "first %d %s", 1, "record");
    CHECK(atomic_load(&mallocs) == before);
#else
    (void)ignore_buffer;
    exit(SCENARIO_SKIP);
#endif
}

static void emission_does_not_allocate(void **state)
{
    const char *const env[] = {"TZ", "ABC-3", NULL};
    const struct scenario_result *result = scenario_run("log_without_the_heap", env);

    (void)state;
    if (result->status == SCENARIO_SKIP)
        skip();
    assert_int_equal(result->status, 0);
}

int main(int argc, char **argv)
{
    static const struct scenario scenarios[] = {
        SCENARIO(log_every_level),      SCENARIO(log_sdk_records),
        SCENARIO(log_awkward_texts),    SCENARIO(keep_errno),
        SCENARIO(refuse_records),       SCENARIO(filter_without_backends),
        SCENARIO(log_plainly),          SCENARIO(log_as_samples_do),
        SCENARIO(log_with_limits_set),  SCENARIO(log_with_flags),
        SCENARIO(say_limits),           SCENARIO(log_before_and_after_a_backend),
        SCENARIO(do_nothing),           SCENARIO(log_from_threads),
        SCENARIO(log_without_the_heap),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(application_lines_have_their_shape),
        cmocka_unit_test(sdk_lines_have_no_function),
        cmocka_unit_test(awkward_texts_are_one_line_too),
        cmocka_unit_test(emission_keeps_errno),
        cmocka_unit_test(refused_records_print_nothing),
        cmocka_unit_test(without_a_backend_nothing_is_printed),
        cmocka_unit_test(without_the_variables_the_program_rules),
        cmocka_unit_test(the_environment_replaces_the_defaults),
        cmocka_unit_test(the_environment_makes_sdk_records_visible),
        cmocka_unit_test(the_environment_is_a_floor_of_verbosity),
        cmocka_unit_test(the_sdk_variable_goes_before_the_other),
        cmocka_unit_test(flags_go_before_the_environment),
        cmocka_unit_test(getters_tell_what_is_in_force),
        cmocka_unit_test(levels_have_names_and_numbers),
        cmocka_unit_test(bad_values_are_ignored_with_one_warning),
        cmocka_unit_test(the_program_takes_over_from_the_environment),
        cmocka_unit_test(constructors_may_log),
        cmocka_unit_test(concurrent_lines_are_whole),
        cmocka_unit_test(emission_does_not_allocate),
    };

    scenario_main(argc, argv, scenarios, OD_ARRAY_SIZE(scenarios));
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_priv.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "util/parse.h"
#include "util/text.h"

/* ------------------------------------------------------------------------------------------------
 * Levels and the environment
 */

static const struct {
    const char *name;
    enum doca_log_level level;
} level_names[] = {
    {"disable", DOCA_LOG_LEVEL_DISABLE}, {"crit", DOCA_LOG_LEVEL_CRIT},
    {"critical", DOCA_LOG_LEVEL_CRIT},   {"err", DOCA_LOG_LEVEL_ERROR},
    {"error", DOCA_LOG_LEVEL_ERROR},     {"warn", DOCA_LOG_LEVEL_WARNING},
    {"warning", DOCA_LOG_LEVEL_WARNING}, {"info", DOCA_LOG_LEVEL_INFO},
    {"debug", DOCA_LOG_LEVEL_DEBUG},     {"trace", DOCA_LOG_LEVEL_TRACE},
};

#define LEVEL_LIST "10, 20, 30, 40, 50, 60 or 70"

int core_log_parse_level(const char *text, enum doca_log_level *level)
{
    uint64_t number;

    if (text == NULL)
        return -EINVAL;
    if (od_parse_u64(text, &number) == 0) {
        if (number > UINT32_MAX || !log_level_is_valid((uint32_t)number))
            return -EINVAL;
        *level = (enum doca_log_level)number;
        return 0;
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(level_names); i++) {
        if (strcasecmp(text, level_names[i].name) == 0) {
            *level = level_names[i].level;
            return 0;
        }
    }
    return -EINVAL;
}

doca_error_t log_fail_level(const char *func, const char *attribute, uint32_t level)
{
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, func, NULL, attribute,
                     "%u" CORE_LIMIT LEVEL_LIST CORE_REMEDY "pass a value of enum doca_log_level",
                     level);
}

static size_t format_line(char line[LOG_LINE_SIZE], enum doca_log_level level, const char *file,
                          int lineno, const char *func, const char *fmt, va_list ap)
    OD_PRINTF(6, 0);
static size_t format_line_of(char line[LOG_LINE_SIZE], enum doca_log_level level, const char *file,
                             int lineno, const char *fmt, ...) OD_PRINTF(5, 6);

/* Straight to stderr: the user must hear of it, and no backend need exist. */
static void warn_about_variable(const char *name, const char *value)
{
    char line[LOG_LINE_SIZE];
    size_t len = format_line_of(line, DOCA_LOG_LEVEL_WARNING, __FILE__, __LINE__,
                                "environment variable %s=\"%.64s\" is ignored: not a log level, "
                                "use " LEVEL_LIST " or a name from \"disable\" to \"trace\"",
                                name, value);
    ssize_t written = write(STDERR_FILENO, line, len);

    (void)written;
}

static int environment_level(const char *name)
{
    const char *value = getenv(name);
    enum doca_log_level level;

    if (value == NULL || *value == '\0')
        return LOG_LEVEL_UNSET;
    if (core_log_parse_level(value, &level) != 0) {
        warn_about_variable(name, value);
        return LOG_LEVEL_UNSET;
    }
    return (int)level;
}

static void read_environment(void)
{
    int both, sdk;

    /* The time zone is loaded here, so that emission need not allocate for it. */
    tzset();
    both = environment_level("DOCA_LOG_LEVEL");
    sdk = environment_level("DOCA_LOG_LEVEL_SDK");
    log_tier_start(CORE_LOG_TIER_APP, both);
    log_tier_start(CORE_LOG_TIER_SDK, sdk != LOG_LEVEL_UNSET ? sdk : both);
}

void log_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_environment);
}

/* ------------------------------------------------------------------------------------------------
 * Lines
 */

static const char *level_tag(enum doca_log_level level)
{
    static const char *const tags[] = {"CRT", "ERR", "WRN", "INF", "DBG", "TRC"};

    return tags[level / 10 - 2];
}

static const char *base_name(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    return slash != NULL ? slash + 1 : path != NULL ? path : "-";
}

static void format_head(struct od_text *text, enum doca_log_level level, const char *file,
                        int lineno, const char *func)
{
    struct timespec now;
    struct tm tm;

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &tm);
    od_text_printf(text, "[%02d:%02d:%02d:%06ld][%d][DOCA][%s][%s:%d]", tm.tm_hour, tm.tm_min,
                   tm.tm_sec, now.tv_nsec / 1000, (int)gettid(), level_tag(level), base_name(file),
                   lineno);
    od_text_printf(text, func != NULL ? "[%s] " : " ", func);
}

/* The whole record as one line with a newline at its end; `func` is NULL for SDK records. Returns
 * the length. */
static size_t format_line(char line[LOG_LINE_SIZE], enum doca_log_level level, const char *file,
                          int lineno, const char *func, const char *fmt, va_list ap)
{
    static const char cut_mark[] = "...";
    struct od_text text;

    od_text_init(&text, line, LOG_LINE_SIZE - sizeof(cut_mark));
    format_head(&text, level, file, lineno, func);
    od_text_vprintf(&text, fmt, ap);
    if (text.len == text.cap - 1) {
        memcpy(line + text.len, cut_mark, sizeof(cut_mark));
        text.len += sizeof(cut_mark) - 1;
    }
    while (text.len > 0 && line[text.len - 1] == '\n')
        text.len--;
    line[text.len++] = '\n';
    line[text.len] = '\0';
    return text.len;
}

static size_t format_line_of(char line[LOG_LINE_SIZE], enum doca_log_level level, const char *file,
                             int lineno, const char *fmt, ...)
{
    va_list ap;
    size_t len;

    va_start(ap, fmt);
    len = format_line(line, level, file, lineno, NULL, fmt, ap);
    va_end(ap);
    return len;
}

/* ------------------------------------------------------------------------------------------------
 * Emission
 */

static void emit(enum core_log_tier tier, enum doca_log_level level, const char *file, int lineno,
                 const char *func, const char *fmt, va_list ap) OD_PRINTF(6, 0);

static void emit(enum core_log_tier tier, enum doca_log_level level, const char *file, int lineno,
                 const char *func, const char *fmt, va_list ap)
{
    int saved_errno = errno;
    char line[LOG_LINE_SIZE];
    int cancel_state;
    size_t len;

    /* Sinks have locks and cancellation points. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    len = format_line(line, level, file, lineno, func, fmt, ap);
    log_tier_write(tier, level, line, len);
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
}

/* Logged as an answer: nothing shall appear for a record that is refused. */
static doca_error_t refuse_record(const char *attribute, const char *fmt, int value)
{
    return CORE_ANSWER(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, "doca_log", NULL, attribute, fmt,
                       value);
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
                      const char *format, ...)
{
    int source_level = log_source_level(source);
    va_list ap;

    if (!log_level_is_valid(level) || level == DOCA_LOG_LEVEL_DISABLE)
        return refuse_record("level",
                             "%d" CORE_LIMIT "20, 30, 40, 50, 60 or 70" CORE_REMEDY
                             "pass a value of enum doca_log_level",
                             (int)level);
    if (source_level == 0)
        return refuse_record("source",
                             "%d" CORE_REMEDY "pass an id from doca_log_register_source()", source);
    if (format == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "format");

    log_ready();
    if ((int)level > OD_MAX(source_level, log_tier_floor(CORE_LOG_TIER_APP)) ||
        !log_tier_wants(CORE_LOG_TIER_APP, level))
        return DOCA_SUCCESS;
    va_start(ap, format);
    emit(CORE_LOG_TIER_APP, level, fname, line, func != NULL ? func : "-", format, ap);
    va_end(ap);
    return DOCA_SUCCESS;
}

void core_log_print(enum doca_log_level level, enum core_log_source source, const char *file,
                    int line, const char *fmt, ...)
{
    va_list ap;

    log_ready();
    if ((int)level > OD_MAX(log_sdk_source_level(source), log_tier_floor(CORE_LOG_TIER_SDK)) ||
        !log_tier_wants(CORE_LOG_TIER_SDK, level))
        return;
    va_start(ap, fmt);
    emit(CORE_LOG_TIER_SDK, level, file, line, NULL, fmt, ap);
    va_end(ap);
}

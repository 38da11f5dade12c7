/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/core_priv.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <opendoca.h>

#include "util/text.h"

/* ------------------------------------------------------------------------------------------------
 * Names and texts of the codes
 */

struct error_text {
    const char *name;
    const char *descr;
};

#define ERROR_TEXT(code, descr) [code] = {#code, descr}

static const struct error_text error_texts[] = {
    ERROR_TEXT(DOCA_SUCCESS, "Success"),
    ERROR_TEXT(DOCA_ERROR_UNKNOWN, "Unknown error"),
    ERROR_TEXT(DOCA_ERROR_NOT_PERMITTED, "Operation not permitted"),
    ERROR_TEXT(DOCA_ERROR_IN_USE, "Resource is still in use"),
    ERROR_TEXT(DOCA_ERROR_NOT_SUPPORTED, "Operation not supported"),
    ERROR_TEXT(DOCA_ERROR_AGAIN, "Resource temporarily unavailable, try again"),
    ERROR_TEXT(DOCA_ERROR_INVALID_VALUE, "Invalid value"),
    ERROR_TEXT(DOCA_ERROR_NO_MEMORY, "Out of memory"),
    ERROR_TEXT(DOCA_ERROR_INITIALIZATION, "Resource could not be initialized"),
    ERROR_TEXT(DOCA_ERROR_TIME_OUT, "Timed out"),
    ERROR_TEXT(DOCA_ERROR_SHUTDOWN, "Shut down"),
    ERROR_TEXT(DOCA_ERROR_CONNECTION_RESET, "Connection reset by the peer"),
    ERROR_TEXT(DOCA_ERROR_CONNECTION_ABORTED, "Connection aborted"),
    ERROR_TEXT(DOCA_ERROR_CONNECTION_INPROGRESS, "Connection is being established"),
    ERROR_TEXT(DOCA_ERROR_NOT_CONNECTED, "Not connected"),
    ERROR_TEXT(DOCA_ERROR_NO_LOCK, "Lock could not be taken"),
    ERROR_TEXT(DOCA_ERROR_NOT_FOUND, "Resource not found"),
    ERROR_TEXT(DOCA_ERROR_IO_FAILED, "Input/output operation failed"),
    ERROR_TEXT(DOCA_ERROR_BAD_STATE, "Operation not allowed in the current state"),
    ERROR_TEXT(DOCA_ERROR_UNSUPPORTED_VERSION, "Unsupported version"),
    ERROR_TEXT(DOCA_ERROR_OPERATING_SYSTEM, "Operating system call failed"),
    ERROR_TEXT(DOCA_ERROR_DRIVER, "Device layer failed"),
    ERROR_TEXT(DOCA_ERROR_UNEXPECTED, "Unexpected internal condition"),
    ERROR_TEXT(DOCA_ERROR_ALREADY_EXIST, "Resource already exists"),
    ERROR_TEXT(DOCA_ERROR_FULL, "Resource is full"),
    ERROR_TEXT(DOCA_ERROR_EMPTY, "Resource is empty"),
    ERROR_TEXT(DOCA_ERROR_IN_PROGRESS, "Operation is in progress"),
    ERROR_TEXT(DOCA_ERROR_TOO_BIG, "Request is too big"),
    ERROR_TEXT(DOCA_ERROR_AUTHENTICATION, "Authentication failed"),
    ERROR_TEXT(DOCA_ERROR_BAD_CONFIG, "Bad configuration"),
    ERROR_TEXT(DOCA_ERROR_SKIPPED, "Result is valid, but earlier data was lost"),
    ERROR_TEXT(DOCA_ERROR_DEVICE_FATAL_ERROR, "Device is in a fatal error state"),
};

static const char unrecognized[] = "unrecognized error code";

const char *doca_error_get_name(doca_error_t error)
{
    return (size_t)error < OD_ARRAY_SIZE(error_texts) ? error_texts[error].name : unrecognized;
}

const char *doca_error_get_descr(doca_error_t error)
{
    return (size_t)error < OD_ARRAY_SIZE(error_texts) ? error_texts[error].descr : unrecognized;
}

doca_error_t core_error_from_errno(int err)
{
    switch (abs(err)) {
    case EINVAL:
    case EBADMSG:
    case ERANGE:
        return DOCA_ERROR_INVALID_VALUE;
    case EPROTO:
        return DOCA_ERROR_UNSUPPORTED_VERSION;
    case ENOMEM:
    case EMFILE:
    case ENFILE:
        return DOCA_ERROR_NO_MEMORY;
    case EPERM:
    case EACCES:
    case EXDEV:
        return DOCA_ERROR_NOT_PERMITTED;
    case ENOTSUP:
        return DOCA_ERROR_NOT_SUPPORTED;
    case EAGAIN:
        return DOCA_ERROR_AGAIN;
    case EFAULT:
    case EIO:
    case ECANCELED:
        return DOCA_ERROR_IO_FAILED;
    case ENOENT:
        return DOCA_ERROR_NOT_FOUND;
    case ECONNREFUSED:
    case ENOTCONN:
    case EHOSTUNREACH:
    case ESRCH:
        return DOCA_ERROR_DRIVER;
    case ETIMEDOUT:
        return DOCA_ERROR_TIME_OUT;
    case EBUSY:
        return DOCA_ERROR_IN_USE;
    case EEXIST:
        return DOCA_ERROR_ALREADY_EXIST;
    case ENOSPC:
        return DOCA_ERROR_FULL;
    default:
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
}

doca_error_t core_error_from_peer(int err)
{
    const doca_error_t code = core_error_from_errno(err);

    switch (code) {
    case DOCA_ERROR_INVALID_VALUE:
    case DOCA_ERROR_NOT_PERMITTED:
    case DOCA_ERROR_NO_MEMORY:
    case DOCA_ERROR_UNSUPPORTED_VERSION:
        return code;
    default:
        return DOCA_ERROR_DRIVER;
    }
}

/* ------------------------------------------------------------------------------------------------
 * The last failure of each thread
 */

#define NAME_SIZE 96
#define BODY_SIZE 1024
/* The parts, and the words between them. */
#define TEXT_SIZE (3 * NAME_SIZE + BODY_SIZE + 64)
/* Every byte may need a backslash: the parts once by themselves, once more inside the text. */
#define JSON_SIZE (2 * (2 * TEXT_SIZE) + 256)

/* Copies, because what they came from may be gone when somebody asks. */
struct failure {
    doca_error_t code;
    char func[NAME_SIZE];
    char object[NAME_SIZE];
    char attribute[NAME_SIZE];
    char body[BODY_SIZE]; /* value, limit and remedy, each terminated */
    char *value;          /* into body */
    char *limit;
    char *remedy;
};

struct last_failure {
    struct failure failure; /* code is DOCA_SUCCESS when there is none */
    char text[TEXT_SIZE];
    char json[JSON_SIZE];
};

/* On the heap, made at the first failure of a thread: several KiB in the thread-local block would
 * keep dlopen() from loading the library. */
static __thread struct last_failure *thread_last;
static pthread_key_t last_key;
static bool last_key_is_valid;
static pthread_once_t last_once = PTHREAD_ONCE_INIT;

static void free_last(void *last)
{
    thread_last = NULL;
    free(last);
}

static void make_last_key(void)
{
    last_key_is_valid = pthread_key_create(&last_key, free_last) == 0;
}

/* NULL when there is no memory for it. */
static struct last_failure *ensure_last(void)
{
    struct last_failure *last = thread_last;

    if (od_likely(last != NULL))
        return last;
    pthread_once(&last_once, make_last_key);
    if (!last_key_is_valid)
        return NULL;
    last = malloc(sizeof(*last));
    if (last == NULL)
        return NULL;
    if (pthread_setspecific(last_key, last) != 0) {
        free(last);
        return NULL;
    }
    last->failure.code = DOCA_SUCCESS;
    thread_last = last;
    return last;
}

/* Values come from outside: control characters could forge a line of the log. */
static void blank_controls(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20)
            *text = ' ';
    }
}

static void copy_name(char to[NAME_SIZE], const char *from)
{
    size_t len = from != NULL ? strnlen(from, NAME_SIZE - 1) : 0;

    if (len > 0)
        memcpy(to, from, len);
    to[len] = '\0';
    blank_controls(to);
}

/* Cuts the part behind `mark` off and returns it, "" when there is none. */
static char *split_part(char *body, char mark)
{
    char *at = strchr(body, mark);

    if (at == NULL)
        return body + strlen(body);
    *at = '\0';
    return at + 1;
}

static void split_body(struct failure *failure)
{
    failure->value = failure->body;
    failure->remedy = split_part(failure->body, CORE_REMEDY[0]);
    failure->limit = split_part(failure->body, CORE_LIMIT[0]);
    blank_controls(failure->value);
    blank_controls(failure->limit);
    blank_controls(failure->remedy);
}

static void describe_failure(const struct failure *failure, char *buf, size_t cap)
{
    struct od_text text;

    od_text_init(&text, buf, cap);
    od_text_printf(&text, "%s(%s): ", failure->func, failure->object);
    if (failure->attribute[0] != '\0')
        od_text_printf(&text, "%s is ", failure->attribute);
    od_text_printf(&text, "%s", failure->value);
    if (failure->limit[0] != '\0')
        od_text_printf(&text, ", limit %s", failure->limit);
    od_text_printf(&text, ": %s", doca_error_get_name(failure->code));
    if (failure->remedy[0] != '\0')
        od_text_printf(&text, "; %s", failure->remedy);
}

const char *opendoca_last_error(void)
{
    struct last_failure *last = thread_last;

    if (last == NULL || last->failure.code == DOCA_SUCCESS)
        return "";
    describe_failure(&last->failure, last->text, sizeof(last->text));
    return last->text;
}

const char *opendoca_last_error_json(void)
{
    struct last_failure *last = thread_last;
    struct od_text json;

    if (last == NULL || last->failure.code == DOCA_SUCCESS)
        return "{}";

    const struct failure *failure = &last->failure;
    const struct {
        const char *key;
        const char *value;
    } members[] = {
        {"code", doca_error_get_name(failure->code)},
        {"function", failure->func},
        {"object", failure->object},
        {"attribute", failure->attribute},
        {"value", failure->value},
        {"limit", failure->limit},
        {"remedy", failure->remedy},
        {"text", opendoca_last_error()},
    };

    od_text_init(&json, last->json, sizeof(last->json));
    for (size_t i = 0; i < OD_ARRAY_SIZE(members); i++) {
        od_text_printf(&json, "%s\"%s\": ", i == 0 ? "{" : ", ", members[i].key);
        od_text_json_string(&json, members[i].value);
    }
    od_text_printf(&json, "}");
    return last->json;
}

void opendoca_clear_error(void)
{
    if (thread_last != NULL)
        thread_last->failure.code = DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Failing
 */

/* A call site prints this many lines a second. */
#define SITE_BURST 32u

/* The state of a call site's rate limit: which second, and how many failures in it. */
#define SITE_WINDOW(second, count) ((uint64_t)(second) << 32 | (count))
#define SITE_SECOND(window)        ((uint32_t)((window) >> 32))
#define SITE_COUNT(window)         ((uint32_t)(window))

struct site_verdict {
    bool print;
    bool is_last;       /* the rest of this second is silent */
    uint32_t held_back; /* failures of an earlier second that were not printed */
};

static uint32_t monotonic_second(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint32_t)now.tv_sec;
}

static struct site_verdict count_failure(struct core_fail_site *site)
{
    const uint32_t second = monotonic_second();
    uint64_t old = atomic_load_explicit(&site->window, memory_order_relaxed);
    struct site_verdict verdict;
    uint64_t new;

    do {
        uint32_t count = SITE_COUNT(old);
        bool same = count > 0 && SITE_SECOND(old) == second;

        verdict.held_back = !same && count > SITE_BURST ? count - SITE_BURST : 0;
        count = same ? (count < UINT32_MAX ? count + 1 : count) : 1;
        verdict.print = count <= SITE_BURST;
        verdict.is_last = count == SITE_BURST;
        new = SITE_WINDOW(second, count);
    } while (!atomic_compare_exchange_weak_explicit(&site->window, &old, new, memory_order_relaxed,
                                                    memory_order_relaxed));
    return verdict;
}

static void log_failure(struct core_fail_site *site, enum doca_log_level level,
                        const struct failure *failure)
{
    struct site_verdict verdict;
    char text[TEXT_SIZE];
    char held_back[48] = "";

    if ((int)level > atomic_load_explicit(&core_log_threshold, memory_order_relaxed))
        return;
    verdict = count_failure(site);
    if (!verdict.print)
        return;
    describe_failure(failure, text, sizeof(text));
    if (verdict.held_back > 0)
        snprintf(held_back, sizeof(held_back), " (%u more were not printed)", verdict.held_back);
    core_log_print(level, site->source, site->file, site->line, "%s%s%s", text, held_back,
                   verdict.is_last ? " (repeats, not printed for the rest of this second)" : "");
}

doca_error_t core_fail(struct core_fail_site *site, doca_error_t error, const char *func,
                       const char *object, const char *attribute, const char *fmt, ...)
{
    struct last_failure *last = ensure_last();
    struct failure scratch;
    struct failure *failure = last != NULL ? &last->failure : &scratch;
    bool is_answer =
        site->is_answer || error == DOCA_ERROR_AGAIN || error == DOCA_ERROR_IN_PROGRESS;
    struct od_text body;
    va_list ap;

    if (error == DOCA_SUCCESS) /* a bug; CORE_FAIL() promises that this never comes back */
        error = DOCA_ERROR_UNEXPECTED;
    failure->code = error;
    copy_name(failure->func, func);
    copy_name(failure->object, object);
    copy_name(failure->attribute, attribute);
    od_text_init(&body, failure->body, sizeof(failure->body));
    va_start(ap, fmt);
    od_text_vprintf(&body, fmt, ap);
    va_end(ap);
    split_body(failure);
    log_failure(site, is_answer ? DOCA_LOG_LEVEL_DEBUG : DOCA_LOG_LEVEL_ERROR, failure);
    return error;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/text.h"

#define MESSAGE_SIZE 1024
/* Leaves room for what stands around it in the message. */
#define PROBLEM_SIZE 600

static void say_through_callback(const struct argp *argp, enum doca_log_level level,
                                 const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)argp->logger_cb(level, fmt, ap);
    va_end(ap);
}

static void say_text(const struct argp *argp, enum doca_log_level level, const char *text)
{
    if (argp->logger_cb != NULL)
        say_through_callback(argp, level, "%s", text);
    else
        fprintf(stderr, "%s\n", text);
}

void argp_say(const struct argp *argp, enum doca_log_level level, const char *fmt, ...)
{
    char buf[MESSAGE_SIZE];
    struct od_text text;
    va_list ap;

    od_text_init(&text, buf, sizeof(buf));
    od_text_printf(&text, "%s: ", argp->name);
    va_start(ap, fmt);
    od_text_vprintf(&text, fmt, ap);
    va_end(ap);
    say_text(argp, level, buf);
}

static void say_usage(const struct argp *argp)
{
    OD_AUTO_FREE char *help = argp_help_text(argp);

    if (help != NULL)
        say_text(argp, DOCA_LOG_LEVEL_ERROR, help);
}

doca_error_t argp_fail(const struct argp *argp, doca_error_t code, const char *what,
                       const char *expected, const char *problem, ...)
{
    bool has_limit = expected != NULL;
    char buf[PROBLEM_SIZE];
    struct od_text text;
    va_list ap;

    od_text_init(&text, buf, sizeof(buf));
    va_start(ap, problem);
    od_text_vprintf(&text, problem, ap);
    va_end(ap);
    argp_say(argp, DOCA_LOG_LEVEL_ERROR, "%s is %s%s%s", what, buf, has_limit ? "; expected " : "",
             has_limit ? expected : "");
    if (code == DOCA_ERROR_INVALID_VALUE || code == DOCA_ERROR_NOT_SUPPORTED)
        say_usage(argp);
    return CORE_FAIL(code, CORE_LOG_ARGP, "doca_argp_start", argp->name, what,
                     "%s" CORE_LIMIT "%s" CORE_REMEDY "%s", buf, has_limit ? expected : "",
                     code == DOCA_ERROR_IO_FAILED ? "name a readable JSON file" : "see --help");
}

doca_error_t argp_fail_no_memory(const struct argp *argp, const char *what)
{
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_ARGP, "doca_argp_start", argp->name, what,
                     "not allocated, the heap is exhausted");
}

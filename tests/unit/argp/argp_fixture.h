/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_ARGP_ARGP_FIXTURE_H_
#define TESTS_UNIT_ARGP_ARGP_FIXTURE_H_

/* A parser whose callbacks write down what they were handed, and child processes for everything
 * that prints or exits. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include <doca_argp.h>

#include "util/base.h"

#define MAX_ARGS 32

/* What callbacks were handed, e.g. "int 3; string x; ". It is the program_config of the parser. */
struct journal {
    char text[4096];
    doca_error_t answer; /* of every callback */
};

OD_UNUSED static struct journal journal;

OD_PRINTF(2, 3) static void note(struct journal *to, const char *fmt, ...)
{
    size_t len = strlen(to->text);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(to->text + len, sizeof(to->text) - len, fmt, ap);
    va_end(ap);
}

OD_UNUSED static doca_error_t on_string(void *value, void *config)
{
    note(config, "string %s; ", (char *)value);
    return ((struct journal *)config)->answer;
}

OD_UNUSED static doca_error_t on_int(void *value, void *config)
{
    note(config, "int %d; ", *(int *)value);
    return ((struct journal *)config)->answer;
}

OD_UNUSED static doca_error_t on_bool(void *value, void *config)
{
    note(config, "bool %s; ", *(bool *)value ? "true" : "false");
    return ((struct journal *)config)->answer;
}

OD_UNUSED static doca_error_t on_double(void *value, void *config)
{
    note(config, "double %g; ", *(double *)value);
    return ((struct journal *)config)->answer;
}

OD_UNUSED static doca_error_t on_cmd(void *config)
{
    note(config, "command; ");
    return ((struct journal *)config)->answer;
}

OD_UNUSED static doca_error_t on_validation(void *config)
{
    note(config, "validation; ");
    return ((struct journal *)config)->answer;
}

enum param_flags {
    MANDATORY = 1,
    CLI_ONLY = 2,
    MULTIPLE = 4,
    SINGULAR = 8,
    INHERITED = 16,
    HIDDEN = 32,
};

OD_UNUSED static doca_argp_param_cb_t callback_of(enum doca_argp_type type)
{
    switch (type) {
    case DOCA_ARGP_TYPE_INT:
        return on_int;
    case DOCA_ARGP_TYPE_BOOLEAN:
        return on_bool;
    case DOCA_ARGP_TYPE_DOUBLE:
        return on_double;
    default:
        return on_string;
    }
}

/* A complete parameter that is not registered yet; names may be NULL. */
OD_UNUSED static struct doca_argp_param *make_param(const char *short_name, const char *long_name,
                                                    enum doca_argp_type type, int flags)
{
    struct doca_argp_param *param = NULL;

    assert_int_equal(doca_argp_param_create(&param), DOCA_SUCCESS);
    doca_argp_param_set_short_name(param, short_name);
    doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_description(param, "a flag of the test");
    doca_argp_param_set_type(param, type);
    doca_argp_param_set_callback(param, callback_of(type));
    if ((flags & MANDATORY) != 0)
        doca_argp_param_set_mandatory(param);
    if ((flags & CLI_ONLY) != 0)
        doca_argp_param_set_cli_only(param);
    if ((flags & MULTIPLE) != 0)
        doca_argp_param_set_multiplicity(param);
    if ((flags & SINGULAR) != 0)
        doca_argp_param_set_singular(param);
    if ((flags & INHERITED) != 0)
        doca_argp_param_set_inherited(param);
    if ((flags & HIDDEN) != 0)
        doca_argp_param_set_hidden(param);
    return param;
}

OD_UNUSED static void add_param(const char *short_name, const char *long_name,
                                enum doca_argp_type type, int flags)
{
    assert_int_equal(doca_argp_register_param(make_param(short_name, long_name, type, flags)),
                     DOCA_SUCCESS);
}

OD_UNUSED static struct doca_argp_cmd *make_cmd(const char *name)
{
    struct doca_argp_cmd *cmd = NULL;

    assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
    doca_argp_cmd_set_name(cmd, name);
    doca_argp_cmd_set_description(cmd, "a command of the test");
    doca_argp_cmd_set_callback(cmd, on_cmd);
    return cmd;
}

OD_UNUSED static int init_parser(void **state)
{
    (void)state;
    memset(&journal, 0, sizeof(journal));
    return doca_argp_init("prog", &journal) == DOCA_SUCCESS ? 0 : -1;
}

OD_UNUSED static int destroy_parser(void **state)
{
    (void)state;
    return doca_argp_destroy() == DOCA_SUCCESS ? 0 : -1;
}

/* doca_argp_start() with the arguments behind the program's name, up to NULL. */
OD_UNUSED static doca_error_t start_args(const char *const *args)
{
    char *argv[MAX_ARGS + 1] = {strdup("/usr/bin/prog")};
    doca_error_t err;
    int argc = 1;

    for (; args[argc - 1] != NULL && argc < MAX_ARGS; argc++)
        argv[argc] = strdup(args[argc - 1]);
    err = doca_argp_start(argc, argv);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return err;
}

#define START(...) start_args((const char *const[]){__VA_ARGS__, NULL})
#define START_BARE start_args((const char *const[]){NULL})

/* ------------------------------------------------------------------------------------------------
 * Child processes
 */

/* Status of a child whose doca_argp_start() came back: this and the code. */
#define RETURNED 100

struct outcome {
    int status;
    char out[16384];
    char err[16384];
};

OD_UNUSED static void read_back(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    close(fd);
}

/* Runs `setup` on a fresh parser, then starts it, in a child of its own. */
OD_UNUSED static struct outcome run_child(void (*setup)(void), const char *const *args)
{
    int out = memfd_create("stdout", 0), err = memfd_create("stderr", 0);
    struct outcome outcome = {0};
    int wait_status = 0;
    pid_t pid;

    fflush(stdout);
    fflush(stderr);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int status;

        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        if (init_parser(NULL) != 0)
            _exit(99);
        setup();
        status = RETURNED + (int)start_args(args);
        (void)doca_argp_destroy();
        exit(status);
    }
    assert_int_equal(waitpid(pid, &wait_status, 0), pid);
    assert_true(WIFEXITED(wait_status));
    outcome.status = WEXITSTATUS(wait_status);
    read_back(out, outcome.out, sizeof(outcome.out));
    read_back(err, outcome.err, sizeof(outcome.err));
    return outcome;
}

#define RUN(setup, ...) run_child(setup, (const char *const[]){__VA_ARGS__, NULL})

#define assert_contains(text, part)                                                                \
    do {                                                                                           \
        if (strstr(text, part) == NULL)                                                            \
            fail_msg("\"%s\" is not in:\n%s", part, text);                                         \
    } while (0)

#define assert_lacks(text, part)                                                                   \
    do {                                                                                           \
        if (strstr(text, part) != NULL)                                                            \
            fail_msg("\"%s\" is in:\n%s", part, text);                                             \
    } while (0)

/* A file that holds the text; the caller unlinks and frees its path. */
OD_UNUSED static char *make_file(const char *text)
{
    char *path = strdup("/tmp/argp-test-XXXXXX");
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

OD_UNUSED static void remove_file(char *path)
{
    unlink(path);
    free(path);
}

#endif /* TESTS_UNIT_ARGP_ARGP_FIXTURE_H_ */

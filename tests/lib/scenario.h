/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_SCENARIO_H_
#define OD_TESTS_SCENARIO_H_

/* For state that a process can have only once (the log, the environment): a test program starts
 * itself again with the name of a scenario, which runs in a pristine process, and looks at what it
 * wrote. A scenario checks with CHECK() and ends by returning. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct scenario {
    const char *name;
    void (*run)(void);
};

#define SCENARIO(function)                                                                         \
    {                                                                                              \
#function, function                                                                        \
    }

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            dprintf(STDERR_FILENO, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* The exit status of a scenario that cannot run here. */
#define SCENARIO_SKIP 77

struct scenario_result {
    int status; /* exit status, or 128 + the signal that ended it */
    char out[1 << 18];
    char err[1 << 18];
};

/* The first thing in main(): runs the scenario that the arguments name and does not come back. */
static inline void scenario_main(int argc, char **argv, const struct scenario *scenarios,
                                 size_t num)
{
    if (argc < 2)
        return;
    for (size_t i = 0; i < num; i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            scenarios[i].run();
            exit(0);
        }
    }
    fprintf(stderr, "no scenario \"%s\"\n", argv[1]);
    exit(2);
}

static inline void scenario_slurp(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    close(fd);
}

/* `env` has pairs of name and value and ends with NULL; log levels are unset otherwise. The result
 * is valid until the next call. */
static inline const struct scenario_result *scenario_run(const char *name, const char *const *env)
{
    static struct scenario_result result;
    int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
    int status = 0;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        unsetenv("DOCA_LOG_LEVEL");
        unsetenv("DOCA_LOG_LEVEL_SDK");
        for (; env != NULL && env[0] != NULL; env += 2)
            setenv(env[0], env[1], 1);
        if (dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
            execl("/proc/self/exe", "scenario", name, (char *)NULL);
        _exit(3);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    scenario_slurp(out, result.out, sizeof(result.out));
    scenario_slurp(err, result.err, sizeof(result.err));
    if (result.status != 0 && result.status != SCENARIO_SKIP)
        fprintf(stderr, "scenario %s ended with %d:\n%s%s", name, result.status, result.out,
                result.err);
    return &result;
}

/* How often `what` occurs in `text`. */
static inline size_t scenario_count(const char *text, const char *what)
{
    size_t num = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        num++;
    return num;
}

#endif /* OD_TESTS_SCENARIO_H_ */

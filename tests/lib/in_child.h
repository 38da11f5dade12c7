/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_LIB_IN_CHILD_H_
#define OD_TESTS_LIB_IN_CHILD_H_

/* What a process decides once is tested in a child for each case. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `body` in a child with the variables set (NULL = unset); 0 when it returned true. */
static inline int in_child(const char *config, const char *role, bool (*body)(void))
{
    int status = -1;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        unsetenv("OPENDOCA_CONFIG");
        unsetenv("OPENDOCA_ROLE");
        if (config != NULL)
            setenv("OPENDOCA_CONFIG", config, 1);
        if (role != NULL)
            setenv("OPENDOCA_ROLE", role, 1);
        _exit(body() ? 0 : 1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Fails the child with a line that says what was not so. */
#define CHILD_CHECK(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

#endif /* OD_TESTS_LIB_IN_CHILD_H_ */

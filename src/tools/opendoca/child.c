/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/opendoca_tool.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soft/copy/copy.h"
#include "tools/common/install.h"

void tool_copy_engines(char *text, size_t size)
{
    size_t len = 0;

    text[0] = '\0';
    for (const struct soft_copy_ops *const *ops = soft_copy_engines(); *ops != NULL; ops++)
        len += (size_t)snprintf(text + len, size - len, "%s%s", len > 0 ? ", " : "", (*ops)->name);
}

void tool_prepend(const char *name, const char *value)
{
    const char *old = getenv(name);
    char *joined;

    if (old == NULL || old[0] == '\0') {
        setenv(name, value, 1);
        return;
    }
    if (asprintf(&joined, "%s:%s", value, old) < 0)
        return;
    setenv(name, joined, 1);
    free(joined);
}

bool tool_find(const char *program, char *file, size_t size)
{
    const char *path = getenv("PATH");
    char copy[4096], *state = NULL;

    snprintf(copy, sizeof(copy), "%s", path != NULL ? path : "/usr/bin:/bin");
    for (char *dir = strtok_r(copy, ":", &state); dir != NULL; dir = strtok_r(NULL, ":", &state)) {
        snprintf(file, size, "%s/%s", dir, program);
        if (access(file, X_OK) == 0)
            return true;
    }
    return false;
}

void tool_apply_env(const struct tool_env *env)
{
    tool_prepend("LD_LIBRARY_PATH", tool_libdir());
    if (env->role != NULL)
        setenv("OPENDOCA_ROLE", env->role, 1);
    if (env->config != NULL)
        setenv("OPENDOCA_CONFIG", env->config, 1);
    if (env->engine != NULL)
        setenv("OPENDOCA_COPY_ENGINE", env->engine, 1);
    if (env->faults != NULL)
        setenv("OPENDOCA_FAULTS", env->faults, 1);
}

static void become(char *const argv[], const struct tool_env *env, int in, int out, int err,
                   pid_t parent)
{
    sigset_t none;

    /* What this tool does with signals is not the program's business. */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    /* A program that was started for a pair must not outlive it. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(126);
    if (in >= 0)
        dup2(in, STDIN_FILENO);
    if (out >= 0)
        dup2(out, STDOUT_FILENO);
    if (err >= 0)
        dup2(err, STDERR_FILENO);
    tool_apply_env(env);
    execvp(argv[0], argv);
    fprintf(stderr, "opendoca: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

pid_t tool_spawn(char *const argv[], const struct tool_env *env, int in, int out, int err)
{
    pid_t parent = getpid(), pid = fork();

    if (pid == 0)
        become(argv, env, in, out, err, parent);
    if (pid < 0)
        fprintf(stderr, "opendoca: cannot start %s: %s\n", argv[0], strerror(errno));
    return pid;
}

int tool_call(const char *const argv[], int out, int err)
{
    const struct tool_env env = {0};
    /* The arguments are not changed by what is started. */
    pid_t pid = tool_spawn((char *const *)(uintptr_t)argv, &env, -1, out, err);
    int status;

    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return EXIT_FAILURE;
    return tool_exit_status(status);
}

int tool_exit_status(int wait_status)
{
    if (WIFSIGNALED(wait_status))
        return 128 + WTERMSIG(wait_status);
    return WEXITSTATUS(wait_status);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void tool_remove_tree(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

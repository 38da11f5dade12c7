/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/version.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_version.h>

#include "tools/common/install.h"
#include "util/cleanup.h"

#define PKG_CONFIG_PATH_ENV "PKG_CONFIG_PATH"
#define PKG_CONFIG_SECONDS  30

const char *tool_version(void)
{
    static char version[TOOL_VERSION_SIZE];
    unsigned major, minor, patch;

    /* The library pads the patch to four digits, packages do not. */
    if (sscanf(doca_version_runtime(), "%u.%u.%u", &major, &minor, &patch) == 3)
        snprintf(version, sizeof(version), "%u.%u.%u", major, minor, patch);
    else
        snprintf(version, sizeof(version), "%s", doca_version_runtime());
    return version;
}

/* Up to the end or until it is full; -1 when nothing could be read. */
static int read_all(int fd, char text[TOOL_VERSION_SIZE], int wait_ms)
{
    size_t len = 0;
    ssize_t n = 0;

    while (len < TOOL_VERSION_SIZE - 1) {
        struct pollfd ready = {fd, POLLIN, 0};

        if (poll(&ready, 1, wait_ms) <= 0)
            return -1;
        n = read(fd, text + len, TOOL_VERSION_SIZE - 1 - len);
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    text[len] = '\0';
    if (len > 0 && text[len - 1] == '\n')
        text[len - 1] = '\0';
    return n < 0 ? -1 : 0;
}

void tool_version_of_file(const char *path, char version[TOOL_VERSION_SIZE])
{
    OD_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || read_all(fd, version, 0) != 0)
        version[0] = '\0';
}

static void add_own_modules(void)
{
    const char *old = getenv(PKG_CONFIG_PATH_ENV);
    OD_AUTO_FREE char *path = NULL;

    if (asprintf(&path, "%s%s%s/pkgconfig", old != NULL ? old : "", old != NULL ? ":" : "",
                 tool_libdir()) >= 0)
        setenv(PKG_CONFIG_PATH_ENV, path, 1);
}

static pid_t start_pkg_config(int out)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    dup2(out, STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    add_own_modules();
    alarm(PKG_CONFIG_SECONDS); /* for whatever stands under that name */
    execlp("pkg-config", "pkg-config", "--modversion", "doca-common", (char *)NULL);
    _exit(127);
}

void tool_version_of_pkg_config(char version[TOOL_VERSION_SIZE])
{
    int out[2], status = 1;
    pid_t pid;

    version[0] = '\0';
    if (pipe2(out, O_CLOEXEC) != 0)
        return;
    pid = start_pkg_config(out[1]);
    close(out[1]);
    if (pid > 0) {
        if (read_all(out[0], version, PKG_CONFIG_SECONDS * 1000) != 0)
            kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    close(out[0]);
    if (status != 0)
        version[0] = '\0';
}

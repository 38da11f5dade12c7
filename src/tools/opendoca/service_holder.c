/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that has a card's lock, whether it answers or not. */
#include "tools/opendoca/service_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "soft/device/device.h"
#include "soft/service/folder.h"
#include "tools/opendoca/opendoca_tool.h"
#include "urom/wire/names.h"
#include "util/cleanup.h"

#define PROGRAM "doca_urom_daemon"

/* ------------------------------------------------------------------------------------------------
 * Finding
 */

static const char *card_of(const char *device)
{
    const struct soft_topology *topology;

    if (soft_device_topology(&topology) != 0)
        return NULL;
    for (uint32_t i = 0; i < topology->ndevices; i++) {
        if (device == NULL || tool_device_matches(&topology->devices[i], device))
            return topology->devices[i].card;
    }
    return NULL;
}

/* Where a daemon of this user keeps its lock. */
static bool lock_path(const char *card, char path[PATH_MAX])
{
    char dir[PATH_MAX - UROM_WIRE_ADDR_SIZE - 16] = UROM_SYSTEM_DIR, addr[UROM_WIRE_ADDR_SIZE];

    if (geteuid() != 0 || getenv("OPENDOCA_RUNTIME_DIR") != NULL) {
        int fd = soft_service_folder_open(dir, sizeof(dir));

        if (fd < 0)
            return false;
        close(fd);
    }
    urom_name_user(card, addr);
    snprintf(path, PATH_MAX, "%s/%s.lock", dir, addr + strlen("local:"));
    return true;
}

/* What the lock says is old while a successor has not written yet: it must be a daemon. */
static bool runs_daemon(pid_t pid)
{
    char path[64], exe[PATH_MAX];
    const char *name;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    n = readlink(path, exe, sizeof(exe) - 1);
    if (n < 0)
        return false;
    exe[n] = '\0';
    name = strrchr(exe, '/');
    return name != NULL && strncmp(name + 1, PROGRAM, strlen(PROGRAM)) == 0;
}

void tool_holder_find(const char *device, struct tool_holder *holder)
{
    OD_AUTO_FD int fd = -1, pidfd = -1;
    char path[PATH_MAX], text[64], word[16] = "";
    const char *card, *socket = getenv("DOCA_UROM_SOCKET");
    ssize_t n;
    int pid;

    *holder = (struct tool_holder){.pidfd = -1};
    /* What is meant then may be anybody's. */
    if (device == NULL && socket != NULL && socket[0] != '\0')
        return;
    card = card_of(device);
    if (card == NULL || !lock_path(card, path))
        return;
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return;
    n = read(fd, text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%d %15s", &pid, word) < 1 || pid <= 1)
        return;
    pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0 || !runs_daemon(pid))
        return;
    holder->pid = pid;
    holder->pidfd = od_move_fd(&pidfd);
    holder->serves = strcmp(word, "serves") == 0;
}

void tool_holder_close(struct tool_holder *holder)
{
    if (holder->pidfd >= 0)
        close(holder->pidfd);
    holder->pidfd = -1;
}

/* ------------------------------------------------------------------------------------------------
 * Ending
 */

static bool has_ended(int pidfd, int ms)
{
    struct pollfd gone = {.fd = pidfd, .events = POLLIN};

    return poll(&gone, 1, ms) == 1;
}

bool tool_holder_end(const struct tool_holder *holder, int patience_ms)
{
    const int fd = holder->pidfd;

    if (syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) != 0)
        return false;
    /* One that was stopped ends in order as well. */
    syscall(SYS_pidfd_send_signal, fd, SIGCONT, NULL, 0);
    if (has_ended(fd, patience_ms))
        return true;
    syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    errno = EBUSY;
    return has_ended(fd, patience_ms);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* One daemon a card; and what one that crashed left behind. */
#include "urom/daemon/daemon_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <doca_log.h>

#include "soft/service/folder.h"
#include "urom/wire/names.h"
#include "util/cleanup.h"
#include "util/lock.h"

DOCA_LOG_REGISTER(UROM::DAEMON::LOCK);

#define FILE_NAME (UROM_WIRE_ADDR_SIZE + 8)
#define LOCK_WAIT 5000 /* ms */

/* Where lock and state lie: with the machine's daemon, or in the user's runtime folder. */
static int open_dir(const struct daemon *daemon)
{
    char dir[PATH_MAX];
    int fd;

    if (daemon->is_system) {
        if (mkdir(UROM_SYSTEM_DIR, 0755) != 0 && errno != EEXIST) {
            DOCA_LOG_ERR("cannot create %s: %s", UROM_SYSTEM_DIR, strerror(errno));
            return -1;
        }
        fd = open(UROM_SYSTEM_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            DOCA_LOG_ERR("cannot open %s: %s", UROM_SYSTEM_DIR, strerror(errno));
        return fd;
    }
    fd = soft_service_folder_open(dir, sizeof(dir));
    if (fd < 0) {
        DOCA_LOG_ERR("%s", soft_reason());
        return -1;
    }
    /* That one may be for paths only. */
    close(fd);
    return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The names cannot leave the folder: cards are made harmless as in addresses. */
static void file_name(const struct daemon *daemon, const char *suffix, char name[FILE_NAME])
{
    char addr[UROM_WIRE_ADDR_SIZE];

    urom_name_user(daemon->device->card, addr);
    snprintf(name, FILE_NAME, "%s%s", addr + strlen("local:"), suffix);
}

/* ------------------------------------------------------------------------------------------------
 * State: a line "pid start-time" for each worker
 */

uint64_t daemon_start_ticks(pid_t pid)
{
    char path[64], text[1024];
    unsigned long long ticks = 0;
    const char *after;
    OD_AUTO_FILE FILE *file = NULL;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    n = fread(text, 1, sizeof(text) - 1, file);
    text[n] = '\0';
    after = strrchr(text, ')'); /* the name, in parentheses, may have anything in it */
    if (after == NULL ||
        sscanf(after + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &ticks) != 1)
        return 0;
    return ticks;
}

static bool runs_worker(const struct daemon *daemon, pid_t pid)
{
    char path[64], exe[PATH_MAX], own[PATH_MAX];
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    n = readlink(path, exe, sizeof(exe) - 1);
    if (n < 0 || realpath(daemon->options.worker_path, own) == NULL)
        return false;
    exe[n] = '\0';
    return strcmp(exe, own) == 0;
}

/* A worker of a daemon that crashed, if it is that one still. */
static void kill_orphan(const struct daemon *daemon, pid_t pid, uint64_t ticks)
{
    OD_AUTO_FD int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

    if (pidfd < 0 || daemon_start_ticks(pid) != ticks || !runs_worker(daemon, pid))
        return;
    DOCA_LOG_WARN("process %d, a worker of a daemon that crashed, is killed", (int)pid);
    syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

static void clean_up(const struct daemon *daemon)
{
    char name[FILE_NAME];
    OD_AUTO_FILE FILE *file = NULL;
    unsigned long long ticks;
    int fd, pid;

    file_name(daemon, ".state", name);
    fd = openat(daemon->dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    file = fdopen(fd, "r");
    if (file == NULL) {
        close(fd);
        return;
    }
    while (fscanf(file, "%d %llu", &pid, &ticks) == 2) {
        if (pid > 1)
            kill_orphan(daemon, pid, ticks);
    }
}

void daemon_lock_note(struct daemon *daemon)
{
    char name[FILE_NAME], draft[FILE_NAME];
    FILE *file;
    int fd;

    file_name(daemon, ".state", name);
    file_name(daemon, ".state~", draft);
    fd = openat(daemon->dir_fd, draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    file = fdopen(fd, "w");
    if (file == NULL) {
        close(fd);
        return;
    }
    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        const struct daemon_worker *worker = OD_LIST_ENTRY(link, struct daemon_worker, entry);

        fprintf(file, "%d %llu\n", (int)worker->pid,
                (unsigned long long)daemon_start_ticks(worker->pid));
    }
    if (fclose(file) == 0)
        renameat(daemon->dir_fd, draft, daemon->dir_fd, name);
}

/* ------------------------------------------------------------------------------------------------
 * Lock
 */

int daemon_lock(struct daemon *daemon)
{
    char name[FILE_NAME];

    daemon->dir_fd = open_dir(daemon);
    if (daemon->dir_fd < 0)
        return DAEMON_LISTEN;
    file_name(daemon, ".lock", name);
    daemon->lock_fd = openat(daemon->dir_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (daemon->lock_fd < 0) {
        DOCA_LOG_ERR("cannot open the lock file %s: %s", name, strerror(errno));
        return DAEMON_LISTEN;
    }
    /* One that was killed may have left children that had not begun their program yet, and hold its
     * lock until they do. */
    if (od_lock_file(daemon->lock_fd, LOCK_WAIT) != 0) {
        DOCA_LOG_ERR("another daemon serves card %s", daemon->device->card);
        return DAEMON_SERVED;
    }
    daemon_lock_tell(daemon, "starts");
    clean_up(daemon);
    return 0;
}

void daemon_lock_tell(const struct daemon *daemon, const char *does)
{
    char text[64];
    const int len = snprintf(text, sizeof(text), "%d %s\n", (int)getpid(), does);

    if (pwrite(daemon->lock_fd, text, (size_t)len, 0) != len ||
        ftruncate(daemon->lock_fd, len) != 0)
        DOCA_LOG_WARN("cannot write the lock file: %s", strerror(errno));
}

void daemon_unlock(struct daemon *daemon)
{
    char name[FILE_NAME];

    if (daemon->lock_fd >= 0) {
        file_name(daemon, ".state", name);
        unlinkat(daemon->dir_fd, name, 0);
        /* The lock file stays: whoever waits for it has it open already. */
        close(daemon->lock_fd);
    }
    if (daemon->dir_fd >= 0)
        close(daemon->dir_fd);
}

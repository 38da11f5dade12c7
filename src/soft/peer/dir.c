/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "soft/service/folder.h"
#include "util/cleanup.h"

#define READY_PREFIX  "peer-"
#define UNBORN_PREFIX ".peer-"
#define NAME_SIZE     (sizeof(UNBORN_PREFIX) + 2 * PEER_INSTANCE_SIZE)
#define BACKLOG       128
#define UNBORN_MAX_S  60 /* a process that needs longer between bind and rename is gone */

static void socket_name(char name[NAME_SIZE], const char *prefix, const uint8_t *instance)
{
    size_t len = (size_t)snprintf(name, NAME_SIZE, "%s", prefix);

    for (size_t i = 0; i < PEER_INSTANCE_SIZE; i++)
        len += (size_t)snprintf(name + len, NAME_SIZE - len, "%02x", instance[i]);
}

static bool is_stale(const char *dir, int dirfd, const char *name)
{
    bool unborn = strncmp(name, UNBORN_PREFIX, strlen(UNBORN_PREFIX)) == 0;
    struct stat st;
    int fd;

    if (!unborn && strncmp(name, READY_PREFIX, strlen(READY_PREFIX)) != 0)
        return false;
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(st.st_mode))
        return false;
    if (unborn && time(NULL) - st.st_mtime < UNBORN_MAX_S)
        return false;
    fd = soft_service_folder_connect(dir, dirfd, name);
    if (fd >= 0)
        close(fd);
    return fd == -ECONNREFUSED;
}

void soft_peer_dir_sweep(const char *dir, int dirfd)
{
    OD_AUTO_FD int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct dirent *entry;
    DIR *d;

    if (fd < 0)
        return;
    d = fdopendir(fd);
    if (d == NULL)
        return;
    od_move_fd(&fd);
    while ((entry = readdir(d)) != NULL)
        if (is_stale(dir, dirfd, entry->d_name))
            unlinkat(dirfd, entry->d_name, 0);
    closedir(d);
}

int soft_peer_dir_listen(const char *dir, int dirfd, const uint8_t instance[PEER_INSTANCE_SIZE])
{
    OD_AUTO_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    char unborn[NAME_SIZE], ready[NAME_SIZE];
    struct sockaddr_un sa;
    socklen_t len;
    int rc;

    if (fd < 0)
        return soft_fail(-errno, "cannot create a socket: %s", strerror(errno));
    socket_name(unborn, UNBORN_PREFIX, instance);
    socket_name(ready, READY_PREFIX, instance);
    len = soft_service_folder_address(&sa, dir, dirfd, unborn);
    if (bind(fd, (struct sockaddr *)&sa, len) != 0)
        return soft_fail(-errno, "cannot create a socket in the runtime folder %s: %s", dir,
                         strerror(errno));
    if (fchmodat(dirfd, unborn, 0600, 0) != 0 || listen(fd, BACKLOG) != 0 ||
        renameat(dirfd, unborn, dirfd, ready) != 0) {
        rc = soft_fail(-errno, "cannot listen in the runtime folder %s: %s", dir, strerror(errno));
        goto err_unlink;
    }
    return od_move_fd(&fd);

err_unlink:
    unlinkat(dirfd, unborn, 0);
    return rc;
}

void soft_peer_dir_unlink(int dirfd, const uint8_t instance[PEER_INSTANCE_SIZE])
{
    char name[NAME_SIZE];

    socket_name(name, READY_PREFIX, instance);
    unlinkat(dirfd, name, 0);
}

int soft_peer_dir_connect(const char *dir, const uint8_t instance[PEER_INSTANCE_SIZE])
{
    OD_AUTO_FD int dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    char name[NAME_SIZE];

    if (dirfd < 0)
        return -errno;
    socket_name(name, READY_PREFIX, instance);
    return soft_service_folder_connect(dir, dirfd, name);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

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

static int check_folder(int fd, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return soft_fail(-errno, "runtime folder %s: %s", path, strerror(errno));
    if (st.st_uid != geteuid())
        return soft_fail(-EACCES,
                         "runtime folder %s belongs to user %u, not to user %u; remove it or name "
                         "another one in OPENDOCA_RUNTIME_DIR",
                         path, st.st_uid, geteuid());
    if ((st.st_mode & 022) != 0)
        return soft_fail(-EACCES,
                         "runtime folder %s may be written by others (mode %03o); chmod it to 700 "
                         "or name another one in OPENDOCA_RUNTIME_DIR",
                         path, st.st_mode & 0777);
    if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
        return soft_fail(-errno,
                         "runtime folder %s is not writable: %s; name another one in "
                         "OPENDOCA_RUNTIME_DIR",
                         path, strerror(errno));
    return 0;
}

static int open_folder(const char *path, char dir[PEER_DIR_SIZE])
{
    char real[PATH_MAX];
    OD_AUTO_FD int fd = -1;
    int rc;

    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return soft_fail(-errno,
                         "cannot create the runtime folder %s: %s; name another one in "
                         "OPENDOCA_RUNTIME_DIR",
                         path, strerror(errno));
    if (realpath(path, real) == NULL)
        return soft_fail(-errno, "runtime folder %s: %s", path, strerror(errno));
    if (strlen(real) >= PEER_DIR_SIZE)
        return soft_fail(-ENAMETOOLONG,
                         "the path of the runtime folder has %zu bytes, the limit is %d; set "
                         "OPENDOCA_RUNTIME_DIR to a shorter one",
                         strlen(real), PEER_DIR_SIZE - 1);
    fd = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return soft_fail(-errno, "runtime folder %s: %s", path, strerror(errno));
    rc = check_folder(fd, real);
    if (rc != 0)
        return rc;
    memcpy(dir, real, strlen(real) + 1);
    return od_move_fd(&fd);
}

int soft_peer_dir_open(char dir[PEER_DIR_SIZE])
{
    const char *wanted = secure_getenv("OPENDOCA_RUNTIME_DIR");
    const char *xdg = secure_getenv("XDG_RUNTIME_DIR");
    char path[PATH_MAX];
    int fd;

    if (wanted != NULL && wanted[0] != '\0')
        return open_folder(wanted, dir);
    if (xdg != NULL && xdg[0] == '/' &&
        (size_t)snprintf(path, sizeof(path), "%s/opendoca", xdg) < sizeof(path)) {
        fd = open_folder(path, dir);
        if (fd >= 0)
            return fd;
    }
    snprintf(path, sizeof(path), "/run/opendoca-%u", geteuid());
    fd = open_folder(path, dir);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof(path), "/tmp/opendoca-%u", geteuid());
    return open_folder(path, dir);
}

/* A socket address holds 107 bytes of path; longer ones go through the folder's fd. */
static socklen_t socket_address(struct sockaddr_un *sa, const char *dir, int dirfd,
                                const char *name)
{
    memset(sa, 0, sizeof(*sa));
    sa->sun_family = AF_UNIX;
    if (snprintf(sa->sun_path, sizeof(sa->sun_path), "%s/%s", dir, name) >=
        (int)sizeof(sa->sun_path))
        snprintf(sa->sun_path, sizeof(sa->sun_path), "/proc/self/fd/%d/%s", dirfd, name);
    return sizeof(*sa);
}

static int connect_name(const char *dir, int dirfd, const char *name)
{
    OD_AUTO_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un sa;
    socklen_t len = socket_address(&sa, dir, dirfd, name);

    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&sa, len) != 0)
        return -errno;
    return od_move_fd(&fd);
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
    fd = connect_name(dir, dirfd, name);
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
    len = socket_address(&sa, dir, dirfd, unborn);
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
    return connect_name(dir, dirfd, name);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/lock.h"

static int check_folder(int fd, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return soft_fail(-errno, "runtime folder %s: %s", path, strerror(errno));
    if (st.st_uid != geteuid())
        return soft_fail(-EACCES,
                         "runtime folder %s belongs to user %u, not to user %u (in 'unshare -r' "
                         "everybody is 0); remove it or name another one in "
                         "OPENDOCA_RUNTIME_DIR",
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

static int open_folder(const char *path, char *dir, size_t size)
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
    if (strlen(real) >= size)
        return soft_fail(-ENAMETOOLONG,
                         "the path of the runtime folder has %zu bytes, the limit is %zu; set "
                         "OPENDOCA_RUNTIME_DIR to a shorter one",
                         strlen(real), size - 1);
    fd = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return soft_fail(-errno, "runtime folder %s: %s", path, strerror(errno));
    rc = check_folder(fd, real);
    if (rc != 0)
        return rc;
    memcpy(dir, real, strlen(real) + 1);
    return od_move_fd(&fd);
}

int soft_service_folder_open(char *dir, size_t size)
{
    const char *wanted = secure_getenv("OPENDOCA_RUNTIME_DIR");
    const char *xdg = secure_getenv("XDG_RUNTIME_DIR");
    char path[PATH_MAX];
    int fd;

    if (wanted != NULL && wanted[0] != '\0')
        return open_folder(wanted, dir, size);
    if (xdg != NULL && xdg[0] == '/' &&
        (size_t)snprintf(path, sizeof(path), "%s/opendoca", xdg) < sizeof(path)) {
        fd = open_folder(path, dir, size);
        if (fd >= 0)
            return fd;
    }
    snprintf(path, sizeof(path), "/run/opendoca-%u", geteuid());
    fd = open_folder(path, dir, size);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof(path), "/tmp/opendoca-%u", geteuid());
    return open_folder(path, dir, size);
}

/* A socket address holds 107 bytes of path; longer ones go through the folder's fd. */
socklen_t soft_service_folder_address(struct sockaddr_un *sa, const char *dir, int dirfd,
                                      const char *name)
{
    memset(sa, 0, sizeof(*sa));
    sa->sun_family = AF_UNIX;
    if (snprintf(sa->sun_path, sizeof(sa->sun_path), "%s/%s", dir, name) >=
        (int)sizeof(sa->sun_path))
        snprintf(sa->sun_path, sizeof(sa->sun_path), "/proc/self/fd/%d/%s", dirfd, name);
    return sizeof(*sa);
}

int soft_service_folder_connect(const char *dir, int dirfd, const char *name)
{
    OD_AUTO_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un sa;
    socklen_t len = soft_service_folder_address(&sa, dir, dirfd, name);

    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&sa, len) != 0)
        return -errno;
    return od_move_fd(&fd);
}

int soft_service_folder_lock(int dirfd, const char *dir, unsigned int ms)
{
    int rc = od_lock_file(dirfd, ms);

    if (rc == -EWOULDBLOCK)
        return soft_fail(-EBUSY, "another process locks the folder %s for %u ms", dir, ms);
    return rc == 0 ? 0 : soft_fail(rc, "cannot lock the folder %s: %s", dir, strerror(-rc));
}

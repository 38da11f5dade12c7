/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/local/name.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "soft/service/folder.h"
#include "util/cleanup.h"

#define PREFIX      "link-"
#define PLAIN_MAX   48u /* longer names are cut and told apart by a number */
#define LISTEN_MAX  128
#define LOCK_WAIT   10000 /* ms */
#define SOCKET_MODE 0600
#define PATH_MODE   0660 /* the folder's owner decides who gets there */

/* Two FNV-1a sums with different beginnings: names are no secret and no proof. */
static void sum(const char *text, uint64_t out[2])
{
    out[0] = 0xcbf29ce484222325u;
    out[1] = 0x84222325cbf29ce4u;
    for (; *text != '\0'; text++) {
        out[0] = (out[0] ^ (uint8_t)*text) * 0x100000001b3u;
        out[1] = (out[1] ^ (uint8_t)*text ^ 0x5c) * 0x100000001b3u;
    }
}

static void socket_name(const char *text, char file[SOFT_NAME_SIZE])
{
    size_t len = strlen(text), n = OD_MIN(len, (size_t)PLAIN_MAX / 2);
    bool plain = len <= PLAIN_MAX;
    uint64_t sums[2];
    char start[PLAIN_MAX / 2 + 1];

    for (size_t i = 0; i < len; i++)
        plain = plain && (isalnum((unsigned char)text[i]) || strchr("._-+@=,", text[i]) != NULL);
    if (plain) {
        snprintf(file, SOFT_NAME_SIZE, PREFIX "%s", text);
        return;
    }
    for (size_t i = 0; i < n; i++)
        start[i] = isalnum((unsigned char)text[i]) ? text[i] : '_';
    start[n] = '\0';
    sum(text, sums);
    /* No plain name has a '~'. */
    snprintf(file, SOFT_NAME_SIZE, PREFIX "%s~%016" PRIx64 "%016" PRIx64, start, sums[0], sums[1]);
}

static int parse_path(const char *addr, struct soft_link_name *name)
{
    const char *file = strrchr(addr, '/') + 1;
    size_t dir = (size_t)(file - addr);

    if (file[0] == '\0' || strlen(file) >= SOFT_NAME_SIZE || dir >= sizeof(name->dir))
        return soft_fail(-EINVAL,
                         "'%.64s' is no path of a socket, or its last part is longer than %d", addr,
                         SOFT_NAME_SIZE - 1);
    memcpy(name->dir, addr, dir);
    name->dir[dir > 1 ? dir - 1 : dir] = '\0';
    memcpy(name->file, file, strlen(file) + 1);
    name->is_path = true;
    return 0;
}

int soft_link_name_parse(const char *addr, struct soft_link_name *name)
{
    struct soft_link_name parsed = {.is_path = false};
    int fd, rc;

    if (addr[0] == '\0')
        return soft_fail(-EINVAL, "a local link has no name");
    if (addr[0] == '/') {
        rc = parse_path(addr, &parsed);
        if (rc != 0)
            return rc;
    } else {
        fd = soft_service_folder_open(parsed.dir, sizeof(parsed.dir));
        if (fd < 0)
            return fd;
        close(fd);
        socket_name(addr, parsed.file);
    }
    *name = parsed;
    return 0;
}

int soft_link_name_connect(const struct soft_link_name *name)
{
    OD_AUTO_FD int dirfd = open(name->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

    return dirfd < 0 ? -errno : soft_service_folder_connect(name->dir, dirfd, name->file);
}

/* ---- Claiming ---- */

static bool is_socket(int dirfd, const char *file)
{
    struct stat st;

    return fstatat(dirfd, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(st.st_mode);
}

/* Folder locked. True: nobody listens there, and what lay there is gone. */
static bool clear_name(const char *dir, int dirfd, const char *file)
{
    int fd = soft_service_folder_connect(dir, dirfd, file);

    if (fd >= 0)
        close(fd);
    if (fd == -ECONNREFUSED && is_socket(dirfd, file))
        return unlinkat(dirfd, file, 0) == 0;
    return fd == -ENOENT;
}

/* Folder locked. What killed processes left behind. */
static void sweep(const char *dir, int dirfd)
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
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
            clear_name(dir, dirfd, entry->d_name);
    closedir(d);
}

static int bind_name(const struct soft_link_name *name, int dirfd, struct soft_link_claim *claim)
{
    OD_AUTO_FD int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un sa;
    struct stat st;
    socklen_t len = soft_service_folder_address(&sa, name->dir, dirfd, name->file);
    int rc;

    if (sock < 0)
        return soft_fail(-errno, "cannot create a socket: %s", strerror(errno));
    if (bind(sock, (struct sockaddr *)&sa, len) != 0)
        return soft_fail(-errno, "cannot create the socket %s/%s: %s", name->dir, name->file,
                         strerror(errno));
    if (fchmodat(dirfd, name->file, name->is_path ? PATH_MODE : SOCKET_MODE, 0) != 0 ||
        fstatat(dirfd, name->file, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        listen(sock, LISTEN_MAX) != 0) {
        rc =
            soft_fail(-errno, "cannot listen at %s/%s: %s", name->dir, name->file, strerror(errno));
        unlinkat(dirfd, name->file, 0);
        return rc;
    }
    claim->dev = st.st_dev;
    claim->ino = st.st_ino;
    claim->sock = od_move_fd(&sock);
    return 0;
}

int soft_link_name_claim(const struct soft_link_name *name, struct soft_link_claim *claim)
{
    static atomic_bool swept;
    OD_AUTO_FD int dirfd = open(name->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc;

    if (dirfd < 0)
        return soft_fail(-errno, "cannot open the folder %s: %s", name->dir, strerror(errno));
    rc = soft_service_folder_lock(dirfd, name->dir, LOCK_WAIT);
    if (rc != 0)
        return rc;
    if (!name->is_path && !atomic_exchange(&swept, true))
        sweep(name->dir, dirfd);
    if (!clear_name(name->dir, dirfd, name->file))
        rc = soft_fail(-EADDRINUSE, "another process listens at %s/%s, or it is no socket of ours",
                       name->dir, name->file);
    else
        rc = bind_name(name, dirfd, claim);
    flock(dirfd, LOCK_UN);
    if (rc != 0)
        return rc;
    memcpy(claim->file, name->file, sizeof(claim->file));
    claim->dirfd = od_move_fd(&dirfd);
    return 0;
}

void soft_link_name_withdraw(struct soft_link_claim *claim)
{
    struct stat st;

    /* The folder may have been emptied and the name given anew. Without the lock nothing is
     * removed; the next claim of the name does it. */
    if (claim->dirfd >= 0 &&
        soft_service_folder_lock(claim->dirfd, "of the listener", LOCK_WAIT) == 0) {
        if (fstatat(claim->dirfd, claim->file, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            st.st_dev == claim->dev && st.st_ino == claim->ino)
            unlinkat(claim->dirfd, claim->file, 0);
        flock(claim->dirfd, LOCK_UN);
    }
    soft_link_name_forget(claim);
}

void soft_link_name_forget(struct soft_link_claim *claim)
{
    if (claim->sock >= 0)
        close(claim->sock);
    if (claim->dirfd >= 0)
        close(claim->dirfd);
    claim->sock = -1;
    claim->dirfd = -1;
}

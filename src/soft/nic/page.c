/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/page.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "soft/nic/nic_priv.h"
#include "soft/service/folder.h"
#include "util/cleanup.h"
#include "util/lock.h"

#define PREFIX        "nic-"
#define UNBORN_PREFIX "." PREFIX

#define FILE_TRIES 100
#define LOCK_MS    1000

/* "nic-PID-0000:03:00.0"; sub functions have a '/' in their id. */
void soft_nic_page_name(uint32_t pid, const char *device, char name[NAME_MAX])
{
    snprintf(name, NAME_MAX, PREFIX "%u-%.200s", pid, device);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '/' ? '.' : *c;
}

static void fill(struct soft_nic_page *page, const char *device,
                 const struct soft_nic_port_info *info)
{
    memcpy(page->magic, SOFT_NIC_PAGE_MAGIC, sizeof(page->magic));
    page->version = SOFT_NIC_PAGE_VERSION;
    page->pid = (uint32_t)getpid();
    page->ncounters = SOFT_NIC_COUNTERS;
    snprintf(page->device, sizeof(page->device), "%s", device);
    snprintf(page->kind, sizeof(page->kind), "%.15s", info->kind);
    snprintf(page->where, sizeof(page->where), "%.79s", info->where);
    snprintf(page->mode, sizeof(page->mode), "%.31s", info->mode);
}

/* The page may be NULL. */
static void let_go(struct soft_forked *lock, struct soft_nic_page *page)
{
    soft_forked_enter();
    soft_forked_remove(lock);
    if (page != NULL)
        munmap(page, sizeof(*page));
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
    soft_forked_leave();
}

/* ------------------------------------------------------------------------------------------------
 * The file
 */

/* Signals end it in some file systems. */
static bool reserve(int fd)
{
    int err = EINTR;

    for (int tries = 0; err == EINTR && tries < 1000; tries++)
        err = posix_fallocate(fd, 0, sizeof(struct soft_nic_page));
    return err == 0;
}

/* False: somebody took it away before it was locked. Only those who take files away lock them, for
 * a moment. */
static bool lock_file(int fd)
{
    struct stat status;

    return od_lock_file(fd, LOCK_MS) == 0 && fstat(fd, &status) == 0 && status.st_nlink > 0;
}

/* Folder locked, unless somebody stands still with the lock. Always a new file. */
static void make_file(int dirfd, const char *name, struct soft_forked *lock)
{
    soft_forked_enter();
    for (int tries = 0; lock->fd < 0 && tries < FILE_TRIES; tries++) {
        unlinkat(dirfd, name, 0);
        lock->fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (lock->fd >= 0 && !lock_file(lock->fd)) {
            close(lock->fd);
            lock->fd = -1;
        }
    }
    if (lock->fd >= 0)
        soft_forked_add(lock);
    soft_forked_leave();
}

static void map_page(struct soft_forked *lock)
{
    const size_t len = sizeof(struct soft_nic_page);
    void *page;

    soft_forked_enter();
    page = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, lock->fd, 0);
    if (page != MAP_FAILED) {
        lock->map = page;
        lock->len = len;
    }
    soft_forked_leave();
}

/* False: it has the name that it came with, which the caller takes away. */
static bool make_page(int dirfd, const char *unborn, const char *name, const char *id,
                      const struct soft_nic_port_info *info, struct soft_forked *lock)
{
    make_file(dirfd, unborn, lock);
    if (lock->fd < 0 || !reserve(lock->fd))
        return false;
    map_page(lock);
    if (lock->map == NULL)
        return false;
    fill(lock->map, id, info);
    return renameat(dirfd, unborn, dirfd, name) == 0;
}

/* Whoever finds the name finds all of the page: Linux may forget what one process writes into a
 * mapping while another makes room in the file (seen with ext4 and fallocate(), 6.18). And a page
 * that had the name before, of a process that has the same number in another namespace, does not
 * get shorter under those who have it mapped. */
static struct soft_nic_page *make_shared(const char *id, const struct soft_nic_port_info *info,
                                         struct soft_forked *lock)
{
    char dir[PATH_MAX], name[NAME_MAX], unborn[NAME_MAX + sizeof(".")];
    OD_AUTO_FD int dirfd = soft_service_folder_open(dir, sizeof(dir));

    if (dirfd < 0) {
        soft_tell("port %s:%s of device %s: 'opendoca stats' and 'opendoca port capture' will not "
                  "see it: %s",
                  info->kind, info->where, id, soft_reason());
        return NULL;
    }
    soft_nic_page_name((uint32_t)getpid(), id, name);
    snprintf(unborn, sizeof(unborn), ".%s", name);
    (void)soft_service_folder_lock(dirfd, dir, LOCK_MS);
    if (!make_page(dirfd, unborn, name, id, info, lock)) {
        unlinkat(dirfd, unborn, 0);
        let_go(lock, lock->map);
        lock->map = NULL;
    }
    flock(dirfd, LOCK_UN);
    return lock->map;
}

static void see_nothing(const struct soft_nic_page *page, void *arg)
{
    (void)page;
    (void)arg;
}

struct soft_nic_page *soft_nic_page_create(const struct soft_device *device,
                                           const struct soft_nic_port_info *info,
                                           struct soft_forked *lock)
{
    char id[SOFT_DEVICE_ID_SIZE];
    struct soft_nic_page *page;

    *lock = (struct soft_forked){.fd = -1};
    (void)soft_nic_pages_read(see_nothing, NULL); /* what others left goes */
    soft_device_id(device, id);
    page = make_shared(id, info, lock);
    if (page != NULL)
        return page;
    page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    fill(page, id, info);
    return page;
}

static void remove_file(const char *name)
{
    char dir[PATH_MAX];
    OD_AUTO_FD int dirfd = soft_service_folder_open(dir, sizeof(dir));

    if (dirfd >= 0)
        unlinkat(dirfd, name, 0);
}

void soft_nic_page_destroy(struct soft_nic_page *page, struct soft_forked *lock)
{
    char name[NAME_MAX];

    if (page == NULL)
        return;
    soft_nic_page_name(page->pid, page->device, name);
    if (lock->fd >= 0)
        remove_file(name);
    let_go(lock, page);
}

bool soft_nic_page_is_valid(const void *bytes, size_t len)
{
    const struct soft_nic_page *page = bytes;

    return len == sizeof(*page) &&
           memcmp(page->magic, SOFT_NIC_PAGE_MAGIC, sizeof(page->magic)) == 0 &&
           page->version == SOFT_NIC_PAGE_VERSION && page->ncounters == SOFT_NIC_COUNTERS &&
           memchr(page->device, '\0', sizeof(page->device)) != NULL &&
           memchr(page->kind, '\0', sizeof(page->kind)) != NULL &&
           memchr(page->where, '\0', sizeof(page->where)) != NULL &&
           memchr(page->mode, '\0', sizeof(page->mode)) != NULL;
}

/* Shared: others who look at the same moment are not taken for its owner. */
static bool is_locked(int fd)
{
    if (flock(fd, LOCK_SH | LOCK_NB) != 0)
        return true;
    flock(fd, LOCK_UN);
    return false;
}

/* Whoever makes a page has the folder locked: what goes is what was looked at, and not a new one of
 * its name. False: somebody stands still with the lock, so that it goes another time. */
static bool remove_left(const char *dir, int dirfd, const char *name, int fd)
{
    struct stat file, named;

    if (soft_service_folder_lock(dirfd, dir, LOCK_MS) != 0)
        return false;
    if (!is_locked(fd) && fstat(fd, &file) == 0 &&
        fstatat(dirfd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && file.st_ino == named.st_ino)
        unlinkat(dirfd, name, 0);
    flock(dirfd, LOCK_UN);
    return true;
}

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Who has it holds the lock; numbers of processes mean little in another namespace. */
static void read_one(const char *dir, int dirfd, const char *name, bool *removes,
                     void (*see)(const struct soft_nic_page *page, void *arg), void *arg)
{
    struct soft_nic_page page;
    OD_AUTO_FD int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t len;

    if (fd < 0)
        return;
    if (!is_locked(fd)) {
        *removes = *removes && remove_left(dir, dirfd, name, fd);
        return;
    }
    if (has_prefix(name, UNBORN_PREFIX))
        return;
    len = read(fd, &page, sizeof(page));
    if (len >= 0 && soft_nic_page_is_valid(&page, (size_t)len))
        see(&page, arg);
}

int soft_nic_pages_read(void (*see)(const struct soft_nic_page *page, void *arg), void *arg)
{
    char dir[PATH_MAX];
    int dirfd = soft_service_folder_open(dir, sizeof(dir));
    const struct dirent *entry;
    bool removes = true;
    DIR *files;

    if (dirfd < 0)
        return dirfd;
    files = opendir(dir);
    if (files == NULL) {
        close(dirfd);
        return soft_fail(-errno, "%s: %s", dir, strerror(errno));
    }
    while ((entry = readdir(files)) != NULL) {
        if (has_prefix(entry->d_name, PREFIX) || has_prefix(entry->d_name, UNBORN_PREFIX))
            read_one(dir, dirfd, entry->d_name, &removes, see, arg);
    }
    closedir(files);
    close(dirfd);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/page.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft/nic/nic_priv.h"
#include "soft/service/folder.h"
#include "util/cleanup.h"

#define PREFIX "nic-"

/* "nic-PID-0000:03:00.0"; sub functions have a '/' in their id. */
void soft_nic_page_name(uint32_t pid, const char *device, char name[NAME_MAX])
{
    snprintf(name, NAME_MAX, PREFIX "%u-%.200s", pid, device);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '/' ? '.' : *c;
}

static void fill(struct soft_nic_page *page, const struct soft_device *device,
                 const struct soft_nic_port_info *info)
{
    memset(page, 0, sizeof(*page));
    memcpy(page->magic, SOFT_NIC_PAGE_MAGIC, sizeof(page->magic));
    page->version = SOFT_NIC_PAGE_VERSION;
    page->pid = (uint32_t)getpid();
    page->ncounters = SOFT_NIC_COUNTERS;
    soft_device_id(device, page->device);
    snprintf(page->kind, sizeof(page->kind), "%.15s", info->kind);
    snprintf(page->where, sizeof(page->where), "%.79s", info->where);
    snprintf(page->mode, sizeof(page->mode), "%.31s", info->mode);
}

/* Signals end it in some file systems. */
static bool reserve(int fd)
{
    int err = EINTR;

    for (int tries = 0; err == EINTR && tries < 1000; tries++)
        err = posix_fallocate(fd, 0, sizeof(struct soft_nic_page));
    return err == 0;
}

/* Always a new file: one of that name may be mapped, by a process that has the same number in
 * another namespace, and must not get shorter under it. Its room is there from now on. */
static struct soft_nic_page *map_file(const char *name)
{
    char dir[PATH_MAX];
    OD_AUTO_FD int dirfd = soft_service_folder_open(dir, sizeof(dir));
    OD_AUTO_FD int fd = -1;
    void *page;

    if (dirfd < 0)
        return NULL;
    unlinkat(dirfd, name, 0);
    fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || !reserve(fd))
        return NULL;
    page = mmap(NULL, sizeof(struct soft_nic_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return page != MAP_FAILED ? page : NULL;
}

struct soft_nic_page *soft_nic_page_create(const struct soft_device *device,
                                           const struct soft_nic_port_info *info)
{
    struct soft_nic_page content, *page;
    char name[NAME_MAX];

    fill(&content, device, info);
    soft_nic_page_name(content.pid, content.device, name);
    page = map_file(name);
    if (page == NULL) {
        page =
            mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            return NULL;
    }
    *page = content;
    return page;
}

void soft_nic_page_destroy(struct soft_nic_page *page)
{
    char dir[PATH_MAX], name[NAME_MAX];
    int dirfd;

    if (page == NULL)
        return;
    soft_nic_page_name(page->pid, page->device, name);
    munmap(page, sizeof(*page));
    dirfd = soft_service_folder_open(dir, sizeof(dir));
    if (dirfd < 0)
        return;
    unlinkat(dirfd, name, 0);
    close(dirfd);
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

static void read_one(int dirfd, const char *name,
                     void (*see)(const struct soft_nic_page *page, void *arg), void *arg)
{
    struct soft_nic_page page;
    OD_AUTO_FD int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t len = fd >= 0 ? read(fd, &page, sizeof(page)) : -1;

    if (len < 0 || !soft_nic_page_is_valid(&page, (size_t)len))
        return;
    if (kill((pid_t)page.pid, 0) != 0 && errno == ESRCH)
        unlinkat(dirfd, name, 0);
    else
        see(&page, arg);
}

int soft_nic_pages_read(void (*see)(const struct soft_nic_page *page, void *arg), void *arg)
{
    char dir[PATH_MAX];
    int dirfd = soft_service_folder_open(dir, sizeof(dir));
    const struct dirent *entry;
    DIR *files;

    if (dirfd < 0)
        return dirfd;
    files = opendir(dir);
    if (files == NULL) {
        close(dirfd);
        return soft_fail(-errno, "%s: %s", dir, strerror(errno));
    }
    while ((entry = readdir(files)) != NULL) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
            read_one(dirfd, entry->d_name, see, arg);
    }
    closedir(files);
    close(dirfd);
    return 0;
}

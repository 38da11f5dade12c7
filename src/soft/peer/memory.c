/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "util/cleanup.h"
#include "util/parse.h"

/* A line of /proc/self/maps. */
struct soft_peer_mapping {
    uint64_t start;
    uint64_t end;
    uint64_t offset;
    uint64_t inode;
    unsigned int major;
    unsigned int minor;
    char perms[5];
};

/* *path: the rest of the line, which ends in a newline. */
static bool parse_mapping(char *line, struct soft_peer_mapping *m, char **path)
{
    int at = 0;

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start,
               &m->end, m->perms, &m->offset, &m->major, &m->minor, &m->inode, &at) < 7)
        return false;
    *path = line + at;
    (*path)[strcspn(*path, "\n")] = '\0';
    return true;
}

static bool is_shareable(const struct soft_peer_mapping *m, bool write)
{
    return m->perms[3] == 's' && m->perms[0] == 'r' && (!write || m->perms[1] == 'w') &&
           m->inode != 0;
}

/* mprotect and the like split a mapping into neighbours that still show one piece of one file. */
static bool continues(const struct soft_peer_mapping *a, const struct soft_peer_mapping *b)
{
    return b->start == a->end && b->inode == a->inode && b->major == a->major &&
           b->minor == a->minor && b->offset == a->offset + (a->end - a->start);
}

/* The mapping that holds the start of the range, provided that it or it and its neighbours hold the
 * whole range; else false. *path is the caller's to free. */
static bool find_mapping(uint64_t addr, uint64_t len, bool write, struct soft_peer_mapping *first,
                         char **path)
{
    OD_AUTO_FILE FILE *f = fopen("/proc/self/maps", "re");
    OD_AUTO_FREE char *line = NULL;
    struct soft_peer_mapping m, last = {.end = 0};
    size_t cap = 0;
    char *name;

    if (f == NULL)
        return false;
    while (getline(&line, &cap, f) > 0) {
        if (!parse_mapping(line, &m, &name) || m.end <= addr)
            continue;
        if (!is_shareable(&m, write) || (last.end == 0 ? m.start > addr : !continues(&last, &m)))
            return false;
        if (last.end == 0) {
            *first = m;
            *path = strdup(name);
        }
        last = m;
        if (m.end >= addr + len)
            return *path != NULL;
    }
    return false;
}

/* Whoever closes any descriptor of a file drops all record locks of its process on it, so that a
 * file with such locks is not even opened. Not seen are locks of the next few microseconds. */
static bool has_record_locks(const struct soft_peer_mapping *m)
{
    OD_AUTO_FILE FILE *f = fopen("/proc/locks", "re");
    unsigned int major, minor;
    uint64_t inode;
    char line[256];

    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        if (sscanf(line, "%*[^:]: POSIX %*s %*s %*d %x:%x:%" SCNu64, &major, &minor, &inode) == 3 &&
            major == m->major && minor == m->minor && inode == m->inode)
            return true;
    }
    return false;
}

/* The same file, regular (a device may do anything when it is opened or mapped), long enough that
 * an importer meets no hole behind its end, and opened as the access needs it. */
static bool fits(int fd, const struct soft_peer_mapping *m, bool write, uint64_t end)
{
    int flags = fcntl(fd, F_GETFL);
    struct stat st;

    if (flags < 0 || (flags & O_PATH) != 0 || (flags & O_ACCMODE) != (write ? O_RDWR : O_RDONLY))
        return false;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == m->inode &&
           major(st.st_dev) == m->major && minor(st.st_dev) == m->minor &&
           (uint64_t)st.st_size >= end;
}

static int open_fitting(const char *path, const struct soft_peer_mapping *m, bool write,
                        uint64_t end)
{
    OD_AUTO_FD int fd = -1;
    struct stat st;

    /* Looked at before it is opened: opening a FIFO or a device would do something. */
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_ino != m->inode)
        return -1;
    fd = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    return fd >= 0 && fits(fd, m, write, end) ? od_move_fd(&fd) : -1;
}

/* The application often keeps the file open. A duplicate is taken before the check, since the
 * number may be closed and used again at any moment. A reader gets a file of its own, opened for
 * reading only. */
static int take_open_file(int number, const struct soft_peer_mapping *m, bool write, uint64_t end)
{
    OD_AUTO_FD int fd = -1;
    struct stat st;
    char path[32];

    if (fstat(number, &st) != 0 || st.st_ino != m->inode)
        return -1;
    if (!write) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", number);
        return open_fitting(path, m, false, end);
    }
    fd = fcntl(number, F_DUPFD_CLOEXEC, 3);
    return fd >= 0 && fits(fd, m, true, end) ? od_move_fd(&fd) : -1;
}

static int search_open_files(const struct soft_peer_mapping *m, bool write, uint64_t end)
{
    DIR *d = opendir("/proc/self/fd");
    struct dirent *entry;
    int fd = -1;

    if (d == NULL)
        return -1;
    while (fd < 0 && (entry = readdir(d)) != NULL) {
        int64_t number;

        if (od_parse_i64(entry->d_name, &number) == 0 && number != dirfd(d))
            fd = take_open_file((int)number, m, write, end);
    }
    closedir(d);
    return fd;
}

int soft_peer_memory_find(uint64_t addr, uint64_t len, bool write, struct soft_peer_memory *memory)
{
    OD_AUTO_FREE char *name = NULL;
    struct soft_peer_mapping m;
    char path[64];
    uint64_t end;
    int fd;

    if (!find_mapping(addr, len, write, &m, &name) || has_record_locks(&m))
        return -1;
    *memory = (struct soft_peer_memory){m.offset + (addr - m.start), m.inode, m.major, m.minor};
    end = memory->offset + len;
    /* Needs a capability, but then it finds also what has no name and no descriptor. */
    snprintf(path, sizeof(path), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, m.start, m.end);
    fd = open_fitting(path, &m, write, end);
    if (fd < 0 && name[0] == '/')
        fd = open_fitting(name, &m, write, end);
    return fd >= 0 ? fd : search_open_files(&m, write, end);
}

/* ---- All mappings ---- */

static int add_mapping(struct soft_peer_mappings *all, size_t *cap,
                       const struct soft_peer_mapping *m)
{
    if (all->n == *cap) {
        size_t more = *cap == 0 ? 64 : *cap * 2;
        struct soft_peer_mapping *entries = reallocarray(all->entries, more, sizeof(*entries));

        if (entries == NULL)
            return -ENOMEM;
        all->entries = entries;
        *cap = more;
    }
    all->entries[all->n++] = *m;
    return 0;
}

int soft_peer_mappings_read(struct soft_peer_mappings *all)
{
    OD_AUTO_FILE FILE *f = fopen("/proc/self/maps", "re");
    OD_AUTO_FREE char *line = NULL;
    struct soft_peer_mapping m;
    size_t cap = 0, size = 0;
    char *name;
    int rc = f != NULL ? 0 : -EIO;

    *all = (struct soft_peer_mappings){0};
    while (rc == 0 && getline(&line, &size, f) > 0) {
        if (parse_mapping(line, &m, &name) && m.perms[3] == 's')
            rc = add_mapping(all, &cap, &m);
    }
    if (rc == 0 && ferror(f))
        rc = -EIO;
    if (rc != 0)
        soft_peer_mappings_free(all);
    return rc;
}

void soft_peer_mappings_free(struct soft_peer_mappings *all)
{
    free(all->entries);
    *all = (struct soft_peer_mappings){0};
}

bool soft_peer_mappings_show(const struct soft_peer_mappings *all, uint64_t addr, uint64_t len,
                             const struct soft_peer_memory *memory)
{
    uint64_t at = addr, end = addr + len;

    for (size_t i = 0; i < all->n && at < end; i++) {
        const struct soft_peer_mapping *m = &all->entries[i];

        if (m->end <= at)
            continue;
        if (m->start > at || m->inode != memory->inode || m->major != memory->major ||
            m->minor != memory->minor ||
            m->offset + (at - m->start) != memory->offset + (at - addr))
            return false;
        at = m->end;
    }
    return at >= end;
}

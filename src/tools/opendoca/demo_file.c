/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/demo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define REMEDY "try a smaller --size, or another folder with --dir"

/* UINT64_MAX: a file system that does not know. */
static uint64_t room(const char *path)
{
    struct statvfs fs;

    if (statvfs(path, &fs) != 0 || fs.f_blocks == 0)
        return UINT64_MAX;
    return (uint64_t)fs.f_bavail * fs.f_frsize;
}

int demo_check_room(const char *folder, uint64_t needed)
{
    uint64_t left = room(folder);

    if (needed <= left)
        return 0;
    fprintf(stderr,
            "demo: the files need %" PRIu64 " bytes in %s, where %" PRIu64 " are free; " REMEDY
            "\n",
            needed, folder, left);
    return -1;
}

/* UINT64_MAX: the kernel does not say. */
static uint64_t memory_available(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    uint64_t kib = UINT64_MAX >> 10;
    char line[128];

    if (file == NULL)
        return UINT64_MAX;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
            break;
    }
    fclose(file);
    return kib << 10;
}

int demo_check_memory(uint64_t needed)
{
    uint64_t left = memory_available();

    if (needed <= left)
        return 0;
    fprintf(stderr,
            "demo: both sides need %" PRIu64 " bytes of memory, %" PRIu64
            " are available; try a smaller --size\n",
            needed, left);
    return -1;
}

int demo_write(int fd, const char *path, const void *data, size_t size)
{
    const char *at = data;
    size_t left = size;

    while (left > 0) {
        ssize_t n = write(fd, at, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            fprintf(stderr, "demo: cannot write %s: %s (%zu bytes are left to write", path,
                    n < 0 ? strerror(errno) : "nothing is taken", left);
            if (room(path) != UINT64_MAX)
                fprintf(stderr, ", %" PRIu64 " are free there", room(path));
            fprintf(stderr, "); " REMEDY "\n");
            return -1;
        }
        at += n;
        left -= (size_t)n;
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Engine mapped: the importer maps the file behind the range. */

/* Pages are mapped now and not at the first access, which would cost microseconds each. Holes of
 * the file become memory that way, as they would when a device pins the range; not if that is more
 * than the machine can spare. */
static bool may_populate(const struct stat *st, uint64_t len)
{
    uint64_t present = (uint64_t)st->st_blocks * 512;
    uint64_t missing = present < (uint64_t)st->st_size ? (uint64_t)st->st_size - present : 0;
    struct sysinfo si;

    if (missing == 0)
        return true;
    return sysinfo(&si) == 0 && OD_MIN(missing, len) < (uint64_t)si.freeram * si.mem_unit / 2;
}

/* Size and offset of a mapping are multiples of this. */
static uint64_t page_size(int fd)
{
    struct statfs fs;

    if (fstatfs(fd, &fs) == 0 && fs.f_type == HUGETLBFS_MAGIC)
        return (uint64_t)fs.f_bsize;
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool is_sealed(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);

    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

static int attach(struct soft_peer_map *map, int memory, uint64_t offset)
{
    bool write = (map->access & (SOFT_PEER_WRITE | SOFT_PEER_ATOMIC)) != 0;
    uint64_t page, lead, span;
    struct stat st;
    void *p;

    if (memory < 0)
        return soft_fail(-ENOTSUP, "the exporter's memory is private (not a memfd, shm or "
                                   "hugetlbfs mapping whose file can be opened and has no record "
                                   "locks)");
    if (fstat(memory, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < offset + map->len)
        return soft_fail(-ENOTSUP, "the file behind the exporter's memory cannot be mapped");
    if (map->kind == SOFT_PEER_KIND_QUEUE && !is_sealed(memory))
        return soft_fail(-ENOTSUP, "the exporter could shorten the memory of its queue");
    page = page_size(memory);
    lead = offset & (page - 1);
    span = (lead + map->len + page - 1) & ~(page - 1);
    p = mmap(NULL, span, PROT_READ | (write ? PROT_WRITE : 0),
             MAP_SHARED | (may_populate(&st, span) ? MAP_POPULATE : 0), memory,
             (off_t)(offset - lead));
    if (p == MAP_FAILED)
        return soft_fail(-ENOTSUP, "cannot map the exporter's memory: %s", strerror(errno));
    map->mapping = p;
    map->mapping_len = span;
    map->local = (char *)p + lead;
    return 0;
}

static void detach(struct soft_peer_map *map)
{
    if (map->mapping != NULL)
        munmap(map->mapping, map->mapping_len);
    map->mapping = NULL;
    map->local = NULL;
}

/* For callers without a fault guard of their own. The kernel copies, since the file may have been
 * truncated and the caller's memory may be anything. */
static int copy(struct soft_peer_map *map, enum soft_peer_direction direction,
                const struct soft_peer_window *w)
{
    struct iovec remote[PEER_WIRE_SEGS];

    for (unsigned int i = 0; i < w->nremote; i++) {
        remote[i].iov_base = map->local + ((uintptr_t)w->remote[i].iov_base - map->base);
        remote[i].iov_len = w->remote[i].iov_len;
    }
    return soft_peer_vm_copy(soft_service_self(), direction, w->local, w->nlocal, remote,
                             w->nremote, w->bytes);
}

static int atomic(struct soft_peer_map *map, const struct soft_peer_atomic *wish, uint64_t *before)
{
    *before = soft_peer_cpu_atomic(wish, map->local + (wish->addr - map->base));
    return 0;
}

const struct soft_peer_engine soft_peer_engine_mapped = {
    .name = "mapped",
    .attach = attach,
    .detach = detach,
    .copy = copy,
    .atomic = atomic,
};

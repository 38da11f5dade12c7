/* SPDX-License-Identifier: BSD-3-Clause */
#include "actor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 16

static struct {
    char *memory;
    size_t len;
    int file;
    struct soft_peer_export *exports[SLOTS];
    struct soft_peer_map *map;
    const char *shm; /* the name it may use; the parent removes it */
} me = {.file = -1};

static int open_memory(enum memory_kind kind, size_t len)
{
    int fd;

    switch (kind) {
    case MEMORY_MEMFD:
        fd = memfd_create("actor", MFD_CLOEXEC);
        break;
    case MEMORY_HUGE:
        fd = memfd_create("actor", MFD_CLOEXEC | MFD_HUGETLB);
        break;
    case MEMORY_SHM:
        fd = shm_open(me.shm, O_RDWR | O_CREAT | O_EXCL, 0600);
        break;
    default:
        return -1;
    }
    if (fd >= 0 && ftruncate(fd, (off_t)len) != 0)
        abort();
    return fd;
}

static int allocate(enum memory_kind kind, size_t len, int fill)
{
    int flags = kind == MEMORY_HEAP ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *p;

    me.file = open_memory(kind, len);
    if (kind == MEMORY_SHARED)
        flags |= MAP_ANONYMOUS;
    else if (kind != MEMORY_HEAP && me.file < 0)
        return -errno;
    p = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, me.file, 0);
    if (p == MAP_FAILED)
        return -errno;
    if (kind == MEMORY_SHM) {
        close(me.file);
        me.file = -1;
    }
    me.memory = p;
    me.len = len;
    memset(p, fill, len);
    return 0;
}

static int export_range(const struct order *o, struct answer *a)
{
    struct soft_peer_range range = {
        .addr = me.memory + o->a,
        .len = o->b,
        .kind = SOFT_PEER_KIND_PCI,
        .access = o->kind,
        .mask = 0x1234,
        .card = ACTOR_CARD,
    };
    const void *desc;
    size_t len;
    int rc = soft_peer_export_create(&range, &me.exports[o->slot]);

    if (rc != 0)
        return rc;
    desc = soft_peer_export_desc(me.exports[o->slot], &len);
    memcpy(a->desc, desc, len);
    a->desc_len = (uint32_t)len;
    a->value = (uintptr_t)range.addr;
    return 0;
}

/* What orders these reads after the writes is a message between two other processes, which a race
 * detector does not see. */
__attribute__((no_sanitize_thread)) static uint64_t count_others(const char *p, size_t len,
                                                                 char value)
{
    uint64_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += p[i] != value;
    return n;
}

/* What the child inherits must be dead, and letting go of it must not hurt the parent's. */
static char drop_inherited(void)
{
    char ok = me.map == NULL || soft_peer_begin(me.map) == -ENOTCONN;

    soft_peer_map_close(me.map);
    for (int i = 0; i < SLOTS; i++)
        soft_peer_export_destroy(me.exports[i]);
    return ok;
}

static int fork_sleeper(uint64_t *pid)
{
    int report[2];
    char ok = 0;
    pid_t child;

    if (pipe2(report, O_CLOEXEC) != 0)
        return -errno;
    child = fork();
    if (child == 0) {
        ok = drop_inherited();
        if (write(report[1], &ok, 1) != 1)
            _exit(1);
        alarm(60); /* for a test that failed before it killed this process */
        for (;;)
            pause();
    }
    if (child < 0 || read(report[0], &ok, 1) != 1 || !ok)
        return -EIO;
    close(report[0]);
    close(report[1]);
    *pid = (uint64_t)child;
    return 0;
}

static int import_desc(const struct order *o, struct answer *a)
{
    struct soft_peer_info info;
    int rc = soft_peer_import(o->desc, o->desc_len, SOFT_PEER_KIND_PCI, ACTOR_CARD, &me.map);

    if (rc != 0)
        return rc;
    soft_peer_map_info(me.map, &info);
    strcpy((char *)a->desc, info.engine);
    a->value = (uintptr_t)info.addr;
    return 0;
}

static int read_sum(uint64_t addr, size_t len, uint64_t *sum)
{
    uint8_t bytes[4096];
    struct iovec local = {bytes, len}, remote = {(void *)(uintptr_t)addr, len};
    int rc = soft_peer_readv(me.map, &local, 1, &remote, 1);

    *sum = 0;
    for (size_t i = 0; i < len; i++)
        *sum += bytes[i];
    return rc;
}

static int peer_add(uint64_t addr, uint64_t times)
{
    uint64_t before;
    int rc = 0;

    for (uint64_t i = 0; rc == 0 && i < times; i++)
        rc = soft_peer_fetch_add(me.map, addr, 1, &before);
    return rc;
}

static int limit_files(uint64_t n)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return -errno;
    limit.rlim_cur = n;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? 0 : -errno;
}

static int carry_out(const struct order *o, struct answer *a)
{
    switch ((enum order_what)o->what) {
    case ORDER_ALLOC:
        return allocate((enum memory_kind)o->kind, o->a, (int)o->b);
    case ORDER_EXPORT:
        return export_range(o, a);
    case ORDER_FILL:
        memset(me.memory + o->a, (int)o->c, o->b);
        return 0;
    case ORDER_COUNT:
        a->value = count_others(me.memory + o->a, o->b, (char)o->c);
        return 0;
    case ORDER_PROTECT:
        return mprotect(me.memory + o->a, o->b, PROT_NONE) == 0 ? 0 : -errno;
    case ORDER_UNMAP:
        return munmap(me.memory + o->a, o->b) == 0 ? 0 : -errno;
    case ORDER_TRUNCATE:
        return ftruncate(me.file, (off_t)o->a) == 0 ? 0 : -errno;
    case ORDER_REVOKE:
        soft_peer_export_destroy(me.exports[o->slot]);
        me.exports[o->slot] = NULL;
        memset(me.memory, (int)o->c, me.len);
        return 0;
    case ORDER_CPU_ADD:
        for (uint64_t i = 0; i < o->b; i++)
            atomic_fetch_add((_Atomic uint64_t *)(void *)(me.memory + o->a), 1);
        return 0;
    case ORDER_FORK:
        return fork_sleeper(&a->value);
    case ORDER_LIMIT:
        return limit_files(o->a);
    case ORDER_IMPORT:
        return import_desc(o, a);
    case ORDER_READ:
        return read_sum(o->a, o->b, &a->value);
    case ORDER_PEER_ADD:
        return peer_add(o->a, o->b);
    case ORDER_BEGIN:
        return soft_peer_begin(me.map);
    case ORDER_CLOSE:
        soft_peer_map_close(me.map);
        me.map = NULL;
        return 0;
    case ORDER_USER:
        return setuid((uid_t)o->a) == 0 ? 0 : -errno;
    case ORDER_DUMPABLE:
        return prctl(PR_SET_DUMPABLE, o->a, 0, 0, 0) == 0 ? 0 : -errno;
    }
    return -EINVAL;
}

int main(int argc, char **argv)
{
    struct answer answer;
    struct order order;

    if (argc != 2)
        return 2;
    me.shm = argv[1];
    while (read(STDIN_FILENO, &order, sizeof(order)) == (ssize_t)sizeof(order)) {
        memset(&answer, 0, sizeof(answer));
        answer.rc = carry_out(&order, &answer);
        if (write(STDOUT_FILENO, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
            return 1;
    }
    soft_peer_map_close(me.map);
    for (int i = 0; i < SLOTS; i++)
        soft_peer_export_destroy(me.exports[i]);
    if (me.memory != NULL)
        munmap(me.memory, me.len);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <inttypes.h>

/* ---- Brackets ---- */

static OD_COLD int cell_error(const struct soft_peer_map *map)
{
    uint32_t state = atomic_load(&map->cell->state);

    if (state == PEER_CELL_REVOKED)
        return soft_fail(-EPERM,
                         "the exporter has revoked its memory at 0x%" PRIx64
                         ": it stopped or destroyed the export",
                         map->base);
    if (state == PEER_CELL_MOVED)
        return soft_fail(-EFAULT, "the exporter has unmapped or replaced its memory at 0x%" PRIx64,
                         map->base);
    if (state == PEER_CELL_LOST)
        return soft_fail(-EIO, "the exporter of the memory at 0x%" PRIx64 " cannot be reached",
                         map->base);
    return soft_fail(-ENOTCONN, "the exporter of the memory at 0x%" PRIx64 " has ended", map->base);
}

static inline bool is_live(const struct soft_peer_map *map)
{
    return od_likely(atomic_load(&map->cell->state) == PEER_CELL_LIVE);
}

int soft_peer_check_live(const struct soft_peer_map *map)
{
    return is_live(map) ? 0 : cell_error(map);
}

int soft_peer_begin(struct soft_peer_map *map)
{
    atomic_fetch_add(&map->cell->inflight, 1);
    if (is_live(map))
        return 0;
    soft_peer_end(map);
    return cell_error(map);
}

void soft_peer_end(struct soft_peer_map *map)
{
    atomic_fetch_sub_explicit(&map->cell->inflight, 1, memory_order_release);
}

void *soft_peer_local(const struct soft_peer_map *map, uint64_t addr)
{
    return map->local == NULL ? NULL : map->local + (addr - map->base);
}

/* ---- Vectors ---- */

size_t soft_peer_cursor_take(struct soft_peer_cursor *c, struct iovec *out, unsigned int cap,
                             unsigned int *n, size_t bytes)
{
    size_t taken = 0;

    *n = 0;
    while (c->n > 0 && *n < cap && taken < bytes) {
        size_t len = OD_MIN(c->iov->iov_len - c->used, bytes - taken);

        if (len > 0)
            out[(*n)++] = (struct iovec){(char *)c->iov->iov_base + c->used, len};
        taken += len;
        c->used += len;
        if (c->used == c->iov->iov_len) {
            c->iov++;
            c->n--;
            c->used = 0;
        }
    }
    return taken;
}

/* The next piece of work; 0 bytes: none is left. */
static void next_window(struct soft_peer_window *w, struct soft_peer_cursor *local,
                        struct soft_peer_cursor *remote)
{
    const struct soft_peer_cursor before = *local;
    size_t bytes;

    bytes = soft_peer_cursor_take(local, w->local, PEER_WIRE_SEGS, &w->nlocal, PEER_WINDOW_BYTES);
    w->bytes = soft_peer_cursor_take(remote, w->remote, PEER_WIRE_SEGS, &w->nremote, bytes);
    if (w->bytes < bytes) {
        *local = before;
        soft_peer_cursor_take(local, w->local, PEER_WIRE_SEGS, &w->nlocal, w->bytes);
    }
}

static bool is_inside(const struct soft_peer_map *map, uint64_t addr, uint64_t len)
{
    return addr >= map->base && len <= map->len && addr - map->base <= map->len - len;
}

static OD_COLD int outside(const struct soft_peer_map *map, uint64_t addr, uint64_t len)
{
    return soft_fail(-ERANGE,
                     "0x%" PRIx64 " + %" PRIu64 " lies outside of the exporter's range 0x%" PRIx64
                     " + %" PRIu64,
                     addr, len, map->base, map->len);
}

static OD_COLD int not_granted(const struct soft_peer_map *map, const char *what)
{
    return soft_fail(-EACCES, "the export of 0x%" PRIx64 " does not grant to %s", map->base, what);
}

static OD_COLD int different_lengths(uint64_t local, uint64_t remote)
{
    return soft_fail(-EINVAL, "local side has %" PRIu64 " bytes, exporter's side %" PRIu64, local,
                     remote);
}

static int check_granted(const struct soft_peer_map *map, bool write)
{
    const uint32_t access = write ? SOFT_PEER_WRITE : SOFT_PEER_READ;

    return od_likely((map->access & access) != 0) ? 0 : not_granted(map, write ? "write" : "read");
}

int soft_peer_check_copy(const struct soft_peer_map *map, bool write, uint64_t addr, uint64_t len)
{
    int rc = check_granted(map, write);

    return rc == 0 && !is_inside(map, addr, len) ? outside(map, addr, len) : rc;
}

static int check(const struct soft_peer_map *map, const struct iovec *local, unsigned int nlocal,
                 const struct iovec *remote, unsigned int nremote)
{
    uint64_t have = 0, want = 0;

    for (unsigned int i = 0; i < nremote; i++) {
        uint64_t addr = (uintptr_t)remote[i].iov_base;

        if (od_unlikely(!is_inside(map, addr, remote[i].iov_len)))
            return outside(map, addr, remote[i].iov_len);
        want += remote[i].iov_len;
    }
    for (unsigned int i = 0; i < nlocal; i++)
        have += local[i].iov_len;
    return od_likely(have == want) ? 0 : different_lengths(have, want);
}

/* Which error it is depends on whether the exporter still is what it was. */
static OD_COLD int access_error(const struct soft_peer_map *map, int rc)
{
    if (!is_live(map) || rc == -EPERM)
        return cell_error(map);
    switch (rc) {
    case -EFAULT:
        return soft_fail(-EFAULT,
                         "a page of the exporter's range 0x%" PRIx64 " + %" PRIu64
                         ", or of the local buffer, is not accessible (unmapped or protected)",
                         map->base, map->len);
    case -ENOTCONN:
        return soft_fail(-ENOTCONN, "the exporter of 0x%" PRIx64 " does not answer", map->base);
    case -EACCES:
    case -ERANGE:
        return soft_fail(rc, "the exporter refuses this access to 0x%" PRIx64, map->base);
    default:
        return soft_fail(-EIO, "access to the exporter's range 0x%" PRIx64 " failed", map->base);
    }
}

static int copy_window(struct soft_peer_map *map, enum soft_peer_direction direction,
                       const struct soft_peer_window *w)
{
    int rc = soft_peer_begin(map);

    if (od_unlikely(rc != 0))
        return rc;
    rc = w->bytes == 0 ? 0 : map->engine->copy(map, direction, w);
    /* Success against a process that took over the exporter's id is no success. */
    if (rc == 0 && od_unlikely(atomic_load(&map->cell->state) == PEER_CELL_DEAD))
        rc = -ENOTCONN;
    soft_peer_end(map);
    return od_likely(rc == 0) ? 0 : access_error(map, rc);
}

static int copy(struct soft_peer_map *map, enum soft_peer_direction direction,
                const struct iovec *local, unsigned int nlocal, const struct iovec *remote,
                unsigned int nremote)
{
    struct soft_peer_cursor from = {.iov = local, .n = nlocal};
    struct soft_peer_cursor to = {.iov = remote, .n = nremote};
    struct soft_peer_window w;
    int rc = check(map, local, nlocal, remote, nremote);

    if (od_unlikely(rc != 0))
        return rc;
    /* A bracket for each window: a revocation must not wait for a copy of gigabytes. */
    do {
        next_window(&w, &from, &to);
        rc = copy_window(map, direction, &w);
    } while (rc == 0 && w.bytes > 0 && to.n > 0);
    return rc;
}

int soft_peer_readv(struct soft_peer_map *map, const struct iovec *local, unsigned int nlocal,
                    const struct iovec *remote, unsigned int nremote)
{
    int rc = check_granted(map, false);

    return rc == 0 ? copy(map, PEER_FROM_EXPORTER, local, nlocal, remote, nremote) : rc;
}

int soft_peer_writev(struct soft_peer_map *map, const struct iovec *local, unsigned int nlocal,
                     const struct iovec *remote, unsigned int nremote)
{
    int rc = check_granted(map, true);

    return rc == 0 ? copy(map, PEER_TO_EXPORTER, local, nlocal, remote, nremote) : rc;
}

/* ---- Atomics ---- */

static OD_COLD int no_such_atomic(const struct soft_peer_atomic *atomic)
{
    return soft_fail(-EINVAL, "there is no atomic operation %d of %u bytes", (int)atomic->op,
                     atomic->width);
}

int soft_peer_check_atomic(const struct soft_peer_map *map, const struct soft_peer_atomic *atomic)
{
    if (od_unlikely(atomic->op < SOFT_PEER_OP_LOAD || atomic->op > SOFT_PEER_OP_XOR ||
                    (atomic->width != sizeof(uint32_t) && atomic->width != sizeof(uint64_t))))
        return no_such_atomic(atomic);
    if (od_unlikely((map->access & soft_peer_atomic_access(atomic->op)) == 0))
        return not_granted(map, atomic->op == SOFT_PEER_OP_LOAD    ? "load"
                                : atomic->op == SOFT_PEER_OP_STORE ? "store"
                                                                   : "do atomic operations");
    if (od_unlikely(!is_inside(map, atomic->addr, atomic->width) ||
                    atomic->addr % atomic->width != 0))
        return outside(map, atomic->addr, atomic->width);
    return 0;
}

int soft_peer_atomic(struct soft_peer_map *map, const struct soft_peer_atomic *atomic,
                     uint64_t *before)
{
    uint64_t found = 0;
    int rc = soft_peer_check_atomic(map, atomic);

    if (rc == 0)
        rc = soft_peer_begin(map);
    if (od_unlikely(rc != 0))
        return rc;
    rc = map->engine->atomic(map, atomic, &found);
    soft_peer_end(map);
    if (od_unlikely(rc != 0))
        return access_error(map, rc);
    if (before != NULL)
        *before = found;
    return 0;
}

static int atomic_64(struct soft_peer_map *map, enum soft_peer_atomic_op op, uint64_t addr,
                     uint64_t value, uint64_t *before)
{
    const struct soft_peer_atomic wish = {
        .op = op, .width = sizeof(value), .addr = addr, .value = value};

    return soft_peer_atomic(map, &wish, before);
}

int soft_peer_load(struct soft_peer_map *map, uint64_t addr, uint64_t *value)
{
    return atomic_64(map, SOFT_PEER_OP_LOAD, addr, 0, value);
}

int soft_peer_store(struct soft_peer_map *map, uint64_t addr, uint64_t value)
{
    return atomic_64(map, SOFT_PEER_OP_STORE, addr, value, NULL);
}

int soft_peer_fetch_add(struct soft_peer_map *map, uint64_t addr, uint64_t value, uint64_t *before)
{
    return atomic_64(map, SOFT_PEER_OP_ADD, addr, value, before);
}

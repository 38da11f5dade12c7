/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <sys/uio.h>

/* Engine vm: the kernel copies between the two processes. */

static int vm_error(int err)
{
    switch (err) {
    case EFAULT:
        return -EFAULT;
    case ESRCH:
        return -ENOTCONN;
    case EPERM:
        return -EACCES;
    default:
        return -EIO;
    }
}

int soft_peer_vm_copy(pid_t pid, enum soft_peer_direction direction, const struct iovec *local,
                      unsigned int nlocal, const struct iovec *remote, unsigned int nremote,
                      size_t bytes)
{
    ssize_t n = direction == PEER_FROM_EXPORTER
                    ? process_vm_readv(pid, local, nlocal, remote, nremote, 0)
                    : process_vm_writev(pid, local, nlocal, remote, nremote, 0);

    if (od_likely(n == (ssize_t)bytes))
        return 0;
    /* It stops short where a page is missing. */
    return n >= 0 ? -EFAULT : vm_error(errno);
}

static int attach(struct soft_peer_map *map, int memory, uint64_t offset)
{
    (void)memory;
    (void)offset;
    if (map->conn->readable)
        return 0;
    return soft_fail(-ENOTSUP, map->conn->pid > 0
                                   ? "the kernel does not let this process read the exporter "
                                     "(other user, or ptrace is restricted)"
                                   : "the exporter is in a PID namespace that this process does "
                                     "not see");
}

static void detach(struct soft_peer_map *map)
{
    (void)map;
}

static int copy(struct soft_peer_map *map, enum soft_peer_direction direction,
                const struct soft_peer_window *w)
{
    int rc = soft_peer_vm_copy(map->conn->pid, direction, w->local, w->nlocal, w->remote,
                               w->nremote, w->bytes);

    /* The exporter gave up or gained rights after the import: it can still do the access itself. */
    if (rc == -EACCES)
        return soft_peer_engine_served.copy(map, direction, w);
    if (rc == -ENOTCONN)
        soft_peer_conn_kill(map->conn);
    return rc;
}

/* The kernel's copy is not atomic, the exporter's CPU is. */
static int atomic(struct soft_peer_map *map, const struct soft_peer_atomic *wish, uint64_t *before)
{
    return soft_peer_engine_served.atomic(map, wish, before);
}

const struct soft_peer_engine soft_peer_engine_vm = {
    .name = "vm",
    .attach = attach,
    .detach = detach,
    .copy = copy,
    .atomic = atomic,
};

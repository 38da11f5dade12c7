/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Accesses that the exporter does itself, on behalf of importers. */

/* What each of the threads accesses right now; the lock guards it. */
static const struct soft_peer_export *current[PEER_SERVERS];

static bool is_inside(const struct soft_peer_desc *desc, const struct soft_peer_seg *seg)
{
    return seg->addr >= desc->base && seg->len <= desc->len &&
           seg->addr - desc->base <= desc->len - seg->len;
}

int soft_peer_serve_begin(enum soft_peer_server who, const struct soft_peer_export *exp,
                          uint32_t access, const struct soft_peer_seg *segs, uint32_t nsegs)
{
    if (exp == NULL)
        return -EPERM;
    if ((exp->desc.access & access) == 0)
        return -EACCES;
    for (uint32_t i = 0; i < nsegs; i++)
        if (!is_inside(&exp->desc, &segs[i]))
            return -ERANGE;
    current[who] = exp;
    return 0;
}

void soft_peer_serve_end(enum soft_peer_server who)
{
    soft_service_lock();
    current[who] = NULL;
    soft_service_unlock();
}

bool soft_peer_is_served(const struct soft_peer_export *exp)
{
    for (int i = 0; i < PEER_SERVERS; i++)
        if (current[i] == exp)
            return true;
    return false;
}

void soft_peer_serve_abandon(const struct soft_peer_export *exp)
{
    for (int i = 0; i < PEER_SERVERS; i++)
        if (current[i] == exp)
            current[i] = NULL;
}

void soft_peer_serve_forget(enum soft_peer_server who)
{
    current[who] = NULL;
}

/* The kernel copies within this process: a page that the application took away is an error and not
 * the application's death. */
int soft_peer_serve_copy(const struct soft_peer_msg_copy *msg, void *bounce)
{
    struct iovec local = {.iov_base = bounce, .iov_len = soft_peer_wire_bytes(msg)};
    struct iovec remote[PEER_WIRE_SEGS];

    for (uint32_t i = 0; i < msg->nsegs; i++)
        remote[i] = (struct iovec){.iov_base = (void *)(uintptr_t)msg->segs[i].addr,
                                   .iov_len = msg->segs[i].len};
    if (local.iov_len == 0)
        return 0;
    return soft_peer_vm_copy(soft_service_self(),
                             msg->op == PEER_COPY_READ ? PEER_FROM_EXPORTER : PEER_TO_EXPORTER,
                             &local, 1, remote, msg->nsegs, local.iov_len);
}

/* Adds 0 to a word in the kernel: faults the page in for writing, or says that it cannot be. */
static int probe_write(uint64_t addr)
{
    static uint32_t nobody_waits;
    const int op = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0x7ff);

    return syscall(SYS_futex, &nobody_waits, FUTEX_WAKE_OP_PRIVATE, 0, 0, (void *)(uintptr_t)addr,
                   op) < 0
               ? -EFAULT
               : 0;
}

static int probe_read(uint64_t addr)
{
    uint64_t value;
    struct iovec local = {.iov_base = &value, .iov_len = sizeof(value)};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)addr, .iov_len = sizeof(value)};

    return soft_peer_vm_copy(soft_service_self(), PEER_FROM_EXPORTER, &local, 1, &remote, 1,
                             sizeof(value));
}

/* No system call is atomic on 64 bits, so the CPU does it, right after the kernel has looked at the
 * page. What remains is an application that unmaps the cell in the nanoseconds between. */
int soft_peer_serve_atomic(const struct soft_peer_msg_atomic *msg, uint64_t *before)
{
    const struct soft_peer_atomic atomic = {.op = (enum soft_peer_atomic_op)msg->op,
                                            .width = msg->width,
                                            .value = msg->value,
                                            .compare = msg->compare};
    int rc = msg->op == SOFT_PEER_OP_LOAD ? probe_read(msg->addr) : probe_write(msg->addr);

    if (rc == 0)
        *before = soft_peer_cpu_atomic(&atomic, (void *)(uintptr_t)msg->addr);
    return rc;
}

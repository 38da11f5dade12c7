/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread of its own, so that a long copy delays neither imports nor the news of a death. It alone
 * frees lanes while it runs; the lock guards the list, the link between lane and client, and
 * `current`. */
struct soft_peer_lane {
    struct od_list link;
    struct soft_peer_client *client; /* NULL: gone */
    int sock;
    char *bounce;
};

static struct {
    bool running;
    pthread_t thread;
    int epoll;
    int bell;
    struct od_list lanes;
    const struct soft_peer_export *current; /* what the thread accesses right now */
} srv = {.epoll = -1, .bell = -1, .lanes = {&srv.lanes, &srv.lanes}};

static void lane_free(struct soft_peer_lane *lane)
{
    if (lane->client != NULL)
        lane->client->lane = NULL;
    od_list_remove(&lane->link);
    close(lane->sock);
    munmap(lane->bounce, PEER_BOUNCE_SIZE);
    free(lane);
}

void soft_peer_lane_cut(struct soft_peer_lane *lane)
{
    lane->client->lane = NULL;
    lane->client = NULL;
    shutdown(lane->sock, SHUT_RDWR);
}

bool soft_peer_lane_serves(const struct soft_peer_export *exp)
{
    return srv.current == exp;
}

void soft_peer_lane_abandon(const struct soft_peer_export *exp)
{
    if (srv.current == exp)
        srv.current = NULL;
}

/* ---- Access on behalf of an importer ---- */

static bool is_inside(const struct soft_peer_desc *desc, const struct soft_peer_seg *seg)
{
    return seg->addr >= desc->base && seg->len <= desc->len &&
           seg->addr - desc->base <= desc->len - seg->len;
}

/* Announces the access, so that a revocation waits for it. `access`: one of these bits is needed.
 */
static int access_begin(const struct soft_peer_lane *lane, uint32_t cell, uint32_t access,
                        const struct soft_peer_seg *segs, uint32_t nsegs)
{
    const struct soft_peer_export *exp = NULL;
    int rc = 0;

    soft_service_lock();
    if (lane->client != NULL && cell < lane->client->ncells)
        exp = lane->client->bindings[cell]->exp;
    if (exp == NULL || soft_peer_export_by_id(exp->desc.id) != exp)
        rc = -EPERM;
    else if ((exp->desc.access & access) == 0)
        rc = -EACCES;
    for (uint32_t i = 0; rc == 0 && i < nsegs; i++)
        if (!is_inside(&exp->desc, &segs[i]))
            rc = -ERANGE;
    if (rc == 0)
        srv.current = exp;
    soft_service_unlock();
    return rc;
}

static void access_end(void)
{
    soft_service_lock();
    srv.current = NULL;
    soft_service_unlock();
}

/* The kernel copies within this process: a page that the application took away is an error and not
 * the application's death. */
static int serve_copy(const struct soft_peer_lane *lane, const struct soft_peer_msg_copy *msg)
{
    bool read = msg->op == PEER_COPY_READ;
    struct iovec remote[PEER_WIRE_SEGS];
    struct iovec local = {.iov_base = lane->bounce + msg->bounce_offset};
    int rc;

    for (uint32_t i = 0; i < msg->nsegs; i++) {
        remote[i].iov_base = (void *)(uintptr_t)msg->segs[i].addr;
        remote[i].iov_len = msg->segs[i].len;
        local.iov_len += msg->segs[i].len;
    }
    if (msg->bounce_offset > PEER_BOUNCE_SIZE ||
        local.iov_len > PEER_BOUNCE_SIZE - msg->bounce_offset)
        return -ERANGE;
    rc = access_begin(lane, msg->cell, read ? SOFT_PEER_READ : SOFT_PEER_WRITE, msg->segs,
                      msg->nsegs);
    if (rc != 0)
        return rc;
    rc = soft_peer_vm_copy(soft_service_self(), read ? PEER_FROM_EXPORTER : PEER_TO_EXPORTER,
                           &local, 1, remote, msg->nsegs, local.iov_len);
    access_end();
    return rc;
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
static int serve_atomic(const struct soft_peer_lane *lane, const struct soft_peer_msg_atomic *msg,
                        uint64_t *before)
{
    const struct soft_peer_atomic atomic = {.op = (enum soft_peer_atomic_op)msg->op,
                                            .width = msg->width,
                                            .value = msg->value,
                                            .compare = msg->compare};
    struct soft_peer_seg seg = {.addr = msg->addr, .len = msg->width};
    int rc = access_begin(lane, msg->cell,
                          soft_peer_atomic_access((enum soft_peer_atomic_op)msg->op), &seg, 1);

    if (rc != 0)
        return rc;
    rc = msg->op == SOFT_PEER_OP_LOAD ? probe_read(msg->addr) : probe_write(msg->addr);
    if (rc == 0)
        *before = soft_peer_cpu_atomic(&atomic, (void *)(uintptr_t)msg->addr);
    access_end();
    return rc;
}

/* False: the importer is gone or broke the protocol. */
static bool serve(const struct soft_peer_lane *lane)
{
    union soft_peer_msg msg, out = {0};
    ssize_t n = recv(lane->sock, &msg, sizeof(msg), MSG_DONTWAIT | MSG_TRUNC);
    size_t size;
    int rc;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0 || soft_peer_wire_parse(&msg, (size_t)n, &msg) != 0)
        return false;
    if (msg.hdr.type == PEER_MSG_COPY) {
        rc = serve_copy(lane, &msg.copy);
    } else if (msg.hdr.type == PEER_MSG_ATOMIC) {
        rc = serve_atomic(lane, &msg.atomic, &out.done.value);
    } else {
        return false;
    }
    size = soft_peer_wire_seal(&out, PEER_MSG_DONE, msg.hdr.seq, rc);
    return send(lane->sock, &out, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

static void *run(void *arg)
{
    (void)arg;
    for (;;) {
        struct epoll_event ev;
        int n = epoll_wait(srv.epoll, &ev, 1, -1);

        if (n != 1 && errno == EINTR)
            continue;
        if (n != 1 || ev.data.ptr == NULL)
            return NULL;
        if (!serve(ev.data.ptr)) {
            soft_service_lock();
            lane_free(ev.data.ptr);
            soft_service_unlock();
        }
    }
}

/* ---- Start and stop ---- */

static int watch(int fd, struct soft_peer_lane *lane)
{
    struct epoll_event ev = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = lane};

    return epoll_ctl(srv.epoll, EPOLL_CTL_ADD, fd, &ev) == 0 ? 0 : -errno;
}

static void close_thread_files(void)
{
    if (srv.bell >= 0)
        close(srv.bell);
    if (srv.epoll >= 0)
        close(srv.epoll);
    srv.bell = -1;
    srv.epoll = -1;
}

static int start_thread(void)
{
    int rc;

    if (srv.running)
        return 0;
    srv.epoll = epoll_create1(EPOLL_CLOEXEC);
    srv.bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rc = srv.epoll < 0 || srv.bell < 0 ? -errno : watch(srv.bell, NULL);
    if (rc == 0)
        rc = soft_service_thread_start(&srv.thread, "opendoca-serve", run);
    if (rc != 0)
        close_thread_files();
    srv.running = rc == 0;
    return rc;
}

int soft_peer_lane_create(struct soft_peer_client *client, int *sock, int *bounce)
{
    struct soft_peer_lane *lane;
    int pair[2], rc;
    void *addr;

    rc = start_thread();
    if (rc != 0)
        return rc;
    lane = calloc(1, sizeof(*lane));
    if (lane == NULL)
        return -ENOMEM;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
        rc = -errno;
        goto err_free;
    }
    rc = soft_service_shared_create("opendoca-peer-bounce", PEER_BOUNCE_SIZE, &addr, bounce);
    if (rc != 0)
        goto err_close;
    lane->sock = pair[0];
    lane->bounce = addr;
    lane->client = client;
    rc = watch(lane->sock, lane);
    if (rc != 0)
        goto err_unmap;
    od_list_append(&srv.lanes, &lane->link);
    client->lane = lane;
    *sock = pair[1];
    return 0;

err_unmap:
    munmap(addr, PEER_BOUNCE_SIZE);
err_close:
    close(pair[0]);
    close(pair[1]);
err_free:
    free(lane);
    return rc;
}

static void free_all(void)
{
    OD_LIST_FOR_EACH_SAFE(link, &srv.lanes)
    {
        lane_free(OD_LIST_ENTRY(link, struct soft_peer_lane, link));
    }
    close_thread_files();
    srv.running = false;
    srv.current = NULL;
}

void soft_peer_lanes_stop(void)
{
    uint64_t one = 1;

    if (!srv.running)
        return;
    while (write(srv.bell, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
    pthread_join(srv.thread, NULL);
    soft_service_lock();
    free_all();
    soft_service_unlock();
}

void soft_peer_lanes_forget(void)
{
    free_all();
}

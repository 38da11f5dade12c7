/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* A thread of its own, so that a long copy delays neither imports nor the news of a death. It alone
 * frees lanes while it runs; the lock guards the list and the link between lane and client. */
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

/* ---- Access on behalf of an importer ---- */

/* Announces the access, so that a revocation waits for it. `access`: one of these bits is needed.
 */
static int access_begin(const struct soft_peer_lane *lane, uint32_t cell, uint32_t access,
                        const struct soft_peer_seg *segs, uint32_t nsegs)
{
    const struct soft_peer_export *exp = NULL;
    int rc;

    soft_service_lock();
    if (lane->client != NULL && cell < lane->client->ncells)
        exp = lane->client->bindings[cell]->exp;
    if (exp != NULL && soft_peer_export_by_id(exp->desc.id) != exp)
        exp = NULL;
    rc = soft_peer_serve_begin(PEER_SERVER_LANES, exp, access, segs, nsegs);
    soft_service_unlock();
    return rc;
}

static int serve_copy(const struct soft_peer_lane *lane, const struct soft_peer_msg_copy *msg)
{
    uint32_t access = msg->op == PEER_COPY_READ ? SOFT_PEER_READ : SOFT_PEER_WRITE;
    int rc;

    if (msg->bounce_offset > PEER_BOUNCE_SIZE ||
        soft_peer_wire_bytes(msg) > PEER_BOUNCE_SIZE - msg->bounce_offset)
        return -ERANGE;
    rc = access_begin(lane, msg->cell, access, msg->segs, msg->nsegs);
    if (rc != 0)
        return rc;
    rc = soft_peer_serve_copy(msg, lane->bounce + msg->bounce_offset);
    soft_peer_serve_end(PEER_SERVER_LANES);
    return rc;
}

static int serve_atomic(const struct soft_peer_lane *lane, const struct soft_peer_msg_atomic *msg,
                        uint64_t *before)
{
    struct soft_peer_seg seg = {.addr = msg->addr, .len = msg->width};
    int rc = access_begin(lane, msg->cell,
                          soft_peer_atomic_access((enum soft_peer_atomic_op)msg->op), &seg, 1);

    if (rc != 0)
        return rc;
    rc = soft_peer_serve_atomic(msg, before);
    soft_peer_serve_end(PEER_SERVER_LANES);
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

/* A child that is being forked still has the socket: closing it here would not take it out of the
 * epoll, which would tell of a lane that is no more. */
static void end(struct soft_peer_lane *lane)
{
    soft_service_lock();
    (void)epoll_ctl(srv.epoll, EPOLL_CTL_DEL, lane->sock, NULL);
    lane_free(lane);
    soft_service_unlock();
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
        if (!serve(ev.data.ptr))
            end(ev.data.ptr);
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
        rc = soft_service_thread_start(&srv.thread, "opendoca-serve", run, NULL);
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
    soft_peer_serve_forget(PEER_SERVER_LANES);
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/peer/dir.h"

/* A process that imports from many exporters has one connection to each, however many maps. */
static struct od_list conns = {&conns, &conns};

/* ---- Death ---- */

/* Lock held. */
static void end_locked(struct soft_peer_conn *conn, enum soft_peer_cell_state end)
{
    if (conn->state == PEER_CONN_DEAD)
        return;
    conn->state = PEER_CONN_DEAD;
    OD_LIST_FOR_EACH(link, &conn->maps)
    {
        struct soft_peer_map *map = OD_LIST_ENTRY(link, struct soft_peer_map, link);
        uint32_t live = PEER_CELL_LIVE;

        atomic_compare_exchange_strong(&map->cell->state, &live, end);
    }
    soft_service_watch_del(&conn->watch);
    soft_service_watch_del(&conn->proc_watch);
    /* Threads that wait for an answer see the end at once. The control connection stays open until
     * the last map is closed: as long as it is, the exporter waits for accesses of ours. */
    if (conn->lane >= 0)
        shutdown(conn->lane, SHUT_RDWR);
}

static void kill_locked(struct soft_peer_conn *conn)
{
    end_locked(conn, PEER_CELL_DEAD);
}

void soft_peer_conn_kill(struct soft_peer_conn *conn)
{
    soft_service_lock();
    kill_locked(conn);
    soft_service_unlock();
}

void soft_peer_conn_lose(struct soft_peer_conn *conn)
{
    soft_service_lock();
    end_locked(conn, PEER_CELL_LOST);
    soft_service_unlock();
}

static void exporter_stirs(struct soft_service_watch *watch, uint32_t events)
{
    struct soft_peer_conn *conn = OD_CONTAINER_OF(watch, struct soft_peer_conn, watch);

    if (events == EPOLLOUT)
        soft_peer_ring_owed(conn);
    else
        kill_locked(conn);
}

static void exporter_ended(struct soft_service_watch *watch, uint32_t events)
{
    (void)events;
    kill_locked(OD_CONTAINER_OF(watch, struct soft_peer_conn, proc_watch));
}

/* ---- Messages ---- */

/* Looks once more at the end: this process may have stood still past it. */
static int wait_for(int fd, short events, uint64_t deadline)
{
    struct pollfd pfd = {.fd = fd, .events = events};
    int left;

    do {
        uint64_t now = soft_service_now_ms();
        int n;

        left = now < deadline ? (int)(deadline - now) : 0;
        n = poll(&pfd, 1, left);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
    } while (left > 0);
    return -ETIMEDOUT;
}

int soft_peer_packet_send(int fd, const void *packet, size_t size, uint64_t deadline)
{
    int rc = 0;

    while (rc == 0) {
        if (send(fd, packet, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size)
            return 0;
        if (errno == EAGAIN)
            rc = wait_for(fd, POLLOUT, deadline);
        else if (errno != EINTR)
            rc = -ENOTCONN;
    }
    return rc;
}

static void take_files(struct msghdr *mh, int *fds, unsigned int nfds)
{
    unsigned int have = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c != NULL; c = CMSG_NXTHDR(mh, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < n; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            if (have < nfds)
                fds[have++] = fd;
            else
                close(fd);
        }
    }
}

static void drop_files(int *fds, unsigned int nfds)
{
    for (unsigned int i = 0; i < nfds; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

static int receive_one(int fd, union soft_peer_msg *msg, int *fds, unsigned int nfds,
                       uint64_t deadline)
{
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = msg, .iov_len = sizeof(*msg)};
    struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes};
    ssize_t n;
    int rc;

    do {
        rc = wait_for(fd, POLLIN, deadline);
        if (rc != 0)
            return rc;
        mh.msg_controllen = sizeof(control.bytes);
        n = recvmsg(fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        /* A reset (hung up before it read our request) hides what was said before; it shows once.
         */
    } while (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNRESET));
    if (n <= 0)
        return -ENOTCONN;
    take_files(&mh, fds, nfds);
    return soft_peer_wire_parse(msg, (size_t)n, msg);
}

/* A refusal at the door answers no request. */
static bool is_answer(const union soft_peer_msg *msg, uint32_t seq)
{
    return msg->hdr.seq == seq || (msg->hdr.type == PEER_MSG_WELCOME && msg->hdr.status != 0);
}

int soft_peer_packet_receive(int fd, uint32_t seq, union soft_peer_msg *msg, int *fds,
                             unsigned int nfds, uint64_t deadline)
{
    int rc;

    for (unsigned int i = 0; i < nfds; i++)
        fds[i] = -1;
    do {
        drop_files(fds, nfds);
        rc = receive_one(fd, msg, fds, nfds, deadline);
    } while (rc == 0 && !is_answer(msg, seq));
    if (rc != 0)
        drop_files(fds, nfds);
    return rc;
}

/* conn->lock held. */
static int call(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                enum soft_peer_msg_type request, enum soft_peer_msg_type reply, int *fds,
                unsigned int nfds)
{
    const uint64_t deadline = soft_service_now_ms() + PEER_ANSWER_MS;
    const uint32_t seq = ++conn->seq;
    size_t size = soft_peer_wire_seal(msg, request, seq, 0);
    int rc = soft_peer_packet_send(conn->sock, msg, size, deadline);

    /* An exporter that hung up may have said why. */
    if (rc == 0 || rc == -ENOTCONN)
        rc = soft_peer_packet_receive(conn->sock, seq, msg, fds, nfds, deadline);
    if (rc == -ETIMEDOUT)
        return rc;
    if (rc == 0 && msg->hdr.status != 0) {
        drop_files(fds, nfds);
        return msg->hdr.status;
    }
    if (rc == 0 && msg->hdr.type != reply) {
        drop_files(fds, nfds);
        rc = -EBADMSG;
    }
    if (rc != 0)
        soft_peer_conn_kill(conn);
    return rc;
}

int soft_peer_conn_call(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                        enum soft_peer_msg_type request, enum soft_peer_msg_type reply, int *fds,
                        unsigned int nfds)
{
    int rc;

    for (unsigned int i = 0; i < nfds; i++)
        fds[i] = -1;
    if (conn->remote != NULL)
        return soft_peer_remote_call(conn, msg, request, reply);
    pthread_mutex_lock(&conn->lock);
    rc = call(conn, msg, request, reply, fds, nfds);
    pthread_mutex_unlock(&conn->lock);
    return rc;
}

void soft_peer_conn_send(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                         enum soft_peer_msg_type type)
{
    size_t size = soft_peer_wire_seal(msg, type, 0, 0);

    if (conn->remote != NULL) {
        (void)soft_peer_flow_tell(conn, msg, type); /* lost only without memory */
        return;
    }
    /* Without the lock: a packet is sent whole, and who is waiting for an answer holds up nobody.
     */
    if (conn->sock >= 0)
        soft_peer_packet_send(conn->sock, msg, size, soft_service_now_ms() + PEER_ANSWER_MS);
}

/* ---- Connecting ---- */

static int connect_exporter(const struct soft_peer_desc *desc)
{
    const uint64_t deadline = soft_service_now_ms() + PEER_ANSWER_MS;
    const struct timespec pause = {.tv_nsec = 1000000};

    /* A full queue cannot be waited for otherwise. */
    for (;;) {
        const uint64_t now = soft_service_now_ms();
        int fd = soft_peer_dir_connect(desc->dir, desc->instance);

        if (fd != -EAGAIN || now >= deadline)
            return fd;
        nanosleep(&pause, NULL);
    }
}

/* The exporter's user must be one whose memory we may use, and who may use ours: an exporter of
 * another user could answer with files that hurt. */
static int check_peer(struct soft_peer_conn *conn)
{
    struct ucred cred;
    socklen_t len = sizeof(cred);

    if (getsockopt(conn->sock, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
        return -errno;
    if (cred.uid != geteuid() && cred.uid != 0 && geteuid() != 0)
        return -EACCES;
    conn->pid = cred.pid;
    return 0;
}

/* Reads a random value that the exporter keeps for this. Tells whether the process is visible, may
 * be read, and is the one that we talk to. */
static bool is_readable(pid_t pid, const struct soft_peer_msg_welcome *welcome)
{
    uint8_t seen[PEER_TOKEN_SIZE];
    struct iovec local = {.iov_base = seen, .iov_len = sizeof(seen)};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)welcome->probe_addr,
                           .iov_len = sizeof(seen)};

    return pid > 0 &&
           soft_peer_vm_copy(pid, PEER_FROM_EXPORTER, &local, 1, &remote, 1, sizeof(seen)) == 0 &&
           memcmp(seen, welcome->probe, sizeof(seen)) == 0;
}

static int greet(struct soft_peer_conn *conn)
{
    union soft_peer_msg msg = {0};
    void *board;
    int fd, rc;

    memcpy(msg.hello.instance, conn->instance, sizeof(msg.hello.instance));
    rc = call(conn, &msg, PEER_MSG_HELLO, PEER_MSG_WELCOME, &fd, 1);
    if (rc != 0)
        return rc;
    if (fd < 0 || msg.welcome.cells != PEER_BOARD_CELLS)
        rc = -EBADMSG;
    else
        rc = soft_service_shared_map(fd, PEER_BOARD_SIZE, &board);
    if (fd >= 0)
        close(fd);
    if (rc != 0)
        return rc;
    conn->board = board;
    conn->readable = is_readable(conn->pid, &msg.welcome);
    return 0;
}

static int watch_exporter(struct soft_peer_conn *conn)
{
    int rc;

    conn->proc = soft_service_pidfd(conn->sock, conn->pid);
    soft_service_lock();
    rc = soft_service_watch_add(&conn->watch, conn->sock, PEER_CONN_EVENTS, exporter_stirs);
    if (rc == 0 && conn->proc >= 0)
        soft_service_watch_add(&conn->proc_watch, conn->proc, EPOLLIN, exporter_ended);
    if (rc == 0 && conn->state == PEER_CONN_NEW)
        conn->state = PEER_CONN_LIVE;
    soft_service_unlock();
    return rc;
}

/* conn->lock held. */
static int establish(struct soft_peer_conn *conn, const struct soft_peer_desc *desc)
{
    int rc;

    conn->sock = conn->abroad ? -ECONNREFUSED : connect_exporter(desc);
    /* No socket of that name: it has ended, or it is on another host. */
    if (desc->remote[0] != '\0' && (conn->sock == -ENOENT || conn->sock == -ECONNREFUSED)) {
        conn->sock = -1;
        rc = soft_peer_remote_connect(conn, desc);
        if (rc != 0)
            soft_peer_conn_kill(conn);
        return rc;
    }
    if (conn->sock < 0)
        return conn->sock;
    rc = check_peer(conn);
    if (rc == 0)
        rc = greet(conn);
    if (rc == 0)
        rc = watch_exporter(conn);
    if (rc != 0)
        soft_peer_conn_kill(conn);
    return rc;
}

static int explain_remote(int err, const struct soft_peer_desc *desc)
{
    switch (err) {
    case -ENOTSUP: /* has a reason */
        return -ECONNREFUSED;
    case -EKEYREJECTED:
        return soft_fail(-EACCES,
                         "the exporter at %s wants a token, and that of this process is missing or "
                         "another one; let OPENDOCA_TOKEN_FILE name the same secret on both hosts",
                         desc->remote);
    case -EPERM:
        return soft_fail(-EACCES,
                         "the exporter at %s does not admit this host; name its network in "
                         "OPENDOCA_ALLOW_NET of the exporter",
                         desc->remote);
    case -EPROTO:
        return soft_fail(-EPROTO,
                         "the exporter at %s speaks another protocol; use the same release on both "
                         "hosts",
                         desc->remote);
    case -EMFILE:
    case -ENFILE:
    case -ENOMEM:
        return soft_fail(err, "no resources for a connection to the exporter at %s: %s",
                         desc->remote, strerror(-err));
    default:
        return soft_fail(-ECONNREFUSED,
                         "the exporter (process %u) can neither be reached in %s nor at %s: %s; it "
                         "has ended, or the network does not lead there",
                         desc->pid, desc->dir, desc->remote, strerror(-err));
    }
}

static int explain(int err, const struct soft_peer_desc *desc)
{
    switch (err) {
    case -EACCES:
        return soft_fail(-EACCES,
                         "the exporter (process %u, folder %s) belongs to another user; export and "
                         "import as the same user, or import as root",
                         desc->pid, desc->dir);
    case -ETIMEDOUT:
    case -EAGAIN:
        return soft_fail(-ECONNREFUSED,
                         "the exporter (process %u) does not answer for %d ms; it is stopped or "
                         "the machine is overloaded",
                         desc->pid, PEER_ANSWER_MS);
    case -EPROTO:
        return soft_fail(-EPROTO,
                         "the exporter (process %u) speaks another protocol; use the same "
                         "release on both sides",
                         desc->pid);
    case -EMFILE:
    case -ENFILE:
    case -ENOMEM:
        return soft_fail(err, "no resources for a connection to the exporter (process %u): %s",
                         desc->pid, strerror(-err));
    default:
        return soft_fail(-ECONNREFUSED,
                         "the exporter (process %u) cannot be reached in %s: %s; it has ended, or "
                         "it runs where this folder is another one (share it, or set "
                         "OPENDOCA_RUNTIME_DIR for the exporter)",
                         desc->pid, desc->dir, strerror(-err));
    }
}

static struct soft_peer_conn *conn_create(const struct soft_peer_desc *desc, bool abroad)
{
    struct soft_peer_conn *conn = calloc(1, sizeof(*conn));

    if (conn == NULL)
        return NULL;
    conn->sock = -1;
    conn->proc = -1;
    conn->lane = -1;
    conn->watch.fd = -1;
    conn->proc_watch.fd = -1;
    conn->abroad = abroad;
    od_list_init(&conn->maps);
    memcpy(conn->instance, desc->instance, sizeof(conn->instance));
    pthread_mutex_init(&conn->lock, NULL);
    pthread_mutex_init(&conn->lane_lock, NULL);
    pthread_mutex_init(&conn->turn, NULL);
    soft_peer_flow_init(&conn->flow);
    od_list_append(&conns, &conn->link);
    return conn;
}

/* Lock held. */
static struct soft_peer_conn *find_or_create(const struct soft_peer_desc *desc, bool abroad)
{
    OD_LIST_FOR_EACH(link, &conns)
    {
        struct soft_peer_conn *conn = OD_LIST_ENTRY(link, struct soft_peer_conn, link);

        if (conn->state != PEER_CONN_DEAD && conn->abroad == abroad &&
            memcmp(conn->instance, desc->instance, sizeof(conn->instance)) == 0)
            return conn;
    }
    return conn_create(desc, abroad);
}

int soft_peer_conn_get(const struct soft_peer_desc *desc, bool abroad, struct soft_peer_conn **out)
{
    struct soft_peer_conn *conn = NULL;
    int rc;

    soft_service_lock();
    rc = soft_peer_service_start();
    if (rc == 0) {
        conn = find_or_create(desc, abroad);
        if (conn == NULL)
            rc = soft_fail(-ENOMEM, "out of memory for a connection");
        else
            conn->refs++;
    }
    soft_service_unlock();
    if (rc != 0)
        return rc;
    pthread_mutex_lock(&conn->lock);
    if (!conn->tried) {
        conn->tried = true;
        conn->err = establish(conn, desc);
    }
    rc = conn->err;
    pthread_mutex_unlock(&conn->lock);
    if (rc != 0) {
        bool tried_remote = conn->chunk != NULL;

        soft_peer_conn_kill(conn);
        soft_peer_conn_put(conn);
        return tried_remote ? explain_remote(rc, desc) : explain(rc, desc);
    }
    *out = conn;
    return 0;
}

void soft_peer_conn_put(struct soft_peer_conn *conn)
{
    bool last;

    soft_service_lock();
    last = --conn->refs == 0;
    if (last) {
        soft_service_watch_del(&conn->watch);
        soft_service_watch_del(&conn->proc_watch);
        od_list_remove(&conn->link);
    }
    soft_service_unlock();
    if (!last)
        return;
    if (conn->sock >= 0)
        close(conn->sock);
    if (conn->proc >= 0)
        close(conn->proc);
    if (conn->lane >= 0)
        close(conn->lane);
    if (conn->bounce != NULL)
        munmap(conn->bounce, PEER_BOUNCE_SIZE);
    if (conn->board != NULL)
        munmap(conn->board, PEER_BOARD_SIZE);
    soft_peer_remote_close(conn);
    pthread_mutex_destroy(&conn->turn);
    pthread_mutex_destroy(&conn->lane_lock);
    pthread_mutex_destroy(&conn->lock);
    free(conn);
}

/* In a forked child, which has one thread: the mutexes may be held by threads that are not there,
 * the cells are the parent's, and the sockets must not outlive the parent. */
static void forget(struct soft_peer_conn *conn)
{
    conn->state = PEER_CONN_DEAD;
    conn->tried = true;
    conn->err = -ENOTCONN;
    OD_LIST_FOR_EACH(link, &conn->maps)
    {
        struct soft_peer_map *map = OD_LIST_ENTRY(link, struct soft_peer_map, link);

        map->cell = &map->own_cell;
        atomic_store(&map->own_cell.state, PEER_CELL_DEAD);
    }
    soft_service_watch_del(&conn->watch);
    soft_service_watch_del(&conn->proc_watch);
    drop_files(&conn->sock, 1);
    drop_files(&conn->proc, 1);
    drop_files(&conn->lane, 1);
    conn->remote = NULL; /* a link is its process's */
    pthread_mutex_init(&conn->lock, NULL);
    pthread_mutex_init(&conn->lane_lock, NULL);
    pthread_mutex_init(&conn->turn, NULL);
    soft_peer_flow_init(&conn->flow);
}

void soft_peer_conns_forget(void)
{
    soft_peer_flows_forget();
    OD_LIST_FOR_EACH(link, &conns)
    {
        forget(OD_LIST_ENTRY(link, struct soft_peer_conn, link));
    }
}

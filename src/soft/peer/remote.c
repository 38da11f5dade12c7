/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Engine remote: the exporter is on another host and does the accesses. A link has one owner at a
 * time, which lane_lock makes sure of. */

#define TRANSPORT "tcp:"

/* ---- Waiting ---- */

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct patience {
    uint64_t start; /* ns */
    uint64_t limit; /* ns */
};

static struct patience be_patient(void)
{
    return (struct patience){.start = now_ns(), .limit = (uint64_t)PEER_ANSWER_MS * 1000000u};
}

/* Looks again at once for a moment, then sleeps until there are news. -ETIMEDOUT. */
static int wait_a_little(struct soft_peer_conn *conn, const struct patience *p)
{
    struct pollfd pfd = {.fd = conn->waker->fd, .events = POLLIN};
    uint64_t waited = now_ns() - p->start;

    if (waited < PEER_REMOTE_SPIN)
        return 0;
    if (waited >= p->limit)
        return -ETIMEDOUT;
    od_waker_arm(conn->waker);
    /* What is awaited may also be room for a message, of which the waker says nothing. */
    if (!soft_link_pending(conn->remote))
        poll(&pfd, 1, (int)OD_MIN((p->limit - waited) / 1000000u + 1, 100u));
    od_waker_clear(conn->waker);
    return 0;
}

/* ---- Messages; lane_lock held ---- */

/* 0, -ETIMEDOUT or -ENOTCONN. */
static int send_message(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                        enum soft_peer_msg_type type, uint32_t seq, const void *payload,
                        size_t payload_len)
{
    struct iovec iov[2] = {{.iov_base = msg},
                           {.iov_base = (void *)(uintptr_t)payload, .iov_len = payload_len}};
    const struct patience p = be_patient();
    int rc;

    iov[0].iov_len = soft_peer_wire_seal(msg, type, seq, 0);
    while ((rc = soft_link_send(conn->remote, iov, payload_len > 0 ? 2 : 1)) == -EAGAIN) {
        rc = wait_a_little(conn, &p);
        if (rc != 0)
            return rc;
    }
    return rc == 0 ? 0 : -ENOTCONN;
}

/* The reply to request `seq`; what answers an earlier one, which was given up, is dropped. After 0
 * the message is to be released. 0, -ETIMEDOUT or -ENOTCONN. */
static int receive(struct soft_peer_conn *conn, uint32_t seq, union soft_peer_msg *msg,
                   const void **payload, size_t *payload_len)
{
    const struct patience p = be_patient();
    struct soft_link_msg raw;
    int rc;

    for (;;) {
        rc = soft_link_recv(conn->remote, &raw);
        if (rc == -EAGAIN) {
            rc = wait_a_little(conn, &p);
            if (rc != 0)
                return rc;
            continue;
        }
        if (rc != 0)
            return -ENOTCONN;
        rc = soft_peer_wire_split(raw.data, raw.len, msg, payload, payload_len);
        if (rc == 0 && msg->hdr.seq == seq)
            return 0;
        soft_link_release(conn->remote);
        if (rc != 0)
            return -ENOTCONN;
    }
}

static int call(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                enum soft_peer_msg_type request, enum soft_peer_msg_type reply)
{
    const uint32_t seq = conn->lane_seq++;
    const void *payload;
    size_t len;
    int rc = send_message(conn, msg, request, seq, NULL, 0);

    if (rc == 0)
        rc = receive(conn, seq, msg, &payload, &len);
    if (rc == 0)
        soft_link_release(conn->remote);
    if (rc == 0 && msg->hdr.status != 0)
        return msg->hdr.status;
    if (rc == 0 && msg->hdr.type != reply)
        rc = -EBADMSG;
    if (rc != 0 && rc != -ETIMEDOUT)
        soft_peer_conn_kill(conn);
    return rc;
}

int soft_peer_remote_call(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                          enum soft_peer_msg_type request, enum soft_peer_msg_type reply)
{
    int rc;

    pthread_mutex_lock(&conn->lane_lock);
    rc = call(conn, msg, request, reply);
    pthread_mutex_unlock(&conn->lane_lock);
    return rc;
}

int soft_peer_remote_send(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                          enum soft_peer_msg_type type)
{
    int rc;

    pthread_mutex_lock(&conn->lane_lock);
    rc = send_message(conn, msg, type, conn->lane_seq++, NULL, 0);
    pthread_mutex_unlock(&conn->lane_lock);
    return rc;
}

/* ---- Connecting ---- */

static int open_waker(struct soft_peer_conn *conn)
{
    struct od_waker *waker = calloc(1, sizeof(*waker));
    int rc = waker == NULL ? -ENOMEM : od_waker_open(waker);

    if (rc != 0)
        free(waker);
    else
        conn->waker = waker;
    return rc;
}

/* The exporter says why it refuses. */
static int refusal(struct soft_peer_conn *conn)
{
    union soft_peer_msg msg;
    const void *answer;
    size_t len;

    answer = soft_link_answer(conn->remote, &len);
    if (answer == NULL || soft_peer_wire_parse(answer, len, &msg) != 0 || msg.hdr.status == 0)
        return -ECONNREFUSED;
    /* Another process listens there by now. */
    return msg.hdr.status == -EACCES ? -ECONNREFUSED : msg.hdr.status;
}

static int wait_for_link(struct soft_peer_conn *conn)
{
    const struct patience p = be_patient();
    enum soft_link_state state;
    int rc = 0, reason = 0;

    while (rc == 0 && (state = soft_link_poll(conn->remote, &reason)) == SOFT_LINK_CONNECTING)
        rc = wait_a_little(conn, &p);
    if (rc != 0)
        return rc;
    if (state == SOFT_LINK_UP)
        return 0;
    return reason == -EACCES ? refusal(conn) : OD_MIN(reason, -1);
}

/* Negative errno; -ENOTSUP has a reason. */
static int greet(struct soft_peer_conn *conn, const struct soft_peer_desc *desc)
{
    struct soft_link_conf conf = {.max_msg = PEER_REMOTE_CHUNK + sizeof(union soft_peer_msg),
                                  .depth = PEER_REMOTE_DEPTH,
                                  .waker = conn->waker};
    uint8_t text[sizeof(union soft_peer_msg) + PEER_SECRET_SIZE];
    char addr[sizeof(TRANSPORT) + PEER_REMOTE_SIZE];
    struct soft_peer_secret secret;
    union soft_peer_msg hello = {0};
    size_t size;

    if (soft_peer_secret_read(&secret) != 0)
        return -ENOTSUP;
    memcpy(hello.hello.instance, conn->instance, sizeof(hello.hello.instance));
    size = soft_peer_wire_seal(&hello, PEER_MSG_HELLO, 0, 0);
    memcpy(text, &hello, size);
    memcpy(text + size, secret.bytes, secret.len);
    snprintf(addr, sizeof(addr), TRANSPORT "%s", desc->remote);
    return soft_link_connect(addr, &conf, text, size + secret.len, &conn->remote) == 0 ? 0
                                                                                       : -ENOTSUP;
}

int soft_peer_remote_connect(struct soft_peer_conn *conn, const struct soft_peer_desc *desc)
{
    int rc;

    conn->chunk = malloc(PEER_REMOTE_CHUNK);
    rc = conn->chunk == NULL ? -ENOMEM : open_waker(conn);
    if (rc == 0)
        rc = greet(conn, desc);
    if (rc == 0)
        rc = wait_for_link(conn);
    if (rc != 0)
        return rc;
    soft_service_lock();
    if (conn->state == PEER_CONN_NEW)
        conn->state = PEER_CONN_LIVE;
    soft_service_unlock();
    return 0;
}

void soft_peer_remote_close(struct soft_peer_conn *conn)
{
    soft_link_close(conn->remote);
    if (conn->waker != NULL)
        od_waker_close(conn->waker);
    free(conn->waker);
    free(conn->chunk);
}

/* ---- The engine ---- */

static int attach(struct soft_peer_map *map, int memory, uint64_t offset)
{
    (void)memory;
    (void)offset;
    if (map->conn->remote == NULL)
        return soft_fail(-ENOTSUP, "the exporter is on this host");
    atomic_store(&map->own_cell.state, PEER_CELL_LIVE);
    return 0;
}

static void detach(struct soft_peer_map *map)
{
    (void)map;
}

/* What an access may end with; anything else the exporter says is an I/O error. */
static int access_status(struct soft_peer_map *map, int status)
{
    uint32_t live = PEER_CELL_LIVE;

    switch (status) {
    case 0:
    case -EACCES:
    case -ERANGE:
    case -EFAULT:
        return status;
    case -EPERM:
        atomic_compare_exchange_strong(&map->cell->state, &live, PEER_CELL_REVOKED);
        return status;
    default:
        return -EIO;
    }
}

/* A reply that comes after this is dropped. */
static int link_failed(struct soft_peer_conn *conn, int rc)
{
    if (rc == -ETIMEDOUT)
        return -EIO;
    soft_peer_conn_kill(conn);
    return -ENOTCONN;
}

struct stream {
    struct soft_peer_map *map;
    enum soft_peer_direction direction;
    struct soft_peer_cursor local;
    struct soft_peer_cursor remote;
    uint32_t first; /* sequence number of the first request */
    uint32_t sent;
    uint32_t done;
    size_t bytes[PEER_REMOTE_AHEAD];
    bool broken;
};

/* Between the caller's memory and `bytes`. */
static int move(struct stream *s, void *bytes, size_t len)
{
    struct iovec there = {.iov_base = bytes, .iov_len = len};
    struct iovec local[PEER_WIRE_SEGS];
    unsigned int n;

    soft_peer_cursor_take(&s->local, local, PEER_WIRE_SEGS, &n, len);
    return soft_peer_vm_copy(soft_service_self(), s->direction, local, n, &there, 1, len);
}

static int request(struct stream *s)
{
    struct soft_peer_conn *conn = s->map->conn;
    bool write = s->direction == PEER_TO_EXPORTER;
    struct iovec remote[PEER_WIRE_SEGS];
    union soft_peer_msg msg;
    unsigned int n;
    size_t len;
    int rc = 0;

    len = soft_peer_cursor_take(&s->remote, remote, PEER_WIRE_SEGS, &n, PEER_REMOTE_CHUNK);
    if (write)
        rc = move(s, conn->chunk, len);
    if (rc != 0)
        return rc;
    msg.copy = (struct soft_peer_msg_copy){
        .cell = s->map->index, .op = write ? PEER_COPY_WRITE : PEER_COPY_READ, .nsegs = n};
    for (unsigned int i = 0; i < n; i++)
        msg.copy.segs[i] =
            (struct soft_peer_seg){.addr = (uintptr_t)remote[i].iov_base, .len = remote[i].iov_len};
    rc = send_message(conn, &msg, PEER_MSG_COPY, s->first + s->sent, conn->chunk, write ? len : 0);
    if (rc != 0) {
        s->broken = true;
        return link_failed(conn, rc);
    }
    s->bytes[s->sent % PEER_REMOTE_AHEAD] = len;
    s->sent++;
    return 0;
}

/* Takes the next reply; with `use`, what it brought too. */
static int settle(struct stream *s, bool use)
{
    struct soft_peer_conn *conn = s->map->conn;
    size_t len, want = s->bytes[s->done % PEER_REMOTE_AHEAD];
    union soft_peer_msg msg;
    const void *payload;
    int rc = receive(conn, s->first + s->done, &msg, &payload, &len);

    if (rc != 0) {
        s->broken = true;
        return link_failed(conn, rc);
    }
    rc = access_status(s->map, msg.hdr.status);
    if (rc == 0 &&
        (msg.hdr.type != PEER_MSG_DONE || len != (s->direction == PEER_FROM_EXPORTER ? want : 0)))
        rc = -EIO;
    if (rc == 0 && use && s->direction == PEER_FROM_EXPORTER)
        rc = move(s, (void *)(uintptr_t)payload, len);
    soft_link_release(conn->remote);
    s->done++;
    return rc;
}

/* lane_lock held. Every request that was sent is settled, or the link is gone. */
static int run_stream(struct stream *s)
{
    int rc = 0;

    while (!s->broken && ((rc == 0 && s->remote.n > 0) || s->done < s->sent)) {
        while (rc == 0 && s->remote.n > 0 && s->sent - s->done < PEER_REMOTE_AHEAD)
            rc = request(s);
        if (!s->broken && s->done < s->sent) {
            int status = settle(s, rc == 0);

            rc = rc == 0 ? status : rc;
        }
    }
    return rc;
}

static int copy(struct soft_peer_map *map, enum soft_peer_direction direction,
                const struct soft_peer_window *w)
{
    struct soft_peer_conn *conn = map->conn;
    struct stream s = {
        .map = map,
        .direction = direction,
        .local = {.iov = w->local, .n = w->nlocal},
        .remote = {.iov = w->remote, .n = w->nremote},
    };
    int rc;

    pthread_mutex_lock(&conn->lane_lock);
    s.first = conn->lane_seq;
    rc = run_stream(&s);
    conn->lane_seq += s.sent;
    pthread_mutex_unlock(&conn->lane_lock);
    return rc;
}

static int atomic(struct soft_peer_map *map, const struct soft_peer_atomic *wish, uint64_t *before)
{
    union soft_peer_msg msg = {.atomic = {.cell = map->index,
                                          .op = wish->op,
                                          .addr = wish->addr,
                                          .value = wish->value,
                                          .compare = wish->compare,
                                          .width = wish->width}};
    int rc = soft_peer_remote_call(map->conn, &msg, PEER_MSG_ATOMIC, PEER_MSG_DONE);

    if (rc == -ENOTCONN || rc == -EBADMSG)
        return -ENOTCONN;
    rc = access_status(map, rc);
    if (rc == 0)
        *before = msg.done.value;
    return rc;
}

const struct soft_peer_engine soft_peer_engine_remote = {
    .name = "remote",
    .attach = attach,
    .detach = detach,
    .copy = copy,
    .atomic = atomic,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Engine served: the exporter copies between its memory and a bounce buffer that both map. Two
 * halves of the buffer are in use by turns, so that both processes copy at the same time. */

#define HALF (PEER_BOUNCE_SIZE / 2)

/* lane_lock held. Negative errno, no reason. */
static int open_lane(struct soft_peer_conn *conn)
{
    union soft_peer_msg msg = {0};
    void *bounce;
    int fds[2], rc;

    if (conn->lane >= 0)
        return 0;
    rc = soft_peer_conn_call(conn, &msg, PEER_MSG_LANE, PEER_MSG_OPENED, fds, 2);
    if (rc != 0)
        return rc;
    if (fds[0] < 0 || fds[1] < 0 || msg.opened.bounce_len != PEER_BOUNCE_SIZE)
        rc = -EBADMSG;
    else
        rc = soft_service_shared_map(fds[1], PEER_BOUNCE_SIZE, &bounce);
    if (fds[1] >= 0)
        close(fds[1]);
    if (rc != 0) {
        if (fds[0] >= 0)
            close(fds[0]);
        return rc;
    }
    soft_service_lock();
    conn->lane = fds[0];
    soft_service_unlock();
    conn->bounce = bounce;
    return 0;
}

static int attach(struct soft_peer_map *map, int memory, uint64_t offset)
{
    struct soft_peer_conn *conn = map->conn;
    int rc;

    (void)memory;
    (void)offset;
    pthread_mutex_lock(&conn->lane_lock);
    rc = open_lane(conn);
    pthread_mutex_unlock(&conn->lane_lock);
    if (rc != 0)
        return soft_fail(-ENOTSUP, "the exporter cannot serve accesses: %s", strerror(-rc));
    return 0;
}

static void detach(struct soft_peer_map *map)
{
    (void)map;
}

/* What an access may end with; anything else the exporter says is an I/O error. */
static int access_status(int status)
{
    switch (status) {
    case 0:
    case -EPERM:
    case -EACCES:
    case -ERANGE:
    case -EFAULT:
        return status;
    default:
        return -EIO;
    }
}

/* lane_lock held. A request that was not answered in time may still be carried out, out of this
 * bounce buffer or into it: both are left to it, and the next access makes new ones. */
static void abandon_lane(struct soft_peer_conn *conn)
{
    int lane = conn->lane;

    soft_service_lock();
    conn->lane = -1;
    soft_service_unlock();
    close(lane);
    munmap(conn->bounce, PEER_BOUNCE_SIZE);
    conn->bounce = NULL;
}

static int lane_failed(struct soft_peer_conn *conn, int rc)
{
    if (rc == -ETIMEDOUT) {
        abandon_lane(conn);
        return -EIO;
    }
    soft_peer_conn_kill(conn);
    return -ENOTCONN;
}

/* lane_lock held. */
static int lane_send(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                     enum soft_peer_msg_type type, uint32_t seq)
{
    size_t size = soft_peer_wire_seal(msg, type, seq, 0);
    int rc = soft_peer_packet_send(conn->lane, msg, size, soft_service_now_ms() + PEER_ANSWER_MS);

    return rc == 0 ? 0 : lane_failed(conn, rc);
}

static int lane_receive(struct soft_peer_conn *conn, uint32_t seq, union soft_peer_msg *msg)
{
    int rc = soft_peer_packet_receive(conn->lane, seq, msg, NULL, 0,
                                      soft_service_now_ms() + PEER_ANSWER_MS);

    if (rc == 0 && msg->hdr.type != PEER_MSG_DONE)
        rc = -EBADMSG;
    return rc == 0 ? 0 : lane_failed(conn, rc);
}

struct stream {
    struct soft_peer_map *map;
    enum soft_peer_direction direction;
    struct soft_peer_cursor local;
    struct soft_peer_cursor remote;
    uint32_t first; /* sequence number of the first request */
    uint32_t sent;
    uint32_t done;
    size_t bytes[2]; /* in each half */
    bool broken;     /* the lane is gone */
};

/* Between the caller's memory and the half of request number `i`. */
static int move_half(struct stream *s, uint32_t i)
{
    struct iovec half = {.iov_base = s->map->conn->bounce + (i % 2) * HALF,
                         .iov_len = s->bytes[i % 2]};
    struct iovec local[PEER_WIRE_SEGS];
    unsigned int n;

    soft_peer_cursor_take(&s->local, local, PEER_WIRE_SEGS, &n, half.iov_len);
    return soft_peer_vm_copy(soft_service_self(), s->direction, local, n, &half, 1, half.iov_len);
}

static int request(struct stream *s)
{
    struct iovec remote[PEER_WIRE_SEGS];
    union soft_peer_msg msg;
    unsigned int n;
    int rc = 0;

    s->bytes[s->sent % 2] = soft_peer_cursor_take(&s->remote, remote, PEER_WIRE_SEGS, &n, HALF);
    if (s->direction == PEER_TO_EXPORTER)
        rc = move_half(s, s->sent);
    if (rc != 0)
        return rc;
    msg.copy = (struct soft_peer_msg_copy){
        .cell = s->map->index,
        .op = s->direction == PEER_FROM_EXPORTER ? PEER_COPY_READ : PEER_COPY_WRITE,
        .nsegs = n,
        .bounce_offset = (uint64_t)(s->sent % 2) * HALF,
    };
    for (unsigned int i = 0; i < n; i++)
        msg.copy.segs[i] = (struct soft_peer_seg){
            .addr = (uintptr_t)remote[i].iov_base,
            .len = remote[i].iov_len,
        };
    rc = lane_send(s->map->conn, &msg, PEER_MSG_COPY, s->first + s->sent);
    s->broken = rc != 0;
    s->sent += rc == 0;
    return rc;
}

/* Takes the next reply; with `use`, what it brought too. */
static int settle(struct stream *s, bool use)
{
    union soft_peer_msg msg;
    int rc = lane_receive(s->map->conn, s->first + s->done, &msg);

    if (rc != 0) {
        s->broken = true;
        return rc;
    }
    rc = access_status(msg.hdr.status);
    if (rc == 0 && use && s->direction == PEER_FROM_EXPORTER)
        rc = move_half(s, s->done);
    s->done++;
    return rc;
}

/* lane_lock held. Every request that was sent is settled, or the lane is gone. */
static int run_stream(struct stream *s)
{
    int rc = 0;

    while ((rc == 0 && s->remote.n > 0) || s->done < s->sent) {
        while (rc == 0 && s->remote.n > 0 && s->sent - s->done < 2)
            rc = request(s);
        if (!s->broken && s->done < s->sent) {
            int status = settle(s, rc == 0);

            rc = rc == 0 ? status : rc;
        }
        if (s->broken)
            break;
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
    rc = open_lane(conn);
    if (rc == 0) {
        s.first = conn->lane_seq;
        rc = run_stream(&s);
        conn->lane_seq += s.sent;
    }
    pthread_mutex_unlock(&conn->lane_lock);
    return rc;
}

static int atomic(struct soft_peer_map *map, const struct soft_peer_atomic *wish, uint64_t *before)
{
    struct soft_peer_conn *conn = map->conn;
    union soft_peer_msg msg;
    uint32_t seq;
    int rc;

    pthread_mutex_lock(&conn->lane_lock);
    rc = open_lane(conn);
    if (rc != 0)
        goto unlock;
    seq = conn->lane_seq++;
    msg.atomic = (struct soft_peer_msg_atomic){
        .cell = map->index,
        .op = wish->op,
        .addr = wish->addr,
        .value = wish->value,
        .compare = wish->compare,
        .width = wish->width,
    };
    rc = lane_send(conn, &msg, PEER_MSG_ATOMIC, seq);
    if (rc == 0)
        rc = lane_receive(conn, seq, &msg);
    if (rc == 0)
        rc = access_status(msg.hdr.status);
    if (rc == 0)
        *before = msg.done.value;
unlock:
    pthread_mutex_unlock(&conn->lane_lock);
    return rc;
}

const struct soft_peer_engine soft_peer_engine_served = {
    .name = "served",
    .attach = attach,
    .detach = detach,
    .copy = copy,
    .atomic = atomic,
};

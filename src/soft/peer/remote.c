/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/abreast.h"
#include "util/clock.h"

/* Engine remote: the exporter is on another host and does the accesses, see flow.h. */

#define TRANSPORT "tcp:"

int soft_peer_send(struct soft_link *wire, union soft_peer_msg *msg, size_t size,
                   const void *payload, size_t len, bool foreign)
{
    static const struct soft_peer_verdict good = {0}, bad = {.spoilt = 1};
    const struct iovec iov[3] = {
        {msg, size}, {(void *)(uintptr_t)payload, len}, {(void *)(uintptr_t)&good, sizeof(good)}};

    if (len == 0)
        return soft_link_send(wire, iov, 1);
    return foreign ? soft_link_send_foreign(wire, iov, 3, 1, &bad) : soft_link_send(wire, iov, 3);
}

/* ---- Waiting for the connection ---- */

struct patience {
    uint64_t start; /* ns */
    uint64_t limit; /* ns */
};

static struct patience be_patient(void)
{
    return (struct patience){.start = od_now_ns(), .limit = (uint64_t)PEER_ANSWER_MS * 1000000u};
}

/* Looks again at once for a moment, then sleeps until there are news. -ETIMEDOUT: there were none
 * although it was looked for them after the limit. */
static int wait_a_little(struct soft_peer_conn *conn, const struct patience *p, uint64_t looked)
{
    struct pollfd pfd = {.fd = conn->waker->fd, .events = POLLIN};
    uint64_t waited = looked - p->start;

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

/* ---- Requests that are waited for ---- */

/* Begins every item that a thread waits for. */
struct waited {
    struct soft_peer_item item;
    struct soft_peer_conn *conn;
};

static void end_waited(struct soft_peer_item *item)
{
    struct waited *self = OD_CONTAINER_OF(item, struct waited, item);

    item->ended = true;
    od_waker_wake(self->conn->waker);
}

struct call {
    struct waited base;
    union soft_peer_msg *msg;
    enum soft_peer_msg_type request;
    enum soft_peer_msg_type reply;
};

static int ask_call(struct soft_peer_item *item, struct soft_peer_ask *ask)
{
    const struct call *self = OD_CONTAINER_OF(item, struct call, base.item);

    ask->msg = *self->msg;
    ask->type = self->request;
    return 0;
}

static int take_call(struct soft_peer_item *item, const union soft_peer_msg *msg,
                     const void *payload, size_t len)
{
    struct call *self = OD_CONTAINER_OF(item, struct call, base.item);

    (void)payload;
    (void)len;
    if (msg->hdr.type != self->reply)
        return -EBADMSG;
    *self->msg = *msg;
    return 0;
}

static int refuse_call(struct soft_peer_item *item, int status)
{
    (void)item;
    return status;
}

int soft_peer_remote_call(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                          enum soft_peer_msg_type request, enum soft_peer_msg_type reply)
{
    static const struct soft_peer_item_ops ops = {
        .ask = ask_call, .take = take_call, .refused = refuse_call, .end = end_waited};
    struct call self = {.base = {.item = {.ops = &ops}, .conn = conn},
                        .msg = msg,
                        .request = request,
                        .reply = reply};
    int rc = soft_peer_flow_run(conn, &self.base.item);

    if (rc == -EBADMSG)
        soft_peer_conn_kill(conn);
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
    uint64_t now;

    do {
        now = od_now_ns();
        state = soft_link_poll(conn->remote, &reason);
        if (state == SOFT_LINK_CONNECTING)
            rc = wait_a_little(conn, &p, now);
    } while (rc == 0 && state == SOFT_LINK_CONNECTING);
    if (rc != 0)
        return rc;
    if (state == SOFT_LINK_UP)
        return 0;
    return reason == -EACCES ? refusal(conn) : OD_MIN(reason, -1);
}

/* Negative errno; -ENOTSUP has a reason. */
static int greet(struct soft_peer_conn *conn, const struct soft_peer_desc *desc)
{
    struct soft_link_conf conf = {
        .max_msg = PEER_REMOTE_MSG, .depth = PEER_REMOTE_DEPTH, .waker = conn->waker};
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

    conn->chunk = od_abreast_alloc(PEER_FLOW_PIECE);
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
    soft_peer_flow_close(conn);
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

/* Anything else the exporter says is an I/O error. */
int soft_peer_remote_status(struct soft_peer_map *map, int status)
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

/* A window of a copy. */
struct stream {
    struct waited base;
    struct soft_peer_map *map;
    enum soft_peer_direction direction;
    struct soft_peer_cursor local;
    struct soft_peer_cursor remote;
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

/* The next `len` bytes of the caller's memory, and past them; NULL: they are in several pieces. */
static const void *contiguous(struct soft_peer_cursor *local, size_t len)
{
    struct iovec one;
    unsigned int n;

    if (local->n == 0 || local->iov->iov_len - local->used < len)
        return NULL;
    soft_peer_cursor_take(local, &one, 1, &n, len);
    return one.iov_base;
}

static int ask_stream(struct soft_peer_item *item, struct soft_peer_ask *ask)
{
    struct stream *s = OD_CONTAINER_OF(item, struct stream, base.item);
    const bool write = s->direction == PEER_TO_EXPORTER;
    struct iovec remote[PEER_WIRE_SEGS];
    char *chunk;
    unsigned int n;
    size_t len = soft_peer_cursor_take(&s->remote, remote, PEER_WIRE_SEGS, &n, PEER_FLOW_PIECE);

    soft_peer_remote_ask(s->map, write, len, ask);
    ask->msg.copy.nsegs = n;
    for (unsigned int i = 0; i < n; i++)
        ask->msg.copy.segs[i] =
            (struct soft_peer_seg){.addr = (uintptr_t)remote[i].iov_base, .len = remote[i].iov_len};
    ask->last = s->remote.n == 0;
    if (!write)
        return 0;
    ask->payload = contiguous(&s->local, len);
    ask->foreign = ask->payload != NULL;
    if (ask->foreign)
        return 0;
    chunk = od_abreast(s->map->conn->chunk,
                       s->local.n > 0 ? (uintptr_t)s->local.iov->iov_base + s->local.used : 0);
    ask->payload = chunk;
    return move(s, chunk, len);
}

static int refuse_stream(struct soft_peer_item *item, int status)
{
    return soft_peer_remote_status(OD_CONTAINER_OF(item, struct stream, base.item)->map, status);
}

static int take_stream(struct soft_peer_item *item, const union soft_peer_msg *msg,
                       const void *payload, size_t len)
{
    struct stream *s = OD_CONTAINER_OF(item, struct stream, base.item);

    if (msg->hdr.type != PEER_MSG_DONE)
        return -EIO;
    return len > 0 ? move(s, (void *)(uintptr_t)payload, len) : 0;
}

void soft_peer_remote_ask(const struct soft_peer_map *map, bool write, size_t len,
                          struct soft_peer_ask *ask)
{
    ask->type = PEER_MSG_COPY;
    ask->msg.copy.cell = map->index;
    ask->msg.copy.op = write ? PEER_COPY_WRITE : PEER_COPY_READ;
    ask->msg.copy.zero = 0;
    ask->msg.copy.bounce_offset = 0;
    ask->len = write ? len : 0;
    ask->back = write ? 0 : len;
}

static int copy(struct soft_peer_map *map, enum soft_peer_direction direction,
                const struct soft_peer_window *w)
{
    static const struct soft_peer_item_ops ops = {
        .ask = ask_stream, .take = take_stream, .refused = refuse_stream, .end = end_waited};
    struct stream s = {
        .base = {.item = {.ops = &ops}, .conn = map->conn},
        .map = map,
        .direction = direction,
        .local = {.iov = w->local, .n = w->nlocal},
        .remote = {.iov = w->remote, .n = w->nremote},
    };
    int rc = soft_peer_flow_run(map->conn, &s.base.item);

    return rc == -ETIMEDOUT ? -EIO : rc;
}

static int atomic(struct soft_peer_map *map, const struct soft_peer_atomic *wish, uint64_t *before)
{
    union soft_peer_msg msg;
    int rc;

    soft_peer_remote_ask_atomic(map, wish, &msg);
    rc = soft_peer_remote_call(map->conn, &msg, PEER_MSG_ATOMIC, PEER_MSG_DONE);
    if (rc == -EBADMSG || rc == -ENOTCONN)
        return -ENOTCONN;
    rc = soft_peer_remote_status(map, rc);
    if (rc == 0)
        *before = msg.done.value;
    return rc;
}

void soft_peer_remote_ask_atomic(const struct soft_peer_map *map,
                                 const struct soft_peer_atomic *wish, union soft_peer_msg *msg)
{
    msg->atomic = (struct soft_peer_msg_atomic){.cell = map->index,
                                                .op = wish->op,
                                                .addr = wish->addr,
                                                .value = wish->value,
                                                .compare = wish->compare,
                                                .width = wish->width};
}

const struct soft_peer_engine soft_peer_engine_remote = {
    .name = "remote",
    .attach = attach,
    .detach = detach,
    .copy = copy,
    .atomic = atomic,
};

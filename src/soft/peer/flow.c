/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/flow.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "soft/peer/peer_priv.h"
#include "util/clock.h"

#define BURST 16u /* replies in one call */

/* Connections with items. The lock is taken before those of connections that are only tried, and
 * behind none. */
static struct {
    pthread_mutex_t lock;
    struct od_list list;
} active = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .list = {&active.list, &active.list},
};

void soft_peer_flow_init(struct soft_peer_flow *flow)
{
    od_list_init(&flow->active);
    od_list_init(&flow->items);
}

/* ---- Items; lane_lock held ---- */

static struct soft_peer_item *next_of(struct soft_peer_flow *flow, struct soft_peer_item *item)
{
    return item->link.next == &flow->items
               ? NULL
               : OD_LIST_ENTRY(item->link.next, struct soft_peer_item, link);
}

static void stop_asking(struct soft_peer_flow *flow, struct soft_peer_item *item)
{
    if (flow->asking != item)
        return;
    flow->asking = next_of(flow, item);
    flow->held = false;
}

/* When all that it asked for has come. */
static void end_if_done(struct soft_peer_flow *flow, struct soft_peer_item *item)
{
    if (item->waiting > 0 || !(item->asked || item->status != 0))
        return;
    stop_asking(flow, item);
    od_list_remove(&item->link);
    item->ops->end(item);
}

static void fail(struct soft_peer_flow *flow, struct soft_peer_item *item, int status)
{
    if (item->status == 0)
        item->status = status;
    stop_asking(flow, item);
    end_if_done(flow, item);
}

/* Whatever comes for it is for nobody. */
static void give_up(struct soft_peer_flow *flow, struct soft_peer_item *item, int status)
{
    for (uint32_t i = flow->done; i != flow->sent; i++) {
        if (flow->out[i % PEER_FLOW_REQUESTS].item == item)
            flow->out[i % PEER_FLOW_REQUESTS].item = NULL;
    }
    item->waiting = 0;
    fail(flow, item, status);
}

/* The link is of no use any more: nothing is heard of the exporter, or it has ended. */
static void break_off(struct soft_peer_conn *conn)
{
    struct soft_peer_flow *flow = &conn->flow;
    int why = -ENOTCONN, reason;

    flow->broken = true;
    if (soft_link_poll(conn->remote, &reason) == SOFT_LINK_DOWN && reason == -ETIMEDOUT)
        why = -ETIMEDOUT;
    if (why == -ETIMEDOUT)
        soft_peer_conn_lose(conn);
    else
        soft_peer_conn_kill(conn);
    OD_LIST_FOR_EACH_SAFE(link, &flow->items)
    {
        give_up(flow, OD_LIST_ENTRY(link, struct soft_peer_item, link), why);
    }
}

/* ---- Sending; lane_lock held ---- */

static int transmit(struct soft_peer_conn *conn)
{
    struct soft_peer_flow *flow = &conn->flow;
    struct soft_peer_ask *ask = &flow->ask;
    const size_t size = soft_peer_wire_seal(&ask->msg, ask->type, flow->seq, 0);

    return soft_peer_send(conn->remote, &ask->msg, size, ask->payload, ask->len, ask->foreign);
}

static void note_request(struct soft_peer_flow *flow, struct soft_peer_item *item)
{
    const struct soft_peer_ask *ask = &flow->ask;
    const size_t bytes = ask->len + ask->back;

    flow->held = false;
    item->asked = ask->last;
    if (!ask->one_way) {
        item->since = od_now_ns(); /* its time begins when the exporter has it */
        flow->out[flow->sent % PEER_FLOW_REQUESTS].item = item;
        flow->out[flow->sent % PEER_FLOW_REQUESTS].seq = flow->seq;
        flow->out[flow->sent % PEER_FLOW_REQUESTS].back = ask->back;
        flow->out[flow->sent % PEER_FLOW_REQUESTS].bytes = bytes;
        flow->sent++;
        flow->bytes += bytes;
        item->waiting++;
    }
    flow->seq++;
    if (item->asked)
        stop_asking(flow, item);
    end_if_done(flow, item);
}

/* Whether there is something to send, and room under way. */
static bool hold_next(struct soft_peer_flow *flow)
{
    while (flow->asking != NULL && !flow->held) {
        int rc;

        if (flow->sent - flow->done >= PEER_FLOW_REQUESTS || flow->bytes >= PEER_FLOW_BYTES)
            return false;
        flow->ask.payload = NULL;
        flow->ask.len = flow->ask.back = 0;
        flow->ask.foreign = false;
        flow->ask.held = NULL;
        flow->ask.last = true;
        flow->ask.one_way = false;
        rc = flow->asking->ops->ask(flow->asking, &flow->ask);
        if (rc != 0)
            fail(flow, flow->asking, rc);
        else
            flow->held = true;
    }
    return flow->asking != NULL;
}

static void send_some(struct soft_peer_conn *conn)
{
    struct soft_peer_flow *flow = &conn->flow;

    while (!flow->broken && hold_next(flow)) {
        struct soft_peer_map *held = flow->ask.held;
        int rc = held != NULL ? soft_peer_begin(held) : 0;

        if (rc != 0) {
            fail(flow, flow->asking, rc);
            continue;
        }
        rc = transmit(conn);
        if (held != NULL)
            soft_peer_end(held);
        if (rc == -EAGAIN)
            return;
        if (rc != 0)
            break_off(conn);
        else
            note_request(flow, flow->asking);
    }
}

/* ---- Receiving; lane_lock held ---- */

static int settle(struct soft_peer_item *item, const union soft_peer_msg *msg, const void *payload,
                  size_t len, size_t back)
{
    if (msg->hdr.status != 0)
        return item->ops->refused(item, msg->hdr.status);
    return len == back ? item->ops->take(item, msg, payload, len) : -EIO;
}

/* 0, or the exporter talks nonsense. */
static int take_reply(struct soft_peer_conn *conn, const struct soft_link_msg *raw)
{
    struct soft_peer_flow *flow = &conn->flow;
    const uint32_t at = flow->done % PEER_FLOW_REQUESTS;
    struct soft_peer_item *item = flow->out[at].item;
    union soft_peer_msg msg;
    const void *payload;
    size_t len;
    int rc = soft_peer_wire_split(raw->data, raw->len, &msg, &payload, &len);

    if (rc == -EFAULT) {
        msg.hdr.status = rc;
        rc = 0;
    }
    if (rc != 0 || flow->done == flow->sent || msg.hdr.seq != flow->out[at].seq)
        return -EBADMSG;
    flow->done++;
    flow->bytes -= flow->out[at].bytes;
    if (item == NULL)
        return 0;
    item->waiting--;
    if (item->status == 0)
        rc = settle(item, &msg, payload, len, flow->out[at].back);
    if (rc != 0)
        fail(flow, item, rc);
    else
        end_if_done(flow, item);
    return 0;
}

/* One more is not looked for when no more can be there: that would be a system call. */
static void receive_some(struct soft_peer_conn *conn)
{
    struct soft_peer_flow *flow = &conn->flow;
    struct soft_link_msg raw;
    unsigned int n = 0;
    int rc;

    do {
        rc = soft_link_recv(conn->remote, &raw);
        if (rc != 0)
            break;
        rc = take_reply(conn, &raw);
        soft_link_release(conn->remote);
    } while (++n < BURST && rc == 0 && flow->done != flow->sent);
    if (n > 0)
        flow->heard = od_now_ns();
    if (rc != 0 && rc != -EAGAIN)
        break_off(conn);
}

/* Gives up what has had its time, from its last request or from the last sign of life on. All that
 * came before `looked` was received: this process may have stood still, and is not to give up what
 * was answered meanwhile. */
static void expire(struct soft_peer_flow *flow, uint64_t looked)
{
    const uint64_t limit = (uint64_t)PEER_ANSWER_MS * 1000000u;

    if (looked < flow->heard + limit)
        return;
    OD_LIST_FOR_EACH_SAFE(link, &flow->items)
    {
        struct soft_peer_item *item = OD_LIST_ENTRY(link, struct soft_peer_item, link);

        if (looked >= item->since + limit)
            give_up(flow, item, -ETIMEDOUT);
    }
}

static void progress(struct soft_peer_conn *conn)
{
    struct soft_peer_flow *flow = &conn->flow;
    uint64_t now;

    if (flow->broken || od_list_is_empty(&flow->items))
        return;
    now = od_now_ns();
    receive_some(conn);
    send_some(conn);
    if (!od_list_is_empty(&flow->items))
        expire(flow, now);
}

/* ---- The queue ---- */

/* lane_lock held. */
static void enqueue(struct soft_peer_conn *conn, struct soft_peer_item *item)
{
    struct soft_peer_flow *flow = &conn->flow;

    item->since = od_now_ns();
    item->waiting = 0;
    item->asked = item->ended = false;
    item->status = 0;
    od_list_append(&flow->items, &item->link);
    if (flow->asking == NULL)
        flow->asking = item;
    if (conn->remote == NULL || flow->broken)
        give_up(flow, item, -ENOTCONN);
}

void soft_peer_flow_add(struct soft_peer_conn *conn, struct soft_peer_item *item)
{
    pthread_mutex_lock(&conn->lane_lock);
    enqueue(conn, item);
    if (!conn->flow.broken)
        send_some(conn);
    pthread_mutex_unlock(&conn->lane_lock);
    pthread_mutex_lock(&active.lock);
    if (od_list_is_empty(&conn->flow.active))
        od_list_append(&active.list, &conn->flow.active);
    pthread_mutex_unlock(&active.lock);
}

void soft_peer_flows_progress(void)
{
    pthread_mutex_lock(&active.lock);
    OD_LIST_FOR_EACH_SAFE(link, &active.list)
    {
        struct soft_peer_conn *conn = OD_LIST_ENTRY(link, struct soft_peer_conn, flow.active);

        /* Whoever has it drives it. */
        if (pthread_mutex_trylock(&conn->lane_lock) != 0)
            continue;
        progress(conn);
        if (od_list_is_empty(&conn->flow.items))
            od_list_remove(&conn->flow.active);
        pthread_mutex_unlock(&conn->lane_lock);
    }
    pthread_mutex_unlock(&active.lock);
}

/* lane_lock held. Each socket tells once: one whose connection has no items is not looked at. */
static bool watch(struct soft_peer_conn *conn, int epoll)
{
    struct epoll_event event = {.events = EPOLLONESHOT};
    short events;
    int fd;

    if (conn->flow.broken || od_list_is_empty(&conn->flow.items))
        return false;
    if (soft_link_pending(conn->remote))
        return true;
    fd = soft_link_fd(conn->remote, false, &events);
    if (fd < 0)
        return false;
    event.events |= (events & POLLOUT) != 0 ? EPOLLIN | EPOLLOUT : EPOLLIN;
    if (epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) != 0 && errno == ENOENT)
        (void)epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    return false;
}

bool soft_peer_flows_watch(int epoll)
{
    struct epoll_event old[BURST];
    bool pending = false;

    while (epoll_wait(epoll, old, BURST, 0) == (int)BURST)
        ;
    pthread_mutex_lock(&active.lock);
    OD_LIST_FOR_EACH(link, &active.list)
    {
        struct soft_peer_conn *conn = OD_LIST_ENTRY(link, struct soft_peer_conn, flow.active);

        if (pthread_mutex_trylock(&conn->lane_lock) != 0)
            continue;
        pending = watch(conn, epoll) || pending;
        pthread_mutex_unlock(&conn->lane_lock);
    }
    pthread_mutex_unlock(&active.lock);
    return pending;
}

static void cancel(struct soft_peer_conn *conn,
                   bool (*is_one)(const struct soft_peer_item *item, const void *arg),
                   const void *arg)
{
    OD_LIST_FOR_EACH_SAFE(link, &conn->flow.items)
    {
        struct soft_peer_item *item = OD_LIST_ENTRY(link, struct soft_peer_item, link);

        if (is_one(item, arg))
            give_up(&conn->flow, item, -ECANCELED);
    }
}

void soft_peer_flows_cancel(bool (*is_one)(const struct soft_peer_item *item, const void *arg),
                            const void *arg)
{
    bool again = true;

    while (again) {
        again = false;
        pthread_mutex_lock(&active.lock);
        OD_LIST_FOR_EACH(link, &active.list)
        {
            struct soft_peer_conn *conn = OD_LIST_ENTRY(link, struct soft_peer_conn, flow.active);

            if (pthread_mutex_trylock(&conn->lane_lock) != 0) {
                again = true;
                continue;
            }
            cancel(conn, is_one, arg);
            pthread_mutex_unlock(&conn->lane_lock);
        }
        pthread_mutex_unlock(&active.lock);
        if (again)
            sched_yield();
    }
}

/* ---- Waiting ---- */

/* lane_lock held, but not while it sleeps; turn held. */
static void sleep_a_little(struct soft_peer_conn *conn)
{
    struct pollfd pfd = {.fd = conn->waker->fd, .events = POLLIN};
    bool pending;

    od_waker_arm(conn->waker);
    /* What is awaited may also be room for a message, of which the waker says nothing. */
    pending = soft_link_pending(conn->remote);
    pthread_mutex_unlock(&conn->lane_lock);
    if (!pending)
        poll(&pfd, 1, 100);
    pthread_mutex_lock(&conn->lane_lock);
    od_waker_clear(conn->waker);
}

int soft_peer_flow_run(struct soft_peer_conn *conn, struct soft_peer_item *item)
{
    uint64_t start;

    pthread_mutex_lock(&conn->turn);
    pthread_mutex_lock(&conn->lane_lock);
    enqueue(conn, item);
    start = item->since;
    for (;;) {
        progress(conn);
        if (item->ended)
            break;
        if (od_now_ns() - start >= PEER_REMOTE_SPIN) {
            sleep_a_little(conn);
        } else {
            pthread_mutex_unlock(&conn->lane_lock);
            sched_yield();
            pthread_mutex_lock(&conn->lane_lock);
        }
    }
    pthread_mutex_unlock(&conn->lane_lock);
    pthread_mutex_unlock(&conn->turn);
    return item->status;
}

/* ---- Messages without reply ---- */

struct message {
    struct soft_peer_item item;
    union soft_peer_msg msg;
    enum soft_peer_msg_type type;
};

static int ask_message(struct soft_peer_item *item, struct soft_peer_ask *ask)
{
    const struct message *message = OD_CONTAINER_OF(item, struct message, item);

    ask->msg = message->msg;
    ask->type = message->type;
    ask->one_way = true;
    return 0;
}

static void end_message(struct soft_peer_item *item)
{
    free(OD_CONTAINER_OF(item, struct message, item));
}

int soft_peer_flow_tell(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                        enum soft_peer_msg_type type)
{
    static const struct soft_peer_item_ops ops = {.ask = ask_message, .end = end_message};
    struct message *message = malloc(sizeof(*message));

    if (message == NULL)
        return -ENOMEM;
    message->item.ops = &ops;
    message->msg = *msg;
    message->type = type;
    soft_peer_flow_add(conn, &message->item);
    return 0;
}

/* ---- Ends ---- */

void soft_peer_flow_close(struct soft_peer_conn *conn)
{
    pthread_mutex_lock(&active.lock);
    od_list_remove(&conn->flow.active);
    pthread_mutex_unlock(&active.lock);
    OD_LIST_FOR_EACH_SAFE(link, &conn->flow.items)
    {
        give_up(&conn->flow, OD_LIST_ENTRY(link, struct soft_peer_item, link), -ENOTCONN);
    }
}

void soft_peer_flows_forget(void)
{
    pthread_mutex_init(&active.lock, NULL);
    od_list_init(&active.list);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>

#include "soft/link/tcp/tcp_priv.h"

#define IDLE_POLLS   32u          /* without news, before counts travel alone */
#define STEPS        4u           /* reads in one call of the owner */
#define LONG_MESSAGE (128u << 10) /* bytes */
#define CHECK_STEPS  1024u

static bool has_store(enum soft_tcp_phase phase)
{
    return phase == TCP_UP || phase == TCP_GONE;
}

/* ---- Sending ---- */

static uint64_t sent_of(const struct soft_tcp_link *self)
{
    return atomic_load_explicit(&self->stream.sent, memory_order_relaxed);
}

static uint64_t taken_of(const struct soft_tcp_link *self)
{
    return atomic_load_explicit(&self->stream.taken, memory_order_acquire);
}

/* What a frame carries. */
struct content {
    const struct iovec *iov;
    unsigned int niov;
    size_t len;
    unsigned int part; /* that is foreign, if `spoilt` is set */
    const void *spoilt;
};

/* Sends a frame that has a number. */
static int send_numbered(struct soft_tcp_link *self, enum soft_tcp_type type,
                         const struct content *what)
{
    int rc;

    pthread_mutex_lock(&self->stream.lock);
    if (what->spoilt == NULL)
        rc = soft_tcp_stream_send(&self->stream, type, what->iov, what->niov, what->len);
    else
        rc = soft_tcp_stream_send_foreign(&self->stream, what->iov, what->niov, what->len,
                                          what->part, what->spoilt);
    if (rc == 0)
        atomic_store_explicit(&self->stream.sent, sent_of(self) + 1, memory_order_relaxed);
    pthread_mutex_unlock(&self->stream.lock);
    if (atomic_load_explicit(&self->stream.behind, memory_order_relaxed))
        soft_tcp_left(self);
    return rc;
}

/* What the socket does not take is copied, which for long messages takes as long as sending them.
 */
static bool is_behind(struct soft_tcp_link *self)
{
    if (!atomic_load_explicit(&self->stream.behind, memory_order_relaxed))
        return false;
    soft_tcp_look(self, STEPS);
    return atomic_load_explicit(&self->stream.behind, memory_order_relaxed);
}

static int send_message(struct soft_link *link, struct content *what)
{
    struct soft_tcp_link *self = soft_tcp_link(link);
    enum soft_tcp_phase phase = soft_tcp_phase(self);

    if (od_unlikely(phase != TCP_UP || self->shut))
        return phase < TCP_UP && !self->shut ? -EAGAIN : -EPIPE;
    what->len = soft_link_iov_len(what->iov, what->niov, link->max_msg);
    if (od_unlikely(what->len == SIZE_MAX))
        return -EMSGSIZE;
    if (sent_of(self) - taken_of(self) >= link->depth) {
        soft_tcp_look(self, STEPS);
        if (sent_of(self) - taken_of(self) >= link->depth)
            return -EAGAIN;
    }
    self->idle_polls = 0;
    if (what->len >= LONG_MESSAGE && is_behind(self))
        return -EAGAIN;
    return send_numbered(self, SOFT_TCP_MESSAGE, what);
}

static int tcp_send(struct soft_link *link, const struct iovec *iov, unsigned int niov)
{
    return send_message(link, &(struct content){.iov = iov, .niov = niov});
}

static int tcp_send_foreign(struct soft_link *link, const struct iovec *iov, unsigned int niov,
                            unsigned int part, const void *spoilt)
{
    return send_message(
        link, &(struct content){.iov = iov, .niov = niov, .part = part, .spoilt = spoilt});
}

/* The end counts among what was sent, but is no message. */
static uint64_t messages(struct soft_tcp_link *self, uint64_t count)
{
    return OD_MIN(count, sent_of(self) - self->ended);
}

static uint64_t tcp_taken(struct soft_link *link)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    if (!has_store(soft_tcp_phase(self)))
        return 0;
    soft_tcp_look(self, STEPS);
    return messages(self, taken_of(self));
}

static uint64_t tcp_arrived(struct soft_link *link)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    if (!has_store(soft_tcp_phase(self)))
        return 0;
    soft_tcp_look(self, STEPS);
    return messages(self, atomic_load_explicit(&self->stream.arrived, memory_order_acquire));
}

static bool tcp_await(struct soft_link *link, uint64_t seq)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    atomic_store_explicit(&self->awaited, self->ended && seq == 0 ? sent_of(self) : seq,
                          memory_order_seq_cst);
    if (seq != 0 && atomic_load_explicit(&self->stream.taken, memory_order_seq_cst) >= seq)
        return true;
    soft_tcp_maybe_sleeps(self);
    return false;
}

static bool end_taken(struct soft_tcp_link *self)
{
    return self->ended && taken_of(self) == sent_of(self);
}

/* ---- Receiving ---- */

static void tell_counts(struct soft_tcp_link *self)
{
    if (soft_tcp_phase(self) != TCP_UP)
        return;
    pthread_mutex_lock(&self->stream.lock);
    soft_tcp_stream_ack(&self->stream);
    pthread_mutex_unlock(&self->stream.lock);
    if (atomic_load_explicit(&self->stream.behind, memory_order_relaxed))
        soft_tcp_left(self);
}

static int recv_nothing(struct soft_tcp_link *self, struct soft_link_msg *msg)
{
    enum soft_tcp_phase phase = soft_tcp_phase(self);
    int rc;

    if (phase < TCP_UP)
        return -EAGAIN;
    if (phase == TCP_FAILED)
        return -ECONNRESET;
    soft_tcp_look(self, STEPS);
    phase = soft_tcp_phase(self);
    rc = soft_tcp_store_peek(&self->stream.store, &msg->data, &msg->len);
    if (rc != -EAGAIN)
        return rc;
    /* Replies carry the counts; without one they travel alone, a moment later. */
    if (phase == TCP_UP && ++self->idle_polls == IDLE_POLLS)
        tell_counts(self);
    return phase == TCP_UP ? -EAGAIN : -ECONNRESET;
}

static int tcp_recv(struct soft_link *link, struct soft_link_msg *msg)
{
    struct soft_tcp_link *self = soft_tcp_link(link);
    int rc = -EAGAIN;

    if (od_likely(has_store(soft_tcp_phase(self))))
        rc = soft_tcp_store_peek(&self->stream.store, &msg->data, &msg->len);
    if (rc == -EAGAIN)
        rc = recv_nothing(self, msg);
    if (rc == 0)
        self->idle_polls = 0;
    if (rc == -ESHUTDOWN && !self->stream.store.ended) {
        soft_tcp_store_take(&self->stream.store);
        tell_counts(self);
    }
    return rc;
}

static void tcp_release(struct soft_link *link)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    soft_tcp_store_take(&self->stream.store);
    self->idle_polls = 0;
    /* A sender must not starve while many replies are being made. Those that are sent tell it. */
    if (soft_tcp_stream_untold(&self->stream) >= OD_MAX(link->depth / 4, 1u))
        tell_counts(self);
    else
        soft_tcp_left(self);
}

/* ---- State ---- */

static bool end_arrived(struct soft_tcp_link *self)
{
    uint64_t end = atomic_load_explicit(&self->stream.store.end, memory_order_relaxed);

    return end != 0 && atomic_load_explicit(&self->stream.store.ready, memory_order_acquire) == end;
}

static enum soft_link_state tcp_poll(struct soft_link *link, int *reason)
{
    struct soft_tcp_link *self = soft_tcp_link(link);
    enum soft_tcp_phase phase = soft_tcp_phase(self);

    if (phase == TCP_UP)
        soft_tcp_look(self, STEPS);
    phase = soft_tcp_phase(self);
    self->seen = phase;
    if (phase < TCP_UP)
        return SOFT_LINK_CONNECTING;
    if (phase == TCP_UP && !self->shut)
        return SOFT_LINK_UP;
    if (phase == TCP_FAILED)
        *reason = self->reason;
    else if (end_taken(self))
        *reason = 0;
    else if (phase == TCP_UP)
        return SOFT_LINK_CLOSING;
    else
        *reason = end_arrived(self) ? 0 : self->reason;
    self->told = true;
    return SOFT_LINK_DOWN;
}

static void tcp_check(struct soft_link *link)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    /* The end shows once everything before it is read. */
    for (unsigned int i = 0; i < 2 && soft_tcp_phase(self) == TCP_UP; i++)
        soft_tcp_look(self, CHECK_STEPS);
}

static bool is_pending(struct soft_tcp_link *self)
{
    enum soft_tcp_phase phase = soft_tcp_phase(self);
    const void *bytes;
    uint32_t len;

    if (phase != self->seen)
        return phase >= TCP_UP;
    if (!has_store(phase))
        return false;
    if (!self->stream.store.ended &&
        soft_tcp_store_peek(&self->stream.store, &bytes, &len) != -EAGAIN)
        return true;
    return !self->told && end_taken(self);
}

static bool tcp_pending(struct soft_link *link)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    if (is_pending(self))
        return true;
    soft_tcp_maybe_sleeps(self);
    return is_pending(self);
}

/* What there is to wait for before there is room: to be rid of what is kept, or counts. */
static short events_for_room(const struct soft_tcp_link *self, bool behind)
{
    return !behind && sent_of(self) - taken_of(self) >= self->base.depth ? POLLIN : POLLOUT;
}

static int tcp_fd(struct soft_link *link, bool room, short *events)
{
    struct soft_tcp_link *self = soft_tcp_link(link);
    const bool behind = atomic_load_explicit(&self->stream.behind, memory_order_relaxed);

    if (soft_tcp_phase(self) != TCP_UP)
        return -1;
    *events = room ? events_for_room(self, behind) : (short)(POLLIN | (behind ? POLLOUT : 0));
    return self->sock;
}

static unsigned long tcp_received(const struct soft_link *link)
{
    const struct soft_tcp_link *self = OD_CONTAINER_OF(link, const struct soft_tcp_link, base);

    return atomic_load_explicit(&self->stream.received, memory_order_relaxed);
}

static void tcp_shutdown(struct soft_link *link)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    if (self->shut)
        return;
    self->shut = true;
    soft_service_lock();
    if (soft_tcp_phase(self) < TCP_UP)
        soft_tcp_news(self, TCP_FAILED, 0);
    soft_service_unlock();
    if (soft_tcp_phase(self) != TCP_UP)
        return;
    self->ended = send_numbered(self, SOFT_TCP_END, &(struct content){0}) == 0;
    atomic_store_explicit(&self->awaited, sent_of(self), memory_order_relaxed);
}

static bool tcp_peer_ended(struct soft_link *link)
{
    struct soft_tcp_link *self = soft_tcp_link(link);
    enum soft_tcp_phase phase = soft_tcp_phase(self);

    if (phase == TCP_UP)
        soft_tcp_look(self, STEPS);
    phase = soft_tcp_phase(self);
    return phase > TCP_UP || (phase == TCP_UP && atomic_load(&self->stream.store.end) != 0);
}

static void tcp_close(struct soft_link *link)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    soft_service_lock();
    if (soft_tcp_phase(self) == TCP_WAITING)
        soft_tcp_send_refusal(self, SOFT_TCP_REFUSED, NULL, 0);
    soft_tcp_release(self, self->ended);
    soft_service_unlock();
}

const struct soft_link_ops soft_link_tcp_ops = {
    .name = "tcp",
    .listen = soft_tcp_listen,
    .unlisten = soft_tcp_unlisten,
    .next = soft_tcp_next,
    .listener_pending = soft_tcp_listener_pending,
    .connect = soft_tcp_connect,
    .accept = soft_tcp_accept,
    .refuse = soft_tcp_refuse,
    .poll = tcp_poll,
    .check = tcp_check,
    .send = tcp_send,
    .send_foreign = tcp_send_foreign,
    .taken = tcp_taken,
    .arrived = tcp_arrived,
    .await = tcp_await,
    .recv = tcp_recv,
    .release = tcp_release,
    .pending = tcp_pending,
    .fd = tcp_fd,
    .received = tcp_received,
    .shutdown = tcp_shutdown,
    .peer_ended = tcp_peer_ended,
    .close = tcp_close,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "soft/link/local/local_priv.h"
#include "util/barrier.h"

/* ---- Telling a sleeping peer ---- */

static OD_COLD void send_wake(struct local_link *self, uint32_t epoch)
{
    union soft_frame frame = {.wake = {.epoch = epoch}};

    /* A full socket is readable; a closed one is seen by the background thread. */
    soft_frame_send(self->sock, &frame, soft_frame_seal(&frame, SOFT_FRAME_WAKE), NULL, 0);
}

/* Between what is written for the peer and what is read from it. */
static inline void order(const struct local_link *self)
{
    od_barrier_light(self->no_barrier ||
                     !atomic_load_explicit(&soft_service_registered, memory_order_relaxed));
}

static inline void tell(struct local_link *self)
{
    uint32_t epoch;

    if (self->view.epoch == NULL)
        return;
    order(self);
    epoch = od_waker_view_due(&self->view);

    if (od_unlikely(epoch != 0))
        send_wake(self, epoch);
}

static inline void tell_taken(struct local_link *self)
{
    if (self->view.epoch == NULL)
        return;
    order(self);
    if (od_unlikely(soft_ring_is_awaited(&self->rx)))
        tell(self);
}

/* ---- Sending ---- */

static int local_send(struct soft_link *link, const struct iovec *iov, unsigned int niov)
{
    struct local_link *self = local_link(link);
    enum local_phase phase = local_phase(self);
    int rc;

    if (od_unlikely(phase != LOCAL_UP || self->shut))
        return phase < LOCAL_UP && !self->shut ? -EAGAIN : -EPIPE;
    rc = soft_ring_send(&self->tx, iov, niov);
    if (od_likely(rc == 0))
        tell(self);
    return rc;
}

static bool has_rings(enum local_phase phase)
{
    return phase == LOCAL_UP || phase == LOCAL_GONE;
}

static void local_more(struct soft_link *link)
{
    struct local_link *self = local_link(link);

    if (has_rings(local_phase(self)))
        soft_ring_claim(&self->tx);
}

static uint64_t local_taken(struct soft_link *link)
{
    struct local_link *self = local_link(link);

    if (!has_rings(local_phase(self)))
        return 0;
    soft_ring_tx_look(&self->tx);
    return OD_MIN(self->tx.taken, soft_ring_messages(&self->tx));
}

static uint64_t local_arrived(struct soft_link *link)
{
    struct local_link *self = local_link(link);

    return has_rings(local_phase(self)) ? soft_ring_messages(&self->tx) : 0;
}

static bool local_await(struct soft_link *link, uint64_t seq)
{
    struct local_link *self = local_link(link);
    uint64_t wish = seq;

    if (!has_rings(local_phase(self)))
        return false;
    /* After a shutdown the end is awaited in any case. */
    if (self->tx.ended && (seq == 0 || seq > self->tx.sent))
        wish = self->tx.sent;
    soft_ring_await(&self->tx, wish);
    return seq != 0 && self->tx.taken >= seq;
}

static bool end_taken(struct local_link *self)
{
    if (!self->tx.ended)
        return false;
    soft_ring_tx_look(&self->tx);
    return self->tx.taken == self->tx.sent;
}

/* ---- Receiving ---- */

static void cut(struct local_link *self)
{
    soft_service_lock();
    if (local_phase(self) == LOCAL_UP)
        soft_local_news(self, LOCAL_GONE, 0);
    soft_service_unlock();
}

static int recv_end(struct local_link *self, int rc)
{
    if (rc == -ESHUTDOWN) {
        soft_ring_take_end(&self->rx);
        tell_taken(self);
        return rc;
    }
    cut(self);
    return -ECONNRESET;
}

static OD_COLD int recv_not_up(struct local_link *self, enum local_phase phase,
                               struct soft_link_msg *msg)
{
    int rc = -EAGAIN;

    if (phase < LOCAL_UP)
        return -EAGAIN;
    /* Whatever the peer sent before its end is visible since the end is. */
    if (phase == LOCAL_GONE)
        rc = soft_ring_peek(&self->rx, &msg->data, &msg->len);
    if (rc == 0)
        return 0;
    return rc == -ESHUTDOWN ? recv_end(self, rc) : -ECONNRESET;
}

static int local_recv(struct soft_link *link, struct soft_link_msg *msg)
{
    struct local_link *self = local_link(link);
    enum local_phase phase = local_phase(self);
    int rc;

    if (od_unlikely(phase != LOCAL_UP))
        return recv_not_up(self, phase, msg);
    rc = soft_ring_peek(&self->rx, &msg->data, &msg->len);
    return od_likely(rc == 0 || rc == -EAGAIN) ? rc : recv_end(self, rc);
}

static void local_release(struct soft_link *link)
{
    struct local_link *self = local_link(link);

    soft_ring_take(&self->rx);
    tell_taken(self);
}

/* ---- State ---- */

static enum soft_link_state local_poll(struct soft_link *link, int *reason)
{
    struct local_link *self = local_link(link);
    enum local_phase phase = local_phase(self);

    self->seen = phase;
    if (phase < LOCAL_UP)
        return SOFT_LINK_CONNECTING;
    if (phase == LOCAL_UP && !self->shut)
        return SOFT_LINK_UP;
    if (phase == LOCAL_FAILED)
        *reason = self->reason;
    else if (end_taken(self))
        *reason = 0;
    else if (phase == LOCAL_UP)
        return SOFT_LINK_CLOSING;
    else
        *reason = soft_ring_has_end(&self->rx) ? 0 : -ECONNRESET;
    self->told = true;
    return SOFT_LINK_DOWN;
}

static void local_check(struct soft_link *link)
{
    struct local_link *self = local_link(link);
    struct pollfd end = {.events = POLLRDHUP};

    if (local_phase(self) != LOCAL_UP)
        return;
    end.fd = self->sock;
    if (poll(&end, 1, 0) == 1)
        cut(self);
}

static bool local_pending(struct soft_link *link)
{
    struct local_link *self = local_link(link);
    enum local_phase phase = local_phase(self);
    const void *data;
    uint32_t len;

    if (phase != self->seen)
        return phase >= LOCAL_UP;
    if (!has_rings(phase))
        return false;
    if (!self->rx.ended && soft_ring_peek(&self->rx, &data, &len) != -EAGAIN)
        return true;
    return !self->told && end_taken(self);
}

static void local_shutdown(struct soft_link *link)
{
    struct local_link *self = local_link(link);

    if (self->shut)
        return;
    self->shut = true;
    soft_service_lock();
    if (local_phase(self) < LOCAL_UP)
        soft_local_news(self, LOCAL_FAILED, 0);
    soft_service_unlock();
    if (local_phase(self) != LOCAL_UP)
        return;
    soft_ring_end(&self->tx);
    soft_ring_await(&self->tx, self->tx.sent);
    tell(self);
}

static bool local_peer_ended(struct soft_link *link)
{
    struct local_link *self = local_link(link);
    enum local_phase phase = local_phase(self);

    if (phase != LOCAL_UP)
        return phase > LOCAL_UP;
    /* Against the one in soft_ring_end(): of a message sent before and an end, one side sees one.
     */
    atomic_thread_fence(memory_order_seq_cst);
    return soft_ring_peer_ended(&self->rx);
}

static void local_close(struct soft_link *link)
{
    struct local_link *self = local_link(link);

    soft_service_lock();
    if (local_phase(self) == LOCAL_WAITING)
        soft_local_send_refusal(self->sock, SOFT_REFUSAL_OWNER, NULL, 0);
    soft_local_link_free(self);
    soft_service_unlock();
}

const struct soft_link_ops soft_link_local_ops = {
    .name = "local",
    .listen = soft_local_listen,
    .unlisten = soft_local_unlisten,
    .next = soft_local_next,
    .admit_no_more = soft_local_admit_no_more,
    .listener_pending = soft_local_listener_pending,
    .connect = soft_local_connect,
    .accept = soft_local_accept,
    .refuse = soft_local_refuse,
    .poll = local_poll,
    .check = local_check,
    .send = local_send,
    .more = local_more,
    .taken = local_taken,
    .arrived = local_arrived,
    .await = local_await,
    .recv = local_recv,
    .release = local_release,
    .pending = local_pending,
    .shutdown = local_shutdown,
    .peer_ended = local_peer_ended,
    .close = local_close,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "soft/link/ucx/module.h"
#include "soft/link/ucx/module/ucx_priv.h"

#define IDLE_POLLS 32u /* without news, before counts travel alone */

static bool has_inbox(enum soft_ucx_phase phase)
{
    return phase == UCX_UP || phase == UCX_GONE;
}

/* ---- Sending ---- */

static uint64_t flying(const struct soft_ucx_link *self)
{
    return self->sent - atomic_load_explicit(&self->taken, memory_order_acquire);
}

static int ucx_send(struct soft_link *link, const struct iovec *iov, unsigned int niov)
{
    struct soft_ucx_link *self = soft_ucx_link(link);
    enum soft_ucx_phase phase = soft_ucx_phase(self);
    size_t len;
    int rc;

    if (phase < UCX_UP)
        soft_ucx_poll();
    if (phase != UCX_UP || self->shut)
        return phase < UCX_UP && !self->shut ? -EAGAIN : -EPIPE;
    len = soft_link_iov_len(iov, niov, link->max_msg);
    if (len == SIZE_MAX)
        return -EMSGSIZE;
    if (flying(self) >= link->depth) {
        soft_ucx_poll();
        if (flying(self) >= link->depth)
            return -EAGAIN;
    }
    soft_ucx_lock();
    rc = soft_ucx_phase(self) == UCX_UP ? soft_ucx_send_message(self, iov, niov, len) : -EPIPE;
    soft_ucx_unlock();
    self->idle_polls = 0;
    return rc;
}

/* `sent` counts the end as well. */
static uint64_t messages(const struct soft_ucx_link *self, uint64_t count)
{
    return OD_MIN(count, self->sent - self->ended);
}

static uint64_t ucx_taken(struct soft_link *link)
{
    struct soft_ucx_link *self = soft_ucx_link(link);

    soft_ucx_poll();
    return messages(self, atomic_load_explicit(&self->taken, memory_order_acquire));
}

static uint64_t ucx_arrived(struct soft_link *link)
{
    struct soft_ucx_link *self = soft_ucx_link(link);

    soft_ucx_poll();
    return messages(self, atomic_load_explicit(&self->arrived, memory_order_acquire));
}

/* An owner that has armed its waker is about to sleep. */
static void maybe_sleeps(const struct soft_ucx_link *self)
{
    const struct od_waker *waker = self->base.conf.waker;

    if (waker != NULL && atomic_load_explicit(&waker->armed, memory_order_relaxed) != 0)
        soft_ucx_owner_sleeps();
}

static bool ucx_await(struct soft_link *link, uint64_t seq)
{
    struct soft_ucx_link *self = soft_ucx_link(link);

    atomic_store_explicit(&self->awaited, self->ended && seq == 0 ? self->sent : seq,
                          memory_order_seq_cst);
    if (seq != 0 && atomic_load_explicit(&self->taken, memory_order_seq_cst) >= seq)
        return true;
    maybe_sleeps(self);
    return false;
}

static bool end_taken(struct soft_ucx_link *self)
{
    return self->ended && atomic_load_explicit(&self->taken, memory_order_acquire) == self->sent;
}

/* ---- Receiving ---- */

/* Lock not held. */
static void tell_counts(struct soft_ucx_link *self)
{
    soft_ucx_lock();
    soft_ucx_ack(self);
    soft_ucx_unlock();
}

static int recv_nothing(struct soft_ucx_link *self, enum soft_ucx_phase phase,
                        struct soft_link_msg *msg)
{
    int rc = -EAGAIN;

    soft_ucx_poll();
    if (has_inbox(phase))
        rc = soft_inbox_peek(&self->inbox, &msg->data, &msg->len);
    if (rc != -EAGAIN)
        return rc;
    /* Replies carry the counts; without one they travel alone, a moment later. */
    if (phase == UCX_UP && ++self->idle_polls == IDLE_POLLS)
        tell_counts(self);
    return phase > UCX_UP ? -ECONNRESET : -EAGAIN;
}

static int ucx_recv(struct soft_link *link, struct soft_link_msg *msg)
{
    struct soft_ucx_link *self = soft_ucx_link(link);
    enum soft_ucx_phase phase = soft_ucx_phase(self);
    int rc = has_inbox(phase) ? soft_inbox_peek(&self->inbox, &msg->data, &msg->len) : -EAGAIN;

    if (rc == -EAGAIN)
        rc = recv_nothing(self, phase, msg);
    if (rc == 0)
        self->idle_polls = 0;
    if (rc == -ESHUTDOWN && !self->inbox.ended) {
        soft_inbox_take(&self->inbox);
        tell_counts(self);
    }
    return rc;
}

static void ucx_release(struct soft_link *link)
{
    struct soft_ucx_link *self = soft_ucx_link(link);

    soft_inbox_take(&self->inbox);
    self->idle_polls = 0;
    /* A sender must not starve while many replies are being made. */
    if (++self->untold >= OD_MAX(link->depth / 4, 1u)) {
        self->untold = 0;
        tell_counts(self);
    }
}

/* ---- State ---- */

static enum soft_link_state ucx_poll(struct soft_link *link, int *reason)
{
    struct soft_ucx_link *self = soft_ucx_link(link);
    enum soft_ucx_phase phase;

    soft_ucx_poll();
    phase = soft_ucx_phase(self);
    self->seen = phase;
    if (phase < UCX_UP)
        return SOFT_LINK_CONNECTING;
    if (phase == UCX_UP && !self->shut)
        return SOFT_LINK_UP;
    if (phase == UCX_FAILED)
        *reason = self->reason;
    else if (end_taken(self))
        *reason = 0;
    else if (phase == UCX_UP)
        return SOFT_LINK_CLOSING;
    else
        *reason = atomic_load(&self->inbox.end) != 0 &&
                          atomic_load(&self->inbox.ready) == atomic_load(&self->inbox.end)
                      ? 0
                      : -ECONNRESET;
    self->told = true;
    return SOFT_LINK_DOWN;
}

static bool is_pending(struct soft_ucx_link *self)
{
    enum soft_ucx_phase phase = soft_ucx_phase(self);
    const void *bytes;
    uint32_t len;

    if (phase != self->seen)
        return phase >= UCX_UP;
    if (!has_inbox(phase))
        return false;
    if (!self->inbox.ended && soft_inbox_peek(&self->inbox, &bytes, &len) != -EAGAIN)
        return true;
    return !self->told && end_taken(self);
}

static bool ucx_pending(struct soft_link *link)
{
    struct soft_ucx_link *self = soft_ucx_link(link);

    if (is_pending(self))
        return true;
    maybe_sleeps(self);
    return is_pending(self);
}

static void ucx_shutdown(struct soft_link *link)
{
    struct soft_ucx_link *self = soft_ucx_link(link);

    if (self->shut)
        return;
    self->shut = true;
    soft_ucx_lock();
    if (soft_ucx_phase(self) < UCX_UP) {
        soft_ucx_news(self, UCX_FAILED, 0);
    } else if (soft_ucx_phase(self) == UCX_UP) {
        self->ended = true;
        self->sent++;
        atomic_store_explicit(&self->awaited, self->sent, memory_order_relaxed);
        soft_ucx_send_frame(self, SOFT_UCX_END, self->sent, NULL, 0);
    }
    soft_ucx_unlock();
}

static bool ucx_peer_ended(struct soft_link *link)
{
    struct soft_ucx_link *self = soft_ucx_link(link);
    enum soft_ucx_phase phase;

    soft_ucx_poll();
    phase = soft_ucx_phase(self);
    return phase > UCX_UP || (phase == UCX_UP && atomic_load(&self->inbox.end) != 0);
}

static void ucx_close(struct soft_link *link)
{
    struct soft_ucx_link *self = soft_ucx_link(link);
    enum soft_ucx_phase phase;

    soft_ucx_lock();
    phase = soft_ucx_phase(self);
    if (phase == UCX_WAITING)
        soft_ucx_send_refusal(self, SOFT_UCX_REFUSED, NULL, 0);
    soft_ucx_release(self, self->ended || phase == UCX_WAITING || phase == UCX_FAILED);
    soft_ucx_unlock();
}

const struct soft_link_ops soft_ucx_ops = {
    .name = "ucx",
    .listen = soft_ucx_listen,
    .unlisten = soft_ucx_unlisten,
    .next = soft_ucx_next,
    .listener_pending = soft_ucx_listener_pending,
    .connect = soft_ucx_connect,
    .accept = soft_ucx_accept,
    .refuse = soft_ucx_refuse,
    .poll = ucx_poll,
    .send = ucx_send,
    .taken = ucx_taken,
    .arrived = ucx_arrived,
    .await = ucx_await,
    .recv = ucx_recv,
    .release = ucx_release,
    .pending = ucx_pending,
    .shutdown = ucx_shutdown,
    .peer_ended = ucx_peer_ended,
    .close = ucx_close,
};

extern const struct soft_link_module soft_link_module;

__attribute__((visibility("default"))) const struct soft_link_module soft_link_module = {
    .head = {SOFT_LINK_MODULE_VERSION, sizeof(soft_link_module)},
    .ops = &soft_ucx_ops,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/link/error/faults.h"
#include "soft/link/link_priv.h"
#include "soft/service/service.h"
#include "util/clock.h"

/* Wraps a link of another transport and lets happen to it what may happen to links: messages that
 * take long, sends that find no room, ends at any point. What may not happen, does not: nothing
 * overtakes, comes twice, or is missing while the link lives. */

#define ENV "OPENDOCA_LINK_FAULTS"

struct error_link {
    struct soft_link base;
    struct soft_link *inner; /* NULL: cut, or never there */
    struct soft_link_faults faults;
    uint64_t attempts; /* to send */
    uint64_t sent;
    uint64_t received;
    struct soft_link_msg msg; /* the next one, when `have` */
    bool have;
    bool held;    /* by the owner, until released */
    bool is_over; /* cut, although the inner link may be open for the sake of what is held */
    bool told;
    bool refused; /* the last send, although there was room */
    bool is_up;   /* as far as the owner knows */
    bool delays;  /* there are such rules */
    int ended;    /* what recv of the inner link said at its end */
    bool ended_told;
    int reason;
    uint64_t due; /* ns; of the next message */
    uint64_t taken;
    uint64_t arrived;
    struct soft_service_timer timer;
};

struct error_listener {
    struct soft_link_listener base;
    struct soft_link_listener *inner;
};

static atomic_uint_fast64_t connects; /* of the process */

static struct error_link *error_link(const struct soft_link *link)
{
    return OD_CONTAINER_OF((struct soft_link *)(uintptr_t)link, struct error_link, base);
}

static struct soft_link_listener *inner_of(const struct soft_link_listener *listener)
{
    return OD_CONTAINER_OF(listener, const struct error_listener, base)->inner;
}

static int read_faults(struct soft_link_faults *faults)
{
    const char *text = secure_getenv(ENV);

    return soft_link_faults_parse(text == NULL ? "" : text, faults);
}

const char *soft_link_with_faults(const char *addr, char wrapped[SOFT_LINK_ADDR_MAX])
{
    const char *text = secure_getenv(ENV);

    if (text == NULL || text[0] == '\0')
        return addr;
    snprintf(wrapped, SOFT_LINK_ADDR_MAX, "error:%s", addr);
    return wrapped;
}

/* ---- Births and deaths ---- */

/* What a link knows when it is UP or DOWN; before that its own threads may be writing it. */
static void take_over(struct error_link *self)
{
    self->base.max_msg = self->inner->max_msg;
    self->base.depth = self->inner->depth;
    self->base.hello = self->inner->hello;
    self->base.answer = self->inner->answer;
    self->base.peer = self->inner->peer;
}

/* NULL with a reason; *err: negative errno. */
static struct error_link *wrap(const struct soft_link_conf *conf, int *err)
{
    struct error_link *self = calloc(1, sizeof(*self));

    *err =
        self != NULL ? read_faults(&self->faults) : soft_fail(-ENOMEM, "out of memory for a link");
    if (*err != 0) {
        free(self);
        return NULL;
    }
    self->base.ops = &soft_link_error_ops;
    self->base.conf = *conf;
    for (uint32_t i = 0; i < self->faults.n; i++)
        self->delays |= self->faults.rules[i].kind == SOFT_LINK_DELAY;
    return self;
}

static void cut_inner(struct error_link *self)
{
    if (self->inner == NULL || self->held)
        return;
    self->base.hello = self->base.answer = (struct soft_link_bytes){0};
    self->inner->ops->close(self->inner);
    self->inner = NULL;
    self->have = false;
}

static void end(struct error_link *self, int reason)
{
    self->is_over = true;
    self->reason = reason;
    cut_inner(self);
    if (self->base.conf.waker != NULL)
        od_waker_wake_self(self->base.conf.waker);
}

static void error_close(struct soft_link *link)
{
    struct error_link *self = error_link(link);

    soft_service_lock();
    soft_service_timer_cancel(&self->timer);
    soft_service_unlock();
    self->held = false;
    cut_inner(self);
    free(self);
}

/* ---- Listening ---- */

static int error_listen(const char *addr, const struct soft_link_conf *conf,
                        struct soft_link_listener **listener)
{
    struct soft_link_faults faults;
    const struct soft_link_ops *ops;
    struct error_listener *self;
    const char *rest;
    int rc = read_faults(&faults);

    if (rc != 0)
        return rc;
    ops = soft_link_transport(addr, &rest);
    if (ops == NULL)
        return -EINVAL;
    self = calloc(1, sizeof(*self));
    if (self == NULL)
        return soft_fail(-ENOMEM, "out of memory for a listener");
    rc = ops->listen(rest, conf, &self->inner);
    if (rc != 0) {
        free(self);
        return rc;
    }
    self->base.ops = &soft_link_error_ops;
    self->base.conf = *conf;
    snprintf(self->base.addr, sizeof(self->base.addr), "error:%.*s", SOFT_LINK_ADDR_MAX - 7,
             self->inner->addr);
    *listener = &self->base;
    return 0;
}

static void error_unlisten(struct soft_link_listener *listener)
{
    struct soft_link_listener *inner = inner_of(listener);

    inner->ops->unlisten(inner);
    free(OD_CONTAINER_OF(listener, struct error_listener, base));
}

static void error_admit_no_more(struct soft_link_listener *listener)
{
    soft_link_admit_no_more(inner_of(listener));
}

static struct soft_link *error_next(struct soft_link_listener *listener)
{
    struct soft_link_listener *inner = inner_of(listener);
    struct soft_link *link = inner->ops->next(inner);
    struct error_link *self;
    int err;

    if (link == NULL)
        return NULL;
    self = wrap(&listener->conf, &err);
    if (self == NULL) {
        link->ops->close(link);
        return NULL;
    }
    self->inner = link;
    self->base.hello = link->hello;
    self->base.peer = link->peer;
    self->is_up = listener->conf.admit != NULL;
    if (self->is_up)
        take_over(self);
    return &self->base;
}

static bool error_listener_pending(const struct soft_link_listener *listener)
{
    const struct soft_link_listener *inner = inner_of(listener);

    return inner->ops->listener_pending(inner);
}

static int error_accept(struct soft_link *link, const void *answer, size_t len)
{
    struct error_link *self = error_link(link);
    int rc;

    if (self->inner == NULL)
        return -ECONNRESET;
    rc = self->inner->ops->accept(self->inner, answer, len);
    self->is_up = rc == 0;
    if (self->is_up)
        take_over(self);
    return rc;
}

static void error_refuse(struct soft_link *link, const void *answer, size_t len)
{
    struct error_link *self = error_link(link);

    if (self->inner != NULL)
        self->inner->ops->refuse(self->inner, answer, len);
    self->inner = NULL;
    error_close(link);
}

/* ---- Connecting ---- */

static int error_connect(const char *addr, const struct soft_link_conf *conf, const void *hello,
                         size_t len, struct soft_link **link)
{
    struct error_link *self;
    const char *rest;
    const struct soft_link_ops *ops = soft_link_transport(addr, &rest);
    int rc;

    if (ops == NULL)
        return -EINVAL;
    self = wrap(conf, &rc);
    if (self == NULL)
        return rc;
    if (soft_link_faults_find(&self->faults, SOFT_LINK_REFUSE,
                              atomic_fetch_add(&connects, 1) + 1) != NULL) {
        end(self, -ECONNREFUSED);
    } else {
        rc = ops->connect(rest, conf, hello, len, &self->inner);
        if (rc != 0) {
            free(self);
            return rc;
        }
    }
    *link = &self->base;
    return 0;
}

/* ---- Sending ---- */

/* -EAGAIN: there is room, but not for this one. */
static int meet_faults(struct error_link *self)
{
    uint64_t next = self->sent + 1;

    if (soft_link_faults_find(&self->faults, SOFT_LINK_AGAIN, ++self->attempts) != NULL) {
        self->refused = true;
        return -EAGAIN;
    }
    if (soft_link_faults_find(&self->faults, SOFT_LINK_CUT, next) != NULL) {
        end(self, -ECONNRESET);
        return -EPIPE;
    }
    if (soft_link_faults_find(&self->faults, SOFT_LINK_DROP, next) != NULL) {
        self->sent++;
        end(self, -ECONNRESET);
    }
    return 0;
}

static int error_send(struct soft_link *link, const struct iovec *iov, unsigned int niov)
{
    struct error_link *self = error_link(link);
    int rc;

    self->refused = false;
    if (self->is_over)
        return -EPIPE;
    rc = self->is_up ? meet_faults(self) : 0;
    if (rc != 0 || self->is_over)
        return rc;
    rc = self->inner->ops->send(self->inner, iov, niov);
    self->is_up |= rc == 0;
    self->sent += rc == 0;
    return rc;
}

static uint64_t error_taken(struct soft_link *link)
{
    struct error_link *self = error_link(link);

    if (self->inner != NULL)
        self->taken = self->inner->ops->taken(self->inner);
    return self->taken;
}

static uint64_t error_arrived(struct soft_link *link)
{
    struct error_link *self = error_link(link);

    if (self->inner != NULL)
        self->arrived = self->inner->ops->arrived(self->inner);
    return self->arrived;
}

static bool error_await(struct soft_link *link, uint64_t seq)
{
    struct error_link *self = error_link(link);

    if (self->is_over)
        return true;
    return self->inner->ops->await(self->inner, seq) || (seq != 0 && self->refused);
}

/* ---- Receiving ---- */

static void nothing(void)
{
}

static void wake_owner(struct soft_service_timer *timer)
{
    struct error_link *self = OD_CONTAINER_OF(timer, struct error_link, timer);

    if (self->base.conf.waker != NULL)
        od_waker_wake(self->base.conf.waker);
}

/* An owner that sleeps is woken when the time has come. Without the thread there is no delay. */
static void delay(struct error_link *self, uint64_t ns)
{
    static struct soft_service_room room = {.at_exit = nothing, .in_child = nothing};

    soft_service_lock();
    if (soft_service_start(&room) == 0) {
        self->due = od_now_ns() + ns;
        soft_service_timer_set(&self->timer, ns / 1000000u + 1, wake_owner);
    }
    soft_service_unlock();
}

/* Takes the next message of the inner link. 0 when it is the owner's turn, or what recv says. */
static int look(struct error_link *self)
{
    const struct soft_link_fault_rule *rule;
    int rc;

    if (self->ended != 0)
        return self->ended;
    if (!self->have) {
        rc = self->inner->ops->recv(self->inner, &self->msg);
        if (rc != 0 && rc != -EAGAIN)
            self->ended = rc;
        if (rc != 0)
            return rc;
        self->have = true;
        self->due = 0;
        rule = soft_link_faults_find(&self->faults, SOFT_LINK_DELAY, ++self->received);
        if (rule != NULL)
            delay(self, rule->ns);
    }
    return self->due == 0 || od_now_ns() >= self->due ? 0 : -EAGAIN;
}

static int error_recv(struct soft_link *link, struct soft_link_msg *msg)
{
    struct error_link *self = error_link(link);
    int rc;

    if (self->is_over)
        return -ECONNRESET;
    rc = look(self);
    self->ended_told |= self->ended != 0;
    if (rc != 0)
        return rc;
    self->held = true;
    *msg = self->msg;
    return 0;
}

static void error_release(struct soft_link *link)
{
    struct error_link *self = error_link(link);

    if (self->have)
        self->inner->ops->release(self->inner);
    self->have = self->held = false;
    if (self->is_over)
        cut_inner(self);
}

/* ---- State ---- */

static enum soft_link_state error_poll(struct soft_link *link, int *reason)
{
    struct error_link *self = error_link(link);
    enum soft_link_state state;

    if (self->is_over) {
        self->told = true;
        *reason = self->reason;
        return SOFT_LINK_DOWN;
    }
    state = self->inner->ops->poll(self->inner, reason);
    self->is_up |= state == SOFT_LINK_UP;
    /* What had arrived is not lost with the link. */
    if (state == SOFT_LINK_DOWN) {
        self->due = 0;
        self->ended_told = true;
    }
    if (state != SOFT_LINK_CONNECTING)
        take_over(self);
    return state;
}

static void error_check(struct soft_link *link)
{
    struct error_link *self = error_link(link);

    if (!self->is_over && self->inner->ops->check != NULL)
        self->inner->ops->check(self->inner);
}

static bool error_pending(struct soft_link *link)
{
    struct error_link *self = error_link(link);

    if (self->is_over)
        return !self->told;
    if (!self->delays || !self->is_up)
        return self->inner->ops->pending(self->inner);
    if (self->ended != 0)
        return !self->ended_told || self->inner->ops->pending(self->inner);
    if (self->have)
        return look(self) == 0;
    if (!self->inner->ops->pending(self->inner))
        return false;
    /* A message, or other news. */
    return look(self) != -EAGAIN || !self->have;
}

static void error_shutdown(struct soft_link *link)
{
    struct error_link *self = error_link(link);

    if (!self->is_over)
        self->inner->ops->shutdown(self->inner);
}

static bool error_peer_ended(struct soft_link *link)
{
    struct error_link *self = error_link(link);

    return self->is_over || self->inner->ops->peer_ended(self->inner);
}

static int error_fd(struct soft_link *link, bool room, short *events)
{
    struct error_link *self = error_link(link);

    return self->inner != NULL ? soft_link_fd(self->inner, room, events) : -1;
}

static unsigned long error_received(const struct soft_link *link)
{
    const struct error_link *self = OD_CONTAINER_OF(link, const struct error_link, base);

    return self->inner != NULL ? soft_link_received(self->inner) : 0;
}

const struct soft_link_ops soft_link_error_ops = {
    .name = "error",
    .listen = error_listen,
    .unlisten = error_unlisten,
    .admit_no_more = error_admit_no_more,
    .next = error_next,
    .listener_pending = error_listener_pending,
    .connect = error_connect,
    .accept = error_accept,
    .refuse = error_refuse,
    .poll = error_poll,
    .check = error_check,
    .send = error_send,
    .taken = error_taken,
    .arrived = error_arrived,
    .await = error_await,
    .recv = error_recv,
    .release = error_release,
    .pending = error_pending,
    .fd = error_fd,
    .received = error_received,
    .shutdown = error_shutdown,
    .peer_ended = error_peer_ended,
    .close = error_close,
};

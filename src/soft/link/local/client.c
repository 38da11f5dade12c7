/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "soft/link/local/local_priv.h"

#define FIRST_PAUSE 2 /* ms between attempts, doubled up to the last */
#define LAST_PAUSE  50

static void seek(struct local_link *self);

static void fail(struct local_link *self, int reason)
{
    soft_local_news(self, LOCAL_FAILED, reason);
}

static void time_to_seek(struct soft_service_timer *timer)
{
    seek(OD_CONTAINER_OF(timer, struct local_link, timer));
}

static void no_answer(struct soft_service_timer *timer)
{
    fail(OD_CONTAINER_OF(timer, struct local_link, timer), -ETIMEDOUT);
}

/* Nobody took us in, which may change. `reason` is for when the time is up. */
static void seek_later(struct local_link *self, int reason)
{
    uint64_t now = soft_service_now_ms();

    soft_service_watch_del(&self->watch);
    if (self->sock >= 0)
        close(self->sock);
    self->sock = -1;
    atomic_store_explicit(&self->phase, LOCAL_SEEKING, memory_order_release);
    if (self->base.conf.connect_timeout == 0 || now >= self->deadline) {
        fail(self, reason);
        return;
    }
    self->pause = self->pause == 0 ? FIRST_PAUSE : OD_MIN(self->pause * 2, LAST_PAUSE);
    soft_service_timer_set(&self->timer, OD_MIN(self->pause, self->deadline - now), time_to_seek);
}

/* ---- What the listener says ---- */

static void take_answer(struct local_link *self, const struct soft_frame_answer *answer,
                        const int fds[SOFT_FRAME_FDS])
{
    int rc = fds[0] < 0 || (fds[1] >= 0) != ((answer->flags & SOFT_FRAME_HAS_WAKER) != 0)
                 ? -EBADMSG
                 : soft_local_memory_map(self, answer, fds[0]);

    if (rc == 0 && fds[1] >= 0)
        rc = od_waker_view_open(&self->view, fds[1]);
    if (rc == 0)
        rc = soft_link_bytes_set(&self->base.answer, answer->bytes, answer->len);
    if (rc != 0) {
        fail(self, rc == -EBADMSG ? -EPROTO : rc);
        return;
    }
    self->no_barrier = (answer->flags & SOFT_FRAME_BARRIER) == 0;
    soft_service_timer_cancel(&self->timer);
    soft_local_news(self, LOCAL_UP, 0);
}

static void take_refusal(struct local_link *self, const struct soft_frame_refusal_body *refusal)
{
    switch (refusal->code) {
    case SOFT_REFUSAL_BUSY:
        seek_later(self, -ECONNREFUSED);
        return;
    case SOFT_REFUSAL_TIME:
        fail(self, -ETIMEDOUT);
        return;
    case SOFT_REFUSAL_VERSION:
        fail(self, -EPROTO);
        return;
    default:
        soft_link_bytes_set(&self->base.answer, refusal->bytes, refusal->len);
        fail(self, -EACCES);
    }
}

static void asked_ready(struct local_link *self)
{
    union soft_frame *frame = soft_local_buffer();
    int fds[SOFT_FRAME_FDS];
    int rc = soft_frame_receive(self->sock, frame, fds);

    if (rc == -EAGAIN)
        return;
    if (rc == -ECONNRESET)
        /* It ended, perhaps for another to take its place. */
        seek_later(self, -ECONNRESET);
    else if (rc == 0 && frame->head.type == SOFT_FRAME_ANSWER)
        take_answer(self, &frame->answer, fds);
    else if (rc == 0 && frame->head.type == SOFT_FRAME_REFUSAL)
        take_refusal(self, &frame->refusal);
    else
        fail(self, -EPROTO);
    for (unsigned int i = 0; i < SOFT_FRAME_FDS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void ready(struct soft_service_watch *watch, uint32_t events)
{
    struct local_link *self = OD_CONTAINER_OF(watch, struct local_link, watch);

    (void)events;
    if (local_phase(self) == LOCAL_UP)
        soft_local_up_ready(self);
    else
        asked_ready(self);
}

/* ---- Seeking ---- */

static int greet(struct local_link *self)
{
    const struct soft_link_conf *conf = &self->base.conf;
    union soft_frame *frame = soft_local_buffer();
    int waker = self->epoch != NULL ? conf->waker->epoch_fd : -1;

    frame->hello = (struct soft_frame_hello){.max_msg = conf->max_msg,
                                             .depth = conf->depth,
                                             .flags = soft_local_flags(waker),
                                             .len = (uint32_t)self->base.hello.len};
    if (self->base.hello.len > 0)
        memcpy(frame->hello.bytes, self->base.hello.bytes, self->base.hello.len);
    return soft_frame_send(self->sock, frame, soft_frame_seal(frame, SOFT_FRAME_HELLO), &waker,
                           waker >= 0);
}

static bool is_passing(int err)
{
    return err == -ENOENT || err == -ECONNREFUSED || err == -EAGAIN || err == -EPIPE ||
           err == -ECONNRESET || err == -EMFILE || err == -ENFILE || err == -ENOMEM ||
           err == -ENOBUFS;
}

static bool is_final(const struct local_link *self, int err)
{
    return self->base.conf.no_successor && (err == -ENOENT || err == -ECONNREFUSED);
}

static void seek(struct local_link *self)
{
    uint64_t now = soft_service_now_ms();
    int rc = soft_link_name_connect(self->name);

    if (rc >= 0) {
        self->sock = rc;
        rc = greet(self);
    }
    if (rc == 0)
        rc = soft_service_watch_add(&self->watch, self->sock, EPOLLIN | EPOLLRDHUP, ready);
    if (rc == 0) {
        soft_local_identify(self);
        atomic_store_explicit(&self->phase, LOCAL_ASKED, memory_order_release);
        soft_service_timer_set(&self->timer, self->deadline > now ? self->deadline - now : 0,
                               no_answer);
    } else if (is_final(self, rc)) {
        fail(self, -ECONNREFUSED);
    } else if (is_passing(rc)) {
        seek_later(self, rc == -ENOENT || rc == -EAGAIN ? -ECONNREFUSED : rc);
    } else {
        fail(self, rc);
    }
}

int soft_local_connect(const char *addr, const struct soft_link_conf *conf, const void *hello,
                       size_t len, struct soft_link **link)
{
    struct local_link *self;
    int waker, rc = soft_local_waker_fd(conf, &waker);

    if (rc != 0)
        return rc;
    self = soft_local_link_create(conf);
    if (self == NULL)
        return soft_fail(-ENOMEM, "out of memory for a link");
    self->name = malloc(sizeof(*self->name));
    if (self->name == NULL || soft_link_bytes_set(&self->base.hello, hello, len) != 0)
        rc = soft_fail(-ENOMEM, "out of memory for a link");
    if (rc == 0)
        rc = soft_link_name_parse(addr, self->name);
    self->deadline = soft_service_now_ms() + soft_link_connect_ms(conf);
    soft_service_lock();
    if (rc == 0)
        rc = soft_local_enter(&self->all, false);
    if (rc == 0)
        seek(self);
    else
        soft_local_link_free(self);
    soft_service_unlock();
    if (rc == 0)
        *link = &self->base;
    return rc;
}

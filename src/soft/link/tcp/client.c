/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/link/tcp/tcp_priv.h"

#define FIRST_PAUSE 5 /* ms between attempts, doubled up to the last */
#define LAST_PAUSE  100

static void seek(struct soft_tcp_link *self);

static void fail(struct soft_tcp_link *self, int reason)
{
    soft_tcp_news(self, TCP_FAILED, reason);
}

static void time_to_seek(struct soft_service_timer *timer)
{
    seek(OD_CONTAINER_OF(timer, struct soft_tcp_link, timer));
}

static void no_answer(struct soft_service_timer *timer)
{
    struct soft_tcp_link *self = OD_CONTAINER_OF(timer, struct soft_tcp_link, timer);

    fail(self, self->met ? -ETIMEDOUT : -ECONNREFUSED);
}

/* Nobody took us in, which may change. `reason` is for when the time is up. */
static void seek_later(struct soft_tcp_link *self, int reason)
{
    uint64_t now = soft_service_now_ms();

    soft_service_watch_del(&self->watch);
    if (self->sock >= 0)
        close(self->sock);
    self->sock = self->stream.sock = -1;
    self->stream.stage_len = 0;
    self->stream.broken = false;
    atomic_store_explicit(&self->phase, TCP_SEEKING, memory_order_release);
    if (self->base.conf.connect_timeout == 0 || now >= self->deadline) {
        fail(self, reason);
        return;
    }
    self->pause = self->pause == 0 ? FIRST_PAUSE : OD_MIN(self->pause * 2, LAST_PAUSE);
    soft_service_timer_set(&self->timer, OD_MIN(self->pause, self->deadline - now), time_to_seek);
}

/* ---- What the listener says ---- */

static void take_answer(struct soft_tcp_link *self, const struct soft_tcp_greeting *answer,
                        const char *text)
{
    int rc = 0;

    if (answer->max_msg > self->base.conf.max_msg ||
        (uint64_t)answer->max_msg * answer->depth > SOFT_LINK_BYTES_MAX)
        rc = -EPROTO;
    if (rc == 0)
        rc = soft_link_bytes_set(&self->base.answer, text, answer->len);
    if (rc == 0)
        rc = soft_tcp_come_up(self, answer->max_msg, answer->depth);
    if (rc != 0) {
        fail(self, rc);
        return;
    }
    /* Messages may have come with it. */
    soft_tcp_stream_drop(&self->stream, sizeof(*answer) + answer->len);
    soft_tcp_news(self, TCP_UP, 0);
    soft_tcp_up_ready(self, EPOLLHUP);
}

static void take_refusal(struct soft_tcp_link *self, const struct soft_tcp_greeting *refusal,
                         const char *text)
{
    switch (refusal->code) {
    case SOFT_TCP_BUSY:
        seek_later(self, -ECONNREFUSED);
        return;
    case SOFT_TCP_LATE:
        fail(self, -ETIMEDOUT);
        return;
    case SOFT_TCP_OTHER:
        fail(self, -EPROTO);
        return;
    default:
        soft_link_bytes_set(&self->base.answer, text, refusal->len);
        fail(self, -EACCES);
    }
}

static void hear(struct soft_tcp_link *self)
{
    struct soft_tcp_greeting greeting;
    const char *text = self->stream.stage + sizeof(greeting);
    int rc = soft_tcp_stream_fill(&self->stream);

    if (rc == -ECONNRESET) {
        /* It ended, perhaps for another to take its place. */
        seek_later(self, -ECONNREFUSED);
        return;
    }
    if (rc == 0)
        rc = soft_tcp_greeting_parse(self->stream.stage, self->stream.stage_len, SOFT_TCP_ANSWER,
                                     SOFT_TCP_REFUSAL, &greeting);
    if (rc == -EAGAIN)
        return;
    if (rc != 0)
        fail(self, -EPROTO);
    else if (greeting.type == SOFT_TCP_ANSWER)
        take_answer(self, &greeting, text);
    else
        take_refusal(self, &greeting, text);
}

/* ---- Seeking ---- */

static int greet(struct soft_tcp_link *self)
{
    struct soft_tcp_greeting hello = soft_tcp_greeting_make(SOFT_TCP_HELLO);
    int err = 0;
    socklen_t len = sizeof(err);

    if (getsockopt(self->sock, SOL_SOCKET, SO_ERROR, &err, &len) != 0 || err != 0)
        return -ECONNREFUSED;
    hello.max_msg = self->base.conf.max_msg;
    hello.depth = self->base.conf.depth;
    self->met = true;
    return soft_tcp_send_greeting(self, hello, self->base.hello.bytes, self->base.hello.len);
}

static void ready(struct soft_service_watch *watch, uint32_t events)
{
    struct soft_tcp_link *self = OD_CONTAINER_OF(watch, struct soft_tcp_link, watch);

    if (soft_tcp_phase(self) == TCP_UP) {
        soft_tcp_up_ready(self, events);
    } else if (self->met) {
        hear(self);
    } else if (greet(self) != 0) {
        seek_later(self, -ECONNREFUSED);
    } else {
        self->events = EPOLLIN | EPOLLRDHUP;
        soft_service_watch_events(watch, self->events);
    }
}

static int begin_connection(struct soft_tcp_link *self)
{
    int sock = socket(self->addr.sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (sock < 0)
        return -errno;
    self->sock = self->stream.sock = sock;
    soft_tcp_tune(sock);
    soft_tcp_choose_congestion(sock);
    if (connect(sock, (const struct sockaddr *)&self->addr.sa, self->addr.len) != 0 &&
        errno != EINPROGRESS)
        return -errno;
    return soft_service_watch_add(&self->watch, sock, EPOLLOUT, ready);
}

static void seek(struct soft_tcp_link *self)
{
    uint64_t now = soft_service_now_ms();

    if (self->addr.len == 0) {
        /* The host's name is still being resolved. */
        if (now >= self->deadline)
            fail(self, -ECONNREFUSED);
        else
            soft_service_timer_set(&self->timer, FIRST_PAUSE, time_to_seek);
        return;
    }
    self->met = false;
    if (begin_connection(self) != 0) {
        seek_later(self, -ECONNREFUSED);
        return;
    }
    atomic_store_explicit(&self->phase, TCP_ASKED, memory_order_release);
    soft_service_timer_set(&self->timer, self->deadline > now ? self->deadline - now : 0,
                           no_answer);
}

/* ---- Names of hosts ---- */

/* Resolving may take many seconds, so it has a thread of its own, which finds the link by number,
 * if it is still there. */
struct resolution {
    char host[SOFT_TCP_HOST_SIZE];
    char port[8];
    uint64_t id;
};

static void *resolve(void *arg)
{
    struct resolution *r = arg;
    struct soft_tcp_addr addr;
    struct soft_tcp_link *self;
    int rc = soft_tcp_addr_resolve(r->host, r->port, &addr);

    soft_service_lock();
    self = soft_tcp_find(r->id);
    if (self != NULL && rc == 0)
        self->addr = addr;
    else if (self != NULL && soft_tcp_phase(self) == TCP_SEEKING)
        fail(self, -ECONNREFUSED);
    soft_service_unlock();
    free(r);
    return NULL;
}

static int start_resolving(struct soft_tcp_link *self, const char *host, const char *port)
{
    struct resolution *r = malloc(sizeof(*r));
    pthread_t thread;
    int rc;

    if (r == NULL)
        return soft_fail(-ENOMEM, "out of memory for a link");
    *r = (struct resolution){.id = self->id};
    snprintf(r->host, sizeof(r->host), "%s", host);
    snprintf(r->port, sizeof(r->port), "%s", port);
    rc = soft_service_thread_start(&thread, "opendoca-names", resolve, r);
    if (rc != 0)
        free(r);
    else
        pthread_detach(thread);
    return rc;
}

/* Lock held. */
static int begin(struct soft_tcp_link *self, const char *host, const char *port)
{
    int rc = soft_tcp_enter(&self->all, false);

    if (rc == 0 && host[0] != '\0')
        rc = start_resolving(self, host, port);
    if (rc == 0)
        seek(self);
    return rc;
}

int soft_tcp_connect(const char *text, const struct soft_link_conf *conf, const void *hello,
                     size_t len, struct soft_link **link)
{
    char host[SOFT_TCP_HOST_SIZE], port[8];
    struct soft_tcp_addr addr = {.len = 0};
    struct soft_tcp_link *self;
    int rc = soft_tcp_addr_parse(text, &addr, host, port);

    if (rc != 0)
        return rc;
    soft_service_lock();
    self = soft_tcp_link_create(conf);
    if (self == NULL || soft_link_bytes_set(&self->base.hello, hello, len) != 0)
        rc = soft_fail(-ENOMEM, "out of memory for a link");
    if (rc == 0) {
        if (host[0] == '\0')
            self->addr = addr;
        snprintf(self->base.peer.addr, sizeof(self->base.peer.addr), "%s", text);
        self->deadline = soft_service_now_ms() + soft_link_connect_ms(conf);
        rc = begin(self, host, port);
    }
    if (rc != 0 && self != NULL)
        soft_tcp_release(self, false);
    soft_service_unlock();
    if (rc == 0)
        *link = &self->base;
    return rc;
}

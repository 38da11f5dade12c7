/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/link/ucx/module/ucx_priv.h"

#define FIRST_PAUSE 10 /* ms between attempts, doubled up to the last */
#define LAST_PAUSE  100

static void seek(struct soft_ucx_link *self);

static void fail(struct soft_ucx_link *self, int reason)
{
    soft_ucx_news(self, UCX_FAILED, reason);
}

static void no_answer(struct soft_ucx_link *self)
{
    fail(self, self->met ? -ETIMEDOUT : -ECONNREFUSED);
}

void soft_ucx_seek_later(struct soft_ucx_link *self, int reason)
{
    uint64_t now = soft_ucx_now_ms();

    soft_ucx_close_ep(self);
    atomic_store_explicit(&self->phase, UCX_SEEKING, memory_order_release);
    if (self->base.conf.connect_timeout == 0 || now >= self->deadline) {
        fail(self, reason);
        return;
    }
    self->pause = self->pause == 0 ? FIRST_PAUSE : OD_MIN(self->pause * 2, LAST_PAUSE);
    soft_ucx_set_timer(self, OD_MIN(self->pause, self->deadline - now), seek);
}

/* ---- What the listener says ---- */

void soft_ucx_on_answer(struct soft_ucx_link *self, const void *data, size_t len)
{
    struct soft_ucx_greeting answer;
    const void *text;
    int rc;

    if (soft_ucx_phase(self) != UCX_ASKED)
        return;
    rc = soft_ucx_greeting_parse(data, len, &answer, &text);
    if (rc == 0 && (answer.max_msg > self->base.conf.max_msg ||
                    (uint64_t)answer.max_msg * answer.depth > SOFT_LINK_BYTES_MAX))
        rc = -EPROTO;
    if (rc == 0)
        rc = soft_link_bytes_set(&self->base.answer, text, answer.len);
    if (rc == 0)
        rc = soft_ucx_come_up(self, &answer, answer.max_msg, answer.depth);
    if (rc != 0)
        fail(self, rc == -EBADMSG ? -EPROTO : rc);
    else
        soft_ucx_news(self, UCX_UP, 0);
}

void soft_ucx_on_refusal(struct soft_ucx_link *self, const void *data, size_t len)
{
    struct soft_ucx_refusal refusal;
    const void *text;

    if (soft_ucx_phase(self) != UCX_ASKED)
        return;
    if (soft_ucx_refusal_parse(data, len, &refusal, &text) != 0) {
        fail(self, -EPROTO);
        return;
    }
    switch (refusal.code) {
    case SOFT_UCX_BUSY:
        /* The endpoint must not be closed from here. */
        soft_ucx_ep_broke(self);
        return;
    case SOFT_UCX_LATE:
        fail(self, -ETIMEDOUT);
        return;
    case SOFT_UCX_OTHER:
        fail(self, -EPROTO);
        return;
    default:
        soft_link_bytes_set(&self->base.answer, text, refusal.len);
        fail(self, -EACCES);
    }
}

/* ---- Seeking ---- */

static void seek(struct soft_ucx_link *self)
{
    uint64_t now = soft_ucx_now_ms();

    /* The last attempt is still being closed, or the host's name is not resolved. */
    if (self->ep != NULL || self->addr.len == 0) {
        if (now >= self->deadline)
            fail(self, -ECONNREFUSED);
        else
            soft_ucx_set_timer(self, FIRST_PAUSE, seek);
        return;
    }
    if (soft_ucx_draw_cookie(&self->cookie) != 0 || soft_ucx_open_ep(self, NULL) != 0) {
        soft_ucx_seek_later(self, -ECONNREFUSED);
        return;
    }
    atomic_store_explicit(&self->phase, UCX_ASKED, memory_order_release);
    self->met = false;
    soft_ucx_set_timer(self, self->deadline > now ? self->deadline - now : 0, no_answer);
    if (soft_ucx_send_greeting(self, SOFT_UCX_HELLO, self->base.hello.bytes,
                               self->base.hello.len) != 0)
        soft_ucx_seek_later(self, -ECONNREFUSED);
}

/* ---- Names of hosts ---- */

/* Resolving may take many seconds, so it has a thread of its own, which finds the link by slot and
 * cookie, if it is still there. */
struct resolution {
    char host[SOFT_TCP_HOST_SIZE];
    char port[8];
    uint32_t slot;
    uint64_t cookie;
};

static void *resolve(void *arg)
{
    struct resolution *r = arg;
    struct soft_tcp_addr addr;
    struct soft_ucx_link *self;
    int rc = soft_tcp_addr_resolve(r->host, r->port, &addr);

    soft_ucx_lock();
    self = soft_ucx_find(r->slot, r->cookie);
    if (self != NULL && rc == 0)
        self->addr = addr;
    else if (self != NULL)
        fail(self, -ECONNREFUSED);
    soft_ucx_unlock();
    free(r);
    return NULL;
}

static int start_resolving(struct soft_ucx_link *self, const char *host, const char *port)
{
    struct resolution *r = malloc(sizeof(*r));
    pthread_attr_t attr;
    pthread_t thread;
    int rc;

    if (r == NULL)
        return soft_fail(-ENOMEM, "out of memory for a link");
    *r = (struct resolution){.slot = self->slot, .cookie = self->cookie};
    snprintf(r->host, sizeof(r->host), "%s", host);
    snprintf(r->port, sizeof(r->port), "%s", port);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    rc = pthread_create(&thread, &attr, resolve, r);
    pthread_attr_destroy(&attr);
    if (rc == 0)
        return 0;
    free(r);
    return soft_fail(-rc, "cannot start a thread to resolve '%.64s': %s", host, strerror(rc));
}

/* Lock held. */
static int begin(struct soft_ucx_link *self, const char *host, const char *port, const void *hello,
                 size_t len)
{
    int rc = soft_link_bytes_set(&self->base.hello, hello, len);

    if (rc != 0)
        return soft_fail(rc, "out of memory for a link");
    self->deadline = soft_ucx_now_ms() + soft_link_connect_ms(&self->base.conf);
    if (host[0] != '\0')
        rc = start_resolving(self, host, port);
    if (rc == 0)
        seek(self);
    return rc;
}

int soft_ucx_connect(const char *text, const struct soft_link_conf *conf, const void *hello,
                     size_t len, struct soft_link **link)
{
    char host[SOFT_TCP_HOST_SIZE], port[8];
    struct soft_tcp_addr addr = {.len = 0};
    struct soft_ucx_link *self = NULL;
    int rc = soft_tcp_addr_parse(text, &addr, host, port);

    if (rc != 0)
        return rc;
    soft_ucx_lock();
    rc = soft_ucx_start();
    if (rc == 0) {
        self = soft_ucx_link_create(conf);
        rc = self != NULL ? 0 : soft_fail(-ENOMEM, "out of memory for a link");
    }
    if (rc == 0) {
        self->addr = host[0] == '\0' ? addr : (struct soft_tcp_addr){.len = 0};
        snprintf(self->base.peer.addr, sizeof(self->base.peer.addr), "%s", text);
        rc = begin(self, host, port, hello, len);
        if (rc != 0)
            soft_ucx_release(self, false);
    }
    soft_ucx_unlock();
    if (rc == 0)
        *link = &self->base;
    return rc;
}

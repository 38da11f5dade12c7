/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/link/tcp/tcp_priv.h"

#define SILENT_MAX 256 /* connections without a hello; the oldest make room */
#define PAUSE_TIME 100 /* ms without new connections when descriptors have run out */

static struct soft_tcp_listener *tcp_listener(struct soft_link_listener *listener)
{
    return OD_CONTAINER_OF(listener, struct soft_tcp_listener, base);
}

static struct soft_tcp_link *link_of(struct soft_link_guest *guest)
{
    return OD_CONTAINER_OF(guest, struct soft_tcp_link, guest);
}

static void leave_queue(struct soft_tcp_link *self)
{
    soft_link_queue_leave(&self->guest);
    self->listener = NULL;
}

void soft_tcp_drop(struct soft_tcp_link *self, int reason)
{
    if (self->listener == NULL) {
        soft_tcp_news(self, TCP_FAILED, reason);
        return;
    }
    leave_queue(self);
    soft_tcp_release(self, false);
}

static void silent_too_long(struct soft_service_timer *timer)
{
    soft_tcp_drop(OD_CONTAINER_OF(timer, struct soft_tcp_link, timer), -ETIMEDOUT);
}

static void answer_too_late(struct soft_service_timer *timer)
{
    struct soft_tcp_link *self = OD_CONTAINER_OF(timer, struct soft_tcp_link, timer);

    soft_tcp_send_refusal(self, SOFT_TCP_LATE, NULL, 0);
    soft_tcp_drop(self, -ETIMEDOUT);
}

/* ---- What a client says ---- */

/* 0, -ECONNRESET: it has gone meanwhile, another negative errno: cannot be. */
static int take_client_in(struct soft_tcp_link *self, const void *text, size_t len)
{
    struct soft_tcp_greeting answer = soft_tcp_greeting_make(SOFT_TCP_ANSWER);
    int rc = soft_tcp_come_up(self, self->base.max_msg,
                              OD_MAX(self->wished_depth, self->base.conf.depth));

    if (rc != 0)
        return rc;
    answer.max_msg = self->base.max_msg;
    answer.depth = self->base.depth;
    if (soft_tcp_send_greeting(self, answer, text, len) != 0)
        return -ECONNRESET;
    soft_tcp_news(self, TCP_UP, 0);
    return 0;
}

/* The owner lets answer at once. False: it said no, or it cannot be. */
static bool admit(struct soft_tcp_link *self)
{
    static char answer[SOFT_LINK_HELLO_MAX];
    const struct soft_link_conf *conf = &self->base.conf;
    size_t len = 0;
    int rc;

    if (conf->admit(conf->admit_arg, self->base.hello.bytes, self->base.hello.len, answer, &len) !=
        0) {
        soft_tcp_send_refusal(self, SOFT_TCP_REFUSED, answer, OD_MIN(len, sizeof(answer)));
        return false;
    }
    rc = take_client_in(self, answer, OD_MIN(len, sizeof(answer)));
    if (rc == -ECONNRESET)
        /* It was taken in, too: the owner waits for its link. */
        soft_tcp_news(self, TCP_GONE, rc);
    else if (rc != 0)
        soft_tcp_send_refusal(self, SOFT_TCP_BUSY, NULL, 0);
    return rc == 0 || rc == -ECONNRESET;
}

static bool take_hello(struct soft_tcp_link *self, const struct soft_tcp_greeting *hello,
                       const void *text)
{
    struct soft_tcp_listener *listener = self->listener;
    const struct soft_link_conf *conf = &listener->base.conf;

    if (soft_link_bytes_set(&self->base.hello, text, hello->len) != 0)
        return false;
    soft_tcp_stream_drop(&self->stream, sizeof(*hello) + hello->len);
    if (soft_link_queue_length(&listener->queue) >= conf->backlog) {
        soft_tcp_send_refusal(self, SOFT_TCP_BUSY, NULL, 0);
        return false;
    }
    self->base.max_msg = OD_MIN(conf->max_msg, hello->max_msg);
    self->wished_depth = hello->depth;
    if (conf->admit != NULL) {
        if (!admit(self))
            return false;
    } else {
        soft_service_timer_set(&self->timer, soft_link_answer_ms(conf), answer_too_late);
        atomic_store_explicit(&self->phase, TCP_WAITING, memory_order_release);
    }
    soft_link_queue_promote(&self->guest);
    if (conf->waker != NULL)
        od_waker_wake(conf->waker);
    return true;
}

static void silent_ready(struct soft_tcp_link *self)
{
    struct soft_tcp_greeting hello;
    int rc = soft_tcp_stream_fill(&self->stream);

    if (rc == 0)
        rc = soft_tcp_greeting_parse(self->stream.stage, self->stream.stage_len, SOFT_TCP_HELLO,
                                     SOFT_TCP_HELLO, &hello);
    if (rc == -EAGAIN)
        return;
    if (rc == -EPROTO)
        soft_tcp_send_refusal(self, SOFT_TCP_OTHER, NULL, 0);
    if (rc != 0 || !take_hello(self, &hello, self->stream.stage + sizeof(hello)))
        soft_tcp_drop(self, 0);
}

static void client_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct soft_tcp_link *self = OD_CONTAINER_OF(watch, struct soft_tcp_link, watch);
    enum soft_tcp_phase phase = soft_tcp_phase(self);

    if (phase == TCP_UP)
        soft_tcp_up_ready(self, events);
    else if (phase == TCP_SILENT)
        silent_ready(self);
    else
        /* Before the answer a client has nothing to say; most likely it has gone. */
        soft_tcp_drop(self, -ECONNRESET);
}

/* ---- Connections ---- */

static bool drop_oldest_silent(struct soft_tcp_listener *listener)
{
    struct soft_link_guest *guest = soft_link_queue_silent(&listener->queue);

    if (guest != NULL)
        soft_tcp_drop(link_of(guest), 0);
    return guest != NULL;
}

static void resume(struct soft_service_timer *timer)
{
    struct soft_tcp_listener *listener = OD_CONTAINER_OF(timer, struct soft_tcp_listener, pause);

    soft_service_watch_events(&listener->watch, EPOLLIN);
}

static void take_in(struct soft_tcp_listener *listener, int sock,
                    const struct sockaddr_storage *from)
{
    struct soft_tcp_link *self = soft_tcp_link_create(&listener->base.conf);

    if (self == NULL) {
        close(sock);
        return;
    }
    soft_tcp_tune(sock);
    self->sock = self->stream.sock = sock;
    soft_tcp_addr_format(from, self->base.peer.addr, sizeof(self->base.peer.addr));
    self->listener = listener;
    atomic_store(&self->phase, TCP_SILENT);
    soft_link_queue_enter(&listener->queue, &self->guest);
    self->events = EPOLLIN | EPOLLRDHUP;
    if (soft_tcp_enter(&self->all, false) != 0 ||
        soft_service_watch_add(&self->watch, sock, self->events, client_ready) != 0) {
        soft_tcp_drop(self, 0);
        return;
    }
    soft_service_timer_set(&self->timer, SOFT_LINK_SILENT_MS, silent_too_long);
}

static void listener_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct soft_tcp_listener *listener = OD_CONTAINER_OF(watch, struct soft_tcp_listener, watch);
    struct sockaddr_storage from = {0};
    socklen_t len = sizeof(from);
    int sock = accept4(watch->fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)events;
    if (sock >= 0) {
        if (listener->queue.nsilent >= SILENT_MAX)
            drop_oldest_silent(listener);
        take_in(listener, sock, &from);
    } else if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) &&
               !drop_oldest_silent(listener)) {
        soft_service_watch_events(watch, 0);
        soft_service_timer_set(&listener->pause, PAUSE_TIME, resume);
    }
}

/* ---- The owner ---- */

static int listen_failed(int err, const char *text)
{
    if (err == EADDRINUSE)
        return soft_fail(-EADDRINUSE, "another process listens at %s", text);
    if (err == EADDRNOTAVAIL)
        return soft_fail(-EADDRNOTAVAIL, "%s is no address of this machine", text);
    return soft_fail(-err, "cannot listen at %s: %s", text, strerror(err));
}

static int open_socket(const char *text, const struct soft_tcp_addr *addr,
                       char bound[SOFT_LINK_ADDR_MAX - 8])
{
    int sock = socket(addr->sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_storage sa;
    socklen_t len = sizeof(sa);
    int on = 1, err;

    if (sock < 0)
        return listen_failed(errno, text);
    /* A killed process leaves connections of its port behind that the kernel keeps for a while. */
    setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    soft_tcp_choose_congestion(sock); /* for those who connect, too */
    if (bind(sock, (const struct sockaddr *)&addr->sa, addr->len) == 0 &&
        listen(sock, SOMAXCONN) == 0 && getsockname(sock, (struct sockaddr *)&sa, &len) == 0) {
        soft_tcp_addr_format(&sa, bound, SOFT_LINK_ADDR_MAX - 8);
        return sock;
    }
    err = errno;
    close(sock);
    return listen_failed(err, text);
}

static int open_listener(struct soft_tcp_listener *self, int sock)
{
    int rc;

    soft_service_lock();
    rc = soft_tcp_enter(&self->all, true);
    if (rc == 0) {
        rc = soft_service_watch_add(&self->watch, sock, EPOLLIN, listener_ready);
        if (rc != 0) {
            soft_fail(rc, "cannot watch a socket: %s", strerror(-rc));
            od_list_remove(&self->all);
        }
    }
    soft_service_unlock();
    return rc;
}

int soft_tcp_listen(const char *text, const struct soft_link_conf *conf,
                    struct soft_link_listener **listener)
{
    char host[SOFT_TCP_HOST_SIZE], port[8], bound[SOFT_LINK_ADDR_MAX - 8];
    struct soft_tcp_listener *self;
    struct soft_tcp_addr addr;
    int sock, rc = soft_tcp_addr_parse(text, &addr, host, port);

    if (rc == 0 && host[0] != '\0')
        rc = soft_tcp_addr_resolve(host, port, &addr);
    if (rc != 0)
        return rc;
    self = calloc(1, sizeof(*self));
    if (self == NULL)
        return soft_fail(-ENOMEM, "out of memory for a listener");
    sock = open_socket(text, &addr, bound);
    if (sock < 0) {
        rc = sock;
        goto err_free;
    }
    self->base.ops = &soft_link_tcp_ops;
    self->base.conf = *conf;
    self->base.conf.backlog = OD_MAX(conf->backlog, 1u);
    snprintf(self->base.addr, sizeof(self->base.addr), "tcp:%s", bound);
    self->watch.fd = -1;
    od_list_init(&self->all);
    soft_link_queue_init(&self->queue);
    rc = open_listener(self, sock);
    if (rc != 0)
        goto err_close;
    *listener = &self->base;
    return 0;

err_close:
    close(sock);
err_free:
    free(self);
    return rc;
}

void soft_tcp_unlisten(struct soft_link_listener *listener)
{
    struct soft_tcp_listener *self = tcp_listener(listener);
    struct soft_link_guest *guest;
    int sock;

    soft_service_lock();
    sock = self->watch.fd;
    soft_service_watch_del(&self->watch);
    soft_service_timer_cancel(&self->pause);
    od_list_remove(&self->all);
    while (drop_oldest_silent(self))
        ;
    while ((guest = soft_link_queue_waiting(&self->queue)) != NULL)
        soft_tcp_drop(link_of(guest), 0);
    soft_service_unlock();
    if (sock >= 0)
        close(sock);
    free(self);
}

bool soft_tcp_listener_pending(const struct soft_link_listener *listener)
{
    const struct soft_tcp_listener *self = tcp_listener((struct soft_link_listener *)listener);

    return soft_link_queue_length(&self->queue) > 0;
}

struct soft_link *soft_tcp_next(struct soft_link_listener *listener)
{
    struct soft_tcp_listener *self = tcp_listener(listener);
    struct soft_tcp_link *link = NULL;
    struct soft_link_guest *guest;

    if (soft_link_queue_length(&self->queue) == 0)
        return NULL;
    soft_service_lock();
    guest = soft_link_queue_waiting(&self->queue);
    if (guest != NULL) {
        link = link_of(guest);
        leave_queue(link);
        link->seen = soft_tcp_phase(link) == TCP_WAITING ? TCP_WAITING : TCP_UP;
    }
    soft_service_unlock();
    return link != NULL ? &link->base : NULL;
}

static int too_late(const struct soft_tcp_link *self)
{
    if (self->reason == -ETIMEDOUT)
        return soft_fail(-ETIMEDOUT, "%s was refused meanwhile: no answer in time",
                         self->base.peer.addr);
    return soft_fail(-ECONNRESET, "%s has gone meanwhile", self->base.peer.addr);
}

int soft_tcp_accept(struct soft_link *link, const void *answer, size_t len)
{
    struct soft_tcp_link *self = soft_tcp_link(link);
    int rc = 0;

    soft_service_lock();
    if (soft_tcp_phase(self) != TCP_WAITING) {
        rc = too_late(self);
    } else if (take_client_in(self, answer, len) == 0) {
        self->seen = TCP_UP;
    } else {
        soft_tcp_news(self, TCP_FAILED, -ECONNRESET);
        rc = too_late(self);
    }
    soft_service_unlock();
    return rc;
}

void soft_tcp_refuse(struct soft_link *link, const void *answer, size_t len)
{
    struct soft_tcp_link *self = soft_tcp_link(link);

    soft_service_lock();
    if (soft_tcp_phase(self) == TCP_WAITING)
        soft_tcp_send_refusal(self, SOFT_TCP_REFUSED, answer, len);
    soft_tcp_release(self, false);
    soft_service_unlock();
}

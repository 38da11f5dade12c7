/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/link/local/local_priv.h"

#define SILENT_MAX 64  /* connections without a hello; the oldest make room */
#define PAUSE_TIME 100 /* ms without new connections when descriptors have run out */

static struct local_listener *local_listener(struct soft_link_listener *listener)
{
    return OD_CONTAINER_OF(listener, struct local_listener, base);
}

static struct local_link *link_of(struct soft_link_guest *guest)
{
    return OD_CONTAINER_OF(guest, struct local_link, guest);
}

static void leave_queue(struct local_link *self)
{
    soft_link_queue_leave(&self->guest);
    self->listener = NULL;
}

/* A link that its owner does not know ends without a trace, another one with news. */
static void drop(struct local_link *self, int reason)
{
    if (self->listener == NULL) {
        soft_local_news(self, LOCAL_FAILED, reason);
        return;
    }
    leave_queue(self);
    soft_local_link_free(self);
}

static void silent_too_long(struct soft_service_timer *timer)
{
    drop(OD_CONTAINER_OF(timer, struct local_link, timer), -ETIMEDOUT);
}

static void answer_too_late(struct soft_service_timer *timer)
{
    struct local_link *self = OD_CONTAINER_OF(timer, struct local_link, timer);

    soft_local_send_refusal(self->sock, SOFT_REFUSAL_TIME, NULL, 0);
    drop(self, -ETIMEDOUT);
}

/* ---- What a client says ---- */

/* Answer with the memory; the link is UP then. Negative errno, no reason. */
static int take_client_in(struct local_link *self, const void *answer, size_t len, int memory)
{
    const struct soft_link_conf *conf = &self->base.conf;
    union soft_frame *frame = soft_local_buffer();
    int fds[SOFT_FRAME_FDS] = {memory, self->epoch != NULL ? conf->waker->epoch_fd : -1};
    int rc;

    frame->answer = (struct soft_frame_answer){.max_msg = self->base.max_msg,
                                               .depth = self->base.depth,
                                               .flags = soft_local_flags(fds[1]),
                                               .len = (uint32_t)len};
    if (len > 0)
        memcpy(frame->answer.bytes, answer, len);
    rc = soft_frame_send(self->sock, frame, soft_frame_seal(frame, SOFT_FRAME_ANSWER), fds,
                         1 + (fds[1] >= 0));
    if (rc != 0)
        return rc;
    soft_service_timer_cancel(&self->timer);
    atomic_store_explicit(&self->phase, LOCAL_UP, memory_order_release);
    return 0;
}

/* The owner lets answer at once. False: it said no, or it cannot be. */
static bool admit(struct local_link *self)
{
    static char answer[SOFT_LINK_HELLO_MAX];
    const struct soft_link_conf *conf = &self->base.conf;
    size_t len = 0;
    int memory;

    /* First: whom the owner takes in must not fail for our own reasons. */
    if (soft_local_memory_create(self, self->wished_depth, &memory) != 0) {
        soft_local_send_refusal(self->sock, SOFT_REFUSAL_BUSY, NULL, 0);
        return false;
    }
    if (conf->admit(conf->admit_arg, self->base.hello.bytes, self->base.hello.len, answer, &len) !=
        0) {
        close(memory);
        soft_local_send_refusal(self->sock, SOFT_REFUSAL_OWNER, answer,
                                OD_MIN(len, sizeof(answer)));
        return false;
    }
    /* One that died meanwhile was taken in, too: the owner waits for its link. */
    if (take_client_in(self, answer, OD_MIN(len, sizeof(answer)), memory) != 0)
        soft_local_news(self, LOCAL_GONE, 0);
    close(memory);
    return true;
}

static bool take_hello(struct local_link *self, const struct soft_frame_hello *hello,
                       const int fds[SOFT_FRAME_FDS])
{
    struct local_listener *listener = self->listener;
    const struct soft_link_conf *conf = &listener->base.conf;

    if ((fds[0] >= 0) != ((hello->flags & SOFT_FRAME_HAS_WAKER) != 0) || fds[1] >= 0 ||
        (fds[0] >= 0 && od_waker_view_open(&self->view, fds[0]) != 0) ||
        soft_link_bytes_set(&self->base.hello, hello->bytes, hello->len) != 0)
        return false;
    if (soft_link_queue_length(&listener->queue) >= conf->backlog) {
        soft_local_send_refusal(self->sock, SOFT_REFUSAL_BUSY, NULL, 0);
        return false;
    }
    self->base.max_msg = OD_MIN(conf->max_msg, hello->max_msg);
    self->wished_depth = hello->depth;
    self->no_barrier = (hello->flags & SOFT_FRAME_BARRIER) == 0;
    soft_local_identify(self);
    if (conf->admit != NULL) {
        if (!admit(self))
            return false;
    } else {
        soft_service_timer_set(&self->timer, soft_link_answer_ms(conf), answer_too_late);
        atomic_store_explicit(&self->phase, LOCAL_WAITING, memory_order_release);
    }
    soft_link_queue_promote(&self->guest);
    if (conf->waker != NULL)
        od_waker_wake(conf->waker);
    return true;
}

static void silent_ready(struct local_link *self)
{
    union soft_frame *frame = soft_local_buffer();
    int fds[SOFT_FRAME_FDS];
    int rc = soft_frame_receive(self->sock, frame, fds);

    if (rc == -EAGAIN)
        return;
    if (rc == -EPROTO)
        soft_local_send_refusal(self->sock, SOFT_REFUSAL_VERSION, NULL, 0);
    if (rc != 0 || frame->head.type != SOFT_FRAME_HELLO || !take_hello(self, &frame->hello, fds))
        drop(self, 0);
    for (unsigned int i = 0; i < SOFT_FRAME_FDS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void client_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct local_link *self = OD_CONTAINER_OF(watch, struct local_link, watch);
    enum local_phase phase = local_phase(self);

    (void)events;
    if (phase == LOCAL_UP)
        soft_local_up_ready(self);
    else if (phase == LOCAL_SILENT)
        silent_ready(self);
    else
        /* Before the answer a client has nothing to say; most likely it has gone. */
        drop(self, -ECONNRESET);
}

/* ---- Connections ---- */

static bool drop_oldest_silent(struct local_listener *listener)
{
    struct soft_link_guest *guest = soft_link_queue_silent(&listener->queue);

    if (guest != NULL)
        drop(link_of(guest), 0);
    return guest != NULL;
}

static void resume(struct soft_service_timer *timer)
{
    struct local_listener *listener = OD_CONTAINER_OF(timer, struct local_listener, pause);

    soft_service_watch_events(&listener->watch, EPOLLIN);
}

static void take_in(struct local_listener *listener, int sock)
{
    struct local_link *self = soft_local_link_create(&listener->base.conf);

    if (self == NULL) {
        close(sock);
        return;
    }
    self->sock = sock;
    self->listener = listener;
    atomic_store(&self->phase, LOCAL_SILENT);
    soft_link_queue_enter(&listener->queue, &self->guest);
    if (soft_local_enter(&self->all, false) != 0 ||
        soft_service_watch_add(&self->watch, sock, EPOLLIN | EPOLLRDHUP, client_ready) != 0) {
        drop(self, 0);
        return;
    }
    soft_service_timer_set(&self->timer, SOFT_LINK_SILENT_MS, silent_too_long);
}

static void listener_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct local_listener *listener = OD_CONTAINER_OF(watch, struct local_listener, watch);
    int sock = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)events;
    if (sock >= 0) {
        if (listener->queue.nsilent >= SILENT_MAX)
            drop_oldest_silent(listener);
        take_in(listener, sock);
    } else if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) &&
               !drop_oldest_silent(listener)) {
        soft_service_watch_events(watch, 0);
        soft_service_timer_set(&listener->pause, PAUSE_TIME, resume);
    }
}

/* ---- The owner ---- */

static int open_listener(struct local_listener *self, const char *addr)
{
    struct soft_link_name name;
    int waker, rc = soft_local_waker_fd(&self->base.conf, &waker);

    if (rc == 0)
        rc = soft_link_name_parse(addr, &name);
    if (rc == 0)
        rc = soft_link_name_claim(&name, &self->claim);
    if (rc != 0)
        return rc;
    soft_service_lock();
    rc = soft_local_enter(&self->all, true);
    if (rc == 0) {
        rc = soft_service_watch_add(&self->watch, self->claim.sock, EPOLLIN, listener_ready);
        if (rc != 0) {
            soft_fail(rc, "cannot watch a socket: %s", strerror(-rc));
            od_list_remove(&self->all);
        }
    }
    soft_service_unlock();
    if (rc != 0)
        soft_link_name_withdraw(&self->claim);
    return rc;
}

int soft_local_listen(const char *addr, const struct soft_link_conf *conf,
                      struct soft_link_listener **listener)
{
    struct local_listener *self = calloc(1, sizeof(*self));
    int rc;

    if (self == NULL)
        return soft_fail(-ENOMEM, "out of memory for a listener");
    self->base.ops = &soft_link_local_ops;
    self->base.conf = *conf;
    self->base.conf.backlog = OD_MAX(conf->backlog, 1u);
    snprintf(self->base.addr, sizeof(self->base.addr), "local:%s", addr);
    self->watch.fd = -1;
    soft_link_queue_init(&self->queue);
    rc = open_listener(self, addr);
    if (rc != 0) {
        free(self);
        return rc;
    }
    *listener = &self->base;
    return 0;
}

/* Lock held. */
static void let_nobody_in(struct local_listener *self)
{
    soft_service_watch_del(&self->watch);
    soft_service_timer_cancel(&self->pause);
    while (drop_oldest_silent(self))
        ;
}

void soft_local_admit_no_more(struct soft_link_listener *listener)
{
    soft_service_lock();
    let_nobody_in(local_listener(listener));
    soft_service_unlock();
}

void soft_local_unlisten(struct soft_link_listener *listener)
{
    struct local_listener *self = local_listener(listener);
    struct soft_link_guest *guest;

    soft_service_lock();
    let_nobody_in(self);
    od_list_remove(&self->all);
    while ((guest = soft_link_queue_waiting(&self->queue)) != NULL)
        drop(link_of(guest), 0);
    soft_service_unlock();
    soft_link_name_withdraw(&self->claim);
    free(self);
}

bool soft_local_listener_pending(const struct soft_link_listener *listener)
{
    const struct local_listener *self =
        OD_CONTAINER_OF((struct soft_link_listener *)listener, struct local_listener, base);

    return soft_link_queue_length(&self->queue) > 0;
}

struct soft_link *soft_local_next(struct soft_link_listener *listener)
{
    struct local_listener *self = local_listener(listener);
    struct local_link *link = NULL;
    struct soft_link_guest *guest;

    if (!soft_local_listener_pending(listener))
        return NULL;
    soft_service_lock();
    guest = soft_link_queue_waiting(&self->queue);
    if (guest != NULL) {
        link = link_of(guest);
        leave_queue(link);
        link->seen = local_phase(link) == LOCAL_WAITING ? LOCAL_WAITING : LOCAL_UP;
    }
    soft_service_unlock();
    return link != NULL ? &link->base : NULL;
}

static int too_late(const struct local_link *self)
{
    if (self->reason == -ETIMEDOUT)
        return soft_fail(-ETIMEDOUT, "%s was refused meanwhile: no answer in time",
                         self->base.peer.addr);
    return soft_fail(-ECONNRESET, "%s has gone meanwhile", self->base.peer.addr);
}

int soft_local_accept(struct soft_link *link, const void *answer, size_t len)
{
    struct local_link *self = local_link(link);
    int memory, rc;

    if (local_phase(self) != LOCAL_WAITING)
        return too_late(self);
    rc = soft_local_memory_create(self, self->wished_depth, &memory);
    if (rc != 0)
        return rc;
    soft_service_lock();
    if (local_phase(self) != LOCAL_WAITING) {
        rc = too_late(self);
    } else if (take_client_in(self, answer, len, memory) != 0) {
        soft_local_news(self, LOCAL_FAILED, -ECONNRESET);
        rc = too_late(self);
    } else {
        self->seen = LOCAL_UP;
    }
    soft_service_unlock();
    close(memory);
    return rc;
}

void soft_local_refuse(struct soft_link *link, const void *answer, size_t len)
{
    struct local_link *self = local_link(link);

    soft_service_lock();
    if (local_phase(self) == LOCAL_WAITING)
        soft_local_send_refusal(self->sock, SOFT_REFUSAL_OWNER, answer, len);
    soft_local_link_free(self);
    soft_service_unlock();
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/link/local/local_priv.h"
#include "util/barrier.h"

static struct od_list links = {&links, &links};
static struct od_list listeners = {&listeners, &listeners};

/* ---- Exit and fork ---- */

/* The sockets go with the process, the names must go by hand. */
static void at_exit(void)
{
    soft_service_lock();
    OD_LIST_FOR_EACH(link, &listeners)
    {
        soft_link_name_withdraw(&OD_LIST_ENTRY(link, struct local_listener, all)->claim);
    }
    soft_service_unlock();
}

static void in_child(void)
{
    OD_LIST_FOR_EACH(link, &links)
    {
        struct local_link *self = OD_LIST_ENTRY(link, struct local_link, all);

        soft_service_watch_del(&self->watch);
        self->timer.due = 0;
        close(self->sock);
        self->sock = -1;
        self->reason = -ECONNRESET;
        atomic_store(&self->phase, LOCAL_FAILED);
    }
    OD_LIST_FOR_EACH(link, &listeners)
    {
        struct local_listener *listener = OD_LIST_ENTRY(link, struct local_listener, all);

        soft_service_watch_del(&listener->watch);
        listener->pause.due = 0;
        soft_link_name_forget(&listener->claim);
    }
}

static struct soft_service_room room = {.at_exit = at_exit, .in_child = in_child};

int soft_local_enter(struct od_list *all, bool listener)
{
    int rc = soft_service_start(&room);

    if (rc == 0)
        od_list_append(listener ? &listeners : &links, all);
    return rc;
}

/* ---- Links ---- */

/* A frame is too long for a stack; the lock guards the only one. */
union soft_frame *soft_local_buffer(void)
{
    static union soft_frame frame;

    return &frame;
}

struct local_link *soft_local_link_create(const struct soft_link_conf *conf)
{
    struct local_link *self = calloc(1, sizeof(*self));

    if (self == NULL)
        return NULL;
    self->base.ops = &soft_link_local_ops;
    self->base.conf = *conf;
    self->sock = -1;
    self->watch.fd = -1;
    od_list_init(&self->all);
    od_list_init(&self->guest.link);
    if (conf->waker != NULL && conf->waker->epoch != NULL) {
        self->epoch = conf->waker->epoch;
        self->last_wake = atomic_load(self->epoch) - 1;
    }
    return self;
}

void soft_local_link_free(struct local_link *self)
{
    soft_service_watch_del(&self->watch);
    soft_service_timer_cancel(&self->timer);
    od_list_remove(&self->all);
    soft_link_queue_leave(&self->guest);
    if (self->sock >= 0)
        close(self->sock);
    od_waker_view_close(&self->view);
    soft_local_memory_free(self);
    soft_link_base_clear(&self->base);
    free(self->name);
    free(self);
}

void soft_local_news(struct local_link *self, enum local_phase phase, int reason)
{
    self->reason = reason;
    atomic_store_explicit(&self->phase, phase, memory_order_release);
    if (phase == LOCAL_GONE || phase == LOCAL_FAILED) {
        soft_service_watch_del(&self->watch);
        soft_service_timer_cancel(&self->timer);
        /* The peer learns of it at once, although the descriptor is the owner's to close. */
        if (self->sock >= 0)
            shutdown(self->sock, SHUT_RDWR);
    }
    if (self->base.conf.waker != NULL)
        od_waker_wake(self->base.conf.waker);
}

void soft_local_identify(struct local_link *self)
{
    struct soft_link_peer *peer = &self->base.peer;
    struct ucred cred = {.pid = 0, .uid = (uid_t)-1, .gid = (gid_t)-1};
    socklen_t len = sizeof(cred);

    getsockopt(self->sock, SOL_SOCKET, SO_PEERCRED, &cred, &len);
    peer->same_machine = true;
    peer->pid = cred.pid;
    peer->uid = cred.uid;
    peer->gid = cred.gid;
    snprintf(peer->addr, sizeof(peer->addr), "process %d of user %u", cred.pid, cred.uid);
}

int soft_local_send_refusal(int sock, enum soft_frame_refusal code, const void *bytes, size_t len)
{
    union soft_frame *frame = soft_local_buffer();

    frame->refusal.code = code;
    frame->refusal.len = (uint32_t)len;
    if (len > 0)
        memcpy(frame->refusal.bytes, bytes, len);
    return soft_frame_send(sock, frame, soft_frame_seal(frame, SOFT_FRAME_REFUSAL), NULL, 0);
}

/* Once for each time that the owner went to sleep, so that nobody can keep us busy. */
static bool is_due(struct local_link *self, uint32_t epoch)
{
    if (self->epoch == NULL || (epoch & 1) == 0 || (int32_t)(epoch - self->last_wake) <= 0 ||
        (int32_t)(atomic_load(self->epoch) - epoch) < 0)
        return false;
    self->last_wake = epoch;
    return true;
}

void soft_local_up_ready(struct local_link *self)
{
    union soft_frame *frame = soft_local_buffer();
    int fds[SOFT_FRAME_FDS];
    int rc = soft_frame_receive(self->sock, frame, fds);

    if (rc == -EAGAIN)
        return;
    if (rc == 0 && frame->head.type == SOFT_FRAME_WAKE && fds[0] < 0 &&
        is_due(self, frame->wake.epoch)) {
        od_waker_wake(self->base.conf.waker);
        return;
    }
    for (unsigned int i = 0; i < SOFT_FRAME_FDS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    soft_local_news(self, LOCAL_GONE, 0);
}

int soft_local_waker_fd(const struct soft_link_conf *conf, int *fd)
{
    int rc = -1;

    if (conf->waker != NULL) {
        rc = od_waker_share(conf->waker);
        if (rc < 0)
            return soft_fail(rc, "cannot share a waker: %s", strerror(-rc));
    }
    *fd = rc;
    return 0;
}

uint32_t soft_local_flags(int waker_fd)
{
    return (waker_fd >= 0 ? SOFT_FRAME_HAS_WAKER : 0u) |
           (od_barrier_is_supported() ? SOFT_FRAME_BARRIER : 0u);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/link/ucx/module/ucx_priv.h"

#define SILENT_MAX 256 /* connections without a hello; the oldest make room */

static struct soft_ucx_listener *ucx_listener(struct soft_link_listener *listener)
{
    return OD_CONTAINER_OF(listener, struct soft_ucx_listener, base);
}

static struct soft_ucx_link *link_of(struct soft_link_guest *guest)
{
    return OD_CONTAINER_OF(guest, struct soft_ucx_link, guest);
}

static void leave_queue(struct soft_ucx_link *self)
{
    soft_link_queue_leave(&self->guest);
    self->listener = NULL;
}

/* The same, but what was said to the client still goes out. */
static void dismiss(struct soft_ucx_link *self, int reason)
{
    if (self->listener == NULL) {
        self->reason = reason;
        atomic_store_explicit(&self->phase, UCX_FAILED, memory_order_release);
        if (self->base.conf.waker != NULL)
            od_waker_wake(self->base.conf.waker);
        return;
    }
    leave_queue(self);
    soft_ucx_release(self, true);
}

void soft_ucx_drop(struct soft_ucx_link *self, int reason)
{
    if (self->listener == NULL) {
        soft_ucx_news(self, UCX_FAILED, reason);
        return;
    }
    leave_queue(self);
    soft_ucx_release(self, false);
}

static void silent_too_long(struct soft_ucx_link *self)
{
    soft_ucx_drop(self, -ETIMEDOUT);
}

static void answer_too_late(struct soft_ucx_link *self)
{
    soft_ucx_send_refusal(self, SOFT_UCX_LATE, NULL, 0);
    dismiss(self, -ETIMEDOUT);
}

/* ---- What a client says ---- */

/* 0, -ECONNRESET: it has gone meanwhile, another negative errno: cannot be. */
static int take_client_in(struct soft_ucx_link *self, const void *answer, size_t len)
{
    const struct soft_ucx_greeting peer = {.slot = self->peer_slot, .cookie = self->peer_cookie};
    int rc = soft_ucx_come_up(self, &peer, self->base.max_msg,
                              OD_MAX(self->wished_depth, self->base.conf.depth));

    if (rc != 0)
        return rc;
    if (soft_ucx_send_greeting(self, SOFT_UCX_ANSWER, answer, len) != 0)
        return -ECONNRESET;
    atomic_store_explicit(&self->phase, UCX_UP, memory_order_release);
    return 0;
}

/* The owner lets answer at once. False: it said no, or it cannot be. */
static bool admit(struct soft_ucx_link *self)
{
    static char answer[SOFT_LINK_HELLO_MAX];
    const struct soft_link_conf *conf = &self->base.conf;
    size_t len = 0;
    int rc;

    if (conf->admit(conf->admit_arg, self->base.hello.bytes, self->base.hello.len, answer, &len) !=
        0) {
        soft_ucx_send_refusal(self, SOFT_UCX_REFUSED, answer, OD_MIN(len, sizeof(answer)));
        return false;
    }
    rc = take_client_in(self, answer, OD_MIN(len, sizeof(answer)));
    if (rc == -ECONNRESET)
        /* It was taken in, too: the owner waits for its link. */
        soft_ucx_news(self, UCX_GONE, rc);
    else if (rc != 0)
        soft_ucx_send_refusal(self, SOFT_UCX_BUSY, NULL, 0);
    return rc == 0 || rc == -ECONNRESET;
}

static struct soft_ucx_link *find_silent(ucp_ep_h from, struct soft_ucx_listener *listener)
{
    OD_LIST_FOR_EACH(link, &listener->queue.silent)
    {
        struct soft_ucx_link *self = link_of(OD_LIST_ENTRY(link, struct soft_link_guest, link));

        if (self->ep == from)
            return self;
    }
    return NULL;
}

static bool greet_back(struct soft_ucx_link *self, const struct soft_ucx_greeting *hello,
                       const void *text)
{
    struct soft_ucx_listener *listener = self->listener;
    const struct soft_link_conf *conf = &listener->base.conf;

    self->peer_slot = hello->slot;
    self->peer_cookie = hello->cookie;
    if (soft_link_bytes_set(&self->base.hello, text, hello->len) != 0)
        return false;
    if (soft_link_queue_length(&listener->queue) >= conf->backlog) {
        soft_ucx_send_refusal(self, SOFT_UCX_BUSY, NULL, 0);
        return false;
    }
    self->base.max_msg = OD_MIN(conf->max_msg, hello->max_msg);
    self->wished_depth = hello->depth;
    if (conf->admit != NULL)
        return admit(self);
    soft_ucx_set_timer(self, soft_link_answer_ms(conf), answer_too_late);
    return true;
}

static void take_hello(struct soft_ucx_link *self, const struct soft_ucx_greeting *hello,
                       const void *text)
{
    if (!greet_back(self, hello, text)) {
        dismiss(self, 0);
        return;
    }
    if (soft_ucx_phase(self) == UCX_SILENT)
        atomic_store_explicit(&self->phase, UCX_WAITING, memory_order_release);
    soft_link_queue_promote(&self->guest);
    if (self->base.conf.waker != NULL)
        od_waker_wake(self->base.conf.waker);
}

/* ---- Listeners ---- */

static struct od_list listeners = {&listeners, &listeners};

void soft_ucx_on_hello(ucp_ep_h from, const struct soft_ucx_head *head, const void *data,
                       size_t len, int err)
{
    struct soft_ucx_greeting hello;
    struct soft_ucx_link *self = NULL;
    const void *text;

    OD_LIST_FOR_EACH(link, &listeners)
    {
        self = find_silent(from, OD_LIST_ENTRY(link, struct soft_ucx_listener, all));
        if (self != NULL)
            break;
    }
    if (self == NULL)
        return;
    if (err == 0)
        err = soft_ucx_greeting_parse(data, len, &hello, &text);
    if (err == 0 && hello.slot == head->slot && hello.cookie == head->cookie) {
        take_hello(self, &hello, text);
        return;
    }
    self->peer_slot = head->slot;
    self->peer_cookie = head->cookie;
    if (err == -EPROTO)
        soft_ucx_send_refusal(self, SOFT_UCX_OTHER, NULL, 0);
    dismiss(self, 0);
}

static void name_peer(struct soft_ucx_link *self, ucp_conn_request_h request)
{
    ucp_conn_request_attr_t attr = {.field_mask = UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ADDR};

    if (ucp_conn_request_query(request, &attr) == UCS_OK)
        soft_tcp_addr_format(&attr.client_address, self->base.peer.addr,
                             sizeof(self->base.peer.addr));
}

static void on_connection(ucp_conn_request_h request, void *arg)
{
    struct soft_ucx_listener *listener = arg;
    struct soft_ucx_link *self = soft_ucx_link_create(&listener->base.conf);

    if (self == NULL) {
        ucp_listener_reject(listener->ucp, request);
        return;
    }
    if (listener->queue.nsilent >= SILENT_MAX)
        soft_ucx_drop(link_of(soft_link_queue_silent(&listener->queue)), 0);
    name_peer(self, request);
    self->listener = listener;
    atomic_store(&self->phase, UCX_SILENT);
    soft_link_queue_enter(&listener->queue, &self->guest);
    if (soft_ucx_open_ep(self, request) != 0)
        soft_ucx_drop(self, 0);
    else
        soft_ucx_set_timer(self, SOFT_LINK_SILENT_MS, silent_too_long);
}

static int listen_failed(ucs_status_t status, const char *text)
{
    if (status == UCS_ERR_BUSY)
        return soft_fail(-EADDRINUSE, "another process listens at %s", text);
    if (status == UCS_ERR_INVALID_ADDR || status == UCS_ERR_NO_DEVICE)
        return soft_fail(-EADDRNOTAVAIL, "%s is no address of this machine", text);
    return soft_fail(-EIO, "UCX cannot listen at %s: %s", text, soft_ucx_complaint(status));
}

/* Lock held. */
static int open_listener(struct soft_ucx_listener *self, const char *text,
                         const struct soft_tcp_addr *addr)
{
    ucp_listener_params_t params = {
        .field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER,
        .sockaddr = {.addr = (const struct sockaddr *)&addr->sa, .addrlen = addr->len},
        .conn_handler = {.cb = on_connection, .arg = self}};
    ucp_listener_attr_t attr = {.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR};
    char where[SOFT_LINK_ADDR_MAX - 8];
    ucs_status_t status;
    int rc = soft_ucx_start();

    if (rc != 0)
        return rc;
    status = ucp_listener_create(soft_ucx_worker(), &params, &self->ucp);
    if (status != UCS_OK)
        return listen_failed(status, text);
    status = ucp_listener_query(self->ucp, &attr);
    if (status != UCS_OK) {
        ucp_listener_destroy(self->ucp);
        return listen_failed(status, text);
    }
    soft_tcp_addr_format(&attr.sockaddr, where, sizeof(where));
    snprintf(self->base.addr, sizeof(self->base.addr), "ucx:%s", where);
    od_list_append(&listeners, &self->all);
    soft_ucx_call_thread();
    return 0;
}

int soft_ucx_listen(const char *text, const struct soft_link_conf *conf,
                    struct soft_link_listener **listener)
{
    char host[SOFT_TCP_HOST_SIZE], port[8];
    struct soft_ucx_listener *self;
    struct soft_tcp_addr addr;
    int rc = soft_tcp_addr_parse(text, &addr, host, port);

    if (rc == 0 && host[0] != '\0')
        rc = soft_tcp_addr_resolve(host, port, &addr);
    if (rc != 0)
        return rc;
    self = calloc(1, sizeof(*self));
    if (self == NULL)
        return soft_fail(-ENOMEM, "out of memory for a listener");
    self->base.ops = &soft_ucx_ops;
    self->base.conf = *conf;
    self->base.conf.backlog = OD_MAX(conf->backlog, 1u);
    od_list_init(&self->all);
    soft_link_queue_init(&self->queue);
    soft_ucx_lock();
    rc = open_listener(self, text, &addr);
    soft_ucx_unlock();
    if (rc != 0) {
        free(self);
        return rc;
    }
    *listener = &self->base;
    return 0;
}

void soft_ucx_unlisten(struct soft_link_listener *listener)
{
    struct soft_ucx_listener *self = ucx_listener(listener);
    struct soft_link_guest *guest;

    soft_ucx_lock();
    if (self->ucp != NULL)
        ucp_listener_destroy(self->ucp);
    od_list_remove(&self->all);
    while ((guest = soft_link_queue_silent(&self->queue)) != NULL ||
           (guest = soft_link_queue_waiting(&self->queue)) != NULL)
        soft_ucx_drop(link_of(guest), 0);
    soft_ucx_unlock();
    free(self);
}

void soft_ucx_forget_listeners(void)
{
    OD_LIST_FOR_EACH(link, &listeners)
    {
        struct soft_ucx_listener *self = OD_LIST_ENTRY(link, struct soft_ucx_listener, all);

        ucp_listener_destroy(self->ucp);
        self->ucp = NULL;
    }
}

bool soft_ucx_listener_pending(const struct soft_link_listener *listener)
{
    struct soft_ucx_listener *self = ucx_listener((struct soft_link_listener *)listener);
    const struct od_waker *waker = self->base.conf.waker;

    if (soft_link_queue_length(&self->queue) > 0)
        return true;
    if (waker != NULL && atomic_load_explicit(&waker->armed, memory_order_relaxed) != 0)
        soft_ucx_owner_sleeps();
    return false;
}

struct soft_link *soft_ucx_next(struct soft_link_listener *listener)
{
    struct soft_ucx_listener *self = ucx_listener(listener);
    struct soft_ucx_link *link = NULL;
    struct soft_link_guest *guest;

    if (soft_link_queue_length(&self->queue) == 0)
        soft_ucx_poll();
    if (soft_link_queue_length(&self->queue) == 0)
        return NULL;
    soft_ucx_lock();
    guest = soft_link_queue_waiting(&self->queue);
    if (guest != NULL) {
        link = link_of(guest);
        leave_queue(link);
        link->seen = soft_ucx_phase(link) == UCX_WAITING ? UCX_WAITING : UCX_UP;
    }
    soft_ucx_unlock();
    return link != NULL ? &link->base : NULL;
}

static int too_late(const struct soft_ucx_link *self)
{
    if (self->reason == -ETIMEDOUT)
        return soft_fail(-ETIMEDOUT, "%s was refused meanwhile: no answer in time",
                         self->base.peer.addr);
    return soft_fail(-ECONNRESET, "%s has gone meanwhile", self->base.peer.addr);
}

int soft_ucx_accept(struct soft_link *link, const void *answer, size_t len)
{
    struct soft_ucx_link *self = soft_ucx_link(link);
    int rc = 0;

    soft_ucx_lock();
    if (soft_ucx_phase(self) != UCX_WAITING) {
        rc = too_late(self);
    } else if (take_client_in(self, answer, len) == 0) {
        self->seen = UCX_UP;
    } else {
        soft_ucx_news(self, UCX_FAILED, -ECONNRESET);
        rc = too_late(self);
    }
    soft_ucx_unlock();
    return rc;
}

void soft_ucx_refuse(struct soft_link *link, const void *answer, size_t len)
{
    struct soft_ucx_link *self = soft_ucx_link(link);

    soft_ucx_lock();
    if (soft_ucx_phase(self) == UCX_WAITING)
        soft_ucx_send_refusal(self, SOFT_UCX_REFUSED, answer, len);
    soft_ucx_release(self, true);
    soft_ucx_unlock();
}

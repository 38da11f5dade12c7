/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/cm/cm_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/cleanup.h"

#define BACKLOG     256
#define MAX_CALLERS 1024u /* that have not been handed out */
#define ASK_MS      5000  /* a caller that asks nothing */
#define PAUSE_MS    100   /* without new callers when descriptors have run out */

struct soft_cm_request {
    struct od_list link; /* asking, or in the queue */
    struct soft_cm_listener *listener;
    int fd;
    struct soft_service_watch sock;
    struct soft_service_timer timer;
    struct soft_cm_inbox inbox;
    struct soft_cm_ends ends;
};

struct soft_cm_listener {
    int fd;
    pid_t pid; /* that it belongs to: in a forked child nothing is watched */
    struct soft_service_watch sock;
    struct soft_service_timer pause;
    struct od_waker *waker;
    struct od_list asking;
    struct od_list queue;
    unsigned int ncallers;
    _Atomic unsigned int nqueued;
};

/* Lock held, unless it was handed out. */
static void drop(struct soft_cm_request *request)
{
    od_list_remove(&request->link);
    soft_service_timer_cancel(&request->timer);
    soft_service_watch_del(&request->sock);
    if (request->listener != NULL)
        request->listener->ncallers--;
    close(request->fd);
    free(request);
}

static void expired(struct soft_service_timer *timer)
{
    drop(OD_CONTAINER_OF(timer, struct soft_cm_request, timer));
}

/* The question is there. */
static void enqueue(struct soft_cm_request *request)
{
    struct soft_cm_listener *listener = request->listener;

    soft_service_timer_cancel(&request->timer);
    soft_service_watch_del(&request->sock);
    od_list_remove(&request->link);
    od_list_append(&listener->queue, &request->link);
    atomic_fetch_add(&listener->nqueued, 1);
    if (listener->waker != NULL)
        od_waker_wake(listener->waker);
}

static void request_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct soft_cm_request *request = OD_CONTAINER_OF(watch, struct soft_cm_request, sock);
    int rc = soft_cm_read(request->fd, &request->inbox);

    (void)events;
    if (rc == -EAGAIN)
        return;
    if (rc == 0 && soft_cm_frame_kind(&request->inbox) == SOFT_CM_ASK)
        enqueue(request);
    else
        drop(request);
}

static void find_ends(struct soft_cm_request *request, const union soft_cm_sockaddr *peer)
{
    union soft_cm_sockaddr here;
    socklen_t len = sizeof(here);
    uint16_t port;

    soft_cm_text(peer, request->ends.there, &request->ends.there_port);
    if (getsockname(request->fd, &here.any, &len) == 0)
        soft_cm_text(&here, request->ends.here, &port);
}

static void take_caller(struct soft_cm_listener *listener, int fd,
                        const union soft_cm_sockaddr *peer)
{
    struct soft_cm_request *request =
        listener->ncallers < MAX_CALLERS ? calloc(1, sizeof(*request)) : NULL;

    if (request == NULL) {
        close(fd);
        return;
    }
    request->listener = listener;
    request->fd = fd;
    request->sock.fd = -1;
    listener->ncallers++;
    od_list_append(&listener->asking, &request->link);
    find_ends(request, peer);
    if (soft_service_watch_add(&request->sock, fd, EPOLLIN, request_ready) != 0)
        drop(request);
    else
        soft_service_timer_set(&request->timer, ASK_MS, expired);
}

static void resume(struct soft_service_timer *timer)
{
    struct soft_cm_listener *listener = OD_CONTAINER_OF(timer, struct soft_cm_listener, pause);

    soft_service_watch_events(&listener->sock, EPOLLIN);
}

static void listener_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct soft_cm_listener *listener = OD_CONTAINER_OF(watch, struct soft_cm_listener, sock);
    union soft_cm_sockaddr peer;
    socklen_t len = sizeof(peer);
    int fd;

    (void)events;
    while ((fd = accept4(listener->fd, &peer.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        take_caller(listener, fd, &peer);
        len = sizeof(peer);
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        soft_service_watch_events(watch, 0);
        soft_service_timer_set(&listener->pause, PAUSE_MS, resume);
    }
}

/* ---- Listening ---- */

/* Both families at once; machines without IPv6 have one. */
static int open_socket(union soft_cm_sockaddr *addr, socklen_t *len, uint16_t port)
{
    const int off = 0;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);

    memset(addr, 0, sizeof(*addr));
    if (fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) == 0) {
        addr->v6.sin6_family = AF_INET6;
        addr->v6.sin6_port = htons(port);
        *len = sizeof(addr->v6);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    addr->v4.sin_family = AF_INET;
    addr->v4.sin_port = htons(port);
    *len = sizeof(addr->v4);
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
}

static int listen_socket(uint16_t port, int *sock)
{
    const int on = 1;
    union soft_cm_sockaddr addr;
    socklen_t len;
    OD_AUTO_FD int fd = open_socket(&addr, &len, port);

    if (fd < 0)
        return soft_fail(-errno, "cannot create a TCP socket: %s", strerror(errno));
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(fd, &addr.any, len) != 0 || listen(fd, BACKLOG) != 0)
        return soft_fail(-errno, "cannot listen to TCP port %u: %s", port, strerror(errno));
    *sock = od_move_fd(&fd);
    return 0;
}

int soft_cm_listen(uint16_t port, struct od_waker *waker, struct soft_cm_listener **listener)
{
    struct soft_cm_listener *made = calloc(1, sizeof(*made));
    int rc;

    if (made == NULL)
        return soft_fail(-ENOMEM, "no memory for a listener");
    rc = listen_socket(port, &made->fd);
    if (rc != 0)
        goto err_free;
    made->sock.fd = -1;
    made->pid = getpid();
    made->waker = waker;
    od_list_init(&made->asking);
    od_list_init(&made->queue);
    soft_service_lock();
    rc = soft_cm_service_start();
    if (rc == 0) {
        rc = soft_service_watch_add(&made->sock, made->fd, EPOLLIN, listener_ready);
        if (rc != 0)
            soft_fail(rc, "cannot watch a socket: %s", strerror(-rc));
    }
    soft_service_unlock();
    if (rc != 0)
        goto err_close;
    *listener = made;
    return 0;

err_close:
    close(made->fd);
err_free:
    free(made);
    return rc;
}

/* In a forked child: what the parent's background thread had is not watched any more. */
static void forget_watches(struct od_list *list)
{
    OD_LIST_FOR_EACH(link, list)
    {
        struct soft_cm_request *request = OD_LIST_ENTRY(link, struct soft_cm_request, link);

        request->sock.fd = -1;
        request->timer.due = 0;
    }
}

static void drop_all(struct od_list *list)
{
    while (!od_list_is_empty(list))
        drop(OD_LIST_ENTRY(list->next, struct soft_cm_request, link));
}

void soft_cm_unlisten(struct soft_cm_listener *listener)
{
    if (listener == NULL)
        return;
    soft_service_lock();
    if (listener->pid != getpid()) {
        forget_watches(&listener->asking);
    } else {
        soft_service_watch_del(&listener->sock);
        soft_service_timer_cancel(&listener->pause);
    }
    drop_all(&listener->asking);
    drop_all(&listener->queue);
    soft_service_unlock();
    close(listener->fd);
    free(listener);
}

bool soft_cm_listener_pending(const struct soft_cm_listener *listener)
{
    return atomic_load(&listener->nqueued) > 0;
}

struct soft_cm_request *soft_cm_next(struct soft_cm_listener *listener)
{
    struct soft_cm_request *request = NULL;

    if (!soft_cm_listener_pending(listener))
        return NULL;
    soft_service_lock();
    if (!od_list_is_empty(&listener->queue)) {
        request = OD_LIST_ENTRY(listener->queue.next, struct soft_cm_request, link);
        od_list_remove(&request->link);
        request->listener = NULL;
        listener->ncallers--;
        atomic_fetch_sub(&listener->nqueued, 1);
    }
    soft_service_unlock();
    return request;
}

/* ---- Requests ---- */

const void *soft_cm_request_data(const struct soft_cm_request *request, size_t *len)
{
    return soft_cm_frame_data(&request->inbox, len);
}

void soft_cm_request_ends(const struct soft_cm_request *request, struct soft_cm_ends *ends)
{
    *ends = request->ends;
}

int soft_cm_answer(struct soft_cm_request *request, const void *data, size_t len)
{
    int rc =
        len <= SOFT_CM_DATA_MAX ? soft_cm_write(request->fd, SOFT_CM_ACCEPT, data, len) : -EMSGSIZE;

    drop(request);
    return rc;
}

void soft_cm_refuse(struct soft_cm_request *request)
{
    if (request == NULL)
        return;
    soft_cm_write(request->fd, SOFT_CM_REFUSE, NULL, 0);
    drop(request);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/cm/cm_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/cleanup.h"

/* ---- What both sides share ---- */

static void nothing(void)
{
}

/* Sockets that a child inherits are closed by whoever ends the objects there. */
static struct soft_service_room room = {.at_exit = nothing, .in_child = nothing};

int soft_cm_service_start(void)
{
    return soft_service_start(&room);
}

int soft_cm_read(int sock, struct soft_cm_inbox *inbox)
{
    int lacks;

    while ((lacks = soft_cm_frame_lacks(inbox)) > 0) {
        ssize_t n = recv(sock, inbox->bytes + inbox->have, (size_t)lacks, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return -EAGAIN;
        if (n <= 0)
            return -ECONNRESET;
        inbox->have += (size_t)n;
    }
    return lacks;
}

int soft_cm_write(int sock, enum soft_cm_kind kind, const void *data, size_t len)
{
    uint8_t frame[SOFT_CM_FRAME_MAX];
    size_t size = soft_cm_frame_put(frame, kind, data, len);

    return send(sock, frame, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -ECONNRESET;
}

void soft_cm_text(const union soft_cm_sockaddr *addr, char host[SOFT_CM_HOST_SIZE], uint16_t *port)
{
    const struct sockaddr_in6 *v6 = &addr->v6;

    if (addr->any.sa_family == AF_INET) {
        inet_ntop(AF_INET, &addr->v4.sin_addr, host, SOFT_CM_HOST_SIZE);
        *port = ntohs(addr->v4.sin_port);
        return;
    }
    *port = ntohs(v6->sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
        inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], host, SOFT_CM_HOST_SIZE);
    else
        inet_ntop(AF_INET6, &v6->sin6_addr, host, SOFT_CM_HOST_SIZE);
}

/* ---- Calling ---- */

struct soft_cm_call {
    int fd;
    pid_t pid; /* that it belongs to: in a forked child nothing is watched */
    struct soft_service_watch sock;
    struct soft_service_timer timer;
    struct od_waker *waker;
    uint8_t question[SOFT_CM_DATA_MAX];
    size_t question_len;
    bool asked;
    struct soft_cm_inbox inbox;
    int reason;
    _Atomic int state; /* written last; enum soft_cm_state */
};

/* Lock held. */
static void settle(struct soft_cm_call *call, enum soft_cm_state state, int reason)
{
    soft_service_timer_cancel(&call->timer);
    soft_service_watch_del(&call->sock);
    call->reason = reason;
    atomic_store(&call->state, (int)state);
    if (call->waker != NULL)
        od_waker_wake(call->waker);
}

static void expired(struct soft_service_timer *timer)
{
    settle(OD_CONTAINER_OF(timer, struct soft_cm_call, timer), SOFT_CM_FAILED, -ETIMEDOUT);
}

/* The connection stands, or does not. */
static int ask(struct soft_cm_call *call)
{
    int err = 0;
    socklen_t len = sizeof(err);

    if (getsockopt(call->fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0)
        return -errno;
    if (err != 0)
        return -err;
    call->asked = true;
    soft_service_watch_events(&call->sock, EPOLLIN);
    return soft_cm_write(call->fd, SOFT_CM_ASK, call->question, call->question_len);
}

static void hear(struct soft_cm_call *call)
{
    int rc = soft_cm_read(call->fd, &call->inbox);

    if (rc == -EAGAIN)
        return;
    if (rc == 0 && soft_cm_frame_kind(&call->inbox) == SOFT_CM_ACCEPT)
        settle(call, SOFT_CM_ANSWERED, 0);
    else if (rc == 0 && soft_cm_frame_kind(&call->inbox) == SOFT_CM_REFUSE)
        settle(call, SOFT_CM_FAILED, -EACCES);
    else
        settle(call, SOFT_CM_FAILED, rc != 0 ? rc : -EPROTO);
}

static void call_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct soft_cm_call *call = OD_CONTAINER_OF(watch, struct soft_cm_call, sock);
    int rc;

    (void)events;
    if (call->asked) {
        hear(call);
        return;
    }
    rc = ask(call);
    if (rc != 0)
        settle(call, SOFT_CM_FAILED, rc);
}

static int parse(const char *host, uint16_t port, union soft_cm_sockaddr *addr, socklen_t *len)
{
    memset(addr, 0, sizeof(*addr));
    if (inet_pton(AF_INET, host, &addr->v4.sin_addr) == 1) {
        addr->v4.sin_family = AF_INET;
        addr->v4.sin_port = htons(port);
        *len = sizeof(addr->v4);
        return 0;
    }
    if (inet_pton(AF_INET6, host, &addr->v6.sin6_addr) != 1)
        return soft_fail(-EINVAL, "'%.64s' is no IP address", host);
    addr->v6.sin6_family = AF_INET6;
    addr->v6.sin6_port = htons(port);
    *len = sizeof(addr->v6);
    return 0;
}

static int begin(struct soft_cm_call *call, const union soft_cm_sockaddr *addr, socklen_t len,
                 uint32_t timeout_ms)
{
    OD_AUTO_FD int fd =
        socket(addr->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    int rc;

    if (fd < 0)
        return soft_fail(-errno, "cannot create a TCP socket: %s", strerror(errno));
    if (connect(fd, &addr->any, len) != 0 && errno != EINPROGRESS)
        return soft_fail(-errno, "cannot connect: %s", strerror(errno));
    soft_service_lock();
    rc = soft_cm_service_start();
    call->fd = fd;
    call->pid = getpid();
    if (rc == 0) {
        rc = soft_service_watch_add(&call->sock, fd, EPOLLOUT, call_ready);
        if (rc != 0)
            soft_fail(rc, "cannot watch a socket: %s", strerror(-rc));
    }
    if (rc == 0)
        soft_service_timer_set(&call->timer, timeout_ms, expired);
    soft_service_unlock();
    if (rc == 0)
        od_move_fd(&fd);
    else
        call->fd = -1;
    return rc;
}

int soft_cm_call(const char *host, uint16_t port, uint32_t timeout_ms, const void *data, size_t len,
                 struct od_waker *waker, struct soft_cm_call **call)
{
    union soft_cm_sockaddr addr;
    struct soft_cm_call *made;
    socklen_t addr_len = 0;
    int rc = parse(host, port, &addr, &addr_len);

    if (rc != 0)
        return rc;
    if (len > SOFT_CM_DATA_MAX)
        return soft_fail(-EMSGSIZE, "%zu bytes to ask, the limit is %d", len, SOFT_CM_DATA_MAX);
    made = calloc(1, sizeof(*made));
    if (made == NULL)
        return soft_fail(-ENOMEM, "no memory for a call");
    made->waker = waker;
    made->sock.fd = -1;
    memcpy(made->question, data, len);
    made->question_len = len;
    rc = begin(made, &addr, addr_len, timeout_ms);
    if (rc != 0) {
        free(made);
        return rc;
    }
    *call = made;
    return 0;
}

enum soft_cm_state soft_cm_poll(const struct soft_cm_call *call, int *reason)
{
    enum soft_cm_state state = (enum soft_cm_state)atomic_load(&call->state);

    if (reason != NULL)
        *reason = state == SOFT_CM_FAILED ? call->reason : 0;
    return state;
}

const void *soft_cm_call_answer(const struct soft_cm_call *call, size_t *len)
{
    return soft_cm_frame_data(&call->inbox, len);
}

void soft_cm_hang_up(struct soft_cm_call *call)
{
    if (call == NULL)
        return;
    soft_service_lock();
    if (call->pid == getpid()) {
        soft_service_timer_cancel(&call->timer);
        soft_service_watch_del(&call->sock);
    }
    soft_service_unlock();
    close(call->fd);
    free(call);
}

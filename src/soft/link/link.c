/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/link_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct soft_link_ops *soft_link_transport(const char *addr, const char **rest)
{
    size_t len = strcspn(addr, ":");

    for (const struct soft_link_ops *const *ops = soft_link_engine_table; *ops != NULL; ops++) {
        if (addr[len] == ':' && strlen((*ops)->name) == len &&
            strncmp((*ops)->name, addr, len) == 0) {
            *rest = addr + len + 1;
            return *ops;
        }
    }
    soft_fail(-EINVAL, "'%.64s' is no address of a link; it begins with a transport and a colon",
              addr);
    return NULL;
}

int soft_link_bytes_set(struct soft_link_bytes *bytes, const void *from, size_t len)
{
    void *copy = len > 0 ? malloc(len) : NULL;

    if (len > 0 && copy == NULL)
        return -ENOMEM;
    if (len > 0)
        memcpy(copy, from, len);
    free(bytes->bytes);
    bytes->bytes = copy;
    bytes->len = len;
    return 0;
}

void soft_link_base_clear(struct soft_link *link)
{
    free(link->hello.bytes);
    free(link->answer.bytes);
    link->hello = (struct soft_link_bytes){0};
    link->answer = (struct soft_link_bytes){0};
}

static int check(const char *addr, const struct soft_link_conf *conf)
{
    if (strlen(addr) >= SOFT_LINK_ADDR_MAX)
        return soft_fail(-EINVAL, "the address of a link has %zu bytes, the limit is %d",
                         strlen(addr), SOFT_LINK_ADDR_MAX - 1);
    if (conf->max_msg == 0 || conf->max_msg > SOFT_LINK_MSG_MAX)
        return soft_fail(-EINVAL, "messages of %u bytes on a link, the limit is 1..%u",
                         conf->max_msg, SOFT_LINK_MSG_MAX);
    if (conf->depth == 0 || conf->depth > SOFT_LINK_DEPTH_MAX)
        return soft_fail(-EINVAL, "%u messages in flight on a link, the limit is 1..%u",
                         conf->depth, SOFT_LINK_DEPTH_MAX);
    if ((uint64_t)conf->max_msg * conf->depth > SOFT_LINK_BYTES_MAX)
        return soft_fail(-EINVAL,
                         "%u messages of %u bytes in flight on a link, the limit is %llu bytes "
                         "together; use fewer or shorter ones",
                         conf->depth, conf->max_msg, SOFT_LINK_BYTES_MAX);
    return 0;
}

static int check_greeting(size_t len)
{
    if (len > SOFT_LINK_HELLO_MAX)
        return soft_fail(-EMSGSIZE, "a greeting or answer of %zu bytes, the limit is %d", len,
                         SOFT_LINK_HELLO_MAX);
    return 0;
}

/* ---- Listening ---- */

int soft_link_listen(const char *addr, const struct soft_link_conf *conf,
                     struct soft_link_listener **listener)
{
    const struct soft_link_ops *ops;
    const char *rest;
    int rc = check(addr, conf);

    if (rc != 0)
        return rc;
    ops = soft_link_transport(addr, &rest);
    return ops == NULL ? -EINVAL : ops->listen(rest, conf, listener);
}

void soft_link_unlisten(struct soft_link_listener *listener)
{
    if (listener != NULL)
        listener->ops->unlisten(listener);
}

void soft_link_admit_no_more(struct soft_link_listener *listener)
{
    if (listener->ops->admit_no_more != NULL)
        listener->ops->admit_no_more(listener);
}

const char *soft_link_listener_addr(const struct soft_link_listener *listener)
{
    return listener->addr;
}

struct soft_link *soft_link_next(struct soft_link_listener *listener)
{
    return listener->ops->next(listener);
}

bool soft_link_listener_pending(const struct soft_link_listener *listener)
{
    return listener->ops->listener_pending(listener);
}

const void *soft_link_hello(const struct soft_link *link, size_t *len)
{
    *len = link->hello.len;
    return link->hello.bytes;
}

int soft_link_accept(struct soft_link *link, const void *answer, size_t len)
{
    int rc = check_greeting(len);

    return rc != 0 ? rc : link->ops->accept(link, answer, len);
}

void soft_link_refuse(struct soft_link *link, const void *answer, size_t len)
{
    link->ops->refuse(link, answer, OD_MIN(len, (size_t)SOFT_LINK_HELLO_MAX));
}

/* ---- Connecting ---- */

int soft_link_connect(const char *addr, const struct soft_link_conf *conf, const void *hello,
                      size_t len, struct soft_link **link)
{
    const struct soft_link_ops *ops;
    const char *rest;
    int rc = check(addr, conf);

    if (rc == 0)
        rc = check_greeting(len);
    if (rc != 0)
        return rc;
    ops = soft_link_transport(addr, &rest);
    return ops == NULL ? -EINVAL : ops->connect(rest, conf, hello, len, link);
}

enum soft_link_state soft_link_poll(struct soft_link *link, int *reason)
{
    int ignored;

    return link->ops->poll(link, reason != NULL ? reason : &ignored);
}

void soft_link_check(struct soft_link *link)
{
    if (link->ops->check != NULL)
        link->ops->check(link);
}

const void *soft_link_answer(const struct soft_link *link, size_t *len)
{
    *len = link->answer.len;
    return link->answer.bytes;
}

/* ---- Both sides ---- */

void soft_link_peer_info(const struct soft_link *link, struct soft_link_peer *peer)
{
    *peer = link->peer;
}

uint32_t soft_link_max_msg(const struct soft_link *link)
{
    return link->max_msg;
}

uint32_t soft_link_depth(const struct soft_link *link)
{
    return link->depth;
}

int soft_link_send(struct soft_link *link, const struct iovec *iov, unsigned int niov)
{
    return link->ops->send(link, iov, niov);
}

int soft_link_send_foreign(struct soft_link *link, const struct iovec *iov, unsigned int niov,
                           unsigned int part, const void *spoilt)
{
    return link->ops->send_foreign != NULL ? link->ops->send_foreign(link, iov, niov, part, spoilt)
                                           : -ENOTSUP;
}

void soft_link_more(struct soft_link *link)
{
    if (link->ops->more != NULL)
        link->ops->more(link);
}

uint64_t soft_link_taken(struct soft_link *link)
{
    return link->ops->taken(link);
}

uint64_t soft_link_arrived(struct soft_link *link)
{
    return link->ops->arrived(link);
}

bool soft_link_await(struct soft_link *link, uint64_t seq)
{
    return link->ops->await(link, seq);
}

int soft_link_recv(struct soft_link *link, struct soft_link_msg *msg)
{
    return link->ops->recv(link, msg);
}

void soft_link_release(struct soft_link *link)
{
    link->ops->release(link);
}

bool soft_link_pending(struct soft_link *link)
{
    return link->ops->pending(link);
}

int soft_link_fd(struct soft_link *link, bool room, short *events)
{
    return link->ops->fd != NULL ? link->ops->fd(link, room, events) : -1;
}

unsigned long soft_link_received(const struct soft_link *link)
{
    return link->ops->received != NULL ? link->ops->received(link) : 0;
}

void soft_link_shutdown(struct soft_link *link)
{
    link->ops->shutdown(link);
}

bool soft_link_peer_ended(struct soft_link *link)
{
    return link->ops->peer_ended(link);
}

void soft_link_close(struct soft_link *link)
{
    if (link != NULL)
        link->ops->close(link);
}

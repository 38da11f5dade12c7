/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_CONFORMANCE_LINK_RIG_H_
#define OD_TESTS_CONFORMANCE_LINK_RIG_H_

/* Two ends of a link in one process, over each transport. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft/link/link.h"

#define RIG_SECONDS 20 /* no case waits longer */

struct rig {
    const char *addr; /* to listen at */
    struct soft_link_conf conf;
    struct soft_link_listener *listener;
    struct soft_link *server;
    struct soft_link *client;
};

static inline time_t rig_deadline(void)
{
    return time(NULL) + RIG_SECONDS;
}

static inline void rig_listen(struct rig *rig)
{
    if (soft_link_listen(rig->addr, &rig->conf, &rig->listener) != 0)
        fail_msg("listen: %s", soft_reason());
}

static inline struct soft_link *rig_connect(struct rig *rig, const char *addr)
{
    struct soft_link *link;

    if (soft_link_connect(addr, &rig->conf, "hello", 5, &link) != 0)
        fail_msg("connect: %s", soft_reason());
    return link;
}

static inline struct soft_link *rig_next(struct rig *rig)
{
    time_t deadline = rig_deadline();
    struct soft_link *link;

    while ((link = soft_link_next(rig->listener)) == NULL)
        assert_true(time(NULL) < deadline);
    return link;
}

static inline int rig_wait_state(struct soft_link *link, enum soft_link_state state)
{
    time_t deadline = rig_deadline();
    enum soft_link_state now;
    int reason = 0;

    while ((now = soft_link_poll(link, &reason)) != state) {
        assert_true(now != SOFT_LINK_DOWN);
        assert_true(time(NULL) < deadline);
    }
    return reason;
}

static inline void rig_open(struct rig *rig)
{
    rig_listen(rig);
    rig->client = rig_connect(rig, soft_link_listener_addr(rig->listener));
    rig->server = rig_next(rig);
    assert_int_equal(soft_link_accept(rig->server, "welcome", 7), 0);
    rig_wait_state(rig->client, SOFT_LINK_UP);
    rig_wait_state(rig->server, SOFT_LINK_UP);
}

static inline void rig_close(struct rig *rig)
{
    soft_link_close(rig->client);
    soft_link_close(rig->server);
    soft_link_unlisten(rig->listener);
    rig->client = rig->server = NULL;
    rig->listener = NULL;
}

static inline int rig_send(struct soft_link *link, const void *bytes, size_t len)
{
    struct iovec iov = {.iov_base = (void *)bytes, .iov_len = len};

    return soft_link_send(link, &iov, 1);
}

/* The next message, or what soft_link_recv() says instead of -EAGAIN. */
static inline int rig_recv(struct soft_link *link, struct soft_link_msg *msg)
{
    time_t deadline = rig_deadline();
    int rc;

    while ((rc = soft_link_recv(link, msg)) == -EAGAIN) {
        soft_link_poll(link, NULL);
        assert_true(time(NULL) < deadline);
    }
    return rc;
}

static inline void rig_expect(struct soft_link *link, const void *bytes, size_t len)
{
    struct soft_link_msg msg;

    assert_int_equal(rig_recv(link, &msg), 0);
    assert_int_equal(msg.len, len);
    if (len > 0)
        assert_memory_equal(msg.data, bytes, len);
    soft_link_release(link);
}

/* A runtime folder of its own for each run. */
static inline void rig_folder(void)
{
    static char dir[64];

    if (dir[0] != '\0')
        return;
    snprintf(dir, sizeof(dir), "/tmp/opendoca-link-test-%d", getpid());
    setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
}

#endif /* OD_TESTS_CONFORMANCE_LINK_RIG_H_ */

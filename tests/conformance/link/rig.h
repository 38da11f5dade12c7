/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_CONFORMANCE_LINK_RIG_H_
#define OD_TESTS_CONFORMANCE_LINK_RIG_H_

/* Two ends of a link, over the transport that the program is told:
 *
 *   test_<topic> TRANSPORT                the cases of the topic
 *   test_<topic> TRANSPORT actor ARGS...  the other process of a case
 */

#include <errno.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/link/link.h"

#define RIG_SECONDS 30 /* no case waits longer */

struct rig {
    char addr[SOFT_LINK_ADDR_MAX]; /* to listen at */
    struct soft_link_conf conf;
    struct soft_link_listener *listener;
    struct soft_link *server;
    struct soft_link *client;
};

static const char *rig_transport = "local";
static const char *rig_program;

static inline bool rig_is(const char *transport)
{
    return strstr(rig_transport, transport) != NULL;
}

/* The sides may be on two hosts. */
static inline bool rig_is_network(void)
{
    return rig_is("ucx") || rig_is("tcp");
}

static inline time_t rig_deadline(void)
{
    return whole_seconds_now() + RIG_SECONDS;
}

/* Lets the background thread run, which may share the core. */
static inline void rig_tick(time_t deadline)
{
    assert_true(whole_seconds_now() < deadline);
    sched_yield();
}

/* ---- Set-up ---- */

/* A port that nobody else gets as long as this process lives: it stays bound. Between two listeners
 * of a case it would be somebody else's otherwise. */
static inline unsigned int rig_hold_port(void)
{
    struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof(sa);
    const int on = 1;

    /* The listeners reuse addresses, too. */
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&sa, &len), 0);
    return ntohs(sa.sin_port);
}

/* An address that nobody listens at, the same for both sides. Both have the patience of a case. */
static inline void rig_init(struct rig *rig)
{
    static unsigned int cases;

    *rig = (struct rig){.conf = {.max_msg = 4080,
                                 .depth = 8,
                                 .connect_timeout = 1000 * RIG_SECONDS,
                                 .backlog = 4,
                                 .answer_timeout = 1000 * RIG_SECONDS}};
    if (rig_is_network())
        snprintf(rig->addr, sizeof(rig->addr), "%s:127.0.0.1:%u", rig_transport, rig_hold_port());
    else
        snprintf(rig->addr, sizeof(rig->addr), "%s:case-%u", rig_transport, ++cases);
}

static inline void rig_listen(struct rig *rig)
{
    if (soft_link_listen(rig->addr, &rig->conf, &rig->listener) != 0)
        fail_msg("listen at %s: %s", rig->addr, soft_reason());
}

static inline struct soft_link *rig_greet(struct rig *rig, const void *hello, size_t len)
{
    struct soft_link *link;

    if (soft_link_connect(rig->addr, &rig->conf, hello, len, &link) != 0)
        fail_msg("connect to %s: %s", rig->addr, soft_reason());
    return link;
}

static inline struct soft_link *rig_connect(struct rig *rig)
{
    return rig_greet(rig, "hello", 5);
}

static inline struct soft_link *rig_next(struct rig *rig)
{
    time_t deadline = rig_deadline();
    struct soft_link *link;

    while ((link = soft_link_next(rig->listener)) == NULL)
        rig_tick(deadline);
    return link;
}

/* Waits for the state; the reason if that is DOWN. */
static inline int rig_wait(struct soft_link *link, enum soft_link_state state)
{
    time_t deadline = rig_deadline();
    enum soft_link_state now;
    int reason = 0;

    while ((now = soft_link_poll(link, &reason)) != state) {
        if (now == SOFT_LINK_DOWN)
            fail_msg("the link is down: %s", strerror(-reason));
        rig_tick(deadline);
    }
    return reason;
}

static inline void rig_open(struct rig *rig)
{
    rig_listen(rig);
    rig->client = rig_connect(rig);
    rig->server = rig_next(rig);
    assert_int_equal(soft_link_accept(rig->server, "welcome", 7), 0);
    rig_wait(rig->client, SOFT_LINK_UP);
    rig_wait(rig->server, SOFT_LINK_UP);
}

static inline void rig_close(struct rig *rig)
{
    soft_link_close(rig->client);
    soft_link_close(rig->server);
    soft_link_unlisten(rig->listener);
    rig->client = rig->server = NULL;
    rig->listener = NULL;
}

/* ---- Messages ---- */

static inline int rig_try_send(struct soft_link *link, const void *bytes, size_t len)
{
    struct iovec iov = {.iov_base = (void *)bytes, .iov_len = len};

    return soft_link_send(link, &iov, 1);
}

static inline void rig_send(struct soft_link *link, const void *bytes, size_t len)
{
    time_t deadline = rig_deadline();
    int rc;

    while ((rc = rig_try_send(link, bytes, len)) == -EAGAIN)
        rig_tick(deadline);
    assert_int_equal(rc, 0);
}

/* The next message, or what soft_link_recv() says instead of -EAGAIN. */
static inline int rig_recv(struct soft_link *link, struct soft_link_msg *msg)
{
    time_t deadline = rig_deadline();
    int rc;

    while ((rc = soft_link_recv(link, msg)) == -EAGAIN)
        rig_tick(deadline);
    return rc;
}

static inline int rig_recv_end(struct soft_link *link)
{
    struct soft_link_msg msg;

    return rig_recv(link, &msg);
}

static inline void rig_expect(struct soft_link *link, const void *bytes, size_t len)
{
    struct soft_link_msg msg;

    assert_int_equal(rig_recv(link, &msg), 0);
    assert_int_equal(msg.len, len);
    assert_int_equal((uintptr_t)msg.data % 16, 0);
    if (len > 0)
        assert_memory_equal(msg.data, bytes, len);
    soft_link_release(link);
}

static inline void rig_wait_taken(struct soft_link *link, uint64_t taken)
{
    time_t deadline = rig_deadline();

    while (soft_link_taken(link) < taken)
        rig_tick(deadline);
    assert_int_equal(soft_link_taken(link), taken);
}

/* ---- The other process ---- */

static inline pid_t rig_spawn(const char *a, const char *b, const char *addr)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        execl(rig_program, rig_program, rig_transport, "actor", a, b, addr, (char *)NULL);
        _exit(126);
    }
    return pid;
}

static inline int rig_reap(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* For actors, which have no test around them. */
#define ACTOR_CHECK(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* ---- The program ---- */

static char rig_dir[] = "/tmp/opendoca-link-test-XXXXXX";

static inline int rig_remove_entry(const char *path, const struct stat *st, int type,
                                   struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

/* With the names of those who were killed. */
static inline void rig_remove_dir(void)
{
    nftw(rig_dir, rig_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* True: this process is an actor, run it. */
static inline bool rig_main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_DFL);
    rig_program = argv[0];
    if (argc > 1)
        rig_transport = argv[1];
    if (getenv("OPENDOCA_RUNTIME_DIR") == NULL) {
        assert_non_null(mkdtemp(rig_dir));
        atexit(rig_remove_dir);
        setenv("OPENDOCA_RUNTIME_DIR", rig_dir, 1);
    }
    return argc > 2 && strcmp(argv[2], "actor") == 0;
}

#endif /* OD_TESTS_CONFORMANCE_LINK_RIG_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/* Clients that are none of ours: they get nowhere, and others do not notice. */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/link/tcp/wire.h"

#define SECONDS 30
#define MANY    300 /* more than may be silent at a time */

static const struct soft_link_conf conf = {.max_msg = 1000,
                                           .depth = 4,
                                           .connect_timeout = 1000 * SECONDS,
                                           .backlog = 4,
                                           .answer_timeout = 1000 * SECONDS};
static struct soft_link_listener *listener;

static int setup(void **state)
{
    (void)state;
    return soft_link_listen("tcp:127.0.0.1:0", &conf, &listener);
}

static int teardown(void **state)
{
    (void)state;
    soft_link_unlisten(listener);
    return 0;
}

static int dial(void)
{
    struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct timeval limit = {.tv_sec = SECONDS};
    int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    sa.sin_port =
        htons((uint16_t)strtoul(strrchr(soft_link_listener_addr(listener), ':') + 1, NULL, 10));
    assert_int_equal(connect(sock, (struct sockaddr *)&sa, sizeof(sa)), 0);
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    return sock;
}

static void say(int sock, const void *bytes, size_t len)
{
    assert_int_equal(send(sock, bytes, len, MSG_NOSIGNAL), len);
}

/* As recv(), which ends with EINTR when a process that was stopped goes on, if it has a limit. */
static ssize_t hear(int sock, void *bytes, size_t len, int flags)
{
    ssize_t n;

    do
        n = recv(sock, bytes, len, flags);
    while (n < 0 && errno == EINTR);
    return n;
}

/* It hangs up, with or without a reset. */
static void expect_end(int sock)
{
    char bytes[64];
    ssize_t n;

    while ((n = hear(sock, bytes, sizeof(bytes), 0)) > 0)
        ;
    assert_true(n == 0 || errno == ECONNRESET);
    close(sock);
}

static struct soft_link *next(void)
{
    time_t deadline = whole_seconds_now() + SECONDS;
    struct soft_link *link;

    while ((link = soft_link_next(listener)) == NULL) {
        assert_true(whole_seconds_now() < deadline);
        sched_yield();
    }
    return link;
}

/* An ordinary client gets through. */
static void expect_service(void)
{
    time_t deadline = whole_seconds_now() + SECONDS;
    struct soft_link *client, *server;

    assert_int_equal(
        soft_link_connect(soft_link_listener_addr(listener), &conf, "hello", 5, &client), 0);
    server = next();
    assert_int_equal(soft_link_accept(server, NULL, 0), 0);
    while (soft_link_poll(client, NULL) == SOFT_LINK_CONNECTING)
        assert_true(whole_seconds_now() < deadline);
    assert_int_equal(soft_link_poll(client, NULL), SOFT_LINK_UP);
    soft_link_close(client);
    soft_link_close(server);
}

static struct soft_tcp_greeting make_hello(uint32_t len)
{
    struct soft_tcp_greeting hello = soft_tcp_greeting_make(SOFT_TCP_HELLO);

    hello.max_msg = 1000;
    hello.depth = 4;
    hello.len = len;
    return hello;
}

static void nonsense_ends_the_connection(void **state)
{
    int sock = dial();

    (void)state;
    say(sock, "GET / HTTP/1.1\r\n\r\n", 18);
    expect_end(sock);
    assert_null(soft_link_next(listener));
    expect_service();
}

static void another_version_is_told_so(void **state)
{
    struct soft_tcp_greeting hello = make_hello(0), refusal;
    int sock = dial();

    (void)state;
    hello.version++;
    say(sock, &hello, sizeof(hello));
    assert_int_equal(hear(sock, &refusal, sizeof(refusal), MSG_WAITALL), sizeof(refusal));
    assert_int_equal(refusal.type, SOFT_TCP_REFUSAL);
    assert_int_equal(refusal.code, SOFT_TCP_OTHER);
    expect_end(sock);
}

static void a_greeting_may_come_byte_by_byte(void **state)
{
    struct soft_tcp_greeting hello = make_hello(2);
    int sock = dial();
    struct soft_link *link;
    size_t len;

    (void)state;
    for (size_t i = 0; i < sizeof(hello); i++)
        say(sock, (const char *)&hello + i, 1);
    say(sock, "h", 1);
    say(sock, "i", 1);
    link = next();
    assert_memory_equal(soft_link_hello(link, &len), "hi", 2);
    assert_int_equal(len, 2);
    soft_link_close(link);
    close(sock);
}

/* The oldest make room. */
static void silent_connections_keep_nobody_out(void **state)
{
    static int socks[MANY];

    (void)state;
    for (unsigned int i = 0; i < MANY; i++)
        socks[i] = dial();
    expect_service();
    for (unsigned int i = 0; i < MANY; i++)
        close(socks[i]);
}

/* Taken in, and then not what it seemed. */
static void broken_frames_end_the_link(void **state)
{
    static const struct soft_tcp_head bad[] = {
        {.len = 1001, .type = SOFT_TCP_MESSAGE},
        {.type = 0},
        {.type = SOFT_TCP_ACK, .taken = 1, .arrived = 1},
        {.len = 4, .type = SOFT_TCP_PING},
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++) {
        struct soft_tcp_greeting hello = make_hello(0);
        time_t deadline = whole_seconds_now() + SECONDS;
        int sock = dial(), reason = 0;
        struct soft_link *link;

        say(sock, &hello, sizeof(hello));
        link = next();
        assert_int_equal(soft_link_accept(link, NULL, 0), 0);
        say(sock, &bad[i], sizeof(bad[i]));
        while (soft_link_poll(link, &reason) != SOFT_LINK_DOWN)
            assert_true(whole_seconds_now() < deadline);
        assert_int_equal(reason, -ECONNRESET);
        soft_link_close(link);
        expect_end(sock);
    }
    expect_service();
}

/* More messages than it has credit for. */
static void a_flood_ends_the_link(void **state)
{
    struct soft_tcp_head head = {.type = SOFT_TCP_MESSAGE};
    struct soft_tcp_greeting hello = make_hello(0);
    time_t deadline = whole_seconds_now() + SECONDS;
    int sock = dial(), reason = 0;
    struct soft_link *link;

    (void)state;
    say(sock, &hello, sizeof(hello));
    link = next();
    assert_int_equal(soft_link_accept(link, NULL, 0), 0);
    for (unsigned int i = 0; i < 5; i++)
        say(sock, &head, sizeof(head));
    while (soft_link_poll(link, &reason) != SOFT_LINK_DOWN)
        assert_true(whole_seconds_now() < deadline);
    assert_int_equal(reason, -ECONNRESET);
    soft_link_close(link);
    expect_end(sock);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(nonsense_ends_the_connection),     CASE(another_version_is_told_so),
        CASE(a_greeting_may_come_byte_by_byte), CASE(silent_connections_keep_nobody_out),
        CASE(broken_frames_end_the_link),       CASE(a_flood_ends_the_link),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

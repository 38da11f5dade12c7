/* SPDX-License-Identifier: BSD-3-Clause */
/* How the counts of messages that were taken travel, as seen from the wire. */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/link/tcp/wire.h"

#define SECONDS 30
#define DEPTH   16u
#define ROUNDS  100

/* The other side is a bare socket. */
struct pair {
    struct soft_link_listener *listener;
    struct soft_link *link;
    int sock;
    uint64_t sent;
    uint64_t received;
    unsigned int alone; /* frames that only told counts */
    uint64_t taken;     /* as it was told last */
};

static void pair_open(struct pair *pair)
{
    const struct soft_link_conf conf = {.max_msg = 100,
                                        .depth = DEPTH,
                                        .connect_timeout = 1000 * SECONDS,
                                        .backlog = 1,
                                        .answer_timeout = 1000 * SECONDS,
                                        .waits_itself = true};
    struct soft_tcp_greeting hello = soft_tcp_greeting_make(SOFT_TCP_HELLO), answer;
    struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct timeval limit = {.tv_sec = SECONDS};
    struct patience patience = patience_of(SECONDS);

    memset(pair, 0, sizeof(*pair));
    assert_int_equal(soft_link_listen("tcp:127.0.0.1:0", &conf, &pair->listener), 0);
    pair->sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(pair->sock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    sa.sin_port = htons(
        (uint16_t)strtoul(strrchr(soft_link_listener_addr(pair->listener), ':') + 1, NULL, 10));
    assert_int_equal(connect(pair->sock, (struct sockaddr *)&sa, sizeof(sa)), 0);
    hello.max_msg = 100;
    hello.depth = DEPTH;
    assert_int_equal(send(pair->sock, &hello, sizeof(hello), MSG_NOSIGNAL), sizeof(hello));
    while ((pair->link = soft_link_next(pair->listener)) == NULL) {
        assert_true(patience_lasts(&patience));
        sched_yield();
    }
    assert_int_equal(soft_link_accept(pair->link, NULL, 0), 0);
    assert_int_equal(recv(pair->sock, &answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
    assert_int_equal(answer.type, SOFT_TCP_ANSWER);
}

static void pair_close(struct pair *pair)
{
    soft_link_close(pair->link);
    soft_link_unlisten(pair->listener);
    close(pair->sock);
}

/* From the bare socket to the link, whose owner answers, or does not. */
static void message(struct pair *pair, bool is_answered)
{
    const struct soft_tcp_head head = {
        .type = SOFT_TCP_MESSAGE, .len = 1, .taken = pair->received, .arrived = pair->received};
    struct patience patience = patience_of(SECONDS);
    char bytes[sizeof(head) + 1] = {0};
    const struct iovec answer = {bytes, 1};
    struct soft_link_msg msg;
    int rc;

    memcpy(bytes, &head, sizeof(head));
    assert_int_equal(send(pair->sock, bytes, sizeof(bytes), MSG_NOSIGNAL), sizeof(bytes));
    while ((rc = soft_link_recv(pair->link, &msg)) == -EAGAIN)
        assert_true(patience_lasts(&patience));
    assert_int_equal(rc, 0);
    if (is_answered)
        assert_int_equal(soft_link_send(pair->link, &answer, 1), 0);
    soft_link_release(pair->link);
    pair->sent++;
    pair->received += is_answered;
}

/* All that the link has sent by now: on one machine it is there when it is sent. */
static void listen_to(struct pair *pair)
{
    char byte;

    for (;;) {
        struct soft_tcp_head head;
        ssize_t n = recv(pair->sock, &head, sizeof(head), MSG_DONTWAIT);

        if (n < 0 && errno == EAGAIN)
            return;
        assert_int_equal(n, sizeof(head));
        pair->alone += head.type == SOFT_TCP_ACK;
        pair->taken = head.taken;
        if (head.type == SOFT_TCP_MESSAGE)
            assert_int_equal(recv(pair->sock, &byte, 1, MSG_WAITALL), 1);
    }
}

/* The background thread tells counts, too: after the beginning, and when it looks whether the other
 * side lives. */
static void counts_do_not_travel_alone_while_replies_do(void **state)
{
    unsigned int rounds = 0;
    struct pair pair;

    (void)state;
    pair_open(&pair);
    do {
        assert_true(rounds++ < ROUNDS);
        pair.alone = 0;
        for (unsigned int i = 0; i < 2 * DEPTH; i++)
            message(&pair, true);
        listen_to(&pair);
    } while (pair.alone > 0);
    assert_int_equal(pair.taken, pair.sent - 1); /* all but the last one, by its reply */
    pair_close(&pair);
}

/* Nobody answers, so the sender has to be told before it has no credit any more. */
static void counts_travel_alone_without_replies(void **state)
{
    struct pair pair;

    (void)state;
    pair_open(&pair);
    message(&pair, true);
    for (unsigned int i = 0; i < DEPTH / 2; i++) {
        message(&pair, false);
        listen_to(&pair);
        assert_true(pair.sent - pair.taken <= DEPTH / 4);
    }
    assert_true(pair.alone >= 1);
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_do_not_travel_alone_while_replies_do),
        cmocka_unit_test(counts_travel_alone_without_replies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of hosts as addresses: those that are there, those that are not, those that take long. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/link/link.h"

#define SECONDS 30

/* A slow name is asked for; it may be answered; its answer is taken away, the last call of all. */
static sem_t asked, may_answer, gone;

struct found {
    struct addrinfo info;
    struct sockaddr_in addr;
    bool slow;
};

/* In place of the C library's. */
int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                struct addrinfo **result)
{
    struct found *found;

    if ((hints->ai_flags & AI_NUMERICHOST) != 0 ? strcmp(host, "127.0.0.1") != 0
                                                : strcmp(host, "nowhere.test") == 0)
        return EAI_NONAME;
    found = calloc(1, sizeof(*found));
    if (found == NULL)
        return EAI_MEMORY;
    found->slow = strcmp(host, "slow.test") == 0;
    if (found->slow) {
        sem_post(&asked);
        sem_wait(&may_answer);
    }
    found->addr.sin_family = AF_INET;
    found->addr.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
    found->addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    found->info.ai_addr = (struct sockaddr *)&found->addr;
    found->info.ai_addrlen = sizeof(found->addr);
    *result = &found->info;
    return 0;
}

void freeaddrinfo(struct addrinfo *info)
{
    struct found *found = (struct found *)info;
    const bool slow = found->slow;

    free(found);
    if (slow)
        sem_post(&gone);
}

static struct soft_link_conf conf_of(uint32_t connect_timeout)
{
    return (struct soft_link_conf){.max_msg = 100,
                                   .depth = 4,
                                   .connect_timeout = connect_timeout,
                                   .backlog = 1,
                                   .answer_timeout = 1000 * SECONDS};
}

static struct soft_link_listener *listen_somewhere(void)
{
    const struct soft_link_conf conf = conf_of(1000 * SECONDS);
    struct soft_link_listener *listener;

    assert_int_equal(soft_link_listen("tcp:127.0.0.1:0", &conf, &listener), 0);
    return listener;
}

static struct soft_link *call(const char *host, const struct soft_link_listener *listener,
                              uint32_t connect_timeout)
{
    const struct soft_link_conf conf = conf_of(connect_timeout);
    const char *port = listener != NULL ? strrchr(soft_link_listener_addr(listener), ':') : ":1";
    struct soft_link *link;
    char addr[64];

    snprintf(addr, sizeof(addr), "tcp:%s%s", host, port);
    assert_int_equal(soft_link_connect(addr, &conf, NULL, 0, &link), 0);
    return link;
}

/* Ends both. */
static void expect_meeting(struct soft_link_listener *listener, struct soft_link *link)
{
    struct patience patience = patience_of(SECONDS);
    struct soft_link *other;
    int reason;

    while ((other = soft_link_next(listener)) == NULL) {
        assert_true(patience_lasts(&patience));
        sched_yield();
    }
    assert_int_equal(soft_link_accept(other, NULL, 0), 0);
    while (soft_link_poll(link, &reason) == SOFT_LINK_CONNECTING) {
        assert_true(patience_lasts(&patience));
        sched_yield();
    }
    assert_int_equal(soft_link_poll(link, &reason), SOFT_LINK_UP);
    soft_link_close(link);
    soft_link_close(other);
    soft_link_unlisten(listener);
}

static void expect_refusal(struct soft_link *link)
{
    struct patience patience = patience_of(SECONDS);
    int reason = 0;

    while (soft_link_poll(link, &reason) == SOFT_LINK_CONNECTING) {
        assert_true(patience_lasts(&patience));
        sched_yield();
    }
    assert_int_equal(soft_link_poll(link, &reason), SOFT_LINK_DOWN);
    assert_int_equal(reason, -ECONNREFUSED);
    soft_link_close(link);
}

static void a_name_is_found(void **state)
{
    struct soft_link_listener *listener = listen_somewhere();

    (void)state;
    expect_meeting(listener, call("here.test", listener, 1000 * SECONDS));
}

/* Although there is time left: nothing changes that. */
static void a_name_that_is_none_is_refused_at_once(void **state)
{
    (void)state;
    expect_refusal(call("nowhere.test", NULL, 1000000000));
}

static void a_slow_name_is_waited_for(void **state)
{
    struct soft_link_listener *listener = listen_somewhere();
    struct soft_link *link = call("slow.test", listener, 1000 * SECONDS);
    int reason;

    (void)state;
    sem_wait(&asked);
    assert_int_equal(soft_link_poll(link, &reason), SOFT_LINK_CONNECTING);
    sem_post(&may_answer);
    expect_meeting(listener, link);
    sem_wait(&gone);
}

static void a_slow_name_is_not_waited_for_longer_than_allowed(void **state)
{
    (void)state;
    expect_refusal(call("slow.test", NULL, 20));
    sem_wait(&asked);
    sem_post(&may_answer);
    sem_wait(&gone);
}

static void a_link_may_end_while_its_name_is_sought(void **state)
{
    struct soft_link *link = call("slow.test", NULL, 1000 * SECONDS);

    (void)state;
    sem_wait(&asked);
    soft_link_close(link);
    sem_post(&may_answer);
    sem_wait(&gone);
    /* Others are not disturbed by the late answer. */
    a_name_is_found(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_found),
        cmocka_unit_test(a_name_that_is_none_is_refused_at_once),
        cmocka_unit_test(a_slow_name_is_waited_for),
        cmocka_unit_test(a_slow_name_is_not_waited_for_longer_than_allowed),
        cmocka_unit_test(a_link_may_end_while_its_name_is_sought),
    };

    sem_init(&asked, 0, 0);
    sem_init(&may_answer, 0, 0);
    sem_init(&gone, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

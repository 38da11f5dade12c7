/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>

#include "conformance/link/rig.h"

/* An owner that sleeps on its waker misses nothing. Each sleep lasts long enough to fail the case
 * if a wake-up is lost. */

static struct rig rig;
static struct od_waker client_waker, server_waker;

static int setup(void **state)
{
    (void)state;
    rig_init(&rig);
    assert_int_equal(od_waker_open(&client_waker), 0);
    assert_int_equal(od_waker_open(&server_waker), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_close(&rig);
    od_waker_close(&client_waker);
    od_waker_close(&server_waker);
    return 0;
}

static void open_link(void)
{
    rig.conf.waker = &server_waker;
    rig_listen(&rig);
    rig.conf.waker = &client_waker;
    rig.client = rig_connect(&rig);
    rig.server = rig_next(&rig);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
    rig_wait(rig.client, SOFT_LINK_UP);
}

/* Sleeps once, unless `ready` says that there is something. False: nobody woke us. */
static bool sleep_once(struct od_waker *waker, bool (*ready)(void *), void *arg)
{
    struct pollfd pfd = {.fd = waker->fd, .events = POLLIN};
    int n = 1;

    od_waker_arm(waker);
    if (!ready(arg))
        n = poll(&pfd, 1, RIG_SECONDS * 1000);
    od_waker_clear(waker);
    return n == 1;
}

static bool link_ready(void *link)
{
    return soft_link_pending(link);
}

static bool listener_ready(void *listener)
{
    return soft_link_listener_pending(listener);
}

/* Without polling in between. */
static void sleep_until(struct od_waker *waker, bool (*ready)(void *), void *arg)
{
    time_t deadline = rig_deadline();

    while (!ready(arg)) {
        assert_true(sleep_once(waker, ready, arg));
        assert_true(whole_seconds_now() < deadline);
    }
}

static void connecting_wakes_both(void **state)
{
    (void)state;
    rig.conf.waker = &client_waker;
    rig.client = rig_connect(&rig);
    rig.conf.waker = &server_waker;
    rig_listen(&rig);
    sleep_until(&server_waker, listener_ready, rig.listener);
    rig.server = soft_link_next(rig.listener);
    assert_non_null(rig.server);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
    sleep_until(&client_waker, link_ready, rig.client);
    assert_int_equal(soft_link_poll(rig.client, NULL), SOFT_LINK_UP);
    assert_false(soft_link_pending(rig.client));
    assert_int_equal(soft_link_poll(rig.server, NULL), SOFT_LINK_UP);
    assert_false(soft_link_pending(rig.server));
}

static void a_failed_connect_wakes(void **state)
{
    int reason;

    (void)state;
    rig.conf.waker = &client_waker;
    rig.conf.connect_timeout = 50;
    rig.client = rig_connect(&rig);
    sleep_until(&client_waker, link_ready, rig.client);
    assert_int_equal(soft_link_poll(rig.client, &reason), SOFT_LINK_DOWN);
    assert_int_equal(reason, -ECONNREFUSED);
}

static void an_end_wakes(void **state)
{
    (void)state;
    open_link();
    soft_link_shutdown(rig.client);
    sleep_until(&server_waker, link_ready, rig.server);
    assert_int_equal(rig_recv_end(rig.server), -ESHUTDOWN);
    /* And that it was taken wakes the one that waits for its own end. */
    sleep_until(&client_waker, link_ready, rig.client);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), 0);
    assert_false(soft_link_pending(rig.client));
}

static void a_cut_wakes(void **state)
{
    int reason;

    (void)state;
    open_link();
    assert_int_equal(soft_link_poll(rig.server, NULL), SOFT_LINK_UP);
    soft_link_close(rig.client);
    rig.client = NULL;
    sleep_until(&server_waker, link_ready, rig.server);
    assert_int_equal(soft_link_poll(rig.server, &reason), SOFT_LINK_DOWN);
    assert_int_equal(reason, -ECONNRESET);
    assert_false(soft_link_pending(rig.server));
}

/* ---- Against a thread that sends and takes ---- */

#define ROUNDS 3000u

struct other {
    struct soft_link *link;
    unsigned int rounds;
    bool takes; /* waits for messages before it sends one */
    const char *wrong;
};

/* Pauses of all lengths around that of falling asleep. */
static void pause_a_little(unsigned int round)
{
    for (volatile unsigned int i = 0; i < round * 37 % 5000; i++)
        ;
}

static void *other_main(void *arg)
{
    struct other *other = arg;
    struct soft_link_msg msg;

    for (unsigned int i = 0; i < other->rounds && other->wrong == NULL; i++) {
        struct iovec iov = {.iov_base = &i, .iov_len = sizeof(i)};
        time_t deadline = rig_deadline();
        int rc = other->takes ? -EAGAIN : 0;

        while (rc == -EAGAIN && whole_seconds_now() < deadline)
            rc = soft_link_recv(other->link, &msg);
        pause_a_little(i);
        if (other->takes && rc == 0)
            soft_link_release(other->link);
        else if (!other->takes)
            while ((rc = soft_link_send(other->link, &iov, 1)) == -EAGAIN &&
                   whole_seconds_now() < deadline)
                sched_yield();
        if (rc != 0)
            other->wrong = "the link is broken, or it takes too long";
    }
    return NULL;
}

static void a_sleeper_misses_no_message(void **state)
{
    struct other other = {.rounds = ROUNDS};
    pthread_t thread;

    (void)state;
    open_link();
    other.link = rig.client;
    assert_int_equal(pthread_create(&thread, NULL, other_main, &other), 0);
    for (unsigned int i = 0; i < ROUNDS; i++) {
        sleep_until(&server_waker, link_ready, rig.server);
        if (soft_link_poll(rig.server, NULL) == SOFT_LINK_UP)
            rig_expect(rig.server, &i, sizeof(i));
    }
    pthread_join(thread, NULL);
    assert_null(other.wrong);
}

/* On the link's descriptor too, if there is one. */
static void wait_for(struct soft_link *link, struct od_waker *waker)
{
    struct pollfd pfd[2] = {{.fd = waker->fd, .events = POLLIN}};

    od_waker_arm(waker);
    if (!soft_link_pending(link)) {
        pfd[1].fd = soft_link_fd(link, false, &pfd[1].events);
        assert_true(poll(pfd, pfd[1].fd >= 0 ? 2 : 1, RIG_SECONDS * 1000) > 0);
    }
    od_waker_clear(waker);
}

static void an_owner_may_wait_itself(void **state)
{
    struct other other = {.rounds = ROUNDS / 10};
    struct soft_link_msg msg;
    pthread_t thread;
    int rc;

    (void)state;
    rig.conf.waits_itself = true;
    open_link();
    other.link = rig.client;
    assert_int_equal(pthread_create(&thread, NULL, other_main, &other), 0);
    for (unsigned int i = 0; i < other.rounds; i++) {
        while ((rc = soft_link_recv(rig.server, &msg)) == -EAGAIN)
            wait_for(rig.server, &server_waker);
        assert_int_equal(rc, 0);
        assert_memory_equal(msg.data, &i, sizeof(i));
        soft_link_release(rig.server);
    }
    pthread_join(thread, NULL);
    assert_null(other.wrong);
    soft_link_shutdown(rig.client);
    while ((rc = soft_link_recv(rig.server, &msg)) == -EAGAIN)
        wait_for(rig.server, &server_waker);
    assert_int_equal(rc, -ESHUTDOWN);
}

/* What came meanwhile says that the peer lives, though the owner has not read it. */
static void an_owner_that_does_not_look_for_long_loses_nothing(void **state)
{
    struct soft_link_msg msg;

    (void)state;
    if (strcmp(rig_transport, "tcp") != 0)
        skip(); /* nobody else watches whether the peer is silent */
    rig.conf.waits_itself = true;
    open_link();
    rig_send(rig.client, "x", 1);
    poll(NULL, 0, 5500); /* longer than a silent peer is waited for */
    assert_int_equal(rig_recv(rig.server, &msg), 0);
    soft_link_release(rig.server);
    rig_send(rig.server, "y", 1);
    rig_expect(rig.client, "y", 1);
}

/* Transports that know tell of the bytes of a message before it can be received. */
static void bytes_that_come_are_counted(void **state)
{
    static const char bytes[1000];
    unsigned long before;

    (void)state;
    open_link();
    before = soft_link_received(rig.server);
    rig_send(rig.client, bytes, sizeof(bytes));
    rig_expect(rig.server, bytes, sizeof(bytes));
    if (rig_is("tcp"))
        assert_true(soft_link_received(rig.server) - before >= sizeof(bytes));
    else
        assert_int_equal(soft_link_received(rig.server), 0);
}

static bool all_are_taken(void *seq)
{
    return soft_link_await(rig.client, *(uint64_t *)seq);
}

static void a_sleeper_learns_that_its_messages_were_taken(void **state)
{
    struct other other = {.rounds = ROUNDS, .takes = true};
    pthread_t thread;

    (void)state;
    open_link();
    other.link = rig.server;
    assert_int_equal(pthread_create(&thread, NULL, other_main, &other), 0);
    for (uint64_t seq = 1; seq <= ROUNDS; seq++) {
        rig_send(rig.client, &seq, sizeof(seq));
        sleep_until(&client_waker, all_are_taken, &seq);
        assert_int_equal(soft_link_taken(rig.client), seq);
    }
    pthread_join(thread, NULL);
    assert_null(other.wrong);
}

static void room_wakes_a_sender(void **state)
{
    struct other other = {.rounds = 1, .takes = true};
    pthread_t thread;
    uint64_t seq = 1;

    (void)state;
    open_link();
    for (unsigned int i = 0; i < 8; i++)
        rig_send(rig.client, &i, sizeof(i));
    assert_int_equal(rig_try_send(rig.client, "x", 1), -EAGAIN);
    other.link = rig.server;
    assert_int_equal(pthread_create(&thread, NULL, other_main, &other), 0);
    sleep_until(&client_waker, all_are_taken, &seq);
    rig_send(rig.client, "x", 1);
    pthread_join(thread, NULL);
    assert_null(other.wrong);
}

static void awake_owners_are_left_alone(void **state)
{
    struct pollfd pfd = {.fd = server_waker.fd, .events = POLLIN};
    time_t deadline = rig_deadline();

    (void)state;
    open_link();
    rig_send(rig.client, "x", 1);
    while (soft_link_arrived(rig.client) < 1)
        rig_tick(deadline);
    rig_expect(rig.server, "x", 1);
    assert_int_equal(poll(&pfd, 1, 0), 0);
}

int main(int argc, char **argv)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(connecting_wakes_both),
        CASE(a_failed_connect_wakes),
        CASE(an_end_wakes),
        CASE(a_cut_wakes),
        CASE(a_sleeper_misses_no_message),
        CASE(an_owner_may_wait_itself),
        CASE(an_owner_that_does_not_look_for_long_loses_nothing),
        CASE(bytes_that_come_are_counted),
        CASE(a_sleeper_learns_that_its_messages_were_taken),
        CASE(room_wakes_a_sender),
        CASE(awake_owners_are_left_alone),
    };

    rig_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

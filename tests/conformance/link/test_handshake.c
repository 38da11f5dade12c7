/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>

#include "conformance/link/rig.h"

static struct rig rig;

static int setup(void **state)
{
    (void)state;
    rig_init(&rig);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

static void an_address_has_one_listener(void **state)
{
    struct soft_link_listener *second;

    (void)state;
    rig_listen(&rig);
    assert_int_equal(soft_link_listen(rig.addr, &rig.conf, &second), -EADDRINUSE);
    soft_link_unlisten(rig.listener);
    rig_listen(&rig);
}

static void an_address_that_is_none_is_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "local",
                                      "local:",
                                      "nothing:x",
                                      "ucx:127.0.0.1",
                                      "tcp:127.0.0.1",
                                      "tcp:127.0.0.1:x",
                                      "tcp:[::1:7",
                                      ":",
                                      "x"};
    char long_addr[SOFT_LINK_ADDR_MAX + 10];
    struct soft_link *link;

    (void)state;
    memset(long_addr, 'x', sizeof(long_addr));
    memcpy(long_addr, "local:", 6);
    long_addr[sizeof(long_addr) - 1] = '\0';
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++) {
        int rc = soft_link_listen(bad[i], &rig.conf, &rig.listener);

        assert_true(rc == -EINVAL || (rc == -ENOTSUP && strncmp(bad[i], "ucx", 3) == 0));
        rc = soft_link_connect(bad[i], &rig.conf, NULL, 0, &link);
        assert_true(rc == -EINVAL || (rc == -ENOTSUP && strncmp(bad[i], "ucx", 3) == 0));
        assert_true(soft_reason()[0] != '\0');
    }
    assert_int_equal(soft_link_listen(long_addr, &rig.conf, &rig.listener), -EINVAL);
}

static void limits_are_checked(void **state)
{
    struct soft_link_conf conf = rig.conf;
    static char greeting[SOFT_LINK_HELLO_MAX + 1];
    struct soft_link *link;

    (void)state;
    conf.max_msg = 0;
    assert_int_equal(soft_link_connect(rig.addr, &conf, NULL, 0, &link), -EINVAL);
    conf.max_msg = SOFT_LINK_MSG_MAX + 1;
    assert_int_equal(soft_link_connect(rig.addr, &conf, NULL, 0, &link), -EINVAL);
    conf.max_msg = SOFT_LINK_MSG_MAX;
    conf.depth = SOFT_LINK_DEPTH_MAX;
    assert_int_equal(soft_link_connect(rig.addr, &conf, NULL, 0, &link), -EINVAL);
    conf.max_msg = 1;
    conf.depth = 0;
    assert_int_equal(soft_link_connect(rig.addr, &conf, NULL, 0, &link), -EINVAL);
    assert_int_equal(soft_link_connect(rig.addr, &rig.conf, greeting, sizeof(greeting), &link),
                     -EMSGSIZE);
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    rig.server = rig_next(&rig);
    assert_int_equal(soft_link_accept(rig.server, greeting, sizeof(greeting)), -EMSGSIZE);
}

static void greetings_and_answers_may_be_as_long_as_said(void **state)
{
    static char hello[SOFT_LINK_HELLO_MAX], answer[SOFT_LINK_HELLO_MAX];
    size_t len;

    (void)state;
    memset(hello, 'h', sizeof(hello));
    memset(answer, 'a', sizeof(answer));
    rig_listen(&rig);
    assert_int_equal(soft_link_connect(rig.addr, &rig.conf, hello, sizeof(hello), &rig.client), 0);
    rig.server = rig_next(&rig);
    assert_memory_equal(soft_link_hello(rig.server, &len), hello, sizeof(hello));
    assert_int_equal(len, sizeof(hello));
    assert_int_equal(soft_link_accept(rig.server, answer, sizeof(answer)), 0);
    rig_wait(rig.client, SOFT_LINK_UP);
    assert_memory_equal(soft_link_answer(rig.client, &len), answer, sizeof(answer));
    assert_int_equal(len, sizeof(answer));
}

static void a_client_may_come_first(void **state)
{
    (void)state;
    rig.client = rig_connect(&rig);
    assert_int_equal(soft_link_poll(rig.client, NULL), SOFT_LINK_CONNECTING);
    assert_int_equal(rig_try_send(rig.client, "x", 1), -EAGAIN);
    assert_int_equal(rig_try_send(rig.client, "x", 1), -EAGAIN);
    rig_listen(&rig);
    rig.server = rig_next(&rig);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
    rig_wait(rig.client, SOFT_LINK_UP);
}

static void nobody_there_is_refused(void **state)
{
    (void)state;
    rig.conf.connect_timeout = 0;
    rig.client = rig_connect(&rig);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -ECONNREFUSED);
    assert_int_equal(rig_try_send(rig.client, "x", 1), -EPIPE);
    assert_int_equal(rig_recv_end(rig.client), -ECONNRESET);
}

static void nobody_there_for_long_is_refused(void **state)
{
    (void)state;
    rig.conf.connect_timeout = 200;
    rig.client = rig_connect(&rig);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -ECONNREFUSED);
}

static void a_refusal_carries_an_answer(void **state)
{
    size_t len;

    (void)state;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    soft_link_refuse(rig_next(&rig), "full", 4);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -EACCES);
    assert_memory_equal(soft_link_answer(rig.client, &len), "full", 4);
    assert_int_equal(len, 4);
}

static void a_close_instead_of_an_answer_refuses(void **state)
{
    size_t len;

    (void)state;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    soft_link_close(rig_next(&rig));
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -EACCES);
    soft_link_answer(rig.client, &len);
    assert_int_equal(len, 0);
}

/* NULL: it was over for the client before we could look. */
static struct soft_link *next_in_time(void)
{
    time_t deadline = rig_deadline();
    struct soft_link *link;

    while ((link = soft_link_next(rig.listener)) == NULL &&
           soft_link_poll(rig.client, NULL) == SOFT_LINK_CONNECTING)
        rig_tick(deadline);
    return link;
}

static void no_answer_in_time_is_told_to_both(void **state)
{
    (void)state;
    rig.conf.answer_timeout = 50;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    rig.server = next_in_time();
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -ETIMEDOUT);
    if (rig.server == NULL)
        return;
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), -ETIMEDOUT);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), -ETIMEDOUT);
}

/* Longer than without a word about it. */
static void one_attempt_waits_for_its_answer_as_long_as_it_was_told(void **state)
{
    (void)state;
    rig.conf.connect_timeout = 0;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    rig.server = rig_next(&rig);
    poll(NULL, 0, 5500);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
    rig_wait(rig.client, SOFT_LINK_UP);
}

static void a_client_gives_up_in_time(void **state)
{
    (void)state;
    rig_listen(&rig);
    rig.conf.connect_timeout = 1500;
    rig.client = rig_connect(&rig);
    rig.server = next_in_time();
    if (rig.server == NULL) {
        int reason = rig_wait(rig.client, SOFT_LINK_DOWN);

        assert_true(reason == -ETIMEDOUT || reason == -ECONNREFUSED);
        return;
    }
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -ETIMEDOUT);
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), -ECONNRESET);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), -ECONNRESET);
}

static void a_client_that_leaves_before_the_answer_is_seen(void **state)
{
    (void)state;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    rig.server = rig_next(&rig);
    soft_link_close(rig.client);
    rig.client = NULL;
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), -ECONNRESET);
}

static void a_client_that_shuts_down_while_it_connects_is_down(void **state)
{
    (void)state;
    rig.client = rig_connect(&rig);
    soft_link_shutdown(rig.client);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), 0);
}

static void more_than_the_backlog_wait_for_their_turn(void **state)
{
    struct soft_link *clients[6], *server;
    unsigned int up = 0;
    time_t deadline = rig_deadline();

    (void)state;
    rig.conf.backlog = 2;
    rig_listen(&rig);
    for (unsigned int i = 0; i < 6; i++)
        clients[i] = rig_connect(&rig);
    while (up < 6) {
        server = soft_link_next(rig.listener);
        if (server == NULL) {
            rig_tick(deadline);
            continue;
        }
        assert_int_equal(soft_link_accept(server, NULL, 0), 0);
        soft_link_shutdown(server);
        soft_link_close(server);
        up++;
    }
    for (unsigned int i = 0; i < 6; i++) {
        assert_int_equal(rig_recv_end(clients[i]), -ESHUTDOWN);
        soft_link_close(clients[i]);
    }
}

static void another_listener_takes_over(void **state)
{
    (void)state;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    while (!soft_link_listener_pending(rig.listener))
        sched_yield();
    soft_link_unlisten(rig.listener);
    rig_listen(&rig);
    rig.server = rig_next(&rig);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
    rig_wait(rig.client, SOFT_LINK_UP);
}

static char greetings[] = "greetings";

static int admit_friends(void *arg, const void *hello, size_t len, void *answer, size_t *answer_len)
{
    memcpy(answer, arg, strlen(arg));
    *answer_len = strlen(arg);
    return len == 5 && memcmp(hello, "hello", 5) == 0 ? 0 : -1;
}

static void admission_needs_no_owner(void **state)
{
    size_t len;

    (void)state;
    rig.conf.admit = admit_friends;
    rig.conf.admit_arg = greetings;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    rig_wait(rig.client, SOFT_LINK_UP);
    assert_memory_equal(soft_link_answer(rig.client, &len), "greetings", 9);
    rig_send(rig.client, "early", 5);
    rig.server = rig_next(&rig);
    assert_int_equal(soft_link_poll(rig.server, NULL), SOFT_LINK_UP);
    rig_expect(rig.server, "early", 5);
}

static void admission_may_refuse(void **state)
{
    size_t len;

    (void)state;
    rig.conf.admit = admit_friends;
    rig.conf.admit_arg = greetings;
    rig_listen(&rig);
    assert_int_equal(soft_link_connect(rig.addr, &rig.conf, "foe", 3, &rig.client), 0);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -EACCES);
    assert_memory_equal(soft_link_answer(rig.client, &len), "greetings", 9);
    assert_null(soft_link_next(rig.listener));
}

static void who_was_admitted_before_the_end_is_handed_out(void **state)
{
    struct soft_link *late;

    (void)state;
    if (!rig_is("local"))
        skip();
    rig.conf.admit = admit_friends;
    rig.conf.admit_arg = greetings;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    rig_wait(rig.client, SOFT_LINK_UP);
    rig_send(rig.client, "early", 5);
    soft_link_admit_no_more(rig.listener);
    late = rig_connect(&rig);
    rig.server = rig_next(&rig);
    rig_expect(rig.server, "early", 5);
    assert_null(soft_link_next(rig.listener));
    assert_int_equal(soft_link_poll(late, NULL), SOFT_LINK_CONNECTING);
    /* The links outlive the listener. */
    soft_link_unlisten(rig.listener);
    rig.listener = NULL;
    assert_int_equal(soft_link_poll(rig.client, NULL), SOFT_LINK_UP);
    soft_link_close(late);
}

static void an_admitted_client_that_left_is_still_handed_out(void **state)
{
    (void)state;
    rig.conf.admit = admit_friends;
    rig.conf.admit_arg = greetings;
    rig_listen(&rig);
    rig.client = rig_connect(&rig);
    rig_wait(rig.client, SOFT_LINK_UP);
    rig_send(rig.client, "bye", 3);
    while (soft_link_arrived(rig.client) < 1)
        sched_yield();
    soft_link_shutdown(rig.client);
    soft_link_close(rig.client);
    rig.client = NULL;
    rig.server = rig_next(&rig);
    rig_expect(rig.server, "bye", 3);
    assert_int_equal(rig_recv_end(rig.server), -ESHUTDOWN);
}

static void each_side_knows_the_other(void **state)
{
    struct soft_link_peer client, server;

    (void)state;
    rig_open(&rig);
    soft_link_peer_info(rig.client, &server);
    soft_link_peer_info(rig.server, &client);
    assert_true(strlen(client.addr) > 0 && strlen(server.addr) > 0);
    if (rig_is_network()) {
        assert_int_equal(client.uid, (uid_t)-1);
        return;
    }
    assert_true(client.same_machine && server.same_machine);
    assert_int_equal(client.pid, getpid());
    assert_int_equal(server.pid, getpid());
    assert_int_equal(client.uid, geteuid());
    assert_int_equal(server.gid, getegid());
}

int main(int argc, char **argv)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(an_address_has_one_listener),
        CASE(an_address_that_is_none_is_refused),
        CASE(limits_are_checked),
        CASE(greetings_and_answers_may_be_as_long_as_said),
        CASE(a_client_may_come_first),
        CASE(nobody_there_is_refused),
        CASE(nobody_there_for_long_is_refused),
        CASE(a_refusal_carries_an_answer),
        CASE(a_close_instead_of_an_answer_refuses),
        CASE(no_answer_in_time_is_told_to_both),
        CASE(one_attempt_waits_for_its_answer_as_long_as_it_was_told),
        CASE(a_client_gives_up_in_time),
        CASE(a_client_that_leaves_before_the_answer_is_seen),
        CASE(a_client_that_shuts_down_while_it_connects_is_down),
        CASE(more_than_the_backlog_wait_for_their_turn),
        CASE(another_listener_takes_over),
        CASE(admission_needs_no_owner),
        CASE(admission_may_refuse),
        CASE(who_was_admitted_before_the_end_is_handed_out),
        CASE(an_admitted_client_that_left_is_still_handed_out),
        CASE(each_side_knows_the_other),
    };

    rig_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

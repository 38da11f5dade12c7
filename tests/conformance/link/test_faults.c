/* SPDX-License-Identifier: BSD-3-Clause */
#include "conformance/link/rig.h"

/* Faults on purpose: each link reads the list when it comes into being. */

static struct rig rig;

static void set_faults(const char *list)
{
    if (list == NULL)
        unsetenv("OPENDOCA_LINK_FAULTS");
    else
        setenv("OPENDOCA_LINK_FAULTS", list, 1);
}

static int setup(void **state)
{
    (void)state;
    set_faults(NULL);
    rig_init(&rig);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    set_faults(NULL);
    rig_close(&rig);
    return 0;
}

/* With faults on the client's side, or on the server's. */
static void open_with(const char *client, const char *server)
{
    rig_listen(&rig);
    set_faults(client);
    rig.client = rig_connect(&rig);
    set_faults(server);
    rig.server = rig_next(&rig);
    set_faults(NULL);
    assert_int_equal(soft_link_accept(rig.server, "welcome", 7), 0);
    rig_wait(rig.client, SOFT_LINK_UP);
    rig_wait(rig.server, SOFT_LINK_UP);
}

static double seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void the_second_is_late_and_holds_up_the_third(void **state)
{
    double begin;

    (void)state;
    open_with(NULL, "delay=2:300ms");
    begin = seconds();
    rig_send(rig.client, "one", 3);
    rig_send(rig.client, "two", 3);
    rig_send(rig.client, "three", 5);
    rig_expect(rig.server, "one", 3);
    rig_expect(rig.server, "two", 3);
    assert_true(seconds() - begin >= 0.3);
    rig_expect(rig.server, "three", 5);
}

static void a_late_message_wakes_a_sleeper(void **state)
{
    struct od_waker waker;
    struct pollfd pfd = {.events = POLLIN};
    time_t deadline = rig_deadline();

    (void)state;
    assert_int_equal(od_waker_open(&waker), 0);
    rig.conf.waker = &waker;
    open_with(NULL, "delay=1:100ms");
    pfd.fd = waker.fd;
    rig_send(rig.client, "late", 4);
    for (;;) {
        od_waker_arm(&waker);
        if (soft_link_pending(rig.server)) {
            od_waker_clear(&waker);
            if (soft_link_poll(rig.server, NULL) == SOFT_LINK_UP)
                break;
        }
        assert_int_equal(poll(&pfd, 1, RIG_SECONDS * 1000), 1);
        od_waker_clear(&waker);
        assert_true(whole_seconds_now() < deadline);
    }
    rig_expect(rig.server, "late", 4);
    rig_close(&rig);
    od_waker_close(&waker);
}

static void a_late_message_outlives_its_sender(void **state)
{
    time_t deadline = rig_deadline();

    (void)state;
    open_with(NULL, "delay=1+:3600s");
    rig_send(rig.client, "testament", 9);
    while (soft_link_arrived(rig.client) < 1)
        rig_tick(deadline);
    assert_false(soft_link_pending(rig.server));
    soft_link_close(rig.client);
    rig.client = NULL;
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), -ECONNRESET);
    rig_expect(rig.server, "testament", 9);
    assert_int_equal(rig_recv_end(rig.server), -ECONNRESET);
}

static void a_send_may_find_no_room(void **state)
{
    (void)state;
    open_with("again=2-3", NULL);
    assert_int_equal(rig_try_send(rig.client, "a", 1), 0);
    assert_int_equal(rig_try_send(rig.client, "b", 1), -EAGAIN);
    /* Who sleeps until there is room is told that there is. */
    assert_true(soft_link_await(rig.client, 1));
    assert_int_equal(rig_try_send(rig.client, "b", 1), -EAGAIN);
    assert_int_equal(rig_try_send(rig.client, "b", 1), 0);
    rig_expect(rig.server, "a", 1);
    rig_expect(rig.server, "b", 1);
}

static void expect_end(unsigned int received)
{
    int reason = 0;

    assert_int_equal(soft_link_poll(rig.client, &reason), SOFT_LINK_DOWN);
    assert_int_equal(reason, -ECONNRESET);
    assert_int_equal(rig_try_send(rig.client, "x", 1), -EPIPE);
    assert_int_equal(rig_recv_end(rig.client), -ECONNRESET);
    for (unsigned int i = 0; i < received; i++) {
        struct soft_link_msg msg;
        int rc = rig_recv(rig.server, &msg);

        /* What was on its way may be lost. */
        if (rc == -ECONNRESET)
            break;
        assert_int_equal(rc, 0);
        assert_int_equal(*(const char *)msg.data, 'a' + (char)i);
        soft_link_release(rig.server);
    }
    assert_int_equal(rig_recv_end(rig.server), -ECONNRESET);
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), -ECONNRESET);
}

static void the_third_send_cuts_the_link(void **state)
{
    (void)state;
    open_with("cut=3", NULL);
    assert_int_equal(rig_try_send(rig.client, "a", 1), 0);
    assert_int_equal(rig_try_send(rig.client, "b", 1), 0);
    assert_int_equal(rig_try_send(rig.client, "c", 1), -EPIPE);
    expect_end(2);
}

static void a_lost_message_is_the_end(void **state)
{
    (void)state;
    open_with("drop=2", NULL);
    assert_int_equal(rig_try_send(rig.client, "a", 1), 0);
    assert_int_equal(rig_try_send(rig.client, "b", 1), 0);
    expect_end(1);
}

/* What the owner holds stays valid, whatever happens to the link. */
static void a_cut_takes_nothing_out_of_hands(void **state)
{
    struct soft_link_msg msg;

    (void)state;
    open_with("cut=1", NULL);
    rig_send(rig.server, "held", 4);
    assert_int_equal(rig_recv(rig.client, &msg), 0);
    assert_int_equal(rig_try_send(rig.client, "x", 1), -EPIPE);
    assert_memory_equal(msg.data, "held", 4);
    soft_link_release(rig.client);
    assert_int_equal(rig_recv_end(rig.client), -ECONNRESET);
}

static void a_connect_may_find_nobody(void **state)
{
    (void)state;
    rig_listen(&rig);
    set_faults("refuse=1+");
    rig.client = rig_connect(&rig);
    assert_true(soft_link_pending(rig.client));
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -ECONNREFUSED);
    assert_int_equal(rig_try_send(rig.client, "x", 1), -EPIPE);
    assert_false(soft_link_pending(rig.client));
}

static void a_list_must_make_sense(void **state)
{
    static const char *const wrong[] = {"delay=1", "cut",     "cut=0",     "cut=1:2",
                                        "lose=1",  "drop=1,", "delay=1:1", "seed=0"};

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(wrong); i++) {
        set_faults(wrong[i]);
        assert_int_equal(soft_link_listen(rig.addr, &rig.conf, &rig.listener), -EINVAL);
        assert_int_equal(soft_link_connect(rig.addr, &rig.conf, NULL, 0, &rig.client), -EINVAL);
        assert_non_null(strstr(soft_reason(), "fault list of links"));
    }
}

/* Random faults of all kinds on both sides: order and bytes hold until the link ends. */
static void order_holds_until_the_end(void **state)
{
    unsigned int sent = 0, received = 0;
    time_t deadline = rig_deadline();
    int rc = 0;

    (void)state;
    open_with("again=20%,cut=200,seed=3", "delay=5%:1ms");
    while (rc == 0 || rc == -EAGAIN) {
        struct soft_link_msg msg;

        rc = rig_try_send(rig.client, &sent, sizeof(sent));
        sent += rc == 0;
        if (soft_link_recv(rig.server, &msg) != 0) {
            rig_tick(deadline);
            continue;
        }
        assert_memory_equal(msg.data, &received, sizeof(received));
        soft_link_release(rig.server);
        received++;
    }
    assert_int_equal(rc, -EPIPE);
    assert_int_equal(sent, 199);
    assert_true(received > 0);
}

int main(int argc, char **argv)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(the_second_is_late_and_holds_up_the_third),
        CASE(a_late_message_wakes_a_sleeper),
        CASE(a_late_message_outlives_its_sender),
        CASE(a_send_may_find_no_room),
        CASE(the_third_send_cuts_the_link),
        CASE(a_lost_message_is_the_end),
        CASE(a_cut_takes_nothing_out_of_hands),
        CASE(a_connect_may_find_nobody),
        CASE(a_list_must_make_sense),
        CASE(order_holds_until_the_end),
    };

    rig_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

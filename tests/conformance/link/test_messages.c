/* SPDX-License-Identifier: BSD-3-Clause */
#include "conformance/link/rig.h"

static struct rig rig;

static int setup(void **state)
{
    (void)state;
    rig =
        (struct rig){.addr = "local:messages",
                     .conf = {.max_msg = 4080, .depth = 8, .connect_timeout = 5000, .backlog = 4}};
    rig_open(&rig);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

static void hello_and_answer_reach_the_other_side(void **state)
{
    size_t len;

    (void)state;
    assert_memory_equal(soft_link_hello(rig.server, &len), "hello", 5);
    assert_int_equal(len, 5);
    assert_memory_equal(soft_link_answer(rig.client, &len), "welcome", 7);
    assert_int_equal(len, 7);
    assert_int_equal(soft_link_max_msg(rig.client), 4080);
}

static void messages_of_any_length_arrive_in_order(void **state)
{
    char bytes[4080];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7);
    for (size_t len = 0; len <= sizeof(bytes); len++) {
        assert_int_equal(rig_send(rig.client, bytes + sizeof(bytes) - len, len), 0);
        assert_int_equal(rig_send(rig.server, bytes, len), 0);
        rig_expect(rig.server, bytes + sizeof(bytes) - len, len);
        rig_expect(rig.client, bytes, len);
    }
    assert_int_equal(rig_send(rig.client, bytes, sizeof(bytes) + 1), -EMSGSIZE);
}

static void depth_bounds_what_is_in_flight(void **state)
{
    (void)state;
    for (unsigned int round = 0; round < 3; round++) {
        for (unsigned int i = 0; i < 8; i++)
            assert_int_equal(rig_send(rig.client, &i, sizeof(i)), 0);
        assert_int_equal(rig_send(rig.client, "x", 1), -EAGAIN);
        assert_int_equal(soft_link_taken(rig.client), round * 8);
        for (unsigned int i = 0; i < 8; i++) {
            rig_expect(rig.server, &i, sizeof(i));
            assert_int_equal(soft_link_taken(rig.client), round * 8 + i + 1);
        }
    }
}

static void shutdown_delivers_all_first(void **state)
{
    struct soft_link_msg msg;

    (void)state;
    for (unsigned int i = 0; i < 8; i++)
        assert_int_equal(rig_send(rig.client, &i, sizeof(i)), 0);
    soft_link_shutdown(rig.client);
    assert_int_equal(rig_send(rig.client, "x", 1), -EPIPE);
    assert_int_equal(soft_link_poll(rig.client, NULL), SOFT_LINK_CLOSING);
    assert_true(soft_link_peer_ended(rig.server));
    for (unsigned int i = 0; i < 8; i++)
        rig_expect(rig.server, &i, sizeof(i));
    assert_int_equal(rig_recv(rig.server, &msg), -ESHUTDOWN);
    assert_int_equal(rig_recv(rig.server, &msg), -ESHUTDOWN);
    assert_int_equal(rig_wait_state(rig.client, SOFT_LINK_DOWN), 0);
    assert_int_equal(soft_link_taken(rig.client), 8);
}

static void a_cut_link_says_reset_after_what_arrived(void **state)
{
    struct soft_link_msg msg;

    (void)state;
    assert_int_equal(rig_send(rig.client, "last", 4), 0);
    soft_link_close(rig.client);
    rig.client = NULL;
    assert_int_equal(rig_wait_state(rig.server, SOFT_LINK_DOWN), -ECONNRESET);
    rig_expect(rig.server, "last", 4);
    assert_int_equal(rig_recv(rig.server, &msg), -ECONNRESET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hello_and_answer_reach_the_other_side, setup, teardown),
        cmocka_unit_test_setup_teardown(messages_of_any_length_arrive_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(depth_bounds_what_is_in_flight, setup, teardown),
        cmocka_unit_test_setup_teardown(shutdown_delivers_all_first, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cut_link_says_reset_after_what_arrived, setup, teardown),
    };

    rig_folder();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "conformance/link/rig.h"

static struct rig rig;

static int setup(void **state)
{
    (void)state;
    rig = (struct rig){.addr = "local:handshake",
                       .conf = {.max_msg = 100, .depth = 8, .connect_timeout = 5000, .backlog = 4}};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

static void a_name_has_one_listener(void **state)
{
    struct soft_link_listener *second;

    (void)state;
    rig_listen(&rig);
    assert_int_equal(soft_link_listen(rig.addr, &rig.conf, &second), -EADDRINUSE);
    soft_link_unlisten(rig.listener);
    rig_listen(&rig);
}

static void a_client_may_come_first(void **state)
{
    (void)state;
    rig.client = rig_connect(&rig, rig.addr);
    assert_int_equal(soft_link_poll(rig.client, NULL), SOFT_LINK_CONNECTING);
    rig_listen(&rig);
    rig.server = rig_next(&rig);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
    rig_wait_state(rig.client, SOFT_LINK_UP);
}

static void nobody_there_is_refused(void **state)
{
    (void)state;
    rig.conf.connect_timeout = 0;
    rig.client = rig_connect(&rig, rig.addr);
    assert_int_equal(rig_wait_state(rig.client, SOFT_LINK_DOWN), -ECONNREFUSED);
}

static void a_refusal_carries_an_answer(void **state)
{
    size_t len;

    (void)state;
    rig_listen(&rig);
    rig.client = rig_connect(&rig, rig.addr);
    soft_link_refuse(rig_next(&rig), "full", 4);
    assert_int_equal(rig_wait_state(rig.client, SOFT_LINK_DOWN), -EACCES);
    assert_memory_equal(soft_link_answer(rig.client, &len), "full", 4);
    assert_int_equal(len, 4);
}

static void no_answer_in_time_is_told(void **state)
{
    (void)state;
    rig.conf.answer_timeout = 50;
    rig_listen(&rig);
    rig.client = rig_connect(&rig, rig.addr);
    rig.server = rig_next(&rig);
    assert_int_equal(rig_wait_state(rig.client, SOFT_LINK_DOWN), -ETIMEDOUT);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), -ETIMEDOUT);
}

static int admit(void *arg, const void *hello, size_t len, void *answer, size_t *answer_len)
{
    (void)arg;
    memcpy(answer, hello, len);
    *answer_len = len;
    return 0;
}

static void admission_needs_no_owner(void **state)
{
    size_t len;

    (void)state;
    rig.conf.admit = admit;
    rig_listen(&rig);
    rig.client = rig_connect(&rig, rig.addr);
    rig_wait_state(rig.client, SOFT_LINK_UP);
    assert_memory_equal(soft_link_answer(rig.client, &len), "hello", 5);
    assert_int_equal(rig_send(rig.client, "early", 5), 0);
    rig.server = rig_next(&rig);
    rig_expect(rig.server, "early", 5);
}

static void the_name_of_a_killed_process_is_free(void **state)
{
    int ready[2];
    pid_t pid;
    char c;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        rig_listen(&rig);
        _exit(write(ready[1], "x", 1) == 1 && pause() == 0);
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(soft_link_listen(rig.addr, &rig.conf, &rig.listener), -EADDRINUSE);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    rig_listen(&rig);
    close(ready[0]);
    close(ready[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_has_one_listener, setup, teardown),
        cmocka_unit_test_setup_teardown(a_client_may_come_first, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_there_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_refusal_carries_an_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(no_answer_in_time_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(admission_needs_no_owner, setup, teardown),
        cmocka_unit_test_setup_teardown(the_name_of_a_killed_process_is_free, setup, teardown),
    };

    rig_folder();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

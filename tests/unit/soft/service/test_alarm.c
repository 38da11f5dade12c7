/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft/service/alarm.h"

static struct od_waker waker;
static struct soft_alarm *alarm_one;

static int setup(void **state)
{
    (void)state;
    return od_waker_open(&waker) != 0 || soft_alarm_open(&waker, &alarm_one) != 0;
}

static int teardown(void **state)
{
    (void)state;
    soft_alarm_close(alarm_one);
    soft_alarm_close(NULL);
    od_waker_close(&waker);
    return 0;
}

static int sleep_for(int ms)
{
    struct pollfd fd = {.fd = waker.fd, .events = POLLIN};

    return poll(&fd, 1, ms);
}

static void it_wakes_who_sleeps(void **state)
{
    (void)state;
    for (unsigned int i = 0; i < 20; i++) {
        od_waker_arm(&waker);
        soft_alarm_set(alarm_one, i % 3);
        assert_int_equal(sleep_for(20000), 1);
        assert_int_equal(od_waker_clear(&waker), 0);
    }
}

static void the_last_time_that_was_set_counts(void **state)
{
    (void)state;
    od_waker_arm(&waker);
    soft_alarm_set(alarm_one, 1);
    soft_alarm_set(alarm_one, 3600 * 1000);
    od_waker_clear(&waker); /* should the first one have been fast */
    od_waker_arm(&waker);
    assert_int_equal(sleep_for(30), 0);
    soft_alarm_set(alarm_one, 1);
    assert_int_equal(sleep_for(20000), 1);
    od_waker_clear(&waker);
}

static void a_closed_one_wakes_nobody(void **state)
{
    struct soft_alarm *other;

    (void)state;
    assert_int_equal(soft_alarm_open(&waker, &other), 0);
    soft_alarm_set(other, 10);
    soft_alarm_close(other);
    od_waker_clear(&waker);
    od_waker_arm(&waker);
    assert_int_equal(sleep_for(50), 0);
    od_waker_clear(&waker);
}

static void it_does_nothing_in_a_child(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    soft_alarm_set(alarm_one, 3600 * 1000);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        soft_alarm_set(alarm_one, 1);
        soft_alarm_close(alarm_one);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_wakes_who_sleeps),
        cmocka_unit_test(the_last_time_that_was_set_counts),
        cmocka_unit_test(a_closed_one_wakes_nobody),
        cmocka_unit_test(it_does_nothing_in_a_child),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

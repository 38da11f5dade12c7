/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/soft/nic/port_rig.h"

#include <poll.h>

#include "lib/seconds.h"
#include "util/clock.h"

#define HOUR    3600000000000u
#define PERIOD  50000000u
#define WAIT_MS 60000

static struct {
    struct rig rig;
    struct od_waker waker;
} s;

/* The same port with a queue whose owner can sleep. */
static int open_all(void **state)
{
    const struct soft_nic_rxq_conf conf = {.depth = RIG_DEPTH, .waker = &s.waker};

    (void)state;
    memset(&s, 0, sizeof(s));
    assert_int_equal(od_waker_open(&s.waker), 0);
    rig_open(&s.rig, "loop");
    soft_nic_rxq_close(s.rig.rxq);
    assert_int_equal(soft_nic_rxq_open(s.rig.port, &conf, &s.rig.rxq), 0);
    rig_post(&s.rig);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    rig_close(&s.rig);
    od_waker_close(&s.waker);
    return 0;
}

/* `n` frames are there, whoever took them in. */
static void deliver(uint32_t n)
{
    struct patience patience = patience_of(WAIT_MS / 1e3);
    const uint32_t before = soft_nic_rxq_ready(s.rig.rxq);

    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(rig_send(&s.rig, 1, 64), 0);
    while (soft_nic_rxq_ready(s.rig.rxq) < before + n && patience_lasts(&patience))
        soft_nic_port_drive(s.rig.port);
    assert_int_equal(soft_nic_rxq_ready(s.rig.rxq), before + n);
}

static bool sleep_for(uint32_t enough)
{
    od_waker_clear(&s.waker);
    od_waker_arm(&s.waker);
    return !soft_nic_rxq_sleep(s.rig.rxq, enough);
}

static bool is_woken(int wait_ms)
{
    struct pollfd fd = {.fd = s.waker.fd, .events = POLLIN};

    return poll(&fd, 1, wait_ms) == 1;
}

static void take_all(void)
{
    while (soft_nic_rxq_ready(s.rig.rxq) > 0) {
        assert_non_null(soft_nic_rxq_take(s.rig.rxq));
        soft_nic_rxq_done(s.rig.rxq);
    }
    rig_post(&s.rig);
}

static void the_first_frame_wakes_when_nothing_else_was_asked_for(void **state)
{
    (void)state;
    assert_true(sleep_for(1));
    deliver(1);
    assert_true(is_woken(WAIT_MS));
}

static void so_many_frames_wake(void **state)
{
    (void)state;
    soft_nic_rxq_moderate(s.rig.rxq, 4, HOUR);
    for (uint32_t round = 0; round < 3; round++) {
        assert_true(sleep_for(1));
        deliver(3);
        assert_false(is_woken(0));
        deliver(1);
        assert_true(is_woken(WAIT_MS));
        take_all();
    }
}

static void frames_that_were_there_before_count(void **state)
{
    (void)state;
    soft_nic_rxq_moderate(s.rig.rxq, 4, HOUR);
    deliver(3);
    assert_true(sleep_for(1));
    assert_false(is_woken(0));
    deliver(1);
    assert_true(is_woken(WAIT_MS));
    assert_false(sleep_for(1)); /* as many are there as were asked for */
}

static void one_frame_wakes_when_the_time_is_over(void **state)
{
    uint64_t begin;

    (void)state;
    soft_nic_rxq_moderate(s.rig.rxq, 1000, PERIOD);
    for (uint32_t round = 0; round < 3; round++) {
        assert_true(sleep_for(1));
        begin = od_now_ns();
        deliver(1);
        assert_true(is_woken(WAIT_MS));
        assert_true(od_now_ns() - begin >= PERIOD);
        take_all();
    }
}

static void so_does_one_that_was_there_before(void **state)
{
    (void)state;
    soft_nic_rxq_moderate(s.rig.rxq, 1000, PERIOD);
    deliver(1);
    assert_true(sleep_for(1));
    assert_true(is_woken(WAIT_MS));
}

static void less_than_a_batch_never_wakes(void **state)
{
    (void)state;
    soft_nic_rxq_moderate(s.rig.rxq, 2, PERIOD);
    assert_true(sleep_for(8));
    deliver(7);
    assert_false(is_woken(PERIOD / 1000000 * 2));
    deliver(1);
    assert_true(is_woken(WAIT_MS));
}

/* A turn takes locks and asks the system: a look each millisecond is a few of them. */
static void nobody_is_busy_while_an_owner_waits_for_more(void **state)
{
    uint64_t begin, turns;

    (void)state;
    soft_nic_rxq_moderate(s.rig.rxq, 1000, HOUR);
    assert_true(sleep_for(1));
    deliver(1);
    begin = od_now_ns();
    turns = atomic_load(&s.rig.port->turns);
    assert_false(is_woken(PERIOD / 1000000));
    turns = atomic_load(&s.rig.port->turns) - turns;
    assert_true(turns < 100 + 10 * ((od_now_ns() - begin) / 1000000));
}

static void who_sleeps_is_woken_when_the_rule_changes(void **state)
{
    (void)state;
    soft_nic_rxq_moderate(s.rig.rxq, 4, HOUR);
    assert_true(sleep_for(1));
    deliver(1);
    soft_nic_rxq_moderate(s.rig.rxq, 0, 0);
    assert_true(is_woken(WAIT_MS));
    take_all();
    assert_true(sleep_for(1));
    deliver(1);
    assert_true(is_woken(WAIT_MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_frame_wakes_when_nothing_else_was_asked_for,
                                        open_all, close_all),
        cmocka_unit_test_setup_teardown(so_many_frames_wake, open_all, close_all),
        cmocka_unit_test_setup_teardown(frames_that_were_there_before_count, open_all, close_all),
        cmocka_unit_test_setup_teardown(one_frame_wakes_when_the_time_is_over, open_all, close_all),
        cmocka_unit_test_setup_teardown(so_does_one_that_was_there_before, open_all, close_all),
        cmocka_unit_test_setup_teardown(less_than_a_batch_never_wakes, open_all, close_all),
        cmocka_unit_test_setup_teardown(nobody_is_busy_while_an_owner_waits_for_more, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(who_sleeps_is_woken_when_the_rule_changes, open_all,
                                        close_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

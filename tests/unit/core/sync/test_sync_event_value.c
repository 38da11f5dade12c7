/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>

#include "sync_fixture.h"

static struct doca_dev *dev;
static struct doca_sync_event *event;

static int set_up(void **state)
{
    (void)state;
    dev = open_device(0);
    event = make_event(dev);
    OK(doca_sync_event_start(event));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    OK(doca_sync_event_stop(event));
    OK(doca_sync_event_destroy(event));
    OK(doca_dev_close(dev));
    return 0;
}

static void set_add_get(void **state)
{
    uint64_t before;

    (void)state;
    assert_int_equal(value_of(event), 0);
    OK(doca_sync_event_update_set(event, 0xfedcba9876543210));
    assert_int_equal(value_of(event), 0xfedcba9876543210);
    OK(doca_sync_event_update_add(event, 0x10, &before));
    assert_int_equal(before, 0xfedcba9876543210);
    assert_int_equal(value_of(event), 0xfedcba9876543220);
    OK(doca_sync_event_update_set(event, UINT64_MAX));
    OK(doca_sync_event_update_add(event, 2, &before));
    assert_int_equal(value_of(event), 1);
}

static void satisfied_waits_return(void **state)
{
    (void)state;
    OK(doca_sync_event_update_set(event, 0x1205));
    OK(doca_sync_event_wait_eq(event, 0x1205, UINT64_MAX));
    OK(doca_sync_event_wait_eq_yield(event, 5, 0xff));
    OK(doca_sync_event_wait_neq(event, 0x1206, UINT64_MAX));
    OK(doca_sync_event_wait_neq_yield(event, 0x1205, 0xff));
    OK(doca_sync_event_wait_gt(event, 0x1204, UINT64_MAX));
    OK(doca_sync_event_wait_gt_yield(event, 4, 0xff));
    OK(doca_sync_event_wait_eq(event, 0, 0));
}

static void misuse(void **state)
{
    struct doca_sync_event *idle = make_event(dev);
    uint64_t value = 77;

    (void)state;
    assert_int_equal(doca_sync_event_get(NULL, &value), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_get(event, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_update_set(NULL, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_update_add(NULL, 1, &value), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_update_add(event, 1, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_wait_gt(NULL, 1, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_wait_gt_yield(NULL, 1, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_wait_eq(NULL, 1, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_wait_eq_yield(NULL, 1, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_wait_neq(NULL, 1, 1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_wait_neq_yield(NULL, 1, 1), DOCA_ERROR_INVALID_VALUE);

    assert_int_equal(doca_sync_event_get(idle, &value), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_sync_event_update_set(idle, 1), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_sync_event_update_add(idle, 1, &value), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_sync_event_wait_eq(idle, 0, 0), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_sync_event_wait_neq_yield(idle, 1, 1), DOCA_ERROR_BAD_STATE);
    assert_int_equal(value, 77);
    OK(doca_sync_event_destroy(idle));
    assert_int_equal(value_of(event), 0);
}

#define ADDS 20000

static void *add_many(void *arg)
{
    uint64_t before;
    uint64_t last = 0;

    for (int i = 0; i < ADDS; i++) {
        if (doca_sync_event_update_add(arg, 1, &before) != DOCA_SUCCESS || before < last)
            return arg;
        last = before;
    }
    return NULL;
}

static void adds_of_threads_add_up(void **state)
{
    pthread_t threads[3];
    void *failed;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, event), 0);
    OK(doca_sync_event_wait_eq_yield(event, 3 * ADDS, UINT64_MAX));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

static unsigned int payload; /* plain memory that the event publishes */

static void *answer(void *arg)
{
    for (uint64_t i = 1; i <= 500; i++) {
        if (doca_sync_event_wait_eq_yield(arg, 2 * i - 1, UINT64_MAX) != DOCA_SUCCESS)
            return arg;
        payload++;
        if (doca_sync_event_update_set(arg, 2 * i) != DOCA_SUCCESS)
            return arg;
    }
    return NULL;
}

static void an_update_publishes_what_was_written_before(void **state)
{
    pthread_t thread;
    void *failed;

    (void)state;
    payload = 0;
    assert_int_equal(pthread_create(&thread, NULL, answer, event), 0);
    for (uint64_t i = 1; i <= 500; i++) {
        payload++;
        OK(doca_sync_event_update_set(event, 2 * i - 1));
        OK(doca_sync_event_wait_gt_yield(event, 2 * i - 1, UINT64_MAX));
        assert_int_equal(payload, 2 * i);
    }
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(set_add_get),
        CASE(satisfied_waits_return),
        CASE(misuse),
        CASE(adds_of_threads_add_up),
        CASE(an_update_publishes_what_was_written_before),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}

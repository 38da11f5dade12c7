/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "sync_fixture.h"

/* Engines that sleep over wait tasks. A wake-up that does not come makes poll() run into the limit
 * of the test program, not into one of its own. */

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_sync_event *event;
static struct doca_ctx *ctx;
static struct doca_task *wait_task;
static struct pollfd fd;
/* The value is in the user's memory, where others store to it without the library. The second word
 * is for answers. */
static uint64_t cells[2];
static unsigned int done_calls;

static void eq_done(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    (void)ctx_data;
    done_calls++;
}

static int set_up(void **state)
{
    struct doca_sync_event_task_wait_eq *task;

    (void)state;
    done_calls = 0;
    dev = open_device(0);
    OK(doca_pe_create(&pe));
    OK(doca_pe_get_notification_handle(pe, &fd.fd));
    fd.events = POLLIN;
    event = make_event(dev);
    memset(cells, 0, sizeof(cells));
    OK(doca_sync_event_set_addr(event, &cells[0]));
    OK(doca_sync_event_task_wait_eq_set_conf(event, eq_done, eq_done, 2));
    ctx = doca_sync_event_as_ctx(event);
    OK(doca_pe_connect_ctx(pe, ctx));
    OK(doca_ctx_start(ctx));
    OK(doca_sync_event_task_wait_eq_alloc_init(event, 1, UINT64_MAX, (union doca_data){.u64 = 0},
                                               &task));
    wait_task = doca_sync_event_task_wait_eq_as_doca_task(task);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    doca_task_free(wait_task);
    OK(doca_ctx_stop(ctx));
    OK(doca_sync_event_destroy(event));
    OK(doca_pe_destroy(pe));
    OK(doca_dev_close(dev));
    return 0;
}

static void submit_for(uint64_t value)
{
    doca_sync_event_task_wait_eq_set_wait_val((struct doca_sync_event_task_wait_eq *)wait_task,
                                              value);
    OK(doca_task_submit(wait_task));
}

/* The documented loop: progress until nothing, arm, sleep, clear. */
static void sleep_until(unsigned int done)
{
    while (done_calls < done) {
        if (doca_pe_progress(pe) == 1)
            continue;
        OK(doca_pe_request_notification(pe));
        assert_int_equal(poll(&fd, 1, -1), 1);
        OK(doca_pe_clear_notification(pe, 0));
    }
}

static void arming_sees_a_satisfied_wait(void **state)
{
    (void)state;
    submit_for(1);
    assert_int_equal(doca_pe_progress(pe), 0);
    __atomic_store_n(&cells[0], 1, __ATOMIC_RELEASE);
    OK(doca_pe_request_notification(pe));
    assert_int_equal(poll(&fd, 1, 0), 1);
    OK(doca_pe_clear_notification(pe, 0));
    assert_int_equal(doca_pe_progress(pe), 1);
}

static void an_update_wakes_at_once(void **state)
{
    (void)state;
    submit_for(1);
    OK(doca_pe_request_notification(pe));
    assert_int_equal(poll(&fd, 1, 0), 0);
    OK(doca_sync_event_update_set(event, 1));
    assert_int_equal(poll(&fd, 1, 0), 1); /* no watcher needed, no time passes */
    OK(doca_pe_clear_notification(pe, 0));
    assert_int_equal(doca_pe_progress(pe), 1);
}

#define ROUNDS 300

static void *store_plainly(void *arg)
{
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        __atomic_store_n(&cells[0], i, __ATOMIC_RELEASE);
        while (__atomic_load_n(&cells[1], __ATOMIC_ACQUIRE) != i)
            sched_yield();
    }
    return arg;
}

static void a_plain_store_wakes(void **state)
{
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, store_plainly, NULL), 0);
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        submit_for(i);
        sleep_until((unsigned int)i);
        __atomic_store_n(&cells[1], i, __ATOMIC_RELEASE);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void *update_by_library(void *arg)
{
    struct doca_sync_event **events = arg;

    for (uint64_t i = 1; i <= 10 * ROUNDS; i++) {
        if (doca_sync_event_update_set(events[0], i) != DOCA_SUCCESS ||
            doca_sync_event_wait_eq_yield(events[1], i, UINT64_MAX) != DOCA_SUCCESS)
            return arg;
    }
    return NULL;
}

static void no_update_is_missed(void **state)
{
    struct doca_sync_event *events[2] = {event, make_event(dev)};
    pthread_t thread;
    void *failed;

    (void)state;
    OK(doca_sync_event_start(events[1]));
    assert_int_equal(pthread_create(&thread, NULL, update_by_library, events), 0);
    for (uint64_t i = 1; i <= 10 * ROUNDS; i++) {
        submit_for(i);
        sleep_until((unsigned int)i);
        OK(doca_sync_event_update_set(events[1], i));
    }
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    OK(doca_sync_event_destroy(events[1]));
}

static void a_change_that_does_not_satisfy_is_slept_over(void **state)
{
    (void)state;
    submit_for(3);
    OK(doca_pe_request_notification(pe));
    OK(doca_sync_event_update_set(event, 2)); /* may wake; the loop goes back to sleep */
    assert_int_equal(doca_pe_progress(pe), 0);
    OK(doca_pe_clear_notification(pe, 0));
    OK(doca_pe_request_notification(pe));
    /* The watcher may be on its way with that change or with the time when nobody slept. */
    for (unsigned int in_vain = 0; poll(&fd, 1, 0) == 1; in_vain++) {
        assert_true(in_vain < 100);
        assert_int_equal(doca_pe_progress(pe), 0);
        OK(doca_pe_clear_notification(pe, 0));
        OK(doca_pe_request_notification(pe));
    }
    __atomic_store_n(&cells[0], 3, __ATOMIC_RELEASE);
    assert_int_equal(poll(&fd, 1, -1), 1);
    OK(doca_pe_clear_notification(pe, 0));
    sleep_until(1);
}

static void stopping_while_watched(void **state)
{
    (void)state;
    submit_for(3);
    OK(doca_pe_request_notification(pe));
    assert_int_equal(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
    assert_int_equal(poll(&fd, 1, -1), 1);
    OK(doca_pe_clear_notification(pe, 0));
    sleep_until(1);
    assert_int_equal(doca_task_get_status(wait_task), DOCA_ERROR_IO_FAILED);
    doca_task_free(wait_task);
    wait_task = NULL;
    assert_int_equal(doca_pe_progress(pe), 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(arming_sees_a_satisfied_wait),
        CASE(an_update_wakes_at_once),
        CASE(a_plain_store_wakes),
        CASE(no_update_is_missed),
        CASE(a_change_that_does_not_satisfy_is_slept_over),
        CASE(stopping_while_watched),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}

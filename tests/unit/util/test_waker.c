/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "util/barrier.h"
#include "util/waker.h"

static struct od_waker waker;

static int setup(void **state)
{
    (void)state;
    return od_waker_open(&waker);
}

static int teardown(void **state)
{
    (void)state;
    od_waker_close(&waker);
    return 0;
}

static bool is_readable(void)
{
    struct pollfd pfd = {.fd = waker.fd, .events = POLLIN};

    return poll(&pfd, 1, 0) == 1;
}

static void only_an_armed_waker_is_fired(void **state)
{
    (void)state;
    od_waker_wake(&waker);
    assert_false(is_readable());
    od_waker_arm(&waker);
    od_waker_wake(&waker);
    assert_true(is_readable());
    od_waker_clear(&waker);
    assert_false(is_readable());
    od_waker_wake(&waker);
    assert_false(is_readable());
}

static void a_disarmed_waker_keeps_what_was_fired(void **state)
{
    (void)state;
    od_waker_arm(&waker);
    od_waker_disarm(&waker);
    od_waker_wake(&waker);
    assert_false(is_readable());
    od_waker_arm(&waker);
    od_waker_wake(&waker);
    od_waker_disarm(&waker);
    assert_true(is_readable());
}

static void others_see_each_sleep_once(void **state)
{
    struct od_waker_view view;
    uint32_t first, second;
    int fd = od_waker_share(&waker);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(od_waker_share(&waker), fd);
    assert_int_equal(od_waker_view_open(&view, fd), 0);
    assert_int_equal(od_waker_view_due(&view), 0);
    od_waker_arm(&waker);
    first = od_waker_view_due(&view);
    assert_int_equal(first % 2, 1);
    assert_int_equal(od_waker_view_due(&view), 0);
    od_waker_clear(&waker);
    assert_int_equal(od_waker_view_due(&view), 0);
    od_waker_arm(&waker);
    second = od_waker_view_due(&view);
    assert_true(second > first);
    /* Armed once more without waking up is another sleep. */
    od_waker_arm(&waker);
    assert_true(od_waker_view_due(&view) > second);
    od_waker_view_close(&view);
    assert_int_equal(od_waker_view_due(&view), 0);
}

static void others_may_look_but_not_write(void **state)
{
    int fd = od_waker_share(&waker);

    (void)state;
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    assert_int_equal(pwrite(fd, "x", 1, 0), -1);
    assert_int_equal(ftruncate(fd, 0), -1);
}

static void what_could_shrink_is_no_view(void **state)
{
    struct od_waker_view view;
    int fd = memfd_create("page", MFD_ALLOW_SEALING), files[2];

    (void)state;
    assert_int_equal(ftruncate(fd, 4096), 0);
    assert_int_equal(od_waker_view_open(&view, fd), -EBADMSG);
    assert_int_equal(ftruncate(fd, 100), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    assert_int_equal(od_waker_view_open(&view, fd), -EBADMSG);
    close(fd);
    assert_int_equal(pipe(files), 0);
    assert_int_equal(od_waker_view_open(&view, files[0]), -EBADMSG);
    close(files[0]);
    close(files[1]);
}

/* ---- The barrier for all ---- */

#define ROUNDS  20000u
#define SECONDS 10 /* enough of it where both sides have one processor, or a part of it */
#define END     UINT32_MAX

static struct {
    _Alignas(64) _Atomic uint32_t a;
    _Alignas(64) _Atomic uint32_t b;
    _Alignas(64) _Atomic uint32_t round;
    _Alignas(64) _Atomic uint32_t done;
    uint32_t saw_b;
} race;

/* Without pause at first, as the sides are to meet; the other one may be on this processor. */
static void await_change(_Atomic uint32_t *value, uint32_t from)
{
    for (unsigned int i = 1; atomic_load_explicit(value, memory_order_acquire) == from; i++) {
        if (i % 1000 == 0)
            sched_yield();
    }
}

static void *light_side(void *arg)
{
    bool full = !od_barrier_register() || !od_barrier_is_supported();

    (void)arg;
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        await_change(&race.round, i - 1);
        if (atomic_load_explicit(&race.round, memory_order_acquire) == END)
            break;
        atomic_store_explicit(&race.a, i, memory_order_relaxed);
        od_barrier_light(full);
        race.saw_b = atomic_load_explicit(&race.b, memory_order_relaxed);
        atomic_store_explicit(&race.done, i, memory_order_release);
    }
    return NULL;
}

static void of_two_that_write_and_look_one_sees_the_other(void **state)
{
    const time_t end = whole_seconds_now() + SECONDS;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, light_side, NULL), 0);
    for (uint32_t i = 1; i <= ROUNDS && whole_seconds_now() < end; i++) {
        uint32_t saw_a;

        atomic_store_explicit(&race.round, i, memory_order_release);
        atomic_store_explicit(&race.b, i, memory_order_relaxed);
        od_barrier_for_all();
        saw_a = atomic_load_explicit(&race.a, memory_order_relaxed);
        await_change(&race.done, i - 1);
        assert_true(saw_a == i || race.saw_b == i);
    }
    atomic_store_explicit(&race.round, END, memory_order_release);
    pthread_join(thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_an_armed_waker_is_fired, setup, teardown),
        cmocka_unit_test_setup_teardown(a_disarmed_waker_keeps_what_was_fired, setup, teardown),
        cmocka_unit_test_setup_teardown(others_see_each_sleep_once, setup, teardown),
        cmocka_unit_test_setup_teardown(others_may_look_but_not_write, setup, teardown),
        cmocka_unit_test_setup_teardown(what_could_shrink_is_no_view, setup, teardown),
        cmocka_unit_test(of_two_that_write_and_look_one_sees_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

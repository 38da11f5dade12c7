/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/service/service.h"

static atomic_int forks;

static void at_exit(void)
{
}

static void in_child(void)
{
    forks++;
}

static struct soft_service_room room = {.at_exit = at_exit, .in_child = in_child};

static int start(void **state)
{
    int rc;

    (void)state;
    soft_service_lock();
    rc = soft_service_start(&room);
    soft_service_unlock();
    return rc;
}

static void wait_for(atomic_int *value, int wanted)
{
    time_t deadline = whole_seconds_now() + 20;

    while (atomic_load(value) != wanted) {
        assert_true(whole_seconds_now() < deadline);
        sched_yield();
    }
}

/* ---- Watches ---- */

struct pipe_watch {
    struct soft_service_watch watch;
    int fds[2];
    atomic_int seen;
};

static void pipe_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct pipe_watch *self = OD_CONTAINER_OF(watch, struct pipe_watch, watch);
    char c;

    (void)events;
    if (read(self->fds[0], &c, 1) == 1)
        self->seen++;
}

static void open_pipe(struct pipe_watch *self)
{
    *self = (struct pipe_watch){.watch = {.fd = -1}};
    assert_int_equal(pipe(self->fds), 0);
    soft_service_lock();
    assert_int_equal(soft_service_watch_add(&self->watch, self->fds[0], EPOLLIN, pipe_ready), 0);
    soft_service_unlock();
}

static void close_pipe(struct pipe_watch *self)
{
    soft_service_lock();
    soft_service_watch_del(&self->watch);
    soft_service_watch_del(&self->watch);
    soft_service_unlock();
    close(self->fds[0]);
    close(self->fds[1]);
}

static void poke(struct pipe_watch *self)
{
    assert_int_equal(write(self->fds[1], "x", 1), 1);
}

static void each_watch_gets_its_own_events(void **state)
{
    static struct pipe_watch pipes[100];

    (void)state;
    for (unsigned int i = 0; i < 100; i++)
        open_pipe(&pipes[i]);
    for (unsigned int i = 0; i < 100; i += 3)
        close_pipe(&pipes[i]);
    for (unsigned int i = 0; i < 100; i += 3)
        open_pipe(&pipes[i]);
    for (unsigned int i = 0; i < 100; i++)
        poke(&pipes[i]);
    for (unsigned int i = 0; i < 100; i++)
        wait_for(&pipes[i].seen, 1);
    for (unsigned int i = 0; i < 100; i++)
        close_pipe(&pipes[i]);
}

static void a_watch_may_rest(void **state)
{
    static struct pipe_watch resting, other;

    (void)state;
    open_pipe(&resting);
    open_pipe(&other);
    soft_service_lock();
    soft_service_watch_events(&resting.watch, 0);
    soft_service_unlock();
    poke(&resting);
    poke(&other);
    wait_for(&other.seen, 1);
    assert_int_equal(atomic_load(&resting.seen), 0);
    soft_service_lock();
    soft_service_watch_events(&resting.watch, EPOLLIN);
    soft_service_unlock();
    wait_for(&resting.seen, 1);
    close_pipe(&resting);
    close_pipe(&other);
}

/* ---- Timers ---- */

static atomic_int fired;
static int order[4];

struct numbered {
    struct soft_service_timer timer;
    int number;
};

static void expired(struct soft_service_timer *timer)
{
    struct numbered *self = OD_CONTAINER_OF(timer, struct numbered, timer);

    order[atomic_load(&fired)] = self->number;
    atomic_fetch_add(&fired, 1);
}

static struct pipe_watch answer;
static struct numbered patience;

static void stand_still(struct soft_service_watch *watch, uint32_t events)
{
    uint64_t due = soft_service_now_ms() + 5;

    pipe_ready(watch, events);
    soft_service_timer_set(&patience.timer, 1, expired);
    while (soft_service_now_ms() < due)
        sched_yield();
    if (write(answer.fds[1], "x", 1) != 1)
        abort();
}

static void take_answer(struct soft_service_watch *watch, uint32_t events)
{
    soft_service_timer_cancel(&patience.timer);
    pipe_ready(watch, events);
}

static void what_came_while_it_stood_still_is_in_time(void **state)
{
    static struct pipe_watch still;

    (void)state;
    atomic_store(&fired, 0);
    open_pipe(&still);
    open_pipe(&answer);
    soft_service_lock();
    still.watch.ready = stand_still;
    answer.watch.ready = take_answer;
    soft_service_unlock();
    poke(&still);
    wait_for(&answer.seen, 1);
    assert_int_equal(atomic_load(&fired), 0);
    close_pipe(&still);
    close_pipe(&answer);
}

static struct pipe_watch endless;

static void never_ends(struct soft_service_watch *watch, uint32_t events)
{
    (void)watch;
    (void)events;
    endless.seen = atomic_load(&fired) > 0;
}

static void events_without_end_do_not_hold_timers_back(void **state)
{
    static struct numbered t;

    (void)state;
    atomic_store(&fired, 0);
    open_pipe(&endless);
    soft_service_lock();
    endless.watch.ready = never_ends;
    soft_service_timer_set(&t.timer, 1, expired);
    soft_service_unlock();
    poke(&endless);
    wait_for(&endless.seen, 1);
    close_pipe(&endless);
}

static void timers_expire_in_order_and_not_when_cancelled(void **state)
{
    static struct numbered t[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
    bool in_order;

    (void)state;
    atomic_store(&fired, 0);
    soft_service_lock();
    /* In a moment; a thread that stood still in between would mean other times than these. */
    do {
        soft_service_timer_set(&t[0].timer, 60, expired);
        soft_service_timer_set(&t[1].timer, 20, expired);
        soft_service_timer_set(&t[2].timer, 40, expired);
        soft_service_timer_set(&t[3].timer, 30, expired);
        soft_service_timer_cancel(&t[3].timer);
        soft_service_timer_cancel(&t[3].timer);
        soft_service_timer_set(&t[0].timer, 1, expired);
        in_order = t[0].timer.due < t[1].timer.due && t[1].timer.due < t[2].timer.due;
    } while (!in_order);
    soft_service_unlock();
    wait_for(&fired, 3);
    assert_int_equal(order[0], 0);
    assert_int_equal(order[1], 1);
    assert_int_equal(order[2], 2);
}

static void a_sleeping_thread_hears_of_an_earlier_time(void **state)
{
    static struct numbered late = {.number = 0}, early = {.number = 1};
    time_t begin = whole_seconds_now();

    (void)state;
    atomic_store(&fired, 0);
    soft_service_lock();
    soft_service_timer_set(&late.timer, 50000, expired);
    soft_service_unlock();
    soft_service_lock();
    soft_service_timer_set(&early.timer, 1, expired);
    soft_service_unlock();
    wait_for(&fired, 1);
    assert_int_equal(order[0], 1);
    assert_true(whole_seconds_now() - begin < 15);
    soft_service_lock();
    soft_service_timer_cancel(&late.timer);
    soft_service_unlock();
}

/* ---- Processes ---- */

/* ThreadSanitizer allows no threads in a child of a process with threads. */
#ifdef __SANITIZE_THREAD__
#define CHILD_MAY_HAVE_THREADS false
#else
#define CHILD_MAY_HAVE_THREADS true
#endif

static void a_child_starts_anew(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    if (!CHILD_MAY_HAVE_THREADS)
        skip();
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        static struct pipe_watch watch;

        if (atomic_load(&forks) != 1 || start(NULL) != 0 || soft_service_self() != getpid())
            _exit(1);
        open_pipe(&watch);
        poke(&watch);
        wait_for(&watch.seen, 1);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(atomic_load(&forks), 0);
}

static int told = -1;

static void tell(void)
{
    if (told >= 0 && write(told, "x", 1) != 1)
        _exit(1);
}

static struct soft_service_room telling = {.at_exit = tell, .in_child = in_child};

static void exit_tells_the_rooms(void **state)
{
    int fds[2];
    char c = 0;
    pid_t pid;

    (void)state;
    if (!CHILD_MAY_HAVE_THREADS)
        skip();
    fflush(NULL);
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        told = fds[1];
        soft_service_lock();
        if (soft_service_start(&telling) != 0)
            _exit(1);
        soft_service_unlock();
        exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(fds[1]);
    assert_int_equal(read(fds[0], &c, 1), 1);
    assert_int_equal(c, 'x');
    assert_int_equal(read(fds[0], &c, 1), 0);
    close(fds[0]);
}

/* Like a daemon: "all from 3 on", and then files of its own, which get the library's numbers. */
static void exit_in_a_process_that_closes_everything(int report)
{
    int fds[8];
    char left[8];

    if (start(NULL) != 0)
        _exit(1);
    dup2(report, 3);
    close_range(4, ~0u, 0);
    for (int i = 0; i < 8; i += 2) {
        if (pipe2(fds + i, O_NONBLOCK) != 0)
            _exit(2);
    }
    if (start(NULL) != -ESHUTDOWN || strstr(soft_reason(), "closed file descriptors") == NULL)
        _exit(3);
    if (fork() == 0)
        _exit(0);
    if (fcntl(fds[0], F_GETFD) < 0 || write(fds[1], "x", 1) != 1 || read(fds[0], left, 8) != 1)
        _exit(4);
    alarm(100); /* it would wait for the thread for ever */
    exit(write(3, "x", 1) == 1 ? 0 : 5);
}

static void a_process_that_closes_the_descriptors_can_exit(void **state)
{
    int fds[2], status;
    pid_t pid;

    (void)state;
    if (!CHILD_MAY_HAVE_THREADS)
        skip();
    fflush(NULL);
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0)
        exit_in_a_process_that_closes_everything(fds[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(fds[0]);
    close(fds[1]);
}

static void random_bytes_differ(void **state)
{
    uint8_t a[100], b[100];

    (void)state;
    soft_service_lock();
    assert_int_equal(soft_service_random(a, sizeof(a)), 0);
    assert_int_equal(soft_service_random(b, sizeof(b)), 0);
    soft_service_unlock();
    assert_memory_not_equal(a, b, sizeof(a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_watch_gets_its_own_events),
        cmocka_unit_test(a_watch_may_rest),
        cmocka_unit_test(what_came_while_it_stood_still_is_in_time),
        cmocka_unit_test(events_without_end_do_not_hold_timers_back),
        cmocka_unit_test(timers_expire_in_order_and_not_when_cancelled),
        cmocka_unit_test(a_sleeping_thread_hears_of_an_earlier_time),
        cmocka_unit_test(a_child_starts_anew),
        cmocka_unit_test(exit_tells_the_rooms),
        cmocka_unit_test(a_process_that_closes_the_descriptors_can_exit),
        cmocka_unit_test(random_bytes_differ),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}

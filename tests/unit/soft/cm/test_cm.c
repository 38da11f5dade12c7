/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/cm/cm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 20000 /* ms */

/* Instead of the system's: how many calls still find no descriptor. */
static atomic_uint none_left;

int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
    if (atomic_load(&none_left) > 0) {
        atomic_fetch_sub(&none_left, 1);
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_accept4, fd, addr, len, flags);
}

static int held; /* keeps the port of the last listener, so that nobody else gets it */

static struct soft_cm_listener *listen_somewhere(struct od_waker *waker, uint16_t *port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    socklen_t len = sizeof(addr);
    struct soft_cm_listener *listener;
    const int on = 1;

    held = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(setsockopt(held, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(held, (struct sockaddr *)&addr, sizeof(addr)), 0);
    assert_int_equal(getsockname(held, (struct sockaddr *)&addr, &len), 0);
    *port = ntohs(addr.sin_port);
    assert_int_equal(soft_cm_listen(*port, waker, &listener), 0);
    return listener;
}

/* Sleeps until somebody wakes. */
static void nap(struct od_waker *waker)
{
    struct pollfd fd = {waker->fd, POLLIN, 0};

    assert_int_equal(poll(&fd, 1, PATIENCE), 1);
    od_waker_clear(waker);
}

static struct soft_cm_request *await_request(struct soft_cm_listener *listener,
                                             struct od_waker *waker)
{
    struct soft_cm_request *request;

    for (;;) {
        od_waker_arm(waker);
        request = soft_cm_next(listener);
        if (request != NULL)
            return request;
        nap(waker);
    }
}

static enum soft_cm_state await_call(const struct soft_cm_call *call, struct od_waker *waker,
                                     int *reason)
{
    enum soft_cm_state state;

    for (;;) {
        od_waker_arm(waker);
        state = soft_cm_poll(call, reason);
        if (state != SOFT_CM_CALLING)
            return state;
        nap(waker);
    }
}

static void a_question_is_answered(void **state)
{
    struct od_waker here, there;
    struct soft_cm_listener *listener;
    struct soft_cm_request *request;
    struct soft_cm_call *call;
    struct soft_cm_ends ends;
    uint16_t port;
    size_t len;
    int reason;

    (void)state;
    assert_int_equal(od_waker_open(&here), 0);
    assert_int_equal(od_waker_open(&there), 0);
    listener = listen_somewhere(&there, &port);
    assert_int_equal(soft_cm_call("127.0.0.1", port, PATIENCE, "what?", 5, &here, &call), 0);
    request = await_request(listener, &there);
    assert_memory_equal(soft_cm_request_data(request, &len), "what?", 5);
    assert_int_equal(len, 5);
    soft_cm_request_ends(request, &ends);
    assert_string_equal(ends.here, "127.0.0.1");
    assert_string_equal(ends.there, "127.0.0.1");
    assert_int_not_equal(ends.there_port, 0);
    assert_int_equal(soft_cm_answer(request, "that", 4), 0);
    assert_int_equal(await_call(call, &here, &reason), SOFT_CM_ANSWERED);
    assert_memory_equal(soft_cm_call_answer(call, &len), "that", 4);
    assert_int_equal(len, 4);
    soft_cm_hang_up(call);
    soft_cm_unlisten(listener);
    close(held);
    od_waker_close(&here);
    od_waker_close(&there);
}

static void refusals_have_reasons(void **state)
{
    struct od_waker here, there;
    struct soft_cm_listener *listener;
    struct soft_cm_call *call;
    uint16_t port;
    int reason = 0;

    (void)state;
    assert_int_equal(od_waker_open(&here), 0);
    assert_int_equal(od_waker_open(&there), 0);
    listener = listen_somewhere(&there, &port);
    assert_int_equal(soft_cm_call("127.0.0.1", port, PATIENCE, "what?", 5, &here, &call), 0);
    soft_cm_refuse(await_request(listener, &there));
    assert_int_equal(await_call(call, &here, &reason), SOFT_CM_FAILED);
    assert_int_equal(reason, -EACCES);
    soft_cm_hang_up(call);
    /* Nobody takes the request, and then nobody is there. */
    assert_int_equal(soft_cm_call("127.0.0.1", port, 50, "what?", 5, &here, &call), 0);
    assert_int_equal(await_call(call, &here, &reason), SOFT_CM_FAILED);
    assert_int_equal(reason, -ETIMEDOUT);
    soft_cm_hang_up(call);
    soft_cm_unlisten(listener);
    assert_int_equal(soft_cm_call("127.0.0.1", port, PATIENCE, "what?", 5, &here, &call), 0);
    assert_int_equal(await_call(call, &here, &reason), SOFT_CM_FAILED);
    assert_int_equal(reason, -ECONNREFUSED);
    soft_cm_hang_up(call);
    assert_int_equal(soft_cm_call("localhost", port, PATIENCE, "what?", 5, &here, &call), -EINVAL);
    soft_cm_hang_up(NULL);
    soft_cm_unlisten(NULL);
    soft_cm_refuse(NULL);
    close(held);
    od_waker_close(&here);
    od_waker_close(&there);
}

static void callers_that_leave_are_noticed(void **state)
{
    struct od_waker there;
    struct soft_cm_listener *listener;
    struct soft_cm_request *request;
    struct soft_cm_call *call;
    uint16_t port;

    (void)state;
    assert_int_equal(od_waker_open(&there), 0);
    listener = listen_somewhere(&there, &port);
    assert_int_equal(soft_cm_call("127.0.0.1", port, PATIENCE, "what?", 5, NULL, &call), 0);
    request = await_request(listener, &there);
    soft_cm_unlisten(listener);
    soft_cm_hang_up(call);
    /* It may be told or not, but nothing breaks, and the request outlives its listener. */
    soft_cm_answer(request, "that", 4);
    close(held);
    od_waker_close(&there);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* It tries a few times a second, instead of as fast as it can. */
static void a_listener_without_descriptors_pauses(void **state)
{
    struct od_waker there;
    struct soft_cm_listener *listener;
    struct soft_cm_call *call;
    uint64_t begin;
    uint16_t port;

    (void)state;
    assert_int_equal(od_waker_open(&there), 0);
    listener = listen_somewhere(&there, &port);
    atomic_store(&none_left, 3);
    begin = now_ms();
    assert_int_equal(soft_cm_call("127.0.0.1", port, PATIENCE, "what?", 5, NULL, &call), 0);
    soft_cm_refuse(await_request(listener, &there));
    assert_int_equal(atomic_load(&none_left), 0);
    assert_true(now_ms() - begin >= 250);
    soft_cm_hang_up(call);
    /* Nor does one that pauses outlive its end. */
    atomic_store(&none_left, 1);
    assert_int_equal(soft_cm_call("127.0.0.1", port, PATIENCE, "what?", 5, NULL, &call), 0);
    while (atomic_load(&none_left) > 0)
        sched_yield();
    soft_cm_unlisten(listener);
    soft_cm_hang_up(call);
    close(held);
    od_waker_close(&there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_is_answered),
        cmocka_unit_test(refusals_have_reasons),
        cmocka_unit_test(callers_that_leave_are_noticed),
        cmocka_unit_test(a_listener_without_descriptors_pauses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

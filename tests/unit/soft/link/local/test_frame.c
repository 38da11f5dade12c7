/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft/link/local/frame.h"

static union soft_frame frame;

static size_t make_hello(uint32_t len)
{
    memset(&frame, 0, sizeof(frame));
    frame.hello.max_msg = 100;
    frame.hello.depth = 8;
    frame.hello.len = len;
    return soft_frame_seal(&frame, SOFT_FRAME_HELLO);
}

static void what_is_sealed_is_good(void **state)
{
    (void)state;
    assert_int_equal(soft_frame_check(&frame, make_hello(0)), 0);
    assert_int_equal(soft_frame_check(&frame, make_hello(SOFT_LINK_HELLO_MAX)), 0);
    memset(&frame, 0, sizeof(frame));
    frame.answer.max_msg = frame.answer.depth = 1;
    assert_int_equal(soft_frame_check(&frame, soft_frame_seal(&frame, SOFT_FRAME_ANSWER)), 0);
    frame.refusal.code = SOFT_REFUSAL_BUSY;
    frame.refusal.len = 7;
    assert_int_equal(soft_frame_check(&frame, soft_frame_seal(&frame, SOFT_FRAME_REFUSAL)), 0);
    frame.wake = (struct soft_frame_wake){.epoch = 3};
    assert_int_equal(soft_frame_check(&frame, soft_frame_seal(&frame, SOFT_FRAME_WAKE)), 0);
}

static void a_cut_or_longer_frame_is_bad(void **state)
{
    size_t size;

    (void)state;
    for (uint32_t len = 0; len < 40; len++) {
        size = make_hello(len);
        for (size_t n = 0; n < size + 8; n++)
            if (n != size)
                assert_int_equal(soft_frame_check(&frame, n), -EBADMSG);
    }
    size = make_hello(10);
    frame.hello.len = 11;
    assert_int_equal(soft_frame_check(&frame, size), -EBADMSG);
    frame.hello.len = UINT32_MAX;
    assert_int_equal(soft_frame_check(&frame, size), -EBADMSG);
}

static void values_have_limits(void **state)
{
    size_t size = make_hello(0);

    (void)state;
    frame.hello.max_msg = 0;
    assert_int_equal(soft_frame_check(&frame, size), -EBADMSG);
    make_hello(0);
    frame.hello.depth = SOFT_LINK_DEPTH_MAX + 1;
    assert_int_equal(soft_frame_check(&frame, size), -EBADMSG);
    make_hello(0);
    frame.hello.flags = 4;
    assert_int_equal(soft_frame_check(&frame, size), -EBADMSG);
    make_hello(0);
    frame.head.type = 77;
    assert_int_equal(soft_frame_check(&frame, size), -EBADMSG);
    make_hello(0);
    frame.head.zero = 1;
    assert_int_equal(soft_frame_check(&frame, size), -EBADMSG);
}

static void another_version_is_told_from_nonsense(void **state)
{
    size_t size = make_hello(0);

    (void)state;
    frame.head.version++;
    assert_int_equal(soft_frame_check(&frame, size), -EPROTO);
    frame.head.magic++;
    assert_int_equal(soft_frame_check(&frame, size), -EBADMSG);
    memset(&frame, 0, sizeof(frame));
    frame.refusal.code = SOFT_REFUSAL_VERSION;
    size = soft_frame_seal(&frame, SOFT_FRAME_REFUSAL);
    frame.head.version++;
    assert_int_equal(soft_frame_check(&frame, size), 0);
}

static void files_travel_and_none_is_left_open(void **state)
{
    int sock[2], files[2], got[SOFT_FRAME_FDS], next;
    size_t size = make_hello(3);

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sock), 0);
    assert_int_equal(pipe(files), 0);
    assert_int_equal(soft_frame_send(sock[0], &frame, size, files, 2), 0);
    assert_int_equal(soft_frame_receive(sock[1], &frame, got), 0);
    assert_true(got[0] >= 0 && got[1] >= 0);
    assert_int_equal(fcntl(got[0], F_GETFD), FD_CLOEXEC);
    close(got[0]);
    close(got[1]);
    next = dup(0);
    close(next);
    make_hello(3);
    frame.hello.depth = 0;
    assert_int_equal(soft_frame_send(sock[0], &frame, size, files, 2), 0);
    assert_int_equal(soft_frame_receive(sock[1], &frame, got), -EBADMSG);
    assert_int_equal(got[0], -1);
    assert_int_equal(dup(0), next);
    close(next);
    assert_int_equal(soft_frame_receive(sock[1], &frame, got), -EAGAIN);
    close(sock[0]);
    assert_int_equal(soft_frame_receive(sock[1], &frame, got), -ECONNRESET);
    close(sock[1]);
    close(files[0]);
    close(files[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sealed_is_good),
        cmocka_unit_test(a_cut_or_longer_frame_is_bad),
        cmocka_unit_test(values_have_limits),
        cmocka_unit_test(another_version_is_told_from_nonsense),
        cmocka_unit_test(files_travel_and_none_is_left_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

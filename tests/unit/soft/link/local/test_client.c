/* SPDX-License-Identifier: BSD-3-Clause */
/* A hostile listener ends the link with it, and nothing else. */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/link/link.h"
#include "soft/link/local/frame.h"
#include "soft/link/local/name.h"

#define ADDR "hostile-listener"

static struct soft_link_claim claim;
static struct soft_link *link_;
static union soft_frame frame;
static int sock = -1;

static void tick(time_t deadline)
{
    assert_true(whole_seconds_now() < deadline);
    sched_yield();
}

static char dir[] = "/tmp/opendoca-hostile-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) != NULL ? setenv("OPENDOCA_RUNTIME_DIR", dir, 1) : -1;
}

/* Links take their names with them. */
static int remove_dir(void **state)
{
    (void)state;
    return rmdir(dir);
}

static int setup(void **state)
{
    struct soft_link_conf conf = {.max_msg = 1000, .depth = 8, .connect_timeout = 30000};
    struct soft_link_name name;
    time_t deadline = whole_seconds_now() + 20;
    int fds[SOFT_FRAME_FDS];
    (void)state;
    assert_int_equal(soft_link_name_parse(ADDR, &name), 0);
    assert_int_equal(soft_link_name_claim(&name, &claim), 0);
    assert_int_equal(soft_link_connect("local:" ADDR, &conf, NULL, 0, &link_), 0);
    while ((sock = accept4(claim.sock, NULL, NULL, SOCK_NONBLOCK)) < 0)
        tick(deadline);
    while (soft_frame_receive(sock, &frame, fds) != 0)
        tick(deadline);
    memset(&frame, 0, sizeof(frame));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    soft_link_close(link_);
    close(sock);
    soft_link_name_withdraw(&claim);
    return 0;
}

static int wait_down(void)
{
    time_t deadline = whole_seconds_now() + 20;
    int reason;

    while (soft_link_poll(link_, &reason) != SOFT_LINK_DOWN)
        tick(deadline);
    return reason;
}

static void answer(uint32_t max_msg, uint32_t depth, const int *fds, unsigned int nfds)
{
    frame.answer.max_msg = max_msg;
    frame.answer.depth = depth;
    assert_int_equal(
        soft_frame_send(sock, &frame, soft_frame_seal(&frame, SOFT_FRAME_ANSWER), fds, nfds), 0);
}

static int memory_file(size_t size, unsigned int seals)
{
    int fd = memfd_create("hostile", MFD_ALLOW_SEALING);

    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

static void an_answer_without_memory(void **state)
{
    (void)state;
    answer(1000, 8, NULL, 0);
    assert_int_equal(wait_down(), -EPROTO);
}

static void memory_that_could_shrink(void **state)
{
    int fd = memory_file(4096 + 2 * 4096 + 2 * 8192, 0);

    (void)state;
    answer(1000, 8, &fd, 1);
    assert_int_equal(wait_down(), -EPROTO);
    close(fd);
}

static void memory_of_another_size(void **state)
{
    int fd = memory_file(4096, F_SEAL_SHRINK);

    (void)state;
    answer(1000, 8, &fd, 1);
    assert_int_equal(wait_down(), -EPROTO);
    close(fd);
}

static void longer_messages_than_we_said(void **state)
{
    int fd = memory_file(4096, F_SEAL_SHRINK);

    (void)state;
    answer(1001, 8, &fd, 1);
    assert_int_equal(wait_down(), -EPROTO);
    close(fd);
}

static void a_file_that_was_not_announced(void **state)
{
    int fds[2] = {memory_file(4096, F_SEAL_SHRINK), memory_file(4096, F_SEAL_SHRINK)};

    (void)state;
    answer(1000, 8, fds, 2);
    assert_int_equal(wait_down(), -EPROTO);
    close(fds[0]);
    close(fds[1]);
}

static void a_pipe_instead_of_memory(void **state)
{
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    answer(1000, 8, fds, 1);
    assert_int_equal(wait_down(), -EPROTO);
    close(fds[0]);
    close(fds[1]);
}

static void nonsense_instead_of_an_answer(void **state)
{
    (void)state;
    assert_int_equal(send(sock, "nonsense", 8, 0), 8);
    assert_int_equal(wait_down(), -EPROTO);
}

static void another_version(void **state)
{
    size_t size;

    (void)state;
    frame.refusal.code = SOFT_REFUSAL_VERSION;
    size = soft_frame_seal(&frame, SOFT_FRAME_REFUSAL);
    frame.head.version = 77;
    assert_int_equal(soft_frame_send(sock, &frame, size, NULL, 0), 0);
    assert_int_equal(wait_down(), -EPROTO);
}

static void a_wake_before_the_answer(void **state)
{
    (void)state;
    assert_int_equal(
        soft_frame_send(sock, &frame, soft_frame_seal(&frame, SOFT_FRAME_WAKE), NULL, 0), 0);
    assert_int_equal(wait_down(), -EPROTO);
}

static void a_listener_that_hangs_up_is_tried_again(void **state)
{
    time_t deadline = whole_seconds_now() + 20;
    int fds[SOFT_FRAME_FDS];

    (void)state;
    close(sock);
    while ((sock = accept4(claim.sock, NULL, NULL, SOCK_NONBLOCK)) < 0)
        tick(deadline);
    while (soft_frame_receive(sock, &frame, fds) != 0)
        tick(deadline);
    assert_int_equal(frame.head.type, SOFT_FRAME_HELLO);
    assert_int_equal(soft_link_poll(link_, NULL), SOFT_LINK_CONNECTING);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(an_answer_without_memory),      CASE(memory_that_could_shrink),
        CASE(memory_of_another_size),        CASE(longer_messages_than_we_said),
        CASE(a_file_that_was_not_announced), CASE(a_pipe_instead_of_memory),
        CASE(nonsense_instead_of_an_answer), CASE(another_version),
        CASE(a_wake_before_the_answer),      CASE(a_listener_that_hangs_up_is_tried_again),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

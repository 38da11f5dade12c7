/* SPDX-License-Identifier: BSD-3-Clause */
/* A hostile client harms nobody but itself. */

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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/link/link.h"
#include "soft/link/local/frame.h"
#include "soft/link/local/name.h"
#include "soft/link/local/ring.h"

#define ADDR "hostile"

static struct soft_link_listener *listener;
static struct od_waker waker;
static struct soft_link_conf conf = {
    .max_msg = 1000, .depth = 8, .connect_timeout = 30000, .backlog = 8, .answer_timeout = 30000};
static union soft_frame frame;
static uint64_t chance = 88172645463325252u;

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
    (void)state;
    assert_int_equal(od_waker_open(&waker), 0);
    conf.waker = &waker;
    assert_int_equal(soft_link_listen("local:" ADDR, &conf, &listener), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    soft_link_unlisten(listener);
    od_waker_close(&waker);
    return 0;
}

static void tick(time_t deadline)
{
    assert_true(whole_seconds_now() < deadline);
    sched_yield();
}

static struct soft_link *next_link(void)
{
    time_t deadline = whole_seconds_now() + 20;
    struct soft_link *link;

    while ((link = soft_link_next(listener)) == NULL)
        tick(deadline);
    return link;
}

static int wait_down(struct soft_link *link)
{
    time_t deadline = whole_seconds_now() + 20;
    int reason;

    while (soft_link_poll(link, &reason) != SOFT_LINK_DOWN)
        tick(deadline);
    return reason;
}

/* An honest client gets in and is served, whatever the others do. */
static void honest_client_works(void)
{
    time_t deadline = whole_seconds_now() + 20;
    struct soft_link *client, *server = NULL;
    char text[] = "fine";
    struct iovec iov = {.iov_base = text, .iov_len = 4};
    struct soft_link_msg msg;
    size_t len;

    assert_int_equal(soft_link_connect("local:" ADDR, &conf, "honest", 6, &client), 0);
    while (server == NULL) {
        server = next_link();
        if (soft_link_hello(server, &len) == NULL || len != 6) {
            soft_link_close(server);
            server = NULL;
        }
    }
    assert_int_equal(soft_link_accept(server, NULL, 0), 0);
    assert_int_equal(soft_link_send(server, &iov, 1), 0);
    while (soft_link_recv(client, &msg) != 0)
        tick(deadline);
    assert_memory_equal(msg.data, "fine", 4);
    soft_link_close(client);
    soft_link_close(server);
}

static int raw_connect(void)
{
    time_t deadline = whole_seconds_now() + 20;
    struct soft_link_name name;
    int fd;

    assert_int_equal(soft_link_name_parse(ADDR, &name), 0);
    while ((fd = soft_link_name_connect(&name)) == -EAGAIN)
        tick(deadline);
    assert_true(fd >= 0);
    return fd;
}

static void raw_hello(int sock)
{
    memset(&frame.hello, 0, 64);
    frame.hello.max_msg = 1000;
    frame.hello.depth = 8;
    assert_int_equal(
        soft_frame_send(sock, &frame, soft_frame_seal(&frame, SOFT_FRAME_HELLO), NULL, 0), 0);
}

/* A client by hand that is UP. */
struct raw {
    int sock;
    struct soft_link *server;
    char *memory;
    size_t len;
    struct soft_ring_shape shape;
};

static struct raw raw_open(void)
{
    time_t deadline = whole_seconds_now() + 20;
    struct raw raw = {.sock = raw_connect()};
    int fds[SOFT_FRAME_FDS];
    struct stat st;

    raw_hello(raw.sock);
    raw.server = next_link();
    assert_int_equal(soft_link_accept(raw.server, "hi", 2), 0);
    while (soft_frame_receive(raw.sock, &frame, fds) == -EAGAIN)
        tick(deadline);
    assert_int_equal(frame.head.type, SOFT_FRAME_ANSWER);
    assert_true(fds[0] >= 0 && fds[1] >= 0);
    assert_int_equal(fstat(fds[0], &st), 0);
    /* Nobody takes the memory away from under the other side. */
    assert_int_equal(ftruncate(fds[0], 0), -1);
    assert_int_equal(fcntl(fds[0], F_ADD_SEALS, F_SEAL_WRITE), -1);
    /* Nobody writes where the other says whether it sleeps. */
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0), MAP_FAILED);
    raw.len = (size_t)st.st_size;
    raw.memory = mmap(NULL, raw.len, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
    assert_true(raw.memory != MAP_FAILED);
    assert_true(soft_ring_shape(&raw.shape, 8, 1000));
    close(fds[0]);
    close(fds[1]);
    return raw;
}

static void raw_close(struct raw *raw)
{
    munmap(raw->memory, raw->len);
    close(raw->sock);
    soft_link_close(raw->server);
}

static struct soft_ring_slot *raw_slot(struct raw *raw, unsigned int i)
{
    return (void *)(raw->memory + 4096 + i * raw->shape.slot_size);
}

static uint64_t draw(void)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance;
}

static void random_packets_do_not_disturb(void **state)
{
    (void)state;
    for (unsigned int i = 0; i < 500; i++) {
        int sock = raw_connect();
        size_t len = draw() % sizeof(frame);

        for (size_t n = 0; n < len; n++)
            ((uint8_t *)&frame)[n] = (uint8_t)draw();
        if (i % 2 == 0) {
            /* Near to a good one. */
            memset(&frame.hello, 0, 64);
            frame.hello.max_msg = 100;
            frame.hello.depth = 1;
            len = soft_frame_seal(&frame, SOFT_FRAME_HELLO);
            ((uint8_t *)&frame)[draw() % len] ^= (uint8_t)(1 + draw() % 255);
        }
        send(sock, &frame, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        close(sock);
    }
    honest_client_works();
}

static void silent_connections_make_room(void **state)
{
    int socks[300];

    (void)state;
    for (unsigned int i = 0; i < 300; i++)
        socks[i] = raw_connect();
    honest_client_works();
    for (unsigned int i = 0; i < 300; i++)
        close(socks[i]);
}

static void connections_that_come_and_go_do_not_disturb(void **state)
{
    (void)state;
    for (unsigned int i = 0; i < 2000; i++)
        close(raw_connect());
    honest_client_works();
}

static void more_than_one_hello_is_the_end(void **state)
{
    int sock = raw_connect();
    struct soft_link *link;

    (void)state;
    raw_hello(sock);
    link = next_link();
    raw_hello(sock);
    assert_int_equal(wait_down(link), -ECONNRESET);
    soft_link_close(link);
    close(sock);
    honest_client_works();
}

static void a_flood_of_wakes_ends_the_link(void **state)
{
    struct raw raw = raw_open();

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        frame.wake = (struct soft_frame_wake){.epoch = 1};
        if (soft_frame_send(raw.sock, &frame, soft_frame_seal(&frame, SOFT_FRAME_WAKE), NULL, 0) !=
            0)
            break;
    }
    assert_int_equal(wait_down(raw.server), -ECONNRESET);
    raw_close(&raw);
    honest_client_works();
}

static void files_with_a_wake_are_closed(void **state)
{
    struct raw raw = raw_open();
    int files[2], next;

    (void)state;
    assert_int_equal(pipe(files), 0);
    next = dup(0);
    close(next);
    frame.wake = (struct soft_frame_wake){.epoch = 1};
    assert_int_equal(
        soft_frame_send(raw.sock, &frame, soft_frame_seal(&frame, SOFT_FRAME_WAKE), files, 2), 0);
    assert_int_equal(wait_down(raw.server), -ECONNRESET);
    assert_int_equal(dup(0), next);
    close(next);
    close(files[0]);
    close(files[1]);
    raw_close(&raw);
}

static void nonsense_in_the_ring_ends_the_link(void **state)
{
    struct raw raw = raw_open();
    struct soft_link_msg msg;

    (void)state;
    atomic_store(&raw_slot(&raw, 0)->len, UINT32_MAX);
    atomic_store(&raw_slot(&raw, 0)->where, 2);
    atomic_store(&raw_slot(&raw, 0)->mark, 1);
    assert_true(soft_link_pending(raw.server));
    assert_int_equal(soft_link_recv(raw.server, &msg), -ECONNRESET);
    assert_int_equal(wait_down(raw.server), -ECONNRESET);
    assert_int_equal(soft_link_recv(raw.server, &msg), -ECONNRESET);
    raw_close(&raw);
    honest_client_works();
}

/* Everything that it can write, again and again, while the other side works on. */
static void scribbling_harms_nothing(void **state)
{
    (void)state;
    for (unsigned int round = 0; round < 50; round++) {
        struct raw raw = raw_open();
        char text[] = "to a hostile one";
        struct iovec iov = {.iov_base = text, .iov_len = 16};
        char copy[1000];
        struct soft_link_msg msg;

        for (unsigned int i = 0; i < 200; i++) {
            for (unsigned int n = 0; n < 16; n++)
                ((uint32_t *)raw.memory)[draw() % (raw.len / 4)] =
                    (uint32_t)(draw() % 4 == 0 ? draw() : draw() % 16);
            atomic_store(&raw_slot(&raw, draw() % 9)->mark, (uint32_t)(draw() % 12));
            if (soft_link_recv(raw.server, &msg) == 0) {
                assert_in_range(msg.len, 0, 1000);
                assert_in_range((uintptr_t)msg.data % 16, 0, 0);
                memcpy(copy, msg.data, msg.len);
                soft_link_release(raw.server);
            }
            soft_link_send(raw.server, &iov, 1);
            soft_link_taken(raw.server);
            soft_link_pending(raw.server);
            soft_link_await(raw.server, draw() % 20);
            soft_link_peer_ended(raw.server);
        }
        soft_link_shutdown(raw.server);
        soft_link_poll(raw.server, NULL);
        raw_close(&raw);
    }
    honest_client_works();
}

static void a_huge_wish_gets_less(void **state)
{
    int sock = raw_connect();
    struct soft_link *link;

    (void)state;
    memset(&frame.hello, 0, 64);
    frame.hello.max_msg = UINT32_MAX;
    frame.hello.depth = SOFT_LINK_DEPTH_MAX;
    assert_int_equal(
        soft_frame_send(sock, &frame, soft_frame_seal(&frame, SOFT_FRAME_HELLO), NULL, 0), 0);
    link = next_link();
    assert_int_equal(soft_link_accept(link, NULL, 0), 0);
    assert_int_equal(soft_link_max_msg(link), 1000);
    assert_in_range(soft_link_depth(link), 8, SOFT_LINK_DEPTH_MAX);
    soft_link_close(link);
    close(sock);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(random_packets_do_not_disturb),
        CASE(silent_connections_make_room),
        CASE(connections_that_come_and_go_do_not_disturb),
        CASE(more_than_one_hello_is_the_end),
        CASE(a_flood_of_wakes_ends_the_link),
        CASE(files_with_a_wake_are_closed),
        CASE(nonsense_in_the_ring_ends_the_link),
        CASE(scribbling_harms_nothing),
        CASE(a_huge_wish_gets_less),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

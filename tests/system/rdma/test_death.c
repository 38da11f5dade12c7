/* SPDX-License-Identifier: BSD-3-Clause */
/* The peer dies at one point after the other, or breaks the rules: nothing hangs, and each task has
 * a status that says what was. */
#include <sys/syscall.h>

#include "lib/rdma_fixture.h"

enum point {
    AFTER_DETAILS, /* before it connects, and perhaps before it can answer */
    AFTER_CONNECT,
    WITH_RECEIVES, /* some of what is sent can be taken */
    DURING_WRITES,
    POINTS
};

/* The victim must have said all that it has to say by then. */
#define CONNECT_SECONDS 20

/* Says where it is, and waits to be killed. */
static void victim(int peer)
{
    struct doca_rdma_connection *conn;
    struct end end = {0};
    char details[1024];
    const void *own;
    size_t len;
    char point;

    end_open(&end, 1u << 20);
    need(ask(peer, &point, 1) == 1);
    need_ok(doca_rdma_export(end.rdma, &own, &len, &conn));
    tell(peer, own, len);
    len = ask(peer, details, sizeof(details));
    if (point != AFTER_DETAILS)
        need_ok(doca_rdma_connect(end.rdma, details, len, conn));
    side_share(&end, peer);
    if (point == WITH_RECEIVES)
        for (int i = 0; i < 3; i++)
            need_ok(end_receive(&end, end_room(&end, 0, 64)));
    say(peer, 'k');
    for (;;)
        doca_pe_progress(end.pe);
}

/* What touches the peer's memory is done when both are connected. */
static void wait_for_connection(struct end *end, struct far *far)
{
    need_ok(end_write(end, end->conn, end_data(end, 0, 8), far_room(end, far, 0, 8), 0));
    progress_until(end, end->ok == 1);
    end->ok = 0;
}

static void survivor_at(enum point point, int other, pid_t pid)
{
    struct end end = {0};
    struct far far;
    char what = (char)point;
    double since;
    unsigned int sent = 0;

    end_create(&end, 1u << 20);
    if (point == AFTER_DETAILS) /* the longest that a peer's death may take to be seen */
        need_ok(doca_rdma_set_connection_request_timeout(end.rdma, CONNECT_SECONDS * 1000));
    end_start(&end);
    tell(other, &what, 1);
    side_connect(&end, other);
    far = side_import(&end, other);
    hear(other, 'k');
    if (point != AFTER_DETAILS)
        wait_for_connection(&end, &far);
    need_ok(end_receive(&end, end_room(&end, 0, 64)));
    for (int i = 0; i < 5; i++, sent++) {
        if (point == DURING_WRITES)
            need_ok(end_write(&end, end.conn, end_data(&end, 0, 1u << 20),
                              far_room(&end, &far, 0, 1u << 20), 0));
        else
            need_ok(end_send(&end, end.conn, end_data(&end, 0, 64), 0));
    }
    if (point == WITH_RECEIVES)
        progress_until(&end, end.ok == 3);
    need(kill(pid, SIGKILL) == 0);
    since = end_seconds();
    sleep_until(&end, end.ok + end.failed == sent && end.receives_failed == 1);
    need(end_seconds() - since < CONNECT_SECONDS + 20);
    if (point == AFTER_CONNECT || point == AFTER_DETAILS)
        need(end.ok == 0);
    if (point == WITH_RECEIVES)
        need(end.ok == 3);
    if (end.failed > 0)
        need(end.status == DOCA_ERROR_CONNECTION_RESET ||
             end.status == DOCA_ERROR_CONNECTION_ABORTED || end.status == DOCA_ERROR_IO_FAILED);
    need_code(DOCA_ERROR_NOT_CONNECTED, end_send(&end, end.conn, NULL, 0));
    /* And the instance goes on: the place is free. */
    {
        const void *own;
        size_t len;

        need_ok(doca_rdma_export(end.rdma, &own, &len, &end.conn));
    }
    end_close(&end);
}

static int the_other;
static pid_t the_pid;

/* Dead, and all that was open is closed. */
static void end_of_process(pid_t pid)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

    need(end.fd >= 0);
    need(kill(pid, SIGKILL) == 0);
    need(poll(&end, 1, SIDE_SECONDS * 1000) == 1);
    close(end.fd);
}

/* The link comes and goes, and the program has not looked meanwhile. */
static void survivor_that_does_not_look(int unused)
{
    struct pollfd fd = {.events = POLLIN};
    struct end end = {0};
    char what = AFTER_DETAILS;

    (void)unused;
    end_create(&end, 4096);
    /* So that its alarm does not end the sleep. */
    need_ok(doca_rdma_set_connection_request_timeout(end.rdma, UINT16_MAX));
    end_start(&end);
    tell(the_other, &what, 1);
    side_connect(&end, the_other);
    side_import(&end, the_other);
    hear(the_other, 'k');
    need_ok(end_receive(&end, NULL));
    need_ok(end_send(&end, end.conn, NULL, 0));
    need_ok(doca_pe_get_notification_handle(end.pe, &fd.fd));
    need_ok(doca_pe_request_notification(end.pe));
    need(poll(&fd, 1, END_SECONDS * 1000) == 1);
    end_of_process(the_pid);
    let_the_thread_catch_up();
    need_ok(doca_pe_clear_notification(end.pe, 0));
    sleep_until(&end, end.failed == 1 && end.receives_failed == 1);
    need(end.status == DOCA_ERROR_CONNECTION_RESET);
    end_close(&end);
}

static void dies_before_anybody_has_looked(void **state)
{
    int unused;
    pid_t pid;

    (void)state;
    the_pid = side_start(victim, &the_other);
    pid = side_start(survivor_that_does_not_look, &unused);
    close(unused);
    close(the_other);
    assert_int_equal(side_wait(pid), 0);
    assert_int_equal(side_wait(the_pid), 128 + SIGKILL);
}

static enum point the_point;

static void survivor(int peer)
{
    (void)peer;
    survivor_at(the_point, the_other, the_pid);
}

static void kill_at(enum point point)
{
    int unused;
    pid_t pid;

    the_point = point;
    the_pid = side_start(victim, &the_other);
    pid = side_start(survivor, &unused);
    close(unused);
    close(the_other);
    assert_int_equal(side_wait(pid), 0);
    kill(the_pid, SIGKILL);
    assert_int_equal(side_wait(the_pid), 128 + SIGKILL);
}

static void dies_before_it_connects(void **state)
{
    (void)state;
    kill_at(AFTER_DETAILS);
}

static void dies_when_connected(void **state)
{
    (void)state;
    kill_at(AFTER_CONNECT);
}

static void dies_with_some_messages_taken(void **state)
{
    (void)state;
    kill_at(WITH_RECEIVES);
}

static void dies_while_its_memory_is_written(void **state)
{
    (void)state;
    kill_at(DURING_WRITES);
}

/* Dies before the call, and nothing of it is there. */
static void gives_details(int peer)
{
    struct end end = {0};
    const void *own;
    size_t len;

    end_open(&end, 4096);
    need_ok(doca_rdma_export(end.rdma, &own, &len, &end.conn));
    tell(peer, own, len);
    raise(SIGKILL);
}

static void has_dead_details(int peer)
{
    struct end end = {0};
    char details[1024];
    const void *own;
    size_t own_len, len;

    (void)peer;
    len = ask(the_other, details, sizeof(details));
    hear(peer, 'd');
    end_create(&end, 4096);
    need_ok(doca_rdma_set_connection_request_timeout(end.rdma, 300));
    end_start(&end);
    need_ok(doca_rdma_export(end.rdma, &own, &own_len, &end.conn));
    need_ok(doca_rdma_connect(end.rdma, details, len, end.conn));
    need_ok(end_send(&end, end.conn, NULL, 0));
    sleep_until(&end, end.failed == 1);
    need(end.status == DOCA_ERROR_CONNECTION_ABORTED);
    end_close(&end);
}

static void details_of_the_dead_lead_nowhere(void **state)
{
    int peer;
    pid_t pid;

    (void)state;
    the_pid = side_start(gives_details, &the_other);
    pid = side_start(has_dead_details, &peer);
    close(the_other);
    assert_int_equal(side_wait(the_pid), 128 + SIGKILL);
    say(peer, 'd');
    close(peer);
    assert_int_equal(side_wait(pid), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dies_before_it_connects),
        cmocka_unit_test(dies_before_anybody_has_looked),
        cmocka_unit_test(dies_when_connected),
        cmocka_unit_test(dies_with_some_messages_taken),
        cmocka_unit_test(dies_while_its_memory_is_written),
        cmocka_unit_test(details_of_the_dead_lead_nowhere),
    };

    return cmocka_run_group_tests(tests, rdma_setup, rdma_teardown);
}

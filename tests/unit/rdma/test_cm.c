/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections by address, between two instances of one process. */
#include "lib/rdma_fixture.h"

/* Nobody else gets the port until the test is over. */
static uint16_t listen_somewhere(struct end *end, int *held)
{
    uint16_t port;

    *held = hold_port(&port);
    need_ok(doca_rdma_start_listen_to_port(end->rdma, port));
    return port;
}

static doca_error_t call(struct end *end, uint16_t port)
{
    struct doca_rdma_addr *addr;
    doca_error_t result;

    need_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", port, &addr));
    result = doca_rdma_connect_to_addr(end->rdma, addr, number(17));
    need_ok(doca_rdma_addr_destroy(addr));
    return result;
}

static void a_call_is_accepted(void **state)
{
    struct end a = {0}, b = {0};
    struct doca_rdma_addr *addr;
    enum doca_rdma_addr_type type;
    union doca_data data;
    const char *text;
    uint16_t port, seen;
    int held;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    port = listen_somewhere(&b, &held);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_start_listen_to_port(b.rdma, port));
    need_code(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_start_listen_to_port(a.rdma, port));
    need_ok(call(&a, port));
    progress_both(&a, &b, a.established == 1 && b.established == 1);
    assert_int_equal(b.requests, 1);
    assert_int_equal(a.requests, 0);
    need_ok(doca_rdma_connection_get_user_data(a.conn, &data));
    assert_int_equal(data.u64, 17);
    need_ok(doca_rdma_connection_get_addr(a.conn, &addr));
    need_ok(doca_rdma_addr_get_params(addr, &type, &text, &seen));
    assert_int_equal(type, DOCA_RDMA_ADDR_TYPE_IPv4);
    assert_string_equal(text, "127.0.0.1");
    assert_int_equal(seen, port);
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_addr_destroy(addr));

    memcpy(a.mem, "hello", 5);
    need_ok(end_receive(&b, end_room(&b, 0, 64)));
    need_ok(end_send(&a, a.conn, end_data(&a, 0, 5), 1));
    progress_both(&a, &b, a.ok == 1 && b.received == 1);
    assert_memory_equal(b.mem, "hello", 5);

    need_ok(doca_rdma_connection_disconnect(a.conn));
    need_code(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connection_disconnect(a.conn));
    progress_both(&a, &b, a.disconnects == 1 && b.disconnects == 1);
    assert_int_equal(a.failures + b.failures, 0);
    /* And again, with what is left. */
    need_ok(call(&a, port));
    progress_both(&a, &b, a.established == 2 && b.established == 2);
    end_close(&a);
    progress_until(&b, b.disconnects == 2);
    need_ok(doca_rdma_stop_listen_to_port(b.rdma, port));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_stop_listen_to_port(b.rdma, port));
    end_close(&b);
    close(held);
}

/* Before the program of the other side has looked: to it, too, there was a connection. */
static void a_caller_may_leave_at_once(void **state)
{
    struct end a = {0}, b = {0};
    uint16_t port;
    int held;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    port = listen_somewhere(&b, &held);
    need_ok(call(&a, port));
    progress_both(&a, &b, b.requests == 1);
    assert_int_equal(b.established, 0);
    progress_until(&a, a.established == 1);
    end_close(&a);
    let_the_thread_catch_up();
    sleep_until(&b, b.disconnects + b.failures == 1);
    assert_int_equal(b.established, 1);
    assert_int_equal(b.failures, 0);
    end_close(&b);
    close(held);
}

static void a_call_is_rejected(void **state)
{
    struct end a = {0}, b = {.rejects = true};
    uint16_t port;
    int held;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    port = listen_somewhere(&b, &held);
    need_ok(call(&a, port));
    progress_both(&a, &b, a.failures == 1);
    assert_int_equal(b.requests, 1);
    assert_int_equal(b.established + b.failures + b.disconnects + a.disconnects, 0);
    /* Nobody at all. */
    need_ok(doca_rdma_stop_listen_to_port(b.rdma, port));
    need_ok(call(&a, port));
    progress_until(&a, a.failures == 2);
    end_close(&a);
    end_close(&b);
    close(held);
}

static void no_place_is_a_refusal(void **state)
{
    struct end a = {0}, b = {0}, c = {0};
    uint16_t port;
    int held;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    end_open(&c, 4096);
    port = listen_somewhere(&b, &held);
    need_ok(call(&a, port));
    need_code(DOCA_ERROR_FULL, call(&a, port));
    progress_both(&a, &b, a.established == 1 && b.established == 1);
    need_ok(call(&c, port));
    progress_both(&b, &c, c.failures == 1);
    assert_int_equal(b.requests, 1);
    end_close(&a);
    end_close(&b);
    end_close(&c);
    close(held);
}

static void a_request_does_not_wait_for_ever(void **state)
{
    struct end a = {0};
    struct sockaddr_in addr = {.sin_family = AF_INET};
    socklen_t len = sizeof(addr);
    int fd;

    (void)state;
    /* Somebody who takes the connection and says nothing. */
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(fd, 5) == 0);
    need(getsockname(fd, (struct sockaddr *)&addr, &len) == 0);
    end_create(&a, 4096);
    need_ok(doca_rdma_set_connection_request_timeout(a.rdma, 50));
    end_start(&a);
    need_ok(call(&a, ntohs(addr.sin_port)));
    sleep_until(&a, a.failures == 1);
    close(fd);
    end_close(&a);
}

/* Whoever speaks to the port, and in whichever way. */
static void strangers_do_no_harm(void **state)
{
    struct end a = {0}, b = {0};
    struct sockaddr_in addr = {.sin_family = AF_INET};
    char text[100];
    uint16_t port;
    int fd, held;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    port = listen_somewhere(&b, &held);
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    addr.sin_port = htons(port);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    need(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
    memset(text, 'x', sizeof(text));
    need(send(fd, text, sizeof(text), MSG_NOSIGNAL) == (ssize_t)sizeof(text));
    /* It is shown the door. */
    need(recv(fd, text, 1, 0) <= 0);
    close(fd);
    need_ok(call(&a, port));
    progress_both(&a, &b, a.established == 1 && b.established == 1);
    end_close(&a);
    end_close(&b);
    close(held);
}

static void addresses_are_checked(void **state)
{
    struct doca_rdma_addr *addr;
    enum doca_rdma_addr_type type;
    const char *text;
    uint16_t port;

    (void)state;
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, NULL, 1, &addr));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "1.2.3.4", 1, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "1.2.3.4", 0, &addr));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "::1", 1, &addr));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv6, "1.2.3.4", 1, &addr));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_GID, "localhost", 1, &addr));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_addr_create((enum doca_rdma_addr_type)3, "1.2.3.4", 1, &addr));
    need_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_GID, "::ffff:1.2.3.4", 77, &addr));
    need_ok(doca_rdma_addr_get_params(addr, &type, &text, &port));
    assert_int_equal(type, DOCA_RDMA_ADDR_TYPE_GID);
    assert_string_equal(text, "::ffff:1.2.3.4");
    assert_int_equal(port, 77);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_addr_get_params(addr, NULL, &text, &port));
    need_ok(doca_rdma_addr_destroy(addr));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_addr_destroy(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_accepted),
        cmocka_unit_test(a_call_is_rejected),
        cmocka_unit_test(a_caller_may_leave_at_once),
        cmocka_unit_test(no_place_is_a_refusal),
        cmocka_unit_test(a_request_does_not_wait_for_ever),
        cmocka_unit_test(strangers_do_no_harm),
        cmocka_unit_test(addresses_are_checked),
    };

    return cmocka_run_group_tests(tests, rdma_setup, rdma_teardown);
}

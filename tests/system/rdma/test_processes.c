/* SPDX-License-Identifier: BSD-3-Clause */
/* RDMA between processes. The process of the tests itself opens nothing, so that it may fork. */
#include "lib/rdma_fixture.h"

#include <stdatomic.h>

#include <doca_sync_event.h>

/* ---- ping-pong ---- */

#define ROUNDS 500u

static void ping(int peer)
{
    struct end end = {0};
    struct doca_buf *out, *in;

    end_open(&end, 4096);
    side_connect(&end, peer);
    out = end_data(&end, 0, 16);
    in = end_room(&end, 64, 16);
    for (unsigned int i = 0; i < ROUNDS; i++) {
        memcpy(end.mem, &i, sizeof(i));
        need_ok(doca_buf_reset_data_len(in));
        need_ok(end_receive(&end, in));
        need_ok(end_send(&end, end.conn, out, i));
        progress_until(&end, end.received == i + 1 && end.ok == i + 1);
        need(memcmp(end.mem + 64, &i, sizeof(i)) == 0);
    }
    hear(peer, 'e');
    end_close(&end);
}

static void pong(int peer)
{
    struct end end = {0};
    struct doca_buf *out, *in;

    end_open(&end, 4096);
    out = end_data(&end, 0, 16);
    in = end_room(&end, 0, 16);
    side_connect(&end, peer);
    for (unsigned int i = 0; i < ROUNDS; i++) {
        need_ok(doca_buf_reset_data_len(in));
        need_ok(end_receive(&end, in));
        progress_until(&end, end.received == i + 1);
        need_ok(end_send(&end, end.conn, out, i));
    }
    progress_until(&end, end.ok == ROUNDS);
    say(peer, 'e');
    end_close(&end);
}

static void messages_go_to_and_fro(void **state)
{
    (void)state;
    run_two(ping, pong);
}

/* ---- the owner of the memory does nothing ---- */

static void uses_memory(int peer)
{
    struct end end = {0};
    struct far far;

    end_open(&end, 1u << 20);
    side_connect(&end, peer);
    far = side_import(&end, peer);
    memset(end.mem, 'x', 1u << 20);
    need_ok(end_write(&end, end.conn, end_data(&end, 0, 1u << 20),
                      far_room(&end, &far, 0, 1u << 20), 1));
    progress_until(&end, end.ok == 1);
    memset(end.mem, 0, 1u << 20);
    need_ok(end_read(&end, end.conn, far_data(&end, &far, 1, 1000), end_room(&end, 0, 1000), 2));
    progress_until(&end, end.ok == 2);
    for (int i = 0; i < 1000; i++)
        need(end.mem[i] == 'x');
    say(peer, 'd');
    end_close(&end);
}

static void owns_memory(int peer)
{
    struct end end = {0};

    end_open(&end, 1u << 20);
    side_connect(&end, peer);
    side_share(&end, peer);
    hear(peer, 'd'); /* sleeps in a system call meanwhile */
    for (size_t i = 0; i < 1u << 20; i++)
        need(end.mem[i] == 'x');
    end_close(&end);
}

static void memory_is_used_while_its_owner_sleeps(void **state)
{
    (void)state;
    run_two(uses_memory, owns_memory);
}

/* ---- two clients count at one place ---- */

#define ADDS 1000u

static void counts(int peer)
{
    struct end end = {0};
    struct doca_rdma_addr *addr;
    struct doca_buf *cell, *before, *lock, *counter, *in, *out, *there;
    struct far far;
    uint16_t port;

    end_open(&end, 4096);
    need(ask(peer, &port, sizeof(port)) == sizeof(port));
    far = side_import(&end, peer);
    need_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", port, &addr));
    need_ok(doca_rdma_connect_to_addr(end.rdma, addr, number(0)));
    need_ok(doca_rdma_addr_destroy(addr));
    progress_until(&end, end.established == 1);
    cell = far_room(&end, &far, 8, 8);
    before = end_room(&end, 0, 8);
    for (unsigned int i = 0; i < ADDS; i++) {
        need_ok(end_add(&end, end.conn, cell, before, 1));
        if (i % 32 == 31)
            progress_until(&end, end.ok == i + 1);
    }
    progress_until(&end, end.ok == ADDS);
    /* And a lock made of compare and swap, around a counter that is not atomic. Its owner may stand
     * still for as long as it takes: an attempt uses up nothing. */
    lock = far_room(&end, &far, 16, 8);
    counter = far_data(&end, &far, 24, 8);
    there = far_room(&end, &far, 24, 8);
    in = end_room(&end, 64, 8);
    out = end_data(&end, 64, 8);
    for (unsigned int i = 0; i < 100;) {
        unsigned int done = end.ok;
        uint64_t value;

        need_ok(end_swap(&end, end.conn, lock, before, 0, 1));
        progress_until(&end, end.ok == done + 1);
        memcpy(&value, end.mem, 8);
        if (value != 0)
            continue;
        need_ok(doca_buf_reset_data_len(in));
        need_ok(end_read(&end, end.conn, counter, in, 0));
        progress_until(&end, end.ok == done + 2);
        memcpy(&value, end.mem + 64, 8);
        value++;
        memcpy(end.mem + 64, &value, 8);
        need_ok(doca_buf_reset_data_len(there));
        need_ok(end_write(&end, end.conn, out, there, 0));
        need_ok(end_swap(&end, end.conn, lock, before, 1, 0));
        progress_until(&end, end.ok == done + 4);
        i++;
    }
    say(peer, 'd');
    end_close(&end);
}

static void is_counted_at(int clients[2])
{
    struct end end = {0};
    uint16_t port;
    int held;

    end_create(&end, 4096);
    need_ok(doca_rdma_set_max_num_connections(end.rdma, 2));
    end_start(&end);
    held = hold_port(&port);
    need_ok(doca_rdma_start_listen_to_port(end.rdma, port));
    for (int i = 0; i < 2; i++) {
        tell(clients[i], &port, sizeof(port));
        side_share(&end, clients[i]);
    }
    sleep_until(&end, end.established == 2);
    hear(clients[0], 'd');
    hear(clients[1], 'd');
    need(atomic_load((_Atomic uint64_t *)(end.mem + 8)) == 2 * ADDS);
    need(atomic_load((_Atomic uint64_t *)(end.mem + 24)) == 200);
    sleep_until(&end, end.disconnects == 2);
    end_close(&end);
    close(held);
}

static void two_clients_count_exactly(void **state)
{
    int clients[2], status;
    pid_t pids[2], server;

    (void)state;
    pids[0] = side_start(counts, &clients[0]);
    pids[1] = side_start(counts, &clients[1]);
    fflush(NULL);
    server = fork();
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(SIDE_SECONDS);
        is_counted_at(clients);
        exit(0);
    }
    close(clients[0]);
    close(clients[1]);
    status = side_wait(server);
    assert_int_equal(side_wait(pids[0]), 0);
    assert_int_equal(side_wait(pids[1]), 0);
    assert_int_equal(status, 0);
}

/* ---- sleepers ---- */

static void sleeps_and_receives(int peer)
{
    struct end end = {0};

    end_open(&end, 4096);
    side_connect(&end, peer);
    need_ok(end_receive(&end, end_room(&end, 0, 64)));
    say(peer, 'r');
    sleep_until(&end, end.received == 1);
    need_ok(end_send(&end, end.conn, end_data(&end, 0, 4), 0));
    sleep_until(&end, end.ok == 1);
    /* The peer goes: what is posted has nobody to wait for. */
    need_ok(end_receive(&end, end_room(&end, 0, 64)));
    say(peer, 'r');
    sleep_until(&end, end.receives_failed == 1);
    need(end.status == DOCA_ERROR_CONNECTION_RESET);
    end_close(&end);
}

static void sleeps_and_sends(int peer)
{
    struct end end = {0};

    end_open(&end, 4096);
    side_connect(&end, peer);
    /* The receive task comes while this one sleeps. */
    need_ok(end_send(&end, end.conn, end_data(&end, 0, 4), 0));
    sleep_until(&end, end.ok == 1);
    hear(peer, 'r');
    need_ok(end_receive(&end, end_room(&end, 0, 64)));
    sleep_until(&end, end.received == 1);
    hear(peer, 'r');
    end_close(&end);
}

static void nobody_needs_to_poll(void **state)
{
    (void)state;
    run_two(sleeps_and_receives, sleeps_and_sends);
}

/* ---- sync events ---- */

static void owns_event(int peer)
{
    struct doca_dev *dev = end_open_dev();
    struct doca_sync_event *event;
    const uint8_t *data;
    struct end end = {0};
    uint64_t value;
    size_t len;

    end_open(&end, 4096);
    need_ok(doca_sync_event_create(&event));
    need_ok(doca_sync_event_add_publisher_location_remote_net(event));
    need_ok(doca_sync_event_add_subscriber_location_cpu(event, dev));
    need_ok(doca_sync_event_start(event));
    side_connect(&end, peer);
    need_ok(doca_sync_event_export_to_remote_net(event, &data, &len));
    tell(peer, data, len);
    need_ok(doca_sync_event_wait_gt(event, 6, UINT64_MAX));
    need_ok(doca_sync_event_get(event, &value));
    need(value == 7);
    need_ok(doca_sync_event_update_set(event, 100));
    say(peer, 's');
    hear(peer, 'd');
    need_ok(doca_sync_event_get(event, &value));
    need(value == 105);
    need_ok(doca_sync_event_stop(event));
    need_ok(doca_sync_event_destroy(event));
    end_close(&end);
    need_ok(doca_dev_close(dev));
}

static void uses_event(int peer)
{
    struct doca_rdma_task_remote_net_sync_event_notify_set *set;
    struct doca_rdma_task_remote_net_sync_event_notify_add *add;
    struct doca_rdma_task_remote_net_sync_event_get *get;
    struct doca_sync_event_remote_net *event;
    struct end end = {0};
    uint8_t data[2048];
    uint64_t *value;
    size_t len;

    end_open(&end, 4096);
    value = (uint64_t *)end.mem;
    side_connect(&end, peer);
    len = ask(peer, data, sizeof(data));
    need_ok(doca_sync_event_remote_net_create_from_export(end.dev, data, len, &event));
    value[0] = 7;
    need_ok(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
        end.rdma, end.conn, event, end_data(&end, 0, 8), number(0), &set));
    need_ok(end_submit(doca_rdma_task_remote_net_sync_event_notify_set_as_task(set)));
    progress_until(&end, end.ok == 1);
    hear(peer, 's');
    need_ok(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
        end.rdma, end.conn, event, end_room(&end, 8, 8), 5, number(0), &add));
    need_ok(end_submit(doca_rdma_task_remote_net_sync_event_notify_add_as_task(add)));
    progress_until(&end, end.ok == 2);
    need(value[1] == 100);
    need_ok(doca_rdma_task_remote_net_sync_event_get_allocate_init(
        end.rdma, end.conn, event, end_room(&end, 16, 8), number(0), &get));
    need_ok(end_submit(doca_rdma_task_remote_net_sync_event_get_as_task(get)));
    progress_until(&end, end.ok == 3);
    need(value[2] == 105);
    need_ok(doca_sync_event_remote_net_destroy(event));
    say(peer, 'd');
    end_close(&end);
}

static void sync_events_of_the_peer_work(void **state)
{
    (void)state;
    run_two(owns_event, uses_event);
}

/* ---- one side is late ---- */

static void connects_at_once(int peer)
{
    struct end end = {0};

    end_open(&end, 4096);
    side_connect(&end, peer);
    need_ok(end_send(&end, end.conn, end_data(&end, 0, 4), 0));
    for (int i = 0; i < 1000; i++)
        doca_pe_progress(end.pe);
    need(end.ok == 0 && end.failed == 0);
    say(peer, 'g');
    progress_until(&end, end.ok == 1);
    end_close(&end);
}

static void connects_late(int peer)
{
    struct doca_rdma_connection *conn;
    struct end end = {0};
    char details[1024];
    const void *own;
    size_t len;

    end_open(&end, 4096);
    need_ok(doca_rdma_export(end.rdma, &own, &len, &conn));
    tell(peer, own, len);
    len = ask(peer, details, sizeof(details));
    need_code(DOCA_ERROR_NOT_CONNECTED, end_send(&end, conn, end_data(&end, 0, 4), 0));
    hear(peer, 'g');
    need_ok(doca_rdma_connect(end.rdma, details, len, conn));
    need_ok(end_receive(&end, end_room(&end, 0, 64)));
    progress_until(&end, end.received == 1);
    end_close(&end);
}

static void the_first_to_connect_waits_for_the_second(void **state)
{
    (void)state;
    run_two(connects_at_once, connects_late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_go_to_and_fro),
        cmocka_unit_test(memory_is_used_while_its_owner_sleeps),
        cmocka_unit_test(two_clients_count_exactly),
        cmocka_unit_test(nobody_needs_to_poll),
        cmocka_unit_test(sync_events_of_the_peer_work),
        cmocka_unit_test(the_first_to_connect_waits_for_the_second),
    };

    return cmocka_run_group_tests(tests, rdma_setup, rdma_teardown);
}

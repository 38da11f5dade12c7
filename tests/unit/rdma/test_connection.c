/* SPDX-License-Identifier: BSD-3-Clause */
/* How connections are made by details, and how they end. */
#include "lib/rdma_fixture.h"

static void there_are_as_many_as_asked_for(void **state)
{
    struct doca_rdma_connection *conns[3];
    struct end end = {0};
    const void *details;
    uint32_t id;
    size_t len;

    (void)state;
    end_create(&end, 4096);
    need_ok(doca_rdma_set_max_num_connections(end.rdma, 2));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_export(end.rdma, &details, &len, &conns[0]));
    end_start(&end);
    need_ok(doca_rdma_export(end.rdma, &details, &len, &conns[0]));
    assert_in_range(len, 1, 512);
    need_ok(doca_rdma_export(end.rdma, &details, &len, &conns[1]));
    need_code(DOCA_ERROR_FULL, doca_rdma_export(end.rdma, &details, &len, &conns[2]));
    need_ok(doca_rdma_connection_get_id(conns[0], &id));
    assert_int_equal(id, 0);
    need_ok(doca_rdma_connection_get_id(conns[1], &id));
    assert_int_equal(id, 1);
    /* The lowest number is given again. */
    need_ok(doca_rdma_connection_disconnect(conns[0]));
    doca_pe_progress(end.pe);
    need_ok(doca_rdma_export(end.rdma, &details, &len, &conns[2]));
    need_ok(doca_rdma_connection_get_id(conns[2], &id));
    assert_int_equal(id, 0);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(end.rdma, NULL, &len, &conns[2]));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(end.rdma, &details, NULL, &conns[2]));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_export(end.rdma, &details, &len, NULL));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_destroy(end.rdma));
    end_close(&end);
}

static void details_are_checked(void **state)
{
    struct end a = {0}, b = {0};
    const void *a_details, *b_details;
    char bytes[512];
    size_t len;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    need_ok(doca_rdma_export(a.rdma, &a_details, &len, &a.conn));
    need_ok(doca_rdma_export(b.rdma, &b_details, &len, &b.conn));
    memcpy(bytes, b_details, len);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, bytes, len - 1, a.conn));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, bytes, len + 1, a.conn));
    bytes[40] ^= 1;
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, bytes, len, a.conn));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, NULL, len, a.conn));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, b_details, len, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, b_details, len, b.conn));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connect(a.rdma, a_details, len, a.conn));
    /* All of that has changed nothing. */
    need_ok(doca_rdma_connect(a.rdma, b_details, len, a.conn));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_connect(a.rdma, b_details, len, a.conn));
    need_ok(doca_rdma_connect(b.rdma, a_details, len, b.conn));
    need_ok(end_receive(&b, NULL));
    need_ok(end_send(&a, a.conn, NULL, 0));
    progress_both(&a, &b, a.ok == 1 && b.received == 1);
    end_close(&a);
    end_close(&b);
}

/* Somebody else has used our details first. */
static void the_wrong_peer_is_noticed(void **state)
{
    struct end a = {0}, b = {0}, c = {0};
    const void *a_details, *b_details, *c_details;
    size_t len;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    end_open(&c, 4096);
    need_ok(doca_rdma_export(a.rdma, &a_details, &len, &a.conn));
    need_ok(doca_rdma_export(b.rdma, &b_details, &len, &b.conn));
    need_ok(doca_rdma_export(c.rdma, &c_details, &len, &c.conn));
    need_ok(doca_rdma_connect(c.rdma, a_details, len, c.conn));
    /* The link is up when nothing that was sent over it waits any more. */
    need_ok(end_write_imm(&c, c.conn, NULL, NULL, 0));
    for (int i = 0; i < 100000 &&
                    doca_rdma_connect(a.rdma, b_details, len, a.conn) != DOCA_ERROR_INVALID_VALUE;
         i++) {
        /* It had not come yet: begin anew. */
        need_ok(doca_rdma_connection_disconnect(a.conn));
        progress_until(&a, doca_rdma_export(a.rdma, &a_details, &len, &a.conn) == DOCA_SUCCESS);
        need_ok(doca_rdma_connection_disconnect(c.conn));
        progress_until(&c, doca_rdma_export(c.rdma, &c_details, &len, &c.conn) == DOCA_SUCCESS);
        need_ok(doca_rdma_connect(c.rdma, a_details, len, c.conn));
        for (int j = 0; j < 1000; j++)
            doca_pe_progress(c.pe);
    }
    /* The rightful one comes too late. */
    need_ok(doca_rdma_connection_disconnect(b.conn));
    progress_until(&b, doca_rdma_export(b.rdma, &b_details, &len, &b.conn) == DOCA_SUCCESS);
    need_ok(doca_rdma_connect(b.rdma, a_details, len, b.conn));
    need_ok(end_send(&b, b.conn, NULL, 0));
    progress_until(&b, b.failed == 1);
    assert_int_equal(b.status, DOCA_ERROR_CONNECTION_ABORTED);
    need_ok(doca_rdma_connect(a.rdma, c_details, len, a.conn));
    end_close(&a);
    end_close(&b);
    end_close(&c);
}

static void a_disconnect_flushes(void **state)
{
    struct end a = {0}, b = {0};

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    ends_connect(&a, &b);
    need_ok(end_receive(&a, NULL));
    need_ok(end_receive(&b, NULL));
    need_ok(end_receive(&b, NULL));
    need_ok(end_send(&a, a.conn, NULL, 0));
    progress_both(&a, &b, a.ok == 1);
    for (int i = 0; i < 3; i++)
        need_ok(end_send(&b, b.conn, NULL, 0));
    progress_both(&a, &b, b.ok == 1);
    need_ok(doca_rdma_connection_disconnect(b.conn));
    need_code(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connection_disconnect(b.conn));
    need_code(DOCA_ERROR_NOT_CONNECTED, end_send(&b, b.conn, NULL, 0));
    progress_until(&b, b.failed == 2 && b.receives_failed == 1);
    need_ok(end_receive(&a, NULL));
    progress_until(&a, a.received == 2 || a.receives_failed == 1);
    assert_int_equal(b.status, DOCA_ERROR_CONNECTION_RESET);
    progress_until(&a, doca_rdma_connection_disconnect(a.conn) == DOCA_ERROR_CONNECTION_ABORTED);
    end_close(&a);
    end_close(&b);
}

static void a_stop_flushes(void **state)
{
    struct end a = {0}, b = {0};

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    ends_connect(&a, &b);
    need_ok(end_receive(&a, NULL));
    need_ok(end_receive(&a, NULL));
    for (int i = 0; i < 3; i++)
        need_ok(end_send(&a, a.conn, end_data(&a, 0, 10), 0));
    for (int i = 0; i < 100; i++)
        doca_pe_progress(a.pe);
    end_stop(&a);
    assert_int_equal(a.failed, 3);
    assert_int_equal(a.receives_failed, 2);
    assert_int_equal(a.status, DOCA_ERROR_IO_FAILED);
    /* And goes on from the beginning. */
    need_ok(doca_rdma_connection_disconnect(b.conn));
    doca_pe_progress(b.pe);
    need_ok(doca_ctx_start(a.ctx));
    ends_connect(&a, &b);
    need_ok(end_receive(&b, NULL));
    need_ok(end_send(&a, a.conn, NULL, 0));
    progress_both(&a, &b, a.ok == 1 && b.received == 1);
    end_close(&a);
    end_close(&b);
}

static void a_message_that_is_too_long_ends_the_connection(void **state)
{
    struct end a = {0}, b = {0};

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    ends_connect(&a, &b);
    need_ok(end_receive(&b, end_room(&b, 0, 9)));
    need_ok(end_send(&a, a.conn, end_data(&a, 0, 10), 0));
    need_ok(end_send(&a, a.conn, end_data(&a, 0, 10), 0));
    progress_both(&a, &b, a.failed == 2 && b.receives_failed == 1);
    assert_int_equal(b.status, DOCA_ERROR_TOO_BIG);
    assert_int_equal(a.status, DOCA_ERROR_CONNECTION_RESET);
    need_code(DOCA_ERROR_NOT_CONNECTED, end_send(&a, a.conn, NULL, 0));
    end_close(&a);
    end_close(&b);
}

static void patience_has_a_limit(void **state)
{
    struct end a = {0}, b = {0};
    double since;

    (void)state;
    end_create(&a, 4096);
    need_ok(doca_rdma_set_rnr_retry_count(a.rdma, 1));
    end_start(&a);
    end_open(&b, 4096);
    ends_connect(&a, &b);
    /* First the one with patience: how long both need to connect is no part of this. */
    need_ok(end_receive(&a, NULL));
    need_ok(end_send(&b, b.conn, NULL, 0));
    progress_both(&a, &b, b.ok == 1 && a.received == 1);
    need_ok(end_receive(&b, NULL));
    need_ok(end_send(&a, a.conn, NULL, 0));
    progress_both(&a, &b, a.ok == 1);
    since = end_seconds();
    need_ok(end_send(&a, a.conn, NULL, 0));
    need_ok(end_send(&a, a.conn, NULL, 0));
    sleep_until(&a, a.failed == 1);
    assert_int_equal(a.status, DOCA_ERROR_TIME_OUT);
    need(end_seconds() - since >= 0.199);
    progress_until(&a, a.failed == 2);
    assert_int_equal(a.status, DOCA_ERROR_IO_FAILED);
    end_close(&a);
    end_close(&b);
}

static void foreign_memory_is_guarded_twice(void **state)
{
    const uint32_t rights[] = {DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE,
                               DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct end a = {0}, b = {.rights = rights[i]};
        struct far far;

        end_open(&a, 4096);
        end_open(&b, 4096);
        ends_connect(&a, &b);
        far = ends_share(&b, &a);
        if (i == 0)
            need_ok(end_write(&a, a.conn, end_data(&a, 0, 8), far_room(&a, &far, 0, 8), 0));
        else
            need_ok(end_read(&a, a.conn, far_data(&a, &far, 0, 8), end_room(&a, 0, 8), 0));
        progress_until(&a, a.ok == 1);
        if (i == 0)
            need_ok(end_read(&a, a.conn, far_data(&a, &far, 0, 8), end_room(&a, 0, 8), 0));
        else
            need_ok(end_add(&a, a.conn, far_room(&a, &far, 0, 8), end_room(&a, 0, 8), 1));
        progress_until(&a, a.failed == 1);
        assert_int_equal(a.status, DOCA_ERROR_NOT_PERMITTED);
        end_close(&a);
        end_close(&b);
    }
}

static void a_map_that_was_stopped_is_out_of_reach(void **state)
{
    struct end a = {0}, b = {0};
    struct far far;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    ends_connect(&a, &b);
    far = ends_share(&b, &a);
    need_ok(end_write(&a, a.conn, end_data(&a, 0, 8), far_room(&a, &far, 0, 8), 0));
    progress_until(&a, a.ok == 1);
    need_ok(doca_mmap_stop(b.map));
    need_ok(end_write(&a, a.conn, end_data(&a, 0, 8), far_room(&a, &far, 0, 8), 0));
    need_ok(end_write(&a, a.conn, end_data(&a, 0, 8), far_room(&a, &far, 0, 8), 0));
    progress_until(&a, a.failed == 2);
    assert_int_equal(a.status, DOCA_ERROR_IO_FAILED);
    end_close(&a);
    end_close(&b);
}

/* Copies of `a` go wrong on purpose. */
static void open_faulty(struct end *a, struct end *b, const char *faults)
{
    setenv("OPENDOCA_FAULTS", faults, 1);
    end_open(a, 1u << 20);
    unsetenv("OPENDOCA_FAULTS");
    end_open(b, 1u << 20);
    ends_connect(a, b);
}

static void a_copy_that_fails_ends_the_connection(void **state)
{
    struct end a = {0}, b = {0};
    struct far far;

    (void)state;
    open_faulty(&a, &b, "fail=3:perm");
    far = ends_share(&b, &a);
    for (unsigned int i = 0; i < 5; i++)
        need_ok(end_write(&a, a.conn, end_data(&a, 0, 8), far_room(&a, &far, 8 * i, 8), i));
    progress_until(&a, a.ok == 2 && a.failed == 3);
    assert_int_equal(a.status, DOCA_ERROR_IO_FAILED);
    for (unsigned int i = 0; i < 5; i++)
        assert_int_equal(a.order[i], i);
    end_close(&a);
    end_close(&b);
    /* The same where a message is received. */
    a = b = (struct end){0};
    open_faulty(&a, &b, "fail=2:fault");
    for (int i = 0; i < 3; i++) {
        need_ok(end_receive(&a, end_room(&a, 64 * (size_t)i, 64)));
        need_ok(end_send(&b, b.conn, end_data(&b, 0, 8), 0));
    }
    progress_both(&a, &b, a.received == 1 && a.receives_failed == 2 && b.ok == 1 && b.failed == 2);
    end_close(&a);
    end_close(&b);
}

static void an_engine_may_be_late_and_full(void **state)
{
    struct end a = {0}, b = {0};
    struct far far;

    (void)state;
    open_faulty(&a, &b, "delay=/2:1ms,again=/3");
    far = ends_share(&b, &a);
    for (unsigned int i = 0; i < 20; i++) {
        a.mem[i] = (char)(i + 1);
        need_ok(end_receive(&a, end_room(&a, 1000 + i, 1)));
        need_ok(end_send(&b, b.conn, end_data(&b, 0, 1), i));
        need_ok(end_write(&a, a.conn, end_data(&a, i, 1), far_room(&a, &far, 100 + i, 1), i));
    }
    progress_both(&a, &b, a.ok == 20 && a.received == 20 && b.ok == 20);
    for (unsigned int i = 0; i < 20; i++)
        assert_int_equal(b.mem[100 + i], i + 1);
    end_close(&a);
    end_close(&b);
}

static void a_stop_takes_late_copies_back(void **state)
{
    struct end a = {0}, b = {0};
    struct far far;

    (void)state;
    open_faulty(&a, &b, "delay=1+:600s");
    far = ends_share(&b, &a);
    for (unsigned int i = 0; i < 3; i++)
        need_ok(end_write(&a, a.conn, end_data(&a, 0, 8), far_room(&a, &far, 8 * i, 8), i));
    for (int i = 0; i < 100; i++)
        doca_pe_progress(a.pe);
    need(a.ok + a.failed == 0);
    end_stop(&a);
    assert_int_equal(a.ok + a.failed, 3);
    assert_in_range(a.failed, 2, 3); /* the first may have been copied */
    end_close(&a);
    end_close(&b);
}

static void open_with_faulty_links(struct end *a, struct end *b, const char *faults)
{
    setenv("OPENDOCA_LINK_FAULTS", faults, 1);
    end_open(a, 1u << 20);
    end_open(b, 1u << 20);
    ends_connect(a, b);
    need_ok(end_receive(b, NULL));
    need_ok(end_send(a, a->conn, NULL, 0));
    progress_both(a, b, a->ok == 1 && b->received == 1);
    unsetenv("OPENDOCA_LINK_FAULTS");
}

static void links_may_be_late_and_full(void **state)
{
    struct end a = {0}, b = {0};

    (void)state;
    open_with_faulty_links(&a, &b, "delay=/5:1ms,again=/3");
    for (size_t i = 0; i < 300000; i++)
        a.mem[i] = (char)(i % 127);
    need_ok(end_receive(&b, end_room(&b, 0, 300000)));
    need_ok(end_send(&a, a.conn, end_data(&a, 0, 300000), 0));
    progress_both(&a, &b, a.ok == 2 && b.received == 2);
    assert_memory_equal(a.mem, b.mem, 300000);
    end_close(&a);
    end_close(&b);
}

/* In the middle of a message of several frames. */
static void a_link_that_is_cut_ends_the_connection(void **state)
{
    struct end a = {0}, b = {0};

    (void)state;
    open_with_faulty_links(&a, &b, "cut=5");
    need_ok(end_receive(&b, end_room(&b, 0, 300000)));
    need_ok(end_send(&a, a.conn, end_data(&a, 0, 300000), 0));
    need_ok(end_send(&a, a.conn, NULL, 0));
    progress_both(&a, &b, a.failed == 2 && b.receives_failed == 1);
    assert_int_equal(a.status, DOCA_ERROR_CONNECTION_RESET);
    assert_int_equal(b.status, DOCA_ERROR_CONNECTION_RESET);
    end_close(&a);
    end_close(&b);
}

static void user_data_are_kept(void **state)
{
    struct end a = {0}, b = {0};
    union doca_data data;

    (void)state;
    end_open(&a, 4096);
    end_open(&b, 4096);
    ends_connect(&a, &b);
    need_ok(doca_rdma_connection_set_user_data(a.conn, number(5)));
    need_ok(doca_rdma_connection_get_user_data(a.conn, &data));
    assert_int_equal(data.u64, 5);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_get_user_data(a.conn, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_connection_set_user_data(NULL, number(5)));
    end_close(&a);
    end_close(&b);
}

/* All messages of many peers go to the receive tasks of one. */
static void many_connections_share_an_instance(void **state)
{
    enum { PEERS = 64 };
    static struct end peers[PEERS];
    struct end hub = {0};
    unsigned int seen[PEERS] = {0};

    (void)state;
    end_create(&hub, 4096);
    need_ok(doca_rdma_set_max_num_connections(hub.rdma, PEERS));
    end_start(&hub);
    for (int i = 0; i < PEERS; i++) {
        memset(&peers[i], 0, sizeof(peers[i]));
        end_open(&peers[i], 4096);
        ends_connect(&hub, &peers[i]);
        need_ok(doca_rdma_connection_set_user_data(hub.conn, number((uint64_t)i)));
        need_ok(end_send(&peers[i], peers[i].conn, end_data(&peers[i], 0, 8), 0));
    }
    for (unsigned int i = 0; i < PEERS; i++) {
        union doca_data data;

        need_ok(end_receive(&hub, end_room(&hub, 0, 64)));
        while (hub.received == i) {
            doca_pe_progress(hub.pe);
            for (int p = 0; p < PEERS; p++)
                doca_pe_progress(peers[p].pe);
        }
        need_ok(doca_rdma_connection_get_user_data(hub.from, &data));
        seen[data.u64]++;
    }
    for (int i = 0; i < PEERS; i++) {
        assert_int_equal(seen[i], 1);
        progress_both(&hub, &peers[i], peers[i].ok == 1);
        end_close(&peers[i]);
    }
    end_close(&hub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_as_many_as_asked_for),
        cmocka_unit_test(details_are_checked),
        cmocka_unit_test(the_wrong_peer_is_noticed),
        cmocka_unit_test(a_disconnect_flushes),
        cmocka_unit_test(a_stop_flushes),
        cmocka_unit_test(a_message_that_is_too_long_ends_the_connection),
        cmocka_unit_test(patience_has_a_limit),
        cmocka_unit_test(foreign_memory_is_guarded_twice),
        cmocka_unit_test(a_map_that_was_stopped_is_out_of_reach),
        cmocka_unit_test(a_copy_that_fails_ends_the_connection),
        cmocka_unit_test(an_engine_may_be_late_and_full),
        cmocka_unit_test(a_stop_takes_late_copies_back),
        cmocka_unit_test(links_may_be_late_and_full),
        cmocka_unit_test(a_link_that_is_cut_ends_the_connection),
        cmocka_unit_test(user_data_are_kept),
        cmocka_unit_test(many_connections_share_an_instance),
    };

    return cmocka_run_group_tests(tests, rdma_setup, rdma_teardown);
}

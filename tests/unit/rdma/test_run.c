/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks do, between two instances of one process. */
#include "lib/rdma_fixture.h"

static void open_two(struct end *a, struct end *b, size_t size)
{
    end_open(a, size);
    end_open(b, size);
    ends_connect(a, b);
}

static void close_two(struct end *a, struct end *b)
{
    end_close(a);
    end_close(b);
}

static void a_message_arrives(void **state)
{
    struct end a = {0}, b = {0};
    struct doca_buf *dst;
    size_t len;

    (void)state;
    open_two(&a, &b, 4096);
    memcpy(a.mem, "hello", 5);
    dst = end_room(&b, 100, 64);
    need_ok(end_receive(&b, dst));
    need_ok(end_send(&a, a.conn, end_data(&a, 0, 5), 1));
    progress_both(&a, &b, a.ok == 1 && b.received == 1);
    assert_memory_equal(b.mem + 100, "hello", 5);
    assert_int_equal(b.mem[105], 0);
    assert_int_equal(b.len, 5);
    assert_int_equal(b.opcode, DOCA_RDMA_OPCODE_RECV_SEND);
    assert_int_equal(b.imm, 0);
    assert_ptr_equal(b.from, b.conn);
    need_ok(doca_buf_get_data_len(dst, &len));
    assert_int_equal(len, 5);
    close_two(&a, &b);
}

static void immediates_come_as_they_are(void **state)
{
    struct end a = {0}, b = {0};

    (void)state;
    open_two(&a, &b, 4096);
    need_ok(end_receive(&b, end_room(&b, 0, 64)));
    need_ok(end_receive(&b, NULL));
    need_ok(end_send_imm(&a, a.conn, end_data(&a, 0, 7), 0x01020304));
    progress_both(&a, &b, b.received == 1);
    assert_int_equal(b.opcode, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
    assert_int_equal(b.imm, 0x01020304);
    assert_int_equal(b.len, 7);
    need_ok(end_send_imm(&a, a.conn, NULL, 0));
    progress_both(&a, &b, a.ok == 2 && b.received == 2);
    assert_int_equal(b.opcode, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
    assert_int_equal(b.len, 0);
    close_two(&a, &b);
}

/* Longer than the link holds at once. */
static void a_long_message_arrives(void **state)
{
    const size_t len = 5u << 20;
    struct end a = {0}, b = {0};

    (void)state;
    open_two(&a, &b, len);
    for (size_t i = 0; i < len; i++)
        a.mem[i] = (char)(i * 7 + (i >> 12));
    need_ok(end_receive(&b, end_room(&b, 0, len)));
    need_ok(end_send(&a, a.conn, end_data(&a, 0, len), 1));
    progress_both(&a, &b, a.ok == 1 && b.received == 1);
    assert_int_equal(b.len, len);
    assert_memory_equal(a.mem, b.mem, len);
    close_two(&a, &b);
}

static void lists_are_gathered_and_scattered(void **state)
{
    struct end a = {0}, b = {0};
    struct doca_buf *src, *dst;
    size_t len;

    (void)state;
    end_create(&a, 200000);
    end_create(&b, 200000);
    need_ok(doca_rdma_set_max_send_buf_list_len(a.rdma, 3));
    need_ok(doca_rdma_task_receive_set_dst_buf_list_len(b.rdma, 2));
    end_start(&a);
    end_start(&b);
    ends_connect(&a, &b);
    for (size_t i = 0; i < 200000; i++)
        a.mem[i] = (char)(i % 251);
    src = end_chain(&a, end_data(&a, 0, 10),
                    end_chain(&a, end_data(&a, 10, 50000), end_data(&a, 50010, 5)));
    dst = end_chain(&b, end_room(&b, 0, 20000), end_room(&b, 20000, 40000));
    need_ok(end_receive(&b, dst));
    need_ok(end_send(&a, a.conn, src, 1));
    progress_both(&a, &b, a.ok == 1 && b.received == 1);
    assert_int_equal(b.len, 50015);
    assert_memory_equal(a.mem, b.mem, 50015);
    need_ok(doca_buf_get_data_len(dst, &len));
    assert_int_equal(len, 20000);
    /* One more than was asked for. */
    src = end_chain(&a, end_chain(&a, end_data(&a, 0, 1), end_data(&a, 0, 1)),
                    end_chain(&a, end_data(&a, 0, 1), end_data(&a, 0, 1)));
    need_code(DOCA_ERROR_INVALID_VALUE, end_send(&a, a.conn, src, 2));
    dst = end_chain(&b, end_room(&b, 0, 1), end_chain(&b, end_room(&b, 0, 1), end_room(&b, 0, 1)));
    need_code(DOCA_ERROR_INVALID_VALUE, end_receive(&b, dst));
    close_two(&a, &b);
}

static void memory_is_written_and_read(void **state)
{
    struct end a = {0}, b = {0};
    struct doca_buf *dst;
    struct far far;
    size_t len;

    (void)state;
    open_two(&a, &b, 3u << 20);
    far = ends_share(&b, &a);
    memset(a.mem, 'w', 2u << 20);
    need_ok(end_write(&a, a.conn, end_data(&a, 0, 2u << 20), far_room(&a, &far, 7, 2u << 20), 1));
    progress_until(&a, a.ok == 1);
    assert_int_equal(b.mem[6], 0);
    assert_int_equal(b.mem[7], 'w');
    assert_int_equal(b.mem[(2u << 20) + 6], 'w');
    assert_int_equal(b.mem[(2u << 20) + 7], 0);
    memcpy(b.mem, "abcdef", 6);
    dst = end_room(&a, 0, 100);
    need_ok(end_read(&a, a.conn, far_data(&a, &far, 0, 3), dst, 2));
    need_ok(end_read(&a, a.conn, far_data(&a, &far, 3, 3), dst, 3));
    progress_until(&a, a.ok == 3);
    assert_memory_equal(a.mem, "abcdefw", 7);
    need_ok(doca_buf_get_data_len(dst, &len));
    assert_int_equal(len, 6);
    close_two(&a, &b);
}

static void a_write_can_announce_itself(void **state)
{
    struct end a = {0}, b = {0};
    struct far far;

    (void)state;
    open_two(&a, &b, 4096);
    far = ends_share(&b, &a);
    memcpy(a.mem, "written", 7);
    need_ok(end_write_imm(&a, a.conn, end_data(&a, 0, 7), far_room(&a, &far, 0, 7), 99));
    need_ok(end_receive(&b, NULL));
    progress_both(&a, &b, a.ok == 1 && b.received == 1);
    assert_int_equal(b.opcode, DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM);
    assert_int_equal(b.imm, 99);
    assert_int_equal(b.len, 7);
    assert_memory_equal(b.mem, "written", 7);
    need_ok(end_write_imm(&a, a.conn, NULL, NULL, 100));
    need_ok(end_receive(&b, NULL));
    progress_both(&a, &b, a.ok == 2 && b.received == 2);
    assert_int_equal(b.imm, 100);
    assert_int_equal(b.len, 0);
    close_two(&a, &b);
}

static void atomic_operations_work(void **state)
{
    struct end a = {0}, b = {0};
    _Atomic uint64_t *cell; /* a thread of the library works on it */
    uint64_t *before;
    struct far far;

    (void)state;
    open_two(&a, &b, 4096);
    far = ends_share(&b, &a);
    cell = (_Atomic uint64_t *)b.mem;
    before = (uint64_t *)a.mem;
    *cell = 40;
    need_ok(end_add(&a, a.conn, far_room(&a, &far, 0, 8), end_room(&a, 0, 8), 2));
    progress_until(&a, a.ok == 1);
    assert_int_equal(*before, 40);
    assert_int_equal(*cell, 42);
    need_ok(end_swap(&a, a.conn, far_room(&a, &far, 0, 8), end_room(&a, 0, 8), 41, 1));
    progress_until(&a, a.ok == 2);
    assert_int_equal(*before, 42);
    assert_int_equal(*cell, 42);
    need_ok(end_swap(&a, a.conn, far_room(&a, &far, 0, 8), end_room(&a, 0, 8), 42, 1));
    progress_until(&a, a.ok == 3);
    assert_int_equal(*before, 42);
    assert_int_equal(*cell, 1);
    need_code(DOCA_ERROR_INVALID_VALUE,
              end_add(&a, a.conn, far_room(&a, &far, 4, 8), end_room(&a, 0, 8), 2));
    need_code(DOCA_ERROR_INVALID_VALUE,
              end_add(&a, a.conn, far_room(&a, &far, 8, 4), end_room(&a, 0, 8), 2));
    need_code(DOCA_ERROR_INVALID_VALUE,
              end_add(&a, a.conn, far_room(&a, &far, 8, 8), end_room(&a, 0, 7), 2));
    close_two(&a, &b);
}

/* Sends and what touches memory, mixed: one after the other. */
static void tasks_are_done_in_order(void **state)
{
    struct end a = {0}, b = {0};
    struct far far;

    (void)state;
    open_two(&a, &b, 4096);
    far = ends_share(&b, &a);
    memcpy(a.mem, "0123456789", 10);
    for (unsigned int i = 0; i < 10; i++) {
        if (i % 2 == 0)
            need_ok(end_send(&a, a.conn, end_data(&a, i, 1), i));
        else
            need_ok(end_write(&a, a.conn, end_data(&a, i, 1), far_room(&a, &far, i, 1), i));
    }
    /* Nobody takes the first message, so that nothing behind it may happen. */
    for (int i = 0; i < 1000; i++)
        need(doca_pe_progress(a.pe) == 0 && doca_pe_progress(b.pe) == 0);
    assert_int_equal(a.ok, 0);
    assert_int_equal(b.mem[1], 0);
    for (unsigned int i = 0; i < 5; i++)
        need_ok(end_receive(&b, end_room(&b, 100 + i, 1)));
    progress_both(&a, &b, a.ok == 10 && b.received == 5);
    for (unsigned int i = 0; i < 10; i++)
        assert_int_equal(a.order[i], i);
    assert_memory_equal(b.mem + 100, "02468", 5);
    assert_int_equal(b.mem[9], '9');
    close_two(&a, &b);
}

static void many_messages_fly_at_once(void **state)
{
    struct end a = {0}, b = {0};
    unsigned int sent = 0, posted = 0;

    (void)state;
    open_two(&a, &b, 4096);
    while (b.received < 1000) {
        if (sent < 1000 && sent - a.ok < 60) {
            need_ok(end_send(&a, a.conn, end_data(&a, 0, 8), 0));
            sent++;
        }
        if (posted < 1000 && posted - b.received < 60) {
            need_ok(end_receive(&b, end_room(&b, 0, 8)));
            posted++;
        }
        doca_pe_progress(a.pe);
        doca_pe_progress(b.pe);
    }
    progress_both(&a, &b, a.ok == 1000);
    close_two(&a, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives),
        cmocka_unit_test(immediates_come_as_they_are),
        cmocka_unit_test(a_long_message_arrives),
        cmocka_unit_test(lists_are_gathered_and_scattered),
        cmocka_unit_test(memory_is_written_and_read),
        cmocka_unit_test(a_write_can_announce_itself),
        cmocka_unit_test(atomic_operations_work),
        cmocka_unit_test(tasks_are_done_in_order),
        cmocka_unit_test(many_messages_fly_at_once),
    };

    return cmocka_run_group_tests(tests, rdma_setup, rdma_teardown);
}

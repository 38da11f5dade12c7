/* SPDX-License-Identifier: BSD-3-Clause */
/* What a task was given is what it tells, and may be given anew before it is submitted. */
#include "lib/rdma_fixture.h"

#include <doca_sync_event.h>

static struct end a, b;
static struct doca_buf *bufs[2];

#define NO_DATA ((union doca_data){.u64 = 0})

/* Two values of a field: the one of the allocation, then the other. */
#define check_field(type, task, field, first, second)                                              \
    do {                                                                                           \
        assert_true(doca_rdma_task_##type##_get_##field(task) == (first));                         \
        doca_rdma_task_##type##_set_##field(task, second);                                         \
        assert_true(doca_rdma_task_##type##_get_##field(task) == (second));                        \
    } while (0)

#define check_conn(type, task)                                                                     \
    do {                                                                                           \
        assert_ptr_equal(doca_rdma_task_##type##_get_rdma_connection(task), a.conn);               \
        doca_rdma_task_##type##_set_rdma_connection(task, b.conn);                                 \
        assert_ptr_equal(doca_rdma_task_##type##_get_rdma_connection(task), b.conn);               \
    } while (0)

#define end_task(type, task) doca_task_free(doca_rdma_task_##type##_as_task(task))

static void messages_tell_what_they_carry(void **state)
{
    struct doca_rdma_task_receive *receive;
    struct doca_rdma_task_send *send;
    struct doca_rdma_task_send_imm *imm;

    (void)state;
    need_ok(doca_rdma_task_receive_allocate_init(a.rdma, bufs[0], NO_DATA, &receive));
    check_field(receive, receive, dst_buf, bufs[0], bufs[1]);
    end_task(receive, receive);
    need_ok(doca_rdma_task_send_allocate_init(a.rdma, a.conn, bufs[0], NO_DATA, &send));
    check_field(send, send, src_buf, bufs[0], bufs[1]);
    check_conn(send, send);
    end_task(send, send);
    need_ok(doca_rdma_task_send_imm_allocate_init(a.rdma, a.conn, bufs[0], 7, NO_DATA, &imm));
    check_field(send_imm, imm, src_buf, bufs[0], bufs[1]);
    check_field(send_imm, imm, immediate_data, 7, 8);
    check_conn(send_imm, imm);
    end_task(send_imm, imm);
}

static void one_sided_tasks_tell_where_they_go(void **state)
{
    struct doca_rdma_task_read *read;
    struct doca_rdma_task_write *write;
    struct doca_rdma_task_write_imm *imm;

    (void)state;
    need_ok(doca_rdma_task_read_allocate_init(a.rdma, a.conn, bufs[0], bufs[1], NO_DATA, &read));
    check_field(read, read, src_buf, bufs[0], bufs[1]);
    check_field(read, read, dst_buf, bufs[1], bufs[0]);
    check_conn(read, read);
    end_task(read, read);
    need_ok(doca_rdma_task_write_allocate_init(a.rdma, a.conn, bufs[0], bufs[1], NO_DATA, &write));
    check_field(write, write, src_buf, bufs[0], bufs[1]);
    check_field(write, write, dst_buf, bufs[1], bufs[0]);
    check_conn(write, write);
    end_task(write, write);
    need_ok(
        doca_rdma_task_write_imm_allocate_init(a.rdma, a.conn, bufs[0], bufs[1], 7, NO_DATA, &imm));
    check_field(write_imm, imm, src_buf, bufs[0], bufs[1]);
    check_field(write_imm, imm, dst_buf, bufs[1], bufs[0]);
    check_field(write_imm, imm, immediate_data, 7, 8);
    check_conn(write_imm, imm);
    end_task(write_imm, imm);
}

static void atomics_tell_their_numbers(void **state)
{
    struct doca_rdma_task_atomic_cmp_swp *swap;
    struct doca_rdma_task_atomic_fetch_add *add;

    (void)state;
    need_ok(doca_rdma_task_atomic_cmp_swp_allocate_init(a.rdma, a.conn, bufs[0], bufs[1], 1, 2,
                                                        NO_DATA, &swap));
    check_field(atomic_cmp_swp, swap, dst_buf, bufs[0], bufs[1]);
    check_field(atomic_cmp_swp, swap, result_buf, bufs[1], bufs[0]);
    check_field(atomic_cmp_swp, swap, cmp_data, 1, UINT64_MAX);
    check_field(atomic_cmp_swp, swap, swap_data, 2, UINT64_MAX - 1);
    check_conn(atomic_cmp_swp, swap);
    end_task(atomic_cmp_swp, swap);
    need_ok(doca_rdma_task_atomic_fetch_add_allocate_init(a.rdma, a.conn, bufs[0], bufs[1], 3,
                                                          NO_DATA, &add));
    check_field(atomic_fetch_add, add, dst_buf, bufs[0], bufs[1]);
    check_field(atomic_fetch_add, add, result_buf, bufs[1], bufs[0]);
    check_field(atomic_fetch_add, add, add_data, 3, UINT64_MAX);
    check_conn(atomic_fetch_add, add);
    end_task(atomic_fetch_add, add);
}

static void make_event(struct doca_sync_event **event, struct doca_sync_event_remote_net **far)
{
    const uint8_t *data;
    size_t len;

    need_ok(doca_sync_event_create(event));
    need_ok(doca_sync_event_add_publisher_location_remote_net(*event));
    need_ok(doca_sync_event_add_subscriber_location_cpu(*event, b.dev));
    need_ok(doca_sync_event_start(*event));
    need_ok(doca_sync_event_export_to_remote_net(*event, &data, &len));
    need_ok(doca_sync_event_remote_net_create_from_export(a.dev, data, len, far));
}

static void tasks_of_sync_events_tell_their_event(void **state)
{
    struct doca_rdma_task_remote_net_sync_event_notify_set *set;
    struct doca_rdma_task_remote_net_sync_event_notify_add *add;
    struct doca_rdma_task_remote_net_sync_event_get *get;
    struct doca_sync_event_remote_net *far[2];
    struct doca_sync_event *events[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        make_event(&events[i], &far[i]);
    need_ok(doca_rdma_task_remote_net_sync_event_get_allocate_init(a.rdma, a.conn, far[0], bufs[0],
                                                                   NO_DATA, &get));
    check_field(remote_net_sync_event_get, get, sync_event, far[0], far[1]);
    check_field(remote_net_sync_event_get, get, dst_buf, bufs[0], bufs[1]);
    check_conn(remote_net_sync_event_get, get);
    end_task(remote_net_sync_event_get, get);
    need_ok(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(a.rdma, a.conn, far[0],
                                                                          bufs[0], NO_DATA, &set));
    check_field(remote_net_sync_event_notify_set, set, sync_event, far[0], far[1]);
    check_field(remote_net_sync_event_notify_set, set, src_buf, bufs[0], bufs[1]);
    check_conn(remote_net_sync_event_notify_set, set);
    end_task(remote_net_sync_event_notify_set, set);
    need_ok(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
        a.rdma, a.conn, far[0], bufs[0], 4, NO_DATA, &add));
    check_field(remote_net_sync_event_notify_add, add, sync_event, far[0], far[1]);
    check_field(remote_net_sync_event_notify_add, add, result_buf, bufs[0], bufs[1]);
    check_field(remote_net_sync_event_notify_add, add, add_data, 4, 5);
    check_conn(remote_net_sync_event_notify_add, add);
    end_task(remote_net_sync_event_notify_add, add);
    for (int i = 0; i < 2; i++) {
        need_ok(doca_sync_event_remote_net_destroy(far[i]));
        need_ok(doca_sync_event_stop(events[i]));
        need_ok(doca_sync_event_destroy(events[i]));
    }
}

static int open_both(void **state)
{
    int rc = rdma_setup(state);

    if (rc != 0)
        return rc;
    end_open(&a, 4096);
    end_open(&b, 4096);
    ends_connect(&a, &b);
    bufs[0] = end_data(&a, 0, 8);
    bufs[1] = end_data(&a, 8, 8);
    return 0;
}

static int close_both(void **state)
{
    end_close(&a);
    end_close(&b);
    return rdma_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_tell_what_they_carry),
        cmocka_unit_test(one_sided_tasks_tell_where_they_go),
        cmocka_unit_test(atomics_tell_their_numbers),
        cmocka_unit_test(tasks_of_sync_events_tell_their_event),
    };

    return cmocka_run_group_tests(tests, open_both, close_both);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Configuration: ranges, defaults, and that it belongs before the start. */
#include "lib/rdma_fixture.h"

static struct end fixture;

static int setup(void **state)
{
    (void)state;
    fixture = (struct end){.as_created = true};
    end_create(&fixture, 4096);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    end_close(&fixture);
    return 0;
}

/* One attribute through its whole range. */
#define CHECK_RANGE(name, type, normal, low, high)                                                 \
    do {                                                                                           \
        type value_ = 0;                                                                           \
        need_ok(doca_rdma_get_##name(fixture.rdma, &value_));                                      \
        assert_int_equal(value_, normal);                                                          \
        need_ok(doca_rdma_set_##name(fixture.rdma, (type)(low)));                                  \
        need_ok(doca_rdma_set_##name(fixture.rdma, (type)(high)));                                 \
        if ((low) > 0)                                                                             \
            need_code(DOCA_ERROR_INVALID_VALUE,                                                    \
                      doca_rdma_set_##name(fixture.rdma, (type)((low)-1)));                        \
        if ((type)((high) + 1) != 0)                                                               \
            need_code(DOCA_ERROR_INVALID_VALUE,                                                    \
                      doca_rdma_set_##name(fixture.rdma, (type)((high) + 1)));                     \
        need_ok(doca_rdma_get_##name(fixture.rdma, &value_));                                      \
        assert_int_equal(value_, high);                                                            \
        need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_##name(fixture.rdma, NULL));             \
        need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_##name(NULL, &value_));                  \
        need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_##name(NULL, (type)(low)));              \
    } while (0)

static void values_have_ranges(void **state)
{
    (void)state;
    CHECK_RANGE(send_queue_size, uint32_t, 1024, 1, 32768);
    CHECK_RANGE(recv_queue_size, uint32_t, 1024, 1, 32768);
    CHECK_RANGE(max_send_buf_list_len, uint32_t, 1, 1, 32);
    CHECK_RANGE(grh_enabled, uint8_t, 1, 0, 1);
    CHECK_RANGE(sl, uint32_t, 0, 0, 15);
    CHECK_RANGE(connection_request_timeout, uint16_t, 5000, 1, 65535);
    CHECK_RANGE(max_num_connections, uint16_t, 1, 1, 8192);
    CHECK_RANGE(rnr_retry_count, uint8_t, 7, 0, 7);
}

static void the_list_of_a_receive_has_a_range(void **state)
{
    uint32_t len = 0;

    (void)state;
    need_ok(doca_rdma_task_receive_get_dst_buf_list_len(fixture.rdma, &len));
    assert_int_equal(len, 1);
    need_ok(doca_rdma_task_receive_set_dst_buf_list_len(fixture.rdma, 32));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_task_receive_set_dst_buf_list_len(fixture.rdma, 0));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_task_receive_set_dst_buf_list_len(fixture.rdma, 33));
    need_ok(doca_rdma_task_receive_get_dst_buf_list_len(fixture.rdma, &len));
    assert_int_equal(len, 32);
}

static void the_gid_is_one_of_the_table(void **state)
{
    uint32_t size, index;

    (void)state;
    need_ok(doca_rdma_cap_get_gid_table_size(doca_dev_as_devinfo(fixture.dev), &size));
    need_ok(doca_rdma_set_gid_index(fixture.rdma, size - 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_gid_index(fixture.rdma, size));
    need_ok(doca_rdma_get_gid_index(fixture.rdma, &index));
    assert_int_equal(index, size - 1);
}

static void permissions_are_bits(void **state)
{
    uint32_t permissions;

    (void)state;
    need_ok(doca_rdma_set_permissions(fixture.rdma, 0));
    need_ok(doca_rdma_set_permissions(fixture.rdma, ALL_RIGHTS));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_set_permissions(fixture.rdma, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_permissions(fixture.rdma, 1u << 20));
    need_ok(doca_rdma_get_permissions(fixture.rdma, &permissions));
    assert_int_equal(permissions, ALL_RIGHTS);
}

static void mtu_and_transport_are_chosen_of_few(void **state)
{
    enum doca_rdma_transport_type type;
    enum doca_mtu_size mtu;

    (void)state;
    need_ok(doca_rdma_get_mtu(fixture.rdma, &mtu));
    assert_int_equal(mtu, DOCA_MTU_SIZE_1K_BYTES);
    need_ok(doca_rdma_set_mtu(fixture.rdma, DOCA_MTU_SIZE_4K_BYTES));
    need_code(DOCA_ERROR_NOT_SUPPORTED,
              doca_rdma_set_mtu(fixture.rdma, DOCA_MTU_SIZE_RAW_ETHERNET));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_set_mtu(fixture.rdma, (enum doca_mtu_size)6));
    need_ok(doca_rdma_set_transport_type(fixture.rdma, DOCA_RDMA_TRANSPORT_TYPE_RC));
    need_code(DOCA_ERROR_NOT_SUPPORTED,
              doca_rdma_set_transport_type(fixture.rdma, DOCA_RDMA_TRANSPORT_TYPE_DC));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_set_transport_type(fixture.rdma, (enum doca_rdma_transport_type)2));
    need_ok(doca_rdma_get_transport_type(fixture.rdma, &type));
    assert_int_equal(type, DOCA_RDMA_TRANSPORT_TYPE_RC);
}

static void nothing_changes_after_the_start(void **state)
{
    uint32_t value;

    (void)state;
    end_start(&fixture);
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_set_send_queue_size(fixture.rdma, 1));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_set_recv_queue_size(fixture.rdma, 1));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_set_permissions(fixture.rdma, 0));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_set_gid_index(fixture.rdma, 0));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_set_mtu(fixture.rdma, DOCA_MTU_SIZE_1K_BYTES));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_rdma_set_transport_type(fixture.rdma, DOCA_RDMA_TRANSPORT_TYPE_RC));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_set_max_num_connections(fixture.rdma, 2));
    need_code(DOCA_ERROR_BAD_STATE, doca_rdma_task_receive_set_dst_buf_list_len(fixture.rdma, 2));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_rdma_task_send_set_conf(fixture.rdma, end_on_send, end_on_send, 1));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_rdma_set_connection_state_callbacks(fixture.rdma, NULL, end_on_established,
                                                       end_on_failure, end_on_disconnection));
    need_ok(doca_rdma_get_send_queue_size(fixture.rdma, &value));
    assert_int_equal(value, 1024);
}

static void tasks_are_configured_with_callbacks_and_a_number(void **state)
{
    (void)state;
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_task_send_set_conf(NULL, end_on_send, end_on_send, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_task_send_set_conf(fixture.rdma, NULL, end_on_send, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_task_write_set_conf(fixture.rdma, end_on_write, NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_task_read_set_conf(fixture.rdma, end_on_read, end_on_read, 0));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_task_receive_set_conf(fixture.rdma, end_on_receive, end_on_receive, 32769));
    need_ok(doca_rdma_task_receive_set_conf(fixture.rdma, end_on_receive, end_on_receive, 32768));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_have_ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(the_list_of_a_receive_has_a_range, setup, teardown),
        cmocka_unit_test_setup_teardown(the_gid_is_one_of_the_table, setup, teardown),
        cmocka_unit_test_setup_teardown(permissions_are_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(mtu_and_transport_are_chosen_of_few, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_changes_after_the_start, setup, teardown),
        cmocka_unit_test_setup_teardown(tasks_are_configured_with_callbacks_and_a_number, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, rdma_setup, rdma_teardown);
}

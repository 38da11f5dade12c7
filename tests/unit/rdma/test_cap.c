/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rdma_fixture.h"

static struct doca_dev *dev;
static const struct doca_devinfo *info;

static int setup(void **state)
{
    rdma_setup(state);
    dev = end_open_dev();
    info = doca_dev_as_devinfo(dev);
    return 0;
}

static int teardown(void **state)
{
    need_ok(doca_dev_close(dev));
    return rdma_teardown(state);
}

static void limits_are_told(void **state)
{
    uint32_t value = 0;

    (void)state;
    need_ok(doca_rdma_cap_get_max_send_queue_size(info, &value));
    assert_int_equal(value, 32768);
    need_ok(doca_rdma_cap_get_max_recv_queue_size(info, &value));
    assert_int_equal(value, 32768);
    need_ok(doca_rdma_cap_get_max_send_buf_list_len(info, &value));
    assert_int_equal(value, 32);
    need_ok(doca_rdma_cap_get_max_message_size(info, &value));
    assert_int_equal(value, 1u << 30);
    need_ok(doca_rdma_cap_task_receive_get_max_dst_buf_list_len(info, DOCA_RDMA_TRANSPORT_TYPE_RC,
                                                                &value));
    assert_int_equal(value, 32);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_task_receive_get_max_dst_buf_list_len(
                                            info, DOCA_RDMA_TRANSPORT_TYPE_DC, &value));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_max_message_size(NULL, &value));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_max_message_size(info, NULL));
}

static void transports_are_told(void **state)
{
    (void)state;
    need_ok(doca_rdma_cap_transport_type_is_supported(info, DOCA_RDMA_TRANSPORT_TYPE_RC));
    need_code(DOCA_ERROR_NOT_SUPPORTED,
              doca_rdma_cap_transport_type_is_supported(info, DOCA_RDMA_TRANSPORT_TYPE_DC));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_cap_transport_type_is_supported(info, (enum doca_rdma_transport_type)7));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_rdma_cap_transport_type_is_supported(NULL, DOCA_RDMA_TRANSPORT_TYPE_RC));
}

static void all_tasks_are_offered(void **state)
{
    doca_error_t (*const asks[])(const struct doca_devinfo *) = {
        doca_rdma_cap_task_receive_is_supported,
        doca_rdma_cap_task_send_is_supported,
        doca_rdma_cap_task_send_imm_is_supported,
        doca_rdma_cap_task_read_is_supported,
        doca_rdma_cap_task_write_is_supported,
        doca_rdma_cap_task_write_imm_is_supported,
        doca_rdma_cap_task_atomic_cmp_swp_is_supported,
        doca_rdma_cap_task_atomic_fetch_add_is_supported,
        doca_rdma_cap_task_remote_net_sync_event_get_is_supported,
        doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported,
        doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
        need_ok(asks[i](info));
        need_code(DOCA_ERROR_INVALID_VALUE, asks[i](NULL));
    }
}

static void gids_are_addresses(void **state)
{
    struct doca_rdma_gid gids[8];
    uint32_t size;

    (void)state;
    need_ok(doca_rdma_cap_get_gid_table_size(info, &size));
    assert_in_range(size, 2, 8);
    need_ok(doca_rdma_cap_get_gid(info, 0, size, gids));
    assert_int_equal(gids[0].raw[0], 0xfe);
    assert_int_equal(gids[0].raw[1], 0x80);
    assert_memory_equal(&gids[0], &gids[1], sizeof(gids[0]));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_gid(info, 0, size + 1, gids));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_gid(info, size, 1, gids));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_gid(info, 0, 0, gids));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_rdma_cap_get_gid(info, 0, 1, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(transports_are_told),
        cmocka_unit_test(all_tasks_are_offered),
        cmocka_unit_test(gids_are_addresses),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "lib/comch_fixture.h"

static struct doca_devinfo *first_device(struct doca_devinfo ***list)
{
    uint32_t n;

    need_ok(doca_devinfo_create_list(list, &n));
    need(n > 0);
    return (*list)[0];
}

static const char limits[] =
    "{\"profiles\": {\"small\": {\"caps\": {\"comch_max_name_len\": 40, \"comch_max_msg_size\": "
    "2000,"
    "\"comch_max_recv_queue\": 11, \"comch_max_send_tasks\": 12, \"comch_max_clients\": 3,"
    "\"comch_max_fast_tasks\": 13, \"comch_max_buf_size\": \"3M\", \"comch_max_imm_len\": 9,"
    "\"comch_max_consumers\": 4, \"comch_max_producers\": 5}}},"
    "\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"profile\": \"small\"},"
    "{\"role\": \"host\", \"pci\": \"b1:00.0\", \"profile\": \"small\"}]}";

static void check_limits(const struct doca_devinfo *info)
{
    uint32_t value;

    need_ok(doca_comch_cap_get_max_name_len(info, &value));
    need(value == 40);
    need_ok(doca_comch_cap_get_max_msg_size(info, &value));
    need(value == 2000);
    need_ok(doca_comch_cap_get_max_recv_queue_size(info, &value));
    need(value == 11);
    need_ok(doca_comch_cap_get_max_send_tasks(info, &value));
    need(value == 12);
    need_ok(doca_comch_cap_get_max_clients(info, &value));
    need(value == 3);
}

static void check_fast_limits(const struct doca_devinfo *info)
{
    uint32_t value;

    need_ok(doca_comch_consumer_cap_is_supported(info));
    need_ok(doca_comch_producer_cap_is_supported(info));
    need_ok(doca_comch_consumer_cap_get_max_num_tasks(info, &value));
    need(value == 13);
    need_ok(doca_comch_producer_cap_get_max_num_tasks(info, &value));
    need(value == 13);
    need_ok(doca_comch_consumer_cap_get_max_buf_size(info, &value));
    need(value == 3u << 20);
    need_ok(doca_comch_producer_cap_get_max_buf_size(info, &value));
    need(value == 3u << 20);
    need_ok(doca_comch_consumer_cap_get_max_buf_list_len(info, &value));
    need(value == 1);
    need_ok(doca_comch_producer_cap_get_max_buf_list_len(info, &value));
    need(value == 1);
    need_ok(doca_comch_consumer_cap_get_max_consumers(info, &value));
    need(value == 4);
    need_ok(doca_comch_producer_cap_get_max_producers(info, &value));
    need(value == 5);
    need_ok(doca_comch_consumer_cap_get_max_imm_data_len(info, &value));
    need(value == 9);
}

static void check_misuse(const struct doca_devinfo *info)
{
    static doca_error_t (*const calls[])(const struct doca_devinfo *, uint32_t *) = {
        doca_comch_cap_get_max_name_len,
        doca_comch_cap_get_max_msg_size,
        doca_comch_cap_get_max_recv_queue_size,
        doca_comch_cap_get_max_send_tasks,
        doca_comch_cap_get_max_clients,
        doca_comch_consumer_cap_get_max_num_tasks,
        doca_comch_consumer_cap_get_max_buf_size,
        doca_comch_consumer_cap_get_max_buf_list_len,
        doca_comch_consumer_cap_get_max_consumers,
        doca_comch_consumer_cap_get_max_imm_data_len,
        doca_comch_producer_cap_get_max_num_tasks,
        doca_comch_producer_cap_get_max_buf_size,
        doca_comch_producer_cap_get_max_buf_list_len,
        doca_comch_producer_cap_get_max_producers,
    };
    uint32_t value = 77;

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        need_code(DOCA_ERROR_INVALID_VALUE, calls[i](NULL, &value));
        need_code(DOCA_ERROR_INVALID_VALUE, calls[i](info, NULL));
    }
    need(value == 77);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_server_is_supported(NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_client_is_supported(NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_cap_is_supported(NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_cap_is_supported(NULL));
}

static void of_a_dpu(int peer)
{
    struct doca_devinfo **list;
    struct doca_devinfo *info;

    use_devices(limits);
    info = first_device(&list);
    need_ok(doca_comch_cap_server_is_supported(info));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_client_is_supported(info));
    check_limits(info);
    check_fast_limits(info);
    check_misuse(info);
    need_ok(doca_devinfo_destroy_list(list));
    (void)peer;
}

static void of_a_host(int peer)
{
    struct doca_devinfo **list;
    struct doca_devinfo *info;

    use_devices(limits);
    info = first_device(&list);
    need_ok(doca_comch_cap_client_is_supported(info));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_server_is_supported(info));
    check_limits(info);
    need_ok(doca_devinfo_destroy_list(list));
    (void)peer;
}

static void limits_are_those_of_the_device(void **state)
{
    (void)state;
    run_pair(of_a_dpu, of_a_host);
}

static void without_comch(int peer)
{
    struct doca_devinfo **list;
    struct doca_devinfo *info;
    uint32_t value;
    struct comch_end end;

    use_devices(
        "{\"devices\": [{\"role\": \"host\", \"pci\": \"b1:00.0\", \"profile\": \"cx7\"}]}");
    info = first_device(&list);
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_client_is_supported(info));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_cap_is_supported(info));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_cap_is_supported(info));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_cap_get_max_buf_size(info, &value));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_cap_get_max_buf_list_len(info, &value));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_cap_get_max_buf_size(info, &value));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_cap_get_max_buf_list_len(info, &value));
    need_ok(doca_devinfo_destroy_list(list));
    memset(&end, 0, sizeof(end));
    end_open_device(&end);
    need_ok(doca_comch_client_create(end.dev, "x", &end.client));
    end.ctx = doca_comch_client_as_ctx(end.client);
    end_connect_pe(&end);
    need_ok(doca_comch_client_event_msg_recv_register(end.client, end_on_message));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(end.ctx));
    need(end.nstates == 0);
    close_end(&end);
    (void)peer;
}

/* A client on the DPU is created, and does not start. */
static void wrong_role(int peer)
{
    struct doca_comch_client *client;
    struct comch_end end;

    memset(&end, 0, sizeof(end));
    end_open_device(&end);
    need_ok(doca_comch_client_create(end.dev, "x", &client));
    need_ok(doca_comch_client_event_msg_recv_register(client, end_on_message));
    need_ok(doca_pe_connect_ctx(end.pe, doca_comch_client_as_ctx(client)));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(doca_comch_client_as_ctx(client)));
    need_ok(doca_comch_client_destroy(client));
    need_ok(doca_dev_close(end.dev));
    need_ok(doca_pe_destroy(end.pe));
    (void)peer;
}

static void start_needs_the_capability(void **state)
{
    (void)state;
    run_pair(wrong_role, without_comch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_those_of_the_device),
        cmocka_unit_test(start_needs_the_capability),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/capability.h"

#include <stddef.h>

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

static doca_error_t widen(doca_error_t (*query)(const struct doca_devinfo *, uint32_t *),
                          const struct doca_devinfo *devinfo, uint64_t *value)
{
    uint32_t narrow;
    doca_error_t result = query(devinfo, &narrow);

    if (result == DOCA_SUCCESS)
        *value = narrow;
    return result;
}

static doca_error_t max_name_len(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_cap_get_max_name_len, devinfo, value);
}

static doca_error_t max_msg_size(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_cap_get_max_msg_size, devinfo, value);
}

static doca_error_t max_recv_queue_size(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_cap_get_max_recv_queue_size, devinfo, value);
}

static doca_error_t max_send_tasks(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_cap_get_max_send_tasks, devinfo, value);
}

static doca_error_t max_clients(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_cap_get_max_clients, devinfo, value);
}

static doca_error_t consumer_max_num_tasks(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_consumer_cap_get_max_num_tasks, devinfo, value);
}

static doca_error_t consumer_max_buf_size(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_consumer_cap_get_max_buf_size, devinfo, value);
}

static doca_error_t consumer_max_buf_list_len(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_consumer_cap_get_max_buf_list_len, devinfo, value);
}

static doca_error_t max_consumers(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_consumer_cap_get_max_consumers, devinfo, value);
}

static doca_error_t max_imm_data_len(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_consumer_cap_get_max_imm_data_len, devinfo, value);
}

static doca_error_t producer_max_num_tasks(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_producer_cap_get_max_num_tasks, devinfo, value);
}

static doca_error_t producer_max_buf_size(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_producer_cap_get_max_buf_size, devinfo, value);
}

static doca_error_t producer_max_buf_list_len(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_producer_cap_get_max_buf_list_len, devinfo, value);
}

static doca_error_t max_producers(struct doca_devinfo *devinfo, uint64_t *value)
{
    return widen(doca_comch_producer_cap_get_max_producers, devinfo, value);
}

const struct tool_cap tool_caps_comch[] = {
    {.name = "server", .status = doca_comch_cap_server_is_supported},
    {.name = "client", .status = doca_comch_cap_client_is_supported},
    {.name = "max_name_len", .number = max_name_len},
    {.name = "max_msg_size", .number = max_msg_size},
    {.name = "max_recv_queue_size", .number = max_recv_queue_size},
    {.name = "max_send_tasks", .number = max_send_tasks},
    {.name = "max_clients", .number = max_clients},
    {.name = "consumer", .status = doca_comch_consumer_cap_is_supported},
    {.name = "consumer_max_num_tasks", .number = consumer_max_num_tasks},
    {.name = "consumer_max_buf_size", .number = consumer_max_buf_size},
    {.name = "consumer_max_buf_list_len", .number = consumer_max_buf_list_len},
    {.name = "consumer_max_consumers", .number = max_consumers},
    {.name = "consumer_max_imm_data_len", .number = max_imm_data_len},
    {.name = "producer", .status = doca_comch_producer_cap_is_supported},
    {.name = "producer_max_num_tasks", .number = producer_max_num_tasks},
    {.name = "producer_max_buf_size", .number = producer_max_buf_size},
    {.name = "producer_max_buf_list_len", .number = producer_max_buf_list_len},
    {.name = "producer_max_producers", .number = max_producers},
    {.name = NULL},
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_priv.h"

static void give(const struct soft_nic_tally *tally, struct doca_flow_resource_query *data)
{
    data->counter.total_pkts = tally->packets;
    data->counter.total_bytes = tally->bytes;
}

static doca_error_t fail_counter(const char *object, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, object, "counter",
                     "none" CORE_REMEDY
                     "ask for it with a monitor, or doca_flow_pipe_cfg_set_miss_counter()");
}

doca_error_t doca_flow_resource_query_entry(struct doca_flow_pipe_entry *entry,
                                            struct doca_flow_resource_query *data)
{
    struct soft_nic_tally tally;

    if (!core_is_live(CORE_LIVE_FLOW_ENTRY, entry))
        return CORE_FAIL_DEAD(CORE_LOG_FLOW, __func__, "entry", entry);
    if (data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "data");
    if (!soft_nic_entry_tally(entry->soft, &tally))
        return fail_counter(entry->pipe->name, __func__);
    give(&tally, data);
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_resource_query_pipe_miss(struct doca_flow_pipe *pipe,
                                                struct doca_flow_resource_query *data)
{
    doca_error_t result = flow_pipe_check(pipe, __func__);
    struct soft_nic_tally tally;

    if (result != DOCA_SUCCESS)
        return result;
    if (data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "data");
    if (!pipe->counts_misses)
        return fail_counter(pipe->name, __func__);
    soft_nic_table_misses(pipe->table, &tally);
    give(&tally, data);
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_port_query_default_miss(struct doca_flow_port *port,
                                               struct doca_flow_resource_query *data)
{
    doca_error_t result = flow_port_check(port, __func__);
    struct soft_nic_tally tally;

    if (result != DOCA_SUCCESS)
        return result;
    if (data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "data");
    if (!port->counts_default_miss)
        return fail_counter(port->name, __func__);
    soft_nic_port_misses(port->soft, &tally);
    give(&tally, data);
    return DOCA_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_priv.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

doca_error_t flow_port_check(const struct doca_flow_port *port, const char *func)
{
    return core_is_live(CORE_LIVE_FLOW_PORT, port)
               ? DOCA_SUCCESS
               : CORE_FAIL_DEAD(CORE_LOG_FLOW, func, "port", port);
}

static doca_error_t check_start(const struct doca_flow_port_cfg *cfg, const char *func)
{
    if (!flow_library.is_up)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_FLOW, func, NULL, "state",
                         "not initialised" CORE_REMEDY "call doca_flow_init() first");
    if (!cfg->has_id || cfg->dev == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, NULL, "cfg",
                         "without %s" CORE_REMEDY
                         "call doca_flow_port_cfg_set_port_id() and doca_flow_port_cfg_set_dev()",
                         cfg->has_id ? "a device" : "a port id");
    OD_LIST_FOR_EACH(link, &flow_library.ports)
    {
        const struct doca_flow_port *port = OD_LIST_ENTRY(link, struct doca_flow_port, link);

        if (port->id == cfg->id || port->dev->info.soft == cfg->dev->info.soft)
            return CORE_FAIL(DOCA_ERROR_ALREADY_EXIST, CORE_LOG_FLOW, func, port->name, "port",
                             "id %u on %s" CORE_LIMIT "each id and each device once", cfg->id,
                             cfg->dev->info.name);
    }
    return DOCA_SUCCESS;
}

static doca_error_t fail_port(const struct doca_flow_port *port, int err, const char *func)
{
    doca_error_t error = err == -EPERM    ? DOCA_ERROR_NOT_PERMITTED
                         : err == -ENOMEM ? DOCA_ERROR_NO_MEMORY
                                          : DOCA_ERROR_DRIVER;

    return CORE_FAIL(error, CORE_LOG_FLOW, func, port->name, "port", "not open: %s", soft_reason());
}

/* The interface may go down later, and come back; but who begins so would hear nothing. */
static doca_error_t hold_port(struct doca_flow_port *port, const char *func)
{
    int err = soft_nic_port_hold(port->dev->info.soft, &port->soft);
    struct soft_nic_port_info info;
    doca_error_t result;

    if (err != 0)
        return fail_port(port, err, func);
    soft_nic_port_info(port->soft, &info);
    if (!info.is_off)
        return DOCA_SUCCESS;
    result = fail_port(port,
                       soft_fail(-ENETDOWN, "interface %s is switched off; ip link set dev %s up",
                                 info.where, info.where),
                       func);
    soft_nic_port_release(port->soft);
    return result;
}

static struct doca_flow_port *new_port(const struct doca_flow_port_cfg *cfg)
{
    struct doca_flow_port *port = calloc(1, sizeof(*port));

    if (port == NULL)
        return NULL;
    port->queues = calloc(flow_library.cfg.queues, sizeof(*port->queues));
    if (cfg->priv_size > 0)
        port->priv = calloc(1, cfg->priv_size);
    port->id = cfg->id;
    port->dev = cfg->dev;
    snprintf(port->name, sizeof(port->name), "flow port %u", cfg->id);
    od_list_init(&port->pipes);
    return port;
}

static void free_port(struct doca_flow_port *port)
{
    free(port->priv);
    free(port->queues);
    free(port);
}

/* Under the lock: an id and a device are taken once. */
static doca_error_t start_port(const struct doca_flow_port_cfg *cfg, const char *func,
                               struct doca_flow_port **port)
{
    doca_error_t result = check_start(cfg, func);
    struct doca_flow_port *created;

    if (result != DOCA_SUCCESS)
        return result;
    created = new_port(cfg);
    if (created == NULL || created->queues == NULL ||
        (created->priv == NULL && cfg->priv_size > 0)) {
        if (created != NULL)
            free_port(created);
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_FLOW, func, cfg->dev->info.name, "port",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    }
    result = hold_port(created, func);
    if (result != DOCA_SUCCESS) {
        free_port(created);
        return result;
    }
    soft_nic_port_set_id(created->soft, cfg->id);
    if (flow_library.cfg.has_rss_key)
        soft_nic_port_set_rss_key(created->soft, flow_library.cfg.rss_key);
    od_list_append(&flow_library.ports, &created->link);
    core_live_add(CORE_LIVE_FLOW_PORT, created);
    *port = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                                  struct doca_flow_port **port)
{
    doca_error_t result;

    if (cfg == NULL || port == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, cfg == NULL ? "cfg" : "port");
    pthread_mutex_lock(&flow_library.lock);
    result = start_port(cfg, __func__, port);
    pthread_mutex_unlock(&flow_library.lock);
    return result;
}

void flow_port_tell(struct doca_flow_port *port)
{
    uint64_t lost = soft_nic_count(soft_nic_port_counters(port->soft), SOFT_NIC_RX_NO_QUEUE);

    if (od_unlikely(lost > 0) && !atomic_exchange(&port->is_told, true))
        CORE_WARN(CORE_LOG_FLOW,
                  "%s: rules led %llu frames to queues that do not exist, and they were dropped; "
                  "compare the ids in the rules with doca_eth_rxq_apply_queue_id()",
                  port->name, (unsigned long long)lost);
}

void flow_port_end(struct doca_flow_port *port)
{
    flow_port_tell(port);
    core_live_remove(port);
    pthread_mutex_lock(&flow_library.lock);
    od_list_remove(&port->link);
    pthread_mutex_unlock(&flow_library.lock);
    soft_nic_port_set_root(port->soft, NULL);
    flow_pipes_end(port);
    soft_nic_port_clear(port->soft);
    soft_nic_port_release(port->soft);
    free_port(port);
}

doca_error_t doca_flow_port_stop(struct doca_flow_port *port)
{
    doca_error_t result = flow_port_check(port, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (flow_port_is_reporting(port))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_FLOW, __func__, port->name, "port",
                         "in a callback of its entries" CORE_REMEDY
                         "return from the callback first");
    flow_port_end(port);
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_port_pair(struct doca_flow_port *port, struct doca_flow_port *pair_port)
{
    doca_error_t result = flow_port_check(port, __func__);

    /* Nothing has to be prepared: rules may lead to any port that is started. */
    return result == DOCA_SUCCESS ? flow_port_check(pair_port, __func__) : result;
}

uint8_t *doca_flow_port_priv_data(struct doca_flow_port *port)
{
    return core_is_live(CORE_LIVE_FLOW_PORT, port) ? port->priv : NULL;
}

struct doca_flow_port *doca_flow_port_switch_get(const struct doca_flow_port *port)
{
    return (struct doca_flow_port *)(uintptr_t)port;
}

doca_error_t doca_flow_port_update_default_miss(struct doca_flow_port *port,
                                                enum doca_flow_port_default_miss_type default_miss,
                                                bool counter_en)
{
    struct soft_nic_fwd fwd = {.kind = SOFT_NIC_FWD_KERNEL};
    doca_error_t result = flow_port_check(port, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (default_miss == DOCA_FLOW_PORT_DEFAULT_MISS_RSS)
        fwd.kind = SOFT_NIC_FWD_ALL_QUEUES;
    else if (default_miss == DOCA_FLOW_PORT_DEFAULT_MISS_DROP)
        fwd.kind = SOFT_NIC_FWD_DROP;
    else if (default_miss != DOCA_FLOW_PORT_DEFAULT_MISS_KERNEL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, port->name,
                         "default_miss", "%d" CORE_LIMIT "a value of the enum", (int)default_miss);
    if (soft_nic_port_set_default(port->soft, &fwd) != 0)
        return CORE_FAIL_SOFT(-ENOMEM, CORE_LOG_FLOW, __func__, port->name, "default_miss");
    port->counts_default_miss = counter_en;
    return DOCA_SUCCESS;
}

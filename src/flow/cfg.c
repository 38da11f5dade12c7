/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of the library and of its ports. */

#include "flow/flow_priv.h"

#include <stdlib.h>
#include <string.h>

#define CHECK_CFG(cfg)                                                                             \
    ((cfg) != NULL ? DOCA_SUCCESS : CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "cfg"))

static doca_error_t no_memory(const char *func, size_t size)
{
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_FLOW, func, NULL, "settings",
                     "%zu bytes" CORE_REMEDY "free memory", size);
}

/* ------------------------------------------------------------------------------------------------
 * The library
 */

doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg)
{
    struct doca_flow_cfg *created;

    if (cfg == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "cfg");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return no_memory(__func__, sizeof(*created));
    created->queues = 1;
    created->depth = 128;
    *cfg = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg)
{
    doca_error_t result = CHECK_CFG(cfg);

    free(cfg);
    return result;
}

doca_error_t doca_flow_cfg_set_pipe_queues(struct doca_flow_cfg *cfg, uint16_t pipe_queues)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result != DOCA_SUCCESS)
        return result;
    if (pipe_queues == 0 || pipe_queues > FLOW_QUEUES_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "pipe_queues",
                         "%u" CORE_LIMIT "1..%u", pipe_queues, FLOW_QUEUES_MAX);
    cfg->queues = pipe_queues;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_cfg_set_nr_counters(struct doca_flow_cfg *cfg, uint32_t nr_counters)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result != DOCA_SUCCESS)
        return result;
    if (nr_counters > FLOW_COUNTERS_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "nr_counters",
                         "%u" CORE_LIMIT "0..%u", nr_counters, FLOW_COUNTERS_MAX);
    cfg->counters = nr_counters;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_cfg_set_nr_meters(struct doca_flow_cfg *cfg, uint32_t nr_meters)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result == DOCA_SUCCESS && nr_meters != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, __func__, NULL, "nr_meters",
                         "%u" CORE_LIMIT "0", nr_meters);
    return result;
}

doca_error_t doca_flow_cfg_set_nr_acl_collisions(struct doca_flow_cfg *cfg,
                                                 uint8_t nr_acl_collisions)
{
    (void)nr_acl_collisions;
    return CHECK_CFG(cfg);
}

/* A token of the mode; false: unknown. */
static bool take_token(struct doca_flow_cfg *cfg, const char *token, size_t len)
{
    static const char *const ignored[] = {"hws", "expert", "cpds", "use_doca_eth", "remote_vnf"};

    if ((len == 3 && memcmp(token, "vnf", 3) == 0) ||
        (len == 6 && memcmp(token, "switch", 6) == 0)) {
        cfg->has_mode = true;
        return true;
    }
    if (len == 8 && memcmp(token, "isolated", 8) == 0) {
        cfg->is_isolated = true;
        return true;
    }
    if (len > 13 && memcmp(token, "hairpinq_num=", 13) == 0)
        return true;
    for (size_t i = 0; i < OD_ARRAY_SIZE(ignored); i++) {
        if (len == strlen(ignored[i]) && memcmp(token, ignored[i], len) == 0)
            return true;
    }
    return false;
}

doca_error_t doca_flow_cfg_set_mode_args(struct doca_flow_cfg *cfg, const char *mode_args)
{
    struct doca_flow_cfg probe = {0};
    const char *token = mode_args;

    if (cfg == NULL || mode_args == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, cfg == NULL ? "cfg" : "mode_args");
    while (token != NULL) {
        size_t len = strcspn(token, ",");

        if (!take_token(&probe, token, len))
            return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "mode_args",
                             "'%.*s' of '%.80s'" CORE_LIMIT
                             "vnf or switch, hws, isolated, expert, cpds, use_doca_eth, "
                             "remote_vnf, hairpinq_num=N",
                             (int)OD_MIN(len, (size_t)40), token, mode_args);
        token = token[len] == ',' ? token + len + 1 : NULL;
    }
    if (!probe.has_mode)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "mode_args",
                         "'%.80s'" CORE_LIMIT "with vnf or switch", mode_args);
    cfg->has_mode = true;
    cfg->is_isolated = probe.is_isolated;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_cfg_set_nr_shared_resource(struct doca_flow_cfg *cfg,
                                                  uint32_t nr_shared_resource,
                                                  enum doca_flow_shared_resource_type type)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result == DOCA_SUCCESS && nr_shared_resource != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, __func__, NULL,
                         "nr_shared_resource", "%u of type %d" CORE_LIMIT "0", nr_shared_resource,
                         (int)type);
    return result;
}

doca_error_t doca_flow_cfg_set_queue_depth(struct doca_flow_cfg *cfg, uint32_t queue_depth)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result == DOCA_SUCCESS && queue_depth == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "queue_depth",
                         "0" CORE_LIMIT "at least 1");
    if (result == DOCA_SUCCESS)
        cfg->depth = queue_depth;
    return result;
}

doca_error_t doca_flow_cfg_set_cb_pipe_process(struct doca_flow_cfg *cfg,
                                               doca_flow_pipe_process_cb cb)
{
    (void)cb; /* pipes are there when they are created */
    return CHECK_CFG(cfg);
}

doca_error_t doca_flow_cfg_set_cb_entry_process(struct doca_flow_cfg *cfg,
                                                doca_flow_entry_process_cb cb)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result == DOCA_SUCCESS)
        cfg->entry_cb = cb;
    return result;
}

doca_error_t doca_flow_cfg_set_cb_shared_resource_unbind(struct doca_flow_cfg *cfg,
                                                         doca_flow_shared_resource_unbind_cb cb)
{
    (void)cb;
    return CHECK_CFG(cfg);
}

doca_error_t doca_flow_cfg_set_rss_key(struct doca_flow_cfg *cfg, const uint8_t *rss_key,
                                       uint32_t rss_key_len)
{
    if (cfg == NULL || rss_key == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, cfg == NULL ? "cfg" : "rss_key");
    if (rss_key_len != SOFT_NIC_RSS_KEY)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "rss_key_len",
                         "%u" CORE_LIMIT "%u", rss_key_len, SOFT_NIC_RSS_KEY);
    memcpy(cfg->rss_key, rss_key, SOFT_NIC_RSS_KEY);
    cfg->has_rss_key = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_cfg_set_resource_mode(struct doca_flow_cfg *cfg,
                                             const enum doca_flow_resource_mode mode)
{
    (void)mode;
    return CHECK_CFG(cfg);
}

/* Tuning has no effect, but its settings are objects. */
struct doca_flow_tune_cfg {
    enum doca_flow_tune_profile profile;
};

doca_error_t doca_flow_tune_cfg_create(struct doca_flow_tune_cfg **tune_cfg)
{
    struct doca_flow_tune_cfg *created;

    if (tune_cfg == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "tune_cfg");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return no_memory(__func__, sizeof(*created));
    *tune_cfg = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_tune_cfg_destroy(struct doca_flow_tune_cfg *tune_cfg)
{
    doca_error_t result = CHECK_CFG(tune_cfg);

    free(tune_cfg);
    return result;
}

doca_error_t doca_flow_tune_cfg_set_profile(struct doca_flow_tune_cfg *tune_cfg,
                                            enum doca_flow_tune_profile profile)
{
    doca_error_t result = CHECK_CFG(tune_cfg);

    if (result == DOCA_SUCCESS)
        tune_cfg->profile = profile;
    return result;
}

doca_error_t doca_flow_cfg_set_tune_cfg(struct doca_flow_cfg *cfg,
                                        struct doca_flow_tune_cfg *tune_cfg)
{
    if (tune_cfg == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "tune_cfg");
    return CHECK_CFG(cfg);
}

/* ------------------------------------------------------------------------------------------------
 * Ports
 */

doca_error_t doca_flow_port_cfg_create(struct doca_flow_port_cfg **cfg)
{
    struct doca_flow_port_cfg *created;

    if (cfg == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "cfg");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return no_memory(__func__, sizeof(*created));
    *cfg = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_port_cfg_destroy(struct doca_flow_port_cfg *cfg)
{
    doca_error_t result = CHECK_CFG(cfg);

    free(cfg);
    return result;
}

doca_error_t doca_flow_port_cfg_set_devargs(struct doca_flow_port_cfg *cfg, const char *devargs)
{
    if (devargs == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "devargs");
    return CHECK_CFG(cfg);
}

doca_error_t doca_flow_port_cfg_set_priv_data_size(struct doca_flow_port_cfg *cfg,
                                                   uint16_t priv_data_size)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result == DOCA_SUCCESS)
        cfg->priv_size = priv_data_size;
    return result;
}

doca_error_t doca_flow_port_cfg_set_dev(struct doca_flow_port_cfg *cfg, struct doca_dev *dev)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result != DOCA_SUCCESS)
        return result;
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "dev",
                         "%p" CORE_LIMIT "an open device", (void *)dev);
    cfg->dev = dev;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_port_cfg_set_port_id(struct doca_flow_port_cfg *cfg, uint16_t port_id)
{
    doca_error_t result = CHECK_CFG(cfg);

    if (result != DOCA_SUCCESS)
        return result;
    cfg->id = port_id;
    cfg->has_id = true;
    return DOCA_SUCCESS;
}

static doca_error_t check_state(enum doca_flow_port_operation_state state, const char *func)
{
    if (state == DOCA_FLOW_PORT_OPERATION_STATE_ACTIVE)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, NULL, "state",
                     "%d" CORE_LIMIT "ACTIVE", (int)state);
}

doca_error_t doca_flow_port_cfg_set_operation_state(struct doca_flow_port_cfg *cfg,
                                                    enum doca_flow_port_operation_state state)
{
    doca_error_t result = CHECK_CFG(cfg);

    return result == DOCA_SUCCESS ? check_state(state, __func__) : result;
}

doca_error_t doca_flow_port_operation_state_modify(struct doca_flow_port *port,
                                                   enum doca_flow_port_operation_state state)
{
    doca_error_t result = flow_port_check(port, __func__);

    return result == DOCA_SUCCESS ? check_state(state, __func__) : result;
}

doca_error_t doca_flow_port_cfg_set_ipsec_sn_offload_disable(struct doca_flow_port_cfg *cfg)
{
    return CHECK_CFG(cfg);
}

doca_error_t doca_flow_port_cfg_set_actions_mem_size(struct doca_flow_port_cfg *cfg, uint32_t size)
{
    (void)size;
    return CHECK_CFG(cfg);
}

doca_error_t doca_flow_port_cfg_set_service_threads_core(struct doca_flow_port_cfg *cfg,
                                                         uint32_t core)
{
    (void)core;
    return CHECK_CFG(cfg);
}

doca_error_t doca_flow_port_cfg_set_service_threads_cycle(struct doca_flow_port_cfg *cfg,
                                                          uint32_t cycle_ms)
{
    (void)cycle_ms;
    return CHECK_CFG(cfg);
}

doca_error_t doca_flow_port_cfg_set_nr_resources(struct doca_flow_port_cfg *cfg,
                                                 enum doca_flow_resource resource,
                                                 uint32_t nr_resources)
{
    (void)nr_resources;
    if (cfg != NULL && (unsigned int)resource > DOCA_FLOW_RESOURCE_IPSEC_SA)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "resource",
                         "%d" CORE_LIMIT "a value of the enum", (int)resource);
    return CHECK_CFG(cfg);
}

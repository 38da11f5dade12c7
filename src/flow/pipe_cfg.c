/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static doca_error_t check_cfg(const struct doca_flow_pipe_cfg *cfg, const char *func)
{
    return cfg != NULL ? DOCA_SUCCESS : CORE_FAIL_NULL(CORE_LOG_FLOW, func, "cfg");
}

doca_error_t doca_flow_pipe_cfg_create(struct doca_flow_pipe_cfg **cfg, struct doca_flow_port *port)
{
    doca_error_t result = flow_port_check(port, __func__);
    struct doca_flow_pipe_cfg *created;

    if (result != DOCA_SUCCESS)
        return result;
    if (cfg == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "cfg");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_FLOW, __func__, port->name, "settings",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    created->port = port;
    created->nentries = 8192;
    *cfg = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_cfg_destroy(struct doca_flow_pipe_cfg *cfg)
{
    doca_error_t result = check_cfg(cfg, __func__);

    free(cfg);
    return result;
}

doca_error_t doca_flow_pipe_cfg_set_match(struct doca_flow_pipe_cfg *cfg,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    cfg->has_match = match != NULL;
    cfg->has_mask = match_mask != NULL;
    if (match != NULL)
        cfg->match = *match;
    if (match_mask != NULL)
        cfg->mask = *match_mask;
    return DOCA_SUCCESS;
}

static doca_error_t take_actions(struct doca_flow_pipe_cfg *cfg,
                                 struct doca_flow_actions *const *actions,
                                 struct doca_flow_actions *const *masks, size_t n, const char *func)
{
    for (size_t i = 0; i < n; i++) {
        if (actions[i] == NULL)
            return CORE_FAIL_NULL(CORE_LOG_FLOW, func, "actions");
        cfg->actions[i] = *actions[i];
        cfg->has_actions_mask[i] = masks != NULL && masks[i] != NULL;
        if (cfg->has_actions_mask[i])
            cfg->actions_mask[i] = *masks[i];
    }
    cfg->nactions = n;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_cfg_set_actions(struct doca_flow_pipe_cfg *cfg,
                                            struct doca_flow_actions *const *actions,
                                            struct doca_flow_actions *const *actions_masks,
                                            struct doca_flow_action_descs *const *action_descs,
                                            size_t nr_actions)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (actions == NULL && nr_actions > 0)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "actions");
    if (nr_actions > FLOW_ACTIONS_MAX)
        return CORE_FAIL(DOCA_ERROR_TOO_BIG, CORE_LOG_FLOW, __func__, cfg->name, "nr_actions",
                         "%zu" CORE_LIMIT "%u", nr_actions, FLOW_ACTIONS_MAX);
    for (size_t i = 0; action_descs != NULL && i < nr_actions; i++) {
        if (action_descs[i] != NULL && action_descs[i]->nb_action_desc > 0)
            return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, __func__, cfg->name,
                             "action_descs", "%u descriptions" CORE_LIMIT "none",
                             action_descs[i]->nb_action_desc);
    }
    return take_actions(cfg, actions, actions_masks, nr_actions, __func__);
}

doca_error_t doca_flow_pipe_cfg_set_monitor(struct doca_flow_pipe_cfg *cfg,
                                            const struct doca_flow_monitor *monitor)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (monitor == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "monitor");
    if (monitor->meter_type != DOCA_FLOW_RESOURCE_TYPE_NONE ||
        monitor->counter_type == DOCA_FLOW_RESOURCE_TYPE_SHARED)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, __func__, cfg->name, "monitor",
                         "a meter or a shared counter" CORE_LIMIT "counters of the entries");
    if (monitor->aging_sec != 0)
        CORE_WARN(CORE_LOG_FLOW, "%s: entries do not age; %u s have no effect", cfg->name,
                  monitor->aging_sec);
    cfg->counts = monitor->counter_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_cfg_set_name(struct doca_flow_pipe_cfg *cfg, const char *name)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (name == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "name");
    snprintf(cfg->name, sizeof(cfg->name), "%s", name);
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_cfg_set_label(struct doca_flow_pipe_cfg *cfg, const char *label)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result == DOCA_SUCCESS && label == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "label");
    return result;
}

doca_error_t doca_flow_pipe_cfg_set_type(struct doca_flow_pipe_cfg *cfg,
                                         enum doca_flow_pipe_type type)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if ((unsigned int)type > DOCA_FLOW_PIPE_HASH)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, cfg->name, "type",
                         "%d" CORE_LIMIT "a value of the enum", (int)type);
    cfg->type = type;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_cfg_set_domain(struct doca_flow_pipe_cfg *cfg,
                                           enum doca_flow_pipe_domain domain)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if ((unsigned int)domain > DOCA_FLOW_PIPE_DOMAIN_SECURE_EGRESS)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, cfg->name, "domain",
                         "%d" CORE_LIMIT "a value of the enum", (int)domain);
    cfg->domain = domain;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_cfg_set_is_root(struct doca_flow_pipe_cfg *cfg, bool is_root)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result == DOCA_SUCCESS)
        cfg->is_root = is_root;
    return result;
}

doca_error_t doca_flow_pipe_cfg_set_nr_entries(struct doca_flow_pipe_cfg *cfg, uint32_t nr_entries)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (nr_entries == 0 || nr_entries > FLOW_ENTRIES_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, cfg->name, "nr_entries",
                         "%u" CORE_LIMIT "1..%u", nr_entries, FLOW_ENTRIES_MAX);
    cfg->nentries = nr_entries;
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_cfg_set_is_resizable(struct doca_flow_pipe_cfg *cfg, bool is_resizable)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result == DOCA_SUCCESS && is_resizable)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, __func__, cfg->name,
                         "is_resizable",
                         "true" CORE_LIMIT "false" CORE_REMEDY
                         "create the pipe for as many entries as it will have");
    return result;
}

doca_error_t doca_flow_pipe_cfg_set_excluded_queue(struct doca_flow_pipe_cfg *cfg,
                                                   uint16_t pipe_queue)
{
    (void)pipe_queue;
    return check_cfg(cfg, __func__);
}

doca_error_t doca_flow_pipe_cfg_set_miss_counter(struct doca_flow_pipe_cfg *cfg, bool miss_counter)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result == DOCA_SUCCESS)
        cfg->counts_misses = miss_counter;
    return result;
}

doca_error_t doca_flow_pipe_cfg_set_congestion_level_threshold(struct doca_flow_pipe_cfg *cfg,
                                                               uint8_t congestion_level_threshold)
{
    (void)congestion_level_threshold;
    return check_cfg(cfg, __func__);
}

doca_error_t doca_flow_pipe_cfg_set_user_ctx(struct doca_flow_pipe_cfg *cfg, void *user_ctx)
{
    doca_error_t result = check_cfg(cfg, __func__);

    if (result == DOCA_SUCCESS)
        cfg->user_ctx = user_ctx;
    return result;
}

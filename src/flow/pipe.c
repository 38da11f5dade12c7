/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

doca_error_t flow_pipe_check(const struct doca_flow_pipe *pipe, const char *func)
{
    if (!core_is_live(CORE_LIVE_FLOW_PIPE, pipe))
        return CORE_FAIL_DEAD(CORE_LOG_FLOW, func, "pipe", pipe);
    if (pipe->is_dead)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, pipe->name, "pipe",
                         "destroyed");
    return DOCA_SUCCESS;
}

static doca_error_t check_cfg(const struct doca_flow_pipe_cfg *cfg, const char *func)
{
    if (cfg->type != DOCA_FLOW_PIPE_BASIC && cfg->type != DOCA_FLOW_PIPE_CONTROL)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, cfg->name, "type",
                         "%d" CORE_LIMIT "BASIC or CONTROL", (int)cfg->type);
    if (cfg->domain == DOCA_FLOW_PIPE_DOMAIN_DEFAULT && cfg->is_root && cfg->port->root != NULL)
        return CORE_FAIL(DOCA_ERROR_ALREADY_EXIST, CORE_LOG_FLOW, func, cfg->name, "root pipe",
                         "second one" CORE_LIMIT "one a port (%s)" CORE_REMEDY
                         "lead to this pipe from the root pipe",
                         cfg->port->root->name);
    return DOCA_SUCCESS;
}

static doca_error_t read_actions(struct doca_flow_pipe *pipe, const struct doca_flow_pipe_cfg *cfg,
                                 const char *func)
{
    doca_error_t result = DOCA_SUCCESS;

    for (size_t i = 0; i < cfg->nactions && result == DOCA_SUCCESS; i++)
        result = flow_actions_template(&cfg->actions[i],
                                       cfg->has_actions_mask[i] ? &cfg->actions_mask[i] : NULL,
                                       func, pipe->name, &pipe->actions[i]);
    pipe->nactions = cfg->nactions;
    return result;
}

/* From the settings to a table of the soft layer, which is not made yet. */
static doca_error_t compile(struct doca_flow_pipe *pipe, const struct doca_flow_pipe_cfg *cfg,
                            const struct doca_flow_fwd *fwd, const struct doca_flow_fwd *miss,
                            const char *func, struct soft_nic_table_conf *conf)
{
    const struct doca_flow_match *match = cfg->has_match ? &cfg->match : NULL;
    doca_error_t result;

    memset(conf, 0, sizeof(*conf));
    conf->kind = cfg->type == DOCA_FLOW_PIPE_CONTROL ? SOFT_NIC_TABLE_LIST : SOFT_NIC_TABLE_HASH;
    conf->max_entries = cfg->nentries;
    conf->counts_misses = cfg->counts_misses;
    result = read_actions(pipe, cfg, func);
    if (result == DOCA_SUCCESS && cfg->type == DOCA_FLOW_PIPE_BASIC)
        result = flow_match_template(match, cfg->has_mask ? &cfg->mask : NULL, func, pipe->name,
                                     &conf->mask, &conf->value, &conf->open);
    if (result == DOCA_SUCCESS)
        result = flow_fwd(pipe->port, fwd, false, func, &conf->fwd);
    if (result == DOCA_SUCCESS)
        result = flow_fwd(pipe->port, miss, true, func, &conf->miss);
    pipe->open = conf->open;
    if (match != NULL)
        pipe->selectors = (struct flow_selectors){match->outer.l3_type, match->outer.l4_type_ext};
    pipe->has_fwd = conf->fwd.kind != SOFT_NIC_FWD_NONE;
    return result;
}

static struct doca_flow_pipe *new_pipe(const struct doca_flow_pipe_cfg *cfg)
{
    struct doca_flow_pipe *pipe = calloc(1, sizeof(*pipe));

    if (pipe == NULL)
        return NULL;
    pipe->port = cfg->port;
    memcpy(pipe->name, cfg->name, sizeof(pipe->name));
    if (pipe->name[0] == '\0')
        memcpy(pipe->name, "pipe", sizeof("pipe"));
    pipe->type = cfg->type;
    pipe->is_egress = cfg->domain != DOCA_FLOW_PIPE_DOMAIN_DEFAULT;
    pipe->is_root = cfg->is_root && !pipe->is_egress;
    pipe->counts = cfg->counts;
    pipe->counts_misses = cfg->counts_misses;
    od_list_init(&pipe->link);
    od_list_init(&pipe->entries);
    pthread_mutex_init(&pipe->lock, NULL);
    return pipe;
}

void flow_pipe_free(struct doca_flow_pipe *pipe)
{
    od_list_remove(&pipe->link);
    soft_nic_table_destroy(pipe->table);
    pthread_mutex_destroy(&pipe->lock);
    free(pipe);
}

doca_error_t doca_flow_pipe_create(const struct doca_flow_pipe_cfg *cfg,
                                   const struct doca_flow_fwd *fwd,
                                   const struct doca_flow_fwd *fwd_miss,
                                   struct doca_flow_pipe **pipe)
{
    struct soft_nic_table_conf conf;
    struct doca_flow_pipe *created;
    doca_error_t result;
    int err;

    if (cfg == NULL || pipe == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, cfg == NULL ? "cfg" : "pipe");
    result = flow_port_check(cfg->port, __func__);
    if (result == DOCA_SUCCESS)
        result = check_cfg(cfg, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    created = new_pipe(cfg);
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_FLOW, __func__, cfg->name, "pipe",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    result = compile(created, cfg, fwd, fwd_miss, __func__, &conf);
    if (result != DOCA_SUCCESS)
        goto err_free;
    err = soft_nic_table_create(cfg->port->soft, &conf, &created->table);
    if (err != 0) {
        result = CORE_FAIL_SOFT(err, CORE_LOG_FLOW, __func__, created->name, "entries");
        goto err_free;
    }
    od_list_append(&cfg->port->pipes, &created->link);
    core_live_add(CORE_LIVE_FLOW_PIPE, created);
    if (created->is_root) {
        cfg->port->root = created;
        soft_nic_port_set_root(cfg->port->soft, created->table);
    }
    *pipe = created;
    return DOCA_SUCCESS;

err_free:
    flow_pipe_free(created);
    return result;
}

/* What rules lead to it is dropped. An entry that is being reported keeps the pipe until its
 * callback has returned. */
static void end_pipe(struct doca_flow_pipe *pipe)
{
    if (pipe->is_dead)
        return;
    pipe->is_dead = true;
    core_live_remove(pipe);
    if (pipe->port->root == pipe) {
        pipe->port->root = NULL;
        soft_nic_port_set_root(pipe->port->soft, NULL);
    }
    soft_nic_table_close(pipe->table);
    flow_entries_drop(pipe);
    if (od_list_is_empty(&pipe->entries))
        flow_pipe_free(pipe);
}

void doca_flow_pipe_destroy(struct doca_flow_pipe *pipe)
{
    if (core_is_live(CORE_LIVE_FLOW_PIPE, pipe))
        end_pipe(pipe);
    else if (OD_CHECKED && pipe != NULL)
        CORE_FAIL_DEAD(CORE_LOG_FLOW, __func__, "pipe", pipe);
}

void doca_flow_port_pipes_flush(struct doca_flow_port *port)
{
    if (port == NULL || flow_port_check(port, __func__) != DOCA_SUCCESS)
        return;
    flow_pipes_end(port);
}

void flow_pipes_end(struct doca_flow_port *port)
{
    OD_LIST_FOR_EACH_SAFE(link, &port->pipes)
    end_pipe(OD_LIST_ENTRY(link, struct doca_flow_pipe, link));
}

doca_error_t doca_flow_pipe_update_miss(struct doca_flow_pipe *pipe,
                                        const struct doca_flow_fwd *fwd_miss)
{
    doca_error_t result = flow_pipe_check(pipe, __func__);
    struct soft_nic_fwd fwd;
    int err;

    if (result == DOCA_SUCCESS && fwd_miss == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "fwd_miss");
    if (result == DOCA_SUCCESS)
        result = flow_fwd(pipe->port, fwd_miss, true, __func__, &fwd);
    if (result != DOCA_SUCCESS)
        return result;
    err = soft_nic_table_set_miss(pipe->table, &fwd);
    return err == 0 ? DOCA_SUCCESS
                    : CORE_FAIL_SOFT(err, CORE_LOG_FLOW, __func__, pipe->name, "fwd_miss");
}

void doca_flow_pipe_dump(struct doca_flow_pipe *pipe, FILE *f)
{
    if (pipe == NULL || f == NULL || flow_pipe_check(pipe, __func__) != DOCA_SUCCESS)
        return;
    fprintf(f, "pipe \"%s\": %s%s, %u entries, %s\n", pipe->name, pipe->is_root ? "root, " : "",
            pipe->type == DOCA_FLOW_PIPE_CONTROL ? "CONTROL" : "BASIC",
            soft_nic_table_entries(pipe->table), pipe->port->name);
}

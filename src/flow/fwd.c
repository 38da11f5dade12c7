/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_priv.h"

#include <string.h>

struct doca_flow_target flow_kernel = {DOCA_FLOW_TARGET_KERNEL};

struct doca_flow_port *flow_find_port(uint16_t id)
{
    struct doca_flow_port *found = NULL;

    pthread_mutex_lock(&flow_library.lock);
    OD_LIST_FOR_EACH(link, &flow_library.ports)
    {
        struct doca_flow_port *port = OD_LIST_ENTRY(link, struct doca_flow_port, link);

        if (port->id == id)
            found = port;
    }
    pthread_mutex_unlock(&flow_library.lock);
    return found;
}

static uint32_t rss_flags(uint32_t flags)
{
    static const struct {
        uint32_t api, soft;
    } table[] = {
        {DOCA_FLOW_RSS_IPV4, SOFT_NIC_RSS_IPV4_SRC | SOFT_NIC_RSS_IPV4_DST},
        {DOCA_FLOW_RSS_IPV6, SOFT_NIC_RSS_IPV6_SRC | SOFT_NIC_RSS_IPV6_DST},
        {DOCA_FLOW_RSS_UDP, SOFT_NIC_RSS_UDP_SRC | SOFT_NIC_RSS_UDP_DST},
        {DOCA_FLOW_RSS_TCP, SOFT_NIC_RSS_TCP_SRC | SOFT_NIC_RSS_TCP_DST},
        {DOCA_FLOW_RSS_IPV4_SRC, SOFT_NIC_RSS_IPV4_SRC},
        {DOCA_FLOW_RSS_IPV4_DST, SOFT_NIC_RSS_IPV4_DST},
        {DOCA_FLOW_RSS_IPV6_SRC, SOFT_NIC_RSS_IPV6_SRC},
        {DOCA_FLOW_RSS_IPV6_DST, SOFT_NIC_RSS_IPV6_DST},
        {DOCA_FLOW_RSS_UDP_SRC, SOFT_NIC_RSS_UDP_SRC},
        {DOCA_FLOW_RSS_UDP_DST, SOFT_NIC_RSS_UDP_DST},
        {DOCA_FLOW_RSS_TCP_SRC, SOFT_NIC_RSS_TCP_SRC},
        {DOCA_FLOW_RSS_TCP_DST, SOFT_NIC_RSS_TCP_DST},
        {DOCA_FLOW_RSS_ESP, SOFT_NIC_RSS_ESP},
        {DOCA_FLOW_RSS_AUTO, UINT32_MAX},
    };
    uint32_t soft = 0;

    for (size_t i = 0; i < OD_ARRAY_SIZE(table); i++)
        soft |= (flags & table[i].api) != 0 ? table[i].soft : 0;
    return soft;
}

static doca_error_t to_queues(const struct doca_flow_port *port, const struct doca_flow_fwd *fwd,
                              const char *func, struct soft_nic_fwd *out)
{
    const struct doca_flow_resource_rss_cfg *rss = &fwd->rss;

    if (fwd->rss_type == DOCA_FLOW_RESOURCE_TYPE_SHARED || rss->inner_flags != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, port->name, "fwd",
                         "RSS that is shared, or of inner headers" CORE_LIMIT
                         "RSS of the rule, of outer headers");
    if (rss->queues_array == NULL || rss->nr_queues < 1 ||
        rss->nr_queues > (int)SOFT_NIC_FWD_QUEUES_MAX ||
        (unsigned int)rss->rss_hash_func > DOCA_FLOW_RSS_HASH_FUNCTION_SYMMETRIC_TOEPLITZ)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, port->name, "fwd",
                         "RSS to %d queues at %p by function %d" CORE_LIMIT "1..%u queues",
                         rss->nr_queues, (void *)rss->queues_array, (int)rss->rss_hash_func,
                         SOFT_NIC_FWD_QUEUES_MAX);
    out->kind = SOFT_NIC_FWD_QUEUES;
    out->nqueues = (uint32_t)rss->nr_queues;
    memcpy(out->queues, rss->queues_array, out->nqueues * sizeof(out->queues[0]));
    out->rss = rss_flags(rss->outer_flags);
    out->symmetric = rss->rss_hash_func == DOCA_FLOW_RSS_HASH_FUNCTION_SYMMETRIC_TOEPLITZ;
    return DOCA_SUCCESS;
}

static doca_error_t to_pipe(const struct doca_flow_port *port, const struct doca_flow_fwd *fwd,
                            const char *func, struct soft_nic_fwd *out)
{
    if (!core_is_live(CORE_LIVE_FLOW_PIPE, fwd->next_pipe) || fwd->next_pipe->port != port ||
        fwd->next_pipe->is_dead)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, port->name, "fwd",
                         "pipe %p" CORE_LIMIT "a pipe of the same port", (void *)fwd->next_pipe);
    out->kind = SOFT_NIC_FWD_TABLE;
    out->table = fwd->next_pipe->table;
    return DOCA_SUCCESS;
}

static doca_error_t to_port(const struct doca_flow_port *port, const struct doca_flow_fwd *fwd,
                            const char *func, struct soft_nic_fwd *out)
{
    const struct doca_flow_port *to = flow_find_port(fwd->port_id);

    if (to == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, port->name, "fwd",
                         "port %u" CORE_LIMIT "a port that is started", fwd->port_id);
    out->kind = SOFT_NIC_FWD_PORT;
    out->port = to->soft;
    return DOCA_SUCCESS;
}

static doca_error_t to_target(const struct doca_flow_port *port, const struct doca_flow_fwd *fwd,
                              const char *func, struct soft_nic_fwd *out)
{
    if (fwd->target != &flow_kernel)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, port->name, "fwd",
                         "target %p" CORE_LIMIT "what doca_flow_get_target() gives",
                         (void *)fwd->target);
    out->kind = SOFT_NIC_FWD_KERNEL;
    return DOCA_SUCCESS;
}

doca_error_t flow_fwd(const struct doca_flow_port *port, const struct doca_flow_fwd *fwd,
                      bool is_miss, const char *func, struct soft_nic_fwd *out)
{
    memset(out, 0, sizeof(*out));
    if (fwd == NULL || fwd->type == DOCA_FLOW_FWD_NONE)
        return DOCA_SUCCESS;
    if (is_miss && (fwd->type == DOCA_FLOW_FWD_RSS || fwd->type == DOCA_FLOW_FWD_PORT ||
                    fwd->type == DOCA_FLOW_FWD_CHANGEABLE))
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, port->name, "fwd_miss",
                         "type %d" CORE_LIMIT "PIPE, DROP or TARGET", (int)fwd->type);
    switch (fwd->type) {
    case DOCA_FLOW_FWD_RSS:
        return to_queues(port, fwd, func, out);
    case DOCA_FLOW_FWD_PORT:
        return to_port(port, fwd, func, out);
    case DOCA_FLOW_FWD_PIPE:
        return to_pipe(port, fwd, func, out);
    case DOCA_FLOW_FWD_TARGET:
        return to_target(port, fwd, func, out);
    case DOCA_FLOW_FWD_DROP:
        out->kind = SOFT_NIC_FWD_DROP;
        return DOCA_SUCCESS;
    case DOCA_FLOW_FWD_CHANGEABLE:
        return DOCA_SUCCESS;
    default:
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, port->name, "fwd",
                         "type %d" CORE_LIMIT "RSS, PORT, PIPE, DROP or TARGET", (int)fwd->type);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries added with the calls of several releases; tells how many packets each one matched once
 * the queue has received as many as were asked for.
 *
 *     eth_generations -d IBDEV -n PACKETS
 */
#include <inttypes.h>
#include <string.h>

#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_log.h>

#include "../common/eth_kit.h"
#include "rules.h"

DOCA_LOG_REGISTER(ETH_GENERATIONS);

#define BURST  64
#define PACKET 2048
#define MEMORY (4 * BURST * PACKET)

static doca_error_t any(struct doca_devinfo *devinfo)
{
    (void)devinfo;
    return DOCA_SUCCESS;
}

static doca_error_t make_pipe(struct doca_flow_port *port, enum doca_flow_pipe_type type,
                              bool is_root, const struct doca_flow_match *match,
                              const struct doca_flow_fwd *miss, struct doca_flow_pipe **pipe)
{
    struct doca_flow_monitor monitor;
    struct doca_flow_pipe_cfg *cfg;
    doca_error_t result = doca_flow_pipe_cfg_create(&cfg, port), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    memset(&monitor, 0, sizeof(monitor));
    monitor.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    result = doca_flow_pipe_cfg_set_type(cfg, type);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_is_root(cfg, is_root);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_enable_strict_matching(cfg, true);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_dir_info(cfg, DOCA_FLOW_DIRECTION_NETWORK_TO_HOST);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_match(cfg, match, NULL);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_monitor(cfg, &monitor);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_create(cfg, NULL, miss, pipe);
    tmp = doca_flow_pipe_cfg_destroy(cfg);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t make_rules(struct ek *ek, struct rules *rules)
{
    uint16_t queues[1] = {0};
    struct doca_flow_match open;
    struct doca_flow_fwd drop, fwd;
    doca_error_t result = ek_init_flow();

    if (result != DOCA_SUCCESS)
        return result;
    ek->has_flow = true;
    memset(&open, 0, sizeof(open));
    memset(&drop, 0, sizeof(drop));
    open.outer.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP;
    open.outer.udp.l4_port.dst_port = UINT16_MAX;
    memset(&fwd, 0, sizeof(fwd));
    drop.type = DOCA_FLOW_FWD_DROP;
    fwd.type = DOCA_FLOW_FWD_RSS;
    fwd.rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    fwd.rss.queues_array = queues;
    fwd.rss.nr_queues = 1;
    result = ek_start_port(ek->dev, 0, &ek->port);
    if (result == DOCA_SUCCESS)
        result = make_pipe(ek->port, DOCA_FLOW_PIPE_BASIC, false, &open, &drop, &rules->basic);
    if (result == DOCA_SUCCESS)
        result = make_pipe(ek->port, DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, &rules->control);
    if (result == DOCA_SUCCESS)
        result = add_rules(rules, &fwd);
    if (result == DOCA_SUCCESS)
        result = doca_flow_entries_process(ek->port, 0, 0, 0);
    return result;
}

static void received(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                     union doca_data user_data)
{
    (void)event;
    (*(int *)user_data.ptr)++;
    if (pkt != NULL)
        (void)doca_buf_dec_refcount(pkt, NULL);
}

static doca_error_t create_queue(struct ek *ek, int *count, struct doca_eth_rxq **rxq)
{
    union doca_data data;
    doca_error_t result = doca_eth_rxq_create(ek->dev, BURST, PACKET, rxq);

    if (result != DOCA_SUCCESS)
        return result;
    data.ptr = count;
    result = doca_eth_rxq_set_type(*rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_set_pkt_buf(*rxq, ek->mmap, 0, MEMORY);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_event_managed_recv_register(*rxq, data, received, received);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(ek->pe, doca_eth_rxq_as_doca_ctx(*rxq));
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(doca_eth_rxq_as_doca_ctx(*rxq));
    return result == DOCA_SUCCESS ? doca_eth_rxq_apply_queue_id(*rxq, 0) : result;
}

static doca_error_t tell(const struct rules *rules)
{
    static const char *const names[] = {"nine arguments", "ten arguments", "priority first",
                                        "today"};
    struct doca_flow_resource_query query;
    doca_error_t result = DOCA_SUCCESS;

    for (int i = 0; i < FORMS && result == DOCA_SUCCESS; i++) {
        result = doca_flow_resource_query_entry(rules->entries[i], &query);
        if (result == DOCA_SUCCESS)
            DOCA_LOG_INFO("%s: %" PRIu64 " packets", names[i], query.counter.total_pkts);
    }
    return result;
}

int main(int argc, char **argv)
{
    struct ek_options options;
    struct doca_eth_rxq *rxq = NULL;
    struct rules rules;
    doca_error_t result, tmp;
    int count = 0;
    struct ek ek;

    memset(&ek, 0, sizeof(ek));
    memset(&options, 0, sizeof(options));
    result = ek_begin(&options, argc, argv);
    if (result != DOCA_SUCCESS)
        return ek_exit("eth_generations", result);
    result = ek_create(&ek, options.device, any, MEMORY, 1);
    if (result == DOCA_SUCCESS)
        result = create_queue(&ek, &count, &rxq);
    if (result == DOCA_SUCCESS)
        result = make_rules(&ek, &rules);
    if (result == DOCA_SUCCESS)
        result = ek_await(ek.pe, &count, options.count);
    if (result == DOCA_SUCCESS)
        result = tell(&rules);
    ek_stop_flow(&ek);
    if (rxq != NULL) {
        tmp = ek_stop_ctx(ek.pe, doca_eth_rxq_as_doca_ctx(rxq));
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_eth_rxq_destroy(rxq);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = ek_destroy(&ek);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return ek_exit("eth_generations", result);
}

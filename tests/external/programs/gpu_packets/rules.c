/* SPDX-License-Identifier: BSD-3-Clause */
/* By protocol, to queues that share it; of TCP only what belongs to known connections. */
#include <arpa/inet.h>
#include <string.h>

#include <doca_flow_net.h>

#include "gpu_packets.h"

DOCA_LOG_REGISTER(GPU_PACKETS::RULES);

#define PROTO_ICMP 1
#define PROTO_TCP  6
#define PROTO_UDP  17

static const struct doca_flow_fwd dropped = {.type = DOCA_FLOW_FWD_DROP};

doca_error_t open_flow(struct app *app)
{
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_cfg *cfg;

    TRY(doca_flow_cfg_create(&cfg));
    TRY(doca_flow_cfg_set_pipe_queues(cfg, 2));
    TRY(doca_flow_cfg_set_mode_args(cfg, "vnf,hws,isolated,use_doca_eth"));
    TRY(doca_flow_cfg_set_nr_counters(cfg, 1024));
    TRY(doca_flow_init(cfg));
    TRY(doca_flow_cfg_destroy(cfg));
    TRY(doca_flow_port_cfg_create(&port_cfg));
    TRY(doca_flow_port_cfg_set_port_id(port_cfg, 0));
    TRY(doca_flow_port_cfg_set_dev(port_cfg, app->dev));
    TRY(doca_flow_port_start(port_cfg, &app->port));
    return doca_flow_port_cfg_destroy(port_cfg);
}

static doca_error_t make_pipe(struct app *app, const char *name, enum doca_flow_pipe_type type,
                              const struct doca_flow_match *match, const struct doca_flow_fwd *fwd,
                              struct doca_flow_pipe **pipe)
{
    struct doca_flow_monitor monitor = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_pipe_cfg *cfg;

    TRY(doca_flow_pipe_cfg_create(&cfg, app->port));
    TRY(doca_flow_pipe_cfg_set_name(cfg, name));
    TRY(doca_flow_pipe_cfg_set_type(cfg, type));
    TRY(doca_flow_pipe_cfg_set_is_root(cfg, type == DOCA_FLOW_PIPE_CONTROL));
    if (match != NULL)
        TRY(doca_flow_pipe_cfg_set_match(cfg, match, NULL));
    TRY(doca_flow_pipe_cfg_set_monitor(cfg, &monitor));
    TRY(doca_flow_pipe_create(cfg, fwd, fwd != NULL ? &dropped : NULL, pipe));
    return doca_flow_pipe_cfg_destroy(cfg);
}

static doca_error_t make_protocol(struct app *app, const char *name, uint32_t l4, uint16_t id,
                                  int num, uint32_t flags, struct doca_flow_pipe **pipe)
{
    uint16_t ids[MAX_QUEUES] = {id, id + 1, id + 2, id + 3};
    struct doca_flow_fwd fwd = {
        .type = DOCA_FLOW_FWD_RSS,
        .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
        .rss = {.queues_array = ids, .nr_queues = num, .outer_flags = flags}};
    struct doca_flow_match match;
    struct doca_flow_pipe_entry *entry;

    memset(&match, 0, sizeof(match));
    match.parser_meta.outer_l3_type = DOCA_FLOW_L3_META_IPV4;
    match.parser_meta.outer_l4_type = l4;
    TRY(make_pipe(app, name, DOCA_FLOW_PIPE_BASIC, &match, &fwd, pipe));
    return doca_flow_pipe_basic_add_entry(0, *pipe, NULL, 0, NULL, NULL, NULL,
                                          DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, NULL, &entry);
}

/* Entries are added as connections are opened. */
static doca_error_t make_connections(struct app *app)
{
    uint16_t ids[MAX_QUEUES] = {ID_TCP, ID_TCP + 1, ID_TCP + 2, ID_TCP + 3};
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                .rss = {.queues_array = ids,
                                        .nr_queues = app->num,
                                        .outer_flags = DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_TCP}};
    struct doca_flow_match match;

    memset(&match, 0, sizeof(match));
    match.outer.l3_type = DOCA_FLOW_L3_TYPE_IP4;
    match.outer.ip4.src_ip = match.outer.ip4.dst_ip = UINT32_MAX;
    match.outer.ip4.next_proto = PROTO_TCP;
    match.outer.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP;
    match.outer.tcp.l4_port.src_port = match.outer.tcp.l4_port.dst_port = UINT16_MAX;
    return make_pipe(app, "TCP", DOCA_FLOW_PIPE_BASIC, &match, &fwd, &app->tcp_pipe);
}

static doca_error_t lead(struct app *app, const struct doca_flow_match *match,
                         const struct doca_flow_match *mask, uint32_t priority,
                         struct doca_flow_pipe *to)
{
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_PIPE, .next_pipe = to};
    struct doca_flow_pipe_entry *entry;

    return doca_flow_pipe_control_add_entry(0, app->root, match, mask, NULL, NULL, NULL, NULL, NULL,
                                            priority, &fwd, NULL, &entry);
}

static doca_error_t lead_protocol(struct app *app, uint8_t proto, uint32_t priority,
                                  struct doca_flow_pipe *to)
{
    struct doca_flow_match match;

    memset(&match, 0, sizeof(match));
    match.outer.eth.type = htons(DOCA_FLOW_ETHER_TYPE_IPV4);
    match.outer.l3_type = DOCA_FLOW_L3_TYPE_IP4;
    match.outer.ip4.next_proto = proto;
    return lead(app, &match, NULL, priority, to);
}

static doca_error_t make_root(struct app *app)
{
    static const uint8_t flags[] = {DOCA_FLOW_MATCH_TCP_FLAG_SYN, DOCA_FLOW_MATCH_TCP_FLAG_RST,
                                    DOCA_FLOW_MATCH_TCP_FLAG_FIN};
    struct doca_flow_match match, mask;

    TRY(make_pipe(app, "ROOT", DOCA_FLOW_PIPE_CONTROL, NULL, NULL, &app->root));
    TRY(lead_protocol(app, PROTO_UDP, 0, app->udp_pipe));
    TRY(lead_protocol(app, PROTO_ICMP, 0, app->icmp_pipe));
    for (size_t i = 0; i < sizeof(flags); i++) {
        memset(&match, 0, sizeof(match));
        memset(&mask, 0, sizeof(mask));
        match.outer.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP;
        match.outer.tcp.flags = mask.outer.tcp.flags = flags[i];
        TRY(lead(app, &match, &mask, 1, app->tcp_cpu_pipe));
    }
    return lead_protocol(app, PROTO_TCP, 3, app->tcp_pipe);
}

doca_error_t make_rules(struct app *app)
{
    for (int i = 0; i < app->num; i++) {
        TRY(doca_eth_rxq_apply_queue_id(app->udp[i].rxq, (uint16_t)(ID_UDP + i)));
        TRY(doca_eth_rxq_apply_queue_id(app->tcp[i].rxq, (uint16_t)(ID_TCP + i)));
    }
    TRY(doca_eth_rxq_apply_queue_id(app->icmp.rxq, ID_ICMP));
    TRY(doca_eth_rxq_apply_queue_id(app->control.rxq, ID_TCP_CPU));
    TRY(make_protocol(app, "UDP", DOCA_FLOW_L4_META_UDP, ID_UDP, app->num,
                      DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP, &app->udp_pipe));
    TRY(make_protocol(app, "ICMP", DOCA_FLOW_L4_META_ICMP, ID_ICMP, 1, DOCA_FLOW_RSS_IPV4,
                      &app->icmp_pipe));
    TRY(make_protocol(app, "TCP_CPU", DOCA_FLOW_L4_META_TCP, ID_TCP_CPU, 1, DOCA_FLOW_RSS_TCP,
                      &app->tcp_cpu_pipe));
    TRY(make_connections(app));
    TRY(make_root(app));
    TRY(doca_flow_entries_process(app->port, 0, 0, 0));
    app->control.port = app->port;
    app->control.pipe = app->tcp_pipe;
    return DOCA_SUCCESS;
}

/* Pipes go with their port. */
doca_error_t close_flow(struct app *app)
{
    TRY(doca_flow_port_stop(app->port));
    doca_flow_destroy();
    return DOCA_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules: datagrams for two ports go to one queue, new connections to another one, the rest of UDP
 * is dropped, everything else is left to the kernel. Each rule counts.
 *
 *     flow_classify [-d FROM] [-e TO] [-n FRAMES]
 *
 * The frames are sent out of FROM; the rules are those of TO, at the other end of the wire.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../../common/packets.h"

#define FRAME   60u
#define AHEAD   64u
#define SECONDS 30.0
#define KINDS   6u

/* What is sent in turn. The first two go to queue 0, the last one to queue 1: when it has come,
 * those before it have been counted. */
static const struct kind {
    uint16_t type;
    uint8_t proto, tcp_flags;
    uint16_t dst_port;
} kinds[KINDS] = {
    {0x0800, 17, 0, 53},   {0x0800, 17, 0, 123}, {0x0800, 17, 0, 9999},
    {0x0800, 6, 0x10, 80}, {0x88b5, 0, 0, 0},    {0x0800, 6, 0x02, 80},
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void make_frame(uint8_t frame[FRAME], const struct kind *kind)
{
    static const uint8_t macs[] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0};
    static const uint8_t ips[] = {192, 0, 2, 1, 192, 0, 2, 2};

    memset(frame, 0, FRAME);
    memcpy(frame, macs, sizeof(macs));
    put16(frame + 12, kind->type);
    frame[14] = 0x45;
    put16(frame + 16, FRAME - 14);
    frame[22] = 64;
    frame[23] = kind->proto;
    memcpy(frame + 26, ips, sizeof(ips));
    put16(frame + 34, 40000);
    put16(frame + 36, kind->dst_port);
    if (kind->proto == 17) {
        put16(frame + 38, FRAME - 34);
    } else {
        frame[46] = 0x50;
        frame[47] = kind->tcp_flags;
    }
}

static void handle(struct packets_rxq *rxq, struct doca_buf *pkt)
{
    (void)rxq;
    doca_buf_dec_refcount(pkt, NULL);
}

/* ---- rules ---- */

struct rules {
    struct doca_flow_pipe *root, *udp;
    struct doca_flow_pipe_entry *dns, *ntp, *to_udp, *syn;
};

static struct doca_flow_fwd to_queue(uint16_t *id)
{
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                .rss = {.queues_array = id, .nr_queues = 1}};

    return fwd;
}

static doca_error_t make_pipe(struct doca_flow_port *port, enum doca_flow_pipe_type type,
                              bool is_root, struct doca_flow_match *match,
                              const struct doca_flow_fwd *fwd, const struct doca_flow_fwd *miss,
                              struct doca_flow_pipe **pipe)
{
    struct doca_flow_monitor monitor = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_pipe_cfg *cfg;
    doca_error_t result = doca_flow_pipe_cfg_create(&cfg, port);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_flow_pipe_cfg_set_name(cfg, is_root ? "ROOT" : "UDP");
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_type(cfg, type);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_is_root(cfg, is_root);
    if (result == DOCA_SUCCESS && match != NULL)
        result = doca_flow_pipe_cfg_set_match(cfg, match, NULL);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_monitor(cfg, &monitor);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_miss_counter(cfg, true);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_create(cfg, fwd, miss, pipe);
    doca_flow_pipe_cfg_destroy(cfg);
    return result;
}

/* Its entries choose the port: all ones in the template leave a field to them. */
static doca_error_t make_udp(struct rules *rules, struct doca_flow_port *port)
{
    struct doca_flow_fwd drop = {.type = DOCA_FLOW_FWD_DROP}, fwd;
    struct doca_flow_match match;
    uint16_t queue = 0;
    doca_error_t result;

    memset(&match, 0, sizeof(match));
    match.outer.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP;
    match.outer.udp.l4_port.dst_port = 0xffff;
    fwd = to_queue(&queue);
    result = make_pipe(port, DOCA_FLOW_PIPE_BASIC, false, &match, &fwd, &drop, &rules->udp);
    match.outer.udp.l4_port.dst_port = htons(53);
    if (result == DOCA_SUCCESS)
        result =
            doca_flow_pipe_basic_add_entry(0, rules->udp, &match, 0, NULL, NULL, NULL,
                                           DOCA_FLOW_ENTRY_FLAGS_WAIT_FOR_BATCH, NULL, &rules->dns);
    match.outer.udp.l4_port.dst_port = htons(123);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_basic_add_entry(0, rules->udp, &match, 0, NULL, NULL, NULL,
                                                DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, NULL, &rules->ntp);
    return result;
}

/* Its entries have a match each; the smallest priority decides. Without a rule: to the kernel. */
static doca_error_t make_root(struct rules *rules, struct doca_flow_port *port)
{
    struct doca_flow_match match, mask;
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_PIPE, .next_pipe = rules->udp};
    uint16_t queue = 1;
    doca_error_t result =
        make_pipe(port, DOCA_FLOW_PIPE_CONTROL, true, NULL, NULL, NULL, &rules->root);

    memset(&match, 0, sizeof(match));
    match.parser_meta.outer_l4_type = DOCA_FLOW_L4_META_UDP;
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_control_add_entry(0, rules->root, &match, NULL, NULL, NULL, NULL,
                                                  NULL, NULL, 1, &fwd, NULL, &rules->to_udp);
    memset(&match, 0, sizeof(match));
    memset(&mask, 0, sizeof(mask));
    match.outer.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP;
    match.outer.tcp.flags = DOCA_FLOW_MATCH_TCP_FLAG_SYN;
    mask.outer.tcp.flags = DOCA_FLOW_MATCH_TCP_FLAG_SYN; /* whatever else is set */
    fwd = to_queue(&queue);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_control_add_entry(0, rules->root, &match, &mask, NULL, NULL, NULL,
                                                  NULL, NULL, 2, &fwd, NULL, &rules->syn);
    if (result == DOCA_SUCCESS)
        result = doca_flow_entries_process(port, 0, 0, 0);
    return result;
}

static uint64_t tell(const char *what, struct doca_flow_pipe_entry *entry)
{
    struct doca_flow_resource_query query = {0};

    if (doca_flow_resource_query_entry(entry, &query) != DOCA_SUCCESS)
        return 0;
    printf("%-22s %8llu packets %10llu bytes\n", what, (unsigned long long)query.counter.total_pkts,
           (unsigned long long)query.counter.total_bytes);
    return query.counter.total_pkts;
}

static uint64_t tell_misses(const char *what, struct doca_flow_pipe *pipe)
{
    struct doca_flow_resource_query query = {0};

    if (doca_flow_resource_query_pipe_miss(pipe, &query) != DOCA_SUCCESS)
        return 0;
    printf("%-22s %8llu packets\n", what, (unsigned long long)query.counter.total_pkts);
    return query.counter.total_pkts;
}

/* Every frame of ours was counted where it belongs; others may be on the wire, too. */
static doca_error_t tell_all(const struct rules *rules, uint64_t each)
{
    bool good = tell("UDP port 53 (DNS)", rules->dns) >= each;

    good &= tell("UDP port 123 (NTP)", rules->ntp) >= each;
    good &= tell_misses("other UDP, dropped", rules->udp) >= each;
    good &= tell("TCP SYN", rules->syn) >= each;
    good &= tell_misses("left to the kernel", rules->root) >= 2 * each;
    printf("the counters %s\n", good ? "agree" : "do not agree");
    return good ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

/* ---- frames ---- */

static doca_error_t send_all(struct packets *p, struct packets_txq *txq,
                             const struct packets_rxq rxqs[2], uint64_t count)
{
    uint64_t sent = 0, wanted = count / KINDS * 3, seen = 0;
    double last = now();

    while ((sent < count || seen < wanted) && now() - last < SECONDS) {
        uint64_t received = rxqs[0].received + rxqs[1].received;

        if (received > seen)
            last = now();
        seen = received;
        if (sent < count && sent / 2 < seen + AHEAD) {
            uint8_t frame[FRAME];
            doca_error_t result;

            make_frame(frame, &kinds[sent++ % KINDS]);
            result = packets_send(txq, frame, FRAME);
            if (result != DOCA_SUCCESS)
                return result;
        }
        doca_pe_progress(p->pe);
    }
    printf("queue 0 received %llu, queue 1 received %llu\n", (unsigned long long)rxqs[0].received,
           (unsigned long long)rxqs[1].received);
    return seen >= wanted ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

int main(int argc, char **argv)
{
    struct packets_options options = {
        .names = {"0000:03:00.0", "0000:03:00.1"}, .count = 600, .ends_itself = true};
    struct packets_rxq rxqs[2] = {{.handle = handle}, {.handle = handle}};
    struct packets_txq txq = {0};
    struct packets p = {0};
    struct rules rules;
    doca_error_t result = packets_arguments(&options, argc, argv);

    options.count -= options.count % KINDS;
    if (result == DOCA_SUCCESS)
        result = packets_open(&p, options.names, 2);
    for (uint16_t id = 0; id < 2 && result == DOCA_SUCCESS; id++)
        result = packets_rxq_open(&p, 1, id, &rxqs[id]);
    if (result == DOCA_SUCCESS)
        result = make_udp(&rules, p.port[1]);
    if (result == DOCA_SUCCESS)
        result = make_root(&rules, p.port[1]);
    if (result == DOCA_SUCCESS)
        result = packets_txq_open(&p, 0, &txq);
    if (result == DOCA_SUCCESS)
        result = send_all(&p, &txq, rxqs, options.count);
    if (result == DOCA_SUCCESS)
        result = tell_all(&rules, options.count / KINDS);
    packets_txq_close(&txq);
    packets_rxq_close(&rxqs[0]);
    packets_rxq_close(&rxqs[1]);
    packets_close(&p);
    return packets_exit(result);
}

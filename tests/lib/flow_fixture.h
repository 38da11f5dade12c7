/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_FLOW_FIXTURE_H_
#define TESTS_LIB_FLOW_FIXTURE_H_

/* Flow: what A sends is steered by rules of B. */

#include "lib/eth_fixture.h"

#include <arpa/inet.h>

#include <doca_flow.h>

#define MEM    (8u << 20)
#define AREA   (1u << 20) /* of each queue */
#define FRAMES (6u << 20) /* what is sent */
#define QUEUES 4u

struct steered {
    struct eth_fix fix;
    struct eth_sender sender;
    struct {
        struct doca_eth_rxq *rxq;
        struct doca_ctx *ctx;
        uint32_t seen, metadata, hash;
        uint8_t last[64];
    } q[QUEUES];
    uint32_t nqueues;
    uint32_t seen; /* by all */
    uint32_t sent;
    struct doca_flow_port *port, *port_a;
    uint32_t reported[4]; /* by operation */
    struct doca_flow_pipe_entry *last_entry;
    void *last_ctx;
};

static struct steered s; /* for the callbacks */

static inline void on_packet(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                             union doca_data data)
{
    const uint32_t *metadata;
    void *bytes;

    s.q[data.u64].seen++;
    s.seen++;
    assert_ok(doca_eth_rxq_event_managed_recv_get_metadata_array(event, &metadata));
    s.q[data.u64].metadata = metadata[0];
    assert_ok(doca_eth_rxq_event_managed_recv_get_rx_hash(event, &s.q[data.u64].hash));
    assert_ok(doca_buf_get_data(pkt, &bytes));
    memcpy(s.q[data.u64].last, bytes, 60);
    assert_ok(doca_buf_dec_refcount(pkt, NULL));
}

static inline void on_error(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                            union doca_data data)
{
    (void)event;
    (void)pkt;
    (void)data;
    fail();
}

static inline void on_entry(struct doca_flow_pipe_entry *entry, uint16_t queue,
                            enum doca_flow_entry_status status, enum doca_flow_entry_op op,
                            void *user_ctx)
{
    assert_int_equal(queue, 0);
    assert_int_equal(status, DOCA_FLOW_ENTRY_STATUS_SUCCESS);
    s.reported[op]++;
    s.last_entry = entry;
    s.last_ctx = user_ctx;
}

static inline void open_queue_as(uint32_t i, struct doca_dev *dev, uint16_t id)
{
    assert_ok(doca_eth_rxq_create(dev, 128, 2048, &s.q[i].rxq));
    s.q[i].ctx = doca_eth_rxq_as_doca_ctx(s.q[i].rxq);
    assert_ok(doca_eth_rxq_set_type(s.q[i].rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
    assert_ok(doca_eth_rxq_set_pkt_buf(s.q[i].rxq, s.fix.map, i * AREA, AREA));
    assert_ok(doca_eth_rxq_set_metadata_num(s.q[i].rxq, 1));
    assert_ok(doca_eth_rxq_set_rx_hash(s.q[i].rxq, 1));
    assert_ok(doca_eth_rxq_event_managed_recv_register(s.q[i].rxq, (union doca_data){.u64 = i},
                                                       on_packet, on_error));
    assert_ok(doca_pe_connect_ctx(s.fix.pe, s.q[i].ctx));
    assert_ok(doca_ctx_start(s.q[i].ctx));
    assert_ok(doca_eth_rxq_apply_queue_id(s.q[i].rxq, id));
}

static inline void open_queue(uint32_t i, struct doca_dev *dev)
{
    open_queue_as(i, dev, (uint16_t)i);
}

static inline struct doca_flow_port *start_port(uint16_t id, struct doca_dev *dev)
{
    struct doca_flow_port_cfg *cfg;
    struct doca_flow_port *port;

    assert_ok(doca_flow_port_cfg_create(&cfg));
    assert_ok(doca_flow_port_cfg_set_port_id(cfg, id));
    assert_ok(doca_flow_port_cfg_set_dev(cfg, dev));
    assert_ok(doca_flow_port_start(cfg, &port));
    assert_ok(doca_flow_port_cfg_destroy(cfg));
    return port;
}

static inline void open_flow(const char *mode, uint16_t pipe_queues, doca_flow_entry_process_cb cb)
{
    struct doca_flow_cfg *cfg;

    assert_ok(doca_flow_cfg_create(&cfg));
    assert_ok(doca_flow_cfg_set_pipe_queues(cfg, pipe_queues));
    assert_ok(doca_flow_cfg_set_mode_args(cfg, mode));
    assert_ok(doca_flow_cfg_set_nr_counters(cfg, 524228));
    assert_ok(doca_flow_cfg_set_cb_entry_process(cfg, cb));
    assert_ok(doca_flow_init(cfg));
    assert_ok(doca_flow_cfg_destroy(cfg));
    s.port = start_port(0, s.fix.b);
}

static inline void open_all_with(uint32_t nqueues, uint16_t pipe_queues,
                                 doca_flow_entry_process_cb cb)
{
    memset(&s, 0, sizeof(s));
    eth_fix_open(&s.fix, MEM);
    s.nqueues = nqueues;
    for (uint32_t i = 0; i < nqueues; i++)
        open_queue(i, s.fix.b);
    eth_sender_open(&s.fix, &s.sender);
    open_flow("vnf,hws", pipe_queues, cb);
}

static inline void open_all(uint32_t nqueues)
{
    open_all_with(nqueues, 1, on_entry);
}

/* Flow first, as the programs do. */
static inline void close_all(void)
{
    assert_ok(doca_flow_port_stop(s.port));
    doca_flow_destroy();
    eth_sender_close(&s.fix, &s.sender);
    for (uint32_t i = 0; i < s.nqueues; i++) {
        assert_ok(doca_ctx_stop(s.q[i].ctx));
        assert_ok(doca_eth_rxq_destroy(s.q[i].rxq));
    }
    eth_fix_close(&s.fix);
}

static inline struct doca_flow_pipe *make_pipe(enum doca_flow_pipe_type type, bool is_root,
                                               const struct doca_flow_match *match,
                                               const struct doca_flow_fwd *fwd,
                                               const struct doca_flow_fwd *miss)
{
    const struct doca_flow_monitor monitor = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;

    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    assert_ok(doca_flow_pipe_cfg_set_name(cfg, "pipe of the test"));
    assert_ok(doca_flow_pipe_cfg_set_type(cfg, type));
    assert_ok(doca_flow_pipe_cfg_set_is_root(cfg, is_root));
    assert_ok(doca_flow_pipe_cfg_set_monitor(cfg, &monitor));
    assert_ok(doca_flow_pipe_cfg_set_miss_counter(cfg, true));
    if (match != NULL)
        assert_ok(doca_flow_pipe_cfg_set_match(cfg, match, NULL));
    assert_ok(doca_flow_pipe_create(cfg, fwd, miss, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    return pipe;
}

static inline void process(void)
{
    assert_ok(doca_flow_entries_process(s.port, 0, 0, 0));
}

static inline struct doca_flow_pipe_entry *add_basic(struct doca_flow_pipe *pipe,
                                                     const struct doca_flow_match *match)
{
    struct doca_flow_pipe_entry *entry;

    assert_ok(doca_flow_pipe_basic_add_entry(0, pipe, match, 0, NULL, NULL, NULL,
                                             DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, &s, &entry));
    process();
    assert_int_equal(doca_flow_pipe_entry_get_status(entry), DOCA_FLOW_ENTRY_STATUS_SUCCESS);
    return entry;
}

static inline struct doca_flow_pipe_entry *
add_control(struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
            const struct doca_flow_match *mask, uint32_t priority, const struct doca_flow_fwd *fwd)
{
    struct doca_flow_pipe_entry *entry;

    assert_ok(doca_flow_pipe_control_add_entry(0, pipe, match, mask, NULL, NULL, NULL, NULL, NULL,
                                               priority, fwd, NULL, &entry));
    process();
    return entry;
}

static inline struct doca_flow_fwd to_queue(uint16_t *id)
{
    return (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_RSS,
                                  .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                  .rss = {.queues_array = id, .nr_queues = 1}};
}

static inline struct doca_flow_fwd to_pipe(struct doca_flow_pipe *pipe)
{
    return (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_PIPE, .next_pipe = pipe};
}

static const struct doca_flow_fwd dropped = {.type = DOCA_FLOW_FWD_DROP};

/* ---- frames ---- */

#define TCP_SYN 0x02
#define TCP_RST 0x04
#define TCP_PSH 0x08
#define TCP_ACK 0x10

struct flow {
    uint16_t type; /* 0: IPv4 */
    uint8_t proto, flags;
    uint32_t src, dst;
    uint16_t sport, dport;
};

static inline void send_flow(struct flow flow)
{
    char *at = s.fix.mem + FRAMES + (s.sent % 512) * 128;
    uint16_t type = htons(flow.type != 0 ? flow.type : 0x0800), len = htons(46), port;
    uint32_t ip;

    memset(at, 0, 64);
    eth_frame(at, 14, 0);
    memcpy(at + 12, &type, 2);
    at[14] = 0x45;
    memcpy(at + 16, &len, 2);
    at[22] = 64;
    at[23] = (char)flow.proto;
    ip = htonl(flow.src);
    memcpy(at + 26, &ip, 4);
    ip = htonl(flow.dst);
    memcpy(at + 30, &ip, 4);
    port = htons(flow.sport);
    memcpy(at + 34, &port, 2);
    port = htons(flow.dport);
    memcpy(at + 36, &port, 2);
    if (flow.proto == 6) {
        at[46] = 0x50;
        at[47] = (char)flow.flags;
    } else {
        at[39] = 26;
    }
    eth_send_buf(&s.sender, eth_buf(&s.fix, (size_t)(at - s.fix.mem), 60, 60));
    s.sent++;
    eth_wait(&s.fix, &s.sender.done, s.sent);
}

static inline void send_udp(uint16_t dport)
{
    send_flow((struct flow){
        .proto = 17, .src = 0x0a000001, .dst = 0x0a000002, .sport = 1, .dport = dport});
}

static inline void send_tcp(uint8_t flags, uint16_t sport)
{
    send_flow((struct flow){.proto = 6,
                            .flags = flags,
                            .src = 0x0a000001,
                            .dst = 0x0a000002,
                            .sport = sport,
                            .dport = 80});
}

/* Frames arrive in order: once a later one that is steered to a known queue is there, the earlier
 * ones are where they belong. */
static inline void expect_queue(uint32_t queue, uint32_t seen)
{
    eth_wait(&s.fix, &s.q[queue].seen, seen);
    assert_int_equal(s.q[queue].seen, seen);
}

#endif /* TESTS_LIB_FLOW_FIXTURE_H_ */

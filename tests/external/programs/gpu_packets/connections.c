/* SPDX-License-Identifier: BSD-3-Clause */
/* What opens and closes connections: answered by the CPU, which lets through what belongs to those
 * that it knows. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq_cpu_data_path.h>

#include "gpu_packets.h"

DOCA_LOG_REGISTER(GPU_PACKETS::CONNECTIONS);

#define BURST      256u
#define MAX_SIZE   2048u
#define ANSWERS    128u
#define PIPE_QUEUE 1
#define FIRST_SEQ  1000

#define TCP_FIN 0x01
#define TCP_SYN 0x02
#define TCP_RST 0x04
#define TCP_ACK 0x10

#define SRC_AT  26
#define DST_AT  30
#define PORT_AT 34
#define SEQ_AT  38
#define ACK_AT  42
#define FLAG_AT 47

static uint32_t read32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void write32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* ---- answers ---- */

static void make_answer(uint8_t *answer, const uint8_t *frame)
{
    const uint32_t length = (uint32_t)(frame[16] << 8 | frame[17]) - 20 - (frame[46] >> 4) * 4u;
    const bool opens = (frame[FLAG_AT] & TCP_SYN) != 0;

    memcpy(answer, frame, HEADERS);
    memcpy(answer, frame + 6, 6);
    memcpy(answer + 6, frame, 6);
    answer[16] = 0;
    answer[17] = HEADERS - 14;
    memcpy(answer + SRC_AT, frame + DST_AT, 4);
    memcpy(answer + DST_AT, frame + SRC_AT, 4);
    memcpy(answer + PORT_AT, frame + PORT_AT + 2, 2);
    memcpy(answer + PORT_AT + 2, frame + PORT_AT, 2);
    write32(answer + SEQ_AT, opens ? FIRST_SEQ : read32(frame + ACK_AT));
    write32(answer + ACK_AT, read32(frame + SEQ_AT) + length + 1);
    answer[46] = 0x50;
    answer[FLAG_AT] = opens ? TCP_SYN | TCP_ACK : TCP_FIN | TCP_ACK;
    memset(answer + 48, 0xff, 2);
    memset(answer + 50, 0, 4);
}

static doca_error_t answer(struct control *control, const uint8_t *frame)
{
    union doca_data none = {.u64 = 0}, *data;
    struct doca_task_batch *batch;
    struct doca_buf *buf, **pkts;
    void *at;

    TRY(doca_buf_pool_buf_alloc(control->pool, &buf));
    TRY(doca_buf_get_data(buf, &at));
    make_answer(at, frame);
    TRY(doca_buf_set_data_len(buf, HEADERS));
    TRY(doca_eth_txq_task_batch_send_allocate(control->txq, 1, none, &pkts, &data, &batch));
    pkts[0] = buf;
    return doca_task_batch_submit(batch);
}

static void answered(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                     union doca_data batch_data, union doca_data *task_data, struct doca_buf **pkts,
                     doca_error_t *status)
{
    struct control *control = ctx_data.ptr;

    (void)batch_data;
    (void)task_data;
    for (uint16_t i = 0; i < num; i++) {
        DOCA_ERROR_PROPAGATE(control->outcome, status[i]);
        doca_buf_dec_refcount(pkts[i], NULL);
    }
    doca_task_batch_free(batch);
}

/* ---- connections ---- */

/* Its place, or a free one; NULL when there is neither. */
static struct connection *find(struct control *control, uint32_t ip, uint16_t port)
{
    struct connection *place = NULL;

    for (uint32_t i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *c = &control->connections[i];

        if (c->entry != NULL && c->ip == ip && c->port == port)
            return c;
        if (c->entry == NULL && place == NULL)
            place = c;
    }
    return place;
}

static doca_error_t let_through(struct control *control, const uint8_t *frame, struct connection *c)
{
    struct doca_flow_match match;

    memset(&match, 0, sizeof(match)); /* also where the pipe's is constant */
    memcpy(&match.outer.ip4.src_ip, frame + SRC_AT, 4);
    memcpy(&match.outer.ip4.dst_ip, frame + DST_AT, 4);
    memcpy(&match.outer.tcp.l4_port.src_port, frame + PORT_AT, 2);
    memcpy(&match.outer.tcp.l4_port.dst_port, frame + PORT_AT + 2, 2);
    c->ip = match.outer.ip4.src_ip;
    c->port = match.outer.tcp.l4_port.src_port;
    return doca_flow_pipe_basic_add_entry(PIPE_QUEUE, control->pipe, &match, 0, NULL, NULL, NULL,
                                          DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, NULL, &c->entry);
}

static doca_error_t look_at(struct control *control, const uint8_t *frame)
{
    const uint8_t flags = frame[FLAG_AT];
    struct connection *c;
    uint16_t port;
    uint32_t ip;

    memcpy(&ip, frame + SRC_AT, 4);
    memcpy(&port, frame + PORT_AT, 2);
    c = find(control, ip, port);
    if (c == NULL)
        return DOCA_ERROR_FULL;
    control->syn += (flags & TCP_SYN) != 0;
    control->fin += (flags & TCP_FIN) != 0;
    control->rst += (flags & TCP_RST) != 0;
    if ((flags & TCP_SYN) != 0 && c->entry == NULL)
        TRY(let_through(control, frame, c));
    if ((flags & (TCP_FIN | TCP_RST)) != 0 && c->entry != NULL) {
        TRY(doca_flow_pipe_remove_entry(PIPE_QUEUE, DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, c->entry));
        c->entry = NULL;
    }
    TRY(doca_flow_entries_process(control->port, PIPE_QUEUE, 0, 0));
    return (flags & TCP_RST) != 0 ? DOCA_SUCCESS : answer(control, frame);
}

static void on_packets(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t num,
                       union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    struct control *control = data.ptr;
    void *frame;

    if (doca_eth_rxq_event_batch_managed_recv_get_ctx(event) !=
        doca_eth_rxq_as_doca_ctx(control->rxq))
        control->outcome = DOCA_ERROR_UNEXPECTED;
    DOCA_ERROR_PROPAGATE(control->outcome, status);
    for (uint16_t i = 0; i < num; i++) {
        doca_error_t result = doca_buf_get_data(pkts[i], &frame);

        if (result == DOCA_SUCCESS)
            result = look_at(control, frame);
        DOCA_ERROR_PROPAGATE(control->outcome, result);
    }
    if (num > 0)
        doca_eth_rxq_event_batch_managed_recv_pkt_array_free(pkts);
}

/* ---- queues ---- */

static doca_error_t open_map(struct doca_dev *dev, size_t size, void **mem, struct doca_mmap **map)
{
    *mem = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (*mem == NULL)
        return DOCA_ERROR_NO_MEMORY;
    TRY(kit_map(dev, *mem, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, map));
    return doca_mmap_start(*map);
}

static doca_error_t open_rxq(struct control *control, struct doca_dev *dev)
{
    const union doca_data self = {.ptr = control};
    struct doca_ctx *ctx;
    uint32_t size = 0;

    TRY(doca_eth_rxq_create(dev, BURST, MAX_SIZE, &control->rxq));
    ctx = doca_eth_rxq_as_doca_ctx(control->rxq);
    TRY(doca_eth_rxq_set_type(control->rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
    TRY(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, 1000, 100,
                                              MAX_SIZE, BURST, 0, 0, 0, &size));
    TRY(open_map(dev, size, &control->rx_mem, &control->rx_map));
    TRY(doca_eth_rxq_set_pkt_buf(control->rxq, control->rx_map, 0, size));
    TRY(doca_eth_rxq_event_batch_managed_recv_register(
        control->rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_128, DOCA_EVENT_BATCH_EVENTS_NUMBER_1, self,
        on_packets, on_packets));
    TRY(doca_pe_connect_ctx(control->pe, ctx));
    return doca_ctx_start(ctx);
}

static doca_error_t open_txq(struct control *control, struct doca_dev *dev)
{
    const union doca_data self = {.ptr = control};
    struct doca_ctx *ctx;

    TRY(doca_eth_txq_create(dev, BURST, &control->txq));
    ctx = doca_eth_txq_as_doca_ctx(control->txq);
    TRY(doca_eth_txq_set_type(control->txq, DOCA_ETH_TXQ_TYPE_REGULAR));
    TRY(doca_eth_txq_set_l3_chksum_offload(control->txq, 1));
    TRY(doca_eth_txq_set_l4_chksum_offload(control->txq, 1));
    TRY(doca_eth_txq_task_batch_send_set_conf(control->txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128,
                                              ANSWERS, answered, answered));
    TRY(doca_ctx_set_user_data(ctx, self));
    TRY(doca_pe_connect_ctx(control->pe, ctx));
    return doca_ctx_start(ctx);
}

doca_error_t open_control(struct control *control, struct doca_dev *dev)
{
    TRY(doca_pe_create(&control->pe));
    TRY(open_map(dev, (size_t)ANSWERS * MAX_SIZE, &control->tx_mem, &control->tx_map));
    TRY(doca_buf_pool_create(ANSWERS, MAX_SIZE, control->tx_map, &control->pool));
    TRY(doca_buf_pool_start(control->pool));
    TRY(open_rxq(control, dev));
    return open_txq(control, dev);
}

doca_error_t close_control(struct control *control)
{
    TRY(kit_stop(control->pe, doca_eth_rxq_as_doca_ctx(control->rxq)));
    TRY(doca_eth_rxq_destroy(control->rxq));
    TRY(kit_stop(control->pe, doca_eth_txq_as_doca_ctx(control->txq)));
    TRY(doca_eth_txq_destroy(control->txq));
    TRY(doca_buf_pool_stop(control->pool));
    TRY(doca_buf_pool_destroy(control->pool));
    TRY(doca_mmap_destroy(control->rx_map));
    TRY(doca_mmap_destroy(control->tx_map));
    free(control->rx_mem);
    free(control->tx_mem);
    return doca_pe_destroy(control->pe);
}

/* ---- the thread ---- */

static void *run(void *arg)
{
    struct control *control = arg;

    while (!control->ends) {
        if (doca_pe_progress(control->pe) == 0)
            sched_yield();
    }
    return NULL;
}

doca_error_t start_control(struct control *control)
{
    return pthread_create(&control->thread, NULL, run, control) == 0 ? DOCA_SUCCESS
                                                                     : DOCA_ERROR_OPERATING_SYSTEM;
}

doca_error_t end_control(struct control *control)
{
    control->ends = true;
    pthread_join(control->thread, NULL);
    return control->outcome;
}

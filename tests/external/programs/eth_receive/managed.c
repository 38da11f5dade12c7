/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets from the memory of the queue: one by one, or in batches of 32 to 64 (-DBATCHES).
 *
 *     eth_receive_managed -d IBDEV -n COUNT [-md] [-ts] [-rh] [-hr BYTES] [-tr BYTES]
 */
#include <string.h>

#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_log.h>

#include "../common/eth_kit.h"

DOCA_LOG_REGISTER(ETH_RECEIVE_MANAGED);

#ifdef BATCHES
#define NAME  "eth_receive_batch"
#define BURST 2048
#define RATE  12500
#define TIME  1
#else
#define NAME  "eth_receive_managed"
#define BURST 256
#define RATE  10000
#define TIME  10
#endif
#define PACKET   1600
#define LOG_LRO  15
#define QUEUE_ID 5

struct state {
    struct ek ek;
    struct ek_options options;
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    int packets, callbacks;
    uint64_t last_time;
    doca_error_t outcome;
};

static doca_error_t capable(struct doca_devinfo *devinfo)
{
    uint32_t burst, packet;
    doca_error_t result = doca_eth_rxq_cap_is_type_supported(
        devinfo, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU);

    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_cap_get_max_burst_size(devinfo, &burst);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_cap_get_max_packet_size(devinfo, &packet);
    if (result != DOCA_SUCCESS)
        return result;
    return burst >= BURST && packet >= PACKET ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

static void check(struct state *state, bool condition)
{
    if (!condition)
        state->outcome = DOCA_ERROR_UNEXPECTED;
}

static void look_at(struct state *state, struct doca_buf *pkt, uint32_t metadata, uint64_t time)
{
    void *head = NULL, *data = NULL;
    size_t room = 0, len = 0;

    check(state, doca_buf_get_head(pkt, &head) == DOCA_SUCCESS &&
                     doca_buf_get_data(pkt, &data) == DOCA_SUCCESS &&
                     doca_buf_get_len(pkt, &room) == DOCA_SUCCESS &&
                     doca_buf_get_data_len(pkt, &len) == DOCA_SUCCESS);
    check(state, (char *)data - (char *)head == state->options.headroom);
    check(state, room >= len + (size_t)state->options.headroom + (size_t)state->options.tailroom);
    check(state, !state->options.metadata || metadata == EK_METADATA);
    check(state, !state->options.timestamp || (time != 0 && time >= state->last_time));
    state->last_time = time;
    state->packets++;
}

#ifdef BATCHES
static void received(struct doca_eth_rxq_event_batch_managed_recv *batch, uint16_t num,
                     union doca_data user_data, doca_error_t status, struct doca_buf **pkts)
{
    struct state *state = (struct state *)user_data.ptr;
    const uint32_t *metadata = NULL, *hashes = NULL;
    const uint64_t *times = NULL;

    check(state, status == DOCA_SUCCESS && num >= 32 && num <= 64);
    if (state->options.metadata)
        check(state, doca_eth_rxq_event_batch_managed_recv_get_metadata_array(batch, &metadata) ==
                         DOCA_SUCCESS);
    if (state->options.rx_hash)
        check(state, doca_eth_rxq_event_batch_managed_recv_get_rx_hash_array(batch, &hashes) ==
                         DOCA_SUCCESS);
    if (state->options.timestamp)
        check(state, doca_eth_rxq_event_batch_managed_recv_get_timestamp_array(batch, &times) ==
                         DOCA_SUCCESS);
    for (uint16_t i = 0; i < num; i++)
        look_at(state, pkts[i],
                metadata == NULL
                    ? 0
                    : doca_eth_rxq_event_batch_managed_recv_metadata_array_get_metadata(metadata, 1,
                                                                                        i, 0),
                times == NULL ? 0 : times[i]);
    state->callbacks++;
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free(pkts);
}

static void failed(struct doca_eth_rxq_event_batch_managed_recv *batch, uint16_t num,
                   union doca_data user_data, doca_error_t status, struct doca_buf **pkts)
{
    struct state *state = (struct state *)user_data.ptr;

    (void)batch;
    check(state, num == 0 && pkts == NULL);
    state->outcome = status;
}

static doca_error_t register_events(struct state *state, union doca_data self)
{
    return doca_eth_rxq_event_batch_managed_recv_register(
        state->rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_64, DOCA_EVENT_BATCH_EVENTS_NUMBER_32, self,
        received, failed);
}
#else
static void received(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                     union doca_data user_data)
{
    struct state *state = (struct state *)user_data.ptr;
    const uint32_t *metadata = NULL;
    uint64_t time = 0;
    uint32_t hash = 0;

    if (state->options.metadata)
        check(state,
              doca_eth_rxq_event_managed_recv_get_metadata_array(event, &metadata) == DOCA_SUCCESS);
    if (state->options.rx_hash)
        check(state, doca_eth_rxq_event_managed_recv_get_rx_hash(event, &hash) == DOCA_SUCCESS);
    if (state->options.timestamp)
        check(state, doca_eth_rxq_event_managed_recv_get_timestamp(event, &time) == DOCA_SUCCESS);
    look_at(state, pkt, metadata == NULL ? 0 : metadata[0], time);
    state->callbacks++;
    check(state, doca_buf_dec_refcount(pkt, NULL) == DOCA_SUCCESS);
}

static void failed(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                   union doca_data user_data)
{
    struct state *state = (struct state *)user_data.ptr;

    check(state, pkt == NULL);
    state->outcome = doca_eth_rxq_event_managed_recv_get_status(event);
}

static doca_error_t register_events(struct state *state, union doca_data self)
{
    return doca_eth_rxq_event_managed_recv_register(state->rxq, self, received, failed);
}
#endif

static doca_error_t set_rooms(struct state *state)
{
    doca_error_t result = DOCA_SUCCESS;

    if (state->options.headroom > 0)
        result = doca_eth_rxq_set_packet_headroom(state->rxq, (uint16_t)state->options.headroom);
    if (result == DOCA_SUCCESS && state->options.tailroom > 0)
        result = doca_eth_rxq_set_packet_tailroom(state->rxq, (uint16_t)state->options.tailroom);
    return result;
}

static doca_error_t create_ctx(struct state *state)
{
    union doca_data self;
    doca_error_t result = doca_eth_rxq_create(state->ek.dev, BURST, PACKET, &state->rxq);

    if (result != DOCA_SUCCESS)
        return result;
    self.ptr = state;
    state->ctx = doca_eth_rxq_as_doca_ctx(state->rxq);
    result = doca_eth_rxq_set_type(state->rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_set_pkt_buf(state->rxq, state->ek.mmap, 0, (uint32_t)state->ek.size);
    if (result == DOCA_SUCCESS)
        result = set_rooms(state);
    if (result == DOCA_SUCCESS && state->options.metadata)
        result = doca_eth_rxq_set_metadata_num(state->rxq, 1);
    if (result == DOCA_SUCCESS && state->options.rx_hash)
        result = doca_eth_rxq_set_rx_hash(state->rxq, 1);
    if (result == DOCA_SUCCESS && state->options.timestamp)
        result = doca_eth_rxq_set_timestamp(state->rxq, 1);
    if (result == DOCA_SUCCESS)
        result = register_events(state, self);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(state->ek.pe, state->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(state->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_apply_queue_id(state->rxq, QUEUE_ID);
    return result;
}

static doca_error_t receive(struct state *state)
{
    doca_error_t result = ek_start_flow(&state->ek, QUEUE_ID, state->options.metadata);

    if (result == DOCA_SUCCESS)
        result = ek_await(state->ek.pe, &state->packets, state->options.count);
    DOCA_LOG_INFO("%d packets in %d callbacks", state->packets, state->callbacks);
    return result == DOCA_SUCCESS ? state->outcome : result;
}

int main(int argc, char **argv)
{
    struct state state;
    doca_error_t result, tmp;
    uint32_t size = 0;

    memset(&state, 0, sizeof(state));
    result = ek_begin(&state.options, argc, argv);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_estimate_packet_buf_size(
            DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, RATE, TIME, PACKET, BURST, LOG_LRO,
            (uint16_t)state.options.headroom, (uint16_t)state.options.tailroom, &size);
    if (result == DOCA_SUCCESS)
        result = ek_create(&state.ek, state.options.device, capable, size, 1);
    if (result == DOCA_SUCCESS)
        result = create_ctx(&state);
    if (result == DOCA_SUCCESS)
        result = receive(&state);
    ek_stop_flow(&state.ek);
    if (state.rxq != NULL) {
        tmp = ek_stop_ctx(state.ek.pe, state.ctx);
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_eth_rxq_destroy(state.rxq);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = ek_destroy(&state.ek);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return ek_exit(NAME, result);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* One receive task: the first packet, whatever it is.
 *
 *     eth_receive_regular -d IBDEV [-md] [-ts] [-rh]
 */
#include <inttypes.h>
#include <string.h>

#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_log.h>

#include "../common/eth_kit.h"

DOCA_LOG_REGISTER(ETH_RECEIVE_REGULAR);

#define BURST    256
#define PACKET   1600
#define QUEUE_ID 0

struct state {
    struct ek ek;
    struct ek_options options;
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    int done;
    doca_error_t outcome;
};

static doca_error_t capable(struct doca_devinfo *devinfo)
{
    uint32_t burst, packet;
    doca_error_t result = doca_eth_rxq_cap_is_type_supported(devinfo, DOCA_ETH_RXQ_TYPE_REGULAR,
                                                             DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU);

    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_cap_get_max_burst_size(devinfo, &burst);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_cap_get_max_packet_size(devinfo, &packet);
    if (result != DOCA_SUCCESS)
        return result;
    return burst >= BURST && packet >= PACKET ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

static void release(struct state *state, struct doca_eth_rxq_task_recv *task)
{
    struct doca_buf *pkt;
    doca_error_t tmp = doca_eth_rxq_task_recv_get_pkt(task, &pkt);

    DOCA_ERROR_PROPAGATE(state->outcome, tmp);
    tmp = doca_buf_dec_refcount(pkt, NULL);
    DOCA_ERROR_PROPAGATE(state->outcome, tmp);
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(task));
    state->done++;
}

static void received(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct state *state = (struct state *)ctx_data.ptr;
    const uint32_t *metadata = NULL;
    struct doca_buf *pkt;
    uint64_t timestamp = 0;
    uint32_t hash = 0;
    size_t len = 0;

    (void)task_data;
    state->outcome = doca_eth_rxq_task_recv_get_pkt(task, &pkt);
    if (state->outcome == DOCA_SUCCESS)
        state->outcome = doca_buf_get_data_len(pkt, &len);
    if (state->outcome == DOCA_SUCCESS && state->options.metadata)
        state->outcome = doca_eth_rxq_task_recv_get_metadata_array(task, &metadata);
    if (state->outcome == DOCA_SUCCESS && state->options.rx_hash)
        state->outcome = doca_eth_rxq_task_recv_get_rx_hash(task, &hash);
    if (state->outcome == DOCA_SUCCESS && state->options.timestamp)
        state->outcome = doca_eth_rxq_task_recv_get_timestamp(task, &timestamp);
    DOCA_LOG_INFO("Received %zu bytes, metadata %u, hash %s, timestamp %s", len,
                  metadata != NULL ? metadata[0] : 0, hash != 0 ? "set" : "none",
                  timestamp != 0 ? "set" : "none");
    release(state, task);
}

static void failed(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct state *state = (struct state *)ctx_data.ptr;

    (void)task_data;
    state->outcome = doca_task_get_status(doca_eth_rxq_task_recv_as_doca_task(task));
    release(state, task);
}

static doca_error_t create_ctx(struct state *state)
{
    union doca_data self;
    doca_error_t result = doca_eth_rxq_create(state->ek.dev, BURST, PACKET, &state->rxq);

    if (result != DOCA_SUCCESS)
        return result;
    self.ptr = state;
    state->ctx = doca_eth_rxq_as_doca_ctx(state->rxq);
    result = doca_eth_rxq_set_type(state->rxq, DOCA_ETH_RXQ_TYPE_REGULAR);
    if (result == DOCA_SUCCESS && state->options.metadata)
        result = doca_eth_rxq_set_metadata_num(state->rxq, 1);
    if (result == DOCA_SUCCESS && state->options.rx_hash)
        result = doca_eth_rxq_set_rx_hash(state->rxq, 1);
    if (result == DOCA_SUCCESS && state->options.timestamp)
        result = doca_eth_rxq_set_timestamp(state->rxq, 1);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_task_recv_set_conf(state->rxq, received, failed, 1);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(state->ctx, self);
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
    struct doca_eth_rxq_task_recv *task;
    union doca_data none;
    struct doca_buf *pkt;
    doca_error_t result = doca_buf_inventory_buf_get_by_addr(state->ek.inventory, state->ek.mmap,
                                                             state->ek.mem, PACKET, &pkt);

    if (result != DOCA_SUCCESS)
        return result;
    none.u64 = 0;
    result = doca_eth_rxq_task_recv_allocate_init(state->rxq, pkt, none, &task);
    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task));
    if (result == DOCA_SUCCESS)
        result = ek_start_flow(&state->ek, QUEUE_ID, state->options.metadata);
    if (result == DOCA_SUCCESS)
        result = ek_await(state->ek.pe, &state->done, 1);
    return result == DOCA_SUCCESS ? state->outcome : result;
}

int main(int argc, char **argv)
{
    struct state state;
    doca_error_t result, tmp;

    memset(&state, 0, sizeof(state));
    result = ek_begin(&state.options, argc, argv);
    if (result != DOCA_SUCCESS)
        return ek_exit("eth_receive_regular", result);
    result = ek_create(&state.ek, state.options.device, capable, PACKET, 1);
    if (result == DOCA_SUCCESS)
        result = create_ctx(&state);
    if (result == DOCA_SUCCESS)
        result = receive(&state);
    ek_stop_flow(&state.ek); /* before the queue */
    if (state.rxq != NULL) {
        tmp = ek_stop_ctx(state.ek.pe, state.ctx);
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_eth_rxq_destroy(state.rxq);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = ek_destroy(&state.ek);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return ek_exit("eth_receive_regular", result);
}

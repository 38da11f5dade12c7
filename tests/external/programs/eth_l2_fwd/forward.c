/* SPDX-License-Identifier: BSD-3-Clause */
#include "forward.h"

#include <stdlib.h>
#include <string.h>

#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_log.h>

#include "../common/eth_kit.h"

DOCA_LOG_REGISTER(ETH_L2_FWD);

#define BURST  2048
#define PACKET 1600
#define RATE   12500
#define TIME   1

volatile bool forward_is_over;

/* From one device to the other. */
struct direction {
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct doca_ctx *rx_ctx, *tx_ctx;
    unsigned long forwarded, dropped, failed;
    bool saw_stopping;
};

struct forward {
    struct doca_dev *dev[2];
    struct doca_flow_port *port[2];
    struct doca_flow_pipe *pipe[2];
    struct doca_pe *pe;
    struct doca_mmap *mmap; /* of both devices */
    char *mem;
    uint32_t size; /* of each queue */
    struct direction direction[2];
    int ndirections;
};

static doca_error_t capable(struct doca_devinfo *devinfo)
{
    uint32_t burst = 0, packet = 0, send_burst = 0;
    doca_error_t result = doca_eth_rxq_cap_is_type_supported(
        devinfo, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU);

    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_cap_is_type_supported(devinfo, DOCA_ETH_TXQ_TYPE_REGULAR,
                                                    DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_cap_get_max_burst_size(devinfo, &burst);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_cap_get_max_packet_size(devinfo, &packet);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_cap_get_max_burst_size(devinfo, 1, 0, &send_burst);
    if (result != DOCA_SUCCESS)
        return result;
    return burst >= BURST && packet >= PACKET && send_burst >= BURST ? DOCA_SUCCESS
                                                                     : DOCA_ERROR_NOT_SUPPORTED;
}

/* ---- packets ---- */

static void free_array(union doca_data batch_data)
{
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free((struct doca_buf **)batch_data.ptr);
}

static void sent(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                 union doca_data batch_data, union doca_data *task_data, struct doca_buf **pkts,
                 doca_error_t *status)
{
    (void)task_data;
    (void)pkts;
    (void)status;
    ((struct direction *)ctx_data.ptr)->forwarded += num;
    free_array(batch_data);
    doca_task_batch_free(batch);
}

static void not_sent(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                     union doca_data batch_data, union doca_data *task_data, struct doca_buf **pkts,
                     doca_error_t *status)
{
    struct direction *direction = (struct direction *)ctx_data.ptr;
    enum doca_ctx_states state;

    (void)task_data;
    (void)pkts;
    (void)status;
    direction->failed += num;
    if (doca_ctx_get_state(doca_task_batch_get_ctx(batch), &state) == DOCA_SUCCESS &&
        state == DOCA_CTX_STATE_STOPPING)
        direction->saw_stopping = true;
    else
        DOCA_LOG_ERR("A batch of %u packets could not be sent", num);
    free_array(batch_data);
    doca_task_batch_free(batch);
}

static void received(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t num,
                     union doca_data user_data, doca_error_t status, struct doca_buf **array)
{
    struct direction *direction = (struct direction *)user_data.ptr;
    union doca_data keep, *task_data;
    struct doca_task_batch *batch;
    struct doca_buf **pkts;
    doca_error_t result;

    (void)event;
    (void)status;
    keep.ptr = array; /* until it has been sent */
    result =
        doca_eth_txq_task_batch_send_allocate(direction->txq, num, keep, &pkts, &task_data, &batch);
    if (doca_unlikely(result != DOCA_SUCCESS)) {
        direction->dropped += num;
        free_array(keep);
        return;
    }
    memcpy(pkts, array, num * sizeof(*pkts));
    result = doca_task_batch_submit(batch);
    if (doca_unlikely(result != DOCA_SUCCESS)) {
        direction->dropped += num;
        doca_task_batch_free(batch);
        free_array(keep);
    }
}

static void not_received(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t num,
                         union doca_data user_data, doca_error_t status, struct doca_buf **array)
{
    (void)event;
    (void)num;
    (void)user_data;
    (void)array;
    DOCA_LOG_ERR("Receiving failed: %s", doca_error_get_name(status));
}

/* ---- queues ---- */

static doca_error_t create_rxq(struct forward *forward, int from)
{
    const doca_eth_rxq_event_batch_managed_recv_handler_cb_t good = received, bad = not_received;
    struct direction *direction = &forward->direction[from];
    union doca_data self;
    doca_error_t result = doca_eth_rxq_create(forward->dev[from], BURST, PACKET, &direction->rxq);

    if (result != DOCA_SUCCESS)
        return result;
    self.ptr = direction;
    direction->rx_ctx = doca_eth_rxq_as_doca_ctx(direction->rxq);
    result = doca_eth_rxq_set_type(direction->rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_set_pkt_buf(direction->rxq, forward->mmap,
                                          (uint32_t)from * forward->size, forward->size);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_event_batch_managed_recv_register(
            direction->rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_128, DOCA_EVENT_BATCH_EVENTS_NUMBER_1,
            self, good, bad);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(forward->pe, direction->rx_ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(direction->rx_ctx);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_apply_queue_id(direction->rxq, 0);
    if (result == DOCA_SUCCESS)
        result = ek_create_pipe(forward->port[from], 0, false, &forward->pipe[from]);
    return result;
}

static doca_error_t create_txq(struct forward *forward, int from, int batches)
{
    const doca_eth_txq_task_batch_send_completion_cb_t good = sent, bad = not_sent;
    struct direction *direction = &forward->direction[from];
    union doca_data self;
    doca_error_t result = doca_eth_txq_create(forward->dev[1 - from], BURST, &direction->txq);

    if (result != DOCA_SUCCESS)
        return result;
    self.ptr = direction;
    direction->tx_ctx = doca_eth_txq_as_doca_ctx(direction->txq);
    result = doca_eth_txq_set_type(direction->txq, DOCA_ETH_TXQ_TYPE_REGULAR);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_task_batch_send_set_conf(
            direction->txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128, (uint16_t)batches, good, bad);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(direction->tx_ctx, self);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(forward->pe, direction->tx_ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(direction->tx_ctx);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_apply_queue_id(direction->txq, (uint16_t)from);
    return result;
}

static doca_error_t map_memory(struct forward *forward)
{
    doca_error_t result = doca_eth_rxq_estimate_packet_buf_size(
        DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, RATE, TIME, PACKET, BURST, 0, 0, 0, &forward->size);

    if (result != DOCA_SUCCESS)
        return result;
    forward->mem = (char *)aligned_alloc(64, 2 * (size_t)forward->size);
    if (forward->mem == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = doca_mmap_create(&forward->mmap);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_max_num_devices(forward->mmap, 2);
    for (int i = 0; i < 2 && result == DOCA_SUCCESS; i++)
        result = doca_mmap_add_dev(forward->mmap, forward->dev[i]);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(forward->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(forward->mmap, forward->mem, 2 * (size_t)forward->size);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(forward->mmap);
    return result;
}

static doca_error_t create(struct forward *forward, const struct forward_options *options)
{
    doca_error_t result = DOCA_SUCCESS;

    forward->ndirections = options->one_sided ? 1 : 2;
    for (int i = 0; i < 2 && result == DOCA_SUCCESS; i++)
        result = ek_open_device(options->device[i], capable, &forward->dev[i]);
    if (result == DOCA_SUCCESS)
        result = map_memory(forward);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&forward->pe);
    if (result == DOCA_SUCCESS)
        result = ek_init_flow();
    for (int i = 0; i < 2 && result == DOCA_SUCCESS; i++) /* also of the side that only sends */
        result = ek_start_port(forward->dev[i], (uint16_t)i, &forward->port[i]);
    for (int i = 0; i < forward->ndirections && result == DOCA_SUCCESS; i++) {
        result = create_txq(forward, i, options->batches);
        if (result == DOCA_SUCCESS)
            result = create_rxq(forward, i);
    }
    return result;
}

/* ---- the end ---- */

/* All are told to stop before any is waited for: they hold buffers of each other. */
static doca_error_t stop(struct forward *forward)
{
    struct doca_ctx *ctx[4] = {forward->direction[0].rx_ctx, forward->direction[1].rx_ctx,
                               forward->direction[0].tx_ctx, forward->direction[1].tx_ctx};
    doca_error_t result = DOCA_SUCCESS, tmp;

    for (int i = 0; i < 4; i++) {
        if (ctx[i] == NULL)
            continue;
        tmp = doca_ctx_stop(ctx[i]);
        if (tmp != DOCA_ERROR_IN_PROGRESS)
            DOCA_ERROR_PROPAGATE(result, tmp);
    }
    for (int i = 0; i < 4; i++) {
        enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

        while (ctx[i] != NULL && doca_ctx_get_state(ctx[i], &state) == DOCA_SUCCESS &&
               state != DOCA_CTX_STATE_IDLE)
            (void)doca_pe_progress(forward->pe);
    }
    return result;
}

static doca_error_t destroy(struct forward *forward)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    for (int i = 0; i < 2; i++) {
        if (forward->port[i] != NULL)
            (void)doca_flow_port_stop(forward->port[i]);
    }
    doca_flow_destroy();
    for (int i = 0; i < 2; i++) {
        if (forward->direction[i].rxq != NULL) {
            tmp = doca_eth_rxq_destroy(forward->direction[i].rxq);
            DOCA_ERROR_PROPAGATE(result, tmp);
        }
        if (forward->direction[i].txq != NULL) {
            tmp = doca_eth_txq_destroy(forward->direction[i].txq);
            DOCA_ERROR_PROPAGATE(result, tmp);
        }
    }
    if (forward->pe != NULL) {
        tmp = doca_pe_destroy(forward->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (forward->mmap != NULL) {
        tmp = doca_mmap_destroy(forward->mmap);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    free(forward->mem);
    for (int i = 0; i < 2; i++) {
        if (forward->dev[i] != NULL) {
            tmp = doca_dev_close(forward->dev[i]);
            DOCA_ERROR_PROPAGATE(result, tmp);
        }
    }
    return result;
}

doca_error_t forward_run(const struct forward_options *options)
{
    struct forward forward;
    doca_error_t result, tmp;

    memset(&forward, 0, sizeof(forward));
    result = create(&forward, options);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Forwarding");
    while (result == DOCA_SUCCESS && !forward_is_over)
        (void)doca_pe_progress(forward.pe);
    tmp = stop(&forward);
    DOCA_ERROR_PROPAGATE(result, tmp);
    for (int i = 0; i < forward.ndirections; i++)
        DOCA_LOG_INFO("From %s: %lu forwarded, %lu dropped, %lu failed%s", options->device[i],
                      forward.direction[i].forwarded, forward.direction[i].dropped,
                      forward.direction[i].failed,
                      forward.direction[i].saw_stopping ? " while stopping" : "");
    tmp = destroy(&forward);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

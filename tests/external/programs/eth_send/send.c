/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends Ethernet frames, in one of four ways: a task, a batch of tasks (-DBATCH), a large send that
 * is cut into frames (-DLSO), a batch of those (both).
 *
 *     eth_send_* -d IBDEV -m MAC
 */
#include <stdlib.h>
#include <string.h>

#include <doca_eth_txq.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_log.h>

#include "../common/eth_kit.h"

DOCA_LOG_REGISTER(ETH_SEND);

#define BURST  256
#define MSS    1500
#define HEADER 14
#ifdef BATCH
#define TASKS 32
#else
#define TASKS 1
#endif
#ifdef LSO
#define PACKET      4000
#define ETHER_TYPE  0x0800
#define HEADER_SIZE 74
#else
#define PACKET      1500
#define ETHER_TYPE  0x88b5
#define HEADER_SIZE 0
#endif

struct state {
    struct ek ek;
    struct ek_options options;
    struct doca_eth_txq *txq;
    struct doca_ctx *ctx;
    uint8_t header[HEADER];
    struct doca_gather_list *gather;
    int done;
    doca_error_t outcome;
};

static doca_error_t capable(struct doca_devinfo *devinfo)
{
    uint32_t burst;
    doca_error_t result = doca_eth_txq_cap_is_type_supported(devinfo, DOCA_ETH_TXQ_TYPE_REGULAR,
                                                             DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU);
#ifdef LSO
    uint16_t header = 0;

    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_cap_get_max_lso_header_size(devinfo, &header);
    if (result == DOCA_SUCCESS && header < 64)
        result = DOCA_ERROR_NOT_SUPPORTED;
#endif
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_cap_get_max_burst_size(devinfo, 1, HEADER_SIZE, &burst);
    if (result != DOCA_SUCCESS)
        return result;
    return burst >= BURST ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

/* ---- what was sent is reported ---- */

#if defined(BATCH) && defined(LSO)
static void sent(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                 union doca_data data, union doca_data *task_data, struct doca_buf **pkts,
                 struct doca_gather_list **headers, doca_error_t *status)
{
    (void)headers;
#elif defined(BATCH)
static void sent(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                 union doca_data data, union doca_data *task_data, struct doca_buf **pkts,
                 doca_error_t *status)
{
#endif
#ifdef BATCH
    struct state *state = (struct state *)ctx_data.ptr;

    (void)data;
    (void)task_data;
    for (uint16_t i = 0; i < num; i++) {
        doca_error_t tmp = status[i];

        DOCA_ERROR_PROPAGATE(state->outcome, tmp);
        tmp = doca_buf_dec_refcount(pkts[i], NULL);
        DOCA_ERROR_PROPAGATE(state->outcome, tmp);
    }
    doca_task_batch_free(batch);
    state->done++;
}
#else
    static void finish(struct state * state, struct doca_task * task, struct doca_buf * pkt)
    {
        doca_error_t tmp = doca_task_get_status(task);

        DOCA_ERROR_PROPAGATE(state->outcome, tmp);
        tmp = doca_buf_dec_refcount(pkt, NULL);
        DOCA_ERROR_PROPAGATE(state->outcome, tmp);
        doca_task_free(task);
        state->done++;
    }
#ifdef LSO
    static void sent(struct doca_eth_txq_task_lso_send * task, union doca_data task_data,
                     union doca_data ctx_data)
    {
        struct doca_buf *pkt = NULL;

        (void)task_data;
        (void)doca_eth_txq_task_lso_send_get_pkt_payload(task, &pkt);
        finish((struct state *)ctx_data.ptr, doca_eth_txq_task_lso_send_as_doca_task(task), pkt);
    }
#else
    static void sent(struct doca_eth_txq_task_send * task, union doca_data task_data,
                     union doca_data ctx_data)
    {
        struct doca_buf *pkt = NULL;

        (void)task_data;
        (void)doca_eth_txq_task_send_get_pkt(task, &pkt);
        finish((struct state *)ctx_data.ptr, doca_eth_txq_task_send_as_doca_task(task), pkt);
    }
#endif
#endif

/* ---- configuration and submission ---- */

static doca_error_t set_conf(struct state *state)
{
#if defined(BATCH) && defined(LSO)
    return doca_eth_txq_task_batch_lso_send_set_conf(
        state->txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64, 1, sent, sent);
#elif defined(BATCH)
        return doca_eth_txq_task_batch_send_set_conf(
            state->txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64, 1, sent, sent);
#elif defined(LSO)
    return doca_eth_txq_task_lso_send_set_conf(state->txq, sent, sent, 1);
#else
    return doca_eth_txq_task_send_set_conf(state->txq, sent, sent, 1);
#endif
}

#ifdef BATCH
static doca_error_t submit(struct state *state, struct doca_buf **bufs)
{
    struct doca_task_batch *batch;
    union doca_data none, *task_data;
    struct doca_buf **pkts;
    doca_error_t result;

    none.u64 = 0;
#ifdef LSO
    struct doca_gather_list **headers;

    result = doca_eth_txq_task_batch_lso_send_allocate(state->txq, TASKS, none, &pkts, &headers,
                                                       &task_data, &batch);
#else
    result =
        doca_eth_txq_task_batch_send_allocate(state->txq, TASKS, none, &pkts, &task_data, &batch);
#endif
    if (result != DOCA_SUCCESS)
        return result;
    for (int i = 0; i < TASKS; i++) {
        pkts[i] = bufs[i];
#ifdef LSO
        headers[i] = state->gather;
#endif
    }
    return doca_task_batch_submit(batch);
}
#else
    static doca_error_t submit(struct state * state, struct doca_buf * *bufs)
    {
        union doca_data none;
        doca_error_t result;

        none.u64 = 0;
#ifdef LSO
        struct doca_eth_txq_task_lso_send *task;

        result = doca_eth_txq_task_lso_send_allocate_init(state->txq, bufs[0], state->gather, none,
                                                          &task);
        if (result == DOCA_SUCCESS)
            result = doca_task_submit(doca_eth_txq_task_lso_send_as_doca_task(task));
#else
        struct doca_eth_txq_task_send *task;

        result = doca_eth_txq_task_send_allocate_init(state->txq, bufs[0], none, &task);
        if (result == DOCA_SUCCESS)
            result = doca_task_submit(doca_eth_txq_task_send_as_doca_task(task));
#endif
        return result;
    }
#endif

static doca_error_t create_ctx(struct state *state)
{
    union doca_data self;
    doca_error_t result = doca_eth_txq_create(state->ek.dev, BURST, &state->txq);

    if (result != DOCA_SUCCESS)
        return result;
    self.ptr = state;
    state->ctx = doca_eth_txq_as_doca_ctx(state->txq);
    result = doca_eth_txq_set_type(state->txq, DOCA_ETH_TXQ_TYPE_REGULAR);
#ifdef LSO
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_set_mss(state->txq, MSS);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_set_max_lso_header_size(state->txq, HEADER_SIZE);
#endif
    if (result == DOCA_SUCCESS)
        result = set_conf(state);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(state->ctx, self);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(state->ek.pe, state->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(state->ctx);
    return result;
}

static doca_error_t make_header(struct state *state)
{
    doca_error_t result = doca_devinfo_get_mac_addr(doca_dev_as_devinfo(state->ek.dev),
                                                    state->header + 6, DOCA_DEVINFO_MAC_ADDR_SIZE);

    memcpy(state->header, state->options.mac, DOCA_DEVINFO_MAC_ADDR_SIZE);
    state->header[12] = ETHER_TYPE >> 8;
    state->header[13] = ETHER_TYPE & 0xff;
    state->gather = (struct doca_gather_list *)calloc(1, sizeof(*state->gather));
    if (state->gather == NULL)
        return DOCA_ERROR_NO_MEMORY;
    state->gather->addr = state->header;
    state->gather->len = HEADER;
    state->gather->next = NULL;
    return result;
}

/* Frames with their header, or payloads of large sends; each tells its number. */
static doca_error_t send_all(struct state *state)
{
    struct doca_buf *bufs[TASKS];
    doca_error_t result = DOCA_SUCCESS;

    for (int i = 0; i < TASKS && result == DOCA_SUCCESS; i++) {
        char *at = state->ek.mem + (size_t)i * PACKET;

        for (int k = 0; k < PACKET; k++)
            at[k] = (char)(i * 31 + k % 251);
#ifndef LSO
        memcpy(at, state->header, HEADER);
#endif
        result = doca_buf_inventory_buf_get_by_data(state->ek.inventory, state->ek.mmap, at, PACKET,
                                                    &bufs[i]);
    }
    if (result == DOCA_SUCCESS)
        result = submit(state, bufs);
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
        return ek_exit("eth_send", result);
    result = ek_create(&state.ek, state.options.device, capable, (size_t)PACKET * TASKS, TASKS);
    if (result == DOCA_SUCCESS)
        result = create_ctx(&state);
    if (result == DOCA_SUCCESS)
        result = make_header(&state);
    if (result == DOCA_SUCCESS)
        result = send_all(&state);
    if (state.txq != NULL) {
        tmp = ek_stop_ctx(state.ek.pe, state.ctx);
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_eth_txq_destroy(state.txq);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    free(state.gather);
    tmp = ek_destroy(&state.ek);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return ek_exit("eth_send", result);
}

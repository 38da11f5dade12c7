/* SPDX-License-Identifier: BSD-3-Clause */
#include "packets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_log.h>
#include <doca_mmap.h>

DOCA_LOG_REGISTER(PACKETS);

#define BURST  256u
#define PACKET 2048u /* bytes of a place */
#define MEMORY (32u << 20)

/* ---- devices, memory, Flow ---- */

static bool has_queues(const struct doca_devinfo *info)
{
    return doca_eth_rxq_cap_is_type_supported(info, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL,
                                              DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU) == DOCA_SUCCESS;
}

static doca_error_t map_memory(struct packets *p)
{
    doca_error_t result;

    p->mem = aligned_alloc(4096, MEMORY);
    if (p->mem == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = doca_mmap_create(&p->map);
    for (uint32_t i = 0; i < p->ndevs && result == DOCA_SUCCESS; i++)
        result = doca_mmap_add_dev(p->map, p->dev[i]);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(p->map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(p->map, p->mem, MEMORY);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(p->map);
    return result;
}

static doca_error_t init_flow(void)
{
    struct doca_flow_cfg *cfg;
    doca_error_t result = doca_flow_cfg_create(&cfg);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_flow_cfg_set_pipe_queues(cfg, 1);
    if (result == DOCA_SUCCESS)
        result = doca_flow_cfg_set_mode_args(cfg, "vnf,hws");
    if (result == DOCA_SUCCESS)
        result = doca_flow_cfg_set_nr_counters(cfg, 64);
    if (result == DOCA_SUCCESS)
        result = doca_flow_init(cfg);
    doca_flow_cfg_destroy(cfg);
    return result;
}

static doca_error_t start_port(struct packets *p, uint16_t i)
{
    struct doca_flow_port_cfg *cfg;
    doca_error_t result = doca_flow_port_cfg_create(&cfg);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_flow_port_cfg_set_port_id(cfg, i);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_cfg_set_dev(cfg, p->dev[i]);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_start(cfg, &p->port[i]);
    doca_flow_port_cfg_destroy(cfg);
    return result;
}

doca_error_t packets_open(struct packets *p, const char *const *names, uint32_t n)
{
    doca_error_t result;

    memset(p, 0, sizeof(*p));
    for (; p->ndevs < n; p->ndevs++) {
        result = device_open(names[p->ndevs], has_queues, "Ethernet queues", &p->dev[p->ndevs]);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = doca_pe_create(&p->pe);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(2 * BURST, &p->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(p->inventory);
    if (result == DOCA_SUCCESS)
        result = map_memory(p);
    if (result == DOCA_SUCCESS)
        result = init_flow();
    for (uint32_t i = 0; i < n && result == DOCA_SUCCESS; i++)
        result = start_port(p, (uint16_t)i);
    return result;
}

void packets_close(struct packets *p)
{
    doca_flow_destroy(); /* ports and pipes with it */
    if (p->map != NULL)
        doca_mmap_destroy(p->map);
    free(p->mem);
    if (p->inventory != NULL)
        doca_buf_inventory_destroy(p->inventory);
    if (p->pe != NULL)
        doca_pe_destroy(p->pe);
    while (p->ndevs > 0)
        doca_dev_close(p->dev[--p->ndevs]);
}

/* A part of the memory; its offset. */
static doca_error_t take_memory(struct packets *p, size_t size, size_t *offset)
{
    size = (size + 63) / 64 * 64;
    if (size > MEMORY - p->used)
        return DOCA_ERROR_NO_MEMORY;
    *offset = p->used;
    p->used += size;
    return DOCA_SUCCESS;
}

static void stop_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    doca_ctx_stop(ctx);
    do {
        doca_pe_progress(pe);
        doca_ctx_get_state(ctx, &state);
    } while (state != DOCA_CTX_STATE_IDLE);
}

/* ---- receiving ---- */

static void on_packet(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                      union doca_data data)
{
    struct packets_rxq *rxq = data.ptr;

    (void)event;
    rxq->received++;
    rxq->handle(rxq, pkt);
}

static void on_receive_error(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                             union doca_data data)
{
    (void)pkt;
    (void)data;
    DOCA_LOG_ERR("Receiving failed: %s",
                 doca_error_get_descr(doca_eth_rxq_event_managed_recv_get_status(event)));
}

static doca_error_t give_memory(struct packets_rxq *rxq)
{
    size_t offset;
    uint32_t size;
    doca_error_t result = doca_eth_rxq_estimate_packet_buf_size(
        DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, 1000, 100, PACKET, BURST, 0, 0, 0, &size);

    if (result == DOCA_SUCCESS)
        result = take_memory(rxq->packets, size, &offset);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_set_pkt_buf(rxq->rxq, rxq->packets->map, (uint32_t)offset, size);
    return result;
}

doca_error_t packets_rxq_open(struct packets *p, uint32_t device, uint16_t id,
                              struct packets_rxq *rxq)
{
    union doca_data self = {.ptr = rxq};
    doca_error_t result;
    struct doca_ctx *ctx;

    rxq->packets = p;
    rxq->received = 0;
    result = doca_eth_rxq_create(p->dev[device], BURST, PACKET, &rxq->rxq);
    if (result != DOCA_SUCCESS) {
        rxq->rxq = NULL;
        return result;
    }
    ctx = doca_eth_rxq_as_doca_ctx(rxq->rxq);
    result = doca_eth_rxq_set_type(rxq->rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL);
    if (result == DOCA_SUCCESS)
        result = give_memory(rxq);
    if (result == DOCA_SUCCESS)
        result =
            doca_eth_rxq_event_managed_recv_register(rxq->rxq, self, on_packet, on_receive_error);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(p->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    if (result == DOCA_SUCCESS)
        result = doca_eth_rxq_apply_queue_id(rxq->rxq, id);
    return result;
}

void packets_rxq_close(struct packets_rxq *rxq)
{
    if (rxq->rxq == NULL)
        return;
    stop_ctx(rxq->packets->pe, doca_eth_rxq_as_doca_ctx(rxq->rxq));
    doca_eth_rxq_destroy(rxq->rxq);
    rxq->rxq = NULL;
}

/* ---- sending ---- */

static void on_sent(struct doca_eth_txq_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct doca_task *base = doca_eth_txq_task_send_as_doca_task(task);
    struct packets_txq *txq = ctx_data.ptr;
    struct doca_buf *pkt;

    (void)task_data;
    if (doca_task_get_status(base) == DOCA_SUCCESS)
        txq->sent++;
    else
        txq->failed++;
    txq->inflight--;
    if (doca_eth_txq_task_send_get_pkt(task, &pkt) == DOCA_SUCCESS)
        doca_buf_dec_refcount(pkt, NULL);
    doca_task_free(base);
}

doca_error_t packets_txq_open(struct packets *p, uint32_t device, struct packets_txq *txq)
{
    union doca_data self = {.ptr = txq};
    struct doca_ctx *ctx;
    doca_error_t result;
    size_t offset = 0;

    memset(txq, 0, sizeof(*txq));
    txq->packets = p;
    result = take_memory(p, (size_t)BURST * PACKET, &offset);
    if (result != DOCA_SUCCESS)
        return result;
    txq->mem = p->mem + offset;
    result = doca_eth_txq_create(p->dev[device], BURST, &txq->txq);
    if (result != DOCA_SUCCESS) {
        txq->txq = NULL;
        return result;
    }
    ctx = doca_eth_txq_as_doca_ctx(txq->txq);
    result = doca_ctx_set_user_data(ctx, self);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_task_send_set_conf(txq->txq, on_sent, on_sent, BURST);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(p->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    return result;
}

void packets_txq_close(struct packets_txq *txq)
{
    if (txq->txq == NULL)
        return;
    while (txq->inflight > 0)
        doca_pe_progress(txq->packets->pe);
    stop_ctx(txq->packets->pe, doca_eth_txq_as_doca_ctx(txq->txq));
    doca_eth_txq_destroy(txq->txq);
    txq->txq = NULL;
}

doca_error_t packets_send_buf(struct packets_txq *txq, struct doca_buf *pkt)
{
    union doca_data none = {.u64 = 0};
    struct doca_eth_txq_task_send *task;
    doca_error_t result;

    if (txq->inflight == BURST)
        return DOCA_ERROR_AGAIN;
    result = doca_eth_txq_task_send_allocate_init(txq->txq, pkt, none, &task);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_task_submit(doca_eth_txq_task_send_as_doca_task(task));
    if (result != DOCA_SUCCESS) {
        doca_task_free(doca_eth_txq_task_send_as_doca_task(task));
        return result;
    }
    txq->inflight++;
    return DOCA_SUCCESS;
}

doca_error_t packets_send(struct packets_txq *txq, const void *bytes, size_t len)
{
    char *place = txq->mem + (size_t)(txq->next % BURST) * PACKET;
    struct doca_buf *pkt;
    doca_error_t result;

    if (len > PACKET)
        return DOCA_ERROR_INVALID_VALUE;
    while (txq->inflight == BURST)
        doca_pe_progress(txq->packets->pe);
    memcpy(place, bytes, len);
    result = doca_buf_inventory_buf_get_by_data(txq->packets->inventory, txq->packets->map, place,
                                                len, &pkt);
    if (result != DOCA_SUCCESS)
        return result;
    result = packets_send_buf(txq, pkt);
    if (result != DOCA_SUCCESS)
        doca_buf_dec_refcount(pkt, NULL);
    else
        txq->next++;
    return result;
}

/* ---- Flow ---- */

doca_error_t packets_all_to_queue(struct packets *p, uint32_t device, uint16_t id)
{
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                .rss = {.queues_array = &id, .nr_queues = 1}};
    struct doca_flow_match all;
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;
    doca_error_t result = doca_flow_pipe_cfg_create(&cfg, p->port[device]);

    if (result != DOCA_SUCCESS)
        return result;
    memset(&all, 0, sizeof(all));
    result = doca_flow_pipe_cfg_set_name(cfg, "ALL");
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_is_root(cfg, true);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_match(cfg, &all, NULL);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_create(cfg, &fwd, NULL, &pipe);
    doca_flow_pipe_cfg_destroy(cfg);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_basic_add_entry(0, pipe, &all, 0, NULL, NULL, NULL,
                                                DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, NULL, &entry);
    if (result == DOCA_SUCCESS)
        result = doca_flow_entries_process(p->port[device], 0, 0, 0);
    return result;
}

/* ---- the command line ---- */

static doca_error_t set_first(void *value, void *config)
{
    ((struct packets_options *)config)->names[0] = value;
    return DOCA_SUCCESS;
}

static doca_error_t set_second(void *value, void *config)
{
    ((struct packets_options *)config)->names[1] = value;
    return DOCA_SUCCESS;
}

static doca_error_t set_count(void *value, void *config)
{
    struct packets_options *options = config;
    const int64_t count = *(int *)value;
    const int64_t first = options->ends_itself ? 1 : 0;
    const int64_t last = options->most != 0 ? options->most : INT32_MAX;

    if (count < first || count > last) {
        DOCA_LOG_ERR("-n is %lld, allowed: %lld to %lld", (long long)count, (long long)first,
                     (long long)last);
        return DOCA_ERROR_INVALID_VALUE;
    }
    options->count = (uint64_t)count;
    return DOCA_SUCCESS;
}

static doca_error_t set_one_end(void *value, void *config)
{
    ((struct packets_options *)config)->one_end = *(bool *)value;
    return DOCA_SUCCESS;
}

static doca_error_t add(const char *letter, const char *name, const char *what,
                        enum doca_argp_type type, doca_argp_param_cb_t callback)
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);

    if (result != DOCA_SUCCESS)
        return result;
    doca_argp_param_set_short_name(param, letter);
    doca_argp_param_set_long_name(param, name);
    doca_argp_param_set_description(param, what);
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    return doca_argp_register_param(param);
}

doca_error_t packets_arguments(struct packets_options *options, int argc, char **argv)
{
    doca_error_t result;

    device_open_log();
    result = doca_argp_init(NULL, options);
    if (result == DOCA_SUCCESS)
        result = add("d", "device", "First device: PCI address or interface", DOCA_ARGP_TYPE_STRING,
                     set_first);
    if (result == DOCA_SUCCESS)
        result = add("e", "other-device", "Second device", DOCA_ARGP_TYPE_STRING, set_second);
    if (result == DOCA_SUCCESS)
        result = add("n", "count",
                     options->ends_itself ? "Number of packets, 1 at least"
                                          : "Number of packets; 0: until it is interrupted",
                     DOCA_ARGP_TYPE_INT, set_count);
    if (result == DOCA_SUCCESS && options->has_one_end)
        result = add("o", "one-end", "The other end of the wire is somebody else's",
                     DOCA_ARGP_TYPE_BOOLEAN, set_one_end);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    return result;
}

int packets_exit(doca_error_t result)
{
    doca_argp_destroy();
    if (result == DOCA_SUCCESS)
        return EXIT_SUCCESS;
    fprintf(stderr, "failed: %s\n", doca_error_get_descr(result));
    return EXIT_FAILURE;
}

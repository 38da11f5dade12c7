/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that cannot be answered with success: the exact code, and a line that names the function.
 */
#include "lib/eth_fixture.h"
#include "lib/refusal.h"

#define FRAMES  (1u << 20) /* what is sent lies behind what receives */
#define BURST   32u
#define NO_DATA ((union doca_data){.u64 = 0})

/* ---- receive queues ---- */

static void on_recv(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct doca_buf *pkt;

    (void)task_data;
    (void)ctx_data;
    assert_ok(doca_eth_rxq_task_recv_get_pkt(task, &pkt));
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(task));
    assert_ok(doca_buf_dec_refcount(pkt, NULL));
}

static void on_packet(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                      union doca_data data)
{
    (void)event;
    (void)data;
    assert_ok(doca_buf_dec_refcount(pkt, NULL));
}

static void on_batch(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t num,
                     union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    (void)event;
    (void)num;
    (void)data;
    (void)status;
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free(pkts);
}

static void receive_queues_have_ranges(void **state)
{
    struct doca_eth_rxq *rxq = NULL;
    struct eth_fix fix;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_create(NULL, BURST, 2048, &rxq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_create(fix.b, 0, 2048, &rxq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_create(fix.b, BURST, 0, &rxq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_create(fix.b, 65537, 2048, &rxq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_create(fix.b, BURST, 16385, &rxq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_create(fix.b, BURST, 2048, NULL));
    assert_null(rxq);
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_destroy(NULL));
    assert_ok(doca_eth_rxq_create(fix.b, BURST, 2048, &rxq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_type(rxq, (enum doca_eth_rxq_type)3));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_max_burst_size(rxq, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_max_packet_size(rxq, 16385));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_metadata_num(rxq, 9));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_packet_headroom(rxq, 8129));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_packet_tailroom(rxq, 8129));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_max_recv_buf_list_len(rxq, 33));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_pkt_buf(rxq, NULL, 0, 4096));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_pkt_buf(rxq, fix.map, 0, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_pkt_buf(rxq, fix.map, UINT32_MAX, 2));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_notification_moderation(rxq, 1, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_apply_queue_id(rxq, 1));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_task_recv_set_conf(rxq, NULL, on_recv, 1));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_task_recv_set_conf(rxq, on_recv, on_recv, 0));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_rxq_event_managed_recv_register(rxq, NO_DATA, on_packet, NULL));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_rxq_event_batch_managed_recv_register(
                rxq, (enum doca_event_batch_events_number)8, DOCA_EVENT_BATCH_EVENTS_NUMBER_1,
                NO_DATA, on_batch, on_batch));
    assert_ok(doca_eth_rxq_task_recv_set_conf(rxq, on_recv, on_recv, 1));
    refused(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq)));
    assert_ok(doca_eth_rxq_destroy(rxq));
    assert_null(doca_eth_rxq_as_doca_ctx(NULL));
    eth_fix_close(&fix);
}

static void maps_that_do_not_serve_are_refused(void **state)
{
    struct doca_eth_rxq *rxq;
    struct doca_mmap *map;
    struct eth_fix fix;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    assert_ok(doca_eth_rxq_create(fix.b, BURST, 2048, &rxq));
    assert_ok(doca_mmap_create(&map));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_pkt_buf(rxq, map, 0, 4096));
    assert_ok(doca_mmap_add_dev(map, fix.a));
    assert_ok(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    assert_ok(doca_mmap_set_memrange(map, fix.mem, FRAMES));
    assert_ok(doca_mmap_start(map));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_set_pkt_buf(rxq, map, 0, 4096));
    assert_ok(doca_mmap_destroy(map));
    assert_ok(doca_eth_rxq_destroy(rxq));
    eth_fix_close(&fix);
}

static void estimates_do_not_overflow(void **state)
{
    const enum doca_eth_rxq_type managed = DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL;
    uint32_t size = 7;

    (void)state;
    refused(DOCA_ERROR_TOO_BIG,
            doca_eth_rxq_estimate_packet_buf_size(managed, 0, 0, UINT32_MAX, 1, 0, 0, 0, &size));
    refused(DOCA_ERROR_TOO_BIG,
            doca_eth_rxq_estimate_packet_buf_size(managed, UINT32_MAX, UINT16_MAX, UINT32_MAX,
                                                  UINT32_MAX, 0, UINT16_MAX, UINT16_MAX, &size));
    refused(DOCA_ERROR_TOO_BIG,
            doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, UINT32_MAX,
                                                  UINT32_MAX, 0, 0, 0, &size));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_rxq_estimate_packet_buf_size(managed, 1, 1, 0, 1, 0, 0, 0, &size));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_rxq_estimate_packet_buf_size(managed, 1, 1, 1, 0, 0, 0, 0, &size));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_rxq_estimate_packet_buf_size(managed, 1, 1, 1, 1, 0, 0, 0, NULL));
    assert_int_equal(size, 7);
}

static void nothing_changes_while_receiving(void **state)
{
    struct doca_eth_rxq_task_recv *task, *second;
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    struct eth_fix fix;
    struct doca_buf *buf;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    buf = eth_buf(&fix, 0, 2048, 0);
    assert_ok(doca_eth_rxq_create(fix.b, BURST, 2048, &rxq));
    ctx = doca_eth_rxq_as_doca_ctx(rxq);
    refused(DOCA_ERROR_NOT_SUPPORTED,
            doca_eth_rxq_task_recv_allocate_init(rxq, buf, NO_DATA, &task));
    assert_ok(doca_eth_rxq_task_recv_set_conf(rxq, on_recv, on_recv, 1));
    assert_ok(doca_pe_connect_ctx(fix.pe, ctx));
    assert_ok(doca_ctx_start(ctx));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_max_burst_size(rxq, 64));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_max_packet_size(rxq, 64));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_pkt_buf(rxq, fix.map, 0, 4096));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_metadata_num(rxq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_flow_tag(rxq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_rx_hash(rxq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_timestamp(rxq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_packet_headroom(rxq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_packet_tailroom(rxq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_set_max_recv_buf_list_len(rxq, 2));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_task_recv_set_conf(rxq, on_recv, on_recv, 1));
    refused(DOCA_ERROR_BAD_STATE,
            doca_eth_rxq_event_managed_recv_register(rxq, NO_DATA, on_packet, on_packet));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_destroy(rxq));
    refused(DOCA_ERROR_BAD_STATE, doca_ctx_start(ctx));
    assert_ok(doca_eth_rxq_set_notification_moderation(rxq, 10, 10));
    assert_ok(doca_eth_rxq_apply_queue_id(rxq, 5));
    refused(DOCA_ERROR_IN_USE, doca_eth_rxq_apply_queue_id(rxq, 6));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_get_hw_queue_num(rxq, NULL));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_rxq_task_recv_allocate_init(rxq, NULL, NO_DATA, &task));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_rxq_task_recv_allocate_init(rxq, buf, NO_DATA, NULL));
    assert_ok(doca_eth_rxq_task_recv_allocate_init(rxq, buf, NO_DATA, &task));
    refused(DOCA_ERROR_NO_MEMORY, doca_eth_rxq_task_recv_allocate_init(rxq, buf, NO_DATA, &second));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_task_recv_get_pkt(task, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_task_recv_get_l3_ok(NULL, NULL));
    assert_ok(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task)));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_rxq_destroy(rxq));
    eth_stop(&fix, ctx);
    assert_ok(doca_eth_rxq_destroy(rxq));
    eth_fix_close(&fix);
}

/* ---- what the program does in its callbacks ---- */

static struct {
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    struct doca_pe *pe;
    uint32_t seen;
    doca_error_t stopped, destroyed;
    uint8_t progressed;
} end;

static void stop_in_callback(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t num,
                             union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    (void)event;
    (void)data;
    (void)status;
    end.seen += num;
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free(pkts);
    end.stopped = doca_ctx_stop(end.ctx);
    end.destroyed = doca_eth_rxq_destroy(end.rxq);
    end.progressed = doca_pe_progress(end.pe);
}

/* All is given back, so the queue could end at once, under the feet of its own callback. */
static void a_queue_can_be_stopped_in_its_callback(void **state)
{
    struct eth_sender sender;
    struct eth_fix fix;

    (void)state;
    memset(&end, 0, sizeof(end));
    eth_fix_open(&fix, 2 * FRAMES);
    end.pe = fix.pe;
    assert_ok(doca_eth_rxq_create(fix.b, BURST, 2048, &end.rxq));
    end.ctx = doca_eth_rxq_as_doca_ctx(end.rxq);
    assert_ok(doca_eth_rxq_set_type(end.rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
    assert_ok(doca_eth_rxq_set_pkt_buf(end.rxq, fix.map, 0, FRAMES));
    assert_ok(doca_eth_rxq_event_batch_managed_recv_register(
        end.rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_4, DOCA_EVENT_BATCH_EVENTS_NUMBER_1, NO_DATA,
        stop_in_callback, stop_in_callback));
    assert_ok(doca_pe_connect_ctx(fix.pe, end.ctx));
    assert_ok(doca_ctx_start(end.ctx));
    eth_sender_open(&fix, &sender);
    for (uint32_t i = 0; i < 8; i++)
        eth_send(&fix, &sender, FRAMES + i * 128, 64, i);
    eth_wait(&fix, &end.seen, 1);
    assert_true(end.stopped == DOCA_SUCCESS || end.stopped == DOCA_ERROR_IN_PROGRESS);
    assert_int_not_equal(end.destroyed, DOCA_SUCCESS);
    assert_int_equal(end.progressed, 0);
    eth_stop(&fix, end.ctx);
    assert_ok(doca_eth_rxq_destroy(end.rxq));
    eth_sender_close(&fix, &sender);
    eth_fix_close(&fix);
}

static void keep_packet(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                        union doca_data data)
{
    struct doca_buf **kept = data.ptr;

    (void)event;
    *kept = pkt;
    end.seen++;
}

/* A packet's buffer is the queue's: it is neither copied nor part of another list. */
static void buffers_of_packets_are_not_duplicated(void **state)
{
    struct doca_buf *kept = NULL, *copy;
    struct eth_sender sender;
    struct eth_fix fix;

    (void)state;
    memset(&end, 0, sizeof(end));
    eth_fix_open(&fix, 2 * FRAMES);
    assert_ok(doca_eth_rxq_create(fix.b, BURST, 2048, &end.rxq));
    end.ctx = doca_eth_rxq_as_doca_ctx(end.rxq);
    assert_ok(doca_eth_rxq_set_type(end.rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
    assert_ok(doca_eth_rxq_set_pkt_buf(end.rxq, fix.map, 0, FRAMES));
    assert_ok(doca_eth_rxq_event_managed_recv_register(end.rxq, (union doca_data){.ptr = &kept},
                                                       keep_packet, keep_packet));
    assert_ok(doca_pe_connect_ctx(fix.pe, end.ctx));
    assert_ok(doca_ctx_start(end.ctx));
    eth_sender_open(&fix, &sender);
    eth_send(&fix, &sender, FRAMES, 64, 0);
    eth_wait(&fix, &end.seen, 1);
    refused(DOCA_ERROR_NOT_SUPPORTED, doca_buf_inventory_buf_dup(fix.inventory, kept, &copy));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    assert_ok(doca_buf_dec_refcount(kept, NULL));
    eth_stop(&fix, end.ctx);
    assert_ok(doca_eth_rxq_destroy(end.rxq));
    eth_sender_close(&fix, &sender);
    eth_fix_close(&fix);
}

/* ---- send queues ---- */

static void on_lso(struct doca_eth_txq_task_lso_send *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    doca_task_free(doca_eth_txq_task_lso_send_as_doca_task(task));
}

static void on_send(struct doca_eth_txq_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    doca_task_free(doca_eth_txq_task_send_as_doca_task(task));
}

static void on_batch_sent(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                          union doca_data batch_data, union doca_data *task_data,
                          struct doca_buf **pkts, doca_error_t *status)
{
    (void)num;
    (void)ctx_data;
    (void)batch_data;
    (void)task_data;
    (void)pkts;
    (void)status;
    doca_task_batch_free(batch);
}

static void send_queues_have_ranges(void **state)
{
    struct doca_eth_txq *txq = NULL;
    struct eth_fix fix;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_create(NULL, BURST, &txq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_create(fix.a, 0, &txq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_create(fix.a, 32769, &txq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_create(fix.a, BURST, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_destroy(NULL));
    assert_null(txq);
    assert_ok(doca_eth_txq_create(fix.a, BURST, &txq));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_set_type(txq, (enum doca_eth_txq_type)1));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_set_max_burst_size(txq, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_set_max_send_buf_list_len(txq, 33));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_set_metadata_num(txq, 9));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_set_mss(txq, 0));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_set_max_lso_header_size(txq, 257));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_task_send_set_conf(txq, on_send, NULL, 1));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_task_send_set_conf(txq, on_send, on_send, 0));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_batch_send_set_conf(txq, (enum doca_task_batch_max_tasks_number)4, 1,
                                                  on_batch_sent, on_batch_sent));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_batch_send_set_conf(txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 0,
                                                  on_batch_sent, on_batch_sent));
    assert_ok(doca_pe_connect_ctx(fix.pe, doca_eth_txq_as_doca_ctx(txq)));
    refused(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_eth_txq_as_doca_ctx(txq)));
    assert_ok(doca_eth_txq_destroy(txq));
    eth_fix_close(&fix);
}

static struct doca_eth_txq *start_txq(struct eth_fix *fix)
{
    struct doca_eth_txq *txq;

    assert_ok(doca_eth_txq_create(fix->a, BURST, &txq));
    assert_ok(doca_eth_txq_task_lso_send_set_conf(txq, on_lso, on_lso, 4));
    assert_ok(doca_eth_txq_task_batch_send_set_conf(txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 1,
                                                    on_batch_sent, on_batch_sent));
    assert_ok(doca_pe_connect_ctx(fix->pe, doca_eth_txq_as_doca_ctx(txq)));
    assert_ok(doca_ctx_start(doca_eth_txq_as_doca_ctx(txq)));
    return txq;
}

static void end_txq(struct eth_fix *fix, struct doca_eth_txq *txq)
{
    eth_stop(fix, doca_eth_txq_as_doca_ctx(txq));
    assert_ok(doca_eth_txq_destroy(txq));
    eth_fix_close(fix);
}

static void nothing_changes_while_sending(void **state)
{
    struct doca_eth_txq_task_send *task;
    struct doca_eth_txq *txq;
    struct eth_fix fix;
    struct doca_buf *buf;
    uint64_t ticks;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    txq = start_txq(&fix);
    buf = eth_buf(&fix, 0, 2048, 64);
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_type(txq, DOCA_ETH_TXQ_TYPE_REGULAR));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_max_burst_size(txq, 64));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_max_send_buf_list_len(txq, 2));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_metadata_num(txq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_mss(txq, 100));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_max_lso_header_size(txq, 100));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_l3_chksum_offload(txq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_l4_chksum_offload(txq, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_task_send_set_conf(txq, on_send, on_send, 1));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_destroy(txq));
    refused(DOCA_ERROR_NOT_PERMITTED, doca_eth_txq_calculate_timestamp(txq, 1, &ticks));
    refused(DOCA_ERROR_NOT_SUPPORTED,
            doca_eth_txq_task_send_allocate_init(txq, buf, NO_DATA, &task));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_task_send_num_expand(txq, 1));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_task_lso_send_num_expand(txq, 0));
    refused(DOCA_ERROR_TOO_BIG, doca_eth_txq_task_lso_send_num_expand(txq, UINT32_MAX));
    refused(DOCA_ERROR_BAD_STATE, doca_eth_txq_task_batch_lso_send_num_expand(txq, 1));
    refused(DOCA_ERROR_TOO_BIG, doca_eth_txq_task_batch_send_num_expand(txq, UINT16_MAX));
    assert_ok(doca_buf_dec_refcount(buf, NULL));
    end_txq(&fix, txq);
}

/* Lists of headers that are none: too short, too long, of nothing, without an end. */
static void headers_of_large_sends_are_checked(void **state)
{
    char bytes[300] = {0};
    struct doca_gather_list part = {.addr = bytes, .len = 13};
    struct doca_gather_list ring = {.next = &ring};
    struct doca_eth_txq_task_lso_send *task;
    struct doca_eth_txq *txq;
    struct eth_fix fix;
    struct doca_buf *buf;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    txq = start_txq(&fix);
    buf = eth_buf(&fix, 0, 2048, 64);
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_lso_send_allocate_init(txq, buf, NULL, NO_DATA, &task));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_lso_send_allocate_init(txq, buf, &part, NO_DATA, &task));
    part.len = 75;
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_lso_send_allocate_init(txq, buf, &part, NO_DATA, &task));
    part.len = UINT64_MAX;
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_lso_send_allocate_init(txq, buf, &part, NO_DATA, &task));
    part = (struct doca_gather_list){.addr = NULL, .len = 14};
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_lso_send_allocate_init(txq, buf, &part, NO_DATA, &task));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_lso_send_allocate_init(txq, buf, &ring, NO_DATA, &task));
    part = (struct doca_gather_list){.addr = bytes, .len = 14};
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_lso_send_allocate_init(txq, NULL, &part, NO_DATA, &task));
    assert_ok(doca_eth_txq_task_lso_send_allocate_init(txq, buf, &part, NO_DATA, &task));
    doca_eth_txq_task_lso_send_set_headers(task, NULL);
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_task_submit(doca_eth_txq_task_lso_send_as_doca_task(task)));
    doca_task_free(doca_eth_txq_task_lso_send_as_doca_task(task));
    assert_ok(doca_buf_dec_refcount(buf, NULL));
    end_txq(&fix, txq);
}

static void batches_are_checked(void **state)
{
    struct doca_task_batch *batch, *second;
    union doca_data *data;
    struct doca_buf **pkts;
    struct doca_eth_txq *txq;
    struct eth_fix fix;
    uint32_t *metadata;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    txq = start_txq(&fix);
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_batch_send_allocate(txq, 0, NO_DATA, &pkts, &data, &batch));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_batch_send_allocate(txq, 17, NO_DATA, &pkts, &data, &batch));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_batch_send_allocate(txq, 1, NO_DATA, NULL, &data, &batch));
    assert_ok(doca_eth_txq_task_batch_send_allocate(txq, 2, NO_DATA, &pkts, &data, &batch));
    refused(DOCA_ERROR_NO_MEMORY,
            doca_eth_txq_task_batch_send_allocate(txq, 2, NO_DATA, &pkts, &data, &second));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_batch_lso_send_get_metadata_array(batch, &metadata));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_task_batch_send_get_metadata_array(NULL, &metadata));
    pkts[0] = eth_buf(&fix, 0, 2048, 64);
    refused(DOCA_ERROR_INVALID_VALUE, doca_task_batch_submit(batch)); /* half of it is missing */
    assert_ok(doca_buf_dec_refcount(pkts[0], NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_task_batch_submit(batch)); /* none is left */
    doca_task_batch_free(batch);
    end_txq(&fix, txq);
}

/* ---- capabilities ---- */

static void capabilities_need_a_device_and_a_place(void **state)
{
    struct doca_devinfo *info;
    enum doca_eth_wait_on_time_type wait;
    uint32_t number;
    uint16_t small;
    uint8_t byte;
    struct eth_fix fix;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    info = doca_dev_as_devinfo(fix.a);
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_cap_get_max_burst_size(NULL, &number));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_cap_get_max_burst_size(info, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_cap_get_max_packet_size(NULL, &number));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_cap_get_max_metadata_num(info, NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_cap_get_max_packet_headroom(NULL, &small));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_cap_get_max_packet_tailroom(NULL, &small));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_cap_get_max_recv_buf_list_len(NULL, &number));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_rxq_cap_is_type_supported(NULL, DOCA_ETH_RXQ_TYPE_REGULAR,
                                               DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU));
    refused(DOCA_ERROR_NOT_SUPPORTED,
            doca_eth_rxq_cap_is_type_supported(info, DOCA_ETH_RXQ_TYPE_REGULAR,
                                               DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU));
    refused(DOCA_ERROR_NOT_SUPPORTED,
            doca_eth_rxq_cap_is_type_supported(info, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL,
                                               DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_cap_get_max_burst_size(info, 33, 0, &number));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_cap_get_max_burst_size(info, 1, 257, &number));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_cap_get_max_send_buf_list_len(NULL, &number));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_cap_get_max_metadata_num(NULL, &byte));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_cap_get_max_lso_header_size(NULL, &small));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_cap_get_max_lso_msg_size(NULL, &number));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_cap_is_l3_chksum_offload_supported(NULL));
    refused(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_cap_is_l4_chksum_offload_supported(NULL));
    refused(DOCA_ERROR_INVALID_VALUE,
            doca_eth_txq_cap_get_wait_on_time_offload_supported(NULL, &wait));
    assert_ok(doca_eth_txq_cap_get_max_burst_size(info, 1, 0, &number));
    assert_int_equal(number, 32768);
    assert_ok(doca_eth_txq_cap_get_max_burst_size(info, 32, 256, &number));
    assert_int_equal(number, 2048);
    eth_fix_close(&fix);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive_queues_have_ranges),
        cmocka_unit_test(maps_that_do_not_serve_are_refused),
        cmocka_unit_test(estimates_do_not_overflow),
        cmocka_unit_test(nothing_changes_while_receiving),
        cmocka_unit_test(a_queue_can_be_stopped_in_its_callback),
        cmocka_unit_test(buffers_of_packets_are_not_duplicated),
        cmocka_unit_test(send_queues_have_ranges),
        cmocka_unit_test(nothing_changes_while_sending),
        cmocka_unit_test(headers_of_large_sends_are_checked),
        cmocka_unit_test(batches_are_checked),
        cmocka_unit_test(capabilities_need_a_device_and_a_place),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the capabilities of a device tell can be had, whatever its port is; one more cannot. */
#include "lib/eth_fixture.h"

#define FRAMES    (4u << 20) /* what is sent lies behind what receives */
#define MEMORY    (12u << 20)
#define NO_DATA   ((union doca_data){.u64 = 0})
#define LSO_FRAME 1514u

struct caps {
    uint32_t rx_burst, rx_packet, rx_list, tx_list, lso_msg;
    uint16_t headroom, tailroom, lso_header;
    uint8_t rx_metadata, tx_metadata;
};

static struct caps caps_of(const struct doca_dev *dev)
{
    const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    enum doca_eth_wait_on_time_type wait;
    struct caps caps;

    assert_ok(doca_eth_rxq_cap_get_max_burst_size(info, &caps.rx_burst));
    assert_ok(doca_eth_rxq_cap_get_max_packet_size(info, &caps.rx_packet));
    assert_ok(doca_eth_rxq_cap_get_max_recv_buf_list_len(info, &caps.rx_list));
    assert_ok(doca_eth_rxq_cap_get_max_packet_headroom(info, &caps.headroom));
    assert_ok(doca_eth_rxq_cap_get_max_packet_tailroom(info, &caps.tailroom));
    assert_ok(doca_eth_rxq_cap_get_max_metadata_num(info, &caps.rx_metadata));
    assert_ok(doca_eth_txq_cap_get_max_send_buf_list_len(info, &caps.tx_list));
    assert_ok(doca_eth_txq_cap_get_max_lso_msg_size(info, &caps.lso_msg));
    assert_ok(doca_eth_txq_cap_get_max_lso_header_size(info, &caps.lso_header));
    assert_ok(doca_eth_txq_cap_get_max_metadata_num(info, &caps.tx_metadata));
    assert_ok(doca_eth_txq_cap_is_l3_chksum_offload_supported(info));
    assert_ok(doca_eth_txq_cap_is_l4_chksum_offload_supported(info));
    assert_ok(doca_eth_txq_cap_get_wait_on_time_offload_supported(info, &wait));
    assert_int_equal(wait, DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE); /* of queues of kernels */
    for (int type = DOCA_ETH_RXQ_TYPE_CYCLIC; type <= DOCA_ETH_RXQ_TYPE_REGULAR; type++)
        assert_ok(doca_eth_rxq_cap_is_type_supported(info, (enum doca_eth_rxq_type)type,
                                                     DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU));
    assert_ok(doca_eth_txq_cap_is_type_supported(info, DOCA_ETH_TXQ_TYPE_REGULAR,
                                                 DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU));
    return caps;
}

/* Numbers that programs rely on. */
static void limits_are_those_that_programs_need(void **state)
{
    struct eth_fix fix;
    struct caps a, b;
    uint32_t burst;

    (void)state;
    eth_fix_open(&fix, MEMORY);
    a = caps_of(fix.a);
    b = caps_of(fix.b);
    assert_int_equal(a.rx_burst, 65536);
    assert_int_equal(a.rx_packet, 16384);
    assert_int_equal(a.rx_list, 32);
    assert_int_equal(a.tx_list, 32);
    assert_int_equal(a.headroom, 8192 - 64);
    assert_int_equal(a.tailroom, 8192 - 64);
    assert_int_equal(a.rx_metadata, 8);
    assert_int_equal(a.tx_metadata, 8);
    assert_int_equal(a.lso_header, 256);
    assert_int_equal(a.lso_msg, 65535 * 4);
    assert_int_equal(b.rx_packet, a.rx_packet); /* whatever the port is */
    assert_int_equal(b.rx_burst, a.rx_burst);
    assert_ok(doca_eth_txq_cap_get_max_burst_size(doca_dev_as_devinfo(fix.a), 1, 0, &burst));
    assert_int_equal(burst, 32768);
    eth_fix_close(&fix);
}

/* ---- receive queues ---- */

static struct {
    uint32_t frames;
    uint64_t bytes;
    size_t last;
} got;

static void on_packet(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                      union doca_data data)
{
    (void)event;
    (void)data;
    assert_non_null(pkt);
    assert_ok(doca_buf_get_data_len(pkt, &got.last));
    got.frames++;
    got.bytes += got.last;
    assert_ok(doca_buf_dec_refcount(pkt, NULL));
}

static void on_recv(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct doca_buf *pkt;
    size_t len;

    (void)task_data;
    (void)ctx_data;
    assert_ok(doca_task_get_status(doca_eth_rxq_task_recv_as_doca_task(task)));
    assert_ok(doca_eth_rxq_task_recv_get_pkt(task, &pkt));
    for (struct doca_buf *part = pkt; part != NULL;) {
        assert_ok(doca_buf_get_data_len(part, &len));
        got.bytes += len;
        assert_ok(doca_buf_get_next_in_list(part, &part));
    }
    got.frames++;
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(task));
    assert_ok(doca_buf_dec_refcount(pkt, NULL));
}

static struct doca_eth_rxq *make_rxq(struct eth_fix *fix, enum doca_eth_rxq_type type,
                                     uint32_t burst, uint32_t packet)
{
    struct doca_eth_rxq *rxq;

    assert_ok(doca_eth_rxq_create(fix->b, burst, packet, &rxq));
    assert_ok(doca_eth_rxq_set_type(rxq, type));
    if (type == DOCA_ETH_RXQ_TYPE_REGULAR) {
        assert_ok(doca_eth_rxq_task_recv_set_conf(rxq, on_recv, on_recv, 1));
    } else {
        assert_ok(doca_eth_rxq_set_pkt_buf(rxq, fix->map, 0, FRAMES));
        assert_ok(doca_eth_rxq_event_managed_recv_register(rxq, NO_DATA, on_packet, on_packet));
    }
    assert_ok(doca_pe_connect_ctx(fix->pe, doca_eth_rxq_as_doca_ctx(rxq)));
    return rxq;
}

static void start_rxq(struct doca_eth_rxq *rxq)
{
    memset(&got, 0, sizeof(got));
    assert_ok(doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq)));
}

static void end_rxq(struct eth_fix *fix, struct doca_eth_rxq *rxq)
{
    eth_stop(fix, doca_eth_rxq_as_doca_ctx(rxq));
    assert_ok(doca_eth_rxq_destroy(rxq));
}

/* A frame comes through a queue of these settings. */
static void use(struct eth_fix *fix, struct doca_eth_rxq *rxq, size_t len)
{
    struct eth_sender sender;

    start_rxq(rxq);
    eth_sender_open(fix, &sender);
    eth_send(fix, &sender, FRAMES, len, 1);
    eth_wait(fix, &got.frames, 1);
    assert_int_equal(got.bytes, len);
    eth_sender_close(fix, &sender);
    end_rxq(fix, rxq);
}

static void receive_queues_can_have_what_is_told(void **state)
{
    struct doca_eth_rxq *rxq;
    struct eth_fix fix;
    struct caps caps;

    (void)state;
    eth_fix_open(&fix, MEMORY);
    caps = caps_of(fix.b);
    use(&fix, make_rxq(&fix, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, caps.rx_burst, 64), 64);
    use(&fix, make_rxq(&fix, DOCA_ETH_RXQ_TYPE_CYCLIC, FRAMES / caps.rx_packet, caps.rx_packet),
        1514);
    rxq = make_rxq(&fix, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, 64, 64);
    assert_ok(doca_eth_rxq_set_packet_headroom(rxq, caps.headroom));
    assert_ok(doca_eth_rxq_set_metadata_num(rxq, caps.rx_metadata));
    use(&fix, rxq, 64);
    rxq = make_rxq(&fix, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, 64, 64);
    assert_ok(doca_eth_rxq_set_packet_tailroom(rxq, caps.tailroom));
    use(&fix, rxq, 64);
    eth_fix_close(&fix);
}

/* The longest list with the largest burst; the frame lies in all of its buffers. */
static void lists_can_be_as_long_as_told(void **state)
{
    struct doca_eth_rxq_task_recv *task;
    struct doca_buf *list, *sent;
    struct eth_sender sender;
    struct doca_eth_rxq *rxq;
    struct eth_fix fix;
    struct caps caps;

    (void)state;
    eth_fix_open(&fix, MEMORY);
    caps = caps_of(fix.b);
    rxq = make_rxq(&fix, DOCA_ETH_RXQ_TYPE_REGULAR, caps.rx_burst, 2048);
    assert_ok(doca_eth_rxq_set_max_recv_buf_list_len(rxq, caps.rx_list));
    start_rxq(rxq);
    eth_sender_create(&fix, &sender);
    assert_ok(doca_eth_txq_set_max_send_buf_list_len(sender.txq, caps.tx_list));
    assert_ok(doca_eth_txq_set_metadata_num(sender.txq, caps.tx_metadata));
    assert_ok(doca_ctx_start(sender.ctx));
    list = eth_buf(&fix, 0, 40, 0);
    eth_frame(fix.mem + FRAMES, 40 * caps.rx_list, 7);
    sent = eth_buf(&fix, FRAMES, 40, 40);
    for (uint32_t i = 1; i < caps.rx_list; i++)
        assert_ok(doca_buf_chain_list(list, eth_buf(&fix, i * 64, 40, 0)));
    for (uint32_t i = 1; i < caps.tx_list; i++)
        assert_ok(doca_buf_chain_list(sent, eth_buf(&fix, FRAMES + i * 40, 40, 40)));
    assert_ok(doca_eth_rxq_task_recv_allocate_init(rxq, list, NO_DATA, &task));
    assert_ok(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task)));
    eth_send_buf(&sender, sent);
    eth_wait(&fix, &got.frames, 1);
    assert_int_equal(got.bytes, 40 * caps.rx_list);
    for (uint32_t i = 0; i < caps.rx_list; i++)
        assert_memory_equal(fix.mem + i * 64, fix.mem + FRAMES + i * 40, 40);
    eth_wait(&fix, &sender.done, 1);
    assert_int_equal(sender.failed, 0);
    eth_sender_close(&fix, &sender);
    end_rxq(&fix, rxq);
    eth_fix_close(&fix);
}

/* ---- send queues ---- */

static struct {
    uint32_t done;
    doca_error_t last;
} lso;

static void on_lso(struct doca_eth_txq_task_lso_send *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct doca_buf *payload;

    (void)task_data;
    (void)ctx_data;
    lso.last = doca_task_get_status(doca_eth_txq_task_lso_send_as_doca_task(task));
    assert_ok(doca_eth_txq_task_lso_send_get_pkt_payload(task, &payload));
    doca_task_free(doca_eth_txq_task_lso_send_as_doca_task(task));
    assert_ok(doca_buf_dec_refcount(payload, NULL));
    lso.done++;
}

static void send_large(struct eth_fix *fix, struct doca_eth_txq *txq,
                       struct doca_gather_list *headers, size_t len)
{
    struct doca_eth_txq_task_lso_send *task;
    uint32_t before = lso.done;

    assert_ok(doca_eth_txq_task_lso_send_allocate_init(txq, eth_buf(fix, FRAMES, len, len), headers,
                                                       NO_DATA, &task));
    assert_ok(doca_task_submit(doca_eth_txq_task_lso_send_as_doca_task(task)));
    eth_wait(fix, &lso.done, before + 1);
}

/* With the longest list and header there are fewer, but as many as told. */
static struct doca_eth_txq *start_txq(struct eth_fix *fix, const struct caps *caps)
{
    struct doca_eth_txq *txq;
    uint32_t burst;

    assert_ok(doca_eth_txq_cap_get_max_burst_size(doca_dev_as_devinfo(fix->a), caps->tx_list,
                                                  caps->lso_header, &burst));
    assert_true(burst >= 256);
    assert_ok(doca_eth_txq_create(fix->a, burst, &txq));
    assert_ok(doca_eth_txq_set_max_send_buf_list_len(txq, caps->tx_list));
    assert_ok(doca_eth_txq_set_max_lso_header_size(txq, caps->lso_header));
    assert_ok(doca_eth_txq_set_mss(txq, (uint16_t)(LSO_FRAME - caps->lso_header)));
    assert_ok(doca_eth_txq_task_lso_send_set_conf(txq, on_lso, on_lso, burst));
    assert_ok(doca_pe_connect_ctx(fix->pe, doca_eth_txq_as_doca_ctx(txq)));
    assert_ok(doca_ctx_start(doca_eth_txq_as_doca_ctx(txq)));
    return txq;
}

static void large_sends_can_be_as_large_as_told(void **state)
{
    uint8_t header[256] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
    struct doca_gather_list headers = {.addr = header};
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct eth_fix fix;
    struct caps caps;
    uint32_t frames;

    (void)state;
    memset(&lso, 0, sizeof(lso));
    eth_fix_open(&fix, MEMORY);
    caps = caps_of(fix.a);
    assert_true(caps.lso_header <= sizeof(header));
    headers.len = caps.lso_header;
    rxq = make_rxq(&fix, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, 1024, 2048);
    start_rxq(rxq);
    txq = start_txq(&fix, &caps);
    send_large(&fix, txq, &headers, caps.lso_msg);
    assert_int_equal(lso.last, DOCA_SUCCESS);
    frames = (caps.lso_msg + LSO_FRAME - caps.lso_header - 1) / (LSO_FRAME - caps.lso_header);
    eth_wait(&fix, &got.frames, frames);
    assert_int_equal(got.frames, frames);
    assert_int_equal(got.bytes, caps.lso_msg + (uint64_t)frames * caps.lso_header);
    send_large(&fix, txq, &headers, caps.lso_msg + 1);
    assert_int_equal(lso.last, DOCA_ERROR_IO_FAILED);
    eth_stop(&fix, doca_eth_txq_as_doca_ctx(txq));
    assert_ok(doca_eth_txq_destroy(txq));
    end_rxq(&fix, rxq);
    eth_fix_close(&fix);
}

static void send_queues_can_be_as_deep_as_told(void **state)
{
    struct eth_sender sender;
    struct eth_fix fix;
    uint32_t burst;

    (void)state;
    eth_fix_open(&fix, MEMORY);
    assert_ok(doca_eth_txq_cap_get_max_burst_size(doca_dev_as_devinfo(fix.a), 1, 0, &burst));
    eth_sender_create(&fix, &sender);
    assert_ok(doca_eth_txq_set_max_burst_size(sender.txq, burst));
    assert_ok(doca_eth_txq_task_send_set_conf(sender.txq, eth_sent, eth_sent, burst));
    assert_ok(doca_ctx_start(sender.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_txq_set_max_burst_size(sender.txq, burst));
    eth_sender_close(&fix, &sender);
    eth_fix_close(&fix);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_those_that_programs_need),
        cmocka_unit_test(receive_queues_can_have_what_is_told),
        cmocka_unit_test(lists_can_be_as_long_as_told),
        cmocka_unit_test(large_sends_can_be_as_large_as_told),
        cmocka_unit_test(send_queues_can_be_as_deep_as_told),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Two devices in one map, each of which sends what the other one receives, without copying: at the
 * two ends of one wire the frames come back and go round until the test has seen enough. */
#include "lib/eth_fixture.h"

#define BURST   2048u
#define PACKET  1600u
#define BATCH   128u
#define ROUND   96u   /* frames that go round, one batch */
#define BATCHES ROUND /* each may come alone */
#define LONGEST 1514u

/* From one device to the other one. */
struct way {
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct doca_ctx *rx, *tx;
    const char *mem; /* of the packets */
    uint32_t len;    /* of each frame */
    uint32_t seen, next, broken, foreign;
    uint32_t sent, failed, dropped;
    bool ends; /* what comes is not sent on */
};

static struct {
    struct eth_fix fix;
    struct way way[2];
    uint32_t size; /* of each pool */
} f;

static void give_back(void *array)
{
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free(array);
}

static void look_at(struct way *way, struct doca_buf *pkt)
{
    const char *data;
    void *bytes;
    size_t len;

    assert_ok(doca_buf_get_data(pkt, &bytes));
    assert_ok(doca_buf_get_data_len(pkt, &len));
    data = bytes;
    way->broken += len == way->len && eth_frame_is(data, len, way->next) ? 0 : 1;
    way->foreign += data >= way->mem && data + len <= way->mem + f.size ? 0 : 1;
    way->next = (way->next + 1) % ROUND;
    way->seen++;
}

static void on_batch(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t num,
                     union doca_data data, doca_error_t status, struct doca_buf **array)
{
    struct way *way = data.ptr;
    struct doca_task_batch *batch;
    union doca_data *task_data;
    struct doca_buf **pkts;

    (void)event;
    assert_ok(status);
    assert_in_range(num, 1, BATCH);
    for (uint32_t i = 0; i < num; i++)
        look_at(way, array[i]);
    if (!way->ends &&
        doca_eth_txq_task_batch_send_allocate(way->txq, num, (union doca_data){.ptr = array}, &pkts,
                                              &task_data, &batch) == DOCA_SUCCESS) {
        memcpy(pkts, array, num * sizeof(*pkts));
        assert_ok(doca_task_batch_submit(batch));
        return;
    }
    way->dropped += num;
    give_back(array);
}

static void on_sent(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                    union doca_data batch_data, union doca_data *task_data, struct doca_buf **pkts,
                    doca_error_t *status)
{
    struct way *way = ctx_data.ptr;

    (void)task_data;
    for (uint32_t i = 0; i < num; i++)
        way->failed += status[i] == DOCA_SUCCESS ? 0 : 1;
    way->sent += num;
    if (batch_data.ptr != NULL) {
        give_back(batch_data.ptr);
    } else { /* the first ones */
        for (uint32_t i = 0; i < num; i++)
            assert_ok(doca_buf_dec_refcount(pkts[i], NULL));
    }
    doca_task_batch_free(batch);
}

static void open_way(struct way *way, struct doca_dev *from, struct doca_dev *to, size_t place,
                     uint16_t batches)
{
    way->mem = f.fix.mem + place;
    assert_ok(doca_eth_txq_create(to, BURST, &way->txq));
    way->tx = doca_eth_txq_as_doca_ctx(way->txq);
    assert_ok(doca_eth_txq_task_batch_send_set_conf(way->txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128,
                                                    batches, on_sent, on_sent));
    assert_ok(doca_ctx_set_user_data(way->tx, (union doca_data){.ptr = way}));
    assert_ok(doca_pe_connect_ctx(f.fix.pe, way->tx));
    assert_ok(doca_ctx_start(way->tx));
    assert_ok(doca_eth_rxq_create(from, BURST, PACKET, &way->rxq));
    way->rx = doca_eth_rxq_as_doca_ctx(way->rxq);
    assert_ok(doca_eth_rxq_set_type(way->rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
    assert_ok(doca_eth_rxq_set_pkt_buf(way->rxq, f.fix.map, (uint32_t)place, f.size));
    assert_ok(doca_eth_rxq_event_batch_managed_recv_register(
        way->rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_128, DOCA_EVENT_BATCH_EVENTS_NUMBER_1,
        (union doca_data){.ptr = way}, on_batch, on_batch));
    assert_ok(doca_pe_connect_ctx(f.fix.pe, way->rx));
    assert_ok(doca_ctx_start(way->rx));
}

static void open_memory(void)
{
    memset(&f, 0, sizeof(f));
    assert_ok(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, 12500, 1,
                                                    PACKET, BURST, 0, 0, 0, &f.size));
    eth_fix_open(&f.fix, 2 * (size_t)f.size + ROUND * (size_t)PACKET);
}

/* Nothing is held any more, so queues end at once. */
static void close_way(struct way *way)
{
    assert_ok(doca_ctx_stop(way->rx));
    assert_ok(doca_ctx_stop(way->tx));
    assert_ok(doca_eth_rxq_destroy(way->rxq));
    assert_ok(doca_eth_txq_destroy(way->txq));
}

/* The frames that go round, from the memory behind the pools. */
static void send_first(struct way *way, uint32_t len)
{
    struct doca_task_batch *batch;
    union doca_data *task_data;
    struct doca_buf **pkts;

    way->len = len;
    assert_ok(doca_eth_txq_task_batch_send_allocate(way->txq, ROUND, (union doca_data){.ptr = NULL},
                                                    &pkts, &task_data, &batch));
    for (uint32_t i = 0; i < ROUND; i++) {
        size_t at = 2 * (size_t)f.size + i * (size_t)PACKET;

        eth_frame(f.fix.mem + at, len, i);
        pkts[i] = eth_buf(&f.fix, at, PACKET, len);
    }
    assert_ok(doca_task_batch_submit(batch));
    eth_wait(&f.fix, &way->sent, ROUND);
}

/* All frames, in order, as they were; and no buffer stays behind. */
static void end_round(struct way *way)
{
    way->ends = true;
    eth_wait(&f.fix, &way->dropped, ROUND);
    assert_int_equal(way->dropped, ROUND);
    assert_int_equal(way->broken, 0);
    assert_int_equal(way->foreign, 0);
    assert_int_equal(way->failed, 0);
    eth_wait(&f.fix, &way->sent, way->seen);
    assert_int_equal(way->sent, way->seen); /* each frame was sent as often as it came */
}

static void go_round(uint32_t ways, uint32_t frames)
{
    open_memory();
    open_way(&f.way[0], f.fix.a, f.fix.b, 0, BATCHES);
    if (ways > 1)
        open_way(&f.way[1], f.fix.b, f.fix.a, f.size, BATCHES);
    for (uint32_t i = 0; i < ways; i++)
        send_first(&f.way[i], i == 0 ? LONGEST : 61);
    for (uint32_t done = 0; done < frames; done += 1000) { /* each step within its time */
        for (uint32_t i = 0; i < ways; i++)
            eth_wait(&f.fix, &f.way[i].seen, done + 1000);
    }
    for (uint32_t i = 0; i < ways; i++)
        end_round(&f.way[i]);
    for (uint32_t i = 0; i < ways; i++)
        close_way(&f.way[i]);
    eth_fix_close(&f.fix);
}

static void one_way_forwards_all_without_a_copy(void **state)
{
    (void)state;
    go_round(1, 10000);
}

static void both_ways_forward_at_once(void **state)
{
    (void)state;
    go_round(2, 10000);
}

/* While the only batch for sending is taken, what comes is given back; reception goes on. */
static void without_a_batch_packets_are_dropped_and_more_come(void **state)
{
    struct way *way = &f.way[1];
    struct doca_task_batch *batch;
    struct eth_sender sender;
    union doca_data *task_data;
    struct doca_buf **pkts;

    (void)state;
    open_memory();
    open_way(way, f.fix.b, f.fix.b, f.size, 1); /* what it sends ends with A */
    eth_sender_open(&f.fix, &sender);
    way->len = 64;
    for (uint32_t round = 0; round < 3; round++) {
        assert_ok(doca_eth_txq_task_batch_send_allocate(way->txq, 1, (union doca_data){.ptr = NULL},
                                                        &pkts, &task_data, &batch));
        for (uint32_t i = 0; i < ROUND; i++)
            eth_send(&f.fix, &sender, 2 * (size_t)f.size + i * (size_t)PACKET, 64, i);
        eth_wait(&f.fix, &way->dropped, (round + 1) * ROUND);
        assert_int_equal(way->sent, round);
        doca_task_batch_free(batch);
        way->next = 0;
        eth_send(&f.fix, &sender, 2 * (size_t)f.size, 64, 0);
        eth_wait(&f.fix, &way->sent, round + 1);
        way->next = 0;
    }
    assert_int_equal(way->dropped, 3 * ROUND);
    assert_int_equal(way->broken + way->foreign + way->failed, 0);
    eth_wait(&f.fix, &sender.done, 3 * (ROUND + 1));
    eth_sender_close(&f.fix, &sender);
    close_way(way);
    eth_fix_close(&f.fix);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_way_forwards_all_without_a_copy),
        cmocka_unit_test(both_ways_forward_at_once),
        cmocka_unit_test(without_a_batch_packets_are_dropped_and_more_come),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

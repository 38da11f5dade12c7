/* SPDX-License-Identifier: BSD-3-Clause */
/* MANAGED_MEMPOOL queues over a wire of the kind that the program is told. */

#include "lib/eth_fixture.h"

#include "lib/eth_count.h"

#include <signal.h>
#include <sys/time.h>

#define BURST   64u
#define PACKET  1600u
#define FRAMES  (1u << 20) /* where frames to be sent lie in the memory */
#define FRAME   2048u
#define HELD    4096u
#define NO_DATA ((union doca_data){.u64 = 0})

struct managed {
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    uint32_t headroom;
    uint32_t seen, calls, largest, smallest, broken;
    uint64_t last_time;
    bool keeps;  /* buffers, in `held` */
    bool by_one; /* gives back buffers of a batch one by one */
    uint32_t nheld;
    struct doca_buf *held[HELD];
    struct doca_buf **array; /* the last one that was kept */
    bool keeps_array;
};

static void look_at(struct managed *managed, struct doca_buf *pkt)
{
    void *head, *data;
    size_t len;

    assert_ok(doca_buf_get_head(pkt, &head));
    assert_ok(doca_buf_get_data(pkt, &data));
    assert_ok(doca_buf_get_data_len(pkt, &len));
    assert_int_equal((char *)data - (char *)head, managed->headroom);
    if (!eth_frame_is(data, len, managed->seen))
        managed->broken++;
    managed->seen++;
}

static void let_go(struct managed *managed, struct doca_buf *pkt)
{
    uint16_t refs;

    assert_ok(doca_buf_get_refcount(pkt, &refs));
    assert_int_equal(refs, 1);
    if (managed->keeps)
        managed->held[managed->nheld++] = pkt;
    else
        assert_ok(doca_buf_dec_refcount(pkt, NULL));
}

static void on_packet(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                      union doca_data data)
{
    struct managed *managed = data.ptr;
    const uint32_t *metadata;
    uint64_t time;

    managed->calls++;
    look_at(managed, pkt);
    assert_ptr_equal(doca_eth_rxq_event_managed_recv_get_ctx(event), managed->ctx);
    assert_ok(doca_eth_rxq_event_managed_recv_get_timestamp(event, &time));
    assert_true(time >= managed->last_time);
    managed->last_time = time;
    assert_ok(doca_eth_rxq_event_managed_recv_get_metadata_array(event, &metadata));
    assert_int_equal(metadata[0], 0);
    let_go(managed, pkt);
}

static void on_error(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                     union doca_data data)
{
    (void)event;
    (void)data;
    assert_null(pkt);
    fail();
}

static void on_batch(struct doca_eth_rxq_event_batch_managed_recv *batch, uint16_t num,
                     union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    struct managed *managed = data.ptr;
    const uint64_t *times;
    const uint32_t *metadata;

    assert_int_equal(status, DOCA_SUCCESS);
    managed->calls++;
    if (num > managed->largest)
        managed->largest = num;
    if (managed->calls == 1 || num < managed->smallest)
        managed->smallest = num;
    assert_ok(doca_eth_rxq_event_batch_managed_recv_get_timestamp_array(batch, &times));
    assert_ok(doca_eth_rxq_event_batch_managed_recv_get_metadata_array(batch, &metadata));
    for (uint32_t i = 0; i < num; i++) {
        look_at(managed, pkts[i]);
        assert_true(times[i] >= managed->last_time);
        managed->last_time = times[i];
        assert_int_equal(
            doca_eth_rxq_event_batch_managed_recv_metadata_array_get_metadata(metadata, 1, i, 0),
            0);
    }
    if (managed->keeps_array) {
        managed->array = pkts;
        return;
    }
    if (!managed->by_one) {
        doca_eth_rxq_event_batch_managed_recv_pkt_array_free(pkts);
        return;
    }
    for (uint32_t i = 0; i < num; i++)
        let_go(managed, pkts[i]);
}

static void on_batch_error(struct doca_eth_rxq_event_batch_managed_recv *batch, uint16_t num,
                           union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    (void)batch;
    (void)num;
    (void)data;
    (void)status;
    assert_null(pkts);
    fail();
}

static void create(struct eth_fix *fix, struct managed *managed, uint16_t headroom)
{
    uint32_t size;

    memset(managed, 0, sizeof(*managed));
    managed->headroom = headroom;
    assert_ok(doca_eth_rxq_create(fix->b, BURST, PACKET, &managed->rxq));
    managed->ctx = doca_eth_rxq_as_doca_ctx(managed->rxq);
    assert_ok(doca_eth_rxq_set_type(managed->rxq, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
    assert_ok(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, 100, 10,
                                                    PACKET, BURST, 15, headroom, 32, &size));
    assert_true(size <= FRAMES);
    assert_ok(doca_eth_rxq_set_pkt_buf(managed->rxq, fix->map, 0, size));
    assert_ok(doca_eth_rxq_set_packet_headroom(managed->rxq, headroom));
    assert_ok(doca_eth_rxq_set_packet_tailroom(managed->rxq, 32));
    assert_ok(doca_eth_rxq_set_timestamp(managed->rxq, 1));
    assert_ok(doca_eth_rxq_set_metadata_num(managed->rxq, 1));
    assert_ok(doca_pe_connect_ctx(fix->pe, managed->ctx));
}

static void open_single(struct eth_fix *fix, struct managed *managed, struct eth_sender *sender,
                        uint16_t headroom)
{
    eth_fix_open(fix, 2 * FRAMES);
    create(fix, managed, headroom);
    assert_ok(doca_eth_rxq_event_managed_recv_register(
        managed->rxq, (union doca_data){.ptr = managed}, on_packet, on_error));
    assert_ok(doca_ctx_start(managed->ctx));
    eth_sender_open(fix, sender);
}

static void open_batches(struct eth_fix *fix, struct managed *managed, struct eth_sender *sender,
                         enum doca_event_batch_events_number max,
                         enum doca_event_batch_events_number min)
{
    eth_fix_open(fix, 2 * FRAMES);
    create(fix, managed, 0);
    assert_ok(doca_eth_rxq_event_batch_managed_recv_register(
        managed->rxq, max, min, (union doca_data){.ptr = managed}, on_batch, on_batch_error));
    assert_ok(doca_ctx_start(managed->ctx));
    eth_sender_open(fix, sender);
}

static void close_all(struct eth_fix *fix, struct managed *managed, struct eth_sender *sender)
{
    eth_sender_close(fix, sender);
    eth_stop(fix, managed->ctx);
    assert_ok(doca_eth_rxq_destroy(managed->rxq));
    eth_fix_close(fix);
}

/* Frames of growing numbers, a few in flight at once so that none is lost. */
static void send_frames(struct eth_fix *fix, struct managed *managed, struct eth_sender *sender,
                        uint32_t num)
{
    uint32_t first = sender->done;

    for (uint32_t i = 0; i < num; i++) {
        eth_send(fix, sender, FRAMES + (i % 32) * FRAME, 64 + i % 1400, first + i);
        if (i % 32 == 31) {
            eth_wait(fix, &sender->done, first + i + 1);
            if (managed != NULL)
                eth_wait(fix, &managed->seen, first + i + 1);
        }
    }
    eth_wait(fix, &sender->done, first + num);
}

static void packets_come_one_by_one_behind_their_headroom(void **state)
{
    struct eth_fix fix;
    struct managed managed;
    struct eth_sender sender;

    (void)state;
    open_single(&fix, &managed, &sender, 256);
    send_frames(&fix, &managed, &sender, 1000);
    eth_wait(&fix, &managed.seen, 1000);
    assert_int_equal(managed.calls, 1000);
    assert_int_equal(managed.broken, 0);
    close_all(&fix, &managed, &sender);
}

/* All buffers that were estimated can be held; then frames are dropped and counted; then it goes
 * on.
 */
static void a_program_that_holds_all_buffers_gets_no_more(void **state)
{
    struct eth_fix fix;
    struct managed managed;
    struct eth_sender sender;
    uint32_t held;

    (void)state;
    open_single(&fix, &managed, &sender, 0);
    managed.keeps = true;
    do {
        held = managed.nheld;
        send_frames(&fix, NULL, &sender, 32);
        eth_settle(&fix);
        assert_true(managed.nheld < HELD);
    } while (managed.nheld > held || held < 2 * BURST || eth_count_of(SOFT_NIC_RX_NO_BUFFER) == 0);
    managed.keeps = false;
    for (uint32_t i = 0; i < held; i++)
        assert_ok(doca_buf_dec_refcount(managed.held[i], NULL));
    held = managed.seen;
    send_frames(&fix, NULL, &sender, 32);
    eth_wait(&fix, &managed.seen, held + 1);
    close_all(&fix, &managed, &sender);
}

static void stop_waits_for_buffers_that_are_held(void **state)
{
    struct eth_fix fix;
    struct managed managed;
    struct eth_sender sender;
    enum doca_ctx_states now;

    (void)state;
    open_single(&fix, &managed, &sender, 0);
    managed.keeps = true;
    send_frames(&fix, NULL, &sender, 1);
    eth_wait(&fix, &managed.seen, 1);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(managed.ctx));
    eth_settle(&fix);
    assert_ok(doca_ctx_get_state(managed.ctx, &now));
    assert_int_equal(now, DOCA_CTX_STATE_STOPPING);
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_rxq_destroy(managed.rxq));
    assert_ok(doca_buf_dec_refcount(managed.held[0], NULL));
    close_all(&fix, &managed, &sender);
}

/* 31 wait, the 32nd makes one call of 32; later calls have at most 64. */
static void batches_keep_to_their_numbers(void **state)
{
    struct eth_fix fix;
    struct managed managed;
    struct eth_sender sender;

    (void)state;
    open_batches(&fix, &managed, &sender, DOCA_EVENT_BATCH_EVENTS_NUMBER_64,
                 DOCA_EVENT_BATCH_EVENTS_NUMBER_32);
    send_frames(&fix, NULL, &sender, 31);
    eth_settle(&fix);
    assert_int_equal(managed.calls, 0);
    send_frames(&fix, NULL, &sender, 1);
    eth_wait(&fix, &managed.seen, 32);
    assert_int_equal(managed.calls, 1);
    assert_int_equal(managed.broken, 0);
    for (uint32_t i = 0; i < 96; i++) /* at once */
        eth_send(&fix, &sender, FRAMES + i * FRAME, 64, 32 + i);
    eth_wait(&fix, &managed.seen, 128 - 31); /* fewer than 32 may wait */
    eth_wait(&fix, &sender.done, 128);
    eth_settle(&fix);
    assert_true(managed.largest <= 64);
    assert_true(managed.smallest >= 32);
    assert_int_equal(managed.broken, 0);
    close_all(&fix, &managed, &sender);
}

static void what_waits_for_a_batch_ends_with_its_queue(void **state)
{
    struct eth_fix fix;
    struct managed managed;
    struct eth_sender sender;

    (void)state;
    open_batches(&fix, &managed, &sender, DOCA_EVENT_BATCH_EVENTS_NUMBER_64,
                 DOCA_EVENT_BATCH_EVENTS_NUMBER_32);
    send_frames(&fix, NULL, &sender, 31);
    eth_settle(&fix);
    close_all(&fix, &managed, &sender);
    assert_int_equal(managed.calls, 0);
}

static void arrays_are_used_again_however_they_are_freed(void **state)
{
    struct eth_fix fix;
    struct managed managed;
    struct eth_sender sender;

    (void)state;
    open_batches(&fix, &managed, &sender, DOCA_EVENT_BATCH_EVENTS_NUMBER_8,
                 DOCA_EVENT_BATCH_EVENTS_NUMBER_1);
    for (uint32_t round = 1; round <= 20; round++) {
        managed.by_one = round % 2 == 0;
        send_frames(&fix, &managed, &sender, 64);
        eth_wait(&fix, &managed.seen, round * 64);
    }
    assert_int_equal(managed.broken, 0);
    managed.keeps_array = true;
    send_frames(&fix, NULL, &sender, 1);
    eth_wait(&fix, &managed.seen, 20 * 64 + 1);
    managed.keeps_array = false;
    send_frames(&fix, NULL, &sender, 32);
    eth_wait(&fix, &managed.seen, 20 * 64 + 2);
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free(managed.array);
    close_all(&fix, &managed, &sender);
}

static void configurations_that_cannot_work_are_refused(void **state)
{
    struct eth_fix fix;
    struct managed managed;
    uint32_t size;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    create(&fix, &managed, 0);
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(managed.ctx)); /* nothing registered */
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_eth_rxq_event_batch_managed_recv_register(
                    managed.rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_8,
                    DOCA_EVENT_BATCH_EVENTS_NUMBER_16, NO_DATA, on_batch, on_batch_error));
    assert_ok(doca_eth_rxq_event_managed_recv_register(managed.rxq, NO_DATA, on_packet, on_error));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED,
                doca_eth_rxq_event_batch_managed_recv_register(
                    managed.rxq, DOCA_EVENT_BATCH_EVENTS_NUMBER_8, DOCA_EVENT_BATCH_EVENTS_NUMBER_8,
                    NO_DATA, on_batch, on_batch_error));
    assert_ok(doca_eth_rxq_set_packet_tailroom(managed.rxq, 8000));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(managed.ctx));
    assert_ok(doca_eth_rxq_set_packet_tailroom(managed.rxq, 0));
    assert_ok(doca_eth_rxq_set_pkt_buf(managed.rxq, fix.map, 0, PACKET * (BURST - 1)));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(managed.ctx));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_eth_rxq_set_pkt_buf(managed.rxq, fix.map, 4096, 2 * FRAMES));
    assert_ok(doca_eth_rxq_set_type(managed.rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(managed.ctx)); /* too little memory */
    assert_ok(doca_eth_rxq_set_packet_headroom(managed.rxq, 64));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(managed.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_rxq_apply_queue_id(managed.rxq, 0));
    assert_ok(doca_eth_rxq_destroy(managed.rxq));
    assert_ok(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, 2048, 16384, 0,
                                                    0, 0, &size));
    assert_int_equal(size, 33554432);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED,
                doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_REGULAR, 1, 1, 1600, 256, 0,
                                                      0, 0, &size));
    eth_fix_close(&fix);
}

static void on_alarm(int number)
{
    (void)number;
}

/* As of a profiler: no call may take them for its failure. */
static void queues_open_while_signals_come(void **state)
{
    const struct itimerval often = {{.tv_usec = 200}, {.tv_usec = 200}}, never = {0};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART}, before;
    struct eth_fix fix;
    struct managed managed;
    struct eth_sender sender;

    (void)state;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    for (uint32_t round = 0; round < 3; round++) {
        assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
        open_single(&fix, &managed, &sender, 0);
        assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
        send_frames(&fix, &managed, &sender, 32);
        close_all(&fix, &managed, &sender);
    }
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
}

static void queue_ids_are_given_once(void **state)
{
    struct eth_fix fix;
    struct managed managed, other;
    struct eth_sender sender;
    uint32_t first, second;

    (void)state;
    open_single(&fix, &managed, &sender, 0);
    create(&fix, &other, 0);
    assert_ok(doca_eth_rxq_event_managed_recv_register(other.rxq, (union doca_data){.ptr = &other},
                                                       on_packet, on_error));
    assert_ok(doca_ctx_start(other.ctx));
    assert_ok(doca_eth_rxq_apply_queue_id(managed.rxq, 3));
    assert_doca(DOCA_ERROR_ALREADY_EXIST, doca_eth_rxq_apply_queue_id(other.rxq, 3));
    assert_ok(doca_eth_rxq_apply_queue_id(other.rxq, 4));
    assert_doca(DOCA_ERROR_IN_USE, doca_eth_rxq_apply_queue_id(other.rxq, 5));
    assert_ok(doca_eth_rxq_get_hw_queue_num(managed.rxq, &first));
    assert_ok(doca_eth_rxq_get_hw_queue_num(other.rxq, &second));
    assert_int_not_equal(first, second);
    eth_stop(&fix, other.ctx);
    assert_ok(doca_eth_rxq_destroy(other.rxq));
    close_all(&fix, &managed, &sender);
}

/* ---- CYCLIC ---- */

#define SLOTS 8u
#define SLOT  1600u

struct ring {
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    const char *mem;
    uint32_t seen;
    bool gives_back; /* although it need not */
};

static void on_slot(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                    union doca_data data)
{
    struct ring *ring = data.ptr;
    void *head, *bytes;
    size_t len;

    assert_ptr_equal(doca_eth_rxq_event_managed_recv_get_ctx(event), ring->ctx);
    assert_ok(doca_buf_get_head(pkt, &head));
    assert_ok(doca_buf_get_data(pkt, &bytes));
    assert_ok(doca_buf_get_data_len(pkt, &len));
    assert_ptr_equal(head, ring->mem + ring->seen % SLOTS * SLOT);
    assert_ptr_equal(bytes, head);
    assert_true(eth_frame_is(bytes, len, ring->seen));
    if (ring->gives_back)
        assert_ok(doca_buf_dec_refcount(pkt, NULL));
    ring->seen++;
}

static void slots_of_a_ring_are_used_in_turn(void **state)
{
    struct eth_fix fix;
    struct eth_sender sender;
    struct ring ring = {0};
    uint32_t size;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    assert_ok(doca_eth_rxq_cap_is_type_supported(
        doca_dev_as_devinfo(fix.b), DOCA_ETH_RXQ_TYPE_CYCLIC, DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU));
    assert_ok(doca_eth_rxq_create(fix.b, SLOTS - 1, SLOT, &ring.rxq));
    ring.ctx = doca_eth_rxq_as_doca_ctx(ring.rxq);
    ring.mem = fix.mem;
    assert_ok(doca_eth_rxq_set_type(ring.rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    assert_ok(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, SLOT, SLOTS - 1,
                                                    0, 0, 0, &size));
    assert_int_equal(size, SLOTS * SLOT);
    assert_ok(doca_eth_rxq_set_pkt_buf(ring.rxq, fix.map, 0, size));
    assert_ok(doca_pe_connect_ctx(fix.pe, ring.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(ring.ctx)); /* nothing registered */
    assert_ok(doca_eth_rxq_event_managed_recv_register(ring.rxq, (union doca_data){.ptr = &ring},
                                                       on_slot, on_error));
    assert_ok(doca_ctx_start(ring.ctx));
    eth_sender_open(&fix, &sender);
    for (uint32_t i = 0; i < 10 * SLOTS + 3; i++) {
        ring.gives_back = i % 3 == 0;
        eth_send(&fix, &sender, FRAMES, 64 + i * 17 % 1400, i);
        eth_wait(&fix, &sender.done, i + 1);
        eth_wait(&fix, &ring.seen, i + 1);
    }
    eth_sender_close(&fix, &sender);
    assert_ok(doca_ctx_stop(ring.ctx)); /* nothing is waited for */
    assert_ok(doca_eth_rxq_destroy(ring.rxq));
    eth_fix_close(&fix);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_come_one_by_one_behind_their_headroom),
        cmocka_unit_test(a_program_that_holds_all_buffers_gets_no_more),
        cmocka_unit_test(stop_waits_for_buffers_that_are_held),
        cmocka_unit_test(batches_keep_to_their_numbers),
        cmocka_unit_test(what_waits_for_a_batch_ends_with_its_queue),
        cmocka_unit_test(arrays_are_used_again_however_they_are_freed),
        cmocka_unit_test(configurations_that_cannot_work_are_refused),
        cmocka_unit_test(queues_open_while_signals_come),
        cmocka_unit_test(queue_ids_are_given_once),
        cmocka_unit_test(slots_of_a_ring_are_used_in_turn),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

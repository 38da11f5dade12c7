/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive queues over a wire of the kind that the program is told. */

#include "lib/eth_fixture.h"

#include <doca_flow.h>
#include <opendoca.h>
#include <poll.h>

#include "lib/in_child.h"

/* ---- REGULAR ---- */

#define PLACES 64u
#define PLACE  2048u

struct receiver {
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    uint32_t done, failed;
    doca_error_t last;
    size_t len[256];
    uint32_t number[256];
    bool intact[256];
    uint8_t l3_ok, l4_ok;
    uint64_t time;
    uint32_t tag, hash;
    bool keep; /* the tasks for the test */
    struct doca_eth_rxq_task_recv *task;
};

static size_t copy_out(struct doca_buf *buf, char *to)
{
    size_t done = 0, n;
    void *data;

    while (buf != NULL) {
        assert_ok(doca_buf_get_data(buf, &data));
        assert_ok(doca_buf_get_data_len(buf, &n));
        memcpy(to + done, data, n);
        done += n;
        assert_ok(doca_buf_get_next_in_list(buf, &buf));
    }
    return done;
}

static void note_frame(struct receiver *receiver, struct doca_buf *buf)
{
    char frame[16384] = {0};
    uint32_t i = receiver->done % 256;

    receiver->len[i] = copy_out(buf, frame);
    receiver->number[i] = eth_frame_number(frame);
    receiver->intact[i] = eth_frame_is(frame, receiver->len[i], receiver->number[i]);
}

static void received(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct receiver *receiver = ctx_data.ptr;
    struct doca_task *base = doca_eth_rxq_task_recv_as_doca_task(task);
    struct doca_buf *buf;

    (void)task_data;
    receiver->last = doca_task_get_status(base);
    assert_ok(doca_eth_rxq_task_recv_get_pkt(task, &buf));
    if (receiver->last == DOCA_SUCCESS) {
        note_frame(receiver, buf);
        assert_ok(doca_eth_rxq_task_recv_get_l3_ok(task, &receiver->l3_ok));
        assert_ok(doca_eth_rxq_task_recv_get_l4_ok(task, &receiver->l4_ok));
        assert_ok(doca_eth_rxq_task_recv_get_timestamp(task, &receiver->time));
        assert_ok(doca_eth_rxq_task_recv_get_flow_tag(task, &receiver->tag));
        assert_ok(doca_eth_rxq_task_recv_get_rx_hash(task, &receiver->hash));
    } else {
        receiver->failed++;
    }
    receiver->done++;
    if (receiver->keep) {
        receiver->task = task;
        return;
    }
    doca_task_free(base);
    assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static void receiver_open(struct eth_fix *fix, struct receiver *receiver, uint32_t burst)
{
    memset(receiver, 0, sizeof(*receiver));
    assert_ok(doca_eth_rxq_create(fix->b, burst, PLACE, &receiver->rxq));
    receiver->ctx = doca_eth_rxq_as_doca_ctx(receiver->rxq);
    assert_ok(doca_ctx_set_user_data(receiver->ctx, (union doca_data){.ptr = receiver}));
    assert_ok(doca_eth_rxq_task_recv_set_conf(receiver->rxq, received, received, burst + 8));
    assert_ok(doca_eth_rxq_set_max_recv_buf_list_len(receiver->rxq, 4));
    assert_ok(doca_eth_rxq_set_timestamp(receiver->rxq, 1));
    assert_ok(doca_pe_connect_ctx(fix->pe, receiver->ctx));
    assert_ok(doca_ctx_start(receiver->ctx));
}

static doca_error_t post_buf(struct receiver *receiver, struct doca_buf *buf)
{
    struct doca_eth_rxq_task_recv *task;
    doca_error_t result;

    assert_ok(doca_eth_rxq_task_recv_allocate_init(receiver->rxq, buf, (union doca_data){.u64 = 0},
                                                   &task));
    result = doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task));
    if (result != DOCA_SUCCESS)
        doca_task_free(doca_eth_rxq_task_recv_as_doca_task(task));
    return result;
}

static void post(struct eth_fix *fix, struct receiver *receiver, uint32_t place, size_t len)
{
    assert_ok(post_buf(receiver, eth_buf(fix, place * PLACE, len, 0)));
}

static void receiver_close(struct eth_fix *fix, struct receiver *receiver)
{
    eth_stop(fix, receiver->ctx);
    assert_ok(doca_eth_rxq_destroy(receiver->rxq));
}

/* The places come first in the memory, then the frames that are sent. */
#define FRAMES (PLACES * PLACE)

static void open_both(struct eth_fix *fix, struct receiver *receiver, struct eth_sender *sender,
                      uint32_t burst)
{
    eth_fix_open(fix, 2 * FRAMES);
    receiver_open(fix, receiver, burst);
    eth_sender_open(fix, sender);
}

static void close_both(struct eth_fix *fix, struct receiver *receiver, struct eth_sender *sender)
{
    eth_sender_close(fix, sender);
    receiver_close(fix, receiver);
    eth_fix_close(fix);
}

/* ---- interfaces that cannot be used ---- */

static const char *wire = "loop";

static bool is_refused(doca_error_t result)
{
    CHILD_CHECK(result == DOCA_ERROR_NOT_PERMITTED);
    CHILD_CHECK(strstr(opendoca_last_error(), "CAP_NET_") != NULL);
    return true;
}

static doca_error_t start_port_of(struct doca_dev *dev)
{
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_port *port;
    struct doca_flow_cfg *cfg;
    doca_error_t result;

    assert_ok(doca_flow_cfg_create(&cfg));
    assert_ok(doca_flow_cfg_set_mode_args(cfg, "vnf"));
    assert_ok(doca_flow_init(cfg));
    assert_ok(doca_flow_cfg_destroy(cfg));
    assert_ok(doca_flow_port_cfg_create(&port_cfg));
    assert_ok(doca_flow_port_cfg_set_port_id(port_cfg, 0));
    assert_ok(doca_flow_port_cfg_set_dev(port_cfg, dev));
    result = doca_flow_port_start(port_cfg, &port);
    assert_ok(doca_flow_port_cfg_destroy(port_cfg));
    return result;
}

/* The devices were found before: what has to be loaded may lie where others cannot read. */
static bool be_nobody(void)
{
    const bool needs_rights = strncmp(wire, "af_", 3) == 0 || strcmp(wire, "tap") == 0;
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct eth_fix fix;
    doca_error_t result;

    eth_fix_open(&fix, PLACE);
    assert_ok(doca_eth_rxq_cap_is_type_supported(
        doca_dev_as_devinfo(fix.b), DOCA_ETH_RXQ_TYPE_REGULAR, DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU));
    CHILD_CHECK(geteuid() != 0 || setresuid(65534, 65534, 65534) == 0);
    assert_ok(doca_eth_rxq_create(fix.b, 4, PLACE, &rxq));
    assert_ok(doca_eth_rxq_task_recv_set_conf(rxq, received, received, 4));
    assert_ok(doca_pe_connect_ctx(fix.pe, doca_eth_rxq_as_doca_ctx(rxq)));
    result = doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq));
    if (!needs_rights)
        return result == DOCA_SUCCESS;
    CHILD_CHECK(is_refused(result));
    assert_ok(doca_eth_txq_create(fix.b, 4, &txq));
    assert_ok(doca_eth_txq_task_send_set_conf(txq, eth_sent, eth_sent, 4));
    assert_ok(doca_pe_connect_ctx(fix.pe, doca_eth_txq_as_doca_ctx(txq)));
    CHILD_CHECK(is_refused(doca_ctx_start(doca_eth_txq_as_doca_ctx(txq))));
    CHILD_CHECK(is_refused(start_port_of(fix.b)));
    return true;
}

static void without_rights_the_missing_one_is_named(void **state)
{
    (void)state;
    assert_int_equal(in_child(getenv("OPENDOCA_CONFIG"), getenv("OPENDOCA_ROLE"), be_nobody), 0);
}

static void a_flow_port_of_an_interface_that_is_off_is_refused(void **state)
{
    struct eth_fix fix;

    (void)state;
    if (strncmp(wire, "af_", 3) != 0)
        skip();
    eth_fix_open(&fix, PLACE);
    assert_int_equal(system("ip link set odvb down"), 0);
    assert_doca(DOCA_ERROR_DRIVER, start_port_of(fix.b));
    assert_non_null(strstr(opendoca_last_error(), "ip link set dev odvb up"));
    doca_flow_destroy();
    assert_int_equal(system("ip link set odvb up"), 0);
    assert_ok(start_port_of(fix.b));
    doca_flow_destroy();
    eth_fix_close(&fix);
}

/* ---- receiving ---- */

static void frames_arrive_whole_and_in_order(void **state)
{
    static const size_t lens[] = {60, 61, 64, 128, 511, 1024, 1500, 1514};
    struct eth_fix fix;
    struct receiver receiver;
    struct eth_sender sender;

    (void)state;
    open_both(&fix, &receiver, &sender, PLACES);
    for (uint32_t i = 0; i < 32; i++)
        post(&fix, &receiver, i, PLACE);
    for (uint32_t i = 0; i < 32; i++)
        eth_send(&fix, &sender, FRAMES + i * PLACE, lens[i % 8], i);
    eth_wait(&fix, &receiver.done, 32);
    eth_wait(&fix, &sender.done, 32);
    assert_int_equal(receiver.failed + sender.failed, 0);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(receiver.number[i], i);
        assert_int_equal(receiver.len[i], lens[i % 8]);
        assert_true(receiver.intact[i]);
    }
    close_both(&fix, &receiver, &sender);
}

static void attributes_that_were_not_enabled_are_zero(void **state)
{
    struct eth_fix fix;
    struct receiver receiver;
    struct eth_sender sender;
    struct timespec now;

    (void)state;
    open_both(&fix, &receiver, &sender, 4);
    post(&fix, &receiver, 0, PLACE);
    eth_send(&fix, &sender, FRAMES, 100, 1);
    eth_wait(&fix, &receiver.done, 1);
    assert_int_equal(receiver.l3_ok + receiver.l4_ok, 0); /* no IP */
    assert_int_equal(receiver.tag, 0);
    assert_int_equal(receiver.hash, 0);
    clock_gettime(CLOCK_REALTIME, &now);
    assert_true(receiver.time / 1000000000u >= (uint64_t)now.tv_sec - 60);
    assert_true(receiver.time / 1000000000u <= (uint64_t)now.tv_sec + 1);
    close_both(&fix, &receiver, &sender);
}

static void a_list_of_buffers_is_filled_one_after_the_other(void **state)
{
    struct eth_fix fix;
    struct receiver receiver;
    struct eth_sender sender;
    struct doca_buf *list;

    (void)state;
    open_both(&fix, &receiver, &sender, 4);
    list = eth_buf(&fix, 0, 100, 0);
    assert_ok(doca_buf_chain_list(list, eth_buf(&fix, PLACE, 200, 0)));
    assert_ok(doca_buf_chain_list(list, eth_buf(&fix, 2 * PLACE, PLACE, 0)));
    assert_ok(post_buf(&receiver, list));
    eth_send(&fix, &sender, FRAMES, 700, 5);
    eth_wait(&fix, &receiver.done, 1);
    assert_int_equal(receiver.failed, 0);
    assert_int_equal(receiver.len[0], 700);
    assert_true(receiver.intact[0]);
    close_both(&fix, &receiver, &sender);
}

static void a_frame_that_does_not_fit_ends_its_task(void **state)
{
    struct eth_fix fix;
    struct receiver receiver;
    struct eth_sender sender;

    (void)state;
    open_both(&fix, &receiver, &sender, 4);
    post(&fix, &receiver, 0, 128);
    post(&fix, &receiver, 1, PLACE);
    eth_send(&fix, &sender, FRAMES, 1000, 1);
    eth_wait(&fix, &receiver.done, 1);
    assert_int_equal(receiver.last, DOCA_ERROR_TOO_BIG);
    eth_send(&fix, &sender, FRAMES, 1000, 2);
    eth_wait(&fix, &receiver.done, 2);
    assert_int_equal(receiver.failed, 1);
    assert_true(receiver.intact[1]);
    close_both(&fix, &receiver, &sender);
}

static void more_than_a_burst_is_told_to_come_again(void **state)
{
    struct eth_fix fix;
    struct receiver receiver;
    struct eth_sender sender;
    struct doca_buf *buf;

    (void)state;
    open_both(&fix, &receiver, &sender, 4);
    for (uint32_t i = 0; i < 4; i++)
        post(&fix, &receiver, i, PLACE);
    buf = eth_buf(&fix, 4 * PLACE, PLACE, 0);
    assert_doca(DOCA_ERROR_AGAIN, post_buf(&receiver, buf));
    eth_send(&fix, &sender, FRAMES, 64, 1);
    eth_wait(&fix, &receiver.done, 1);
    assert_ok(post_buf(&receiver, buf));
    close_both(&fix, &receiver, &sender);
}

static void frames_without_a_place_are_dropped_and_reception_goes_on(void **state)
{
    struct eth_fix fix;
    struct receiver receiver;
    struct eth_sender sender;

    (void)state;
    open_both(&fix, &receiver, &sender, 4);
    post(&fix, &receiver, 0, PLACE);
    for (uint32_t i = 0; i < 8; i++)
        eth_send(&fix, &sender, FRAMES + i * PLACE, 64, i);
    eth_wait(&fix, &receiver.done, 1);
    eth_wait(&fix, &sender.done, 8);
    eth_settle(&fix);
    assert_int_equal(receiver.done, 1);
    assert_int_equal(receiver.number[0], 0);
    /* Some of the first ones may still be on their way when the machine is busy. */
    do {
        uint32_t next = receiver.done + 1;

        post(&fix, &receiver, 0, PLACE);
        eth_send(&fix, &sender, FRAMES, 64, 100 + next);
        eth_wait(&fix, &receiver.done, next);
        assert_true(receiver.done < 16);
    } while (receiver.number[receiver.done - 1] < 100);
    close_both(&fix, &receiver, &sender);
}

static void stop_ends_tasks_in_their_error_callback(void **state)
{
    struct eth_fix fix;
    struct receiver receiver;
    enum doca_ctx_states now;

    (void)state;
    eth_fix_open(&fix, 2 * FRAMES);
    receiver_open(&fix, &receiver, 8);
    for (uint32_t i = 0; i < 5; i++)
        post(&fix, &receiver, i, PLACE);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(receiver.ctx));
    assert_ok(doca_ctx_get_state(receiver.ctx, &now));
    assert_int_equal(now, DOCA_CTX_STATE_STOPPING);
    eth_wait(&fix, &receiver.done, 5);
    assert_int_equal(receiver.failed, 5);
    assert_int_equal(receiver.last, DOCA_ERROR_IO_FAILED);
    receiver_close(&fix, &receiver);
    eth_fix_close(&fix);
}

static void a_task_can_be_submitted_again(void **state)
{
    struct eth_fix fix;
    struct receiver receiver;
    struct eth_sender sender;
    struct doca_buf *buf;

    (void)state;
    open_both(&fix, &receiver, &sender, 4);
    receiver.keep = true;
    post(&fix, &receiver, 0, PLACE);
    for (uint32_t i = 0; i < 20; i++) {
        eth_send(&fix, &sender, FRAMES, 64 + i, i);
        eth_wait(&fix, &receiver.done, i + 1);
        assert_int_equal(receiver.number[i], i);
        assert_int_equal(receiver.len[i], 64 + i);
        assert_ok(doca_eth_rxq_task_recv_get_pkt(receiver.task, &buf));
        assert_ok(doca_buf_reset_data_len(buf));
        if (i < 19)
            assert_ok(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(receiver.task)));
    }
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(receiver.task));
    assert_ok(doca_buf_dec_refcount(buf, NULL));
    close_both(&fix, &receiver, &sender);
}

/* The engine's handle wakes a thread that sleeps until something is received. */
static void a_sleeper_is_woken_by_a_frame(void **state)
{
    struct eth_fix fix;
    struct receiver receiver;
    struct eth_sender sender;
    doca_notification_handle_t handle;

    (void)state;
    open_both(&fix, &receiver, &sender, 4);
    assert_ok(doca_pe_get_notification_handle(fix.pe, &handle));
    for (uint32_t round = 0; round < 3; round++) {
        post(&fix, &receiver, 0, PLACE);
        eth_send(&fix, &sender, FRAMES, 64, round);
        eth_wait(&fix, &sender.done, round + 1);
        while (receiver.done == round) {
            struct pollfd wait = {.fd = handle, .events = POLLIN};

            assert_ok(doca_pe_request_notification(fix.pe));
            assert_int_equal(poll(&wait, 1, 20000), 1);
            assert_ok(doca_pe_clear_notification(fix.pe, handle));
            while (doca_pe_progress(fix.pe) != 0)
                continue;
        }
        assert_int_equal(receiver.number[round], round);
    }
    close_both(&fix, &receiver, &sender);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_rights_the_missing_one_is_named), /* first: it forks */
        cmocka_unit_test(a_flow_port_of_an_interface_that_is_off_is_refused),
        cmocka_unit_test(frames_arrive_whole_and_in_order),
        cmocka_unit_test(attributes_that_were_not_enabled_are_zero),
        cmocka_unit_test(a_list_of_buffers_is_filled_one_after_the_other),
        cmocka_unit_test(a_frame_that_does_not_fit_ends_its_task),
        cmocka_unit_test(more_than_a_burst_is_told_to_come_again),
        cmocka_unit_test(frames_without_a_place_are_dropped_and_reception_goes_on),
        cmocka_unit_test(stop_ends_tasks_in_their_error_callback),
        cmocka_unit_test(a_task_can_be_submitted_again),
        cmocka_unit_test(a_sleeper_is_woken_by_a_frame),
    };
    int rc;

    wire = argc > 1 ? argv[1] : wire;
    rc = eth_wire_up(wire);
    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

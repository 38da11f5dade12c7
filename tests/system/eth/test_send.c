/* SPDX-License-Identifier: BSD-3-Clause */
/* Send queues over a wire of the kind that the program is told; what arrives is looked at by the
 * port itself, without the queues of the other end's library. */

#include "lib/eth_fixture.h"

#include "soft/nic/nic.h"
#include "soft/nic/packet.h"

#define SIZE  (1u << 20)
#define PLACE 2048u
#define DEPTH 256u

/* The other end: a bare queue of its port. */
struct catcher {
    struct soft_nic_port *port;
    struct soft_nic_rxq *rxq;
    char mem[DEPTH][PLACE];
};

static void post_place(struct catcher *catcher, uint32_t place)
{
    struct soft_nic_post *post = soft_nic_rxq_next(catcher->rxq);

    assert_non_null(post);
    post->cookie = catcher->mem[place];
    post->place = (struct soft_nic_piece){catcher->mem[place], PLACE};
    soft_nic_rxq_post(catcher->rxq);
}

static void catcher_open(struct catcher *catcher)
{
    const struct soft_nic_rxq_conf conf = {.depth = DEPTH};
    const struct soft_topology *topology;

    assert_int_equal(soft_device_topology(&topology), 0);
    assert_int_equal(soft_nic_port_hold(&topology->devices[1], &catcher->port), 0);
    assert_int_equal(soft_nic_rxq_open(catcher->port, &conf, &catcher->rxq), 0);
    for (uint32_t i = 0; i < DEPTH; i++)
        post_place(catcher, i);
}

static void catcher_close(struct catcher *catcher)
{
    soft_nic_rxq_close(catcher->rxq);
    assert_true(soft_nic_port_adds_up(catcher->port));
    soft_nic_port_release(catcher->port);
}

/* The next frame, within a time that a busy machine may need; its place is not posted again. */
static const uint8_t *caught(struct eth_fix *fix, struct catcher *catcher, uint32_t *len)
{
    struct patience patience = patience_of(20);
    struct soft_nic_post *post;
    const uint8_t *frame;

    while ((post = soft_nic_rxq_take(catcher->rxq)) == NULL && patience_lasts(&patience))
        doca_pe_progress(fix->pe);
    assert_non_null(post);
    frame = post->cookie;
    *len = post->len;
    soft_nic_rxq_done(catcher->rxq);
    return frame;
}

struct fixture {
    struct eth_fix fix;
    struct catcher catcher;
    struct eth_sender sender;
};

static void open_all(struct fixture *f)
{
    eth_fix_open(&f->fix, SIZE);
    catcher_open(&f->catcher);
    eth_sender_create(&f->fix, &f->sender);
}

static void close_all(struct fixture *f)
{
    eth_sender_close(&f->fix, &f->sender);
    catcher_close(&f->catcher);
    eth_fix_close(&f->fix);
}

static struct fixture f; /* large */

static void a_frame_leaves_as_it_is_and_short_ones_are_padded(void **state)
{
    const uint8_t *frame;
    uint32_t len;

    (void)state;
    open_all(&f);
    assert_ok(doca_ctx_start(f.sender.ctx));
    eth_send(&f.fix, &f.sender, 0, 1514, 7);
    eth_send(&f.fix, &f.sender, PLACE, 20, 8);
    frame = caught(&f.fix, &f.catcher, &len);
    assert_int_equal(len, 1514);
    assert_true(eth_frame_is((const char *)frame, len, 7));
    frame = caught(&f.fix, &f.catcher, &len);
    assert_int_equal(len, 60);
    assert_true(eth_frame_is((const char *)frame, 20, 8));
    for (uint32_t i = 20; i < 60; i++)
        assert_int_equal(frame[i], 0);
    eth_wait(&f.fix, &f.sender.done, 2);
    assert_int_equal(f.sender.failed, 0);
    close_all(&f);
}

static void a_list_leaves_as_one_frame(void **state)
{
    const uint8_t *frame;
    struct doca_buf *list;
    uint32_t len;

    (void)state;
    open_all(&f);
    assert_ok(doca_eth_txq_set_max_send_buf_list_len(f.sender.txq, 3));
    assert_ok(doca_ctx_start(f.sender.ctx));
    eth_frame(f.fix.mem, 900, 3);
    list = eth_buf(&f.fix, 0, 14, 14);
    assert_ok(doca_buf_chain_list(list, eth_buf(&f.fix, 14, 300, 300)));
    assert_ok(doca_buf_chain_list(list, eth_buf(&f.fix, 314, 586, 586)));
    eth_send_buf(&f.sender, list);
    frame = caught(&f.fix, &f.catcher, &len);
    assert_int_equal(len, 900);
    assert_true(eth_frame_is((const char *)frame, len, 3));
    eth_wait(&f.fix, &f.sender.done, 1);
    close_all(&f);
}

/* Empty, too long: the task fails, the queue lives on, the order of reports stays. */
static void frames_that_cannot_be_sent_fail_alone(void **state)
{
    uint32_t len;

    (void)state;
    open_all(&f);
    assert_ok(doca_ctx_start(f.sender.ctx));
    eth_send_buf(&f.sender, eth_buf(&f.fix, 0, 100, 0));
    eth_wait(&f.fix, &f.sender.done, 1);
    assert_int_equal(f.sender.last, DOCA_ERROR_INVALID_VALUE);
    eth_send(&f.fix, &f.sender, 0, 1519, 1);
    eth_wait(&f.fix, &f.sender.done, 2);
    assert_int_equal(f.sender.last, DOCA_ERROR_IO_FAILED);
    eth_send(&f.fix, &f.sender, 0, 1514, 2);
    eth_wait(&f.fix, &f.sender.done, 3);
    assert_int_equal(f.sender.last, DOCA_SUCCESS);
    assert_int_equal(f.sender.failed, 2);
    caught(&f.fix, &f.catcher, &len);
    assert_int_equal(len, 1514);
    close_all(&f);
}

/* Ethernet, IPv4 without options, TCP or UDP; sums are nonsense. */
static void make_headers(uint8_t *at, uint8_t proto, uint16_t payload)
{
    uint16_t l4 = proto == 6 ? 20 : 8;

    memset(at, 0, 54);
    memcpy(at, "\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0\x45", 15);
    soft_nic_put16(at + 16, (uint16_t)(20 + l4 + payload));
    soft_nic_put16(at + 18, 100);
    at[22] = 64;
    at[23] = proto;
    soft_nic_put16(at + 24, 0xdead);
    memcpy(at + 26, "\xc0\0\x02\x01\xc0\0\x02\x02", 8);
    soft_nic_put16(at + 34, 1111);
    soft_nic_put16(at + 36, 2222);
    if (proto == 17) {
        soft_nic_put16(at + 38, (uint16_t)(8 + payload));
        soft_nic_put16(at + 40, 0xbeef);
        return;
    }
    soft_nic_put32(at + 38, 1000000);
    at[46] = 0x50;
    at[47] = 0x19; /* FIN, PSH, ACK */
}

static void sums_are_written_where_they_are_asked_for(void **state)
{
    struct soft_nic_packet packet;
    const uint8_t *frame;
    uint32_t len;

    (void)state;
    open_all(&f);
    assert_ok(doca_eth_txq_set_l3_chksum_offload(f.sender.txq, 1));
    assert_ok(doca_eth_txq_set_l4_chksum_offload(f.sender.txq, 1));
    assert_ok(doca_ctx_start(f.sender.ctx));
    make_headers((uint8_t *)f.fix.mem, 17, 100);
    eth_send_buf(&f.sender, eth_buf(&f.fix, 0, 142, 142));
    frame = caught(&f.fix, &f.catcher, &len);
    soft_nic_parse(frame, len, &packet);
    assert_true(soft_nic_l3_is_ok(frame, &packet));
    assert_true(soft_nic_l4_is_ok(frame, &packet));
    assert_int_not_equal(soft_nic_get16(frame + 40), 0xbeef);
    assert_int_equal(soft_nic_get16((uint8_t *)f.fix.mem + 40), 0xbeef); /* only a copy changed */
    close_all(&f);
}

/* ---- large sends ---- */

static struct {
    uint32_t done, failed;
    doca_error_t last;
} lso;

static void lso_done(struct doca_eth_txq_task_lso_send *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct doca_buf *buf;

    (void)task_data;
    (void)ctx_data;
    lso.last = doca_task_get_status(doca_eth_txq_task_lso_send_as_doca_task(task));
    lso.failed += lso.last == DOCA_SUCCESS ? 0 : 1;
    lso.done++;
    assert_ok(doca_eth_txq_task_lso_send_get_pkt_payload(task, &buf));
    doca_task_free(doca_eth_txq_task_lso_send_as_doca_task(task));
    assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static struct doca_eth_txq_task_lso_send *make_lso(struct doca_gather_list *headers, size_t len)
{
    struct doca_eth_txq_task_lso_send *task;

    for (size_t i = 0; i < len; i++)
        f.fix.mem[i] = (char)(i * 13 + i / 256);
    assert_ok(doca_eth_txq_task_lso_send_allocate_init(
        f.sender.txq, eth_buf(&f.fix, 0, len, len), headers, (union doca_data){.u64 = 0}, &task));
    return task;
}

static void open_lso(void)
{
    open_all(&f);
    memset(&lso, 0, sizeof(lso));
    assert_ok(doca_eth_txq_task_lso_send_set_conf(f.sender.txq, lso_done, lso_done, 4));
    assert_ok(doca_eth_txq_set_l3_chksum_offload(f.sender.txq, 1));
    assert_ok(doca_eth_txq_set_l4_chksum_offload(f.sender.txq, 1));
    assert_ok(doca_ctx_start(f.sender.ctx));
}

/* 4000 bytes behind a bare Ethernet header: 1514, 1514 and 1014 bytes, nothing else is changed. */
static void a_large_send_repeats_an_ethernet_header(void **state)
{
    static const uint32_t lens[] = {1514, 1514, 1014};
    uint8_t header[14] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0};
    struct doca_gather_list tail = {.addr = header + 6, .len = 8};
    struct doca_gather_list headers = {.addr = header, .len = 6, .next = &tail};
    uint32_t done = 0, len;

    (void)state;
    open_lso();
    assert_ok(doca_task_submit(doca_eth_txq_task_lso_send_as_doca_task(make_lso(&headers, 4000))));
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t *frame = caught(&f.fix, &f.catcher, &len);

        assert_int_equal(len, lens[i]);
        assert_memory_equal(frame, header, 14);
        assert_memory_equal(frame + 14, f.fix.mem + done, len - 14);
        done += len - 14;
    }
    assert_int_equal(done, 4000);
    eth_wait(&f.fix, &lso.done, 1);
    assert_int_equal(lso.failed, 0);
    close_all(&f);
}

static void a_large_send_of_tcp_is_correct_tcp(void **state)
{
    uint8_t header[54];
    struct doca_gather_list headers = {.addr = header, .len = sizeof(header)};
    struct doca_eth_txq_task_lso_send *task;
    struct soft_nic_packet packet;
    uint32_t len;

    (void)state;
    open_lso();
    make_headers(header, 6, 0);
    task = make_lso(&headers, 5000);
    doca_eth_txq_task_lso_send_set_mss(task, 1400);
    assert_ok(doca_task_submit(doca_eth_txq_task_lso_send_as_doca_task(task)));
    memset(header, 0, sizeof(header)); /* was read at the submission */
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t *frame = caught(&f.fix, &f.catcher, &len);

        soft_nic_parse(frame, len, &packet);
        assert_int_equal(len, 54 + (i < 3 ? 1400 : 800));
        assert_true(soft_nic_l3_is_ok(frame, &packet));
        assert_true(soft_nic_l4_is_ok(frame, &packet));
        assert_int_equal(soft_nic_get32(frame + 38), 1000000 + i * 1400);
        assert_int_equal(soft_nic_get16(frame + 18), 100 + i);
        assert_int_equal(frame[47], i < 3 ? 0x10 : 0x19);
        assert_memory_equal(frame + 54, f.fix.mem + i * 1400, len - 54);
    }
    eth_wait(&f.fix, &lso.done, 1);
    task = make_lso(&headers, 100);
    doca_eth_txq_task_lso_send_set_mss(task, 0);
    assert_ok(doca_task_submit(doca_eth_txq_task_lso_send_as_doca_task(task)));
    eth_wait(&f.fix, &lso.done, 2);
    assert_int_equal(lso.last, DOCA_ERROR_INVALID_VALUE);
    close_all(&f);
}

/* ---- batches ---- */

static struct {
    uint32_t done, failed, tasks;
    doca_error_t status[128];
    bool frees;
} batches;

static void batch_done(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                       union doca_data data, union doca_data *task_data, struct doca_buf **pkts,
                       doca_error_t *status)
{
    (void)ctx_data;
    assert_int_equal(data.u64, 77);
    assert_int_equal(task_data[num - 1].u64, num - 1);
    assert_int_equal(doca_task_batch_get_tasks_num(batch), num);
    assert_ptr_equal(doca_task_batch_get_ctx(batch), f.sender.ctx);
    batches.done++;
    batches.failed += doca_task_batch_get_status(batch) == DOCA_SUCCESS ? 0 : 1;
    batches.tasks += num;
    memcpy(batches.status, status, num * sizeof(*status));
    for (uint16_t i = 0; i < num; i++)
        assert_ok(doca_buf_dec_refcount(pkts[i], NULL));
    doca_task_batch_free(batch);
}

static void submit_batch(uint16_t num, uint32_t first, uint32_t bad)
{
    struct doca_task_batch *batch;
    union doca_data *task_data;
    struct doca_buf **pkts;

    assert_ok(doca_eth_txq_task_batch_send_allocate(f.sender.txq, num, (union doca_data){.u64 = 77},
                                                    &pkts, &task_data, &batch));
    for (uint16_t i = 0; i < num; i++) {
        eth_frame(f.fix.mem + i * PLACE, 1500, first + i);
        pkts[i] = eth_buf(&f.fix, i * PLACE, PLACE, i == bad ? 0 : 1500);
        task_data[i].u64 = i;
    }
    assert_ok(doca_task_batch_submit(batch));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_task_batch_submit(batch));
}

static void a_batch_leaves_in_order_and_is_reported_once(void **state)
{
    struct doca_task_batch *batch;
    union doca_data *task_data;
    struct doca_buf **pkts;
    uint32_t len;

    (void)state;
    open_all(&f);
    memset(&batches, 0, sizeof(batches));
    assert_ok(doca_eth_txq_task_batch_send_set_conf(
        f.sender.txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32, 1, batch_done, batch_done));
    assert_ok(doca_ctx_start(f.sender.ctx));
    submit_batch(32, 0, UINT32_MAX);
    for (uint32_t i = 0; i < 32; i++) {
        const uint8_t *frame = caught(&f.fix, &f.catcher, &len);

        assert_int_equal(len, 1500);
        assert_true(eth_frame_is((const char *)frame, len, i));
    }
    eth_wait(&f.fix, &batches.done, 1);
    assert_int_equal(batches.failed, 0);
    assert_int_equal(batches.tasks, 32);

    submit_batch(5, 100, 2);
    eth_wait(&f.fix, &batches.done, 2);
    assert_int_equal(batches.failed, 1);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(batches.status[i], i == 2 ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS);

    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_eth_txq_task_batch_send_allocate(f.sender.txq, 33, (union doca_data){.u64 = 0},
                                                      &pkts, &task_data, &batch));
    assert_ok(doca_eth_txq_task_batch_send_allocate(f.sender.txq, 2, (union doca_data){.u64 = 0},
                                                    &pkts, &task_data, &batch));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_batch_submit(batch)); /* no packets */
    doca_task_batch_free(batch);
    close_all(&f);
}

static void stop_ends_what_was_not_sent(void **state)
{
    (void)state;
    open_all(&f);
    assert_ok(doca_ctx_start(f.sender.ctx));
    for (uint32_t i = 0; i < 8; i++)
        eth_send(&f.fix, &f.sender, i * PLACE, 64, i);
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(f.sender.ctx));
    eth_wait(&f.fix, &f.sender.done, 8);
    assert_int_equal(f.sender.failed, 8);
    assert_int_equal(f.sender.last, DOCA_ERROR_IO_FAILED);
    close_all(&f);
}

static void more_tasks_can_be_had(void **state)
{
    struct doca_eth_txq_task_send *tasks[6];
    struct doca_buf *buf;

    (void)state;
    open_all(&f);
    assert_ok(doca_eth_txq_task_send_set_conf(f.sender.txq, eth_sent, eth_sent, 2));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_txq_task_send_num_expand(f.sender.txq, 4));
    assert_ok(doca_ctx_start(f.sender.ctx));
    assert_ok(doca_eth_txq_task_send_num_expand(f.sender.txq, 4));
    buf = eth_buf(&f.fix, 0, 64, 64);
    for (int i = 0; i < 6; i++)
        assert_ok(doca_eth_txq_task_send_allocate_init(f.sender.txq, buf,
                                                       (union doca_data){.u64 = 0}, &tasks[i]));
    for (int i = 0; i < 6; i++)
        doca_task_free(doca_eth_txq_task_send_as_doca_task(tasks[i]));
    assert_ok(doca_buf_dec_refcount(buf, NULL));
    assert_doca(DOCA_ERROR_TOO_BIG, doca_eth_txq_task_send_num_expand(f.sender.txq, 1u << 21));
    close_all(&f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_leaves_as_it_is_and_short_ones_are_padded),
        cmocka_unit_test(a_list_leaves_as_one_frame),
        cmocka_unit_test(frames_that_cannot_be_sent_fail_alone),
        cmocka_unit_test(sums_are_written_where_they_are_asked_for),
        cmocka_unit_test(a_large_send_repeats_an_ethernet_header),
        cmocka_unit_test(a_large_send_of_tcp_is_correct_tcp),
        cmocka_unit_test(a_batch_leaves_in_order_and_is_reported_once),
        cmocka_unit_test(stop_ends_what_was_not_sent),
        cmocka_unit_test(more_tasks_can_be_had),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues of kernels as the CPU sees them: states and answers, doorbells by way of the CPU, events,
 * times, and orders of the end. */

#include "lib/gpu_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include <doca_flow.h>

#include "core/core_priv.h"
#include "soft/nic/nic.h"

#define STRIDE 2048u
#define DEPTH  64u

struct count {
    uint32_t notified, failed;
    uint16_t position;
    uint64_t time;
};

static void on_notify(struct doca_eth_txq_gpu_event_notify_send_packet *event, union doca_data data)
{
    struct count *count = data.ptr;
    uint16_t position;

    assert_ok(doca_eth_txq_gpu_event_notify_send_packet_get_position(event, &position));
    assert_ok(doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(event, &count->time));
    count->position = position;
    count->notified++;
}

static void on_error(struct doca_eth_txq_gpu_event_error_send_packet *event, union doca_data data)
{
    struct count *count = data.ptr;

    assert_ok(doca_eth_txq_gpu_event_error_send_packet_get_position(event, &count->position));
    count->failed++;
}

static void progress_until(struct gpu_fix *fix, const uint32_t *value, uint32_t wanted)
{
    struct patience patience = patience_of(GPU_WAIT_SECONDS);

    while (*value < wanted && patience_lasts(&patience))
        doca_pe_progress(fix->pe);
    assert_int_equal(*value, wanted);
}

static void wait_for_word(const uint64_t *word, uint64_t wanted)
{
    struct patience patience = patience_of(GPU_WAIT_SECONDS);

    while (opendoca_gpu_observe(word) != wanted && patience_lasts(&patience))
        sched_yield();
    assert_int_equal(opendoca_gpu_observe(word), wanted);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- receive queues: what is refused ---- */

static void receive_queues_say_what_is_missing(void **state)
{
    struct doca_gpu_eth_rxq *handle;
    struct gpu_memory memory;
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    struct gpu_fix fix;

    (void)state;
    gpu_fix_open(&fix);
    gpu_memory_open(&fix, fix.b, 16 * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU, &memory);
    assert_ok(doca_eth_rxq_create(fix.b, 9, STRIDE, &rxq));
    ctx = doca_eth_rxq_as_doca_ctx(rxq);
    assert_doca(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(ctx));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_gpu(ctx, NULL));
    assert_ok(doca_ctx_set_datapath_on_gpu(ctx, fix.gpu));
    assert_doca(DOCA_ERROR_IN_USE, doca_gpu_destroy(fix.gpu));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(ctx)); /* REGULAR */
    assert_ok(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(ctx)); /* no packets */
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_rxq_get_gpu_handle(rxq, &handle));
    assert_ok(doca_eth_rxq_set_pkt_buf(rxq, memory.map, 0, 16 * STRIDE - 1));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(ctx)); /* 9 are 16 */
    assert_ok(doca_eth_rxq_set_pkt_buf(rxq, memory.map, 0, 16 * STRIDE));
    assert_ok(doca_eth_rxq_set_timestamp(rxq, 1));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(ctx));
    assert_ok(doca_eth_rxq_set_timestamp(rxq, 0));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_eth_rxq_gpu_cpu_proxy_progress(rxq));
    assert_ok(doca_eth_rxq_gpu_enable_mcst_qp(rxq));
    assert_ok(doca_eth_rxq_gpu_set_rq_mem_type(rxq, DOCA_GPU_MEM_TYPE_CPU_GPU));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_eth_rxq_gpu_set_rq_mem_type(rxq, (enum doca_gpu_mem_type)3));
    assert_ok(doca_eth_rxq_gpu_set_uar_on_cpu(rxq));
    assert_ok(doca_ctx_start(ctx));
    assert_ok(doca_eth_rxq_get_gpu_handle(rxq, &handle));
    assert_true(handle->need_mcst);
    assert_ok(doca_eth_rxq_gpu_cpu_proxy_progress(rxq));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_set_datapath_on_gpu(ctx, fix.gpu));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_rxq_gpu_enable_mcst_qp(rxq));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_rxq_destroy(rxq));
    assert_ok(doca_ctx_stop(ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_rxq_get_gpu_handle(rxq, &handle));
    assert_ok(doca_eth_rxq_destroy(rxq));
    gpu_memory_close(&fix, &memory);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_eth_rxq_get_gpu_handle(NULL, &handle));
    gpu_fix_close(&fix);
}

/* GR-1: the memory that was estimated is enough, aligned to a page; GR-2: it is found by its
 * address. */
static void estimated_memory_is_enough(void **state)
{
    struct gpu_fix fix;
    struct gpu_rx rx;
    uint32_t size;
    int fd;

    (void)state;
    gpu_fix_open(&fix);
    assert_ok(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, 2048, 16384, 0,
                                                    0, 0, &size));
    assert_int_equal(size, 33554432);
    gpu_rx_open(&fix, fix.b, 16384, 2048, &rx);
    assert_int_equal(rx.handle->pkt_num, 16384);
    assert_ptr_equal(rx.handle->pkt_addr, rx.memory.gpu);
    assert_int_equal((uintptr_t)rx.memory.gpu % 4096, 0);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_gpu_dmabuf_fd(fix.gpu, rx.memory.gpu, size, &fd));
    gpu_rx_close(&fix, &rx);
    gpu_fix_close(&fix);
}

#define RING 16384u
#define MORE 3000u

/* GR-7: what is not read stays, as many as there are slots; GR-6: where they lie, around the end.
 */
static void a_large_ring_that_is_not_read_keeps_its_size(void **state)
{
    struct gpu_memory frames;
    struct gpu_fix fix;
    struct gpu_tx tx;
    struct gpu_rx rx;

    (void)state;
    gpu_fix_open(&fix);
    gpu_memory_open(&fix, fix.a, (RING + 2 * MORE) * 64, DOCA_GPU_MEM_TYPE_CPU_GPU, &frames);
    gpu_rx_open(&fix, fix.b, RING, 2048, &rx);
    gpu_tx_open(&fix, fix.a, 8192, &tx);
    for (uint32_t n = 0; n < RING + 2 * MORE; n++)
        eth_frame(frames.cpu + n * 64, 64, n);
    for (uint32_t n = 0; n < RING + MORE; n++)
        gpu_tx_send(&tx, frames.gpu + n * 64, frames.key_be, 64, 0);
    wait_for_word(&gpu_rx_words(&rx)->dropped, MORE);
    assert_int_equal(opendoca_gpu_peek(&gpu_rx_words(&rx)->stored), RING);
    for (uint32_t n = 0; n < RING; n++) {
        assert_ptr_equal(gpu_rx_packet(&rx), rx.memory.gpu + n * 2048);
        gpu_rx_expect(&rx, 64, n);
    }
    assert_null(gpu_rx_look(&rx));
    for (uint32_t n = 0; n < MORE; n++)
        gpu_tx_send(&tx, frames.gpu + (RING + MORE + n) * 64, frames.key_be, 64, 0);
    for (uint32_t n = 0; n < MORE; n++) {
        gpu_rx_wait(&rx);
        assert_ptr_equal(gpu_rx_packet(&rx), rx.memory.gpu + n * 2048);
        gpu_rx_expect(&rx, 64, RING + MORE + n);
    }
    assert_int_equal(opendoca_gpu_peek(&gpu_rx_words(&rx)->dropped), MORE);
    gpu_tx_close(&tx);
    gpu_rx_close(&fix, &rx);
    gpu_memory_close(&fix, &frames);
    gpu_fix_close(&fix);
}

static void ids_are_one_queues_each(void **state)
{
    struct gpu_rx one, other;
    struct gpu_fix fix;
    uint32_t a, b;

    (void)state;
    gpu_fix_open(&fix);
    gpu_rx_open(&fix, fix.b, 16, STRIDE, &one);
    gpu_rx_open(&fix, fix.b, 16, STRIDE, &other);
    assert_ok(doca_eth_rxq_apply_queue_id(one.rxq, 5));
    assert_doca(DOCA_ERROR_ALREADY_EXIST, doca_eth_rxq_apply_queue_id(other.rxq, 5));
    assert_ok(doca_eth_rxq_apply_queue_id(other.rxq, 6));
    assert_ok(doca_eth_rxq_get_hw_queue_num(one.rxq, &a));
    assert_ok(doca_eth_rxq_get_hw_queue_num(other.rxq, &b));
    assert_int_not_equal(a, b);
    gpu_rx_close(&fix, &one);
    gpu_rx_close(&fix, &other);
    gpu_fix_close(&fix);
}

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = -2; /* . and .. */

    assert_non_null(tasks);
    while (readdir(tasks) != NULL)
        n++;
    closedir(tasks);
    return n;
}

/* One of a port for whoever sleeps, and as many as the devices file says for kernels. */
static void ports_have_the_threads_that_were_asked_for(void **state)
{
    struct gpu_fix fix;
    struct gpu_rx rx;
    int before, wanted;

    (void)state;
    gpu_fix_open(&fix);
    wanted = 1 + (int)OD_MAX(fix.b->info.soft->engine.threads, 1u);
    before = count_threads();
    gpu_rx_open(&fix, fix.b, 16, STRIDE, &rx);
    assert_int_equal(count_threads() - before, wanted);
    gpu_rx_close(&fix, &rx);
    assert_int_equal(count_threads(), before);
    gpu_fix_close(&fix);
}

/* Bytes that are there, not only reserved. */
static size_t bytes_in_memory(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    size_t all, there;

    assert_non_null(statm);
    assert_int_equal(fscanf(statm, "%zu %zu", &all, &there), 2);
    fclose(statm);
    return there * (size_t)sysconf(_SC_PAGESIZE);
}

#define LARGE 8

/* GP-1: the queues of packet processing start on one device, and nothing of their gigabytes is
 * touched before packets come. */
static void large_rings_start(void **state)
{
    struct gpu_rx rx[LARGE + 1];
    struct gpu_tx tx[LARGE / 2 + 1];
    struct gpu_fix fix;
    size_t before;

    (void)state;
    gpu_fix_open(&fix);
    before = bytes_in_memory();
    for (int i = 0; i < LARGE; i++) {
        gpu_rx_open(&fix, fix.b, 65536, 8192, &rx[i]);
        assert_int_equal(rx[i].handle->pkt_num, 65536);
    }
    gpu_rx_open(&fix, fix.b, 16384, 512, &rx[LARGE]);
    for (int i = 0; i <= LARGE / 2; i++)
        gpu_tx_open(&fix, fix.b, 8192, &tx[i]);
    /* Records of packets and sends, and some of a sanitizer. */
    assert_true(bytes_in_memory() < before + ((size_t)512 << 20));
    for (int i = 0; i <= LARGE / 2; i++)
        gpu_tx_close(&tx[i]);
    for (int i = 0; i <= LARGE; i++)
        gpu_rx_close(&fix, &rx[i]);
    gpu_fix_close(&fix);
}

/* ---- send queues ---- */

static void send_queues_are_rounded_up(void **state)
{
    static const uint32_t asked[] = {1, 64, 65, 8192, 32768}, given[] = {64, 64, 128, 8192, 32768};
    struct doca_eth_txq *txq;
    struct gpu_fix fix;
    struct gpu_tx tx;
    uint64_t value;

    (void)state;
    gpu_fix_open(&fix);
    for (int i = 0; i < 5; i++) {
        gpu_tx_open(&fix, fix.a, asked[i], &tx);
        assert_int_equal(tx.handle->wqe_mask + 1, given[i]);
        assert_int_equal(tx.handle->cqe_num, given[i]);
        assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_eth_txq_calculate_timestamp(tx.txq, 1, &value));
        assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_eth_txq_gpu_cpu_proxy_progress(tx.txq));
        assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_txq_gpu_set_completion_on_gpu(tx.txq));
        gpu_tx_close(&tx);
    }
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_eth_txq_create(fix.a, 32769, &txq));
    gpu_fix_close(&fix);
}

/* GS-4 */
static void nothing_leaves_before_the_cpu_looks(void **state)
{
    struct soft_nic_port *port;
    struct gpu_memory frames;
    struct gpu_fix fix;
    struct gpu_tx tx;
    struct gpu_rx rx;

    (void)state;
    gpu_fix_open(&fix);
    gpu_memory_open(&fix, fix.a, STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU, &frames);
    gpu_rx_open(&fix, fix.b, 16, STRIDE, &rx);
    gpu_tx_create(&fix, fix.a, DEPTH, &tx);
    assert_ok(doca_eth_txq_gpu_set_completion_on_gpu(tx.txq));
    assert_ok(doca_eth_txq_gpu_set_uar_on_cpu(tx.txq));
    gpu_tx_start(&tx);
    assert_int_equal(soft_nic_port_hold(fix.a->info.soft, &port), 0);
    assert_int_equal(tx.handle->nic_handler, DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY);
    for (uint32_t n = 0; n < 3; n++) {
        eth_frame(frames.cpu, 64, n);
        gpu_tx_send(&tx, frames.gpu, frames.key_be, 64, 0);
        for (int i = 0; i < 1000; i++)
            sched_yield();
        assert_int_equal(opendoca_gpu_observe(&gpu_tx_words(&tx)->taken), n);
        assert_int_equal(opendoca_gpu_observe(&gpu_tx_words(&tx)->doorbell), n);
        assert_ok(doca_eth_txq_gpu_cpu_proxy_progress(tx.txq));
        gpu_rx_expect(&rx, 64, n);
        /* Nothing to ring: counted with the next one. */
        assert_int_equal(soft_nic_count(soft_nic_port_counters(port), SOFT_NIC_TX_PROXY_CALLS),
                         1 + 2 * n);
        assert_ok(doca_eth_txq_gpu_cpu_proxy_progress(tx.txq));
    }
    assert_ok(doca_ctx_stop(tx.ctx));
    assert_int_equal(soft_nic_count(soft_nic_port_counters(port), SOFT_NIC_TX_PROXY_CALLS), 6);
    soft_nic_port_release(port);
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_txq_gpu_cpu_proxy_progress(tx.txq));
    assert_ok(doca_eth_txq_destroy(tx.txq));
    gpu_rx_close(&fix, &rx);
    gpu_memory_close(&fix, &frames);
    gpu_fix_close(&fix);
}

static void open_with_events(struct gpu_fix *fix, struct gpu_tx *tx, struct count *count)
{
    const union doca_data data = {.ptr = count};

    gpu_tx_create(fix, fix->a, DEPTH, tx);
    assert_ok(doca_eth_txq_gpu_event_notify_send_packet_register(tx->txq, on_notify, data));
    assert_ok(doca_eth_txq_gpu_event_error_send_packet_register(tx->txq, on_error, data));
    assert_ok(doca_pe_connect_ctx(fix->pe, tx->ctx));
    gpu_tx_start(tx);
    assert_int_equal(tx->handle->opendoca.flags & OPENDOCA_GPU_TXQ_COMPLETES, 0);
}

static void what_was_sent_becomes_events(void **state)
{
    struct gpu_memory frames;
    struct count count = {0};
    uint64_t before = now_ns();
    struct gpu_fix fix;
    struct gpu_tx tx;

    (void)state;
    gpu_fix_open(&fix);
    gpu_memory_open(&fix, fix.a, STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU, &frames);
    open_with_events(&fix, &tx, &count);
    for (uint32_t n = 0; n < 300; n++) { /* around the ring of records */
        gpu_tx_send(&tx, frames.gpu, frames.key_be, 64, n % 3 == 0 ? OPENDOCA_GPU_SLOT_NOTIFY : 0);
        if (n % 3 == 0) {
            progress_until(&fix, &count.notified, n / 3 + 1);
            assert_int_equal(count.position, n);
            assert_true(count.time >= before && count.time <= now_ns());
        }
    }
    gpu_tx_send(&tx, frames.gpu, 0, 64, 0);
    progress_until(&fix, &count.failed, 1);
    assert_int_equal(count.position, 300);
    assert_int_equal(count.notified, 100);
    gpu_tx_close(&tx);
    gpu_memory_close(&fix, &frames);
    gpu_fix_close(&fix);
}

static void oldest_events_are_lost(void **state)
{
    struct gpu_memory frames;
    struct count count = {0};
    struct gpu_fix fix;
    struct gpu_tx tx;

    (void)state;
    gpu_fix_open(&fix);
    gpu_memory_open(&fix, fix.a, STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU, &frames);
    open_with_events(&fix, &tx, &count);
    for (uint32_t n = 0; n < 200; n++)
        gpu_tx_send(&tx, frames.gpu, frames.key_be, 64, OPENDOCA_GPU_SLOT_NOTIFY);
    wait_for_word(&gpu_tx_words(&tx)->completed, 200);
    progress_until(&fix, &count.notified, DEPTH);
    assert_int_equal(count.position, 199);
    assert_int_equal(doca_pe_progress(fix.pe), 0);
    gpu_tx_close(&tx);
    gpu_memory_close(&fix, &frames);
    gpu_fix_close(&fix);
}

/* GW-2, GW-3: never early; what is behind waits, other queues do not. */
static void waiting_slots_hold_the_queue(void **state)
{
    struct gpu_memory frames;
    struct gpu_tx tx, other;
    struct gpu_fix fix;
    struct gpu_rx rx;
    uint64_t value, time, at;
    uint16_t index;

    (void)state;
    gpu_fix_open(&fix);
    gpu_memory_open(&fix, fix.a, 4 * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU, &frames);
    gpu_rx_open(&fix, fix.b, 16, STRIDE, &rx);
    gpu_tx_create(&fix, fix.a, DEPTH, &tx);
    assert_ok(doca_eth_txq_gpu_set_completion_on_gpu(tx.txq));
    assert_ok(doca_eth_txq_set_wait_on_time_offload(tx.txq));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_eth_txq_calculate_timestamp(tx.txq, 1, &value));
    gpu_tx_start(&tx);
    gpu_tx_open(&fix, fix.a, DEPTH, &other);
    for (uint32_t n = 0; n < 4; n++)
        eth_frame(frames.cpu + n * STRIDE, 64, n);
    time = now_ns() + 300000000;
    assert_ok(doca_eth_txq_calculate_timestamp(tx.txq, time, &value));
    at = gpu_tx_reserve(&tx, 1);
    gpu_tx_control(&tx, at, OPENDOCA_GPU_SLOT_WAIT, 0, 0, value);
    gpu_tx_put(&tx, frames.gpu, frames.key_be, 64, 0);
    gpu_tx_put(&tx, frames.gpu + STRIDE, frames.key_be, 64, OPENDOCA_GPU_SLOT_NOTIFY);
    gpu_tx_ring(&tx);
    gpu_tx_send(&other, frames.gpu + 2 * STRIDE, frames.key_be, 64, 0);
    /* That of the other queue comes first, unless this thread was held for so long. */
    for (uint32_t i = 0, n = 0; i < 3; i++) {
        const struct opendoca_gpu_cqe *cqe = gpu_rx_wait(&rx);

        if (eth_frame_number(gpu_rx_packet(&rx)) == 2) {
            gpu_rx_expect(&rx, 64, 2);
            continue;
        }
        assert_true(opendoca_gpu_time_from_be(cqe->time_be) >= time);
        gpu_rx_expect(&rx, 64, n++);
    }
    assert_int_equal(gpu_tx_complete(&tx, &index), 0);
    assert_int_equal(index, 2); /* the wait itself asked for none */
    /* A time that is over holds nobody. */
    at = gpu_tx_reserve(&tx, 1);
    gpu_tx_control(&tx, at, OPENDOCA_GPU_SLOT_WAIT, 0, OPENDOCA_GPU_SLOT_NOTIFY, value);
    gpu_tx_ring(&tx);
    assert_int_equal(gpu_tx_complete(&tx, &index), 0);
    assert_int_equal(index, 3);
    /* One that never comes does not hold the stop. */
    at = gpu_tx_reserve(&tx, 1);
    gpu_tx_control(&tx, at, OPENDOCA_GPU_SLOT_WAIT, 0, 0,
                   opendoca_gpu_time_to_be(now_ns() + 1000000000000u));
    gpu_tx_ring(&tx);
    gpu_tx_close(&tx);
    gpu_tx_close(&other);
    gpu_rx_close(&fix, &rx);
    gpu_memory_close(&fix, &frames);
    gpu_fix_close(&fix);
}

/* The memory of frames and rings may go at any time; a stopped queue's handle says that it is. */
static void ends_in_any_order(void **state)
{
    struct gpu_memory frames;
    struct gpu_fix fix;
    struct gpu_tx tx;
    struct gpu_rx rx;
    uint16_t index;

    (void)state;
    gpu_fix_open(&fix);
    gpu_memory_open(&fix, fix.a, STRIDE, DOCA_GPU_MEM_TYPE_GPU, &frames);
    gpu_rx_open(&fix, fix.b, 16, STRIDE, &rx);
    gpu_tx_open(&fix, fix.a, DEPTH, &tx);
    assert_ok(doca_gpu_mem_free(fix.gpu, frames.gpu)); /* its map holds it */
    assert_ok(doca_gpu_mem_free(fix.gpu, rx.memory.gpu));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_gpu_mem_free(fix.gpu, frames.gpu));
    eth_frame(frames.gpu, 64, 1);
    gpu_tx_send(&tx, frames.gpu, frames.key_be, 64, 0);
    gpu_rx_expect(&rx, 64, 1);
    assert_ok(doca_mmap_destroy(frames.map)); /* started */
    gpu_tx_send(&tx, frames.gpu, frames.key_be, 64, 0);
    assert_int_equal(gpu_tx_complete(&tx, &index), OPENDOCA_GPU_SYNDROME_KEY);
    assert_ok(doca_mmap_destroy(rx.memory.map));
    assert_ok(doca_ctx_stop(rx.ctx));
    assert_ok(doca_ctx_stop(tx.ctx));
    assert_int_equal(rx.handle->opendoca.magic, OPENDOCA_GPU_GONE_MAGIC);
    assert_int_equal(gpu_rx_words(&rx)->state, OPENDOCA_GPU_QUEUE_STOPPED);
    assert_int_equal(tx.handle->opendoca.magic, OPENDOCA_GPU_GONE_MAGIC);
    assert_int_equal(gpu_tx_words(&tx)->state, OPENDOCA_GPU_QUEUE_STOPPED);
    assert_ok(doca_eth_rxq_destroy(rx.rxq));
    assert_ok(doca_eth_txq_destroy(tx.txq));
    gpu_fix_close(&fix);
}

/* IPv4 of that protocol in a frame. */
static void make_ip(char *frame, uint32_t len, uint8_t protocol)
{
    const uint8_t head[20] = {
        0x45, 0, 0, (uint8_t)(len - 14), 0, 1, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};

    frame[12] = 8;
    frame[13] = 0;
    memcpy(frame + 14, head, sizeof(head));
    if (protocol == 6)
        frame[46] = 0x50; /* a head of TCP is 20 bytes long */
}

/* All UDP to that queue. */
static struct doca_flow_port *steer_to(struct doca_dev *dev, struct doca_eth_rxq *rxq,
                                       struct doca_flow_pipe **pipe)
{
    const struct doca_flow_match udp = {.parser_meta = {.outer_l3_type = DOCA_FLOW_L3_META_IPV4,
                                                        .outer_l4_type = DOCA_FLOW_L4_META_UDP}};
    uint16_t id = 0;
    const struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                      .rss = {.queues_array = &id, .nr_queues = 1}};
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_pipe_cfg *pipe_cfg;
    struct doca_flow_cfg *cfg;
    struct doca_flow_port *port;

    assert_ok(doca_eth_rxq_apply_queue_id(rxq, id));
    assert_ok(doca_flow_cfg_create(&cfg));
    assert_ok(doca_flow_cfg_set_mode_args(cfg, "vnf,isolated"));
    assert_ok(doca_flow_init(cfg));
    assert_ok(doca_flow_cfg_destroy(cfg));
    assert_ok(doca_flow_port_cfg_create(&port_cfg));
    assert_ok(doca_flow_port_cfg_set_port_id(port_cfg, 0));
    assert_ok(doca_flow_port_cfg_set_dev(port_cfg, dev));
    assert_ok(doca_flow_port_start(port_cfg, &port));
    assert_ok(doca_flow_port_cfg_destroy(port_cfg));
    assert_ok(doca_flow_pipe_cfg_create(&pipe_cfg, port));
    assert_ok(doca_flow_pipe_cfg_set_is_root(pipe_cfg, true));
    assert_ok(doca_flow_pipe_cfg_set_match(pipe_cfg, &udp, NULL));
    assert_ok(doca_flow_pipe_create(pipe_cfg, &fwd, NULL, pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(pipe_cfg));
    assert_ok(doca_flow_pipe_basic_add_entry(0, *pipe, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL));
    return port;
}

/* GR-5: what is no UDP does not reach the queue. GR-8: the end, with memory before its queue, a map
 * that is started, the device before Flow. */
static void receivers_of_udp(void **state)
{
    struct doca_flow_port *port;
    struct doca_flow_pipe *pipe;
    struct gpu_memory frames;
    struct gpu_fix fix;
    struct gpu_tx tx;
    struct gpu_rx rx;

    (void)state;
    gpu_fix_open(&fix);
    gpu_memory_open(&fix, fix.a, DEPTH * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU, &frames);
    gpu_rx_open(&fix, fix.b, 64, STRIDE, &rx);
    gpu_tx_open(&fix, fix.a, DEPTH, &tx);
    port = steer_to(fix.b, rx.rxq, &pipe);
    for (uint32_t n = 0; n < 40; n++) {
        char *at = frames.cpu + n * STRIDE;

        eth_frame(at, 100, n);
        /* In turn: UDP, TCP, not of IP. The last one is UDP. */
        if (n % 3 < 2)
            make_ip(at, 100, n % 3 == 0 ? 17 : 6);
        gpu_tx_send(&tx, at - frames.cpu + frames.gpu, frames.key_be, 100, 0);
    }
    for (uint32_t n = 0; n < 40; n += 3) {
        assert_int_equal(opendoca_gpu_swap32(gpu_rx_wait(&rx)->bytes_be), 100);
        assert_memory_equal(gpu_rx_packet(&rx), frames.cpu + n * STRIDE, 100);
        gpu_rx_done(&rx);
    }
    assert_null(gpu_rx_look(&rx));
    gpu_tx_close(&tx);
    gpu_memory_close(&fix, &frames);
    doca_flow_pipe_destroy(pipe);
    assert_ok(doca_flow_port_stop(port));
    gpu_rx_close(&fix, &rx);
    gpu_fix_close(&fix);
    doca_flow_destroy();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive_queues_say_what_is_missing),
        cmocka_unit_test(estimated_memory_is_enough),
        cmocka_unit_test(a_large_ring_that_is_not_read_keeps_its_size),
        cmocka_unit_test(ids_are_one_queues_each),
        cmocka_unit_test(ports_have_the_threads_that_were_asked_for),
        cmocka_unit_test(large_rings_start),
        cmocka_unit_test(send_queues_are_rounded_up),
        cmocka_unit_test(nothing_leaves_before_the_cpu_looks),
        cmocka_unit_test(what_was_sent_becomes_events),
        cmocka_unit_test(oldest_events_are_lost),
        cmocka_unit_test(waiting_slots_hold_the_queue),
        cmocka_unit_test(ends_in_any_order),
        cmocka_unit_test(receivers_of_udp),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    setenv("OPENDOCA_GPU", "simt", 1);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings of kernels, with the test in the place of the kernel. */

#include "lib/gpu_fixture.h"

#define STRIDE 2048u
#define DEPTH  64u

struct pair {
    struct gpu_fix fix;
    struct gpu_tx tx;         /* on A */
    struct gpu_rx rx;         /* on B */
    struct gpu_memory frames; /* to send from */
};

static void pair_open(struct pair *pair, uint32_t rx_slots)
{
    gpu_fix_open(&pair->fix);
    gpu_memory_open(&pair->fix, pair->fix.a, DEPTH * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU,
                    &pair->frames);
    gpu_rx_open(&pair->fix, pair->fix.b, rx_slots, STRIDE, &pair->rx);
    gpu_tx_open(&pair->fix, pair->fix.a, DEPTH, &pair->tx);
}

static void pair_close(struct pair *pair)
{
    gpu_tx_close(&pair->tx);
    gpu_rx_close(&pair->fix, &pair->rx);
    gpu_memory_close(&pair->fix, &pair->frames);
    gpu_fix_close(&pair->fix);
}

/* Frame `number` at its place of the memory, sent. */
static void send_frame(struct pair *pair, uint32_t number, uint32_t len, unsigned int flags)
{
    size_t place = number % DEPTH * STRIDE;
    uint64_t index = gpu_tx_reserve(&pair->tx, 1);

    eth_frame(pair->frames.cpu + place, len, number);
    gpu_tx_control(&pair->tx, index, OPENDOCA_GPU_SLOT_SEND, 1, flags, 0);
    gpu_tx_seg(&pair->tx, index, 0, pair->frames.gpu + place, pair->frames.key_be, len);
    gpu_tx_ring(&pair->tx);
}

static void wait_for_count(const uint64_t *word, uint64_t wanted)
{
    struct patience patience = patience_of(GPU_WAIT_SECONDS);

    while (opendoca_gpu_peek(word) < wanted && patience_lasts(&patience))
        sched_yield();
    assert_int_equal(opendoca_gpu_peek(word), wanted);
}

/* ---- */

static void handles_have_the_promised_geometry(void **state)
{
    struct doca_gpu_eth_rxq *again;
    struct pair pair;

    (void)state;
    pair_open(&pair, 100);
    assert_int_equal(pair.rx.handle->pkt_num, 128);
    assert_int_equal(pair.rx.handle->max_pkt_sz, STRIDE);
    assert_int_equal(pair.rx.handle->wqe_num * pair.rx.handle->wqe_strides_num, 128);
    assert_int_equal(pair.rx.handle->cqe_num, 128);
    assert_int_equal(pair.rx.handle->striding_rq, 0);
    assert_ptr_equal(pair.rx.handle->pkt_addr, pair.rx.memory.gpu);
    assert_int_equal(pair.rx.handle->pkt_mkey, pair.rx.memory.key_be);
    assert_ok(doca_eth_rxq_get_gpu_handle(pair.rx.rxq, &again));
    assert_ptr_equal(again, pair.rx.handle);
    assert_int_equal(pair.tx.handle->wqe_mask + 1, DEPTH);
    assert_int_equal(pair.tx.handle->wqe_pi, 0);
    assert_int_equal(pair.tx.handle->cqe_ci, 0);
    assert_int_equal(pair.tx.handle->cqe_num, DEPTH);
    pair_close(&pair);
}

static void frames_come_in_order_with_length_and_time(void **state)
{
    struct timespec now;
    uint64_t before, last;
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    clock_gettime(CLOCK_REALTIME, &now);
    last = before = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - 1000000000u;
    for (uint32_t n = 0; n < 50; n++) { /* around the ring three times */
        const struct opendoca_gpu_cqe *cqe;
        uint64_t time;

        send_frame(&pair, n, 60 + n, 0);
        cqe = gpu_rx_wait(&pair.rx);
        time = opendoca_gpu_time_from_be(cqe->time_be);
        assert_true(time >= last && time < before + 60000000000u);
        last = time;
        assert_int_equal(opendoca_gpu_swap16(cqe->slot_be), n);
        assert_ptr_equal(gpu_rx_packet(&pair.rx), pair.rx.memory.gpu + n % 16 * STRIDE);
        gpu_rx_expect(&pair.rx, 60 + n, n);
    }
    pair_close(&pair);
}

/* Large enough that a port may receive right into it. */
static void large_rings_go_round_as_well(void **state)
{
    struct pair pair;

    (void)state;
    pair_open(&pair, 512);
    for (uint32_t n = 0; n < 1200; n++) {
        send_frame(&pair, n, 60 + n % 1000, 0);
        gpu_rx_wait(&pair.rx);
        assert_ptr_equal(gpu_rx_packet(&pair.rx), pair.rx.memory.gpu + n % 512 * STRIDE);
        gpu_rx_expect(&pair.rx, 60 + n % 1000, n);
    }
    pair_close(&pair);
}

/* GR-7 */
static void unread_ring_keeps_its_size_and_counts_the_rest(void **state)
{
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    for (uint32_t n = 0; n < 40; n++)
        send_frame(&pair, n, 64, 0);
    wait_for_count(&gpu_rx_words(&pair.rx)->dropped, 24);
    assert_int_equal(opendoca_gpu_peek(&gpu_rx_words(&pair.rx)->stored), 16);
    for (uint32_t n = 0; n < 16; n++)
        gpu_rx_expect(&pair.rx, 64, n);
    assert_null(gpu_rx_look(&pair.rx));
    for (uint32_t n = 40; n < 50; n++) {
        send_frame(&pair, n, 64, 0);
        gpu_rx_expect(&pair.rx, 64, n);
    }
    assert_int_equal(opendoca_gpu_peek(&gpu_rx_words(&pair.rx)->dropped), 24);
    pair_close(&pair);
}

/* A kernel may write any number there: no frame is stored behind what there is. */
static void nonsense_in_the_posted_word_stores_nothing(void **state)
{
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    opendoca_gpu_publish(&gpu_rx_words(&pair.rx)->posted, 0x123456789abcdefu);
    send_frame(&pair, 0, 64, 0);
    wait_for_count(&gpu_rx_words(&pair.rx)->dropped, 1);
    opendoca_gpu_publish(&gpu_rx_words(&pair.rx)->posted, 16);
    send_frame(&pair, 1, 64, 0);
    gpu_rx_expect(&pair.rx, 64, 1);
    pair_close(&pair);
}

static void frames_longer_than_a_slot_are_dropped(void **state)
{
    struct gpu_rx small;
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    gpu_rx_close(&pair.fix, &pair.rx);
    gpu_rx_open(&pair.fix, pair.fix.b, 16, 128, &small);
    send_frame(&pair, 0, 129, 0);
    send_frame(&pair, 1, 128, 0);
    gpu_rx_expect(&small, 128, 1);
    assert_int_equal(opendoca_gpu_peek(&gpu_rx_words(&small)->dropped), 0);
    gpu_rx_close(&pair.fix, &small);
    gpu_rx_open(&pair.fix, pair.fix.b, 16, STRIDE, &pair.rx);
    pair_close(&pair);
}

static void completions_are_of_notified_slots_in_order(void **state)
{
    uint16_t index;
    struct pair pair;

    (void)state;
    pair_open(&pair, 256);
    for (uint32_t n = 0; n < 200; n++) { /* around the ring, whose owner bit changes */
        send_frame(&pair, n, 64, n % 4 == 3 ? OPENDOCA_GPU_SLOT_NOTIFY : 0);
        if (n % 4 == 3) {
            assert_int_equal(gpu_tx_complete(&pair.tx, &index), 0);
            assert_int_equal(index, n);
        }
    }
    for (uint32_t n = 0; n < 200; n++)
        gpu_rx_expect(&pair.rx, 64, n);
    wait_for_count(&gpu_tx_words(&pair.tx)->completed, 50); /* the last record is there before it */
    pair_close(&pair);
}

static void send_and_expect(struct pair *pair, uint32_t number)
{
    uint16_t index;

    send_frame(pair, number, 64, OPENDOCA_GPU_SLOT_NOTIFY);
    assert_int_equal(gpu_tx_complete(&pair->tx, &index), 0);
    gpu_rx_expect(&pair->rx, 64, number);
}

static void bad_memory_fails_and_the_queue_lives_on(void **state)
{
    struct gpu_memory other;
    uint16_t index;
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    gpu_memory_open(&pair.fix, pair.fix.b, 4096, DOCA_GPU_MEM_TYPE_GPU, &other);
    /* An unknown key, none, that of another map, that of another device, memory behind the end, and
     * around the end of the address space. */
    gpu_tx_send(&pair.tx, pair.frames.gpu, pair.frames.key_be ^ 0x01000000u, 64, 0);
    gpu_tx_send(&pair.tx, pair.frames.gpu, 0, 64, 0);
    gpu_tx_send(&pair.tx, pair.frames.gpu, 0xffffffffu, 64, 0);
    gpu_tx_send(&pair.tx, pair.frames.gpu, other.key_be, 64, 0);
    gpu_tx_send(&pair.tx, other.gpu, other.key_be, 64, 0);
    gpu_tx_send(&pair.tx, pair.frames.gpu + DEPTH * STRIDE - 63, pair.frames.key_be, 64, 0);
    gpu_tx_send(&pair.tx, pair.frames.gpu - 1, pair.frames.key_be, 64, 0);
    gpu_tx_send(&pair.tx, (void *)(UINTPTR_MAX - 31), pair.frames.key_be, 64, 0);
    for (uint32_t n = 0; n < 8; n++) {
        assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_KEY);
        assert_int_equal(index, n);
    }
    send_and_expect(&pair, 7);
    /* A key ends with its map. */
    assert_ok(doca_mmap_stop(pair.frames.map));
    send_frame(&pair, 8, 64, 0);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_KEY);
    assert_ok(doca_mmap_start(pair.frames.map));
    send_and_expect(&pair, 9);
    gpu_memory_close(&pair.fix, &other);
    pair_close(&pair);
}

static void bad_sizes_fail_and_the_queue_lives_on(void **state)
{
    uint16_t index;
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    gpu_tx_send(&pair.tx, pair.frames.gpu, pair.frames.key_be, 0, 0);
    gpu_tx_send(&pair.tx, pair.frames.gpu, pair.frames.key_be, 1519, 0); /* MTU and 18 are 1518 */
    gpu_tx_send(&pair.tx, pair.frames.gpu, pair.frames.key_be, DEPTH * STRIDE, 0);
    for (uint32_t n = 0; n < 3; n++) {
        assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_LENGTH);
        assert_int_equal(index, n);
    }
    send_and_expect(&pair, 1);
    /* Short ones are filled up. */
    send_frame(&pair, 2, 20, 0);
    assert_int_equal(opendoca_gpu_swap32(gpu_rx_wait(&pair.rx)->bytes_be), 60);
    pair_close(&pair);
}

static void corrupt_slots_fail_and_the_queue_lives_on(void **state)
{
    uint16_t index;
    struct pair pair;
    uint64_t at;

    (void)state;
    pair_open(&pair, 16);
    at = gpu_tx_put(&pair.tx, pair.frames.gpu, pair.frames.key_be, 64, 0);
    opendoca_gpu_poke(gpu_tx_slot(&pair.tx, at), 0xdeadbeefcafef00du);
    at = gpu_tx_put(&pair.tx, pair.frames.gpu, pair.frames.key_be, 64, 0);
    gpu_tx_control(&pair.tx, at, 0x55, 1, 0, 0); /* no such kind */
    at = gpu_tx_reserve(&pair.tx, 1);
    gpu_tx_control(&pair.tx, at, OPENDOCA_GPU_SLOT_MULTI, 62, 0, 0); /* too many */
    at = gpu_tx_reserve(&pair.tx, 1);
    gpu_tx_control(&pair.tx, at, OPENDOCA_GPU_SLOT_MULTI, 8, 0,
                   0); /* reaches behind what is ready */
    gpu_tx_ring(&pair.tx);
    for (uint32_t n = 0; n < 4; n++) {
        assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_SLOT);
        assert_int_equal(index, n);
    }
    send_and_expect(&pair, 3);
    pair_close(&pair);
}

/* Whatever is rung: slots that were not written fail, at most a ring of them. */
static void corrupt_doorbells_do_no_harm(void **state)
{
    uint64_t completed, taken;
    uint16_t index;
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    send_and_expect(&pair, 0);
    opendoca_gpu_publish(&gpu_tx_words(&pair.tx)->doorbell, 0); /* backwards */
    opendoca_gpu_publish(&gpu_tx_words(&pair.tx)->doorbell, 0xffff000000008000u);
    send_and_expect(&pair, 1);
    /* The low 16 bits are ahead by 5, of which 2 are good. */
    gpu_tx_put(&pair.tx, pair.frames.gpu, pair.frames.key_be, 64, 0);
    gpu_tx_put(&pair.tx, pair.frames.gpu, pair.frames.key_be, 64, 0);
    opendoca_gpu_publish(&gpu_tx_words(&pair.tx)->doorbell, 0xabcdef0000000007u);
    wait_for_count(&gpu_tx_words(&pair.tx)->taken, 7);
    for (uint32_t n = 4; n < 7; n++) {
        assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_SLOT);
        assert_int_equal(index, n);
    }
    completed = opendoca_gpu_peek(&gpu_tx_words(&pair.tx)->completed);
    taken = opendoca_gpu_peek(&gpu_tx_words(&pair.tx)->taken);
    assert_int_equal(completed, 5);
    pair.tx.handle->sq_rsvd_index = taken;
    for (int i = 0; i < 2; i++) {
        gpu_rx_wait(&pair.rx);
        gpu_rx_done(&pair.rx);
    }
    send_and_expect(&pair, 7);
    pair_close(&pair);
}

static void broken_handle_ends_the_queue_only(void **state)
{
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    pair.tx.handle->opendoca.magic ^= 1;
    send_frame(&pair, 0, 64, 0);
    wait_for_count(&gpu_tx_words(&pair.tx)->state, OPENDOCA_GPU_QUEUE_BROKEN);
    assert_int_equal(opendoca_gpu_peek(&gpu_tx_words(&pair.tx)->taken), 0);
    assert_ok(doca_ctx_stop(pair.tx.ctx));
    gpu_tx_start(&pair.tx);
    send_and_expect(&pair, 1);
    pair_close(&pair);
}

static void two_segments_are_one_frame(void **state)
{
    struct pair pair;
    uint64_t at;

    (void)state;
    pair_open(&pair, 16);
    eth_frame(pair.frames.cpu, 200, 5);
    memmove(pair.frames.cpu + 1000, pair.frames.cpu + 30, 170);
    at = gpu_tx_reserve(&pair.tx, 1);
    gpu_tx_control(&pair.tx, at, OPENDOCA_GPU_SLOT_SEND, 2, 0, 0);
    gpu_tx_seg(&pair.tx, at, 0, pair.frames.gpu, pair.frames.key_be, 30);
    gpu_tx_seg(&pair.tx, at, 1, pair.frames.gpu + 1000, pair.frames.key_be, 170);
    gpu_tx_ring(&pair.tx);
    gpu_rx_expect(&pair.rx, 200, 5);
    pair_close(&pair);
}

static void put_multi(struct pair *pair, uint32_t nsegs, uint32_t empty, uint32_t first)
{
    uint64_t at = gpu_tx_reserve(&pair->tx, opendoca_gpu_multi_slots(nsegs));

    gpu_tx_control(&pair->tx, at, OPENDOCA_GPU_SLOT_MULTI, nsegs, OPENDOCA_GPU_SLOT_NOTIFY, 0);
    for (uint32_t i = 0; i < nsegs; i++) {
        size_t place = i * STRIDE;

        eth_frame(pair->frames.cpu + place, 64, first + i);
        gpu_tx_seg(&pair->tx, at, i, pair->frames.gpu + place, pair->frames.key_be,
                   i % 8 == empty ? 0 : 64);
    }
    gpu_tx_ring(&pair->tx);
}

static void multi_slots_send_a_frame_each(void **state)
{
    uint64_t slots = 0;
    uint16_t index;
    struct pair pair;

    (void)state;
    pair_open(&pair, 64);
    for (uint32_t round = 0; round < 12; round++) {
        uint32_t nsegs = round == 0 ? 1 : round == 1 ? 2 : 61 - round, empty = round % 8;

        put_multi(&pair, nsegs, empty, round * 100);
        assert_int_equal(gpu_tx_complete(&pair.tx, &index), 0);
        assert_int_equal(index, slots);
        slots += opendoca_gpu_multi_slots(nsegs);
        for (uint32_t i = 0; i < nsegs; i++) {
            if (i % 8 != empty)
                gpu_rx_expect(&pair.rx, 64, round * 100 + i);
        }
        assert_null(gpu_rx_look(&pair.rx));
    }
    pair_close(&pair);
}

static void sums_are_filled_in_where_asked_for(void **state)
{
    const unsigned int both = OPENDOCA_GPU_SLOT_L3_SUM | OPENDOCA_GPU_SLOT_L4_SUM;
    uint8_t *got;
    struct pair pair;
    uint16_t index;
    uint64_t at;

    (void)state;
    pair_open(&pair, 16);
    gpu_udp((uint8_t *)pair.frames.cpu);
    at = gpu_tx_reserve(&pair.tx, 1);
    gpu_tx_control(&pair.tx, at, OPENDOCA_GPU_SLOT_SEND, 1, OPENDOCA_GPU_SLOT_NOTIFY, both);
    gpu_tx_seg(&pair.tx, at, 0, pair.frames.gpu, pair.frames.key_be, 64);
    gpu_tx_ring(&pair.tx);
    gpu_rx_wait(&pair.rx);
    got = (uint8_t *)gpu_rx_packet(&pair.rx);
    assert_int_equal(gpu_add_up(got + 14, 20, 0), 0xffff);
    assert_int_equal(gpu_add_up(got + 26, 38, 17 + 30), 0xffff); /* pseudo header and datagram */
    assert_int_equal((uint8_t)pair.frames.cpu[24], 0xaa);        /* the source stays as it is */
    gpu_rx_done(&pair.rx);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), 0); /* its memory may be written again */
    /* What is no IP is sent as it is (GS-1). */
    eth_frame(pair.frames.cpu, 100, 4);
    pair.frames.cpu[12] = 8;
    pair.frames.cpu[13] = 0;
    at = gpu_tx_reserve(&pair.tx, 1);
    gpu_tx_control(&pair.tx, at, OPENDOCA_GPU_SLOT_SEND, 1, 0, both);
    gpu_tx_seg(&pair.tx, at, 0, pair.frames.gpu, pair.frames.key_be, 100);
    gpu_tx_ring(&pair.tx);
    gpu_rx_wait(&pair.rx);
    assert_memory_equal(gpu_rx_packet(&pair.rx), pair.frames.cpu, 100);
    pair_close(&pair);
}

/* Zero copy: from the receive ring, with the key of the ring. */
static void packets_are_sent_back_from_their_slots(void **state)
{
    struct gpu_rx back;
    struct gpu_tx echo;
    struct pair pair;

    (void)state;
    pair_open(&pair, 16);
    gpu_rx_open(&pair.fix, pair.fix.a, 16, STRIDE, &back);
    gpu_tx_open(&pair.fix, pair.fix.b, DEPTH, &echo);
    for (uint32_t n = 0; n < 40; n++) {
        uint16_t index;

        send_frame(&pair, n, 100, 0);
        gpu_rx_wait(&pair.rx);
        gpu_tx_send(&echo, gpu_rx_packet(&pair.rx), pair.rx.handle->pkt_mkey, 100,
                    OPENDOCA_GPU_SLOT_NOTIFY);
        assert_int_equal(gpu_tx_complete(&echo, &index), 0);
        gpu_rx_done(&pair.rx);
        gpu_rx_expect(&back, 100, n);
    }
    gpu_tx_close(&echo);
    gpu_rx_close(&pair.fix, &back);
    pair_close(&pair);
}

#define QUEUES 5u
#define FRAMES 40u /* of each, at once */

/* Whichever threads send them, frames of a queue stay in their order. */
static void queues_that_send_at_once_stay_in_order(void **state)
{
    uint32_t next[QUEUES] = {0};
    struct gpu_tx tx[QUEUES];
    struct gpu_memory frames;
    struct pair pair;

    (void)state;
    pair_open(&pair, 256);
    gpu_memory_open(&pair.fix, pair.fix.a, QUEUES * FRAMES * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU,
                    &frames);
    for (uint32_t q = 0; q < QUEUES; q++)
        gpu_tx_open(&pair.fix, pair.fix.a, DEPTH, &tx[q]);
    for (uint32_t n = 0; n < QUEUES * FRAMES; n++) {
        eth_frame(frames.cpu + n * STRIDE, 100, n);
        gpu_tx_send(&tx[n / FRAMES], frames.gpu + n * STRIDE, frames.key_be, 100, 0);
    }
    for (uint32_t n = 0; n < QUEUES * FRAMES; n++) {
        uint32_t number;

        gpu_rx_wait(&pair.rx);
        number = eth_frame_number(gpu_rx_packet(&pair.rx));
        assert_in_range(number, 0, QUEUES * FRAMES - 1);
        assert_int_equal(number % FRAMES, next[number / FRAMES]++);
        assert_true(eth_frame_is(gpu_rx_packet(&pair.rx), 100, number));
        gpu_rx_done(&pair.rx);
    }
    for (uint32_t q = 0; q < QUEUES; q++)
        gpu_tx_close(&tx[q]);
    gpu_memory_close(&pair.fix, &frames);
    pair_close(&pair);
}

/* Slots and doorbells of any kind: the queue stops and starts as ever. Frames that were on their
 * way may still come. */
static void random_slots_do_no_harm(void **state)
{
    uint32_t seed = 12345;
    struct pair pair;

    (void)state;
    pair_open(&pair, 64);
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t *slot = gpu_tx_slot(&pair.tx, seed >> 8), at = i % (DEPTH * 2);

        seed = seed * 1664525u + 1013904223u;
        if (i % 4 == 0) { /* plausible, but for some of it */
            gpu_tx_control(&pair.tx, at,
                           seed >> 28 < 8 ? OPENDOCA_GPU_SLOT_MULTI : OPENDOCA_GPU_SLOT_SEND,
                           seed >> 20 & 63, seed >> 30, seed & 0xc0);
            gpu_tx_seg(&pair.tx, at, seed >> 10 & 1, pair.frames.gpu + (seed & 0x3ffff),
                       pair.frames.key_be ^ (seed >> 24 == 0), seed >> 18 & 0x7ff);
        } else {
            opendoca_gpu_poke(&slot[seed >> 29], (uint64_t)seed << 32 | ~seed);
        }
        if (i % 16 == 0)
            opendoca_gpu_publish(&gpu_tx_words(&pair.tx)->doorbell,
                                 i % 64 == 0 ? (uint64_t)seed * seed : i / 16 * 5);
    }
    gpu_tx_close(&pair.tx);
    gpu_rx_close(&pair.fix, &pair.rx);
    gpu_rx_open(&pair.fix, pair.fix.b, 64, STRIDE, &pair.rx);
    gpu_tx_open(&pair.fix, pair.fix.a, DEPTH, &pair.tx);
    send_frame(&pair, 1, 64, 0);
    gpu_rx_wait(&pair.rx);
    while (!eth_frame_is(gpu_rx_packet(&pair.rx), 64, 1)) {
        gpu_rx_done(&pair.rx);
        gpu_rx_wait(&pair.rx);
    }
    pair_close(&pair);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_have_the_promised_geometry),
        cmocka_unit_test(frames_come_in_order_with_length_and_time),
        cmocka_unit_test(large_rings_go_round_as_well),
        cmocka_unit_test(unread_ring_keeps_its_size_and_counts_the_rest),
        cmocka_unit_test(nonsense_in_the_posted_word_stores_nothing),
        cmocka_unit_test(frames_longer_than_a_slot_are_dropped),
        cmocka_unit_test(completions_are_of_notified_slots_in_order),
        cmocka_unit_test(bad_memory_fails_and_the_queue_lives_on),
        cmocka_unit_test(bad_sizes_fail_and_the_queue_lives_on),
        cmocka_unit_test(corrupt_slots_fail_and_the_queue_lives_on),
        cmocka_unit_test(corrupt_doorbells_do_no_harm),
        cmocka_unit_test(broken_handle_ends_the_queue_only),
        cmocka_unit_test(two_segments_are_one_frame),
        cmocka_unit_test(multi_slots_send_a_frame_each),
        cmocka_unit_test(sums_are_filled_in_where_asked_for),
        cmocka_unit_test(packets_are_sent_back_from_their_slots),
        cmocka_unit_test(queues_that_send_at_once_stay_in_order),
        cmocka_unit_test(random_slots_do_no_harm),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    setenv("OPENDOCA_GPU", "simt", 1);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}

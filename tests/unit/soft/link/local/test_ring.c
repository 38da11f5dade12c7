/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "soft/link/local/ring.h"

/* Both ends of a ring over the same memory. */
static struct pair {
    struct soft_ring_shape shape;
    struct soft_ring_place at;
    struct soft_ring_tx tx;
    struct soft_ring_rx rx;
} pair;

static void open_pair(uint32_t depth, uint32_t max_msg)
{
    assert_true(soft_ring_shape(&pair.shape, depth, max_msg));
    pair.at.control = aligned_alloc(64, sizeof(*pair.at.control));
    pair.at.slots = aligned_alloc(4096, pair.shape.slots_len);
    pair.at.cells = pair.shape.cells_len > 0 ? aligned_alloc(4096, pair.shape.cells_len) : NULL;
    memset(pair.at.control, 0, sizeof(*pair.at.control));
    memset(pair.at.slots, 0, pair.shape.slots_len);
    assert_int_equal(soft_ring_tx_open(&pair.tx, &pair.shape, &pair.at), 0);
    soft_ring_rx_open(&pair.rx, &pair.shape, &pair.at);
}

static int close_pair(void **state)
{
    (void)state;
    soft_ring_tx_close(&pair.tx);
    free(pair.at.control);
    free(pair.at.slots);
    free(pair.at.cells);
    memset(&pair, 0, sizeof(pair));
    return 0;
}

static int send_bytes(const void *bytes, size_t len)
{
    struct iovec iov = {.iov_base = (void *)bytes, .iov_len = len};

    return soft_ring_send(&pair.tx, &iov, 1);
}

static void expect(const void *bytes, uint32_t len)
{
    const void *data;
    uint32_t n;

    assert_int_equal(soft_ring_peek(&pair.rx, &data, &n), 0);
    assert_int_equal(n, len);
    assert_memory_equal(data, bytes, len);
    soft_ring_take(&pair.rx);
}

static int peek(void)
{
    const void *data;
    uint32_t n;

    return soft_ring_peek(&pair.rx, &data, &n);
}

static struct soft_ring_slot *slot(uint32_t i)
{
    return (void *)(pair.at.slots + i * pair.shape.slot_size);
}

static void shapes_have_limits(void **state)
{
    struct soft_ring_shape shape;

    (void)state;
    assert_false(soft_ring_shape(&shape, 0, 1));
    assert_false(soft_ring_shape(&shape, SOFT_RING_DEPTH_MAX + 1, 1));
    assert_false(soft_ring_shape(&shape, 1, 0));
    assert_false(soft_ring_shape(&shape, 1, UINT32_MAX));
    assert_false(soft_ring_shape(&shape, SOFT_RING_DEPTH_MAX, 1u << 20));
    assert_true(soft_ring_shape(&shape, SOFT_RING_DEPTH_MAX, 1u << 15));
    assert_true(soft_ring_shape(&shape, 1, 48));
    assert_int_equal(shape.slot_size, 64);
    assert_int_equal(shape.cells_len, 0);
    assert_true(soft_ring_shape(&shape, 8, 4080));
    assert_int_equal(shape.nslots, 16);
    assert_int_equal(shape.cell_size, 4096);
}

static void a_short_message_is_one_line(void **state)
{
    char bytes[48];

    (void)state;
    open_pair(4, 48);
    memset(bytes, 'x', sizeof(bytes));
    assert_int_equal(send_bytes(bytes, sizeof(bytes)), 0);
    assert_int_equal(atomic_load(&slot(0)->where), SOFT_RING_INLINE);
    expect(bytes, sizeof(bytes));
}

static void the_last_slot_stays_free_for_the_end(void **state)
{
    (void)state;
    open_pair(3, 1000);
    for (unsigned int round = 0; round < 5; round++) {
        for (unsigned int i = 0; i < 3; i++)
            assert_int_equal(send_bytes(&i, sizeof(i)), 0);
        assert_int_equal(send_bytes("x", 1), -EAGAIN);
        for (unsigned int i = 0; i < 3; i++)
            expect(&i, sizeof(i));
    }
    for (unsigned int i = 0; i < 3; i++)
        assert_int_equal(send_bytes(&i, sizeof(i)), 0);
    assert_false(soft_ring_has_end(&pair.rx));
    soft_ring_end(&pair.tx);
    assert_true(soft_ring_has_end(&pair.rx));
    for (unsigned int i = 0; i < 3; i++)
        expect(&i, sizeof(i));
    assert_int_equal(peek(), -ESHUTDOWN);
    soft_ring_take_end(&pair.rx);
    soft_ring_take_end(&pair.rx);
    assert_int_equal(peek(), -ESHUTDOWN);
    assert_int_equal(soft_ring_messages(&pair.tx), 18);
    soft_ring_tx_look(&pair.tx);
    assert_int_equal(pair.tx.taken, 19);
}

/* As if so many had been sent. */
static void go_to(uint64_t n)
{
    pair.tx.sent = pair.tx.taken = pair.tx.look_at = pair.rx.next = n;
    atomic_store(&pair.at.control->taken, n);
    for (uint32_t i = 0; i < pair.shape.nslots; i++)
        atomic_store(&slot(i)->mark, (uint32_t)n - pair.shape.nslots);
}

static void counters_may_pass_32_bits(void **state)
{
    (void)state;
    open_pair(4, 100);
    go_to(UINT32_MAX - 5u);
    for (unsigned int i = 0; i < 20; i++) {
        assert_int_equal(peek(), -EAGAIN);
        assert_int_equal(send_bytes(&i, sizeof(i)), 0);
        expect(&i, sizeof(i));
    }
    soft_ring_end(&pair.tx);
    assert_int_equal(peek(), -ESHUTDOWN);
}

static void an_end_at_32_bits_stays_the_end(void **state)
{
    (void)state;
    open_pair(4, 100);
    go_to(UINT32_MAX - 1u);
    soft_ring_end(&pair.tx);
    assert_int_equal(peek(), -ESHUTDOWN);
    soft_ring_take_end(&pair.rx);
    assert_int_equal(peek(), -ESHUTDOWN);
}

/* Few in flight use few cells, whatever the depth. */
static void cells_are_used_last_in_first_out(void **state)
{
    char bytes[500];
    uint32_t highest = 0;

    (void)state;
    open_pair(1000, 500);
    memset(bytes, 'y', sizeof(bytes));
    for (unsigned int i = 0; i < 5000; i++) {
        uint32_t where;

        assert_int_equal(send_bytes(bytes, sizeof(bytes)), 0);
        where = atomic_load(&slot(i % pair.shape.nslots)->where);
        highest = OD_MAX(highest, where);
        expect(bytes, sizeof(bytes));
    }
    assert_in_range(highest, 0, 40);
}

static void nonsense_in_a_slot_is_seen(void **state)
{
    static const struct {
        uint32_t len;
        uint32_t where;
    } nonsense[] = {
        {49, SOFT_RING_INLINE},
        {UINT32_MAX, SOFT_RING_INLINE},
        {1, 4},
        {1001, 0},
        {UINT32_MAX, 3},
        {1, SOFT_RING_END - 1},
        {1, 1u << 31},
        {241, SOFT_RING_INLINE},
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(nonsense); i++) {
        open_pair(4, i == 0 ? 48 : 1000);
        atomic_store(&slot(0)->len, nonsense[i].len);
        atomic_store(&slot(0)->where, nonsense[i].where);
        atomic_store(&slot(0)->mark, 1);
        assert_int_equal(peek(), -EBADMSG);
        close_pair(NULL);
    }
    open_pair(4, 48);
    atomic_store(&slot(0)->where, 0);
    atomic_store(&slot(0)->mark, 1);
    assert_int_equal(peek(), -EBADMSG);
}

static void a_count_that_cannot_be_is_ignored(void **state)
{
    (void)state;
    open_pair(4, 100);
    assert_int_equal(send_bytes("a", 1), 0);
    assert_int_equal(send_bytes("b", 1), 0);
    atomic_store(&pair.at.control->taken, 3);
    soft_ring_tx_look(&pair.tx);
    assert_int_equal(pair.tx.taken, 0);
    atomic_store(&pair.at.control->taken, 2);
    soft_ring_tx_look(&pair.tx);
    assert_int_equal(pair.tx.taken, 2);
    atomic_store(&pair.at.control->taken, 1);
    soft_ring_tx_look(&pair.tx);
    assert_int_equal(pair.tx.taken, 2);
}

static void awaiting_ends_when_it_has_come_true(void **state)
{
    (void)state;
    open_pair(4, 100);
    assert_int_equal(send_bytes("a", 1), 0);
    assert_int_equal(send_bytes("b", 1), 0);
    soft_ring_await(&pair.tx, 2);
    expect("a", 1);
    assert_false(soft_ring_is_awaited(&pair.rx));
    expect("b", 1);
    assert_true(soft_ring_is_awaited(&pair.rx));
    soft_ring_tx_look(&pair.tx);
    assert_false(soft_ring_is_awaited(&pair.rx));
    soft_ring_await(&pair.tx, 3);
    soft_ring_await(&pair.tx, 0);
    assert_int_equal(atomic_load(&pair.at.control->awaited), 0);
}

/* ---- Two threads over the same memory, so that a race detector sees both ends ---- */

#define STREAM 100000u

static size_t length_of(uint32_t i)
{
    return sizeof(i) + (i * 2654435761u >> 16) % 997;
}

static void *produce(void *arg)
{
    char bytes[1100];

    (void)arg;
    for (uint32_t i = 0; i < STREAM; i++) {
        memset(bytes, (int)i, sizeof(bytes));
        memcpy(bytes, &i, sizeof(i));
        while (send_bytes(bytes, length_of(i)) == -EAGAIN)
            sched_yield();
    }
    soft_ring_end(&pair.tx);
    return NULL;
}

static void a_stream_between_threads_is_whole(void **state)
{
    pthread_t thread;
    const void *data = NULL;
    uint32_t len = 0, i = 0, seen;
    int rc;

    (void)state;
    open_pair(32, 1100);
    assert_int_equal(pthread_create(&thread, NULL, produce, NULL), 0);
    while ((rc = soft_ring_peek(&pair.rx, &data, &len)) != -ESHUTDOWN) {
        if (rc == -EAGAIN) {
            sched_yield();
            continue;
        }
        assert_int_equal(rc, 0);
        memcpy(&seen, data, sizeof(seen));
        assert_int_equal(seen, i);
        assert_int_equal(len, length_of(i));
        if (len > sizeof(seen))
            assert_int_equal(((const uint8_t *)data)[len - 1], i & 0xff);
        soft_ring_take(&pair.rx);
        i++;
    }
    pthread_join(thread, NULL);
    assert_int_equal(i, STREAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(shapes_have_limits, close_pair),
        cmocka_unit_test_teardown(a_short_message_is_one_line, close_pair),
        cmocka_unit_test_teardown(the_last_slot_stays_free_for_the_end, close_pair),
        cmocka_unit_test_teardown(counters_may_pass_32_bits, close_pair),
        cmocka_unit_test_teardown(an_end_at_32_bits_stays_the_end, close_pair),
        cmocka_unit_test_teardown(cells_are_used_last_in_first_out, close_pair),
        cmocka_unit_test_teardown(nonsense_in_a_slot_is_seen, close_pair),
        cmocka_unit_test_teardown(a_count_that_cannot_be_is_ignored, close_pair),
        cmocka_unit_test_teardown(awaiting_ends_when_it_has_come_true, close_pair),
        cmocka_unit_test_teardown(a_stream_between_threads_is_whole, close_pair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

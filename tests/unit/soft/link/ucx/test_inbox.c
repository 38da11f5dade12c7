/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/link/ucx/inbox.h"

#define PIECE SOFT_UCX_PIECE

static struct soft_inbox inbox;
static char *bytes;

static int setup(void **state)
{
    (void)state;
    bytes = malloc(4 * PIECE);
    for (size_t i = 0; i < 4 * PIECE; i++)
        bytes[i] = (char)(i * 13 + (i >> 10));
    return soft_inbox_open(&inbox, 4, 3 * PIECE + 10);
}

static int teardown(void **state)
{
    (void)state;
    soft_inbox_close(&inbox);
    free(bytes);
    return 0;
}

static int put(uint64_t seq, uint32_t piece, uint32_t total)
{
    uint32_t offset = piece * PIECE;

    return soft_inbox_put(&inbox, seq, offset, total, bytes + offset,
                          OD_MIN(total - offset, PIECE));
}

static int put_short(uint64_t seq, const char *text)
{
    return soft_inbox_put(&inbox, seq, 0, (uint32_t)strlen(text), text, (uint32_t)strlen(text));
}

static void expect(const void *wanted, uint32_t wanted_len)
{
    const void *got;
    uint32_t len;

    assert_int_equal(soft_inbox_peek(&inbox, &got, &len), 0);
    assert_int_equal(len, wanted_len);
    if (len > 0)
        assert_memory_equal(got, wanted, len);
    soft_inbox_take(&inbox);
}

static int peek(void)
{
    const void *got;
    uint32_t len;

    return soft_inbox_peek(&inbox, &got, &len);
}

static void messages_come_out_in_order(void **state)
{
    (void)state;
    assert_int_equal(put_short(3, "three"), 0);
    assert_int_equal(put_short(2, "two"), 0);
    assert_int_equal(peek(), -EAGAIN);
    assert_int_equal(put_short(1, ""), 0);
    expect("", 0);
    expect("two", 3);
    assert_int_equal(put_short(4, "four"), 0);
    expect("three", 5);
    expect("four", 4);
    assert_int_equal(peek(), -EAGAIN);
}

static void pieces_fit_together_in_any_order(void **state)
{
    const uint32_t total = 3 * PIECE + 10;

    (void)state;
    assert_int_equal(put(1, 3, total), 0);
    assert_int_equal(put(2, 0, PIECE), 0);
    assert_int_equal(put(1, 0, total), 0);
    assert_int_equal(put(1, 2, total), 0);
    assert_int_equal(peek(), -EAGAIN);
    assert_int_equal(put(1, 1, total), 0);
    expect(bytes, total);
    expect(bytes, PIECE);
}

static void a_piece_twice_is_refused(void **state)
{
    (void)state;
    assert_int_equal(put(1, 0, 2 * PIECE), 0);
    assert_int_equal(put(1, 0, 2 * PIECE), -EBADMSG);
    assert_int_equal(put_short(2, "x"), 0);
    assert_int_equal(put_short(2, "x"), -EBADMSG);
}

static void pieces_of_different_messages_are_refused(void **state)
{
    (void)state;
    assert_int_equal(put(1, 0, 2 * PIECE), 0);
    assert_int_equal(put(1, 1, 2 * PIECE + 1), -EBADMSG);
    assert_int_equal(put(2, 0, 3 * PIECE + 11), -EBADMSG);
}

static void only_so_many_may_wait(void **state)
{
    (void)state;
    assert_int_equal(put_short(5, "five"), -EBADMSG);
    for (uint64_t seq = 1; seq <= 4; seq++)
        assert_int_equal(put_short(seq, "x"), 0);
    assert_int_equal(put_short(5, "five"), -EBADMSG);
    assert_int_equal(put_short(1, "again"), -EBADMSG);
    expect("x", 1);
    assert_int_equal(put_short(5, "five"), 0);
    assert_int_equal(put_short(1, "again"), -EBADMSG);
    assert_int_equal(put_short(0, "none"), -EBADMSG);
}

static void the_end_comes_last(void **state)
{
    (void)state;
    assert_int_equal(soft_inbox_put_end(&inbox, 3), 0);
    assert_int_equal(soft_inbox_put_end(&inbox, 3), -EBADMSG);
    assert_int_equal(put_short(3, "late"), -EBADMSG);
    assert_int_equal(put_short(4, "later"), -EBADMSG);
    assert_int_equal(put_short(2, "two"), 0);
    assert_int_equal(peek(), -EAGAIN);
    assert_int_equal(put_short(1, "one"), 0);
    expect("one", 3);
    expect("two", 3);
    assert_int_equal(peek(), -ESHUTDOWN);
    soft_inbox_take(&inbox);
    soft_inbox_take(&inbox);
    assert_int_equal(peek(), -ESHUTDOWN);
    assert_int_equal(atomic_load(&inbox.taken), 3);
}

static void the_end_has_room_behind_a_full_window(void **state)
{
    (void)state;
    for (uint64_t seq = 1; seq <= 4; seq++)
        assert_int_equal(put_short(seq, "x"), 0);
    assert_int_equal(soft_inbox_put_end(&inbox, 6), -EBADMSG);
    assert_int_equal(soft_inbox_put_end(&inbox, 4), -EBADMSG);
    assert_int_equal(soft_inbox_put_end(&inbox, 5), 0);
    for (uint64_t seq = 1; seq <= 4; seq++)
        expect("x", 1);
    assert_int_equal(peek(), -ESHUTDOWN);
}

static void an_end_before_what_has_come_is_refused(void **state)
{
    (void)state;
    assert_int_equal(put_short(3, "three"), 0);
    assert_int_equal(soft_inbox_put_end(&inbox, 2), -EBADMSG);
}

static void slots_are_used_again(void **state)
{
    (void)state;
    for (uint64_t seq = 1; seq < 100; seq++) {
        uint32_t total = (uint32_t)(seq * 4099 % (3 * PIECE));

        for (uint32_t piece = 0; piece * PIECE < total; piece++)
            assert_int_equal(put(seq, piece, total), 0);
        expect(bytes, total);
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(messages_come_out_in_order),
        CASE(pieces_fit_together_in_any_order),
        CASE(a_piece_twice_is_refused),
        CASE(pieces_of_different_messages_are_refused),
        CASE(only_so_many_may_wait),
        CASE(the_end_comes_last),
        CASE(the_end_has_room_behind_a_full_window),
        CASE(an_end_before_what_has_come_is_refused),
        CASE(slots_are_used_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/wire/frames.h"

/* Cuts a body and feeds the frames to a join; returns the number of frames. */
static unsigned int pass(const void *body, size_t len, size_t room, struct urom_join *join,
                         int *last)
{
    struct urom_cut cut = {.body = body, .len = len, .room = room, .type = 7, .correlation = 9};
    struct urom_frame frame;
    uint8_t bytes[256];
    const void *part;
    unsigned int frames = 0;

    *last = 0;
    while (urom_cut_frame(&cut, &frame, &part)) {
        assert_int_equal(*last, 0);
        memcpy(bytes, &frame, sizeof(frame));
        memcpy(bytes + sizeof(frame), part, frame.len);
        *last = urom_join_frame(join, bytes, sizeof(frame) + frame.len);
        urom_cut_next(&cut, &frame);
        frames++;
    }
    return frames;
}

static void a_long_message_is_put_together_again(void **state)
{
    struct urom_join join = {.limit = 1000};
    uint8_t body[1000];
    int last;

    (void)state;
    for (size_t i = 0; i < sizeof(body); i++)
        body[i] = (uint8_t)(i * 13);
    for (size_t len = 0; len <= sizeof(body); len += 125) {
        unsigned int frames = pass(body, len, 16 + 100, &join, &last);

        assert_int_equal(last, 1);
        assert_int_equal(frames, len == 0 ? 1 : (len + 99) / 100);
        assert_int_equal(join.len, len);
        assert_int_equal(join.type, 7);
        assert_int_equal(join.correlation, 9);
        if (len > 0)
            assert_memory_equal(join.body, body, len);
    }
    urom_join_free(&join);
}

static void what_exceeds_the_limit_is_refused_before_it_is_stored(void **state)
{
    struct urom_join join = {.limit = 150};
    struct urom_frame frames[] = {{.len = 100, .type = 7, .flags = UROM_FRAME_MORE},
                                  {.len = 51, .type = 7}};
    uint8_t bytes[256] = {0};

    (void)state;
    memcpy(bytes, &frames[0], sizeof(frames[0]));
    assert_int_equal(urom_join_frame(&join, bytes, 116), 0);
    memcpy(bytes, &frames[1], sizeof(frames[1]));
    assert_int_equal(urom_join_frame(&join, bytes, 67), -EMSGSIZE);
    urom_join_free(&join);
}

static void frames_of_two_messages_do_not_mix(void **state)
{
    struct urom_join join = {.limit = 150};
    struct urom_frame frame = {.type = 7, .flags = UROM_FRAME_MORE};

    (void)state;
    assert_int_equal(urom_join_frame(&join, &frame, sizeof(frame)), 0);
    frame.type = 8;
    assert_int_equal(urom_join_frame(&join, &frame, sizeof(frame)), -EBADMSG);
    frame.type = 7;
    frame.correlation = 1;
    assert_int_equal(urom_join_frame(&join, &frame, sizeof(frame)), -EBADMSG);
    urom_join_free(&join);
}

static void a_length_that_is_not_the_messages_is_refused(void **state)
{
    struct urom_join join = {.limit = 150};
    struct urom_frame frame = {.type = 7, .len = 1};

    (void)state;
    assert_int_equal(urom_join_frame(&join, &frame, sizeof(frame)), -EBADMSG);
    assert_int_equal(urom_join_frame(&join, &frame, sizeof(frame) - 1), -EBADMSG);
    urom_join_free(&join);
}

static void optional_messages_are_skipped(void **state)
{
    struct urom_join join = {.limit = 150};
    struct urom_frame frame = {.type = 999, .flags = UROM_FRAME_OPTIONAL};

    (void)state;
    assert_int_equal(urom_join_frame(&join, &frame, sizeof(frame)), 0);
    frame.flags = 0;
    assert_int_equal(urom_join_frame(&join, &frame, sizeof(frame)), 1);
    urom_join_free(&join);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_message_is_put_together_again),
        cmocka_unit_test(what_exceeds_the_limit_is_refused_before_it_is_stored),
        cmocka_unit_test(frames_of_two_messages_do_not_mix),
        cmocka_unit_test(a_length_that_is_not_the_messages_is_refused),
        cmocka_unit_test(optional_messages_are_skipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

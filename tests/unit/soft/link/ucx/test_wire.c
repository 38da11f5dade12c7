/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/link/ucx/wire.h"

static int parse(const struct soft_ucx_head *head, size_t len)
{
    struct soft_ucx_head copy;

    return soft_ucx_head_parse(head, sizeof(*head), len, &copy);
}

static void heads_fit_their_data(void **state)
{
    struct soft_ucx_head head = soft_ucx_head_make(SOFT_UCX_ACK), copy;

    (void)state;
    assert_int_equal(parse(&head, 0), 0);
    assert_int_equal(parse(&head, 1), -EBADMSG);
    assert_int_equal(soft_ucx_head_parse(&head, sizeof(head) - 1, 0, &copy), -EBADMSG);
    assert_int_equal(soft_ucx_head_parse(&head, sizeof(head) + 1, 0, &copy), -EBADMSG);
    head = soft_ucx_head_make(SOFT_UCX_END);
    assert_int_equal(parse(&head, 0), -EBADMSG);
    head.seq = 1;
    assert_int_equal(parse(&head, 0), 0);
    head = soft_ucx_head_make((enum soft_ucx_type)99);
    assert_int_equal(parse(&head, 0), -EBADMSG);
    head = soft_ucx_head_make(SOFT_UCX_HELLO);
    assert_int_equal(parse(&head, sizeof(struct soft_ucx_greeting) - 1), -EBADMSG);
}

static void pieces_lie_within_their_message(void **state)
{
    static const struct {
        uint32_t offset;
        uint32_t total;
        uint32_t len;
        int rc;
    } cases[] = {
        {0, 0, 0, 0},
        {0, 10, 10, 0},
        {0, 10, 9, -EBADMSG},
        {0, 10, 11, -EBADMSG},
        {0, SOFT_UCX_PIECE + 1, SOFT_UCX_PIECE, 0},
        {SOFT_UCX_PIECE, SOFT_UCX_PIECE + 1, 1, 0},
        {SOFT_UCX_PIECE, SOFT_UCX_PIECE, 0, -EBADMSG},
        {1, 10, 9, -EBADMSG},
        {SOFT_UCX_PIECE * 2, SOFT_UCX_PIECE, 0, -EBADMSG},
        {0, SOFT_LINK_MSG_MAX + 1, SOFT_UCX_PIECE, -EBADMSG},
        {0, UINT32_MAX, SOFT_UCX_PIECE, -EBADMSG},
        {UINT32_MAX - SOFT_UCX_PIECE + 1, UINT32_MAX, 5, -EBADMSG},
    };
    struct soft_ucx_head head = soft_ucx_head_make(SOFT_UCX_MESSAGE);

    (void)state;
    head.seq = 1;
    for (size_t i = 0; i < OD_ARRAY_SIZE(cases); i++) {
        head.offset = cases[i].offset;
        head.total = cases[i].total;
        assert_int_equal(parse(&head, cases[i].len), cases[i].rc);
    }
}

static void another_version_is_told_from_nonsense(void **state)
{
    struct soft_ucx_head head = soft_ucx_head_make(SOFT_UCX_ACK);

    (void)state;
    head.version++;
    assert_int_equal(parse(&head, 0), -EPROTO);
    head.type = SOFT_UCX_REFUSAL;
    assert_int_equal(parse(&head, sizeof(struct soft_ucx_refusal)), 0);
    head.magic++;
    assert_int_equal(parse(&head, sizeof(struct soft_ucx_refusal)), -EBADMSG);
}

static void greetings_and_refusals_are_checked(void **state)
{
    struct {
        struct soft_ucx_greeting greeting;
        char text[5];
    } body = {{.max_msg = 1, .depth = 1, .len = 5}, "hello"};
    struct {
        struct soft_ucx_refusal refusal;
        char text[4];
    } no = {{.code = SOFT_UCX_BUSY, .len = 4}, "full"};
    const size_t size = sizeof(body.greeting) + 5;
    struct soft_ucx_greeting greeting;
    struct soft_ucx_refusal refusal;
    const void *text;

    (void)state;
    assert_int_equal(soft_ucx_greeting_parse(&body, size, &greeting, &text), 0);
    assert_memory_equal(text, "hello", 5);
    for (size_t n = 0; n < size; n++)
        assert_int_equal(soft_ucx_greeting_parse(&body, n, &greeting, &text), -EBADMSG);
    body.greeting.depth = 0;
    assert_int_equal(soft_ucx_greeting_parse(&body, size, &greeting, &text), -EBADMSG);
    body.greeting.depth = SOFT_LINK_DEPTH_MAX + 1;
    assert_int_equal(soft_ucx_greeting_parse(&body, size, &greeting, &text), -EBADMSG);
    body.greeting.depth = 1;
    body.greeting.len = UINT32_MAX;
    assert_int_equal(soft_ucx_greeting_parse(&body, size, &greeting, &text), -EBADMSG);
    assert_int_equal(soft_ucx_refusal_parse(&no, sizeof(no), &refusal, &text), 0);
    assert_memory_equal(text, "full", 4);
    no.refusal.code = 0;
    assert_int_equal(soft_ucx_refusal_parse(&no, sizeof(no), &refusal, &text), -EBADMSG);
    no.refusal.code = SOFT_UCX_BUSY;
    no.refusal.len = 5;
    assert_int_equal(soft_ucx_refusal_parse(&no, sizeof(no), &refusal, &text), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_fit_their_data),
        cmocka_unit_test(pieces_lie_within_their_message),
        cmocka_unit_test(another_version_is_told_from_nonsense),
        cmocka_unit_test(greetings_and_refusals_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

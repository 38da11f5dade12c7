/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "rdma/wire.h"

static struct rdma_details make_details(void)
{
    struct rdma_details details = {.host = 7, .conn_id = 3, .remote = "10.0.0.1:5"};

    memset(details.instance, 1, sizeof(details.instance));
    memset(details.token, 2, sizeof(details.token));
    rdma_wire_seal_details(&details);
    return details;
}

static void details_survive(void **state)
{
    struct rdma_details details = make_details(), got;

    (void)state;
    assert_int_equal(rdma_wire_get_details(&details, sizeof(details), &got), 0);
    assert_memory_equal(&details, &got, sizeof(got));
}

static void each_byte_of_details_matters(void **state)
{
    struct rdma_details got;

    (void)state;
    for (size_t i = 0; i < sizeof(struct rdma_details); i++) {
        struct rdma_details details = make_details();

        ((uint8_t *)&details)[i] ^= 0x10;
        assert_int_not_equal(rdma_wire_get_details(&details, sizeof(details), &got), 0);
    }
}

static void each_length_but_one_is_refused(void **state)
{
    uint8_t bytes[sizeof(struct rdma_details) + 8] = {0};
    struct rdma_details details = make_details(), got;

    (void)state;
    memcpy(bytes, &details, sizeof(details));
    for (size_t len = 0; len <= sizeof(bytes); len++)
        assert_int_equal(rdma_wire_get_details(bytes, len, &got) == 0, len == sizeof(details));
}

static void other_versions_are_told_apart(void **state)
{
    struct rdma_details details = make_details(), got;

    (void)state;
    details.version++;
    assert_int_equal(rdma_wire_get_details(&details, sizeof(details), &got), -EPROTO);
}

static void greetings_and_answers_survive(void **state)
{
    struct rdma_hello hello = {.conn_id = 9, .permissions = 6}, got_hello;
    struct rdma_answer answer = {.verdict = RDMA_CROSSED, .permissions = 2}, got_answer;

    (void)state;
    rdma_wire_seal_hello(&hello);
    rdma_wire_seal_answer(&answer);
    assert_int_equal(rdma_wire_get_hello(&hello, sizeof(hello), &got_hello), 0);
    assert_memory_equal(&hello, &got_hello, sizeof(hello));
    assert_int_equal(rdma_wire_get_answer(&answer, sizeof(answer), &got_answer), 0);
    assert_memory_equal(&answer, &got_answer, sizeof(answer));
    assert_int_equal(rdma_wire_get_hello(&hello, sizeof(hello) - 1, &got_hello), -EBADMSG);
    assert_int_equal(rdma_wire_get_answer(&answer, sizeof(answer) - 1, &got_answer), -EBADMSG);
    answer.verdict = RDMA_VERDICT_NUM;
    assert_int_equal(rdma_wire_get_answer(&answer, sizeof(answer), &got_answer), -EBADMSG);
    hello.version++;
    assert_int_equal(rdma_wire_get_hello(&hello, sizeof(hello), &got_hello), -EPROTO);
    hello.magic++;
    assert_int_equal(rdma_wire_get_hello(&hello, sizeof(hello), &got_hello), -EBADMSG);
}

/* A frame with so many bytes behind its head. */
static int frame(uint32_t kind, uint32_t imm, uint64_t total, uint32_t payload, uint64_t left)
{
    struct rdma_frame head = {kind, imm, total}, got;

    return rdma_wire_get_frame(&head, (uint32_t)sizeof(head) + payload, left, &got);
}

static void frames_fit_to_what_came_before(void **state)
{
    (void)state;
    assert_int_equal(frame(RDMA_FRAME_SEND, 0, 0, 0, 0), 0);
    assert_int_equal(frame(RDMA_FRAME_SEND, 0, 5, 5, 0), 0);
    assert_int_equal(frame(RDMA_FRAME_SEND, 0, 5, 4, 0), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_SEND, 0, 4, 5, 0), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_SEND, 1, 5, 5, 0), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_SEND, 0, 5, 5, 1), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_SEND_IMM, 1, 5, 5, 0), 0);
    assert_int_equal(frame(RDMA_FRAME_SEND, 0, RDMA_MAX_MESSAGE, RDMA_FRAGMENT, 0), 0);
    assert_int_equal(frame(RDMA_FRAME_SEND, 0, RDMA_MAX_MESSAGE + 1ull, RDMA_FRAGMENT, 0),
                     -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_SEND, 0, RDMA_FRAGMENT + 1, RDMA_FRAGMENT + 1, 0), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_MORE, 0, 0, 7, 7), 0);
    assert_int_equal(frame(RDMA_FRAME_MORE, 0, 0, RDMA_FRAGMENT, RDMA_FRAGMENT + 7), 0);
    assert_int_equal(frame(RDMA_FRAME_MORE, 0, 0, 7, RDMA_FRAGMENT + 7), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_MORE, 0, 0, 7, 0), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_MORE, 0, 1, 7, 7), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_WRITE_IMM, 3, 1000, 0, 0), 0);
    assert_int_equal(frame(RDMA_FRAME_WRITE_IMM, 3, 1000, 1, 0), -EBADMSG);
    assert_int_equal(frame(RDMA_FRAME_WRITE_IMM, 3, 1000, 0, 1), -EBADMSG);
    assert_int_equal(frame(0, 0, 0, 0, 0), -EBADMSG);
    assert_int_equal(frame(5, 0, 0, 0, 0), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(details_survive),
        cmocka_unit_test(each_byte_of_details_matters),
        cmocka_unit_test(each_length_but_one_is_refused),
        cmocka_unit_test(other_versions_are_told_apart),
        cmocka_unit_test(greetings_and_answers_survive),
        cmocka_unit_test(frames_fit_to_what_came_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

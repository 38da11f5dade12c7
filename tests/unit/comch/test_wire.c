/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "comch/posts.h"
#include "comch/wire.h"

static const char identity[] = "card0\0000000:b1:00.0\0name";

static size_t sample_hello(uint8_t *buf)
{
    const struct comch_hello hello = {
        .max_msg = 4080,
        .recv_queue = 10,
        .fast_path = true,
        .identity = identity,
        .identity_len = sizeof(identity),
    };

    return comch_wire_put_hello(buf, &hello);
}

static void a_greeting_comes_through(void **state)
{
    uint8_t buf[COMCH_HELLO_MAX];
    struct comch_hello hello;
    size_t len = sample_hello(buf);

    (void)state;
    assert_int_equal(comch_wire_get_hello(buf, len, &hello), 0);
    assert_int_equal(hello.max_msg, 4080);
    assert_int_equal(hello.recv_queue, 10);
    assert_true(hello.fast_path);
    assert_int_equal(hello.identity_len, sizeof(identity));
    assert_memory_equal(hello.identity, identity, sizeof(identity));
}

static void other_greetings_are_refused(void **state)
{
    uint8_t buf[COMCH_HELLO_MAX + 1] = {0};
    struct comch_hello hello;
    size_t len = sample_hello(buf);

    (void)state;
    for (size_t i = 0; i <= sizeof(buf); i++) {
        if (i != len)
            assert_int_equal(comch_wire_get_hello(buf, i, &hello), -EBADMSG);
    }
    buf[0] ^= 1; /* magic */
    assert_int_equal(comch_wire_get_hello(buf, len, &hello), -EBADMSG);
    buf[0] ^= 1;
    buf[4]++; /* version */
    assert_int_equal(comch_wire_get_hello(buf, len, &hello), -EPROTO);
    buf[4]--;
    memset(buf + 8, 0, 4); /* no message fits */
    assert_int_equal(comch_wire_get_hello(buf, len, &hello), -EBADMSG);
    sample_hello(buf);
    memset(buf + 12, 0, 4); /* no queue */
    assert_int_equal(comch_wire_get_hello(buf, len, &hello), -EBADMSG);
    sample_hello(buf);
    buf[16] = 2;
    assert_int_equal(comch_wire_get_hello(buf, len, &hello), -EBADMSG);
    sample_hello(buf);
    buf[24] = 1;
    assert_int_equal(comch_wire_get_hello(buf, len, &hello), -EBADMSG);
}

static void answers_come_through(void **state)
{
    (void)state;
    for (int verdict = 0; verdict < COMCH_VERDICT_NUM; verdict++) {
        const struct comch_answer answer = {(enum comch_verdict)verdict, 100, 7, verdict % 2 == 0};
        uint8_t buf[COMCH_ANSWER_LEN + 1] = {0};
        struct comch_answer seen;

        assert_int_equal(comch_wire_put_answer(buf, &answer), COMCH_ANSWER_LEN);
        assert_int_equal(comch_wire_get_answer(buf, COMCH_ANSWER_LEN, &seen), 0);
        assert_int_equal(seen.verdict, verdict);
        assert_int_equal(seen.max_msg, 100);
        assert_int_equal(seen.recv_queue, 7);
        assert_int_equal(seen.fast_path, verdict % 2 == 0);
        assert_int_equal(comch_wire_get_answer(buf, COMCH_ANSWER_LEN - 1, &seen), -EBADMSG);
        assert_int_equal(comch_wire_get_answer(buf, COMCH_ANSWER_LEN + 1, &seen), -EBADMSG);
        buf[8] = COMCH_VERDICT_NUM;
        assert_int_equal(comch_wire_get_answer(buf, COMCH_ANSWER_LEN, &seen), -EBADMSG);
        buf[4]++;
        assert_int_equal(comch_wire_get_answer(buf, COMCH_ANSWER_LEN, &seen), -EPROTO);
    }
}

/* What servers are told apart by is not the hash alone, but different names must not meet. */
static void addresses_differ(void **state)
{
    char one[COMCH_ADDRESS_SIZE], other[COMCH_ADDRESS_SIZE];
    char changed[sizeof(identity)];

    (void)state;
    comch_wire_address(identity, sizeof(identity), one);
    assert_memory_equal(one, "local:comch-", 12);
    assert_true(strlen(one) < 60);
    for (size_t i = 0; i < sizeof(identity); i++) {
        memcpy(changed, identity, sizeof(identity));
        changed[i] ^= 1;
        comch_wire_address(changed, sizeof(changed), other);
        assert_string_not_equal(one, other);
    }
    comch_wire_address(identity, sizeof(identity) - 1, other);
    assert_string_not_equal(one, other);
}

static int parse(uint32_t kind, uint32_t id, uint64_t zero, uint32_t payload)
{
    struct comch_frame_head head = {kind, id, zero};
    uint8_t data[64] = {0};
    struct comch_frame frame;
    int err;

    memcpy(data, &head, sizeof(head));
    err = comch_wire_get_frame(data, (uint32_t)sizeof(head) + payload, &frame);
    if (err == 0) {
        assert_int_equal(frame.kind, kind);
        assert_int_equal(frame.id, id);
        assert_int_equal(frame.len, payload);
        assert_ptr_equal(frame.payload, data + sizeof(head));
    }
    return err;
}

static void frames_are_checked(void **state)
{
    uint8_t data[16] = {0};
    struct comch_frame frame;

    (void)state;
    assert_int_equal(parse(COMCH_FRAME_MESSAGE, 0, 0, 1), 0);
    assert_int_equal(parse(COMCH_FRAME_MESSAGE, 0, 0, 0), -EBADMSG);
    assert_int_equal(parse(COMCH_FRAME_MESSAGE, 1, 0, 1), -EBADMSG);
    assert_int_equal(parse(COMCH_FRAME_MESSAGE, 0, 1, 1), -EBADMSG);
    assert_int_equal(parse(COMCH_FRAME_CONSUMER, 1, 0, 40), 0);
    assert_int_equal(parse(COMCH_FRAME_CONSUMER, 0, 0, 40), -EBADMSG);
    assert_int_equal(parse(COMCH_FRAME_CONSUMER, COMCH_ID_MAX + 1, 0, 40), -EBADMSG);
    assert_int_equal(parse(COMCH_FRAME_EXPIRED, COMCH_ID_MAX, 0, 0), 0);
    assert_int_equal(parse(COMCH_FRAME_EXPIRED, 0, 0, 0), -EBADMSG);
    assert_int_equal(parse(COMCH_FRAME_EXPIRED, 1, 0, 1), -EBADMSG);
    assert_int_equal(parse(0, 0, 0, 1), -EBADMSG);
    assert_int_equal(parse(4, 1, 0, 1), -EBADMSG);
    for (uint32_t len = 0; len < sizeof(data); len++)
        assert_int_equal(comch_wire_get_frame(data, len, &frame), -EBADMSG);
}

static void consumers_are_announced(void **state)
{
    static const uint8_t desc[512] = {1, 2, 3};
    struct comch_consumer_info info = {8, 32, desc, 300, desc, 512}, seen;
    uint8_t buf[COMCH_CONSUMER_MAX + 1] = {0};
    size_t len = comch_wire_put_consumer(buf, &info);

    (void)state;
    assert_int_equal(comch_wire_get_consumer(buf, (uint32_t)len, &seen), 0);
    assert_int_equal(seen.nslots, 8);
    assert_int_equal(seen.imm_len, 32);
    assert_int_equal(seen.page_desc_len, 300);
    assert_int_equal(seen.data_desc_len, 512);
    assert_memory_equal(seen.page_desc, desc, 300);
    assert_memory_equal(seen.data_desc, desc, 512);
    for (uint32_t i = 0; i < sizeof(buf); i++) {
        if (i != len)
            assert_int_equal(comch_wire_get_consumer(buf, i, &seen), -EBADMSG);
    }
    for (uint32_t nslots = 0; nslots < 10; nslots++) {
        bool good = nslots == 1 || nslots == 2 || nslots == 4 || nslots == 8;

        memcpy(buf, &nslots, sizeof(nslots));
        assert_int_equal(comch_wire_get_consumer(buf, (uint32_t)len, &seen), good ? 0 : -EBADMSG);
    }
    info.nslots = 2 * COMCH_POSTS_SLOTS_MAX;
    comch_wire_put_consumer(buf, &info);
    assert_int_equal(comch_wire_get_consumer(buf, (uint32_t)len, &seen), -EBADMSG);
    info.nslots = 1;
    info.imm_len = COMCH_POSTS_IMM_MAX + 1;
    comch_wire_put_consumer(buf, &info);
    assert_int_equal(comch_wire_get_consumer(buf, (uint32_t)len, &seen), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_greeting_comes_through), cmocka_unit_test(other_greetings_are_refused),
        cmocka_unit_test(answers_come_through),     cmocka_unit_test(addresses_differ),
        cmocka_unit_test(frames_are_checked),       cmocka_unit_test(consumers_are_announced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soft/peer/wire.h"

static union soft_peer_msg sample(enum soft_peer_msg_type type)
{
    union soft_peer_msg msg = {0};

    if (type == PEER_MSG_COPY) {
        msg.copy.op = PEER_COPY_READ;
        msg.copy.nsegs = 3;
        msg.copy.segs[2] = (struct soft_peer_seg){0x1000, 5};
    } else if (type == PEER_MSG_ATOMIC) {
        msg.atomic.op = SOFT_PEER_OP_ADD;
        msg.atomic.addr = 0x1008;
        msg.atomic.width = 8;
    }
    return msg;
}

static const enum soft_peer_msg_type types[] = {
    PEER_MSG_HELLO,  PEER_MSG_IMPORT, PEER_MSG_CLOSE,   PEER_MSG_LANE,
    PEER_MSG_COPY,   PEER_MSG_ATOMIC, PEER_MSG_WELCOME, PEER_MSG_IMPORTED,
    PEER_MSG_OPENED, PEER_MSG_DONE,   PEER_MSG_RING,
};

static void every_type_comes_through(void **state)
{
    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(types); i++) {
        union soft_peer_msg msg = sample(types[i]), parsed;
        size_t size = soft_peer_wire_seal(&msg, types[i], 7, 0);

        assert_int_equal(soft_peer_wire_parse(&msg, size, &parsed), 0);
        assert_memory_equal(&parsed, &msg, size);
    }
}

static void every_other_length_is_refused(void **state)
{
    uint8_t packet[2 * sizeof(union soft_peer_msg)];

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(types); i++) {
        union soft_peer_msg msg = sample(types[i]), parsed;
        size_t size = soft_peer_wire_seal(&msg, types[i], 7, 0);

        for (size_t len = 0; len <= sizeof(packet); len++) {
            if (len == size)
                continue;
            memset(packet, 0, sizeof(packet));
            memcpy(packet, &msg, OD_MIN(len, sizeof(msg)));
            assert_int_equal(soft_peer_wire_parse(packet, len, &parsed), -EBADMSG);
            msg.hdr.size = (uint32_t)len;
            memcpy(packet, &msg, OD_MIN(len, sizeof(msg)));
            assert_int_equal(soft_peer_wire_parse(packet, len, &parsed), -EBADMSG);
            msg.hdr.size = (uint32_t)size;
        }
    }
}

static int parse(union soft_peer_msg msg, enum soft_peer_msg_type type)
{
    union soft_peer_msg parsed;
    size_t size = soft_peer_wire_seal(&msg, type, 7, 0);

    return soft_peer_wire_parse(&msg, size, &parsed);
}

static void headers_are_checked(void **state)
{
    union soft_peer_msg msg = sample(PEER_MSG_HELLO), parsed;
    size_t size = soft_peer_wire_seal(&msg, PEER_MSG_HELLO, 7, 0);

    (void)state;
    msg.hdr.magic ^= 1;
    assert_int_equal(soft_peer_wire_parse(&msg, size, &parsed), -EBADMSG);
    msg.hdr.magic ^= 1;
    msg.hdr.version++;
    assert_int_equal(soft_peer_wire_parse(&msg, size, &parsed), -EPROTO);
    msg.hdr.version--;
    msg.hdr.type = 9;
    assert_int_equal(soft_peer_wire_parse(&msg, size, &parsed), -EBADMSG);
    msg.hdr.type = PEER_MSG_HELLO;
    msg.hdr.status = -1; /* requests have none */
    assert_int_equal(soft_peer_wire_parse(&msg, size, &parsed), -EBADMSG);
    size = soft_peer_wire_seal(&msg, PEER_MSG_DONE, 7, -EFAULT);
    assert_int_equal(soft_peer_wire_parse(&msg, size, &parsed), 0);
    size = soft_peer_wire_seal(&msg, PEER_MSG_DONE, 7, 1);
    assert_int_equal(soft_peer_wire_parse(&msg, size, &parsed), -EBADMSG);
}

static void copies_are_checked(void **state)
{
    union soft_peer_msg msg = sample(PEER_MSG_COPY);

    (void)state;
    msg.copy.op = 3;
    assert_int_equal(parse(msg, PEER_MSG_COPY), -EBADMSG);
    msg = sample(PEER_MSG_COPY);
    msg.copy.nsegs = 0;
    assert_int_equal(parse(msg, PEER_MSG_COPY), -EBADMSG);
    msg = sample(PEER_MSG_COPY);
    msg.copy.segs[1] = (struct soft_peer_seg){UINT64_MAX, 2};
    assert_int_equal(parse(msg, PEER_MSG_COPY), -EBADMSG);
    msg.copy.segs[0] = (struct soft_peer_seg){0, UINT64_MAX};
    msg.copy.segs[1] = (struct soft_peer_seg){0, UINT64_MAX};
    assert_int_equal(parse(msg, PEER_MSG_COPY), -EBADMSG);
    msg = sample(PEER_MSG_COPY);
    msg.copy.bounce_offset = UINT64_MAX;
    assert_int_equal(parse(msg, PEER_MSG_COPY), -EBADMSG);
}

static void other_fields_are_checked(void **state)
{
    union soft_peer_msg msg = sample(PEER_MSG_ATOMIC);

    (void)state;
    msg.atomic.addr = 0x1001;
    assert_int_equal(parse(msg, PEER_MSG_ATOMIC), -EBADMSG);
    msg = sample(PEER_MSG_ATOMIC);
    msg.atomic.op = 0;
    assert_int_equal(parse(msg, PEER_MSG_ATOMIC), -EBADMSG);
    msg = sample(PEER_MSG_ATOMIC);
    msg.atomic.width = 2;
    assert_int_equal(parse(msg, PEER_MSG_ATOMIC), -EBADMSG);
    msg.atomic.width = 4;
    msg.atomic.addr = 0x100c;
    assert_int_equal(parse(msg, PEER_MSG_ATOMIC), 0);
    msg.atomic.zero = 1;
    assert_int_equal(parse(msg, PEER_MSG_ATOMIC), -EBADMSG);
    msg = sample(PEER_MSG_IMPORT);
    memset(msg.import.card, 'x', sizeof(msg.import.card));
    assert_int_equal(parse(msg, PEER_MSG_IMPORT), -EBADMSG);
    msg = sample(PEER_MSG_IMPORTED);
    msg.imported.base = UINT64_MAX;
    msg.imported.len = 2;
    assert_int_equal(parse(msg, PEER_MSG_IMPORTED), -EBADMSG);
    msg = sample(PEER_MSG_IMPORTED);
    msg.imported.has_memory = 2;
    assert_int_equal(parse(msg, PEER_MSG_IMPORTED), -EBADMSG);
}

/* ---- Between hosts ---- */

static size_t copy_of(uint8_t *packet, uint32_t op, uint64_t bytes)
{
    union soft_peer_msg msg = {.copy = {.op = op, .nsegs = 2}};
    size_t size;

    msg.copy.segs[0] = (struct soft_peer_seg){0x1000, bytes / 2};
    msg.copy.segs[1] = (struct soft_peer_seg){0x9000, bytes - bytes / 2};
    size = soft_peer_wire_seal(&msg, PEER_MSG_COPY, 7, 0);
    memcpy(packet, &msg, size);
    return size;
}

static void bytes_follow_a_copy(void **state)
{
    uint8_t packet[sizeof(union soft_peer_msg) + 100] = {0};
    const void *payload = NULL;
    union soft_peer_msg msg;
    size_t size, len = 0;

    (void)state;
    size = copy_of(packet, PEER_COPY_WRITE, 77);
    for (size_t extra = 0; extra <= 100; extra++)
        assert_int_equal(soft_peer_wire_split(packet, size + extra, &msg, &payload, &len),
                         extra == 77 + sizeof(struct soft_peer_verdict) ? 0 : -EBADMSG);
    size += sizeof(struct soft_peer_verdict);
    packet[size + 77 - sizeof(struct soft_peer_verdict)] = 1;
    assert_int_equal(soft_peer_wire_split(packet, size + 77, &msg, &payload, &len), -EFAULT);
    assert_int_equal(msg.hdr.type, PEER_MSG_COPY);
    packet[size + 77 - sizeof(struct soft_peer_verdict)] = 2;
    assert_int_equal(soft_peer_wire_split(packet, size + 77, &msg, &payload, &len), -EBADMSG);
    packet[size + 77 - sizeof(struct soft_peer_verdict)] = 0;
    assert_int_equal(soft_peer_wire_split(packet, size + 77, &msg, &payload, &len), 0);
    size -= sizeof(struct soft_peer_verdict);
    assert_ptr_equal(payload, packet + size);
    assert_int_equal(len, 77);
    assert_int_equal(soft_peer_wire_bytes(&msg.copy), 77);
    size = copy_of(packet, PEER_COPY_READ, 77);
    assert_int_equal(soft_peer_wire_split(packet, size, &msg, &payload, &len), 0);
    assert_int_equal(soft_peer_wire_split(packet, size + 77, &msg, &payload, &len), -EBADMSG);
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(soft_peer_wire_split(packet, cut, &msg, &payload, &len), -EBADMSG);
}

static void no_more_than_a_chunk_travels_at_once(void **state)
{
    uint8_t packet[sizeof(union soft_peer_msg)];
    const void *payload;
    union soft_peer_msg msg;
    size_t size, len;

    (void)state;
    size = copy_of(packet, PEER_COPY_READ, PEER_REMOTE_CHUNK);
    assert_int_equal(soft_peer_wire_split(packet, size, &msg, &payload, &len), 0);
    size = copy_of(packet, PEER_COPY_READ, PEER_REMOTE_CHUNK + 1);
    assert_int_equal(soft_peer_wire_split(packet, size, &msg, &payload, &len), -EBADMSG);
    size = copy_of(packet, PEER_COPY_READ, UINT64_MAX - 0x9000);
    assert_int_equal(soft_peer_wire_split(packet, size, &msg, &payload, &len), -EBADMSG);
}

static void only_copies_replies_and_greetings_have_bytes(void **state)
{
    uint8_t packet[2 * sizeof(union soft_peer_msg)] = {0};
    const void *payload;
    union soft_peer_msg out;
    size_t len;
    bool may;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(types); i++) {
        union soft_peer_msg msg = sample(types[i]);
        size_t size = soft_peer_wire_seal(&msg, types[i], 7, 0);

        memcpy(packet, &msg, size);
        assert_int_equal(soft_peer_wire_split(packet, size, &out, &payload, &len), 0);
        may = types[i] == PEER_MSG_DONE || types[i] == PEER_MSG_HELLO;
        assert_int_equal(soft_peer_wire_split(packet, size + 1 + sizeof(struct soft_peer_verdict),
                                              &out, &payload, &len),
                         may ? 0 : -EBADMSG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_through),
        cmocka_unit_test(every_other_length_is_refused),
        cmocka_unit_test(headers_are_checked),
        cmocka_unit_test(copies_are_checked),
        cmocka_unit_test(other_fields_are_checked),
        cmocka_unit_test(bytes_follow_a_copy),
        cmocka_unit_test(no_more_than_a_chunk_travels_at_once),
        cmocka_unit_test(only_copies_replies_and_greetings_have_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

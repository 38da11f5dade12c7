/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "comch/posts.h"
#include "comch/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
    if (!condition)
        abort();
}

/* What is accepted is what would be sent for it. */
static void try_hello(const uint8_t *data, size_t size)
{
    uint8_t again[COMCH_HELLO_MAX];
    struct comch_hello hello;

    if (comch_wire_get_hello(data, size, &hello) != 0)
        return;
    expect(hello.identity_len <= COMCH_IDENTITY_MAX);
    expect(comch_wire_put_hello(again, &hello) == size && memcmp(again, data, size) == 0);
}

static void try_answer(const uint8_t *data, size_t size)
{
    uint8_t again[COMCH_ANSWER_LEN];
    struct comch_answer answer;

    if (comch_wire_get_answer(data, size, &answer) != 0)
        return;
    expect(answer.verdict < COMCH_VERDICT_NUM);
    expect(comch_wire_put_answer(again, &answer) == size && memcmp(again, data, size) == 0);
}

static void try_consumer(const struct comch_frame *frame)
{
    uint8_t again[COMCH_CONSUMER_MAX];
    struct comch_consumer_info info;

    if (comch_wire_get_consumer(frame->payload, frame->len, &info) != 0)
        return;
    expect(info.nslots > 0 && info.nslots <= COMCH_POSTS_SLOTS_MAX &&
           info.imm_len <= COMCH_POSTS_IMM_MAX);
    expect(comch_wire_put_consumer(again, &info) == frame->len &&
           memcmp(again, frame->payload, frame->len) == 0);
}

static void try_frame(const uint8_t *data, size_t size)
{
    struct comch_frame frame;
    uint8_t *copy = malloc(size + 1);

    expect(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    if (comch_wire_get_frame(copy, (uint32_t)size, &frame) == 0) {
        expect(frame.payload + frame.len == copy + size);
        expect((frame.kind == COMCH_FRAME_MESSAGE) == (frame.id == 0));
        if (frame.kind == COMCH_FRAME_CONSUMER)
            try_consumer(&frame);
    }
    free(copy);
}

/* The first byte says what the rest is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 8192)
        return 0;
    switch (data[0] % 3) {
    case 0:
        try_hello(data + 1, size - 1);
        break;
    case 1:
        try_answer(data + 1, size - 1);
        break;
    default:
        try_frame(data + 1, size - 1);
        break;
    }
    return 0;
}

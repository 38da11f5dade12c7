/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "rdma/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
    if (!condition)
        abort();
}

/* What is accepted is what would be sent for it. */
static void try_details(const uint8_t *data, size_t size)
{
    struct rdma_details details, again;
    char address[RDMA_ADDRESS_SIZE];

    if (rdma_wire_get_details(data, size, &details) != 0)
        return;
    again = details;
    rdma_wire_seal_details(&again);
    expect(size == sizeof(again) && memcmp(&again, data, size) == 0);
    expect(memchr(details.remote, 0, sizeof(details.remote)) != NULL);
    rdma_wire_address(details.instance, address);
    expect(strlen(address) < sizeof(address));
}

static void try_hello(const uint8_t *data, size_t size)
{
    struct rdma_hello hello;

    if (rdma_wire_get_hello(data, size, &hello) != 0)
        return;
    rdma_wire_seal_hello(&hello);
    expect(size == sizeof(hello) && memcmp(&hello, data, size) == 0);
}

static void try_answer(const uint8_t *data, size_t size)
{
    struct rdma_answer answer;

    if (rdma_wire_get_answer(data, size, &answer) != 0)
        return;
    expect(answer.verdict < RDMA_VERDICT_NUM);
    rdma_wire_seal_answer(&answer);
    expect(size == sizeof(answer) && memcmp(&answer, data, size) == 0);
}

/* A stream of frames, each behind its length: what was announced comes, and no more. */
static void try_frames(const uint8_t *data, size_t size)
{
    uint64_t left = 0;

    while (size >= 2) {
        uint32_t len = data[0] | (uint32_t)data[1] << 8;
        struct rdma_frame frame;

        if (len > size - 2 || rdma_wire_get_frame(data + 2, len, left, &frame) != 0)
            return;
        if (frame.kind != RDMA_FRAME_MORE)
            left = frame.kind == RDMA_FRAME_WRITE_IMM ? 0 : frame.total;
        expect(len - sizeof(frame) <= left || left == 0);
        expect(len - sizeof(frame) <= RDMA_FRAGMENT);
        left -= len - sizeof(frame);
        expect(left <= RDMA_MAX_MESSAGE);
        data += 2 + len;
        size -= 2 + len;
    }
}

/* The first byte says what the rest is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 65536)
        return 0;
    switch (data[0] % 4) {
    case 0:
        try_details(data + 1, size - 1);
        break;
    case 1:
        try_hello(data + 1, size - 1);
        break;
    case 2:
        try_answer(data + 1, size - 1);
        break;
    default:
        try_frames(data + 1, size - 1);
        break;
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "soft/link/local/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t length_in(const union soft_frame *frame)
{
    switch (frame->head.type) {
    case SOFT_FRAME_HELLO:
        return frame->hello.len;
    case SOFT_FRAME_ANSWER:
        return frame->answer.len;
    case SOFT_FRAME_REFUSAL:
        return frame->refusal.len;
    default:
        return 0;
    }
}

/* What is accepted has the size that it says, and sealing it gives the same frame. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static union soft_frame frame, again;
    uint16_t version;

    if (size > sizeof(frame))
        return 0;
    memcpy(&frame, data, size);
    if (soft_frame_check(&frame, size) != 0)
        return 0;
    if (length_in(&frame) > SOFT_LINK_HELLO_MAX || frame.head.size != size)
        abort();
    memcpy(&again, &frame, size);
    version = frame.head.version;
    if (soft_frame_seal(&again, (enum soft_frame_type)frame.head.type) != size)
        abort();
    again.head.version = version;
    if (memcmp(&again, &frame, size) != 0)
        abort();
    return 0;
}

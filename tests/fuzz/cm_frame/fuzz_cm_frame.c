/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "soft/cm/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
    if (!condition)
        abort();
}

/* Bytes come as the network likes; a frame that is whole is what would be sent for it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_cm_inbox inbox = {.have = 0};
    uint8_t again[SOFT_CM_FRAME_MAX];
    const void *payload;
    size_t len, used = 0;
    int lacks;

    while ((lacks = soft_cm_frame_lacks(&inbox)) > 0) {
        size_t part = (size_t)lacks;

        expect(inbox.have + part <= sizeof(inbox.bytes));
        if (part > size - used)
            part = size - used;
        if (part == 0)
            return 0;
        memcpy(inbox.bytes + inbox.have, data + used, part);
        inbox.have += part;
        used += part;
    }
    if (lacks < 0)
        return 0;
    payload = soft_cm_frame_data(&inbox, &len);
    expect(len <= SOFT_CM_DATA_MAX);
    expect(soft_cm_frame_put(again, soft_cm_frame_kind(&inbox), payload, len) == inbox.have);
    expect(memcmp(again, inbox.bytes, inbox.have) == 0);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames from a network, one behind the other: size of head and data (1 and 2 bytes), head, data.
 * What is accepted goes where the module puts it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft/link/ucx/inbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_MSG 300000u

static void take_all(struct soft_inbox *inbox)
{
    static char copy[MAX_MSG];
    const void *bytes;
    uint32_t len;
    int rc;

    while ((rc = soft_inbox_peek(inbox, &bytes, &len)) == 0) {
        if (len > MAX_MSG)
            abort();
        if (len > 0)
            memcpy(copy, bytes, len);
        soft_inbox_take(inbox);
    }
    if (rc == -ESHUTDOWN)
        soft_inbox_take(inbox);
}

static void take_greeting(const void *data, size_t len)
{
    struct soft_ucx_greeting greeting;
    const void *text;
    static char copy[SOFT_LINK_HELLO_MAX];

    if (soft_ucx_greeting_parse(data, len, &greeting, &text) == 0)
        memcpy(copy, text, greeting.len);
}

static void take_refusal(const void *data, size_t len)
{
    struct soft_ucx_refusal refusal;
    const void *text;
    static char copy[SOFT_LINK_HELLO_MAX];

    if (soft_ucx_refusal_parse(data, len, &refusal, &text) == 0)
        memcpy(copy, text, refusal.len);
}

static void take(struct soft_inbox *inbox, const struct soft_ucx_head *head, const uint8_t *data,
                 size_t len)
{
    switch (head->type) {
    case SOFT_UCX_HELLO:
    case SOFT_UCX_ANSWER:
        take_greeting(data, len);
        break;
    case SOFT_UCX_REFUSAL:
        take_refusal(data, len);
        break;
    case SOFT_UCX_MESSAGE:
        soft_inbox_put(inbox, head->seq, head->offset, head->total, data, (uint32_t)len);
        break;
    case SOFT_UCX_END:
        soft_inbox_put_end(inbox, head->seq);
        break;
    case SOFT_UCX_PING:
        take_all(inbox);
        break;
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t piece[SOFT_UCX_PIECE];
    struct soft_ucx_head head;
    struct soft_inbox inbox;
    size_t at = 0;

    if (soft_inbox_open(&inbox, 5, MAX_MSG) != 0)
        abort();
    while (at + 3 <= size) {
        size_t head_len = data[at], len = data[at + 1] | (size_t)data[at + 2] << 8;
        /* Whole pieces would be too long for an input. */
        size_t given = len == UINT16_MAX ? 0 : len;

        at += 3;
        if (head_len + given > size - at)
            break;
        memcpy(piece, data + at + head_len, given);
        if (len == UINT16_MAX)
            len = sizeof(piece);
        if (soft_ucx_head_parse(data + at, head_len, len, &head) == 0)
            take(&inbox, &head, piece, len);
        at += head_len + given;
    }
    take_all(&inbox);
    soft_inbox_close(&inbox);
    return 0;
}

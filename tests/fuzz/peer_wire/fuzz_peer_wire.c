/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft/peer/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_copy(const struct soft_peer_msg_copy *copy)
{
    uint64_t total = 0;

    if (copy->nsegs == 0 || copy->nsegs > PEER_WIRE_SEGS)
        abort();
    for (uint32_t i = 0; i < copy->nsegs; i++) {
        if (copy->segs[i].addr + copy->segs[i].len < copy->segs[i].addr)
            abort();
        total += copy->segs[i].len;
    }
    if (copy->bounce_offset + total < total)
        abort();
}

/* What comes from another host: the bytes behind a message are as many as it says. */
static void check_split(const uint8_t *data, size_t size)
{
    const void *payload = NULL;
    union soft_peer_msg msg;
    size_t len = 0, rest;
    int rc = soft_peer_wire_split(data, size, &msg, &payload, &len);

    if (rc != 0 && rc != -EFAULT)
        return;
    rest = len > 0 && msg.hdr.type != PEER_MSG_HELLO ? sizeof(struct soft_peer_verdict) : 0;
    if (msg.hdr.size + len + rest != size || (const uint8_t *)payload != data + msg.hdr.size ||
        len > PEER_REMOTE_CHUNK)
        abort();
    if (msg.hdr.type == PEER_MSG_COPY && soft_peer_wire_bytes(&msg.copy) > PEER_REMOTE_CHUNK)
        abort();
    if (msg.hdr.type == PEER_MSG_COPY && msg.copy.op == PEER_COPY_WRITE &&
        soft_peer_wire_bytes(&msg.copy) != len)
        abort();
}

/* What is accepted has the size of its type and sealing it gives the same size. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    union soft_peer_msg msg, again;

    check_split(data, size);
    if (soft_peer_wire_parse(data, size, &msg) != 0)
        return 0;
    if (msg.hdr.size != size)
        abort();
    if (msg.hdr.type == PEER_MSG_COPY)
        check_copy(&msg.copy);
    again = msg;
    if (soft_peer_wire_seal(&again, (enum soft_peer_msg_type)msg.hdr.type, msg.hdr.seq,
                            msg.hdr.status) != size ||
        memcmp(&again, &msg, size) != 0)
        abort();
    return 0;
}

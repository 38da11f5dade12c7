/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/cm/frame.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define MAGIC   0x6d636f64u /* "docm" */
#define VERSION 1

size_t soft_cm_frame_put(uint8_t *buf, enum soft_cm_kind kind, const void *data, size_t len)
{
    const struct soft_cm_head head = {
        .magic = htole32(MAGIC),
        .version = htole16(VERSION),
        .kind = htole16((uint16_t)kind),
        .len = htole32((uint32_t)len),
    };

    memcpy(buf, &head, sizeof(head));
    if (len > 0)
        memcpy(buf + sizeof(head), data, len);
    return sizeof(head) + len;
}

int soft_cm_frame_lacks(const struct soft_cm_inbox *inbox)
{
    struct soft_cm_head head;
    uint32_t len, kind;

    if (inbox->have < sizeof(head))
        return (int)(sizeof(head) - inbox->have);
    memcpy(&head, inbox->bytes, sizeof(head));
    len = le32toh(head.len);
    kind = le16toh(head.kind);
    if (le32toh(head.magic) != MAGIC || le16toh(head.version) != VERSION || head.zero != 0 ||
        kind < SOFT_CM_ASK || kind > SOFT_CM_REFUSE || len > SOFT_CM_DATA_MAX ||
        inbox->have > sizeof(head) + len)
        return -EPROTO;
    return (int)(sizeof(head) + len - inbox->have);
}

enum soft_cm_kind soft_cm_frame_kind(const struct soft_cm_inbox *inbox)
{
    struct soft_cm_head head;

    memcpy(&head, inbox->bytes, sizeof(head));
    return (enum soft_cm_kind)le16toh(head.kind);
}

const void *soft_cm_frame_data(const struct soft_cm_inbox *inbox, size_t *len)
{
    struct soft_cm_head head;

    memcpy(&head, inbox->bytes, sizeof(head));
    *len = le32toh(head.len);
    return inbox->bytes + sizeof(head);
}

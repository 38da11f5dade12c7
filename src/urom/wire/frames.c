/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 1024u

bool urom_cut_frame(const struct urom_cut *cut, struct urom_frame *frame, const void **part)
{
    size_t left = cut->len - cut->sent;
    size_t len = OD_MIN(left, cut->room - sizeof(*frame));

    if (left == 0 && cut->begun)
        return false;
    *frame = (struct urom_frame){.len = (uint32_t)len,
                                 .type = cut->type,
                                 .flags = len < left ? UROM_FRAME_MORE : 0,
                                 .correlation = cut->correlation};
    *part = (const uint8_t *)cut->body + cut->sent;
    return true;
}

void urom_cut_next(struct urom_cut *cut, const struct urom_frame *frame)
{
    cut->sent += frame->len;
    cut->begun = true;
}

static int reserve(struct urom_join *join, size_t need)
{
    size_t cap = join->cap != 0 ? join->cap : FIRST_CAP;
    uint8_t *body;

    if (need > join->limit)
        return -EMSGSIZE;
    while (cap < need)
        cap *= 2;
    if (cap == join->cap)
        return 0;
    body = realloc(join->body, cap);
    if (body == NULL)
        return -ENOMEM;
    join->body = body;
    join->cap = cap;
    return 0;
}

int urom_join_frame(struct urom_join *join, const void *bytes, size_t len)
{
    struct urom_frame frame;
    int err;

    if (len < sizeof(frame))
        return -EBADMSG;
    memcpy(&frame, bytes, sizeof(frame));
    if (frame.len != len - sizeof(frame))
        return -EBADMSG;
    if (join->open && (frame.type != join->type || frame.correlation != join->correlation))
        return -EBADMSG;
    if (!join->open)
        join->len = 0;
    err = reserve(join, join->len + frame.len);
    if (err != 0)
        return err;
    memcpy(join->body + join->len, (const uint8_t *)bytes + sizeof(frame), frame.len);
    join->len += frame.len;
    join->type = frame.type;
    join->correlation = frame.correlation;
    join->open = (frame.flags & UROM_FRAME_MORE) != 0;
    if (join->open)
        return 0;
    return (frame.flags & UROM_FRAME_OPTIONAL) != 0 ? 0 : 1;
}

void urom_join_free(struct urom_join *join)
{
    free(join->body);
    *join = (struct urom_join){.limit = join->limit};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/ucx/wire.h"

#include <errno.h>
#include <string.h>

#define MAGIC 0x5855444fu /* "ODUX" */

_Static_assert(sizeof(struct soft_ucx_head) == 56, "the same in all versions");
_Static_assert(sizeof(struct soft_ucx_refusal) == 8, "the same in all versions");
_Static_assert(sizeof(struct soft_ucx_greeting) == 24, "frozen by SOFT_UCX_VERSION");

struct soft_ucx_head soft_ucx_head_make(enum soft_ucx_type type)
{
    return (struct soft_ucx_head){
        .magic = MAGIC, .version = SOFT_UCX_VERSION, .type = (uint16_t)type};
}

static bool is_piece(const struct soft_ucx_head *head, size_t len)
{
    uint32_t rest;

    if (head->total > SOFT_LINK_MSG_MAX || head->offset > head->total ||
        head->offset % SOFT_UCX_PIECE != 0)
        return false;
    rest = head->total - head->offset;
    return len == OD_MIN(rest, SOFT_UCX_PIECE) && (len > 0 || head->total == 0);
}

static bool fits(const struct soft_ucx_head *head, size_t len)
{
    switch (head->type) {
    case SOFT_UCX_HELLO:
    case SOFT_UCX_ANSWER:
        return len >= sizeof(struct soft_ucx_greeting);
    case SOFT_UCX_REFUSAL:
        return len >= sizeof(struct soft_ucx_refusal);
    case SOFT_UCX_MESSAGE:
        return head->seq > 0 && is_piece(head, len);
    case SOFT_UCX_END:
        return head->seq > 0 && len == 0;
    case SOFT_UCX_ACK:
    case SOFT_UCX_PING:
        return len == 0;
    default:
        return false;
    }
}

int soft_ucx_head_parse(const void *bytes, size_t size, size_t len, struct soft_ucx_head *head)
{
    struct soft_ucx_head copy;

    if (size != sizeof(copy))
        return -EBADMSG;
    memcpy(&copy, bytes, sizeof(copy));
    if (copy.magic != MAGIC)
        return -EBADMSG;
    if (copy.version != SOFT_UCX_VERSION && copy.type != SOFT_UCX_REFUSAL) {
        *head = copy;
        return -EPROTO;
    }
    if (copy.zero != 0 || !fits(&copy, len))
        return -EBADMSG;
    *head = copy;
    return 0;
}

int soft_ucx_greeting_parse(const void *bytes, size_t size, struct soft_ucx_greeting *greeting,
                            const void **text)
{
    struct soft_ucx_greeting copy;

    if (size < sizeof(copy))
        return -EBADMSG;
    memcpy(&copy, bytes, sizeof(copy));
    if (copy.len > SOFT_LINK_HELLO_MAX || size != sizeof(copy) + copy.len || copy.max_msg == 0 ||
        copy.depth == 0 || copy.depth > SOFT_LINK_DEPTH_MAX)
        return -EBADMSG;
    *greeting = copy;
    *text = (const char *)bytes + sizeof(copy);
    return 0;
}

int soft_ucx_refusal_parse(const void *bytes, size_t size, struct soft_ucx_refusal *refusal,
                           const void **text)
{
    struct soft_ucx_refusal copy;

    if (size < sizeof(copy))
        return -EBADMSG;
    memcpy(&copy, bytes, sizeof(copy));
    if (copy.len > SOFT_LINK_HELLO_MAX || size != sizeof(copy) + copy.len ||
        copy.code < SOFT_UCX_REFUSED || copy.code > SOFT_UCX_OTHER)
        return -EBADMSG;
    *refusal = copy;
    *text = (const char *)bytes + sizeof(copy);
    return 0;
}

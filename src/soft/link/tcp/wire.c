/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/tcp/wire.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define MAGIC 0x5444444fu /* "ODDT" */

_Static_assert(sizeof(struct soft_tcp_greeting) == 24, "refusals are the same in all versions");
_Static_assert(sizeof(struct soft_tcp_head) == 24, "frozen by SOFT_TCP_VERSION");

struct soft_tcp_greeting soft_tcp_greeting_make(enum soft_tcp_type type)
{
    return (struct soft_tcp_greeting){
        .magic = MAGIC, .version = SOFT_TCP_VERSION, .type = (uint16_t)type};
}

static bool are_sizes_fine(const struct soft_tcp_greeting *g)
{
    return g->max_msg > 0 && g->max_msg <= SOFT_LINK_MSG_MAX && g->depth > 0 &&
           g->depth <= SOFT_LINK_DEPTH_MAX;
}

static int check(const struct soft_tcp_greeting *g)
{
    if (g->len > SOFT_LINK_HELLO_MAX)
        return -EBADMSG;
    if (g->type == SOFT_TCP_REFUSAL)
        return g->code >= SOFT_TCP_REFUSED && g->code <= SOFT_TCP_OTHER ? 0 : -EBADMSG;
    return are_sizes_fine(g) && g->code == 0 ? 0 : -EBADMSG;
}

int soft_tcp_greeting_parse(const void *bytes, size_t have, enum soft_tcp_type type,
                            enum soft_tcp_type other, struct soft_tcp_greeting *greeting)
{
    struct soft_tcp_greeting copy = {.magic = MAGIC};
    int rc;

    memcpy(&copy, bytes, OD_MIN(have, sizeof(copy)));
    if (have >= sizeof(copy.magic) && copy.magic != MAGIC)
        return -EBADMSG;
    if (have < offsetof(struct soft_tcp_greeting, code))
        return -EAGAIN;
    if (copy.version != SOFT_TCP_VERSION && copy.type != SOFT_TCP_REFUSAL)
        return -EPROTO;
    if (copy.type != type && copy.type != other)
        return -EBADMSG;
    if (have < sizeof(copy))
        return -EAGAIN;
    rc = check(&copy);
    if (rc != 0)
        return rc;
    if (have < sizeof(copy) + copy.len)
        return -EAGAIN;
    *greeting = copy;
    return 0;
}

int soft_tcp_head_parse(const void *bytes, uint32_t max_msg, struct soft_tcp_head *head)
{
    struct soft_tcp_head copy;

    memcpy(&copy, bytes, sizeof(copy));
    if (copy.type < SOFT_TCP_MESSAGE || copy.type > SOFT_TCP_PING || copy.zero != 0 ||
        copy.taken > copy.arrived || copy.len > (copy.type == SOFT_TCP_MESSAGE ? max_msg : 0))
        return -EBADMSG;
    *head = copy;
    return 0;
}

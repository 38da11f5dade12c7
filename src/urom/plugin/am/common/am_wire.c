/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/am/common/am_wire.h"

#include <errno.h>
#include <string.h>

int am_cmd_read(const void *bytes, size_t len, union am_cmd *cmd, const uint8_t **data)
{
    static const size_t sizes[] = {[AM_SEND] = sizeof(struct am_send),
                                   [AM_RECV] = sizeof(struct am_recv),
                                   [AM_CANCEL] = sizeof(struct am_cancel)};
    struct ops_head head;

    if (len < sizeof(head))
        return -EINVAL;
    memcpy(&head, bytes, sizeof(head));
    if (head.op >= sizeof(sizes) / sizeof(sizes[0]))
        return -ENOTSUP;
    if (len < sizes[head.op] || (head.op != AM_SEND && len != sizes[head.op]))
        return -EINVAL;
    if ((head.flags & ~(head.op == AM_SEND ? AM_NO_ACK : 0u)) != 0)
        return -EINVAL;
    memset(cmd, 0, sizeof(*cmd));
    memcpy(cmd, bytes, sizes[head.op]);
    *data = (const uint8_t *)bytes + sizes[head.op];
    return 0;
}

int am_packet_read(const void *bytes, size_t len, struct am_packet *packet)
{
    if (len < sizeof(*packet))
        return -EBADMSG;
    memcpy(packet, bytes, sizeof(*packet));
    return packet->kind >= AM_MESSAGE && packet->kind <= AM_ACK ? 0 : -EBADMSG;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/common/ops_wire.h"

#include <errno.h>
#include <string.h>

int ops_head_read(const void *bytes, size_t len, struct ops_head *head)
{
    if (len < sizeof(*head))
        return -EINVAL;
    memcpy(head, bytes, sizeof(*head));
    return (head->flags & ~(uint32_t)OPS_FLAGS) == 0 ? 0 : -EINVAL;
}

int ops_attach_read(const void *bytes, size_t len, struct ops_attach *attach, const void **desc)
{
    if (len < sizeof(*attach))
        return -EINVAL;
    memcpy(attach, bytes, sizeof(*attach));
    if (attach->zero != 0 || len - sizeof(*attach) != attach->desc_len)
        return -EINVAL;
    *desc = (const uint8_t *)bytes + sizeof(*attach);
    return 0;
}

int ops_detach_read(const void *bytes, size_t len, struct ops_detach *detach)
{
    if (len != sizeof(*detach))
        return -EINVAL;
    memcpy(detach, bytes, sizeof(*detach));
    return 0;
}

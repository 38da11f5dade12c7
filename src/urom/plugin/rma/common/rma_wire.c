/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/rma/common/rma_wire.h"

#include <errno.h>
#include <string.h>

int rma_cmd_read(const void *bytes, size_t len, struct rma_cmd *cmd, const void **inlined)
{
    size_t more;

    memset(cmd, 0, sizeof(*cmd));
    if (ops_head_read(bytes, len, &cmd->head) != 0)
        return -EINVAL;
    if (cmd->head.op == RMA_FLUSH)
        return len == sizeof(cmd->head) ? 0 : -EINVAL;
    if (cmd->head.op != RMA_PUT && cmd->head.op != RMA_GET)
        return -ENOTSUP;
    if (len < sizeof(*cmd))
        return -EINVAL;
    memcpy(cmd, bytes, sizeof(*cmd));
    more = len - sizeof(*cmd);
    *inlined = (const uint8_t *)bytes + sizeof(*cmd);
    if (cmd->local != 0)
        return more == 0 ? 0 : -EINVAL;
    if (cmd->len > RMA_INLINE_MAX)
        return -EINVAL;
    return more == (cmd->head.op == RMA_PUT ? cmd->len : 0) ? 0 : -EINVAL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/amo/common/amo_wire.h"

#include <errno.h>
#include <string.h>

int amo_cmd_read(const void *bytes, size_t len, struct amo_cmd *cmd)
{
    memset(cmd, 0, sizeof(*cmd));
    if (ops_head_read(bytes, len, &cmd->head) != 0)
        return -EINVAL;
    if (cmd->head.op >= AMO_CODES)
        return -ENOTSUP;
    if (len != sizeof(*cmd))
        return -EINVAL;
    memcpy(cmd, bytes, sizeof(*cmd));
    if ((cmd->size != sizeof(uint32_t) && cmd->size != sizeof(uint64_t)) ||
        cmd->va % cmd->size != 0 || cmd->zero != 0)
        return -EINVAL;
    return cmd->head.op == AMO_CSWAP || cmd->compare == 0 ? 0 : -EINVAL;
}

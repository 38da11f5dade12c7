/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/sandbox/common/sandbox_wire.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Where what follows a command begins, when `follow` bytes do; 0: neither size fits. */
static size_t size_of(size_t len, uint64_t follow)
{
    if (len - SANDBOX_CMD_SIZE == follow)
        return SANDBOX_CMD_SIZE;
    if (len >= SANDBOX_CMD_SIZE_LATER && len - SANDBOX_CMD_SIZE_LATER == follow)
        return SANDBOX_CMD_SIZE_LATER;
    return 0;
}

/* The length of the handle is the structure's last word, of either structure. */
static size_t map_size(const uint8_t *bytes, size_t len)
{
    uint64_t handle;

    memcpy(&handle, bytes + SANDBOX_CMD_SIZE - sizeof(handle), sizeof(handle));
    if (len - SANDBOX_CMD_SIZE == handle)
        return SANDBOX_CMD_SIZE;
    if (len < SANDBOX_CMD_SIZE_LATER)
        return 0;
    memcpy(&handle, bytes + SANDBOX_CMD_SIZE_LATER - sizeof(handle), sizeof(handle));
    return len - SANDBOX_CMD_SIZE_LATER == handle ? SANDBOX_CMD_SIZE_LATER : 0;
}

int sandbox_cmd_read(const void *bytes, size_t len, struct sandbox_cmd *cmd, const uint8_t **data)
{
    size_t size;

    if (len < SANDBOX_CMD_SIZE)
        return -EINVAL;
    memcpy(cmd, bytes, sizeof(*cmd));
    switch (cmd->type) {
    case SANDBOX_TAG_SEND:
        size = size_of(len, cmd->send.memh_id == 0 ? cmd->send.count : 0);
        break;
    case SANDBOX_TAG_RECV:
        size = size_of(len, 0);
        break;
    case SANDBOX_MEM_MAP:
        size = map_size(bytes, len);
        break;
    default:
        return -ENOTSUP;
    }
    *data = (const uint8_t *)bytes + size;
    return size > 0 ? 0 : -EINVAL;
}

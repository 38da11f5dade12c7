/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/coll/common/coll_wire.h"

#include <errno.h>
#include <string.h>

size_t coll_dtype_size(uint32_t dtype)
{
    static const uint8_t sizes[COLL_DTYPES] = {
        [COLL_I8] = 1,  [COLL_U8] = 1,  [COLL_I16] = 2, [COLL_U16] = 2, [COLL_I32] = 4,
        [COLL_U32] = 4, [COLL_I64] = 8, [COLL_U64] = 8, [COLL_F32] = 4, [COLL_F64] = 8,
    };

    return dtype < COLL_DTYPES ? sizes[dtype] : 0;
}

int coll_create_read(const void *bytes, size_t len, struct coll_create *create, const void **ids)
{
    if (len < sizeof(*create))
        return -EINVAL;
    memcpy(create, bytes, sizeof(*create));
    if (create->size == 0 || create->size > COLL_TEAM_MAX || create->zero != 0 ||
        len != sizeof(*create) + create->size * sizeof(uint64_t))
        return -EINVAL;
    *ids = (const uint8_t *)bytes + sizeof(*create);
    return 0;
}

int coll_destroy_read(const void *bytes, size_t len, struct coll_destroy *destroy)
{
    if (len != sizeof(*destroy))
        return -EINVAL;
    memcpy(destroy, bytes, sizeof(*destroy));
    return 0;
}

int coll_cmd_read(const void *bytes, size_t len, struct coll_cmd *cmd, const void **inlined,
                  size_t *inlined_len)
{
    if (len < sizeof(*cmd))
        return -EINVAL;
    memcpy(cmd, bytes, sizeof(*cmd));
    if (cmd->zero != 0 || cmd->head.op < COLL_BARRIER || cmd->head.op >= COLL_CODES)
        return -EINVAL;
    if (cmd->head.op == COLL_ALLREDUCE &&
        (coll_dtype_size(cmd->dtype) == 0 || cmd->reduction >= COLL_REDUCTIONS ||
         (cmd->dtype >= COLL_F32 && cmd->reduction >= COLL_AND)))
        return -EINVAL;
    *inlined = (const uint8_t *)bytes + sizeof(*cmd);
    *inlined_len = len - sizeof(*cmd);
    return cmd->src == 0 || *inlined_len == 0 ? 0 : -EINVAL;
}

static bool is_memory(const void *bytes)
{
    struct coll_memory memory;

    memcpy(&memory, bytes, sizeof(memory));
    return memory.desc_len <= sizeof(memory.desc) && memory.zero == 0;
}

static int open_read(const void *bytes, size_t len, struct coll_open *open, const void **data,
                     const void **memory)
{
    size_t aligned;

    if (len < sizeof(*open))
        return -EINVAL;
    memcpy(open, bytes, sizeof(*open));
    if (open->data_len > COLL_EAGER_MAX || open->has_memory > 1)
        return -EINVAL;
    aligned = sizeof(*open) + ((open->data_len + 7u) & ~7u);
    if (len != aligned + (open->has_memory != 0 ? 2 * sizeof(struct coll_memory) : 0))
        return -EINVAL;
    *data = (const uint8_t *)bytes + sizeof(*open);
    if (open->has_memory == 0)
        return 0;
    *memory = (const uint8_t *)bytes + aligned;
    return is_memory(*memory) && is_memory((const uint8_t *)*memory + sizeof(struct coll_memory))
               ? 0
               : -EINVAL;
}

int coll_msg_read(const void *bytes, size_t len, struct coll_open *open, const void **data,
                  const void **memory)
{
    struct coll_msg msg;

    *data = NULL;
    *memory = NULL;
    if (len < sizeof(msg))
        return -EINVAL;
    memcpy(&msg, bytes, sizeof(msg));
    if (msg.src >= COLL_TEAM_MAX || msg.dst >= COLL_TEAM_MAX)
        return -EINVAL;
    if (msg.type == COLL_OPEN)
        return open_read(bytes, len, open, data, memory);
    memset(open, 0, sizeof(*open));
    open->msg = msg;
    return msg.type >= COLL_HELLO && msg.type <= COLL_STOP && len == sizeof(msg) ? 0 : -EINVAL;
}

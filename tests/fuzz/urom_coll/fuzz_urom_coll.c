/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "urom/plugin/coll/common/coll_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is taken lies inside of the bytes that came: commands, and messages of other workers. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size;
    const void *bytes = NULL, *memory = NULL;
    struct coll_create create;
    struct coll_destroy destroy;
    struct coll_open open;
    struct coll_cmd cmd;
    size_t len;

    if (coll_create_read(data, size, &create, &bytes) == 0 &&
        (create.size > COLL_TEAM_MAX || (const uint8_t *)bytes + 8 * create.size != end))
        abort();
    if (coll_destroy_read(data, size, &destroy) == 0 && size != sizeof(destroy))
        abort();
    if (coll_cmd_read(data, size, &cmd, &bytes, &len) == 0 &&
        ((const uint8_t *)bytes + len != end || (cmd.src != 0 && len != 0)))
        abort();
    if (coll_msg_read(data, size, &open, &bytes, &memory) != 0)
        return 0;
    if (open.msg.type == COLL_OPEN && (const uint8_t *)bytes + open.data_len > end)
        abort();
    if (memory != NULL && (const uint8_t *)memory + 2 * sizeof(struct coll_memory) != end)
        abort();
    return 0;
}

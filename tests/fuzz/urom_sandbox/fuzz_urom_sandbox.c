/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "urom/plugin/sandbox/common/sandbox_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A command for worker_sandbox, in a block that ends with it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    const uint8_t *more = NULL;
    struct sandbox_cmd cmd;

    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    if (sandbox_cmd_read(bytes, size, &cmd, &more) == 0) {
        if (more < bytes + sizeof(cmd) || more > bytes + size)
            abort();
        if (cmd.type == SANDBOX_TAG_SEND && cmd.send.memh_id == 0 &&
            (size_t)(bytes + size - more) != cmd.send.count)
            abort();
    }
    free(bytes);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "urom/plugin/rma/common/rma_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is taken lies inside of the bytes that came. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ops_attach attach;
    struct ops_detach detach;
    const void *bytes = data;
    struct rma_cmd cmd;

    if (rma_cmd_read(data, size, &cmd, &bytes) == 0) {
        if (cmd.head.op == RMA_PUT && cmd.local == 0 &&
            (const uint8_t *)bytes + cmd.len != data + size)
            abort();
        if (cmd.head.op == RMA_GET && cmd.local == 0 && cmd.len > RMA_INLINE_MAX)
            abort();
    }
    if (ops_attach_read(data, size, &attach, &bytes) == 0 &&
        (const uint8_t *)bytes + attach.desc_len != data + size)
        abort();
    if (ops_detach_read(data, size, &detach) == 0 && size != sizeof(detach))
        abort();
    return 0;
}

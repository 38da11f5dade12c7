/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "urom/plugin/am/common/am_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A command of worker_am, and a packet of another worker, in a block that ends with it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    const uint8_t *more = NULL;
    struct am_packet packet;
    union am_cmd cmd;

    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    if (am_cmd_read(bytes, size, &cmd, &more) == 0 &&
        (more < bytes + sizeof(cmd.head) || more > bytes + size || cmd.head.op > AM_CANCEL))
        abort();
    if (am_packet_read(bytes, size, &packet) == 0 && (packet.kind == 0 || packet.kind > AM_ACK))
        abort();
    free(bytes);
    return 0;
}

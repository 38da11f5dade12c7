/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "urom/plugin/rdmo/common/rdmo_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void command(const uint8_t *bytes, size_t size)
{
    const uint8_t *more = NULL;
    struct rdmo_cmd cmd;

    if (rdmo_cmd_read(bytes, size, &cmd, &more) != 0)
        return;
    if (more != bytes + sizeof(cmd))
        abort();
    if (cmd.type == RDMO_MR_REG && cmd.mr_reg.rkey_len + cmd.mr_reg.memh_len + sizeof(cmd) != size)
        abort();
}

static void pieces_of(const uint8_t *bytes, size_t size, uint64_t count)
{
    struct rdmo_piece piece;
    const uint8_t *at;
    size_t offset = 0;

    if (rdmo_pieces_check(bytes, size, count) != 0)
        return;
    while (rdmo_piece_read(bytes, size, &offset, &piece, &at) == 0) {
        if (at + piece.len > bytes + size)
            abort();
        count--;
    }
    if (count != 0)
        abort();
}

/* A command; or the length of a header, the header and data of an active message. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    struct rdmo_request request;
    size_t head;

    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    command(bytes, size);
    if (size > 0) {
        head = bytes[0] < size ? bytes[0] : size - 1;
        if (rdmo_request_read(bytes + 1, head, size - 1 - head, &request) == 0 &&
            request.op == RDMO_SCATTER)
            pieces_of(bytes + 1 + head, size - 1 - head, request.scatter.count);
    }
    free(bytes);
    return 0;
}

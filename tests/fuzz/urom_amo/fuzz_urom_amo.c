/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "urom/plugin/amo/common/amo_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is taken has an operation that exists and an operand that does not straddle. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct amo_cmd cmd;

    if (amo_cmd_read(data, size, &cmd) != 0)
        return 0;
    if (cmd.head.op >= AMO_CODES || (cmd.size != 4 && cmd.size != 8) || cmd.va % cmd.size != 0)
        abort();
    return 0;
}

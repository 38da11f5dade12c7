/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_AMO_COMMON_AMO_WIRE_H_
#define OD_UROM_PLUGIN_AMO_COMMON_AMO_WIRE_H_

/* What the plugin worker_amo and its host half say to each other. */

#include "urom/plugin/common/ops_wire.h"

enum amo_code {
    AMO_FADD = 0,
    AMO_CSWAP = 1,
    AMO_SWAP = 2,
    AMO_ADD = 3, /* what was there does not come back */
    AMO_FAND = 4,
    AMO_FOR = 5,
    AMO_FXOR = 6,
    AMO_CODES,
};

struct amo_cmd {
    struct ops_head head;
    uint64_t remote; /* handle */
    uint64_t va;     /* aligned to `size` */
    uint64_t operand;
    uint64_t compare; /* of AMO_CSWAP, else 0 */
    uint32_t size;    /* 4 or 8 bytes */
    uint32_t zero;
};

struct amo_answer {
    struct ops_head head;
    uint64_t before; /* what was there; 0 for AMO_ADD */
};

_Static_assert(sizeof(struct amo_cmd) == 56, "wire format");
_Static_assert(sizeof(struct amo_answer) == 24, "wire format");

/* 0; -EINVAL: lengths, size or alignment are wrong; -ENOTSUP: not one of these operations. */
int amo_cmd_read(const void *bytes, size_t len, struct amo_cmd *cmd);

#endif /* OD_UROM_PLUGIN_AMO_COMMON_AMO_WIRE_H_ */

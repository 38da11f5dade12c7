/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_RMA_COMMON_RMA_WIRE_H_
#define OD_UROM_PLUGIN_RMA_COMMON_RMA_WIRE_H_

/* What the plugin worker_rma and its host half say to each other. */

#include "urom/plugin/common/ops_wire.h"

enum rma_code {
    RMA_PUT = 2,
    RMA_GET = 3,
    RMA_FLUSH = 4, /* ends when all earlier operations of this channel have */
};

/* Handle 0 for the local side: a put has its `len` bytes behind the command, a get brings them
 * behind the answer's head. */
struct rma_cmd {
    struct ops_head head;
    uint64_t local;
    uint64_t local_va;
    uint64_t remote;
    uint64_t remote_va;
    uint64_t len;
};

_Static_assert(sizeof(struct rma_cmd) == 56, "wire format");

#define RMA_INLINE_MAX (1u << 20) /* bytes; no message is longer */

#define RMA_ALONG_MAX 64u /* bytes of a put from the program's own memory that travel along */

/* A put, get or flush. *inlined: the bytes behind a put, inside of `bytes`. 0; -EINVAL: lengths do
 * not match; -ENOTSUP: not one of these operations. A flush has only the head; the rest is 0. */
int rma_cmd_read(const void *bytes, size_t len, struct rma_cmd *cmd, const void **inlined);

#endif /* OD_UROM_PLUGIN_RMA_COMMON_RMA_WIRE_H_ */

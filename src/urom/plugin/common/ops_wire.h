/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COMMON_OPS_WIRE_H_
#define OD_UROM_PLUGIN_COMMON_OPS_WIRE_H_

/* What the plugins worker_rma, worker_amo and worker_coll and their host half have in common.
 *
 * A command and its answer begin with the same head. Memory is named by handles: a region, of this
 * client or of a peer, is attached once with the descriptor that its owner exported, so that the
 * commands that move data stay short. All three plugins attach and detach; what one of them
 * attached the others know too. A handle is good for the channel that attached it. */

#include <stddef.h>
#include <stdint.h>

#define OPS_VERSION 1

#define OPS_CARD "urom-region" /* what exports of regions name instead of a card */

enum ops_code {
    /* 0 and up are each plugin's own */
    OPS_ATTACH = 0x100,
    OPS_DETACH = 0x101,
};

enum ops_flag {
    OPS_FENCE = 1, /* not before all earlier operations of this channel are complete */
    OPS_FLAGS = 1,
};

struct ops_head {
    uint32_t op;
    uint32_t flags;
    uint64_t context; /* comes back as it is */
};

/* Followed by the descriptor. Length 0: it is the key of the buffer of the domain's worker
 * `domain_id` that `va` lies in. */
struct ops_attach {
    struct ops_head head;
    uint64_t domain_id;
    uint64_t va;
    uint32_t desc_len;
    uint32_t zero;
};

struct ops_attached {
    struct ops_head head;
    uint64_t handle;
    uint64_t addr; /* of the owner */
    uint64_t len;
    uint32_t access; /* soft_peer_access bits */
    char engine[12]; /* "mapped", "vm", "served"; padded with zeroes */
};

struct ops_detach {
    struct ops_head head;
    uint64_t handle;
};

_Static_assert(sizeof(struct ops_head) == 16, "wire format");
_Static_assert(sizeof(struct ops_attach) == 40, "wire format");
_Static_assert(sizeof(struct ops_attached) == 56, "wire format");
_Static_assert(sizeof(struct ops_detach) == 24, "wire format");

/* The head of a command. 0; -EINVAL: too short, or unknown flags. */
int ops_head_read(const void *bytes, size_t len, struct ops_head *head);

/* *desc points into `bytes`. 0 or -EINVAL. */
int ops_attach_read(const void *bytes, size_t len, struct ops_attach *attach, const void **desc);
int ops_detach_read(const void *bytes, size_t len, struct ops_detach *detach);

#endif /* OD_UROM_PLUGIN_COMMON_OPS_WIRE_H_ */

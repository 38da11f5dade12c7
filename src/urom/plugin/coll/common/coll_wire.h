/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COLL_COMMON_COLL_WIRE_H_
#define OD_UROM_PLUGIN_COLL_COMMON_COLL_WIRE_H_

/* What the plugin worker_coll says to its host half, and to itself in other workers. */

#include <stdbool.h>

#include "urom/plugin/common/ops_wire.h"

#define COLL_TEAM_MAX  1024u /* members */
#define COLL_EAGER_MAX 8192u /* bytes that travel with a message; above, memory is read */
#define COLL_DESC_MAX  512u  /* bytes of a region's descriptor */

enum coll_code {
    COLL_TEAM_CREATE = 0,
    COLL_TEAM_DESTROY = 1,
    COLL_BARRIER = 2,
    COLL_BCAST = 3,
    COLL_ALLGATHER = 4,
    COLL_ALLREDUCE = 5,
    COLL_ALLTOALL = 6,
    COLL_CODES,
};

enum coll_dtype {
    COLL_I8,
    COLL_U8,
    COLL_I16,
    COLL_U16,
    COLL_I32,
    COLL_U32,
    COLL_I64,
    COLL_U64,
    COLL_F32,
    COLL_F64,
    COLL_DTYPES,
};

enum coll_reduction {
    COLL_SUM,
    COLL_PROD,
    COLL_MIN,
    COLL_MAX,
    COLL_AND,
    COLL_OR,
    COLL_XOR,
    COLL_REDUCTIONS,
};

size_t coll_dtype_size(uint32_t dtype);

/* ---- host and worker ---- */

/* Followed by `size` domain ids: the members by rank. */
struct coll_create {
    struct ops_head head;
    uint64_t team_id; /* the application's */
    uint64_t own;     /* domain id of this member */
    uint32_t size;
    uint32_t zero;
};

struct coll_created {
    struct ops_head head;
    uint64_t team; /* handle */
};

struct coll_destroy {
    struct ops_head head;
    uint64_t team;
};

/* An operation. Handles 0: the source follows and the result comes with the answer; only if it is
 * not longer than COLL_EAGER_MAX. A broadcast has only a source, which the others write to. */
struct coll_cmd {
    struct ops_head head;
    uint64_t team;
    uint64_t src;
    uint64_t src_va;
    uint64_t dst;
    uint64_t dst_va;
    uint64_t len; /* bytes of a member's block; elements of an all-reduce */
    uint32_t dtype;
    uint32_t reduction;
    uint32_t root;
    uint32_t zero;
};

_Static_assert(sizeof(struct coll_create) == 40, "wire format");
_Static_assert(sizeof(struct coll_created) == 24, "wire format");
_Static_assert(sizeof(struct coll_destroy) == 24, "wire format");
_Static_assert(sizeof(struct coll_cmd) == 80, "wire format");

/* Each: 0; -EINVAL: malformed. *ids and *inlined point into `bytes`, unaligned. */
int coll_create_read(const void *bytes, size_t len, struct coll_create *create, const void **ids);
int coll_destroy_read(const void *bytes, size_t len, struct coll_destroy *destroy);
int coll_cmd_read(const void *bytes, size_t len, struct coll_cmd *cmd, const void **inlined,
                  size_t *inlined_len);

/* ---- worker and worker ---- */

enum coll_msg_type {
    COLL_HELLO = 1, /* this member has created the team; seq: checksum of the member list */
    COLL_LEAVE = 2, /* it has destroyed it */
    COLL_OPEN = 3,  /* it has begun operation seq; struct coll_open follows */
    COLL_SLICE = 4, /* its part of an all-reduce can be read */
    COLL_DONE = 5,  /* it has read what it needs */
    COLL_FAIL = 6,  /* it has failed, with `status` */
    COLL_STOP = 7,  /* it begins no operation from seq on, since the team has lost a member */
};

struct coll_msg {
    uint32_t type;
    uint32_t src; /* ranks */
    uint32_t dst;
    uint32_t status;
    uint64_t team_id;
    uint64_t nonce; /* of the sender's team: tells uses of an id apart */
    uint64_t seq;
};

struct coll_memory {
    uint64_t handle; /* tells regions of a sender apart; 0: none */
    uint64_t va;
    uint32_t desc_len;
    uint32_t zero;
    uint8_t desc[COLL_DESC_MAX];
};

/* Followed by `data_len` bytes. `status` of the message not 0: the member takes part only to say
 * that it cannot. */
struct coll_open {
    struct coll_msg msg;
    uint32_t code;
    uint32_t dtype;
    uint32_t reduction;
    uint32_t root;
    uint64_t len;
    uint32_t data_len;
    uint32_t has_memory; /* 1: `src` and `dst` follow the data, 8-byte aligned */
};

_Static_assert(sizeof(struct coll_msg) == 40, "wire format");
_Static_assert(sizeof(struct coll_open) == 72, "wire format");
_Static_assert(sizeof(struct coll_memory) == 536, "wire format");

#define COLL_MSG_MAX (sizeof(struct coll_open) + COLL_EAGER_MAX + 2 * sizeof(struct coll_memory))

/* 0 or -EINVAL. After 0 of an OPEN, `open` is filled in, *data are its bytes, and *memory its two
 * memories or NULL, both inside of `bytes`; of other types only open->msg. */
int coll_msg_read(const void *bytes, size_t len, struct coll_open *open, const void **data,
                  const void **memory);

#endif /* OD_UROM_PLUGIN_COLL_COMMON_COLL_WIRE_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_RDMO_COMMON_RDMO_WIRE_H_
#define OD_UROM_PLUGIN_RDMO_COMMON_RDMO_WIRE_H_

/* Remote direct memory operations: what the plugin worker_rdmo says to its host half, and what
 * initiators send to it as active messages of UCX.
 *
 * A target, which is a client of the worker, registers itself, initiators (a receive queue each)
 * and memory. An initiator then asks the worker to change the target's memory, without any part of
 * the target's program.
 *
 * Fields that were pointers in the host half say nothing here: what they pointed to follows. */

#include <stddef.h>
#include <stdint.h>

#define RDMO_VERSION  1
#define RDMO_AM_ID    0
#define RDMO_ADDR_MAX 1024 /* bytes of a worker address of UCX */

enum rdmo_type {
    RDMO_CLIENT_INIT = 0,
    RDMO_RQ_CREATE = 1,
    RDMO_RQ_DESTROY = 2,
    RDMO_MR_REG = 3,
    RDMO_MR_DEREG = 4,
};

struct rdmo_cmd {
    uint64_t type;
    union {
        struct {
            uint64_t id; /* of the client, unique in the worker */
            uint64_t addr;
            uint64_t addr_len; /* its worker address follows */
        } init;
        struct {
            uint64_t addr;
            uint64_t addr_len; /* the initiator's worker address follows */
        } rq_create;
        uint64_t rq_id;
        struct {
            uint64_t va;
            uint64_t len;
            uint64_t rkey;
            uint64_t rkey_len; /* the packed key follows */
            uint64_t memh;
            uint64_t memh_len; /* and then the packed handle; 0: none */
        } mr_reg;
        uint64_t rkey_id;
    };
};

struct rdmo_notify {
    uint64_t type;
    union {
        struct {
            uint64_t addr;
            uint64_t addr_len; /* the worker's own address follows */
        } init;
        uint64_t id; /* of a receive queue or a region */
        uint64_t words[2];
    };
};

_Static_assert(sizeof(struct rdmo_cmd) == 56, "wire format");
_Static_assert(sizeof(struct rdmo_notify) == 24, "wire format");
_Static_assert(offsetof(struct rdmo_cmd, mr_reg.memh_len) == 48, "wire format");

/* Checks a command and copies it; *data is where what follows begins.
 * 0; -EINVAL: its length is none that its type can have; -ENOTSUP: no such type. */
int rdmo_cmd_read(const void *bytes, size_t len, struct rdmo_cmd *cmd, const uint8_t **data);

/* ---- What initiators send ---- */

enum rdmo_op {
    RDMO_FLUSH = 0,
    RDMO_APPEND = 1,
    RDMO_SCATTER = 2,
};

enum rdmo_flag {
    RDMO_FENCE = 1, /* not before earlier requests of this initiator are done */
};

/* Header of an active message. */
struct rdmo_request {
    uint64_t client_id;
    uint32_t op;
    uint32_t flags;
    union {
        struct {
            uint64_t id;
        } flush;
        struct {
            uint64_t pointer; /* address of an address in the target's memory */
            uint64_t pointer_rkey;
            uint64_t data_rkey;
        } append; /* data: the bytes */
        struct {
            uint64_t count;
        } scatter; /* data: so many pieces */
    };
};

/* Followed by its bytes. */
struct rdmo_piece {
    uint64_t addr;
    uint64_t rkey_id;
    uint16_t len;
    uint8_t zero[6];
};

/* Answer to a flush. */
struct rdmo_flushed {
    uint32_t op; /* RDMO_FLUSH */
    uint64_t id;
} __attribute__((packed));

_Static_assert(sizeof(struct rdmo_request) == 40, "wire format");
_Static_assert(sizeof(struct rdmo_piece) == 24, "wire format");
_Static_assert(sizeof(struct rdmo_flushed) == 12, "wire format");

/* 0; -EINVAL: header or data have a length that the operation cannot have; -ENOTSUP: no such
 * operation. */
int rdmo_request_read(const void *header, size_t header_len, size_t data_len,
                      struct rdmo_request *request);

/* The piece at *offset, which is advanced past it. 0; -ENOENT: that was all; -EINVAL: cut short. */
int rdmo_piece_read(const uint8_t *data, size_t len, size_t *offset, struct rdmo_piece *piece,
                    const uint8_t **bytes);
/* 0 when the data are exactly so many pieces, else -EINVAL. */
int rdmo_pieces_check(const uint8_t *data, size_t len, uint64_t count);

#endif /* OD_UROM_PLUGIN_RDMO_COMMON_RDMO_WIRE_H_ */

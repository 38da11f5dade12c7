/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_RDMA_WIRE_H_
#define OD_RDMA_WIRE_H_

/* What two instances say to each other. All of it comes from another process, perhaps of another
 * host: it is copied before it is looked at, and checked here. Integers are little-endian, as all
 * machines that we know. */

#include "util/base.h"

#define RDMA_WIRE_VERSION 1
#define RDMA_TOKEN_SIZE   16
#define RDMA_REMOTE_SIZE  64

/* ---- Connection details: how a peer reaches one connection ---- */

struct rdma_details {
    char magic[8];
    uint32_t version;
    uint32_t size; /* bytes of the whole */
    uint64_t host; /* machine and runtime folder: the same one is reached locally */
    uint8_t instance[RDMA_TOKEN_SIZE]; /* names the listener of the instance */
    uint8_t token[RDMA_TOKEN_SIZE];    /* random: who has it may connect */
    uint32_t conn_id;
    uint32_t zero;
    char remote[RDMA_REMOTE_SIZE]; /* HOST:PORT for other hosts; empty: none */
    uint64_t check;                /* over everything before it */
};
_Static_assert(sizeof(struct rdma_details) == 136, "the layout is frozen by its version");

/* Fills in magic, version, size and check. */
void rdma_wire_seal_details(struct rdma_details *details);
/* 0 and a copy; -EBADMSG; -EPROTO: of another version. More bytes than the details are none. */
int rdma_wire_get_details(const void *data, size_t len, struct rdma_details *details);

/* The link address of an instance's listener on its own machine. */
#define RDMA_ADDRESS_SIZE 48
void rdma_wire_address(const uint8_t instance[RDMA_TOKEN_SIZE], char address[RDMA_ADDRESS_SIZE]);

/* ---- Greeting and answer of a link ---- */

struct rdma_hello {
    uint32_t magic;
    uint32_t version;
    uint32_t conn_id;     /* of the side that listens */
    uint32_t permissions; /* that the greeting side gives its peer: doca_access_flag bits */
    uint8_t token[RDMA_TOKEN_SIZE];     /* of the side that listens */
    uint8_t own_token[RDMA_TOKEN_SIZE]; /* of the side that greets */
};
_Static_assert(sizeof(struct rdma_hello) == 48, "frozen");

enum rdma_verdict {
    RDMA_WELCOME,
    RDMA_CROSSED,  /* the side that listens connects itself */
    RDMA_STRANGER, /* no such connection */
    RDMA_VERSION,
    RDMA_VERDICT_NUM
};

struct rdma_answer {
    uint32_t magic;
    uint32_t version;
    uint32_t verdict;
    uint32_t permissions;
};
_Static_assert(sizeof(struct rdma_answer) == 16, "frozen");

/* Magic and version are filled in. */
void rdma_wire_seal_hello(struct rdma_hello *hello);
void rdma_wire_seal_answer(struct rdma_answer *answer);
/* 0, -EBADMSG, -EPROTO for another version. */
int rdma_wire_get_hello(const void *data, size_t len, struct rdma_hello *hello);
int rdma_wire_get_answer(const void *data, size_t len, struct rdma_answer *answer);

/* ---- Frames: one link message each ---- */

enum rdma_frame_kind {
    RDMA_FRAME_SEND = 1,      /* begins a message of `total` bytes; payload: its first ones */
    RDMA_FRAME_SEND_IMM = 2,  /* the same, with immediate data */
    RDMA_FRAME_MORE = 3,      /* goes on with it; payload */
    RDMA_FRAME_WRITE_IMM = 4, /* `total` bytes were written; no payload */
};

struct rdma_frame {
    uint32_t kind;
    uint32_t imm; /* as the program gave it, in whichever order */
    uint64_t total;
};
_Static_assert(sizeof(struct rdma_frame) == 16, "frozen");

#define RDMA_FRAGMENT                                                                              \
    (16u << 10) /* payload bytes of a frame, all frames of a message but the last */
#define RDMA_LINK_MSG    ((uint32_t)sizeof(struct rdma_frame) + RDMA_FRAGMENT)
#define RDMA_MAX_MESSAGE (1u << 30)

/* `left`: bytes that the message that has begun still lacks, 0: none has begun. 0, or -EBADMSG.
 * Looks at the head and at the number of bytes behind it only. */
int rdma_wire_get_frame(const void *data, uint32_t len, uint64_t left, struct rdma_frame *frame);

#endif /* OD_RDMA_WIRE_H_ */

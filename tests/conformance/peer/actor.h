/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_CONFORMANCE_PEER_ACTOR_H_
#define OD_TESTS_CONFORMANCE_PEER_ACTOR_H_

/* A process that exports and imports on command. It reads an order from standard input, blocked in
 * read() meanwhile, carries it out, and writes an answer to standard output. */

#include "soft/peer/peer.h"

enum memory_kind {
    MEMORY_HEAP,
    MEMORY_MEMFD,
    MEMORY_SHM,    /* by name, descriptor closed */
    MEMORY_SHARED, /* anonymous: no name, no descriptor */
    MEMORY_HUGE,
};

enum order_what {
    ORDER_ALLOC,    /* kind, a: bytes; filled with b */
    ORDER_EXPORT,   /* a: offset, b: bytes, kind: access -> descriptor, slot */
    ORDER_FILL,     /* a: offset, b: bytes, c: value */
    ORDER_COUNT,    /* a: offset, b: bytes, c: value -> bytes with another value */
    ORDER_PROTECT,  /* a: offset, b: bytes; PROT_NONE */
    ORDER_UNMAP,    /* a: offset, b: bytes */
    ORDER_TRUNCATE, /* the file, to a bytes */
    ORDER_REVOKE,   /* slot; then fills all memory with c */
    ORDER_CPU_ADD,  /* a: offset, b: times; CPU atomics on own memory */
    ORDER_FORK,     /* a child that sleeps until it is killed -> its pid */
    ORDER_LIMIT,    /* a: descriptors the process may have open */
    ORDER_IMPORT,   /* descriptor -> engine name in desc */
    ORDER_READ,     /* a: address, b: bytes (up to 4096) -> sum */
    ORDER_PEER_ADD, /* a: address, b: times */
    ORDER_BEGIN,    /* begins an access of the import and leaves it open */
    ORDER_CLOSE,
    ORDER_USER,     /* a: becomes this user */
    ORDER_DUMPABLE, /* a: 0: hides its memory from processes of the same user */
};

struct order {
    uint32_t what;
    uint32_t kind;
    uint32_t slot;
    uint32_t desc_len;
    uint64_t a, b, c;
    uint8_t desc[SOFT_PEER_DESC_MAX];
};

struct answer {
    int32_t rc;
    uint32_t desc_len;
    uint64_t value;
    uint8_t desc[SOFT_PEER_DESC_MAX];
};

#define ACTOR_CARD "card-0"

#endif /* OD_TESTS_CONFORMANCE_PEER_ACTOR_H_ */

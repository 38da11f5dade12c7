/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_WIRE_H_
#define OD_SOFT_PEER_WIRE_H_

/* Messages between importer and exporter.
 *
 * The control connection (one for each pair of processes) carries hello, import, close and lane;
 * the lane, a second socket made on demand, carries copy and atomic. Both are SOCK_SEQPACKET: one
 * message a packet, no partial frames, an end of file when the other process is gone. Requests go
 * from the importer to the exporter, each but close and ring has exactly one reply, in order.
 *
 *   hello   -> welcome  + board (memory file of cells)
 *   import  -> imported + memory file of the range, if asked for and possible
 *   lane    -> opened   + lane socket + bounce (memory file)
 *   copy    -> done
 *   atomic  -> done
 *   close
 *   ring
 *
 * A reply with a negative status carries no file and its other fields mean nothing.
 *
 * Between hosts the same messages travel over one link, without files, lane and bounce: the bytes
 * of a copy follow the message that they belong to, and a verdict follows them, since they are read
 * while they are sent. Hello and welcome are the link's greetings; the secret that hosts may share
 * follows the hello. */

#include "soft/peer/desc.h"
#include "soft/peer/gate.h"

#define PEER_WIRE_VERSION 3
#define PEER_WIRE_SEGS    64 /* exporter segments in one copy message */

enum soft_peer_msg_type {
    PEER_MSG_HELLO = 1,
    PEER_MSG_IMPORT = 2,
    PEER_MSG_CLOSE = 3,
    PEER_MSG_LANE = 4,
    PEER_MSG_COPY = 5,
    PEER_MSG_ATOMIC = 6,
    PEER_MSG_RING = 7, /* wake the export's owner */
    PEER_MSG_WELCOME = 17,
    PEER_MSG_IMPORTED = 18,
    PEER_MSG_OPENED = 19,
    PEER_MSG_DONE = 20,
};

struct soft_peer_hdr {
    uint32_t magic;
    uint16_t version;
    uint16_t type;
    uint32_t size;  /* of the message, bytes */
    int32_t status; /* replies: 0 or a negative errno; requests: 0 */
    uint32_t seq; /* replies: that of the request, so that one that comes too late is told apart */
    uint32_t zero;
};

struct soft_peer_msg_hello {
    struct soft_peer_hdr hdr;
    uint8_t instance[PEER_INSTANCE_SIZE];
};

struct soft_peer_msg_welcome {
    struct soft_peer_hdr hdr;
    uint64_t probe_addr; /* exporter address of `probe`: tells whether memory can be read at all */
    uint8_t probe[PEER_TOKEN_SIZE];
    uint32_t cells; /* on the board */
    uint32_t zero;
};

struct soft_peer_msg_import {
    struct soft_peer_hdr hdr;
    uint32_t want_memory; /* 1: a memory file is welcome */
    uint32_t zero;
    char card[PEER_CARD_SIZE];
    struct soft_peer_desc desc;
};

struct soft_peer_msg_imported {
    struct soft_peer_hdr hdr;
    uint64_t base;
    uint64_t len;
    uint32_t kind;
    uint32_t access;
    uint32_t mask;
    uint32_t cell;          /* the map's place on the board */
    uint64_t memory_offset; /* of the range in the memory file */
    uint32_t has_memory;
    uint32_t zero;
};

struct soft_peer_msg_close {
    struct soft_peer_hdr hdr;
    uint32_t cell;
    uint32_t zero;
};

struct soft_peer_msg_ring {
    struct soft_peer_hdr hdr;
    uint32_t cell;
    uint32_t zero;
};

struct soft_peer_msg_lane {
    struct soft_peer_hdr hdr;
};

struct soft_peer_msg_opened {
    struct soft_peer_hdr hdr;
    uint64_t bounce_len;
};

struct soft_peer_seg {
    uint64_t addr;
    uint64_t len;
};

enum soft_peer_copy_op {
    PEER_COPY_READ = 1,  /* exporter memory to bounce */
    PEER_COPY_WRITE = 2, /* bounce to exporter memory */
};

struct soft_peer_msg_copy {
    struct soft_peer_hdr hdr;
    uint32_t cell;
    uint32_t op;
    uint32_t nsegs;
    uint32_t zero;
    uint64_t bounce_offset;
    struct soft_peer_seg segs[PEER_WIRE_SEGS]; /* only nsegs of them are sent */
};

struct soft_peer_msg_atomic {
    struct soft_peer_hdr hdr;
    uint32_t cell;
    uint32_t op; /* soft_peer_atomic_op */
    uint64_t addr;
    uint64_t value;
    uint64_t compare;
    uint32_t width;
    uint32_t zero;
};

struct soft_peer_msg_done {
    struct soft_peer_hdr hdr;
    uint64_t value; /* atomic: what was there before */
};

union soft_peer_msg {
    struct soft_peer_hdr hdr;
    struct soft_peer_msg_hello hello;
    struct soft_peer_msg_welcome welcome;
    struct soft_peer_msg_import import;
    struct soft_peer_msg_imported imported;
    struct soft_peer_msg_close close;
    struct soft_peer_msg_ring ring;
    struct soft_peer_msg_lane lane;
    struct soft_peer_msg_opened opened;
    struct soft_peer_msg_copy copy;
    struct soft_peer_msg_atomic atomic;
    struct soft_peer_msg_done done;
};

#define PEER_COPY_FIXED offsetof(struct soft_peer_msg_copy, segs)

_Static_assert(sizeof(struct soft_peer_hdr) == 24, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_hello) == 40, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_welcome) == 56, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_import) == 592, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_imported) == 72, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_close) == 32, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_ring) == 32, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_lane) == 24, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_opened) == 32, "frozen by PEER_WIRE_VERSION");
_Static_assert(PEER_COPY_FIXED == 48, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_atomic) == 64, "frozen by PEER_WIRE_VERSION");
_Static_assert(sizeof(struct soft_peer_msg_done) == 32, "frozen by PEER_WIRE_VERSION");

/* Fills the header of a message whose other fields are set, and returns the bytes to send. */
SOFT_API size_t soft_peer_wire_seal(union soft_peer_msg *msg, enum soft_peer_msg_type type,
                                    uint32_t seq, int status);

/* Takes one received packet. 0 and a copy in *msg, -EPROTO (another version of the protocol) or
 * -EBADMSG. After 0 the size fits the type, ops are known, counts are within their arrays, strings
 * end, and addresses do not wrap; whether they lie inside of an export is for the exporter to see.
 */
SOFT_API int soft_peer_wire_parse(const void *packet, size_t len, union soft_peer_msg *msg);

#define PEER_REMOTE_CHUNK (512u << 10) /* bytes of a copy that travel together */

/* Behind the bytes of a copy, if there are any. */
struct soft_peer_verdict {
    uint32_t spoilt; /* 1: they are none, because their sender could not read his memory */
    uint32_t zero;
};
_Static_assert(sizeof(struct soft_peer_verdict) == 8, "frozen by PEER_WIRE_VERSION");

/* Longest message between hosts. */
#define PEER_REMOTE_MSG                                                                            \
    (PEER_REMOTE_CHUNK + sizeof(union soft_peer_msg) + sizeof(struct soft_peer_verdict))

/* The same for one that came over a link between hosts, with the bytes behind it: those of a copy
 * to the exporter are as many as its segments have; other requests have none. -EFAULT: all is well
 * but for the verdict. */
SOFT_API int soft_peer_wire_split(const void *bytes, size_t len, union soft_peer_msg *msg,
                                  const void **payload, size_t *payload_len);
/* Sum of the segments. */
SOFT_API uint64_t soft_peer_wire_bytes(const struct soft_peer_msg_copy *msg);

#endif /* OD_SOFT_PEER_WIRE_H_ */

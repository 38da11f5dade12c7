/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_UCX_WIRE_H_
#define OD_SOFT_LINK_UCX_WIRE_H_

/* What travels between two hosts, as active messages of one kind: a head, and data that depend on
 * its type. Little-endian, as all machines that we know.
 *
 *   hello     client, first; a greeting behind it
 *   answer    listener takes the client in; a greeting behind it
 *   refusal   or not; a refusal behind it
 *   message   a message, or a piece of one; bytes behind it
 *   end       nothing is sent from there any more
 *   ack       nothing but the counts in the head
 *   ping      to be answered with an ack
 *
 * A frame names the link that it is for by its place and a random cookie of the receiver, so that
 * nobody can write into another one's link; a hello names the sender's. Frames may overtake each
 * other; messages and the end are numbered. Head and refusal are the same in all versions. */

#include "soft/link/link.h"

#define SOFT_UCX_VERSION 1
#define SOFT_UCX_PIECE   (128u << 10) /* bytes of a message that travel together */

enum soft_ucx_type {
    SOFT_UCX_HELLO = 1,
    SOFT_UCX_ANSWER = 2,
    SOFT_UCX_REFUSAL = 3,
    SOFT_UCX_MESSAGE = 4,
    SOFT_UCX_END = 5,
    SOFT_UCX_ACK = 6,
    SOFT_UCX_PING = 7,
};

struct soft_ucx_head {
    uint32_t magic;
    uint16_t version;
    uint16_t type;
    uint32_t slot; /* of the receiver, as the cookie; in a hello of the sender */
    uint32_t zero;
    uint64_t cookie;
    uint64_t taken;   /* by the sender's owner, the end included */
    uint64_t arrived; /* at the sender without a gap, the end included */
    uint64_t seq;     /* message, end: from 1 */
    uint32_t offset;  /* message: of this piece */
    uint32_t total;   /* message: bytes */
};

/* Behind hello and answer. */
struct soft_ucx_greeting {
    uint64_t cookie; /* of the sender */
    uint32_t slot;
    uint32_t max_msg;
    uint32_t depth;
    uint32_t len; /* of what follows */
};

enum soft_ucx_refusal_code {
    SOFT_UCX_REFUSED = 1, /* by the listener's owner */
    SOFT_UCX_BUSY = 2,    /* too many wait; try again */
    SOFT_UCX_LATE = 3,    /* the owner said nothing */
    SOFT_UCX_OTHER = 4,   /* version */
};

struct soft_ucx_refusal {
    uint32_t code;
    uint32_t len; /* of what follows */
};

/* Checks and copies. 0, -EPROTO (another version; a refusal is fine in all) or -EBADMSG. After 0
 * the type is known and `len`, the number of bytes behind the head, fits it. */
SOFT_API int soft_ucx_head_parse(const void *bytes, size_t size, size_t len,
                                 struct soft_ucx_head *head);
/* `*text`: what follows, within `bytes`. 0 or -EBADMSG. */
SOFT_API int soft_ucx_greeting_parse(const void *bytes, size_t size,
                                     struct soft_ucx_greeting *greeting, const void **text);
SOFT_API int soft_ucx_refusal_parse(const void *bytes, size_t size,
                                    struct soft_ucx_refusal *refusal, const void **text);

/* Magic, version and type; the rest is zero. */
SOFT_API struct soft_ucx_head soft_ucx_head_make(enum soft_ucx_type type);

#endif /* OD_SOFT_LINK_UCX_WIRE_H_ */

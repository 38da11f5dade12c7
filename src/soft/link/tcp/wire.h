/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_TCP_WIRE_H_
#define OD_SOFT_LINK_TCP_WIRE_H_

/* What travels on the connection. First a greeting each way: hello, and answer or refusal. Then
 * frames, a head and its bytes each:
 *
 *   message   one message
 *   end       nothing is sent from there any more
 *   ack       nothing but the counts in the head
 *   ping      to be answered with an ack
 *
 * Little-endian, as all machines that we know. The first 8 bytes of a greeting, and refusals, are
 * the same in all versions. */

#include "soft/link/link.h"

#define SOFT_TCP_VERSION 1

enum soft_tcp_type {
    SOFT_TCP_HELLO = 1,
    SOFT_TCP_ANSWER = 2,
    SOFT_TCP_REFUSAL = 3,
    SOFT_TCP_MESSAGE = 4,
    SOFT_TCP_END = 5,
    SOFT_TCP_ACK = 6,
    SOFT_TCP_PING = 7,
};

enum soft_tcp_refusal {
    SOFT_TCP_REFUSED = 1, /* by the listener's owner */
    SOFT_TCP_BUSY = 2,    /* too many wait; try again */
    SOFT_TCP_LATE = 3,    /* the owner said nothing */
    SOFT_TCP_OTHER = 4,   /* version */
};

struct soft_tcp_greeting {
    uint32_t magic;
    uint16_t version;
    uint16_t type;
    uint32_t code; /* refusal */
    uint32_t max_msg;
    uint32_t depth;
    uint32_t len; /* of the text behind it */
};

#define SOFT_TCP_GREETING_MAX (sizeof(struct soft_tcp_greeting) + SOFT_LINK_HELLO_MAX)

struct soft_tcp_head {
    uint32_t len; /* message: bytes behind it */
    uint16_t type;
    uint16_t zero;
    uint64_t taken;   /* by the sender's owner, the end included */
    uint64_t arrived; /* at the sender, the end included */
};

/* Magic and version; the rest is zero. */
SOFT_API struct soft_tcp_greeting soft_tcp_greeting_make(enum soft_tcp_type type);
/* Checks and copies a greeting of one of two types of which `have` bytes have come. 0: it is whole;
 * -EAGAIN: not yet; -EPROTO: another version; -EBADMSG. */
SOFT_API int soft_tcp_greeting_parse(const void *bytes, size_t have, enum soft_tcp_type type,
                                     enum soft_tcp_type other, struct soft_tcp_greeting *greeting);
/* Likewise of a frame's head. 0 or -EBADMSG. */
SOFT_API int soft_tcp_head_parse(const void *bytes, uint32_t max_msg, struct soft_tcp_head *head);

#endif /* OD_SOFT_LINK_TCP_WIRE_H_ */

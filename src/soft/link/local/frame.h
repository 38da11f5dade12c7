/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_LOCAL_FRAME_H_
#define OD_SOFT_LINK_LOCAL_FRAME_H_

/* What travels on the socket of a local link: one frame a packet.
 *
 *   hello    client, first frame; + its waker's page, if it sleeps at times
 *   answer   listener takes the client in; + ring memory, + its waker's page
 *   refusal  or not
 *   wake     either, afterwards: you sleep, and there is something for you
 *
 * Head and refusal are the same in all versions of the protocol, so that a version can be refused.
 */

#include "soft/link/link.h"

#define SOFT_FRAME_VERSION 1
#define SOFT_FRAME_FDS     2

enum soft_frame_type {
    SOFT_FRAME_HELLO = 1,
    SOFT_FRAME_ANSWER = 2,
    SOFT_FRAME_REFUSAL = 3,
    SOFT_FRAME_WAKE = 4,
};

enum soft_frame_refusal {
    SOFT_REFUSAL_OWNER = 1,   /* the listener's owner said no */
    SOFT_REFUSAL_BUSY = 2,    /* too many wait; try again */
    SOFT_REFUSAL_TIME = 3,    /* the owner said nothing */
    SOFT_REFUSAL_VERSION = 4, /* the head tells the version that is spoken */
};

enum soft_frame_flag {
    SOFT_FRAME_HAS_WAKER = 1, /* a file comes with it */
    SOFT_FRAME_BARRIER = 2,   /* who goes to sleep does the barrier for all */
    SOFT_FRAME_FLAGS = 3,
};

struct soft_frame_head {
    uint32_t magic;
    uint16_t version;
    uint16_t type;
    uint32_t size; /* of the frame, bytes */
    uint32_t zero;
};

struct soft_frame_hello {
    struct soft_frame_head head;
    uint32_t max_msg;
    uint32_t depth; /* that the client wishes */
    uint32_t flags;
    uint32_t len;
    char bytes[SOFT_LINK_HELLO_MAX];
};

struct soft_frame_answer {
    struct soft_frame_head head;
    uint32_t max_msg; /* of both, as all */
    uint32_t depth;
    uint32_t flags;
    uint32_t len;
    char bytes[SOFT_LINK_HELLO_MAX];
};

struct soft_frame_refusal_body {
    struct soft_frame_head head;
    uint32_t code;
    uint32_t len;
    char bytes[SOFT_LINK_HELLO_MAX];
};

struct soft_frame_wake {
    struct soft_frame_head head;
    uint32_t epoch; /* that the sleeper showed */
    uint32_t zero;
};

union soft_frame {
    struct soft_frame_head head;
    struct soft_frame_hello hello;
    struct soft_frame_answer answer;
    struct soft_frame_refusal_body refusal;
    struct soft_frame_wake wake;
};

/* Fills the head of a frame whose other fields are set; returns its size. */
SOFT_API size_t soft_frame_seal(union soft_frame *frame, enum soft_frame_type type);

/* Checks a received packet of `len` bytes in place. 0, -EPROTO (another version; a refusal is fine
 * in all versions) or -EBADMSG. After 0 the size fits the type and what it says, and counts are
 * within their limits. */
SOFT_API int soft_frame_check(const union soft_frame *frame, size_t len);

/* Non-blocking. `fds` are copied. 0 or a negative errno, no reason. */
int soft_frame_send(int sock, const union soft_frame *frame, size_t size, const int *fds,
                    unsigned int nfds);

/* One packet, checked. `fds` gets what came with it, -1 for the rest; the caller's. 0, -EAGAIN,
 * -ECONNRESET (end of file) or what the check says; then no file is left open. */
int soft_frame_receive(int sock, union soft_frame *frame, int fds[SOFT_FRAME_FDS]);

#endif /* OD_SOFT_LINK_LOCAL_FRAME_H_ */

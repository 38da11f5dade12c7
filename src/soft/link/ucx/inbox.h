/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_UCX_INBOX_H_
#define OD_SOFT_LINK_UCX_INBOX_H_

/* Puts messages back together and into order. One side puts pieces in, in any order; the other one
 * takes messages out, in order. The sides may be two threads. */

#include <stdatomic.h>

#include "soft/link/ucx/wire.h"

#define SOFT_INBOX_PIECES (SOFT_LINK_MSG_MAX / SOFT_UCX_PIECE)

struct soft_inbox_slot {
    char *bytes; /* kept for the next message */
    size_t cap;
    uint32_t total;
    uint32_t missing; /* pieces; 0: complete, or nothing of it came */
    bool begun;
    uint64_t have[SOFT_INBOX_PIECES / 64]; /* a bit each piece */
};

struct soft_inbox {
    uint32_t depth;
    uint32_t max_msg;
    uint32_t mask; /* number of slots minus 1 */
    struct soft_inbox_slot *slots;
    bool ended; /* taker: has seen it */
    /* Messages are numbered from 1. */
    _Atomic uint64_t end;   /* number of the end; 0: not known */
    _Atomic uint64_t ready; /* complete, up to this */
    _Atomic uint64_t taken; /* up to this */
};

/* -ENOMEM. */
SOFT_API int soft_inbox_open(struct soft_inbox *inbox, uint32_t depth, uint32_t max_msg);
SOFT_API void soft_inbox_close(struct soft_inbox *inbox);

/* Puts in a piece of message `seq`. 0; -EBADMSG: more or longer messages than allowed, a piece
 * twice, or one that does not fit to the others; -ENOMEM. */
SOFT_API int soft_inbox_put(struct soft_inbox *inbox, uint64_t seq, uint32_t offset, uint32_t total,
                            const void *bytes, uint32_t len);
/* The end takes the place of message `seq`. 0 or -EBADMSG. */
SOFT_API int soft_inbox_put_end(struct soft_inbox *inbox, uint64_t seq);

/* 0, -EAGAIN, -ESHUTDOWN. */
SOFT_API int soft_inbox_peek(struct soft_inbox *inbox, const void **bytes, uint32_t *len);
/* After a peek that said 0, or -ESHUTDOWN for the first time. */
SOFT_API void soft_inbox_take(struct soft_inbox *inbox);

#endif /* OD_SOFT_LINK_UCX_INBOX_H_ */

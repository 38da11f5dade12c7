/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_TCP_STORE_H_
#define OD_SOFT_LINK_TCP_STORE_H_

/* Messages that have arrived and are not taken yet. One side puts them in, the other one takes
 * them out; the sides may be two threads. Messages are numbered from 1, the end is one of them. */

#include <stdatomic.h>

#include "soft/link/link.h"

struct soft_tcp_buffer {
    char *bytes;
    size_t cap;
    uint32_t len;
};

struct soft_tcp_store {
    uint32_t depth;
    uint32_t mask;                 /* number of slots minus 1 */
    struct soft_tcp_buffer *slots; /* by number */
    /* Putter: buffers without a message. The one that was in use last is the next one, because it
     * is the one that the caches hold. */
    struct soft_tcp_buffer *spare;
    uint32_t nspare;
    uint64_t reclaimed; /* up to this, slots have given their buffers back */
    bool ended;         /* taker: has seen the end */
    _Atomic uint64_t end;
    _Atomic uint64_t ready;
    _Atomic uint64_t taken;
};

/* -ENOMEM. */
SOFT_API int soft_tcp_store_open(struct soft_tcp_store *store, uint32_t depth);
SOFT_API void soft_tcp_store_close(struct soft_tcp_store *store);

/* Room for the next message. 0; -EBADMSG: more than `depth`, or behind the end; -ENOMEM. */
SOFT_API int soft_tcp_store_room(struct soft_tcp_store *store, uint32_t len, char **bytes);
/* It is complete. */
SOFT_API void soft_tcp_store_commit(struct soft_tcp_store *store);
/* 0 or -EBADMSG. */
SOFT_API int soft_tcp_store_end(struct soft_tcp_store *store);

/* 0, -EAGAIN, -ESHUTDOWN. */
SOFT_API int soft_tcp_store_peek(struct soft_tcp_store *store, const void **bytes, uint32_t *len);
/* After a peek that said 0, or -ESHUTDOWN for the first time. */
SOFT_API void soft_tcp_store_take(struct soft_tcp_store *store);

#endif /* OD_SOFT_LINK_TCP_STORE_H_ */

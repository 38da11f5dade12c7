/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_TCP_STREAM_H_
#define OD_SOFT_LINK_TCP_STREAM_H_

/* Messages over a connected socket. What the socket does not take at once is kept and goes out
 * later; long messages are read into their place. The lock guards all but the store's takers' side
 * and the atomics. Nothing waits. */

#include <pthread.h>

#include "soft/link/tcp/store.h"
#include "soft/link/tcp/wire.h"

struct soft_tcp_chunk;

struct soft_tcp_stream {
    pthread_mutex_t lock;
    int sock; /* the link's */
    uint32_t max_msg;
    bool broken; /* nothing can be sent any more */
    bool heard;  /* something, since somebody cleared this */
    struct soft_tcp_store store;
    /* Reading: first what came in one piece, then, of a long message, the rest into its place. */
    char *stage;
    size_t stage_cap;
    size_t stage_len;
    char *body; /* NULL: no message is under way */
    uint32_t body_len;
    uint32_t body_got;
    bool must_answer;      /* a ping */
    atomic_ulong received; /* bytes */
    /* Writing. */
    struct soft_tcp_chunk *first;
    struct soft_tcp_chunk *last;
    struct soft_tcp_chunk *spare;
    unsigned int nspare;
    _Atomic uint64_t told_taken;
    uint64_t told_arrived;
    atomic_bool behind;       /* something is kept */
    _Atomic uint64_t sent;    /* numbers given, the end included; written by the owner */
    _Atomic uint64_t taken;   /* by the peer's owner */
    _Atomic uint64_t arrived; /* at the peer */
};

/* A greeting is read with `stage` alone. -ENOMEM. */
SOFT_API int soft_tcp_stream_open(struct soft_tcp_stream *stream);
SOFT_API void soft_tcp_stream_close(struct soft_tcp_stream *stream);
/* Room for messages. -ENOMEM. */
SOFT_API int soft_tcp_stream_come_up(struct soft_tcp_stream *stream, uint32_t max_msg,
                                     uint32_t depth);

/* Lock held, all of them. */
/* More of a greeting. 0, -EAGAIN or -ECONNRESET. */
int soft_tcp_stream_fill(struct soft_tcp_stream *stream);
/* `len` bytes of it are done with. */
void soft_tcp_stream_drop(struct soft_tcp_stream *stream, size_t len);
/* Bytes of a greeting. 0, -ENOMEM, -EPIPE. */
int soft_tcp_stream_write(struct soft_tcp_stream *stream, const struct iovec *iov,
                          unsigned int niov);
/* A frame; `len` is what the vector holds. 0, -ENOMEM, -EPIPE. */
int soft_tcp_stream_send(struct soft_tcp_stream *stream, enum soft_tcp_type type,
                         const struct iovec *iov, unsigned int niov, size_t len);
/* A message, of which `part` may not be readable, see soft_link_send_foreign(). */
int soft_tcp_stream_send_foreign(struct soft_tcp_stream *stream, const struct iovec *iov,
                                 unsigned int niov, size_t len, unsigned int part,
                                 const void *spoilt);
/* Sends what was kept and reads what is there, in at most so many steps. *news: messages or counts
 * have changed. 0, or -ECONNRESET: it has ended, all that came is in the store. */
SOFT_API int soft_tcp_stream_pump(struct soft_tcp_stream *stream, unsigned int steps, bool *news);
/* Tells the counts if the peer does not know them yet. */
void soft_tcp_stream_ack(struct soft_tcp_stream *stream);

/* Messages taken of which the peer does not know. Without the lock; the taker's thread knows it
 * exactly, but for what is being sent. */
static inline uint64_t soft_tcp_stream_untold(const struct soft_tcp_stream *stream)
{
    return atomic_load_explicit(&stream->store.taken, memory_order_relaxed) -
           atomic_load_explicit(&stream->told_taken, memory_order_relaxed);
}

/* Everything sent is with the peer. */
static inline bool soft_tcp_stream_is_delivered(const struct soft_tcp_stream *stream)
{
    return atomic_load_explicit(&stream->arrived, memory_order_acquire) >=
           atomic_load_explicit(&stream->sent, memory_order_relaxed);
}

#endif /* OD_SOFT_LINK_TCP_STREAM_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/tcp/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "soft/service/service.h"

#define GREETING_STAGE 8192u
#define MESSAGE_STAGE  (64u << 10)
#define CHUNK_MIN      (64u << 10)
#define SPARE_MAX      4u
#define VECTOR         16u

struct soft_tcp_chunk {
    struct soft_tcp_chunk *next;
    size_t cap;
    size_t len;
    size_t done;
    char bytes[];
};

int soft_tcp_stream_open(struct soft_tcp_stream *stream)
{
    memset(stream, 0, sizeof(*stream));
    stream->sock = -1;
    pthread_mutex_init(&stream->lock, NULL);
    stream->stage = malloc(GREETING_STAGE);
    stream->stage_cap = GREETING_STAGE;
    return stream->stage != NULL ? 0 : -ENOMEM;
}

static void free_chunks(struct soft_tcp_chunk *chunk)
{
    while (chunk != NULL) {
        struct soft_tcp_chunk *next = chunk->next;

        free(chunk);
        chunk = next;
    }
}

void soft_tcp_stream_close(struct soft_tcp_stream *stream)
{
    free_chunks(stream->first);
    free_chunks(stream->spare);
    soft_tcp_store_close(&stream->store);
    free(stream->stage);
    pthread_mutex_destroy(&stream->lock);
}

int soft_tcp_stream_come_up(struct soft_tcp_stream *stream, uint32_t max_msg, uint32_t depth)
{
    char *stage = realloc(stream->stage, MESSAGE_STAGE);

    if (stage == NULL)
        return -ENOMEM;
    stream->stage = stage;
    stream->stage_cap = MESSAGE_STAGE;
    stream->max_msg = max_msg;
    stream->heard = true;
    return soft_tcp_store_open(&stream->store, depth);
}

/* ---- Writing ---- */

static void break_off(struct soft_tcp_stream *stream)
{
    stream->broken = true;
    free_chunks(stream->first);
    stream->first = stream->last = NULL;
    atomic_store_explicit(&stream->behind, false, memory_order_relaxed);
}

/* Of a vector: which part is memory that may not be there, and what the last part is then. */
struct foreign {
    unsigned int part;
    const void *spoilt;
};

/* What a peer reads is between the program and the peer: thread checkers, which look into
 * sendmsg(), are not to take it for a reading of this thread. */
static ssize_t send_unseen(int sock, const struct msghdr *msg, int flags)
{
    return syscall(SYS_sendmsg, sock, msg, flags);
}

/* Bytes that the socket took; 0: none now. -EPIPE. */
static ssize_t put(struct soft_tcp_stream *stream, struct iovec *iov, unsigned int niov,
                   const struct foreign *foreign)
{
    struct msghdr msg = {.msg_iov = iov, .msg_iovlen = niov};
    ssize_t n;

    do
        n = foreign != NULL ? send_unseen(stream->sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL)
                            : sendmsg(stream->sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n >= 0)
        return n;
    /* A part that cannot be read: whoever has such parts finds out himself. */
    if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM || errno == EFAULT)
        return 0;
    break_off(stream);
    return -EPIPE;
}

static struct soft_tcp_chunk *new_chunk(struct soft_tcp_stream *stream, size_t len)
{
    struct soft_tcp_chunk *chunk = stream->spare;
    size_t cap = OD_MAX(len, (size_t)CHUNK_MIN);

    if (chunk != NULL && chunk->cap >= len) {
        stream->spare = chunk->next;
        stream->nspare--;
    } else {
        chunk = malloc(sizeof(*chunk) + cap);
        if (chunk == NULL)
            return NULL;
        chunk->cap = cap;
    }
    chunk->next = NULL;
    chunk->len = chunk->done = 0;
    return chunk;
}

/* Where `len` bytes can be kept. NULL: out of memory. */
static struct soft_tcp_chunk *room_behind(struct soft_tcp_stream *stream, size_t len)
{
    struct soft_tcp_chunk *last = stream->last;

    if (last != NULL && last->cap - last->len >= len)
        return last;
    last = new_chunk(stream, len);
    if (last == NULL)
        return NULL;
    if (stream->last != NULL)
        stream->last->next = last;
    else
        stream->first = last;
    stream->last = last;
    atomic_store_explicit(&stream->behind, true, memory_order_relaxed);
    return last;
}

/* Reads memory that may not be there. False: not all of it was; zeros stand for the rest. */
static bool read_foreign(char *to, const char *from, size_t len)
{
    struct iovec local = {to, len}, remote = {(void *)(uintptr_t)from, len};
    ssize_t n = len > 0 ? process_vm_readv(soft_service_self(), &local, 1, &remote, 1, 0) : 0;
    size_t had = n > 0 ? (size_t)n : 0;

    memset(to + had, 0, len - had);
    return had == len;
}

/* All but the first `skip` bytes. The last part of a vector with a foreign one is all kept. */
static int keep(struct soft_tcp_stream *stream, const struct iovec *iov, unsigned int niov,
                size_t skip, size_t len, const struct foreign *foreign)
{
    struct soft_tcp_chunk *chunk = room_behind(stream, len - skip);
    bool whole = true;

    if (chunk == NULL) {
        /* Half a frame is no frame. */
        if (skip > 0)
            break_off(stream);
        return -ENOMEM;
    }
    for (unsigned int i = 0; i < niov; i++) {
        size_t past = OD_MIN(skip, iov[i].iov_len), n = iov[i].iov_len - past;
        const char *from = (const char *)iov[i].iov_base + past;
        char *to = chunk->bytes + chunk->len;

        if (!whole && i == niov - 1)
            from = (const char *)foreign->spoilt + past;
        if (foreign != NULL && i == foreign->part)
            whole = read_foreign(to, from, n);
        else if (n > 0)
            memcpy(to, from, n);
        chunk->len += n;
        skip -= past;
    }
    return 0;
}

static void retire(struct soft_tcp_stream *stream, struct soft_tcp_chunk *chunk)
{
    stream->first = chunk->next;
    if (stream->first == NULL) {
        stream->last = NULL;
        atomic_store_explicit(&stream->behind, false, memory_order_relaxed);
    }
    if (stream->nspare >= SPARE_MAX) {
        free(chunk);
        return;
    }
    chunk->next = stream->spare;
    stream->spare = chunk;
    stream->nspare++;
}

/* True: nothing is kept any more. */
static bool flush(struct soft_tcp_stream *stream)
{
    while (stream->first != NULL) {
        struct iovec iov[VECTOR];
        unsigned int niov = 0;
        ssize_t n;

        for (struct soft_tcp_chunk *c = stream->first; c != NULL && niov < VECTOR; c = c->next)
            iov[niov++] = (struct iovec){c->bytes + c->done, c->len - c->done};
        n = put(stream, iov, niov, NULL);
        if (n <= 0)
            break;
        while (n > 0) {
            struct soft_tcp_chunk *c = stream->first;
            size_t part = OD_MIN((size_t)n, c->len - c->done);

            c->done += part;
            n -= (ssize_t)part;
            if (c->done == c->len)
                retire(stream, c);
        }
    }
    return stream->first == NULL;
}

static int write_all(struct soft_tcp_stream *stream, struct iovec *iov, unsigned int niov,
                     size_t len, const struct foreign *foreign)
{
    ssize_t n = 0;

    if (stream->broken)
        return -EPIPE;
    if (flush(stream) && niov <= VECTOR)
        n = put(stream, iov, niov, foreign);
    if (n < 0 || stream->broken)
        return -EPIPE;
    return (size_t)n == len ? 0 : keep(stream, iov, niov, (size_t)n, len, foreign);
}

int soft_tcp_stream_write(struct soft_tcp_stream *stream, const struct iovec *iov,
                          unsigned int niov)
{
    struct iovec all[2];
    size_t len = 0;

    for (unsigned int i = 0; i < niov; i++) {
        all[i] = iov[i];
        len += iov[i].iov_len;
    }
    return write_all(stream, all, niov, len, NULL);
}

static struct soft_tcp_head make_head(struct soft_tcp_stream *stream, enum soft_tcp_type type,
                                      size_t len)
{
    struct soft_tcp_head head = {.len = (uint32_t)len, .type = (uint16_t)type};

    head.taken = atomic_load_explicit(&stream->store.taken, memory_order_acquire);
    head.arrived = atomic_load_explicit(&stream->store.ready, memory_order_relaxed);
    atomic_store_explicit(&stream->told_taken, head.taken, memory_order_relaxed);
    stream->told_arrived = head.arrived;
    return head;
}

int soft_tcp_stream_send(struct soft_tcp_stream *stream, enum soft_tcp_type type,
                         const struct iovec *iov, unsigned int niov, size_t len)
{
    struct soft_tcp_head head = make_head(stream, type, len);
    struct iovec all[VECTOR];
    int rc;

    all[0] = (struct iovec){&head, sizeof(head)};
    if (niov < VECTOR) {
        for (unsigned int i = 0; i < niov; i++)
            all[1 + i] = iov[i];
        return write_all(stream, all, niov + 1, sizeof(head) + len, NULL);
    }
    /* Room for all of it first, so that the head does not go without the rest. */
    if (stream->broken || room_behind(stream, sizeof(head) + len) == NULL)
        return stream->broken ? -EPIPE : -ENOMEM;
    rc = keep(stream, all, 1, 0, sizeof(head), NULL);
    if (rc == 0)
        rc = keep(stream, iov, niov, 0, len, NULL);
    if (rc == 0)
        flush(stream);
    return stream->broken ? -EPIPE : rc;
}

int soft_tcp_stream_send_foreign(struct soft_tcp_stream *stream, const struct iovec *iov,
                                 unsigned int niov, size_t len, unsigned int part,
                                 const void *spoilt)
{
    struct soft_tcp_head head = make_head(stream, SOFT_TCP_MESSAGE, len);
    const struct foreign foreign = {.part = part + 1, .spoilt = spoilt};
    struct iovec all[VECTOR];

    if (niov >= VECTOR)
        return -EMSGSIZE;
    all[0] = (struct iovec){&head, sizeof(head)};
    for (unsigned int i = 0; i < niov; i++)
        all[1 + i] = iov[i];
    return write_all(stream, all, niov + 1, sizeof(head) + len, &foreign);
}

void soft_tcp_stream_ack(struct soft_tcp_stream *stream)
{
    if (stream->must_answer || soft_tcp_stream_untold(stream) != 0 ||
        stream->told_arrived != atomic_load_explicit(&stream->store.ready, memory_order_relaxed))
        soft_tcp_stream_send(stream, SOFT_TCP_ACK, NULL, 0, 0);
    stream->must_answer = false;
}

/* ---- Reading ---- */

/* Bytes that came; 0: none now; -ECONNRESET: none will come. */
static ssize_t get(struct soft_tcp_stream *stream, struct iovec *iov, unsigned int niov)
{
    struct msghdr msg = {.msg_iov = iov, .msg_iovlen = niov};
    ssize_t n;

    do
        n = recvmsg(stream->sock, &msg, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n > 0) {
        stream->heard = true;
        atomic_fetch_add_explicit(&stream->received, (unsigned long)n, memory_order_relaxed);
        return n;
    }
    return n < 0 && (errno == EAGAIN || errno == ENOMEM) ? 0 : -ECONNRESET;
}

int soft_tcp_stream_fill(struct soft_tcp_stream *stream)
{
    struct iovec iov = {stream->stage + stream->stage_len, stream->stage_cap - stream->stage_len};
    ssize_t n = get(stream, &iov, 1);

    if (n <= 0)
        return n == 0 ? -EAGAIN : -ECONNRESET;
    stream->stage_len += (size_t)n;
    return 0;
}

void soft_tcp_stream_drop(struct soft_tcp_stream *stream, size_t len)
{
    stream->stage_len -= len;
    memmove(stream->stage, stream->stage + len, stream->stage_len);
}

static int take_counts(struct soft_tcp_stream *stream, const struct soft_tcp_head *head, bool *news)
{
    uint64_t taken = atomic_load_explicit(&stream->taken, memory_order_relaxed);
    uint64_t arrived = atomic_load_explicit(&stream->arrived, memory_order_relaxed);

    if (head->arrived > atomic_load_explicit(&stream->sent, memory_order_relaxed) ||
        head->taken < taken || head->arrived < arrived)
        return -EBADMSG;
    *news |= head->taken > taken || head->arrived > arrived;
    atomic_store_explicit(&stream->taken, head->taken, memory_order_release);
    atomic_store_explicit(&stream->arrived, head->arrived, memory_order_release);
    return 0;
}

static void commit(struct soft_tcp_stream *stream, bool *news)
{
    soft_tcp_store_commit(&stream->store);
    stream->body = NULL;
    *news = true;
}

static int take_head(struct soft_tcp_stream *stream, const char *at, bool *news)
{
    struct soft_tcp_head head;
    int rc = soft_tcp_head_parse(at, stream->max_msg, &head);

    if (rc == 0)
        rc = take_counts(stream, &head, news);
    if (rc != 0)
        return rc;
    switch (head.type) {
    case SOFT_TCP_MESSAGE:
        stream->body_len = head.len;
        stream->body_got = 0;
        return soft_tcp_store_room(&stream->store, head.len, &stream->body);
    case SOFT_TCP_END:
        *news = true;
        return soft_tcp_store_end(&stream->store);
    case SOFT_TCP_PING:
        stream->must_answer = true;
        return 0;
    default:
        return 0;
    }
}

/* Frames out of the stage, as far as they go. 0, -EBADMSG or -ENOMEM. */
static int parse(struct soft_tcp_stream *stream, bool *news)
{
    size_t at = 0;
    int rc = 0;

    while (rc == 0) {
        size_t left = stream->stage_len - at;

        if (stream->body != NULL) {
            size_t n = OD_MIN(left, (size_t)(stream->body_len - stream->body_got));

            memcpy(stream->body + stream->body_got, stream->stage + at, n);
            stream->body_got += (uint32_t)n;
            at += n;
            if (stream->body_got < stream->body_len)
                break;
            commit(stream, news);
        } else if (left < sizeof(struct soft_tcp_head)) {
            break;
        } else {
            rc = take_head(stream, stream->stage + at, news);
            at += sizeof(struct soft_tcp_head);
        }
    }
    soft_tcp_stream_drop(stream, at);
    return rc;
}

/* *full: there may be more. 0, -EAGAIN, or negative: the end. */
static int step(struct soft_tcp_stream *stream, bool *news, bool *full)
{
    struct iovec iov[2];
    unsigned int niov = 0;
    size_t room = stream->stage_cap - stream->stage_len, body = 0;
    ssize_t n;

    /* While a message is under way the stage is empty. */
    if (stream->body != NULL) {
        body = stream->body_len - stream->body_got;
        iov[niov++] = (struct iovec){stream->body + stream->body_got, body};
    }
    iov[niov++] = (struct iovec){stream->stage + stream->stage_len, room};
    n = get(stream, iov, niov);
    if (n <= 0)
        return n == 0 ? -EAGAIN : (int)n;
    *full = (size_t)n == body + room;
    if (body > 0) {
        size_t part = OD_MIN((size_t)n, body);

        stream->body_got += (uint32_t)part;
        n -= (ssize_t)part;
        if (stream->body_got == stream->body_len)
            commit(stream, news);
    }
    stream->stage_len += (size_t)n;
    return parse(stream, news);
}

int soft_tcp_stream_pump(struct soft_tcp_stream *stream, unsigned int steps, bool *news)
{
    bool full = true;
    int rc = 0;

    if (stream->first != NULL)
        flush(stream);
    /* What came with the answer. */
    if (stream->stage_len > 0)
        rc = parse(stream, news);
    while (rc == 0 && full && steps-- > 0)
        rc = step(stream, news, &full);
    if (rc == -EAGAIN)
        rc = 0;
    if (rc == 0 && stream->must_answer)
        soft_tcp_stream_ack(stream);
    return rc == 0 ? 0 : -ECONNRESET;
}

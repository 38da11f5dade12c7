/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_LINK_H_
#define OD_SOFT_LINK_LINK_H_

/* Messages between processes and hosts.
 *
 * A link is a reliable, ordered, two-way stream of messages with their boundaries kept. One side
 * listens under an address, the other connects; both then look the same.
 *
 *   local:NAME      processes of one machine, also in different network namespaces; control over a
 *                   unix socket, data in rings of shared memory: no system call while both poll.
 *                   The socket is link-NAME in the runtime folder, or NAME itself if that is an
 *                   absolute path.
 *   tcp:HOST:PORT   processes of different hosts; one connection a link
 *   ucx:HOST:PORT   the same over UCX active messages; loaded at run time. For hosts that are
 *                   trusted and do not die: UCX 1.13 ends the process when a connection breaks at
 *                   the wrong moment, and believes every byte that comes to its TCP port
 *   error:ADDRESS   wraps one of the above and injects faults (OPENDOCA_LINK_FAULTS,
 * docs/faults.md)
 *
 * What needs no owner's thread: connecting, the handshake, acceptance into the listener's queue,
 * and the arrival of what was sent. A background thread per process does these, so neither side
 * depends on the other one's polling, only on its process being alive.
 *
 * Threads: a listener and a link belong to one thread at a time. Different links are independent.
 *
 * Ends: soft_link_shutdown() is orderly: everything sent before arrives first, then the peer's
 * soft_link_recv() says -ESHUTDOWN. A peer that dies or is cut says -ECONNRESET, after what had
 * arrived whole. Both are final. Nothing of a dead process stays: names are free again at once. */

#include <sys/types.h>
#include <sys/uio.h>

#include "soft/soft.h"
#include "util/waker.h"

#define SOFT_LINK_ADDR_MAX  256  /* bytes of an address, NUL included */
#define SOFT_LINK_HELLO_MAX 4096 /* bytes of a greeting or an answer */
#define SOFT_LINK_MSG_MAX   (64u << 20)
#define SOFT_LINK_DEPTH_MAX 65536u
#define SOFT_LINK_BYTES_MAX (2ull << 30) /* max_msg times depth */

struct soft_link_conf {
    uint32_t max_msg; /* longest message either way, bytes; both sides use the smaller one */
    uint32_t depth;   /* messages sent from here that the peer's owner has not released yet, before
                         send says -EAGAIN; both sides use the larger one, up to what the transport
                         holds, see soft_link_depth() */
    uint32_t connect_timeout; /* ms until a connect that nobody answers fails; 0 = one attempt,
                                 which whoever is there must answer within answer_timeout */
    bool no_successor;        /* connect: the address is one process's own, so that nobody takes its
                                 place when it is gone: where the kernel tells (local), the connect
                                 fails at once then instead of at connect_timeout */
    uint32_t backlog;         /* listener: links that wait for soft_link_next(); more are refused */
    uint32_t answer_timeout;  /* listener: ms until an unanswered greeting is refused; connect: see
                                 connect_timeout; 0 = 5000 */
    /* The owner's: woken when poll, recv or next would get somewhere, see also soft_link_await();
     * NULL for owners that only poll. It lives longer than the link, and calls that open or close a
     * link or a listener come from the thread that sleeps on it. */
    struct od_waker *waker;
    /* The owner waits for what comes by itself, see soft_link_fd(); its waker tells the rest. For
     * owners that have a thread for their links, and always look again soon. */
    bool waits_itself;

    /* Listener, optional: answers greetings at once, so that clients do not depend on the owner's
     * polling. Runs on the background thread with its lock held: it must not block nor call links.
     * 0 takes the client in, else it is refused; the answer (at most SOFT_LINK_HELLO_MAX bytes,
     * room for which is at `answer`) travels back either way. soft_link_next() then hands out links
     * that are UP, each one that was taken in, also when it has ended since. No call of it runs any
     * more when soft_link_unlisten() returns. */
    int (*admit)(void *arg, const void *hello, size_t len, void *answer, size_t *answer_len);
    void *admit_arg;
};

/* Who is at the other end, as the kernel (local) or the transport (ucx) knows it. */
struct soft_link_peer {
    bool same_machine;
    pid_t pid; /* 0: not visible from here, or another machine */
    uid_t uid; /* (uid_t)-1: another machine */
    gid_t gid;
    char addr[SOFT_LINK_ADDR_MAX]; /* for messages */
};

enum soft_link_state {
    SOFT_LINK_CONNECTING,
    SOFT_LINK_UP,
    SOFT_LINK_CLOSING, /* we shut down; the peer has not taken everything yet */
    SOFT_LINK_DOWN,
};

struct soft_link;
struct soft_link_listener;

/* The address, with faults where OPENDOCA_LINK_FAULTS asks for some; `wrapped` may hold it. */
SOFT_API const char *soft_link_with_faults(const char *addr, char wrapped[SOFT_LINK_ADDR_MAX]);

/* ---- listening ---- */

/* -EADDRINUSE: a living process listens there; -EINVAL: not an address; -ENOTSUP: the transport is
 * not available on this machine (reason says what is missing). `ucx:<host>:0` takes a free port. */
SOFT_API int soft_link_listen(const char *addr, const struct soft_link_conf *conf,
                              struct soft_link_listener **listener);
SOFT_API void soft_link_unlisten(struct soft_link_listener *listener);
/* For owners with admit, before they unlisten: nobody is taken in any more when it returns, and
 * soft_link_next() hands out all who were. Only the transport local has it, the others do nothing.
 */
SOFT_API void soft_link_admit_no_more(struct soft_link_listener *listener);
/* The address that others connect to (port filled in). */
SOFT_API const char *soft_link_listener_addr(const struct soft_link_listener *listener);

/* The next greeting that waits, or NULL. The link is the caller's: answer it, or close it (=
 * refuse). */
SOFT_API struct soft_link *soft_link_next(struct soft_link_listener *listener);
SOFT_API bool soft_link_listener_pending(const struct soft_link_listener *listener);
SOFT_API const void *soft_link_hello(const struct soft_link *link, size_t *len);

/* Takes the client in; `answer` travels back with it. Messages may be sent at once. Once per link:
 * -ECONNRESET: the client has gone; -ETIMEDOUT: the answer came too late; -EMSGSIZE; -ENOMEM and
 * the like. After a failure the link is still the caller's to close. */
SOFT_API int soft_link_accept(struct soft_link *link, const void *answer, size_t len);
/* Refuses it, with an answer that says why, and closes it. */
SOFT_API void soft_link_refuse(struct soft_link *link, const void *answer, size_t len);

/* ---- connecting ---- */

/* Begins to connect; never blocks. The result comes by soft_link_poll(). -EINVAL, -EMSGSIZE,
 * -ENOMEM and the like with a reason: not even begun. */
SOFT_API int soft_link_connect(const char *addr, const struct soft_link_conf *conf,
                               const void *hello, size_t len, struct soft_link **link);

/* Drives what must be driven and says where the link stands. When it is DOWN, `reason` (may be
 * NULL) is: 0 after an orderly end, -ECONNREFUSED (nobody listens there, or too many wait),
 * -ETIMEDOUT (does not answer in time, or, with tcp, nothing is heard of it any more), -EACCES
 * (refused by the peer, see soft_link_answer(), or by the permissions of its socket), -ECONNRESET
 * (died; ucx does not tell silence apart), -EPROTO (other version). An orderly end is: the peer
 * shut down, or we did and it took everything. What had arrived can still be received when the link
 * is DOWN. */
SOFT_API enum soft_link_state soft_link_poll(struct soft_link *link, int *reason);

/* Asks the system, where soft_link_poll() may still say UP for the moment that the background
 * thread needs to notice the peer's death: a peer that was dead before this call is DOWN after it.
 * Costs a system call. */
SOFT_API void soft_link_check(struct soft_link *link);

/* What the listener answered, for UP and for refused links. */
SOFT_API const void *soft_link_answer(const struct soft_link *link, size_t *len);

/* ---- both sides ---- */

SOFT_API void soft_link_peer_info(const struct soft_link *link, struct soft_link_peer *peer);
/* Effective longest message and effective depth of what is sent from here. */
SOFT_API uint32_t soft_link_max_msg(const struct soft_link *link);
SOFT_API uint32_t soft_link_depth(const struct soft_link *link);

/* Sends one message gathered from `iov`. 0: it will arrive (if the peer lives) without any further
 * call here. -EAGAIN: no room now, or not UP yet; tcp says so too while a message of 128 KiB and
 * more would have to wait behind others, although less than `depth` are on their way. -EMSGSIZE,
 * -EPIPE (shut down or DOWN). Never partial. */
SOFT_API int soft_link_send(struct soft_link *link, const struct iovec *iov, unsigned int niov);

/* As soft_link_send(). `part` of the vector is memory that may not be there, or go while this runs:
 * where it cannot be read, zeros travel in its place, and `spoilt` in that of the last part, which
 * has as many bytes and is another one. -ENOTSUP: this transport cannot. */
SOFT_API int soft_link_send_foreign(struct soft_link *link, const struct iovec *iov,
                                    unsigned int niov, unsigned int part, const void *spoilt);

/* After a message, when others are on their way and more will be sent soon: fetches early what
 * they are written to, because stores wait for it one after the other. Changes nothing else. Where
 * one message waits for the other it would only disturb. */
SOFT_API void soft_link_more(struct soft_link *link);

/* Messages sent so far that the peer's owner has released. Sent minus taken = in flight. */
SOFT_API uint64_t soft_link_taken(struct soft_link *link);

/* Messages sent so far that are with the peer's side: nothing but its own death, not even the end
 * of this process, keeps its owner from receiving them. Local: all of them. */
SOFT_API uint64_t soft_link_arrived(struct soft_link *link);

/* Before sleeping, after arming the waker: wake the owner also once `seq` messages were taken, be
 * it for their fate or for room after -EAGAIN. True when that is so already. Holds until the next
 * call; 0 is never mind. */
SOFT_API bool soft_link_await(struct soft_link *link, uint64_t seq);

struct soft_link_msg {
    const void *data; /* valid until soft_link_release(); 16-byte aligned */
    uint32_t len;
};

/* Next message in place: 0, -EAGAIN (none), -ESHUTDOWN, -ECONNRESET. At most one at a time. The
 * bytes are shared with the peer and may change: copy first, then validate. */
SOFT_API int soft_link_recv(struct soft_link *link, struct soft_link_msg *msg);
SOFT_API void soft_link_release(struct soft_link *link);

/* True when recv or poll would get somewhere now: a message, or news that were not told yet. */
SOFT_API bool soft_link_pending(struct soft_link *link);

/* For owners that wait themselves: what to poll, beside the waker, until recv may get somewhere;
 * with `room`, only until send may. -1: the waker tells of everything. For others it is a hint: the
 * background thread may have read what came before they look. The descriptor stays the link's. */
SOFT_API int soft_link_fd(struct soft_link *link, bool room, short *events);

/* Bytes that have come so far, those of messages that are not whole yet among them, or 0 where that
 * is not known: whether more is to be expected at once, for owners that think of sleeping. */
SOFT_API unsigned long soft_link_received(const struct soft_link *link);

/* No further send from here. */
SOFT_API void soft_link_shutdown(struct soft_link *link);
/* Whether the peer has shut down or is gone, whatever is still to be received. Ordered with sends:
 * when this is false after a send, the peer's receives after its shutdown find that message. */
SOFT_API bool soft_link_peer_ended(struct soft_link *link);
/* At once. Orderly after a shutdown, else a cut. What has not arrived may be lost. NULL is fine. */
SOFT_API void soft_link_close(struct soft_link *link);

#endif /* OD_SOFT_LINK_LINK_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_TCP_TCP_PRIV_H_
#define OD_SOFT_LINK_TCP_TCP_PRIV_H_

/* What the files of this transport share.
 *
 *   tcp.c        the table, and what an owner does with a link that is UP
 *   client.c     connecting
 *   listener.c   listening and answering
 *   common.c     both: news, the background thread's part of a link that is UP, exit and fork
 *   congestion.c how fast the kernel sends
 *   stream.c     messages over a socket
 *   store.c      messages that have arrived
 *   wire.c       what travels
 *   address.c    HOST:PORT
 *
 * A link is one connection, from the greeting to the end, so that nobody can get between, and the
 * kernel tells of the other side's death. Its socket is read by the owner while that polls, and by
 * the background thread while it does not; being woken for each message would cost both more than
 * the message.
 *
 * Locks: the service's guards connecting, listening, watches and timers; the stream's lock guards
 * what goes through the socket of a link that is UP, and is taken after the other one, never
 * before. The background thread marks a link busy while it works on its stream; one that is closed
 * meanwhile is freed by that thread. */

#include <stdatomic.h>

#include "soft/link/link_priv.h"
#include "soft/link/queue.h"
#include "soft/link/tcp/address.h"
#include "soft/link/tcp/stream.h"
#include "soft/service/service.h"

enum soft_tcp_phase {
    TCP_SEEKING, /* client: nobody there yet */
    TCP_ASKED,   /* client: the hello is on its way */
    TCP_SILENT,  /* listener's side: connected, no hello yet */
    TCP_WAITING, /* listener's side: hello is there, no answer yet */
    TCP_UP,
    TCP_GONE,   /* was UP */
    TCP_FAILED, /* never came UP; see `reason` */
};

struct soft_tcp_listener {
    struct soft_link_listener base;
    struct soft_service_watch watch;
    struct soft_service_timer pause;
    struct od_list all; /* of the room, for fork */
    struct soft_link_queue queue;
};

struct soft_tcp_link {
    struct soft_link base;
    _Atomic uint32_t phase;
    int reason;
    int sock;
    uint64_t id;        /* for the thread that resolves names */
    struct od_list all; /* of the room */
    struct soft_service_watch watch;
    struct soft_service_timer timer;
    struct soft_service_timer doze;
    struct soft_tcp_stream stream;
    uint32_t events; /* that are watched, once it is UP */
    bool busy;       /* the background thread works on the stream, without the service's lock */
    bool released;   /* by the owner; freed once it is not busy and has nothing to deliver */
    bool lingers;
    unsigned int silent_beats;

    /* Client. */
    struct soft_tcp_addr addr; /* len 0: not resolved yet */
    uint64_t deadline;
    uint64_t pause;
    bool met; /* the hello is out, so somebody is there */

    /* Listener's side. */
    struct soft_tcp_listener *listener; /* until the owner takes it */
    struct soft_link_guest guest;
    uint32_t wished_depth;

    /* Between owner and background thread. */
    atomic_ulong polls; /* owner looks at the socket */
    unsigned long polls_seen;
    atomic_bool dozing; /* the socket is the owner's */
    _Atomic uint64_t awaited;

    /* Owner's own. */
    enum soft_tcp_phase seen;
    bool shut;
    bool ended; /* the end is sent */
    bool told;
    unsigned int idle_polls;
};

static inline struct soft_tcp_link *soft_tcp_link(struct soft_link *link)
{
    return OD_CONTAINER_OF(link, struct soft_tcp_link, base);
}

static inline enum soft_tcp_phase soft_tcp_phase(struct soft_tcp_link *self)
{
    return (enum soft_tcp_phase)atomic_load_explicit(&self->phase, memory_order_acquire);
}

/* ---- common.c; the service's lock is held ---- */

/* Starts the background thread and enters the link or listener. With a reason. */
int soft_tcp_enter(struct od_list *all, bool listener);
struct soft_tcp_link *soft_tcp_link_create(const struct soft_link_conf *conf);
struct soft_tcp_link *soft_tcp_find(uint64_t id);
/* The owner has no more to do with it. `lingers`: what was sent still has to arrive. */
void soft_tcp_release(struct soft_tcp_link *self, bool lingers);
/* Changes the phase and wakes the owner. */
void soft_tcp_news(struct soft_tcp_link *self, enum soft_tcp_phase phase, int reason);
void soft_tcp_tune(int sock);
int soft_tcp_send_greeting(struct soft_tcp_link *self, struct soft_tcp_greeting greeting,
                           const void *text, size_t len);
int soft_tcp_send_refusal(struct soft_tcp_link *self, enum soft_tcp_refusal code, const void *text,
                          size_t len);
/* Both know each other. 0 or -ENOMEM; then the phase is still the caller's to change. */
int soft_tcp_come_up(struct soft_tcp_link *self, uint32_t max_msg, uint32_t depth);
/* A link that is UP or lingers has events. */
void soft_tcp_up_ready(struct soft_tcp_link *self, uint32_t events);

/* ---- common.c; without the lock, owner's thread ---- */

/* Reads and writes what there is. */
void soft_tcp_look(struct soft_tcp_link *self, unsigned int steps);
/* Something is left to be sent or told, which the background thread does if the owner comes not
 * back soon. */
void soft_tcp_left(struct soft_tcp_link *self);
/* An owner that has armed its waker is about to sleep. */
void soft_tcp_maybe_sleeps(struct soft_tcp_link *self);

/* ---- congestion.c ---- */

/* Before a socket connects or listens: later it paces for good. */
void soft_tcp_choose_congestion(int sock);

/* ---- client.c, listener.c ---- */

int soft_tcp_connect(const char *addr, const struct soft_link_conf *conf, const void *hello,
                     size_t len, struct soft_link **link);
int soft_tcp_listen(const char *addr, const struct soft_link_conf *conf,
                    struct soft_link_listener **listener);
void soft_tcp_unlisten(struct soft_link_listener *listener);
struct soft_link *soft_tcp_next(struct soft_link_listener *listener);
bool soft_tcp_listener_pending(const struct soft_link_listener *listener);
int soft_tcp_accept(struct soft_link *link, const void *answer, size_t len);
void soft_tcp_refuse(struct soft_link *link, const void *answer, size_t len);
/* A link that its owner does not know ends without a trace, another one with news. */
void soft_tcp_drop(struct soft_tcp_link *self, int reason);

#endif /* OD_SOFT_LINK_TCP_TCP_PRIV_H_ */

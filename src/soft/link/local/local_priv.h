/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_LOCAL_LOCAL_PRIV_H_
#define OD_SOFT_LINK_LOCAL_LOCAL_PRIV_H_

/* What the files of this transport share.
 *
 *   local.c      the table, and what an owner does with a link that is UP
 *   memory.c     the shared memory of a link
 *   client.c     connecting
 *   listener.c   listening and answering
 *   common.c     both: news, sockets, exit and fork
 *   name.c       names and sockets
 *   frame.c      what travels on the socket
 *   ring.c       message rings
 *
 * Threads: the owner's, and the background thread. The phase is the hinge: everything that is set
 * before it changes is seen by the one that sees the change. The rest is guarded by the service's
 * lock; the socket is closed by the owner only. */

#include <stdatomic.h>

#include "soft/link/link_priv.h"
#include "soft/link/local/frame.h"
#include "soft/link/local/name.h"
#include "soft/link/local/ring.h"
#include "soft/link/queue.h"
#include "soft/service/service.h"

enum local_phase {
    LOCAL_SEEKING, /* client: nobody there yet */
    LOCAL_ASKED,   /* client: hello is sent */
    LOCAL_SILENT,  /* listener's side: connected, no hello yet */
    LOCAL_WAITING, /* listener's side: hello is there, no answer yet */
    LOCAL_UP,
    LOCAL_GONE,   /* was UP; the peer's end of the socket is closed */
    LOCAL_FAILED, /* never came UP; see `reason` */
};

struct local_listener {
    struct soft_link_listener base;
    struct soft_service_watch watch;
    struct soft_service_timer pause;
    struct soft_link_claim claim;
    struct od_list all; /* of the room, for fork */
    struct soft_link_queue queue;
};

struct local_link {
    struct soft_link base;
    _Atomic uint32_t phase; /* local_phase */
    int reason;
    int sock;
    struct od_list all; /* of the room, for fork */
    struct soft_service_watch watch;
    struct soft_service_timer timer;
    uint64_t deadline;               /* client, ms */
    uint64_t pause;                  /* client, ms between attempts */
    struct soft_link_name *name;     /* client */
    struct local_listener *listener; /* until the owner takes the link */
    struct soft_link_guest guest;    /* in the listener */
    uint32_t wished_depth;           /* by the client */
    uint32_t last_wake;
    _Atomic uint32_t *epoch; /* of the own waker */
    struct od_waker_view view;
    bool no_barrier; /* the peer does none for us */
    void *memory;
    size_t memory_len;
    struct soft_ring_tx tx;
    struct soft_ring_rx rx;
    bool shut;             /* owner */
    bool told;             /* owner: knows that the link is DOWN */
    enum local_phase seen; /* owner: by poll */
};

static inline struct local_link *local_link(struct soft_link *link)
{
    return OD_CONTAINER_OF(link, struct local_link, base);
}

static inline enum local_phase local_phase(struct local_link *self)
{
    return (enum local_phase)atomic_load_explicit(&self->phase, memory_order_acquire);
}

/* ---- common.c; lock held unless said otherwise ---- */

/* Starts the background thread and enters the link or listener. With a reason. */
int soft_local_enter(struct od_list *all, bool listener);
struct local_link *soft_local_link_create(const struct soft_link_conf *conf);
/* Everything, whatever there is. */
void soft_local_link_free(struct local_link *self);
/* Changes the phase and wakes the owner. */
void soft_local_news(struct local_link *self, enum local_phase phase, int reason);
/* Who is at the other end of the socket. */
void soft_local_identify(struct local_link *self);
int soft_local_send_refusal(int sock, enum soft_frame_refusal code, const void *bytes, size_t len);
/* A link that is UP has something to read. */
void soft_local_up_ready(struct local_link *self);
/* The page of the own waker, shared with peers; -1: no waker. Owner's thread, without the lock. */
int soft_local_waker_fd(const struct soft_link_conf *conf, int *fd);
/* Of a hello or an answer that carries this file. */
uint32_t soft_local_flags(int waker_fd);
union soft_frame *soft_local_buffer(void);

/* ---- memory.c ---- */

/* Listener's side makes it, the client maps it. `fd` is for handing over. Negative errno with a
 * reason. */
int soft_local_memory_create(struct local_link *self, uint32_t wished_depth, int *fd);
/* Lock held. Negative errno. */
int soft_local_memory_map(struct local_link *self, const struct soft_frame_answer *answer, int fd);
void soft_local_memory_free(struct local_link *self);

/* ---- client.c, listener.c ---- */

int soft_local_connect(const char *addr, const struct soft_link_conf *conf, const void *hello,
                       size_t len, struct soft_link **link);
int soft_local_listen(const char *addr, const struct soft_link_conf *conf,
                      struct soft_link_listener **listener);
void soft_local_unlisten(struct soft_link_listener *listener);
void soft_local_admit_no_more(struct soft_link_listener *listener);
struct soft_link *soft_local_next(struct soft_link_listener *listener);
bool soft_local_listener_pending(const struct soft_link_listener *listener);
int soft_local_accept(struct soft_link *link, const void *answer, size_t len);
void soft_local_refuse(struct soft_link *link, const void *answer, size_t len);

#endif /* OD_SOFT_LINK_LOCAL_LOCAL_PRIV_H_ */

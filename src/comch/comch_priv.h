/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_COMCH_COMCH_PRIV_H_
#define OD_COMCH_COMCH_PRIV_H_

/* What the files of Comch share.
 *
 *   cap.c          what devices offer
 *   side.c         what servers and clients have in common: configuration
 *   event.c        registration of event callbacks
 *   server.c       the server: its context, its listener, its connections
 *   client.c       the client: its context
 *   connection.c   a connection: its states, what it receives, its end
 *   send.c         send tasks
 *   wire.c         what is said between the two processes
 *   fast.c         what the fast path of a connection shares between threads
 *   target.c       consumers of the peer
 *   posts.c        the page in which a consumer and the peer's producers meet
 *   consumer.c, post_recv.c, producer.c, transfer.c   the ends of the fast path and their tasks
 *   msgq.c         what is for a DPA processor, and refuses
 *
 * A connection is one link. A message is with the peer's library when it has arrived in the link:
 * from there its program gets it whatever becomes of this process. So a send is a success once it
 * has arrived and the peer's receive queue has a place for it, which takes no progress of the peer.
 */

#include <stdatomic.h>

#include <doca_comch.h>

#include "comch/fast.h"
#include "comch/wire.h"
#include "core/core_priv.h"
#include "soft/link/link.h"

/* First member of server and client. */
struct comch_side {
    struct doca_ctx ctx; /* first */
    bool is_server;
    char *name;
    uint32_t max_msg;
    uint32_t recv_queue;
    char *identity; /* card, host function and name, each with its NUL */
    size_t identity_len;
    struct core_task_pool sends;
    doca_comch_task_send_completion_cb_t sent_cb;
    doca_comch_task_send_completion_cb_t send_error_cb;
    doca_comch_event_msg_recv_cb_t recv_cb;
    doca_comch_event_consumer_cb_t new_consumer_cb;
    doca_comch_event_consumer_cb_t expired_consumer_cb;
    uint8_t *frame;         /* while started: the frame that is being delivered */
    _Atomic uint32_t nends; /* producers and consumers, also of connections that are over */
};

enum comch_conn_state {
    COMCH_CONN_IDLE,    /* no link: never connected, or over */
    COMCH_CONN_OPENING, /* client: not answered yet */
    COMCH_CONN_NEW,     /* server: the program has not been told */
    COMCH_CONN_UP,
    COMCH_CONN_LEAVING, /* this side ends it, but something is to be sent before */
    COMCH_CONN_LEFT,    /* this side said so; what the peer had sent is still delivered */
    COMCH_CONN_LOST,    /* the peer ended it, nothing is left to be received */
};

struct doca_comch_connection {
    struct comch_side *side; /* for its whole life, also when reused */
    struct od_list link_in_side;
    enum comch_conn_state state;
    uint32_t generation; /* of a reused object: tasks tell by it that theirs is gone */
    bool dismissed;      /* doca_comch_server_disconnect(): the program knows it no more */
    bool orderly;        /* LOST: the peer left, it did not die */
    bool failed;         /* was never established */
    bool receive_next;   /* receiving and reporting sends take turns */
    struct soft_link *link;
    uint32_t max_msg;               /* of both sides the smaller one */
    uint32_t peer_window;           /* messages that the peer holds for its program */
    uint64_t sent;                  /* frames given to the link */
    struct comch_fast *fast;        /* NULL: IDLE */
    bool is_note_waiting;           /* the link had no room for one of its notes */
    uint64_t lost_at;               /* LOST: milliseconds, when it was seen */
    struct core_task_queue waiting; /* sends for which the link had no room */
    struct core_task_queue flying;  /* sends in the link, to be reported */
    uint64_t counters[DOCA_COMCH_COUNTER_RECV_BYTES + 1];
    uint64_t reading[DOCA_COMCH_COUNTER_RECV_BYTES + 1];
    union doca_data user_data;
};

struct doca_comch_task_send {
    struct doca_task base; /* first */
    struct doca_comch_connection *conn;
    uint32_t generation;
    uint32_t len;
    const void *msg;
    uint64_t seq; /* in the link, from 1 */
};

struct doca_comch_client {
    struct comch_side side; /* first */
    struct doca_comch_connection conn;
    bool was_up; /* since the last start */
};

struct doca_comch_server {
    struct comch_side side; /* first */
    struct doca_dev_rep *rep;
    doca_comch_event_connection_status_changed_cb_t connect_cb;
    doca_comch_event_connection_status_changed_cb_t disconnect_cb;
    struct soft_link_listener *listener;
    struct od_list conns;      /* served in turn, the first one next */
    struct od_list old_conns;  /* over; the longest ago is reused first */
    _Atomic uint32_t nclients; /* links taken in and not closed; the link's thread counts too */
};

/* Messages may be as short as they like, but what the libraries tell each other must fit too. */
static inline uint32_t comch_link_max_msg(uint32_t max_msg)
{
    return (uint32_t)sizeof(struct comch_frame_head) + OD_MAX(max_msg, COMCH_CONTROL_MAX);
}

static inline bool comch_device_carries(const struct soft_device *device, enum soft_role role)
{
    return device->caps.comch && device->role == role;
}

static inline struct comch_side *comch_side_of(const struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(ctx, struct comch_side, ctx);
}

/* ---- side.c ---- */

/* The name is copied. Logs. */
doca_error_t comch_side_init(struct comch_side *side, const struct core_ctx_ops *ops,
                             struct doca_dev *dev, const struct soft_device *host_func,
                             const char *name, const char *func);
/* IN_USE, logged, unless the context is idle and all producers and consumers are gone. */
doca_error_t comch_side_fini(struct comch_side *side, const char *func);
/* INVALID_VALUE for a device or name that no side can have. */
doca_error_t comch_side_check(struct doca_dev *dev, const char *name, const char *func);
/* What every start needs: the role, the callbacks, memory. */
doca_error_t comch_side_start(struct comch_side *side, enum soft_role role);
void comch_side_stopped(struct comch_side *side);
/* How the link of this side is to be; without an admission. */
struct soft_link_conf comch_side_link_conf(const struct comch_side *side);

/* ---- event.c ---- */

doca_error_t comch_side_check_events(const struct comch_side *side);

/* ---- send.c ---- */

extern const struct core_task_ops comch_send_ops;

doca_error_t comch_send_alloc(struct comch_side *side, struct doca_comch_connection *peer,
                              const void *msg, uint32_t len, const char *func,
                              struct doca_comch_task_send **task);
/* Gives waiting sends to the link as far as it has room. */
void comch_send_push(struct doca_comch_connection *conn);
/* Reports one send whose fate is known; true when there was one. */
bool comch_send_report(struct doca_comch_connection *conn);
/* Would comch_send_report() find one? Else the owner is woken when it would. */
bool comch_send_pending(struct doca_comch_connection *conn);
static inline bool comch_send_is_idle(const struct doca_comch_connection *conn)
{
    return conn->waiting.head == NULL && conn->flying.head == NULL;
}

/* ---- connection.c ---- */

/* False: no memory. */
bool comch_conn_open(struct doca_comch_connection *conn, struct soft_link *link,
                     enum comch_conn_state state);
/* The two sides have told each other what they can. */
void comch_conn_agree(struct doca_comch_connection *conn, uint32_t max_msg, uint32_t peer_window,
                      bool fast_path);
/* One step that the user sees; else false, and when `state` is IDLE then the connection is over. */
bool comch_conn_step(struct doca_comch_connection *conn);
bool comch_conn_pending(struct doca_comch_connection *conn);
/* This side ends the connection once all is sent. */
void comch_conn_leave(struct doca_comch_connection *conn);
/* The same at once and without a word to the program. False: something is to be sent before. */
bool comch_conn_dismiss(struct doca_comch_connection *conn);
/* Whether a producer or consumer can be created on it; logs. */
doca_error_t comch_conn_check_fast(const struct doca_comch_connection *conn, const char *func);
/* The peer ended it or broke the rules. */
void comch_conn_lose(struct doca_comch_connection *conn, bool orderly);

static inline bool comch_conn_has_fast_path(const struct doca_comch_connection *conn)
{
    return conn->fast->is_offered && conn->side->ctx.dev->info.soft->caps.comch_fast_path;
}

static inline bool comch_conn_is_usable(const struct doca_comch_connection *conn)
{
    return conn->state == COMCH_CONN_UP && !conn->dismissed;
}

#endif /* OD_COMCH_COMCH_PRIV_H_ */

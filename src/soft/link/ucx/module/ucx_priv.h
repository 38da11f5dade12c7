/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_UCX_MODULE_UCX_PRIV_H_
#define OD_SOFT_LINK_UCX_MODULE_UCX_PRIV_H_

/* What the files of the module share.
 *
 *   engine.c     the process's one UCP worker, who drives it, times
 *   config.c     UCX's configuration and its messages
 *   endpoint.c   links and their endpoints, from birth to death
 *   frames.c     sending and receiving frames
 *   client.c     connecting
 *   listener.c   listening and answering
 *   link.c       what an owner does with a link
 *
 * One lock guards the worker and everything that is not marked otherwise. The worker is driven by
 * the owners while they poll, and by a background thread while they do not. The background thread
 * sleeps in between; while owners poll it only looks from time to time whether they still do,
 * because being woken up for each message would cost them more than the message. */

#include <netinet/in.h>
#include <stdatomic.h>
#include <ucp/api/ucp.h>

#include "soft/link/link_priv.h"
#include "soft/link/queue.h"
#include "soft/link/tcp/address.h"
#include "soft/link/ucx/inbox.h"
#include "soft/link/ucx/wire.h"
#include "util/list.h"

enum soft_ucx_phase {
    UCX_SEEKING, /* client: nobody there yet */
    UCX_ASKED,   /* client: hello is on its way */
    UCX_SILENT,  /* listener's side: connected, no hello yet */
    UCX_WAITING, /* listener's side: hello is there, no answer yet */
    UCX_UP,
    UCX_GONE,   /* was UP */
    UCX_FAILED, /* never came UP */
};

struct soft_ucx_listener {
    struct soft_link_listener base;
    ucp_listener_h ucp;
    struct od_list all;
    struct soft_link_queue queue;
};

/* A message on its way. */
struct soft_ucx_parcel {
    struct soft_ucx_link *link;
    char *bytes; /* kept for the next message, as the heads */
    size_t cap;
    struct soft_ucx_head *heads; /* one a piece */
    uint32_t nheads;
    uint32_t pending; /* pieces that UCX still reads */
};

struct soft_ucx_link {
    struct soft_link base;
    _Atomic uint32_t phase; /* written under the lock, as all atomics here */
    int reason;
    uint32_t slot; /* in the table of links; frames name it */
    uint64_t cookie;
    uint32_t peer_slot;
    uint64_t peer_cookie;
    ucp_ep_h ep; /* NULL: none */
    bool ep_broken;
    bool ep_closing;
    bool ep_unwanted; /* to be closed, as soon as no call of UCX is in the way */
    bool connecting;  /* client: UCX still connects the endpoint */
    bool released;    /* by the owner */
    bool lingers;     /* until the peer has everything */
    uint32_t nsent;   /* requests that UCX has not completed */
    struct od_list work;
    uint64_t due; /* ms; 0: never */
    void (*expired)(struct soft_ucx_link *link);

    /* Client. */
    struct soft_tcp_addr addr;
    uint64_t deadline;
    uint64_t pause;
    bool met; /* the hello is out, so somebody is there */

    /* Listener's side. */
    struct soft_ucx_listener *listener; /* until the owner takes it */
    struct soft_link_guest guest;
    uint32_t wished_depth;

    /* UP. */
    struct soft_inbox inbox; /* owner takes */
    struct soft_ucx_parcel *parcels;
    uint32_t parcel_mask;
    uint64_t sent; /* numbers given, the end included */
    bool ended;
    _Atomic uint64_t taken;   /* by the peer's owner */
    _Atomic uint64_t arrived; /* at the peer */
    _Atomic uint64_t awaited; /* by the owner, who writes it */
    uint64_t told_taken;      /* to the peer */
    uint64_t told_arrived;
    bool heard; /* since the last beat */
    unsigned int silent_beats;

    /* Owner's own, without the lock. */
    enum soft_ucx_phase seen;
    bool shut;
    bool told;
    unsigned int idle_polls;
    unsigned int untold; /* messages taken since the counts were told for their sake */
};

extern const struct soft_link_ops soft_ucx_ops;

static inline struct soft_ucx_link *soft_ucx_link(struct soft_link *link)
{
    return OD_CONTAINER_OF(link, struct soft_ucx_link, base);
}

static inline enum soft_ucx_phase soft_ucx_phase(struct soft_ucx_link *self)
{
    return (enum soft_ucx_phase)atomic_load_explicit(&self->phase, memory_order_acquire);
}

/* ---- engine.c ---- */

void soft_ucx_lock(void);
void soft_ucx_unlock(void);
/* Lock held. Starts UCX and the thread when they do not run. With a reason. */
int soft_ucx_start(void);
ucp_worker_h soft_ucx_worker(void);
/* By owners: drives the worker if nobody else does at the moment. */
void soft_ucx_poll(void);
/* An owner goes to sleep: the thread must watch from now on. */
void soft_ucx_owner_sleeps(void);
/* Lock held. Something was begun that the thread must end. */
void soft_ucx_call_thread(void);
uint64_t soft_ucx_now_ms(void);
/* Lock held. */
void soft_ucx_set_timer(struct soft_ucx_link *self, uint64_t delay_ms,
                        void (*expired)(struct soft_ucx_link *));
void soft_ucx_cancel_timer(struct soft_ucx_link *self);
/* Lock held. The link is looked at after the worker has made progress. */
void soft_ucx_put_to_work(struct soft_ucx_link *self);

/* Lock held. Table of links. */
int soft_ucx_enter(struct soft_ucx_link *self);
void soft_ucx_leave(struct soft_ucx_link *self);
struct soft_ucx_link *soft_ucx_find(uint32_t slot, uint64_t cookie);
/* A cookie that nobody guesses. -EIO with a reason. */
int soft_ucx_draw_cookie(uint64_t *cookie);

/* ---- config.c ---- */

/* The process's UCX context. With a reason. */
int soft_ucx_context(ucp_context_h *context);
/* With the lock, around all calls of UCX: keeps what it complains of instead of printing it. */
void soft_ucx_listen_to_complaints(bool on);
/* UCX's last complaint in this thread, or the status as text. */
const char *soft_ucx_complaint(ucs_status_t status);

/* ---- endpoint.c; lock held ---- */

struct soft_ucx_link *soft_ucx_link_create(const struct soft_link_conf *conf);
/* Changes the phase and wakes the owner. */
void soft_ucx_news(struct soft_ucx_link *self, enum soft_ucx_phase phase, int reason);
/* The owner has no more to do with it. Orderly: what was sent before still goes out. */
void soft_ucx_release(struct soft_ucx_link *self, bool orderly);
/* The process exits. */
void soft_ucx_cut(struct soft_ucx_link *self);
/* Makes the endpoint; `request` or the link's address. */
int soft_ucx_open_ep(struct soft_ucx_link *self, ucp_conn_request_h request);
/* Not within a call of UCX for this endpoint. */
void soft_ucx_close_ep(struct soft_ucx_link *self);
/* The endpoint is of no use any more; what follows happens outside of UCX's calls. */
void soft_ucx_ep_broke(struct soft_ucx_link *self);
/* What the link is in the work list for. */
void soft_ucx_settle(struct soft_ucx_link *self);
/* Both know each other: room for messages, then UP. -ENOMEM. */
int soft_ucx_come_up(struct soft_ucx_link *self, const struct soft_ucx_greeting *peer,
                     uint32_t max_msg, uint32_t depth);

/* ---- frames.c; lock held ---- */

/* A frame with a short body. 0 or negative errno; the link is not touched. */
int soft_ucx_send_frame(struct soft_ucx_link *self, enum soft_ucx_type type, uint64_t seq,
                        const void *body, size_t len);
int soft_ucx_send_greeting(struct soft_ucx_link *self, enum soft_ucx_type type, const void *text,
                           size_t len);
int soft_ucx_send_refusal(struct soft_ucx_link *self, enum soft_ucx_refusal_code code,
                          const void *text, size_t len);
/* Numbers and sends a message. 0, -EAGAIN, -ENOMEM, -EPIPE. */
int soft_ucx_send_message(struct soft_ucx_link *self, const struct iovec *iov, unsigned int niov,
                          size_t len);
/* Tells the counts if the peer does not know them yet. */
void soft_ucx_ack(struct soft_ucx_link *self);
ucs_status_t soft_ucx_on_frame(void *arg, const void *header, size_t header_len, void *data,
                               size_t len, const ucp_am_recv_param_t *param);

/* ---- client.c ---- */

int soft_ucx_connect(const char *addr, const struct soft_link_conf *conf, const void *hello,
                     size_t len, struct soft_link **link);
void soft_ucx_on_answer(struct soft_ucx_link *self, const void *data, size_t len);
void soft_ucx_on_refusal(struct soft_ucx_link *self, const void *data, size_t len);
/* The endpoint broke before the answer. */
void soft_ucx_seek_later(struct soft_ucx_link *self, int reason);

/* ---- listener.c ---- */

int soft_ucx_listen(const char *addr, const struct soft_link_conf *conf,
                    struct soft_link_listener **listener);
void soft_ucx_unlisten(struct soft_link_listener *listener);
/* Lock held. The process exits. */
void soft_ucx_forget_listeners(void);
struct soft_link *soft_ucx_next(struct soft_link_listener *listener);
bool soft_ucx_listener_pending(const struct soft_link_listener *listener);
int soft_ucx_accept(struct soft_link *link, const void *answer, size_t len);
void soft_ucx_refuse(struct soft_link *link, const void *answer, size_t len);
void soft_ucx_on_hello(ucp_ep_h from, const struct soft_ucx_head *head, const void *data,
                       size_t len, int err);
/* A link that no owner knows ends without a trace, another one with news. */
void soft_ucx_drop(struct soft_ucx_link *self, int reason);

#endif /* OD_SOFT_LINK_UCX_MODULE_UCX_PRIV_H_ */

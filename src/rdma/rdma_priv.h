/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_RDMA_RDMA_PRIV_H_
#define OD_RDMA_RDMA_PRIV_H_

/* What the files of RDMA share.
 *
 *   rdma.c         the instance and its context
 *   attr.c         what is configured
 *   cap.c          what devices offer
 *   addr.c         addresses
 *   exchange.c     how connections find their peers: listeners, details, links
 *   cm.c           connections by address
 *   connection.c   a connection: its life and its end
 *   submit.c       tasks but receives: what is checked when they come
 *   run.c          how they are executed and reported
 *   recv.c         what comes from the peer
 *   post_recv.c, task_*.c   the calls of each kind of task
 *   gpu.c, gpu_run.c  the data path on a GPU, which its thread serves
 *   refusals.c     what is for processors and managers that are not there
 *   wire.c         what is said between instances
 *
 * A connection is one link, which carries messages and immediates; a message counts as delivered
 * once the peer has taken it out of the link, into a receive task. Reads, writes and atomic
 * operations do not use the link: the process that asks does them, by the means of soft/peer. */

#include <pthread.h>

#include <doca_rdma.h>

#include "core/core_priv.h"
#include "rdma/wire.h"
#include "soft/cm/cm.h"
#include "soft/link/link.h"
#include "soft/service/alarm.h"

#define RDMA_MAX_QUEUE    32768u
#define RDMA_MAX_LIST     32u
#define RDMA_MAX_CONNS    8192u
#define RDMA_MAX_PRIVATE  56u
#define RDMA_RNR_FOREVER  7u
#define RDMA_RNR_RETRY_MS 100u
#define RDMA_KNOCK_MS     100u

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

enum rdma_task_kind {
    RDMA_TASK_SEND,
    RDMA_TASK_SEND_IMM,
    RDMA_TASK_READ,
    RDMA_TASK_WRITE,
    RDMA_TASK_WRITE_IMM,
    RDMA_TASK_CMP_SWP,
    RDMA_TASK_FETCH_ADD,
    RDMA_TASK_EVENT_GET,
    RDMA_TASK_EVENT_SET,
    RDMA_TASK_EVENT_ADD,
    RDMA_TASK_NUM,
    RDMA_TASK_RECEIVE = RDMA_TASK_NUM /* has a structure and a pool of its own */
};

/* Called as what its kind has. */
typedef void rdma_callback(void);

struct rdma_callbacks {
    rdma_callback *done, *error;
};

/* Every task but receives. */
struct rdma_task {
    struct doca_task base; /* first */
    enum rdma_task_kind kind;
    struct doca_rdma_connection *conn;
    uint32_t generation;        /* of the connection, when it was submitted */
    uint32_t imm;               /* as the program has it */
    const struct doca_buf *src; /* of atomic operations: none */
    struct doca_buf *dst;       /* of atomic operations: in memory of the peer */
    struct doca_buf *result;    /* atomic operations only */
    const struct doca_sync_event_remote_net *event;
    uint64_t add; /* also: the new value of a swap */
    uint64_t compare;
    uint64_t len;  /* bytes, from submit on */
    uint64_t sent; /* of them in the link */
    uint64_t seq;  /* of its last frame in the link, from 1 */
};

struct doca_rdma_task_send {
    struct rdma_task task;
};

struct doca_rdma_task_send_imm {
    struct rdma_task task;
};

struct doca_rdma_task_read {
    struct rdma_task task;
};

struct doca_rdma_task_write {
    struct rdma_task task;
};

struct doca_rdma_task_write_imm {
    struct rdma_task task;
};

struct doca_rdma_task_atomic_cmp_swp {
    struct rdma_task task;
};

struct doca_rdma_task_atomic_fetch_add {
    struct rdma_task task;
};

struct doca_rdma_task_remote_net_sync_event_get {
    struct rdma_task task;
};

struct doca_rdma_task_remote_net_sync_event_notify_set {
    struct rdma_task task;
};

struct doca_rdma_task_remote_net_sync_event_notify_add {
    struct rdma_task task;
};

struct doca_rdma_task_receive {
    struct doca_task base; /* first */
    struct doca_buf *dst;
    struct doca_rdma_connection *conn;
    enum doca_rdma_opcode opcode;
    uint32_t len;
    uint32_t imm;
};

static inline struct rdma_task *rdma_task_of(struct doca_task *base)
{
    return OD_CONTAINER_OF(base, struct rdma_task, base);
}

static inline struct doca_rdma_task_receive *rdma_receive_of(struct doca_task *base)
{
    return OD_CONTAINER_OF(base, struct doca_rdma_task_receive, base);
}

/* ------------------------------------------------------------------------------------------------
 * Connections
 */

enum rdma_conn_state {
    RDMA_CONN_OVER,       /* none, may be used anew */
    RDMA_CONN_EXPORTED,   /* the program has its details */
    RDMA_CONN_REQUESTED,  /* a peer asks; the program has not answered */
    RDMA_CONN_CALLING,    /* we ask, there is no answer */
    RDMA_CONN_CONNECTING, /* both want it, the link is not up */
    RDMA_CONN_UP,
    RDMA_CONN_ENDING, /* something is to be reported yet */
};

/* A copy that is with the engine or will be. */
struct rdma_copy {
    struct soft_copy_job job;
    bool busy;   /* not done */
    bool unsent; /* and the engine did not take it yet */
};

/* What the link's thread looks at when a peer greets, under the instance's lock. */
struct rdma_door {
    struct od_list link; /* in the instance's doors; to itself: closed */
    uint32_t conn_id;
    uint8_t token[RDMA_TOKEN_SIZE];
    uint8_t peer_token[RDMA_TOKEN_SIZE]; /* of who was let in, or is expected */
    bool expects;                        /* the peer is known */
    bool calling;                        /* we connect ourselves */
    bool taken;                          /* somebody was let in */
};

struct doca_rdma_connection {
    struct doca_rdma *rdma; /* for its whole life, also when reused */
    struct od_list link_in_rdma;
    enum rdma_conn_state state;
    uint32_t generation;
    uint32_t id;
    bool by_addr;
    bool was_up;
    bool told;         /* REQUESTED: the program */
    doca_error_t why;  /* ENDING: status of its tasks */
    uint64_t deadline; /* ms; 0: none */
    uint64_t knock_at; /* ms, CONNECTING without a link: when the peer is called again; 0: never */
    union doca_data user_data;
    struct rdma_door door;
    struct rdma_details details;      /* ours */
    struct rdma_details peer_details; /* once they are known */
    struct doca_rdma_addr *addr;      /* by address: the peer's */
    struct soft_cm_request *request;
    struct soft_cm_call *call;

    struct soft_link *link;
    uint32_t peer_permissions;
    uint64_t sent; /* frames given to the link */

    /* Out: submitted; in the link and not taken; at work in foreign memory. */
    struct core_task_queue waiting;
    struct core_task_queue flying;
    struct rdma_task *active;
    int active_status; /* of one that needs no copy */
    uint32_t nout;
    uint64_t stalled_at; /* ms, when `stalled_seq` became the first of flying; 0: not looked */
    uint64_t stalled_seq;
    struct rdma_copy out;
    struct soft_seg *out_src; /* max_send_list each */
    struct soft_seg *out_dst;

    /* In: the link's message that is held, and the receive task that it goes to. */
    bool holds;
    bool receive_next;
    struct soft_link_msg msg;
    struct rdma_frame frame;
    struct doca_rdma_task_receive *in_task;
    uint64_t in_left; /* bytes of the message that has begun, without the held frame */
    bool in_started;  /* the held frame's payload is with the engine, or was */
    struct rdma_copy in;
    struct soft_seg in_src;
    struct soft_seg *in_dst; /* max_recv_list; what is left of it from in_seg on */
    uint32_t in_seg;
    uint32_t in_nsegs;
    uint32_t in_imm; /* on a GPU: of the message that has begun */
    uint64_t in_total;
};

/* ------------------------------------------------------------------------------------------------
 * The instance
 */

/* A listener for other hosts. */
struct rdma_net {
    struct od_list link;
    struct soft_link_listener *listener;
    char host[RDMA_REMOTE_SIZE];
};

struct rdma_port {
    struct od_list link;
    struct soft_cm_listener *listener;
    uint16_t port;
};

struct rdma_gpu;

struct doca_rdma {
    struct doca_ctx ctx; /* first */

    struct rdma_gpu *gpu;     /* with the data path on a GPU, from the start on; else NULL */
    pthread_mutex_t gpu_lock; /* recursive; then held by whoever uses connections */

    uint32_t send_queue;
    uint32_t recv_queue;
    uint32_t max_send_list;
    uint32_t max_recv_list;
    uint32_t permissions;
    uint32_t gid_index;
    uint32_t sl;
    enum doca_mtu_size mtu;
    uint16_t request_timeout; /* ms */
    uint16_t max_conns;
    uint8_t rnr_retry;
    uint8_t grh;
    doca_rdma_connection_request_cb_t request_cb;
    doca_rdma_connection_established_cb_t established_cb;
    doca_rdma_connection_failure_cb_t failure_cb;
    doca_rdma_connection_disconnection_cb_t disconnection_cb;

    struct core_task_pool pools[RDMA_TASK_NUM];
    struct core_task_pool receives;
    struct rdma_callbacks callbacks[RDMA_TASK_NUM + 1]; /* by kind, the last ones of receives */

    /* While started. */
    struct soft_copy_chan *chan;
    struct soft_alarm *alarm;
    uint64_t alarm_at; /* ms; 0: not set */
    uint8_t instance[RDMA_TOKEN_SIZE];
    struct soft_link_listener *local; /* NULL: nobody needed it yet */
    struct od_list nets;
    struct od_list ports;
    struct core_task_queue posted;
    uint32_t nposted;
    uint32_t norphans; /* of them, posted before the last connection went, and to be flushed */

    struct od_list conns;     /* served in turn, the first one next */
    struct od_list old_conns; /* over; the longest ago is reused first */
    uint32_t nconns;

    pthread_mutex_t lock; /* for doors; never held across a call of soft */
    struct od_list doors;
};

static inline struct doca_rdma *rdma_of(const struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(ctx, struct doca_rdma, ctx);
}

/* What is called for a task that has ended. */
static inline rdma_callback *rdma_callback_of(const struct doca_task *base,
                                              enum rdma_task_kind kind)
{
    const struct rdma_callbacks *callbacks = &rdma_of(base->ctx)->callbacks[kind];

    return od_likely(base->status == DOCA_SUCCESS) ? callbacks->done : callbacks->error;
}

uint64_t rdma_now_ms(void);

/* ---- gpu.c ---- */

/* Keeps the thread of kernels out. NULL, and nothing to leave, with the data path on the CPU. */
static inline struct doca_rdma *rdma_enter(struct doca_rdma *rdma)
{
    if (od_likely(rdma->gpu == NULL))
        return NULL;
    pthread_mutex_lock(&rdma->gpu_lock);
    return rdma;
}

static inline void rdma_leave(struct doca_rdma **entered)
{
    if (*entered != NULL)
        pthread_mutex_unlock(&(*entered)->gpu_lock);
}

/* Of what rdma_enter() returned: leaves at the end of the scope. */
#define RDMA_AUTO_LEAVE __attribute__((cleanup(rdma_leave), unused))

/* Logs. */
doca_error_t rdma_gpu_start(struct doca_rdma *rdma);
/* Each is fine with the data path on the CPU. */
void rdma_gpu_stopping(struct doca_rdma *rdma);
void rdma_gpu_destroyed(struct doca_rdma *rdma);
void rdma_gpu_began(struct doca_rdma_connection *conn);
void rdma_gpu_ended(struct doca_rdma_connection *conn);

/* ---- cap.c ---- */

uint32_t rdma_gid_table_size(const struct soft_device *device);

/* ---- addr.c ---- */

struct doca_rdma_addr {
    enum doca_rdma_addr_type type;
    uint16_t port;
    bool is_owned;                /* by a connection */
    char text[SOFT_CM_HOST_SIZE]; /* as it was given */
    char host[SOFT_CM_HOST_SIZE]; /* the IP address that it means */
};

/* NULL: no memory. */
struct doca_rdma_addr *rdma_addr_new(enum doca_rdma_addr_type type, const char *text,
                                     const char *host, uint16_t port);

/* ---- exchange.c ---- */

/* A connection may have details from here on: the local listener listens, and one for other hosts
 * where the environment asks for it. Logs. */
doca_error_t rdma_listen(struct doca_rdma *rdma, const char *func);
void rdma_unlisten(struct doca_rdma *rdma);
/* Fills in details and opens the door. `host`: an address of ours that the peer reaches, or NULL
 * for those of the environment. Logs. */
doca_error_t rdma_make_details(struct doca_rdma_connection *conn, const char *host,
                               const char *func);
/* Both sides want it: begins to connect, or takes the link that has come. Logs. */
doca_error_t rdma_meet(struct doca_rdma_connection *conn, const struct rdma_details *peer,
                       const char *func);
/* CONNECTING: the peer, who said that it calls us, unless its link has come. Logs. */
doca_error_t rdma_call_again(struct doca_rdma_connection *conn);
/* A link of the peer was let in, and is or will be with the engine. */
bool rdma_is_taken(struct doca_rdma_connection *conn);
/* Hands links that have come to their connections. */
void rdma_take_links(struct doca_rdma *rdma);
bool rdma_links_pending(const struct doca_rdma *rdma);
void rdma_close_door(struct doca_rdma_connection *conn);
bool rdma_is_same_host(const struct rdma_details *peer, const struct doca_rdma_connection *conn);

/* ---- connection.c ---- */

/* FULL or NO_MEMORY, logged. The connection is in no state yet. */
doca_error_t rdma_conn_new(struct doca_rdma *rdma, const char *func,
                           struct doca_rdma_connection **conn);
/* One that came to nothing before the program knew it. */
void rdma_conn_drop(struct doca_rdma_connection *conn);
void rdma_conn_free_all(struct doca_rdma *rdma);
/* From here on only reports; harmless when it ends already. */
void rdma_conn_end(struct doca_rdma_connection *conn, doca_error_t why);
/* The context stops. Over at once when there is nothing to report. */
void rdma_conn_stop(struct doca_rdma_connection *conn);
/* The peer broke a rule of the wire. */
void rdma_conn_break_off(struct doca_rdma_connection *conn, const char *what);
void rdma_conn_set_deadline(struct doca_rdma_connection *conn, uint64_t delay_ms);
/* ms, when it has to be looked at although nothing happens; 0: never. */
uint64_t rdma_conn_due(const struct doca_rdma_connection *conn);
bool rdma_conn_step(struct doca_rdma_connection *conn);
bool rdma_conn_pending(struct doca_rdma_connection *conn);

static inline bool rdma_conn_takes_tasks(const struct doca_rdma_connection *conn)
{
    return conn->state == RDMA_CONN_UP || conn->state == RDMA_CONN_CONNECTING;
}

/* ---- cm.c ---- */

void rdma_cm_take_requests(struct doca_rdma *rdma);
bool rdma_cm_pending(const struct doca_rdma *rdma);
void rdma_cm_close_ports(struct doca_rdma *rdma);
/* REQUESTED: tells the program; CALLING: looks for the answer. True: the program saw something. */
bool rdma_cm_step(struct doca_rdma_connection *conn);
/* Over, connections by address only. */
void rdma_cm_report_end(struct doca_rdma_connection *conn, bool was_up);
void rdma_cm_report_up(struct doca_rdma_connection *conn);
/* Closes what is open on the way to a connection. */
void rdma_cm_release(struct doca_rdma_connection *conn);

/* ---- task_*.c: one for each kind, in the order of rdma_task_kind ---- */

extern const struct core_task_ops rdma_send_ops;
extern const struct core_task_ops rdma_send_imm_ops;
extern const struct core_task_ops rdma_read_ops;
extern const struct core_task_ops rdma_write_ops;
extern const struct core_task_ops rdma_write_imm_ops;
extern const struct core_task_ops rdma_cmp_swp_ops;
extern const struct core_task_ops rdma_fetch_add_ops;
extern const struct core_task_ops rdma_event_get_ops;
extern const struct core_task_ops rdma_event_set_ops;
extern const struct core_task_ops rdma_event_add_ops;

/* ---- submit.c ---- */

doca_error_t rdma_submit(struct doca_task *base, bool flush);
doca_error_t rdma_validate(struct doca_task *base);
/* set_conf of all kinds. */
doca_error_t rdma_set_conf(struct doca_rdma *rdma, enum rdma_task_kind kind, rdma_callback *done,
                           rdma_callback *error, uint32_t num, const char *func);
/* NULL and foreign connections; then a task of the kind. */
doca_error_t rdma_task_alloc(struct doca_rdma *rdma, enum rdma_task_kind kind,
                             struct doca_rdma_connection *conn, union doca_data user_data,
                             bool has_output, const char *func, struct rdma_task **task);
/* Of a live task; a connection that is none changes nothing. */
void rdma_task_set_connection(struct rdma_task *task, struct doca_rdma_connection *conn);

struct rdma_extent {
    uint64_t bytes;
    uint32_t elements;
    bool sane; /* data lie in their slices */
};
/* Data of a list, and the room behind data of a list. NULL: nothing. */
struct rdma_extent rdma_data_extent(const struct doca_buf *buf);
struct rdma_extent rdma_room_extent(const struct doca_buf *buf);
/* A local destination that this instance may write; logs. */
doca_error_t rdma_check_local(const struct doca_rdma *rdma, const struct doca_buf *buf, bool write,
                              const char *side);

/* ---- run.c ---- */

/* Executes what can be executed now. */
void rdma_run(struct doca_rdma_connection *conn);
/* Reports one task whose fate is known; true when there was one. */
bool rdma_report(struct doca_rdma_connection *conn);
bool rdma_run_pending(struct doca_rdma_connection *conn);
/* ENDING: reports what is left; false: nothing is. `busy`: not now. */
bool rdma_report_rest(struct doca_rdma_connection *conn, bool *busy);
/* ms that a send may wait for a receive task; 0: for ever. */
uint64_t rdma_rnr_limit(const struct doca_rdma *rdma);
/* True once the engine has given the copy back; its status is in the job. */
bool rdma_copy_done(struct doca_rdma *rdma, struct rdma_copy *copy);
void rdma_copy_start(struct doca_rdma *rdma, struct rdma_copy *copy);
bool rdma_copy_pending(const struct doca_rdma *rdma, const struct rdma_copy *copy);
/* Destinations grow by what they got. */
void rdma_grow(struct doca_buf *buf, uint64_t bytes);

/* ---- recv.c ---- */

/* Holds the next frame of the link; false: there is none. */
bool rdma_take_frame(struct doca_rdma_connection *conn);
void rdma_drop_frame(struct doca_rdma_connection *conn);
bool rdma_receive(struct doca_rdma_connection *conn);
bool rdma_receive_pending(struct doca_rdma_connection *conn);
extern const struct core_task_ops rdma_receive_ops;
/* Reports the receive task that was posted first. */
void rdma_flush_receive(struct doca_rdma *rdma, doca_error_t status);
/* ENDING: reports the receive task that was begun. */
bool rdma_receive_rest(struct doca_rdma_connection *conn, bool *busy);

#endif /* OD_RDMA_RDMA_PRIV_H_ */

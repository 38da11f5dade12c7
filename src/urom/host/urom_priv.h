/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_HOST_UROM_PRIV_H_
#define OD_UROM_HOST_UROM_PRIV_H_

/* What the files of the host library share.
 *
 *   service.c       the service object
 *   service_link.c  its link: finding, greeting, asking the daemon
 *   query.c         queries for workers by group
 *   worker.c        the worker object
 *   worker_start.c  from the daemon to a channel, and back
 *   command.c       command tasks
 *   domain.c        the domain object
 *   domain_start.c  the exchange between its processes
 *   resolve.c       where the service of a device is
 *   environment.c   the variables that the library reads
 *   frame.c         messages of links to daemon and workers
 *
 * Threads: a service is shared by workers on other threads; what they look at is guarded by its
 * lock, its link included. Each worker has links of its own, so that the path of a command takes
 * no lock. */

#include <pthread.h>

#include <doca_urom.h>
#include <doca_urom_ext.h>

#include "core/core_priv.h"
#include "soft/link/link.h"
#include "soft/service/alarm.h"
#include "urom/wire/channel.h"
#include "urom/wire/control.h"
#include "urom/wire/cpus.h"
#include "urom/wire/frames.h"
#include "urom/wire/hello.h"
#include "urom/wire/pack.h"

_Static_assert(sizeof(doca_cpu_set_t) == sizeof(struct urom_cpus), "sets of 1024 CPUs");

/* ---- environment.c ---- */

struct urom_environment {
    const char *service_file; /* NULL: not set */
    const char *socket;       /* NULL: not set */
    uint32_t connect_timeout; /* ms */
    uint32_t answer_timeout;  /* ms; for a daemon or worker that is there and hangs */
    uint32_t domain_timeout;  /* ms; 0: none */
    bool has_runtime_dir;     /* a runtime folder is named: the machine's daemon is not meant */
};

void urom_environment_read(struct urom_environment *env);
/* The secret for remote services. 0, also when none is named; negative errno with a reason. */
int urom_environment_secret(uint8_t secret[UROM_SECRET_SIZE], uint32_t *len);

/* ---- resolve.c ---- */

struct urom_target {
    char addrs[2][UROM_WIRE_ADDR_SIZE]; /* where the daemon may be, in this order */
    unsigned int naddrs;
    char net_devices[UROM_WIRE_NAME_SIZE]; /* "": none named */
};

/* Logs, with the codes of a service's start. */
doca_error_t urom_resolve(const struct doca_ctx *ctx, const struct urom_environment *env,
                          struct urom_target *target);

/* HOST:0 with the address that this machine has towards a daemon; "" when there is none. */
void urom_own_address(const char *daemon, char own[UROM_WIRE_NAME_SIZE]);

/* ---- frame.c ---- */

/* Of links to the daemon. */
void urom_control_conf(struct soft_link_conf *conf, struct od_waker *waker);
/* One message of one frame. 0 or a negative errno of soft_link_send(). */
int urom_frame_send(struct soft_link *link, enum urom_type type, uint64_t correlation,
                    const void *body, size_t len);
/* As much of a message as the link takes: 0 when all is sent, -EAGAIN, or another errno. */
int urom_cut_send(struct soft_link *link, struct urom_cut *cut);
/* The next complete message: 0, -EAGAIN, or why the link is of no use any more. */
int urom_frame_recv(struct soft_link *link, struct urom_join *join);
uint64_t urom_now_ms(void);

/* ---- service ---- */

#define UROM_LAST_ERROR_SIZE 320

struct doca_urom_service {
    struct doca_ctx ctx;
    uint32_t max_msg;
    uint32_t max_workers;

    pthread_mutex_t lock; /* from here on */
    uint32_t refs;        /* worker objects */
    uint32_t active;      /* those that are not IDLE */
    bool running;
    struct soft_link *link;
    struct urom_join join;
    char addr[UROM_WIRE_ADDR_SIZE]; /* of the daemon */
    char net_devices[UROM_WIRE_NAME_SIZE];
    char listen[UROM_WIRE_NAME_SIZE]; /* HOST:0 where other hosts reach this process; "": none */
    uint8_t session[UROM_WIRE_KEY_SIZE];
    uint8_t instance[UROM_WIRE_KEY_SIZE];
    struct urom_cpus cpus;
    uint32_t start_timeout;  /* ms that the daemon gives a worker */
    uint32_t answer_timeout; /* ms, see urom_environment; fixed while running */
    uint64_t plugin_mask;
    uint32_t nplugins;
    struct doca_urom_service_plugin_info plugins[UROM_WIRE_PLUGINS_MAX];

    /* queries; the service's thread only */
    struct core_task_pool pool;
    struct core_task_queue asked;
    uint64_t last_query;
    uint64_t query_deadline;  /* ms, of the oldest one */
    struct soft_alarm *alarm; /* at that time */
    bool delivering;          /* a completion runs: becoming IDLE is an event of its own */
};

/* Connects, greets, and fills in what the daemon says. Logs; leaves nothing behind on failure. */
doca_error_t urom_service_open(struct doca_urom_service *service);
void urom_service_close(struct doca_urom_service *service);
/* Whether the daemon is there; lock held. */
bool urom_service_is_alive(struct doca_urom_service *service);

extern const struct core_task_ops urom_query_ops;
bool urom_query_progress(struct doca_urom_service *service);
bool urom_query_is_overdue(const struct doca_urom_service *service);
void urom_query_free_all(struct doca_urom_service *service);

/* ---- worker ---- */

enum urom_worker_step {
    UROM_WORKER_UNUSED,
    UROM_WORKER_GREETING,  /* connects to the daemon */
    UROM_WORKER_ATTACHING, /* asks it for the worker, waits for the answer */
    UROM_WORKER_CHANNEL,   /* connects to the worker */
    UROM_WORKER_OPEN,      /* commands travel */
    UROM_WORKER_DETACHING, /* waits for the daemon's word */
    UROM_WORKER_DETACHED,
};

struct urom_worker_slot {
    struct doca_urom_worker_cmd_task *task;
    uint64_t token; /* 0: free */
};

struct doca_urom_worker {
    struct doca_ctx ctx;
    /* configuration */
    struct doca_urom_service *service;
    uint64_t wanted_id;
    uint64_t plugins;
    struct urom_cpus cpus;
    uint32_t wanted_gid;
    uint32_t max_inflight; /* a power of two */
    bool has_cpus;
    bool has_gid;
    char *env; /* NUL-terminated strings, one behind the other */
    size_t env_len;
    uint32_t env_count;
    struct od_list members; /* places in domains */
    uint32_t domains;       /* that are not IDLE */

    /* from start to IDLE */
    enum urom_worker_step step;
    struct soft_link *daemon;
    struct soft_link *channel;
    uint64_t deadline;        /* ms, of this step */
    struct soft_alarm *alarm; /* at that time: a daemon that hangs wakes nobody */
    uint32_t channel_timeout; /* ms; a plugin may keep a worker busy for so long */
    uint32_t max_msg;
    char net_devices[UROM_WIRE_NAME_SIZE];
    void *attach; /* being sent */
    struct urom_cut cut;
    struct urom_join join;
    uint64_t id;
    uint32_t gid;
    char addr[UROM_WIRE_ADDR_SIZE];
    uint8_t token[UROM_WIRE_KEY_SIZE];
    uint8_t instance[UROM_WIRE_KEY_SIZE];

    /* commands */
    struct core_task_pool pool;
    struct core_buf_source *bufs;
    struct urom_worker_slot *slots;
    uint32_t *free_slots; /* stack */
    uint32_t nfree;
    uint32_t generation;
    uint64_t checked; /* when it was last looked who is still there, in ticks of the processor */
    bool lost;        /* the channel is of no use any more */
    bool delivering;  /* a completion runs: becoming IDLE is an event of its own */
    struct core_task_queue failed;
    struct doca_urom_ext_stats stats;
    char last_error[UROM_LAST_ERROR_SIZE];
};

/* worker_start.c */
doca_error_t urom_worker_start(struct doca_ctx *ctx);
bool urom_worker_start_progress(struct doca_urom_worker *worker);
bool urom_worker_detach_progress(struct doca_urom_worker *worker);
bool urom_worker_pending(const struct doca_ctx *ctx);
void urom_worker_stopping(struct doca_ctx *ctx);
void urom_worker_stopped(struct doca_ctx *ctx);

/* command.c */
extern const struct core_task_ops urom_command_ops;
/* Room for what can be in flight. NO_MEMORY, not logged. */
doca_error_t urom_commands_open(struct doca_urom_worker *worker);
void urom_commands_close(struct doca_urom_worker *worker);
/* One completion, or nothing. */
bool urom_commands_progress(struct doca_urom_worker *worker);
/* Everything in flight completes with IO_FAILED, in the order of submits. */
void urom_commands_fail(struct doca_urom_worker *worker);

/* ---- domain ---- */

struct urom_domain_member {
    struct od_list link;             /* the worker's */
    struct doca_urom_worker *worker; /* NULL: destroyed */
    uint64_t id;
    struct soft_link *channel;
    struct urom_cut cut; /* of the table */
    struct urom_join join;
    void *addrs; /* of its plugins */
    size_t addrs_len;
    bool answered; /* the question at hand */
};

struct urom_domain_buf {
    void *addr;
    size_t len;
    void *memh;
    size_t memh_len;
    void *mkey;
    size_t mkey_len;
};

enum urom_domain_step {
    UROM_DOMAIN_UNUSED,
    UROM_DOMAIN_ADDRESSES, /* asks the own workers */
    UROM_DOMAIN_HEADS,     /* exchanges how much each process brings */
    UROM_DOMAIN_BLOBS,     /* exchanges it */
    UROM_DOMAIN_TABLES,    /* gives the own workers what came together */
    UROM_DOMAIN_VERDICT,   /* exchanges whether that went well */
    UROM_DOMAIN_DONE,
};

struct doca_urom_domain {
    struct doca_ctx ctx;
    struct doca_urom_domain_oob_coll oob;
    bool has_oob;
    bool has_workers;
    bool has_count;
    struct urom_domain_member *members;
    size_t nmembers;
    struct urom_domain_buf *bufs;
    size_t nbufs; /* added */
    size_t max_bufs;

    /* from start to IDLE */
    enum urom_domain_step step;
    doca_error_t status; /* what went wrong here; the others are told */
    uint64_t deadline;   /* ms; 0: none */
    uint64_t blob_max;
    void *sent;     /* of the exchange at hand */
    void *gathered; /* n_oob_indexes times as much */
    size_t exchange_len;
    void *request;
    bool posted;
    void *blob;
    size_t blob_len;
    void *table;
    size_t table_len;
};

/* NO_MEMORY is the only failure, logged. */
doca_error_t urom_domain_begin(struct doca_urom_domain *domain);
/* True when the start is over, one way or the other; `status` says which. */
bool urom_domain_advance(struct doca_urom_domain *domain);
/* Links and memory of the start; the members forget the domain. */
void urom_domain_end(struct doca_urom_domain *domain);

#endif /* OD_UROM_HOST_UROM_PRIV_H_ */

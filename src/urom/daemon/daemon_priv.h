/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_DAEMON_DAEMON_PRIV_H_
#define OD_UROM_DAEMON_DAEMON_PRIV_H_

/* What the files of the daemon share.
 *
 *   main.c      the order of life
 *   options.c   command line
 *   loop.c      events
 *   lock.c      one daemon a card; what one that crashed left behind
 *   identity.c  who may come
 *   client.c    links of clients
 *   attach.c    the way from a client to a worker
 *   worker.c    worker processes: table, life, supervision
 *   spawn.c     making one
 *   plugins.c   which plugins there are
 *   probe.c     looking at one in a child process
 *   status.c    what doca_urom_ctl shows
 *
 * One thread. It never loads a plugin and never sees a command. */

#include <jansson.h>
#include <limits.h>
#include <sys/epoll.h>
#include <sys/types.h>

#include "soft/device/device.h"
#include "soft/link/link.h"
#include "urom/wire/control.h"
#include "urom/wire/cpus.h"
#include "urom/wire/frames.h"
#include "urom/wire/hello.h"
#include "urom/wire/page.h"
#include "urom/wire/spawn.h"
#include "util/list.h"
#include "util/net.h"

struct daemon;

/* Exit statuses. */
#define DAEMON_USAGE  1 /* command line or configuration */
#define DAEMON_SERVED 2 /* another daemon serves the card */
#define DAEMON_LISTEN 3

/* ---- loop.c ---- */

#define DAEMON_EVENTS 32 /* in one round */

struct daemon_watch {
    int fd; /* -1: not watched */
    void (*ready)(struct daemon *daemon, struct daemon_watch *watch, uint32_t events);
};

/* 0 or a negative errno. */
int daemon_watch_add(struct daemon *daemon, struct daemon_watch *watch, int fd,
                     void (*ready)(struct daemon *, struct daemon_watch *, uint32_t));
/* Closes the fd too; nothing is told of it any more, so that its memory may go. Harmless when not
 * watched. */
void daemon_watch_close(struct daemon *daemon, struct daemon_watch *watch);
uint64_t daemon_now_ms(void);
/* Runs until the daemon is told to end, and all workers have. */
void daemon_loop(struct daemon *daemon);

/* ---- main.c ---- */

/* One line: who this is, what there is, where. */
void daemon_say_ready(const struct daemon *daemon);

/* ---- options.c ---- */

#define LIST_MAX    64
#define LISTEN_MAX  8
#define SOURCES_MAX 64

struct daemon_options {
    uint32_t max_msg;
    char device[UROM_WIRE_NAME_SIZE];
    char socket[UROM_WIRE_ADDR_SIZE]; /* "": default */
    char listen[LISTEN_MAX][UROM_WIRE_ADDR_SIZE];
    size_t nlisten;
    struct urom_cpus cpus;
    uint32_t max_workers;
    uint32_t max_workers_per_uid;
    uint32_t max_clients;
    uint32_t max_inflight;
    uid_t uids[LIST_MAX];
    size_t nuids;
    gid_t gids[LIST_MAX];
    size_t ngids;
    struct od_net nets[LIST_MAX];
    size_t nnets;
    char token_file[PATH_MAX]; /* "": none */
    char worker_path[PATH_MAX];
    uint32_t hang_timeout; /* s; 0: report only */
    uint32_t max_ring_mem; /* MiB */
    char remote_user[64];  /* "": the daemon's */
    bool remote_allow_env;
    bool busy_poll;
    /* environment */
    uint32_t spawn_timeout; /* ms */
    uint32_t probe_timeout; /* ms */
    const char *plugin_path;
    bool has_runtime_dir; /* one is named: this is not the machine's daemon */
};

/* 0, or an exit status after a message. -h and -v do not return. */
int daemon_options_parse(int argc, char **argv, struct daemon_options *options);

/* ---- identity.c ---- */

struct daemon_identity {
    uid_t uid; /* of a remote client: whom its workers run as */
    gid_t gid;
    pid_t pid; /* 0: not known */
    bool remote;
    char text[UROM_WIRE_ADDR_SIZE + 32]; /* for messages */
};

/* Reads the token file again. Negative errno after a message. */
int daemon_identity_reload(struct daemon *daemon);
/* Who it is, and whether that one may come; when not, *why says why. */
bool daemon_identify(struct daemon *daemon, const struct soft_link *link,
                     const struct urom_hello *hello, struct daemon_identity *identity,
                     const char **why);

/* ---- plugins.c ---- */

struct daemon_plugin {
    char name[DOCA_UROM_PLUGIN_NAME_MAX_LEN];
    char path[PATH_MAX];
    uint64_t id; /* 0: never was one */
    uint64_t version;
    bool present;                    /* found by the last scan */
    bool usable;                     /* passed its probe */
    char error[UROM_WIRE_TEXT_SIZE]; /* of the probe */
    dev_t dev;                       /* what was probed */
    ino_t ino;
    int64_t mtime_ns;
};

/* Looks for plugins; their probes end later. */
void daemon_plugins_scan(struct daemon *daemon);
/* The same when a folder changed since. */
void daemon_plugins_look(struct daemon *daemon);
/* A folder of the search path and why it cannot be read, or 0; false behind the last. */
bool daemon_plugins_folder(const struct daemon *daemon, size_t index, char folder[PATH_MAX],
                           int *err);
bool daemon_plugins_busy(const struct daemon *daemon);
/* Those that can be had now, ascending by id. Returns their number. */
uint32_t daemon_plugins_list(const struct daemon *daemon,
                             struct doca_urom_service_plugin_info list[UROM_WIRE_PLUGINS_MAX]);
const struct daemon_plugin *daemon_plugin_by_id(const struct daemon *daemon, uint64_t id);

/* ---- probe.c ---- */

struct daemon_probe {
    struct od_list entry;
    struct daemon_watch watch; /* of its output */
    pid_t pid;
    uint64_t deadline;
    size_t plugin; /* place in the table */
};

/* False when it cannot even begin; the plugin then has its reason. */
bool daemon_probe_begin(struct daemon *daemon, size_t plugin);
/* `looked`: when all that had come before it was served. */
void daemon_probes_tick(struct daemon *daemon, uint64_t looked);
void daemon_probes_end(struct daemon *daemon);

/* ---- workers ---- */

enum daemon_worker_state {
    DAEMON_WORKER_STARTING,
    DAEMON_WORKER_RUNNING,
    DAEMON_WORKER_STUCK, /* running, but not moving */
    DAEMON_WORKER_STOPPING,
};

struct daemon_worker {
    struct od_list entry;
    enum daemon_worker_state state;
    uint64_t id;
    uint64_t plugins;
    bool has_gid;
    uint32_t gid;
    uid_t uid; /* whose it is, and whom it runs as */
    bool remote;
    struct urom_cpus cpus;
    pid_t pid;
    struct daemon_watch exit;    /* pidfd */
    struct daemon_watch control; /* socket */
    struct urom_page *page;
    struct od_list clients; /* attached, or waiting to be */
    uint64_t born;          /* ms */
    uint64_t deadline;      /* ms; 0: none: start, or end after a stop */
    enum urom_exit ending;  /* how it ends if we kill it */
    uint64_t seen_loops;
    uint64_t moved; /* ms: when the loops counter last changed */
    struct urom_ready ready;
    struct urom_result failure; /* why it cannot start; error 0: it did not say */
};

struct daemon_request; /* see attach.c */

struct daemon_worker *daemon_worker_find(struct daemon *daemon, uid_t uid, uint64_t id);
/* Makes a process for the request. NULL, and why not. */
struct daemon_worker *daemon_worker_spawn(struct daemon *daemon,
                                          const struct daemon_request *request,
                                          struct urom_result *why);
/* Tells it to close its plugins and end. */
void daemon_worker_stop(struct daemon *daemon, struct daemon_worker *worker);
bool daemon_worker_send(struct daemon_worker *worker, enum urom_type type, const void *body,
                        size_t len);
/* Deadlines, as of a time before which all that had come was served, and the watchdog. */
void daemon_workers_tick(struct daemon *daemon, uint64_t looked);
const char *daemon_worker_state_name(enum daemon_worker_state state);

/* What became of the workers of one id; kept a while. */
struct daemon_history {
    uid_t uid;
    uint64_t id;
    uint32_t starts;
    char last_exit[64];
};

/* spawn.c: the process itself. 0 or a negative errno; fills in pid and page, and gives its control
 * socket and pidfd. */
int daemon_spawn(struct daemon *daemon, struct daemon_worker *worker,
                 const struct daemon_request *request, int *control, int *pidfd);

/* ---- clients ---- */

struct daemon_client {
    struct od_list entry;
    struct soft_link *link;
    enum urom_kind kind;
    bool greeted; /* was answered */
    struct urom_hello hello;
    struct daemon_identity identity;
    uint64_t since; /* ms */
    struct urom_join join;
    /* SERVICE */
    uint8_t session[UROM_WIRE_KEY_SIZE];
    uint64_t plugins; /* the table that it was given */
    /* WORKER */
    uint32_t max_msg;
    uint64_t session_plugins;
    struct daemon_worker *worker;   /* attached to, or waiting for */
    struct od_list of_worker;       /* place in its list */
    struct daemon_request *request; /* until it is attached */
    bool joined;                    /* the worker was there */
    bool attached;
    uint8_t token[UROM_WIRE_KEY_SIZE];
    /* CONTROL */
    char *status; /* being sent */
    struct urom_cut cut;
};

void daemon_clients_poll(struct daemon *daemon);
bool daemon_clients_pending(const struct daemon *daemon);
struct daemon_client *daemon_client_by_session(struct daemon *daemon,
                                               const uint8_t key[UROM_WIRE_KEY_SIZE]);
void daemon_client_close(struct daemon *daemon, struct daemon_client *client);
/* One frame. False: the link is of no use. */
bool daemon_client_send(struct daemon_client *client, enum urom_type type, uint64_t correlation,
                        const void *body, size_t len);
uint32_t daemon_clients_count(const struct daemon *daemon, enum urom_kind kind);

/* ---- attach.c ---- */

struct daemon_request {
    struct urom_attach attach;
    uint64_t correlation;
    uid_t uid;
    gid_t gid;
    bool remote;
    uint32_t max_msg;
    char *env; /* NUL-terminated strings, attach.env_count of them */
};

/* An ATTACH of a client. False: it is malformed. */
bool daemon_attach(struct daemon *daemon, struct daemon_client *client, const void *body,
                   size_t len, uint64_t correlation);
/* The worker is ready: everybody who waits for it is let in. */
void daemon_attach_ready(struct daemon *daemon, struct daemon_worker *worker);
/* The worker is gone: everybody who had it, or waits, is told. */
void daemon_attach_gone(struct daemon *daemon, struct daemon_worker *worker,
                        const struct urom_worker_exit *gone);
/* The client goes, whatever it has of a worker. */
void daemon_detach(struct daemon *daemon, struct daemon_client *client);

/* ---- status.c ---- */

/* JSON text, to be freed; NULL without memory. Others' workers are for root only. */
char *daemon_status(struct daemon *daemon, const struct daemon_identity *viewer);

/* ---- lock.c ---- */

/* 0, or an exit status after a message. */
int daemon_lock(struct daemon *daemon);
/* Notes which workers there are, for a successor in case of a crash. */
void daemon_lock_note(struct daemon *daemon);
/* Writes into the lock which process has it and what that does ("starts", "serves", "ends"), for
 * those who get no answer. */
void daemon_lock_tell(const struct daemon *daemon, const char *does);
void daemon_unlock(struct daemon *daemon);
/* Start time of a process in clock ticks since boot; 0: not known. */
uint64_t daemon_start_ticks(pid_t pid);

/* ---- the daemon ---- */

struct daemon_totals {
    uint64_t spawns;
    uint64_t spawn_failures; /* could not be made at all */
    uint64_t start_failures; /* did not become ready */
    uint64_t start_timeouts;
    uint64_t exits[UROM_EXIT_NUM];
    uint64_t rejects[UROM_REASON_NUM];
    uint64_t clients;
};

struct daemon {
    struct daemon_options options;
    const struct soft_device *device;
    char pci[OD_PCI_ADDR_TEXT];
    uint8_t instance[UROM_WIRE_KEY_SIZE];
    uid_t uid;
    uint64_t born;  /* ms */
    bool is_system; /* the machine's daemon, not a user's own */
    bool stopping;
    bool rescan;

    int epoll;
    struct epoll_event events[DAEMON_EVENTS]; /* of this round */
    int nevents;
    struct od_waker waker;
    struct daemon_watch waking;
    struct daemon_watch signals;
    struct soft_link_listener *listeners[1 + LISTEN_MAX];
    size_t nlisteners;

    int lock_fd;
    int dir_fd; /* of the lock */

    uint8_t secret[UROM_SECRET_SIZE];
    uint32_t secret_len; /* 0: none */

    struct daemon_plugin plugins[UROM_WIRE_PLUGINS_MAX];
    size_t nplugins;
    struct od_list probes;
    int64_t scanned_ns[SOURCES_MAX]; /* of each folder: its change that was seen */
    int scan_errno[SOURCES_MAX];     /* of each folder: why it cannot be read, or 0 */
    bool was_ready;

    struct od_list clients;
    struct od_list workers;
    uint64_t last_auto_id;
    struct daemon_history history[256];
    size_t nhistory;
    struct daemon_totals totals;
};

#endif /* OD_UROM_DAEMON_DAEMON_PRIV_H_ */

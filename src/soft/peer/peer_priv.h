/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_PEER_PRIV_H_
#define OD_SOFT_PEER_PEER_PRIV_H_

/* What the files of this room share.
 *
 *   service.c   start, exit and fork
 *   server.c    exporter: the socket and the importers connected to it
 *   export.c    exporter: the table of exports, revocation
 *   memory.c    exporter: finds the file behind a range
 *   queue.c     memory for queues, and their bell
 *   lane.c      exporter: does accesses for importers that cannot do them
 *   serve.c     exporter: such an access
 *   abroad.c    exporter: importers on other hosts
 *   conn.c      importer: the connection to one exporter
 *   import.c    importer: making and closing maps
 *   access.c    importer: brackets, copies, atomics
 *   atomic.c    what the CPU does, on either side
 *   mapped.c vm.c served.c remote.c   importer: the engines; the last one connects to an exporter
 *               on another host, too
 *   flow.c      importer: requests to an exporter on another host
 *   job.c       importer: accesses to memory of another host that nobody waits for
 *   desc.c wire.c dir.c      the descriptor, the messages, the folder
 *
 * One lock (soft_service_lock) guards everything that more than one thread sees, on both sides. It
 * is held for a few microseconds, never across a wait or an access to foreign memory. The two
 * mutexes of a connection are taken before it, never after. */

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "soft/link/link.h"
#include "soft/peer/flow.h"
#include "soft/peer/wire.h"
#include "soft/service/service.h"
#include "soft/service/shared.h"
#include "util/list.h"

#define PEER_ANSWER_MS 5000 /* exporter does not answer: it is stopped, or worse */
#define PEER_REVOKE_MS 2000 /* importer does not end an access */
#define PEER_STUCK_MS  50   /* the same importer, the next time */

/* ---- The board: one cell a map, in memory that both processes see ---- */

enum soft_peer_cell_state {
    PEER_CELL_DEAD = 0,
    PEER_CELL_LIVE = 1,
    PEER_CELL_REVOKED = 2,
    PEER_CELL_MOVED = 3, /* the importer maps a file that the exporter's range no longer shows */
    PEER_CELL_LOST = 4,  /* the importer hears nothing of the exporter, which may live */
};

/* The importer announces an access, then looks at the state; the exporter changes the state, then
 * looks for announced accesses. Both in sequentially consistent order, so one sees the other. */
struct soft_peer_cell {
    _Atomic uint32_t inflight;
    _Atomic uint32_t state;
    uint8_t pad[OD_CACHE_LINE - 2 * sizeof(uint32_t)];
};

/* Maps of one importer on one exporter; the pages come on first use. */
#define PEER_BOARD_CELLS 65536u
#define PEER_BOARD_SIZE  (PEER_BOARD_CELLS * sizeof(struct soft_peer_cell))

/* ---- service.c ---- */

/* Starts the background thread when it does not run. Lock held. Negative errno with a reason. */
int soft_peer_service_start(void);
/* Hands on to whom soft_peer_on_refusal() named. No lock held. */
void soft_peer_refused(const char *who, const char *why, const char *remedy);

/* ---- export.c ---- */

struct soft_peer_client;

struct soft_peer_export {
    struct soft_peer_desc desc;
    uint64_t epoch;          /* of the service; another one: inherited over a fork, not ours */
    struct od_waker *waker;  /* NULL: nobody to wake */
    struct od_list bindings; /* of importers */
};

/* Where a range of shareable memory lies in its file. */
struct soft_peer_memory {
    uint64_t offset;
    uint64_t inode;
    unsigned int major;
    unsigned int minor;
};

/* One map of one importer, as its exporter sees it. */
struct soft_peer_binding {
    struct od_list link;          /* in the export's list while exp is set */
    struct soft_peer_export *exp; /* NULL: revoked, or the cell is free */
    struct soft_peer_client *client;
    uint32_t cell;
    uint32_t next_free; /* cell, while this one is free */
    bool used;
    bool mapped;                    /* the importer got the file, and may have mapped it */
    struct soft_peer_memory memory; /* what it got */
};

/* Lock held, all of them. */
/* The live export that a descriptor names; -EPERM: not there any more; -EBADMSG: not ours. */
int soft_peer_export_find(const struct soft_peer_desc *desc, struct soft_peer_export **exp);
struct soft_peer_export *soft_peer_export_by_id(uint64_t id);
/* In a forked child: the exports are the parent's. */
void soft_peer_exports_forget(void);

/* ---- server.c ---- */

struct soft_peer_lane;

struct soft_peer_client {
    struct soft_service_watch sock;
    struct soft_service_watch proc; /* pidfd of the importer */
    struct od_list link;
    uint32_t seq; /* of the request that is being answered */
    bool greeted;
    bool stuck; /* did not end an access in time */
    struct soft_peer_cell *board;
    struct soft_peer_binding **bindings; /* by cell */
    uint32_t ncells;                     /* cells that were ever used */
    uint32_t cells_cap;
    uint32_t free_cell; /* PEER_BOARD_CELLS: none */
    struct soft_peer_lane *lane;
};

/* Lock held. Opens the socket unless it is open; fills instance and folder into the descriptor. */
int soft_peer_server_start(struct soft_peer_desc *desc);
/* Lock held. `process_ends`: the socket's name goes too; else (forked child) it is the parent's. */
void soft_peer_server_stop(bool process_ends);

/* ---- memory.c ---- */

/* The file of shareable memory behind [addr, addr + len), opened for reading or for both; -1 when
 * there is none that a process could map. */
int soft_peer_memory_find(uint64_t addr, uint64_t len, bool write, struct soft_peer_memory *memory);

/* All shared mappings of this process, as they are now. */
struct soft_peer_mappings {
    struct soft_peer_mapping *entries;
    size_t n;
};

/* -ENOMEM or -EIO, no reason. */
int soft_peer_mappings_read(struct soft_peer_mappings *all);
void soft_peer_mappings_free(struct soft_peer_mappings *all);
/* The range still shows that memory, with whatever access rights. */
bool soft_peer_mappings_show(const struct soft_peer_mappings *all, uint64_t addr, uint64_t len,
                             const struct soft_peer_memory *memory);

/* ---- lane.c ---- */

/* Lock held. Makes the client's lane; the two files are for handing over and the caller's. */
int soft_peer_lane_create(struct soft_peer_client *client, int *sock, int *bounce);
/* Lock held. The client is gone. */
void soft_peer_lane_cut(struct soft_peer_lane *lane);
/* Ends the thread (lock not held) and frees all lanes. */
void soft_peer_lanes_stop(void);
/* The same in a forked child, where the thread does not exist; lock held. */
void soft_peer_lanes_forget(void);

#define PEER_BOUNCE_SIZE (1u << 20)

/* ---- serve.c ---- */

/* The threads that do accesses for importers. */
enum soft_peer_server {
    PEER_SERVER_LANES,
    PEER_SERVER_REMOTE,
    PEER_SERVERS,
};

/* Lock held. Announces an access of one of these threads, so that a revocation waits for it.
 * `access`: one of these bits is needed. 0, -EPERM (exp is NULL: revoked), -EACCES, -ERANGE. */
int soft_peer_serve_begin(enum soft_peer_server who, const struct soft_peer_export *exp,
                          uint32_t access, const struct soft_peer_seg *segs, uint32_t nsegs);
void soft_peer_serve_end(enum soft_peer_server who);
/* Lock held. Whether one of the threads accesses this export right now. */
bool soft_peer_is_served(const struct soft_peer_export *exp);
/* Lock held. The export is about to be freed, whatever the threads do. */
void soft_peer_serve_abandon(const struct soft_peer_export *exp);
void soft_peer_serve_forget(enum soft_peer_server who);

/* Between begin and end. `bounce` has room for soft_peer_wire_bytes(). */
int soft_peer_serve_copy(const struct soft_peer_msg_copy *msg, void *bounce);
int soft_peer_serve_atomic(const struct soft_peer_msg_atomic *msg, uint64_t *before);

/* ---- abroad.c ---- */

/* Lock not held. Listens for other hosts, when OPENDOCA_PEER_LISTEN says where, or else where the
 * export `wishes` to, if it does (NULL: no). `remote`: what to write into its descriptor, possibly
 * nothing. Negative errno with a reason. */
int soft_peer_abroad_start(const uint8_t instance[PEER_INSTANCE_SIZE], const char *wishes,
                           char remote[PEER_REMOTE_SIZE]);
/* Lock not held. */
void soft_peer_abroad_stop(void);
/* In a forked child: its exports are for this host only. */
void soft_peer_abroad_forget(void);

#define PEER_REMOTE_DEPTH 16u     /* messages in flight on a link between hosts */
#define PEER_REMOTE_SPIN  100000u /* ns of looking before sleeping */

/* ---- conn.c ---- */

enum soft_peer_conn_state {
    PEER_CONN_NEW,
    PEER_CONN_LIVE,
    PEER_CONN_DEAD,
};

struct soft_peer_conn {
    struct od_list link;
    unsigned int refs;
    enum soft_peer_conn_state state;
    struct soft_service_watch watch;      /* sock: its end, and room for what is owed */
    struct soft_service_watch proc_watch; /* proc */
    struct od_list maps;
    uint8_t instance[PEER_INSTANCE_SIZE];
    pthread_mutex_t lock; /* one request at a time on sock; guards seq, tried and err */
    uint32_t seq;
    bool tried; /* to connect */
    int err;    /* why that failed */
    int sock;
    int proc;      /* pidfd of the exporter, or -1 */
    pid_t pid;     /* of the exporter, in our PID namespace; 0: not visible */
    bool readable; /* process_vm works on it */
    struct soft_peer_cell *board;
    pthread_mutex_t lane_lock; /* one access at a time on lane */
    int lane;                  /* -1: not opened yet */
    uint32_t lane_seq;
    char *bounce;
    /* To another host; guarded by lane_lock, which nobody holds while he waits. Without sock, proc,
     * board and lane then. */
    bool abroad;              /* wanted in any case */
    struct soft_link *remote; /* NULL: this host */
    pthread_mutex_t turn;     /* one thread sleeps on the waker at a time; taken before lane_lock */
    struct od_waker *waker;
    char *chunk; /* abreast.h, of PEER_FLOW_PIECE bytes: what is about to be sent */
    struct soft_peer_flow flow;
};

/* The connection to the exporter of this descriptor, made when there is none. `abroad`: over the
 * network, even if the exporter is on this host; else only if it is not found here. */
int soft_peer_conn_get(const struct soft_peer_desc *desc, bool abroad,
                       struct soft_peer_conn **conn);
void soft_peer_conn_put(struct soft_peer_conn *conn);

/* Request and reply; `fds` gets up to `nfds` received files, -1 for missing ones. 0, the negative
 * status of the reply, -ETIMEDOUT, or what went wrong on the way: then the connection is dead. No
 * reason. */
int soft_peer_conn_call(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                        enum soft_peer_msg_type request, enum soft_peer_msg_type reply, int *fds,
                        unsigned int nfds);
/* What is watched for always. Readable is nothing: replies are for the thread that asked. */
#define PEER_CONN_EVENTS ((uint32_t)EPOLLRDHUP)
/* There is room. Lock held. */
void soft_peer_ring_owed(struct soft_peer_conn *conn);
/* Message without a reply; waits a bounded time, and only for room. */
void soft_peer_conn_send(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                         enum soft_peer_msg_type type);
/* The exporter is gone or talks nonsense: every map of it is dead from now on. */
void soft_peer_conn_kill(struct soft_peer_conn *conn);
/* The same when it may live, but cannot be reached. */
void soft_peer_conn_lose(struct soft_peer_conn *conn);
void soft_peer_conns_forget(void);

/* Packets on a non-blocking socket, until a time of soft_service_now_ms(). 0, -ETIMEDOUT,
 * -ENOTCONN, or what soft_peer_wire_parse() says. */
int soft_peer_packet_send(int fd, const void *packet, size_t size, uint64_t deadline);
/* The reply to request `seq`. An earlier one was given up, and what it brings is dropped. */
int soft_peer_packet_receive(int fd, uint32_t seq, union soft_peer_msg *msg, int *fds,
                             unsigned int nfds, uint64_t deadline);

/* ---- atomic.c, import.c and the engines ---- */

struct soft_peer_engine;

struct soft_peer_map {
    struct soft_peer_cell *cell;
    const struct soft_peer_engine *engine;
    uint64_t base;
    uint64_t len;
    uint32_t access;
    uint32_t mask;
    uint32_t kind;
    uint32_t index; /* of the cell */
    struct soft_peer_conn *conn;
    struct od_list link;
    bool owes_ring; /* there was no room for it */
    char *local;    /* mapped: where `base` is in this process */
    void *mapping;  /* mapped: the pages around it */
    size_t mapping_len;
    struct soft_peer_cell own_cell; /* stands in for the board in a forked child */
};

enum soft_peer_direction {
    PEER_FROM_EXPORTER,
    PEER_TO_EXPORTER,
};

/* Both sides hold the same number of bytes, at most PEER_WINDOW_BYTES. */
struct soft_peer_window {
    struct iovec local[PEER_WIRE_SEGS];
    struct iovec remote[PEER_WIRE_SEGS];
    unsigned int nlocal;
    unsigned int nremote;
    size_t bytes;
};

#define PEER_WINDOW_BYTES (16u << 20) /* a bracket's worth: some milliseconds */

struct soft_peer_engine {
    const char *name;
    /* Whether this engine works for the map; 0, or a negative errno with a reason. `memory` is the
     * file of the range with the offset in it, or -1. */
    int (*attach)(struct soft_peer_map *map, int memory, uint64_t offset);
    void (*detach)(struct soft_peer_map *map);
    /* Within a bracket. 0 or -EFAULT, -ENOTCONN, -EPERM, -EIO; reasons are the caller's. */
    int (*copy)(struct soft_peer_map *map, enum soft_peer_direction direction,
                const struct soft_peer_window *window);
    /* Within a bracket, everything is checked. */
    int (*atomic)(struct soft_peer_map *map, const struct soft_peer_atomic *atomic,
                  uint64_t *before);
};

extern const struct soft_peer_engine soft_peer_engine_mapped;
extern const struct soft_peer_engine soft_peer_engine_vm;
extern const struct soft_peer_engine soft_peer_engine_served;
extern const struct soft_peer_engine soft_peer_engine_remote;

/* ---- remote.c ---- */

/* Sends a sealed message of `size` bytes over a link between hosts, and `len` bytes behind it.
 * `foreign`: those are memory that may not be there, or go meanwhile. As soft_link_send(). */
int soft_peer_send(struct soft_link *wire, union soft_peer_msg *msg, size_t size,
                   const void *payload, size_t len, bool foreign);

/* Connects to the exporter's host; lock not held. Negative errno, -ENOTSUP with a reason. */
int soft_peer_remote_connect(struct soft_peer_conn *conn, const struct soft_peer_desc *desc);
void soft_peer_remote_close(struct soft_peer_conn *conn);
/* As soft_peer_conn_call(). */
int soft_peer_remote_call(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                          enum soft_peer_msg_type request, enum soft_peer_msg_type reply);
/* What is asked of the exporter: to copy `len` bytes, whose segments are to be filled in; to do an
 * atomic operation. */
void soft_peer_remote_ask(const struct soft_peer_map *map, bool write, size_t len,
                          struct soft_peer_ask *ask);
void soft_peer_remote_ask_atomic(const struct soft_peer_map *map,
                                 const struct soft_peer_atomic *wish, union soft_peer_msg *msg);
/* What the exporter's answer to an access means: 0 or what an access may end with. */
int soft_peer_remote_status(struct soft_peer_map *map, int status);

/* process_vm on `pid`, which may be this process: then a bad address is -EFAULT and no signal.
 * 0, -EFAULT, -ENOTCONN (no such process), -EACCES (not allowed), -EIO. */
int soft_peer_vm_copy(pid_t pid, enum soft_peer_direction direction, const struct iovec *local,
                      unsigned int nlocal, const struct iovec *remote, unsigned int nremote,
                      size_t bytes);

/* ---- access.c ---- */

/* The checks of an access, 0 or a negative errno with a reason. */
int soft_peer_check_copy(const struct soft_peer_map *map, bool write, uint64_t addr, uint64_t len);
int soft_peer_check_atomic(const struct soft_peer_map *map, const struct soft_peer_atomic *atomic);
/* 0, or why the map is of no use any more, with a reason. */
int soft_peer_check_live(const struct soft_peer_map *map);

/* Walks a vector in pieces. */
struct soft_peer_cursor {
    const struct iovec *iov;
    unsigned int n;
    size_t used; /* bytes of iov[0] that are done */
};

/* Takes up to `bytes` in up to `cap` pieces, moves on, and returns the bytes taken. */
size_t soft_peer_cursor_take(struct soft_peer_cursor *cursor, struct iovec *out, unsigned int cap,
                             unsigned int *n, size_t bytes);

/* CPU atomics on memory of this process, at `addr`. Returns what was there before. */
uint64_t soft_peer_cpu_atomic(const struct soft_peer_atomic *atomic, void *addr);
/* The access bits one of which an operation needs. */
uint32_t soft_peer_atomic_access(enum soft_peer_atomic_op op);

#endif /* OD_SOFT_PEER_PEER_PRIV_H_ */

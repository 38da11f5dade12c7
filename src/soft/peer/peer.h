/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_PEER_H_
#define OD_SOFT_PEER_PEER_H_

/* Another process's memory.
 *
 * The exporter registers a range and gets a descriptor (opaque bytes, tamper-evident). A process
 * that holds the descriptor imports it. The exporter serves imports from a background thread of its
 * own, so the application may block anywhere. At import the first engine that works is chosen
 * (OPENDOCA_PEER_ENGINE=mapped|vm|served|remote allows only that one):
 *
 *   mapped   the range lies in shareable memory (memfd, shm, hugetlbfs, a file): the importer maps
 *            it too, with its pages present. Like a pinned range it stays what it was when the
 *            exporter unmaps its own side. The only engine whose atomics cost nanoseconds: memory
 *            for sync events should be shareable
 *   vm       process_vm_readv/writev; atomics as with served
 *   served   the exporter's background thread does the access (other PID namespace, no ptrace
 *            right)
 *   remote   the exporter is on another host, and its background thread does the access; see
 *            below
 *
 * Revocation: soft_peer_export_destroy() returns only when no importer touches the memory any more;
 * accesses that start later fail with -EPERM. Exporter death makes accesses fail with -ENOTCONN
 * without delay worth mentioning. The importing side learns of both by itself.
 *
 * On one host, both processes must run as the same user, or one of them as root, and see the same
 * runtime folder (OPENDOCA_RUNTIME_DIR, $XDG_RUNTIME_DIR/opendoca, /run/opendoca-UID or
 * /tmp/opendoca-UID). Network and PID namespaces may differ.
 *
 * Other hosts are let in only when the exporter runs with OPENDOCA_PEER_LISTEN=HOST:PORT (port 0: a
 * free one), or the export itself asks for it, an address of its own that others reach: the
 * descriptor then says where to connect, and who has the descriptor has access. A copy ends with
 * -EIO when there is no answer for 5 s, and later ones do so at once; the death of the exporter's
 * process is seen at once, that of its host or cable within 5 s. A bracket holds nothing back on
 * another host: single accesses are what a revocation waits for.
 *
 * Threads: creating, exporting, importing and closing from any thread. Accesses to one map from any
 * number of threads at once. A forked child inherits neither exports nor maps: destroying and
 * closing its copies is fine, maps fail with -ENOTCONN, new exports and imports work. */

#include <pthread.h>
#include <stdatomic.h>
#include <sys/uio.h>

#include "soft/peer/item.h"
#include "soft/service/spin.h"
#include "soft/soft.h"
#include "util/waker.h"

#define SOFT_PEER_DESC_MAX 512 /* bytes; what a descriptor never exceeds */

enum soft_peer_kind {
    SOFT_PEER_KIND_PCI = 1,
    SOFT_PEER_KIND_RDMA = 2,
    SOFT_PEER_KIND_SYNC = 3,
    SOFT_PEER_KIND_QUEUE = 4, /* memory of soft_peer_queue_open(): always mapped, or not imported */
};

enum soft_peer_access {
    SOFT_PEER_READ = 1,
    SOFT_PEER_WRITE = 2,
    SOFT_PEER_ATOMIC = 4, /* load, store and fetch_add; READ and WRITE grant load and store too */
};

struct soft_peer_range {
    void *addr;
    size_t len;
    enum soft_peer_kind kind;
    unsigned int access; /* soft_peer_access bits that importers get */
    uint32_t mask;       /* the caller's own access mask, handed to importers as it is */
    const char *card;    /* card identity, 1 to 63 bytes; importers must name the same */
    const void *token;   /* optional access token that importers need not repeat, only bound into */
    size_t token_len;    /* the descriptor; 0 = none */
    struct od_waker *waker; /* optional: what soft_peer_ring() of importers wakes; lives until the
                               export is destroyed */
    const char *listen; /* optional: HOST:PORT where other hosts are let in, as OPENDOCA_PEER_LISTEN
                           says it, which takes precedence. Where that does not work the export is
                           for this host only. The process listens at the first one that works */
};

struct soft_peer_export;

/* The memory is not touched, locked or remapped. Costs a few microseconds; the first one of a
 * process starts the background thread and its socket. -EINVAL (empty or wrapping range, undefined
 * kind or access, card name), -EACCES (no usable runtime folder), -ENOMEM, -EMFILE, ... with a
 * reason. */
SOFT_API int soft_peer_export_create(const struct soft_peer_range *range,
                                     struct soft_peer_export **exp);
/* The descriptor: owned by the export, at most SOFT_PEER_DESC_MAX bytes. */
SOFT_API const void *soft_peer_export_desc(const struct soft_peer_export *exp, size_t *len);
/* Revokes: waits until running accesses of importers are over, then frees. An importer that does
 * not end an access within 2 s (stopped by a debugger, say) is not waited for any longer. NULL is
 * fine. */
SOFT_API void soft_peer_export_destroy(struct soft_peer_export *exp);

/* Importers that this process turns away: who came, why not, and what to do about it. Called on a
 * background thread that holds no lock. NULL: nobody wants to know. */
SOFT_API void soft_peer_on_refusal(void (*refused)(const char *who, const char *why,
                                                   const char *remedy));

struct soft_peer_map;

struct soft_peer_info {
    void *addr; /* exporter's virtual address of the range */
    size_t len;
    enum soft_peer_kind kind;
    unsigned int access;
    uint32_t mask;
    const char *engine; /* "mapped", "vm", "served", "remote" */
};

/* -EBADMSG: not a descriptor, or one that was changed, cut or extended; -EPROTO: newer format;
 * -EXDEV: exporter belongs to another card; -EPERM: revoked; -ECONNREFUSED: exporter gone, out of
 * reach, or silent for 5 s; -EACCES: the exporter refuses this user; -ENOMEM, -EMFILE: no resources
 * on either side; -EINVAL, -ENOTSUP: OPENDOCA_PEER_ENGINE names no engine, or one that does not
 * work here. `kind` is the kind that the caller expects, another one is -EBADMSG. */
SOFT_API int soft_peer_import(const void *desc, size_t len, enum soft_peer_kind kind,
                              const char *card, struct soft_peer_map **map);
SOFT_API void soft_peer_map_info(const struct soft_peer_map *map, struct soft_peer_info *info);
/* No access may be running. NULL is fine. */
SOFT_API void soft_peer_map_close(struct soft_peer_map *map);

/* Brackets around direct use of mapped memory. begin: 0, -EPERM (revoked), -ENOTCONN (exporter
 * dead); only after 0 the pointer of soft_peer_local() may be dereferenced, until end. Cheap (two
 * atomic additions, no system call), nestable across threads. The exporter's destroy waits for the
 * end, so a bracket holds one bounded piece of work (milliseconds): long copies take one for each
 * chunk and none stays open between two polls. A file that shrinks makes its pages raise SIGBUS:
 * guard the copy as for any memory. */
SOFT_API int soft_peer_begin(struct soft_peer_map *map);
SOFT_API void soft_peer_end(struct soft_peer_map *map);

/* Local address of exporter address `addr`, or NULL when the engine is not "mapped". */
SOFT_API void *soft_peer_local(const struct soft_peer_map *map, uint64_t addr);

/* Wakes the waker of the export, of one that stands still as soon as it goes on. Costs a system
 * call: only for sleepers. 0, -EAGAIN (not now; on another host, and without memory), -ENOTCONN; no
 * reason. Any thread. */
SOFT_API int soft_peer_ring(struct soft_peer_map *map);

/* Copies between local vectors and exporter addresses, all engines, brackets included, in order and
 * with any number of pieces. The two sides have the same total length. Bad pages raise no signal.
 * One system call of vm serves up to 64 pieces a side: gathering small copies pays. 0, -EFAULT (an
 * address is not accessible on either side), -EPERM, -ENOTCONN, -ERANGE (outside of the range),
 * -EACCES (direction not granted), -EINVAL (lengths differ), -EIO. A failure may leave a part
 * written. */
SOFT_API int soft_peer_readv(struct soft_peer_map *map, const struct iovec *local,
                             unsigned int nlocal, const struct iovec *remote, unsigned int nremote);
SOFT_API int soft_peer_writev(struct soft_peer_map *map, const struct iovec *local,
                              unsigned int nlocal, const struct iovec *remote,
                              unsigned int nremote);

/* Atomic with respect to every other access through this interface and to the exporter's own CPU
 * atomics; sequentially consistent. `addr` is an exporter address, 8-byte aligned, else -ERANGE.
 * Errors as above. */
SOFT_API int soft_peer_load(struct soft_peer_map *map, uint64_t addr, uint64_t *value);
SOFT_API int soft_peer_store(struct soft_peer_map *map, uint64_t addr, uint64_t value);
SOFT_API int soft_peer_fetch_add(struct soft_peer_map *map, uint64_t addr, uint64_t value,
                                 uint64_t *before);

enum soft_peer_atomic_op {
    SOFT_PEER_OP_LOAD = 1,
    SOFT_PEER_OP_STORE = 2,
    SOFT_PEER_OP_ADD = 3,
    SOFT_PEER_OP_SWAP = 4,
    SOFT_PEER_OP_CSWAP = 5, /* stores `value` where `compare` is found */
    SOFT_PEER_OP_AND = 6,
    SOFT_PEER_OP_OR = 7,
    SOFT_PEER_OP_XOR = 8,
};

struct soft_peer_atomic {
    enum soft_peer_atomic_op op;
    uint32_t width; /* 4 or 8 bytes, to which `addr` is aligned; operands are their low bytes */
    uint64_t addr;
    uint64_t value;
    uint64_t compare;
};

/* Any of them, with the promises and errors above; -EINVAL: no such operation or width. *before
 * (may be NULL): what was there, also after a store. */
SOFT_API int soft_peer_atomic(struct soft_peer_map *map, const struct soft_peer_atomic *atomic,
                              uint64_t *before);

/* ---- Accesses that nobody waits for ----
 *
 * For memory of another host: jobs are begun, and come out of a port when they have ended, those of
 * one exporter in the order of their beginning. No call of these waits for the exporter; what is
 * not answered within 5 s ends with -EIO. The network is looked at by polling only, so a port with
 * jobs under way is polled every now and then, every few milliseconds at least; who naps between
 * two polls may be woken, see soft_peer_port_nap(). */

struct soft_peer_port {
    pthread_mutex_t lock;
    struct od_list ended;
    atomic_bool has_ended;
    struct od_waker *waker; /* its thread's */
    /* Its thread's. */
    int epoll;          /* -1: none yet */
    uint32_t under_way; /* begun, and not come out yet */
    struct soft_service_spin spin;
    bool prompt;    /* the last answer was there before the turn was given away */
    uint32_t turns; /* since that was tried */
};

enum soft_peer_job_kind {
    SOFT_PEER_JOB_READ = 1,  /* from the exporter to `near` */
    SOFT_PEER_JOB_WRITE = 2, /* from `near` to the exporter */
    SOFT_PEER_JOB_ATOMIC = 3,
};

/* The job, the maps and the memory stay as they are until it has come out. */
struct soft_peer_job {
    enum soft_peer_job_kind kind;
    struct soft_peer_map *map; /* one that soft_peer_is_far() says so of */
    uint64_t addr;             /* exporter address */
    uint64_t len;
    struct soft_peer_map *near; /* not far; NULL: accessible memory of this process */
    uint64_t near_addr;
    struct soft_peer_atomic atomic; /* of that kind, instead of addr and len */
    uint64_t before;                /* atomic: what was there */
    int status;                     /* 0, or an error of the calls that wait; -ECANCELED */
    struct soft_peer_port *port;
    struct soft_peer_item item; /* the room's */
    uint64_t asked;             /* bytes */
    uint64_t taken;
};

/* Whether the memory is another host's, so that jobs can be begun. */
SOFT_API bool soft_peer_is_far(const struct soft_peer_map *map);

/* `waker`: of the thread that polls, woken when a job has ended on another one. */
SOFT_API void soft_peer_port_open(struct soft_peer_port *port, struct od_waker *waker);
/* Ends all of its jobs, which come out of the next polls. */
SOFT_API void soft_peer_port_cancel(struct soft_peer_port *port);
/* All jobs have come out. */
SOFT_API void soft_peer_port_close(struct soft_peer_port *port);

/* 0: it comes out of the port, whatever happens. Else the checks of the calls that wait. */
SOFT_API int soft_peer_job_begin(struct soft_peer_port *port, struct soft_peer_job *job);
/* Drives what is under way, and gives back a job that has ended, or NULL. May give the turn away
 * when there is nothing, since the exporter may need this processor. */
SOFT_API struct soft_peer_job *soft_peer_port_poll(struct soft_peer_port *port);
/* Before a nap, after arming the waker: what to wait for, in place of the waker, and no longer than
 * a few milliseconds, because sometimes it does not tell. True: poll at once. The descriptor stays
 * the port's. */
SOFT_API bool soft_peer_port_nap(struct soft_peer_port *port, int *fd);

/* ---- Memory for queues between two processes ---- */

struct soft_peer_queue {
    void *addr; /* zeroed, whole pages */
    size_t len;
    int fd;
};

/* The importer may keep what soft_peer_local() gives outside of brackets until it closes the map:
 * neither side can take the memory from under the other. Negative errno with a reason. */
SOFT_API int soft_peer_queue_open(size_t len, struct soft_peer_queue *queue);
/* Not before the export is destroyed. A zeroed one is fine. */
SOFT_API void soft_peer_queue_close(struct soft_peer_queue *queue);

#endif /* OD_SOFT_PEER_PEER_H_ */

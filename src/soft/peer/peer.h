/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_PEER_H_
#define OD_SOFT_PEER_PEER_H_

/* Another process's memory.
 *
 * The exporter registers a range and gets a descriptor (opaque bytes, tamper-evident). A process
 * that holds the descriptor imports it. The exporter serves imports from a background thread of its
 * own, so the application may block anywhere. At import the first engine that works is chosen:
 *
 *   mapped   the range lies in shareable memory (memfd, shm, hugetlbfs): the importer maps it too
 *   vm       process_vm_readv/writev
 *   served   the exporter's background thread does the access (other PID namespace, no ptrace
 * right)
 *
 * Revocation: soft_peer_export_destroy() returns only when no importer touches the memory any more;
 * accesses that start later fail with -EPERM. Exporter death makes accesses fail with -ENOTCONN
 * without delay worth mentioning. The importing side learns of both by itself.
 *
 * Threads: creating, exporting, importing and closing from any thread. Accesses to one map from any
 * number of threads at once. */

#include <sys/uio.h>

#include "soft/soft.h"

#define SOFT_PEER_DESC_MAX 512 /* bytes; what a descriptor never exceeds */

enum soft_peer_kind {
    SOFT_PEER_KIND_PCI = 1,
    SOFT_PEER_KIND_RDMA = 2,
    SOFT_PEER_KIND_SYNC = 3,
};

enum soft_peer_access {
    SOFT_PEER_READ = 1,
    SOFT_PEER_WRITE = 2,
    SOFT_PEER_ATOMIC = 4,
};

struct soft_peer_range {
    void *addr;
    size_t len;
    enum soft_peer_kind kind;
    unsigned int access; /* soft_peer_access bits that importers get */
    uint32_t mask;       /* the caller's own access mask, handed to importers as it is */
    const char *card;    /* card identity; importers must name the same */
    const void *token;   /* optional access token that importers need not repeat, only bound into */
    size_t token_len;    /* the descriptor's integrity tag; 0 = none */
};

struct soft_peer_export;

/* -ENOMEM, -EMFILE, ... with a reason. The memory is not touched, locked or remapped. */
SOFT_API int soft_peer_export_create(const struct soft_peer_range *range,
                                     struct soft_peer_export **exp);
/* The descriptor: owned by the export, at most SOFT_PEER_DESC_MAX bytes. */
SOFT_API const void *soft_peer_export_desc(const struct soft_peer_export *exp, size_t *len);
/* Revokes: waits (bounded) until running accesses of importers are over, then frees. NULL is fine.
 */
SOFT_API void soft_peer_export_destroy(struct soft_peer_export *exp);

struct soft_peer_map;

struct soft_peer_info {
    void *addr; /* exporter's virtual address of the range */
    size_t len;
    enum soft_peer_kind kind;
    unsigned int access;
    uint32_t mask;
    const char *engine; /* "mapped", "vm", "served" */
};

/* -EBADMSG: not a descriptor, or one that was changed, cut or extended; -EPROTO: newer format;
 * -EXDEV: exporter belongs to another card; -EPERM: revoked; -ECONNREFUSED: exporter gone or out of
 * reach; -EACCES: the exporter refuses this user. `kind` is the kind that the caller expects,
 * another one is -EBADMSG. */
SOFT_API int soft_peer_import(const void *desc, size_t len, enum soft_peer_kind kind,
                              const char *card, struct soft_peer_map **map);
SOFT_API void soft_peer_map_info(const struct soft_peer_map *map, struct soft_peer_info *info);
SOFT_API void soft_peer_map_close(struct soft_peer_map *map);

/* Brackets around direct use of mapped memory. begin: 0, -EPERM (revoked), -ENOTCONN (exporter
 * dead); only after 0 the pointer of soft_peer_local() may be dereferenced, until end. Cheap (no
 * system call), nestable across threads. */
SOFT_API int soft_peer_begin(struct soft_peer_map *map);
SOFT_API void soft_peer_end(struct soft_peer_map *map);

/* Local address of exporter address `addr`, or NULL when the engine is not "mapped". */
SOFT_API void *soft_peer_local(const struct soft_peer_map *map, uint64_t addr);

/* Copies between local vectors and exporter addresses, all engines, brackets included. The two
 * sides have the same total length. 0, -EFAULT (an address is not accessible on either side),
 * -EPERM, -ENOTCONN, -ERANGE (outside of the range), -EACCES (direction not granted). A failure may
 * leave a part written. */
SOFT_API int soft_peer_readv(struct soft_peer_map *map, const struct iovec *local,
                             unsigned int nlocal, const struct iovec *remote, unsigned int nremote);
SOFT_API int soft_peer_writev(struct soft_peer_map *map, const struct iovec *local,
                              unsigned int nlocal, const struct iovec *remote,
                              unsigned int nremote);

/* Atomic with respect to every other access through this interface and to the exporter's own CPU
 * atomics. `addr` is an exporter address, 8-byte aligned. */
SOFT_API int soft_peer_load(struct soft_peer_map *map, uint64_t addr, uint64_t *value);
SOFT_API int soft_peer_store(struct soft_peer_map *map, uint64_t addr, uint64_t value);
SOFT_API int soft_peer_fetch_add(struct soft_peer_map *map, uint64_t addr, uint64_t value,
                                 uint64_t *before);

#endif /* OD_SOFT_PEER_PEER_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DOCA_UROM_OPS_H_
#define DOCA_UROM_OPS_H_

/**
 * @file doca_urom_ops.h
 *
 * Typed operations for the plugins that come with opendoca: what is common to doca_urom_rma.h
 * (put, get), doca_urom_amo.h (atomics), doca_urom_coll.h (collectives) and doca_urom_am.h (active
 * messages). Beyond the DOCA API, on top of doca_urom.h.
 *
 * Objects:
 *   ops     the operations of one worker context, which must be running
 *   region  memory that the worker reaches: of this process, or of a peer whose descriptor this
 *           process got. Memory in a memfd, shm or hugetlbfs mapping is mapped by the worker; other
 *           memory is reached through the kernel
 *
 * Legal order: start service and worker (and domain, for collectives), create ops, create and
 * attach regions, operate, destroy regions, destroy ops, stop the worker. A worker context does not
 * become idle before its ops are destroyed.
 *
 * Operations are asynchronous: their callback runs inside doca_pe_progress() of the worker's
 * engine, once for each call that returned DOCA_SUCCESS, with the status that the worker gave.
 * Callbacks may begin operations. Every call that begins an operation can answer, beside what is
 * told there, DOCA_ERROR_AGAIN: as many as the worker allows are in flight; progress and retry
 *   DOCA_ERROR_NOT_SUPPORTED: the worker has not loaded the plugin
 *   DOCA_ERROR_NOT_PERMITTED: the service is gone
 *   DOCA_ERROR_IO_FAILED: the worker process is gone
 *   DOCA_ERROR_BAD_STATE: the worker context is not running
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *
 * Threads: ops and its regions belong to the thread of the worker's engine.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_urom.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flag of an operation: it begins after all earlier ones of this ops object are complete. */
#define DOCA_UROM_OPS_FENCE 1u

/** The operations of one worker context. */
struct doca_urom_ops;

/** Memory that the worker reaches. */
struct doca_urom_ops_region;

/** What peers may do with a region; flags, joined with "|". */
enum doca_urom_ops_access {
    DOCA_UROM_OPS_ACCESS_NONE = 0,   /**< nothing: for operations of this process only */
    DOCA_UROM_OPS_ACCESS_READ = 1,   /**< get */
    DOCA_UROM_OPS_ACCESS_WRITE = 2,  /**< put */
    DOCA_UROM_OPS_ACCESS_ATOMIC = 4, /**< atomics */
};

/** The end of an operation that has no result but its status. */
typedef void (*doca_urom_ops_cb_t)(struct doca_urom_ops *ops, doca_error_t status, void *user_data);

/**
 * The end of creating or attaching a region. DOCA_ERROR_INVALID_VALUE: not a descriptor of a
 * region, DOCA_ERROR_NOT_FOUND: its owner is gone or has destroyed it, DOCA_ERROR_NOT_PERMITTED:
 * the worker must not reach it. After a failure the region is gone when the callback returns.
 */
typedef void (*doca_urom_ops_region_cb_t)(struct doca_urom_ops_region *region, doca_error_t status,
                                          void *user_data);

/**
 * Make the operations of a running worker context usable.
 *
 * @service: the service of that worker, running
 * @worker: the worker; at least one of the plugins worker_rma, worker_amo, worker_coll, worker_am
 *   among those that it has selected; regions need one of the first three
 * @plugins: the ids that the worker was told to load
 * @ops: receives the object; the caller ends it with doca_urom_ops_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the service or the worker is not running
 *   DOCA_ERROR_NOT_SUPPORTED: none of the plugins is among those of the worker
 *   DOCA_ERROR_UNSUPPORTED_VERSION: the service has another version of a plugin
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ops_create(struct doca_urom_service *service,
                                  struct doca_urom_worker *worker, uint64_t plugins,
                                  struct doca_urom_ops **ops);

/**
 * End the object, and the regions and teams that are left of it: those that were not destroyed, or
 * could not be because worker or service are gone.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ops is NULL
 *   DOCA_ERROR_IN_USE: operations are in flight
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ops_destroy(struct doca_urom_ops *ops);

/**
 * Get how many operations are in flight; 0 for NULL.
 */
DOCA_EXPERIMENTAL
size_t doca_urom_ops_get_inflight(const struct doca_urom_ops *ops);

/**
 * Let the worker reach memory of this process, and peers too if `access` says so.
 *
 * @addr: start of the memory, which must stay until the region is destroyed
 * @len: its length in bytes, at least 1
 * @access: of peers, enum doca_urom_ops_access
 * @cb: runs when the worker reaches it or cannot; must not be NULL
 * @user_data: for cb
 * @region: receives the region; usable after cb, ended with doca_urom_ops_region_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0 or goes beyond the end of memory, access
 *     has unknown bits, or the messages of the service are too short for a descriptor
 *   DOCA_ERROR_DRIVER: the memory cannot be exported; or one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ops_region_create(struct doca_urom_ops *ops, void *addr, size_t len,
                                         uint32_t access, doca_urom_ops_region_cb_t cb,
                                         void *user_data, struct doca_urom_ops_region **region);

/**
 * Let the worker reach memory of a peer.
 *
 * @desc: what the peer got from doca_urom_ops_region_get_desc(); copied
 * @desc_len: its length in bytes
 * @cb: runs when the worker reaches it or cannot; must not be NULL
 * @user_data: for cb
 * @region: receives the region; usable after cb, ended with doca_urom_ops_region_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or desc_len is 0 or more than a message holds; or
 *     one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ops_region_attach(struct doca_urom_ops *ops, const void *desc,
                                         size_t desc_len, doca_urom_ops_region_cb_t cb,
                                         void *user_data, struct doca_urom_ops_region **region);

/**
 * The same for a buffer of a domain whose key is such a descriptor.
 *
 * @domain_id: id of the worker in the domain whose process added the buffer
 * @va: an address within the buffer
 *
 * Returns the codes of doca_urom_ops_region_attach(). The callback is told DOCA_ERROR_NOT_FOUND
 * when there is no such worker, buffer or key.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ops_region_attach_domain(struct doca_urom_ops *ops, uint64_t domain_id,
                                                uint64_t va, doca_urom_ops_region_cb_t cb,
                                                void *user_data,
                                                struct doca_urom_ops_region **region);

/**
 * Begin to end a region. Operations that use it finish first.
 *
 * @cb: runs when the worker does not reach the memory any more; peers do not either. The region is
 *   gone when it returns, whatever the status. May be NULL
 * @user_data: for cb
 *
 * Returns DOCA_SUCCESS, or, and the region stays until doca_urom_ops_destroy() at the latest,
 *   DOCA_ERROR_INVALID_VALUE: region is NULL
 *   DOCA_ERROR_BAD_STATE: its callback has not run yet, or it is being destroyed; or one of the
 *     codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ops_region_destroy(struct doca_urom_ops_region *region,
                                          doca_urom_ops_cb_t cb, void *user_data);

/**
 * Get the descriptor of a region of this process, for peers. It may be carried by any means, and be
 * the key of a domain's buffer.
 *
 * @desc: receives the bytes, which belong to the region
 * @len: receives their number, at most 512
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_PERMITTED: peers have no access, or the memory is a peer's
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ops_region_get_desc(const struct doca_urom_ops_region *region,
                                           const void **desc, size_t *len);

/** What is known of a region. */
struct doca_urom_ops_region_info {
    uint64_t addr;      /**< start, an address of the process that owns the memory */
    uint64_t len;       /**< length in bytes */
    uint32_t access;    /**< what operations of this process may do, enum doca_urom_ops_access */
    const char *engine; /**< how the worker reaches it: "mapped", "vm" (the kernel copies), "served"
                             (a thread of the owner does), "remote" (the same, on another host); ""
                             before the callback */
};

/**
 * Get what is known of a region; all but address and length of own regions only after its callback.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ops_region_get_info(const struct doca_urom_ops_region *region,
                                           struct doca_urom_ops_region_info *info);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_OPS_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DOCA_UROM_RMA_H_
#define DOCA_UROM_RMA_H_

/**
 * @file doca_urom_rma.h
 *
 * Put and get, executed by a worker with the plugin worker_rma. See doca_urom_ops.h for objects,
 * order, threads and the codes of all operations.
 *
 * Operations of one ops object begin in order and may run at the same time; use
 * DOCA_UROM_OPS_FENCE or doca_urom_rma_flush() where order matters. Status of an operation:
 *   DOCA_SUCCESS: the bytes are where they belong
 *   DOCA_ERROR_INVALID_VALUE: a region is not this object's, or the range is not inside of it
 *   DOCA_ERROR_NOT_PERMITTED: the region's owner does not grant it
 *   DOCA_ERROR_NOT_FOUND: the owner is gone or has destroyed the region
 *   DOCA_ERROR_IO_FAILED: a page is not accessible; or the worker was lost or stopped
 * After a failure the target may be partly written.
 */

#include <doca_urom_ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The end of an inline get. The bytes are valid until the callback returns. */
typedef void (*doca_urom_rma_bytes_cb_t)(struct doca_urom_ops *ops, doca_error_t status,
                                         const void *bytes, size_t len, void *user_data);

/**
 * Write to a region from another.
 *
 * @local: region to read from, usually of this process
 * @local_addr: first byte to read, an address of its owner
 * @remote: region to write to
 * @remote_addr: first byte to write, an address of its owner
 * @len: number of bytes; 0 is legal
 * @flags: 0 or DOCA_UROM_OPS_FENCE
 * @cb: runs when the bytes are in the target memory; may be NULL
 * @user_data: for cb
 *
 * Up to 64 bytes of memory of this process are read by this call, unless flags ask for a fence; all
 * else is read later, by the worker, for which memory that is not there is an I/O error.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an object is NULL, or flags are unknown; or one of the codes of all
 *     operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_rma_put(struct doca_urom_ops *ops, const struct doca_urom_ops_region *local,
                               uint64_t local_addr, const struct doca_urom_ops_region *remote,
                               uint64_t remote_addr, uint64_t len, uint32_t flags,
                               doca_urom_ops_cb_t cb, void *user_data);

/**
 * Write bytes that travel with the command.
 *
 * @bytes: what to write; copied
 * @len: number of bytes, limited by the service's messages (4016 by default)
 *
 * The rest is as in doca_urom_rma_put(). Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, flags are unknown or len is too large; or one of
 *     the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_rma_put_inline(struct doca_urom_ops *ops, const void *bytes, size_t len,
                                      const struct doca_urom_ops_region *remote,
                                      uint64_t remote_addr, uint32_t flags, doca_urom_ops_cb_t cb,
                                      void *user_data);

/**
 * Read from a region into another. As doca_urom_rma_put(), the other way round.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_rma_get(struct doca_urom_ops *ops, const struct doca_urom_ops_region *local,
                               uint64_t local_addr, const struct doca_urom_ops_region *remote,
                               uint64_t remote_addr, uint64_t len, uint32_t flags,
                               doca_urom_ops_cb_t cb, void *user_data);

/**
 * Read bytes that travel with the answer.
 *
 * @len: number of bytes, limited by the service's messages (4048 by default): more ends with status
 *   DOCA_ERROR_TOO_BIG
 * @cb: gets the bytes; must not be NULL
 *
 * The rest is as in doca_urom_rma_get().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_rma_get_inline(struct doca_urom_ops *ops,
                                      const struct doca_urom_ops_region *remote,
                                      uint64_t remote_addr, size_t len, uint32_t flags,
                                      doca_urom_rma_bytes_cb_t cb, void *user_data);

/**
 * Learn when all earlier put and get operations of this object are complete.
 *
 * @cb: runs then; may be NULL
 * @user_data: for cb
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ops is NULL; or one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_rma_flush(struct doca_urom_ops *ops, doca_urom_ops_cb_t cb, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_RMA_H_ */

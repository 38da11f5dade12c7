/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DOCA_UROM_AMO_H_
#define DOCA_UROM_AMO_H_

/**
 * @file doca_urom_amo.h
 *
 * Atomic operations, executed by a worker with the plugin worker_amo. See doca_urom_ops.h for
 * objects, order, threads and the codes of all operations.
 *
 * They are atomic with respect to each other, whichever worker executes them, and to atomic
 * operations of the memory's owner. On memory that the worker maps they cost no more than its own;
 * for other memory a thread of the owner executes them, which takes some tens of microseconds.
 */

#include <doca_urom_ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is done to the operand in memory. */
enum doca_urom_amo_op {
    DOCA_UROM_AMO_FETCH_ADD = 0,    /**< adds the value */
    DOCA_UROM_AMO_COMPARE_SWAP = 1, /**< replaces it by the value if it equals `compare` */
    DOCA_UROM_AMO_SWAP = 2,         /**< replaces it by the value */
    DOCA_UROM_AMO_ADD = 3,          /**< adds the value; what was there is not told (0) */
    DOCA_UROM_AMO_FETCH_AND = 4,    /**< bitwise and */
    DOCA_UROM_AMO_FETCH_OR = 5,     /**< bitwise or */
    DOCA_UROM_AMO_FETCH_XOR = 6,    /**< bitwise exclusive or */
};

/**
 * The end of an atomic operation. Status:
 *   DOCA_SUCCESS: done
 *   DOCA_ERROR_INVALID_VALUE: the region is not this object's, or the operand is not inside of it
 *   DOCA_ERROR_NOT_PERMITTED: the region's owner does not grant atomic access
 *   DOCA_ERROR_NOT_FOUND: the owner is gone or has destroyed the region
 *   DOCA_ERROR_IO_FAILED: the page is not accessible; or the worker was lost or stopped
 *
 * @before: what was in memory before, in the low `size` bytes; 0 unless the status is DOCA_SUCCESS
 */
typedef void (*doca_urom_amo_cb_t)(struct doca_urom_ops *ops, doca_error_t status, uint64_t before,
                                   void *user_data);

/** An atomic operation. */
struct doca_urom_amo {
    enum doca_urom_amo_op op;                  /**< which */
    uint32_t size;                             /**< of the operand, 4 or 8 bytes */
    const struct doca_urom_ops_region *region; /**< where it lies */
    uint64_t addr;    /**< its address, of the region's owner; a multiple of size */
    uint64_t value;   /**< low `size` bytes */
    uint64_t compare; /**< for DOCA_UROM_AMO_COMPARE_SWAP */
};

/**
 * Begin an atomic operation.
 *
 * @amo: copied
 * @cb: gets what was there; may be NULL
 * @user_data: for cb
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, op or size are none of the above, or addr is not a
 *     multiple of size; or one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_amo_post(struct doca_urom_ops *ops, const struct doca_urom_amo *amo,
                                doca_urom_amo_cb_t cb, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_AMO_H_ */

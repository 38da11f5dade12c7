/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User access region (UAR): a page of device registers through which a program rings doorbells of
 * queues that it drives itself.
 *
 * Call order: create on a device, read its identifier and addresses, destroy after the last queue
 * that uses it.
 *
 * Threads: one at a time for create and destroy; getters from any thread.
 */
#ifndef DOCA_UAR_H_
#define DOCA_UAR_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dpa;
struct doca_uar;

/** How the CPU maps the register page */
enum doca_uar_allocation_type {
    DOCA_UAR_ALLOCATION_TYPE_BLUEFLAME = 0,          /**< write combining */
    DOCA_UAR_ALLOCATION_TYPE_NONCACHE = 1,           /**< uncached, may be shared */
    DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED = 2, /**< uncached, for this object alone */
};

/**
 * Create a region on a device.
 *
 * @dev: the device; must stay open until the region is destroyed
 * @uar: receives the region; the caller ends it with doca_uar_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev or uar is NULL, or allocation_type is unknown
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no register pages
 *   DOCA_ERROR_DRIVER: the device layer failed to allocate one
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_create(const struct doca_dev *dev,
                             enum doca_uar_allocation_type allocation_type, struct doca_uar **uar);

/**
 * Create a region for queues that a DPA processor drives.
 *
 * @uar: receives the region; the caller ends it with doca_uar_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dpa or uar is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 *   DOCA_ERROR_DRIVER: the device layer failed to allocate a page
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar);

/**
 * Destroy a region. No queue may use it any more.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: uar is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_destroy(struct doca_uar *uar);

/**
 * Get the number by which the device knows the region.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: uar or id is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id);

/**
 * Get the start of the mapped page.
 *
 * @page: receives the address; valid until the region is destroyed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: uar or page is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page);

/**
 * Get the address of the doorbell register inside the page.
 *
 * @reg: receives the address; valid until the region is destroyed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: uar or reg is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UAR_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA bridge: hands objects over between this API and libibverbs, for programs that use both.
 *
 * A protection domain got from a device belongs to the device; one brought by the program stays the
 * program's and must outlive the device opened from it.
 *
 * Threads: any thread for a device; maps and buffers as their own headers say.
 */
#ifndef DOCA_RDMA_BRIDGE_H_
#define DOCA_RDMA_BRIDGE_H_

#include <stdint.h>

#include <infiniband/verbs.h>

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_buf;
struct doca_mmap;

/**
 * Get the protection domain of an open device.
 *
 * @pd: receives the domain; owned by the device, not to be deallocated, valid until its last close
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev or pd is NULL
 *   DOCA_ERROR_BAD_STATE: the device is not open
 *   DOCA_ERROR_NOT_SUPPORTED: the device is not backed by an RDMA device
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/**
 * Open the device that a protection domain belongs to. Maps on such a device can be neither
 * exported over RDMA nor imported.
 *
 * @pd: the domain; must outlive the device
 * @dev: receives the device; closed by doca_dev_close()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pd or dev is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: no known device belongs to that domain
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/**
 * Get the memory key of a buffer's map for a device.
 *
 * @mkey: receives the key in host byte order, valid while the map is started
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or dev is not in the buffer's map
 *   DOCA_ERROR_NOT_SUPPORTED: the device is not backed by an RDMA device
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
                                           uint32_t *mkey);

/**
 * Get the memory key of a map for the device that a protection domain belongs to.
 *
 * @mkey: receives the key in host byte order, valid while the map is started
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_FOUND: no device of the map belongs to that domain
 *   DOCA_ERROR_NOT_SUPPORTED: the devices of the map are not backed by an RDMA device
 *   DOCA_ERROR_OPERATING_SYSTEM: libibverbs failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap, struct ibv_pd *pd,
                                                    uint32_t *mkey);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_BRIDGE_H_ */

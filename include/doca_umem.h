/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User memory (umem): memory given to a device to hold its own structures, such as the rings of a
 * queue that a program drives itself. The caller keeps owning the memory and frees it only after
 * the object.
 *
 * Call order: create, read its identifier, destroy after the last queue that uses it.
 *
 * Threads: one at a time for create and destroy; getters from any thread.
 */
#ifndef DOCA_UMEM_H_
#define DOCA_UMEM_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dpa;
struct doca_gpu;
struct doca_umem;

/**
 * Register memory of the process with a device.
 *
 * @size: length in bytes, at least 1
 * @access_flags: bits of enum doca_access_flag
 * @umem_obj: receives the object; the caller ends it with doca_umem_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, size is 0, or a flag is undefined
 *   DOCA_ERROR_NOT_SUPPORTED: the device takes no user memory
 *   DOCA_ERROR_NO_MEMORY: out of memory
 *   DOCA_ERROR_DRIVER: the device layer failed to register the memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_create(const struct doca_dev *dev, void *address, size_t size,
                              uint32_t access_flags, struct doca_umem **umem_obj);

/**
 * Register memory of a DPA processor with its device.
 *
 * @address: start of the memory in the DPA's address space
 * @size: length in bytes, at least 1
 * @access_flags: bits of enum doca_access_flag
 * @umem_obj: receives the object; the caller ends it with doca_umem_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dpa or umem_obj is NULL, size is 0, or a flag is undefined
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 *   DOCA_ERROR_NO_MEMORY: out of memory
 *   DOCA_ERROR_DRIVER: the device layer failed to register the memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_dpa_create(struct doca_dpa *dpa, uint64_t address, size_t size,
                                  uint32_t access_flags, struct doca_umem **umem_obj);

/**
 * Register memory of a GPU with a device.
 *
 * @address: start of the memory as the GPU sees it
 * @size: length in bytes, at least 1
 * @access_flags: bits of enum doca_access_flag
 * @umem_obj: receives the object; the caller ends it with doca_umem_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, size is 0, or a flag is undefined
 *   DOCA_ERROR_NOT_SUPPORTED: this installation has no GPU support
 *   DOCA_ERROR_NO_MEMORY: out of memory
 *   DOCA_ERROR_DRIVER: the device layer failed to register the memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_gpu_create(struct doca_gpu *gpu, struct doca_dev *dev, void *address,
                                  size_t size, uint32_t access_flags, struct doca_umem **umem_obj);

/**
 * Deregister the memory. No queue may use it any more.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: umem_obj is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed; the object stays
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_destroy(struct doca_umem *umem_obj);

/**
 * Get the number by which the device knows the memory.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: umem_obj or umem_id is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_id(const struct doca_umem *umem_obj, uint32_t *umem_id);

/**
 * Get the length of the memory in bytes.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: umem_obj or umem_size is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_size(const struct doca_umem *umem_obj, uint32_t *umem_size);

/**
 * Get the start of the memory, as it was given at creation.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: umem_obj or umem_addr is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_address(const struct doca_umem *umem_obj, void **umem_addr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UMEM_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer inventory: a fixed stock of buffer objects that can be laid over any range of any started
 * memory map. It holds no memory of maps and serves any number of them.
 *
 * Call order: create, start, get buffers, release them with doca_buf_dec_refcount(), destroy (which
 * stops first). Taking a buffer never allocates memory.
 *
 * Threads: one thread at a time, including the release of its buffers; use one inventory a thread.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_mmap;
struct doca_buf_inventory;

/**
 * Create an inventory, not started.
 *
 * @num_elements: number of buffers, at least 1; each element of a list counts
 * @inventory: receives the inventory; the caller ends it with doca_buf_inventory_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: num_elements is 0, or inventory is NULL
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory);

/**
 * Stop and destroy an inventory. Every buffer must have been returned.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: inventory is NULL
 *   DOCA_ERROR_IN_USE: buffers of it are still held
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Open the inventory for taking buffers. Starting twice is harmless.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: inventory is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Close the inventory for taking buffers. Those that are held stay valid and can be returned.
 * Stopping twice is harmless.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: inventory is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Take a buffer and lay it over a slice of a map, with valid data in part of it.
 *
 * @addr: start of the slice; for an imported map an address of the exporter
 * @len: length of the slice in bytes, at least 1
 * @data: start of the valid data inside the slice
 * @data_len: length of the valid data in bytes, may be 0
 * @buf: receives the buffer with reference count 1; released by doca_buf_dec_refcount()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0, or the slice is outside the map or the
 *     data outside the slice
 *   DOCA_ERROR_BAD_STATE: the inventory or the map is not started
 *   DOCA_ERROR_NO_MEMORY: no free buffer
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf);

/**
 * Take a buffer without data: a destination. The slice is addr and len, the data starts at addr and
 * has length 0. Parameters and return as doca_buf_inventory_buf_get_by_args():
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0, or the slice is outside the map
 *   DOCA_ERROR_BAD_STATE: the inventory or the map is not started
 *   DOCA_ERROR_NO_MEMORY: no free buffer
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *addr,
                                                              size_t len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/**
 * Take a buffer full of data: a source. Slice and data are both data and data_len. Parameters and
 * return as doca_buf_inventory_buf_get_by_args():
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, data_len is 0, or the data is outside the map
 *   DOCA_ERROR_BAD_STATE: the inventory or the map is not started
 *   DOCA_ERROR_NO_MEMORY: no free buffer
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *data,
                                                              size_t data_len,
                                                              struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len, buf);
}

/**
 * Lay a buffer that the caller holds over another slice of the same map. Map, reference count and
 * list membership stay.
 *
 * @buf: a buffer of an inventory, not used by a submitted task
 * @len: length of the slice in bytes, at least 1
 * @data_len: length of the valid data inside the slice in bytes, may be 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0, or the slice is outside the map or the
 *     data outside the slice
 *   DOCA_ERROR_BAD_STATE: buf was released
 *   DOCA_ERROR_NOT_PERMITTED: buf is from a pool
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len,
                                                  void *data, size_t data_len);

/* The wrappers are no use of an experimental call by whoever includes this header. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/**
 * Lay a held buffer over other data of its map; slice and data are both data and data_len.
 * Parameters and return as doca_buf_inventory_buf_reuse_by_args():
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, data_len is 0, or the data is outside the map
 *   DOCA_ERROR_NOT_PERMITTED: buf is not from an inventory
 */
static inline doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data,
                                                                size_t data_len)
{
    return doca_buf_inventory_buf_reuse_by_args(buf, data, data_len, data, data_len);
}

/**
 * Lay a held buffer, without data, over another slice of its map; the data starts at addr and has
 * length 0. Parameters and return as doca_buf_inventory_buf_reuse_by_args():
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0, or the slice is outside the map
 *   DOCA_ERROR_NOT_PERMITTED: buf is not from an inventory
 */
static inline doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr,
                                                                size_t len)
{
    return doca_buf_inventory_buf_reuse_by_args(buf, addr, len, addr, 0);
}

#pragma GCC diagnostic pop

/**
 * Take buffers that describe the same memory as src_buf: same map and geometry, and the whole list
 * where it is one. The bytes themselves are not copied.
 *
 * @src_buf: a single buffer or the first of a list, from any inventory or pool
 * @dst_buf: receives the copy with reference count 1; released by doca_buf_dec_refcount()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the inventory or a map is not started, or src_buf was released
 *   DOCA_ERROR_NOT_PERMITTED: src_buf is in a list and not its first element
 *   DOCA_ERROR_NO_MEMORY: fewer free buffers than elements
 *   DOCA_ERROR_NOT_SUPPORTED: src_buf is a packet of a receive queue
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/**
 * Attach a value of the caller's to a started inventory. The library never looks at it.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: inventory is NULL
 *   DOCA_ERROR_BAD_STATE: the inventory is not started
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data);

/**
 * Get how many buffers the inventory has, held ones included.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: inventory or num_of_elements is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements);

/**
 * Get how many buffers can still be taken.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: inventory or num_of_free_elements is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements);

/**
 * Get the value set by doca_buf_inventory_set_user_data(); 0 if none was.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: inventory or user_data is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data);

/**
 * Add buffers to a started inventory. Held buffers stay where they are.
 *
 * @num_elements: number of buffers to add, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: inventory is NULL or num_elements is 0
 *   DOCA_ERROR_BAD_STATE: the inventory is not started
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */

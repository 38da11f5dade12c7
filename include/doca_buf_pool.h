/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer pool: one memory map cut into equal elements, each with its own buffer object.
 *
 * Call order: create on a map, set the alignment where needed, start (the map must be started),
 * allocate buffers, release them with doca_buf_dec_refcount(), destroy (which stops first). The map
 * must outlive the pool.
 *
 * Threads: one thread at a time, including the release of its buffers; use one pool a thread.
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;
struct doca_buf;
struct doca_buf_pool;

/**
 * Create a pool over the range of a map, not started. The map may still be unstarted.
 *
 * @num_elements: number of buffers, at least 1
 * @element_size: size of each in bytes, at least 1
 * @buf_pool: receives the pool; the caller ends it with doca_buf_pool_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: num_elements or element_size is 0, or a pointer is NULL
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);

/**
 * Stop and destroy a pool. Every buffer must have been returned.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool is NULL
 *   DOCA_ERROR_IN_USE: buffers of it are still held
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * Lay the elements over the map's range and open the pool. Starting twice is harmless.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool is NULL
 *   DOCA_ERROR_BAD_STATE: the map is not started
 *   DOCA_ERROR_INITIALIZATION: the range is too small for that many aligned elements
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * Close the pool; it may be reconfigured and started again. Stopping twice is harmless.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool is NULL
 *   DOCA_ERROR_IN_USE: buffers of it are still held
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * Take a buffer: its slice is one whole element, its data starts there with length 0.
 *
 * @buf: receives the buffer with reference count 1; released by doca_buf_dec_refcount()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool or buf is NULL
 *   DOCA_ERROR_BAD_STATE: the pool is not started
 *   DOCA_ERROR_EMPTY: every element is held
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/**
 * Attach a value of the caller's to the pool. The library never looks at it.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool is NULL
 *   DOCA_ERROR_BAD_STATE: the pool is started
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);

/**
 * Set the alignment of every element's address.
 *
 * @element_alignment: in bytes, a power of two; 1 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool is NULL, or element_alignment is not a power of two
 *   DOCA_ERROR_BAD_STATE: the pool is started
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment);

/**
 * Get how many elements the pool has, held ones included.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool or num_of_elements is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements);

/**
 * Get how many elements can still be taken.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool or num_of_free_elements is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements);

/**
 * Get the value set by doca_buf_pool_set_user_data(); 0 if none was.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool or user_data is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data);

/**
 * Get the alignment of the elements in bytes.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_pool or element_alignment is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_POOL_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer: a slice of a memory map, and the part of it that holds valid data.
 *
 *     head             data                 data + data_len    head + len
 *     |--- headroom ---|------- data -------|------ tail ------|
 *
 * As a source of a task it contributes exactly its data; as a destination it receives bytes at its
 * tail and data_len grows by what was written. Buffers can be chained into lists, which are used
 * and released as one through their first element; elements may come from different maps.
 *
 * Call order: take a buffer from an inventory or a pool (reference count 1), use it, give it back
 * with doca_buf_dec_refcount(). A buffer must not change while a task that uses it is submitted.
 *
 * Threads: one thread at a time, that of its inventory or pool; reading geometry may run in
 * parallel.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stdint.h>
#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;

/**
 * Take one more reference to a buffer or, on a list's first element, to the list.
 *
 * @refcount: receives the count before the call; may be NULL
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf is NULL
 *   DOCA_ERROR_NOT_PERMITTED: buf is in a list and not its first element
 *   DOCA_ERROR_BAD_STATE: the count is 0, buf was released
 *   DOCA_ERROR_TOO_BIG: the count is at its maximum, 65535
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Drop a reference. The last one returns the buffer, and every other element if it is the first of
 * a list, to where each came from.
 *
 * @refcount: receives the count before the call; may be NULL
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf is NULL
 *   DOCA_ERROR_NOT_PERMITTED: buf is in a list and not its first element
 *   DOCA_ERROR_BAD_STATE: the count is 0 already
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Get the reference count.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or refcount is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * Get the length of the whole slice in bytes.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or len is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * Get the start of the whole slice. For an imported map it is an address of the exporter.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or head is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * Get the length of the valid data in bytes.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or data_len is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * Get the start of the valid data. For an imported map it is an address of the exporter.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or data is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * Set where the valid data is. It must lie inside the slice; this call does not check, the task
 * that uses the buffer fails.
 *
 * @data: start of the data
 * @data_len: its length in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or data is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * Set the length of the valid data and keep its start. The end must lie inside the slice; this call
 * does not check, the task that uses the buffer fails.
 *
 * @data_len: the length in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * Set the length of the valid data to 0 and keep its start, so that the buffer can be written
 * again.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * Get the next element of the list.
 *
 * @next_buf: receives the element, no reference taken; NULL after the last one
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or next_buf is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * Get the last element of the list; buf itself where it is the last or not in a list.
 *
 * @last_buf: receives the element, no reference taken
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or last_buf is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * Tell whether a buffer ends its list. A buffer that is not in a list does.
 *
 * @is_last: receives 1 or 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or is_last is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * Tell whether a buffer begins its list. A buffer that is not in a list does.
 *
 * @is_first: receives 1 or 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or is_first is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * Tell whether a buffer is chained to another one.
 *
 * @is_in_list: receives 1 or 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or is_in_list is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/**
 * Get the number of elements of a list; 1 for a buffer that is not in one.
 *
 * @buf: the first element
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf or num_elements is NULL
 *   DOCA_ERROR_NOT_PERMITTED: buf is in a list and not its first element
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * Append a list to another one. The elements of list2 are from then on released with list1.
 *
 * @list1: first element of the list that grows
 * @list2: first element of the list that is appended; its reference count is 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a list is NULL, or list2 is or is part of list1
 *   DOCA_ERROR_BAD_STATE: list1 was released
 *   DOCA_ERROR_NOT_PERMITTED: list1 or list2 is not a first element, or list2 is referenced more
 *     than once
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Append a list to another one whose last element is known, in constant time.
 *
 * @list1_head: first element of the list that grows
 * @list1_tail: its last element
 * @list2: first element of the list that is appended; its reference count is 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or list2 is or is part of list1
 *   DOCA_ERROR_BAD_STATE: list1 was released
 *   DOCA_ERROR_NOT_PERMITTED: list1_head or list2 is not a first element, list1_tail is not a last
 *     element, or list2 is referenced more than once
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
                                      struct doca_buf *list2);

/**
 * Cut a list in two. list2 becomes the first element of the rest, with reference count 1, and the
 * caller owns both lists.
 *
 * @list1: first element of the list
 * @list2: the later element at which to cut
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a buffer is NULL, or list2 is not a later element of list1
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffer array: equal elements of a memory map, numbered from 0, for code that runs on a GPU or DPA
 * and cannot use buffer objects of the CPU. Element i covers element size bytes at
 * start_offset + i * element size of the map's range.
 *
 * Call order: create, set_params and one set_target in any order, start, get the target's handle,
 * destroy (which stops first). Destroying after the map and its memory are gone is legal.
 *
 * Threads: one thread at a time.
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_gpu;
struct doca_dpa;
struct doca_mmap;
struct doca_buf_arr;
struct doca_gpu_buf_arr;

/** Handle by which code on a DPA processor names a buffer array */
typedef uint64_t doca_dpa_dev_buf_arr_t;

/**
 * Create an array without map and target, not started.
 *
 * @num_elem: number of elements, at least 1
 * @buf_arr: receives the array; the caller ends it with doca_buf_arr_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: num_elem is 0, or buf_arr is NULL
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/**
 * Make the array usable by kernels on a GPU.
 *
 * @gpu_handler: the GPU; must outlive the array's run
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_arr or gpu_handler is NULL
 *   DOCA_ERROR_BAD_STATE: the array is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
                                         struct doca_gpu *gpu_handler);

/**
 * Make the array usable by code on a DPA processor.
 *
 * @dpa_handler: the DPA; must outlive the array's run
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_arr or dpa_handler is NULL
 *   DOCA_ERROR_BAD_STATE: the array is started
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr,
                                         struct doca_dpa *dpa_handler);

/**
 * Say which memory the elements cover. Whether it fits is checked at start.
 *
 * @mmap: the map, which may be imported
 * @elem_size: size of an element in bytes, at least 1
 * @start_offset: where element 0 starts in the map's range, in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_arr or mmap is NULL, or elem_size is 0
 *   DOCA_ERROR_BAD_STATE: the array is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset);

/**
 * Build the array on its target. The configuration is closed.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_arr is NULL, or the elements do not lie inside the map's range
 *   DOCA_ERROR_BAD_STATE: already started, no target or parameters set, or the map is not started
 *   DOCA_ERROR_NO_MEMORY: out of memory, here or on the target
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * Take the array off its target; handles are no longer valid. An array that is not started stays
 * as it is.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_arr is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * Destroy an array, stopping it first where needed. No kernel may use it any more.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_arr is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * Get the handle to pass to GPU kernels.
 *
 * @gpu_buf_arr: receives the handle; owned by the array, valid until it is stopped or destroyed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_arr or gpu_buf_arr is NULL
 *   DOCA_ERROR_BAD_STATE: not started, or the target is not a GPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_gpu_buf_arr **gpu_buf_arr);

/**
 * Get the handle to pass to code on a DPA processor.
 *
 * @dpa_buf_arr: receives the handle; valid until the array is stopped or destroyed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_arr or dpa_buf_arr is NULL
 *   DOCA_ERROR_BAD_STATE: not started, or the target is not a DPA
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_ARRAY_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA: asynchronous copies between memory maps, local ones and those of a paired process.
 *
 * Legal order: doca_dma_create, doca_dma_task_memcpy_set_conf, connect doca_dma_as_ctx() to a
 * progress engine, doca_ctx_start (returns running), allocate, submit and progress tasks; then free
 * the tasks, doca_ctx_stop, progress until idle, doca_dma_destroy.
 *
 * A memcpy task copies the data of the source buffer (or list of buffers) to the free room behind
 * the data of the destination buffer, or list, in list order. On success the data length of every
 * destination buffer has grown by the bytes it received, and the bytes are visible to both
 * processes; on failure no buffer object has changed, and the destination memory is undefined. A
 * copy into a used destination appends; reset its data length to overwrite. The source is never
 * changed. Where source and destination overlap, the copied bytes are undefined.
 *
 * Access: a local source needs nothing; a local destination must allow local writes; an imported
 * source needs PCI read, an imported destination PCI write access.
 *
 * Submitting (doca_task_submit) refuses with DOCA_ERROR_INVALID_VALUE a NULL buffer and one whose
 * memory map lacks the device, and with DOCA_ERROR_NOT_PERMITTED a forbidden direction.
 * doca_task_try_submit also refuses with DOCA_ERROR_INVALID_VALUE an empty source, a source or list
 * above the limits of the device, a destination with too little room and data outside of its
 * buffer; doca_task_submit lets these end in the error callback with DOCA_ERROR_IO_FAILED. A
 * direction that only the exporting process can refuse ends there with DOCA_ERROR_NOT_PERMITTED.
 *
 * A failed task makes its context stop by itself: tasks that have not finished yet are flushed with
 * DOCA_ERROR_IO_FAILED. Tasks start in submission order and may overlap; a task that reads what
 * another writes must be submitted after the other's callback.
 *
 * Threads: an instance and its tasks belong to the thread that drives their progress engine.
 * Questions about a devinfo may come from any thread.
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_gpu_dma;
struct doca_dma_task_memcpy;
struct doca_dma;

/**
 * Report of one finished memcpy task; runs inside doca_pe_progress().
 *
 * The task belongs to the callee from here on, who may submit it again, keep it or free it. What
 * went wrong is in doca_task_get_status().
 *
 * @task: the finished task
 * @task_user_data: user data of the task at completion time
 * @ctx_user_data: user data of the context at completion time
 */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/**
 * Create a DMA instance on a device, with its context idle.
 *
 * @dev: must stay open until the instance is destroyed; may lack DMA, which start then refuses
 * @dma: receives the instance; the caller ends it with doca_dma_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev or dma is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_INITIALIZATION: resources could not be built
 */
DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/**
 * Destroy an instance and take its context off the progress engine.
 *
 * Legal inside the state callback that reports idle.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dma is NULL
 *   DOCA_ERROR_IN_USE: the context is not idle or a task is not freed
 */
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * Ask whether a device can run memcpy tasks; the returned code is the answer.
 *
 * Returns DOCA_SUCCESS if it can, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL or its list was destroyed
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: it cannot
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * Get the context of an instance.
 *
 * Returns always the same pointer, which lives as long as the instance; NULL for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/**
 * Get the largest number of tasks that an instance can be configured with.
 *
 * @max_num_tasks: receives the plain number, not its logarithm
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dma or max_num_tasks is NULL
 */
DOCA_STABLE
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/**
 * Get the largest number of buffers in a source list and in a destination list.
 *
 * @max_buf_list_len: receives the number; 1 means that lists are not supported
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no memcpy
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                           uint32_t *max_buf_list_len);

/**
 * Get the largest number of bytes that one task copies.
 *
 * @buf_size: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no memcpy
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                       uint64_t *buf_size);

/**
 * Configure the memcpy tasks of an idle instance; mandatory before start, the last call wins.
 *
 * @task_completion_cb: runs for each task that succeeded
 * @task_error_cb: runs for each task that failed or was flushed; may be the same function
 * @num_memcpy_tasks: number of tasks that can be allocated at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or num_memcpy_tasks is 0 or above the limit of
 *     doca_dma_cap_get_max_num_tasks()
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no memcpy
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
                                           doca_dma_task_memcpy_completion_cb_t task_completion_cb,
                                           doca_dma_task_memcpy_completion_cb_t task_error_cb,
                                           uint32_t num_memcpy_tasks);

/**
 * Take a memcpy task from the pool of a running instance and fill it in.
 *
 * @src: source, a single buffer or list head; no reference is taken
 * @dst: destination, likewise
 * @user_data: handed to the completion callback
 * @task: receives the task, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are in use
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a buffer is an inner member of a list, or the
 *     source bytes or a list exceed a limit of the device
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
                                             struct doca_buf *dst, union doca_data user_data,
                                             struct doca_dma_task_memcpy **task);

/**
 * Get the general form of a task, for doca_task_submit(), doca_task_free() and their like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_STABLE
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * Replace the source of a task that the caller owns. Nothing is checked before the next submit.
 *
 * @src: a single buffer or list head; no reference is taken
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src);

/**
 * Get the source of a task that the caller owns.
 *
 * Returns the buffer given last; NULL for NULL.
 */
DOCA_STABLE
const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);

/**
 * Replace the destination of a task that the caller owns. Nothing is checked before the next
 * submit.
 *
 * @dst: a single buffer or list head; no reference is taken
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst);

/**
 * Get the destination of a task that the caller owns.
 *
 * Returns the buffer given last; NULL for NULL.
 */
DOCA_STABLE
struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * Get the handle through which GPU kernels use an instance whose data path is on a GPU.
 *
 * @gpu_dma: receives the handle, which belongs to the instance and lives until its context stops
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dma or gpu_dma is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running, or its data path is not on a GPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma);

/**
 * Choose whether tasks of an idle instance are reported in the order of their submission.
 *
 * @ordered_completions: 0 for any order, which is the default; any other value for submission order
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dma is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t ordered_completions);

/**
 * Get whether tasks are reported in the order of their submission.
 *
 * @ordered_completions: receives 1 for submission order, 0 for any order
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dma or ordered_completions is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *ordered_completions);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */

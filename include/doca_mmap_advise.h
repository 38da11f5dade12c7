/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory map advice: a context whose tasks tell the hardware how mapped memory will be used. The
 * one advice is to drop cached copies of a buffer. On this implementation caches are coherent, so
 * such a task completes without an effect on the data.
 *
 * Call order: create, configure the task, connect the context to a progress engine, start it,
 * allocate and submit tasks, free them, stop, destroy. Starting is synchronous. Tasks may be
 * submitted from a completion callback of another context of the same engine.
 *
 * Threads: one at a time, that of the progress engine; capability queries from any thread.
 */
#ifndef DOCA_MMAP_ADVISE_H_
#define DOCA_MMAP_ADVISE_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_mmap_advise;
struct doca_buf;
struct doca_mmap_advise_task_invalidate_cache;

/**
 * Called from doca_pe_progress() once for each submitted task; the caller owns the task again.
 *
 * @task_user_data: the task's user data
 * @ctx_user_data: the context's user data
 */
typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
    struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Create an advice context on a device, idle.
 *
 * @dev: the device; must stay open until the context is destroyed
 * @mmap_advise: receives the object; the caller ends it with doca_mmap_advise_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev or mmap_advise is NULL
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise);

/**
 * Destroy an idle advice context.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap_advise is NULL
 *   DOCA_ERROR_IN_USE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);

/**
 * Get the context of the object, for the doca_ctx_*() and doca_pe_*() calls.
 *
 * Returns the context, valid as long as the object, or NULL when mmap_advise is NULL
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/**
 * Returns DOCA_SUCCESS when the device offers the cache invalidation task, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);

/**
 * Get the largest buffer that one cache invalidation task takes.
 *
 * @buf_size: receives the size in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or buf_size is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size);

/**
 * Configure the cache invalidation task.
 *
 * @completion_cb: called for a task that succeeded
 * @error_cb: called for a task that failed; may be the same function
 * @num_tasks: how many tasks may be allocated at once, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or num_tasks is 0 or over the device's limit
 *   DOCA_ERROR_NOT_PERMITTED: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: the device does not offer the task
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Take a task from the context's pool. The buffer must stay unchanged until the task has completed;
 * the task holds no reference to it.
 *
 * @buf: the buffer whose data is to be dropped from caches
 * @user_data: handed to the callback
 * @task: receives the task; returned by doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: no free task
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
    struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
    struct doca_mmap_advise_task_invalidate_cache **task);

/**
 * Returns the task for the doca_task_*() calls, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
    struct doca_mmap_advise_task_invalidate_cache *task);

/**
 * Give a task that is not submitted another buffer. Nothing happens when task is NULL; the buffer
 * is checked when the task is submitted.
 */
DOCA_EXPERIMENTAL
void doca_mmap_advise_task_invalidate_cache_set_buf(
    struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf);

/**
 * Returns the buffer of the task, no reference taken, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
    const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_ADVISE_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Context: the part that all library instances (DMA, Comch, ...) have in common.
 *
 * A context is the view doca_<library>_as_ctx() of an instance and lives exactly as long as it;
 * there is no own create or destroy. Legal order: create the instance, configure it, connect it to
 * a progress engine (doca_pe_connect_ctx), doca_ctx_start, work, doca_ctx_stop, progress until the
 * state is idle, destroy the instance. A context may be started again from idle; it keeps its
 * configuration, and the setters are open again.
 *
 * States:
 *   idle     -> running            doca_ctx_start, libraries that start at once
 *   idle     -> starting           doca_ctx_start, libraries that need to establish something
 *   starting -> running            established, found by doca_pe_progress
 *   starting -> stopping or idle   doca_ctx_stop, or it could not be established
 *   running  -> stopping           doca_ctx_stop, or a fatal error in the context
 *   stopping -> idle               no task in flight and none unfreed
 * Stopping flushes: finished tasks keep their result, every other task in flight completes through
 * its error callback with DOCA_ERROR_IO_FAILED.
 *
 * Threads: a context belongs to the thread that drives its progress engine. Nothing here takes a
 * lock.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_devinfo;
struct doca_gpu;
struct doca_dpa;

/** Life cycle states of a context. */
enum doca_ctx_states {
    DOCA_CTX_STATE_IDLE = 0,     /**< can be configured, started or destroyed */
    DOCA_CTX_STATE_STARTING = 1, /**< start accepted, doca_pe_progress() will finish it */
    DOCA_CTX_STATE_RUNNING = 2,  /**< tasks can be allocated and submitted, events arrive */
    DOCA_CTX_STATE_STOPPING = 3, /**< tasks are flushed and must be freed */
};

/**
 * Report of one state change; runs inside doca_ctx_start(), doca_ctx_stop() or doca_pe_progress().
 *
 * doca_ctx_get_state() already answers next_state. Tasks may be allocated, submitted and freed,
 * the context may be stopped, and when next_state is idle its instance may be destroyed.
 * doca_pe_progress() on the same engine is not allowed.
 *
 * @user_data: user data of the context
 * @prev_state: state that was left
 * @next_state: state that was entered
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
                                                  struct doca_ctx *ctx,
                                                  enum doca_ctx_states prev_state,
                                                  enum doca_ctx_states next_state);

/**
 * Start an idle context: DOCA_SUCCESS means running, DOCA_ERROR_IN_PROGRESS means starting.
 *
 * Which of the two is fixed per library. The state callback runs inside this call. On any other
 * result the context stays idle and no callback runs.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_IN_PROGRESS: accepted, progress until the state is running
 *   DOCA_ERROR_INVALID_VALUE: ctx is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle, or mandatory configuration is missing
 *   DOCA_ERROR_NOT_CONNECTED: there is no progress engine and the data path needs one
 *   DOCA_ERROR_NOT_SUPPORTED: the device lacks what the library or its configuration needs
 *   DOCA_ERROR_INITIALIZATION: resources could not be built
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_UNEXPECTED: internal inconsistency
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * Stop a context: DOCA_SUCCESS means idle, DOCA_ERROR_IN_PROGRESS means stopping.
 *
 * Stopping an idle context succeeds without a callback. Called from a callback of the same context,
 * with tasks in flight or unfreed, or during start, the answer is DOCA_ERROR_IN_PROGRESS: progress,
 * and free every task, until the state is idle.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_IN_PROGRESS: the context is stopping
 *   DOCA_ERROR_INVALID_VALUE: ctx is NULL
 *   DOCA_ERROR_NOT_CONNECTED: there is no progress engine and the data path needs one
 *   DOCA_ERROR_UNEXPECTED: internal inconsistency
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * Count the tasks of the context that are submitted and not handed back yet.
 *
 * A task leaves the count just before its completion callback runs; allocated tasks that were not
 * submitted do not count.
 *
 * @num_inflight_tasks: set to the count; unchanged on failure
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ctx or num_inflight_tasks is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
                                             size_t *num_inflight_tasks);

/**
 * Let GPU kernels instead of this process drive the data path of an idle context.
 *
 * @gpu_dev: must outlive the context
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ctx or gpu_dev is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: the library of the context has no GPU data path
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/**
 * Set the value that callbacks of the context receive as its user data; legal in any state.
 *
 * @user_data: stored as it is, never looked into or freed; zero until first set
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ctx is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * Get the user data of the context.
 *
 * @user_data: set to the value of the last doca_ctx_set_user_data(); unchanged on failure
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ctx or user_data is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/**
 * Set the one function that is told of every state change; legal in any state.
 *
 * @cb: replaces the former one; NULL ends the reports
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ctx is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb);

/**
 * Get the state of the context.
 *
 * @state: set to the state; unchanged on failure
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ctx or state is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/**
 * Release, in submission order, all tasks that were submitted without
 * DOCA_TASK_SUBMIT_FLAG_FLUSH and are still held back.
 *
 * No effect on NULL and on a context that holds nothing back. Runs no callback.
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * Let a DPA instead of this process drive the data path of an idle context.
 *
 * No device here has a DPA, so an idle context always answers DOCA_ERROR_NOT_SUPPORTED.
 *
 * Returns
 *   DOCA_ERROR_INVALID_VALUE: ctx or dpa_dev is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/**
 * Choose the completion vector that an idle context reports through.
 *
 * @comp_vector: from 0 to doca_ctx_cap_get_num_completion_vectors() - 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ctx is NULL or comp_vector is not below the number of vectors
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: the library of the context has no completion vectors
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * Get how many completion vectors a device has. May be called from any thread.
 *
 * @num_comp_vectors: set to the number, at least 1; unchanged on failure
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or num_comp_vectors is NULL, or its list was destroyed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors);

/**
 * Reserve room for the ranges that the range profiling submit flags measure.
 *
 * @num_ranges: most ranges open at the same time
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ctx is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: the library of the context has no range profiling
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_profiler_set_max_nranges(struct doca_ctx *ctx, uint8_t num_ranges);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H_ */

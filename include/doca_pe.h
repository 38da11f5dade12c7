/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress engine and tasks.
 *
 * A progress engine (PE) is where all asynchronous work of the contexts connected to it comes back
 * to the application: task completions, events and state changes are delivered by callbacks that
 * run inside doca_pe_progress(). A task is one unit of work of one context. A task batch is one
 * submission unit of several tasks of one type.
 *
 * Legal order: doca_pe_create, doca_pe_connect_ctx (once per context, while it is idle),
 * doca_ctx_start, then allocate, submit and progress; stop and destroy every connected context
 * before doca_pe_destroy.
 *
 * To sleep instead of poll: progress until it returns 0, doca_pe_request_notification, wait until
 * the notification handle is readable, doca_pe_clear_notification, and again from the start. No
 * wake-up is lost between the last progress call and the request.
 *
 * A task belongs to the caller from its allocation until a submit call returns DOCA_SUCCESS, then
 * to the library until its completion callback begins, then to the caller again, who may submit it
 * again, keep it or free it, inside the callback or later. A failed submit changes no ownership.
 * Each successful submit leads to exactly one callback, success or error.
 *
 * Threads: a PE, the contexts connected to it and their tasks belong to one thread at a time;
 * nothing here takes a lock. Handing them to another thread needs synchronisation by the caller.
 * Different PEs may be used from different threads at once, even on one device or memory map.
 * From a callback every call is legal except doca_pe_progress and doca_pe_set_event_mode on the
 * same PE.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task;
struct doca_task_batch;
struct doca_devinfo;

/** Capacity of a task batch. */
enum doca_task_batch_max_tasks_number {
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0,  /**< up to 16 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1,  /**< up to 32 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2,  /**< up to 64 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3, /**< up to 128 tasks */
};

/** How many events one event batch holds. */
enum doca_event_batch_events_number {
    DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0,   /**< 1 event */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1,   /**< 2 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2,   /**< 4 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3,   /**< 8 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4,  /**< 16 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5,  /**< 32 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6,  /**< 64 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7, /**< 128 events */
};

/** Bits of the flags argument of doca_task_submit_ex(). */
enum doca_task_submit_flag {
    DOCA_TASK_SUBMIT_FLAG_NONE = 0,                      /**< may be held back until a flush */
    DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,                     /**< release this and all held back */
    DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2,          /**< may be reported late or merged */
    DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED = 4, /**< profile the request */
    DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_PROCESSED = 8, /**< profile the processing */
};

/** Which contexts doca_pe_progress() looks at after a wake-up. */
enum doca_pe_event_mode {
    DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0, /**< those that signalled; clearing is a duty */
    DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,       /**< every one; the next request clears as well */
};

/**
 * Report of one finished task; runs inside doca_pe_progress().
 *
 * @task: the finished task, owned by the callee from here on
 * @task_user_data: user data of the task at completion time
 * @ctx_user_data: user data of the task's context at completion time
 */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
                                          union doca_data ctx_user_data);

/**
 * Create a progress engine. Its notification handle exists from here on.
 *
 * @pe: set to the new engine, owned by the caller; unchanged on failure
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe is NULL
 *   DOCA_ERROR_NO_MEMORY: memory or file descriptors of the process are exhausted
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * Destroy a progress engine and close its notification handle.
 *
 * Every context connected to it, started or not, and every graph created on it must be destroyed
 * before.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe is NULL
 *   DOCA_ERROR_IN_USE: a context is still connected or a graph still lives
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * Deliver at most one completion, event or state step of the connected contexts.
 *
 * Never blocks. Contexts are served in turn; a stop that the delivered completion makes possible is
 * finished in the same call. The return value is not a count: call again until it is 0.
 *
 * Returns 1 if something was delivered, else 0; also 0 without any effect for NULL and when called
 * from a callback that this engine runs.
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * Get the handle that tells of work to progress: a file descriptor to poll for input.
 *
 * Available before any context is connected and the same for the whole life of the engine, which
 * owns it: never read, write or close it.
 *
 * @handle: set to the descriptor; unchanged on failure
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe or handle is NULL
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle);

/**
 * Make the notification handle unreadable again after a wake-up.
 *
 * Needed in DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE; optional in DOCA_PE_EVENT_MODE_PROGRESS_ALL.
 *
 * @handle: ignored on Linux; any value is fine
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe is NULL
 *   DOCA_ERROR_OPERATING_SYSTEM: a system call on the handle failed
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/**
 * Arm the notification handle for the next work of any connected context.
 *
 * If work already waits, the handle becomes readable at once. One request covers one wake-up;
 * without a request the handle may stay silent.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe is NULL
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * Count the tasks of all connected contexts that are submitted and not handed back yet.
 *
 * A task leaves the count just before its completion callback runs.
 *
 * @num_inflight_tasks: set to the count; unchanged on failure
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe or num_inflight_tasks is NULL
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/**
 * Submit a task at once; the same as doca_task_submit_ex() with DOCA_TASK_SUBMIT_FLAG_FLUSH.
 *
 * Of the content only missing buffers and forbidden access are found here; the rest ends in the
 * error callback. No callback runs inside this call.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: task or one of its buffers is NULL or not known to the device
 *   DOCA_ERROR_NOT_PERMITTED: the access flags of a memory map forbid the operation
 *   DOCA_ERROR_BAD_STATE: the context is not running, or the task is already submitted
 *   DOCA_ERROR_AGAIN: the submission queue is full: progress, then retry
 *   or a further code that the task type documents
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * Submit a task with flags.
 *
 * Held back tasks are released in submission order by the next flushing submit on the context or
 * by doca_ctx_flush_tasks(). DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS implies no flush; every task
 * still gets its own callback.
 *
 * @flags: bitwise or of enum doca_task_submit_flag
 *
 * Returns DOCA_SUCCESS, or any code of doca_task_submit(), and
 *   DOCA_ERROR_INVALID_VALUE: also for an unknown bit in flags
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * Submit a batch as one unit; it is reported once, when all of its tasks are done.
 *
 * Ownership of the batch moves as that of a single task.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: task_batch is NULL, or a buffer of it is missing or unusable
 *   DOCA_ERROR_NOT_PERMITTED: the access flags of a memory map forbid the operation
 *   DOCA_ERROR_BAD_STATE: the context is not running, or the batch is already submitted
 *   DOCA_ERROR_AGAIN: the submission queue is full: progress, then retry
 *   or a further code that the task type documents
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * Submit a task after checking its whole content against the limits of its type.
 *
 * On failure the task is untouched and can be corrected and submitted again.
 *
 * Returns DOCA_SUCCESS, or any code of doca_task_submit(), and
 *   DOCA_ERROR_INVALID_VALUE: also for content that breaks a rule of the task type
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * Submit a batch after checking the whole content of each of its tasks.
 *
 * On failure the batch is untouched and can be corrected and submitted again.
 *
 * Returns DOCA_SUCCESS, or any code of doca_task_batch_submit(), and
 *   DOCA_ERROR_INVALID_VALUE: also for content that breaks a rule of the task type
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * Give a task back to the pool of its context, where it can be allocated again at once.
 *
 * Legal whenever the caller owns the task. NULL and a submitted task are left alone; the latter is
 * logged as an error. A stopping context becomes idle only after its last task is freed.
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * Give a batch, with all of its tasks and arrays, back to the pool of its context.
 *
 * Legal whenever the caller owns the batch. NULL and a submitted batch are left alone; the latter
 * is logged as an error.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * Result of the last completion of a task.
 *
 * Meaningful from the completion callback until the task is submitted again or freed.
 *
 * Returns DOCA_SUCCESS after a success and before the first completion, the failure after an
 * error (DOCA_ERROR_IO_FAILED if a stopping context flushed the task), or
 *   DOCA_ERROR_INVALID_VALUE: task is NULL
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * Result of the last completion of a batch: success only if every task of it succeeded.
 *
 * Meaningful from the completion callback until the batch is submitted again or freed.
 *
 * Returns DOCA_SUCCESS after a success and before the first completion, the failure after an
 * error, or
 *   DOCA_ERROR_INVALID_VALUE: task_batch is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * Replace the user data of a task; the next completion callback receives the new value.
 *
 * Legal whenever the caller owns the task. NULL is ignored.
 *
 * @user_data: stored as it is; never looked into or freed
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * Replace the user data of a batch; the next completion callback receives the new value.
 *
 * Legal whenever the caller owns the batch. NULL is ignored.
 *
 * @user_data: stored as it is; never looked into or freed
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);

/**
 * Get the user data of a task, legal whenever the caller owns it.
 *
 * Returns the value given at allocation or by the last doca_task_set_user_data(); all zero for
 * NULL.
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * Get the user data of a batch, legal whenever the caller owns it.
 *
 * Returns the value given at allocation or by the last doca_task_batch_set_user_data(); all zero
 * for NULL.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * Get the context that a task was allocated from.
 *
 * Returns the context, never owned by the caller; NULL for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/**
 * Get the context that a batch was allocated from.
 *
 * Returns the context, never owned by the caller; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * Get the user data of the context that a batch was allocated from.
 *
 * Returns the value of the last doca_ctx_set_user_data(); all zero if there was none or for NULL.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/**
 * Get the number of tasks that a batch holds now, as chosen at its allocation.
 *
 * Returns a count of tasks (not enum doca_task_batch_max_tasks_number); 0 for NULL.
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/**
 * Connect an idle context to the engine that will progress it.
 *
 * A context is connected once; only its destruction undoes that. One engine takes any number of
 * contexts.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe or ctx is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_PERMITTED: the context is already connected to an engine
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * Choose which contexts doca_pe_progress() visits. A new engine is in
 * DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE.
 *
 * Legal at any time, also with running contexts, but not from a callback of this engine.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: pe is NULL or event_mode is not a value of the enum
 *   DOCA_ERROR_BAD_STATE: called from a callback of this engine
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync event: a 64-bit value that publishers write and subscribers read or wait for, across
 * processes and between the host and the DPU.
 *
 * Call order: create, add at least one publisher and one subscriber location, start, use, destroy.
 * It is started and stopped in one of two ways, chosen once: by doca_sync_event_start() for the
 * plain calls (get, update, wait), or by its context (doca_sync_event_as_ctx()) for tasks, and the
 * plain calls as well. The peer creates its event from an export, adds no locations, and starts it
 * all the same. When the exporter is gone, plain calls of the peer return DOCA_ERROR_DRIVER and its
 * tasks fail with DOCA_ERROR_IO_FAILED.
 *
 * Updates are atomic. What a publisher wrote before an update is visible to who saw the update. A
 * wait has no time limit: it ends when its condition holds, or with an error.
 *
 * Threads: configuration from one thread at a time; plain calls on a started event from any number
 * of threads and processes; context and tasks from the thread of their progress engine; capability
 * queries from any thread.
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

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
struct doca_dpa;
struct doca_gpu;
struct doca_sync_event;
struct doca_sync_event_remote_net;
struct doca_dpa_sync_event;
struct doca_buf;

/** Handle by which code on a DPA processor names an event */
typedef uint64_t doca_dpa_dev_sync_event_t;
/** Handle by which code on a DPA processor names an event of a network peer */
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

struct doca_gpu_sync_event;

/** The cell by which a GPU kernel uses an event */
typedef uint64_t doca_gpu_dev_sync_event_t;
/** Handle by which a GPU kernel names an event of a network peer */
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

struct doca_sync_event_task_get;
struct doca_sync_event_task_notify_set;
struct doca_sync_event_task_notify_add;
struct doca_sync_event_task_wait_eq;
struct doca_sync_event_task_wait_neq;

/**
 * Called from doca_pe_progress() once for each submitted task; the caller owns the task again. On
 * success the value is where the task was told to put it.
 */
typedef void (*doca_sync_event_task_get_completion_cb_t)(struct doca_sync_event_task_get *task,
                                                         union doca_data task_user_data,
                                                         union doca_data ctx_user_data);

/**
 * Called from doca_pe_progress() once for each submitted task; the caller owns the task again. On
 * success the event has the new value.
 */
typedef void (*doca_sync_event_task_notify_set_completion_cb_t)(
    struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Called from doca_pe_progress() once for each submitted task; the caller owns the task again. On
 * success the previous value is where the task was told to put it.
 */
typedef void (*doca_sync_event_task_notify_add_completion_cb_t)(
    struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Called from doca_pe_progress() once for each submitted task; the caller owns the task again. On
 * success the awaited value was seen.
 */
typedef void (*doca_sync_event_task_wait_eq_completion_cb_t)(
    struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Called from doca_pe_progress() once for each submitted task; the caller owns the task again. On
 * success another value was seen.
 */
typedef void (*doca_sync_event_task_wait_neq_completion_cb_t)(
    struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Create an event without locations, not started.
 *
 * @event: receives the event; the caller ends it with doca_sync_event_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/**
 * Create the peer's view of an event from doca_sync_event_export_to_remote_pci(). It cannot be
 * configured and is not started yet.
 *
 * @dev: a device on the same card as the exporting one; must stay open until the event is destroyed
 * @sz: length of data in bytes
 * @event: receives the event; the caller ends it with doca_sync_event_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or data is not a complete, unaltered export
 *   DOCA_ERROR_NOT_SUPPORTED: dev lacks the capability
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event);

/**
 * Returns DOCA_SUCCESS when doca_sync_event_create_from_export() accepts the device, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Create a network peer's view of an event from doca_sync_event_export_to_remote_net().
 *
 * @dev: the device to reach the peer through; must stay open until the event is destroyed
 * @sz: length of data in bytes
 * @event: receives the event; the caller ends it with doca_sync_event_remote_net_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or data is not a complete, unaltered export
 *   DOCA_ERROR_NOT_SUPPORTED: dev lacks the capability
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
                                              struct doca_sync_event_remote_net **event);

/**
 * Returns DOCA_SUCCESS when doca_sync_event_remote_net_create_from_export() accepts the device, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Destroy an event, stopping it first when it was started by doca_sync_event_start(). Its exports
 * are revoked.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_IN_USE: its context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/**
 * Destroy a network peer's view of an event. The event itself is not affected.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/**
 * Let the event be written by this process, through dev.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or dev is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev);

/**
 * Let the event be written by code on a DPA processor.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or dpa is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa);

/**
 * Let the event be written by kernels on a GPU.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or gpu is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu);

/**
 * Let the event be written by a process on the other side of PCI, by way of an export.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/**
 * Let the event be written by a process on another host, by way of an export.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/**
 * Let the event be read and awaited by this process, through dev.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or dev is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev);

/**
 * Let the event be read and awaited by code on a DPA processor.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or dpa is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa);

/**
 * Let the event be read and awaited by kernels on a GPU.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or gpu is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu);

/**
 * Let the event be read and awaited by a process on the other side of PCI, by way of an export.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is started
 *   DOCA_ERROR_NOT_PERMITTED: the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/**
 * Keep the value in memory of the caller's instead of the library's. The memory must stay until the
 * event is destroyed.
 *
 * @addr: 8 bytes, naturally aligned
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or addr is NULL, or addr is not aligned
 *   DOCA_ERROR_BAD_STATE: the event is started or exported
 *   DOCA_ERROR_NOT_SUPPORTED: the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/**
 * Keep the value in a buffer of the caller's instead of the library's memory. The caller keeps a
 * reference to it until the event is destroyed.
 *
 * @buf: 8 bytes long, naturally aligned
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or buf is NULL, or buf has another length or is not aligned
 *   DOCA_ERROR_BAD_STATE: the event is started or exported
 *   DOCA_ERROR_NOT_PERMITTED: the permissions of the buffer's map do not allow what the locations
 *     need, or the event was created from an export
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf);

/**
 * Start the event for the plain calls. The configuration is closed.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: already started, or a publisher or subscriber location is missing
 *   DOCA_ERROR_NOT_PERMITTED: the event is driven by its context
 *   DOCA_ERROR_NOT_SUPPORTED: a location is a GPU or DPA that is not available
 *   DOCA_ERROR_INITIALIZATION: resources are lacking
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter cannot be reached
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/**
 * Stop an event that doca_sync_event_start() started. No thread may be inside a plain call. An
 * event that is not started stays as it is.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the event is driven by its context
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/**
 * Get the context of the event. From then on only the doca_ctx_*() calls start and stop it.
 * Starting is synchronous; on an event that doca_sync_event_start() started it is refused with
 * DOCA_ERROR_BAD_STATE.
 *
 * Returns the context, valid as long as the event, or NULL when event is NULL
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/**
 * Returns DOCA_SUCCESS when the device offers the get task, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure the get task.
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
doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Take a task that reads the event.
 *
 * @ret_val_ptr: where the value goes at completion; must stay valid until then
 * @user_data: handed to the callback
 * @task: receives the task; returned by doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: no free task
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
                                                 uint64_t *ret_val_ptr, union doca_data user_data,
                                                 struct doca_sync_event_task_get **task);

/**
 * Returns the task for the doca_task_*() calls, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task);

/**
 * Change where the value goes. Not while the task is submitted; NULL is ignored.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
                                              uint64_t *ret_val_ptr);

/**
 * Returns where the value goes, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task);

/**
 * Returns DOCA_SUCCESS when the device offers the notify_set task, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure the notify_set task.
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
doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Take a task that gives the event a value.
 *
 * @set_val: the value
 * @user_data: handed to the callback
 * @task: receives the task; returned by doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: no free task
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
                                           union doca_data user_data,
                                           struct doca_sync_event_task_notify_set **task);

/**
 * Returns the task for the doca_task_*() calls, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task);

/**
 * Change the value to set. Not while the task is submitted; NULL is ignored.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
                                                 uint64_t set_val);

/**
 * Returns the value to set, or 0 when task is NULL
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task);

/**
 * Returns DOCA_SUCCESS when the device offers the notify_add task, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure the notify_add task.
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
doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Take a task that adds to the event.
 *
 * @inc_val: what to add
 * @fetched_val_ptr: where the previous value goes at completion; must stay valid until then
 * @user_data: handed to the callback
 * @task: receives the task; returned by doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: no free task
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
                                           uint64_t *fetched_val_ptr, union doca_data user_data,
                                           struct doca_sync_event_task_notify_add **task);

/**
 * Returns the task for the doca_task_*() calls, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task);

/**
 * Change what to add. Not while the task is submitted; NULL is ignored.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
                                                 uint64_t inc_val);

/**
 * Returns what to add, or 0 when task is NULL
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task);

/**
 * Change where the previous value goes. Not while the task is submitted; NULL is ignored.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);

/**
 * Returns where the previous value goes, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task);

/**
 * Returns DOCA_SUCCESS when the device offers the wait_eq task, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure the wait_eq task.
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
doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Take a task that completes once (event & mask) equals wait_val.
 *
 * @wait_val: the awaited value
 * @mask: which bits of the event are compared: 0, 1, 2, 4 or 8 whole bytes in a row
 * @user_data: handed to the callback
 * @task: receives the task; returned by doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or mask has another shape
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: no free task
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event,
                                                     uint64_t wait_val, uint64_t mask,
                                                     union doca_data user_data,
                                                     struct doca_sync_event_task_wait_eq **task);

/**
 * Returns the task for the doca_task_*() calls, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task);

/**
 * Change the awaited value. Not while the task is submitted; NULL is ignored.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
                                               uint64_t wait_val);

/**
 * Returns the awaited value, or 0 when task is NULL
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);

/**
 * Change the compared bits. Not while the task is submitted; NULL is ignored.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task,
                                           uint64_t mask);

/**
 * Returns the compared bits, or 0 when task is NULL
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);

/**
 * Returns DOCA_SUCCESS when the device offers the wait_neq task, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure the wait_neq task.
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
doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Take a task that completes once (event & mask) differs from wait_val.
 *
 * @wait_val: the value to leave behind
 * @mask: which bits of the event are compared: 0, 1, 2, 4 or 8 whole bytes in a row
 * @user_data: handed to the callback
 * @task: receives the task; returned by doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or mask has another shape
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: no free task
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event,
                                                      uint64_t wait_val, uint64_t mask,
                                                      union doca_data user_data,
                                                      struct doca_sync_event_task_wait_neq **task);

/**
 * Returns the task for the doca_task_*() calls, or NULL when task is NULL
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task);

/**
 * Change the value to leave behind. Not while the task is submitted; NULL is ignored.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
                                                uint64_t wait_val);

/**
 * Returns the value to leave behind, or 0 when task is NULL
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task);

/**
 * Change the compared bits. Not while the task is submitted; NULL is ignored.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
                                            uint64_t mask);

/**
 * Returns the compared bits, or 0 when task is NULL
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/**
 * Export the event to a process on the other side of PCI. Legal before and after start. The export
 * is opaque bytes, at most 1000, to be carried there by any means; who holds it may use the event.
 *
 * @data: receives the export; owned by the event, valid until it is destroyed
 * @sz: receives its length in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_PERMITTED: no location is remote PCI, some location is neither that nor CPU, or
 *     the event was itself created from an export
 *   DOCA_ERROR_NOT_SUPPORTED: dev lacks the capability
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
                                                  struct doca_dev *dev, const uint8_t **data,
                                                  size_t *sz);

/**
 * Returns DOCA_SUCCESS when doca_sync_event_export_to_remote_pci() accepts the device, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo);

/**
 * Get the handle by which code on a DPA processor uses the event.
 *
 * @dpa_dev_se_handle: receives the handle, valid until the event is stopped
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
                                            doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * Returns DOCA_SUCCESS when doca_sync_event_get_dpa_handle() accepts the device, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * Get the cell by which kernels of a GPU use the event.
 *
 * @gpu_dev_se: receives its address in GPU memory, valid until the event is stopped
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there is no GPU support
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
                                            doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * Returns DOCA_SUCCESS when doca_sync_event_get_gpu_handle() accepts the device, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Export the event to a process on another host, which writes it through
 * doca_sync_event_remote_net_create_from_export() and an RDMA connection. Legal before and after
 * start.
 *
 * @data: receives the export; owned by the event, valid until it is destroyed
 * @sz: receives its length in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_PERMITTED: no location is remote net, or the event was itself created from an
 *     export
 *   DOCA_ERROR_NOT_SUPPORTED: the device of the event lacks the capability
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
                                                  const uint8_t **data, size_t *sz);

/**
 * Returns DOCA_SUCCESS when doca_sync_event_export_to_remote_net() accepts the device, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo);

/**
 * Get the handle by which code on a DPA processor uses an event of a network peer.
 *
 * @dpa_remote_event: receives the handle, valid until event is destroyed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_dpa *dpa,
                                          doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * Returns DOCA_SUCCESS when doca_sync_event_remote_net_get_dpa_handle() accepts the device, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * Get the handle by which kernels of a GPU use an event of a network peer.
 *
 * @gpu_remote_event: receives the handle, valid until event is destroyed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there is no GPU support
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_gpu *gpu,
                                          doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/**
 * Returns DOCA_SUCCESS when doca_sync_event_remote_net_get_gpu_handle() accepts the device, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not so
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Read the event.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or value is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/**
 * Add to the event.
 *
 * @value: what to add; the sum wraps around
 * @fetched: receives the value before
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event or fetched is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched);

/**
 * Give the event a value.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/**
 * Wait, polling without pause, until (event & mask) is greater than value.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * As doca_sync_event_wait_gt(), but the thread yields the CPU between polls.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask);

/**
 * Wait, polling without pause, until (event & mask) equals value.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * As doca_sync_event_wait_eq(), but the thread yields the CPU between polls.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask);

/**
 * Wait, polling without pause, until (event & mask) differs from value.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * As doca_sync_event_wait_neq(), but the thread yields the CPU between polls.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event is NULL
 *   DOCA_ERROR_BAD_STATE: the event is not started
 *   DOCA_ERROR_DRIVER: created from an export, and the exporter is gone
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
                                            uint64_t mask);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SYNC_EVENT_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UROM: lets worker processes of a service execute operations of this program, so that its own
 * processor is free. This library enqueues commands and hands back their results; it never executes
 * one itself. Without a service every way ends in an error.
 *
 * Objects, each with a context:
 *   service  the link to the service of one device. Lists the plugins that it offers; a family of
 *            operations exists only if its plugin is among them
 *   worker   a channel to one worker process, which loads the chosen plugins. Carries command tasks
 *   domain   workers of several processes that know each other's addresses and buffers
 *
 * Legal order: create the service, set its device, connect doca_urom_service_as_ctx() to a progress
 * engine, doca_ctx_start (returns running or fails, after a bounded time); create workers, set
 * service and plugins, connect and start them (returns DOCA_ERROR_IN_PROGRESS), progress until they
 * are running; likewise a domain, which has to be on the engine of its workers. Then tasks. Release
 * the tasks; stop and destroy the domain (DOCA_SUCCESS), the workers (DOCA_ERROR_IN_PROGRESS,
 * progress until idle), the service (DOCA_SUCCESS). Stopping something that is still in use answers
 * DOCA_ERROR_IN_USE. A start that fails later leads back to idle in one event; the log says why.
 * Setters need an idle context, may come before or after it is connected, and survive a stop.
 *
 * One doca_pe_progress() call delivers at most one event of these contexts, a completion or a
 * change of state, and returns 1 only then. A lost service or worker changes no state: it shows in
 * the results of tasks.
 *
 * A task is allocated, submitted with doca_task_submit() and completed through its callback, for
 * good and bad results alike, exactly once for each successful submit. Then it is the caller's
 * again, to be submitted again, kept or released. Submit refuses a command task with
 *   DOCA_ERROR_BAD_STATE: the worker is not running, or the task is in flight
 *   DOCA_ERROR_INVALID_VALUE: no callback, the payload is outside of its buffer, or the plugin is
 *     not one id
 *   DOCA_ERROR_NOT_SUPPORTED: the worker has not loaded the plugin
 *   DOCA_ERROR_NOT_PERMITTED: the service is gone
 *   DOCA_ERROR_IO_FAILED: the worker process is gone
 *   DOCA_ERROR_AGAIN: as many tasks as allowed are in flight; progress and retry
 *
 * Threads: a context and its tasks belong to the thread that drives their progress engine. Workers
 * of one service may be on other engines and threads than the service and each other.
 */
#ifndef DOCA_UROM_H_
#define DOCA_UROM_H_

#include <ucs/type/cpu_set.h>

#include <doca_error.h>
#include <doca_types.h>
#include <doca_urom_plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Takes all CPUs out of the set that _cpusetp points to. */
#define DOCA_CPU_ZERO(_cpusetp) UCS_CPU_ZERO(_cpusetp)

/** Puts a CPU into the set that _cpusetp points to; without effect from 1024 on. */
#define DOCA_CPU_SET(_cpu, _cpusetp) UCS_CPU_SET(_cpu, _cpusetp)

/** Tells whether a CPU is in the set that _cpusetp points to: 1 or 0. */
#define doca_cpu_is_set(_cpu, _cpusetp) ucs_cpu_is_set(_cpu, _cpusetp)

/** Worker id that lets the service choose an unused one. */
#define DOCA_UROM_WORKER_ID_ANY (-1ULL)

/** A set of CPUs, numbered from 0 to 1023. */
typedef ucs_cpu_set_t doca_cpu_set_t;

struct doca_buf;
struct doca_ctx;
struct doca_dev;

/** The link to the service of one device. */
struct doca_urom_service;

/** Asks for the workers of a group. */
struct doca_urom_service_get_workers_by_gid_task;

/**
 * Report of one finished query; runs inside doca_pe_progress() on the engine of the service.
 *
 * doca_task_get_status() is DOCA_SUCCESS, also when the group has no workers, or
 * DOCA_ERROR_IO_FAILED: the service was lost or stopped. The task belongs to the callee from here
 * on, who may release it.
 *
 * @task: the finished task
 * @task_user_data: user data of the task at completion time
 * @ctx_user_data: user data of the service's context at completion time
 */
typedef void (*doca_urom_service_get_workers_by_gid_task_completion_cb_t)(
    struct doca_urom_service_get_workers_by_gid_task *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Create a service object, with its context idle. Says nothing about the service yet.
 *
 * @service_ctx: receives the object; the caller ends it with doca_urom_service_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: service_ctx is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_create(struct doca_urom_service **service_ctx);

/**
 * Destroy a service object and take its context off the progress engine.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: service_ctx is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the context is not idle
 *   DOCA_ERROR_IN_USE: a worker object refers to it, or a task is not released
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_destroy(struct doca_urom_service *service_ctx);

/**
 * Limit the messages between host and workers. Start fails with DOCA_ERROR_INVALID_VALUE when the
 * service allows less.
 *
 * @msg_size: number of bytes from 128 to 1 MiB, of which a command's header takes 24 and a
 *   notification's 32; default 4096
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: service_ctx is NULL or msg_size is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_set_max_comm_msg_size(struct doca_urom_service *service_ctx,
                                                     size_t msg_size);

/**
 * Say how many workers of this object can be other than idle. The start of one more answers
 * DOCA_ERROR_FULL.
 *
 * @max_workers: a power of two from 1 to 4096; default 32
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: service_ctx is NULL, or max_workers is out of range or not a power of
 *     two
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_set_max_workers(struct doca_urom_service *service_ctx,
                                               uint32_t max_workers);

/**
 * Say whose service is meant; mandatory before start.
 *
 * Start finds the service of the device where DOCA_UROM_SOCKET says, by the file that
 * DOCA_UROM_SERVICE_FILE names, where the devices file says, or on this machine. It fails with
 * DOCA_ERROR_NOT_PERMITTED: no service answers or it refuses, DOCA_ERROR_NOT_FOUND: the file does
 * not list the device, DOCA_ERROR_BAD_CONFIG: the file cannot be used, or
 * DOCA_ERROR_OPERATING_SYSTEM: no descriptors are left.
 *
 * @dev: must stay open until the object is destroyed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no PCI address
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_set_dev(struct doca_urom_service *service_ctx, struct doca_dev *dev);

/**
 * Get the context of a service object.
 *
 * Returns always the same pointer, which lives as long as the object; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_urom_service_as_ctx(struct doca_urom_service *service_ctx);

/**
 * Get the plugins that a running service offers. This is all that tells what it can do.
 *
 * @plugins: receives an array in ascending order of id; it belongs to the object and stays as it is
 *   until the context stops
 * @plugins_count: receives its length
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NOT_FOUND: the service has no plugins
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_urom_service_get_plugins_list(struct doca_urom_service *service_ctx,
                                   const struct doca_urom_service_plugin_info **plugins,
                                   size_t *plugins_count);

/**
 * Get the CPUs that a running service lets workers run on.
 *
 * @cpuset: receives the set
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_get_cpuset(struct doca_urom_service *service_ctx,
                                          doca_cpu_set_t *cpuset);

/**
 * Allocate a query without callback, for group 0.
 *
 * @task: receives the task; the caller ends it with
 *   doca_urom_service_get_workers_by_gid_task_release()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_get_workers_by_gid_task_allocate(
    struct doca_urom_service *service_ctx, struct doca_urom_service_get_workers_by_gid_task **task);

/**
 * Allocate a query and fill it in.
 *
 * Submit refuses it with DOCA_ERROR_BAD_STATE: the service is not running, or the task is in
 * flight, DOCA_ERROR_INVALID_VALUE: there is no callback, or DOCA_ERROR_NOT_PERMITTED: the service
 * is gone.
 *
 * @gid: the group to ask for
 * @cb: runs when the answer is there; NULL to set it later
 * @task: receives the task; the caller ends it with
 *   doca_urom_service_get_workers_by_gid_task_release()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: service_ctx or task is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_get_workers_by_gid_task_allocate_init(
    struct doca_urom_service *service_ctx, uint32_t gid,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb,
    struct doca_urom_service_get_workers_by_gid_task **task);

/**
 * End a query and the array of ids that it holds; legal inside its callback.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: task is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the task is in flight
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_get_workers_by_gid_task_release(
    struct doca_urom_service_get_workers_by_gid_task *task);

/**
 * Say which group a query that the caller owns asks for. Ignored for NULL, and for a task in
 * flight, which is logged.
 *
 * @gid: the group
 */
DOCA_EXPERIMENTAL
void doca_urom_service_get_workers_by_gid_task_set_gid(
    struct doca_urom_service_get_workers_by_gid_task *task, uint32_t gid);

/**
 * Say who gets the answer to a query that the caller owns. Ignored for NULL, and for a task in
 * flight, which is logged.
 *
 * @cb: runs when the answer is there
 */
DOCA_EXPERIMENTAL
void doca_urom_service_get_workers_by_gid_task_set_cb(
    struct doca_urom_service_get_workers_by_gid_task *task,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb);

/**
 * Get the general form of a query, for doca_task_submit() and its like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_urom_service_get_workers_by_gid_task_as_task(
    struct doca_urom_service_get_workers_by_gid_task *task);

/**
 * Get how many workers a completed query found.
 *
 * Returns the number; 0 before completion, after a failure and for NULL.
 */
DOCA_EXPERIMENTAL
size_t doca_urom_service_get_workers_by_gid_task_get_workers_count(
    struct doca_urom_service_get_workers_by_gid_task *task);

/**
 * Get the workers that a completed query found: all live ones of the group that this service runs
 * for the caller's user, whichever process started them.
 *
 * Returns their ids in ascending order, valid until the task is released or submitted again; NULL
 * when there are none, and for NULL.
 */
DOCA_EXPERIMENTAL
const uint64_t *doca_urom_service_get_workers_by_gid_task_get_worker_ids(
    struct doca_urom_service_get_workers_by_gid_task *task);

/** A channel to one worker process. */
struct doca_urom_worker;

/** One command to a plugin. */
struct doca_urom_worker_cmd_task;

/**
 * Report of one finished command; runs inside doca_pe_progress().
 *
 * doca_task_get_status() is what the plugin said, or DOCA_ERROR_IO_FAILED: worker or service died,
 * or the worker was stopped, DOCA_ERROR_TOO_BIG: the plugin's answer exceeds a message, or
 * DOCA_ERROR_NOT_SUPPORTED: the worker process lacks the plugin. The task belongs to the callee
 * from here on, who may submit it again, keep it or release it, and has already left the count of
 * tasks in flight.
 *
 * @task: the finished task
 * @task_user_data: user data of the task at completion time
 * @ctx_user_data: user data of the worker's context at completion time
 */
typedef void (*doca_urom_worker_cmd_task_completion_cb_t)(struct doca_urom_worker_cmd_task *task,
                                                          union doca_data task_user_data,
                                                          union doca_data ctx_user_data);

/**
 * Create a worker object, with its context idle. The process is found or spawned by start.
 *
 * Start refuses at once with DOCA_ERROR_INVALID_VALUE: service or plugins are not set, or a CPU is
 * not one of the service's, DOCA_ERROR_BAD_STATE: the service is not running,
 * DOCA_ERROR_NOT_SUPPORTED: the service lacks a plugin, DOCA_ERROR_FULL: its workers are used up,
 * or DOCA_ERROR_NOT_PERMITTED: it is gone.
 *
 * @worker_ctx: receives the object; the caller ends it with doca_urom_worker_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: worker_ctx is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_create(struct doca_urom_worker **worker_ctx);

/**
 * Destroy a worker object and take its context off the progress engine. The worker process has
 * ended when no other object had a channel to it.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: worker_ctx is NULL
 *   DOCA_ERROR_IN_USE: the context or a domain with this worker is not idle, or a task is not
 *     released
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx);

/**
 * Say whose worker this is; mandatory before start.
 *
 * @service_ctx: the service object, in any state; cannot be destroyed before the worker object is,
 *   or gets another service
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_service(struct doca_urom_worker *worker_ctx,
                                          struct doca_urom_service *service_ctx);

/**
 * Say which worker this is, among those that the service runs for the caller's user.
 *
 * Where a live worker has the id, start opens one more channel to it, which fails when it has not
 * loaded all plugins of this object or when doca_urom_worker_set_env() was called.
 *
 * @worker_id: any number; default DOCA_UROM_WORKER_ID_ANY, which gives a new worker
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: worker_ctx is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_id(struct doca_urom_worker *worker_ctx, uint64_t worker_id);

/**
 * Say which plugins the worker loads; mandatory before start.
 *
 * @plugins: ids of plugins, joined with "|"; at least one
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: worker_ctx is NULL or plugins is 0
 *   DOCA_ERROR_NOT_SUPPORTED: the service is running and lacks one of them
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_plugins(struct doca_urom_worker *worker_ctx, uint64_t plugins);

/**
 * Say which CPUs a new worker runs on. A worker that is there already keeps its own.
 *
 * @cpuset: not empty, all from doca_urom_service_get_cpuset(); default is that set
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: worker_ctx is NULL, cpuset is empty, or the service is running and
 *     lacks one of the CPUs
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_cpuset(struct doca_urom_worker *worker_ctx,
                                         doca_cpu_set_t cpuset);

/**
 * Say which group a new worker is in. A worker that is there already keeps its own.
 *
 * @gid: any number; default is no group
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: worker_ctx is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_gid(struct doca_urom_worker *worker_ctx, uint32_t gid);

/**
 * Say how many commands can be in flight. Any number of tasks can be allocated all the same.
 *
 * @max_tasks: from 1 to 65536, rounded up to a power of two; default 32
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: worker_ctx is NULL or max_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_max_inflight_tasks(struct doca_urom_worker *worker_ctx,
                                                     uint32_t max_tasks);

/**
 * Add variables to the environment that a new worker starts with. The last call wins; of equal
 * names the last one.
 *
 * @env: strings of the form NAME=VALUE; copied
 * @count: their number, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer or a string is NULL, count is 0, or a string has no "=" or
 *     no name
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_env(struct doca_urom_worker *worker_ctx, char *const env[],
                                      size_t count);

/**
 * Get the id of a worker, in any state.
 *
 * @worker_id: receives what was set, or once running, the id that the service chose
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_get_id(struct doca_urom_worker *worker_ctx, uint64_t *worker_id);

/**
 * Get the group of a worker, in any state.
 *
 * @worker_gid: receives what was set, or once running, the group of the process; UINT32_MAX for
 * none
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_get_gid(struct doca_urom_worker *worker_ctx, uint32_t *worker_gid);

/**
 * Get the context of a worker object.
 *
 * Returns always the same pointer, which lives as long as the object; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_urom_worker_as_ctx(struct doca_urom_worker *worker_ctx);

/**
 * Allocate a command task without plugin and callback.
 *
 * @task: receives the task; the caller ends it with doca_urom_worker_cmd_task_release()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_cmd_task_allocate(struct doca_urom_worker *worker_ctx,
                                                struct doca_urom_worker_cmd_task **task);

/**
 * Allocate a command task for a plugin, without callback.
 *
 * @plugin: the plugin's id; checked by submit
 * @task: receives the task; the caller ends it with doca_urom_worker_cmd_task_release()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_cmd_task_allocate_init(struct doca_urom_worker *worker_ctx,
                                                     uint64_t plugin,
                                                     struct doca_urom_worker_cmd_task **task);

/**
 * End a command task and its buffers, as doca_task_free() does; legal inside its callback and after
 * a submit that failed.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: task is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the task is in flight
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_cmd_task_release(struct doca_urom_worker_cmd_task *task);

/**
 * Say which plugin a task that the caller owns is for. Ignored for NULL, and for a task in flight,
 * which is logged.
 *
 * @plugin: the plugin's id; checked by submit
 */
DOCA_EXPERIMENTAL
void doca_urom_worker_cmd_task_set_plugin(struct doca_urom_worker_cmd_task *task, uint64_t plugin);

/**
 * Say who gets the result of a task that the caller owns; mandatory before submit. Ignored for
 * NULL, and for a task in flight, which is logged.
 *
 * @cb: runs once for each submit that succeeded
 */
DOCA_EXPERIMENTAL
void doca_urom_worker_cmd_task_set_cb(struct doca_urom_worker_cmd_task *task,
                                      doca_urom_worker_cmd_task_completion_cb_t cb);

/**
 * Get the buffer for what a task sends.
 *
 * At first its data are the whole buffer, so that the data length tells the room: the message size
 * of the service less 24 bytes. Write the command there and make it the data with
 * doca_buf_set_data(), within the buffer; 0 bytes are legal. The command is copied by submit.
 *
 * Returns the buffer, 16-byte aligned, which belongs to the task and cannot be chained or get
 * references; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_urom_worker_cmd_task_get_payload(struct doca_urom_worker_cmd_task *task);

/**
 * Get the buffer with what the plugin answered, as its data.
 *
 * It is there in any state of the task; before an answer, and without one, it is zeroed, for at
 * least 256 bytes, and its data length is 0. The bytes stay until the task is submitted again or
 * released.
 *
 * Returns the buffer, 16-byte aligned, which belongs to the task and cannot be chained or get
 * references; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_urom_worker_cmd_task_get_response(struct doca_urom_worker_cmd_task *task);

/**
 * Get the memory of a task that the program may use as it likes. It is not sent, is at first zero
 * and keeps its content through completion and the next submit. The user data of
 * doca_task_set_user_data() are something else.
 *
 * Returns 32 bytes, 16-byte aligned, which live as long as the task; NULL for NULL.
 */
DOCA_EXPERIMENTAL
void *doca_urom_worker_cmd_task_get_user_data(struct doca_urom_worker_cmd_task *task);

/**
 * Get the general form of a task, for doca_task_submit(), doca_task_free() and their like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_urom_worker_cmd_task_as_task(struct doca_urom_worker_cmd_task *task);

/** Workers of several processes that know each other. */
struct doca_urom_domain;

/**
 * Create a domain object, with its context idle.
 *
 * Start is collective over all processes of the domain. It refuses at once with
 * DOCA_ERROR_INVALID_VALUE: workers or the out-of-band calls are not set, or a worker is on another
 * engine, DOCA_ERROR_BAD_STATE: a worker is not running, or DOCA_ERROR_TOO_BIG: this process brings
 * more than 1 MiB of handles, keys and addresses. When a process fails later, all do.
 *
 * @domain_ctx: receives the object; the caller ends it with doca_urom_domain_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: domain_ctx is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_domain_create(struct doca_urom_domain **domain_ctx);

/**
 * Destroy a domain object and take its context off the progress engine.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: domain_ctx is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the context is not idle
 *   DOCA_ERROR_IN_USE: called from a callback of this object
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_domain_destroy(struct doca_urom_domain *domain_ctx);

/**
 * Say how many buffers this process brings; what was added before is dropped.
 *
 * @buffers_cnt: the number; 0 is legal and the default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: domain_ctx is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_domain_set_buffers_count(struct doca_urom_domain *domain_ctx,
                                                size_t buffers_cnt);

/**
 * Add a buffer that plugins of all workers of the domain can look up. Buffers are numbered from 0
 * in the order of these calls, and belong to each worker of this process.
 *
 * @buffer: start of the memory, which is only referred to
 * @buf_len: its length in bytes
 * @memh: packed memory handle; copied. NULL for none
 * @memh_len: its length in bytes
 * @mkey: packed memory key; copied. NULL for none
 * @mkey_len: its length in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: domain_ctx or buffer is NULL, or a length does not go with its
 * pointer DOCA_ERROR_BAD_STATE: the context is not idle, or doca_urom_domain_set_buffers_count() is
 * missing DOCA_ERROR_FULL: all announced buffers have been added DOCA_ERROR_NO_MEMORY: memory is
 * exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_domain_add_buffer(struct doca_urom_domain *domain_ctx, void *buffer,
                                         size_t buf_len, void *memh, size_t memh_len, void *mkey,
                                         size_t mkey_len);

/**
 * Begin to exchange bytes with all processes of the domain; must not wait.
 *
 * Runs on the thread of the domain's engine, inside start or progress, before the domain is
 * running. There is one request at a time.
 *
 * @sbuf: what this process gives; stays as it is until the request has ended
 * @rbuf: where to put what process i gives, at i * msglen
 * @msglen: number of bytes, the same in all processes
 * @coll_info: from struct doca_urom_domain_oob_coll
 * @req: receives the request
 *
 * Returns DOCA_SUCCESS or DOCA_ERROR_IN_PROGRESS, both for begun, or any other error, which makes
 * the start of the domain fail.
 */
typedef doca_error_t (*doca_urom_domain_allgather_cb_t)(void *sbuf, void *rbuf, size_t msglen,
                                                        void *coll_info, void **req);

/**
 * Tell whether a request has ended; must not wait.
 *
 * @req: from the allgather call
 *
 * Returns DOCA_SUCCESS when it has, DOCA_ERROR_IN_PROGRESS while it has not, or any other error,
 * which makes the start of the domain fail.
 */
typedef doca_error_t (*doca_urom_domain_req_test_cb_t)(void *req);

/**
 * End a request; called once, after it has succeeded or failed.
 *
 * @req: from the allgather call
 *
 * Returns DOCA_SUCCESS, or any error, which goes to the log.
 */
typedef doca_error_t (*doca_urom_domain_req_free_cb_t)(void *req);

/** How the processes of a domain find each other: by means of the program's own, "out of band". */
struct doca_urom_domain_oob_coll {
    doca_urom_domain_allgather_cb_t allgather; /**< begins an exchange */
    doca_urom_domain_req_test_cb_t req_test;   /**< asks for its end */
    doca_urom_domain_req_free_cb_t req_free;   /**< ends it */
    void *coll_info;                           /**< handed to allgather */
    uint32_t n_oob_indexes;                    /**< number of processes, at least 1 */
    uint32_t oob_index;                        /**< this one's place among them, from 0 */
};

/**
 * Say how the processes of the domain find each other; mandatory before start.
 *
 * @oob: copied; what it points to must stay until the domain is running or idle again
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer or one of the three calls is NULL, n_oob_indexes is 0, or
 *     oob_index is not below it
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_domain_set_oob(struct doca_urom_domain *domain_ctx,
                                      struct doca_urom_domain_oob_coll *oob);

/**
 * Say which workers this process brings; mandatory before start. They cannot be stopped or
 * destroyed while the domain is not idle.
 *
 * @domain_worker_ids: the id of each in the domain, unique over all processes; copied
 * @workers: the workers, running by start and on the engine of the domain; copied
 * @workers_cnt: length of both arrays; 0 for a process that only takes part
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: domain_ctx is NULL, or an array is and workers_cnt is not 0
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_domain_set_workers(struct doca_urom_domain *domain_ctx,
                                          uint64_t *domain_worker_ids,
                                          struct doca_urom_worker **workers, size_t workers_cnt);

/**
 * Get the context of a domain object.
 *
 * Returns always the same pointer, which lives as long as the object; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_urom_domain_as_ctx(struct doca_urom_domain *domain_ctx);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_H_ */

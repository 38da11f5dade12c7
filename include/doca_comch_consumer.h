/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comch consumer: the receiving end of the fast path. Data from producers of the peer lands in
 * buffers that the program posts beforehand; each arrival uses up the oldest posted buffer.
 *
 * Legal order: with an established connection and a started memory map, doca_comch_consumer_create,
 * doca_comch_consumer_task_post_recv_set_conf, connect doca_comch_consumer_as_ctx() to a progress
 * engine, doca_ctx_start (returns DOCA_ERROR_IN_PROGRESS), progress until it is running; allocate
 * and submit tasks; doca_ctx_stop, free the tasks, progress until idle, destroy. The peer learns of
 * the consumer and of its end by the events of doca_comch_event_consumer_cb_t. Start needs progress
 * of the consumer's engine and perhaps of the connection's; stop needs its own only. A start that
 * the peer refuses leads back to idle.
 *
 * A submitted task is one place to land, visible to producers at once, and stays in flight until it
 * is filled. On success the data length of its buffer has grown by what arrived, behind the data
 * that was there before. Stop and the end of the connection flush posted tasks to the error
 * callback: DOCA_ERROR_IO_FAILED after a stop, DOCA_ERROR_CONNECTION_RESET when the peer is gone.
 *
 * Completions and message queues for a DPA processor are here for programs that mention them; there
 * is no such processor, and creating one answers DOCA_ERROR_NOT_SUPPORTED.
 *
 * Threads: a consumer and its tasks belong to the thread that drives their progress engine, which
 * may be another than that of the connection. Questions about a devinfo may come from any thread.
 */
#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct doca_dpa_thread;
struct doca_comch_connection;
struct doca_comch_consumer;
struct doca_comch_consumer_completion;
struct doca_comch_gpu_consumer;

/** Handle by which code on a DPA processor names a completion context */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
/** Handle by which code on a DPA processor names a consumer */
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/**
 * Create a consumer on a connection of either role, with its context idle.
 *
 * @comch_connection: must be established on this side
 * @buf_mmap: holds all buffers that will be posted; started, with the connection's device and with
 *   local or PCI write access; must stay so until the consumer is destroyed
 * @consumer: receives the consumer; the caller ends it with doca_comch_consumer_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or buf_mmap lacks the connection's device
 *   DOCA_ERROR_BAD_STATE: the connection is not established, or buf_mmap is not started
 *   DOCA_ERROR_NOT_PERMITTED: buf_mmap may not be written, or the peer's version cannot take part
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no fast path
 *   DOCA_ERROR_NO_MEMORY: memory or the ids of the connection are exhausted
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer);

/**
 * Destroy a consumer and take its context off the progress engine.
 *
 * Legal inside the state callback that reports idle.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer is NULL
 *   DOCA_ERROR_IN_USE: the context is not idle or a task is not freed
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * Ask whether a device can carry consumers; the returned code is the answer.
 *
 * Returns DOCA_SUCCESS if it can, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL or its list was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: it cannot
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Get the id by which producers of the peer address a consumer.
 *
 * @id: receives a number from 1 to 65534, unique among the consumers of the connection and fixed
 *   for the consumer's life
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/**
 * Get the largest number of tasks that a consumer can be configured with.
 *
 * @max_num_tasks: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);

/**
 * Get the largest number of bytes that one task receives.
 *
 * @max_buf_size: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no fast path
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * Get the largest number of buffers in a list that is posted as one.
 *
 * @max_buf_list_len: receives the number; 1 means that lists are not supported
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no fast path
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * Get the number of consumers that one side of a connection can have at the same time.
 *
 * @max_consumers: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers);

/**
 * Get the most immediate data that a consumer can be configured for.
 *
 * @max_imm_data_len: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_imm_data_len);

/**
 * Get how much immediate data a consumer accepts with one arrival.
 *
 * @imm_data_len: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len);

/**
 * Say how much immediate data an idle consumer accepts with one arrival. A producer that sends more
 * fails.
 *
 * @imm_data_len: number of bytes; default 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer is NULL, or imm_data_len is above the limit of
 *     doca_comch_consumer_cap_get_max_imm_data_len()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len);

/**
 * Get the context of a consumer.
 *
 * Returns always the same pointer, which lives as long as the consumer; NULL for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/**
 * Create a completion context, where arrivals are reported to a DPA processor.
 *
 * @consumer_comp: receives the object; ended with doca_comch_consumer_completion_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp);

/**
 * Let arrivals wake a thread of the DPA processor.
 *
 * @dpa_thread: must outlive the completion context
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: consumer_comp is started
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
                                              struct doca_dpa_thread *dpa_thread);

/**
 * Destroy a stopped completion context.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL
 *   DOCA_ERROR_BAD_STATE: consumer_comp is started
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp);

/**
 * Start a completion context. The configuration is closed.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL
 *   DOCA_ERROR_BAD_STATE: consumer_comp is started
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp);

/**
 * Stop a completion context that no started consumer reports to.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL
 *   DOCA_ERROR_BAD_STATE: consumer_comp is not started
 *   DOCA_ERROR_IN_USE: a consumer reports to it
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp);

/**
 * Get the handle by which code on the DPA processor polls a completion context.
 *
 * @consumer_comp_handle: receives the handle, valid until the object is stopped
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: consumer_comp is not started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

/**
 * Say how many consumers can report to a completion context.
 *
 * @max_num_consumers: at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL or max_num_consumers is 0
 *   DOCA_ERROR_BAD_STATE: consumer_comp is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);

/**
 * Get how many consumers can report to a completion context.
 *
 * @max_num_consumers: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);

/**
 * Say how many arrivals, of all its consumers, a completion context holds.
 *
 * @max_num_recv: at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL or max_num_recv is 0
 *   DOCA_ERROR_BAD_STATE: consumer_comp is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);

/**
 * Get how many arrivals a completion context holds.
 *
 * @max_num_recv: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);

/**
 * Say how much immediate data a completion context holds for one arrival.
 *
 * @imm_data_len: number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or imm_data_len is above the device's limit
 *   DOCA_ERROR_BAD_STATE: consumer_comp is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);

/**
 * Get how much immediate data a completion context holds for one arrival.
 *
 * @imm_data_len: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/**
 * Say how many buffers a DPA processor or GPU can have posted to an idle consumer.
 *
 * @dev_num_recv: number of buffers
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer is NULL, or dev_num_recv is above the device's limit
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: there is nothing but the CPU to post buffers
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
                                                      uint32_t dev_num_recv);

/**
 * Let an idle consumer report its arrivals to a DPA processor.
 *
 * @consumer_comp: a started completion context
 * @user_data: handed to the DPA program with each arrival
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
                                   struct doca_comch_consumer_completion *consumer_comp,
                                   uint32_t user_data);

/**
 * Get the handle by which code on a DPA processor uses a consumer.
 *
 * @dpa_consumer: receives the handle, valid until the context stops
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running, or its data path is not on a DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer);

/** One buffer to receive into. */
struct doca_comch_consumer_task_post_recv;

/**
 * Report of one buffer that was filled or flushed; runs inside doca_pe_progress().
 *
 * The task belongs to the callee from here on, who may submit it again, with the same or another
 * buffer, keep it or free it. What went wrong is in doca_task_get_status().
 *
 * @task: the finished task
 * @task_user_data: user data of the task at completion time
 * @ctx_user_data: user data of the context at completion time
 */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
    struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Configure the receive tasks of an idle consumer; the last call wins. Mandatory before start where
 * the CPU is to receive.
 *
 * @task_completion_cb: runs for each task that was filled
 * @task_error_cb: runs for each task that failed or was flushed; may be the same function
 * @num_post_recv_tasks: number of tasks that can be allocated at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or num_post_recv_tasks is 0 or above the limit of
 *     doca_comch_consumer_cap_get_max_num_tasks()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);

/**
 * Take a receive task from the pool of a running consumer and fill it in.
 *
 * @buf: where to land, in the consumer's memory map; the room behind its data counts. NULL to
 *   receive immediate data only. No reference is taken
 * @task: receives the task, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: consumer or task is NULL, buf is not in the consumer's memory map, or
 *     it is above a limit of the device
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_STABLE
doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task);

/**
 * Get the buffer of a task that the caller owns.
 *
 * Returns the buffer given last, which may be NULL; NULL for NULL.
 */
DOCA_STABLE
struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task);

/**
 * Replace the buffer of a task that the caller owns. Nothing is checked before the next submit.
 *
 * @buf: where to land, in the consumer's memory map, or NULL; no reference is taken
 */
DOCA_STABLE
void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf);

/**
 * Get who filled a completed task.
 *
 * Returns the id of the producer, as doca_comch_producer_get_id() has it there; 0 when no producer
 * has filled the task since its last submit, and for NULL.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task);

/**
 * Get the immediate data that arrived with a completed task.
 *
 * Returns the bytes, valid until the task is submitted again or freed; NULL when there were none,
 * and for NULL.
 */
DOCA_STABLE
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task);

/**
 * Get the length of the immediate data that arrived with a completed task.
 *
 * Returns the number of bytes; 0 when there were none, and for NULL.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task);

/**
 * Get the general form of a task, for doca_task_submit(), doca_task_free() and their like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_STABLE
struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task);

/**
 * Get the handle through which GPU kernels use a consumer whose data path is on a GPU.
 *
 * @gpu_consumer: receives the handle, which belongs to the consumer and lives until its context
 *   stops
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running, or its data path is not on a GPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_gpu_handle(struct doca_comch_consumer *consumer,
                                                struct doca_comch_gpu_consumer **gpu_consumer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_CONSUMER_H_ */

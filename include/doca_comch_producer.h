/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comch producer: the sending end of the fast path. It copies buffers of this process straight into
 * buffers that a consumer of the peer has posted.
 *
 * Legal order: with an established connection, doca_comch_producer_create,
 * doca_comch_producer_task_send_set_conf, connect doca_comch_producer_as_ctx() to a progress
 * engine, doca_ctx_start (returns running); allocate and submit tasks, to consumers that the event
 * of doca_comch_event_consumer_cb_t has announced; doca_ctx_stop, free the tasks, progress until
 * idle, destroy. Stop needs progress of the producer's own engine only.
 *
 * Submitting (doca_task_submit) refuses with DOCA_ERROR_AGAIN while the consumer has no free posted
 * buffer or the queue is full, which ends without any progress call here; with
 * DOCA_ERROR_INVALID_VALUE immediate data beyond what the consumer accepts and an id that is not of
 * a consumer of the peer; with DOCA_ERROR_BAD_STATE when the context is not running. A task that
 * completes with success has its bytes in the consumer's memory and has used up one posted buffer.
 * It fails with DOCA_ERROR_INVALID_VALUE when the oldest posted buffer is too short, and then that
 * buffer stays posted; with DOCA_ERROR_CONNECTION_RESET when consumer or peer is gone.
 *
 * Tasks from one producer to one consumer arrive in the order of their submission; there is no
 * order between producers.
 *
 * Threads: a producer and its tasks belong to the thread that drives their progress engine, which
 * may be another than that of the connection. Questions about a devinfo may come from any thread.
 */
#ifndef DOCA_COMCH_PRODUCER_H_
#define DOCA_COMCH_PRODUCER_H_

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
struct doca_dpa_thread;
struct doca_comch_connection;
struct doca_comch_producer;
struct doca_dpa_completion;
struct doca_comch_gpu_producer;

/** Handle by which code on a DPA processor names a producer */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/**
 * Create a producer on a connection of either role, with its context idle.
 *
 * @comch_connection: must be established on this side
 * @producer: receives the producer; the caller ends it with doca_comch_producer_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the connection is not established
 *   DOCA_ERROR_NOT_PERMITTED: the peer's version cannot take part
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no fast path
 *   DOCA_ERROR_NO_MEMORY: memory or the ids of the connection are exhausted
 */
DOCA_STABLE
doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer);

/**
 * Destroy a producer and take its context off the progress engine.
 *
 * Legal inside the state callback that reports idle.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: producer is NULL
 *   DOCA_ERROR_IN_USE: the context is not idle or a task is not freed
 */
DOCA_STABLE
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/**
 * Ask whether a device can carry producers; the returned code is the answer.
 *
 * Returns DOCA_SUCCESS if it can, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL or its list was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: it cannot
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Get the id by which consumers of the peer see a producer.
 *
 * @id: receives a number from 1 to 65534, unique among the producers of the connection and fixed
 *   for the producer's life
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/**
 * Get the largest number of tasks that a producer can be configured with.
 *
 * @max_num_tasks: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);

/**
 * Get the largest number of bytes that one task sends.
 *
 * @max_buf_size: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no fast path
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * Get the largest number of buffers in a list that is sent as one.
 *
 * @max_buf_list_len: receives the number; 1 means that lists are not supported
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no fast path
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * Get the number of producers that one side of a connection can have at the same time.
 *
 * @max_producers: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_producers);

/**
 * Get the context of a producer.
 *
 * Returns always the same pointer, which lives as long as the producer; NULL for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/**
 * Say how many sends a DPA processor or GPU can have in flight on an idle producer.
 *
 * @dev_num_send: number of sends
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: producer is NULL, or dev_num_send is above the device's limit
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: there is nothing but the CPU to send
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send);

/**
 * Let an idle producer report its sends to a DPA processor.
 *
 * @dpa_comp: where to report; must outlive the producer's run
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
                                                       struct doca_dpa_completion *dpa_comp);

/**
 * Get the handle by which code on a DPA processor uses a producer.
 *
 * @dpa_producer: receives the handle, valid until the context stops
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running, or its data path is not on a DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
                                                doca_dpa_dev_comch_producer_t *dpa_producer);

/** One transfer to a consumer. */
struct doca_comch_producer_task_send;

/**
 * Report of one finished transfer; runs inside doca_pe_progress(), before or after the consumer's
 * program hears of it.
 *
 * The task belongs to the callee from here on, who may submit it again, keep it or free it. What
 * went wrong is in doca_task_get_status().
 *
 * @task: the finished task
 * @task_user_data: user data of the task at completion time
 * @ctx_user_data: user data of the context at completion time
 */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
    struct doca_comch_producer_task_send *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Configure the send tasks of an idle producer; the last call wins. Mandatory before start where
 * the CPU is to send.
 *
 * @task_completion_cb: runs for each transfer that was made
 * @task_error_cb: runs for each that failed or was flushed; may be the same function
 * @num_send_tasks: number of tasks that can be allocated at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or num_send_tasks is 0 or above the limit of
 *     doca_comch_producer_cap_get_max_num_tasks()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Take a send task from the pool of a running producer and fill it in.
 *
 * @buf: its data is what is sent; may be of any alignment and length, 0 included, and needs no
 *   access flag. NULL to send immediate data only. No reference is taken
 * @imm_data: a few bytes that arrive beside the data; copied into the task. NULL with length 0
 * @imm_data_len: their number
 * @consumer_id: whom to send to
 * @task: receives the task, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: producer or task is NULL, there is neither buf nor imm_data, imm_data
 *     does not fit imm_data_len, or buf or imm_data_len is above a limit of the device
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task);

/**
 * Get the buffer of a task that the caller owns.
 *
 * Returns the buffer given last, which may be NULL; NULL for NULL.
 */
DOCA_STABLE
const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task);

/**
 * Replace the buffer of a task that the caller owns. Nothing is checked before the next submit.
 *
 * @buf: its data is what is sent, or NULL; no reference is taken
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf);

/**
 * Get whom a task that the caller owns is for.
 *
 * Returns the consumer's id given last; 0 for NULL.
 */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task);

/**
 * Say whom a task that the caller owns is for. Nothing is checked before the next submit.
 *
 * @consumer_id: id of a consumer of the peer
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
                                                   const uint32_t consumer_id);

/**
 * Get the immediate data of a task that the caller owns.
 *
 * Returns the task's copy of the bytes; NULL when there are none, and for NULL.
 */
DOCA_STABLE
uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task);

/**
 * Get the length of the immediate data of a task that the caller owns.
 *
 * Returns the number of bytes; 0 when there are none, and for NULL.
 */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task);

/**
 * Replace the immediate data of a task that the caller owns. Longer data than the device can send
 * is refused by the next submit.
 *
 * @imm_data: copied into the task; NULL with length 0 for none
 * @imm_data_len: number of bytes
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
                                                uint8_t *imm_data, uint32_t imm_data_len);

/**
 * Get the general form of a task, for doca_task_submit(), doca_task_free() and their like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_STABLE
struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task);

/**
 * Get the handle through which GPU kernels use a producer whose data path is on a GPU.
 *
 * @gpu_producer: receives the handle, which belongs to the producer and lives until its context
 *   stops
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running, or its data path is not on a GPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_gpu_handle(struct doca_comch_producer *producer,
                                                struct doca_comch_gpu_producer **gpu_producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_PRODUCER_H_ */

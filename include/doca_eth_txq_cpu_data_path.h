/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send queues of Ethernet devices whose packets are handled by the CPU: tasks and batches.
 *
 * Packets leave in the order of their submission and are reported in it. A success says that the
 * packet is on its way and that its memory may be used again. A packet without bytes ends with
 * DOCA_ERROR_INVALID_VALUE; one that is longer than the MTU and 18 bytes, one in memory that the
 * device does not have, and one that the device could not send, with DOCA_ERROR_IO_FAILED. More
 * packets than the burst size in flight: submitting returns DOCA_ERROR_AGAIN.
 */
#ifndef DOCA_ETH_TXQ_CPU_DATA_PATH_H_
#define DOCA_ETH_TXQ_CPU_DATA_PATH_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_task_batch;
struct doca_eth_txq;
struct doca_eth_txq_task_send;
struct doca_eth_txq_task_lso_send;

/** One word in an array of metadata: packet after packet, metadata_num words each. */
#define doca_eth_txq_task_batch_metadata_array_get_metadata(metadata_array, metadata_num,          \
                                                            packet_index, metadata_index)          \
    ((metadata_array)[(packet_index) * (metadata_num) + (metadata_index)])

/** Checksums that are written into a packet. */
enum doca_eth_txq_ol_flags {
    DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM = 1, /**< of the IPv4 header */
    DOCA_ETH_TXQ_OL_FLAGS_L4_CSUM = 2, /**< of TCP or UDP */
};

/**
 * Report of one send task; runs inside doca_pe_progress(). The task and its buffer belong to the
 * callee from here on.
 *
 * @task_send: the task; what went wrong is in doca_task_get_status()
 * @task_user_data: user data of the task
 * @ctx_user_data: user data of the context
 */
typedef void (*doca_eth_txq_task_send_completion_cb_t)(struct doca_eth_txq_task_send *task_send,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);

/**
 * Report of one large send; runs inside doca_pe_progress(). The task, its buffer and its headers
 * belong to the callee from here on.
 *
 * @task_lso_send: the task; what went wrong is in doca_task_get_status()
 * @task_user_data: user data of the task
 * @ctx_user_data: user data of the context
 */
typedef void (*doca_eth_txq_task_lso_send_completion_cb_t)(
    struct doca_eth_txq_task_lso_send *task_lso_send, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Report of one batch; runs inside doca_pe_progress(). The batch belongs to the callee from here
 * on, who may submit it again, keep it or free it.
 *
 * @task_batch: the batch; the arrays live as long as it
 * @tasks_num: packets of it
 * @ctx_user_data: user data of the context
 * @task_batch_user_data: user data of the batch
 * @task_user_data_array: user data of each packet
 * @pkt_array: the packets
 * @status_array: how each ended; all DOCA_SUCCESS in the success callback
 */
typedef void (*doca_eth_txq_task_batch_send_completion_cb_t)(
    struct doca_task_batch *task_batch, uint16_t tasks_num, union doca_data ctx_user_data,
    union doca_data task_batch_user_data, union doca_data *task_user_data_array,
    struct doca_buf **pkt_array, doca_error_t *status_array);

/**
 * Report of one batch of large sends; as doca_eth_txq_task_batch_send_completion_cb_t.
 *
 * @task_batch: the batch; the arrays live as long as it
 * @tasks_num: large sends of it
 * @ctx_user_data: user data of the context
 * @task_batch_user_data: user data of the batch
 * @task_user_data_array: user data of each large send
 * @pkt_payload_array: the payloads
 * @headers_array: the headers
 * @status_array: how each ended
 */
typedef void (*doca_eth_txq_task_batch_lso_send_completion_cb_t)(
    struct doca_task_batch *task_batch, uint16_t tasks_num, union doca_data ctx_user_data,
    union doca_data task_batch_user_data, union doca_data *task_user_data_array,
    struct doca_buf **pkt_payload_array, struct doca_gather_list **headers_array,
    doca_error_t *status_array);

/**
 * Configure the send tasks; the last call before start wins.
 *
 * @task_completion_cb: runs for each packet that was sent
 * @task_error_cb: runs for each task that failed or was flushed
 * @task_send_num: tasks that can be allocated at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_send_completion_cb_t task_error_cb, uint32_t task_send_num);

/**
 * Configure the tasks of large sends; the last call before start wins.
 *
 * @task_completion_cb: runs for each large send that was sent
 * @task_error_cb: runs for each task that failed or was flushed
 * @task_lso_send_num: tasks that can be allocated at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_lso_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_lso_send_completion_cb_t task_error_cb, uint32_t task_lso_send_num);

/**
 * Configure batches of sends; the last call before start wins.
 *
 * @max_tasks_number: most packets of a batch
 * @num_task_batches: batches that can be allocated at the same time, at least 1
 * @success_completion_cb: runs for each batch that was sent whole
 * @error_completion_cb: runs for each batch of which a packet failed or was flushed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_batch_send_set_conf(
    struct doca_eth_txq *eth_txq, enum doca_task_batch_max_tasks_number max_tasks_number,
    uint16_t num_task_batches, doca_eth_txq_task_batch_send_completion_cb_t success_completion_cb,
    doca_eth_txq_task_batch_send_completion_cb_t error_completion_cb);

/**
 * Configure batches of large sends; the last call before start wins.
 *
 * @max_tasks_number: most large sends of a batch
 * @num_task_batches: batches that can be allocated at the same time, at least 1
 * @success_completion_cb: runs for each batch that was sent whole
 * @error_completion_cb: runs for each batch of which one failed or was flushed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_batch_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, enum doca_task_batch_max_tasks_number max_tasks_number,
    uint16_t num_task_batches,
    doca_eth_txq_task_batch_lso_send_completion_cb_t success_completion_cb,
    doca_eth_txq_task_batch_lso_send_completion_cb_t error_completion_cb);

/**
 * Add send tasks to a running queue.
 *
 * @task_send_num: so many more, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_TOO_BIG: the total is above the limit of the queue
 *   DOCA_ERROR_BAD_STATE: the context is not running or send tasks are not configured
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_send_num_expand(struct doca_eth_txq *eth_txq,
                                               uint32_t task_send_num);

/**
 * Add tasks of large sends to a running queue.
 *
 * @task_lso_send_num: so many more, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_TOO_BIG: the total is above the limit of the queue
 *   DOCA_ERROR_BAD_STATE: the context is not running or large sends are not configured
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_lso_send_num_expand(struct doca_eth_txq *eth_txq,
                                                   uint32_t task_lso_send_num);

/**
 * Add batches to a running queue.
 *
 * @task_batches_num: so many more, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_TOO_BIG: the total is above the limit of the queue
 *   DOCA_ERROR_BAD_STATE: the context is not running or batches are not configured
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_batch_send_num_expand(struct doca_eth_txq *eth_txq,
                                                     uint16_t task_batches_num);

/**
 * Add batches of large sends to a running queue.
 *
 * @task_batches_num: so many more, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_TOO_BIG: the total is above the limit of the queue
 *   DOCA_ERROR_BAD_STATE: the context is not running or these batches are not configured
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_batch_lso_send_num_expand(struct doca_eth_txq *eth_txq,
                                                         uint16_t task_batches_num);

/**
 * Take a send task and fill it in. A packet is a whole frame, from the Ethernet header on,
 * without checksum at its end; short ones are padded.
 *
 * @pkt: buffer, or list of them, with the frame as its data; no reference is taken
 * @user_data: handed to the callbacks
 * @task_send: receives the task, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: all configured ones are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NOT_CONNECTED: no progress engine is connected
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the buffer is not the head of a list that is
 *     short enough
 *   DOCA_ERROR_NOT_SUPPORTED: send tasks are not configured
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_send_allocate_init(struct doca_eth_txq *eth_txq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_txq_task_send **task_send);

/**
 * Take a task of a large send and fill it in. The payload is sent in pieces, each behind a copy
 * of the headers. Where these are Ethernet, IPv4 or IPv6, and TCP or UDP, lengths,
 * identification, sequence number and flags are adapted.
 *
 * @pkt_payload: buffer, or list of them, with the payload as its data; no reference is taken
 * @headers: pieces of memory of the program, read at submission
 * @user_data: handed to the callbacks
 * @task_lso_send: receives the task, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: all configured ones are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NOT_CONNECTED: no progress engine is connected
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the headers are shorter than 14 bytes or too
 *     long, or the buffer is not the head of a list that is short enough
 *   DOCA_ERROR_NOT_SUPPORTED: large sends are not configured
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_lso_send_allocate_init(
    struct doca_eth_txq *eth_txq, struct doca_buf *pkt_payload, struct doca_gather_list *headers,
    union doca_data user_data, struct doca_eth_txq_task_lso_send **task_lso_send);

/**
 * Take a batch, to be filled in and submitted by doca_task_batch_submit().
 *
 * @tasks_num: packets of it, 1 to the most that is configured
 * @task_batch_user_data: handed to the callbacks
 * @pkt_array: receives the array to fill with buffers
 * @task_user_data_array: receives the array to fill with user data
 * @task_batch: receives the batch, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NO_MEMORY: all configured ones are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NOT_CONNECTED: no progress engine is connected
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_batch_send_allocate(struct doca_eth_txq *eth_txq, uint16_t tasks_num,
                                                   union doca_data task_batch_user_data,
                                                   struct doca_buf ***pkt_array,
                                                   union doca_data **task_user_data_array,
                                                   struct doca_task_batch **task_batch);

/**
 * Take a batch of large sends, to be filled in and submitted by doca_task_batch_submit().
 *
 * @tasks_num: large sends of it, 1 to the most that is configured
 * @task_batch_user_data: handed to the callbacks
 * @pkt_payload_array: receives the array to fill with payloads
 * @headers_array: receives the array to fill with headers
 * @task_user_data_array: receives the array to fill with user data
 * @task_batch: receives the batch, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NO_MEMORY: all configured ones are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NOT_CONNECTED: no progress engine is connected
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_batch_lso_send_allocate(
    struct doca_eth_txq *eth_txq, uint16_t tasks_num, union doca_data task_batch_user_data,
    struct doca_buf ***pkt_payload_array, struct doca_gather_list ***headers_array,
    union doca_data **task_user_data_array, struct doca_task_batch **task_batch);

/**
 * Replace the packet of a task that the caller owns. NULL for the task is ignored.
 *
 * @pkt: as for doca_eth_txq_task_send_allocate_init()
 */
DOCA_EXPERIMENTAL
void doca_eth_txq_task_send_set_pkt(struct doca_eth_txq_task_send *task_send, struct doca_buf *pkt);

/**
 * Replace the payload of a task that the caller owns. NULL for the task is ignored.
 *
 * @pkt_payload: as for doca_eth_txq_task_lso_send_allocate_init()
 */
DOCA_EXPERIMENTAL
void doca_eth_txq_task_lso_send_set_pkt_payload(struct doca_eth_txq_task_lso_send *task_lso_send,
                                                struct doca_buf *pkt_payload);

/**
 * Replace the headers of a task that the caller owns. NULL for the task is ignored.
 *
 * @headers: as for doca_eth_txq_task_lso_send_allocate_init()
 */
DOCA_EXPERIMENTAL
void doca_eth_txq_task_lso_send_set_headers(struct doca_eth_txq_task_lso_send *task_lso_send,
                                            struct doca_gather_list *headers);

/**
 * Get the packet of a task that the caller owns.
 *
 * @pkt: receives the buffer given last
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_send_get_pkt(const struct doca_eth_txq_task_send *task_send,
                                            struct doca_buf **pkt);

/**
 * Get the payload of a task that the caller owns.
 *
 * @pkt_payload: receives the buffer given last
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_txq_task_lso_send_get_pkt_payload(const struct doca_eth_txq_task_lso_send *task_lso_send,
                                           struct doca_buf **pkt_payload);

/**
 * Get the headers of a task that the caller owns.
 *
 * @headers: receives the list given last
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_txq_task_lso_send_get_headers(const struct doca_eth_txq_task_lso_send *task_lso_send,
                                       struct doca_gather_list **headers);

/**
 * Get the metadata of a task that the caller owns, to be changed.
 *
 * @metadata_array: receives doca_eth_txq_set_metadata_num() words a packet in host byte order;
 *   NULL when that is 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_task_send_get_metadata_array(struct doca_eth_txq_task_send *task_send,
                                                       uint32_t **metadata_array);

/**
 * Get the metadata of a task that the caller owns, to be changed.
 *
 * @metadata_array: receives doca_eth_txq_set_metadata_num() words a packet in host byte order;
 *   NULL when that is 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_txq_task_lso_send_get_metadata_array(struct doca_eth_txq_task_lso_send *task_lso_send,
                                              uint32_t **metadata_array);

/**
 * Get the metadata of a batch that the caller owns, to be changed.
 *
 * @metadata_array: receives doca_eth_txq_set_metadata_num() words a packet in host byte order;
 *   NULL when that is 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_txq_task_batch_send_get_metadata_array(struct doca_task_batch *task_batch_send,
                                                uint32_t **metadata_array);

/**
 * Get the metadata of a batch that the caller owns, to be changed.
 *
 * @metadata_array: receives doca_eth_txq_set_metadata_num() words a packet in host byte order;
 *   NULL when that is 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_txq_task_batch_lso_send_get_metadata_array(struct doca_task_batch *task_batch_lso_send,
                                                    uint32_t **metadata_array);

/**
 * Choose how large the pieces of a task are, in place of the queue's choice. NULL for the task is
 * ignored.
 *
 * @mss: payload bytes; 0 lets the task end with DOCA_ERROR_INVALID_VALUE
 */
DOCA_EXPERIMENTAL
void doca_eth_txq_task_lso_send_set_mss(struct doca_eth_txq_task_lso_send *task_lso_send,
                                        uint16_t mss);

/**
 * Get the sizes of the pieces of each large send of a batch that the caller owns, to be changed.
 * They begin as the choice of the queue.
 *
 * @mss_array: receives the array
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_txq_task_batch_lso_send_get_mss_array(struct doca_task_batch *task_batch_lso_send,
                                               uint16_t **mss_array);

/**
 * Choose the checksums of a task, in place of the queue's choice. NULL for the task is ignored.
 *
 * @ol_flags: of enum doca_eth_txq_ol_flags
 */
DOCA_EXPERIMENTAL
void doca_eth_txq_task_send_set_ol_flags(struct doca_eth_txq_task_send *task_send,
                                         uint16_t ol_flags);

/**
 * Choose the checksums of a task, in place of the queue's choice. NULL for the task is ignored.
 *
 * @ol_flags: of enum doca_eth_txq_ol_flags
 */
DOCA_EXPERIMENTAL
void doca_eth_txq_task_lso_send_set_ol_flags(struct doca_eth_txq_task_lso_send *task_lso_send,
                                             uint16_t ol_flags);

/**
 * Get the checksums of each packet of a batch that the caller owns, to be changed. They begin as
 * the choice of the queue.
 *
 * @ol_flags_array: receives one element of enum doca_eth_txq_ol_flags bits a packet
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_txq_task_batch_send_get_ol_flags_array(struct doca_task_batch *task_batch_send,
                                                uint16_t **ol_flags_array);

/**
 * Get the checksums of each packet of a batch that the caller owns, to be changed. They begin as
 * the choice of the queue.
 *
 * @ol_flags_array: receives one element of enum doca_eth_txq_ol_flags bits a packet
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_txq_task_batch_lso_send_get_ol_flags_array(struct doca_task_batch *task_batch_lso_send,
                                                    uint16_t **ol_flags_array);

/**
 * Get the general form of a task, for doca_task_submit(), doca_task_free() and their like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_eth_txq_task_send_as_doca_task(struct doca_eth_txq_task_send *task_send);

/**
 * Get the general form of a task, for doca_task_submit(), doca_task_free() and their like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_eth_txq_task_lso_send_as_doca_task(struct doca_eth_txq_task_lso_send *task_lso_send);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ETH_TXQ_CPU_DATA_PATH_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive queues of Ethernet devices whose packets are handled by the CPU: tasks and events.
 *
 * A queue of type REGULAR has receive tasks, one of type MANAGED_MEMPOOL events. What is known of
 * a packet can be asked for inside its success callback; what was not enabled is 0.
 *
 * Stopping the context ends tasks in flight in their error callback, with DOCA_ERROR_IO_FAILED,
 * and waits for the buffers that the program holds. A packet that is longer than the buffers of
 * its task ends the task in the error callback, with DOCA_ERROR_TOO_BIG.
 */
#ifndef DOCA_ETH_RXQ_CPU_DATA_PATH_H_
#define DOCA_ETH_RXQ_CPU_DATA_PATH_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_eth_rxq;
struct doca_eth_rxq_task_recv;
struct doca_eth_rxq_event_managed_recv;
struct doca_eth_rxq_event_batch_managed_recv;

/** One word in an array of metadata: packet after packet, metadata_num words each. */
#define doca_eth_rxq_event_batch_managed_recv_metadata_array_get_metadata(                         \
    metadata_array, metadata_num, packet_index, metadata_index)                                    \
    ((metadata_array)[(packet_index) * (metadata_num) + (metadata_index)])

/**
 * Report of one receive task; runs inside doca_pe_progress(). The task and its buffer belong to
 * the callee from here on.
 *
 * @task_recv: the task; what went wrong is in doca_task_get_status()
 * @task_user_data: user data of the task
 * @ctx_user_data: user data of the context
 */
typedef void (*doca_eth_rxq_task_recv_completion_cb_t)(struct doca_eth_rxq_task_recv *task_recv,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);

/**
 * Report of one packet of a MANAGED_MEMPOOL queue; runs inside doca_pe_progress().
 *
 * @event_managed_recv: valid in this call only
 * @pkt: the packet, with one reference that the callee gives back by doca_buf_dec_refcount(), now
 *   or later; NULL in the error callback
 * @event_user_data: as registered
 */
typedef void (*doca_eth_rxq_event_managed_recv_handler_cb_t)(
    struct doca_eth_rxq_event_managed_recv *event_managed_recv, struct doca_buf *pkt,
    union doca_data event_user_data);

/**
 * Report of several packets of a MANAGED_MEMPOOL queue; runs inside doca_pe_progress().
 *
 * @event_batch_managed_recv: valid in this call only
 * @events_number: packets; 0 in the error callback
 * @event_batch_user_data: as registered
 * @status: DOCA_SUCCESS, or why there are none
 * @pkt_array: the packets. The callee gives back either the array by
 *   doca_eth_rxq_event_batch_managed_recv_pkt_array_free(), or each buffer by
 *   doca_buf_dec_refcount(); never both. NULL in the error callback
 */
typedef void (*doca_eth_rxq_event_batch_managed_recv_handler_cb_t)(
    struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv, uint16_t events_number,
    union doca_data event_batch_user_data, doca_error_t status, struct doca_buf **pkt_array);

/**
 * Configure the receive tasks of a REGULAR queue; the last call before start wins.
 *
 * @task_completion_cb: runs for each received packet
 * @task_error_cb: runs for each task that failed or was flushed
 * @task_recv_num: tasks that can be allocated at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the number is 0 or too large
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_task_recv_set_conf(
    struct doca_eth_rxq *eth_rxq, doca_eth_rxq_task_recv_completion_cb_t task_completion_cb,
    doca_eth_rxq_task_recv_completion_cb_t task_error_cb, uint32_t task_recv_num);

/**
 * Register for the packets of a MANAGED_MEMPOOL or CYCLIC queue, one a call. Excludes the
 * registration for batches. The buffers of a MANAGED_MEMPOOL queue are the program's until it gives
 * them back. Those of a CYCLIC queue stay the queue's: each is a slot of the ring, which is written
 * to again when all other slots have been.
 *
 * @user_data: handed to the callbacks
 * @success_event_handler: runs for each packet
 * @error_event_handler: runs when the queue failed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: batches are registered already
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_managed_recv_register(
    struct doca_eth_rxq *eth_rxq, union doca_data user_data,
    doca_eth_rxq_event_managed_recv_handler_cb_t success_event_handler,
    doca_eth_rxq_event_managed_recv_handler_cb_t error_event_handler);

/**
 * Register for the packets of a MANAGED_MEMPOOL queue, many a call. Excludes the registration for
 * single packets.
 *
 * Fewer packets than the least number wait, without limit: programs with little traffic register
 * for 1. Stopping the context gives those that wait back unseen.
 *
 * @events_number_max: most packets of one call
 * @events_number_min: fewest packets of one call
 * @user_data: handed to the callbacks
 * @success_event_batch_handler: runs for each batch
 * @error_event_batch_handler: runs when the queue failed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a number is no value of the enum, or the least
 *     is above the most
 *   DOCA_ERROR_NOT_SUPPORTED: single packets are registered already
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_batch_managed_recv_register(
    struct doca_eth_rxq *eth_rxq, enum doca_event_batch_events_number events_number_max,
    enum doca_event_batch_events_number events_number_min, union doca_data user_data,
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t success_event_batch_handler,
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t error_event_batch_handler);

/**
 * Take a receive task and fill it in. A submitted task takes one packet, in the order of
 * submission, into the buffer from its data position on; the data lengths become those of the
 * packet.
 *
 * @pkt: empty buffer, or list of them, to write into; no reference is taken
 * @user_data: handed to the callbacks
 * @task_recv: receives the task, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: all configured ones are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NOT_CONNECTED: no progress engine is connected
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the buffer is not the head of a list that is
 *     short enough
 *   DOCA_ERROR_NOT_SUPPORTED: the queue is not of type REGULAR
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_task_recv_allocate_init(struct doca_eth_rxq *eth_rxq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_rxq_task_recv **task_recv);

/**
 * Replace the buffer of a task that the caller owns. NULL for the task is ignored.
 *
 * @pkt: as for doca_eth_rxq_task_recv_allocate_init()
 */
DOCA_EXPERIMENTAL
void doca_eth_rxq_task_recv_set_pkt(struct doca_eth_rxq_task_recv *task_recv, struct doca_buf *pkt);

/**
 * Get the buffer of a task that the caller owns.
 *
 * @pkt: receives the buffer given last
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_task_recv_get_pkt(const struct doca_eth_rxq_task_recv *task_recv,
                                            struct doca_buf **pkt);

/**
 * Get whether the IP header of a packet is good; only inside the success callback.
 *
 * @task_recv: of the callback
 * @l3_ok: receives 1 for an IPv4 header whose checksum holds and for an IPv6 header, else 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_task_recv_get_l3_ok(const struct doca_eth_rxq_task_recv *task_recv,
                                              uint8_t *l3_ok);

/**
 * Get whether the IP header of a packet is good; only inside the success callback.
 *
 * @event_managed_recv: of the callback
 * @l3_ok: receives 1 for an IPv4 header whose checksum holds and for an IPv6 header, else 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_managed_recv_get_l3_ok(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint8_t *l3_ok);

/**
 * Get whether the IP header of a packet is good, for all packets of a batch; only inside the
 * success callback. The array is valid as long as the event.
 *
 * @event_batch_managed_recv: of the callback
 * @l3_ok_array: receives one element a packet, in the order of the packets
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_l3_ok_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint8_t **l3_ok_array);

/**
 * Get whether the TCP or UDP checksum of a packet holds; only inside the success callback.
 *
 * @task_recv: of the callback
 * @l4_ok: receives 1 if so and for UDP over IPv4 without one; else, and for fragments and other
 *   protocols, 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_task_recv_get_l4_ok(const struct doca_eth_rxq_task_recv *task_recv,
                                              uint8_t *l4_ok);

/**
 * Get whether the TCP or UDP checksum of a packet holds; only inside the success callback.
 *
 * @event_managed_recv: of the callback
 * @l4_ok: receives 1 if so and for UDP over IPv4 without one; else, and for fragments and other
 *   protocols, 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_managed_recv_get_l4_ok(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint8_t *l4_ok);

/**
 * Get whether the TCP or UDP checksum of a packet holds, for all packets of a batch; only inside
 * the success callback. The array is valid as long as the event.
 *
 * @event_batch_managed_recv: of the callback
 * @l4_ok_array: receives one element a packet, in the order of the packets
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_l4_ok_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint8_t **l4_ok_array);

/**
 * Get the metadata that steering gave to a packet; only inside the success callback.
 *
 * @task_recv: of the callback
 * @metadata_array: receives doca_eth_rxq_set_metadata_num() words in host byte order; NULL when
 *   that is 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_eth_rxq_task_recv_get_metadata_array(const struct doca_eth_rxq_task_recv *task_recv,
                                          const uint32_t **metadata_array);

/**
 * Get the metadata that steering gave to a packet; only inside the success callback.
 *
 * @event_managed_recv: of the callback
 * @metadata_array: receives doca_eth_rxq_set_metadata_num() words in host byte order; NULL when
 *   that is 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_managed_recv_get_metadata_array(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv,
    const uint32_t **metadata_array);

/**
 * Get the metadata that steering gave to a packet, for all packets of a batch; only inside the
 * success callback. The array is valid as long as the event.
 *
 * @event_batch_managed_recv: of the callback
 * @metadata_array: receives all words; see
 *   doca_eth_rxq_event_batch_managed_recv_metadata_array_get_metadata. NULL when there are none
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_metadata_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint32_t **metadata_array);

/**
 * Get the mark that steering gave to a packet; only inside the success callback.
 *
 * @task_recv: of the callback
 * @flow_tag: receives the mark; 0 without one, or when it is not enabled
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_task_recv_get_flow_tag(const struct doca_eth_rxq_task_recv *task_recv,
                                                 uint32_t *flow_tag);

/**
 * Get the mark that steering gave to a packet; only inside the success callback.
 *
 * @event_managed_recv: of the callback
 * @flow_tag: receives the mark; 0 without one, or when it is not enabled
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_managed_recv_get_flow_tag(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint32_t *flow_tag);

/**
 * Get the mark that steering gave to a packet, for all packets of a batch; only inside the
 * success callback. The array is valid as long as the event.
 *
 * @event_batch_managed_recv: of the callback
 * @flow_tag_array: receives one element a packet, in the order of the packets
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_flow_tag_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint32_t **flow_tag_array);

/**
 * Get the hash by which a packet was spread over queues; only inside the success callback.
 *
 * @task_recv: of the callback
 * @rx_hash: receives the hash; 0 for a packet that was not hashed, or when it is not enabled
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_task_recv_get_rx_hash(const struct doca_eth_rxq_task_recv *task_recv,
                                                uint32_t *rx_hash);

/**
 * Get the hash by which a packet was spread over queues; only inside the success callback.
 *
 * @event_managed_recv: of the callback
 * @rx_hash: receives the hash; 0 for a packet that was not hashed, or when it is not enabled
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_managed_recv_get_rx_hash(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint32_t *rx_hash);

/**
 * Get the hash by which a packet was spread over queues, for all packets of a batch; only inside
 * the success callback. The array is valid as long as the event.
 *
 * @event_batch_managed_recv: of the callback
 * @rx_hash_array: receives one element a packet, in the order of the packets
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_rx_hash_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint32_t **rx_hash_array);

/**
 * Get the time at which a packet arrived; only inside the success callback.
 *
 * @task_recv: of the callback
 * @timestamp: receives nanoseconds of the realtime clock; 0 when it is not enabled
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_task_recv_get_timestamp(const struct doca_eth_rxq_task_recv *task_recv,
                                                  uint64_t *timestamp);

/**
 * Get the time at which a packet arrived; only inside the success callback.
 *
 * @event_managed_recv: of the callback
 * @timestamp: receives nanoseconds of the realtime clock; 0 when it is not enabled
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_managed_recv_get_timestamp(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint64_t *timestamp);

/**
 * Get the time at which a packet arrived, for all packets of a batch; only inside the success
 * callback. The array is valid as long as the event.
 *
 * @event_batch_managed_recv: of the callback
 * @timestamp_array: receives one element a packet, in the order of the packets
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_timestamp_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint64_t **timestamp_array);

/**
 * Get what went wrong, in the error callback.
 *
 * @event_managed_recv: of the callback
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: event_managed_recv is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_event_managed_recv_get_status(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv);

/**
 * Give back all packets of a batch at once, and the array with them. From the thread of the
 * queue, in the callback or later. NULL is ignored.
 *
 * @pkt_array: as the callback got it
 */
DOCA_EXPERIMENTAL
void doca_eth_rxq_event_batch_managed_recv_pkt_array_free(struct doca_buf **pkt_array);

/**
 * Get the context of the queue that an event is of.
 *
 * @event_managed_recv: of the callback
 *
 * Returns the context; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_eth_rxq_event_managed_recv_get_ctx(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv);

/**
 * Get the context of the queue that a batch of events is of.
 *
 * @event_batch_managed_recv: of the callback
 *
 * Returns the context; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_eth_rxq_event_batch_managed_recv_get_ctx(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv);

/**
 * Get the general form of a task, for doca_task_submit(), doca_task_free() and their like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_eth_rxq_task_recv_as_doca_task(struct doca_eth_rxq_task_recv *task_recv);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ETH_RXQ_CPU_DATA_PATH_H_ */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send queues of Ethernet devices whose packets are handled by GPU kernels: settings of the host,
 * and events.
 *
 * The settings and registrations are for an idle queue whose data path is, or will be, on a GPU.
 */
#ifndef DOCA_ETH_TXQ_GPU_DATA_PATH_H_
#define DOCA_ETH_TXQ_GPU_DATA_PATH_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_eth_txq;
struct doca_eth_txq_gpu_event_error_send_packet;
struct doca_eth_txq_gpu_event_notify_send_packet;

/**
 * Report of a packet that a kernel sent and that failed; runs inside doca_pe_progress().
 *
 * @event_error: valid in this call only
 * @event_user_data: as registered
 */
typedef void (*doca_eth_txq_gpu_event_error_send_packet_cb_t)(
    struct doca_eth_txq_gpu_event_error_send_packet *event_error, union doca_data event_user_data);

/**
 * Report of a packet that a kernel sent and asked to be told of; runs inside doca_pe_progress().
 *
 * @event_notify: valid in this call only
 * @event_user_data: as registered
 */
typedef void (*doca_eth_txq_gpu_event_notify_send_packet_cb_t)(
    struct doca_eth_txq_gpu_event_notify_send_packet *event_notify,
    union doca_data event_user_data);

/**
 * Register for packets that failed.
 *
 * @event_error_send_packet_cb: runs for each
 * @event_user_data: handed to it
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_event_error_send_packet_register(
    struct doca_eth_txq *eth_txq,
    doca_eth_txq_gpu_event_error_send_packet_cb_t event_error_send_packet_cb,
    union doca_data event_user_data);

/**
 * Register for packets that kernels asked to be told of.
 *
 * @event_notify_send_packet_cb: runs for each
 * @event_user_data: handed to it
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_event_notify_send_packet_register(
    struct doca_eth_txq *eth_txq,
    doca_eth_txq_gpu_event_notify_send_packet_cb_t event_notify_send_packet_cb,
    union doca_data event_user_data);

/**
 * Get the place of the packet in the queue.
 *
 * @packet_index: receives its number modulo 65536
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_event_error_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_error_send_packet *event_error, uint16_t *packet_index);

/**
 * Get the place of the packet in the queue.
 *
 * @packet_index: receives its number modulo 65536
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event_notify, uint16_t *packet_index);

/**
 * Get the time at which the packet was sent.
 *
 * @packet_timestamp: receives nanoseconds of the realtime clock
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event_notify,
    uint64_t *packet_timestamp);

/**
 * Report sent packets to the kernels in place of the progress engine.
 *
 * @eth_txq: idle
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_set_completion_on_gpu(struct doca_eth_txq *eth_txq);

/**
 * Ring the doorbells of the queue from the CPU; see doca_eth_txq_gpu_cpu_proxy_progress().
 *
 * @eth_txq: idle
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_set_uar_on_cpu(struct doca_eth_txq *eth_txq);

/**
 * Choose where the rings of the queue are.
 *
 * @sq_mem_type: on the GPU by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_set_sq_mem_type(struct doca_eth_txq *eth_txq,
                                              enum doca_gpu_mem_type sq_mem_type);

/**
 * Ring the doorbells that kernels have asked for; from a thread of the program, in a loop.
 *
 * @txq: running, with doorbells on the CPU
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the doorbells are on the GPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_gpu_cpu_proxy_progress(struct doca_eth_txq *txq);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ETH_TXQ_GPU_DATA_PATH_H_ */

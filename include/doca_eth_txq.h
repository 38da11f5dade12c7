/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send queues of Ethernet devices: configuration.
 *
 * Legal order: doca_eth_txq_create, the setters, tasks or batches (doca_eth_txq_cpu_data_path.h),
 * connect doca_eth_txq_as_doca_ctx() to a progress engine, doca_ctx_start (returns running); then
 * allocate, submit and progress. At the end free tasks and batches, doca_ctx_stop, progress until
 * idle, doca_eth_txq_destroy.
 *
 * Threads: a queue belongs to the thread that drives its progress engine. Questions about a
 * devinfo may come from any thread.
 */
#ifndef DOCA_ETH_TXQ_H_
#define DOCA_ETH_TXQ_H_

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
struct doca_eth_txq;
struct doca_gpu_eth_txq;

/** Kinds of send queues. */
enum doca_eth_txq_type {
    DOCA_ETH_TXQ_TYPE_REGULAR = 0, /**< the only one, and the default */
};

/** Who handles the packets. */
enum doca_eth_txq_data_path_type {
    DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU = 0, /**< tasks of this host */
    DOCA_ETH_TXQ_DATA_PATH_TYPE_GPU = 1, /**< kernels */
};

/**
 * Create a send queue on a device, with its context idle.
 *
 * @dev: must stay open until the queue is destroyed
 * @max_burst_size: packets in flight, at least 1
 * @eth_txq: receives the queue; the caller ends it with doca_eth_txq_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the size is 0 or above the capability of the
 *     device
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 struct doca_eth_txq **eth_txq);

/**
 * Destroy a queue and take its context off the progress engine.
 *
 * @eth_txq: idle, with all tasks and batches freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_IN_USE: a task or batch is not freed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_destroy(struct doca_eth_txq *eth_txq);

/**
 * Get the context of a queue.
 *
 * Returns always the same pointer, which lives as long as the queue; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_eth_txq_as_doca_ctx(struct doca_eth_txq *eth_txq);

/**
 * Replace the number of packets in flight.
 *
 * @max_burst_size: 1 to the capability of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_max_burst_size(struct doca_eth_txq *eth_txq, uint32_t max_burst_size);

/**
 * Choose how many buffers a packet may have.
 *
 * @max_send_buf_list_len: 1, which is the default, to the capability of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_max_send_buf_list_len(struct doca_eth_txq *eth_txq,
                                                    uint32_t max_send_buf_list_len);

/**
 * Choose how many words of metadata each packet carries to egress rules.
 *
 * @metadata_num: 32-bit words, 0 (the default) to the capability of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_metadata_num(struct doca_eth_txq *eth_txq, uint8_t metadata_num);

/**
 * Choose how large the pieces are into which large sends are cut, for tasks that do not say.
 *
 * @mss: payload bytes, at least 1; 1500 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_mss(struct doca_eth_txq *eth_txq, uint16_t mss);

/**
 * Choose the length of the longest header of large sends.
 *
 * @max_lso_header_size: bytes, 14 to the capability of the device; 74 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_max_lso_header_size(struct doca_eth_txq *eth_txq,
                                                  uint16_t max_lso_header_size);

/**
 * Choose the type of the queue.
 *
 * @type: DOCA_ETH_TXQ_TYPE_REGULAR
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_type(struct doca_eth_txq *eth_txq, enum doca_eth_txq_type type);

/**
 * Choose whether the checksum of IPv4 headers is written into packets, for tasks that do not say.
 *
 * @enable_l3_chksum: 0 for no, which is the default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_l3_chksum_offload(struct doca_eth_txq *eth_txq,
                                                uint8_t enable_l3_chksum);

/**
 * Choose whether TCP and UDP checksums are written into packets, for tasks that do not say.
 *
 * @enable_l4_chksum: 0 for no, which is the default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_l4_chksum_offload(struct doca_eth_txq *eth_txq,
                                                uint8_t enable_l4_chksum);

/**
 * Let kernels send at a given time. GPU data path only.
 *
 * @eth_txq: idle
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_PERMITTED: the data path is on the CPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_set_wait_on_time_offload(struct doca_eth_txq *eth_txq);

/**
 * Get the handle through which GPU kernels use a running queue whose data path is on a GPU.
 *
 * @eth_txq_ext: receives the handle, which belongs to the queue and lives until its context stops
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the data path is not on a GPU
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_get_gpu_handle(const struct doca_eth_txq *eth_txq,
                                         struct doca_gpu_eth_txq **eth_txq_ext);

/**
 * Get the largest number of packets in flight, which depends on what a packet may have.
 *
 * @max_send_buf_list_len: buffers of a packet, at least 1
 * @max_lso_header_size: bytes of a header; 0 without large sends
 * @max_burst_size: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: what the device's port needs is not installed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t max_send_buf_list_len,
                                                 uint16_t max_lso_header_size,
                                                 uint32_t *max_burst_size);

/**
 * Get the largest number of buffers of a packet.
 *
 * @max_send_buf_list_len: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: what the device's port needs is not installed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_send_buf_list_len);

/**
 * Get the largest number of metadata words of a packet.
 *
 * @max_metadata_num: receives the number of 32-bit words
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: what the device's port needs is not installed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_metadata_num);

/**
 * Get the length of the longest header of large sends.
 *
 * @max_lso_header_size: receives bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_get_max_lso_header_size(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_lso_header_size);

/**
 * Ask whether a device offers a type of queue for a data path; the returned code is the answer.
 *
 * @type: of the queue
 * @data_path_type: who handles the packets
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_txq_type type,
                                                enum doca_eth_txq_data_path_type data_path_type);

/**
 * Ask whether a device writes the checksum of IPv4 headers; the returned code is the answer.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_is_l3_chksum_offload_supported(const struct doca_devinfo *devinfo);

/**
 * Ask whether a device writes TCP and UDP checksums; the returned code is the answer.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_is_l4_chksum_offload_supported(const struct doca_devinfo *devinfo);

/**
 * Get the largest payload of a large send.
 *
 * @max_lso_msg_size: receives bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_get_max_lso_msg_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_lso_msg_size);

/**
 * Get how a device lets kernels send at a given time.
 *
 * @wait_on_time_mode: receives the way
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_cap_get_wait_on_time_offload_supported(
    const struct doca_devinfo *devinfo, enum doca_eth_wait_on_time_type *wait_on_time_mode);

/**
 * Turn a time into the value by which kernels wait for it. The queue must have
 * doca_eth_txq_set_wait_on_time_offload() and its data path on a GPU.
 *
 * @timestamp_ns: nanoseconds of the realtime clock
 * @wait_on_time_value: receives the value
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_PERMITTED: the queue does not have the offload
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_calculate_timestamp(struct doca_eth_txq *eth_txq, uint64_t timestamp_ns,
                                              uint64_t *wait_on_time_value);

/**
 * Choose the id by which steering knows a running queue.
 *
 * @queue_id: not used by another send queue of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_ALREADY_EXIST: another queue of the device has this id
 *   DOCA_ERROR_IN_USE: an id was applied already
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_apply_queue_id(struct doca_eth_txq *eth_txq, uint16_t queue_id);

/**
 * Get the number by which the device knows a running queue; unique on the device.
 *
 * @hw_queue_num: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_txq_get_hw_queue_num(struct doca_eth_txq *eth_txq, uint32_t *hw_queue_num);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ETH_TXQ_H_ */

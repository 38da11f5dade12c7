/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive queues of Ethernet devices: configuration.
 *
 * Legal order: doca_eth_rxq_create, the setters, tasks or events (doca_eth_rxq_cpu_data_path.h),
 * connect doca_eth_rxq_as_doca_ctx() to a progress engine, doca_ctx_start (returns running),
 * choose or ask for the queue id, point a Flow pipe at it; then progress. At the end free tasks
 * and buffers, doca_ctx_stop, progress until idle, doca_eth_rxq_destroy.
 *
 * A queue receives what steering gives to it and nothing else. A packet for which there is no
 * room when it arrives is dropped and counted.
 *
 * Threads: a queue belongs to the thread that drives its progress engine. Questions about a
 * devinfo may come from any thread.
 */
#ifndef DOCA_ETH_RXQ_H_
#define DOCA_ETH_RXQ_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct doca_eth_rxq;
struct doca_gpu_eth_rxq;

/** How a receive queue gets the memory for its packets. */
enum doca_eth_rxq_type {
    DOCA_ETH_RXQ_TYPE_CYCLIC = 0, /**< a ring of slots in memory of the program, used in turn */
    DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL =
        1,                         /**< memory of the program, cut into buffers by the library */
    DOCA_ETH_RXQ_TYPE_REGULAR = 2, /**< each receive task brings a buffer; the default */
};

/** Who handles the packets. */
enum doca_eth_rxq_data_path_type {
    DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU = 0, /**< tasks and events of this host */
    DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU = 1, /**< kernels */
};

/**
 * Create a receive queue on a device, with its context idle.
 *
 * @dev: must stay open until the queue is destroyed
 * @max_burst_size: packets that the queue can hold at once, at least 1
 * @max_packet_size: bytes of the longest packet, at least 1
 * @eth_rxq: receives the queue; the caller ends it with doca_eth_rxq_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a size is 0 or above the capability of the
 *     device
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 uint32_t max_packet_size, struct doca_eth_rxq **eth_rxq);

/**
 * Destroy a queue and take its context off the progress engine. The memory of its packets may be
 * gone by then.
 *
 * @eth_rxq: idle, with all tasks freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_IN_USE: a task is not freed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_destroy(struct doca_eth_rxq *eth_rxq);

/**
 * Get the context of a queue.
 *
 * Returns always the same pointer, which lives as long as the queue; NULL for NULL.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_eth_rxq_as_doca_ctx(struct doca_eth_rxq *eth_rxq);

/**
 * Replace the number of packets that the queue can hold at once.
 *
 * @max_burst_size: 1 to the capability of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_max_burst_size(struct doca_eth_rxq *eth_rxq, uint32_t max_burst_size);

/**
 * Replace the length of the longest packet. A queue of type REGULAR does not look at it: there
 * the buffers of the tasks say how much fits.
 *
 * @max_packet_size: bytes, 1 to the capability of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_max_packet_size(struct doca_eth_rxq *eth_rxq,
                                              uint32_t max_packet_size);

/**
 * Choose how many words of metadata are reported with each packet. CPU data path only.
 *
 * @metadata_num: 32-bit words, 0 (the default) to the capability of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_metadata_num(struct doca_eth_rxq *eth_rxq, uint8_t metadata_num);

/**
 * Choose whether the mark that steering gave to a packet is reported. CPU data path only.
 *
 * @enable_flow_tag: 0 for no, which is the default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_flow_tag(struct doca_eth_rxq *eth_rxq, uint8_t enable_flow_tag);

/**
 * Choose whether the hash by which a packet was spread over queues is reported. CPU data path
 * only.
 *
 * @enable_rx_hash: 0 for no, which is the default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_rx_hash(struct doca_eth_rxq *eth_rxq, uint8_t enable_rx_hash);

/**
 * Reserve room in front of each packet. Type MANAGED_MEMPOOL only. Headroom, longest packet and
 * tailroom together have at most 8192 bytes, which start checks.
 *
 * @head_size: bytes, 0 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_packet_headroom(struct doca_eth_rxq *eth_rxq, uint16_t head_size);

/**
 * Reserve room behind each packet; see doca_eth_rxq_set_packet_headroom().
 *
 * @tail_size: bytes, 0 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_packet_tailroom(struct doca_eth_rxq *eth_rxq, uint16_t tail_size);

/**
 * Choose whether the time of arrival is reported. CPU data path only.
 *
 * @enable_timestamp: 0 for no, which is the default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_timestamp(struct doca_eth_rxq *eth_rxq, uint8_t enable_timestamp);

/**
 * Choose how many buffers a receive task may chain. Type REGULAR only.
 *
 * @max_recv_buf_list_len: 1, which is the default, to the capability of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_max_recv_buf_list_len(struct doca_eth_rxq *eth_rxq,
                                                    uint32_t max_recv_buf_list_len);

/**
 * Give the queue the memory for its packets; needed by the types CYCLIC and MANAGED_MEMPOOL.
 *
 * The memory must stay until the context is idle again; the map may be destroyed before the
 * queue.
 *
 * @mmap: started, with the device of the queue and local write access
 * @mmap_offset: bytes from the beginning of the map
 * @mmap_len: bytes; doca_eth_rxq_estimate_packet_buf_size() tells how many are needed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the map is not started or lacks the device, or
 *     the range is not in it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_pkt_buf(struct doca_eth_rxq *eth_rxq, struct doca_mmap *mmap,
                                      uint32_t mmap_offset, uint32_t mmap_len);

/**
 * Choose the type of the queue.
 *
 * @type: DOCA_ETH_RXQ_TYPE_REGULAR by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_type(struct doca_eth_rxq *eth_rxq, enum doca_eth_rxq_type type);

/**
 * Choose when a sleeping progress engine is woken for received packets. Polling is not affected.
 *
 * @period_usec: wake at the latest so long after a packet; 0 is at once, whatever the count
 * @comp_count: wake when so many packets are there; 0 is for each, whatever the period
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_set_notification_moderation(struct doca_eth_rxq *eth_rxq,
                                                      uint16_t period_usec, uint16_t comp_count);

/**
 * Choose the id by which steering knows a running queue, before a pipe names it.
 *
 * @queue_id: not used by another queue of the device
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_ALREADY_EXIST: another queue of the device has this id
 *   DOCA_ERROR_IN_USE: an id was applied already
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_apply_queue_id(struct doca_eth_rxq *eth_rxq, uint16_t queue_id);

/**
 * Get the handle through which GPU kernels use a running queue whose data path is on a GPU.
 *
 * @eth_rxq_ext: receives the handle, which belongs to the queue and lives until its context stops
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the data path is not on a GPU
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_get_gpu_handle(const struct doca_eth_rxq *eth_rxq,
                                         struct doca_gpu_eth_rxq **eth_rxq_ext);

/**
 * Get the largest number of packets that a queue can hold at once.
 *
 * @max_burst_size: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: what the device's port needs is not installed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t *max_burst_size);

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
doca_error_t doca_eth_rxq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_metadata_num);

/**
 * Get the largest room in front of a packet.
 *
 * @max_packet_headroom: receives bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: what the device's port needs is not installed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_cap_get_max_packet_headroom(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_packet_headroom);

/**
 * Get the largest room behind a packet.
 *
 * @max_packet_tailroom: receives bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: what the device's port needs is not installed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_cap_get_max_packet_tailroom(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_packet_tailroom);

/**
 * Get the largest number of chained buffers of a receive task.
 *
 * @max_recv_buf_list_len: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: what the device's port needs is not installed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_cap_get_max_recv_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_recv_buf_list_len);

/**
 * Get the length of the longest packet, which does not depend on the MTU of the interface.
 *
 * @max_packet_size: receives bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: what the device's port needs is not installed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_cap_get_max_packet_size(const struct doca_devinfo *devinfo,
                                                  uint32_t *max_packet_size);

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
doca_error_t doca_eth_rxq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_rxq_type type,
                                                enum doca_eth_rxq_data_path_type data_path_type);

/**
 * Compute how many bytes of packet memory a queue needs. Never less for larger arguments.
 *
 * Type CYCLIC: max_packet_size times max_burst_size, which is rounded up to a power of two. Type
 * MANAGED_MEMPOOL: buffers for two bursts and for what arrives while packets are being handled.
 *
 * @type: CYCLIC or MANAGED_MEMPOOL
 * @rate: megabytes a second; ignored for CYCLIC, as are the next two and the rooms
 * @pkt_max_time: microseconds that the program keeps a packet
 * @max_packet_size: bytes
 * @max_burst_size: packets
 * @log_max_lro_pkt_sz: ignored
 * @head_size: bytes in front of a packet
 * @tail_size: bytes behind it
 * @buf_size: receives bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: buf_size is NULL, the type is unknown, or the packet or burst size
 *     is 0
 *   DOCA_ERROR_NOT_SUPPORTED: the type is REGULAR
 *   DOCA_ERROR_TOO_BIG: the result needs more than 32 bits
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_estimate_packet_buf_size(enum doca_eth_rxq_type type, uint32_t rate,
                                                   uint16_t pkt_max_time, uint32_t max_packet_size,
                                                   uint32_t max_burst_size,
                                                   uint8_t log_max_lro_pkt_sz, uint16_t head_size,
                                                   uint16_t tail_size, uint32_t *buf_size);

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
doca_error_t doca_eth_rxq_get_hw_queue_num(struct doca_eth_rxq *eth_rxq, uint32_t *hw_queue_num);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ETH_RXQ_H_ */

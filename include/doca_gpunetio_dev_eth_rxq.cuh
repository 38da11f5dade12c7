/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive queues in kernels.
 *
 * Packets come in the order of their arrival into slots of a ring. A call of
 * doca_gpu_dev_eth_rxq_recv() waits for packets, tells where the first one is and how many follow
 * it, and gives their slots back to the queue: their bytes stay until the queue has gone round the
 * ring once more, so kernels handle or copy them before they receive much more than what the ring
 * holds.
 *
 * Who calls: in scope THREAD one thread, in scope WARP all lanes of a warp, in scope BLOCK all
 * threads of a block, with the same arguments. One thread, warp or block uses a queue at a time;
 * different kernels may use it one after the other. Kernels end before the context of the queue is
 * stopped.
 *
 * Functions of the API up to 3.0 (doca_gpu_dev_eth_rxq_receive_block() and others) are declared by
 * this header, too.
 */
#ifndef DOCA_GPUNETIO_DEV_ETH_RXQ_CUH_
#define DOCA_GPUNETIO_DEV_ETH_RXQ_CUH_

#include <doca_gpunetio_dev_eth_common.cuh>

/** Instead of the index of a packet: there is none. */
#define DOCA_GPUNETIO_ETH_RX_NO_PKT 0xFFFFFFFFFFFFFFFF

/** What a receive call tells of each packet */
enum doca_gpu_dev_eth_rxq_attr_type {
    DOCA_GPUNETIO_ETH_RX_ATTR_NONE = 0, /**< nothing */
    DOCA_GPUNETIO_ETH_RX_ATTR_TS = 1,   /**< the time */
    DOCA_GPUNETIO_ETH_RX_ATTR_ALL = 2,  /**< the time and the length */
};

/** Of one packet */
struct doca_gpu_dev_eth_rxq_attr {
    uint64_t timestamp_ns; /**< when it arrived: nanoseconds since 1970 */
    uint32_t bytes;        /**< its length without FCS; with ALL only */
    uint32_t padding;      /**< not written */
};

/** A request to make received packets visible; opaque */
struct doca_gpu_dev_eth_rxq_dump_wqe {
    struct doca_gpu_dev_eth_wqe_ctrl_seg cseg; /**< opaque */
    struct mlx5_wqe_data_seg dseg;             /**< opaque */
    struct mlx5_wqe_data_seg pad0;             /**< opaque */
    struct mlx5_wqe_data_seg pad1;             /**< opaque */
};

/**
 * Make what was received visible to the calling thread. doca_gpu_dev_eth_rxq_recv() does it by
 * itself; this is for programs that read completion records.
 *
 * @mcst_qp: member of the queue's handle
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: mcst_qp is NULL
 */
template <enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
__device__ inline doca_error_t doca_gpu_dev_eth_rxq_mcst(struct doca_gpu_eth_mcst_qp *mcst_qp);

/**
 * Give slots back, for programs that read completion records themselves: packets up to prod_index
 * (wqe_pi plus what is returned) may be stored. The handle's wqe_pi becomes prod_index. One thread.
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline void doca_gpu_dev_eth_rxq_submit_dbr(struct doca_gpu_eth_rxq *rxq,
                                                              uint64_t prod_index);

/**
 * Consume completion records, for programs that read them themselves: the handle's cqe_ci becomes
 * prod_index (cqe_ci plus what is consumed). Slots are not given back by it. One thread.
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline void doca_gpu_dev_eth_rxq_submit_cq_dbr(struct doca_gpu_eth_rxq *rxq,
                                                                 uint64_t prod_index);

/** doca_gpu_dev_eth_rxq_recv() for one thread. */
template <enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_DISABLED,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
__device__ inline doca_error_t
doca_gpu_dev_eth_rxq_recv_thread(struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts,
                                 uint64_t timeout_ns, uint64_t *out_first_pkt_idx,
                                 uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr);

/** doca_gpu_dev_eth_rxq_recv() for all lanes of a warp. */
template <enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_DISABLED,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
__device__ inline doca_error_t
doca_gpu_dev_eth_rxq_recv_warp(struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts,
                               uint64_t timeout_ns, uint64_t *out_first_pkt_idx,
                               uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr);

/** doca_gpu_dev_eth_rxq_recv() for all threads of a block. */
template <enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_DISABLED,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
__device__ inline doca_error_t
doca_gpu_dev_eth_rxq_recv_block(struct doca_gpu_eth_rxq *rxq, const uint32_t max_rx_pkts,
                                const uint64_t timeout_ns, uint64_t *out_first_pkt_idx,
                                uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr);

/**
 * Receive packets. Returns when max_rx_pkts are there, when timeout_ns have passed, when the ring
 * is full, or at a completion with an error; not before, whatever has arrived. Looks at the ring at
 * least once. On return each caller may read the packets.
 *
 * @max_rx_pkts: 0: as many as the ring holds
 * @timeout_ns: since the call; 0: without end
 * @out_first_pkt_idx: receives the slot of the first packet; others follow, up to the last slot and
 *     then from slot 0 on. Without packets: DOCA_GPUNETIO_ETH_RX_NO_PKT in scope WARP, else
 * unchanged
 * @out_pkt_num: receives how many packets arrived
 * @out_attr: room for as many, written as rx_attr says; may be NULL with RX_ATTR_NONE
 *
 * In scopes WARP and BLOCK each caller's variables receive the result; they may be shared ones.
 *
 * Returns DOCA_SUCCESS, also without packets, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_DRIVER: a completion with an error; packets before it were received
 *   DOCA_ERROR_BAD_STATE: the queue was stopped
 *   DOCA_ERROR_NOT_SUPPORTED: the handle is of another version, or of no queue
 */
template <enum doca_gpu_dev_eth_exec_scope exec_scope = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_DISABLED,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
__device__ inline doca_error_t
doca_gpu_dev_eth_rxq_recv(struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts, uint64_t timeout_ns,
                          uint64_t *out_first_pkt_idx, uint32_t *out_pkt_num,
                          struct doca_gpu_dev_eth_rxq_attr *out_attr);

/**
 * Get the address of a packet.
 *
 * @packet_idx: the first index of a receive call plus the number of the packet in it
 */
__device__ inline uint64_t doca_gpu_dev_eth_rxq_get_pkt_addr(struct doca_gpu_eth_rxq *rxq,
                                                             uint64_t packet_idx);

/** Get the key of the queue's packets as send functions take it. */
__device__ inline uint32_t doca_gpu_dev_eth_rxq_get_pkt_mkey(struct doca_gpu_eth_rxq *rxq);

/** Get when a packet arrived, in nanoseconds since 1970; until its slot is filled again. */
__device__ inline uint64_t doca_gpu_dev_eth_rxq_get_pkt_ts(const struct doca_gpu_eth_rxq *rxq,
                                                           uint64_t packet_idx);

/** Get the length of a packet without FCS; until its slot is filled again. */
__device__ inline uint32_t doca_gpu_dev_eth_rxq_get_pkt_bytes(const struct doca_gpu_eth_rxq *rxq,
                                                              uint64_t packet_idx);

/** Get the completion record of a packet. */
__device__ inline struct mlx5_cqe64 *
doca_gpu_dev_eth_rxq_get_pkt_cqe(const struct doca_gpu_eth_rxq *rxq, uint64_t packet_idx);

#include <impl/doca_gpunetio_dev_eth_rxq__funcs.cuh>
#include <impl/doca_gpunetio_dev_eth_rxq__classic.cuh>

#endif

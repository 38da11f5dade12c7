/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive functions of the API up to 3.0. They and the present ones may be used on one queue, one
 * after the other.
 */
#ifndef DOCA_GPUNETIO_DEV_ETH_RXQ__CLASSIC_CUH_
#define DOCA_GPUNETIO_DEV_ETH_RXQ__CLASSIC_CUH_

#include <doca_gpunetio_dev_buf.cuh>

/**
 * Receive packets, one thread; waits until max_rx_packets are there or timeout_ns have passed.
 *
 * @max_rx_packets: greater than 0
 * @timeout_ns: 0: without end
 * @num_rx_packets: receives how many packets arrived
 * @doca_gpu_buf_idx: receives the index of the first one; others follow
 *
 * Returns as doca_gpu_dev_eth_rxq_recv(), and DOCA_ERROR_INVALID_VALUE: max_rx_packets is 0
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_rxq_receive_thread(struct doca_gpu_eth_rxq *eth_rxq, uint32_t max_rx_packets,
                                    uint64_t timeout_ns, uint32_t *num_rx_packets,
                                    uint64_t *doca_gpu_buf_idx)
{
    if (!max_rx_packets)
        return DOCA_ERROR_INVALID_VALUE;
    return doca_gpu_dev_eth_rxq_recv_thread<DOCA_GPUNETIO_ETH_MCST_AUTO>(
        eth_rxq, max_rx_packets, timeout_ns, doca_gpu_buf_idx, num_rx_packets, NULL);
}

/** The same for all lanes of a warp; each lane's variables receive the result. */
__device__ static inline doca_error_t
doca_gpu_dev_eth_rxq_receive_warp(struct doca_gpu_eth_rxq *eth_rxq, uint32_t max_rx_packets,
                                  uint64_t timeout_ns, uint32_t *num_rx_packets,
                                  uint64_t *doca_gpu_buf_idx)
{
    if (!max_rx_packets)
        return DOCA_ERROR_INVALID_VALUE;
    return doca_gpu_dev_eth_rxq_recv_warp<DOCA_GPUNETIO_ETH_MCST_AUTO>(
        eth_rxq, max_rx_packets, timeout_ns, doca_gpu_buf_idx, num_rx_packets, NULL);
}

/** The same for all threads of a block; max_rx_packets 0: only the timeout ends the wait. */
__device__ static inline doca_error_t
doca_gpu_dev_eth_rxq_receive_block(struct doca_gpu_eth_rxq *eth_rxq, uint32_t max_rx_packets,
                                   uint64_t timeout_ns, uint32_t *num_rx_packets,
                                   uint64_t *doca_gpu_buf_idx)
{
    return doca_gpu_dev_eth_rxq_recv_block<DOCA_GPUNETIO_ETH_MCST_AUTO>(
        eth_rxq, max_rx_packets, timeout_ns, doca_gpu_buf_idx, num_rx_packets, NULL);
}

/**
 * Get a packet as a buffer, for the functions of doca_gpunetio_dev_buf.cuh and for sending.
 *
 * @doca_gpu_buf_idx: first index of a receive call plus the number of the packet in it
 * @buf: receives the buffer, valid until its slot is filled again
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_rxq_get_buf(const struct doca_gpu_eth_rxq *eth_rxq, uint64_t doca_gpu_buf_idx,
                             struct doca_gpu_buf **buf)
{
    if (!eth_rxq || !buf)
        return DOCA_ERROR_INVALID_VALUE;
    *buf =
        (struct doca_gpu_buf *)eth_rxq->opendoca.bufs + (doca_gpu_buf_idx & (eth_rxq->pkt_num - 1));
    return DOCA_SUCCESS;
}

/**
 * Get when a packet arrived, in nanoseconds since 1970; until its slot is filled again.
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_rxq_get_buf_timestamp(const struct doca_gpu_eth_rxq *eth_rxq,
                                       uint64_t doca_gpu_buf_idx, uint64_t *timestamp_ns)
{
    if (!eth_rxq || !timestamp_ns)
        return DOCA_ERROR_INVALID_VALUE;
    *timestamp_ns = doca_gpu_dev_eth_rxq_get_pkt_ts(eth_rxq, doca_gpu_buf_idx);
    return DOCA_SUCCESS;
}

/**
 * Get the length of a packet without FCS; until its slot is filled again.
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_rxq_get_buf_bytes(const struct doca_gpu_eth_rxq *eth_rxq,
                                   uint64_t doca_gpu_buf_idx, uint32_t *nbytes)
{
    if (!eth_rxq || !nbytes)
        return DOCA_ERROR_INVALID_VALUE;
    *nbytes = doca_gpu_dev_eth_rxq_get_pkt_bytes(eth_rxq, doca_gpu_buf_idx);
    return DOCA_SUCCESS;
}

#endif

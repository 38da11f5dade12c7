/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send functions of the API up to 3.0. Threads fill slots (enqueue), meet at a barrier, then one of
 * them makes the slots ready (commit) and rings the doorbell (push).
 *
 * `Strong` functions find their position themselves; any number of threads may call them. `Weak`
 * ones take it from the caller: position of doca_gpu_dev_eth_txq_get_info() plus a number of the
 * thread's own, without gaps, masked. Both may be mixed, also with the present API, one after the
 * other.
 */
#ifndef DOCA_GPUNETIO_DEV_ETH_TXQ__CLASSIC_CUH_
#define DOCA_GPUNETIO_DEV_ETH_TXQ__CLASSIC_CUH_

#include <doca_gpunetio_dev_buf.cuh>

/** Of a send */
enum doca_gpu_send_flags {
    DOCA_GPU_SEND_FLAG_NONE = 0,   /**< no completion, unless it fails */
    DOCA_GPU_SEND_FLAG_NOTIFY = 1, /**< a completion */
};

/** Whether doca_gpu_dev_eth_txq_wait_completion() waits */
enum doca_gpu_eth_txq_wait_flags {
    DOCA_GPU_ETH_TXQ_WAIT_FLAG_NB = 0, /**< takes what is there */
    DOCA_GPU_ETH_TXQ_WAIT_FLAG_B = 1,  /**< waits for all */
};

/* Takes the next slot; false when the ring is full. */
__device__ static inline bool opendoca_dev_tx_next(struct doca_gpu_eth_txq *txq, uint64_t *index)
{
    do {
        *index = opendoca_gpu_observe(&txq->sq_rsvd_index);
        if (!opendoca_dev_tx_has_room(txq, *index + 1))
            return false;
    } while (opendoca_dev_cas(&txq->sq_rsvd_index, *index, *index + 1) != *index);
    return true;
}

/* The slot that a masked position names since the last commit. */
__device__ static inline uint64_t opendoca_dev_tx_place(struct doca_gpu_eth_txq *txq,
                                                        uint32_t position)
{
    uint64_t base = opendoca_gpu_observe(&txq->sq_ready_index);
    uint64_t index = base + ((position - base) & txq->wqe_mask);

    (void)opendoca_dev_max<false>(&txq->sq_rsvd_index, index + 1);
    return index;
}

__device__ static inline doca_error_t opendoca_dev_tx_enqueue(struct doca_gpu_eth_txq *txq,
                                                              uint64_t index,
                                                              const struct doca_gpu_buf *buf,
                                                              uint32_t nbytes, uint32_t flags)
{
    return doca_gpu_dev_eth_txq_wqe_prepare_send(
        txq, doca_gpu_dev_eth_txq_get_wqe_ptr(txq, (uint16_t)index), (uint16_t)index, buf->addr,
        buf->key_be, nbytes, (enum doca_gpu_eth_send_flags)flags);
}

__device__ static inline doca_error_t opendoca_dev_tx_enqueue_wait(struct doca_gpu_eth_txq *txq,
                                                                   uint64_t index, uint64_t value,
                                                                   uint32_t flags)
{
    return doca_gpu_dev_eth_txq_wqe_prepare_wait_time(
        txq, doca_gpu_dev_eth_txq_get_wqe_ptr(txq, (uint16_t)index), (uint16_t)index, value,
        (enum doca_gpu_eth_send_flags)flags);
}

/**
 * Fill the next slot with a send of one frame.
 *
 * @buf_ptr: the frame, from its Ethernet header on
 * @nbytes: its length
 * @flags_bitmask: of enum doca_gpu_send_flags
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_AGAIN: the ring is full; commit, push, and try again
 *   DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_send_enqueue_strong(struct doca_gpu_eth_txq *eth_txq,
                                         const struct doca_gpu_buf *buf_ptr, const uint32_t nbytes,
                                         const uint32_t flags_bitmask)
{
    uint64_t index;

    if (!eth_txq || !buf_ptr)
        return DOCA_ERROR_INVALID_VALUE;
    if (!opendoca_dev_tx_next(eth_txq, &index))
        return DOCA_ERROR_AGAIN;
    return opendoca_dev_tx_enqueue(eth_txq, index, buf_ptr, nbytes, flags_bitmask);
}

/** The same for a slot of the caller's choice; does not look whether the ring is full. */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_send_enqueue_weak(struct doca_gpu_eth_txq *eth_txq,
                                       const struct doca_gpu_buf *buf_ptr, const uint32_t nbytes,
                                       const uint32_t position, const uint32_t flags_bitmask)
{
    if (!eth_txq || !buf_ptr)
        return DOCA_ERROR_INVALID_VALUE;
    return opendoca_dev_tx_enqueue(eth_txq, opendoca_dev_tx_place(eth_txq, position), buf_ptr,
                                   nbytes, flags_bitmask);
}

/**
 * Fill the next slot with a wait for a time.
 *
 * @wait_on_time_value: of doca_gpu_dev_eth_txq_calculate_timestamp(), or of its twin for the CPU
 *
 * Returns as doca_gpu_dev_eth_txq_send_enqueue_strong().
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_wait_time_enqueue_strong(struct doca_gpu_eth_txq *eth_txq,
                                              const uint64_t wait_on_time_value,
                                              const uint32_t flags_bitmask)
{
    uint64_t index;

    if (!eth_txq)
        return DOCA_ERROR_INVALID_VALUE;
    if (!opendoca_dev_tx_next(eth_txq, &index))
        return DOCA_ERROR_AGAIN;
    return opendoca_dev_tx_enqueue_wait(eth_txq, index, wait_on_time_value, flags_bitmask);
}

/** The same for a slot of the caller's choice. */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_wait_time_enqueue_weak(struct doca_gpu_eth_txq *eth_txq,
                                            const uint64_t wait_on_time_value,
                                            const uint32_t position, const uint32_t flags_bitmask)
{
    if (!eth_txq)
        return DOCA_ERROR_INVALID_VALUE;
    return opendoca_dev_tx_enqueue_wait(eth_txq, opendoca_dev_tx_place(eth_txq, position),
                                        wait_on_time_value, flags_bitmask);
}

/**
 * Get where weak functions begin.
 *
 * @curr_position: receives the position behind the last commit
 * @mask_max_position: receives the number of slots less one
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_get_info(struct doca_gpu_eth_txq *eth_txq, uint32_t *curr_position,
                              uint32_t *mask_max_position)
{
    if (!eth_txq || !curr_position || !mask_max_position)
        return DOCA_ERROR_INVALID_VALUE;
    *curr_position = (uint32_t)opendoca_gpu_observe(&eth_txq->sq_ready_index) & eth_txq->wqe_mask;
    *mask_max_position = eth_txq->wqe_mask;
    return DOCA_SUCCESS;
}

/**
 * Make all slots ready that were filled since the last commit. One thread, behind a barrier.
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: eth_txq is NULL
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_commit_strong(struct doca_gpu_eth_txq *eth_txq)
{
    if (!eth_txq)
        return DOCA_ERROR_INVALID_VALUE;
    opendoca_gpu_publish(&eth_txq->sq_ready_index, opendoca_gpu_observe(&eth_txq->sq_rsvd_index));
    return DOCA_SUCCESS;
}

/** Make num_pkts slots ready, from the last commit on. One thread, behind a barrier. */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_commit_weak(struct doca_gpu_eth_txq *eth_txq, const uint32_t num_pkts)
{
    if (!eth_txq)
        return DOCA_ERROR_INVALID_VALUE;
    opendoca_gpu_publish(&eth_txq->sq_ready_index,
                         opendoca_gpu_observe(&eth_txq->sq_ready_index) + num_pkts);
    return DOCA_SUCCESS;
}

/**
 * Send what was committed. One thread, after a commit.
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: eth_txq is NULL
 */
__device__ static inline doca_error_t doca_gpu_dev_eth_txq_push(struct doca_gpu_eth_txq *eth_txq)
{
    if (!eth_txq)
        return DOCA_ERROR_INVALID_VALUE;
    doca_gpu_dev_eth_txq_submit(eth_txq, opendoca_gpu_observe(&eth_txq->sq_ready_index));
    return DOCA_SUCCESS;
}

/** doca_gpu_dev_eth_txq_poll_completion() of all completions, by one thread. */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_wait_completion(struct doca_gpu_eth_txq *eth_txq, const uint32_t num_cqe,
                                     enum doca_gpu_eth_txq_wait_flags wait_flags,
                                     uint32_t *num_completed)
{
    return doca_gpu_dev_eth_txq_poll_completion(
        eth_txq, num_cqe, (enum doca_gpu_dev_eth_wait_flags)wait_flags, num_completed);
}

#endif

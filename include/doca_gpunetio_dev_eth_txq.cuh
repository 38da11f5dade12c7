/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send queues in kernels.
 *
 * A queue is a ring of slots that are numbered from 0 on without end. To send: reserve slots,
 * prepare them, mark them ready, submit; doca_gpu_dev_eth_txq_send() does all of it. A send with
 * DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, and each that fails, leaves a completion: for
 * doca_gpu_dev_eth_txq_poll_completion() when the queue completes on the GPU, else as an event for
 * the CPU. Completions come in the order of the slots. The memory of a frame may be written again
 * when a completion of it, or of a later one, was seen.
 *
 * Template arguments: who shares the queue (EXCLUSIVE: one thread, CTA: threads of one block, GPU:
 * any), and sync_scope, a hint: what was written before a submit is always visible to the device.
 * Functions without a scope in their name are called by any single thread.
 *
 * Functions of the API up to 3.0 (doca_gpu_dev_eth_txq_send_enqueue_strong() and others) are
 * declared by this header, too.
 */
#ifndef DOCA_GPUNETIO_DEV_ETH_TXQ_CUH_
#define DOCA_GPUNETIO_DEV_ETH_TXQ_CUH_

#include <cuda.h>
#include <cuda/atomic>
#include <doca_gpunetio_eth_def.h>
#include <doca_gpunetio_dev_eth_common.cuh>

/** Nanoseconds of a second */
#define DOCA_GPUNETIO_NS_PER_S 1000000000

/** Segments of one slot of a request of many packets, behind its first slot */
#define DOCA_GPUNETIO_ETH_EMPW_DSEG_NUM 4
/** Most segments of such a request */
#define DOCA_GPUNETIO_ETH_EMPW_DSEG_MAX_NUM 61
/** Quarters of a slot */
#define DOCA_GPUNETIO_ETH_EMPW_SEGMENTS_PER_WQE 4

/** Number of a send; counts from 0 on without end. */
typedef uint64_t doca_gpu_dev_eth_txq_ticket_t;

/** Second quarter of a slot that sends, under the names that programs know; the library fills it.
 */
struct doca_gpu_dev_eth_txq_wqe_eth_seg {
    union {
        struct {
            __be32 swp_offs;      /**< see the library */
            uint8_t cs_flags;     /**< see the library */
            uint8_t swp_flags;    /**< see the library */
            __be16 mss;           /**< see the library */
            __be32 metadata;      /**< see the library */
            __be16 inline_hdr_sz; /**< see the library */
            union {
                __be16 inline_data; /**< see the library */
                __be16 vlan_tag;    /**< see the library */
            };
        };
        struct {
            __be32 offsets;       /**< see the library */
            __be32 flags;         /**< see the library */
            __be32 flow_metadata; /**< see the library */
            __be32 inline_hdr;    /**< see the library */
        };
    };
};

/** Second and third quarter of a slot that waits; the library fills it. */
struct doca_gpu_dev_eth_txq_wqe_wait_seg {
    union {
        struct {
            __be32 operation; /**< see the library */
            __be32 lkey;      /**< see the library */
            __be32 va_high;   /**< see the library */
            __be32 va_low;    /**< see the library */
            __be64 value;     /**< see the library */
            __be64 mask;      /**< see the library */
        };
        struct {
            __be64 w0[2]; /**< see the library */
            __be64 w1[2]; /**< see the library */
        };
    };
};

/** A slot: 64 bytes. */
struct doca_gpu_dev_eth_txq_wqe {
    struct doca_gpu_dev_eth_wqe_ctrl_seg cseg; /**< what it is */
    union {
        struct {
            struct doca_gpu_dev_eth_txq_wqe_eth_seg eseg; /**< of a send */
            struct mlx5_wqe_data_seg dseg0;               /**< the frame */
            struct mlx5_wqe_data_seg dseg1;               /**< its second part */
        };
        struct {
            struct doca_gpu_dev_eth_txq_wqe_wait_seg wseg; /**< of a wait */
            uint64_t padding[2];                           /**< unused */
        };
    };
};

/** A slot of segments that follows the first one of a request of many packets. */
struct doca_gpu_dev_eth_txq_wqe_empw {
    struct mlx5_wqe_data_seg dseg[DOCA_GPUNETIO_ETH_EMPW_DSEG_NUM]; /**< one frame each */
};

/** Get a slot. @wqe_idx: its number, of which the low bits count. */
__device__ static inline struct doca_gpu_dev_eth_txq_wqe *
doca_gpu_dev_eth_txq_get_wqe_ptr(struct doca_gpu_eth_txq *txq, uint16_t wqe_idx);

/**
 * Reserve slots. Waits until the device has taken what was in them before, unless the queue was
 * stopped; so never reserve more than the ring holds without a submit in between.
 *
 * @count: how many; more than the ring holds is reported once, and not waited for
 *
 * Returns the number of the first one.
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU>
__device__ static inline uint64_t
doca_gpu_dev_eth_txq_reserve_wq_slots(struct doca_gpu_eth_txq *txq, uint32_t count);

/**
 * Mark the slots from_wqe_idx to to_wqe_idx, both included, as prepared. Unless EXCLUSIVE, waits
 * until all slots before them are marked. What the calling thread wrote before counts; threads that
 * prepared slots for it meet it at a barrier first.
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU>
__device__ static inline void doca_gpu_dev_eth_txq_mark_wqes_ready(struct doca_gpu_eth_txq *txq,
                                                                   uint64_t from_wqe_idx,
                                                                   uint64_t to_wqe_idx);

/**
 * Turn a time into what wait slots hold.
 *
 * @timestamp_ns: nanoseconds since 1970, as doca_gpu_dev_eth_rxq_get_pkt_ts() tells them
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_calculate_timestamp(const struct doca_gpu_eth_txq *txq,
                                         const uint64_t timestamp_ns, uint64_t *wait_on_time_ts);

/**
 * Fill a slot with a send of one frame, from its Ethernet header on, without FCS.
 *
 * @wqe_ptr, wqe_idx: the slot and its number
 * @addr, mkey, nbytes: the frame; mkey in big-endian order. A length or memory that cannot be sent
 *     gives a completion with an error
 * @flags: DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY for a completion
 *
 * Checksums are filled in as the queue was told. Returns DOCA_SUCCESS, or
 * DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
__device__ __inline__ static doca_error_t doca_gpu_dev_eth_txq_wqe_prepare_send(
    const struct doca_gpu_eth_txq *txq, struct doca_gpu_dev_eth_txq_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint64_t addr, const uint32_t mkey, const uint32_t nbytes,
    const enum doca_gpu_eth_send_flags flags);

/** The same for a frame in two parts, of which the second may be empty. */
__device__ __inline__ static doca_error_t doca_gpu_dev_eth_txq_wqe_prepare_send(
    const struct doca_gpu_eth_txq *txq, struct doca_gpu_dev_eth_txq_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint64_t addr0, const uint32_t mkey0, const uint32_t nbytes0,
    const uint64_t addr1, const uint32_t mkey1, const uint32_t nbytes1,
    const enum doca_gpu_eth_send_flags flags);

/**
 * Fill one segment of a request of many packets, which takes (ds_num + 2) / 4 slots, rounded up,
 * and has one completion. Segment 0 also fills what the request is; the threads of a warp may fill
 * one each.
 *
 * @wqe_ptr: the slot of the segment: the request's first one for ds_idx 0 and 1, else the one
 *     (ds_idx + 2) / 4 slots behind it
 * @wqe_idx: number of the first slot
 * @ds_num: segments, 1 to 61
 * @ds_idx: which one, from 0 on
 * @nbytes: 0: no frame
 * @flags: of the request; those of segment 0 count
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ds_num or ds_idx is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
__device__ inline doca_error_t doca_gpu_dev_eth_txq_wqe_prepare_send_empw(
    const struct doca_gpu_eth_txq *txq, struct doca_gpu_dev_eth_txq_wqe *wqe_ptr,
    const uint16_t wqe_idx, const int ds_num, const int ds_idx, const uint64_t addr,
    const uint32_t mkey, const uint32_t nbytes, const enum doca_gpu_eth_send_flags flags);

/**
 * Fill a slot that holds the queue until a time.
 *
 * @wait_on_time_ts: of doca_gpu_dev_eth_txq_calculate_timestamp()
 * @flags: with NOTIFY there is a completion when the time has come
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
__device__ __inline__ static doca_error_t
doca_gpu_dev_eth_txq_wqe_prepare_wait_time(const struct doca_gpu_eth_txq *txq,
                                           struct doca_gpu_dev_eth_txq_wqe *wqe_ptr,
                                           const uint16_t wqe_idx, const uint64_t wait_on_time_ts,
                                           const enum doca_gpu_eth_send_flags flags);

/** Write the record of the producer index, which no device reads here. */
__device__ static inline void doca_priv_gpu_dev_eth_txq_update_dbr(struct doca_gpu_eth_txq *txq,
                                                                   uint32_t prod_index);

/** The same behind a fence. */
template <enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline void doca_gpu_dev_eth_txq_update_dbr(struct doca_gpu_eth_txq *txq,
                                                              uint32_t prod_index);

/** Encode an index for the doorbell; opaque. */
__device__ static inline __be64 doca_gpu_dev_eth_txq_prepare_db(struct doca_gpu_eth_txq *txq,
                                                                uint64_t prod_index);

/**
 * Give slots to the CPU, which hands them on in doca_eth_txq_gpu_cpu_proxy_progress().
 *
 * @prod_index: first slot that is not ready
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline void doca_gpu_dev_eth_txq_submit_proxy(struct doca_gpu_eth_txq *txq,
                                                                uint64_t prod_index);

/** Ring the doorbell, whatever the handle's wqe_pi; for programs that order submits themselves. */
template <enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline void doca_gpu_dev_eth_txq_ring_db(struct doca_gpu_eth_txq *txq,
                                                           uint64_t prod_index);

/** Give slots to the device; prod_index as doca_gpu_dev_eth_txq_submit_proxy(). */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline void doca_gpu_dev_eth_txq_submit_db(struct doca_gpu_eth_txq *txq,
                                                             uint64_t prod_index);

/**
 * Submit slots.
 *
 * @prod_index: first slot that is not ready; a smaller one than before changes nothing
 *
 * nic_handler: who takes the doorbell; AUTO is what the queue was set up for.
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
__device__ static inline void doca_gpu_dev_eth_txq_submit(struct doca_gpu_eth_txq *txq,
                                                          uint64_t prod_index);

/** doca_gpu_dev_eth_txq_send() for one thread. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
__device__ static inline void doca_gpu_dev_eth_txq_send_thread(
    struct doca_gpu_eth_txq *txq, const uint64_t addr, const uint32_t mkey, const size_t size,
    enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket);

/** doca_gpu_dev_eth_txq_send() for all lanes of a warp. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
__device__ static inline void
doca_gpu_dev_eth_txq_send_warp(struct doca_gpu_eth_txq *txq, uint64_t addr, uint32_t mkey,
                               size_t size, enum doca_gpu_eth_send_flags flags,
                               doca_gpu_dev_eth_ticket_t *out_ticket);

/** doca_gpu_dev_eth_txq_send() for all threads of a block. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
__device__ static inline void
doca_gpu_dev_eth_txq_send_block(struct doca_gpu_eth_txq *txq, uint64_t addr, uint32_t mkey,
                                size_t size, enum doca_gpu_eth_send_flags flags,
                                doca_gpu_dev_eth_ticket_t *out_ticket);

/**
 * Send one frame per calling thread, in the order of the threads: one thread, all lanes of a warp,
 * or all threads of a block (which meet at barriers inside and at the end).
 *
 * @addr, mkey, size: the thread's frame, see doca_gpu_dev_eth_txq_wqe_prepare_send()
 * @flags: the thread's own
 * @out_ticket: receives the number of the thread's slot; 0 when nothing is sent because the handle
 * is of another version
 *
 * Waits while the ring is full, unless the queue was stopped.
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_eth_exec_scope exec_scope = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>
__device__ static inline void doca_gpu_dev_eth_txq_send(struct doca_gpu_eth_txq *txq, uint64_t addr,
                                                        uint32_t mkey, size_t size,
                                                        enum doca_gpu_eth_send_flags flags,
                                                        doca_gpu_dev_eth_ticket_t *out_ticket);

/** doca_gpu_dev_eth_txq_wait_send() for one thread. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
__device__ static inline void
doca_gpu_dev_eth_txq_wait_send_thread(struct doca_gpu_eth_txq *txq, const uint64_t wait_on_time_ts,
                                      const uint64_t addr, const uint32_t mkey, const size_t size,
                                      enum doca_gpu_eth_send_flags flags,
                                      doca_gpu_dev_eth_ticket_t *out_ticket);

/** doca_gpu_dev_eth_txq_wait_send() for all lanes of a warp. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
__device__ static inline void doca_gpu_dev_eth_txq_wait_send_warp(
    struct doca_gpu_eth_txq *txq, const uint64_t wait_on_time_ts, uint64_t addr, uint32_t mkey,
    size_t size, enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket);

/** doca_gpu_dev_eth_txq_wait_send() for all threads of a block. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
__device__ static inline void doca_gpu_dev_eth_txq_wait_send_block(
    struct doca_gpu_eth_txq *txq, const uint64_t wait_on_time_ts, uint64_t addr, uint32_t mkey,
    size_t size, enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket);

/**
 * Send as doca_gpu_dev_eth_txq_send(), not before a time: one wait, then the frames of all callers.
 *
 * @wait_on_time_ts: of doca_gpu_dev_eth_txq_calculate_timestamp(); that of the first thread counts
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_eth_exec_scope exec_scope = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>
__device__ static inline void doca_gpu_dev_eth_txq_wait_send(
    struct doca_gpu_eth_txq *txq, const uint64_t wait_on_time_ts, uint64_t addr, uint32_t mkey,
    size_t size, enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket);

/** Consume completions up to prod_index: the handle's cqe_ci becomes it, unless it is greater. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline void doca_gpu_dev_eth_txq_submit_cq_dbr(struct doca_gpu_eth_txq *txq,
                                                                 uint64_t prod_index);

/** Claim the next count completions, also those still to come. Returns the number of the first. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU>
__device__ static inline uint64_t
doca_gpu_dev_eth_txq_reserve_cq_slots(struct doca_gpu_eth_txq *txq, uint32_t count);

/**
 * Consume the next completions; several threads may do so, each gets others.
 *
 * @num_cqe: how many
 * @wait_mode: B waits for all of them, NB takes what is there, up to as many
 * @num_completed: receives how many were consumed; may be NULL
 *
 * cqe_poll: LAST looks at the last one only, as the others come before it.
 *
 * Returns DOCA_SUCCESS, also without completions with NB, or
 *   DOCA_ERROR_INVALID_VALUE: txq is NULL
 *   DOCA_ERROR_UNEXPECTED: a send failed; counted are the completions before it
 *   DOCA_ERROR_BAD_STATE: the queue was stopped
 *   DOCA_ERROR_NOT_SUPPORTED: completions are events of the CPU, or the handle is of another
 * version
 */
template <enum doca_gpu_dev_eth_cq_poll_mode cqe_poll = DOCA_GPUNETIO_ETH_CQ_POLL_ALL,
          enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_poll_completion(struct doca_gpu_eth_txq *txq, const uint32_t num_cqe,
                                     enum doca_gpu_dev_eth_wait_flags wait_mode,
                                     uint32_t *num_completed);

/**
 * Look at one completion; claims nothing.
 *
 * @cqe_idx: counts completions from 0 on, since the queue was started
 * @wait_mode: B waits for it
 *
 * The handle's cqe_ci becomes cqe_idx + 1 when it is there, unless it is greater.
 *
 * Returns DOCA_SUCCESS, with NB also when it is not there yet, or as
 * doca_gpu_dev_eth_txq_poll_completion().
 */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_poll_completion_at(struct doca_gpu_eth_txq *txq, const uint64_t cqe_idx,
                                        enum doca_gpu_dev_eth_wait_flags wait_mode);

#include <impl/doca_gpunetio_dev_eth_txq__funcs.cuh>
#include <impl/doca_gpunetio_dev_eth_txq__classic.cuh>

#endif

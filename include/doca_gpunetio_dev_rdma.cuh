/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA in kernels, by the handle of doca_rdma_get_gpu_handle().
 *
 * Threads queue operations, meet at a barrier, then one of them commits. Strong functions find
 * their position themselves; any number of threads may call them. Weak ones take it from the
 * caller: the position of doca_gpu_dev_rdma_get_info() plus a number of the thread's own, without
 * gaps, masked. Both may be mixed. Operations of one connection take effect in order. Immediate
 * values arrive as they were given.
 *
 * All functions return DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a connection or a range is not there, or too many
 * bytes DOCA_ERROR_NO_MEMORY: the queue is full (strong functions); commit, and try again
 *   DOCA_ERROR_IO_FAILED: an operation failed (functions that wait)
 *   DOCA_ERROR_BAD_STATE: the context was stopped (functions that wait)
 *   DOCA_ERROR_NOT_SUPPORTED: the handle is of another version
 */
#ifndef DOCA_GPUNETIO_DEV_RDMA_CUH_
#define DOCA_GPUNETIO_DEV_RDMA_CUH_

#include <stdint.h>

#include <doca_error.h>
#include <doca_gpunetio.h>

struct doca_gpu_buf;
struct doca_gpu_dev_rdma;
struct doca_gpu_dev_rdma_r;
struct doca_gpu_rdma_recv_h;

/** Of a write */
enum doca_gpu_dev_rdma_write_flags {
    DOCA_GPU_RDMA_WRITE_FLAG_NONE = 0, /**< the peer is not told */
    DOCA_GPU_RDMA_WRITE_FLAG_IMM = 1,  /**< with an immediate value */
};

/** Of a send */
enum doca_gpu_dev_rdma_send_flags {
    DOCA_GPU_RDMA_SEND_FLAG_NONE = 0, /**< without an immediate value */
    DOCA_GPU_RDMA_SEND_FLAG_IMM = 1,  /**< with one */
};

/** Of waiting for receives */
enum doca_gpu_dev_rdma_recv_wait_flags {
    DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB = 0, /**< takes what is there */
    DOCA_GPU_RDMA_RECV_WAIT_FLAG_B = 1,  /**< waits for all */
};

/**
 * Queue a write of local memory to the peer's.
 *
 * @connection_index: of the connection, below their number
 * @remote_buf, local_buf: elements of buffer arrays; ranges lie inside of them
 * @imm, flags: with DOCA_GPU_RDMA_WRITE_FLAG_IMM the peer gets imm, as the completion of a receive
 */
__device__ doca_error_t doca_gpu_dev_rdma_write_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    uint32_t imm, const enum doca_gpu_dev_rdma_write_flags flags);

/** The same at a position of the caller's choice, see above. */
__device__ doca_error_t doca_gpu_dev_rdma_write_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    uint32_t imm, const enum doca_gpu_dev_rdma_write_flags flags, uint32_t position);

/**
 * Queue a write of bytes that are copied by the call.
 *
 * @inl_data, inl_lenght: 1 to 28 bytes, anywhere
 */
__device__ doca_error_t doca_gpu_dev_rdma_write_inline_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
    const enum doca_gpu_dev_rdma_write_flags flags);

/** The same at a position of the caller's choice. */
__device__ doca_error_t doca_gpu_dev_rdma_write_inline_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
    const enum doca_gpu_dev_rdma_write_flags flags, uint32_t position);

/**
 * Queue a read of the peer's memory to local memory.
 *
 * @flags_bitmask: 0
 */
__device__ doca_error_t doca_gpu_dev_rdma_read_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    const uint32_t flags_bitmask);

/** The same at a position of the caller's choice. */
__device__ doca_error_t doca_gpu_dev_rdma_read_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    const uint32_t flags_bitmask, uint32_t position);

/**
 * Queue a send of local memory, which a receive of the peer takes.
 *
 * @imm, flags: with DOCA_GPU_RDMA_SEND_FLAG_IMM the peer gets imm
 */
__device__ doca_error_t doca_gpu_dev_rdma_send_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *send_buf,
    uint64_t send_offset, size_t src_length, uint32_t imm,
    const enum doca_gpu_dev_rdma_send_flags flags);

/** The same at a position of the caller's choice. */
__device__ doca_error_t doca_gpu_dev_rdma_send_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *send_buf,
    uint64_t send_offset, size_t src_length, uint32_t imm,
    const enum doca_gpu_dev_rdma_send_flags flags, uint32_t position);

/**
 * Queue a send of bytes that are copied by the call.
 *
 * @inl_data, inl_lenght: 1 to 44 bytes, anywhere
 */
__device__ doca_error_t doca_gpu_dev_rdma_send_inline_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, uint8_t *inl_data,
    uint32_t inl_lenght, uint32_t imm, const enum doca_gpu_dev_rdma_send_flags flags);

/** The same at a position of the caller's choice. */
__device__ doca_error_t doca_gpu_dev_rdma_send_inline_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, uint8_t *inl_data,
    uint32_t inl_lenght, uint32_t imm, const enum doca_gpu_dev_rdma_send_flags flags,
    uint32_t position);

/** Start all operations of a connection that were queued since its last commit. One thread. */
__device__ doca_error_t doca_gpu_dev_rdma_commit_strong(struct doca_gpu_dev_rdma *rdma,
                                                        uint32_t connection_index);

/** Start the next num_ops operations of a connection. One thread. */
__device__ doca_error_t doca_gpu_dev_rdma_commit_weak(struct doca_gpu_dev_rdma *rdma,
                                                      uint32_t connection_index, uint32_t num_ops);

/**
 * Wait until the peers have acknowledged everything that was committed. One thread.
 *
 * @num_commits: receives how many commits completed since the last call
 */
__device__ doca_error_t doca_gpu_dev_rdma_wait_all(struct doca_gpu_dev_rdma *rdma,
                                                   uint32_t *num_commits);

/**
 * Get where weak functions begin.
 *
 * @curr_position: receives the position behind the last commit
 * @mask_max_position: receives the number of operations that the queue holds, less one
 */
__device__ doca_error_t doca_gpu_dev_rdma_get_info(struct doca_gpu_dev_rdma *rdma,
                                                   uint32_t connection_index,
                                                   uint32_t *curr_position,
                                                   uint32_t *mask_max_position);

/** Get the handle for receives. */
__device__ doca_error_t doca_gpu_dev_rdma_get_recv(struct doca_gpu_dev_rdma *rdma,
                                                   struct doca_gpu_dev_rdma_r **rdma_r);

/**
 * Queue a receive.
 *
 * @recv_buf: may be NULL with a length of 0, for immediate values
 * @flags_bitmask: 0
 */
__device__ doca_error_t doca_gpu_dev_rdma_recv_strong(struct doca_gpu_dev_rdma_r *rdma_r,
                                                      struct doca_gpu_buf *recv_buf,
                                                      size_t recv_length, uint64_t recv_offset,
                                                      const uint32_t flags_bitmask);

/** The same at a position of the caller's choice. */
__device__ doca_error_t doca_gpu_dev_rdma_recv_weak(struct doca_gpu_dev_rdma_r *rdma_r,
                                                    struct doca_gpu_buf *recv_buf,
                                                    size_t recv_length, uint64_t recv_offset,
                                                    const uint32_t flags_bitmask,
                                                    uint32_t position);

/** Post all receives that were queued since the last commit. One thread. */
__device__ doca_error_t doca_gpu_dev_rdma_recv_commit_strong(struct doca_gpu_dev_rdma_r *rdma_r);

/** Post the next num_ops receives. One thread. */
__device__ doca_error_t doca_gpu_dev_rdma_recv_commit_weak(struct doca_gpu_dev_rdma_r *rdma_r,
                                                           uint32_t num_ops);

/**
 * Take completions of receives, in the order in which they came. One thread.
 *
 * @flags: B waits for every receive that was posted, NB takes what is there
 * @num_ops: receives how many
 * @imm_val, connection_index: receive the immediate value (0 without) and the connection of each;
 * room for all receives that were posted; may be NULL
 */
__device__ doca_error_t doca_gpu_dev_rdma_recv_wait_all(
    struct doca_gpu_dev_rdma_r *rdma_r, const enum doca_gpu_dev_rdma_recv_wait_flags flags,
    uint32_t *num_ops, uint32_t *imm_val, uint32_t *connection_index);

/** Get where weak functions begin, as doca_gpu_dev_rdma_get_info(). */
__device__ doca_error_t doca_gpu_dev_rdma_recv_get_info(struct doca_gpu_dev_rdma_r *rdma_r,
                                                        uint32_t *curr_position,
                                                        uint32_t *mask_max_position);

#include <impl/doca_gpunetio_dev_rdma__funcs.cuh>

#endif

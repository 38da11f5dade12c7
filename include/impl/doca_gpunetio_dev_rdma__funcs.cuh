/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of doca_gpunetio_dev_rdma.cuh. */
#ifndef DOCA_GPUNETIO_DEV_RDMA__FUNCS_CUH_
#define DOCA_GPUNETIO_DEV_RDMA__FUNCS_CUH_

#include <impl/opendoca_gpu_dev.cuh>

#define OPENDOCA_DEV_WRITE_INLINE_MAX 28u

/* ---- places in queues ---- */

/* The next place of a queue; false when it is full: places are free again behind `*freed`. */
__device__ static inline bool opendoca_dev_rdma_next(uint64_t *queued, const uint64_t *freed,
                                                     uint32_t num, uint64_t *index)
{
    do {
        *index = opendoca_gpu_observe(queued);
        if (*index - opendoca_gpu_observe(freed) >= num) {
            opendoca_dev_pause();
            return false;
        }
    } while (opendoca_dev_cas(queued, *index, *index + 1) != *index);
    return true;
}

/* The place that a masked position names since the last commit. */
__device__ static inline uint64_t opendoca_dev_rdma_place(uint64_t *queued, uint64_t *committed,
                                                          uint32_t num, uint32_t position)
{
    uint64_t base = opendoca_gpu_observe(committed);
    uint64_t index = base + ((position - base) & (num - 1));

    (void)opendoca_dev_max<false>(queued, index + 1);
    return index;
}

__device__ static inline void opendoca_dev_rdma_post(uint64_t *committed, uint64_t words,
                                                     uint64_t end)
{
    opendoca_gpu_publish(committed, end);
    opendoca_gpu_fence_before_doorbell();
    opendoca_gpu_publish(&((struct opendoca_gpu_rdma_words *)words)->committed, end);
    opendoca_dev_step();
}

/* Waits for everything that was committed. */
__device__ static inline doca_error_t opendoca_dev_rdma_await(uint64_t words, uint64_t committed)
{
    const struct opendoca_gpu_rdma_words *w = (const struct opendoca_gpu_rdma_words *)words;
    uint32_t rounds = 0;

    while (opendoca_gpu_observe(&w->done) < committed) {
        if (opendoca_gpu_observe(&w->failed))
            return DOCA_ERROR_IO_FAILED;
        if (++rounds % OPENDOCA_DEV_ROUNDS == 0 &&
            opendoca_gpu_peek(&w->state) != OPENDOCA_GPU_QUEUE_RUNS)
            return DOCA_ERROR_BAD_STATE;
        opendoca_dev_pause();
    }
    return opendoca_gpu_observe(&w->failed) ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* ---- operations ---- */

__device__ static inline doca_error_t opendoca_dev_rdma_conn(struct doca_gpu_dev_rdma *rdma,
                                                             uint32_t connection_index,
                                                             struct opendoca_gpu_rdma_conn **conn)
{
    doca_error_t code;

    if (!rdma)
        return DOCA_ERROR_INVALID_VALUE;
    code = opendoca_dev_check(rdma, OPENDOCA_GPU_RDMA_MAGIC, "doca_gpu_dev_rdma");
    if (code != DOCA_SUCCESS)
        return code;
    if (connection_index >= rdma->conns)
        return DOCA_ERROR_INVALID_VALUE;
    *conn = (struct opendoca_gpu_rdma_conn *)rdma->conn + connection_index;
    return DOCA_SUCCESS;
}

__device__ static inline bool opendoca_dev_rdma_in(const struct doca_gpu_buf *buf, uint64_t offset,
                                                   uint64_t length)
{
    return buf && offset <= buf->bytes && length <= buf->bytes - offset;
}

__device__ static inline bool opendoca_dev_rdma_remote(struct opendoca_gpu_rdma_op *op,
                                                       const struct doca_gpu_buf *buf,
                                                       uint64_t offset, uint64_t length)
{
    if (!opendoca_dev_rdma_in(buf, offset, length))
        return false;
    op->remote = buf->addr + offset;
    op->remote_key_be = buf->key_be;
    return true;
}

__device__ static inline bool opendoca_dev_rdma_local(struct opendoca_gpu_rdma_op *op,
                                                      const struct doca_gpu_buf *buf,
                                                      uint64_t offset, uint64_t length)
{
    if (!opendoca_dev_rdma_in(buf, offset, length))
        return false;
    op->local = buf->addr + offset;
    op->local_key_be = buf->key_be;
    op->bytes = (uint32_t)length;
    return true;
}

__device__ static inline bool opendoca_dev_rdma_inline(struct opendoca_gpu_rdma_op *op,
                                                       const uint8_t *data, uint32_t length,
                                                       uint32_t most)
{
    if (!data || !length || length > most)
        return false;
    for (uint32_t i = 0; i < length; i++)
        op->data[i] = data[i];
    op->bytes = length;
    op->flags |= OPENDOCA_GPU_RDMA_INLINE;
    return true;
}

__device__ static inline struct opendoca_gpu_rdma_op
opendoca_dev_rdma_op(uint32_t opcode, bool with_imm, uint32_t imm)
{
    struct opendoca_gpu_rdma_op op;

    op.opcode = opcode;
    op.flags = with_imm ? OPENDOCA_GPU_RDMA_IMM : 0;
    op.imm = with_imm ? imm : 0;
    op.remote = op.local = 0;
    op.remote_key_be = op.local_key_be = 0;
    op.bytes = 0;
    return op;
}

/* Puts an operation into the queue of its connection: at `position` of a weak function, else next.
 */
__device__ static inline doca_error_t opendoca_dev_rdma_put(struct doca_gpu_dev_rdma *rdma,
                                                            uint32_t connection_index, bool valid,
                                                            const struct opendoca_gpu_rdma_op *op,
                                                            const uint32_t *position)
{
    struct opendoca_gpu_rdma_conn *conn;
    struct opendoca_gpu_rdma_op *place;
    doca_error_t code = opendoca_dev_rdma_conn(rdma, connection_index, &conn);
    uint64_t index;

    if (code != DOCA_SUCCESS)
        return code;
    if (!valid)
        return DOCA_ERROR_INVALID_VALUE;
    if (position)
        index = opendoca_dev_rdma_place(&conn->queued, &conn->committed, rdma->num, *position);
    else if (!opendoca_dev_rdma_next(&conn->queued,
                                     &((struct opendoca_gpu_rdma_words *)conn->words)->done,
                                     rdma->num, &index))
        return DOCA_ERROR_NO_MEMORY;
    place = (struct opendoca_gpu_rdma_op *)conn->ops + (index & (rdma->num - 1));
    place->opcode = op->opcode;
    place->flags = op->flags;
    place->remote = op->remote;
    place->local = op->local;
    place->remote_key_be = op->remote_key_be;
    place->local_key_be = op->local_key_be;
    place->bytes = op->bytes;
    place->imm = op->imm;
    for (uint32_t i = 0; (op->flags & OPENDOCA_GPU_RDMA_INLINE) && i < op->bytes; i++)
        place->data[i] = op->data[i];
    opendoca_gpu_fence_before_doorbell();
    return DOCA_SUCCESS;
}

__device__ static inline doca_error_t opendoca_dev_rdma_write(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    uint32_t imm, enum doca_gpu_dev_rdma_write_flags flags, const uint32_t *position)
{
    struct opendoca_gpu_rdma_op op =
        opendoca_dev_rdma_op(OPENDOCA_GPU_RDMA_WRITE, flags == DOCA_GPU_RDMA_WRITE_FLAG_IMM, imm);
    bool valid = opendoca_dev_rdma_remote(&op, remote_buf, remote_offset, length) &&
                 opendoca_dev_rdma_local(&op, local_buf, local_offset, length);

    return opendoca_dev_rdma_put(rdma, connection_index, valid, &op, position);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_write_strong(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                               struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
                               struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
                               uint32_t imm, const enum doca_gpu_dev_rdma_write_flags flags)
{
    return opendoca_dev_rdma_write(rdma, connection_index, remote_buf, remote_offset, local_buf,
                                   local_offset, length, imm, flags, NULL);
}

__device__ inline doca_error_t doca_gpu_dev_rdma_write_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    uint32_t imm, const enum doca_gpu_dev_rdma_write_flags flags, uint32_t position)
{
    return opendoca_dev_rdma_write(rdma, connection_index, remote_buf, remote_offset, local_buf,
                                   local_offset, length, imm, flags, &position);
}

__device__ static inline doca_error_t
opendoca_dev_rdma_write_inline(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                               struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
                               const uint8_t *data, uint32_t length, uint32_t imm,
                               enum doca_gpu_dev_rdma_write_flags flags, const uint32_t *position)
{
    struct opendoca_gpu_rdma_op op =
        opendoca_dev_rdma_op(OPENDOCA_GPU_RDMA_WRITE, flags == DOCA_GPU_RDMA_WRITE_FLAG_IMM, imm);
    bool valid = opendoca_dev_rdma_remote(&op, remote_buf, remote_offset, length) &&
                 opendoca_dev_rdma_inline(&op, data, length, OPENDOCA_DEV_WRITE_INLINE_MAX);

    return opendoca_dev_rdma_put(rdma, connection_index, valid, &op, position);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_write_inline_strong(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                                      struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
                                      uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
                                      const enum doca_gpu_dev_rdma_write_flags flags)
{
    return opendoca_dev_rdma_write_inline(rdma, connection_index, remote_buf, remote_offset,
                                          inl_data, inl_lenght, imm, flags, NULL);
}

__device__ inline doca_error_t doca_gpu_dev_rdma_write_inline_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
    const enum doca_gpu_dev_rdma_write_flags flags, uint32_t position)
{
    return opendoca_dev_rdma_write_inline(rdma, connection_index, remote_buf, remote_offset,
                                          inl_data, inl_lenght, imm, flags, &position);
}

__device__ static inline doca_error_t
opendoca_dev_rdma_read(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                       struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
                       struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
                       const uint32_t *position)
{
    struct opendoca_gpu_rdma_op op = opendoca_dev_rdma_op(OPENDOCA_GPU_RDMA_READ, false, 0);
    bool valid = opendoca_dev_rdma_remote(&op, remote_buf, remote_offset, length) &&
                 opendoca_dev_rdma_local(&op, local_buf, local_offset, length);

    return opendoca_dev_rdma_put(rdma, connection_index, valid, &op, position);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_read_strong(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                              struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
                              struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
                              const uint32_t flags_bitmask)
{
    (void)flags_bitmask;
    return opendoca_dev_rdma_read(rdma, connection_index, remote_buf, remote_offset, local_buf,
                                  local_offset, length, NULL);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_read_weak(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                            struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
                            struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
                            const uint32_t flags_bitmask, uint32_t position)
{
    (void)flags_bitmask;
    return opendoca_dev_rdma_read(rdma, connection_index, remote_buf, remote_offset, local_buf,
                                  local_offset, length, &position);
}

__device__ static inline doca_error_t
opendoca_dev_rdma_send(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                       struct doca_gpu_buf *buf, uint64_t offset, size_t length, uint32_t imm,
                       enum doca_gpu_dev_rdma_send_flags flags, const uint32_t *position)
{
    struct opendoca_gpu_rdma_op op =
        opendoca_dev_rdma_op(OPENDOCA_GPU_RDMA_SEND, flags == DOCA_GPU_RDMA_SEND_FLAG_IMM, imm);
    bool valid = opendoca_dev_rdma_local(&op, buf, offset, length);

    return opendoca_dev_rdma_put(rdma, connection_index, valid, &op, position);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_send_strong(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                              struct doca_gpu_buf *send_buf, uint64_t send_offset,
                              size_t src_length, uint32_t imm,
                              const enum doca_gpu_dev_rdma_send_flags flags)
{
    return opendoca_dev_rdma_send(rdma, connection_index, send_buf, send_offset, src_length, imm,
                                  flags, NULL);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_send_weak(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                            struct doca_gpu_buf *send_buf, uint64_t send_offset, size_t src_length,
                            uint32_t imm, const enum doca_gpu_dev_rdma_send_flags flags,
                            uint32_t position)
{
    return opendoca_dev_rdma_send(rdma, connection_index, send_buf, send_offset, src_length, imm,
                                  flags, &position);
}

__device__ static inline doca_error_t
opendoca_dev_rdma_send_inline(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                              const uint8_t *data, uint32_t length, uint32_t imm,
                              enum doca_gpu_dev_rdma_send_flags flags, const uint32_t *position)
{
    struct opendoca_gpu_rdma_op op =
        opendoca_dev_rdma_op(OPENDOCA_GPU_RDMA_SEND, flags == DOCA_GPU_RDMA_SEND_FLAG_IMM, imm);
    bool valid = opendoca_dev_rdma_inline(&op, data, length, OPENDOCA_GPU_RDMA_INLINE_MAX);

    return opendoca_dev_rdma_put(rdma, connection_index, valid, &op, position);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_send_inline_strong(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                                     uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
                                     const enum doca_gpu_dev_rdma_send_flags flags)
{
    return opendoca_dev_rdma_send_inline(rdma, connection_index, inl_data, inl_lenght, imm, flags,
                                         NULL);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_send_inline_weak(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                                   uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
                                   const enum doca_gpu_dev_rdma_send_flags flags, uint32_t position)
{
    return opendoca_dev_rdma_send_inline(rdma, connection_index, inl_data, inl_lenght, imm, flags,
                                         &position);
}

/* ---- commits ---- */

__device__ inline doca_error_t doca_gpu_dev_rdma_commit_strong(struct doca_gpu_dev_rdma *rdma,
                                                               uint32_t connection_index)
{
    struct opendoca_gpu_rdma_conn *conn;
    doca_error_t code = opendoca_dev_rdma_conn(rdma, connection_index, &conn);

    if (code != DOCA_SUCCESS)
        return code;
    opendoca_dev_rdma_post(&conn->committed, conn->words, opendoca_gpu_observe(&conn->queued));
    (void)opendoca_dev_add<false>(&rdma->commits, (uint64_t)1);
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t doca_gpu_dev_rdma_commit_weak(struct doca_gpu_dev_rdma *rdma,
                                                             uint32_t connection_index,
                                                             uint32_t num_ops)
{
    struct opendoca_gpu_rdma_conn *conn;
    doca_error_t code = opendoca_dev_rdma_conn(rdma, connection_index, &conn);

    if (code != DOCA_SUCCESS)
        return code;
    opendoca_dev_rdma_post(&conn->committed, conn->words,
                           opendoca_gpu_observe(&conn->committed) + num_ops);
    (void)opendoca_dev_add<false>(&rdma->commits, (uint64_t)1);
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t doca_gpu_dev_rdma_wait_all(struct doca_gpu_dev_rdma *rdma,
                                                          uint32_t *num_commits)
{
    struct opendoca_gpu_rdma_conn *conn;
    doca_error_t code = opendoca_dev_rdma_conn(rdma, 0, &conn);

    if (code != DOCA_SUCCESS)
        return code;
    if (!num_commits)
        return DOCA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; code == DOCA_SUCCESS && i < rdma->conns; i++) {
        if (opendoca_gpu_observe(&conn[i].committed))
            code = opendoca_dev_rdma_await(conn[i].words, opendoca_gpu_observe(&conn[i].committed));
    }
    if (code == DOCA_SUCCESS) {
        *num_commits = (uint32_t)opendoca_gpu_observe(&rdma->commits);
        rdma->commits = 0;
    }
    return code;
}

__device__ inline doca_error_t doca_gpu_dev_rdma_get_info(struct doca_gpu_dev_rdma *rdma,
                                                          uint32_t connection_index,
                                                          uint32_t *curr_position,
                                                          uint32_t *mask_max_position)
{
    struct opendoca_gpu_rdma_conn *conn;
    doca_error_t code = opendoca_dev_rdma_conn(rdma, connection_index, &conn);

    if (code != DOCA_SUCCESS)
        return code;
    if (!curr_position || !mask_max_position)
        return DOCA_ERROR_INVALID_VALUE;
    *mask_max_position = rdma->num - 1;
    *curr_position = (uint32_t)opendoca_gpu_observe(&conn->committed) & (rdma->num - 1);
    return DOCA_SUCCESS;
}

/* ---- receives ---- */

__device__ inline doca_error_t doca_gpu_dev_rdma_get_recv(struct doca_gpu_dev_rdma *rdma,
                                                          struct doca_gpu_dev_rdma_r **rdma_r)
{
    struct opendoca_gpu_rdma_conn *conn;
    doca_error_t code = opendoca_dev_rdma_conn(rdma, 0, &conn);

    if (code == DOCA_SUCCESS && !rdma_r)
        code = DOCA_ERROR_INVALID_VALUE;
    if (code == DOCA_SUCCESS)
        *rdma_r = (struct doca_gpu_dev_rdma_r *)rdma->recv;
    return code;
}

__device__ static inline doca_error_t opendoca_dev_rdma_r_check(struct doca_gpu_dev_rdma_r *rdma_r)
{
    return rdma_r ? opendoca_dev_check(rdma_r, OPENDOCA_GPU_RDMR_MAGIC, "doca_gpu_dev_rdma_recv")
                  : DOCA_ERROR_INVALID_VALUE;
}

__device__ static inline doca_error_t opendoca_dev_rdma_recv(struct doca_gpu_dev_rdma_r *rdma_r,
                                                             struct doca_gpu_buf *buf,
                                                             size_t length, uint64_t offset,
                                                             const uint32_t *position)
{
    struct opendoca_gpu_rdma_recv *place;
    doca_error_t code = opendoca_dev_rdma_r_check(rdma_r);
    uint64_t index;

    if (code != DOCA_SUCCESS)
        return code;
    if (buf ? !opendoca_dev_rdma_in(buf, offset, length) : length != 0)
        return DOCA_ERROR_INVALID_VALUE;
    if (position)
        index =
            opendoca_dev_rdma_place(&rdma_r->queued, &rdma_r->committed, rdma_r->num, *position);
    else if (!opendoca_dev_rdma_next(&rdma_r->queued, &rdma_r->taken, rdma_r->num, &index))
        return DOCA_ERROR_NO_MEMORY;
    place = (struct opendoca_gpu_rdma_recv *)rdma_r->recvs + (index & (rdma_r->num - 1));
    place->addr = buf ? buf->addr + offset : 0;
    place->key_be = buf ? buf->key_be : 0;
    place->bytes = (uint32_t)length;
    opendoca_gpu_fence_before_doorbell();
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t doca_gpu_dev_rdma_recv_strong(struct doca_gpu_dev_rdma_r *rdma_r,
                                                             struct doca_gpu_buf *recv_buf,
                                                             size_t recv_length,
                                                             uint64_t recv_offset,
                                                             const uint32_t flags_bitmask)
{
    (void)flags_bitmask;
    return opendoca_dev_rdma_recv(rdma_r, recv_buf, recv_length, recv_offset, NULL);
}

__device__ inline doca_error_t doca_gpu_dev_rdma_recv_weak(struct doca_gpu_dev_rdma_r *rdma_r,
                                                           struct doca_gpu_buf *recv_buf,
                                                           size_t recv_length, uint64_t recv_offset,
                                                           const uint32_t flags_bitmask,
                                                           uint32_t position)
{
    (void)flags_bitmask;
    return opendoca_dev_rdma_recv(rdma_r, recv_buf, recv_length, recv_offset, &position);
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_recv_commit_strong(struct doca_gpu_dev_rdma_r *rdma_r)
{
    doca_error_t code = opendoca_dev_rdma_r_check(rdma_r);

    if (code == DOCA_SUCCESS)
        opendoca_dev_rdma_post(&rdma_r->committed, rdma_r->words,
                               opendoca_gpu_observe(&rdma_r->queued));
    return code;
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_recv_commit_weak(struct doca_gpu_dev_rdma_r *rdma_r, uint32_t num_ops)
{
    doca_error_t code = opendoca_dev_rdma_r_check(rdma_r);

    if (code == DOCA_SUCCESS)
        opendoca_dev_rdma_post(&rdma_r->committed, rdma_r->words,
                               opendoca_gpu_observe(&rdma_r->committed) + num_ops);
    return code;
}

__device__ inline doca_error_t
doca_gpu_dev_rdma_recv_wait_all(struct doca_gpu_dev_rdma_r *rdma_r,
                                const enum doca_gpu_dev_rdma_recv_wait_flags flags,
                                uint32_t *num_ops, uint32_t *imm_val, uint32_t *connection_index)
{
    doca_error_t code = opendoca_dev_rdma_r_check(rdma_r);
    uint64_t done;
    uint32_t num = 0;

    if (code != DOCA_SUCCESS)
        return code;
    if (!num_ops)
        return DOCA_ERROR_INVALID_VALUE;
    if (flags == DOCA_GPU_RDMA_RECV_WAIT_FLAG_B)
        code = opendoca_dev_rdma_await(rdma_r->words, opendoca_gpu_observe(&rdma_r->committed));
    else
        opendoca_dev_pause();
    done = opendoca_gpu_observe(&((const struct opendoca_gpu_rdma_words *)rdma_r->words)->done);
    for (; rdma_r->taken + num < done; num++) {
        const struct opendoca_gpu_rdma_arrival *arrival =
            (const struct opendoca_gpu_rdma_arrival *)rdma_r->arrivals +
            ((rdma_r->taken + num) & (rdma_r->num - 1));

        if (imm_val)
            imm_val[num] = opendoca_gpu_peek32(&arrival->imm);
        if (connection_index)
            connection_index[num] = opendoca_gpu_peek32(&arrival->conn);
    }
    opendoca_gpu_publish(&rdma_r->taken, rdma_r->taken + num);
    *num_ops = num;
    return code;
}

__device__ inline doca_error_t doca_gpu_dev_rdma_recv_get_info(struct doca_gpu_dev_rdma_r *rdma_r,
                                                               uint32_t *curr_position,
                                                               uint32_t *mask_max_position)
{
    doca_error_t code = opendoca_dev_rdma_r_check(rdma_r);

    if (code != DOCA_SUCCESS)
        return code;
    if (!curr_position || !mask_max_position)
        return DOCA_ERROR_INVALID_VALUE;
    *mask_max_position = rdma_r->num - 1;
    *curr_position = (uint32_t)opendoca_gpu_observe(&rdma_r->committed) & (rdma_r->num - 1);
    return DOCA_SUCCESS;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of doca_gpunetio_dev_eth_txq.cuh. */
#ifndef DOCA_GPUNETIO_DEV_ETH_TXQ__FUNCS_CUH_
#define DOCA_GPUNETIO_DEV_ETH_TXQ__FUNCS_CUH_

/* Words of the device code's own in the private end of a handle. */
#define OPENDOCA_DEV_TX_TAKEN 0 /* slots that the device was seen to have taken */
#define OPENDOCA_DEV_TX_TOLD  1 /* not 0: a reservation that is too large was reported */

__device__ static inline struct opendoca_gpu_tx_words *
opendoca_dev_tx_words(const struct doca_gpu_eth_txq *txq)
{
    return (struct opendoca_gpu_tx_words *)txq->opendoca.words;
}

__device__ static inline bool opendoca_dev_tx_runs(const struct doca_gpu_eth_txq *txq)
{
    return opendoca_gpu_peek(&opendoca_dev_tx_words(txq)->state) == OPENDOCA_GPU_QUEUE_RUNS;
}

__device__ static inline doca_error_t opendoca_dev_tx_check(const struct doca_gpu_eth_txq *txq,
                                                            const char *what)
{
    return opendoca_dev_check(&txq->opendoca, OPENDOCA_GPU_TXQ_MAGIC, what);
}

/* ---- slots ---- */

__device__ static inline struct doca_gpu_dev_eth_txq_wqe *
doca_gpu_dev_eth_txq_get_wqe_ptr(struct doca_gpu_eth_txq *txq, uint16_t wqe_idx)
{
    return (struct doca_gpu_dev_eth_txq_wqe *)txq->wqe_addr + (wqe_idx & txq->wqe_mask);
}

__device__ static inline uint64_t opendoca_dev_tx_size(const struct doca_gpu_eth_txq *txq)
{
    return (uint64_t)txq->wqe_mask + 1;
}

/* Whether all slots before `end` may be filled. */
__device__ static inline bool opendoca_dev_tx_has_room(struct doca_gpu_eth_txq *txq, uint64_t end)
{
    uint64_t *seen = &txq->opendoca.spare[OPENDOCA_DEV_TX_TAKEN], taken;

    if (end <= opendoca_gpu_observe(seen) + opendoca_dev_tx_size(txq))
        return true;
    taken = opendoca_gpu_observe(&opendoca_dev_tx_words(txq)->taken);
    opendoca_gpu_publish(seen, taken);
    return end <= taken + opendoca_dev_tx_size(txq);
}

__device__ static inline void opendoca_dev_tx_too_many(struct doca_gpu_eth_txq *txq, uint32_t count)
{
    if (opendoca_dev_cas(&txq->opendoca.spare[OPENDOCA_DEV_TX_TOLD], 0, 1) == 0)
        printf("doca_gpu_dev_eth_txq_reserve_wq_slots(): %u slots of a ring of %u at once; "
               "create the queue with more, or reserve fewer\n",
               (unsigned int)count, (unsigned int)opendoca_dev_tx_size(txq));
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline uint64_t
doca_gpu_dev_eth_txq_reserve_wq_slots(struct doca_gpu_eth_txq *txq, uint32_t count)
{
    uint64_t first =
        doca_gpu_dev_eth_atomic_add<uint64_t, resource_sharing_mode>(&txq->sq_rsvd_index, count);
    uint32_t rounds = 0;

    if (count > opendoca_dev_tx_size(txq)) {
        opendoca_dev_tx_too_many(txq, count);
        return first;
    }
    while (!opendoca_dev_tx_has_room(txq, first + count)) {
        if (++rounds % OPENDOCA_DEV_ROUNDS == 0 && !opendoca_dev_tx_runs(txq))
            break;
        opendoca_dev_pause();
    }
    return first;
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline void doca_gpu_dev_eth_txq_mark_wqes_ready(struct doca_gpu_eth_txq *txq,
                                                                   uint64_t from_wqe_idx,
                                                                   uint64_t to_wqe_idx)
{
    if (resource_sharing_mode == DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE) {
        txq->sq_ready_index = to_wqe_idx + 1;
    } else {
        opendoca_gpu_fence_before_doorbell();
        while (opendoca_gpu_observe(&txq->sq_ready_index) != from_wqe_idx)
            opendoca_dev_pause();
        opendoca_gpu_publish(&txq->sq_ready_index, to_wqe_idx + 1);
    }
}

__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_calculate_timestamp(const struct doca_gpu_eth_txq *txq,
                                         const uint64_t timestamp_ns, uint64_t *wait_on_time_ts)
{
    doca_error_t code = opendoca_dev_tx_check(txq, "doca_gpu_dev_eth_txq_calculate_timestamp()");

    if (code == DOCA_SUCCESS)
        *wait_on_time_ts = opendoca_gpu_time_to_be(timestamp_ns);
    return code;
}

/* ---- what slots hold ---- */

__device__ static inline void opendoca_dev_tx_control(void *slot, unsigned int opcode,
                                                      unsigned int segments, uint16_t index,
                                                      unsigned int flags)
{
    uint64_t word = opendoca_gpu_slot_word(opcode, segments, index, flags);

    opendoca_dev_store_quarter(slot, word, word ^ OPENDOCA_GPU_SLOT_CHECK);
}

__device__ static inline void opendoca_dev_tx_sums(const struct doca_gpu_eth_txq *txq, void *slot)
{
    uint64_t sums = (txq->enable_l3_cs_offload ? OPENDOCA_GPU_SLOT_L3_SUM : 0u) |
                    (txq->enable_l4_cs_offload ? OPENDOCA_GPU_SLOT_L4_SUM : 0u);

    opendoca_dev_store_quarter((char *)slot + 16, sums, 0);
}

/* Segment in a quarter of a slot, counted from 0. */
__device__ static inline void opendoca_dev_tx_segment(void *slot, unsigned int quarter,
                                                      uint64_t addr, uint32_t key, uint32_t bytes)
{
    opendoca_dev_store_quarter((char *)slot + quarter * 16, (uint64_t)key << 32 | bytes, addr);
}

__device__ static inline unsigned int opendoca_dev_tx_flags(enum doca_gpu_eth_send_flags flags)
{
    return flags & DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY ? OPENDOCA_GPU_SLOT_NOTIFY : 0;
}

__device__ __inline__ static doca_error_t doca_gpu_dev_eth_txq_wqe_prepare_send(
    const struct doca_gpu_eth_txq *txq, struct doca_gpu_dev_eth_txq_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint64_t addr0, const uint32_t mkey0, const uint32_t nbytes0,
    const uint64_t addr1, const uint32_t mkey1, const uint32_t nbytes1,
    const enum doca_gpu_eth_send_flags flags)
{
    doca_error_t code = opendoca_dev_tx_check(txq, "doca_gpu_dev_eth_txq_wqe_prepare_send()");

    if (code != DOCA_SUCCESS)
        return code;
    opendoca_dev_tx_control(wqe_ptr, OPENDOCA_GPU_SLOT_SEND, nbytes1 ? 2 : 1, wqe_idx,
                            opendoca_dev_tx_flags(flags));
    opendoca_dev_tx_sums(txq, wqe_ptr);
    opendoca_dev_tx_segment(wqe_ptr, 2, addr0, mkey0, nbytes0);
    opendoca_dev_tx_segment(wqe_ptr, 3, addr1, mkey1, nbytes1);
    return DOCA_SUCCESS;
}

__device__ __inline__ static doca_error_t doca_gpu_dev_eth_txq_wqe_prepare_send(
    const struct doca_gpu_eth_txq *txq, struct doca_gpu_dev_eth_txq_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint64_t addr, const uint32_t mkey, const uint32_t nbytes,
    const enum doca_gpu_eth_send_flags flags)
{
    return doca_gpu_dev_eth_txq_wqe_prepare_send(txq, wqe_ptr, wqe_idx, addr, mkey, nbytes, 0, 0, 0,
                                                 flags);
}

__device__ inline doca_error_t doca_gpu_dev_eth_txq_wqe_prepare_send_empw(
    const struct doca_gpu_eth_txq *txq, struct doca_gpu_dev_eth_txq_wqe *wqe_ptr,
    const uint16_t wqe_idx, const int ds_num, const int ds_idx, const uint64_t addr,
    const uint32_t mkey, const uint32_t nbytes, const enum doca_gpu_eth_send_flags flags)
{
    doca_error_t code = opendoca_dev_tx_check(txq, "doca_gpu_dev_eth_txq_wqe_prepare_send_empw()");

    if (code != DOCA_SUCCESS)
        return code;
    if (ds_num < 1 || ds_num > DOCA_GPUNETIO_ETH_EMPW_DSEG_MAX_NUM || ds_idx < 0 ||
        ds_idx >= ds_num)
        return DOCA_ERROR_INVALID_VALUE;
    if (ds_idx == 0) {
        opendoca_dev_tx_control(wqe_ptr, OPENDOCA_GPU_SLOT_MULTI, (unsigned int)ds_num, wqe_idx,
                                opendoca_dev_tx_flags(flags));
        opendoca_dev_tx_sums(txq, wqe_ptr);
    }
    opendoca_dev_tx_segment(wqe_ptr, ((unsigned int)ds_idx + 2) % 4, addr, mkey, nbytes);
    return DOCA_SUCCESS;
}

__device__ __inline__ static doca_error_t
doca_gpu_dev_eth_txq_wqe_prepare_wait_time(const struct doca_gpu_eth_txq *txq,
                                           struct doca_gpu_dev_eth_txq_wqe *wqe_ptr,
                                           const uint16_t wqe_idx, const uint64_t wait_on_time_ts,
                                           const enum doca_gpu_eth_send_flags flags)
{
    doca_error_t code = opendoca_dev_tx_check(txq, "doca_gpu_dev_eth_txq_wqe_prepare_wait_time()");

    if (code != DOCA_SUCCESS)
        return code;
    opendoca_dev_tx_control(wqe_ptr, OPENDOCA_GPU_SLOT_WAIT, 0, wqe_idx,
                            opendoca_dev_tx_flags(flags));
    opendoca_dev_store_quarter((char *)wqe_ptr + 16, wait_on_time_ts, 0);
    return DOCA_SUCCESS;
}

/* ---- submitting ---- */

__device__ static inline void doca_priv_gpu_dev_eth_txq_update_dbr(struct doca_gpu_eth_txq *txq,
                                                                   uint32_t prod_index)
{
    opendoca_gpu_poke((uint64_t *)txq->wqe_db_rec, doca_gpu_dev_eth_prepare_dbr(prod_index));
}

template <enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_txq_update_dbr(struct doca_gpu_eth_txq *txq,
                                                              uint32_t prod_index)
{
    doca_gpu_dev_eth_fence_release<sync_scope>();
    doca_priv_gpu_dev_eth_txq_update_dbr(txq, prod_index);
}

__device__ static inline __be64 doca_gpu_dev_eth_txq_prepare_db(struct doca_gpu_eth_txq *txq,
                                                                uint64_t prod_index)
{
    (void)txq;
    return opendoca_gpu_swap64(prod_index);
}

template <enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_txq_ring_db(struct doca_gpu_eth_txq *txq,
                                                           uint64_t prod_index)
{
    opendoca_gpu_fence_before_doorbell();
    opendoca_gpu_publish((uint64_t *)txq->wqe_db, prod_index);
    opendoca_dev_step();
}

/* Writes the greatest index so far to one of the words that take it; one thread at a time. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline void opendoca_dev_tx_submit(struct doca_gpu_eth_txq *txq, uint64_t *word,
                                                     uint64_t prod_index)
{
    opendoca_gpu_fence_before_doorbell();
    doca_gpu_dev_eth_lock<resource_sharing_mode>(&txq->lock);
    if (doca_gpu_dev_eth_atomic_max<uint64_t, resource_sharing_mode>(&txq->wqe_pi, prod_index) <
        prod_index)
        opendoca_gpu_publish(word, prod_index);
    doca_gpu_dev_eth_unlock<resource_sharing_mode>(&txq->lock);
    opendoca_dev_step();
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_txq_submit_proxy(struct doca_gpu_eth_txq *txq,
                                                                uint64_t prod_index)
{
    opendoca_dev_tx_submit<resource_sharing_mode>(txq, (uint64_t *)txq->shared_mem_addr_gpu,
                                                  prod_index);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_txq_submit_db(struct doca_gpu_eth_txq *txq,
                                                             uint64_t prod_index)
{
    opendoca_dev_tx_submit<resource_sharing_mode>(txq, (uint64_t *)txq->wqe_db, prod_index);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline void doca_gpu_dev_eth_txq_submit(struct doca_gpu_eth_txq *txq,
                                                          uint64_t prod_index)
{
    enum doca_gpu_dev_eth_nic_handler handler =
        nic_handler == DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO ? txq->nic_handler : nic_handler;

    if (handler == DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY)
        doca_gpu_dev_eth_txq_submit_proxy<resource_sharing_mode, sync_scope>(txq, prod_index);
    else
        doca_gpu_dev_eth_txq_submit_db<resource_sharing_mode, sync_scope>(txq, prod_index);
}

/* ---- sending: `waits` is 1 with a wait before the frames, else 0 ---- */

__device__ static inline uint32_t opendoca_dev_tx_bytes(size_t size)
{
    return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size; /* too long either way */
}

/* Fills the slot of the nth caller, and the first one that of the wait. Returns its number. */
template <unsigned int waits>
__device__ static inline uint64_t
opendoca_dev_tx_fill(struct doca_gpu_eth_txq *txq, uint64_t base, unsigned int nth, uint64_t time,
                     uint64_t addr, uint32_t mkey, size_t size, enum doca_gpu_eth_send_flags flags)
{
    uint64_t mine = base + waits + nth;

    if (waits && nth == 0)
        (void)doca_gpu_dev_eth_txq_wqe_prepare_wait_time(
            txq, doca_gpu_dev_eth_txq_get_wqe_ptr(txq, (uint16_t)base), (uint16_t)base, time,
            DOCA_GPUNETIO_ETH_SEND_FLAG_NONE);
    (void)doca_gpu_dev_eth_txq_wqe_prepare_send(
        txq, doca_gpu_dev_eth_txq_get_wqe_ptr(txq, (uint16_t)mine), (uint16_t)mine, addr, mkey,
        opendoca_dev_tx_bytes(size), flags);
    opendoca_gpu_fence_before_doorbell();
    return mine;
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline void opendoca_dev_tx_hand_over(struct doca_gpu_eth_txq *txq, uint64_t base,
                                                        unsigned int count)
{
    doca_gpu_dev_eth_txq_mark_wqes_ready<resource_sharing_mode>(txq, base, base + count - 1);
    doca_gpu_dev_eth_txq_submit<resource_sharing_mode, sync_scope, nic_handler>(txq, base + count);
}

template <unsigned int waits, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline uint64_t
opendoca_dev_tx_thread(struct doca_gpu_eth_txq *txq, uint64_t time, uint64_t addr, uint32_t mkey,
                       size_t size, enum doca_gpu_eth_send_flags flags)
{
    uint64_t base, mine;

    if (opendoca_dev_tx_check(txq, "doca_gpu_dev_eth_txq_send()") != DOCA_SUCCESS)
        return 0;
    base = doca_gpu_dev_eth_txq_reserve_wq_slots<resource_sharing_mode>(txq, 1 + waits);
    mine = opendoca_dev_tx_fill<waits>(txq, base, 0, time, addr, mkey, size, flags);
    opendoca_dev_tx_hand_over<resource_sharing_mode, sync_scope, nic_handler>(txq, base, 1 + waits);
    return mine;
}

template <unsigned int waits, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline uint64_t opendoca_dev_tx_warp(struct doca_gpu_eth_txq *txq, uint64_t time,
                                                       uint64_t addr, uint32_t mkey, size_t size,
                                                       enum doca_gpu_eth_send_flags flags)
{
    const unsigned int lane = opendoca_dev_thread() % OPENDOCA_DEV_WARP;
    const unsigned int lanes = opendoca_dev_lanes(), mask = opendoca_dev_mask(lanes);
    unsigned long long base = 0;
    uint64_t mine;

    if (opendoca_dev_tx_check(txq, "doca_gpu_dev_eth_txq_send()") != DOCA_SUCCESS)
        return 0;
    if (lane == 0)
        base = doca_gpu_dev_eth_txq_reserve_wq_slots<resource_sharing_mode>(txq, lanes + waits);
    base = __shfl_sync(mask, base, 0);
    mine = opendoca_dev_tx_fill<waits>(txq, base, lane, time, addr, mkey, size, flags);
    __syncwarp(mask);
    if (lane == 0)
        opendoca_dev_tx_hand_over<resource_sharing_mode, sync_scope, nic_handler>(txq, base,
                                                                                  lanes + waits);
    __syncwarp(mask);
    return mine;
}

template <unsigned int waits, enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline uint64_t opendoca_dev_tx_block(struct doca_gpu_eth_txq *txq, uint64_t time,
                                                        uint64_t addr, uint32_t mkey, size_t size,
                                                        enum doca_gpu_eth_send_flags flags)
{
    __shared__ uint64_t base;
    const unsigned int thread = opendoca_dev_thread(), threads = opendoca_dev_threads();
    uint64_t mine;

    if (opendoca_dev_tx_check(txq, "doca_gpu_dev_eth_txq_send()") != DOCA_SUCCESS)
        return 0;
    if (thread == 0)
        base = doca_gpu_dev_eth_txq_reserve_wq_slots<resource_sharing_mode>(txq, threads + waits);
    __syncthreads();
    mine = opendoca_dev_tx_fill<waits>(txq, base, thread, time, addr, mkey, size, flags);
    __syncthreads();
    if (thread == 0)
        opendoca_dev_tx_hand_over<resource_sharing_mode, sync_scope, nic_handler>(txq, base,
                                                                                  threads + waits);
    __syncthreads();
    return mine;
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline void doca_gpu_dev_eth_txq_send_thread(
    struct doca_gpu_eth_txq *txq, const uint64_t addr, const uint32_t mkey, const size_t size,
    enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket)
{
    *out_ticket = opendoca_dev_tx_thread<0, resource_sharing_mode, sync_scope, nic_handler>(
        txq, 0, addr, mkey, size, flags);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline void
doca_gpu_dev_eth_txq_send_warp(struct doca_gpu_eth_txq *txq, uint64_t addr, uint32_t mkey,
                               size_t size, enum doca_gpu_eth_send_flags flags,
                               doca_gpu_dev_eth_ticket_t *out_ticket)
{
    *out_ticket = opendoca_dev_tx_warp<0, resource_sharing_mode, sync_scope, nic_handler>(
        txq, 0, addr, mkey, size, flags);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline void
doca_gpu_dev_eth_txq_send_block(struct doca_gpu_eth_txq *txq, uint64_t addr, uint32_t mkey,
                                size_t size, enum doca_gpu_eth_send_flags flags,
                                doca_gpu_dev_eth_ticket_t *out_ticket)
{
    *out_ticket = opendoca_dev_tx_block<0, resource_sharing_mode, sync_scope, nic_handler>(
        txq, 0, addr, mkey, size, flags);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler,
          enum doca_gpu_dev_eth_exec_scope exec_scope>
__device__ static inline void
doca_gpu_dev_eth_txq_send(struct doca_gpu_eth_txq *txq, uint64_t addr, uint32_t mkey, size_t size,
                          enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket)
{
    if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK)
        doca_gpu_dev_eth_txq_send_block<resource_sharing_mode, sync_scope, nic_handler>(
            txq, addr, mkey, size, flags, out_ticket);
    else if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP)
        doca_gpu_dev_eth_txq_send_warp<resource_sharing_mode, sync_scope, nic_handler>(
            txq, addr, mkey, size, flags, out_ticket);
    else
        doca_gpu_dev_eth_txq_send_thread<resource_sharing_mode, sync_scope, nic_handler>(
            txq, addr, mkey, size, flags, out_ticket);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline void
doca_gpu_dev_eth_txq_wait_send_thread(struct doca_gpu_eth_txq *txq, const uint64_t wait_on_time_ts,
                                      const uint64_t addr, const uint32_t mkey, const size_t size,
                                      enum doca_gpu_eth_send_flags flags,
                                      doca_gpu_dev_eth_ticket_t *out_ticket)
{
    *out_ticket = opendoca_dev_tx_thread<1, resource_sharing_mode, sync_scope, nic_handler>(
        txq, wait_on_time_ts, addr, mkey, size, flags);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline void doca_gpu_dev_eth_txq_wait_send_warp(
    struct doca_gpu_eth_txq *txq, const uint64_t wait_on_time_ts, uint64_t addr, uint32_t mkey,
    size_t size, enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket)
{
    *out_ticket = opendoca_dev_tx_warp<1, resource_sharing_mode, sync_scope, nic_handler>(
        txq, wait_on_time_ts, addr, mkey, size, flags);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ static inline void doca_gpu_dev_eth_txq_wait_send_block(
    struct doca_gpu_eth_txq *txq, const uint64_t wait_on_time_ts, uint64_t addr, uint32_t mkey,
    size_t size, enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket)
{
    *out_ticket = opendoca_dev_tx_block<1, resource_sharing_mode, sync_scope, nic_handler>(
        txq, wait_on_time_ts, addr, mkey, size, flags);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope,
          enum doca_gpu_dev_eth_nic_handler nic_handler,
          enum doca_gpu_dev_eth_exec_scope exec_scope>
__device__ static inline void doca_gpu_dev_eth_txq_wait_send(
    struct doca_gpu_eth_txq *txq, const uint64_t wait_on_time_ts, uint64_t addr, uint32_t mkey,
    size_t size, enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket)
{
    if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK)
        doca_gpu_dev_eth_txq_wait_send_block<resource_sharing_mode, sync_scope, nic_handler>(
            txq, wait_on_time_ts, addr, mkey, size, flags, out_ticket);
    else if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP)
        doca_gpu_dev_eth_txq_wait_send_warp<resource_sharing_mode, sync_scope, nic_handler>(
            txq, wait_on_time_ts, addr, mkey, size, flags, out_ticket);
    else
        doca_gpu_dev_eth_txq_wait_send_thread<resource_sharing_mode, sync_scope, nic_handler>(
            txq, wait_on_time_ts, addr, mkey, size, flags, out_ticket);
}

/* ---- completions ---- */

enum opendoca_dev_tx_sight {
    OPENDOCA_DEV_TX_NOTHING,
    OPENDOCA_DEV_TX_SENT,
    OPENDOCA_DEV_TX_FAILED
};

__device__ static inline enum opendoca_dev_tx_sight
opendoca_dev_tx_look(const struct doca_gpu_eth_txq *txq, uint64_t position)
{
    const struct opendoca_gpu_cqe *cqe =
        (const struct opendoca_gpu_cqe *)txq->cqe_addr + (position & txq->cqe_mask);
    uint64_t tail = opendoca_gpu_observe(&cqe->tail);

    if (!opendoca_gpu_cqe_is_there(tail, position, txq->cqe_num))
        return OPENDOCA_DEV_TX_NOTHING;
    return opendoca_gpu_cqe_opcode(tail) == OPENDOCA_GPU_CQE_TX_ERROR ? OPENDOCA_DEV_TX_FAILED
                                                                      : OPENDOCA_DEV_TX_SENT;
}

/* Waits for a completion; NOTHING when the queue was stopped. A record that later ones have
 * replaced in the ring counts as seen. */
__device__ static inline enum opendoca_dev_tx_sight
opendoca_dev_tx_await(const struct doca_gpu_eth_txq *txq, uint64_t position)
{
    enum opendoca_dev_tx_sight sight;
    uint32_t rounds = 0;

    while ((sight = opendoca_dev_tx_look(txq, position)) == OPENDOCA_DEV_TX_NOTHING) {
        if (++rounds % OPENDOCA_DEV_ROUNDS == 0) {
            if (opendoca_gpu_observe(&opendoca_dev_tx_words(txq)->completed) >
                position + txq->cqe_num)
                return OPENDOCA_DEV_TX_SENT;
            if (!opendoca_dev_tx_runs(txq))
                return OPENDOCA_DEV_TX_NOTHING;
        }
        opendoca_dev_pause();
    }
    return sight;
}

__device__ static inline doca_error_t opendoca_dev_tx_verdict(enum opendoca_dev_tx_sight sight)
{
    return sight == OPENDOCA_DEV_TX_SENT     ? DOCA_SUCCESS
           : sight == OPENDOCA_DEV_TX_FAILED ? DOCA_ERROR_UNEXPECTED
                                             : DOCA_ERROR_BAD_STATE;
}

__device__ static inline doca_error_t opendoca_dev_tx_can_poll(const struct doca_gpu_eth_txq *txq)
{
    doca_error_t code;

    if (!txq)
        return DOCA_ERROR_INVALID_VALUE;
    code = opendoca_dev_tx_check(txq, "doca_gpu_dev_eth_txq_poll_completion()");
    if (code == DOCA_SUCCESS && !(txq->opendoca.flags & OPENDOCA_GPU_TXQ_COMPLETES))
        return DOCA_ERROR_NOT_SUPPORTED;
    return code;
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_txq_submit_cq_dbr(struct doca_gpu_eth_txq *txq,
                                                                 uint64_t prod_index)
{
    if (doca_gpu_dev_eth_atomic_max<uint64_t, resource_sharing_mode>(&txq->cqe_ci, prod_index) <
        prod_index)
        opendoca_gpu_poke((uint64_t *)txq->cq_db_rec, prod_index);
    opendoca_dev_step();
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode>
__device__ static inline uint64_t
doca_gpu_dev_eth_txq_reserve_cq_slots(struct doca_gpu_eth_txq *txq, uint32_t count)
{
    return doca_gpu_dev_eth_atomic_add<uint64_t, resource_sharing_mode>(&txq->cq_rsvd_index, count);
}

/* Claims what is there, `most` at most; gives the first one's number and how many. */
__device__ static inline uint32_t opendoca_dev_tx_claim(struct doca_gpu_eth_txq *txq, uint32_t most,
                                                        uint64_t *first)
{
    uint64_t from;
    uint32_t num;

    do {
        from = opendoca_gpu_observe(&txq->cq_rsvd_index);
        for (num = 0; num < most && opendoca_dev_tx_look(txq, from + num); num++)
            ;
        *first = from;
    } while (num && opendoca_dev_cas(&txq->cq_rsvd_index, from, from + num) != from);
    return num;
}

template <enum doca_gpu_dev_eth_cq_poll_mode cqe_poll,
          enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_poll_completion(struct doca_gpu_eth_txq *txq, const uint32_t num_cqe,
                                     enum doca_gpu_dev_eth_wait_flags wait_mode,
                                     uint32_t *num_completed)
{
    doca_error_t code = opendoca_dev_tx_can_poll(txq);
    uint32_t num = num_cqe, done = 0;
    uint64_t first = 0;

    if (num_completed)
        *num_completed = 0;
    if (code != DOCA_SUCCESS)
        return code;
    if (wait_mode == DOCA_GPUNETIO_ETH_WAIT_FLAG_B)
        first = doca_gpu_dev_eth_txq_reserve_cq_slots<resource_sharing_mode>(txq, num);
    else
        num = opendoca_dev_tx_claim(txq, num, &first);
    if (cqe_poll == DOCA_GPUNETIO_ETH_CQ_POLL_LAST && num)
        done = num - 1;
    while (done < num && code == DOCA_SUCCESS) {
        code = opendoca_dev_tx_verdict(opendoca_dev_tx_await(txq, first + done));
        done += code == DOCA_SUCCESS;
    }
    if (num)
        doca_gpu_dev_eth_txq_submit_cq_dbr<resource_sharing_mode, sync_scope>(
            txq, first + done + (code == DOCA_ERROR_UNEXPECTED));
    if (num_completed)
        *num_completed = done;
    return code;
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline doca_error_t
doca_gpu_dev_eth_txq_poll_completion_at(struct doca_gpu_eth_txq *txq, const uint64_t cqe_idx,
                                        enum doca_gpu_dev_eth_wait_flags wait_mode)
{
    doca_error_t code = opendoca_dev_tx_can_poll(txq);
    enum opendoca_dev_tx_sight sight;

    if (code != DOCA_SUCCESS)
        return code;
    if (wait_mode == DOCA_GPUNETIO_ETH_WAIT_FLAG_B)
        sight = opendoca_dev_tx_await(txq, cqe_idx);
    else
        sight = opendoca_dev_tx_look(txq, cqe_idx);
    if (sight == OPENDOCA_DEV_TX_NOTHING)
        return wait_mode == DOCA_GPUNETIO_ETH_WAIT_FLAG_B ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
    doca_gpu_dev_eth_txq_submit_cq_dbr<resource_sharing_mode, sync_scope>(txq, cqe_idx + 1);
    return opendoca_dev_tx_verdict(sight);
}

#endif

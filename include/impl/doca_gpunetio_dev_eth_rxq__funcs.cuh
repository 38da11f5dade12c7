/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of doca_gpunetio_dev_eth_rxq.cuh. */
#ifndef DOCA_GPUNETIO_DEV_ETH_RXQ__FUNCS_CUH_
#define DOCA_GPUNETIO_DEV_ETH_RXQ__FUNCS_CUH_

/* ---- completion records ---- */

/* Record of the position-th packet. */
__device__ static inline struct opendoca_gpu_cqe *
opendoca_dev_rx_record(const struct doca_gpu_eth_rxq *rxq, uint64_t position)
{
    return (struct opendoca_gpu_cqe *)rxq->cqe_addr + (position & rxq->cqe_mask);
}

enum opendoca_dev_rx_sight {
    OPENDOCA_DEV_RX_NOTHING,
    OPENDOCA_DEV_RX_PACKET,
    OPENDOCA_DEV_RX_ERROR
};

__device__ static inline enum opendoca_dev_rx_sight
opendoca_dev_rx_look(const struct doca_gpu_eth_rxq *rxq, uint64_t position)
{
    uint64_t tail = opendoca_gpu_observe(&opendoca_dev_rx_record(rxq, position)->tail);

    if (!opendoca_gpu_cqe_is_there(tail, position, rxq->cqe_num))
        return OPENDOCA_DEV_RX_NOTHING;
    return opendoca_gpu_cqe_opcode(tail) == OPENDOCA_GPU_CQE_RX_ERROR ? OPENDOCA_DEV_RX_ERROR
                                                                      : OPENDOCA_DEV_RX_PACKET;
}

template <enum doca_gpu_dev_eth_rxq_attr_type rx_attr>
__device__ static inline void opendoca_dev_rx_describe(const struct opendoca_gpu_cqe *cqe,
                                                       struct doca_gpu_dev_eth_rxq_attr *attrs,
                                                       uint32_t at)
{
    if (rx_attr != DOCA_GPUNETIO_ETH_RX_ATTR_NONE)
        attrs[at].timestamp_ns = opendoca_gpu_time_from_be(opendoca_gpu_peek(&cqe->time_be));
    if (rx_attr == DOCA_GPUNETIO_ETH_RX_ATTR_ALL)
        attrs[at].bytes = opendoca_gpu_swap32(opendoca_gpu_peek32(&cqe->bytes_be));
}

__device__ static inline bool opendoca_dev_rx_runs(const struct doca_gpu_eth_rxq *rxq)
{
    const struct opendoca_gpu_rx_words *words =
        (const struct opendoca_gpu_rx_words *)rxq->opendoca.words;

    return opendoca_gpu_peek(&words->state) == OPENDOCA_GPU_QUEUE_RUNS;
}

/* ---- receiving ---- */

/* What one call found: as one word, that lanes can hand to each other. */
#define OPENDOCA_DEV_RX_FOUND(first, num, error)                                                   \
    ((uint64_t)(first) << 32 | (uint64_t)(num) << 8 | (uint64_t)(error))
#define OPENDOCA_DEV_RX_FIRST(found) ((found) >> 32)
#define OPENDOCA_DEV_RX_NUM(found)   ((uint32_t)((found) >> 8) & 0xffffffu)
#define OPENDOCA_DEV_RX_CODE(found)  ((doca_error_t)((found)&0xff))

/* One round of `lanes` lanes that look at records from `position` on, `wanted` at most: how many
 * are there without a gap, in the low half; whether an error follows, in the high half. What they
 * are like goes to attrs[at] and on. */
template <unsigned int lanes, enum doca_gpu_dev_eth_rxq_attr_type rx_attr>
__device__ static inline uint64_t
opendoca_dev_rx_round(struct doca_gpu_eth_rxq *rxq, uint64_t position, uint32_t wanted,
                      unsigned int lane, unsigned int mask, struct doca_gpu_dev_eth_rxq_attr *attrs,
                      uint32_t at)
{
    enum opendoca_dev_rx_sight sight = OPENDOCA_DEV_RX_NOTHING;
    uint32_t packets, errors, num;

    if (lane < wanted)
        sight = opendoca_dev_rx_look(rxq, position + lane);
    packets = sight == OPENDOCA_DEV_RX_PACKET;
    errors = sight == OPENDOCA_DEV_RX_ERROR;
    if (lanes > 1) {
        packets = __ballot_sync(mask, packets != 0);
        errors = __ballot_sync(mask, errors != 0);
        num = packets == 0xffffffffu ? lanes : (uint32_t)__ffs((int)~packets) - 1;
    } else {
        num = packets;
    }
    if (lane < num)
        opendoca_dev_rx_describe<rx_attr>(opendoca_dev_rx_record(rxq, position + lane), attrs,
                                          at + lane);
    return (uint64_t)(num < 32 ? errors >> num & 1 : 0) << 32 | num;
}

/* Gives back what was consumed. */
__device__ static inline void opendoca_dev_rx_return(struct doca_gpu_eth_rxq *rxq, uint32_t num)
{
    rxq->cqe_ci += num;
    rxq->wqe_pi += num;
    opendoca_gpu_poke((uint64_t *)rxq->cq_db_rec, rxq->cqe_ci);
    opendoca_gpu_publish((uint64_t *)rxq->wqe_db_rec, rxq->wqe_pi);
}

/* Waits for packets; called by `lanes` lanes together, all get the answer. */
template <unsigned int lanes, enum doca_gpu_dev_eth_rxq_attr_type rx_attr>
__device__ static inline uint64_t opendoca_dev_rx_collect(struct doca_gpu_eth_rxq *rxq,
                                                          uint32_t max, uint64_t timeout_ns,
                                                          unsigned int lane, unsigned int mask,
                                                          struct doca_gpu_dev_eth_rxq_attr *attr)
{
    const uint64_t start = opendoca_dev_time(), from = rxq->cqe_ci;
    const uint32_t ring = rxq->cqe_num, wanted = max && max < ring ? max : ring;
    uint32_t num = 0, idle = 0;
    doca_error_t code = DOCA_SUCCESS;

    while (num < wanted) {
        uint64_t round = opendoca_dev_rx_round<lanes, rx_attr>(rxq, from + num, wanted - num, lane,
                                                               mask, attr, num);

        if (num == 0 && (uint32_t)round != 0)
            opendoca_dev_step(); /* no nap while more may come */
        num += (uint32_t)round;
        if (round >> 32) {
            code = DOCA_ERROR_DRIVER;
            break;
        }
        if ((uint32_t)round == lanes)
            continue;
        int late = timeout_ns && opendoca_dev_time() - start > timeout_ns;
        if (lanes > 1 ? __any_sync(mask, late) : late)
            break;
        if (++idle % OPENDOCA_DEV_ROUNDS == 0) {
            if (!opendoca_dev_rx_runs(rxq)) {
                code = DOCA_ERROR_BAD_STATE;
                break;
            }
            opendoca_dev_vain(false);
        }
        opendoca_dev_pause();
    }
    if (lanes > 1)
        __syncwarp(mask);
    if (num == 0 && code == DOCA_SUCCESS)
        opendoca_dev_vain(true);
    else
        opendoca_dev_step();
    if (lane == 0 && (num || code == DOCA_ERROR_DRIVER))
        opendoca_dev_rx_return(rxq, num + (code == DOCA_ERROR_DRIVER));
    return OPENDOCA_DEV_RX_FOUND(from & (ring - 1), num, code);
}

/* What the call of a whole group comes to; the group is lanes 0.. of the warp that looks. */
template <unsigned int lanes, enum doca_gpu_dev_eth_mcst_mode mcst_mode,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr>
__device__ static inline uint64_t
opendoca_dev_rx_call(struct doca_gpu_eth_rxq *rxq, uint32_t max, uint64_t timeout_ns,
                     unsigned int lane, unsigned int mask, struct doca_gpu_dev_eth_rxq_attr *attr)
{
    doca_error_t code =
        opendoca_dev_check(&rxq->opendoca, OPENDOCA_GPU_RXQ_MAGIC, "doca_gpu_dev_eth_rxq_recv()");
    uint64_t found = OPENDOCA_DEV_RX_FOUND(0, 0, code);

    if (code == DOCA_SUCCESS)
        found = opendoca_dev_rx_collect<lanes, rx_attr>(rxq, max, timeout_ns, lane, mask, attr);
    if (mcst_mode == DOCA_GPUNETIO_ETH_MCST_ENABLED ||
        (mcst_mode == DOCA_GPUNETIO_ETH_MCST_AUTO && rxq->need_mcst))
        (void)doca_gpu_dev_eth_rxq_mcst<DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>(&rxq->mcst_qp);
    return found;
}

__device__ static inline doca_error_t opendoca_dev_rx_tell(uint64_t found, uint64_t *first,
                                                           uint32_t *num)
{
    opendoca_gpu_fence_before_packets();
    if (!first || !num)
        return DOCA_ERROR_INVALID_VALUE;
    *num = OPENDOCA_DEV_RX_NUM(found);
    if (OPENDOCA_DEV_RX_NUM(found))
        *first = OPENDOCA_DEV_RX_FIRST(found);
    return OPENDOCA_DEV_RX_CODE(found);
}

template <enum doca_gpu_dev_eth_mcst_mode mcst_mode, enum doca_gpu_dev_eth_nic_handler nic_handler,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr>
__device__ inline doca_error_t
doca_gpu_dev_eth_rxq_recv_thread(struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts,
                                 uint64_t timeout_ns, uint64_t *out_first_pkt_idx,
                                 uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    if (!rxq || !out_first_pkt_idx || !out_pkt_num ||
        (rx_attr != DOCA_GPUNETIO_ETH_RX_ATTR_NONE && !out_attr))
        return DOCA_ERROR_INVALID_VALUE;
    return opendoca_dev_rx_tell(
        opendoca_dev_rx_call<1, mcst_mode, rx_attr>(rxq, max_rx_pkts, timeout_ns, 0, 1, out_attr),
        out_first_pkt_idx, out_pkt_num);
}

template <enum doca_gpu_dev_eth_mcst_mode mcst_mode, enum doca_gpu_dev_eth_nic_handler nic_handler,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr>
__device__ inline doca_error_t
doca_gpu_dev_eth_rxq_recv_warp(struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts,
                               uint64_t timeout_ns, uint64_t *out_first_pkt_idx,
                               uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    const unsigned int lane = opendoca_dev_thread() % OPENDOCA_DEV_WARP;
    const unsigned int mask = opendoca_dev_mask(opendoca_dev_lanes());
    uint64_t found = 0;
    doca_error_t code;

    if (!rxq || (rx_attr != DOCA_GPUNETIO_ETH_RX_ATTR_NONE && !out_attr))
        return DOCA_ERROR_INVALID_VALUE;
    if (lane < OPENDOCA_DEV_LOOKERS)
        found = opendoca_dev_rx_call<OPENDOCA_DEV_LOOKERS, mcst_mode, rx_attr>(
            rxq, max_rx_pkts, timeout_ns, lane, mask, out_attr);
    found = __shfl_sync(mask, (unsigned long long)found, 0);
    code = opendoca_dev_rx_tell(found, out_first_pkt_idx, out_pkt_num);
    if (!OPENDOCA_DEV_RX_NUM(found) && out_first_pkt_idx)
        *out_first_pkt_idx = DOCA_GPUNETIO_ETH_RX_NO_PKT;
    __syncwarp(mask);
    return code;
}

template <enum doca_gpu_dev_eth_mcst_mode mcst_mode, enum doca_gpu_dev_eth_nic_handler nic_handler,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr>
__device__ inline doca_error_t
doca_gpu_dev_eth_rxq_recv_block(struct doca_gpu_eth_rxq *rxq, const uint32_t max_rx_pkts,
                                const uint64_t timeout_ns, uint64_t *out_first_pkt_idx,
                                uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    __shared__ uint64_t found;
    const unsigned int thread = opendoca_dev_thread();
    doca_error_t code;

    if (!rxq || (rx_attr != DOCA_GPUNETIO_ETH_RX_ATTR_NONE && !out_attr))
        return DOCA_ERROR_INVALID_VALUE;
    if (thread < OPENDOCA_DEV_LOOKERS) {
        uint64_t mine = opendoca_dev_rx_call<OPENDOCA_DEV_LOOKERS, mcst_mode, rx_attr>(
            rxq, max_rx_pkts, timeout_ns, thread, opendoca_dev_mask(opendoca_dev_lanes()),
            out_attr);

        if (thread == 0)
            found = mine;
    }
    __syncthreads();
    code = opendoca_dev_rx_tell(found, out_first_pkt_idx, out_pkt_num);
    __syncthreads();
    return code;
}

template <enum doca_gpu_dev_eth_exec_scope exec_scope, enum doca_gpu_dev_eth_mcst_mode mcst_mode,
          enum doca_gpu_dev_eth_nic_handler nic_handler,
          enum doca_gpu_dev_eth_rxq_attr_type rx_attr>
__device__ inline doca_error_t
doca_gpu_dev_eth_rxq_recv(struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts, uint64_t timeout_ns,
                          uint64_t *out_first_pkt_idx, uint32_t *out_pkt_num,
                          struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK)
        return doca_gpu_dev_eth_rxq_recv_block<mcst_mode, nic_handler, rx_attr>(
            rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
    if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP)
        return doca_gpu_dev_eth_rxq_recv_warp<mcst_mode, nic_handler, rx_attr>(
            rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
    return doca_gpu_dev_eth_rxq_recv_thread<mcst_mode, nic_handler, rx_attr>(
        rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
}

#ifdef __cpp_nontype_template_parameter_auto
template <typename T> struct opendoca_dev_if_bool {
};
template <> struct opendoca_dev_if_bool<bool> {
    typedef doca_error_t type;
};

/* In some releases the last template argument was a bool: false is NONE, true is ALL. */
template <enum doca_gpu_dev_eth_exec_scope exec_scope, enum doca_gpu_dev_eth_mcst_mode mcst_mode,
          enum doca_gpu_dev_eth_nic_handler nic_handler, auto all>
__device__ inline typename opendoca_dev_if_bool<decltype(all)>::type
doca_gpu_dev_eth_rxq_recv(struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts, uint64_t timeout_ns,
                          uint64_t *out_first_pkt_idx, uint32_t *out_pkt_num,
                          struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    return doca_gpu_dev_eth_rxq_recv < exec_scope, mcst_mode, nic_handler,
           all ? DOCA_GPUNETIO_ETH_RX_ATTR_ALL
               : DOCA_GPUNETIO_ETH_RX_ATTR_NONE >
                     (rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
}
#endif

/* ---- the rest ---- */

template <enum doca_gpu_dev_eth_nic_handler nic_handler>
__device__ inline doca_error_t doca_gpu_dev_eth_rxq_mcst(struct doca_gpu_eth_mcst_qp *mcst_qp)
{
    if (!mcst_qp)
        return DOCA_ERROR_INVALID_VALUE;
    /* Records are written when the packets are where the GPU reads them. */
    opendoca_gpu_fence_before_packets();
    return DOCA_SUCCESS;
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_rxq_submit_dbr(struct doca_gpu_eth_rxq *rxq,
                                                              uint64_t prod_index)
{
    rxq->wqe_pi = prod_index;
    opendoca_gpu_fence_before_doorbell();
    opendoca_gpu_publish((uint64_t *)rxq->wqe_db_rec, prod_index);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode,
          enum doca_gpu_dev_eth_sync_scope sync_scope>
__device__ static inline void doca_gpu_dev_eth_rxq_submit_cq_dbr(struct doca_gpu_eth_rxq *rxq,
                                                                 uint64_t prod_index)
{
    rxq->cqe_ci = prod_index;
    opendoca_gpu_publish((uint64_t *)rxq->cq_db_rec, prod_index);
}

__device__ inline uint64_t doca_gpu_dev_eth_rxq_get_pkt_addr(struct doca_gpu_eth_rxq *rxq,
                                                             uint64_t packet_idx)
{
    return rxq->pkt_addr + rxq->max_pkt_sz * (packet_idx & (rxq->pkt_num - 1));
}

__device__ inline uint32_t doca_gpu_dev_eth_rxq_get_pkt_mkey(struct doca_gpu_eth_rxq *rxq)
{
    return rxq->pkt_mkey;
}

__device__ inline uint64_t doca_gpu_dev_eth_rxq_get_pkt_ts(const struct doca_gpu_eth_rxq *rxq,
                                                           uint64_t packet_idx)
{
    return opendoca_gpu_time_from_be(
        opendoca_gpu_peek(&opendoca_dev_rx_record(rxq, packet_idx)->time_be));
}

__device__ inline uint32_t doca_gpu_dev_eth_rxq_get_pkt_bytes(const struct doca_gpu_eth_rxq *rxq,
                                                              uint64_t packet_idx)
{
    return opendoca_gpu_swap32(
        opendoca_gpu_peek32(&opendoca_dev_rx_record(rxq, packet_idx)->bytes_be));
}

__device__ inline struct mlx5_cqe64 *
doca_gpu_dev_eth_rxq_get_pkt_cqe(const struct doca_gpu_eth_rxq *rxq, uint64_t packet_idx)
{
    return (struct mlx5_cqe64 *)opendoca_dev_rx_record(rxq, packet_idx);
}

#endif

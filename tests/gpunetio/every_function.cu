/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls every device function, templates in all combinations; compiled, never run. */
#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_dma.cuh>
#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>
#include <doca_gpunetio_dev_rdma.cuh>
#include <doca_gpunetio_dev_sem.cuh>

#define SHARE(x) DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_##x
#define SYNC(x)  DOCA_GPUNETIO_ETH_SYNC_SCOPE_##x
#define BY(x)    DOCA_GPUNETIO_ETH_NIC_HANDLER_##x
#define SCOPE(x) DOCA_GPUNETIO_ETH_EXEC_SCOPE_##x
#define MCST(x)  DOCA_GPUNETIO_ETH_MCST_##x
#define ATTR(x)  DOCA_GPUNETIO_ETH_RX_ATTR_##x

struct everything {
    struct doca_gpu_eth_rxq *rxq;
    struct doca_gpu_eth_txq *txq;
    struct doca_gpu_semaphore_gpu *sem;
    struct doca_gpu_buf_arr *bufs;
    struct doca_gpu_dma *dma;
    struct doca_gpu_dev_rdma *rdma;
    struct doca_gpu_dev_eth_rxq_attr *attrs;
    uint64_t *words;
    uint32_t *word;
    int *lock;
};

template <enum doca_gpu_dev_eth_exec_scope scope, enum doca_gpu_dev_eth_mcst_mode mcst,
          enum doca_gpu_dev_eth_rxq_attr_type attr>
__device__ static void receive(const everything &a)
{
    doca_gpu_dev_eth_rxq_recv<scope, mcst, BY(AUTO), attr>(a.rxq, 9, 9, a.words, a.word, a.attrs);
    doca_gpu_dev_eth_rxq_recv<scope, mcst, BY(CPU_PROXY), attr>(a.rxq, 9, 9, a.words, a.word, a.attrs);
}

template <enum doca_gpu_dev_eth_exec_scope scope> __global__ void receives(everything a)
{
    receive<scope, MCST(DISABLED), ATTR(NONE)>(a);
    receive<scope, MCST(ENABLED), ATTR(TS)>(a);
    receive<scope, MCST(AUTO), ATTR(ALL)>(a);
    doca_gpu_dev_eth_rxq_recv<scope, MCST(AUTO), BY(GPU_SM_DB), false>(a.rxq, 9, 9, a.words, a.word, NULL);
    doca_gpu_dev_eth_rxq_recv<scope, MCST(AUTO), BY(GPU_SM_DB), true>(a.rxq, 9, 9, a.words, a.word, a.attrs);
    doca_gpu_dev_eth_rxq_recv<scope>(a.rxq, 9, 9, a.words, a.word, NULL);
    doca_gpu_dev_eth_rxq_recv(a.rxq, 9, 9, a.words, a.word, NULL);
}

__global__ void more_of_receive(everything a)
{
    struct doca_gpu_buf *buf;

    doca_gpu_dev_eth_rxq_recv_thread(a.rxq, 9, 9, a.words, a.word, a.attrs);
    doca_gpu_dev_eth_rxq_recv_warp(a.rxq, 9, 9, a.words, a.word, a.attrs);
    doca_gpu_dev_eth_rxq_recv_block(a.rxq, 9, 9, a.words, a.word, a.attrs);
    doca_gpu_dev_eth_rxq_mcst(&a.rxq->mcst_qp);
    doca_gpu_dev_eth_rxq_submit_dbr(a.rxq, 9);
    doca_gpu_dev_eth_rxq_submit_cq_dbr<SHARE(CTA), SYNC(SYS)>(a.rxq, 9);
    a.words[0] = doca_gpu_dev_eth_rxq_get_pkt_addr(a.rxq, 9);
    a.words[1] = doca_gpu_dev_eth_rxq_get_pkt_mkey(a.rxq);
    a.words[2] = doca_gpu_dev_eth_rxq_get_pkt_ts(a.rxq, 9);
    a.words[3] = doca_gpu_dev_eth_rxq_get_pkt_bytes(a.rxq, 9);
    a.words[4] = doca_gpu_dev_eth_rxq_get_pkt_cqe(a.rxq, 9)->op_own;
    doca_gpu_dev_eth_rxq_receive_thread(a.rxq, 9, 9, a.word, a.words);
    doca_gpu_dev_eth_rxq_receive_warp(a.rxq, 9, 9, a.word, a.words);
    doca_gpu_dev_eth_rxq_receive_block(a.rxq, 9, 9, a.word, a.words);
    doca_gpu_dev_eth_rxq_get_buf(a.rxq, 9, &buf);
    doca_gpu_dev_eth_rxq_get_buf_timestamp(a.rxq, 9, a.words);
    doca_gpu_dev_eth_rxq_get_buf_bytes(a.rxq, 9, a.word);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode share, enum doca_gpu_dev_eth_sync_scope sync,
          enum doca_gpu_dev_eth_nic_handler by, enum doca_gpu_dev_eth_exec_scope scope>
__device__ static void send(const everything &a)
{
    const enum doca_gpu_eth_send_flags notify = DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY;

    doca_gpu_dev_eth_txq_send<share, sync, by, scope>(a.txq, 9, 9, 64, notify, a.words);
    doca_gpu_dev_eth_txq_wait_send<share, sync, by, scope>(a.txq, 9, 9, 9, 64, notify, a.words);
}

template <enum doca_gpu_dev_eth_resource_sharing_mode share, enum doca_gpu_dev_eth_sync_scope sync>
__global__ void sends(everything a)
{
    struct doca_gpu_dev_eth_txq_wqe *wqe = doca_gpu_dev_eth_txq_get_wqe_ptr(a.txq, 9);
    const enum doca_gpu_eth_send_flags none = DOCA_GPUNETIO_ETH_SEND_FLAG_NONE;

    send<share, sync, BY(AUTO), SCOPE(THREAD)>(a);
    send<share, sync, BY(CPU_PROXY), SCOPE(WARP)>(a);
    send<share, sync, BY(GPU_SM_DB), SCOPE(BLOCK)>(a);
    a.words[0] = doca_gpu_dev_eth_txq_reserve_wq_slots<share>(a.txq, 9);
    doca_gpu_dev_eth_txq_wqe_prepare_send(a.txq, wqe, 9, 9, 9, 9, none);
    doca_gpu_dev_eth_txq_wqe_prepare_send(a.txq, wqe, 9, 9, 9, 9, 9, 9, 9, none);
    doca_gpu_dev_eth_txq_wqe_prepare_send_empw(a.txq, wqe, 9, 9, 1, 9, 9, 9, none);
    doca_gpu_dev_eth_txq_wqe_prepare_wait_time(a.txq, wqe, 9, 9, none);
    doca_gpu_dev_eth_txq_calculate_timestamp(a.txq, 9, a.words);
    doca_gpu_dev_eth_txq_mark_wqes_ready<share>(a.txq, 9, 9);
    doca_priv_gpu_dev_eth_txq_update_dbr(a.txq, 9);
    doca_gpu_dev_eth_txq_update_dbr<sync>(a.txq, 9);
    a.words[1] = doca_gpu_dev_eth_txq_prepare_db(a.txq, 9);
    doca_gpu_dev_eth_txq_ring_db<sync>(a.txq, 9);
    doca_gpu_dev_eth_txq_submit_proxy<share, sync>(a.txq, 9);
    doca_gpu_dev_eth_txq_submit_db<share, sync>(a.txq, 9);
    doca_gpu_dev_eth_txq_submit<share, sync, BY(AUTO)>(a.txq, 9);
    doca_gpu_dev_eth_txq_submit_cq_dbr<share, sync>(a.txq, 9);
    a.words[2] = doca_gpu_dev_eth_txq_reserve_cq_slots<share>(a.txq, 9);
    doca_gpu_dev_eth_txq_poll_completion<DOCA_GPUNETIO_ETH_CQ_POLL_ALL, share, sync>(
        a.txq, 9, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, a.word);
    doca_gpu_dev_eth_txq_poll_completion<DOCA_GPUNETIO_ETH_CQ_POLL_LAST, share, sync>(
        a.txq, 9, DOCA_GPUNETIO_ETH_WAIT_FLAG_NB, a.word);
    doca_gpu_dev_eth_txq_poll_completion_at<share, sync>(a.txq, 9, DOCA_GPUNETIO_ETH_WAIT_FLAG_B);
    doca_gpu_dev_eth_lock<share>(a.lock);
    doca_gpu_dev_eth_unlock<share>(a.lock);
    doca_gpu_dev_eth_fence_acquire<sync>();
    doca_gpu_dev_eth_fence_release<sync>();
    doca_gpu_dev_eth_atomic_max<uint64_t, share, true>(a.words, 9);
    doca_gpu_dev_eth_atomic_add<uint32_t, share>(a.word, 9);
    a.words[3] = doca_gpu_dev_eth_atomic_read<uint64_t, share>(a.words);
}

__global__ void more_of_send(everything a)
{
    struct doca_gpu_buf *buf;

    doca_gpu_dev_buf_get_buf(a.bufs, 9, &buf);
    doca_gpu_dev_eth_txq_send_enqueue_strong(a.txq, buf, 9, DOCA_GPU_SEND_FLAG_NONE);
    doca_gpu_dev_eth_txq_send_enqueue_weak(a.txq, buf, 9, 9, DOCA_GPU_SEND_FLAG_NOTIFY);
    doca_gpu_dev_eth_txq_wait_time_enqueue_strong(a.txq, 9, DOCA_GPU_SEND_FLAG_NONE);
    doca_gpu_dev_eth_txq_wait_time_enqueue_weak(a.txq, 9, 9, DOCA_GPU_SEND_FLAG_NONE);
    doca_gpu_dev_eth_txq_get_info(a.txq, a.word, a.word + 1);
    doca_gpu_dev_eth_txq_commit_strong(a.txq);
    doca_gpu_dev_eth_txq_commit_weak(a.txq, 9);
    doca_gpu_dev_eth_txq_push(a.txq);
    doca_gpu_dev_eth_txq_wait_completion(a.txq, 9, DOCA_GPU_ETH_TXQ_WAIT_FLAG_NB, a.word);
}

__global__ void others(everything a)
{
    enum doca_gpu_semaphore_status status = DOCA_GPU_SEMAPHORE_STATUS_FREE;
    struct doca_gpu_buf *buf;
    uintptr_t addr;
    void *info;

    doca_gpu_dev_buf_create(9, 9, &buf);
    doca_gpu_dev_buf_get_addr(buf, &addr);
    doca_gpu_dev_buf_get_mkey(buf, a.word);
    doca_gpu_dev_dma_memcpy(a.dma, buf, 0, buf, 9, 9);
    doca_gpu_dev_dma_commit(a.dma);
    doca_gpu_dev_semaphore_set_status(a.sem, 9, DOCA_GPU_SEMAPHORE_STATUS_READY);
    doca_gpu_dev_semaphore_set_status_cas(a.sem, 9, DOCA_GPU_SEMAPHORE_STATUS_READY,
                                          DOCA_GPU_SEMAPHORE_STATUS_DONE);
    doca_gpu_dev_semaphore_set_packet_info(a.sem, 9, DOCA_GPU_SEMAPHORE_STATUS_READY, 9, 9);
    doca_gpu_dev_semaphore_get_status(a.sem, 9, &status);
    doca_gpu_dev_semaphore_get_packet_info(a.sem, 9, &status, a.word, a.words);
    doca_gpu_dev_semaphore_get_packet_info_status(a.sem, 9, status, a.word, a.words);
    doca_gpu_dev_semaphore_get_custom_info_addr(a.sem, 9, &info);
    a.words[0] = doca_gpu_dev_eth_query_globaltimer() + doca_gpu_dev_eth_get_lane_id();
    a.words[1] = doca_gpu_dev_eth_bswap64(9) + doca_gpu_dev_eth_bswap32(9);
    doca_gpu_dev_eth_store_wqe_seg(a.words, a.words + 2);
    doca_gpu_dev_eth_store_relaxed_mmio(a.words, 9);
    a.words[2] = doca_gpu_dev_eth_load_relaxed_sys_global((uint8_t *)a.words) +
                 doca_gpu_dev_eth_load_relaxed_sys_global((uint16_t *)a.words) +
                 doca_gpu_dev_eth_load_relaxed_sys_global(a.word) +
                 doca_gpu_dev_eth_load_relaxed_sys_global(a.words);
    doca_gpu_dev_eth_print_cqe_err((struct mlx5_cqe64 *)a.words);
    a.words[3] = doca_gpu_dev_eth_prepare_dbr(9) + doca_gpu_dev_eth_prepare_cq_dbr(9);
}

__global__ void rdma(everything a)
{
    const enum doca_gpu_dev_rdma_write_flags w = DOCA_GPU_RDMA_WRITE_FLAG_IMM;
    const enum doca_gpu_dev_rdma_send_flags s = DOCA_GPU_RDMA_SEND_FLAG_IMM;
    uint8_t data[28] = {0};
    struct doca_gpu_dev_rdma_r *r = NULL;
    struct doca_gpu_buf *buf;

    doca_gpu_dev_buf_get_buf(a.bufs, 9, &buf);
    doca_gpu_dev_rdma_write_strong(a.rdma, 0, buf, 9, buf, 9, 9, 9, w);
    doca_gpu_dev_rdma_write_weak(a.rdma, 0, buf, 9, buf, 9, 9, 9, w, 9);
    doca_gpu_dev_rdma_write_inline_strong(a.rdma, 0, buf, 9, data, 9, 9, w);
    doca_gpu_dev_rdma_write_inline_weak(a.rdma, 0, buf, 9, data, 9, 9, w, 9);
    doca_gpu_dev_rdma_read_strong(a.rdma, 0, buf, 9, buf, 9, 9, 0);
    doca_gpu_dev_rdma_read_weak(a.rdma, 0, buf, 9, buf, 9, 9, 0, 9);
    doca_gpu_dev_rdma_send_strong(a.rdma, 0, buf, 9, 9, 9, s);
    doca_gpu_dev_rdma_send_weak(a.rdma, 0, buf, 9, 9, 9, s, 9);
    doca_gpu_dev_rdma_send_inline_strong(a.rdma, 0, data, 9, 9, s);
    doca_gpu_dev_rdma_send_inline_weak(a.rdma, 0, data, 9, 9, s, 9);
    doca_gpu_dev_rdma_commit_strong(a.rdma, 0);
    doca_gpu_dev_rdma_commit_weak(a.rdma, 0, 9);
    doca_gpu_dev_rdma_wait_all(a.rdma, a.word);
    doca_gpu_dev_rdma_get_info(a.rdma, 0, a.word, a.word + 1);
    doca_gpu_dev_rdma_get_recv(a.rdma, &r);
    doca_gpu_dev_rdma_recv_strong(r, buf, 9, 9, 0);
    doca_gpu_dev_rdma_recv_weak(r, buf, 9, 9, 0, 9);
    doca_gpu_dev_rdma_recv_commit_strong(r);
    doca_gpu_dev_rdma_recv_commit_weak(r, 9);
    doca_gpu_dev_rdma_recv_wait_all(r, DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB, a.word, a.word, a.word);
    doca_gpu_dev_rdma_recv_get_info(r, a.word, a.word + 1);
}

template __global__ void receives<SCOPE(THREAD)>(everything);
template __global__ void receives<SCOPE(WARP)>(everything);
template __global__ void receives<SCOPE(BLOCK)>(everything);
template __global__ void sends<SHARE(EXCLUSIVE), SYNC(SYS)>(everything);
template __global__ void sends<SHARE(CTA), SYNC(CTA)>(everything);
template __global__ void sends<SHARE(GPU), SYNC(GPU)>(everything);

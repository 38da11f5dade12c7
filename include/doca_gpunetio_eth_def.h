/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What CPU and kernels share of Ethernet queues on a GPU: constants of the device functions, and
 * the handles whose addresses kernels are given.
 *
 * doca_eth_rxq_get_gpu_handle() and doca_eth_txq_get_gpu_handle() give the addresses. A handle lies
 * where kernels can read it and where the runtime's copies reach it; programs may read its fields,
 * only device functions write them. It is valid until its queue stops.
 */
#ifndef DOCA_GPUNETIO_ETH_DEF_H_
#define DOCA_GPUNETIO_ETH_DEF_H_

#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__has_include)
#if __has_include(<infiniband/mlx5dv.h>)
#include <infiniband/mlx5dv.h>
#endif
#endif

#include <impl/opendoca_mlx5.h>

#include <doca_error.h>
#include <doca_gpunetio.h>
#include <doca_types.h>

#include <impl/opendoca_gpu_ring.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_GPUNETIO_ETH_WQE_L3_CSUM               (1 << 6)
#define DOCA_GPUNETIO_ETH_WQE_L4_CSUM               (1 << 7)
#define DOCA_GPUNETIO_ETH_WARP_SIZE                 32
#define DOCA_GPUNETIO_ETH_WARP_FULL_MASK            0xffffffff
#define DOCA_GPUNETIO_ETH_PAGE_SIZE                 65536
#define DOCA_GPUNETIO_ETH_WQE_PI_MASK               0xFFFF
#define DOCA_GPUNETIO_ETH_CQE_CI_MASK               0xFFFFFF
#define DOCA_GPUNETIO_ETH_MLX5_CQE_OPCODE_SHIFT     4
#define DOCA_GPUNETIO_ETH_CQE_SIZE                  64
#define DOCA_GPUNETIO_ETH_WQE_IDX_SHIFT             8
#define DOCA_GPUNETIO_ETH_MLX5_OPCODE_SEND          0x0a
#define DOCA_GPUNETIO_ETH_MLX5_OPCODE_WAIT          0xf
#define DOCA_GPUNETIO_ETH_MLX5_OPCODE_DUMP          0x23
#define DOCA_GPUNETIO_ETH_MLX5_OPCODE_ENHANCED_MPSW 0x29u
#define DOCA_GPUNETIO_ETH_MLX5_OPC_MOD_WAIT_TIME    0x2
#define DOCA_GPUNETIO_ETH_MLX5_WQE_SHIFT            6
#define DOCA_GPUNETIO_ETH_NS_PER_S                  1000000000
#define DOCA_GPUNETIO_ETH_ENABLE_DEBUG              0

#if DOCA_GPUNETIO_ETH_ENABLE_DEBUG == 1
#define DOCA_GPUNETIO_ETH_ASSERT(x) assert(x)
#else
#define DOCA_GPUNETIO_ETH_ASSERT(x)                                                                \
    do {                                                                                           \
    } while (0)
#endif

/** The value with its two bytes swapped */
#define DOCA_GPUNETIO_ETH_BSWAP16(v) ((((v)&0xff) << 8) | (((v) >> 8) & 0xff))

/** Of a send */
enum doca_gpu_eth_send_flags {
    DOCA_GPUNETIO_ETH_SEND_FLAG_NONE = 0,
    DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY = 1,
};

/** Whether polling waits */
enum doca_gpu_dev_eth_wait_flags {
    DOCA_GPUNETIO_ETH_WAIT_FLAG_NB = 0,
    DOCA_GPUNETIO_ETH_WAIT_FLAG_B = 1,
};

/** Who calls a function together */
enum doca_gpu_dev_eth_exec_scope {
    DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD = 0,
    DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP = 1,
    DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK = 2,
};

/** Who must see what was written */
enum doca_gpu_dev_eth_sync_scope {
    DOCA_GPUNETIO_ETH_SYNC_SCOPE_SYS = 0,
    DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU = 1,
    DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA = 2,
    DOCA_GPUNETIO_ETH_SYNC_SCOPE_MAX = 2147483647,
};

/** Who shares a queue */
enum doca_gpu_dev_eth_resource_sharing_mode {
    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE = 0,
    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA = 1,
    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU = 2,
    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_MAX = 2147483647,
};

/** Who rings the doorbell */
enum doca_gpu_dev_eth_nic_handler {
    DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO = 0,
    DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY = 1,
    DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB = 2,
    DOCA_GPUNETIO_ETH_NIC_HANDLER_TYPE_MAX = 3,
};

/** Which records polling looks at */
enum doca_gpu_dev_eth_cq_poll_mode {
    DOCA_GPUNETIO_ETH_CQ_POLL_ALL = 0,
    DOCA_GPUNETIO_ETH_CQ_POLL_LAST = 1,
};

/** Whether receiving makes packets visible by a step of its own */
enum doca_gpu_dev_eth_mcst_mode {
    DOCA_GPUNETIO_ETH_MCST_DISABLED = 0,
    DOCA_GPUNETIO_ETH_MCST_ENABLED = 1,
    DOCA_GPUNETIO_ETH_MCST_AUTO = 2,
};

/** Send queue as kernels see it */
struct doca_gpu_eth_txq {
    uint8_t enable_l3_cs_offload;                  /**< not 0: sums of IPv4 headers are filled in */
    uint8_t enable_l4_cs_offload;                  /**< not 0: sums of TCP and UDP are filled in */
    uint64_t sq_rsvd_index;                        /**< next slot to reserve */
    uint64_t sq_ready_index;                       /**< first slot that is not ready */
    int lock;                                      /**< of submissions */
    uintptr_t wqe_addr;                            /**< of the ring of slots */
    uintptr_t wqe_db_rec;                          /**< word of the producer index */
    uintptr_t wqe_db;                              /**< the doorbell */
    uint64_t wqe_pi;                               /**< producer index, without end */
    uint16_t wqe_mask;                             /**< slots less one */
    uint64_t cqe_ci;                               /**< consumer index, without end */
    uint32_t cqe_num;                              /**< completion records in the ring */
    uint32_t cqe_mask;                             /**< cqe_num less one */
    uintptr_t cqe_addr;                            /**< of the ring of records */
    uintptr_t cq_db_rec;                           /**< word of the consumer index */
    uint64_t cq_rsvd_index;                        /**< next record to claim */
    int cq_lock;                                   /**< of completions */
    uint32_t sq_num_shift8;                        /**< opaque */
    uint32_t sq_num_shift8_be;                     /**< opaque */
    uint32_t sq_num_shift8_be_1ds;                 /**< opaque */
    uint32_t sq_num_shift8_be_2ds;                 /**< opaque */
    uint32_t const_wait_be;                        /**< opaque */
    uint32_t const_wait_wqe_op_be;                 /**< opaque */
    uint32_t const_cflags_first_err_be;            /**< opaque */
    uint32_t const_cflags_always_be;               /**< opaque */
    uintptr_t shared_mem_addr_cpu;                 /**< word of the CPU proxy, for the CPU */
    uintptr_t shared_mem_addr_gpu;                 /**< the same word, for the GPU */
    enum doca_gpu_dev_eth_nic_handler nic_handler; /**< who rings the doorbell */
    struct opendoca_gpu_txq_private opendoca;      /**< not for programs */
};

/** Opaque part of a receive queue */
struct doca_gpu_eth_mcst_qp {
    uint64_t pkt_addr;                             /**< of slot 0 */
    uint64_t pkt_num;                              /**< slots, a power of two */
    uintptr_t wqe_addr;                            /**< of the ring of slots */
    uintptr_t wqe_db_rec;                          /**< word of the producer index */
    uint64_t wqe_db;                               /**< the doorbell */
    uint64_t wqe_pi;                               /**< producer index, without end */
    uint16_t wqe_mask;                             /**< slots less one */
    uint64_t cqe_ci;                               /**< consumer index, without end */
    uint32_t cqe_num;                              /**< completion records in the ring */
    uint32_t cqe_mask;                             /**< cqe_num less one */
    uintptr_t cqe_addr;                            /**< of the ring of records */
    uintptr_t cq_db_rec;                           /**< word of the consumer index */
    uintptr_t shared_mem_addr_cpu;                 /**< word of the CPU proxy, for the CPU */
    uintptr_t shared_mem_addr_gpu;                 /**< the same word, for the GPU */
    enum doca_gpu_dev_eth_nic_handler nic_handler; /**< who rings the doorbell */
};

/** Receive queue as kernels see it */
struct doca_gpu_eth_rxq {
    uint64_t pkt_addr;                        /**< of slot 0 */
    uint32_t pkt_mkey;                        /**< key of the packets, big-endian */
    uint64_t pkt_num;                         /**< slots, a power of two */
    uint64_t max_pkt_sz;                      /**< bytes of a slot */
    uint8_t striding_rq;                      /**< 0: one packet a slot */
    bool need_mcst;                           /**< what was received needs a step to be seen */
    uintptr_t wqe_addr;                       /**< of the ring of slots */
    uintptr_t wqe_db_rec;                     /**< word of the producer index */
    uint64_t wqe_pi;                          /**< producer index, without end */
    uint32_t wqe_num;                         /**< slots of the ring */
    uint32_t wqe_mask;                        /**< slots less one */
    uint32_t wqe_strides_num;                 /**< packets of each */
    uint32_t wqe_id_last;                     /**< opaque */
    uint32_t wqe_id_update;                   /**< opaque */
    uint64_t cqe_ci;                          /**< consumer index, without end */
    uint32_t cqe_num;                         /**< completion records in the ring */
    uint32_t cqe_mask;                        /**< cqe_num less one */
    uintptr_t cqe_addr;                       /**< of the ring of records */
    uintptr_t cq_db_rec;                      /**< word of the consumer index */
    struct doca_gpu_eth_mcst_qp mcst_qp;      /**< for the step that need_mcst asks for */
    struct opendoca_gpu_rxq_private opendoca; /**< not for programs */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GPUNETIO_ETH_DEF_H_ */

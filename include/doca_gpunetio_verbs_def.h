/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types that CPU and kernels share for verbs queues on a GPU: work requests and completions in the
 * layout of the adapter family whose names they have, handles of queues. The calls that make such
 * queues are refused by this release; the types are there so that programs compile.
 */
#ifndef DOCA_GPUNETIO_VERBS_DEF_H_
#define DOCA_GPUNETIO_VERBS_DEF_H_

#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__has_include)
#if __has_include(<infiniband/mlx5dv.h>)
#include <infiniband/mlx5dv.h>
#endif
#endif

#include <impl/opendoca_mlx5.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Names x so that each use really reads or writes memory */
#define DOCA_GPUNETIO_VERBS_VOLATILE(x) (*(volatile __typeof__(x) *)&(x))

#define DOCA_GPUNETIO_VERBS_WARP_SIZE               32
#define DOCA_GPUNETIO_VERBS_WARP_FULL_MASK          0xffffffff
#define DOCA_GPUNETIO_VERBS_PAGE_SIZE               65536
#define DOCA_GPUNETIO_VERBS_CQE_CI_MASK             0xFFFFFF
#define DOCA_GPUNETIO_VERBS_WQE_PI_MASK             0xFFFF
#define DOCA_GPUNETIO_MLX5_WQE_SQ_SHIFT             6
#define DOCA_GPUNETIO_MLX5_WQE_RQ_SHIFT             4
#define DOCA_GPUNETIO_VERBS_MKEY_SWAPPED            1
#define DOCA_GPUNETIO_VERBS_ENABLE_DEBUG            0
#define DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE         28
#define DOCA_GPUNETIO_VERBS_MLX5_CQE_OPCODE_SHIFT   4
#define DOCA_GPUNETIO_VERBS_CQE_SIZE                64
#define DOCA_GPUNETIO_VERBS_WQE_IDX_SHIFT           8
#define DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT 30
#define DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE       (1ULL << DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT)

#if DOCA_GPUNETIO_VERBS_ENABLE_DEBUG == 1
#define DOCA_GPUNETIO_VERBS_ASSERT(x) assert(x)
#else
#define DOCA_GPUNETIO_VERBS_ASSERT(x)                                                              \
    do {                                                                                           \
    } while (0)
#endif

/* Kinds, flags and limits of work requests */
enum {
    DOCA_GPUNETIO_MLX5_OPCODE_NOP = 0,
    DOCA_GPUNETIO_MLX5_OPCODE_SEND_INVAL = 1,
    DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE = 8,
    DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE_IMM = 9,
    DOCA_GPUNETIO_MLX5_OPCODE_SEND = 10,
    DOCA_GPUNETIO_MLX5_OPCODE_SEND_IMM = 11,
    DOCA_GPUNETIO_MLX5_OPCODE_TSO = 14,
    DOCA_GPUNETIO_MLX5_OPCODE_RDMA_READ = 16,
    DOCA_GPUNETIO_MLX5_OPCODE_ATOMIC_CS = 17,
    DOCA_GPUNETIO_MLX5_OPCODE_ATOMIC_FA = 18,
    DOCA_GPUNETIO_MLX5_OPCODE_ATOMIC_MASKED_CS = 20,
    DOCA_GPUNETIO_MLX5_OPCODE_ATOMIC_MASKED_FA = 21,
    DOCA_GPUNETIO_MLX5_OPCODE_FMR = 25,
    DOCA_GPUNETIO_MLX5_OPCODE_LOCAL_INVAL = 27,
    DOCA_GPUNETIO_MLX5_OPCODE_WAIT = 15,
    DOCA_GPUNETIO_MLX5_OPCODE_CONFIG_CMD = 31,
    DOCA_GPUNETIO_MLX5_OPCODE_SET_PSV = 32,
    DOCA_GPUNETIO_MLX5_OPCODE_DUMP = 35,
    DOCA_GPUNETIO_MLX5_OPCODE_UMR = 37,
    DOCA_GPUNETIO_MLX5_OPCODE_TAG_MATCHING = 40,
    DOCA_GPUNETIO_MLX5_OPCODE_FLOW_TBL_ACCESS = 44,
    DOCA_GPUNETIO_MLX5_OPCODE_MMO = 47,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CE_CQE_ON_CQE_ERROR = 0,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CE_CQE_ON_FIRST_CQE_ERROR = 1,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CE_CQE_ALWAYS = 2,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CE_CQE_AND_EQE = 3,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_FM_NO_FENCE = 0,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_FM_INITIATOR_SMALL_FENCE = 1,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_FM_FENCE = 2,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_FM_STRONG_ORDERING = 3,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_FM_FENCE_AND_INITIATOR_SMALL_FENCE = 4,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_FM_CUSTOM = 256,
};

enum doca_gpu_dev_verbs_wqe_ctrl_flags {
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE = 8,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_ERROR_UPDATE = 0,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_FIRST_CQE_ERROR = 4,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_SOLICITED = 2,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_FENCE = 128,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE = 32,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_STRONG_ORDERING = 96,
};

enum {
    DOCA_GPUNETIO_MLX5_RCV_DBR = 0,
    DOCA_GPUNETIO_MLX5_SND_DBR = 1,
};

enum doca_gpu_dev_verbs_mem_type {
    DOCA_GPUNETIO_VERBS_MEM_TYPE_AUTO = 0,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_HOST = 1,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_GPU = 2,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_MAX = 2147483647,
};

enum doca_gpu_dev_verbs_qp_type {
    DOCA_GPUNETIO_VERBS_QP_SQ = 0,
    DOCA_GPUNETIO_VERBS_QP_RQ = 1,
};

enum doca_gpu_dev_verbs_exec_scope {
    DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD = 0,
    DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP = 1,
};

enum doca_gpu_dev_verbs_sync_scope {
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS = 0,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU = 1,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA = 2,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_MAX = 2147483647,
};

enum doca_gpu_dev_verbs_resource_sharing_mode {
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE = 0,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA = 1,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU = 2,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_MAX = 2147483647,
};

enum doca_gpu_dev_verbs_nic_handler {
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO = 0,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY = 1,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB = 2,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_BF = 3,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_NO_DBR = 4,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_TYPE_MAX = 5,
};

enum doca_gpu_dev_verbs_mcst_mode {
    DOCA_GPUNETIO_VERBS_MCST_DISABLED = 0,
    DOCA_GPUNETIO_VERBS_MCST_ENABLED = 1,
};

enum doca_gpu_dev_verbs_gpu_code_opt {
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT = 0,
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_ASYNC_STORE_RELEASE = 1,
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_HAS_GDRCOPY = 2,
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_MAX = 2147483647,
};

enum doca_gpu_dev_verbs_signal_op {
    DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD = 0,
};

enum doca_gpu_dev_verbs_blocking_mode {
    DOCA_GPUNETIO_VERBS_BLOCKING_MODE_DISABLED = 0,
    DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED = 1,
};

enum {
    DOCA_GPUNETIO_VERBS_WQE_SEG_CNT_RDMA_WRITE_INL_MIN = 3,
    DOCA_GPUNETIO_VERBS_WQE_SEG_CNT_RDMA_WRITE_INL_MAX = 4,
    DOCA_GPUNETIO_VERBS_WQE_SEG_CNT_ATOMIC_FA_CAS = 4,
    DOCA_GPUNETIO_VERBS_WQE_SEG_CNT_WAIT = 2,
};

typedef uint64_t doca_gpu_dev_verbs_ticket_t;

/* Structs without names are what the layouts are known by. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wgnu-anonymous-struct"
#pragma GCC diagnostic ignored "-Wnested-anon-types"
#endif
#endif

/** First segment of a work request */
struct doca_gpu_dev_verbs_wqe_ctrl_seg {
    __be32 opmod_idx_opcode;
    __be32 qpn_ds;
    union {
        struct {
            uint8_t signature;
            uint8_t rsvd[2];
            uint8_t fm_ce_se;
        };
        struct {
            __be32 signature_fm_ce_se;
        };
    };
    __be32 imm;
} __attribute__((__aligned__(8)));

/** Segment of a request that waits for another queue */
struct doca_gpu_dev_verbs_wqe_wait_seg {
    uint32_t resv[2];
    __be32 max_index;
    __be32 qpn_cqn;
} __attribute__((__packed__)) __attribute__((__aligned__(8)));

/** Memory: where, and the key for it */
struct doca_gpu_dev_verbs_addr {
    uint64_t addr;
    uint32_t key;
};

/** One slot of a send queue, by kind of request */
struct doca_gpu_dev_verbs_wqe {
    union {
        struct {
            uint8_t inl_data[64];
        };
        struct {
            struct mlx5_wqe_data_seg dseg0;
            struct mlx5_wqe_data_seg dseg1;
            struct mlx5_wqe_data_seg dseg2;
            struct mlx5_wqe_data_seg dseg3;
        };
        struct {
            struct doca_gpu_dev_verbs_wqe_ctrl_seg rw_cseg;
            struct mlx5_wqe_raddr_seg rw_rseg;
            struct mlx5_wqe_data_seg rw_dseg0;
            struct mlx5_wqe_data_seg rw_dseg1;
        };
        struct {
            struct doca_gpu_dev_verbs_wqe_ctrl_seg at_cseg;
            struct mlx5_wqe_raddr_seg at_rseg;
            struct mlx5_wqe_atomic_seg at_seg;
            struct mlx5_wqe_data_seg at_dseg;
        };
        struct {
            struct doca_gpu_dev_verbs_wqe_ctrl_seg snd_cseg;
            struct mlx5_wqe_data_seg snd_dseg0;
            struct mlx5_wqe_data_seg snd_dseg1;
            struct mlx5_wqe_data_seg snd_dseg2;
        };
    };
} __attribute__((__aligned__(8)));

/** Completion of a failed request */
struct mlx5_err_cqe_ex {
    uint8_t rsvd0[32];
    __be32 srqn;
    uint8_t rsvd1[16];
    uint8_t hw_err_synd;
    uint8_t hw_synd_type;
    uint8_t vendor_err_synd;
    uint8_t syndrome;
    __be32 s_wqe_opcode_qpn;
    __be16 wqe_counter;
    uint8_t signature;
    uint8_t op_own;
};

/** Completion that brings the received bytes with it */
struct doca_gpu_dev_verbs_cqe64_inline {
    uint8_t inl_data[32];
    __be32 srqn_uidx;
    __be32 imm_inval_pkey;
    uint8_t app;
    uint8_t app_op;
    __be16 app_info;
    __be32 byte_cnt;
    __be64 timestamp;
    __be32 sop_drop_qpn;
    __be16 wqe_counter;
    uint8_t signature;
    uint8_t op_own;
};

/** Completion queue as kernels see it */
struct doca_gpu_dev_verbs_cq {
    uint8_t *cqe_daddr;
    uint32_t cq_num;
    uint32_t cqe_num;
    __be32 *dbrec;
    uint64_t cqe_ci;
    uint32_t cqe_mask;
    uint8_t cqe_size;
    uint64_t cqe_rsvd;
    enum doca_gpu_dev_verbs_mem_type mem_type;
};

/** Queue pair as kernels see it */
struct doca_gpu_dev_verbs_qp {
    uint64_t sq_rsvd_index;
    uint64_t sq_ready_index;
    uint64_t sq_wqe_pi;
    uint32_t sq_num;
    uint32_t sq_num_shift8;
    uint32_t sq_num_shift8_be;
    uint32_t sq_num_shift8_be_1ds;
    uint32_t sq_num_shift8_be_2ds;
    uint32_t sq_num_shift8_be_3ds;
    uint32_t sq_num_shift8_be_4ds;
    int sq_lock;
    uint16_t sq_wqe_num;
    uint16_t sq_wqe_mask;
    uint8_t *sq_wqe_daddr;
    __be32 *sq_dbrec;
    uint64_t *sq_db;
    uint32_t rq_num;
    uint64_t rq_wqe_pi;
    uint32_t rq_wqe_num;
    uint32_t rq_wqe_mask;
    uint8_t *rq_wqe_daddr;
    __be32 *rq_dbrec;
    uint32_t rcv_wqe_size;
    uint64_t rq_rsvd_index;
    uint64_t rq_ready_index;
    int rq_lock;
    struct doca_gpu_dev_verbs_cq cq_sq;
    struct doca_gpu_dev_verbs_cq cq_rq;
    enum doca_gpu_dev_verbs_nic_handler nic_handler;
    enum doca_gpu_dev_verbs_mem_type mem_type;
    bool need_mcst;
    uint64_t last_get_wqe_idx;
    uint64_t last_dump_wqe_idx;
    uint64_t last_recv_wqe_idx;
} __attribute__((__aligned__(8)));

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GPUNETIO_VERBS_DEF_H_ */

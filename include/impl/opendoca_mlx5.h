/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The few types of rdma-core that programs for GPUs name, where its headers are not installed. Same
 * names and layouts; the including header looks for infiniband/mlx5dv.h first.
 */
#ifndef OPENDOCA_MLX5_H_
#define OPENDOCA_MLX5_H_

#include <stdbool.h>
#include <stdint.h>

#ifndef _MLX5DV_H_

#include <linux/types.h>

enum {
    MLX5_CQE_OWNER_MASK = 1,
    MLX5_CQE_REQ = 0,
    MLX5_CQE_RESP_SEND = 2,
    MLX5_CQE_REQ_ERR = 13,
    MLX5_CQE_RESP_ERR = 14,
    MLX5_CQE_INVALID = 15
};

struct mlx5_cqe64 {
    uint8_t rsvd0[2];
    __be16 wqe_id;
    uint8_t rsvd4[13];
    uint8_t ml_path;
    uint8_t rsvd20[4];
    __be16 slid;
    __be32 flags_rqpn;
    uint8_t hds_ip_ext;
    uint8_t l4_hdr_type_etc;
    __be16 vlan_info;
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

struct mlx5_wqe_data_seg {
    __be32 byte_count;
    __be32 lkey;
    __be64 addr;
};

struct mlx5_wqe_raddr_seg {
    __be64 raddr;
    __be32 rkey;
    __be32 reserved;
};

struct mlx5_wqe_atomic_seg {
    __be64 swap_add;
    __be64 compare;
};

#endif

#endif /* OPENDOCA_MLX5_H_ */

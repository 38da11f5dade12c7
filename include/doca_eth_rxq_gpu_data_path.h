/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive queues of Ethernet devices whose packets are handled by GPU kernels: settings of the
 * host.
 *
 * Each call but the last is for an idle queue whose data path is, or will be, on a GPU.
 */
#ifndef DOCA_ETH_RXQ_GPU_DATA_PATH_H_
#define DOCA_ETH_RXQ_GPU_DATA_PATH_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_eth_rxq;

/**
 * Ring the doorbells of the queue from the CPU; see doca_eth_rxq_gpu_cpu_proxy_progress().
 *
 * @eth_rxq: idle
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_gpu_set_uar_on_cpu(struct doca_eth_rxq *eth_rxq);

/**
 * Ask for the consistency step that GPUs before compute capability 9.0 need.
 *
 * @eth_rxq: idle
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_gpu_enable_mcst_qp(struct doca_eth_rxq *eth_rxq);

/**
 * Choose where the rings of the queue are.
 *
 * @rq_mem_type: on the GPU by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_gpu_set_rq_mem_type(struct doca_eth_rxq *eth_rxq,
                                              enum doca_gpu_mem_type rq_mem_type);

/**
 * Ring the doorbells that kernels have asked for; from a thread of the program, in a loop.
 *
 * @rxq: running, with doorbells on the CPU
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the doorbells are on the GPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_eth_rxq_gpu_cpu_proxy_progress(struct doca_eth_rxq *rxq);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ETH_RXQ_GPU_DATA_PATH_H_ */

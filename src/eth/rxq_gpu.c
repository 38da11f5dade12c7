/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/rxq_priv.h"

static doca_error_t refuse_gpu(const struct doca_eth_rxq *rxq, const char *func)
{
    if (!core_is_live(CORE_LIVE_ETH_RXQ, rxq))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "eth_rxq", rxq);
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, rxq->ctx.name, "data path",
                     "on the CPU" CORE_LIMIT "on a GPU" CORE_REMEDY
                     "handle packets with tasks or events");
}

doca_error_t doca_eth_rxq_get_gpu_handle(const struct doca_eth_rxq *eth_rxq,
                                         struct doca_gpu_eth_rxq **eth_rxq_ext)
{
    (void)eth_rxq_ext;
    return refuse_gpu(eth_rxq, __func__);
}

doca_error_t doca_eth_rxq_gpu_set_uar_on_cpu(struct doca_eth_rxq *eth_rxq)
{
    return refuse_gpu(eth_rxq, __func__);
}

doca_error_t doca_eth_rxq_gpu_enable_mcst_qp(struct doca_eth_rxq *eth_rxq)
{
    return refuse_gpu(eth_rxq, __func__);
}

doca_error_t doca_eth_rxq_gpu_set_rq_mem_type(struct doca_eth_rxq *eth_rxq,
                                              enum doca_gpu_mem_type rq_mem_type)
{
    (void)rq_mem_type;
    return refuse_gpu(eth_rxq, __func__);
}

doca_error_t doca_eth_rxq_gpu_cpu_proxy_progress(struct doca_eth_rxq *rxq)
{
    return refuse_gpu(rxq, __func__);
}

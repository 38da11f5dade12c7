/* SPDX-License-Identifier: BSD-3-Clause */
/* Verbs queues of kernels: the calls are there for linking and say no. */

#include <doca_gpunetio.h>

#include "core/core_priv.h"

static doca_error_t refuse(const void *first, const char *first_name, const void *second,
                           const char *second_name, const char *func)
{
    if (first == NULL || second == NULL)
        return CORE_FAIL_NULL(CORE_LOG_GPUNETIO, func, first == NULL ? first_name : second_name);
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_GPUNETIO, func, NULL, "verbs queues",
                     "not for kernels" CORE_REMEDY "use Ethernet queues");
}

doca_error_t doca_gpu_verbs_export_qp(struct doca_gpu *gpu_dev, struct doca_dev *dev,
                                      struct doca_verbs_qp *qp,
                                      enum doca_gpu_dev_verbs_nic_handler nic_handler,
                                      void *gpu_qp_umem_dev_ptr, struct doca_verbs_cq *cq_sq,
                                      struct doca_verbs_cq *cq_rq,
                                      struct doca_gpu_verbs_qp **qp_out)
{
    (void)dev;
    (void)qp;
    (void)nic_handler;
    (void)gpu_qp_umem_dev_ptr;
    (void)cq_sq;
    (void)cq_rq;
    return refuse(gpu_dev, "gpu_dev", qp_out, "qp_out", __func__);
}

doca_error_t doca_gpu_verbs_get_qp_dev(struct doca_gpu_verbs_qp *qp,
                                       struct doca_gpu_dev_verbs_qp **qp_gpu)
{
    return refuse(qp, "qp", qp_gpu, "qp_gpu", __func__);
}

doca_error_t doca_gpu_verbs_unexport_qp(struct doca_gpu *gpu_dev, struct doca_gpu_verbs_qp *qp)
{
    return refuse(gpu_dev, "gpu_dev", qp, "qp", __func__);
}

doca_error_t doca_gpu_verbs_bridge_export_qp(
    struct doca_gpu *gpu_dev, uint32_t sq_qpn, void *sq_wqe_addr, uint16_t sq_wqe_num,
    uint32_t *sq_dbrec, uint64_t *sq_db, size_t uar_size, uint32_t sq_cqn, void *sq_cqe_addr,
    uint32_t sq_cqe_num, uint32_t *sq_cq_dbrec, uint32_t rq_qpn, void *rq_wqe_addr,
    uint16_t rq_wqe_num, uint32_t *rq_dbrec, uint32_t rcv_wqe_size, uint32_t rq_cqn,
    void *rq_cqe_addr, uint32_t rq_cqe_num, uint32_t *rq_cq_dbrec,
    enum doca_gpu_dev_verbs_nic_handler nic_handler, uint8_t send_dbr_mode_ext,
    struct doca_gpu_verbs_qp **qp_out)
{
    (void)sq_qpn;
    (void)sq_wqe_addr;
    (void)sq_wqe_num;
    (void)sq_dbrec;
    (void)sq_db;
    (void)uar_size;
    (void)sq_cqn;
    (void)sq_cqe_addr;
    (void)sq_cqe_num;
    (void)sq_cq_dbrec;
    (void)rq_qpn;
    (void)rq_wqe_addr;
    (void)rq_wqe_num;
    (void)rq_dbrec;
    (void)rcv_wqe_size;
    (void)rq_cqn;
    (void)rq_cqe_addr;
    (void)rq_cqe_num;
    (void)rq_cq_dbrec;
    (void)nic_handler;
    (void)send_dbr_mode_ext;
    return refuse(gpu_dev, "gpu_dev", qp_out, "qp_out", __func__);
}

doca_error_t doca_gpu_verbs_cpu_proxy_enabled(struct doca_gpu_verbs_qp *qp_cpu, uint8_t *enabled)
{
    return refuse(qp_cpu, "qp_cpu", enabled, "enabled", __func__);
}

doca_error_t doca_gpu_verbs_cpu_proxy_progress(struct doca_gpu_verbs_qp *qp_cpu)
{
    return refuse(qp_cpu, "qp_cpu", qp_cpu, "qp_cpu", __func__);
}

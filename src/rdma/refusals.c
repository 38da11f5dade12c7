/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

/* Processors and managers that are not there. */

doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (dpa_rdma == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "dpa_rdma");
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_RDMA, __func__, rdma->ctx.name, "data path",
                     "on the CPU" CORE_LIMIT "on a DPA" CORE_REMEDY
                     "submit the tasks from the CPU");
}

doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
                                             struct doca_dpa_completion *dpa_comp)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (dpa_comp == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "dpa_comp");
    result = core_ctx_check_idle(&rdma->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_RDMA, __func__, rdma->ctx.name, "dpa_comp",
                     "of a DPA" CORE_REMEDY "there is no DPA processor; use the progress engine");
}

static doca_error_t refuse_bridge(const struct doca_rdma *rdma, const void *argument,
                                  const char *name, const char *func)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, func, "rdma", rdma);
    if (argument == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, func, name);
    return CORE_FAIL(
        DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_RDMA, func, rdma->ctx.name, "connection manager",
        "of the program" CORE_REMEDY "connect by details or with doca_rdma_connect_to_addr()");
}

doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                                 struct doca_rdma_connection **rdma_connection)
{
    if (rdma_connection == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "rdma_connection");
    return refuse_bridge(rdma, cm_id, "cm_id", __func__);
}

doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
                                     uint8_t private_data_len,
                                     struct doca_rdma_connection *rdma_connection)
{
    (void)private_data;
    (void)private_data_len;
    return refuse_bridge(rdma, rdma_connection, "rdma_connection", __func__);
}

doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
                                          struct doca_rdma_connection *rdma_connection)
{
    return refuse_bridge(rdma, rdma_connection, "rdma_connection", __func__);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

doca_error_t doca_urom_ext_worker_get_stats(struct doca_urom_worker *worker_ctx,
                                            struct doca_urom_ext_stats *stats)
{
    if (!core_is_live(CORE_LIVE_UROM_WORKER, worker_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "worker_ctx", worker_ctx);
    if (stats == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "stats");
    *stats = worker_ctx->stats;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_ext_service_get_listen_addr(const struct doca_urom_service *service_ctx,
                                                   const char **addr)
{
    if (!core_is_live(CORE_LIVE_UROM_SERVICE, service_ctx))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "service_ctx", service_ctx);
    if (addr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, __func__, "addr");
    *addr = service_ctx->running ? service_ctx->listen : "";
    return DOCA_SUCCESS;
}

const char *doca_urom_ext_worker_last_error(struct doca_urom_worker *worker_ctx)
{
    return core_is_live(CORE_LIVE_UROM_WORKER, worker_ctx) ? worker_ctx->last_error : "";
}

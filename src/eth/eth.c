/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/eth_priv.h"

#include <errno.h>

doca_error_t eth_check_query(const struct doca_devinfo *devinfo, const void *output,
                             const char *name, const char *func)
{
    if (output == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, func, name);
    return eth_check_device(devinfo, func);
}

doca_error_t eth_check_device(const struct doca_devinfo *devinfo, const char *func)
{
    if (core_devinfo_caps(devinfo, func) == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (soft_nic_port_check(devinfo->soft) == 0)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, func, devinfo->name, "port", "%s",
                       soft_reason());
}

doca_error_t eth_check_range(const struct doca_ctx *ctx, const char *attribute, uint32_t value,
                             uint32_t min, uint32_t max, const char *func)
{
    if (value >= min && value <= max)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, ctx != NULL ? ctx->name : NULL,
                     attribute,
                     "%u" CORE_LIMIT "%u..%u" CORE_REMEDY
                     "ask the device with the doca_eth_rxq_cap_* or doca_eth_txq_cap_* calls",
                     value, min, max);
}

doca_error_t eth_check_running(const struct doca_ctx *ctx, const char *func)
{
    if (ctx->state == DOCA_CTX_STATE_RUNNING)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_ETH, func, ctx->name, "state",
                     "not RUNNING" CORE_LIMIT "RUNNING" CORE_REMEDY "call doca_ctx_start() first");
}

void eth_warn_of_port(const struct doca_ctx *ctx, struct soft_nic_port *port)
{
    static _Atomic bool is_told;
    struct soft_nic_port_info info;

    soft_nic_port_info(port, &info);
    if (info.loses_tags && !atomic_exchange(&is_told, true))
        CORE_WARN(
            CORE_LOG_ETH,
            "%s: VLAN tags that a sender leaves to its interface do not arrive at %s; 'ethtool "
            "-K NAME txvlan off' there, on a card 'rxvlan off' here",
            ctx->name, info.where);
}

doca_error_t eth_fail_port(const struct doca_ctx *ctx, int err, const char *func)
{
    doca_error_t error = err == -EPERM    ? DOCA_ERROR_NOT_PERMITTED
                         : err == -ENOMEM ? DOCA_ERROR_NO_MEMORY
                         : err == -ENODEV ? DOCA_ERROR_NOT_FOUND
                                          : DOCA_ERROR_DRIVER;

    return CORE_FAIL(error, CORE_LOG_ETH, func, ctx->name, "port", "not open: %s", soft_reason());
}

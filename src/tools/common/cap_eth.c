/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/capability.h"

#include <stddef.h>

#include <doca_eth_rxq.h>
#include <doca_eth_txq.h>

/* ---- receive queues ---- */

static doca_error_t rxq_regular(const struct doca_devinfo *devinfo)
{
    return doca_eth_rxq_cap_is_type_supported(devinfo, DOCA_ETH_RXQ_TYPE_REGULAR,
                                              DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU);
}

static doca_error_t rxq_managed(const struct doca_devinfo *devinfo)
{
    return doca_eth_rxq_cap_is_type_supported(devinfo, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL,
                                              DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU);
}

static doca_error_t rxq_cyclic(const struct doca_devinfo *devinfo)
{
    return doca_eth_rxq_cap_is_type_supported(devinfo, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                              DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU);
}

static doca_error_t rxq_cyclic_gpu(const struct doca_devinfo *devinfo)
{
    return doca_eth_rxq_cap_is_type_supported(devinfo, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                              DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU);
}

/* Numbers of several widths. */
#define NUMBER(name, query, type)                                                                  \
    static doca_error_t name(struct doca_devinfo *devinfo, uint64_t *value)                        \
    {                                                                                              \
        type narrow;                                                                               \
        doca_error_t result = query(devinfo, &narrow);                                             \
                                                                                                   \
        if (result == DOCA_SUCCESS)                                                                \
            *value = (uint64_t)narrow;                                                             \
        return result;                                                                             \
    }
NUMBER(rxq_burst, doca_eth_rxq_cap_get_max_burst_size, uint32_t)
NUMBER(rxq_packet, doca_eth_rxq_cap_get_max_packet_size, uint32_t)
NUMBER(rxq_metadata, doca_eth_rxq_cap_get_max_metadata_num, uint8_t)
NUMBER(rxq_headroom, doca_eth_rxq_cap_get_max_packet_headroom, uint16_t)
NUMBER(rxq_tailroom, doca_eth_rxq_cap_get_max_packet_tailroom, uint16_t)
NUMBER(rxq_list, doca_eth_rxq_cap_get_max_recv_buf_list_len, uint32_t)

/* ---- send queues ---- */

static doca_error_t txq_regular(const struct doca_devinfo *devinfo)
{
    return doca_eth_txq_cap_is_type_supported(devinfo, DOCA_ETH_TXQ_TYPE_REGULAR,
                                              DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU);
}

static doca_error_t txq_regular_gpu(const struct doca_devinfo *devinfo)
{
    return doca_eth_txq_cap_is_type_supported(devinfo, DOCA_ETH_TXQ_TYPE_REGULAR,
                                              DOCA_ETH_TXQ_DATA_PATH_TYPE_GPU);
}

/* For packets of one buffer and without large sends. */
static doca_error_t txq_burst_of(const struct doca_devinfo *devinfo, uint32_t *burst)
{
    return doca_eth_txq_cap_get_max_burst_size(devinfo, 1, 0, burst);
}

static doca_error_t txq_wait_on_time(const struct doca_devinfo *devinfo)
{
    enum doca_eth_wait_on_time_type type;
    doca_error_t result = doca_eth_txq_cap_get_wait_on_time_offload_supported(devinfo, &type);

    if (result == DOCA_SUCCESS && type == DOCA_ETH_WAIT_ON_TIME_TYPE_NONE)
        return DOCA_ERROR_NOT_SUPPORTED;
    return result;
}

NUMBER(txq_burst, txq_burst_of, uint32_t)
NUMBER(txq_metadata, doca_eth_txq_cap_get_max_metadata_num, uint8_t)
NUMBER(txq_list, doca_eth_txq_cap_get_max_send_buf_list_len, uint32_t)
NUMBER(txq_lso_header, doca_eth_txq_cap_get_max_lso_header_size, uint16_t)
NUMBER(txq_lso_msg, doca_eth_txq_cap_get_max_lso_msg_size, uint32_t)

const struct tool_cap tool_caps_eth[] = {
    {.name = "rxq_type_regular", .status = rxq_regular},
    {.name = "rxq_type_managed_mempool", .status = rxq_managed},
    {.name = "rxq_type_cyclic", .status = rxq_cyclic},
    {.name = "rxq_type_cyclic_gpu", .status = rxq_cyclic_gpu},
    {.name = "rxq_max_burst_size", .number = rxq_burst},
    {.name = "rxq_max_packet_size", .number = rxq_packet},
    {.name = "rxq_max_metadata_num", .number = rxq_metadata},
    {.name = "rxq_max_packet_headroom", .number = rxq_headroom},
    {.name = "rxq_max_packet_tailroom", .number = rxq_tailroom},
    {.name = "rxq_max_recv_buf_list_len", .number = rxq_list},
    {.name = "txq_type_regular", .status = txq_regular},
    {.name = "txq_type_regular_gpu", .status = txq_regular_gpu},
    {.name = "txq_max_burst_size", .number = txq_burst},
    {.name = "txq_max_metadata_num", .number = txq_metadata},
    {.name = "txq_max_send_buf_list_len", .number = txq_list},
    {.name = "txq_max_lso_header_size", .number = txq_lso_header},
    {.name = "txq_max_lso_msg_size", .number = txq_lso_msg},
    {.name = "txq_l3_chksum_offload", .status = doca_eth_txq_cap_is_l3_chksum_offload_supported},
    {.name = "txq_l4_chksum_offload", .status = doca_eth_txq_cap_is_l4_chksum_offload_supported},
    {.name = "txq_wait_on_time_offload", .status = txq_wait_on_time},
    {.name = NULL},
};

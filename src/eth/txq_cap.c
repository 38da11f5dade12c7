/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/txq_priv.h"

/* The descriptors of a packet share one ring: the more each needs, the fewer there are. */
static uint32_t burst_of(uint32_t list_len, uint32_t header_size)
{
    uint32_t slots = (2 + list_len + header_size / 16 + 3) / 4, burst = ETH_TXQ_BURST_MAX;

    while (burst > ETH_TXQ_BURST_MIN && burst > ETH_TXQ_BURST_MAX / slots)
        burst /= 2;
    return burst;
}

doca_error_t doca_eth_txq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t max_send_buf_list_len,
                                                 uint16_t max_lso_header_size,
                                                 uint32_t *max_burst_size)
{
    doca_error_t result = eth_check_query(devinfo, max_burst_size, "max_burst_size", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (max_send_buf_list_len > ETH_TXQ_LIST_MAX || max_lso_header_size > ETH_TXQ_LSO_HEADER_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, __func__, devinfo->name,
                         "list and header", "%u buffers, %u bytes" CORE_LIMIT "%u and %u",
                         max_send_buf_list_len, max_lso_header_size, ETH_TXQ_LIST_MAX,
                         ETH_TXQ_LSO_HEADER_MAX);
    *max_burst_size = burst_of(max_send_buf_list_len, max_lso_header_size);
    return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_send_buf_list_len)
{
    doca_error_t result =
        eth_check_query(devinfo, max_send_buf_list_len, "max_send_buf_list_len", __func__);

    if (result == DOCA_SUCCESS)
        *max_send_buf_list_len = ETH_TXQ_LIST_MAX;
    return result;
}

doca_error_t doca_eth_txq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_metadata_num)
{
    doca_error_t result = eth_check_query(devinfo, max_metadata_num, "max_metadata_num", __func__);

    if (result == DOCA_SUCCESS)
        *max_metadata_num = SOFT_NIC_METADATA;
    return result;
}

doca_error_t doca_eth_txq_cap_get_max_lso_header_size(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_lso_header_size)
{
    doca_error_t result =
        eth_check_query(devinfo, max_lso_header_size, "max_lso_header_size", __func__);

    if (result == DOCA_SUCCESS)
        *max_lso_header_size = ETH_TXQ_LSO_HEADER_MAX;
    return result;
}

doca_error_t doca_eth_txq_cap_get_max_lso_msg_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_lso_msg_size)
{
    doca_error_t result = eth_check_query(devinfo, max_lso_msg_size, "max_lso_msg_size", __func__);

    if (result == DOCA_SUCCESS)
        *max_lso_msg_size = ETH_TXQ_LSO_MSG_MAX;
    return result;
}

doca_error_t doca_eth_txq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_txq_type type,
                                                enum doca_eth_txq_data_path_type data_path_type)
{
    doca_error_t result = eth_check_device(devinfo, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if ((unsigned int)type > DOCA_ETH_TXQ_TYPE_REGULAR ||
        (unsigned int)data_path_type > DOCA_ETH_TXQ_DATA_PATH_TYPE_GPU)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, __func__, devinfo->name, "type",
                         "%d on data path %d" CORE_LIMIT "0 on 0..1", (int)type,
                         (int)data_path_type);
    if (data_path_type == DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU || soft_gpu_probe() == 0)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, __func__, devinfo->name, "type",
                       "%d on data path %d", (int)type, (int)data_path_type);
}

doca_error_t doca_eth_txq_cap_is_l3_chksum_offload_supported(const struct doca_devinfo *devinfo)
{
    return eth_check_device(devinfo, __func__);
}

doca_error_t doca_eth_txq_cap_is_l4_chksum_offload_supported(const struct doca_devinfo *devinfo)
{
    return eth_check_device(devinfo, __func__);
}

doca_error_t doca_eth_txq_cap_get_wait_on_time_offload_supported(
    const struct doca_devinfo *devinfo, enum doca_eth_wait_on_time_type *wait_on_time_mode)
{
    doca_error_t result =
        eth_check_query(devinfo, wait_on_time_mode, "wait_on_time_mode", __func__);

    if (result == DOCA_SUCCESS)
        *wait_on_time_mode = DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE;
    return result;
}

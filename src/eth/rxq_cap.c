/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/rxq_priv.h"

doca_error_t doca_eth_rxq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t *max_burst_size)
{
    doca_error_t result = eth_check_query(devinfo, max_burst_size, "max_burst_size", __func__);

    if (result == DOCA_SUCCESS)
        *max_burst_size = ETH_RXQ_BURST_MAX;
    return result;
}

doca_error_t doca_eth_rxq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_metadata_num)
{
    doca_error_t result = eth_check_query(devinfo, max_metadata_num, "max_metadata_num", __func__);

    if (result == DOCA_SUCCESS)
        *max_metadata_num = SOFT_NIC_METADATA;
    return result;
}

doca_error_t doca_eth_rxq_cap_get_max_packet_headroom(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_packet_headroom)
{
    doca_error_t result =
        eth_check_query(devinfo, max_packet_headroom, "max_packet_headroom", __func__);

    if (result == DOCA_SUCCESS)
        *max_packet_headroom = ETH_RXQ_ROOM_MAX;
    return result;
}

doca_error_t doca_eth_rxq_cap_get_max_packet_tailroom(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_packet_tailroom)
{
    doca_error_t result =
        eth_check_query(devinfo, max_packet_tailroom, "max_packet_tailroom", __func__);

    if (result == DOCA_SUCCESS)
        *max_packet_tailroom = ETH_RXQ_ROOM_MAX;
    return result;
}

doca_error_t doca_eth_rxq_cap_get_max_recv_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_recv_buf_list_len)
{
    doca_error_t result =
        eth_check_query(devinfo, max_recv_buf_list_len, "max_recv_buf_list_len", __func__);

    if (result == DOCA_SUCCESS)
        *max_recv_buf_list_len = ETH_RXQ_LIST_MAX;
    return result;
}

doca_error_t doca_eth_rxq_cap_get_max_packet_size(const struct doca_devinfo *devinfo,
                                                  uint32_t *max_packet_size)
{
    doca_error_t result = eth_check_query(devinfo, max_packet_size, "max_packet_size", __func__);

    if (result == DOCA_SUCCESS)
        *max_packet_size = SOFT_NIC_FRAME_MAX;
    return result;
}

doca_error_t doca_eth_rxq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_rxq_type type,
                                                enum doca_eth_rxq_data_path_type data_path_type)
{
    doca_error_t result = eth_check_device(devinfo, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if ((unsigned int)type > DOCA_ETH_RXQ_TYPE_REGULAR ||
        (unsigned int)data_path_type > DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, __func__, devinfo->name, "type",
                         "%d on data path %d" CORE_LIMIT "0..2 on 0..1", (int)type,
                         (int)data_path_type);
    if (data_path_type == DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU && type == DOCA_ETH_RXQ_TYPE_CYCLIC &&
        soft_gpu_probe() == 0)
        return DOCA_SUCCESS;
    if (data_path_type == DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, __func__, devinfo->name, "type",
                       "%d on data path %d", (int)type, (int)data_path_type);
}

/* ------------------------------------------------------------------------------------------------
 * How much packet memory a queue needs
 */

#define SHORTEST_FRAME 64u

static uint64_t estimate_cyclic(uint32_t max_packet_size, uint32_t max_burst_size)
{
    uint64_t slots = 1;

    while (slots < max_burst_size)
        slots *= 2;
    return slots * max_packet_size;
}

doca_error_t doca_eth_rxq_estimate_packet_buf_size(enum doca_eth_rxq_type type, uint32_t rate,
                                                   uint16_t pkt_max_time, uint32_t max_packet_size,
                                                   uint32_t max_burst_size,
                                                   uint8_t log_max_lro_pkt_sz, uint16_t head_size,
                                                   uint16_t tail_size, uint32_t *buf_size)
{
    uint64_t size, elements;

    (void)log_max_lro_pkt_sz; /* packets are not joined */
    if (buf_size == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, __func__, "buf_size");
    if (max_packet_size == 0 || max_burst_size == 0 ||
        (unsigned int)type > DOCA_ETH_RXQ_TYPE_REGULAR)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, __func__, NULL, "type and sizes",
                         "type %d, packets of %u bytes, bursts of %u" CORE_LIMIT "sizes above 0",
                         (int)type, max_packet_size, max_burst_size);
    if (type == DOCA_ETH_RXQ_TYPE_REGULAR)
        return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_ETH, __func__, NULL, "type",
                           "REGULAR" CORE_REMEDY "there each task brings a buffer");
    if (type == DOCA_ETH_RXQ_TYPE_CYCLIC) {
        size = estimate_cyclic(max_packet_size, max_burst_size);
    } else {
        /* A megabyte a second is a byte a microsecond. */
        elements = 2ull * max_burst_size +
                   ((uint64_t)rate * pkt_max_time + SHORTEST_FRAME - 1) / SHORTEST_FRAME;
        if (__builtin_mul_overflow(
                elements, eth_rxq_managed_stride(head_size, max_packet_size, tail_size), &size))
            size = UINT64_MAX;
    }
    if (size > UINT32_MAX)
        return CORE_FAIL(DOCA_ERROR_TOO_BIG, CORE_LOG_ETH, __func__, NULL, "size",
                         "%llu bytes" CORE_LIMIT "%u" CORE_REMEDY
                         "ask for fewer or shorter packets",
                         (unsigned long long)size, UINT32_MAX);
    *buf_size = (uint32_t)size;
    return DOCA_SUCCESS;
}

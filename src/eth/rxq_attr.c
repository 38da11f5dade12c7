/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a packet. Checksums are only looked at when somebody asks. */

#include "eth/rxq_priv.h"

#include <string.h>

#include "soft/nic/packet.h"

/* The bytes of a packet in one piece; `scratch` is used for those that are in several. */
static const uint8_t *linear(const struct doca_buf *buf, uint8_t *scratch, uint32_t *len)
{
    *len = 0;
    if (buf->next == NULL) {
        *len = (uint32_t)buf->data_len;
        return (const uint8_t *)buf->data;
    }
    for (; buf != NULL; buf = buf->next) {
        size_t n = OD_MIN(buf->data_len, (size_t)(SOFT_NIC_FRAME_MAX - *len));

        memcpy(scratch + *len, buf->data, n);
        *len += (uint32_t)n;
    }
    return scratch;
}

uint8_t eth_packet_l3_ok(const struct eth_packet *packet)
{
    uint8_t scratch[SOFT_NIC_FRAME_MAX];
    struct soft_nic_packet parsed;
    uint32_t len;
    const uint8_t *data = linear(packet->buf, scratch, &len);

    soft_nic_parse(data, len, &parsed);
    return soft_nic_l3_is_ok(data, &parsed) ? 1 : 0;
}

uint8_t eth_packet_l4_ok(const struct eth_packet *packet)
{
    uint8_t scratch[SOFT_NIC_FRAME_MAX];
    struct soft_nic_packet parsed;
    uint32_t len;
    const uint8_t *data = linear(packet->buf, scratch, &len);

    soft_nic_parse(data, len, &parsed);
    return soft_nic_l4_is_ok(data, &parsed) ? 1 : 0;
}

static uint32_t flow_tag_of(const struct eth_packet *packet)
{
    return packet->rxq->has_flow_tag ? packet->meta->mark : 0;
}

static uint32_t rx_hash_of(const struct eth_packet *packet)
{
    return packet->rxq->has_rx_hash ? packet->meta->hash : 0;
}

static uint64_t timestamp_of(const struct eth_packet *packet)
{
    return packet->rxq->has_timestamp ? packet->meta->time : 0;
}

static const uint32_t *metadata_of(const struct eth_packet *packet)
{
    return packet->rxq->metadata_num > 0 ? packet->meta->words : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

static doca_error_t check_task(const struct doca_eth_rxq_task_recv *task, const void *output,
                               const char *func)
{
    if (!core_is_live(CORE_LIVE_TASK, task))
        return CORE_FAIL_DEAD(CORE_LOG_ETH, func, "task_recv", task);
    if (output == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, func, "output");
    return DOCA_SUCCESS;
}

static struct eth_packet packet_of(const struct doca_eth_rxq_task_recv *task)
{
    return (struct eth_packet){
        .rxq = eth_rxq_of(task->base.ctx), .buf = task->pkt, .meta = &task->meta};
}

#define TASK_GETTER(attribute, type, value)                                                        \
    doca_error_t doca_eth_rxq_task_recv_get_##attribute(                                           \
        const struct doca_eth_rxq_task_recv *task_recv, type *attribute)                           \
    {                                                                                              \
        doca_error_t result = check_task(task_recv, attribute, __func__);                          \
        struct eth_packet packet;                                                                  \
                                                                                                   \
        if (result != DOCA_SUCCESS)                                                                \
            return result;                                                                         \
        packet = packet_of(task_recv);                                                             \
        *attribute = value(&packet);                                                               \
        return DOCA_SUCCESS;                                                                       \
    }
TASK_GETTER(l3_ok, uint8_t, eth_packet_l3_ok)
TASK_GETTER(l4_ok, uint8_t, eth_packet_l4_ok)
TASK_GETTER(metadata_array, const uint32_t *, metadata_of)
TASK_GETTER(flow_tag, uint32_t, flow_tag_of)
TASK_GETTER(rx_hash, uint32_t, rx_hash_of)
TASK_GETTER(timestamp, uint64_t, timestamp_of)

/* ------------------------------------------------------------------------------------------------
 * Events
 */

static doca_error_t check_event(const void *event, const void *output, const char *func)
{
    if (event == NULL || output == NULL)
        return CORE_FAIL_NULL(CORE_LOG_ETH, func, event == NULL ? "event" : "output");
    return DOCA_SUCCESS;
}

#define EVENT_GETTER(attribute, type, value)                                                       \
    doca_error_t doca_eth_rxq_event_managed_recv_get_##attribute(                                  \
        const struct doca_eth_rxq_event_managed_recv *event_managed_recv, type *attribute)         \
    {                                                                                              \
        doca_error_t result = check_event(event_managed_recv, attribute, __func__);                \
                                                                                                   \
        if (result == DOCA_SUCCESS)                                                                \
            *attribute = value(&event_managed_recv->packet);                                       \
        return result;                                                                             \
    }
EVENT_GETTER(l3_ok, uint8_t, eth_packet_l3_ok)
EVENT_GETTER(l4_ok, uint8_t, eth_packet_l4_ok)
EVENT_GETTER(metadata_array, const uint32_t *, metadata_of)
EVENT_GETTER(flow_tag, uint32_t, flow_tag_of)
EVENT_GETTER(rx_hash, uint32_t, rx_hash_of)
EVENT_GETTER(timestamp, uint64_t, timestamp_of)

/* ------------------------------------------------------------------------------------------------
 * Batches: an array is filled in when it is asked for
 */

static struct eth_packet packet_at(const struct doca_eth_rxq_event_batch_managed_recv *batch,
                                   uint32_t i)
{
    return (struct eth_packet){.rxq = batch->rxq, .buf = batch->pkts[i], .meta = batch->metas[i]};
}

#define BATCH_GETTER(attribute, type, value)                                                       \
    doca_error_t doca_eth_rxq_event_batch_managed_recv_get_##attribute##_array(                    \
        const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,              \
        const type **attribute##_array)                                                            \
    {                                                                                              \
        doca_error_t result = check_event(event_batch_managed_recv, attribute##_array, __func__);  \
        type *filled;                                                                              \
                                                                                                   \
        if (result != DOCA_SUCCESS)                                                                \
            return result;                                                                         \
        filled = event_batch_managed_recv->rxq->batch->attribute;                                  \
        for (uint32_t i = 0; i < event_batch_managed_recv->num; i++) {                             \
            struct eth_packet packet = packet_at(event_batch_managed_recv, i);                     \
                                                                                                   \
            filled[i] = value(&packet);                                                            \
        }                                                                                          \
        *attribute##_array = filled;                                                               \
        return DOCA_SUCCESS;                                                                       \
    }
BATCH_GETTER(l3_ok, uint8_t, eth_packet_l3_ok)
BATCH_GETTER(l4_ok, uint8_t, eth_packet_l4_ok)
BATCH_GETTER(flow_tag, uint32_t, flow_tag_of)
BATCH_GETTER(rx_hash, uint32_t, rx_hash_of)
BATCH_GETTER(timestamp, uint64_t, timestamp_of)

doca_error_t doca_eth_rxq_event_batch_managed_recv_get_metadata_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint32_t **metadata_array)
{
    doca_error_t result = check_event(event_batch_managed_recv, metadata_array, __func__);
    const struct doca_eth_rxq *rxq;

    if (result != DOCA_SUCCESS)
        return result;
    rxq = event_batch_managed_recv->rxq;
    for (uint32_t i = 0; i < event_batch_managed_recv->num; i++)
        memcpy(rxq->batch->metadata + i * rxq->metadata_num,
               event_batch_managed_recv->metas[i]->words, rxq->metadata_num * sizeof(uint32_t));
    *metadata_array = rxq->metadata_num > 0 ? rxq->batch->metadata : NULL;
    return DOCA_SUCCESS;
}

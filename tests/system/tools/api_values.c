/* SPDX-License-Identifier: BSD-3-Clause */
/* What the API answers, for comparison with what doca_caps prints: one line a value,
 *
 *     PCI-ADDRESS LIBRARY NAME VALUE
 *
 * LIBRARY is "device" for attributes. Written without the tables of the tool. */

#include <inttypes.h>
#include <stdio.h>

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_eth_rxq.h>
#include <doca_eth_txq.h>
#include <doca_mmap.h>
#include <doca_mmap_advise.h>
#include <doca_sync_event.h>

static char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];

static void text(const char *library, const char *name, const char *value)
{
    printf("%s %s %s %s\n", pci, library, name, value);
}

static void number(const char *library, const char *name, doca_error_t result, uint64_t value)
{
    if (result == DOCA_SUCCESS)
        printf("%s %s %s %" PRIu64 "\n", pci, library, name, value);
    else
        text(library, name, result == DOCA_ERROR_NOT_SUPPORTED ? "unsupported" : "N/A");
}

static void offered(const char *library, const char *name, doca_error_t result, uint8_t flag)
{
    if (result != DOCA_SUCCESS && result != DOCA_ERROR_NOT_SUPPORTED)
        text(library, name, "N/A");
    else
        text(library, name, result == DOCA_SUCCESS && flag != 0 ? "supported" : "unsupported");
}

static void print_attributes(const struct doca_devinfo *info)
{
    char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "N/A";
    uint16_t port = 0;
    uint32_t index = 0;
    doca_error_t result = doca_devinfo_get_uplink_ib_port(info, &port);

    number("device", "uplink_ib_port", result, port);
    doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev));
    text("device", "ibdev_name", ibdev);
    if (doca_devinfo_get_iface_index(info, &index) == DOCA_SUCCESS)
        number("device", "iface_index", DOCA_SUCCESS, index);
    else
        text("device", "iface_index", "N/A");
}

static void print_device_flags(const struct doca_devinfo *info)
{
    uint8_t flag = 0;
    doca_error_t result;

    result = doca_devinfo_cap_is_hotplug_manager_supported(info, &flag);
    offered("common", "hotplug_manager", result, flag);
    result = doca_devinfo_cap_is_notification_moderation_supported(info, &flag);
    offered("common", "notification_moderation", result, flag);
    result = doca_devinfo_cap_is_accelerate_resource_reclaim_supported(info, &flag);
    offered("common", "accelerate_resource_reclaim", result, flag);
    result = doca_devinfo_rep_cap_is_filter_all_supported(info, &flag);
    offered("common", "rep_filter_all", result, flag);
    result = doca_devinfo_rep_cap_is_filter_net_supported(info, &flag);
    offered("common", "rep_filter_net", result, flag);
    result = doca_devinfo_rep_cap_is_filter_emulated_supported(info, &flag);
    offered("common", "rep_filter_emulated", result, flag);
}

static void print_memory(const struct doca_devinfo *info)
{
    uint8_t flag = 0;
    doca_error_t result;

    result = doca_mmap_cap_is_export_pci_supported(info, &flag);
    offered("common", "mmap_export_pci", result, flag);
    result = doca_mmap_cap_is_create_from_export_pci_supported(info, &flag);
    offered("common", "mmap_create_from_export_pci", result, flag);
    result = doca_mmap_advise_cap_task_cache_invalidate_is_supported(info);
    offered("common", "mmap_advise_cache_invalidate", result, 1);
}

static void print_sync_events(const struct doca_devinfo *info)
{
    offered("common", "sync_event_task_get", doca_sync_event_cap_task_get_is_supported(info), 1);
    offered("common", "sync_event_task_wait_neq",
            doca_sync_event_cap_task_wait_neq_is_supported(info), 1);
    offered("common", "sync_event_export_to_remote_pci",
            doca_sync_event_cap_is_export_to_remote_pci_supported(info), 1);
    offered("common", "sync_event_export_to_gpu",
            doca_sync_event_cap_is_export_to_gpu_supported(info), 1);
}

static doca_error_t max_num_tasks(struct doca_devinfo *info, uint32_t *num)
{
    struct doca_dev *dev;
    struct doca_dma *dma;
    doca_error_t result = doca_dma_cap_task_memcpy_is_supported(info);

    if (result == DOCA_SUCCESS)
        result = doca_dev_open(info, &dev);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_dma_create(dev, &dma);
    if (result == DOCA_SUCCESS) {
        result = doca_dma_cap_get_max_num_tasks(dma, num);
        doca_dma_destroy(dma);
    }
    doca_dev_close(dev);
    return result;
}

static void print_dma(struct doca_devinfo *info)
{
    uint64_t size = 0;
    uint32_t num = 0;
    doca_error_t result;

    offered("dma", "task_memcpy", doca_dma_cap_task_memcpy_is_supported(info), 1);
    result = doca_dma_cap_task_memcpy_get_max_buf_size(info, &size);
    number("dma", "max_buf_size", result, size);
    result = doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &num);
    number("dma", "max_buf_list_len", result, num);
    result = max_num_tasks(info, &num);
    number("dma", "max_num_tasks", result, num);
}

static void print_comch(const struct doca_devinfo *info)
{
    uint32_t num = 0;
    doca_error_t result;

    offered("comch", "server", doca_comch_cap_server_is_supported(info), 1);
    offered("comch", "client", doca_comch_cap_client_is_supported(info), 1);
    result = doca_comch_cap_get_max_name_len(info, &num);
    number("comch", "max_name_len", result, num);
    result = doca_comch_cap_get_max_msg_size(info, &num);
    number("comch", "max_msg_size", result, num);
    result = doca_comch_cap_get_max_recv_queue_size(info, &num);
    number("comch", "max_recv_queue_size", result, num);
    result = doca_comch_cap_get_max_send_tasks(info, &num);
    number("comch", "max_send_tasks", result, num);
    result = doca_comch_cap_get_max_clients(info, &num);
    number("comch", "max_clients", result, num);
}

static void print_fast_path(const struct doca_devinfo *info)
{
    uint32_t num = 0;
    doca_error_t result;

    offered("comch", "consumer", doca_comch_consumer_cap_is_supported(info), 1);
    result = doca_comch_consumer_cap_get_max_num_tasks(info, &num);
    number("comch", "consumer_max_num_tasks", result, num);
    result = doca_comch_consumer_cap_get_max_buf_size(info, &num);
    number("comch", "consumer_max_buf_size", result, num);
    result = doca_comch_consumer_cap_get_max_buf_list_len(info, &num);
    number("comch", "consumer_max_buf_list_len", result, num);
    result = doca_comch_consumer_cap_get_max_consumers(info, &num);
    number("comch", "consumer_max_consumers", result, num);
    result = doca_comch_consumer_cap_get_max_imm_data_len(info, &num);
    number("comch", "consumer_max_imm_data_len", result, num);
    offered("comch", "producer", doca_comch_producer_cap_is_supported(info), 1);
    result = doca_comch_producer_cap_get_max_num_tasks(info, &num);
    number("comch", "producer_max_num_tasks", result, num);
    result = doca_comch_producer_cap_get_max_buf_size(info, &num);
    number("comch", "producer_max_buf_size", result, num);
    result = doca_comch_producer_cap_get_max_buf_list_len(info, &num);
    number("comch", "producer_max_buf_list_len", result, num);
    result = doca_comch_producer_cap_get_max_producers(info, &num);
    number("comch", "producer_max_producers", result, num);
}

static void print_receive_queues(const struct doca_devinfo *info)
{
    uint32_t num = 0;
    uint16_t room = 0;
    doca_error_t result;

    offered("eth", "rxq_type_managed_mempool",
            doca_eth_rxq_cap_is_type_supported(info, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL,
                                               DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU),
            1);
    offered("eth", "rxq_type_cyclic_gpu",
            doca_eth_rxq_cap_is_type_supported(info, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                               DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU),
            1);
    result = doca_eth_rxq_cap_get_max_burst_size(info, &num);
    number("eth", "rxq_max_burst_size", result, num);
    result = doca_eth_rxq_cap_get_max_packet_size(info, &num);
    number("eth", "rxq_max_packet_size", result, num);
    result = doca_eth_rxq_cap_get_max_packet_headroom(info, &room);
    number("eth", "rxq_max_packet_headroom", result, room);
}

static void print_send_queues(const struct doca_devinfo *info)
{
    enum doca_eth_wait_on_time_type type;
    uint32_t num = 0;
    uint16_t header = 0;
    doca_error_t result = doca_eth_txq_cap_get_max_burst_size(info, 1, 0, &num);

    number("eth", "txq_max_burst_size", result, num);
    result = doca_eth_txq_cap_get_max_lso_header_size(info, &header);
    number("eth", "txq_max_lso_header_size", result, header);
    offered("eth", "txq_wait_on_time_offload",
            doca_eth_txq_cap_get_wait_on_time_offload_supported(info, &type), 1);
}

int main(void)
{
    struct doca_devinfo **list;
    uint32_t num;

    if (doca_devinfo_create_list(&list, &num) != DOCA_SUCCESS)
        return 1;
    for (uint32_t i = 0; i < num; i++) {
        doca_devinfo_get_pci_addr_str(list[i], pci);
        print_attributes(list[i]);
        print_device_flags(list[i]);
        print_memory(list[i]);
        print_sync_events(list[i]);
        print_dma(list[i]);
        print_comch(list[i]);
        print_fast_path(list[i]);
        print_receive_queues(list[i]);
        print_send_queues(list[i]);
    }
    doca_devinfo_destroy_list(list);
    return 0;
}

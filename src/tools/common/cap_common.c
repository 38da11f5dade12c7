/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/capability.h"

#include <stddef.h>

#include <doca_clock.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_mmap_advise.h>
#include <doca_sync_event.h>

static doca_error_t max_token_size(struct doca_devinfo *devinfo, uint64_t *value)
{
    size_t size;
    doca_error_t result = doca_mmap_cap_get_max_export_access_token_size(devinfo, &size);

    if (result == DOCA_SUCCESS)
        *value = size;
    return result;
}

static doca_error_t invalidate_max_buf_size(struct doca_devinfo *devinfo, uint64_t *value)
{
    return doca_mmap_advise_task_cache_invalidate_get_max_buf_size(devinfo, value);
}

static doca_error_t num_completion_vectors(struct doca_devinfo *devinfo, uint64_t *value)
{
    uint32_t num;
    doca_error_t result = doca_ctx_cap_get_num_completion_vectors(devinfo, &num);

    if (result == DOCA_SUCCESS)
        *value = num;
    return result;
}

const struct tool_cap tool_caps_common[] = {
    {.name = "mmap_export_pci", .flag = doca_mmap_cap_is_export_pci_supported},
    {.name = "mmap_create_from_export_pci",
     .flag = doca_mmap_cap_is_create_from_export_pci_supported},
    {.name = "mmap_max_export_access_token_size", .number = max_token_size},
    {.name = "mmap_advise_cache_invalidate",
     .status = doca_mmap_advise_cap_task_cache_invalidate_is_supported},
    {.name = "mmap_advise_cache_invalidate_max_buf_size", .number = invalidate_max_buf_size},
    {.name = "hotplug_manager", .flag = doca_devinfo_cap_is_hotplug_manager_supported},
    {.name = "notification_moderation",
     .flag = doca_devinfo_cap_is_notification_moderation_supported},
    {.name = "accelerate_resource_reclaim",
     .flag = doca_devinfo_cap_is_accelerate_resource_reclaim_supported},
    {.name = "rep_filter_all", .flag = doca_devinfo_rep_cap_is_filter_all_supported},
    {.name = "rep_filter_net", .flag = doca_devinfo_rep_cap_is_filter_net_supported},
    {.name = "rep_filter_emulated", .flag = doca_devinfo_rep_cap_is_filter_emulated_supported},
    {.name = "sync_event_task_get", .status = doca_sync_event_cap_task_get_is_supported},
    {.name = "sync_event_task_notify_set",
     .status = doca_sync_event_cap_task_notify_set_is_supported},
    {.name = "sync_event_task_notify_add",
     .status = doca_sync_event_cap_task_notify_add_is_supported},
    {.name = "sync_event_task_wait_eq", .status = doca_sync_event_cap_task_wait_eq_is_supported},
    {.name = "sync_event_task_wait_neq", .status = doca_sync_event_cap_task_wait_neq_is_supported},
    {.name = "sync_event_create_from_export",
     .status = doca_sync_event_cap_is_create_from_export_supported},
    {.name = "sync_event_remote_net_create_from_export",
     .status = doca_sync_event_cap_remote_net_is_create_from_export_supported},
    {.name = "sync_event_export_to_remote_pci",
     .status = doca_sync_event_cap_is_export_to_remote_pci_supported},
    {.name = "sync_event_export_to_remote_net",
     .status = doca_sync_event_cap_is_export_to_remote_net_supported},
    {.name = "sync_event_export_to_dpa", .status = doca_sync_event_cap_is_export_to_dpa_supported},
    {.name = "sync_event_export_to_gpu", .status = doca_sync_event_cap_is_export_to_gpu_supported},
    {.name = "clock_nic_free_running", .status = doca_clock_cap_nic_free_running_is_supported},
    {.name = "clock_nic_real_time", .status = doca_clock_cap_nic_real_time_is_supported},
    {.name = "clock_nic_dpa_timer", .status = doca_clock_cap_nic_dpa_timer_is_supported},
    {.name = "num_completion_vectors", .number = num_completion_vectors},
    {.name = NULL},
};
